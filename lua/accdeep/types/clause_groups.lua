-- clause_groups.lua - declare group: named groups of clauses, bound to constructs by scope, by name or by type (LLNL
-- 4). To bind a group to a construct means to add its clauses there. run/ and sema/body/c_body.lua call `apply` before
-- a directive is lowered.
--
-- Clauses of a declare group directive: `name` gives the group a name. bind_all lists the constructs that get the
-- group, bind_type (singular) the types to which the group belongs. Clauses of a construct, or of another group:
-- bind_group names groups; bind_types (plural) names types, or variables, whose groups are added.
--
--   group {name?, name_pos?, clauses, constructs?, types?, record?, location, range, title}
--     clauses     the group's clauses, without name, bind_all and bind_type.
--     constructs  set of the directive names in bind_all; types: list of the types in bind_type.
--     record      type in whose definition the group is declared; nil: declared elsewhere.
--     range       number that is added to all positions of the group's text (RANGE).
--     title       name of the group in messages.
--   scope {outer, names?, list?, state}: the groups that one block of the host program declares.
--     names       name -> group; list: the groups in the order of their declarations.
--     state       number of the set of visible groups; it changes with each declaration, and is a part of the keys of
--                 cached plans.
--   source {action, group?, clauses, origin?}: where clauses of a construct come from.
--     action      "own" for the construct's clauses; "merge", "inherit" or "override" for those of a group.
--     origin      two sources with the same origin come from one directive or group.
--
--   directive + visible groups --sources_of--> sources --join_clauses--> plain directive
--
-- The result has no bind_ clauses: its clauses are those of the construct and of its groups. A clause from a group has
-- the field `group`, and its positions refer to the text of this group (RANGE).

local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local openmp_exclusions = require "accdeep.sema.openmp_exclusions"
local transaction = require "accdeep.types.transaction"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local word_set = require "accdeep.base.strings".word_set

local raise = diagnostic.raise

local clause_groups = {}

local binding = word_set "name bind_all bind_type"
local actions = word_set "merge inherit exclude override"
local openmp_clauses = openmp_directives.clause

-- ------------------------------------------------------------------------------ source locations --

-- Clauses of a group are copied into other texts. To keep their positions distinguishable, the text of each group gets
-- a range of positions that begins at a multiple of RANGE.
local RANGE = 1 << 32
-- Number of a range -> group. Weak, so that groups of closed scopes are freed.
local groups_by_range = setmetatable({}, { __mode = "v" })
local ranges = 0

