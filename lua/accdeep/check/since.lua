-- since.lua - what stands in directives and is of a later version than the rules.

local diagnostic = require "accdeep.base.diagnostic"
local profiles = require "accdeep.catalogue.profiles"

local standards = {
  openacc = { name = "OpenACC", code = "unsupported", rule = "ACC34-ver-1" },
  openmp = { name = "OpenMP", code = "clause-not-allowed", rule = "OMP60-ver-1" },
}

local function text(number) return ("%d.%d"):format(number // 10, number % 10) end

-- Raises if what stands at pos is later than the version of a standard that the rules are of (nil: they are of none).
-- Decides OMP60-ver-1, ACC34-ver-1.
local function since(standard, version, first, what, pos, length)
  if not version or version >= first then return end
  local says = standards[standard]
  diagnostic.raise(says.code, pos, ("%s is of %s %s, and the rules are those of %s"):format(what, says.name,
    text(first), text(version)), { length = length, rule = says.rule,
    help = ('scenario { rules = "%s" }'):format(profiles.first(standard, first)) })
end

return since
