-- picture.lua - makes the picture of a step: boxes with rows, arrows between them, bands for levels.
--
-- Input: steps of step_recorder.lua. Output: pictures, which svg.lua, dot.lua and html.lua draw after
-- picture_layout.lua placed their boxes.
--
--   picture {title, file, line, error, device, boxes, arrows, levels, left_out = texts, fused = {{title, ids} ...}}.
--     box     {id, side = "host" or "device", twin = id of the host's object, title, annotations = lines, rows, is,
--             details = lines that a page shows on hover, counters = text, names = objects of a group}.
--       row   {key, name, text, is, mark, port, across}
--               mark     ">" copied in, "<" copied out.
--               port     true if an arrow starts here; across: true if it ends on the other side.
--     arrow   {from, key, to, at = offset in the target, nil at its beginning, is}
--               is       "host", "attached", "untranslated", "device" or "group".
--     level   {title, parts = texts}
-- `is`: set of words; things with such a word are drawn differently. Boxes: absent (on the host, without a device
-- copy), group (of several objects), new (on the device), counted (its counters have changed), offending (subject of
-- the error). Rows: changed, offending. Rows, by their values: unknown (never written), excluded (member that is not
-- mapped), elided (stands for omitted elements). Rows of pointers: unmapped (the target is not on the device), wrong
-- (dangling, or a host address on the device).
--
-- Variables that hold a picture are called `drawing`, because `picture` is the module.
--
-- Invariants: boxes are a list, and by id. `indices` (position of a box in the list, by id) and `owned` (ids of boxes
-- that this picture has copied) are private to this file. Pictures share boxes and arrows of objects that have not
-- changed, so only copies from writable_box may be written to.

local picture = {}

-- Limits of characters of a title, the title of a group, a member's name, a value.
local TITLE, GROUP_TITLE, NAME, VALUE = 44, 60, 30, 40
local POINTER_BYTES = 8
local PARTS = 6 -- limit of the clauses, and of the tuples, in the band of a level

-- Returns `text`, in which "..." replaces the middle if it has more than `max_length` characters. Texts with characters
-- outside of ASCII are cut off at the end instead, because a byte in the middle may be a part of a character.
local function truncate_middle(text, max_length)
  local n = utf8.len(text) or #text
  if n <= max_length then return text end
  if n ~= #text then return text:sub(1, (utf8.offset(text, max_length) or max_length) - 1) .. "..." end
  local tail = max_length // 3
  return text:sub(1, max_length - tail - 3) .. "..." .. text:sub(-tail)
end

-- Text in a pointer's row beside its arrow, by state of the pointer (snapshot.lua).
local POINTER = { null = "null", excluded = "not followed", gone = "dangling", nowhere = "to no memory", unknown = "?",
  device = "device", absent = "not mapped" }

