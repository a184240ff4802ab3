-- version_checks.lua - checks that directives use the spellings of the version that the rules assume. Called by
-- openacc_sema.lua and openmp_sema.lua.
--
-- Input: the versions of the rules and of the spelling. Output: none; a spelling of another version is an error.

local diagnostic = require "accdeep.base.diagnostic"
local profiles = require "accdeep.definitions.profiles"

local standards = {
  openacc = { name = "OpenACC", code = "unsupported", rule = "ACC34-ver-1" },
  openmp = { name = "OpenMP", code = "clause-not-allowed", rule = "OMP60-ver-1" },
}

-- Returns a version number such as 52 as text: "5.2".
local function text(number) return ("%d.%d"):format(number // 10, number % 10) end

-- Raises if `version` of the rules does not have `feature`; does nothing if `version` is nil. standard: "openacc" or
-- "openmp". feature: its name in the message. first: the version that introduced the feature or, if negative, minus the
-- version that removed it. pos, length: the text to mark. help: help text for a removed feature, or nil. Decides
-- OMP60-ver-1, ACC34-ver-1.
local function version_checks(standard, version, first, feature, pos, length, help)
  if not version or first >= 0 and version >= first or first < 0 and version < -first then return end
  local document = standards[standard]
  local message = ("%s is not in %s %s"):format(feature, document.name, text(version))
  if first >= 0 then
    message = ("%s is of %s %s, and the rules are those of %s"):format(feature, document.name, text(first),
      text(version))
    help = ('scenario { rules = "%s" }'):format(profiles.first(standard, first))
  end
  diagnostic.raise(document.code, pos, message, { length = length, rule = document.rule, help = help })
end

return version_checks
