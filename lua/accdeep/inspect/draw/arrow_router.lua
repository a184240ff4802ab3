-- arrow_router.lua - finds a way for an arrow between two points that passes no box.
--
-- Ways have horizontal and vertical parts. They run on the lines beside all boxes, at a distance of GAP, and on those
-- of both ends. The search (Dijkstra) prefers short ways with few bends. A crossing of two such lines is a node of its
-- graph: lines of x times lines of y, once for each direction in which the way arrives.
--
-- arrow_router.route(from, to, boxes, ends) returns a list of points {x, y}, or nil if there are too many boxes.
-- `from`, `to`: {x, y}; `boxes`: list of {x, y, width, height}; `ends`: those at both ends.

local arrow_router = {}

local GAP = 9         -- distance of a way from boxes, in points
local BEND = 60       -- length that a bend costs
local MAX_BOXES = 60  -- limit of boxes
local RADIUS = 7      -- radius of the corners

local STEPS = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 1 }, { 0, -1, 1 } } -- columns, lines and direction of a step

-- Returns the sorted list of the numbers in the set `set`, and a table from number to index.
local function sorted(set)
  local list, index = {}, {}
  for n in pairs(set) do list[#list + 1] = n end
  table.sort(list)
  for i, n in ipairs(list) do index[n] = i end
  return list, index
end

-- Returns true if the segment between two points, which is horizontal or vertical, is nearer to a box than `distance`.
-- `free`: the boxes at the ends of the way, as keys, which it may touch.
local function touches(boxes, free, distance, x1, y1, x2, y2)
  if x1 > x2 then x1, x2 = x2, x1 end
  if y1 > y2 then y1, y2 = y2, y1 end
  for _, box in ipairs(boxes) do
    local d = free[box] and 0 or distance
    if x1 < box.x + box.width + d and x2 > box.x - d and y1 < box.y + box.height + d and y2 > box.y - d then
      return true
    end
  end
  return false
end

-- Binary heap of {cost, value}, the least cost first: push(heap, cost, value), pop(heap) -> cost, value.
local function push(heap, cost, value)
  local i = #heap + 1
  heap[i] = { cost, value }
  while i > 1 and heap[i // 2][1] > heap[i][1] do
    heap[i // 2], heap[i] = heap[i], heap[i // 2]
    i = i // 2
  end
end

local function pop(heap)
  local top, n = heap[1], #heap
  heap[1], heap[n] = heap[n], nil
  local i = 1
  while true do
    local least = i
    for child = 2 * i, 2 * i + 1 do
      if heap[child] and heap[child][1] < heap[least][1] then least = child end
    end
    if least == i then break end
    heap[least], heap[i] = heap[i], heap[least]
    i = least
  end
  return top[1], top[2]
end

-- Returns the points of a way from `from` to `to` that is nowhere nearer to a box than `distance`: its ends and bends.
-- Returns nil if there is no way. `free`: see touches.
local function search(from, to, boxes, free, distance)
  local xs, ys = { [from.x] = true, [to.x] = true }, { [from.y] = true, [to.y] = true }
  for _, box in ipairs(boxes) do
    xs[box.x - GAP], xs[box.x + box.width + GAP], ys[box.y - GAP], ys[box.y + box.height + GAP] = true, true, true, true
  end
  local columns, column_of = sorted(xs)
  local lines, line_of = sorted(ys)
  local width = #columns
  -- Returns the number of a node: column, line and direction of arrival (0: horizontal, 1: vertical).
  local function node(column, line, direction) return ((line - 1) * width + column - 1) * 2 + direction end
  local start, goal = node(column_of[from.x], line_of[from.y], 0), node(column_of[to.x], line_of[to.y], 0)
  local best, before, heap, done = { [start] = 0 }, {}, {}, {}
  push(heap, 0, start)
  while heap[1] do
    local cost, current = pop(heap)
    if current == goal then break end
    if not done[current] then
      done[current] = true
      local direction, place = current % 2, current // 2
      local column, line = place % width + 1, place // width + 1
      for _, step in ipairs(STEPS) do
        local c, l, turn = column + step[1], line + step[2], step[3]
        local x, y = columns[c], lines[l]
        if x and y then
          local n = node(c, l, turn)
          local length = math.abs(x - columns[column]) + math.abs(y - lines[line]) + (turn ~= direction and BEND or 0)
          if not done[n] and cost + length < (best[n] or math.huge)
            and not touches(boxes, free, distance, columns[column], lines[line], x, y) then
            best[n], before[n] = cost + length, current
            push(heap, cost + length, n)
          end
        end
      end
    end
  end
  if not best[goal] then return nil end
  local way, n = {}, goal
  while n do
    table.insert(way, 1, { columns[n // 2 % width + 1], lines[n // 2 // width + 1] })
    n = before[n]
  end
  local points = { way[1] }
  for i = 2, #way - 1 do -- points on straight parts are left out
    local a, b, c = points[#points], way[i], way[i + 1]
    if not (a[1] == b[1] and b[1] == c[1] or a[2] == b[2] and b[2] == c[2]) then points[#points + 1] = b end
  end
  points[#points + 1] = way[#way]
  return points
end

-- Returns the points of a way from `from` to `to` that touches no box: its ends and its bends. It keeps away from boxes
-- other than `ends`, a list of boxes, if it can. Returns nil if there are too many boxes, or no way.
function arrow_router.route(from, to, boxes, ends)
  local free = {}
  for _, box in ipairs(ends) do free[box] = true end
  if #boxes > MAX_BOXES then return nil end
  return search(from, to, boxes, free, GAP / 2) or search(from, to, boxes, free, 0)
end

-- Returns a way as the points of Bezier curves with rounded corners: the start, then three points for each curve.
function arrow_router.curves(way)
  local list = { way[1] }
  -- Adds a straight curve to `point`.
  local function line(point)
    local last = list[#list]
    list[#list + 1], list[#list + 2], list[#list + 3] = last, point, point
  end
  for i = 2, #way - 1 do
    local before, corner, after = list[#list], way[i], way[i + 1]
    local a = math.abs(corner[1] - before[1]) + math.abs(corner[2] - before[2])
    local b = math.abs(after[1] - corner[1]) + math.abs(after[2] - corner[2])
    local radius = math.min(RADIUS, a / 2, b / 2)
    -- Returns the point at `radius` from the corner towards `point`, which is at the distance `length`.
    local function near(point, length)
      if length == 0 then return corner end
      local share = radius / length
      return { corner[1] + (point[1] - corner[1]) * share, corner[2] + (point[2] - corner[2]) * share }
    end
    local ending = near(after, b)
    line(near(before, a))
    list[#list + 1], list[#list + 2], list[#list + 3] = corner, corner, ending
  end
  line(way[#way])
  return list
end

return arrow_router
