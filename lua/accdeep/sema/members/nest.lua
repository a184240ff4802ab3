-- nest.lua - makes member mappings: tables that say how one clause maps every member of a type (TR14 3.3). A nest, ::{
-- ... } after a clause, is the canonical form.
--
-- Input: a record, and the shape, policy or nest that a clause names. Output: a member mapping, which
-- typed_members.lua analyses. Shapes, policies, nests and lowered convenience syntax are layers in a list; an
-- earlier one takes precedence (fields of a layer: shape.lua, policy.lua):
--
--   clause   copyin<s>(X)::{ include(a[0:n]) }
--   layers   1. nest of the directive       members named in it, and its default.
--            2. named shape s               extends the default shape.
--            3. default shape of the type.
--            4. shapes of base classes.
--   A member takes include or exclude from the first layer that names the member or has a default, and its
--   sections from the first layer that gives the member sections.
--
--   member mapping:
--     record, layers   the type, and its layers in order of precedence.
--     policy           layer of a policy or mapper, which decides the action of each member.
--     own              word of the action on the object itself (policy.lua): the policy's default, or "hold", which
--                      only adds a reference to the object and copies nothing.
--     clause_action    action of the clause; a member with a limit ("in", "out", "none") takes part in only half of
--                      this action, or in none of it (TR14-5-07).
--     bare             true if only members that a clause names are mapped, not the object's other bytes.
--     update           true in an update.
--     shallow          true for a clause with empty brackets: no pointer is followed.
--     bound            layer -> name of a parameter -> its argument: {node, default, location} for a value, {name, pos}
--                      for the name of a shape or policy.
--     holes            true if unnamed members are not available on the device (mappers).
--     inner_of         function of mappers: entry -> member mapping of the objects inside.
--     flags            the core's flags of the list item (mapper.bits), if a mapper maps it.
--     pointer_mapping  function of mappers: name of a pointer member -> how the pointer itself is mapped (mapper.lua).
--     key              text that names a cached mapping of the record; it names an equal mapping after the cache was
--                      cleared.
--     entries          cache of nest.entries.
--     element, members caches of typed_members.lua.
--
-- Parameters of several functions here: `inner` is {name?, pos, args?, empty?, nest?}, the shape or policy that a
-- clause names and its nest (shape.brackets). `update` is true in an update. `requested` is the clause's action, such
-- as "copyin". `args` are the ASTs of the values in brackets; nil: none. `pos` is the position for errors.
--
-- Life of a member mapping: mapping_of_clause or mapping_of_invoke makes it for a list item. Then `entries` resolves
-- each member to one entry; `inner` makes the mapping of objects inside. Mappings without values or nests are cached by
-- record and name.

local diagnostic = require "accdeep.base.diagnostic"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local policy = require "accdeep.sema.members.policy"
local shape = require "accdeep.sema.members.shape"
local types = require "accdeep.types"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise

local nest = {}

-- Returns the member mapping of a record that is cached under `key`, a text. If there is none, calls make(), a function
-- without arguments, and caches and returns its result. An error of make() propagates, and nothing is cached.
local function memoize(session, record, key, make)
  local cache = session.caches.member_mappings[record]
  if not cache then
    cache = {}
    session.caches.member_mappings[record] = cache
  end
  if not cache[key] then
    cache[key] = make()
    -- A text, so that it still names the same mapping after a declaration has cleared the cache
    -- (run/changed_bounds.lua).
    cache[key].key = key
  end
  return cache[key]
end

-- Returns one layer that names all members of a base class, as the base's shape `name` maps them. `name` nil: the
-- base's default shape.
local function base_layer(session, base, name)
  local layer = { members = {} }
  for _, entry in ipairs(nest.entries(session, nest.shape(session, base, name))) do
    layer.members[entry.member.name] = { mode = entry.include and "include" or "exclude", init = entry.init,
      inner = entry.inner, subscripts = entry.subscripts }
    layer.location = layer.location or entry.location
  end
  return layer
end

