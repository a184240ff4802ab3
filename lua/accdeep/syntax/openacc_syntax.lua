-- openacc_syntax.lua - grammar of OpenACC directives, built from the table definitions/openacc_directives.lua. C and
-- Fortran parsers use it with their own expressions.
--
-- Input: the text of a directive. Output: a `directive`. Invariants: clauses have the order of the text; the `kind` of
-- a clause is the form of its argument in the table of clauses, or "unknown".
--
-- `shape` is the text between < and >: the name of a shape or, after invoke, of a policy. Clauses of a shape, a policy
-- or a nest take members (member_shape) where those of a directive take variables. The grammar accepts every clause on
-- every directive; sema/openacc_sema.lua, sema/members/shape.lua and sema/members/policy.lua check them.

local lpeg = require "lpeg"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local lex = require "accdeep.syntax.lex"
local P, S, V, C, Cc, Cp, Ct = lpeg.P, lpeg.S, lpeg.V, lpeg.C, lpeg.Cc, lpeg.Cp, lpeg.Ct

-- first_words: set of the first words of directives; all_names: list of their names.
local openacc_syntax = { first_words = {}, all_names = {} }

-- names: name -> name, for each directive without a rule of its own; wait and cache have one, for their parentheses.
-- member_names: list of the directives that describe members: shape and policy.
local names, member_names = {}, {}
for i, entry in ipairs(openacc_directives.directives) do
  if entry.kind == "members" then
    member_names[#member_names + 1] = entry[1]
  elseif not entry.takes then
    names[entry[1]] = entry[1]
  end
  openacc_syntax.all_names[i] = entry[1]
  openacc_syntax.first_words[entry[1]:match "^%a+"] = true
end

-- Clauses of shapes and policies that take members in place of variables.
local of_members = {}
for _, takes in ipairs { "vars", "members", "update" } do
  for _, name in ipairs(openacc_directives.takes[takes]) do
    if openacc_directives.clauses_of.shape[name] or openacc_directives.clauses_of.policy[name] then
      of_members[#of_members + 1] = name end
  end
end

-- Adds the rules of OpenACC directives to `rules`, a grammar of C or (if lx.fortran is true) Fortran. lx: combinators
-- of lex.lua.
function openacc_syntax.rules(rules, lx)
  local sym, expect, node = lx.sym, lx.expect, lx.node
  local opt = function(p) return p + Cc(false) end
  local function new_name(pos, text) return { tag = "name", pos = pos, name = text } end

  local sentinel = P "#" * S " \t" ^ 0 * P "pragma" * S " \t" ^ 1 * P "acc" * -lx.alnum * lx.space
    + P "acc" * -lx.alnum * lx.space + lex.fortran_sentinel * lx.space

  local name = lx.phrases(names, S " \t" ^ 1)

  -- Match the parts of a clause: its shape, <name> or <name(values)>, and its parentheses.
  local values = opt(sym "(" * Ct(lx.list(V "expression") ^ -1) * expect(sym ")", "expected ',' or ')'"))
  local shape = opt(sym "<" * Cp() * opt(lx.name) * values * expect(sym ">", "expected '>'")
    / function(pos, text, args) return { tag = "shape", pos = pos, name = text or nil, args = args or nil } end)
  local open = expect(sym "(", "expected '('")
  local close = expect(sym ")", "expected ',' or ')'")

  rules.variable = expect(V "unary", "expected a variable")
  -- Returns a build function that stores the only capture in the field `key`.
  local function set_field(key) return function(n, value) n[key] = value end end
  local part = node("part", sym "." * Cp() * expect(lx.name, "expected a member's name"),
    function(n, pos, text) n.name_pos, n.name = pos, text end)
  -- Raises for a path of members (a.b), which only shapes may have (sema/members/nested_members.lua). clauses: of
  -- another directive or a nest.
  local function reject_parts(clauses)
    for _, clause in ipairs(clauses) do
      for _, member in ipairs(clause.members or {}) do
        if member.path then error({ syntax = "expected ',' or ')'", pos = member.path[1].pos }, 0) end
      end
    end
  end
  rules.member_shape = node("member_shape", expect(lx.name, "expected a member's name") * Ct(part ^ 0)
      * V "subscript" ^ 0,
    function(n, text, path, ...) n.name, n.path, n.subscripts = text, path[1] and path or nil, { ... } end)

  -- Matches ::{ clauses }. The figures of TR14 use this spelling; the text of TR14 also has a single colon
  -- (AMB-TR14-01).
  local colons = sym ":" * opt(sym ":" * Cc(true)) * expect(sym "{", "expected '::{'")
  rules.nest = node("nest", colons * Ct((sym "," ^ -1 * V "member_clause") ^ 0)
    * expect(sym "}", "expected a clause or '}'"),
    function(n, double, clauses)
      reject_parts(clauses)
      n.single, n.clauses = not double, clauses
    end)
  local nest = opt(V "nest")

  -- Matches a clause of this kind. body: pattern after its name; build(node, captures of body): completes its node;
  -- list: names of the clauses, or nil for all of the kind.
  local function clause(kind, body, build, list)
    return node("clause", lx.words(list or openacc_directives.takes[kind]) * body, function(n, text, ...)
      n.name, n.kind = text, kind
      build(n, ...)
    end)
  end
  -- Completes the node of a clause with members.
  local function describe(n, s, members, inner) n.shape, n.members, n.nest = s or nil, members, inner or nil end
  local variables, members = Ct(lx.list(V "variable")), Ct(lx.list(V "member_shape"))
  local direction = opt(Cp() * C(lx.raw_name) * lx.space * #(P ":" - P "::") * sym ":"
    / new_name)
  local named = node("modifier", C(lx.raw_name) * lx.space, set_field "name")
  local modifiers = opt(Ct(named * (sym "," * named) ^ 0) * #(P ":" - P "::") * sym ":")
  local unknown = node("clause", Cp() * lx.raw_name * lx.space * opt(V "parentheses" * lx.space),
    function(n, _, text) n.name, n.kind = text, "unknown" end)

  -- Matches (devnum: 1: queues: 2, 3). Without an argument, the list `queues` is empty, which means all queues.
  local colon = expect(sym ":", "expected ':'")
  local devnum = opt(P "devnum" * -lx.alnum * lx.space * #(P ":") * colon * V "expression" * colon)
  local queues = opt(sym "(" * devnum * (P "queues" * -lx.alnum * lx.space * colon) ^ -1
    * expect(Ct(lx.list(V "expression")), "expected a queue") * close) / function(device, list)
      return { tag = "waiting", devnum = device or nil, queues = list or {} }
    end

  local operator = lx.fortran and C(S "+*" + P ".and." + ".or." + ".eqv." + ".neqv."
      + (P "max" + "min" + "iand" + "ior" + "ieor") * -lx.alnum)
    or C(P "&&" + "||" + S "+*&|^" + (P "max" + "min") * -lx.alnum)
  local default = clause("default", open * Cp() * expect(lx.raw_name * lx.space, "expected a word") * close,
    function(n, pos, text) n.word, n.word_pos = text, pos end)
  local of_type = clause("type", open * expect(V "type_name" + V "plain_type", "expected a type") * close,
    set_field "type")
  -- Matches the argument of self. On update: variables of the host; on a compute construct: a condition, or nothing.
  local on_self = opt(sym "(" * (Ct(lx.list(V "unary")) * sym ")" * Cc(false) + Cc(false) * V "expression" * close))
  rules.clause = clause("vars", shape * open * modifiers * variables * close * nest,
      function(n, s, list, vars, inner)
        n.shape, n.modifiers, n.vars, n.nest = s or nil, list or nil, vars, inner or nil
      end)
    + clause("self", shape * on_self * nest, function(n, s, vars, e, inner)
        if inner == nil then vars, e, inner = nil, nil, e end
        n.shape, n.vars, n.e, n.nest = s or nil, vars or nil, e or nil, inner or nil
      end)
    + clause("invoke", shape * open * direction * variables * close * nest,
      function(n, s, direction_node, vars, inner)
        n.shape, n.direction, n.vars, n.nest = s or nil, direction_node or nil, vars, inner or nil
      end)
    + clause("members", shape * open * members * close * nest, describe)
    + default
    + of_type
    + clause("reduction", open
      * expect(operator, "expected a reduction's operator")
      * lx.space * expect(sym ":", "expected ':'") * variables * close,
      function(n, op, vars) n.op, n.vars = op, vars end)
    + clause("none", -sym "(", function() end)
    + clause("expression", opt(sym "(" * expect(V "expression", "expected an expression") * close),
      function(n, e) n.e = e or nil end)
    + clause("expressions", opt(sym "(" * Ct(lx.list(V "expression")) * close),
      function(n, list) n.values = list or nil end)
    + clause("wait", queues, function(n, waiting) n.devnum, n.queues = waiting.devnum, waiting.queues end)
    + clause("anything", opt(C(V "parentheses") * lx.space), function(n, text) n.text = text or nil end)
    + unknown
  local parameter = node("parameter", opt(lx.words "shape policy") * lx.name * opt(sym "=" * V "expression"),
    function(n, kind, text, value) n.kind, n.name, n.default = kind or nil, text, value or nil end)
  local word = node("name", expect(C(lx.raw_name) * lx.space, "expected a clause's name"),
    function(n, text) n.name = text end)
  rules.member_clause = clause("members", shape * open * direction * members * close * nest,
      function(n, s, direction_node, list, inner)
        describe(n, s, list, inner)
        n.direction = direction_node or nil
      end, of_members)
    + clause("parameters", open * Ct(lx.list(parameter)) * close, set_field "parameters")
    + clause("words", open * Ct(lx.list(word)) * close, set_field "names")
    + clause("invoke", shape * open * members * close * nest, describe)
    + clause("names", open * Ct(lx.list(node("name", expect(lx.name, "expected a name"),
      function(n, text) n.name = text end))) * close, set_field "names")
    + default
    + of_type
    + unknown
  rules.parentheses = P "(" * (1 - S "()" + V "parentheses") ^ 0 * P ")"

  local waiting = P "wait" * -lx.alnum * Cc "wait" * lx.space * queues
  local cached = P "cache" * -lx.alnum * Cc "cache" * lx.space * open * direction * variables * close
    / function(text, modifier, vars) return text, { modifier = modifier or nil, vars = vars } end
  local argument = opt(sym "(" * Cp() * lx.name * expect(sym ")", "expected ')'")
    / new_name)
  -- Matches the clauses p up to the end of the text, with commas between them if the text has any.
  local function clauses(p) return Ct((sym "," ^ -1 * p) ^ 0) * expect(-P(1), "expected a clause") end
  rules.directive = lx.space * sentinel ^ -1
    * node("directive", lx.words(member_names) * argument * clauses(V "member_clause")
        + waiting * clauses(V "clause") + cached * clauses(V "clause") + name * argument * clauses(V "clause"),
      function(n, text, argument_of, list)
        if text ~= "shape" then reject_parts(list) end
        n.name, n.clauses = text, list
        if text == "cache" then n.modifier, n.vars, n.argument = argument_of.modifier, argument_of.vars, nil
        elseif text == "wait" then n.waiting = argument_of else n.argument = argument_of or nil end
      end)
  -- Start rule for the variables of REFS (second argument of acc), and for texts that are arguments of runtime
  -- routines.
  rules.references = lx.space * Ct(lx.list(V "variable")) * expect(-P(1), "expected ','")
end

return openacc_syntax
