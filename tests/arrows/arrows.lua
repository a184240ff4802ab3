-- arrows.lua ROOT OBJECT... - prints what is wrong with the references between the files of the core's house, and with
-- the headers they include, and fails if anything is. arrows.lua ROOT MODULE.lua... does so for the modules of the Lua
-- house and what they require. With --picture in front: the folders, their lines, and how many pairs of files each
-- arrow between them stands for.

local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/?.lua;" .. package.path
local check, floors = require "check", require "floors"

local wants_picture = arg[1] == "--picture"
if wants_picture then table.remove(arg, 1) end
local root = assert(arg[1], "usage: arrows.lua [--picture] ROOT OBJECT...|MODULE...")

local text_of = require "files"(root)

local of_modules = arg[2] and arg[2]:find "%.lua$" ~= nil
local layout = of_modules and floors.modules or floors.core
local files, missing
if of_modules then files, missing = require "modules"(table.move(arg, 2, #arg, 1, {}), text_of)
else files, missing = require "objects"(table.pack(table.unpack(arg, 2))), {} end
assert(#files > 0, "no object files")

-- The sources and the headers they include, those of their own folder and those of the floors.
local function with_includes()
  local list, seen = {}, {}
  local function add(path)
    local file = not seen[path] and io.open(root .. "/" .. path, "rb")
    seen[path] = true
    if not file then return end
    local entry = { path = path, includes = {} }
    list[#list + 1] = entry
    for row in file:lines() do
      local name = row:match '^#include "([^"]+)"'
      for _, folder in ipairs(name and { path:match "^(.*)/", "core" } or {}) do
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
local problems, counts = check.problems(layout, files, check.declared(public, "ACCD_API"))

for _, problem in ipairs(check.includes(layout, with_includes())) do problems[#problems + 1] = problem end
table.move(missing, 1, #missing, #problems + 1, problems)

local function picture()
  local lines, order = {}, {}
  for _, file in ipairs(files) do
    local folder = check.folder_of(counts, file.path)
    local _, n = text_of(file.path):gsub("\n", "")
    if folder then lines[folder] = (lines[folder] or 0) + n end
  end
  for i = #layout.floors, 1, -1 do order[#order + 1] = layout.floors[i] end
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
