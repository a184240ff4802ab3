scenario { title = "it fails in a region" }
declare "int x = 1;"
acc "data copy(x)" (function()
  acc "parallel present(x)" "x = 2;"
  expect.host("x", 2)
end)
