-- fortran_syntax.lua - grammar of Fortran: expressions, declarations, statements, program units, and clauses of
-- directives.
--
-- Input is the normalized text of fortran_free_form.lua, output the AST. fortran_blocks.lua then groups statements by
-- directive. Functions that add rules get `rules`, a grammar of LPeg, and `lx`, the combinators of lex.lua. A comment
-- "Matches ..." describes the text that a rule accepts.

local lpeg = require "lpeg"
local openacc_syntax = require "accdeep.syntax.openacc_syntax"
local syntax = require "accdeep.syntax"
local lex = require "accdeep.syntax.lex"
local openmp_syntax = require "accdeep.syntax.openmp_syntax"
local P, R, S, V, C, Cc, Cp, Ct = lpeg.P, lpeg.R, lpeg.S, lpeg.V, lpeg.C, lpeg.Cc, lpeg.Cp, lpeg.Ct

local opt = function(p) return p + Cc(false) end
local digits = R "09" ^ 1

-- ---------------------------------------------------------------------------------- expressions --

-- Returns the AST of an expression with left-associative operators of one precedence level. Arguments: the first
-- operand, then position, operator, operand, and so on.
local function fold(first, ...)
  local node = first
  for i = 1, select("#", ...), 3 do
    local pos, op, operand = select(i, ...)
    node = { tag = "binary", pos = pos, op = op, a = node, b = operand }
  end
  return node
end

local same = { [".eq."] = "==", [".ne."] = "/=", [".lt."] = "<", [".le."] = "<=", [".gt."] = ">", [".ge."] = ">=" }

-- Returns the AST of the operand `first` with the suffix nodes that follow it. Each suffix gets the preceding node as
-- its base.
local function suffixes(first, ...)
  local node = first
  for i = 1, select("#", ...) do
    local suffix = select(i, ...)
    suffix.base, suffix.pos = node, first.pos
    node = suffix
  end
  return node
end

