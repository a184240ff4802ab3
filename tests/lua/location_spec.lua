-- From an index into a directive's text to file, line and column.
local location = require "accdeep.base.location"
local report = require "accdeep.base.report"
local scenario = require "accdeep.script.scenario"
local trace = require "accdeep.inspect.trace"

-- Places an error at an index of a text that a call in a line passed.
local function placed(source, line, text, pos)
  location.remember("place.lua", source)
  local err = { pos = pos }
  location.locate_error(err, text, "place.lua", line)
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

  it("is found where the text ends in the line of the call, as Lua 5.4.6 counts", function()
    local err = placed('declare [[\n  int a;\n  int b c;\n]]\n', 4, "  int a;\n  int b c;\n", 18)
    assert.same({ 3, 9 }, { err.line, err.column })
    assert.is_nil(err.in_text)
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
    location.locate_error(err, "x", "place.lua", 1)
    assert.same({ "other.lua", 9 }, { err.file, err.line })
  end)

  it("is never beyond the end of the text", function()
    local err = placed('acc "data"\n', 1, "data", 99)
    assert.equal(10, err.column)
  end)
end)

-- Runs a scenario of these lines; its error.
local function failing(...)
  local record = scenario.run("s.lua", table.concat({ ... }, "\n"), { out = function() end })
  return record.cases[#record.cases].error
end

local function callers(...)
  local lines = {}
  for i, caller in ipairs(failing(...).callers or {}) do
    assert.equal("s.lua", caller.file)
    lines[i] = caller.line
  end
  return lines
end

describe("the calls that reach an error", function()
  it("are those of functions of the script, from the inside", function()
    assert.same({ 3, 5 }, callers('declare "float a[2];"',
      'local function push(e) acc("enter data copyin(" .. e .. ")") end',
      "local function deeper(e) push(e); return 1 end", "print()", 'deeper "b"'))
    assert.same({ 2 }, callers('local function f() host.x = 1 end', "f()"))
    assert.same({ 2 }, callers('local function f(e) expect.host(e, 1) end', 'f "1 + 1"'))
  end)

  it("are there for Lua's own errors, too", function()
    assert.same({ 2 }, callers("local function f(t) t.x = 1 end", "f(nil)"))
    assert.same({ 2 }, callers("local function f() error 'stop' end", "f()"))
  end)

  it("pass functions of the interpreter", function()
    assert.same({ 1, 3 }, callers("local function account(f) expect.equal(f(), nil) end",
      'local function step(e) return account(function() acc(e) end) end', 'step "data copy(x)"'))
  end)

  it("have no bodies that stand in the call themselves", function()
    assert.same({}, callers('acc "data copy(x)"'))
    assert.same({}, callers('declare "int a, b;" acc "data copy(a)" (function()', 'acc "update self(b)"', "end)"))
    assert.same({}, callers('case("c", function()', 'acc "update self(b)"', "end)"))
    assert.same({ 3 }, callers('declare "int a, b;" local function f() acc "update self(b)" end',
      'case("c", function()', "f()", "end)"))
  end)

  it("are one line for a recursion", function()
    assert.same({ 1, 2 }, callers("local function f(n) if n == 0 then acc 'data copy(x)' else f(n - 1) end end",
      "f(20)"))
  end)

  it("are calls of procedures in Fortran", function()
    assert.same({ 4 }, callers('scenario { language = "fortran" }', "fortran [[", "real :: a(2)",
      "call s(a)", "contains", "subroutine s(x)", "real :: x(2)", "!$acc update self(x)",
      "end subroutine", "]]"))
  end)

  it("are told of events, too", function()
    local events = {}
    local writer = trace.writer(function(line) events[#events + 1] = line end)
    scenario.run("s.lua", 'declare "int x;"\nlocal function f() acc "enter data copyin(x)" end\nf()\n', { out = print,
      trace = function(...) return writer:event(...) end })
    assert.matches('"at":"s.lua:2","callers":"s.lua:3"', events[2])
  end)

  it("stand in reports", function()
    local text = report.error(failing('local function f() acc "data copy(x)" end', "f()"))
    assert.matches("\n  called from: s.lua:2\n", text)
    assert.is_nil(report.error(failing 'acc "data copy(x)"'):find "called from")
  end)
end)

describe("a text that is put together", function()
  it("has no column in the file", function()
    local err = failing('declare "int x;"', 'acc("data " .. "copy(y)")')
    local plain = report.to_plain_data(err)
    assert.same({ 2, nil, 1, 11 }, { plain.line, plain.column, plain.text_line, plain.text_column })
    assert.matches("^s.lua:2: error%[unknown%-name%]: [^\n]*\n text 1:11 | data copy%(y%)\n           |           %^\n",
      report.error(err))
    assert.matches("^s.lua:2: ", tostring(err))
    assert.same(plain, report.to_plain_data(plain))
  end)
end)

describe("a shape's or group's text", function()
  it("is followed to the directive that uses it", function()
    local err = failing('declare "struct S { int n; float *a; }; struct S X; int m();"', "",
      'acc "shape type(struct S) include(a[0:m()])"', 'acc "data copy(X)"')
    assert.same({ 3 }, { err.line })
    assert.matches("note: used at s.lua:4\n", report.error(err))
  end)
end)

describe("callers", function()
  it("are told from the interpreter's own lines", function()
    assert.is_true(location.is_own((debug.getinfo(location.locate_error, "S").source:sub(2))))
    assert.is_false(location.is_own "scenario.lua")
    local file, line = location.caller(1)
    assert.matches("location_spec.lua$", file)
    assert.equal(debug.getinfo(1, "l").currentline - 2, line)
  end)
end)
