-- Mutated directives, declarations, bodies of kernels, expressions and texts of the construct IR. Each text must
-- succeed or raise an error of accdeep with a location, and the session must continue. ACCDEEP_SEED and ACCDEEP_ROUNDS
-- select other runs.

scenario { title = "mutated texts", cites = { "HOUSE-scenario" } }

package.path = "tests/random/?.lua;" .. package.path

local ir_execution = require "accdeep.run.ir_execution"
local syntax = require "accdeep.syntax"
local mutate = require "mutate"
local mutated_texts = require "mutated_texts"
local runner = require "accdeep.steps.runner"

local DECLARATIONS = [[
  typedef struct pair { int x, y; } pair_t;
  struct leaf { int n; double *v; pair_t at[2];
    #pragma acc shape init_needed(n) include(v[0:n])
    #pragma acc shape(bare) default(exclude) include(n)
  };
  enum kind { ONE = 1, TWO };
  union both { int i; float f; };
  struct pair P;
  #pragma omp declare group name(outer) firstprivate(n) bind_type(struct pair) map(to: x)
  struct leaf X, Y[3];
  int n = 4, a[10] = {1, 2, [5] = 7}, m[3][4];
  float *p;
]]

local corpus = {
  directive = {
    "data copy(X) copyin(a[0:n]) create(m)", "#pragma acc enter data copyin(Y[0:3], p[n:2*n+1]) async(1)",
    "exit data delete(X.v[0:X.n]) finalize", "update self(X.v[0:X.n]) if_present if(n > 3 && a[2] == 0)",
    "data copyout<bare>(X) present(a) no_create(p[0:n])", "set device_num(0)", "wait(1, 2) async",
    "shape(struct leaf: more) exclude(at)", "parallel loop copy(a[:]) private(n) firstprivate(m)",
    "host_data use_device(p)", "update device(Y[1].at[0].x, a[sizeof(int)])", "end data",
  },
  openmp = {
    "parallel for private(n) reduction(+: a[0:n]) schedule(static, 4) if(parallel: n > 2) num_threads(n + 1)",
    "target map(always, to: a[0:n]) map(tofrom: X.v[0:X.n]) bind_types(P, int) bind_group(inherit: outer)",
    "#pragma omp declare group name(inner) bind_all(parallel, target data) private(n) bind_groups(override: outer)",
    "target data map(alloc: a[n:2]) map(mapper(default), to: Y[0:2]) use_device_ptr(p)",
    "task default(none) shared(a, n) depend(in: a[2]) priority(n)", "flush(a, n)", "critical(name) hint(1)",
    "target update to(a[1:n]) from(X.n)", "target exit data map(release: a[0:n]) map(delete: X)",
    "declare group bind_type(pair_t, unsigned int) map(tofrom: this->y, *this) default(none) name(typed)",
  },
  declaration = {
    "struct s { int n; float *a, *b; #pragma acc shape include(a[0:n], b[0:n])\n };",
    "union u { struct { short x; long y; }; char b[16]; } v;", "enum { A, B = 3 << 2, C } e = C;",
    "typedef const unsigned long long (*fn)(int, void *);", "int q[2][3] = {{1, 2}, {[1] = 4}};",
    "struct l { struct l *next; double d; } *head; // comment", "char text[] = \"a\\x41\\n\";",
  },
  body = {
    "for (int i = 0; i < n; ++i) { if (a[i] % 2) continue; a[i] += X.v[i] * 2; }",
    "int i = 3; while (i-- > 0) { m[0][i] = (float)i / 3; } do i++; while (i < 2);",
    "#pragma acc loop gang private(n) reduction(+: p)\nfor (int i = 0; i < 4; i++) { n = i; a[n] = 1; }",
    "#pragma acc loop collapse(2)\nfor (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) m[i][j] = i;\n"
      .. "#pragma acc atomic capture\n{ n = a[1]; a[1] -= 2; }\n#pragma acc cache(a[n:2])\n#pragma unroll",
    "switch (n) { case 3: a[0] = 1; break; case 4: default: a[1] = 2; }",
    "X.at[1].y = n > 2 ? a[1] << 3 : ~a[0]; p[0] = 1.5e3f; { int t = -1; Y[0].n = t; }",
  },
  ir = {
    "program leaf size 32\n  piece @0 size 8 init \"n\"\n  piece @8 size 24\n  r0 = load i32 @0\n"
      .. "  field @8 of 8 count r0 always_in \"v\" section\n  excluded @16 size 8 \"at[0]\"\n"
      .. "construct region \"data\" at \"u.c\":3\n  r0 = &X\n  r1 = 1\n"
      .. "  item copy of 32 base r0 count r1 present_or -> leaf \"X\"\nend",
    "construct enter_data\n  r0 = &a\n  r1 = &n\n  r2 = load i32 r1+0\n  r3 = 2\n  r4 = r2 - r3 : i32\n"
      .. "  item copyin of 4 base r0 start r3 count r4 slot &p \"a\" section array \"a\" shift 0 (0:10:4)",
    "memory one size 16\nstore &one = i32 -3\nstore &one+8 = &a\nprogram p size 8\n  r0 = 1\n  r1 = element\n"
      .. "  r2 = select r0 r1 r0\n  r3 = cast r2 bool\n  r4 = distance r1 r1 of 8\n  r5 = ! r4\n"
      .. "  field @0 of 8 count r0 up 1\nconstruct exit_data finalize\n  r0 = &one+8\n"
      .. "  item delete of 8 base r0 -> p \"one\" frame &one size 16 gaps 8 (1:8)",
  },
  expression = { "X.v[0:3]", "Y[2].at[1].x + 2 * n", "*(p + 1)", "(int)3.7 & 0xff", "&a[3] - &a[1]", "m[1][0:2]" },
}

-- ---------------------------------------------------------------------------------------- running --

local function fresh()
  local s = runner.open({ device_bytes = 1 << 20 }, DECLARATIONS).session
  s:host_store(s.now.scope.variables.X.address, s.now.scope.variables.n.type, 0)
  return s
end

-- Executes a step, and closes the region that it opens.
local function run_step(s, step)
  local one = runner.new(s)
  one:run(step)
  if one.open[1] then one:run { kind = "end" } end
end

local run = {}
function run.directive(s, text) run_step(s, { kind = "acc", text = text }) end
function run.openmp(s, text) run_step(s, { kind = "omp", text = text, body = "a[0] = n;" }) end
function run.ir(s, text) ir_execution.run(s, "accdeep ir 1\n" .. text, "text", 1) end
function run.declaration(s, text) s:declare(text, "text", 1) end
function run.body(s, text)
  run_step(s, { kind = "acc", text = "parallel copy(X, Y, a, m, n) create(p)", body = text })
end
function run.expression(s, text) s:with_text(text, "text", 1, s.value, s, s:host_env(), text) end

local kinds = { "directive", "directive", "ir", "openmp", "openmp", "declaration", "body", "expression" }
mutated_texts.run { rounds = 6000, every = 50, fresh = fresh, next = function(s)
  local kind = kinds[math.random(#kinds)]
  local text = corpus[kind][math.random(#corpus[kind])]
  for _ = 1, math.random(3) do text = mutate(text) end
  return text, function() run[kind](s, text) end, kind == "body" and 30 or 1000, kind ~= "body"
end }

local s = fresh()
assert(syntax.parse("directive", corpus.directive[1], 1, s.now.scope))
run.directive(s, "enter data copyin(a)")
s:close()
