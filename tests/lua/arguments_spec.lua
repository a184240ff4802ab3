-- What a script may hand to the functions of the language: a wrong value is an error of ours with a place,
-- never one of Lua inside the interpreter.
local support = require "tests.lua.support"

local HEAD = [[
declare "double *p; double v[4]; int n; struct { int i; } s; union { int i; } u;"
host.p = { 1, 2, 3 }
]]

local wrong = {
  ["type-mismatch"] = {
    "addr(5)", "addr(nil)", "sizeof(5)", "sizeof(nil)", "alloc(42, 1)", "alloc(nil)", "expect.host(5e300, 1)",
    "expect.present(5)", "expect.present(nil)", "expect.absent({})", "expect.device(true, 1)",
    "expect.attached(nil)",
    "expect.detached(print)", "expect.uninitialized(nil)", "expect.count('v')", "expect.count('v', 1)",
    "expect.malformed()", "expect.malformed(5)", "expect.invalid({})", "expect.events(print)",
    "expect.events(nil, {})", "expect.moves(print)", "expect.moves(print, 5)", "events(nil)", "host.p:values()",
    "host.p:values('x')", "local q = host.p + 1.5", "local q = host.p + {}", "local q = 1 - host.p",
    "local q = host.p - nil", "acc('parallel', 5)(print)", "acc('parallel', {'a'})(print)", "acc(nil)", "declare(5)",
    "case(5, print)", "case(nil, print)", "case('x', 5)", "host 's || n'", "host '!u'", "host 'u ? 1 : 2'",
    "acc 'parallel' [[ n = s && n; ]]", "acc 'parallel' [[ if (s) n = 1; ]]", "scenario { strict = 'maybe' }",
    "scenario { cites = 'nonsense' }", "scenario { devices = '2' }", "scenario { title = 5 }",
    "scenario(5)", "method(1, 2, 3)",
    "func('f', 5)", "acc_memcpy_to_device(5, {}, 8)",
    "omp_target_alloc(8)", "omp_target_alloc(8, {})", "omp_target_alloc(0.5, 0)", "omp_target_free({}, 0)",
    "omp_target_memcpy(addr 'v[0]', {}, 8, 0, 0, 1, 1)", "omp_target_memset(addr 'v[0]', 'x', 8, 1)",
    "omp_target_memcpy_rect(addr 'v[0]', addr 'v[1]', 8, 1, { 1 }, { 0 }, { 0 }, { {} }, { 1 }, 1, 1)",
    "omp_target_memcpy_rect(addr 'v[0]', addr 'v[1]', 8, 1 << 40, { 1 }, { 0 }, { 0 }, { 1 }, { 1 }, 1, 1)",
    "omp_target_memcpy_rect(addr 'v[0]', addr 'v[1]', 8, 1, 'one', { 0 }, { 0 }, { 1 }, { 1 }, 1, 1)",
    "omp_target_associate_ptr(addr 'v[0]', addr 'v[1]', nil, 0, 0)", "omp_target_is_present(print, 0)",
    "acc 'parallel' [[ n = omp_get_device_num; ]]",
  },
  ["unknown-name"] = {
    "expect.count('v', { dynmic = 1 })", "expect.moves(print, { d2h = { byte = 1 } })",
    "expect.moves(print, { x = 1 })",
    "scenario { cites = { 'NOSUCH-1' } }",
    "scenario { async = 'later' }", "expect.fails('no-code', print)",
  },
  ["syntax"] = {
    "acc 'parallel reduction(foo:n)'", "acc 'parallel reduction(n)'", "acc 'parallel reduction(+)'",
  },
  ["clause-not-allowed"] = {
    "acc 'kernels private(n)'", "acc 'serial num_gangs(2)'", "acc 'serial vector_length(2)'",
  },
  ["conflicting-clauses"] = { "acc 'parallel private(n) copy(n)'", "acc 'parallel private(n) firstprivate(n)'" },
  ["region-nesting"] = { "local r = acc 'data copy(v)' r:close() r(function() end)" },
  ["host-pointer-on-device"] = {
    "acc_memcpy_to_device(addr 'v[0]', addr 'v[0]', 8)", "acc_memcpy_from_device(addr 'v[0]', addr 'v[0]', 8)",
  },
  ["device-pointer-on-host"] = {
    "local d = acc_malloc(32) acc_memcpy_to_device(d, d, 8)",
    "local d = acc_malloc(32) acc_memcpy_from_device(d, d, 8)",
  },
  ["limit"] = { "local function f(n) if n > 0 then acc 'data copy(v)' (function() f(n - 1) end) end end f(100000)" },
  ["unknown-type"] = { "declare 'int int x;'" },
  ["scenario-error"] = { "scenario { title = 'x' } " },
}

