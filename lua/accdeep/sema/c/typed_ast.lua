-- typed_ast.lua - the typed AST of C expressions, the expression IR between semantic analysis and the three code
-- generators.
--
--   AST --c_sema.lua--> typed AST --closures.lua--> Lua functions (host, simulated device)
--                                 --codegen.lua---> bytecode of the core's mapping programs
--                                 --cuda/cuda_expression.lua--> CUDA text
--
-- A node is {op, type, pos}; the lists below give the other fields for each op. L-values have is_lvalue = true. A const
-- l-value has const_name, the name for errors. Invariants: conversions are explicit nodes; reads of l-values are
-- explicit `load` nodes; the constructors of this file fold operations on constants.
--
-- L-values:
--   variable {binding, name}     a variable, in the memory that the code is for.
--   local {binding, name}        a variable in a frame slot of a body; it has no address, so is_lvalue is nil.
--   fixed {variable}             a variable of the host program, used in a section's bound.
--   self {offset, up?}           offset in bytes in the structure of a bound or, `up` levels above, in one around it.
--   enclosing {lvalue}           an l-value of the enclosing element (symbols.lua).
--   member {base, offset}        a member of the l-value `base`.
--   element {base, index, n}     an element of an array of n elements (nil: unknown); index is a long.
--   deref {pointer, index?}      the target of a pointer, displaced by index elements.
--   once {lvalue}                the target of a compound assignment; generated code computes its address only once.
-- Values:
--   const {const}     load {lvalue}     decay {lvalue}: array to pointer     address {lvalue}.
--   value {binding, name}        a name without an l-value, such as a device address.
--   computed {value | lvalue}    functions of the frame (closures.lua), supplied by the compiler itself.
--   parameter {e, up, of_enclosing?, within?}  value of a shape's parameter, whose names belong `up` levels above, or
--                                to the enclosing element; within: location of its text.
--   row                          '#', the number of the pointer to whose target a section belongs.
--   convert {e}     arith {operator, a, b}     compare {operator, a, b}     negate {e}: of floating numbers.
--   not {e}         and {a, b}                 or {a, b}                    select {c, a, b}: the ?: operator.
--   displace {operator, pointer, index}        distance {a, b}: of pointers.
--   string {text}   call {fn, name, args}      method {method, object, name, args}.
--   library {name, args}         a function of C's library.
--   assign {to, e}  step {to, amount, after}: ++ and --; after: true if postfix     comma {list}.

local arithmetic = require "accdeep.types.arithmetic"
local types = require "accdeep.types"

local typed_ast = {}

local INT, ULONG = types.scalars.int, types.scalars["unsigned long"]

-- Returns the node of the constant v, a Lua number, of type t. pos: its position in the text.
function typed_ast.constant(t, v, pos) return { op = "const", type = t, const = v, pos = pos } end
local constant = typed_ast.constant

-- -------------------------------------------------------------------------------------- l-values --

-- Returns an l-value node with this op, type and position. fields: table with the other fields; it becomes the node.
function typed_ast.lvalue(op, t, pos, fields)
  fields.op, fields.type, fields.pos, fields.is_lvalue = op, t, pos, true
  return fields
end

-- Returns the l-value node of a member: t is its type, `offset` its offset in bytes in the l-value `base`. For a member
-- of a member, the result is one node with the sum of the offsets.
function typed_ast.member(base, offset, t, pos)
  if base.op == "member" then base, offset = base.base, base.offset + offset end
  return { op = "member", type = t, pos = pos, is_lvalue = true, base = base, offset = offset }
end

-- True if the l-value `e` is a variable of the host program in a bound, or a part of one at a constant offset. Its
-- address then never changes.
function typed_ast.is_fixed(e)
  while e.op == "member" or e.op == "element" and e.index.const do e = e.base end
  return e.op == "fixed"
end

