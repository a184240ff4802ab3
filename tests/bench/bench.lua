-- bench.lua [full] - prints ratios measured in this run, beside what they should reach.
--
-- Times of a shared machine mean little; both sides of a ratio are measured in turn, and the least of
-- several repetitions counts. "full" adds the largest sizes.

local bench = require "bench"
local core = require "accdeep.core"
local syntax = require "accdeep.syntax"
local progress = require "accdeep.base.progress"
local session = require "accdeep.run.session"
local sorted_pairs = require "accdeep.base.sorted_pairs"

local full = arg[1] == "full"

-- ------------------------------------------------------------------------------------- the table --

local line, began, shown = progress.new(), core.clock(), 0

local function row(id, what, measured, target, unit)
  line:hide()
  local verdict = ""
  if target then
    local good = target > 0 and measured <= target or target < 0 and measured >= -target
    verdict = ("%s %-6s %s"):format(target > 0 and "<=" or ">=", tostring(math.abs(target)),
      good and "yes" or "NO")
  end
  print(("%-4s %-67s %9s %-3s %s"):format(id, what,
    (measured < 0.001 and "%.1e" or "%.3f"):format(measured), unit or "", verdict))
  io.stdout:flush()
  shown = shown + 1
  line:show("%d ratios in %.0f s, measuring", shown, core.clock() - began)
end

local function heading(text)
  line:hide()
  print("\n" .. text)
  io.stdout:flush()
  line:show("%d ratios in %.0f s, measuring", shown, core.clock() - began)
end

-- Least time of a call, in ns.
local function time(n, fn)
  local best = math.huge
  for _ = 1, 5 do
    local started = core.clock()
    for i = 1, n do fn(i) end
    best = math.min(best, (core.clock() - started) / n)
  end
  return best * 1e9
end

-- ------------------------------------------------------------------------------------- the index --

heading "present lookup: ratios to std::map with as many entries"
for _, n in ipairs(full and { 10, 100, 1000, 10000, 100000, 1000000, 10000000 }
  or { 10, 100, 1000, 10000, 100000, 1000000 }) do
  local m = bench.index(n)
  local large = n >= 10000
  row("T1", ("random lookup, %d entries"):format(n), m.single / m.map, large and 0.40 or nil)
  row("T3", ("in order, %d entries"):format(n), m.finger / m.map_ordered, n >= 1000000 and 0.15 or nil)
  row("T4", ("erase and insert, %d entries"):format(n), m.churn / m.map_churn, n >= 1000000 and 0.40 or nil)
  if n >= 1000000 then
    row("T4", ("bytes an entry, record included, %d entries"):format(n), m.bytes, 70, "B")
    row("T4", "the last one again", m.last, 15, "ns")
  end
end

-- ----------------------------------------------------------------------------------- deep copies --

local function deep(count, scattered)
  local m = bench.deep(count, scattered, scattered and count == 1000000)
  local name = ("%d %s structures"):format(count, scattered and "scattered" or "ordered")
  local small = count < 100000
  local goal = scattered and (small and 2.2 or count >= 1000000 and 1.3) or nil
  local id = small and "T6" or "T5"
  row(id, "copyin of " .. name .. " / packed by hand", m["in"] / m.pack, goal)
  row(id, "copyin of " .. name .. " / memcpy of the bytes", m["in"] / m.memcpy, nil)
  row(id, "copyin of " .. name .. ", not seen before / by hand", m.first / m.pack, nil)
  row("T7", "copyout of " .. name .. " / unpacked by hand", m.out / m.unpack, goal)
  row("T7", "delete of " .. name .. " / packed by hand", m.delete / m.pack, goal)
  local gain, by_hand = m.in2 / m["in"], m.pack2 / m.pack
  row("T8", "copyin of " .. name .. ", two threads / one", gain, small and 1.1 or nil)
  row("T8", "packed by hand, " .. name .. ", two threads / one", by_hand, nil)
  if not small then -- how much two threads are faster is for the machine and its other work to say
    row("T8", "the former / the latter, " .. name, gain / by_hand, count >= 1000000 and 1.1 or nil)
    row("T8", "copyin of " .. name .. " / packed by hand, two threads each", m.in2 / m.pack2, nil)
  end
  row("T8", "copyout of " .. name .. ", two threads / one", m.out2 / m.out, small and 1.1 or nil)
  if m.one_by_one then
    row("T9", "one allocation, copy and entry an array / " .. name, m.one_by_one / m["in"], -10)
    row("T9", "update of one element / of all " .. name, m.update_one / m.update_all, 0.001)
  end
