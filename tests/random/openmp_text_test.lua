-- Mutated texts of OpenMP directives, under OpenMP profiles. Each text must succeed or raise an error of accdeep with
-- a location and a rule, and the session must stay consistent. ACCDEEP_SEED and ACCDEEP_ROUNDS select other runs.

scenario { title = "mutated OpenMP directives", cites = { "HOUSE-scenario" } }

package.path = "tests/random/?.lua;" .. package.path

local mutate = require "mutate"
local mutated_texts = require "mutated_texts"
local runner = require "accdeep.steps.runner"

local DECLARATIONS = [[
  struct leaf { int n; double *v; struct { int x, y; } at[2]; };
  struct node { struct leaf own, *kids; int m; };
  #pragma omp declare mapper(struct leaf l) map(l, l.v[0:l.n])
  #pragma omp declare mapper(bare: struct leaf l) map(to: l.n)
  #pragma omp declare mapper(struct node d) map(d.m, d.own) map(d.kids[0:d.m])
  struct leaf X, Y[3], *L;
  struct node N;
  int n = 4, a[10] = {1, 2, [5] = 7}, m[3][4], g;
  float *p;
]]

local corpus = {
  "target data map(tofrom: X) map(to: a[0:n]) use_device_ptr(p)", "#pragma omp target enter data map(to: Y[0:3], a)",
  "target enter data map(always, present, mapper(bare), to: X) nowait depend(out: n)",
  "target exit data map(delete: X) map(from: a[2:3]) if(target exit data: n > 3)",
  "target exit data map(mapper(bare), release: Y[1:2])", "target update to(X.v[0:X.n]) from(present: a[1:n-1])",
  "target map(X.at[1].y, X.n) map(from: X.at[0]) defaultmap(none: scalar) private(n) firstprivate(g)",
  "target teams distribute parallel for map(tofrom: a) reduction(+: g) collapse(2) num_teams(4) device(0)",
  "target map(L->n, L->v[0:2]) map(alloc: L[:0]) is_device_ptr(p) has_device_addr(m)",
  "target enter data map(iterator(i = 0:3, int j = 0:4:2), to: m[i][j:1])", "end target data",
  "target update to(m[0:2][1:2]) from(iterator(k = 0:2): Y[k].n)", "declare target(g, a)",
  "declare target enter(m) device_type(any)", "declare mapper(other: struct leaf l) map(from: l.at[0:1])",
  "declare group name(here) bind_all(target) map(to: n)", "target bind_group(here) map(a)",
  "parallel for private(n) default(none) shared(a) num_threads(2) schedule(static, 1)", "barrier", "parallel",
  "target map(a, m, n) map(g)", "single nowait", "target teams num_teams(2: n) thread_limit(3)",
  "target data map(to: N) map(alloc: N.kids[:0])", "requires unified_shared_memory",
}

local bodies = { "a[1] = n; X.n = 2;", "for (int i = 0; i < 3; i++) Y[i].at[1].x = m[0][i];", "p[0] = L->v[1] + g;",
  "#pragma omp parallel for private(g) reduction(+: n) collapse(2)\nfor (int i = 0; i < 3; i++)\n"
    .. "for (int j = 0; j < 4; j++) { g = i; n += g; m[i][j] = n; }",
  "{\n#pragma omp sections\n{ a[0]++;\n#pragma omp section\nswitch (n) { case 1: a[1] = 2; break;"
    .. " default: a[2]++; } }\n#pragma omp atomic capture\n{ n = g; g += 2; }\n"
    .. "#pragma omp task firstprivate(n) depend(in: g)\na[3] = n; }",
  "{ int q = 2;\n#pragma omp target data map(a, q) if(n > 1)\n{\n#pragma omp target map(to: q)\na[q] = q;\n"
    .. "#pragma omp target update from(a[0:4])\n} }",
  "_Pragma(\"omp for lastprivate(g) linear(n: 2) schedule(static, 1)\") for (int i = 0; i < 4; i++) g = i + n;" }

local profiles = { "openmp-5.1", "openmp-5.1", "openmp-4.0", "indirect" }

local function fresh()
  local rules = profiles[math.random(#profiles)]
  local s = runner.open({ device_bytes = 1 << 20, rules = rules }, DECLARATIONS).session
  local at = s.now.scope.variables
  s.ctx:host_write(at.L.address, require "accdeep.core".scalar.pointer, at.X.address)
  return s
end

local succeeded, rounds = mutated_texts.run { rounds = 3000, every = 16, fresh = fresh, next = function(s)
  local text, body = corpus[math.random(#corpus)], bodies[math.random(#bodies)]
  for _ = 1, math.random(0, 3) do text = mutate(text) end
  if math.random(4) == 1 then body = mutate(body) end
  return text, function() -- half of the regions stay open
    local one = runner.new(s)
    one:run { kind = "omp", text = text, body = body }
    if one.open[1] and math.random(2) == 1 then one:run { kind = "end" } end
  end, 1000
end }
expect(succeeded * 10 > rounds, "too few texts are right")
