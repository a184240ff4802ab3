-- ir_text.lua - prints the construct IR of a directive, in the language that core/abi/ir reads
-- (examples/construct-ir.md describes it).
--
-- Input: a plan with its items. Output: a text, and the list of its inputs: the symbols of variables and values that
-- the text names, in the order of their first use. Whoever executes the text passes their values in this order.
-- accdeep explain --ir prints the text; programs of accdeep lower --to accdeep execute it without Lua.

local core = require "accdeep.core"

local ir_text = {}

local VERSION = 1 -- version of the language, which core/abi/ir/read.c requires
local op = core.opcode

-- Names of numbers of the core.
local actions, kinds, scalars = {}, {}, {}
for name, number in pairs(core.action) do actions[number] = name:gsub(" ", "_") end
for name, number in pairs(core.kind) do kinds[number] = name:gsub(" ", "_") end
for name, number in pairs(core.scalar) do scalars[number] = name end

-- Names of the flags of items (ACCD_ITEM_* in core/accdeep_constructs.h), by bit.
local FLAGS = { "uncounted", "init", "if_present", "present_or", "base_pointer", "copy_absent", "update_present",
  "always_in", "always_out", "require_present", "finalize", "zero", "attach_always", "attach_never", "present_part",
  "chain" }

-- The text that is written, as `lines`. programs: program -> its name, for those written so far; program_names: set of
-- these names. inputs: list of symbols; numbers: key of an input -> true. variables: variable -> its name in the text.
local Writer = {}
Writer.__index = Writer

