-- Data races between iterations of loops that teams, threads and lanes divide: bodies in C. fortran-races.lua has those
-- in Fortran.
scenario { title = "OpenMP: data races between iterations", rules = "openmp-6.0" }

declare "float a[8], b[8], m[4][4], s; int t, n, index[8], one = 1;"

local function begin()
  for i = 0, 7 do
    host.a[i], host.b[i], host.index[i] = i, 10 * i, i
  end
end

-- The body has a race. Its message and help contain the texts, and nothing has changed.
local function race(construct, body, message, help)
  begin()
  local err = expect.fails("data-race", function() omp(construct)(body) end)
  expect.equal(err.rule, "OMP60-race-1")
  if message then expect.equal(err.message, message) end
  if help then expect.equal(err.help:find(help, 1, true) ~= nil, true) end
  expect.host("a[0:8]", { 0, 1, 2, 3, 4, 5, 6, 7 })
  expect.host("s", 0)
end

local EACH = "for (int i = 0; i < 8; i++) "

case("rejects: threads use what other threads write [OMP60-race-1]", function()
  for _, construct in ipairs { "target teams distribute parallel for", "target parallel for", "target teams distribute",
    "target teams loop", "target parallel loop", "target simd", "target teams distribute simd" } do
    race(construct .. " map(tofrom: a)", "for (int i = 1; i < 8; i++) a[i] = a[i - 1];",
      "iteration i = 2 reads a[1], which iteration i = 1 writes", "one thread")
  end
  race("target map(tofrom: a)", "#pragma omp parallel\n#pragma omp for\n" .. EACH .. "a[i / 2] = 1;",
    "iterations i = 0 and i = 1 both write a[0]", "elements of its own")
  race("target parallel for collapse(2) map(tofrom: m)",
    "for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) m[j][j] = i;",
    "iterations i = 0, j = 0 and i = 1, j = 0 both write m[0][0]")
end)

case("rejects: a reduction, private copy or atomic construct is missing [OMP60-race-1]", function()
  race("target parallel for map(to: a) map(s)", EACH .. "s += a[i];",
    "iteration i = 1 reads s, which iteration i = 0 writes", "reduction(+: s)")
  -- The copy of a scalar in no clause belongs to the target region, whose threads share it.
  race("target teams distribute parallel for map(a)", EACH .. "{ t = i; a[i] = t; }",
    "iterations i = 0 and i = 1 both write t", "private(t)")
  race("target map(a)", "int k;\n#pragma omp parallel for\n" .. EACH .. "{ k = i; a[i] = k; }", nil, "private(k)")
  race("target map(a)", "int j;\n#pragma omp parallel for\n" .. EACH .. "for (j = 0; j < 1; j++) a[i] = j;", nil,
    "private(j)")
  race("target parallel for map(a)", EACH .. "{\n#pragma omp critical(x)\n a[0] += i;\n a[i + 1 & 7] = a[0]; }")
  race("target parallel for map(a)", EACH .. "{\n#pragma omp atomic\n a[0] += i;\n #pragma omp critical\n a[0] += i; }")
  race("target parallel for map(a)", EACH .. "{\n#pragma omp atomic capture\n t = a[0]++;\n a[7] = i; }")
end)

case("rejects: teams share what threads of one team combine [OMP60-race-1]", function()
  race("target map(s)", [[
    #pragma omp teams distribute
    for (int i = 0; i < 4; i++)
      #pragma omp parallel for reduction(+: s)
      for (int j = 0; j < 4; j++) s += 1;
  ]], "iteration i = 1 reads s, which iteration i = 0 writes")
  race("target teams private(t) map(a)", [[
    #pragma omp distribute
    for (int i = 0; i < 2; i++) {
      #pragma omp parallel for
      for (int j = 0; j < 4; j++) { t = j; a[4 * i + j] = t; }
    }
  ]], "iterations j = 0 and j = 1 both write t")
end)

case("accepts: threads use memory of their own, or only read [OMP60-race-1]", function()
  begin()
  omp "target teams distribute parallel for simd map(tofrom: a) map(to: b, index)" (EACH .. "a[index[i]] = b[0] + i;")
  omp "target teams distribute map(tofrom: m)" [[
    for (int i = 0; i < 4; i++) {
      float line[4];
      #pragma omp parallel for
      for (int j = 0; j < 4; j++) line[j] = j;
      #pragma omp parallel for
      for (int j = 0; j < 4; j++) m[i][j] = line[3 - j];
    }
  ]]
  expect.host("a[7]", 7)
  expect.host("m[3][0]", 3)
end)

case("accepts: copies, reductions, and atomic and critical regions do not race [OMP60-race-1]", function()
  begin()
  omp "target teams distribute parallel for private(t) map(a)" (EACH .. "{ t = i; a[i] = 2 * t; }")
  omp "target teams distribute parallel for firstprivate(n) map(a)" (EACH .. "{ n += i; a[i] = i; }")
  omp "target parallel for lastprivate(t) reduction(+: s) map(a)" (EACH .. "{ t = i; s += a[i]; }")
  expect.host("s", 28)
  expect.host("t", 7)
  omp "target map(a, s, n)" [[
    #pragma omp parallel private(t)
    {
      int sum = 0;
      t = 0;
      #pragma omp for
      for (int i = 0; i < 8; i++) { sum += i; t += i; }
      #pragma omp atomic
      n += sum + t;
    }
    #pragma omp parallel for
    for (int i = 0; i < 8; i++) {
      #pragma omp critical(first)
      {
        #pragma omp critical(second)
        a[0] += i;
      }
      #pragma omp critical(second)
      a[0] += i;
      #pragma omp atomic
      a[1] += i;
    }
  ]]
  expect.host("n", 56)
  expect.host("a[0]", 56)
  expect.host("a[1]", 29)
end)

case("accepts: one thread runs iterations in order [OMP60-race-1]", function()
  local body = "for (int i = 1; i < 8; i++) a[i] = a[i - 1];"
  for _, construct in ipairs { "target", "target parallel", "target parallel for if(parallel: 0)",
    "target parallel for num_threads(one)", "target teams distribute num_teams(1)", "target simd safelen(1)",
    "target teams distribute parallel for num_teams(1) num_threads(1)" } do
    begin()
    omp(construct .. " map(a)")(body)
    expect.host("a[7]", 0)
  end
  begin()
  omp "target map(a)" ("#pragma omp parallel num_threads(one)\n#pragma omp for\n" .. body)
  omp "target map(a)" ("#pragma omp parallel for if(one > 1)\n" .. body)
  expect.host("a[7]", 0)
end)

for _, profile in ipairs { "libgomp-12-openmp", "libomptarget-19" } do
  case(("differs: races are not looked for under %s [OMP60-race-1]"):format(profile), function()
    rules(profile)
    declare "float a[8] = { 1 };"
    omp "target parallel for map(a)" "for (int i = 1; i < 8; i++) a[i] = a[i - 1];"
    expect.host("a[7]", 1)
  end)
end
