-- fortran_loop_marks.lua - inserts calls that tell the checks of a program where iterations of parallel loops begin and
-- end, in a Fortran unit of free form.
--
-- loop_marks.lua does the same for C: a call of accdeep_iteration_f at the begin of each iteration of a parallel
-- loop, and of accdeep_loop_end_f after the loop (exec/checked/fortran_loops.c). The calls are in the lines of the
-- statements before them, after a semicolon, so that lines keep their numbers. compiler_driver.lua calls it.

local fortran_source = require "accdeep.tools.lower.fortran_source"
local line_markers = require "accdeep.tools.lower.line_markers"
local loop_directives = require "accdeep.tools.lower.loop_directives"

local fortran_loop_marks = {}

local STANDARDS = { acc = true, omp = true }

-- Raises {cannot = reason}: the loop cannot be marked.
local function cannot(reason) error({ cannot = reason }, 0) end

-- Returns the number of bytes of a line before its comment.
local function code_length(line)
  local quote
  for i = 1, #line do
    local c = line:sub(i, i)
    if quote then
      if c == quote then quote = nil end
    elseif c == "'" or c == '"' then
      quote = c
    elseif c == "!" then
      return i - 1
    end
  end
  return #line
end

local Marks = {}
Marks.__index = Marks

-- Appends a statement to line number `at`.
function Marks:append(at, statement)
  local line = self.lines[at]
  local code, comment = line:sub(1, code_length(line)), line:sub(code_length(line) + 1)
  if code:find "&%s*$" then cannot "the line is continued" end
  self.changes[#self.changes + 1] = function() return at, code .. "; " .. statement .. " " .. comment end
end

-- Returns the loop that begins at statement i: {names, first, body, last}. `names`: variables of the loop and of those
-- directly in it, `depth` in all. `body`: number of the innermost `do` statement; `last`: of the end of the loop.
function Marks:read_loop(i, depth)
  local list, names = self.scan.list, {}
  local last, shared = self.scan:loop_end(i)
  if not last then cannot "no loop follows" end
  if shared then cannot(shared) end
  for level = 1, depth do
    local statement = list[i]
    local text = not statement.directive and statement.text:gsub("^%d+%s+", ""):gsub("^[%a][%w_]*%s*:%s*", "")
    if not text or text:find "^do%s+concurrent" then cannot "do concurrent" end
    names[level] = text:match "^do%s*%d*%s*,?%s*(%a[%w_]*)%s*=" or cannot "no loop follows"
    if level < depth then i = i + 1 end
  end
  local following = list[i + 1]
  if following and following.first <= list[i].last then cannot "statements in the line of the loop's begin" end
  return { names = names, body = i, last = last }
end

local scalar_types = { integer = true, real = true, logical = true, complex = true, double = true }

-- Adds the scalar variables that a statement declares to the set `names`.
local function add_declared(text, names)
  local kind = text:match "^%a+"
  if not scalar_types[kind] then return end
  local attributes, entities = text:match "^(.-)::(.*)$"
  if not attributes then
    attributes, entities = "", text:match "^%a+%s*%b()%s*(%a.*)$" or text:match "^double%s+%a+%s+(.*)$"
      or text:match "^%a+%s*%*%s*%d+%s*(%a.*)$" or text:match "^%a+%s+(%a.*)$" or ""
  end
  for _, word in ipairs { "dimension", "pointer", "allocatable", "parameter", "value", "optional" } do
    if attributes:find("%f[%w_]" .. word .. "%f[^%w_]") then return end
  end
  for entity in entities:gsub("%b()", "()"):gmatch "[^,]+" do
    local name = entity:match "^%s*(%a[%w_]*)%s*$" or entity:match "^%s*(%a[%w_]*)%s*="
    if name then names[name] = true end
  end
end

-- Returns a sorted list of the scalar variables of the procedure that the loop assigns, without those in the set
-- `private`.
function Marks:assigned_scalars(loop, private)
  local list, declared, found, names = self.scan.list, {}, {}, {}
  for k = loop.body, 1, -1 do
    local text = list[k].text
    if not list[k].directive then
      local is_begin = text:find "^program%f[^%w_]" or text:find "^module%s" or text:find "^submodule"
        or (text:find "%f[%w_]subroutine%s+%a" or text:find "%f[%w_]function%s+%a[%w_]*%s*%(")
        and not text:find "^end"
      add_declared(text, declared)
      if is_begin then break end
    end
  end
  for _, name in ipairs(loop.names) do private[name] = true end
  for k = loop.body + 1, loop.last do
    local text = list[k].text:gsub("^%d+%s+", "")
    local index = text:match "^do%s*%d*%s*,?%s*(%a[%w_]*)%s*=" or text:match "^%a[%w_]*%s*:%s*do%s+(%a[%w_]*)%s*="
    if index then private[index] = true end
  end
  for k = loop.body + 1, loop.last do
    local text = not list[k].directive and list[k].text:gsub("^%d+%s+", ""):gsub("^if%s*%b()%s*", "") or ""
    local name = text:match "^(%a[%w_]*)%s*=[^=>]"
    if name and declared[name] and not private[name] and not found[name] then
      found[name] = true
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return names
end

-- Inserts the calls of a loop. `private`: set of the variables that are private to its iterations; `kind`:
-- loop_directives.sharing; `ends_kernel`: the loop is the whole kernel.
function Marks:mark(loop, directive, private, kind, ends_kernel)
  local list, id = self.scan.list, self.base + self.n
  local values = {}
  for i = 1, 3 do values[i] = loop.names[i] and ("int(%s, 8)"):format(loop.names[i]) or "0_8" end
  local calls = { ("call accdeep_iteration_f('%s'//char(0), int(%d, 4), int(%d, 4), %s)"):format(
    table.concat(loop.names, ", ", 1, math.min(#loop.names, 3)), id, loop.flags & loop_directives.TEAMS,
    table.concat(values, ", ")) }
  -- Adds a call for a variable.
  local function add(name, kind_of_name)
    calls[#calls + 1] = ("call accdeep_scalar_f('%s'//char(0), int(loc(%s), 8), %s, int(%d, 4))"):format(name, name,
      ("int(storage_size(%s) / 8, 8)"):format(name), kind_of_name)
  end
  for _, name in ipairs(loop_directives.reduced_names(directive)) do add(name, loop_directives.REDUCED) end
  for _, name in ipairs(kind and self:assigned_scalars(loop, private) or {}) do add(name, kind) end
  local following = list[loop.last + 1]
  local ending = following and following.standard == directive.standard and following.directive:match "^end%s*(.*)$"
  local ending_directive = ending and loop_directives.read(directive.standard, ending)
  if ending_directive and ending_directive.words.nowait then loop.flags = loop.flags | loop_directives.NO_BARRIER end
  local changes = #self.changes
  local ok, problem = pcall(function()
    self:append(list[loop.body].last, table.concat(calls, "; "))
    if ends_kernel then return end
    local call = ("call accdeep_loop_end_f(int(%d, 4), int(%d, 4))"):format(id, loop.flags & loop_directives.NO_BARRIER)
    if ending_directive and ending_directive.is_loop then
      self.lines_after[following.last] = call
    else
      self:append(list[loop.last].last, call)
    end
  end)
  if not ok then
    for k = #self.changes, changes + 1, -1 do self.changes[k] = nil end
    error(problem, 0)
  end
  self.n = self.n + 1
end

-- Returns true if an `acc routine` directive with gang, worker or vector is in the procedure that contains statement i.
function Marks:is_in_routine(i)
  local list = self.scan.list
  for k = i, 1, -1 do
    local statement = list[k]
    if statement.directive and statement.standard == "acc" and statement.directive:find "^routine" then
      return not loop_directives.read("acc", statement.directive).words.seq
    end
    local text = not statement.directive and statement.text or ""
    if text:find "^end%s*subroutine" or text:find "^end%s*function" or text:find "^program%s" then return false end
  end
  return false
end

-- Marks the loop of the directive of statement i.
function Marks:mark_directive(directive, i)
  local list = self.scan.list
  local enclosing, kernel, ends_kernel, private, is_nested = {}, nil, false, {}, false
  local first = i + 1
  while list[first] and list[first].directive do first = first + 1 end
  for _, outer in ipairs(self.open) do
    loop_directives.add_mapped(outer.directive, private)
    if outer.directive.name == "data" then goto next end
    enclosing[#enclosing + 1] = outer.directive
    if loop_directives.is_team(outer.directive) then loop_directives.add_private(outer.directive, private) end
    if loop_directives.begins_kernel(outer.directive) then kernel = outer.directive end
    is_nested = is_nested or outer.directive.is_parallel
    ::next::
  end
  if loop_directives.begins_kernel(directive) then kernel, ends_kernel = directive, true end
  ends_kernel = ends_kernel or directive.words.teams ~= nil -- a teams construct is the only statement of its kernel
  if not loop_directives.is_parallel(directive, enclosing, kernel, function() return self:is_in_routine(i) end) then
    return
  end
  loop_directives.add_private(directive, private)
  loop_directives.add_mapped(directive, private)
  local depth = tonumber((tostring(directive.words.collapse or 1):gsub("^%s*force%s*:", ""))) or 1
  if type(directive.words.tile) == "string" then
    depth = math.max(depth, select(2, directive.words.tile:gsub(",", "")) + 1)
  end
  local loop = self:read_loop(first, depth)
  loop.flags = loop_directives.flags_of(directive, enclosing, is_nested)
  directive.is_parallel = true
  for k = loop.body, loop.last do -- iterations with an ordered region wait for each other
    if list[k].standard == "omp" and list[k].directive:find "^ordered" then return end
  end
  local kind, region = loop_directives.sharing(directive, self.open)
  for k = region and region.first or i, i do
    if not list[k].directive then add_declared(list[k].text, private) end
  end
  self:mark(loop, directive, private, kind, ends_kernel)
end

-- Removes directives from the list of open ones that end before statement i, or with it.
function Marks:close(i)
  local statement = self.scan.list[i]
  for k = #self.open, 1, -1 do
    if self.open[k].last and self.open[k].last < i then table.remove(self.open, k) end
  end
  local name = statement.directive and statement.directive:match "^end%s*(%a+)"
  if not name then return end
  for k = #self.open, 1, -1 do
    local open = self.open[k]
    if open.standard == statement.standard and open.directive.name == name and not open.last then
      table.remove(self.open, k)
      return
    end
  end
end

-- Returns the text of a unit with calls at its parallel loops, and a list {path, line, reason} of loops that could not
-- be marked. Returns nil if the unit has no such loop. `path`: the unit.
function fortran_loop_marks.insert(text, path)
  local lines = {}
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  -- A preprocessor's marker is no statement.
  local statements, places, file, number = {}, {}, path, 0
  for i, line in ipairs(lines) do
    local marked, name = line_markers.read(line)
    if marked then file, number = name, marked - 1 else number = number + 1 end
    statements[i], places[i] = marked and "" or line, { path = file, line = number }
  end
  local self = setmetatable({ lines = lines, changes = {}, lines_after = {}, n = 0, open = {},
    base = loop_directives.hash(path), scan = fortran_source.scan(statements, STANDARDS) }, Marks)
  local unmarked = {}
  for i, statement in ipairs(self.scan.list) do
    self:close(i)
    local is_begin = statement.directive and not statement.directive:find "^end%f[^%w_]"
    local directive = is_begin and loop_directives.read(statement.standard, statement.directive)
    if directive then
      local ok, problem = pcall(function()
        if directive.is_loop then self:mark_directive(directive, i) end
      end)
      if not ok then
        if type(problem) ~= "table" or not problem.cannot then error(problem, 0) end
        local place = places[statement.first]
        unmarked[#unmarked + 1] = { path = place.path, line = place.line, reason = problem.cannot }
      end
      local holds = loop_directives.begins_kernel(directive) or directive.is_loop or directive.words.parallel
        or directive.words.teams or directive.standard == "acc" and directive.name == "data"
      if holds then
        local first = i + 1
        while directive.is_loop and self.scan.list[first] and self.scan.list[first].directive do first = first + 1 end
        table.insert(self.open, { directive = directive, standard = statement.standard, first = i,
          last = directive.is_loop and self.scan:loop_end(first) or nil })
      end
    end
  end
  if self.n == 0 and not unmarked[1] then return nil end
  for _, change in ipairs(self.changes) do
    local at, line = change()
    lines[at] = line
  end
  local out = { line_markers.linemarker(1, path):sub(1, -2) }
  for i, line in ipairs(lines) do
    out[#out + 1] = line
    if self.lines_after[i] then
      out[#out + 1] = self.lines_after[i]
      out[#out + 1] = line_markers.linemarker(places[i].line + 1, places[i].path):sub(1, -2)
    end
  end
  return table.concat(out, "\n"), unmarked
end

return fortran_loop_marks
