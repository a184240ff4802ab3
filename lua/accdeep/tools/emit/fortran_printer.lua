-- fortran_printer.lua - prints the functions of program_functions.lua as external procedures of Fortran.
--
-- Addresses and all other values are integers of 8 bytes. Bytes of the host are read by functions with pointers of
-- Fortran. fortran_helpers.lua has the procedures that they call, among them the routines of OpenACC.

local fortran_helpers = require "accdeep.tools.emit.fortran_helpers"
local program_functions = require "accdeep.tools.emit.program_functions"

local fortran_printer = {}

-- ------------------------------------------------------------------------------------ expressions --

local value, condition -- forward declarations

-- Returns the call of a helper that is a function, as text; the procedure then declares it.
local function helper_value(self, name, ...)
  local as = self.add_helper(name)
  self.functions[as] = true
  return ("%s(%s)"):format(as, table.concat({ ... }, ", "))
end

-- Returns the address of an object's byte as text.
local function self_address(offset) return offset == 0 and "q" or ("q + %d_8"):format(offset) end

local binary = { ["+"] = "(%s + %s)", ["-"] = "(%s - %s)", ["*"] = "(%s * %s)", ["/"] = "(%s / %s)",
  ["%"] = "mod(%s, %s)", ["&"] = "iand(%s, %s)", ["|"] = "ior(%s, %s)", ["^"] = "ieor(%s, %s)",
  ["<<"] = "shiftl(%s, int(%s))", [">>"] = "shifta(%s, int(%s))" }

-- Functions by op: printers[op](self, e) returns the text of an expression, an integer of 8 bytes.
local printers = {}
function printers.const(_, e) return e.value < 0 and ("(%d_8)"):format(e.value) or ("%d_8"):format(e.value) end
function printers.name(_, e) return e.name end
function printers.self(_, e) return self_address(e.offset) end
function printers.input(self, e) return self.fn.input_names[e.text] end
function printers.outer(self, e) return self.fn.outer_names[e.register] end
function printers.pointer(self, e) return helper_value(self, "load_pointer", self_address(e.offset)) end
function printers.load(self, e)
  local helper = fortran_helpers.load(e.scalar) or self.cannot "a component of this kind in a bound"
  if e.address.op == "self" then return helper_value(self, helper, self_address(e.address.offset + e.offset)) end
  return helper_value(self, helper, ("%s + %d_8"):format(value(self, e.address), e.offset))
end
function printers.shift(self, e) return ("%s + %s"):format(value(self, e.base), value(self, e.by)) end
function printers.cast_address(self, e) return value(self, e.a) end
function printers.cast(self, e) return value(self, e.a) end
function printers.arith(self, e) return binary[e.operator]:format(value(self, e.a), value(self, e.b)) end
function printers.distance(self, e)
  return ("((%s - %s) / %d_8)"):format(value(self, e.a), value(self, e.b), e.bytes)
end
function printers.select(self, e)
  return ("merge(%s, %s, %s)"):format(value(self, e.a), value(self, e.b), condition(self, e.c))
end
function printers.unary(self, e)
  if e.operator == "!" then return ("merge(1_8, 0_8, %s == 0)"):format(value(self, e.a)) end
  return (e.operator == "-" and "(-%s)" or "not(%s)"):format(value(self, e.a))
end
function printers.compare(self, e) return ("merge(1_8, 0_8, %s)"):format(condition(self, e)) end
function printers.present(self, e)
  return helper_value(self, "present", value(self, e.address), value(self, e.bytes))
end

-- Returns the text of an expression, an integer of 8 bytes. Parts that several expressions share are printed once.
-- Raises {cannot = reason} for long texts.
function value(self, e)
  local text = self.printed[e]
  if not text then
    local print = printers[e.op] or self.cannot "a bound that calls a function"
    text = print(self, e)
    if #text > program_functions.LENGTH then self.cannot "a bound that is too long" end
    self.printed[e] = text
  end
  return text
end

-- Returns an expression as a logical one: true if its value is not 0.
function condition(self, e)
  if e.op ~= "compare" then return ("%s /= 0"):format(value(self, e)) end
  local operator = e.operator == "!=" and "/=" or e.operator
  return ("%s %s %s"):format(value(self, e.a), operator, value(self, e.b))
end

-- ------------------------------------------------------------------------------------- statements --

