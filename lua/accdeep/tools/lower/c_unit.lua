-- c_unit.lua - a unit of C: its directives, their types, and the text with standard directives.
--
-- A directive that is deep becomes a block: the standard directive for the variables themselves, and calls of functions
-- for what they point to (export/deep.lua). The functions stand in front of the declaration that needs them first.

local compiler = require "accdeep.tools.lower.compiler"
local debug_info = require "accdeep.types.debug_info"
local deep = require "accdeep.tools.export.deep"
local diagnostic = require "accdeep.base.diagnostic"
local grammar = require "accdeep.grammar"
local location = require "accdeep.base.location"
local openacc = require "accdeep.run.openacc"
local scope = require "accdeep.types.scope"
local source = require "accdeep.tools.lower.source"
local tree = require "accdeep.base.tree"
local with = require "accdeep.base.dynamic"

local raise = diagnostic.raise

local c_unit = {}

-- Directives that are the compiler's own matter: they have no data clause.
local others = { loop = true, routine = true, atomic = true, cache = true, wait = true, init = true, shutdown = true,
  set = true, host_data = true }
local descriptions = { shape = true, policy = true }
local standalone = { ["enter data"] = true, ["exit data"] = true, update = true, declare = true }

local HEADERS = "#include <openacc.h>\n#include <stddef.h>\n#include <stdlib.h>\n#include <string.h>\n"

