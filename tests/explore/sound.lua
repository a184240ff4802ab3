-- sound.lua - what `accdeep explore` says of a program, by going back to states that were saved, is what a new session
-- does that carries out the program from its beginning.
--
-- Each program of vocabularies up to a bound, the examples' and random ones. ACCDEEP_SEED chooses the random ones;
-- ACCDEEP_ROUNDS: how many. ACCDEEP_PROFILES: under how many profiles the examples' are explored; all if it is not set.
-- Vocabularies that are refused are left out.

local diagnostic = require "accdeep.base.diagnostic"
local explore = require "accdeep.tools.explore"
local test_program = require "accdeep.tools.explore.test_program"
local program_replay = require "accdeep.tools.explore.program_replay"
local search = require "accdeep.tools.explore.search"
local sorted_pairs = require "accdeep.base.sorted_pairs"

local seed = math.tointeger(os.getenv "ACCDEEP_SEED") or 1
local rounds = math.tointeger(os.getenv "ACCDEEP_ROUNDS") or 8
local most_profiles = math.tointeger(os.getenv "ACCDEEP_PROFILES") or math.maxinteger
local folder = os.getenv "ACCDEEP_EXPLORE" or "examples/explore"

local failures, compared = 0, 0

local function fail(made, text, format, ...)
  failures = failures + 1
  if failures > 10 then return end
  print(("%s under %s: " .. format):format(made.source.file, made.names[1], ...))
  for _, line in ipairs(test_program.lines(made.actions, text)) do print("  " .. line) end
end

-- Explores, and compares what is said of each program, or of one in `every`, with a new session. way "back": the world
-- goes back behind words that failed, too: it must be as if it had not. "late": plans are forgotten, and prepared again
-- in other states.
local function check(path, rules, bound, every, way)
  local made = explore.open(path, { rules = { rules }, bound = bound })
  local n = 0
  local observer = {}
  function observer.step(_, text, word, outcomes)
    n = n + 1
    if n % every == 0 then
      local whole = text .. string.char(word)
      local fresh = program_replay.fresh(made.source, made.actions, whole, rules)
      compared = compared + 1
      if fresh.code ~= outcomes.codes[1] then
        fail(made, whole, "(%s) %s when explored, %s from the beginning", way, outcomes.codes[1] or "accepted",
          fresh.code or "accepted")
      end
      for i, part in ipairs(search.parts) do
        if part ~= "open" and fresh[part] ~= outcomes.digests[i] then fail(made, whole, "%s differ (%s)", part, way) end
      end
    end
    if way == "late" and n % 17 == 0 then made.systems[1].session:forget_plans() end
    return way == "back"
  end
  local one = search.new(made.systems, made.actions, made.parts, observer)
  one:run(made.bound, { visit = function(self, level, first, _, last)
    for i = first, #level do self:extend(level[i], last) end
  end })
  explore.close(made)
  return one
end

