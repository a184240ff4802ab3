-- loop_directives.lua - reads directives of loops: whether the iterations may run in parallel, and of which variables
-- each has a copy. loop_marks.lua and fortran_loop_marks.lua use it.

local strings = require "accdeep.base.strings"

local loop_directives = {}

-- Returns the words of a directive that are in no parentheses, as a list. The second result is a table from word to the
-- text in the parentheses that follow it, or to true. Texts of equal words are joined by commas.
local function read_words(text)
  local list, set = {}, {}
  for word, argument in text:gmatch "([%a_][%w_]*)%s*(%b())" do
    set[word] = (set[word] and set[word] .. ", " or "") .. argument:sub(2, -2)
  end
  for word in text:gsub("%b()", " "):gmatch "[%a_][%w_]*" do
    list[#list + 1] = word
    set[word] = set[word] or true
  end
  return list, set
end

local compute = strings.word_set "parallel kernels serial"
local dividing = strings.word_set "for distribute simd loop"
-- Directives that have such a word, and no loop.
local without_loop = strings.word_set "declare cancel cancellation end"

-- Returns the directive with the text `text`: {standard, name, words, is_loop, is_parallel}. `standard`: "acc" or
-- "omp". `name`: its first word. `words`: table from word to the text in the parentheses that follow it, or to true;
-- `do` is entered as `for`. `is_loop`: a loop belongs to it.
function loop_directives.read(standard, text)
  local list, words = read_words(text)
  words["for"] = words["for"] or words["do"]
  local directive = { standard = standard, name = list[1], words = words, is_loop = false }
  for word in pairs(dividing) do directive.is_loop = directive.is_loop or words[word] ~= nil end
  directive.is_loop = directive.is_loop and not without_loop[list[1]]
  return directive
end

-- Returns true if a directive begins device code: a compute construct of OpenACC, or target.
function loop_directives.begins_kernel(directive)
  if directive.standard == "acc" then return compute[directive.name] == true end
  local words = directive.words
  return directive.name == "target" and not (words.data or words.update or words.enter or words.exit)
end

-- Returns true if a compiler may run the iterations of the OpenACC loop `directive` in parallel. `enclosing`: the
-- compute construct that contains the loop, nil for a loop of a device routine. `is_in_routine`: the routine's
-- directive lets its loops be divided.
local function is_parallel_acc(directive, enclosing, is_in_routine)
  local words = directive.words
  if not words.loop or words.seq or words.auto then return false end
  if not enclosing then return is_in_routine end
  return enclosing.name == "parallel" or enclosing.name == "kernels" and words.independent ~= nil
end

-- Returns true if the OpenMP directive, or one that contains it, has num_teams(1).
local function has_one_team(directive, enclosing)
  local is_one = directive.words.num_teams == "1"
  for _, outer in ipairs(enclosing) do is_one = is_one or outer.words.num_teams == "1" end
  return is_one
end

-- Returns true if the iterations of the OpenMP loop `directive` may run in parallel. `enclosing`: list of the
-- directives that contain it, the outermost first.
local function is_parallel_omp(directive, enclosing)
  local words = directive.words
  if words.ordered or words.taskloop or words.safelen then return false end
  local is_only_distributed = words.distribute and not (words.parallel or words.simd)
  if is_only_distributed and has_one_team(directive, enclosing) then return false end
  if words.distribute or words.simd or words.loop then return true end
  if not words["for"] then return false end
  local is_orphaned = not enclosing[1]
  for _, outer in ipairs(enclosing) do is_orphaned = is_orphaned or outer.words.parallel ~= nil end
  return words.parallel ~= nil or is_orphaned
end

-- Returns true if a compiler may run the iterations of the loop of `directive` in parallel, in device code.
-- `enclosing`: list of the directives that contain it, the outermost first. `kernel`: that of them, or `directive`
-- itself, that begins device code, or nil. is_in_routine(): the loop is in a device routine whose loops may be divided.
function loop_directives.is_parallel(directive, enclosing, kernel, is_in_routine)
  if directive.standard == "acc" then
    return is_parallel_acc(directive, kernel, kernel == nil and is_in_routine())
  end
  return is_parallel_omp(directive, enclosing) and (kernel ~= nil or not enclosing[1])
end

-- Kinds of scalars in calls of the checks: enum rt_scalar_kind (exec/checked/loops.h).
loop_directives.COPIES, loop_directives.SHARED, loop_directives.REDUCED = 0, 1, 2

-- Flags of loops in calls of the checks: RT_LOOP_TEAMS, RT_LOOP_NO_BARRIER (exec/checked/loops.h).
loop_directives.TEAMS, loop_directives.NO_BARRIER = 1, 2
local TEAMS, NO_BARRIER = 1, 2

-- Returns the flags of a loop. `enclosing`: directives that contain it; `is_nested`: a parallel loop of the kernel
-- contains it.
function loop_directives.flags_of(directive, enclosing, is_nested)
  local words = directive.words
  if directive.standard == "acc" then
    for _, outer in ipairs(enclosing) do is_nested = is_nested or outer.name == "kernels" end
    local kernel = enclosing[1]
    for _, outer in ipairs(enclosing) do is_nested = is_nested or outer.words.num_gangs == "1" end
    -- A loop of a device routine has perhaps no gangs.
    local is_gang = words.gang or kernel and not (words.worker or words.vector)
    return is_gang and not is_nested and NO_BARRIER or 0
  end
  local is_divided = words.distribute or words.loop and words.teams
  local is_one = has_one_team(directive, enclosing)
  return (is_divided and not is_one and TEAMS or 0) + ((words.nowait or is_divided and not is_one) and NO_BARRIER or 0)
end

-- Clauses that give each iteration, or the thread that executes it, a copy of a variable.
local privatizing = { "private", "reduction", "lastprivate", "linear", "in_reduction", "task_reduction" }

-- Clauses of OpenACC that make a variable shared by the iterations.
local mapping = strings.word_set ("copy copyin copyout create no_create present deviceptr "
  .. "pcopy pcopyin pcopyout pcreate present_or_copy present_or_copyin present_or_copyout present_or_create")

-- Adds the variables that data clauses of an OpenACC directive name to the set `names`: device memory has them.
function loop_directives.add_mapped(directive, names)
  for word, argument in pairs(directive.words) do
    if directive.standard == "acc" and mapping[word] and type(argument) == "string" then
      for name in argument:gsub("%b[]", ""):gmatch "[%a_][%w_]*" do names[name] = true end
    end
  end
end

local reduction_modifiers = strings.word_set "inscan task default"

-- Returns a sorted list of the variables in the reduction clauses of a directive, without parts of variables.
function loop_directives.reduced_names(directive)
  local names, list = directive.words.reduction, {}
  if type(names) ~= "string" then return list end
  for name in names:gsub("[^,:]*:", ""):gsub("%b[]", "[]"):gsub("%b()", "()"):gmatch "[^,]+" do
    local word = name:match "^%s*([%a_][%w_]*)%s*$"
    if not reduction_modifiers[word or ""] then list[#list + 1] = word end
  end
  table.sort(list)
  return list
end

-- Returns true if each thread of the region of an OpenMP directive has copies of the variables in its clauses. Those of
-- a loop belong to its iterations, and threads inside of an iteration share them.
function loop_directives.is_team(directive)
  local words = directive.words
  return directive.standard == "omp" and not directive.is_loop and (words.teams or words.parallel) ~= nil
end

-- Returns what the iterations of a loop do with scalars that they assign and that no clause names: COPIES, SHARED, or
-- nil if each thread may have its own. `open`: list of {directive, ...}, the directives that contain the loop. The
-- second result is the entry of the region whose own variables each thread has, or nil.
function loop_directives.sharing(directive, open)
  if directive.standard == "acc" then return loop_directives.COPIES end
  local words, wanted = directive.words, "parallel"
  local default = words.default
  for _, outer in ipairs(open) do default = default or outer.directive.words.default end
  if default == "private" or default == "firstprivate" then return nil end
  if not (words["for"] or words.distribute) then return loop_directives.COPIES end
  if words.parallel or words.distribute and words.teams then return loop_directives.SHARED end
  if words.distribute then wanted = "teams" end
  for k = #open, 1, -1 do
    if open[k].directive.words[wanted] then return loop_directives.SHARED, open[k] end
  end
  return nil
end

-- Adds the variables in the clauses of privatizing, and in OpenMP those of firstprivate, to the set `names`.
function loop_directives.add_private(directive, names)
  local is_omp = directive.standard == "omp"
  for word, argument in pairs(directive.words) do
    local is_private = is_omp and word == "firstprivate"
    for _, clause in ipairs(privatizing) do is_private = is_private or word == clause end
    if is_private and type(argument) == "string" then
      if word == "linear" then argument = argument:gsub(":[^,]*", "") end
      for name in argument:gsub("[^,:]*:", ""):gmatch "[%a_][%w_]*" do names[name] = true end
    end
  end
end

-- Returns a number that depends on a text.
function loop_directives.hash(text)
  local value = 5381
  for i = 1, #text do value = (value * 33 + text:byte(i)) % 0x7fff0000 end
  return value
end

return loop_directives
