scenario { title = "Programs with OpenMP", rules = "openmp-5.1" }

declare [[
  typedef struct { int n; float *a; } vector;
  #pragma omp declare mapper(vector v) map(v, v.a[0:v.n])
  vector X;
  int v[4] = { 1, 2, 3, 4 };
  int *p;
]]
host.X = { n = 2, a = { 1, 2 } }

case("regions, kernels, updates", function()
  omp "target data map(to: v[1:2])" (function()
    expect.present "v[1:2]"
    expect.absent "v[3]"
    omp "target nowait" "v[1] = 20;"
    omp [[target update \
          from(v[1:1])]]
  end)
  expect.host("v[0:3]", { 1, 20, 3 })
  omp "target map(X)" "for (int i = 0; i < X.n; i++) X.a[i] = -X.a[i];"
  omp "target teams distribute parallel for map(v)" "for (int i = 0; i < 4; i++) v[i]++;"
end)

case("devices and routines", function()
  omp "declare mapper(half: vector v) map(v.a[0:v.n / 2])"
  omp "target device(1) map(v)" "v[0] = 5;"
  host.p = omp_target_alloc(16, 0)
  omp "target is_device_ptr(p)" "p[0] = v[0];"
  expect.equal(omp_target_memcpy(addr "v[1]", host.p, 4, 0, 0, omp_get_initial_device(), 0), 0)
  expect.equal(host.v[1], 5)
  omp "target enter data map(to: v[0:2])"
  expect.fails("partially-present", function()
    omp "target data map(to: X)" (function() omp "target enter data map(to: v[1:2])" end)
  end)
end)

case("no word for it", function()
  omp "target enter data map(to: v)"
  expect.device("v[1]", 2)
end)
