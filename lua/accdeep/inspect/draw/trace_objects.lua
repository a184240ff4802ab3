-- trace_objects.lua - names of the objects of a trace (inspect/trace.lua), and the pointers in them.
--
-- A program maps many objects under one name: n[0:1] in a recursive function. trace_objects gives each object one name
-- for all steps of a picture. It is the name where the first finding was made (mark "named"), else the name under which
-- the object was mapped. If several present objects share that name, it is the path from the object that contains a
-- pointer to it: root->child[1]. Objects that still share a name are numbered.
--
-- trace_objects.new(names) returns a table that apply(line) fills. `names`: result of TraceObjects:names, for another
-- reading of the same trace; or nil. Numbers of objects and pointers are those of the trace.

local trace_objects = {}

local TraceObjects = {}
TraceObjects.__index = TraceObjects

trace_objects.LATER = "later" -- name of a mark "scenario" before a whole state of the same program (exec/trace/trace.c)

-- Begins the objects of a program.
function TraceObjects:begin_program()
  self.program = self.program + 1
  -- labels, named: object -> name at its mapping, name at the finding.
  -- members: object -> offset -> {offset, path, value, target, copy, is_copied}. slots: pointer -> {holder, offset}.
  -- targets: pointer -> object. keys: object -> key of its label, without section, on its device. live: key -> number
  -- of present objects. shared: keys that several objects had at a time. order: numbers of all objects.
  self.labels, self.named, self.members, self.slots, self.targets = {}, {}, {}, {}, {}
  self.keys, self.live, self.shared, self.order, self.is_live = {}, {}, {}, {}, {}
end

-- Returns a table of the objects of a trace of which nothing was read.
function trace_objects.new(names)
  local objects = setmetatable({ program = 0, known_names = names, all_names = {}, all_holders = {} }, TraceObjects)
  objects:begin_program()
  return objects
end

-- Returns true for the name of a private copy that the compiler maps for a kernel.
function trace_objects.is_private(name) return name:find "^firstprivate of %d+ bytes" ~= nil end

-- Returns a name without a section at its end: "p" for p[0:4] and p(1:4), but p[2] for p[2].
function trace_objects.without_section(name)
  return (name:gsub("%[[^%[%]]*:[^%[%]]*%]$", ""):gsub("%([^%(%)]*:[^%(%)]*%)$", ""))
end

local without_section = trace_objects.without_section

-- Returns the name of the pointer with this path in the object called `name`.
local function join(name, path)
  local base, rest = without_section(name), path:match "^%[0%]%.(.*)$"
  if rest then return base .. "->" .. rest end
  return base .. (path:find "^[%w_]" and "." or "") .. path
end

