-- Programs on which profiles differ: spec/reference/disagreements.md. `make disagreements` made this file.
-- OpenMP: map types, modifiers, base pointers, sections of length zero.
scenario { title = "OpenMP mapping", rules = "openmp-6.0" }
declare [[
  float a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 };
  float *p = a;
  struct vector { int n; float *data; } v = { 4, a };
]]

case("differs: members decides, after omp target enter data map [TR14-3.4-11 ACC33-att-10]", function()
  expect.differs({
    ["openmp-5.1"] = "accepted; `v.data` is not present",
    ["openmp-5.2"] = "accepted; `v.data` is not present",
    ["openmp-6.0"] = "accepted; `v.data` is not present",
    ["openmp-6.1"] = "accepted; `v.data` is not present",
    ["libgomp-12-openmp"] = "accepted; `v.data` is not present",
    ["indirect"] = "accepted; `v.data` is not present",
    ["libomptarget-19"] = "accepted; `v.data` is present",
    ["libomptarget-14"] = "accepted; `v.data` is present",
    ["openmp-4.0"] = "accepted; `v.data` is present",
  }, function()
    omp "target enter data map(to: v.data[0:4])"
  end)
end)

case("differs: section decides, after omp target enter data map [LLNL-2.1-05 LLNL-3.1-01 LLNL-3.1-04]", function()
  expect.differs({
    ["openmp-5.1"] = "accepted; `v.data` is not present",
    ["openmp-5.2"] = "accepted; `v.data` is not present",
    ["openmp-6.0"] = "accepted; `v.data` is not present",
    ["openmp-6.1"] = "accepted; `v.data` is not present",
    ["libgomp-12-openmp"] = "accepted; `v.data` is not present",
    ["indirect"] = "accepted; `v.data` is not present",
    ["libomptarget-19"] = "accepted; `v.data` is present",
    ["libomptarget-14"] = "accepted; `v.data` is present",
    ["openmp-4.0"] = "accepted; `v.data` is present",
  }, function()
    omp "target enter data map(to: v.data[0:4])"
  end)
end)

case("differs: unmatched decides, after kernel [OMP60-map-10]", function()
  expect.differs({
    ["openmp-5.1"] = "null-pointer",
    ["libgomp-12-openmp"] = "null-pointer",
    ["libomptarget-14"] = "null-pointer",
    ["openmp-5.2"] = "host-pointer-on-device",
    ["openmp-6.0"] = "host-pointer-on-device",
    ["openmp-6.1"] = "host-pointer-on-device",
    ["libomptarget-19"] = "host-pointer-on-device",
    ["openmp-4.0"] = "host-pointer-on-device",
    ["indirect"] = "host-pointer-on-device",
  }, function()
    omp "target" "p[1] = 9;"
  end)
end)

case("differs: implicit decides, after kernel [OMP60-map-11 LLNL-3.2-01]", function()
  expect.differs({
    ["openmp-5.1"] = "accepted",
    ["openmp-5.2"] = "accepted",
    ["openmp-6.0"] = "accepted",
    ["openmp-6.1"] = "accepted",
    ["libgomp-12-openmp"] = "accepted",
    ["libomptarget-19"] = "accepted",
    ["libomptarget-14"] = "accepted",
    ["indirect"] = "accepted",
    ["openmp-4.0"] = "host-pointer-on-device",
  }, function()
    omp "target enter data map(to: a)"
    omp "target" "p[1] = 9;"
  end)
end)

case("differs: lost_target decides, after omp target exit data map [ACC33-att-11]", function()
  expect.differs({
    ["openmp-5.1"] = "accepted; `v.data` on the device points to memory that was unmapped",
    ["openmp-5.2"] = "accepted; `v.data` on the device points to memory that was unmapped",
    ["openmp-6.0"] = "accepted; `v.data` on the device points to memory that was unmapped",
    ["openmp-6.1"] = "accepted; `v.data` on the device points to memory that was unmapped",
    ["libomptarget-19"] = "accepted; `v.data` on the device points to memory that was unmapped",
    ["libomptarget-14"] = "accepted; `v.data` on the device points to memory that was unmapped",
    ["openmp-4.0"] = "accepted; `v.data` on the device points to memory that was unmapped",
    ["indirect"] = "accepted; `v.data` on the device points to memory that was unmapped",
    ["libgomp-12-openmp"] = "accepted; `v.data` on the device has the host's address",
  }, function()
    omp "target enter data map(to: v) map(to: v.data[0:4])"
    omp "target exit data map(release: a)"
  end)
end)

case("differs: attach decides, after omp target enter data map [TR14-4.1-02 OMP60-map-7]", function()
  expect.differs({
    ["openmp-5.1"] = "accepted; `v.data` on the device has the host's address",
    ["openmp-5.2"] = "accepted; `v.data` on the device has the host's address",
    ["openmp-6.0"] = "accepted; `v.data` on the device has the host's address",
    ["openmp-6.1"] = "accepted; `v.data` on the device has the host's address",
    ["libgomp-12-openmp"] = "accepted; `v.data` on the device is attached to `a`",
    ["libomptarget-19"] = "accepted; `v.data` on the device is attached to `a`",
    ["libomptarget-14"] = "accepted; `v.data` on the device is attached to `a`",
    ["openmp-4.0"] = "accepted; `v.data` on the device is attached to `a`",
    ["indirect"] = "accepted; `v.data` on the device is attached to `a`",
  }, function()
    omp "target enter data map(to: a)"
    omp "target enter data map(to: v)"
    omp "target enter data map(to: v.data[0:4])"
  end)
end)

case("differs: reattach decides, after omp target enter data map [ACC33-att-3]", function()
  expect.differs({
    ["openmp-5.1"] = "accepted; `v.data` on the device is attached to `b`",
    ["openmp-5.2"] = "accepted; `v.data` on the device is attached to `b`",
    ["openmp-6.0"] = "accepted; `v.data` on the device is attached to `b`",
    ["openmp-6.1"] = "accepted; `v.data` on the device is attached to `b`",
    ["libomptarget-19"] = "accepted; `v.data` on the device is attached to `b`",
    ["libomptarget-14"] = "accepted; `v.data` on the device is attached to `b`",
    ["openmp-4.0"] = "accepted; `v.data` on the device is attached to `b`",
    ["indirect"] = "accepted; `v.data` on the device is attached to `b`",
    ["libgomp-12-openmp"] = "accepted; `v.data` on the device is attached to `a`",
  }, function()
    omp "target enter data map(to: v) map(to: v.data[0:4])"
    host "(v.data = b)"
    omp "target enter data map(to: v.data[0:4])"
  end)
end)
