-- openacc.lua BUILD - a real OpenACC program (openacc.c) on accdeep and on stock libgomp with a simulated
-- device, in turn: nanoseconds and ratios of this run. The least of several repetitions counts.
--
-- The device of libgomp is tests/suites/plugin.c without its checks: memory is malloc's, a copy is a memcpy, a kernel
-- is called, as on ours. What both do is the same; no row is a fallback to the host.

local build = arg[1]
local REPEATS, MAPPINGS = 5, { 1, 10, 1000, 100000 }

-- Ratios to libgomp that all rows must reach, and this one at the most mappings.
local LEAST, LEAST_OF_ALL = 1, { ["all-lookups"] = 5 }

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

local order = {}
local function measure(least, command)
  for key, ns in assert(run(command)):gmatch "(%S+) (%S+)\n" do
    if not order[key] then
      order[#order + 1], order[key] = key, true
    end
    least[key] = math.min(least[key] or math.huge, tonumber(ns))
  end
end

local ours, theirs = {}, {}
for i, mappings in ipairs(MAPPINGS) do
  ours[i], theirs[i] = {}, {}
  for _ = 1, REPEATS do
    measure(ours[i], ("%s/accdeep exec %s/program %d"):format(quoted(build), quoted(work), mappings))
    if stock then
      measure(theirs[i], ("LD_LIBRARY_PATH=%s %s/program %d"):format(quoted(work), quoted(work), mappings))
    end
  end
end
run("rm -rf " .. quoted(work))

print "\nreal OpenACC programs: ns an operation with so many present, and stock libgomp on a simulated device / accdeep"
local heads = {}
for i, mappings in ipairs(MAPPINGS) do heads[i] = ("%16d"):format(mappings) end
print(("     %-22s%s"):format("", table.concat(heads)))
for _, key in ipairs(order) do
  local cells, reached = {}, true
  for i in ipairs(MAPPINGS) do
    local ratio = theirs[i][key] and theirs[i][key] / ours[i][key]
    local wanted = i == #MAPPINGS and LEAST_OF_ALL[key] or LEAST
    reached = reached and (not ratio or ratio >= wanted)
    cells[i] = ("%9.1f %6s"):format(ours[i][key], ratio and ("%.2f"):format(ratio) or "")
  end
  local verdict = ">= " .. LEAST .. (LEAST_OF_ALL[key] and ", at last " .. LEAST_OF_ALL[key] or "")
  print(("X1   %-22s%s  %s"):format(key, table.concat(cells), stock and verdict .. (reached and " yes" or " NO") or ""))
end
