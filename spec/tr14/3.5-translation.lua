-- Pointer translation: [@] for pointers to what is on the device already, in C.
scenario { title = "TR14 3.5: pointer translation", rules = "tr14" }

declare [[
  float v[6] = { 1, 2, 3, 4, 5, 6 };
  float w[2] = { 7, 8 };
  float *p = v + 2, *first = v, *last = v + 6, *nowhere;
  float *ptrs[3];
  float **table;
  int n = 3;
  struct range { float *start, *finish, *limit; int n;
      #pragma acc shape init_needed(n) include(start[0:n], finish[@start], limit[@start])
      #pragma acc shape(ends) default(exclude) include(finish)
  };
  struct range R;
  struct plain { float *start, *finish; int n; };
  struct plain S;
]]
host.ptrs = { addr "v[5]", addr "v[0]", addr "v[3]" }
host.table = { addr "v[5]", addr "v[0]", addr "v[3]" }
host.R = { n = 3, start = { 1, 2, 3 } }
host.R.finish = host "R.start + 3"
host.R.limit = host "R.start + 8"
host.S = { n = 2, start = { 4, 5 } }
host.S.finish = host "S.start + 2"

case("accepts: a present clause takes [@] and [@base] [TR14-3.5-01]", function()
  expect.moves(function() acc "enter data copyin(v)" end, { h2d = { count = 1, bytes = 24 }, d2h = 0 })
  for _, text in ipairs { "present(p[@])", "present(p[ @ ])", "present(p[@first])",
    "present(p[@], last[@first])", "present(p[@v])" } do
    expect.accepts("parallel " .. text, function(d) expect.equal(d.p[0], 3) end)
  end
end)

case("rejects: '@' is in a wrong place, or on something that is not a pointer [TR14-3.5-01]", function()
  for _, text in ipairs { "p@", "p[@", "p[@first", "p[first@]", "p[@:1]", "p[0:@]", "p[@first:1]",
    "p[@@]", "@p", "p(@)" } do
    expect.malformed(("acc data present(%s)"):format(text))
  end
  expect.invalid("acc data present(n[@])", "not-a-pointer")
  expect.invalid("acc data present(v[@])", "not-a-pointer")
  expect.invalid("acc data present(p[@n])", "not-a-pointer")
  expect.invalid("acc data present(p[@nothing])", "unknown-name")
  expect.invalid("acc shape(s) type(struct range) include(n[@])", "not-a-pointer")
  expect.malformed("acc shape(s) type(struct range) include(finish[@)")
end)

case("accepts: the target is looked up and nothing moves [TR14-3.5-02]", function()
  acc "enter data copyin(v)"
  host.v[2] = 30
  expect.events(function()
    acc "data present(p[@])" (function()
      acc "parallel" "p[1] = p[0] + 10;"
    end)
  end, { "incref p", "decref p" })
  expect.device("v[3]", 13) -- not 40
  expect.host("v[3]", 4)
  expect.count("v", { structured = 0, dynamic = 1 })
end)

case("rejects: the target is absent and is not mapped [TR14-3.5-02 TR14-3.5-03 TR14-4.2-09]", function()
  expect.fails("not-present", function() acc "data present(p[@])" end)
  acc "enter data copyin(v[0:2])"
  expect.fails("not-present", function() acc "data present(p[@])" end)
  expect.fails("not-present", function() acc "parallel present(p[@])" (function() end) end)
  expect.count("v[0]", { structured = 0, dynamic = 1 })
end)

case("accepts: one present byte is enough [TR14-3.5-03]", function()
  acc "enter data copyin(v[2:1])"
  acc "data present(p[@])" (function() expect.count("v[2]", { structured = 1 }) end)
  expect.accepts("parallel present(p[@])", function(d)
    expect.equal(d.p[0], 3)
    expect.fails("out-of-bounds", function() return d.p[1] end)
  end)
end)

case("accepts: a section is looked up as a whole [TR14-3.5-04]", function()
  acc "enter data copyin(v)"
  acc "data present(p[0:4])" (function() expect.count("v", { structured = 1, dynamic = 1 }) end)
end)

case("rejects: a section is absent or partly present [TR14-3.5-03 TR14-3.5-04 TR14-4.2-09]", function()
  expect.fails("not-present", function() acc "data present(p[0:2])" end)
  acc "enter data copyin(v[2:1])"
  expect.fails("partially-present", function() acc "data present(p[0:2])" end)
  expect.fails("not-present", function() acc "data present(p[1:2])" end)
  expect.accepts "data present(p[@])"
end)

