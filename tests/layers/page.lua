-- page.lua ROOT [--write] - checks the pages for maintainers: ARCHITECTURE.md lists the layers as layers.lua does,
-- CHANGELOG.md has an entry for this version, and files named in the pages exist. --write updates the lists in
-- ARCHITECTURE.md.
--
-- A generated list is between <!-- layers: core --> and <!-- end -->: the layers, the highest first, then the
-- products with the folders that they use.

local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/?.lua;" .. package.path
local layers = require "layers"

local root, writes = assert(arg[1], "usage: page.lua ROOT [--write]"), arg[2] == "--write"
local PAGE, PAGES = "ARCHITECTURE.md", { "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md" }
local problems = {}

local text_of = require "files"(root)

local function exists(path)
  local file = io.open(root .. "/" .. path)
  if file then file:close() end
  return file ~= nil
end

-- Returns the generated list of a table of layers. Each folder must have a line in `about`, and `about` must have no
-- others.
local function drawn(tree)
  local lines, left = { "```text" }, {}
  for folder in pairs(tree.about) do left[folder] = true end
  local function line(folder, behind)
    if not tree.about[folder] then problems[#problems + 1] = ("layers.lua says nothing about %s"):format(folder) end
    left[folder] = nil
    lines[#lines + 1] = ("%-30s %s%s"):format(folder, tree.about[folder] or "", behind)
  end
  for i = #tree.layers, 1, -1 do line(tree.layers[i], "") end
  local products = {}
  for folder in pairs(tree.products) do products[#products + 1] = folder end
  table.sort(products)
  if products[1] then lines[#lines + 1] = "\nbeside them" end
  for _, folder in ipairs(products) do
    local product, uses = tree.products[folder], {}
    if product.public then uses[1] = "the public header" end
    table.move(product.uses or {}, 1, #(product.uses or {}), #uses + 1, uses)
    line(folder, #uses > 0 and "; uses " .. table.concat(uses, ", ") or "")
  end
  for folder in pairs(left) do problems[#problems + 1] = ("%s is neither a layer nor a product"):format(folder) end
  lines[#lines + 1] = "```"
  return "\n" .. table.concat(lines, "\n") .. "\n"
end

local page = text_of(PAGE)
local made, count = page:gsub("(<!%-%- layers: (%w+) %-%->)(.-)(<!%-%- end %-%->)", function(first, name, found, last)
  local wanted = "\n" .. drawn(layers[name]) .. "\n"
  if found ~= wanted and not writes then
    problems[#problems + 1] = ("%s: the layers of %s differ from layers.lua; lua5.4 tests/layers/page.lua . --write")
      :format(PAGE, name)
  end
  return first .. wanted .. last
end)
if count ~= 2 then problems[#problems + 1] = ("%s draws %d trees instead of 2"):format(PAGE, count) end
if writes then
  local file = assert(io.open(root .. "/" .. PAGE, "wb"))
  file:write(made)
  file:close()
end

local version = text_of "core/accdeep_core.h":match 'define ACCD_VERSION "(.-)"'
if not text_of "CHANGELOG.md":find("\n## " .. version, 1, true) then
  problems[#problems + 1] = "CHANGELOG.md has nothing about version " .. version
end

-- A quoted text with a folder and a suffix names a file; one that ends in a slash names a folder.
for _, name in ipairs(PAGES) do
  local n = 0
  for path in text_of(name):gmatch "`([%w_./-]+)`" do
    local is_folder = path:find "/$"
    if (is_folder or path:find "^[%w_]+/.*%.%l+$") and not path:find "^build" then
      n = n + 1
      if not exists(path) and not path:find "NAME" then
        problems[#problems + 1] = ("%s: there is no %s"):format(name, path)
      end
    end
  end
  if n == 0 then problems[#problems + 1] = name .. " names no file" end
end

for _, problem in ipairs(problems) do print(problem) end
os.exit(#problems == 0)
