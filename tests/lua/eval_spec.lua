-- C arithmetic and statements, against the C compiler, and the errors C has no words for.
local support = require "tests.lua.support"

local declarations = [[
  char c = -3; signed char sc = 127; unsigned char uc = 250; short s = -32768; unsigned short us = 65535;
  int i = -7; int j = 3; int big = 2147483647; unsigned u = 4000000000u; long l = -5000000000;
    unsigned long ul = 18446744073709551615u;
  long long ll = 1; float f = 1.1f; float g = 16777216.0f; double d = 0.1; double e = -2.75; _Bool b = 1;
  int v[5] = { 10, 20, 30, 40, 50 }; int m[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
  struct pair { int x; double y; } p = { 4, 2.5 }; struct pair q[2] = { { 1, 1.5 }, { 2, 3.5 } };
  enum { FIRST = 5, SECOND };
]]

-- Printed as a long, or as a double with all its digits.
local integers = {
  "c + uc", "uc + uc", "(unsigned char)(uc + uc)", "sc + 1", "(signed char)(sc + 1)",
    "us * us / 3u", "s - 1", "(short)(s - 1)",
  "u + u", "u * 2", "-u", "~u", "i < u", "i < (long)u", "c < us", "l < u", "i > ul", "-1 < 0u",
    "-1L < 0u", "ul + 1", "ul / 3", "ul % 10",
  "i / j", "i % j", "-i / j", "i / -j", "i % -j", "l / 7", "l % 7", "u / 7", "u % 7", "-7 / 2",
    "-7 % 2", "7u / 2", "ul > 1",
  "i >> 1", "u >> 4", "u << 1", "j << 3", "1u << 31", "l >> 3", "ul >> 63", "1L << 40", "uc << 4",
    "c >> 1", "(unsigned char)c >> 1",
  "i & 0xff", "i | 8", "i ^ j", "~i", "~uc", "!i", "!0", "!!d", "-c", "+uc", "i == -7", "d == 0.1",
    "f == 1.1", "f == 1.1f",
  "(int)e", "(int)f", "(unsigned char)300", "(char)200", "(_Bool)0.5", "(_Bool)256", "(long)1e15",
    "(unsigned)(long)-1", "(int)3000000000u",
  "i ? j : 9", "0 ? j : 9", "j && 0", "0 || i", "i && j || 0", "1 ? -1 : 0u", "(1 ? -1 : 0u) > 0",
    "(0 ? l : u) < 0",
  "sizeof(int)", "sizeof v", "sizeof v / sizeof v[0]", "sizeof p", "sizeof(c + c)",
    "sizeof(f * 1.0)", "sizeof 'a'",
  "v[0] + v[4]", "*v", "*(v + 2)", "v[j] - v[1]", "m[1][2]", "m[0][1] * m[1][0]", "*m[1]",
    "(*m)[2]", "&v[4] - &v[1]", "&v[4] > &v[1]",
  "&v[2] == v + 2", "p.x", "(&p)->x", "q[1].x", "(q + 1)->x", "(&q[1])->x - q->x", "FIRST + SECOND",
    "SECOND * 2", "'a' + 1", "0x7fffffff",
  "010 + 0x10", "1 + 2 * 3 - 4 / 2 % 3", "(1 + 2) * (3 - 4)", "i - j - 1", "1 << 2 + 1",
    "1 | 2 ^ 3 & 6", "5 > 3 == 1", "ll << 62", "b + b",
  "(char)(c - 126)", "us + 1", "(unsigned short)(us + 1)", "ul * 3", "(int)(d * 100)", "c == -3",
    "uc == 250", "sc * uc", "i % 4 == -3", "(i, j)",
}
local floats = {
  "d + 0.2", "f + 0.2", "f + 0.2f", "f * f", "g + 1", "g + 1.0", "g + 1.0f", "1 / 3.0", "1.0f / 3",
    "1 / 3", "d * i", "(float)d", "(double)f",
  "e / j", "-e", "i / 2.0", "i / 2", "u * 1.0", "ul * 1.0", "(float)16777217", "(float)ul",
    "q[0].y + p.y", "0 ? 1 : 2.5", "1 ? 1 : 2.5", "f - d",
  "(float)0x1000001000000001", "(float)0xf000001000000001", "(double)0x80000000000003ff", "(float)-0x1000001000000001",
  "(double)(float)0.1", "c * 0.5", "1e308 * 10", "sqrt(2.0)", "pow(2, 0.5)", "fabs(e)", "floor(e)",
    "ceil(e)", "fmax(d, e)", "exp(1.0)",
}

describe("expressions", function()
  local session = support.session(declarations)
  local env = session:host_env()

  it("have the values the C compiler gives them", function()
    local program = { "#include <stdio.h>\n#include <math.h>\n", declarations, "int main(void) {\n" }
    for _, text in ipairs(integers) do program[#program + 1] = ('printf("%%ld\\n", (long)(%s));\n'):format(text) end
    for _, text in ipairs(floats) do program[#program + 1] = ('printf("%%.17g\\n", (double)(%s));\n'):format(text) end
    program[#program + 1] = "return 0; }\n"
    local base = os.tmpname()
    local file = assert(io.open(base .. ".c", "w"))
    file:write(table.concat(program))
    file:close()
    finally(function()
      for _, suffix in ipairs { "", ".c", ".x" } do os.remove(base .. suffix) end
    end)
    assert.truthy(os.execute(("gcc -std=gnu11 -w -fwrapv -o %s.x %s.c -lm"):format(base, base)))
    local pipe = assert(io.popen(base .. ".x"))
    local wrong = {}
    for n, text in ipairs(table.move(floats, 1, #floats, #integers + 1, { table.unpack(integers) })) do
      local wanted = assert(pipe:read "l")
      local value = session:value(env, n <= #integers and ("(long)(%s)"):format(text)
        or ("(double)(%s)"):format(text))
      local found = n <= #integers and ("%d"):format(value) or ("%.17g"):format(value)
      if found ~= wanted then wrong[#wrong + 1] = ("%s is %s, not %s"):format(text, wanted, found) end
    end
    pipe:close()
    assert.same({}, wrong)
  end)

  local errors = {
    { "i / 0", "scenario-error", 3 }, { "i % (j - 3)", "scenario-error", 3 }, { "ul / 0u",
      "scenario-error", 4 },
    { "nothing + 1", "unknown-name", 1 }, { "p.z", "unknown-member", 3 }, { "i.x", "not-a-struct",
      2 }, { "p->x", "not-a-pointer", 2 },
    { "i[0]", "not-a-pointer", 2 }, { "*i", "not-a-pointer", 1 }, { "p + 1", "type-mismatch", 3 },
      { "f % 2", "type-mismatch", 3 },
    { "~f", "type-mismatch", 1 }, { "f << 1", "type-mismatch", 3 }, { "v[5]", "out-of-bounds", 2 },
      { "v[-1]", "out-of-bounds", 2 },
    { "*(v + 5)", "out-of-bounds", 1 }, { "m[1][3]", "out-of-bounds", 5 }, { "v[j + 2]",
      "out-of-bounds", 2 }, { "*(&j + 1)", "out-of-bounds", 1 }, { "g(1)", "unknown-name", 1 },
      { "v * 2", "type-mismatch", 3 },
    { "&3", "type-mismatch", 1 }, { "v[p]", "type-mismatch", 3 }, { "v[1.5]", "type-mismatch", 3 },
      { "(struct pair)i", "type-mismatch", 1 },
  }
  for _, case in ipairs(errors) do
    it(("says what is wrong with %s"):format(case[1]), function()
      local err = support.error_of(session.value, session, env, case[1])
      assert.equal(case[2], err.code)
      assert.equal(case[3], err.pos)
    end)
  end

  it("does not evaluate what C leaves out", function()
    assert.equal(0, session:value(env, "0 && 1 / 0"))
    assert.equal(1, session:value(env, "1 || 1 / 0"))
    assert.equal(4, session:value(env, "1 ? 4 : 1 / 0"))
  end)
end)

describe("C text", function()
  local function after(text, expression, more)
    support.holds(([[
      declare "int n = 5; unsigned u = 3; float f = 0; double d = 0; int v[8]; int m[2][2]; \z
               struct P { int x; int *to; } P, Q; int *p; \z
               unsigned char c = 250; short s; long l; int data[4] = { 1, 2, 3, 4 };"
      %s
      acc "parallel copy(n, u, f, d, v, m, P, Q, c, s, l, data)" [==[ %s ]==]
      expect.equal(host "%s", WANTED)
    ]]):gsub("\n               ", " "):gsub("WANTED", more.wanted):format(more.before or "", text,
      expression))
  end
  local programs = {
    { "for (int i = 0; i < 8; i++) v[i] = i * i;", "v[7]", 49 }, { "int k = 3; while (k--) n += 2;",
      "n", 11 },
    { "int k = 0; do n++; while (++k < 4);", "n", 9 },
      { "for (int i = 0; ; ++i) { if (i == 3) continue; if (i > 5) break; n += i; }", "n", 17 },
    { "n = c++; ", "c", 251 }, { "c += 10;", "c", 4 }, { "s = 40000;", "s", -25536 }, { "n = 7.9;",
      "n", 7 }, { "f = 0.1;", "f", "0x1.99999ap-4" },
    { "n <<= 2; n |= 1;", "n", 21 }, { "n = u - 4 > 0;", "n", 1 }, { "P.x = 4; Q = P; P.x = 5;", "Q.x", 4 },
    { "int i = 1; { int i = 2; n = i; } n += i * 10;", "n", 12 },
      { "for (int i = 0, j = 8; i < j; i++, j--) n = i + j;", "n", 8 },
    { "int *q = data; for (int i = 0; i < 4; i++) n += *q++;", "n", 15 },
      { "int *q = &data[3]; n = q[-1] + *(q - 2);", "n", 5 },
    { "int *q = data; *q++ += 5; *q++ *= 3; n = data[0] * 10 + data[1] + data[2];", "n", 69 },
      { "int i = 0; data[i++] += 2; (data + i)[0]++; n = data[0] * 100 + data[1] * 10 + i;", "n", 331 },
    { "int a[3]; a[0] = 1; a[1] = 2; a[2] = a[0] + a[1]; n = a[2];", "n", 3 },
      { "int x = 3, *y = &x; *y += 4; n = x;", "n", 7 },
    { "m[1][0] = 3; m[0][1] = m[1][0]--;", "m[0][1] * 10 + m[1][0]", 32 },
      { "n = u == 3 ? 1 : 2; if (n) ; else n = 9;", "n", 1 },
    { "if (n > 3) if (n > 4) n = 1; else n = 2;", "n", 1 },
      { "long big = 1; big <<= 40; l = big;", "l", 1 << 40 },
    { "for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) { if (j == 1) break; n++; }", "n",
      8 }, { "n = sizeof(int) + sizeof v;", "n", 36 },
    { "unsigned char k = 255; k++; n = k;", "n", 0 }, { "d = (float)0.1 * 3;",
      "d > 0.30000000000000004", 1 }, { "n = -u / 2;", "n", 2147483646 },
  }
  for _, case in ipairs(programs) do
    it("runs " .. case[1], function() after(case[1], case[2], { wanted = tostring(case[3]) }) end)
  end
end)
