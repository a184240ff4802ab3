-- Random expressions of C with all numeric types. Four evaluations must agree with the C compiler. The host program
-- and bodies use backend/closures.lua, on a GPU backend/cuda/cuda_expression.lua. Bounds of sections use
-- lowering/codegen.lua and the core; the text of exports is that of syntax/unparse.lua. The compiler also decides which
-- expressions are defined (its undefined behaviour sanitizer traps). Undefined ones may be refused, or have any
-- value. ACCDEEP_SEED and ACCDEEP_ROUNDS select other runs. A round has 500 expressions; ACCDEEP_ROUNDS=200 gives
-- 100,000.

scenario { title = "random expressions against C", cites = { "TR14-3.1.1-21" } }

local syntax = require "accdeep.syntax"
local session = require "accdeep.run.session"
local unparse = require "accdeep.syntax.unparse"

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 1
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 3
local EXPRESSIONS = 500
local DEVICE = os.getenv "ACCDEEP_TEST_DEVICE" or "sim"
local COMPILER = (os.getenv "CC" or "gcc") .. " -std=gnu11 -w -O0 -ffp-contract=off -mlong-double-64"
  .. " -fsanitize=undefined,float-cast-overflow -fsanitize-undefined-trap-on-error"

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
local floats = { { "f", "float" }, { "d", "double" }, { "w", "long double" } }
local all = table.move(floats, 1, #floats, #integers + 1, table.move(integers, 1, #integers, 1, {}))

-- Returns a value of a type as C text; often a limit or a small number.
local function initial(t)
  local bits, signed = t[3], t[4]
  if not bits then
    return pick { "0.0", "1.5", "-2.25", "0.1f", "16777217.0", "-1e10", "3e38f", "1e-3", "4503599627370497.5",
      "-0.0", tostring(random(-50, 50)), ("%.9g"):format(random() * 1000 - 500) }
  end
  local v
  if random(3) == 1 then
    v = pick { 0, 1, -1, signed and 1 << (bits - 1) or 0, (1 << (bits - 1)) - 1, -2, 2,
      0x1000001000000001, -0x7fffffffffffffff, -0x2fffffffffffffff, -0x1000003000000001 } -- round once as floats
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
  for _, t in ipairs(all) do
    texts[#texts + 1] = ("%s %s = %s, v_%s;\n"):format(t[2], t[1], initial(t), t[1])
    members[#members + 1] = ("%s m_%s; "):format(t[2], t[1])
    values[#values + 1] = initial(t)
  end
  local elements = {}
  for k, t in ipairs { integers[5], integers[9], integers[2], floats[1] } do
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
for i, t in ipairs(all) do casts[i] = t[2] end

-- Options of an expression. of_member: members are written without their structure. floats: floating-point types.
-- changes: assignments. wide: long double.
local function number_type(how)
  if not how.floats or random(3) > 1 then return pick(integers) end
  return floats[random(how.wide and 3 or 2)]
end

local function leaf(how)
  local t, of_member = number_type(how), how.of_member
  local what = random(20)
  if what <= 6 then return t[1] end
  if what <= 11 then return (of_member and "" or pick { "S.", "r->" }) .. "m_" .. t[1] end
  if what == 12 then return ("a%d[%d]"):format(random(how.floats and 4 or 3), random(0, 3)) end
  if what == 13 then return pick { "*p", "p[-1]", "q[-3]", "(q - p)", "(p < q)", "*(&a1[2])", "(p == q)" } end
  if what == 14 then return pick { "NONE", "ONE", "MANY", "LEAST", "MOST" } end
  if what == 15 then return ("sizeof(%s)"):format(t[1] == "w" and "int" or t[2]) end
  if what == 16 and how.floats then
    return pick { "1.5", "0.1", "0.1f", "1e10", "2.5e-3f", "16777217.0f", "0.0", "3.0", "9007199254740993.0" }
  end
  if what == 16 then return pick { "2147483647", "2147483648", "0xffffffff", "4294967295u", "0x7fffffffffffffff",
    "9223372036854775808u", "'a'", "010", "1ul", "1ll", "65535u", "0xffffffffffffffff" } end
  if what == 17 and how.floats then return ("(%s)%s"):format(pick { "float", "double" }, pick { "l", "ul", "ll" }) end
  return ("%d%s"):format(random(0, 40), pick { "", "", "u", "l", "ul" })
end

local expression -- declared before its definition

local function without(how, ...)
  local made = setmetatable({}, { __index = how })
  for _, what in ipairs { ... } do made[what] = false end
  return made
end

-- Returns an expression that changes a variable.
local function changed(n, how)
  local t, inner, left = number_type(how), without(how, "changes"), random(0, n)
  local change = pick { "++v", "--v", "v++", "v--", "=", "=", "=" }
  if change == "=" then
    local op = pick { "", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>" }
    local of_integers = op:find "[%%&|^<>]"
    if of_integers then
      if not t[3] then t = pick(integers) end
      inner = without(inner, "floats")
    end
    change = ("v %s= %s"):format(op, op:find "[<>]" and ("{%s & 7}"):format(expression(0, inner))
      or expression(n - left, inner))
  end
  local name = "v_" .. t[1]
  return ("{{%s = %s}, {%s}%s}"):format(name, expression(left, inner), (change:gsub("%f[%w_]v%f[^%w_]", name)),
    pick { "", ", " .. name })
end

-- Returns a call of an exact function of C's library.
local function called(n, how)
  local name, two = pick { "sqrt", "fabs", "floor", "ceil", "trunc", "round" }, nil
  if random(3) == 1 then name, two = pick { "fmod", "fmax", "fmin" }, random(0, n) end
  return ("{%s%s(%s%s)}"):format(name, pick { "", "f" }, expression(n - (two or 0), how),
    two and ", " .. expression(two, without(how, "changes")) or "")
end

-- Returns an expression with n operators. { } around a part are parentheses here, and in C store the part in a
-- variable: the compiler then evaluates each step and sees each overflow.
function expression(n, how)
  if n <= 0 then return "{" .. leaf(how) .. "}" end
  local what = random(14)
  if what == 14 and how.floats then return called(n - 1, how) end
  if what == 13 and how.changes and n >= 2 then return changed(n - 2, how) end
  if what <= 2 then
    local op = pick { "-", "~", "!", "+" }
    return ("{%s%s}"):format(op, expression(n - 1, op == "~" and without(how, "floats") or how))
  end
  if what == 3 then
    local t = casts[random(how.floats and (how.wide and #casts or #casts - 1) or #integers)]
    return ("{(%s)%s}"):format(t, expression(n - 1, how))
  end
  if what == 4 and n >= 2 then
    local left = random(0, n - 2)
    local right = random(0, n - 2 - left)
    return ("{%s ? %s : %s}"):format(expression(left, how), expression(right, how),
      expression(n - 2 - left - right, how))
  end
  if what == 5 then return ("{nothing && *nothing > %s}"):format(expression(n - 1, how)) end
  local op, left = pick(binary), random(0, n - 1)
  if op:find "^[%%&|^]$" or op == "<<" or op == ">>" then how = without(how, "floats") end
  if (op == "<<" or op == ">>") and random(4) > 1 then
    return ("{%s %s {%s & 31}}"):format(expression(n - 1, how), op, expression(0, how))
  end
  -- Variables are changed by one operand only.
  return ("{%s %s %s}"):format(expression(left, how), op, expression(n - 1 - left, without(how, "changes")))
end

-- ------------------------------------------------------------------------------------ the compiler --

-- Returns the values that C computes: a list of numbers, with false for undefined expressions.
local function by_compiler(declared, texts)
  local name = os.tmpname()
  local out = assert(io.open(name .. ".c", "w"))
  out:write("#include <setjmp.h>\n#include <signal.h>\n#include <math.h>\n#include <stdio.h>\n", declared,
    "static sigjmp_buf undefined;\nstatic void trapped(int n) { siglongjmp(undefined, n); }\n",
    "#define VALUE(...) ({ __auto_type value = (__VA_ARGS__); value; })\n",
    "#define IS_FLOAT(x) _Generic((x), float: 1, double: 1, long double: 1, default: 0)\n",
    "#define SAY(...) if (sigsetjmp(undefined, 1)) puts(\"-\"); \\\n",
    "  else { __auto_type said = (__VA_ARGS__); \\\n",
    "    if (IS_FLOAT(said)) printf(\"%a\\n\", (double)said); else printf(\"%lld\\n\", (long long)said); }\n",
    "int main(void) {\n  signal(SIGILL, trapped);\n  signal(SIGFPE, trapped);\n")
  for _, text in ipairs(texts) do out:write("  SAY(", text, ")\n") end
  out:write("  return 0;\n}\n")
  out:close()
  assert(os.execute(("%s -o %s.out %s.c -lm"):format(COMPILER, name, name)))
  local pipe, list = assert(io.popen(name .. ".out")), {}
  for line in pipe:lines() do
    list[#list + 1] = line ~= "-" and (tonumber(line) or line:find "nan" and 0 / 0
      or line:find "^-" and -math.huge or math.huge)
  end
  pipe:close()
  for _, ending in ipairs { "", ".c", ".out" } do os.remove(name .. ending) end
  assert(#list == #texts, "the compiled program says something for each expression")
  return list
end

-- --------------------------------------------------------------------------------------- compared --

local seen
local counts = { compared = 0, undefined = 0, refused = 0, long = 0, bounds = 0, bodies = 0 }

local function is_same(a, b)
  return math.type(a) == math.type(b) and (a == b or a ~= a and b ~= b)
end

local function wrong(what, number, text, declared, found, wanted)
  error(("seed %d: %s of\n  %s\nis %s, C says %s\n%s"):format(number, what, text, found, wanted, declared), 0)
end

-- Compares the value in the host program.
local function check_value(s, number, declared, text, wanted)
  local ok, value = pcall(s.value, s, s:host_env(), text)
  if wanted and not (ok and is_same(value, wanted)) then
    wrong("the value in the host program", number, text, declared, tostring(value), wanted)
  end
  if wanted then counts.compared = counts.compared + 1 else counts.undefined = counts.undefined + 1 end
end

-- Compares the bound of a section.
local function check_bound(s, number, declared, text, of_member, wanted)
  seen = nil
  local directive = ("data create(room[0: see(%s)])"):format(text)
  if of_member then
    local name = "s" .. counts.bounds
    s:directive(("shape(%s) type(struct all) include(data[0: see(%s)])"):format(name, text))
    directive = ("data create<%s>(S)"):format(name)
  end
  local fine, err = pcall(s.directive, s, directive)
  if fine then s:directive "end data" end
  counts.bounds = counts.bounds + 1
  if not fine and err.code == "limit" then
    counts.long = counts.long + 1
  elseif wanted and (not fine or seen ~= wanted) then
    wrong("the bound", number, text, declared, fine and tostring(seen) or tostring(err), wanted)
  elseif not fine and not (err.code == "invalid-section" or err.code == "null-pointer") then
    wrong("the bound", number, text, declared, tostring(err), "that it is undefined")
  end
  if not wanted and not fine then counts.refused = counts.refused + 1 end
end

local body_run -- executor of the last body, or the reason why it did not run

-- Compares the values in a body on the device, for all expressions that a body can have.
local function check_body(s, number, declared, texts, wanted)
  local lines, at, data = {}, {}, { "S", "a1", "a2", "a3", "a4", "p", "q", "r" }
  for _, t in ipairs(all) do data[#data + 1] = t[1] end
  for k, text in pairs(texts) do
    if wanted[k] and wanted[k] == wanted[k] then
      at[#at + 1] = k
      local list = math.type(wanted[k]) == "integer" and "integers" or "floats"
      lines[#lines + 1] = ("%s[%d] = %s;"):format(list, k - 1, text)
    end
  end
  local clauses = ("copyin(%s) attach(p, q, r) copyout(integers, floats)"):format(table.concat(data, ", "))
  body_run = nil
  s:directive("data " .. clauses)
  s:directive "parallel present(integers, floats)"(table.concat(lines, "\n"), { file = "body", line = 1 })
  s:directive "end data"
  assert(not body_run or body_run:find "^run on the device" or body_run:find "a NaN is stored", body_run)
  for _, k in ipairs(at) do
    local list = math.type(wanted[k]) == "integer" and "integers" or "floats"
    local found = s:value(s:host_env(), ("%s[%d]"):format(list, k - 1))
    if not is_same(found, wanted[k]) then
      wrong("the value in a body", number, texts[k], declared, tostring(found), wanted[k])
    end
    counts.bodies = counts.bodies + 1
  end
end

local function round_of(number)
  math.randomseed(number)
  local declared = declarations()
  local texts, whole, hows, compiled = {}, {}, {}, {}
  for k = 1, EXPRESSIONS do
    local how = { of_member = k % 5 == 0, floats = k % 5 > 2, changes = k % 5 > 2, wide = k % 5 == 4 }
    local text = expression(random(7), how)
    hows[k], texts[k] = how, text:gsub("{", "("):gsub("}", ")")
    text = text:gsub("%f[%w_.>]m_", "S.m_") -- members are in their structure
    compiled[k], whole[k] = text:gsub("{", "VALUE("):gsub("}", ")"), text:gsub("{", "("):gsub("}", ")")
  end
  local s = session.new { rules = "tr14", device = DEVICE,
    observers = { { body = function(_, how) body_run = how end } } }
  s:declare(declared .. ("long integers[%d]; double floats[%d];"):format(EXPRESSIONS, EXPRESSIONS))
  function s.now.scope.functions.see(v)
    seen = v
    return 1
  end
  for k, text in ipairs(whole) do
    compiled[EXPRESSIONS + k] = unparse.expression((syntax.parse("expression", text, 1, s.now.scope)))
  end
  local wanted = by_compiler(declared, compiled)
  local on_device = {}
  for k, text in ipairs(whole) do
    local said = wanted[EXPRESSIONS + k]
    if wanted[k] and said and not is_same(said, wanted[k]) then
      wrong("the printed text\n  " .. compiled[EXPRESSIONS + k], number, text, declared, said, wanted[k])
    end
    check_value(s, number, declared, text, wanted[k])
    if not hows[k].floats then check_bound(s, number, declared, texts[k], hows[k].of_member, wanted[k]) end
    if not hows[k].wide then on_device[k] = text end
  end
  check_body(s, number, declared, on_device, wanted)
  s:close()
end

for number = seed, seed + rounds - 1 do round_of(number) end
print(("seed %d: %d expressions are as in C, %d of them in bodies; %d are bounds, %d of these too long; of %d "
  .. "undefined ones %d are refused as bounds"):format(seed, counts.compared, counts.bodies, counts.bounds, counts.long,
  counts.undefined, counts.refused))
