-- Stepped through by tests/terminal/run: the second case fails, the third never ends.
declare [[
  struct deep { int n; float *a;
  #pragma acc shape include(a[0:n])
  } X; int x = 1;
]]
case("deep", function()
  host.X = { n = 3, a = { 1, 2, 3 } } acc "data copy(X)" (function()
    acc "parallel present(X)" "for (int i = 0; i < X.n; i++) X.a[i] *= 2;"
    acc "update self(X.a[0:3])"
  end)
end)

case("fails", function()
  acc "data copy(x)" (function()
    print "\27[2Jno control characters"
    acc "update self(x)"
    expect.host("x", 3)
  end)
end)

case("never ends", function()
  acc "enter data copyin(x)"
  print "this goes on"
  while true do end
end)
