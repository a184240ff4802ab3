-- Random bodies with directives, executed on the device and in a host construct. The results are compared with the
-- same text as a C program, compiled by gcc and run in one thread. ACCDEEP_SEED and ACCDEEP_ROUNDS select other runs.

scenario { title = "random bodies with directives", rules = { base = "openmp-5.1", races = "ignored" },
  cites = { "OMP60-share-1", "OMP60-share-2", "OMP60-loop-1", "OMP60-atomic-1" } }

if not os.execute "gcc -fopenmp -x c -fsyntax-only /dev/null 2>/dev/null" then
  print "gcc with OpenMP is not here"
  os.exit(77)
end

local c_writer = require "accdeep.steps.c_writer"

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 1
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 120
math.randomseed(seed)

local SCALARS = { "x", "y", "z", "w", "u", "t" }
local DECLARATIONS = "unsigned a[8], m[4][4], x, y, z, w, u, t; int i, j;\n"

local random = math.random
local function pick(list) return list[random(#list)] end
local function chance(n) return random(n) == 1 end

local writer -- of the present body
local function add(format, ...) writer:line(format:format(...)) end
local function nested(fn, ...)
  writer:open_brace()
  fn(...)
  writer:close_brace()
end

-- Returns a readable value; private names are preferred.
local function value(c, deep)
  local how = random(deep and 4 or 6)
  if how == 1 then return tostring(random(0, 9)) end
  if how == 2 then return ("a[%d]"):format(random(0, 7)) end
  if how == 3 and #c.counters > 0 then return ("(unsigned)%s"):format(pick(c.counters)) end
  if how <= 4 then return #c.reads > 0 and pick(c.reads) or "3u" end
  return ("(%s %s %s)"):format(value(c, true), pick { "+", "-", "*", "^", "&", "|" }, value(c, true))
end

local function place(c)
  if chance(3) or #c.writes == 0 then return ("a[%d]"):format(random(0, 7)) end
  return pick(c.writes)
end

-- Returns a context with changed fields.
local function with(c, changes)
  local made = {}
  for key, v in pairs(c) do made[key] = v end
  for key, v in pairs(changes) do made[key] = v end
  return made
end

local function without(list, names)
  local made = {}
  for _, name in ipairs(list) do
    if not names[name] then made[#made + 1] = name end
  end
  return made
end

local block
local serial = 0
local function fresh(prefix)
  serial = serial + 1
  return prefix .. serial
end

local operators = { ["+"] = "%s += %s;", ["*"] = "%s *= %s;", ["-"] = "%s -= %s;", ["&"] = "%s &= %s;",
  ["|"] = "%s |= %s;", ["^"] = "%s ^= %s;", max = "%1$s = %1$s > %2$s ? %1$s : %2$s;",
  min = "%1$s = %1$s < %2$s ? %1$s : %2$s;", ["&&"] = "%1$s = %1$s && %2$s;", ["||"] = "%1$s = %1$s || %2$s;" }
local names_of = {}
for op in pairs(operators) do names_of[#names_of + 1] = op end
table.sort(names_of)

local function applied(op, name, e) return (operators[op]:gsub("%%1%$s", name):gsub("%%2%$s", e):format(name, e)) end

-- Returns clauses for some of the scalars, the context inside of the construct, and the first statements of its body.
local function clauses(c, allowed)
  local text, used, begin, reads, writes = {}, {}, {}, {}, {}
  local free = table.move(c.shared, 1, #c.shared, 1, {})
  for _, kind in ipairs(allowed) do
    if #free > 0 and chance(3) then
      local name = table.remove(free, random(#free))
      used[name] = true
      if kind == "reduction" then
        local op = pick(names_of)
        text[#text + 1] = ("reduction(%s: %s)"):format(op, name)
        begin[#begin + 1] = function(inner) add("%s", applied(op, name, value(inner))) end
      else
        text[#text + 1] = ("%s(%s)"):format(kind, name)
        if kind ~= "firstprivate" then
          begin[#begin + 1] = function(inner) add("%s = %s;", name, value(inner)) end
        end
        reads[#reads + 1], writes[#writes + 1] = name, name
      end
    end
  end
  local inner = with(c, { reads = without(c.reads, used), writes = without(c.writes, used),
    shared = without(c.shared, used) })
  return #text > 0 and " " .. table.concat(text, " ") or "", inner, function()
    for _, fn in ipairs(begin) do fn(inner) end
    for _, name in ipairs(reads) do table.insert(inner.reads, name) end
    for _, name in ipairs(writes) do table.insert(inner.writes, name) end
  end
end

local function loop(c, name, kinds, changes)
  local text, inner, begin = clauses(c, kinds)
  inner = with(inner, changes)
  local collapse = chance(3)
  local own = chance(3) and #c.counters == 0 and name ~= "simd"
  local first, second = own and "i" or fresh "k", own and "j" or fresh "k"
  add("#pragma omp %s%s%s", name, text, collapse and " collapse(2)" or "")
  local function head(counter, n)
    add("for (%s%s = 0; %s < %d; %s)", own and "" or "int ", counter, counter, n, pick { counter .. "++",
      "++" .. counter, counter .. " += 1", ("%s = %s + 1"):format(counter, counter) })
  end
  head(first, random(1, 4))
  if collapse then head(second, random(1, 3)) end
  nested(function()
    inner = with(inner, { counters = collapse and { first, second } or { first } })
    begin()
    if not chance(3) then add("m[%s][%d] += %s;", first, random(0, 3), value(inner)) end
    block(inner, random(0, 2))
  end)
end

local statements = {}
function statements.assign(c) add("%s %s %s;", place(c), pick { "=", "+=", "-=", "^=" }, value(c)) end
function statements.branch(c)
  add("if (%s > %s)", value(c), value(c))
  nested(block, c, random(1, 2))
end
statements["switch"] = function(c)
  add("switch (%s %% 3u) {", value(c))
  add("  case 0: %s = %s; break;", place(c), value(c))
  add("  case 1: %s += %s;", place(c), value(c))
  add("  default: %s ^= %s;", place(c), value(c))
  add "}"
end
function statements.plain(c)
  local k = fresh "k"
  add("for (int %s = 0; %s < %d; %s++)", k, k, random(1, 3), k)
  nested(block, with(c, { counters = { k } }), random(1, 2))
end
function statements.local_variable(c)
  local name = fresh "v"
  add("unsigned %s = %s;", name, value(c))
  table.insert(c.reads, name)
  table.insert(c.writes, name)
end
function statements.atomic(c)
  local to = place(c)
  local how = random(5)
  if how == 1 then add "#pragma omp atomic"; add("%s += %d;", to, random(9))
  elseif how == 2 then add "#pragma omp atomic write"; add("%s = %d;", to, random(9))
  elseif how == 3 then add "#pragma omp atomic update"; add("%s = %d - %s;", to, random(9), to)
  elseif how == 4 then add "#pragma omp atomic capture"; add("{ m[0][1] = %s; %s *= %d; }", to, to, random(9))
  else add "#pragma omp atomic capture"; add("m[3][3] = ++%s;", to) end
end
function statements.parallel(c)
  local text, inner, begin = clauses(c, { "private", "firstprivate", "reduction" })
  add("#pragma omp parallel%s%s", text, chance(4) and " num_threads(1)" or "")
  inner = with(inner, { worksharing = false })
  nested(function()
    begin()
    block(inner, random(1, 3))
  end)
end
function statements.parallel_for(c)
  loop(c, pick { "parallel for", "parallel for schedule(static, 2)", "parallel for simd" },
    { "private", "firstprivate", "lastprivate", "reduction" }, { worksharing = true, simd = true })
end
function statements.nested_parallel_for(c)
  loop(c, "parallel for", { "private", "lastprivate", "reduction" }, { worksharing = true })
end
function statements.simd(c) loop(c, "simd", { "lastprivate", "reduction" }, { simd = true, worksharing = true }) end
statements["for"] = function(c)
  loop(c, "for", { "private", "firstprivate", "lastprivate" }, { worksharing = true })
end
function statements.single(c)
  local text, inner, begin = clauses(c, { "private", "firstprivate" })
  add("#pragma omp single%s", text)
  nested(function()
    begin()
    block(with(inner, { worksharing = true }), random(1, 2))
  end)
end
function statements.sections(c)
  local text, inner, begin = clauses(c, { "private", "firstprivate" })
  inner = with(inner, { worksharing = true })
  add("#pragma omp sections%s", text)
  nested(function()
    for _ = 1, random(1, 3) do
      add "#pragma omp section"
      nested(function()
        begin()
        block(inner, random(1, 2))
      end)
    end
  end)
end
function statements.critical(c)
  add("#pragma omp critical(%s)", fresh "c")
  nested(block, with(c, { worksharing = true }), random(1, 2))
end
function statements.masked(c)
  add "#pragma omp master"
  nested(block, with(c, { worksharing = true }), random(1, 2))
end
function statements.task(c)
  add "#pragma omp task"
  nested(block, with(c, { worksharing = true }), random(1, 2))
  add "#pragma omp taskwait"
end
function statements.barrier() add "#pragma omp barrier" end

local anywhere = { "assign", "assign", "assign", "branch", "switch", "plain", "local_variable" }
local not_simd = { "atomic", "parallel", "parallel_for", "nested_parallel_for", "simd", "critical", "task" }
local not_shared = { "for", "single", "sections", "barrier", "masked" }

function block(c, n)
  c = with(c, { depth = c.depth + 1, reads = table.move(c.reads, 1, #c.reads, 1, {}),
    writes = table.move(c.writes, 1, #c.writes, 1, {}) })
  for _ = 1, n do
    local kinds = anywhere
    if c.depth < 5 and not c.simd and not chance(3) then
      kinds = not c.worksharing and chance(2) and not_shared or not_simd
    end
    statements[pick(kinds)](c)
  end
end

-- Returns a body as text. host: it is in a parallel construct.
local function body()
  writer = c_writer.new(1)
  local all = table.move(SCALARS, 1, #SCALARS, 1, {})
  block({ reads = all, writes = all, shared = all, counters = {}, depth = 0 }, random(3, 6))
  return "{\n" .. table.concat(writer.lines, "\n") .. "\n}\n"
end

local bodies, program = {}, { "#include <stdio.h>\n", DECLARATIONS, [[
static void begin(void)
{
  for (int k = 0; k < 8; k++) a[k] = 3 * k + 1;
  for (int k = 0; k < 16; k++) m[k / 4][k % 4] = k;
  x = 5; y = 7; z = 11; w = 2; u = 40; t = 9; i = -5; j = -6;
}
static void end(void)
{
  for (int k = 0; k < 8; k++) printf("%u ", a[k]);
  for (int k = 0; k < 16; k++) printf("%u ", m[k / 4][k % 4]);
  printf("%u %u %u %u %u %u %d %d\n", x, y, z, w, u, t, i, j);
}
]] }
for n = 1, rounds do
  local on_host = n % 2 == 0
  bodies[n] = { text = body(), on_host = on_host }
  program[#program + 1] = ("static void body%d(void)\n{\n%s%s}\n"):format(n, on_host and "#pragma omp parallel\n" or "",
    bodies[n].text)
end
program[#program + 1] = "int main(void)\n{\n"
for n = 1, rounds do program[#program + 1] = ("  begin(); body%d(); end();\n"):format(n) end
program[#program + 1] = "  return 0;\n}\n"

local file = os.tmpname()
local out = assert(io.open(file .. ".c", "w"))
out:write(table.concat(program))
out:close()
local built = os.execute(("gcc -fopenmp -w -o %s.run %s.c"):format(file, file))
if not built then error(("seed %d: gcc does not take %s.c"):format(seed, file), 0) end
local pipe = assert(io.popen(("OMP_NUM_THREADS=1 OMP_DYNAMIC=false %s.run"):format(file)))
local wanted = {}
for line in pipe:lines() do wanted[#wanted + 1] = line end
pipe:close()

declare(DECLARATIONS)
for n, one in ipairs(bodies) do
  for k = 0, 7 do host.a[k] = 3 * k + 1 end
  for k = 0, 15 do host.m[k // 4][k % 4] = k end
  host.x, host.y, host.z, host.w, host.u, host.t, host.i, host.j = 5, 7, 11, 2, 40, 9, -5, -6
  local construct = one.on_host and "parallel" or "target map(a, m, x, y, z, w, u, t, i, j)"
  local ok, err = pcall(function() omp(construct)(one.text) end)
  if not ok then error(("seed %d, body %d (%s): %s\n%s"):format(seed, n, construct, tostring(err), one.text), 0) end
  local found = {}
  for k = 0, 7 do found[#found + 1] = host.a[k] end
  for k = 0, 15 do found[#found + 1] = host.m[k // 4][k % 4] end
  for _, name in ipairs { "x", "y", "z", "w", "u", "t", "i", "j" } do found[#found + 1] = host[name] end
  local text = table.concat(found, " ")
  if text ~= wanted[n] then
    error(("seed %d, body %d (%s):\n  gcc     %s\n  accdeep %s\n%s"):format(seed, n, construct, wanted[n], text,
      one.text), 0)
  end
end
for _, suffix in ipairs { "", ".c", ".run" } do os.remove(file .. suffix) end
