-- openmp_world.lua - a session under an OpenMP profile and the model of it, for openmp_test.lua.
--
-- A step is a table that describes one operation completely:
--
--   {op="open"|"enter"|"exit"|"update"|"target", clauses={{type=, always=, must=, mapper=, path=}...},
--    body={{to=path, from=path|nil, add=}...}}.
--   {op="close"}.
--   {op="host", path=, value=number | {array=, index=}}.
--
-- A path is {name, index=, arrow=, member=, first=, length=, element=}: NAME[index].member[first:length]. In a body,
-- `element` replaces the section. Impossible steps are skipped.

local core = require "accdeep.core"
local engine = require "engine"
local openmp_model = require "openmp_model"

local INT, POINTER = core.scalar.i32, core.scalar.pointer

local World = engine.worlds()

local TYPES = [[
  struct rec { int a, b; int *p; int c[3]; int *q; };
  struct vec { int len; int *data; };
  #pragma omp declare mapper(struct vec v) map(v, v.data[0:v.len])
  #pragma omp declare mapper(part: struct vec v) map(to: v.len) map(alloc: v.data) map(from: v.data[0:v.len])
]]

local int, pointer = { size = 4 }, { size = 8, pointer = true }
local rec = { size = 40, members = { a = { 0, int }, b = { 4, int }, p = { 8, pointer }, c = { 16, int, 3 },
  q = { 32, pointer } } }
local vec = { size = 16, members = { len = { 0, int }, data = { 8, pointer } }, mapper = true }
pointer.to, World.recs = int, { p = pointer }
local to_rec = { size = 8, pointer = true, to = rec }

-- Variables: type, and number of elements of arrays.
World.variables = {
  x = { int }, y = { int }, A = { int, 8 }, B = { int, 6 }, H = { int, 4 }, G = { int, 2 }, u = { pointer },
  v = { pointer }, S = { rec }, T = { rec }, R = { rec, 2 }, L = { to_rec }, V = { vec }, W = { vec, 2 },
}

