-- Random class hierarchies: size, alignment and member offsets must equal those of g++ and clang++. If accdeep
-- refuses a class because compilers disagree, they must disagree. ACCDEEP_SEED and ACCDEEP_ROUNDS select other runs.

scenario { title = "layouts of random classes", cites = { "HOUSE-layout" } }

package.path = "tests/random/?.lua;" .. package.path

local session = require "accdeep.run.session"
local types = require "accdeep.types"
local layout_world = require "layout_world"

local seed = tonumber(os.getenv "ACCDEEP_SEED") or os.time()
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 200
local MOST = 500 -- hierarchies per program

local compilers = {}
for _, name in ipairs { "g++", "clang++" } do
  if os.execute("command -v " .. name .. " >/dev/null") then compilers[#compilers + 1] = name end
end
if #compilers == 0 then
  print "neither g++ nor clang++ is here"
  os.exit(77)
end

local compared, refused = 0, 0

-- Returns accdeep's layout of a class in the same form; or nil and the error if it refuses the class.
local function computed(s, class, number)
  local ok, err = pcall(s.declare, s, ("namespace h%d {\n%s}\ntypedef %s X%d_%s;\n"):format(number, class.text,
    class.spelled, number, class.name))
  if not ok then return nil, err end
  local t = s.now.scope.typedefs[("X%d_%s"):format(number, class.name)]
  local list = { t.size, t.align }
  for i, name in ipairs(class.members) do list[i + 2] = types.member(t, name).offset end
  return table.concat(list, " ")
end

local function check(hierarchies, said)
  for number, classes in ipairs(hierarchies) do
    local s = session.new { rules = "tr14" }
    for i, class in ipairs(classes) do
      local mine, err = computed(s, class, number)
      if not mine and err.code == "unsupported" then
        refused = refused + 1
        local first = said[1][number][i]
        local other = said[2] and said[2][number][i]
        if other and first == other then -- nested objects may differ inside
          error(("seed %d: class %s is refused, compilers agree:\n%s"):format(seed, class.name,
            layout_world.text(classes, number)))
        end
        break
      end
      for c, compiler in ipairs(compilers) do
        if mine ~= said[c][number][i] then
          error(("seed %d: %s is\n  %s by %s,\n  %s by accdeep\n%s"):format(seed, class.spelled, said[c][number][i],
            compiler, mine or tostring(err), layout_world.text(classes, number)))
        end
      end
      compared = compared + 1
    end
    s:close()
  end
end

math.randomseed(seed)
local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))
local ok, err = pcall(function()
  for at = 1, rounds, MOST do
    local hierarchies, said = {}, {}
    for i = 1, math.min(MOST, rounds - at + 1) do hierarchies[i] = layout_world.hierarchy(i, 7) end
    local text = layout_world.program(hierarchies)
    for i, compiler in ipairs(compilers) do
      said[i] = assert(layout_world.compiled(compiler, text, folder), compiler .. " does not take the program")
    end
    check(hierarchies, said)
  end
end)
os.execute("rm -r " .. folder)
if not ok then error(err, 0) end
print(("seed %d: %d hierarchies, %d classes as %s, %d refused"):format(seed, rounds, compared,
  table.concat(compilers, " and "), refused))
