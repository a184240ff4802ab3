-- picture_style.lua - the style of pictures: CSS for pages, attributes for SVG files.
--
-- Pages define the colours as variables: light by default, dark if the reader's system prefers it, or by data-theme on
-- the root element. An SVG file has light colours as attributes of its elements, because many viewers ignore style
-- sheets. A style sheet in the file replaces each of them if the reader's system prefers dark colours. It selects
-- elements by the values of their attributes. Therefore all light colours differ.

local text_file = require "accdeep.base.text_file"

-- Returns the text of a style sheet of this folder, without its first line, a comment.
local function style_sheet(name) return (text_file.read("inspect/draw/" .. name):gsub("^[^\n]*\n", "")) end

-- Declarations of the colours, and rules about the shapes of pictures.
local light, dark = style_sheet "light.css":match "{(.*)\n}", style_sheet "dark.css":match "{(.*)\n}"
local shapes = style_sheet "picture.css"

-- Returns the colours of declarations as a table from name to value, and a list of the names.
local function colours_of(declarations)
  local colours, names = {}, {}
  for name, colour in declarations:gmatch "%-%-(%w[%w-]*): (#%x+);" do
    colours[name], names[#names + 1] = colour, name
  end
  return colours, names
end

local colours, names = colours_of(light)

-- Returns the style sheet of an SVG file that replaces light colours by dark ones.
local function dark_rules()
  local dark_colours, rules, is_used = colours_of(dark), {}, {}
  for _, name in ipairs(names) do
    assert(not is_used[colours[name]], "two light colours are equal")
    is_used[colours[name]] = true
    for _, property in ipairs { "fill", "stroke" } do
      rules[#rules + 1] = ('[%s="%s"]{%s:%s}'):format(property, colours[name], property, dark_colours[name])
    end
  end
  return "@media (prefers-color-scheme:dark){" .. table.concat(rules) .. "}"
end

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

-- Returns the SVG text `text` in which attributes with the styles of the classes replace the classes and what only
-- scripts need. The style sheet for dark colours is added at its beginning.
local function inline_styles(text)
  rules_of_shapes = rules_of_shapes or parse_rules()
  local open = {}
  local plain = text:gsub("<(/?)(%l+)([^<>]-)(/?)>", function(ends, tag, rest, empty)
    if ends == "/" then
      open[#open] = nil
      return nil
    end
    local element = { tag = tag, classes = {} }
    for class in (rest:match ' class="([^"]*)"' or ""):gmatch "%S+" do element.classes[class] = true end
    open[#open + 1] = element
    local attributes, keys = {}, {}
    for _, rule in ipairs(rules_of_shapes) do
      if selects(rule.selector, open) then
        for name, value in pairs(rule.attributes) do attributes[name] = value end
      end
    end
    for name in pairs(attributes) do keys[#keys + 1] = name end
    table.sort(keys)
    for i, name in ipairs(keys) do keys[i] = (' %s="%s"'):format(name, attributes[name]) end
    if empty == "/" then open[#open] = nil end
    return ("<%s%s%s%s>"):format(tag, rest:gsub(' class="[^"]*"', ""):gsub(' data%-%l+="[^"]*"', "")
      :gsub(' tabindex="0" role="button"', ""), table.concat(keys), empty)
  end)
  return (plain:gsub("<svg[^>]*>", function(head) return head .. "\n<style>" .. dark_rules() .. "</style>" end, 1))
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
