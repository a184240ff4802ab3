-- C's expressions: what host "..." and bodies compute, what clauses take as conditions and bounds, what is refused.
scenario { title = "C: expressions" }

declare [[
  struct point { int x, y; };
  struct deep { int n; float *v; struct point at; } s, t;
  union number { int i; float f; } u;
  enum colour { RED, GREEN } c;
  int a[4] = { 1, 2, 3, 4 }, m[2][3], n = 3, zero = 0;
  const int fixed = 7;
  unsigned top = 4294967294u;
  float f = 1.5f;
  double *none, *d;
  void *raw;
  char text[] = "hi";
]]
host.s = { n = 2, v = { 1, 2 }, at = { x = 5, y = 6 } }
func("twice", function(k) return 2 * k end)
func("nothing", function() end)
func("word", function() return "word" end)
func("pair", function(p, q) return p + q end)

-- Statements in a kernel.
local function body(text) acc "parallel copy(a, m, s, t, u, n, f, none, d, zero, fixed, c, raw)" (text) end

case("accepts: operators follow C's precedence and promotions [HOUSE-language]", function()
  expect.host("1 + 2 * 3 - 4 / 2 % 2", 7)
  expect.host("1 << 2 + 1", 8)
  expect.host("(1 | 6) & ~4 ^ 1", 2)
  expect.host("top + 4 < top", true)
  expect.host("-1 > 0u", true)
  expect.host("(unsigned char)300 + (int)f", 45)
  expect.host("(unsigned long)1.5e19 - 5000000000000000000u == 10000000000000000000u", true)
  expect.host("n > 2 ? f * 2 : 0", 3)
  expect.host("!zero && (zero || n == 3)", true)
  expect.host("zero ? n / zero : 1", 1)
  expect.host("sizeof(struct point) + sizeof a[0] + sizeof(int[2][3])", 36)
end)

case("accepts: functions of C's library take doubles, or floats with an f [HOUSE-language]", function()
  expect.host("trunc(-2.7) + round(-2.5) + floor(-0.5) + ceil(1.5)", -4)
  expect.host("1 / trunc(-0.5) < 0 && 1 / ceil(-0.5) < 0 && 1 / round(-0.25) < 0", true)
  expect.host("round(0.49999999999999994) == 0 && round(-1e300) == -1e300", true)
  expect.host("fmax(0.0 / 0.0, 2) + fmin(3, 0.0 / 0.0) + fmod(7.5, -2)", 6.5)
  expect.host("atan2(0.0, -1.0) == acos(-1.0) && asin(1.0) * 2 == acos(-1.0)", true)
  expect.host("log2(8) + log10(1000) + pow(2, 10)", 1030)
  expect.host("roundf(0.1f) + truncf(1.9f)", 1)
  expect.host("abs(-7.9)", 7)
  expect.fails("unknown-name", function() return host "absf(1)" end)
  body "f = trunc(-2.5f); a[0] = round(2.5); a[1] = fmin(n, 2);"
  expect.host("a[0] * 10 + a[1]", 32)
  expect.host("f", -2)
end)

case("accepts: expressions contain members, elements, pointers and addresses [HOUSE-language HOUSE-names]", function()
  expect.host("s.at.y + (&s)->n + s.v[1] + *s.v", 11)
  expect.host("*(a + 2) - a[1]", 1)
  expect.host("&a[3] - a", 3)
  expect.host("s.v != 0 && none == 0", true)
  expect.host("a + 1 < a + 2", true)
  expect.host("GREEN + fixed", 8)
  expect.host("twice(n) + pair(1, 2)", 9)
  expect.host("text[1]", 105)
end)

case("accepts: bodies contain assignments, steps and loops [HOUSE-language]", function()
  body "n += 4; n = n++ + ++n; a[1] <<= 3; t = s; d = none; do s.at.x -= 1; while (s.at.x > 2);"
  expect.host("n", 16)
  expect.host("a[1]", 16)
  expect.host("t.at.y", 6)
  expect.host("s.at.x", 2)
  expect.host("d == 0", true)
  body "raw = &n; d = (double *)8; d = 0; zero = raw == &n;"
  expect.host("zero", 1)
  body "do { switch (n) { case 16: n = 1; continue; default: break; } break; } while (1);"
  expect.host("n", 1)
  expect.host("d == 0", true)
end)

case("accepts: a condition takes numbers and pointers, like if [HOUSE-language]", function()
  acc "data copy(a) if(none || n)" (function() expect.present "a" end)
  expect.accepts("data copy(a) if(zero)", function() expect.absent "a" end)
end)

