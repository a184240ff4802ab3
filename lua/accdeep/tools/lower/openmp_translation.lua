-- openmp_translation.lua - translates standard OpenACC directives to OpenMP: clauses, constructs, and how loops are
-- divided. c_openmp.lua and fortran_openmp.lua find the directives of a unit and write the result.
--
-- A loop of a parallel construct is divided among teams and threads according to its clauses. A loop of a kernels
-- construct without `independent` runs in one thread. Hints are dropped: numbers of workers, vector lengths, tiles,
-- cache. Work of queues is done at once. Constructs that OpenMP cannot express are refused with the reason.
--
-- A Translation has `list`, the unit's directives in order. Fields of a directive:
--   node, text       its AST, and its text without the sentinel.
--   token, after, last   the positions of the directive, of what follows it, and of the end of its statement or region:
--                    numbers of tokens in C, of statements in Fortran. `last`: nil if nothing belongs to it.
--   compute          the compute construct that encloses the directive or is the directive, or nil.
--   enclosing_loop   the innermost loop around a loop, or nil.
--   words            OpenMP words that divide a loop, such as "distribute"; nil: one thread executes it.
--   private          variables that its threads must have of their own: list of {name, clause}, and set of the names.
--   opened           OpenMP words of a result that has a region, such as "target data"; nil if there is none.
--   clauses          the clauses of OpenMP of a compute construct, as a list of texts.
--
-- The language of the unit gives a Translation these fields and methods:
--   language                      {loop, device_address, no, both, never}: words and formats.
--   list_items(directive, clause)   the list items of a clause, as a list of texts.
--   expression(directive, clause, node)   the text of an expression of a clause.
--   argument(directive, name)     the text in the parentheses of a clause that the grammar does not parse.
--   is_mappable(directive, clause, item)   false if compilers refuse the list item in a map clause.
--   is_by_value(directive, name)  true if a target region gets a copy of the variable unless it is mapped.
--   find_private(construct)       sets `private` of the construct and its divided loops.
--   written_scalars(construct)    scalars that the statements of a construct assign, and that no clause names, except
--                                 for reductions: a list of {name, is_reduced}.
--   used_names(first, last)       set of the names in a range of positions.
--   is_used_outside(construct, inner, name)   true if the construct uses a name outside of its loop `inner`.
--   writers                       functions for further directives, as `writers` below.

local deep_directive = require "accdeep.tools.emit.deep_directive"
local unit_directives = require "accdeep.tools.lower.unit_directives"
local openacc_directives = require "accdeep.definitions.openacc_directives"

local openmp_translation = {}

local cannot = deep_directive.cannot

local Translation = {}
openmp_translation.Translation = Translation

-- ---------------------------------------------------------------------------------------- clauses --

-- Map types of OpenMP by data clause: `map_types` for constructs and their regions, `enter_types` and `exit_types` for
-- `enter data` and `exit data`.
local map_types = { copy = "tofrom", copyin = "to", copyout = "from", create = "alloc", present = "alloc" }
local enter_types = { copyin = "to", create = "alloc" }
local exit_types = { copyout = "from", delete = "release" }

-- Canonical name of a clause by its name in the text: `copy` for `pcopy` and for `copy`.
local own_names = {}
for _, entry in ipairs(openacc_directives.clauses) do
  for _, list in ipairs { entry[1], entry.present_or or "" } do
    for name in list:gmatch "%S+" do own_names[name] = entry[1]:match "%S+" end
  end
end
-- Returns the canonical name of a clause: `copy` for `pcopy`.
local function name_of(clause) return own_names[clause.name] or clause.name end

-- Returns the name of the variable of a list item.
local function root_of(variable)
  while variable.base or variable.tag == "unary" do variable = variable.base or variable.e end
  return variable.name
end

-- Returns the list items of a clause as text, separated by commas. Precondition: the clause has list items.
local function list_of(self, directive, clause) return table.concat(self:list_items(directive, clause), ", ") end

-- Returns true if a directive has a clause with one of the canonical names `...`.
local function has(node, ...)
  for _, clause in ipairs(node.clauses) do
    for _, name in ipairs { ... } do
      if name_of(clause) == name then return true end
    end
  end
  return false
end

-- Advice by clause that OpenMP lacks, or that this translation does not support; a directive with one of them is
-- refused.
local of_device, of_pointer = "leave it out: OpenMP's runtime chooses the device",
  "map the object first, and then the data that the pointer points to: this attaches the pointer"
local refused = { device_type = of_device, device_num = of_device, attach = of_pointer,
  detach = "leave it out: data that are unmapped keep the host's pointer", default_async = "leave it out: there are no "
  .. "queues", no_create = "leave it out: a kernel finds data that are present" }

