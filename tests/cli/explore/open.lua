scenario { title = "A region that is open in a counterexample", rules = "openmp-5.1" }
declare "int a[3] = { 1, 2, 3 }; int *p[1] = { a };"
vocabulary { bound = 2, omp "target enter data map(to: p)", omp "target data map(tofrom: p[0][0:3])" }
