-- Random expressions of integers of all types: what a body computes (closures.lua), what a section's bound computes
-- (code/codegen.lua and the core), and what the C compiler says must be the same number. The compiler says too which
-- expressions are defined at all (its undefined behaviour sanitizer traps): others may be refused, or be any number.
-- ACCDEEP_SEED and ACCDEEP_ROUNDS choose others; a round is 250 expressions.

scenario { title = "random bounds against C", cites = { "TR14-3.1.1-21" } }

local session = require "accdeep.run.session"

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 1
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 4
local EXPRESSIONS = 250
local COMPILER = (os.getenv "CC" or "gcc")
  .. " -std=gnu11 -w -O0 -fsanitize=undefined -fsanitize-undefined-trap-on-error"

local random = math.random
local function pick(list) return list[random(#list)] end

-- ----------------------------------------------------------------------------------- the program --

local integers = {
  { "c", "char", 8, true }, { "sc", "signed char", 8, true }, { "uc", "unsigned char", 8 },
  { "sh", "short", 16, true }, { "us", "unsigned short", 16 }, { "i", "int", 32, true }, { "u", "unsigned", 32 },
  { "l", "long", 64, true }, { "ul", "unsigned long", 64 }, { "ll", "long long", 64, true },
  { "ull", "unsigned long long", 64 }, { "o", "_Bool", 1 }, { "e", "enum natural", 32 },
  { "g", "enum whole", 32, true },
}

-- A value of a type as C writes it; often one at an edge, or a small one.
local function initial(t)
  local bits, signed = t[3], t[4]
  local v
  if random(3) == 1 then
    v = pick { 0, 1, -1, signed and 1 << (bits - 1) or 0, (1 << (bits - 1)) - 1, -2, 2 }
  elseif random(2) == 1 then
    v = random(-9, 40)
  else
    v = random(0) >> random(0, 63)
  end
  if bits < 64 then
    v = v & (1 << bits) - 1
    if signed and v >= 1 << (bits - 1) then v = v - (1 << bits) end
  end
  if v == math.mininteger then return signed and "-9223372036854775807l - 1" or "9223372036854775808ul" end
  return signed and ("%dl"):format(v) or ("0x%xul"):format(v)
end

local function declarations()
  local texts, members, values = {}, {}, {}
  texts[1] = "enum natural { NONE, ONE, MANY = 4000000000u };\n"
    .. "enum whole { LEAST = -5, ZERO = 0, MOST = 2147483647 };\n"
  for _, t in ipairs(integers) do
    texts[#texts + 1] = ("%s %s = %s;\n"):format(t[2], t[1], initial(t))
    members[#members + 1] = ("%s m_%s; "):format(t[2], t[1])
    values[#values + 1] = initial(t)
  end
  local elements = {}
  for k, t in ipairs { integers[5], integers[9], integers[2] } do
    local list = {}
    for n = 1, 4 do list[n] = initial(t) end
    elements[k] = ("%s a%d[4] = { %s };\n"):format(t[2], k, table.concat(list, ", "))
  end
  return table.concat(texts) .. table.concat(elements)
    .. ("struct all { %sint *data; };\n"):format(table.concat(members))
    .. ("int room[2];\nstruct all S = { %s, room };\n"):format(table.concat(values, ", "))
    .. "unsigned short *p = &a1[1], *q = &a1[3];\nstruct all *r = &S;\nint *nothing = 0;\n"
end

local binary = { "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||" }
local casts = {}
for i, t in ipairs(integers) do casts[i] = t[2] end

local function leaf(of_member)
  local t = pick(integers)
  local what = random(20)
  if what <= 6 then return t[1] end
  if what <= 11 then return (of_member and "" or pick { "S.", "r->" }) .. "m_" .. t[1] end
  if what == 12 then return ("a%d[%d]"):format(random(3), random(0, 3)) end
  if what == 13 then return pick { "*p", "p[-1]", "q[-3]", "(q - p)", "(p < q)", "*(&a1[2])", "(p == q)" } end
  if what == 14 then return pick { "NONE", "ONE", "MANY", "LEAST", "MOST" } end
  if what == 15 then return ("sizeof(%s)"):format(t[2]) end
  if what == 16 then return pick { "2147483647", "2147483648", "0xffffffff", "4294967295u", "0x7fffffffffffffff",
    "9223372036854775808u", "'a'", "010", "1ul", "1ll", "65535u", "0xffffffffffffffff" } end
  return ("%d%s"):format(random(0, 40), pick { "", "", "u", "l", "ul" })
end

-- An expression of so many operators. { } around a part stand for ( ) here, and for a value of its own in C: the
-- compiler computes each step, so that it sees each overflow.
local function expression(n, of_member)
  if n == 0 then return "{" .. leaf(of_member) .. "}" end
  local what = random(12)
  if what <= 2 then return ("{%s%s}"):format(pick { "-", "~", "!", "+" }, expression(n - 1, of_member)) end
  if what == 3 then return ("{(%s)%s}"):format(pick(casts), expression(n - 1, of_member)) end
  if what == 4 and n >= 2 then
    local left = random(0, n - 2)
    local right = random(0, n - 2 - left)
    return ("{%s ? %s : %s}"):format(expression(left, of_member), expression(right, of_member),
      expression(n - 2 - left - right, of_member))
  end
  if what == 5 then return ("{nothing && *nothing > %s}"):format(expression(n - 1, of_member)) end
  local op, left = pick(binary), random(0, n - 1)
  if (op == "<<" or op == ">>") and random(4) > 1 then
    return ("{%s %s {%s & 31}}"):format(expression(n - 1, of_member), op, expression(0, of_member))
  end
  return ("{%s %s %s}"):format(expression(left, of_member), op, expression(n - 1 - left, of_member))
end

-- ------------------------------------------------------------------------------------ the compiler --

-- What C computes: a list of integers, false for what it leaves undefined.
local function by_compiler(declared, texts)
  local name = os.tmpname()
  local out = assert(io.open(name .. ".c", "w"))
  out:write("#include <setjmp.h>\n#include <signal.h>\n#include <stdio.h>\n", declared,
    "static sigjmp_buf undefined;\nstatic void trapped(int n) { siglongjmp(undefined, n); }\n",
    "#define SAY(e) if (sigsetjmp(undefined, 1)) puts(\"-\"); else printf(\"%lld\\n\", (long long)(e));\n",
    "#define VALUE(x) ({ __auto_type value = (x); value; })\n",
    "int main(void) {\n  signal(SIGILL, trapped);\n")
  local shown = {} -- members stand in their structure
  for k, text in ipairs(texts) do
    shown[k] = text:gsub("%f[%w_.>]m_", "S.m_"):gsub("{", "VALUE("):gsub("}", ")")
  end
  for _, text in ipairs(shown) do out:write("  SAY(", text, ")\n") end
  out:write("  return 0;\n}\n")
  out:close()
  assert(os.execute(("%s -o %s.out %s.c"):format(COMPILER, name, name)))
  local pipe, list = assert(io.popen(name .. ".out")), {}
  for line in pipe:lines() do list[#list + 1] = line ~= "-" and math.tointeger(line) end
  pipe:close()
  for _, ending in ipairs { "", ".c", ".out" } do os.remove(name .. ending) end
  assert(#list == #texts, "the compiled program says something for each expression")
  return list
end

-- --------------------------------------------------------------------------------------- compared --

local seen
local counts = { compared = 0, undefined = 0, refused = 0, long = 0 }

local function wrong(what, number, text, declared, found, wanted)
  error(("seed %d: %s of\n  %s\nis %s, C says %s\n%s"):format(number, what, text, found, wanted, declared), 0)
end

local function check(s, number, declared, text, of_member, wanted)
  local whole = of_member and text:gsub("%f[%w_.>]m_", "S.m_") or text
  local ok, value = pcall(s.value, s, s:host_env(), whole)
  if wanted and (not ok or value ~= wanted) then
    wrong("the value in a body", number, whole, declared, tostring(value), wanted)
  end
  seen = nil
  local directive = ("data create(room[0: see(%s)])"):format(text)
  if of_member then
    local name = "s" .. counts.compared + counts.undefined
    s:directive(("shape(%s) type(struct all) include(data[0: see(%s)])"):format(name, text))
    directive = ("data create<%s>(S)"):format(name)
  end
  local fine, err = pcall(s.directive, s, directive)
  if fine then s:directive "end data" end
  if not fine and err.code == "limit" then
    counts.long = counts.long + 1
  elseif wanted and (not fine or seen ~= wanted) then
    wrong("the bound", number, text, declared, fine and tostring(seen) or tostring(err), wanted)
  elseif not fine and not (err.code == "invalid-section" or err.code == "null-pointer") then
    wrong("the bound", number, text, declared, tostring(err), "that it is undefined")
  end
  local how = wanted and "compared" or "undefined"
  counts[how] = counts[how] + 1
  if not wanted and not fine then counts.refused = counts.refused + 1 end
end

local function round_of(number)
  math.randomseed(number)
  local declared = declarations()
  local texts, of_member = {}, {}
  for k = 1, EXPRESSIONS do
    of_member[k] = k % 5 == 0
    texts[k] = expression(random(7), of_member[k])
  end
  local wanted = by_compiler(declared, texts)
  local s = session.new { rules = "tr14" }
  s:declare(declared)
  function s.scope.functions.see(v)
    seen = v
    return 1
  end
  for k, text in ipairs(texts) do
    text = text:gsub("{", "("):gsub("}", ")")
    check(s, number, declared, text, of_member[k], wanted[k])
  end
  s:close()
end

for number = seed, seed + rounds - 1 do round_of(number) end
print(("seed %d: %d expressions are as in C; of %d undefined ones %d are refused; %d are too long"):format(seed,
  counts.compared, counts.undefined, counts.refused, counts.long))
