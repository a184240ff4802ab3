-- Sections of an array, in parts and as a whole.
scenario { title = "an array", rules = "libomptarget-19" }
declare "int a[4] = {1, 2, 3, 4};"
vocabulary {
  omp "target enter data map({to: a,to: a[1:2],alloc: a[2:2]})",
  omp "target enter data map(always, to: a)",
  omp "target exit data map({from: a,release: a,delete: a,from: a[1:2]})",
  omp "target exit data map(always, from: a)",
  omp "target update {from(a),to(a[1:2])}",
  omp "target data map({tofrom: a,alloc: a[0:2]})",
  omp "target map(present, alloc: a)" "a[2] = 9;",
  omp "target" "a[2] = 9;",
  host "a[1] = 7",
}
