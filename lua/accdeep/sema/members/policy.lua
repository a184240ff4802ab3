-- policy.lua - checks the policy directive (TR14 3.2), which gives each member of a type an action, and stores it as a
-- layer.
--
-- Input: the AST of a policy directive, or the clauses of a nest after invoke. Output: a layer, stored in the session
-- under the policy's name. run/type_directives.lua and nest.lua call it.
--
--   layer {name?, names?, kind, default, default_pos, use, shape?, members = {name -> entry}, params?, location}
--     kind     "data", "update", or nil for a policy that copies nothing and serves both.
--     names    list of {name, pos, clause?}: the names under which the policy is stored.
--     default  word of the clause default, default_pos: its position. use: list of {name, pos}, the policies on which
--              this policy builds.
--     shape    name of the shape whose layers the policy uses.
--     entry    {mode, action?, requested_action?, inner, subscripts, outer, pos}; mode: "exclude", "act" or "invoke".
--     action   action of the core by name, such as "copy"; nil for exclude, invoke and update.
--     requested_action  word of the action with its flags, such as "pcopy" (copy that keeps present data) or
--                       "update_and_copy".
--     inner    shape or policy of the objects inside, as a clause names it: result of shape.brackets.
--     outer    true if names in the subscripts keep their meaning outside of the nest (convenience.lua).
--
-- A *word* of an action is a text: the action's name, with a prefix for flags ("p", "present_and_", "update_and_"). For
-- OpenMP, modifiers precede it: "always_in require_present copyin". lowering/action_words.lua translates it for the
-- core.

local diagnostic = require "accdeep.base.diagnostic"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local shape = require "accdeep.sema.members.shape"
local types = require "accdeep.types"

local raise = diagnostic.raise

local policy = {}

-- Data clauses that a policy may have. actions: name of the clause -> action. requested_actions: name -> word of the
-- action. A word begins with "p" if the clause keeps present data, as in "pcopy".
policy.actions, policy.requested_actions = {}, {}
for name, clause in pairs(openacc_directives.clause) do
  local entry, first = clause.entry, clause.first
  if entry.takes == "vars" and openacc_directives.clauses_of.policy[name] then
    local word = clause.present_or and "p" .. first or first
    policy.actions[name], policy.requested_actions[name] = first, word
  end
end

-- Modifiers of OpenMP maps that may precede an action's word (mapper.lua), in this order.
policy.modifiers = { "always_in", "always_out", "require_present", "finalize", "attach_always", "attach_never" }

-- Tables for clauses of a policy. others: names of the clauses that are not data clauses, as keys. defaults: words of
-- the clause default -> kind of policy that they imply ("data", "update"); true if a word allows both kinds.
local others = openacc_directives.clauses_where(function(entry, clause)
  return openacc_directives.clauses_of.policy[clause.name] and not policy.actions[clause.name] and not entry.wish
end)
local defaults = openacc_directives.clauses_where(function(entry, clause)
  return clause.name == clause.first and entry.default and "data"
end)
defaults.none, defaults.exclude, defaults.update = true, true, "update"

