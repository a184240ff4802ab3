-- A structure that points to a structure with a pointer.
scenario { title = "pointers behind pointers", rules = "libgomp-12" }
declare "int a[4] = {1, 2, 3, 4};"
declare "struct S { int n; int *d; } s = {4, a};"
declare "struct T { struct S *s; int m; } t = {&s, 2};"
vocabulary {
  acc "enter data copyin({t,s,a,t.s[0:1],s.d[0:4],t.s->d[0:4]})",
  acc "enter data attach({t.s,s.d})",
  acc "exit data {delete,copyout}({t,t.s[0:1]})",
  acc "exit data {delete,copyout}(s.d[0:4])",
  acc "exit data detach(t.s)",
  acc "data copy(t.s[0:1])",
  acc "update {self,device}(t.s[0:1])",
  host "s.n = 7",
}
