-- Pointers that move: the host swaps two pointers between steps, and the device needs the same swap.
scenario { title = "Tutorial 8: pointers that move", cites = { "TR14-4.1-08" } }

declare [[
  struct grid {
    int n; float *u, *next;
    #pragma acc shape init_needed(n) include(u[0:n], next[0:n])
  };
  struct grid g;
]]
host.g = { n = 4, u = { 1, 2, 3, 4 }, next = { 0, 0, 0, 0 } }

local function swap() host.g.u, host.g.next = host.g.next, host.g.u end
local function step()
  acc "parallel loop present(g)" "for (int i = 0; i < g.n; i++) g.next[i] = g.u[i] + 1;"
end

acc "enter data copyin(g)"
step()
swap()
-- The pointers on the device have not changed: u is still the old one. An update does not copy pointers.
acc "update device(g.n)"
expect.device("g.u[0]", 1)
print(expect.fails("pointer-changed", function() acc "exit data delete(g)" end))
swap()

-- Detach, swap, attach: no data are copied, only two pointers are written.
for _ = 1, 3 do
  step()
  expect.moves(function()
    acc "exit data detach(g.u, g.next)"
    swap()
    acc "enter data attach(g.u, g.next)"
  end, { d2h = 0, d2d = 0 })
end
expect.device("g.u[0]", 4)
acc "exit data copyout(g)"
expect.host("g.u[0]", 4)
