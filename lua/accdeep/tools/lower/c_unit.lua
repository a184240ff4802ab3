-- c_unit.lua - a unit of C: its directives, their types, and the text with standard directives or calls (calls.lua).
--
-- A directive that is deep becomes a block: the standard directive for the variables themselves, and calls of functions
-- for what they point to (export/deep.lua). The functions stand in front of the declaration that needs them first.

local lazy = require "accdeep.base.lazy"
local calls = lazy.require "accdeep.tools.lower.calls"
local compiler = require "accdeep.tools.lower.compiler"
local debug_info = require "accdeep.types.debug_info"
local deep = require "accdeep.tools.export.deep"
local dialects = require "accdeep.tools.export.dialects"
local diagnostic = require "accdeep.base.diagnostic"
local directives = require "accdeep.tools.lower.directives"
local grammar = require "accdeep.grammar"
local headers = require "accdeep.tools.lower.headers"
local line_markers = require "accdeep.tools.lower.line_markers"
local location = require "accdeep.base.location"
local macros = require "accdeep.tools.lower.macros"
local member_functions = require "accdeep.code.member_functions"
local openacc = require "accdeep.run.openacc"
local openmp = lazy.require "accdeep.tools.lower.openmp"
local scope = require "accdeep.types.scope"
local shell = require "accdeep.tools.shell"
local source = require "accdeep.tools.lower.source"
local tree = require "accdeep.base.tree"
local types = require "accdeep.types"
local uses = require "accdeep.tools.lower.uses"
local values = require "accdeep.tools.lower.values"
local with = require "accdeep.base.dynamic"
local writer = require "accdeep.tools.lower.writer"

local raise = diagnostic.raise

local c_unit = {}

local descriptions, standalone = directives.descriptions, directives.standalone

-- In front of functions that follow pointers.
local HEADERS = "#include <openacc.h>\n#include <stddef.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
  .. "#include <string.h>\n"

local function same(text) return text end

-- A unit under way.
local Unit = {}
Unit.__index = Unit

-- The file and its line that a line of the text is: files that the unit includes may be part of it.
function Unit:position(line)
  if self.pasted then return self.pasted:position(line) end
  return self.unit.path, line
end

-- Calls fn(...), whose errors are about a directive.
function Unit:within(one, fn, ...)
  return self.session:within(one.text, one.file, one.line, function(...)
    local results = table.pack(pcall(fn, ...))
    if results[1] then return table.unpack(results, 2, results.n) end
    if source.is_reason(results[2]) then self:fail(one, results[2].cannot) end
    error(results[2], 0)
  end, ...)
end

-- Gives an error of a directive its place in the unit.
local function place_error(self, err)
  if not diagnostic.is(err) or not err.in_text then return end
  for _, one in ipairs(self.directives or {}) do
    if one.own and one.text == one.own.text and err.line == one.line and err.file == one.file then
      local line, column = location.position(self.text, one.own.at + err.pos - 1)
      err.snippet, err.snippet_column, err.in_text = location.line(self.text, line), column, nil
      err.line, err.column = select(2, self:position(line)), column
      return
    end
  end
end

function Unit:fail(one, message, help)
  self:within(one, raise, "unsupported", one.node and one.node.pos or 1, message, { help = help, rule = "HOUSE-lower" })
end

-- ------------------------------------------------------------------------------------- directives --

