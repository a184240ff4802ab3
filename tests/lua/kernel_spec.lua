-- Compute constructs: how a body's variables are found, and what a failing body leaves behind.
local support = require "tests.lua.support"

local head = [[
declare "int n = 4; float f = 1.5; float v[4] = { 1, 2, 3, 4 }; float w[4]; struct S { int k; } X; float *p;"
host.p = { 10, 20, 30, 40 }
]]
local function holds(text) support.holds(head .. text) end

describe("a compute construct", function()
  it("copies aggregates and takes scalars along", function()
    holds [[
      acc "parallel" "for (int i = 0; i < n; i++) w[i] = v[i] * f; n = 9; X.k = n;"
      expect.host("w[0:4]", { 1.5, 3, 4.5, 6 }) expect.host("n", 4) expect.host("X.k", 9) expect.absent "w"
      acc "kernels" "n = 9;" expect.host("n", 9)
    ]]
  end)

  it("takes the second argument for what a function uses", function()
    holds [[
      acc("parallel", "v, n")(function(d) for i = 0, d.n - 1 do d.v[i] = d.v[i] + 1 end end)
      expect.host("v[0:4]", { 2, 3, 4, 5 })
      expect.fails("not-present", function() acc "parallel" (function(d) d.v[0] = 1 end) end)
    ]]
  end)

  it("finds what enclosing regions brought", function()
    holds [[
      acc "data copy(v) create(w)" (function()
        expect.moves(function() acc "parallel" "for (int i = 0; i < 4; i++) w[i] = v[i];" end,
          { h2d = 0, d2h = 0 })
        expect.device("w[3]", 4)
      end)
      acc "data copy(p[0:4])" (function() acc "parallel" "p[1] = p[0] + 1;" end)
      expect.host("p[1]", 11)
    ]]
  end)

  it("obeys private, firstprivate, reduction, default and if", function()
    holds [[
      acc "parallel firstprivate(f) private(n) copy(v)" "n = 2; f += n; v[0] = f;"
      expect.host("v[0]", 3.5) expect.host("f", 1.5) expect.host("n", 4)
      acc "parallel loop reduction(+:f) copy(v)" "for (int i = 0; i < 4; i++) f += 1;"
      expect.host("f", 5.5)
      expect.fails("default-none", function() acc "parallel default(none)" "v[0] = 1;" end)
      expect.fails("not-present", function() acc "parallel default(present)" "v[0] = 1;" end)
      expect.moves(function() acc "parallel copy(v) if(0)" "v[1] = 77;" end, { h2d = 0, d2h = 0 })
      expect.host("v[1]", 77)
      expect.equal(acc_on_device(acc_device_not_host), false)
    ]]
  end)

  it("calls functions of the scenario and of C", function()
    holds [[
      func("twice", function(x) return 2 * x end)
      acc "parallel copy(v)" "v[0] = twice(v[1]) + sqrt(v[3]);"
      expect.host("v[0]", 6)
    ]]
  end)

  it("leaves everything as it was when the body fails", function()
    holds [[
      local function fails(code, body) return expect.fails(code,
        function() acc "parallel copy(v) create(w)" (body) end) end
      fails("out-of-bounds", function(d) d.v[0] = 50 d.v[4] = 1 end)
      fails("out-of-bounds", "v[0] = 50; v[4] = 1;")
      expect.host("v[0]", 1) expect.absent "v" expect.absent "w"
      acc "data copy(v)" (function()
        fails("uninitialized-read", "v[0] = 50; v[1] = w[0];")
        expect.device("v[0]", 1) expect.count("v", { structured = 1 })
      end)
      expect.equal(pcall(acc "parallel copy(v)", function(d) d.v[0] = 9 error "own" end), false)
      expect.host("v[0]", 1) expect.absent "v"
      expect.equal(#state().present, 0) expect.equal(#state().levels, 0)
    ]]
  end)

  it("places errors in the body's text", function()
    local err = support.fails(head .. "acc 'parallel copy(v)' [[\n  v[0] = 1;\n  v[1] =\tv[7];\n]]")
    assert.same({ "out-of-bounds", 5, 11 }, { err.code, err.line, err.column })
    err = support.fails(head .. "acc 'parallel copy(v)' 'v[0] = zz;'")
    assert.same({ "unknown-name", 3, 32 }, { err.code, err.line, err.column })
    err = support.fails(head .. "acc('parallel', 'v, zz')(function() end)")
    assert.same({ "unknown-name", 3, 21 }, { err.code, err.line, err.column })
  end)

  it("allows no directives and no routines inside", function()
    holds [[
      for _, text in ipairs { "update self(v)", "data copy(w)", "parallel copy(w)" } do
        expect.fails("region-nesting", function() acc "parallel copy(v)" (function() acc(text) end) end)
      end
      expect.fails("region-nesting", function() acc "parallel copy(v)" (function() acc_copyin "w" end) end)
      expect.fails("type-mismatch", function() acc "parallel copy(v)" (4) end)
    ]]
  end)
end)
