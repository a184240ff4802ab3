scenario { rules = "openmp-6.0" }
declare [[
  struct vector { int n; double *data; };
  #pragma omp declare mapper(struct vector v) map(v.n, v.data[0:v.n])
  struct vector v;
  double a[4];
]]
host.v = { n = 2, data = { 1, 2 } }
omp "target data map(always, to: a[1:2])" (function()
  omp "target enter data map(to: v)"
end)
