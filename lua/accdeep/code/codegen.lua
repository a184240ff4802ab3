-- codegen.lua - expressions in section bounds, as instructions of the core's mapping programs.
--
-- Names are looked up as the context says: first the members of the element's type (TR14-3.3-07),
-- then the host program. Expressions have the types and values that C gives them (arithmetic.lua,
-- core/walk/arithmetic.c); what C leaves undefined ends as a section that is not valid. Start and length of a section
-- are 64-bit integers, and so is what is computed with them here.

local arithmetic = require "accdeep.types.arithmetic"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local member_functions = require "accdeep.code.member_functions"
local names = require "accdeep.types.names"
local types = require "accdeep.types"

local raise = diagnostic.raise
local op, scalar = core.opcode, core.scalar
local INT, LONG, ULONG = types.scalars.int, types.scalars.long, types.scalars["unsigned long"]

local codegen = {}

local REGISTERS = 64
local NOWHERE = -1 -- an address of which nothing is read
local ROOM = 24 -- registers that one expression may need at once

-- --------------------------------------------------------------------------------- the builder --

local Builder = {}
Builder.__index = Builder

function codegen.builder()
  return setmetatable({ code = {}, n = 0, next = 0, most = 0, known = {}, pinned = {} }, Builder)
end

function Builder:register(pos)
  while self.pinned[self.next] do self.next = self.next + 1 end
  local r = self.next
  if r >= REGISTERS then
    raise("limit", pos, "the expression is too long", { rule = "HOUSE-limit" })
  end
  self.next = r + 1
  if self.next > self.most then self.most = self.next end
  return r
end

-- Appends an instruction; the same one is not computed twice.
function Builder:emit(pos, opcode, a, b, k)
  local key = ("%d:%d:%d:%d"):format(opcode, a, b, k)
  local r = self.known[key]
  if r then return r end
  r = self:register(pos)
  local code, n = self.code, self.n * 5
  code[n + 1], code[n + 2], code[n + 3], code[n + 4], code[n + 5] = opcode, r, a, b, k
  self.n = self.n + 1
  self.known[key] = r
  return r
end

-- Between two fields: registers that are not wanted any more serve again.
function Builder:boundary()
  if self.next > REGISTERS - ROOM then
    self.known, self.next = {}, 0
  end
end

-- An operand of what may fail: where the expression is not evaluated, a number with which it does not fail.
function Builder:guarded(pos, r, harmless)
  if not self.guard then return r end
  return self:emit(pos, op.SELECT, self.guard, r, self:emit(pos, op.CONST, 0, 0, harmless))
end

-- Makes the code of an expression that is evaluated only where a register is 1, not 0.
function Builder:only_if(pos, r, fn, ...)
  local outer = self.guard
  self.guard = outer and self:emit(pos, op.AND, outer, r, 0) or r
  local v = fn(...)
  self.guard = outer
  return v
end

-- A builder whose code is thrown away: for the type of an expression.
function Builder:scratch() return setmetatable({ code = {}, known = {}, pinned = {} }, { __index = self }) end

-- Keeps a register to the end: inner elements read it.
function Builder:pin(r) self.pinned[r] = true end

-- ----------------------------------------------------------------------------------- values --

local value, lvalue -- forward

local function constant(v, t) return { const = v, type = t or LONG } end

-- Raises for what the core cannot compute with.
local function check_integer(v, pos)
  if v.type.float then
    raise("type-mismatch", pos, "bounds of sections are integers", { rule = "ACC33-2.7.1-1",
      help = "a cast makes an integer of it: (int)x" })
  elseif v.type.kind ~= "scalar" and v.type.kind ~= "pointer" then
    raise("type-mismatch", pos, ("a number is needed, this is %s"):format(types.name(v.type)))
  end
end

local function reg(b, v, pos)
  if v.reg then return v.reg end
  if not v.const or v.type.float then check_integer(v, pos) end
  return b:emit(pos, op.CONST, 0, 0, v.const)
end

