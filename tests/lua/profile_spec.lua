-- What is told about rule profiles against what they decide.
local rules = require "accdeep.catalogue.rules"
local core = require "accdeep.core"
local knobs = require "accdeep.see.reference.knobs"
local profile = require "accdeep.see.profile_page"
local described = require "accdeep.see.reference.profiles"
local profiles = require "accdeep.catalogue.profiles"
local scenario = require "accdeep.script.scenario"

local function sorted(names)
  table.sort(names)
  return names
end

-- Whether a scenario holds under a profile.
local function holds(text, name)
  local record = scenario.run("example.lua", text, { rules = name, out = function() end })
  return record.cases[1].ok, record.cases[1].error
end

describe("what is told about a rule profile", function()
  it("is told about all of them", function()
    local names = {}
    for i, entry in ipairs(described) do names[i] = entry.name end
    assert.same(profiles.names(), sorted(names))
  end)

  for _, entry in ipairs(described) do
    it("covers all that decides: " .. entry.name, function()
      local settings, own = profile.settings(entry.name)
      local decided, names = {}, {}
      for name in pairs(settings) do decided[#decided + 1] = name end
      for i, knob in ipairs(knobs) do
        names[i] = knob.name
        assert.truthy(profile.meaning(knob, settings[knob.name]), knob.name)
      end
      assert.same(sorted(decided), sorted(names))
      -- what a profile has besides is its name, or follows from that
      for name in pairs(own) do
        local derived = { name = true, base = true, core = true, is_openmp = true, openmp = true, documents = true }
        assert.is_true(settings[name] ~= nil or derived[name] or false, name)
      end
    end)

    it("is shown by an example that another profile refuses: " .. entry.name, function()
      local ok, err = holds(entry.example, entry.name)
      assert.is_true(ok, tostring(err))
      assert.is_false((holds(entry.example, entry.against)))
    end)

    it("says what differs, and nothing twice: " .. entry.name, function()
      local text = profile.text(entry.name)
      assert.matches("^" .. entry.name:gsub("%p", "%%%0") .. ": ", text)
      local seen = {}
      for name in text:gmatch "\n  ([%w_]+) = " do
        assert.is_nil(seen[name], name)
        seen[name] = true
      end
      assert.is_true(seen.again and seen.stale)
    end)
  end

  it("takes the values of knobs that a scenario may set", function()
    for _, knob in ipairs(knobs) do
      for _, value in ipairs(knob.values) do
        local ok = pcall(profiles.profile, { base = "tr14", [knob.name] = value[1] })
        assert.equal(knob.scenario or false, ok, ("%s = %s"):format(knob.name, value[1]))
      end
    end
  end)

  it("cites rules that there are", function()
    for _, knob in ipairs(knobs) do
      for id in knob.rules:gmatch "%S+" do assert.is_true(rules.has(id), id) end
    end
  end)

  it("knows no profile that there is not", function()
    assert.is_nil(core.profile "openacc-9")
    assert.is_false((pcall(profile.text, "openacc-9")))
  end)
end)
