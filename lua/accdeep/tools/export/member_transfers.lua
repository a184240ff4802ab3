-- member_transfers.lua - determines which bytes of objects are copied in, copied out or left unchanged under a member
-- mapping (nest.lua), which gives the members to map and their actions. An entry (nest.entries) is a member and how it
-- is mapped. A clause copies whole objects. Host values that must not change are restored afterwards. The functions
-- here therefore report the members and parts of arrays whose host values must stay. deep_copy.lua, exits.lua and
-- fortran_deep_copy.lua use this module.

local core = require "accdeep.core"
local nest = require "accdeep.lowering.nest"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local types = require "accdeep.types"

local member_transfers = {}

-- Raises {cannot = message}: standard directives cannot express the request, which is not an error of the scenario.
function member_transfers.cannot(message) error({ cannot = message }, 0) end
local cannot = member_transfers.cannot

-- Names of actions, by code of the core (core.action).
local actions = {}
for name, code in pairs(core.action) do actions[code] = name end

-- Clauses by action. `enter`, `exit`: the clauses of unstructured directives. `moves_in`, `moves_out`: values are
-- copied in or out. `update`: the clause of an update. A field is nil if the action has no such clause. The actions
-- `hold` (storage that a policy holds) and `present` (data that must be present) copy no values.
local clauses = { hold = { enter = "create", exit = "delete" }, present = { enter = "create", exit = "delete" },
  delete = { exit = "delete" } }
for name, clause in pairs(openacc_directives.clause) do
  local data, update = clause.entry.data, clause.entry.update
  if data and not clause.entry.own and not clause.present_or then
    local moves_in, moves_out = data:find "in" ~= nil, data:find "out" ~= nil
    clauses[name] = { enter = moves_in and "copyin" or "create", exit = moves_out and "copyout" or "delete",
      moves_in = moves_in, moves_out = moves_out }
  elseif update then
    clauses[clause.entry.action] = { update = update }
  end
end
-- Clause of a structured region: region_clause[values are copied in][values are copied out].
local region_clause = { [true] = { [true] = "copy", [false] = "copyin" }, [false] = { [true] = "copyout",
  [false] = "create" } }

-- Returns the entry of `clauses` for an action. Raises {cannot = reason} if there is none.
local function clause_of(action)
  return clauses[action] or cannot(("'%s' of what a structure points to"):format(action))
end

-- ---------------------------------------------------------------------------------------- members --

-- Replacement actions for members that a shape or policy marks as init_needed (`entry.init`), whose values are always
-- copied in (TR14-3.1.1-17).
local with_values = { create = "copyin", copyout = "copy" }

-- Returns the action for the member of `entry`. The first of these that exists decides: the entry's own action; the
-- action of the member mapping (`own`), unless it is "hold"; `action`, the action for the object.
local function action_of(member_mapping, entry, action)
  local own = member_mapping.own
  local requested = entry.action or own and own ~= "hold" and own or action
  return entry.init and with_values[requested] or requested
end

-- Returns the action for the objects that a member contains or points to, and the member mapping of these objects.
local function action_inside(session, member_mapping, entry, action)
  local inner = nest.inner(session, member_mapping, entry)
  return inner.own or action_of(member_mapping, entry, action), inner
end

-- Returns the record type of a member, or of the elements of an array; nil for other types.
local function nested_record(t)
  while t.kind == "array" do t = t.of end
  return types.is_record(t) and t or nil
end

-- Returns the number of innermost elements of an array of arrays; 1 for other types.
local function number_of(t) return t.kind == "array" and t.n * number_of(t.of) or 1 end

-- Returns true if an entry's subscripts select elements of an array that is a part of the object itself.
local function is_part(entry)
  local t = entry.member.type
  if not entry.subscripts or t.kind ~= "array" then return false end
  for _, subscript in ipairs(entry.subscripts) do
    if t.kind ~= "array" or subscript.tag == "alias" then return false end
    t = t.of
  end
  return true
end

-- Returns true if the member of `entry` shares bytes, as in a union, with another mapped member whose values are copied
-- out. `action`: the action for the object.
local function shares_bytes(session, member_mapping, entry, action)
  for _, other in ipairs(nest.entries(session, member_mapping)) do
    local overlaps = other ~= entry and other.include and other.offset < entry.offset + entry.member.type.size
      and entry.offset < other.offset + other.member.type.size
    if overlaps and clause_of(action_of(member_mapping, other, action)).moves_out then return true end
  end
  return false
end

-- Calls visit(entry, moves_in, moves_out) for each member that has values in the objects of a mapping. Nested
-- structures are visited as visit_inside(entry, inner, inner_action). Followed pointers (with a mapped target) are
-- visited only if their host values must stay: if the object is not copied out, or if `keeps_pointers` is set. Excluded
-- members and followed pointers are not visited if they share bytes of a union with a member that is copied out.
-- `action`: the action for the object. `keeps_pointers`: directives do not attach pointers to present data.
local function each_value(session, member_mapping, action, keeps_pointers, visit, visit_inside)
  local own = member_mapping.own
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    if not entry.include then
      if not shares_bytes(session, member_mapping, entry, action) then visit(entry, false, false) end
    elseif nested_record(entry.member.type) then
      local inner_action, inner = action_inside(session, member_mapping, entry, action)
      visit_inside(entry, inner, inner_action)
    elseif not entry.subscripts or is_part(entry) then
      local clause = clause_of(action_of(member_mapping, entry, action))
      visit(entry, clause.moves_in or false, clause.moves_out or false)
    elseif (keeps_pointers or not clause_of(own or action).moves_out)
      and not shares_bytes(session, member_mapping, entry, action) then
      visit(entry, false, false)
    end
  end
