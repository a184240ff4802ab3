scenario { title = "A copy comes back", rules = "tr14" }
declare "float v[4] = { 1, 2, 3, 4 };"
acc "data copy(v)" (function()
  acc "parallel loop present(v)" "for (int i = 0; i < 4; i++) v[i] *= 2;"
  expect.host("v[0]", 1)
end)
print("v is", table.unpack(host "v[0:4]"))
expect.host("v[0:4]", { 2, 4, 6, 8 })
