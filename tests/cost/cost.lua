-- cost.lua VALGRIND PROGRAM RUNTIME SOURCE FIRST ACCDEEP - instructions of plain constructs in the library, of
-- directives of a real OpenACC program on the runtime, of loops compiled for checking, and of first uses, by callgrind:
-- those of many rounds less those of none, or of fewer.
-- Counts are the same in each run; compilers and C libraries differ by less than is left up to the limits.

local valgrind, program, runtime, source, first, accdeep = table.unpack(arg, 1, 6)
local ROUNDS = 1000

local LIMITS = {
  { mode = "pair", most = 1110, aim = 1050 },
  { mode = "pointer", most = 3350, aim = 3000 },
  { mode = "repeat", most = 210, aim = 200 },
  { mode = "update", most = 315, aim = 300 },
  { mode = "region-present", most = 410, aim = 390 },
  { mode = "region-present-3", most = 655, aim = 600 },
  { mode = "region-fresh", most = 1160, aim = 1100 },
  -- A thousand present structures of two pointers each, of one length or not: a list of addresses and values that is
  -- compared word by word would take 21 for each structure.
  { mode = "deep", most = 37500, aim = 33000 },
  { mode = "deep-lengths", most = 75000, aim = 68000 },
}
-- All of the program's: what the compiler makes of a directive, the runtime, the library.
local DIRECTIVES = {
  { mode = "data", most = 725, aim = 680 },
  { mode = "data-3", most = 1140, aim = 1050 },
  { mode = "enter-exit", most = 868, aim = 800 },
  { mode = "serial-3", most = 1170, aim = 1100 },
  { mode = "serial-values", most = 3650, aim = 3000 },
  { mode = "update", most = 540, aim = 500 },
  { mode = "is_present", most = 260, aim = 260 },
  { mode = "members", most = 4650, aim = 3000 }, -- a structure that begins with a pointer, and two sections
}

-- The first or second session of a C program: a declaration, a binding and a directive, or only open and close. And a
-- scenario without a statement. Counts differ a little, with the interpreter's hash seeds.
local FIRST = {
  { mode = "open", round = 1, most = 34500000, aim = 30000000 },
  { mode = "openacc", round = 1, most = 72000000, aim = 60000000 },
  { mode = "openmp", round = 1, most = 75000000, aim = 60000000 },
  { mode = "openacc", round = 2, most = 6000000, aim = 3000000 },
  { mode = "openmp", round = 2, most = 6000000, aim = 3000000 },
}
local EMPTY = { mode = "run -e ''", most = 47000000, aim = 40000000 }

-- For each element of a loop that is compiled for checking: one load and store in a kernel; 16 times the same in a
-- kernel of a queue, whose uses are noted; in OpenMP, where each iteration reads the pointers, too, of arrays that
-- change places; on the host, of memory that is not mapped; three in a kernel, two on the host, and both transfers.
local CHECKED = {
  { mode = "kernel", most = 50, aim = 40 },
  { mode = "queue", most = 2800, aim = 2000 },
  { mode = "teams", most = 1950, aim = 1700 },
  { mode = "host", most = 77, aim = 60 },
  { mode = "update", most = 310, aim = 270 },
}
local ELEMENTS, FEWER, MORE = 4096, 10, 30

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function output(command)
  local pipe <close> = assert(io.popen(command))
  local text = pipe:read "a"
  return text, pipe:close()
end

local function instructions(command)
  local text, fine = output(command .. " 2>&1")
  return assert(fine and tonumber(text:match ".*Collected : (%d+)"), text) -- the process that the command became
end

local number, good = 0, true
local function report(limit, each)
  local holds = each > 0 and each <= limit.most
  good, number = good and holds, number + 1
  print(("%sok %d - %s%s: %d instructions, at most %d, aimed at %d"):format(holds and "" or "not ", number, limit.mode,
    limit.round and ", session " .. limit.round or "", each, limit.most, limit.aim))
end
local function check(start, limits)
  for _, limit in ipairs(limits) do
    local from, to = limit.round and limit.round - 1 or 0, limit.round or ROUNDS
    local function of(rounds) return instructions(("%s %s %d"):format(start, limit.mode, rounds)) end
    report(limit, (of(to) - of(from)) // (to - from))
  end
end

local callgrind = quoted(valgrind) .. " --tool=callgrind --callgrind-out-file=/dev/null "
local compiled = os.tmpname()
local _, has_openacc = output(("gcc -O2 -fopenacc -foffload=disable %s -o %s 2>&1"):format(quoted(source),
  quoted(compiled)))
print("1.." .. #LIMITS + #FIRST + 1 + (has_openacc and #DIRECTIVES + #CHECKED or 0))
check(callgrind .. "--toggle-collect=accd_run_construct --toggle-collect=accd_region_end " .. quoted(program), LIMITS)
check(callgrind .. quoted(first), FIRST)
report(EMPTY, instructions(callgrind .. quoted(accdeep) .. " " .. EMPTY.mode))
if has_openacc then
  check(("LD_PRELOAD=%s %s %s"):format(quoted(runtime), callgrind, quoted(compiled)), DIRECTIVES)
  local loops = source:gsub("[^/]*$", "checked.c")
  -- Comparing iterations costs more; the benchmark of checks measures it.
  local command = "%s cc --no-races gcc -O2 -fopenacc -fopenmp %s -o %s 2>&1"
  local text, compiles = output(command:format(quoted(accdeep), quoted(loops), quoted(compiled)))
  assert(compiles, text)
  local start = ("ACCDEEP_DEVICE_MEMORY=67108864 %s --trace-children=yes %s exec %s"):format(callgrind, quoted(accdeep),
    quoted(compiled))
  for _, limit in ipairs(CHECKED) do
    local function of(rounds) return instructions(("%s %s %d"):format(start, limit.mode, rounds)) end
    report(limit, (of(MORE) - of(FEWER)) // ((MORE - FEWER) * ELEMENTS))
  end
else
  print "# this gcc has no OpenACC"
end
os.remove(compiled)
os.exit(good)
