-- c_unit.lua - lowers a C or C++ unit: replaces directives of TR-14-1 by standard ones, or all data directives by
-- calls. lower/init.lua calls c_unit.lower. Lines keep their numbers, by line markers. The phases:
--   c_compiler.directives: the compiler reports the active directives.
--   read_directives: parse each; stop here if none is of TR-14-1.
--   flatten: give directives of headers and macros lines of their own, and lower the flattened text instead.
--   read_types: compile with probes, read variables' types from the debug information.
--   describe: define shapes and policies in the session (run/session.lua), which plans the directives.
--   rewrite: plan each directive, add its lines as an edit.
--   apply: sort the edits and join the text.
--
-- A deep directive becomes a block: a standard directive for the variables, and calls of generated functions for their
-- targets (emit/deep_directive.lua), which are at the end of the unit.
-- `--to accdeep`: c_calls.lua writes library calls. `--to openmp`: c_openmp.lua translates the result. Edits
-- refer to positions in the original text and overlap only as insertions at one position, ordered by `number`.

local lazy = require "accdeep.base.lazy"
local c_calls = lazy.require "accdeep.tools.lower.c_calls"
local c_compiler = require "accdeep.tools.lower.c_compiler"
local debug_info = require "accdeep.types.debug_info"
local c_functions = require "accdeep.tools.emit.c_functions"
local deep_directive = require "accdeep.tools.emit.deep_directive"
local diagnostic = require "accdeep.base.diagnostic"
local unit_inputs = require "accdeep.tools.lower.unit_inputs"
local unit_directives = require "accdeep.tools.lower.unit_directives"
local syntax = require "accdeep.syntax"
local headers = require "accdeep.tools.lower.headers"
local line_markers = require "accdeep.tools.lower.line_markers"
local location = require "accdeep.base.location"
local macros = require "accdeep.tools.lower.macros"
local member_calls = require "accdeep.backend.member_calls"
local openacc_execution = require "accdeep.run.openacc_execution"
local c_openmp = lazy.require "accdeep.tools.lower.c_openmp"
local scope = require "accdeep.types.scope"
local shell_command = require "accdeep.tools.shell_command"
local c_source = require "accdeep.tools.lower.c_source"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local variable_uses = require "accdeep.tools.lower.variable_uses"
local compiler_values = require "accdeep.tools.lower.compiler_values"
local with_fields = require "accdeep.base.with_fields"
local c_writer = require "accdeep.steps.c_writer"

local raise = diagnostic.raise
local c_unit = {}
local descriptions, standalone = unit_directives.descriptions, unit_directives.standalone

local HEADERS = "#include <openacc.h>\n#include <stddef.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
  .. "#include <string.h>\n"
local function identity(text) return text end

local Unit = {}
Unit.__index = Unit

-- Returns the file and line from which line `line` of the unit's text comes: an inlined header, or the unit itself.
function Unit:position(line)
  if self.pasted then return self.pasted:position(line) end
  return self.unit.path, line
end

-- Calls fn(...), returns its results. Locates errors in `directive`; {cannot = reason} becomes "unsupported".
function Unit:with_location(directive, fn, ...)
  return self.session:with_text(directive.text, directive.file, directive.line, function(...)
    local results = table.pack(pcall(fn, ...))
    if results[1] then return table.unpack(results, 2, results.n) end
    if c_source.is_reason(results[2]) then self:fail(directive, results[2].cannot, results[2].help) end
    error(results[2], 0)
  end, ...)
end

-- Replaces the location of the error `err`, a position in a directive's text, by its position in the unit, in place.
local function place_error(self, err)
  if not diagnostic.is(err) or not err.in_text then return end
  for _, directive in ipairs(self.directives or {}) do
    if directive.own and directive.text == directive.own.text and err.line == directive.line
      and err.file == directive.file then
      local line, column = location.position(self.text, directive.own.at + err.pos - 1)
      err.snippet, err.snippet_column, err.in_text = location.line(self.text, line), column, nil
      err.line, err.column = select(2, self:position(line)), column
      return
    end
  end
end

-- Raises the error "unsupported" at `directive`. `help`: advice for the user, or nil.
function Unit:fail(directive, message, help)
  self:with_location(directive, raise, "unsupported", directive.node and directive.node.pos
    or 1, message, { help = help, rule = "HOUSE-lower" })
end

