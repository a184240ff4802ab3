-- checks.lua - methods of the recorder (scenario_recorder.lua) that add checks to a C program: values, addresses,
-- presence, attachments.
--
-- Each check prints a line: its name, the value found, and the expected value if it differs.

local core = require "accdeep.core"
local c_program = require "accdeep.tools.export.c_program"
local syntax = require "accdeep.syntax"
local location = require "accdeep.base.location"
local list_item = require "accdeep.sema.c.list_item"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"
local memory_view = require "accdeep.backend.memory_view"

local checks = {}

local Recorder = {}

-- Adds the methods of this file to a class, the recorder of scenario_recorder.lua.
function checks.extend(class)
  for name, fn in pairs(Recorder) do class[name] = fn end
end

-- Returns a text as a string literal of C in one line.
local function quote(text) return '"' .. text:gsub('[\\"]', "\\%0"):gsub("\n", " ") .. '"' end

-- Adds a check to the program. `text`: name of the check. write() adds the comparisons. Adds nothing if the recording
-- has ended (the program cannot be written in C).
function Recorder:check(text, write)
  if not self.program:is_open() then return end
  local _, line = location.scenario(1)
  local list = self.program.steps
  local first = #list + 1
  write()
  if not self.program:is_open() then return end
  local head = ("%d, %s"):format(line or 0, quote(text))
  local single = #list == first and list[first].text:match "^check_number%((.*)%);$"
  -- A check of a single number is written as one call of `check` instead of three calls.
  if single then
    list[first].text = ("check(%s, %s);"):format(head, single)
  else
    table.insert(list, first, { kind = "c", text = ("check_begin(%s);"):format(head) })
    self:line "check_end();"
  end
end

-- Returns a number or boolean as a C constant expression.
local function number_text(value)
  if type(value) == "boolean" then return value and "1" or "0" end
  return c_program.scalar_text(math.type(value) == "float" and types.scalars.double or types.scalars.long, value)
end

-- Adds a check of the host value `value` that the script reads at `address`. `code`: the type of the scalar
-- (core.scalar). Each address is checked once per step. Ends the recording if no variable of the program has the
-- address.
function Recorder:read(session, address, code, value)
  if not self.program:is_open() or self.checked_addresses[address] then return end
  self:catch_up()
  self.checked_addresses[address] = true
  local is_pointer = code == core.scalar.pointer
  local text = self.program:object(address, is_pointer and "pointer" or code)
  if not text then
    return self:cannot "it reads host memory that no variable of a C program names"
  end
  if is_pointer then
    value = session.host_space:pointer(types.pointer(types.void), value)
    local pointer = self.program:pointer_text(session, memory_view.address(value), types.void)
    return self:check(("%s == %s"):format(text, pointer or "?"), function() self:compare(session, text, value) end)
  end
  self:check(text, function() self:compare(session, text, value) end)
end

-- Default of `wrap` in Recorder:compare: the expression itself is compared.
local function identity(text) return text end

