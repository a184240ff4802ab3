-- Random programs with structures, attached pointers and data regions in queues. No wait is missing: all work is in
-- one queue, or each construct waits for all others, and the host waits before it accesses data in use. Immediate and
-- delayed execution must therefore give the same results, and the same errors at the same constructs. ACCDEEP_SEED
-- and ACCDEEP_ROUNDS select other runs.

scenario { title = "random structures in queues, at once and delayed", cites = { "ACC33-async-2", "ACC33-async-4" } }

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local session = require "accdeep.run.session"

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 3
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 150
local STEPS, INT, POINTER = 30, core.scalar.i32, core.scalar.pointer
local ARRAYS, STRUCTURES = { "a", "b" }, { "X", "Y" }

local function pick(list) return list[math.random(#list)] end

-- ----------------------------------------------------------------------------------- programs --

-- Placeholders: A an array, S a structure, O copyout or delete, F finalize or nothing, V a direction, P a part.
local directives = { "enter data copyin(AP)", "enter data copyin(A)", "enter data create(A)",
  "enter data copyin(S, S.p[0:4])",
  "enter data copyin(S)", "enter data copyin(S.p[0:4])", "enter data attach(S.p)", "exit data detach(S.p)F",
  "exit data copyout(S.p[0:4])", "exit data O(S.p[0:4], S)F", "exit data O(S)F", "exit data O(AP)F", "exit data O(A)",
  "exit data O(A)", "update V(AP)", "update V(S)", "update V(S.p[0:4])" }
local kernels = {
  { "parallel copy(A, B)", "for (int i = 0; i < 4; i++) A[i] = 3 * B[i] + 1;" },
  { "parallel copyout(A)", "for (int i = 0; i < 4; i++) A[i] = 7 + i;" },
  { "parallel copy(S, S.p[0:4])", "for (int i = 0; i < 4; i++) S.p[i] = 3 * S.p[i] + S.n; S.n += 1;" },
  { "parallel present(S)", "S.p[1] = 2 * S.p[0] + 1; S.n += 2;" },
  { "parallel copy(B) present(S)", "S.p[1] += B[0]; B[1] += S.p[0];", around = "data copyin(S, S.p[0:4])" },
  { "parallel copy(A) present(S)", "S.p[2] += A[1]; A[0] += S.n;", around = "data copy(S, S.p[0:4])" },
}

local function filled(step)
  local by = { A = pick(ARRAYS), B = pick(ARRAYS), S = pick(STRUCTURES), O = pick { "copyout", "delete" },
    F = pick { "", " finalize" }, V = pick { "self", "device" }, P = pick { "", "[0:4]", "[0:2]", "[1:2]", "[2:2]" } }
  local made = {}
  for key, text in pairs(step) do made[key] = text:gsub("%u", by) end
  return made
end

local function clauses(in_one)
  local queue = math.random(0, 3)
  return in_one and " async(1)" or (queue > 0 and (" async(%d)"):format(queue) or "") .. " wait"
end

-- Returns a step of the host: it sets an element or a pointer.
local function of_the_host()
  if math.random(2) == 1 then return { set = pick(ARRAYS), at = math.random(0, 3), value = math.random(100) } end
  return { point = pick(STRUCTURES), to = pick(ARRAYS) }
end

local function program()
  local list, in_one, behind = {}, math.random(2) == 1, true
  local function add(step) list[#list + 1] = step end
  while #list < STEPS do
    local kind = math.random(10)
    local step = kind == 1 and of_the_host() or kind == 2 and { test = true }
      or filled(kind < 6 and pick(kernels) or { pick(directives) })
    local text = (step[1] or "") .. (step.around or "")
    local of_structures = text:find "[XY]"
    -- A construct reads the host's pointers when it is encountered.
    if step.set or step.point or of_structures and not behind then
      add { "wait" }
      behind = true
    end
    local brings = text:find "copyout" or text:find "copy%(" or text:find "self"
    behind = behind and not (of_structures and brings)
    local queue = clauses(in_one)
    if step[1] then step[1] = step[1] .. queue end
    if step.around then step.around = step.around .. queue end
    add(step)
  end
  add { "wait" }
  return list
end

-- -------------------------------------------------------------------------------------- running --

local function address(s, name) return s.now.scope.variables[name].address end
local function point(s, name, to) s.ctx:host_write(address(s, name) + 8, POINTER, address(s, to)) end

local function start(mode)
  local s = session.new { async = mode, device = os.getenv "ACCDEEP_TEST_DEVICE" }
  s:declare("struct part { int n; int *p; }; struct part X, Y; int a[4], b[4];", "random", 1)
  for k, name in ipairs(ARRAYS) do
    for i = 0, 3 do s.ctx:host_write(address(s, name) + 4 * i, INT, 10 * k + i) end
  end
  for k, name in ipairs(STRUCTURES) do
    s.ctx:host_write(address(s, name), INT, k)
    point(s, name, ARRAYS[k])
  end
  return s
end

local function construct(s, step, line)
  local region = step.around and s:directive(step.around, nil, "random", line)
  local ok, err = pcall(function()
    local run = s:directive(step[1], nil, "random", line)
    if step[2] then run(step[2], { file = "random", line = line }) end
  end)
  if region then region:close() end
  if not ok then error(err, 0) end
end

local function perform(s, step, line)
  if step.set then s.ctx:host_write(address(s, step.set) + 4 * step.at, INT, step.value)
  elseif step.point then point(s, step.point, step.to)
  elseif step.test then s.ctx:queue_test(0, 0)
  else construct(s, step, line) end
end

-- Returns the contents of host and device; pointers are represented by their targets.
local function contents(s)
  local seen = {}
  local function add(name, offset, t)
    local at = address(s, name) + offset
    local dev = s.ctx:deviceptr(0, at)
    seen[#seen + 1] = s.ctx:host_read(at, t)
    seen[#seen + 1] = dev ~= 0 and tostring((s.ctx:device_read(0, dev, t))) or "-"
  end
  for _, name in ipairs(ARRAYS) do
    for i = 0, 3 do add(name, 4 * i, INT) end
  end
  for _, name in ipairs(STRUCTURES) do
    add(name, 0, INT)
    local to = s.ctx:host_read(address(s, name) + 8, POINTER)
    for _, array in ipairs(ARRAYS) do seen[#seen + 1] = to == address(s, array) and array or nil end
  end
  seen[#seen + 1] = s.ctx:stats(0).live_bytes
  return table.concat(seen, " ")
end

-- Returns the error codes of the steps, and the final state.
local function result_of(list, mode)
  local s, codes = start(mode), {}
  for line, step in ipairs(list) do
    local ok, err = pcall(perform, s, step, line)
    if not ok and not diagnostic.is(err) then error(err, 0) end
    codes[line] = ok and "ok" or err.code
    local wrong = s.ctx:check()
    if wrong then error(("step %d: %s"):format(line, wrong), 0) end
  end
  local seen = contents(s)
  s:close()
  return codes, seen
end

-- Removes kernels that fail until none does: delayed kernels report errors later.
local function without_failing_kernels(list)
  repeat
    local codes, kept = result_of(list, "program"), {}
    for line, step in ipairs(list) do
      if codes[line] == "ok" or not step[2] then kept[#kept + 1] = step end
    end
    local fewer = #kept < #list
    list = kept
  until not fewer
  return list
end

local function text_of(list)
  local lines = {}
  for i, step in ipairs(list) do
    lines[i] = step.set and ("%s[%d] = %d"):format(step.set, step.at, step.value)
      or step.point and ("%s.p = %s"):format(step.point, step.to)
      or step.test and "test" or ("%s %s { %s }"):format(step.around or "", step[1], step[2] or "")
  end
  return table.concat(lines, "\n  ")
end

local good, kernels_run = 0, 0
for round = 1, rounds do
  math.randomseed(seed, round)
  local list = without_failing_kernels(program())
  local codes, at_once = result_of(list, "program")
  local all = {}
  for _, mode in ipairs { "delayed", "concurrent" } do all[mode] = table.pack(result_of(list, mode)) end
  for line, step in ipairs(list) do
    good = good + (codes[line] == "ok" and 1 or 0)
    kernels_run = kernels_run + (step[2] and 1 or 0)
    for mode, other in pairs(all) do
      expect(codes[line] == other[1][line], ("seed %d, round %d, step %d: %s, but %s it is %s\n  %s"):format(seed,
        round, line, codes[line], mode, other[1][line], text_of(list)))
    end
  end
  for mode, other in pairs(all) do
    expect(at_once == other[2], ("seed %d, round %d: %s it gives\n %s\nnot\n %s\n  %s"):format(seed, round, mode,
      other[2], at_once, text_of(list)))
  end
end
expect(good > rounds * 10 and kernels_run > rounds * 3,
  ("%d good steps and %d kernels are few"):format(good, kernels_run))
print(("%d programs: %d steps go well, %d kernels"):format(rounds, good, kernels_run))
