-- openacc_sema.lua - semantic checks of OpenACC directives that need no run-time values: clauses, their arguments and
-- modifiers, by the table definitions/openacc_directives.lua.
--
-- Input: the AST of a directive (syntax/openacc_syntax.lua). Output: its clauses for the default device. Invariant: the
-- AST is not changed. Called by sema/clauses/openacc_analysis.lua, sema/body/ and run/.

local advice = require "accdeep.syntax.advice"
local diagnostic = require "accdeep.base.diagnostic"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local version_checks = require "accdeep.sema.version_checks"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise

local openacc_sema = {}

local word_set = strings.word_set

-- Clauses that may occur once.
local unique = openacc_directives.clauses_where(function(entry) return entry.unique end)

-- Returns the names of the directives, except shape and policy, that take the clause called `clause`, as a sorted list;
-- empty for an unknown clause.
function openacc_sema.directives_with(clause)
  local list = {}
  for _, entry in ipairs(openacc_directives.directives) do
    local name = entry[1]
    if entry.kind ~= "members" and openacc_directives.clauses_of[name][clause] then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

-- Returns a sentence with the clauses that the directive `node` takes, without synonyms; nil if there are more than
-- ten. takes: names of all clauses that the directive takes, as keys.
local function accepted_clauses(node, takes)
  local list = {}
  for name in sorted_pairs(takes) do
    if openacc_directives.clause[name] and openacc_directives.clause[name].first == name then list[#list + 1] = name end
  end
  return #list <= 10 and ("%s takes %s"):format(node.name, table.concat(list, ", ")) or nil
end

-- Raises the error for a clause that the directive `node` does not take. takes: names of the clauses that the directive
-- takes, as keys. Decides ACC33-2.7-8.
function openacc_sema.refuse_clause(node, clause, takes)
  local name = clause.name
  if openacc_directives.clause_names[name] and openacc_directives.clause[name].entry.takes == "names" then
    raise("clause-not-allowed", clause.pos, ("'%s' belongs to policies"):format(name), { length = #name,
      rule = "TR14-3.3-13", help = ("write it in a nest: invoke<>(X)::{ %s(...) }"):format(name) })
  elseif not openacc_directives.clause_names[name] then
    raise("unknown-clause", clause.pos, ("there is no clause '%s'"):format(name),
      { length = #name, rule = "ACC33-2.7-8",
        help = advice.clause(name, false, takes, openacc_directives.clause_names) })
  end
  raise("clause-not-allowed", clause.pos, ("'%s' is not allowed on '%s'"):format(name, node.name),
    { length = #name, rule = name == "finalize" and "ACC33-2.6-1"
    or "ACC33-2.7-8", help = accepted_clauses(node, takes) })
end

local keys = openacc_directives.clauses_where(function(entry) return entry.keys and word_set(entry.keys) end)

-- Returns the argument `dim` of a gang clause as text; nil or false if the clause has no such argument (ACC33-2.9-2).
function openacc_sema.dimension(clause)
  return clause.text and clause.text:match "^%(%s*[dD][iI][mM]%s*:%s*(.-)%s*[,)]" or clause.text
    and clause.text:match ",%s*[dD][iI][mM]%s*:%s*(.-)%s*[,)]"
end

-- Returns the first clause called `name` in `clauses`; nil if there is none.
local function clause_named(clauses, name)
  for _, clause in ipairs(clauses) do
    if clause.name == name then return clause end
  end
  return nil
end

-- Raises if the construct `node` has a reduction over gangs of several dimensions: its gang clause has dim 2 or 3, or
-- num_gangs has several numbers. Several numbers count only if `node` has a gang clause, or is parallel. compute: the
-- compute construct with num_gangs, which encloses `node` or is `node` itself. Decides ACC33-2.9.11-2.
function openacc_sema.check_reduction(node, compute)
  local clauses = openacc_sema.default_device_clauses(node)
  local reduction, gang = clause_named(clauses, "reduction"), clause_named(clauses, "gang")
  if not reduction then return end
  local sizes = clause_named(openacc_sema.default_device_clauses(compute), "num_gangs")
  local dimension = gang and tonumber(openacc_sema.dimension(gang) or 1) or 1
  local several = sizes and sizes.values and sizes.values[2] and (gang or node.name == "parallel")
  if dimension == 1 and not several then return end
  raise("conflicting-clauses", reduction.pos, dimension > 1 and ("'reduction' on a loop of gangs of dimension %d")
    :format(dimension) or "'reduction', where gangs have several dimensions", { length = #reduction.name,
    rule = "ACC33-2.9.11-2", help = dimension == 1 and "num_gangs with one number" or "gang without dim" })
end

-- Returns the arguments of gang, worker or vector: key -> text, in which each inner parenthesis is replaced by 0. An
-- argument without a key counts as num, or as length for vector. Raises if a key occurs twice.
function openacc_sema.arguments(clause)
  local list, name = {}, clause.name
  local flat = (clause.text or ""):sub(2, -2):gsub("%b()", "0")
  for part in flat:gmatch "[^,]+" do
    local key, value = part:match "^%s*([%a_][%w_]*)%s*:%s*(.*)$"
    key = key and key:lower() or name == "vector" and "length" or "num"
    if list[key] then
      raise("syntax", clause.pos, ("'%s' has '%s:' twice"):format(name, key), { length = #name, rule = "ACC33-2.9-1" })
    end
    list[key] = value or part
  end
  return list
end

-- Raises if a clause lacks a required argument, or has an argument that it does not take. Also raises for an empty
-- argument, an unknown key, a missing comma, a wrong dim of gang, and a size of tile below 1.
local function check_argument(clause)
  local name, text = clause.name, clause.text
  -- Raises the error for a wrong argument. message: has %s in place of the clause's name.
  local function wrong(message)
    raise("syntax", clause.pos, message:format(name), { length = #name,
      rule = openacc_directives.clauses_of.loop[name] and "ACC33-2.9-1" or "ACC33-2.6-1" })
  end
  -- The grammar knows this clause only without an argument, so its kind is "unknown" if it has one.
  if clause.kind == "unknown" then wrong "'%s' takes no argument" end
  local has_argument = text or clause.e or clause.values
  if openacc_directives.clause[name].entry.argument and not has_argument then wrong "'%s' needs an argument" end
  if not text then return end
  local dimension = name == "gang" and openacc_sema.dimension(clause)
  if dimension and not dimension:find "^[123]$" and (tonumber(dimension) or dimension:find "^[-+]") then
    raise("syntax", clause.pos, ("'gang' has the dimensions 1, 2 and 3, not %s"):format(dimension),
      { length = #name, rule = "ACC33-2.9-2", help = "gang(dim: 1), gang(dim: 2) or gang(dim: 3)" })
  end
  local flat = text:sub(2, -2):gsub("%b()", "0")
  for part in (flat .. ","):gmatch "([^,]*)," do
    local key, value = part:match "^%s*([%a_][%w_]*)%s*:%s*(.*)$"
    if not (value or part):find "%S" then wrong "an argument of '%s' is empty" end
    if key and keys[name] and not keys[name][key:lower()] then
      wrong(("'%%s' knows no '%s:'"):format(key))
    elseif name == "tile" and (part:find "^%s*%-" or math.tointeger(tonumber(part)) == 0) then
      wrong "a size of '%s' is a positive number or an asterisk"
    elseif part:find "^%s*[%w_]+%s+[%w_]" then
      wrong "expected ',' between arguments of '%s'"
    end
  end
end

openacc_sema.check_argument = check_argument

-- True for the clause device_type, also under its short name dtype.
local function is_device_type(clause) return clause.name == "device_type" or clause.name == "dtype" end

-- Raises the error for a clause that may not follow device_type. specific: names of the clauses that may follow, as
-- keys. Decides ACC33-2.4-1.
local function refuse_specific(clause, specific)
  local list = {}
  for name in sorted_pairs(specific) do list[#list + 1] = name end
  raise("clause-not-allowed", clause.pos, ("'%s' may not follow 'device_type'"):format(clause.name),
    { length = #clause.name, rule = "ACC33-2.4-1", help = ("write it before device_type; %s may follow"):format(
      table.concat(list, ", ")) })
end

-- Raises if the directive `node` has a clause that it does not take, has a clause too often, or has a wrong argument of
-- a clause (check_argument). Also raises for a clause that may not follow device_type. Returns the names of the
-- directive's clauses as keys.
function openacc_sema.check(node)
  local names, takes, specific = {}, openacc_directives.clauses_of[node.name], openacc_directives.specific[node.name]
  local group, follows = {}, false -- names of the clauses since the last device_type; true after a device_type
  for _, clause in ipairs(node.clauses) do
    local name = clause.name
    if not takes[name] then openacc_sema.refuse_clause(node, clause, takes) end
    if specific and is_device_type(clause) then
      group, follows = {}, true
    elseif follows and not specific[name] then
      refuse_specific(clause, specific)
    end
    if group[name] and unique[name] then
      raise("duplicate-clause", clause.pos, ("'%s' stands here twice"):format(name),
        { length = #name, rule = "ACC33-2.6-1" })
    end
    check_argument(clause)
    names[name], group[name] = true, true
  end
  return names
end

-- Returns a list of lists: the clauses of `node` that apply to each device type. The first list is for devices that no
-- device_type names, the others are in the order of the device_type clauses. A clause after device_type replaces
-- clauses of its name before the first device_type. Decides ACC33-2.4-1.
function openacc_sema.clauses_by_device(node)
  local defaults, lists, of_others = {}, {}, {}
  local group
  for _, clause in ipairs(node.clauses) do
    if openacc_directives.specific[node.name] and is_device_type(clause) then
      group = {}
      lists[#lists + 1] = group
      if (clause.text or ""):find "^%(%s*%*%s*%)$" then of_others = group end
    else
      local list = group or defaults
      list[#list + 1] = clause
    end
  end
  if not group then return { node.clauses } end
  table.insert(lists, 1, of_others)
  for i, own in ipairs(lists) do
    local replaced, list = {}, {}
    for _, clause in ipairs(own) do replaced[clause.name] = true end
    for _, clause in ipairs(defaults) do
      if not replaced[clause.name] then list[#list + 1] = clause end
    end
    lists[i] = table.move(own, 1, #own, #list + 1, list)
  end
  return lists
end

-- Returns the clauses of `node` that apply to devices that no device_type names. All devices of this implementation are
-- such devices.
function openacc_sema.default_device_clauses(node) return openacc_sema.clauses_by_device(node)[1] end

-- Returns a sentence with the modifiers that a clause has on a directive in a version (nil: in any); nil or false if it
-- has no modifiers. clause, directive: names.
local function modifiers_of(clause, directive, version)
  local list = {}
  for name, modifier in sorted_pairs(openacc_directives.modifier) do
    local first = (modifier.since[clause] or {})[directive]
    if first and first <= (version or first) then list[#list + 1] = name end
  end
  return list[1] and ("%s on '%s' takes %s"):format(clause, directive, table.concat(list, ", "))
end

-- Raises for a modifier that a data clause of `node` does not take, has twice, or takes only in later versions than
-- `version` (nil: any). Decides ACC34-mod-1, ACC34-mod-2.
local function check_modifiers(node, clause, version)
  local names, first = {}, openacc_directives.clause[clause.name].first
  for _, modifier in ipairs(clause.modifiers) do
    local name, pos = modifier.name, modifier.pos
    local definition = openacc_directives.modifier[name]
    local versions = definition and definition.since[first] or {}
    if not definition then
      raise("syntax", pos, ("'%s' is not a modifier of '%s'"):format(name, clause.name), { length = #name,
        rule = "ACC33-2.7-8", help = diagnostic.suggest(name, openacc_directives.modifier)
          or modifiers_of(first, node.name, version) })
    elseif not versions[node.name] then
      raise("clause-not-allowed", pos, ("'%s' is not a modifier of '%s' on '%s'"):format(name, clause.name,
        node.name), { length = #name, rule = "ACC34-mod-1", help = modifiers_of(first, node.name, version) })
    elseif names[name] then
      raise("duplicate-clause", pos, ("'%s' stands here twice"):format(name), { length = #name,
        rule = "ACC34-mod-2", help = "keep one of them" })
    end
    version_checks("openacc", version, versions[node.name], ("the modifier '%s' of '%s'"):format(name, clause.name),
      pos,
      #name)
    names[name] = true
  end
end

-- Raises if num_gangs has more numbers than the construct `node` has dimensions of gangs, or a constant below 1.
-- Decides ACC33-2.5.10-1.
local function check_gangs(node, clause)
  local most = openacc_directives.directive(node.name).construct == "kernels" and 1 or 3
  local wrong = clause.values[most + 1]
  local message = most == 1 and "'num_gangs' takes one number in kernels" or "'num_gangs' takes one to three numbers"
  for _, e in ipairs(clause.values) do
    if not wrong and e.tag == "num" and (tonumber(e.value) or 1) < 1 then
      wrong, message = e, "at least one gang executes a construct"
    end
  end
  if wrong then raise("syntax", wrong.pos, message, { rule = "ACC33-2.5.10-1" }) end
end

-- Raises if a clause or modifier of `node` is from a later version than the rules, a modifier is wrong, or num_gangs
-- has wrong numbers. Also raises for self without variables outside of compute constructs, and for a reduction over
-- several dimensions of gangs. kind: of the directive; rules: the rule profile.
function openacc_sema.check_forms(node, kind, rules)
  if kind == "compute" then openacc_sema.check_reduction(node, node) end
  for _, clause in ipairs(node.clauses) do
    local name = clause.name
    local versions = openacc_directives.clause[name].entry.since
    if versions and versions[node.name] then
      version_checks("openacc", rules.openacc, versions[node.name], ("'%s' on '%s'"):format(name, node.name),
        clause.pos, #name)
    end
    if clause.values then check_gangs(node, clause) end
    if clause.modifiers then
      check_modifiers(node, clause, rules.openacc)
    elseif name == "self" and kind ~= "compute" and not clause.vars then
      raise("syntax", clause.pos + #name, "'self' names variables", { rule = "ACC33-2.7-8" })
    end
  end
end

-- ---------------------------------------------------------------------- directives outside of bodies --

-- Raises if a list item of a clause is not just the name of a variable.
function openacc_sema.check_names(clause)
  for _, item in ipairs(clause.vars or {}) do
    if item.tag ~= "id" then
      raise("syntax", item.pos, ("'%s' takes names of variables"):format(clause.name))
    end
  end
end

local data_clauses = openacc_directives.clauses_where(function(entry, clause)
  local of_policy = openacc_directives.clauses_of.policy[clause.name]
  return of_policy and (entry.takes == "vars" or entry.takes == "invoke") or not of_policy and entry.action
end)

-- Returns true if a clause names data to be mapped, updated or unmapped. kind: operation of its directive. `self` does
-- so on update only.
function openacc_sema.moves_data(clause, kind)
  return (clause.name ~= "self" or kind == "update") and data_clauses[clause.name] ~= nil
end

-- Raises if a directive may occur only elsewhere, or has a name in parentheses.
local function check_place(node, kind)
  if kind == "body" then
    raise("region-nesting", node.pos,
      ("'%s' is allowed only in the text of a compute construct's body"):format(node.name),
      { length = #node.name, rule = "ACC33-2.9-1" })
  elseif kind == "declaration" then
    raise("clause-not-allowed", node.pos, ("'%s' stands among declarations"):format(node.name),
      { length = #node.name, rule = "ACC33-2.15-1", help = "write the directive in the text of declare" })
  elseif node.argument then
    raise("syntax", node.argument.pos, ("'%s' takes no name"):format(node.name))
  end
end

-- Sets of clauses: those that may have a shape, <...>, or a nest; those of update that give a direction; those whose
-- list items are names.
local takes_shape = openacc_directives.clauses_where(function(entry, clause)
  return openacc_directives.clauses_of.policy[clause.name] and entry.takes == "vars" or entry.update
    or entry.takes == "invoke"
end)
local directions = openacc_directives.clauses_where(function(entry) return entry.update end)
local takes_names = word_set "private firstprivate deviceptr use_device link"

-- Raises if the clause invoke of an update has no valid direction, or that of another construct has one. Decides
-- TR14-3.2.3-01.
local function check_direction(clause, kind)
  local direction = clause.direction
  if kind == "update" and not (direction and directions[direction.name]) then
    raise("syntax", direction and direction.pos or clause.pos, "a policy updates in a direction: invoke<p>(self: X) or "
      .. "invoke<p>(device: X)", { length = direction and #direction.name or #clause.name, rule = "TR14-3.2.3-01" })
  elseif kind ~= "update" and direction then
    raise("syntax", direction.pos, "a direction is for update", { length = #direction.name, rule = "TR14-3.2.3-01" })
  end
end

-- Raises if a clause self of a compute construct is the second one, has several conditions, or is not supported by the
-- language. takes_self: the language supports it; is_second: the construct has another one. Decides ACC33-2.5.7-1.
local function check_self(clause, takes_self, is_second)
  if not takes_self then
    raise("unsupported", clause.pos, "'self' on a compute construct", { length = 4 })
  elseif is_second then
    raise("duplicate-clause", clause.pos, "'self' stands here twice", { length = 4, rule = "ACC33-2.6-1" })
  elseif clause.vars and clause.vars[2] then
    raise("syntax", clause.vars[2].pos, "'self' takes one condition", { rule = "ACC33-2.5.7-1" })
  end
end

-- Raises if a list item of a reduction on a compute construct is no variable, element or section of an array. Decides
-- ACC33-2.5.15-1.
local function check_reduced(clause)
  for _, item in ipairs(clause.vars) do
    local root = item
    while root.tag == "index" or root.tag == "section" or root.tag == "reference" or root.tag == "unary" do
      root = root.base or root.e
    end
    if root.tag ~= "id" then
      raise("clause-not-allowed", item.pos, "'reduction' takes variables, elements and sections of arrays",
        { rule = "ACC33-2.5.15-1" })
    end
  end
end

-- Raises if the list of a clause is not one that the directive takes. private: names of the variables in private and
-- firstprivate clauses before this one, as keys; those of this clause are added.
local function check_list(clause, kind, private)
  if (clause.shape or clause.nest) and not takes_shape[clause.name] then
    raise("clause-not-allowed", (clause.shape or clause.nest).pos, ("'%s' takes no %s"):format(clause.name,
      clause.shape and "shape" or "nest"), { rule = clause.shape and "TR14-3.1.2-02" or "TR14-3.3-02" })
  end
  for _, item in ipairs(kind == "declare" and clause.vars or {}) do
    if item.tag ~= "id" then
      raise("syntax", item.pos, "'declare' takes names of variables", { rule = "ACC33-dec-1" })
    end
  end
  if takes_names[clause.name] then openacc_sema.check_names(clause) end
  local is_pointer = clause.name == "attach" or clause.name == "detach"
  for _, item in ipairs(is_pointer and clause.vars or {}) do
    local base = item
    while base.tag == "index" do base = base.base end
    if base.tag == "section" or base.tag == "alias" then
      raise("not-a-pointer", item.pos, ("'%s' takes the pointer itself, not a section of it"):format(clause.name),
        { rule = "ACC33-att-5" })
    end
  end
  local is_private = clause.name == "private" or clause.name == "firstprivate"
  for _, item in ipairs(is_private and clause.vars or {}) do
    if private[item.name] then
      raise("conflicting-clauses", item.pos, ("'%s' is private already"):format(item.name),
        { length = #item.name, rule = "ACC33-2.7-8" })
    end
    private[item.name] = true
  end
end

-- Examples of clauses for help texts: kind of a directive -> clause. Kinds without an entry use copyin(x).
local examples = { ["exit data"] = "delete(x)", update = "self(x)" }

-- Raises if a directive lacks a clause that it needs. clauses: those for the default device; by_name: names of all its
-- clauses, as keys. Decides ACC33-2.6-1, ACC33-hd-1, ACC33-set-1.
local function check_missing(node, entry, clauses, by_name)
  local kind, has_data = entry.kind, by_name.link or by_name.deviceptr
  for _, clause in ipairs(clauses) do
    has_data = has_data or clause.vars and openacc_sema.moves_data(clause, kind)
  end
  local at = node.pos + #node.name
  if kind == "host data" and not by_name.use_device then
    raise("syntax", at, "'host_data' needs a use_device clause", { rule = "ACC33-hd-1" })
  elseif kind == "set" and not (by_name.default_async or by_name.device_num or by_name.device_type
    or by_name.dtype) then
    raise("syntax", at, "'set' needs default_async, device_num or device_type", { rule = "ACC33-set-1" })
  elseif not has_data and (entry.needs_data or kind == "region" and not by_name.default) then
    raise("syntax", at, ("'%s' needs at least one data clause"):format(node.name), { rule = "ACC33-2.6-1",
      help = ("name the data: %s %s"):format(node.name, examples[kind] or "copyin(x)") })
  end
end

-- Raises for the errors of a directive outside of bodies that its text shows. Returns its clauses for the default
-- device, the names of all its clauses as keys, and its kind. rules: the rule profile; takes_self: true if compute
-- constructs of the language take self.
function openacc_sema.check_directive(node, rules, takes_self)
  local entry = openacc_directives.directive(node.name)
  local kind = entry.kind
  check_place(node, kind)
  local by_name = openacc_sema.check(node)
  openacc_sema.check_forms(node, kind, rules)
  local clauses, private, has_self = openacc_sema.default_device_clauses(node), {}, false
  for _, clause in ipairs(clauses) do
    check_list(clause, kind, private)
    if clause.name == "self" and kind == "compute" then
      check_self(clause, takes_self, has_self)
      has_self = true
    elseif clause.name == "default" and clause.word ~= "none" and clause.word ~= "present" then
      raise("clause-not-allowed", clause.word_pos, ("default is none or present here, not '%s'"):format(clause.word),
        { length = #clause.word, rule = "ACC33-impl-2" })
    elseif clause.name == "invoke" then
      check_direction(clause, kind)
    elseif clause.name == "reduction" then
      check_reduced(clause)
    end
  end
  check_missing(node, entry, clauses, by_name)
  return clauses, by_name, kind
end

return openacc_sema
