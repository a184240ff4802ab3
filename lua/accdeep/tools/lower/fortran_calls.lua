-- fortran_calls.lua - writes the directives of a Fortran unit as calls of accdeep's library
-- (core/abi/lowered/fortran.c).
--
-- fortran_unit.lua uses it for `--to accdeep`. A list item is planned as if it were a whole variable of one element. At
-- run time the program fills the array accdeep_given, the inputs of the plan. An item has up to three kinds of inputs:
-- the address of the first element, the number of elements, and the bounds of the array, which error messages show. A
-- compute construct stays a directive without its data clauses. In its statement, pointers to device memory have the
-- same names as the variables, and hide them.

local api_routines = require "accdeep.run.api_routines"
local c_calls = require "accdeep.tools.lower.c_calls"
local codegen = require "accdeep.lowering.codegen"
local fortran_compiler = require "accdeep.tools.lower.fortran_compiler"
local core = require "accdeep.core"
local deep_directive = require "accdeep.tools.emit.deep_directive"
local fortran_designators = require "accdeep.tools.lower.fortran_designators"
local fortran_types = require "accdeep.types.fortran_types"
local fortran_writer = require "accdeep.tools.lower.fortran_writer"
local openacc_sema = require "accdeep.sema.openacc_sema"
local openacc_execution = require "accdeep.run.openacc_execution"
local ir_text = require "accdeep.lowering.ir_text"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local unparse_fortran = require "accdeep.syntax.unparse_fortran"
local strings = require "accdeep.base.strings"

local fortran_calls = {}

local LINE, MOST = 72, 30 -- characters per literal, literals per constant

-- Intrinsic functions that generated statements call. The unit must not use a variable of such a name in a directive.
local INTRINSIC = "loc size lbound len int transfer merge is_contiguous allocated associated present"
local intrinsics = strings.word_set(INTRINSIC)
local declared_intrinsics = "intrinsic :: " .. INTRINSIC:gsub(" ", ", ")

local Calls = {}
Calls.__index = Calls

-- Returns a writer of calls (Calls) for a unit, whose directives `session` plans.
function fortran_calls.new(session)
  return setmetatable({ session = session, variables = {} }, Calls)
end