-- A unit under way.
local Unit = {}
Unit.__index = Unit

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
local function place(self, err)
  if not diagnostic.is(err) or not err.in_text or err.file ~= self.unit.path then return end
  for _, one in ipairs(self.directives or {}) do
    if one.own and one.text == one.own.text and err.line == one.line then
      err.line, err.column = location.position(self.text, one.own.at + err.pos - 1)
      err.snippet, err.snippet_column, err.in_text = location.line(self.text, err.line), err.column, nil
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
  local by_line, starts = {}, source.line_starts(self.text)
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
-- Returns whether one is of TR-14-1. An error of a text counts only in such a unit.
local function read_directives(self, active)
  local own, is_extended, problem = own_directives(self), false, nil
  self.directives = {}
  for _, one in ipairs(active) do
    if not others[one.text:match "^[%a_]+" or ""] then
      one.own = one.file == self.unit.path and own[one.line] or nil
      if one.own and squeezed(one.own.text) == squeezed("#pragma acc" .. one.text) then
        one.text, one.line = one.own.text, one.own.line -- with the positions of the file
      end
      local ok, node = pcall(self.within, self, one, grammar.parse, "directive", one.text, 1, self.session.now.scope)
      if ok then
        one.node, one.extension = node, descriptions[node.name] and node.name or deep.extension(node)
        is_extended = is_extended or one.extension ~= nil
        self.directives[#self.directives + 1] = one
      else
        problem = problem or node
        is_extended = is_extended or one.text:find "^shape" or one.text:find "^policy"
      end
    end
  end
  if is_extended and problem then error(problem, 0) end
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
    elseif one.own and one.node.name ~= "declare" then
      if not one.is_inside then
        self:fail(one, ("'%s' outside of functions"):format(one.node.name), "write enter data in a function")
      end
      list[#list + 1] = one
    elseif one.node.name == "declare" then
      self.declares[#self.declares + 1] = one
    elseif one.file == self.unit.path then
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
    if n.tag == "id" and n.name and not list[n.name] then
      list[n.name] = true
      list[#list + 1] = n.name
    end
  end)
  return list
end

local function remove(list, name)
  for k = #list, 1, -1 do
    if list[k] == name then table.remove(list, k) end
  end
end

-- The path of an object file with the types of names, or nil and what the compiler said.
local function compiled(self, list)
  local wanted = {}
  for i, one in ipairs(list) do
    wanted[i] = { first = one.own.first, last = one.own.last, line = one.own.line, names = one.names,
      alone = standalone[one.node.name] }
  end
  while true do
    local path, missing, said = compiler.debug_information(self.unit, self.text, wanted, self.of_file)
    if not missing then return path, said end
    for _, what in ipairs(missing) do
      remove(list[what.i] and list[what.i].names or self.of_file, what.name)
    end
  end
end

-- Variables that a compute construct's statement may use, of those that are structures somewhere in the unit.
local function words_of(self, one, records)
  local last = self.source:statement(one.own.behind)
  for i = one.own.behind, last do
    local word = self.source.kind[i] == "word" and self.source:token(i)
    local before = i > 1 and self.source:token(i - 1)
    if word and records[word] and before ~= "." and before ~= ">" and not one.names[word] then
      one.names[word] = true
      one.names[#one.names + 1] = word
      one.references[#one.references + 1] = { name = word, pos = one.node.pos }
    end
  end
end

-- Reads the types of all variables that directives name: one.types, name -> type; self.globals. Returns what the
-- compiler said if it refuses the unit.
local function read_types(self, list)
  for _, one in ipairs(list) do
    one.names, one.references, one.types = add_names({}, one.node), {}, {}
  end
  self.of_file, self.globals = {}, {}
  for _, one in ipairs(self.directives) do
    if descriptions[one.node.name] or one.node.name == "declare" then add_names(self.of_file, one.node) end
  end
  local path, said = compiled(self, list)
  if not path then return said end
  local records, more = debug_info.records(path), false
  for _, one in ipairs(list) do
    if one.node.name:find "^parallel" or one.node.name:find "^serial" or one.node.name:find "^kernels" then
      self:within(one, words_of, self, one, records)
      more = more or #one.references > 0
    end
  end
  if more then
    os.remove(path)
    path, said = compiled(self, list)
    if not path then return said end
  end
  self.object = path
  for _, variable in ipairs(debug_info.variables(self.session, path, compiler.PREFIX)) do
    local i, name = variable.name:match("^" .. compiler.PREFIX .. "(%d+)_(.*)$")
    local one = list[tonumber(i)]
    local of = one and one.types or self.globals
    of[name] = variable.type.to
  end
end

-- A variable of a scope. Nothing of it is read: plans are made, not run.
local function declare(of, name, t) of.variables[name] = { name = name, type = t, address = 4096 } end

-- ----------------------------------------------------------------------------------- descriptions --

-- Defines the shapes and policies of types that the unit uses.
local function describe(self)
  for name, t in pairs(self.globals) do declare(self.session.now.scope, name, t) end
  self.session:describing(function()
    for _, one in ipairs(self.directives) do
      if one.node.name == "shape" or one.node.name == "policy" then
        local known, t = true, nil
        if one.record then known, t = pcall(debug_info.declare, self.session, self.object, one.record) end
        if known then
          self:within(one, self.session.described, self.session, one.node, t, one.text)
        elseif not diagnostic.is(t) or t.code ~= "unknown-type" then -- that of no variable
          error(t, 0)
        end
      end
    end
  end)
end

-- ------------------------------------------------------------------------------------------ output --

-- What deep.lua writes with: lines of a block.
local Writer = {}
Writer.__index = Writer
function Writer:line(text) self.lines[#self.lines + 1] = ("    "):rep(self.depth) .. text end
function Writer:open_brace()
  self:line "{"
  self.depth = self.depth + 1
end
function Writer:close_brace()
  self.depth = self.depth - 1
  self:line "}"
end

local function writer() return setmetatable({ lines = {}, depth = 0 }, Writer) end

-- Lines that stand for one line of the unit.
function Unit:lines(list, number)
  local parts = {}
  for _, text in ipairs(list) do
    for line in (text .. "\n"):gmatch "(.-)\n" do
      parts[#parts + 1] = ("#line %d \"%s\"\n%s\n"):format(number, self.unit.path, line)
    end
  end
  return table.concat(parts)
end

function Unit:edit(first, last, text)
  self.edits[#self.edits + 1] = { first = first, last = last, text = text, number = #self.edits }
end

local function number_line(self, number) return ("#line %d \"%s\"\n"):format(number, self.unit.path) end

-- Functions that a directive needs and the unit does not have yet, in front of its declaration.
local function add_functions(self, one)
  local program = self.program
  local added = table.move(program.functions, self.nfunctions + 1, #program.functions, 1, {})
  if #added == 0 then return end
  local at = self.source:before_declaration(one.own.behind - 1)
  local text = { self.nfunctions == 0 and HEADERS or "" }
  for i = self.nfunctions + 1, #program.prototypes do text[#text + 1] = program.prototypes[i] .. "\n" end
  for _, code in ipairs(added) do text[#text + 1] = "\n" .. code .. "\n" end
  self.nfunctions = #program.functions
  local lines = {}
  for line in table.concat(text):gmatch "(.-)\n" do lines[#lines + 1] = line end
  self:edit(at, at - 1, self:lines(lines, one.own.line) .. number_line(self, self.source:line(at)))
end

-- Writes a directive in which something is deep.
local function write(self, one, found)
  local own, program = one.own, self.program
  local head, tail = writer(), writer()
  program.globals = {}
  local is_open = found:write(one.node, head)
  local needs_statement = not standalone[one.node.name]
  if is_open then
    tail.depth = head.depth
    found:finish(tail)
  end
  local locals = {}
  for i, text in ipairs(program.globals) do locals[i] = text:gsub("^static ", "") end
  table.move(head.lines, 1, #head.lines, #locals + 1, locals)
  if needs_statement and not is_open then -- the directive alone: its statement follows
    self:edit(own.first, own.last, self:lines(locals, own.line) .. number_line(self, own.next))
  else
    table.insert(locals, 1, "{")
    tail.lines[#tail.lines + 1] = "}"
    if not needs_statement then
      table.move(tail.lines, 1, #tail.lines, #locals + 1, locals)
      self:edit(own.first, own.last, self:lines(locals, own.line) .. number_line(self, own.next))
    else
      local last = self.source:statement(own.behind)
      local at = self.source.finish[last]
      local line = self.source:line(at - 1)
      self:edit(own.first, own.last, self:lines(locals, own.line) .. number_line(self, own.next))
      self:edit(at, at - 1, "\n" .. self:lines(tail.lines, line) .. number_line(self, line))
    end
  end
  add_functions(self, one)
end

-- Variables that a compute construct's statement uses and no construct around it names.
local function references_of(self, one)
  local list = {}
  for _, reference in ipairs(one.references) do
    local is_visible = false
    for _, region in ipairs(self.regions) do
      is_visible = is_visible or region.first < one.own.first and one.own.last < region.last
        and region.names[reference.name]
    end
    if one.types[reference.name] and not is_visible then list[#list + 1] = reference end
  end
  return list
end

-- Writes a directive anew if it is more than a standard one.
local function rewrite(self, one)
  local inner = scope.new(self.session.now.scope)
  for name, t in pairs(self.globals) do declare(inner, name, t) end
  for name, t in pairs(one.types) do declare(inner, name, t) end
  local own_names = {} -- what a name in the directive means, only its place knows
  tree.visit(one.node, function(n) if n.tag == "id" then own_names[n] = true end end)
  function self.program.is_passed(node) return own_names[node] end
  with(self.session.now, { scope = inner }, function()
    local plan = openacc.lower(self.session, one.node, { file = one.file, line = one.line,
      references = references_of(self, one) })
    local found = deep.of(self.program, self.session, plan)
    if one.extension and not found then deep.cannot(one.extension .. ": no standard directive can express that") end
    if plan.kind == "region" then
      local last = self.source.finish[self.source:statement(one.own.behind)]
      table.insert(self.regions, { first = one.own.first, last = last, names = one.names })
    end
    if not found then return end
    if plan.async or plan.waits then deep.cannot "'async' or 'wait' on a deep copy" end
    write(self, one, found)
  end)
end

-- declare has no statements where functions could be called.
local function check_declares(self)
  for _, one in ipairs(self.declares) do
    for name in pairs(add_names({}, one.node)) do
      local t = self.globals[name]
      while t and t.kind == "array" do t = t.of end
      if one.extension or t and t.kind == "record" and next(self.session:shapes_of(t)) then
        self:fail(one, "a deep copy by 'declare'", "write enter data where the program begins")
      end
    end
  end
end

local function apply(self)
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

local function lowered(self)
  local active, said = compiler.directives(self.unit)
  if not active then return nil, said end
  if not read_directives(self, active) then return self.text end
  local list = planned(self)
  said = read_types(self, list)
  if said then return nil, said end
  describe(self)
  check_declares(self)
  for _, one in ipairs(list) do
    self:within(one, rewrite, self, one)
  end
  for _, one in ipairs(self.directives) do
    if one.own and descriptions[one.node.name] then
      self:edit(one.own.first, one.own.last, (self.text:sub(one.own.first, one.own.last):gsub("[^\n]", "")))
    end
  end
  return apply(self)
end

-- The text of a unit with standard directives, or nil and what the compiler said of the unit. given: as of lower.unit.
-- Raises errors of directives.
function c_unit.lower(opened, given)
  local self = setmetatable({ session = opened, text = given.text, source = source.scan(given.text), edits = {},
    nfunctions = 0, regions = {},
    declares = {}, unit = { command = given.command, path = given.path, given = given.options },
    program = { functions = {}, prototypes = {}, deep_functions = {}, globals = {}, prefix = "accdeep_" } }, Unit)
  local results = table.pack(pcall(lowered, self))
  if self.object then os.remove(self.object) end
  if not results[1] then
    place(self, results[2])
    error(results[2], 0)
  end
  return table.unpack(results, 2, results.n)
end

return c_unit
