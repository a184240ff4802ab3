-- bodies.lua - random bodies of C text. What they leave in memory, and what is wrong with them, is printed:
-- tests/cuda/same compares what the GPU runs with what the interpreter does.

scenario { title = "random bodies", rules = { base = "tr14", races = "ignored" } } -- a GPU does not check for races

declare [[
  struct part { short k; double w; int *p; int n; };
  struct whole { char c; unsigned char b; struct part part; struct part many[3]; float *f; };
  struct whole X;
  char c1; unsigned char u1; short s2; unsigned short u2; int i4; unsigned int u4; long i8; unsigned long u8;
  _Bool truth; float f4; double f8;
  int a[16]; float g[16]; long wide[4][4];
]]

local seed = 20250601
local function random(n) -- 1 .. n
  seed = (seed * 6364136223846793005 + 1442695040888963407)
  return (seed >> 33) % n + 1
end
local function pick(list) return list[random(#list)] end
local function chance(n) return random(n) == 1 end

local integers = { "c1", "u1", "s2", "u2", "i4", "u4", "i8", "u8", "truth", "X.c", "X.b", "X.part.k", "X.part.n" }
local floats = { "f4", "f8", "X.part.w", "X.many[1].w" }
local casts = { "char", "unsigned char", "short", "unsigned", "long", "unsigned long", "_Bool", "float", "double" }
local expression

local function index() -- mostly inside
  if chance(60) then return pick { "16", "-1", "(i4 & 31)" } end
  return pick { tostring(random(16) - 1), ("(%s & 15)"):format(expression(2, true)) }
end

local function integer_place()
  if chance(3) then return ("a[%s]"):format(index()) end
  if chance(5) then return ("X.part.p[%d]"):format(random(8) - 1) end
  if chance(8) then return ("wide[%d][%d]"):format(random(4) - 1, random(4) - 1) end
  if chance(8) then return ("*(a + %d)"):format(random(16) - 1) end
  if chance(12) then return ("(&X.many[%d])->n"):format(random(3) - 1) end
  return pick(integers)
end
local function float_place()
  if chance(3) then return ("g[%s]"):format(index()) end
  if chance(6) then return ("X.f[%d]"):format(random(4) - 1) end
  return pick(floats)
end

local function literal(whole)
  if whole or chance(2) then
    return pick { "0", "1", "2", "-1", "7", "255", "65536", "0x7fffffff", "4294967295u", "-9223372036854775807", "3ul" }
  end
  return pick { "0.5", "1.25f", "-3.0", "1e10", "0.1f", "1e-3", "123456789.0" }
end

function expression(depth, whole)
  if depth == 0 or chance(5) then
    if chance(3) then return literal(whole) end
    return (whole or chance(2)) and integer_place() or float_place()
  end
  local a, b = expression(depth - 1, whole), expression(depth - 1, whole)
  if chance(6) then
    return ("(%s)(%s)"):format(whole and pick { "int", "long", "char", "unsigned" } or pick(casts), a)
  end
  if chance(9) then return ("(%s ? %s : %s)"):format(expression(1), a, b) end
  if chance(9) then return ("(%s %s %s)"):format(a, pick { "<", ">", "<=", ">=", "==", "!=", "&&", "||" }, b) end
  if chance(9) then return ("%s(%s)"):format(pick { "-", "!" }, a) end
  if whole then
    if chance(4) then return ("(%s %s %s)"):format(a, pick { "<<", ">>" }, b) end
    if chance(12) then return ("~(%s)"):format(a) end
    if chance(5) then return ("(%s %s (%s | 1))"):format(a, pick { "/", "%" }, b) end
    return ("(%s %s %s)"):format(a, pick { "+", "-", "*", "&", "|", "^" }, b)
  end
  if chance(8) then
    return ("%s(%s)"):format(pick { "sqrt", "fabs", "floor", "ceil", "trunc", "round", "sqrtf", "fabsf" }, a)
  end
  if chance(10) then return ("%s(%s, %s)"):format(pick { "fmax", "fmin", "fmod", "fmaxf", "fminf" }, a, b) end
  return ("(%s %s %s)"):format(a, pick { "+", "-", "*", "/" }, b)
end

local statements -- forward

local function statement(depth, names)
  local kind = random(10)
  if kind <= 3 then return ("%s %s %s;"):format(integer_place(), pick { "=", "+=", "-=", "*=", "^=", "|=" },
    expression(2, true)) end
  if kind <= 5 then return ("%s %s %s;"):format(float_place(), pick { "=", "+=", "*=" }, expression(2)) end
  if kind == 6 then return ("%s%s;"):format(integer_place(), pick { "++", "--" }) end
  if kind == 7 then return ("if (%s) { %s } else %s"):format(expression(2), statements(depth - 1, names),
    statement(0, names)) end
  if kind == 8 and depth > 0 then
    names = names + 1
    local body = statements(depth - 1, names)
    if chance(3) then body = ("if (%s) %s; %s"):format(expression(1, true), pick { "break", "continue" }, body) end
    return ("for (int n%d = 0; n%d < %d; n%d++) { int m%d = n%d; %s a[m%d & 15] += n%d; }"):format(names, names,
      random(6), names, names, names, body, names, names)
  end
  if kind == 9 and depth > 0 then
    return ("{ long w = %d; while (w-- > 0) { %s } do { float h = w; h += f4; f8 = h; } while (++w < 2); }"):format(
      random(4), statements(depth - 1, names))
  end
  return pick { "{ int *p = X.part.p + 2; *p++ = 5; p[1] -= 3; i8 = p - X.part.p; i4 = p > X.part.p; }",
    "X.many[0] = X.part;", "{ struct part *q = X.many; q++; q->k = 9; (q + 1)->w = q[-1].w; }",
    "u8 = (unsigned long)a == (unsigned long)&a[0];", "i4 = sizeof(struct whole) + sizeof a[0];",
    "{ float x = 16777216; x++; f8 = x; }",
    "{ int t[4]; t[i4 & 3] = 7; a[3] = t[i4 & 3]; if (i4 & 64) a[4] = t[0]; }",
    "{ struct part q, *r = &q; q.w = 2; q.k = 3; r->k += q.w; i4 += q.k; }",
    "{ int x = 3, *y = &x, **z = &y; *y += 4; i4 = **z; }",
    "for (int k = 0; k < 3; k++) { char t[9]; t[k] = k; u1 += t[k]; }", "X.part.p = X.part.p;" }
end

function statements(depth, names)
  local list = {}
  for i = 1, random(4) do list[i] = statement(depth, names) end
  return table.concat(list, " ")
end

local function fill()
  for i, name in ipairs { "c1", "u1", "s2", "u2", "i4", "u4", "i8", "u8", "f4", "f8" } do host[name] = i * 3 end
  host.truth, host.X.c, host.X.b = 1, 4, 5
  host.X.part.p, host.X.f = alloc("int", 8, function(i) return i end), alloc("float", 4, function(i) return i / 4 end)
  for i = 0, 15 do host.a[i], host.g[i], host.wide[i // 4][i % 4] = i, i + 0.5, -i end
end

local shown = { "c1", "u1", "s2", "u2", "i4", "u4", "i8", "u8", "truth", "f4", "f8", "X.c", "X.b", "X.part.k",
  "X.part.w", "X.part.n", "X.many[0].w", "X.many[1].w", "X.many[2].n" }
local function state()
  local list = {}
  local function add(value)
    list[#list + 1] = (math.type(value) == "integer" and "%d" or "%a"):format(value)
  end
  for _, name in ipairs(shown) do add(host(name)) end
  for _, section in ipairs { "a[0:16]", "g[0:16]", "X.part.p[0:8]", "X.f[0:4]" } do
    for _, value in ipairs(host(section)) do add(value) end
  end
  return table.concat(list, " ")
end

local data = "data copy(X, c1, u1, s2, u2, i4, u4, i8, u8, truth, f4, f8, a, g, wide)"
local behind = "data copy(X.part.p[0:8], X.f[0:4])"

-- An independent loop, or one that may not be.
local function loop()
  return ("for (int i = %d; i < 16; i += %d) { a[i] = %s; g[i] %s a[%s] * 0.5f; }"):format(random(3) - 1, random(2),
    expression(2, true):gsub("%-9223372036854775807", "9"), pick { "=", "+=" }, pick { "i", "i", "15 - i", "i & 7" })
end

for number = 1, 60 do
  local body = number % 3 == 0 and loop() or statements(2, 0)
  case(("body %d"):format(number), function()
    fill()
    local ok, problem = pcall(function()
      local construct = pick { "parallel loop", "serial", "kernels loop" }
      acc(data)(function() acc(behind)(function() acc(construct)(body) end) end)
    end)
    print(number, ok and "" or tostring(problem))
    print(state())
  end)
end

-- Directives in bodies: private copies, reductions, last values, atomic statements, locals that may not be written.
local directives = {
  "#pragma acc loop gang vector\n for (int i = 0; i < 16; i++) a[i] = i * EXPR;",
  "#pragma acc loop private(i4)\n for (int i = 0; i < 16; i++) { i4 = EXPR; a[i] += i4; }",
  "#pragma acc loop private(i4)\n for (int i = 0; i < 16; i++) { if (i & NUMBER) i4 = i; a[i] += i4; }",
  "#pragma acc loop reduction(+: i8)\n for (int i = 0; i < 16; i++) i8 += a[i];",
  "#pragma acc loop reduction(max: u4) reduction(*: f8)\n"
    .. "for (int i = 1; i < 9; i++) { u4 = i > u4 ? i : u4; f8 *= i; }",
  "#pragma acc loop collapse(2) reduction(^: s2)\n"
    .. "for (int i = 0; i < 4; i++) for (int k = 0; k < 4; k++) s2 ^= a[i * k];",
  "#pragma acc atomic update\n i4 += EXPR;\n#pragma acc atomic capture\n { u4 = i4; i4 -= 3; }",
  "int q; if (EXPR) q = 3; a[2] = q;", "long q; q = EXPR; i8 = q;", "int q; q += 1; a[0] = 1;",
  "switch (i4 & 3) { case 0: a[0] = EXPR; break; case 1: a[1] = 4; default: a[2] = 5; }",
}
local openmp = {
  "#pragma omp parallel for private(i4) firstprivate(u4)\n for (int i = 0; i < 16; i++) { i4 = u4++; a[i] = i4; }",
  "#pragma omp for lastprivate(i4)\n for (int i = 0; i < NUMBER; i++) i4 = i * EXPR;",
  "#pragma omp parallel reduction(-: i8) default(none) shared(a)\n { i8 -= a[3]; }",
  "{\n#pragma omp single\n a[0] = EXPR;\n#pragma omp task\n a[1] = 3; }",
}

local function filled(text)
  return (text:gsub("EXPR", function() return expression(2, true) end):gsub("NUMBER", function() return random(8) end))
end

for number = 1, 45 do
  local is_acc = number % 3 > 0
  local body = filled(pick(is_acc and directives or openmp))
  case(("directives %d"):format(number), function()
    fill()
    local ok, problem = pcall(function()
      acc(data)(function()
        acc(behind)(function()
          if is_acc then acc(pick { "parallel", "serial", "kernels" })(body)
          else omp(pick { "target", "target map(i4, u4, i8)" })(body) end
        end)
      end)
    end)
    print(number, ok and "" or tostring(problem))
    print(state())
  end)
end
