-- fortran_unit.lua - lowers a Fortran unit: directives of TR-14-1 become standard ones and statements, or data
-- directives become calls. Lines keep their numbers. fortran_fixed_form.lua converts a unit in fixed form first.
-- lower/init.lua calls fortran_unit.lower. The phases:
--   view: the lines that the compiler sees, after preprocessing.
--   scan: the statements and directives of the view (fortran_source.lua).
--   read_directives, plan_directives: parse and select directives.
--   read_types: queries for attributes and types of their variables.
--   describe: define shapes and policies in the session (run/session.lua), which plans the directives.
--   rewrite: plan each directive; write edits of whole lines.
--   apply: sort and join the edits; compile the result as a check.
--
-- A deep directive gets a block before it, or in its place, that maps the data which its variables point to. A second
-- block after its region unmaps these data (emit/fortran_functions.lua). With --to accdeep, fortran_calls.lua writes
-- calls instead. Fields of a directive. `own`: its lines in the unit. `index`: its index in the scan. `view`: its first
-- line in the view. `finish`: index of the statement that ends its region.

local lazy = require "accdeep.base.lazy"
local openacc_sema = require "accdeep.sema.openacc_sema"
local c_calls = lazy.require "accdeep.tools.lower.c_calls"
local fortran_compiler = require "accdeep.tools.lower.fortran_compiler"
local convenience = require "accdeep.sema.clauses.convenience"
local debug_info = require "accdeep.types.debug_info"
local deep_directive = require "accdeep.tools.emit.deep_directive"
local program_transfers = require "accdeep.tools.emit.program_transfers"
local diagnostic = require "accdeep.base.diagnostic"
local unit_directives = require "accdeep.tools.lower.unit_directives"
local fortran_designators = require "accdeep.tools.lower.fortran_designators"
local fortran_calls = lazy.require "accdeep.tools.lower.fortran_calls"
local fortran_edits = require "accdeep.tools.lower.fortran_edits"
local fortran_fixed_form = require "accdeep.tools.lower.fortran_fixed_form"
local fortran_functions = require "accdeep.tools.emit.fortran_functions"
local files = require "accdeep.tools.files"
local fortran_openmp = lazy.require "accdeep.tools.lower.fortran_openmp"
local fortran_modules = require "accdeep.tools.lower.fortran_modules"
local fortran_types = require "accdeep.types.fortran_types"
local location = require "accdeep.base.location"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openacc_analysis = require "accdeep.sema.clauses.openacc_analysis"
local PREFIX = require "accdeep.tools.lower.c_compiler".PREFIX
local requested_action = require "accdeep.lowering.requested_action"
local scope = require "accdeep.types.scope"
local shell_command = require "accdeep.tools.shell_command"
local fortran_source = require "accdeep.tools.lower.fortran_source"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local unparse_fortran = require "accdeep.syntax.unparse_fortran"
local with_fields = require "accdeep.base.with_fields"

local raise = diagnostic.raise
local designator_type, has_component, root_of = fortran_designators.designator_type, fortran_designators.has_component,
  fortran_designators.root_of

local fortran_unit = {}
local descriptions, standalone, is_compute = unit_directives.descriptions, unit_directives.standalone,
  unit_directives.is_compute

local Unit = {}
Unit.__index = Unit

