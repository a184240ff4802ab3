-- The table of titles for the runtime of real programs: sorted as C compares, for its binary search.
local rules = require "accdeep.definitions.rules"

describe("the table of rule titles in C", function()
  local path = os.tmpname()
  assert(os.execute(("lua5.4 lua/rule_titles.lua %s spec/rules/*.lua"):format(path)))
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  os.remove(path)

  it("has every rule, sorted by id", function()
    local last, count = "", 0
    for id, title in text:gmatch '\n    {"([^"]+)", "(.-)"},' do
      assert.is_true(last < id, id)
      assert.equal(rules.title(id), (title:gsub("\\(.)", "%1")))
      last, count = id, count + 1
    end
    local all = 0
    for _, document in ipairs(rules.all()) do all = all + #document.rules end
    assert.equal(all, count)
  end)
end)
