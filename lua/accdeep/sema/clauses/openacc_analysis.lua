-- openacc_analysis.lua - semantic analysis of OpenACC directives that have plans: returns the typed directive.
--
-- Input: a directive node that the parser made, and the names that its body uses. Output: a typed directive, which
-- lowering/openacc_lowering.lua lowers. Invariants: a variable is private or in a data clause, never both. All semantic
-- errors of the directive were raised, except those of Fortran's list items, which are analysed with their values.
--
--   AST --check--> clauses for the default device    sema/openacc_sema.lua; wrong clauses are reported.
--     |  convenience.lower                           members in data clauses become nests of their structures.
--     v
--   requests {clause, action, node, ...}             one per variable: requests_of, then reductions, roots.
--     |  analyse_request                             typed list item, member mapping and typed members.
--     v
--   typed directive                                  then variables that the body uses and no clause names.
--
--   typed directive {session, node, kind, requests, clauses, ...}: the other fields are those of a plan that have the
--   same names (construct_ir.lua), such as condition, private and deviceptr. A request is one list item of a clause
--   with its action (requests.lua); implicit requests come last. request.registers: name of the variable under which
--   its item is found; nil: none.

local lazy = require "accdeep.base.lazy"
local openacc_sema = require "accdeep.sema.openacc_sema"
local core = require "accdeep.core"
local convenience = require "accdeep.sema.clauses.convenience"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local list_item = require "accdeep.sema.c.list_item"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local policy = require "accdeep.sema.members.policy"
local requests = require "accdeep.sema.clauses.requests"
local shape = require "accdeep.sema.members.shape"
local privatization = lazy.require "accdeep.backend.privatization"
local types = require "accdeep.types"

local raise = diagnostic.raise

local openacc_analysis = {}

-- Action that each data clause requests: clause -> action. Clauses without data have no entry.
local data_actions = openacc_directives.clauses_where(function(entry, clause)
  return policy.actions[clause.name] or openacc_directives.clauses_of.policy[clause.name] == nil and entry.action
end)

-- ------------------------------------------------------------------------------------------ requests --

-- Action of each clause of update that gives a direction: clause -> action.
local directions = openacc_directives.clauses_where(function(entry) return entry.update and entry.action end)

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

-- Returns a request (requests.lua) for each list item of the data clauses. An absent optional argument of
-- Fortran gets no request; directive.absent is set instead. Raises for a wrong direction of invoke.
local function requests_of(directive, clauses)
  local list, session = {}, directive.session
  local is_absent = session.language.is_absent
  for _, clause in ipairs(clauses) do
    local invoke = clause.name == "invoke"
    local action = data_actions[clause.name]
    if invoke then action = clause.direction and directions[clause.direction.name] end
    local vars = openacc_sema.moves_data(clause, directive.kind) and clause.vars or {}
    if directive.kind == "update" and not invoke then vars = session.language.update_pieces(directive, vars) end
    for _, variable in ipairs(vars) do
      if is_absent and is_absent(session, variable) then
        directive.absent = true
      else
        list[#list + 1] = { clause = clause, action = action, node = variable, kind = directive.kind,
          update = directive.kind == "update", if_present = directive.if_present, flags = flags_of(clause),
          present_or = clause.present_or or policy.requested_actions[clause.name] ~= policy.actions[clause.name] }
      end
    end
  end
  return list
end

openacc_analysis.requests = requests_of

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

-- Changes the request of a[0:n] for a structure a, which is a container: start and length become values of its shape,
-- and the list item becomes a (TR14-5-03). Raises if there is no length, a second subscript, or a shape with arguments.
-- Decides TR14-5-03.
local function enter_container(request)
  local item, shape_node = request.item, request.clause.shape
  local first = item.subscripts[1]
  if item.subscripts[2] or first.tag ~= "section" or not first.length then
    raise("invalid-section", first.pos, "a container's section has a length", { rule = "TR14-5-03" })
  elseif shape_node and shape_node.args then
    raise("duplicate-clause", shape_node.pos, "the section has values already", { rule = "TR14-5-03" })
  end
  request.clause = setmetatable({ shape = { pos = first.pos, name = shape_node and shape_node.name,
    args = shape.section_values(first) } }, { __index = request.clause })
  request.node = item.base
