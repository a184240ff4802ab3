-- loop_marks.lua - inserts calls that tell the checks of a program where iterations of parallel loops begin and end.
--
-- Input: the preprocessed text of a C or C++ unit. Output: the text with a call of accdeep_iteration at the begin of
-- each iteration, and a call of accdeep_loop_end after the loop (exec/checked/loops.c). Marked are loops of device
-- code whose iterations a compiler may run in parallel: OpenACC loops that are independent, and OpenMP loops that are
-- divided among teams, threads or lanes. Lines keep their numbers. compiler_driver.lua calls it.

local c_declarations = require "accdeep.tools.lower.c_declarations"
local c_source = require "accdeep.tools.lower.c_source"
local line_markers = require "accdeep.tools.lower.line_markers"
local loop_directives = require "accdeep.tools.lower.loop_directives"
local strings = require "accdeep.base.strings"

local loop_marks = {}

-- Declarations of the functions. For C++ also of the value of a loop's variable, the smallest number for an iterator.
local C_DECLARATIONS = "void accdeep_iteration(const char *, unsigned, unsigned, long, long, long); "
  .. "void accdeep_loop_end(unsigned, unsigned); void accdeep_scalar(const char *, const void *, unsigned long, int);\n"
-- The value of accdeep_compares (exec/checked/loops.c), for gcc. Assembly reads it: a variable that a region names
-- would be mapped, and its load checked.
local IS_COMPARED = "static inline __attribute__((always_inline, unused)) int accdeep_is_compared(void) { int x; "
  .. "__asm__(\"movq accdeep_compares@GOTPCREL(%%rip), %q0\\n\\tmovl (%q0), %k0\" : \"=r\"(x)); return x; }\n"
-- The value of a loop's variable in C, and for a pointer the smallest number.
local C_VALUE = "(long)(__builtin_classify_type(%s) == 5 ? ~(~0ul >> 1) : (unsigned long)(%s))"
local CXX_DECLARATIONS = "extern \"C\" { " .. C_DECLARATIONS:sub(1, -2) .. " }\n"
  .. "template <class T> static inline long accdeep_value(const T &) { return (long)~(~0ul >> 1); }\n"
local CXX_VALUE = "__extension__ static inline __attribute__((unused)) long accdeep_value(%s i) { return (long)i; }\n"
for kind in ("int,unsigned,long,unsigned long,long long,unsigned long long,short,unsigned short,char"):gmatch "[^,]+" do
  CXX_DECLARATIONS = CXX_DECLARATIONS .. CXX_VALUE:format(kind)
end

-- Returns the directive of a preprocessor line (loop_directives.read); nil for other lines.
local function read_directive(line)
  local standard, text = line:match "^#%s*pragma%s+(%l%l%l)%f[^%w_]%s*(.*)$"
  if standard ~= "acc" and standard ~= "omp" then return nil end
  return loop_directives.read(standard, (text:gsub("\\\r?\n", " "):gsub("/%*.-%*/", " "):gsub("//.*", "")))
end


local Marks = {}
Marks.__index = Marks