-- Returns the value of an l-value: its load, or the pointer to which an array decays. Returns the l-value itself if its
-- type is no scalar, pointer or array, for example a record. pos: position of the value; nil: the l-value's.
function typed_ast.load(lvalue, pos)
  local t = lvalue.type
  pos = pos or lvalue.pos
  if t.kind == "array" then return { op = "decay", type = types.pointer(t.of), lvalue = lvalue, pos = pos } end
  if t.kind ~= "scalar" and t.kind ~= "pointer" then return lvalue end
  return { op = "load", type = t, lvalue = lvalue, pos = pos }
end

-- ---------------------------------------------------------------------------------------- values --

-- Returns the value of the typed node `e`, a number or pointer, converted to the type t; returns `e` itself if t is its
-- type. A constant is converted here, so the result is a constant, too.
function typed_ast.convert(e, t)
  if e.type == t then return e end
  if e.const and t.kind ~= "void" then
    local from = e.type.kind == "pointer" and ULONG or e.type
    return constant(t, t.kind == "pointer" and e.const or arithmetic.converter(from, t)(e.const), e.pos)
  end
  return { op = "convert", type = t, e = e, pos = e.pos }
end

-- Returns the node of the operation a `operator` b on numbers. t: type of the result and the operands; for a shift, `b`
-- may have another type. Returns a constant if both operands are constant and the operation is defined for them.
function typed_ast.arith(operator, t, a, b, pos)
  local v = a.const and b.const and arithmetic.fold(operator, t, a.const, b.const)
  if v then return constant(t, v, pos) end
  return { op = "arith", operator = operator, type = t, a = a, b = b, pos = pos }
end

-- Returns the node of the comparison a `operator` b of two numbers of one type, or of two pointers. The result is of
-- type int. It is a constant if both operands are constant.
function typed_ast.compare(operator, a, b, pos)
  local t = a.type.kind == "pointer" and a.type or b.type
  if a.const and b.const then return constant(INT, arithmetic.fold(operator, t, a.const, b.const), pos) end
  return { op = "compare", operator = operator, type = INT, a = a, b = b, pos = pos }
end

-- Operations whose result is always 0 or 1.
local is_truth = { compare = true, ["not"] = true, ["and"] = true, ["or"] = true }

-- Returns a node of type int that is 1 if the number or pointer `e` is not zero, otherwise 0; `e` itself if it is such
-- a node.
local function truth(e, pos)
  if is_truth[e.op] then return e end
  return typed_ast.compare("!=", e, constant(e.type, 0, pos), pos)
end

-- Returns the node of the logical negation !e of a number or pointer; a constant if `e` is constant.
function typed_ast.negate(e, pos)
  if e.const then return constant(INT, e.const == 0 and 1 or 0, pos) end
  return { op = "not", type = INT, e = truth(e, pos), pos = pos }
end

-- Returns the node of a `operator` b, where the operator is && or ||. If `a` is constant, the result is the constant 0
-- or 1, or a node that is 1 if `b` is not zero, otherwise 0.
function typed_ast.logical(operator, a, b, pos)
  a, b = truth(a, a.pos), truth(b, b.pos)
  if a.const then return (a.const ~= 0) == (operator == "&&") and b or a end
  return { op = operator == "&&" and "and" or "or", type = INT, a = a, b = b, pos = pos }
end

-- Returns the node of c ? a : b. Both `a` and `b` have the type t. If `c` is constant, the result is `a` or `b` itself.
function typed_ast.select(c, a, b, t, pos)
  c = truth(c, c.pos)
  if c.const then return c.const ~= 0 and a or b end
  return { op = "select", type = t, c = c, a = a, b = b, pos = pos }
end

typed_ast.truth = truth

-- ------------------------------------------------------------------------------------- AST nodes --

-- Returns an AST node that contains the typed node `e`, so that an AST can refer to `e`: c_sema.lua returns it
-- unchanged.
function typed_ast.wrap_typed(e) return { tag = "typed", e = e } end

-- Returns an AST node that assigns the AST node `e` to the typed l-value `to`.
function typed_ast.assignment(pos, to, e)
  return { tag = "assign", op = "=", pos = pos, to = { tag = "typed", pos = pos, e = to }, e = e }
end

return typed_ast
