-- steps_spec.lua - test programs as data: their regions, their texts in C and as a scenario, shorter ones, execution.

local c_writer = require "accdeep.steps.c_writer"
local runner = require "accdeep.steps.runner"
local scenario_writer = require "accdeep.steps.scenario_writer"
local session = require "accdeep.run.session"
local shrink = require "accdeep.steps.shrink"
local steps = require "accdeep.steps"

local program = {
  { kind = "host", text = "a[0] = 3" },
  { kind = "acc", text = "#pragma acc data \\\n  copy(a)" },
  { kind = "acc", text = "parallel present(a)", body = "a[0] += 1;\nif (a[0])\n  a[1] = 2;" },
  { kind = "acc", text = "parallel loop", body = "for (int i = 0; i < 2; i++) a[i] *= 10;" },
  { kind = "end" },
  { kind = "print", text = "a[0]", label = "sum" },
}

describe("steps", function()
  it("takes what a directive is from the tables", function()
    assert.equal("host_data", steps.opens { kind = "acc", text = "host_data use_device(a)" }[1])
    assert.equal("target data", steps.opens { kind = "omp", text = "omp  target data map(a)" }[1])
    assert.equal("data", steps.opens { kind = "acc", text = "!$acc data copy(a)" }[1])
    assert.is_nil(steps.opens { kind = "acc", text = "enter data copyin(data)" })
    assert.is_nil(steps.opens { kind = "host", text = "data copyin(a)" })
    assert.equal("acc exit data delete finalize", steps.family { kind = "acc", text = "Exit data DELETE(a) finalize" })
  end)

  it("finds the end of a region inside of others", function()
    local data, ending = { kind = "acc", text = "data copy(a)" }, { kind = "end" }
    assert.equal(4, steps.end_of({ data, data, ending, ending }, 1))
    assert.is_nil(steps.end_of({ data, data, ending }, 1))
    assert.is_nil(steps.end_of({ ending, data }, 1))
  end)

  it("writes C", function()
    assert.same({
      "a[0] = 3;", "#pragma acc data copy(a)", "{", "    #pragma acc parallel present(a)", "    {",
      "        a[0] += 1;", "        if (a[0])", "          a[1] = 2;", "    }", "    #pragma acc parallel loop",
      "    for (int i = 0; i < 2; i++) a[i] *= 10;", "}", 'printf("sum %g\\n", a[0]);' }, c_writer.lines(program, 0))
  end)

  it("writes a scenario", function()
    local text = scenario_writer.write { scenario = { rules = { base = "tr14", fusion = false }, devices = 2 },
      declarations = "int a[2];", steps = program }
    assert.equal([[
scenario { devices = 2, rules = { base = "tr14", fusion = false } }
declare [=[
int a[2];
]=]
host "(a[0] = 3)"
acc "#pragma acc data \\\
  copy(a)"
acc "parallel present(a)" "a[0] += 1;\
if (a[0])\
  a[1] = 2;"
acc "parallel loop" "for (int i = 0; i < 2; i++) a[i] *= 10;"
acc "end data"
print(("sum %g"):format(host.a[0]))
]], (text:gsub("%[%[", "[=["):gsub("%]%]", "]=]")))
  end)

  it("leaves blocks of C and ends without a region out of a scenario", function()
    local ending = { kind = "end" }
    assert.same({ 'acc "data copy(a)"', 'acc "end data"' }, scenario_writer.lines { { kind = "acc",
      text = "data copy(a)" }, { kind = "begin" }, { kind = "c", text = "f();" }, ending, ending, ending })
  end)

  it("writes the construct of a kernel", function()
    local kernel = { kind = "kernel", text = "a[0] = 1;" }
    kernel.construct = steps.construct(kernel, true)
    assert.same({ "#pragma omp target", "{", "    a[0] = 1;", "}" }, c_writer.lines({ kernel }, 0))
    assert.same({ 'omp "target" "a[0] = 1;"' }, scenario_writer.lines { kernel })
  end)

  it("executes steps in a session", function()
    local s = session.new {}
    s:declare("int a[2];", "steps", 1)
    local run = runner.new(s)
    for i = 1, 3 do run:run(program[i]) end
    assert.equal(3, s:value(s:host_env(), "a[0]"))
    run:run { kind = "end" }
    assert.equal(4, s:value(s:host_env(), "a[0]"))
    assert.equal("region-nesting", select(2, pcall(run.run, run, { kind = "end" })).code)
    run:run(program[2])
    run:close_regions()
    assert.same({}, run.open)
    s:close()
  end)

  it("shortens a list, and removes a region with its end", function()
    local function fails(list) return list[#list] == program[6] end
    assert.same({ program[6] }, shrink.shortest(program, fails, steps.end_of))
    local function balanced(list)
      local depth = 0
      for _, step in ipairs(list) do depth = depth + steps.depth_change(step) end
      return depth == 0 and list[1] ~= nil
    end
    assert.same({ program[6] }, shrink.shortest({ program[2], program[5], program[2], program[1], program[5],
      program[6] }, balanced, steps.end_of))
  end)
end)
