-- typed_ast.lua - typed trees of C expressions: what backend/c_sema.lua makes of a grammar's tree, and what
-- closures.lua, codegen.lua and cuda/cuda_expression.lua make code of.
--
-- A node is {op, type, pos}. A place has is_place = true, and may have const_name, the name of what is const there.
-- Conversions are nodes of their own, and so are reads of places; constants are computed here.
--
-- Places:
--   variable {binding, name}     a name of the memory that the expression is for
--   local {binding, name}        a variable in the frame of a body: it has no address (is_place is nil)
--   fixed {address}              a variable of the host program, in a bound of a section
--   self {offset}                so many bytes from the start of the element that a program is for
--   around {place, level}        one of the element around; level: {builder, ctx} of that element, and who looks there
--   member {base, offset}        base is a place
--   element {base, index, n}     of an array; index is a long
--   deref {pointer, index?}      what a pointer points to, moved by so many elements
--   once {place}                 the place of a compound assignment: found when it is read, and not again
-- Values:
--   const {const}                load {place}             decay {place}            address {place}
--   value {binding, name}        a name that is not a place (a device address)
--   given {value | place}        functions of the frame
--   parameter {e, level?, within?}  value of a shape's parameter; level as above; within: where its text stands
--   row {row}                    number of the pointer in the section before: row(builder, pos)
--   convert {e}                  arith {operator, a, b}   compare {operator, a, b} negate {e}: floating numbers
--   not {e}                      and {a, b}               or {a, b}
--   select {c, a, b}             displace {operator, pointer, index}               distance {a, b}: of pointers
--   string {text}                call {fn, name, args}    method {made, object, name, args}
--   library {name, args}         a function of C's library
--   assign {to, e}               step {to, by, after}: ++ and --                   comma {list}

local arithmetic = require "accdeep.types.arithmetic"
local types = require "accdeep.types"

local typed_ast = {}

local INT, ULONG = types.scalars.int, types.scalars["unsigned long"]

function typed_ast.constant(t, v, pos) return { op = "const", type = t, const = v, pos = pos } end
local constant = typed_ast.constant

-- ---------------------------------------------------------------------------------------- places --

function typed_ast.lvalue(op, t, pos, fields)
  fields.op, fields.type, fields.pos, fields.is_place = op, t, pos, true
  return fields
end

function typed_ast.member(base, offset, t, pos)
  if base.op == "member" then base, offset = base.base, base.offset + offset end
  return { op = "member", type = t, pos = pos, is_place = true, base = base, offset = offset }
end

-- Whether a place in a bound is the same as long as the program runs.
function typed_ast.is_fixed(e)
  while e.op == "member" or e.op == "element" and e.index.const do e = e.base end
  return e.op == "fixed"
end

-- What stands in a place; the place itself of what has no value of its own, a record.
function typed_ast.load(place, pos)
  local t = place.type
  pos = pos or place.pos
  if t.kind == "array" then return { op = "decay", type = types.pointer(t.of), place = place, pos = pos } end
  if t.kind ~= "scalar" and t.kind ~= "pointer" then return place end
  return { op = "load", type = t, place = place, pos = pos }
end

-- ---------------------------------------------------------------------------------------- values --

-- A number or a pointer as a value of another type.
function typed_ast.convert(e, t)
  if e.type == t then return e end
  if e.const and t.kind ~= "void" then
    local from = e.type.kind == "pointer" and ULONG or e.type
    return constant(t, t.kind == "pointer" and e.const or arithmetic.converter(from, t)(e.const), e.pos)
  end
  return { op = "convert", type = t, e = e, pos = e.pos }
end

-- Computes with two numbers of one type; those of a shift have each their own.
function typed_ast.arith(operator, t, a, b, pos)
  local v = a.const and b.const and arithmetic.fold(operator, t, a.const, b.const)
  if v then return constant(t, v, pos) end
  return { op = "arith", operator = operator, type = t, a = a, b = b, pos = pos }
end

-- Compares two numbers of one type, or pointers.
function typed_ast.compare(operator, a, b, pos)
  local t = a.type.kind == "pointer" and a.type or b.type
  if a.const and b.const then return constant(INT, arithmetic.fold(operator, t, a.const, b.const), pos) end
  return { op = "compare", operator = operator, type = INT, a = a, b = b, pos = pos }
end

local is_truth = { compare = true, ["not"] = true, ["and"] = true, ["or"] = true }

-- Whether a number or a pointer is not zero.
local function truth(e, pos)
  if is_truth[e.op] then return e end
  return typed_ast.compare("!=", e, constant(e.type, 0, pos), pos)
end

function typed_ast.negate(e, pos)
  if e.const then return constant(INT, e.const == 0 and 1 or 0, pos) end
  return { op = "not", type = INT, e = truth(e, pos), pos = pos }
end

-- && and ||
function typed_ast.logical(operator, a, b, pos)
  a, b = truth(a, a.pos), truth(b, b.pos)
  if a.const then return (a.const ~= 0) == (operator == "&&") and b or a end
  return { op = operator == "&&" and "and" or "or", type = INT, a = a, b = b, pos = pos }
end

-- The condition is a truth; the values are of the type.
function typed_ast.select(c, a, b, t, pos)
  c = truth(c, c.pos)
  if c.const then return c.const ~= 0 and a or b end
  return { op = "select", type = t, c = c, a = a, b = b, pos = pos }
end

typed_ast.truth = truth

-- ------------------------------------------------------------------------------- grammar's trees --

-- A tree of the grammar that stands for one that is checked already.
function typed_ast.wrap_typed(e) return { tag = "typed", e = e } end

-- The assignment of a grammar's tree to a place.
function typed_ast.assignment(pos, to, e)
  return { tag = "assign", op = "=", pos = pos, to = { tag = "typed", pos = pos, e = to }, e = e }
end

return typed_ast
