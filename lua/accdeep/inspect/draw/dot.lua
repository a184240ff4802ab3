-- dot.lua - writes a picture as text for Graphviz: host and device as clusters, objects as tables. picture_layout.lua
-- uses dot.graph, draw/init.lua dot.text.
--
-- A picture has boxes (objects) with rows (members), and arrows (pointers) between them; see picture.lua. Arrows point
-- to the right. The device's objects are placed to the right of all columns of the host.

local picture = require "accdeep.inspect.draw.picture"

local FILLS = { host = "white", device = "lightblue" }
local LABEL = 60 -- limit of characters of the line that describes a level (an open region)
local MARKS = { [">"] = "&gt;", ["<"] = "&lt;" }

local escapes = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

-- Returns a text escaped for HTML-like labels; invalid and control characters become "?".
local function escape(text)
  if not utf8.len(text) then text = text:gsub("[\128-\255]", "?") end
  return (text:gsub('[&<>"]', escapes):gsub("[%c\127]", "?"))
end

-- Returns an escaped text in which each first blank after 80 characters of a line is a line break.
local function break_lines(text) return (text:gsub(("."):rep(80) .. "[^ ]* ", "%0<br/>"):gsub(" <br/>", "<br/>")) end

-- Returns the color of the text of a picture's row; nil for the default.
local function color_of(row)
  local is = row.is
  return is.offending and "red" or is.wrong and "red3" or is.excluded and "gray60" or is.unknown and "gray45"
    or is.changed and "darkgreen" or nil
end

-- Returns the escaped text between two tags; "" for an empty text, because Graphviz rejects tags around it.
local function wrap_tag(open, text, close)
  return text ~= "" and open .. escape(text) .. close or ""
end

