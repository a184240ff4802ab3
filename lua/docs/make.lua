-- make.lua SOURCE BUILD pages|annotations|disagreements|stale - writes generated documentation.
--
-- pages: the pages of SOURCE. annotations: BUILD/annotations. disagreements: the page and the scenarios about
-- differences between profiles. stale: prints which of these are outdated, and fails if one is. The core module must
-- be built, because it knows what profiles decide.

local source, build, target = table.unpack(arg)
package.path = ("%s/lua/?.lua;%s/lua/?/init.lua;%s"):format(source, source, package.path)
package.cpath = ("%s/lua/?.so;%s"):format(build, package.cpath)

-- Writes files to a folder. `files`: a table from path in the folder to text. Raises if a file cannot be written.
local function write(folder, files)
  for path, text in pairs(files) do
    local file = assert(io.open(folder .. "/" .. path, "w"))
    assert(file:write(text))
    assert(file:close())
  end
end

if target == "pages" then
  write(source, require "docs.page_files"(source))
elseif target == "disagreements" then
  local disagreements = require "docs.disagreements"
  write(source, (disagreements.files(source, disagreements.BOUND)))
elseif target == "stale" then
  local disagreements = require "docs.disagreements"
  local stale = disagreements.stale(source, disagreements.BOUND)
  for _, path in ipairs(stale) do print(path .. " is out of date: make disagreements") end
  os.exit(#stale == 0)
else
  write(build .. "/annotations", require "docs.annotations".files())
end