-- Returns the group whose text contains a position, and the position in this text. The first result is nil or false if
-- the position is nil or belongs to the current text.
local function home_of(pos)
  local group = pos and pos >= RANGE and groups_by_range[pos // RANGE]
  return group, group and pos % RANGE
end

-- Moves an error about a clause of a group to the group's text, with a note about the construct at file:line
-- (LLNL-4-10). Does nothing to other errors. err: error object (base/diagnostic.lua). Decides LLNL-4-10.
function clause_groups.locate(err, file, line)
  local group, pos = home_of(err.pos)
  if not group then return end
  err.pos = pos
  if err.code == "clause-not-allowed" then err.rule = "LLNL-4-10" end
  err.notes = err.notes or {}
  table.insert(err.notes, 1, ("the clause is of %s, bound to the construct at %s:%d"):format(group.title,
    file or "?", line or 0))
  location.locate_error(err, group.location.text, group.location.file, group.location.line)
end

-- Returns the text "file:line:column" for a position in the current text, or in the text of a group. If the file does
-- not contain the text literally, the result is "file:line, text line:column".
local function location_text(session, pos)
  local group, own = home_of(pos)
  local source_location = group and group.location or session:location_of(pos)
  local at = location.locate_error({ pos = own or pos }, source_location.text, source_location.file,
    source_location.line)
  local is_own = at.in_text and at.text_line
  return (is_own and "%s:%d, text %s:%d" or "%s:%d:%s%d"):format(at.file or "?", at.line or 0, is_own or "",
    at.column or 0)
end
clause_groups.written_at = location_text

-- Fields of AST nodes that are positions.
local moved = word_set "pos name_pos word_pos mapper_pos"

-- Returns a copy of the AST `node` with its positions moved by `shift`. replace(node): optional function, called for
-- each node inside; a node that it returns replaces the copy; nil or false: no replacement.
local function copy_tree(node, shift, replace)
  local other = replace and node.tag and replace(node)
  if other then return other end
  local copy = {}
  for key, value in pairs(node) do
    if type(value) == "table" and key ~= "group" then value = copy_tree(value, shift, replace)
    elseif moved[key] then value = value + shift end
    copy[key] = value
  end
  return copy
end

-- ---------------------------------------------------------------------------------------- scopes --

-- Last number that a declaration of a group gave to its scope's field `state`.
local states = 0

-- Returns the innermost open scope of groups of the host program; creates the outermost scope at the first call. The
-- session of a case (one test of a scenario) continues the scopes of its outer session.
local function scope_of(session)
  local scope = session.program.group_scope
  if not scope then
    local outer = session.outer and scope_of(session.outer)
    scope = { outer = outer, state = outer and outer.state or 0 }
    session.program.group_scope = scope
  end
  return scope
end

-- Opens a scope of groups and returns it; the caller passes it to leave_scope at the end of the block.
function clause_groups.enter_scope(session)
  local outer = scope_of(session)
  local scope = { outer = outer, state = outer.state }
  session.program.group_scope = scope
  return scope
end

-- Closes a scope and all scopes inside. Does nothing if the scope is closed already.
function clause_groups.leave_scope(session, scope)
  local at = session.program.group_scope
  while at and at ~= scope do at = at.outer end
  if at then session.program.group_scope = at.outer end
end

-- Registers the undo of a text that fails (transaction.lua): it removes the groups that the text declared, also from
-- the types to which they belong.
transaction.register(function(session)
  -- The outermost scope may not exist yet, because scope_of creates it when it is first needed.
  local scope = session.program.group_scope or {}
  local names, list, state, count = scope.names, scope.list, scope.state, #(scope.list or {})
  local restore_names = names and transaction.save(names)
  local had_no_scope = not session.program.group_scope
  return function()
    local now = session.program.group_scope or scope
    for i = #(now.list or {}), count + 1, -1 do
      local record = now.list[i].record
      local groups = record and record.groups
      if groups then groups[#groups] = nil end
      if groups and #groups == 0 then record.groups = nil end
      now.list[i] = nil
    end
    if restore_names then restore_names() end
    session.program.group_scope = not had_no_scope and scope
    scope.names, scope.list, scope.state = names, list, state
  end
end)

-- Returns the number that identifies the set of visible groups: 0 before any group was declared.
function clause_groups.state(session) return scope_of(session).state end

-- Returns the list of visible groups, those of outer scopes first. If several scopes declare a group of one name, only
-- that of the innermost scope is visible (LLNL-4-15).
local function visible_groups(session)
  local scopes, named, list = {}, {}, {}
  local scope = scope_of(session)
  while scope do
    table.insert(scopes, 1, scope)
    scope = scope.outer
  end
  for _, inner in ipairs(scopes) do
    for name, group in pairs(inner.names or {}) do named[name] = group end
  end
  for _, inner in ipairs(scopes) do
    for _, group in ipairs(inner.list or {}) do
      if not group.name or named[group.name] == group then list[#list + 1] = group end
    end
  end
  return list
end

-- Returns the visible group that `name`, {name, pos}, names. Raises if no group has this name. Decides LLNL-4-15.
local function find(session, name)
  local all, scope = {}, scope_of(session)
  while scope do
    local names = scope.names or {}
    if names[name.name] then return names[name.name] end
    for other in pairs(names) do all[other] = true end
    scope = scope.outer
  end
  raise("unknown-group", name.pos, ("there is no group '%s'"):format(name.name), { length = #name.name,
    rule = "LLNL-4-15", help = diagnostic.suggest(name.name, all) })
end

-- ------------------------------------------------------------------------------------------ types --

-- Returns the type or template that `node`, an argument of bind_type (in declare group) or bind_types (on a construct),
-- names. If the argument names a variable, which only bind_types allows, returns nil and the variable. Raises if no
-- such type exists. Decides LLNL-4-12.
local function bound_type(session, node)
  local spec = node.spec
  local bare = spec.tag == "named" and node.declarator.pointers == 0 and #node.declarator.suffixes == 0
  local scope = session.now.scope
  if bare and scope.variables[spec.name] then return nil, scope.variables[spec.name] end
  if bare and scope.templates[spec.name] then return scope.templates[spec.name] end
  if spec.tag == "record" and not spec.members and not scope.tags[spec.name] then
    raise("unknown-type", node.pos, ("there is no %s '%s'"):format(spec.kind, spec.name), { rule = "LLNL-4-12" })
  end
  return session:type_of(node)
end

-- Returns true if bind_type binds a group to the type t, or to the template of which t is an instance.
local function is_bound(group, t)
  for _, bound in ipairs(group.types or {}) do
    if bound == t or bound == t.template or bound.kind and t.kind and types.same(bound, t) then return true end
  end
  return false
end

-- Returns a copy of a clause of a type's group, for a variable of this type t (LLNL-4-14). `this` becomes the variable,
-- and names of t's members become members of the variable. variable: the variable's name; nil if bind_types names the
-- type itself. Raises at `pos` if `variable` is nil, but the clause names `this` or a member. Decides LLNL-4-14.
local function rebase_on_variable(clause, t, variable, pos)
  return copy_tree(clause, 0, function(node)
    local function object() return { tag = "id", name = variable, pos = node.pos } end
    local base, inner = node.base, node.e
    local is_this = node.tag == "id" and node.name == "this"
    local through = node.tag == "unary" and node.op == "*" and inner.tag == "id" and inner.name == "this"
    local by_arrow = node.tag == "member" and node.arrow and base.tag == "id" and base.name == "this"
    local member = node.tag == "id" and not node.global and types.is_record(t) and types.member(t, node.name)
    if not variable and (is_this or through or by_arrow or member) then
      raise("unknown-name", pos, ("bind_types names a type, but its group says '%s'"):format(member and node.name
        or "this"), { rule = "LLNL-4-14", help = "name a variable of the type" })
    elseif is_this or through then
      return object()
    elseif member then
      return { tag = "member", pos = node.pos, name_pos = node.pos, base = object(), name = node.name }
    elseif by_arrow then
      return { tag = "member", pos = node.pos, name_pos = node.name_pos, base = object(), name = node.name }
    end
  end)
end

-- ------------------------------------------------------------------------------------------ binding --

-- Appends to `sources` the groups that belong to a type. node: AST of an argument of bind_types, which names the type
-- or a variable of the type. excluded: table with a true value for groups that are not added. Raises if the argument
-- names neither a type nor a variable.
local function add_type(session, sources, excluded, node)
  local t, variable = bound_type(session, node)
  local name = variable and variable.name
  t = t or variable.type
  local added = {}
  local function add(group)
    if added[group] or excluded[group] then return end
    added[group] = true
    local clauses = {}
    for i, clause in ipairs(group.clauses) do clauses[i] = rebase_on_variable(clause, t, name, node.pos) end
    sources[#sources + 1] = { group = group, action = "merge", clauses = clauses }
  end
  for _, group in ipairs(t.groups or {}) do add(group) end
  for _, group in ipairs(visible_groups(session)) do
    if is_bound(group, t) then add(group) end
  end
end

-- Returns the action of a bind_group clause, "merge" by default, and the list of groups that it names. Raises if the
-- action or a group does not exist. Decides LLNL-4-04.
local function bound_groups(session, clause)
  local action = clause.action and clause.action.name or "merge"
  if not actions[action] then
    raise("syntax", clause.action.pos, ("'%s' is not an action of %s"):format(action, clause.name), { length = #action,
      rule = "LLNL-4-04", help = diagnostic.suggest(action, actions) or "merge, inherit, exclude, override" })
  end
  local groups = {}
  for i, name in ipairs(clause.names) do groups[i] = find(session, name) end
  return action, groups
end

-- Returns the sources of a directive's clauses, in order: groups that bind_all binds, then the directive's clauses, in
-- which groups replace bind_group and bind_types. Each other clause is a source by itself, which inherits from `own`,
-- {action = "own", origin}. Raises if a binding is wrong. Decides LLNL-4-03, LLNL-4-08.
local function sources_of(session, node, own)
  local excluded, named, bound = {}, {}, {}
  for _, clause in ipairs(node.clauses) do
    if clause.kind == "group" then
      local action, groups = bound_groups(session, clause)
      bound[clause] = { action = action, groups = groups }
      for _, group in ipairs(groups) do
        named[group] = true
        excluded[group] = excluded[group] or action == "exclude"
      end
    end
  end
  local sources = {}
  -- A group that a bind_group clause names is omitted here, because the action of this clause applies instead of
  -- bind_all.
  for _, group in ipairs(visible_groups(session)) do
    if group.constructs and group.constructs[node.name] and not named[group] then
      sources[#sources + 1] = { group = group, action = "merge", clauses = group.clauses }
    end
  end
  for _, clause in ipairs(node.clauses) do
    if bound[clause] then
      for _, group in ipairs(bound[clause].groups) do
        if not excluded[group] then
          sources[#sources + 1] = { group = group, action = bound[clause].action, clauses = group.clauses }
        end
      end
    elseif clause.kind == "types" then
      for _, t in ipairs(clause.types) do add_type(session, sources, excluded, t) end
    else
      sources[#sources + 1] = setmetatable({ clauses = { clause }, origin = own }, { __index = own })
    end
  end
  return sources
end

-- ---------------------------------------------------------------------------------- joining clauses --

-- Returns a list of the sources sorted by precedence: overrides, the last one first; then the construct's own clauses;
-- then merged, at last inherited groups (LLNL-4-05..07, -09). Decides LLNL-4-06, LLNL-4-07, LLNL-4-09.
local function sort_by_precedence(sources)
  local ordered = {}
  for i = #sources, 1, -1 do
    if sources[i].action == "override" then ordered[#ordered + 1] = sources[i] end
  end
  for _, action in ipairs { "own", "merge", "inherit" } do
    for _, source in ipairs(sources) do
      if source.action == action then ordered[#ordered + 1] = source end
    end
  end
  return ordered
end

-- Returns true if a part of source `a` replaces a conflicting part of source `b`: overriding groups replace every other
-- source, and the construct's own clauses replace inherited groups.
local function wins(a, b) return a.action == "override" or a.action == "own" and b.action == "inherit" end

-- Returns the text of a part for messages, with its group. A part is a clause, or one list item of a clause
-- (sema/openmp_exclusions.lua).
local function part_text(part)
  return ("'%s'%s"):format(part.text, part.source.group and " of " .. part.source.group.title or "")
end

-- Raises the error for two parts that exclude each other, `part` and `other`. The error is located at the part that is
-- not from a group; if both parts are from groups, or neither is, at `part`. Decides LLNL-4-05.
local function conflict(session, part, other)
  if part.source.group and not other.source.group then part, other = other, part end
  raise("conflicting-clauses", openmp_exclusions.position(part),
    ("%s conflicts with %s"):format(part_text(part), part_text(other)),
    { rule = "LLNL-4-05",
      notes = { ("the other one is at %s"):format(location_text(session, openmp_exclusions.position(other))) },
      help = part.source.action == "inherit" and other.source.action == "inherit"
      and "bind one of the groups with override:, or exclude: it"
      or "bind the group with inherit: or override:, or exclude: it" })
end

-- Checks a part against other parts, and returns true if it takes effect in addition to those in `claimed`, the
-- effective parts with the same key. A part's key names what it determines; parts with different keys never conflict.
-- Returns false if a part in `claimed` is equal to this part, or replaces it. Raises if a part in `claimed` excludes
-- this part without replacing it.
local function takes_effect(session, part, claimed)
  for _, other in ipairs(claimed) do
    local is_separate = other.source.origin ~= part.source.origin
    if other.text == part.text and (is_separate or part.source.group) then return false end
    if is_separate and openmp_exclusions.clash(other, part) then
      if not wins(other.source, part.source) then conflict(session, part, other) end
      return false
    end
  end
  return true
end

-- Returns the clauses of all sources, in the order of the sources, without parts that other sources replace or repeat.
-- Raises if two sources conflict. Decides LLNL-4-11.
local function join_clauses(session, sources)
  local by_key = {}
  for _, source in ipairs(sort_by_precedence(sources)) do
    source.origin = source.origin or source
    source.effective_parts = {}
    for i, clause in ipairs(source.clauses) do
      local effective = {}
      for _, part in ipairs(openmp_exclusions.clause_parts(clause)) do
        part.source = source
        local claimed = part.key and by_key[part.key] or {}
        if takes_effect(session, part, claimed) then
          effective[#effective + 1] = part
          claimed[#claimed + 1] = part
          if part.key then by_key[part.key] = claimed end
        end
      end
      source.effective_parts[i] = effective
    end
  end
  local clauses = {}
  for _, source in ipairs(sources) do
    for i, clause in ipairs(source.clauses) do
      local effective = source.effective_parts[i]
      if clause.vars and #effective < #clause.vars then
        local vars = {}
        for k, part in ipairs(effective) do vars[k] = part.item end
        clause = ast.copy_with(clause, "vars", vars)
      end
      if #effective > 0 then clauses[#clauses + 1] = clause end
    end
  end
  return clauses
end

-- Returns the word for what a directive binds by its own clauses, cached in node.binds: "nothing", "groups"
-- (bind_group) or "types" (bind_types). The effect of "types" also depends on the visible variables.
local function binds_what(node)
  if not node.binds then
    node.binds = "nothing"
    for _, clause in ipairs(node.clauses) do
      if clause.kind == "types" then node.binds = "types"
      elseif clause.kind == "group" and node.binds == "nothing" then node.binds = "groups" end
    end
  end
  return node.binds
end

-- Returns the directive `node` with its effective clauses, those of groups included; `node` itself if no group applies.
-- Without bind_types, the result is cached in node.applied and reused while the set of visible groups stays the same.
-- Raises if a binding is wrong or clauses conflict. Decides LLNL-4-13.
function clause_groups.apply(session, node)
  local state, binding_kind = scope_of(session).state, binds_what(node)
  if binding_kind == "nothing" and state == 0 then return node end
  if node.applied and node.applied.state == state then return node.applied.node end
  local own = { action = "own" }
  own.origin = own
  local sources = sources_of(session, node, own)
  local bound = binding_kind ~= "nothing"
  for _, source in ipairs(sources) do bound = bound or source.group ~= nil end
  local directive = node
  if bound then
    directive = ast.copy_with(node, "clauses", join_clauses(session, sources))
    directive.written, directive.binds, directive.applied = node, "nothing", nil
  end
  if binding_kind ~= "types" then node.applied = { state = state, node = directive } end
  return directive
end

-- --------------------------------------------------------------------------------------- definition --

-- Raises if by_name, a table of clauses, has the clause's name already; otherwise enters the clause.
local function check_once(by_name, clause)
  if by_name[clause.name] then
    raise("duplicate-clause", clause.pos, ("a group has one '%s'"):format(clause.name), { length = #clause.name,
      rule = "LLNL-4-01" })
  end
  by_name[clause.name] = clause
end

-- Reads the clauses name, bind_all and bind_type of a declare group directive, `node` (LLNL-4-02). Sets name, name_pos,
-- constructs and types in `group`. record: the type that contains the directive, or nil. Raises if such a clause is
-- wrong or duplicated, or if nothing binds the group. Decides LLNL-4-01, LLNL-4-02.
local function read_bindings(session, node, record, group)
  local by_name = {}
  for _, clause in ipairs(node.clauses) do
    if binding[clause.name] then check_once(by_name, clause) end
    if clause.name == "name" then
      if #clause.names > 1 then
        raise("syntax", clause.names[2].pos, "a group has one name", { rule = "LLNL-4-01" })
      end
      group.name, group.name_pos = clause.names[1].name, clause.names[1].pos
    elseif clause.name == "bind_all" and record then
      raise("clause-not-allowed", clause.pos, "a group inside a type is bound to the type", { length = #clause.name,
        rule = "LLNL-4-12" })
    elseif clause.name == "bind_all" then
      group.constructs = {}
      for _, construct in ipairs(clause.names) do group.constructs[construct.name] = true end
    elseif clause.name == "bind_type" then
      group.types = {}
      for i, t in ipairs(clause.types) do
        local target, variable = bound_type(session, t)
        if variable then
          raise("unknown-type", t.pos, ("'%s' is a variable"):format(variable.name), { length = #variable.name,
            rule = "LLNL-4-12", help = "bind_types on a construct takes variables" })
        end
        group.types[i] = target
      end
    end
  end
  if not next(by_name) and not record then
    raise("syntax", node.pos + #node.name, "a group has a name, or is bound by bind_all or bind_type",
      { rule = "LLNL-4-01" })
  end
end

-- Stores all clauses of a declare group directive, `node`, except name, bind_all and bind_type in group.clauses, with
-- positions in the group's range. Groups that bind_group or bind_types name are looked up now and replaced by their
-- clauses. Raises if a clause does not exist or excludes a group.
local function read_clauses(session, node, group)
  local clauses = {}
  for _, clause in ipairs(node.clauses) do
    local name = clause.name
    if clause.kind == "group" and clause.action and clause.action.name == "exclude" then
      raise("clause-not-allowed", clause.action.pos, "'exclude' is for constructs", { length = #"exclude",
        rule = "LLNL-4-08" })
    elseif not openmp_clauses[name] then
      raise("unknown-clause", clause.pos, ("there is no clause '%s'"):format(name), { length = #name,
        rule = "LLNL-4-01", help = diagnostic.suggest(name, openmp_clauses) })
    elseif not binding[name] then
      clauses[#clauses + 1] = clause
    end
  end
  local inner = clause_groups.apply(session, { tag = "directive", name = node.name, pos = node.pos, clauses = clauses })
  for i, clause in ipairs(inner.clauses) do
    if not clause.group then
      clause = copy_tree(clause, group.range)
      clause.group = group
    end
    group.clauses[i] = clause
  end
end

-- Returns true if two locations are equal: the same position in the same text. A template's group is declared again for
-- each instance, at the same location, and this is no duplicate.
local function same_text(a, b) return a.text == b.text and a.file == b.file and a.line == b.line and a.pos == b.pos end

-- Executes a declare group directive, `node`: enters the group into the innermost scope, and forgets cached plans,
-- which were made without the group. record: the type that contains the directive, or nil. Raises, and enters nothing,
-- if the directive is wrong or the scope has a group of this name.
function clause_groups.define(session, node, record)
  ranges = ranges + 1
  local source_location = session:location_of(node.pos)
  local group = { location = source_location, range = ranges * RANGE, clauses = {} }
  read_bindings(session, node, record, group)
  group.title = group.name and ("the group '%s'"):format(group.name)
    or record and ("the group of %s"):format(types.name(record)) or "a group without name"
  read_clauses(session, node, group)
  local scope = scope_of(session)
  scope.names, scope.list = scope.names or {}, scope.list or {}
  local previous = group.name and scope.names[group.name]
  if previous and not (record and record.template and same_text(previous.location, source_location)) then
    raise("duplicate-name", group.name_pos, ("there is a group '%s' in this scope already"):format(group.name),
      { length = #group.name, rule = "LLNL-4-15",
        notes = { "the other one is at " .. location_text(session, previous.range + previous.name_pos) } })
  end
  groups_by_range[ranges] = group
  if group.name then scope.names[group.name] = previous or group end
  if record then
    record.groups = record.groups or {}
    table.insert(record.groups, previous or group)
    group.record = record
  end
  table.insert(scope.list, group)
  states = states + 1
  scope.state = states
  session:forget_plans() -- cached plans were made without the group
end

return clause_groups