-- Reads what stands in a place.
local function load(b, place, pos)
  local t = place.type
  if t.kind == "array" then
    local address = place.address and constant(place.address)
      or { reg = place.self and b:emit(pos, op.SELF, 0, 0, 0) or place.reg }
    if place.offset ~= 0 then
      if address.const then
        address = constant(address.const + place.offset)
      else
        local offset = b:emit(pos, op.CONST, 0, 0, place.offset)
        address = { reg = b:emit(pos, op.ADD, address.reg, offset, 0) }
      end
    end
    address.type = types.pointer(t.of)
    return address
  end
  if t.float then return { place = place, type = t } end
  check_integer(place, pos)
  local code = t.kind == "pointer" and scalar.u64 or t.code
  if place.self then
    return { reg = b:emit(pos, op.LOAD, 0, code, place.offset), type = t }
  elseif place.address then
    local address = b:emit(pos, op.CONST, 0, 0, place.address + place.offset)
    return { reg = b:emit(pos, op.LOAD_AT, address, code, 0), type = t }
  end
  local address = b:guarded(pos, place.reg, NOWHERE)
  return { reg = b:emit(pos, op.LOAD_AT, address, code, place.offset), type = t }
end

-- The address of a place.
local function address_of(b, place, pos)
  if place.address then return constant(place.address + place.offset) end
  local base = place.self and b:emit(pos, op.SELF, 0, 0, 0) or place.reg
  if place.offset == 0 then return { reg = base, type = LONG } end
  local offset = b:emit(pos, op.CONST, 0, 0, place.offset)
  return { reg = b:emit(pos, op.ADD, base, offset, 0), type = LONG }
end

local function size_of(t, pos)
  if t.kind == "void" or t.kind == "function" or (t.kind == "record" and not t.complete) then
    names.no_size(t, pos)
  end
  return t.size
end

local folders = {
  ["+"] = function(a, b) return a + b end,
  ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end,
  ["&"] = function(a, b) return a & b end,
  ["|"] = function(a, b) return a | b end,
  ["^"] = function(a, b) return a ~ b end,
  ["=="] = function(a, b) return a == b and 1 or 0 end,
  ["!="] = function(a, b) return a ~= b and 1 or 0 end,
  ["<"] = function(a, b) return a < b and 1 or 0 end,
  ["<="] = function(a, b) return a <= b and 1 or 0 end,
  [">"] = function(a, b) return a > b and 1 or 0 end,
  [">="] = function(a, b) return a >= b and 1 or 0 end,
}
local SMALL = 1 << 31
local function small(v) return v < SMALL and v > -SMALL end

local opcodes = {
  ["+"] = op.ADD, ["-"] = op.SUB, ["*"] = op.MUL, ["/"] = op.DIV, ["%"] = op.MOD, ["&"] = op.AND,
  ["|"] = op.OR, ["^"] = op.XOR, ["<<"] = op.SHL, [">>"] = op.SHR, ["=="] = op.EQ, ["!="] = op.NE,
  ["<"] = op.LT, ["<="] = op.LE,
}

-- Computes with start, length and addresses: in 64 bits, signed.
local function apply(b, operator, x, y, pos, t)
  t = t or LONG
  if x.const and y.const and folders[operator] and small(x.const) and small(y.const) then
    return { const = folders[operator](x.const, y.const), type = t }
  end
  if operator == ">" then return apply(b, "<", y, x, pos) end
  if operator == ">=" then return apply(b, "<=", y, x, pos) end
  return { reg = b:emit(pos, opcodes[operator], reg(b, x, pos), reg(b, y, pos), 0), type = t }
end

function codegen.select(b, condition, x, y, pos)
  if condition.const then return condition.const ~= 0 and x or y end
  return { reg = b:emit(pos, op.SELECT, condition.reg, reg(b, x, pos), reg(b, y, pos)), type = LONG }
end

-- A section is not valid where a condition is 0. n: rows have so many elements, of which it takes a part; 0: it is not
-- in its row.
function codegen.require(b, condition, n, pos)
  if not condition.const then b:emit(pos, op.REQUIRE, condition.reg, 0, n) end
end

-- A number as one of another type.
local function converted(b, v, t, pos)
  check_integer(v, pos)
  local from = v.type.kind == "pointer" and ULONG or v.type
  if v.const then return constant(arithmetic.converter(from, t)(v.const), t) end
  if arithmetic.holds(from, t) then return { reg = v.reg, type = t } end
  return { reg = b:emit(pos, op.CAST, v.reg, t.code, 0), type = t }
end

-- What the second operand is where an operation must not fail.
local harmless = { ["+"] = 0, ["-"] = 0, ["*"] = 0, ["/"] = 1, ["%"] = 1, ["<<"] = 0, [">>"] = 0 }

