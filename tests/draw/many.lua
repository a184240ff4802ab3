-- Ten thousand structures that are alike.
scenario { title = "Ten thousand particles" }

declare [[
  struct particle { int n; double *x; double mass;
    #pragma acc shape include(x[0:n])
  };
  struct particle P[10000];
]]
for i = 0, 9999 do host.P[i] = { n = 3, x = { i, i + 1, i + 2 }, mass = 1 } end
acc "data copy(P)" (function()
  acc "parallel present(P)" "P[1].x[0] = 5;"
end)
expect.host("P[1].x[0]", 5)
