-- The page about programs on which profiles differ: what programs of two words show. The weekly test has all of it.
local disagreements = require "docs.disagreements"

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

describe("the page about disagreements", function()
  local page = read(disagreements.page)
  local _, rows = disagreements.files(".", 2)

  it("has all differences that programs of two words show", function()
    local seen = 0
    for _, row in ipairs(rows) do
      if row.knobs < 2 then -- which others are left out depends on longer programs
        assert.truthy(page:find(row.text, 1, true), "out of date: make disagreements\n" .. row.text)
        seen = seen + 1
      end
    end
    assert.is_true(seen > 15)
  end)

  it("has no other short programs", function()
    local texts = {}
    for _, row in ipairs(rows) do texts[row.text:match "```lua\n(.-)```"] = true end
    for code in page:gmatch "```lua\n(.-)```" do
      local _, lines = code:gsub("\n", "")
      assert.is_true(lines > 2 or texts[code] == true, code)
    end
  end)

  it("has programs that the scenarios have", function()
    for vocabulary, code in page:gmatch "%[([%w-]+)%.lua%]%([^)]*%):\n\n```lua\n(.-)```" do
      local scenario = read(("spec/disagreements/%s.lua"):format(vocabulary))
      assert.truthy(scenario:find("    " .. code:gsub("\n(.)", "\n    %1"), 1, true), code)
    end
  end)
end)
