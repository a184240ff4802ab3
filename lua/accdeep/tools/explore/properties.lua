-- properties.lua - checks properties that every program of a vocabulary must have, and collects the smallest
-- counterexamples.
--
-- properties.collect returns the `step` observer of search.lua for `accdeep explore --hold`. Each property is checked
-- after each execution of an action, in one system (transition_system.lua), which executes actions under one profile. A
-- program is a string of action numbers, one byte each. Output: counterexamples, and cases of a scenario that reproduce
-- them.

local search = require "accdeep.tools.explore.search"
local steps = require "accdeep.steps"
local test_program = require "accdeep.tools.explore.test_program"

local properties = {}

-- Returns the state of a system as a table from part (search.parts) to digest, a hash of that part.
local function digests_of(system)
  local list = { system:digests() }
  list[#list + 1] = system:hash_open_regions()
  local digests = {}
  for i, part in ipairs(search.parts) do digests[part] = list[i] end
  return digests
end

-- Returns the first of the parts `parts` in which two states (tables of digests by part) differ, or nil.
local function first_changed(a, b, parts)
  for _, part in ipairs(parts) do
    if a[part] ~= b[part] then return part end
  end
  return nil
end

-- Descriptions of the parts of a state, for messages.
local PART_NAMES = { host = "host memory", present = "what is present", values = "device memory",
  counters = "counters", rest = "what regions and tuples keep", open = "open regions" }

-- Each property is {name, about, check}. check(context) returns a description of the violation, or nil. The order
-- matters: the last two checks ("undone", "order") change the system.
--
-- Fields of the context. `system`: the transition system. `actions`: its actions. `number`: number of the executed
-- action. `code`: code of its error, or nil. `before`, `after`: digests by part. `back()`: restores the state before
-- the action. `has_dynamic`: the program has `enter data` or `exit data`. `alternatives`: numbers of the actions that
-- differ from the executed one only in the order of clauses.
properties.properties = {
  { name = "failed", about = "a construct that fails changes nothing", check = function(c)
    if not c.code or c.code == "limit" or c.actions[c.number].of_host then return nil end
    local part = first_changed(c.before, digests_of(c.system), search.parts)
    return part and ("the word fails (%s), and %s changed"):format(c.code, PART_NAMES[part])
  end },

  { name = "dangling", about = "no attached pointer points to memory that is not present any more", check = function(c)
    if c.code or c.before.counters == c.after.counters then return nil end
    local session = c.system.session
    for device = 0, session.devices - 1 do
      for _, attached in ipairs(session.ctx:attachments(device)) do
        if attached.low == 0 then return ("%s is attached to what is gone"):format(attached.name) end
      end
    end
  end },

  { name = "lists", about = "the directory's lists are those of the paper", check = function(c)
    if c.code or not c.system.session.rules.fusion or c.has_dynamic then return nil end
    return properties.lists(c.system.session)
  end },

  { name = "undone", about = "a region's end undoes its beginning: what is present, and counters", check = function(c)
    if c.code or not steps.opens(c.actions[c.number]) then return nil end
    local code = c.system:close_innermost()
    if code then return ("the end of the region fails (%s)"):format(code) end
    local part = first_changed(c.before, digests_of(c.system), { "present", "counters" })
    return part and ("after the end of the region, %s changed"):format(PART_NAMES[part])
  end },

  { name = "order", about = "the order of clauses decides nothing", check = function(c)
    if #c.alternatives == 0 then return nil end
    for _, other in ipairs(c.alternatives) do
      c.back()
      local code = c.system:step(other)
      -- A directive with two errors may report either of them, therefore the codes themselves are not compared.
      if (code == nil) ~= (c.code == nil) then
        return ("as `%s` the word is %s, not %s"):format(c.actions[other].text, code or "accepted",
          c.code or "accepted")
      end
      local part = first_changed(c.after, digests_of(c.system), { "host", "present", "values", "counters" })
      if part then return ("as `%s` the word gives other %s"):format(c.actions[other].text, PART_NAMES[part]) end
    end
  end },
}

-- -------------------------------------------------------------------------------------- clauses --

-- Returns the name of an action's directive with its own argument, and a list of its clauses as texts. Returns nil if
-- the text has a character that begins no clause, such as in a nest.
local function clauses_of(action)
  local text, list = steps.strip_sentinel(action.kind, action.text), {}
  local name = text:sub(1, #steps.definition(action)[1])
  local at = text:match("^%s*%b()()", #name + 1) or #name + 1
  name = text:sub(1, at - 1)
  while true do
    at = text:match("^[%s,]*()", at)
    if at > #text then return name, list end
    local clause, clause_end = text:match("^([%a_]+%s*%b())()", at)
    if not clause then clause, clause_end = text:match("^([%a_]+)()", at) end
    if not clause then return nil end
    list[#list + 1], at = clause, clause_end
  end
end

-- Returns texts of an action's directive with other orders of clauses: reversed, and with each clause moved to the
-- front. The list is empty if the directive has fewer than two clauses, or a form that clauses_of does not know.
function properties.orders(action)
  local name, list = clauses_of(action)
  if not name or #list < 2 then return {} end
  local texts, listed = {}, { [table.concat(list, " ")] = true }
  -- Adds the text of a directive with this order of clauses, unless the list has it.
  local function add(order)
    local order_text = table.concat(order, " ")
    if not listed[order_text] then texts[#texts + 1] = name .. " " .. order_text end
    listed[order_text] = true
  end
  local reversed = {}
  for i = #list, 1, -1 do reversed[#reversed + 1] = list[i] end
  add(reversed)
  for first = 2, #list do
    local order = { list[first] }
    for i, clause in ipairs(list) do
      if i ~= first then order[#order + 1] = clause end
    end
    add(order)
  end
  return texts
end

-- ---------------------------------------------------------------------------------------- lists --

-- Returns the tuples `list` (entries of a level of the directory, which is the present table of the paper DIR) as byte
-- intervals {low, high, base, alloc}, sorted by address. `alloc`: the tuple owns device memory.
local function intervals(list)
  local byte_intervals = {}
  for i, tuple in ipairs(list) do
    local info = tuple.info
    byte_intervals[i] = { low = info.host, high = info.host + info.bytes, base = tuple.base, alloc = tuple.alloc }
  end
  table.sort(byte_intervals, function(a, b) return a.low < b.low end)
  return byte_intervals
end

-- Computes the fusion of DIR figure 2: joins tuples of a level (`own`) and of the level below it (`below`) while two of
-- them share a base address or overlap. Returns a list of {low, high, bases, alloc, old}, sorted by address. `old`: a
-- part comes from the level below. A joined tuple is an allocation, unless one of its parts comes from the level below,
-- is no allocation there, and covers the whole range.
local function fuse_tuples(own, below)
  local list = {}
  for _, tuple in ipairs(own) do
    list[#list + 1] = { low = tuple.low, high = tuple.high, bases = { tuple.base }, alloc = true }
  end
  for _, tuple in ipairs(below) do
    list[#list + 1] = { low = tuple.low, high = tuple.high, bases = tuple.bases or { tuple.base }, alloc = false,
      old = true }
  end
  -- Returns true if two tuples overlap or share a base address.
  local function meet(a, b)
    if a.low < b.high and b.low < a.high then return true end
    for _, base in ipairs(a.bases) do
      for _, other in ipairs(b.bases) do
        if base == other then return true end
      end
    end
    return false
  end
  -- Returns the joined tuple that covers the tuples `a` and `b`.
  local function join(a, b)
    local low, high = math.min(a.low, b.low), math.max(a.high, b.high)
    local bases = table.move(b.bases, 1, #b.bases, #a.bases + 1, table.move(a.bases, 1, #a.bases, 1, {}))
    local is_alias = low == a.low and high == a.high and a.old and not a.alloc
      or low == b.low and high == b.high and b.old and not b.alloc
    return { low = low, high = high, bases = bases, alloc = not is_alias, old = a.old or b.old }
  end
  local has_joined = true
  while has_joined do
    has_joined = false
    for i = 1, #list do
      for j = i + 1, #list do
        if not has_joined and meet(list[i], list[j]) then
          list[i] = join(list[i], list[j])
          table.remove(list, j)
          has_joined = true
        end
      end
    end
  end
  table.sort(list, function(a, b) return a.low < b.low end)
  return list
end

-- Returns tuples as text, such as "ALLOC [0,8)"; offsets are relative to the address `origin`.
local function text_of(list, origin)
  local parts = {}
  for i, tuple in ipairs(list) do
    parts[i] = ("%s [%d,%d)"):format(tuple.alloc and "ALLOC" or "ALIAS", tuple.low - origin, tuple.high - origin)
  end
  return table.concat(parts, " ")
end

-- Compares each level of the session's directory with the algorithm of the directory paper (DIR). Returns the first
-- difference as a sentence, or nil if there is none. Precondition: the program has no `enter data`, which the paper
-- lacks (DIR-6-01). Decides DIR-4.2-08, DIR-4.2-10.
function properties.lists(session)
  local below = {}
  for i, level in ipairs(session.ctx:levels(session.now.device)) do
    local expected, actual = fuse_tuples(intervals(level.original), below), intervals(level.artificial)
    local origin = actual[1] and actual[1].low or expected[1] and expected[1].low or 0
    local actual_text, expected_text = text_of(actual, origin), text_of(expected, origin)
    if actual_text ~= expected_text then
      return ("level %d has %s, the paper %s"):format(i, actual_text, expected_text)
    end
    below = expected
  end
end

-- ------------------------------------------------------------------------------------ exploring --

-- Returns a list of counterexamples (empty at first), a function that adds a counterexample, and the `step` callback
-- for search.lua. A counterexample is {program, property, what, key}; only the first one per property and directive is
-- kept. Actions with their clauses in other orders are added to `system`, for the property "order".
-- `on_new(counterexample)` is called for each kept counterexample.
function properties.collect(system, actions, on_new)
  local counterexamples, by_key, alternatives, violating = {}, {}, {}, {}
  local families, is_dynamic = {}, {} -- steps.family, and whether it is `enter data` or `exit data`
  -- Returns true if a prefix of the program `text` has violated the property already; `text` is then not reported.
  local function has_violated(property, text)
    for n = 1, #text do
      if violating[property.name .. text:sub(1, n)] then return true end
    end
    return false
  end
  for i, action in ipairs(actions) do
    local definition = steps.definition(action)
    families[i] = steps.family(action)
    is_dynamic[i] = definition ~= nil and (definition.kind == "enter data" or definition.kind == "exit data")
    alternatives[i] = {}
    for _, text in ipairs(definition and properties.orders(action) or {}) do
      local copy = {}
      for key, value in pairs(action) do copy[key] = value end
      copy.text = text
      table.insert(alternatives[i], system:add(copy))
    end
  end
  -- Adds a counterexample, unless there is one with its key.
  local function add(counterexample)
    if by_key[counterexample.key] then return end
    by_key[counterexample.key], counterexamples[#counterexamples + 1] = counterexample, counterexample
    on_new(counterexample)
  end
  return counterexamples, add, function(program_search, text, number, attempt, before)
    local has_dynamic = is_dynamic[number]
    for i = 1, #text do has_dynamic = has_dynamic or is_dynamic[text:byte(i)] end
    local c = { system = system, actions = system.actions, number = number, code = attempt.codes[1], before = {},
      after = {}, has_dynamic = has_dynamic, alternatives = alternatives[number],
      back = function() program_search:back(#text) end }
    for i, part in ipairs(search.parts) do c.before[part], c.after[part] = before.digests[i], attempt.digests[i] end
    for _, property in ipairs(properties.properties) do
      local key = property.name .. " " .. families[number]
      local violation = not has_violated(property, text) and property.check(c)
      if violation then
        local violating_program = text .. string.char(number)
        violating[property.name .. violating_program] = true
        add { program = violating_program, property = property.name, what = violation, key = key }
      end
    end
    return true
  end
end

-- Returns a counterexample as the text of a case under the profile `profile`. `is_own`: `profile` is the scenario's
-- own, therefore the case does not select it.
function properties.case(counterexample, actions, profile, is_own)
  local about
  for _, property in ipairs(properties.properties) do
    if property.name == counterexample.property then about = property.about end
  end
  local family = steps.family(actions[counterexample.program:byte(-1)])
  local title = ("%s, %s: %s"):format(counterexample.property, family, profile)
  local lines = { ("-- %s: %s"):format(about, counterexample.what), ("case(%q, function()"):format(title),
    not is_own and ("  rules %q"):format(profile) or nil }
  local statements = test_program.lines(actions, counterexample.program, true)
  for _, line in ipairs(statements) do lines[#lines + 1] = "  " .. line end
  lines[#lines + 1] = "end)"
  return table.concat(lines, "\n") .. "\n"
end

return properties
