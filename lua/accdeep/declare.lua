-- declare.lua - declarations: from trees to types, variables and their values.
--
-- Input: trees of grammar "external". Adds to the scope of the session: tags, typedefs, enumerators,
-- variables (name, type, address). Directives between declarations go to shape.lua.

local diagnostic = require "accdeep.diagnostic"
local eval = require "accdeep.eval"
local grammar = require "accdeep.grammar"
local template = require "accdeep.template"
local types = require "accdeep.types"

local raise = diagnostic.raise

local declare = {}

local spec_type -- forward

local function constant(session, node)
  return eval.constant(session, node)
end

-- Applies a declarator to a type; returns the type, the name, and where it says that it is a reference.
local function applied(session, t, declarator)
  for _ = 1, declarator.pointers do t = types.pointer(t) end
  for i = #declarator.suffixes, 1, -1 do
    local suffix = declarator.suffixes[i]
    if suffix.tag == "function" then
      t = types["function"]
    else
      local n
      if suffix.size then
        n = constant(session, suffix.size)
        if n < 0 then
          raise("invalid-section", suffix.pos, ("an array has %d elements"):format(n))
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
  if declarator.inner then return applied(session, t, declarator.inner) end
  return t, declarator.name, declarator.reference
end

-- The same for what cannot be a reference.
local function apply(session, t, declarator)
  local made, name, reference = applied(session, t, declarator)
  if reference then
    raise("unsupported", reference, "references are variables: not members, types, or locals of a body",
      { rule = "LLNL-3.2-01" })
  end
  return made, name
end

-- Type of a type_name node: casts, sizeof, type clauses, alloc.
function declare.type(session, node)
  local t = spec_type(session, node.spec)
  return (apply(session, t, node.declarator))
end

-- A member function; its body waits for calls.
local function add_method(t, item)
  t.methods = t.methods or {}
  if t.methods[item.name] then
    raise("duplicate-name", item.pos, ("there are two member functions named '%s'"):format(item.name))
  end
  t.methods[item.name] = { name = item.name, params = item.params, body = item.body, record = t }
end

