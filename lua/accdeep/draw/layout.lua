-- layout.lua - where Graphviz puts the boxes of a picture, and how it leads the arrows.
--
-- Both sides have the same arrangement: Graphviz places one box for what is on the host together with what is on the
-- device of it, and device and host show their boxes in these places.
--
-- layout.of(picture) -> { width, height, boxes = id -> {x, y, width, head, height, rows = key -> y of the row in the
-- box}, arrows = picture.arrow_key -> list of points, sides = side -> {x, y, width, height} }, all in points from the
-- upper left. Raises an error of the environment where Graphviz is missing.

local diagnostic = require "accdeep.diagnostic"
local dot = require "accdeep.draw.dot"
local json = require "dkjson"
local picture = require "accdeep.draw.picture"

local layout = {}

local STACK = 8                       -- between boxes of one object on the device
local HEAD, EDGE, BETWEEN = 28, 14, 28 -- of a side: above its boxes, around them, to the other side
local LEVEL = 5                       -- a level's frame stands so far inside of the one around it
local TIP = 7                         -- length of an arrow's head
local MISSING = 127 -- status of a shell that does not find a program

local function fail(message, help)
  error(diagnostic.new { code = "file", message = message, rule = "HOUSE-files", help = help }, 0)
end

-- What Graphviz makes of a text.
local function graphviz(text)
  local name = os.tmpname() -- nothing of a user's is in the command
  local file, problem = io.open(name, "w")
  if not file then fail(problem) end
  file:write(text)
  file:close()
  local pipe = io.popen(("dot -Tjson0 '%s' 2>/dev/null"):format(name))
  local made = pipe:read "a"
  local ok, _, status = pipe:close()
  os.remove(name)
  if status == MISSING then
    fail("Graphviz is needed to lay out a picture, and there is no program 'dot'",
      "install it (Debian's package graphviz), or write a .dot file")
  elseif not ok then
    fail(("Graphviz ended with status %s"):format(status), "write a .dot file, and see what 'dot' says about it")
  end
  return made
end

