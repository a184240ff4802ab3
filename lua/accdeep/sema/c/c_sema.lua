-- c_sema.lua - semantic analysis of C expressions: type checks the AST and returns the typed AST (typed_ast.lua), or
-- raises. Called by closures.lua, codegen.lua and cuda/.
--
-- Input: the AST of an expression. Output: the typed AST. Invariants: the AST is not changed. Operands of an operation
-- have the type in which C computes it.
--
-- Arguments of most functions: `env`, the environment, and `node`, a node of the AST. In bodies and the host program,
-- env has session, lookup(name, pos), which returns a binding (symbols.lua), and space, the memory that the code
-- accesses. In a section's bound, env has no lookup; symbols.lua lists its fields. The core computes bounds in integers
-- and without side effects; therefore floating numbers and assignments in bounds raise.

local arithmetic = require "accdeep.types.arithmetic"
local diagnostic = require "accdeep.base.diagnostic"
local c_library = require "accdeep.sema.c.c_library"
local member_functions = require "accdeep.sema.c.member_functions"
local scoped_names = require "accdeep.types.scoped_names"
local symbols = require "accdeep.sema.c.symbols"
local typed_ast = require "accdeep.sema.c.typed_ast"
local types = require "accdeep.types"
local with_fields = require "accdeep.base.with_fields"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise
local scalars = types.scalars
local INT, LONG, DOUBLE, ULONG = scalars.int, scalars.long, scalars.double, scalars["unsigned long"]
local constant, convert, load = typed_ast.constant, typed_ast.convert, typed_ast.load
local is_bound = symbols.is_bound

local c_sema = {}

local expression -- forward declaration

-- Returns the name of a type, for messages.
local function type_name(t) return types.name(t) end

-- ------------------------------------------------------------------------------------- operands --

-- Raises if the typed node `e`, an operand in a bound, is not an integer or a pointer. Does nothing outside of bounds.
-- pos: position for the error.
local function check_operand(env, e, pos)
  if not is_bound(env) then return end
  if e.type.float then
    raise("type-mismatch", pos, "bounds of sections are integers", { rule = "ACC33-2.7.1-1",
      help = "a cast makes an integer of it: (int)x" })
  elseif e.type.kind ~= "scalar" and e.type.kind ~= "pointer" then
    raise("type-mismatch", pos, ("a number is needed, this is %s"):format(type_name(e.type)))
  end
end

-- Returns the typed node of a value: an l-value of a scalar, pointer or array type is loaded. Raises if the AST node is
-- a function or has no value. A record stays an l-value; in a bound it raises.
local function value(env, node)
  local e = expression(env, node)
  if e.is_lvalue then
    e = load(e, node.pos)
    if e.is_lvalue then check_operand(env, e, node.pos) end
  end
  local kind = e.type.kind
  if kind == "void" or kind == "function" then raise("type-mismatch", node.pos, "this has no value") end
  return e
end

-- Returns the typed node of an operand, which must be a value; in a bound, an integer or pointer. Raises for other
-- nodes. pos: position for an error about the operand; nil: the operand's position.
local function operand(env, node, pos)
  local e = value(env, node)
  check_operand(env, e, pos or node.pos)
  return e
end

-- Returns the typed node of a number; raises if the node is of another type.
local function number(env, node)
  local e = operand(env, node)
  if e.type.kind ~= "scalar" then
    raise("type-mismatch", node.pos, ("a number is needed, this is %s"):format(type_name(e.type)))
  end
  return e
end

-- Returns the typed node of an index, converted to long; raises if it is not an integer.
local function index_of(env, node)
  local e = number(env, node)
  if e.type.float then raise("type-mismatch", node.pos, "an index is an integer") end
  return convert(e, LONG)
end

-- Returns the typed node of a condition: the operand itself if its value is always 0 or 1, otherwise its comparison
-- with zero. Raises if the operand is not a number or a pointer. pos: position for this error.
local function condition(env, node, pos)
  local e = operand(env, node)
  if e.type.kind ~= "scalar" and e.type.kind ~= "pointer" then
    raise("type-mismatch", pos, ("a condition is a number or a pointer, not %s"):format(type_name(e.type)))
  end
  return typed_ast.truth(e, node.pos)