-- Gives a record the members of a definition, and carries out the directives among them.
local function fill_record(session, t, spec)
  local members, names, pragmas, virtual = {}, {}, {}, nil
  t.bases = {}
  for i, node in ipairs(spec.bases or {}) do -- their members come first, and are members (TR14-3.1.1-04)
    local base = spec_type(session, node)
    if base.kind ~= "record" or not base.complete then
      raise("not-a-struct", node.pos, ("%s is no base class"):format(types.name(base)),
        { rule = "TR14-3.1.1-04" })
    end
    t.bases[i], members[i] = base, { type = base, pos = node.pos }
    for name in pairs(base.by_name) do names[name] = true end
  end
  for _, item in ipairs(spec.members) do
    if item.tag == "pragma" then
      pragmas[#pragmas + 1] = item
    elseif item.tag == "method" then
      add_method(t, item)
    elseif item.tag == "virtual" then
      virtual = virtual or item
    else
      local base = spec_type(session, item.spec)
      if #item.list == 0 and base.kind == "record" and not base.tag then
        members[#members + 1] = { type = base, pos = item.pos } -- anonymous record
        for name in pairs(base.by_name) do
          if names[name] then
            raise("duplicate-name", item.pos, ("there are two members named '%s'"):format(name))
          end
          names[name] = true
        end
      end
      for _, entry in ipairs(item.list) do
        if entry.bits then
          raise("unsupported", entry.bits.pos, "bit-fields cannot be mapped",
            { help = "use a whole integer and masks", rule = "HOUSE-layout" })
        end
        local mt, name = apply(session, base, entry.declarator)
        if mt.kind ~= "function" then -- member functions have no storage
          if mt.kind == "void" or (mt.kind == "record" and not mt.complete) then
            raise("unknown-type", entry.pos,
              ("member '%s' has the incomplete type %s"):format(name, types.name(mt)),
              { length = #name })
          end
          if mt.kind == "array" and not mt.n then
            raise("unsupported", entry.pos, ("member '%s' has no size"):format(name),
              { help = "give the array a size, or make the member a pointer" })
          end
          if names[name] then
            raise("duplicate-name", entry.pos, ("there are two members named '%s'"):format(name), { length = #name,
              help = #t.bases > 0 and "a member that hides one of a base class needs another name" or nil })
          end
          names[name] = true
          members[#members + 1] = { name = name, type = mt, pos = entry.pos }
        end
      end
    end
  end
  if virtual and not names.__vptr then
    -- the pointer to the table of functions comes first, and leads nowhere on a device
    session:warn("unsupported", virtual.pos,
      ("%s is polymorphic: what moves is an object of this very type"):format(types.name(t)),
      { length = #"virtual", rule = "TR14-4.3-17" })
    table.insert(members, 1, { name = "__vptr", type = types.pointer(types.void), pos = virtual.pos })
  end
  types.complete(t, members)
  t.position = session:here(spec.pos)
  local policies = {}
  for _, pragma in ipairs(pragmas) do policies[#policies + 1] = session:type_directive(pragma, t) end
  session:check_policies(t, policies)
end

local function record_type(session, spec)
  local scope = session.scope
  local kind = spec.kind == "union" and "union" or "struct"
  local t = spec.name and scope.tags[spec.name]
  if not spec.members then
    if t and (t.kind ~= "record" or t.record ~= kind) then
      raise("type-mismatch", spec.pos, ("'%s' is not a %s"):format(spec.name, spec.kind))
    end
    if not t then
      t = types.record(kind, spec.name)
      scope.tags[spec.name] = t
    end
    return t
  end
  if t and t.complete and rawget(scope.tags, spec.name) then
    raise("duplicate-name", spec.pos, ("%s %s is defined already"):format(spec.kind, spec.name))
  end
  if not t or t.complete then
    t = types.record(kind, spec.name)
    if spec.name then scope.tags[spec.name] = t end
  end
  local around = session.filling
  t.within = around
  session.filling = t
  local ok, err = pcall(fill_record, session, t, spec)
  session.filling = around
  if not ok then error(err, 0) end
  return t
end

local function enum_type(session, spec)
  local scope = session.scope
  if not spec.list then
    local t = scope.tags[spec.name]
    if not t then raise("unknown-type", spec.pos, ("there is no enum '%s'"):format(spec.name)) end
    return t
  end
  local value, most, least = -1, 0, 0
  for _, item in ipairs(spec.list) do
    value = item.value and constant(session, item.value) or value + 1
    if scope:declared(item.name) then
      raise("duplicate-name", item.pos, ("'%s' is declared already"):format(item.name),
        { length = #item.name })
    end
    scope.enumerators[item.name] = value
    most, least = math.max(most, value), math.min(least, value)
  end
  local narrow = least < 0 and "int" or "unsigned int"
  local large = least < -0x80000000 or most > (least < 0 and 0x7fffffff or 0xffffffff)
  local t = types.enum(spec.name, types.scalars[large and (least < 0 and "long" or "unsigned long") or narrow])
  if spec.name then scope.tags[spec.name] = t end
  return t
end

function spec_type(session, spec)
  if spec.tag == "builtin" then
    local t = types.builtin(spec.words)
    if not t then
      raise("unknown-type", spec.pos, ("'%s' is not a type"):format(table.concat(spec.words, " ")))
    end
    return t
  elseif spec.tag == "record" then
    return record_type(session, spec)
  elseif spec.tag == "enum" then
    return enum_type(session, spec)
  end
  if spec.tag == "instance" then
    local arguments = {}
    for i, argument in ipairs(spec.arguments) do arguments[i] = declare.type(session, argument) end
    return template.instance(session, spec, arguments, fill_record)
  end
  local t = session.scope.typedefs[spec.name] or session.scope.tags[spec.name]
  if not t and session.scope.templates[spec.name] then
    raise("unknown-type", spec.pos, ("'%s' is a template"):format(spec.name), { length = #spec.name,
      help = ("give it types: %s<float>"):format(spec.name) })
  end
  if not t then
    local names = setmetatable({}, { __index = nil })
    for name in pairs(types.predefined) do names[name] = true end
    for name in next, session.scope.tags do names[name] = true end
    for name in next, session.scope.typedefs do names[name] = true end
    local near = diagnostic.closest(spec.name, names)
    raise("unknown-type", spec.pos, ("there is no type '%s'"):format(spec.name),
      { length = #spec.name, help = near and ("did you mean '%s'?"):format(near) })
  end
  return t
end

-- ------------------------------------------------------------------------------- initialisers --

-- Number of elements a braces list or a string gives an array without size.
local function implied_length(session, value)
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

local initialize

-- Members of a record in order, anonymous ones opened.
local function nth_member(record, n) return record.members[n] end

local function initialize_braces(session, t, address, value)
  if t.kind == "scalar" or t.kind == "pointer" then
    if #value.list ~= 1 or value.list[1].path then
      raise("type-mismatch", value.pos, "a scalar takes one value")
    end
    return initialize(session, t, address, value.list[1].value)
  end
  local at = 0
  for _, item in ipairs(value.list) do
    local target, place = t, address
    if item.path then
      for depth, step in ipairs(item.path) do
        if step.tag == "field" then
          local member = target.kind == "record" and types.member(target, step.name)
          if not member then
            raise("unknown-member", step.pos,
              ("%s has no member '%s'"):format(types.name(target), step.name), { length = #step.name })
          end
          if depth == 1 then
            for i, m in ipairs(t.members) do if m == member or m == member.within then at = i end end
          end
          target, place = member.type, place + member.offset
        else
          local index = constant(session, step.index)
          if target.kind ~= "array" or index < 0 or index >= target.n then
            raise("out-of-bounds", step.pos, ("there is no element %d"):format(index))
          end
          if depth == 1 then at = index + 1 end
          target, place = target.of, place + index * target.of.size
        end
      end
    else
      at = at + 1
      if t.kind == "array" then
        if at > t.n then
          raise("out-of-bounds", item.pos, ("the array has only %d elements"):format(t.n))
        end
        target, place = t.of, address + (at - 1) * t.of.size
      else
        local member = nth_member(t, at)
        if not member or (t.record == "union" and at > 1) then
          raise("out-of-bounds", item.pos, ("%s has no more members"):format(types.name(t)))
        end
        target, place = member.type, address + member.offset
      end
    end
    initialize(session, target, place, item.value)
  end
end

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
  eval.store_into(session, t, address, value)
end

-- ---------------------------------------------------------------------------------- externals --

-- A C++ reference: another name for the object that its initialiser is.
local function declare_reference(session, t, name, pos, value)
  if session.scope:declared(name) then
    raise("duplicate-name", pos, ("'%s' is declared already"):format(name), { length = #name })
  end
  local e = value and value.tag ~= "braces" and eval.compile(session:host_env(), value)
  if not e or not e.place or not types.same(e.type, t) then
    raise("type-mismatch", value and value.pos or pos, ("the reference '%s' needs a variable of type %s"):format(name,
      types.name(t)), { rule = "LLNL-3.2-01" })
  end
  local address = e.place({})
  if address == 0 then raise("null-pointer", value.pos, "a reference to nothing", { rule = "LLNL-3.2-01" }) end
  session.scope.variables[name] = { name = name, type = t, address = address, reference = true }
end

local function declare_one(session, storage, base, item)
  local scope = session.scope
  local t, name, reference = applied(session, base, item.declarator)
  if reference and storage ~= "typedef" then
    return declare_reference(session, t, name, item.declarator.pos, item.value)
  end
  if reference then apply(session, base, item.declarator) end -- which refuses it
  if storage == "typedef" then
    local before = rawget(scope.typedefs, name)
    if before and not types.same(before, t) then
      raise("duplicate-name", item.declarator.pos, ("'%s' is declared already"):format(name),
        { length = #name })
    end
    if t.kind == "record" and not t.tag then t.name = t.name or name end
    scope.typedefs[name] = t
    return
  end
  if t.kind == "function" then return end -- a prototype: functions come from func()
  if t.kind == "array" and not t.n and item.value then
    t = types.array(t.of, implied_length(session, item.value))
  end
  if t.kind == "void" or (t.kind == "record" and not t.complete) or (t.kind == "array" and not t.n) then
    raise("unknown-type", item.declarator.pos,
      ("'%s' has the incomplete type %s"):format(name, types.name(t)))
  end
  local before = rawget(scope.variables, name)
  if before and storage == "extern" then return session:variable_declared(before) end
  if scope:declared(name) then
    raise("duplicate-name", item.declarator.pos, ("'%s' is declared already"):format(name),
      { length = #name })
  end
  local address = session:new_block(t.size, name, t, item.declarator.pos)
  session.blocks[address].variable = true
  scope.variables[name] = { name = name, type = t, address = address }
  if item.value then initialize(session, t, address, item.value) end
  session:variable_declared(scope.variables[name])
end

-- Carries out one external declaration or directive of a text.
function declare.external(session, node)
  if not node then return end
  if node.tag == "pragma" then return session:type_directive(node, nil) end
  if node.tag == "template" then return template.declare(session, node) end
  local base = spec_type(session, node.spec)
  for _, item in ipairs(node.list) do declare_one(session, node.storage, base, item) end
end

-- All declarations of a text, in order. Earlier ones stay when a later one is wrong.
function declare.text(session, text)
  local at = grammar.skip(text, 1)
  while at <= #text do
    local node, after = grammar.parse("external", text, at, session.scope)
    declare.external(session, node)
    at = after
  end
end

-- A local declaration inside a body: types only; returns a list of {name, type, value}.
function declare.locals(session, node)
  local base = spec_type(session, node.spec)
  local list = {}
  for _, item in ipairs(node.list) do
    local t, name = apply(session, base, item.declarator)
    if t.kind == "array" and not t.n and item.value then
      t = types.array(t.of, implied_length(session, item.value))
    end
    if t.kind == "void" or t.kind == "function" or (t.kind == "record" and not t.complete)
      or (t.kind == "array" and not t.n) then
      raise("unknown-type", item.declarator.pos,
        ("'%s' has the incomplete type %s"):format(name, types.name(t)))
    end
    list[#list + 1] = { name = name, type = t, value = item.value, pos = item.declarator.pos }
  end
  return list
end

return declare
