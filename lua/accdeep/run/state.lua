-- state.lua - returns the state of a device as a table, and formats it as text. The function `state` of scenarios and
-- modules of inspect/ call it. A level is an open data region. A tuple describes a mapping at one level of the
-- directory (DIR-4.1-02), the present table with fusion. An original tuple is what a clause or enter data named; fusion
-- makes artificial tuples of overlapping originals, their ancestors.

local lazy = require "accdeep.base.lazy"
local diagnostic = require "accdeep.base.diagnostic"
local action_words = lazy.require "accdeep.lowering.action_words"
local types = require "accdeep.types"

local state = {}

-- Number of clauses of a level that state.text lists; it gives only the number of the other clauses.
local CLAUSES = 4

-- Sorts a list of entries stably by their `name`, with numbers in natural order: "Y[2].a[0:3]" before "Y[10].a[0:3]".
local function sort_by_name(list)
  local keys, places = {}, {}
  for i, entry in ipairs(list) do
    keys[entry] = entry.name:gsub("%d+", function(n) return ("%012d"):format(tonumber(n)) end)
    places[entry] = i
  end
  table.sort(list, function(a, b)
    if keys[a] ~= keys[b] then return keys[a] < keys[b] end
    return places[a] < places[b]
  end)
end

-- Returns a scenario's pointer to the host address `address`.
local function pointer(session, address)
  return session.host_space:pointer(types.pointer(types.void), address, session.ctx:host_bounds(address))
end

-- Returns a scenario's pointer to `address` in memory of a device.
local function device_pointer(session, device, address)
  return session.device_side.pointer_spaces[device]:pointer(types.pointer(types.void), address,
    session.ctx:device_bounds(device, address))
end

-- Returns the original tuples `list` of the core (one for each mapping by clauses or by enter data) as tables {name,
-- bytes, state, host, base}. `state`: the action as text.
local function originals(session, list)
  local entries = {}
  for i, tuple in ipairs(list) do
    local info = tuple.info
    entries[i] = { name = info.name, bytes = info.bytes, state = action_words.format_action(tuple.action, tuple.flags),
      host = pointer(session, info.host), base = pointer(session, tuple.base) }
  end
  return entries
end

-- Returns the artificial tuples `list` of the core, which fusion made, as tables {name, bytes, state, device, host,
-- ancestors}. `state`: "ALLOC" for a block of device memory, "ALIAS" for a part of another block.
local function artificials(session, device, list)
  local entries = {}
  for i, tuple in ipairs(list) do
    local info = tuple.info
    entries[i] = { name = info.name, bytes = info.bytes, state = tuple.alloc and "ALLOC" or "ALIAS",
      device = device_pointer(session, device, tuple.dev), host = pointer(session, info.host),
      ancestors = tuple.ancestors }
  end
  return entries
end

-- Copies the tuples of a level of the core to fields of `entry`: original and artificial for a structured level (one of
-- a region). A base level, which holds data of enter data (DIR-6-02), has the fields dynamic and floor: the original
-- and the artificial tuples of these data. A structured level with such data above it has all four fields.
local function add_lists(session, device, level, entry)
  if level.original then
    entry.original = originals(session, level.original)
    entry.artificial = artificials(session, device, level.artificial)
  end
  if not level.original or #level.dynamic > 0 then
    entry.dynamic = originals(session, level.dynamic)
    entry.floor = artificials(session, device, level.floor)
  end
end