end

heading "deep copy of {int n; float *a, *b, *c}, 16 floats an array, everything included"
for _, count in ipairs { 1000, 10000, 100000, 1000000 } do
  deep(count, true)
  deep(count, false)
end
if full then deep(10000000, true) end

-- The same through the text of a directive: the objects are memory of the bench module.
local s = session.new { unchecked = true, threads = 1 } -- as the copy by hand
s:declare([[
  struct object { int n; float *a, *b, *c;
    #pragma acc shape init_needed(n) include(a[0:n], b[0:n], c[0:n])
  };
  struct object *S;
  int m;
  int k[100];
]], "bench", 1)
local S, number = s.now.scope.variables.S, s.now.scope.variables.m
-- Spread arrays: the map of a group's memory has an end. An odd step, or they share sets of the cache.
for _, case in ipairs { { 1000 }, { 1000, 0x90110, " over 1.8 GB" }, { 1000000 } } do
  local count, step, name = case[1], case[2], case[3] or ""
  local objects = bench.objects(count, true, step)
  s:host_store(S.address, S.type, objects)
  s:host_store(number.address, number.type, count)
  local best, hand = math.huge, math.huge
  for _ = 1, count < 10000 and 100 or 5 do
    hand = math.min(hand, bench.pack(objects, count))
    local started = core.clock()
    s:directive("enter data copyin(S[0:m])", nil, "bench", 1)
    best = math.min(best, (core.clock() - started) * 1e9 / count)
    s:directive("exit data delete(S[0:m])", nil, "bench", 2)
  end
  row(count < 100000 and "T6" or "T5", ("directive on %d scattered structures%s / packed by hand"):format(count, name),
    best / hand, count >= 100000 and 1.3 or not step and 2.2 or nil)
  bench.drop(objects)
end

heading "deep copies in a queue, with its wait / in program order"
for _, count in ipairs { 100000, 1000000 } do
  local ratios = { bench.queued(count) }
  for i, what in ipairs { "copyin", "update", "copyout" } do
    row("T15", ("%s of %d structures"):format(what, count), ratios[i], 1.3)
  end
end

heading "scaling: beside 10,000 / beside 10"
for _, what in ipairs { "groups", "waiting tasks", "queues", "targets", "clauses of a level" } do
  local few, many = { bench.beside(what, 10) }, { bench.beside(what, 10000) }
  for i, operation in ipairs { "map and unmap", "update in a queue and wait", "deep copyin and delete" } do
    row("T14", ("%s, %s"):format(what, operation), many[i] / few[i], 3)
  end
end

heading "nested shapes: {int n; inner *list}, inner {int m; float *v}, ten and sixteen elements"
s:declare([[
  struct inner { int m; float *v; };
  struct outer { int n; struct inner *list; };
  struct outer *T;
]], "bench", 1)
do
  local count = 100000
  local objects, pack = bench.nested(count)
  s:host_store(s.now.scope.variables.T.address, s.now.scope.variables.T.type, objects)
  s:host_store(number.address, number.type, count)
  local nest = "(T[0:m])::{ init_needed(n) include(list[0:n])::{ init_needed(m) include(v[0:m]) } }"
  local least = { enter = math.huge, delete = math.huge, hand = math.huge }
  for _ = 1, 10 do
    least.hand = math.min(least.hand, pack())
    for i, text in ipairs { "enter data copyin", "exit data delete" } do
      local started = core.clock()
      s:directive(text .. nest, nil, "bench", i)
      local which = i == 1 and "enter" or "delete"
      least[which] = math.min(least[which], (core.clock() - started) * 1e9 / count)
    end
  end
  row("N1", "copyin of 1.1 million objects through a nest / packed by hand", least.enter / least.hand, 1.5)
  row("N1", "delete of them / packed by hand", least.delete / least.hand, 1.5)
  bench.drop(objects)
end

heading "Fortran: members of 100,000 structures, reached through descriptors instead of pointers"
do
  local plain, whole = bench.descriptors(100000)
  for _, case in ipairs { { "in", "deep copyin", 2 }, { "delete", "delete of it (their bounds are compared)" },
    { "each", "attach of what is present, one by one", 2 }, { "all", "the same by one directive", 2 },
    { "again", "attached again: counted", 2 }, { "detach", "detach", 2 } } do
    row("N4", case[2] .. ", descriptors / pointers", whole[case[1]] / plain[case[1]], case[3])
  end
end

-- ------------------------------------------------------------------------------- directives, text --

