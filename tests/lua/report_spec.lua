-- Error text and the formats of `accdeep run`.
local diagnostic = require "accdeep.base.diagnostic"
local report = require "accdeep.base.report"

local function err(fields)
  fields.code, fields.message, fields.rule = fields.code or "syntax", fields.message or "m",
    fields.rule or "R-1"
  return diagnostic.new(fields)
end

local function lines(text)
  local list = {}
  for line in text:gmatch "[^\n]+" do list[#list + 1] = line end
  return list
end

describe("an error's text", function()
  it("has place, code, message, line, carets, rule and help", function()
    assert.same({ "f.lua:12:6: error[syntax]: m", " 12 | acc dta(x)", "    |     ^~~",
      "  rule: R-1", "  help: write data", "  more: accdeep explain syntax" },
      lines(report.error(err { file = "f.lua", line = 12, column = 6, snippet = "acc dta(x)",
        snippet_column = 5,
        length = 3, help = "write data" })))
  end)

  it("cuts lines that are very long", function()
    local text = lines(report.error(err { message = ("y"):rep(1000000) .. "\nz" }))
    assert.equal(#"accdeep: error[syntax]: " + 2003, #text[1])
    assert.equal("z", text[2])
  end)

  it("measures the word when the length is not known", function()
    local function carets(snippet, column, length)
      return lines(report.error(err { file = "f", line = 1, snippet = snippet,
        snippet_column = column, length = length }))[3]
    end
    assert.equal("   |   ^~~", carets("a bcd e", 3))
    assert.equal("   |   ^", carets("a )", 3))
    assert.equal("   |   ^", carets("ab", 3))
    assert.equal("   | ^~", carets("ab", 1, 40))
    assert.equal("   | \t^", carets("\tb", 2))
  end)

  it("shows wanted and found, notes, and objects with where they were mapped", function()
    local text = lines(report.error(err { code = "expectation", wanted = "1", found = "2", notes = { "so" },
      objects = { { name = "X.a", bytes = 12 }, { name = "", bytes = 4, file = "g.lua", line = 3 },
        { name = "z", bytes = 0 } } }))
    assert.same({ "accdeep: error[expectation]: m", "  wanted: 1", "  found: 2", "  note: so",
      "  object: X.a, 12 bytes",
      "  object: unnamed object, 4 bytes, from g.lua:3", "  rule: R-1",
      "  help: step through the scenario: accdeep run --step FILE", "  more: accdeep explain expectation" }, text)
  end)

  it("shows a part of long lines", function()
    local long = ("a"):rep(300) .. "X" .. ("b"):rep(300)
    local text = lines(report.error(err { file = "f", line = 1, snippet = long, snippet_column = 301 }))
    assert.is_true(#text[2] < 140)
    local at = text[3]:find "%^"
    assert.equal("X", text[2]:sub(at, at))
    assert.matches("^ 1 | %.%.%.a", text[2])
    assert.matches("b%.%.%.$", text[2])
  end)

  it("lets nothing through that a terminal would act on", function()
    local text = report.error(err { message = "\27[2J", file = "f", line = 1,
      snippet = "\27[31m\7x", snippet_column = 6 })
    assert.is_nil(text:find "[\27\7]")
  end)

  it("has colours only when asked", function()
    assert.is_nil(report.error(err {}):find "\27")
    assert.truthy(report.error(err {}, { color = true }):find "\27%[1;31m")
  end)
end)

local function record(file, ...)
  local r = { file = file, seconds = 0.25, output = "said <this>\n", cases = {} }
  for i, failure in ipairs { ... } do
    r.cases[i] = { name = "case " .. i, ok = not failure, seconds = 0.125, error = failure
      and report.to_plain_data(failure) or nil }
  end
  return r
end

describe("a format", function()
  local failure = err { code = "not-present", file = "b.lua", line = 2, message = "a < b & \"c\"\1" }
  local function rendered(name)
    local out, errors = {}, {}
    local f = report.formats[name] { out = function(s) out[#out + 1] = s end,
      err = function(s) errors[#errors + 1] = s end }
    local records = { record("a.lua", false), record("b.lua", false, failure) }
    for _, r in ipairs(records) do f.record(r) end
    f.finish(records)
    return table.concat(out), table.concat(errors)
  end

  it("may be text", function()
    local out, errors = rendered "text"
    assert.same({ "ok   a.lua: case 1", "ok   b.lua: case 1", "FAIL b.lua: case 2",
      "2 of 3 cases hold, in 2 files" }, lines(out))
    assert.matches("^b.lua:2: error%[not%-present%]", errors)
  end)

  it("may be TAP", function()
    local out, errors = rendered "tap"
    local found = lines(out)
    assert.equal("TAP version 13", found[1])
    assert.equal("# said <this>", found[2])
    assert.equal("ok 1 - a.lua: case 1", found[3])
    assert.equal("not ok 3 - b.lua: case 2", found[6])
    assert.equal("1..3", found[#found])
    assert.equal("", errors)
  end)

  it("may be JSON", function()
    local t = require "dkjson".decode((rendered "json"))
    assert.same({ 3, 1 }, { t.cases, t.failed })
    assert.equal("not-present", t.files[2].cases[2].error.code)
    assert.equal("run", t.files[2].cases[2].error.phase)
    assert.equal(failure.message, t.files[2].cases[2].error.message)
  end)

  it("may be JUnit", function()
    local out = rendered "junit"
    assert.matches('tests="3" failures="1"', out)
    assert.matches('message="a &lt; b &amp; &quot;c&quot;%?"', out)
    assert.matches("<system%-out>said &lt;this&gt;", out)
    local _, opened = out:gsub("<testcase ", "")
    assert.equal(3, opened)
  end)
end)

describe("the exit status", function()
  local function status(...)
    local failures = {}
    for i, code in ipairs { ... } do failures[i] = err { code = code } end
    return report.status { record("a.lua", table.unpack(failures)) }
  end

  it("is that of the gravest error", function()
    assert.equal(0, report.status { record("a.lua", false) })
    assert.equal(1, status "expectation")
    assert.equal(1, status "not-present")
    assert.equal(2, status "syntax")
    assert.equal(2, status("unknown-name", "expectation"))
    assert.equal(3, status("expectation", "limit", "syntax"))
    assert.equal(70, status("internal", "limit"))
  end)
end)

describe("strings.count", function()
  local count = require "accdeep.base.strings".count

  it("has the noun in singular for one, and in plural for others", function()
    assert.equal("1 byte", count(1, "byte"))
    assert.equal("0 bytes", count(0, "byte"))
    assert.equal("2 classes", count(2, "class", "classes"))
  end)
end)
