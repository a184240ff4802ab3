-- pages.lua - writes the reference, the errors, the glossary and the rule profiles as Markdown pages.
-- page_files.lua calls it.

local error_codes = require "accdeep.base.error_codes"
local diagnostic = require "accdeep.base.diagnostic"
local glossary = require "accdeep.inspect.glossary"
local knobs = require "accdeep.definitions.knobs"
local profile_page = require "accdeep.inspect.profile_page"
local profile_descriptions = require "accdeep.inspect.reference.profile_descriptions"
local reference = require "accdeep.inspect.reference"
local rule_links = require "docs.rule_links"
local terms = require "accdeep.definitions.terms"

local pages = {}

-- Returns a text as the content of a table cell.
local function cell(text) return (text:gsub("|", "\\|")) end

-- Appends a formatted text to the list `out`; without arguments, `format` is the text itself.
local function put(out, format, ...) out[#out + 1] = select("#", ...) > 0 and format:format(...) or format end

-- Appends a block of Lua code to `out`. Precondition: `code` ends with a line feed.
local function put_code(out, code) put(out, "```lua\n%s```\n", code) end

-- Appends a table of the reference's fields or parameters `list` to `out`: name, type, meaning.
local function put_fields(out, list)
  put(out, "| | type | meaning |\n|---|---|---|")
  for _, item in ipairs(list) do
    local name, kind, text = reference.field(item)
    put(out, "| `%s` | `%s` | %s |", name:gsub("%?$", ""), cell(kind),
      (name:sub(-1) == "?" and "*optional;* " or "") .. cell(text))
  end
  put(out, "")
end

-- Appends an entry of a chapter of the reference to `out`: signature, text, fields, errors, rules and example.
local function put_entry(out, chapter, entry)
  put(out, "### %s\n", (entry.name or entry.class):gsub("_", "\\_"))
  if entry.params then
    local result = entry.returns and entry.returns[1]
    put(out, "`%s`%s\n", reference.signature(entry),
      result and ("\n→ `%s`: %s"):format(reference.result(result)) or "")
  end
  if entry.syntax then put(out, "`%s`\n", entry.syntax) end
  put(out, entry.text .. "\n")
  if entry.also then put(out, "Also: `%s`\n", table.concat(entry.also, "`, `")) end
  if entry.params and #entry.params > 0 then put_fields(out, entry.params) end
  if entry.fields then put_fields(out, entry.fields) end
  if entry.errors then
    put(out, "| error | when | such as |\n|---|---|---|")
    for _, e in ipairs(entry.errors) do
      put(out, "| `%s` | %s | `` %s `` |", e[1], cell(e[2]), cell(e[3]:gsub("%s+", " ")))
    end
    put(out, "")
  end
  if entry.rules then put(out, "Rules: %s\n", rule_links.links(rule_links.ids(entry.rules), "rules.md")) end
  if entry.example then put_code(out, entry.example) end
  if entry.whole and chapter.prelude then put(out, "This example stands alone.\n") end
end

-- Appends a chapter of the reference with all its entries to `out`.
local function put_chapter(out, chapter)
  put(out, "## %s\n\n%s\n", chapter.title, chapter.text)
  if chapter.prelude then
    put(out, "The examples below begin with:\n")
    put_code(out, chapter.prelude)
  end
  if chapter.names then put(out, "`%s`\n", table.concat({ chapter.names:gsub("%s+", "` `") }, "", 1, 1)) end
  for _, entry in ipairs(chapter) do put_entry(out, chapter, entry) end
end

-- Returns the page of the reference as Markdown.
function pages.reference()
  local out = { [[
# Reference

Every name that a scenario sees, and what `require "accdeep"` gives. `accdeep rules ID` prints a rule. A test runs all
examples and raises all errors of this page.
]] }
  for _, chapter in ipairs(reference.chapters()) do
    local names = {}
    for _, entry in ipairs(chapter) do
      local name = entry.name or entry.class
      names[#names + 1] = ("[%s](#%s)"):format(name:gsub("_", "\\_"), rule_links.anchor(name))
    end
    put(out, "- [%s](#%s)%s", chapter.title, rule_links.anchor(chapter.title),
      #names > 0 and ": " .. table.concat(names, ", ") or "")
  end
  put(out, "")
  for _, chapter in ipairs(reference.chapters()) do put_chapter(out, chapter) end
  return table.concat(out, "\n")
end

-- ------------------------------------------------------------------------------------------- errors --

-- Phases of errors: key, heading of the section, exit status.
local phases = {
  { "text", "Text that does not parse", 2 }, { "static", "Static rules", 2 }, { "run", "Run time", 1 },
  { "environment", "The environment", 3 }, { "internal", "accdeep itself", 70 },
  { "finding", "Reports of `accdeep exec`" },
}

-- Returns the page of error codes as Markdown.
function pages.errors()
  local out = { [[
# Errors

Every error has a stable code, a place and a rule. `accdeep explain CODE` prints the same text, with the rules that such
errors cite and an example.
]] }
  local names = {}
  for code in pairs(error_codes) do names[#names + 1] = code end
  table.sort(names)
  for _, phase in ipairs(phases) do
    put(out, "## %s\n\n%s\n", phase[2], phase[3] and ("Exit status %d."):format(phase[3])
      or "The program continues. `--fail` gives warnings and notes the exit status 5; "
        .. "`idle-transfer`, `repeated-transfer`, `repeated-allocation`, `peak-memory`, `link-time`, `unread-transfer` "
        .. "and `unused-data` are advice; "
        .. "`not-watched` and `not-checked` are no defects.")
    put(out, "| code | meaning | typical cause | help |\n|---|---|---|---|")
    for _, code in ipairs(names) do
      if diagnostic.phase(code) == phase[1] then
        local meaning, cause = table.unpack(error_codes[code])
        put(out, "| `%s` | %s | %s | %s |", code, cell(meaning), cell(cause), cell(diagnostic.help_of_code(code)))
      end
    end
    put(out, "")
  end
  return table.concat(out, "\n")
end

-- ----------------------------------------------------------------------------------------- glossary --

-- Returns the page of terms as Markdown.
function pages.glossary()
  local out = { [[
# Glossary

Terms of the field, and those of accdeep. `accdeep explain "attach counter"` prints one, `accdeep rules ID` its rule.

<!-- `make docs` makes this page of lua/accdeep/definitions/terms.lua. -->
]] }
  for _, entry in ipairs(terms) do
    put(out, "## %s\n\n%s\n", entry[1], entry.text)
    local see_also = glossary.list(entry.see)
    for i, name in ipairs(see_also) do
      local target = rule_links.anchor(name)
      see_also[i] = target == "" and name or ("[%s](#%s)"):format(name, target)
    end
    put(out, "%sFrom %s%s. See %s.\n", entry.also and ("Also: %s. "):format(entry.also) or "",
      glossary.source(entry), entry.rule and (", `%s`"):format(entry.rule) or "", table.concat(see_also, ", "))
  end
  return table.concat(out, "\n")
end

-- ----------------------------------------------------------------------------------------- profiles --

-- Returns links to the rules of a knob, from a page in the folder of profiles.
local function knob_links(knob) return rule_links.links(rule_links.ids(knob.rules), "../rules.md") end

-- Appends a table of decisions, a list that profile_page.describe returns, to `out`.
local function put_decisions(out, list)
  put(out, "| knob | what it is about | | rules |\n|---|---|---|---|")
  for _, d in ipairs(list) do
    put(out, "| `%s = %s` | %s | %s | %s |", d.knob.name, tostring(d.value), cell(d.knob.about), cell(d.meaning),
      knob_links(d.knob))
  end
  put(out, "")
end

-- Returns the page of the profile `name` as Markdown. The page of tr14 lists all its knobs; other pages list the knobs
-- that tr14 lacks or decides differently.
function pages.profile(name)
  local entry, differing, unchanged = profile_page.describe(name)
  local out = { ("# The profile `%s`\n\nFollows %s. %s\n"):format(name, entry.follows, entry.text) }
  put(out, "This scenario holds under `%s`, and not under `%s`:\n", name, entry.against)
  put_code(out, entry.example)
  if name == "tr14" then
    put(out, "## What it decides\n")
    put_decisions(out, unchanged)
    return table.concat(out, "\n")
  end
  put(out, "## What differs from `tr14`\n")
  put(out, "| knob | what it is about | here | `tr14` | rules |\n|---|---|---|---|---|")
  for _, d in ipairs(differing) do
    put(out, "| `%s = %s` | %s | %s | %s | %s |", d.knob.name, tostring(d.value), cell(d.knob.about), cell(d.meaning),
      cell(d.default_meaning), knob_links(d.knob))
  end
  put(out, "\nAll other knobs have the values of [`tr14`](tr14.md).\n")
  local own = {}
  for _, decision in ipairs(unchanged) do own[#own + 1] = knobs.is_openmp(decision.knob) and decision or nil end
  if #own > 0 then
    put(out, "## What only OpenMP's profiles decide\n")
    put_decisions(out, own)
  end
  return table.concat(out, "\n")
end

-- Returns the page with all profiles and knobs as Markdown.
function pages.profiles()
  local out = { [[
# Rule profiles

Where documents and runtimes differ, a profile decides: `scenario { rules = "openacc-3.3" }`, or `accdeep run --rules`.
`accdeep rules --profile NAME` prints one.

| profile | follows | |
|---|---|---|]] }
  for _, entry in ipairs(profile_descriptions) do
    put(out, "| [`%s`](%s.md) | %s | %s |", entry.name, entry.name, entry.follows, entry.text)
  end
  put(out, [[

## Knobs

A scenario may change a profile: `rules = { base = "tr14", update = "reverse" }`, or `rules = "tr14+update=reverse"`.
The first value of each knob is the default of profiles.

| knob | what it is about | values |
|---|---|---|]])
  for _, knob in ipairs(knobs) do
    local values = {}
    for i, value in ipairs(knob.values) do
      values[i] = ("`%s`: %s"):format(knobs.format_value(value[1]), cell(value[2]))
    end
    put(out, "| `%s` | %s | %s |", knob.name, cell(knob.about), table.concat(values, "<br>"))
  end
  return table.concat(out, "\n") .. "\n"
end

return pages