-- Adds comparisons of the C expression `text` with a value, or with a list or table of values for its elements or
-- members. wrap(expression, is_pointer): returns the text that is compared; nil: the expression itself. Ends the
-- recording if C cannot express the value.
function Recorder:compare(session, text, expected, wrap)
  wrap = wrap or identity
  local at = memory_view.location(expected)
  if at and at.type.kind == "pointer" then
    local pointer = self.program:pointer_text(session, at.address, at.type.to)
    if not pointer then return self:cannot(("the address that %s is compared with has no name"):format(text)) end
    return self:linef("check_number((const void *)(%s) == (const void *)(%s), 1);", wrap(text, true), pointer)
  elseif at then
    return self:cannot(("%s is compared with another object as a whole"):format(text))
  end
  if type(expected) == "number" then
    return self:linef("check_number(%s, %s);", wrap(text), number_text(expected))
  elseif type(expected) == "boolean" then
    return self:linef("check_number((%s) != 0, %s);", wrap(text), number_text(expected))
  elseif type(expected) ~= "table" then
    return self:cannot(("%s is compared with a %s"):format(text, type(expected)))
  end
  local names, base = {}, expected[0] ~= nil and 0 or 1
  for key in pairs(expected) do
    if math.type(key) ~= "integer" then names[#names + 1] = tostring(key) end
  end
  table.sort(names)
  for i = base, #expected do self:compare(session, ("%s[%d]"):format(text, i - base), expected[i], wrap) end
  for _, name in ipairs(names) do self:compare(session, text .. "." .. name, expected[name], wrap) end
end

-- Returns an AST as text that a subscript can follow.
local function postfix_text(node)
  local text = unparse.expression(node)
  return text:find "^[%w_.%[%]>-]+$" and text or "(" .. text .. ")"
end

-- Adds comparisons of a scenario's expression, which may be a section, with the value `expected`. wrap(expression,
-- is_pointer) returns the text that is compared; nil: the expression itself. Raises errors of the expression.
function Recorder:compare_expression(session, expression, expected, wrap)
  local node = syntax.parse("expression", expression, 1, session.now.scope)
  local dimensions = {}
  while node.tag == "section" do
    table.insert(dimensions, 1, node)
    node = node.base
  end
  if #dimensions == 0 then return self:compare(session, postfix_text(node), expected, wrap) end
  -- Compares the elements of a section, dimension `depth`, with the values `list`. `text`: the element in the
  -- dimensions before.
  local function elements(text, list, depth)
    local section = dimensions[depth]
    if not section then return self:compare(session, text, list, wrap) end
    local at = memory_view.location(list)
    if at then list = at.type.kind == "array" and self:quietly(list.values, list) or {} end
    local start = section.start and unparse.expression(section.start)
    start = start and self:quietly(session.value, session, session:host_env(), start) or 0
    local base = list[0] ~= nil and 0 or 1
    for i = base, #list do elements(("%s[%d]"):format(text, start + i - base), list[i], depth + 1) end
  end
  elements(postfix_text(node), expected, 1)
end

-- Returns the address of an l-value or section as C, and its size in bytes. Raises errors of the expression.
function Recorder:extent(expression)
  local session = self:session()
  local _, bytes = self:quietly(session.extent, session, expression)
  local node = syntax.parse("expression", expression, 1, session.now.scope)
  local base, subscripts = list_item.split_designator(node)
  if not subscripts then return "&" .. postfix_text(node), bytes end
  local text = postfix_text(base)
  local start = subscripts[1].start
  if start and not (start.tag == "num" and start.value == 0) then
    text = ("%s + %s"):format(text, unparse.expression(start))
  end
  return text, bytes
end

-- Adds a check whether the l-value `text` is present (`expected` = 1) or absent (0), unless the recording has ended.
function Recorder:presence(text, expected)
  if not self.program:is_open() then return end
  local address, bytes = self:extent(text)
  self.program.uses.present = true
  self:check(text .. " present", function()
    self:linef("check_number(check_present(%s, %d), %d);", address, bytes, expected)
  end)
end

-- Adds a C comment for the expectation `name`, which a C program cannot check. `subject`: the property that no standard
-- routine reports.
function Recorder:mark_unchecked(name, subject)
  local _, line = location.scenario(1)
  self:catch_up()
  self:linef("/* line %d: %s is not checked: no standard routine tells of %s */", line or 0, name, subject)
end

-- Adds a check whether the pointer `text` is attached (`expected` = 1) or not (0): its device copy holds the device
-- address of its target. Adds a comment instead if the program cannot check that: in OpenMP, or if the address in an
-- attached pointer is itself not present. Adds nothing if the recording has ended.
function Recorder:attachment(text, expected)
  if not self.program:is_open() then return end
  local session = self:session()
  if self.program.language == "openmp" then
    return self:mark_unchecked("expect." .. (expected == 1 and "attached" or "detached"),
      "whether a pointer is attached")
  end
  local pointer_cell = self:quietly(session.pointer_cell, session, text)
  local target = self:quietly(session.ctx.host_read, session.ctx, pointer_cell, core.scalar.pointer)
  if expected == 1 and session.ctx:deviceptr(session.now.device, target) == 0 then
    return self:mark_unchecked("expect.attached", "pointers to what is not present itself")
  end
  self:catch_up()
  self.program.uses.pointer = true
  self:check(text .. " attached", function()
    local pointer = postfix_text(syntax.parse("expression", text, 1, session.now.scope))
    self:linef("check_number(check_attached(&%s, %s), %d);", pointer, pointer, expected)
  end)
end

checks.quoted, checks.number_text = quote, number_text

return checks
