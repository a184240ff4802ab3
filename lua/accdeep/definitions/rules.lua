-- rules.lua - the rules of all documents, read from spec/rules: {id, section, kind, status, title, text, why}; `why`
-- may be nil.
--
-- title: the subject of the rule, a noun phrase of at most eight words. Titles are unique.
--
-- status: "done" if conformance scenarios cover what the rule accepts and what it rejects; "untestable" if no scenario
-- can show it, with the reason in `why`; otherwise "open".

local diagnostic = require "accdeep.base.diagnostic"
local strings = require "accdeep.base.strings"

local rules = {}

-- Documents: name of the file in spec/rules, prefix of rule ids, folder of scenarios in spec/, title.
rules.documents = {
  { file = "tr14", prefix = "TR14", folder = "tr14", title = "OpenACC TR-14-1, Complex Data Management (2014)" },
  { file = "dir", prefix = "DIR", folder = "dir", title = "A directory for nested data environments" },
  { file = "flang", prefix = "FLANG", folder = "flang", title = "Fortran descriptors in the offload data environment" },
  { file = "ompex", prefix = "OMPEX", folder = "openmp", title = "OpenMP Examples, Structure Mapping" },
  { file = "llnl", prefix = "LLNL", folder = "llnl", title = "Supporting Indirect Data Mapping in OpenMP (2015)" },
  { file = "acc20", prefix = "ACC20", folder = "openacc", title = "OpenACC 2.0" },
  { file = "acc33", prefix = "ACC33", folder = "openacc", title = "OpenACC 3.3" },
  { file = "acc34", prefix = "ACC34", folder = "openacc", title = "OpenACC 3.4" },
  { file = "omp60", prefix = "OMP60", folder = "openmp", title = "OpenMP 5.1 to 6.0" },
  { file = "house", prefix = "HOUSE", folder = "language", title = "rules of this project" },
}

-- Returns the list of the rules in the file `file` of spec/rules. The program has them as an embedded module; elsewhere
-- the file of the source tree is read. Raises a Lua error if there is neither.
local function load_rules(file)
  local name = "accdeep.rules." .. file
  local ok, list = pcall(require, name)
  if ok then return list end
  local source_root = debug.getinfo(1, "S").source:match "^@(.*)lua/accdeep/definitions/rules%.lua$"
  return dofile((source_root or "") .. "spec/rules/" .. file .. ".lua")
end

-- Returns a list of all documents with their rules, in order: {prefix, title, rules}. The result is cached; callers
-- must not change it.
function rules.all()
  if not rules.loaded then
    rules.loaded = {}
    for i, document in ipairs(rules.documents) do
      rules.loaded[i] = { prefix = document.prefix, title = document.title, rules = load_rules(document.file) }
    end
  end
  return rules.loaded
end

-- Returns the rule with the id `id`; nil if there is none. Fills the index rules.ids (id -> rule) at first use.
function rules.rule(id)
  if not rules.ids then
    rules.ids = {}
    for _, document in ipairs(rules.all()) do
      for _, rule in ipairs(document.rules) do rules.ids[rule.id] = rule end
    end
  end
  return rules.ids[id]
end

