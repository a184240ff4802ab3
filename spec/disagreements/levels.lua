-- Programs on which profiles differ: spec/reference/disagreements.md. `make disagreements` made this file.
-- Levels of data regions, and sections of one array that become one block.
scenario { title = "Levels and fusion", rules = "directory" }
declare "float a[6] = { 1, 2, 3, 4, 5, 6 };"

case("differs: fusion decides, after acc data copy [DIR-2-01 DIR-4.2-08 DIR-4.2-10]", function()
  expect.differs({
    ["tr14"] = "partially-present",
    ["tr14x"] = "partially-present",
    ["openacc-2.0"] = "partially-present",
    ["openacc-3.3"] = "partially-present",
    ["openacc-3.4"] = "partially-present",
    ["libgomp-12"] = "partially-present",
    ["directory"] = "partial-overlap",
  }, function()
    acc "data copy(a[0:2])"
    acc "data copy(a[1:2])"
  end)
end)

case("differs: fusion decides, after kernel [DIR-2-01 DIR-4.2-08 DIR-4.2-10]", function()
  expect.differs({
    ["tr14"] = "out-of-bounds",
    ["tr14x"] = "out-of-bounds",
    ["openacc-2.0"] = "out-of-bounds",
    ["openacc-3.3"] = "out-of-bounds",
    ["openacc-3.4"] = "out-of-bounds",
    ["libgomp-12"] = "out-of-bounds",
    ["directory"] = "accepted",
  }, function()
    acc "data copy(a[0:2])"
    acc "data copy(a[2:2])"
    acc "parallel default(present)" "a[1] = a[1] + 1;"
  end)
end)

case("differs: fusion and exit_unowned decide together, after acc exit data delete "
  .. "[DIR-2-01 DIR-4.2-08 DIR-4.2-10 DIR-6-01]", function()
  expect.differs({
    ["tr14"] = "partially-present",
    ["tr14x"] = "partially-present",
    ["openacc-2.0"] = "partially-present",
    ["openacc-3.3"] = "partially-present",
    ["openacc-3.4"] = "partially-present",
    ["libgomp-12"] = "partially-present",
    ["directory"] = "not-present",
  }, function()
    acc "data copy(a[1:2])"
    acc "data copy(a[3:2])"
    acc "exit data delete(a[2:2])"
  end)
end)

case("differs: fusion decides, after acc update self [DIR-2-01 DIR-4.2-08 DIR-4.2-10]", function()
  expect.differs({
    ["tr14"] = "partially-present",
    ["tr14x"] = "partially-present",
    ["openacc-2.0"] = "partially-present",
    ["openacc-3.3"] = "partially-present",
    ["openacc-3.4"] = "partially-present",
    ["libgomp-12"] = "partially-present",
    ["directory"] = "accepted",
  }, function()
    acc "data copy(a[1:2])"
    acc "data copy(a[3:2])"
    acc "update self(a[2:2])"
  end)
end)

case("differs: fusion decides, after end of a region [DIR-2-01 DIR-4.2-08 DIR-4.2-10]", function()
  expect.differs({
    ["tr14"] = "accepted; `a` on the host is 1 2 3 4 5 6",
    ["tr14x"] = "accepted; `a` on the host is 1 2 3 4 5 6",
    ["openacc-3.3"] = "accepted; `a` on the host is 1 2 3 4 5 6",
    ["openacc-3.4"] = "accepted; `a` on the host is 1 2 3 4 5 6",
    ["libgomp-12"] = "accepted; `a` on the host is 1 2 3 4 5 6",
    ["openacc-2.0"] = "already-present",
    ["directory"] = "accepted; `a` on the host is not initialised",
  }, function()
    acc "data copyout(a)"
    acc "enter data copyin(a[0:2])"
    acc "end data"
  end)
end)
