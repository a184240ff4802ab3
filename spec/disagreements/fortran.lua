-- Programs on which profiles differ: spec/reference/disagreements.md. `make disagreements` made this file.
-- Pointers and allocatables of Fortran.
scenario { title = "Fortran's pointers", language = "fortran", rules = "openacc-3.3" }
fortran [[
  type vector
    real, pointer :: data(:)
  end type
  real, target :: a(4), b(4)
  real, pointer :: p(:)
  type(vector) :: v
  a = 1.0
  b = 2.0
  p => a
  v%data => a
]]

case("differs: descriptors decides, after acc enter data copyin [TR14-1.1-05 OMP60-map-16]", function()
  expect.differs({
    ["tr14"] = "accepted; `a` is present, `v%data` on the device is attached to `a`",
    ["tr14x"] = "accepted; `a` is present, `v%data` on the device is attached to `a`",
    ["openacc-2.0"] = "accepted; `a` is not present, `v%data` on the device has the host's address",
    ["openacc-3.3"] = "accepted; `a` is not present, `v%data` on the device has the host's address",
    ["openacc-3.4"] = "accepted; `a` is not present, `v%data` on the device has the host's address",
    ["libgomp-12"] = "accepted; `a` is not present, `v%data` on the device has the host's address",
    ["directory"] = "accepted; `a` is not present, `v%data` on the device has the host's address",
  }, function()
    acc "enter data copyin(v)"
  end)
end)

case("differs: attach_implied decides, after acc enter data copyin [ACC33-att-2 ACC33-det-1]", function()
  expect.differs({
    ["tr14"] = "accepted; `v` is present",
    ["tr14x"] = "accepted; `v` is present",
    ["directory"] = "accepted; `v` is present",
    ["openacc-2.0"] = "accepted; `v` is not present",
    ["openacc-3.3"] = "accepted; `v` is not present",
    ["openacc-3.4"] = "accepted; `v` is not present",
    ["libgomp-12"] = "not-present",
  }, function()
    acc "enter data copyin(v%data)"
  end)
end)

case("differs: descriptors decides, after acc exit data delete [TR14-1.1-05 OMP60-map-16]", function()
  expect.differs({
    ["tr14"] = "accepted; `a` is not present",
    ["tr14x"] = "accepted; `a` is not present",
    ["openacc-2.0"] = "not-present",
    ["libgomp-12"] = "not-present",
    ["openacc-3.3"] = "accepted; `a` is present",
    ["openacc-3.4"] = "accepted; `a` is present",
    ["directory"] = "still-attached",
  }, function()
    acc "enter data copyin(v%data)"
    acc "exit data delete(v)"
  end)
end)

case("differs: descriptors decides, after acc exit data delete, program 2 [TR14-1.1-05 OMP60-map-16]", function()
  expect.differs({
    ["tr14"] = "not-attached",
    ["tr14x"] = "not-attached",
    ["openacc-2.0"] = "not-present",
    ["libgomp-12"] = "not-present",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
    ["directory"] = "accepted",
  }, function()
    acc "enter data copyin(v%data)"
    acc "exit data detach(v%data)"
    acc "exit data delete(v)"
  end)
end)

case("differs: descriptors decides, after acc update self [TR14-1.1-05 OMP60-map-16]", function()
  expect.differs({
    ["tr14"] = "accepted; `a` on the host is 1 1 1 1",
    ["tr14x"] = "accepted; `a` on the host is 1 1 1 1",
    ["openacc-2.0"] = "not-present",
    ["openacc-3.3"] = "not-present",
    ["openacc-3.4"] = "not-present",
    ["libgomp-12"] = "not-present",
    ["directory"] = "accepted; `a` on the host is 1 20 1 1",
  }, function()
    acc "enter data copyin(v%data)"
    fortran "a(2) = 20.0"
    acc "update self(v)"
  end)
end)

case("differs: descriptors decides, after acc exit data delete, program 3 [TR14-1.1-05 OMP60-map-16]", function()
  expect.differs({
    ["tr14"] = "still-attached",
    ["tr14x"] = "still-attached",
    ["openacc-2.0"] = "already-present",
    ["openacc-3.3"] = "accepted; `v` is not present",
    ["openacc-3.4"] = "accepted; `v` is not present",
    ["libgomp-12"] = "not-present",
    ["directory"] = "accepted; `v` is present",
  }, function()
    acc "enter data copyin(v%data)"
    acc "enter data copyin(v%data)"
    acc "exit data delete(a)"
    acc "exit data delete(v)"
  end)
end)

case("differs: descriptors decides, after acc update self, program 2 [TR14-1.1-05 OMP60-map-16]", function()
  expect.differs({
    ["tr14"] = "not-present",
    ["tr14x"] = "not-present",
    ["openacc-2.0"] = "not-present",
    ["openacc-3.3"] = "not-present",
    ["openacc-3.4"] = "not-present",
    ["libgomp-12"] = "not-present",
    ["directory"] = "accepted",
  }, function()
    acc "enter data copyin(v%data)"
    acc "exit data detach(v%data)"
    acc "exit data delete(a)"
    acc "update self(v)"
  end)
end)
