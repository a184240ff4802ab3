-- program_functions.lua - makes functions of a unit that map, unmap and update what the pointers of objects point to.
--
-- Input: mapping programs (lowering/mapping_compiler.lua). Output: for each program, action and phase one function in
-- an abstract form, which a printer (c_printer.lua) writes. The function walks `count` objects by byte offset. It
-- computes the bounds of each field from the register code, and reads the pointer in the object. Then it calls the
-- standard routines acc_copyin, acc_attach and so on, or executes a directive for bytes of the section. At last it
-- calls the function for the elements of the field. It needs neither the names of types nor access to members.
--
--   phase       what the function does with each object
--   enter       maps the targets of pointers and attaches the pointers.
--   attach      attaches aliases (@), when all data are present; detach: detaches them, before any are unmapped.
--   exit        unmaps the targets, in reverse order.
--   update      updates the object's values and those of the targets; `direction`: "device" or "self".
--   keep        restores host values, from the saved copy `kept`, that the transfer of whole objects overwrote.
--
-- Expressions:
--
--   {op = "const", value}, {op = "name", name}, {op = "host", text}     a number, a variable, a value of the unit.
--   {op = "input", text}, {op = "outer", register}   parameters: a value of the directive, of the enclosing element.
--   {op = "self", offset}, {op = "shift", base, by}, {op = "cast_address", a}     addresses.
--   {op = "pointer", offset}, {op = "load", scalar, address, offset}     the pointer in the object, a scalar.
--   {op = "arith" | "compare", operator, a, b, scalar}, {op = "unary", operator, a}, {op = "select", c, a, b},
--   {op = "cast", scalar, a}, {op = "distance", a, b, bytes}     as the instructions of the same names compute.
--   {op = "present", address, bytes}, {op = "call", name, args}     calls.
--
-- Statements:
--
--   {op = "let", name, type, value, comment}, {op = "if", cond, body, otherwise}, {op = "block", body}
--   {op = "routine", name, args}, {op = "call", fn, args, regs}     calls; regs: registers of the caller.
--   {op = "copy", to, from, bytes}, {op = "save", name, address, bytes}, {op = "free", name}     of host memory.
--   {op = "section", directive, clause, offset, first, bytes, is_final}     a directive for the pointer at `offset`.

local core = require "accdeep.core"
local program_transfers = require "accdeep.tools.emit.program_transfers"

local program_functions = {}

program_functions.LENGTH = 4000 -- greatest length of the text of an expression

local cannot, action_of, child_of, clause_of, inside, is_pointer = program_transfers.cannot,
  program_transfers.action_of, program_transfers.child_of, program_transfers.clause_of, program_transfers.inside,
  program_transfers.is_pointer
local opcode, scalar = core.opcode, core.scalar

-- ------------------------------------------------------------------------------------ expressions --

-- Returns an integer constant as an expression.
local function const(value) return { op = "const", value = value } end
-- Returns a name as an expression.
local function name(text) return { op = "name", name = text } end
-- Returns true if an expression is the constant `value`.
local function is_const(e, value) return e.op == "const" and e.value == value end
-- Returns the sum, in 64 bits, of two expressions.
local function add(a, b)
  if is_const(a, 0) then return b elseif is_const(b, 0) then return a end
  if a.op == "const" and b.op == "const" then return const(a.value + b.value) end
  return { op = "arith", operator = "+", a = a, b = b }
end
-- Returns the difference, in 64 bits, of two expressions.
local function subtract(a, b)
  if is_const(b, 0) then return a elseif a.op == "const" and b.op == "const" then return const(a.value - b.value) end
  return { op = "arith", operator = "-", a = a, b = b }
end
-- Returns the product, in 64 bits, of an expression and an integer.
local function times(a, factor)
  if factor == 1 then return a elseif a.op == "const" then return const(a.value * factor) end
  return { op = "arith", operator = "*", a = a, b = const(factor) }
