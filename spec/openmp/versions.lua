-- Spellings of each version of OpenMP that other versions refuse.
scenario { title = "OpenMP: spellings of its versions", rules = "openmp-6.0" }

declare [[
  struct vec { int n; int *d; } v;
  #pragma omp declare mapper(m: struct vec x) map(tofrom: x.n)
  int a[8], *p;
]]
host.p = addr "a[0]"

local of_52 = { "target enter data map(a)", "target exit data map(a)", "target data map(mapper(m): v)",
  "target data map(always: a)", "target data map(iterator(i = 0:2): a[i])", "declare target enter(a)" }
local of_60 = { "target data map(storage: a)", "target exit data map(delete, from: a)", "target_data map(tofrom: a)",
  "target data map(tofrom: a) nowait" }

local function each(texts, fn)
  for _, text in ipairs(texts) do fn("omp " .. text) end
end

local function refused(text)
  expect.invalid(text, text:find "delete" and "conflicting-clauses" or "clause-not-allowed")
end

case("accepts: 5.2 and 6.0 need no map type and have the clause enter [OMP60-ver-1]", function()
  for _, version in ipairs { "openmp-5.2", "openmp-6.0" } do
    rules(version)
    omp "target enter data map(a)"
    expect.present "a"
    omp "target data map(mapper(m): v)" (function() expect.present "v.n" end)
    omp "target data map(always: a)" (function() expect.count("a", { structured = 1 }) end)
    omp "target exit data map(a)"
    expect.absent "a"
    omp "declare target enter(a)"
    expect.present "a"
  end
end)

case("rejects: a program uses spellings of later versions under 5.1 [OMP60-ver-1]", function()
  rules "openmp-5.1"
  each(of_52, function(text) expect.invalid(text, "clause-not-allowed") end)
  each(of_60, refused)
  expect.moves(function() omp "target enter data map(to: a)" end, { h2d = { count = 1, bytes = 32 }, d2h = 0 })
  omp "target data map(a) map(mapper(m), tofrom: v) map(always, to: a)" (function() expect.present "v.n" end)
  omp "target exit data map(from: a)"
  expect.absent "a"
  omp "declare target to(a)"
  expect.present "a"
end)

case("rejects: nowait has an argument under 5.2, also in bodies [OMP60-ver-1]", function()
  rules "openmp-5.2"
  for _, text in ipairs { "single nowait(1)", "target map(a) nowait(1)" } do
    expect.fails("clause-not-allowed", function() omp(text, "a[0] = 1;") end)
  end
  expect.fails("clause-not-allowed", function() omp "parallel" [[
    #pragma omp for nowait(1)
    for (int i = 0; i < 2; i++) a[i] = i; ]] end)
  rules "openmp-6.0"
  expect.fails("unsupported", function() omp "single nowait(0)" "a[0] = 1;" end)
  omp "single nowait" "a[0] = 1;"
  expect.host("a[0]", 1)
end)

case("accepts: 6.0 has storage, delete as a modifier, and directive names with underscores"
  .. " [OMP60-ver-1 OMP60-map-1]", function()
  omp "target_enter_data map(storage: a)"
  omp "target_enter_data map(storage: a)"
  expect.count("a", { dynamic = 2 })
  omp "target" "a[1] = 5;"
  expect.moves(function()
    omp "target_exit_data map(delete, from: a)"
  end, { h2d = 0, d2h = { count = 1, bytes = 32 } })
  expect.absent "a"
  expect.host("a[1]", 5)
  omp "target_enter_data map(to: a)"
  expect.present "a"
  omp "target_exit_data map(storage: a)"
  expect.absent "a"
end)

case("rejects: a program uses spellings of 6.0 under 5.2, or delete outside exit data"
  .. " [OMP60-ver-1 OMP60-map-1]", function()
  rules "openmp-5.2"
  each(of_60, refused)
  rules "openmp-6.0"
  expect.invalid("omp target data map(delete, from: a)", "clause-not-allowed")
end)

case("accepts: threadset and memscope have no effect [OMP60-ver-1]", function()
  omp "task threadset(omp_pool)" "a[0] = 1;"
  omp "taskloop threadset( omp_team )" "for (int i = 0; i < 2; i++) a[i] += 2;"
  omp "atomic update memscope(device)" "a[1]++;"
  expect.accepts "flush memscope(all)"
  expect.host("a[0]", 3)
end)