case("accepts: a pointer past the end keeps its distance from the base [TR14-3.5-05]", function()
  acc "enter data copyin(v)"
  acc "parallel present(first[@], last[@first])" [[
    for (float *at = first; at != last; ++at) *at *= 2;
  ]]
  expect.device("v[0:6]", { 2, 4, 6, 8, 10, 12 })
  acc "data copyin(R)" (function()
    expect.accepts("parallel present(R)", function(d)
      expect.equal(d.R.finish - d.R.start, 3)
      expect.equal(d.R.limit - d.R.start, 8)
      expect.equal(d.R.finish[-1], 3)
    end)
  end)
end)

case("rejects: the end has no target without a base, and no element with one [TR14-3.5-05 TR14-4.2-09]", function()
  acc "enter data copyin(v)"
  expect.fails("not-present", function() acc "data present(last[@])" end)
  expect.fails("out-of-bounds", function()
    acc "parallel present(first[@], last[@first])" "float x = *last;"
  end)
  acc "data copyin(R)" (function()
    expect.fails("out-of-bounds", function() acc "parallel present(R)" "float x = *R.limit;" end)
  end)
end)

case("accepts: another clause maps the base, before or after the alias [TR14-3.5-06]", function()
  for _, text in ipairs { "data copyin(first[0:6]) present(last[@first])",
    "data present(last[@first]) copyin(first[0:6])" } do
    acc(text)(function()
      expect.count("v", { structured = 2 })
      expect.accepts("parallel present(last[@first])", function(d) expect.equal(d.last[-1], 6) end)
    end)
  end
end)