describe("a wrong value", function()
  for code, calls in pairs(wrong) do
    for _, call in ipairs(calls) do
      it(("is told as %s: %s"):format(code, call), function()
        local head = call:find "^scenario { title = 'x'" and "scenario {}\n"
          or call:find "^scenario" and "" or HEAD
        local err = support.fails(head .. call)
        assert.equal(code, err.code, err.message)
        assert.is_string(err.file)
      end)
    end
  end
end)

describe("device addresses", function()
  it("serve in kernels without a clause, and with deviceptr on a region", function()
    support.holds(HEAD .. [[
      host.p = acc_malloc(16)
      acc "data deviceptr(p)" (function() acc "parallel" "p[1] = 4;" end)
      acc "enter data copyin(v)"
      host.p = acc_deviceptr(addr "v[0]")
      acc "parallel" "p[1] = 5;"
      expect.device("v[1]", 5)
    ]])
  end)

  it("are found by expectations for what enter data mapped", function()
    support.holds(HEAD .. [[ acc "enter data copyin(p[0:3])" expect.device("p[0:3]", { 1, 2, 3 }) ]])
  end)
end)

describe("an assignment that fails", function()
  it("changes nothing", function()
    support.holds [[
      declare "struct s { int a; double v[3]; struct { int k; } in; } x = {1, {1, 2, 3}, {4}}, all[2];"
      local function unchanged()
        expect.host("x.a", 1) expect.host("x.v[0]", 1) expect.host("x.in.k", 4) expect.host("all[0].a", 0)
      end
      for _, list in ipairs {
        { "type-mismatch", { a = 7, v = { 5, "no", 6 } } },
        { "type-mismatch", { v = { 9 }, ["in"] = 5 } },
        { "out-of-bounds", { a = 7, v = { 5, 6, 7, 8 } } },
      } do
        local code, bad = table.unpack(list)
        expect.fails(code, function() host.x = bad end)
        expect.fails(code, function() host.all = { { a = 8 }, bad } end)
        expect.fails(code, function() local p = addr "x" p[0] = bad end)
        unchanged()
      end
      expect.fails("type-mismatch", function() host.x.v = { 5, {} } end)
      unchanged()
      host.x = { a = 7, v = { 8, 9 } }
      expect.host("x.a", 7) expect.host("x.v[1]", 9) expect.host("x.v[2]", 3)
    ]]
  end)
end)

describe("names", function()
  it("of rows count rows", function()
    support.holds [[
      declare "double m[4][3], t[2][3][4];"
      expect.events(function() acc "enter data create(m[1:2])" end, { "alloc m[1:2]", "incref m[1:2]" })
      expect.present "m[1:2]"
      expect.absent "m[0:1]"
      expect.events(function() acc "enter data create(t[1][1:2][0:4])" end,
        { "alloc t[1][1:2]", "incref t[1][1:2]" })
    ]]
  end)
end)

describe("a script", function()
  it("may begin with a line for the shell, or a mark of UTF-8", function()
    support.holds "#!/usr/bin/env accdeep run\nexpect(true)"
    support.holds "\xEF\xBB\xBFexpect(true)"
  end)

  it("cannot use up memory behind pcall", function()
    local err = support.fails([[
      local t = {}
      while true do pcall(function() while true do t[#t + 1] = ("x"):rep(1e6) .. #t end end) end
    ]], { limit_memory = 64 << 20, limit_steps = 2000000000 })
    assert.equal("limit", err.code)
    assert.truthy(err.message:find "memory")
  end)
end)
