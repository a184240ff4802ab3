-- c_program.lua - a C program under construction: its declarations, steps (steps/init.lua), and the contents of its
-- memory.
--
-- The program follows the scenario's host memory. Before each step, values that the script has written since the
-- previous step become assignments (catch_up). Values that the step itself wrote on the host are only recorded
-- (adopt_host_writes), because the step of the C program writes the same values. A block is a variable or an
-- allocation. Invariant between steps: `shadow` of each block equals the block's content in the C program.
-- scenario_recorder.lua uses this module.

local c_writer = require "accdeep.steps.c_writer"
local core = require "accdeep.core"
local deep_directive = require "accdeep.tools.emit.deep_directive"
local location = require "accdeep.base.location"
local lvalue_text = require "accdeep.tools.emit.lvalue_text"
local prelude = require "accdeep.tools.export.prelude"
local steps = require "accdeep.steps"
local types = require "accdeep.types"

local c_program = {}

local Program = {}
Program.__index = Program

-- Returns an empty program for a scenario file.
function c_program.new(file)
  return setmetatable({ file = file, declarations = {}, globals = {}, steps = {}, depth = 1, devices = {},
    blocks = {}, nblocks = 0, uses = {}, prototypes = {}, functions = {} }, Program)
end

-- Returns the program of the case `name`, with the declarations and initial values of the file, and without device
-- variables. A reason that ended the recording of the whole file also ends the case's recording.
function Program:case(name)
  local program = c_program.new(self.file)
  program.name = name
  table.move(self.declarations, 1, #self.declarations, 1, program.declarations)
  for address, block in pairs(self.blocks) do
    if block.initial then
      program.blocks[address] = { made_by = block.made_by, type = block.type, text = block.text,
        initial = block.initial, shadow = block.initial }
    end
  end
  if self.reason and self.reason.adopt_declared then program.reason = self.reason end
  program.shapes = self.shapes
  return program
end

-- Returns true if steps are still recorded: every step so far was expressible, and no expected error has ended the
-- program.
function Program:is_open() return not self.reason and not self.ended end

-- Appends a step to the body of main.
function Program:add(step)
  self.steps[#self.steps + 1] = step
  self.depth = self.depth + steps.depth_change(step)
end

-- Appends a line of C.
function Program:line(text) self:add { kind = "c", text = text } end
-- Appends the beginning of a block.
function Program:open_brace() self:add { kind = "begin" } end
-- Appends the end of the innermost block or region.
function Program:close_brace() self:add { kind = "end" } end

-- ---------------------------------------------------------------------------------------- values --

-- Returns a value of the scalar type `t` as a C constant expression.
local function scalar_text(t, value)
  if t.float then
    if value ~= value then return "0.0 / 0.0" end
    if value == math.huge or value == -math.huge then return value < 0 and "-1.0 / 0.0" or "1.0 / 0.0" end
    if value == math.floor(value) and math.abs(value) < 1e9 then return ("%.0f"):format(value) end
    return (t.size == 4 and "%.9gf" or "%.17g"):format(value)
  end
  if t.signed == false and value < 0 then return ("0x%xu"):format(value) end
  if value == math.mininteger then return "(-9223372036854775807 - 1)" end
  return ("%d"):format(value)
end
c_program.scalar_text = scalar_text

-- Returns the address and the block (an entry of self.blocks) of the memory that contains or begins at `address`. If no
-- block does, returns the address and block of an array that ends at `address`, or nil.
local function block_at(self, address)
  -- Start of an array that ends at the address. It is used only if no block contains the address.
  local preceding
  for at, block in pairs(self.blocks) do
    local last = at + block.type.size
    if address >= at and address < last or address == at then return at, block end
    if address == last and block.type.kind == "array" then preceding = at end
  end
  return preceding, self.blocks[preceding]
end

-- Returns the C expression for the object at a host address; nil if the program has no such object. `requested_type`: a
-- type, the code of a scalar, "pointer" for any pointer, or void for any type except arrays.
function Program:object(address, requested_type)
  local at, block = block_at(self, address)
  if not block then return nil end
  return lvalue_text.find(block.type, block.text, address - at, requested_type)
end

-- Adds a variable for a device address that a routine or region returns; returns its name. `address`: the value, or nil
-- if it is not yet known.
function Program:keep_device(address)
  local name = ("device_%d"):format(#self.devices + 1)
  self.devices[#self.devices + 1] = { address = address or 0, name = name }
  self.globals[#self.globals + 1] = ("static void *%s;"):format(name)
  return name
end

-- Returns a device address as a C expression relative to a saved device address (keep_device); nil if no saved address
-- is in the same device memory.
local function device_text(self, session, address)
  if session.ctx:device_of(address) < 0 then return nil end
  local best
  for _, saved in ipairs(self.devices) do
    if saved.address <= address and (not best or saved.address >= best.address) then best = saved end
  end
  local low, high = nil, nil
  if best then low, high = session.ctx:device_bounds(session.now.device, best.address) end
  if not best or best.address ~= address and low and not (low <= address and address <= high) then return nil end
  local offset = address - best.address
  return offset == 0 and best.name or ("(void *)((char *)%s + %d)"):format(best.name, offset)
end

-- Returns the value of a pointer to type `to` as a C expression: NULL, the address of an l-value of that type, or a
-- cast address with an offset. A device address is written relative to a device address that the program has saved.
-- Returns nil if the program has no object at the address.
function Program:pointer_text(session, address, to)
  if address == 0 then return "NULL" end
  local at, block = block_at(self, address)
  if not block then return device_text(self, session, address) end
  local text = lvalue_text.find(block.type, block.text, address - at, to)
  if not text then
    local offset = address - at
    local base = (block.type.kind == "array" and "" or "&") .. block.text
    return offset == 0 and ("(void *)%s"):format(base) or ("(void *)((char *)%s + %d)"):format(base, offset)
  end
  local array, index = text:match "^(.*)%[(%d+)%]$"
  if not array then return "&" .. text end
  return index == "0" and array or ("%s + %s"):format(array, index)
end

-- Returns the variable of a symbol in a bound as C (emit/program_functions.lua): its value of the type `code` `offset`
-- bytes from the symbol's address or, without an offset, that address. Raises {cannot = reason} if C cannot express it.
function Program.input(symbol, offset, code)
  local variable = symbol.variable
  local at = variable and symbol.offset + (offset or 0)
  local text = variable and (not offset and ("(long)((char *)&%s + %d)"):format(variable.name, at)
    or lvalue_text.value(variable.type, variable.name, at, code))
  return { text = text or deep_directive.cannot "this bound", is_global = true }
end

-- Returns the conversion of a floating number in a bound (emit/program_functions.lua). Raises {cannot = reason} for
-- functions, which are Lua in a scenario.
function Program.call(symbol)
  local t = symbol.record
  if t and t.kind == "pointer" and t.to.float then return { float = t.to.code } end
  deep_directive.cannot "a bound that calls a function"
end

-- --------------------------------------------------------------------------------------- memory --

-- Returns the blocks (variables and allocations) of a session and of its outer sessions that are not freed and have a
-- type, as {address, block}, in the order of creation.
local function live_blocks(session)
  local list = {}
  local from = session
  while from do
    for address, block in pairs(from.program.blocks) do
      local range = block.live and session.ctx:host_at(address)
      if range and range.live and block.type then list[#list + 1] = { address = address, block = block } end
    end
    from = from.outer
  end
  table.sort(list, function(a, b) return a.block.serial < b.block.serial end)
  return list
end

local RUN = 3 -- minimal number of consecutive changed scalars that are copied by one memcpy
-- Number of elements up to which changed_indices compares elements one by one instead of by halves.
local FEW = 32

-- Writes assignments for the differences between the contents `before` and `now` of a block, which is at `address`.
-- Ends the recording for pointers to memory that no block contains, and for unions.
local function assign(self, session, block, before, now, address)
  -- Returns true if the contents differ in the bytes from offset `from` to before `to`.
  local function differs(from, to) return before:sub(from + 1, to) ~= now:sub(from + 1, to) end
  local walk

  -- Appends the indices, from `first` to before `last`, of the elements that differ to `list`; finds them by bisection.
  -- `t`, `offset`: type of the array and its offset in the block. Returns `list`.
  local function changed_indices(t, offset, first, last, list)
    local size = t.of.size
    if first >= last or not differs(offset + first * size, offset + last * size) then return list end
    if last - first <= FEW then
      for i = first, last - 1 do
        if differs(offset + i * size, offset + (i + 1) * size) then list[#list + 1] = i end
      end
      return list
    end
    local middle = (first + last) // 2
    changed_indices(t, offset, first, middle, list)
    return changed_indices(t, offset, middle, last, list)
  end

  -- Returns the current value of the scalar at `offset` as C.
  local function number(t, offset) return scalar_text(t, (session.ctx:host_read(address + offset, t.code))) end

  -- Writes the assignments for an array. Runs of at least RUN scalars become one memcpy.
  local function array(t, text, offset)
    local list = changed_indices(t, offset, 0, t.n, {})
    local i = 1
    while list[i] do
      local j = i
      while list[j + 1] == list[j] + 1 do j = j + 1 end
      if t.of.kind == "scalar" and j - i + 1 >= RUN then
        local values = {}
        for k = i, j do values[#values + 1] = number(t.of, offset + list[k] * t.of.size) end
        local name = types.name(t.of)
        self:line(("memcpy(%s, (%s[]){"):format(list[i] == 0 and text or ("%s + %d"):format(text, list[i]), name))
        for k = 1, #values, 12 do
          self:line("    " .. table.concat(values, ", ", k, math.min(k + 11, #values)) .. ",")
        end
        self:line(("}, %d * sizeof(%s));"):format(#values, name))
      else
        for k = i, j do walk(t.of, ("%s[%d]"):format(text, list[k]), offset + list[k] * t.of.size) end
      end
      i = j + 1
    end
  end

  -- Writes the assignments for the part of type `t` at `offset`, whose l-value is `text`.
  function walk(t, text, offset)
    if not differs(offset, offset + t.size) then return end
    if t.kind == "scalar" then
      self:line(("%s = %s;"):format(text, number(t, offset)))
    elseif t.kind == "pointer" then
      local value = session.ctx:host_read(address + offset, t.code)
      local to = self:pointer_text(session, value, t.to)
      if not to then return self:cannot(("%s holds an address that no object of a C program has"):format(text)) end
      self:line(("%s = %s;"):format(text, to))
    elseif t.kind == "array" then
      array(t, text, offset)
    elseif t.record == "union" then
      self:cannot(("the value of the union %s: a C program would have to know which member it is"):format(text))
    else
      for _, member in ipairs(t.members) do
        walk(member.type, member.name and text .. "." .. member.name or text, offset + member.offset)
      end
    end
  end
  walk(block.type, block.text, 0)
end

-- Adds variables for the blocks of `list` (live_blocks) that are new: declared variables keep their names, other blocks
-- are allocated.
local function adopt(self, list)
  for _, entry in ipairs(list) do
    local address, block = entry.address, entry.block
    local current_block = self.blocks[address]
    if not current_block or current_block.made_by ~= block then
      local t = block.type
      local new_block
      if block.variable then
        local now = core.get(address, block.bytes)
        new_block = { type = t, text = block.name, initial = now, shadow = now }
      else
        self.nblocks = self.nblocks + 1
        local name = ("block_%d"):format(self.nblocks)
        new_block = { type = t, text = name, shadow = ("\0"):rep(block.bytes) }
        self.globals[#self.globals + 1] = ("static %s = NULL;"):format(types.spell(types.pointer(t.of), name))
        self:line(("%s = calloc(%d, sizeof *%s);"):format(name, math.max(t.n, 1), name))
      end
      new_block.made_by = block
      self.blocks[address] = new_block
    end
  end
end

-- Records variables that were just declared, with their initial values.
function Program:adopt_declared(session) adopt(self, live_blocks(session)) end

-- Adds allocations and assignments for the script's changes since the last step. Does nothing if the recording has
-- ended.
function Program:catch_up(session)
  if not self:is_open() then return end
  local list = live_blocks(session)
  adopt(self, list)
  for _, entry in ipairs(list) do
    local block = self.blocks[entry.address]
    local now = core.get(entry.address, entry.block.bytes)
    if now ~= block.shadow then
      assign(self, session, block, block.shadow, now, entry.address)
      block.shadow = now
    end
  end
end

-- Records the values that a step wrote on the host, without assignments: the step of the C program writes the same
-- values.
function Program:adopt_host_writes(session)
  if not self:is_open() then return end
  for _, entry in ipairs(live_blocks(session)) do
    local block = self.blocks[entry.address]
    if block then block.shadow = core.get(entry.address, entry.block.bytes) end
  end
end

-- ----------------------------------------------------------------------------------------- text --

-- Finishes the program. `language`: the language for a program without directives, or nil for OpenACC. Ends the
-- recording with a reason if the language lacks a routine that checks need.
function Program:finish(language)
  self.language = self.language or language or "openacc"
  if self.uses.device and not prelude.device[self.language] then
    self.ended = false
    self:cannot "expect.device: OpenMP has no routine for it; read it in a region, or update from"
  end
end

-- Returns the text of the program. Precondition: the program is finished.
function Program:text()
  local language = self.language
  local case = (self.name or "all of it"):gsub("%*/", "* /")
  local compile = prelude.compile[language]
  if self.uses.strict then compile = compile:gsub("accdeep exec%.", "accdeep exec --strict.") end
  local parts = { prelude.head:format(self.file, case, self.rules or "with knobs", compile,
    prelude.include[language]) }
  -- Appends a text to the program.
  local function add(text) parts[#parts + 1] = text end
  for _, text in ipairs(self.declarations) do add(text .. "\n") end
  add "\n"
  add(prelude.checks)
  if self.uses.fails then add(prelude.failing) end
  if self.uses.present then add(prelude.presence[language]) end
  if self.uses.device then add(prelude.device[language]) end
  if self.uses.pointer then add(prelude.pointer) end
  add "\n"
  if self.uses.result then add "static long result;\n" end
  for _, text in ipairs(self.globals) do add(text .. "\n") end
  if self.prototypes[1] then add("\n" .. table.concat(self.prototypes, "\n") .. "\n") end
  for _, text in ipairs(self.functions) do add("\n" .. text .. "\n") end
  add "\nint main(void)\n{\n"
  for _, text in ipairs(c_writer.lines(self.steps, 1)) do add(text .. "\n") end
  add "    return check_result();\n}\n"
  return table.concat(parts)
end

-- Ends the recording with the reason `message`; later reasons are ignored. `declared`: the reason applies to every case
-- of the file. `help`: advice, or nil.
function Program:cannot(message, declared, help)
  if not self:is_open() then return end
  local file, line = location.scenario(2)
  self.reason = { message = message, adopt_declared = declared, help = help, file = file or self.file, line = line }
end

return c_program