-- Returns the text of the directive that is equivalent to a call of an OpenACC data routine with one variable: "enter
-- data copyin(x(1:n))" for "call acc_copyin(x(1:n))". Returns nil for other statements. `text`: the statement in lower
-- case.
function fortran_calls.directive_for(text)
  local name, arguments = text:match "^call%s+(acc_[%w_]+)%s*(%b())$"
  if not name then return nil end
  local is_async = name:find "_async$" ~= nil
  local directive, clause, finalize = api_routines.directive(name)
  local first, rest = arguments, nil
  local flattened = arguments:sub(2, -2):gsub("%b()", function(inner) return ("."):rep(#inner) end)
  local comma = flattened:find(",", 1, true)
  if comma then first, rest = arguments:sub(1, comma) .. ")", flattened:sub(comma + 1) end
  local is_one = not rest and not is_async or rest and is_async and not rest:find(",", 1, true)
  return directive and is_one and ("%s %s%s%s"):format(directive, clause, first, finalize and " finalize" or "") or nil
end

-- First placeholder address, and number of addresses reserved for each variable. Plans of Fortran compute addresses.
local FIRST, ROOM = 1 << 62, 1 << 40

-- Declares a variable of the session at a placeholder address. The field `key` of the variable becomes `value`.
function Calls:declare(name, t, key, value)
  local variable = { name = name, type = t, address = FIRST + #self.variables * ROOM, [key] = value }
  self.variables[#self.variables + 1] = variable
  self.session.now.scope.variables[name] = variable
end

-- Returns the symbol of the variable to which a placeholder address belongs, for the symbol of this address; nil for
-- other addresses.
function Calls:symbol(address)
  local at = address.value - FIRST
  local variable = at >= 0 and self.variables[at // ROOM + 1]
  return variable and codegen.symbol(variable, at % ROOM)
end

-- Returns a node for the value that the expression `node` has when the directive is executed: a new variable of the
-- session, whose value the program passes.
function Calls:value(node)
  local name = ("accdeep_value_%d"):format(#self.variables + 1)
  self:declare(name, fortran_types.LONG, "value", unparse_fortran(node))
  return { tag = "id", name = name, pos = node.pos, global = true }
end

-- ------------------------------------------------------------------------------------------ types --

-- Returns the intrinsic type that debug information calls `spelled`, such as "real(kind=8)"; a false value for other
-- names and nil.
local function intrinsic(spelled)
  local class, kind = (spelled or ""):match "^(%a+)%(kind=(%d+)%)$"
  return class and fortran_types.intrinsic[class] and fortran_types.intrinsic[class][tonumber(kind)]
end

-- Sets directive.ranks, a table from variable to rank, and the field `element` (element type) of each variable of a
-- directive. Removes from directive.used the variables that the compiler handles: constants, and those that are neither
-- arrays nor records. directive.all_used keeps them.
function fortran_calls.complete(directive)
  directive.ranks = {}
  for name, variable in pairs(directive.variables) do
    if directive.attributes[name].len then variable.record = nil end
    variable.element = variable.record or directive.attributes[name].len and fortran_types.character(1)
      or intrinsic(variable.spelled)
    directive.ranks[name] = directive.assumed_size[name] or variable.rank
  end
  local deep_used = {}
  for _, name in ipairs(directive.used) do
    local attributes, variable = directive.attributes[name], directive.variables[name]
    if variable and not attributes.constant and (attributes.array or variable.record) then
      deep_used[#deep_used + 1], deep_used[name] = name, true
    end
  end
  directive.all_used, directive.used = directive.used, deep_used
end

-- Returns the names of the modules that statements of a unit use or define, except modules and submodules that contain
-- the directive.
local function modules_for(unit, directive)
  local list, listed = {}, {}
  for i = directive.index, 1, -1 do
    local text = unit.scan.list[i].text
    if text:find "^end%s*module" or text:find "^end%s*submodule" then break end
    listed[text:match "^module%s+([%a][%w_]*)$" or text:match "^submodule%s*%(%s*([%a][%w_]*)" or ""] = true
  end
  for _, statement in ipairs(unit.scan.list) do
    local name = not statement.directive and (statement.text:match "^use%s+([%a][%w_]*)"
      or statement.text:match "^use%s*,?[^:]*::%s*([%a][%w_]*)" or statement.text:match "^module%s+([%a][%w_]*)$")
    if name and not listed[name] then list[#list + 1], listed[name] = name, true end
  end
  return list
end

-- Returns true if, in the region of a directive, a pointer to device memory hides the variable `name`.
local function is_named_in_region(directive, name)
  if directive.used[name] then return true end
  for _, clause in ipairs(directive.node.name == "host_data" and directive.node.clauses or {}) do
    for _, v in ipairs(clause.vars or {}) do
      if v.name == name then return true end
    end
  end
  return false
end

-- Sets type_names of each directive in `list`: a table from variable to the name of its derived type at the directive,
-- {tag, use}. The compiler is asked whether the type's own name, or that name imported from a module, denotes the type.
-- Returns the compiler's messages if it rejects the unit, otherwise nil.
function Calls:name_types(unit, list)
  local questions = {}
  for _, directive in ipairs(list) do
    local modules = modules_for(unit, directive)
    directive.type_names = {}
    -- Adds the query whether the variable `name` has the type `tag`. `use`: a format for a use statement that imports
    -- the type under another name; nil: the type's own name is tried.
    local function add_question(name, tag, use)
      local element = name .. (directive.ranks[name] > 0 and "(" .. ("1,"):rep(directive.ranks[name]):sub(1, -2) .. ")"
        or "")
      questions[#questions + 1] = { at = directive.at_view, directive = directive, name = name, tag = tag, use = use,
        text = ("%stype(%s), allocatable :: accdeep_q; allocate(accdeep_q, source=%s); accdeep_q = %s"):format(
          use and use:format "accdeep_type" .. "; " or "", use and "accdeep_type" or tag, element, element) }
    end
    for name, variable in sorted_pairs(directive.variables) do
      local tag = variable.record and (variable.spelled or ""):match "[%a_][%w_]*$"
      if tag and is_named_in_region(directive, name) then
        add_question(name, tag)
        for _, module in ipairs(modules) do add_question(name, tag, ("use %s, only: %%s => %s"):format(module, tag)) end
      end
    end
  end
  if not questions[1] then return end
  local ok, messages = fortran_compiler.try_statements(unit, unit.view, questions)
  if not ok then return messages end
  for _, question in ipairs(questions) do
    local names = question.directive.type_names
    if not question.error then names[question.name] = names[question.name] or question end
  end
end

-- Returns the type specifier for a pointer to the variable `name` at a directive, and the use statement that the
-- specifier needs, or nil. Raises {cannot = reason} if the type has no name there.
function Calls:declaration_of(directive, name)
  local variable, type_name = directive.variables[name], directive.type_names[name]
  if directive.attributes[name].len then return ("character(len=len(%s))"):format(name) end
  if not variable.record then return variable.spelled end
  if not type_name then
    deep_directive.cannot(("'%s', whose type '%s' has no name where the directive stands"):format(name,
      variable.spelled))
  end
  if not type_name.use then return ("type(%s)"):format(type_name.tag) end
  self.nuses = (self.nuses or 0) + 1
  local type_alias = "accdeep_type_" .. self.nuses
  return ("type(%s)"):format(type_alias), type_name.use:format(type_alias)
end

-- ------------------------------------------------------------------------------------- list items --

-- Returns the first element of the array `base`, or of its section with the subscripts `args` (nil: the whole array),
-- as text.
local function first_element(base, rank, args)
  if rank == 0 then return base end
  local list = {}
  for i = 1, rank do
    local arg = args and args[i]
    local first = arg and (arg.tag ~= "range" and arg or arg.first)
    list[i] = first and unparse_fortran(first) or ("lbound(%s,%d)"):format(base, i)
  end
  return ("%s(%s)"):format(base, table.concat(list, ","))
end

-- Returns the number of elements in dimension i of the array `base`, as text. `assumed_size`: the dimension without an
-- upper bound, or a false value; the bound comes from the subscripts `args` then. Raises {cannot = reason} if the
-- subscripts lack it.
local function extent_of(base, i, assumed_size, args)
  if i ~= assumed_size then return ("size(%s,%d,kind=8)"):format(base, i) end
  local last = args and args[i]
  local upper = last and (last.tag ~= "range" and last or last.last)
  if not upper then deep_directive.cannot(("'%s', whose last bound is not known"):format(base)) end
  return ("int(%s,8)-lbound(%s,%d)+1"):format(unparse_fortran(upper), base, i)
end

-- Returns the conditions, as text, under which a variable exists: present, allocated, associated; an empty list if it
-- always exists.
local function guards_of(attributes, name)
  local guards = {}
  for _, attribute in ipairs { "present", "allocated", "associated" } do
    if attributes[attribute] then guards[#guards + 1] = ("%s(%s)"):format(attribute, name) end
  end
  return guards
end

-- Returns the source of the list item `node`: a table that describes where its data are. `node`, `text`: the item as
-- AST and text. `base`: text of the item without the last subscripts; `rank`: rank of the base. `args`: the last
-- subscripts, or nil. `element`: type of the elements. `name`: the variable at the root. `guards`: conditions under
-- which the variable exists. `is_array`: the item has a rank above 0. `is_variable`: the base is the variable itself.
-- `assumed_size`: its dimension without an upper bound, or a false value. `len`: true for a character variable.
-- `may_have_gaps`: the item may be noncontiguous. Raises {cannot = reason} for items that calls cannot describe.
local function source_of(directive, session, node)
  if node.tag == "alias" then deep_directive.cannot "an alias (@) of a variable" end
  local name, args, base = fortran_designators.root_of(node), nil, node
  local designator = fortran_designators.designator_type(session, node)
  if node.tag == "reference" then base, args = node.base, node.args end
  local ancestor = base
  while ancestor.base do
    for _, arg in ipairs(ancestor.args or {}) do
      if arg.tag == "range" then deep_directive.cannot "a component of several elements" end
    end
    ancestor = ancestor.base
  end
  local attributes, variable = directive.attributes[name], directive.variables[name]
  if intrinsics[name] then deep_directive.cannot(("'%s', which is also the name of a function"):format(name)) end
  if variable and variable.polymorphic then deep_directive.cannot(("'%s' is polymorphic"):format(name)) end
  if not attributes or not variable then
    session.now.scope:no_variable { name = name, pos = node.pos }
  end
  local element = base.tag == "id" and variable.element or designator.element
  if directive.is_routine and types.is_record(element) then deep_directive.cannot(
    ("a routine about objects, '%s'"):format(name)) end
  if not element then deep_directive.cannot(("'%s', whose type is not known"):format(name)) end
  return { node = node, text = unparse_fortran(node), base = unparse_fortran(base), args = args, element = element,
    name = name, guards = guards_of(attributes, name), rank = fortran_designators.designator_type(session, base).rank,
    is_array = designator.rank > 0, is_variable = base.tag == "id",
    assumed_size = base.tag == "id" and directive.assumed_size[name], len = attributes.len and base.tag == "id",
    may_have_gaps = not attributes.allocated or args ~= nil }
end

-- A block of Fortran statements being written, with the methods of fortran_writer.lua.
local Block = setmetatable({}, { __index = fortran_writer })
Block.__index = Block

-- Returns an empty block. `number`: the line of the directive, or nil if nothing in the block reports errors.
local function block(number) return setmetatable({ lines = {}, depth = 0, number = number }, Block) end

-- Writes the guards of `source` (result of source_of) as if constructs, and inside them the lines that fn() writes.
function Block:with_guards(source, fn)
  for _, guard in ipairs(source.guards) do self:open("if (%s) then", guard) end
  fn()
  for _ = 1, #source.guards do self:close "end if" end
end

-- Writes a check of the item `text`: at run time the check ends the program if the item is not contiguous. Writes
-- nothing for items that are always contiguous. `source`: result of source_of.
function Block:check_gaps(source, text)
  if not source.may_have_gaps or source.assumed_size and not source.args then return end
  self:line("if (.not. is_contiguous(%s)) call accd_lowered_gaps('%s'//achar(0), accdeep_file, %d_4)", text,
    text:gsub("'", "''"), self.number)
end

-- Writes the statements that fill accdeep_given for the list item `source` (result of source_of). `at`, `count`:
-- indices in accdeep_given of the item's address and number of elements. `rows`: index of the address of the base,
-- after which the bounds follow; nil if the bounds are not needed.
function Block:give(source, at, count, rows)
  local times = source.len and ("*len(%s)"):format(source.base) or ""
  local first = first_element(source.base, source.rank, source.args)
  self:with_guards(source, function()
    if not source.is_array then
      self:line("accdeep_given(%d) = loc(%s)", at, first)
      self:line("accdeep_given(%d) = 1_8%s", count, times)
    else
      local text = source.args and source.text or source.base
      self:line("accdeep_given(%d) = size(%s,kind=8)%s", count, text, times)
      self:open("if (accdeep_given(%d) > 0) then", count)
      self:check_gaps(source, text)
      self:line("accdeep_given(%d) = loc(%s)", at, first)
      self:close "end if"
    end
    if not rows then return end
    self:line("if (accdeep_given(%d) > 0) accdeep_given(%d) = loc(%s)", count, rows, first_element(source.base,
      source.rank))
    for i = 1, source.rank do
      self:line("accdeep_given(%d) = lbound(%s,%d,kind=8)", rows + 2 * i - 1, source.base, i)
      self:line("accdeep_given(%d) = %s", rows + 2 * i, extent_of(source.base, i, source.assumed_size, source.args))
    end
  end)
end

-- ------------------------------------------------------------------------------------------ plans --

local passed_clauses = strings.word_set "finalize if_present"

-- Returns a directive's AST in which each list item is a whole variable of one element, and a table from the name of
-- that variable to the item's source (source_of). `clauses`: the clauses of the directive, in which convenience.lower
-- has replaced members by nests. Raises {cannot = reason} for clauses that calls cannot describe.
function Calls:whole_variables(directive, node, clauses)
  local session, list, sources = self.session, {}, {}
  for _, clause in ipairs(clauses) do
    local is_data = openacc_sema.moves_data(clause, node.name)
    if clause.name == "attach" or clause.name == "detach" then deep_directive.cannot(("'%s'"):format(clause.name)) end
    if is_data then
      local vars = {}
      for i, variable in ipairs(clause.vars) do
        local source = source_of(directive, session, variable)
        local element, bounds, text = source.element, {}, source.text
        local is_all = source.args ~= nil
        for _, arg in ipairs(source.args or {}) do
          is_all = is_all and arg.tag == "range" and not arg.first and not arg.last and not arg.step
        end
        if is_all then text = source.base end
        if sources[text] and node.name ~= "update" then
          deep_directive.cannot(("'%s' has two data clauses"):format(text))
        end
        -- An update may name an item twice. Blanks make the names different, and messages do not show them.
        while sources[text] do text = text .. " " end
        for k = 1, source.rank do bounds[k] = { lower = 1, extent = 1 } end
        sources[text] = source
        self:declare(text, source.rank > 0 and fortran_types.array(element, bounds) or element, "source", source)
        vars[i] = { tag = "id", name = text, pos = variable.pos }
      end
      list[#list + 1] = setmetatable({ vars = vars }, { __index = clause })
    elseif passed_clauses[clause.name] then
      list[#list + 1] = clause
    end
  end
  return ast.copy_with(node, "clauses", list), sources
end

-- Replaces the element count in an item's byte code by the input `symbol`, which the program passes.
local function parameterize_count(item, symbol)
  local code = table.move(item.code, 1, #item.code, 1, {})
  for i = 1, #code, 5 do
    if code[i + 1] == item.count then
      code[i], code[i + 2], code[i + 3], code[i + 4] = core.opcode.CALL, 0, 0, symbol
    end
  end
  item.code = code
end

-- Writes a plan (construct IR). Returns four values: the plan's text, the statements that fill the arrays accdeep_given
-- and accdeep_values, and the lengths of these two arrays. accdeep_given has the inputs; some are addresses of elements
-- of accdeep_values. `sources`: result of whole_variables. Raises {cannot = reason} if the text cannot express the
-- plan.
function Calls:plan(plan, sources)
  local out, values = block(plan.line), 0
  for i, item in ipairs(plan.items) do
    local source = sources[item.variable] or deep_directive.cannot "this list item"
    source.number = i - 1
    parameterize_count(item, { value = 0, key = ("count %d"):format(i),
      name = "number of elements " .. i, count_of = source })
    if source.rank > 0 then
      item.rows = { name = source.args and source.base or "", { key = ("rows %d"):format(i), rows_of = source } }
      for k = 2, 1 + 2 * source.rank do item.rows[k] = { key = ("rows %d %d"):format(i, k) } end
    end
  end
  local text, inputs = ir_text.write(plan, { variable = function(symbol) return self:symbol(symbol) end,
    is_value = true, call = function() deep_directive.cannot "a function in a bound" end })
  for index, input in ipairs(inputs) do
    local variable = input.variable or {}
    if variable.source then
      variable.source.at = index
    elseif variable.value then
      values = values + 1
      out:line("accdeep_values(%d) = %s", values, variable.value)
      out:line("accdeep_given(%d) = loc(accdeep_values(%d))", index, values)
    elseif input.count_of then
      input.count_of.count = index
    elseif input.rows_of then
      input.rows_of.rows = index
    end
  end
  for _, item in ipairs(plan.items) do
    local source = sources[item.variable]
    out:give(source, source.at, source.count, source.rows)
  end
  return text, out.lines, #inputs, values
end

-- -------------------------------------------------------------------------------------- statements --

-- Returns the lines that declare the constant accdeep_NAME, a null-terminated text. Long texts are split over several
-- constants.
local function constant(name, text)
  local pieces, lines, parts = {}, {}, {}
  for at = 1, #text, LINE do pieces[#pieces + 1] = "'" .. text:sub(at, at + LINE - 1):gsub("'", "''") .. "'" end
  pieces[#pieces + 1] = "achar(0)"
  for at = 1, #pieces, MOST do
    local part_name = #pieces > MOST and ("accdeep_%s_%d"):format(name, at // MOST + 1) or "accdeep_" .. name
    parts[#parts + 1] = part_name
    lines[#lines + 1] = ("character(len=*), parameter :: %s = &\n  %s"):format(part_name,
      table.concat(pieces, " // &\n  ", at, math.min(at + MOST - 1, #pieces)))
  end
  if #parts > 1 then
    lines[#lines + 1] = ("character(len=*), parameter :: accdeep_%s = &\n  %s"):format(name,
      table.concat(parts, " // &\n  "))
  end
  return lines
end

-- Returns the lines of a block that calls the library function `fn` with a directive's plan. `sources`: result of
-- whole_variables. `first`: the first argument of the call with a comma, or "".
function Calls:call(unit, directive, plan, sources, fn, first)
  local text, giving, ngiven, nvalues = self:plan(plan, sources)
  local out = block()
  out:open "block"
  out:line(declared_intrinsics)
  out:line "integer(8), save :: accdeep_plan = 0"
  out:line("integer(8) :: accdeep_given(%d)", math.max(ngiven, 1))
  if nvalues > 0 then out:line("integer(8) :: accdeep_values(%d)", nvalues) end
  out:line("external :: %s, accd_lowered_gaps", fn)
  for _, name in ipairs { { "text", (text:gsub("\n", ";")) }, { "file", unit.path } } do
    for _, line in ipairs(constant(name[1], name[2])) do out.lines[#out.lines + 1] = line end
  end
  out:line "accdeep_given = 0"
  for _, line in ipairs(giving) do out:line("%s", line) end
  out:line("call %s(%saccdeep_plan, accdeep_text, accdeep_file, %d_4, accdeep_given)", fn, first, directive.own.first)
  out:close "end block"
  return out.lines
end

-- Encloses lines in an if construct, in place; keeps them unchanged if the condition is nil. Returns `lines`.
local function wrap_condition(condition, lines)
  if not condition then return lines end
  table.insert(lines, 1, ("if (%s) then"):format(condition))
  lines[#lines + 1] = "end if"
  return lines
end

-- Writes statements to `out` that set the pointer accdeep_p_NAME to the device copy of a variable. If `condition` (a
-- text, or nil) is false at run time, the pointer is set to the variable itself. Returns the pointer's declaration,
-- with %s for its name, and a use statement or nil. `variable`: {name, args, address}. `args`: subscripts of the mapped
-- section, or nil. address(host) returns the text of the device address for the host address `host`.
function Calls:device_variable(directive, variable, condition, out)
  local name = variable.name
  local rank, base, attributes = directive.ranks[name], name, directive.attributes[name]
  local source = { guards = guards_of(attributes, name), rank = rank, base = base,
    assumed_size = directive.assumed_size[name], may_have_gaps = rank > 0 and not attributes.allocated,
    args = variable.args }
  local type_specifier, use = self:declaration_of(directive, name)
  local colons = rank > 0 and "(" .. (":,"):rep(rank):sub(1, -2) .. ")" or ""
  local declared = ("%s, pointer :: %%s%s"):format(type_specifier, colons)
  local extents, lowers = {}, {}
  for i = 1, rank do
    extents[i] = extent_of(base, i, source.assumed_size, source.args)
    lowers[i] = ("lbound(%s,%d):"):format(base, i)
  end
  out:with_guards(source, function()
    -- An array without elements gets any address that is not null: here the address of accdeep_at itself.
    out:line "accdeep_at = loc(accdeep_at)"
    local host, may_be_empty = ("loc(%s)"):format(first_element(base, rank)), rank > 0 and not source.assumed_size
    if rank > 0 then out:check_gaps(source, base) end
    if may_be_empty then out:open("if (size(%s,kind=8) > 0) then", base) end
    if condition then out:line("accdeep_at = %s", host) end
    out:line("%saccdeep_at = %s", condition and ("if (%s) "):format(condition) or "",
      variable.address(host))
    if may_be_empty then out:close "end if" end
    if rank == 0 then
      out:line("call accdeep_c_f_pointer(transfer(accdeep_at, accdeep_null), accdeep_p_%s)", name)
      return
    end
    out:open "block"
    out:line(declared, "accdeep_q")
    out:line("call accdeep_c_f_pointer(transfer(accdeep_at, accdeep_null), accdeep_q, [%s])", table.concat(extents,
      ", "))
    out:line("accdeep_p_%s(%s) => accdeep_q", name, table.concat(lowers, ", "))
    out:close "end block"
  end)
  return declared, use
end

-- Returns three lists: statements before a region, statements after it, and names of pointers. All three are empty if
-- `list` is empty. In the region, pointers to device memory hide the variables of `list`: {name, address, args,
-- reduced}. `reduced`: the region uses a host copy of the variable instead. `external`: the function that `address`
-- calls. `condition`: text of the condition under which pointers have device addresses, or nil.
function Calls:shadows(unit, directive, list, external, condition)
  if not list[1] then return {}, {}, {} end
  local head, sets, tail, names = block(), block(directive.own.first), block(), {}
  head:open "block"
  head:line "use, intrinsic :: iso_c_binding, only: accdeep_c_f_pointer => c_f_pointer, accdeep_null => c_null_ptr"
  local declared, inner, copies = {}, {}, {}
  for _, variable in ipairs(list) do
    local name = variable.name
    local text, use = self:device_variable(directive, variable, condition, sets)
    if use then head:line("%s", use) end
    declared[#declared + 1] = text:format("accdeep_p_" .. name)
    if variable.reduced then
      inner[#inner + 1] = text:gsub(", pointer", ""):format(name)
      copies[#copies + 1] = ("%s = accdeep_p_%s"):format(name, name)
      tail:line("accdeep_p_%s = %s", name, name)
    else
      inner[#inner + 1] = text:format(name)
      copies[#copies + 1] = ("%s => accdeep_p_%s"):format(name, name)
      names[#names + 1] = name
    end
  end
  for _, text in ipairs(declared) do head:line("%s", text) end
  local needs_file = table.concat(sets.lines):find("accdeep_file", 1, true)
  for _, text in ipairs(needs_file and constant("file", unit.path) or {}) do head:line("%s", text) end
  head:line "integer(8) :: accdeep_at"
  head:line("integer(8), external :: %s", external)
  head:line "external :: accd_lowered_gaps"
  for _, variable in ipairs(list) do head:line("nullify(accdeep_p_%s)", variable.name) end
  head:open "block"
  head:line(declared_intrinsics)
  for _, line in ipairs(sets.lines) do head:line("%s", line) end
  head:close "end block"
  head:open "block"
  for _, text in ipairs(inner) do head:line("%s", text) end
  for _, text in ipairs(copies) do head:line("%s", text) end
  tail:line "end block"
  tail:line "end block"
  return head.lines, tail.lines, names
end

-- Returns a set of names: those in private, firstprivate and deviceptr clauses of a compute construct, in private
-- clauses of its loops, and the counters of its loops.
local function private_names(unit, directive)
  local names = {}
  for _, clause in ipairs(directive.node.clauses) do
    local is_private = clause.name == "private" or clause.name == "firstprivate" or clause.name == "deviceptr"
    for _, v in ipairs(is_private and clause.vars or {}) do names[v.name or ""] = true end
  end
  for i = directive.index + 1, directive.finish - (directive.ends and 1 or 0) do
    local statement = unit.scan.list[i]
    names[not statement.directive and statement.text:match "%f[%w_]do%s+%d*%s*,?%s*([%a][%w_]*)%s*=" or ""] = true
    for list in (statement.directive or ""):gmatch "private%s*(%b())" do
      for name in list:gmatch "[%a][%w_]*" do names[name] = true end
    end
  end
  return names
end

-- Returns four values for a compute construct. 1, 2: the lines before its directive and after its last statement, which
-- open and close blocks in which pointers to device memory hide the construct's variables (Calls:shadows). 3: the
-- clause firstprivate(...) of these pointers, to add to the directive, or nil. 4: the set of names of these pointers.
-- `regions`: the regions of the unit so far, {first, last, names, construct}.
-- Raises {cannot = reason} for reductions of arrays and records.
function Calls:kernel(unit, directive, regions)
  local list, private, enclosing = {}, private_names(unit, directive), {}
  local _, reductions = c_calls.data_of(directive.node)
  for _, region in ipairs(regions) do
    local is_around = region.first < directive.index and directive.index < region.last
    if is_around and region.construct ~= directive then enclosing[#enclosing + 1] = region.construct end
  end
  for _, name in ipairs(directive.all_used) do
    local owner = directive.items[name] and directive
    for i = #enclosing, 1, -1 do owner = owner or enclosing[i].items and enclosing[i].items[name] and enclosing[i] end
    local is_ours = directive.variables[name] and not private[name] and (owner or directive.used[name])
    if is_ours and not (reductions[name] and owner == directive) then
      if reductions[name] and directive.used[name] then deep_directive.cannot(
        ("a reduction of '%s', which is no scalar"):format(name)) end
      local region, number = (owner or directive).region, tostring(owner and owner.items[name] or -1)
      -- The enclosing region is not open if its condition was false. The region's variable is then 0; the construct's
      -- own region is used instead, and the data are looked up as present data (-1).
      if owner and owner ~= directive and owner.condition then
        number = ("merge(%s, -1, %s /= 0)"):format(number, region)
        region = ("merge(%s, %s, %s /= 0)"):format(region, directive.region, region)
      end
      list[#list + 1] = { name = name, reduced = reductions[name], args = owner and owner.sections[name],
        address = function(host)
          return ("accd_lowered_pointer(%s, %s, %s)"):format(region, number, host)
        end }
    end
  end
  local head, tail, names = self:shadows(unit, directive, list, "accd_lowered_pointer")
  return head, tail, names[1] and ("firstprivate(%s)"):format(table.concat(names, ",")) or nil, strings.word_set(
    table.concat(names, " "))
end

-- Returns `text`, a line of a kernel, in which `associated` replaces `present` and `allocated` of the variables in the
-- set `names`, because pointers hide these variables.
function fortran_calls.inquiries(text, names)
  return (text:gsub("%f[%w_](%a+)(%s*%(%s*([%a][%w_]*)%s*%))", function(word, rest, name)
    word = word:lower()
    if (word == "present" or word == "allocated") and names[name:lower()] then return "associated" .. rest end
  end))
end

-- Returns the lines before and after a host_data region, and true: the directive that ends the region must be removed.
-- The lines open and close blocks in which pointers to device memory hide the variables of use_device.
function Calls:host_data(unit, directive)
  local list, if_present = {}, false
  for _, clause in ipairs(directive.node.clauses) do
    if clause.name == "if_present" then if_present = true end
    for _, v in ipairs(clause.name == "use_device" and clause.vars or {}) do
      list[#list + 1] = { name = v.name, address = function(host)
        return ("accd_lowered_use_device(%s, %s, %d_4)"):format(host, if_present and "achar(0)" or "accdeep_file",
          directive.own.first)
      end }
    end
  end
  local head, tail = self:shadows(unit, directive, list, "accd_lowered_use_device", directive.condition)
  return head, tail, true
end

-- Returns the lines of calls that replace a directive, and the lines after its region (an empty list if it has none).
-- `clauses`: the clauses of the directive, in which convenience.lower has replaced members by nests. Sets fields of a
-- directive with a region: region (name of the region's variable), items (item number by variable) and sections
-- (subscripts by variable). Raises {cannot = reason}.
function Calls:write(unit, directive, clauses)
  local lowered_node, sources = self:whole_variables(directive, directive.node, clauses)
  local plan = openacc_execution.lower(self.session, lowered_node, { file = unit.path, line = directive.own.first })
  if plan.kind ~= "region" and plan.kind ~= "compute" then
    return wrap_condition(directive.condition, self:call(unit, directive, plan, sources, "accd_lowered_run", "")), {}
  end
  directive.region, directive.items, directive.sections = "accdeep_region_" .. directive.own.first, {}, {}
  local lines = { "block", "integer(8) :: " .. directive.region, "external :: accd_lowered_leave",
    directive.region .. " = 0" }
  local call = self:call(unit, directive, plan, sources, "accd_lowered_enter", directive.region .. ", ")
  for _, source in pairs(sources) do
    if source.is_variable then directive.items[source.name], directive.sections[source.name] = source.number,
      source.args end
  end
  table.move(wrap_condition(directive.condition, call), 1, #call, #lines + 1, lines)
  return lines, { ("call accd_lowered_leave(%s)"):format(directive.region), "end block" }
end

return fortran_calls
