declare "int n = 3;"
case("copied", function()
  acc "enter data copyin(n)"
  print "there & <back>"
  expect.device("n", 3)
end)
case("left", function() expect.absent "n" end)
