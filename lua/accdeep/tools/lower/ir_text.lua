-- ir_text.lua - writes the construct IR (plan) of a directive as text, for programs that run without Lua
-- (core/abi/lowered/text.c reads it).
--
-- "Code" here is the byte code that computes addresses and bounds. An instruction that loads the address of a variable
-- becomes a parameter, and the program passes the address. A bound that only the compiler can evaluate
-- (compiler_values.lua) is a call in code. If that bound depends on no object, the call becomes a parameter, too;
-- otherwise it calls a function of the program.

local core = require "accdeep.core"
local deep_copy = require "accdeep.tools.export.deep_copy"

local ir_text = {}

local VERSION = 4 -- version of the text's format, which core/abi/lowered/text.c requires
local op = core.opcode

-- Limit of registers in an item's code.
local REGISTERS = 64

-- ----------------------------------------------------------------------------------------- writing --

-- The text being written: lines, numbers of symbols and mapping programs, and `inputs` that the lowered program passes.
local Writer = {}
Writer.__index = Writer

-- Returns a flag as the number 1 or 0.
local function flag(value) return value and 1 or 0 end

local is_call = { [op.CALL] = true, [op.CALL_IF] = true }

-- Appends a line: `word`, and the arguments `...` separated by blanks.
function Writer:line(word, ...)
  local parts = table.pack(...)
  for i = 1, parts.n do parts[i] = tostring(parts[i]) end
  self.lines[#self.lines + 1] = word .. " " .. table.concat(parts, " ")
end

-- Returns the symbol of the input that the instruction at index i of `code` needs: a variable's address or a value; nil
-- if it needs none.
function Writer:required_input(code, i)
  local symbol = code[i + 4]
  if type(symbol) ~= "table" then return nil end
  if code[i] == op.CONST then return self.variable(symbol) end
  return not symbol.record and symbol or nil
end

-- Returns the index of the input `symbol` (see required_input) among all inputs of a plan, from 0 on; adds the input if
-- it is new.
function Writer:parameter(symbol)
  local index = self.parameters[symbol.key]
  if not index then
    index = #self.inputs
    self.inputs[index + 1], self.parameters[symbol.key] = symbol, index
  end
  return index
end

-- Calls fn(symbol) for each input (result of required_input) that a mapping program and its child programs need.
-- `visited`: set of the mapping programs already visited, extended here.
function Writer:each_input(program, fn, visited)
  if visited[program] then return end
  visited[program] = true
  for i = 1, #program.code, 5 do
    local symbol = self:required_input(program.code, i)
    if symbol then fn(symbol) end
  end
  for _, field in ipairs(program.fields) do
    if field.child then self:each_input(field.child, fn, visited) end
  end
end

-- Writes byte code, a list of five numbers for each instruction. `places`: number of the parameter by input.
function Writer:code(code, places)
  for i = 1, #code, 5 do
    local opcode, to, a, b, k = table.unpack(code, i, i + 4)
    local symbol = self:required_input(code, i)
    if symbol then
      opcode, a, b, k = op.PARAM, 0, 0, places[symbol.key]
    elseif is_call[opcode] then
      k = self.call(k)
    end
    self:line("code", opcode, to, a, b, k)
  end
end

-- Writes the symbol `label`, unless it is written already. Returns the symbol's number; -1 for nil. `places`: numbers
-- of the item's parameters (input_parameters). `has_rows`: the lowered program passes the array's bounds at run time,
-- so they are not written.
function Writer:label(label, places, has_rows)
  if not label then return -1 end
  local number = self.labels[label]
  if number then return number end
  local layout = label.layout and self:program(label.layout, places) or -1
  local flags = flag(label.section) | flag(label.member) << 1 | flag(label.element) << 2 | flag(label.round) << 3
  local rows = not has_rows and label.array
  if rows then
    local numbers = {}
    for i = 1, rows.described and 0 or rows.rank do
      table.move({ rows[i].lower or 0, rows[i].extent or 0, rows[i].sm or 0 }, 1, 3, 3 * i - 2, numbers)
    end
    self:line("array", rows.shift or 0, rows.described or 0, rows.span or 0, rows.rank,
      table.concat(numbers, " ") .. " " .. (rows.name or ""))
  end
  self:line("label", label.unit or 0, flags, label.line or 0, layout, label.name)
  self.labels[label], self.nlabels = self.nlabels, self.nlabels + 1
  return self.labels[label]
end

-- Returns {offset, bytes, number of the symbol} for each member of a list; an empty list for nil. Writes the symbols.
-- `places`: numbers of the item's parameters (input_parameters).
local function members_of(self, list, places)
  local lines = {}
  for i, member in ipairs(list or {}) do
    lines[i] = { member.offset, member.bytes, self:label(member.label, places) }
  end
  return lines
end

-- Writes a mapping program and its child programs, unless they are written already. Returns the program's number.
-- `places`: first result of input_parameters for the item. Mapping programs without inputs are shared by all items.
function Writer:program(program, places)
  local numbers = places.n > 0 and places.numbers or self.programs
  if numbers[program] then return numbers[program] end
  local spec = program
  local pieces, fields = {}, {}
  for i, piece in ipairs(spec.pieces) do
    pieces[i] = { piece.offset, piece.bytes, piece.action or 0, flag(piece.init), flag(piece.entry_only),
      flag(piece.base_pointer), self:label(piece.label, places) }
  end
  for i, field in ipairs(spec.fields) do
    fields[i] = { field.offset, field.slot_bytes or 0, field.unit, field.count or -1, field.start or -1,
      field.action or 0, field.flags or 0, flag(field.init), flag(field.embedded), flag(field.in_place),
      field.code_end or 0, field.up or 0,
      self:label(field.label, places), field.child and self:program(field.child, places) or -1 }
  end
  local excluded, members = members_of(self, spec.excluded, places), members_of(self, spec.members, places)
  self:line("program", spec.stride, spec.registers, places.n)
  local groups = { { "piece", pieces }, { "field", fields }, { "excluded", excluded }, { "member", members } }
  for _, group in ipairs(groups) do
    for _, row in ipairs(group[2]) do self:line(group[1], table.unpack(row)) end
  end
  self:code(spec.code, places)
  numbers[program], self.nprograms = self.nprograms, self.nprograms + 1
  return numbers[program]
end

-- Returns the inputs of an item's mapping program as parameters: a table from input to parameter number, and a list of
-- the inputs. The table also has `n`, the number of inputs, and `numbers`, the numbers of the mapping programs written
-- for this item.
local function input_parameters(self, item)
  local places, list = { n = 0, numbers = {} }, {}
  if item.program then
    self:each_input(item.program, function(symbol)
      if places[symbol.key] then return end
      places[symbol.key], places.n = places.n, places.n + 1
      list[places.n] = symbol
    end, {})
  end
  return places, list
end

-- Fields of an item that this text cannot express, and what they mean, as words for the error message.
local refused = { dims = "a section with gaps", slot_bytes = "a descriptor", frame = "members without their structure" }

-- Writes an item (one operand of the plan) with its symbol, mapping program, code and parameters. Raises {cannot =
-- reason} if the item has a field of `refused` or needs too many registers.
function Writer:item(item)
  for name, why in pairs(refused) do
    if item[name] then deep_copy.cannot(why) end
  end
  local places, inputs = input_parameters(self, item)
  local label = self:label(item.label, places, item.rows)
  local program = item.program and self:program(item.program, places) or -1
  local code, registers, own = table.move(item.code, 1, #item.code, 1, {}), item.registers, {}
  for i = 1, #code, 5 do
    local symbol = self:required_input(code, i)
    if symbol then own[symbol.key] = self:parameter(symbol) end
  end
  local instructions = {}
  -- Adds an instruction that loads the input `symbol` into a new register. Returns the number of the register.
  local function add(symbol)
    instructions[#instructions + 1] = { op.PARAM, registers, 0, 0, self:parameter(symbol) }
    registers = registers + 1
    return registers - 1
  end
  local pointer_cell, params = item.slot or -1, {}
  if item.slot_address then pointer_cell = add(self.variable(item.slot_address)) end
  for i, symbol in ipairs(inputs) do params[i] = add(symbol) end
  if registers > REGISTERS then deep_copy.cannot "a list item whose bounds are too long" end
  local indices = item.indices or {}
  self:line("item", item.action, item.flags or 0, label, program, item.unit or 0, registers, item.base,
    item.start or -1, item.count or -1, pointer_cell, item.origin or -1, indices[1] or -1, indices[2] or -1,
    indices[3] or -1)
  self:code(code, own)
  for _, instruction in ipairs(instructions) do self:line("code", table.unpack(instruction)) end
  if params[1] then self:line("params", table.unpack(params)) end
  if item.rows then
    local first = self:parameter(item.rows[1])
    for k = 2, #item.rows do self:parameter(item.rows[k]) end
    self:line("rows", first, (#item.rows - 1) // 2, item.rows.name)
  end
end

-- Returns the text of a plan and a list of its inputs, which are symbols. `items`: the items to write.
-- `variable(symbol)` returns the symbol of an input for that of an address, or nil if the address is a constant.
-- `call(symbol)` returns the number of a function of the program. Raises {cannot = reason} if the text cannot express
-- an item.
function ir_text.write(plan, items, variable, call)
  local writer = setmetatable({ variable = variable, call = call, lines = {}, labels = {}, nlabels = 0, programs = {},
    nprograms = 0, inputs = {}, parameters = {} }, Writer)
  writer:line("accdeep", VERSION)
  writer:line("construct", core.kind[plan.kind], flag(plan.finalize), plan.node.name)
  for _, item in ipairs(items) do writer:item(item) end
  return table.concat(writer.lines, "\n"), writer.inputs
end

return ir_text