-- Returns the artificial tuples of the innermost level, in the order of host addresses. levels: from the core;
-- levels.below: the lowest base level.
local function current_tuples(levels)
  local top = levels[#levels] or levels.below
  return (not top.original or #top.dynamic > 0) and top.floor or top.artificial
end

-- Returns a function of a present object: true if the tuple of `tuples` that contains the object allocated memory, or
-- if no tuple contains it. The function must be called with objects in the order of their host addresses.
local function is_allocated_in(tuples)
  local at = 1
  return function(object)
    while tuples[at] and tuples[at].info.host + tuples[at].info.bytes <= object.host do at = at + 1 end
    return not tuples[at] or tuples[at].alloc
  end
end

-- Returns the dynamic reference counter of a present object. In OpenMP, the counter is infinite for data of association
-- routines and of declare target (OMP60-map-6).
function state.dynamic(session, object)
  return object.mapped and session.rules.is_openmp and math.huge or object.dynamic
end

-- Returns the present object to which an attached pointer points, or nil. If the rules fuse data, it is the object that
-- contains the pointer's value; otherwise the object at the start of the attached data. attached: entry of the core's
-- attachments.
function state.target(session, device, attached)
  return session.rules.fusion and session.ctx:present_at(device, attached.target, false)
    or session.ctx:present_at(device, attached.low, true)
end

-- Returns the tuples of a level as sorted texts with state, name and ancestors. list: entries of state.read, or nil.
function state.tuples(list)
  local texts = {}
  for i, tuple in ipairs(list or {}) do
    local ancestors = tuple.ancestors and " of " .. table.concat(tuple.ancestors, " ") or ""
    texts[i] = ("%s %s%s"):format(tuple.state, tuple.name, ancestors)
  end
  table.sort(texts)
  return texts
end

-- Returns {levels, present, attached, queues} of `device` (nil: the current device). If the rules fuse data, the
-- result also has the fields dynamic and floor: data that enter data mapped outside of all levels. Raises if the device
-- does not exist.
function state.read(session, device)
  device = device or session.now.device
  if math.type(device) ~= "integer" or device < 0 or device >= session.devices then
    diagnostic.raise("no-device", nil, ("there is no device %s"):format(tostring(device)),
      { rule = "DIR-1-04" })
  end
  local ctx = session.ctx
  local result = { levels = {}, present = {}, attached = {}, queues = ctx:queues(device) }
  table.sort(result.queues, function(a, b) return a.async < b.async end)
  local levels, fusion = ctx:levels(device), session.rules.fusion
  if fusion then add_lists(session, device, levels.below, result) end
  for i, level in ipairs(levels) do
    local entry = { kind = level.kind, original = {}, artificial = {},
      at = level.file and ("%s:%d"):format(level.file, level.line) or nil }
    if fusion then add_lists(session, device, level, entry) end
    for _, clause in ipairs(fusion and {} or level) do
      local name = clause.name ~= "" and clause.name or nil
      -- The core also has placeholders for sections of no length, which are not shown.
      if clause.bytes > 0 or clause.action ~= "no_create" then
        table.insert(entry.original, { name = name, bytes = clause.bytes, state = clause.action,
          host = clause.host and pointer(session, clause.host) })
        table.insert(entry.artificial, { name = name, bytes = clause.bytes,
          state = clause.created and "ALLOC" or "ALIAS" })
      end
    end
    result.levels[i] = entry
  end
  local is_allocated = fusion and is_allocated_in(current_tuples(levels))
  for i, object in ipairs(ctx:present(device)) do
    result.present[i] = {
      name = object.name, host = pointer(session, object.host), bytes = object.bytes,
      device = device_pointer(session, device, object.dev),
      structured = object.structured, dynamic = state.dynamic(session, object),
      state = (not fusion or is_allocated(object)) and "ALLOC" or "ALIAS",
      at = object.file and ("%s:%d"):format(object.file, object.line) or nil,
    }
  end
  for i, attached in ipairs(ctx:attachments(device)) do
    local target = state.target(session, device, attached)
    -- attached.low is 0 if the target was unmapped: the pointer dangles.
    result.attached[i] = { name = attached.name, target = target and target.name or "", count = attached.count,
      gone = attached.low == 0 or nil }
  end
  sort_by_name(result.present)
  sort_by_name(result.attached)
  return result
end

-- Limit of a column's width. A longer cell is written whole, and the next cell follows in the next line.
local WIDEST = 48

-- Returns rows (lists of cells) as text in aligned columns; integers are aligned to the right. margin: text before each
-- row, or nil for two blanks.
local function columns(rows, margin)
  local widths = {}
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do
      local width = #tostring(cell)
      widths[i] = math.max(widths[i] or 0, width <= WIDEST and width or 0)
    end
  end
  local lines = {}
  for _, row in ipairs(rows) do
    local line, column = margin or "  ", #(margin or "  ")
    for i, cell in ipairs(row) do
      local text = tostring(cell)
      if #line > column then
        lines[#lines + 1] = line:gsub("%s+$", "") .. "\n"
        line = ""
      end
      line = line .. (" "):rep(column - #line)
      local gap = (" "):rep(widths[i] - #text)
      line = line .. (math.type(cell) == "integer" and gap .. text or text .. gap) .. "  "
      column = column + widths[i] + 2
    end
    lines[#lines + 1] = line:gsub("%s+$", "") .. "\n"
  end
  return table.concat(lines)
end

-- Returns the texts of the first CLAUSES entries of a list, then "and N more". text(entry): text of an entry.
local function some(list, text)
  local parts = {}
  for i, entry in ipairs(list) do
    if i > CLAUSES then
      parts[i] = ("and %d more"):format(#list - CLAUSES)
      break
    end
    parts[i] = text(entry)
  end
  return table.concat(parts, " ")
end

-- Returns the text of an original tuple: "state(name)".
local function clause_text(clause) return ("%s(%s)"):format(clause.state, clause.name or "?") end

-- Returns artificial tuples as text in columns.
local function tuples_text(list)
  local rows = {}
  for i, tuple in ipairs(list) do
    rows[i] = { tuple.name, tuple.bytes, tuple.state,
      tuple.ancestors[2] and "of " .. table.concat(tuple.ancestors, " ") or nil }
  end
  return columns(rows, "    ")
end

-- Returns a text with the data that enter data mapped in a base level, and its artificial tuples; "" if there are no
-- such data. s: an entry with the fields dynamic and floor.
local function floor_text(s)
  if not s.dynamic or #s.dynamic == 0 then return "" end
  return ("  enter data  %s\n%s"):format(some(s.dynamic, clause_text), tuples_text(s.floor))
end

-- Returns the text of present objects and attached pointers of `s`, a result of state.read.
function state.table_text(s)
  local parts = {}
  if #s.present == 0 then
    parts[#parts + 1] = "  nothing is present\n"
  else
    local rows = { { "present", "bytes", "structured", "dynamic" } }
    for _, object in ipairs(s.present) do
      rows[#rows + 1] = { object.name, object.bytes, object.structured,
        object.dynamic == math.huge and "infinite" or object.dynamic }
    end
    parts[#parts + 1] = columns(rows)
  end
  if #s.attached > 0 then
    local rows = { { "attached", "points to", "counter" } }
    for _, attached in ipairs(s.attached) do
      rows[#rows + 1] = { attached.name, attached.gone and "(gone)" or attached.target, attached.count }
    end
    parts[#parts + 1] = columns(rows)
  end
  return table.concat(parts)
end

-- Returns the state of `device` as text (nil: the current device). Raises if the device does not exist.
function state.text(session, device)
  local s = state.read(session, device)
  local parts = { ("device %d\n"):format(device or session.now.device), floor_text(s) }
  for i, level in ipairs(s.levels) do
    parts[#parts + 1] = ("  level %d  %s  %s\n"):format(i, level.kind, some(level.original, clause_text))
    if session.rules.fusion then
      parts[#parts + 1] = tuples_text(level.artificial) .. floor_text(level)
    end
  end
  return table.concat(parts) .. state.table_text(s)
end

return state
