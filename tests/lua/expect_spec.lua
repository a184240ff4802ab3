-- Expectations: what holds, and what a failure tells.
local support = require "tests.lua.support"

local head = [[
declare "int n = 3; int *p; float v[4] = { 1, 2, 3, 4 }; float f = 0.1; struct S { int a; float *b; } X;"
host.p = { 7, 8, 9 }
host.X = { a = 2, b = { 5, 6 } }
]]

local function holds(text) support.holds(head .. text) end

local function fails(text, message, wanted, found)
  local err = support.fails(head .. text)
  assert.equal("expectation", err.code)
  assert.equal(message, err.message)
  assert.equal(wanted, err.wanted)
  assert.equal(found, err.found)
  assert.equal(4, err.line)
end

describe("expectations of values", function()
  it("compare numbers, lists, structures and pointers", function()
    holds [[
      expect(true) expect(host.n == 3, "three")
      expect.equal(1, 1.0) expect.equal({ 1, { 2 } }, { 1, { 2 } }) expect.equal("a", "a")
      expect.equal(host.p, { 7, 8, 9 }) expect.equal(host.v, { 1, 2, 3, 4 }) expect.equal(host.X,
        { a = 2, b = { 5, 6 } })
      expect.equal(host.X, { a = 2 }) expect.equal({ 1, 2 }, { [0] = 1, 2 }) expect.equal(host.p, addr "p[0]")
      expect.host("f", 0.1) expect.host("v[1:2]", { 2, 3 }) expect.host("p[0:n]", { 7, 8, 9 })
        expect.host("n == 3", true)
      expect.host("X.b[1]", 6) expect.host("n + p[0]", 10) expect.host("0.0/0.0", 0/0)
    ]]
  end)

  it("tell wanted and found", function()
    fails("expect(false)", "the condition does not hold", "true", "false")
    fails("expect(nil, 'it is so')", "it is so", "true", "nil")
    fails("expect.equal(1, 2)", "values differ", "2", "1")
    fails("expect.equal({ 1, 2, 3 }, { 1, 2 })", "values differ", "{1, 2}", "{1, 2, 3}")
    fails("expect.equal('a', 'b')", "values differ", '"b"', '"a"')
    fails("expect.host('p[0:2]', { 7, 9 })", "host value of p[0:2]", "{7, 9}", "{7, 8}")
    fails("expect.host('n', 3.5)", "host value of n", "3.5", "3")
    fails("expect.host('n', true) expect.host('n - 3', true)", "host value of n - 3", "true", "0")
  end)

  it("look at the device", function()
    holds [[
      acc "data copyin(v) copyin(p[0:n])" (function()
        host.v[0], host.p[2] = 50, 60
        expect.device("v[0]", 1) expect.device("p[0:3]", { 7, 8, 9 }) expect.host("v[0]", 50)
      end)
    ]]
    fails("acc 'enter data copyin(v)' expect.device('v[0:2]', { 1, 3 })", "device value of v[0:2]",
      "{1, 3}", "{1, 2}")
    assert.equal("not-present", support.fails(head .. "expect.device('v[0]', 1)").code)
    assert.equal("uninitialized-read",
      support.fails(head .. "acc 'enter data create(v)' expect.device('v[0]', 1)").code)
  end)
end)

