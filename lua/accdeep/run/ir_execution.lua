-- ir_execution.lua - executes texts of the construct IR in a session: constructs that accdeep explain --ir printed, or
-- that another implementation wrote.
--
-- Input: a session and a text, which examples/construct-ir.md describes. The core reads the text (core/abi/ir). Names
-- of the text are variables of the host program, or memory that the text declares. A statement `end` closes the
-- innermost region that the text opened; a region that is left open is an error.

local construct_ir = require "accdeep.lowering.construct_ir"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local region = require "accdeep.run.region"
local types = require "accdeep.types"

local raise = diagnostic.raise

local ir_execution = {}

local HELP = "examples/construct-ir.md describes the language"

-- Bytes of the scalar types, by number.
local sizes = {}
for name, number in pairs(core.scalar) do sizes[number] = tonumber(name:match "%d+" or 8) // 8 end

-- Returns the positions in `text` at which its lines begin.
local function line_starts(text)
  local starts = { 1 }
  for newline in text:gmatch "()\n" do starts[#starts + 1] = newline + 1 end
  return starts
end

-- Returns the address of `offset` bytes after the beginning of the variable `name`. Raises if there is no variable.
local function address_of(session, name, offset, pos)
  local variable = session.now.scope.variables[name] or session.now.scope:no_variable({ name = name, pos = pos })
  return variable.address + offset
end

-- Functions that execute statements, by kind: function(session, statement, state). state: {inputs, regions, pos}, the
-- text's inputs, the regions that it has opened, and the position of the statement.
local statements = {}

-- Declares a variable of zeroed bytes.
function statements.memory(session, statement, state)
  local scope, t = session.now.scope, types.array(types.scalars.char, statement.bytes)
  if scope:find_declared(statement.name) then scope:raise_taken(statement.name, state.pos) end
  scope.variables[statement.name] = { name = statement.name, type = t,
    address = session:new_block(statement.bytes, statement.name, t, state.pos) }
end

-- Stores a number or an address in host memory.
function statements.store(session, statement, state)
  local to = address_of(session, statement.name, statement.offset, state.pos)
  local value = statement.target and address_of(session, statement.target, statement.value, state.pos)
    or statement.value
  session.host_space:store(to, statement.scalar, sizes[statement.scalar], value, nil, nil, { pos = state.pos })
end

-- Returns the values of the first n inputs of a text. Raises for an input that is no address of a variable.
local function input_values(session, state, n)
  local values = {}
  for i = 1, n do
    local input = state.inputs[i]
    if input.is_value then
      local value = input.name ~= "" and ("the value of '%s'"):format(input.name) or "an array that 'rows' names"
      raise("unsupported", state.pos, value .. " is known only to the program that the text is for",
        { rule = "HOUSE-ir" })
    end
    values[i] = address_of(session, input.name, input.offset, state.pos)
  end
  return values
end

-- Executes a construct; a region stays open.
function statements.construct(session, statement, state)
  local node = { tag = "directive", name = statement.name, clauses = {} }
  local plan = construct_ir.new(session, node, statement.construct_kind, { file = statement.file,
    line = statement.file_line })
  local current = session.now.current
  plan.location = { text = current.text:match("[^\n]*", state.pos), file = current.file,
    line = (current.line or 1) + statement.line - 1 }
  plan.language, plan.construct = false, statement.construct
  plan.construct:set_inputs(input_values(session, state, statement.ninputs))
  local is_region = plan.kind == "region" or plan.kind == "compute"
  local ok, result = pcall(function()
    if is_region then return region.open(session, plan, true) end
    session:run(plan)
  end)
  if not ok and diagnostic.is(result) and result.code == "misuse" then
    -- The core refuses a construct that no directive has, such as an item that is no whole number of elements.
    raise("syntax", state.pos, result.message, { rule = "HOUSE-ir", help = HELP })
  elseif not ok then
    if diagnostic.is(result) and not result.file then result.pos = state.pos end
    error(result, 0)
  end
  if is_region then state.regions[#state.regions + 1] = result end
end

-- Closes the innermost region.
statements["end"] = function(_, _, state)
  local opened = table.remove(state.regions)
  if not opened then
    raise("region-nesting", state.pos, "there is no open region to end", { rule = "DIR-4.3-06" })
  end
  opened:close()
end

-- Executes the statements of a text in order. file, line: place of the text. Raises at the first statement that fails;
-- regions that the text has opened are then abandoned. Nothing is executed if the text is wrong. Decides HOUSE-ir.
function ir_execution.run(session, text, file, line)
  session:with_text(text, file, line, function()
    local list, inputs = session.ctx:read_ir(text, file, line)
    local starts = line_starts(text)
    if not list then
      raise("syntax", starts[inputs.line] + inputs.column - 1, inputs.message, { rule = "HOUSE-ir", help = HELP })
    end
    local state = { inputs = inputs, regions = {} }
    local ok, err = pcall(function()
      for _, statement in ipairs(list) do
        state.pos = starts[statement.line]
        statements[statement.kind](session, statement, state)
      end
      if #state.regions > 0 then
        raise("region-nesting", state.pos, "a region is still open at the end of the text", { rule = "DIR-4.3-06",
          help = "write 'end' after the construct" })
      end
    end)
    if ok then return end
    if state.regions[1] then state.regions[1]:abandon() end
    error(err, 0)
  end)
end

return ir_execution