local function numbers(text)
  local list = {}
  for n in text:gmatch "[-%d.e]+" do list[#list + 1] = tonumber(n) end
  return list
end

-- Points of an arrow: its start, then three of each Bezier curve. "e,x,y" is where its head is.
local function points_of(pos, top)
  local ex, ey = pos:match "e,([-%d.]+),([-%d.]+)"
  local list = {}
  for x, y in pos:gsub("[es],[-%d.]+,[-%d.]+", ""):gmatch "([-%d.]+),([-%d.]+)" do
    list[#list + 1] = { tonumber(x), top - tonumber(y) }
  end
  if ex then list[#list + 1] = { tonumber(ex), top - tonumber(ey) } end
  return list
end

local function height_of(box) return box.head + #box.rows * picture.ROW end

-- A picture with one box for what belongs together; spot[id] is the box that an object's stands for.
local function merged(union)
  local all, spot = { boxes = {}, arrows = {} }, {}
  for _, box in ipairs(union.boxes) do
    local node = box.twin and all.boxes[box.twin]
    if not node then
      node = { id = box.id, side = "host", title = "", notes = { box.notes[1] }, rows = {}, is = {},
        width = 0, head = 0, stacked = 0, single = 0 }
      all.boxes[#all.boxes + 1], all.boxes[box.id] = node, node
    end
    spot[box.id] = node
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
  local seen = {}
  for _, arrow in ipairs(union.arrows) do
    local from, to = spot[arrow.from], spot[arrow.to]
    if from and to and union.boxes[arrow.from].side == union.boxes[arrow.to].side then
      local made = { from = from.id, key = arrow.key, to = to.id, is = arrow.is }
      local key = picture.arrow_key(made)
      if not seen[key] then
        seen[key] = true
        all.arrows[#all.arrows + 1] = made
      end
    end
  end
  return all, spot
end

-- Where Graphviz puts the boxes of a merged picture: id -> {x, y} of the upper left, key -> points; width and height.
local function positions(nodes)
  local graph = json.decode(graphviz(dot.graph(nodes)))
  if not graph or not graph.bb then fail("Graphviz gave no positions", "2.40 and newer have -Tjson0") end
  local bb = numbers(graph.bb)
  local top, at, led = bb[4], {}, {}
  for _, object in ipairs(graph.objects or {}) do
    local node = nodes.boxes[object.name]
    if node then
      local middle = numbers(object.pos)
      at[node.id] = { x = middle[1] - node.width / 2, y = top - middle[2] - (height_of(node) + node.below) / 2 }
    end
  end
  for _, edge in ipairs(graph.edges or {}) do
    local arrow = edge.id and edge.pos and nodes.arrows[tonumber(edge.id:match "^a(%d+)$")]
    if arrow then led[picture.arrow_key(arrow)] = points_of(edge.pos, top) end
  end
  return at, led, bb[3], top
end

-- The points of an arrow, moved so that it begins and ends where its row and its object are drawn.
local function fitted(points, from, to, key)
  local list, n = {}, #points
  local start = { from.x + from.width, from.y + (from.rows[key] and from.rows[key] + picture.ROW / 2 or from.head / 2) }
  local on_left = points[n][1] < points[n - 1][1] -- it comes back to the box from the right
  local tip = { on_left and to.x + to.width or to.x, to.y + to.head / 2 }
  for i, point in ipairs(points) do
    local goal, old = start, points[1]
    if i > 2 then goal, old = tip, points[n] end
    list[i] = { point[1] + goal[1] - old[1], point[2] + goal[2] - old[2] }
  end
  for i = 3, n - 3 do -- the way between them stays as it is
    list[i] = { points[i][1] + from.shift, points[i][2] + from.drop }
  end
  return list
end

-- Between boxes that stand below each other: around on the right.
local function around(from, to, key)
  local x, y = from.x + from.width, from.y + (from.rows[key] or 0) + picture.ROW / 2
  local tip_x, tip_y = to.x + to.width, to.y + to.head / 2
  local out = math.max(x, tip_x) + 16 + math.min(24, math.abs(tip_y - y) / 8)
  return { { x, y }, { out, y }, { out, tip_y }, { tip_x + TIP, tip_y }, { tip_x, tip_y } }
end

-- From a row of one side to an object of the other: out on the left, to the right of what lies there.
local function across(from, to, key)
  local x, y = from.x, from.y + (from.rows[key] or 0) + picture.ROW / 2
  local tip_x, tip_y = to.x + to.width, to.y + to.head / 2
  local bend = math.max(30, (x - tip_x) / 3)
  return { { x, y }, { x - bend, y }, { tip_x + bend, tip_y }, { tip_x + TIP, tip_y }, { tip_x, tip_y } }
end

function layout.of(union)
  local nodes, spot = merged(union)
  local at, led, width, height = positions(nodes)
  local made = { boxes = {}, arrows = {}, sides = {} }
  local drop = HEAD + #union.levels * picture.BAND
  local inset = { host = EDGE, device = EDGE + LEVEL * #union.levels }
  made.height, made.width = height + drop + inset.device, 0
  for _, side in ipairs { "host", "device" } do
    local wide = width + 2 * inset[side]
    made.sides[side] = { x = made.width > 0 and made.width + BETWEEN or 0, y = 0, width = wide, height = made.height }
    made.width = made.sides[side].x + wide
  end
  local used = {} -- of a place on the device: where its next box begins
  for _, box in ipairs(union.boxes) do
    local node = spot[box.id]
    local shift = made.sides[box.side].x + inset[box.side]
    local place = { width = box.width, head = box.head, rows = {}, height = height_of(box), shift = shift, drop = drop,
      x = at[node.id].x + shift, y = at[node.id].y + drop }
    if box.side == "device" then
      place.y = place.y + (used[node] or 0)
      used[node] = (used[node] or 0) + place.height + STACK
    end
    for k, row in ipairs(box.rows) do place.rows[row.key] = box.head + (k - 1) * picture.ROW end
    made.boxes[box.id] = place
  end
  for _, arrow in ipairs(union.arrows) do
    local from, to = made.boxes[arrow.from], made.boxes[arrow.to]
    if from and to then
      local key = picture.arrow_key(arrow)
      local a, b = spot[arrow.from], spot[arrow.to]
      local points = led[picture.arrow_key { from = a.id, key = arrow.key, to = b.id }]
      if union.boxes[arrow.from].side ~= union.boxes[arrow.to].side then
        made.arrows[key] = across(from, to, arrow.key)
      elseif math.abs(at[a.id].x + a.width / 2 - at[b.id].x - b.width / 2) < a.width / 2 then
        made.arrows[key] = around(from, to, arrow.key)
      elseif points and #points > 4 then
        made.arrows[key] = fitted(points, from, to, arrow.key)
      end
    end
  end
  return made
end

return layout
