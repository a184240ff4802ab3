-- lower.lua BUILD [CELLS] - the deep copyin of a domain of cells (examples/cells.c): written by hand, and lowered from
-- a directive of TR-14-1, on libgomp with a simulated device (tests/suites/plugin.c), on accdeep, and as calls of
-- accdeep's own library. Nanoseconds for a cell, the least of several runs in turn, and ratios.

local shell = dofile "tests/suites/shell.lua"
local run, quoted = shell.output, shell.quote

local build, cells = arg[1], arg[2] or "1000000"
local REPEATS = 5

local work = run("mktemp -d"):gsub("%s+$", "")
local accdeep = quoted(build) .. "/accdeep "

local function compile(command, source, target)
  return run(("%s -O2 -foffload=disable %s -o %s/%s 2>&1"):format(command, source, quoted(work), target)) and target
end

local plugin = (run "gcc -dumpversion 2>/dev/null" or ""):match "^12"
  and compile("gcc -D_GNU_SOURCE -DPLAIN -shared -fPIC", "tests/suites/plugin.c", "libgomp-plugin-nvptx.so.1")
local stock = "LD_LIBRARY_PATH=" .. quoted(work) .. " ACC_DEVICE_TYPE=nvidia "
local by_hand = compile("gcc -fopenacc", "examples/cells_by_hand.c", "by_hand")
local lowered = compile(accdeep .. "cc --no-check gcc -fopenacc", "examples/cells.c", "lowered")
local called = compile(accdeep .. "cc --to accdeep gcc -fopenacc", "examples/cells.c", "called")
local directive = compile(("gcc -Ilua/embed -Icore -L%s -Wl,-rpath,%s"):format(quoted(build), quoted(build)),
  "tests/bench/cells.c -laccdeep", "directive")

-- What is compared with the row before, and the most that is expected of the ratio.
local ROWS = {
  { about = "by hand, libgomp", before = stock, program = plugin and by_hand },
  { about = "lowered, libgomp", before = stock, program = plugin and lowered, most = 1.2 },
  { about = "by hand, accdeep exec", before = accdeep .. "exec ", program = by_hand },
  { about = "lowered, accdeep exec", before = accdeep .. "exec ", program = lowered, most = 1.2 },
  { about = "a directive of libaccdeep", before = "", program = directive },
  { about = "lowered --to accdeep", before = "", program = called, most = 1.5 },
}

for _ = 1, REPEATS do
  for _, row in ipairs(ROWS) do
    local text = row.program and run(("%s%s/%s %s 2>&1"):format(row.before, quoted(work), row.program, cells)) or ""
    local ns = tonumber(text:match "deep copyin: (%d+) ns")
    if ns then row.ns = math.min(row.ns or math.huge, ns) end
  end
end

print(("\ndeep copyin of %s cells, ns for a cell"):format(cells))
for i, row in ipairs(ROWS) do
  local other = row.most and ROWS[i - 1].ns
  print(("%-28s %8s%s"):format(row.about, row.ns or "-", other and row.ns
    and ("  %5.2f times the row before (at most %.1f)"):format(row.ns / other, row.most) or ""))
end
os.execute("rm -rf " .. quoted(work))
