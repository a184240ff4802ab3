-- typed_ast.lua - the typed AST of C expressions, the expression IR between semantic analysis and the three code
-- generators.
--
--   AST --c_sema.lua--> typed AST --closures.lua--> Lua functions (host, simulated device)
--                                 --codegen.lua---> bytecode of the core's mapping programs
--                                 --cuda/cuda_expression.lua--> CUDA text
--
-- A node is {op, type, pos}. L-values have is_lvalue = true, and const_name if they are const: the name to report.
-- Invariants: conversions are explicit nodes, reads of l-values are explicit `load` nodes, and constant operations are
-- folded by the constructors of this file.
--
-- L-values:
--   variable {binding, name}     a variable, in the memory that the code is for.
--   local {binding, name}        a variable in a frame slot of a body; it has no address, and is_lvalue is nil.
--   fixed {address}              a variable of the host program, in a bound of a section.
--   self {offset}                offset in bytes in the element for which a mapping program runs.
--   around {lvalue, level}       an l-value of the enclosing element; level: its builder and environment.
--   member {base, offset}        a member of the l-value `base`.
--   element {base, index, n}     an element of an array; index is a long.
--   deref {pointer, index?}      the target of a pointer, displaced by index elements.
--   once {lvalue}                the target of a compound assignment, whose address is computed once.
-- Values:
--   const {const}     load {lvalue}     decay {lvalue}: array to pointer     address {lvalue}.
--   value {binding, name}        a name without an l-value, such as a device address.
--   given {value | lvalue}       functions of the frame, supplied by the compiler itself.
--   parameter {e, level?, within?}  value of a shape's parameter; within: the location of its text.
--   row {row}                    number of the pointer in the preceding section: row(builder, pos).
--   convert {e}     arith {operator, a, b}     compare {operator, a, b}     negate {e}: of floating numbers.
--   not {e}         and {a, b}                 or {a, b}                    select {c, a, b}: the ?: operator.
--   displace {operator, pointer, index}        distance {a, b}: of pointers.
--   string {text}   call {fn, name, args}      method {method, object, name, args}.
--   library {name, args}         a function of C's library.
--   assign {to, e}  step {to, amount, after}: ++ and --                     comma {list}.

local arithmetic = require "accdeep.types.arithmetic"
local types = require "accdeep.types"

local typed_ast = {}

local INT, ULONG = types.scalars.int, types.scalars["unsigned long"]

function typed_ast.constant(t, v, pos) return { op = "const", type = t, const = v, pos = pos } end
local constant = typed_ast.constant

-- -------------------------------------------------------------------------------------- l-values --

-- Returns a typed l-value. fields: its other fields; the table becomes the node.
function typed_ast.lvalue(op, t, pos, fields)
  fields.op, fields.type, fields.pos, fields.is_lvalue = op, t, pos, true
  return fields
end

-- Returns the typed node of the member at `offset` in the l-value `base`.
function typed_ast.member(base, offset, t, pos)
  if base.op == "member" then base, offset = base.base, base.offset + offset end
  return { op = "member", type = t, pos = pos, is_lvalue = true, base = base, offset = offset }
end

-- True if an l-value in a bound keeps one address as long as the program runs.
function typed_ast.is_fixed(e)
  while e.op == "member" or e.op == "element" and e.index.const do e = e.base end
  return e.op == "fixed"
end

-- Returns the value of an l-value: its load, or the pointer to which an array decays. Returns the l-value itself if its
-- type has no values, such as a record.
function typed_ast.load(lvalue, pos)
  local t = lvalue.type
  pos = pos or lvalue.pos
  if t.kind == "array" then return { op = "decay", type = types.pointer(t.of), lvalue = lvalue, pos = pos } end
  if t.kind ~= "scalar" and t.kind ~= "pointer" then return lvalue end
  return { op = "load", type = t, lvalue = lvalue, pos = pos }
end

-- ---------------------------------------------------------------------------------------- values --

-- Returns the number or pointer `e` converted to the type t.
function typed_ast.convert(e, t)
  if e.type == t then return e end
  if e.const and t.kind ~= "void" then
    local from = e.type.kind == "pointer" and ULONG or e.type
    return constant(t, t.kind == "pointer" and e.const or arithmetic.converter(from, t)(e.const), e.pos)
  end
  return { op = "convert", type = t, e = e, pos = e.pos }
end

-- Returns an operation on two numbers of one type; the operands of a shift may have different types.
function typed_ast.arith(operator, t, a, b, pos)
  local v = a.const and b.const and arithmetic.fold(operator, t, a.const, b.const)
  if v then return constant(t, v, pos) end
  return { op = "arith", operator = operator, type = t, a = a, b = b, pos = pos }
end

-- Returns a comparison of two numbers of one type, or of two pointers.
function typed_ast.compare(operator, a, b, pos)
  local t = a.type.kind == "pointer" and a.type or b.type
  if a.const and b.const then return constant(INT, arithmetic.fold(operator, t, a.const, b.const), pos) end
  return { op = "compare", operator = operator, type = INT, a = a, b = b, pos = pos }
end

local is_truth = { compare = true, ["not"] = true, ["and"] = true, ["or"] = true }

-- Returns a node that is 1 if a number or a pointer is not zero, otherwise 0.
local function truth(e, pos)
  if is_truth[e.op] then return e end
  return typed_ast.compare("!=", e, constant(e.type, 0, pos), pos)
end

-- Returns the logical negation of a number or pointer.
function typed_ast.negate(e, pos)
  if e.const then return constant(INT, e.const == 0 and 1 or 0, pos) end
  return { op = "not", type = INT, e = truth(e, pos), pos = pos }
end

-- Returns the node for && or ||.
function typed_ast.logical(operator, a, b, pos)
  a, b = truth(a, a.pos), truth(b, b.pos)
  if a.const then return (a.const ~= 0) == (operator == "&&") and b or a end
  return { op = operator == "&&" and "and" or "or", type = INT, a = a, b = b, pos = pos }
end

-- Returns the node for ?:. a and b must have the type t.
function typed_ast.select(c, a, b, t, pos)
  c = truth(c, c.pos)
  if c.const then return c.const ~= 0 and a or b end
  return { op = "select", type = t, c = c, a = a, b = b, pos = pos }
end

typed_ast.truth = truth

-- ------------------------------------------------------------------------------------- AST nodes --

-- Returns an AST node that stands for a typed node, so that an AST can contain it.
function typed_ast.wrap_typed(e) return { tag = "typed", e = e } end

-- Returns an AST node that assigns the AST node e to the typed l-value `to`.
function typed_ast.assignment(pos, to, e)
  return { tag = "assign", op = "=", pos = pos, to = { tag = "typed", pos = pos, e = to }, e = e }
end

return typed_ast