-- Reads an event or mark about the object `line.object`.
function TraceObjects:apply_object(line)
  local number = line.object
  if line.gone then
    local key = self.keys[number]
    if self.is_live[number] then self.live[key], self.is_live[number] = self.live[key] - 1, nil end
    return
  end
  local label = line["in"] or line.name
  if label and not self.labels[number] then
    local key = line.device .. " " .. without_section(label)
    self.labels[number], self.keys[number], self.is_live[number] = label, key, true
    self.order[#self.order + 1] = number
    self.live[key] = (self.live[key] or 0) + 1
    if self.live[key] > 1 then self.shared[key] = true end
  end
  if line.op == "h2d" then
    local first = line.offset or 0
    for offset, member in pairs(self.members[number] or {}) do
      if offset >= first and offset < first + line.bytes then member.is_copied = true end
    end
  end
end

-- Reads a mark about a pointer in an object, or an object's name.
function TraceObjects:apply_mark(line)
  if line.mark == "slot" then
    self.slots[line.number] = { holder = line.holder, offset = line.offset }
  elseif line.mark == "named" then
    self.named[line.holder] = line.name
  elseif line.mark == "member" then
    self.members[line.holder] = self.members[line.holder] or {}
    local member = self.members[line.holder][line.offset] or { offset = line.offset, path = line.path or "" }
    member.value, member.target, member.copy = line.value, line.target, line.copy or member.copy
    self.members[line.holder][line.offset] = member
  end
end

-- Reads a line of the trace.
function TraceObjects:apply(line)
  if line.mark == "scenario" and line.name ~= trace_objects.LATER then
    self:add_names()
    self:begin_program()
  elseif line.holder and line.mark and not line.pointer then
    self:apply_mark(line)
  elseif line.pointer then
    self.targets[line.pointer] = line.object or self.targets[line.pointer]
  elseif line.object then
    self:apply_object(line)
  end
end

-- ------------------------------------------------------------------------------------------ names --

-- Returns a table from object to {holder, path}: the pointer by which its name can be given.
function TraceObjects:holders()
  local holders = {}
  -- Records that the pointer at `offset` of object `holder` points to `target`, unless a pointer to it is known.
  local function add(target, holder, offset)
    local member = self.members[holder] and self.members[holder][offset]
    if target and target ~= holder and member and not holders[target] then
      holders[target] = { holder = holder, path = member.path }
    end
  end
  local pointers = {}
  for pointer in pairs(self.slots) do pointers[#pointers + 1] = pointer end
  table.sort(pointers)
  for _, pointer in ipairs(pointers) do
    add(self.targets[pointer], self.slots[pointer].holder, self.slots[pointer].offset)
  end
  for _, holder in ipairs(self.order) do
    for _, member in ipairs(self:pointers(holder)) do add(member.target, holder, member.offset) end
  end
  return holders
end

-- Returns the key of an object's name in the table that `names` returns.
function TraceObjects:key(number) return self.program << 32 | number end

-- Adds the names of the program's objects to all_names.
function TraceObjects:add_names()
  local holders, names, count = self:holders(), {}, {}
  -- Returns the name of an object. `depth`: number of pointers followed so far, at most 40.
  local function name_of(number, depth)
    if names[number] then return names[number] end
    local label = self.labels[number] or "?"
    local name, holder = self.named[number] or label, holders[number]
    local is_shared = not self.named[number] and self.shared[self.keys[number]]
    if is_shared and holder and depth < 40 then
      name = join(name_of(holder.holder, depth + 1), holder.path) .. (label:match "%[[^%[%]]*:[^%[%]]*%]$" or "")
    end
    local single = name:match "^(.*)%[0:1%]$"
    if single and single:find "[%.>%%]" then name = single end
    names[number] = name
    return name
  end
  for _, number in ipairs(self.order) do
    self.all_holders[self:key(number)] = holders[number] and holders[number].holder
    local name = name_of(number, 0)
    if self.shared[self.keys[number]] and name == self.labels[number] then -- numbers distinguish the objects
      count[name] = (count[name] or 0) + 1
      if count[name] > 1 then name = ("%s #%d"):format(name, count[name]) end
    end
    self.all_names[self:key(number)] = name
  end
end

-- Returns the names of all objects that were read, and the objects with pointers to them: a table for
-- trace_objects.new.
function TraceObjects:names()
  self:add_names()
  return { names = self.all_names, holders = self.all_holders }
end

-- Returns the name of an object; `label`: the name that it has if no other one is known.
function TraceObjects:name(number, label)
  return self.known_names and self.known_names.names[self:key(number)] or label
end

-- Returns, as keys, an object and the objects that contain the pointers on the way to it.
function TraceObjects:way_to(number)
  local way = {}
  while number and not way[number] do
    way[number] = true
    number = self.known_names and self.known_names.holders[self:key(number)]
  end
  return way
end

-- --------------------------------------------------------------------------------------- pointers --

-- Returns the pointers that an object contains by its type, in order: {offset, path, value, target, copy, is_copied}.
-- The fields are those of the marks "member"; is_copied: true if a transfer has copied the pointer to the device.
function TraceObjects:pointers(number)
  local list = {}
  for _, member in pairs(self.members[number] or {}) do list[#list + 1] = member end
  table.sort(list, function(a, b) return a.offset < b.offset end)
  return list
end

-- Returns the object that contains an attached pointer, and the pointer's offset in it; nil if that is not known.
function TraceObjects:slot(pointer)
  local slot = self.slots[pointer]
  if slot then return slot.holder, slot.offset end
  return nil
end

-- Returns the name of an attached pointer; `label`: the name that it has if no other one is known.
function TraceObjects:pointer_name(pointer, label)
  local slot = self.slots[pointer]
  local member = slot and self.members[slot.holder] and self.members[slot.holder][slot.offset]
  return member and join(self:name(slot.holder, self.labels[slot.holder]), member.path) or label
end

return trace_objects
