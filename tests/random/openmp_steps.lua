-- openmp_steps.lua - generates random steps for openmp_test.lua.

local engine = require "engine"
local openmp_world = require "openmp_world"
local words = require "accdeep.base.strings".word_list

local Steps = {}

local rand = math.random

local pick = engine.pick

local profiles = {
  { rules = "openmp-5.1", unmatched = "null" },
  { rules = "openmp-4.0", unmatched = "host", every = true, two_step = true, bits = true },
}

-- ----------------------------------------------------------------------------------------- values --

local function target()
  local array = pick { "A", "A", "B", "H", "G" }
  local most = openmp_world.variables[array][2] - 1
  if rand(8) == 1 then return {} end
  return { array = array, index = rand(3) == 1 and rand(0, most) or 0 }
end

local pointers = { { name = "u" }, { name = "v" }, { name = "S", member = "p" }, { name = "S", member = "q" },
  { name = "T", member = "p" }, { name = "R", index = 0, member = "p" } }

local function vec_pointer() return pick { { name = "V" }, { name = "W", index = 0 }, { name = "W", index = 1 } } end

local function assignment()
  local way = rand(6)
  if way == 1 then return { op = "host", path = pick(pointers), value = target() } end
  if way == 2 then
    return { op = "host", path = { name = "L" }, value = pick { { array = "S", index = 0 }, { array = "T", index = 0 },
      { array = "R", index = 0 }, { array = "R", index = 1 } } }
  end
  if way == 3 then
    local path = vec_pointer()
    path.member = rand(2) == 1 and "len" or "data"
    return { op = "host", path = path, value = path.member == "len" and rand(3) or target() }
  end
  local array = pick { "A", "B", "H", "G" }
  return { op = "host", path = { name = array, element = rand(0, openmp_world.variables[array][2] - 1) },
    value = rand(1000) }
end

function Steps.config(only)
  local config = { values = {}, start = {}, group_least = pick { 1, 1, 1000 } } -- grouping must not be observable
  for key, value in pairs(profiles[only or rand(3) == 1 and 2 or 1]) do config[key] = value end
  for i = 1, 200 do config.values[i] = rand(1000) end
  for i, path in ipairs(pointers) do config.start[i] = { op = "host", path = path, value = target() } end
  table.insert(config.start, { op = "host", path = { name = "L" }, value = { array = pick { "S", "T" }, index = 0 } })
  for _, path in ipairs { { name = "V" }, { name = "W", index = 0 }, { name = "W", index = 1 } } do
    table.insert(config.start, { op = "host", path = { name = path.name, index = path.index, member = "len" },
      value = rand(3) })
    table.insert(config.start, { op = "host", path = { name = path.name, index = path.index, member = "data" },
      value = target() })
  end
  return config
end

-- ----------------------------------------------------------------------------------------- paths --

-- Returns a section of an array, or of a pointer's target, that is in host memory now.
local function section(world, path)
  local place = world:place(path)
  local most = place.count
  if not most then
    local at = world.host[place.at] or 0
    most = 0
    for _, name in ipairs(openmp_world.names) do
      local t, count = table.unpack(openmp_world.variables[name])
      local low = world.base[name]
      if count and t.size == 4 and low <= at and at < low + 4 * count then most = (low + 4 * count - at) // 4 end
    end
    if rand(6) == 1 then most = 0 end
    if at == 0 and rand(2) == 1 then most = 2 end
  end
  path.first, path.length = 0, most
  if most > 0 and rand(2) == 1 then
    path.first = rand(0, most - 1)
    path.length = rand(1, most - path.first)
  end
  return path
end

local function rec_path(world)
  local path = pick { { name = "S" }, { name = "S" }, { name = "S" }, { name = "T" }, { name = "R", index = 0 },
    { name = "R", index = 1 }, { name = "L", arrow = true } }
  path.member = pick { "a", "b", "p", "p", "c", "q" }
  if path.member == "c" and rand(2) == 1 then return section(world, path) end
  if (path.member == "p" or path.member == "q") and rand(3) > 1 then return section(world, path) end
  return path
end

