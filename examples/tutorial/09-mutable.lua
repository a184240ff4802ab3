-- A mutable deep copy: parts of a structure are mapped and unmapped while the rest stays on the device.
scenario { title = "Tutorial 9: a mutable deep copy", cites = { "TR14-1.2-18", "TR14-1.2-19", "TR14-1.2-20" } }

declare [[
  struct grid {
    int n; float *u;
    #pragma acc shape init_needed(n) include(u[0:n])
  };
  struct solver { int levels; struct grid *level[3]; };
  struct solver s;
  float sum;
]]
local function grid(n, value) return { { n = n, u = alloc("float", n, value) } } end

-- The sum over the levels that the device has.
local function total()
  acc "parallel present(s) copyout(sum)" [[
    sum = 0;
    for (int l = 0; l < s.levels; l++)
      for (int i = 0; i < s.level[l]->n; i++) sum += s.level[l]->u[i];
  ]]
  return host.sum
end

-- push maps a new level, pop unmaps the last one. Both update the number of levels on the device.
local function push(n, value)
  host.s.level[host.s.levels] = grid(n, value)
  acc(("enter data copyin(s.level[%d][0:1])"):format(host.s.levels))
  host.s.levels = host.s.levels + 1
  acc "update device(s.levels)"
end
local function pop()
  host.s.levels = host.s.levels - 1
  acc "update device(s.levels)"
  acc(("exit data copyout(s.level[%d][0:1])"):format(host.s.levels))
end

-- From the top: first the solver, then the grids. Each new grid is attached to the solver.
acc "enter data copyin(s)"
push(4, 1)
push(2, 10)
expect.equal(total(), 24)
show()
pop()
expect.equal(total(), 4)

-- Here `levels` is increased, but the new level is not mapped: its pointer was never attached.
host.s.level[1] = grid(2, 10)
host.s.levels = 2
acc "update device(s.levels)"
print(expect.fails("host-pointer-on-device", total))
host.s.levels = 1
acc "update device(s.levels)"
pop()
acc "exit data delete(s)"
expect.equal(#state().present, 0)

-- From the bottom: first the target, then the structure that points to it. Routines map one object at a time.
host.s.level[0] = grid(3, 5)
host.s.levels = 1
acc_copyin "s.level[0]->u[0:3]"
acc_copyin "s.level[0][0:1]"
acc_attach "s.level[0]->u"
acc_copyin "s"
acc_attach "s.level[0]"
expect.equal(total(), 15)
