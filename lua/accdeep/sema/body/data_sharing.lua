-- data_sharing.lua - data-sharing analysis of a construct in a C body: which variables are private copies in it, and
-- which are shared.
--
-- Input: a directive node of a construct in a body, and the analysed statement. Output: the statement itself, or a node
-- private{copies, parts, values, names, body, implicit?, team?, is_named} that backend/privatization.lua compiles:
--   copies    {name, pos, begins, lasts, op, rule}: private variables. begins: true if initialised from the original;
--             lasts: true if the last value is assigned to the original; op: reduction operator that combines it with
--             the original at the end.
--   parts     {item, op, pos, rule}: elements and sections of arrays in reduction clauses of OpenACC.
--   values    expressions of clauses, which are only evaluated and checked.
--   names     other names in clauses, which must be declared.
--   implicit  attribute of variables in no clause: "none", "private", "firstprivate" or "task".
--   is_named  function: true if a clause names the variable.
--   team      true for a parallel or teams region.
--   level     threads that share a copy (backend/iteration_races.lua): 1 those of a team, 2 one thread; nil: unchanged.
--   rule      (in copies and parts) rule that says which types can be reduced.
-- Parameters: `node` is the AST of the directive, `rule` the rule that errors cite, `private_node` the node being made.
-- `attributes` are the variables that clauses name: name -> {clause, copy?}.

local c_effects = require "accdeep.sema.c.c_effects"
local diagnostic = require "accdeep.base.diagnostic"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local openmp_sema = require "accdeep.sema.openmp_sema"
local ast = require "accdeep.base.ast"
local word_set = require "accdeep.base.strings".word_set

local raise = diagnostic.raise

-- The sets below hold clauses by their effect on a variable. own: makes a private copy. combined: combines the copy
-- with the original. begins: initialises the copy from the original. lasts: assigns the copy's last value to the
-- original.
local data_sharing = {}

local own = openmp_directives.clauses_with_attribute "own"
local combined = openmp_directives.clauses_with_attribute "combined"
local begins = openmp_directives.clauses_with_attribute "begins"
local lasts = openmp_directives.clauses_with_attribute "lasts"
-- clauses that determine data sharing
local attribute_clauses = openmp_directives.clauses_where(function(entry) return entry.attribute end)
local defaults = word_set "none shared private firstprivate" -- words of the clause default

-- Returns a new node private{...} for the construct `node` with this body. The second result is the table of
-- attributes, still empty, which the node's function is_named reads.
local function new(node, body)
  local attributes = {}
  return { tag = "private", pos = node.pos, copies = {}, parts = {}, values = {}, names = {}, body = body,
    is_named = function(name) return attributes[name] ~= nil end }, attributes
end

