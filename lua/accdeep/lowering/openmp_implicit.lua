-- openmp_implicit.lua - implicit data mapping of a target construct: defaultmap, and the maps and private copies of
-- variables that the body uses but no clause names. openmp_lowering.lua calls it.
--
-- Input: a plan with the items of its clauses, and the variables that the body uses. Output: the plan with further
-- items and private variables.

local codegen = require "accdeep.lowering.codegen"
local core = require "accdeep.core"
local list_item = require "accdeep.sema.c.list_item"
local openacc_analysis = require "accdeep.sema.clauses.openacc_analysis"
local openmp_request = require "accdeep.sema.clauses.openmp_request"

local openmp_implicit = {}

-- Implicit behaviours that map: name -> the core's action.
local behaviours = { alloc = "create", to = "copyin", from = "copyout", tofrom = "copy", present = "create",
  storage = "create", self = "copy" }

-- Returns the implicit behaviour of `variable`, which no clause names: firstprivate, section (a pointer that refers to
-- present data), a map type, or a word of defaultmap. category: the variable's category in defaultmap, such as
-- "pointer"; named: true if a clause names a part of the variable; aliased: true if the variable has Fortran's
-- attribute target. Decides OMP60-map-11, LLNL-2.1-04, LLNL-2.2-05, LLNL-3.1-05, LLNL-3.2-01, LLNL-3.2-03, LLNL-3.2-04,
-- LLNL-3.2-05.
local function behaviour_of(plan, variable, category, named, aliased)
  if variable.named_constant then return "firstprivate" end -- OMP60-map-11
  local behaviour = plan.defaults[category] or plan.defaults.all
  if behaviour and behaviour ~= "default" and not (behaviour == "none" and named) then return behaviour end
  local implicit_rule = plan.session.rules.implicit
  if category == "aggregate" or category == "allocatable" or aliased then return "tofrom" end
  -- The result for pointers follows LLNL-2.1-04 and LLNL-3.2-01, that for scalars LLNL-3.2-03.
  if category == "pointer" then return implicit_rule == "tofrom" and "tofrom" or "section" end
  return implicit_rule == "firstprivate" and "firstprivate" or "tofrom" -- LLNL-3.2-03
end

-- Returns true if a C++ reference in this category that no clause names is treated as a zero-length section. Its object
-- is then not mapped, but looked up by its address (LLNL-3.2-01, LLNL-3.2-02). This holds under rules.implicit
-- "by-type". A reference to a pointer is treated as the pointer. Decides LLNL-3.2-02.
local function is_by_reference(plan, category)
  local behaviour = plan.defaults[category] or plan.defaults.all or "default"
  return behaviour == "default" and category ~= "pointer" and plan.session.rules.implicit == "by-type"
end

-- Adds an item for each of `objects`, the present parts of an object that is only partly present. The item maps this
-- part again (OMP60-map-12). name: name of the object. Decides OMP60-map-12.
local function add_present_parts(plan, name, request, objects)
  local pos = plan.node.pos
  for _, object in ipairs(objects) do
    local b = codegen.builder()
    local item = { pos = pos, unit = object.bytes, action = core.action.copy,
      flags = core.flag.present_or | core.flag.if_present }
    item.base = codegen.reg(b, codegen.address(object.host), pos)
    item.count = codegen.reg(b, codegen.constant(1), pos)
    item.name = name
    item.label = plan:label(name, object.bytes)
    plan:add(item, b, request)
  end
end

