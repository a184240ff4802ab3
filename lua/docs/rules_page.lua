-- rules_page.lua - writes the page of rules as Markdown: each rule with its title and text, the functions that decide
-- it, and the cases that show it. page_files.lua calls it.

local conformance = require "accdeep.definitions.conformance"
local rules = require "accdeep.definitions.rules"
local rule_links = require "docs.rule_links"

local rules_page = {}

local MAX_LISTED = 6 -- limit of links of one kind at a rule

-- Headings of the cases of a rule: first word of their names, and text of the heading.
local KINDS = { { "accepts", "Accepted" }, { "rejects", "Rejected" }, { "differs", "Differs" } }

-- Returns a text with characters of Markdown escaped, for use outside of code.
local function prose(text) return (text:gsub("[*_<]", "\\%0")) end

-- Returns the functions that decide rules, a table from rule id to a list of "file:line function". `source`: root of
-- the source tree. Raises if the sources cannot be read.
local function deciding_functions(source)
  local paths = {}
  local command = ("cd '%s' && find core exec lua/accdeep -name '*.c' -o -name '*.lua' -o -path core/base/rules.h"
    .. " -o -path core/accdeep_context.h"):format(source)
  for path in assert(io.popen(command)):lines() do paths[#paths + 1] = source .. "/" .. path end
  table.sort(paths)
  return load(dofile(source .. "/lua/places.lua")(source, paths))().decided
end

-- Returns the cases below spec/ by rule and kind: cases[id][kind] is a list of {file, line}, where `file` is the path
-- below spec/. `source`: root of the source tree.
local function cases_by_rule(source)
  local by_rule, folder = {}, source .. "/spec"
  for _, case in ipairs(conformance.read_cases(folder)) do
    local kind, place = case.name:match "^%l+", { file = case.file:sub(#folder + 2), line = case.line }
    for _, id in ipairs(kind and conformance.cited_rules(case) or {}) do
      by_rule[id] = by_rule[id] or {}
      by_rule[id][kind] = by_rule[id][kind] or {}
      table.insert(by_rule[id][kind], place)
    end
  end
  return by_rule
end

-- Returns an item of a list, "heading: link, link, ...", with at most MAX_LISTED of the links.
local function item(heading, links)
  local first = table.concat(links, ", ", 1, math.min(#links, MAX_LISTED))
  local rest = #links > MAX_LISTED and (", and %d more"):format(#links - MAX_LISTED) or ""
  return ("- %s: %s%s"):format(heading, first, rest)
end

-- Returns links to functions, a list of "file:line function", from the page.
local function function_links(places)
  local links = {}
  for i, place in ipairs(places) do
    local file, line, name = place:match "^(.-):(%d+) (.*)$"
    links[i] = ("[`%s`](../../%s#L%s)"):format(name, file, line)
  end
  return links
end

-- Returns links to cases, a list of {file, line}, from the page.
local function case_links(cases)
  local links = {}
  for i, case in ipairs(cases) do
    links[i] = ("[%s:%d](../%s#L%d)"):format(prose(case.file), case.line, case.file, case.line)
  end
  return links
end

-- Appends a rule to `out`. `decided`: list of "file:line function", or nil. `cases`: lists of cases by kind, or nil.
local function put_rule(out, rule, decided, cases)
  -- Appends a formatted text.
  local function put(format, ...) out[#out + 1] = format:format(...) end
  put('<a id="%s"></a>\n### %s %s\n', rule_links.anchor(rule.id), rule.id, prose(rule.title))
  put("%s%s\n", prose(rule.text), rule.why and "\n\nUntestable: " .. prose(rule.why) or "")
  local first = #out + 1
  if decided then put("%s", item("Decided by", function_links(decided))) end
  for _, kind in ipairs(cases and KINDS or {}) do
    if cases[kind[1]] then put("%s", item(kind[2], case_links(cases[kind[1]]))) end
  end
  if #out >= first then put "" end
end

-- Returns the page. `source`: root of the source tree. Raises if its files cannot be read.
function rules_page.text(source)
  local decided, cases = deciding_functions(source), cases_by_rule(source)
  local out = { [[
# Rules

Every rule that cases of the specification show, with the functions that decide it and the cases that show it.
`accdeep explain ID` prints one, with the names of its cases.
]] }
  for _, document in ipairs(rules.all()) do
    out[#out + 1] = ("- [%s](#%s)"):format(document.title, rule_links.anchor(document.title))
  end
  for _, document in ipairs(rules.all()) do
    out[#out + 1] = ("\n## %s\n"):format(document.title)
    for _, rule in ipairs(document.rules) do put_rule(out, rule, decided[rule.id], cases[rule.id]) end
  end
  return table.concat(out, "\n")
end

return rules_page
