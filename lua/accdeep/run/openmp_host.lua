-- openmp_host.lua - executes OpenMP constructs of the host (parallel, teams, for, simd, task, ...) by one thread.
--
-- A single thread runs the whole construct: shared variables and reductions use the originals. Private variables have
-- other memory while the body runs (host_privatization.lua), which C text, the host view of a Lua body, and nested
-- directives use. Private memory is undefined until it is written; reading it earlier is an error (HOUSE-threads).
-- openmp_execution.lua calls check and construct.
--
-- Parameters: `node` is the AST of the construct with the clauses in effect, `sharing` the result of read_attributes. A
-- copy, the record of a private variable, is {variable, pos, begins, lasts} (host_privatization.run).

local diagnostic = require "accdeep.base.diagnostic"
local openmp_sema = require "accdeep.sema.openmp_sema"
local clause_groups = require "accdeep.types.clause_groups"
local kernel = require "accdeep.run.kernel"
local data_sharing = require "accdeep.sema.body.data_sharing"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local list_item = require "accdeep.sema.c.list_item"
local host_privatization = require "accdeep.run.host_privatization"
local openmp_exclusions = require "accdeep.sema.openmp_exclusions"
local types = require "accdeep.types"
local word_set = require "accdeep.base.strings".word_set

local raise = diagnostic.raise

local openmp_host = {}

-- ----------------------------------------------------------------------------------- the clauses --

-- Sets of data-sharing clauses by their effect. attributes: all such clauses. copied: clauses that make private copies.
-- begins: clauses that initialise the copies from the originals. lasts: clauses that assign the last values to the
-- originals.
local attributes = openmp_directives.clauses_where(function(entry) return entry.attribute end)
local copied = openmp_directives.clauses_with_attribute "own"
local begins = openmp_directives.clauses_with_attribute "begins"
local lasts = openmp_directives.clauses_with_attribute "lasts"

-- Returns true if a reduction can combine values of type `t` or, for an array or pointer, its elements or target. These
-- must be numbers, or structures whose only member has such a type (LLNL-4-14).
local function reducible(t)
  while t.kind == "array" or t.kind == "pointer" or t.kind == "descriptor" do t = t.of or t.to end
  if t.kind == "record" then return t.complete and #t.members == 1 and reducible(t.members[1].type) end
  return t.kind == "scalar" or t.kind == "complex"
end

