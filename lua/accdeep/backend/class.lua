-- class.lua - evaluates definitions of structures, unions and classes: input is the AST of syntax/c_class.lua, output
-- are record types. Called by declarations.lua.
--
-- types/layout.lua lays out data members. Types and constants that a class declares are in the scope record.names;
-- those of a structure or union are also known in the enclosing scope, as in C. For a member function whose body is one
-- return statement, the record keeps {name, params, body, scope}. For any other function with a body it keeps the
-- reason why the function cannot be called (member_functions.lua). Constructors and destructors never run
-- (TR14-4.3-09).

local closures = require "accdeep.backend.closures"
local diagnostic = require "accdeep.base.diagnostic"
local syntax = require "accdeep.syntax"
local layout = require "accdeep.types.layout"
local scoped_names = require "accdeep.types.scoped_names"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local template = require "accdeep.types.template"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise

local class = {}

-- A definition in progress: {session, declare, record, spec, data, member_names, pragmas, functions, access, pod,
-- virtual}.
--   declare       the module declarations.lua.
--   record        the type to complete; spec: the AST node of its definition.
--   data          list of data members; member_names: set of their names and of inherited ones.
--   pragmas       directives inside the definition; functions: AST nodes of member functions with a body.
--   access        public, protected or private, for the members that follow.
--   pod           is the class plain old data, whose tail padding a derived class does not reuse (types/layout.lua)?
--                 "no"; "open": compilers disagree; nil: yes, so far.
--   virtual       AST node of the first virtual function, or nil.
local Definition = {}
Definition.__index = Definition

-- -------------------------------------------------------------------------------- base classes --

-- Returns the list of the base classes' layouts, and registers their members' names as names of this class. Raises for
-- a virtual base, for a base that is no complete class, and if two bases have a member of the same name.
function Definition:base_classes()
  local bases, member_names = {}, self.member_names
  -- The members of base classes precede the members of the class in shapes and layouts (TR14-3.1.1-04).
  for i, node in ipairs(self.spec.bases or {}) do
    if node.virtual then
      raise("unsupported", node.pos, "virtual base classes cannot be laid out", { length = #"virtual",
        rule = "HOUSE-layout", help = "declare_from takes the class as the compiler laid it out" })
    end
    local base = self.declare.spec_type(self.session, node.spec)
    if base.kind ~= "record" or not base.complete or base.record == "union" then
      raise("not-a-struct", node.pos, ("%s is not a base class"):format(types.name(base)), { rule = "TR14-3.1.1-04" })
    end
    for name in sorted_pairs(base.by_name) do
      if member_names[name] and name ~= "__vptr" then
        raise("duplicate-name", node.pos, ("two base classes have a member named '%s'"):format(name),
          { rule = "TR14-3.1.1-04", help = "declare_from takes the class as the compiler laid it out" })
      end
      member_names[name] = true
    end
    bases[i] = layout.base_layout(base)
  end
  return bases
end

-- ------------------------------------------------------------------------------------- members --