case("rejects: an operand has a type that the operator does not take [HOUSE-language HOUSE-scenario]", function()
  expect.fails("type-mismatch", { "s @+ 1", "-@s", "@!s", "n @&& s", "s @|| n", "f @% 2", "f @& 1", "1 @<< f", "@~f",
    "raw @+ s", "s @== 1", "none @* f", "none @+ f", "f @- none", "none @* none", "none @<< 1", "@n ? s : 1",
    "@n ? 1 : s", "@s ? 1 : 2" }, { by = host })
  expect.fails("scenario-error", { "n @/ zero", "n @% zero" }, { by = host })
end)

case("rejects: an address, element or member is taken of an operand that has none"
  .. " [HOUSE-language ACC33-2.7-2 ACC33-2.7.1-1]", function()
  expect.fails("type-mismatch", { "@&1", "@&(n + 1)", "a[@f]", "s.v[@1.0]", "@*raw", "raw@[1]" }, { by = host })
  expect.fails("not-a-pointer", { "@*n", "@*s", "n@[0]", "s@[1]", "s@->n" }, { by = host })
  expect.fails("not-a-struct", { "n@.x", "a@.x", "none@->x", "RED@.x" }, { by = host })
  expect.fails("null-pointer", { "*none", "none[0]" }, { by = host })
  expect.fails("out-of-bounds", { "a@[7]", "m[1]@[5]", "s.v[9]" }, { by = host })
end)

case("rejects: a name, member or type is not declared [HOUSE-names]", function()
  expect.fails("unknown-member", { "s.@m", "s.at.@z", "(&s)->@w" }, { by = host })
  expect.fails("unknown-name", { "@unheard", "@unheard(1)", "s.v[@unheard]", "sizeof(@unheard)" }, { by = host })
  expect.fails("unknown-type", "@sizeof(struct unheard)", { by = host })
end)

case("rejects: a call names no function, or a function is used as a value"
  .. " [HOUSE-language HOUSE-names TR14-3.1.1-21]", function()
  expect.fails("type-mismatch", { "(n + 1)@(2)", "a[0]@(1)", "@twice", "@twice + 1", "word@()" }, { by = host })
  expect.fails("unknown-name", "@n(1)", { by = host })
  expect.fails("not-a-struct", { "n@.size()", "none@->size()" }, { by = host })
  expect.fails("not-a-pointer", "s@->size()", { by = host })
  expect.fails("unknown-member", "s.@size()", { by = host })
end)

case("rejects: an expression casts to a structure, uses a section as a value, or is malformed"
  .. " [HOUSE-language HOUSE-syntax]", function()
  expect.fails("type-mismatch", { "@(struct point)n", "@(int[2])n", "@(int)s" }, { by = host })
  expect.fails("invalid-section", { "a@[0:2] + 1", "n + m[0]@[0:1]" }, { by = host })
  expect.fails("syntax", { "1@, 2", "sizeof@", "(int@", "1 +@", "@'ab'", "@0x", "@08", "1@.5q", "a[1@",
    "s.@" }, { by = host })
end)

case("accepts: host carries out an assignment, and has its value [HOUSE-language]", function()
  expect.equal(host "n = 2 * n", 6)
  expect.equal(host.n, 6)
  expect.equal(host "d = none", NULL)
end)

case("rejects: only host assigns, and only to variables [HOUSE-syntax HOUSE-language]", function()
  expect.fails("syntax", function() expect.host("n = 2", 2) end)
  expect.fails("type-mismatch", { "@fixed = 2", "n + 1 @= 2" }, { by = host })
  expect.host("n", 3)
end)

case("rejects: the target of an assignment is not a variable, or the value does not fit"
  .. " [HOUSE-language HOUSE-scenario HOUSE-names HOUSE-version]", function()
  expect.fails("type-mismatch", { "1 @= 2;", "n + 1 @= 2;", "twice(1) @= 2;", "5@++;", "@--twice(1);", "@fixed = 8;",
    "@fixed++;", "s @= 1;", "n @= s;", "s @= u;", "none @= s;", "d @= f;", "d @= n;", "d @= 5;",
    "int *@q = 5;", "float *@q = &n;", "s @= s.at;", "a @= a;", "d @= a;",
    "n @|= f;", "none @*= 2;", "s @+= 1;", "n + 1; @nothing;" }, { by = body })
  expect.fails("scenario-error", "n @/= zero;", { by = body })
  expect.fails("unknown-name", { "@unheard = 1;", "n = @unheard;" }, { by = body })
  expect.fails("unsupported", "n = @\"word\";", { by = body })
  expect.fails("not-a-pointer", "@*n = 1;", { by = body })
end)

