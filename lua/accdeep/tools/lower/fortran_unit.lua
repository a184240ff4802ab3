-- fortran_unit.lua - a unit of Fortran: its directives, their types, and the text with standard directives.
--
-- A directive that is deep becomes a block in front of it, or instead of it, which brings what its variables point to,
-- and one behind its region, which ends that (export/fortran_deep.lua). Directives take whole lines; line markers keep
-- the numbers of the others.

local lazy = require "accdeep.base.lazy"
local allowed = require "accdeep.check.openacc"
local calls = lazy.require "accdeep.tools.lower.calls"
local compiler = require "accdeep.tools.lower.fortran_compiler"
local convenience = require "accdeep.shape.convenience"
local debug_info = require "accdeep.types.debug_info"
local deep = require "accdeep.tools.export.deep"
local diagnostic = require "accdeep.base.diagnostic"
local directives = require "accdeep.tools.lower.directives"
local designators = require "accdeep.tools.lower.fortran_designators"
local fortran_calls = lazy.require "accdeep.tools.lower.fortran_calls"
local fortran_deep = require "accdeep.tools.export.fortran_deep"
local files = require "accdeep.tools.files"
local fortran_modules = require "accdeep.tools.lower.fortran_modules"
local ftypes = require "accdeep.types.fortran"
local line_markers = require "accdeep.tools.lower.line_markers"
local location = require "accdeep.base.location"
local openacc = require "accdeep.plan.openacc"
local PREFIX = require "accdeep.tools.lower.compiler".PREFIX
local requests = require "accdeep.plan.requests"
local scope = require "accdeep.types.scope"
local shell = require "accdeep.tools.shell"
local source = require "accdeep.tools.lower.fortran_source"
local tree = require "accdeep.base.tree"
local types = require "accdeep.types"
local unparse = require "accdeep.grammar.unparse_fortran"
local with = require "accdeep.base.dynamic"

local raise = diagnostic.raise
local designated, has_component, root_of = designators.designated, designators.has_component, designators.root_of

local fortran_unit = {}

local descriptions, standalone, is_compute = directives.descriptions, directives.standalone, directives.is_compute
local WIDTH = 100 -- of lines that are written; compilers take 132

local Unit = {}
Unit.__index = Unit

