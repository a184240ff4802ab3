-- openacc_lowering.lua - lowers the AST of an OpenACC directive to the construct IR, a plan (construct_ir.lua).
--
-- Input: a directive node that the parser made, and the names that its body uses. Output: a plan with items, its
-- operands, which the core maps. run/directive_dispatch.lua calls openacc_lowering.directive through
-- run/openacc_execution.lua.
--
--   AST --check--> clauses for the default device    sema/openacc_sema.lua; wrong clauses are reported.
--     |  convenience.lower                           members in data clauses become nests of their structures.
--     v
--   requests {clause, action, node, ...}             one per variable: requests_of, then reductions, roots.
--     |  add_requests -> language.object, section    c_items.lua or fortran_section.lua.
--     v
--   items: base, count, symbol, mapping program      the member mapping comes from shape, policy or nest (nest.lua).
--     |  add_implicit                                variables that the body uses and no clause names.
--     v
--   plan
--
-- Invariants: a variable is private or in a data clause, never both. A request is one list item of a clause with its
-- action (requested_action.lua). Items are in the order of their requests; items of implicitly mapped variables follow.
-- Nothing on the device changes here: the core executes the plan later.

local lazy = require "accdeep.base.lazy"
local openacc_sema = require "accdeep.sema.openacc_sema"
local core = require "accdeep.core"
local convenience = require "accdeep.lowering.convenience"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local new_plan = require "accdeep.lowering.construct_ir".new
local contiguous_runs = require "accdeep.lowering.contiguous_runs"
local list_item = require "accdeep.sema.c.list_item"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local policy = require "accdeep.sema.members.policy"
local shape = require "accdeep.sema.members.shape"
local privatization = lazy.require "accdeep.backend.privatization"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local raise = diagnostic.raise
local split_designator = list_item.split_designator

local openacc_lowering = {}

-- Action that each data clause requests: clause -> action. Clauses without data have no entry.
local data_actions = openacc_directives.clauses_where(function(entry, clause)
  return policy.actions[clause.name] or openacc_directives.clauses_of.policy[clause.name] == nil and entry.action
end)

-- ------------------------------------------------------------------------------------------ requests --

-- Action of each clause of update that gives a direction: clause -> action.
local directions = openacc_directives.clauses_where(function(entry) return entry.update and entry.action end)