-- Programs of one class do the same with each word that comes next: all programs are carried out, without classes.
-- renames: classes have programs with other names.
local function check_classes(path, rules, bound, renames)
  local made = explore.open(path, { rules = { rules }, bound = bound })
  local one = search.new(made.systems, made.actions, made.parts, {})
  if not renames then one.renamings = {} end
  local rows, first = {}, {}
  local function visit(text)
    one:go_to(text)
    local before, row, after = one.saved[#text], {}, {}
    for word = 1, #made.actions do
      if made.systems[1]:may(word) then
        local tried = one:try(word, before)
        row[word] = (tried.codes[1] or "accepted") .. " " .. one:key(tried.digests, tried.partition)
        if not tried.failed then after[#after + 1] = word end
        one:back(#text)
      end
    end
    local key, shown = one:key(before.digests, before.partition), {}
    for word = 1, #made.actions do shown[word] = row[word] or "-" end
    if renames then table.sort(shown) end -- words have other names, too
    local what = table.concat(shown, "\n")
    compared = compared + 1
    if rows[key] and rows[key] ~= what then
      for word = 1, #made.actions do
        local other = rows[key]:gsub("\n", " | ")
        if not other:find(shown[word], 1, true) then
          fail(made, text .. string.char(word), "others of its class do something else than this, as\n  %s\n and:",
            table.concat(test_program.lines(made.actions, first[key]), "\n  "))
        end
      end
    end
    rows[key], first[key] = rows[key] or what, first[key] or text
    if #text < bound - 1 then
      for _, word in ipairs(after) do visit(text .. string.char(word)) end
    end
  end
  visit ""
  explore.close(made)
end

-- All three ways find the same classes.
local function three_ways(path, rules, every)
  check_classes(path, rules, 3, false)
  check_classes(path, rules, 3, true)
  local plain = check(path, rules, 3, every, "plain")
  for i, way in ipairs { "back", "late" } do
    local other = check(path, rules, 3, every + 2 * i, way)
    if other.classes ~= plain.classes then
      failures = failures + 1
      print(("%s under %s: %d classes, %d %s"):format(path, rules, plain.classes, other.classes, way))
    end
  end
end

-- ------------------------------------------------------------------------------------- examples --

local profiles = {
  attach = { "openacc-3.3", "libgomp-12", "openacc-2.0" }, deep = { "tr14" }, levels = { "directory", "tr14" },
  ["tests/cli/explore/fortran.lua"] = { "openacc-3.3" }, ["tests/cli/explore/members.lua"] = { "openacc-3.3" },
  openmp = { "openmp-6.0", "openmp-5.2", "openmp-5.1" }, fortran = { "openacc-3.3", "libgomp-12" },
}

for name, list in sorted_pairs(profiles) do
  for i = 1, math.min(#list, most_profiles) do
    local rules = list[i]
    local path = name:find "/" and name or ("%s/%s.lua"):format(folder, name)
    three_ways(path, rules, 7)
  end
end

-- --------------------------------------------------------------------------------------- random --

local ITEMS = { "a", "b", "a[0:2]", "a[2:2]", "a[1:3]", "v", "v.data[0:4]", "v.data[0:2]", "n", "w", "w.v.data[0:2]" }
local NAMES = { "a", "b", "v", "n", "w" }
local pools = {
  acc = {
    directives = { "enter data copyin(%s)", "enter data create(%s)", "exit data copyout(%s)", "exit data delete(%s)",
      "exit data delete(%s) finalize", "data copy(%s)", "data create(%s)", "data copyout(%s) no_create(%s)",
      "data present(%s)", "update self(%s)", "update device(%s) if_present", "enter data copyin(%s) create(%s)",
      "enter data copyin(%s, %s)", "exit data delete(%s, %s)", "data copyin(%s) async",
      "enter data copyin(%s) async(1)",
      "update self(%s) async(1)", "host_data use_device(%v) if_present" },
    others = { 'acc "enter data attach(v.data)"', 'acc "exit data detach(v.data)"', 'acc "wait"',
      'acc "exit data detach(v.data) finalize"', 'acc "parallel copy(a)" "a[1] = 5"',
      'acc "parallel no_create(b)" "n = n + 1"', 'acc "enter data attach(w.v.data)"' },
    rules = { "openacc-2.0", "openacc-3.3", "openacc-3.4", "libgomp-12", "directory", "tr14" },
  },
  omp = {
    directives = { "target enter data map(to: %s)", "target enter data map(alloc: %s)",
      "target exit data map(from: %s)",
      "target exit data map(release: %s)", "target exit data map(delete: %s)", "target data map(tofrom: %s)",
      "target data map(alloc: %s) map(to: %s)", "target data map(always, from: %s)", "target update to(%s)",
      "target update from(%s)", "target enter data map(always, to: %s)", "target data use_device_addr(%v)" },
    others = { 'omp "target map(a)" "a[1] = 5"', 'omp "target firstprivate(n)" "n = 3"', 'omp "target" "b[0] = 8"' },
    rules = { "openmp-5.2", "openmp-6.0", "openmp-5.1", "libgomp-12" },
  },
}
local SHARED = { 'host "v.data = b"', 'host "v.data = a"', 'host "a[1] = 20"', 'host "n = n + 1"',
  'host "v.data = a + 1"', 'kernel "a[1] = a[1] + 1"', 'kernel "v.data[0] = 9"', 'kernel "n = 4"',
  'host "w.v = v"', 'kernel "b[1] = v.n"' }

math.randomseed(seed)
local function any(list) return list[math.random(#list)] end

local path = os.tmpname()
for round = 1, rounds do
  local pool = pools[any { "acc", "omp" }]
  local kind = pool == pools.acc and "acc" or "omp"
  local rules = any(pool.rules)
  local lines = { ("scenario { title = \"Random %d\", rules = %q }"):format(round, rules),
    "declare [[", "  float a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 };", "  int n = 2;",
    "  struct vector { int n; float *data; } v = { 4, a };",
    "  struct outer { struct vector v; float c; } w = { { 2, b }, 1 };", "]]",
    ("vocabulary { bound = 3, regions = %q,"):format(any { "nested", "free" }) }
  for _ = 1, math.random(5, 9) do
    local word
    if math.random(4) == 1 then word = any(SHARED)
    elseif math.random(4) == 1 then word = any(pool.others)
    else word = ("%s %q"):format(kind, (any(pool.directives):gsub("%%[sv]", function(what)
      return any(what == "%s" and ITEMS or NAMES)
    end))) end
    lines[#lines + 1] = "  " .. word .. ","
  end
  lines[#lines + 1] = "}\n"
  local text = table.concat(lines, "\n")
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
  local before = failures
  local ok, err = pcall(function()
    three_ways(path, rules, 4)
  end)
  if not ok and not diagnostic.is(err) or ok == false and err.code == "internal" then
    failures = failures + 1
    print(("round %d: %s"):format(round, type(err) == "table" and err.message or tostring(err)))
  end
  if failures > before then
    print(("round %d of seed %d:\n%s"):format(round, seed, text))
  end
end
os.remove(path)

print(("%d programs are the same explored and from the beginning, %d are not"):format(compared - failures, failures))
if failures > 0 or compared == 0 then error("programs differ", 0) end
