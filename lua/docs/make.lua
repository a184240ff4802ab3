-- make.lua SOURCE BUILD pages|annotations - writes the pages of SOURCE, or the annotations of BUILD/annotations. The
-- core is asked what profiles decide: the module must be built.

local source, build, what = table.unpack(arg)
package.path = ("%s/lua/?.lua;%s/lua/?/init.lua;%s"):format(source, source, package.path)
package.cpath = ("%s/lua/?.so;%s"):format(build, package.cpath)

local function write(folder, files)
  for path, text in pairs(files) do
    local file = assert(io.open(folder .. "/" .. path, "w"))
    assert(file:write(text))
    assert(file:close())
  end
end

if what == "pages" then
  write(source, require "docs.files"(source))
else
  write(build .. "/annotations", require "docs.annotations".files())
end
