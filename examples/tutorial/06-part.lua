-- A part of it: named shapes exclude members, policies give each member its own direction.
scenario { title = "Tutorial 6: a part of it", cites = { "TR14-1.2-10", "TR14-3.2.2-01" } }

declare [[
  struct grid {
    int n; float *u, *f;
    #pragma acc shape init_needed(n) include(u[0:n], f[0:n])
    #pragma acc shape(only_u) exclude(f)
    #pragma acc policy(solve) default(copyin) copyout(u)
  };
  struct grid g;
]]
host.g = { n = 4, u = { 0, 0, 0, 0 }, f = { 1, 2, 3, 4 } }

-- f is not mapped, and a kernel that follows it gets an error.
acc "data copyin<only_u>(g)" (function()
  expect.absent "g.f[0:4]"
  print(expect.fails("excluded-member", function()
    acc "parallel loop present<only_u>(g)" "for (int i = 0; i < g.n; i++) g.u[i] = g.f[i];"
  end))
end)

-- copy copies everything in both directions; the policy copies f to the device and u to the host.
local function solve(clause)
  acc(("data %s"):format(clause))(function()
    acc "parallel loop present(g)" "for (int i = 0; i < g.n; i++) g.u[i] = g.f[i] / 2;"
  end)
end
expect.moves(function() solve "copy(g)" end, { h2d = { bytes = 56 }, d2h = { bytes = 40 } })
expect.moves(function() solve "invoke<solve>(g)" end, { h2d = { bytes = 40 }, d2h = { bytes = 16 } })
expect.host("g.u[0:4]", { 0.5, 1, 1.5, 2 })
