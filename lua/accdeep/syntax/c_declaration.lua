-- c_declaration.lua - grammar of C and C++ declarations: types, members, variables with initializers, and the
-- directives between them. Adds its rules to the parser of syntax/init.lua; types/ and backend/declarations.lua
-- evaluate the nodes.
--
-- Input: the text of declarations. Output: nodes of declarations and types. Names of types are not resolved, except for
-- those of debug information with scopes or arguments.
--
-- The file returns a function that adds its rules to `rules`, a grammar of LPeg; lx: combinators (lex.new). A comment
-- "Matches ..." describes the text that a rule accepts.

local lex = require "accdeep.syntax.lex"
local lpeg = require "lpeg"
local word_set = require "accdeep.base.strings".word_set
local P, S, V, C, Cc, Cp, Ct, Cmt, Carg =
  lpeg.P, lpeg.S, lpeg.V, lpeg.C, lpeg.Cc, lpeg.Cp, lpeg.Ct, lpeg.Cmt, lpeg.Carg

return function(rules, lx)
  local sym, word, expect, node, name = lx.sym, lx.word, lx.expect, lx.node, lx.name
  local opt = function(p) return p + Cc(false) end

  -- Matches a directive line with its continuation lines and comments, or a _Pragma.
  local comment = P "/*" * (1 - P "*/") ^ 0 * P "*/"
  local line = (P "\\" * P "\r" ^ -1 * P "\n" + comment + (1 - P "\n")) ^ 0
  local quoted = (P "\\" * 1 + (1 - S '"\\\n')) ^ 0 / function(text) return (text:gsub('\\([\\"])', "%1")) end
  rules.pragma = node("pragma", P "#" * S " \t" ^ 0 * P "pragma" * -lx.alnum * S " \t" ^ 0 * Cp() * C(line) * lx.space
      + word "_Pragma" * expect(sym "(", "expected '('") * expect(P '"', "expected a text") * S " \t" ^ 0 * Cp()
        * quoted * expect(P '"', "expected '\"'") * lx.space * expect(sym ")", "expected ')'"),
    function(n, start, text) n.start, n.text = start, text end)

  local qualifying = "const volatile restrict __restrict __restrict__ register inline auto"
  local qualifier, is_qualifier = lx.words(qualifying), word_set(qualifying)
  local qualifiers = (qualifier / 0) ^ 0
  local builtin = lx.words [[void char short int long float double signed unsigned _Bool bool]]

  rules.builtin = node("builtin", builtin * (builtin + qualifier) ^ 0, function(n, ...)
    n.words = {}
    for _, w in ipairs { ... } do
      if is_qualifier[w] then n.const = n.const or w == "const" else n.words[#n.words + 1] = w end
    end
  end)
  rules.enumerator = node("enumerator", name * V "attribute" ^ 0 * opt(sym "=" * V "expression"),
    function(n, text, value) n.name, n.value = text, value or nil end)
  rules.enum = node("enum", word "enum" * opt(lx.words "class struct") * opt(name)
      * opt(#(P ":" - "::") * sym ":" * V "plain_spec")
      * opt(sym "{" * Ct((V "enumerator" * (sym "," * V "enumerator") ^ 0) ^ -1) * sym "," ^ -1
        * expect(sym "}", "expected an enumerator or '}'")),
    function(n, scoped, tag, base, list)
      n.scoped, n.name, n.base, n.list = scoped ~= false, tag or nil, base or nil, list or nil
      if not tag and not list then error({ syntax = "expected a tag or enumerators", pos = n.pos }, 0) end
    end)
  rules.declared_type = node("named", V "known_type", function(n, text) n.name = text end)

  -- Matches a C++ name with scopes and template arguments. types/scoped_names.lua resolves the name where it is used.
  local arguments = sym "<" * Ct(lx.list(V "argument") ^ -1)
  rules.step = node("step", V "known_template" * arguments * expect(sym ">", "expected ',' or '>'")
      + name * opt(arguments * sym ">"),
    function(n, text, list) n.name, n.arguments = text, list or nil end)
  -- Returns the node of a C++ name: path if it has several steps or begins with ::, otherwise instance or named.
  local function one_name(pos, global, first, ...)
    if global or select("#", ...) > 0 then
      return { tag = "path", pos = pos, global = global or nil, steps = { first, ... } }
    end
    return { tag = first.arguments and "instance" or "named", pos = first.pos, name = first.name,
      arguments = first.arguments }
  end
  local more_steps = (P "::" * lx.space * word "template" ^ -1 * V "step") ^ 0
  local steps = V "step" * more_steps
  rules.path = word "typename" ^ -1 * Cp() * opt(sym "::" * Cc(true)) * steps / one_name
  -- Matches an elaborated type such as struct Outer::Inner or class vector<float>, but not a definition.
  rules.elaborated = (lx.words "struct class union enum typename" / 0) * Cp() * opt(sym "::" * Cc(true))
    * #(lex.letter * lex.alnum ^ 0 * lex.blank * (P "<" + "::")) * steps * -S "{:" / one_name
  rules.known_instance = Cp() * Cc(false) * node("step", V "known_template" * arguments * sym ">",
    function(n, text, list) n.name, n.arguments = text, list end) * more_steps / one_name

  rules.plain_type = node("type_name", V "elaborated" + V "path", function(n, spec)
    n.spec, n.declarator = spec, { tag = "declarator", pos = n.pos, pointers = 0, suffixes = {} }
  end)

  -- Matches the spelling of a type with scopes or template arguments that state.qualified_type of the scope knows. The
  -- type was declared, or read from a program's debug information.
  rules.angles = P "<" * ((1 - S "<>;{}") + V "angles") ^ 0 * P ">"
  local known_step = lx.raw_name / 0 * lx.space * (V "angles" * lx.space) ^ -1
  local spelled = C((P "::" * lx.space) ^ -1 * known_step * (P "::" * lx.space * known_step) ^ 0)
  rules.qualified = node("named", (lx.words "struct class union enum typename" / 0) ^ -1
      * Cmt(Carg(1) * #(lx.raw_name / 0 * lx.space * (P "<" + "::") + "::") * spelled, function(_, at, state, text)
        local key = state.qualified_type and state.qualified_type(text)
        if key then return at, key end
        return nil
      end),
    function(n, key) if type(key) == "table" then n.type = key else n.name = key end end)

  -- Matches p with const and other qualifiers before and after it; sets const in the node of p.
  local function with_qualifiers(p)
    return Ct(qualifier ^ 0) * p * Ct(qualifier ^ 0) / function(preceding, n, following)
      for _, list in ipairs { preceding, following } do
        for _, w in ipairs(list) do n.const = n.const or w == "const" end
      end
      return n
    end
  end
  -- Matches any type; named: rule for types that are written as a name.
  local function any_spec(named)
    return with_qualifiers(V "qualified" + V "builtin" + V "elaborated" + V "record" + V "enum" + named)
  end
  rules.plain_spec = with_qualifiers(V "qualified" + V "builtin" + V "elaborated"
    + node("named", (lx.words "struct class union enum" / 0) * name * -S "{:", function(n, text) n.name = text end)
    + V "path")
  rules.spec = any_spec(V "path")
  rules.sure_spec = any_spec(V "known_instance" + V "declared_type")

  -- Captures the number of stars, and whether the last pointer is const: {n, const}.
  local stars = Ct((sym "*" * Ct(qualifier ^ 0)) ^ 0) / function(list)
    local last = list[#list] or {}
    local const
    for _, w in ipairs(last) do const = const or w == "const" end
    return { n = #list, const = const }
  end
  rules.parameter = V "spec" * V "any_declarator" * (sym "=" * V "expression") ^ -1
  rules.parameters = (lx.list(V "parameter") * (sym "," * sym "...") ^ -1) ^ -1
  rules.dimension = node("array", sym "[" * opt(V "expression") * expect(sym "]", "expected ']'"),
      function(n, size) n.size = size or nil end)
    + node("parameters", sym "(" * (V "parameters" / 0) * sym ")" * (word "const") ^ -1,
      function() end)
  -- Matches a declarator; who: the rule for the declared name.
  local function declarator(who)
    return node("declarator", stars * opt(Cp() * sym "&" * qualifiers) * Cp()
        * (who + sym "(" * V "declarator" * sym ")") * Ct(V "dimension" ^ 0),
      function(n, pointers, reference, pos, subject, dimensions)
        n.pos = pos -- position of the name
        n.pointers, n.const, n.reference, n.suffixes = pointers.n, pointers.const, reference or nil, dimensions
        if type(subject) == "table" then
          n.inner = subject
        else
          n.name = subject or nil
        end
      end)
  end
  rules.declarator = declarator(name)
  rules.any_declarator = node("declarator",
    stars * opt(Cp() * (sym "&&" + sym "&") * qualifiers) * opt(name + sym "(" * V "any_declarator" * sym ")")
      * Ct(V "dimension" ^ 0),
    function(n, pointers, reference, subject, dimensions)
      n.pointers, n.const, n.reference, n.suffixes = pointers.n, pointers.const, reference or nil, dimensions
      if type(subject) == "table" then n.inner = subject else n.name = subject or nil end
    end)
  rules.type_name = Cp() * V "sure_spec" * V "any_declarator" / function(pos, spec, declared)
    return { tag = "type_name", pos = pos, spec = spec, declarator = declared }
  end

  rules.any_type = Cp() * V "spec" * V "any_declarator" / function(pos, spec, declared)
    return { tag = "type_name", pos = pos, spec = spec, declarator = declared }
  end

  rules.parameter_names = Ct((lx.list(V "spec" / 0 * V "any_declarator" * (sym "=" * V "expression" / 0) ^ -1
    / function(declared) return declared.name or "" end)) ^ -1) * sym ")"
  -- Start rules for texts kept from class definitions: the value of a static member, and a function body that is a
  -- single return (c_class.lua).
  rules.initial = sym "{" * V "expression" * sym "}" + V "expression"
  rules.returned = word "return" * V "comma" * sym ";" * sym "}"

  -- Initializers.
  rules.designator = (sym "." * node("field", name, function(n, text) n.name = text end)
    + sym "[" * node("element", V "expression", function(n, index) n.index = index end)
      * sym "]") ^ 1 * sym "="
  rules.initializer_item = node("item", (Ct(V "designator") + Cc(false)) * V "initializer",
    function(n, path, value) n.path, n.value = path or nil, value end)
  rules.braces = node("braces", sym "{" * Ct((V "initializer_item"
      * (sym "," * V "initializer_item") ^ 0) ^ -1) * sym "," ^ -1
      * expect(sym "}", "expected ',' or '}'"),
    function(n, list) n.list = list end)
  rules.initializer = V "braces" + V "expression"

  rules.init_declarator = node("init", V "declarator"
      * opt(sym "=" * expect(V "initializer", "expected a value")),
    function(n, declared, value) n.declarator, n.value = declared, value or nil end)
  local storage = lx.words "typedef extern static constexpr inline thread_local"
  -- Matches a declaration; spec: the rule for its type.
  local function declaration(spec)
    return node("declaration", V "attribute" ^ 0 * Ct(storage ^ 0) * opt(V "alignas") * spec
        * Ct(lx.list(V "init_declarator") ^ -1) * (lx.refuse("{", "the body of a function outside of a class",
            "only declare it, and give it in Lua with func(); a member function inside of its class")
          + expect(sym ";", "expected ';' after a declaration")),
      function(n, words, align, spec_node, list)
        n.words, n.align, n.spec, n.list = {}, align or nil, spec_node, list
        for _, w in ipairs(words) do n.words[w] = true end
      end)
  end
  rules.declaration = declaration(V "spec")
  -- Matches a declaration of a local variable. A statement that begins with the name of a type is a declaration only
  -- if, after stars and qualifiers, another name follows; otherwise it is an expression.
  rules.local_declaration = #(-V "declared_type" + V "declared_type" * sym "*" ^ 0 * qualifiers * name)
    * declaration(V "sure_spec")

  -- Match the lines that open and close blocks of declarations. External declarations are parsed one by one, because
  -- each may use the names that the previous ones declared.
  rules.namespace = node("namespace", word "inline" ^ -1 * word "namespace" * V "attribute" ^ 0
      * Ct((name * (P "::" * lx.space * name) ^ 0) ^ -1) * sym "{",
    function(n, names) n.names = names end)
  rules.linkage = node("linkage", word "extern" * P '"' * (1 - S '"\n') ^ 0 * P '"' * lx.space
      * opt(sym "{" * Cc(true)),
    function(n, is_block) n.is_block = is_block end)
  rules.closing = node("closing", sym "}", function() end)
  rules.external = V "pragma" + sym ";" * Cc(false) + V "namespace" + V "linkage" + V "closing" + V "template"
    + V "alias" + V "using" + V "assertion" + V "declaration"
end
