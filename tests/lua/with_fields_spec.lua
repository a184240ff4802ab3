-- Fields of an object that have other values while a function runs.
local with_fields = require "accdeep.base.with_fields"

describe("with_fields", function()
  it("sets fields during the call, and restores them, also those that were nil", function()
    local object = { a = 1 }
    local result = with_fields(object, { a = 2, b = 3, c = false }, function(x)
      object.b, object.d = 5, 6
      return object.a + x
    end, 10)
    assert.equal(12, result)
    assert.same({ a = 1, d = 6 }, object)
  end)

  it("restores fields if the function raises", function()
    local object = { a = 1 }
    assert.has_error(function() with_fields(object, { a = 2, b = 3 }, error, "stop", 0) end, "stop")
    assert.same({ a = 1 }, object)
  end)
end)
