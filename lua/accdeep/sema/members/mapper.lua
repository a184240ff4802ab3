-- mapper.lua - makes the member mappings of list items to which a mapper applies (declare mapper, OMP60-map-15).
--
-- Input: a mapper (sema/members/mapper_definition.lua), and requests of map clauses. Output: member mappings, as
-- nest.lua makes them. requests.lua calls find and member_mapping.
--
--   map request: the map of the list item to which a mapper is applied, {type, kind, flags, actions, update}.
--     type     map type of the list item, such as "tofrom"; kind: kind of the directive, such as "exit data".
--     flags    modifiers of the list item: name -> true (mapper.flags).
--     actions  map type -> action of the core, by name.
--     update   true in an update; type is then its direction, "to" or "from".
--
-- The mapper of a list item becomes a policy whose members combine the map types of mapper and list item (OMP60-map-2).
-- Members that no map names are not available on the device.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_sema = require "accdeep.sema.openmp_sema"
local policy = require "accdeep.sema.members.policy"
local types = require "accdeep.types"

local raise = diagnostic.raise
local flag = core.flag

local mapper = {}

-- ----------------------------------------------------------------------------------------- words --

-- Returns the word of an action (policy.lua): its name `requested`, preceded by modifiers. A word is a text like
-- "require_present copyin". set: names of policy.modifiers -> true.
function mapper.action_word(requested, set)
  local parts = {}
  for _, name in ipairs(policy.modifiers) do
    if set[name] then parts[#parts + 1] = name end
  end
  parts[#parts + 1] = requested
  return table.concat(parts, " ")
end

-- Returns the modifiers of a map as a table that has a true value under each name of policy.modifiers that applies.
-- map_modifiers: result of openmp_sema.modifiers; map_type: the map's type.
function mapper.flags(map_modifiers, map_type)
  return { require_present = map_modifiers.present, finalize = map_type == "delete" or map_modifiers.delete ~= nil,
    always_in = map_modifiers.always and openmp_sema.moves_in[map_type],
    always_out = map_modifiers.always and openmp_sema.moves_out[map_type],
    attach_always = map_modifiers.attach == "always",
    attach_never = map_modifiers.attach == "never" }
end

-- Returns the core's flag bits, as one number, of a set of modifiers: name of policy.modifiers -> true.
function mapper.bits(set)
  local bits = 0
  for _, name in ipairs(policy.modifiers) do if set[name] then bits = bits | flag[name] end end
  return bits
end

-- Returns the map type of data which a mapper maps as `own`, and whose list item is mapped as `requested`. The result
-- copies in a direction only if both types copy in it, and is alloc if no direction remains; if `requested` is release
-- or delete, it is the result. Decides OMP60-map-2.
local function compose_type(own, requested)
  if requested == "release" or requested == "delete" then return requested end
  local to = openmp_sema.moves_in[own] and openmp_sema.moves_in[requested]
  local from = openmp_sema.moves_out[own] and openmp_sema.moves_out[requested]
  return to and from and "tofrom" or to and "to" or from and "from" or "alloc"
end

-- -------------------------------------------------------------------------------- member mapping --

local member_mapping_of -- forward declaration

-- Returns the word of the action on a member, from the mapper's map `own_map` {type, map_modifiers} and the list item's
-- map request.
local function member_action(own_map, request)
  local map_type = compose_type(own_map.type, request.type)
  local set = mapper.flags(own_map.map_modifiers, map_type)
  for name, value in pairs(request.flags) do
    local fits = name == "require_present" or name == "finalize"
      or name == "always_in" and openmp_sema.moves_in[map_type]
      or name == "always_out" and openmp_sema.moves_out[map_type]
    set[name] = set[name] or value and fits
  end
  return mapper.action_word(request.actions[map_type], set)
end

-- Returns a true value if an update copies data whose map is own_map. The update's direction is request.type, "to" or
-- "from"; the map's type must copy in this direction (OMP60-upd-1).
local function moves(own_map, request)
  return (request.type == "to" and openmp_sema.moves_in or openmp_sema.moves_out)[own_map.type]
end

-- Returns the member mapping of the structures that a member holds or points to; nil if they are not structures. The
-- mapping is made of the members inside that `path` names. If `path` names none, the mapping is that of the mapper in
-- the member's map, else that of the default mapper of the structures' type. path: tree of the member, nil if no map
-- names it. Raises if the named mapper does not exist.
local function map_nested(session, member, path, request)
  local record = types.innermost(member.type)
  if not types.is_record(record) then return nil end
  if path and next(path.members) then return member_mapping_of(session, record, path, request) end
  local map_modifiers = path and path.own_map and path.own_map.map_modifiers
  local inner = mapper.find(session, record, map_modifiers and map_modifiers.mapper, map_modifiers
    and map_modifiers.mapper_pos)
  local inner_request = path and path.own_map and setmetatable({ type = compose_type(path.own_map.type, request.type) },
    { __index = request }) or request
  return mapper.member_mapping(session, record, inner, inner_request)
end

-- Returns the member mapping of a record under a tree of paths, for one map request.
function member_mapping_of(session, record, paths, request)
  local own = paths.own_map
  local update = request.update
  local policy_layer = { members = {}, use = {},
    default = own and (update and "update" or member_action(own, request)) or "exclude" }
  if update and own and not moves(own, request) then policy_layer.default = "exclude" end
  for name, path in pairs(paths.members) do
    local own_map = path.own_map
    if not update or not own_map or moves(own_map, request) then
      local word = own_map and not update and member_action(own_map, request) or nil
      policy_layer.members[name] = { mode = "act", action = word, requested_action = word, pos = path.pos,
        subscripts = path.subscripts or nil }
    end
  end
  local bare = policy_layer.default == "exclude"
  local inner = {}
  return { record = record, layers = {}, policy = policy_layer, bare = bare, holes = true, update = update or false,
    flags = mapper.bits(request.flags),
    -- Returns how the pointer itself of a mapped section is treated: "named" if a map names it; otherwise "unnamed" in
    -- a target construct (OMPEX-struct_map-12), and nil or false elsewhere.
    pointer_mapping = function(name)
      if update then return nil end
      return paths.members[name].pointer and "named" or request.kind == "compute" and "unnamed"
    end,
    own = not update and (bare and "hold" or policy_layer.default) or nil,
    inner_of = function(entry)
      local name = entry.member.name
      inner[name] = inner[name] or map_nested(session, entry.member, paths.members[name], request)
      return inner[name]
    end }
end

-- Returns true if a record has members, at any depth but not through pointers, whose type has a default mapper.
local function holds_mapped(session, record)
  for _, member in ipairs(record.members or {}) do
    local element = member.type
    while element.kind == "array" do element = element.of end
    if types.is_record(element) and (session:mappers_of(element).default or holds_mapped(session, element)) then
      return true
    end
  end
  return false
end

-- Tree of paths of a mapper that maps its variable as a whole. It serves records without a mapper.
local whole_object = { members = {}, own_map = { type = "tofrom", map_modifiers = {} } }

-- Returns the mapper called `name` of a record; its default mapper if `name` is nil. Returns nil if there is no default
-- mapper. Raises if a mapper of another name does not exist; pos: position of the name.
function mapper.find(session, record, name, pos)
  local definition = session:mappers_of(record)[name or "default"]
  if not definition and name and name ~= "default" then
    raise("unknown-name", pos, ("%s has no mapper '%s'"):format(types.name(record), name),
      { length = #name, rule = "OMP60-map-15", help = diagnostic.suggest(name, session:mapper_names(record)) })
  end
  return definition
end

-- Returns the member mapping of a record under the mapper `definition`, for a map request. definition nil: the object
-- is mapped as a whole, and members whose types have default mappers are mapped by these. Mappings are cached by
-- mapper, kind, type and flags. Decides OMP60-map-15.
function mapper.member_mapping(session, record, definition, request)
  if not definition and not holds_mapped(session, record) then
    return { record = record, layers = {},
      inner_of = function(entry) return map_nested(session, entry.member, nil, request) end }
  end
  local key = { "mapper", definition and definition.name or "", request.kind, request.type }
  for _, name in ipairs(policy.modifiers) do if request.flags[name] then key[#key + 1] = name end end
  local cache = session.caches.member_mappings[record] or {}
  session.caches.member_mappings[record] = cache
  key = table.concat(key, " ")
  cache[key] = cache[key]
    or member_mapping_of(session, record, definition and definition.paths or whole_object, request)
  return cache[key]
end

return mapper