-- Calls fn(...), returns its results. Locates errors in `construct`; {cannot = reason} becomes "unsupported".
function Unit:with_location(construct, fn, ...)
  local path = construct.path or self.path
  local results = table.pack(pcall(self.session.with_text, self.session, construct.text, path, construct.line, fn, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local err = results[2]
  if deep_directive.is_reason(err) then
    return self:with_location(construct, raise, "unsupported", construct.node and construct.node.pos
      or 1, err.cannot, { rule = "HOUSE-lower", help = err.help })
  end
  if diagnostic.is(err) and err.in_text and not construct.path and err.file == self.path
    and err.line == construct.line then
    err.line, err.column = location.position(self.text, construct.at + err.pos - 1)
    err.snippet, err.snippet_column, err.in_text = location.line(self.text, err.line), err.column, nil
  end
  error(err, 0)
end

-- Returns the directive of a statement: {text, line, at, own, index, view, record}. `record`: {name, components} of the
-- derived type around it, or nil. `text`: as in the unit, or joined if preprocessing changed it.
function Unit:directive_of(statement, index, record)
  local first, last = self.view[statement.first].line, self.view[statement.last].line
  local construct = { index = index, view = statement.first, record = record, line = first or 1 }
  if first and last then
    local text = fortran_edits.lines(self, first, last)
    local mark = text:lower():find("!$acc", 1, true)
    construct.own = { first = first, last = last }
    if mark and last - first == statement.last - statement.first then
      construct.at, construct.text = self.starts[first] + mark - 1, text:sub(mark):gsub("%s+$", "")
    end
  end
  if not construct.text or self.is_expanded then
    local joined = construct.text and construct.text:gsub("&%s*\n%s*!%$[aA][cC][cC]%s*&?", ""):lower():gsub("%s", "")
    if joined ~= "!$acc" .. statement.directive:gsub("%s", "") then
      construct.text, construct.at = "!$acc " .. statement.directive, self.starts[construct.line]
    end
  end
  return construct
end

-- Raises the error "unsupported" at a statement that cannot become calls. `help`: advice for the user.
local function refuse(self, statement, message, help)
  local construct = self:directive_of({ first = statement.first, last = statement.last, directive = "" })
  self:with_location(construct, raise, "unsupported", 1, message, { rule = "HOUSE-lower", help = help })
end

-- Returns the first and last line of a call of a routine. Raises if other statements are in them, or they in a header.
local function lines_of_call(self, statement)
  local first, last = self.view[statement.first].line, self.view[statement.last].line
  if not first or not last or fortran_edits.lines(self, first, last):find ";" then
    refuse(self, statement, "this call of a routine", "write it alone in a line of the unit")
  end
  return first, last
end

-- Parses directives that may move data, and shapes of used modules, into self.directives. With --to accdeep and --to
-- openmp, calls of data routines count as directives. Returns true if one is of TR-14-1, and only then raises syntax
-- errors.
local function read_directives(self)
  local add, finish = unit_directives.reader()
  local record, is_extended, inside
  local defined, used_modules = fortran_modules.defined_modules(self.text)
  local folders = fortran_modules.folders(self.options)
  table.insert(folders, 1, self.modules)
  for _, other in ipairs(fortran_modules.read_directives(folders, used_modules, defined)) do
    local construct = { text = "!$acc " .. other.text, path = other.path, line = other.line,
      record = other.type and { name = other.type, components = other.components } }
    add(construct, other.text, self.with_location, self, construct, self.session.language.parse, self.session,
      "directive", construct.text)
  end
  for index, statement in ipairs(self.scan.list) do
    local routine = self.replaces_all and not statement.directive and fortran_calls.directive_for(statement.text)
    if routine then
      lines_of_call(self, statement)
      local construct = self:directive_of({ first = statement.first, last = statement.last, directive = routine },
        index)
      construct.is_routine = true
      construct.text, construct.at = "!$acc " .. routine, self.starts[construct.line]
      add(construct, routine, self.with_location, self, construct, self.session.language.parse, self.session,
        "directive", construct.text)
    elseif not statement.directive then
      local begun = fortran_source.type_begun(statement.text)
      inside = fortran_source.module_begun(statement.text) or not fortran_source.ends_module(statement.text) and inside
        or nil
      if begun then
        record = { name = begun, components = {} }
      elseif record and fortran_source.ends_type(statement.text) then
        record = nil
      elseif record then
        fortran_source.components(statement.text, record.components)
      end
    elseif unit_directives.moves_data(statement.directive:match "^[%a_]+" or "", self.calls) then
      local construct = self:directive_of(statement, index, record)
      if inside and descriptions[statement.directive:match "^%a*"] then
        self.exported[inside] = self.exported[inside] or {}
        table.insert(self.exported[inside], { path = self.path, line = construct.line, type = record and record.name,
          components = record and record.components or {}, text = statement.directive })
      end
      add(construct, statement.directive, self.with_location, self, construct, self.session.language.parse,
        self.session, "directive", construct.text)
    end
  end
  self.directives, is_extended = finish()
  return is_extended
end

-- Returns the unit's own directives that move data. Raises for directives that cannot be rewritten.
local function plan_directives(self)
  local list = {}
  for _, construct in ipairs(self.directives) do
    local is_description = descriptions[construct.node.name]
    local is_replaced = construct.extension or self.replaces_all and not is_description
    if not construct.own and not construct.path and is_replaced then
      self:with_location(construct, raise, "unsupported", 1, (
        construct.extension and "a directive of TR-14-1" or "a directive")
        .. " in a file that is included", { rule = "HOUSE-lower", help = "write it in the unit" })
    elseif construct.own and not is_description then
      if construct.node.name ~= "declare" then
        list[#list + 1] = construct
      elseif construct.extension then
        self:with_location(construct, deep_directive.cannot, "'declare' with a shape, policy or nest")
      elseif self.calls then
        self:with_location(construct, raise, "unsupported", construct.node.pos, "'declare'", { rule = "HOUSE-lower",
          length = #construct.node.name, help = "write enter data where the program begins" })
      end
    end
  end
  return list
end

-- Returns the index of the statement that ends a directive's region; true if an `end` directive does; and a reason not
-- to edit it, or nil. Returns nil if the directive has no region. Raises if the end is missing.
function Unit:end_of(construct)
  local list, name = self.scan.list, construct.node.name
  if standalone[name] then return nil end
  local definition = openacc_directives.directive(name)
  if definition.association == "loop" then
    local last, shared = self.scan:loop_end(construct.index + 1)
    if not last then
      self:with_location(construct, raise, "syntax", 1, "expected the loop of the directive", { rule = "ACC33-2.9-1" })
    end
    local following = list[last + 1]
    if following and following.directive and following.directive:gsub("^end%s*", "end ") == "end " .. name then
      return last + 1, true
    end
    return last, false, shared
  end
  local depth = 0
  for i = construct.index + 1, #list do
    local text = list[i].directive
    if text and openacc_directives.find(text) == definition then
      depth = depth + 1
    elseif text and text:gsub("^end%s*", "end ") == "end " .. name then
      if depth == 0 then return i, true end
      depth = depth - 1
    end
  end
  self:with_location(construct, raise, "syntax", 1, ("'%s' has no '!$acc end %s'"):format(name, name),
    { rule = "ACC33-2.6-1" })
end

-- Returns the names of variables in a directive and of objects in its region. Sets `used`, the names in the region, and
-- `bare`, the set of names that occur without parentheses.
local function names_of(self, construct)
  local listed, list = {}, {}
  local function add(name)
    if not listed[name] then list[#list + 1] = name end
    listed[name] = true
  end
  ast.visit(construct.node, function(n)
    if n.tag == "id" and n.name then add(n.name) end
  end)
  construct.used, construct.bare = {}, {}
  for _, name in ipairs(list) do construct.bare[name] = true end
  if is_compute(construct.node) then
    local names = self.calls and fortran_source.names or fortran_source.names_of_objects
    for i = construct.index + 1, construct.finish - (construct.ends and 1 or 0) do
      local statement = self.scan.list[i]
      if not statement.directive then
        names(statement.text, function(name, has_parenthesis)
          construct.bare[name] = construct.bare[name] or not has_parenthesis
          if not construct.used[name] then table.insert(construct.used, name) end
          construct.used[name] = true
          add(name)
        end)
        if self.openmp then fortran_source.assigned(statement.text, add) end
      end
    end
  end
  return list
end

-- Returns the name of the type in the clause `type` of a shape or policy; nil if it has no such clause.
local function type_named(node)
  for _, clause in ipairs(node.clauses) do
    local spec = clause.name == "type" and clause.type and (clause.type.spec or clause.type)
    if spec and spec.name then return spec.name end
  end
end

-- Sets types and attributes of variables of the directives `list`. Returns messages if the unit is rejected, or nil.
local function read_types(self, list)
  for _, construct in ipairs(list) do
    construct.finish, construct.ends, construct.shared = self:end_of(construct)
    construct.at_view = construct.view
    construct.names = names_of(self, construct)
  end
  local refused = fortran_compiler.refuses(self)
  if refused then return refused end
  local entries = {}
  for i, construct in ipairs(list) do entries[i] = { at = construct.view, names = construct.names,
    bare = construct.bare } end
  local ok, messages = fortran_compiler.attributes(self, self.view, entries)
  local object
  if ok then
    object, messages = fortran_compiler.types(self, self.view, entries)
  end
  if not object then return messages end
  for i, construct in ipairs(list) do
    construct.names, construct.attributes, construct.assumed_size = entries[i].names, entries[i].attributes,
      entries[i].assumed_size
    construct.variables = {}
  end
  local types_named = {}
  for _, construct in ipairs(self.directives) do
    if descriptions[construct.node.name] then
      types_named[#types_named + 1] = construct.record and construct.record.name or type_named(construct.node)
    end
  end
  local variables
  variables, self.named = debug_info.objects(self.session, object, PREFIX, types_named)
  for _, variable in ipairs(variables) do
    local i, name = variable.name:match("^" .. PREFIX .. "(%d+)_(.*)$")
    list[tonumber(i)].variables[name] = variable
  end
  if not self.calls then return end
  for _, construct in ipairs(list) do fortran_calls.complete(construct) end
  return self.calls:name_types(self, list)
end

-- Declares `variable` in a scope, at a placeholder address. `assumed_size`: its rank if it has assumed size, or nil.
local function declare(session, target_scope, name, variable, assumed_size)
  local element = variable and (variable.record or variable.element)
  local rank, t = element and (assumed_size or variable.rank) or 0, element or fortran_types.INTEGER
  if rank > 0 then t = fortran_types.descriptor(session.program.layout, element, rank, "pointer") end
  target_scope.variables[name] = { name = name, type = t, address = 4096 }
end

-- Returns the type `name` that a shape or policy describes; nil if no variable has it. Raises if it is ambiguous.
local function record_of(self, construct, name)
  local list, matches = self.named[name] or {}, {}
  if #list < 2 then return list[1] end
  for _, record in ipairs(list) do
    local components, at, fits = construct.record and construct.record.components or {}, 0, construct.record ~= nil
    for _, member in ipairs(record.members) do
      if member.name and not member.name:find "^%(" then
        at = at + 1
        fits = fits and member.name == components[at]
      end
    end
    if fits and at == #components then matches[#matches + 1] = record end
  end
  if #matches ~= 1 then
    self:with_location(construct, deep_directive.cannot,
      ("shapes of a type '%s', of which the unit has several"):format(name))
  end
  return matches[1]
end

-- Defines the shapes and policies of the types that the unit uses.
local function describe(self)
  self.session:describing(function()
    for _, construct in ipairs(self.directives) do
      if descriptions[construct.node.name] then
        local name = construct.record and construct.record.name or type_named(construct.node)
        local t = name and record_of(self, construct, name)
        -- Debug information lacks types that no variable has (t is nil); such types need no shape.
        if t or not name then
          self:with_location(construct, self.session.define_type_directive, self.session, construct.node,
            construct.record and t, construct.text)
        end
      end
    end
  end)
end

-- Returns the deep item (a table for `write`) of a request for a list item; nil if a standard clause suffices. Raises
-- {cannot = reason} for unsupported items, and errors of wrong types.
local function item_of(self, construct, request)
  local session, node = self.session, request.node
  local name = root_of(node)
  local variable = construct.variables[name]
  local clause = request.clause
  local is_specified = not request.is_shallow and (clause.shape or clause.nest or clause.name == "invoke")
  if variable and variable.polymorphic then
    if is_specified then deep_directive.cannot(("'%s' is polymorphic"):format(name)) end
    return nil
  end
  if node.tag == "alias" then deep_directive.cannot "an alias (@) of a variable" end
  if not variable or not variable.record then
    if is_specified and not construct.attributes[name] then
      session.now.scope:no_variable { name = name, pos = node.pos }
    elseif is_specified then
      raise("not-a-struct", node.pos, ("'%s' has no %s"):format(unparse_fortran(node),
        clause.name == "invoke" and "policies" or "shapes"), { rule = "TR14-3.1.2-08" })
    end
    return nil
  end
  local designator = designator_type(session, node)
  if not types.is_record(designator.element) then return nil end
  local code, program = requested_action.resolve(session, request, designator.element)
  local member_mapping = request.member_mapping
  if program_transfers.actions[code] == "present" and not (member_mapping and member_mapping.policy) then
    return is_specified and { there = true, node = node, name = name } or nil
  end
  if not member_mapping or not is_specified and fortran_functions.is_plain(session, member_mapping) then return nil end
  local action = program_transfers.actions[code]
  program_transfers.clause_of(action)
  deep_directive.check_modifiers(clause)
  if has_component(node) or node.tag == "reference" and node.base.tag ~= "id" then
    deep_directive.cannot "this component with a shape, policy or nest"
  end
  local attributes = construct.attributes[name]
  local guards = {}
  for _, attribute in ipairs { "present", "allocated", "associated" } do
    if attributes[attribute] then guards[#guards + 1] = ("%s(%s)"):format(attribute, name) end
  end
  return { member_mapping = member_mapping, program = program, action = action, node = node, text = name, name = name,
    rank = designator_type(session, { tag = "id", name = name }).rank,
    args = node.tag == "reference" and node.args or nil, guards = guards,
    may_have_gaps = not attributes.allocated and node.tag == "id" }
end

-- Returns the clauses that remain in a standard directive: {text, clause}. `deep_variables`: items to leave out.
local function other_clauses(construct, deep_variables)
  local list = {}
  local free_text = require "accdeep.syntax.fortran_free_form".directive(construct.text)
  for i, clause in ipairs(construct.node.clauses) do
    local rest, is_whole = {}, true
    for _, variable in ipairs(clause.vars or {}) do
      if deep_variables[variable] then is_whole = false else rest[#rest + 1] = variable end
    end
    if is_whole then
      local next_clause = construct.node.clauses[i + 1]
      local text = free_text:sub(clause.pos, next_clause and next_clause.pos - 1 or -1)
      text = text:gsub("%s+", " "):gsub("[%s,]+$", "")
      list[#list + 1] = { text = text, clause = clause }
    elseif rest[1] then
      for k, variable in ipairs(rest) do rest[k] = unparse_fortran(variable) end
      local before = {}
      for k, modifier in ipairs(clause.modifiers or {}) do before[k] = modifier.name end
      list[#list + 1] = { clause = clause, text = ("%s(%s%s)"):format(clause.name,
        before[1] and table.concat(before, ",") .. ":" or "", table.concat(rest, ",")) }
    end
  end
  return list
end

-- Returns a compute construct's implicit requests: one for each used object that no clause or enclosing region names.
local function implicit(self, construct, kind)
  local list, word = {}, "copy"
  for _, clause in ipairs(construct.node.clauses) do
    if clause.name == "default" then word = clause.word == "present" and "present" or nil end
  end
  for _, name in ipairs(word and construct.used or {}) do
    local is_named = false
    for _, clause in ipairs(construct.node.clauses) do
      for _, variable in ipairs(clause.vars or {}) do is_named = is_named or root_of(variable) == name end
    end
    for _, region in ipairs(self.regions) do
      is_named = is_named or region.first < construct.index and construct.index < region.last and region.names[name]
    end
    if not is_named and construct.variables[name] then
      list[#list + 1] = { action = word, clause = {}, kind = kind, present_or = true,
        node = { tag = "id", name = name, pos = construct.node.pos } }
    end
  end
  return list
end

-- Returns true if a directive must be kept: it has a region, or one of its remaining clauses `list` has variables.
local function is_needed(name, list)
  for _, construct in ipairs(list) do
    local word = construct.clause.name
    if construct.clause.vars and word ~= "if" and word ~= "async" and word ~= "wait" and word ~= "invoke" then
      return true end
  end
  return not standalone[name]
end

-- Records the names of the requests `list` as mapped in the region of a directive, for constructs inside it. With `if`,
-- directives may not be executed, so they are not recorded; calls test the condition at run time.
local function add_region(self, construct, list)
  if not construct.finish or construct.condition and not self.calls then return end
  local named = {}
  for _, request in ipairs(list) do named[root_of(request.node)] = true end
  table.insert(self.regions, { first = construct.index, last = construct.finish, names = named, construct = construct })
end

-- Replaces a directive by `lines`, now or when all directives are translated to OpenMP; adds `following` after its
-- region. `is_data`: replaces the `end` directive, too. `main`: the line that is the directive itself, or nil.
local function replace(self, construct, lines, following, is_data, main)
  if not self.openmp then return fortran_edits.replace(self, construct, lines, following, is_data) end
  construct.lines, construct.following, construct.main = lines, following, main
end

-- Writes a directive with deep items. `all`: list of results of item_of; `rest`: result of other_clauses. May raise.
local function write(self, construct, all, rest)
  local name, items = construct.node.name, {}
  for _, item in ipairs(all) do
    if not item.there then items[#items + 1] = item end
  end
  local options = { session = self.session }
  local clauses, following = {}, {}
  local lines, condition
  for _, clause in ipairs(rest) do
    local word = clause.clause.name
    local is_queued = (word == "async" or word == "wait" and not is_compute(construct.node)) and not self.openmp
    if is_queued or word == "self" and name ~= "update" then
      deep_directive.cannot(("'%s' on a deep copy"):format(word))
    elseif word == "if" then
      condition = clause.text:match "%((.*)%)$"
      options.condition = standalone[name] and condition or "accdeep_if"
      if not standalone[name] then clause.text = "if(accdeep_if)" end
    end
    if word == "finalize" then options.finalize = true end
    if word == "if_present" then options.if_present = true end
    clauses[#clauses + 1] = clause.text
  end
  -- Data of standard clauses are mapped before components that may point into these data, and unmapped after them.
  local first, is_region = {}, not standalone[name]
  for _, clause in ipairs(is_region and rest or {}) do
    if clause.clause.vars and openacc_sema.moves_data(clause.clause, "region") then first[#first + 1] = clause.text end
  end
  local present = {} -- a region's `present` keeps the compiler from mapping the item again
  for _, item in ipairs(self.openmp and {} or all) do -- kernels of OpenMP find them
    if item.there or not standalone[name] then -- unallocated items are absent, which is no error
      present[#present + 1] = ("%s(%s)"):format(item.there and "present" or item.guards[1] and "no_create" or "present",
        unparse_fortran(item.node))
    end
  end
  local directive
  if name == "data" and first[1] then clauses = present else table.move(present, 1, #present, #clauses + 1, clauses) end
  if present[1] or is_needed(name, rest) then directive = ("!$acc %s %s"):format(name, table.concat(clauses, " ")) end
  if name == "enter data" or name == "update" then
    lines = self.procedures:write(name == "update" and "update" or "enter", items, options)
    if directive then table.insert(lines, 1, directive) end
  elseif name == "exit data" then
    lines = self.procedures:write("exit", items, options)
    lines[#lines + 1] = directive
  else
    lines = self.procedures:write("enter", items, options)
    following = self.procedures:write("exit", items, options)
    if first[1] then
      if condition then first[#first + 1] = "if(accdeep_if)" end
      table.insert(lines, 1, "!$acc data " .. table.concat(first, " "))
      following[#following + 1] = "!$acc end data"
    end
    lines[#lines + 1] = directive
    if condition then -- the condition is evaluated once, when the region begins
      lines = table.move(lines, 1, #lines, 4, { "block", "  logical :: accdeep_if", "  accdeep_if = " .. condition })
      following[#following + 1] = "end block"
    end
  end
  replace(self, construct, lines, following, false, directive)
end

-- Replaces a directive by calls of the library. Raises {cannot = reason} if calls cannot express it.
local function rewrite_as_calls(self, construct)
  local session, node = self.session, construct.node
  local data = c_calls.data_of(node)
  for _, clause in ipairs(other_clauses(construct, {})) do
    if clause.clause.name == "if" then construct.condition = clause.text:match "%((.*)%)$" end
    if clause.clause.name == "self" and node.name ~= "update" then deep_directive.cannot "'self'" end
  end
  if node.name == "host_data" then
    return fortran_edits.replace(self, construct, self.calls:host_data(self, construct))
  end
  local kind = openacc_directives.directive(node.name).kind
  openacc_sema.check(node)
  openacc_sema.check_forms(node, kind, session.rules)
  local clauses = convenience.lower(session, kind, data.clauses, node.name)
  local list = openacc_analysis.requests({ session = session, kind = kind }, clauses)
  add_region(self, construct, list)
  if is_compute(node) then
    for _, request in ipairs(implicit(self, construct, kind)) do
      clauses[#clauses + 1] = { tag = "clause", name = request.action, pos = node.pos, vars = { request.node } }
    end
  end
  local lines, following = self.calls:write(self, construct, clauses)
  if is_compute(node) then
    local inner, tail, own_clause, pointers = self.calls:kernel(self, construct, self.regions)
    table.move(inner, 1, #inner, #lines + 1, lines)
    table.move(following, 1, #following, #tail + 1, tail)
    local parts = { "!$acc " .. node.name }
    for _, clause in ipairs(other_clauses(construct, {})) do
      if c_calls.compiler_clauses[clause.clause.name] then parts[#parts + 1] = clause.text end
    end
    local is_kernels = openacc_directives.directive(node.name).construct == "kernels"
    if not is_kernels then parts[#parts + 1] = own_clause end -- kernels has no clause firstprivate
    lines[#lines + 1], following = table.concat(parts, " "), tail
    for number = construct.own.last + 1, (fortran_edits.end_lines(self, construct)) do
      local text = fortran_edits.lines(self, number, number)
      local changed = fortran_calls.inquiries(text, pointers)
      if changed ~= text then fortran_edits.add(self, number, number, changed) end
    end
  end
  fortran_edits.replace(self, construct, lines, following, kind == "region")
end

-- Makes the requests for objects as a whole shallow: in a unit without directives of TR-14-1 no pointer is followed.
local function keep_targets(construct, list)
  for _, request in ipairs(list) do
    local variable = construct.variables[root_of(request.node)]
    local clause = request.clause
    if variable and variable.record and not (clause.shape or clause.nest or clause.name == "invoke") then
      request.clause = setmetatable({ shape = { pos = request.node.pos, empty = true } }, { __index = clause })
      request.is_shallow = true
    end
  end
end

-- Rewrites a directive if one of its items is deep, or if it becomes calls; keeps other directives.
local function rewrite(self, construct)
  local session, node = self.session, construct.node
  local inner = scope.new(session.now.scope)
  for _, name in ipairs(construct.names) do
    if construct.attributes[name] then declare(session, inner, name, construct.variables[name],
      construct.assumed_size[name]) end
  end
  with_fields(session.now, { scope = inner }, function()
    if self.calls then return rewrite_as_calls(self, construct) end
    local kind = openacc_directives.directive(node.name).kind
    local clause_set = openacc_sema.check(node)
    openacc_sema.check_forms(node, kind, session.rules)
    local clauses = convenience.lower(session, kind, node.clauses, node.name)
    local plan = { session = session, kind = kind, if_present = clause_set.if_present }
    local list = openacc_analysis.requests(plan, clauses)
    if not self.is_extended then keep_targets(construct, list) end
    if is_compute(node) and self.is_extended then
      local implicit_requests = implicit(self, construct, kind)
      table.move(implicit_requests, 1, #implicit_requests, #list + 1, list)
    end
    local items, by_node = {}, {}
    for _, request in ipairs(list) do
      local item = item_of(self, construct, request)
      if item then
        items[#items + 1], by_node[request.node] = item, true
        local text = unparse_fortran(item.node)
        if by_node[text] and kind ~= "update" then deep_directive.cannot(("'%s' has two data clauses"):format(text)) end
        by_node[text], by_node[item.name .. " "] = true, true
      end
    end
    if construct.extension and not items[1] then
      deep_directive.cannot(construct.extension .. ": no standard directive can express that")
    end
    for _, clause in ipairs(node.clauses) do construct.condition = construct.condition or clause.name == "if" end
    add_region(self, construct, list)
    if not items[1] then return end
    local deep_variables = {}
    for _, clause in ipairs(node.clauses) do -- list items that were lowered to other requests are deep, too
      for _, variable in ipairs(clause.vars or {}) do
        local is_left = false
        for _, request in ipairs(list) do is_left = is_left or request.node == variable end
        local record = construct.variables[root_of(variable)]
        deep_variables[variable] = by_node[variable] or not is_left and record and record.record ~= nil
          and by_node[root_of(variable) .. " "] or nil
      end
    end
    write(self, construct, items, other_clauses(construct, deep_variables))
  end)
end

-- Removes calls that wait for queues, since work is done at once. Raises for routines and directives of included files
-- that would not know the data which calls map.
local function check_statements(self)
  for _, statement in ipairs(self.scan.list) do
    local is_ours = statement.directive or fortran_calls.directive_for(statement.text)
    local text = is_ours and "" or statement.text
    if text:find "^call%s+acc_async_wait" or text:find "^call%s+acc_wait" then
      local first, last = lines_of_call(self, statement)
      fortran_edits.add(self, first, last, ("\n"):rep(last - first + 1))
      text = ""
    end
    for name in text:gmatch "%f[%w_]acc_[%w_]+" do
      local message = self.calls and c_calls.UNKNOWN or "'%s' asks the runtime of OpenACC"
      if c_calls.routine(name) ~= nil then refuse(self, statement, message:format(name), "use a directive") end
    end
    local name = statement.text:find "^include%f[^%w_]" and fortran_edits.lines(self, self.view[statement.first].line,
      self.view[statement.last].line):match "[\"'](.-)[\"']"
    local file = name and fortran_compiler.read_include(self, name)
    for word in (file or ""):lower():gmatch "!%$acc%s*([%a_]+)" do
      if self.openmp or unit_directives.moves_data(word, true) then
        refuse(self, statement, "a directive in a file that is included", "write it in the unit")
      end
    end
  end
end

-- Returns the lowered text, or nil and the compiler's messages if it rejects the unit. Raises errors of directives.
local function lower_text(self)
  local view, messages = fortran_compiler.view(self, self.text)
  if not view then return nil, messages end
  self.view, self.is_expanded = view, self.path:find "%.F" ~= nil
  local lines = {}
  for i, construct in ipairs(view) do lines[i] = construct.text end
  self.scan = fortran_source.scan(lines)
  self.is_extended = read_directives(self)
  if self.replaces_all and not self.calls then self.openmp = fortran_openmp.read(self) end
  local has_directives = self.openmp and self.openmp.list[1] or self.calls and self.directives[1]
  if not (self.is_extended or has_directives) then return self.text end
  local list, has_own = plan_directives(self), false
  for _, construct in ipairs(self.directives) do has_own = has_own or not construct.path end
  if not has_own and not (self.openmp and self.openmp.list[1]) then return self.text end
  if self.replaces_all then check_statements(self) end
  messages = read_types(self, list)
  if messages then return nil, messages end
  self.session.language = fortran_designators.unread(self.session.language, function(node)
    if self.calls then return self.calls:value(node) end
    return self.procedures:value(self.session, node)
  end)
  describe(self)
  for _, construct in ipairs(list) do self:with_location(construct, rewrite, self, construct) end
  if self.openmp then self.openmp:write() end
  for _, construct in ipairs(self.directives) do
    local own = construct.own
    if own and descriptions[construct.node.name] then
      fortran_edits.add(self, own.first, own.last, ("\n"):rep(own.last - own.first + 1))
    end
  end
  local procedures = self.procedures:lines()
  if procedures[1] then
    local last = #self.starts
    fortran_edits.add(self, last + 1, last, fortran_edits.mark_lines(self, procedures, last, ""))
  end
  local text = fortran_edits.apply(self)
  messages = fortran_compiler.refuses_lowered(self, text)
  if messages then
    error(diagnostic.new { code = "unsupported", rule = "HOUSE-lower",
      message = ("%s: the compiler refuses what its directives become\n%s"):format(self.path, messages) }, 0)
  end
  return text
end

-- Returns the beginning of the names of a unit's procedures, which are global in the program.
local function procedure_prefix(path)
  local hash = 5381
  for i = 1, #path do hash = (hash * 33 + path:byte(i)) & 0xffffffff end
  return ("accdeep_%08x_"):format(hash)
end

-- Lowers the unit of `request` (fields: lower/init.lua) in the session `opened`. Returns the text and nil, or nil and
-- the compiler's messages; then {exported, is_free}: directives by module; true if the text is in free form, unlike the
-- unit. Raises errors of directives.
function fortran_unit.lower(opened, request)
  local is_fixed = fortran_fixed_form.is_fixed(request.path, request.options)
  local text = is_fixed and fortran_fixed_form.convert(request.text, request.options) or request.text
  local folder = shell_command.folder()
  files.make_folder(folder .. "/modules")
  local self = setmetatable({ session = opened, text = text, path = request.path, is_fixed = is_fixed,
    command = request.command, options = request.options, folder = folder,
    modules = request.modules or folder .. "/modules", starts = location.line_starts(text), edits = {}, regions = {},
    exported = {} }, Unit)
  self.is_openmp = request.to == "openmp"
  self.replaces_all = self.is_openmp or request.to == "accdeep"
  self.procedures = fortran_functions.new(procedure_prefix(request.path), self.is_openmp)
  self.calls = request.to == "accdeep" and fortran_calls.new(opened) or nil
  local results = table.pack(pcall(lower_text, self))
  shell_command.remove(folder)
  if not results[1] then error(results[2], 0) end
  if results[2] == text then results[2] = request.text end
  return results[2], results[3], { exported = self.exported, is_free = is_fixed and results[2] ~= request.text }
end

return fortran_unit
