-- Random programs with structures, attached pointers and data regions in queues. No wait is missing: all work is in
-- one queue, or each construct waits for all others, and the host waits before it accesses data in use. Immediate and
-- delayed execution must therefore give the same results, and the same errors at the same constructs. ACCDEEP_SEED
-- and ACCDEEP_ROUNDS select other runs.

scenario { title = "random structures in queues, at once and delayed", cites = { "ACC33-async-2", "ACC33-async-4" } }

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local runner = require "accdeep.steps.runner"
local scenario_writer = require "accdeep.steps.scenario_writer"

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 3
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 150
local STEPS, INT, POINTER = 30, core.scalar.i32, core.scalar.pointer
local ARRAYS, STRUCTURES = { "a", "b" }, { "X", "Y" }
local DECLARATIONS = "int a[] = { 10, 11, 12, 13 }, b[] = { 20, 21, 22, 23 };"
  .. " struct part { int n; int *p; } X = { 1, a }, Y = { 2, b };"

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
  local text
  if math.random(2) == 1 then
    text = ("%s[%d] = %d"):format(pick(ARRAYS), math.random(0, 3), math.random(100))
  else
    text = ("%s.p = %s"):format(pick(STRUCTURES), pick(ARRAYS))
  end
  return { kind = "host", text = text }
end

-- Returns a list of steps (accdeep.steps).
local function program()
  local list, n, in_one, behind = {}, 0, math.random(2) == 1, true
  local function add(step)
    list[#list + 1] = step
    step.line = #list
  end
  local function acc(text, body) add { kind = "acc", text = text, body = body } end
  while n < STEPS do
    local kind = math.random(10)
    local step = kind == 1 and of_the_host() or kind == 2 and { kind = "script", text = "acc_async_test_all()" }
      or filled(kind < 6 and pick(kernels) or { pick(directives) })
    local text = (step[1] or "") .. (step.around or "")
    local of_structures = text:find "[XY]"
    -- A construct reads the host's pointers when it is encountered.
    if step.kind == "host" or of_structures and not behind then
      acc "wait"
      behind, n = true, n + 1
    end
    local brings = text:find "copyout" or text:find "copy%(" or text:find "self"
    behind = behind and not (of_structures and brings)
    local queue = clauses(in_one)
    n = n + 1
    if step.kind then add(step) end
    if step.around then acc(step.around .. queue) end
    if step[1] then acc(step[1] .. queue, step[2]) end
    if step.around then add { kind = "end" } end
  end
  acc "wait"
  return list
end

-- -------------------------------------------------------------------------------------- running --

local function address(s, name) return s.now.scope.variables[name].address end

local function perform(run, step)
  if step.kind == "script" then run.session.ctx:queue_test(0, 0) else run:run(step) end
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
  local run, codes = runner.open({ async = mode, device = os.getenv "ACCDEEP_TEST_DEVICE" }, DECLARATIONS), {}
  local s = run.session
  for line, step in ipairs(list) do
    local ok, err = pcall(perform, run, step)
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
      if codes[line] == "ok" or not step.body then kept[#kept + 1] = step end
    end
    local fewer = #kept < #list
    list = kept
  until not fewer
  return list
end

local function text_of(list) return scenario_writer.write { declarations = DECLARATIONS, steps = list } end

local good, kernels_run = 0, 0
for round = 1, rounds do
  math.randomseed(seed, round)
  local list = without_failing_kernels(program())
  local codes, at_once = result_of(list, "program")
  local all = {}
  for _, mode in ipairs { "delayed", "concurrent" } do all[mode] = table.pack(result_of(list, mode)) end
  for line, step in ipairs(list) do
    good = good + (codes[line] == "ok" and 1 or 0)
    kernels_run = kernels_run + (step.body and 1 or 0)
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
