-- Directives on deep data while the device fails: the n-th allocation, then the n-th copy, for each n until nothing
-- fails. A failed step must leave device and host unchanged and can be repeated. After the last step the state must
-- be that of a run without failures.

scenario { title = "device failures in directives", cites = { "HOUSE-memory" } }

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local runner = require "accdeep.steps.runner"

local DECLARATIONS = [[
  struct leaf { int n; int *p, *q;
    #pragma acc shape init_needed(n) include(p[0:n], q[0:n])
    #pragma acc shape(only_q) default(exclude) include(q)
  };
  struct tree { int m; struct leaf *kids; int own[4];
    #pragma acc shape init_needed(m) include(kids[0:m])
  };
  struct tree R;
  struct leaf L[3], S[5];
  int A[16], P[64], Q[64];
]]

-- Scripts. A step is a directive, a name in `steps`, or "write".
local scripts = {
  { "enter data copyin(R)", "update device(R)", "write", "update self(R)", "exit data copyout(R)" },
  { "data copy(S[0:5])", "data copyin(S[1:2]) create(A)", "write", "end", "update self<only_q>(S[0:5])", "end" },
  { "data create<only_q>(S[0:5]) copyout(A[2:9])", "write", "update device(S[3].q[0:S[3].n])", "end" },
  { "enter data copyin(A[0:8])", "enter data create(R) copyin(A[0:8], S[0:5])", "write",
    "exit data copyout(A[0:8], S[0:5]) finalize", "exit data delete(R)" },
  { "enter data create(R)", "kernel", "exit data copyout(R)" },
}

local INT, POINTER = core.scalar.i32, core.scalar.pointer
local World = {}
World.__index = World

local function address_of(w, name) return w.session.now.scope.variables[name].address end

local function world(group_least)
  local run = runner.open({ group_least = group_least, device = os.getenv "ACCDEEP_TEST_DEVICE" }, DECLARATIONS)
  local w, s = setmetatable({ ints = 0, runner = run, session = run.session }, World), run.session
  local function fill(name, n, base)
    for i = 0, n - 1 do s.ctx:host_write(address_of(w, name) + 4 * i, INT, base + i) end
  end
  fill("A", 16, 100) fill("P", 64, 200) fill("Q", 64, 300)
  local function leaf(at, n, first, null)
    s.ctx:host_write(at, INT, n)
    s.ctx:host_write(at + 8, POINTER, null and 0 or address_of(w, "P") + 4 * first)
    s.ctx:host_write(at + 16, POINTER, address_of(w, "Q") + 4 * first)
  end
  for i = 0, 2 do leaf(address_of(w, "L") + 24 * i, i + 2, 8 * i, false) end
  for i = 0, 4 do leaf(address_of(w, "S") + 24 * i, i, 32 + 6 * i, i == 0) end
  local r = address_of(w, "R")
  s.ctx:host_write(r, INT, 3)
  s.ctx:host_write(r + 8, POINTER, address_of(w, "L"))
  for i = 0, 3 do s.ctx:host_write(r + 16 + 4 * i, INT, 400 + i) end
  return w
end

function World:host()
  local parts = {}
  for _, name in ipairs { "R", "L", "S", "A", "P", "Q" } do
    local v = self.session.now.scope.variables[name]
    parts[#parts + 1] = core.get(v.address, v.type.size)
  end
  return table.concat(parts)
end

-- Writes all present objects, except pointers and counts, like a kernel.
function World:write_present()
  local w = self
  for _, name in ipairs { "A", "P", "Q" } do
    local v = w.session.now.scope.variables[name]
    for at = v.address, v.address + v.type.size - 4, 4 do
      local dev = w.session.ctx:deviceptr(0, at)
      if dev ~= 0 then
        w.ints = w.ints + 1
        assert(w.session.ctx:device_write(0, dev, INT, 1000 + (at - v.address) // 4))
      end
    end
  end
end

local steps = { ["end"] = { kind = "end" }, kernel = { kind = "acc", text = "parallel copy(R, A)",
  body = "for (int i = 0; i < R.m; ++i) { R.kids[i].p[0] = 7 + i; R.kids[i].p[1] = 8; } A[1] = 5;"
    .. " for (int i = 0; i < R.m; ++i) for (int k = 0; k < R.kids[i].n; ++k)"
    .. " { R.kids[i].p[k] = k; R.kids[i].q[k] = -k; } for (int i = 0; i < 4; ++i) R.own[i] = i;" } }

function World:step(text)
  if text == "write" then return self:write_present() end
  self.runner:run(steps[text] or { kind = "acc", text = text })
end

-- Runs a script. fault: nil, or the kind of the fault. Returns the host's bytes and the digest at the end, and the
-- number of failures.
local function tell(script, group_least, fault)
  local w, failures = world(group_least), 0
  local ctx = w.session.ctx
  local arm = fault and ctx["fail_" .. fault]
  local code = fault == "copy" and "device-error" or "out-of-device-memory"
  for at, text in ipairs(script) do
    local n = arm and text ~= "write" and 1 or 0
    repeat
      local place = ("%s: step %d: %s %d fails"):format(text, at, fault or "nothing", n)
      local digest, host = ctx:digest(), w:host()
      if n > 0 then arm(ctx, 0, n) end
      local ok, err = pcall(w.step, w, text)
      if n > 0 then arm(ctx, 0, 0) end
      if not ok then
        assert(diagnostic.is(err), ("%s: a plain error: %s"):format(place, tostring(err)))
        assert(n > 0 and err.code == code, ("%s: %s"):format(place, tostring(err)))
        assert(err.file and err.line, place .. ": an error without a place")
        assert(ctx:digest() == digest, place .. ": the device's state changed")
        assert(w:host() == host, place .. ": host memory changed")
        failures, n = failures + 1, n + 1
      end
      local wrong = ctx:check()
      assert(not wrong, ("%s: %s"):format(place, wrong))
      assert(n < 200, place .. ": it never succeeds")
    until ok
  end
  assert(ctx:stats(0).objects == 0, "data stay on the device")
  local host, written = w:host(), w.ints
  w.session:close()
  return host, failures, written
end

for number, script in ipairs(scripts) do
  for _, group_least in ipairs { 1, 1000 } do
    -- Addresses differ between sessions, so pointers are removed before hosts are compared.
    local function values(host) return (host:gsub("........", function(word)
      return #word == 8 and string.unpack("<i8", word) > 1 << 40 and "pointer." or nil
    end)) end
    local wanted = values((tell(script, group_least)))
    for _, fault in ipairs { "allocation", "copy" } do
      local found, failures = tell(script, group_least, fault)
      assert(failures > 0, ("script %d: no %s failed"):format(number, fault))
      assert(values(found) == wanted, ("script %d: the outcome differs after failed %s"):format(number, fault))
    end
  end
end