-- Returns the text of a pointer's row of a snapshot: bounds, offset in the target, attach counter or state. `side`:
-- "host" or "device".
local function pointer_text(row, side)
  local parts = {}
  parts[#parts + 1] = row.text
  parts[#parts + 1] = row.into
  if row.state == "attached" then parts[#parts + 1] = ("\u{d7}%d"):format(row.count)
  elseif row.state == "host" and side == "device" then parts[#parts + 1] = "host address"
  else parts[#parts + 1] = POINTER[row.state] end
  return table.concat(parts, " ")
end

-- Kinds of arrows by state of a pointer (snapshot.lua). Pointers in other states have the kind "host", or
-- "untranslated" if a device pointer holds a host address.
local ARROWS = { attached = "attached", device = "device" }

-- Returns the picture's row for a row of a snapshot's object. arrow(fields) is called to add the arrow of a pointer
-- that has a target. `side`: "host" or "device".
local function member_row(row, side, arrow)
  local is = { unknown = row.unknown, excluded = row.state == "excluded", elided = row.kind == "elided",
    unmapped = row.state == "absent" }
  is.wrong = row.state == "gone" or row.state == "nowhere" or row.state == "host" and side == "device"
  local text = row.kind == "pointer" and pointer_text(row, side) or row.text or ""
  local drawn_row = { key = row.path .. (row.kind == "elided" and "..." .. row.offset or ""),
    name = truncate_middle(row.path, NAME),
    text = truncate_middle(text, VALUE), hidden = row.hidden, is = is, offset = row.offset, bytes = row.bytes,
    port = row.to ~= nil }
  if row.to then
    drawn_row.across = row.to:sub(1, 1) ~= side:sub(1, 1)
    arrow { key = drawn_row.key, to = row.to, at = row.into and row.at or nil,
      is = row.state == "host" and side == "device" and "untranslated" or ARROWS[row.state] or "host" }
  end
  return drawn_row
end

-- Returns a list of the lines below the title of a snapshot's object: its type or size, its note.
local function annotations_of(object)
  local lines = {}
  if object.group then
    lines[1] = ("%d objects"):format(object.group) .. (object.bytes and (", %d bytes"):format(object.bytes) or "")
    if object.present == "partly" then lines[2] = "some of them on the device" end
    return lines
  end
  if object.type then lines[1] = truncate_middle(object.type, TITLE)
  elseif not object.note then lines[1] = ("%d bytes"):format(object.bytes) end
  if object.part then lines[1] = "in " .. lines[1] end
  lines[#lines + 1] = object.note
  return lines
end

-- Returns the reference counters of an object on the device as text. OpenMP has one counter (OMP60-map-5).
local function counters_of(object, is_openmp)
  local count = ("structured %s, dynamic %s"):format(object.structured, object.dynamic)
  if is_openmp then
    local sum = object.dynamic == "infinite" and "infinite" or object.structured + object.dynamic
    count = ("reference count %s"):format(sum)
  end
  return count .. (object.mapped and ", mapped" or "")
end

-- Returns a list of the lines that a page shows when the pointer is on a box: name, type and size, counters.
local function details_of(object, counters)
  local size = object.bytes and ("%d bytes"):format(object.bytes)
  local lines = { object.title or object.name, object.type and ("%s, %s"):format(object.type, size) or size }
  lines[#lines + 1] = counters
  if object.title and object.name ~= object.title then lines[#lines + 1] = "mapped as " .. object.name end
  return lines
end

-- Returns the title of the box of an object. A long title of a group has only the end of the last name, from the first
-- word in which the names of the first and the last object differ.
local function title_of(object)
  local title = object.title or object.name
  local names = object.names
  if #title <= TITLE or not names or not names[2] or object.group > #names then return truncate_middle(title, TITLE) end
  local first, last, at = names[1], names[#names], 1
  while first:sub(at, at) == last:sub(at, at) do at = at + 1 end
  while at > 1 and last:sub(at - 1, at - 1):find "[%w_%[%]]" do at = at - 1 end
  return truncate_middle(("%s ... %s"):format(first, last:sub(at)), GROUP_TITLE)
end

-- Returns {box, arrows}: the box of a snapshot's object, and the arrows that start from it; for a group, the arrow from
-- its parent. `side`: "host" or "device". is_openmp: true for the counters of OpenMP.
local function box_of(object, side, is_openmp)
  local counters = side == "device" and not object.group and counters_of(object, is_openmp) or nil
  local box = { id = object.id, side = side, twin = object.host,
    title = title_of(object),
    name = object.name, is_variable = object.is_variable, annotations = annotations_of(object), rows = {},
    counters = counters, details = details_of(object, counters), names = object.names,
    is = { group = object.group ~= nil, absent = side == "host" and object.present == "absent" } }
  local arrows = {}
  if object.group and object.parent then arrows[1] = { from = object.parent, to = object.id, is = "group" } end
  -- Adds an arrow that starts from the box.
  local function arrow(fields)
    fields.from = object.id
    arrows[#arrows + 1] = fields
  end
  for i, row in ipairs(object.rows) do box.rows[i] = member_row(row, side, arrow) end
  return { box = box, arrows = arrows }
end

-- Adds the boxes and arrows of the objects in `list`, those of a side of a snapshot, to a picture. `cache`: object ->
-- {box, arrows}, filled here; snapshots of successive steps share unchanged objects. is_openmp: see box_of.
local function add_boxes(drawing, list, side, cache, is_openmp)
  for _, object in ipairs(list) do
    cache[object] = cache[object] or box_of(object, side, is_openmp)
    local box, n = cache[object].box, #drawing.boxes + 1
    drawing.boxes[n], drawing.boxes[box.id], drawing.indices[box.id] = box, box, n
    table.move(cache[object].arrows, 1, #cache[object].arrows, #drawing.arrows + 1, drawing.arrows)
  end
end

-- Returns a shallow copy of a table.
local function copy_table(t)
  local copy = {}
  for key, value in pairs(t) do copy[key] = value end
  return copy
end

-- Returns the box `id` for writing: a copy that belongs to this picture alone, made on first use.
local function writable_box(drawing, id)
  local box = drawing.boxes[id]
  if drawing.owned[id] then return box end
  local copy = copy_table(box)
  copy.is, copy.rows = copy_table(box.is), {}
  for i, row in ipairs(box.rows) do
    copy.rows[i] = copy_table(row)
    copy.rows[i].is = copy_table(row.is)
  end
  drawing.boxes[drawing.indices[id]], drawing.boxes[id], drawing.owned[id] = copy, copy, true
  return copy
end

-- Marks the rows whose bytes the step copied in (on the device) or out (on both sides), and groups that contain a
-- copied object.
local function mark_moves(drawing, step)
  for _, move in ipairs(step.moved) do
    local mark = move.direction == "in" and ">" or "<"
    for _, id in pairs(move.direction == "in" and { move.device } or { move.host, move.device }) do
      local box = drawing.boxes[id] and writable_box(drawing, id) or { rows = {}, is = {} }
      for _, row in ipairs(box.rows) do
        if row.offset < move.offset + move.bytes and move.offset < row.offset + row.bytes then row.mark = mark end
      end
      if box.is.group then box.mark = mark end
    end
  end
end

-- Marks boxes that are new on the device, boxes whose counters differ from those in the previous picture `before`,
-- which then are an annotation, and rows whose text differs.
local function mark_changes(drawing, before)
  for i, box in ipairs(drawing.boxes) do
    local old = before.boxes[box.id]
    if not old and box.side == "device" then
      writable_box(drawing, box.id).is.new = true
    elseif old and old ~= box then
      if box.counters ~= old.counters then
        local counted = writable_box(drawing, box.id)
        counted.annotations = table.move(box.annotations, 1, #box.annotations, 1, {})
        counted.is.counted, counted.annotations[#counted.annotations + 1] = true, box.counters
      end
      local rows = {}
      for _, row in ipairs(old.rows) do rows[row.key] = row end
      for k, row in ipairs(drawing.boxes[i].rows) do
        local old_row = rows[row.key]
        if old_row and not row.is.unmapped and (old_row.text ~= row.text or old_row.hidden ~= row.hidden) then
          writable_box(drawing, box.id).rows[k].is.changed = true
        end
      end
    end
  end
end

-- Returns true if a text mentions `name` as a whole, not as a part of a longer name or member access.
local function mentions(text, name)
  local from, to = text:find(name, 1, true)
  while from do
    if not text:sub(from - 1, from - 1):find "[%w_.>%]]" and not text:sub(to + 1, to + 1):find "[%w_%[]"
      and not text:find("^%.[%a_]", to + 1) and not text:find("^->", to + 1) then return true end
    from, to = text:find(name, to + 1, true)
  end
  return false
end

-- Returns true if a text names the member in `row` of the object in `box`: v.data of v, p[0].next of p[0:1].
local function names_row(text, box, row)
  for _, name in ipairs { box.name, box.title } do
    for _, base in ipairs { name, (name:gsub("%b[]$", "")), (name:gsub("%[(%d+):[^%]]*%]$", "[%1]")) } do
      for _, dot in ipairs { ".", "->", "%", "" } do
        if mentions(text, base .. dot .. row.name) then return true end
      end
      local rest = row.name:match "^%[0%]%.(.*)$" -- p->a is the member [0].a of p[0:4]
      if rest and mentions(text, base .. "->" .. rest) then return true end
    end
  end
  return false
end

-- Marks the subject of an error. It is the pointer `err.subject`, {id of a box, offset}, if that is known. Else it is
-- the member that the message names, else the object that the message names or the error carries. It is marked on the
-- device if the object is present there, else on the host. Marks nothing if no box fits.
local function mark_error(drawing, err)
  -- Marks boxes of one side, the device first. select_rows(box) returns a list of row numbers to mark, true for the box
  -- itself, or false. Returns true if something was marked.
  local function mark(select_rows)
    for _, side in ipairs { "device", "host" } do
      local any = false
      for i = 1, #drawing.boxes do
        local box = drawing.boxes[i]
        local selected = box.side == side and select_rows(box)
        if selected then
          any, box = true, writable_box(drawing, box.id)
          box.is.offending = true
          for _, k in ipairs(type(selected) == "table" and selected or {}) do box.rows[k].is.offending = true end
        end
      end
      if any then return true end
    end
    return false
  end
  local subject = err.subject
  if subject and mark(function(box)
    for k, row in ipairs(box.id == subject.id and box.rows or {}) do
      if row.offset == subject.offset and row.bytes == POINTER_BYTES then return { k } end
    end
    return false
  end) then return end
  local named = {}
  for _, object in ipairs(err.objects or {}) do named[object.name] = true end
  -- Returns a function for `mark`: it returns a list of the numbers of the rows of a box that the message names, or a
  -- false value. `only_wrong`: true to return only rows in a wrong state; such rows take precedence.
  local function rows(only_wrong)
    return function(box)
      local row_numbers = {}
      for k, row in ipairs(box.rows) do
        if row.name ~= "" and (row.is.wrong or not only_wrong) and names_row(err.message, box, row) then
          row_numbers[#row_numbers + 1] = k
        end
      end
      return row_numbers[1] and row_numbers
    end
  end
  local _ = mark(rows(true)) or mark(rows(false)) or mark(function(box) return mentions(err.message, box.name) end)
    or mark(function(box) return named[box.name] end)
end

-- Returns the band of a level (an open data region of a snapshot): {title, parts}. `parts` has texts of at most PARTS
-- clauses, PARTS tuples (entries of the directory), and PARTS tuples of the base level.
local function level_of(level)
  local parts = {}
  for i, clause in ipairs(level.clauses) do
    if i > PARTS then
      parts[i] = ("and %d more"):format(#level.clauses - PARTS)
      break
    end
    parts[i] = ("%s(%s)"):format(clause.state, truncate_middle(clause.name or "?", NAME))
  end
  for _, list in ipairs { level.tuples or {}, level.floor or {} } do
    for i, tuple in ipairs(list) do
      if i > PARTS then break end
      parts[#parts + 1] = ("%s %s"):format(tuple.state, truncate_middle(tuple.name, NAME))
    end
  end
  return { title = level.kind .. (level.at and " " .. level.at:match "[^/]*$" or ""), parts = parts }
end

-- Returns the blocks of device objects that were fused (put into one allocation) as a list of {title, ids of boxes}.
-- The innermost level that fused an object determines its block. `shot`: the snapshot; `boxes`: those of its picture.
local function fused_blocks(shot, boxes)
  local list, assigned = {}, {}
  -- Adds the block of a tuple, an entry of the directory with the names of its ancestors, if it joins at least two
  -- boxes.
  local function add(tuple)
    local ancestors, ids = {}, {}
    for _, name in ipairs(tuple.ancestors or {}) do ancestors[name] = true end
    for _, box in ipairs(boxes) do
      if box.side == "device" and ancestors[box.name] and not assigned[box.id] then ids[#ids + 1] = box.id end
    end
    if #ids < 2 then return end
    for _, id in ipairs(ids) do assigned[id] = true end
    list[#list + 1] = { title = truncate_middle("fused: " .. tuple.name, NAME), ids = ids }
  end
  for i = #shot.levels, 1, -1 do
    for _, tuples in ipairs { shot.levels[i].floor or {}, shot.levels[i].tuples or {} } do
      for _, tuple in ipairs(tuples) do add(tuple) end
    end
  end
  return list
end

-- Returns the picture of a step (step_recorder.lua). `before`: picture of the previous step, or nil. `cache`: table of
-- boxes that the pictures of a case share (see add_boxes), or nil.
function picture.new(step, before, cache)
  local drawing = { title = step.title, file = step.file, line = step.line, error = step.error,
    device = step.snapshot.number or 0, boxes = {}, arrows = {}, levels = {}, left_out = {}, indices = {}, owned = {} }
  cache = cache or {}
  add_boxes(drawing, step.snapshot.host, "host", cache, step.snapshot.is_openmp)
  add_boxes(drawing, step.snapshot.device, "device", cache, step.snapshot.is_openmp)
  mark_moves(drawing, step)
  if before then mark_changes(drawing, before) end
  if step.error then mark_error(drawing, step.error) end
  for i, level in ipairs(step.snapshot.levels) do drawing.levels[i] = level_of(level) end
  drawing.fused = fused_blocks(step.snapshot, drawing.boxes)
  return drawing
end

-- Returns the ids of the involved boxes in any of the pictures in `list`, as keys; nil if there are none. A box is
-- involved if arrows connect it with a box on the device, with that box's host object, or with the subject of an error.
local function involved_boxes(list)
  local neighbours, involved, queue = {}, {}, {}
  -- Makes box id `b` a neighbour of box id `a`.
  local function link(a, b)
    neighbours[a] = neighbours[a] or {}
    neighbours[a][b] = true
  end
  -- Marks the box `id` as involved, and queues it so that its neighbours are marked, too.
  local function enter(id)
    if not involved[id] then
      involved[id] = true
      queue[#queue + 1] = id
    end
  end
  local visited = {}
  for _, drawing in ipairs(list) do
    for _, arrow in ipairs(drawing.arrows) do
      if not visited[arrow] then
        visited[arrow] = true
        link(arrow.from, arrow.to)
        link(arrow.to, arrow.from)
      end
    end
    for _, box in ipairs(drawing.boxes) do
      if box.side == "device" then enter(box.id) end
      if box.twin then enter(box.twin) end
      if box.is.offending then enter(box.id) end
    end
  end
  while #queue > 0 do
    for id in pairs(neighbours[table.remove(queue)] or {}) do enter(id) end
  end
  return next(involved) and involved or nil
end

-- Returns the title of a box, followed by the value if the box has a single row: "n = 4".
local function box_text(box)
  local row = #box.rows == 1 and box.rows[1]
  return row and row.text ~= "" and ("%s = %s"):format(box.title, row.text) or box.title
end

-- Removes the boxes that have no relation to the device in any picture of `list`; `left_out` of a picture lists the
-- removed variables. Removes nothing if no box has a relation to the device.
local function focus(list)
  local involved = involved_boxes(list)
  for _, drawing in ipairs(involved and list or {}) do
    local boxes = {}
    for _, box in ipairs(drawing.boxes) do
      if involved[box.id] then
        boxes[#boxes + 1], boxes[box.id] = box, box
      elseif box.is_variable then
        table.insert(drawing.left_out, box_text(box))
      end
    end
    drawing.boxes = boxes
  end
end

-- Returns the text about the location of a picture's step, to follow its title; "" if that is not known.
function picture.location_text(drawing)
  return drawing.file and (" \u{2013} %s:%s"):format(drawing.file:match "[^/]*$", drawing.line or "") or ""
end

-- Returns a list of the pictures of all steps of a case, in order.
function picture.all(steps)
  local list, cache = {}, {}
  for i, step in ipairs(steps) do list[i] = picture.new(step, list[i - 1], cache) end
  focus(list)
  return list
end

-- ---------------------------------------------------------------------------------------- legend --

-- Marks of pictures: {id, sample, meaning}, in the order of a legend.
picture.LEGEND = {
  { "in", ">", "moved to the device" }, { "out", "<", "moved back" }, { "new", "\u{25ad}", "new on the device" },
  { "changed", "7", "changed" }, { "unknown", "?", "never written" },
  { "count", "\u{d7}1", "attached, and how often" }, { "element", "[2]", "points to this element" },
  { "chain", "->a (3)", "three times ->a" }, { "excluded", "not followed", "member that no clause maps" },
  { "absent", "\u{25ad}", "not on the device" }, { "group", "\u{25ad}", "several objects: click to list them" },
  { "fused", "\u{25ad}", "one block of device memory" },
  { "host", "\u{2192}", "host address on the device, not translated" }, { "wrong", "dangling", "points to no memory" },
  { "offending", "\u{25ad}", "what the error is about" } }

-- Functions (box, row) that return true if a row has the mark of this id.
local ROW_MARKS = {
  ["in"] = function(row) return row.mark == ">" end,
  out = function(row) return row.mark == "<" end,
  changed = function(row) return row.is.changed end,
  unknown = function(row) return row.is.unknown end,
  count = function(row) return row.text:find "\u{d7}%d" end,
  element = function(row) return row.port and row.text:find "%[%d+%]" end,
  excluded = function(row) return row.is.excluded end,
  host = function(row) return row.text:find "host address$" end,
  wrong = function(row) return row.is.wrong and not row.text:find "host address$" end,
}

-- Returns the set of the ids of the marks that a picture has, as keys.
function picture.marks(drawing)
  local marks = { fused = drawing.fused[1] ~= nil or nil }
  for _, box in ipairs(drawing.boxes) do
    for _, word in ipairs { "new", "absent", "group", "offending" } do
      if box.is[word] then marks[word] = true end
    end
    if box.mark then marks[box.mark == ">" and "in" or "out"] = true end
    if box.title:find " %(%d+%)$" then marks.chain = true end
    for id, has in pairs(ROW_MARKS) do
      for _, row in ipairs(marks[id] and {} or box.rows) do
        if has(row) then marks[id] = true end
      end
    end
  end
  return marks
end

-- ------------------------------------------------------------------------------------ measuring --

-- Heights in points: of a row, of a line in the head of a box, of the band of a level.
picture.ROW, picture.LINE, picture.BAND = 18, 14, 18
local GUTTER = 14 -- width in points of the column of marks ("<", ">") before the names of rows
local CHARACTER, WIDE = 6.65, 7.3 -- widths in points of a character: in monospaced text of 11 points, in a title
local PAD = 8 -- distance in points of text from the left and right border of a box

-- Returns the width of a text in points. `each`: width of a character in points.
local function width_of(text, each) return (utf8.len(text) or #text) * each end

-- Returns the width of a box and the height of its head, in points.
function picture.measure(box)
  local width = width_of(box.title, WIDE) + 2 * PAD + (box.is.group and 2 * GUTTER or 0)
  for _, note in ipairs(box.annotations) do width = math.max(width, width_of(note, CHARACTER) + 2 * PAD) end
  for _, row in ipairs(box.rows) do
    local gap = row.name ~= "" and row.text ~= "" and 12 or 0
    width = math.max(width, width_of(row.name, CHARACTER) + width_of(row.text, CHARACTER) + gap + GUTTER
      + 2 * PAD + (row.port and 8 or 0))
  end
  return math.ceil(width), (#box.annotations + 1) * picture.LINE + 8
end

-- Returns the number of the row of `box` at which an arrow ends: the last row that begins at or before the arrow's
-- offset. Returns nil if the arrow points to the whole box.
function picture.row_at(box, arrow)
  local index
  for k, row in ipairs(arrow.at and box.rows or {}) do
    if row.offset <= arrow.at then index = k end
  end
  return index
end

-- Returns a text that identifies an arrow within a picture: its box, row and target.
function picture.arrow_key(arrow) return ("%s\0%s\0%s"):format(arrow.from, arrow.key or "", arrow.to) end

-- Returns a picture with space for all pictures of a list: the result has each box in its largest size (fields `width`
-- and `head`), with every row, and every arrow.
function picture.union(list)
  local all, visited = { boxes = {}, arrows = {}, levels = {}, title = "" }, {}
  -- Adds a box to the union, or enlarges the box with the same id there.
  local function add_box(box)
    local largest_box = all.boxes[box.id]
    if not largest_box then -- largest_box.rows is a list, and has the number of each row by key
      largest_box = { id = box.id, side = box.side, twin = box.twin, rows = {}, annotations = box.annotations,
        title = box.title, is = {}, width = 0, head = 0 }
      all.boxes[#all.boxes + 1], all.boxes[box.id] = largest_box, largest_box
    end
    local width, head = picture.measure(box)
    largest_box.width, largest_box.head = math.max(largest_box.width, width), math.max(largest_box.head, head)
    for _, row in ipairs(box.rows) do
      if not largest_box.rows[row.key] then
        largest_box.rows[row.key] = #largest_box.rows + 1
        largest_box.rows[#largest_box.rows + 1] = row
      end
    end
  end
  -- Adds an arrow to the union unless it has an arrow with the same key.
  local function add_arrow(arrow)
    local key = picture.arrow_key(arrow)
    if not visited[key] then
      visited[key] = true
      all.arrows[#all.arrows + 1] = arrow
    end
  end
  -- Calls add(thing) for each of `things` that no earlier call has visited: pictures share boxes and arrows.
  local function each(things, add)
    for _, thing in ipairs(things) do
      if not visited[thing] then
        visited[thing] = true
        add(thing)
      end
    end
  end
  for _, drawing in ipairs(list) do
    all.device = drawing.device
    each(drawing.boxes, add_box)
    each(drawing.arrows, add_arrow)
    if #drawing.levels > #all.levels then all.levels = drawing.levels end
  end
  return all
end

return picture
