-- What is told about rule profiles against what they decide.
local rules = require "accdeep.definitions.rules"
local core = require "accdeep.core"
local knobs = require "accdeep.definitions.knobs"
local profile_page = require "accdeep.inspect.profile_page"
local profile_descriptions = require "accdeep.inspect.reference.profile_descriptions"
local profiles = require "accdeep.definitions.profiles"
local scenario = require "accdeep.script.scenario"

local function sorted(names)
  table.sort(names)
  return names
end

-- Directives whose errors, if any, leave no region open.
local STEPS = [=[
declare "struct vector { int n; float *data; } v, w; float z[20];"
host.v = { n = 2, data = { 1, 2 } }
for _, language in ipairs { acc, omp } do
  for _, text in ipairs { "enter data copyin(v)", "enter data copyin(v.data[0:2])", "enter data attach(v.data)",
    "enter data copyin(z[0:4])", "enter data copyin(z[2:4])", "update self(z[0:6])", "update device(v)",
    "exit data delete(z[0:2])", "exit data detach(v.data)", "exit data copyout(v.data[0:2])", "exit data delete(v)",
    "target enter data map(to: v, v.data[0:2])", "target update from(v)", "target exit data map(release: v, z)" } do
    local ok, problem = pcall(language, text)
    expect(ok or problem.code ~= "internal" and problem.code ~= "misuse", text)
  end
end
]=]

-- Whether a scenario holds under a profile.
local function holds(text, name)
  local record = scenario.run("example.lua", text, { rules = name, out = function() end })
  return record.cases[1].ok, record.cases[1].error
end

describe("what is told about a rule profile", function()
  it("is told about all of them", function()
    local names = {}
    for i, entry in ipairs(profile_descriptions) do names[i] = entry.name end
    assert.same(profiles.names(), sorted(names))
  end)

  for _, entry in ipairs(profile_descriptions) do
    it("covers all that decides: " .. entry.name, function()
      local settings, decided = profiles.profile(entry.name), {}
      for _, knob in ipairs(knobs) do
        decided[knob.name] = true
        assert.truthy(profile_page.meaning(knob, settings[knob.name]), knob.name)
      end
      -- what a profile has besides is its name, or follows from that
      for name in pairs(settings) do
        local derived = { name = true, base = true, core = true, is_openmp = true, openacc = true, openmp = true,
          documents = true, changed = true }
        assert.is_true(decided[name] or derived[name] or false, name)
      end
    end)

    it("may be changed by each knob alone: " .. entry.name, function()
      for _, knob in ipairs(knobs) do
        for _, value in ipairs(knob.values) do
          local record = scenario.run("changed.lua", STEPS, { out = function() end,
            rules = { base = entry.name, [knob.name] = value[1] } })
          local case = record.cases[1]
          assert.is_true(case.ok, ("%s = %s: %s"):format(knob.name, value[1], case.error))
        end
      end
    end)

    it("is shown by an example that another profile refuses: " .. entry.name, function()
      local ok, err = holds(entry.example, entry.name)
      assert.is_true(ok, tostring(err))
      assert.is_false((holds(entry.example, entry.against)))
    end)

    it("says what differs, and nothing twice: " .. entry.name, function()
      local text = profile_page.text(entry.name)
      assert.matches("^" .. entry.name:gsub("%p", "%%%0") .. ": ", text)
      local seen = {}
      for name in text:gmatch "\n  ([%w_]+) = " do
        assert.is_nil(seen[name], name)
        seen[name] = true
      end
      assert.is_true(seen.again and seen.stale)
    end)
  end

  it("is shown by scenarios for each knob and value", function()
    local cases = {}
    for _, path in ipairs { "spec/language/knobs.lua", "spec/flang/knobs.lua" } do
      local file = assert(io.open(path))
      for _, case in ipairs(scenario.run(path, file:read "a", { out = function() end }).cases) do
        cases[case.name:match "^%l+: ([%w_]+ = [%w_\"-]+)" or ""] = case.ok
      end
      file:close()
    end
    for _, knob in ipairs(knobs) do
      for _, value in ipairs(knob.values) do
        local shown = ("%s = %s"):format(knob.name, value[1])
        local programs = knob.about:find "^real programs: "
        assert.is_true(cases[shown] or cases[shown:gsub("= (.*)$", '= "%1"')] or programs ~= nil, shown)
      end
    end
  end)

  it("cites rules that there are", function()
    for _, knob in ipairs(knobs) do
      for id in knob.rules:gmatch "%S+" do assert.is_true(rules.has(id), id) end
    end
  end)

  it("is the same table for each session, and the caller's own where knobs are changed", function()
    assert.equal(profiles.profile "openmp-5.2", profiles.profile "openmp-5.2")
    local changed = profiles.profile { base = "openmp-5.2", stale = "ignore", unmatched = "null" }
    assert.same({ "changed openmp-5.2", "ignore", "null" }, { changed.name, changed.stale, changed.unmatched })
    local own = profiles.profile "openmp-5.2"
    assert.same({ "openmp-5.2", "reject", "host" }, { own.name, own.stale, own.unmatched })
    assert.same({ base = "openmp-5.1" }, profiles.for_core(own))
    assert.same({ base = "openmp-5.1", stale = "ignore" }, profiles.for_core(changed))
  end)

  it("is asked for by a name or a table", function()
    for _, wanted in ipairs { "false", "14", "{ base = {} }" } do
      local text = ("scenario { rules = %s }"):format(wanted)
      local err = scenario.run("example.lua", text, { out = function() end }).cases[1].error
      assert.same({ "type-mismatch", "HOUSE-knobs", "known are directory, " },
        { err.code, err.rule, err.help:sub(1, 21) })
    end
  end)

  it("knows no profile that there is not", function()
    assert.is_nil(core.profile "openacc-9")
    assert.is_false((pcall(profile_page.text, "openacc-9")))
  end)
end)
