-- Exploring each state once finds the differences that carrying out every program finds, and their smallest programs.
local profile_differences = require "accdeep.tools.explore.profile_differences"
local explore = require "accdeep.tools.explore"
local search = require "accdeep.tools.explore.search"

-- Differences by what they are, and the number of classes. every: each program is a class of its own.
local function differences(path, bound, rules, every)
  local made = explore.open(path, { bound = bound, rules = rules })
  local found, _, observe = profile_differences.collect(made.names, made.actions, made.parts, function() end)
  local one = search.new(made.systems, made.actions, made.parts, { differ = observe })
  local n = 0
  if every then
    function one.key()
      n = n + 1
      return n
    end
  end
  one:run(bound, { visit = function(_, level, first, _, last)
    for i = first, #level do one:extend(level[i], last) end
  end })
  local lengths = {}
  for _, difference in ipairs(found) do lengths[difference.key] = #difference.program end
  explore.close(made)
  return lengths, one.classes
end

describe("exploring each state once", function()
  for _, one in ipairs {
    { "attach", 3, { "openacc-3.3", "libgomp-12" } },
    { "attach", 3, { "tr14", "openacc-2.0", "openacc-3.3" } },
    { "levels", 3, { "directory", "openacc-3.3" } },
    { "deep", 3, { "tr14", "openacc-3.3" } },
    { "openmp", 2, { "openmp-4.0", "openmp-5.1", "openmp-6.0", "indirect" } },
    { "fortran", 3, { "openacc-3.3", "libgomp-12" } },
  } do
    local name, bound, rules = table.unpack(one)
    it(("finds all differences of %s in %s"):format(table.concat(rules, ", "), name), function()
      local path = ("examples/explore/%s.lua"):format(name)
      local found, classes = differences(path, bound, rules, false)
      local all, programs = differences(path, bound, rules, true)
      assert.same(all, found)
      assert.is_true(next(all) ~= nil and classes < programs)
    end)
  end
end)

describe("tr14", function()
  -- Without shapes, and with the answers that OpenACC 2.0 gives.
  local plain = "tr14+again=reject+still_attached=ignore+pointer_changed=ignore+members=ignored+descriptors=false"
  for _, name in ipairs { "attach", "levels", "fortran" } do
    it("differs from OpenACC 2.0 in five knobs alone: " .. name, function()
      local path = ("examples/explore/%s.lua"):format(name)
      assert.same({}, (differences(path, 3, { plain, "openacc-2.0" }, false)))
      assert.is_true(next((differences(path, 3, { "tr14", "openacc-2.0" }, false))) ~= nil)
    end)
  end
end)
