-- explore - all programs of a vocabulary: what `accdeep explore` does.

local common = require "accdeep.tools.cli.common"
local core = require "accdeep.core"
local differ = require "accdeep.tools.explore.differ"
local program = require "accdeep.tools.explore.program"
local profiles = require "accdeep.catalogue.profiles"
local progress = require "accdeep.base.progress"
local search = require "accdeep.tools.explore.search"
local world = require "accdeep.tools.explore.world"

local explore = {}

-- A number with commas between thousands.
local function grouped(n)
  local text = ("%d"):format(n)
  local first = #text % 3
  local parts = { first > 0 and text:sub(1, first) or nil }
  for at = first + 1, #text, 3 do parts[#parts + 1] = text:sub(at, at + 2) end
  return table.concat(parts, ",")
end

-- The lines of a scenario before its vocabulary.
local function declarations(source, line)
  local lines = {}
  for row in (source.text .. "\n"):gmatch "(.-)\n" do
    if #lines == line - 1 then break end
    lines[#lines + 1] = row
  end
  return table.concat(lines, "\n") .. "\n"
end

local function report_levels(found, levels)
  for n, level in ipairs(levels) do
    found[#found + 1] = ("-- %d words: %s programs, %s classes"):format(n, grouped(level.programs), grouped(level.classes))
  end
end

-- Opens the worlds of a search. names: of profiles; false: the scenario's own.
local function worlds_of(source, names)
  local worlds = {}
  for k, name in ipairs(names) do worlds[k] = world.open(source.file, source.text, name or nil) end
  local words = program.words(worlds[1].vocabulary)
  for _, one in ipairs(worlds) do one:prepare(words) end
  return worlds, words
end

function explore.run(chosen)
  local source = { file = chosen.files[1] }
  source.text = common.scenario(source.file)
  local names = chosen.rules == "all" and profiles.names() or chosen.rules or { false }
  local worlds, words = worlds_of(source, names)
  local bound = chosen.bound or worlds[1].vocabulary.bound
  local parts = differ.parts(chosen.counters)
  local found, add = differ.observer(names, words, parts)
  local levels, line = {}, progress.new(false)
  local one = search.new(worlds, words, parts, { differ = add, level = function(n, made)
    levels[n] = { programs = made.programs, classes = made.classes }
  end })
  local begun = core.clock()
  local why = one:run(bound, { limit = chosen.limit, progress = function(n, i, all, directives, seconds)
    line:show("%d words: %d of %d, %s directives a second, %d s left", n, i, all,
      grouped(directives // math.max(core.clock() - begun, 0.001)), seconds / i * (all - i))
  end })
  line:hide()
  local seconds = core.clock() - begun
  local out = {}
  out[#out + 1] = ("-- %s: %d words, programs of up to %d: %s directives in %.1f s, %s a second"):format(source.file, #words,
    bound, grouped(one.directives), seconds, grouped(math.floor(one.directives / seconds)))
  report_levels(out, levels)
  for _, made in ipairs(worlds) do made:close() end
  local status = 0
  if #names > 1 then
    local groups = differ.grouped(found, source, words, parts)
    out[#out + 1] = ("-- %d differences of %s"):format(#groups, table.concat(names, ", "))
    out[#out + 1] = declarations(source, worlds[1].vocabulary.line)
    for _, group in ipairs(groups) do out[#out + 1] = differ.case(group, words, parts) end
    status = #groups > 0 and 1 or 0
  end
  common.out(table.concat(out, "\n") .. "\n")
  if why then
    common.err("accdeep: " .. why .. "\n")
    return 3
  end
  return status
end

return explore
