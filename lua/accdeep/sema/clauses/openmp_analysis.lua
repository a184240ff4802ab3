-- openmp_analysis.lua - semantic analysis of OpenMP directives that have plans: returns the typed directive.
--
-- Input: a directive node that the parser made. Output: a typed directive, which lowering/openmp_lowering.lua lowers.
-- Invariant: all semantic errors of the directive were raised, except those of variables that only its body names, and
-- of Fortran's list items, which are analysed with their values.
--
--   AST: map(tofrom: s.a, s.b[0:n])    clauses with list items; iterators expand to several.
--     |  requests_of                   one request per list item: {node, action, map_modifiers, ...}
--     v
--   requests --c_maps, look_into-->    + typed list item, base, subscripts, by_pointer, structure {node, type, address}
--
--   typed directive {session, node, kind, requests, extra, ...}: extra: list items {name, pos, section?} that are
--   mapped tofrom unless a map names them. The other fields are those of a plan that have the same names
--   (construct_ir.lua).
--
-- If rules.counting is "items", the requests are sorted as clang sorts them (sort_requests).

local ast = require "accdeep.base.ast"
local analyse_request = require "accdeep.sema.clauses.requests".analyse
local c_sema = require "accdeep.sema.c.c_sema"
local contiguous_runs = require "accdeep.sema.clauses.contiguous_runs"
local diagnostic = require "accdeep.base.diagnostic"
local host_expression = require "accdeep.backend.host_expression"
local list_item = require "accdeep.sema.c.list_item"
local openmp_request = require "accdeep.sema.clauses.openmp_request"
local openmp_restrictions = require "accdeep.sema.c.openmp_restrictions"
local openmp_sema = require "accdeep.sema.openmp_sema"
local types = require "accdeep.types"

local raise = diagnostic.raise

local openmp_analysis = {}

-- Limit on the instances of one list item. A larger number is an error, because the iterator's bounds are probably
-- wrong.
local INSTANCES = contiguous_runs.MOST

-- ---------------------------------------------------------------------------------------- requests --

-- Returns a copy of the AST `item` in which each name of an iterator is replaced by a number node of the session's
-- language. values: name of an iterator -> its value.
local function substitute_values(session, item, values)
  return ast.map(item, function(node)
    local value = node.tag == "id" and values[node.name]
    return value and session.language.number(value, node.pos)
  end)
end

