-- directory.lua BUILD [full|BACKEND] - the experiments of document DIR's section 5 through its ABI (directory.c),
-- and what an environment costs; prints ratios of this run beside what they should reach, and draws them into
-- BUILD/bench/directory-overhead.svg and directory-cost.svg. "full" measures all depths.
--
-- On a BACKEND, "cuda", it is the experiments alone, drawn into directory-overhead-BACKEND.svg.

local plot = dofile "tests/bench/plot.lua"
local quoted = dofile "tests/suites/shell.lua".quote

local build, full = arg[1], arg[2] == "full"
local BACKEND = not full and arg[2] or "direct"
local GPU = BACKEND ~= "direct" -- else the host's memory
local NO_DEVICE = 77
local MIB = 1 << 20
local MOST_BYTES, MOST_INTERVALS = 64 * MIB, 1000000
local CLAUSES = 10

local function start(...)
  local program = quoted(build .. "/tests/bench/accdeep-bench-directory")
  return assert(io.popen(table.concat({ program, ... }, " ")))
end

-- The lines of a run, as lists of numbers.
local function run(...)
  local list = {}
  local pipe <close> = start(...)
  for line in pipe:lines() do
    local row = {}
    for number in line:gmatch "%S+" do row[#row + 1] = assert(tonumber(number)) end
    list[#list + 1] = row
  end
  assert(pipe:close(), "the measurement failed")
  return list
end

-- The name of the device; or nil and why nothing can run there.
local function about()
  local pipe <close> = start("about", quoted(BACKEND))
  local text = pipe:read "a":gsub("\n$", "")
  local done, _, status = pipe:close()
  assert(done or status == NO_DEVICE, "the device was not found")
  if done then return text end
  return nil, text
end

local function bytes_text(bytes)
  if bytes >= MIB then return ("%d MiB"):format(bytes // MIB) end
  if bytes >= 1024 then return ("%d KiB"):format(bytes // 1024) end
  return ("%d B"):format(bytes)
end

local function verdict(value, target, unit)
  if not target then return "" end
  return ("<= %g%s %s"):format(target, unit or "", value <= target and "yes" or "NO")
end

-- The document compares with plain CUDA: 10 % for small sizes, 5 % for meaningful ones.
local function marks(experiment, bytes, overhead, more)
  local aim = verdict(overhead * 100, bytes >= MIB and 1 or nil, " %")
  if GPU and bytes < MIB then return verdict(overhead * 100, 10, " %") end
  if GPU then return verdict(overhead * 100, 5, " %") .. "  " .. aim end
  return bytes == 64 and experiment.key ~= "updates" and verdict(more / 1000, 5, " us") or aim
end

os.execute("mkdir -p " .. quoted(build .. "/bench"))

if GPU then
  local name, why = about()
  if not name then
    print(("\nThe experiments of document DIR are left out: %s"):format(why))
    return
  end
  print(("\nThe experiments of document DIR, beside plain calls of the driver; on %s"):format(name))
  if name:find "^stand%-in" then
    print "That is host memory behind the driver's interface: its figures mean nothing."
  end
end

-- -------------------------------------------------------------------------------------- overhead --

local EXPERIMENTS = {
  { id = "D1", key = "vector", name = "vector additions",
    title = "three vector additions, device, host, device; an environment of three clauses" },
  { id = "D2", key = "steps", name = "hydrodynamics",
    title = "a hydrodynamics code: an environment of twelve clauses a step, seven arrays moved" },
  { id = "D2", key = "updates", name = "with updates", title = "the same with updates of the seven instead" },
}
local overheads = {
  title = "Data environments compared with plain allocation and copies",
  x = { label = "bytes of an array", low = 64, high = MOST_BYTES, log = true, ticks = {} },
  note = "what is less than 0.01 % lies at the edge",
  y = { label = "overhead", low = 1e-4, high = 100, log = true,
    ticks = { { 1e-4, "0.01 %" }, { 1e-3, "0.1 %" }, { 0.01, "1 %" }, { 0.1, "10 %" }, { 1, "100 %" },
      { 10, "1000 %" }, { 100, "10000 %" } } },
  marks = { { 0.1, "the document, small sizes: 10 %" }, { 0.05, "the document, meaningful sizes: 5 %" },
    { 0.01, "our aim from 1 MiB on: 1 %" } },
  series = {},
}
for bytes = 6, 26, 4 do
  overheads.x.ticks[#overheads.x.ticks + 1] = { 1 << bytes, bytes_text(1 << bytes) }
end

for _, experiment in ipairs(EXPERIMENTS) do
  print(("\n%s; on the backend %s"):format(experiment.title, BACKEND))
  local points = {}
  for _, row in ipairs(run("overhead", experiment.key, MOST_BYTES, quoted(BACKEND))) do
    local bytes, hand, ours = table.unpack(row)
    local overhead, more = ours / hand - 1, ours - hand
    points[#points + 1] = { bytes, overhead }
    print(("%-4s %8s %12.2f us by hand %12.2f us %9.2f %% %9.2f us more  %s"):format(experiment.id, bytes_text(bytes),
      hand / 1000, ours / 1000, overhead * 100, more / 1000, marks(experiment, bytes, overhead, more)))
  end
  overheads.series[#overheads.series + 1] = { name = experiment.name, points = points }
end
local drawn = build .. ("/bench/directory-overhead%s.svg"):format(GPU and "-" .. BACKEND or "")
plot.write(drawn, overheads)
if GPU then
  print(("\ndrawn: %s"):format(drawn))
  return
end

-- ------------------------------------------------------------------------------------------ cost --

local KINDS = {
  { key = "present", name = "present data" },
  { key = "new", name = "new data" },
  { key = "fuse", name = "fusing pairs" },
}
local costs = {
  title = ("An environment of %d clauses opened and closed: straight lines grow like log n"):format(CLAUSES),
  note = "dashed: inside 999 other environments",
  x = { label = "live intervals", low = 10, high = MOST_INTERVALS, log = true,
    ticks = { { 10, "10" }, { 100, "100" }, { 1000, "1,000" }, { 1e4, "10,000" }, { 1e5, "100,000" },
      { 1e6, "1,000,000" } } },
  y = { label = "µs for each clause", low = 0, high = 0, ticks = {} },
  series = {},
}

local function cost(kind, clauses, most, depth) return run("cost", kind, clauses, most, depth) end

for i, kind in ipairs(KINDS) do
  print(("\nan environment of %d clauses opened and closed, %s: us for each clause, its ratio to that of 10 intervals, "
    .. "and that to log n"):format(CLAUSES, kind.name))
  local shallow = {}
  for _, depth in ipairs(full and { 1, 10, 100, 1000 } or { 1, 1000 }) do
    local points = {}
    local list = cost(kind.key, CLAUSES, MOST_INTERVALS, depth)
    for _, row in ipairs(list) do
      local n, us = row[1], row[2] / 1000
      local ratio = row[2] / list[1][2]
      local to_log = ratio / (math.log(n) / math.log(10))
      shallow[n] = shallow[n] or us
      points[#points + 1] = { n, us }
      costs.y.high = math.max(costs.y.high, us)
      print(("D3   %8d intervals, depth %4d %9.3f us %9.2f %9.2f  %s"):format(n, depth, us, ratio, to_log,
        verdict(to_log, n > 10 and 2 or nil))) -- twice: what does not fit into caches costs more
    end
    if depth == 1 or depth == 1000 then
      costs.series[#costs.series + 1] = { name = depth == 1 and kind.name, points = points, color = i,
        dashed = depth > 1 }
    end
    if depth > 1 then
      local last = list[#list]
      local ratio = last[2] / 1000 / shallow[last[1]]
      print(("D3   depth %d / depth 1, %d intervals %24.2f  %s"):format(depth, last[1], ratio, verdict(ratio, 1.5)))
    end
  end
  local many = cost(kind.key, 1000, 10000, 1)
  local ratio = many[2][2] / 1000 / shallow[10000]
  print(("D3   a clause of 1,000 / one of %d, 10,000 intervals %17.2f  %s"):format(CLAUSES, ratio, verdict(ratio, 2)))
end
local step = 0.1
for _, larger in ipairs { 0.2, 0.5, 1, 2, 5, 10 } do
  if costs.y.high / step > 8 then step = larger end
end
costs.y.high = math.ceil(costs.y.high / step) * step
for i = 0, math.floor(costs.y.high / step + 0.5) do costs.y.ticks[i + 1] = { i * step, ("%.1f"):format(i * step) } end
plot.write(build .. "/bench/directory-cost.svg", costs)
print(("\ndrawn: %s, directory-cost.svg"):format(drawn))
