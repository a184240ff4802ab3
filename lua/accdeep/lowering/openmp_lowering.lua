-- openmp_lowering.lua - lowers a typed directive of OpenMP to the construct IR, a plan (construct_ir.lua).
--
-- Input: a typed directive (sema/clauses/openmp_analysis.lua), and the names that its body uses. Output: a plan with
-- items, its operands, which the core maps. run/directive_dispatch.lua calls it through run/openmp_execution.lua.
--
--   requests {item, structure, ...}    typed list items.
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
-- (definitions/profiles.lua). If rules.counting is "items", all items are sorted as clang sorts them (sort_items).
-- rules.section and rules.chains decide which base pointers of sections are mapped as well.
--
-- A plan is single_use if it depends on run-time state: present data decides an implicit map of a structure
-- (OMP60-map-12), and pointer values decide where a block lies. The plan cache does not retain such a plan.

local c_sema = require "accdeep.sema.c.c_sema"
local codegen = require "accdeep.lowering.codegen"
local mapping_compiler = require "accdeep.lowering.mapping_compiler"
local core = require "accdeep.core"
local host_expression = require "accdeep.backend.host_expression"
local c_items = require "accdeep.lowering.c_items"
local openmp_implicit = require "accdeep.lowering.openmp_implicit"
local new_plan = require "accdeep.lowering.construct_ir".new
local openmp_request = require "accdeep.sema.clauses.openmp_request"
local openmp_analysis = require "accdeep.sema.clauses.openmp_analysis"
local mapper = require "accdeep.sema.members.mapper"
local list_item = require "accdeep.sema.c.list_item"
local action_words = require "accdeep.lowering.action_words"
local unparse = require "accdeep.syntax.unparse"

local openmp_lowering = {}

-- Flags about the base pointer of a list item. A request with no other flags needs no item besides its block
-- (add_members).
local about_pointer = core.flag.attach_always | core.flag.attach_never

-- Sorts the items of a target construct as clang does: items of variables that the body uses come first, in the order
-- of their use. references: uses of variables {name, ...} in the body.
local function sort_items(plan, references)
  local first, keys = {}, {}
  for i, reference in ipairs(references) do first[reference.name] = first[reference.name] or i end
  for _, item in ipairs(plan.items) do
    keys[item] = { item.node and first[list_item.root_variable(item.node)] or math.huge, 0 }
  end
  openmp_analysis.sort_by(plan.items, keys)
end

-- ------------------------------------------------------------------------------------------ blocks --

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
  local is_exit, length = plan.kind == "exit data", request.subscripts and request.subscripts[1].length
  if request.by_pointer and maps_pointer(plan, request) then
    plan:object(openmp_request(plan, request.from, request.base, is_exit and "delete" or "create",
      is_exit and "release" or "alloc", { iterators = {} }))
  end
  local item = plan:object(request)
  -- A section of length 0 maps nothing, so a later item of the variable replaces it in plan.named.
  item.empty = length and length.tag == "num" and length.value == 0 or nil
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
      openmp_analysis.look_into(plan, pointer)
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

-- Adds the items of all requests of a directive in C, which openmp_analysis.c_maps has analysed. used(group): function
-- that returns true if the construct implicitly maps the base pointers of a group of structures_of
-- (openmp_implicit.structures); nil except on target constructs. Also defines plan.request, which adds the item of one
-- more request. Raises for errors of list items of such requests.
function openmp_lowering.c_items(plan, requests, used)
  local entry = plan.kind ~= "update" and plan.kind ~= "exit data"
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
    if not request.base then openmp_analysis.look_into(plan, request) end
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

-- Returns the plan of a typed directive (sema/clauses/openmp_analysis.lua). options: file, line, references (variables
-- that the body uses, nil without a body), is_text (true if the body is C text). Raises for errors of implicit maps,
-- and of Fortran's list items; nothing on the device changes.
function openmp_lowering.lower(directive, options)
  local session, compute = directive.session, directive.kind == "compute"
  local plan = new_plan(session, directive.node, directive.kind, options, directive)
  plan.openmp, plan.partly, plan.looked_up = true, {}, {}
  -- plan.several: pointers of which the construct maps several sections, or members of their target.
  plan.several = {}
  session.language.map_items(plan, directive.requests, compute and openmp_implicit.structures(plan, options) or nil)
  for _, item in ipairs(directive.extra) do
    if not plan.named[item.name] then
      local named = item.section or { tag = "id", name = item.name, pos = item.pos }
      local request = openmp_request(plan, { pos = item.pos }, named, "copy", "tofrom", { iterators = {} })
      plan:request(request)
    end
  end
  if compute and options.references then openmp_implicit.add(plan, options.references) end
  map_used(plan)
  if compute and options.references and session.rules.counting == "items" then
    sort_items(plan, options.references)
  end
  if session.language.check_completed then session.language.check_completed(plan) end
  plan.single_use = plan.single_use or session.language.computes_bounds
  return plan
end

return openmp_lowering
