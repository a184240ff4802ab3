-- picture_layout.lua - computes the positions of boxes and arrows of a case's pictures with Graphviz.
--
--   pictures -> union of all boxes -> one node per object and its device copies -> Graphviz, once per case.
--   each picture: unused gaps are closed, boxes are placed on both sides in the same arrangement.
--
-- Pictures, boxes, rows and arrows are those of picture.lua. Arranging all boxes once keeps their order from step to
-- step. Parts that no arrow connects are placed below each other, in the order of their first appearance.
--
-- picture_layout.all(pictures) returns a layout for each picture, in points from the upper left:
--   {width, height, sides = side -> {x, y, width, height, origin = {x, y}}.
--    boxes = id -> {x, y, width, head, height, rows = key -> y in the box}.
--    arrows = picture.arrow_key -> list of points.
--    wide, stacked = the layouts with the device beside the host, and below it}
-- The layout is the one of these two that is larger in a usual window. Relative to the origin of its side, a box has
-- the same place in both.
--
-- Raises an error with the code "file" if Graphviz is missing.

local diagnostic = require "accdeep.base.diagnostic"
local arrow_router = require "accdeep.inspect.draw.arrow_router"
local dot = require "accdeep.inspect.draw.dot"
local json = require "dkjson"
local picture = require "accdeep.inspect.draw.picture"

local picture_layout = {}

-- Distances and lengths in points.
local STACK = 8                       -- distance of the boxes on the device that belong to one host object
local HEAD, EDGE, SIDE_GAP = 28, 14, 28 -- margins of a side: above its boxes, around them, to the other side
local LEVEL = 5                       -- distance of a level's frame from the frame of the enclosing level
local CHARACTER, MAX_NAME = 6.65, 260 -- width of a character; limit of the room for the name of a level
local OUT = 9                         -- distance from a box at which an arrow to the other side may turn
local TIP = 7                         -- length of an arrowhead
local MAX_GAP = 26                    -- largest vertical distance of boxes after gaps are closed
local WINDOW = { 1300, 680 }          -- width and height of a window in which a page is usually shown
local MISSING = 127 -- exit status with which a shell reports that it finds no program

-- Raises an error with the code "file", about Graphviz or a file; never returns.
local function fail(message, help)
  error(diagnostic.new { code = "file", message = message, rule = "HOUSE-files", help = help }, 0)
end

-- Raises the error that Graphviz is missing; never returns.
function picture_layout.fail_without_graphviz()
  fail("Graphviz is needed to lay out a picture, and there is no program 'dot'",
    "install it (Debian's package graphviz), or write a .dot file")
end

-- Returns the output of a shell command for the input `text`, and its exit status. `command`: has %s for the name of a
-- file with the input. Raises if no temporary file can be made.
local function run_filter(command, text)
  local name = os.tmpname() -- a file: the shell command contains no text of the user
  local file, problem = io.open(name, "w")
  if not file then fail(problem) end
  file:write(text)
  file:close()
  local pipe = io.popen(command:format(name))
  local output = pipe:read "a"
  local _, _, status = pipe:close()
  os.remove(name)
  return output, status
end

-- Returns Graphviz's output in a format, such as "json0" or "png", for the graphs in `text`. Raises if Graphviz is
-- missing or fails, or if no temporary file can be made.
function picture_layout.run_graphviz(text, format)
  local output, status = run_filter("dot -T" .. format .. " '%s' 2>/dev/null", text)
  if status == MISSING then
    picture_layout.fail_without_graphviz()
  elseif status ~= 0 then
    fail(("Graphviz ended with status %s"):format(status), "write a .dot file, and see what 'dot' says about it")
  end
  return output
end

-- Returns the SVG file `text` in the format "png", at twice its size, or "pdf"; nil if rsvg-convert is missing or
-- fails.
function picture_layout.convert_svg(text, format)
  local zoom = format == "png" and " --zoom 2" or ""
  local output, status = run_filter("rsvg-convert -f " .. format .. zoom .. " '%s' 2>/dev/null", text)
  return status == 0 and output ~= "" and output or nil
end

