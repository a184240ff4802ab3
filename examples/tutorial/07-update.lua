-- Updates: what one side has written the other gets when it asks, as a whole or by members.
scenario { title = "Tutorial 7: updates of members", cites = { "TR14-1.2-16" } }

declare [[
  struct grid {
    int n; float *u, *f;
    #pragma acc shape init_needed(n) include(u[0:n], f[0:n])
    #pragma acc shape(only_f) default(exclude) include(f)
  };
  struct grid g;
]]
host.g = { n = 4, u = { 0, 0, 0, 0 }, f = { 1, 2, 3, 4 } }

acc "data copyin(g)" (function()
  -- A clause on present data counts them and sends nothing: the device keeps the old f.
  host.g.f[0] = 10
  acc "data copyin(g)" (function() expect.device("g.f[0]", 1) end)

  -- An update sends whatever is present.
  expect.events(function() acc "update device(g.f[0:1])" end, { "h2d g.f[0:1]" })
  expect.device("g.f[0]", 10)

  -- By a shape, as often as the loop of the program goes round.
  for _ = 1, 2 do
    acc "parallel loop present(g)" "for (int i = 0; i < g.n; i++) g.f[i] += 1;"
    acc "update self<only_f>(g)"
  end
  expect.host("g.f[0:4]", { 12, 4, 5, 6 })
  expect(host.g.u == addr "g.u[0]", "the host's pointers are the host's")
end)

-- What is not there cannot be updated.
print(expect.fails("not-present", function() acc "update self(g.u[0:g.n])" end))
