-- c_class.lua - grammar of structures, unions and classes: base classes, members, functions, templates. Adds its rules
-- to the parser of syntax/init.lua; backend/class.lua evaluates the nodes.
--
-- Input: the text of a class. Output: a `record` with its members in the order of the text, or a template of one.
--
-- Texts of parameters, bodies and member values are stored by position and parsed when they are needed.
--
-- The file returns a function that adds its rules to `rules`, a grammar of LPeg; lx: combinators (lex.new). A comment
-- "Matches ..." describes the text that a rule accepts.

local lex = require "accdeep.syntax.lex"
local lpeg = require "lpeg"
local P, S, V, C, Cc, Cp, Ct = lpeg.P, lpeg.S, lpeg.V, lpeg.C, lpeg.Cc, lpeg.Cp, lpeg.Ct

return function(rules, lx)
  local sym, word, expect, node, name = lx.sym, lx.word, lx.expect, lx.node, lx.name
  local opt = function(p) return p + Cc(false) end
  local blank, refuse = lex.blank, lx.refuse

  -- Patterns for skipped text: everything between brackets, with strings and comments, which may contain brackets.
  local quoted = P '"' * (P "\\" * 1 + (1 - S '"\\\n')) ^ 0 * P '"' + P "'" * (P "\\" * 1 + (1 - S "'\\\n")) ^ 1 * P "'"
    + P "//" * (1 - P "\n") ^ 0 + P "/*" * (1 - P "*/") ^ 0 * P "*/"
  rules.round = P "(" * (quoted + V "round" + (1 - S "()")) ^ 0 * P ")"
  rules.braced = P "{" * (quoted + V "braced" + (1 - S "{}")) ^ 0 * P "}"
  local no_address = P "no_unique_address"
  rules.attribute = P "[[" * (refuse((1 - P "]]" - no_address) ^ 0 * no_address, "[[no_unique_address]]",
      "declare_from takes the class as the compiler laid it out") + P(true))
    * (1 - P "]]") ^ 0 * P "]]" * lx.space
  local attributes = V "attribute" ^ 0
  rules.alignas = word "alignas" * sym "(" * (V "type_name" + V "expression") * expect(sym ")", "expected ')'")

  -- Base classes.
  local access = lx.words "public private protected"
  rules.base = node("base", Ct((access / 0 + word "virtual" * Cc "virtual") ^ 0) * V "path",
    function(n, words, spec) n.virtual, n.spec = words[1] ~= nil, spec end)

  rules.record = node("record", lx.words "struct union class" * attributes * opt(V "alignas") * attributes
      * opt(V "tag") * (word "final" * #S ":{") ^ -1
      * opt(#(P ":" - "::") * sym ":" * Ct(lx.list(V "base")))
      * opt(sym "{" * Ct(V "member" ^ 0) * expect(sym "}", "expected a member or '}'")),
    function(n, kind, align, tag, bases, members)
      n.kind, n.align, n.bases, n.members = kind, align or nil, bases or nil, members or nil
      if tag then n.name, n.path = tag.name, tag.path end
      if not tag and not members then error({ syntax = "expected a tag or members", pos = n.pos }, 0) end
    end)
  -- Matches the name of a definition. A nested class may be defined outside of its class: Outer::Inner.
  rules.tag = Cp() * name * (P "::" * lx.space * name) ^ 0 / function(pos, first, ...)
    if select("#", ...) == 0 then return { name = first } end
    local steps = { { tag = "step", name = first, pos = pos } }
    for i, text in ipairs { ... } do steps[i + 1] = { tag = "step", name = text, pos = pos } end
    return { name = steps[#steps].name, path = { tag = "path", pos = pos, steps = steps } }
  end

  -- Functions.
  local specifier = lx.words [[static inline constexpr explicit virtual extern __inline __inline__]]
    + V "attribute"
  local specifiers = Ct(specifier ^ 0)
  local qualifier = lx.words "const volatile override final" / 0 + word "noexcept" * (V "round" * lx.space) ^ -1
    + word "throw" * V "round" * lx.space + sym "&&" + sym "&" + V "attribute"
    + P "->" * lx.space * V "any_type" / 0
  local initialised = V "angles" + lx.raw_name / 0 + S " \t\r\n:.,"
  local body_kind = sym "=" * (lx.words "default delete" + C(P "0") * lx.space) * sym ";"
    + sym ";" * Cc "declared"
    + (P ":" * (initialised + V "round" + V "braced" * #(blank * S ",{")) ^ 1) ^ -1
      * Cp() * C(V "braced") * lx.space * sym ";" ^ -1
  local parts = Cp() * V "round" * lx.space * qualifier ^ 0 * body_kind
  -- Matches a member function. p: rule for its name, with the result type if it has one; role: "method", "constructor",
  -- "destructor" or "operator", for the field role of the node.
  local function fn(role, p)
    return node("function", specifiers * p * parts, function(n, words, text, parameters, ending, body)
      n.role, n.name, n.words, n.parameters_at = role, text, {}, parameters
      for _, w in ipairs(words) do n.words[w] = true end
      if type(ending) == "number" then n.body_at, n.body = ending, body else n.body_kind = ending end
    end)
  end
  local returned = (V "plain_spec" / 0) * (S "*&" * lx.space + word "const") ^ 0
  local operator = word "operator" * C(P "()" + (1 - S "(;{}") ^ 1) * lx.space
  rules["function"] = fn("destructor", sym "~" * name) + fn("constructor", name)
    + fn("operator", (returned ^ -1) * operator) + fn("method", returned * name)

  -- Members.
  rules.access = node("access", access * sym ":", function(n, text) n.word = text end)
  rules.friend = node("friend", word "friend" * (1 - S ";{") ^ 0 * (sym ";" + V "braced" * lx.space * sym ";" ^ -1),
    function() end)
  rules.alias = node("type_alias", word "using" * name * attributes * sym "=" * V "any_type"
      * expect(sym ";", "expected ';' after a type"),
    function(n, text, type_name) n.name, n.type = text, type_name end)
  rules.using = node("using", word "using" * (word "typename" + word "namespace") ^ -1 * V "path" * sym ";",
    function(n, path) n.path = path end)
  rules.assertion = node("assertion", word "static_assert" * V "round" * lx.space * sym ";", function() end)
  -- Captures the position of a member's initial value: that after `=`, or that of `{`.
  local nested = quoted + V "round" + V "braced" + (1 - S ";,(){}")
  local start = sym "=" * Cp() * nested ^ 1 + #P "{" * Cp() * V "braced" * lx.space
  rules.member_item = node("member_item", V "declarator" * attributes * opt(node("bits", sym ":" * V "expression",
      function(n, width) n.width = width end)) * opt(start),
    function(n, declared, bits, value_at)
      n.declarator, n.bits, n.value_at = declared, bits or nil, value_at or nil
    end)
  local bare_bits = node("bits", sym ":" * V "expression", function(n, width) n.width = width end)
  local storage = lx.words "typedef extern static inline constexpr mutable thread_local"
  rules.members = node("members", attributes * opt(V "alignas") * Ct(storage ^ 0) * opt(V "alignas") * V "spec"
      * (Ct(lx.list(V "member_item")) + bare_bits + Ct(P(true)))
      * expect(sym ";" , "expected ';' after a member"),
    function(n, first_align, words, second_align, spec, list)
      n.spec, n.align, n.words = spec, first_align or second_align or nil, {}
      for _, w in ipairs(words) do n.words[w] = true end
      if list.tag == "bits" then n.list = { { tag = "member_item", pos = list.pos, bits = list } }
      else n.list = list end
    end)
  rules.member = V "pragma" + V "access" + sym ";" + V "friend" + V "alias" + V "using" + V "assertion"
    + V "template" + V "function" + V "members"

  -- Templates. The rules refused_parameter and special report templates that are not supported.
  local refused_parameter = refuse(P "template" * -lex.alnum, "a template as a template's argument")
    + refuse((lex.letter * lex.alnum ^ 0 * blank) ^ -1 * P "...",
      "a template with any number of arguments", "give it the arguments that it is used with")
  rules.template_parameter = refused_parameter
    + node("template_parameter", (lx.words "class typename Type" / 0) * opt(name) * opt(sym "=" * V "any_type"),
      function(n, text, default) n.name, n.default = text or "", default or nil end)
    + node("template_parameter", V "spec" * opt(name) * opt(sym "=" * V "argument_value"),
      function(n, spec, text, default) n.spec, n.name, n.default = spec, text or "", default or nil end)
  local own_name = "declare the class that is used under a name of its own"
  local special = refuse(P "<" * blank * ">", "a specialised template", own_name)
  rules.template = node("template", word "template" * (special + sym "<")
      * Ct(lx.list(V "template_parameter")) * expect(sym ">", "expected ',' or '>'")
      * (refuse(P "using" * -lex.alnum, "a template of a name", "write the type that it stands for")
        + V "friend" + V "function"
        + V "record" * (refuse(P "<", "a specialised template", own_name)
          + expect(sym ";", "expected ';' after a class"))
        + expect(P(false), "expected a class or a function")),
    function(n, params, declaration)
      n.params = params
      if declaration.tag == "record" then
        n.record = declaration
      else
        n.tag, n.declaration = "template_" .. declaration.tag, declaration
      end
    end)

  -- Matches a template argument: a type, or a number in which '>' is not an operator.
  rules.argument = V "any_type" * #S ",>" + V "argument_value" * #S ",>"
end