-- Returns the AST `variable` of a list item once for each combination of the iterators' values. The directive becomes
-- single_use if there are iterators. Raises if a step is zero, or INSTANCES is exceeded.
-- Decides OMP60-map-3.
local function instances(directive, iterators, variable)
  if #iterators == 0 then return { variable } end
  directive.single_use = true
  local list = {}
  -- Appends an instance for each combination of values of the iterators from `number` on. values: of earlier iterators.
  local function each(number, values)
    local iterator = iterators[number]
    if not iterator then
      list[#list + 1] = substitute_values(directive.session, variable, values)
      if #list > INSTANCES then
        raise("limit", variable.pos, ("the iterators have more than %d instances"):format(INSTANCES),
          { rule = "HOUSE-limit" })
      end
      return
    end
    local session = directive.session
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
local function requests_of(directive)
  local session, list, directions = directive.session, {}, {}
  for _, clause in ipairs(directive.node.clauses) do
    if clause.kind == "map" or clause.kind == "motion" then
      local map_modifiers = openmp_sema.modifiers(clause, session.rules.openmp)
      local action, map_type
      if clause.kind == "motion" then
        action, map_type = clause.name == "to" and "update device" or "update self", clause.name
      else
        action, map_type = openmp_sema.map_action(map_modifiers, directive.kind, directive.node.name,
          session.rules.openmp, clause)
      end
      for _, variable in ipairs(clause.vars) do
        if clause.kind == "motion" then openmp_restrictions.direction(directions, clause, variable) end
        local left_out = session.language.is_absent and session.language.is_absent(session, variable)
        for _, instance in ipairs(left_out and {} or instances(directive, map_modifiers.iterators, variable)) do
          local named = session.now.this and list_item.qualify(session, instance) or instance
          local nodes = clause.kind == "motion" and contiguous_runs.contiguous(directive, named, "OMP60-sec-1")
            or { contiguous_runs.as_single_run(directive, named) }
          for _, node in ipairs(nodes) do
            local request
            -- An assumed-size section maps no new data: it only designates present data (OMP60-map-10).
            if clause.kind == "map" and is_assumed_size(session, node) then
              openmp_restrictions.check_assumed_size(map_modifiers, node)
              node = setmetatable({ length = list_item.number(0, node.pos) }, { __index = node })
              local has_type = map_modifiers.type or directive.kind == "exit data"
              request = openmp_request(directive, clause, node, has_type and action or "create",
                has_type and map_type or "alloc", map_modifiers)
            else
              request = openmp_request(directive, clause, node, action, map_type, map_modifiers)
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
function openmp_analysis.sort_by(list, keys)
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
local function sort_requests(directive, requests)
  local first, keys = {}, {}
  for i, request in ipairs(requests) do
    local root = list_item.root_variable(request.node) or i
    first[root] = first[root] or i
    keys[request] = { first[root],
      request.map_modifiers.present and 0 or request.map_request.type ~= "alloc" and 2
        or directive.kind == "compute" and 3 or 1 }
  end
  openmp_analysis.sort_by(requests, keys)
end

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
function openmp_analysis.look_into(directive, request)
  local session = directive.session
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
  directive.single_use = directive.single_use or not openmp_restrictions.is_constant(session, node)
  request.structure = { node = node, type = record, address = address,
    pointer = node.tag == "index" and list_item.type_of(session, node.base).kind == "pointer" and node.base or nil }
  local pointer = request.structure.pointer
  request.in_chain = session.rules.chains == "mapped" and pointer ~= nil and pointer.tag ~= "id"
end

-- Raises if two instances of a list item with iterators are parts of one array or have one base pointer (OMP60-map-13).
local function check_instances(directive, requests)
  local session, addresses = directive.session, {}
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

-- Analyses the list items of a directive in C. Sets directive.roots and directive.bases. Raises for errors of list
-- items and of their modifiers, and if the device's number is no valid expression.
function openmp_analysis.c_maps(directive, requests)
  local session = directive.session
  local is_one_step = session.rules.section == "one-step"
  for _, request in ipairs(requests) do
    openmp_analysis.look_into(directive, request)
    openmp_restrictions.modifiers(directive, request)
    local root = list_item.root_variable(request.node)
    if root then directive.roots[root] = true end
    -- bases[name] is true while every map of the construct goes through this pointer variable. The entry becomes false
    -- if a map names the variable itself.
    if is_one_step and request.base.tag == "id" then
      directive.bases[request.base.name] = (request.by_pointer or false) and directive.bases[request.base.name] ~= false
    end
    local pointer = list_item.pointer_to_array(session, request.base)
    if is_one_step and pointer and pointer.tag == "id" then
      directive.bases[pointer.name] = directive.bases[pointer.name] ~= false
    end
  end
  check_instances(directive, requests)
  if directive.on_device then c_sema.expression(session:host_env(), directive.on_device) end
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

-- Registers the variables of data-sharing clauses in the directive: device pointers, device addresses, private copies.
-- Returns the other list items, {name, pos, section?}, which must be mapped tofrom. Raises if is_device_ptr names no
-- pointer.
local function data_sharing(directive)
  local session, list = directive.session, {}
  for _, clause in ipairs(directive.node.clauses) do
    local name, is_device = clause.name, clause.name == "is_device_ptr" or clause.name == "has_device_addr"
    if sharing[name] or is_device then
      for _, item in ipairs(clause_variables(session, clause)) do
        local variable = session.now.scope:declared_variable(item)
        if name == "is_device_ptr" and variable.type.kind ~= "pointer" then
          raise("not-a-pointer", item.pos, ("'%s' is %s"):format(item.name, types.name(variable.type)),
            { length = #item.name, rule = "OMP60-map-11" })
        elseif name == "is_device_ptr" or is_device and variable.type.kind == "pointer" and item.section then
          directive.deviceptr[item.name] = variable
        elseif is_device then
          directive.device_addresses[item.name] = true
        elseif sharing[name] == name then
          directive.private[item.name] = { attribute = name, variable = variable }
        else
          list[#list + 1] = item
        end
      end
    end
  end
  return list
end

-- Raises if a variable of `requests` is also private on `target`, or is also in is_device_ptr or has_device_addr.
local function check_private(directive, requests)
  for _, request in ipairs(requests) do
    local name = request.node.tag == "id" and request.node.name
    local private = name and directive.node.name == "target" and directive.private[name]
    local other = name and (private and private.attribute
      or directive.deviceptr[name] and "is_device_ptr" or directive.device_addresses[name] and "has_device_addr")
    if other then
      raise("conflicting-clauses", request.node.pos, ("'%s' is mapped and %s"):format(name, other),
        { length = #name, rule = "OMP60-map-13" })
    end
  end
end

-- Registers the list items of use_device_ptr and use_device_addr in directive.use_device. Raises if use_device_ptr
-- names neither a pointer nor an array.
local function use_device(directive)
  for _, clause in ipairs(directive.node.clauses) do
    local by_address = clause.name == "use_device_addr"
    if by_address or clause.name == "use_device_ptr" then
      for _, item in ipairs(clause_variables(directive.session, clause)) do
        local variable = directive.session.now.scope:declared_variable(item)
        local section = item.section
        if not by_address and variable.type.kind ~= "pointer" and variable.type.kind ~= "array" then
          raise("not-a-pointer", item.pos, ("'%s' is %s"):format(item.name, types.name(variable.type)),
            { length = #item.name, rule = "OMP60-tgt-1", help = "use_device_addr is for variables" })
        end
        table.insert(directive.use_device, { variable = variable, pos = item.pos, by_address = by_address,
          section = section,
          start = section and function() return (host_expression.extent_of(directive.session, section)) end })
      end
    end
  end
end

-- Sets the behaviour of a category of variables in directive.defaults from a defaultmap clause; a clause without a
-- category sets it for all variables ("all").
local function defaultmap(directive, clause)
  local behaviour, category = table.unpack(clause.words)
  if behaviour.name == "self" then openmp_restrictions.require_host_execution(directive, behaviour.pos) end
  directive.defaults[category and category.name or "all"] = behaviour.name
end

-- Sets the condition, the device and the defaultmap behaviour of the directive. An `if` clause with the name of another
-- constituent construct is ignored.
local function general(directive)
  for _, clause in ipairs(directive.node.clauses) do
    local modifier = clause.modifier and clause.modifier.name
    if clause.name == "if" then
      if not modifier or modifier:find "^target" then directive.condition = clause.e end
    elseif clause.name == "device" then
      directive.on_device = clause.e
    elseif clause.name == "defaultmap" then
      defaultmap(directive, clause)
    end
  end
end

-- Analyses the AST of a directive and returns the typed directive. Raises for errors of the directive.
function openmp_analysis.directive(session, node)
  local info = openmp_sema.check_directive(node, session.rules.openmp, session.language.categories)
  local directive = { session = session, node = node, kind = info.kind, clauses = node.clauses, defaults = {},
    device_addresses = {}, roots = {}, bases = {}, private = {}, deviceptr = {}, use_device = {} }
  general(directive)
  directive.extra = data_sharing(directive)
  use_device(directive)
  local requests = requests_of(directive)
  directive.requests = requests
  if session.rules.counting == "items" then sort_requests(directive, requests) end
  check_private(directive, requests)
  openmp_restrictions.self_maps(directive, requests)
  if session.language.analyse_maps then session.language.analyse_maps(directive, requests) end
  return directive
end

return openmp_analysis
