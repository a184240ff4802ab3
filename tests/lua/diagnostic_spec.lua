-- Errors: their codes, what a scenario sees of them, and names that are nearly right.
local diagnostic = require "accdeep.base.diagnostic"
local support = require "tests.lua.support"

describe("errors", function()
  it("have a code, a message and a rule", function()
    local err = support.error_of(diagnostic.raise, "not-present", 4, "it is gone", { help = "map it" })
    assert.equal("not-present", err.code)
    assert.equal("it is gone", err.message)
    assert.equal(4, err.pos)
    assert.equal("map it", err.help)
    assert.is_string(err.rule)
    assert.is_true(diagnostic.is(err))
  end)

  it("keep the rule they are given", function()
    assert.equal("TR14-4.2-03", diagnostic.new { code = "syntax", message = "m", rule = "TR14-4.2-03" }.rule)
  end)

  it("refuse codes that do not exist", function()
    assert.has_error(function() diagnostic.new { code = "unheard-of", message = "m" } end)
  end)

  it("become text with their place", function()
    local err = diagnostic.new { code = "syntax", message = "m", file = "f.lua", line = 3, column = 7 }
    assert.equal("f.lua:3:7: error[syntax]: m", tostring(err))
    err.column = nil
    assert.equal("f.lua:3: error[syntax]: m", tostring(err))
    err.file = nil
    assert.equal("error[syntax]: m", tostring(err))
  end)

  it("belong to phases", function()
    for code, phase in pairs { syntax = "text", ["unknown-name"] = "static", ["not-present"] = "run",
      expectation = "run", limit = "environment", file = "environment", internal = "internal" } do
      assert.equal(phase, diagnostic.phase(code))
    end
    assert.is_nil(diagnostic.phase "unheard-of")
  end)

  it("tell a limit from other things", function()
    assert.is_true(diagnostic.is_limit { code = "limit" })
    assert.is_false(diagnostic.is_limit(setmetatable({}, { __index = { code = "limit" } })))
    assert.is_false(diagnostic.is_limit "limit")
  end)

end)

describe("names that are nearly right", function()
  local function closest(name, ...)
    local names = {}
    for _, n in ipairs { ... } do names[n] = true end
    return diagnostic.closest(name, names)
  end

  it("are found up to two edits away", function()
    assert.equal("copyin", closest("copyni", "copyin", "create"))
    assert.equal("create", closest("crate", "copyin", "create"))
    assert.is_nil(closest("crt", "copyin", "creates"))
  end)

  it("are never the name itself, nor suggested for one letter", function()
    assert.is_nil(closest("n", "n", "m"))
    assert.is_nil(closest("abc", "abc"))
  end)

  it("are the same whatever the order of the names", function()
    assert.equal("data", closest("dat", "at", "data", "dot"))
    assert.equal("data", closest("dat", "dot", "data", "at"))
    assert.equal("bata", closest("xata", "data", "bata"))
  end)

  it("tells a process that was killed from an error of accdeep", function()
    local killed, other = diagnostic.process_error("a process", 128 + 9), diagnostic.process_error("a process", 1)
    assert.same({ "out-of-memory", "a process was killed" }, { killed.code, killed.message })
    assert.same({ "internal", "a process ended with status 1" }, { other.code, other.message })
  end)
end)