-- Raises {cannot = reason} if a directive has a clause of `refused` or a clause with a modifier, or is `data` with
-- deviceptr.
local function check(node)
  for _, clause in ipairs(node.clauses) do
    if refused[name_of(clause)] or name_of(clause) == "deviceptr" and node.name == "data" then
      cannot(("OpenMP has no clause like '%s' of '%s'"):format(clause.name, node.name), refused[name_of(clause)])
    end
    local modifier = (clause.modifiers or {})[1]
    if modifier then cannot(("the modifier '%s' of '%s'"):format(modifier.name, clause.name)) end
  end
end

-- Returns an if clause, as text, for the condition of `clause`. `prefix`: what precedes the condition, or "".
local function if_clause(self, directive, clause, prefix)
  return ("if(%s%s)"):format(prefix, self:expression(directive, clause, clause.e))
end

-- Returns a list of clauses as text: map clauses for the data clauses of a directive, and the if clause. `types`: a
-- table from data clause to map type; clauses that it lacks are dropped, except that deviceptr becomes a clause for
-- device addresses if `types` is map_types. `condition`: prefix in the if clause, such as "target data: "; nil: no if
-- clause.
local function data_clauses(self, directive, types, condition)
  local parts = {}
  for _, clause in ipairs(directive.node.clauses) do
    local name = name_of(clause)
    if types[name] then
      local items = {}
      for i, text in ipairs(self:list_items(directive, clause)) do
        if self:is_mappable(directive, clause, clause.vars[i]) then items[#items + 1] = text end
      end
      if items[1] then parts[#parts + 1] = ("map(%s: %s)"):format(types[name], table.concat(items, ", ")) end
    elseif name == "deviceptr" and types == map_types then
      parts[#parts + 1] = ("%s(%s)"):format(self.language.device_address, list_of(self, directive, clause))
    elseif name == "if" and condition then
      parts[#parts + 1] = if_clause(self, directive, clause, condition)
    end
  end
  return parts
end

-- ------------------------------------------------------------------------------------- constructs --

-- Returns the OpenMP words that divide the loop of `construct` among teams and threads; nil if one thread executes the
-- loop. That is so for loops with `seq`, of `serial`, and of `kernels` without `independent`, and inside a loop that is
-- divided among threads already. Precondition: the field `words` (result of this function) of the enclosing loops is
-- set.
local function division_clauses(self, construct)
  local node, compute, enclosing_loop = construct.node, construct.compute, construct.enclosing_loop
  if has(node, "seq") or not compute then return nil end
  local parallel_loop = "parallel " .. self.language.loop
  local threads, teams = has(node, "worker", "vector"), has(node, "gang")
  local construct_name = openacc_directives.directive(compute.node.name).construct
  if construct_name == "kernels" then
    return has(node, "independent") and not (enclosing_loop and enclosing_loop.words) and parallel_loop or nil
  elseif construct_name == "serial" then
    return nil
  end
  -- Enclosing loops without `words` are executed by one thread: take the innermost divided loop around this one.
  while enclosing_loop and not enclosing_loop.words do
    enclosing_loop = enclosing_loop.enclosing_loop
  end
  if enclosing_loop then return enclosing_loop.words == "distribute" and (threads or not teams) and parallel_loop
    or nil end
  -- Set below if a loop directly inside this one has worker or vector: that loop is then divided among threads.
  local is_divided = false
  for _, inner in ipairs(self.list) do
    local is_loop = inner.node.name == "loop" and inner.enclosing_loop == construct
    is_divided = is_divided or is_loop and has(inner.node, "worker", "vector")
  end
  if threads and not teams and construct ~= compute then return parallel_loop end
  return is_divided and not threads and "distribute" or teams and not threads and is_divided and "distribute"
    or "distribute " .. parallel_loop
end

-- Appends the reduction clauses of a directive to the list `parts` of texts.
local function add_reductions(self, directive, parts)
  for _, clause in ipairs(directive.node.clauses) do
    if name_of(clause) == "reduction" then
      parts[#parts + 1] = ("reduction(%s: %s)"):format(clause.op, list_of(self, directive, clause))
    end
  end
end

-- OpenACC clauses that decide how the threads of a construct see a variable: as private copies, as a reduction, or
-- (data clauses) as shared data.
local sharing = { private = true, firstprivate = true, reduction = true, copy = true, copyin = true, copyout = true,
  create = true, present = true, deviceptr = true }

-- Returns the name of a clause of the table `sharing` (private, reduction or data clause) that names the variable
-- `name`. The result is nil if there is none, and "reduction" if there are no others. The clause may be one of
-- `construct`, or of a construct that encloses `construct`.
function Translation:sharing_of(construct, name)
  local found
  for _, other in ipairs(self.list) do
    local covers = other == construct or other.last and other.token < construct.token and construct.token <= other.last
    for _, clause in ipairs(covers and other.node.clauses or {}) do
      for _, text in ipairs(sharing[name_of(clause)] and self:list_items(other, clause) or {}) do
        if text == name and (not found or found == "reduction") then found = name_of(clause) end
      end
    end
  end
  return found
end

-- Returns true if a clause decides how the threads of a construct see a variable (Translation:sharing_of).
function Translation:is_named(construct, name) return self:sharing_of(construct, name) ~= nil end

-- Returns the construct whose threads execute the position i: the innermost divided loop in the compute construct
-- `construct`, or `construct` itself.
function Translation:innermost(construct, i)
  local executor = construct
  for _, inner in ipairs(self.list) do
    if inner.words and inner.compute == construct and inner.after <= i and i <= inner.last then executor = inner end
  end
  return executor
end

-- Returns the innermost loop with a directive around the position i in the compute construct `construct`, or
-- `construct` itself.
function Translation:loop_around(construct, i)
  local found = construct
  for _, inner in ipairs(self.list) do
    if inner.node.name == "loop" and inner.compute == construct and inner.after <= i and i <= inner.last then
      found = inner
    end
  end
  return found
end

-- Adds a variable to the field `private` of a directive, unless it is there. `clause`: "private" or "firstprivate".
function Translation.make_private(_, directive, name, clause)
  directive.private = directive.private or {}
  if not directive.private[name] then table.insert(directive.private, { name, clause }) end
  directive.private[name] = true
end

-- Appends clauses for directive.private to `parts`; nothing if the list is empty.
local function add_private(directive, parts)
  for _, word in ipairs { "private", "firstprivate" } do
    local names = {}
    for _, entry in ipairs(directive.private or {}) do
      if entry[2] == word then names[#names + 1] = entry[1] end
    end
    if names[1] then parts[#parts + 1] = ("%s(%s)"):format(word, table.concat(names, ", ")) end
  end
end

-- Appends the clauses of a divided loop to `parts`: private, collapse and reduction.
local function loop_clauses(self, directive, parts)
  add_private(directive, parts)
  for _, clause in ipairs(directive.node.clauses) do
    local name = name_of(clause)
    if name == "private" then parts[#parts + 1] = ("private(%s)"):format(list_of(self, directive, clause))
    elseif name == "collapse" then parts[#parts + 1] = ("collapse(%s)"):format(self:argument(directive, "collapse"))
    end
  end
  add_reductions(self, directive, parts)
end

-- Appends the reductions of loops that are divided among teams to `parts`, the list of clauses of the compute construct
-- `construct`. Raises {cannot = reason} if a reduction variable is used outside of its loop, where OpenMP would give
-- another value.
local function gang_reductions(self, construct, parts)
  for _, inner in ipairs(self.list) do
    if inner.compute == construct and inner.words and inner.words:find "distribute" and not inner.enclosing_loop then
      for _, clause in ipairs(inner.node.clauses) do
        for _, text in ipairs(name_of(clause) == "reduction" and self:list_items(inner, clause) or {}) do
          if self:is_used_outside(construct, inner, text) then
            cannot(("the reduction variable '%s' is used outside of its loop"):format(text))
          end
        end
      end
      add_reductions(self, inner, parts)
    end
  end
end

-- Appends map clauses to `parts` for variables that OpenMP would pass by value, and that no clause of the compute
-- construct `construct` names. An enclosing data construct maps them, or statements of a construct that one thread
-- executes assign them: OpenACC copies the scalars of a kernels construct, and the results of reductions.
local function add_mapped_scalars(self, construct, parts)
  local own, used = {}, self:used_names(construct.after, construct.last)
  for _, clause in ipairs(construct.node.clauses) do
    for _, variable in ipairs(sharing[name_of(clause)] and clause.vars or {}) do own[root_of(variable) or ""] = true end
  end
  local function add(name)
    if not own[name] then parts[#parts + 1] = ("map(tofrom: %s)"):format(name) end
    own[name] = true
  end
  for _, other in ipairs(self.list) do
    local is_around = other.node.name == "data" and other.last and other.token < construct.token
      and construct.token <= other.last
    for _, clause in ipairs(is_around and other.node.clauses or {}) do
      for _, variable in ipairs(map_types[name_of(clause)] and clause.vars or {}) do
        local name = variable.tag == "id" and variable.name
        if name and used[name] and self:is_by_value(other, name) then add(name) end
      end
    end
  end
  local construct_name = openacc_directives.directive(construct.node.name).construct
  if construct_name == "parallel" then return end
  for _, entry in ipairs(self:written_scalars(construct)) do
    if construct_name == "kernels" or entry.is_reduced then add(entry.name) end
  end
end

-- Returns the OpenMP if clause of a compute construct, as text, for the construct's clauses `if` and `self`; nil if it
-- has neither. With `self` without a condition the construct runs on the host.
local function condition(self, construct)
  local parts, language = {}, self.language
  for _, clause in ipairs(construct.node.clauses) do
    local name = name_of(clause)
    local e = clause.e or clause.vars and clause.vars[1]
    local text = e and (name == "if" or name == "self") and ("(%s)"):format(self:expression(construct, clause, e))
    if name == "if" then parts[#parts + 1] = text
    elseif name == "self" then parts[#parts + 1] = text and language.no .. text or language.never end
  end
  return parts[1] and ("if(target: %s)"):format(table.concat(parts, language.both))
end

-- Returns the OpenMP words of a compute construct, such as "target teams". Sets `clauses` of the construct, and `words`
-- of the construct and its loops. Raises {cannot = reason} if OpenMP cannot express the
-- construct.
local function compute(self, construct)
  local node = construct.node
  local definition, parts = openacc_directives.directive(node.name), {}
  local construct_name, is_loop = definition.construct, definition.association == "loop"
  local is_teams = construct_name == "parallel" and not (is_loop and has(node, "seq"))
  construct.words = is_loop and division_clauses(self, construct) or nil
  local is_inside_divided = false
  for _, inner in ipairs(self.list) do
    if inner.compute == construct and inner ~= construct and inner.node.name == "loop" then
      inner.words = division_clauses(self, inner)
      is_inside_divided = is_inside_divided or inner.words ~= nil
    end
  end
  local words = is_teams and (is_loop and "target teams " .. construct.words or "target teams")
    or construct.words and "target " .. construct.words or "target"
  local is_divided = words ~= "target"
  if is_divided or is_inside_divided then self:find_private(construct, is_divided) end
  table.move(data_clauses(self, construct, map_types), 1, 100, 1, parts)
  add_mapped_scalars(self, construct, parts)
  parts[#parts + 1] = condition(self, construct)
  for _, clause in ipairs(node.clauses) do
    local name = name_of(clause)
    if name == "num_gangs" and is_teams then
      local dimensions = {}
      for i, e in ipairs(clause.values) do dimensions[i] = ("(%s)"):format(self:expression(construct, clause, e)) end
      parts[#parts + 1] = ("num_teams(%s)"):format(clause.values[2] and table.concat(dimensions, " * ")
        or self:expression(construct, clause, clause.values[1]))
    elseif name == "firstprivate" or name == "private" and not (is_loop and is_divided) then
      parts[#parts + 1] = ("%s(%s)"):format(name, list_of(self, construct, clause))
    elseif name == "reduction" and not is_divided then
      parts[#parts + 1] = ("map(tofrom: %s)"):format(list_of(self, construct, clause))
    end
  end
  if is_loop and is_divided then loop_clauses(self, construct, parts)
  elseif is_teams then
    add_private(construct, parts)
    add_reductions(self, construct, parts)
    gang_reductions(self, construct, parts)
  end
  construct.opened, construct.clauses = words, parts
  return words
end

-- Functions by name of a directive: writers[name](self, directive) returns the OpenMP directives that replace
-- `directive`, a list of texts without sentinel. An empty list removes the directive. The functions raise {cannot =
-- reason} if OpenMP cannot express it. Compute constructs are not listed here: `compute` writes them.
local writers = {}

-- Returns the directive `name` with the map clauses of a data directive; an empty list if no data are left to map.
local function map_directive(self, directive, name, types, condition_prefix)
  local parts, is_needed = data_clauses(self, directive, types, condition_prefix), false
  for _, text in ipairs(parts) do is_needed = is_needed or text:find "^map" ~= nil end
  return is_needed and { name .. " " .. table.concat(parts, " ") } or {}
end

-- Returns target data. The clause `deviceptr` cannot occur here, because `check` has refused it.
function writers.data(self, directive)
  local list = map_directive(self, directive, "target data", map_types, "target data: ")
  directive.opened = list[1] and "target data"
  return list
end

-- Returns target enter data.
writers["enter data"] = function(self, directive)
  return map_directive(self, directive, "target enter data", enter_types, "")
end

-- Returns target exit data. With `finalize`, each clause becomes a directive that deletes the listed variables; an
-- update from the device precedes it for copyout.
writers["exit data"] = function(self, directive)
  local node = directive.node
  if not has(node, "finalize") then return map_directive(self, directive, "target exit data", exit_types, "") end
  local list, condition_text = {}, ""
  for _, clause in ipairs(node.clauses) do
    if clause.name == "if" then condition_text = " " .. if_clause(self, directive, clause, "") end
  end
  for _, clause in ipairs(node.clauses) do
    if exit_types[name_of(clause)] then
      local items = list_of(self, directive, clause)
      if name_of(clause) == "copyout" then
        list[#list + 1] = ("target update from(%s)%s"):format(items, condition_text)
      end
      list[#list + 1] = ("target exit data map(delete: %s)%s"):format(items, condition_text)
    end
  end
  return list
end

-- Returns target update. The clause if_present is dropped, because OpenMP ignores absent data anyway.
function writers.update(self, directive)
  local parts = {}
  for _, clause in ipairs(directive.node.clauses) do
    local name = name_of(clause)
    local direction = (name == "self" or name == "host") and "from" or name == "device" and "to"
    if direction then parts[#parts + 1] = ("%s(%s)"):format(direction, list_of(self, directive, clause))
    elseif name == "if" then parts[#parts + 1] = if_clause(self, directive, clause, "") end
  end
  return { "target update " .. table.concat(parts, " ") }
end

-- Returns the directive of a loop that is divided among threads or teams; an empty list for a loop that one thread
-- executes. Precondition: `compute` has set the field `words`.
function writers.loop(self, directive)
  if not directive.words then return {} end
  local parts = { directive.words }
  loop_clauses(self, directive, parts)
  directive.opened = directive.words
  return { table.concat(parts, " ") }
end

-- Returns the atomic directive with its clause, such as `read`.
function writers.atomic(_, directive)
  local parts = { "atomic" }
  for _, clause in ipairs(directive.node.clauses) do parts[#parts + 1] = clause.name end
  directive.opened = "atomic"
  return { table.concat(parts, " ") }
end

-- Returns a declare target directive for each clause of `declare`, which is not in a procedure. Raises {cannot =
-- reason} for clauses that OpenMP lacks.
function openmp_translation.declare(self, directive)
  local list = {}
  for _, clause in ipairs(directive.node.clauses) do
    local name = name_of(clause)
    if not (clause.vars and (name == "create" or name == "copyin" or name == "device_resident" or name == "link")) then
      cannot(("'%s' on 'declare'"):format(clause.name))
    end
    list[#list + 1] = ("declare target %s(%s)"):format(name == "link" and "link" or "to",
      list_of(self, directive, clause))
  end
  return list
end

-- Writer of `wait` and `cache`: returns an empty list, so that the directive is removed.
local function no_lines() return {} end
writers.wait, writers.cache = no_lines, no_lines

-- Advice by directive that this translation refuses; false: none.
local refused_directives = { host_data = false, ["end data"] = false, ["end host_data"] = false,
  init = "leave it out: OpenMP's runtime starts at the first construct",
  shutdown = "leave it out: OpenMP's runtime ends with the program", set = "call omp_set_default_device" }
for name, help in pairs(refused_directives) do
  writers[name] = function() cannot(("OpenMP has no directive like '%s'"):format(name), help or nil) end
end

-- Sets `compute` and `enclosing_loop` of each directive in self.list. `find_last(directive)` returns the last position
-- of the statement or region of a compute construct, loop or data construct.
function Translation:nest(find_last)
  for i, construct in ipairs(self.list) do
    local name = construct.node.name
    local is_compute = unit_directives.is_compute(construct.node)
    if is_compute or name == "loop" or name == "data" then
      construct.last = find_last(construct)
      construct.compute = is_compute and construct or nil
    end
    for k = i - 1, 1, -1 do
      local outer = self.list[k]
      if outer.last and construct.token <= outer.last then
        construct.compute = construct.compute or outer.compute
        local is_loop = openacc_directives.directive(outer.node.name).association == "loop"
        if is_loop and name == "loop" then construct.enclosing_loop = construct.enclosing_loop or outer end
      end
    end
  end
end

-- Returns the OpenMP directives that replace a directive, a list of texts without sentinel. Raises {cannot = reason} if
-- OpenMP cannot express it. Precondition: Translation:nest was called, and the directives before are translated.
function Translation:translate(directive)
  check(directive.node)
  local write = self.writers[directive.node.name] or writers[directive.node.name]
  if write then return write(self, directive) end
  return { table.concat({ compute(self, directive), table.unpack(directive.clauses) }, " ") }
end

return openmp_translation