end

-- Analyses the list item of a request (requests.analyse). Raises for errors of the list item, and if attach or detach
-- names no pointer. Decides ACC33-att-5.
local function analyse_request(session, request)
  requests.analyse(session, request)
  local item = request.item
  if item and item.is_container then
    enter_container(request)
    requests.analyse(session, request)
  elseif item and (request.action == "attach" or request.action == "detach") and item.type.kind ~= "pointer" then
    raise("not-a-pointer", request.node.pos, ("'%s' needs a pointer, this is %s"):format(request.action,
      types.name(item.type)), { rule = "ACC33-att-5" })
  end
end

-- Appends requests to those of a directive, after their analysis, and registers each one under its variable.
local function add_requests(directive, list)
  local session = directive.session
  local is_part = session.language.is_part
  for _, request in ipairs(list) do
    analyse_request(session, request)
    local name = list_item.root_variable(request.node)
    if request.action == "attach" or request.action == "detach" then
      if session.language.attaches_variables and request.node.tag == "id" then directive.attached[name] = true end
    elseif name and not (is_part and is_part(session, request.node)) then
      request.registers, directive.named[name] = name, true
    end
    directive.requests[#directive.requests + 1] = request
  end
end

-- --------------------------------------------------------------------------------------- directives --

-- Clauses of declare whose data live until the program ends, so that they are allowed at global scope.
local persistent = openacc_directives.clauses_where(function(entry, clause) return entry.persistent
  and not clause.present_or end)

-- Raises the error for a variable `name` that two declare clauses name.
function openacc_analysis.raise_declared_twice(name, pos)
  raise("duplicate-clause", pos, ("'%s' is in a declare already"):format(name), { length = #name,
    rule = "ACC33-dec-1", help = "keep one of the clauses" })
end

-- Raises if the list `missing`, references to variables that no clause names, is not empty. The error lists all names;
-- its position is the first use in a body of C text, otherwise the construct `node`. requirement: what demands a
-- clause, such as "default(none)"; clause: the clause to write, for the help; rule: rule of the error. Decides
-- ACC33-impl-2.
function openacc_analysis.raise_unlisted(node, missing, requirement, clause, rule)
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

-- Makes scalars that no clause names firstprivate in a Fortran compute construct whose condition is false,
-- so that the host runs it. references: variables that the body uses. Exempt are reduced variables, absent arguments,
-- variables of enclosing regions, and all variables of kernels constructs. Decides ACC33-impl-1.
local function add_own_scalars(directive, references)
  local named = {}
  for _, clause in ipairs(directive.clauses) do
    for _, item in ipairs(clause.vars or {}) do named[list_item.root_variable(item) or ""] = true end
  end
  for _, reference in ipairs(references) do
    local variable, name = directive.session.now.scope:declared_variable(reference), reference.name
    if variable.type.kind == "scalar" and not named[name] and not reference.reduced and not variable.absent
      and not is_kernels(directive.node) and not directive.session:visible(name) then
      directive.private[name] = { attribute = "firstprivate", variable = variable }
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
local function add_implicit(directive, node, references, default)
  local session, missing = directive.session, {}
  for _, reference in ipairs(references) do
    local variable = session.now.scope:declared_variable(reference)
    local t, name = variable.type, reference.name
    -- A use of a member uses *this (TR14-1.1-06).
    if session.now.this and name == "this" then
      if not directive.named.this and default == "none" and not session:visible "this" then
        raise("default-none", node.pos, "default(none), but '*this' is in no clause", { rule = "ACC33-impl-2",
          help = "name 'this[0:1]' in a data clause" })
      elseif not directive.named.this and not session:visible "this" then
        local node_of = list_item.single { tag = "unary", op = "*", pos = node.pos,
          e = { tag = "id", name = "this", pos = node.pos } }
        add_requests(directive, { { action = default == "present" and "present" or "copy", clause = {},
          present_or = true, node = node_of } })
      end
    elseif not directive.named[name] and not directive.private[name] and not directive.deviceptr[name]
      and not directive.attached[name] and not variable.absent then
      local aggregate = t.kind == "record" or t.kind == "array" or t.kind == "descriptor"
      -- A variable that a loop in the body reduces is copied, because the reduction also changes the host's variable.
      -- Scalars of kernels constructs are copied, too (ACC33-impl-1).
      local is_copied = reference.reduced or is_kernels(node) and t.kind == "scalar"
      -- Data that a clause of an enclosing region names are used as they are; the construct does not map them again
      -- (ACC33-impl-3).
      local is_visible = session:visible(name)
      if variable.named_constant then -- ACC33-impl-1
        directive.private[name] = { attribute = "firstprivate", variable = variable }
      elseif default == "none" and not is_visible then
        missing[#missing + 1] = reference
      elseif session:visible_deviceptr(name) then
        directive.deviceptr[name] = variable
      elseif not is_visible and reference.reduced and t.kind == "scalar" and not is_kernels(node)
        and session.rules.loop_reduction == "rejected" then
        refuse_reduced(node, reference)
      elseif not is_visible and not aggregate and not is_copied then
        directive.private[name] = { attribute = "firstprivate", variable = variable }
      elseif not is_visible then
        local request = { action = aggregate and default == "present" and "present" or "copy", clause = {},
          present_or = true, node = { tag = "id", name = name, pos = node.pos } }
        add_requests(directive, { request })
      end
    end
  end
  openacc_analysis.raise_unlisted(node, missing, "default(none)", "a data clause", "ACC33-impl-2")
end

-- Appends copy requests to `list` for variables, elements and sections that a reduction clause names, but whose
-- variable no request names. Raises for types that the operator cannot reduce. Decides ACC33-impl-1.
local function add_reductions(directive, clauses, list)
  local named = {}
  for _, request in ipairs(list) do named[list_item.root_variable(request.node) or ""] = true end
  for _, clause in ipairs(clauses) do
    for _, item in ipairs(clause.name == "reduction" and clause.vars or {}) do
      local name = list_item.root_variable(item)
      local t = directive.session.now.scope:declared_variable({ name = name, pos = item.pos }).type
      if item.tag == "id" and directive.session.language.is_compiled then
        privatization.check_reduced({ op = clause.op, pos = item.pos, name = name, rule = "ACC33-2.5.15-1" }, t, t)
      end
      if not named[name] then
        list[#list + 1] = { action = "copy", present_or = true, clause = {}, node = item, kind = directive.kind,
          flags = 0 }
      end
    end
  end
end

-- Analyses the AST of a directive and returns the typed directive. options: references (variables that the body of a
-- compute construct uses, nil if the body is not known yet or there is none). Raises for errors of the directive.
-- Decides TR14-3.2.2-01, TR14-3.3-01, ACC33-2.6-1, ACC33-2.7-9.
function openacc_analysis.directive(session, node, options)
  local clauses, by_name, kind = openacc_sema.check_directive(node, session.rules, session.language.takes_self)
  local directive = { session = session, node = node, kind = kind, requests = {}, named = {}, attached = {},
    private = {}, deviceptr = {}, use_device = {}, if_present = by_name.if_present, waiting = node.waiting }
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
      directive.condition = clause.e
    elseif clause.name == "self" and kind == "compute" then
      -- If the condition is true, or missing, the construct runs on the host with the host's data (ACC33-2.5.7-1).
      directive.on_self = clause.vars and clause.vars[1] or clause.e or list_item.number(1, clause.pos)
    elseif clause.name == "finalize" then
      directive.finalize = true
    elseif clause.name == "async" then
      directive.async, directive.ordered = clause, true
    elseif clause.name == "wait" then
      directive.ordered = true
      directive.waits = directive.waits or {}
      table.insert(directive.waits, clause)
    elseif clause.name == "num_gangs" or clause.name == "num_workers" or clause.name == "vector_length" then
      directive.sizes = directive.sizes or {}
      for _, e in ipairs(clause.values or { clause.e }) do
        table.insert(directive.sizes, { name = clause.name, e = e })
      end
    elseif clause.name == "default_async" then
      directive.default_async = clause.e
    elseif clause.name == "device_num" then
      directive.device_num = clause.e
    elseif clause.name == "default" then
      default = clause.word
    elseif clause.name == "private" or clause.name == "firstprivate" then
      for _, item in ipairs(clause.vars) do
        directive.private[item.name] = { attribute = clause.name,
          variable = session.now.scope:declared_variable(item) }
      end
    elseif clause.name == "deviceptr" then
      for _, item in ipairs(clause.vars) do
        local variable = session.now.scope:declared_variable(item)
        if variable.type.kind ~= "pointer" then
          raise("not-a-pointer", item.pos, ("'%s' is %s"):format(item.name, types.name(variable.type)),
            { length = #item.name, rule = "ACC33-2.7-9" })
        end
        directive.deviceptr[item.name] = variable
      end
    elseif clause.name == "use_device" then
      for _, item in ipairs(clause.vars) do
        directive.use_device[#directive.use_device + 1] = { variable = session.now.scope:declared_variable(item),
          pos = item.pos }
      end
    end
  end
  if directive.on_self then
    local elsewhere = { tag = "unary", op = "!", pos = directive.on_self.pos, e = directive.on_self }
    directive.condition = directive.condition and { tag = "binary", op = "&&", pos = directive.on_self.pos,
      a = directive.condition, b = elsewhere } or elsewhere
  end
  directive.clauses = session.now.this and qualify_members(session, clauses) or clauses
  -- Fortran computes bounds during lowering. If the condition of a Fortran directive is false, no bound may be
  -- evaluated; therefore the directive ends here, without items.
  if session.language.computes_bounds and directive.condition
    and not session.language.condition(session, directive.condition)() then
    directive.single_use = true
    if options.references then add_own_scalars(directive, options.references) end
    return directive
  end
  if session.rules.members == "held" then
    directive.clauses = convenience.lower(session, directive.kind, directive.clauses, node.name)
  end
  local list = requests_of(directive, directive.clauses)
  -- A link clause maps nothing; a later data clause maps the variable (ACC33-dec-1). Names in a link clause must be
  -- declared.
  for _, clause in ipairs(node.clauses) do
    for _, item in ipairs(clause.name == "link" and clause.vars or {}) do
      session.now.scope:declared_variable(item)
    end
  end
  if kind == "declare" then
    local declared = {}
    for _, request in ipairs(list) do
      local name = list_item.root_variable(request.node)
      if declared[name] then openacc_analysis.raise_declared_twice(name, request.node.pos) end
      declared[name] = true
    end
  end
  directive.default = default
  add_reductions(directive, clauses, list)
  if kind == "compute" then list = session.language.with_roots(directive, list) end
  add_requests(directive, list)
  for _, request in ipairs(list) do
    local name = list_item.root_variable(request.node)
    if directive.private[name] and request.node.tag == "id" then
      raise("conflicting-clauses", request.node.pos, ("'%s' is both private and in a data clause"):format(name),
        { length = #name, rule = "ACC33-2.7-8" })
    end
  end
  if options.references then
    add_implicit(directive, node, options.references, default or session:visible_default())
  end
  return directive
end

return openacc_analysis