-- Returns the variable of a list item. In reductions, a list item may also be a section or member. Raises for other
-- list items, and if the variable is not declared or, in a reduction, has a type that cannot be reduced.
local function variable_of(session, clause, item)
  local is_section = clause.op and (item.tag == "section" or item.tag == "member")
  local name = is_section and list_item.root_variable(item)
  local id = item.tag == "id" and item or name and { tag = "id", name = name, pos = item.pos }
  if clause.op and item.tag == "index" then
    raise("unsupported", item.pos, ("an element of an array in '%s'"):format(clause.name))
  elseif not id then
    raise("clause-not-allowed", item.pos, ("'%s' takes names of variables%s"):format(clause.name,
      clause.op and " and sections of them" or ""), { rule = "HOUSE-threads" })
  end
  local variable = session.now.scope:declared_variable(id)
  if clause.op and not reducible(is_section and list_item.element_type(session, item) or variable.type) then
    raise("type-mismatch", item.pos, ("%s cannot be reduced: it is not a number"):format(types.name(variable.type)),
      { length = #id.name, rule = "LLNL-4-14" })
  end
  return variable
end

-- Returns the attributes that the clauses give to variables: {named, copies, list, default, default_pos}. named: name
-- -> part, the record of one list item of a clause (openmp_exclusions.clause_parts). copies: name -> copy; list: the
-- copies in order; default: {name, pos} of the default clause. Raises for conflicting clauses.
local function read_attributes(session, node)
  local sharing = { named = {}, copies = {}, list = {} }
  for _, clause in ipairs(node.clauses) do
    for _, part in ipairs(attributes[clause.name] and openmp_exclusions.clause_parts(clause) or {}) do
      local variable = variable_of(session, clause, part.item)
      local name = variable.name
      local previous = sharing.named[name]
      if previous and (previous.text == part.text or openmp_exclusions.clash(previous, part)) then
        raise("conflicting-clauses", part.item.pos, ("'%s' is in %s already"):format(name, previous.clause.name),
          { length = #name, rule = "HOUSE-threads",
            notes = { "the other one is at " .. clause_groups.written_at(session, previous.item.pos) } })
      end
      sharing.named[name] = part
      if copied[clause.name] then
        local copy = sharing.copies[name] or { variable = variable, pos = part.item.pos }
        if not sharing.copies[name] then sharing.list[#sharing.list + 1] = copy end
        sharing.copies[name] = copy
        copy.begins = copy.begins or begins[clause.name]
        copy.lasts = copy.lasts or lasts[clause.name]
      end
    end
    if clause.name == "default" then sharing.default, sharing.default_pos = clause.words[1], clause.pos end
  end
  if sharing.default then data_sharing.check_default(sharing.default, "HOUSE-threads") end
  return sharing
end

-- Evaluates the numbers and conditions in clauses, and raises if one has no valid value. With one thread, the values
-- have no effect.
local function check_values(session, node)
  for _, clause in ipairs(node.clauses) do
    if clause.name == "if" then
      data_sharing.check_modifier(node, clause.modifier, "HOUSE-threads")
      session.language.condition(session, clause.e)()
    elseif clause.kind == "expression" then
      session.language.integer(session, clause.e)
    end
  end
end

-- ---------------------------------------------------------------------------------------- loops --

local loops = word_set "for do simd distribute loop taskloop"

-- Returns the counters {variable, lasts} of a loop construct's loops, which are private without a clause; an empty list
-- for other constructs. The clause collapse gives the number of nested loops; without it, the number is 1. body: AST of
-- the statement. On simd, the counters' last values are copied to the originals.
local function loop_variables(session, node, body)
  local depth = 0
  for word in node.name:gmatch "%S+" do depth = loops[word] and 1 or depth end
  for _, clause in ipairs(node.clauses) do
    if clause.name == "collapse" and depth > 0 then depth = math.tointeger(tonumber(clause.text:match "%d+")) or 1 end
  end
  local counters = session.language.counters(session, depth, body)
  for _, counter in ipairs(counters) do counter.lasts = node.name:find "simd$" ~= nil end
  return counters
end

-- Returns all private copies: of variables in clauses, of `counters`, and of variables in no clause that
-- default(private) or default(firstprivate) makes private. counters: list of {variable, lasts} from loop_variables;
-- references: variables that the body uses. Raises if default(none) requires a variable in a clause.
local function add_unnamed(session, node, sharing, counters, references)
  local copies, covered = table.move(sharing.list, 1, #sharing.list, 1, {}), {}
  for _, counter in ipairs(counters) do
    covered[counter.variable.name] = true
    if not sharing.named[counter.variable.name] then copies[#copies + 1] = counter end
  end
  local default = sharing.default and sharing.default.name or "shared"
  for _, reference in ipairs(default ~= "shared" and references or {}) do
    local name = reference.name
    if not sharing.named[name] and not covered[name] then
      if default == "none" then
        raise("default-none", node.pos, ("default(none), but '%s' is in no clause"):format(name),
          { length = #node.name, rule = "HOUSE-threads", help = ("say shared(%s), or what else it is"):format(name),
            notes = { "default(none) is at " .. clause_groups.written_at(session, sharing.default_pos) } })
      end
      covered[name] = true
      copies[#copies + 1] = { variable = session.now.scope:declared_variable(reference),
        begins = default == "firstprivate" }
    end
  end
  return copies
end

-- ---------------------------------------------------------------------------------------- running --

-- Checks a construct of the host before its body is known; raises for errors of the clauses. Returns the attributes
-- that its clauses give to variables, as read_attributes describes.
function openmp_host.check(session, node)
  openmp_sema.check(node, session.rules.openmp)
  return read_attributes(session, node)
end

-- Checks a construct and returns its private copies (see the head of this file). body: AST of the construct's
-- statement; used: variables that the body uses. Raises for errors of the clauses.
function openmp_host.copies(session, node, body, used)
  return add_unnamed(session, node, openmp_host.check(session, node), loop_variables(session, node, body), used)
end

-- Returns the function (body, where) that runs the body of a host construct. location: {text, file, line} of the
-- directive; refs: text of its references, or nil; where: {file, line} of the body. The directive is checked at once;
-- raises for errors.
function openmp_host.construct(session, node, location, refs)
  local sharing = openmp_host.check(session, node)
  local references = kernel.references(session, refs, location.file, location.line)
  local construct = { node = node, on = "host", location = location }
  return function(body, where)
    local tree, used = kernel.read_body(session, body, where, references, construct)
    session:with_text(location.text, location.file, location.line, function()
      local copies = add_unnamed(session, node, sharing, tree and loop_variables(session, node, tree) or {}, used)
      check_values(session, node)
      local plan = { node = node, clauses = node.clauses, items = {}, openmp = true, private = {},
        location = location }
      for _, copy in ipairs(copies) do plan.private[copy.variable.name] = copy end
      local notify_end = session.observers.construct and session.observers.construct(session, plan)
      local inside = clause_groups.enter_scope(session)
      local function run() kernel.run_on_host(session, plan, body, tree, where, true) end
      local ok, err
      if #copies > 0 then ok, err = pcall(host_privatization.run, session, copies, run)
      else ok, err = pcall(run) end
      clause_groups.leave_scope(session, inside)
      if notify_end then notify_end() end
      if not ok then error(err, 0) end
    end)
  end
end

return openmp_host