-- Calls fn(...), whose errors are about a directive: they have their places in the unit.
function Unit:within(one, fn, ...)
  local path = one.path or self.path
  local results = table.pack(pcall(self.session.within, self.session, one.text, path, one.line, fn, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local err = results[2]
  if deep.is_reason(err) then
    return self:within(one, raise, "unsupported", one.node and one.node.pos or 1, err.cannot, { rule = "HOUSE-lower" })
  end
  if diagnostic.is(err) and err.in_text and not one.path and err.file == self.path and err.line == one.line then
    err.line, err.column = location.position(self.text, one.at + err.pos - 1)
    err.snippet, err.snippet_column, err.in_text = location.line(self.text, err.line), err.column, nil
  end
  error(err, 0)
end

-- ------------------------------------------------------------------------------------- directives --

-- The text of lines of the unit.
local function lines_of(self, first, last)
  return self.text:sub(self.starts[first], (self.starts[last + 1] or #self.text + 1) - 1)
end

-- The directive of a statement of the scan: {text, line, at, own (first and last line in the unit), index (in the
-- scan), view (index of its first line in the view), record ({name, components} of the type that it stands in)}.
local function directive_of(self, statement, index, record)
  local first, last = self.view[statement.first].line, self.view[statement.last].line
  local one = { index = index, view = statement.first, record = record, line = first or 1 }
  if first and last then
    local text = lines_of(self, first, last)
    local mark = text:lower():find("!$acc", 1, true)
    one.own = { first = first, last = last }
    if mark and last - first == statement.last - statement.first then
      one.at, one.text = self.starts[first] + mark - 1, text:sub(mark):gsub("%s+$", "")
    end
  end
  if not one.text or self.is_expanded then
    local plain = one.text and one.text:gsub("&%s*\n%s*!%$[aA][cC][cC]%s*&?", ""):lower():gsub("%s", "")
    if plain ~= "!$acc" .. statement.directive:gsub("%s", "") then
      one.text, one.at = "!$acc " .. statement.directive, self.starts[one.line]
    end
  end
  return one
end

-- Refuses a statement of a unit that becomes calls.
local function refuse(self, statement, message, help)
  local one = directive_of(self, { first = statement.first, last = statement.last, directive = "" })
  self:within(one, raise, "unsupported", 1, message, { rule = "HOUSE-lower", help = help })
end

-- The lines of a call of a routine, in which nothing else stands.
local function lines_alone(self, statement)
  local first, last = self.view[statement.first].line, self.view[statement.last].line
  if not first or not last or lines_of(self, first, last):find ";" then
    refuse(self, statement, "this call of a routine", "write it alone in a line of the unit")
  end
  return first, last
end

-- Reads the directives that may move data, and shapes and policies of modules that the unit uses. Returns whether one
-- is of TR-14-1.
local function read_directives(self)
  local add, finish = directives.reader()
  local record, is_extended, inside
  local defined, used = fortran_modules.of_text(self.text)
  local folders = fortran_modules.folders(self.given)
  table.insert(folders, 1, self.modules)
  for _, other in ipairs(fortran_modules.read(folders, used, defined)) do
    local one = { text = "!$acc " .. other.text, path = other.path, line = other.line,
      record = other.type and { name = other.type, components = other.components } }
    add(one, other.text, self.within, self, one, self.session.language.parse, self.session, "directive", one.text)
  end
  for index, statement in ipairs(self.scan.list) do
    local routine = self.calls and not statement.directive and fortran_calls.directive_for(statement.text)
    if routine then
      lines_alone(self, statement)
      local one = directive_of(self, { first = statement.first, last = statement.last, directive = routine }, index)
      one.is_routine = true
      one.text, one.at = "!$acc " .. routine, self.starts[one.line]
      add(one, routine, self.within, self, one, self.session.language.parse, self.session, "directive", one.text)
    elseif not statement.directive then
      local begun = source.type_begun(statement.text)
      inside = source.module_begun(statement.text) or not source.ends_module(statement.text) and inside or nil
      if begun then
        record = { name = begun, components = {} }
      elseif record and source.ends_type(statement.text) then
        record = nil
      elseif record then
        source.components(statement.text, record.components)
      end
    elseif directives.concerns(statement.directive:match "^[%a_]+" or "", self.calls) then
      local one = directive_of(self, statement, index, record)
      if inside and descriptions[statement.directive:match "^%a*"] then
        self.exported[inside] = self.exported[inside] or {}
        table.insert(self.exported[inside], { path = self.path, line = one.line, type = record and record.name,
          components = record and record.components or {}, text = statement.directive })
      end
      add(one, statement.directive, self.within, self, one, self.session.language.parse, self.session, "directive",
        one.text)
    end
  end
  self.directives, is_extended = finish()
  return is_extended
end

-- Directives of the unit itself that move data.
local function planned(self)
  local list = {}
  for _, one in ipairs(self.directives) do
    local is_description = descriptions[one.node.name]
    if not one.own and not one.path and (one.extension or self.calls and not is_description) then
      self:within(one, raise, "unsupported", 1, (one.extension and "a directive of TR-14-1" or "a directive")
        .. " in a file that is included", { rule = "HOUSE-lower", help = "write it in the unit" })
    elseif one.own and not is_description then
      if one.node.name ~= "declare" then
        list[#list + 1] = one
      elseif one.extension then
        self:within(one, deep.cannot, "'declare' with a shape, policy or nest")
      elseif self.calls then
        self:within(one, raise, "unsupported", one.node.pos, "'declare'", { rule = "HOUSE-lower",
          length = #one.node.name, help = "write enter data where the program begins" })
      end
    end
  end
  return list
end

-- The index of the statement that ends a region, and whether that is a directive; nil: the directive has none.
local function end_of(self, one)
  local list, name = self.scan.list, one.node.name
  if standalone[name] then return nil end
  local first = name:match "^[%a_]+"
  if name:find " loop$" then
    local last, shared = self.scan:loop_end(one.index + 1)
    if not last then
      self:within(one, raise, "syntax", 1, "expected the loop of the directive", { rule = "ACC33-2.9-1" })
    end
    local behind = list[last + 1]
    if behind and behind.directive and behind.directive:gsub("^end%s*", "end ") == "end " .. name then
      return last + 1, true
    end
    return last, false, shared
  end
  local depth = 0
  for i = one.index + 1, #list do
    local text = list[i].directive
    if text and text:find("^" .. first .. "%f[^%w_]") and not text:find("^" .. first .. "%s+loop%f[^%w_]") then
      depth = depth + 1
    elseif text and text:gsub("^end%s*", "end ") == "end " .. first then
      if depth == 0 then return i, true end
      depth = depth - 1
    end
  end
  self:within(one, raise, "syntax", 1, ("'%s' has no '!$acc end %s'"):format(name, first), { rule = "ACC33-2.6-1" })
end

-- ------------------------------------------------------------------------------------------ types --

-- Names of variables in a directive, and of objects in the statements of its region.
local function names_of(self, one)
  local seen, list = {}, {}
  local function add(name)
    if not seen[name] then list[#list + 1] = name end
    seen[name] = true
  end
  tree.visit(one.node, function(n)
    if n.tag == "id" and n.name then add(n.name) end
  end)
  one.used, one.bare = {}, {}
  for _, name in ipairs(list) do one.bare[name] = true end
  if is_compute(one.node) then
    local names = self.calls and source.names or source.names_of_objects
    for i = one.index + 1, one.finish - (one.ends and 1 or 0) do
      local statement = self.scan.list[i]
      if not statement.directive then
        names(statement.text, function(name, has_parenthesis)
          one.bare[name] = one.bare[name] or not has_parenthesis
          if not one.used[name] then table.insert(one.used, name) end
          one.used[name] = true
          add(name)
        end)
      end
    end
  end
  return list
end

-- The type that a shape or policy outside of types names.
local function type_named(node)
  for _, clause in ipairs(node.clauses) do
    local spec = clause.name == "type" and clause.type and (clause.type.spec or clause.type)
    if spec and spec.name then return spec.name end
  end
end

-- Reads types and attributes of the variables that directives name. Returns what the compiler said if it refuses the
-- unit.
local function read_types(self, list)
  for _, one in ipairs(list) do
    one.finish, one.ends, one.shared = end_of(self, one)
    one.at_view = one.view
    one.names = names_of(self, one)
  end
  local refused = compiler.refuses(self)
  if refused then return refused end
  local wanted = {}
  for i, one in ipairs(list) do wanted[i] = { at = one.view, names = one.names, bare = one.bare } end
  local ok, said = compiler.attributes(self, self.view, wanted)
  local object
  if ok then
    object, said = compiler.types(self, self.view, wanted)
  end
  if not object then return said end
  for i, one in ipairs(list) do
    one.names, one.attributes, one.assumed_size = wanted[i].names, wanted[i].attributes, wanted[i].assumed_size
    one.variables = {}
  end
  local types_named = {}
  for _, one in ipairs(self.directives) do
    if descriptions[one.node.name] then
      types_named[#types_named + 1] = one.record and one.record.name or type_named(one.node)
    end
  end
  local variables
  variables, self.named = debug_info.objects(self.session, object, PREFIX, types_named)
  for _, variable in ipairs(variables) do
    local i, name = variable.name:match("^" .. PREFIX .. "(%d+)_(.*)$")
    list[tonumber(i)].variables[name] = variable
  end
  if not self.calls then return end
  for _, one in ipairs(list) do fortran_calls.complete(one) end
  return self.calls:name_types(self, list)
end

-- A variable of a scope. Nothing of it is read: there is no plan with its address.
local function declare(session, of, name, variable, assumed_size)
  local known = variable and (variable.record or variable.of)
  local rank, t = known and (assumed_size or variable.rank) or 0, known or ftypes.INTEGER
  if rank > 0 then t = ftypes.descriptor(session.program.layout, known, rank, "pointer") end
  of.variables[name] = { name = name, type = t, address = 4096 }
end

-- The type that a shape or policy is about; nil: no variable has it.
local function record_of(self, one, name)
  local list, found = self.named[name] or {}, {}
  if #list < 2 then return list[1] end
  for _, record in ipairs(list) do
    local wanted, at, fits = one.record and one.record.components or {}, 0, one.record ~= nil
    for _, member in ipairs(record.members) do
      if member.name and not member.name:find "^%(" then
        at = at + 1
        fits = fits and member.name == wanted[at]
      end
    end
    if fits and at == #wanted then found[#found + 1] = record end
  end
  if #found ~= 1 then
    self:within(one, deep.cannot, ("shapes of a type '%s', of which the unit has several"):format(name))
  end
  return found[1]
end

-- Defines the shapes and policies of types that the unit uses.
local function describe(self)
  self.session:describing(function()
    for _, one in ipairs(self.directives) do
      if descriptions[one.node.name] then
        local name = one.record and one.record.name or type_named(one.node)
        local t = name and record_of(self, one, name)
        if t or not name then -- otherwise that of no variable
          self:within(one, self.session.described, self.session, one.node, one.record and t, one.text)
        end
      end
    end
  end)
end

-- ------------------------------------------------------------------------------------------ plans --

-- Whether a scalar component may be asked with allocated, or associated: the compiler is asked the first time.
local function asks(self, one, record, name, path)
  local known = self.inquiries[record] or {}
  self.inquiries[record] = known
  if not known[name] then
    local plain = path:gsub("accdeep_i%d+", "1")
    local question = { at = one.at_view, text = ("if (allocated(%s)) continue"):format(plain) }
    local ok, said = compiler.ask(self, self.view, { question })
    if not ok then error(diagnostic.new { code = "file", message = said, rule = "HOUSE-lower" }, 0) end
    known[name] = question.error and "associated" or "allocated"
  end
  return known[name]
end

-- The item of a request, or nil if it is plain. said: whether a shape, a policy or a nest is asked for.
local function item_of(self, one, request)
  local session, node = self.session, request.node
  local name = root_of(node)
  local variable = one.variables[name]
  local clause = request.clause
  local said = clause.shape or clause.nest or clause.name == "invoke"
  if variable and variable.polymorphic then
    if said then deep.cannot(("'%s' is polymorphic"):format(name)) end
    return nil
  end
  if node.tag == "alias" then deep.cannot "an alias (@) of a variable" end
  if not variable or not variable.record then
    if said and not one.attributes[name] then
      session.now.scope:no_variable { name = name, pos = node.pos }
    elseif said then
      raise("not-a-struct", node.pos, ("'%s' has no %s"):format(unparse(node),
        clause.name == "invoke" and "policies" or "shapes"), { rule = "TR14-3.1.2-08" })
    end
    return nil
  end
  local found = designated(session, node)
  if not types.is_record(found.of) then return nil end
  local code = requests.asked(session, request, found.of)
  local treatment = request.treatment
  if deep.actions[code] == "present" and not (treatment and treatment.policy) then
    return said and { there = true, node = node, name = name } or nil
  end
  if not treatment or not said and fortran_deep.is_plain(session, treatment) then return nil end
  local action = deep.actions[code]
  deep.clause_of(action)
  deep.check_modifiers(clause)
  if has_component(node) or node.tag == "reference" and node.base.tag ~= "id" then
    deep.cannot "this component with a shape, policy or nest"
  end
  local attributes = one.attributes[name]
  local guards = {}
  for _, attribute in ipairs { "present", "allocated", "associated" } do
    if attributes[attribute] then guards[#guards + 1] = ("%s(%s)"):format(attribute, name) end
  end
  return { treatment = treatment, action = action, node = node, text = name, name = name, rank = designated(session,
    { tag = "id", name = name }).rank, args = node.tag == "reference" and node.args or nil, guards = guards,
    may_have_gaps = not attributes.allocated and node.tag == "id" }
end

-- Clauses that are not those of items, as text. The text of a clause that has none of them stays as it is.
local function other_clauses(one, taken)
  local list = {}
  local plain = require "accdeep.grammar.fortran_source".directive(one.text)
  for i, clause in ipairs(one.node.clauses) do
    local rest, is_whole = {}, true
    for _, variable in ipairs(clause.vars or {}) do
      if taken[variable] then is_whole = false else rest[#rest + 1] = variable end
    end
    if is_whole then
      local behind = one.node.clauses[i + 1]
      local text = plain:sub(clause.pos, behind and behind.pos - 1 or -1):gsub("%s+", " "):gsub("[%s,]+$", "")
      list[#list + 1] = { text = text, clause = clause }
    elseif rest[1] then
      for k, variable in ipairs(rest) do rest[k] = unparse(variable) end
      local before = {}
      for k, modifier in ipairs(clause.modifiers or {}) do before[k] = modifier.name end
      list[#list + 1] = { clause = clause, text = ("%s(%s%s)"):format(clause.name,
        before[1] and table.concat(before, ",") .. ":" or "", table.concat(rest, ",")) }
    end
  end
  return list
end

-- Requests of a compute construct for objects that its statements use and no clause and no region names.
local function implicit(self, one, kind)
  local list, word = {}, "copy"
  for _, clause in ipairs(one.node.clauses) do
    if clause.name == "default" then word = clause.word == "present" and "present" or nil end
  end
  for _, name in ipairs(word and one.used or {}) do
    local is_named = false
    for _, clause in ipairs(one.node.clauses) do
      for _, variable in ipairs(clause.vars or {}) do is_named = is_named or root_of(variable) == name end
    end
    for _, region in ipairs(self.regions) do
      is_named = is_named or region.first < one.index and one.index < region.last and region.names[name]
    end
    if not is_named and one.variables[name] then
      list[#list + 1] = { action = word, clause = {}, kind = kind, present_or = true,
        node = { tag = "id", name = name, pos = one.node.pos } }
    end
  end
  return list
end

-- ----------------------------------------------------------------------------------------- output --

-- A line in parts that are not too long. A statement that has several lines already stays as it is.
local function broken(line)
  if #line <= WIDTH or line:find "\n" then return { line } end
  local margin, sentinel = line:match "^(%s*)(!%$acc)"
  local between = sentinel and "!$acc& " or "& "
  local list, rest = {}, line
  while #rest > WIDTH do
    local at
    for i = WIDTH - 10, 40, -1 do
      local c = rest:sub(i, i)
      if c == "," or c == "%" or c == " " then
        at = i
        break
      end
    end
    if not at then deep.cannot "a name that is too long for a line" end
    list[#list + 1] = rest:sub(1, at) .. " &"
    rest = (margin or "") .. "    " .. between .. rest:sub(at + 1)
  end
  list[#list + 1] = rest
  return list
end

local function marker(self, number) return line_markers.linemarker(number, self.path) end

-- Lines that stand for a line of the unit.
local function marked(self, list, number, margin)
  local parts = {}
  for _, line in ipairs(list) do
    parts[#parts + 1] = marker(self, number) .. table.concat(broken(margin .. line), "\n") .. "\n"
  end
  return table.concat(parts)
end

-- Lines first to last become text; last < first: text stands in front of first.
function Unit:edit(first, last, text)
  self.edits[#self.edits + 1] = { first = first, last = last, text = text, number = #self.edits }
end

local function margin_of(self, line) return lines_of(self, line, line):match "^[ \t]*" end

-- Whether clauses besides those of items make a directive.
local function is_needed(name, list)
  for _, one in ipairs(list) do
    local word = one.clause.name
    if one.clause.vars and word ~= "if" and word ~= "async" and word ~= "wait" and word ~= "invoke" then return true end
  end
  return not standalone[name]
end

-- Where a directive's region ends: the first and the last line of the statement or directive.
local function end_lines(self, one)
  if one.shared then deep.cannot(one.shared) end
  local last = self.scan.list[one.finish]
  local from, to = self.view[last.first].line, self.view[last.last].line
  if not from or not to then deep.cannot "a region that ends in a file that is included" end
  return from, to
end

-- Notes what a region names, for the constructs in it.
local function add_region(self, one, list)
  if not one.finish or one.condition and not self.calls then return end
  local named = {}
  for _, request in ipairs(list) do named[root_of(request.node)] = true end
  table.insert(self.regions, { first = one.index, last = one.finish, names = named, one = one })
end

-- Puts lines in place of a directive, and others behind its region, or in place of the directive that ends it.
local function put(self, one, lines, behind, is_data)
  local own = one.own
  local margin = margin_of(self, own.first)
  self:edit(own.first, own.last, marked(self, lines, own.first, margin) .. marker(self, own.last + 1))
  if not one.finish then return end
  local from, to = end_lines(self, one)
  self:edit(is_data and from or to + 1, to, marked(self, behind, to, margin) .. marker(self, to + 1))
end

-- Writes a directive whose items are deep.
local function write(self, one, all, rest)
  local name, items = one.node.name, {}
  for _, item in ipairs(all) do
    if not item.there then items[#items + 1] = item end
  end
  local given = { session = self.session, asks = function(record, component, path)
    return asks(self, one, record, component, path)
  end }
  local clauses, behind = {}, {}
  local lines, condition
  for _, clause in ipairs(rest) do
    local word = clause.clause.name
    if word == "async" or word == "wait" and not is_compute(one.node) or word == "self" and name ~= "update" then
      deep.cannot(("'%s' on a deep copy"):format(word))
    elseif word == "if" then
      condition = clause.text:match "%((.*)%)$"
      given.condition = standalone[name] and condition or "accdeep_if"
      if not standalone[name] then clause.text = "if(accdeep_if)" end
    end
    if word == "finalize" then given.finalize = true end
    if word == "if_present" then given.suffix = " if_present" end
    clauses[#clauses + 1] = clause.text
  end
  -- Data that clauses bring are there before components that may point into them, and go after these.
  local first, is_region = {}, not standalone[name]
  for _, clause in ipairs(is_region and rest or {}) do
    if clause.clause.vars and openacc.moves(clause.clause, "region") then first[#first + 1] = clause.text end
  end
  local present = {} -- in a region: what it names is not mapped otherwise there
  for _, item in ipairs(all) do
    if item.there or not standalone[name] then -- what is not allocated is not present, but no error
      present[#present + 1] = ("%s(%s)"):format(item.there and "present" or item.guards[1] and "no_create" or "present",
        unparse(item.node))
    end
  end
  local directive
  if name == "data" and first[1] then clauses = present else table.move(present, 1, #present, #clauses + 1, clauses) end
  if present[1] or is_needed(name, rest) then directive = ("!$acc %s %s"):format(name, table.concat(clauses, " ")) end
  if name == "enter data" or name == "update" then
    lines = fortran_deep.write(name == "update" and "update" or "enter", items, given)
    if directive then table.insert(lines, 1, directive) end
  elseif name == "exit data" then
    lines = fortran_deep.write("exit", items, given)
    lines[#lines + 1] = directive
  else
    lines = fortran_deep.write("enter", items, given)
    behind = fortran_deep.write("exit", items, given)
    if first[1] then
      if condition then first[#first + 1] = "if(accdeep_if)" end
      table.insert(lines, 1, "!$acc data " .. table.concat(first, " "))
      behind[#behind + 1] = "!$acc end data"
    end
    lines[#lines + 1] = directive
    if condition then -- it has the value from the region's begin
      lines = table.move(lines, 1, #lines, 4, { "block", "  logical :: accdeep_if", "  accdeep_if = " .. condition })
      behind[#behind + 1] = "end block"
    end
  end
  put(self, one, lines, behind)
end

-- Writes a directive as calls of the library.
local function rewrite_as_calls(self, one)
  local session, node = self.session, one.node
  local data = calls.data_of(node)
  for _, clause in ipairs(other_clauses(one, {})) do
    if clause.clause.name == "if" then one.condition = clause.text:match "%((.*)%)$" end
    if clause.clause.name == "self" and node.name ~= "update" then deep.cannot "'self'" end
  end
  if node.name == "host_data" then
    put(self, one, self.calls:host_data(self, one))
    return
  end
  local kind = allowed.kind_of(node.name)
  allowed.check(node)
  allowed.check_forms(node, kind, session.rules)
  local clauses = convenience.lower(session, kind, data.clauses, node.name)
  local list = openacc.requests({ session = session, kind = kind }, clauses)
  add_region(self, one, list)
  if is_compute(node) then
    for _, request in ipairs(implicit(self, one, kind)) do
      clauses[#clauses + 1] = { tag = "clause", name = request.action, pos = node.pos, vars = { request.node } }
    end
  end
  local lines, behind = self.calls:write(self, one, clauses)
  if is_compute(node) then
    local inner, tail, own, pointers = self.calls:kernel(self, one, self.regions)
    table.move(inner, 1, #inner, #lines + 1, lines)
    table.move(behind, 1, #behind, #tail + 1, tail)
    local parts = { "!$acc " .. node.name }
    for _, clause in ipairs(other_clauses(one, {})) do
      if calls.kept[clause.clause.name] then parts[#parts + 1] = clause.text end
    end
    if not node.name:find "^kernels" then parts[#parts + 1] = own end -- which takes no such clause
    lines[#lines + 1], behind = table.concat(parts, " "), tail
    for number = one.own.last + 1, (end_lines(self, one)) do
      local text = lines_of(self, number, number)
      local changed = fortran_calls.inquiries(text, pointers)
      if changed ~= text then self:edit(number, number, changed) end
    end
  end
  put(self, one, lines, behind, kind == "region")
end

-- Writes a directive anew if something in it is deep.
local function rewrite(self, one)
  local session, node = self.session, one.node
  local inner = scope.new(session.now.scope)
  for _, name in ipairs(one.names) do
    if one.attributes[name] then declare(session, inner, name, one.variables[name], one.assumed_size[name]) end
  end
  with(session.now, { scope = inner }, function()
    if self.calls then return rewrite_as_calls(self, one) end
    local kind = allowed.kind_of(node.name)
    local seen = allowed.check(node)
    allowed.check_forms(node, kind, session.rules)
    local clauses = convenience.lower(session, kind, node.clauses, node.name)
    local plan = { session = session, kind = kind, if_present = seen.if_present }
    local list = openacc.requests(plan, clauses)
    if is_compute(node) then
      local more = implicit(self, one, kind)
      table.move(more, 1, #more, #list + 1, list)
    end
    local items, by_node = {}, {}
    for _, request in ipairs(list) do
      local item = item_of(self, one, request)
      if item then
        items[#items + 1], by_node[request.node] = item, true
        local text = unparse(item.node)
        if by_node[text] and kind ~= "update" then deep.cannot(("'%s' has two data clauses"):format(text)) end
        by_node[text], by_node[item.name .. " "] = true, true
      end
    end
    if one.extension and not items[1] then
      deep.cannot(one.extension .. ": no standard directive can express that")
    end
    for _, clause in ipairs(node.clauses) do one.condition = one.condition or clause.name == "if" end
    add_region(self, one, list)
    if not items[1] then return end
    local taken = {}
    for _, clause in ipairs(node.clauses) do -- list items whose request is another one now are items, too
      for _, variable in ipairs(clause.vars or {}) do
        local is_left = false
        for _, request in ipairs(list) do is_left = is_left or request.node == variable end
        local record = one.variables[root_of(variable)]
        taken[variable] = by_node[variable] or not is_left and record and record.record ~= nil
          and by_node[root_of(variable) .. " "] or nil
      end
    end
    write(self, one, items, other_clauses(one, taken))
  end)
end

local function apply(self)
  table.sort(self.edits, function(a, b)
    if a.first ~= b.first then return a.first < b.first end
    if (a.last < a.first) ~= (b.last < b.first) then return a.last < a.first end
    return a.number > b.number -- inner regions end first
  end)
  local parts, at = { marker(self, 1) }, 1
  for _, edit in ipairs(self.edits) do
    local start = self.starts[edit.first] or #self.text + 1
    parts[#parts + 1] = self.text:sub(at, start - 1)
    if start > #self.text and #self.text > 0 and self.text:sub(-1) ~= "\n" then parts[#parts + 1] = "\n" end
    parts[#parts + 1] = edit.text
    at = math.max(at, self.starts[math.max(edit.last, edit.first - 1) + 1] or #self.text + 1)
  end
  parts[#parts + 1] = self.text:sub(at)
  return table.concat(parts)
end

-- Routines of the compiler's runtime, and directives in files that are included, know nothing of data that calls move.
local function check_statements(self)
  for _, statement in ipairs(self.scan.list) do
    local is_ours = statement.directive or fortran_calls.directive_for(statement.text)
    local text = is_ours and "" or statement.text
    if text:find "^call%s+acc_async_wait" or text:find "^call%s+acc_wait" then -- all is done
      local first, last = lines_alone(self, statement)
      self:edit(first, last, ("\n"):rep(last - first + 1))
      text = ""
    end
    for name in text:gmatch "%f[%w_]acc_[%w_]+" do
      if calls.routine(name) ~= nil then refuse(self, statement, calls.UNKNOWN:format(name), "use a directive") end
    end
    local name = text:find "^include%f[^%w_]" and lines_of(self, self.view[statement.first].line,
      self.view[statement.last].line):match "[\"'](.-)[\"']"
    local file = name and compiler.included(self, name)
    for word in (file or ""):lower():gmatch "!%$acc%s*([%a_]+)" do
      if directives.concerns(word, true) then
        refuse(self, statement, "a directive in a file that is included", "write it in the unit")
      end
    end
  end
end

local function lowered(self)
  local view, said = compiler.view(self, self.text)
  if not view then return nil, said end
  self.view, self.is_expanded = view, self.path:find "%.F" ~= nil
  local lines = {}
  for i, one in ipairs(view) do lines[i] = one.text end
  self.scan = source.scan(lines)
  local is_extended = read_directives(self)
  if not (is_extended or self.calls and self.directives[1]) then return self.text end
  local list, has_own = planned(self), false
  for _, one in ipairs(self.directives) do has_own = has_own or not one.path end
  if not has_own then return self.text end
  if self.calls then check_statements(self) end
  said = read_types(self, list)
  if said then return nil, said end
  self.session.language = designators.unread(self.session.language, self.calls and function(node)
    return self.calls:value(node)
  end)
  describe(self)
  for _, one in ipairs(list) do self:within(one, rewrite, self, one) end
  for _, one in ipairs(self.directives) do
    if one.own and descriptions[one.node.name] then
      self:edit(one.own.first, one.own.last, ("\n"):rep(one.own.last - one.own.first + 1))
    end
  end
  local text = apply(self)
  said = compiler.refuses_lowered(self, text)
  if said then
    error(diagnostic.new { code = "unsupported", rule = "HOUSE-lower",
      message = ("%s: the compiler refuses what its directives become\n%s"):format(self.path, said) }, 0)
  end
  return text
end

-- Whether a text in fixed form may have a directive of TR-14-1.
local function may_be_extended(text)
  for line in text:lower():gmatch "[^\n]+" do
    local directive = line:match "^[c*!]%$acc(.*)$"
    if directive and (directive:find "^%s*shape" or directive:find "^%s*policy" or directive:find "[<@{]") then
      return true
    end
  end
  return false
end

-- The text of a unit with standard directives, or nil and what the compiler said of the unit; third: {exported: shapes
-- and policies in its modules, by their names}. given: as of lower.unit. Raises errors of directives.
function fortran_unit.lower(opened, given)
  if given.path:find "%.[fF]$" or given.path:find "%.[fF][oO][rR]$" then
    if not may_be_extended(given.text) then return given.text end
    error(diagnostic.new { code = "unsupported", message = given.path .. ": directives of TR-14-1 in fixed form",
      rule = "HOUSE-lower", help = "write the unit in free form" }, 0)
  end
  local folder = shell.folder()
  files.make_folder(folder .. "/modules")
  local self = setmetatable({ session = opened, text = given.text, path = given.path, command = given.command,
    given = given.options, folder = folder, modules = given.modules or folder .. "/modules",
    starts = location.line_starts(given.text), edits = {}, regions = {}, inquiries = {}, exported = {} }, Unit)
  self.calls = given.to == "accdeep" and fortran_calls.new(opened) or nil
  local results = table.pack(pcall(lowered, self))
  shell.remove(folder)
  if not results[1] then error(results[2], 0) end
  return results[2], results[3], { exported = self.exported }
end

return fortran_unit
