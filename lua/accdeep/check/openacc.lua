-- openacc.lua - whether OpenACC's directives have the clauses that they may have (catalogue/openacc.lua).

local advice = require "accdeep.grammar.advice"
local diagnostic = require "accdeep.base.diagnostic"
local openacc = require "accdeep.catalogue.openacc"
local since = require "accdeep.check.since"
local sorted = require "accdeep.base.sorted"
local words = require "accdeep.base.words"

local raise = diagnostic.raise

local allowed = {}

local set = words.set

-- Clauses that stand once, whatever they say.
local once = openacc.where(function(entry) return entry.once end)

local kinds = {}
for _, directive in ipairs(openacc.directives) do
  if directive.kind ~= "members" then kinds[directive[1]] = directive.kind end
end

-- What a directive is: "compute", "region", "body" for one that stands in bodies alone, ...; nil for shape and policy.
function allowed.kind_of(name) return kinds[name] end

-- The directives that take a clause, by name.
function allowed.directives_with(clause)
  local list = {}
  for name in pairs(kinds) do
    if openacc.of[name][clause] then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

-- Which clauses a directive takes, by the first of their spellings; nil if there are many.
local function taken(node, takes)
  local list = {}
  for name in sorted(takes) do
    if openacc.clause[name] and openacc.clause[name].first == name then list[#list + 1] = name end
  end
  return #list <= 10 and ("%s takes %s"):format(node.name, table.concat(list, ", ")) or nil
end

-- Raises about a clause that a directive does not take.
-- Decides ACC33-2.7-8.
function allowed.refuse_clause(node, clause, takes)
  local name = clause.name
  if openacc.known[name] and openacc.clause[name].entry.takes == "names" then
    raise("clause-not-allowed", clause.pos, ("'%s' belongs to policies"):format(name), { length = #name,
      rule = "TR14-3.3-13", help = ("write it in a nest: invoke<>(X)::{ %s(...) }"):format(name) })
  elseif not openacc.known[name] then
    raise("unknown-clause", clause.pos, ("there is no clause '%s'"):format(name),
      { length = #name, rule = "ACC33-2.7-8", help = advice.clause(name, false, takes, openacc.known) })
  end
  raise("clause-not-allowed", clause.pos, ("'%s' is not allowed on '%s'"):format(name, node.name),
    { length = #name, rule = name == "finalize" and "ACC33-2.6-1" or "ACC33-2.7-8", help = taken(node, takes) })
end

local keys = openacc.where(function(entry) return entry.keys and set(entry.keys) end)

-- The dimension of a gang clause, its argument dim, as a text; nil: it names none (ACC33-2.9-2).
function allowed.dimension(clause)
  return clause.text and clause.text:match "^%(%s*[dD][iI][mM]%s*:%s*(.-)%s*[,)]" or clause.text
    and clause.text:match ",%s*[dD][iI][mM]%s*:%s*(.-)%s*[,)]"
end

-- Raises if a clause lacks its argument, or has one that it does not take.
local function check_argument(clause)
  local name, text = clause.name, clause.text
  local function wrong(message)
    raise("syntax", clause.pos, message:format(name), { length = #name,
      rule = openacc.of.loop[name] and "ACC33-2.9-1" or "ACC33-2.6-1" })
  end
  if clause.kind == "unknown" then wrong "'%s' takes no argument" end -- the grammar knows it without one
  if openacc.clause[name].entry.argument and not text and not clause.e then wrong "'%s' needs an argument" end
  if not text then return end
  local dimension = name == "gang" and allowed.dimension(clause)
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
    elseif part:find "^%s*[%w_]+%s+[%w_]" then
      wrong "expected ',' between arguments of '%s'"
    end
  end
end

allowed.check_argument = check_argument

-- Raises if a directive has a clause that it does not take, or one too often. Returns the names of its clauses.
function allowed.check(node)
  local seen, takes = {}, openacc.of[node.name]
  for _, clause in ipairs(node.clauses) do
    local name = clause.name
    if not takes[name] then allowed.refuse_clause(node, clause, takes) end
    if seen[name] and once[name] then
      raise("duplicate-clause", clause.pos, ("'%s' stands here twice"):format(name),
        { length = #name, rule = "ACC33-2.6-1" })
    end
    check_argument(clause)
    seen[name] = true
  end
  return seen
end

-- The modifiers that a clause has on a directive in a version, as a text; nil: there are none.
local function modifiers_of(clause, directive, version)
  local list = {}
  for name, modifier in sorted(openacc.modifier) do
    local first = (modifier.of[clause] or {})[directive]
    if first and first <= (version or first) then list[#list + 1] = name end
  end
  return list[1] and ("%s on '%s' takes %s"):format(clause, directive, table.concat(list, ", "))
end

-- Raises about a modifier that a data clause does not have, has twice, or has in later versions alone.
-- Decides ACC34-mod-1, ACC34-mod-2.
local function check_modifiers(node, clause, version)
  local seen, first = {}, openacc.clause[clause.name].first
  for _, modifier in ipairs(clause.modifiers) do
    local name, pos = modifier.name, modifier.pos
    local known = openacc.modifier[name]
    local versions = known and known.of[first] or {}
    if not known then
      raise("syntax", pos, ("'%s' is not a modifier of '%s'"):format(name, clause.name), { length = #name,
        rule = "ACC33-2.7-8", help = diagnostic.meant(name, openacc.modifier)
          or modifiers_of(first, node.name, version) })
    elseif not versions[node.name] then
      raise("clause-not-allowed", pos, ("'%s' is not a modifier of '%s' on '%s'"):format(name, clause.name,
        node.name), { length = #name, rule = "ACC34-mod-1", help = modifiers_of(first, node.name, version) })
    elseif seen[name] then
      raise("duplicate-clause", pos, ("'%s' stands here twice"):format(name), { length = #name,
        rule = "ACC34-mod-2", help = "keep one of them" })
    end
    since("openacc", version, versions[node.name], ("the modifier '%s' of '%s'"):format(name, clause.name), pos,
      #name)
    seen[name] = true
  end
end

-- Clauses that lack what they need, or have what is of later versions than the rules.
function allowed.check_forms(node, kind, rules)
  for _, clause in ipairs(node.clauses) do
    local name = clause.name
    local later = openacc.clause[name].entry.since
    if later and later[node.name] then
      since("openacc", rules.openacc, later[node.name], ("'%s' on '%s'"):format(name, node.name), clause.pos, #name)
    end
    if clause.modifiers then
      check_modifiers(node, clause, rules.openacc)
    elseif name == "self" and kind ~= "compute" and not clause.vars then
      raise("syntax", clause.pos + #name, "'self' names variables", { rule = "ACC33-2.7-8" })
    end
  end
end

return allowed
