-- declarations.lua - evaluates C declarations: input is the AST of the grammar's start rule "external"; output are
-- types and variables in the session's scope.
--
-- The file enters tags, typedefs, enumerators and variables (name, type, address). session:type_directive executes
-- directives between declarations; class.lua evaluates definitions of structures and classes.

local class = require "accdeep.backend.class"
local closures = require "accdeep.backend.closures"
local diagnostic = require "accdeep.base.diagnostic"
local syntax = require "accdeep.syntax"
local scoped_names = require "accdeep.types.scoped_names"
local template = require "accdeep.types.template"
local types = require "accdeep.types"
local with_fields = require "accdeep.base.with_fields"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise

local declarations = {}

local spec_type -- forward declaration

-- Returns the value of a constant integer expression; raises if the expression is not constant.
local function constant(session, node)
  return closures.constant(session, node)
end

-- Applies a declarator such as *a[3] to the type t. Returns the resulting type, the declared name (nil if there is
-- none), and the position of the & if the declarator declares a reference, otherwise nil. Raises for an array whose
-- size or whose elements' size is unknown, negative or too large, and for an array of references.
local function apply_declarator(session, t, declarator)
  for _ = 1, declarator.pointers do t = types.pointer(t) end
  for i = #declarator.suffixes, 1, -1 do
    local suffix = declarator.suffixes[i]
    if suffix.tag == "parameters" then
      t = types["function"]
    else
      local n
      if suffix.size then
        n = constant(session, suffix.size)
        if n < 0 then
          raise("invalid-section", suffix.pos, ("an array has %s"):format(strings.count(n, "element")))
        end
      end
      if t.kind == "function" or t.kind == "void" or (t.kind == "record" and not t.complete)
        or (t.kind == "array" and not t.n) then
        raise("unknown-type", suffix.pos, ("an array of %s cannot be laid out"):format(types.name(t)))
      end
      if n and t.size > 0 and n > (1 << 46) // t.size then
        raise("invalid-section", suffix.pos, "the array is larger than any memory")
      end
      t = types.array(t, n)
    end
  end
  if declarator.reference and #declarator.suffixes > 0 then
    raise("type-mismatch", declarator.reference, "there are no arrays of references",
      { help = "a reference to an array: int (&r)[4] = a" })
  end
  if declarator.inner then return apply_declarator(session, t, declarator.inner) end
  return t, declarator.name, declarator.reference
end

-- Applies a declarator to the type t, and returns the resulting type and the declared name (nil if there is none).
-- Raises for a reference, and for an array that cannot be laid out.
local function apply(session, t, declarator)
  local resulting_type, name, reference = apply_declarator(session, t, declarator)
  if reference then
    raise("unsupported", reference, "references are variables: not members, types, or locals of a body",
      { rule = "LLNL-3.2-01" })
  end
  return resulting_type, name
end

declarations.apply = apply

-- Returns the type of a type_name node, the AST of a type in casts, sizeof, type clauses and alloc. Raises if the type
-- is unknown.
function declarations.type(session, node)
  if node.resolved then return node.resolved end
  local t = spec_type(session, node.spec)
  return (apply(session, t, node.declarator))
end

-- Returns the type of the enum `spec`. If the text defines the enum, the function enters its tag and its enumerators.
-- Raises if the enum is unknown, if an enumerator's name is taken, or if its value is not constant.
local function enum_type(session, spec)
  local scope = session.now.scope
  if not spec.list then
    local t = scope.tags[spec.name]
    if not t and spec.base then
      t = types.enum(spec.name, spec_type(session, spec.base))
      scope.tags[spec.name] = t
    end
    if not t then raise("unknown-type", spec.pos, ("there is no enum '%s'"):format(spec.name)) end
    return t
  end
  local value, most, least = -1, 0, 0
  local key = spec.scoped and spec.name .. "::" or ""
  for _, item in ipairs(spec.list) do
    value = item.value and constant(session, item.value) or value + 1
    local name = key .. item.name
    if scope:find_declared(name) then scope:raise_taken(item.name, item.pos) end
    scope.enumerators[name] = value
    if not spec.scoped then
      if spec.name then scope.enumerators[spec.name .. "::" .. name] = value end
      -- The enumerators of an enum inside a structure are also known in the scope around the structure.
      if scope.class then
        scope.exported_enumerators = scope.exported_enumerators or {}
        scope.exported_enumerators[name] = true
      end
    end
    most, least = math.max(most, value), math.min(least, value)
  end
  local narrow = least < 0 and "int" or "unsigned int"
  local large = least < -0x80000000 or most > (least < 0 and 0x7fffffff or 0xffffffff)
  local base = spec.base and spec_type(session, spec.base)
    or types.scalars[spec.scoped and "int" or large and (least < 0 and "long" or "unsigned long") or narrow]
  local t = types.enum(spec.name, base)
  if spec.name then scope.tags[spec.name] = t end
  return t
