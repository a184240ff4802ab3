-- openacc.lua - OpenACC's directives: what kind of construct each is, and which clauses it takes.

local advice = require "accdeep.grammar.advice"
local diagnostic = require "accdeep.base.diagnostic"
local directive = require "accdeep.grammar.openacc"

local raise = diagnostic.raise

local allowed = {}

local function set(...)
  local s = {}
  for _, list in ipairs { ... } do
    for name in list:gmatch "%S+" do s[name] = true end
  end
  return s
end

local entries = [[copyin create pcopyin pcreate present_or_copyin present_or_create present_and_copyin
  update_and_copy invoke]]
local region = entries .. [[ copy copyout no_create present deviceptr attach pcopy pcopyout
  present_or_copy present_or_copyout default if async wait]]
local private = " private firstprivate reduction self"
local sizes = " num_gangs num_workers vector_length"
local compute = region .. " device_type dtype"
local loop = " gang worker vector seq independent auto collapse tile private reduction"

local directives = {
  ["data"] = { kind = "region", clauses = set(region) },
  ["enter data"] = { kind = "enter data", clauses = set(entries, "attach if async wait") },
  ["exit data"] = { kind = "exit data",
    clauses = set "copyout delete detach invoke finalize if async wait" },
  ["update"] = { kind = "update",
    clauses = set "self host device invoke if if_present async wait device_type dtype" },
  ["parallel"] = { kind = "compute", clauses = set(compute, private, sizes) },
  ["serial"] = { kind = "compute", clauses = set(compute, private) },
  ["kernels"] = { kind = "compute", clauses = set(compute, sizes, "self") },
  ["parallel loop"] = { kind = "compute", clauses = set(compute, private, sizes, loop) },
  ["serial loop"] = { kind = "compute", clauses = set(compute, private, loop) },
  ["kernels loop"] = { kind = "compute", clauses = set(compute, sizes, loop, "self") },
  ["loop"] = { kind = "body", clauses = set(loop, "device_type dtype") },
  ["atomic"] = { kind = "body", clauses = set "read write update capture if" },
  ["cache"] = { kind = "body", clauses = {} },
  ["routine"] = { kind = "declaration", clauses = set "gang worker vector seq bind nohost device_type dtype" },
  ["set"] = { kind = "set", clauses = set "device_num default_async if device_type dtype" },
  ["wait"] = { kind = "wait", clauses = set "async if" },
  ["init"] = { kind = "init", clauses = set "device_num device_type dtype if" },
  ["shutdown"] = { kind = "shutdown", clauses = set "device_num device_type dtype if" },
  ["end data"] = { kind = "end data", clauses = {} },
  ["host_data"] = { kind = "host data", clauses = set "use_device if if_present" },
  ["end host_data"] = { kind = "end host data", clauses = {} },
  ["declare"] = { kind = "declare",
    clauses = set "copy copyin copyout create present deviceptr device_resident link" },
}

-- Clauses of policies that a directive has only in nests.
local of_policies = set "use shape"

-- Clauses that stand once, whatever they say.
local once = set "if finalize if_present default async device_num default_async read write update capture"

allowed.directives, allowed.set = directives, set

-- What a directive is: "compute", "region", "body" for one that stands in bodies alone, ...; nil for shape and policy.
function allowed.kind_of(name) return directives[name] and directives[name].kind end

-- The directives that take a clause, by name.
function allowed.directives_with(clause)
  local list = {}
  for name, what in pairs(directives) do
    if what.clauses[clause] then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

-- Raises about a clause that a directive does not take.
function allowed.refuse_clause(node, clause, takes)
  local name = clause.name
  if of_policies[name] then
    raise("clause-not-allowed", clause.pos, ("'%s' belongs to policies"):format(name), { length = #name,
      rule = "TR14-3.3-13", help = ("write it in a nest: invoke<>(X)::{ %s(...) }"):format(name) })
  elseif not directive.known[name] then
    raise("unknown-clause", clause.pos, ("there is no clause '%s'"):format(name),
      { length = #name, rule = "ACC33-2.7-8", help = advice.clause(name, false, takes, directive.known) })
  end
  raise("clause-not-allowed", clause.pos, ("'%s' is not allowed on '%s'"):format(name, node.name),
    { length = #name, rule = name == "finalize" and "ACC33-2.6-1" or "ACC33-2.7-8" })
end

local needs_argument = set("if device_num default_async collapse tile device_type dtype bind", sizes)
local keys = { gang = set "num dim static", worker = set "num", vector = set "length" }

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
      rule = directives.loop.clauses[name] and "ACC33-2.9-1" or "ACC33-2.6-1" })
  end
  if clause.kind == "unknown" then wrong "'%s' takes no argument" end -- the grammar knows it without one
  if needs_argument[name] and not text and not clause.e then wrong "'%s' needs an argument" end
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
  local seen, takes = {}, directives[node.name].clauses
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

-- Modifiers of data clauses that later versions have (3.0: zero; 2.7: readonly; 3.4: the others).
local modifiers = set "readonly zero capture always alwaysin alwaysout"

-- Clauses that are understood and not carried out, or lack what they need.
function allowed.check_forms(node, kind)
  for _, clause in ipairs(node.clauses) do
    local modifier, name = clause.modifier, clause.name
    if clause.kind == "vars" and modifier then
      local near = diagnostic.closest(modifier.name, modifiers)
      if modifiers[modifier.name] then
        raise("unsupported", modifier.pos, ("the modifier '%s' of '%s'"):format(modifier.name, name),
          { length = #modifier.name })
      end
      raise("syntax", modifier.pos, ("'%s' is no modifier of '%s'"):format(modifier.name, name),
        { length = #modifier.name, rule = "ACC33-2.7-8", help = near and ("did you mean '%s'?"):format(near) })
    elseif name == "self" and kind ~= "compute" and not clause.vars then
      raise("syntax", clause.pos + #name, "'self' names variables", { rule = "ACC33-2.7-8" })
    end
  end
end

return allowed
