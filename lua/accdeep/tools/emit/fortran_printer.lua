-- fortran_printer.lua - prints the functions of program_functions.lua as external procedures of Fortran.
--
-- Addresses and all other values are integers of 8 bytes. Bytes of the host are read by functions with pointers of
-- Fortran. The routines are those of OpenACC for C, which the procedures call by bind(C) interfaces.

local core = require "accdeep.core"
local program_functions = require "accdeep.tools.emit.program_functions"

local fortran_printer = {}

local scalar = core.scalar

-- Types that read a scalar of a code: {name, declaration}.
local loads = {
  [scalar.i8] = { "i8", "integer(c_int8_t)" }, [scalar.i16] = { "i16", "integer(c_int16_t)" },
  [scalar.i32] = { "i32", "integer(c_int32_t)" }, [scalar.i64] = { "i64", "integer(c_int64_t)" },
  [scalar.u64] = { "pointer", "type(c_ptr)" },
}

-- ---------------------------------------------------------------------------------------- helpers --

-- Text of a procedure that passes its arguments to a routine of C. PARAMETERS: the dummy arguments of the routine.
local ROUTINE = [[
subroutine NAME(ARGUMENTS)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: ARGUMENTS
  interface
    subroutine c_ROUTINE(PARAMETERS) bind(C, name='ROUTINE')
      import :: c_ptr, c_size_t
DECLARATIONS
    end subroutine c_ROUTINE
  end interface
  call c_ROUTINE(VALUES)
end subroutine NAME]]

-- Returns the text of the helper `name` that calls the routine `routine`. kinds: "address" or "bytes" for each
-- argument.
local function routine_text(name, routine, kinds)
  local arguments, declarations, values = {}, {}, {}
  for i, kind in ipairs(kinds) do
    arguments[i] = "argument_" .. i
    declarations[i] = ("      %s, value :: %s"):format(kind == "address" and "type(c_ptr)" or "integer(c_size_t)",
      arguments[i])
    values[i] = (kind == "address" and "transfer(%s, c_null_ptr)" or "int(%s, c_size_t)"):format(arguments[i])
  end
  local list = table.concat(arguments, ", ")
  return (ROUTINE:gsub("%u%u%u+", { NAME = name, ARGUMENTS = list, PARAMETERS = list, ROUTINE = routine,
    DECLARATIONS = table.concat(declarations, "\n"), VALUES = table.concat(values, ", ") }))
end

local ADDRESS, RANGE = { "address" }, { "address", "bytes" }
local routines = { acc_copyin = RANGE, acc_create = RANGE, acc_copyout = RANGE, acc_copyout_finalize = RANGE,
  acc_delete = RANGE, acc_delete_finalize = RANGE, acc_update_device = RANGE, acc_update_self = RANGE,
  acc_attach = ADDRESS, acc_detach = ADDRESS, acc_detach_finalize = ADDRESS,
  bcopy = { "address", "address", "bytes" }, free = ADDRESS }

