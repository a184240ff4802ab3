-- make.lua SOURCE BUILD - writes the pages of BUILD/docs and the annotations of BUILD/annotations. What is told of
-- profiles is asked of the core: the module must be there.

local source, build = arg[1], arg[2]
package.path = ("%s/lua/?.lua;%s/lua/?/init.lua;%s"):format(source, source, package.path)
package.cpath = ("%s/lua/?.so;%s"):format(build, package.cpath)

local annotations = require "docs.annotations"
local header = require "docs.header"
local pages = require "docs.pages"
local profiles = require "accdeep.see.reference.profiles"

local function read(path)
  local file = assert(io.open(source .. "/" .. path))
  local text = file:read "a"
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(build .. "/" .. path, "w"))
  assert(file:write(text))
  assert(file:close())
end

-- Header, page, what it is.
local headers = {
  { "lua/embed/accdeep.h", "c-accdeep", "deep copy for a C program: directives as text, on the program's own memory" },
  { "core/accdeep_core.h", "c-core", "constructs made of items, programs, devices, rules, events" },
  { "core/accdeep_rules.def", "c-rules", "what rule profiles decide, and what each profile decides" },
  { "core/accdeep_queues.h", "c-queues", "activity queues, and kernels on the device" },
  { "core/abi/directory/accdeep_directory.h", "c-directory", "data environments for runtimes of others" },
}

local index = { [[
# accdeep

- Tutorial, `examples/tutorial/tutorial.md`: from a flat array to a mutable deep copy
- [Reference](reference.md): every name of the scenario language and of the Lua package
- [Errors](errors.md): every code, what it means and what to do
- [Glossary](glossary.md): terms of the field and of accdeep
- [Rule profiles](profiles/index.md): what each decides, and by which rule]] }
for _, entry in ipairs(headers) do
  local path, page, about = table.unpack(entry)
  local name = path:match "[^/]+$"
  write(("docs/%s.md"):format(page), header.page(name, read(path)))
  index[#index + 1] = ("- [`%s`](%s.md): %s"):format(name, page, about)
end
write("docs/index.md", table.concat(index, "\n") .. "\n")
write("docs/reference.md", pages.reference())
write("docs/errors.md", pages.errors())
write("docs/glossary.md", pages.glossary())
write("docs/profiles/index.md", pages.profiles())
for _, entry in ipairs(profiles) do write(("docs/profiles/%s.md"):format(entry.name), pages.profile(entry.name)) end
for name, text in pairs(annotations.files()) do write("annotations/" .. name, text) end
