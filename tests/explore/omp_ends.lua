-- Data that one construct names twice. Constructs change reference counters by two: LLVM 14 ends programs whose items
-- remove data twice.
scenario { title = "ends of duplicate list items", rules = "libomptarget-19" }
declare "int a[4] = {1, 2, 3, 4};"
declare "struct S { int x, *d; } s = {1, a};"
declare "struct T { struct S *s; } t = {&s};"
vocabulary {
  omp "target enter data map(alloc: a) map(to: a)",
  omp "target enter data map(to: {s,s.x}, s.d[0:4]) map(to: s.d[0:2])",
  omp "target exit data map(from: a) map(release: a)",
  omp "target exit data map(release: s.d[0:4]) map(from: s.d[0:2])",
  omp "target data map(from: a) map(to: a)",
  omp "target map(to: a) map({from,alloc}: a)" "a[1] = 9;",
  omp "target map(tofrom: t.s->x) map({to,from}: {s.x,t.s->x})" "s.x = 9;",
  host "a[1] = 7",
}