-- Returns an id, or the beginning of an id, in the spelling of the rule files; letter case is ignored. Returns `id`
-- unchanged if no rule matches.
function rules.normalize_id(id)
  if id == "" or rules.rule(id) then return id end
  local lowered = id:lower()
  for _, document in ipairs(rules.all()) do
    for _, rule in ipairs(document.rules) do
      if rule.id:sub(1, #id):lower() == lowered then return rule.id:sub(1, #id) end
    end
  end
  return id
end

-- Returns a list of the ids of the rules whose titles or texts contain each text of the list `words` as whole words, in
-- the order of the documents. Letter case is ignored.
local function search_all_words(words)
  local ids, patterns = {}, {}
  for i, word in ipairs(words) do patterns[i] = "%f[%w_]" .. word:lower():gsub("%p", "%%%0") .. "%f[^%w_]" end
  for _, document in ipairs(rules.all()) do
    for _, rule in ipairs(document.rules) do
      local text, has_all = (rule.title .. "\n" .. rule.text):lower():gsub("%s+", " "), true
      for _, pattern in ipairs(patterns) do has_all = has_all and text:find(pattern) ~= nil end
      if has_all then ids[#ids + 1] = rule.id end
    end
  end
  return ids
end

-- Returns a list of the ids of the rules whose titles or texts contain `text`. If there are none, returns the ids of
-- the rules that contain all words of `text`, an empty list if there are none either.
function rules.search(text)
  local ids, words = search_all_words { text }, {}
  if #ids > 0 then return ids end
  for word in text:gmatch "%S+" do words[#words + 1] = word end
  return #words > 1 and search_all_words(words) or {}
end

-- Returns the set of the ids of all rules: id -> true.
function rules.names()
  local names = {}
  for _, document in ipairs(rules.all()) do
    for _, rule in ipairs(document.rules) do names[rule.id] = true end
  end
  return names
end

-- Returns true if there is a rule with this id.
function rules.has(id) return rules.rule(id) ~= nil end

-- Raises unless there is a rule with this id; suggests a close id.
function rules.need(id)
  if rules.has(id) then return end
  diagnostic.raise("unknown-name", nil, ("there is no rule '%s'"):format(tostring(id)),
    { help = diagnostic.suggest(tostring(id), rules.names()) or "see accdeep rules" })
end

-- Returns a text wrapped at `width` columns, with the blanks `margin` before each line. Line breaks of `text` are
-- ignored.
function rules.wrap_text(text, margin, width)
  local lines, line = {}, margin
  for word in text:gmatch "%S+" do
    if #line + 1 + #word > width and line ~= margin then
      lines[#lines + 1], line = line, margin
    end
    line = line == margin and line .. word or line .. " " .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local WIDTH = 100

-- Returns the title of the rule `id`; nil if there is no such rule.
function rules.title(id)
  local rule = rules.rule(id)
  return rule and rule.title
end

-- Returns a text about the rules whose ids are `id` or begin with it, as whole parts ("ACC33-2.7": also ACC33-2.7.2-1;
-- "": all rules). Returns nil if there are none. `shown_by`: how many cases of the specification show a rule, by its
-- id; nil: unknown.
function rules.describe(id, shown_by)
  local out = {}
  for _, document in ipairs(rules.all()) do
    for _, rule in ipairs(document.rules) do
      local rest = rule.id:sub(1, #id) == id and rule.id:sub(#id + 1)
      if rest and (rest == "" or id == "" or rest:find "^[-.]" or id:find "[-.]$") then
        local cases = shown_by and shown_by[rule.id] and "; shown by " .. strings.count(shown_by[rule.id], "case") or ""
        out[#out + 1] = ("%s  %s  (%s%s)"):format(rule.id, rule.title, rule.kind, cases)
        out[#out + 1] = rules.wrap_text(rule.text, "    ", WIDTH)
        if rule.why then out[#out + 1] = rules.wrap_text("untestable: " .. rule.why, "    ", WIDTH) end
      end
    end
  end
  return #out > 0 and table.concat(out, "\n") .. "\n" or nil
end

-- Returns the numbers of rules by section as a text: how many there are, and how many are done, open and untestable.
function rules.coverage()
  local out = {}
  -- Appends the line of a section, whose counts are `n`, to `out`. The format leaves no blanks at the end of a line.
  local function row(section, n)
    out[#out + 1] = ("  %-14s %5d %5d %5d %11d"):format(section, n.all, n.done, n.open, n.untestable)
  end
  for _, document in ipairs(rules.all()) do
    local sections, by_name, total = {}, {}, { all = 0, done = 0, open = 0, untestable = 0 }
    for _, rule in ipairs(document.rules) do
      local n = by_name[rule.section]
      if not n then
        n = { all = 0, done = 0, open = 0, untestable = 0, reasons = {} }
        by_name[rule.section], sections[#sections + 1] = n, rule.section
      end
      for _, counter in ipairs { n, total } do
        counter.all, counter[rule.status] = counter.all + 1, counter[rule.status] + 1
      end
      if rule.why then table.insert(n.reasons, ("%s: %s"):format(rule.id, rule.why)) end
    end
    out[#out + 1] = ("%s  %s"):format(document.prefix, document.title)
    out[#out + 1] = "  section        rules  done  open  untestable"
    for _, section in ipairs(sections) do
      row(section, by_name[section])
      for _, text in ipairs(by_name[section].reasons) do out[#out + 1] = rules.wrap_text(text, "      ", WIDTH) end
    end
    row("all", total)
    out[#out + 1] = ""
  end
  return table.concat(out, "\n")
end

return rules