case("rejects: a statement is not C, or a kernel does not support it"
  .. " [HOUSE-names HOUSE-version HOUSE-language HOUSE-syntax]", function()
  expect.fails("duplicate-name", { "int n; int @n;", "int w = 1, @w = 2;" }, { by = body })
  expect.fails("unsupported", { "int w[3] = @{ 1, 2, 3 };", "int f(int x) @{ return x; }" }, { by = body })
  expect.fails("unknown-type", { "struct unheard @w;", "void @w;" }, { by = body })
  expect.fails("invalid-section", "int w@[-1];", { by = body })
  expect.fails("type-mismatch", { "int w[@n];", "int @w = s;", "if (@s) n = 1;", "while (@s) n = 1;",
    "for (;@s;) n = 1;", "switch (@f) { case 1: n = 1; }", "switch (n) { case @f: n = 1; }", "@s;" },
    { by = body })
  expect.fails("syntax", { "goto @out;", "@break;", "if (n) @continue;", "while (n) n--; @break;",
    "switch (n) { case 3: @continue; }", "try @{ n = 1; }", "if @n = 1;",
    "for (int i = 0; i < 3@) n = 1;" }, { by = body })
end)

case("rejects: a bound of a section is not an integer, or changes a variable"
  .. " [ACC33-2.7.1-1 HOUSE-language HOUSE-limit HOUSE-names TR14-3.1.1-22]", function()
  expect.fails("type-mismatch", { "data copy(a[0:@f])", "data copy(a[0:@s])", "data copy(a[0:@none])",
    "data copy(a[0:n@++])", "data copy(a[0:@\"text\"])", "data copy(a[0:(@1, 2)])", "data copy(a[0:@twice])",
    "data copy(a[0:none @* none])",
    "data copy(a[0:none @+ none])", "data copy(a[0:s@.at])", "data copy(a[0:-@&n])", "data copy(a[0:n ? @s : 1])",
    "data copy(a[0:~@f])", "data copy(a[0:@(struct point)n])", "data copy(@5)" })
  expect.fails("invalid-section", "data copy(a[0:a@[0:2]])")
  expect.fails("not-a-pointer", { "data copy(a[0:@*n])", "data copy(a[0:@*(n + 1)])", "data copy(a[0:n@[0]])",
    "data copy(a[0:@*5])", "data copy(a[0:s@->n])", "data copy(n@[0:1])", "data copy(@*n)" })
  expect.fails("not-a-struct", { "data copy(a[0:n@.size()])", "data copy(f@.x)" })
  expect.fails("out-of-bounds", "data copy(a[0:m[@5][0]])")
  expect.fails("limit", "data copy(a[0:pair@(1, 2, 3, 4, 5, 6, 7, 8, 9)])")
  expect.fails("unknown-name", { "data copy(a[0:@unheard(1)])", "data copy(a[@unheard:1])" })
  expect.fails("unknown-member", "data copy(a[0:s.@m])")
end)

case("rejects: a condition or an async value is not a number [HOUSE-language HOUSE-names]", function()
  expect.fails("type-mismatch", { "wait(@s)", "wait(@f)", "update self(a) if(@s)", "update self(a) async(@f)",
    "update self(a) async(@s)" })
  expect.fails("unknown-name", { "wait(@unheard)", "update self(a) if(@unheard)" })
end)

case("rejects: a void expression is used as a value, or a library function has other arguments"
  .. " [HOUSE-language]", function()
  expect.fails("type-mismatch", { "@(void)n", "@(void)n + 1" }, { by = host })
  expect.fails("type-mismatch", { "n = @(void)n;", "f = sqrt@(1.0, 2.0);", "f = powf@(1);", "n = abs@();" },
    { by = body })
end)

case("rejects: a construct of OpenMP's threads has another form"
  .. " [HOUSE-version OMP60-nest-1 OMP60-share-1 HOUSE-threads HOUSE-language]", function()
  local function target(text) omp "target map(a, s, n)" (text) end
  expect.fails("unsupported", {
    "#pragma omp @atomic compare capture\n{ n = a[0]; if (a[0] == 1) a[0] = 2; }",
    "#pragma omp parallel @copyin(n)\nn = 1;" }, { by = target })
  expect.fails("syntax", { "#pragma omp sections\n@n = 1;" }, { by = target })
  expect.fails("clause-not-allowed", { "#pragma omp parallel if(@target: n)\nn = 1;",
    "#pragma omp parallel for if(@simd: n)\nfor (int i = 0; i < 3; i++) n = i;" }, { by = target })
  expect.fails("type-mismatch", { "#pragma omp for lastprivate(@fixed)\nfor (int i = 0; i < 3; i++) n = i;" },
    { by = target })
end)

case("rejects: a text of the host contains a directive about types [TR14-3.1.1-01 ACC33-dec-1]", function()
  local function threads(text) omp "parallel" (text) end
  expect.fails("clause-not-allowed", { "#pragma acc @shape include(v)\nn = 1;",
    "#pragma acc @declare create(n)\nn = 1;" }, { by = threads })
end)