-- Registers the name of a member at position `pos`; raises if another member has this name.
function Definition:enter(name, pos)
  if self.member_names[name] then
    raise("duplicate-name", pos, ("there are two members named '%s'"):format(name), { length = #name,
      help = #self.record.bases > 0 and "a member that hides one of a base class needs another name" or nil })
  end
  self.member_names[name] = true
end

-- Returns the alignment that alignas specifies. node: the type or constant expression in alignas; nil: there is no
-- alignas, and the result is nil. Raises if the value is not a power of two up to 4096.
local function alignment(self, node)
  if not node then return nil end
  local n
  if node.tag == "type_name" then n = self.declare.type(self.session, node).align
  else n = closures.constant(self.session, node) end
  if n < 1 or n > 4096 or n & (n - 1) ~= 0 then
    raise("type-mismatch", node.pos, ("%d is not an alignment"):format(n), { rule = "HOUSE-layout" })
  end
  return n
end

-- Enters a constant static member of integer type in the scope as a constant, if its value can be computed now. Any
-- other static member is ignored, because objects do not contain it. item: the node of the member declaration; entry:
-- the declared member in it.
function Definition:static(item, entry)
  local t, name = self.declare.apply(self.session, self.declare.spec_type(self.session, item.spec), entry.declarator)
  if t.kind == "function" or not entry.value_at then return end
  local is_constant = item.spec.const or item.words.constexpr
  if not is_constant or t.kind ~= "scalar" or t.float then return end
  local session = self.session
  local ok, value = pcall(function()
    local now = session.now
    return closures.constant(session, (syntax.parse("initial", now.current.text, entry.value_at, now.scope)))
  end)
  if ok then session.now.scope:constant(name, value, t) end
end

-- Adds a data member to self.data. item: the node of the member declaration; entry: the declared member in it; base:
-- the type that the specifiers give. Does nothing for a function. Raises for a bit-field, for a member without a size,
-- and if another member has the name.
function Definition:data_member(item, entry, base)
  local session = self.session
  if entry.bits then
    raise("unsupported", entry.bits.pos, "bit-fields cannot be mapped",
      { help = "use a whole integer and masks", rule = "HOUSE-layout" })
  end
  local t, name = self.declare.apply(session, base, entry.declarator)
  if t.kind == "function" then return end -- member functions have no storage
  if t.kind == "void" or (t.kind == "record" and not t.complete) then
    scoped_names.incomplete("member ", name, t, entry.pos)
  end
  if t.kind == "array" and not t.n then
    raise("unsupported", entry.pos, ("member '%s' has no size"):format(name),
      { help = "give the array a size, or make the member a pointer" })
  end
  self:enter(name, entry.pos)
  self.data[#self.data + 1] = { name = name, type = t, pos = entry.pos, align = alignment(self, item.align),
    is_const = self.declare.is_const(item.words, item.spec, entry.declarator) or nil }
  if entry.value_at then self.pod = "no" end
end

-- Evaluates the member declaration `item`: data members, typedefs, static members, a forward declaration or an
-- anonymous record. Raises if it is invalid.
function Definition:members(item)
  local session, spec = self.session, item.spec
  if #item.list == 0 and spec.tag == "record" and not spec.members and spec.name and not spec.path then
    class.announce(session.now.scope, spec) -- a forward declaration such as class impl;
    return
  end
  if item.words.typedef then
    for _, entry in ipairs(item.list) do self:alias(spec, entry.declarator) end
    return
  end
  if item.words.static then
    for _, entry in ipairs(item.list) do self:static(item, entry) end
    return
  end
  local base, member_count = self.declare.spec_type(session, spec), #self.data
  if #item.list == 0 and base.kind == "record" and not base.tag and spec.tag == "record" then
    self.data[#self.data + 1] = { type = base, pos = item.pos, align = alignment(self, item.align) } -- anonymous record
    for name in sorted_pairs(base.by_name) do
      if self.member_names[name] then
        raise("duplicate-name", item.pos, ("there are two members named '%s'"):format(name))
      end
      self.member_names[name] = true
    end
  end
  for _, entry in ipairs(item.list) do self:data_member(item, entry, base) end
  if #self.data > member_count and self.access ~= "public" then self.pod = "no" end
end

-- Enters the name of a type in the scope of the class, from a typedef or using. spec: node of the type's specifiers;
-- declarator: node of the declarator with the name.
function Definition:alias(spec, declarator)
  local t, name = self.declare.apply(self.session, self.declare.spec_type(self.session, spec), declarator)
  self.session.now.scope:define_type(name, t, declarator.pos)
end

-- ----------------------------------------------------------------------------------- functions --

-- Updates self.pod (plain old data?) for the constructor, destructor or operator `item`. A constructor, destructor or
-- copy assignment that is neither defaulted nor deleted, and any explicit constructor, makes it "no". A defaulted or
-- deleted one, or a move assignment, changes nil to "open", because compilers disagree about it. Other operators are
-- ignored. Raises for a constructor whose name is not that of the class.
function Definition:special(item)
  local text = self.session.now.current.text
  local parameters = text:sub(item.parameters_at, syntax.skip("round", text, item.parameters_at) - 1)
  local is_nontrivial = item.body_kind ~= "default" and item.body_kind ~= "delete"
  if item.role == "constructor" then
    if item.name ~= self.spec.name then
      raise("syntax", item.pos, ("expected a type before '%s'"):format(item.name), { length = #item.name })
    end
    if is_nontrivial or item.words.explicit then self.pod = "no" end
  elseif item.role == "operator" then
    local class_name, sign = parameters:gsub("%f[%w_]const%f[^%w_]", ""):gsub("%f[%w_][%a_][%w_]*%s*::%s*", "")
      :gsub("%b<>", ""):match "^%(%s*([%a_][%w_]*)%s*(&?&?)"
    if item.name:match "^%s*(.-)%s*$" ~= "=" or class_name ~= self.spec.name then return end
    if sign == "&&" then is_nontrivial = false end
    if is_nontrivial then self.pod = "no" end
  elseif is_nontrivial then
    self.pod = "no"
  end
  self.pod = self.pod or "open"
end

-- Evaluates the function `item` of the class. A function with a body is recorded, and parsed after all members are
-- known; a function that is only declared becomes a prototype. Raises if the body contains a directive, because
-- directives of member functions are never executed.
function Definition:func(item)
  if item.words.virtual and not self.virtual then self.virtual = item end
  if item.role ~= "method" then self:special(item) end
  local directive = item.body and item.body:find "\n%s*#%s*pragma%s+[ao][cm][cp]%f[^%w_]"
  if directive then
    raise("unsupported", item.body_at + item.body:find("#", directive, true) - 1,
      ("the directives in the body of '%s' are not carried out"):format(item.name), { length = 1,
        rule = "HOUSE-version", help = "give the function in Lua, with method(), and only declare it here" })
  end
  if item.role ~= "method" then return end
  if item.body then
    self.functions[#self.functions + 1] = item
  -- The function is only declared: a scenario may define it with method().
  elseif item.body_kind ~= "delete" then
    self.record.prototypes = self.record.prototypes or {}
    self.record.prototypes[item.name] = true
  end
end

-- Resolves the names of types in the AST `node` now, so that it has the same meaning in other scopes. declare: the
-- module declarations.lua. Raises if a type is unknown.
function class.resolve_type_names(session, declare, node)
  ast.visit(node, function(inner)
    if inner.tag == "type_name" then inner.resolved = inner.resolved or declare.type(session, inner) end
    return inner.tag == "type_name"
  end)
end

-- Records the parameters and the returned expression of the member function `item`, or the reason why the function
-- cannot be called. If the record has a function of this name, the new one is an overload, and is appended to the chain
-- of fields `other` that begins at that function. Raises if another function has the same name and parameters.
function Definition:method(item)
  local session, record = self.session, self.record
  local text = session.now.current.text
  local method = { name = item.name, record = record, location = session:location_of(item.pos),
    scope = session.now.scope.home and session.now.scope or nil }
  local ok, err = pcall(function()
    method.params = syntax.parse("parameter_names", text, item.parameters_at + 1, session.now.scope)
    if not item.body:find "^{%s*return%f[^%w_]" then
      raise("unsupported", item.pos, ("the body of '%s' is not one return of an expression"):format(item.name),
        { rule = "TR14-3.1.1-21", help = "give the function in Lua, with method()" })
    end
    method.body = syntax.parse("returned", text, item.body_at + 1, session.now.scope)
    if method.scope then class.resolve_type_names(session, self.declare, { method.body }) end
  end)
  if not ok and not diagnostic.is(err) then error(err, 0) end
  if not ok then method.body, method.error = nil, err end
  local methods = record.methods or {}
  record.methods = methods
  local overload = methods[item.name]
  method.signature = text:sub(item.parameters_at, item.body_at - 1):gsub("%s+", " ")
  while overload do
    if overload.signature == method.signature then
      raise("duplicate-name", item.pos, ("there are two member functions named '%s'"):format(item.name))
    end
    if not overload.other then
      overload.other = method
      return
    end
    overload = overload.other
  end
  methods[item.name] = method
end

-- ---------------------------------------------------------------------------------- definitions --

-- Evaluators of the parts of a definition, by tag of the AST node: function(self, item). self: the Definition.
local steps = {}

-- Returns a declarator with the name and type of using NAME = TYPE, so that the alias can be evaluated as a typedef.
-- alias: its node.
function class.declarator_of(alias)
  local declarator = alias.type.declarator
  return { tag = "declarator", pos = alias.pos, pointers = declarator.pointers, suffixes = declarator.suffixes,
    inner = declarator.inner, name = alias.name }
end

-- Keeps the directive `item` until all members of the definition are known.
function steps.pragma(self, item) self.pragmas[#self.pragmas + 1] = item end

-- Sets the access of the members that follow. Decides TR14-A.8-05.
function steps.access(self, item) self.access = item.word end
-- Declares a template inside the class.
function steps.template(self, item) template.declare(self.session, item) end
-- Declares the type name of using NAME = TYPE.
function steps.type_alias(self, item)
  self:alias(item.type.spec, class.declarator_of(item))
end
-- A constructor template means that the class is not plain old data (self.pod); other function templates are ignored.
function steps.template_function(self, item)
  if item.declaration.role == "constructor" then self.pod = "no" end
end
steps["function"], steps.members = Definition.func, Definition.members
-- Ignores a part of a definition that does not change the record: friend, using and static_assert.
function steps.nothing() end
steps.friend, steps.using, steps.assertion = steps.nothing, steps.nothing, steps.nothing

-- True if the definition needs a scope of its own. That is so if it declares types or constants, or if a base class has
-- such a scope. It is also so if the current scope has a `home`, because it belongs to a namespace, class or template
-- (types/scope.lua). bases: the types of the base classes.
local function has_names(session, spec, bases)
  if session.now.scope.home then return true end
  for _, base in ipairs(bases) do
    if base.names then return true end
  end
  for _, item in ipairs(spec.members) do
    local inner = item.tag == "members" and item.spec
    if item.tag == "type_alias" or item.tag == "template" or inner and (item.words.typedef or item.words.static
      or (inner.tag == "record" or inner.tag == "enum") and (inner.name or inner.list)) then
      return true
    end
  end
  return false
end

-- Returns the new scope for the names in the definition `spec` of type t. It gets the names of the base classes and, in
-- a template, the template's own name.
local function new_names(session, t, spec, bases)
  local inner = scoped_names.inner(session, types.name(t):gsub("^%l+ ", "") .. "::")
  inner.class = t
  for _, base in ipairs(bases) do
    if base.names then
      for _, space in ipairs { "typedefs", "tags", "templates", "enumerators", "constant_types" } do
        for name, value in next, base.names[space] do inner[space][name] = value end
      end
    end
  end
  if t.template and spec.name then inner.typedefs[spec.name] = t end
  return inner
end

-- Makes the names of types and enumerators in the record t known in the enclosing scope `outer`, as in C. If two
-- records declare a type of the same name, `outer` knows neither. Constants can also be reached by their qualified
-- names. The names of a class or template stay inside, apart from qualified constants.
local function lend_names(outer, t, spec)
  local inner = t.names
  for name, value in next, inner.enumerators do
    if spec.name then outer.enumerators[spec.name .. "::" .. name] = value end
  end
  if spec.kind == "class" or t.template or outer.home and not outer.class then return end
  for name, nested in next, inner.tags do
    local existing = rawget(outer.tags, name)
    if nested.within == t and not existing then
      outer.tags[name], nested.is_exported = nested, true
    elseif nested.within == t and existing and existing.is_exported and existing ~= nested then
      outer.tags[name] = nil
    end
  end
  for name in pairs(inner.exported_enumerators or {}) do
    if not outer:find_declared(name) then outer.enumerators[name] = inner.enumerators[name] end
  end
end

-- Evaluates the definition `spec`: completes the record type t and executes the directives inside. Warns if the type is
-- polymorphic (has virtual functions). Raises if the definition is invalid, or if compilers lay the type out
-- differently. Decides TR14-4.3-17.
local function fill(session, declare, t, spec)
  local self = setmetatable({ session = session, declare = declare, record = t, spec = spec, data = {},
    member_names = {}, pragmas = {}, functions = {}, access = spec.kind == "class" and "private" or "public" },
    Definition)
  t.keyword = spec.kind == "class" and "class" or nil
  t.bases = {}
  t.bases = self:base_classes()
  local outer = session.now.scope
  if has_names(session, spec, t.bases) then
    t.names = new_names(session, t, spec, t.bases)
    session.now.scope = t.names
  end
  for _, item in ipairs(spec.members) do (steps[item.tag] or steps.nothing)(self, item) end
  if self.virtual then
    -- The pointer to the table of virtual functions is the first word of an object, and is invalid on a device.
    session:warn("unsupported", self.virtual.pos,
      ("%s is polymorphic: what moves is an object of this very type"):format(types.name(t)),
      { length = #"virtual", rule = "TR14-4.3-17", help = "name an object of a derived class by its own variable or "
        .. "pointer: through this class only the members of this class move" })
  end
  local done, ambiguous_base = layout.complete(t, { bases = t.bases, members = self.data, pod = self.pod,
    pos = spec.pos, has_table = self.virtual ~= nil, align = alignment(self, spec.align) })
  if not done then
    raise("unsupported", spec.pos, ("whether %s lies in the last bytes of its base class %s is not the same for all "
      .. "compilers"):format(types.name(t), types.name(ambiguous_base)), { rule = "HOUSE-layout",
      help = "declare_from takes the class as the compiler laid it out" })
  end
  t.position = session:location_of(spec.pos)
  for _, item in ipairs(self.functions) do self:method(item) end
  local policies = {}
  for _, pragma in ipairs(self.pragmas) do policies[#policies + 1] = session:type_directive(pragma, t) end
  session:check_policies(t, policies)
  if t.names then lend_names(outer, t, spec) end
end

-- Completes the record type t from its definition `spec`. declare: the module declarations.lua. If the definition is
-- inside that of another record, t.within becomes the other record. Raises if the definition is invalid.
function class.fill(session, declare, t, spec)
  if not t.template then t.within = session.now.filling or nil end
  with_fields(session.now, { filling = t, scope = session.now.scope }, fill, session, declare, t, spec)
end

-- Returns a new incomplete record type for the AST node `spec`, and enters it in `scope` by its tag; a type without a
-- tag is not entered.
function class.announce(scope, spec)
  local t = types.record(spec.kind == "union" and "union" or "struct", spec.name)
  t.keyword = spec.kind == "class" and "class" or nil
  if spec.name then
    if scope.prefix and not (scope.class and scope.class.record and not scope.class.keyword
      and not scope.class.name) then
      t.name = scope.prefix .. spec.name
    end
    scope.tags[spec.name] = t
    t.enclosing_scope = scope
  end
  return t
end

-- Returns the record type that `spec` defines, or to which it refers, such as struct NAME; a reference to a new name
-- declares an incomplete type. Raises if the name is of another kind, or if the type is defined already.
function class.type(session, declare, spec)
  local scope = session.now.scope
  local kind = spec.kind == "union" and "union" or "struct"
  local t
  if spec.path then
    t = declare.spec_type(session, spec.path)
  else
    t = spec.name and scope.tags[spec.name]
  end
  if not spec.members then
    if t and (t.kind ~= "record" or t.record ~= kind) then
      raise("type-mismatch", spec.pos, ("'%s' is not a %s"):format(spec.name, spec.kind))
    end
    if t then return t end
    -- A reference to a new name declares the name in the scope around the class, not inside.
    while scope.class do scope = scope.outer end
    return class.announce(scope, spec)
  end
  if t and t.complete and (spec.path or rawget(scope.tags, spec.name) and not t.is_exported) then
    raise("duplicate-name", spec.pos, ("%s %s is defined already"):format(spec.kind, spec.name))
  end
  if not t or t.complete or scope.class and not rawget(scope.tags, spec.name) then t = class.announce(scope, spec) end
  if not spec.path then
    class.fill(session, declare, t, spec)
  else
    local enclosing = declare.spec_type(session, { tag = "path", pos = spec.path.pos,
      steps = table.move(spec.path.steps, 1, #spec.path.steps - 1, 1, {}) })
    scoped_names.with_scope(session, enclosing.names or scope, class.fill, session, declare, t, spec)
  end
  return t
end

return class
