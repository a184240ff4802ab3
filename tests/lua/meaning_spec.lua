-- What `accdeep explain` says of codes, and the index of rules that goes into the program.
local codes = require "accdeep.codes"
local diagnostic = require "accdeep.diagnostic"
local meaning = require "accdeep.meaning"
local places = load(dofile "lua/places.lua"(".", { "./core/rules.h", "./core/accdeep_core.h", "./core/enter.c",
  "./lua/accdeep/expect.lua" }))()

describe("error codes", function()
  it("are all explained, and no others", function()
    for code in pairs(diagnostic.codes()) do
      assert.is_table(codes[code], code)
      assert.equal(3, #codes[code])
      assert.is_truthy(meaning.of_code(code):find(codes[code][1], 1, true), code)
    end
    for code in pairs(codes) do assert.is_string(diagnostic.phase(code), code) end
    assert.is_nil(meaning.of_code "unheard-of")
    assert.is_nil(meaning.of_rule "TR14-9.9-99")
  end)

  it("are followed to the rules that raise them", function()
    local found = {}
    for _, id in ipairs(places.codes["not-present"]) do found[id] = true end
    assert.is_true(found["TR14-4.2-03"])
  end)
end)

describe("rules", function()
  it("are followed to where they are decided", function()
    local found = table.concat(places.rules["TR14-4.2-03"], " ")
    assert.is_truthy(found:find "core/enter%.c:%d+")
  end)
end)