case("accepts: null pointers stay null, and an empty base requires nothing [TR14-3.5-06]", function()
  expect.accepts("data present(nowhere[@])", function() expect.equal(#state().present, 0) end)
  expect.accepts("data present(nowhere[@first])", function() expect.equal(#state().present, 0) end)
  host.R = { n = 0 }
  acc "data copyin(R)" (function()
    expect.detached "R.finish"
    expect.detached "R.limit"
    expect.equal(#state().present, 1)
  end)
  host.R = { n = 3, finish = NULL }
  acc "data copyin(R)" (function()
    expect.attached("R.limit", 1)
    expect.detached "R.finish"
    expect.accepts("parallel present(R)", function(d) expect.equal(d.R.finish, NULL) end)
  end)
end)

case("rejects: the base points to absent data [TR14-3.5-06 TR14-4.2-09]", function()
  expect.fails("not-present", function() acc "data present(last[@first])" end)
  acc "enter data copyin(v[1:5])"
  expect.present "v[1:5]"
  expect.fails("not-present", function() acc "data present(last[@first])" end)
  expect.fails("not-present", function()
    acc "data copyin(S)::{ include(finish[@start]) }" -- start is not followed
  end)
  expect.absent "S"
end)

case("accepts: '@' follows other dimensions in any clause [TR14-3.5-07]", function()
  acc "enter data copyin(v)"
  local before = host "ptrs[0]"
  for _, clause in ipairs { "copyin", "create", "copy", "copyout" } do
    for _, alias in ipairs { "@", "@first" } do
      local region
      expect.moves(function() region = acc(("data %s(ptrs[0:n][%s])"):format(clause, alias)) end,
        { d2h = 0 })
      expect.present "ptrs"
      expect.attached("ptrs[2]", 1)
      expect.device("ptrs[2][1]", 5)
      region:close()
      expect.detached "ptrs[2]"
      expect.equal(host "ptrs[0]", before)
    end
  end
  expect.count("v", { structured = 0, dynamic = 1 })
  acc "data copyin(table[0:n][@])" (function() expect.device("table[0][0]", 6) end)
end)

case("rejects: '@' precedes other dimensions, or follows something without pointers"
  .. " [TR14-3.5-07 TR14-3.1.1-22]", function()
  expect.invalid("acc data copyin(ptrs[@][0:n])", "not-a-pointer")
  expect.invalid("acc data copyin(table[@][0:n])", "not-a-pointer")
  expect.invalid("acc data copyin(v[0:2][@])", "not-a-pointer")
  expect.invalid("acc data copyin(p[0:2][@])", "not-a-pointer")
  expect.malformed "acc data copyin(ptrs[0:n]@)"
end)

case("accepts: every pointer is looked up on its own [TR14-3.5-08]", function()
  host.ptrs[1] = addr "w[1]"
  acc "enter data copyin(v) copyin(w)"
  acc "data copyin(ptrs[0:n][@])" (function()
    expect.count("v", { structured = 2 })
    expect.count("w", { structured = 1 })
    acc "parallel present(ptrs)" "for (int k = 0; k < 3; ++k) ptrs[k][0] *= 10;"
  end)
  expect.device("v[0:6]", { 1, 2, 3, 40, 5, 60 })
  expect.device("w[0:2]", { 7, 80 })
end)

case("rejects: one of the pointers has no target on the device [TR14-3.5-08 TR14-4.2-09]", function()
  host.ptrs[1] = addr "w[1]"
  acc "enter data copyin(v)"
  expect.fails("not-present", function() acc "data copyin(ptrs[0:n][@])" end)
  expect.absent "ptrs"
  expect.count("v", { structured = 0, dynamic = 1 })
end)

case("accepts: sections of one element in a present array have the same result [TR14-3.5-09]", function()
  acc "enter data copyin(v)"
  local function run(text)
    local found = {}
    for _, e in ipairs(events(function()
      acc(text)(function()
        for k = 0, 2 do
          expect.attached(("ptrs[%d]"):format(k), 1)
          found[#found + 1] = host(("ptrs[%d]"):format(k)) - addr "v[0]"
        end
        expect.device("ptrs[1][2]", 3)
        expect.count("v", { structured = 3 })
      end)
    end)) do
      if e.op ~= "incref" and e.op ~= "decref" then found[#found + 1] = tostring(e) end
    end
    return found
  end
  local by_alias = run "data copyin(ptrs[0:n][@])"
  expect.equal(run "data copyin(ptrs[0:n][0:1])", by_alias)
  expect.equal(by_alias[4], "alloc ptrs[0:3]")
end)

case("rejects: sections map absent data, and must fit present data [TR14-3.5-09 ACC33-2.7.1-1]", function()
  acc "data copyin(ptrs[0:n][0:1])" (function()
    expect.present "v[5]"
    expect.absent "v[1]"
    expect.equal(#state().present, 4)
  end)
  acc "enter data copyin(v)"
  expect.present "v"
  host.ptrs[1] = addr "v[0]" - 1
  expect.fails("out-of-bounds", function() acc "data copyin(ptrs[0:n][0:2])" end)
end)

case("accepts: '@' may be on a member in any clause [TR14-3.5-10]", function()
  for _, clause in ipairs { "copyin", "copy", "present_or_copyin" } do
    acc(("data %s(S)::{ include(start[0:n], finish[@start]) }"):format(clause))(function()
      expect.attached("S.finish", 1)
      expect.device("S.finish[-1]", 5)
    end)
    acc(("data %s(S.start[0:2], S.finish[@S.start])"):format(clause))(function()
      expect.attached("S.finish", 1)
      expect.device("S.finish[-2]", 4)
    end)
  end
  acc "data create(R)" (function() expect.attached("R.limit", 1) end)
  acc "data invoke<>(S)::{ default(exclude) create(start[0:n]) copyout(finish[@start]) }" (function()
    expect.attached("S.finish", 1)
    expect.uninitialized "S.start[0:2]"
    expect.accepts("parallel present(S)::{ include(start[0:2]) }", "S.start[0] = 1;")
  end)
  expect.host("S.start[0:2]", { 4, 5 })
end)

case("rejects: '@' alone is on a variable in another clause than present [TR14-3.5-10]", function()
  for _, clause in ipairs { "copyin", "copyout", "copy", "create", "no_create" } do
    expect.invalid(("acc data %s(p[@])"):format(clause), "clause-not-allowed")
    expect.invalid(("acc data %s(last[@first])"):format(clause), "clause-not-allowed")
  end
  expect.invalid("acc exit data delete(p[@])", "clause-not-allowed")
  expect.invalid("acc update self(p[@])", "clause-not-allowed")
end)

case("accepts: aliases are attached, counted and detached like other pointers [TR14-3.5-11]", function()
  local region
  expect.events(function() region = acc "data copyin(R)" end, { "alloc R", "alloc R.start[0:3]", "h2d R",
    "h2d R.start[0:3]", "attach R.start", "attach R.finish", "attach R.limit", "incref R",
    "incref R.start[0:3]", "incref R.finish", "incref R.limit" })
  acc "data copyin(R)" (function() expect.attached("R.finish", 2) end)
  expect.attached("R.finish", 1)
  expect.events(function() region:close() end, { "detach R.start", "detach R.finish", "detach R.limit",
    "decref R", "decref R.start[0:3]", "decref R.finish", "decref R.limit", "free R",
    "free R.start[0:3]" })
  expect.detached "R.finish"
end)

case("differs: updates move neither aliases nor their targets [TR14-3.5-11]", function()
  local before = host "R.finish"
  acc "data copyin(R)" (function()
    acc "parallel present(R)" "R.start[2] = 30; R.n = 2;"
    expect.events(function() acc "update self<ends>(R)" end, {})
    expect.events(function() acc "update device<ends>(R)" end, {})
    expect.host("R.start[2]", 3)
    expect.moves(function() acc "update self(R)" end, { d2h = { bytes = 4 + 12 } })
    expect.host("R.n", 2)
    host.R.n = 3
    expect.accepts "update device(R)"
    expect.accepts("parallel present(R)", function(d) expect.equal(d.R.finish - d.R.start, 3) end)
  end)
  expect.equal(host "R.finish", before)
end)

case("rejects: an alias changes while it is attached [TR14-3.5-11 TR14-4.3-04]", function()
  local before = host "R.finish"
  local region = acc "data copyin(R)"
  host.R.finish = host "R.start"
  expect.fails("pointer-changed", function() region:close() end)
  host.R.finish = before
  region:close()
end)

case("accepts: a base is a member of the nearest nest, or a name at the directive [TR14-3.5-12]",
  function()
    declare "float *start = v, *extra;" -- the member hides it
    acc "data copyin(S)::{ include(start[0:n], finish[@start]) }" (function()
      expect.device("S.finish[-1]", 5)
      expect.absent "v"
    end)
    host.S.finish = addr "v[4]"
    acc "enter data copyin(v)"
    acc "data copyin(S)::{ include(finish[@first]) }" (function()
      expect.device("S.finish[0]", 5)
      expect.absent "S.start[0:2]"
    end)
  end)

case("accepts: an alias of an alias has the base of the other alias [TR14-3.5-12]", function()
  declare [[
    struct chain { float *c, *b, *a; int n;
        #pragma acc shape include(c[@b], b[@a], a[0:n])
    };
    struct chain C;
  ]]
  host.C = { n = 2, a = { 1, 2 } }
  host.C.b = host.C.a + 2
  host.C.c = host.C.a + 5
  expect.moves(function()
    acc "data copyin(C)" (function()
      expect.accepts("parallel present(C)", function(d)
        expect.equal(d.C.b - d.C.a, 2)
        expect.equal(d.C.c - d.C.a, 5)
      end)
    end)
  end, { h2d = { count = 2, bytes = 40 }, d2h = 0 })
  host.C.n = 0
  expect.accepts("data copyin(C)", function() expect.detached "C.c" end)
end)

case("rejects: aliases form a cycle, or a base has an unknown name [TR14-3.5-12]", function()
  local function refused(code, clauses)
    expect.fails(code, function() acc(("data copyin(S)::{ %s }"):format(clauses)) end)
  end
  refused("invalid-section", "include(start[@finish], finish[@start])")
  refused("invalid-section", "include(start[@start])")
  refused("unknown-name", "include(start[0:n], finish[@limit])")
  refused("not-a-pointer", "include(start[0:n], finish[@n])")
end)

case("rejects: the base of an alias is absent, and the error names the base [TR14-3.5-01 TR14-4.2-09]", function()
  declare [[
    struct it { int n; float *first, *last;
      #pragma acc shape include(last[@first]) exclude(first)
    };
    struct owner { int k; struct it *list;
      #pragma acc shape include(list[0:k])
    };
    struct it I; struct owner O[3]; float *q;
  ]]
  host.I = { n = 4, first = { 1, 2, 3, 4 } }
  host.I.last, host.q = host.I.first + 4, host.I.first + 1
  host.O[1] = { k = 2, list = { { n = 0 }, { n = 4, first = host.I.first, last = host.I.last } } }
  local function named(base, pointer, text)
    local err = expect.fails("not-present", function() acc(text) end)
    expect.equal(err.message, ("%s, the base of %s, is not present on device 0"):format(base, pointer))
    expect.equal(err.objects[1].name, base)
    expect(err.help:find("map " .. base .. " first", 1, true))
  end
  named("I.first", "q", "data present(q[@I.first])")
  named("I.first", "I.last", "enter data copyin(I)")
  named("O[1].list[1].first", "O[1].list[1].last", "enter data copyin(O[1:1])")
  named("I.first", "I.last", "enter data copyin<>(I)::{ include(last[@first]) }")
  expect.accepts("data copyin(I.first[0:4])", function()
    acc "data present(q[@I.first])" (function() expect.count("I.first[0:4]", { structured = 2 }) end)
  end)
end)
