-- The package from plain Lua: run a scenario, script a session, format an error.
local accdeep = require "accdeep"
local support = require "tests.lua.support"

describe("require 'accdeep'", function()
  it("has a version", function() assert.matches("^%d+%.%d+", accdeep.version) end)

  it("runs a scenario", function()
    local printed = {}
    local record = accdeep.run("inside.lua", [[
      scenario { title = "from Lua" }
      declare "float v[2] = { 1, 2 };"
      acc "data copy(v)" (function() acc "parallel present(v)" (function(d) d.v[0] = 7 end) end)
      expect.host("v[0]", 7)
      print "done"
    ]], { out = function(s) printed[#printed + 1] = s end })
    assert.equal("from Lua", record.title)
    assert.equal(1, #record.cases)
    assert.is_true(record.cases[1].ok)
    assert.equal("done\n", table.concat(printed))
    assert.is_true(record.seconds >= record.cases[1].seconds)
  end)

  it("formats an error", function()
    local record = accdeep.run("inside.lua", 'declare "int x;"\nacc "data copy(y)"', {})
    local case = record.cases[1]
    assert.is_false(case.ok)
    assert.same({ "unknown-name", "inside.lua", 2, 16 }, { case.error.code, case.error.file,
      case.error.line, case.error.column })
    assert.matches("^inside.lua:2:16: error%[unknown%-name%]: there is no variable 'y'\n"
      .. " 2 | acc \"data copy%(y%)\"\n   |   +%^",
      accdeep.format_error(case.error))
  end)

  it("leaves Lua as it was", function()
    accdeep.run("inside.lua", "error 'x'", {})
    assert.equal(string, getmetatable("").__index)
    assert.is_nil((debug.gethook()))
    assert.is_nil(rawget(_G, "acc"))
  end)

  it("works from a program of its own", function()
    local file = os.tmpname()
    finally(function() os.remove(file) end)
    local out = assert(io.open(file, "w"))
    out:write(([[
      package.path, package.cpath = %q, %q
      local accdeep = require "accdeep"
      local record = accdeep.run("s.lua", 'declare "int x;" acc "data copy(z)"', {})
      io.write(accdeep.format_error(record.cases[1].error))
    ]]):format(package.path, package.cpath))
    out:close()
    local pipe = assert(io.popen("lua5.4 " .. file))
    local text = pipe:read "a"
    pipe:close()
    assert.matches("^s.lua:1:33: error%[unknown%-name%]", text)
  end)
end)

describe("a scenario's run", function()
  it("gives each case its own values and devices", function()
    local record = support.run [[
      declare "int x = 1; int *p;"
      host.p = { 1, 2 }
      case("first", function() host.x = 5
        host.p[0] = 9 declare "int mine;" acc "enter data copyin(x)" expect.present "x" end)
      case("second", function() expect.host("x", 1) expect.host("p[0]", 1) expect.absent "x"
        expect.invalid("data copy(mine)", "unknown-name") end)
    ]]
    assert.same({ true, true }, { record.cases[1].ok, record.cases[2].ok })
    assert.equal("second", record.cases[2].name)
  end)

  it("goes on after a case that fails, and counts what is outside of cases", function()
    local record = support.run [[
      case("first", function() error "no" end)
      case(function() end)
      error "outside"
    ]]
    assert.same({ "first", "case 2", "spec.lua" }, { record.cases[1].name, record.cases[2].name,
      record.cases[3].name })
    assert.same({ false, true, false }, { record.cases[1].ok, record.cases[2].ok, record.cases[3].ok })
    assert.same({ 3, "outside" }, { record.cases[3].error.line, record.cases[3].error.message })
  end)

  it("checks its head", function()
    assert.equal("unknown-name", support.fails("scenario { titel = 'x' }").code)
    assert.equal("did you mean 'title'?", support.fails("scenario { titel = 'x' }").help)
    assert.equal("no-device", support.fails("scenario { devices = 0 }").code)
    assert.equal("unknown-name", support.fails("scenario { language = 'pascal' }").code)
    assert.equal("scenario-error", support.fails("declare 'int x;' scenario {}").code)
    assert.equal("unknown-name", support.fails("scenario { rules = 'tr15' }").code)
    assert.equal("unknown-name", support.fails("rules { base = 'tr14', updates = 'split' }").code)
    assert.equal("type-mismatch", support.fails("rules { base = 'tr14', update = 'twice' }").code)
  end)

  it("stops at limits", function()
    local err = support.fails("while true do end", { limit_steps = 50000 })
    assert.same({ "limit", 1, "HOUSE-limit" }, { err.code, err.line, err.rule })
    assert.equal("limit", support.fails("local t = {} while true do t[#t + 1] = {} end",
      { limit_memory = 1 << 24 }).code)
    assert.equal("limit", support.fails("alloc('char', 1 << 26)", { limit_memory = 1 << 24 }).code)
    support.holds("alloc('char', 1 << 20)", { limit_memory = 1 << 25 })
  end)
end)
