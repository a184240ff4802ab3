-- lookup.lua - hover and go to definition: what `accdeep explain` says about a word, and where the text of a rule or
-- name is.

local conformance = require "accdeep.definitions.conformance"
local context = require "accdeep.tools.lsp.context"
local diagnostic = require "accdeep.base.diagnostic"
local documents = require "accdeep.tools.lsp.documents"
local reference = require "accdeep.inspect.reference"
local rules = require "accdeep.definitions.rules"
local system = require "accdeep.system"
local topics = require "accdeep.inspect.topics"

local lookup = {}

-- Returns the description of a word (topics.describe); nil if it has none, or if it is not meant here. Rules and codes
-- with a hyphen are meant everywhere, names of the scenario language in its code, codes in its strings, and words of
-- directives in directives.
local function describe(word, place, is_scenario)
  if rules.has(word) then return topics.describe(word) end
  if place.is_comment then return nil end
  local is_code = diagnostic.phase(word) ~= nil
  if place.language then return topics.describe(word) end
  if not is_scenario then return nil end
  if place.receiver then return (is_code or place.receiver:find "rules") and topics.describe(word) or nil end
  return reference.text(word)
end

-- Returns the hover of a place: {text, first, last}, columns from 1 on; nil if there is nothing to say. `line`,
-- `column`: from 1 on.
function lookup.hover(document, line, column)
  local text = document:line(line)
  local is_scenario = document.kind == "scenario"
  local place = context.at(document, line, column)
  local first = place.language and column - #place.before or 0 -- a directive's name may have several words
  if first >= 1 then
    local name, after = context.directive(text:sub(first), place.language)
    local description = name and column <= first + after - 1 and topics.describe(name)
    if description then
      return { text = description, first = first + #text:sub(first):match "^%s*", last = first + after - 2 }
    end
  end
  for _, word in ipairs(context.words(text, column)) do
    local description = describe(word.text, place, is_scenario)
    if description then return { text = description, first = word.first, last = word.last } end
  end
  return nil
end

-- Returns the line of a file that contains `text` first; nil if the file cannot be read or does not contain it.
local function line_with(path, text)
  local file = io.open(path, "rb")
  if not file then return nil end
  local number, found = 0, nil
  for line in file:lines() do
    number = number + 1
    if line:find(text, 1, true) then
      found = number
      break
    end
  end
  file:close()
  return found
end

-- Returns path and line of the text of a rule; nil if the specification is not installed.
function lookup.rule(id)
  if not rules.has(id) then return nil end
  local ok, folder = pcall(conformance.folder)
  if not ok then return nil end
  for _, document in ipairs(rules.documents) do
    if id:sub(1, #document.prefix + 1) == document.prefix .. "-" then
      local path = system.realpath(("%s/rules/%s.lua"):format(folder, document.file))
      local line = path and line_with(path, ('id = "%s"'):format(id))
      if line then return path, line end
    end
  end
end

-- Returns path and line of the page about a name of the scenario language, or about an error code; nil if the pages are
-- not installed.
function lookup.page(name)
  local ok, folder = pcall(conformance.folder)
  if not ok then return nil end
  local heading, page
  if reference.find(name) then
    local entry = reference.find(name)
    heading, page = "### " .. (entry.class or entry.name):gsub("_", "\\_"), "reference.md"
  elseif diagnostic.phase(name) then
    heading, page = ("`%s`"):format(name), "errors.md"
  else
    return nil
  end
  for _, pages in ipairs { folder .. "/reference/", folder .. "/../../doc/accdeep/spec/reference/" } do
    local path = system.realpath(pages .. page)
    local line = path and (line_with(path, heading) or line_with(path, (heading:gsub("\\", ""))))
    if line then return path, line end
  end
end

-- Returns the location of the rule or name at a place as {uri, line}; nil if there is none.
function lookup.definition(document, line, column)
  for _, word in ipairs(context.words(document:line(line), column)) do
    local path, at = lookup.rule(word.text)
    if not path then path, at = lookup.rule(rules.normalize_id(word.text)) end
    if path then return { uri = documents.uri(path), line = at } end
  end
  if document.kind ~= "scenario" then return nil end
  local place = context.at(document, line, column)
  if place.is_comment then return nil end
  for _, word in ipairs(context.words(document:line(line), column)) do
    local is_meant = not place.receiver or place.language or diagnostic.phase(word.text)
    local path, at
    if is_meant then path, at = lookup.page(word.text) end
    if path then return { uri = documents.uri(path), line = at } end
  end
end

return lookup
