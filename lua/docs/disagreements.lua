-- disagreements.lua - finds where the documents disagree: the smallest programs of the vocabularies in
-- examples/explore on which two profiles of one language differ. Output: a page and scenarios. `make disagreements`
-- writes them, which takes some minutes. docs/make.lua calls it.

local profile_differences = require "accdeep.tools.explore.profile_differences"
local knobs = require "accdeep.definitions.knobs"
local equivalence = require "accdeep.tools.explore.equivalence"
local profiles = require "accdeep.definitions.profiles"
local test_program = require "accdeep.tools.explore.test_program"
local profile_descriptions = require "accdeep.inspect.reference.profile_descriptions"
local program_replay = require "accdeep.tools.explore.program_replay"
local rule_links = require "docs.rule_links"
local search = require "accdeep.tools.explore.search"
local steps = require "accdeep.steps"
local transition_system = require "accdeep.tools.explore.transition_system"

local disagreements = {}

-- Limit of actions (directives or statements) in a program that is explored.
disagreements.BOUND = 4
disagreements.page = "spec/reference/disagreements.md"

-- The languages, with their profiles and vocabularies. `documents`: by vocabulary, the document that a profile must
-- follow to interpret it, such as TR-14-1 for shapes.
local languages = {
  { name = "OpenACC", is_openmp = false, vocabularies = { "attach", "levels", "fortran", "deep", "modifiers" },
    documents = { deep = "TR14" } },
  { name = "OpenMP", is_openmp = true, vocabularies = { "openmp", "openmp-modifiers" }, documents = {} },
}
for _, language in ipairs(languages) do
  language.profiles = {}
  for _, entry in ipairs(profile_descriptions) do
    local is_openmp = profiles.profile(entry.name).is_openmp
    if is_openmp == language.is_openmp then table.insert(language.profiles, entry.name) end
  end
end

