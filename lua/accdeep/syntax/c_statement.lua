-- c_statement.lua - grammar of C statements, for the bodies of compute constructs. Adds its rules to the parser of
-- syntax/init.lua.
--
-- Input: the text of a body. Output: a `block` with its statements and `pragma` nodes, in the order of the text.
--
-- The parser does not attach statements to directives; sema/body/c_body.lua does. `inner` marks a block made of
-- directives and a statement where the grammar requires one statement.

local lpeg = require "lpeg"
local P, V, Cc, Ct = lpeg.P, lpeg.V, lpeg.Cc, lpeg.Ct

return function(rules, lx)
  local sym, word, expect, node = lx.sym, lx.word, lx.expect, lx.node
  local opt = function(p) return p + Cc(false) end
  local condition = expect(sym "(", "expected '('") * V "comma" * expect(sym ")", "expected ')'")

  rules.statement = sym "{" * node("block", Ct(V "body_item" ^ 0),
      function(n, list) n.list = list end) * expect(sym "}", "expected a statement or '}'")
    + node("if", word "if" * condition * V "inner" * opt(word "else" * V "inner"),
      function(n, c, yes, no) n.c, n.yes, n.no = c, yes, no or nil end)
    + node("while", word "while" * condition * V "inner",
      function(n, c, body) n.c, n.body = c, body end)
    + node("do", word "do" * V "inner" * expect(word "while", "expected 'while'") * condition
      * expect(sym ";", "expected ';'"),
      function(n, body, c) n.body, n.c = body, c end)
    + node("for", word "for" * expect(sym "(", "expected '('")
      * (V "local_declaration" + opt(V "comma") * expect(sym ";", "expected ';'"))
      * opt(V "comma") * expect(sym ";", "expected ';'")
      * opt(V "comma") * expect(sym ")", "expected ')'") * V "inner",
      function(n, init, c, step, body)
        n.init, n.c, n.step, n.body = init or nil, c or nil, step or nil, body
      end)
    + node("switch", word "switch" * condition * V "inner", function(n, c, body) n.c, n.body = c, body end)
    + node("break", word "break" * expect(sym ";", "expected ';'"), function() end)
    + node("continue", word "continue" * expect(sym ";", "expected ';'"), function() end)
    + node("return", word "return" * opt(V "expression") * expect(sym ";", "expected ';'"),
      function(n, e) n.e = e or nil end)
    + sym ";" * node("block", P(true), function(n) n.list = {} end)
    + node("expr", V "comma" * expect(sym ";", "expected ';'"), function(n, e) n.e = e end)
  rules.inner = node("block", Ct(V "pragma" ^ 1 * expect(V "statement", "expected a statement")),
      function(n, list) n.list, n.inner = list, true end)
    + expect(V "statement", "expected a statement")
  local colon = expect(sym ":", "expected ':'")
  rules.body_item = V "pragma"
    + node("decl", V "local_declaration", function(n, d) n.declaration = d end)
    + node("case", word "case" * expect(V "expression", "expected a constant") * colon, function(n, e) n.e = e end)
    + node("case", word "default" * colon, function() end)
    + V "statement"
  rules.body = node("block", Ct(V "body_item" ^ 0), function(n, list) n.list = list end)
end