-- Adds the rules of expressions.
local function expressions(rules, lx)
  local sym, expect, node = lx.sym, lx.expect, lx.node
  local name = lx.name
  local close = expect(sym ")", "expected ',' or ')'")
  local equals = P "=" * -S "=>" * lx.space

  -- Matches operands with left-associative operators of one precedence level between them.
  local function level(operand, operator)
    return operand * (Cp() * operator * expect(operand, "expected an operand")) ^ 0 / fold
  end
  -- Matches the operator p and captures it.
  local function operator(p) return C(p) * lx.space end
  -- Matches the unary operator `op` with its operand `inner`.
  local function unary(op, inner)
    return node("unary", operator(op) * expect(inner, "expected an operand"), function(n, symbol, e)
      n.op, n.e = symbol, e
    end)
  end

  local point = P "." * -(R "az" ^ 1 * P ".")
  local exponent = S "ed" * S "+-" ^ -1 * digits
  local kind = P "_" * C(R("az", "09", "__") ^ 1)
  rules.number = node("num", C(digits * point * digits ^ -1 * exponent ^ -1 + P "." * digits * exponent ^ -1
      + digits * exponent) * opt(kind), function(n, text, kind_name)
      n.class, n.kind = "real", kind_name or text:find "d" and 8 or 4
      n.value = tonumber((text:gsub("d", "e"))) + 0.0
    end)
    + node("num", C(digits) * opt(kind), function(n, text, kind_name)
      n.class, n.kind, n.value = "integer", kind_name or 4, math.tointeger(tonumber(text)) or 0
      if #text > 19 then error({ syntax = "expected a smaller number", pos = n.pos }, 0) end
    end)
  -- Matches a string between two quotes `mark`; two quotes inside stand for one.
  local function string_literal(mark)
    return P(mark) * C((1 - S(mark .. "\n") + P(mark .. mark)) ^ 0) * expect(P(mark), "expected the end of the string")
      / function(text) return (text:gsub(mark .. mark, mark)) end
  end
  rules.string = node("str", string_literal '"' + string_literal "'", function(n, text) n.value = text end)
  rules.truth = node("truth", P ".true." * Cc(true) + P ".false." * Cc(false), function(n, value) n.value = value end)

  rules.implied = node("implied", sym "(" * Ct(lx.list(V "expression" - name * equals)) * sym "," * name * equals
      * V "expression" * sym "," * V "expression" * opt(sym "," * V "expression") * sym ")",
    function(n, list, variable, first, last, step)
      n.list, n.name, n.first, n.last, n.step = list, variable, first, last, step or nil
    end)
  local items = opt(V "spec" * sym "::") * Ct((lx.list(V "implied" + V "expression")) ^ -1)
  rules.constructor = node("array", P "(/" * lx.space * items * expect(P "/)" * lx.space, "expected ',' or '/)'")
      + sym "[" * items * expect(sym "]", "expected ',' or ']'"),
    function(n, spec, list) n.spec, n.list = spec or nil, list end)

  rules.argument = node("keyword", name * equals * (V "expression" + sym "*" * Cc(false)), function(n, text, e)
      n.name, n.e = text, e or nil
    end)
    + node("range", opt(V "expression") * sym ":" * opt(V "expression") * opt(sym ":" * V "expression"),
      function(n, first, last, step) n.first, n.last, n.step = first or nil, last or nil, step or nil end)
    + V "expression" + node("star", sym "*", function() end)
  rules.arguments = node("reference", sym "(" * -P "@" * Ct(lx.list(V "argument") ^ -1) * close,
    function(n, args) n.args = args end)
  rules.part = node("component", sym "%" * Cp() * expect(name, "expected a component's name"), function(n, at, text)
    n.name, n.name_pos = text, at
  end)
  rules.id = node("id", name, function(n, text) n.name = text end)
  rules.designator = V "id" * (V "arguments" + V "part") ^ 0 / suffixes

  local part = unary(S "+-", V "number" * lx.space) + V "number" * lx.space + V "id"
  rules.complex = node("complex", sym "(" * part * sym "," * part * sym ")", function(n, re, im)
    n.re, n.im = re, im
  end)
  rules.primary = (V "number" + V "string" + V "truth") * lx.space + V "constructor" + V "complex"
    + sym "(" * V "expression" * expect(sym ")", "expected ')'") + V "designator"
  rules.power = V "primary" * (Cp() * operator "**" * (V "signed" + V "power")) ^ -1 / fold
  rules.signed = unary(S "+-", V "power")
  rules.product = level(V "power", operator(P "*" - P "**" + P "/" - (P "//" + "/)" + "/=")))
  rules.sum = level(unary(S "+-", V "product") + V "product", operator(S "+-"))
  rules.concat = level(V "sum", operator(P "//" - P "//)"))
  rules.comparison = level(V "concat", C(P "==" + "/=" + "<=" + ">=" + "<" + ">" + ".eq." + ".ne." + ".le."
    + ".lt." + ".ge." + ".gt.") * lx.space / function(op) return same[op] or op end)
  rules.negation = unary(P ".not.", V "negation") + V "comparison"
  rules.conjunction = level(V "negation", operator ".and.")
  rules.disjunction = level(V "conjunction", operator ".or.")
  rules.expression = level(V "disjunction", operator(P ".eqv." + ".neqv."))
end

-- --------------------------------------------------------------------------------- declarations --

