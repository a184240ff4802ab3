-- picture_style.lua - the style of pictures: CSS for pages, attributes for SVG files.
--
-- Pages define the colours as variables: light by default, dark if the reader's system prefers it, or by data-theme on
-- the root element. An SVG file has light colours as attributes of its elements, because many viewers ignore style
-- sheets.

local text_file = require "accdeep.base.text_file"

-- Returns the text of a style sheet of this folder, without its first line, a comment.
local function style_sheet(name) return (text_file.read("inspect/draw/" .. name):gsub("^[^\n]*\n", "")) end

-- Declarations of the colours, and rules about the shapes of pictures.
local light, dark = style_sheet "light.css":match "{(.*)\n}", style_sheet "dark.css":match "{(.*)\n}"
local shapes = style_sheet "picture.css"

local colours = {}
for name, colour in light:gmatch "%-%-(%w[%w-]*): (#%x+);" do colours[name] = colour end

-- Returns the CSS rules of `shapes` as a list of {selector, weight, order, attributes}, beginning with the weakest.
-- `selector`: a list of {tag or false, class ...}, the outermost element first. `attributes`: SVG attribute -> value.
local function parse_rules()
  local list = {}
  for selector, body in (".paper { fill: var(--paper); }\n" .. shapes):gmatch "([^{}]+){([^}]*)}" do
    local attributes = {}
    for name, value in body:gmatch "([%w-]+):%s*([^;]+);" do
      value = value:gsub("var%(%-%-([%w-]+)%)", colours):gsub('"', "'")
      if name == "font" then
        attributes["font-weight"] = value:match "^(%d+) "
        attributes["font-size"], attributes["font-family"] = value:match "(%d+)px (.*)$"
      else
        attributes[name] = value:gsub("px$", "")
      end
    end
    for each in selector:gmatch "[^,]+" do
      local rule = { selector = {}, weight = 0, order = #list, attributes = attributes }
      for part in each:gmatch "%S+" do
        local compound = { part:match "^%a+" or false }
        for class in part:gmatch "%.([%w-]+)" do compound[#compound + 1] = class end
        rule.selector[#rule.selector + 1] = compound
        rule.weight = rule.weight + 100 * (#compound - 1) + (compound[1] and 1 or 0)
      end
      list[#list + 1] = rule
    end
  end
  table.sort(list, function(a, b) return a.weight < b.weight or a.weight == b.weight and a.order < b.order end)
  return list
end

-- Returns true if a part of a selector, {tag or false, class ...}, matches an element {tag, classes}, whose `classes`
-- are a set.
local function is_about(compound, element)
  if compound[1] and compound[1] ~= element.tag then return false end
  for i = 2, #compound do if not element.classes[compound[i]] then return false end end
  return true
end

-- Returns true if a selector of parse_rules matches the last of `elements`, each of which is nested in the previous
-- one.
local function selects(selector, elements)
  local k = #selector
  if not is_about(selector[k], elements[#elements]) then return false end
  k = k - 1
  for i = #elements - 1, 1, -1 do if k > 0 and is_about(selector[k], elements[i]) then k = k - 1 end end
  return k == 0
end

local rules_of_shapes -- cache of parse_rules(); nil before the first picture is drawn

-- Returns the SVG text `text` in which attributes with the styles of the classes replace the classes.
local function inline_styles(text)
  rules_of_shapes = rules_of_shapes or parse_rules()
  local open = {}
  return (text:gsub("<(/?)(%l+)([^<>]-)(/?)>", function(ends, tag, rest, empty)
    if ends == "/" then
      open[#open] = nil
      return nil
    end
    local element = { tag = tag, classes = {} }
    for class in (rest:match ' class="([^"]*)"' or ""):gmatch "%S+" do element.classes[class] = true end
    open[#open + 1] = element
    local attributes, names = {}, {}
    for _, rule in ipairs(rules_of_shapes) do
      if selects(rule.selector, open) then
        for name, value in pairs(rule.attributes) do attributes[name] = value end
      end
    end
    for name in pairs(attributes) do names[#names + 1] = name end
    table.sort(names)
    for i, name in ipairs(names) do names[i] = (' %s="%s"'):format(name, attributes[name]) end
    if empty == "/" then open[#open] = nil end
    return ("<%s%s%s%s>"):format(tag, rest:gsub(' class="[^"]*"', ""):gsub(' data%-%l+="[^"]*"', ""),
      table.concat(names), empty)
  end))
end

-- Returns the text of a CSS rule with the declarations `variables`.
local function rules(selector, variables) return ("%s {%s\n}\n"):format(selector, variables) end

return {
  -- style sheet of a page; the attribute data-theme of the root element replaces the system's choice of colours
  page = rules(":root", light) .. "@media (prefers-color-scheme: dark) {\n"
    .. rules(':root:not([data-theme="light"])', dark) .. "}\n" .. rules(':root[data-theme="dark"]', dark)
    .. style_sheet "page.css" .. shapes .. "@media print {\n" .. rules(":root:root", light) .. "}\n",
  inline_styles = inline_styles,
}