-- Appends a line with indentation.
local function line(self, format, ...)
  self.lines[#self.lines + 1] = ("  "):rep(self.depth) .. format:format(...)
end

local statements -- forward declaration

-- Functions by op: writers[op](self, statement) appends the lines of a statement.
local writers = {}
function writers.let(self, statement)
  self.variables[statement.name] = true
  line(self, "%s = %s%s", statement.name, value(self, statement.value),
    statement.comment and " ! " .. statement.comment or "")
end
writers["if"] = function(self, statement)
  line(self, "if (%s) then%s", condition(self, statement.cond), statement.comment and " ! " .. statement.comment or "")
  self.depth = self.depth + 1
  statements(self, statement.body)
  if statement.otherwise then
    self.depth = self.depth - 1
    line(self, "else")
    self.depth = self.depth + 1
    statements(self, statement.otherwise)
  end
  self.depth = self.depth - 1
  line(self, "end if")
end
function writers.block(self, statement) statements(self, statement.body) end
function writers.routine(self, statement)
  local args, alias = {}, statement.name:match "^accdeep_(.*)_alias$"
  for i, arg in ipairs(statement.args) do args[i] = value(self, arg) end
  if alias then args[2] = nil end -- an alias of Fortran points into data that are present
  line(self, "call %s(%s)", self.add_helper(alias and "acc_" .. alias or statement.name), table.concat(args, ", "))
end
function writers.call(self, statement)
  local args, fn = {}, statement.fn
  for i, arg in ipairs(statement.args) do args[i] = value(self, arg) end
  for _, register in ipairs(fn.inherited) do args[#args + 1] = value(self, statement.regs[register]) end
  for _, text in ipairs(fn.inputs) do args[#args + 1] = self.fn.input_names[text] end
  line(self, "call %s(%s)", self.name_of(fn), table.concat(args, ", "))
end
function writers.copy(self, statement)
  local bytes = value(self, statement.bytes)
  line(self, "%scall %s(%s, %s, %s)", statement.bytes.op == "const" and "" or ("if (%s > 0) "):format(bytes),
    self.add_helper "bcopy", value(self, statement.from), value(self, statement.to), bytes)
end
function writers.save(self, statement)
  self.variables[statement.name] = true
  line(self, "%s = %s", statement.name, helper_value(self, "save", value(self, statement.address),
    value(self, statement.bytes)))
end
function writers.free(self, statement) line(self, "call %s(%s)", self.add_helper "free", statement.name) end

function statements(self, body)
  for _, statement in ipairs(body) do writers[statement.op](self, statement) end
end

-- Returns the sorted keys of a set, separated by commas.
local function names_of(set)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return table.concat(list, ", ")
end

-- Returns the text of a function as a procedure `name`. `unit`: {name_of(fn), add_helper(name), cannot(message)}: the
-- first two return the name of another procedure, the third raises an error.
function fortran_printer.print(fn, name, unit)
  local self = { fn = fn, lines = {}, printed = {}, depth = 2, variables = { i = true, q = true }, functions = {},
    name_of = unit.name_of, add_helper = unit.add_helper, cannot = unit.cannot }
  local parameters = { "objects", "count" }
  if fn.phase == "keep" then parameters[3], self.variables.object = "kept", true end
  for _, register in ipairs(fn.inherited) do parameters[#parameters + 1] = fn.outer_names[register] end
  for _, text in ipairs(fn.inputs) do parameters[#parameters + 1] = fn.input_names[text] end
  local list = table.concat(parameters, ", ")
  statements(self, fn.body)
  local text = { ("recursive subroutine %s(%s)"):format(name, list), "  implicit none", "  integer(8) :: " .. list,
    "  integer(8) :: " .. names_of(self.variables) }
  if next(self.functions) then text[#text + 1] = "  integer(8), external :: " .. names_of(self.functions) end
  text[#text + 1] = "  do i = 0, count - 1"
  text[#text + 1] = ("    q = %s + i * %d_8"):format(fn.phase == "keep" and "kept" or "objects", fn.stride)
  if fn.phase == "keep" then text[#text + 1] = ("    object = objects + i * %d_8"):format(fn.stride) end
  table.move(self.lines, 1, #self.lines, #text + 1, text)
  text[#text + 1] = "  end do"
  text[#text + 1] = "end subroutine " .. name
  return table.concat(text, "\n")
end

return fortran_printer
