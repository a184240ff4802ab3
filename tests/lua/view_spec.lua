-- Memory as a scenario and a kernel see it: reading, writing, and what hardware would let pass.
local support = require "tests.lua.support"

local head = [[
declare [=[
  struct in { short s; unsigned char c[3]; };
  struct S { int n; double d; struct in i; int *p; struct S *next; union { int u; float f; }; } X, Y;
  struct S v[2]; int a[4]; char text[6]; char *words; void *any; _Bool flag; unsigned long large; int m[2][3];
]=]
host.X = { n = 3, p = { 1, 2, 3 } }
]]
local function holds(text) return support.holds(head .. text) end
local function code(text) return support.fails(head .. text).code end
local function kernel(text)
  return ("acc 'enter data copyin(X)' acc 'parallel copy(a, Y, m) present(X)' (function(d) %s end)"):format(text)
end

describe("host memory", function()
  it("is read and written by name, member and index", function()
    holds [[
      host.X.n = 7 expect.equal(host.X.n, 7)
      host.X.i = { s = -2, c = { 250, 251 } } expect.equal(host.X.i.s, -2)
        expect.equal(host.X.i.c[1], 251) expect.equal(host.X.i.c[2], 0)
      host.v[1].d = 2.5 expect.equal(host.v[1].d, 2.5) expect.equal(host.v[0].d, 0.0)
      host.X.f = 1.0 expect.equal(host.X.u, 0x3f800000)
      host.a = { 1, 2 } host.a[3] = 9 expect.equal(host.a, { 1, 2, 0, 9 })
      host.m = { { 1, 2, 3 }, { 4 } } expect.equal(host.m[0][2], 3) expect.equal(host.m[1], { 4, 0, 0 })
      host.a = { [0] = 5, 6 } expect.equal(host.a[0], 5) expect.equal(host.a[1], 6)
      host.flag = 3 expect.equal(host.flag, 1) host.flag = false expect.equal(host.flag, 0)
      host.large = -1 expect.equal(host.large, -1) host.X.i.s = 40000 expect.equal(host.X.i.s, -25536)
      host.X.n = 4.0 expect.equal(math.type(host.X.n), "integer")
      host.text = "abc" expect.equal(host.text[3], 0) host.words = "hey" expect.equal(host.words[2], 121)
      expect.equal(#host.a, 4)
    ]]
  end)

  it("has pointers with arithmetic", function()
    holds [[
      local p = host.X.p
      expect.equal(p[2], 3) expect.equal((p + 1)[1], 3) expect.equal((p + 2) - p, 2)
        expect((p + 1) - 1 == p) expect(p ~= NULL)
      expect.equal(p:values(3), { 1, 2, 3 }) p[1] = 20 expect.host("X.p[1]", 20)
      host.Y.p = p + 1 expect.equal(host.Y.p[0], 20) host.Y.p = NULL expect(host.Y.p == NULL)
      host.X.next = addr "Y" host.X.next.n = 5 expect.equal(host.Y.n, 5)
      host.Y = host.X expect.equal(host.Y.n, 3) expect(host.Y.p == host.X.p)
      host.any = p expect(host.any == p)
      local q = alloc("double", 3, { 1, 2 }) expect.equal(q:values(3), { 1, 2, 0 }) free(q)
      local r = alloc("int", 2, function(i) return i * 10 end) expect.equal(r[1], 10)
      local s = alloc("struct S", 2) s[1].n = 4 expect.equal(s[1].n, 4)
      expect.equal(sizeof "struct S", sizeof "X") expect.equal(sizeof "a[0:2]", 8)
        expect.equal(sizeof "int *", 8)
      expect.equal(addr "a[2]" - addr "a[0]", 2)
    ]]
  end)

  it("refuses what does not fit", function()
    for text, wanted in pairs {
      ["host.X.nn = 1"] = "unknown-member", ["return host.X.nn + 0"] = "unknown-member",
        ["host.X.n = {}"] = "type-mismatch",
      ["host.X.n = 'x'"] = "type-mismatch", ["host.X.n = 1.5"] = "type-mismatch",
        ["host.X.p = 'x'"] = "type-mismatch",
      ["host.X = 4"] = "type-mismatch", ["host.X = host.X.i"] = "type-mismatch",
        ["host.a = 4"] = "type-mismatch",
      ["host.a[4] = 1"] = "out-of-bounds", ["return host.a[-1] + 0"] = "out-of-bounds",
        ["host.a = { 1, 2, 3, 4, 5 }"] = "out-of-bounds",
      ["return host.X.p[3] + 0"] = "out-of-bounds", ["return host.X.p[-1] + 0"] = "out-of-bounds",
        ["return host.Y.p[0] + 0"] = "null-pointer",
      ["host.Y.next.n = 1"] = "null-pointer", ["host.text = 'much too long'"] = "out-of-bounds",
      ["local p = alloc('int', 2) free(p) return p[0] + 0"] = "out-of-bounds",
        ["return host.any[0]"] = "type-mismatch",
      ["return host.m[1][3] + 0"] = "out-of-bounds", ["return (host.X.p + 3)[0] + 0"] = "out-of-bounds",
      ["acc 'enter data copyin(a)' host.X.p = acc_deviceptr 'a[0:1]' return host.X.p[0] + 0"] =
        "device-pointer-on-host",
    } do
      assert.equal(wanted, code(text), text)
    end
  end)
end)

describe("device memory", function()
  it("is read and written like host memory", function()
    holds(kernel [[
      d.X.n = 5 d.a = { 1, 2, 3, 4 } d.a[1] = d.a[0] + d.X.n d.m[1][2] = 8 d.X.i = { s = 3 } d.X.i.c[2] = 9
      expect.equal(d.a[1], 6) expect.equal(d.m[1][2], 8) expect.equal(d "a[1] + X.n", 11)
        expect.equal(d.X.i.c[2], 9)
      d.Y = d.X expect.equal(d.Y.n, 5) expect.equal(d.Y.i.s, 3)
    ]] .. "expect.host('a[0:4]', { 1, 6, 3, 4 }) expect.host('X.n', 3) expect.host('Y.n', 5) expect.host('m[1][2]', 8)")
  end)

  it("refuses what does not fit or was not brought", function()
    for text, wanted in pairs {
      ["d.a[4] = 1"] = "out-of-bounds", ["return d.m[2]"] = "out-of-bounds",
        ["d.X.n = 'x'"] = "type-mismatch", ["d.X.zz = 1"] = "unknown-member",
      ["return d.zz"] = "unknown-name", ["return d.v[0].n"] = "not-present",
        ["return d.X.p[0]"] = "host-pointer-on-device",
      ["d.X.p = { 1, 2 }"] = "type-mismatch", ["return d.X.next.n"] = "null-pointer",
        ["return d 'a['"] = "syntax",
    } do
      assert.equal(wanted, code(kernel(text)), text)
    end
  end)

  it("tells never attached, excluded and never written apart", function()
    local shapes = [[
      declare [=[ struct T { int n; float *a, *b;
        #pragma acc shape include(a[0:n]) exclude(b)
      } t; ]=]
      host.t = { n = 2, a = { 1, 2 }, b = { 3, 4 } }
    ]]
    local function fails(text)
      return support.fails(shapes .. text)
    end
    assert.equal("excluded-member", fails("acc 'parallel copy(t)' (function(d) return d.t.b[0] end)").code)
    assert.equal("excluded-member", fails("acc 'parallel copy(t)' 't.a[0] = *t.b;'").code)
    assert.equal("uninitialized-read",
      fails("acc 'parallel create(t)' (function(d) return d.t.a[0] end)").code)
    assert.equal("out-of-bounds", fails("acc 'parallel copy(t)' (function(d) return d.t.a[2] end)").code)
    support.holds(shapes .. "acc 'parallel copy(t)' (function(d) d.t.a[1] = d.t.a[0] + 4 end) "
      .. "expect.host('t.a[0:2]', { 1, 5 })")
  end)
end)
