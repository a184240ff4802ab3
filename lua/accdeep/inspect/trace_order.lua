-- trace_order.lua - compares the order of queued work in two traces whose other lines are equal. tools/cli/diff.lua
-- calls it.
--
-- Queued work (copies, kernels, freed memory) appears in a trace where it was executed. Queues choose the moment, but
-- two operations on the same data have a fixed order if a wait is between them. Two traces differ if the order of such
-- a pair differs. They also differ if work that no wait covers was done at the end of the case in only one of them.

local trace_order = {}

local WORK = { h2d = true, d2h = true, d2d = true, free = true, kernel = true }

-- Returns true if a line of a trace is work of a queue.
function trace_order.is_work(line) return line.async ~= nil and WORK[line.op] or false end

-- ---------------------------------------------------------------------------------------- names --

-- Splits a name into {base, from, to}: the base and the bounds of its section; both bounds are nil if it has no
-- section.
local function parse_name(name)
  local base, start, length = name:match "^(.*)%[(%-?%d+):(%d+)%]$"
  if not base then return { base = name } end
  return { base = base, from = tonumber(start), to = tonumber(start) + tonumber(length) }
end

-- Returns a list of the names in a line of a trace, split by parse_name; an empty list if the line names nothing.
local function names_of(line)
  local names = {}
  for name in (line.name .. ", "):gmatch "(.-), " do
    if name ~= "" then names[#names + 1] = parse_name(name) end -- the name of a kernel without data is ""
  end
  return names
end

-- Calls fn with the name of each object that encloses the object `base`: with Y and Y[0] for Y[0].a.
local function each_whole(base, fn)
  for at in base:gmatch ".()[%[.(%-]" do fn(base:sub(1, at - 1)) end
end

-- Returns true if the names `a` and `b`, results of parse_name with one base, may overlap. A name without a section
-- overlaps every section.
local function overlap(a, b) return not a.from or not b.from or a.from < b.to and b.from < a.to end

-- ------------------------------------------------------------------------------------- the order --

-- Returns a list of the cases in a trace, each a list of the operations on data: {line, k, is_late, key, names}. `k`:
-- position in the trace. `is_late`: true if only queued work follows in the case; no wait covers the operation then.
-- `key`: a text that is unique in the case. `names`: result of names_of.
local function cases_of(lines)
  local cases = { {} }
  for k, line in ipairs(lines) do
    local case = cases[#cases]
    if line.mark and not line.device then
      case = {}
      cases[#cases + 1] = case
    elseif WORK[line.op] then
      local text = table.concat({ line.op, line.name, line.bytes, line.device, line.async or "" }, "|")
      case.occurrences = case.occurrences or {}
      case.occurrences[text] = (case.occurrences[text] or 0) + 1
      case[#case + 1] = { line = line, k = k, key = text .. "|" .. case.occurrences[text], names = names_of(line) }
    end
    if not trace_order.is_work(line) then case.last = k end
  end
  for _, case in ipairs(cases) do
    for _, item in ipairs(case) do item.is_late = item.k > (case.last or 0) end
  end
  return cases
end

-- Returns a true value if the operation `a`, which precedes `b` in one list, follows `b` in the other list and their
-- order matters. The order matters if both are on one device and at least one of them is work of a queue, except for
-- two copies to the host. `positions`: key of an operation -> position in the other list.
local function swaps_order(a, b, positions)
  return positions[a.key] > positions[b.key] and (a.line.async or b.line.async) and a.line.device == b.line.device
    and (a.line.op ~= "d2h" or b.line.op ~= "d2h")
end

-- Returns the first pair of operations on common data that changes its order, in the order of `list`, and the base of
-- their name; nil if there is none. `positions`: position in the other list by key, for all operations of `list`.
local function first_swap(list, positions)
  local sorted = true
  for i = 2, #list do sorted = sorted and positions[list[i - 1].key] < positions[list[i].key] end
  if sorted then return nil end
  -- Earlier operations by the base of their names (`by_base`), and by the objects that enclose them (`by_enclosing`).
  -- Each entry has lists by queue, with the last position in the other list. Operations of one queue never change
  -- their order.
  local by_base, by_enclosing = {}, {}
  -- Adds an operation to `index` under the name `base`. `entry`: {item, name}.
  local function put(index, base, entry)
    local queue = entry.item.line.async or "none"
    index[base] = index[base] or {}
    local entries = index[base][queue] or { last = 0 }
    index[base][queue] = entries
    entries.last = math.max(entries.last, positions[entry.item.key])
    table.insert(entries, entry)
  end
  for _, item in ipairs(list) do
    local swapped
    -- Sets `swapped` to the earliest of `entries` whose order with `item` changes, if that entry is earlier than the
    -- current value of `swapped`. `name`: only entries whose sections overlap this name count; nil: all count.
    local function search_entries(entries, name)
      for _, entry in ipairs(entries) do
        local is_overlapping = not name or overlap(entry.name, name)
        local is_earlier = not swapped or entry.item.k < swapped.item.k
        if is_overlapping and is_earlier and swaps_order(entry.item, item, positions) then swapped = entry end
      end
    end
    -- Calls search_entries for the entries of each other queue, if one of them may follow `item` in the other list.
    -- `queues`: entries by queue, or nil.
    local function search(queues, name)
      for queue, entries in pairs(queues or {}) do
        local is_other_queue = queue ~= (item.line.async or "none")
        if is_other_queue and entries.last > positions[item.key] then search_entries(entries, name) end
      end
    end
    for _, name in ipairs(item.names) do
      search(by_base[name.base], name)
      search(by_enclosing[name.base])
      each_whole(name.base, function(whole) search(by_base[whole]) end)
    end
    if swapped then return swapped.item, item, swapped.name.base end
    for _, name in ipairs(item.names) do
      local entry = { item = item, name = name }
      put(by_base, name.base, entry)
      each_whole(name.base, function(whole) put(by_enclosing, whole, entry) end)
    end
  end
  return nil
end

-- Returns the position in the trace of the first operation in `list` whose key is not in `keys`, the table of the other
-- trace's keys; nil if there is none.
local function missing(list, keys)
  for _, item in ipairs(list) do
    if not keys[item.key] then return item.k end
  end
  return nil
end

-- Returns how two cases, entries of cases_of, differ: {message, positions in the first, positions in the second}.
-- Returns nil if they do not differ.
local function differs(first, second)
  local in_first, in_second, positions = {}, {}, {}
  for _, item in ipairs(first) do in_first[item.key] = item end
  for i, item in ipairs(second) do in_second[item.key], positions[item.key] = item, i end
  local first_missing, second_missing = missing(first, in_second), missing(second, in_first)
  if first_missing or second_missing then
    return { message = "only one of them has this work of a queue", { first_missing }, { second_missing } }
  end
  local a, b, name = first_swap(first, positions)
  if a then
    return { message = ("queues did their work on %s in another order"):format(name), { a.k, b.k },
      { in_second[b.key].k, in_second[a.key].k } }
  end
  for _, item in ipairs(first) do
    local same = in_second[item.key]
    if item.is_late ~= same.is_late then
      return { message = "no wait covers this work of a queue, and in one of them it was done at the end", { item.k },
        { same.k } }
    end
  end
  return nil
end

-- Returns how queued work differs between two traces: {message, positions in the first, positions in the second}, or
-- nil. `message`: a sentence. Precondition: all other lines are equal.
function trace_order.difference(first, second)
  local second_cases = cases_of(second)
  for i, case in ipairs(cases_of(first)) do
    local difference = differs(case, second_cases[i])
    if difference then return difference end
  end
  return nil
end

return trace_order