end

-- Completes the record type t from its definition `spec`; template.instance calls the function for a new instance.
local function fill(session, t, spec) class.fill(session, declarations, t, spec) end

-- Returns the type of a template with arguments. spec: {name, arguments, pos}; template_record: the template's
-- declaration, {params, scope, ...}. Raises if number or kind of the arguments do not fit the parameters.
local function instance(session, spec, template_record)
  local arguments, params = {}, template_record.params
  local function wrong_number()
    raise("type-mismatch", spec.pos, ("%s takes %s"):format(spec.name, strings.count(#params, "argument")),
      { length = #spec.name })
  end
  if #spec.arguments > #params then wrong_number() end
  local function argument(parameter, node)
    local is_type = node.tag == "type_name"
    if not parameter.spec then
      if is_type then return declarations.type(session, node) end
      raise("type-mismatch", node.pos, ("%s takes a type for '%s', this is a number"):format(spec.name, parameter.name))
    end
    local bare = is_type and node.spec.tag == "named" and node.declarator.pointers == 0 and node.spec.name
    if is_type and not bare then
      raise("type-mismatch", node.pos, ("%s takes a number for '%s', this is a type"):format(spec.name,
        parameter.name))
    end
    if bare then node = { tag = "id", pos = node.pos, name = bare } end
    return { value = constant(session, node), type = spec_type(session, parameter.spec) }
  end
  for i, parameter in ipairs(params) do
    if spec.arguments[i] then
      arguments[i] = argument(parameter, spec.arguments[i])
    elseif parameter.default then
      -- The default value may name the parameters that precede its own, so these are known in the default value.
      local preceding = table.move(params, 1, i - 1, 1, {})
      arguments[i] = template.with_arguments(session, { params = preceding, scope = template_record.scope }, arguments,
        argument, parameter, parameter.default)
    else
      wrong_number()
    end
  end
  return template.instance(session, spec, template_record, arguments, fill)
end

-- Returns the type that the specifiers `spec` of a declaration mean. If they define a structure, class or enum, its
-- names are entered in the scope. Raises if the type is unknown or its definition is invalid.
function spec_type(session, spec)
  if spec.type then return spec.type end
  if spec.tag == "builtin" then
    local t = types.builtin(spec.words)
    if not t then
      raise("unknown-type", spec.pos, ("'%s' is not a type"):format(table.concat(spec.words, " ")))
    end
    return t
  elseif spec.tag == "record" then
    return class.type(session, declarations, spec)
  elseif spec.tag == "enum" then
    return enum_type(session, spec)
  elseif spec.tag == "instance" then
    return scoped_names.find(session, { pos = spec.pos, steps = { spec } }, instance)
  elseif spec.tag == "path" then
    return scoped_names.find(session, spec, instance)
  end
  local t = session.now.scope.typedefs[spec.name] or session.now.scope.tags[spec.name]
  if not t then return scoped_names.find(session, { pos = spec.pos, steps = { spec } }, instance) end
  return t
end
declarations.spec_type = spec_type

-- Returns the declaration of the template that `spec` names without arguments; nil for other specifiers and unknown
-- names.
function declarations.template(session, spec)
  if spec.tag ~= "named" and spec.tag ~= "path" then return nil end
  local ok, _, template_record = pcall(scoped_names.find, session, spec.steps and spec
    or { pos = spec.pos, steps = { spec } }, instance,
    true)
  return ok and template_record or nil
end

-- ------------------------------------------------------------------------------- initializers --

-- Returns the number of elements of an array that is declared without a size, from its initializer `value`: a list in
-- braces or a string. Returns nil for other initializers.
local function infer_length(session, value)
  if value.tag == "str" then return #value.value + 1 end
  if value.tag ~= "braces" then return nil end
  local at, most = 0, 0
  for _, item in ipairs(value.list) do
    if item.path and item.path[1].tag == "element" then
      at = constant(session, item.path[1].index)
    end
    at = at + 1
    most = math.max(most, at)
  end
  return most
end

-- forward declaration
local initialize

-- Initializes an object of type t at a host address from the list in braces `value`, which may have designators.
-- Members and elements that the list omits keep their zero bytes. Raises if the list does not fit the type.
local function initialize_braces(session, t, address, value)
  if t.kind == "scalar" or t.kind == "pointer" then
    if #value.list ~= 1 or value.list[1].path then
      raise("type-mismatch", value.pos, "a scalar takes one value")
    end
    return initialize(session, t, address, value.list[1].value)
  end
  local at = 0
  for _, item in ipairs(value.list) do
    local target_type, target_address = t, address
    if item.path then
      for depth, step in ipairs(item.path) do
        if step.tag == "field" then
          local member = target_type.kind == "record" and types.member(target_type, step.name)
          if not member then
            raise("unknown-member", step.pos,
              ("%s has no member '%s'"):format(types.name(target_type), step.name), { length = #step.name })
          end
          if depth == 1 then
            for i, m in ipairs(t.members) do if m == member or m == member.within then at = i end end
          end
          target_type, target_address = member.type, target_address + member.offset
        else
          local index = constant(session, step.index)
          if target_type.kind ~= "array" or index < 0 or index >= target_type.n then
            raise("out-of-bounds", step.pos, ("there is no element %d"):format(index))
          end
          if depth == 1 then at = index + 1 end
          target_type, target_address = target_type.of, target_address + index * target_type.of.size
        end
      end
    else
      at = at + 1
      if t.kind == "array" then
        if at > t.n then
          raise("out-of-bounds", item.pos, ("the array has only %s"):format(strings.count(t.n, "element")))
        end
        target_type, target_address = t.of, address + (at - 1) * t.of.size
      else
        local member = t.members[at]
        if not member or (t.record == "union" and at > 1) then
          raise("out-of-bounds", item.pos, ("%s has no more members"):format(types.name(t)))
        end
        target_type, target_address = member.type, address + member.offset
      end
    end
    initialize(session, target_type, target_address, item.value)
  end
end

-- Initializes an object of type t at a host address. value: AST of the initializer. Raises if it does not fit the type.
function initialize(session, t, address, value)
  if value.tag == "braces" then return initialize_braces(session, t, address, value) end
  if t.kind == "array" and value.tag == "str" then
    if #value.value > t.n then
      raise("out-of-bounds", value.pos, "the string is longer than the array")
    end
    for i = 1, #value.value do
      session:host_store(address + i - 1, t.of, value.value:byte(i))
    end
    return
  end
  if t.kind == "array" or (t.kind == "record" and value.tag ~= "id" and value.tag ~= "member"
      and value.tag ~= "index" and value.tag ~= "unary") then
    raise("type-mismatch", value.pos, ("%s takes a list in braces"):format(types.name(t)))
  end
  closures.store_into(session, t, address, value)
end

-- Returns the type t of the variable `name`. If t is an array without a size, its length comes from the initializer
-- item.value; the result is then a new type. item: the declared item, {declarator, value}. Raises if the size of the
-- type is still unknown.
local function complete_array_type(session, t, name, item)
  if t.kind == "array" and not t.n and item.value then t = types.array(t.of, infer_length(session, item.value)) end
  if t.kind == "void" or t.kind == "function" or t.kind == "record" and not t.complete
    or t.kind == "array" and not t.n then
    scoped_names.incomplete("", name, t, item.declarator.pos)
  end
  return t
end

-- ---------------------------------------------------------------------- external declarations --

-- Declares the C++ reference `name` at position `pos`: another name for the object in its initializer. value: AST of
-- the initializer, or nil. Raises if the name is in use, or if the initializer is not an existing object of type t.
local function declare_reference(session, t, name, pos, value)
  if session.now.scope:find_declared(name) then session.now.scope:raise_taken(name, pos) end
  local e = value and value.tag ~= "braces" and closures.compile(session:host_env(), value)
  if not e or not e.lvalue or not types.same(e.type, t) then
    raise("type-mismatch", value and value.pos or pos, ("the reference '%s' needs a variable of type %s"):format(name,
      types.name(t)), { rule = "LLNL-3.2-01" })
  end
  local address = e.lvalue({})
  if address == 0 then raise("null-pointer", value.pos, "a reference to nothing", { rule = "LLNL-3.2-01" }) end
  session.now.scope.variables[name] = { name = name, type = t, address = address, reference = true }
end

-- True if the declared object itself is const; for a pointer, const of its target does not count. words: set of the
-- words of the declaration, such as constexpr; spec: its specifiers; declarator: the node with the name.
local function is_const(words, spec, declarator)
  while declarator.inner and declarator.pointers == 0 do declarator = declarator.inner end
  if declarator.inner then return false end
  if words.constexpr then return true end
  return declarator.pointers > 0 and declarator.const or declarator.pointers == 0 and spec.const or false
end

declarations.is_const = is_const

-- Declares one name of a declaration: a typedef, a prototype, a reference, or a variable with its initializer. node:
-- the declaration; base: the type of its specifiers; item: {declarator, value}. Raises if the declaration is invalid.
local function declare_one(session, node, base, item)
  local scope, storage = session.now.scope, node.words.typedef and "typedef" or node.words.extern and "extern" or nil
  local t, name, reference = apply_declarator(session, base, item.declarator)
  if reference and storage ~= "typedef" then
    return declare_reference(session, t, name, item.declarator.pos, item.value)
  end
  -- A typedef of a reference is not supported: `apply` raises the error.
  if reference then apply(session, base, item.declarator) end
  if storage == "typedef" then
    return scope:define_type(name, t, item.declarator.pos)
  end
  -- A function without a body is only a prototype: a scenario may define it with func().
  if t.kind == "function" then
    scope.prototypes[name] = true
    return
  end
  t = complete_array_type(session, t, name, item)
  local previous = rawget(scope.variables, name)
  if previous and storage == "extern" then return session:variable_declared(previous) end
  if scope:find_declared(name) then scope:raise_taken(name, item.declarator.pos) end
  local address = session:new_block(t.size, name, t, item.declarator.pos)
  session.program.blocks[address].variable = true
  scope.variables[name] = { name = name, type = t, address = address,
    is_const = is_const(node.words, node.spec, item.declarator) or nil }
  if item.value then initialize(session, t, address, item.value) end
  local variable = scope.variables[name]
  -- A const integer with a constant initializer is usable in constant expressions, as in C++.
  if variable.is_const and t.kind == "scalar" and not t.float and item.value then
    if pcall(constant, session, item.value) then variable.constant = session.ctx:host_read(address, t.code) end
  end
  session:variable_declared(variable)
end

-- Executes one external declaration or directive of a text. node: its AST; nil and other kinds of node are ignored.
-- Raises if the declaration is invalid. Decides HOUSE-version.
function declarations.external(session, node)
  if not node then return end
  if node.tag == "pragma" then return session:type_directive(node, nil) end
  if node.tag == "template" then return template.declare(session, node) end
  if node.tag == "type_alias" then
    node = { words = { typedef = true }, spec = node.type.spec, list = { { declarator = class.declarator_of(node) } } }
  elseif node.tag == "using" then
    raise("unsupported", node.pos, "names are not taken out of namespaces", { length = #"using", rule = "HOUSE-version",
      help = "write the whole name where it is used" })
  elseif node.tag ~= "declaration" then
    return
  end
  local base = spec_type(session, node.spec)
  for _, item in ipairs(node.list) do declare_one(session, node, base, item) end
end

-- Opens the braces of a namespace or of extern "C". node: its AST; without braces, as in extern "C" int x;, nothing is
-- opened. braces: stack with one entry for each open brace, the list of the scopes that the brace opened.
local function open_braces(session, node, braces)
  if node.tag == "namespace" then
    local inner = {}
    for i, name in ipairs(node.names) do
      inner[i] = scoped_names.enter_namespace(session, name)
      session.now.scope = inner[i]
    end
    braces[#braces + 1] = inner
  elseif node.is_block then
    braces[#braces + 1] = {}
  end
end

-- Closes the innermost open brace, and the scopes that it opened. node: the closing brace. braces: stack with one entry
-- for each open brace, the list of its scopes. Raises if no brace is open.
local function close_braces(session, node, braces)
  local inner = table.remove(braces)
  if not inner then raise("syntax", node.pos, "unexpected '}'", { length = 1 }) end
  for i = #inner, 1, -1 do
    scoped_names.leave_namespace(inner[i])
    session.now.scope = inner[i].outer
  end
end

-- Executes all declarations in the string `text` in order. Raises at the first declaration that is invalid; the
-- preceding ones remain in effect unless the caller undoes them.
function declarations.text(session, text)
  local at, braces = syntax.skip("space", text, 1), {}
  with_fields(session.now, { scope = session.now.scope }, function()
    while at <= #text do
      local node, after = syntax.parse("external", text, at, session.now.scope)
      if node and (node.tag == "namespace" or node.tag == "linkage") then
        open_braces(session, node, braces)
      elseif node and node.tag == "closing" then
        close_braces(session, node, braces)
      else
        declarations.external(session, node)
      end
      at = after
    end
    if #braces > 0 then raise("syntax", #text, "expected '}', found unexpected end of the text") end
  end)
end

-- Evaluates a local declaration `node` inside a body. Returns a list of {name, type, value, pos, is_const}, where value
-- is the AST of the initializer or nil. Raises if a type is invalid or has no size.
function declarations.locals(session, node)
  local base = spec_type(session, node.spec)
  local list = {}
  for _, item in ipairs(node.list) do
    local t, name = apply(session, base, item.declarator)
    list[#list + 1] = { name = name, type = complete_array_type(session, t, name, item), value = item.value,
      pos = item.declarator.pos,
      is_const = is_const(node.words or {}, node.spec, item.declarator) }
  end
  return list
end

return declarations
