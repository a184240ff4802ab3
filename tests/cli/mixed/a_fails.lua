declare "int x = 1; int y = 2;"
case("holds", function() expect.host("x", 1) end)
case("does not hold", function()
  print "before <the> end & \"more\""
  expect.host("x + y", 4)
end)