end
-- Returns the address `by` bytes after an address.
local function shift(base, by)
  if is_const(by, 0) then return base end
  if base.op == "self" and by.op == "const" then return { op = "self", offset = base.offset + by.value } end
  return { op = "shift", base = base, by = by }
end
-- Returns the value of `e` where the pointer `guard` is not null, 0 elsewhere.
local function where(guard, e) return { op = "select", c = guard, a = e, b = const(0) } end

local arithmetic = { [opcode.ADD] = "+", [opcode.SUB] = "-", [opcode.MUL] = "*", [opcode.DIV] = "/",
  [opcode.MOD] = "%", [opcode.SHL] = "<<", [opcode.SHR] = ">>", [opcode.AND] = "&", [opcode.OR] = "|",
  [opcode.XOR] = "^" }
local comparisons = { [opcode.EQ] = "==", [opcode.NE] = "!=", [opcode.LT] = "<", [opcode.LE] = "<=" }
local unary = { [opcode.NEG] = "-", [opcode.NOT] = "~", [opcode.LNOT] = "!" }

-- Returns a load as an expression. An address that is -1 where nothing is to be read gives 0 there.
local function load(address, offset, code)
  if address.op == "select" and is_const(address.b, -1) then
    return { op = "select", c = address.c, a = load(address.a, offset, code), b = const(0) }
  end
  return { op = "load", scalar = code, address = address, offset = offset }
end

local Functions = {}
Functions.__index = Functions

-- Returns the value that an instruction gets from the unit as an expression; nil if `input` (unit.input, unit.call) is
-- nil. A value that only the directive can compute becomes a parameter.
local function host_value(input)
  return input and { op = input.is_global and "host" or "input", text = input.text }
end

