-- cost.lua VALGRIND PROGRAM - instructions of plain constructs in the library, by callgrind: those of many rounds less
-- those of none.
-- Counts are the same in each run; compilers and C libraries differ by less than is left up to the limits.

local valgrind, program = arg[1], arg[2]
local ROUNDS = 1000

local LIMITS = {
  { mode = "pair", most = 1200, aim = 1200 },
  { mode = "repeat", most = 235, aim = 300 },
  { mode = "update", most = 330, aim = 400 },
  { mode = "region-present", most = 550, aim = 600 },
  { mode = "region-present-3", most = 1060, aim = 1200 },
  { mode = "region-fresh", most = 1270, aim = 1300 },
}

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function instructions(mode, rounds)
  local command = ("%s --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=accd_run "
    .. "--toggle-collect=accd_region_end %s %s %d 2>&1"):format(quoted(valgrind),
    quoted(program), mode, rounds)
  local pipe <close> = assert(io.popen(command))
  local text = pipe:read "a"
  local fine = pipe:close()
  return assert(fine and tonumber(text:match "Collected : (%d+)"), text)
end

print("1.." .. #LIMITS)
local good = true
for number, limit in ipairs(LIMITS) do
  local each = (instructions(limit.mode, ROUNDS) - instructions(limit.mode, 0)) // ROUNDS
  local holds = each > 0 and each <= limit.most
  good = good and holds
  print(("%sok %d - %s: %d instructions, at most %d, aimed at %d"):format(holds and "" or "not ", number, limit.mode,
    each, limit.most, limit.aim))
end
os.exit(good)