-- Raises if the name of a clause is not allowed in a policy, or does not exist. An extension's clause is allowed if the
-- profile has the extension (shape.is_wished). Decides TR14-3.2.1-02, TR14-3.2.1-12, TR14-4.3-08.
local function check_clause(session, clause)
  if policy.actions[clause.name] or others[clause.name] or shape.is_wished(session, clause) then return end
  if clause.name == "include" or clause.name == "init_needed" then
    raise("clause-not-allowed", clause.pos, ("'%s' belongs to shapes"):format(clause.name),
      { length = #clause.name, rule = "TR14-3.2.1-02", help = "a data clause that names the member includes it" })
  elseif openacc_directives.clause_names[clause.name] then
    raise("clause-not-allowed", clause.pos, ("'%s' is not allowed in a policy"):format(clause.name),
      { length = #clause.name, rule = "TR14-3.2.1-12" })
  end
  raise("unknown-clause", clause.pos, ("a policy has no clause '%s'"):format(clause.name),
    { length = #clause.name, rule = "TR14-3.2.1-02",
      help = shape.extension_help(clause) or diagnostic.suggest(clause.name, others)
        or diagnostic.suggest(clause.name, policy.actions) })
end

-- Returns the name under which the policy for a clause's action is stored, "for " and the action (TR14-5-09).
function policy.default_for(action) return "for " .. action end

-- Raises if neither a record nor its base classes have a policy `name`. pos: position of the name. Decides
-- TR14-3.2.2-02, TR14-3.2.2-04.
function policy.require_known(session, record, name, pos)
  if session:policy_named(record, name) then return end
  local is_shape = session:shapes_of(record)[name]
  raise("unknown-policy", pos, ("%s has no policy '%s'"):format(types.name(record), name),
    { length = #name, rule = "TR14-3.2.2-02",
      help = is_shape and ("'%s' is a shape: the clause has the direction: copy<%s>(...)"):format(name, name)
        or diagnostic.suggest(name, session:policy_names(record)) })
end

-- Raises if clause_names, a set, has the clause's name already; otherwise adds the name. Decides TR14-3.2.1-10,
-- TR14-3.2.1-14.
local function check_once(clause_names, clause)
  if clause_names[clause.name] then
    raise("duplicate-clause", clause.pos, ("a policy has one %s"):format(clause.name),
      { length = #clause.name, rule = clause.name == "shape" and "TR14-3.2.1-10" or "TR14-3.2.1-14" })
  end
  clause_names[clause.name] = true
end

-- Sets the kind of a policy's layer, "data" or "update". Raises if the layer has the other kind already
-- (TR14-3.2.1-07); word, pos: the clause or word that implies the kind. Decides TR14-3.2.1-07.
local function set_kind(layer, kind, pos, word)
  if layer.kind and layer.kind ~= kind then
    raise("clause-not-allowed", pos, ("this is %s policy: '%s' is not allowed"):format(
      layer.kind == "data" and "a data" or "an update", word), { length = #word, rule = "TR14-3.2.1-07" })
  end
  layer.kind = kind
end

-- Enters a member that a clause names into a layer. item: the list item (shape.lua); enclosing_type: the type that
-- encloses the policy, or nil; its own policies are not looked up, because they may be declared later. Raises if the
-- member is wrong, or if the shape or policy for its objects is missing or does not exist. For invoke, the invoked
-- policy may set the layer's kind. Decides TR14-3.2.4-01, TR14-3.2.4-02.
local function enter_member(session, record, layer, clause, item, enclosing_type)
  local member, args = shape.enter(session, record, layer, clause, item)
  local entry = { mode = clause.name == "exclude" and "exclude" or "act", action = policy.actions[clause.name],
    requested_action = policy.requested_actions[clause.name], pos = item.pos, outer = item.outer,
    subscripts = not args and #item.subscripts > 0 and item.subscripts or nil }
  if clause.name == "invoke" then
    entry.mode = "invoke"
    local element = types.innermost(member.type)
    if not types.is_record(element) then
      raise("not-a-struct", item.pos, ("'%s' has no structure type, so it has no policies"):format(item.name),
        { length = #item.name, rule = "TR14-3.2.4-02" })
    end
    if not (clause.shape and clause.shape.name) and not clause.nest and not args then
      raise("unknown-policy", clause.pos, "'invoke' names a policy, or has a nest",
        { length = #"invoke", rule = "TR14-3.3-14" })
    end
    if clause.shape and clause.shape.name and element.complete and element ~= enclosing_type
      and not shape.is_parameter(layer, clause.shape.name) then
      policy.require_known(session, element, clause.shape.name, clause.shape.pos)
      local kind = session:policies_of(element)[clause.shape.name].kind
      if kind then set_kind(layer, kind, clause.pos, clause.name) end
    end
  end
  entry.inner = shape.inner(member, item, clause)
  if args then entry.inner = { pos = item.pos, args = args, name = entry.inner and entry.inner.name } end
  if entry.inner and entry.inner.name and entry.mode == "act" and types.innermost(member.type).complete
    and not shape.is_parameter(layer, entry.inner.name) then
    shape.require_known(session, types.innermost(member.type), entry.inner.name, entry.inner.pos)
  end
  layer.members[item.name] = entry
end

-- Returns the layer of a list of clauses. kind: "data" or "update", the kind of directive around a nest; nil for a
-- policy directive. enclosing_type: the type that encloses the policy, or nil; its policies are not looked up, because
-- they may be declared later. Raises if a clause is not allowed, duplicated, of the wrong kind, has a direction, or
-- names a wrong member. Also raises for an unknown word in default, and for a shape that does not exist. Decides
-- TR14-3.2.1-03, TR14-3.3-13.
function policy.layer(session, record, clauses, kind, enclosing_type)
  local layer = { members = {}, use = {}, kind = kind }
  local clause_names = {}
  for _, clause in ipairs(clauses) do
    check_clause(session, clause)
    if clause.name == "with" then layer.params = shape.parameters(clause) end
    if clause.direction then
      raise("syntax", clause.direction.pos, "a policy's clauses are directions themselves",
        { length = #clause.direction.name, rule = "TR14-5-07" })
    end
    shape.check_brackets(clause, clause.name ~= "exclude")
    if clause.name == "default" then
      check_once(clause_names, clause)
      local sort = defaults[clause.word]
      if not sort then
        raise("clause-not-allowed", clause.word_pos, ("a policy's default is a data clause's name, update, "
          .. "none or exclude, not '%s'"):format(clause.word),
          { length = #clause.word, rule = "TR14-3.2.1-03" })
      end
      if sort ~= true then set_kind(layer, sort, clause.word_pos, clause.word) end
      layer.default, layer.default_pos = clause.word, clause.pos
    elseif clause.name == "shape" then
      check_once(clause_names, clause)
      if #clause.names ~= 1 then
        raise("syntax", clause.names[2].pos, "a policy builds on one shape", { rule = "TR14-3.2.1-10" })
      end
      layer.shape = clause.names[1].name
      shape.require_known(session, record, layer.shape, clause.names[1].pos)
    elseif clause.name == "with" or clause.name == "for" then
      check_once(clause_names, clause)
    elseif clause.name == "use" then
      for _, used in ipairs(clause.names) do layer.use[#layer.use + 1] = used end
    elseif clause.name == "update" then
      set_kind(layer, "update", clause.pos, clause.name)
    elseif policy.actions[clause.name] then
      set_kind(layer, "data", clause.pos, clause.name)
    end
    for _, item in ipairs(clause.members or {}) do
      enter_member(session, record, layer, clause, item, enclosing_type)
    end
  end
  return layer
end

-- Checks the policies that a layer uses, directly and indirectly, and returns the layer's kind. A layer without a kind
-- gets that of a used policy. visited: set of the layers on the current chain of uses. Raises if a used policy does not
-- exist, has another kind, or uses the layer in turn. Decides TR14-3.2.1-09.
local function check_use(session, record, layer, visited)
  visited[layer] = true
  for _, used in ipairs(layer.use) do
    policy.require_known(session, record, used.name, used.pos)
    local other = session:policy_named(record, used.name)
    if visited[other] then
      raise("recursive-type", used.pos, ("policy '%s' uses itself"):format(used.name),
        { length = #used.name, rule = "TR14-3.2.1-09" })
    end
    local kind = session:with_location(other.location, check_use, session, record, other, visited)
    if kind and layer.kind and kind ~= layer.kind then
      raise("clause-not-allowed", used.pos, ("'%s' is %s policy"):format(used.name,
        kind == "data" and "a data" or "an update"), { length = #used.name, rule = "TR14-3.2.1-09" })
    end
    layer.kind = layer.kind or kind
  end
  visited[layer] = nil
  return layer.kind
end

-- Raises if a policy that a layer uses does not exist, has another kind, or uses the layer. Sets the layer's kind from
-- them if it has no kind.
function policy.check(session, record, layer)
  check_use(session, record, layer, {})
end

-- Executes a policy directive, `node`: stores its layer in the session under its name and, with the clause `for`, under
-- the names of policy.default_for. record: the enclosing type, or nil. Returns the described type and the layer, which
-- nest.check_policy must check next. Raises if the directive is wrong or a name is taken; it then stores nothing.
-- Decides TR14-3.2.1-01.
function policy.define(session, node, record)
  local default_for
  for _, clause in ipairs(node.clauses) do
    if clause.name == "for" and shape.is_wished(session, clause) then default_for = clause end
  end
  if not node.argument and not default_for then
    raise("syntax", node.pos + #"policy", "a policy has a name", { rule = "TR14-3.2.1-01" })
  end
  if #node.clauses == 0 then
    raise("syntax", node.pos + #"policy", "a policy has at least one clause", { rule = "TR14-3.2.1-01" })
  end
  for _, clause in ipairs(node.clauses) do shape.no_nest(session, clause) end
  local target = shape.target(session, node, record)
  local policies, names = session:policies_of(target), {}
  if node.argument then names[1] = { name = node.argument.name, pos = node.argument.pos } end
  -- The clause `for` gives the policy a name for each action that it lists (TR14-5-09).
  for _, word in ipairs(default_for and default_for.names or {}) do
    if not policy.actions[word.name] then
      raise("unknown-clause", word.pos, ("'%s' is not a data clause"):format(word.name), { length = #word.name,
        rule = "TR14-5-09" })
    end
    names[#names + 1] = { name = policy.default_for(policy.actions[word.name]), pos = word.pos, clause = word.name }
  end
  for _, entry in ipairs(names) do
    if policies[entry.name] then
      raise("duplicate-name", entry.pos, ("%s has a policy %s already"):format(types.name(target),
        entry.clause and "for " .. entry.clause or "'" .. entry.name .. "'"), { rule = "TR14-3.1.1-10" })
    end
  end
  local layer = policy.layer(session, target, node.clauses, nil, record)
  layer.name, layer.names, layer.location = names[1].name, names, session:location_of(node.pos)
  for _, entry in ipairs(names) do policies[entry.name] = layer end
  session:has_described(target, layer)
  return target, layer
end

return policy
