-- fortran_openmp.lua - translates the standard OpenACC directives of a Fortran unit to OpenMP, for `--to openmp`.
--
-- fortran_unit.lua calls fortran_openmp.read when the unit is scanned, and `write` when deep directives are planned.
-- Their fields `lines` and `following` then have OpenACC directives and calls of procedures, and `main` the directive
-- itself. openmp_translation.lua writes the directives; this file finds the scalars that threads need copies of.
-- Positions are indices of statements in the scan. Compilers map objects that a kernel uses as they are, without the
-- targets of their components: data that are present are found.

local deep_directive = require "accdeep.tools.emit.deep_directive"
local fortran_edits = require "accdeep.tools.lower.fortran_edits"
local fortran_free_form = require "accdeep.syntax.fortran_free_form"
local fortran_functions = require "accdeep.tools.emit.fortran_functions"
local fortran_source = require "accdeep.tools.lower.fortran_source"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_translation = require "accdeep.tools.lower.openmp_translation"
local root_of = require "accdeep.tools.lower.fortran_designators".root_of
local unit_directives = require "accdeep.tools.lower.unit_directives"
local unparse_fortran = require "accdeep.syntax.unparse_fortran"

local fortran_openmp = {}

local cannot = deep_directive.cannot

local Translation = setmetatable({}, { __index = openmp_translation.Translation })
Translation.__index = Translation

Translation.language = { loop = "do", device_address = "has_device_addr", no = ".not.", both = " .and. ",
  never = ".false." }

