-- svg.lua - draws a picture as SVG at the positions of picture_layout.lua. Boxes, rows, arrows, levels and fused blocks
-- are those of picture.lua.
--
-- svg.render_parts(picture, layout) returns independent texts, which html.lua shares between steps: parts of the
-- background, of each side relative to its origin, and of what lies over both sides.
-- svg.document(picture, layout) returns the text of an SVG file.

local picture = require "accdeep.inspect.draw.picture"
local picture_style = require "accdeep.inspect.draw.picture_style"

local svg = {}

-- Lengths in points: distance of text from the border of a box, width of the column of marks, width of a character.
local PAD, GUTTER, CHARACTER = 8, 10, 6.65
-- Distance in points of the drawing from the border of an SVG file.
local MARGIN = 10

local escapes = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["'"] = "&#39;" }

-- Returns a text with XML markup escaped; invalid and control characters become "?".
function svg.escape(text)
  if not utf8.len(text) then text = text:gsub("[\128-\255]", "?") end
  return (text:gsub("[&<>\"']", escapes):gsub("[%z\1-\8\11-\31\127]", "?"):gsub("\u{FFFE}", "?"):gsub("\u{FFFF}", "?"))
end
local escaped = svg.escape

-- Returns a number as text with at most one decimal.
local function fixed(n)
  return (("%.1f"):format(n):gsub("%.0$", ""))
end

