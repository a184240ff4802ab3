-- programs.lua BUILD - real OpenACC and OpenMP programs (openacc.c, openmp.c) on accdeep and on the runtime of their
-- compiler with a simulated device, in turn: nanoseconds and ratios of this run. The least of several repetitions
-- counts.
--
-- The device of libgomp is tests/suites/plugin.c without its checks: memory is malloc's, a copy is a memcpy, a kernel
-- is called, as on ours. That of libomptarget is its own for this machine. What both do is the same; no row is a
-- fallback to the host. CLANG in the environment is the name of another clang.

local shell = dofile "tests/suites/shell.lua"
local run, quoted = shell.output, shell.quote

local build = arg[1]
local REPEATS, MAPPINGS = 5, { 1, 10, 1000, 100000 }
local CLANG = os.getenv "CLANG" or "clang"

local work = run("mktemp -d"):gsub("%s+$", "")

local function compile(compiler, options, source, target)
  return run(("%s -O2 -D_GNU_SOURCE %s %s -o %s/%s 2>&1"):format(compiler, options, source, quoted(work), target))
end

local function is_version(compiler, version)
  local text = run(compiler .. " -dumpversion 2>/dev/null")
  return text and text:match("^" .. version)
end

local plugin = is_version("gcc", "12") and compile("gcc", "-DPLAIN -shared -fPIC", "tests/suites/plugin.c",
  "libgomp-plugin-nvptx.so.1")

-- least: the ratio to the other runtime that all rows must reach; last: some at the most mappings. stock: how the other
-- runtime is started, false: it is not here.
local KINDS = {
  { id = "X1", about = "real OpenACC programs of gcc, and libgomp", compiler = "gcc", source = "tests/bench/openacc.c",
    options = "-fopenacc -foffload=disable", stock = plugin and "LD_LIBRARY_PATH=" .. quoted(work),
    last = { ["all-lookups"] = 5 } },
  { id = "X2", about = "real OpenMP programs of gcc, and libgomp", compiler = "gcc", source = "tests/bench/openmp.c",
    options = "-fopenmp -foffload=disable", stock = plugin and "LD_LIBRARY_PATH=" .. quoted(work) },
  { id = "X3", about = "real OpenMP programs of clang, and libomptarget", compiler = CLANG,
    source = "tests/bench/openmp.c", options = "-fopenmp -fopenmp-targets=x86_64-pc-linux-gnu", stock = "" },
}
local LEAST = 1

local function measure(order, least, command)
  local text = run(command)
  if not text then return false end
  for key, ns in text:gmatch "(%S+) (%S+)\n" do
    if not order[key] then
      order[#order + 1], order[key] = key, true
    end
    least[key] = math.min(least[key] or math.huge, tonumber(ns))
  end
  return true
end

local function table_of(kind)
  local order, ours, theirs, stock = {}, {}, {}, kind.stock
  for i, mappings in ipairs(MAPPINGS) do
    ours[i], theirs[i] = {}, {}
    for _ = 1, REPEATS do
      assert(measure(order, ours[i], ("%s/accdeep exec %s/program %d"):format(quoted(build), quoted(work), mappings)))
      stock = stock and measure(order, theirs[i], ("%s %s/program %d"):format(stock, quoted(work), mappings)) and stock
    end
  end
  print(("\n%s on a simulated device: ns an operation with so many present, and its time there / here"):format(
    kind.about))
  local heads = {}
  for i, mappings in ipairs(MAPPINGS) do heads[i] = ("%16d"):format(mappings) end
  print(("     %-22s%s"):format("", table.concat(heads)))
  for _, key in ipairs(order) do
    local cells, reached, last = {}, true, kind.last and kind.last[key]
    for i in ipairs(MAPPINGS) do
      local ratio = theirs[i][key] and theirs[i][key] / ours[i][key]
      reached = reached and (not ratio or ratio >= (i == #MAPPINGS and last or LEAST))
      cells[i] = ("%9.1f %6s"):format(ours[i][key], ratio and ("%.2f"):format(ratio) or "")
    end
    local verdict = ">= " .. LEAST .. (last and ", at last " .. last or "")
    print(("%-4s %-22s%s  %s"):format(kind.id, key, table.concat(cells),
      stock and verdict .. (reached and " yes" or " NO") or ""))
  end
end

for _, kind in ipairs(KINDS) do
  if compile(kind.compiler, kind.options, kind.source, "program") then
    table_of(kind)
  else
    print(("\n%s: %s cannot compile them here"):format(kind.about, kind.compiler))
  end
end
run("rm -rf " .. quoted(work))