local names = {}
for name in pairs(World.variables) do names[#names + 1] = name end
table.sort(names)
World.names = names

local spelled = { [int] = "int %s", [pointer] = "int *%s", [rec] = "struct rec %s", [to_rec] = "struct rec *%s",
  [vec] = "struct vec %s" }

-- Returns the declarations of a configuration, with values of all numbers but those of struct vec.
function World.declarations(config)
  local parts, at = { TYPES }, 0
  local function value()
    at = at + 1
    return config.values[at]
  end
  local makers = { [int] = value, [rec] = function()
    return ("{ %d, %d, 0, { %d, %d, %d }, 0 }"):format(value(), value(), value(), value(), value())
  end }
  for _, name in ipairs(names) do
    local t, count = table.unpack(World.variables[name])
    local text = spelled[t]:format(count and ("%s[%d]"):format(name, count) or name)
    if makers[t] then
      local values = {}
      for i = 1, count or 1 do values[i] = makers[t]() end
      text = ("%s = %s"):format(text, count and ("{ %s }"):format(table.concat(values, ", ")) or values[1])
    end
    parts[#parts + 1] = text .. ";"
  end
  return table.concat(parts, "\n")
end

-- ------------------------------------------------------------------------------------------- paths --

function World.text(path)
  local text = path.name
  if path.index then text = ("%s[%d]"):format(text, path.index) end
  if path.member then text = text .. (path.arrow and "->" or ".") .. path.member end
  if path.element then return ("%s[%d]"):format(text, path.element) end
  return path.length and ("%s[%d:%d]"):format(text, path.first, path.length) or text
end

-- Returns the host location of a path before its section or element: {at, type, count, base, structure}. count:
-- elements of an array. base: the pointer on the path.
function World:place(path)
  local t, count = table.unpack(World.variables[path.name])
  local place = { at = self.base[path.name], type = t, count = count }
  local function into(offset, type_of, n) place.at, place.type, place.count = place.at + offset, type_of, n end
  if path.arrow then
    place.base = place.at
    place.at = self.host[place.at]
    into(0, rec)
  elseif path.index then
    place.from = place.at
    into(path.index * t.size, t)
  end
  if place.type.members and not place.count then
    place.structure = { low = place.at, high = place.at + place.type.size }
  end
  if path.member then into(table.unpack(place.type.members[path.member])) end
  return place
end

-- Returns the bounds of the array that contains an address or ends there.
local function array_at(w, at)
  for _, name in ipairs(names) do
    local t, count = table.unpack(World.variables[name])
    local low = w.base[name]
    if low <= at and at < low + t.size * (count or 1) then return low, low + t.size * (count or 1), name end
  end
  return nil
end

-- Returns the model's item for a clause's path, or nil if it exceeds host memory.
function World:item(path, type)
  local place = self:place(path)
  local item = { type = type, base = place.base, structure = place.structure, low = place.at,
    from = place.structure and place.structure.low or place.from or place.at }
  if path.arrow and not array_at(self, place.at) then return nil end
  if not path.length then
    item.high = place.at + place.type.size * (place.count or 1)
    if place.count and place.type.members and not path.member then item.structure = nil end
    return item, place.type, place.count or 1
  end
  local unit = place.type
  if place.type.pointer then
    if self.config.two_step and path.member then return nil end -- the block of its pointer is unspecified
    unit = place.type.to
    item.base, item.structure, item.low, item.by_pointer = place.at, nil, self.host[place.at], true
    item.from = item.low
    if item.low == 0 and path.length > 0 then item.null = true end
    local low, high = array_at(self, item.low)
    if item.low ~= 0 and (not low or item.low + (path.first + path.length) * unit.size > high) then return nil end
  end
  item.low = item.low + path.first * unit.size
  item.high = item.low + path.length * unit.size
  item.empty = path.length == 0
  return item, unit, path.length
end

local composed = { to = { to = "to", tofrom = "to", from = "alloc", alloc = "alloc" },
  from = { from = "from", tofrom = "from", to = "alloc", alloc = "alloc" },
  alloc = { to = "alloc", from = "alloc", tofrom = "alloc", alloc = "alloc" } }

-- Returns the map type of a mapper's item under a clause's type (OMP60-map-2).
local function composition(own, asked)
  if asked == "release" or asked == "delete" then return asked end
  return own == "tofrom" and asked or composed[own][asked]
end

-- Adds the items that a mapper makes of an object of type vec (OMP60-map-15). structure: the object, or the section
-- that is mapped as one. Returns false if it exceeds host memory.
local function mapped(w, list, at, asks, structure, update)
  local len, data = w.host[at], w.host[at + 8]
  local function add(own, low, high, more)
    if update and own ~= "tofrom" and own ~= asks.type then return end -- OMP60-upd-1
    local type = update and asks.type or composition(own, asks.type)
    local item = { type = type, low = low, high = high, must = asks.must, always = asks.always, from = asks.from,
      of = not (update and asks.mapper) and structure or nil }
    for key, value in pairs(more) do item[key] = value end
    list[#list + 1] = item
  end
  if asks.mapper == "part" then
    add("to", at, at + 4, { structure = structure })
    add("alloc", at + 8, at + 16, { structure = structure })
  else
    add("tofrom", at, at + 16, { structure = structure })
  end
  if len < 1 or len > 4 then return false end
  local low, high = array_at(w, data)
  if data ~= 0 and (not low or data + 4 * len > high) then return false end
  add(asks.mapper == "part" and "from" or "tofrom", data, data + 4 * len, { base = at + 8, null = data == 0 })
  return true
end

-- Returns the items of a step's clauses, or nil if the step is impossible.
function World:items(step)
  local items = {}
  for _, c in ipairs(step.clauses) do
    local item, t, count = self:item(c.path, c.type)
    if not item then return nil end
    item.must, item.always = c.must, c.always
    if t.mapper then
      for k = 0, count - 1 do
        if not mapped(self, items, item.low + k * t.size, c, item, step.op == "update") then return nil end
      end
    else
      items[#items + 1] = item
      if self.config.two_step and item.by_pointer and step.op ~= "update" then -- LLNL-2.1-05
        items[#items + 1] = { low = item.base, high = item.base + 8, added = true,
          type = step.op == "exit" and "release" or "alloc" }
      end
    end
  end
  return items
end

-- ------------------------------------------------------------------------------------------- world --

-- Returns a world. config: {rules, values = {number...}, start = {step...}}.
function World.new(config)
  local w = setmetatable({ config = config, host = {}, base = {}, cells = {}, types = {} }, World)
  w:start({ rules = config.rules, group_least = config.group_least }, World.declarations(config))
  local sizes = {}
  local function add(at, t, count)
    for k = 0, (count or 1) - 1 do
      local here = at + k * t.size
      if t.members then
        for _, member in pairs(t.members) do add(here + member[1], member[2], member[3]) end
      else
        w:add_cells(here, t.size == 4 and INT or POINTER)
        sizes[here] = t.size
      end
    end
  end
  for _, name in ipairs(names) do
    w.base[name] = w.session.now.scope.variables[name].address
    add(w.base[name], table.unpack(World.variables[name]))
  end
  table.sort(w.cells)
  w:compare_host()
  w.model = openmp_model.new(w.cells, sizes, w.host, { every = config.every, unmatched = config.unmatched,
    extended = w.session.rules.core == "openmp-5.1" })
  for _, step in ipairs(config.start) do w:step(step) end
  w.runner:run(World.declare_target)
  local g = w.base.G
  w.model.objects[1] = { low = g, high = g + 8, count = math.huge, has = { [g] = true, [g + 4] = true },
    data = { [g] = w.host[g], [g + 4] = w.host[g + 4] } }
  w.scratch = core.malloc(8)
  assert(w.session.ctx:host_add(w.scratch, 8, w.session:label { name = "scratch" }))
  return w
end

function World:close()
  self.session:close()
  core.free(self.scratch)
end

-- ------------------------------------------------------------------------------------------ kernels --

-- Returns the model's access for a path in a body.
local function access(w, path)
  local t, count = table.unpack(World.variables[path.name])
  local slot = w.base[path.name]
  if path.arrow then
    local member = rec.members[path.member]
    return { slot = slot, offset = member[1] + 4 * (path.element or 0) }
  elseif t.pointer then
    return { slot = slot, offset = 4 * path.element }
  end
  local place = w:place(path)
  if place.type.pointer then return { slot = place.at, offset = 4 * path.element } end
  return { at = place.at + 4 * (path.element or 0), name = t == int and not count and path.name }
end

-- Adds the implicit items of a body's variables, and returns its firstprivate variables (OMP60-map-11, OMP60-map-12);
-- nil if the result is unspecified.
local function implied(w, step, items)
  local listed, objects, part_of, whole, private, seen = {}, {}, {}, {}, {}, {}
  for _, c in ipairs(step.clauses) do
    listed[c.path.name] = listed[c.path.name] or not c.path.arrow
    listed.members_of_L = listed.members_of_L or c.path.arrow
    objects[c.path.name] = objects[c.path.name] or not c.path.member
    if c.path.index then part_of[c.path.name] = true end
    if not (c.path.arrow or c.path.length) then whole[c.path.name] = true end
  end
  for _, s in ipairs(step.body) do
    for _, path in ipairs { s.to, s.from } do
      local name = path.name
      local t, count = table.unpack(World.variables[name])
      local low = w.base[name]
      local high = low + t.size * (count or 1)
      if part_of[name] then return nil end -- an implied array of structures is unspecified
      -- Unspecified, too: a structure whose members are named through a pointer.
      if t == rec and not listed[name] and w.host[w.base.L] == low and listed.members_of_L then return nil end
      if not seen[name] then
        seen[name] = true
        local bits = w.config.bits and not listed[name] and name ~= "G"
        if t.pointer and not w.config.bits and not whole[name] then
          local first
          for _, item in ipairs(items) do
            if item.base == low and not first and not item.empty then first = item.low end
          end
          private[#private + 1] = { slot = low, target = first }
        elseif t == int and not count and not bits and not listed[name] then
          private[#private + 1] = { at = low }
        elseif t.mapper and not objects[name] and w.model:find(low, high) ~= false
          and (w.model:find(low, high) or not listed[name]) then
          for at = low, high - 1, t.size do
            if not mapped(w, items, at, { type = "tofrom" }, { low = low, high = high }) then return nil end
          end
        elseif not listed[name] and w.model:find(low, high) == nil then
          items[#items + 1] = { low = low, high = high, type = "tofrom",
            structure = t.members and not count and { low = low, high = high } or nil }
        elseif t == rec and not count and not objects[name] and w.model:find(low, high) == nil then
          -- Bases of sections have an implied structure of which nothing is present (OMPEX-struct_map-12).
          for _, item in ipairs(table.move(items, 1, #items, 1, {})) do
            local base = item.base
            for _, other in ipairs(items) do
              if not other.added and other.low == base and other.high == base + 8 then base = nil end
            end
            if base and low <= base and base < high then
              items[#items + 1] = { low = base, high = base + 8, type = "to", structure = { low = low, high = high } }
            end
          end
        end
      end
    end
  end
  return private
end

-- -------------------------------------------------------------------------------------------- steps --

World.declare_target = { kind = "omp", text = "declare target(G)" }

local directives = { open = "target data", enter = "target enter data", exit = "target exit data",
  update = "target update", target = "target" }

local function directive(step)
  local parts = { directives[step.op] }
  for _, c in ipairs(step.clauses) do
    local words = { c.always and "always" or nil }
    if c.must then words[#words + 1] = "present" end
    if c.mapper then words[#words + 1] = ("mapper(%s)"):format(c.mapper) end
    if step.op ~= "update" then words[#words + 1] = c.type end
    local head = table.concat(words, ", ")
    parts[#parts + 1] = ("%s(%s%s)"):format(step.op == "update" and c.type or "map",
      head == "" and "" or head .. ": ", World.text(c.path))
  end
  return table.concat(parts, " ")
end

local function body(step)
  local parts = {}
  for _, s in ipairs(step.body) do
    parts[#parts + 1] = ("%s = %s%d;"):format(World.text(s.to), s.from and World.text(s.from) .. " + " or "", s.add)
  end
  return table.concat(parts, " ")
end

-- Returns the value of a host step as an expression.
local function value_text(value)
  if type(value) ~= "table" then return tostring(value) end
  if not value.array then return "0" end
  return World.variables[value.array][2] and ("&%s[%d]"):format(value.array, value.index) or "&" .. value.array
end

-- Returns a step as steps of the scenario.
function World.written(_, step)
  if step.op == "close" then return { { kind = "end" } } end
  if step.op == "host" then
    return { { kind = "host", text = ("%s = %s"):format(World.text(step.path), value_text(step.value)) } }
  end
  return { { kind = "omp", text = directive(step), body = step.op == "target" and body(step) or nil } }
end

-- Functions that carry a step out in the model and return the errors that the session may report; nil: success, false:
-- the step is impossible, or its result is unspecified.
local operations = World.operations

-- Returns the errors of sections of null pointers, which precede all others except those of `present`.
local function null_in(items)
  local errors = { ["null-pointer"] = true }
  local any = false
  for _, item in ipairs(items) do
    any = any or item.null
    if item.must then errors["not-present"], errors["partially-present"] = true, true end
  end
  return any and errors
end

function operations.open(w, _, items) return null_in(items) or w.model:begin(items) end
function operations.enter(w, _, items) return null_in(items) or w.model:enter(items, true) end
function operations.exit(w, _, items) return null_in(items) or w.model:exit(items) end

function operations.update(w, _, items)
  local motions = {}
  for i, item in ipairs(items) do motions[i] = { item = item, out = item.type == "from" } end
  return null_in(items) or w.model:update(motions)
end

function operations.target(w, step, items)
  local private = implied(w, step, items)
  if not private then return false end
  local statements = {}
  for i, s in ipairs(step.body) do
    statements[i] = { to = access(w, s.to), from = s.from and access(w, s.from), add = s.add }
  end
  return null_in(items) or w.model:target(items, private, statements)
end

function operations.close(w) return #w.runner.open > 0 and w.model:finish() end

-- Executes a construct in the session and in the model. The model is unchanged if its result is unspecified.
local function construct(w, step)
  local items = {}
  if step.clauses then items = (#step.clauses > 0 or step.op == "target") and w:items(step) end
  local errors = items and operations[step.op](w, step, items)
  if errors == false or not items then return end
  w:run_step(World.written(nil, step)[1], errors)
  w:compare()
end

function World:step(step)
  if step.op ~= "host" then return construct(self, step) end
  local value = step.value
  if type(value) == "table" then
    value = value.array and self.base[value.array] + value.index * World.variables[value.array][1].size or 0
  end
  local place = self:place(step.path)
  self:set_host(place.at + place.type.size * (step.path.element or 0), value)
end

function World:compare()
  local model = self.model
  self:compare_objects(0, model.objects, function(o) return o.count ~= math.huge and o.count or nil end)
  self:compare_values(0, function(at)
    local o = model:holder(at)
    return o ~= nil, o and o.data[at], not model.attached[at]
  end)
  local attached = {}
  for slot, a in pairs(model.attached) do attached[slot] = { target = a.low, pointer = a.pointer } end
  self:compare_attached(0, attached)
  self:compare_host()
end

return World