end

-- Returns three flags about the objects of a mapping. First: a value is copied in. Second: a value is copied out.
-- Third: some host values must stay while other values are copied out. `keeps_pointers`: directives do not attach
-- pointers to present data.
local function traffic(session, member_mapping, action, keeps_pointers)
  local moves_in, moves_out, stays = false, false, false
  -- Adds the transfer of a member to the three flags.
  local function visit(entry, goes_in, goes_out)
    moves_in, moves_out = moves_in or goes_in, moves_out or goes_out
    stays = stays or not goes_out or is_part(entry)
  end
  -- Adds the transfers of a nested structure to the three flags.
  local function visit_inside(entry, inner, inner_action)
    local goes_in, goes_out, inner_stays = traffic(session, inner, inner_action, keeps_pointers)
    moves_in, moves_out = moves_in or goes_in, moves_out or goes_out
    stays = stays or inner_stays or not goes_out or is_part(entry)
  end
  each_value(session, member_mapping, action, keeps_pointers, visit, visit_inside)
  return moves_in, moves_out, moves_out and stays
end

-- Returns true if a standard clause copies objects of a mapping correctly. The mapping, and those of nested structures,
-- then have no policy, follow no pointers, and have no members that are excluded, init_needed or with their own action.
-- `visited`: set of the mappings being visited; pass {}.
local function is_trivial(session, member_mapping, visited)
  if member_mapping.policy or visited[member_mapping] then return false end
  visited[member_mapping] = true
  local has_only_values = true
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    has_only_values = has_only_values and entry.include and not (entry.subscripts or entry.init or entry.action)
      and (not nested_record(entry.member.type) or is_trivial(
      session, nest.inner(session, member_mapping, entry), visited))
  end
  visited[member_mapping] = nil
  return has_only_values
end

-- Returns true if pointers of objects, or of objects that they contain or point to, are aliases (@): pointers into
-- other mapped data. `visited`: set of the mappings already visited; pass {}.
local function has_aliases(session, member_mapping, visited)
  if visited[member_mapping] then return false end
  visited[member_mapping] = true
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    if entry.include and nest.is_alias(entry) then return true end
    local target_type = types.innermost(entry.member.type)
    if entry.include and types.is_record(target_type) and (entry.subscripts or nested_record(entry.member.type))
      and has_aliases(session, nest.inner(session, member_mapping, entry), visited) then
      return true
    end
  end
  return false
end

-- Returns true if a mapping is recursive: from its objects, followed pointers lead again to objects of a mapping on the
-- path. `visited`: set of the mappings being visited; pass {}.
local function is_recursive(session, member_mapping, visited)
  if visited[member_mapping] then return true end
  visited[member_mapping] = true
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    if entry.include and types.is_record(types.innermost(entry.member.type)) and not nest.is_alias(entry)
      and (entry.subscripts or nested_record(entry.member.type))
      and is_recursive(session, nest.inner(session, member_mapping, entry), visited) then
      return true
    end
  end
  visited[member_mapping] = nil
  return false
end

-- Returns true if attached pointers of objects on the current device form a cycle, so that functions which follow
-- pointers would not end.
function member_transfers.is_cyclic(session)
  local ctx, device, targets = session.ctx, session.now.device, {}
  -- Returns the host address of the present object that contains `address`, or a false value.
  local function object(address)
    local present_object = ctx:present_at(device, address, false)
    return present_object and present_object.host
  end
  for _, attached in ipairs(ctx:attachments(device)) do
    local from, to = object(attached.slot), object(attached.target)
    if from and to then
      targets[from] = targets[from] or {}
      table.insert(targets[from], to)
    end
  end
  local state = {}
  -- Returns true if pointers of the object `at` form a cycle. state[object]: true while it is being visited, false
  -- afterwards.
  local function is_cyclic_from(at)
    if state[at] ~= nil then return state[at] end
    state[at] = true
    for _, to in ipairs(targets[at] or {}) do
      if is_cyclic_from(to) then return true end
    end
    state[at] = false
    return false
  end
  for from in pairs(targets) do
    if is_cyclic_from(from) then return true end
  end
  return false
end

member_transfers.actions, member_transfers.clauses, member_transfers.clause_of,
  member_transfers.region_clause = actions, clauses, clause_of,
  region_clause
member_transfers.action_of, member_transfers.action_inside, member_transfers.held_record = action_of, action_inside,
  nested_record
member_transfers.number_of, member_transfers.is_part, member_transfers.traffic = number_of, is_part, traffic
member_transfers.each_value, member_transfers.is_plain = each_value, is_trivial
member_transfers.has_aliases, member_transfers.is_recursive = has_aliases, is_recursive

return member_transfers
