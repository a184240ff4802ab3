-- An array that one construct names twice, and a pointer to it that a kernel compares.
scenario { title = "duplicate list items", rules = "libomptarget-19" }
declare "int a[4] = {1, 2, 3, 4};"
declare "int isnull = 7, *p = a;"
vocabulary {
  omp "target enter data map(to: a[0:4]) map(to: a[0:4])",
  omp "target enter data map({to,alloc}: a)",
  omp "target exit data map({from,release}: a)",
  omp "target map(to: a[0:4]) map(from: a[0:4])" "a[1] = 9;",
  omp "target map(from: isnull)" "isnull = p == 0;",
  omp "target map(p[:0]) map(from: isnull)" "isnull = p == 0;",
  omp "target update from(a)",
}