-- Computes with two values of one type, as C does.
local function typed(b, operator, t, x, y, pos)
  if operator == ">" then return typed(b, "<", t, y, x, pos) end
  if operator == ">=" then return typed(b, "<=", t, y, x, pos) end
  local compare = arithmetic.comparison(operator, t)
  if x.const and y.const then
    if compare then return constant(compare(x.const, y.const) and 1 or 0, INT) end
    if arithmetic.is_defined(operator, t, x.const, y.const) then
      return constant(arithmetic.operation(operator, t)(x.const, y.const), t)
    end
  end
  local left, right, kind = reg(b, x, pos), reg(b, y, pos), 0
  local is_wide = t.code == scalar.u64 or t.kind == "pointer"
  if compare then
    if is_wide and operator ~= "==" and operator ~= "!=" then kind = 1 + scalar.u64 end
    return { reg = b:emit(pos, opcodes[operator], left, right, kind), type = INT }
  end
  if harmless[operator] then
    kind = 1 + t.code
    local never_fails = y.const and arithmetic.is_defined(operator, t, 0, y.const)
      and (not t.signed or operator == ">>" or (operator == "/" or operator == "%") and y.const ~= -1)
    local wraps = not t.signed and (operator == "+" or operator == "-" or operator == "*")
    if not never_fails and not wraps then right = b:guarded(pos, right, harmless[operator]) end
  end
  return { reg = b:emit(pos, opcodes[operator], left, right, kind), type = t }
end

-- A place displaced by a number of elements.
local function displaced(b, place, index, size, t, pos)
  if index.const and small(index.const) then
    return { self = place.self, address = place.address, reg = place.reg,
      offset = place.offset + index.const * size, type = t }
  end
  local bytes = apply(b, "*", index, constant(size), pos)
  local address = apply(b, "+", address_of(b, place, pos), bytes, pos)
  return { reg = reg(b, address, pos), offset = 0, type = t }
end

local function behind(b, pointer, pos)
  return { reg = reg(b, pointer, pos), offset = 0, type = pointer.type.to }
end

local function number(b, ctx, node)
  local v = value(b, ctx, node)
  if v.type.kind ~= "scalar" then
    raise("type-mismatch", node.pos, ("a number is needed, this is %s"):format(types.name(v.type)))
  end
  check_integer(v, node.pos)
  return v
end

-- A bound or an index: the 64-bit integer with the value of an expression.
local function integer(b, ctx, node) return converted(b, number(b, ctx, node), LONG, node.pos) end

local lvalues = {}

local function is_lvalue(node) return lvalues[node.tag] and (node.tag ~= "unary" or node.op == "*") end

-- Where a name leads that the nearest nest does not know: to values of its parameters, and to members of the
-- objects around it (TR14-5-01, TR14-5-04). ctx.above is the context of the structure around in the same
-- element, ctx.out what is compiled for the element, out.around the same of the element around.

-- A value or an address computed in the element around, as this element's program reads it.
local function inherited(b, pos, around, register)
  around.builder:pin(register)
  return b:emit(pos, op.INHERIT, 0, 0, register)
end

-- The value of a parameter, or nil.
local function parameter(b, ctx, node)
  local at, name = ctx, node.name
  while at do
    local bound = at.values and at.values[name]
    if bound and bound.node then
      local function here() return value(b, setmetatable({ values = false }, { __index = at }), bound.node) end
      if bound.default then return ctx.session:at(bound.place, here) end
      if at.above then return value(b, at.above, bound.node) end
      local around = at.out and at.out.around
      if not around then return value(b, { session = ctx.session }, bound.node) end
      if at.out then at.out.touched = true end
      local v = value(around.builder, around.ctx, bound.node)
      if v.const then return v end
      return { reg = inherited(b, node.pos, around, reg(around.builder, v, node.pos)), type = v.type }
    end
    at = at.above
  end
  return nil
end

-- Where an object around, or a part of it, lies, or nil. find(ctx) gives a level's own: offset, type.
local function around_place(b, ctx, find, pos)
  local at = ctx.above
  while at do
    local offset, t = find(at)
    if offset then return { self = true, offset = at.base + offset, type = t } end
    at = at.above
  end
  local around = ctx.out and ctx.out.around
  if not around then return nil end
  local inner = around.ctx
  local offset, t = find(inner)
  local there = offset and { self = true, offset = inner.base + offset, type = t }
    or around_place(around.builder, inner, find, pos)
  if not there then return nil end
  ctx.out.touched = true
  local address = reg(around.builder, address_of(around.builder, there, pos), pos)
  return { reg = inherited(b, pos, around, address), offset = 0, type = there.type }