-- Returns a list of the numbers in a text.
local function numbers(text)
  local list = {}
  for n in text:gmatch "[-%d.e]+" do list[#list + 1] = tonumber(n) end
  return list
end

-- Returns the points {x, y} of an arrow from Graphviz's attribute `pos`: the start, then three points per Bezier curve,
-- then the head ("e,x,y"). `top`: the y coordinate that becomes 0, since Graphviz counts from the bottom.
local function points_of(pos, top)
  local ex, ey = pos:match "e,([-%d.]+),([-%d.]+)"
  local list = {}
  for x, y in pos:gsub("[es],[-%d.]+,[-%d.]+", ""):gmatch "([-%d.]+),([-%d.]+)" do
    list[#list + 1] = { tonumber(x), top - tonumber(y) }
  end
  if ex then list[#list + 1] = { tonumber(ex), top - tonumber(ey) } end
  return list
end

-- Returns the height of a box in points.
local function height_of(box) return box.head + #box.rows * picture.ROW end

-- Returns a picture in which one node represents a host object and its device copies, and a table from box id to node.
-- `union`: result of picture.union. A node is a box with the further fields: `single`, height on the host; `stacked`,
-- height of the device copies one below the other; `below`, free space below its rows. Arrows between sides are
-- omitted.
local function merge_unions(union)
  local all, node_of = { boxes = {}, arrows = {} }, {}
  for _, box in ipairs(union.boxes) do
    local node = box.twin and all.boxes[box.twin]
    if not node then
      node = { id = box.id, side = "host", title = "", annotations = { box.annotations[1] }, rows = {}, is = {},
        width = 0, head = 0, stacked = 0, single = 0 }
      all.boxes[#all.boxes + 1], all.boxes[box.id] = node, node
    end
    node_of[box.id] = node
    node.width, node.head = math.max(node.width, box.width), math.max(node.head, box.head)
    if box.side == "host" then node.single = height_of(box)
    else node.stacked = node.stacked + height_of(box) + STACK end
    for _, row in ipairs(box.rows) do
      if not node.rows[row.key] and (box.side == "host" or node.single == 0) then
        node.rows[row.key] = true
        node.rows[#node.rows + 1] = row
      end
    end
  end
  for _, node in ipairs(all.boxes) do
    local height = math.max(node.single, node.stacked - STACK, height_of(node))
    node.below = height - height_of(node)
  end
  local visited = {}
  for _, arrow in ipairs(union.arrows) do
    local from, to = node_of[arrow.from], node_of[arrow.to]
    if from and to and union.boxes[arrow.from].side == union.boxes[arrow.to].side then
      local merged_arrow = { from = from.id, key = arrow.key, to = to.id, at = arrow.at, is = arrow.is }
      local key = picture.arrow_key(merged_arrow)
      if not visited[key] then
        visited[key] = true
        all.arrows[#all.arrows + 1] = merged_arrow
      end
    end
  end
  return all, node_of
end

-- Returns the connected components of the picture `nodes` of merge_unions as a list of pictures, in the order of their
-- first boxes.
local function connected_components(nodes)
  local neighbours = {}
  for _, box in ipairs(nodes.boxes) do neighbours[box.id] = {} end
  for _, arrow in ipairs(nodes.arrows) do
    table.insert(neighbours[arrow.from], arrow.to)
    table.insert(neighbours[arrow.to], arrow.from)
  end
  local parts, part_of = {}, {}
  -- Makes `part` the component of the node `id` and of all nodes that are connected with it.
  local function mark_part(id, part)
    local queue = { id }
    while #queue > 0 do
      local current = table.remove(queue)
      if not part_of[current] then
        part_of[current] = part
        for _, other in ipairs(neighbours[current]) do queue[#queue + 1] = other end
      end
    end
  end
  for _, box in ipairs(nodes.boxes) do
    if not part_of[box.id] then
      parts[#parts + 1] = { boxes = {}, arrows = {} }
      mark_part(box.id, parts[#parts])
    end
    local part = part_of[box.id]
    part.boxes[#part.boxes + 1], part.boxes[box.id] = box, box
  end
  for _, arrow in ipairs(nodes.arrows) do table.insert(part_of[arrow.from].arrows, arrow) end
  return parts
end

-- Returns Graphviz's positions for the picture `nodes` of merge_unions: a table from node id to {x, y} of the upper
-- left corner, and a table from arrow key to points. Raises if Graphviz is missing or too old.
local function positions(nodes)
  local parts, texts = connected_components(nodes), {}
  for i, part in ipairs(parts) do texts[i] = dot.graph(part) end
  local text, at, routes, below = picture_layout.run_graphviz(table.concat(texts), "json0"), {}, {}, 0
  local from = 1
  for _, part in ipairs(parts) do
    local graph, next_start = json.decode(text, from)
    if not graph or not graph.bb then fail("Graphviz gave no positions", "2.40 and newer have -Tjson0") end
    from = next_start
    local top = numbers(graph.bb)[4]
    for _, object in ipairs(graph.objects or {}) do
      local node = part.boxes[object.name]
      if node then
        local middle = numbers(object.pos)
        at[node.id] = { x = middle[1] - node.width / 2,
          y = below + top - middle[2] - (height_of(node) + node.below) / 2 }
      end
    end
    for _, edge in ipairs(graph.edges or {}) do
      local arrow = edge.id and edge.pos and part.arrows[tonumber(edge.id:match "^a(%d+)$")]
      if arrow then routes[picture.arrow_key(arrow)] = points_of(edge.pos, below + top) end
    end
    below = below + top + MAX_GAP
  end
  return at, routes
end

-- Returns a function that closes gaps along one axis: it maps a coordinate to its new value. The second result is the
-- new end of the last box. `spans`: list of {low, high} of the boxes, sorted here; `max_gap`: largest remaining gap.
local function closing(spans, max_gap)
  table.sort(spans, function(a, b) return a[1] < b[1] end)
  local blocks = {}
  for _, span in ipairs(spans) do
    local last = blocks[#blocks]
    if last and span[1] <= last.high then
      last.high = math.max(last.high, span[2])
    else
      local gap = last and math.min(span[1] - last.high, max_gap) or 0
      blocks[#blocks + 1] = { low = span[1], high = span[2], gap = gap }
    end
  end
  local to = 0
  for _, block in ipairs(blocks) do
    block.to = to + block.gap
    to = block.to + block.high - block.low
  end
  return function(c)
    local before
    for _, block in ipairs(blocks) do
      if c < block.low then
        if not before then return math.max(block.to + c - block.low, -EDGE / 2) end
        local share = (c - before.high) / (block.low - before.high)
        return before.to + before.high - before.low + share * block.gap
      elseif c <= block.high then
        return block.to + c - block.low
      end
      before = block
    end
    return before and before.to + c - before.low or c
  end, to
end

-- Returns the points of an arrow, moved so that it begins at its row and ends at its object. `points`: the points of
-- Graphviz; `from`, `to`: layouts of both boxes; `key`: key of the row; `tip_y`: y of the tip. `map_point(x, y)`: maps
-- points to their positions after gaps are closed.
local function fit_arrow(points, from, to, key, tip_y, map_point)
  local list, n = {}, #points
  local start = { from.x + from.width, from.y + (from.rows[key] and from.rows[key] + picture.ROW / 2 or from.head / 2) }
  local on_left = points[n][1] < points[n - 1][1] -- the arrow points to the left, at the right border of the box
  local tip = { on_left and to.x + to.width or to.x, tip_y }
  for i, point in ipairs(points) do
    local goal, old = start, points[1]
    if i > 2 then goal, old = tip, points[n] end -- points 1 and 2 move with the start, later ones with the tip
    list[i] = { point[1] + goal[1] - old[1], point[2] + goal[2] - old[2] }
  end
  for i = 3, n - 3 do list[i] = { map_point(points[i][1], points[i][2]) } end -- the middle keeps Graphviz's path
  return list
end

-- Returns the points of an arrow between boxes above each other: the arrow passes on the right of both boxes. `from`,
-- `to`: layouts of both boxes; `key`: key of the row; `tip_y`: y of the tip.
local function route_around(from, to, key, tip_y)
  local x, y = from.x + from.width, from.y + (from.rows[key] or 0) + picture.ROW / 2
  local tip_x = to.x + to.width
  local out = math.max(x, tip_x) + 16 + math.min(24, math.abs(tip_y - y) / 8)
  return { { x, y }, { out, y }, { out, tip_y }, { tip_x + TIP, tip_y }, { tip_x, tip_y } }
end

-- Returns the points of an arrow from a row to an object of the other side. The arrow starts on the left of its box. It
-- ends on the right of the object, or on the left if the sides are stacked (`is_stacked`). It passes no box of `boxes`
-- if there is a way. `from`, `to`: layouts of both boxes; `key`: key of the row; `tip_y`: y of the tip.
local function across(from, to, key, tip_y, is_stacked, boxes)
  local x, y = from.x, from.y + (from.rows[key] or 0) + picture.ROW / 2
  local tip_x = is_stacked and to.x or to.x + to.width
  local before_tip = is_stacked and tip_x - TIP or tip_x + TIP
  local last = { x = is_stacked and tip_x - OUT or tip_x + OUT, y = tip_y }
  local way = arrow_router.route({ x = x - OUT, y = y }, last, boxes, { from, to })
  if way then
    table.insert(way, 1, { x, y })
    table.insert(way, { before_tip, tip_y })
    local list = arrow_router.curves(way)
    list[#list + 1] = { tip_x, tip_y }
    return list
  end
  if is_stacked then
    local out = math.min(x, tip_x) - 10
    return { { x, y }, { out, y }, { out, tip_y }, { before_tip, tip_y }, { tip_x, tip_y } }
  end
  local bend = math.max(30, (x - tip_x) / 3)
  return { { x, y }, { x - bend, y }, { tip_x + bend, tip_y }, { before_tip, tip_y }, { tip_x, tip_y } }
end

-- Returns width and height of the boxes of a picture after gaps are closed, and the function that maps a point (x, y)
-- to its new position. `base`: {union, node_of, at, routes} (see arrange).
local function compacted_extents(drawing, base)
  local across_spans, down_spans, visited = {}, {}, {}
  for _, box in ipairs(drawing.boxes) do
    local node = base.node_of[box.id]
    if not visited[node] then
      visited[node] = true
      local at = base.at[node.id]
      across_spans[#across_spans + 1] = { at.x, at.x + node.width }
      down_spans[#down_spans + 1] = { at.y, at.y + height_of(node) + node.below }
    end
  end
  local map_x, width = closing(across_spans, math.huge)
  local map_y, height = closing(down_spans, MAX_GAP)
  return width, height, function(x, y) return map_x(x), map_y(y) end
end

-- Returns the layout of a picture with the areas of both sides, still without boxes. width, height: extents of the
-- contents of one side; is_stacked: true if the device is below the host.
local function sides_of(drawing, width, height, is_stacked)
  local levels = #drawing.levels
  for _, level in ipairs(drawing.levels) do -- the names of levels have room, as far as they are not long
    width = math.max(width, math.min(MAX_NAME, (#level.title + 4) * CHARACTER))
  end
  local layout = { sides = {}, boxes = {}, arrows = {}, width = 0, height = 0,
    top_margin = HEAD + levels * picture.BAND }
  for _, side in ipairs { "host", "device" } do
    local inset = EDGE + (side == "device" and LEVEL * levels or 0)
    local area = { x = 0, y = 0, width = width + 2 * inset }
    local top_margin = (side == "device" or not is_stacked) and layout.top_margin or HEAD
    area.height = height + top_margin + (is_stacked and inset or EDGE + LEVEL * levels)
    if side == "device" and is_stacked then area.y = layout.height + SIDE_GAP
    elseif side == "device" then area.x = layout.width + SIDE_GAP end
    layout.width = math.max(layout.width, area.x + area.width)
    layout.height = math.max(layout.height, area.y + area.height)
    area.origin = { x = area.x + inset, y = area.y + top_margin }
    layout.sides[side] = area
  end
  if is_stacked then
    for _, area in pairs(layout.sides) do area.width = layout.width end
  end
  return layout
end

-- Returns the layouts of the boxes of a picture, by id, relative to the origins of their sides. map_point(x, y): maps
-- points of Graphviz's layout to their positions after gaps are closed.
local function place_boxes(drawing, base, map_point)
  local boxes, next_y = {}, {} -- next_y: node -> y of the node's next box on the device, below its first one
  for _, box in ipairs(drawing.boxes) do
    local node, union_box = base.node_of[box.id], base.union.boxes[box.id]
    local x, y = map_point(base.at[node.id].x, base.at[node.id].y)
    local layout = { x = x, y = y, width = union_box.width, head = union_box.head, rows = {},
      height = height_of(union_box) }
    if box.side == "device" then
      layout.y = layout.y + (next_y[node] or 0)
      next_y[node] = (next_y[node] or 0) + layout.height + STACK
    end
    for k, row in ipairs(union_box.rows) do layout.rows[row.key] = union_box.head + (k - 1) * picture.ROW end
    boxes[box.id] = layout
  end
  return boxes
end

-- Returns y of the tip of an arrow; `to`: layout of its target.
local function tip_of(drawing, arrow, to)
  local row = picture.row_at(drawing.boxes[arrow.to], arrow)
  row = row and drawing.boxes[arrow.to].rows[row].key
  return to.y + (to.rows[row] and to.rows[row] + picture.ROW / 2 or to.head / 2)
end

-- Returns the points of an arrow between two boxes of one side, relative to the side's origin; nil if Graphviz gave it
-- no way. boxes: result of place_boxes.
local function inner_arrow(drawing, base, boxes, arrow, map_point)
  local from, to = boxes[arrow.from], boxes[arrow.to]
  local a, b = base.node_of[arrow.from], base.node_of[arrow.to]
  local points = base.routes[picture.arrow_key { from = a.id, key = arrow.key, to = b.id }]
  local left, right = base.at[a.id].x + a.width / 2, base.at[b.id].x + b.width / 2
  local tip_y = tip_of(drawing, arrow, to)
  if math.abs(left - right) < a.width / 2 then return route_around(from, to, arrow.key, tip_y) end
  return points and #points > 4 and fit_arrow(points, from, to, arrow.key, tip_y, map_point) or nil
end

-- Returns a list of points, moved by `origin`.
local function move_points(points, origin)
  local list = {}
  for i, point in ipairs(points) do list[i] = { point[1] + origin.x, point[2] + origin.y } end
  return list
end

-- Adds to a layout the arrows between both sides.
local function add_arrows_across(drawing, layout, is_stacked)
  local boxes = {}
  for _, box in ipairs(drawing.boxes) do boxes[#boxes + 1] = layout.boxes[box.id] end
  for _, arrow in ipairs(drawing.arrows) do
    local from, to = layout.boxes[arrow.from], layout.boxes[arrow.to]
    if from and to and drawing.boxes[arrow.from].side ~= drawing.boxes[arrow.to].side then
      layout.arrows[picture.arrow_key(arrow)] =
        across(from, to, arrow.key, tip_of(drawing, arrow, to), is_stacked, boxes)
    end
  end
end

-- Returns the layouts of a picture: with the device beside the host, and below it. `base`: {union, node_of, at,
-- routes}, common to the pictures of a case: the results of picture.union, merge_unions and positions.
local function arrange(drawing, base)
  local width, height, map_point = compacted_extents(drawing, base)
  local boxes, arrows, layouts = place_boxes(drawing, base, map_point), {}, {}
  for _, arrow in ipairs(drawing.arrows) do
    local from, to = drawing.boxes[arrow.from], drawing.boxes[arrow.to]
    local points = from and to and from.side == to.side and inner_arrow(drawing, base, boxes, arrow, map_point)
    for _, point in ipairs(points or {}) do -- the side has room for the whole arrow
      width, height = math.max(width, point[1]), math.max(height, point[2])
    end
    arrows[arrow] = points or nil
  end
  for i, is_stacked in ipairs { false, true } do
    local layout = sides_of(drawing, width, height, is_stacked)
    for _, box in ipairs(drawing.boxes) do
      local origin = layout.sides[box.side].origin
      layout.boxes[box.id] = setmetatable({ x = boxes[box.id].x + origin.x, y = boxes[box.id].y + origin.y },
        { __index = boxes[box.id] })
    end
    for arrow, points in pairs(arrows) do
      layout.arrows[picture.arrow_key(arrow)] =
        move_points(points, layout.sides[drawing.boxes[arrow.from].side].origin)
    end
    add_arrows_across(drawing, layout, is_stacked)
    layouts[i] = layout
  end
  return layouts[1], layouts[2]
end

-- Returns true if the largest picture is drawn larger in a usual window when its sides are stacked; false if both
-- arrangements have the same scale. `base`: {union, node_of, at, routes} (see arrange).
local function is_better_stacked(pictures, base)
  local width, height = 0, 0
  for _, drawing in ipairs(pictures) do
    local w, h = compacted_extents(drawing, base)
    width, height = math.max(width, w), math.max(height, h + #drawing.levels * picture.BAND)
  end
  -- Returns the scale, at most 1, at which a picture of the size (w, h) fits into the window.
  local function scale(w, h) return math.min(WINDOW[1] / w, WINDOW[2] / h, 1) end
  return scale(width, 2 * height) > scale(2 * width, height)
end

-- Returns a list of the layouts of a case's pictures, in order. Raises if Graphviz is missing or fails.
function picture_layout.all(pictures)
  local union = picture.union(pictures)
  local nodes, node_of = merge_unions(union)
  local base = { union = union, node_of = node_of }
  base.at, base.routes = positions(nodes)
  local is_stacked = is_better_stacked(pictures, base)
  local layouts = {}
  for i, drawing in ipairs(pictures) do
    local wide, stacked = arrange(drawing, base)
    layouts[i] = is_stacked and stacked or wide
    layouts[i].wide, layouts[i].stacked = wide, stacked
  end
  return layouts
end

return picture_layout
