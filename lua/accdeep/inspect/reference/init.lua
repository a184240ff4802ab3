-- reference - descriptions of all names of the scenario language and of the package. `accdeep explain NAME`, the
-- reference pages and the annotations for editors are made from them; tests run all examples and errors, and compare
-- the names with those that a script sees.
--
--   chapter {title, text, prelude?, package?, words?} with a list of entries.
--     prelude   text before each of its examples.
--     package   true: the chapter is about a Lua program, not about scenarios.
--     words     true: the chapter is about words in directives, each with its syntax.
--   entry {name, syntax?, is?, also?, params, returns?, text, rules, errors?, whole?, example}
--     is        "value", "table" or "callable" (with members); nil: a function.
--     also      synonyms; those of a routine are in the table of routines (run/api_routines.lua).
--     params    "name type - text"; a name that ends in ? is optional. returns: "type - text".
--     rules     ids.
--     errors    {code, when, a text that raises it}.
--     whole     true: example and errors need no prelude.
--   or entry {class, text, fields?, call?, operators?}, which describes a type of table.
--     call, operators   those of annotations (LuaCATS).

local api_routines = require "accdeep.base.lazy".require "accdeep.run.api_routines"
local rules = require "accdeep.definitions.rules"

local reference = {}

local chapters = { "language", "expectations", "deep_copy_words", "openacc_routines", "openmp_routines", "lua_library",
  "package" }

-- Returns a list of the chapters, in order. Their modules are loaded at first use.
function reference.chapters()
  local list = {}
  for i, name in ipairs(chapters) do
    list[i] = require("accdeep.inspect.reference." .. name)
    for _, entry in ipairs(name:find "_routines$" and list[i] or {}) do
      entry.also = entry.also or api_routines.synonyms(entry.name)
    end
  end
  return list
end

-- Returns name, type and text of a parameter or field, given as "name type - text". Returns nil for other texts.
function reference.field(text) return text:match "^(%S+) (.-) %- (.*)$" end
-- Returns type and text of a result, given as "type - text". Returns nil for other texts.
function reference.result(text) return text:match "^(.-) %- (.*)$" end

-- Returns a list of the names of an entry: its name, then its synonyms. The entry must have a name.
function reference.names(entry) return { entry.name, table.unpack(entry.also or {}) } end

-- Returns the signature of an entry, as f(a [, b]); for an entry without parameters, its syntax or name.
function reference.signature(entry)
  if not entry.params then return entry.syntax or entry.name end
  local out, optional = {}, 0
  for i, param in ipairs(entry.params) do
    local name = reference.field(param)
    local may = name:sub(-1) == "?"
    optional = optional + (may and 1 or 0)
    out[i] = (may and (i > 1 and " [, " or "[") or i > 1 and ", " or "") .. name:gsub("%?$", "")
  end
  return ("%s(%s%s)"):format(entry.name, table.concat(out), ("]"):rep(optional))
end

-- Returns a complete script for `text`, an example or error of `entry`: the prelude of its chapter, unless the entry is
-- `whole`, followed by `text`.
function reference.script(chapter, entry, text)
  return (entry.whole and "" or chapter.prelude or "") .. text
end

-- Returns the entry with the name or synonym `requested_name` and its chapter; nil if there is none. A class is found
-- by the name of the class.
function reference.find(requested_name)
  for _, chapter in ipairs(reference.chapters()) do
    for _, entry in ipairs(chapter) do
      if entry.class == requested_name then return entry, chapter end
      for _, name in ipairs(entry.name and reference.names(entry) or {}) do
        if name == requested_name then return entry, chapter end
      end
    end
  end
end

-- Returns the set of the names and synonyms of all entries: name -> true. `without_words`: true to omit words in
-- directives, which a script does not see.
function reference.all(without_words)
  local names = {}
  for _, chapter in ipairs(reference.chapters()) do
    for _, entry in ipairs(without_words and chapter.words and {} or chapter) do
      if entry.name then
        for _, name in ipairs(reference.names(entry)) do names[name] = true end
      end
    end
  end
  return names
end

-- ----------------------------------------------------------------------------------------- as text --

local WIDTH = 100

-- Appends a text, wrapped to lines that begin with the blanks `margin`, to `out`.
local function put(out, margin, text) out[#out + 1] = rules.wrap_text(text, margin, WIDTH) end

-- Appends the lines of `code`, indented, to `out`; empty lines are omitted.
local function put_code(out, code)
  for line in code:gmatch "[^\n]+" do out[#out + 1] = "    " .. line end
end

-- Appends a titled list to `out`; nothing for an empty list or nil. parse(item) returns name, type and text, or type
-- and text, of an item.
local function put_list(out, title, list, parse)
  if not list or #list == 0 then return end
  out[#out + 1] = title
  for _, item in ipairs(list) do
    local first, second, third = parse(item)
    local name, optional = first:match "^([%w_]+)(%??)$"
    put(out, "    ", third and ("%s (%s%s): %s"):format(name or first, second,
      optional == "?" and ", optional" or "", third) or ("%s: %s"):format(first, second))
  end
end

-- Returns the text about a name or class for a terminal; nil if the name has no entry.
function reference.text(requested_name)
  local entry, chapter = reference.find(requested_name)
  if not entry then return nil end
  local out = { entry.class or reference.signature(entry), "" }
  put(out, "  ", entry.text)
  if entry.also then put(out, "  ", "Also: " .. table.concat(entry.also, ", ")) end
  put_list(out, "\n  takes", entry.params, reference.field)
  put_list(out, "\n  gives", entry.returns, reference.result)
  put_list(out, "\n  fields", entry.fields, reference.field)
  put_list(out, "\n  errors", entry.errors, function(e) return e[1], e[2] end)
  if entry.rules then out[#out + 1] = "\n  rules: " .. entry.rules:gsub(" ", ", ") end
  if entry.example then
    out[#out + 1] = "\n  example"
    put_code(out, reference.script(chapter, entry, entry.example))
  end
  return table.concat(out, "\n") .. "\n"
end

return reference