-- Inserts a text at a position. Texts at one position keep their order.
function Marks:insert(at, text)
  self.edits[#self.edits + 1] = { at = at, number = #self.edits, text = text }
end

-- Returns the loop whose `for` is token i: {names, head, body, last}. `names`: list of the variables of this loop and
-- of the loops directly in it, `depth` in all. `head`: last token of the innermost head; `body`: first token of its
-- body. Raises {cannot = reason} if there are fewer loops.
local function read_loop(source, i, depth)
  local names, last = {}, source:statement(i)
  for level = 1, depth do
    i = source:skip_lines(i)
    while level > 1 and source:token(i) == "{" do i = source:skip_lines(i + 1) end
    if source:token(i) ~= "for" then error({ cannot = "no loop follows" }, 0) end
    local close = source:closing(i + 1)
    for k = i + 2, close do
      local text = source:token(k)
      if text == ";" or text == ":" and source:token(k + 1) ~= ":" and source:token(k - 1) ~= ":" then break end
      if (text == "=" or text == "{" or text == "(") and source.kind[k - 1] == "word" then
        names[level] = source:token(k - 1)
        break
      end
    end
    i = close + 1
  end
  return { names = names, head = i - 1, body = source:skip_lines(i), last = last }
end

local assigning = strings.word_set "+ - * / % & | ^"

-- Returns true if the variable at token i is assigned, incremented or decremented.
local function is_assigned(source, i)
  -- Returns true if tokens k and k + 1 are the characters `a` and `b` without space between.
  local function is_pair(k, a, b)
    return source:token(k) == a and source:token(k + 1) == b and source.finish[k] == source.at[k + 1]
  end
  local after, two = source:token(i + 1), source:token(i + 2)
  if after == "=" then return not is_pair(i + 1, "=", "=") end
  if assigning[after] and is_pair(i + 1, after, "=") then return true end
  if (after == "<" or after == ">") and two == after and is_pair(i + 2, after, "=") then return true end
  for _, sign in ipairs { "+", "-" } do
    if is_pair(i + 1, sign, sign) or i > 2 and is_pair(i - 2, sign, sign) then return true end
  end
  return false
end

-- Returns a sorted list of the variables that the statement of a loop assigns, and that are neither declared in it nor
-- in the set `private`.
local function assigned_names(source, loop, private)
  local declared, found, list = c_declarations.names(source, loop.head, loop.last), { this = true }, {}
  for _, name in ipairs(loop.names) do declared[name] = true end
  for i = loop.body, loop.last do
    if source.kind[i] == "word" and not source:is_member_access(i) and is_assigned(source, i) then
      local name = source:token(i)
      local is_qualified = source:token(i - 1) == ":" and source:token(i - 2) == ":"
      if not (declared[name] or private[name] or found[name] or is_qualified) then
        found[name] = true
        list[#list + 1] = name
      end
    end
  end
  table.sort(list)
  return list
end

-- Returns the arguments of accdeep_iteration for a loop with the number `id`. `flags`: RT_LOOP_... (loops.h).
local function arguments(loop, id, flags, is_cxx)
  local names, values = {}, {}
  for i = 1, 3 do
    local name = loop.names[i]
    names[#names + 1] = name
    values[i] = name and (is_cxx and "accdeep_value(%s)" or C_VALUE):gsub("%%s", name) or "0"
  end
  return ("\"%s\", %du, %du, %s"):format(table.concat(names, ", "), id, flags, table.concat(values, ", "))
end

-- Returns calls that name the scalars of a loop to the checks. `reduced`: list of those that the loop reduces.
-- `private`: set of the variables that are private to its iterations. `kind`: loop_directives.sharing.
function Marks:scalars(loop, reduced, private, kind)
  local calls = {}
  -- Adds a call for a variable.
  local function add(name, kind_of_name)
    calls[#calls + 1] = (" accdeep_scalar(\"%s\", &%s, sizeof(%s), %d);"):format(name, name, name, kind_of_name)
  end
  for _, name in ipairs(reduced) do add(name, loop_directives.REDUCED) end
  for _, name in ipairs(kind and assigned_names(self.source, loop, private) or {}) do add(name, kind) end
  return table.concat(calls)
end

-- Inserts the calls of a loop. `scalars`: calls of Marks:scalars. `first`: token of the first of the directives
-- directly before the loop. `ends_kernel`: the loop is the whole kernel, so that its end needs no call.
function Marks:mark(loop, scalars, first, ends_kernel)
  local source, id = self.source, self.base + self.n
  self.n = self.n + 1
  local values = arguments(loop, id, loop.flags & loop_directives.TEAMS, self.is_cxx)
  local call = (" accdeep_iteration(%s);%s"):format(values, scalars)
  if not self.is_clang then call = (" if (__builtin_expect(accdeep_is_compared(), 0)) {%s }"):format(call) end
  if source:token(loop.body) == "{" then
    self:insert(source.finish[loop.body], call)
  else
    self:insert(source.finish[loop.head], " {" .. call)
    self:insert(source.finish[source:statement(loop.body)], " }")
  end
  if ends_kernel then return end
  local before = first - 1
  while source.kind[before] == "line" do before = before - 1 end
  local is_alone = not (";{}"):find(source:token(before), 1, true)
  if is_alone then self:insert(source.finish[before], " {") end
  self:insert(source.finish[loop.last], (" accdeep_loop_end(%du, %du);%s"):format(id,
    loop.flags & loop_directives.NO_BARRIER, is_alone and " }" or ""))
end

-- Returns true if a directive `acc routine` with gang, worker or vector precedes the function that contains token i, or
-- names it.
function Marks:is_in_routine(i)
  local source = self.source
  local first = source:enclosing_function(i)
  local head = {}
  for k = first, i do
    local text = source:token(k)
    if text == "{" then break end
    if source.kind[k] == "line" then
      local directive = read_directive(text)
      local words = directive and directive.standard == "acc" and directive.name == "routine" and directive.words
      if words then return not words.seq end
    end
    head[text] = true
  end
  for _, words in ipairs(self.routines) do
    if type(words.routine) == "string" and head[words.routine:match "^%s*(.-)%s*$"] then return not words.seq end
  end
  return false
end

-- Marks the loop of the directive at token i. `chain`: token of the first directive directly before the same statement.
function Marks:mark_directive(directive, i, chain)
  local enclosing, kernel, ends_kernel, private = {}, nil, false, {}
  for _, outer in ipairs(self.open) do
    if outer.last >= i then loop_directives.add_mapped(outer.directive, private) end
    if outer.last >= i and outer.directive.name ~= "data" then
      if loop_directives.is_team(outer.directive) then loop_directives.add_private(outer.directive, private) end
      enclosing[#enclosing + 1] = outer.directive
      if loop_directives.begins_kernel(outer.directive) then
        kernel = outer.directive
        ends_kernel = outer.statement == self.source:skip_lines(i)
      end
    end
  end
  if loop_directives.begins_kernel(directive) then kernel, ends_kernel = directive, true end
  ends_kernel = ends_kernel or directive.words.teams ~= nil -- a teams construct is the only statement of its kernel
  if not loop_directives.is_parallel(directive, enclosing, kernel, function() return self:is_in_routine(i) end) then
    return
  end
  local depth = tonumber((tostring(directive.words.collapse or 1):gsub("^%s*force%s*:", ""))) or 1
  if type(directive.words.tile) == "string" then
    depth = math.max(depth, select(2, directive.words.tile:gsub(",", "")) + 1)
  end
  loop_directives.add_private(directive, private)
  loop_directives.add_mapped(directive, private)
  local loop = read_loop(self.source, i + 1, depth)
  for k = loop.head, loop.last do -- iterations with an ordered region wait for each other
    if self.source.kind[k] == "line" and self.source:token(k):find "pragma%s+omp%s+ordered" then return end
  end
  local is_nested = false
  for _, outer in ipairs(enclosing) do is_nested = is_nested or outer.is_parallel end
  loop.flags = loop_directives.flags_of(directive, enclosing, is_nested)
  directive.is_parallel = true
  local open = {}
  for _, outer in ipairs(self.open) do
    if outer.last >= i then open[#open + 1] = outer end
  end
  local kind, region = loop_directives.sharing(directive, open)
  if region then
    for name in pairs(c_declarations.names(self.source, region.statement, i)) do private[name] = true end
  end
  self:mark(loop, self:scalars(loop, loop_directives.reduced_names(directive), private, kind), chain, ends_kernel)
end

-- Returns the preprocessed text of a unit with calls at its parallel loops, and a list {path, line, reason} of loops
-- that could not be marked. Returns nil if the unit has no such loop. `path`: the unit; `is_cxx`: it is C++;
-- `is_clang`: clang compiles it.
function loop_marks.insert(text, path, is_cxx, is_clang)
  local source = c_source.scan(text)
  local self = setmetatable({ source = source, edits = {}, n = 0, base = loop_directives.hash(path), is_cxx = is_cxx,
    is_clang = is_clang, open = {}, routines = {} }, Marks)
  local unmarked, chain, file, line = {}, nil, path, 1
  for i = 1, source.n do
    local directive = source.kind[i] == "line" and read_directive(source:token(i))
    if directive then
      chain = chain or i
      if directive.name == "routine" then table.insert(self.routines, directive.words) end
      local words, is_loop = directive.words, directive.is_loop
      local holds = loop_directives.begins_kernel(directive) or is_loop or words.parallel or words.teams
        or directive.standard == "acc" and directive.name == "data"
      local statement = source:skip_lines(i)
      local ok, problem = pcall(function()
        if is_loop then self:mark_directive(directive, i, chain) end
        if holds then
          table.insert(self.open, { directive = directive, last = source:statement(i + 1), statement = statement })
        end
      end)
      if not ok then
        if not c_source.is_reason(problem) then error(problem, 0) end
        unmarked[#unmarked + 1] = { path = file, line = line, reason = problem.cannot }
      end
    elseif source.kind[i] == "line" then
      local number, name = line_markers.read(source:token(i))
      if number then file, line = name, number end
    else
      chain = nil
    end
  end
  if self.n == 0 and not unmarked[1] then return nil end
  table.sort(self.edits, function(a, b) return a.at < b.at or a.at == b.at and a.number < b.number end)
  local parts, at = { is_cxx and CXX_DECLARATIONS or C_DECLARATIONS, is_clang and "" or IS_COMPARED }, 1
  for _, edit in ipairs(self.edits) do
    parts[#parts + 1] = text:sub(at, edit.at - 1)
    parts[#parts + 1] = edit.text
    at = edit.at
  end
  parts[#parts + 1] = text:sub(at)
  return table.concat(parts), unmarked
end

return loop_marks
