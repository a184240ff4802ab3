-- Programs on which profiles differ: spec/reference/disagreements.md. `make disagreements` made this file.
-- Attach and detach: a structure with a pointer, and two arrays that it may point to.
scenario { title = "Attach and detach", rules = "openacc-3.3" }
declare [[
  float a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 };
  struct vector { int n; float *data; } v = { 4, a };
]]

case("differs: exit_absent decides, after acc exit data delete [TR14-4.3-05 ACC33-3.2.18-4]", function()
  expect.differs({
    ["tr14"] = "not-present",
    ["tr14x"] = "not-present",
    ["openacc-2.0"] = "not-present",
    ["directory"] = "not-present",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
    ["libgomp-12"] = "accepted",
  }, function()
    acc "exit data delete(v)"
  end)
end)

case("differs: attach_absent decides, after acc enter data attach [ACC33-att-2]", function()
  expect.differs({
    ["tr14"] = "not-present",
    ["tr14x"] = "not-present",
    ["openacc-2.0"] = "not-present",
    ["libgomp-12"] = "not-present",
    ["directory"] = "not-present",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
  }, function()
    acc "enter data attach(v.data)"
  end)
end)

case("differs: members decides, after acc enter data copyin [TR14-3.4-11 ACC33-att-10]", function()
  expect.differs({
    ["tr14"] = "accepted; `v` is present",
    ["tr14x"] = "accepted; `v` is present",
    ["directory"] = "accepted; `v` is present",
    ["openacc-2.0"] = "accepted; `v` is not present",
    ["openacc-3.3"] = "accepted; `v` is not present",
    ["openacc-3.4"] = "accepted; `v` is not present",
    ["libgomp-12"] = "accepted; `v.data` is present",
  }, function()
    acc "enter data copyin(v.data[0:4])"
  end)
end)

case("differs: attach_implied decides, after acc exit data delete delete [ACC33-att-2 ACC33-det-1]", function()
  expect.differs({
    ["tr14"] = "not-present",
    ["tr14x"] = "not-present",
    ["openacc-2.0"] = "not-present",
    ["libgomp-12"] = "not-present",
    ["directory"] = "not-present",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
  }, function()
    acc "exit data delete(v.data[0:4]) delete(v)"
  end)
end)

case("differs: again decides, after acc enter data copyin [ACC20-2.6-1]", function()
  expect.differs({
    ["tr14"] = "accepted",
    ["tr14x"] = "accepted",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
    ["libgomp-12"] = "accepted",
    ["directory"] = "accepted",
    ["openacc-2.0"] = "already-present",
  }, function()
    acc "enter data copyin(v)"
    acc "enter data copyin(v)"
  end)
end)

case("differs: detach_unattached decides, after acc exit data detach [TR14-4.3-13 ACC33-det-1]", function()
  expect.differs({
    ["tr14"] = "not-attached",
    ["tr14x"] = "not-attached",
    ["openacc-2.0"] = "not-attached",
    ["libgomp-12"] = "not-attached",
    ["directory"] = "not-attached",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
  }, function()
    acc "enter data copyin(v)"
    acc "exit data detach(v.data)"
  end)
end)

