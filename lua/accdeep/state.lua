-- state.lua - the state of a device as a table, and as text.

local diagnostic = require "accdeep.diagnostic"
local types = require "accdeep.types"

local state = {}

-- Clauses of a level that the text shows.
local CLAUSES = 4

-- Sorts by name, "Y[2].a[0:3]" before "Y[10].a[0:3]"; what has one name stays in order.
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

local function pointer(session, address)
  return session.host_space:pointer(types.pointer(types.void), address, session.ctx:host_bounds(address))
end

local function device_pointer(session, device, address)
  return session.pointer_spaces[device]:pointer(types.pointer(types.void), address,
    session.ctx:device_bounds(device, address))
end

-- {levels, present, attached} of a device, the current one if none is named.
function state.of(session, device)
  device = device or session.device
  if math.type(device) ~= "integer" or device < 0 or device >= session.devices then
    diagnostic.raise("no-device", nil, ("there is no device %s"):format(tostring(device)),
      { rule = "DIR-1-04" })
  end
  local ctx = session.ctx
  local result = { levels = {}, present = {}, attached = {} }
  for i, level in ipairs(ctx:levels(device)) do
    local entry = { kind = level.kind, original = {}, artificial = {},
      at = level.file and ("%s:%d"):format(level.file, level.line) or nil }
    for k, clause in ipairs(level) do
      local name = clause.name ~= "" and clause.name or nil
      entry.original[k] = { name = name, bytes = clause.bytes, state = clause.action,
        host = clause.host and pointer(session, clause.host) }
      entry.artificial[k] = { name = name, bytes = clause.bytes,
        state = clause.created and "ALLOC" or "ALIAS" }
    end
    result.levels[i] = entry
  end
  for i, object in ipairs(ctx:present(device)) do
    result.present[i] = {
      name = object.name, host = pointer(session, object.host), bytes = object.bytes,
      device = device_pointer(session, device, object.dev),
      structured = object.structured, dynamic = object.dynamic, state = "ALLOC",
      at = object.file and ("%s:%d"):format(object.file, object.line) or nil,
    }
  end
  for i, attached in ipairs(ctx:attachments(device)) do
    local target = ctx:present_at(device, attached.low, true)
    result.attached[i] = { name = attached.name, target = target and target.name or "",
      count = attached.count }
  end
  sort_by_name(result.present)
  sort_by_name(result.attached)
  return result
end

local function columns(rows)
  local widths = {}
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do widths[i] = math.max(widths[i] or 0, #tostring(cell)) end
  end
  local lines = {}
  for r, row in ipairs(rows) do
    local cells = {}
    for i, cell in ipairs(row) do
      local number = math.type(cell) == "integer"
      cells[i] = ("%" .. (number and "" or "-") .. widths[i] .. "s"):format(tostring(cell))
    end
    lines[r] = "  " .. table.concat(cells, "  "):gsub("%s+$", "")
  end
  return table.concat(lines, "\n") .. "\n"
end

-- The same as a table to read.
function state.text(session, device)
  local s = state.of(session, device)
  local parts = { ("device %d\n"):format(device or session.device) }
  for i, level in ipairs(s.levels) do
    local clauses = {}
    for k, clause in ipairs(level.original) do
      if k > CLAUSES then
        clauses[k] = ("and %d more"):format(#level.original - CLAUSES)
        break
      end
      clauses[k] = ("%s(%s)"):format(clause.state, clause.name or "?")
    end
    parts[#parts + 1] = ("  level %d  %s  %s\n"):format(i, level.kind, table.concat(clauses, " "))
  end
  if #s.present == 0 then
    parts[#parts + 1] = "  nothing is present\n"
  else
    local rows = { { "present", "bytes", "structured", "dynamic" } }
    for _, object in ipairs(s.present) do
      rows[#rows + 1] = { object.name, object.bytes, object.structured, object.dynamic }
    end
    parts[#parts + 1] = columns(rows)
  end
  if #s.attached > 0 then
    local rows = { { "attached", "leads to", "counter" } }
    for _, attached in ipairs(s.attached) do
      rows[#rows + 1] = { attached.name, attached.target, attached.count }
    end
    parts[#parts + 1] = columns(rows)
  end
  return table.concat(parts)
end

return state
