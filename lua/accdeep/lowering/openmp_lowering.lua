-- openmp_lowering.lua - lowers the AST of an OpenMP directive to the construct IR, a plan (construct_ir.lua).
--
-- Input: a directive node that the parser made, and the names that its body uses. Output: a plan with items, its
-- operands, which the core maps. run/directive_dispatch.lua calls openmp_lowering.directive through
-- run/openmp_execution.lua.
--
--   AST: map(tofrom: s.a, s.b[0:n])    clauses with list items; iterators expand to several.
--     |  requests_of                   one request per list item: {node, action, map_modifiers, ...}
--     v
--   requests --look_into-->            + base, subscripts, by_pointer, structure {node, type, address}
--     |  structures_of                 members are grouped by the address of their structure.
--     v
--   items:  block item for several members of one structure      (add_block).
--           object or section item for every other request       (add_request).
--           items of variables that the body uses implicitly     (openmp_implicit.add).
--
-- Members of one structure that are mapped by one construct form one block: a single object from the first member to
-- the last. Bytes between members of the block are excluded, so they are not present (OMP60-map-4, OMPEX-struct_map-4).
--
--   struct S:   | x | a | gap | b | y |         map(s.a, s.b).
--                   ^low          ^high         block [low, high): pieces a and b, excluded: gap.
--
-- Invariants: parts of a block are sorted by offset and do not overlap (split_overlaps). A request belongs to at most
-- one structure. Items of clauses precede implicit items (OMP60-map-11). `rules` is the session's rule profile
-- (definitions/profiles.lua). If rules.counting is "items", all items are sorted as clang sorts them (sort_requests,
-- sort_items). rules.section and rules.chains decide which base pointers of sections are mapped as well.
--
-- A plan is single_use if it depends on run-time state: present data decides an implicit map of a structure
-- (OMP60-map-12), and pointer values decide where a block lies. The plan cache does not retain such a plan.

local c_sema = require "accdeep.sema.c.c_sema"
local codegen = require "accdeep.lowering.codegen"
local mapping_compiler = require "accdeep.lowering.mapping_compiler"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_sema = require "accdeep.sema.openmp_sema"
local host_expression = require "accdeep.lowering.host_expression"
local c_items = require "accdeep.lowering.c_items"
local openmp_implicit = require "accdeep.lowering.openmp_implicit"
local new_plan = require "accdeep.lowering.construct_ir".new
local openmp_request = require "accdeep.sema.clauses.openmp_request"
local analyse_request = require "accdeep.sema.clauses.requests".analyse
local mapper = require "accdeep.sema.members.mapper"
local contiguous_runs = require "accdeep.sema.clauses.contiguous_runs"
local list_item = require "accdeep.sema.c.list_item"
local action_words = require "accdeep.lowering.action_words"
local openmp_restrictions = require "accdeep.sema.c.openmp_restrictions"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local raise = diagnostic.raise

local openmp_lowering = {}

-- Limit on the instances of one list item. A larger number is an error, because the iterator's bounds are probably
-- wrong.
local INSTANCES = contiguous_runs.MOST

-- Flags about the base pointer of a list item. A request with no other flags needs no item besides its block
-- (add_members).
local about_pointer = core.flag.attach_always | core.flag.attach_never

-- ---------------------------------------------------------------------------------------- requests --

-- Returns a copy of the AST `item` in which each name of an iterator is replaced by a number node of the session's
-- language. values: name of an iterator -> its value.
local function substitute_values(session, item, values)
  return ast.map(item, function(node)
    local value = node.tag == "id" and values[node.name]
    return value and session.language.number(value, node.pos)
  end)
end