case("differs: attached decides, after acc update self [ACC33-att-8 TR14-4.1-07]", function()
  expect.differs({
    ["tr14"] = "accepted; `v.data` on the host has the host's address",
    ["tr14x"] = "accepted; `v.data` on the host has the host's address",
    ["openacc-2.0"] = "accepted; `v.data` on the host has the host's address",
    ["openacc-3.3"] = "accepted; `v.data` on the host has the host's address",
    ["openacc-3.4"] = "accepted; `v.data` on the host has the host's address",
    ["directory"] = "accepted; `v.data` on the host has the host's address",
    ["libgomp-12"] = "accepted; `v.data` on the host has a device address",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    acc "update self(v)"
  end)
end)

case("differs: attached decides, after acc update device [ACC33-att-8 TR14-4.1-07]", function()
  expect.differs({
    ["tr14"] = "accepted; `v.data` on the device is attached to `a`",
    ["tr14x"] = "accepted; `v.data` on the device is attached to `a`",
    ["openacc-2.0"] = "accepted; `v.data` on the device is attached to `a`",
    ["openacc-3.3"] = "accepted; `v.data` on the device is attached to `a`",
    ["openacc-3.4"] = "accepted; `v.data` on the device is attached to `a`",
    ["directory"] = "accepted; `v.data` on the device is attached to `a`",
    ["libgomp-12"] = "accepted; `v.data` on the device has the host's address",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    acc "update device(v)"
  end)
end)

case("differs: fusion and exit_unowned decide together, after acc exit data delete "
  .. "[DIR-2-01 DIR-4.2-08 DIR-4.2-10 DIR-6-01]", function()
  expect.differs({
    ["tr14"] = "accepted",
    ["tr14x"] = "accepted",
    ["openacc-2.0"] = "accepted",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
    ["libgomp-12"] = "accepted",
    ["directory"] = "not-present",
  }, function()
    acc "data copy(v)"
    acc "exit data delete(v)"
  end)
end)

case("differs: null_pointer decides, after acc update self [ACC33-2.7-2 ACC33-gloss-2]", function()
  expect.differs({
    ["tr14"] = "null-pointer",
    ["tr14x"] = "null-pointer",
    ["openacc-2.0"] = "null-pointer",
    ["libgomp-12"] = "null-pointer",
    ["directory"] = "null-pointer",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
  }, function()
    host "(v.data = 0)"
    acc "update self(v.data[0:4])"
  end)
end)

case("differs: members decides, after acc exit data delete finalize [TR14-3.4-11 ACC33-att-10]", function()
  expect.differs({
    ["tr14"] = "accepted; `v` is not present",
    ["tr14x"] = "accepted; `v` is not present",
    ["libgomp-12"] = "accepted; `v` is not present",
    ["directory"] = "accepted; `v` is not present",
    ["openacc-2.0"] = "accepted; `v` is present",
    ["openacc-3.3"] = "accepted; `v` is present",
    ["openacc-3.4"] = "accepted; `v` is present",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    acc "exit data delete(v.data[0:4]) finalize"
  end)
end)

case("differs: members and member decide together, after acc exit data delete finalize "
  .. "[TR14-3.4-11 ACC33-att-10 TR14-4.2-08]", function()
  expect.differs({
    ["tr14"] = "accepted; `v` is not present",
    ["tr14x"] = "accepted; `v` is not present",
    ["libgomp-12"] = "accepted; `v` is not present",
    ["directory"] = "accepted; `v` is not present",
    ["openacc-2.0"] = "accepted; `v` is present",
    ["openacc-3.3"] = "accepted; `v` is present",
    ["openacc-3.4"] = "accepted; `v` is present",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    acc "exit data delete(v.data[0:4]) finalize"
  end)
end)

case("differs: members decides, after acc exit data delete [TR14-3.4-11 ACC33-att-10]", function()
  expect.differs({
    ["tr14"] = "not-present",
    ["tr14x"] = "not-present",
    ["libgomp-12"] = "not-present",
    ["directory"] = "not-present",
    ["openacc-2.0"] = "accepted",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
  }, function()
    acc "enter data copyin(a)"
    acc "exit data delete(v.data[0:4])"
  end)
end)

case("differs: still_attached decides, after acc exit data delete [TR14-4.3-12 ACC33-att-7 ACC33-att-11]", function()
  expect.differs({
    ["tr14"] = "still-attached",
    ["tr14x"] = "still-attached",
    ["directory"] = "still-attached",
    ["openacc-2.0"] = "accepted; `v.data` on the device has the host's address",
    ["openacc-3.3"] = "accepted; `v.data` on the device has the host's address",
    ["openacc-3.4"] = "accepted; `v.data` on the device has the host's address",
    ["libgomp-12"] = "accepted; `v.data` on the device points to memory that was unmapped",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    acc "exit data delete(a)"
  end)
end)

case("differs: lost_target decides, after acc exit data delete [ACC33-att-11]", function()
  expect.differs({
    ["tr14"] = "still-attached",
    ["tr14x"] = "still-attached",
    ["directory"] = "still-attached",
    ["openacc-2.0"] = "accepted; `v.data` on the device has the host's address",
    ["openacc-3.3"] = "accepted; `v.data` on the device has the host's address",
    ["openacc-3.4"] = "accepted; `v.data` on the device has the host's address",
    ["libgomp-12"] = "accepted; `v.data` on the device points to memory that was unmapped",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    acc "exit data delete(a)"
  end)
end)

case("differs: members decides, after acc exit data delete delete [TR14-3.4-11 ACC33-att-10]", function()
  expect.differs({
    ["tr14"] = "not-attached",
    ["tr14x"] = "not-attached",
    ["libgomp-12"] = "not-attached",
    ["directory"] = "not-attached",
    ["openacc-2.0"] = "not-present",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
  }, function()
    acc "enter data copyin(v)"
    acc "exit data delete(v.data[0:4]) delete(v)"
  end)
end)

case("differs: attach_null decides, after acc enter data attach [ACC33-att-4]", function()
  expect.differs({
    ["tr14"] = "accepted",
    ["tr14x"] = "accepted",
    ["openacc-2.0"] = "accepted",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
    ["directory"] = "accepted",
    ["libgomp-12"] = "null-pointer",
  }, function()
    acc "enter data copyin(v)"
    host "(v.data = 0)"
    acc "enter data attach(v.data)"
  end)
end)

case("differs: still_attached decides, after acc exit data delete delete "
  .. "[TR14-4.3-12 ACC33-att-7 ACC33-att-11]", function()
  expect.differs({
    ["tr14"] = "still-attached",
    ["tr14x"] = "still-attached",
    ["directory"] = "still-attached",
    ["openacc-2.0"] = "accepted",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
    ["libgomp-12"] = "accepted",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    acc "enter data attach(v.data)"
    acc "exit data delete(v.data[0:4]) delete(v)"
  end)
end)

case("differs: pointer_changed decides, after acc exit data detach [TR14-4.1-08]", function()
  expect.differs({
    ["tr14"] = "pointer-changed",
    ["tr14x"] = "pointer-changed",
    ["directory"] = "pointer-changed",
    ["openacc-2.0"] = "accepted",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
    ["libgomp-12"] = "accepted",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    host "(v.data = b)"
    acc "exit data detach(v.data)"
  end)
end)

case("differs: pointer_changed decides, after acc update self [TR14-4.1-08]", function()
  expect.differs({
    ["tr14"] = "pointer-changed",
    ["tr14x"] = "pointer-changed",
    ["directory"] = "pointer-changed",
    ["openacc-2.0"] = "not-present",
    ["openacc-3.3"] = "not-present",
    ["openacc-3.4"] = "not-present",
    ["libgomp-12"] = "not-present",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    host "(v.data = b)"
    acc "update self(v.data[0:4])"
  end)
end)

case("differs: finalize_detaches decides, after acc exit data delete finalize [ACC33-det-2]", function()
  expect.differs({
    ["tr14"] = "accepted; `v.data` on the device has the host's address",
    ["tr14x"] = "accepted; `v.data` on the device has the host's address",
    ["libgomp-12"] = "accepted; `v.data` on the device has the host's address",
    ["directory"] = "accepted; `v.data` on the device has the host's address",
    ["openacc-2.0"] = "already-present",
    ["openacc-3.3"] = "accepted; `v.data` on the device is attached to `a`",
    ["openacc-3.4"] = "accepted; `v.data` on the device is attached to `a`",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    acc "data copy(v.data[0:4])"
    acc "exit data delete(v.data[0:4]) finalize"
  end)
end)

case("differs: again decides, after acc enter data copyin copyin [ACC20-2.6-1]", function()
  expect.differs({
    ["tr14"] = "partially-present",
    ["tr14x"] = "partially-present",
    ["openacc-3.3"] = "partially-present",
    ["openacc-3.4"] = "partially-present",
    ["libgomp-12"] = "partially-present",
    ["openacc-2.0"] = "already-present",
    ["directory"] = "partial-overlap",
  }, function()
    acc "enter data copyin(v.data[1:2])"
    acc "enter data copyin(v)"
    acc "enter data copyin(v) copyin(v.data[0:4])"
  end)
end)

case("differs: reattach decides, after acc enter data attach [ACC33-att-3]", function()
  expect.differs({
    ["tr14"] = "not-present",
    ["tr14x"] = "not-present",
    ["openacc-2.0"] = "not-present",
    ["directory"] = "not-present",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
    ["libgomp-12"] = "accepted",
  }, function()
    acc "enter data copyin(v)"
    acc "enter data copyin(v.data[1:2])"
    acc "enter data attach(v.data)"
  end)
end)

case("differs: detach_final decides, after acc exit data detach finalize [ACC33-det-1]", function()
  expect.differs({
    ["tr14"] = "not-attached",
    ["tr14x"] = "not-attached",
    ["openacc-2.0"] = "not-attached",
    ["directory"] = "not-attached",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
    ["libgomp-12"] = "accepted",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    acc "exit data detach(v.data)"
    acc "exit data detach(v.data) finalize"
  end)
end)

case("differs: again decides, after acc enter data copyin copyin, program 2 [ACC20-2.6-1]", function()
  expect.differs({
    ["tr14"] = "partially-present",
    ["tr14x"] = "partially-present",
    ["openacc-3.3"] = "partially-present",
    ["openacc-3.4"] = "partially-present",
    ["libgomp-12"] = "partially-present",
    ["openacc-2.0"] = "already-present",
    ["directory"] = "partial-overlap",
  }, function()
    acc "enter data copyin(v)"
    acc "enter data copyin(v.data[1:2])"
    acc "enter data copyin(v) copyin(v.data[0:4])"
  end)
end)

case("differs: attach_implied decides, after acc exit data delete [ACC33-att-2 ACC33-det-1]", function()
  expect.differs({
    ["tr14"] = "accepted; `v.data` on the device is attached to `a`",
    ["tr14x"] = "accepted; `v.data` on the device is attached to `a`",
    ["openacc-2.0"] = "accepted; `v.data` on the device is attached to `a`",
    ["openacc-3.3"] = "accepted; `v.data` on the device is attached to `a`",
    ["openacc-3.4"] = "accepted; `v.data` on the device is attached to `a`",
    ["libgomp-12"] = "accepted; `v.data` on the device has the host's address",
    ["directory"] = "not-present",
  }, function()
    acc "enter data copyin(v)"
    acc "data copy(v.data[0:4])"
    acc "exit data delete(v.data[0:4])"
  end)
end)

case("differs: reattach decides, after acc enter data copyin [ACC33-att-3]", function()
  expect.differs({
    ["tr14"] = "pointer-changed",
    ["tr14x"] = "pointer-changed",
    ["directory"] = "pointer-changed",
    ["openacc-2.0"] = "accepted; `v.data` on the device is attached to `b`",
    ["openacc-3.3"] = "accepted; `v.data` on the device is attached to `b`",
    ["openacc-3.4"] = "accepted; `v.data` on the device is attached to `b`",
    ["libgomp-12"] = "accepted; `v.data` on the device is attached to `a`",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    host "(v.data = b)"
    acc "enter data copyin(v.data[0:4])"
  end)
end)

case("differs: members decides, after acc exit data delete delete, program 2 [TR14-3.4-11 ACC33-att-10]", function()
  expect.differs({
    ["tr14"] = "not-attached",
    ["tr14x"] = "not-attached",
    ["libgomp-12"] = "not-attached",
    ["directory"] = "not-attached",
    ["openacc-2.0"] = "accepted",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
  }, function()
    acc "enter data copyin(v)"
    acc "enter data copyin(a)"
    acc "exit data delete(v.data[0:4]) delete(v)"
  end)
end)

case("differs: attach_implied decides, after acc exit data delete delete, program 2 "
  .. "[ACC33-att-2 ACC33-det-1]", function()
  expect.differs({
    ["tr14"] = "not-attached",
    ["tr14x"] = "not-attached",
    ["libgomp-12"] = "not-attached",
    ["directory"] = "not-attached",
    ["openacc-2.0"] = "accepted",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
  }, function()
    acc "enter data copyin(v)"
    acc "enter data copyin(a)"
    acc "exit data delete(v.data[0:4]) delete(v)"
  end)
end)

case("differs: end_detaches decides, after end of a region [ACC33-det-3]", function()
  expect.differs({
    ["tr14"] = "pointer-changed",
    ["tr14x"] = "pointer-changed",
    ["directory"] = "pointer-changed",
    ["openacc-2.0"] = "accepted; `v.data` on the device is attached to `b`",
    ["openacc-3.3"] = "accepted; `v.data` on the device has the host's address",
    ["openacc-3.4"] = "accepted; `v.data` on the device has the host's address",
    ["libgomp-12"] = "partially-present",
  }, function()
    acc "data copy(v.data[0:4])"
    host "(v.data = b)"
    acc "enter data copyin(v) copyin(v.data[0:4])"
    acc "end data"
  end)
end)

case("differs: members decides, after acc exit data copyout [TR14-3.4-11 ACC33-att-10]", function()
  expect.differs({
    ["tr14"] = "accepted; `v` is not present",
    ["tr14x"] = "accepted; `v` is not present",
    ["openacc-2.0"] = "accepted; `v` is not present",
    ["openacc-3.3"] = "accepted; `v` is not present",
    ["openacc-3.4"] = "accepted; `v` is not present",
    ["directory"] = "accepted; `v` is not present",
    ["libgomp-12"] = "accepted; `v` is present",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    acc "exit data detach(v.data)"
    host "(v.data = b)"
    acc "exit data copyout(v)"
  end)
end)

case("differs: members and member decide together, after acc exit data copyout "
  .. "[TR14-3.4-11 ACC33-att-10 TR14-4.2-08]", function()
  expect.differs({
    ["tr14"] = "accepted; `v` is not present",
    ["tr14x"] = "accepted; `v` is not present",
    ["openacc-2.0"] = "accepted; `v` is not present",
    ["openacc-3.3"] = "accepted; `v` is not present",
    ["openacc-3.4"] = "accepted; `v` is not present",
    ["directory"] = "accepted; `v` is not present",
    ["libgomp-12"] = "accepted; `v` is present",
  }, function()
    acc "enter data copyin(v) copyin(v.data[0:4])"
    acc "exit data detach(v.data)"
    host "(v.data = b)"
    acc "exit data copyout(v)"
  end)
end)

case("differs: detach_final decides, after acc exit data delete finalize [ACC33-det-1]", function()
  expect.differs({
    ["tr14"] = "not-attached",
    ["tr14x"] = "not-attached",
    ["directory"] = "not-attached",
    ["openacc-2.0"] = "partially-present",
    ["openacc-3.3"] = "partially-present",
    ["openacc-3.4"] = "partially-present",
    ["libgomp-12"] = "partially-present",
  }, function()
    acc "enter data copyin(v)"
    acc "enter data copyin(v.data[1:2])"
    acc "exit data detach(v.data)"
    acc "exit data delete(v.data[0:4]) finalize"
  end)
end)

case("differs: attach_implied decides, after acc exit data delete delete, program 3 "
  .. "[ACC33-att-2 ACC33-det-1]", function()
  expect.differs({
    ["tr14"] = "not-attached",
    ["tr14x"] = "not-attached",
    ["libgomp-12"] = "not-attached",
    ["directory"] = "not-attached",
    ["openacc-2.0"] = "partially-present",
    ["openacc-3.3"] = "partially-present",
    ["openacc-3.4"] = "partially-present",
  }, function()
    acc "enter data copyin(v)"
    acc "enter data copyin(v.data[1:2])"
    acc "exit data detach(v.data)"
    acc "exit data delete(v.data[0:4]) delete(v)"
  end)
end)

case("differs: members and exit_unowned decide together, after acc exit data delete finalize "
  .. "[TR14-3.4-11 ACC33-att-10 DIR-6-01]", function()
  expect.differs({
    ["tr14"] = "not-attached",
    ["tr14x"] = "not-attached",
    ["directory"] = "not-attached",
    ["openacc-2.0"] = "accepted",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
    ["libgomp-12"] = "accepted",
  }, function()
    acc "enter data copyin(v)"
    acc "data copy(v.data[0:4])"
    acc "exit data detach(v.data)"
    acc "exit data delete(v.data[0:4]) finalize"
  end)
end)
