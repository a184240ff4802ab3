-- Mutated declarations and directives of TR14's figures, from spec/tr14. Each text must succeed or raise an error of
-- accdeep with a location. After an error, devices and host memory must be unchanged, and declarations must still
-- work. ACCDEEP_SEED and ACCDEEP_ROUNDS select other runs.

scenario { title = "mutated figures", cites = { "HOUSE-scenario" } }

package.path = "tests/random/?.lua;" .. package.path

local core = require "accdeep.core"
local mutate = require "mutate"
local mutated_texts = require "mutated_texts"
local runner = require "accdeep.steps.runner"
local session = require "accdeep.run.session"
local steps = require "accdeep.steps"

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 1
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 3000
local SECONDS = 5 -- limit for one text

local rand = math.random
local figures = {}

-- Returns the entry of a directive in its table, or an empty table.
local function definition_of(text) return steps.definition { kind = "acc", text = text } or {} end

-- Returns the texts of a figure's scenario: declarations, directives, and the bodies after them.
local function read(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  local figure = { path = path, declarations = text:match "declare %[%[(.-)%]%]", directives = {}, bodies = {} }
  local seen = {}
  for name, words, rest in text:gmatch '(%a[%w_.]*)%s*%(?"([^"\n]+)"([^\n]*)' do
    words = words:gsub("^acc ", "")
    local known = name == "acc" or name == "story" or name == "moves" or name == "expect.invalid"
    if known and not definition_of(words).ends and not seen[words] then
      seen[words] = true
      table.insert(figure.directives, words)
      local body = definition_of(words).kind == "compute" and rest:match '^%s*"([^"]*)"'
      if body then table.insert(figure.bodies, { directive = words, text = body }) end
    end
  end
  assert(figure.declarations and #figure.directives > 3, path)
  return figure
end
for i, name in ipairs { "A.1-figure", "A.2-figure", "A.3-figure", "A.6-figures" } do
  figures[i] = read(("spec/tr14/%s.lua"):format(name))
end

-- ------------------------------------------------------------------------------------------ values --

local fill -- declared before its definition

local function block(s, t, n, depth)
  local address = s:new_block(t.size * n, nil, t)
  for i = 0, n - 1 do fill(s, t, address + i * t.size, depth) end
  return address
end

-- Fills memory with small numbers and pointers to three elements; `end` and `reserved` point past the data of `base`.
function fill(s, t, address, depth)
  if t.kind == "record" and t.complete ~= false then
    local base
    for _, m in ipairs(t.members or {}) do
      local at = address + (m.offset or 0)
      if base and m.type.kind == "pointer" and (m.name == "end" or m.name == "reserved") then
        s.ctx:host_write(at, core.scalar.pointer, base + 2 * math.max(m.type.to.size or 1, 1))
      else
        fill(s, m.type, at, depth)
        if m.name == "base" then base = s.ctx:host_read(at, core.scalar.pointer) end
      end
    end
  elseif t.kind == "array" then
    for i = 0, math.min(t.n or 0, 4) - 1 do fill(s, t.of, address + i * t.of.size, depth) end
  elseif t.kind == "pointer" then
    local to = t.to
    if depth < 3 and to.size and (to.kind == "scalar" or to.kind == "record" or to.kind == "pointer") then
      s.ctx:host_write(address, core.scalar.pointer, block(s, to, 3, depth + 1))
    end
  elseif t.kind == "scalar" then
    s.ctx:host_write(address, t.code, 2)
  end
end

local function fill_all(s)
  local names = {}
  for name in next, s.now.scope.variables do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local v = s.now.scope.variables[name]
    if v.address and v.type.size and v.type.size < 1 << 16 then fill(s, v.type, v.address, 0) end
  end
end

-- ----------------------------------------------------------------------------------------- running --

local function complain(what, text)
  error(("seed %d: %s:\n  %q"):format(seed, what, text), 0)
end

local slowest = 0

-- Returns the state of devices and host memory, without arrays that a mutated bound made huge.
local function snapshot(s)
  local bytes = 0
  for _, b in next, s.program.blocks do bytes = bytes + b.bytes end
  return bytes < 1 << 22 and s:snapshot() or { digest = s.ctx:digest(), host = {} }
end

-- Runs fn on a text. Returns its error, or nil. endless: fn may not terminate. declared: another text that an error
-- may be about.
local function try(s, text, endless, fn, declared)
  local before, started = snapshot(s), os.clock()
  local err = mutated_texts.try(fn, endless and 30 or 1000)
  local took = os.clock() - started
  slowest = math.max(slowest, took)
  if took > SECONDS then complain(("it takes %.1f s"):format(took), text) end
  local wrong = s.ctx:check()
  if wrong then complain(wrong, text) end
  if err == nil then return nil end
  if err == mutated_texts.STOPPED then
    if not endless then complain("it does not end", text) end
    return err
  end
  local flaw = mutated_texts.flaw(err, text)
  if flaw then complain(flaw, text) end
  local _, lines = (declared or text):gsub("\n", "")
  if err.line < 1 or err.line > lines + 1 then complain(tostring(err) .. ": no such line", text) end
  return err, before
end

local function unchanged(s, err, before, text)
  local same, problem = pcall(s.compare, s, before)
  if not same then complain(tostring(err) .. ": " .. problem.message, text) end
end

local function open(declarations)
  local s = session.new { device_bytes = 1 << 20 }
  if declarations then s:declare(declarations, "figure", 1) end
  return s
end

-- Executes a directive, and closes the region that it opens.
local function run_directive(s, text, body)
  local run = runner.new(s)
  run:run { kind = "acc", text = text, body = body, file = "figure" }
  if run.open[1] then run:run { kind = "end" } end
end

-- Closes everything, so that the next text starts from the same state.
local function tidy(s)
  local stack = s.device_side.regions[0]
  while #stack > 0 do
    local top = stack[#stack]
    if not pcall(top.close, top) then top:abandon() end
  end
end

local kinds = {}

function kinds.directive(figure)
  local s = figure.session
  local text = figure.directives[rand(#figure.directives)]
  for _ = 1, rand(3) do text = mutate(text) end
  if rand(2) == 1 then -- some data are present
    pcall(s.directive, s, "enter data copyin(" .. ({ "X", "v1, s", "C, X", "X, SX, D" })[figure.number] .. ")", nil,
      "figure", 1)
  end
  local run = runner.new(s)
  local err, before = try(s, text, false, function() run:run { kind = "acc", text = text, file = "figure" } end,
    figure.declarations .. text)
  if err then unchanged(s, err, before, text) end
  if run.open[1] then
    err, before = try(s, text, false, function() run:run { kind = "end" } end)
    if err then unchanged(s, err, before, text) end
  end
end

function kinds.body(figure)
  if #figure.bodies == 0 then return end
  local s = figure.session
  local chosen = figure.bodies[rand(#figure.bodies)]
  local text = chosen.text
  for _ = 1, rand(3) do text = mutate(text) end
  pcall(s.directive, s, "enter data copyin(" .. ({ "X", "v1, s", "C, X", "X, SX, D" })[figure.number] .. ")", nil,
    "figure", 1)
  try(s, text, true, function() run_directive(s, chosen.directive, text) end, figure.declarations .. text)
end

-- Mutates declarations, and uses what they declare.
function kinds.declaration(figure)
  local whole = figure.declarations
  local text = whole
  for _ = 1, rand(3) do -- changes one line or the whole text
    if rand(3) == 1 then
      text = mutate(text)
    else
      local starts = {}
      for at in text:gmatch "()[^\n]+" do starts[#starts + 1] = at end
      if #starts == 0 then break end
      local at = starts[rand(#starts)]
      local line = text:match("^[^\n]+", at)
      text = text:sub(1, at - 1) .. mutate(line) .. text:sub(at + #line)
    end
  end
  local s = open()
  local err, before = try(s, text, false, function() s:declare(text, "figure", 1) end)
  if err then
    local digest = s.ctx:digest() ~= before.digest
    if digest then complain(tostring(err) .. ": the device's state changed", text) end
    -- A repeated text must fail again with an error of accdeep; other declarations must work.
    try(s, text, false, function() s:declare(text, "figure", 1) end)
    try(s, text, false, function() s:declare("struct later { int k; float *f; }; struct later L;", "figure", 1) end)
  end
  pcall(fill_all, s)
  for _ = 1, 4 do
    local directive = figure.directives[rand(#figure.directives)]
    local e, was = try(s, directive, true, function()
      runner.new(s):run { kind = "acc", text = directive, body = ";", file = "figure" }
    end, text .. "\n")
    if e and e ~= mutated_texts.STOPPED and definition_of(directive).kind ~= "compute" then
      unchanged(s, e, was, text .. "\nthen " .. directive)
    end
  end
  tidy(s)
  s:close()
end

local function fresh(number)
  local figure = figures[number]
  if figure.session then figure.session:close() end
  figure.session, figure.number = open(figure.declarations), number
  fill_all(figure.session)
end

math.randomseed(seed)
for number = 1, #figures do fresh(number) end
-- Directives that are not mutated succeed or fail as in the scenarios.
for _, figure in ipairs(figures) do
  local works = 0
  for _, text in ipairs(figure.directives) do
    if not try(figure.session, text, false, function() run_directive(figure.session, text, ";") end) then
      works = works + 1
    end
  end
  assert(works * 3 > #figure.directives, figure.path)
end

local words = { "directive", "directive", "declaration", "body" }
for round = 1, rounds do
  local number = rand(#figures)
  kinds[words[rand(#words)]](figures[number])
  if round % 10 == 0 then fresh(rand(#figures)) end
end
for _, figure in ipairs(figures) do figure.session:close() end
if os.getenv "ACCDEEP_VERBOSE" then print(("slowest %.2f s"):format(slowest)) end
