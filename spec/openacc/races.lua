-- Data races between iterations of parallel loops, in bodies in C. fortran-races.lua has those in Fortran.
scenario { title = "OpenACC 3.3: 2.9 races between iterations", rules = "openacc-3.3" }

declare [[
  float a[8], b[8], m[4][4], s, t;
  int index[8], n, *p;
  struct pair { int x, y; } pairs[4];
]]

local function begin()
  for i = 0, 7 do
    host.a[i], host.b[i], host.index[i] = i, 10 * i, i
  end
end

-- The body is accepted under the construct.
local function free(construct, body) acc(construct)(body) end

-- The body has a race. Its message and help contain the texts, and nothing has changed.
local function race(construct, body, message, help)
  begin()
  local err = expect.fails("data-race", function() acc(construct)(body) end)
  expect.equal(err.rule, "ACC33-2.9-5")
  if message then expect.equal(err.message, message) end
  if help then expect.equal(err.help:find(help, 1, true) ~= nil, true) end
  expect.host("a[0:8]", { 0, 1, 2, 3, 4, 5, 6, 7 })
  expect.host("s", 0)
  return err
end

case("rejects: an iteration uses what another iteration writes [ACC33-2.9-5]", function()
  local err = race("parallel loop copy(a)", "for (int i = 1; i < 8; i++) a[i] = a[i - 1];",
    "iteration i = 2 reads a[1], which iteration i = 1 writes", "seq")
  expect.equal(err.notes[1]:find("openacc/races.lua:", 1, true) ~= nil, true)
  race("parallel loop copy(a)", "for (int i = 0; i < 7; i++) a[i] = a[i + 1];",
    "iteration i = 1 writes a[1], which iteration i = 0 reads", "seq")
  race("parallel loop copy(a)", "for (int i = 0; i < 8; i++) a[i / 2] = i;",
    "iterations i = 0 and i = 1 both write a[0]", "elements of its own")
  race("parallel loop copy(a)", "for (int i = 7; i > 0; i--) { if (i == 4) a[0] = a[7]; a[i] = i; }",
    "iteration i = 4 reads a[7], which iteration i = 7 writes")
  race("parallel loop collapse(2) copy(m)",
    "for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) m[0][j] = i;",
    "iterations i = 0, j = 0 and i = 1, j = 0 both write m[0][0]")
  race("parallel loop copy(pairs)", "for (int i = 0; i < 4; i++) pairs[i & 1].y = i;",
    "iterations i = 0 and i = 2 both write pairs[0].y")
end)

case("rejects: a reduction, private copy or atomic construct is missing [ACC33-2.9-5]", function()
  race("parallel loop copyin(a) copy(s)", "for (int i = 0; i < 8; i++) s += a[i];",
    "iteration i = 1 reads s, which iteration i = 0 writes", "reduction(+: s)")
  race("parallel loop copyin(a)", "for (int i = 0; i < 8; i++) s += a[i];", nil, "reduction(+: s)")
  race("parallel loop copy(a, t)", "for (int i = 0; i < 8; i++) { t = a[i]; a[i] = 2 * t; }",
    "iterations i = 0 and i = 1 both write t", "private(t)")
  race("kernels loop independent copy(a)", "for (int i = 0; i < 8; i++) { t = a[i]; a[i] = 2 * t; }", nil, "private(t)")
  host.index[5] = 3
  for _, body in ipairs { "for (int i = 0; i < 8; i++) a[index[i]] += 1;",
    "for (int i = 0; i < 8; i++) {\n#pragma acc atomic read\n t = a[index[i]]; a[index[i]] = t + 1; }",
    "for (int i = 0; i < 8; i++) {\n#pragma acc atomic\n a[0] += 1;\n b[i] = a[0]; }" } do
    local err = expect.fails("data-race", function() acc "parallel loop copy(a, b) copyin(index)" (body) end)
    expect.equal(err.rule, "ACC33-2.9-5")
  end
end)

case("rejects: iterations of nested loops are not independent [ACC33-2.9-5]", function()
  -- The columns of m are divided by both loops; a row is used by the outer loop alone.
  race("parallel copy(m)", [[
    #pragma acc loop gang
    for (int i = 0; i < 4; i++)
      #pragma acc loop vector
      for (int j = 0; j < 4; j++) m[i][j / 2] = j;
  ]], "iterations j = 0 and j = 1 both write m[0][0]")
  race("parallel copy(m)", [[
    #pragma acc loop gang
    for (int i = 0; i < 4; i++)
      #pragma acc loop seq
      for (int j = 0; j < 4; j++) m[i / 2][j] = j;
  ]], "iterations i = 0 and i = 1 both write m[0][0]")
  race("parallel loop gang copy(a, m)", [[
    for (int i = 0; i < 4; i++) {
      #pragma acc loop vector
      for (int j = 0; j < 4; j++) m[i][j] = j;
      a[i] = m[(i + 3) % 4][0];
    }
  ]], "iteration i = 1 reads m[0][0], which iteration i = 0 writes")
end)

