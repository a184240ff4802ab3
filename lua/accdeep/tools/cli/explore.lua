-- explore.lua - `accdeep explore`: all programs of a vocabulary.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local explore = lazy.require "accdeep.tools.explore"

local function profile_list(text)
  local list = {}
  for name in text:gmatch "[^,]+" do
    local known, problem = common.profile(name)
    if not known then return nil, problem end
    list[#list + 1] = known
  end
  return list
end

local function shard(text)
  local i, n = text:match "^(%d+)/(%d+)$"
  i, n = tonumber(i), tonumber(n)
  if not i or i < 1 or i > n then return nil, ("'%s' is not a shard like 1/4"):format(text) end
  return { i, n }
end

local function options(command)
  command:argument("files", "A scenario whose last statement is a vocabulary; with --merge, results."):args "+"
    :argname "<file>"
  command:option("--bound", "Words of the longest programs."):convert(common.whole)
  command:option("--rules", "Rule profiles, separated by commas: two or more are compared; all: every profile.")
    :convert(function(text) return text == "all" and "all" or profile_list(text) end)
  command:flag("--counters", "Compare reference and attach counters, too.")
  command:flag("--hold", "Check properties that must hold of all programs.")
  command:option("--jobs", "Processes to explore in."):default "1":convert(common.whole)
  command:option("--shard", "Explore part I of N."):argname "<i/n>":convert(shard)
  command:option("--out", "File for results. An interrupted run is continued with --resume."):argname "<file>"
  command:flag("--resume", "Continue the run whose results are in the file of --out.")
  command:flag("--merge", "Join results of shards.")
  command:option("--limit", "Directives at most."):default "100000000":convert(common.whole)
end

return { about = "Carry out all programs of a vocabulary.", options = options,
  run = function(chosen) return explore.run(chosen) end }
