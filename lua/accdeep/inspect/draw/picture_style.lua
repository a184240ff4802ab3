-- picture_style.lua - the style of pictures: CSS for pages, attributes for SVG files.
--
-- Pages define the colours as variables: light by default, dark if the reader's system prefers it, or by data-theme on
-- the root element. An SVG file has light colours as attributes of its elements, because many viewers ignore style
-- sheets.

local light = [[
  --paper: #ffffff; --ink: #1c2024; --muted: #687078; --faint: #9aa1a8; --line: #c3c9cf; --edge: #59616a;
  --host: #f5f5f2; --device: #eaf2fb; --head: #e7e9e4; --device-head: #cfe2f7; --box: #ffffff;
  --gone: #f0f0ee; --moved: #b45309; --moved-back: #fdf0dc; --changed: #15803d; --attached: #1d4ed8;
  --wrong: #c81e1e; --wrong-back: #fde8e8; --mark: #fff3bf;]]
local dark = [[
  --paper: #16191d; --ink: #e4e7ea; --muted: #9aa3ad; --faint: #6d7681; --line: #3d454e; --edge: #a5aeb8;
  --host: #1d2126; --device: #18232f; --head: #2c3238; --device-head: #213a55; --box: #101316;
  --gone: #202429; --moved: #f0a94a; --moved-back: #3a2a12; --changed: #5fd38a; --attached: #7fb0ff;
  --wrong: #ff8080; --wrong-back: #421c1e; --mark: #574a12;]]

local shapes = [[
.pic { font: 11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.pic text { fill: var(--ink); }
.pic .side { stroke: var(--line); } .pic .side.host { fill: var(--host); } .pic .side.device { fill: var(--device); }
.pic .label { font: 600 13px system-ui, sans-serif; fill: var(--muted); }
.pic .caption { font: 600 14px system-ui, sans-serif; } .pic .failure { fill: var(--wrong); font-weight: 600; }
.pic .small { fill: var(--muted); }
.pic .band { fill: none; stroke: var(--attached); stroke-opacity: .45; }
.pic .fused rect { fill: none; stroke: var(--attached); stroke-width: 1.6; stroke-dasharray: 6 3; }
.pic .body { fill: var(--box); stroke: var(--edge); } .pic .head { fill: var(--head); }
.pic .device .head { fill: var(--device-head); }
.pic .title { font-weight: 700; font-size: 12px; } .pic .note { fill: var(--muted); font-size: 10.5px; }
.pic .rule { stroke: var(--line); }
.pic .absent .body, .pic .absent .head { fill: var(--gone); stroke-dasharray: 4 3; }
.pic .absent .body { stroke: var(--faint); } .pic .absent text { fill: var(--muted); }
.pic .group .body { stroke-width: 2; stroke-dasharray: 1 3; }
.pic .new .body { stroke: var(--attached); stroke-width: 1.8; }
.pic .offending .body { stroke: var(--wrong); stroke-width: 2.4; } .pic .offending .head { fill: var(--wrong-back); }
.pic .row.moved rect { fill: var(--moved-back); } .pic .arrowmark { fill: var(--moved); font-weight: 700; }
.pic .row rect { fill: none; }
.pic .row.changed .value { fill: var(--changed); font-weight: 700; } .pic .row.unknown .value { fill: var(--moved); }
.pic .row.excluded text, .pic .row.elided text { fill: var(--faint); font-style: italic; }
.pic .row.wrong .value { fill: var(--wrong); }
.pic .row.offending rect { fill: var(--wrong-back); } .pic .row.offending text { fill: var(--wrong); font-weight: 700; }
.pic .name { fill: var(--muted); }
.pic .link { fill: none; stroke: var(--edge); stroke-width: 1.2; } .pic .tip { fill: var(--edge); }
.pic .link.attached, .pic .link.device { stroke: var(--attached); stroke-width: 1.5; }
.pic .tip.attached, .pic .tip.device { fill: var(--attached); }
.pic .link.untranslated { stroke: var(--wrong); stroke-dasharray: 5 3; } .pic .tip.untranslated { fill: var(--wrong); }
.pic .link.group { stroke: var(--faint); stroke-dasharray: 2 3; } .pic .tip.group { fill: var(--faint); }
.pic .port { fill: var(--edge); } .pic .device .port { fill: var(--attached); }
.pic .twin .body { stroke: var(--moved); stroke-width: 2.4; }
]]

local page = [[
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 14px/1.45 system-ui, sans-serif; }
header, nav { display: flex; align-items: center; gap: 10px; padding: 8px 16px; flex-wrap: wrap; }
header { border-bottom: 1px solid var(--line); } h1 { font-size: 16px; margin: 0; } header label { margin-left: auto; }
nav { position: sticky; top: 0; background: var(--paper); border-bottom: 1px solid var(--line); z-index: 1; }
button, select { font: inherit; color: inherit; background: var(--host); border: 1px solid var(--line);
  border-radius: 6px; padding: 3px 9px; } select { max-width: 30em; } button:disabled { opacity: .4; }
button:not(:disabled) { cursor: pointer; }
:focus-visible { outline: 2px solid var(--attached); outline-offset: 1px; }
.track { position: relative; flex: 1; min-width: 140px; display: flex; } #slider { width: 100%; margin: 0;
  accent-color: var(--attached); }
.tick { position: absolute; top: -9px; width: 9px; height: 9px; margin-left: -4.5px; padding: 0; border: 0;
  border-radius: 5px; background: var(--wrong); } #count { min-width: 8em; text-align: right; }
main { padding: 12px 16px; } .quiet { color: var(--muted); font-size: 13px; }
#directive { font: 600 15px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre-wrap; }
mark { background: var(--mark); color: inherit; border-radius: 3px; padding: 0 1px; }
mark.wrong { background: var(--wrong-back); color: var(--wrong); text-decoration: underline wavy var(--wrong); }
#error { margin: 8px 0; padding: 8px 12px; border-left: 4px solid var(--wrong); background: var(--wrong-back);
  border-radius: 4px; } #error strong { color: var(--wrong); } #error pre { margin: 6px 0; overflow-x: auto; }
.columns { display: flex; gap: 16px; align-items: flex-start; margin-top: 8px; }
.columns.wide { flex-direction: column; align-items: stretch; } .columns.wide #source { max-height: 240px; }
.drawing { flex: 1 1 60%; min-width: 0; } .scroll { overflow: auto; } .pic { display: block; height: auto; }
.legend { white-space: pre-wrap; } .drawing p { margin: 4px 0; }
.code { flex: 1 1 34%; min-width: 0; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
#source { margin: 0; padding: 6px 0 6px 3.6em; max-height: 480px; overflow: auto;
  font: 12px/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  position: relative; }
#source li { white-space: pre; padding: 0 8px; } #source li::marker { color: var(--faint); }
#source .now { background: var(--mark); } #source .wrong { background: var(--wrong-back); }
.tables { display: grid; grid-template-columns: repeat(auto-fit, minmax(310px, 1fr)); gap: 16px; margin-top: 14px; }
.tables section { min-width: 0; overflow-x: auto; } h2 { font-size: 13px; margin: 0 0 4px; color: var(--muted);
  text-transform: uppercase; letter-spacing: .04em; }
table { border-collapse: collapse; width: 100%; font-size: 13px; } th { text-align: left; color: var(--muted);
  font-weight: 500; } td, th { padding: 2px 6px 2px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; } td.op, td.number { overflow-wrap: normal; }
td:last-child { white-space: nowrap; } button[aria-pressed="true"] { background: var(--mark); }
tbody tr:hover { background: var(--mark); } td.number { text-align: right; font-variant-numeric: tabular-nums; }
td:first-child, .op, #events td:nth-child(2) {
  font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 12px; }
.op.h2d, .op.d2h { color: var(--moved); font-weight: 600; } .op.attach { color: var(--attached); }
abbr.rule { font-size: 12px; color: var(--muted); text-decoration: underline dotted; cursor: help; }
.level ul { margin: 2px 0 8px; padding-left: 1.4em; font-size: 13px; }
@media (max-width: 900px) {
  .columns { flex-direction: column; align-items: stretch; }
  #source { max-height: 240px; } }
@media print { nav button, .track, #theme, #size, header label { display: none; } nav { position: static; }
  #source { max-height: none; } .code { flex: 0 0 100%; } .columns { flex-direction: column; }
  .drawing { width: 100%; } section { break-inside: avoid; } .code { break-inside: auto; } }
]]

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
    .. rules(':root:not([data-theme="light"])', dark) .. "}\n" .. rules(':root[data-theme="dark"]', dark) .. page
    .. shapes .. "@media print {\n" .. rules(":root:root", light) .. "}\n",
  inline_styles = inline_styles,
}
