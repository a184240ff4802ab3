-- rule_text.lua - texts about an error code or a rule, for `accdeep explain`.

local rules = require "accdeep.definitions.rules"
local error_codes = require "accdeep.base.error_codes"
local conformance = require "accdeep.definitions.conformance"
local diagnostic = require "accdeep.base.diagnostic"
local report = require "accdeep.base.report"

local rule_text = {}

local MAX_LISTED = 12 -- limit of listed rules, scenarios and source locations

-- Descriptions by phase of an error.
local PHASES = { text = "a syntax error", static = "a semantic error", run = "a run-time error",
  environment = "an error of the environment", internal = "an error of accdeep itself",
  finding = "a report of accdeep exec" }

-- Source locations where rules are decided and cited, made by lua/places.lua at build time; empty if accdeep runs from
-- its source tree, which has no such module.
local _, source_locations = pcall(require, "accdeep.rules.places")
if type(source_locations) ~= "table" then source_locations = { rules = {}, decided = {}, codes = {} } end

-- Returns a list of the conformance cases for which fits(case) is true. If the scenarios are not installed, returns an
-- empty list and the reason as text.
local function cases_with(fits)
  local ok, cases = pcall(conformance.cases)
  if not ok then return {}, cases.message end
  local list = {}
  for _, case in ipairs(cases) do
    if fits(case) then list[#list + 1] = case end
  end
  return list
end

-- Appends at most MAX_LISTED entries of `list` to the lines `out`, and how many more there are. text(entry) returns the
-- text of an entry.
local function format_list(list, text, out)
  for i, item in ipairs(list) do
    if i > MAX_LISTED then
      out[#out + 1] = ("    and %d more"):format(#list - MAX_LISTED)
      break
    end
    out[#out + 1] = "    " .. text(item)
  end
end

-- Returns the location and the name of a conformance case as text.
local function case_place(case) return ("%s:%d  %s"):format(case.file, case.line, case.name) end

-- Returns a predicate of conformance cases: true if the case expects an error with the code `code`.
local function expects(code)
  local quoted = '"' .. code .. '"'
  return function(case)
    return case.text:find("expect%.fails%(" .. quoted:gsub("%p", "%%%0")) ~= nil
      or case.text:find("expect%.invalid%b()") and case.text:find(quoted, 1, true) ~= nil
      or case.text:find("expect%.malformed%b()") and code == "syntax"
  end
end

-- Returns a sorted list of the rules that errors with the code `code` cite. They come from error_codes.lua or from the
-- sources; if both have none, from the rules that `cases` cite. accdeep's own rule for the code is added, except
-- HOUSE-language if there are other rules, and except for codes that list their rules in error_codes.lua.
local function rules_of(code, cases)
  local ids, visited = {}, {}
  -- Adds a rule unless it has been added or does not exist.
  local function add(id)
    if not visited[id] and rules.has(id) then ids[#ids + 1] = id end
    visited[id] = true
  end
  for _, id in ipairs(error_codes[code].rules or source_locations.codes[code] or {}) do add(id) end
  if #ids == 0 then
    for _, case in ipairs(cases) do
      for _, id in ipairs(conformance.cited_rules(case)) do add(id) end
    end
  end
  local house = diagnostic.new({ code = code, message = "" }).rule
  if not error_codes[code].rules and (#ids == 0 or house ~= "HOUSE-language") then add(house) end
  table.sort(ids)
  return ids
end

-- Returns the text about an error code, with its rules and the shortest case as an example; nil if there is no such
-- code.
function rule_text.describe_code(code)
  local entry, phase = error_codes[code], diagnostic.phase(code)
  if not entry then return nil end
  local status = phase ~= "finding" and (", exit status %d"):format(report.status_of(phase)) or ""
  local out = { ("%s  %s%s"):format(code, PHASES[phase], status),
    "  " .. entry[1], "  typical cause: " .. entry[2], "  help: " .. diagnostic.help_of_code(code) }
  if entry.cwe then out[#out + 1] = ("  weakness: CWE-%d"):format(entry.cwe) end
  local cases, reason = cases_with(expects(code))
  local ids = rules_of(code, cases)
  if #ids > 0 then out[#out + 1] = "  rules that such errors cite:" end
  format_list(ids, function(id) return ("%-18s %s"):format(id, rules.title(id)) end, out)
  if reason then out[#out + 1] = "  " .. reason end
  local example
  for _, case in ipairs(cases) do
    if not example or #case.text < #example.text then example = case end
  end
  if example then
    out[#out + 1] = ("  example, %s:%d:"):format(example.file, example.line)
    for row in (example.text .. "\n"):gmatch "(.-)\n" do out[#out + 1] = row ~= "" and "    " .. row or "" end
  end
  return table.concat(out, "\n") .. "\n"
end

-- Returns the text about the rule `id`, with the cases that cite it; nil if there is no such rule.
function rule_text.describe_rule(id)
  if not rules.has(id) then return nil end
  local out = { (rules.describe(id):gsub("\n$", "")) }
  for _, heading in ipairs { "decided", "rules" } do
    if source_locations[heading][id] then
      out[#out + 1] = heading == "decided" and "  decided in" or "  cited in"
      format_list(source_locations[heading][id], function(source_location) return source_location end, out)
    end
  end
  local cases, reason = cases_with(function(case)
    for _, cited in ipairs(conformance.cited_rules(case)) do
      if cited == id then return true end
    end
    return false
  end)
  if #cases > 0 then
    out[#out + 1] = "  shown by"
    format_list(cases, case_place, out)
  elseif reason then
    out[#out + 1] = "  " .. reason
  end
  return table.concat(out, "\n") .. "\n"
end

return rule_text
