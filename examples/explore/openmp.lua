-- OpenMP: map types, modifiers, base pointers, sections of length zero.
scenario { title = "OpenMP mapping", rules = "openmp-6.0" }
declare [[
  float a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 };
  float *p = a;
  struct vector { int n; float *data; } v = { 4, a };
]]
vocabulary { bound = 4,
  omp "target enter data map(to: {a,b,v,v.data[0:4]})",
  omp "target enter data map(always, to: {a,v})",
  omp "target enter data map(to: p[0:{2,4}])",
  omp "target enter data map(to: v) map(to: v.data[0:4])",
  omp "target exit data map({release,delete,from}: {a,v,v.data[0:4],p[0:4]})",
  omp "target data map(tofrom: {a,v})",
  omp "target update {to,from}({a,v})",
  host "{p,v.data} = b",
  host "a[1] = 20",
  kernel "p[1] = 9",
}
