-- cost.lua VALGRIND PROGRAM RUNTIME SOURCE - instructions of plain constructs in the library, and of directives of a
-- real OpenACC program on the runtime, by callgrind: those of many rounds less those of none.
-- Counts are the same in each run; compilers and C libraries differ by less than is left up to the limits.

local valgrind, program, runtime, source = table.unpack(arg, 1, 4)
local ROUNDS = 1000

local LIMITS = {
  { mode = "pair", most = 1120, aim = 1050 },
  { mode = "repeat", most = 210, aim = 200 },
  { mode = "update", most = 320, aim = 300 },
  { mode = "region-present", most = 410, aim = 390 },
  { mode = "region-present-3", most = 665, aim = 600 },
  { mode = "region-fresh", most = 1170, aim = 1100 },
  -- A thousand present structures of two pointers each, of one length or not: a list of addresses and values that is
  -- compared word by word would take 21 for each structure.
  { mode = "deep", most = 37500, aim = 33000 },
  { mode = "deep-lengths", most = 75000, aim = 68000 },
}
-- All of the program's: what the compiler makes of a directive, the runtime, the library.
local DIRECTIVES = {
  { mode = "data", most = 730, aim = 680 },
  { mode = "data-3", most = 1140, aim = 1050 },
  { mode = "enter-exit", most = 870, aim = 800 },
  { mode = "serial-3", most = 1190, aim = 1100 },
  { mode = "serial-values", most = 3650, aim = 3000 },
  { mode = "update", most = 545, aim = 500 },
  { mode = "is_present", most = 260, aim = 260 },
}

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function output(command)
  local pipe <close> = assert(io.popen(command))
  local text = pipe:read "a"
  return text, pipe:close()
end

local function instructions(start, mode, rounds)
  local text, fine = output(("%s %s %d 2>&1"):format(start, mode, rounds))
  return assert(fine and tonumber(text:match "Collected : (%d+)"), text)
end

local number, good = 0, true
local function check(start, limits)
  for _, limit in ipairs(limits) do
    local each = (instructions(start, limit.mode, ROUNDS) - instructions(start, limit.mode, 0)) // ROUNDS
    local holds = each > 0 and each <= limit.most
    good, number = good and holds, number + 1
    print(("%sok %d - %s: %d instructions, at most %d, aimed at %d"):format(holds and "" or "not ", number, limit.mode,
      each, limit.most, limit.aim))
  end
end

local callgrind = quoted(valgrind) .. " --tool=callgrind --callgrind-out-file=/dev/null "
local compiled = os.tmpname()
local _, has_openacc = output(("gcc -O2 -fopenacc -foffload=disable %s -o %s 2>&1"):format(quoted(source),
  quoted(compiled)))
print("1.." .. #LIMITS + (has_openacc and #DIRECTIVES or 0))
check(callgrind .. "--toggle-collect=accd_run --toggle-collect=accd_region_end " .. quoted(program), LIMITS)
if has_openacc then
  check(("LD_PRELOAD=%s %s %s"):format(quoted(runtime), callgrind, quoted(compiled)), DIRECTIVES)
else
  print "# this gcc has no OpenACC"
end
os.remove(compiled)
os.exit(good)