-- Directives as they stand in the unit's own text: line -> {first, last (positions of its lines), line, next, text,
-- behind (the token that follows)}.
local function own_directives(self)
  local by_line, starts = {}, location.line_starts(self.text)
  for i = 1, self.source.n do
    local text = self.source.kind[i] == "line" and self.source:token(i)
    if text and source.openacc(text) then
      local first = self.source:line(self.source.at[i])
      local _, feeds = text:gsub("\n", "")
      local own = { first = starts[first], last = (starts[first + feeds + 1] or #self.text + 1) - 1, line = first,
        at = self.source.at[i],
        next = first + feeds + 1, text = text, behind = i + 1 }
      for line = first, first + feeds do by_line[line] = own end
    end
  end
  return by_line
end

local function squeezed(text) return (text:gsub("\\\r?\n", " "):gsub("%s+", "")) end

-- Reads the directives that may move data: self.directives, list of {text, file, line, node, own, record, is_inside}.
-- Returns whether one is of TR-14-1.
local function read_directives(self, active)
  local own, add, finish, is_extended = own_directives(self), directives.reader()
  self.own, self.expanded = own, {}
  for _, one in ipairs(active) do
    local word, text = one.text:match "^[%a_]+" or "", one.text
    one.is_here, one.text_line = one.file == self.unit.path, one.line
    one.own = one.is_here and own[one.line] or nil
    if one.is_here then one.file, one.line = self:position(one.line) end
    if one.own then one.own.is_active = true end
    if one.own and squeezed(one.own.text) == squeezed("#pragma acc" .. text) then
      one.text = one.own.text -- with the positions of the file
      one.line = select(2, self:position(one.own.line))
    elseif one.own then
      table.insert(self.expanded, one)
    end
    if directives.concerns(word, self.calls) then
      add(one, text, self.within, self, one, grammar.parse, "directive", one.text, 1, self.session.now.scope)
    end
  end
  self.directives, is_extended = finish()
  for _, one in ipairs(self.directives) do
    if not descriptions[one.node.name] then one.node = self.values:without_calls(one, one.node) end
  end
  return is_extended
end

-- Directives of the unit itself that may move data. Others cannot be written anew.
local function planned(self)
  local list = {}
  for _, one in ipairs(self.directives) do
    if descriptions[one.node.name] then
      if one.record and one.in_function then
        self:fail(one, "a structure that is declared in a function", "declare the structure in front of the function")
      end
    elseif self.calls and one.node.name == "declare" then
      self:fail(one, "'declare'", "write enter data where the program begins")
    elseif one.own and one.node.name ~= "declare" then
      if not one.is_inside then
        self:fail(one, ("'%s' outside of functions"):format(one.node.name), "write enter data in a function")
      end
      list[#list + 1] = one
    elseif one.node.name == "declare" then
      self.declares[#self.declares + 1] = one
    elseif one.is_here then
      self:fail(one, "a directive that a macro or _Pragma makes, in a unit with shapes or policies",
        "write it as a #pragma of the unit")
    elseif not compiler.is_system_file(one.file) then
      self:fail(one, "a directive in a file that is included, in a unit with shapes or policies",
        "write it as a #pragma of the unit")
    end
  end
  return list
end

-- ------------------------------------------------------------------------------------------ types --

-- Adds the names of variables in a tree; members are others.
local function add_names(list, node)
  tree.visit(node, function(n)
    if n.tag == "id" and n.name and not list[n.name] and not values.is_name(n.name) then
      list[n.name] = true
      list[#list + 1] = n.name
    end
  end)
  return list
end

-- The path of an object file with the types of names, or nil and what the compiler said.
local function compiled(self, list)
  local wanted = {}
  for i, one in ipairs(list) do
    wanted[i] = { first = one.own.first, last = one.own.last, next = one.own.next, names = one.names,
      plain = one.plain, alone = standalone[one.node.name] }
  end
  while true do
    local path, missing, said = compiler.debug_information(self.unit, self.text, wanted, self.of_file)
    if not missing then return path, said end
    for _, what in ipairs(missing) do
      local where = list[what.i] or self.of_file
      local is_declared = not what.message:find "declared"
      if is_declared and not where.plain[what.name] and what.name ~= "this" then
        where.plain[what.name] = true
      else
        uses.remove(where.names, what.name)
      end
      local is_overloaded = what.message:find "^type of '[%w_:]+' is unknown"
        or what.message:find "overloaded"
      if is_overloaded then self.functions[what.name] = true end
    end
  end
end

-- A directive in a template has instances, each with its types: the variables of one follow one another.
local function add_to_instance(one, name, t)
  for _, wanted in ipairs(one.names) do
    if wanted:gsub("::", "__") == name then name = wanted end -- a::b
  end
  local last = one.instances[#one.instances]
  if not last or last[name] then
    last = {}
    table.insert(one.instances, last)
  end
  last[name] = t
end

local function is_same(a, b)
  for name, t in pairs(a) do
    if not b[name] or not types.same(t, b[name]) then return false end
  end
  return true
end

-- Leaves out instances that are equal: a constructor has several, and types of templates may play no part.
local function keep_different(one)
  local list = {}
  for _, instance in ipairs(one.instances) do
    local is_new = true
    for _, other in ipairs(list) do is_new = is_new and not is_same(instance, other) end
    if is_new then list[#list + 1] = instance end
  end
  if #one.names == 0 then list[1] = {} end
  one.instances = list
end

-- Reads the types of all variables that directives name: one.instances, a list of name -> type; self.globals. Returns
-- what the compiler said if it refuses the unit.
local function read_types(self, list)
  for _, one in ipairs(list) do
    one.names, one.references, one.instances = add_names({}, one.node), {}, {}
    one.meant, one.plain, one.qualified, one.members = {}, {}, {}, {}
    if self.unit.is_cxx and not one.names.this and self.source:may_have_this(one.own.behind) then
      add_names(one.names, { tag = "id", name = "this" })
    end
    for _, name in ipairs(self.values:called(one)) do one.names[#one.names + 1] = name end
  end
  self.of_file, self.globals = { names = {}, plain = {} }, {}
  for _, one in ipairs(self.directives) do
    if descriptions[one.node.name] or one.node.name == "declare" then add_names(self.of_file.names, one.node) end
  end
  local path, said = compiled(self, list)
  if not path then return said end
  local known, more = debug_info.all_variables(path), false
  self.variables = known
  for _, one in ipairs(list) do
    if directives.is_compute(one.node) then
      self:within(one, uses.add_words, self, one, known)
      more = more or #one.references > 0
    end
  end
  if more then
    path, said = compiled(self, list)
    if not path then return said end
  end
  self.object = path
  local meant, typedefs = debug_info.meanings(path, compiler.PREFIX), {}
  for _, one in ipairs(self.directives) do
    local name = descriptions[one.node.name] and (one.record or one.text:match "%f[%w_]type%s*%(%s*([%w_]+)%s*%)")
    if name and not self.unit.is_cxx then typedefs[#typedefs + 1] = name end
  end
  for k, variable in ipairs(debug_info.variables(self.session, path, compiler.PREFIX, typedefs)) do
    local i, name = variable.name:match("^" .. compiler.PREFIX .. "(%d+)_(.*)$")
    local one, t = list[tonumber(i)], variable.type.to
    if t.kind == "function" then self.functions[name] = true end
    if one then
      add_to_instance(one, name, t)
      one.meant[name] = one.meant[name] or meant(k, name, one.own.line)
      one.qualified[name] = variable.qualified
    else
      self.globals[name] = t
    end
  end
  for _, one in ipairs(list) do
    uses.take_members(one)
    keep_different(one)
  end
end

-- Declares variables in a scope. Nothing of them is read: plans are made, not run.
local function declare(self, of, variables)
  for name, t in pairs(variables) do
    local address = self.calls and self.calls:address(name, variables == self.globals)
    of.variables[name] = { name = name, type = t, address = address or values.ADDRESS }
  end
end

-- ----------------------------------------------------------------------------------- descriptions --

-- The types that a shape or policy is for, and its tree for each: in C++ all that a template has made.
local function each_described(self, one, fn)
  local name, node = one.record, one.node
  for i, clause in ipairs(node.clauses) do
    if self.unit.is_cxx and clause.name == "type" and not one.record then
      name = one.text:match "%f[%w_]type%s*(%b())":sub(2, -2)
      local clauses = table.move(node.clauses, 1, #node.clauses, 1, {})
      table.remove(clauses, i)
      node = tree.with(node, "clauses", clauses)
    end
  end
  if not name then return fn(self.values:without_calls(one, node)) end
  if not self.unit.is_cxx then
    local known, t = pcall(debug_info.declare, self.session, self.object, name)
    if known then return fn(self.values:without_calls(one, node), t) end
    if not diagnostic.is(t) or t.code ~= "unknown-type" then error(t, 0) end -- else that of no variable
    return
  end
  if one.own and one.record and self.source:has_specialization(name:match "[%w_]*$") then
    self:fail(one, "a shape or policy of a template that has specializations")
  end
  for _, t in ipairs(debug_info.named(self.session, self.object, name)) do
    local is_inside = one.own and one.record and not one.is_unnamed
    fn(is_inside and self.values:inside(one, node, t) or self.values:without_calls(one, node), t)
  end
end

-- Defines the shapes and policies of types that the unit uses.
local function describe(self)
  declare(self, self.session.now.scope, self.globals)
  self.session:describing(function()
    for _, one in ipairs(self.directives) do
      if descriptions[one.node.name] then
        each_described(self, one, function(node, t)
          self:within(one, self.session.described, self.session, node, t, one.text)
        end)
      end
    end
  end)
end

-- ------------------------------------------------------------------------------------------ output --

-- Lines that stand for one line of the unit.
function Unit:lines(list, number)
  local parts, path, at = {}, self:position(number)
  for _, text in ipairs(list) do
    for line in (text .. "\n"):gmatch "(.-)\n" do
      parts[#parts + 1] = line_markers.line(at, path) .. line .. "\n"
    end
  end
  return table.concat(parts)
end

function Unit:edit(first, last, text)
  self.edits[#self.edits + 1] = { first = first, last = last, text = text, number = #self.edits }
end

local function number_line(self, number)
  local path, line = self:position(number)
  return line_markers.line(line, path)
end

-- Functions that a directive needs and the unit does not have yet: in C in front of its declaration, in C++ at the end.
local function add_functions(self, one)
  local program = self.program
  local added = table.move(program.functions, self.nfunctions + 1, #program.functions, 1, {})
  if #added == 0 then return end
  local text = { self.nfunctions == 0 and not self.unit.is_cxx and self.headers or "" }
  for i = self.nfunctions + 1, self.unit.is_cxx and 0 or #program.prototypes do
    text[#text + 1] = program.prototypes[i] .. "\n"
  end
  local placed = program.dialect.at_end or same
  for _, code in ipairs(added) do text[#text + 1] = "\n" .. self.routines(placed(code)) .. "\n" end
  self.nfunctions = #program.functions
  local lines = {}
  for line in table.concat(text):gmatch "(.-)\n" do lines[#lines + 1] = line end
  if self.unit.is_cxx then
    self.at_end[#self.at_end + 1] = self:lines(lines, one.own.line)
  else
    local at = self.source:before_declaration(one.own.behind - 1)
    self:edit(at, at - 1, self:lines(lines, one.own.line) .. number_line(self, self.source:line(at)))
  end
end

-- The lines that stand for a directive in which something is deep, and those behind its statement, if some do.
local function lines_of(self, one, found)
  local program = self.program
  local head, tail = writer(), writer()
  program.globals = {}
  local is_open = found:write(one.node, head)
  if is_open then
    tail.depth = head.depth
    found:finish(tail)
  end
  local lines = {}
  for i, text in ipairs(program.globals) do lines[i] = text:gsub("^static ", "") end
  table.move(head.lines, 1, #head.lines, #lines + 1, lines)
  if standalone[one.node.name] or is_open then
    table.insert(lines, 1, "{")
    tail.lines[#tail.lines + 1] = "}"
  end
  if standalone[one.node.name] then table.move(tail.lines, 1, #tail.lines, #lines + 1, lines) end
  local behind = is_open and not standalone[one.node.name] and tail.lines or {}
  for _, list in ipairs { lines, behind } do
    for i, text in ipairs(list) do list[i] = self.values:restored(text) end
  end
  return lines, behind
end

-- Writes a directive anew.
local function write(self, one, lines, behind)
  local own = one.own
  self:edit(own.first, own.last, self:lines(lines, own.line) .. number_line(self, own.next))
  if behind[1] then
    local at = self.source.finish[self.source:statement(own.behind)]
    local line = self.source:line(at - 1)
    self:edit(at, at - 1, "\n" .. self:lines(behind, line) .. number_line(self, line))
    self.edits[#self.edits].number = -own.first -- where several constructs end, the inner one ends first
  end
  if not self.calls then add_functions(self, one) end
end

-- A directive with another clause copy.
local function with_copy(self, node, name)
  local clause = grammar.parse("directive", ("parallel copy(%s)"):format(name), 1, self.session.now.scope).clauses[1]
  clause.pos, clause.vars[1].pos = node.pos, node.pos
  local clauses = table.move(node.clauses, 1, #node.clauses, 1, {})
  clauses[#clauses + 1] = clause
  return tree.with(node, "clauses", clauses)
end

-- The lines for a directive that becomes a call, and those behind its statement.
local function lines_of_calls(self, one, instance)
  local node, without, is_private = calls.data_of(one.node)
  one.without, one.is_private = without, is_private
  local references = {}
  for _, reference in ipairs(uses.references(self, one, instance)) do
    local kind = instance[reference.name].kind
    if not is_private[reference.name] then
      if kind == "record" or kind == "array" then
        references[#references + 1] = reference
      elseif kind == "scalar" and uses.is_around(self, one, reference.name) then -- whose condition may be false
        node = with_copy(self, node, reference.name)
      end
    end
  end
  local plan = openacc.lower(self.session, node, { file = one.file, line = one.line, references = references })
  uses.add_region(self, one, plan, instance)
  local way = not standalone[one.node.name] and self.source:leaves(one.own.behind)
  if way then deep.cannot(("'%s' to or from the statement of a construct"):format(way)) end
  local head, tail = writer(), writer()
  head:line "{"
  local renamed
  if plan.kind == "host data" then
    self.calls:write_host_data(plan, instance, head, tail)
  else
    local used = plan.kind == "compute" and uses.of_kernel(self, one, instance)
    renamed = self.calls:write(self, one, plan, used, instance, head, tail)
  end
  tail:line "}"
  local is_alone = standalone[one.node.name]
  if is_alone then table.move(tail.lines, 1, #tail.lines, #head.lines + 1, head.lines) end
  if renamed and instance == one.instances[1] then uses.rename(self, one, renamed, instance) end
  for _, lines in ipairs { head.lines, tail.lines } do
    for i, text in ipairs(lines) do lines[i] = calls.with_routines(self.values:restored(text)) end
  end
  return head.lines, is_alone and {} or tail.lines
end

-- The lines for a directive if it is more than a standard one, and those behind its statement. instance: its types.
local function lines_for(self, one, instance)
  local inner = scope.new(self.session.now.scope)
  declare(self, inner, self.globals)
  declare(self, inner, instance)
  for name in pairs(one.members) do inner.variables[name] = nil end
  local class = next(one.members) and instance.this.to
  local this = class and { record = class, slot = member_functions.slot(self.session, class) }
  self.values:declare(inner)
  local own_names = {} -- what a name in the directive means, only its place knows
  tree.visit(one.node, function(n) if n.tag == "id" then own_names[n] = true end end)
  local is_function = self.program.is_function
  function self.program.is_passed(node, record)
    return own_names[node] and not self.values:is_of(node.name, record, is_function)
  end
  return with(self.session.now, { scope = inner, this = this }, function()
    if self.calls then return lines_of_calls(self, one, instance) end
    local plan = openacc.lower(self.session, one.node, { file = one.file, line = one.line,
      references = uses.references(self, one, instance) })
    self.program.qualified = one.qualified
    local found = deep.of(self.program, self.session, plan)
    if one.extension and not found then deep.cannot(one.extension .. ": no standard directive can express that") end
    uses.add_region(self, one, plan, instance)
    if not found then return uses.replace_this(self, one, instance) end
    if plan.async or plan.waits then deep.cannot "'async' or 'wait' on a deep copy" end
    return uses.replace_this(self, one, instance, lines_of(self, one, found))
  end)
end

-- Whether instances of a directive have the same lines. Where these call several functions for several types, one
-- function that chooses is called instead.
local function same_texts(self, all, field)
  local first = all[1][field]
  for _, other in ipairs(all) do
    if (first == nil) ~= (other[field] == nil) or first and #first ~= #other[field] then return false end
  end
  for i, line in ipairs(first or {}) do
    local by_type, known, names, rest = {}, {}, {}, line:gsub("accdeep_call<[%w_]+>", "", 1)
    for _, other in ipairs(all) do
      local text = other[field][i]
      if text:gsub("accdeep_call<[%w_]+>", "", 1) ~= rest then return false end
      local name = text:match "accdeep_call<([%w_]+)>"
      local record = name and other.calls[name]
      local spelled = record and (record.tag or record.name)
      if name and known[name .. "*"] == nil then names[#names + 1], known[name .. "*"] = name, true end
      if spelled and known[spelled] and known[spelled] ~= name then return false end
      if spelled and not known[spelled] then by_type[#by_type + 1], known[spelled] = { spelled, name }, name end
    end
    if #names > 1 then
      if #by_type < #names then return false end
      first[i] = line:gsub("accdeep_call<[%w_]+>", ("accdeep_call<%s>"):format(
        dialects.cxx.choose(self.program, by_type)), 1)
    end
  end
  return true
end

-- Writes a directive anew if it is more than a standard one.
local function rewrite(self, one)
  if not one.instances[1] then
    if not one.extension then return end
    if not self.unit.is_cxx or not self.source:is_in_template(one.own.behind) then
      deep.cannot "the compiler's debug information has no variables of this place"
    end
    return self:edit(one.own.first, one.own.last, (self.text:sub(one.own.first, one.own.last):gsub("[^\n]", "")))
  end
  local all = {}
  for i, instance in ipairs(one.instances) do
    local called = {}
    function self.program.called(name, record) called[name] = record end
    local lines, behind = lines_for(self, one, instance)
    all[i] = { lines = lines, behind = behind, calls = called }
  end
  if self.calls and self.unit.is_cxx then self.calls:choose(one, all) end
  if not same_texts(self, all, "lines") or not same_texts(self, all, "behind") then
    deep.cannot "a directive whose instances in a template differ"
  end
  if all[1].lines then write(self, one, all[1].lines, all[1].behind) end
end

-- declare has no statements where functions could be called.
local function check_declares(self)
  for _, one in ipairs(self.declares) do
    for name in pairs(add_names({}, one.node)) do
      local t = self.globals[name]
      if not t and self.variables[name] and self.variables[name].is_record then
        self:fail(one, "'declare' in a function", "write data or enter data")
      end
      while t and t.kind == "array" do t = t.of end
      if one.extension or t and t.kind == "record" and next(self.session:shapes_of(t)) then
        self:fail(one, "a deep copy by 'declare'", "write enter data where the program begins")
      end
    end
  end
end

local function apply(self)
  for i, place in ipairs(self.pasted and self.pasted.places or {}) do
    local text = i > 1 and compiler.marker(self.unit, place) or ""
    table.insert(self.edits, { first = place.at, last = place.at - 1, text = text, number = i - math.maxinteger })
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

local function without_arguments(name) return (name:gsub("%b<>", "")) end

-- C++: the classes that the unit itself defines.
local function read_records(self)
  local own = {}
  self.records = self.source:records()
  for _, record in ipairs(self.records) do own[without_arguments(record.name)] = true end
  function self.program.is_foreign(record) return record.tag and not own[without_arguments(record.tag)] end
end

-- C++: classes of the unit whose objects functions go through have them as friends.
local function add_friends(self)
  local wanted = {}
  local function add(record)
    if record.tag then wanted[without_arguments(record.tag)] = true end
    for _, base in ipairs(record.bases or {}) do add(base) end
  end
  for treatment in pairs(self.program.deep_functions) do add(treatment.record) end
  for _, bound in ipairs(self.calls and self.calls.bounds or {}) do add(bound.record) end
  for _, record in ipairs(self.records) do
    if not record.is_local and record.has_private and wanted[without_arguments(record.name)] then
      self:edit(record.at, record.at - 1, dialects.cxx.FRIEND)
    end
  end
end

-- C++: declarations in front of the unit, and the functions behind it.
local function add_frame(self)
  self:edit(1, 0, dialects.cxx.prelude(self.program.prototypes) .. "\n" .. number_line(self, 1))
  if self.nfunctions == 0 then return end
  local last = self.source:line(#self.text + 1)
  local head = { "" }
  for line in self.headers:gmatch "[^\n]+" do head[#head + 1] = line end
  self:edit(#self.text + 1, #self.text, (self.text:sub(-1) == "\n" and "" or "\n") .. self:lines(head, last)
    .. table.concat(self.at_end) .. self:lines({ dialects.cxx.CALL }, last))
end

-- Directives that stay in the text, with macros replaced: no word of theirs is a directive's of OpenMP.
local function expand(self)
  local written = {}
  for _, edit in ipairs(self.edits) do written[edit.first] = true end
  for _, one in ipairs(self.expanded or {}) do
    if not written[one.own.first] then
      self:edit(one.own.first, one.own.last, ("#pragma acc %s\n"):format(one.text) .. number_line(self, one.own.next))
    end
  end
end

-- Whether directives that begin with a word are written anew where a file that the unit includes has them.
local function is_moved(self, is_extended, word)
  if descriptions[word] then return self.unit.is_cxx and is_extended end -- private members need friends
  return self.is_openmp or (is_extended or self.calls ~= nil) and word ~= "declare"
    and directives.concerns(word, self.calls)
end

-- Whether there is nothing but shapes and policies of headers.
local function has_nothing(self)
  for _, one in ipairs(self.directives) do
    if one.own or not descriptions[one.node.name] then return false end
  end
  return not self.calls or not uses.has_routines(self)
end

-- The unit with directives of headers and of macros in lines of its own, if it must be read anew; else nil.
local function flattened(self, active, preprocessed, is_extended)
  local path, lines = self.unit.path, {}
  if active[1] and not self.pasted then
    local pasted = headers.paste(path, self.text, preprocessed, function(word)
      return is_moved(self, is_extended, word)
    end)
    if pasted then return pasted end
  end
  for _, one in ipairs(active) do
    local is_made = one.is_here and not one.own
    if is_made and is_moved(self, is_extended, one.text:match "^[%a_]*") then lines[#lines + 1] = one.text_line end
  end
  if lines[1] and not (self.pasted and self.pasted.is_expanded) then
    local expanded = macros.expand(path, self.text, preprocessed, lines, self.pasted)
    expanded.is_expanded = true
    return expanded
  end
end

-- The text, or nil and what the compiler said; third: the unit as flattened has it, if it must be read anew.
local function lowered(self)
  local active, said = compiler.directives(self.unit)
  self.preprocessed = said
  if not active then return nil, said end
  local is_extended = read_directives(self, active)
  if is_extended and has_nothing(self) then is_extended = false end
  local pasted = flattened(self, active, said, is_extended)
  if pasted then return nil, nil, pasted end
  if not (is_extended or self.calls and not has_nothing(self)) then
    if self.is_openmp then expand(self) end
    return (self.edits[1] or self.pasted) and apply(self) or self.text
  end
  local list = planned(self)
  if self.calls then uses.replace_routines(self) end
  said = read_types(self, list)
  if said then return nil, said end
  describe(self)
  check_declares(self)
  if self.unit.is_cxx then read_records(self) end
  local around
  for _, one in ipairs(list) do
    if around and one.own.first < around.last then
      self:fail(one, ("'%s' in a compute construct"):format(one.node.name))
    end
    self:within(one, rewrite, self, one)
    if directives.is_compute(one.node) then
      around = { last = self.source.finish[self:within(one, self.source.statement, self.source, one.own.behind)] }
    end
  end
  for _, one in ipairs(self.directives) do
    if one.own and descriptions[one.node.name] then
      local feeds = self.text:sub(one.own.first, one.own.last):gsub("[^\n]", "")
      self:edit(one.own.first, one.own.last, values.members(one) .. feeds)
    end
  end
  if self.is_openmp then expand(self) end
  if self.unit.is_cxx then add_friends(self) end
  if self.calls then
    self:edit(1, 0, self.calls:prelude() .. "\n" .. number_line(self, 1))
    local ending = self.calls:ending()
    if ending ~= "" then
      self:edit(#self.text + 1, #self.text, (self.text:sub(-1) == "\n" and "" or "\n") .. self:lines({ ending },
        self.source:line(#self.text + 1)))
    end
  elseif self.unit.is_cxx then
    add_frame(self)
  end
  return apply(self)
end

-- The text with directives of OpenMP in place of standard ones of OpenACC.
local function to_openmp(self, text)
  local is_active = {}
  for _, own in pairs(self.own or {}) do
    local place = ("%s:%d"):format(self:position(own.line))
    is_active[place] = is_active[place] or own.is_active or false
  end
  local function is_left(file, line) -- in a part of the unit that is not compiled
    return is_active[("%s:%d"):format(file, line)] == false
  end
  return openmp.text(self.session, text, self.unit.path, is_left, function(one, message)
    error(diagnostic.new { code = "unsupported", rule = "HOUSE-lower", message = message, file = one.file,
      line = one.line, column = one.pos, snippet = one.line_text, snippet_column = one.pos,
      length = #one.node.name }, 0)
  end)
end

-- Whether files of a unit that are included describe types: compilers do not know the word.
local function has_described_headers(self)
  for _, one in ipairs(self.directives or {}) do
    if descriptions[one.node.name] and not one.is_here then return true end
  end
  return false
end

-- The text of a unit with standard directives, or nil and what the compiler said of the unit; third: {described
-- (whether headers have shapes or policies), pasted (paths of files whose text is part of it, or nil), is_read (whether
-- directives were found), again (the unit as flat.lua has it: it is to be lowered instead)}. given: as of lower.unit.
-- Raises errors of directives.
function c_unit.lower(opened, given)
  local is_cxx = compiler.is_cxx(given.path, given.command)
  local self = setmetatable({ session = opened, text = given.text, source = source.scan(given.text), edits = {},
    nfunctions = 0, regions = {}, declares = {}, functions = {}, at_end = {},
    unit = { command = given.command, path = given.path, given = given.options, is_cxx = is_cxx,
      text = given.pasted and given.text, folder = shell.folder() }, pasted = given.pasted,
    program = { functions = {}, prototypes = {}, deep_functions = {}, globals = {}, prefix = "accdeep_",
      dialect = is_cxx and dialects.cxx or dialects.c } }, Unit)
  self.is_openmp = given.to == "openmp"
  self.replaces_this = self.is_openmp and is_cxx
  self.program.keeps_pointers = self.is_openmp -- its directives attach no pointers to what is present already
  self.values = values.new(opened, given.to == "accdeep")
  if given.to == "accdeep" then
    self.calls = calls.new(opened, { values = self.values, is_function = function(name)
      return self.program.is_function(name)
    end, is_cxx = is_cxx })
  end
  self.headers, self.routines = self.is_openmp and openmp.HEADERS or HEADERS, self.is_openmp and openmp.routines or same
  function self.program.is_function(name) return not is_cxx or self.functions[name] ~= nil end
  self.program.is_value = values.is_name
  function self.program.finished(text, record)
    return self.values:restored(text, record, self.program.is_function)
  end
  local results = table.pack(pcall(lowered, self))
  shell.remove(self.unit.folder)
  if not results[1] and type(results[2]) == "table" and results[2].hidden then
    results = { true, nil, nil, uses.without_macros(self) }
  elseif not results[1] then
    place_error(self, results[2])
    error(results[2], 0)
  end
  local text, said, again = table.unpack(results, 2, 4)
  if again then return nil, nil, { again = again } end
  if self.is_openmp and text then text = to_openmp(self, text) end
  return text, said, { described = has_described_headers(self), pasted = self.pasted and self.pasted.paths,
    is_read = self.directives ~= nil and self.directives[1] ~= nil }
end

return c_unit
