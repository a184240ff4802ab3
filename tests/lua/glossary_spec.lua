-- The glossary: `accdeep explain TERM` knows every term and its other forms; what terms refer to is there.
local glossary = require "accdeep.inspect.glossary"
local rules = require "accdeep.definitions.rules"
local terms = require "accdeep.definitions.terms"

local function sentences_of(text)
  local list = {}
  for sentence in (text .. " "):gmatch "(.-[.!?]) " do list[#list + 1] = sentence end
  assert.equal(text, table.concat(list, " "))
  return list
end

local function words_in(text) return select(2, text:gsub("%S+", "")) end

describe("the glossary", function()
  it("is in the order of the alphabet, and has each name once", function()
    local seen, before = {}, ""
    for _, entry in ipairs(terms) do
      assert.is_true(before < entry[1], entry[1])
      before = entry[1]
      for _, name in ipairs { entry[1], table.unpack(glossary.list(entry.also)) } do
        assert.is_nil(seen[name], name)
        seen[name] = true
      end
    end
  end)

  it("explains every term and its other forms, whatever the case", function()
    for _, entry in ipairs(terms) do
      local text = glossary.text(entry[1])
      assert.equal(entry[1] .. "  ", text:sub(1, #entry[1] + 2))
      assert.truthy(text:gsub("%s+", " "):find(entry.text, 1, true), entry[1])
      for _, name in ipairs(glossary.list(entry.also)) do assert.equal(text, glossary.text(name), name) end
      assert.equal(text, glossary.text((entry[1]:upper():gsub(" ", "-"))))
      assert.equal(text, glossary.text((entry[1]:gsub(" ", "_"))))
    end
    for plural, term in pairs { ["Attach Counters"] = "attach counter", policies = "policy", aliases = "@" } do
      assert.equal(glossary.text(term), glossary.text(plural), plural)
    end
    assert.is_nil(glossary.text "nesst")
  end)

  it("is in one to three sentences each, of 15 words on average and 30 at most", function()
    local words, count = 0, 0
    for _, entry in ipairs(terms) do
      local list = sentences_of(entry.text)
      assert.is_true(#list >= 1 and #list <= 3, entry[1])
      for _, sentence in ipairs(list) do
        assert.is_true(words_in(sentence) <= 30, sentence)
        words, count = words + words_in(sentence), count + 1
      end
    end
    assert.is_true(words / count <= 15, words / count)
  end)

  it("cites rules that there are, and refers to other terms", function()
    local known = {}
    for _, entry in ipairs(terms) do known[entry[1]] = true end
    for _, entry in ipairs(terms) do
      assert.is_true(entry.rule == nil or rules.has(entry.rule), entry.rule)
      local related = glossary.list(entry.see)
      assert.is_true(#related > 0, entry[1])
      for _, name in ipairs(related) do assert.is_true(known[name] and name ~= entry[1], name) end
    end
  end)
end)
