-- requests.lua - requests of clauses, and the typed members that they map.
--
-- Input: a request, and the type of its list item. Output: fields of the request. Invariant: all errors of the shape,
-- policy or mapper were raised, and those of the members that it reaches.
--
-- A request is one list item of one clause: {clause, action, node, kind, update?, if_present?, present_or?, ...}.
-- action: name of the clause's action; node: AST of the list item; kind: operation of the directive; update: true in an
-- update. if_present: true if absent data are no error; present_or: true if present data are kept. item: typed list
-- item (C only). A request of OpenMP has map_request (mapper.lua) and map_modifiers: mappers then decide its members.
-- Fields that `resolve` sets:
--
--   word             word of the action (policy.lua) on the objects.
--   member_mapping   which members are mapped, and how (nest.lua); nil: only their bytes are mapped.
--   members          typed element of the objects (typed_members.lua); nil as above.

local diagnostic = require "accdeep.base.diagnostic"
local mapper = require "accdeep.sema.members.mapper"
local nest = require "accdeep.sema.members.nest"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local typed_members = require "accdeep.sema.members.typed_members"
local types = require "accdeep.types"

local raise = diagnostic.raise

local requests = {}

-- Returns the member mapping (which members are mapped, and how: nest.lua) of a request for objects of type t,
-- or nil if only their bytes are mapped. If rules.present is "shallow", a present clause tests only the object itself,
-- without the targets of its pointers (TR14-1.2-08). Raises if t is not a structure but the clause has a shape, a nest
-- or a policy. Decides TR14-1.2-08.
local function member_mapping_of(session, request, t)
  local clause, update = request.clause, request.update
  local invoke = clause.name == "invoke"
  if t.kind ~= "record" then
    if not invoke and not clause.shape and not clause.nest then return nil end
    raise("not-a-struct", request.node.pos, ("%s has no %s"):format(types.name(t),
      invoke and "policies" or "shapes"), { rule = clause.nest and "TR14-3.3-15"
        or invoke and "TR14-3.2.2-02" or "TR14-3.1.2-08" })
  end
  if invoke then return nest.mapping_of_invoke(session, t, clause, update) end
  if request.action == "present" and session.rules.present == "shallow" then return nil end
  return nest.mapping_of_clause(session, t, clause, update, request.action)
end

-- Action of a policy -> action on exit data: the half of the policy's action that takes place at the exit
-- (AMB-TR14-10).
local exit_half = openacc_directives.clauses_where(function(entry, clause)
  if clause.present_or then return nil end
  return entry.data and (entry.data:find "out" and "copyout" or "delete")
    or (clause.name == "present" or clause.name == "no_create") and "hold"
end)

-- True if a member mapping, or a mapping that it invokes for members, deletes data. visited: set of member mappings
-- already visited, because types may be recursive; the function adds to it.
local function deletes(session, member_mapping, visited)
  if member_mapping.own == "delete" then return true end
  if visited[member_mapping] then return false end
  visited[member_mapping] = true
  for _, entry in ipairs(member_mapping.policy and nest.entries(session, member_mapping) or {}) do
    if entry.action == "delete" or entry.invoke and deletes(session, nest.inner(session, member_mapping, entry),
      visited) then
      return true
    end
  end
  return false
end

-- Returns the member mapping and the action's word of a request of OpenMP for objects of type t. The mapper that the
-- request selects decides them. Raises if t is not a structure but a mapper is named, or if there is no such mapper.
local function mapped_members(session, request, t)
  local map_modifiers, member_mapping = request.map_modifiers, nil
  if t.kind == "record" then
    local definition = mapper.find(session, t, map_modifiers.mapper, map_modifiers.mapper_pos)
    member_mapping = mapper.member_mapping(session, t, definition, request.map_request)
  elseif map_modifiers.mapper and map_modifiers.mapper ~= "default" then
    raise("not-a-struct", map_modifiers.mapper_pos, ("%s has no mappers"):format(types.name(t)),
      { rule = "OMP60-map-15" })
  end
  return member_mapping, member_mapping and member_mapping.own or request.action
end

-- Sets word, member_mapping and members of a request for objects of type t. Raises if t has no such policy, shape or
-- mapper, if a policy deletes outside of exit data, and for errors of members. Decides TR14-3.2.2-06.
function requests.resolve(session, request, t)
  local member_mapping, word
  if request.map_request then
    member_mapping, word = mapped_members(session, request, t)
  else
    member_mapping = member_mapping_of(session, request, t)
    -- If the policy has an action for the whole object, this action replaces that of the clause.
    word = member_mapping and member_mapping.own or request.action
    if member_mapping and member_mapping.policy and request.kind ~= "exit data"
      and deletes(session, member_mapping, {}) then
      raise("clause-not-allowed", request.node.pos, "a policy that deletes is for exit data",
        { rule = "TR14-3.2.2-06" })
    end
    if request.kind == "exit data" then word = exit_half[word] or word end
  end
  request.word, request.member_mapping = word, member_mapping
  request.members = member_mapping and typed_members.element(session, member_mapping, request.node.pos)
end

-- Sets the typed list item of a request, if the language has them, and the typed members of its objects. Raises for
-- errors of the list item and its members.
function requests.analyse(session, request)
  local item = session.language.analyse_item(session, request.node, request)
  request.item = item
  if item and item.objects and request.action ~= "attach" and request.action ~= "detach" then
    requests.resolve(session, request, item.objects)
  end
end

return requests