-- Appends to `list` the identifiers in the AST `item`, except those that are keys of `without` (nil: none).
local function add_names(list, item, without)
  ast.visit(item, function(node)
    if node.tag == "id" and not (without and without[node.name]) then list[#list + 1] = node end
  end)
end

-- Raises the error for a list item of a clause that is a part of a variable.
function data_sharing.refuse_part(clause, item)
  raise("unsupported", item.pos, ("'%s' of a part of a variable, in a body"):format(clause.name),
    { help = "name a variable" })
end

-- Returns the variable name of the list item `item`; raises if the list item is not only a variable.
local function name_of(clause, item, rule)
  if item.tag == "id" then return item.name end
  if item.tag == "section" or item.tag == "index" then data_sharing.refuse_part(clause, item) end
  raise("clause-not-allowed", item.pos, ("'%s' takes names of variables"):format(clause.name), { rule = rule })
end

-- Adds a list item of a data-sharing clause to the node: to `copies` if the clause makes a private copy, otherwise to
-- `names`. Raises if another clause names the variable; firstprivate and lastprivate may both name it. Decides
-- OMP60-share-1.
local function add_copy(private_node, attributes, clause, item, rule)
  local name = name_of(clause, item, rule)
  local previous = attributes[name]
  local both = previous and (previous.clause.name == "firstprivate" and clause.name == "lastprivate"
    or previous.clause.name == "lastprivate" and clause.name == "firstprivate")
  if previous and not both then
    raise("conflicting-clauses", item.pos, ("'%s' is in %s already"):format(name, previous.clause.name),
      { length = #name, rule = rule })
  end
  attributes[name] = { clause = clause }
  if not own[clause.name] and not combined[clause.name] then
    private_node.names[#private_node.names + 1] = item
    return
  end
  local copy = both and previous.copy or { name = name, pos = item.pos }
  if not both then private_node.copies[#private_node.copies + 1] = copy end
  attributes[name].copy = copy
  copy.begins = copy.begins or begins[clause.name]
  copy.lasts = copy.lasts or lasts[clause.name]
  if clause.op and clause.name == "reduction" then
    copy.op, copy.rule = clause.op, rule:find "^ACC" and "ACC33-2.5.15-1" or "OMP60-share-2"
  end
  if clause.name == "in_reduction" or clause.name == "task_reduction" then copy.shared = true end
end

-- Returns the AST of the variable of an OpenACC reduction's list item, which is a variable, an element or a section.
-- Raises for other list items. Decides ACC33-2.5.15-1.
function data_sharing.reduction_variable(item)
  local root = item
  while root.tag == "index" or root.tag == "section" do root = root.base end
  if root.tag == "id" then return root end
  raise("clause-not-allowed", item.pos, "'reduction' takes variables, elements and sections of arrays",
    { rule = "ACC33-2.5.15-1", help = root.tag == "member" and "reduce a local variable, and assign it to the member"
      or nil })
end

-- Adds an element or section of an array that an OpenACC reduction names to the node's `parts`. Raises for members of
-- structures.
local function add_part(private_node, clause, item)
  data_sharing.reduction_variable(item)
  private_node.parts[#private_node.parts + 1] = { tag = "reduced_part", item = item, op = clause.op, pos = item.pos,
    rule = "ACC33-2.5.15-1" }
  add_names(private_node.names, item)
end

-- Adds the step of a linear variable to the step of the loop node `loop`, unless the loop's body changes the variable.
local function count_linear(loop, clause, item)
  if c_effects.change_of(item.name, loop.body) then return end
  local step = clause.step or { tag = "num", value = 1, type = "int", pos = item.pos }
  loop.step = { tag = "comma", pos = loop.step.pos, list = { { tag = "assign", pos = item.pos, op = "+=",
    to = { tag = "id", pos = item.pos, name = item.name }, e = step }, loop.step } }
end

-- Adds the steps of the variables in linear clauses of a construct to the step expression of its innermost loop node,
-- `loop`.
function data_sharing.count_linear(node, loop)
  for _, clause in ipairs(node.clauses) do
    for _, item in ipairs(clause.name == "linear" and clause.vars or {}) do count_linear(loop, clause, item) end
  end
end

-- Raises if `word`, {name, pos} of a default clause, is not none, shared, private or firstprivate.
function data_sharing.check_default(word, rule)
  if defaults[word.name] then return end
  raise("clause-not-allowed", word.pos, ("default is none, shared, private or firstprivate, not '%s'"):format(
    word.name), { length = #word.name, rule = rule })
end

-- Raises if `modifier`, of an if clause, is not a constituent construct of the directive. modifier: {name, pos}, or
-- nil.
function data_sharing.check_modifier(node, modifier, rule)
  if not modifier or openmp_sema.is_part(node.name, modifier.name) then return end
  raise("clause-not-allowed", modifier.pos, ("'%s' is not part of '%s'"):format(modifier.name, node.name),
    { length = #modifier.name, rule = rule })
end

-- Adds the variables, values and names of one clause to the node. A clause without variables, values and names is
-- ignored. Raises for wrong list items and words, and for copyin of OpenMP.
local function read_clause(private_node, attributes, node, clause, rule)
  local name = clause.name
  if name == "copyin" and clause.kind == "vars" and rule:find "^OMP" then
    raise("unsupported", clause.pos, "'copyin' needs threadprivate variables, which accdeep does not have",
      { length = #name })
  end
  if attribute_clauses[name] then
    for _, item in ipairs(clause.vars or {}) do
      if name == "reduction" and rule:find "^ACC" and item.tag ~= "id" then
        add_part(private_node, clause, item)
      else
        add_copy(private_node, attributes, clause, item, rule)
      end
    end
    if clause.step then private_node.values[#private_node.values + 1] = clause.step end
  elseif name == "default" and clause.words then
    local word = clause.words[1]
    data_sharing.check_default(word, rule)
    private_node.implicit = word.name
  elseif clause.kind == "expression" and clause.e then
    private_node.values[#private_node.values + 1] = clause.e
    if clause.lower then private_node.values[#private_node.values + 1] = clause.lower end
    data_sharing.check_modifier(node, clause.modifier, rule)
  elseif clause.kind == "vars" then
    for _, item in ipairs(clause.vars) do add_names(private_node.names, item) end
  elseif clause.kind == "depend" then
    local iterators = { omp_all_memory = true }
    for _, iterator in ipairs(clause.modifier and clause.modifier.iterators or {}) do
      iterators[iterator.name] = true
    end
    for _, item in ipairs(clause.items or {}) do add_names(private_node.names, item, iterators) end
  end
end

-- Returns the AST of a construct as one thread executes it: a `private` node, or `body` alone if no clause affects
-- data. counters: private loop counters {name, pos}. Raises for errors of data-sharing clauses. Decides HOUSE-threads.
function data_sharing.construct(node, body, counters, rule)
  local private_node, attributes = new(node, body)
  for _, clause in ipairs(node.clauses) do read_clause(private_node, attributes, node, clause, rule) end
  for _, counter in ipairs(counters) do
    if not attributes[counter.name] then
      attributes[counter.name] = { clause = { name = "the loop" } }
      private_node.copies[#private_node.copies + 1] = counter
    end
  end
  for word in node.name:gmatch "%S+" do
    if word == "parallel" or word == "teams" then
      private_node.team = true
      private_node.level = word == "parallel" and 2 or private_node.level or 1
    end
    if (word == "task" or word == "taskloop") and not private_node.implicit then private_node.implicit = "task" end
  end
  if private_node.implicit == "shared" then private_node.implicit = nil end
  local nothing = not (private_node.copies[1] or private_node.parts[1] or private_node.values[1]
    or private_node.names[1] or private_node.implicit or private_node.team)
  return nothing and body or private_node
end

-- Returns the AST of a directive without a statement. If the directive has names, this is a `private` node, which only
-- requires them to be declared; otherwise it is an empty block.
function data_sharing.standalone(node)
  local private_node, attributes = new(node, { tag = "block", pos = node.pos, list = {} })
  for _, item in ipairs(node.vars or {}) do add_names(private_node.names, item) end
  for _, clause in ipairs(node.clauses) do read_clause(private_node, attributes, node, clause, "OMP60-tgt-1") end
  return #private_node.names > 0 and private_node or private_node.body
end

-- Raises if cache names anything except elements and sections of arrays, or has a modifier other than readonly.
-- is_part: tags of the ASTs of elements and sections, as keys. Decides ACC33-2.10-1.
function data_sharing.check_cache(node, is_part)
  if node.modifier and node.modifier.name ~= "readonly" then
    raise("syntax", node.modifier.pos, ("'%s' is not a modifier of 'cache'"):format(node.modifier.name),
      { length = #node.modifier.name, rule = "ACC33-2.10-1", help = "readonly" })
  end
  for _, item in ipairs(node.vars) do
    if not is_part[item.tag] then
      raise("type-mismatch", item.pos, "'cache' takes elements and sections of arrays", { rule = "ACC33-2.10-1" })
    end
  end
end

local is_part = { section = true, index = true }

-- Returns the AST of a cache directive, a `private` node that only requires the names in it to be declared. Raises if a
-- list item is not an element or section of an array.
function data_sharing.cache(node)
  data_sharing.check_cache(node, is_part)
  local private_node = new(node, { tag = "block", pos = node.pos, list = {} })
  for _, item in ipairs(node.vars) do add_names(private_node.names, item) end
  return private_node
end

return data_sharing
