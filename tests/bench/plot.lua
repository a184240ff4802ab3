-- plot.lua - line plots as SVG: self-contained, readable on light and dark ground.

local WIDTH, HEIGHT = 760, 440
local LEFT, RIGHT, TOP, BOTTOM = 76, 44, 76, 60 -- around the plot's area
local COLORS = 4

local STYLE = [[
  text { font: 13px system-ui, sans-serif; fill: var(--ink) }
  .title { font-size: 16px; font-weight: 600 }
  .soft { fill: var(--soft) }
  .grid { stroke: var(--grid) }
  .axis { stroke: var(--soft) }
  .mark { stroke: var(--soft); stroke-dasharray: 2 4 }
  .line { fill: none; stroke-width: 2 }
  .dashed { stroke-dasharray: 7 4 }
  .ground { fill: var(--ground) }
  svg { --ground: #ffffff; --ink: #1c2128; --soft: #5b6470; --grid: #e4e7eb;
    --c1: #1f6fc4; --c2: #c2540a; --c3: #26803a; --c4: #8a3fb0 }
  @media (prefers-color-scheme: dark) {
    svg { --ground: #14181d; --ink: #e6e9ed; --soft: #9aa4b0; --grid: #2b323a;
      --c1: #6cb0f7; --c2: #f59a55; --c3: #63c97c; --c4: #cf93ee }
  }]]

local function escape(text)
  return (tostring(text):gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

-- Where a value lies on an axis, from 0 to 1; what lies outside is drawn at the edge.
local function place(axis, value)
  local low, high = axis.low, axis.high
  value = math.max(low, math.min(high, value))
  if axis.log then low, high, value = math.log(low), math.log(high), math.log(value) end
  return (value - low) / (high - low)
end

local SHAPES = {
  function(x, y, color) return ('<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>'):format(x, y, color) end,
  function(x, y, color)
    return ('<rect x="%.1f" y="%.1f" width="7.5" height="7.5" fill="%s"/>'):format(x - 3.75, y - 3.75, color)
  end,
  function(x, y, color)
    return ('<path d="M%.1f %.1fl5 8.5h-10z" fill="%s"/>'):format(x, y - 5, color)
  end,
  function(x, y, color)
    return ('<path d="M%.1f %.1fl5 5l-5 5l-5 -5z" fill="%s"/>'):format(x, y - 5, color)
  end,
}

-- plot: title, note, x and y = { label, low, high, log, ticks = { { value, text }, ... } }, marks = { { y,
-- text }, ... }: level lines, series = { { points = { { x, y }, ... }, name, color = 1..4, dashed }, ... };
-- those without a name are not in the legend, and the note stands behind it.
local function svg(plot)
  local out = {}
  local function add(format, ...) out[#out + 1] = format:format(...) end
  local function x_at(value) return LEFT + place(plot.x, value) * (WIDTH - LEFT - RIGHT) end
  local function y_at(value) return HEIGHT - BOTTOM - place(plot.y, value) * (HEIGHT - TOP - BOTTOM) end
  local bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
  add('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">', WIDTH,
    HEIGHT, WIDTH, HEIGHT)
  add("<title>%s</title>\n<style>%s\n</style>", escape(plot.title), STYLE)
  add('<rect class="ground" width="%d" height="%d"/>', WIDTH, HEIGHT)
  add('<text class="title" x="16" y="26">%s</text>', escape(plot.title))
  for _, tick in ipairs(plot.x.ticks) do
    add('<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>', x_at(tick[1]), TOP, x_at(tick[1]), bottom)
    add('<text class="soft" x="%.1f" y="%d" text-anchor="middle">%s</text>', x_at(tick[1]), bottom + 20,
      escape(tick[2]))
  end
  for _, tick in ipairs(plot.y.ticks) do
    add('<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>', LEFT, y_at(tick[1]), right, y_at(tick[1]))
    add('<text class="soft" x="%d" y="%.1f" text-anchor="end">%s</text>', LEFT - 8, y_at(tick[1]) + 4, escape(tick[2]))
  end
  add('<path class="axis" fill="none" d="M%d %dV%dH%d"/>', LEFT, TOP, bottom, right)
  add('<text class="soft" x="%d" y="%d" text-anchor="middle">%s</text>', (LEFT + right) // 2, HEIGHT - 14,
    escape(plot.x.label))
  add('<text class="soft" transform="translate(18 %d) rotate(-90)" text-anchor="middle">%s</text>',
    (TOP + bottom) // 2, escape(plot.y.label))
  for _, mark in ipairs(plot.marks or {}) do
    add('<line class="mark" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>', LEFT, y_at(mark[1]), right, y_at(mark[1]))
    add('<text class="soft" x="%d" y="%.1f">%s</text>', LEFT + 8, y_at(mark[1]) - 5, escape(mark[2]))
  end
  local legend = LEFT
  for i, series in ipairs(plot.series) do
    local which = (series.color or i) - 1
    local color, shape = ("var(--c%d)"):format(which % COLORS + 1), SHAPES[which % #SHAPES + 1]
    local style = series.dashed and "line dashed" or "line"
    local path = {}
    for _, point in ipairs(series.points) do
      path[#path + 1] = ("%.1f %.1f"):format(x_at(point[1]), y_at(point[2]))
    end
    add('<path class="%s" stroke="%s" d="M%s"/>', style, color, table.concat(path, "L"))
    for _, point in ipairs(series.points) do out[#out + 1] = shape(x_at(point[1]), y_at(point[2]), color) end
    if series.name then
      add('<path class="%s" stroke="%s" d="M%d 48h26"/>', style, color, legend)
      out[#out + 1] = shape(legend + 13, 48, color)
      add('<text x="%d" y="52">%s</text>', legend + 32, escape(series.name))
      legend = legend + 50 + 7 * utf8.len(series.name)
    end
  end
  if plot.note then add('<text class="soft" x="%d" y="52">%s</text>', legend, escape(plot.note)) end
  add "</svg>"
  return table.concat(out, "\n") .. "\n"
end

return {
  svg = svg,
  write = function(path, plot)
    local file = assert(io.open(path, "w"))
    assert(file:write(svg(plot)))
    assert(file:close())
  end,
}