-- Returns the list items of an update with each section split into its contiguous runs, as a list of ASTs. Raises for
-- errors of a section.
function openacc_lowering.split_update(plan, vars)
  local list = {}
  for _, variable in ipairs(vars) do
    for _, piece in ipairs(contiguous_runs.contiguous(plan, variable, "ACC33-2.7.1-1")) do list[#list + 1] = piece end
  end
  return list
end

-- Direction of a clause's copies (in: to the device) -> flag by which the core copies in this direction even if the
-- data are present.
local always = { ["in"] = core.flag.always_in, out = core.flag.always_out }

-- Returns the core's flags for the modifiers of a data clause; 0 without modifiers. Decides ACC34-mod-3, ACC34-mod-4,
-- ACC34-mod-5, ACC34-mod-6.
local function flags_of(clause)
  local bits = 0
  for _, modifier in ipairs(clause.modifiers or {}) do
    for word in (openacc_directives.modifier[modifier.name].effect or ""):gmatch "%a+" do
      if word == "zero" then bits = bits | core.flag.zero
      elseif openacc_directives.clause[clause.name].entry.data:find(word) then bits = bits | always[word] end
    end
  end
  return bits
end

-- Returns a request (requested_action.lua) for each list item of the data clauses. An absent optional argument of
-- Fortran gets no request; plan.absent is set instead. Raises for a wrong direction of invoke.
local function requests_of(plan, clauses)
  local list, session = {}, plan.session
  for _, clause in ipairs(clauses) do
    local invoke = clause.name == "invoke"
    local action = data_actions[clause.name]
    if invoke then action = clause.direction and directions[clause.direction.name] end
    local vars = openacc_sema.moves_data(clause, plan.kind) and clause.vars or {}
    if plan.kind == "update" and not invoke then vars = session.language.update_pieces(plan, vars) end
    for _, variable in ipairs(vars) do
      if session.language.is_absent(session, variable) then
        plan.absent = true
      else
        list[#list + 1] = { clause = clause, action = action, node = variable, kind = plan.kind,
          update = plan.kind == "update", if_present = plan.if_present, flags = flags_of(clause),
          present_or = clause.present_or or policy.requested_actions[clause.name] ~= policy.actions[clause.name] }
      end
    end
  end
  return list
end

openacc_lowering.requests = requests_of

-- Returns copies of the clauses in which members of *this are qualified by this->, for the body of a member function
-- (TR14-3.4-08). Decides TR14-3.4-08, TR14-A.8-04.
local function qualify_members(session, clauses)
  local list = {}
  for i, clause in ipairs(clauses) do
    list[i] = clause
    if clause.vars then
      local vars = {}
      for k, variable in ipairs(clause.vars) do vars[k] = list_item.qualify(session, variable) end
      list[i] = setmetatable({ vars = vars }, { __index = clause })
    end
  end
  return list
end

-- Raises if a clause has a nest, and its variables have different types. Decides TR14-3.3-03.
local function check_one_type(session, clause)
  local record
  for _, variable in ipairs(clause.nest and clause.vars or {}) do
    local t = list_item.element_type(session, variable)
    while t.kind == "array" do t = t.of end
    if record and t ~= record then
      raise("mixed-types", variable.pos, ("the nest is for %s, this is %s"):format(types.name(record),
        types.name(t)), { rule = "TR14-3.3-03", help = "give it a clause of its own" })
    end
    record = t
  end
end

-- Returns the sections of pointers that requests name: text of the pointer -> {subscript, unit} (section.lua). An alias
-- p[@base] lies in the section of `base` in this table.
local function sections_of(requests)
  local sections = {}
  for _, request in ipairs(requests) do
    local section = request.item and request.item.section
    if section and section.dimensions and section.type.kind == "pointer" and section.dimensions[1].tag == "section" then
      sections[unparse.expression(request.item.base)] = { subscript = section.dimensions[1],
        unit = section.type.to.size }
    end
  end
  return sections
end

-- Sets the typed list item of a request. A section a[0:n] of a structure a is a container: start and length become
-- values of its shape, and the list item becomes a (TR14-5-03). Raises for errors of the list item. Decides TR14-5-03.
local function analyse_item(session, request)
  request.item = session.language.analyse_item(session, request)
  if not request.item or not request.item.is_container then return end
  local first, shape_node = request.item.subscripts[1], request.clause.shape
  if request.item.subscripts[2] or first.tag ~= "section" or not first.length then
    raise("invalid-section", first.pos, "a container's section has a length", { rule = "TR14-5-03" })
  elseif shape_node and shape_node.args then
    raise("duplicate-clause", shape_node.pos, "the section has values already", { rule = "TR14-5-03" })
  end
  request.clause = setmetatable({ shape = { pos = first.pos, name = shape_node and shape_node.name,
    args = shape.section_values(first) } }, { __index = request.clause })
  request.node = request.item.base
  request.item = session.language.analyse_item(session, request)
end

-- Sets plan.sections, adds the item of each request, and registers the item under its variable in plan.named. Raises if
-- attach or detach names a section, and for errors of list items.
local function add_requests(plan, requests)
  for _, request in ipairs(requests) do analyse_item(plan.session, request) end
  plan.sections = sections_of(requests)
  for _, request in ipairs(requests) do
    local item
    if request.action == "attach" or request.action == "detach" then
      plan:pointer(request, request.node)
    else
      local base, subscripts = split_designator(request.node)
      if subscripts then item = plan:section(request, base, subscripts)
      else item = plan:object(request, request.node) end
    end
    local name = item and not item.inside and list_item.root_variable(request.node)
    if name then plan.named[name] = plan.named[name] or item end
  end
end

-- --------------------------------------------------------------------------------------- directives --

-- Clauses of declare whose data live until the program ends, so that they are allowed at global scope.
local persistent = openacc_directives.clauses_where(function(entry, clause) return entry.persistent
  and not clause.present_or end)

-- Raises the error for a variable `name` that two declare clauses name.
function openacc_lowering.raise_declared_twice(name, pos)
  raise("duplicate-clause", pos, ("'%s' is in a declare already"):format(name), { length = #name,
    rule = "ACC33-dec-1", help = "keep one of the clauses" })
end

-- Raises if the list `missing`, references to variables that no clause names, is not empty. The error lists all names;
-- its position is the first use in a body of C text, otherwise the construct `node`. requirement: what demands a
-- clause, such as "default(none)"; clause: the clause to write, for the help; rule: rule of the error. Decides
-- ACC33-impl-2.
function openacc_lowering.raise_unlisted(node, missing, requirement, clause, rule)
  local first, names, is_listed = missing[1], {}, {}
  if not first then return end
  for _, reference in ipairs(missing) do
    if not is_listed[reference.name] then names[#names + 1] = ("'%s'"):format(reference.name) end
    is_listed[reference.name] = true
  end
  local list = table.concat(names, ", ")
  local err = diagnostic.new { code = "default-none", rule = rule, length = first.location and #first.name,
    pos = first.location and first.pos or not first.in_text and first.pos or node.pos,
    message = ("%s, but %s %s in no clause"):format(requirement, list, #names > 1 and "are" or "is"),
    help = ("name %s in %s"):format(list, clause) }
  if first.location then
    location.locate_error(err, first.location.text, first.location.file, first.location.line)
    err.text = first.location.text
  end
  error(err, 0)
end

-- Returns true if the directive `node` is a kernels construct.
local function is_kernels(node) return openacc_directives.directive(node.name).construct == "kernels" end

-- Makes scalars that no clause names firstprivate in the plan of a Fortran compute construct whose condition is false,
-- so that the host runs it. references: variables that the body uses. Exempt are reduced variables, absent arguments,
-- variables of enclosing regions, and all variables of kernels constructs. Decides ACC33-impl-1.
local function add_own_scalars(plan, references)
  local named = {}
  for _, clause in ipairs(plan.clauses) do
    for _, item in ipairs(clause.vars or {}) do named[list_item.root_variable(item) or ""] = true end
  end
  for _, reference in ipairs(references) do
    local variable, name = plan.session.now.scope:declared_variable(reference), reference.name
    if variable.type.kind == "scalar" and not named[name] and not reference.reduced and not variable.absent
      and not is_kernels(plan.node) and not plan.session:visible(name) then
      plan.private[name] = { attribute = "firstprivate", variable = variable }
    end
  end
end

-- Raises the error for a scalar that is in no clause of the construct `node`, although a loop in its body reduces the
-- scalar. Decides ACC33-impl-4.
local function refuse_reduced(node, reference)
  raise("missing-clause", node.pos, ("a loop reduces '%s', which is in no clause of '%s'"):format(reference.name,
    node.name), { length = #node.name, rule = "ACC33-impl-4",
    help = ("write copy(%s) or reduction on %s"):format(reference.name, node.name) })
end

-- Adds the implicit data attributes of variables that a compute construct's body uses (ACC33-impl-1..3). These are
-- copy, present, firstprivate or deviceptr. default: word of the default clause, of this construct or an enclosing
-- region; nil: none. Raises if default is "none" and a variable is in no clause, or if rules.loop_reduction is
-- "rejected" and a loop reduces a scalar that is in no clause. Decides TR14-1.1-06, ACC33-impl-1.
local function add_implicit(plan, node, references, default)
  local session, missing = plan.session, {}
  for _, reference in ipairs(references) do
    local variable = session.now.scope:declared_variable(reference)
    local t, name = variable.type, reference.name
    -- A use of a member uses *this (TR14-1.1-06).
    if session.now.this and name == "this" then
      if not plan.named.this and default == "none" and not session:visible "this" then
        raise("default-none", node.pos, "default(none), but '*this' is in no clause", { rule = "ACC33-impl-2",
          help = "name 'this[0:1]' in a data clause" })
      elseif not plan.named.this and not session:visible "this" then
        local node_of = list_item.single { tag = "unary", op = "*", pos = node.pos,
          e = { tag = "id", name = "this", pos = node.pos } }
        plan.named.this = plan:object({ action = default == "present" and "present" or "copy", clause = {},
          present_or = true, node = node_of }, node_of)
      end
    elseif not plan.named[name] and not plan.private[name] and not plan.deviceptr[name]
      and not plan.attached[name] and not variable.absent then
      local aggregate = t.kind == "record" or t.kind == "array" or t.kind == "descriptor"
      -- A variable that a loop in the body reduces is copied, because the reduction also changes the host's variable.
      -- Scalars of kernels constructs are copied, too (ACC33-impl-1).
      local is_copied = reference.reduced or is_kernels(node) and t.kind == "scalar"
      -- Data that a clause of an enclosing region names are used as they are; the construct does not map them again
      -- (ACC33-impl-3).
      local is_visible = session:visible(name)
      if variable.named_constant then -- ACC33-impl-1
        plan.private[name] = { attribute = "firstprivate", variable = variable }
      elseif default == "none" and not is_visible then
        missing[#missing + 1] = reference
      elseif session:visible_deviceptr(name) then
        plan.deviceptr[name] = variable
      elseif not is_visible and reference.reduced and t.kind == "scalar" and not is_kernels(node)
        and session.rules.loop_reduction == "rejected" then
        refuse_reduced(node, reference)
      elseif not is_visible and not aggregate and not is_copied then
        plan.private[name] = { attribute = "firstprivate", variable = variable }
      elseif not is_visible then
        local request = { action = aggregate and default == "present" and "present" or "copy", clause = {},
          present_or = true, node = { tag = "id", name = name, pos = node.pos } }
        plan.named[name] = plan:object(request, request.node)
      end
    end
  end
  openacc_lowering.raise_unlisted(node, missing, "default(none)", "a data clause", "ACC33-impl-2")
end

-- Appends copy requests to `requests` for variables, elements and sections that a reduction clause names, but whose
-- variable no request names. Raises for types that the operator cannot reduce. Decides ACC33-impl-1.
local function add_reductions(plan, clauses, requests)
  local named = {}
  for _, request in ipairs(requests) do named[list_item.root_variable(request.node) or ""] = true end
  for _, clause in ipairs(clauses) do
    for _, item in ipairs(clause.name == "reduction" and clause.vars or {}) do
      local name = list_item.root_variable(item)
      local t = plan.session.now.scope:declared_variable({ name = name, pos = item.pos }).type
      if item.tag == "id" and plan.session.language.is_compiled then
        privatization.check_reduced({ op = clause.op, pos = item.pos, name = name, rule = "ACC33-2.5.15-1" }, t, t)
      end
      if not named[name] then
        requests[#requests + 1] = { action = "copy", present_or = true, clause = {}, node = item, kind = plan.kind,
          flags = 0 }
      end
    end
  end
end

-- Lowers the AST of a directive and returns its plan. options: file, line, references (variables that the body of a
-- compute construct uses, nil if the body is not known yet or there is none). Raises for errors of the directive;
-- nothing on the device changes. Decides TR14-3.2.2-01, TR14-3.3-01, ACC33-2.6-1, ACC33-2.7-9.
function openacc_lowering.directive(session, node, options)
  local kind = openacc_directives.directive(node.name).kind
  local clauses, by_name = openacc_sema.check_directive(node, session.rules, session.language.takes_self)
  local plan = new_plan(session, node, kind, options)
  plan.if_present = by_name.if_present
  plan.waiting = node.waiting
  local default
  for _, clause in ipairs(clauses) do
    if clause.nest and clause.nest.single then
      session:warn("syntax", clause.nest.pos, "a nest begins with '::{'", { length = 1, rule = "TR14-3.3-01" })
    end
    check_one_type(session, clause)
    local is_persistent = persistent[clause.name] or clause.name == "deviceptr" and session.language.is_compiled
    if kind == "declare" and not is_persistent then
      raise("clause-not-allowed", clause.pos, ("'%s' has no place at global scope: there is no region around"):format(
        clause.name), { length = #clause.name, rule = "ACC33-dec-1", help = "create, copyin, "
          .. "device_resident and link last, and deviceptr in C" })
    elseif clause.name == "if" then
      plan.condition = clause.e
    elseif clause.name == "self" and kind == "compute" then
      -- If the condition is true, or missing, the construct runs on the host with the host's data (ACC33-2.5.7-1).
      plan.on_self = clause.vars and clause.vars[1] or clause.e or list_item.number(1, clause.pos)
    elseif clause.name == "finalize" then
      plan.finalize = true
    elseif clause.name == "async" then
      plan.async, plan.ordered = clause, true
    elseif clause.name == "wait" then
      plan.ordered = true
      plan.waits = plan.waits or {}
      table.insert(plan.waits, clause)
    elseif clause.name == "num_gangs" or clause.name == "num_workers" or clause.name == "vector_length" then
      plan.sizes = plan.sizes or {}
      for _, e in ipairs(clause.values or { clause.e }) do table.insert(plan.sizes, { name = clause.name, e = e }) end
    elseif clause.name == "default_async" then
      plan.default_async = clause.e
    elseif clause.name == "device_num" then
      plan.device_num = clause.e
    elseif clause.name == "default" then
      default = clause.word
    elseif clause.name == "private" or clause.name == "firstprivate" then
      for _, item in ipairs(clause.vars) do
        plan.private[item.name] = { attribute = clause.name, variable = session.now.scope:declared_variable(item) }
      end
    elseif clause.name == "deviceptr" then
      for _, item in ipairs(clause.vars) do
        local variable = session.now.scope:declared_variable(item)
        if variable.type.kind ~= "pointer" then
          raise("not-a-pointer", item.pos, ("'%s' is %s"):format(item.name, types.name(variable.type)),
            { length = #item.name, rule = "ACC33-2.7-9" })
        end
        plan.deviceptr[item.name] = variable
      end
    elseif clause.name == "use_device" then
      for _, item in ipairs(clause.vars) do
        plan.use_device[#plan.use_device + 1] = { variable = session.now.scope:declared_variable(item),
          pos = item.pos }
      end
    end
  end
  if plan.on_self then
    local elsewhere = { tag = "unary", op = "!", pos = plan.on_self.pos, e = plan.on_self }
    plan.condition = plan.condition and { tag = "binary", op = "&&", pos = plan.on_self.pos, a = plan.condition,
      b = elsewhere } or elsewhere
  end
  plan.clauses = session.now.this and qualify_members(session, clauses) or clauses
  -- Fortran computes bounds during lowering. If the condition of a Fortran directive is false, no bound may be
  -- evaluated; therefore the plan ends here, without items.
  if session.language.computes_bounds and plan.condition
    and not session.language.condition(session, plan.condition)() then
    plan.single_use = true
    if options.references then add_own_scalars(plan, options.references) end
    return plan
  end
  if session.rules.members == "held" then
    plan.clauses = convenience.lower(session, plan.kind, plan.clauses, node.name)
  end
  local requests = requests_of(plan, plan.clauses)
  -- A link clause maps nothing; a later data clause maps the variable (ACC33-dec-1). Names in a link clause must be
  -- declared.
  for _, clause in ipairs(node.clauses) do
    for _, item in ipairs(clause.name == "link" and clause.vars or {}) do
      session.now.scope:declared_variable(item)
    end
  end
  if kind == "declare" then
    local declared = {}
    for _, request in ipairs(requests) do
      local name = list_item.root_variable(request.node)
      if declared[name] then openacc_lowering.raise_declared_twice(name, request.node.pos) end
      declared[name] = true
    end
  end
  plan.default = default
  add_reductions(plan, clauses, requests)
  if kind == "compute" then requests = session.language.with_roots(plan, requests) end
  add_requests(plan, requests)
  for _, request in ipairs(requests) do
    local name = list_item.root_variable(request.node)
    if plan.private[name] and request.node.tag == "id" then
      raise("conflicting-clauses", request.node.pos, ("'%s' is both private and in a data clause"):format(name),
        { length = #name, rule = "ACC33-2.7-8" })
    end
  end
  if options.references then
    add_implicit(plan, node, options.references, default or session:visible_default())
  end
  session.language.check_completed(plan)
  return plan
end

return openacc_lowering
