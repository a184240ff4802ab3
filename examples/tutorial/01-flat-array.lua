-- A flat array: a kernel needs its data on the device, and the host sees the result when the region has ended.
scenario { title = "Tutorial 1: a flat array" }

declare "int n = 4; float u[4] = { 1, 2, 3, 4 };"

print(expect.fails("not-present", function()
  acc "parallel loop present(u)" "for (int i = 0; i < n; i++) u[i] *= 2;"
end))

acc "data copy(u)" (function()
  acc "parallel loop present(u)" "for (int i = 0; i < n; i++) u[i] *= 2;"
  expect.device("u[3]", 8)
  expect.host("u[3]", 4)      -- not yet
end)
expect.host("u[3]", 8)
expect.absent "u"
