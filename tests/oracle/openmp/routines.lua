-- Routines on device memory.
scenario { title = "Routines", rules = "openmp-5.1" }

declare "int v[4] = { 1, 2, 3, 4 }; int w[4]; int *p;"

case("alloc, memcpy, free", function()
  local d = omp_target_alloc(16, 0)
  expect(d ~= NULL)
  expect.equal(omp_target_memcpy(d, addr "v[0]", 16, 0, 0, 0, omp_get_initial_device()), 0)
  expect.equal(omp_target_memcpy(addr "w[0]", d, 8, 4, 8, omp_get_initial_device(), 0), 0)
  expect.host("w", { 0, 3, 4, 0 })
  omp_target_free(d, 0)
end)

case("is_device_ptr", function()
  host.p = omp_target_alloc(16, 0)
  omp "target is_device_ptr(p)" "for (int i = 0; i < 4; i++) p[i] = i + v[i];"
  omp_target_memcpy(addr "w[0]", host.p, 16, 0, 0, omp_get_initial_device(), 0)
  expect.host("w", { 1, 3, 5, 7 })
end)

case("associated memory is present, for good", function()
  local d = omp_target_alloc(16, 0)
  expect.equal(omp_target_associate_ptr(addr "v[0]", d, 16, 0, 0), 0)
  expect.equal(omp_target_is_present(addr "v[0]", 0), 1)
  omp "target exit data map(delete: v)"
  expect.present "v"
  omp "target map(always, tofrom: v)" "v[0] = v[0] + 10;"
  expect.host("v[0]", 11)
  expect.equal(omp_target_disassociate_ptr(addr "v[0]", 0), 0)
  expect.absent "v"
  omp_target_free(d, 0)
end)

case("a map of associated memory moves nothing", function()
  local d = omp_target_alloc(16, 0)
  omp_target_associate_ptr(addr "v[0]", d, 16, 0, 0)
  omp "target" "for (int i = 0; i < 4; i++) v[i] = 7;"
  expect.host("v[0]", 1)
  omp "target update from(v)"
  expect.host("v[0]", 7)
end)

case("an association twice, and what is not associated", function()
  local d = omp_target_alloc(32, 0)
  expect.equal(omp_target_associate_ptr(addr "v[0]", d, 16, 0, 0), 0)
  expect.equal(omp_target_associate_ptr(addr "v[0]", d, 16, 0, 0), 0)
  expect(omp_target_associate_ptr(addr "v[0]", d, 16, 16, 0) ~= 0)
  expect(omp_target_disassociate_ptr(addr "w[0]", 0) ~= 0)
end)

case("presence is asked of a device", function()
  omp "target enter data map(to: v[1:2])"
  expect.equal(omp_target_is_present(addr "v[1]", 0), 1)
  expect.equal(omp_target_is_present(addr "v[0]", 0), 0)
  expect.equal(omp_target_is_present(addr "v[3]", 0), 0)
  expect.equal(omp_target_is_present(addr "v[0]", omp_get_initial_device()), 1)
end)
