-- Names: which space they live in, and what an inner scope may change.
local scope = require "accdeep.types.scope"
local types = require "accdeep.types"

describe("a scope", function()
  it("knows the names every C program uses", function()
    local s = scope.new()
    assert.equal(types.scalars["unsigned long"], s:type_named "size_t")
    assert.is_nil(s:type_named "nothing")
  end)

  it("finds what the outer one has, and enters its own", function()
    local outer = scope.new()
    outer.variables.a = { name = "a" }
    outer.functions.f = print
    local inner = scope.new(outer)
    inner.variables.b = { name = "b" }
    assert.equal("a", inner.variables.a.name)
    assert.is_nil(outer.variables.b)
    assert.falsy(inner:find_declared "a")
    assert.truthy(inner:find_declared "b")
    assert.same({ a = true, b = true, f = true }, inner:names())
    assert.same({ a = true, f = true }, outer:names())
  end)

  it("lets a variable hide a type", function()
    local s = scope.new()
    s.typedefs.T = types.scalars.int
    assert.is_true(s.is_type "T")
    s.variables.T = { name = "T" }
    assert.is_false(s.is_type "T")
  end)

  it("takes tags for types, as C++ does", function()
    local s = scope.new()
    s.tags.S = types.record("struct", "S")
    assert.equal(s.tags.S, s:type_named "S")
  end)

  it("counts typedefs and enumerators as declared", function()
    local s = scope.new()
    s.typedefs.T, s.enumerators.E = types.scalars.int, 0
    assert.truthy(s:find_declared "T")
    assert.truthy(s:find_declared "E")
    assert.falsy(s:find_declared "X")
  end)
end)