local function item(world)
  local way = rand(14)
  if way <= 2 then return { name = pick { "x", "y", "u", "v", "L" } } end
  if way <= 4 then return section(world, { name = pick { "A", "B", "H", "G" } }) end
  if way == 5 then return { name = pick { "A", "B", "H", "R" } } end
  if way <= 7 then return section(world, { name = pick { "u", "v" } }) end
  if way <= 11 then return rec_path(world) end
  if way == 12 then return { name = pick { "S", "T" } } end
  if way == 13 then return pick { { name = "V" }, { name = "W" }, { name = "W", index = 1 } } end
  return rand(2) == 1 and section(world, { name = "W" }) or { name = "V", member = pick { "len", "data" } }
end

local types = { open = words "to from tofrom alloc", target = words "to from tofrom tofrom alloc",
  enter = words "to to alloc", exit = words "from release release delete", update = words "to from" }

local function is_mapped_whole(path)
  return (path.name == "V" or path.name == "W") and not path.member
end

local function clauses(world, op)
  local list, seen = {}, {}
  for _ = 1, pick { 1, 1, 2, 2, 3, 4 } do
    local path = item(world)
    local text = openmp_world.text(path)
    if not seen[text] then
      seen[text] = true
      list[#list + 1] = { path = path, type = pick(types[op]), always = op ~= "update" and rand(8) == 1 or nil,
        must = rand(16) == 1 or nil, mapper = is_mapped_whole(path) and rand(3) == 1 and "part" or nil }
    end
  end
  return list
end

-- Returns the exit clauses for the clauses of an entry or a region.
local function mirrored(step)
  local list = {}
  for i, c in ipairs(step.clauses) do
    list[i] = { path = c.path, type = pick(types.exit), mapper = c.mapper }
  end
  return { op = "exit", clauses = list }
end

-- Returns the path of an int that a body uses.
local function used(world, near)
  if near and rand(2) == 1 then
    local path = {}
    for key, value in pairs(near) do path[key] = value end
    local place = world:place(path)
    local first, length = path.first or 0, path.length or 0
    path.first, path.length = nil, nil
    if place.type.size == 4 then
      if place.count then path.element = rand(first, first + math.max(length, place.count and length == 0
        and place.count or 1) - 1) end
      return path
    elseif place.type.pointer and place.type.to.size == 4 and not path.arrow then
      path.element = first + rand(0, math.max(length - 1, 0))
      return path
    end
  end
  local way = rand(8)
  if way == 1 then return { name = pick { "x", "y" } } end
  if way <= 3 then
    local name = pick { "A", "B", "H", "G" }
    return { name = name, element = rand(0, openmp_world.variables[name][2] - 1) }
  end
  if way == 4 then return { name = pick { "u", "v" }, element = rand(-1, 3) } end
  if way == 5 then return { name = pick { "V" }, member = "data", element = rand(0, 2) } end
  local path = pick { { name = "S" }, { name = "S" }, { name = "T" }, { name = "R", index = 1 },
    { name = "L", arrow = true } }
  path.member = pick { "a", "b", "c" }
  if path.member == "c" then path.element = rand(0, 2) end
  if rand(3) == 1 and not path.arrow then path.member, path.element = "p", rand(0, 2) end
  return path
end

local function body(world, list)
  local statements = {}
  for i = 1, rand(3) do
    local near = #list > 0 and pick(list).path
    statements[i] = { to = used(world, near), from = rand(2) == 1 and used(world, near) or nil, add = rand(1000) }
  end
  return statements
end

function Steps.next(world, steps)
  local way = rand(16)
  if way <= 3 then return assignment() end
  if way <= 5 then return { op = "open", clauses = clauses(world, "open") } end
  if way <= 7 then return { op = "enter", clauses = clauses(world, "enter") } end
  if way <= 9 then return { op = "close" } end
  if way == 10 then return { op = "update", clauses = clauses(world, "update") } end
  if way <= 12 then
    for i = #steps, 1, -1 do
      if (steps[i].op == "enter" or steps[i].op == "open") and rand(2) == 1 then return mirrored(steps[i]) end
    end
    return { op = "exit", clauses = clauses(world, "exit") }
  end
  local list = rand(4) == 1 and {} or clauses(world, "target")
  return { op = "target", clauses = list, body = body(world, list) }
end

-- Returns the program in which the steps of a test are executed.
function Steps.program(config)
  local list = {}
  for _, step in ipairs(config.start) do list[#list + 1] = openmp_world.written(config, step)[1] end
  list[#list + 1] = openmp_world.declare_target
  return { scenario = { rules = config.rules }, declarations = openmp_world.declarations(config), steps = list }
end

return Steps
