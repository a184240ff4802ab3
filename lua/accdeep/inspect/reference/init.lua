-- reference - every name of the scenario language and of the package, described once: `accdeep explain NAME`, the
-- reference pages and the annotations for editors are made from this.
--
-- A chapter is {title, text, prelude?, package?} with a list of entries; what its examples have in common is the
-- prelude; package: it is about a Lua program, not about scenarios; words: about words in directives, each with its
-- syntax. An entry is
--   {name, syntax?, is?, also?, params, returns?, text, rules, errors?, whole?, example}
-- is: "value", "table" or "callable" (with members); anything else is a function. also: further names of the same
-- meaning. params, returns: "name type - text", "type - text"; a name that ends in ? may be left out. rules: ids.
-- errors: {code, when, a text that raises it}. whole: example and errors stand alone, without the prelude. Or
--   {class, text, fields?, call?, operators?}
-- which describes a type of table; call and operators are those of annotations (LuaCATS). Tests run all examples and
-- all errors, and compare the names with those that a script sees.

local rules = require "accdeep.definitions.rules"

local reference = {}

local chapters = { "language", "expectations", "deep_copy_words", "openacc_routines", "openmp_routines", "lua_library",
  "package" }

-- All chapters, in order.
function reference.chapters()
  local list = {}
  for i, name in ipairs(chapters) do list[i] = require("accdeep.inspect.reference." .. name) end
  return list
end

-- Name, type and text of a parameter or field; type and text of a result.
function reference.field(text) return text:match "^(%S+) (.-) %- (.*)$" end
function reference.result(text) return text:match "^(.-) %- (.*)$" end

-- All names of an entry, its own first.
function reference.names(entry) return { entry.name, table.unpack(entry.also or {}) } end

-- How a function is called: f(a [, b]).
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

-- A text that stands alone: what is common to the chapter, and the entry's own.
function reference.script(chapter, entry, text)
  return (entry.whole and "" or chapter.prelude or "") .. text
end

-- The entry of a name and its chapter, or nil. A class is found by its own name.
function reference.find(wanted)
  for _, chapter in ipairs(reference.chapters()) do
    for _, entry in ipairs(chapter) do
      if entry.class == wanted then return entry, chapter end
      for _, name in ipairs(entry.name and reference.names(entry) or {}) do
        if name == wanted then return entry, chapter end
      end
    end
  end
end

-- All names that have an entry, as keys. without_words: those that a script sees.
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

local function put(out, margin, text) out[#out + 1] = rules.wrap_text(text, margin, WIDTH) end

local function put_code(out, code)
  for line in code:gmatch "[^\n]+" do out[#out + 1] = "    " .. line end
end

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

-- What there is to say about a name, for a terminal; nil if it has no entry.
function reference.text(wanted)
  local entry, chapter = reference.find(wanted)
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
