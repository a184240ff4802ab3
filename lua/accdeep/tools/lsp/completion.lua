-- completion.lua - completion: directives and clauses in directives; in scenarios also names of the language, rule
-- profiles, error codes, rules, and variables that the file declares.

local context = require "accdeep.tools.lsp.context"
local diagnostic = require "accdeep.base.diagnostic"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local profiles = require "accdeep.definitions.profiles"
local reference = require "accdeep.inspect.reference"
local rules = require "accdeep.definitions.rules"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local strings = require "accdeep.base.strings"

local completion = {}

-- Kinds of items, as the protocol numbers them.
local KIND = { ["function"] = 3, variable = 6, property = 10, keyword = 14, value = 12, constant = 21 }

-- Appends an item for each key of `set`, sorted. `kind`: a key of KIND; `detail`: a short text.
local function add_all(list, set, kind, detail)
  for name in sorted_pairs(set) do
    list[#list + 1] = { label = name, kind = KIND[kind], detail = detail }
  end
end

-- Words in the parentheses of clauses: clause -> words.
local words_of = {
  acc = { default = strings.word_set "none present" },
  omp = { map = strings.word_set "to from tofrom alloc release delete always close present",
    defaultmap = strings.word_set "alloc to from tofrom present none default scalar aggregate pointer",
    depend = strings.word_set "in out inout", default = strings.word_set "shared none private firstprivate" },
}

-- Returns the name of the clause whose parentheses are open at the end of a text; nil if none are.
local function open_clause(text)
  local open = {}
  for name, at, c in text:gmatch "([%a_]*)%s*()([()])" do
    if c == "(" then open[#open + 1] = { name = name, at = at } else open[#open] = nil end
  end
  return open[1] and open[1].name
end

-- Returns the set of the directives of a language.
local function directives_of(language, is_fortran)
  local set = {}
  if language == "acc" then
    for _, entry in ipairs(openacc_directives.directives) do
      if is_fortran or not entry[1]:find "^end " then set[entry[1]] = true end
    end
  else
    for _, name in ipairs(is_fortran and openmp_directives.fortran_names() or openmp_directives.names) do
      set[name] = true
    end
  end
  return set
end

-- Returns the set of the clauses of a directive.
local function clauses_of(language, name)
  if language == "acc" then
    local set = {}
    for clause in pairs(openacc_directives.clauses_of[name] or {}) do
      if openacc_directives.clause[clause] then set[clause] = true end
    end
    return set
  end
  local ok, info = pcall(openmp_directives.directive, (name:gsub("%f[%a]do%f[%A]", "for")))
  return ok and info and info.clauses or {}
end

-- Appends what may follow the text `before` of a directive. `variables`: list of names.
local function add_directive_words(list, before, language, is_fortran, variables)
  local clause = open_clause(before)
  if clause then
    add_all(list, words_of[language][clause:lower()] or {}, "value", "of " .. clause)
    for _, name in ipairs(variables or {}) do
      list[#list + 1] = { label = name, kind = KIND.variable, detail = "variable of the host program" }
    end
    return
  end
  local name, after = context.directive(before, language)
  if name and before:find("^%s", after) then
    add_all(list, clauses_of(language, name), "property", "clause of " .. name)
  end
  local typed = before:lower():gsub("^%s+", ""):gsub("%s+", " ")
  for directive in sorted_pairs(directives_of(language, is_fortran)) do
    if directive:sub(1, #typed) == typed then
      -- The words that are complete stay; the item replaces the last word alone
      local done = typed:match "^(.*%s)" or ""
      list[#list + 1] = { label = directive:sub(#done + 1), kind = KIND.keyword, detail = "directive " .. directive }
    end
  end
end

-- Appends the names of the scenario language that may follow the code `before` in a line.
local function add_names(list, before)
  local owner = before:match "([%a_][%w_]*)%.[%w_]*$"
  for name in sorted_pairs(reference.all(true)) do
    local first, second = name:match "^([%w_]+)%.([%w_]+)$"
    if owner and first == owner then
      list[#list + 1] = { label = second, kind = KIND["function"], detail = name, data = { topic = name } }
    elseif not owner and not first and name:find "^[%a_][%w_]*$" then
      list[#list + 1] = { label = name, kind = KIND["function"], detail = "accdeep", data = { topic = name } }
    end
  end
end

-- Returns the completion items of a place: {label, kind, detail, data?}; `data.topic`: name of its description.
-- `line`, `column`: from 1 on. `document.variables`: list of the names that the scenario has declared, or nil.
function completion.items(document, line, column)
  local list, place = {}, context.at(document, line, column)
  if place.is_comment then return list end
  if place.language then
    local is_fortran = (document.language or ""):find "^fortran" ~= nil
    add_directive_words(list, place.before, place.language, is_fortran, document.variables)
  elseif place.receiver then
    local name = place.receiver
    if name == "rules=" or name == "base=" or name == "rules" or name:find "^expect%.differs" then
      local set = {}
      for _, profile in ipairs(profiles.names()) do set[profile] = true end
      add_all(list, set, "value", "rule profile")
    elseif name == "cites=" or place.before:find "^%u+%d*%-" then
      add_all(list, rules.names(), "constant", "rule")
    elseif name == "expect.fails" or name == "expect.invalid" or name == "expect.warns" then
      add_all(list, diagnostic.codes(), "constant", "error code")
    elseif name:find "^expect%." or name == "host" or name == "addr" or name == "sizeof" then
      for _, variable in ipairs(document.variables or {}) do
        list[#list + 1] = { label = variable, kind = KIND.variable, detail = "variable of the host program" }
      end
    end
  elseif document.kind == "scenario" then
    local before = document:line(line):sub(1, column - 1)
    if before:find "host%.[%w_]*$" then
      for _, variable in ipairs(document.variables or {}) do
        list[#list + 1] = { label = variable, kind = KIND.variable, detail = "variable of the host program" }
      end
    else
      add_names(list, before)
    end
  end
  for _, item in ipairs(list) do item.data = item.data or { topic = item.label } end
  return list
end

return completion
