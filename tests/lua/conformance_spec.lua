-- What a case of spec must show, by its name.
local conformance = require "accdeep.definitions.conformance"

describe("a case of the specification", function()
  local function flaw(name, n, ...) return conformance.flaw(name, { n = n, refused = { ... } }) end

  it("is called accepts, rejects or differs, and cites rules", function()
    assert.is_nil(flaw("accepts: data come [TR14-1.2-03]", 1))
    assert.is_nil(flaw("differs: data stay [TR14-1.2-03]", 1))
    for _, name in ipairs { "data come", "accepts: data come", "refuses: data come [TR14-1.2-03]" } do
      assert.matches("another form", flaw(name, 1), 1, true)
    end
  end)

  it("expects something", function()
    assert.equal("the case expects nothing", flaw("accepts: data come [TR14-1.2-03]", 0))
  end)

  it("that rejects has an error whose rule it cites", function()
    local name = "rejects: data are absent [TR14-4.2-09 TR14-4.3-05]"
    assert.is_nil(flaw(name, 1, "TR14-4.3-05"))
    assert.is_nil(flaw(name, 2, "HOUSE-names", "TR14-4.2-09"))
    assert.matches("nothing in it is refused", flaw(name, 1), 1, true)
    assert.matches("errors name: HOUSE-names", flaw(name, 1, "HOUSE-names"), 1, true)
  end)
end)
