-- cases.lua - random cases: C functions of directives, kernels and accesses of the host, with what the model expects.
local directive = require "exec.random_programs".directive
local model = require "model"

local cases = {}

local TYPES = { [1] = "unsigned char", [2] = "short", [4] = "int", [8] = "long long" }
local ELEMENTS = { [1] = 120, [2] = 60, [4] = 36, [8] = 20 }
local LEAST = 72 -- bytes of a mapping: gcc may pass smaller ones to a kernel by value
local QUEUES = { 1, 2, 3 }

local random = math.random
local function chance(percent) return random(100) <= percent end
local function pick(list) return list[random(#list)] end

-- --------------------------------------------------------------------------------------- choosing --

-- A random range of 0 to n - 1: from, n.
local function choose_range(n, least)
  local from = chance(40) and 0 or random(0, n - least)
  return from, chance(40) and n - from or random(least, n - from)
end

local function choose_queue(case) return case.has_queues and chance(60) and pick(QUEUES) or nil end

local function choose_accesses(case, names)
  local accesses = {}
  for _ = 1, random(2) do
    local array = pick(names)
    local from, n = choose_range(case.n, 1)
    accesses[#accesses + 1] = { array = array, from = from, n = n, kind = pick { "read", "write", "change" } }
  end
  return accesses
end

local choose = {}

function choose.host(case)
  local from, n = choose_range(case.n, 1)
  return { from = from, n = n, kind = pick { "read", "write", "change" } }
end

function choose.kernel(case)
  local names = chance(25) and case.narrays == 2 and { 1, 2 } or { random(case.narrays) }
  local from, n = choose_range(case.n, case.least)
  return { from = from, n = n, names = names, accesses = choose_accesses(case, names), queue = choose_queue(case),
    clause = pick { "present", "present", "present", "copy", "copyin", "copyout", "create" },
    waits = case.has_queues and chance(20) and pick(QUEUES) or nil }
end

function choose.update(case)
  local from, n = choose_range(case.n, 1)
  return { from = from, n = n, to = pick { "host", "device" }, queue = choose_queue(case), is_routine = chance(25) }
end

function choose.memcpy(case)
  local from, n = choose_range(case.n, 1)
  return { from = from, n = n, to = pick { "host", "device" }, queue = choose_queue(case) }
end

function choose.enter(case)
  local from, n = choose_range(case.n, case.least)
  return { from = from, n = n, clause = pick { "create", "copyin" }, queue = choose_queue(case),
    is_routine = chance(20) }
end

function choose.exit(case)
  return { clause = pick { "delete", "copyout" }, queue = choose_queue(case), is_routine = chance(20) }
end

function choose.data(case)
  local from, n = choose_range(case.n, case.least)
  return { from = from, n = n, clause = pick { "copy", "copyin", "copyout", "create" } }
end

function choose.data_end() return {} end

function choose.wait(case)
  if not case.has_queues then return {} end
  return { queue = chance(70) and pick(QUEUES) or nil, waiter = chance(35) and pick(QUEUES) or nil,
    is_routine = chance(30) }
end

local FREQUENT = { "host", "host", "host", "kernel", "kernel", "kernel", "update", "update", "memcpy", "enter", "exit",
  "data", "data_end", "wait" }

-- A random case of "openacc" or "openmp": its parameters, and its steps.
function cases.new(standard)
  local size = pick { 1, 2, 4, 4, 8 }
  local case = { standard = standard, size = size, n = ELEMENTS[size], least = LEAST // size, narrays = random(2),
    has_queues = chance(45), storage = pick { "heap", "static", "stack" }, steps = {} }
  for i = 1, case.narrays do
    case.steps[i] = choose.enter(case)
    case.steps[i].op, case.steps[i].array = chance(50) and "enter" or "data", i
    if case.steps[i].op == "data" then case.steps[i].is_routine = nil end
  end
  for _ = 1, random(3, 14) do
    local op = pick(FREQUENT)
    local step = choose[op](case)
    step.op, step.array = op, random(case.narrays)
    case.steps[#case.steps + 1] = step
  end
  return case
end

-- --------------------------------------------------------------------------------------- emission --

-- Emitter: the lines of a case, from a line of the file on, and the model that follows them.
local Emitter = {}
Emitter.__index = Emitter

function Emitter:add(text, ...)
  self.lines[#self.lines + 1] = text:format(...)
  return self.first + #self.lines - 1
end

function Emitter:next_line() return self.first + #self.lines end

-- A value that no element of the array has had; bytes never get that of unwritten device memory.
function Emitter:new_value(array)
  repeat array.last = array.last + 1 until self.size > 1 or array.last ~= 0x7f
  return array.last
end

local function get_section(array, from, n)
  return ("%s[%d:%d]"):format(array.name, from, n)
end

-- The mapping that contains a range; nil if there is none. overlaps: whether a part of the range is mapped otherwise.
local function find_mapping(array, from, n)
  local mapping, overlaps = array.mapping[from], false
  if mapping and from + n <= mapping.from + mapping.n then return mapping, false end
  for i = from, from + n - 1 do overlaps = overlaps or array.mapping[i] ~= nil end
  return nil, overlaps
end

-- Adds a line with a directive of a kind: a clause with sections, and more clauses.
function Emitter:directive(kind, clause, sections, more)
  return self:add(directive(self.standard, kind, { { clause, sections } }, more))
end

-- Clauses for work in a queue (nil: of the host) after that of the queue `waits`, if there is one.
function Emitter:format_queue(queue, waits)
  if self.standard == "openacc" then
    return (waits and (" wait(%d)"):format(waits) or "") .. (queue and (" async(%d)"):format(queue) or "")
  end
  local first = queue and (" nowait depend(inout: queues[%d])"):format(queue) or ""
  if not waits or waits == queue then return first end
  return first .. (" depend(%s: queues[%d])"):format(queue and "in" or "inout", waits)
end

-- Adds a line of accesses to elements of an array. Returns a list of the single accesses in their order.
function Emitter:access(access)
  local array, from, n = self.arrays[access.array], access.from, access.n
  local line, list = self:next_line(), {}
  local element = ("((volatile T%d *)%s)[i]"):format(self.size, array.name)
  local first, kind = array.last + 1, access.kind
  if self.size == 1 and first + n > 255 then kind = "read" end
  for i = from, from + n - 1 do
    if kind ~= "write" then list[#list + 1] = { array = array, i = i, line = line } end
    if kind ~= "read" then list[#list + 1] = { array = array, i = i, line = line, value = self:new_value(array) } end
  end
  local value = self.size > 1 and ("%d + i"):format(first - from)
    or ("next_byte(%d, i - %d)"):format(first, from)
  if kind == "read" then
    self:add("for (int i = %d; i < %d; i++) (void)%s;", from, from + n, element)
  elseif kind == "write" then
    self:add("for (int i = %d; i < %d; i++) %s = %s;", from, from + n, element, value)
  else
    self:add("for (int i = %d; i < %d; i++) (void)%s, %s = %s;", from, from + n, element, element, value)
  end
  return list
end

local emit = {} -- functions of an emitter and a step; they do nothing if the step is not possible now

function emit:host(step)
  for _, access in ipairs(self:access(step)) do
    if access.value then
      self.model:host_write(access.line, access.array, access.i, access.value)
    else
      self.model:host_read(access.line, access.array, access.i)
    end
  end
end

-- Maps a range for a structured region or (`dynamic`) without one; moves data if the clause says so.
local function map(self, line, array, from, n, clause, kind)
  local mapping = find_mapping(array, from, n)
  if not mapping then
    mapping = self.model:map(array, from, n)
    mapping.structured, mapping.dynamic = 0, 0
    if clause == "copy" or clause == "copyin" then
      self.model:transfer(line, array, "device", from, n, kind)
    end
  end
  return mapping
end

local function unmap(self, line, array, mapping, from, n, clause, kind)
  if mapping.structured + mapping.dynamic > 0 then return end
  local moves = clause == "copy" or clause == "copyout"
  if moves then self.model:transfer(line, array, "host", from, n, kind) end
  self.model:unmap(line, array, mapping, moves, kind == "construct")
end

function emit:kernel(step)
  local clauses, sections = {}, {}
  for _, k in ipairs(step.names) do
    local array = self.arrays[k]
    local mapping, overlaps = find_mapping(array, step.from, step.n)
    if step.clause == "present" and not mapping or overlaps then return end
    sections[#sections + 1] = { array = array, mapping = mapping, from = step.from, n = step.n }
    clauses[#clauses + 1] = get_section(array, step.from, step.n)
  end
  local possible = {}
  for _, access in ipairs(step.accesses) do
    local from, to = math.max(access.from, step.from), math.min(access.from + access.n, step.from + step.n)
    if from < to then
      possible[#possible + 1] = { array = access.array, from = from, n = to - from, kind = access.kind }
    end
  end
  local queue, waits = step.queue, step.waits
  local line = self:directive("kernel", step.clause, table.concat(clauses, ", "),
    self:format_queue(queue, waits))
  self:add "{"
  if waits and (self.standard == "openacc" or not queue) then self.model:wait(line, waits, queue) end
  self.model:begin(queue, self.standard == "openmp" and waits or nil)
  for _, section in ipairs(sections) do
    section.mapping = map(self, line, section.array, step.from, step.n, step.clause, "construct")
    section.mapping.structured = section.mapping.structured + 1
  end
  local accesses = {}
  for _, access in ipairs(possible) do table.move(self:access(access), 1, 1000, #accesses + 1, accesses) end
  self.model:kernel(line, accesses, sections)
  self:add "}"
  for _, section in ipairs(sections) do
    section.mapping.structured = section.mapping.structured - 1
    unmap(self, line, section.array, section.mapping, step.from, step.n, step.clause, "construct")
  end
end

function emit:update(step)
  local array, from, n = self.arrays[step.array], step.from, step.n
  if not find_mapping(array, from, n) then return end
  local line
  if step.is_routine and self.standard == "openacc" then
    line = self:add("acc_update_%s%s(%s + %d, %d%s);", step.to == "host" and "self" or "device",
      step.queue and "_async" or "", array.name, from, n * self.size, step.queue and ", " .. step.queue or "")
  else
    line = self:directive("update", step.to, get_section(array, from, n), self:format_queue(step.queue))
  end
  self.model:begin(step.queue)
  self.model:transfer(line, array, step.to, from, n, "transfer")
end

function emit:memcpy(step)
  local array, from, n = self.arrays[step.array], step.from, step.n
  if not find_mapping(array, from, n) then return end
  local host, to_host = ("%s + %d"):format(array.name, from), step.to == "host"
  local function order(device) return to_host and host or device, to_host and device or host, n * self.size end
  local line
  if self.standard == "openacc" then
    local target, source, bytes = order(("(char *)acc_deviceptr(%s)"):format(host))
    line = self:add("acc_memcpy_%s%s(%s, %s, %d%s);", to_host and "from_device" or "to_device",
      step.queue and "_async" or "", target, source, bytes, step.queue and ", " .. step.queue or "")
  else
    local target, source, bytes = order "device"
    self:add("{ void *device = %s;", host)
    self:add "#pragma omp target data use_device_ptr(device)"
    line = self:add("omp_target_memcpy(%s, %s, %d, 0, 0, %s); }", target, source, bytes,
      to_host and "omp_get_initial_device(), 0" or "0, omp_get_initial_device()")
  end
  self.model:begin(self.standard == "openacc" and step.queue or nil)
  self.model:transfer(line, array, step.to, from, n, "routine")
end

function emit:enter(step)
  local array, from, n = self.arrays[step.array], step.from, step.n
  local _, overlaps = find_mapping(array, from, n)
  if overlaps then return end
  local line
  if step.is_routine and self.standard == "openacc" then
    line = self:add("acc_%s(%s + %d, %d);", step.clause, array.name, from, n * self.size)
  else
    line = self:directive("enter", step.clause, get_section(array, from, n), self:format_queue(step.queue))
  end
  self.model:begin(not (step.is_routine and self.standard == "openacc") and step.queue or nil)
  local mapping = map(self, line, array, from, n, step.clause, "transfer")
  mapping.dynamic = mapping.dynamic + 1
end

-- The mapping of an array with a dynamic reference; nil if there is none.
local function find_dynamic(array)
  for i = 0, array.n - 1 do
    if array.mapping[i] and array.mapping[i].dynamic > 0 then return array.mapping[i] end
  end
end

function emit:exit(step)
  local array = self.arrays[step.array]
  local mapping = find_dynamic(array)
  if not mapping then return end
  local from, n = mapping.from, mapping.n
  local line
  if step.is_routine and self.standard == "openacc" then
    line = self:add("acc_%s(%s + %d, %d);", step.clause, array.name, from, n * self.size)
  else
    line = self:directive("exit", step.clause, get_section(array, from, n), self:format_queue(step.queue))
  end
  self.model:begin(not (step.is_routine and self.standard == "openacc") and step.queue or nil)
  mapping.dynamic = mapping.dynamic - 1
  unmap(self, line, array, mapping, from, n, step.clause, "transfer")
end

function emit:data(step)
  local array, from, n = self.arrays[step.array], step.from, step.n
  local _, overlaps = find_mapping(array, from, n)
  if overlaps then return end
  local line = self:directive("data", step.clause, get_section(array, from, n))
  self:add "{"
  self.model:begin()
  local mapping = map(self, line, array, from, n, step.clause, "transfer")
  mapping.structured = mapping.structured + 1
  self.regions[#self.regions + 1] = { array = array, mapping = mapping, step = step, line = line }
end

-- The end of the innermost region, which is reported at the line of its directive: gcc gives it that of the statement
-- before.
function emit:data_end()
  local region = table.remove(self.regions)
  if not region then return end
  self:add "nothing++;"
  self:add "}"
  local mapping, step = region.mapping, region.step
  self.model:begin()
  mapping.structured = mapping.structured - 1
  unmap(self, region.line, region.array, mapping, step.from, step.n, step.clause, "transfer")
end

function emit:wait(step)
  local line
  if step.waiter and (step.queue == step.waiter or self.standard == "openmp") then return end
  if self.standard == "openmp" and step.queue then -- gcc gives it the line of the statement before
    line = self:add "nothing++;"
    self:add("#pragma omp taskwait depend(inout: queues[%d])", step.queue)
  elseif self.standard == "openmp" then
    line = self:add "#pragma omp taskwait"
  elseif step.is_routine then
    line = self:add("acc_wait%s%s(%s%s);", step.queue and "" or "_all", step.waiter and "_async" or "",
      step.queue or "", step.waiter and (step.queue and ", " or "") .. step.waiter or "")
  else
    line = self:add("#pragma acc wait%s%s", step.queue and ("(%d)"):format(step.queue) or "",
      self:format_queue(step.waiter))
  end
  self.model:wait(line, step.queue, step.waiter)
end

-- Emits a case as the function `name`, whose first line is `first`. Returns its lines and findings.
function cases.emit(case, name, first)
  local self = setmetatable({ lines = {}, first = first, model = model.new(), arrays = {}, regions = {},
    size = case.size, standard = case.standard }, Emitter)
  self:add("static void %s(void)", name)
  self:add "{"
  for i = 1, case.narrays do
    local array = model.new_array(i == 1 and "a" or "b", case.n, case.size)
    array.last, self.arrays[i] = 0, array
    local T = ("T%d"):format(case.size)
    if case.storage == "heap" then
      self:add("%s *%s = malloc(%d * sizeof *%s);", T, array.name, case.n, array.name)
    else
      self:add("%s%s %s[%d];", case.storage == "static" and "static " or "", T, array.name, case.n)
    end
  end
  for i = 1, case.narrays do emit.host(self, { array = i, from = 0, n = case.n, kind = "write" }) end
  for _, step in ipairs(case.steps) do emit[step.op](self, step) end
  emit.wait(self, {})
  while #self.regions > 0 do emit.data_end(self) end
  for i = 1, case.narrays do
    while find_dynamic(self.arrays[i]) do emit.exit(self, { array = i, clause = "delete" }) end
    if case.storage == "heap" then self:add("free(%s);", self.arrays[i].name) end
  end
  self:add "}"
  return self.lines, self.model.findings
end

cases.head = [[
#include <stdlib.h>
#ifdef _OPENACC
#include <openacc.h>
#else
#include <omp.h>
#endif
]]
for _, size in ipairs { 1, 2, 4, 8 } do cases.head = cases.head .. ("typedef %s T%d;\n"):format(TYPES[size], size) end
cases.head = cases.head .. [[
#pragma acc routine seq
#pragma omp declare target
static inline unsigned char next_byte(int first, int k)
{
  return first + k + (first <= 0x7f && first + k >= 0x7f);
}
#pragma omp end declare target
static volatile int nothing;
static char queues[4];
]]

return cases