case("rejects: threadset and memscope are in 5.2, on other directives, or have wrong words"
  .. " [OMP60-ver-1 OMP60-tgt-1]", function()
  for _, text in ipairs { "omp task threadset(any)", "omp flush memscope()", "omp task threadset" } do
    expect.invalid(text, "syntax")
  end
  expect.invalid("omp parallel threadset(omp_team)", "clause-not-allowed")
  expect.invalid("omp task threadset(omp_team) threadset(omp_team)", "duplicate-clause")
  rules "openmp-5.2"
  for _, text in ipairs { "omp task threadset(omp_team)", "omp taskloop simd threadset(omp_pool)",
    "omp atomic write memscope(all)", "omp flush memscope(all)" } do
    expect.invalid(text, "clause-not-allowed", "OMP60-ver-1")
  end
end)

case("accepts: a section p[:] of unknown size stands for the present data [OMP60-ver-1 OMP60-map-10]", function()
  omp "target data map(a)" (function()
    omp "target map(p[:])" "p[2] = 7;"
    expect.count("a", { structured = 1 })
  end)
  expect.host("a[2]", 7)
  expect.accepts("target data map(p[:])", function() expect.equal(#state().present, 0) end)
end)

case("rejects: a section of a pointer has no length in 5.2 [OMP60-ver-1 OMP60-map-10 OMP60-sec-1]", function()
  rules "openmp-5.2"
  expect.fails("invalid-section", function() omp "target map(p[:])" "p[2] = 7;" end)
end)

case("accepts: from 5.2 on a pointer to absent data keeps its value [OMP60-map-10]", function()
  rules "openmp-5.2"
  omp "target" "if (p == 0) a[0] = 1; else a[0] = 2;"
  expect.host("a[0]", 2)
  rules "openmp-5.1"
end)

case("rejects: a map has modifiers of later versions [OMP60-ver-1 OMP60-map-17 OMP60-map-14 OMP61-1]", function()
  expect.fails("clause-not-allowed", "omp target data map(@attach(always), to: a)", { rule = "OMP60-ver-1",
    help = "openmp-6.1" })
  for _, version in ipairs { "openmp-5.1", "openmp-5.2" } do
    rules(version)
    for _, modifier in ipairs { "ref_ptr", "ref_ptee", "ref_ptr_ptee", "self", "attach(never)" } do
      expect.fails("clause-not-allowed", ("omp target data map(@%s, to: a)"):format(modifier), "OMP60-ver-1")
    end
  end
end)

case("rejects: declare target has the clause to in 6.0 [OMP60-ver-1]", function()
  for _, version in ipairs { "openmp-6.0", "openmp-6.1" } do
    rules(version)
    expect.fails("clause-not-allowed", "omp declare target @to(a)", "OMP60-ver-1")
  end
  rules "openmp-5.2"
  omp "declare target to(a)"
  expect.present "a"
end)

case("accepts: from 5.2 on enter and exit data take tofrom, and mappers present [OMP60-ver-1 OMP60-map-1]", function()
  for _, version in ipairs { "openmp-5.2", "openmp-6.0" } do
    rules(version)
    expect.moves(function() omp "target enter data map(tofrom: a)" end, { h2d = { bytes = 32 }, d2h = 0 })
    expect.moves(function() omp "target exit data map(always, tofrom: a)" end, { h2d = 0, d2h = { bytes = 32 } })
    expect.absent "a"
    omp(("declare mapper(%s: struct vec x) map(present, to: x)"):format(version:gsub("%W", "_")))
    expect.fails("not-present", function()
      omp(("target enter data map(mapper(%s), to: v)"):format(version:gsub("%W", "_")))
    end)
  end
end)

case("rejects: in 5.1 enter and exit data take tofrom, and mappers present or iterators [OMP60-ver-1]", function()
  rules "openmp-5.1"
  for _, text in ipairs { "target enter data map(@tofrom: a)", "target exit data map(@tofrom: a)",
    "declare mapper(of51: struct vec x) @map(present, to: x.n)",
    "declare mapper(of51: struct vec x) @map(iterator(i = 0:2), to: x.d[i])" } do
    expect.fails("clause-not-allowed", "omp " .. text, "OMP60-ver-1")
  end
end)

case("rejects: a map of p[:] copies data [OMP60-map-10]", function()
  omp "target data map(a)" (function()
    for _, map_type in ipairs { "to", "from", "tofrom" } do
      expect.fails("clause-not-allowed", ("omp target data map(@%s: p[:])"):format(map_type), "OMP60-map-10")
    end
    omp "target data map(storage: p[:])" (function() expect.count("a", { structured = 2 }) end)
  end)
end)