describe("expectations of presence", function()
  it("hold and fail", function()
    holds [[
      expect.absent "v" expect.detached "p"
      acc "enter data copyin(v[1:2]) copyin(p)"
      acc "enter data copyin(p[0:n])"
      expect.present "v[1:2]" expect.present "v[2]" expect.absent "v[0]" expect.attached("p")
        expect.attached("p", 1)
      expect.count("v[1]", { dynamic = 1, structured = 0 }) expect.count("n", { dynamic = 0 })
      acc "enter data create(v[1:2])" expect.count("v[1]", { dynamic = 2 })
      acc "data create(n)" (function() expect.uninitialized "n" expect.count("n", { structured = 1 }) end)
    ]]
    fails("expect.present 'v'", "presence of v on device 0", "present", "absent")
    fails("acc 'enter data copyin(v[1:2])' expect.present 'v'", "presence of v on device 0",
      "present", "partly present")
    fails("acc 'enter data copyin(v[1:2])' expect.absent 'v'", "presence of v on device 0",
      "absent", "partly present")
    fails("expect.attached 'p'", "attachment of p", "attached", "not attached")
    fails("acc 'enter data copyin(p)' acc 'enter data copyin(p[0:3])' expect.detached 'p'",
      "attachment of p", "not attached", "attached, counter 1")
    fails("acc 'enter data copyin(p)' acc 'enter data copyin(p[0:3])' expect.attached('p', 2)",
      "attachment counter of p", "2", "1")
    fails("expect.count('v', { structured = 1 })", "structured reference counter of v", "1", "0")
    fails("acc 'enter data copyin(n)' expect.uninitialized 'n'", "device bytes of n",
      "not initialised", "4 of 4 initialised")
    fails("expect.uninitialized 'n'", "device bytes of n", "not initialised", "not present")
  end)
end)

describe("expectations of events", function()
  it("compare order and names", function()
    holds [[
      expect.events(function() acc "enter data copyin(v)" end, { "alloc v", "h2d v", "incref v" })
      expect.events(function() end, {})
      expect.moves(function() acc "update self(v[1:2])" end, { d2h = { count = 1, bytes = 8 }, h2d = 0 })
      expect.moves(function() acc "update device(v)" end, { h2d = { bytes = 16 } })
      expect.moves(function() acc "update device(v)" end, { h2d = 1 })
    ]]
    fails("expect.events(function() acc 'enter data create(n)' end, { 'alloc n' })",
      "event 2 differs", "no more events", "incref n")
    fails("expect.events(function() end, { 'alloc n' })", "event 1 differs", "alloc n", "no more events")
    fails("expect.moves(function() acc 'enter data copyin(n)' end, { h2d = 0 })",
      "count of h2d moves", "0", "1")
    fails("expect.moves(function() acc 'enter data copyin(n)' end, { h2d = { bytes = 8 } })",
      "bytes of h2d moves", "8", "4")
  end)

  it("pass errors on and stop listening", function()
    holds [[
      expect.fails("not-present", function() expect.events(function() acc "update self(v)" end, {}) end)
      expect.events(function() acc "enter data create(n)" end, { "alloc n", "incref n" })
    ]]
  end)
end)

describe("expectations of errors", function()
  it("hold", function()
    holds [[
      expect.malformed "data copy(" expect.malformed("data copy(", "syntax")
        expect.malformed "struct S { int }"
      expect.invalid "data copy(zz)" expect.invalid("data copy(zz)", "unknown-name")
        expect.invalid("int n; int n;", "duplicate-name")
      local err = expect.fails("not-present", function() acc "update self(v)" end)
      expect.equal(err.code, "not-present") expect(err.line > 3 and err.column and err.rule)
      expect.fails("type-mismatch", function() host.n = "x" end)
      expect.fails("expectation", function() expect(false) end)
      expect.host("n", 3)
    ]]
  end)

  it("do not declare what they look at", function()
    holds "expect.invalid('int fresh; int fresh;') expect.fails('unknown-name', function() return host.fresh end)"
  end)

  it("fail", function()
    fails("expect.malformed 'data copy(v)'", "data copy(v) is accepted", "text that does not parse",
      "no error")
    fails("expect.malformed 'data copy(zz)'", "error of data copy(zz)", "text that does not parse",
      "unknown-name: there is no variable 'zz'")
    fails("expect.invalid 'data copy(v)'", "data copy(v) is accepted", "a static error", "no error")
    fails("expect.invalid 'data copy('", "error of data copy(", "a static error",
      "syntax: expected a variable, found end of the text")
    fails("expect.fails('syntax', function() end)", "nothing failed", "syntax", "no error")
    fails("expect.fails('syntax', function() error 'other' end)", "another error", "syntax",
      "spec.lua:4: other")
    fails("expect.fails('syntax', function() expect(false) end)", "the condition does not hold",
      "true", "false")
    assert.equal("unknown-name", support.fails("expect.fails('no-such-code', print)").code)
  end)
end)