-- Returns the expression of one instruction. `regs`: expressions of the registers; `required`: list that receives
-- conditions without which the section is invalid.
local function instruction(unit, regs, required, op, a, b, k)
  if op == opcode.CONST then
    return type(k) == "table" and { op = "variable", symbol = k } or const(k)
  elseif op == opcode.INHERIT then
    return { op = "outer", register = k }
  elseif op == opcode.SELF then
    return { op = "self", offset = 0 }
  elseif op == opcode.LOAD then
    return load({ op = "self", offset = 0 }, k, b)
  elseif op == opcode.LOAD_AT and regs[a].op == "variable" then
    return host_value(unit.input(regs[a].symbol, k, b))
  end
  local x, y = program_functions.value(unit, regs[a]), program_functions.value(unit, regs[b])
  if op == opcode.LOAD_AT then
    return load(x, k, b)
  elseif arithmetic[op] then
    if op == opcode.OR and regs[a] == regs[b] then return regs[a] end
    if op == opcode.ADD and k == 0 then return add(x, y) end
    return { op = "arith", operator = arithmetic[op], a = x, b = y, scalar = k > 0 and k - 1 or nil }
  elseif comparisons[op] then
    return { op = "compare", operator = comparisons[op], a = x, b = y, is_unsigned = k > 0 }
  elseif unary[op] then
    return { op = "unary", operator = unary[op], a = x }
  elseif op == opcode.SELECT then
    return { op = "select", c = x, a = y, b = program_functions.value(unit, regs[k]) }
  elseif op == opcode.CAST then
    return { op = "cast", scalar = b, a = x }
  elseif op == opcode.DISTANCE then
    return { op = "distance", a = x, b = y, bytes = k }
  elseif op == opcode.REQUIRE then
    required[#required + 1] = x
    return x
  elseif op == opcode.CALL or op == opcode.CALL_IF then
    local first, args, call = op == opcode.CALL and a or a + 1, {}, unit.call(k)
    for i = 1, b do args[i] = program_functions.value(unit, regs[first + i - 1]) end
    local value = call.float and { op = "load", scalar = call.float, address = args[1], offset = 0 }
      or call.text and host_value(call) or { op = "call", name = call.name, args = args }
    return op == opcode.CALL and value or { op = "select", c = x, a = value, b = const(0) }
  end
  cannot "this bound"
end

-- Returns an expression in which the address of a variable of the unit is replaced by its text.
function program_functions.value(unit, e)
  return e and e.op == "variable" and host_value(unit.input(e.symbol)) or e
end

-- Returns the bounds of a program's fields, a list of {count, start, required} in their order. required: conditions
-- without which the section is invalid. Sets fn.regs to the registers after the last field.
local function evaluate(self, fn, program)
  local unit, regs, list, at, code = self.unit, {}, {}, 1, program.code
  for i, field in ipairs(program.fields) do
    local required = {}
    while at < field.code_end * 5 do
      local op, to, a, b, k = table.unpack(code, at, at + 4)
      regs[to] = instruction(unit, regs, required, op, a, b, k)
      at = at + 5
    end
    list[i] = { count = program_functions.value(unit, regs[field.count]), required = required,
      start = field.start and field.start >= 0 and program_functions.value(unit, regs[field.start]) or const(0) }
  end
  fn.regs = regs
  return list
end

-- ------------------------------------------------------------------------------------- statements --

-- Appends statements for the requirements of a field's bounds to `body`.
local function check_bounds(bounds, body)
  for _, condition in ipairs(bounds.required) do
    body[#body + 1] = { op = "routine", name = "accdeep_require", args = { condition } }
  end
end

-- Returns the name of a field in comments; nil if it has none.
local function name_of(field)
  local text = field.label and field.label.name
  return text ~= "" and text or nil
end

-- Appends the call of the function for the elements of a field to `body`, unless that function has nothing to do.
-- `address`, `count`: the elements; `saved_copy`: its address, or nil.
local function call_inside(self, fn, field, address, count, body, phase, saved_copy)
  if not child_of(field, fn.stack) then return end
  local stack = inside(field, fn.stack)
  local inner = self:get(stack, { phase = phase or fn.phase, direction = fn.direction, finalize = fn.finalize,
    if_present = fn.if_present, action = action_of(field, fn.action) })
  if inner.is_empty then return end
  local is_recursive = field.up and field.up > 0
  if is_recursive then body[#body + 1] = { op = "routine", name = "accdeep_deeper", args = { const(1) } } end
  body[#body + 1] = { op = "call", fn = inner, args = { address, count, saved_copy }, regs = fn.regs }
  if is_recursive then body[#body + 1] = { op = "routine", name = "accdeep_deeper", args = { const(-1) } } end
end

-- Returns the statements for a field whose elements the object contains; `make(address, count, body)` appends them.
local function contained(fn, field, bounds, make)
  local body, inner = {}, {}
  local address = shift({ op = "self", offset = field.offset }, times(bounds.start, field.unit))
  if bounds.count.op == "const" then
    make(address, bounds.count, inner)
    return bounds.count.value > 0 and inner or {}
  end
  make(address, name "n", inner)
  if not inner[1] then return {} end
  check_bounds(bounds, body)
  body[#body + 1] = { op = "let", name = "n", type = "long", value = bounds.count, comment = fn.comment }
  body[#body + 1] = { op = "if", cond = { op = "compare", operator = "<", a = const(0), b = name "n" }, body = inner }
  return { { op = "block", body = body } }
end

-- Returns the statements for the elements that the object contains: the call of their function.
local function elements(self, fn, field, bounds)
  return contained(fn, field, bounds, function(address, count, body)
    call_inside(self, fn, field, address, count, body)
  end)
end

-- Appends a check to `body` that the elements which a descriptor of gfortran describes are contiguous: its strides are
-- products of the extents before, and they count elements.
local function check_contiguous(field, body)
  local array, unit = field.label.array, field.unit
  local function word(offset)
    return load({ op = "self", offset = 0 }, field.offset + offset, scalar.i64)
  end
  local function equal(a, b) return { op = "compare", operator = "==", a = a, b = b } end
  local valid, product = equal(word(array.span), const(unit)), const(1)
  for i = 1, array.rank do
    local at = array.described + 24 * (i - 1)
    local extent = add(subtract(word(at + 16), word(at + 8)), const(1))
    local dimension = { op = "arith", operator = "|", a = equal(extent, const(1)), b = equal(word(at), product) }
    valid = { op = "arith", operator = "&", a = valid, b = dimension }
    product = is_const(product, 1) and extent or { op = "arith", operator = "*", a = product, b = extent }
  end
  body[#body + 1] = { op = "routine", name = "accdeep_require", args = { valid } }
end

-- Returns the statements for the pointer of a field, whose section is not empty: make(to, count, slot, body) appends
-- them. `to`: address of the section; `slot`: address of the pointer. otherwise: statements for other pointers, or nil.
local function pointed(fn, field, bounds, make, otherwise)
  local slot = { op = "self", offset = field.offset }
  local body, inner = { { op = "let", name = "p", type = "address", value = { op = "pointer", offset = field.offset },
    comment = fn.comment } }, {}
  local count, condition = bounds.count, name "p"
  if count.op ~= "const" or count.value <= 0 then
    count, condition = name "n", { op = "compare", operator = "<", a = const(0), b = name "n" }
    if bounds.required[1] then
      local checks = {}
      check_bounds(bounds, checks)
      body[#body + 1] = { op = "if", cond = name "p", body = checks }
    end
    body[#body + 1] = { op = "let", name = "n", type = "long", value = where(name "p", bounds.count) }
  end
  local start = bounds.start
  if field.slot_bytes and field.label.array and field.label.array.span then
    check_contiguous(field, inner)
    if not field.label.section then start = const(0) end
  end
  local to = name "p"
  if not is_const(start, 0) then
    local address = shift(name "p", times(start, field.unit))
    inner[#inner + 1] = { op = "let", name = "to", type = "address", value = address }
    to = name "to"
  end
  local first = #inner
  make(to, count, slot, inner)
  if #inner == first and not otherwise then return {} end
  body[#body + 1] = { op = "if", cond = condition, body = inner, otherwise = otherwise }
  return { { op = "block", body = body } }
end

-- Returns the statements that give a pointer without a target the host's value on the device, for objects that are not
-- copied in; nil for others.
local function set_pointer(fn, field)
  if not fn.sets_pointers then return nil end
  local slot = { op = "self", offset = field.offset }
  return { { op = "if", cond = { op = "present", address = slot, bytes = const(8) },
    body = { { op = "routine", name = "acc_update_device", args = { slot, const(8) } } } } }
end

-- Returns the directive that maps a section and attaches its pointer, or detaches the pointer and unmaps the section.
-- One directive costs less than a routine for each step, and the section may begin after element 0 of the target.
local function section(directive, clause, field, bounds, bytes, is_final)
  return { op = "section", directive = directive, clause = clause, offset = field.offset,
    first = times(bounds.start, field.unit), bytes = bytes, is_final = is_final }
end

-- Functions by phase: fields[phase](self, fn, field, bounds) returns the statements for a field.
local fields = {}

-- Appends the routine `text` for a range to `body`; with if_present, only if the range is present.
local function transfer(fn, body, text, address, bytes)
  local statement = { op = "routine", name = text, args = { address, bytes } }
  if fn.if_present then
    statement = { op = "if", cond = { op = "present", address = address, bytes = bytes }, body = { statement } }
  end
  body[#body + 1] = statement
end

-- Returns the statements that map the target of a pointer and attach the pointer.
function fields.enter(self, fn, field, bounds)
  if field.alias then return {} end
  if not is_pointer(field) then return elements(self, fn, field, bounds) end
  local moves_in = program_transfers.traffic_of(field, fn.stack, fn.action, self.keeps_pointers)
  local enter = clause_of(action_of(field, fn.action)).enter or cannot(("'%s' of what a structure points to"):format(
    action_of(field, fn.action)))
  if child_of(field, fn.stack) then enter = moves_in and "copyin" or "create" end
  return pointed(fn, field, bounds, function(to, count, slot, body)
    local bytes = times(count, field.unit)
    if not self.attach_at then
      body[#body + 1] = section("enter data", enter, field, bounds, bytes)
    else
      body[#body + 1] = { op = "routine", name = "acc_" .. enter, args = { to, bytes } }
      body[#body + 1] = to.name == "to" and { op = "routine", name = self.attach_at, args = { slot, to } }
        or { op = "routine", name = "acc_attach", args = { slot } }
    end
    call_inside(self, fn, field, to, count, body)
  end, set_pointer(fn, field))
end

-- Returns the statements that unmap the target of a pointer.
function fields.exit(self, fn, field, bounds)
  if field.alias then return {} end
  if not is_pointer(field) then return elements(self, fn, field, bounds) end
  local _, moves_out, stays = program_transfers.traffic_of(field, fn.stack, fn.action, self.keeps_pointers)
  local final = fn.finalize and "_finalize" or ""
  return pointed(fn, field, bounds, function(to, count, slot, body)
    call_inside(self, fn, field, to, count, body)
    local bytes, clause = times(count, field.unit), moves_out and "copyout" or "delete"
    local is_section = not self.attach_at
    if not is_section and not self.keeps_pointers then
      body[#body + 1] = to.name == "to" and { op = "routine", name = ("accdeep_detach%s_at"):format(final),
        args = { slot, to } } or { op = "routine", name = "acc_detach" .. final, args = { slot } }
    end
    if stays then body[#body + 1] = { op = "save", name = "kept", address = to, bytes = bytes } end
    body[#body + 1] = is_section and section("exit data", clause, field, bounds, bytes, fn.finalize)
      or { op = "routine", name = "acc_" .. clause .. final, args = { to, bytes } }
    if stays then
      call_inside(self, fn, field, to, count, body, "keep", name "kept")
      body[#body + 1] = { op = "free", name = "kept" }
    end
  end)
end

-- Returns the statements that attach or detach an alias, or those of the elements of a field.
local function alias(self, fn, field, bounds)
  if not field.alias then
    local function make(address, count, third, body)
      call_inside(self, fn, field, address, count, body or third)
    end
    return (is_pointer(field) and pointed or contained)(fn, field, bounds, make)
  end
  local slot, body = { op = "self", offset = field.offset }, {}
  local routine = "acc_" .. fn.phase .. (fn.finalize and "_finalize" or "")
  if is_const(bounds.start, 0) then
    body[1] = { op = "routine", name = routine, args = { slot } }
  else
    local pointer, base = { op = "pointer", offset = field.offset }, bounds.start
    local is_distance = base.op == "arith" and base.operator == "-" and base.b.op == "load"
      and base.b.address.op == "self" and base.b.offset == field.offset
    body[1] = { op = "routine", name = routine:gsub("^acc_", "accdeep_") .. "_alias",
      args = { slot, is_distance and { op = "cast_address", a = base.a } or shift(pointer, base) } }
  end
  return { { op = "if", cond = bounds.count, body = body, otherwise = set_pointer(fn, field), comment = fn.comment } }
end
fields.attach, fields.detach = alias, alias

-- Returns the statements that update the target of a pointer, or a section of the object itself.
function fields.update(self, fn, field, bounds)
  if field.alias or program_transfers.is_pointer_value(fn.stack[#fn.stack], field) then return {} end
  local routine = "acc_update_" .. fn.direction
  local child = child_of(field, fn.stack)
  if child and program_transfers.is_trivial(child) then child = nil end
  if is_pointer(field) then
    return pointed(fn, field, bounds, function(to, count, _, body)
      if child then return call_inside(self, fn, field, to, count, body) end
      transfer(fn, body, routine, to, times(count, field.unit))
    end)
  end
  return contained(fn, field, bounds, function(address, count, body)
    if child or field.embedded then return call_inside(self, fn, field, address, count, body) end
    transfer(fn, body, routine, address, times(count, field.unit))
  end)
end

-- Appends the statements of a function for each object of its program to `body`. Bounds use the host's values from
-- before the directive. An update of the host therefore copies the targets of pointers first, then nested elements,
-- then sections of the object itself with computed bounds, and its other values last.
local function each_field(self, fn, body)
  local program = fn.stack[#fn.stack]
  local bounds = evaluate(self, fn, program)
  local from, to, step = 1, #program.fields, 1
  if fn.phase == "exit" or fn.phase == "detach" then from, to, step = to, from, -1 end
  local nested, sections, values = {}, {}, {}
  for i = from, to, step do
    local field = program.fields[i]
    fn.comment = name_of(field)
    local list = body
    if fn.phase == "update" and not is_pointer(field) then
      list = child_of(field, fn.stack) and nested or bounds[i].count.op == "const" and values or sections
    end
    for _, statement in ipairs(fields[fn.phase](self, fn, field, bounds[i])) do list[#list + 1] = statement end
  end
  for _, range in ipairs(fn.phase == "update" and program_transfers.updated_ranges(program) or {}) do
    transfer(fn, values, "acc_update_" .. fn.direction, { op = "self", offset = range.from },
      const(range.to - range.from))
  end
  for _, list in ipairs { nested, sections, values } do table.move(list, 1, #list, #body + 1, body) end
end

-- Appends the statements that restore host values of an object, from its saved copy, to `body`.
local function restore(self, fn, body)
  local program = fn.stack[#fn.stack]
  local bounds = evaluate(self, fn, program)
  local bounds_of = {}
  for i, field in ipairs(program.fields) do bounds_of[field] = bounds[i] end
  local function copy(from, bytes)
    body[#body + 1] = { op = "copy", to = shift(name "object", from), from = shift({ op = "self", offset = 0 }, from),
      bytes = bytes }
  end
  local ranges, nested = program_transfers.kept_ranges(fn.stack, fn.action, self.keeps_pointers)
  for _, range in ipairs(ranges) do
    local at = const(range.from)
    for _, field in ipairs(range.sections) do
      local own = bounds_of[field]
      local first = add(const(field.offset), times(own.start, field.unit))
      copy(at, subtract(first, at))
      at = add(first, times({ op = "select", c = { op = "compare", operator = "<", a = const(0), b = own.count },
        a = own.count, b = const(0) }, field.unit))
    end
    copy(at, subtract(const(range.to), at))
  end
  for _, field in ipairs(nested) do
    local own = bounds_of[field]
    local by = add(const(field.offset), times(own.start, field.unit))
    call_inside(self, fn, field, shift(name "object", by), own.count, body, "keep", shift({ op = "self", offset = 0 },
      by))
  end
end

-- ------------------------------------------------------------------------------------- functions --

-- Calls visit(e) for an expression, and for the expressions that it consists of, each once. `visited`: set of those
-- that were visited before.
local function each_expression(e, visit, visited)
  if visited[e] then return end
  visited[e] = true
  visit(e)
  for _, key in ipairs { "a", "b", "c", "address", "base", "by", "bytes", "cond", "value", "to", "from", "first" } do
    if type(e[key]) == "table" then each_expression(e[key], visit, visited) end
  end
  for _, arg in ipairs(e.args or {}) do each_expression(arg, visit, visited) end
end

-- Calls visit(statement) for the statements of a list, and for those in them.
local function each_statement(body, visit)
  for _, statement in ipairs(body or {}) do
    visit(statement)
    each_statement(statement.body, visit)
    each_statement(statement.otherwise, visit)
  end
end

-- Adds `key` to the list `names` of parameters, which is also a table from key to the parameter's name, unless it is
-- there. Returns true if it is new.
local function add_parameter(list, names, key, prefix)
  if names[key] then return false end
  list[#list + 1] = key
  names[key] = prefix .. #list
  return true
end

-- Adds the parameters that the statements of a function need: inputs of the directive, and registers of the enclosing
-- element. Returns true if there is a new one.
local function add_parameters(fn)
  local is_new, visited = false, {}
  local function visit(e)
    if e.op == "input" then is_new = add_parameter(fn.inputs, fn.input_names, e.text, "bound_") or is_new
    elseif e.op == "outer" then is_new = add_parameter(fn.inherited, fn.outer_names, e.register, "outer_") or is_new end
  end
  each_statement(fn.body, function(statement)
    each_expression(statement, visit, visited)
    if statement.op ~= "call" then return end
    for _, text in ipairs(statement.fn.inputs) do visit { op = "input", text = text } end
    for _, register in ipairs(statement.fn.inherited) do
      each_expression(statement.regs[register] or cannot "a bound of this recursive type", visit, visited)
    end
  end)
  return is_new
end

-- Returns the function for the program that ends `stack`; makes it at the first call. `request`: {phase, action,
-- direction, finalize, if_present}.
--
-- A function has the fields of `request`, `name`, `body`, `is_empty` and `stride`. `inputs` are the texts of the values
-- that the directive passes, `inherited` the registers of the enclosing element. `input_names` and `outer_names` are
-- the names of their parameters.
function Functions:get(stack, request)
  local program = stack[#stack]
  local by_key = self.by_program[program] or {}
  self.by_program[program] = by_key
  local key = ("%s %s %s %s"):format(request.phase, request.direction or request.action, request.finalize or "",
    request.if_present or "")
  local fn = by_key[key]
  if fn then return fn end
  fn = { stack = stack, phase = request.phase, action = request.action, direction = request.direction,
    finalize = request.finalize, if_present = request.if_present, inputs = {}, input_names = {}, inherited = {},
    outer_names = {}, body = {}, stride = program.stride }
  by_key[key] = fn
  fn.sets_pointers = (fn.phase == "enter" or fn.phase == "attach") and fn.action ~= "present"
    and not program_transfers.traffic(stack, fn.action, self.keeps_pointers)
  local is_alias_phase = fn.phase == "attach" or fn.phase == "detach"
  if not is_alias_phase or program_transfers.has_aliases(stack, {}) then
    (fn.phase == "keep" and restore or each_field)(self, fn, fn.body)
  end
  fn.is_empty = not fn.body[1]
  if not fn.is_empty then table.insert(self.pending, fn) end
  return fn
end

-- Returns the function that a directive calls for objects of a program (Functions:get), after all functions that are
-- new have been printed; nil if it is empty.
function Functions:of(program, request)
  local fn = self:get({ program }, request)
  local pending = self.pending
  repeat
    local is_new = false
    for _, other in ipairs(pending) do is_new = add_parameters(other) or is_new end
  until not is_new
  self.pending = {}
  for _, other in ipairs(pending) do self.unit.define(other) end
  return not fn.is_empty and fn or nil
end

-- Returns an empty list of functions for a unit. keeps_pointers: pointers are not detached, as OpenMP's directives do
-- not. attach_at: name of a routine that attaches a pointer to data which begin after its target; nil: directives map
-- data and attach pointers. Functions of `unit`:
--   input(symbol, offset, scalar)  the variable of a symbol as {text, is_global}: the value of that scalar type
--                                  `offset` bytes from its address or, without an offset, the address itself.
--                                  is_global: the text has this meaning in generated functions, too; otherwise the
--                                  directive passes the value.
--   call(symbol)                   a function that a bound calls: {name} for functions of an object, {float = scalar}
--                                  for the conversion of a floating number, or {text, is_global} as above.
--   define(fn)                     prints a function and sets fn.name.
function program_functions.new(unit, keeps_pointers, attach_at)
  return setmetatable({ unit = unit, keeps_pointers = keeps_pointers, attach_at = attach_at, by_program = {},
    pending = {} }, Functions)
end

return program_functions
