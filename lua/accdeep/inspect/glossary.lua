-- glossary.lua - terms for `accdeep explain TERM`.

local rules = require "accdeep.definitions.rules"
local terms = require "accdeep.definitions.terms"

local glossary = {}

local by_name -- each spelling of a term -> its entry

-- Upper and lower case, hyphens, underscores and blanks are the same.
local function normalize(name) return (name:lower():gsub("[-_%s]+", " ")) end

-- What a list of an entry holds.
function glossary.list(text)
  local list = {}
  for name in (text or ""):gmatch "[^,]+" do list[#list + 1] = name:match "^%s*(.-)%s*$" end
  return list
end

-- All terms and their other forms, as keys.
function glossary.all()
  if by_name then return by_name end
  by_name = {}
  for _, entry in ipairs(terms) do
    by_name[entry[1]] = entry
    for _, name in ipairs(glossary.list(entry.also)) do by_name[name] = entry end
  end
  return by_name
end

-- The entry of a term, in any spelling, or of its plural.
local function find(name)
  local names, wanted = glossary.all(), normalize(name)
  return names[wanted] or names[wanted:gsub("s$", "")]
    or names[wanted:gsub("es$", "")] or names[wanted:gsub("ies$", "y")]
end

-- The term that a name stands for, if that is another word; nil: there is none.
function glossary.term(name)
  local entry = find(name)
  return entry and entry[1] ~= normalize(name) and entry[1] or nil
end

-- The document that a term comes from.
function glossary.source(entry)
  local prefix = entry.rule and entry.rule:match "^[^-]+"
  for _, document in ipairs(rules.documents) do
    if document.prefix == prefix and prefix ~= "HOUSE" then return document.title end
  end
  return "accdeep"
end

-- What there is to say of a term; nil if it is none.
function glossary.text(name)
  local entry = find(name)
  if not entry then return nil end
  local out = { ("%s  a term, from %s"):format(entry[1], glossary.source(entry)) }
  local function add_text(text) out[#out + 1] = rules.wrap_text(text, "  ", 100) end
  add_text(entry.text)
  if entry.also then add_text("also: " .. entry.also) end
  if entry.rule then out[#out + 1] = ("  rule: %s  %s"):format(entry.rule, rules.first_words(entry.rule)) end
  add_text("see: " .. entry.see)
  return table.concat(out, "\n") .. "\n"
end

return glossary