end

-- Returns the typed node of an expression statement. Raises for a record or array: as a statement, it does nothing.
function c_sema.effect(env, node)
  local e = expression(env, node)
  if not e.is_lvalue then return e end
  if e.type.kind ~= "scalar" and e.type.kind ~= "pointer" then
    raise("type-mismatch", node.pos, "this statement does nothing")
  end
  return load(e, node.pos)
end

-- Returns the typed node of a constant integer expression, and the environment of its evaluation. Used for array sizes,
-- enumerators, case labels and designators. Raises if a name in the expression is not a constant, or for a floating
-- number.
function c_sema.constant(session, node)
  local env = { session = session, space = {}, lookup = function(name, pos)
    local v, t = session.now.scope:constant_named(name)
    local variable = not v and session.now.scope.variables[name]
    if variable and variable.constant then v, t = variable.constant, variable.type end
    if variable and not v then
      raise("type-mismatch", pos, ("'%s' is a variable, a constant is needed"):format(name),
        { length = #name })
    end
    return v and { type = t, const = v } or nil
  end }
  local e = number(env, node)
  if e.type.float then raise("type-mismatch", node.pos, "an integer is needed") end
  return e, env
end

-- Returns the typed node of an l-value; raises if the AST node is not an l-value.
local function lvalue(env, node)
  local e
  if node.tag == "section" and is_bound(env) then
    raise("syntax", node.pos, "a section cannot have members", { rule = "TR14-3.4-02",
      help = "name one element: Y[i].a[0:n], or give the structure a shape" })
  elseif node.tag == "id" and is_bound(env) then
    e = symbols.resolve_lvalue(env, node)
  else
    e = expression(env, node)
  end
  if not e.is_lvalue then
    raise("type-mismatch", node.pos, "a variable is needed", { help = node.tag == "unary" and node.op == "&"
      and "name the data, not their address: a[0:1] instead of &a[0]" or "name a variable, a member or an element" })
  end
  return e
end

-- Returns the typed node of an operand whose member or address is taken. In a bound it raises if the operand is not an
-- l-value.
local function object(env, node) return (is_bound(env) and lvalue or expression)(env, node) end

-- Returns the size of the type t in bytes; raises at `pos` if the size is unknown.
local function size_of(t, pos)
  if t.kind == "void" or t.kind == "function" or t.kind == "record" and not t.complete then
    scoped_names.no_size(t, pos) end
  return t.size
end

-- Returns the size in bytes of the target of the pointer type `pointer`, by which pointer arithmetic counts. Raises at
-- the AST node `node` if the size is unknown or zero.
local function step_of(node, pointer)
  local size = size_of(pointer.to, node.pos)
  if size == 0 then scoped_names.no_size(pointer.to, node.pos) end
  return size
end

-- ------------------------------------------------------------------------------------ assignment --

-- Raises if the variable `name` is const, because its value must not change after its declaration. Does nothing if no
-- variable has the name. pos: position of the name.
function c_sema.constness(session, name, pos)
  local variable = session.now.scope.variables[name]
  if not variable or not variable.is_const then return end
  raise("type-mismatch", pos, ("'%s' is const: it cannot be assigned to"):format(name), { length = #name,
    rule = "HOUSE-language" })
end

-- Raises if the l-value `e`, to which something is assigned, is const, is a part of a const variable, or contains a
-- const member. node: the AST node of `e`, for the position.
local function check_const(node, e)
  local inner = types.const_member(e.type)
  if not e.const_name and not inner then return end
  local pos = node.tag == "member" and node.name_pos or node.pos
  raise("type-mismatch", pos, e.const_name and ("'%s' is const: it cannot be assigned to"):format(e.const_name)
    or ("%s has the const member '%s': it cannot be assigned to"):format(type_name(e.type), inner),
    { length = e.const_name and node.name == e.const_name and #node.name or nil, rule = "HOUSE-language" })
end

-- Always raises: a value of type `from` cannot be assigned to type `to`. node: position for the error; help: a hint, or
-- nil.
local function mismatch(node, from, to, help)
  raise("type-mismatch", node.pos, ("%s cannot be assigned to %s"):format(type_name(from), type_name(to)),
    { help = help })
end

-- Returns the typed node that assigns the value `e` to the l-value `to`, after the needed conversion. lenient: true to
-- accept a pointer to another type. node: position for errors. Raises if the types do not fit.
function c_sema.convert_for_assignment(node, to, e, lenient)
  local t, from = to.type, e.type
  if t.kind == "record" then
    if not types.same(t, from) or not e.is_lvalue then mismatch(node, from, t) end
  elseif t.kind == "pointer" then
    if from.float then raise("type-mismatch", node.pos, "a number cannot be assigned to a pointer") end
    if from.kind ~= "pointer" and from.kind ~= "scalar" then mismatch(node, from, t) end
    if from.kind == "scalar" and e.const ~= 0 and not from.auto then mismatch(node, from, t, "use a cast") end
    if from.kind == "pointer" and from.to.kind ~= "void" and t.to.kind ~= "void" and not types.same(from.to, t.to)
      and not lenient then
      mismatch(node, from, t, "use a cast")
    end
  elseif t.kind ~= "scalar" or from.kind ~= "scalar" then
    mismatch(node, from, t)
  else
    e = convert(e, t)
  end
  return { op = "assign", type = t, pos = node.pos, to = to, e = e }
end

-- --------------------------------------------------------------------------------------- operators --

-- Returns the typed node of a pointer plus or minus an index. operator: + or -; pointer, index: typed nodes. Raises if
-- the size of the pointer's target is unknown or zero.
local function offset_pointer(node, operator, pointer, index)
  step_of(node, pointer.type)
  return { op = "displace", operator = operator, type = pointer.type, pos = node.pos, pointer = pointer,
    index = convert(index, LONG) }
end

-- floating_operators: operators that floating numbers accept. auto_operators: operators that also accept a number whose
-- type is known only at run time, such as the result of a scenario's function.
local floating_operators = { ["+"] = true, ["-"] = true, ["*"] = true, ["/"] = true }
local auto_operators = { ["%"] = true, ["<<"] = true, [">>"] = true }

-- Returns the typed node of the binary operation `o` on two numbers, after the usual arithmetic conversions. Raises if
-- the operator needs integers and an operand is a floating number, or is not known to be an integer.
local function binary_numbers(node, o, a, b)
  local left, right, t = arithmetic.binary(o, a.type, b.type)
  a, b = convert(a, left), convert(b, right)
  if arithmetic.comparison(o, left) then return typed_ast.compare(o, a, b, node.pos) end
  if not floating_operators[o] and (left.float or right.float or t.auto and not auto_operators[o]) then
    raise("type-mismatch", node.pos, ("'%s' needs integers"):format(o))
  end
  return typed_ast.arith(o, t, a, b, node.pos)
end

-- Returns the typed node of the binary operation `o` on the typed nodes `a` and `b`. Raises if they are not numbers or
-- pointers, or if the operator cannot be applied to their types.
local function binary(node, o, a, b)
  local pa, pb = a.type.kind == "pointer", b.type.kind == "pointer"
  if not pa and not pb then
    if a.type.kind ~= "scalar" or b.type.kind ~= "scalar" then
      raise("type-mismatch", node.pos, ("'%s' needs numbers or pointers"):format(o))
    end
    return binary_numbers(node, o, a, b)
  end
  for _, e in ipairs { a, b } do
    if e.type.kind ~= "pointer" and (e.type.kind ~= "scalar" or e.type.float) then
      raise("type-mismatch", node.pos, ("'%s' needs pointers and integers"):format(o))
    end
  end
  if o == "-" and pa and pb then
    step_of(node, a.type)
    return { op = "distance", type = LONG, pos = node.pos, a = a, b = b }
  elseif (o == "+" or o == "-") and pa and not pb then
    return offset_pointer(node, o, a, b)
  elseif o == "+" and not pa then
    return offset_pointer(node, o, b, a)
  elseif not arithmetic.comparison(o, pa and a.type or b.type) then
    raise("type-mismatch", node.pos, ("'%s' cannot be applied to pointers"):format(o))
  end
  return typed_ast.compare(o, a, b, node.pos)
end

-- ------------------------------------------------------------------------------------- expressions --

-- Checkers of expressions, by tag of the AST node: function(env, node) -> typed node.
local checkers = {}

-- Returns the constant of a number in the text.
function checkers.num(_, node)
  local t = scalars[node.type]
  return constant(t, node.type == "float" and arithmetic.converter(DOUBLE, t)(node.value) or node.value, node.pos)
end
-- Returns the typed node of a name, as an l-value or a value; raises if the name is unknown.
function checkers.id(env, node) return symbols.resolve(env, node, value) end
-- Returns the typed node that was put into the AST by typed_ast.wrap_typed.
function checkers.typed(_, node) return node.e end

-- Returns the typed node of a string literal. Raises in bounds, and in kernels on a device, because string literals are
-- in host memory.
function checkers.str(env, node)
  if is_bound(env) then raise("type-mismatch", node.pos, "a string is not a bound") end
  if env.space.on_device then
    raise("unsupported", node.pos, "a string has no place in a kernel", { rule = "HOUSE-version" })
  end
  return { op = "string", type = types.pointer(scalars.char), pos = node.pos, text = node.value }
end

-- Returns the typed node of the pointer whose target an operator accesses; raises if the operand `node` is not a
-- pointer. operator: the operator's text for errors, with quotes, such as "'->'". pos: position for errors.
local function dereference(env, node, operator, pos)
  local e = expression(env, node)
  if e.is_lvalue then e = load(e, node.pos) end
  if e.type.kind == "pointer" then return e end
  raise("not-a-pointer", pos, ("%s needs a pointer, this is %s"):format(operator, type_name(e.type)),
    { length = #operator - 2, help = e.type.kind == "record" and operator == "'->'" and "use '.'" or nil })
end

-- Returns the l-value of a member, base.name or base->name. Raises if the base is no record or has no such member.
function checkers.member(env, node)
  local base
  if node.arrow then
    local pointer = dereference(env, node.base, "'->'", node.pos)
    base = typed_ast.lvalue("deref", pointer.type.to, nil, { pointer = pointer })
  else
    base = object(env, node.base)
  end
  local t = base.type
  if t.kind ~= "record" then
    raise("not-a-struct", node.pos, ("%s has no members"):format(type_name(t)),
      { help = t.kind == "pointer" and "use '->'" or nil })
  end
  local member = types.member(t, node.name)
  if not member then diagnostic.no_member(t, type_name(t), node.name, node.name_pos) end
  local member_node = typed_ast.member(base, member.offset, member.type, node.pos)
  member_node.const_name = member.is_const and node.name or base.const_name
  return member_node
end

-- Returns the l-value of base[index]: an element of an array or of a pointer's target. Raises if the base is of another
-- type, and in a bound for a constant index outside of the array.
function checkers.index(env, node)
  local base = expression(env, node.base)
  local index = index_of(env, node.index)
  local t = base.type
  if t.kind == "array" then
    local i = is_bound(env) and t.n and index.const
    if i and (i < 0 or i >= t.n) then
      raise("out-of-bounds", node.index.pos, ("index %d is outside the array of %s"):format(i,
        strings.count(t.n, "element")))
    end
    return typed_ast.lvalue("element", t.of, node.pos, { base = base, index = index, n = t.n,
      const_name = base.const_name })
  end
  if t.kind ~= "pointer" then
    check_operand(env, base, node.base.pos)
    raise("not-a-pointer", node.pos, ("%s cannot be indexed"):format(type_name(t)))
  end
  if base.is_lvalue then base = load(base, node.base.pos) end
  step_of(node, t)
  return typed_ast.lvalue("deref", t.to, node.pos, { pointer = base, index = index })
end

-- Always raises: a section, or an alias such as p[@] (TR14-3.5), has no value.
function checkers.section(env, node)
  if is_bound(env) then raise("invalid-section", node.pos, "a section has no value in a bound") end
  raise("invalid-section", node.pos, "a section has no value here",
    { help = "sections are allowed only in clauses, host, d and expect" })
end
checkers.alias = checkers.section

-- Returns the typed node of `#` in a section's bound: the number of the pointer to whose target the section belongs
-- (TR14-5-06). Raises outside of bounds, and in a bound whose section belongs to no such pointer.
function checkers.row(env, node)
  local extended = env.session.rules.extended
  if is_bound(env) and env.row then return { op = "row", type = LONG, pos = node.pos } end
  if not is_bound(env) then raise("syntax", node.pos, "'#' is allowed only in bounds of sections", { length = 1 }) end
  raise("syntax", node.pos, extended and "'#' is the number of a pointer in the section before"
    or "'#' is for the profile tr14x", { length = 1, rule = "TR14-5-06" })
end

-- Returns the typed node of the operator `node`, ++ or --, applied to the AST node `to`. after: true for the postfix
-- operators. Raises in bounds, and if `to` is const or is not a variable of a number or pointer type.
local function increment(env, node, to, after)
  local o = node.op
  if is_bound(env) then raise("type-mismatch", node.pos, "a bound changes nothing") end
  local e = expression(env, to)
  check_const(to, e)
  local t = e.type
  if t.kind ~= "scalar" and t.kind ~= "pointer" or not e.is_lvalue and e.op ~= "local" then
    raise("type-mismatch", node.pos, ("'%s' needs a variable"):format(o))
  end
  local amount = t.kind == "pointer" and step_of(node, t) or 1
  return { op = "step", type = t, pos = node.pos, to = e, amount = o == "--" and -amount or amount, after = after }
end

-- Returns the typed node of postfix ++ or --.
function checkers.postfix(env, node) return increment(env, node, node.base, true) end

-- Checkers of the unary operators & and *: function(env, node) -> typed node.
local unary = {}

-- Returns the typed node of &e; raises if the operand is not an l-value.
function unary.address(env, node)
  local e = object(env, node.e)
  if not e.is_lvalue then raise("type-mismatch", node.pos, "'&' needs a variable") end
  return { op = "address", type = types.pointer(e.type), pos = node.pos, lvalue = e }
end

-- Returns the l-value of *e, or of the object of e->f. Raises if the operand is not a pointer, or, outside of bounds,
-- if the size of its target is unknown or zero.
function unary.deref(env, node)
  local pointer = dereference(env, node.e, node.arrow and "'->'" or "'*'", node.arrow or node.pos)
  if not is_bound(env) then step_of(node, pointer.type) end
  return typed_ast.lvalue("deref", pointer.type.to, node.pos, { pointer = pointer })
end

-- Returns the typed node of a unary operator, or of prefix ++ or --. Two operators become binary operations: ~x is x ^
-- -1, and -x is 0 - x if x is an integer. Raises if the operator cannot be applied to the operand.
function checkers.unary(env, node)
  local o, pos = node.op, node.pos
  if o == "++" or o == "--" then return increment(env, node, node.e, false) end
  if o == "&" then return unary.address(env, node) end
  if o == "*" then return unary.deref(env, node) end
  if o == "!" then return typed_ast.negate(condition(env, node.e, pos), pos) end
  local e = number(env, node.e)
  local t = arithmetic.promoted_type(e.type)
  e = convert(e, t)
  if o == "~" then
    if t.float then raise("type-mismatch", pos, "'~' needs an integer") end
    return typed_ast.arith("^", t, e, constant(t, arithmetic.converter(LONG, t)(-1), pos), pos)
  elseif o == "-" then
    if not t.float and not t.auto then return typed_ast.arith("-", t, constant(t, 0, pos), e, pos) end
    if e.const then return constant(t, -e.const, pos) end
    return { op = "negate", type = t, e = e, pos = pos }
  end
  return e
end

-- Returns the typed node of a binary operator; raises if it cannot be applied to the operands.
function checkers.binary(env, node)
  local o = node.op
  if o == "&&" or o == "||" then
    return typed_ast.logical(o, condition(env, node.a, node.pos), condition(env, node.b, node.pos), node.pos)
  end
  return binary(node, o, operand(env, node.a), operand(env, node.b))
end

-- Returns the typed node of c ? a : b. Two numbers are converted to their common type. Raises if neither `a` nor `b` is
-- a pointer and they are not both numbers.
function checkers.cond(env, node)
  local c = condition(env, node.c, node.c.pos)
  local a, b = operand(env, node.a), operand(env, node.b)
  local t = a.type.kind == "pointer" and a.type or b.type
  if a.type.kind == "scalar" and b.type.kind == "scalar" then
    t = arithmetic.common_type(a.type, b.type)
    a, b = convert(a, t), convert(b, t)
  elseif t.kind ~= "pointer" then
    raise("type-mismatch", node.pos, "the two values are of different kinds")
  end
  return typed_ast.select(c, a, b, t, node.pos)
end

-- Returns the typed node of a cast. Raises if the type is not void, a number or a pointer, or if the operand is a
-- record.
function checkers.cast(env, node)
  local t = env.session:type_of(node.type)
  local e = value(env, node.e)
  if is_bound(env) then
    if t.kind == "pointer" then check_operand(env, e, node.e.pos) else check_operand(env, { type = t }, node.pos) end
    if not e.type.float then check_operand(env, e, node.pos) end
  end
  if t.kind == "void" then return { op = "convert", type = t, e = e, pos = node.pos } end
  if t.kind ~= "scalar" and t.kind ~= "pointer" or e.type.kind == "record" then
    raise("type-mismatch", node.pos, ("a cast to %s"):format(type_name(t)))
  end
  return convert(e, t)
end

-- Returns a lookup function (see `env`) for operands that are not evaluated, as in sizeof: their variables have types,
-- but need not be present on the device. Returns nil for a bound, which has no lookup.
local function names_of_types(env)
  local lookup = env.lookup
  return lookup and function(name, pos)
    local variable = not (env.locals and env.locals[name]) and env.session.now.scope.variables[name]
    if variable then return { type = variable.type, lvalue = function() end } end
    return lookup(name, pos)
  end
end

-- Returns the constant of sizeof, applied to a type or to an expression, which is not evaluated. Raises if the size is
-- unknown.
function checkers.sizeof(env, node)
  local t = node.type and env.session:type_of(node.type)
    or with_fields(env, { lookup = names_of_types(env) }, expression, env, node.e).type
  return constant(ULONG, size_of(t, node.pos), node.pos)
end

-- Returns the typed node of =, or of a compound assignment such as +=. Raises in bounds, if the target is const or not
-- a variable, and if the types do not fit.
function checkers.assign(env, node)
  if is_bound(env) then raise("type-mismatch", node.pos, "a bound changes nothing") end
  local to = expression(env, node.to)
  if not to.is_lvalue and to.op ~= "local" then
    raise("type-mismatch", node.pos, "only variables can be assigned to")
  end
  check_const(node.to, to)
  local e, o = value(env, node.e), node.op:sub(1, -2)
  if o ~= "" then
    if to.is_lvalue then to = typed_ast.lvalue("once", to.type, node.pos, { lvalue = to }) end
    e = binary(node, o, to.is_lvalue and load(to, node.pos) or to, e)
  end
  return c_sema.convert_for_assignment(node, to, e)
end

-- Returns the typed node of a comma expression; raises in bounds.
function checkers.comma(env, node)
  if is_bound(env) then raise("type-mismatch", node.pos, "a bound is one expression") end
  local list = {}
  for i, item in ipairs(node.list) do list[i] = value(env, item) end
  return { op = "comma", type = list[#list].type, pos = node.pos, list = list }
end

-- --------------------------------------------------------------------------------------------- calls --

-- Returns a list with the typed nodes of a call's arguments. Raises if one has no value.
local function arguments(env, node)
  local list = {}
  for i, arg in ipairs(node.args) do list[i] = operand(env, arg, node.pos) end
  return list
end

-- Returns the type of the result of a scenario's function: long in bounds; otherwise `auto`, which is known only at run
-- time.
local function return_type(env) return is_bound(env) and LONG or types.auto end

-- Returns the typed node of a member function's call. record: type of the element on which the function is called if
-- the call f(x) in a bound names no object; nil: the call is object.f(x) or pointer->f(x). A function whose body is an
-- expression is inlined. Raises if there is no object or no such function.
local function call_method(env, node, record)
  local base, session = node.base, env.session
  local on
  if record then
    on = typed_ast.lvalue("self", record, node.pos, { offset = 0 })
  elseif base.arrow then
    local pointer = dereference(env, base.base, "'->'", base.pos)
    record = pointer.type.to
    on = typed_ast.lvalue("deref", record, nil, { pointer = pointer })
  else
    on = object(env, base.base)
    record = on.type
  end
  if record.kind ~= "record" then
    raise("not-a-struct", base.pos, "only objects have member functions",
      { help = record.kind == "pointer" and not base.arrow and "use '->'" or nil })
  end
  local method = member_functions.find(session, record, base.name)
  if not method then member_functions.unknown(session, record, node) end
  if not method.fn then
    local object_node = base.tag == "member" and base.base or nil
    local inlined, depth = member_functions.inline(session, method, object_node, base.arrow, node)
    return member_functions.with_inlining_depth(session, depth, expression, env, inlined)
  end
  return { op = "method", type = return_type(env), pos = node.pos, method = method, object = on, name = base.name,
    args = arguments(env, node) }
end

-- Returns the name under which c_library.lua has the library function `name`, and its type. A name with the suffix f is
-- the version for float, except of abs. Returns nil if c_library.lua has no such function.
local function find_library_function(name)
  if c_library[name] then return name, name == "abs" and INT or DOUBLE end
  local base_name = name:match "^(.*)f$"
  if c_library[base_name] and base_name ~= "abs" then return base_name, scalars.float end
end

-- Returns the typed node of a call of the library function `base_name` (a key of c_library.lua), with arguments
-- converted to its type t. Raises if the number of arguments is wrong.
local function call_library(env, node, base_name, t)
  local count = c_library[base_name][1]
  if #node.args ~= count then
    raise("type-mismatch", node.pos, ("%s takes %s"):format(node.base.name, strings.count(count, "argument")))
  end
  local args = {}
  for i, arg in ipairs(node.args) do args[i] = convert(number(env, arg), t) end
  return { op = "library", type = t, pos = node.pos, name = base_name, args = args }
end

-- Always raises: the function that is called in `node` is unknown. name: its name; nil if the callee is not a name.
local function unknown_function(env, node, name)
  local session = env.session
  local of_body = is_bound(env) and name and member_functions.is_declared(session, env.record, name) or nil
  raise("unknown-name", node.base.pos, ("there is no function '%s'"):format(name or "?"),
    { length = name and #name, of_body = of_body, help = diagnostic.suggest(name, session.now.scope:names())
      or ("register it: func(%q, function(...) ... end)"):format(name or "f") })
end

-- Returns the typed node of a call. The called name is searched among the member functions of a bound's element, then
-- among those of *this inside a member function, then among the scenario's functions. The last step, only outside of
-- bounds, is C's library. Raises if no function has the name.
function checkers.call(env, node)
  local base, session = node.base, env.session
  if base.tag == "member" then return call_method(env, node) end
  local name = base.tag == "id" and base.name
  if name and env.record and member_functions.find(session, env.record, name) then
    return call_method(env, node, env.record)
  end
  -- Inside a member function, the name may be that of another member function of the same object.
  local whole = member_functions.call_on_this(session, node)
  if whole then return call_method(env, whole) end
  local fn
  if is_bound(env) then
    fn = name and session.now.scope.functions[name]
  else
    if not name then raise("type-mismatch", node.pos, "only functions can be called") end
    local binding = env.lookup(name, base.pos)
    local library_name, t = find_library_function(name)
    if not binding and library_name then return call_library(env, node, library_name, t) end
    fn = binding and binding.fn
  end
  if not fn then unknown_function(env, node, name) end
  return { op = "call", type = return_type(env), pos = node.pos, fn = fn, name = name, args = arguments(env, node) }
end

-- Returns the typed node of any expression; raises if the expression is invalid.
function expression(env, node)
  return checkers[node.tag](env, node)
end

-- Analyse an AST node with the parameters (env, node): as an l-value or value; as a value; as an l-value; as a
-- condition; as an integer of 64 bits.
c_sema.expression, c_sema.value, c_sema.lvalue, c_sema.condition = expression, value, lvalue, condition
c_sema.integer = index_of

return c_sema
