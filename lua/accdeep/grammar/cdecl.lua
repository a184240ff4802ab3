-- cdecl.lua - C declarations: types, members, variables with initialisers, directives between them.
--
-- Nodes: declaration{spec, storage, list of {declarator, init?}}; spec is builtin{words} |
-- record{kind, name?, members?} | enum{name?, list?} | named{name} | instance{name, arguments};
-- method{name, params, body}; virtual (a member function that makes its type polymorphic);
-- template{params, record}; declarator{pointers, reference?, name? |
-- inner?, suffixes}; pragma{text}; init is an expression or braces{list of {path?, value}}.

local lpeg = require "lpeg"
local P, S, V, C, Cc, Cp, Ct, Cmt, Carg =
  lpeg.P, lpeg.S, lpeg.V, lpeg.C, lpeg.Cc, lpeg.Cp, lpeg.Ct, lpeg.Cmt, lpeg.Carg

return function(rules, lx)
  local sym, word, expect, node, name = lx.sym, lx.word, lx.expect, lx.node, lx.name
  local opt = function(p) return p + Cc(false) end

  -- A directive line, with its continuation lines.
  local line = (P "\\" * P "\r" ^ -1 * P "\n" + (1 - P "\n")) ^ 0
  rules.pragma = node("pragma", P "#" * S " \t" ^ 0 * P "pragma" * S " \t" ^ 1 * Cp() * C(line)
    * lx.space, function(n, start, text) n.start, n.text = start, text end)

  local qualifier = lx.words "const volatile restrict __restrict __restrict__ register inline auto" / 0
  local storage = lx.words "typedef extern static"
  local builtin = lx.words [[void char short int long float double signed unsigned _Bool bool]]

  rules.builtin = node("builtin", builtin * (builtin + qualifier) ^ 0, function(n, ...)
    n.words = { ... }
  end)
  rules.base = V "instance" + V "named"
  rules.record = node("record", lx.words "struct union class" * opt(name)
      * opt(sym ":" * Ct(lx.list((lx.words "public private protected" / 0) ^ -1 * V "base")))
      * opt(sym "{" * Ct(V "member" ^ 0) * expect(sym "}", "expected a member or '}'")),
    function(n, kind, tag, bases, members)
      n.kind, n.name, n.bases, n.members = kind, tag or nil, bases or nil, members or nil
      if not tag and not members then error({ syntax = "expected a tag or members", pos = n.pos }, 0) end
    end)
  rules.enumerator = node("enumerator", name * opt(sym "=" * V "expression"),
    function(n, text, value) n.name, n.value = text, value or nil end)
  rules.enum = node("enum", word "enum" * opt(name)
      * opt(sym "{" * Ct((V "enumerator" * (sym "," * V "enumerator") ^ 0) ^ -1) * sym "," ^ -1
        * expect(sym "}", "expected an enumerator or '}'")),
    function(n, tag, list)
      n.name, n.list = tag or nil, list or nil
      if not tag and not list then error({ syntax = "expected a tag or enumerators", pos = n.pos }, 0) end
    end)
  rules.named = node("named", name, function(n, text) n.name = text end)
  rules.known = node("named", V "known_type", function(n, text) n.name = text end)

  rules.instance = node("instance", V "known_template" * sym "<" * Ct(lx.list(V "any_type"))
      * expect(sym ">", "expected ',' or '>'"),
    function(n, text, arguments) n.name, n.arguments = text, arguments end)

  -- A type of C++ that a program's debug information gave: std::vector<float>, app::cell
  rules.angles = P "<" * ((1 - S "<>;{}") + V "angles") ^ 0 * P ">"
  local step = lx.raw_name / 0 * lx.space * (V "angles" * lx.space) ^ -1
  local spelled = C((P "::" * lx.space) ^ -1 * step * (P "::" * lx.space * step) ^ 0)
  rules.qualified = node("named", (lx.words "struct class union enum typename" / 0) ^ -1
      * Cmt(Carg(1) * #(lx.raw_name / 0 * lx.space * (P "<" + "::") + "::") * spelled, function(_, at, state, text)
        local key = state.qualified_type and state.qualified_type(text)
        if key then return at, key end
        return nil
      end),
    function(n, text) n.name = text end)

  local function any_spec(named)
    return qualifier ^ 0 * (V "qualified" + V "builtin" + V "record" + V "enum" + V "instance" + named) * qualifier ^ 0
  end
  rules.spec, rules.sure_spec = any_spec(V "named"), any_spec(V "known")

  local stars = Cp() * (sym "*" * qualifier ^ 0 * Cc "*") ^ 0 / function(_, ...)
    return select("#", ...)
  end
  rules.parameter = V "spec" * V "any_declarator" * (sym "=" * V "expression") ^ -1
  rules.parameters = (lx.list(V "parameter") * (sym "," * sym "...") ^ -1) ^ -1
  rules.dimension = node("array", sym "[" * opt(V "expression") * expect(sym "]", "expected ']'"),
      function(n, size) n.size = size or nil end)
    + node("function", sym "(" * (V "parameters" / 0) * sym ")" * (word "const") ^ -1,
      function() end)
  local function declarator(who)
    return node("declarator", stars * opt(Cp() * sym "&" * qualifier ^ 0)
        * (who + sym "(" * V "declarator" * sym ")") * Ct(V "dimension" ^ 0),
      function(n, pointers, reference, what, dimensions)
        n.pointers, n.reference, n.suffixes = pointers, reference or nil, dimensions
        if type(what) == "table" then
          n.inner = what
        else
          n.name = what or nil
        end
      end)
  end
  rules.declarator = declarator(name)
  rules.any_declarator = node("declarator",
    stars * opt(name + sym "(" * V "any_declarator" * sym ")") * Ct(V "dimension" ^ 0),
    function(n, pointers, what, dimensions)
      n.pointers, n.suffixes = pointers, dimensions
      if type(what) == "table" then n.inner = what else n.name = what or nil end
    end)
  rules.type_name = Cp() * V "sure_spec" * V "any_declarator" / function(pos, spec, declared)
    return { tag = "type_name", pos = pos, spec = spec, declarator = declared }
  end

  rules.any_type = Cp() * V "spec" * V "any_declarator" / function(pos, spec, declared)
    return { tag = "type_name", pos = pos, spec = spec, declarator = declared }
  end

  -- members
  rules.access = (lx.words "public private protected" / 0) * sym ":"
  rules.member_item = node("member_item", V "declarator" * opt(node("bits", sym ":" * V "expression",
      function(n, width) n.width = width end)) * (sym "=" * V "initializer" / 0) ^ -1,
    function(n, declared, bits) n.declarator, n.bits = declared, bits or nil end)
  -- member functions: a body is one return; constructors and destructors never run (TR14-4.3-09)
  local function_qualifier = (lx.words "const noexcept" / 0) ^ 0
  local any_body = (P "=" * lx.space * (word "default" + word "delete" + P "0" * lx.space)) ^ -1
    * (sym ";" + V "braced" * lx.space)
  rules.virtual = node("virtual", word "virtual" * (1 - S ";{}=") ^ 0 * any_body, function() end)
  rules.operator = (V "spec" / 0) * (stars / 0) * sym "&" ^ -1 * word "operator" * (1 - P "(") ^ 0 * V "parentheses"
    * lx.space * function_qualifier * any_body
  rules.method = node("method", (lx.words "static inline constexpr" / 0) ^ 0 * V "spec" * stars / 0
      * name * sym "(" * Ct((lx.list(V "parameter_name")) ^ -1) * sym ")" * function_qualifier * sym "{"
      * expect(word "return", "expected 'return': a member function's body is one expression")
      * expect(V "comma", "expected an expression") * expect(sym ";", "expected ';'")
      * expect(sym "}", "expected '}'"),
    function(n, text, params, body) n.name, n.params, n.body = text, params, body end)
  rules.parameter_name = V "spec" / 0 * V "any_declarator" / function(declared) return declared.name or "" end
  rules.braced = P "{" * (1 - S "{}" + V "braced") ^ 0 * P "}"
  rules.constructor = (lx.words "explicit inline constexpr" / 0) ^ 0 * sym "~" ^ -1 * (name / 0)
    * V "parentheses" * lx.space * (S ":" * (1 - S "{};") ^ 0) ^ -1 * any_body
  local bare_bits = node("bits", sym ":" * V "expression", function(n, width) n.width = width end)
  rules.member = V "pragma" + V "access" + sym ";" + V "virtual" + V "method" + V "operator"
    + V "constructor"
    + node("members", storage ^ -1 / 0 * V "spec"
      * (Ct(lx.list(V "member_item")) + bare_bits + Ct(P(true)))
      * expect(sym ";" , "expected ';' after a member"),
      function(n, spec, list)
        n.spec = spec
        if list.tag == "bits" then n.list = { { tag = "member_item", pos = list.pos, bits = list } }
        else n.list = list end
      end)

  -- initialisers
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
  local function declaration(spec)
    return node("declaration", opt(storage) * spec * Ct(lx.list(V "init_declarator") ^ -1)
        * expect(sym ";", "expected ';' after a declaration"),
      function(n, class, what, list) n.storage, n.spec, n.list = class or nil, what, list end)
  end
  rules.declaration = declaration(V "spec")
  -- A variable may have the name of a type: a declaration declares a name.
  rules.local_declaration = #(-V "known" + V "known" * sym "*" ^ 0 * qualifier ^ 0 * name)
    * declaration(V "sure_spec")
  rules.template = node("template", word "template" * sym "<"
      * Ct(lx.list((lx.words "class typename Type" / 0) * name)) * expect(sym ">", "expected ',' or '>'")
      * expect(V "record", "expected a class") * expect(sym ";", "expected ';' after a class"),
    function(n, params, record) n.params, n.record = params, record end)
  rules.external = V "pragma" + sym ";" * Cc(false) + V "template" + V "declaration"
end
