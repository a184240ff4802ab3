-- openacc.lua BUILD - a real OpenACC program (openacc.c) on accdeep and on stock libgomp with a simulated
-- device, in turn: nanoseconds and ratios of this run. The least of several repetitions counts.

local build = arg[1]
local REPEATS, MAPPINGS = 3, "100000"

-- Nanoseconds that no row may pass; ratios to libgomp, at 100,000 mappings, that they must reach.
local MOST = { ["data-present-1"] = 1000, ["data-present-3"] = 1000, ["enter-exit-present"] = 1000,
  ["update-256-bytes"] = 1000, ["compute-present-3"] = 1000 }
local LEAST = { ["all-lookups"] = 5 }

local function run(command)
  local pipe <close> = assert(io.popen(command))
  local text = pipe:read "a"
  local fine = pipe:close()
  return fine and text
end

local work = run("mktemp -d"):gsub("%s+$", "")
local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function compile(options, source, target)
  return run(("gcc -O2 -D_GNU_SOURCE %s %s -o %s/%s 2>&1"):format(options, source, quoted(work), target))
end

if not compile("-fopenacc -foffload=disable", "tests/bench/openacc.c", "program") then
  print "\nreal OpenACC programs: this gcc has no OpenACC"
  os.exit(0)
end
local version = run "gcc -dumpversion"
local stock = version:match "^12" and compile("-DPLAIN -shared -fPIC", "tests/suites/plugin.c",
  "libgomp-plugin-nvptx.so.1")

local order, least = {}, { accdeep = {}, libgomp = {} }
local function measure(name, command)
  for key, ns in assert(run(command)):gmatch "(%S+) (%S+)\n" do
    if not least.accdeep[key] and name == "accdeep" then order[#order + 1] = key end
    least[name][key] = math.min(least[name][key] or math.huge, tonumber(ns))
  end
end
for _ = 1, REPEATS do
  measure("accdeep", ("%s/accdeep exec %s/program %s"):format(quoted(build), quoted(work), MAPPINGS))
  if stock then
    measure("libgomp", ("LD_LIBRARY_PATH=%s %s/program %s"):format(quoted(work), quoted(work), MAPPINGS))
  end
end
run("rm -rf " .. quoted(work))

print "\nreal OpenACC programs: ns an operation, stock libgomp on a simulated device / accdeep"
for _, key in ipairs(order) do
  local ours, theirs = least.accdeep[key], least.libgomp[key]
  local most, wanted, verdict = MOST[key], LEAST[key], ""
  if most then verdict = ("<= %d ns %s"):format(most, ours <= most and "yes" or "NO") end
  if wanted and theirs then verdict = (">= %d %s"):format(wanted, theirs / ours >= wanted and "yes" or "NO") end
  print(("X1   %-30s %9.1f ns %9s %s"):format(key, ours, theirs and ("%.2f"):format(theirs / ours) or "", verdict))
end
