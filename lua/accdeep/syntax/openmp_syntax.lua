-- openmp_syntax.lua - grammar of OpenMP directives, built from the table definitions/openmp_directives.lua. C and
-- Fortran parsers use it with their own expressions.
--
-- Input: the text of a directive. Output: a `directive`. Invariants: clauses have the order of the text; the name of a
-- directive has single blanks between its words.
--
-- `no_comma` marks a modifier that is written without a comma before it. The type of a map is the modifier that names a
-- map type. The grammar accepts every clause on every directive; sema/openmp_sema.lua checks them.

local lpeg = require "lpeg"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local P, R, S, V, C, Cc, Cp, Ct = lpeg.P, lpeg.R, lpeg.S, lpeg.V, lpeg.C, lpeg.Cc, lpeg.Cp, lpeg.Ct

local openmp_syntax = {}

-- Adds the rules of OpenMP directives to `rules`, a grammar of C or (if lx.fortran is true) Fortran. lx: combinators of
-- lex.lua.
function openmp_syntax.rules(rules, lx)
  local sym, expect, node = lx.sym, lx.expect, lx.node
  local opt = function(p) return p + Cc(false) end
  local sentinel = P "#" * S " \t" ^ 0 * P "pragma" * S " \t" ^ 1 * P "omp" * -lx.alnum * lx.space
    + P "omp" * -lx.alnum * lx.space + (lx.fortran and P "!$omp" * -lx.alnum * lx.space or P(false))
  local gap = (S " \t" + P "\\" * P "\r" ^ -1 * P "\n") ^ 1
  -- Matches one of several names of directives and captures it. In Fortran, "enddo" is the same as "end do".
  local function phrases(names)
    local vocabulary = {}
    for _, name in ipairs(names) do
      vocabulary[name] = name
      if lx.fortran then vocabulary[name:gsub("^end ", "end")] = name end -- enddo for end do
    end
    return (lx.fortran and -P "end_" or P(true)) * lx.phrases(vocabulary, gap, "_")
  end
  local name = phrases(lx.fortran and openmp_directives.fortran_names() or openmp_directives.names)
  local beyond = phrases(lx.fortran and {} or openmp_directives.beyond)
  local open = expect(sym "(", "expected '('")
  local close = expect(sym ")", "expected ',' or ')'")
  local variables = Ct(lx.list(V "variable"))
  local word = lx.raw_name * lx.space
  local function new_name(pos, text) return { tag = "name", pos = pos, name = text } end

  -- Matches a clause of this kind. body: pattern after its name; build(node, captures of body): completes its node.
  local function clause(kind, body, build)
    return node("clause", lx.words(openmp_directives.takes[kind]) * body, function(n, text, ...)
      n.name, n.kind = text, kind
      build(n, ...)
    end)
  end

  -- Matches map([modifiers:] list). A list of words is a list of modifiers only if a colon follows the list.
  local of_type = lx.fortran and V "spec" * sym "::" or V "sure_spec"
  local iterator = node("iterator", (of_type / 0) ^ -1 * lx.name * sym "=" * V "expression" * sym ":"
      * V "expression" * opt(sym ":" * V "expression"),
    function(n, text, first, last, step) n.name, n.first, n.last, n.step = text, first, last, step or nil end)
  rules.omp_modifier = node("modifier", C(P "iterator") * -lx.alnum * lx.space * sym "(" * Ct(lx.list(iterator))
      * sym ")", function(n, text, list) n.name, n.iterators = text, list end)
    + node("modifier", C(P "mapper") * -lx.alnum * lx.space * sym "(" * Cp() * word * sym ")",
      function(n, text, pos, mapper) n.name, n.mapper, n.mapper_pos = text, mapper, pos end)
    + node("modifier", C(P "attach") * -lx.alnum * lx.space * sym "(" * Cp() * word * sym ")",
      function(n, text, pos, when) n.name, n.when, n.when_pos = text, when, pos end)
    + node("modifier", word, function(n, text) n.name = text end)
  local without_comma = V "omp_modifier" / function(modifier)
    modifier.no_comma = true
    return modifier
  end
  local modifiers = Ct(V "omp_modifier" * (sym "," * V "omp_modifier" + without_comma) ^ 0) * sym ":" * -P ":"
  local mapped = open * (modifiers + Ct(P(true))) * variables * close

  -- Matches bind_group([action:] names).
  local names = Ct(lx.list(node("name", expect(word, "expected a name"), function(n, text) n.name = text end)))
  local phrase_names = Ct(lx.list(node("name", expect(name, "expected the name of a construct"),
    function(n, text) n.name = text end)))
  local action = opt(Cp() * word * sym ":" * -P ":" / new_name)
  local typed = expect(V "type_name" + V "plain_type", "expected a type")

  local operator = lx.fortran and C(S "+-*" + P "." * R "az" ^ 1 * P ".") or C(P "&&" + "||" + S "+-*&|^")
  rules.omp_clause = clause("map", mapped, function(n, list, vars) n.modifiers, n.vars = list, vars end)
    + clause("motion", mapped, function(n, list, vars) n.modifiers, n.vars = list, vars end)
    + clause("reduction", open * (word * sym "," / 0) ^ -1
      * expect(operator + lx.raw_name, "expected a reduction's operator") * lx.space
      * expect(sym ":", "expected ':'") * variables * close, function(n, op, vars) n.op, n.vars = op, vars end)
    + clause("vars", open * opt(Cp() * word * Cp() * sym ":" * -P ":") * variables * close,
      function(n, pos, modifier, colon, vars)
        -- The capture `modifier` is the list of variables if there is no modifier.
        n.vars = pos and vars or modifier
        if pos and not (n.name == "lastprivate" and modifier == "conditional") then
          error({ syntax = "expected ',' or ')'", pos = colon }, 0)
        end
      end)
    + clause("linear", open * variables * opt(sym ":" * V "expression") * close,
      function(n, vars, step) n.kind, n.vars, n.step = "vars", vars, step or nil end)
    + clause("expression", open * opt(Cp() * (name + word) * sym ":" * -P ":"
        / new_name)
      * expect(V "expression", "expected an expression") * opt(sym ":" * V "expression") * close,
      function(n, modifier, e, upper)
        n.modifier, n.e = modifier or nil, upper or e
        if upper and n.name == "num_teams" then n.lower = e
        elseif upper then error({ syntax = "expected ')'", pos = upper.pos }, 0) end
      end)
    + clause("depend", open * opt(V "omp_modifier" * sym ",") * Cp() * expect(word, "expected a type of dependence")
        * opt(sym ":" * -P ":" * (variables * #(sym ")") + Ct(lx.list(V "expression")))) * close,
      function(n, modifier, pos, text, items)
        n.modifier, n.type, n.items = modifier or nil, new_name(pos, text), items or nil
      end)
    + clause("words", open * Ct(lx.list(node("name", expect(word, "expected a word"),
        function(n, text) n.name = text end), sym ":")) * close, function(n, words) n.words = words end)
    + clause("group", open * action * names * close,
      function(n, group_action, list) n.action, n.names = group_action or nil, list end)
    + node("clause", C(P "bind_all") * -lx.alnum * lx.space * open * phrase_names * close,
      function(n, text, list) n.name, n.kind, n.names = text, "names", list end)
    + node("clause", C(P "bind_type") * -lx.alnum * lx.space * open * Ct(lx.list(typed)) * close,
      function(n, text, list) n.name, n.kind, n.types = text, "names", list end)
    + node("clause", C(P "name") * -lx.alnum * lx.space * open * names * close,
      function(n, text, list) n.name, n.kind, n.names = text, "names", list end)
    + clause("types", open * Ct(lx.list(typed * (sym "..." / 0) ^ -1)) * close, function(n, list) n.types = list end)
    + clause("anything", (Cp() * C(V "parentheses") * lx.space) ^ -1,
      function(n, pos, text) n.text_pos, n.text = pos, text end)
    + clause("none", -sym "(", function() end)
    + node("clause", Cp() * lx.raw_name * lx.space * opt(V "parentheses" * lx.space),
      function(n, _, text) n.name, n.kind = text, "unknown" end)

  -- Matches declare mapper([name:] type variable); in Fortran ([name:] type :: variable).
  local c_mapper = node("mapper", expect(V "spec", "expected a type") * expect(V "declarator", "expected a variable")
      * close, function(n, spec, declarator)
      n.type = { tag = "type_name", pos = n.pos, spec = spec, declarator = declarator }
      n.variable = declarator.name
    end)
  local fortran_mapper = node("mapper", expect(V "spec" + V "type_spec", "expected a type")
      * expect(sym "::", "expected '::'") * expect(lx.name, "expected a variable") * close, function(n, spec, variable)
      n.type, n.variable = spec, variable
    end)
  local mapper = phrases { "declare mapper" }
    * open * opt(word * sym ":" * -P ":") * (lx.fortran and fortran_mapper or c_mapper)
  local clauses = Ct((sym "," ^ -1 * V "omp_clause") ^ 0) * expect(-P(1), "expected a clause")
  -- Matches the memory order of flush, such as acquire, which precedes the list of variables.
  local order = node("clause", (C(P "seq_cst" + "acq_rel" + "acquire" + "release") * -lx.alnum) * lx.space * #P "(",
    function(n, text) n.name, n.kind = text, "none" end)
  local listed = opt(sym "(" * variables * close)
  rules.omp_directive = lx.space * sentinel ^ -1
    * (node("directive", mapper * clauses, function(n, text, mapper_name, mapper_node, list)
        mapper_node.name = mapper_name or nil
        n.name, n.mapper, n.clauses = text, mapper_node, list
      end)
      + node("directive", beyond * P(1) ^ 0, function(n, text) n.name, n.clauses = text, {} end)
      + node("directive", name * Ct(order ^ -1) * listed * clauses,
        function(n, text, first, vars, list)
          n.name, n.vars, n.clauses = text, vars or nil, table.move(list, 1, #list, #first + 1, first)
        end))
end

return openmp_syntax
