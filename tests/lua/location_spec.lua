-- From an index into a directive's text to file, line and column.
local location = require "accdeep.location"

-- Places an error at an index of a text that a call in a line passed.
local function placed(source, line, text, pos)
  location.remember("place.lua", source)
  local err = { pos = pos }
  location.place(err, text, "place.lua", line)
  return err
end

describe("positions", function()
  it("count lines and columns from one", function()
    assert.same({ 1, 1 }, { location.position("ab\ncd", 1) })
    assert.same({ 1, 3 }, { location.position("ab\ncd", 3) })
    assert.same({ 2, 1 }, { location.position("ab\ncd", 4) })
    assert.same({ 3, 1 }, { location.position("a\n\nb", 4) })
  end)

  it("give lines without their ends", function()
    assert.equal("b", location.line("a\r\nb\r\nc", 2))
    assert.equal("c", location.line("a\nb\nc", 3))
    assert.is_nil(location.line("a", 2))
  end)
end)

describe("the place of an error", function()
  it("is in the file where the text stands literally", function()
    local err = placed('x = 1\nacc "data copy(X)"\n', 2, "data copy(X)", 11)
    assert.same({ 2, 16 }, { err.line, err.column })
    assert.equal('acc "data copy(X)"', err.snippet)
    assert.is_nil(err.in_text)
  end)

  it("is found in texts of several lines", function()
    local err = placed("declare [[\n  int a;\n  int b c;\n]]\n", 1, "  int a;\n  int b c;\n", 18)
    assert.same({ 3, 9 }, { err.line, err.column })
    assert.equal("  int b c;", err.snippet)
  end)

  it("is found below an open parenthesis", function()
    local err = placed('acc(\n  "data copy(X)")\n', 1, "data copy(X)", 1)
    assert.same({ 2, 4 }, { err.line, err.column })
  end)

  it("is not taken from words that merely look like the text", function()
    local err = placed('addr "d"\n', 1, "d", 1)
    assert.equal(7, err.column)
    err = placed("local present = X\nexpect.present(X)\n", 1, "X", 1)
    assert.is_true(err.in_text)
  end)

  it("is not taken from another statement far below", function()
    local err = placed('acc(text)\n\n\nacc "data copy(X)"\n', 1, "data copy(X)", 6)
    assert.is_true(err.in_text)
    assert.same({ 1, 6 }, { err.line, err.column })
    assert.equal("data copy(X)", err.snippet)
  end)

  it("is in the text, and at the call, where escapes hide it", function()
    local err = placed('acc "data\\n copy(X)"\n', 1, "data\n copy(X)", 7)
    assert.is_true(err.in_text)
    assert.same({ 1, 2 }, { err.line, err.column })
  end)

  it("is the line alone without a position", function()
    local err = placed('acc "end data"\n', 1, "end data", nil)
    assert.equal(1, err.line)
    assert.is_nil(err.column)
    err = placed('acc ""\n', 1, "", 1)
    assert.is_nil(err.column)
  end)

  it("stays as it is once it is known", function()
    local err = { pos = 1, file = "other.lua", line = 9 }
    location.place(err, "x", "place.lua", 1)
    assert.same({ "other.lua", 9 }, { err.file, err.line })
  end)

  it("is never beyond the end of the text", function()
    local err = placed('acc "data"\n', 1, "data", 99)
    assert.equal(10, err.column)
  end)
end)

describe("callers", function()
  it("are told from the interpreter's own lines", function()
    assert.is_true(location.is_own((debug.getinfo(location.place, "S").source:sub(2))))
    assert.is_false(location.is_own "scenario.lua")
    local file, line = location.caller(1)
    assert.matches("location_spec.lua$", file)
    assert.equal(debug.getinfo(1, "l").currentline - 2, line)
  end)
end)
