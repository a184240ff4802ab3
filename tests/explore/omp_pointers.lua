-- A variable that is a pointer, and what it points to.
scenario { title = "a pointer", rules = "libomptarget-19" }
declare "int a[8] = {1, 2, 3, 4, 5, 6, 7, 8};"
declare "int *p = a;"
vocabulary {
  omp "target enter data map({to: a,to: p,to: p[0:4],to: p[2:2]})",
  omp "target enter data map(to: p, p[0:4])",
  omp "target exit data map({release: p,from: p[0:4],delete: a})",
  omp "target update {from(p),to(p[0:4])}",
  omp "target data map({tofrom: p[0:4],to: p})",
  omp "target map(present, alloc: p[0:4])" "p[1] = 9;",
  host "p = {a + 2,0}",
}