-- Returns the value of an element's class attribute: the word `first`, then the sorted keys of `is` whose value is
-- true.
local function class_words(first, is)
  local list = {}
  for word, holds in pairs(is) do
    if holds then list[#list + 1] = word end
  end
  table.sort(list)
  table.insert(list, 1, first)
  return table.concat(list, " ")
end

-- Returns a text element with the escaped text `content`. `anchor`: its text-anchor attribute, or nil.
local function text(class, x, y, content, anchor)
  return ('<text class="%s" x="%s" y="%s"%s>%s</text>'):format(class, fixed(x), fixed(y),
    anchor and (' text-anchor="%s"'):format(anchor) or "", escaped(content))
end

-- ------------------------------------------------------------------------------------------ boxes --

-- Returns the elements of a row of a box at height `y`. `layout`: position and size of the box (picture_layout.lua).
local function row_of(row, layout, y)
  local is = { changed = row.is.changed, unknown = row.is.unknown, excluded = row.is.excluded or row.is.unmapped,
    elided = row.is.elided, wrong = row.is.wrong, offending = row.is.offending, moved = row.mark ~= nil }
  local base = y + picture.ROW - 5
  local parts = { ('<g class="%s">'):format(class_words("row", is)),
    ('<rect x="%s" y="%s" width="%s" height="%d"/>'):format(fixed(layout.x + 1), fixed(y + .5), fixed(layout.width - 2),
      picture.ROW - 1),
    ('<line class="rule" x1="%s" y1="%s" x2="%s" y2="%s"/>'):format(fixed(layout.x), fixed(y),
      fixed(layout.x + layout.width), fixed(y)) }
  if row.mark then parts[#parts + 1] = text("arrowmark", layout.x + 5, base, row.mark) end
  local left, right = layout.x + PAD + GUTTER, layout.x + layout.width - PAD
  if row.port then -- an arrow starts here: on the left if it ends on the other side (row.across), else on the right
    parts[#parts + 1] = ('<circle class="port" cx="%s" cy="%s" r="3"/>'):format(
      fixed(row.across and layout.x or right - 1), fixed(y + picture.ROW / 2))
    right = right - 10
  end
  if row.name ~= "" then parts[#parts + 1] = text("name", left, base, row.name) end
  if row.text ~= "" then
    if row.name ~= "" then parts[#parts + 1] = text("value", right, base, row.text, "end")
    else parts[#parts + 1] = text("value", left, base, row.text) end
  end
  parts[#parts + 1] = "</g>"
  return table.concat(parts)
end

-- Returns the attributes of a box that a page's script needs: its id, the id of the host's object, its name, and for a
-- group the names of its objects.
local function attributes_of(box)
  local list = { (' data-id="%s"'):format(box.id), box.twin and (' data-twin="%s"'):format(box.twin) or "",
    (' data-name="%s"'):format(escaped(box.title)) }
  if box.names and box.names[1] then
    list[#list + 1] = (' data-names="%s" tabindex="0" role="button"'):format(escaped(table.concat(box.names, "\n"))
      :gsub("\n", "&#10;"))
  end
  return table.concat(list)
end

-- Returns the elements of a box. `layout`: its position and size (picture_layout.lua).
local function box_of(box, layout)
  local middle = layout.x + layout.width / 2
  local parts = { ('<g class="%s"%s><title>%s</title>'):format(class_words("box " .. box.side, box.is),
    attributes_of(box), escaped(table.concat(box.details, "\n"))),
    ('<rect class="body" x="%s" y="%s" width="%s" height="%s" rx="4"/>'):format(fixed(layout.x), fixed(layout.y),
      fixed(layout.width), fixed(layout.height)),
    ('<path class="head" d="M%s %sv-%sa3 3 0 0 1 3-3h%sa3 3 0 0 1 3 3v%sz"/>'):format(fixed(layout.x + 1),
      fixed(layout.y + layout.head), fixed(layout.head - 4), fixed(layout.width - 8), fixed(layout.head - 4)) }
  -- the lines are in the middle of the head, which other steps may need to be higher
  local y = layout.y + picture.LINE + (layout.head - (#box.annotations + 1) * picture.LINE - 8) / 2
  parts[#parts + 1] = text("title", middle, y, box.title, "middle")
  for i, note in ipairs(box.annotations) do
    y = y + picture.LINE
    parts[#parts + 1] = text(box.is.counted and i == #box.annotations and "note counted" or "note", middle, y, note,
      "middle")
  end
  if box.mark then parts[#parts + 1] = text("arrowmark", layout.x + 5, layout.y + picture.LINE, box.mark) end
  for _, row in ipairs(box.rows) do parts[#parts + 1] = row_of(row, layout, layout.y + layout.rows[row.key]) end
  parts[#parts + 1] = "</g>"
  return table.concat(parts)
end

-- ----------------------------------------------------------------------------------------- arrows --

-- Returns the elements of an arrow with its head. `points`: a list of {x, y}: the start, three points for each Bezier
-- curve, then the tip.
local function arrow_of(arrow, points)
  local path = {}
  for i, point in ipairs(points) do
    local letter = i == 1 and "M" or i == 2 and "C" or i == #points and "L" or ""
    path[i] = ("%s%s %s"):format(letter, fixed(point[1]), fixed(point[2]))
  end
  local tip, before = points[#points], points[#points - 1]
  local dx, dy = tip[1] - before[1], tip[2] - before[2]
  local length = math.max(math.sqrt(dx * dx + dy * dy), 0.01)
  dx, dy = dx / length * 7, dy / length * 7
  return ('<path class="link %s" d="%s"/><path class="tip %s" d="M%s %sL%s %sL%s %sz"/>'):format(arrow.is,
    table.concat(path, " "), arrow.is, fixed(tip[1]), fixed(tip[2]), fixed(tip[1] - dx + dy * .5),
    fixed(tip[2] - dy - dx * .5), fixed(tip[1] - dx - dy * .5), fixed(tip[2] - dy + dx * .5))
end

-- ----------------------------------------------------------------------------------------- levels --

-- Distance in points of the outermost level's frame from the top of the device's area.
local BAND_TOP = 24

-- Returns the elements of the levels' bands in the device's area {x, y, width, height}: frames in each other, one for
-- each open level.
local function bands_of(drawing, area)
  local parts = {}
  for i, level in ipairs(drawing.levels) do
    local x, width = area.x + 4 + 5 * i, area.width - 8 - 10 * i
    local y = area.y + BAND_TOP + (i - 1) * picture.BAND
    local line = ("%d %s:  %s"):format(i, level.title, table.concat(level.parts, "  ")):gsub(":  $", "")
    local max_length = math.max(8, (width - 12) // CHARACTER)
    local label = #line > max_length and line:sub(1, max_length - 3) .. "..." or line
    parts[#parts + 1] = ('<g><title>%s</title><rect class="band" x="%s" y="%s" width="%s" height="%s" rx="5"/>%s</g>')
      :format(escaped(line), fixed(x), fixed(y), fixed(width), fixed(area.y + area.height - y - 3 * i),
        text("small", x + 6, y + 12, label))
  end
  return table.concat(parts)
end

-- Returns the elements of frames around the boxes of fused objects, which share one block of device memory. place(id)
-- returns the layout of a box.
local function fused_frames(drawing, place)
  local parts = {}
  for _, block in ipairs(drawing.fused) do
    local left, top, right, bottom = math.huge, math.huge, 0, 0
    for _, id in ipairs(block.ids) do
      local box = place(id)
      left, top = math.min(left, box.x), math.min(top, box.y)
      right, bottom = math.max(right, box.x + box.width), math.max(bottom, box.y + box.height)
    end
    parts[#parts + 1] = ('<g class="fused"><rect x="%s" y="%s" width="%s" height="%s" rx="7"/>%s</g>'):format(
      fixed(left - 5), fixed(top - 5), fixed(right - left + 10), fixed(bottom - top + 22),
      text("small", left + 2, bottom + 12, block.title))
  end
  return table.concat(parts)
end

-- Returns the elements of the areas of host and device: background and title.
local function sides_of(drawing, layout)
  local parts = {}
  for _, side in ipairs { "host", "device" } do
    local area = layout.sides[side]
    if area then
      parts[#parts + 1] = ('<rect class="side %s" x="%s" y="%s" width="%s" height="%s" rx="10"/>'):format(side,
        fixed(area.x), fixed(area.y), fixed(area.width), fixed(area.height))
      parts[#parts + 1] = text("label", area.x + 12, area.y + 17,
        side == "host" and "host" or "device " .. drawing.device)
    end
  end
  return table.concat(parts)
end

-- ------------------------------------------------------------------------------------- the whole --

-- Returns the parts of a picture as lists of texts: {back, host, device, over}. Parts of the sides are relative to the
-- origins of the sides (picture_layout.lua). Boxes and arrows without a layout are omitted.
function svg.render_parts(drawing, layout)
  local parts = { back = { sides_of(drawing, layout) }, host = {}, device = {}, over = {} }
  if drawing.levels[1] then parts.back[2] = bands_of(drawing, layout.sides.device) end
  -- Returns the layout of a box relative to the origin of its side.
  local function place(id)
    local box, origin = layout.boxes[id], layout.sides[drawing.boxes[id].side].origin
    return setmetatable({ x = box.x - origin.x, y = box.y - origin.y }, { __index = box })
  end
  if drawing.fused[1] then parts.device[1] = fused_frames(drawing, place) end
  for _, box in ipairs(drawing.boxes) do
    if layout.boxes[box.id] then table.insert(parts[box.side], box_of(box, place(box.id))) end
  end
  for _, arrow in ipairs(drawing.arrows) do
    local points = layout.arrows[picture.arrow_key(arrow)]
    local from, to = drawing.boxes[arrow.from], drawing.boxes[arrow.to]
    if points and from and to and from.side == to.side then
      local origin, moved = layout.sides[from.side].origin, {}
      for i, point in ipairs(points) do moved[i] = { point[1] - origin.x, point[2] - origin.y } end
      table.insert(parts[from.side], arrow_of(arrow, moved))
    elseif points and from and to then
      table.insert(parts.over, arrow_of(arrow, points))
    end
  end
  return parts
end

-- Returns the elements of a picture as one text.
function svg.picture(drawing, layout)
  local parts = svg.render_parts(drawing, layout)
  local list = { table.concat(parts.back, "\n") }
  for _, side in ipairs { "host", "device" } do
    local origin = layout.sides[side].origin
    list[#list + 1] = ('<g transform="translate(%s %s)">'):format(fixed(origin.x), fixed(origin.y))
    list[#list + 1] = table.concat(parts[side], "\n") .. "</g>"
  end
  list[#list + 1] = table.concat(parts.over, "\n")
  return table.concat(list, "\n")
end

-- Returns a list of lines with the words of a text. A line has at most `max_length` characters, unless a single word
-- is longer.
local function lines_of(content, max_length)
  local lines, line = {}, ""
  for word in content:gmatch "%S+" do
    if #line + #word + 1 > max_length and line ~= "" then
      lines[#lines + 1], line = line, word
    else
      line = line == "" and word or line .. " " .. word
    end
  end
  lines[#lines + 1] = line
  return lines
end

-- Returns the elements of the legend of a picture, chips with the marks that the picture has, and its height. `width`:
-- of the legend; y: of its first line.
local function legend_of(drawing, width, y)
  local marks, parts, x, top = picture.marks(drawing), {}, MARGIN, y - 12
  for _, mark in ipairs(picture.LEGEND) do
    local id, sample, meaning = table.unpack(mark)
    meaning = meaning:gsub(": click.*", "")
    if marks[id] then
      local left, all = utf8.len(sample) * CHARACTER, utf8.len(sample .. meaning) * CHARACTER + 20
      if x > MARGIN and x + all > width then x, y = MARGIN, y + 22 end
      parts[#parts + 1] = ('<g class="chip %s"><rect x="%s" y="%s" width="%s" height="18" rx="9"/>%s%s</g>'):format(id,
        fixed(x), fixed(y - 12), fixed(all), text("sample", x + 7, y + 1, sample), text("small", x + 13 + left, y + 1,
          meaning))
      x = x + all + 8
    end
  end
  return table.concat(parts, "\n"), parts[1] and y - 12 - top + 22 or 0
end

-- Returns a picture as the text of an SVG file, with caption, error and legend.
function svg.document(drawing, layout)
  local width = math.max(layout.width, 560) + 2 * MARGIN
  local max_length = (width - 2 * MARGIN) // CHARACTER
  local y, over = 22, {}
  for _, line in ipairs(lines_of(drawing.title .. picture.location_text(drawing), max_length * 0.85 // 1)) do
    over[#over + 1] = text("caption", MARGIN, y, line)
    y = y + 18
  end
  if drawing.error then
    for _, line in ipairs(lines_of(("%s[%s]: %s"):format(drawing.error.level or "error",
      drawing.error.code, drawing.error.message), max_length)) do
      over[#over + 1] = text("failure", MARGIN, y, line)
      y = y + 15
    end
  end
  local below = {}
  local bottom = y + layout.height + 18
  if #drawing.left_out > 0 then
    for _, line in ipairs(lines_of("never on the device: " .. table.concat(drawing.left_out, ", "), max_length)) do
      below[#below + 1] = text("small", MARGIN, bottom, line)
      bottom = bottom + 15
    end
  end
  local legend, height = legend_of(drawing, width - MARGIN, bottom + 2)
  below[#below + 1] = legend
  bottom = bottom + height
  return '<?xml version="1.0" encoding="UTF-8"?>\n' .. picture_style.inline_styles(table.concat({
    ('<svg xmlns="http://www.w3.org/2000/svg" class="pic" role="img" width="%s" height="%s" viewBox="0 0 %s %s">')
      :format(fixed(width), fixed(bottom), fixed(width), fixed(bottom)),
    ("<title>%s</title>"):format(escaped(drawing.title)),
    '<rect class="paper" width="100%" height="100%"/>', table.concat(over, "\n"),
    ('<g transform="translate(%d %s)">'):format(MARGIN, fixed(y)), svg.picture(drawing, layout), "</g>",
    table.concat(below, "\n"), "</svg>" }, "\n")) .. "\n"
end

return svg
