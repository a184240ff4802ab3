declare "int a[2] = { 1, 2 }; struct s { int n; int *p; } S;"
declare "struct s *heap;"
host.heap = alloc("struct s", 1, { { n = 7 } })
host.S.p = addr "a[1]"
vocabulary { bound = 2,
  acc "enter data copyin(a)",
  acc "data copy(S)",
  kernel "a[1] = 3",
  host "a[0] = 5",
}