-- Returns the AST `variable` of a list item once for each combination of the iterators' values. The plan becomes
-- single_use if there are iterators. Raises if a step is zero, or INSTANCES is exceeded.
-- Decides OMP60-map-3.
local function instances(plan, iterators, variable)
  if #iterators == 0 then return { variable } end
  plan.single_use = true
  local list = {}
  -- Appends an instance for each combination of values of the iterators from `number` on. values: of earlier iterators.
  local function each(number, values)
    local iterator = iterators[number]
    if not iterator then
      list[#list + 1] = substitute_values(plan.session, variable, values)
      if #list > INSTANCES then
        raise("limit", variable.pos, ("the iterators have more than %d instances"):format(INSTANCES),
          { rule = "HOUSE-limit" })
      end
      return
    end
    local session = plan.session
    -- Returns the value of an iterator's bound, which may use earlier iterators.
    local function bound(node) return session.language.integer(session, substitute_values(session, node, values)) end
    local first, last, step = bound(iterator.first), bound(iterator.last), iterator.step and bound(iterator.step) or 1
    if session.language.includes_last then last = last + (step > 0 and 1 or -1) end
    if step == 0 then
      raise("invalid-section", iterator.pos, "the step of an iterator is zero", { rule = "OMP60-map-3" })
    end
    for value = first, last - (step > 0 and 1 or -1), step do
      values[iterator.name] = value
      each(number + 1, values)
    end
    values[iterator.name] = nil
  end
  each(1, {})
  return list
end

-- Returns true if `node` is p[:] with a pointer p and the session uses OpenMP 6.0 or later: an assumed-size section.
local function is_assumed_size(session, node)
  return (session.rules.openmp or 0) >= 60 and node.tag == "section" and not node.length and node.base.tag ~= "section"
    and list_item.type_of(session, node.base).kind == "pointer"
end

-- Returns a request for each instance of each list item of the map, to and from clauses. Absent optional arguments of
-- Fortran get no request. Raises for wrong modifiers, map types and sections. Decides OMP60-sec-1, LLNL-2.1-01.
local function requests_of(plan)
  local session, list, directions = plan.session, {}, {}
  for _, clause in ipairs(plan.node.clauses) do
    if clause.kind == "map" or clause.kind == "motion" then
      local map_modifiers = openmp_sema.modifiers(clause, session.rules.openmp)
      local action, map_type
      if clause.kind == "motion" then
        action, map_type = clause.name == "to" and "update device" or "update self", clause.name
      else
        action, map_type = openmp_sema.map_action(map_modifiers, plan.kind, plan.node.name, session.rules.openmp,
          clause)
      end
      for _, variable in ipairs(clause.vars) do
        if clause.kind == "motion" then openmp_restrictions.direction(directions, clause, variable) end
        local left_out = session.language.is_absent and session.language.is_absent(session, variable)
        for _, instance in ipairs(left_out and {} or instances(plan, map_modifiers.iterators, variable)) do
          local named = session.now.this and list_item.qualify(session, instance) or instance
          local nodes = clause.kind == "motion" and contiguous_runs.contiguous(plan, named, "OMP60-sec-1")
            or { contiguous_runs.as_single_run(plan, named) }
          for _, node in ipairs(nodes) do
            local request
            -- An assumed-size section maps no new data: it only designates present data (OMP60-map-10).
            if clause.kind == "map" and is_assumed_size(session, node) then
              openmp_restrictions.check_assumed_size(map_modifiers, node)
              node = setmetatable({ length = list_item.number(0, node.pos) }, { __index = node })
              local has_type = map_modifiers.type or plan.kind == "exit data"
              request = openmp_request(plan, clause, node, has_type and action or "create",
                has_type and map_type or "alloc", map_modifiers)
            else
              request = openmp_request(plan, clause, node, action, map_type, map_modifiers)
            end
            request.instance_of = #map_modifiers.iterators > 0 and variable
            list[#list + 1] = request
          end
        end
      end
    end
  end
  return list
end

-- Sorts a list stably by keys[entry], a pair of numbers that are compared in turn.
local function sort_by(list, keys)
  local order = {}
  for i, entry in ipairs(list) do order[entry] = i end
  table.sort(list, function(a, b)
    local first, second = keys[a], keys[b]
    if first[1] ~= second[1] then return first[1] < second[1] end
    if first[2] ~= second[2] then return first[2] < second[2] end
    return order[a] < order[b]
  end)
end

-- Sorts requests as clang does: by the first occurrence of their variable; then by modifier and map type. Within a
-- variable, requests with the modifier `present` come first. Requests with alloc come next, but on a target construct
-- last.
local function sort_requests(plan, requests)
  local first, keys = {}, {}
  for i, request in ipairs(requests) do
    local root = list_item.root_variable(request.node) or i
    first[root] = first[root] or i
    keys[request] = { first[root],
      request.map_modifiers.present and 0 or request.map_request.type ~= "alloc" and 2
        or plan.kind == "compute" and 3 or 1 }
  end
  sort_by(requests, keys)
end

-- Sorts the items of a target construct as clang does: items of variables that the body uses come first, in the order
-- of their use. references: uses of variables {name, ...} in the body.
local function sort_items(plan, references)
  local first, keys = {}, {}
  for i, reference in ipairs(references) do first[reference.name] = first[reference.name] or i end
  for _, item in ipairs(plan.items) do
    keys[item] = { item.node and first[list_item.root_variable(item.node)] or math.huge, 0 }
  end
  sort_by(plan.items, keys)
end

-- ------------------------------------------------------------------------------------------ blocks --

-- Returns the AST of the member that the l-value `node` is, or of which it is an element; nil if there is no such
-- member.
local function enclosing_member(session, node)
  while node.tag == "index" and list_item.type_of(session, node.base).kind == "array" do node = node.base end
  return node.tag == "member" and node or nil
end

-- Analyses the list item of a request, and sets the data that it designates: base, subscripts, type, by_pointer (true:
-- the section is in the target of a pointer). A member also gets its enclosing structure {node, type, address,
-- pointer?}. in_chain is true if rules.chains is "mapped" and the structure is reached through a pointer that is not a
-- variable. Raises for a member of a union.
local function look_into(plan, request)
  local session = plan.session
  local base, subscripts = list_item.split_designator(request.node)
  if subscripts then openmp_restrictions.rows(list_item.type_of(session, base), subscripts) end
  analyse_request(session, request)
  request.base, request.subscripts, request.type = base, subscripts, request.item.type
  request.by_pointer = subscripts and request.type.kind == "pointer"
  if not enclosing_member(session, base) then return end
  local objects = list_item.enclosing(session, base)
  local node, record = objects[#objects].node, objects[#objects].type
  local of_union = openmp_restrictions.union_member(session, base)
  if of_union then
    raise("clause-not-allowed", of_union.name_pos, "a member of a union cannot be mapped",
      { length = #of_union.name, rule = "OMP60-map-13", help = "map the union" })
  end
  local address = host_expression.extent_of(session, node)
  plan.single_use = plan.single_use or not openmp_restrictions.is_constant(session, node)
  request.structure = { node = node, type = record, address = address,
    pointer = node.tag == "index" and list_item.type_of(session, node.base).kind == "pointer" and node.base or nil }
  local pointer = request.structure.pointer
  request.in_chain = session.rules.chains == "mapped" and pointer ~= nil and pointer.tag ~= "id"
end

-- Returns the bytes of a structure's leaf members in [low, high) that no part covers, as {offset, bytes, label} with
-- offsets from `low`. record: type of the structure; parts: {offset, bytes}, sorted and disjoint.
local function gaps_of(session, record, low, high, parts)
  local gaps = {}
  for _, leaf in ipairs(mapping_compiler.names(session, record)) do
    local at, finish = math.max(leaf.offset, low), math.min(leaf.offset + leaf.bytes, high)
    for _, part in ipairs(parts) do
      if part.offset > at and at < finish then
        gaps[#gaps + 1] = { offset = at - low, bytes = math.min(part.offset, finish) - at, label = leaf.label }
      end
      at = math.max(at, part.offset + part.bytes)
    end
    if at < finish then gaps[#gaps + 1] = { offset = at - low, bytes = finish - at, label = leaf.label } end
  end
  return gaps
end

local into = { copyin = true, copy = true } -- actions that copy to the device
local back = { copyout = true, copy = true } -- actions that copy from the device

-- Returns a sorted list of disjoint parts {offset, bytes, action} that covers the given parts. A part of the result
-- that lies in several given parts copies in all their directions.
local function split_overlaps(parts)
  local edges, list, edge_set = {}, {}, {}
  for _, part in ipairs(parts) do
    for _, edge in ipairs { part.offset, part.offset + part.bytes } do
      if not edge_set[edge] then edges[#edges + 1] = edge end
      edge_set[edge] = true
    end
  end
  table.sort(edges)
  for i = 1, #edges - 1 do
    local action
    for _, part in ipairs(parts) do
      if part.offset <= edges[i] and edges[i + 1] <= part.offset + part.bytes then
        local to = into[action] or into[part.action]
        local from = back[action] or back[part.action]
        action = to and from and "copy" or to and "copyin" or from and "copyout" or "create"
      end
    end
    if action then list[#list + 1] = { offset = edges[i], bytes = edges[i + 1] - edges[i], action = action } end
  end
  return list
end

-- Returns the members that `requests` map of one structure as sorted, disjoint parts {offset, bytes, action}. Members
-- that share storage are merged (OMP60-map-13). Decides OMP60-map-4.
local function structure_parts(session, requests)
  local parts, overlap = {}, false
  for i, request in ipairs(requests) do
    local address, bytes = host_expression.extent_of(session, request.node)
    parts[i] = { offset = address - request.structure.address, bytes = bytes, action = request.action }
  end
  table.sort(parts, function(a, b) return a.offset < b.offset end)
  for i = 2, #parts do
    overlap = overlap or parts[i - 1].offset + parts[i - 1].bytes > parts[i].offset
  end
  return overlap and split_overlaps(parts) or parts
end

-- Returns the mapping program of a block [low, high) of a structure: its pieces are the parts, and gaps between them
-- are excluded. Programs are cached in the session by record, offsets and actions. Raises the core's error. Decides
-- OMPEX-struct_map-4.
local function block_program(session, record, parts, low, high)
  local key = { "block" }
  for _, part in ipairs(parts) do
    key[#key + 1] = ("%d:%d:%s"):format(part.offset, part.bytes, part.action)
  end
  key = table.concat(key, " ")
  local cached = session.caches.programs[record] or {}
  session.caches.programs[record] = cached
  if cached[key] then return cached[key] end
  local list, members = {}, {}
  for i, part in ipairs(parts) do
    list[i] = { offset = part.offset - low, bytes = part.bytes, action = (action_words.code(part.action)) }
  end
  for _, leaf in ipairs(mapping_compiler.names(session, record)) do
    if leaf.offset >= low and leaf.offset + leaf.bytes <= high then
      members[#members + 1] = { offset = leaf.offset - low, bytes = leaf.bytes, label = leaf.label }
    end
  end
  cached[key] = { stride = high - low, pieces = list, fields = {}, code = {}, registers = 1,
    params = 0, excluded = gaps_of(session, record, low, high, parts), members = members }
  return cached[key]
end

-- Sets the item's frame and room: address and size of the structure that encloses it. Members of the structure then
-- keep their distances on the device. The core refuses a member if other members of its structure are mapped apart from
-- this member (OMP60-map-13).
local function belongs_to(item, structure) item.frame, item.room = structure.address, structure.type.size end

-- Registers the pointer variable through which a request names members of a structure (p in p->a). In the body, this
-- pointer then gives access to the mapped members only (plan.several). Does nothing for members that are named without
-- a pointer variable.
local function add_structure_pointer(plan, request, item)
  local pointer = not (request.by_pointer or request.implied) and request.structure.pointer
  if not pointer or pointer.tag ~= "id" then return end
  local name = pointer.name
  item.variable = item.variable or name
  plan.several[name] = true
  plan.named[name] = plan.named[name] or item
  if plan.session.rules.section == "one-step" then plan.bases[name] = plan.bases[name] ~= false end
end

-- Adds one item, a block, for `requests`, which map several members of one structure. parts: the bytes of these
-- members, {offset, bytes, action}, sorted and disjoint.
local function add_block(plan, requests, parts)
  local session, b = plan.session, codegen.builder()
  local structure, first = requests[1].structure, requests[1]
  local last = parts[#parts]
  local low, high = parts[1].offset, last.offset + last.bytes
  local ctx, pos = { session = session }, first.node.pos
  local item = { pos = pos, unit = high - low, action = core.action.create, flags = core.flag.present_or }
  if structure.measured then
    item.base = codegen.reg(b, codegen.address(structure.address + low), pos)
  else
    local at = codegen.lvalue(b, ctx, c_sema.lvalue(ctx, structure.node))
    at.offset = at.offset + low
    item.base = codegen.reg(b, codegen.address_of(b, at, pos), pos)
  end
  item.count = codegen.reg(b, codegen.constant(1), pos)
  item.program = block_program(session, structure.type, parts, low, high)
  item.name = list_item.render(structure.node, {})
  item.label = plan:label(item.name, item.unit, nil, item.program)
  belongs_to(item, structure)
  item.places = {}
  for i, request in ipairs(requests) do
    item.places[i] = { name = list_item.render((list_item.split_designator(request.node)), {}), pos = request.node.pos }
  end
  local pointer -- base pointer of the structure, from the first member that is named by a pointer
  for _, request in ipairs(requests) do
    add_structure_pointer(plan, request, item)
    local attach = not request.implied and request.map_modifiers.attach
    if attach ~= "never" then pointer = pointer or not request.implied and request.structure.pointer or nil end
    if attach == "always" then item.flags = item.flags | core.flag.attach_always end
  end
  c_items.add(plan, item, b, { node = first.node, base_pointer = pointer and c_sema.lvalue(ctx, pointer),
    clause = { places = item.places } })
end

-- Adds one block for all requests on members of a structure and returns true. A request that always copies, or uses a
-- mapper, also gets an item of its own inside the block. Returns false, and adds nothing, if there are fewer than two
-- requests.
local function add_members(plan, requests)
  if #requests < 2 then return false end
  local own_items = {}
  for _, request in ipairs(requests) do
    local own = request.member_mapping and request.member_mapping.policy
    if own or mapper.bits(request.map_request.flags) & ~about_pointer ~= 0 then own_items[#own_items + 1] = request end
  end
  add_block(plan, requests, structure_parts(plan.session, requests))
  for _, request in ipairs(own_items) do plan:request(request) end
  return true
end

-- ----------------------------------------------------------------------------------------- clauses --

-- Returns true if a request for a section in the target of a pointer maps this pointer as well. The result is false in
-- an update, and if rules.section is "one-step". If rules.section is "value-first", the result is false if the section
-- is present already, and the plan becomes single_use. Decides OMPEX-struct_map-15, LLNL-2.1-05, LLNL-2.1-06,
-- LLNL-2.2-04, LLNL-3.1-01, LLNL-3.1-02, LLNL-3.1-03, LLNL-3.1-04.
local function maps_pointer(plan, request)
  local section_rule = plan.session.rules.section
  if plan.kind == "update" or section_rule == "one-step" then return false end
  if section_rule == "value-first" then
    plan.single_use = true
    local address, bytes = host_expression.extent_of(plan.session, request.node)
    return plan.session.ctx:presence(plan.session.now.device, address, bytes) ~= "wholly"
  end
  return true
end

-- Adds the item of one request, whose fields look_into has set, and registers it under its variable in plan.named.
-- Returns the item. Raises for errors of the list item.
local function add_request(plan, request)
  local item
  if request.subscripts then
    if request.by_pointer and maps_pointer(plan, request) then
      local pointer = openmp_request(plan, request.from, request.base, plan.kind == "exit data" and "delete"
        or "create",
        plan.kind == "exit data" and "release" or "alloc", { iterators = {} })
      plan:object(pointer, request.base)
    end
    item = plan:section(request)
    local length = request.subscripts[1].length
    -- A section of length 0 maps nothing, so a later item of the variable replaces it in plan.named.
    item.empty = length and length.tag == "num" and length.value == 0
  else
    item = plan:object(request, request.node)
  end
  if request.structure and not request.by_pointer and not request.in_chain then belongs_to(item, request.structure) end
  local name = list_item.root_variable(request.node)
  if request.structure then
    add_structure_pointer(plan, request, item)
  elseif name then
    local previous = plan.named[name]
    if previous and previous.empty then previous = nil end
    plan.several[name] = plan.several[name] or previous ~= nil and request.subscripts ~= nil
    plan.named[name] = previous or item
  end
  return item
end

-- Returns the requests on members grouped by their enclosing structure: list of {structure, values, pointers}.
-- pointers: requests on sections in the targets of pointer members; values: other requests. Sets request.in_structure
-- to the group. Requests with in_chain, and those on members of a structure that another request maps as a whole, are
-- in no group.
local function structures_of(requests)
  local list, by_address, whole = {}, {}, {}
  for _, request in ipairs(requests) do
    if not request.structure and not request.subscripts and request.type.kind == "record" then
      whole[host_expression.extent_of(request.session, request.node)] = true
    end
  end
  for _, request in ipairs(requests) do
    local structure = request.structure
    if structure and not request.in_chain and not whole[structure.address] then
      local group = by_address[structure.address]
      if not group then
        group = { structure = structure, values = {}, pointers = {} }
        by_address[structure.address] = group
        list[#list + 1] = group
      end
      -- If clauses name one structure in two ways (s and *p), the group keeps the variable, because the body uses the
      -- variable's name.
      if structure.node.tag == "id" then group.structure = structure end
      table.insert(request.by_pointer and group.pointers or group.values, request)
      request.in_structure = group
    end
  end
  return list
end

-- Returns requests for the pointer members of a group's structure whose targets contain the sections of
-- `group.pointers`, except for pointers that are list items themselves. action, map_type: action and map type of the
-- new requests.
local function base_pointers(plan, group, action, map_type)
  local named, list = {}, {}
  for _, request in ipairs(group.values) do named[list_item.render(request.base, {})] = true end
  for _, request in ipairs(group.pointers) do
    local name = list_item.render(request.base, {})
    if not named[name] then
      named[name] = true
      local pointer = openmp_request(plan, request.from, request.base, action, map_type, { iterators = {} })
      pointer.implied = true
      look_into(plan, pointer)
      list[#list + 1] = pointer
    end
  end
  return list
end

-- Adds requests for base pointers of sections to group.values, the members that form the block of a structure. These
-- requests are added if the group is implicit: no byte of the structure is present yet (OMPEX-struct_map-12,
-- OMPEX-struct_map-13). If rules.chains is "mapped", they are also added if members and base pointers together are at
-- least two; group.joins is then true. Decides OMPEX-struct_map-3, OMPEX-struct_map-12.
local function add_base_pointers(plan, group)
  local joins = not group.implicit and plan.session.rules.chains == "mapped"
  if not (group.implicit or joins) then return end
  local list = base_pointers(plan, group, joins and "create" or "copyin", joins and "alloc" or "to")
  if joins and #group.values + #list < 2 then return end
  for _, pointer in ipairs(list) do
    if joins then plan.pointers[unparse.expression(pointer.node)] = true end
    table.insert(group.values, pointer)
  end
  group.joins = joins and #list > 0
end

-- Adds one block for parts {offset, bytes, action} of one structure, which may be unsorted and overlap. members: their
-- requests. fortran_map.lua calls it.
function openmp_lowering.add_parts(plan, members, parts)
  table.sort(parts, function(a, b) return a.offset < b.offset end)
  add_block(plan, members, split_overlaps(parts))
end

-- Raises if two instances of a list item with iterators are parts of one array or have one base pointer (OMP60-map-13).
local function check_instances(plan, requests)
  local session, addresses = plan.session, {}
  for _, request in ipairs(requests) do
    local variable = request.from.kind == "map" and request.instance_of
    if variable then
      local pointer, whole = openmp_restrictions.base_pointer(session, request.base)
      local address = host_expression.extent_of(session, request.by_pointer and request.base or pointer or whole)
      addresses[variable] = addresses[variable] or {}
      if addresses[variable][address] then
        raise("conflicting-clauses", variable.pos, "instances of an iterator are parts of one array, or have one base "
          .. "pointer", { rule = "OMP60-map-13", help = "name them as one section" })
      end
      addresses[variable][address] = true
    end
  end
end

-- Adds the items of all requests of a directive in C. used(group): function that returns true if the construct
-- implicitly maps the base pointers of a group of structures_of (openmp_implicit.structures); nil except on target
-- constructs. Also defines plan.request, which adds the item of one more request. Raises for errors of list items.
function openmp_lowering.c_items(plan, requests, used)
  local entry = plan.kind ~= "update" and plan.kind ~= "exit data"
  for _, request in ipairs(requests) do
    look_into(plan, request)
    openmp_restrictions.modifiers(plan, request)
    local root = list_item.root_variable(request.node)
    if root then plan.roots[root] = true end
    -- plan.bases[name] is true while every map of the construct goes through this pointer variable. The entry becomes
    -- false if a map names the variable itself.
    if plan.session.rules.section == "one-step" and request.base.tag == "id" then
      plan.bases[request.base.name] = (request.by_pointer or false) and plan.bases[request.base.name] ~= false
    end
    local pointer = list_item.pointer_to_array(plan.session, request.base)
    if plan.session.rules.section == "one-step" and pointer and pointer.tag == "id" then
      plan.bases[pointer.name] = plan.bases[pointer.name] ~= false
    end
  end
  check_instances(plan, requests)
  local structures = entry and structures_of(requests) or {}
  -- Adds the items of a group once: a block, or an item for its only request.
  local function add_structure(group)
    if group.done then return end
    group.done = true
    if not add_members(plan, group.values) then
      for _, request in ipairs(group.values) do plan:request(request) end
    end
  end
  -- Adds the item of a request, and returns the item. Calls look_into first if that has not been done.
  function plan.request(_, request)
    if not request.base then look_into(plan, request) end
    local pointer = request.structure and not (request.by_pointer or request.implied) and request.structure.pointer
    request.base_pointer = pointer and c_sema.lvalue({ session = plan.session }, pointer) or nil
    return add_request(plan, request)
  end
  for _, group in ipairs(structures) do
    group.implicit = used and used(group)
    add_base_pointers(plan, group)
  end
  for _, request in ipairs(requests) do
    local group = request.in_structure
    if group and not request.by_pointer then add_structure(group) else plan:request(request) end
  end
  for _, group in ipairs(structures) do
    -- If clauses name only sections of a structure, the loop above added no block for it.
    if group.implicit or group.joins then add_structure(group) end
  end
  if plan.on_device then c_sema.expression(plan.session:host_env(), plan.on_device) end -- raises if it is no number
end

-- --------------------------------------------------------------------------------------- the rest --

-- Data-sharing clauses on a target construct: name -> kind of private copy, or map type of the variable.
local sharing = { private = "private", firstprivate = "firstprivate", lastprivate = "tofrom", linear = "tofrom",
  reduction = "tofrom", in_reduction = "tofrom", task_reduction = "tofrom" }

-- Returns the list items of a clause other than map: {name, pos, section?}, where section is an AST.
local function clause_variables(session, clause)
  local list = {}
  for i, node in ipairs(clause.vars) do
    local base, subscripts = list_item.split_designator(node)
    if subscripts then
      session.now.scope:declared_variable(base)
      list_item.element_type(session, node) -- raises if the section is invalid
    end
    list[i] = { name = base.name, pos = node.pos, section = subscripts and node }
  end
  return list
end

-- Registers the variables of data-sharing clauses in the plan: device pointers, device addresses, private copies.
-- Returns the other list items, {name, pos, section?}, which must be mapped tofrom. Raises if is_device_ptr names no
-- pointer.
local function data_sharing(plan)
  local session, list = plan.session, {}
  for _, clause in ipairs(plan.node.clauses) do
    local name, is_device = clause.name, clause.name == "is_device_ptr" or clause.name == "has_device_addr"
    if sharing[name] or is_device then
      for _, item in ipairs(clause_variables(session, clause)) do
        local variable = session.now.scope:declared_variable(item)
        if name == "is_device_ptr" and variable.type.kind ~= "pointer" then
          raise("not-a-pointer", item.pos, ("'%s' is %s"):format(item.name, types.name(variable.type)),
            { length = #item.name, rule = "OMP60-map-11" })
        elseif name == "is_device_ptr" or is_device and variable.type.kind == "pointer" and item.section then
          plan.deviceptr[item.name] = variable
        elseif is_device then
          plan.device_addresses[item.name] = true
        elseif sharing[name] == name then
          plan.private[item.name] = { attribute = name, variable = variable }
        else
          list[#list + 1] = item
        end
      end
    end
  end
  return list
end

-- Raises if a variable of `requests` is also private on `target`, or is also in is_device_ptr or has_device_addr.
local function check_private(plan, requests)
  for _, request in ipairs(requests) do
    local name = request.node.tag == "id" and request.node.name
    local other = name and (plan.private[name] and plan.node.name == "target" and plan.private[name].attribute
      or plan.deviceptr[name] and "is_device_ptr" or plan.device_addresses[name] and "has_device_addr")
    if other then
      raise("conflicting-clauses", request.node.pos, ("'%s' is mapped and %s"):format(name, other),
        { length = #name, rule = "OMP60-map-13" })
    end
  end
end

-- Registers the list items of use_device_ptr and use_device_addr in plan.use_device. Raises if use_device_ptr names
-- neither a pointer nor an array.
local function use_device(plan)
  for _, clause in ipairs(plan.node.clauses) do
    local by_address = clause.name == "use_device_addr"
    if by_address or clause.name == "use_device_ptr" then
      for _, item in ipairs(clause_variables(plan.session, clause)) do
        local variable = plan.session.now.scope:declared_variable(item)
        local section = item.section
        if not by_address and variable.type.kind ~= "pointer" and variable.type.kind ~= "array" then
          raise("not-a-pointer", item.pos, ("'%s' is %s"):format(item.name, types.name(variable.type)),
            { length = #item.name, rule = "OMP60-tgt-1", help = "use_device_addr is for variables" })
        end
        table.insert(plan.use_device, { variable = variable, pos = item.pos, by_address = by_address, section = section,
          start = section and function() return (host_expression.extent_of(plan.session, section)) end })
      end
    end
  end
end

-- Sets the condition, the device and the defaultmap behaviour of the plan. An `if` clause with the name of another
-- constituent construct is ignored.
local function general(plan)
  for _, clause in ipairs(plan.node.clauses) do
    local modifier = clause.modifier and clause.modifier.name
    if clause.name == "if" then
      if not modifier or modifier:find "^target" then plan.condition = clause.e end
    elseif clause.name == "device" then
      plan.on_device = clause.e
    elseif clause.name == "defaultmap" then
      openmp_implicit.defaultmap(plan, clause)
    end
  end
end

-- Adds items for the list items of use_device clauses from OpenMP 6.0 on. A pointer p gets an item p[:]; another
-- variable or a section gets one only if all of it is present. The items add references, so the data stay present
-- during the region. Decides OMP60-map-18.
local function map_used(plan)
  local session = plan.session
  for _, item in ipairs((session.rules.openmp or 0) >= 60 and plan.use_device or {}) do
    local node = item.section or { tag = "id", name = item.variable.name, pos = item.pos }
    local is_pointer = item.variable.type.kind == "pointer" and not item.by_address
    local address, bytes = session.language.extent_of(session, node)
    plan.single_use = true
    if is_pointer then
      node = { tag = "section", base = node, pos = item.pos, length = list_item.number(0, item.pos) }
    end
    if is_pointer or session.ctx:presence(session.now.device, address, bytes) == "wholly" then
      plan:request(openmp_request(plan, { pos = item.pos }, node, "create", "alloc", { iterators = {} }))
    end
  end
end

-- Lowers the AST of a directive and returns its plan. options: file, line, references (variables that the body uses,
-- nil without a body), is_text (true if the body is C text). Raises for errors of the directive; nothing on the device
-- changes.
function openmp_lowering.directive(session, node, options)
  local info = openmp_sema.check_directive(node, session.rules.openmp, session.language.categories)
  local plan = new_plan(session, node, info.kind, options)
  plan.openmp, plan.clauses = true, node.clauses
  plan.defaults, plan.device_addresses, plan.partly, plan.roots, plan.bases, plan.looked_up = {}, {}, {}, {}, {}, {}
  -- plan.several: pointers of which the construct maps several sections, or members of their target.
  plan.several = {}
  general(plan)
  local extra = data_sharing(plan)
  use_device(plan)
  local requests = requests_of(plan)
  if session.rules.counting == "items" then sort_requests(plan, requests) end
  check_private(plan, requests)
  openmp_restrictions.self_maps(plan, requests)
  local compute = info.kind == "compute"
  session.language.map_items(plan, requests, compute and openmp_implicit.structures(plan, options) or nil)
  for _, item in ipairs(extra) do
    if not plan.named[item.name] then
      local named = item.section or { tag = "id", name = item.name, pos = item.pos }
      local request = openmp_request(plan, { pos = item.pos }, named, "copy", "tofrom", { iterators = {} })
      plan:request(request)
    end
  end
  if compute and options.references then openmp_implicit.add(plan, options.references) end
  map_used(plan)
  if compute and options.references and session.rules.counting == "items" then sort_items(plan, options.references) end
  if session.language.check_completed then session.language.check_completed(plan) end
  plan.single_use = plan.single_use or session.language.computes_bounds
  return plan
end

return openmp_lowering
