-- Several variables in one directive, and regions in regions.
scenario { title = "several variables in one directive", rules = "libomptarget-19" }
declare "int a[2] = {1, 2};"
declare "int b[2] = {3, 4};"
vocabulary {
  omp "target enter data map(to: a) map(alloc: b)",
  omp "target enter data map(to: {a,b})",
  omp "target exit data map(from: a, b)",
  omp "target exit data map(release: a) map(delete: b)",
  omp "target exit data map({delete,from}: a)",
  omp "target data map(tofrom: a, b)",
  omp "target data map(to: a) map(from: b)",
  omp "target data map(always, from: b)",
  omp "target map(to: a) map(tofrom: b)" "b[0] = a[1];",
  omp "target map(from: b)" "b[1] = 9;",
  omp "target update to(a) from(b)",
  host "a[1] = 7",
  host "b[0] = 8",
}
