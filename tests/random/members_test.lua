-- Random clauses on pieces of a plain array, and the same clauses on an array in a structure, an element, or several
-- objects. Under the profile `directory` all must behave equally in each step: errors, bytes moved in each direction,
-- presence, counters, and values on both sides. Each program has a session of its own.
--
-- A structure that is held, by a pointer in it or to it, has all its memory on the device. What is named is copied as
-- if the rest were absent. ACCDEEP_SEED and ACCDEEP_ROUNDS select other runs, ACCDEEP_VERBOSE counts outcomes.

scenario { title = "pieces of arrays in structures", cites = { "DIR-4.1-03", "DIR-4.2-17" } }

package.path = "tests/random/?.lua;" .. package.path

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local engine = require "engine"
local runner = require "accdeep.steps.runner"
local words = require "accdeep.base.strings".word_list

local SIZE = 24 -- bytes of an array
local BYTE = core.scalar.u8

local pick, one_in = engine.pick, engine.one_in

-- Programs, with their names for the arrays A and B. In the first one, an array is a variable. In the others B, which
-- has a base of its own, is a variable or in another structure. apart: a kernel accesses each piece separately, in
-- any block: kernels access only what their clauses name.
local programs = {
  { declared = "char a[24], b[24];", A = "a", B = "b" },
  { declared = "struct s { int k; char u[24]; char after; } S; char b[24];", A = "S.u", B = "b", apart = true },
  { declared = "struct s { int k; char u[24]; char after; } V[3]; char b[24];", A = "V[1].u", B = "b" },
  { declared = "struct s { int k; char u[24]; char after; } V[3], W[2];", A = "V[2].u", B = "W[0].u" },
  { declared = "struct s { char u[24]; }; struct t { int k; struct s in; struct s of[2]; } S, T[2];", A = "T[1].in.u",
    B = "S.of[1].u", apart = true },
  { declared = "struct s { char u[24], v[24]; }; struct s S;", A = "S.u", B = "S.v", apart = true },
  { declared = "struct s { int k; char m[4][6]; } V[2]; char b[24];", A = "(&V[1].m[0][0])", A_of = "V[1].m", B = "b",
    rows = 6 },
  { declared = "char b[24], t[4]; struct s { int k; char u[24]; char *p; } S = { 1, { 0 }, t };", A = "S.u", B = "b",
    before = "enter data copyin(S.p[0:4])", apart = true, held = true },
  { declared = "struct s { char u[24]; char *p; } V[3]; char b[24]; struct s *v = &V[1];", A = "v->u", B = "b",
    apart = true, held = true },
  { declared = "char b[24], t[4]; struct s { char w[8], u[24]; char *p; } V[3] = { [2] = { .p = t } };"
    .. "struct t { int k; struct s *v; } T = { 1, V };", A = "T.v[2].u", B = "b", apart = true, held = true,
    before = "enter data copyin(T.v[2].p[1:2])" },
}

-- ------------------------------------------------------------------------------------------- steps --

local kinds = words [[copy copyin copyin copyout create create present pcopy pcopyin pcopyout pcreate
  present_and_copyin update_and_copy]]
