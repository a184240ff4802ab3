declare "int n = 3; int *p;"
host.p = { 1, 2, 3 }
case("the first", function()
  acc "enter data copyin(p[0:n])"
  expect.present "p[0:n]"
end)
case("the second starts anew", function()
  expect.absent "p[0:n]"
end)
