-- c_expression.lua - grammar of C expressions, with array sections. Adds its rules to the parser of syntax/init.lua.
--
-- Input: the text of an expression, and a state that knows the names of types. Output: a node of an expression.
-- Invariants: a node has its operands in the order of the text; parentheses leave no node.
--
-- A rule for a binary or comma operator returns its operand itself if the operator is absent.

local lpeg = require "lpeg"
local P, R, S, V, C, Cc, Cp, Cmt, Carg, Ct =
  lpeg.P, lpeg.R, lpeg.S, lpeg.V, lpeg.C, lpeg.Cc, lpeg.Cp, lpeg.Cmt, lpeg.Carg, lpeg.Ct

local precedence = {
  ["*"] = 10, ["/"] = 10, ["%"] = 10,
  ["+"] = 9, ["-"] = 9,
  ["<<"] = 8, [">>"] = 8,
  ["<"] = 7, [">"] = 7, ["<="] = 7, [">="] = 7,
  ["=="] = 6, ["!="] = 6,
  ["&"] = 5, ["^"] = 4, ["|"] = 3, ["&&"] = 2, ["||"] = 1,
}

-- Returns the AST of an expression without parentheses, by operator precedence; all operators are left-associative.
-- Arguments: the first operand, then position, operator, operand, and so on.
local function fold(first, ...)
  local n = select("#", ...)
  if n == 0 then return first end
  local rest = { ... }
  local operands, operators, depth = { first }, {}, 0
  -- Replaces the last two operands by the node of the last operator with them.
  local function reduce()
    local o = operators[depth]
    depth = depth - 1
    local b = table.remove(operands)
    local a = operands[#operands]
    operands[#operands] = { tag = "binary", pos = o.pos, op = o.op, a = a, b = b }
  end
  for i = 1, n, 3 do
    local pos, op, operand = rest[i], rest[i + 1], rest[i + 2]
    while depth > 0 and precedence[operators[depth].op] >= precedence[op] do reduce() end
    depth = depth + 1
    operators[depth] = { pos = pos, op = op }
    operands[#operands + 1] = operand
  end
  while depth > 0 do reduce() end
  return operands[1]
end

-- Returns the AST of the operand `first` with the suffix nodes that follow it. Each suffix gets the preceding node as
-- its base.
local function suffixes(first, ...)
  local node = first
  for i = 1, select("#", ...) do
    local suffix = select(i, ...)
    suffix.base = node
    node = suffix
  end
  return node
end

local escapes = { n = 10, t = 9, r = 13, ["0"] = 0, a = 7, b = 8, f = 12, v = 11 }

-- Returns the code of a character constant, from 0 to 255. text: the constant without quotes, maybe with an escape;
-- pos: position for errors. Raises a syntax error for \x without digits.
local function char_value(text, pos)
  local byte = text:byte(1)
  if byte ~= 92 then return byte end
  local e = text:sub(2)
  if e:sub(1, 1) == "x" then
    local value = tonumber(e:sub(2), 16)
    if not value then error({ syntax = "\\x needs hexadecimal digits", pos = pos }, 0) end
    return value & 0xff
  end
  if e:match "^[0-7]+$" then return tonumber(e, 8) & 0xff end
  return escapes[e] or e:byte(1)
end

-- Largest number to which one more digit can be appended in 64 bits, by base: (2^64 - 1) // base.
local LARGEST = { [2] = 0x7fffffffffffffff, [8] = 0x1fffffffffffffff, [10] = 0x1999999999999999,
  [16] = 0x0fffffffffffffff }

-- Returns value and type of the integer constant `text` with a suffix such as "ul": the first type of C's list that can
-- represent the value. Returns nil if the value needs more than 64 bits.
local function integer(text, suffix)
  local digits, base = text, 10
  if text:match "^0[xX]" then
    digits, base = text:sub(3), 16
  elseif text:match "^0[bB]" then
    digits, base = text:sub(3), 2
  elseif text:match "^0." then
    digits, base = text:sub(2), 8
  end
  local value = 0
  for i = 1, #digits do
    local digit = tonumber(digits:sub(i, i), base)
    if not digit then return nil end
    local scaled = value * base
    if math.ult(LARGEST[base], value) or math.ult(scaled + digit, scaled) then return nil end
    value = scaled + digit
  end
  suffix = suffix:lower()
  local unsigned, long = suffix:find "u", suffix:find "l"
  local negative = value < 0 -- the value exceeds the signed range of 64 bits
  if not long and not negative then
    if not unsigned and value <= 0x7fffffff then return value, "int" end
    if (unsigned or base ~= 10) and value <= 0xffffffff then return value, "unsigned int" end
  end
  if negative or unsigned then return value, "unsigned long" end
  return value, "long"
end

return function(rules, lx)
  local sym, expect, node = lx.sym, lx.expect, lx.node
  local digit = R "09"
  local exponent = S "eE" * S "+-" ^ -1 * digit ^ 1
  local float = C((digit ^ 1 * P "." * digit ^ 0 + P "." * digit ^ 1) * exponent ^ -1
    + digit ^ 1 * exponent) * C(S "fFlL" ^ -1)
  local int = C(P "0" * S "xX" * R("09", "af", "AF") ^ 1 + P "0" * S "bB" * S "01" ^ 1 + digit ^ 1)
    * C((S "uU" + S "lL") ^ 0)
  local char = P "'" * C(P "\\" * (P "x" * R("09", "af", "AF") ^ 1 + R "07" ^ 1 + 1) + (1 - S "'\\\n"))
    * P "'"
  local str = P '"' * C((P "\\" * 1 + (1 - S '"\\\n')) ^ 0) * P '"'
  local no_more = -lx.raw_name

  rules.number = node("num", float * no_more, function(n, text, suffix)
      n.value = tonumber(text) + 0.0
      n.type = suffix:lower() == "f" and "float" or "double"
    end)
    + node("num", int * no_more, function(n, text, suffix)
      n.value, n.type = integer(text, suffix)
      if not n.value then error({ syntax = "the constant is too large", pos = n.pos }, 0) end
    end)
    + node("num", char, function(n, text)
      n.value, n.type = char_value(text, n.pos), "int"
    end)
  rules.string = node("str", str, function(n, text)
    local bytes, at = {}, 1
    while at <= #text do
      local character = text:match("^\\x%x*", at) or text:match("^\\[0-7][0-7]?[0-7]?", at)
        or text:match("^\\.", at) or text:sub(at, at)
      bytes[#bytes + 1] = string.char(char_value(character, n.pos))
      at = at + #character
    end
    n.value = table.concat(bytes)
  end)

  local opt = function(p) return p + Cc(false) end
  rules.primary = (V "number" + V "string") * lx.space
    + node("sizeof", lx.word "sizeof" * (sym "(" * V "type_name" * Cc(true) * sym ")" + V "unary"),
      function(n, operand, is_type)
        if is_type then n.type = operand else n.e = operand end
      end)
    + node("row", sym "#", function() end)
    + node("num", lx.word "nullptr", function(n) n.value, n.type = 0, "int" end)
    + node("id", opt(sym "::" * Cc(true)) * lx.names, function(n, global, text)
      n.name, n.global = text, global or nil
    end)
    + sym "(" * V "comma" * expect(sym ")", "expected ')'")

  -- The rules for subscripts never parse an expression twice, by backtracking; otherwise nested subscripts would take
  -- exponential time.
  local is_openmp = Cmt(Carg(2), function(_, _, start) return start == "omp_directive" end)
  local stride = is_openmp * sym ":" * expect(V "expression", "expected a stride")
  local rest = sym ":" * Cc(true) * opt(V "expression") * opt(stride) * expect(sym "]", "expected ']'")
  local only_stride = #P "::" * is_openmp * Cc(false) * sym ":" * Cc(true) * Cc(false) * stride
    * expect(sym "]", "expected ']'")
  rules.subscript = node("alias", P "[" * lx.space * P "@" * lx.space * opt(V "expression")
      * expect(sym "]", "expected ']'"), function(n, to) n.to = to or nil end)
    + node("index", sym "[" * (only_stride + V "expression" * (rest + expect(sym "]", "expected ']' or ':'"))
      + Cc(false) * rest),
    function(n, first, is_section, length, stride_node)
      if not is_section then
        n.index = first
      else
        n.tag, n.start, n.length, n.stride = "section", first or nil, length or nil, stride_node or nil
      end
    end)
  rules.suffix = V "subscript"
    + node("member", (P "->" * Cc(true) + P "." * -digit * Cc(false)) * lx.space
      * expect(Cp() * lx.raw_name * lx.space, "expected a member's name"),
      function(n, arrow, pos, text) n.arrow, n.name, n.name_pos = arrow, text, pos end)
    + node("call", sym "(" * Ct((V "assignment"
      * (sym "," * expect(V "assignment", "expected an expression")) ^ 0) ^ -1)
      * expect(sym ")", "expected ',' or ')'"),
      function(n, args) n.args = args end)
    + node("postfix", C(P "++" + "--") * lx.space, function(n, op) n.op = op end)
  rules.postfix = V "primary" * V "suffix" ^ 0 / suffixes

  rules.cast = node("cast", sym "(" * V "type_name" * sym ")" * V "unary",
    function(n, type, e) n.type, n.e = type, e end)
  rules.unary = node("unary", C(P "++" + "--") * lx.space * V "unary",
      function(n, op, e) n.op, n.e = op, e end)
    + node("unary", C(S "-+!~*&" - (P "++" + "--" + "&&")) * lx.space * V "unary",
      function(n, op, e) n.op, n.e = op, e end)
    + V "cast" + V "postfix"

  local operator = P(false)
  for _, op in ipairs { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||" } do operator = operator + P(op) end
  operator = operator + S "*/%+-<>&^|"
  local compound = (P "<<" + ">>" + S "*/%+-&^|") * P "=" * -P "="
  rules.binary = V "unary" * (Cp() * C(operator - compound) * lx.space * V "unary") ^ 0 / fold

  local no_angle = operator - compound - S "<>"
  rules.argument_value = V "unary" * (Cp() * C(no_angle) * lx.space * V "unary") ^ 0 / fold

  rules.expression = Cp() * V "binary" * (sym "?" * V "expression"
    * expect(sym ":", "expected ':'") * V "expression") ^ -1 / function(pos, c, a, b)
    if not a then return c end
    return { tag = "cond", pos = pos, c = c, a = a, b = b }
  end

  rules.assignment = V "expression"
    * (Cp() * C(compound + P "=" * -P "=") * lx.space
      * expect(V "assignment", "expected an expression")) ^ -1
    / function(to, pos, op, e)
      if not pos then return to end
      return { tag = "assign", pos = pos, op = op, to = to, e = e }
    end
  rules.comma = Cp() * V "assignment" * (sym "," * V "assignment") ^ 0 / function(pos, first, ...)
    if select("#", ...) == 0 then return first end
    return { tag = "comma", pos = pos, list = { first, ... } }
  end

  rules.known_template = Cmt(Carg(1) * lx.raw_name, function(_, at, state, text)
    if state.is_template and state.is_template(text) then return at, text end
    return nil
  end) * lx.space
  -- The scope knows the names of types, so it decides whether a name is a type; known_template does so for templates.
  rules.known_type = Cmt(Carg(1) * lx.raw_name, function(_, at, state, text)
    if state.is_type and state.is_type(text) then return at, text end
    return nil
  end) * lx.space
end
