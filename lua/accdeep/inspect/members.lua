-- members.lua - formats an object's memory as rows: one for each member, number or pointer.
--
--   members.rows(reader, t, low, high, required) -> {row ...} for the bytes [low, high) of type t.
--   row      {path, offset, bytes, kind = "value", "pointer" or "elided", text}.
--   reader   value(offset, scalar type) -> number, nil if not written.
--            pointer(offset, row, t): fills the row of a pointer.
--            dims(offset, t) -> bounds of a descriptor, or nil.
--            language: formats names of elements.
--   required offsets whose elements always have rows, however many rows there are.
-- snapshot.lua implements readers of host and device memory.

local types = require "accdeep.types"
local strings = require "accdeep.base.strings"

local members = {}

-- An array of at most NUMBERS numbers is shown whole; of a longer one, the first BEGIN numbers and the last are shown.
local NUMBERS, BEGIN = 8, 6
-- An array of at most ELEMENTS structures or pointers is shown whole; of a longer one, the first FIRST elements and the
-- last are shown.
local ELEMENTS = 6
local FIRST = 2
local ROWS = 40 -- limit of rows for an object
local TEXT = 24 -- limit of shown bytes of a string

local UNKNOWN = "?"

-- Returns true if a value of the type is shown as a number or text.
local function is_number(t) return t.kind == "scalar" or t.kind == "complex" or t.kind == "character" end

-- Returns true if an object of the type `t` contains pointers or descriptors; caches the result for structures in
-- t.holds_pointers.
function members.has_pointers(t)
  if t.kind == "pointer" or t.kind == "descriptor" then return true end
  if t.kind == "array" then return members.has_pointers(t.of) end
  if t.kind ~= "record" or not t.members then return false end
  if t.holds_pointers == nil then
    t.holds_pointers = false
    for _, member in ipairs(t.members) do t.holds_pointers = t.holds_pointers or members.has_pointers(member.type) end
  end
  return t.holds_pointers
end

-- ---------------------------------------------------------------------------------------- values --

-- Returns bytes as a quoted text without control characters.
local function printable(bytes)
  return '"' .. bytes:gsub('[%c\127-\255"\\]', function(c) return ("\\x%02x"):format(c:byte()) end) .. '"'
end

-- Returns the number, complex number or Fortran character string of type `t` at `offset` as text; nil if it was never
-- written. A complex number with one written part has "?" for the other part. Of a string, the first TEXT characters
-- are shown; all of them must have been written.
local function number(reader, t, offset)
  if t.kind == "complex" then
    local re, im = number(reader, t.part, offset), number(reader, t.part, offset + t.part.size)
    return (re or im) and ("(%s, %s)"):format(re or UNKNOWN, im or UNKNOWN)
  elseif t.kind == "character" then
    local bytes = {}
    for i = 1, math.min(t.len, TEXT) do
      local value = reader.value(offset + i - 1, types.scalars["unsigned char"])
      if not value then return nil end
      bytes[i] = string.char(value)
    end
    return printable(table.concat(bytes)) .. (t.len > TEXT and "..." or "")
  end
  local value = reader.value(offset, t)
  if value == nil or type(value) == "boolean" then return value ~= nil and tostring(value) or nil end
  if t.logical then return value ~= 0 and "T" or "F" end
  return t.float and (t.size == 4 and "%.7g" or "%.10g"):format(value) or tostring(value)
end