-- Returns a table from line number to the #pragma acc there: {first, last, line, at, next, text, after}. `first`,
-- `last`, `at`: positions of its first byte, last byte, text. `next`, `after`: numbers of the next line and token.
local function own_directives(self)
  local by_line, starts = {}, location.line_starts(self.text)
  for i = 1, self.source.n do
    local text = self.source.kind[i] == "line" and self.source:token(i)
    if text and c_source.openacc(text) then
      local first = self.source:line(self.source.at[i])
      local _, feeds = text:gsub("\n", "")
      local own = { first = starts[first], last = (starts[first + feeds + 1] or #self.text + 1) - 1, line = first,
        at = self.source.at[i], next = first + feeds + 1, text = text, after = i + 1 }
      for line = first, first + feeds do by_line[line] = own end
    end
  end
  return by_line
end

-- Returns a text without blanks and continuation marks, to compare directives.
local function squeeze(text) return (text:gsub("\\\r?\n", " "):gsub("%s+", "")) end

-- Parses the directives `active` (c_compiler.directives) that may move data. Returns true if one is of TR-14-1. New
-- fields: `node`, its AST; `own`, the entry of own_directives, or nil if it is in a header or made by a macro.
local function read_directives(self, active)
  local own, add, finish, is_extended = own_directives(self), unit_directives.reader()
  self.own, self.expanded = own, {}
  for _, directive in ipairs(active) do
    local word, text = directive.text:match "^[%a_]+" or "", directive.text
    directive.is_here, directive.text_line = directive.file == self.unit.path, directive.line
    directive.own = directive.is_here and own[directive.line] or nil
    if directive.is_here then directive.file, directive.line = self:position(directive.line) end
    if directive.own then directive.own.is_active = true end
    if directive.own and squeeze(directive.own.text) == squeeze("#pragma acc" .. text) then
      directive.text = directive.own.text -- positions of errors are then those in the file
      directive.line = select(2, self:position(directive.own.line))
    elseif directive.own then
      table.insert(self.expanded, directive)
    end
    if unit_directives.moves_data(word, self.calls) then
      add(directive, text, self.with_location, self, directive, syntax.parse, "directive", directive.text, 1,
        self.session.now.scope)
    end
  end
  self.directives, is_extended = finish()
  for _, directive in ipairs(self.directives) do
    if not descriptions[directive.node.name] then directive.node =
      self.values:replace_calls(directive, directive.node) end
  end
  return is_extended
end

-- Returns true if the preprocessed unit, which is C, declares exactly one structure `name` ("struct s"): debug
-- information then gives its type, wherever it is declared.
local function is_declared_once(self, name)
  if self.unit.is_cxx or not name:find " " then return false end
  local _, count = self.preprocessed:gsub("%f[%w_]" .. name:gsub(" ", "%%s+") .. "%s*{", "")
  return count == 1
end

-- Returns the unit's own directives that move data; adds `declare` to self.declares. Raises if headers have any.
local function plan_directives(self)
  local list = {}
  for _, directive in ipairs(self.directives) do
    if descriptions[directive.node.name] then
      if directive.record and directive.in_function and not is_declared_once(self, directive.record) then
        self:fail(directive, "a structure that is declared in a function, and perhaps elsewhere",
          "declare the structure before the function")
      end
    elseif self.calls and directive.node.name == "declare" then
      self:fail(directive, "'declare'", "write enter data where the program begins")
    elseif directive.own and directive.node.name ~= "declare" then
      if not directive.is_inside then
        self:fail(directive, ("'%s' outside of functions"):format(directive.node.name),
          "write enter data in a function")
      end
      list[#list + 1] = directive
    elseif directive.node.name == "declare" then
      self.declares[#self.declares + 1] = directive
    elseif directive.is_here then
      self:fail(directive, "a directive that a macro or _Pragma makes, in a unit with shapes or policies",
        "write it as a #pragma of the unit")
    elseif not c_compiler.is_system_file(directive.file) then
      self:fail(directive, "a directive in a file that is included, in a unit with shapes or policies",
        "write it as a #pragma of the unit")
    end
  end
  return list
end

-- Appends the names of variables in an AST to `list`, each once; `list` is also the set of these names. Returns `list`.
local function add_names(list, node)
  ast.visit(node, function(n)
    if n.tag == "id" and n.name and not list[n.name] and not compiler_values.is_name(n.name) then
      list[n.name] = true
      list[#list + 1] = n.name
    end
  end)
  return list
end

-- Returns the path of an object with the types of names in directives `list`, or nil and messages. Drops unknown names.
local function compile_types(self, list)
  local probes = {}
  for i, directive in ipairs(list) do
    probes[i] = { first = directive.own.first, last = directive.own.last, next = directive.own.next,
      names = directive.names, addressless = directive.addressless, is_standalone = standalone[directive.node.name] }
  end
  while true do
    local path, missing, messages = c_compiler.debug_information(self.unit, self.text, probes, self.of_file)
    if not missing then return path, messages end
    for _, unresolved in ipairs(missing) do
      local where = list[unresolved.i] or self.of_file
      local is_declared = not unresolved.message:find "declared"
      if is_declared and not where.addressless[unresolved.name] and unresolved.name ~= "this" then
        where.addressless[unresolved.name] = true
      else
        variable_uses.remove(where.names, unresolved.name)
      end
      local is_overloaded = unresolved.message:find "^type of '[%w_:]+' is unknown"
        or unresolved.message:find "overloaded"
      if is_overloaded then self.functions[unresolved.name] = true end
    end
  end
end

-- Adds the type `t` of the variable `name` to the last instance (a table from variable to type) of a directive. A name
-- that the last instance already has starts a new one: the compiler instantiated a template once more.
local function add_to_instance(directive, name, t)
  for _, spelled_name in ipairs(directive.names) do
    if spelled_name:gsub("::", "__") == name then name = spelled_name end -- a::b
  end
  local last = directive.instances[#directive.instances]
  if not last or last[name] then
    last = {}
    table.insert(directive.instances, last)
  end
  last[name] = t
end

-- Returns true if each variable of the instance `a` has the same type in the instance `b`.
local function is_same(a, b)
  for name, t in pairs(a) do
    if not b[name] or not types.same(t, b[name]) then return false end
  end
  return true
end

-- Removes duplicate instances: constructors are emitted several times, and types may not depend on template arguments.
local function keep_different(directive)
  local list = {}
  for _, instance in ipairs(directive.instances) do
    local is_new = true
    for _, other in ipairs(list) do is_new = is_new and not is_same(instance, other) end
    if is_new then list[#list + 1] = instance end
  end
  if #directive.names == 0 then list[1] = {} end
  directive.instances = list
end

-- Sets `instances` of the directives `list` (see add_to_instance), and self.globals: type by name at the end of the
-- file. Returns nil, or the compiler's messages if it rejects the unit.
local function read_types(self, list)
  for _, directive in ipairs(list) do
    directive.names, directive.references, directive.instances = add_names({}, directive.node), {}, {}
    directive.meant, directive.addressless, directive.qualified, directive.members = {}, {}, {}, {}
    if self.unit.is_cxx and not directive.names.this and self.source:may_have_this(directive.own.after) then
      add_names(directive.names, { tag = "id", name = "this" })
    end
    for _, name in ipairs(self.values:called(directive)) do directive.names[#directive.names + 1] = name end
  end
  self.of_file, self.globals = { names = {}, addressless = {} }, {}
  for _, directive in ipairs(self.directives) do
    if descriptions[directive.node.name] or directive.node.name == "declare" then
      add_names(self.of_file.names, directive.node) end
  end
  local path, messages = compile_types(self, list)
  if not path then return messages end
  local variables, has_references = debug_info.all_variables(path), false
  self.variables = variables
  for _, directive in ipairs(list) do
    if unit_directives.is_compute(directive.node) then
      self:with_location(directive, variable_uses.add_words, self, directive, variables)
      has_references = has_references or #directive.references > 0
    end
  end
  if has_references then
    path, messages = compile_types(self, list)
    if not path then return messages end
  end
  self.object = path
  local meant, typedefs = debug_info.meanings(path, c_compiler.PREFIX), {}
  for _, directive in ipairs(self.directives) do
    local name = descriptions[directive.node.name] and (directive.record
      or directive.text:match "%f[%w_]type%s*%(%s*([%w_]+)%s*%)")
    if name and not self.unit.is_cxx then typedefs[#typedefs + 1] = name end
  end
  for k, variable in ipairs(debug_info.variables(self.session, path, c_compiler.PREFIX, typedefs)) do
    local i, name = variable.name:match("^" .. c_compiler.PREFIX .. "(%d+)_(.*)$")
    local directive, t = list[tonumber(i)], variable.type.to
    if t.kind == "function" then self.functions[name] = true end
    if directive then
      add_to_instance(directive, name, t)
      directive.meant[name] = directive.meant[name] or meant(k, name, directive.own.line)
      directive.qualified[name] = variable.qualified
    else
      self.globals[name] = t
    end
  end
  for _, directive in ipairs(list) do
    variable_uses.take_members(directive)
    keep_different(directive)
  end
end

-- Declares `variables` (type by name) in a scope. Addresses are placeholders: directives are planned, never executed.
local function declare(self, target_scope, variables)
  for name, t in pairs(variables) do
    target_scope.variables[name] = { name = name, type = t, address = compiler_values.ADDRESS,
      is_global = variables == self.globals }
  end
end

-- Calls fn(AST, type) for each type that a shape or policy describes (C++: each instance); nil: the AST names the type.
local function each_described(self, directive, fn)
  local name, node = directive.record, directive.node
  for i, clause in ipairs(node.clauses) do
    if self.unit.is_cxx and clause.name == "type" and not directive.record then
      name = directive.text:match "%f[%w_]type%s*(%b())":sub(2, -2)
      local clauses = table.move(node.clauses, 1, #node.clauses, 1, {})
      table.remove(clauses, i)
      node = ast.copy_with(node, "clauses", clauses)
    end
  end
  if not name then return fn(self.values:replace_calls(directive, node)) end
  if not self.unit.is_cxx then
    local is_known, t = pcall(debug_info.declare, self.session, self.object, name)
    if is_known then return fn(self.values:replace_calls(directive, node), t) end
    -- Debug information lacks types that no variable has; no directive needs their shapes.
    if not diagnostic.is(t) or t.code ~= "unknown-type" then error(t, 0) end
    return
  end
  if directive.own and directive.record and self.source:has_specialization(name:match "[%w_]*$") then
    self:fail(directive, "a shape or policy of a template that has specializations")
  end
  for _, t in ipairs(debug_info.declare_named(self.session, self.object, name)) do
    local is_inside = directive.own and directive.record and not directive.is_unnamed
    fn(is_inside and self.values:rewrite_for_class(directive, node, t) or self.values:replace_calls(directive, node), t)
  end
end

-- Defines the shapes and policies of the types that the unit uses.
local function describe(self)
  declare(self, self.session.now.scope, self.globals)
  self.session:describing(function()
    for _, directive in ipairs(self.directives) do
      if descriptions[directive.node.name] then
        each_described(self, directive, function(node, t)
          self:with_location(directive, self.session.define_type_directive, self.session, node, t, directive.text)
        end)
      end
    end
  end)
end

-- Returns the lines of `list` as text, each preceded by a line marker for line `number` of the unit.
function Unit:lines(list, number)
  local parts, path, at = {}, self:position(number)
  for _, text in ipairs(list) do
    for line in (text .. "\n"):gmatch "(.-)\n" do
      parts[#parts + 1] = line_markers.line(at, path) .. line .. "\n"
    end
  end
  return table.concat(parts)
end

-- Records an edit: replaces positions `first` to `last` by `text`. If last < first, inserts `text` before `first`.
function Unit:edit(first, last, text)
  self.edits[#self.edits + 1] = { first = first, last = last, text = text, number = #self.edits }
end

-- Returns the line marker which says that the next line is line `number` of the text.
local function number_line(self, number)
  local path, line = self:position(number)
  return line_markers.line(line, path)
end

-- Adds new generated functions to the list for the unit's end. Their lines are those of the directive.
local function add_functions(self, directive)
  local functions, lines = self.program.functions, {}
  for i = self.nfunctions + 1, #functions do lines[#lines + 1] = self.routines(functions[i]) end
  self.nfunctions = #functions
  if lines[1] then self.place_at_end[#self.place_at_end + 1] = self:lines(lines, directive.own.line) end
end

-- Returns the lines that replace a directive, and lines for after its statement. `deep`: result of deep_directive.new.
local function lines_of(self, directive, deep)
  local program = self.program
  local head, tail = c_writer.new(0), c_writer.new(0)
  program.globals = {}
  local is_open = deep:write(directive.node, head)
  if is_open then
    tail.depth = head.depth
    deep:finish(tail)
  end
  local lines = {}
  for i, text in ipairs(program.globals) do lines[i] = text:gsub("^static ", "") end
  table.move(head.lines, 1, #head.lines, #lines + 1, lines)
  if standalone[directive.node.name] or is_open then
    table.insert(lines, 1, "{")
    tail.lines[#tail.lines + 1] = "}"
  end
  if standalone[directive.node.name] then table.move(tail.lines, 1, #tail.lines, #lines + 1, lines) end
  local following = is_open and not standalone[directive.node.name] and tail.lines or {}
  for _, list in ipairs { lines, following } do
    for i, text in ipairs(list) do list[i] = self.values:restore_expressions(text) end
  end
  return lines, following
end

-- Replaces a directive by the lines `lines`, inserts the lines `following` after its statement, and adds its functions.
local function write(self, directive, lines, following)
  local own = directive.own
  self:edit(own.first, own.last, self:lines(lines, own.line) .. number_line(self, own.next))
  if following[1] then
    local at = self.source.finish[self.source:statement(own.after)]
    local line = self.source:line(at - 1)
    self:edit(at, at - 1, "\n" .. self:lines(following, line) .. number_line(self, line))
    -- Edits at one position are sorted by number: if several constructs end there, the innermost is closed first.
    self.edits[#self.edits].number = -own.first
  end
  if not self.calls then add_functions(self, directive) end
end

-- Returns a directive's AST with an additional clause `copy(name)`.
local function add_copy_clause(self, node, name)
  local clause = syntax.parse("directive", ("parallel copy(%s)"):format(name), 1, self.session.now.scope).clauses[1]
  clause.pos, clause.vars[1].pos = node.pos, node.pos
  local clauses = table.move(node.clauses, 1, #node.clauses, 1, {})
  clauses[#clauses + 1] = clause
  return ast.copy_with(node, "clauses", clauses)
end

-- Returns the lines of calls that replace a directive, and the lines after its statement. Raises {cannot = reason}.
local function lines_of_calls(self, directive, instance)
  local node, reductions, is_private = c_calls.data_of(directive.node)
  directive.without, directive.is_private = reductions, is_private
  local references = {}
  for _, reference in ipairs(variable_uses.references(self, directive, instance)) do
    local kind = instance[reference.name].kind
    if not is_private[reference.name] then
      if kind == "record" or kind == "array" then
        references[#references + 1] = reference
      elseif kind == "scalar" and variable_uses.is_around(self, directive, reference.name) then
        node = add_copy_clause(self, node, reference.name)
      end
    end
  end
  local plan = openacc_execution.lower(self.session, node, { file = directive.file, line = directive.line,
    references = references })
  variable_uses.add_region(self, directive, plan, instance)
  local jump = not standalone[directive.node.name] and self.source:leaves(directive.own.after)
  if jump then deep_directive.cannot(("'%s' to or from the statement of a construct"):format(jump)) end
  local head, tail = c_writer.new(0), c_writer.new(0)
  head:line "{"
  local renamed
  if plan.kind == "host data" then
    self.calls:write_host_data(plan, instance, head, tail)
  else
    local kernel_variables = plan.kind == "compute" and variable_uses.kernel_variables(self, directive, instance)
    renamed = self.calls:write(self, directive, plan, kernel_variables, instance, head, tail)
  end
  tail:line "}"
  local is_alone = standalone[directive.node.name]
  if is_alone then table.move(tail.lines, 1, #tail.lines, #head.lines + 1, head.lines) end
  if renamed and instance == directive.instances[1] then variable_uses.rename(self, directive, renamed, instance) end
  for _, lines in ipairs { head.lines, tail.lines } do
    for i, text in ipairs(lines) do lines[i] = c_calls.replace_routines(self.values:restore_expressions(text)) end
  end
  return head.lines, is_alone and {} or tail.lines
end

-- Returns the lines that replace an instance of a directive, and lines for after its statement; nil if the directive
-- stays. Raises {cannot = reason} if neither directives nor calls can express the directive.
local function lines_for(self, directive, instance)
  local inner = scope.new(self.session.now.scope)
  declare(self, inner, self.globals)
  declare(self, inner, instance)
  for name in pairs(directive.members) do inner.variables[name] = nil end
  local class = next(directive.members) and instance.this.to
  local this = class and { record = class, pointer_cell = member_calls.this_address(self.session, class) }
  self.values:declare(inner)
  function self.program.input(symbol, offset, code)
    return self.inputs:variable(symbol, offset, code, directive.addressless)
  end
  return with_fields(self.session.now, { scope = inner, this = this }, function()
    if self.calls then return lines_of_calls(self, directive, instance) end
    local plan = openacc_execution.lower(self.session, directive.node, { file = directive.file, line = directive.line,
      references = variable_uses.references(self, directive, instance) })
    local deep = deep_directive.new(self.program, self.session, plan)
    if directive.extension and not deep then deep_directive.cannot(
      directive.extension .. ": no standard directive can express that") end
    variable_uses.add_region(self, directive, plan, instance)
    if not deep then return variable_uses.replace_this(self, directive, instance) end
    local is_queued = (plan.async or plan.waits) and not self.is_openmp -- the translation does queued work at once
    if is_queued then deep_directive.cannot "'async' or 'wait' on a deep copy" end
    return variable_uses.replace_this(self, directive, instance, lines_of(self, directive, deep))
  end)
end

local CALL = "accdeep_[%w_]+%(%(char %*%)"

-- Returns the text of an instance's line with calls of functions that select by type, and the call that it replaces.
-- `functions`: set of the generated functions.
local function split_call(line)
  local at, finish = line:find(CALL)
  if not at then return line end
  return line:sub(1, at - 1) .. "accdeep_choice(" .. line:sub(finish + 1), line:sub(at, finish):match "[%w_]+"
end

-- Returns true if the lines `field` ("lines" or "after") of all instances are equal, except for the functions that they
-- call. In the first instance of `all`, such a call then selects by type.
local function same_texts(self, all, field)
  local first = all[1][field]
  for _, other in ipairs(all) do
    if (first == nil) ~= (other[field] == nil) or first and #first ~= #other[field] then return false end
  end
  for i, line in ipairs(first or {}) do
    local by_type, name_of, names, rest = {}, {}, {}, split_call(line)
    for _, other in ipairs(all) do
      local text, name = split_call(other[field][i])
      if text ~= rest then return false end
      local record = name and other.calls[name]
      local spelled = record and (record.tag or record.name)
      if name and not name_of[name .. "*"] then names[#names + 1], name_of[name .. "*"] = name, true end
      if spelled and name_of[spelled] and name_of[spelled] ~= name then return false end
      if spelled and not name_of[spelled] then by_type[#by_type + 1], name_of[spelled] = { spelled, name }, name end
    end
    if #names > 1 then
      if #by_type < #names then return false end
      first[i] = rest:gsub("accdeep_choice", c_functions.choice(self.program, by_type), 1)
    end
  end
  return true
end

-- Rewrites a directive, unless it is standard and without deep copies. Removes one of TR-14-1 in a template that is
-- never instantiated. Raises {cannot = reason} for another one without instances, or if the instances differ.
local function rewrite(self, directive)
  if not directive.instances[1] then
    if not directive.extension then return end
    if not self.unit.is_cxx or not self.source:is_in_template(directive.own.after) then
      deep_directive.cannot "the compiler's debug information has no variables of this place"
    end
    return self:edit(directive.own.first, directive.own.last,
      (self.text:sub(directive.own.first, directive.own.last):gsub("[^\n]", "")))
  end
  local all = {}
  for i, instance in ipairs(directive.instances) do
    local called_records = {}
    function self.program.called(name, record) called_records[name] = record end
    local lines, following = lines_for(self, directive, instance)
    all[i] = { lines = lines, after = following, calls = called_records }
  end
  if self.calls and self.unit.is_cxx then self.calls:choose(directive, all) end
  if not same_texts(self, all, "lines") or not same_texts(self, all, "after") then
    deep_directive.cannot "a directive whose instances in a template differ"
  end
  if all[1].lines then write(self, directive, all[1].lines, all[1].after) end
end

-- Raises for `declare` with deep copies, because there is no statement at which generated functions could be called.
local function check_declares(self)
  for _, directive in ipairs(self.declares) do
    for name in pairs(add_names({}, directive.node)) do
      local t = self.globals[name]
      if not t and self.variables[name] and self.variables[name].is_record then
        self:fail(directive, "'declare' in a function", "write data or enter data")
      end
      while t and t.kind == "array" do t = t.of end
      if directive.extension or t and t.kind == "record" and next(self.session:shapes_of(t)) then
        self:fail(directive, "a deep copy by 'declare'", "write enter data where the program begins")
      end
    end
  end
end

-- Returns the text with all edits applied, and with line markers where inlined files begin and end.
local function apply(self)
  for i, piece in ipairs(self.pasted and self.pasted.places or {}) do
    local text = i > 1 and c_compiler.marker(self.unit, piece) or ""
    table.insert(self.edits, { first = piece.at, last = piece.at - 1, text = text, number = i - math.maxinteger })
  end
  table.sort(self.edits, function(a, b)
    if a.first ~= b.first then return a.first < b.first end
    return a.number < b.number
  end)
  local parts, at = { number_line(self, 1) }, 1
  for _, edit in ipairs(self.edits) do
    parts[#parts + 1] = self.text:sub(at, edit.first - 1)
    parts[#parts + 1] = edit.text
    at = edit.last + 1
  end
  parts[#parts + 1] = self.text:sub(at)
  return table.concat(parts)
end

-- Returns the name of a class without template arguments.
local function strip_template_arguments(name) return (name:gsub("%b<>", "")) end

-- C++: adds friend declarations to the unit's classes with private members that functions for bounds may access.
local function add_friends(self)
  local class_names = {}
  local function add(record)
    if record.tag then class_names[strip_template_arguments(record.tag)] = true end
    for _, base in ipairs(record.bases or {}) do add(base) end
  end
  for _, bound in ipairs(self.inputs.bounds) do add(bound.record) end
  for _, record in ipairs(self.inputs.bounds[1] and self.source:records() or {}) do
    if not record.is_local and record.has_private and class_names[strip_template_arguments(record.name)] then
      self:edit(record.at, record.at - 1, unit_inputs.FRIEND)
    end
  end
end

-- Adds a text before the unit, and texts after it.
local function add_frame(self, prelude, ending)
  self:edit(1, 0, prelude .. "\n" .. number_line(self, 1))
  if ending == "" then return end
  self:edit(#self.text + 1, #self.text, (self.text:sub(-1) == "\n" and "" or "\n") .. ending)
end

-- Adds the declarations of generated functions before the unit, and these functions, if there are any, after it.
local function add_generated(self)
  local program, inputs = self.program, self.inputs
  local list = inputs:prototypes()
  table.move(program.prototypes, 1, #program.prototypes, #list + 1, list)
  local last, head = self.source:line(#self.text + 1), c_functions.undefine_names()
  for line in self.headers:gmatch "[^\n]+" do head[#head + 1] = line end
  table.move(inputs.functions, 1, #inputs.functions, #head + 1, head)
  if not list[1] then return end
  add_frame(self, table.concat(list, "\n"), self:lines(head, last) .. table.concat(self.place_at_end))
end

-- Expands macros in directives that no edit replaces, because the translation to OpenMP does not preprocess the text.
local function expand(self)
  local written = {}
  for _, edit in ipairs(self.edits) do written[edit.first] = true end
  for _, directive in ipairs(self.expanded or {}) do
    if not written[directive.own.first] then
      self:edit(directive.own.first, directive.own.last, ("#pragma acc %s\n"):format(directive.text) .. number_line(
        self, directive.own.next))
    end
  end
end

-- Returns true if directives that begin with `word` must be rewritten wherever they are, also in headers and macros.
local function is_moved(self, is_extended, word)
  if descriptions[word] then return self.unit.is_cxx and is_extended end -- private members need friends
  return self.is_openmp or (is_extended or self.calls ~= nil) and word ~= "declare"
    and unit_directives.moves_data(word, self.calls)
end

-- Returns true if there is nothing to rewrite: only shapes and policies of headers, and no routines to replace.
local function has_nothing(self)
  for _, directive in ipairs(self.directives) do
    if directive.own or not descriptions[directive.node.name] then return false end
  end
  return not self.calls or not variable_uses.has_routines(self)
end

-- Returns a source_map.lua text with headers (or macros) that have directives to rewrite expanded; nil: there are none.
local function flatten(self, active, preprocessed, is_extended)
  local path, lines = self.unit.path, {}
  if active[1] and not self.pasted then
    local pasted = headers.paste(path, self.text, preprocessed, function(word)
      return is_moved(self, is_extended, word)
    end)
    if pasted then return pasted end
  end
  for _, directive in ipairs(active) do
    local is_made = directive.is_here and not directive.own
    if is_made and is_moved(self, is_extended, directive.text:match "^[%a_]*") then
      lines[#lines + 1] = directive.text_line end
  end
  if lines[1] and not (self.pasted and self.pasted.is_expanded) then
    local expanded = macros.expand(path, self.text, preprocessed, lines, self.pasted)
    expanded.is_expanded = true
    return expanded
  end
end

-- Returns the lowered text; or nil and the compiler's messages; or nil, nil and the flattened unit to lower instead.
local function lower_text(self)
  local active, messages = c_compiler.directives(self.unit)
  self.preprocessed = messages
  if not active then return nil, messages end
  local is_extended = read_directives(self, active)
  if is_extended and has_nothing(self) then is_extended = false end
  local pasted = flatten(self, active, messages, is_extended)
  if pasted then return nil, nil, pasted end
  if not (is_extended or self.calls and not has_nothing(self)) then
    if self.is_openmp then expand(self) end
    return (self.edits[1] or self.pasted) and apply(self) or self.text
  end
  local list = plan_directives(self)
  if self.calls then variable_uses.replace_routines(self) end
  messages = read_types(self, list)
  if messages then return nil, messages end
  describe(self)
  check_declares(self)
  local enclosing
  for _, directive in ipairs(list) do
    if enclosing and directive.own.first < enclosing.last then
      self:fail(directive, ("'%s' in a compute construct"):format(directive.node.name))
    end
    self:with_location(directive, rewrite, self, directive)
    if unit_directives.is_compute(directive.node) then
      enclosing = { last = self.source.finish[self:with_location(
        directive, self.source.statement, self.source, directive.own.after)] }
    end
  end
  for _, directive in ipairs(self.directives) do
    if directive.own and descriptions[directive.node.name] then
      local feeds = self.text:sub(directive.own.first, directive.own.last):gsub("[^\n]", "")
      self:edit(directive.own.first, directive.own.last, compiler_values.members(directive) .. feeds)
    end
  end
  if self.is_openmp then expand(self) end
  if self.unit.is_cxx then add_friends(self) end
  if self.calls then
    local ending = self.calls:ending()
    if ending ~= "" then ending = self:lines({ ending }, self.source:line(#self.text + 1)) end
    add_frame(self, self.calls:prelude(), ending)
  else
    add_generated(self)
  end
  return apply(self)
end

-- Returns the text with its standard OpenACC directives translated to OpenMP. Raises for a directive that OpenMP lacks.
local function translate_to_openmp(self, text)
  local is_active = {}
  for _, own in pairs(self.own or {}) do
    local location_key = ("%s:%d"):format(self:position(own.line))
    is_active[location_key] = is_active[location_key] or own.is_active or false
  end
  local function is_left(file, line) -- true: excluded by conditional compilation
    return is_active[("%s:%d"):format(file, line)] == false
  end
  return c_openmp.text(self.session, text, self.unit.path, is_left, function(directive, message, help)
    error(diagnostic.new { code = "unsupported", rule = "HOUSE-lower", message = message, help = help,
      file = directive.file, line = directive.line, column = directive.pos, snippet = directive.line_text,
      snippet_column = directive.pos, length = #directive.node.name }, 0)
  end)
end

-- Returns true if included files have shapes or policies: compilers would warn of these unknown pragmas.
local function has_described_headers(self)
  for _, directive in ipairs(self.directives or {}) do
    if descriptions[directive.node.name] and not directive.is_here then return true end
  end
  return false
end

-- Lowers the unit of `request` (fields: lower/init.lua) in the session `opened`. Returns the text; or nil and the
-- compiler's messages. Third result: {described, pasted, is_read} as there, or {again = the flattened unit to lower}.
function c_unit.lower(opened, request)
  local is_cxx = c_compiler.is_cxx(request.path, request.command)
  local self = setmetatable({ session = opened, text = request.text, source = c_source.scan(request.text), edits = {},
    nfunctions = 0, regions = {}, declares = {}, functions = {}, place_at_end = {},
    unit = { command = request.command, path = request.path, options = request.options, is_cxx = is_cxx,
      text = request.pasted and request.text, folder = shell_command.folder() }, pasted = request.pasted,
    program = { functions = {}, prototypes = {}, globals = {}, prefix = "accdeep_", is_unit = true, is_cxx = is_cxx } },
    Unit)
  self.is_openmp = request.to == "openmp"
  self.replaces_this = self.is_openmp and is_cxx
  self.program.keeps_pointers = self.is_openmp -- OpenMP directives do not attach pointers to present data
  self.values = compiler_values.new(opened)
  self.inputs = unit_inputs.new(opened, self.values, function(name)
    return self.program.is_function(name)
  end, is_cxx)
  function self.program.call(symbol) return self.inputs:call(symbol) end
  if request.to == "accdeep" then self.calls = c_calls.new(self.inputs) end
  self.headers, self.routines = self.is_openmp and c_openmp.HEADERS
    or HEADERS, self.is_openmp and c_openmp.routines or identity
  function self.program.is_function(name) return not is_cxx or self.functions[name] ~= nil end
  function self.program.finished(text) return self.values:restore_expressions(text) end
  local results = table.pack(pcall(lower_text, self))
  shell_command.remove(self.unit.folder)
  if not results[1] and type(results[2]) == "table" and results[2].hidden then
    results = { true, nil, nil, variable_uses.expand_kernel_macros(self) }
  elseif not results[1] then
    place_error(self, results[2])
    error(results[2], 0)
  end
  local text, messages, flattened = table.unpack(results, 2, 4)
  if flattened then return nil, nil, { again = flattened } end
  if self.is_openmp and text then text = translate_to_openmp(self, text) end
  return text, messages, { described = has_described_headers(self), pasted = self.pasted and self.pasted.paths,
    is_read = self.directives ~= nil and self.directives[1] ~= nil }
end

return c_unit
