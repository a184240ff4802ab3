-- Bounds as the core computes them: the values of C, for each element of a shape; and the programs.
local support = require "tests.lua.support"

after_each(support.close_all)

describe("bounds", function()
  local declarations = [[
    int n = 5, m = 3, neg = -2; unsigned u = 7; char c = 4; unsigned char uc = 200; short s = -3;
      long l = 6; _Bool t = 1;
    unsigned big = 4294967295u; int v[6] = { 4, 1, 3, 0, 2, 5 }; struct in { int k; int *to;
      } x = { 2 }, *y; int **q;
    struct in arr[3] = { { 1 }, { 2 }, { 3 } }; enum { FOUR = 4 }; int *p; int w[2][3] = { { 1, 2,
      3 }, { 4, 5, 6 } };
  ]]
  local expressions = {
    "n", "n + m", "n - m", "n * m", "n / m", "n % m", "-neg", "n - neg", "n << 1", "n >> 1",
      "n & m", "n | 8", "n ^ m", "~neg", "!0", "!n + 2",
    "n == 5", "n != 5", "n < m", "n > m", "n <= 5", "n >= 6", "n && m", "n && 0", "0 || m",
      "t ? n : m", "n > 9 ? 1 : 2", "u", "c", "uc / 10",
    "-s", "l", "t", "(int)l", "(char)(uc + 60)", "(unsigned char)(n - 260)", "(_Bool)n", "FOUR",
      "FOUR * 2 - 1", "sizeof(int)", "sizeof v / sizeof v[0]",
    "v[0]", "v[m]", "v[v[1]]", "v[n]", "x.k", "y->k", "(*y).k", "*y->to", "y->to[2]",
      "arr[m - 1].k", "arr[1].k + arr[2].k", "*v", "*(v + 5)",
    "w[1][2]", "*p", "p[1] + p[2]", "*(p + 2)", "q[1][0]", "**q", "&v[4] - &v[1]", "p == p",
      "p != 0", "(n + m) * (n - m) / 2", "f(n)", "f(n) + f(m)",
    "g(p, 2)", "h()", "n-- + 0 > 0 ? 1 : 1", "1 + 2 * 3", "7 / 2", "-7 / -2", "0x10", "'a' - 90",
      "n % -3", "f(f(2))", "uc > 100",
  }

  it("are what C says", function()
    local session = support.session(declarations)
    local scope = session.now.scope
    scope.functions.f = function(k) return k + 1 end
    scope.functions.g = function(pointer, i) return pointer[i] end
    scope.functions.h = function() return true end
    local env = session:host_env()
    local big = session:new_block(4000, "big")
    local core = require "accdeep.core"
    for name, list in pairs { p = { 7, 8, 9 } } do
      local block = session:new_block(4000, "values")
      for i, value in ipairs(list) do core.put(block + 4 * (i - 1), string.pack("i4", value)) end
      core.put(scope.variables[name].address, string.pack("j", block))
    end
    local target = string.unpack("j", core.get(scope.variables.p.address, 8))
    local rows = session:new_block(16, "rows")
    core.put(rows, string.pack("jj", target, target + 8))
    core.put(scope.variables.q.address, string.pack("j", rows))
    core.put(scope.variables.y.address, string.pack("j", scope.variables.x.address))
    core.put(scope.variables.x.address + 8, string.pack("j", target))
    local wrong, checked = {}, 0
    session:declare("int *base;", "spec.lua", 1)
    core.put(scope.variables.base.address, string.pack("j", big))
    for _, text in ipairs(expressions) do
      if not text:find "%-%-" then
        local wanted = session:value(env, text)
        session:directive(("enter data create(base[0:%s])"):format(text), nil, "spec.lua", 1)
        local present = session.ctx:present_at(0, big, false)
        local found = present and present.bytes // 4 or 0
        if found ~= wanted then wrong[#wrong + 1] = ("%s is %s, not %d"):format(text, wanted, found) end
        if present then session:directive(("exit data delete(base[0:%s]) finalize"):format(text),
          nil, "spec.lua", 1) end
        checked = checked + 1
      end
    end
    assert.same({}, wrong)
    assert.is_true(checked > 60)
  end)

  it("that cannot be computed are sections that are not valid", function()
    local session = support.session "int zero; int one = 1; int *p; long l = 4611686018427387904;"
    for _, text in ipairs { "1 / zero", "1 % zero", "-one", "0 - one", "l * 4", "l", "l + l" } do
      local err = support.error_of(session.directive, session,
        ("enter data create(p[0:%s])"):format(text), nil, "spec.lua", 1)
      assert.equal("invalid-section", err.code)
      assert.equal("TR14-3.1.1-23", err.rule)
    end
  end)

  it("change nothing", function()
    local session = support.session "int n = 2; int *p;"
    for _, text in ipairs { "n++", "--n", "(n = 3)", "(n, 2)" } do
      local err = support.error_of(session.directive, session,
        ("enter data create(p[0:%s])"):format(text), nil, "spec.lua", 1)
      assert.equal("type-mismatch", err.code)
    end
    assert.equal(2, session:value(session:host_env(), "n"))
  end)

  it("are refused when they are too long for the registers", function()
    local session = support.session "int v[400]; int *p;"
    local terms = {}
    for i = 1, 300 do terms[i] = ("v[%d]"):format(i) end
    local function nested(n) return n == 0 and "v[1]" or ("(%s + v[%d])"):format(nested(n - 1), n) end
    for _, text in ipairs { table.concat(terms, "+"), nested(90) } do
      local err = support.error_of(session.directive, session,
        ("enter data create(p[0:%s])"):format(text), nil, "spec.lua", 1)
      assert.is_true(err.code == "limit" or err.code == "syntax", err.code)
    end
  end)
end)

describe("programs", function()
  local function events(text)
    return support.holds(text .. [[
      local list = {}
      for _, e in ipairs(events(go)) do if e.op == "h2d"
        or e.op == "alloc" then list[#list + 1] = e.op .. " " .. e.name .. " " .. e.bytes end end
      table.sort(list)
      print(table.concat(list, "\n"))
    ]])
  end

  it("follow each element with its own bounds", function()
    assert.equal([[
alloc v[0:3] 72
alloc v[0].a[0:1] 4
alloc v[1].a[0:2] 8
alloc v[2].a[0:3] 12
h2d v[0:3] 72
h2d v[0].a[0:1] 4
h2d v[1].a[0:2] 8
h2d v[2].a[0:3] 12
]], events [[
      declare [=[ struct S { int n; float *a; char c;
        #pragma acc shape include(a[0:n])
      } *v; ]=]
      host.v = { { n = 1, a = { 1 } }, { n = 2, a = { 1, 2 } }, { n = 3, a = { 1, 2, 3 } } }
      local function go() acc "enter data copyin(v[0:3])" end
    ]])
  end)

  it("follow pointers behind pointers, nested records and starts other than 0", function()
    assert.equal([[
alloc s 32
alloc s.in.p[2:3] 12
alloc s.rows[0:2] 16
alloc s.rows[0][0:3] 12
alloc s.rows[1][0:3] 12
h2d s 32
h2d s.in.p[2:3] 12
h2d s.rows[0:2] 16
h2d s.rows[0][0:3] 12
h2d s.rows[1][0:3] 12
]], events [[
      declare [=[
        struct in { int n; int *p;
          #pragma acc shape include(p[n:n + 1])
        };
        struct S { struct in in; int **rows; int k;
          #pragma acc shape include(rows[0:2][0:k])
        } s; ]=]
      host.s = { ["in"] = { n = 2, p = { 1, 2, 3, 4, 5 } }, k = 3, rows = { { 1, 2, 3 }, { 4, 5, 6 } } }
      local function go() acc "enter data copyin(s)" end
    ]])
  end)

  it("are made anew when shapes change", function()
    support.holds [[
      declare "struct S { int n; float *a; } x;"
      host.x = { n = 2, a = { 1, 2 } }
      acc "data copyin(x)" (function() expect.absent "x.a[0:2]" end)
      acc "shape type(struct S) include(a[0:n])"
      acc "data copyin(x)" (function() expect.present "x.a[0:2]" end)
    ]]
  end)
end)