-- Adds the items of an implicitly mapped variable: one for the whole variable or, if the variable is partly present,
-- one for each present part. The plan is then single_use. Under defaultmap(present), all of the variable must be
-- present. node, t: AST and type of the variable; behaviour: see behaviour_of. Decides OMP60-map-9, OMP60-map-12.
local function add_aggregate(plan, name, node, t, behaviour)
  local session = plan.session
  local address, bytes = session.language.extent_of(session, node)
  local must_be_present = behaviour == "present"
  local request = openmp_request(plan, { pos = plan.node.pos }, node, behaviours[behaviour], behaviour,
    { iterators = {}, present = must_be_present })
  request.base, request.type = node, t
  if bytes > 0 and not must_be_present and session.ctx:presence(session.now.device, address, bytes) == "partly" then
    plan.single_use = true
    return add_present_parts(plan, name, request, session.ctx:present_in(session.now.device, address, bytes))
  end
  local item_count = #plan.items
  plan:request(request)
  for i = item_count + 1, #plan.items do
    local item = plan.items[i]
    if item.program and not request.member_mapping.policy then item.flags = item.flags | core.flag.present_part end
  end
end

-- Adds maps or private copies for variables that the body uses but no clause names, and private copies of pointers of
-- which only sections are mapped. Such a copy refers to the present data (attribute "matched"). references: uses of
-- variables in the body. Raises for variables that defaultmap(none) requires in a clause.
function openmp_implicit.add(plan, references)
  local session, visited, missing = plan.session, {}, {}
  for _, reference in ipairs(references) do
    local name = reference.name
    local has_attribute = visited[name] or (plan.named[name] and not plan.bases[name]) or plan.private[name]
      or plan.deviceptr[name] or plan.device_addresses[name]
    visited[name] = true
    local variable = not has_attribute and session.now.scope:declared_variable(reference)
    local t = variable and variable.type
    if variable and t.kind ~= "function" and not variable.absent then
      local pos = plan.node.pos
      local node = { tag = "id", name = name, pos = pos }
      if session.now.this and name == "this" then -- this[:1] (OMP60-map-11)
        node, t = list_item.element(node, list_item.number(0, pos), pos), t.to
      end
      local category, aliased = session.language.category(variable, t)
      local behaviour = session.program.target_variables[variable] and "tofrom" or plan.bases[name] and "section"
        or behaviour_of(plan, variable, category, plan.roots[name], aliased)
      if variable.reference and behaviour ~= "none" and is_by_reference(plan, category) then
        plan.looked_up[name] = true
      elseif behaviour == "none" then
        missing[#missing + 1] = reference
      elseif behaviour == "firstprivate" or behaviour == "private" or behaviour == "section" then
        plan.private[name] = { attribute = behaviour == "section" and "matched" or behaviour, variable = variable }
      elseif not plan.partly[name] then
        add_aggregate(plan, name, node, t, behaviour)
      end
    end
  end
  openacc_analysis.raise_unlisted(plan.node, missing, "defaultmap(none)", "a map or private clause", "OMP60-map-11")
end

-- Returns a function(group), for groups of openmp_lowering's structures_of, which returns true if the construct
-- implicitly maps the base pointers in the group's structure. The construct does so if no byte of the structure is
-- present, and the structure is a variable or *this which the body (if it is text) uses. The function also sets
-- plan.partly[name], so that other members stay absent, and plan.single_use. options: {references?, is_text?}, of
-- openmp_lowering.lower. Decides OMPEX-struct_map-11, OMPEX-struct_map-13.
function openmp_implicit.structures(plan, options)
  local used = {}
  for _, reference in ipairs(options.references or {}) do used[reference.name] = true end
  plan.partly = {}
  return function(group)
    local node = group.structure.node
    local name = list_item.root_variable(node)
    if options.references and options.is_text and not used[name] then return false end
    local session = plan.session
    local t = group.structure.type
    local whole = session.ctx:presence(session.now.device, group.structure.address, t.size)
    plan.single_use = true
    -- If the structure is an element of an array, other elements are not mapped.
    local element = not group.structure.pointer and #group.values > 0
    if (node.tag == "id" or name == "this" or element) and whole == "absent" then plan.partly[name] = true end
    return whole == "absent" and (node.tag == "id" or name == "this")
  end
end

return openmp_implicit