-- Returns a picture's box as an HTML-like table of Graphviz. `cell`: {width, head}, the width of the box and the height
-- of its head in points.
local function table_of(box, cell)
  local is, parts = box.is, {}
  local head = { wrap_tag("<b>", box.title, "</b>") }
  for _, note in ipairs(box.annotations) do head[#head + 1] = escape(note) end
  parts[1] = ('<tr><td port="all" colspan="2" fixedsize="true" width="%d" height="%d" bgcolor="%s">%s%s</td></tr>')
    :format(cell.width, cell.head, is.offending and "mistyrose" or is.absent and "gray92" or FILLS[box.side],
      box.mark and MARKS[box.mark] .. " " or "", table.concat(head, "<br/>"))
  for i, row in ipairs(box.rows) do
    local color = color_of(row)
    local text = row.name .. (row.name ~= "" and row.text ~= "" and "  " or "") .. row.text
    parts[#parts + 1] = ('<tr><td port="r%d" fixedsize="true" width="%d" height="%d" align="left"%s>%s%s</td></tr>')
      :format(i, cell.width, picture.ROW, is.absent and ' bgcolor="gray96"' or "",
        row.mark and "<b>" .. MARKS[row.mark] .. "</b> " or "",
        color and wrap_tag(('<font color="%s">'):format(color), text, "</font>") or escape(text))
  end
  if box.below and box.below > 0 then
    parts[#parts + 1] = ('<tr><td fixedsize="true" width="%d" height="%d"></td></tr>'):format(cell.width, box.below)
  end
  return ('<table border="0" cellborder="1" cellspacing="0" cellpadding="0"%s>%s</table>'):format(
    is.absent and ' color="gray60"' or is.offending and ' color="red"' or "", table.concat(parts))
end

-- Returns a table from box to its column, and the number of columns of the host. The column is the least number of
-- pointers from a box to which no pointer of the same side points. A cycle of pointers that is reached from no other
-- box begins with its first box in column 0.
local function depths(drawing)
  local depth, out, is_target = {}, {}, {}
  for _, arrow in ipairs(drawing.arrows) do
    local from, to = drawing.boxes[arrow.from], drawing.boxes[arrow.to]
    if from and to and from.side == to.side and from ~= to then
      out[from] = out[from] or {}
      table.insert(out[from], to)
      is_target[to] = true
    end
  end
  local queue = {}
  -- Gives the box column `d` unless it has one, and appends it to `queue`.
  local function enter(box, d)
    if not depth[box] then
      depth[box] = d
      queue[#queue + 1] = box
    end
  end
  local done = 0
  -- Gives the next column to the targets of the queued boxes, until the queue is empty.
  local function visit_queue()
    while done < #queue do
      done = done + 1
      local box = queue[done]
      for _, to in ipairs(out[box] or {}) do
        enter(to, depth[box] + 1)
      end
    end
  end
  for _, box in ipairs(drawing.boxes) do
    if not is_target[box] then enter(box, 0) end
  end
  visit_queue()
  for _, box in ipairs(drawing.boxes) do -- the remaining boxes are reached only from cycles of pointers
    enter(box, 0)
    visit_queue()
  end
  local last_column = 0
  for _, box in ipairs(drawing.boxes) do
    if box.side == "host" then last_column = math.max(last_column, depth[box]) end
  end
  return depth, last_column + 1
end

local COLORS = { attached = "blue", untranslated = "red", device = "blue", group = "gray60", host = "black" }

-- Appends the arrows of a picture to the list of lines `out`. `depth`: a table from box to its column. Arrows other
-- than those to the next column do not influence the layout.
local function arrows(drawing, depth, out)
  for i, arrow in ipairs(drawing.arrows) do
    local from, to = drawing.boxes[arrow.from], drawing.boxes[arrow.to]
    if from and to then
      local port = "all"
      for n, row in ipairs(from.rows) do
        if row.key == arrow.key then port = "r" .. n end
      end
      local onward = from.side == to.side and depth[to] == depth[from] + 1
      local same = from.side == to.side and depth[to] == depth[from]
      local level = from.side == to.side and not onward and not same and depth[to] < depth[from]
      local row = picture.row_at(to, arrow)
      out[#out + 1] = ("  %s:%s:e -> %s:%s:%s [id=a%d, color=%s%s%s];"):format(arrow.from, port, arrow.to,
        row and "r" .. row or "all",
        (same or level) and "e" or from.side ~= to.side and "e" or "w", i, COLORS[arrow.is],
        (arrow.is == "untranslated" or arrow.is == "group") and ", style=dashed" or "",
        onward and ", weight=3" or ", constraint=false")
    end
  end
end

-- Appends the boxes of `side` ("host" or "device") as a cluster to the lines `out`. `cells`: a table from the id of a
-- box to its cell sizes {width, head} in points.
local function cluster(drawing, side, cells, out)
  out[#out + 1] = ("  subgraph cluster_%s {"):format(side)
  local label = { side == "host" and "host" or "device " .. (drawing.device or 0) }
  for i, level in ipairs(side == "device" and drawing.levels or {}) do
    local line = ("%d %s: %s"):format(i, level.title, table.concat(level.parts, "  ")):gsub(": $", "")
    label[#label + 1] = escape(#line > LABEL and line:sub(1, LABEL - 3) .. "..." or line)
  end
  out[#out + 1] = ('    label=<%s>; style="rounded,filled"; fillcolor="%s"; color=gray; fontcolor=black;'):format(
    table.concat(label, "<br/>"), side == "host" and "gray97" or "aliceblue")
  local any = false
  for _, box in ipairs(drawing.boxes) do
    if box.side == side then
      any = true
      out[#out + 1] = ("    %s [label=<%s>];"):format(box.id, table_of(box, cells[box.id]))
    end
  end
  if not any then out[#out + 1] = ('    none_%s [shape=none, label="nothing"];'):format(side) end
  out[#out + 1] = "  }"
end

-- Appends invisible arrows to the lines `out`. They keep the device's objects to the right of all `columns` columns of
-- the host, at the height of the host objects to which they belong. `depth`: column by box.
local function separate_columns(drawing, depth, columns, out)
  local first, any
  for _, box in ipairs(drawing.boxes) do
    first = first or box.side == "host" and box.id
    any = any or box.side == "device"
  end
  first = first or "none_host"
  -- Appends an invisible arrow between two ids. minlen: its least length in columns; weight: how strongly it keeps the
  -- height.
  local function invisible(from, to, minlen, weight)
    out[#out + 1] = ("  %s -> %s [style=invis, minlen=%d, weight=%d];"):format(from, to, minlen, weight)
  end
  for _, box in ipairs(drawing.boxes) do
    local twin = drawing.boxes[box.twin or ""]
    if box.side == "device" and twin then
      invisible(twin.id, box.id, columns, 2)
    elseif box.side == "device" then
      invisible(first, box.id, columns + depth[box], 0)
    end
  end
  if not any then invisible(first, "none_device", columns, 0) end
end

local SPACING = "rankdir=LR; ranksep=0.7; nodesep=0.2;"
local NODES = '  node [shape=plain, fontname="Courier", fontsize=11]; edge [arrowsize=0.7];'

local dot = {}

-- Returns the text for Graphviz of a picture's boxes and arrows, without the areas of host and device. Precondition:
-- the boxes have sizes (fields `width` and `head`). picture_layout.lua lets Graphviz place these boxes.
function dot.graph(drawing)
  local out = { "digraph accdeep {", "  " .. SPACING, NODES }
  for _, box in ipairs(drawing.boxes) do out[#out + 1] = ("  %s [label=<%s>];"):format(box.id, table_of(box, box)) end
  local depth, columns = depths(drawing), {}
  for _, box in ipairs(drawing.boxes) do
    local d = depth[box]
    columns[d] = (columns[d] or "") .. " " .. box.id .. ";"
  end
  for d = 0, #columns do out[#out + 1] = ("  { rank=same;%s }"):format(columns[d] or "") end
  arrows(drawing, depth, out)
  out[#out + 1] = "}"
  return table.concat(out, "\n") .. "\n"
end

-- Returns the text for Graphviz for a whole picture with the areas of host and device. Boxes without a size are
-- measured.
function dot.text(drawing)
  local cells = {}
  for _, box in ipairs(drawing.boxes) do
    local width, head = box.width, box.head
    if not width then width, head = picture.measure(box) end
    cells[box.id] = { width = width, head = head }
  end
  local depth, columns = depths(drawing)
  local title = escape(drawing.title .. picture.location_text(drawing))
  local err = drawing.error
  if err then title = title .. "<br/>" .. break_lines(escape(("%s: %s"):format(err.code, err.message))) end
  local out = { "digraph accdeep {",
    ("  %s fontname=Helvetica; labelloc=t; fontcolor=%s; label=<%s>;"):format(SPACING, err and "red" or "black",
      title), NODES }
  cluster(drawing, "host", cells, out)
  cluster(drawing, "device", cells, out)
  separate_columns(drawing, depth, columns, out)
  arrows(drawing, depth, out)
  out[#out + 1] = "}"
  return table.concat(out, "\n") .. "\n"
end

return dot
