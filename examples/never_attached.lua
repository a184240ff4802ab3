-- A kernel follows a pointer that was never attached. Hardware does not report this.
--
--   accdeep run examples/never_attached.lua

scenario { title = "A pointer that nobody attached", rules = "openacc-3.3", cites = { "TR14-1.1-02" } }

declare [[
  struct vector { int n; float *data; };
  struct vector v;
]]
host.v = { n = 4, data = { 1, 2, 3, 4 } }

-- The structure and the array are both on the device, but in this order nothing connects them.
acc "enter data copyin(v.data[0:v.n])"
acc "enter data copyin(v)"

local problem = expect.fails("host-pointer-on-device", function()
  acc "parallel present(v)" [[ v.data[0] = 10; ]]
end)
print(problem)

-- Attaching the pointer mends it.
acc "enter data attach(v.data)"
acc "parallel present(v)" [[ v.data[0] = 10; ]]
expect.device("v.data[0]", 10)

acc "exit data detach(v.data)"
acc "exit data delete(v)"
acc "exit data copyout(v.data[0:v.n])"
expect.host("v.data[0:4]", { 10, 2, 3, 4 })