-- Returns the string in the `n` chars from offset `first` on as quoted text, up to a null character, but at most TEXT
-- chars. Returns nil if one of these chars was never written or is not printable. Also returns nil for fewer than two
-- chars (fewer than one before a null character), which may be numbers. `t`: type of a char.
local function text_of(reader, t, first, n)
  local bytes = {}
  for i = 0, math.min(n, TEXT) - 1 do
    local value = reader.value(first + i, t)
    if value == 0 and #bytes > 0 then return printable(table.concat(bytes)) end
    if not value or value < 32 or value > 126 then return nil end
    bytes[#bytes + 1] = string.char(value)
  end
  return #bytes > 1 and printable(table.concat(bytes)) .. (n > TEXT and "..." or "") or nil
end

-- Returns the indices from `from` to `to` - 1 that are shown, in order: all of them if there are at most `limit`. Else
-- the first `begin`, the last, and those in `required` (a set, or nil) are shown; false denotes omitted indices.
local function shown_indices(from, to, limit, begin, required)
  local list = {}
  if to - from <= limit then
    for i = from, to - 1 do list[#list + 1] = i end
    return list
  end
  local indices = { [to - 1] = true }
  for i = from, from + begin - 1 do indices[i] = true end
  for i in pairs(required or {}) do indices[i] = i >= from and i < to or nil end
  local sorted = {}
  for i in pairs(indices) do sorted[#sorted + 1] = i end
  table.sort(sorted)
  for k, i in ipairs(sorted) do
    if k > 1 and i > sorted[k - 1] + 1 then list[#list + 1] = false end
    list[#list + 1] = i
  end
  return list
end

local MAX_COMPARED = 1024 -- limit of numbers of an array whose omitted numbers are compared (see `hidden`)

-- Returns the numbers that shown_indices omits as one text, which is compared with that of a later snapshot to find
-- changes. Returns nil if all numbers are shown, or if the array has more than MAX_COMPARED numbers. `offset`: offset
-- of the array; `from`, `to`: range of indices, without `to`; `element`: type of the elements.
local function hidden(reader, element, offset, from, to)
  if to - from <= NUMBERS or to - from > MAX_COMPARED then return nil end
  local values = {}
  for i = from + BEGIN, to - 2 do
    values[#values + 1] = number(reader, element, offset + i * element.size) or UNKNOWN
  end
  return table.concat(values, " ")
end

-- Returns the numbers from index `from` to `to` - 1 of the array at `offset` as one text, and true if some of the shown
-- numbers were never written. `element`: type of the elements. Chars that form a string are returned as a string.
local function numbers(reader, element, offset, from, to)
  local text = element.size == 1 and element.kind == "scalar" and element.name == "char"
    and text_of(reader, element, offset + from, to - from)
  if text then return text end
  local parts, unknown = {}, 0
  for i, index in ipairs(shown_indices(from, to, NUMBERS, BEGIN)) do
    local value = not index and "..." or number(reader, element, offset + index * element.size)
    if not value then unknown = unknown + 1 end
    parts[i] = value or UNKNOWN
  end
  return table.concat(parts, " "), unknown > 0
end

-- ------------------------------------------------------------------------------------------ rows --

-- Returns the bounds of a Fortran array as text, such as "(1:3,0:4)"; "" for a scalar. `dims`: a list of {lower,
-- extent}.
local function bounds_text(dims)
  local parts = {}
  for i, dim in ipairs(dims) do parts[i] = ("%d:%d"):format(dim.lower, dim.lower + dim.extent - 1) end
  return #parts > 0 and ("(%s)"):format(table.concat(parts, ",")) or ""
end

-- Appends a row to walk.rows; if there are too many rows already, only increments walk.left_out.
local function add(walk, row)
  if #walk.rows < walk.max_rows then walk.rows[#walk.rows + 1] = row else walk.left_out = walk.left_out + 1 end
end

-- Returns the path of the member `name` in the object `path`. If `name` is nil, the member is anonymous and has the
-- path of the object. `language`: the session's language, which has the sign between names.
local function join_path(path, name, language)
  if not name or path == "" then return name or path end
  return path .. language.member_sign .. name
end

-- Forward declaration of `visit`, which visit_array calls. The functions below share the table `walk`, which
-- members.rows creates: {reader, low, high, whole, rows, max_rows, left_out, required}. `whole`: the range [low, high)
-- is the whole object. `left_out`: number of rows beyond max_rows.
local visit

-- Adds the rows of an array of type `t` at `offset` that lie in the byte range of `walk`. Numbers share one row. For
-- other element types, some elements have rows, and rows "... n more" replace the others. Adds nothing if the length of
-- the array is unknown, if its elements have no bytes, or if none of them lies in the range.
local function visit_array(walk, t, offset, path)
  local size = t.of.size
  if size == 0 or not t.n then return end
  local from = math.max(0, (walk.low - offset + size - 1) // size)
  local to = math.min(t.n, (walk.high - offset) // size)
  -- the range may contain a part of the first or last element; members of such a structure have rows, numbers have none
  if not is_number(t.of) and not walk.whole then
    from, to = math.max(0, (walk.low - offset) // size), math.min(t.n, (walk.high - offset + size - 1) // size)
  end
  if to <= from then return end
  if is_number(t.of) then
    local whole = from == 0 and to == t.n
    local text, unknown = numbers(walk.reader, t.of, offset, from, to)
    return add(walk, { path = path .. (whole and "" or walk.reader.language.range_text(t, from, to)),
      offset = offset + from * size, bytes = (to - from) * size, kind = "value", text = text, unknown = unknown,
      hidden = hidden(walk.reader, t.of, offset, from, to) })
  end
  local required = {}
  for _, required_offset in ipairs(walk.required) do required[(required_offset - offset) // size] = true end
  local first = from -- first element that has no row yet
  -- Adds a row "... n more" for the elements from `first` to `past_end` - 1; nothing if there are none.
  local function elide(past_end)
    if first == past_end then return end
    local row = { path = path, offset = offset + first * size, bytes = (past_end - first) * size, kind = "elided",
      text = ("... %d more"):format(past_end - first) }
    if first > from then walk.rows[#walk.rows + 1] = row else add(walk, row) end
  end
  for _, index in ipairs(shown_indices(from, to, ELEMENTS, FIRST, required)) do
    local is_full = #walk.rows >= walk.max_rows
    if index and (required[index] or not is_full) then
      elide(index)
      if required[index] and is_full then walk.max_rows = #walk.rows + ROWS end
      visit(walk, t.of, offset + index * size,
        t.n == 1 and path == "" and path or path .. walk.reader.language.subscripts(t, index))
      walk.max_rows, first = ROWS, index + 1
    end
  end
  elide(to)
end

-- Adds the rows of an object of type `t` at `offset` that lie in the byte range of `walk`. `path`: name of the object.
-- A scalar that is only partly in the range has no row. Values of other types have a row with their number of bytes.
function visit(walk, t, offset, path)
  if offset + t.size <= walk.low or offset >= walk.high then return end
  if t.kind == "array" then return visit_array(walk, t, offset, path) end
  if t.kind == "record" then
    for _, member in ipairs(t.members or {}) do
      visit(walk, member.type, offset + member.offset, join_path(path, member.name, walk.reader.language))
    end
    return
  end
  -- a scalar that is only partly in the range has no row, because a part of a value has no meaning
  if offset < walk.low or offset + t.size > walk.high then return end
  local row = { path = path, offset = offset, bytes = t.size, kind = "value" }
  if t.kind == "pointer" or t.kind == "descriptor" then
    row.kind = "pointer"
    walk.reader.pointer(offset, row, t)
    if t.kind == "descriptor" and row.address and row.address ~= 0 then
      local dims = walk.reader.dims(offset, t)
      row.text = dims and bounds_text(dims) or UNKNOWN
    end
  elseif is_number(t) then
    row.text = number(walk.reader, t, offset)
    row.unknown, row.text = not row.text, row.text or UNKNOWN
  else
    row.text = strings.count(t.size, "byte")
  end
  add(walk, row)
end

-- Returns a list of the rows of the bytes from `low` to `high` - 1 of an object of type `t`; at most about ROWS rows,
-- then a row "... n more". `required`: a list of offsets of elements that always have rows, or nil.
function members.rows(reader, t, low, high, required)
  local walk = { reader = reader, low = low, high = high, whole = low == 0 and high == t.size, rows = {},
    max_rows = ROWS, left_out = 0, required = required or {} }
  visit(walk, t, 0, "")
  if walk.left_out > 0 then
    walk.rows[#walk.rows + 1] = { path = "", offset = high, bytes = 0, kind = "elided",
      text = ("... %d more"):format(walk.left_out) }
  end
  return walk.rows
end

-- Returns nil. The reader `blind` has this function in place of each function that reads memory.
local function nothing() return nil end
-- A reader for callers that use only the offsets of rows. It reads no memory.
local blind = { value = nothing, pointer = nothing, dims = nothing,
  language = { member_sign = ".", subscripts = function() return "" end, range_text = function() return "" end } }

-- Returns the offsets of the pointers in an object of type `t` that have rows, as keys of a table. `required`: a list
-- of offsets of elements that always have rows, or nil.
function members.pointer_rows(t, required)
  local set = {}
  for _, row in ipairs(members.rows(blind, t, 0, t.size, required)) do
    if row.kind == "pointer" then set[row.offset] = true end
  end
  return set
end

-- Calls visit_pointer(offset, pointer type, path) for every pointer and descriptor in an object of type `root`, until
-- visit_pointer returns false. Returns false in that case, else true. `language`: formats the names in `path`.
function members.each_pointer(root, language, visit_pointer)
  -- Visits the pointers of the part of type `t` at `offset`, called `path`. Returns false if visit_pointer returned
  -- false.
  local function search(t, offset, path)
    if t.kind == "pointer" or t.kind == "descriptor" then return visit_pointer(offset, t, path) end
    if not members.has_pointers(t) then return true end
    if t.kind == "array" then
      local single = t.n == 1 and path == ""
      for i = 0, (t.n or 0) - 1 do
        local name = single and path or path .. language.subscripts(t, i)
        if not search(t.of, offset + i * t.of.size, name) then return false end
      end
      return true
    end
    for _, member in ipairs(t.members) do
      local name = join_path(path, member.name, language)
      if not search(member.type, offset + member.offset, name) then return false end
    end
    return true
  end
  return search(root, 0, "")
end

return members
