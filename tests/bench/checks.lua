-- checks.lua BUILD [ROWS [COLUMN]] - what checks cost programs that compute (computes.c, .cpp, .f90): processor time
-- and memory as ratios to the same program without any runtime for devices, of accdeep's runs and of other tools on
-- this machine. ROWS: a pattern, of rows that are measured. COLUMN: the one that is.

local shell = dofile "tests/suites/shell.lua"
local run, quoted = shell.output, shell.quote

local build = arg[1]
local REPEATS = 1
-- races: most that the comparison of iterations may add, in time and in memory, to checked runs without it.
local LIMITS = { strict = 1.5, checked = 15, memory = 4, races = 1.5 }

local work = run("mktemp -d"):gsub("%s+$", "")
local exec = quoted(build) .. "/accdeep exec "
local accdeep_cc = quoted(build) .. "/accdeep cc "
local threads = "OMP_NUM_THREADS=1 "

-- One row for each: what the program is, how it is compiled, its arguments.
local PROGRAMS = {}
for _, standard in ipairs { "acc", "omp" } do
  for _, what in ipairs { "triad 400", "stencil 600", "gather 80", "host 300", "cg 250", "calls 200",
    "queues 150" } do
    PROGRAMS[#PROGRAMS + 1] = { about = what:match "%S+" .. ", C, " .. (standard == "acc" and "OpenACC" or "OpenMP"),
      compiler = "gcc", source = "computes.c", standard = "-fopen" .. (standard == "acc" and "acc" or "mp"),
      arguments = what }
  end
end
PROGRAMS[#PROGRAMS + 1] = { about = "vector, C++, OpenACC", compiler = "g++", source = "computes.cpp",
  standard = "-fopenacc", arguments = "500" }
PROGRAMS[#PROGRAMS + 1] = { about = "arrays, Fortran, OpenACC", compiler = "gfortran", source = "computes.f90",
  standard = "-fopenacc", arguments = "150" }

-- A way to run a program each. cc: in front of the compiler; with: more options; run: in front of the program.
local COLUMNS = {
  { name = "exec", run = exec },
  { name = "strict", run = exec .. "--strict ", most = LIMITS.strict },
  { name = "no races", cc = accdeep_cc .. "--no-races ", run = exec, most = LIMITS.checked, memory = LIMITS.memory },
  { name = "checked", cc = accdeep_cc, run = exec, most = LIMITS.checked * LIMITS.races,
    memory = LIMITS.memory * LIMITS.races, base = "no races" },
  { name = "TSan", with = "-g -fsanitize=thread", run = "TSAN_OPTIONS=exitcode=0 " },
  { name = "memcheck", run = "valgrind -q " },
}

local function compile(program, cc, with, target)
  local modules = program.compiler == "gfortran" and "-J " .. quoted(work) or ""
  local options = ("-O2 %s -foffload=disable %s %s"):format(program.standard, with or "", modules)
  return run(("%s%s %s tests/bench/%s -o %s/%s 2>&1"):format(cc or "", program.compiler, options, program.source,
    quoted(work), target))
end

if arg[2] then
  for i = #PROGRAMS, 1, -1 do
    if not PROGRAMS[i].about:find(arg[2]) then table.remove(PROGRAMS, i) end
  end
end
if arg[3] then
  for i = #COLUMNS, 1, -1 do
    if COLUMNS[i].name ~= arg[3] then table.remove(COLUMNS, i) end
  end
end

-- Seconds and MB; nil if the program fails.
local function spend(before, target, arguments)
  local seconds, memory = math.huge, math.huge
  for _ = 1, REPEATS do
    local text = run(("%s%s/spend env %s%s/%s %s"):format(threads, quoted(work), before, quoted(work), target,
      arguments))
    if not text then return nil end
    local s, m = text:match "(%S+) (%S+)"
    seconds, memory = math.min(seconds, tonumber(s)), math.min(memory, tonumber(m))
  end
  return seconds, memory
end

assert(run(("gcc -O2 -D_GNU_SOURCE tests/bench/spend.c -o %s/spend"):format(quoted(work))))
print "\nchecks of programs that compute: time, and memory, as ratios to the plain program"
local heads = {}
for i, column in ipairs(COLUMNS) do heads[i] = ("%14s"):format(column.name) end
print(("     %-26s%8s%6s%s"):format("", "s", "MB", table.concat(heads)))
for _, program in ipairs(PROGRAMS) do
  if compile(program, nil, "-g", "plain") then
    local plain, memory = spend("", "plain", program.arguments)
    local cells, reached, costs = {}, true, {}
    for i, column in ipairs(COLUMNS) do
      local with = column.cc or column.with
      local made = not with or compile(program, column.cc, column.with, "other")
      local s, m
      if made then s, m = spend(column.run, with and "other" or "plain", program.arguments) end
      cells[i] = s and ("%8.1f %5.1f"):format(s / plain, m / memory) or ("%14s"):format "-"
      costs[column.name] = s and { s, m }
      local base = s and column.base and costs[column.base]
      reached = reached and not (base and (s > base[1] * LIMITS.races or m > base[2] * LIMITS.races))
      local is_ours = column.run:find(exec, 1, true) ~= nil
      reached = reached and (not s and not is_ours
        or s and s / plain <= (column.most or math.huge) and m / memory <= (column.memory or math.huge)) or false
    end
    print(("K1   %-26s%8.2f%6.0f%s  %s"):format(program.about, plain, memory, table.concat(cells, ""),
      reached and "yes" or "NO"))
  end
end
-- What each run begins with.
if not arg[2] and compile(PROGRAMS[1], nil, "-g", "plain") then
  local plain, cells = spend("", "plain", "triad 0"), {}
  for i, column in ipairs(COLUMNS) do
    local s = not column.cc and not column.with and spend(column.run, "plain", "triad 0")
    cells[i] = s and ("%7.0f ms    "):format((s - plain) * 1000) or ("%14s"):format "-"
  end
  print(("     %-26s%8.2f%6s%s"):format("start, and transfers", plain, "", table.concat(cells)))
end
print(("     strict: time <= %.1f; no races: time <= %d, memory <= %d; checked: %.1f times as much"):format(
  LIMITS.strict, LIMITS.checked, LIMITS.memory, LIMITS.races))
run("rm -rf " .. quoted(work))
