-- A structure with a pointer, and what it points to.
scenario { title = "a structure with a pointer", rules = "libomptarget-19" }
declare "int a[8] = {1, 2, 3, 4, 5, 6, 7, 8};"
declare "struct S { int n; int *d; } s = {4, a};"
vocabulary {
  omp "target enter data map({to: s,to: a,to: s.d[0:4]})",
  omp "target enter data map(to: s, s.d[0:4])",
  omp "target enter data map(always, to: s)",
  omp "target exit data map({release: s.d[0:4],from: s,delete: s,release: a})",
  omp "target update {from(s),to(s),to(s.d[1:2])}",
  omp "target data map({to: s.d[0:4],tofrom: s})",
  omp "target map(present, alloc: s)" "s.n = 9;",
  host "s.d = a + 2",
}