-- Adds the rules of specification statements.
local function declarations(rules, lx)
  local sym, word, expect, node, name, stop = lx.sym, lx.word, lx.expect, lx.node, lx.name, lx.stop
  local close = expect(sym ")", "expected ',' or ')'")
  local equals = P "=" * -S "=>" * lx.space

  local kind = opt(sym "(" * (word "kind" * equals) ^ -1 * V "expression" * close
    + sym "*" * node("num", C(digits) * lx.space, function(n, text)
      n.class, n.kind, n.value = "integer", 4, tonumber(text)
    end))
  local length = V "expression" + node("any_length", sym "*", function() end)
    + node("deferred_length", sym ":", function() end)
  local function spec(p, build) return node("spec", p, build) end
  -- Matches a numeric type and its kind.
  local function numeric(class)
    return spec(word(class) * kind, function(n, k) n.class, n.kind = class, k or nil end)
  end
  rules.spec = numeric "integer" + numeric "real" + numeric "logical" + numeric "complex"
    + spec(word "double" * word "precision" + word "doubleprecision", function(n) n.class, n.double = "real", true end)
    + spec(word "character" * opt(sym "(" * (word "len" * equals) ^ -1 * length
        * (sym "," * (word "kind" * equals) ^ -1 * V "expression" / 0) ^ -1 * close
        + sym "*" * (sym "(" * length * close + V "number" * lx.space)),
      function(n, len) n.class, n.len = "character", len or nil end)
    + spec((word "type" * Cc(false) + word "class" * Cc(true)) * sym "(" * Cp() * (name + C "*" * lx.space) * close,
      function(n, polymorphic, at, text) n.class, n.name, n.name_pos, n.polymorphic = "type", text, at, polymorphic end)

  -- Matches the name of a derived type where only a type can occur: type is (child), allocate(child :: p).
  rules.type_spec = spec(Cp() * name, function(n, at, text) n.class, n.name, n.name_pos = "type", text, at end)

  rules.dimension = node("dimension", opt(V "expression") * sym ":" * opt(sym "*" * Cc "*" + V "expression"),
      function(n, lower, upper)
        n.lower, n.star = lower or nil, upper == "*"
        n.upper = upper ~= "*" and upper or nil
        n.open = not upper
      end)
    + node("dimension", sym "*", function(n) n.star = true end)
    + node("dimension", P ".." * lx.space, function(n) n.any_rank = true end)
    + node("dimension", V "expression", function(n, upper) n.upper = upper end)
  local dims = node("dims", sym "(" * Ct(lx.list(V "dimension")) * close, function(n, list) n.list = list end)

  local attribute_words = lx.words [[allocatable pointer target parameter optional save public private contiguous value
    external intrinsic protected asynchronous volatile]]
  rules.attribute = sym "," * (node("attribute", word "dimension" * expect(dims, "expected bounds"),
      function(n, list) n.name, n.dims = "dimension", list end)
    + node("attribute", word "intent" * sym "(" * C(word "in" * word "out" ^ -1 + word "out" + word "inout") * close,
      function(n, direction) n.name, n.direction = "intent", direction:gsub("%s", "") end)
    + expect(node("attribute", attribute_words, function(n, text) n.name = text end), "expected an attribute"))
  rules.entity = node("entity", expect(name, "expected a name") * opt(dims)
      * (sym "*" * V "number" * lx.space / 0) ^ -1
      * opt(P "=>" * lx.space * Cc "target" * expect(V "expression", "expected a target")
        + equals * Cc "value" * expect(V "expression", "expected a value")),
    function(n, text, bounds, initialization, e)
      n.name, n.dims = text, bounds or nil
      if initialization then n[initialization] = e end
    end)
  rules.declaration = node("declaration", V "spec" * Ct(V "attribute" ^ 0) * (sym "::" + #lx.raw_name)
      * Ct(lx.list(V "entity")) * stop,
    function(n, spec_node, attrs, list) n.spec, n.attrs, n.list = spec_node, attrs, list end)

  rules.directive_line = node("directive_line", C(P "!$" * lx.raw_name / 0) * C((1 - P "\n") ^ 0) * lx.space * stop,
    function(n, sentinel, text)
      n.sentinel, n.text = sentinel, sentinel .. text:gsub("%s+$", "")
    end)
  -- Matches the part of a type from `contains` on as a single node, so that all type-bound procedures together cause
  -- one error.
  rules.procedures_of_type = node("type_bound", word "contains" * lx.ended
    * (-(word "end" * word "type" + word "endtype") * (1 - S "\n;") ^ 0 * (S "\n;" * lx.space) ^ 1) ^ 0, function() end)
  local of_type = node("attribute", word "extends" * sym "(" * Cp() * expect(name, "expected a type's name") * close,
      function(n, at, parent) n.name, n.parent, n.parent_pos = "extends", parent, at end)
    + node("attribute", word "bind" * sym "(" * word "c" * close, function(n) n.name = "bind" end)
    + node("attribute", expect(name, "expected an attribute"), function(n, text) n.name = text end)
  rules.derived = node("derived", word "type" * -sym "(" * Ct((sym "," * of_type) ^ 0) * (sym "::") ^ -1 * name * stop
      * Ct((V "directive_line" + (word "private" + word "sequence" + word "public") * stop + V "procedures_of_type"
        + V "declaration" - word "end") ^ 0)
      * expect(word "end" * word "type" + word "endtype", "expected a component or 'end type'")
      * (name / 0) ^ -1 * stop,
    function(n, attrs, text, list) n.attrs, n.name, n.list = attrs, text, list end)

  -- Matches specification statements that have no effect here.
  rules.nothing = node("nothing", (word "implicit" * word "none" * (sym "("
        * lx.list(word "type" + word "external") ^ -1 * close) ^ -1 + word "use" * (1 - P "\n") ^ 1 * lx.space
      + word "import" * (1 - P "\n") ^ 0 * lx.space + word "contains"
      + (word "program" + word "module" - word "module" * word "procedure") * name
      + word "end" * (word "program" + word "module") * (name / 0) ^ -1
      + (word "endprogram" + word "endmodule") * (name / 0) ^ -1 + word "continue"
      + (word "public" + word "private" + word "save") * ((sym "::") ^ -1 * lx.list(name / 0)) ^ -1) * stop
      + word "end" * lx.ended, function() end)
  -- Matches attribute statements: allocatable, pointer, target and dimension.
  rules.attribute_statement = node("attributes", lx.words "allocatable pointer target dimension"
      * (sym "::") ^ -1 * Ct(lx.list(V "entity")) * stop,
    function(n, text, list) n.name, n.list = text, list end)
  rules.specification = V "derived" + V "declaration" + V "nothing"
end

-- -------------------------------------------------------------------------- unsupported statements --

-- Adds a rule that raises the error "unsupported" for each Fortran statement that is recognized but not implemented.
-- The error may have help on what to write instead.
local function beyond(rules, lx)
  local sym, word, name = lx.sym, lx.word, lx.name
  -- Returns a pattern that raises the error "unsupported" where p matches, and otherwise fails. subject: name of the
  -- statement; help: what to write instead, or nil.
  local function unsupported_statement(p, subject, help)
    return lpeg.Cmt(Cp() * p, function(_, _, pos)
      error({ syntax = ("%s is not supported"):format(subject), unsupported = true, pos = pos,
        length = #subject:match "^[^ ]+", help = help }, 0)
    end)
  end
  local label = (name * sym ":" / 0) ^ -1
  local unit = V "parentheses" * lx.space * -(P "=" - P "==") * -P "%" * -P "("
  local variables = (name / 0) * sym "/"
  rules.beyond = unsupported_statement(word "associate" * sym "(" * (name / 0) * P "=>", "associate",
    "name the variable itself")
    + unsupported_statement(label * word "block" * lx.ended, "block", "declare its variables at the beginning")
    + unsupported_statement(label * word "do" * word "concurrent" * sym "(", "do concurrent", "write do loops")
    + unsupported_statement(word "forall" * sym "(", "forall", "write do loops, or an assignment of sections")
    + unsupported_statement((word "abstract") ^ -1 * word "interface" * ((name / 0) ^ -1 * lx.ended), "interface",
      "procedures of the text are known without")
    + unsupported_statement(word "enum" * sym ",", "enum", "write parameters: integer, parameter :: a = 0")
    + unsupported_statement(word "common" * (sym "/" + (name / 0) * (sym "," + lx.ended)), "common", "write a module")
    + unsupported_statement(word "equivalence" * sym "(", "equivalence", "use a pointer")
    + unsupported_statement(word "namelist" * sym "/", "namelist")
    + unsupported_statement(word "data" * variables, "data", "give the value in the declaration")
    + unsupported_statement((word "goto" + word "go" * word "to") * lpeg.R "09", "goto", "write exit, cycle or return")
    + unsupported_statement((lx.words "open close read inquire rewind backspace endfile" / 0
      + word "write" * -(sym "(" * sym "*")) * unit, "input/output", "use print")
    + unsupported_statement(word "sync" * lx.words "all images memory" / 0, "sync", "there is one image")
    + unsupported_statement(label * word "critical" * lx.ended, "critical", "there is one image")
    + unsupported_statement(word "type" * (sym "," * (1 - lpeg.S "\n:") ^ 0) ^ -1 * (sym "::") ^ -1
      * (-(word "is") * name / 0)
      * sym "(" * (name / 0) * (sym "," + sym ")" * lx.ended), "parameterized derived type",
      "write a type for each parameter")
end

-- ----------------------------------------------------------------------------------- statements --

-- Adds the rules of executable statements, procedures and start rules.
local function statements(rules, lx)
  local sym, word, expect, node, name, stop = lx.sym, lx.word, lx.expect, lx.node, lx.name, lx.stop
  local open, close = expect(sym "(", "expected '('"), expect(sym ")", "expected ',' or ')'")
  local equals, arrow = P "=" * -S "=>" * lx.space, P "=>" * lx.space
  local e = expect(V "expression", "expected an expression")
  -- Matches the end of a construct, such as end if; tail: pattern after the keyword, or nil.
  local function ends(keyword, tail)
    local p = word "end" * word(keyword) + word("end" .. keyword)
    return expect(p * (tail or P(true)) * stop, ("expected a statement or 'end %s'"):format(keyword))
  end
  local label = (name / 0) ^ -1

  local assignment = V "designator" * (node("assign", equals * e, function(n, value) n.e = value end)
      + node("associate", arrow * e, function(n, value) n.e = value end)) / function(to, n)
    n.to, n.sign = to, n.pos
    n.pos = to.pos
    return n
  end
  -- Matches p, a statement, and captures its node with the tag `tag`. build: function that completes the node, or nil.
  local function statement_rule(tag, p, build) return node(tag, p, build or function() end) end
  local designators = Ct(lx.list(expect(V "designator", "expected a variable")))
  rules.action = assignment
    + statement_rule("call", word "call" * expect(V "designator", "expected a procedure"),
      function(n, d) n.target = d end)
    + statement_rule("allocate", word "allocate" * open * opt((V "spec" + V "type_spec") * sym "::") * Ct(
      lx.list(V "argument"))
        * close, function(n, spec, list) n.spec, n.list = spec or nil, list end)
    + statement_rule("deallocate", word "deallocate" * open * Ct(lx.list(V "argument")) * close,
      function(n, list) n.list = list end)
    + statement_rule("nullify", word "nullify" * open * designators * close, function(n, list) n.list = list end)
    + statement_rule("print", (word "print" * expect(sym "*" + V "string" * lx.space / 0, "expected '*'")
        * (sym "," * Ct(lx.list(V "expression")) + Ct(P(true)))
        + word "write" * sym "(" * sym "*" * sym "," * (sym "*" + V "string" * lx.space / 0) * close
        * Ct(lx.list(V "expression") ^ -1)), function(n, list) n.list = list end)
    + statement_rule("return", word "return") + statement_rule("exit", word "exit" * label) + statement_rule(
      "cycle", word "cycle" * label)
    + statement_rule("stop", (word "error" * Cc(true) + Cc(false)) * word "stop" * opt(V "expression"),
      function(n, failed, code)
      n.failed, n.code = failed, code or nil
    end)
    + statement_rule("nothing", word "continue")

  rules.block = Ct(V "executable" ^ 0)
  local function branch(c, body) return { tag = "branch", c = c, body = body } end
  local otherwise = word "else" * (word "if") + word "elseif"
  rules.branching = statement_rule("if", word "if" * sym "(" * V "expression" * sym ")"
    * (word "then" * stop * V "block") / branch
      * (otherwise * open * e * close * expect(word "then", "expected 'then'") * stop * V "block" / branch) ^ 0
      * (word "else" * stop * V "block" / function(body) return branch(nil, body) end) ^ -1 * ends "if",
    function(n, ...) n.list = { ... } end)
    + statement_rule("if", word "if" * open * e * close * expect(V "action", "expected a statement") * stop,
      function(n, c, action) n.list = { branch(c, { action }) } end)
  local head = (name * sym ":" / 0) ^ -1 * word "do"
  rules.looping = statement_rule("while", head * word "while" * open * e * close * stop * V "block" * ends("do", label),
      function(n, c, body) n.c, n.body = c, body end)
    + statement_rule("do", head * name * equals * e * expect(sym ",", "expected ','") * e * opt(sym "," * e) * stop
      * V "block"
      * ends("do", label), function(n, variable, first, last, step, body)
      n.name, n.first, n.last, n.step, n.body = variable, first, last, step or nil, body
    end)
    + statement_rule("while", head * stop * V "block" * ends("do", label), function(n, body) n.body = body end)

  local case_of = Cp() * word "case" * (word "default" * Cc(false) + open * Ct(lx.list(V "argument")) * close) * stop
    * V "block" / function(pos, cases, body)
      return { tag = "select_branch", pos = pos, cases = cases or nil, body = body }
    end
  rules.selecting = statement_rule("select", (name * sym ":" / 0) ^ -1
    * (word "select" * word "case" + word "selectcase") * open
    * e * close * stop * Ct(case_of ^ 0) * ends("select", label), function(n, subject, list)
    n.e, n.list = subject, list
  end)

  local unit_end = word "end" * (lx.ended + lx.words "subroutine function program module procedure" / 0)
    + word "endsubroutine" + word "endfunction" + word "contains" * lx.ended + word "endprogram" + word "endmodule"
  -- Matches the body of where: assignments to arrays and nested where constructs.
  local masked = Ct((V "masking" + assignment * stop) ^ 0)
  local function masked_branch(mask, body) return { tag = "where_branch", mask = mask or nil, body = body } end
  local elsewhere = word "else" * word "where" + word "elsewhere"
  rules.masking = statement_rule("where", word "where" * sym "(" * V "expression" * sym ")" * lx.ended * masked
        / masked_branch
      * (elsewhere * (sym "(" * e * close + Cc(false)) * label * stop * masked / masked_branch) ^ 0
      * ends("where", label), function(n, ...) n.list = { ... } end)
    + statement_rule("where", word "where" * open * e * close * expect(assignment, "expected an assignment") * stop,
      function(n, mask, action) n.list = { masked_branch(mask, { action }) } end)

  local subject = opt(name * arrow) * e * close * stop
  local guard = (word "type" * Cc "type" + word "class" * Cc "class") * word "is" * open
      * (V "spec" + V "type_spec") * close
    + word "class" * word "default" * Cc(false) * Cc(false)
  local guarded = guard * label * stop * V "block" / function(guard_kind, spec, body)
    return { tag = "type_branch", guard = guard_kind or nil, spec = spec or nil, body = body }
  end
  rules.typing = statement_rule("select_type", (name * sym ":" / 0) ^ -1
    * (word "select" * word "type" + word "selecttype") * open
    * subject * Ct(guarded ^ 0) * ends("select", label), function(n, text, selector, list)
    n.name, n.e, n.list = text or nil, selector, list
  end)
  local rank_of = word "rank" * (word "default" * Cc "default" + open * (sym "*" * Cc "*" + V "expression") * close)
    * label * stop * V "block" / function(rank, body) return { tag = "rank_branch", rank = rank, body = body } end
  rules.ranking = statement_rule("select_rank", (name * sym ":" / 0) ^ -1
    * (word "select" * word "rank" + word "selectrank")
    * open * subject * Ct(rank_of ^ 0) * ends("select", label), function(n, text, selector, list)
    n.name, n.e, n.list = text or nil, selector, list
  end)
  rules.executable = V "directive_line" + V "beyond" + V "branching" + V "looping" + V "selecting" + V "typing"
    + V "ranking" + V "masking" + V "action" * stop
  rules.statement = #(word "character" * sym "(") * V "declaration" -- otherwise the length would be parsed as a section
    + V "executable" + V "derived" + V "procedure" + V "declaration" + V "attribute_statement"
    + V "nothing"

  local prefix = (lx.words "pure elemental recursive impure module" / 0) ^ 0
  local params = opt(sym "(" * Ct(lx.list(name + C "*" * lx.space) ^ -1) * close)
  local result = (word "result" * open * name * close
    + word "bind" * V "arguments" / 0) ^ 0
  -- Matches a procedure of this kind, from its first statement to its end.
  local function unit(kind)
    return opt(V "spec") * prefix * word(kind) * expect(name, "expected a name") * params * Ct(result) * stop
      * Ct((V "statement" - unit_end) ^ 0) * (word "contains" * stop * Ct(V "procedure" ^ 0) + Ct(P(true)))
      * expect((word "end" * (word(kind) * label) ^ -1 + word("end" .. kind) * label) * lx.ended,
        ("expected a statement or 'end %s'"):format(kind))
  end
  local function procedure(kind)
    return node("procedure", prefix * unit(kind), function(n, spec, text, names, results, list, inner)
      n.kind, n.spec, n.name, n.params = kind, spec or nil, text, names or {}
      n.result, n.list, n.inner = results[1], list, inner
    end)
  end
  rules.procedure = procedure "subroutine" + procedure "function"

  local begin = (S "\n;" * lx.space) ^ 0
  rules.program = begin * Ct(V "statement" ^ 0)
  rules.body = begin * V "block"
  rules.call = statement_rule("call", begin * (word "call") ^ -1 * V "designator" * stop,
    function(n, d) n.target = d end)
  -- Start rules for the list items of directives' clauses.
  local alias = node("alias", sym "(" * P "@" * lx.space * opt(V "designator") * expect(sym ")", "expected ')'"),
    function(n, to) n.to, n.round = to or nil, true end)
  rules.unary = V "designator" * alias ^ -1 / suffixes
  rules.subscript = alias + node("section", sym "(" * Ct(lx.list(V "argument")) * close,
    function(n, list) n.ranges = list end)
  rules.type_name = node("type_name", (word "type" * sym "(" * name * sym ")" + name), function(n, text)
    n.spec = { tag = "named", pos = n.pos, name = text }
    n.declarator = { tag = "declarator", pos = n.pos, pointers = 0, suffixes = {} }
  end)
  rules.plain_type = V "type_name"
end

-- Returns the combinators for Fortran. Blanks do not include the end of a line, because it ends a statement. trace:
-- true for the tracing form.
local function lexer(trace)
  local lx = lex.new(trace, S " \t" ^ 0)
  lx.fortran = true
  lx.name = lx.raw_name * lx.space -- Fortran has no reserved words
  lx.ended = (S "\n;" * lx.space) ^ 1 + -P(1)
  lx.stop = lx.expect(lx.ended, "expected the end of the statement")
  return lx
end

return syntax.new {
  parts = { expressions, declarations, beyond, statements, openacc_syntax.rules, openmp_syntax.rules },
  whole = "directive omp_directive expression body call designator spec references program",
  beginning = "",
  lex = lexer,
}
