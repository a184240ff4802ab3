-- What the conclusion proposes: environments that are not nested, as floors of a level, and two clauses
-- for partly present data.
scenario { title = "DIR 6: extensions", rules = "directory" }

declare [[
  float a[200], b[20]; float *c, *q;
  struct deep { int n; float *v;
      #pragma acc shape init_needed(n) include(v[0:n])
  };
  struct deep X;
]]
for i = 0, 199 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end
host.c, host.q = addr "a[25]", addr "a[0]"

-- ------------------------------------------------------------------------- begin and end --

case("accepts: exit data ends what enter data began on the same interval, under any name [DIR-6-01]", function()
  expect.moves(function() acc "enter data copyin(a[20:10])" end, { h2d = { count = 1, bytes = 40 }, d2h = 0 })
  acc "parallel present(a[20:10])" "a[20] = -1; a[29] = -2;"
  acc "exit data copyout(q[20:10])"
  expect.host("a[20]", -1)
  expect.host("a[29]", -2)
  expect.absent "a"
  acc "enter data copyin(a[25:5])"
  acc "exit data delete(c[0:5])"
  expect.absent "a"
end)

case("accepts: data are unmapped after as many exits as entries [DIR-6-01]", function()
  acc "enter data copyin(b)"
  acc "enter data create(b)"
  acc "enter data copyin(b[0:5])"
  expect.count("b", { structured = 0, dynamic = 3 })
  expect.moves(function()
    acc "exit data copyout(b)"
    acc "exit data copyout(b)"
  end, { d2h = 0 })
  expect.present "b"
  acc "exit data copyout(b[0:5])" -- the last reference: its bytes are copied back
  expect.absent "b"
end)

case("accepts: exit data also ends a present_or clause that was dropped [DIR-6-01]", function()
  acc "enter data copyin(b)"
  acc "enter data pcopyin(b)"
  expect.equal(tuples(state().dynamic), { "copyin b" })
  acc "exit data delete(b)"
  expect.present "b"
  acc "exit data delete(b)"
  expect.absent "b"
end)

case("accepts: finalize ends all entries at once [DIR-6-01]", function()
  expect.moves(function()
    for _ = 1, 3 do acc "enter data copyin(b)" end
  end, { h2d = { count = 1, bytes = 80 }, d2h = 0 })
  acc "exit data delete(b) finalize"
  expect.absent "b"
  expect.equal(tuples(state().dynamic), {})
end)

case("rejects: exit data names data that no enter data began [DIR-6-01]", function()
  local err = expect.fails("not-present", function() acc "exit data delete(b)" end)
  expect.equal(err.rule, "DIR-6-01")
  acc "enter data copyin(a[0:20])"
  for _, section in ipairs { "a[0:10]", "a[10:10]", "a[5:5]", "q[0:19]" } do
    err = expect.fails("not-present", function() acc(("exit data copyout(%s)"):format(section)) end)
    expect.equal(err.rule, "DIR-6-01")
    expect(err.message:find("no enter data", 1, true), err.message)
  end
  expect.fails("partially-present", function() acc "exit data delete(a[0:21])" end)
  expect.fails("partially-present", function() acc "exit data delete(c[-10:20])" end)
  acc "exit data delete(a[0:20])"
  expect.fails("not-present", function() acc "exit data delete(a[0:20])" end)
end)

case("rejects: exit data names data that a level owns [DIR-6-01]", function()
  acc "data copy(a[0:20])" (function()
    expect.fails("not-present", function() acc "exit data copyout(a[0:20])" end)
    expect.fails("not-present", function() acc "exit data delete(a[0:20]) finalize" end)
    expect.fails("not-present", function() acc_delete "a[0:20]" end)
    acc "enter data copyin(a[50:5])"
    expect.fails("not-present", function() acc "exit data delete(a[0:20], a[50:5])" end)
    expect.present "a[50:5]"
    acc "exit data delete(a[50:5])"
    expect.absent "a[50:5]"
    expect.count("a[0:20]", { structured = 1, dynamic = 0 })
  end)
end)

