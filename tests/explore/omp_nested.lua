-- A structure that points to a structure with a pointer.
scenario { title = "pointers behind pointers", rules = "libomptarget-19" }
declare "int a[4] = {1, 2, 3, 4};"
declare "struct S { int n; int *d; } s = {4, a};"
declare "struct T { struct S *s; int m; } t = {&s, 2};"
vocabulary {
  omp "target enter data map(to: {t,s,a,t.s[0:1],s.d[0:4],t.s->d[0:4]})",
  omp "target enter data map(to: t, t.s[0:1])",
  omp "target exit data map({release,from}: {t,t.s[0:1]})",
  omp "target exit data map({release,from}: s.d[0:4])",
  omp "target exit data map(delete: t)",
  omp "target data map(tofrom: t.s[0:1])",
  omp "target update {from,to}(t.s[0:1])",
  host "s.n = 7",
}