-- Returns the names of a language's profiles that can interpret a vocabulary. `language`: an entry of `languages`.
local function profiles_for(language, vocabulary)
  local document, list = language.documents[vocabulary], {}
  for _, name in ipairs(language.profiles) do
    local documents = " " .. profiles.profile(name).documents .. " "
    if not document or documents:find(" " .. document .. " ", 1, true) then list[#list + 1] = name end
  end
  return list
end

-- ------------------------------------------------------------------------------------- exploring --

-- Extends the programs of a level in this process (the `visit` function of Search:run). Returns nothing, so the search
-- continues.
local function visit(program_search, level, first, _, last)
  for i = first, #level do program_search:extend(level[i], last) end
end

-- Explores the vocabulary `name` under the profiles `names` with programs of up to `bound` actions. Returns {name,
-- names, source, line, action_count, programs, classes, carried_out, rows}. `action_count`, `programs`, `classes`,
-- `carried_out`: numbers; `programs` counts all programs up to the bound. `rows`: result of profile_differences.rows.
-- `folder`: root of the source tree.
local function explored(folder, name, names, bound)
  local source = { file = ("examples/explore/%s.lua"):format(name) }
  local file = assert(io.open(folder .. "/" .. source.file))
  source.text = file:read "a"
  file:close()
  local systems = {}
  for k, profile in ipairs(names) do systems[k] = transition_system.open(source.file, source.text, profile) end
  local actions, parts = test_program.all_actions(systems[1].vocabulary), profile_differences.parts(false)
  for _, system in ipairs(systems) do system:prepare(actions) end
  local differences, _, observe = profile_differences.collect(names, actions, parts, function() end)
  local program_search = search.new(systems, actions, parts, { differ = observe })
  program_search:run(bound, { visit = visit })
  local replayed, all = program_replay.new(source, actions), 0
  local rows = profile_differences.rows(differences, replayed, names, parts)
  for n = 1, bound do all = all + (#actions) ^ n end
  local result = { name = name, names = names, source = source, line = systems[1].vocabulary.line,
    action_count = #actions, programs = all, classes = program_search.classes,
    carried_out = program_search.directives, rows = rows }
  for _, row in ipairs(rows) do row.vocabulary = result end
  replayed:close()
  for _, system in ipairs(systems) do system:close() end
  return result
end

-- Omits rows of several knobs if rows with fewer knobs show each of these knobs. Returns the other rows in the same
-- order, and the number of omitted sets of knobs.
local function essential(rows)
  local by_size, shown_knobs, retained, left_out, n = {}, {}, {}, {}, 0
  for _, row in ipairs(rows) do
    by_size[#row.knobs] = by_size[#row.knobs] or {}
    table.insert(by_size[#row.knobs], row)
  end
  for size = 0, #knobs do
    local own = {}
    for _, row in ipairs(by_size[size] or {}) do
      local is_new = size < 2
      for _, knob in ipairs(row.knobs) do is_new = is_new or not shown_knobs[knob] end
      if is_new then
        retained[row] = true
        table.insert(own, row)
      elseif not left_out[row.key] then
        left_out[row.key], n = true, n + 1
      end
    end
    for _, row in ipairs(own) do
      for _, knob in ipairs(row.knobs) do shown_knobs[knob] = true end
    end
  end
  local list = {}
  for _, row in ipairs(rows) do list[#list + 1] = retained[row] and row or nil end
  return list, n
end

-- Explores all languages. `folder`: root of the source tree. `bound`: most actions of a program. Returns a list of
-- {language, vocabularies, rows, left_out}. `vocabularies`: results of `explored`. `rows`: the smallest rows.
-- `left_out`: number of omitted sets of knobs.
function disagreements.explored(folder, bound)
  local list = {}
  for i, language in ipairs(languages) do
    local exploration, rows = { language = language, vocabularies = {} }, {}
    for k, name in ipairs(language.vocabularies) do
      exploration.vocabularies[k] = explored(folder, name, profiles_for(language, name), bound)
      table.move(exploration.vocabularies[k].rows, 1, #exploration.vocabularies[k].rows, #rows + 1, rows)
    end
    exploration.rows, exploration.left_out = essential(profile_differences.smallest(rows))
    list[i] = exploration
  end
  return list
end

-- ------------------------------------------------------------------------------------- scenarios --

-- Returns the cases of a vocabulary as the text of a scenario; nil if no row is about this vocabulary. `exploration`:
-- an entry of disagreements.explored.
local function scenario(exploration, vocabulary)
  local cases, numbers = {}, {}
  for _, row in ipairs(exploration.rows) do
    if row.vocabulary == vocabulary then
      local title = row.key .. "\0" .. steps.family(row.actions[row.program:byte(-1)])
      numbers[title] = (numbers[title] or 0) + 1
      cases[#cases + 1] = profile_differences.case(row, vocabulary.names, numbers[title] > 1 and numbers[title] or nil)
    end
  end
  if #cases == 0 then return nil end
  return "-- Programs on which profiles differ: spec/reference/disagreements.md. `make disagreements` made this file.\n"
    .. test_program.declarations(vocabulary.source, vocabulary.line) .. "\n" .. table.concat(cases, "\n")
end

-- ------------------------------------------------------------------------------------------ page --

-- Appends a formatted text to the list `out`; without arguments, `format` is the text itself.
local function put(out, format, ...) out[#out + 1] = select("#", ...) > 0 and format:format(...) or format end
-- Returns a text as the content of a table cell.
local function cell(text) return (text:gsub("|", "\\|")) end
-- Returns a text with its first letter in upper case.
local function upper(text) return (text:gsub("^%l", string.upper)) end

-- Returns a number with commas between groups of three digits.
local function grouped(n)
  local text = ("%.0f"):format(n):reverse():gsub("(%d%d%d)", "%1,"):reverse()
  return (text:gsub("^,", ""))
end

-- Returns the texts of a list as code spans, separated by commas.
local function quoted(list) return "`" .. table.concat(list, "`, `") .. "`" end

-- Returns the outcome of a group of profiles (equivalence.groups) as the text of a table cell. `n`: number of lines of
-- the program.
local function group_text(group, n)
  if not group.code then return upper(group.text) end
  return ("Error `%s`%s"):format(group.code, group.at < n and (" at line %d"):format(group.at) or "")
end

-- Returns the profiles that a row's knobs separate, grouped by outcome, as text.
local function sides(row)
  local list = {}
  for i, group in ipairs(equivalence.groups(row.names, row.observations, row.counters)) do
    list[i] = quoted(group.names)
  end
  return table.concat(list, " and ")
end

-- Returns a row (profile_differences.rows) as text: the program and its outcomes.
local function row_text(row)
  local out = {}
  put(out, "```lua\n%s\n```\n", table.concat(test_program.lines(row.actions, row.program), "\n"))
  put(out, "| outcome | profiles |\n|---|---|")
  for _, group in ipairs(equivalence.groups(row.vocabulary.names, row.observations, row.counters)) do
    put(out, "| %s | %s |", cell(group_text(group, #row.program)), quoted(group.names))
  end
  put(out, "")
  if #row.names < #row.vocabulary.names then
    put(out, "Decided here between %s.\n", sides(row))
  end
  return table.concat(out, "\n")
end

-- Returns a sentence about the other directives that show the same difference; nil if there are none.
local function also_text(row)
  local list, families = {}, { [steps.family(row.actions[row.program:byte(-1)])] = true }
  for _, other in ipairs(row.also) do
    local family = steps.family(other.actions[other.program:byte(-1)])
    if not families[family] then list[#list + 1] = family end
    families[family] = true
  end
  return #list > 0 and ("Also after: %s.\n"):format(quoted(list)) or nil
end

-- Returns the sections of a language's page as {knobs, rows}. Rows of single knobs come first, in the order of knobs;
-- then rows of several knobs; then rows without knobs, where the version of the language decides.
local function sections(exploration)
  local by_key, list = {}, {}
  for _, row in ipairs(exploration.rows) do
    if not by_key[row.key] then
      by_key[row.key] = { knobs = row.knobs, rows = {} }
      list[#list + 1] = by_key[row.key]
    end
    table.insert(by_key[row.key].rows, row)
  end
  local knob_order = {}
  for i, knob in ipairs(knobs) do knob_order[knob.name] = i end
  -- Returns the sort key of a section: number of knobs (none: last), then the position of its first knob.
  local function rank(section)
    local n = #section.knobs
    return (n == 0 and 1000 or n) * 1000 + (n > 0 and knob_order[section.knobs[1]] or 0)
  end
  for i, section in ipairs(list) do section.index = i end
  table.sort(list, function(a, b)
    if rank(a) ~= rank(b) then return rank(a) < rank(b) end
    return a.index < b.index
  end)
  return list
end

-- Appends a table of a knob's values, with the profiles in `names` that have each value.
local function put_values(out, knob, names)
  put(out, "| `%s` | meaning | profiles |\n|---|---|---|", knob.name)
  for _, value in ipairs(knob.values) do
    local profile_names = {}
    for _, name in ipairs(names) do
      if profiles.profile(name)[knob.name] == value[1] then profile_names[#profile_names + 1] = name end
    end
    if #profile_names > 0 then
      put(out, "| `%s` | %s | %s |", tostring(value[1]), cell(value[2]), quoted(profile_names))
    end
  end
  put(out, "")
end

-- Appends rows to `out`, each with the name of its vocabulary and the other directives that show it.
local function put_rows(out, rows)
  for _, row in ipairs(rows) do
    put(out, "With the declarations of [%s.lua](../../examples/explore/%s.lua):\n", row.vocabulary.name,
      row.vocabulary.name)
    put(out, "%s", row_text(row))
    put(out, also_text(row))
  end
end

-- Appends a section (sections) to `out`: heading, values of a single knob, rules and rows. `names`: the profiles of the
-- language.
local function put_section(out, section, names)
  if #section.knobs == 0 then
    put(out, "### The version of the language\n")
    put(out, "A modifier, a clause or a map type is not in all versions.\n")
  elseif #section.knobs == 1 then
    local knob = knobs.by_name[section.knobs[1]]
    put(out, "### %s\n", upper(knob.about))
    put_values(out, knob, names)
    put(out, "Rules: %s\n", knob.rules ~= "" and rule_links.links(profile_differences.rules(section), "rules.md")
      or "no document decides it")
  else
    put(out, "### %s together\n", quoted(section.knobs))
    put(out, "None of these knobs decides alone. Rules: %s\n",
      rule_links.links(profile_differences.rules(section), "rules.md"))
  end
  put_rows(out, section.rows)
end

-- Appends a table to `out`: for each pair of profiles, the number of rows in which they differ.
local function put_matrix(out, exploration)
  local names = exploration.language.profiles
  put(out, "| | %s |\n|---|%s", quoted(names):gsub(", ", " | "), ("---|"):rep(#names))
  for _, a in ipairs(names) do
    local cells = {}
    for i, b in ipairs(names) do
      local n = 0
      for _, row in ipairs(exploration.rows) do
        if row.observations[a] and row.observations[b] then n = n + #equivalence.groups(
          { a, b }, row.observations, row.counters) - 1 end
      end
      cells[i] = a == b and "" or n == 0 and "none" or tostring(n)
    end
    put(out, "| `%s` | %s |", a, table.concat(cells, " | "))
  end
  put(out, "")
end

-- Appends a list of the knobs that differ between profiles although no row shows a difference; nothing if there are
-- none.
local function put_unseen(out, exploration)
  local shown_knobs, names, list = {}, exploration.language.profiles, {}
  for _, row in ipairs(exploration.rows) do
    for _, knob in ipairs(row.knobs) do shown_knobs[knob] = true end
  end
  for _, knob in ipairs(knobs) do
    local differs = false
    for _, name in ipairs(names) do
      differs = differs or profiles.profile(name)[knob.name] ~= profiles.profile(names[1])[knob.name]
    end
    if differs and not shown_knobs[knob.name] then list[#list + 1] = ("- `%s`: %s"):format(knob.name, knob.about) end
  end
  if #list == 0 then return end
  put(out, "### What these programs do not show\n")
  put(out, "Profiles also differ in these knobs. No program here shows it: the vocabularies have no routines, for\n"
    .. "example. `spec/language/knobs.lua` has a case for each knob.\n")
  put(out, table.concat(list, "\n") .. "\n")
end

local INTRODUCTION = [[
# Where the documents disagree

Documents and runtimes do not say the same about data management. This page has the smallest programs that show it. All
programs of some [vocabularies](../../examples/explore.md), of up to %d words, were carried out under all
[profiles](profiles/index.md) of their language.

Each section is about one question. A table has the answers, and the profiles that give them. The question is a *knob*
of the profiles: a profile that has the other answer, and is the same otherwise, does what the other profiles do. Below
the table are programs that show it, the smallest of each kind. *Decided here between* names profiles, if there are
others that differ for other reasons. *Also after* lists other directives after which the same shows.

An outcome is the code of an [error](errors.md), or `accepted` with what differs: what is present, and values on the
host and on the device. Reference counters and attach counters are not compared. Each program is a case of
[spec/disagreements](../README.md), which is run with the specification.

Some profiles go beyond their document, because it is silent:

- OpenACC 2.0 has no attach, no detach and no `finalize`. There `openacc-2.0` does as `tr14`.
- `openmp-4.0` and `indirect` accept the spellings of all versions; `target enter data` came with OpenMP 4.5.
- Shapes and policies are those of TR-14-1. So `deep.lua` is compared for `tr14`, `tr14x` and `directory` alone.

OpenACC and OpenMP are not compared with each other. No document says what a directive of one language means under the
rules of the other.

| vocabulary | words | programs | classes | words carried out | differences below |
|---|---|---|---|---|---|]]

-- Returns the text of the page. `list`: the result of disagreements.explored. `bound`: most actions of a program.
local function page(list, bound)
  local out = {}
  put(out, INTRODUCTION, bound)
  for _, exploration in ipairs(list) do
    for _, vocabulary in ipairs(exploration.vocabularies) do
      local n = 0
      for _, row in ipairs(exploration.rows) do n = n + (row.vocabulary == vocabulary and 1 or 0) end
      put(out, "| [%s](../../examples/explore/%s.lua) | %d | %s | %s | %s | %d |", vocabulary.name, vocabulary.name,
        vocabulary.action_count, grouped(vocabulary.programs), grouped(vocabulary.classes),
        grouped(vocabulary.carried_out), n)
    end
  end
  put(out, [[

Programs that reach the same states are one class; only the first one goes on. One core carries out some 20,000 words a
second. [I want to change this rule](../../examples/explore/changing-a-rule.md) says how to compare a rule that is not
here.
]])
  for _, exploration in ipairs(list) do
    put(out, "## %s\n", exploration.language.name)
    put(out, "How many of the programs below tell two profiles apart. *none*: no program of these vocabularies does,\n"
      .. "of up to %d words.\n", bound)
    put_matrix(out, exploration)
    for _, section in ipairs(sections(exploration)) do put_section(out, section, exploration.language.profiles) end
    if exploration.left_out > 0 then
      put(out, "In other programs several knobs decide together (sets of knobs: %d). Each of these knobs is above.\n",
        exploration.left_out)
    end
    put_unseen(out, exploration)
  end
  put(out, "<!-- `make disagreements` makes this page and spec/disagreements/. -->")
  return table.concat(out, "\n") .. "\n"
end

-- Returns a table from path to text of the page and the scenarios, and the rows of the page as {text, words, knobs}.
-- `words`, `knobs`: numbers of actions and of knobs. `folder`, `bound`: as in disagreements.explored.
function disagreements.files(folder, bound)
  local list, files, rows = disagreements.explored(folder, bound), {}, {}
  files[disagreements.page] = page(list, bound)
  for _, exploration in ipairs(list) do
    for _, vocabulary in ipairs(exploration.vocabularies) do
      files[("spec/disagreements/%s.lua"):format(vocabulary.name)] = scenario(exploration, vocabulary)
    end
    for _, row in ipairs(exploration.rows) do
      rows[#rows + 1] = { text = row_text(row), words = #row.program, knobs = #row.knobs }
    end
  end
  return files, rows
end

-- Returns the sorted paths of generated files whose text differs from the file in `folder`, or that are missing there.
-- `bound`: as in disagreements.explored.
function disagreements.stale(folder, bound)
  local list = {}
  for path, text in pairs((disagreements.files(folder, bound))) do
    local file = io.open(folder .. "/" .. path)
    if not file or file:read "a" ~= text then list[#list + 1] = path end
    if file then file:close() end
  end
  table.sort(list)
  return list
end

return disagreements