-- Returns the layers of a shape of a record, in a new list; `name` nil stands for the default shape. A named shape
-- extends the default shape only (TR14-3.1.2-03). If the record has no shape of this name, the named shapes of base
-- classes are added; the default shapes of base classes come last. The list is empty if the record and its bases have
-- no shapes. Decides TR14-3.1.1-09, TR14-3.1.2-01, TR14-3.1.2-03, TR14-3.1.2-06, TR14-3.1.2-08.
local function shape_layers(session, record, name)
  local shapes = session:shapes_of(record)
  local layers = {}
  if name and shapes[name] then
    layers[1] = shapes[name]
  -- The record has no shape of this name, but base classes may have one, which then maps their members (TR14-3.1.2-08).
  elseif name then
    for _, base in ipairs(record.bases or {}) do
      if session:shape_named(base, name) then layers[#layers + 1] = base_layer(session, base, name) end
    end
  end
  layers[#layers + 1] = shapes[true]
  for _, base in ipairs(record.bases or {}) do layers[#layers + 1] = base_layer(session, base) end
  return layers
end

-- Binds arguments to the parameters of layers (TR14-5-01, -02), in the field `bound` of a member mapping, and returns
-- this mapping. bound[layer][parameter] becomes {node, default, location} for a value, {name, pos} for a shape's or
-- policy's name. args: arguments of the first layer, nil for none; all other layers use their defaults. Raises if there
-- are too many arguments, a value is missing, or an argument is not a name where a name is required. Decides TR14-5-01,
-- TR14-5-02.
local function bind(member_mapping, layers, args, pos)
  member_mapping.bound = member_mapping.bound or {}
  for number, layer in ipairs(layers) do
    local params, values = layer.params or {}, {}
    local arguments = number == 1 and args or {}
    if #arguments > #params then
      raise("type-mismatch", arguments[#params + 1].pos, #params == 0 and "there are no parameters"
        or ("only %s can be given"):format(strings.count(#params, "argument")), { rule = "TR14-5-01" })
    end
    for i, parameter in ipairs(params) do
      local node = arguments[i] or parameter.default
      if parameter.kind then
        if arguments[i] and arguments[i].tag ~= "id" then
          raise("type-mismatch", arguments[i].pos, ("'%s' is the name of a %s"):format(parameter.name, parameter.kind),
            { rule = "TR14-5-02" })
        end
        values[parameter.name] = { name = node and node.name, pos = node and node.pos }
      elseif not node then
        raise("type-mismatch", pos, ("a value is missing for '%s'"):format(parameter.name), { rule = "TR14-5-01",
          help = ("write <%s(value)>"):format(layer.name or "") })
      else
        values[parameter.name] = { node = node, default = not arguments[i],
          location = not arguments[i] and layer.location }
      end
    end
    member_mapping.bound[layer] = layer.params and values
  end
  return member_mapping
end

-- Returns the member mapping of the shape `name` for objects of a record; `name` nil: of the default shape. A record
-- without shapes gets a mapping that includes all members. requested: the clause's action, or nil; it is stored because
-- members may take part in only half of it (TR14-5-07). Mappings without `args` are cached. Raises if `args` do not fit
-- the parameters; a shape that does not exist is no error here (shape.require_known).
function nest.shape(session, record, name, update, requested, args, pos)
  local function make()
    local layers = shape_layers(session, record, name)
    return bind({ record = record, layers = layers, update = update or false, clause_action = requested }, layers, args,
      pos)
  end
  if args then return make() end
  local key = ("shape %s %s %s"):format(name or "", update and "update" or "", session.rules.extended and requested
    or "")
  return memoize(session, record, key, make)
end

-- Returns the clauses of the nest in `inner`. Raises if one of them is a type clause, because the variables before the
-- nest give the type. Decides TR14-3.3-05.
local function clauses_of(inner)
  for _, clause in ipairs(inner.nest.clauses) do
    if clause.name == "type" then
      raise("clause-not-allowed", clause.pos, "a nest is for the type of its variables",
        { length = #"type", rule = "TR14-3.3-05" })
    end
  end
  return inner.nest.clauses
end

-- Returns the member mapping that a clause with `inner` gives to objects of a record: `inner` has a shape's name,
-- arguments, a nest, or several of these. `inner` nil: the default shape. Raises if the shape does not exist, or the
-- nest is wrong. Decides TR14-3.1.2-07, TR14-3.1.2-09, TR14-3.3-04, TR14-3.3-08, TR14-3.3-09, TR14-3.3-11, TR14-A.6-01.
local function shape_with(session, record, inner, update, requested)
  if inner and inner.name then shape.require_known(session, record, inner.name, inner.pos) end
  -- Empty brackets are a shape of their own that names no member (TR14-3.3-11), so no pointer is followed.
  if inner and inner.empty and not inner.nest then
    return memoize(session, record, ("shallow %s"):format(update and "update" or ""), function()
      return { record = record, layers = {}, shallow = true, update = update or false, clause_action = requested }
    end)
  end
  if not inner or not inner.nest then
    return nest.shape(session, record, inner and inner.name, update, requested, inner and inner.args, inner
      and inner.pos)
  end
  local own = shape.layer(session, record, clauses_of(inner))
  own.location = session:location_of(inner.nest.pos)
  local layers = inner.empty and {} or shape_layers(session, record, inner.name)
  local member_mapping = bind({ record = record, update = update or false, clause_action = requested }, layers,
    inner.args, inner.pos)
  table.insert(layers, 1, own)
  member_mapping.layers = layers
  return member_mapping
end

-- Returns the member mapping of a policy: the layers of its shape, below the layer `policy_layer`. Raises if `args` do
-- not fit the policy's parameters. Decides TR14-1.2-12, TR14-3.2.1-04, TR14-3.2.2-05, TR14-3.4-11.
local function policy_over(session, record, policy_layer, update, args, pos)
  local word = policy_layer.default
  local bare = not word or word == "none" or word == "exclude"
  local layers = shape_layers(session, record, policy_layer.shape)
  local own = not update and (bare and "hold" or word) or nil
  local member_mapping = { record = record, layers = layers, policy = policy_layer, bare = bare,
    update = update or false, own = own, clause_action = own }
  return bind(bind(member_mapping, layers), { policy_layer }, args, pos)
end

-- Raises if a data policy is used in an update, or an update policy elsewhere. name, pos: the policy's name and the
-- position of this name, for the error. Decides TR14-3.2.1-06, TR14-3.2.3-02.
local function check_kind(policy_layer, name, pos, update)
  if policy_layer.kind and policy_layer.kind ~= (update and "update" or "data") then
    raise("clause-not-allowed", pos, ("'%s' is %s policy"):format(name,
      policy_layer.kind == "data" and "a data" or "an update"), { length = #name,
      rule = update and "TR14-3.2.3-02" or "TR14-3.2.1-06" })
  end
end

-- Returns the member mapping of the policy that `inner` names, or of its nest, which extends the named policy. `inner`
-- has a name or a nest. Raises if the policy does not exist, has the wrong kind, or the nest is wrong. Decides
-- TR14-3.3-12, TR14-3.3-14, TR14-A.7-01.
local function policy_with(session, record, inner, update)
  local named
  if inner.name then
    policy.require_known(session, record, inner.name, inner.pos)
    named = session:policy_named(record, inner.name)
    check_kind(named, inner.name, inner.pos, update)
  end
  if not inner.nest then
    local function make() return policy_over(session, record, named, update, inner.args, inner.pos) end
    if inner.args then return make() end
    return memoize(session, record, ("policy %s %s"):format(inner.name, update and "update" or ""), make)
  end
  local own = policy.layer(session, record, clauses_of(inner), update and "update" or "data")
  own.location, own.scope = session:location_of(inner.nest.pos), inner.nest.scope
  -- The named policy becomes a used policy of the nest, like one in its clause `use`. It also takes the policy's shape
  -- and default, unless it has its own (TR14-3.3-14).
  if named then
    table.insert(own.use, { name = inner.name, pos = inner.pos })
    own.shape, own.default = own.shape or named.shape, own.default or named.default
    own.default_pos, own.params = own.default_pos or inner.pos, named.params
  end
  policy.check(session, record, own)
  return policy_over(session, record, own, update, inner.args, inner.pos)
end

-- Raises if a new policy uses another policy that it must not use, or leaves a member without an action. Errors are
-- located in the policy's text. policy_layer: the policy's layer (policy.lua).
function nest.check_policy(session, record, policy_layer)
  session:with_location(policy_layer.location, function()
    policy.check(session, record, policy_layer)
    local word = policy_layer.default
    local member_mapping = { record = record, layers = shape_layers(session, record, policy_layer.shape),
      policy = policy_layer,
      own = policy_layer.kind ~= "update" and word ~= "none" and word ~= "exclude" and word or nil }
    nest.entries(session, member_mapping)
  end)
end

-- Returns the member mapping of a declared shape or policy, given by its layer, for objects of a record. A layer with
-- the field `use` is a policy.
function nest.mapping_of_definition(session, record, definition)
  if definition.use then return policy_over(session, record, definition, definition.kind == "update") end
  return nest.shape(session, record, definition.name)
end

-- Returns {name, pos} of the policy that a clause without brackets selects by its action `requested` (TR14-5-09).
-- Returns nil if the record has no such policy, `requested` is nil, or rules.extended is not set. Decides TR14-5-09.
local function default_policy(session, record, requested, pos)
  local name = session.rules.extended and requested and policy.default_for(requested)
  return name and session:policy_named(record, name) and { name = name, pos = pos } or nil
end

-- Returns true if the member of an entry is an alias: a pointer that is translated, but whose target is not mapped.
function nest.is_alias(entry)
  local sections = entry.subscripts
  return sections and sections[#sections].tag == "alias"
end

-- Returns the member mapping that a clause gives to objects of a record. Precondition: it is not an invoke clause.
-- Brackets and a nest decide; a clause without them uses the policy for its action or, if there is none, the default
-- shape. requested: the clause's action, or nil. Raises if the shape does not exist, its values or nest are wrong, or
-- the profile has no values of shapes.
function nest.mapping_of_clause(session, record, clause, update, requested)
  local inner = shape.brackets(clause)
  if inner.args then shape.wish(session, inner.pos, "TR14-5-01", "values of shapes") end
  local is_unqualified = not inner.name and not inner.nest and not inner.args and not inner.empty
  local default = is_unqualified and default_policy(session, record, requested, inner.pos)
  if default then return policy_with(session, record, default, update) end
  return shape_with(session, record, inner, update, requested)
end

-- Returns the member mapping that an invoke clause gives to objects of a record. Raises if the clause has neither a
-- policy nor a nest, or if these are wrong.
function nest.mapping_of_invoke(session, record, clause, update)
  local inner = shape.brackets(clause)
  if inner.args then shape.wish(session, inner.pos, "TR14-5-01", "values of policies") end
  if not inner.name and not inner.nest then
    raise("unknown-policy", clause.pos, "'invoke' names a policy, or has a nest",
      { length = #"invoke", rule = "TR14-3.3-14" })
  end
  return policy_with(session, record, inner, update)
end

-- ------------------------------------------------------------------------------------- entries --

-- Resolves the member `name` in layers (TR14-3.1.2-03..05) and returns a table. The first layer that names the member,
-- or has a default, decides its field `include`; without such a layer, the member is included. Fields of the first
-- entry that names the member: source (the entry), source_layer, source_location and limit. Fields of the first entry
-- with sections: subscripts, layer and location. The fields of an entry that does not exist are nil. Decides
-- TR14-3.1.1-11, TR14-3.1.1-18, TR14-3.1.1-19, TR14-3.1.2-03, TR14-3.1.2-04, TR14-3.1.2-05, TR14-3.3-10, TR14-A.1-03,
-- TR14-A.1-05, TR14-A.2-04.
local function find_in_layers(layers, name)
  local resolution = {}
  for _, layer in ipairs(layers) do
    local entry = layer.members[name]
    if resolution.include == nil then
      if entry then
        resolution.include = entry.mode == "include"
      elseif layer.default then
        resolution.include = layer.default == "include"
      end
    end
    if entry and not resolution.source then
      resolution.source, resolution.source_location, resolution.limit = entry, layer.location, entry.limit
      resolution.source_layer = layer
    end
    if entry and entry.subscripts and not resolution.subscripts then
      resolution.subscripts, resolution.location, resolution.layer = entry.subscripts, layer.location, layer
    end
  end
  if resolution.include == nil then resolution.include = true end
  return resolution
end

-- Returns true if two entries of policies give a member the same mode, action, and name of an inner shape or policy.
local function same_behaviour(a, b)
  return a.mode == b.mode and a.action == b.action and (a.inner and a.inner.name) == (b.inner and b.inner.name)
end

-- Returns the entry for the member `name` from the policies that a policy uses, directly or indirectly, and the
-- location of the policy with this entry. Returns nil if no used policy names the member. Raises if two of the used
-- policies treat it differently. Decides TR14-3.2.1-09.
local function used_policy_entry(session, record, policy_layer, name)
  local match, match_location
  for _, used in ipairs(policy_layer.use) do
    local other = session:policy_named(record, used.name)
    local entry, location = other.members[name], other.location
    if not entry then entry, location = used_policy_entry(session, record, other, name) end
    if entry and match and not same_behaviour(entry, match) then
      raise("duplicate-member", used.pos, ("'%s' and another used policy treat '%s' differently"):format(
        used.name, name), { length = #used.name, rule = "TR14-3.2.1-09",
        help = ("name '%s' in the policy itself"):format(name) })
    end
    if entry then match, match_location = entry, location end
  end
  return match, match_location
end

-- Returns the word of the default action that used policies give to the member `name`, which the shape includes; nil if
-- none of them has a default. shaped: true if the using policy names a shape itself, because this shape then decides
-- which members are included. Raises if two used policies have different defaults. Decides TR14-3.2.1-09.
local function used_policy_default(session, record, policy_layer, name, shaped)
  local default
  for _, used in ipairs(policy_layer.use) do
    local other = session:policy_named(record, used.name)
    local word = other.default ~= "none" and other.default or nil
    if word and not shaped and not find_in_layers(shape_layers(session, record, other.shape), name).include then
      word = "exclude"
    end
    word = word or used_policy_default(session, record, other, name, shaped or other.shape ~= nil)
    if word and default and word ~= default then
      raise("duplicate-member", used.pos, ("'%s' and another used policy treat '%s' differently"):format(
        used.name, name), { length = #used.name, rule = "TR14-3.2.1-09",
        help = ("name '%s' in the policy itself"):format(name) })
    end
    default = default or word
  end
  return default
end

-- Resolves the member `name` under the mapping's policy by the tiers of AMB-TR14-07: the policy itself, the policies
-- that it uses, then the layers of its shape with its default. Returns the result of find_in_layers, with the fields
-- action, requested_action, invoke, named and outer of an entry (nest.entries) in addition. Raises if the member has no
-- action. Decides TR14-1.2-08, TR14-3.2.1-05, TR14-3.2.1-11, TR14-3.2.1-13, TR14-3.2.1-15, TR14-3.2.2-03,
-- TR14-3.2.3-03, TR14-A.3-01, TR14-A.3-02, TR14-A.3-03, TR14-A.3-04, TR14-A.3-06.
local function policy_entry(session, member_mapping, name)
  local policy_layer, record = member_mapping.policy, member_mapping.record
  local shallow = member_mapping.own == "present" and session.rules.present == "shallow"
  local below = find_in_layers(member_mapping.layers, name)
  local entry, location = policy_layer.members[name], policy_layer.location
  if not entry then entry, location = used_policy_entry(session, record, policy_layer, name) end
  if entry then
    local sections = entry.subscripts
    return { include = entry.mode ~= "exclude", action = entry.action, requested_action = entry.requested_action,
      invoke = entry.mode == "invoke", source = entry, source_location = location,
      subscripts = sections or below.subscripts, location = sections and location or below.location,
      outer = sections and entry.outer or nil, named = true,
      -- `init_needed` of a shape is also obeyed under a policy (TR14-3.2.1-04).
      init = below.source and below.source.init,
      layer = sections and policy_layer or below.layer, source_layer = policy_layer }
  end
  if not below.include then return below end
  local word = policy_layer.default
  if not word then
    word = used_policy_default(session, record, policy_layer, name, policy_layer.shape ~= nil) or "none"
  end
  if word == "none" then
    raise("default-none", policy_layer.default_pos or policy_layer.location and policy_layer.location.pos,
      ("the policy has no default, and member '%s' is not named"):format(name),
      { rule = "TR14-3.2.1-15", location = policy_layer.location,
        help = "add default(exclude), or name it in a clause" })
  end
  if word == "exclude" then
    below.include = false
  elseif word ~= "update" and word ~= member_mapping.own then
    below.action = word
  end
  if shallow then below.subscripts = nil end
  return below
end

-- Limit of a member ("in", "out", "none") -> action of the clause -> action on the member. Such a member takes part in
-- only one half of the clause's copies, or in neither half (TR14-5-07). Decides TR14-5-07, TR14-5-08.
local halves = {
  ["in"] = openacc_directives.clauses_where(function(entry, clause)
    local data = entry.data
    return data and (data == "in out" and "copyin" or data == "in" and clause.first or "create")
  end),
  out = openacc_directives.clauses_where(function(entry) return entry.data
  and (entry.data:find "out" and "copyout" or "create") end),
  none = openacc_directives.clauses_where(function(entry) return entry.data and "create" end),
}

-- Returns the entries of a member mapping, one per named member in the order of the members; members of anonymous
-- structures count as members of the record. The list is cached in the mapping. Fields of an entry:
--   member, offset     the member, and its offset in the record.
--   include, limited   false: excluded; limited: true if the member takes part in only half of the clause's action.
--   action             action on the member; nil: the action on the object.
--   requested_action   word of the member's action, with its flags (policy.lua).
--   invoke, named      true if a policy invokes another policy for the member; true if the policy itself, or a policy
--                      that it uses, names the member.
--   listed, init       true if a layer names the member; true for init_needed.
--   inner, inner_location   mapping that a layer gives to the objects inside, and this layer's location; nil: none.
--   subscripts, location    sections of the member, or nil; location of the text that has them, for errors.
--   outer              true if names in the sections keep their meaning outside of the nest (convenience.lua).
--   values, inner_values    values of parameters in the sections, and in the mapping of the objects inside.
-- Raises if a policy leaves a member without an action. Decides TR14-1.2-10, TR14-1.2-11, TR14-3-01, TR14-3.3-06,
-- TR14-3.3-17.
function nest.entries(session, member_mapping)
  if member_mapping.entries then return member_mapping.entries end
  local list, bound = {}, member_mapping.bound
  local function visit(members, base)
    for _, member in ipairs(members) do
      if not member.name then
        visit(member.type.members, base + member.offset)
      else
        local resolution = member_mapping.policy and policy_entry(session, member_mapping, member.name)
          or find_in_layers(member_mapping.layers, member.name)
        local source = resolution.source
        local action = resolution.action
          or resolution.limit and halves[resolution.limit][member_mapping.clause_action] or nil
        list[#list + 1] = {
          member = member, offset = base + member.offset, include = resolution.include,
          limited = resolution.limit ~= nil,
          action = action, requested_action = resolution.requested_action or action,
          invoke = resolution.invoke, named = resolution.named, listed = source ~= nil,
          init = resolution.include and (resolution.init or source and source.init) or false,
          inner = resolution.include and source and source.inner or nil,
          inner_location = resolution.source_location,
          subscripts = resolution.include and resolution.subscripts or nil,
          location = resolution.location or resolution.source_location,
          outer = resolution.outer,
          values = resolution.layer and bound and bound[resolution.layer],
          inner_values = resolution.source_layer and bound and bound[resolution.source_layer],
        }
      end
    end
  end
  visit(member_mapping.record.members, 0)
  member_mapping.entries = list
  return list
end

-- Returns the member mapping of the objects that the member of an entry contains or points to. Precondition: the
-- innermost type of the member is a record. Raises if the inner shape or policy is unknown or wrong; the error is
-- located at the text that names it. Decides TR14-2.2-01, TR14-3.1.2-07, TR14-3.2.4-03, TR14-3.3-15, TR14-A.2-03,
-- TR14-A.3-05, TR14-A.3-07, TR14-A.4-02.
function nest.inner(session, member_mapping, entry)
  if member_mapping.inner_of then return member_mapping.inner_of(entry) end
  local record = types.innermost(entry.member.type)
  local inner = entry.inner or member_mapping.shallow and { empty = true } or nil
  local bound = inner and inner.name and entry.inner_values and entry.inner_values[inner.name]
  -- The name is a parameter: replace it by its argument or, without one, by the default shape.
  if bound and not bound.node then
    inner = { name = bound.name, pos = bound.pos or inner.pos, args = inner.args, nest = inner.nest }
  end
  local requested = entry.action or member_mapping.clause_action
  local function make_mapping()
    if entry.invoke then return policy_with(session, record, inner, member_mapping.update) end
    local default = not inner and default_policy(session, record, requested)
    if default then return policy_with(session, record, default, member_mapping.update) end
    return shape_with(session, record, inner, member_mapping.update, requested)
  end
  if not inner then return make_mapping() end
  return session:with_location(entry.inner_location, make_mapping)
end

return nest