case("accepts: iterations use memory of their own, or only read [ACC33-2.9-5]", function()
  begin()
  acc "enter data copyin(a, b, m, index, pairs)"
  free("parallel loop present(a, b, index)", "for (int i = 0; i < 8; i++) a[index[7 - i]] = a[7 - i] + b[0];")
  free("parallel loop present(a)", "for (int i = 0; i < 4; i++) { a[2 * i] = 1; a[2 * i + 1] = a[2 * i]; }")
  free("parallel loop tile(2, 2) present(m)",
    "for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) m[i][j] = m[i][j] + 1;")
  free("parallel loop present(pairs)",
    "for (int i = 0; i < 8; i++) if (i < 4) pairs[i].x = i; else pairs[i - 4].y = i;")
  free("parallel present(m, b)", [[
    #pragma acc loop gang
    for (int i = 0; i < 4; i++) {
      float line[4], sum = 0;
      #pragma acc loop vector
      for (int j = 0; j < 4; j++) line[j] = m[i][j];
      #pragma acc loop vector reduction(+: sum)
      for (int j = 0; j < 4; j++) sum += line[3 - j];
      b[i] = sum;
    }
    #pragma acc loop
    for (int i = 0; i < 4; i++) m[0][i] = b[3 - i];
  ]])
  acc "exit data copyout(a, b, m, pairs) delete(index)"
  expect.host("a[0:4]", { 1, 1, 1, 1 })
  expect.host("pairs[3].y", 7)
  expect.host("m[0][0]", 4)
end)

case("accepts: private copies, reductions and atomic constructs do not race [ACC33-2.9-5]", function()
  begin()
  free("parallel loop copyin(a) reduction(+: s)", "for (int i = 0; i < 8; i++) s += a[i];")
  expect.host("s", 28)
  free("parallel loop copy(a, t) private(n)", "for (int i = 0; i < 8; i++) { n = i; a[i] = 2 * n; }")
  -- A scalar in no clause is firstprivate.
  free("parallel loop copy(a)", "for (int i = 0; i < 8; i++) { t = a[i]; a[i] = t / 2; }")
  free("parallel copy(a) reduction(max: s)", [[
    #pragma acc loop reduction(max: s)
    for (int i = 0; i < 8; i++) s = a[i] > s ? a[i] : s;
  ]])
  free("parallel copy(a)", [[
    #pragma acc loop reduction(+: a[0:2])
    for (int i = 0; i < 8; i++) a[i & 1] += 1;
  ]])
  expect.host("a[0:4]", { 4, 5, 2, 3 })
  host.index[5] = 3
  free("parallel loop copy(a, b, n) copyin(index)", [==[
    for (int i = 0; i < 8; i++) {
      int at;
      #pragma acc atomic capture
      at = n++;
      b[at] = i;
      #pragma acc atomic update
      a[index[i]] += 1;
    }
  ]==])
  expect.host("a[3]", 5)
  expect.host("n", 8)
end)

case("accepts: iterations that run in order, or that a compiler analyses, may depend on each other [ACC33-2.9-5]",
  function()
    for _, construct in ipairs { "serial loop", "parallel loop seq", "parallel loop auto", "kernels loop",
      "kernels" } do
      begin()
      free(construct .. " copy(a)", "for (int i = 1; i < 8; i++) a[i] = a[i - 1];")
      expect.host("a[7]", 0)
    end
    begin()
    free("parallel copy(a)", [[
      #pragma acc loop seq
      for (int j = 1; j < 8; j++)
        #pragma acc loop
        for (int i = 0; i < 8; i++) if (i >= j) a[i] = a[i] + a[j - 1];
    ]])
    expect.host("a[2]", 3)
  end)

for _, profile in ipairs { "libgomp-12", "openacc-3.3+races=ignored" } do
  case(("differs: races are not looked for under %s [ACC33-2.9-5]"):format(profile), function()
    rules(profile)
    declare "float a[8] = { 1 };"
    acc "parallel loop copy(a)" "for (int i = 1; i < 8; i++) a[i] = a[i - 1];"
    expect.host("a[7]", 1)
  end)
end
