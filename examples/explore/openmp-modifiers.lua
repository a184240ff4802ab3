-- Modifiers and map types of OpenMP, which came with 5.1 to 6.1.
scenario { title = "Modifiers of OpenMP", rules = "openmp-6.1" }
declare [[
  float a[4] = { 1, 2, 3, 4 };
  struct vector { int n; float *data; } v = { 4, a };
]]
vocabulary { bound = 4,
  omp "target enter data map({to,storage,tofrom}: a)",
  omp "target enter data map(to: {v,v.data[0:4]})",
  omp "target enter data map(attach(always), to: v.data[0:4])",
  omp "target enter data map(attach(never), to: v.data[0:4])",
  omp "target enter data map(present, to: a)",
  omp "target enter data map(self, to: a)",
  omp "target enter data map(a)",
  omp "target data map(present, tofrom: a)",
  omp "target exit data map({from,tofrom,release}: a)",
  omp "target update to(present: a)",
  host "a[1] = 20",
  kernel "a[2] = 30",
}
