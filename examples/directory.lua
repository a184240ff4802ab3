-- Figure 1 of the directory paper: nested data environments name pieces of one array. They lie in one
-- block of device memory, so that a[i + 50] is where the compiler expects it.
--
--   accdeep run examples/directory.lua

scenario { title = "The directory paper's Figure 1, step by step", rules = "directory",
  cites = { "DIR-2-02", "DIR-4.2-12", "DIR-4.2-15", "DIR-4.3-03" } }

declare [[
  float a[70], b[20];
  float *c;
]]
for i = 0, 69 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end

-- Runs a piece and prints its events.
local function account(title, piece)
  print("-- " .. title)
  local result
  for _, event in ipairs(events(function() result = piece() end)) do
    if event.op ~= "incref" and event.op ~= "decref" then
      print(("      %-6s %-8s %4d bytes"):format(event.op, event.name, event.bytes))
    end
  end
  return result
end

-- The outer environment: b, and the first twenty elements of a. copyin and copyout of the same data
-- mean copy.
local outer = account("outer environment opens", function()
  return acc "data copyin(b[0:20], a[0:20]) copyout(a[0:20])"
end)
acc "parallel loop" [[
  for (int i = 0; i < 20; i++) a[i] += b[i];
]]
local before = acc_deviceptr "a[0]"
show()

-- The inner environment: more of a, and c, another name of a part between. a[50:20] and a[0:20] have the
-- same base and become a[0:70]. Then c[0:20], which is a[25:20], overlaps this range. One block is allocated
-- for all. The data on the device move to the new block, with the kernel's results. The rest is copied from
-- the host.
host.c = addr "a[25]"
local inner = account("inner environment opens", function()
  return acc "data copyin(a[50:20], c[0:20])"
end)
show()

local level = state().levels[2]
expect.equal(level.original[1].state, "copyin")   -- a clause
for _, tuple in ipairs(level.artificial) do       -- its block on the device
  if tuple.name == "a[0:70]" then
    expect.equal(tuple.state, "ALLOC")            -- this level allocated it
    expect.equal(tuple.ancestors, { "a[0:20]", "c[0:20]", "a[50:20]" })
  else
    expect.equal(tuple.name, "b[0:20]")
    expect.equal(tuple.state, "ALIAS")            -- the block of the outer level
  end
end
expect(acc_deviceptr "a[50]" == acc_deviceptr "a[0]" + 50)
expect(acc_deviceptr "c[0]" == acc_deviceptr "a[0]" + 25)

-- Unchanged index expressions find all three ranges.
acc "parallel loop" [[
  for (int i = 0; i < 20; i++) a[i] += a[i + 25] + a[i + 50];
]]

-- No clause names the five elements between a[20] and c[0]. The block has room for them, but no values.
expect.absent "a[20:5]"
expect.fails("uninitialized-read", function() acc "parallel" "float x = a[20];" end)

-- The inner environment ends: the results move to the block of the outer one, nothing to the host.
account("inner environment ends", function() inner:close() end)
expect(acc_deviceptr "a[0]" == before)
expect.absent "a[20:50]"
expect.host("a[19]", 19)
show()

-- The outer one ends: its copyout copies the results to the host.
account("outer environment ends", function() outer:close() end)
for i = 0, 19 do expect.host(("a[%d]"):format(i), i + 100 * i + (i + 25) + (i + 50)) end
for i = 20, 69 do expect.host(("a[%d]"):format(i), i) end
