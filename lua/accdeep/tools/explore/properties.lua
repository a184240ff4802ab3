-- properties.lua - properties that all programs of a vocabulary must have, and the smallest programs that do not.

local test_program = require "accdeep.tools.explore.test_program"
local search = require "accdeep.tools.explore.search"

local properties = {}

-- The parts of a state, of one world, as a table.
local function digests_of(world)
  local list = { world:digests() }
  list[#list + 1] = world:hash_open_regions()
  local shown = {}
  for i, part in ipairs(search.parts) do shown[part] = list[i] end
  return shown
end

-- The first part in which two states differ, of some.
local function first_changed(a, b, parts)
  for _, part in ipairs(parts) do
    if a[part] ~= b[part] then return part end
  end
  return nil
end

local PARTS_IN_WORDS = { host = "host memory", present = "what is present", values = "device memory",
  counters = "counters", rest = "what regions and tuples keep", open = "open regions" }

-- Each property: {name, about, check = function(context) -> what is wrong, or nil}. context: {world, words, word, code
-- (of the word's error, or nil), before and after (digests by part), back (makes the world what it was before the
-- word), has_dynamic (the program has enter data or exit data), alternatives (numbers of words: the word with its
-- clauses in other orders)}. The checks come in this order: those that change the world come last.
properties.properties = {
  { name = "failed", about = "a construct that fails changes nothing", check = function(c)
    if not c.code or c.code == "limit" or c.words[c.word].of_host then return nil end
    local part = first_changed(c.before, digests_of(c.world), search.parts)
    return part and ("the word fails (%s), and %s changed"):format(c.code, PARTS_IN_WORDS[part])
  end },

  { name = "dangling", about = "no attached pointer points to memory that is not present any more", check = function(c)
    if c.code or c.before.counters == c.after.counters then return nil end
    local session = c.world.session
    for device = 0, session.devices - 1 do
      for _, attached in ipairs(session.ctx:attachments(device)) do
        if attached.low == 0 then return ("%s is attached to what is gone"):format(attached.name) end
      end
    end
  end },

  { name = "lists", about = "the directory's lists are those of the paper", check = function(c)
    if c.code or not c.world.session.rules.fusion or c.has_dynamic then return nil end
    return properties.lists(c.world.session)
  end },

  { name = "undone", about = "a region's end undoes its beginning: what is present, and counters", check = function(c)
    if c.code or not test_program.opens(c.words[c.word]) then return nil end
    local code = c.world:close_innermost()
    if code then return ("the end of the region fails (%s)"):format(code) end
    local part = first_changed(c.before, digests_of(c.world), { "present", "counters" })
    return part and ("after the end of the region, %s changed"):format(PARTS_IN_WORDS[part])
  end },

  { name = "order", about = "the order of clauses decides nothing", check = function(c)
    if #c.alternatives == 0 then return nil end
    for _, other in ipairs(c.alternatives) do
      c.back()
      local code = c.world:step(other)
      if (code == nil) ~= (c.code == nil) then -- of two errors any may be reported
        return ("as `%s` the word is %s, not %s"):format(c.words[other].text, code or "accepted", c.code or "accepted")
      end
      local part = first_changed(c.after, digests_of(c.world), { "host", "present", "values", "counters" })
      if part then return ("as `%s` the word gives other %s"):format(c.words[other].text, PARTS_IN_WORDS[part]) end
    end
  end },
}

-- -------------------------------------------------------------------------------------- clauses --

-- The name of a directive, and its clauses; nil: it has other forms of arguments.
local function clauses_of(text)
  local name, list, at = {}, {}, 1
  while true do
    at = text:match("^[%s,]*()", at)
    if at > #text then return table.concat(name, " "), list end
    local clause, after = text:match("^([%a_]+%s*%b())()", at)
    local word, behind = text:match("^([%a_]+)()", at)
    if clause and not name[1] then -- an argument of the directive: wait(1)
      name[1], at = clause, after
    elseif clause or word and #list > 0 then
      list[#list + 1], at = clause or word, after or behind
    elseif word then
      name[#name + 1], at = word, behind
    else
      return nil
    end
  end
end

-- Texts of a directive with its clauses in other orders: each clause comes first once, and all are reversed.
function properties.orders(text)
  local name, list = clauses_of(text)
  if not name or #list < 2 then return {} end
  local texts, seen = {}, { [table.concat(list, " ")] = true }
  local function add(order)
    local made = table.concat(order, " ")
    if not seen[made] then texts[#texts + 1] = name .. " " .. made end
    seen[made] = true
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

-- A list of tuples of the directory as intervals of bytes, by address.
local function intervals(list)
  local made = {}
  for i, tuple in ipairs(list) do
    local info = tuple.info
    made[i] = { low = info.host, high = info.host + info.bytes, base = tuple.base, alloc = tuple.alloc }
  end
  table.sort(made, function(a, b) return a.low < b.low end)
  return made
end

-- The fusion of DIR figure 2: tuples of a level and those of the level below are joined while two have one base address
-- or overlap. A tuple that is larger than each of those that it was made of is allocated; so is a new one, and what was
-- made of one that is.
local function fuse_tuples(own, below)
  local list = {}
  for _, one in ipairs(own) do
    list[#list + 1] = { low = one.low, high = one.high, bases = { one.base }, alloc = true }
  end
  for _, one in ipairs(below) do
    list[#list + 1] = { low = one.low, high = one.high, bases = one.bases or { one.base }, alloc = false, old = true }
  end
  local function meet(a, b)
    if a.low < b.high and b.low < a.high then return true end
    for _, base in ipairs(a.bases) do
      for _, other in ipairs(b.bases) do
        if base == other then return true end
      end
    end
    return false
  end
  local function join(a, b)
    local low, high = math.min(a.low, b.low), math.max(a.high, b.high)
    local bases = table.move(b.bases, 1, #b.bases, #a.bases + 1, table.move(a.bases, 1, #a.bases, 1, {}))
    local inside = low == a.low and high == a.high and a.old and not a.alloc
      or low == b.low and high == b.high and b.old and not b.alloc
    return { low = low, high = high, bases = bases, alloc = not inside, old = a.old or b.old }
  end
  local again = true
  while again do
    again = false
    for i = 1, #list do
      for j = i + 1, #list do
        if not again and meet(list[i], list[j]) then
          list[i] = join(list[i], list[j])
          table.remove(list, j)
          again = true
        end
      end
    end
  end
  table.sort(list, function(a, b) return a.low < b.low end)
  return list
end

local function text_of(list, origin)
  local parts = {}
  for i, one in ipairs(list) do
    parts[i] = ("%s [%d,%d)"):format(one.alloc and "ALLOC" or "ALIAS", one.low - origin, one.high - origin)
  end
  return table.concat(parts, " ")
end

-- What differs between a directory's levels and the paper's algorithm, or nil. Programs with `enter data` are left out:
-- the paper has none (DIR-6-01). Decides DIR-4.2-08, DIR-4.2-10.
function properties.lists(session)
  local below = {}
  for i, level in ipairs(session.ctx:levels(session.now.device)) do
    local wanted, found = fuse_tuples(intervals(level.original), below), intervals(level.artificial)
    local origin = found[1] and found[1].low or wanted[1] and wanted[1].low or 0
    local is, should = text_of(found, origin), text_of(wanted, origin)
    if is ~= should then return ("level %d has %s, the paper %s"):format(i, is, should) end
    below = wanted
  end
end

-- ------------------------------------------------------------------------------------ exploring --

-- Counterexamples of the programs of one world, the first of each property and each kind of word. Returns the list
-- {program, property, what, key}, a function that adds one, and what a search calls (search.lua: step). told(one): is
-- called for each new one.
function properties.collect(world, words, told)
  local found, by_key, alternatives, violating = {}, {}, {}, {}
  -- Whether a beginning of a program has violated the property already.
  local function has_violated(property, text)
    for n = 1, #text do
      if violating[property.name .. text:sub(1, n)] then return true end
    end
    return false
  end
  for i, word in ipairs(words) do
    alternatives[i] = {}
    for _, text in ipairs((word.kind == "acc" or word.kind == "omp") and properties.orders(word.text) or {}) do
      local copy = {}
      for key, value in pairs(word) do copy[key] = value end
      copy.text = text
      table.insert(alternatives[i], world:add(copy))
    end
  end
  local function add(one)
    if by_key[one.key] then return end
    by_key[one.key], found[#found + 1] = one, one
    told(one)
  end
  local function is_dynamic(number)
    local family = test_program.family(words[number])
    return family:find "enter" ~= nil or family:find "exit" ~= nil
  end
  return found, add, function(made, text, word, outcomes, before)
    local has_dynamic = is_dynamic(word)
    for i = 1, #text do has_dynamic = has_dynamic or is_dynamic(text:byte(i)) end
    local c = { world = world, words = world.words, word = word, code = outcomes.codes[1], before = {}, after = {},
      has_dynamic = has_dynamic, alternatives = alternatives[word], back = function() made:back(#text) end }
    for i, part in ipairs(search.parts) do c.before[part], c.after[part] = before.digests[i], outcomes.digests[i] end
    for _, property in ipairs(properties.properties) do
      local key = property.name .. " " .. test_program.family(words[word])
      local what = not has_violated(property, text) and property.check(c)
      if what then
        local whole = text .. string.char(word)
        violating[property.name .. whole] = true
        add { program = whole, property = property.name, what = what, key = key }
      end
    end
    return true
  end
end

-- A counterexample as a case of a scenario. is_own: the profile is that of the scenario's head.
function properties.case(one, words, profile, is_own)
  local about
  for _, property in ipairs(properties.properties) do
    if property.name == one.property then about = property.about end
  end
  local title = ("%s, %s: %s"):format(one.property, test_program.family(words[one.program:byte(-1)]), profile)
  local lines = { ("-- %s: %s"):format(about, one.what), ("case(%q, function()"):format(title),
    not is_own and ("  rules %q"):format(profile) or nil }
  for _, line in ipairs(test_program.lines(words, one.program, true)) do lines[#lines + 1] = "  " .. line end
  lines[#lines + 1] = "end)"
  return table.concat(lines, "\n") .. "\n"
end

return properties