case("rejects: exit data names two ranges that were begun separately as one [DIR-6-01]", function()
  acc "enter data copyin(a[0:10])"
  acc "enter data copyin(a[10:10])"
  expect.fails("not-present", function() acc "exit data delete(a[0:20])" end)
  acc "exit data delete(a[0:10], a[10:10])"
  expect.equal(#state().present, 0)
end)

-- --------------------------------------------------------------------------------- floors --

case("accepts: each level has a floor that holds fusions with dynamic data [DIR-6-02]", function()
  acc "data copy(a[0:20])" (function()
    expect.equal(state().levels[1].dynamic or {}, {})
    acc "enter data copyin(a[50:20])"
    local level = state().levels[1]
    expect.equal(tuples(level.original), { "copy a[0:20]" })
    expect.equal(tuples(level.artificial), { "ALLOC a[0:20] of a[0:20]" })
    expect.equal(tuples(level.dynamic), { "copyin a[50:20]" })
    expect.equal(tuples(level.floor), { "ALLOC a[0:70] of a[0:20] a[50:20]" })
    acc "parallel" "a[0] = a[0] + 1;"
    acc "parallel present(a[50:20])" "a[1] = a[69];"
    acc "exit data delete(a[50:20])"
    level = state().levels[1]
    expect.equal(tuples(level.dynamic), {})
    expect.equal(tuples(level.floor), {})
    expect.equal(tuples(level.artificial), { "ALLOC a[0:20] of a[0:20]" })
  end)
  expect.host("a[0:3]", { 1, 69, 2 })
end)

case("accepts: opening and ending change only the floor, and the block of the level stays [DIR-6-02]", function()
  acc "data copy(a[0:20], b)" (function()
    local a, b = acc_deviceptr "a[0]", acc_deviceptr "b[0]"
    expect.events(function() acc "enter data copyin(a[50:20])" end, { "fuse a[0:70]", "alloc a[0:70]",
      "d2d a[0:20]", "h2d a[50:20]", "incref a[50:20]" })
    expect(acc_deviceptr "a[50]" == acc_deviceptr "a[0]" + 50)
    expect(acc_deviceptr "a[0]" ~= a)
    expect(state().levels[1].artificial[1].device == a or state().levels[1].artificial[2].device == a)
    expect.events(function() acc "exit data delete(a[50:20])" end,
      { "decref a[50:20]", "d2d a[0:20]", "free a[0:70]" })
    expect(acc_deviceptr "a[0]" == a and acc_deviceptr "b[0]" == b)
  end)
end)

case("accepts: a floor also exists below all levels [DIR-6-02]", function()
  acc "enter data copyin(a[0:10])"
  acc "enter data copyin(a[20:10])"
  expect.equal(tuples(state().dynamic), { "copyin a[0:10]", "copyin a[20:10]" })
  expect.equal(#state().floor, 1)
  expect.equal(state().floor[1].name, "a[0:30]")
  acc "data copyin(a[40:10])" (function()
    local level = state().levels[1]
    expect.equal(tuples(level.artificial), { "ALLOC a[0:50] of a[0:30] a[40:10]" })
    expect.equal(tuples(state().dynamic), { "copyin a[0:10]", "copyin a[20:10]" })
    expect.equal(level.dynamic or {}, {})
  end)
  acc "exit data delete(a[20:10], a[0:10])"
  expect.equal(tuples(state().floor), {})
end)

case("accepts: a block that its own floor replaces is freed at once [DIR-6-02]", function()
  acc "data copy(a[0:10])" (function()
    local first = acc_deviceptr "a[0]"
    local freed = {}
    for k = 2, 8, 2 do
      for _, event in ipairs(events(function() acc(("enter data copyin(a[%d:10])"):format(10 * k)) end)) do
        if event.op == "free" then freed[#freed + 1] = event.name end
      end
    end
    expect.equal(freed, { "a[0:30]", "a[0:50]", "a[0:70]" })
    expect.device("a[0]", 0)
    expect.device("a[89]", 89)
    acc "exit data delete(a[20:10], a[40:10], a[60:10], a[80:10])"
    expect(acc_deviceptr "a[0]" == first)
  end)
end)

case("accepts: a level above a floor fuses with the data there and restores them [DIR-6-02]", function()
  acc "data copy(a[0:10])" (function()
    acc "enter data copyin(a[20:10])"
    local floor = acc_deviceptr "a[0]"
    acc "data copyin(a[40:10])" (function()
      expect.equal(tuples(state().levels[2].artificial), { "ALLOC a[0:50] of a[0:30] a[40:10]" })
      acc "parallel" "a[0] = a[40]; a[20] = a[49];"
    end)
    expect(acc_deviceptr "a[0]" == floor)
    expect.device("a[0]", 40)
    expect.device("a[20]", 49)
    acc "exit data copyout(a[20:10])"
    expect.host("a[20]", 49)
  end)
  expect.host("a[0]", 40)
end)

case("accepts: exit data in an inner level ends data that began below the level [DIR-6-02]", function()
  acc "enter data copyin(a[20:10])"
  acc "data copy(a[0:10])" (function()
    acc "parallel" "a[0] = -1;"
    acc "parallel present(a[20:10])" "a[20] = -2;"
    expect.moves(function() acc "exit data copyout(a[20:10])" end,
      { h2d = 0, d2h = { count = 1, bytes = 40 } })
    expect.host("a[20]", -2)
    expect.absent "a[20:10]"
    expect.device("a[0]", -1)
    acc "parallel" "a[1] = a[0];"
    expect.equal(tuples(state().dynamic), {})
  end)
  expect.host("a[0:2]", { -1, -1 })
  expect.equal(#state().present, 0)
end)

case("differs: a level without dynamic data has no floor [DIR-6-02]", function()
  expect.moves(function()
    acc "data copy(a[0:10])" (function()
      acc "data copy(a[20:10])" (function()
        for _, level in ipairs(state().levels) do
          expect(level.dynamic == nil and level.floor == nil)
        end
        expect.equal(state().dynamic or {}, {})
      end)
    end)
  end, { h2d = { count = 2, bytes = 80 }, d2h = { count = 2, bytes = 80 } })
end)

case("differs: the lists of lower levels do not change with a higher floor [DIR-6-02]", function()
  acc "data copy(a[0:10])" (function()
    acc "data copy(b)" (function()
      acc "enter data copyin(a[20:10])"
      expect.equal(tuples(state().levels[1].artificial), { "ALLOC a[0:10] of a[0:10]" })
      expect(state().levels[1].dynamic == nil)
      expect.equal(tuples(state().levels[2].artificial), { "ALIAS a[0:10] of a[0:10]", "ALLOC b of b" })
      expect.equal(tuples(state().levels[2].dynamic), { "copyin a[20:10]" })
      expect.accepts "exit data delete(a[20:10])"
    end)
  end)
end)

-- ---------------------------------------------------------------------- present_and_copyin --

-- The first half is present and was changed on the device; the second half is absent.
local function half()
  acc "enter data copyin(a[0:20])"
  expect.accepts("parallel present(a[0:20])", "for (int i = 0; i < 20; i++) a[i] = 1000 + i;")
end

case("accepts: present pieces keep their device data, and the others come from the host [DIR-6-03]", function()
  half()
  local region
  expect.moves(function() region = acc "data present_and_copyin(a[10:20])" end,
    { h2d = { count = 1, bytes = 40 }, d2h = 0, d2d = { bytes = 80 } })
  expect.device("a[9:4]", { 1009, 1010, 1011, 1012 })
  expect.device("a[19:3]", { 1019, 20, 21 })
  acc "parallel present(a[10:20])" "for (int i = 10; i < 30; i++) a[i] = a[i] + 1;"
  expect.moves(function() region:close() end, { h2d = 0, d2h = 0, d2d = { bytes = 80 } })
  expect.device("a[19]", 1020)
  expect.device("a[0]", 1000)
  expect.absent "a[20:10]"
  expect.host("a[29]", 29)
  acc "exit data copyout(a[0:20])"
  expect.host("a[9:2]", { 1009, 1011 })
end)

case("accepts: absent data are sent as by copyin, and present data do not move [DIR-6-03]", function()
  expect.moves(function() acc "data present_and_copyin(b)" (function() end) end,
    { h2d = { count = 1, bytes = 80 }, d2h = 0, d2d = 0 })
  half()
  expect.events(function() acc "data present_and_copyin(a[5:10])" (function()
    expect.device("a[5]", 1005)
    expect.equal(tuples(state().levels[1].original), {})
  end) end, { "incref a[5:10]", "decref a[5:10]" })
end)

case("accepts: compute constructs and enter data take the clause, too [DIR-6-03]", function()
  half()
  acc "parallel present_and_copyin(a[10:20])" "a[0] = a[29];"
  expect.device("a[0]", 29)
  acc "enter data present_and_copyin(a[10:20])"
  expect.present "a[0:30]"
  expect.equal(tuples(state().dynamic),
    { "copyin a[0:20]", "present_and_copyin a[10:10]", "present_and_copyin a[20:10]" })
  acc "parallel present(a[0:20])" "a[1] = a[28]; a[19] = -1;"
  acc "exit data delete(a[10:20])"
  expect.device("a[1]", 28)
  expect.device("a[19]", -1)
  expect.absent "a[20:10]"
end)

-- Under every profile, with fusion and without.
local function everywhere(name, ids, steps)
  for _, profile in ipairs { "directory", "tr14", "tr14x", "openacc-3.3", "openacc-2.0", "libgomp-12",
    { base = "directory", fusion = false }, { base = "tr14", fusion = true } } do
    local called = profile
    if type(profile) == "table" then
      called = ("%s, fusion = %s"):format(profile.base, tostring(profile.fusion))
    end
    case(("accepts: %s works under %s [%s]"):format(name, called, ids), function()
      rules(profile)
      steps()
    end)
  end
end

everywhere("present_and_copyin", "DIR-6-03", function()
  half()
  local before = acc_deviceptr "a[0]"
  acc "data present_and_copyin(a[10:20])" (function()
    expect(acc_deviceptr "a[29]" == acc_deviceptr "a[0]" + 29)
    acc "parallel present(a[10:20])" "for (int i = 10; i < 30; i++) a[i] += 1;"
    expect.device("a[19:2]", { 1020, 21 })
  end)
  expect.device("a[19]", 1020)
  expect(acc_deviceptr "a[0]" == before)
  expect.absent "a[20:10]"
  acc "exit data copyout(a[0:20])"
  expect.host("a[19:2]", { 1020, 20 })
  expect.equal(#state().present, 0)
end)

case("accepts: exit data copyout copies only the pieces of its own clause [DIR-6-03]", function()
  half()
  acc "enter data present_and_copyin(a[10:20])"
  acc "parallel present(a[10:20])" "a[10] = -10; a[29] = -29;"
  expect.moves(function() acc "exit data copyout(a[10:20])" end, { h2d = 0, d2h = { bytes = 40 } })
  expect.host("a[10]", 10)
  expect.host("a[29]", -29)
  expect.device("a[10]", -10)
  expect.absent "a[20:10]"
  acc "exit data delete(a[0:20])"
  expect.equal(#state().present, 0)
end)

case("accepts: one such clause follows another [DIR-6-03]", function()
  half()
  acc "data present_and_copyin(a[10:20])" (function()
    acc "parallel" "a[29] = -29;"
    acc "data present_and_copyin(a[20:20])" (function()
      expect.device("a[29:2]", { -29, 30 })
      acc "data update_and_copy(a[35:15])" (function()
        acc "parallel" "a[35] = a[0]; a[49] = a[29];"
        expect.device("a[49]", -29)
        expect.present "a[0:50]"
      end)
      expect.absent "a[40:10]"
      expect.device("a[35]", 1000)
      acc "parallel" "a[15] = a[35] + 1;"
    end)
    expect.absent "a[30:10]"
  end)
  expect.absent "a[20:10]"
  expect.device("a[15:2]", { 1001, 1016 })
end)

case("accepts: several ranges of different bases are present [DIR-6-03]", function()
  acc "data copyin(a[0:10], c[0:10], c[20:5])" (function() -- a[0:10], a[25:10], a[45:5]
    acc "parallel" "a[0] = c[0] = c[20] = -1;"
    expect.moves(function() acc "data present_and_copyin(a[5:50])" (function() end) end,
      { h2d = { bytes = (50 - 5 - 10 - 5) * 4 }, d2h = 0 })
    acc "data present_and_copyin(a[5:50])" (function()
      for i = 0, 54 do
        expect.device(("a[%d]"):format(i), (i == 0 or i == 25 or i == 45) and -1 or i)
      end
    end)
  end)
end)

case("accepts: nests, policies and deep copies take the clause [DIR-6-03]", function()
  host.X = { n = 4, v = { 1, 2, 3, 4 } }
  acc "enter data copyin(X.v[0:2])"
  acc "parallel present(X.v[0:2])" (function(d) d.X.v[0] = 10 end)
  expect.fails("partial-overlap", function() acc "data copyin(X)" end)
  acc "data present_and_copyin(X)" (function()
    expect.attached "X.v"
    expect.accepts("parallel present(X)", function(d)
      expect.equal({ d.X.v[0], d.X.v[1], d.X.v[2], d.X.v[3] }, { 10, 2, 3, 4 })
    end)
  end)
  acc "data invoke<>(X)::{ default(copyin) present_and_copyin(v[0:n]) }" (function()
    expect.device("X.v[3]", 4)
  end)
  acc "policy(kept) type(struct deep) default(copyin) present_and_copyin(v)"
  acc "data invoke<kept>(X)" (function() expect.device("X.v[3]", 4) end)
end)

case("rejects: the clause is on update or exit data, overlaps itself, or names nothing"
  .. " [DIR-6-03 DIR-4.2-03]", function()
  expect.invalid("acc exit data present_and_copyin(b)", "clause-not-allowed")
  expect.invalid("acc update present_and_copyin(b)", "clause-not-allowed")
  expect.malformed "acc data present_and_copyin"
  expect.malformed "acc data present_and_copyin()"
  expect.invalid("acc data present_and_copyin(nothing)", "unknown-name")
  half()
  expect.fails("partial-overlap", function() acc "data present_and_copyin(a[10:20], a[5:20])" end)
  expect.fails("partial-overlap", function() acc "data present_and_copyin(a[10:20], a[29:10])" end)
  expect.fails("partial-overlap", function() acc "data present_and_copyin(a[10:20]) create(a[25:20])" end)
end)

-- -------------------------------------------------------------------------- update_and_copy --

case("accepts: everything comes from the host, and present pieces are updated at the end [DIR-6-04]",
  function()
    half()
    for i = 10, 29 do host.a[i] = 2000 + i end
    local region
    expect.moves(function() region = acc "data update_and_copy(a[10:20])" end,
      { h2d = { bytes = 80 }, d2h = 0 })
    expect.device("a[9:4]", { 1009, 2010, 2011, 2012 })
    expect.device("a[19:3]", { 2019, 2020, 2021 })
    acc "parallel present(a[10:20])" "a[10] = -10; a[29] = -29;"
    expect.moves(function() region:close() end, { h2d = 0, d2h = 0, d2d = { bytes = 80 } })
    expect.device("a[9:3]", { 1009, -10, 2011 })
    expect.absent "a[20:10]"
    expect.host("a[29]", 2029)
    acc "exit data copyout(a[0:20])"
    expect.host("a[9:3]", { 1009, -10, 2011 })
  end)

case("accepts: absent data are sent as by copyin, and present data are refreshed in place [DIR-6-04]", function()
  expect.moves(function() acc "data update_and_copy(b)" (function() end) end,
    { h2d = { count = 1, bytes = 80 }, d2h = 0, d2d = 0 })
  half()
  local before = acc_deviceptr "a[0]"
  expect.moves(function() acc "data update_and_copy(a[5:10])" (function()
    expect(acc_deviceptr "a[0]" == before)
    expect.device("a[4:2]", { 1004, 5 })
    expect.device("a[14:2]", { 14, 1015 })
  end) end, { h2d = { count = 1, bytes = 40 }, d2h = 0, d2d = 0 })
  expect.device("a[14]", 14)
end)

everywhere("update_and_copy", "DIR-6-04", function()
  half()
  acc "data update_and_copy(a[10:20])" (function()
    acc "parallel present(a[10:20])" "for (int i = 10; i < 30; i++) a[i] += 1;"
    expect.device("a[9]", 1009)
    expect.device("a[10]", 11)
    expect.device("a[29]", 30)
  end)
  expect.device("a[9:2]", { 1009, 11 })
  expect.absent "a[20:10]"
  acc "exit data copyout(a[0:20])"
  expect.host("a[19:2]", { 20, 20 })
  expect.equal(#state().present, 0)
end)

case("accepts: attached pointers among the bytes stay attached [DIR-6-04]", function()
  declare "struct node { float *v; float w; }; struct node n[8];"
  for k = 0, 7 do host.n[k].v, host.n[k].w = addr(("a[%d]"):format(k)), k end
  acc "data copyin(a[0:20], n[0:4])" (function()
    acc "enter data attach(n[2].v)"
    acc "data update_and_copy(n[2:4])" (function()
      expect.attached("n[2].v", 1)
      acc "parallel present(n[2:4])" "n[2].v[5] = n[5].w;"
      expect.device("a[7]", 5)
    end)
    expect.attached("n[2].v", 1)
    acc "parallel present(n[0:4])" "n[2].v[6] = n[2].w;"
    expect.device("a[8]", 2)
    acc "exit data detach(n[2].v)"
  end)
end)

case("rejects: the clause is on update or exit data, overlaps another one, or names nothing"
  .. " [DIR-6-04 ACC33-2.7-8]", function()
  expect.invalid("acc exit data update_and_copy(b)", "clause-not-allowed")
  expect.invalid("acc update update_and_copy(b)", "clause-not-allowed")
  expect.malformed "acc data update_and_copy"
  half()
  expect.fails("partial-overlap", function() acc "data update_and_copy(a[10:20]) copy(a[25:10])" end)
  expect.fails("partial-overlap", function()
    acc "data update_and_copy(a[10:20]) present_and_copyin(a[5:20])"
  end)
end)

-- ---------------------------------------------------------------------------------- knobs --

local KEEP = { base = "directory", partial_overlap = "present_and_copyin" }
local REFRESH = { base = "directory", partial_overlap = "update_and_copy" }

-- What a clause on a[10:20] moves if a[0:20] is present: bytes sent, bytes fetched, and the host's a[11] and
-- a[29] after the region, which sets both to -1.
local function under_knob(profile, clause)
  rules(profile)
  half()
  local region
  local found = {}
  local list = events(function() region = acc(("data %s(a[10:20])"):format(clause)) end)
  found[1], found[2] = 0, 0
  for _, event in ipairs(list) do if event.op == "h2d" then found[1] = found[1] + event.bytes end end
  acc "parallel present(a[10:20])" "a[11] = -1; a[29] = -1;"
  for _, event in ipairs(events(function() region:close() end)) do
    if event.op == "d2h" then found[2] = found[2] + event.bytes end
  end
  found[3] = host.a[11]
  found[4] = host.a[29]
  expect.device("a[11]", -1)
  expect.absent "a[20:10]"
  return found
end

local wanted = {
  { KEEP, "copyin", { 40, 0, 11, 29 } }, { KEEP, "copy", { 40, 40, 11, -1 } },
  { KEEP, "copyout", { 0, 40, 11, -1 } }, { KEEP, "create", { 0, 0, 11, 29 } },
  { KEEP, "pcopy", { 40, 40, 11, -1 } }, { KEEP, "pcopyin", { 40, 0, 11, 29 } },
  { REFRESH, "copyin", { 80, 0, 11, 29 } }, { REFRESH, "copy", { 80, 40, 11, -1 } },
  { REFRESH, "copyout", { 0, 40, 11, -1 } }, { REFRESH, "create", { 0, 0, 11, 29 } },
  { REFRESH, "pcopy", { 80, 40, 11, -1 } }, { KEEP, "update_and_copy", { 80, 0, 11, 29 } },
  { REFRESH, "present_and_copyin", { 40, 0, 11, 29 } },
}
for _, want in ipairs(wanted) do
  local profile, clause, found = want[1], want[2], want[3]
  case(("accepts: under the knob %s, %s moves its absent pieces as it would alone [DIR-6-03 DIR-6-04]"):format(
    profile.partial_overlap, clause), function() expect.equal(under_knob(profile, clause), found) end)
end

case("accepts: the knobs keep present data, or refresh them under clauses that send [DIR-6-03 DIR-6-04]",
  function()
    for _, profile in ipairs { KEEP, REFRESH } do
      rules(profile)
      half()
      for clause, sends in pairs { copyin = true, copy = true, pcopyin = true, create = false } do
        acc "parallel present(a[0:20])" "for (int i = 0; i < 20; i++) a[i] = 1000 + i;"
        acc(("data %s(a[10:20])"):format(clause))(function()
          expect.device("a[9:2]", { 1009, profile == REFRESH and sends and 10 or 1010 })
        end)
        acc "parallel present(a[0:20])" "a[14] = -5;"
        acc(("data %s(a[10:5])"):format(clause))(function() -- wholly present: an ALIAS, as always
          expect.equal(#state().levels, 1)
          expect.device("a[14]", -5)
        end)
      end
    end
  end)

case("accepts: every profile takes the knobs [DIR-6-03 DIR-6-04]", function()
  for _, base in ipairs { "tr14", "openacc-3.3", "libgomp-12" } do
    for knob, inside in pairs { present_and_copyin = 1010, update_and_copy = 10 } do
      rules { base = base, partial_overlap = knob }
      half()
      acc "data copyin(a[10:20])" (function()
        expect.device("a[10]", inside)
        expect.device("a[29]", 29)
      end)
      expect.accepts "exit data delete(a[0:20])"
    end
  end
end)

case("rejects: clauses that require present data report an error under the knobs, too"
  .. " [DIR-6-03 DIR-6-04 TR14-4.2-03]", function()
  for _, profile in ipairs { KEEP, REFRESH } do
    rules(profile)
    half()
    for _, text in ipairs { "data present(a[10:20])", "update self(a[10:20])", "update device(a[10:20])",
      "exit data delete(a[10:20])", "exit data copyout(a[10:20])" } do
      expect.fails("partially-present", function() acc(text) end)
    end
    expect.fails("partial-overlap", function() acc "data copyin(b[0:10], b[5:10])" end)
  end
end)

-- ------------------------------------------------------------------------ floors that outlive --

case("accepts: data of enter data in a level are present after the level [DIR-6-05]", function()
  acc "data copyin(b)" (function()
    acc "enter data copyin(a[0:20])"
    expect.equal(tuples(state().levels[1].dynamic), { "copyin a[0:20]" })
    expect.equal(state().dynamic or {}, {})
    acc "parallel present(a[0:20])" "a[0] = -1;"
  end)
  expect.equal(tuples(state().dynamic), { "copyin a[0:20]" })
  expect.absent "b"
  expect.device("a[0]", -1)
  acc "exit data copyout(a[0:20])"
  expect.host("a[0]", -1)
end)

case("accepts: data of enter data move down level by level [DIR-6-05]", function()
  acc "data copyin(b)" (function()
    acc "data copyin(b[0:5])" (function()
      acc "enter data copyin(a[0:20])"
      expect.equal(tuples(state().levels[2].dynamic), { "copyin a[0:20]" })
    end)
    expect.equal(tuples(state().levels[1].dynamic), { "copyin a[0:20]" })
    acc "parallel present(a[0:20])" "a[19] = -1;"
  end)
  expect.equal(tuples(state().dynamic), { "copyin a[0:20]" })
  expect.device("a[19]", -1)
  acc "exit data delete(a[0:20])"
  expect.equal(#state().present, 0)
end)

case("accepts: the part of a fused block that belongs to an ended level is unmapped [DIR-6-05]",
  function()
    acc "data copy(a[0:20])" (function()
      acc "enter data copyin(a[50:20])"
      acc "parallel present(a[50:20])" "a[0] = -1; a[69] = -69;"
    end)
    expect.host("a[0]", -1)
    expect.absent "a[0:50]"
    expect.present "a[50:20]"
    expect.device("a[69]", -69)
    acc "data copyin(a[0:5])" (function()
      expect(acc_deviceptr "a[50]" == acc_deviceptr "a[0]" + 50)
      acc "parallel present(a[50:20])" "a[50] = a[4];"
    end)
    acc "exit data copyout(a[50:20])"
    expect.host("a[50:2]", { 4, 51 })
    expect.host("a[69]", -69)
    expect.equal(#state().present, 0)
  end)

case("accepts: a fused block outlives two levels that end one after the other [DIR-6-05]", function()
  acc "data copy(a[0:10])" (function()
    local first = acc_deviceptr "a[0]"
    acc "data copy(a[20:10])" (function()
      acc "enter data copyin(a[40:10])"
      expect.equal(tuples(state().levels[2].floor), { "ALLOC a[0:50] of a[0:30] a[40:10]" })
      acc "parallel present(a[40:10])" "a[0] = 1000; a[20] = 1020; a[40] = 1040;"
    end)
    expect.host("a[20]", 1020)
    expect.absent "a[20:10]"
    expect(acc_deviceptr "a[40]" == acc_deviceptr "a[0]" + 40)
    expect.equal(tuples(state().levels[1].floor), { "ALLOC a[0:50] of a[0:10] a[40:10]" })
    acc "parallel present(a[40:10])" "a[1] = a[40];"
    acc "exit data delete(a[40:10])"
    expect(acc_deviceptr "a[0]" == first)
  end)
  expect.host("a[0:2]", { 1000, 1040 })
end)

case("accepts: enter data and exit data cross regions in every order [DIR-6-05]", function()
  -- Each step opens or ends one of: a data region on a[0:10], another on a[20:10] in it, dynamic data on
  -- a[40:10]. After each step the present values are right.
  local there, open = {}, {}
  local steps = {
    O = function() open[#open + 1] = acc "data copy(a[0:10])"; there[0] = true end,
    I = function() open[#open + 1] = acc "data copy(a[20:10])"; there[20] = true end,
    o = function() table.remove(open):close(); there[0] = nil end,
    i = function() table.remove(open):close(); there[20] = nil end,
    E = function() acc "enter data copyin(a[40:10])"; there[40] = true end,
    X = function() acc "exit data copyout(a[40:10])"; there[40] = nil end,
  }
  local nested = { "O", "I", "i", "o" }
  for enter = 1, 5 do
    for exit = enter, 5 do
      for i = 0, 199 do host.a[i] = i end
      local done, count = {}, { [0] = 0, [20] = 0, [40] = 0 }
      local function step(name)
        done[#done + 1] = name
        steps[name]()
        local any = there[0] and "a[0:10]" or there[20] and "a[20:10]" or there[40] and "a[40:10]"
        if not any then return end
        acc(("parallel present(%s)"):format(any))(function(d)
          for from in pairs(there) do
            expect.equal(d.a[from + 3], from + 3 + count[from])
            d.a[from + 3] = d.a[from + 3] + 1
          end
        end)
        for from in pairs(there) do count[from] = count[from] + 1 end
        for _, from in ipairs { 0, 20, 40 } do
          if not there[from] then expect.absent(("a[%d:10]"):format(from)) end
        end
      end
      for k = 1, 5 do
        if k == enter then step "E" end
        if k == exit then step "X" end
        if nested[k] then step(nested[k]) end
      end
      expect.equal(#state().present, 0)
      for from, times in pairs(count) do expect.host(("a[%d]"):format(from + 3), from + 3 + times) end
    end
  end
end)

case("rejects: the own data of a level do not outlive the level [DIR-6-05 DIR-6-01]", function()
  expect.accepts("data copyin(a[0:20])", function() acc "enter data copyin(b)" end)
  expect.absent "a[0:20]"
  expect.fails("not-present", function() acc "exit data delete(a[0:20])" end)
  acc "exit data delete(b)"
  expect.absent "b"
end)

case("differs: data that were ended in a level are absent after the level [DIR-6-05]", function()
  expect.moves(function()
    acc "data copyin(a[0:20])" (function()
      acc "enter data copyin(a[50:20])"
      acc "exit data delete(a[50:20])"
    end)
  end, { h2d = { count = 2, bytes = 160 }, d2h = 0 })
  expect.equal(#state().present, 0)
  expect.equal(tuples(state().dynamic), {})
end)

-- ------------------------------------------------------- enter data of what a level holds --

case("accepts: a level fetches its data although enter data keep a part of them [DIR-6-06]", function()
  local level = acc "data copy(a[0:20])"
  acc "enter data copyin(a[5:5])"
  acc "parallel" "a[0] = 1000; a[7] = 7000;"
  expect.moves(function() level:close() end, { d2h = { count = 1, bytes = 80 } })
  expect.host("a[0]", 1000)
  expect.host("a[7]", 7000)
  expect.present "a[0:20]"
  acc "exit data delete(a[5:5])"
  expect.absent "a"
end)

case("accepts: a level fetches its data although enter data name its range or a larger one [DIR-6-06]", function()
  local level = acc "data copyout(a[0:20])"
  acc "enter data copyin(a[0:20])"
  expect.count("a[0:20]", { structured = 1, dynamic = 1 })
  acc "enter data present_and_copyin(a[10:20])"
  acc "parallel" "for (int i = 0; i < 30; i++) a[i] = -i;"
  level:close()
  expect.host("a[19]", -19)
  expect.host("a[20]", 20) -- no clause of the level asked for it
  acc "exit data copyout(a[10:20])"
  expect.host("a[29]", -29)
end)

case("differs: a level fetches nothing if enter data mapped the data before [DIR-6-06]", function()
  acc "enter data copyin(a[0:20])"
  acc "data copy(a[0:20])" (function() acc "parallel" "a[0] = 1000;" end)
  expect.host("a[0]", 0)
  acc "exit data copyout(a[0:20])"
  expect.host("a[0]", 1000)
end)

case("differs: the counters of enter data decide without fusion [DIR-6-06]", function()
  rules "openacc-3.3"
  local level = acc "data copy(a[0:20])"
  acc "enter data copyin(a[5:5])"
  expect.accepts("parallel", "a[0] = 1000;")
  expect.moves(function() level:close() end, { d2h = 0 })
  expect.host("a[0]", 0)
end)

case("accepts: a program can give up a level whose end fails permanently [DIR-4.3-06]", function()
  host.q = { 1, 2, 3 }
  local level = acc "data copy(q[0:3])"
  free(host.q)
  expect.fails("out-of-bounds", function() level:close() end)
  level:abandon()
  expect.equal(#state().levels, 0)
  expect.equal(#state().present, 0)
end)