local of_regions = table.move(kinds, 1, #kinds, 2, { "no_create" })
local dynamic = words "copyin copyin create pcopyin pcreate present_and_copyin update_and_copy"
local rules = { "directory", "directory", "directory",
  { base = "directory", partial_overlap = "present_and_copyin" },
  { base = "directory", partial_overlap = "update_and_copy" } }

-- Offsets at which pieces begin and end: few, so that pieces overlap; all are rows of a matrix.
local places = { 0, 6, 12, 18, 24 }

local apart, held -- properties of the round's program

-- Held data are released byte by byte as clauses end, data of an array as they were mapped. The results are equal if
-- all pieces are single.
local function interval()
  local from = math.random(#places - 1)
  local to = held and from + 1 or one_in(4) and #places or math.random(from + 1, math.min(#places, from + 2))
  return { of = one_in(4) and "B" or "A", low = places[from], high = places[to] }
end

local function clauses(allowed, most)
  local list = {}
  for i = 1, math.random(most) do
    list[i] = interval()
    list[i].kind = pick(allowed)
  end
  return list
end

-- Returns accesses of a kernel. c: the only interval, or nil for any.
local function accesses(c)
  local list = {}
  for i = 1, math.random(3) do
    local of = c or interval()
    list[i] = { of = of.of, at = math.random(of.low, of.high - 1), value = math.random(0, 99) }
  end
  return list
end

local makers = {}
function makers.data() return { op = "data", clauses = clauses(of_regions, 3) } end
makers["end"] = function() return { op = "end" } end
local entered -- clauses of enter data without an exit

makers["enter data"] = function()
  local step = { op = "enter data", clauses = clauses(dynamic, 2) }
  table.move(step.clauses, 1, #step.clauses, #entered + 1, entered)
  return step
end

makers["exit data"] = function()
  local step = { op = "exit data", clauses = clauses({ "copyout", "delete" }, 2) }
  for _, c in ipairs(step.clauses) do
    local known = #entered > 0 and not one_in(6) and table.remove(entered, math.random(#entered))
    if known then c.of, c.low, c.high = known.of, known.low, known.high end
  end
  return step
end

function makers.update()
  return { op = "update", clauses = clauses({ "self", "device" }, 2), if_present = not held and one_in(3) }
end

function makers.host() return { op = "host", writes = accesses() } end
function makers.parallel()
  local step = { op = "parallel", clauses = clauses(kinds, 2) }
  local c = pick(step.clauses) -- data that no clause names would be copied, in a structure with all of it
  if not apart then c = { of = c.of, low = 0, high = SIZE } end
  step.writes, step.reads = accesses(c), accesses(c)
  return step
end

local weights = words [[data data data data end end end enter~data enter~data exit~data exit~data update update host
  parallel parallel parallel]]

local function next_step() return makers[(pick(weights):gsub("~", " "))]() end

-- ------------------------------------------------------------------------------------ one program --

local function item(program, c)
  if c.of == "A" and program.rows then -- rows of a matrix
    return ("%s[%d:%d]"):format(program.A_of, c.low // program.rows, (c.high - c.low) // program.rows)
  end
  return ("%s[%d:%d]"):format(program[c.of], c.low, c.high - c.low)
end

local function directive(program, step)
  local parts = { step.op }
  for _, c in ipairs(step.clauses) do parts[#parts + 1] = ("%s(%s)"):format(c.kind, item(program, c)) end
  if step.if_present then parts[#parts + 1] = "if_present" end
  return table.concat(parts, " ")
end

local function element(program, access)
  if access.of == "A" and program.rows then
    return ("%s[%d][%d]"):format(program.A_of, access.at // program.rows, access.at % program.rows)
  end
  return ("%s[%d]"):format(program[access.of], access.at)
end

local function body(program, step)
  local parts = { "int sum = 0;" }
  for _, read in ipairs(step.reads) do parts[#parts + 1] = ("sum += %s;"):format(element(program, read)) end
  for _, w in ipairs(step.writes) do
    parts[#parts + 1] = ("%s = %d + sum %% 7;"):format(element(program, w), w.value)
  end
  return table.concat(parts, " ")
end

-- Returns a step as steps of the program.
local function written(program, step)
  if step.op == "end" then return { { kind = "end" } } end
  local list = {}
  for i, write in ipairs(step.op == "host" and step.writes or {}) do
    list[i] = { kind = "host", text = ("%s = %d"):format(element(program, write), write.value) }
  end
  if step.op == "host" then return list end
  return { { kind = "acc", text = directive(program, step),
    body = step.op == "parallel" and body(program, step) or nil } }
end

local World = {}
World.__index = World

function World.new(program, profile)
  local w = setmetatable({ program = program, address = {},
    runner = runner.open({ rules = profile, device = engine.device }, program.declared) }, World)
  w.session = w.runner.session
  for k, of in ipairs { "A", "B" } do
    w.address[of] = w.session:value(w.session:host_env(), ("(long)&%s[0]"):format(program[of]))
    for i = 0, SIZE - 1 do w.session.ctx:host_write(w.address[of] + i, BYTE, 100 * k + i) end
  end
  if program.before then w.runner:run { kind = "acc", text = program.before } end
  return w
end

-- Returns an address as a place in the arrays.
function World:place(address)
  for _, of in ipairs { "A", "B" } do
    local at = address - self.address[of]
    if at >= 0 and at < SIZE then return of .. at end
  end
  return "elsewhere"
end

-- Returns the state of both sides as a text.
function World:state()
  local ctx, list = self.session.ctx, {}
  local function add(...) list[#list + 1] = table.concat({ ... }, " ") end
  for _, object in ipairs(ctx:present(0)) do
    add("object", self:place(object.host), object.bytes, object.structured, object.dynamic)
  end
  table.sort(list) -- the order of A and B is arbitrary
  for _, of in ipairs { "A", "B" } do
    for i = 0, SIZE - 1 do
      local at = self.address[of] + i
      local dev = ctx:deviceptr(0, at)
      local value = dev ~= 0 and (ctx:device_written(0, dev, 1) == 1 and ctx:device_read(0, dev, BYTE) or "unwritten")
      add(of .. i, ctx:host_read(at, BYTE), tostring(value or "absent"))
    end
  end
  return list
end

-- Runs a step. Returns its error's code and rule, the bytes moved, and the state.
function World:step(step)
  local before = self.session.ctx:stats(0)
  local is_idle = step.op == "end" and #self.runner.open == 0
  local ok, err = pcall(self.runner.run_all, self.runner, is_idle and {} or written(self.program, step))
  if not ok and not diagnostic.is(err) then error(err, 0) end
  local after, list = self.session.ctx:stats(0), self:state()
  table.insert(list, 1, self.session.ctx:check() or ok and "no error" or err.code .. " " .. tostring(err.rule))
  for i, way in ipairs { "h2d", "d2h", "d2d" } do
    table.insert(list, i + 1, ("%s %d"):format(way, after[way .. "_bytes"] - before[way .. "_bytes"]))
  end
  return list
end

function World:close()
  self.runner:close_regions()
  local wrong = self.session.ctx:check()
  self.session:close()
  return wrong
end

-- --------------------------------------------------------------------------------------- compared --

-- Reduces results to those that a held structure has in common with a plain array: failure, bytes moved, host values,
-- and device values where the plain array is present. Held memory makes fewer steps fail.
local function alike_if_held(wanted, found)
  for _, list in ipairs { wanted, found } do
    list[1] = list[1]:find "^no error" and "no error" or list[1]:find "^an? " and list[1] or "an error"
    list[4] = "d2d"
    for k = #list, 1, -1 do
      if list[k]:find "^object" then table.remove(list, k) end
    end
  end
  for k, text in ipairs(wanted) do
    if text:find " absent$" then found[k] = found[k] and found[k]:gsub("%S+$", "absent") end
  end
end

local absent = { ["not-present"] = true, ["partially-present"] = true }

-- Two programs side by side: the array as a variable, and in a structure.
local Both = {}
Both.__index = Both

local function both(config)
  return setmetatable({ held = config.program.held, plain = World.new(programs[1], config.rules),
    other = World.new(config.program, config.rules) }, Both)
end

function Both:step(step)
  local wanted = self.plain:step(step)
  local is_left = self.held and absent[wanted[1]:match "^%S+"]
  local found = is_left and wanted or self.other:step(step)
  if self.held then alike_if_held(wanted, found) end
  self.outcome = wanted[1] == "no error" and "success" or wanted[1]
  for k = 1, math.max(#wanted, #found) do
    if wanted[k] ~= found[k] then
      error({ difference = ("%s, in the structure %s"):format(tostring(wanted[k]), tostring(found[k])) }, 0)
    end
  end
end

function Both:close()
  local of_plain, of_other = self.plain:close(), self.other:close()
  local broken = of_plain or of_other
  assert(not broken, broken)
end

local function program_of(config)
  return { scenario = { rules = config.rules }, declarations = config.program.declared,
    steps = { config.program.before and { kind = "acc", text = config.program.before } } }
end

local function config_of(number)
  local config = { rules = pick(rules), program = programs[2 + number % (#programs - 1)] }
  entered, apart, held = {}, config.program.apart, config.program.held
  return config
end

local test = { rounds = 200, steps = 30, config = config_of, world = both, next = next_step,
  program = program_of, written = function(config, step) return written(config.program, step) end,
  lists = { "writes", "reads" } }
engine.run(test)

-- Checks that the comparison notices errors: members taken as whole structures, or not copied.
local config = { rules = "directory", program = programs[3] }
local holes = { { op = "data", clauses = { { kind = "copyin", of = "A", low = 0, high = 6 } } },
  { op = "data", clauses = { { kind = "copyin", of = "A", low = 12, high = 18 } } } }
expect(not engine.replay(test, config, holes))
config.program = { declared = "char b[24], t[4]; struct s { char u[24]; char *p; } S = { { 0 }, t };", A = "S.u",
  B = "b", before = "enter data copyin(S)" }
expect(engine.replay(test, config, holes), "a structure that is present as a whole is not the same")