heading "expressions of a shape: program / loop in C"
for _, e in ipairs(bench.expressions()) do
  row("T10", e.text, e.program / e.native, 3)
end

heading "text of a directive"
local text = "data copyin(X.a[0:X.n], X.b[0:X.n]) copyout(X.c[0:X.n])"
local bare = -(-syntax.pattern()) -- a predicate: matches all, keeps nothing
local match = time(2000, function() bare:match(text, 1, s.now.scope, "directive") end)
local first = time(2000, function() syntax.parse("directive", text, 1, s.now.scope) end)
s:parse(text)
local again = time(100000, function() s:parse(text) end)
row("T11", "first parse / bare match", first / match, 10)
row("T11", "already seen / first parse", again / first, 0.02)
local flat = "enter data copyin(k[0:10])"
s:directive(flat, nil, "bench", 1)
local seen = time(20000, function() s:directive(flat, nil, "bench", 1) end)
local fresh = time(1, function()
  for i = 1, 1000 do
    s:directive(("enter data copyin(k[0:10]) async(%d)"):format(core.clock() * 1e9 // 1 + i), nil, "bench", 1)
  end
end) / 1000
local long = "data copyin(X.alpha[0:X.number_of_alphas]) copyout(X.beta[0:X.number_of_betas + 1]) "
  .. "create(Y[index].gamma[first:last - first]) present(Z)::{ include(delta[0:n]) exclude(epsilon) } if(flag > 0)"
row("N2", ("parsing %d characters never seen"):format(#long),
  time(2000, function() syntax.parse("directive", long, 1, s.now.scope) end) / 1000, 100, "us")
-- Many members in a type, many clauses in a directive: what one costs must not grow with their number.
local function each(n, make, run)
  local text_of = make(n)
  collectgarbage()
  local started = core.clock()
  run(text_of, n)
  return (core.clock() - started) / n
end
local function members(n)
  local list = {}
  for i = 1, n do list[i] = ("float *p%d;"):format(i) end
  return ("struct many%d { int n; %s \n#pragma acc shape include(p1[0:n])\n}; struct many%d M%d;"):format(n,
    table.concat(list, " "), n, n)
end
local function declared(made, n)
  s:declare(made, "bench", 1)
  s:directive(("enter data copyin(M%d)"):format(n), nil, "bench", 1)
end
local function clauses(n)
  local list = {}
  for i = 0, n - 1 do list[i + 1] = ("copyin(S[%d].a[0:2])"):format(i) end
  return "enter data " .. table.concat(list, " ")
end
local spare = bench.objects(1000, false, 80)
s:host_store(S.address, S.type, spare)
local function run(made) s:directive(made, nil, "bench", 1) end
row("N3", "a member of a type of 10,000 / of one of 1,000", each(10000, members, declared)
  / each(1000, members, declared), 3)
row("N3", "a clause of a directive of 1,000 / of one of 100", each(1000, clauses, run) / each(100, clauses, run), 3)
row("", "directives a second, text already seen", 1e9 / seen / 1e6, nil, "M")
row("", "directives a second, text never seen", 1e9 / fresh / 1e6, nil, "M")
s:close()

heading "accdeep explore, one core: words of examples/explore, and what their time is for"
do
  local explore = require "accdeep.tools.explore"
  local parts = { "step", "save", "restore", "digests" }
  -- Words a second, and the share of each part of the time.
  local function explored(name, bound, watched)
    local made = explore.open(("examples/explore/%s.lua"):format(name), { bound = bound })
    local world, took = made.systems[1], {}
    for _, part in ipairs(watched and parts or {}) do
      local method = world[part]
      took[part] = 0
      world[part] = function(...)
        local began_at = core.clock()
        local a, b, c, d, e = method(...)
        took[part] = took[part] + core.clock() - began_at
        return a, b, c, d, e
      end
    end
    local found = explore.run(made, {})
    explore.close(made)
    for part, seconds in pairs(took) do took[part] = seconds / found.seconds end
    return found.directives / found.seconds, took
  end
  for name, bound in sorted_pairs { attach = 4, levels = 3, openmp = 3, deep = 3, fortran = 3 } do
    local rate = math.max(explored(name, bound), (explored(name, bound)))
    row("T16", ("%s, %d words a program: words a second"):format(name, bound), rate / 1000,
      name == "attach" and -20, "k")
    local _, took = explored(name, bound, true)
    for _, part in ipairs(parts) do row("", ("%s: share of %s"):format(name, part), took[part]) end
  end
end

heading "OpenMP: mappers, members, iterators; ratios to the like of OpenACC"
do
  local count = 100000
  local objects = bench.objects(count, false)
  local types = "struct object { int n; float *a, *b, *c; %s\n}; %s\nstruct object *S;"
    .. " int m, k[100], spread[20000], *rows[10000]; struct { int a, b; float x[4]; } one;"
  local shape = "\n#pragma acc shape init_needed(n) include(a[0:n], b[0:n], c[0:n])"
  local mapper = "\n#pragma omp declare mapper(struct object v) map(v, v.a[0:v.n], v.b[0:v.n], v.c[0:v.n])"
  local function opened(rules, ...)
    local made = session.new { unchecked = true, threads = 1, rules = rules }
    made:declare(types:format(...), "bench", 1)
    made:host_store(made.now.scope.variables.S.address, made.now.scope.variables.S.type, objects)
    made:host_store(made.now.scope.variables.m.address, made.now.scope.variables.m.type, count)
    return made
  end
  local acc, omp = opened("tr14", shape, ""), opened("openmp-5.1", "", mapper)
  -- Least time of each text, in turn, in ns.
  local function in_turn(n, texts)
    local least = {}
    for _ = 1, 7 do
      for i, entry in ipairs(texts) do
        local started = core.clock()
        for _ = 1, n do entry[1](entry[2]) end
        least[i] = math.min(least[i] or math.huge, (core.clock() - started) * 1e9 / n)
      end
    end
    return least
  end
  local function with_acc(made) acc:directive(made, nil, "bench", 1) end
  local function with_omp(made) omp:omp(made, nil, "bench", 1) end
  local function acc_region(made) acc:directive(made, nil, "bench", 1):close() end
  local function omp_region(made) omp:omp(made, nil, "bench", 1):close() end
  local body = { file = "bench", line = 1 }
  local t = in_turn(1, { { with_acc, "enter data copyin(S[0:m])" }, { with_acc, "exit data delete(S[0:m])" },
    { with_omp, "target enter data map(to: S[0:m])" }, { with_omp, "target exit data map(release: S[0:m])" } })
  row("O1", "enter data of 100,000 structures, declare mapper / shape", t[3] / t[1], 1.3)
  row("O1", "exit data of them", t[4] / t[2], 1.5)
  t = in_turn(500, { { acc_region, "data copy(k)" }, { omp_region, "target data map(k)" },
    { acc_region, "data copy(one.a, one.x)" }, { omp_region, "target data map(one.a, one.x)" } })
  row("O2", "target data of an array / data", t[2] / t[1])
  row("O2", "target data of two members, one block / data, two objects", t[4] / t[3])
  with_acc "enter data copyin(k)"
  with_omp "target enter data map(to: k)"
  t = in_turn(500, {
    { function(made) acc:directive(made, nil, "bench", 1)("k[1] = 2;", body) end, "serial present(k)" },
    { function(made) omp:omp(made, nil, "bench", 1)("k[1] = 2;", body) end, "target" },
  })
  row("O3", "target on present data, implied / serial present", t[2] / t[1])
  local spread, rows = omp.now.scope.variables.spread.address, omp.now.scope.variables.rows.address
  for i = 0, 9999 do omp.ctx:host_write(rows + 8 * i, core.scalar.pointer, spread + 8 * i) end
  local each_of = "target %s data map(iterator(i = 0:%d), %s: rows[i][0:1])"
  local function instances(n)
    return { function()
      with_omp(each_of:format("enter", n, "to"))
      with_omp(each_of:format("exit", n, "release"))
    end }
  end
  t = in_turn(1, { instances(1000), instances(10000) })
  row("O4", "an instance of an iterator, of 10,000 / of 1,000", t[2] / t[1] / 10, 3)
  acc:close()
  omp:close()
  bench.drop(objects)
end

heading "flat data; lookups through the library's interface"
for _, kept in ipairs { 10, 100, 1000, 10000, 100000, 1000000 } do
  local m = bench.flat(kept)
  row("T1", ("accd_device_address / std::map, %d objects"):format(kept), m.deviceptr / m.map)
  row("T1", ("accd_get_presence / std::map, %d objects"):format(kept), m.presence / m.map)
  if kept ~= 1000 and kept ~= 1000000 then goto continue end
  row("T12", ("clause on present data / single lookup, %d objects"):format(kept), m.present / m.lookup, 10)
  row("T12", ("directive on present data, from Lua / single lookup, %d objects"):format(kept), seen / m.lookup, 10)
  row("T12", ("map and unmap of a fresh object, %d present"):format(kept), m.pair, 100, "ns")
  ::continue::
end
line:hide()
