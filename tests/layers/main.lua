-- main.lua [--picture] ROOT OBJECT...|MODULE.lua... - checks references between files against the table of layers.
--
-- Object files: it checks references between the C files of the core and its products, the headers that they include,
-- and what these headers declare. For Lua modules it checks what they require. It prints each violation, and fails if
-- there is one.
-- --picture also prints, for each folder, its lines and the number of file pairs that refer to each other folder.

local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/?.lua;" .. package.path
local references, layers = require "references", require "layers"

-- Most functions that an include directive may show, in the median of all directives.
local MAX_SHOWN_FUNCTIONS = 20

local wants_picture = arg[1] == "--picture"
if wants_picture then table.remove(arg, 1) end
local root = assert(arg[1], "usage: main.lua [--picture] ROOT OBJECT...|MODULE...")

local text_of = require "files"(root)

local of_modules = arg[2] and arg[2]:find "%.lua$" ~= nil
local layout = of_modules and layers.modules or layers.core
local files, missing
if of_modules then files, missing = require "modules"(table.move(arg, 2, #arg, 1, {}), text_of)
else files, missing = require "objects"(table.pack(table.unpack(arg, 2))), {} end
assert(#files > 0, "no object files")

-- Returns the sources and the headers that they include from their own folder and from layers.
local function with_includes()
  local list, seen = {}, {}
  local function add(path)
    local file = not seen[path] and io.open(root .. "/" .. path, "rb")
    seen[path] = true
    if not file then return end
    local entry = { path = path, includes = {}, text = file:read "a" }
    list[#list + 1] = entry
    for row in entry.text:gmatch "[^\n]+" do
      local name = row:match '^#include "([^"]+)"'
      for _, folder in ipairs(name and { path:match "^(.*)/", "core", "exec" } or {}) do
        local header = folder .. "/" .. name
        local exists = io.open(root .. "/" .. header, "rb")
        if exists then
          exists:close()
          entry.includes[#entry.includes + 1] = header
          add(header)
          break
        end
      end
    end
    file:close()
  end
  for _, file in ipairs(files) do add(file.path) end
  return list
end

local public = ""
for _, header in ipairs(layout.headers) do public = public .. text_of(header) end
local problems, counts = references.problems(layout, files, references.declared(public, "ACCD_API"))

local sources = with_includes()
for _, found in ipairs { references.includes(layout, sources),
  of_modules and {} or references.declarations(layout, files, sources, MAX_SHOWN_FUNCTIONS) } do
  table.move(found, 1, #found, #problems + 1, problems)
end
table.move(missing, 1, #missing, #problems + 1, problems)

local function picture()
  local lines, order = {}, {}
  for _, file in ipairs(files) do
    local folder = references.folder_of(counts, file.path)
    local _, n = text_of(file.path):gsub("\n", "")
    if folder then lines[folder] = (lines[folder] or 0) + n end
  end
  for i = #layout.layers, 1, -1 do order[#order + 1] = layout.layers[i] end
  local products = {}
  for folder in pairs(layout.products) do products[#products + 1] = folder end
  table.sort(products)
  table.move(products, 1, #products, #order + 1, order)
  for _, from in ipairs(order) do
    local row = {}
    for _, to in ipairs(order) do
      local n = counts[from] and counts[from][to]
      if n then row[#row + 1] = ("%s %d"):format(to, n) end
    end
    if counts[from] then print(("%-16s %5d lines  -> %s"):format(from, lines[from] or 0, table.concat(row, ", "))) end
  end
end

if wants_picture then picture() end
for _, problem in ipairs(problems) do print(problem) end
if #problems > 0 then print(("%d of them"):format(#problems)) end
os.exit(#problems == 0)
