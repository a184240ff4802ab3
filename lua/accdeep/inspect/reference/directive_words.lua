-- directive_words.lua - texts about clauses and directives, for `accdeep explain WORD`.
--
-- Directives that take a clause come from the tables of definitions/; rules come from definitions/rules.lua.

local openacc_sema = require "accdeep.sema.openacc_sema"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local rules = require "accdeep.definitions.rules"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local sorted_pairs = require "accdeep.base.sorted_pairs"

local directive_words = {}

local all -- cache of index(): word -> language -> {kind, text, owners = directives, also = clause's first name}

-- Returns a sorted list of OpenMP's directives, of at most three words, that may have the clause `clause`.
local function directives_with(clause)
  local list = {}
  for _, directive in ipairs(openmp_directives.names) do
    if not directive:find " %S+ %S+ %S+" and openmp_directives.directive(directive).clauses[clause] then
      list[#list + 1] = directive end
  end
  table.sort(list)
  return list
end

-- Returns a sorted list of the keys of a table.
local function names_of(set)
  local list = {}
  for name in sorted_pairs(set) do list[#list + 1] = name end
  return list
end

-- Returns the table `all` of the words of both languages, which is filled on first use.
local function index()
  if all then return all end
  all = {}
  -- Adds the entry of `word` in a language. owners: list of the directives that take the clause, or of the clauses that
  -- take the modifier; nil for directives. also: name of which the word is a synonym, or a false value.
  local function add(word, language, kind, text, owners, also)
    all[word] = all[word] or {}
    all[word][language] = { kind = kind, owners = owners or {}, also = also, text = text }
  end
  for _, directive in ipairs(openacc_directives.directives) do
    add(directive[1], "OpenACC", "directive", directive.text) end
  for name, clause in pairs(openacc_directives.clause) do
    if not all[name] and openacc_directives.clause_names[name] then
      add(name, "OpenACC", "clause", clause.entry.text, openacc_sema.directives_with(name),
        name ~= clause.first and clause.first)
    end
  end
  for name, modifier in pairs(openacc_directives.modifier) do
    local clause = all[name] and all[name].OpenACC
    if clause then clause.text = clause.text .. " " .. modifier.text
    else add(name, "OpenACC", "modifier", modifier.text, names_of(modifier.since)) end
  end
  for _, list in ipairs { openmp_directives.parts, openmp_directives.directives } do
    for _, directive in ipairs(list) do
      if directive.kind ~= "beyond" then add(directive[1], "OpenMP", "directive", directive.text) end
    end
  end
  for _, name in ipairs(openmp_directives.names) do
    if not (all[name] or {}).OpenMP then add(name, "OpenMP", "directive") end
  end
  for name, entry in pairs(openmp_directives.clause) do
    local first = entry[1]:match "%S+"
    if not (all[name] or {}).OpenMP then
      add(name, "OpenMP", "clause", entry.text, directives_with(name), name ~= first and first)
    end
  end
  return all
end

-- Returns a table whose keys are the words; callers must not change it.
function directive_words.all() return index() end

local MAX_LISTED = 8 -- limit of listed rules and directives

-- Returns a list cut off after MAX_LISTED entries, with the number of further entries as text.
local function truncate_list(list)
  local truncated = table.move(list, 1, math.min(#list, MAX_LISTED), 1, {})
  if #list > MAX_LISTED then truncated[#truncated + 1] = ("and %d more"):format(#list - MAX_LISTED) end
  return truncated
end

-- Returns the rules that mention a word, as lists by language {OpenACC, OpenMP}; ACC33 comes first. If the word belongs
-- to one language, all rules count for it. `entry`: the word's entry in `all`.
local function rules_of(word, entry)
  local rules_by_language, others = { OpenACC = {}, OpenMP = {} }, {}
  for _, id in ipairs(rules.search(word)) do
    local is_openmp_rule = id:find "^OMP" or id:find "^LLNL"
    if not entry.OpenACC or entry.OpenMP and is_openmp_rule then
      table.insert(rules_by_language.OpenMP, id)
    else
      table.insert(id:find "^ACC3" and rules_by_language.OpenACC or others, id)
    end
  end
  table.move(others, 1, #others, #rules_by_language.OpenACC + 1, rules_by_language.OpenACC)
  return rules_by_language
end

-- Appends the first MAX_LISTED rules of the list `ids`, and how many more there are, to `out`; nothing for an empty
-- list.
local function put_rules(out, ids, word)
  if #ids > 0 then out[#out + 1] = "  rules about it" end
  for i = 1, math.min(#ids, MAX_LISTED) do
    out[#out + 1] = ("    %-18s %s"):format(ids[i], rules.title(ids[i]))
  end
  if #ids > MAX_LISTED then out[#out + 1] = ("    and %d more: accdeep rules %s"):format(#ids - MAX_LISTED, word) end
end

-- Returns the text about `word` in both languages; nil if the word is unknown.
function directive_words.text(word)
  local entry = index()[word]
  if not entry then return nil end
  local out, rules_by_language = {}, rules_of(word, entry)
  for _, language in ipairs { "OpenACC", "OpenMP" } do
    local e = entry[language]
    if e then
      out[#out + 1] = ("%s  a %s of %s%s"):format(word, e.kind, language, e.also and ", as " .. e.also or "")
      if e.text then out[#out + 1] = rules.wrap_text(e.text, "  ", 100) end
      if #e.owners > 0 then
        out[#out + 1] = rules.wrap_text("of " .. table.concat(truncate_list(e.owners), ", "), "  ", 100)
      end
      put_rules(out, rules_by_language[language], word)
    end
  end
  return table.concat(out, "\n") .. "\n"
end

return directive_words