-- Parses the directives of a unit that fortran_unit.lua has not read, because they move no data. Returns the
-- Translation of all directives, and of calls of routines that count as such. Raises for directives of included files.
function fortran_openmp.read(unit)
  local by_index, self = {}, setmetatable({ unit = unit, list = {} }, Translation)
  for _, construct in ipairs(unit.directives) do
    if construct.index then by_index[construct.index] = construct end
  end
  for index, statement in ipairs(unit.scan.list) do
    local word = statement.directive and statement.directive:match "^[%a_]*"
    local is_routine = not word and by_index[index] ~= nil
    if is_routine or word and word ~= "end" and not unit_directives.descriptions[word] then
      local construct = by_index[index] or unit:directive_of(statement, index)
      if not construct.own then
        unit:with_location(construct, cannot, "a directive in a file that is included", "write it in the unit")
      end
      construct.node = construct.node or unit:with_location(construct, unit.session.language.parse, unit.session,
        "directive", construct.text)
      construct.token, construct.after = index, index + 1
      self.list[#self.list + 1] = construct
    end
  end
  return self
end

-- ------------------------------------------------------------------------------------- expressions --

-- Returns the list items of a clause as a list of texts. Precondition: the clause has list items.
function Translation.list_items(_, _, clause)
  local parts = {}
  for i, variable in ipairs(clause.vars) do parts[i] = unparse_fortran(variable) end
  return parts
end

-- Returns the text of an expression of a clause: that of the unit for conditions.
function Translation.expression(_, directive, clause, node)
  if clause.name ~= "if" and clause.name ~= "self" then return unparse_fortran(node) end
  return fortran_free_form.directive(directive.text):match("^%a+%s*(%b())", clause.pos):sub(2, -2)
end

-- Returns the text in the parentheses of the clause `name` of a directive.
function Translation.argument(_, directive, name)
  return fortran_free_form.directive(directive.text):match("%f[%w_]" .. name .. "%s*(%b())"):sub(2, -2)
end

-- Returns true if the variable `name` of a directive is an object whose components have targets, or polymorphic.
local function has_targets(directive, name)
  local variable = (directive.variables or {})[name]
  return variable and (variable.polymorphic or variable.record and fortran_functions.has_targets(variable.record))
end

-- Returns false for an object whose components have targets: compilers refuse it in a map clause, but kernels find it
-- if it is present. Raises {cannot = reason} if it may not be present.
function Translation.is_mappable(_, directive, clause, item)
  if not has_targets(directive, root_of(item)) then return true end
  if clause.name ~= "present" then
    cannot(("'%s' of '%s', which is polymorphic"):format(clause.name, unparse_fortran(item)),
      "pass it to a procedure whose argument has its type")
  end
  return false
end

-- Returns true if a variable of a directive is a scalar that a target region gets by value.
function Translation.is_by_value(_, directive, name)
  local own, variable = (directive.attributes or {})[name], (directive.variables or {})[name]
  return own and not own.array and not own.allocated and not own.associated and not own.constant
    and not (variable and (variable.record or variable.polymorphic or variable.rank > 0))
end

-- ----------------------------------------------------------------------------------------- scalars --

-- Returns an iterator (i, name, role) over the scalars that statements of a construct may assign; `role`: see
-- fortran_source.assigned. Variables that a block in the construct declares are left out.
local function assigned_scalars(self, construct)
  local list, declared, at = {}, {}, 0
  for i = construct.after, construct.last do
    local statement = self.unit.scan.list[i]
    local before = not statement.directive and self.unit.scan.list[i - 1].directive
    local names = not statement.directive and statement.text:match "::(.*)$"
    for name in (names or ""):gmatch "%a[%w_]*" do declared[name] = true end
    if not statement.directive and not (before and before:find "^atomic") then
      fortran_source.assigned(statement.text, function(name, role)
        if not declared[name] and self:is_by_value(construct, name) then
          list[#list + 1] = { i, name, role }
        end
      end)
    end
  end
  return function()
    at = at + 1
    if list[at] then return table.unpack(list[at]) end
  end
end

-- Returns how often the statement i has the name of a variable.
local function count_names(self, i, name)
  local count, statement = 0, self.unit.scan.list[i]
  if statement.directive then return 0 end
  fortran_source.names(statement.text, function(other)
    if other == name then count = count + 1 end
  end)
  return count
end

-- Returns the clause that gives each thread of `owner` its own copy of a scalar. `firstprivate` is always right;
-- `private`: a statement that is executed before all others with this name assigns it.
local function clause_for(self, owner, name)
  local depth, first_depth = 0, nil
  for i = owner.after, owner.last do
    local text = self.unit.scan.list[i].text
    local opens, closes, divides = fortran_source.nesting(text)
    if closes or divides then depth = depth - 1 end
    if first_depth and depth < first_depth then first_depth = math.huge end
    local count = count_names(self, i, name)
    if count > 0 and not first_depth then
      local is_assigned
      fortran_source.assigned(text, function(_, role) is_assigned = role == "assigned" end)
      if not is_assigned or count > 1 then return "firstprivate" end
      first_depth = depth
    elseif count > 0 and first_depth == math.huge then
      return "firstprivate"
    end
    if opens or divides then depth = depth + 1 end
  end
  return "private"
end

-- Returns true if the statement i begins one of the loops that a divided loop joins: the loop itself, or one that
-- `collapse` names.
local function is_own_loop(self, owner, i)
  if not owner.words and openacc_directives.directive(owner.node.name).association ~= "loop" then return false end
  local count = 1
  for _, clause in ipairs(owner.node.clauses) do
    if clause.name == "collapse" then count = tonumber(self:argument(owner, "collapse"):match "%d+%s*$") or 1 end
  end
  return i >= owner.after and i < owner.after + count
end

-- Sets `private` of the divided loops in the compute construct `construct`, and of itself if `is_divided`. These are
-- scalars that their statements assign and no clause names, and variables of the loops inside. Raises {cannot = reason}
-- if such a scalar is used after its loop, where OpenMP would give another value.
function Translation:find_private(construct, is_divided)
  local owners, own_loops = {}, {}
  for i, name, role in assigned_scalars(self, construct) do
    if role == "loop" and is_own_loop(self, self:innermost(construct, i), i) then own_loops[name] = true end
  end
  for i, name, role in assigned_scalars(self, construct) do
    local owner = self:innermost(construct, i)
    local is_shared = owner == construct and not is_divided
    local is_own = own_loops[name] and (role ~= "loop" or is_own_loop(self, owner, i))
    if not is_shared and not is_own and not self:is_named(owner, name) then
      self:make_private(owner, name, role == "loop" and "private" or clause_for(self, owner, name))
      if (role == "assigned" or role == "if") and owner ~= construct then owners[#owners + 1] = { owner, name } end
    end
  end
  for _, entry in ipairs(owners) do
    local owner, name = entry[1], entry[2]
    for i = owner.last + 1, construct.last do
      local other = self:innermost(construct, i)
      local is_private = other.private and other.private[name] or self:is_named(other, name)
      if not is_private and count_names(self, i, name) > 0 then
        cannot(("several threads write '%s', which is used after their loop"):format(name),
          "use another variable there, or a reduction")
      end
    end
  end
end

-- Returns the scalars that the statements of a construct may assign, and that no clause names, except for reductions: a
-- list of {name, is_reduced}.
function Translation:written_scalars(construct)
  local list, of_loops = {}, {}
  for _, name, role in assigned_scalars(self, construct) do of_loops[name] = of_loops[name] or role == "loop" end
  for i, name in assigned_scalars(self, construct) do
    local owner = self:innermost(construct, i)
    local sharing = owner.private and owner.private[name] and "private"
      or self:sharing_of(self:loop_around(construct, i), name)
    if not of_loops[name] and (not sharing or sharing == "reduction") then
      list[#list + 1] = { name = name, is_reduced = sharing == "reduction" }
    end
  end
  return list
end

-- Returns the set of the names in the statements `first` to `last`.
function Translation:used_names(first, last)
  local used = {}
  for i = first, last do
    local statement = self.unit.scan.list[i]
    if not statement.directive then
      fortran_source.names(statement.text, function(name) used[name] = true end)
    end
  end
  return used
end

-- Returns true if a construct uses a name outside of its loop `inner`.
function Translation:is_used_outside(construct, inner, name)
  for i = construct.after, construct.last do
    if (i < inner.after or i > inner.last) and count_names(self, i, name) > 0 then return true end
  end
  return false
end

-- -------------------------------------------------------------------------------------- directives --

-- Functions for directives that Fortran needs its own form of (openmp_translation.lua).
local writers = {}
Translation.writers = writers

-- Returns a declare target directive for each clause. Raises {cannot = reason} in a procedure.
function writers.declare(self, directive)
  local depth = 0
  for i = 1, directive.token do
    local text = self.unit.scan.list[i].text
    if fortran_source.procedure_begun(text) then depth = depth + 1 end
    if fortran_source.ends_procedure(text) then depth = depth - 1 end
  end
  if depth > 0 then cannot("'declare' in a procedure", "write data or enter data") end
  return openmp_translation.declare(self, directive)
end

-- Returns declare target, for the procedure around the directive or for the one that it names.
function writers.routine(_, directive)
  return { "declare target" .. (fortran_free_form.directive(directive.text):match "routine%s*(%b())" or "") }
end

-- Returns target data, in which the variables of use_device have their device addresses.
function writers.host_data(self, directive)
  local parts = {}
  for _, clause in ipairs(directive.node.clauses) do
    if clause.vars then
      parts[#parts + 1] = ("use_device_addr(%s)"):format(table.concat(self:list_items(directive, clause), ", "))
    elseif clause.name == "if" then
      parts[#parts + 1] = ("if(target data: %s)"):format(self:expression(directive, clause, clause.e))
    end
  end
  directive.opened = "target data"
  return { "target data " .. table.concat(parts, " ") }
end

-- Raises {cannot = reason} if the region of a compute construct uses the object of a `select type` around it: compilers
-- pass its host address to the kernel.
local function check_selected(self, construct)
  local open, list = {}, self.unit.scan.list
  for i = 1, construct.token do
    local selector = list[i].text:match "^select%s*type%s*(%b())"
    if selector or list[i].text:find "^select%s*case" then
      open[#open + 1] = (selector or ""):match "^%(%s*(%a[%w_]*)%s*=>"
        or (selector or ""):match "^%(%s*(%a[%w_]*)%s*%)$" or ""
    elseif list[i].text:find "^end%s*select" then
      open[#open] = nil
    end
  end
  local used = self:used_names(construct.after, construct.last)
  for _, name in ipairs(open) do
    if used[name] then
      cannot(("'%s' of 'select type' in a kernel"):format(name), "pass it to a procedure whose argument has its type")
    end
  end
end

-- Returns the arrays of assumed size that a compute construct uses and no map clause can name, as text; nil: there are
-- none.
local function assumed_sizes(construct)
  local list = {}
  for _, name in ipairs(construct.names or {}) do
    if construct.assumed_size[name] and has_targets(construct, name) then list[#list + 1] = name end
  end
  return list[1] and table.concat(list, ", ")
end

-- Returns the position of the last statement of a directive's region; nil if it has none. Sets `finish` and `ends` of
-- the directive (fortran_unit.lua).
local function find_last(self, directive)
  local unit = self.unit
  if not directive.finish then
    directive.finish, directive.ends, directive.shared = unit:end_of(directive)
  end
  return directive.finish
end

-- Sets `finish` and `ends` of an atomic directive that has an end directive.
local function find_end_of_atomic(self, directive)
  for i = directive.after, math.min(directive.after + 3, #self.unit.scan.list) do
    local text = self.unit.scan.list[i].directive
    if text and text:find "^end%s*atomic" then
      directive.finish, directive.ends = i, true
      return
    elseif text then
      return
    end
  end
end

-- A statement that precedes a block construct in a region: compilers take a region that begins with a block to end with
-- it.
local NO_BLOCK = "continue"

-- Returns the lines of a deep directive (a list of texts, of which some are OpenACC directives) with directives of
-- OpenMP. `own`: those that the directive `main` of this list becomes.
local function translate_lines(self, directive, lines, own)
  local list = {}
  for _, line in ipairs(lines) do
    local word = line:match "^!%$acc%s+(.*)$"
    if not word then
      list[#list + 1] = line
    elseif line == directive.main then
      table.move(own, 1, #own, #list + 1, list)
    elseif word:find "^end data" then
      list[#list + 1] = directive.has_outer_data and "!$omp end target data" or nil
    else
      local outer = setmetatable({ text = line, node = self.unit.session.language.parse(self.unit.session, "directive",
        line) }, { __index = directive })
      local written = self:translate(outer)
      directive.has_outer_data = written[1] ~= nil
      for _, text in ipairs(written) do list[#list + 1] = "!$omp " .. text end
      list[#list + 1] = NO_BLOCK
    end
  end
  return list
end

-- Returns the lines of a compute construct with device addresses, and those that end its region. The target construct
-- is no combined one, because gfortran 12 drops the clause has_device_addr there. `arrays`: variables whose addresses a
-- region around it looks up, or nil.
local function with_addresses(construct, arrays)
  local outer, inner, condition = { "!$omp target" }, { construct.opened:match "^target (.*)$" }, ""
  local words = inner[1]
  for _, clause in ipairs(construct.clauses) do
    local is_outer = not words or clause:find "^map" or clause:find "^if" or clause:find "^has_device_addr"
    table.insert(is_outer and outer or inner, clause)
    if clause:find "^if" then condition = clause:gsub("^if%(target:", " if(target data:") end
  end
  local lines, closing = {}, { "!$omp end target" }
  if arrays then
    outer[#outer + 1] = ("has_device_addr(%s)"):format(arrays)
    lines[1] = ("!$omp target data use_device_addr(%s)%s"):format(arrays, condition)
    closing[2] = "!$omp end target data"
  end
  lines[#lines + 1] = table.concat(outer, " ")
  if words then lines[#lines + 1] = "!$omp " .. table.concat(inner, " ") end
  if words and not words:find " do$" then table.insert(closing, 1, "!$omp end " .. words) end
  return lines, closing
end

-- Returns the lines of OpenMP that replace a directive, and those that end its region.
local function directive_lines(self, directive)
  local own, closing = {}, {}
  for i, text in ipairs(directive.is_removed and {} or self:translate(directive)) do own[i] = "!$omp " .. text end
  local opened, has_addresses, arrays = directive.opened, false, nil
  local is_loop = openacc_directives.directive(directive.node.name).association == "loop"
  if opened and directive.finish and not (is_loop and opened:find " do$") then closing[1] = "!$omp end " .. opened end
  if unit_directives.is_compute(directive.node) then
    check_selected(self, directive)
    for _, clause in ipairs(directive.clauses) do
      has_addresses = has_addresses or clause:find "^has_device_addr" ~= nil
    end
    arrays = assumed_sizes(directive)
  end
  if has_addresses or arrays then own, closing = with_addresses(directive, arrays) end
  local first = self.unit.scan.list[directive.after]
  if opened and first and first.text == "block" then own[#own + 1] = NO_BLOCK end
  return own, closing
end

-- Writes the edits of one directive, and of the end of its region.
local function write(self, directive)
  local lines, following = directive_lines(self, directive)
  if directive.lines then
    lines = translate_lines(self, directive, directive.lines, lines)
    local rest = translate_lines(self, directive, directive.following, {})
    table.move(rest, 1, #rest, #following + 1, following)
  end
  local has_end = directive.finish and (directive.ends or following[1])
  fortran_edits.replace(self.unit, has_end and directive or setmetatable({ finish = false }, { __index = directive }),
    lines, following, directive.ends)
end

-- Writes edits that replace all directives of the unit. Raises errors of directives, at their places.
function Translation:write()
  local unit = self.unit
  for _, directive in ipairs(self.list) do
    if directive.main then -- rewritten, with other clauses
      directive.text = directive.main
      directive.node = unit:with_location(directive, unit.session.language.parse, unit.session, "directive",
        directive.main)
    elseif directive.lines then
      directive.is_removed = true
    end
    local name = directive.node.name
    if name == "atomic" then find_end_of_atomic(self, directive)
    elseif name == "host_data" then unit:with_location(directive, find_last, self, directive) end
  end
  self:nest(function(directive) return unit:with_location(directive, find_last, self, directive) end)
  for _, directive in ipairs(self.list) do unit:with_location(directive, write, self, directive) end
end

return fortran_openmp
