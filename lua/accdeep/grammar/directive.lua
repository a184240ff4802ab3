-- directive.lua - OpenACC directives, from the tables of what each clause takes.
--
-- Nodes: directive{name, name_pos, shape_name?, clauses}; clause{name, pos, kind, shape?, shape_pos,
-- vars | e | list | word}. Which clause a directive allows is no matter of grammar: resolve says.

local lpeg = require "lpeg"
local lex = require "accdeep.grammar.lex"
local P, S, V, C, Cc, Cp, Ct = lpeg.P, lpeg.S, lpeg.V, lpeg.C, lpeg.Cc, lpeg.Cp, lpeg.Ct

local directive = {}

-- Names of several words are one directive; the loop forms are compute constructs too.
directive.names = [[enter_data exit_data end_data data update parallel_loop serial_loop kernels_loop
  parallel serial kernels shape set wait init shutdown]]

-- What stands in a clause's parentheses: variables, members, an expression, a list of expressions or
-- words, nothing.
directive.clauses = {
  vars = [[copy copyin copyout create no_create present deviceptr delete attach detach
    present_or_copy present_or_copyin present_or_copyout present_or_create
    pcopy pcopyin pcopyout pcreate private firstprivate self host device]],
  members = "include exclude init_needed",
  expression = [[if device_num default_async num_gangs num_workers vector_length async]],
  anything = [[wait gang worker vector collapse tile device_type dtype]],
  none = "finalize if_present seq independent auto",
  default = "default",
  type = "type",
  reduction = "reduction",
}

local function by_length(list)
  local words = {}
  for w in list:gmatch "%S+" do words[#words + 1] = (w:gsub("_data", " data"):gsub("_loop", " loop")) end
  table.sort(words, function(a, b) return #a > #b end)
  return words
end

function directive.rules(rules, lx)
  local sym, expect, node = lx.sym, lx.expect, lx.node
  local opt = function(p) return p + Cc(false) end

  local sentinel = P "#" * S " \t" ^ 0 * P "pragma" * S " \t" ^ 1 * P "acc" * -lx.alnum * lx.space
    + P "acc" * -lx.alnum * lx.space + lex.fortran_sentinel * lx.space

  local name = P(false)
  for _, words in ipairs(by_length(directive.names)) do
    local p = P(true)
    local first = true
    for w in words:gmatch "%S+" do
      p = p * (first and P(true) or S " \t" ^ 1) * P(w) * -lx.alnum
      first = false
    end
    name = name + p * Cc(words)
  end

  -- <name>, and the clause's parentheses
  local shape = opt(sym "<" * Cp() * opt(lx.name) * expect(sym ">", "expected '>'")
    / function(pos, text) return { pos = pos, name = text or nil } end)
  local open = expect(sym "(", "expected '('")
  local close = expect(sym ")", "expected ',' or ')'")

  rules.variable = expect(V "unary", "expected a variable")
  rules.member_shape = node("member_shape", lx.name * V "subscript" ^ 0, function(n, text, ...)
    n.name, n.subscripts = text, { ... }
  end)

  local function words(kind) return lx.words(directive.clauses[kind]) end
  local function clause(kind, body, build)
    return node("clause", words(kind) * body, function(n, text, ...)
      n.name, n.kind = text, kind
      build(n, ...)
    end)
  end
  local function set(key) return function(n, value) n[key] = value end end

  rules.clause = clause("vars", shape * open * Ct(lx.list(V "variable")) * close,
      function(n, s, vars) n.shape, n.vars = s or nil, vars end)
    + clause("members", shape * open
      * Ct(lx.list(expect(V "member_shape", "expected a member's name"))) * close,
      function(n, s, members) n.shape, n.members = s or nil, members end)
    + clause("default", open * Cp() * expect(lx.raw_name * lx.space, "expected a word") * close,
      function(n, pos, text) n.word, n.word_pos = text, pos end)
    + clause("type", open * expect(V "type_name" + V "plain_type", "expected a type") * close,
      set "type")
    + clause("reduction", open * C(S "+*&|^" + (P "max" + "min" + "&&" + "||")) * lx.space
      * expect(sym ":", "expected ':'") * Ct(lx.list(V "variable")) * close,
      function(n, op, vars) n.op, n.vars = op, vars end)
    + clause("none", -sym "(", function() end)
    + clause("expression", opt(sym "(" * expect(V "expression", "expected an expression") * close),
      function(n, e) n.e = e or nil end)
    + clause("anything", opt(V "parentheses" * lx.space), function() end)
    + node("clause", Cp() * lx.raw_name * lx.space * opt(V "parentheses" * lx.space),
      function(n, _, text) n.name, n.kind = text, "unknown" end)
  rules.plain_type = node("type_name", lx.name, function(n, text)
    n.spec = { tag = "named", pos = n.pos, name = text }
    n.declarator = { tag = "declarator", pos = n.pos, pointers = 0, suffixes = {} }
  end)
  rules.parentheses = P "(" * (1 - S "()" + V "parentheses") ^ 0 * P ")"

  -- wait(1, 2): which queues makes no difference, everything is done already
  local waiting = C(P "wait") * -lx.alnum * lx.space
    * (sym "(" * lx.list(V "expression" / 0) * expect(sym ")", "expected ',' or ')'"))
  rules.directive = lx.space * sentinel ^ -1
    * node("directive", (waiting + name * lx.space)
      * opt(sym "(" * Cp() * lx.name * expect(sym ")", "expected ')'")
        / function(pos, text) return { pos = pos, name = text } end)
      * Ct((sym "," ^ -1 * V "clause") ^ 0)
      * expect(-P(1), "expected a clause"),
      function(n, text, shape_name, clauses)
        n.name, n.argument, n.clauses = text, shape_name or nil, clauses
      end)
  -- the variables of REFS, and of routines called with text
  rules.references = lx.space * Ct(lx.list(V "variable")) * expect(-P(1), "expected ','")
end

return directive
