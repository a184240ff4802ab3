-- Random nests of loops with random directives, clauses and indices, in C and in Fortran. A model lists all accesses,
-- with the iterations they belong to, and compares all pairs: two accesses race if the outermost loop whose iterations
-- differ is parallel. The interpreter must report a race if there is one, and name such a pair. ACCDEEP_SEED and
-- ACCDEEP_ROUNDS select other runs.

scenario { title = "random loops against a model of all pairs of accesses", cites = { "ACC33-2.9-5", "OMP60-race-1" } }

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 1
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 400
math.randomseed(seed)

local random = math.random
local function pick(list) return list[random(#list)] end
local function chance(n) return random(n) == 1 end

local SIZE = 12 -- elements of the arrays
local COUNTERS = { "i", "j", "k" }

-- --------------------------------------------------------------------------------------- programs --

-- Directives of the outermost loop: {text, is the loop parallel, may loops inside be, how scalars are shared}. The last
-- is "copies" if each thread has a copy of a scalar in no clause, otherwise "shared".
local outermost = {
  acc = { { "parallel loop", true, true, "copies" }, { "parallel loop seq", false, true, "copies" },
    { "parallel loop auto", false, true, "copies" }, { "kernels loop independent", true, false, "shared" },
    { "kernels loop", false, false, "shared" }, { "serial loop", false, nil, "copies" } },
  omp = { { "target teams distribute parallel for", true, false, "shared" },
    { "target parallel for", true, false, "shared" }, { "target teams distribute", true, true, "shared" },
    { "target teams loop", true, false, "shared" }, { "target parallel for ordered", false, false, "shared" } },
}

-- Returns the directive of a loop inside others, or nil, and whether the loop is parallel. mode: third field of the
-- entry above: true, false (only explicit ones), or nil (none).
local function inner_directive(standard, mode, is_in_parallel)
  if chance(3) then return nil, false end
  if standard == "omp" then
    if mode and not is_in_parallel then return "parallel for", true end
    return nil, false
  end
  local word = pick { "", " seq", " independent", " auto" }
  if mode == nil then return "loop" .. word, false end
  return "loop" .. word, word == " independent" or mode and word == ""
end

-- Returns a random index: {terms by counter, offset, is_indirect}.
local function new_index(depth)
  local index = { is_indirect = chance(5), offset = random(0, 3) }
  for level = 1, depth do index[level] = pick { 0, 1, 1, 1, 2, 3, 4 } end
  return index
end

-- Returns a random statement in the loop at `depth`: {kind, array?, to, from}.
local function new_statement(program, depth)
  local kinds = { "copy", "copy", "write", "read" }
  if not program.entry[1]:find "teams loop" then kinds[5] = "atomic" end
  if depth == 1 and program.scalar then
    kinds[#kinds + 1] = "set"
    if program.scalar ~= "private" then kinds[#kinds + 1] = "sum" end
  end
  return { kind = pick(kinds), to = new_index(depth), from = new_index(depth), array = pick { "a", "b" } }
end

-- Returns a random loop with number `depth`: {n, directive, is_parallel, body}. Each of its statements is a loop or a
-- table of new_statement. program: {standard, mode, scalar?}.
local function new_loop(program, depth, is_in_parallel)
  local loop = { depth = depth, n = random(1, 4), body = {} }
  if depth > 1 then
    loop.directive, loop.is_parallel = inner_directive(program.standard, program.mode, is_in_parallel)
  else
    loop.directive, loop.is_parallel = program.entry[1], program.entry[2]
  end
  local is_inside = is_in_parallel or loop.directive and loop.directive:find "parallel for" ~= nil
  for _ = 1, random(2) do
    loop.body[#loop.body + 1] = depth < 3 and chance(2) and new_loop(program, depth + 1, is_inside)
      or new_statement(program, depth)
  end
  return loop
end

local function new_program(standard)
  local entry = pick(outermost[standard])
  local program = { standard = standard, entry = entry, mode = entry[3] }
  -- A scalar, and the clause that says how iterations share it.
  program.scalar = chance(2) and pick { "none", "mapped", "private", "reduction" }
  if program.scalar == "reduction" and entry[1]:find "ordered" then program.scalar = "mapped" end
  program.loop = new_loop(program, 1, false)
  program.indirect = {}
  for i = 0, SIZE - 1 do program.indirect[i] = random(0, SIZE - 1) end
  return program
end

-- ------------------------------------------------------------------------------------------ model --

local function index_value(program, index, counters)
  local value = index.offset
  for level, factor in ipairs(index) do value = value + factor * counters[level] end
  value = value % SIZE
  return index.is_indirect and program.indirect[value] or value
end

-- Returns the accesses of a program in the order of one thread: {place, is_write, is_atomic, path}. path: list of {loop
-- execution, iteration, loop}.
local function accesses_of(program)
  local list, executions = {}, 0
  local counters, path = {}, {}
  local function add(place, is_write, is_atomic)
    list[#list + 1] = { place = place, is_write = is_write, is_atomic = is_atomic,
      path = table.move(path, 1, #path, 1, {}) }
  end
  local function run(loop)
    executions = executions + 1
    local execution = executions
    for i = 0, loop.n - 1 do
      counters[loop.depth], path[loop.depth] = i, { execution = execution, iteration = i, loop = loop }
      for _, item in ipairs(loop.body) do
        if item.body then
          run(item)
        else
          local to = item.array .. index_value(program, item.to, counters)
          local from = "a" .. index_value(program, item.from, counters)
          if item.kind == "copy" then add(from) add(to, true)
          elseif item.kind == "write" then add(to, true)
          elseif item.kind == "read" then add(to) add(to, true)
          elseif item.kind == "atomic" then add(to, false, true) add(to, true, true)
          elseif item.kind == "sum" then add "s" add("s", true)
          else add("s", true) add "s" add(to, true) end
        end
      end
    end
    path[loop.depth] = nil
  end
  run(program.loop)
  return list
end

-- Returns the level of the outermost loop whose iterations two accesses belong to, if it is parallel; otherwise nil.
local function concurrent_level(a, b)
  for level = 1, math.min(#a.path, #b.path) do
    local one, other = a.path[level], b.path[level]
    if one.execution ~= other.execution then return nil end
    if one.iteration ~= other.iteration then return one.loop.is_parallel and level or nil end
  end
end

-- Returns a set of the program's races, as texts "place from to" with the iterations; nil if it has none.
local function races_of(program)
  local list, races, last_write = accesses_of(program), {}, {}
  local sharing = program.scalar == "none" and program.entry[4] or program.scalar == "mapped" and "shared" or "private"
  local function note(a, b, level)
    races[("%s %d %d"):format(b.place, a.path[level].iteration, b.path[level].iteration)] = true
  end
  for i, b in ipairs(list) do
    if b.place == "s" and sharing ~= "shared" then
      local level = last_write.s and sharing == "copies" and not b.is_write and concurrent_level(last_write.s, b)
      if level then note(last_write.s, b, level) end
      if b.is_write then last_write.s = b end
    else
      for k = 1, i - 1 do
        local a = list[k]
        local level = a.place == b.place and (a.is_write or b.is_write) and not (a.is_atomic and b.is_atomic)
          and concurrent_level(a, b)
        if level then note(a, b, level) end
      end
    end
  end
  return next(races) and races
end

-- ---------------------------------------------------------------------------------------- writing --

local function index_text(index, is_fortran)
  local text = tostring(index.offset)
  for level, factor in ipairs(index) do text = ("%s + %d * %s"):format(text, factor, COUNTERS[level]) end
  if is_fortran then
    text = ("mod(%s, %d) + 1"):format(text, SIZE)
    return index.is_indirect and ("idx(%s) + 1"):format(text) or text
  end
  text = ("(%s) %% %d"):format(text, SIZE)
  return index.is_indirect and ("idx[%s]"):format(text) or text
end

local sentinels = { acc = { "#pragma acc ", "!$acc " }, omp = { "#pragma omp ", "!$omp " } }

-- Returns the text of the program's body in C or Fortran, and its directive.
local function write_program(program, is_fortran)
  local lines = {}
  local sentinel = sentinels[program.standard][is_fortran and 2 or 1]
  local function add(format, ...) lines[#lines + 1] = format:format(...) end
  local function element(array, index)
    return (is_fortran and "%s(%s)" or "%s[%s]"):format(array, index_text(index, is_fortran))
  end
  local finish = is_fortran and "" or ";"
  local function write(loop)
    local counter = COUNTERS[loop.depth]
    if loop.directive and loop.depth > 1 then
      add("%s", sentinel .. (is_fortran and loop.directive:gsub("for", "do") or loop.directive))
    end
    if is_fortran then add("do %s = 0, %d", counter, loop.n - 1)
    else add("for (int %s = 0; %s < %d; %s++) {", counter, counter, loop.n, counter) end
    for _, item in ipairs(loop.body) do
      if item.body then
        write(item)
      else
        local to, from = element(item.array, item.to), element("a", item.from)
        if item.kind == "copy" then add("%s = %s%s", to, from, finish)
        elseif item.kind == "write" then add("%s = 1%s", to, finish)
        elseif item.kind == "read" then add("%s = %s%s", to, to, finish)
        elseif item.kind == "atomic" then
          add("%satomic", sentinel)
          add("%s = %s + 1%s", to, to, finish)
        elseif item.kind == "sum" then add("s = s + 1%s", finish)
        else
          add("s = 2%s", finish)
          add("%s = s%s", to, finish)
        end
      end
    end
    add("%s", is_fortran and "end do" or "}")
  end
  write(program.loop)
  local clause = { mapped = program.standard == "acc" and "copy(s)" or "map(tofrom: s)", private = "private(s)",
    reduction = "reduction(+: s)" }
  local directive = ("%s %s %s"):format(program.entry[1], program.standard == "acc" and "copy(a, b) copyin(idx)"
    or "map(tofrom: a, b) map(to: idx)", clause[program.scalar or ""] or "")
  if is_fortran then directive = directive:gsub("parallel for", "parallel do") end
  return table.concat(lines, "\n"), directive
end

-- Runs a program in C or Fortran; returns the error of a race, or nil.
local function run_program(program, is_fortran)
  local body, directive = write_program(program, is_fortran)
  host.idx = table.move(program.indirect, 0, SIZE - 1, 1, {})
  local ok, err = pcall(function()
    if is_fortran then fortran(("!$%s %s\n%s"):format(program.standard, directive, body))
    elseif program.standard == "acc" then acc(directive)(body)
    else omp(directive)(body) end
  end)
  if ok then return nil, directive .. "\n" .. body end
  if err.code ~= "data-race" then error(err, 0) end
  return err, directive .. "\n" .. body
end

-- Returns the text of races_of for a reported race.
local function race_of(err, is_fortran)
  local text = err.message:gsub(" both write ", " writes ")
  local array, subscript = text:match "s (%a)[%[(](%d+)[%])]"
  local place = array and array .. (subscript - (is_fortran and 1 or 0)) or "s"
  local first, second = err.message:match "= (%d+).- = (%d+)"
  if not err.message:find "both" then first, second = second, first end
  return ("%s %d %d"):format(place, first, second)
end

-- Compares the interpreter with the model's set of races (nil: none). Returns nil if they agree, otherwise a text about
-- the difference.
local function difference(program, is_fortran, races)
  local err, text = run_program(program, is_fortran)
  if not err and not races or err and races and races[race_of(err, is_fortran)] then return nil end
  return ("%s\n%s"):format(err and err.message or "no race is reported", text)
end

local declarations = {
  c = ("int idx[%d], a[%d], b[%d], s;"):format(SIZE, SIZE, SIZE),
  fortran = ("integer :: i, j, k, idx(%d), a(%d) = 0, b(%d) = 0, s = 0"):format(SIZE, SIZE, SIZE),
}

-- Begins a session for programs of a standard in a language.
local function begin(standard, language)
  rules(standard == "acc" and "openacc-3.4" or "openmp-6.0")
  if language == "fortran" then fortran(declarations.fortran) else declare(declarations.c) end
end

local found = 0
for _, standard in ipairs { "acc", "omp" } do
  for _, language in ipairs { "c", "fortran" } do
    case(("accepts: races of random loops are those of the model, %s in %s"):format(standard, language), function()
      begin(standard, language)
      for _ = 1, rounds // 4 do
        local program = new_program(standard)
        local races = races_of(program)
        found = found + (races and 1 or 0)
        expect.equal(difference(program, language == "fortran", races) or "", "")
      end
    end)
  end
end

case("accepts: many programs have races, and many have none", function()
  expect.equal(found > rounds // 8, true)
  expect.equal(found < rounds - rounds // 8, true)
end)

-- Each fault of the model is noticed within 200 programs.
for _, is_parallel in ipairs { true, false } do
  case(("accepts: a model in which all loops are %s is noticed"):format(is_parallel and "parallel" or "sequential"),
  function()
    begin("acc", "c")
    for _ = 1, 200 do
      local program = new_program "acc"
      local function change(loop)
        loop.is_parallel = is_parallel
        for _, item in ipairs(loop.body) do
          if item.body then change(item) end
        end
      end
      change(program.loop)
      if difference(program, false, races_of(program)) then return end
    end
    expect.equal("noticed", "not noticed")
  end)
end
