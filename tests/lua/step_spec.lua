-- Stepping and statements, by a terminal that reads from a list: what a person sees, and that each way back leads to
-- the same state.
local input = require "accdeep.tools.interactive.input"
local location = require "accdeep.base.location"
local repl = require "accdeep.tools.interactive.repl"
local stepper = require "accdeep.tools.interactive.stepper"
local trace = require "accdeep.inspect.trace"
local value_text = require "accdeep.script.value_text"

-- A terminal whose user enters these lines, and then leaves.
local function typing(lines)
  local out, at = {}, 0
  local terminal = { is_terminal = true }
  function terminal.read()
    at = at + 1
    if type(lines[at]) == "function" then -- something happens meanwhile
      lines[at]()
      at = at + 1
    end
    if lines[at] then
      out[#out + 1] = "> " .. lines[at] .. "\n"
      return lines[at]
    end
    return nil, "end"
  end
  function terminal.write(_, text) out[#out + 1] = text end
  terminal.page, terminal.write_error = terminal.write, terminal.write
  function terminal.remember() end
  return terminal, function() return table.concat(out) end
end

local function steps(text, lines, options)
  location.remember("s.lua", text)
  local terminal, shown = typing(lines)
  local record = stepper("s.lua", text, setmetatable(options or {},
    { __index = { limit_memory = 0, limit_steps = 0 } }),
    terminal, false)
  return shown(), record
end

local function statements(lines, text)
  local terminal, shown = typing(lines)
  local failures = repl(text and "s.lua", text, { limit_memory = 0, limit_steps = 1000000 }, terminal, false)
  return shown(), failures
end

local function has(text, wanted)
  assert.is_truthy(text:find(wanted, 1, true), ("wanted: %s\nfound: %s"):format(wanted, text))
end

local function lacks(text, unwanted)
  assert.is_nil(text:find(unwanted, 1, true), ("unwanted: %s\nfound: %s"):format(unwanted, text))
end

local TWO = [[
declare "int x = 1; int y[4] = {1, 2, 3, 4};"
print("random", math.random(1 << 30), os.clock())
acc "enter data copyin(x)"
host.x = math.random(1 << 30)
acc "update device(x)"
acc_copyin("y")
acc "exit data copyout(x)"
]]

describe("stepping", function()
  it("is traced as the run that ends it, whatever went before", function()
    local function traced(lines)
      local text, pass = {}, nil
      local writer = trace.writer(function(line) text[#text + 1] = line end)
      steps(TWO, lines, { anew = function()
        pass = writer:pass()
        return { pass:observer() }
      end })
      writer:merge_pass(pass)
      return table.concat(text)
    end
    local straight = traced { "continue" }
    has(straight, '"op":"h2d"')
    assert.equal(straight, traced { "step", "step", "back", "step", "back 2", "continue" })
  end)

  it("ends as the scenario does", function()
    local shown, record = steps(TWO, { "", "step", "", "continue" })
    has(shown, "[1] s.lua:3: enter data copyin(x)")
    has(shown, "then, by routines:\n  alloc   y (16)")
    has(shown, "[4] s.lua:7: the end")
    assert.is_true(record.cases[1].ok)
    assert.is_nil(select(2, steps(TWO, { "", "quit" })))
    assert.is_nil(select(2, steps(TWO, { "" })))
  end)

  it("finds the same values each time, on the way back, too", function()
    local shown = steps(TWO, { "", "", "print x", "back 2", "next", "", "print x", "quit" })
    local first, second = shown:match "host    (%d+).*host    (%d+)"
    assert.is_string(first)
    assert.equal(first, second)
    local times = {}
    for line in steps(TWO, { "", "back", "", "back", "quit" }):gmatch "random[^\n]*" do times[#times + 1] = line end
    assert.equal(1, #times) -- what was seen before is not told again
  end)

  it("goes back after a failure, and looks at the state there", function()
    local text = [[
      declare "int x = 1;"
      case("one", function()
        acc "data copy(x)" (function()
          acc "parallel present(x)" "x = 5;"
          expect.host("x", 5)
        end)
      end)
      case("two", function() acc "data copy(x)" (function() end) end)
    ]]
    local shown, record = steps(text, { "continue", "print x", "state", "back", "diff", "step", "quit" })
    has(shown, "s.lua:5: error[expectation]: host value of x")
    has(shown, "host    1\n  device  5")
    has(shown, "level 1  data  copy(x)")
    has(shown, "[3] s.lua:4: end of parallel present(x)")
    has(shown, "device x = 5, was 1")
    assert.equal(2, select(2, shown:gsub("error%[expectation%]", "")))
    assert.is_nil(record)
    shown, record = steps(text, { "continue", "continue", "continue" })
    lacks(shown, "there is no command")
    assert.is_false(record.cases[1].ok)
    assert.is_true(record.cases[2].ok)
  end)

  it("stops in a kernel that fails", function()
    local shown = steps([[
      declare "int n = 2; float v[4];"
      acc "parallel copy(v[0:n]) copyin(n)" "v[0] = 7; v[n + 5] = 1;"
    ]], { "continue", "device v[0]", "host", "print v[0]", "quit" })
    has(shown, "error[out-of-bounds]")
    has(shown, "device  7")
    has(shown, "there is no command 'host'")
  end)

  it("does not take what is expected for a failure", function()
    local shown, record = steps([[
      declare "int x;"
      expect.fails("not-present", function() acc "update self(x)" end)
      expect.fails("out-of-bounds", function() acc "parallel" "int a[2]; a[3] = 1;" end)
      pcall(function() acc "data present(x)" end)
      acc "enter data create(x)"
    ]], { "continue" })
    lacks(shown, "error[")
    assert.is_true(record.cases[1].ok)
  end)

  it("steps over bodies, to lines, into cases", function()
    local text = [[
      declare "int x;"
      case("a", function()
        acc "data copy(x)" (function()
          acc "update self(x)"
        end)
        acc "enter data create(x)"
      end)
      case("b", function() acc "enter data create(x)" end)
    ]]
    local shown = steps(text, { "next", "where", "until 8", "until never", "back 0", "list 1", "quit" })
    has(shown, "[4] s.lua:6: enter data create(x)")
    has(shown, "'never' is not a number")
    has(shown, "'0' is not a number")
    has(shown, "[2] s.lua:4: update self(x)") -- what is stepped over has its heading
    lacks(shown, "[2] s.lua:4: update self(x)\n    4 |") -- and no stop
    has(shown, 'declare "int x;"')
  end)

  it("tells of expressions that are wrong", function()
    local shown = steps(TWO, { "print", "print zz", "print x[", "device", "print 1/0", "draw x.txt", "quit" })
    has(shown, "print takes an expression")
    has(shown, "<unknown-name> there is no variable 'zz'")
    has(shown, "<syntax>")
    has(shown, "draw takes a file")
  end)
end)

describe("statements", function()
  it("are kept, taken back and told of", function()
    local shown, failures = statements { 'declare "int x = 3;"', "acc data copy(x)", "x = 4", "x", "undo", "x",
      "history" }
    has(shown, "h2d     x (4)")
    has(shown, "host    4\n  device  3")
    has(shown, "taken back: host.x = 4")
    has(shown, "host    3\n  device  3")
    has(shown, 'acc "data copy(x)"')
    assert.equal(0, #failures)
  end)

  it("that fail change nothing, though a part of them ran", function()
    local shown, failures = statements { 'declare "int x = 3;"',
      'for i = 1, 2 do host.x = 10 * i if i == 2 then acc "data copy(nothing)" end end', "x" }
    has(shown, "there is no variable 'nothing'")
    has(shown, "host    3")
    assert.equal(1, #failures)
    assert.equal("unknown-name", failures[1].error.code)
  end)

  it("that never end are stopped", function()
    local shown, failures = statements { 'declare "int x = 3;"', "host.x = 5", "while true do end", "x" }
    has(shown, "error[limit]")
    has(shown, "host    5")
    assert.equal(1, #failures)
  end)

  it("may take as many steps each, when they are done again, too", function()
    local long = "for i = 1, 5000 do host.x = i end"
    local shown, failures = statements { 'declare "int x = 3;"', long, long, "host.x = 7", "undo", "x" }
    assert.equal(0, #failures)
    has(shown, "host    5000")
  end)

  it("that cannot be done again are told", function()
    local pi = math.pi
    local function set(n) rawset(math, "pi", n) end
    finally(function() set(pi) end)
    local shown = statements { 'declare "int x = 3;"', "host.x = math.pi > 3.1 and 5 or error 'flat'", "host.x = 6",
      "host.x = 7", function() set(3) end, "undo", "x", "history" }
    has(shown, "could not be done again:\n   2  host.x = math.pi")
    has(shown, "   3  host.x = 6")
    has(shown, "host    3")
  end)

  it("follow a file that fails, where it fails", function()
    local shown = statements({ "x", "acc end data", "x", "undo", "x" },
      'declare "int x = 1;" acc "data copy(x)" (function() acc "parallel" "x = 2;" error "no" end)')
    has(shown, "error[scenario-error]: no")
    assert.equal(2, select(2, shown:gsub("host    1\n  device  2", "")))
    has(shown, "host    2\n  device  <not-present>")
  end)
end)

describe("what is typed", function()
  it("becomes literals of Lua", function()
    for _, text in ipairs { "data copy(X)", 'say "x"', "two\nlines", "a]]b", "a]=]b]]", "end]", "back\\slash", "\n" } do
      assert.equal(text, load("return " .. input.quote(text))())
    end
  end)

  it("is told apart", function()
    assert.same({ "acc", "data copy(X)", false }, { input.directive "#pragma acc data copy(X)" })
    assert.same({ "acc", "parallel loop", true }, { input.directive "  !$acc parallel loop" })
    assert.same({ "omp", "target map(x)", true }, { input.directive "omp target map(x)" })
    assert.same({ "omp", "target enter data map(x)", false }, { input.directive "omp target enter data map(x)" })
    assert.is_nil(input.directive 'acc "data copy(X)"')
    assert.is_nil(input.directive "account x")
    assert.is_nil(input.directive "acc = 3")
    assert.is_true(input.is_command " X.a")
    assert.is_false(input.is_command "(X)")
    assert.is_false(input.is_command " = 3")
    assert.equal("incomplete", (input.compile("for i = 1, 2 do", "=", {})))
    assert.equal("wrong", (input.compile("x y", "=", {})))
  end)
end)

describe("values as text", function()
  it("are short, and tell floats of either precision apart", function()
    assert.equal("0.1", value_text.text(string.unpack("f", string.pack("f", 0.1))))
    assert.equal("0.123456789012345", value_text.text(0.123456789012345))
    assert.equal("0.30000000000000004", value_text.text(0.1 + 0.2))
    for _, v in ipairs { 1 / 3, 0.1 + 0.7, 2 ^ 53 - 1, 1e300 / 7, string.unpack("f", string.pack("f", 1 / 3)) } do
      local text = value_text.text(v)
      assert.is_true(tonumber(text) == v or string.unpack("f", string.pack("f", tonumber(text))) == v, text)
    end
    assert.equal("3", value_text.text(3.0))
    assert.equal("inf", value_text.text(math.huge))
    assert.equal("{1, 2}", value_text.text { 1, 2 })
    assert.equal('{a = "x"}', value_text.text { a = "x" })
    assert.equal('{1, 2, x = 3}', value_text.text { 1, 2, x = 3 })
    local mixed = { "a", [0] = 7, ["1"] = "b", [true] = false }
    assert.equal('{"a", ["1"] = "b", [0] = 7, [true] = false}', value_text.text(mixed))
    assert.is_true(#value_text.text(("x"):rep(5000)) < 1100)
    local long = {}
    for i = 1, 100 do long[i] = i end
    has(value_text.text(long), "... 84 more")
    long.name = 1
    has(value_text.text(long), "... 85 more")
  end)
end)
