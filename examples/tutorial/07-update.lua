-- Updates: they copy what one side has written to the other side, whole objects or single members.
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
  -- A clause on present data increments the reference counter and copies nothing: the device keeps the old f.
  host.g.f[0] = 10
  acc "data copyin(g)" (function() expect.device("g.f[0]", 1) end)

  -- An update always copies.
  expect.events(function() acc "update device(g.f[0:1])" end, { "h2d g.f[0:1]" })
  expect.device("g.f[0]", 10)

  -- The same with a shape, in a loop of the program.
  for _ = 1, 2 do
    acc "parallel loop present(g)" "for (int i = 0; i < g.n; i++) g.f[i] += 1;"
    acc "update self<only_f>(g)"
  end
  expect.host("g.f[0:4]", { 12, 4, 5, 6 })
  expect(host.g.u == addr "g.u[0]", "the host's pointers did not change")
end)

-- Data that are not present cannot be updated.
print(expect.fails("not-present", function() acc "update self(g.u[0:g.n])" end))
