-- A deep copy by hand: map the structure, map the target of its pointer, attach the pointer.
scenario { title = "Tutorial 3: a deep copy by hand" }

declare [[
  struct grid { int n; float *u; };
  struct grid g;
]]
host.g = { n = 4, u = { 1, 2, 3, 4 } }

local function double()
  acc "parallel loop present(g)" "for (int i = 0; i < g.n; i++) g.u[i] *= 2;"
end

-- A routine maps bytes, and attaches nothing.
acc "enter data copyin(g)"
acc_copyin "g.u[0:g.n]"
print(expect.fails("host-pointer-on-device", double))
acc_attach "g.u"
double()

-- The target of an attached pointer stays mapped until the pointer is detached.
print(expect.fails("still-attached", function() acc_copyout "g.u[0:g.n]" end))
acc_detach "g.u"
acc_copyout "g.u[0:g.n]"
acc "exit data delete(g)"
expect.host("g.u[3]", 8)

-- Clauses attach the pointers of the sections that they name, in either order.
for _, event in ipairs(events(function() acc "enter data copyin(g, g.u[0:g.n])" end)) do
  print(event, event.rule)
end
double()
acc "exit data copyout(g.u[0:g.n]) delete(g)"
expect.host("g.u[3]", 16)
