-- Pointers on the way to a list item, and items that share them.
scenario { title = "chains of pointers", rules = "libomptarget-19" }
declare "int a[4] = {1, 2, 3, 4};"
declare "struct S { int x; int *d; } s = {4, a};"
declare "struct T { struct S *s; int m; } t = {&s, 2};"
declare "struct U { struct T *t; } u = {&t};"
vocabulary {
  omp "target enter data map(to: {s,t,t.s->d,u.t->s->x})",
  omp "target enter data map(to: t.s->x, t.s->d[0:4])",
  omp "target exit data map({from,delete}: {t.s->d,u.t->s->x})",
  omp "target data map(tofrom: u.t->s->d[0:4])",
}