end

local function member_around(b, ctx, name, pos)
  return around_place(b, ctx, function(at)
    local member = at.record and types.member(at.record, name)
    if member then return member.offset, member.type end
  end, pos)
end

-- The object that a mapper's variable stands for (OMP60-map-15): the element, or one around it.
local function mapped_object(b, ctx, record, pos)
  if ctx.record == record then return { self = true, offset = ctx.base, type = record } end
  return around_place(b, ctx, function(at)
    if at.record == record then return 0, record end
  end, pos)
end

-- The member of the element's type that a name means; ::name is the host program's.
local function member_of(ctx, node)
  return ctx.record and not node.global and types.member(ctx.record, node.name)
end

function lvalues.id(b, ctx, node)
  local object = node.mapped and mapped_object(b, ctx, node.mapped, node.pos)
  if object then return object end
  local member = member_of(ctx, node)
  if member then
    return { self = true, offset = ctx.base + member.offset, type = member.type }
  end
  if not node.global and ctx.session.rules.extended then
    local there = member_around(b, ctx, node.name, node.pos)
    if there then return there end
  end
  if not node.global and ctx.session:this_member(node.name) then
    local this = { tag = "id", name = "this", pos = node.pos }
    return lvalues.member(b, ctx, { tag = "member", pos = node.pos, name_pos = node.pos, base = this, arrow = true,
      name = node.name })
  end
  local variable = ctx.session.scope.variables[node.name]
  if variable then return { address = variable.address, offset = 0, type = variable.type } end
  local known = ctx.session.scope:names()
  for name in pairs(ctx.record and ctx.record.by_name or {}) do known[name] = true end
  local near = diagnostic.closest(node.name, known)
  raise("unknown-name", node.pos, ("there is no variable '%s'"):format(node.name),
    { length = #node.name, help = near and ("did you mean '%s'?"):format(near) })
end

-- A structure has no value that could be followed.
local function no_record(b, ctx, node, pos, operator, help)
  local t = is_lvalue(node) and lvalue(b:scratch(), ctx, node).type
  if t and t.kind == "record" then
    raise("not-a-pointer", pos, ("%s needs a pointer, this is %s"):format(operator, types.name(t)),
      { length = #operator - 2, help = help })
  end
end

function lvalues.member(b, ctx, node)
  local base
  if node.arrow then
    no_record(b, ctx, node.base, node.pos, "'->'", "use '.'")
    local pointer = value(b, ctx, node.base)
    if pointer.type.kind ~= "pointer" then
      raise("not-a-pointer", node.pos,
        ("'->' needs a pointer, this is %s"):format(types.name(pointer.type)), { length = 2 })
    end
    base = behind(b, pointer, node.pos)
  else
    base = lvalue(b, ctx, node.base)
  end
  if base.type.kind ~= "record" then
    raise("not-a-struct", node.pos, ("%s has no members"):format(types.name(base.type)),
      { help = base.type.kind == "pointer" and "use '->'" or nil })
  end
  local member = types.member(base.type, node.name)
  if not member then
    local near = diagnostic.closest(node.name, base.type.by_name or {})
    raise("unknown-member", node.name_pos,
      ("%s has no member '%s'"):format(types.name(base.type), node.name),
      { length = #node.name, help = near and ("did you mean '%s'?"):format(near) })
  end
  return { self = base.self, address = base.address, reg = base.reg,
    offset = base.offset + member.offset, type = member.type }
end

function lvalues.index(b, ctx, node)
  local index = integer(b, ctx, node.index)
  local tag = node.base.tag
  local is_parameter = tag == "id" and ctx.session.rules.extended and not node.base.global
    and parameter(b:scratch(), ctx, node.base)
  if is_lvalue(node.base) and not is_parameter then
    local base = lvalue(b, ctx, node.base)
    if base.type.kind == "array" then
      local n = base.type.n
      if index.const and n and (index.const < 0 or index.const >= n) then
        raise("out-of-bounds", node.index.pos,
          ("index %d is outside the array of %d elements"):format(index.const, n))
      end
      return displaced(b, base, index, base.type.of.size, base.type.of, node.pos)
    end
  end
  local pointer = value(b, ctx, node.base)
  if pointer.type.kind ~= "pointer" then
    raise("not-a-pointer", node.pos, ("%s cannot be indexed"):format(types.name(pointer.type)))
  end
  local place = behind(b, pointer, node.pos)
  return displaced(b, place, index, size_of(place.type, node.pos), place.type, node.pos)
end

function lvalues.unary(b, ctx, node)
  if node.op ~= "*" then raise("type-mismatch", node.pos, "a variable is needed") end
  no_record(b, ctx, node.e, node.arrow or node.pos, node.arrow and "'->'" or "'*'")
  local pointer = value(b, ctx, node.e)
  if pointer.type.kind ~= "pointer" then
    raise("not-a-pointer", node.pos, ("'*' needs a pointer, this is %s"):format(types.name(pointer.type)))
  end
  return behind(b, pointer, node.pos)
end

function lvalue(b, ctx, node)
  local fn = lvalues[node.tag]
  if node.tag == "section" then
    raise("syntax", node.pos, "a section cannot have members", { rule = "TR14-3.4-02",
      help = "name one element: Y[i].a[0:n], or give the structure a shape" })
  end
  if not fn then raise("type-mismatch", node.pos, "a variable is needed") end
  return fn(b, ctx, node)
end

local values = {}

function values.num(_, _, node)
  return { const = node.value, type = types.scalars[node.type] }
end

function values.id(b, ctx, node)
  local bound = not node.global and ctx.session.rules.extended and parameter(b, ctx, node)
  if bound then return bound end
  local known = not member_of(ctx, node) and not ctx.session:this_member(node.name)
    and not ctx.session.scope.variables[node.name]
  if known then
    local enumerator, t = ctx.session.scope:constant_named(node.name)
    if enumerator then return constant(enumerator, t) end
  end
  if known and ctx.session.scope.functions[node.name] then
    raise("type-mismatch", node.pos, ("'%s' is a function: call it"):format(node.name),
      { length = #node.name })
  end
  return load(b, lvalues.id(b, ctx, node), node.pos)
end

-- The number of the pointer whose section this is a bound of (TR14-5-06).
function values.row(b, ctx, node)
  if not ctx.row then
    raise("syntax", node.pos, ctx.session.rules.extended and "'#' is the number of a pointer in the section before"
      or "'#' is for the profile tr14x", { length = 1, rule = "TR14-5-06" })
  end
  return ctx.row(b, node.pos)
end

function values.member(b, ctx, node) return load(b, lvalues.member(b, ctx, node), node.pos) end
function values.index(b, ctx, node) return load(b, lvalues.index(b, ctx, node), node.pos) end

function values.unary(b, ctx, node)
  local o = node.op
  if o == "*" then return load(b, lvalue(b, ctx, node), node.pos) end
  if o == "&" then
    local place = lvalue(b, ctx, node.e)
    local address = address_of(b, place, node.pos)
    return { reg = address.reg, const = address.const, type = types.pointer(place.type) }
  end
  if o == "++" or o == "--" then
    raise("type-mismatch", node.pos, "a bound changes nothing")
  end
  local pos = node.pos
  if o == "!" then
    local v = value(b, ctx, node.e)
    check_integer(v, node.e.pos)
    if v.const then return constant(v.const == 0 and 1 or 0, INT) end
    return { reg = b:emit(pos, op.LNOT, v.reg, 0, 0), type = INT, is_truth = true }
  end
  local v = number(b, ctx, node.e)
  local t = arithmetic.promoted(v.type)
  v = converted(b, v, t, pos)
  if o == "+" then return v end
  if o == "-" then return typed(b, "-", t, constant(0, t), v, pos) end
  return typed(b, "^", t, v, constant(arithmetic.converter(LONG, t)(-1), t), pos)
end

-- Whether a value is not zero: 1 or 0, of type int.
local function truth(b, v, pos)
  check_integer(v, pos)
  if v.const then return constant(v.const ~= 0 and 1 or 0, INT) end
  if v.is_truth then return v end
  return { reg = b:emit(pos, op.NE, v.reg, reg(b, constant(0), pos), 0), type = INT, is_truth = true }
end

local function negated(b, v, pos) return { reg = b:emit(pos, op.LNOT, v.reg, 0, 0), type = INT, is_truth = true } end

-- The value of an expression that is evaluated only if a condition is (or is not) true.
local function value_if(b, ctx, condition, is, node)
  if condition.const then return value((condition.const ~= 0) == is and b or b:scratch(), ctx, node) end
  if not is then condition = negated(b, condition, node.pos) end
  return b:only_if(node.pos, condition.reg, value, b, ctx, node)
end

local function logical(b, ctx, node)
  local is_and, pos = node.op == "&&", node.pos
  local x = truth(b, value(b, ctx, node.a), node.a.pos)
  local y = value_if(b, ctx, x, is_and, node.b)
  if x.const and (x.const ~= 0) ~= is_and then
    check_integer(y, node.b.pos)
    return x
  end
  y = truth(b, y, node.b.pos)
  if x.const then return y end
  if y.const then -- decides, or changes nothing
    if (y.const ~= 0) == is_and then return x end
    return y
  end
  return { reg = b:emit(pos, is_and and op.AND or op.OR, x.reg, y.reg, 0), type = INT, is_truth = true }
end

function values.binary(b, ctx, node)
  local o, pos = node.op, node.pos
  if o == "&&" or o == "||" then return logical(b, ctx, node) end
  local x, y = value(b, ctx, node.a), value(b, ctx, node.b)
  check_integer(x, node.a.pos)
  check_integer(y, node.b.pos)
  local px, py = x.type.kind == "pointer", y.type.kind == "pointer"
  if not px and not py then
    local left, right, t = arithmetic.binary(o, x.type, y.type)
    local is_shift = o == "<<" or o == ">>"
    return typed(b, o, is_shift and t or left, converted(b, x, left, pos), converted(b, y, right, pos), pos)
  end
  if px and py and o == "-" then
    return { reg = b:emit(pos, op.DISTANCE, reg(b, x, pos), reg(b, y, pos), size_of(x.type.to, pos)), type = LONG }
  elseif o == "+" and px ~= py or o == "-" and px then
    if py then x, y = y, x end
    local bytes = apply(b, "*", converted(b, y, LONG, pos), constant(size_of(x.type.to, pos)), pos)
    return apply(b, o, x, bytes, pos, x.type)
  elseif not arithmetic.comparison(o, x.type) then
    raise("type-mismatch", pos, ("'%s' cannot be applied to pointers"):format(o))
  end
  return typed(b, o, px and x.type or y.type, x, y, pos)
end

function values.cond(b, ctx, node)
  local pos = node.pos
  local c = truth(b, value(b, ctx, node.c), node.c.pos)
  local x, y = value_if(b, ctx, c, true, node.a), value_if(b, ctx, c, false, node.b)
  check_integer(x, node.a.pos)
  check_integer(y, node.b.pos)
  local t = x.type.kind == "pointer" and x.type or y.type
  if x.type.kind == "scalar" and y.type.kind == "scalar" then
    t = arithmetic.common(x.type, y.type)
    x, y = c.const == 0 and x or converted(b, x, t, pos), c.const and c.const ~= 0 and y or converted(b, y, t, pos)
  end
  if c.const then return c.const ~= 0 and x or y end
  return { reg = b:emit(pos, op.SELECT, c.reg, reg(b, x, pos), reg(b, y, pos)), type = t }
end

local call_out -- forward

-- A floating value as an integer: programs know integers only, so a function reads it.
local function truncated(b, ctx, node, t, place)
  local address = address_of(b, place, node.pos)
  local pointer = { reg = address.reg, const = address.const, type = types.pointer(place.type) }
  return call_out(b, ctx, node, "a cast", function(p)
    local x = p[0]
    return x == x and math.abs(x) < 2^62 and core.convert(t.code, x) or math.mininteger -- no bound
  end, { pointer })
end

function values.cast(b, ctx, node)
  local t = ctx.session:type_of(node.type)
  local v = value(b, ctx, node.e)
  if t.kind == "scalar" and not t.float and v.type.float then -- (int)x of a floating x is an integer
    if v.place then return truncated(b, ctx, node, t, v.place) end
    return constant(arithmetic.converter(v.type, t)(v.const), t)
  end
  if t.kind == "pointer" then
    check_integer(v, node.e.pos)
    return { reg = v.reg, const = v.const, type = t }
  end
  check_integer({ type = t }, node.pos)
  return converted(b, v, t, node.pos)
end

function values.sizeof(b, ctx, node)
  local t = node.type and ctx.session:type_of(node.type)
  if not t then
    local scratch = b:scratch()
    t = is_lvalue(node.e) and lvalue(scratch, ctx, node.e).type or value(scratch, ctx, node.e).type
  end
  return constant(size_of(t, node.pos), ULONG)
end

-- Calls a Lua function: arguments stand in a row of registers.
function call_out(b, ctx, node, name, fn, args)
  local argument_types, sources = {}, {}
  for i, arg in ipairs(args) do argument_types[i], sources[i] = arg.type, reg(b, arg, node.pos) end
  if #args > 8 then raise("limit", node.pos, "a function in a bound takes at most 8 arguments") end
  local index = ctx.session:bound_function(name, fn, argument_types)
  local first = b.next
  for i, source in ipairs(sources) do -- x | x moves one there
    local to = b:register(node.pos)
    if to ~= first + i - 1 then raise("limit", node.pos, "the expression is too long") end
    local code, n = b.code, b.n * 5
    code[n + 1], code[n + 2], code[n + 3], code[n + 4], code[n + 5] = op.OR, to, source, source, 0
    b.n = b.n + 1
  end
  local to = b:register(node.pos)
  local code, n = b.code, b.n * 5
  code[n + 1], code[n + 2], code[n + 3], code[n + 4], code[n + 5] = op.CALL, to, #args > 0 and first or 0,
    #args, index
  b.n = b.n + 1
  return { reg = to, type = LONG }
end

-- A member function: of the object before it, or of the element whose members are visible.
local call_method
function call_method(b, ctx, node)
  local session, base, from, record = ctx.session, node.base, nil, ctx.record
  if base.tag == "member" then
    if base.arrow then
      local pointer = value(b, ctx, base.base)
      from = pointer.type.kind == "pointer" and behind(b, pointer, base.pos)
    else
      from = lvalue(b, ctx, base.base)
    end
    record = from and from.type
    if not record or record.kind ~= "record" then
      raise("not-a-struct", base.pos, "only objects have member functions")
    end
  elseif not record or not member_functions.of(session, record, base.name) then
    local whole = member_functions.of_this(session, node) -- in a member function, another one of its object
    return whole and call_method(b, ctx, whole)
  end
  local made = member_functions.of(session, record, base.name)
  if not made then member_functions.unknown(session, record, node) end
  if not made.fn then
    local object = base.tag == "member" and base.base or nil
    local inlined, depth = member_functions.inlined(session, made, object, base.arrow, node)
    return member_functions.inside(session, depth, value, b, ctx, inlined)
  end
  local address = address_of(b, from or { self = true, offset = ctx.base }, node.pos)
  local args = { { reg = address.reg, const = address.const, type = record } }
  for i, arg in ipairs(node.args) do args[i + 1] = value(b, ctx, arg) end
  return call_out(b, ctx, node, base.name, member_functions.with_this(session, made), args)
end

function values.call(b, ctx, node)
  if node.base.tag == "member" or node.base.tag == "id" then
    local result = call_method(b, ctx, node)
    if result then return result end
  end
  local name = node.base.tag == "id" and node.base.name
  local fn = name and ctx.session.scope.functions[name]
  if not fn then
    local near = name and diagnostic.closest(name, ctx.session.scope:names())
    local of_body = name and member_functions.is_declared(ctx.session, ctx.record, name)
    raise("unknown-name", node.base.pos, ("there is no function '%s'"):format(name or "?"),
      { length = name and #name, of_body = of_body, help = near and ("did you mean '%s'?"):format(near)
        or ("register it: func(%q, function(...) ... end)"):format(name or "f") })
  end
  local args = {}
  for i, arg in ipairs(node.args) do args[i] = value(b, ctx, arg) end
  return call_out(b, ctx, node, name, fn, args)
end

function values.section(_, _, node)
  raise("invalid-section", node.pos, "a section has no value in a bound")
end
values.alias = values.section
function values.str(_, _, node) raise("type-mismatch", node.pos, "a string is no bound") end
function values.postfix(_, _, node) raise("type-mismatch", node.pos, "a bound changes nothing") end
values.assign = values.postfix
function values.comma(_, _, node) raise("type-mismatch", node.pos, "a bound is one expression") end

function value(b, ctx, node)
  return values[node.tag](b, ctx, node)
end

-- An integer or pointer value: {reg | const, type}.
codegen.value = value
-- A place: {self | address | reg, offset, type}.
codegen.lvalue = lvalue
codegen.integer = integer
codegen.address_of = address_of
codegen.load = load
codegen.reg = reg
codegen.constant = constant
codegen.apply = apply

return codegen