-- Helpers that are no routines of C. PREFIX: the beginning of all names of the unit.
local helpers = {}
helpers.present = [[
integer(8) function NAME(address, bytes)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: address, bytes
  interface
    integer(c_int) function c_acc_is_present(address, bytes) bind(C, name='acc_is_present')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: address
      integer(c_size_t), value :: bytes
    end function c_acc_is_present
  end interface
  NAME = c_acc_is_present(transfer(address, c_null_ptr), int(bytes, c_size_t))
end function NAME]]
helpers.save = [[
integer(8) function NAME(address, bytes)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: address, bytes
  interface
    type(c_ptr) function c_malloc(bytes) bind(C, name='malloc')
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: bytes
    end function c_malloc
    subroutine c_bcopy(from, to, bytes) bind(C, name='bcopy')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: from, to
      integer(c_size_t), value :: bytes
    end subroutine c_bcopy
  end interface
  NAME = transfer(c_malloc(int(bytes, c_size_t)), NAME)
  call c_bcopy(transfer(address, c_null_ptr), transfer(NAME, c_null_ptr), int(bytes, c_size_t))
end function NAME]]
helpers.accdeep_require = [[
subroutine NAME(is_valid)
  implicit none
  integer(8) :: is_valid
  if (is_valid == 0) error stop 'the elements of a component are not contiguous'
end subroutine NAME]]
helpers.accdeep_deeper = [[
subroutine NAME(by)
  implicit none
  integer(8) :: by
  integer(8), save :: depth = 0
  depth = depth + by
  if (depth > 40000) error stop 'accdeep: more than 40000 objects follow one another: lower with --to accdeep'
end subroutine NAME]]
local LOAD = [[
integer(8) function NAME(address)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: address
  TYPE, pointer :: at
  call c_f_pointer(transfer(address, c_null_ptr), at)
  NAME = VALUE
end function NAME]]
-- Attaches or detaches a pointer whose data begin at `base`: its target is changed to the base for that time. Here and
-- for values that are saved bcopy copies, which `accdeep cc` does not check: these are no accesses of the program.
local ATTACH_AT = [[
subroutine NAME(pointer_cell, base)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: pointer_cell, base
  interface
    type(c_ptr) function device_address(host) bind(C, name='acc_deviceptr')
      import :: c_ptr
      type(c_ptr), value :: host
    end function device_address
    subroutine c_ROUTINE(pointer_cell) bind(C, name='ROUTINE')
      import :: c_ptr
      type(c_ptr), value :: pointer_cell
    end subroutine c_ROUTINE
    subroutine c_acc_memcpy_to_device(to, from, bytes) bind(C, name='acc_memcpy_to_device')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
    end subroutine c_acc_memcpy_to_device
    subroutine c_bcopy(from, to, bytes) bind(C, name='bcopy')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: from, to
      integer(c_size_t), value :: bytes
    end subroutine c_bcopy
    subroutine c_acc_memcpy_from_device(to, from, bytes) bind(C, name='acc_memcpy_from_device')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
    end subroutine c_acc_memcpy_from_device
  end interface
  integer(8), target :: host, found
  type(c_ptr) :: cell
  cell = transfer(pointer_cell, c_null_ptr)
  call c_bcopy(cell, c_loc(host), 8_c_size_t)
  found = base
  call c_bcopy(c_loc(found), cell, 8_c_size_t)
  call c_ROUTINE(cell)
STATEMENTS
  call c_bcopy(c_loc(host), cell, 8_c_size_t)
end subroutine NAME]]
local ON_DEVICE = [[
  found = transfer(device_address(transfer(base, c_null_ptr)), host) + (host - base)
  call c_acc_memcpy_to_device(device_address(cell), c_loc(found), 8_c_size_t)]]
-- A pointer that other directives have attached, too, keeps its target on the device.
local ON_HOST = [[
  call c_acc_memcpy_from_device(c_loc(found), device_address(cell), 8_c_size_t)
  if (found == base) call c_acc_memcpy_to_device(device_address(cell), c_loc(host), 8_c_size_t)]]
-- Returns the text of ATTACH_AT for a routine; `statements` set the pointer on the device.
local function attach_text(routine, statements)
  return (ATTACH_AT:gsub("%u%u%u%u+", { ROUTINE = routine, STATEMENTS = statements }))
end
helpers.accdeep_attach_at = attach_text("acc_attach", ON_DEVICE)
helpers.accdeep_detach_at = attach_text("acc_detach", ON_HOST)
helpers.accdeep_detach_finalize_at = attach_text("acc_detach_finalize", ON_HOST)

-- Returns the text of the helper `name`, a procedure that is called `as`.
function fortran_printer.helper(name, as)
  local load = name:match "^load_(.*)$"
  for _, entry in pairs(load and loads or {}) do
    if entry[1] == load then
      return (LOAD:gsub("NAME", as):gsub("TYPE", entry[2])
        :gsub("VALUE", load == "pointer" and ("transfer(at, %s)"):format(as) or "at"))
    end
  end
  if routines[name] then return routine_text(as, name, routines[name]) end
  return (assert(helpers[name], name):gsub("NAME", as))
end

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
  local to = loads[e.scalar] or self.cannot "a component of this kind in a bound"
  if e.address.op == "self" then
    return helper_value(self, "load_" .. to[1], self_address(e.address.offset + e.offset))
  end
  return helper_value(self, "load_" .. to[1], ("%s + %d_8"):format(value(self, e.address), e.offset))
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
