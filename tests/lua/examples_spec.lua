-- The list of examples that the program prints.
local examples = require "accdeep.tools.cli.examples"

describe("the list of examples", function()
  it("has every scenario and every wrong program of examples/, and no file that is not there", function()
    local listed = {}
    for _, path in ipairs(examples.paths()) do
      assert.is_nil(listed[path], path)
      listed[path] = true
      assert(io.open("examples/" .. path)):close()
    end
    local scenarios = io.popen "cd examples && ls *.lua tutorial/*.lua explore/*.lua wrong-results/*"
    for path in assert(scenarios):lines() do assert.is_true(listed[path], path .. " is not listed") end
    scenarios:close()
  end)
end)