-- Appends a line of the words `...`; false values are left out.
function Writer:line(...)
  local words = {}
  for i = 1, select("#", ...) do
    local word = select(i, ...)
    if word then words[#words + 1] = tostring(word) end
  end
  self.lines[#self.lines + 1] = table.concat(words, " ")
end

-- Returns a text in quotation marks.
local function quote(text) return '"' .. text:gsub("[\\\"]", "\\%0"):gsub("%s", " ") .. '"' end

-- Returns a name as the text has it: in quotation marks unless it is a word.
local function name_text(name) return name:find "^[%a_][%w_.]*$" and name ~= "none" and name or quote(name) end

-- Returns `word` and `value` as text; nil if the value is nil, false or `default`.
local function attribute(word, value, default)
  return value and value ~= default and ("%s %s"):format(word, value) or nil
end

-- Returns the name of a register; nil for nil.
local function register(number) return number and "r" .. number end

-- Returns the names of the flags that are set in `bits`, as text; nil: none is set.
local function flags_text(bits)
  local words = {}
  for i, name in ipairs(FLAGS) do
    if (bits or 0) >> (i - 1) & 1 == 1 then words[#words + 1] = name end
  end
  return words[1] and table.concat(words, " ")
end

-- ------------------------------------------------------------------------------------------- inputs --

-- Adds the input of a symbol, unless the text has named it already.
function Writer:add_input(symbol)
  if self.numbers[symbol.key] then return end
  self.numbers[symbol.key] = true
  self.inputs[#self.inputs + 1] = symbol
end

-- Returns the name of a variable in the text: its own name, or a longer one if another variable has this name.
function Writer:variable_name(variable)
  local name = self.variables[variable]
  if not name then
    name = variable.name
    while self.variable_names[name] do name = name .. "'" end
    self.variables[variable], self.variable_names[name] = name, true
  end
  return name
end

-- Returns the address of a symbol as text, `&name+offset`; or the number if it is the address of no variable.
function Writer:address(symbol)
  if math.type(symbol) then symbol = { value = symbol, key = "+" .. symbol } end
  local found = self.options.variable(symbol)
  if not found then return tostring(symbol.value) end
  self:add_input(found)
  return ("&%s%s"):format(name_text(self:variable_name(found.variable)),
    found.offset ~= 0 and ("%+d"):format(found.offset) or "")
end

-- ------------------------------------------------------------------------------------- instructions --

local signs = { [op.ADD] = "+", [op.SUB] = "-", [op.MUL] = "*", [op.DIV] = "/", [op.MOD] = "%", [op.SHL] = "<<",
  [op.SHR] = ">>", [op.AND] = "&", [op.OR] = "|", [op.XOR] = "^", [op.EQ] = "==", [op.NE] = "!=", [op.LT] = "<",
  [op.LE] = "<=" }
local unary_signs = { [op.NEG] = "-", [op.NOT] = "~", [op.LNOT] = "!" }

-- Returns " : TYPE" for the constant of an arithmetic instruction; "" if it computes in 64 bits.
local function operation_type(k) return k > 0 and " : " .. scalars[k - 1] or "" end

-- Writers of the other instructions, by opcode: function(writer, a, b, k) -> text after "=".
local printers = {
  [op.CONST] = function(self, _, _, k) return type(k) == "table" and self:address(k) or tostring(k) end,
  [op.INHERIT] = function(_, _, _, k) return ("outer r%d"):format(k) end,
  [op.SELF] = function() return "element" end,
  [op.LOAD] = function(_, _, b, k) return ("load %s @%d"):format(scalars[b], k) end,
  [op.LOAD_AT] = function(_, a, b, k)
    return ("load %s r%d%s"):format(scalars[b], a, k ~= 0 and ("%+d"):format(k) or "")
  end,
  [op.DISTANCE] = function(_, a, b, k) return ("distance r%d r%d of %d"):format(a, b, k) end,
  [op.SELECT] = function(_, a, b, k) return ("select r%d r%d r%d"):format(a, b, k) end,
  [op.CAST] = function(_, a, b) return ("cast r%d %s"):format(a, scalars[b]) end,
  [op.REQUIRE] = function(_, a, _, k) return ("require r%d%s"):format(a, k > 0 and " of " .. k or "") end,
}

-- Returns the value or call of a symbol of a function as text. word: "call" or "call_if".
local function call_text(self, word, a, b, symbol)
  if not symbol.record and self.options.is_value then
    self:add_input(symbol)
    return "value " .. quote(symbol.name)
  end
  return ("%s %s%s"):format(word, name_text(self.options.call(symbol)), b > 0 and (" r%d %d"):format(a, b) or "")
end
printers[op.CALL] = function(self, a, b, k) return call_text(self, "call", a, b, k) end
printers[op.CALL_IF] = function(self, a, b, k) return call_text(self, "call_if", a, b, k) end

-- Writes the instructions of `code` (a list of five values for each) from number `first` to `last`, indented.
function Writer:code(code, first, last)
  for i = 5 * first - 4, 5 * last, 5 do
    local opcode, to, a, b, k = table.unpack(code, i, i + 4)
    local text
    if signs[opcode] then
      text = opcode == op.OR and a == b and k == 0 and register(a)
        or ("r%d %s r%d%s"):format(a, signs[opcode], b, operation_type(k))
    elseif unary_signs[opcode] then
      text = ("%s r%d%s"):format(unary_signs[opcode], a, operation_type(k))
    else
      text = printers[opcode](self, a, b, k)
    end
    self:line(("  r%d ="):format(to), text)
  end
end

-- ----------------------------------------------------------------------------- labels and programs --

-- Returns the dimensions of a label's array as text; nil for nil.
local function array_text(array)
  if not array then return nil end
  local parts = { "array", array.name and quote(array.name) or nil }
  parts[#parts + 1] = attribute("shift", array.shift, 0)
  if array.described then
    parts[#parts + 1] = ("described %d span %d rank %d"):format(array.described, array.span or 0, array.rank)
  end
  for i = 1, array.described and 0 or array.rank do
    parts[#parts + 1] = ("(%d:%d:%d)"):format(array[i].lower or 0, array[i].extent or 0, array[i].sm or 0)
  end
  return table.concat(parts, " ")
end

-- Returns a label as text; nil for nil. unit, layout: unit and program of the elements, which need not be named if they
-- are the label's, too. has_rows: the item has the bounds of its array.
function Writer:label(label, unit, layout, has_rows)
  if not label then return nil end
  local parts = { quote(label.name) }
  for _, word in ipairs { "section", "element" } do
    if label[word] then parts[#parts + 1] = word end
  end
  if label.round then parts[#parts + 1] = "parentheses" end
  if (label.unit or 0) ~= (unit or 0) then parts[#parts + 1] = "unit " .. (label.unit or 0) end
  if label.layout ~= layout then parts[#parts + 1] = "layout " .. self:program_name(label.layout) end
  if label.pointer then parts[#parts + 1] = "pointer " .. quote(label.pointer) end
  if not has_rows then parts[#parts + 1] = array_text(label.array) end
  return table.concat(parts, " ")
end

-- Returns the name of a program as text; "none" for nil.
function Writer:program_name(program) return program and name_text(self.programs[program]) or "none" end

-- Calls fn(program) for each program to which `record`, an item, field, piece or member, refers.
local function each_program(record, fn)
  local program = record.child or record.program
  if program then fn(program) end
  if record.label and record.label.layout then fn(record.label.layout) end
end

-- Writes a program after the programs to which it refers, unless it is written already.
function Writer:program(program)
  if self.programs[program] then return end
  for _, list in ipairs { "pieces", "fields", "excluded", "members" } do
    for _, record in ipairs(program[list] or {}) do
      each_program(record, function(inner) self:program(inner) end)
    end
  end
  local name, n = program.name or "elements", 1
  while self.program_names[n > 1 and name .. "." .. n or name] do n = n + 1 end
  name = n > 1 and name .. "." .. n or name
  self.programs[program], self.program_names[name] = name, true
  self:line("program", name_text(name), "size", program.stride)
  for _, piece in ipairs(program.pieces) do
    self:line("  piece", "@" .. piece.offset, "size", piece.bytes, (piece.action or 0) ~= 0 and "action "
      .. actions[piece.action], piece.init and "init", piece.entry_only and "entry_only",
      piece.base_pointer and "base_pointer", self:label(piece.label))
  end
  local done = 0
  for _, field in ipairs(program.fields) do
    self:code(program.code, done + 1, field.code_end or 0)
    done = math.max(done, field.code_end or 0)
    self:line("  field", "@" .. field.offset, "of", field.unit, attribute("count", register(field.count)),
      attribute("start", register(field.start)), attribute("descriptor", field.slot_bytes, 0), (field.action or 0) ~= 0
      and "action " .. actions[field.action], flags_text(field.flags), field.init and "init",
      field.embedded and "embedded", field.in_place and "in_place", attribute("up", field.up, 0),
      field.child and "-> " .. self:program_name(field.child), self:label(field.label, field.unit, field.child))
  end
  self:code(program.code, done + 1, #program.code // 5)
  for _, list in ipairs { "excluded", "members" } do
    for _, member in ipairs(program[list] or {}) do
      self:line(list == "members" and "  member" or "  excluded", "@" .. member.offset, "size", member.bytes,
        self:label(member.label))
    end
  end
end

-- -------------------------------------------------------------------------------------------- items --

-- Returns the memory of an item's pointer as text; nil if it has none.
local function slot_text(self, item)
  if item.slot_address then return "slot " .. self:address(item.slot_address) end
  return attribute("slot", register(item.slot))
end

-- Returns the dimensions of a section with gaps as text; nil if it has no gaps.
local function gaps_text(item)
  if not item.dims then return nil end
  local parts = { "gaps " .. item.run }
  for i = 1, #item.dims, 2 do parts[#parts + 1] = ("(%d:%d)"):format(item.dims[i], item.dims[i + 1]) end
  return table.concat(parts, " ")
end

-- Returns the registers with indices for the name of an item as text; nil if there are none.
local function index_text(item)
  local list = {}
  for i, number in ipairs(item.indices or {}) do list[i] = register(number) end
  return list[1] and "index " .. table.concat(list, " ")
end

-- Writes an item with its instructions. rows: {name, symbols...}, the bounds of its array as inputs, or nil.
function Writer:item(item, rows)
  self:code(item.code, 1, #item.code // 5)
  local slot, frame = slot_text(self, item), item.frame and ("frame %s size %d"):format(self:address(item.frame),
    item.room)
  for _, symbol in ipairs(rows or {}) do self:add_input(symbol) end
  self:line("  item", actions[item.action], "of", item.unit or 0, attribute("base", register(item.base)),
    attribute("start", register(item.start)), attribute("count", register(item.count)), slot,
    attribute("descriptor", item.slot_bytes, 0), attribute("origin", register(item.origin)), index_text(item), frame,
    gaps_text(item), rows and ("rows %s %d"):format(quote(rows.name), (#rows - 1) // 2), flags_text(item.flags),
    item.program and "-> " .. self:program_name(item.program), self:label(item.label, item.unit, item.program, rows))
end

-- Returns the construct of a plan as text, and the list of its inputs, which are symbols. options:
--   variable(symbol)   returns the symbol {variable, offset} for that of an address; nil if no variable is there.
--   call(symbol)       returns the name of the function of a call.
--   is_value           true: calls of functions without an object are values that whoever executes the text passes.
--   has_place          true: the construct has the file and line of its directive.
function ir_text.write(plan, options)
  local self = setmetatable({ options = options, lines = {}, programs = {}, program_names = {}, inputs = {},
    numbers = {}, variables = {}, variable_names = {} }, Writer)
  self:line("accdeep ir", VERSION)
  for _, item in ipairs(plan.items) do
    each_program(item, function(program) self:program(program) end)
  end
  local kind = plan.kind == "declare" and "region" or plan.kind
  self:line("construct", kinds[core.kind[kind]], quote(plan.node.name), plan.finalize and "finalize", options.has_place
    and plan.file and ("at %s:%d"):format(quote(plan.file), plan.line or 0))
  for _, item in ipairs(plan.items) do self:item(item, item.rows) end
  return table.concat(self.lines, "\n") .. "\n", self.inputs
end

-- Returns a function for options.variable. It returns the variable that a symbol names. For an address that was
-- computed during lowering, it returns the block of memory that has the address.
function ir_text.variables_of(session)
  local blocks = {}
  return function(symbol)
    if symbol.variable then return symbol end
    local range = session.ctx:host_at(symbol.value)
    if not range or not range.live or range.name == "" then return nil end
    blocks[range.host] = blocks[range.host] or { name = range.name, address = range.host }
    local offset = symbol.value - range.host
    return { variable = blocks[range.host], offset = offset, key = ("%p+%d"):format(blocks[range.host], offset) }
  end
end

return ir_text
