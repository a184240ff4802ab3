-- glossary.lua - texts about terms, for `accdeep explain TERM`.

local rules = require "accdeep.definitions.rules"
local terms = require "accdeep.definitions.terms"

local glossary = {}

local by_name -- cache of glossary.all: term or other form of it -> entry

-- Returns a name in lower case with blanks for hyphens and underscores.
local function normalize(name) return (name:lower():gsub("[-_%s]+", " ")) end

-- Returns a list of the names in a comma-separated text, without blanks around them; an empty list if `text` is nil.
function glossary.list(text)
  local list = {}
  for name in (text or ""):gmatch "[^,]+" do list[#list + 1] = name:match "^%s*(.-)%s*$" end
  return list
end

-- Returns a table of all terms and their other forms: name -> entry (definitions/terms.lua). The table is cached;
-- callers must not change it.
function glossary.all()
  if by_name then return by_name end
  by_name = {}
  for _, entry in ipairs(terms) do
    by_name[entry[1]] = entry
    for _, name in ipairs(glossary.list(entry.also)) do by_name[name] = entry end
  end
  return by_name
end

-- Returns the entry of a term in any spelling, in the singular or plural; nil if no term has this name.
local function find(name)
  local names, key = glossary.all(), normalize(name)
  return names[key] or names[key:gsub("s$", "")]
    or names[key:gsub("es$", "")] or names[key:gsub("ies$", "y")]
end

-- Returns the term for which `name` is another word; nil if `name` is the term itself or unknown.
function glossary.term(name)
  local entry = find(name)
  return entry and entry[1] ~= normalize(name) and entry[1] or nil
end

-- Returns the title of the document that defines the term of `entry`; "accdeep" for accdeep's own terms.
function glossary.source(entry)
  local prefix = entry.rule and entry.rule:match "^[^-]+"
  for _, document in ipairs(rules.documents) do
    if document.prefix == prefix and prefix ~= "HOUSE" then return document.title end
  end
  return "accdeep"
end

-- Returns the text about the term `name`, in any spelling; nil if there is no such term.
function glossary.text(name)
  local entry = find(name)
  if not entry then return nil end
  local out = { ("%s  a term, from %s"):format(entry[1], glossary.source(entry)) }
  -- Appends a wrapped text.
  local function add_text(text) out[#out + 1] = rules.wrap_text(text, "  ", 100) end
  add_text(entry.text)
  if entry.also then add_text("also: " .. entry.also) end
  if entry.rule then out[#out + 1] = ("  rule: %s  %s"):format(entry.rule, rules.title(entry.rule)) end
  add_text("see: " .. entry.see)
  return table.concat(out, "\n") .. "\n"
end

return glossary
