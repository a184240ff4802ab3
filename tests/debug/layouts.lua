-- Types from the debug information of a program, compared with what the program prints of their layout.
-- PROGRAM is the program, LANGUAGE its language; see layouts.c for the lines.

local core = require "accdeep.core"
local memory_view = require "accdeep.backend.memory_view"

local program, language = os.getenv "PROGRAM", os.getenv "LANGUAGE"

scenario { title = "layouts of " .. program:match "[^/]*$", language = language, cites = { "HOUSE-debug" },
  descriptors = language == "fortran" and "gfortran" or nil }

local declare_text = language == "fortran" and fortran or declare
local first = { c = "%s object%d;", fortran = "%s :: object%d" }
local dot = language == "fortran" and "%" or "."

local objects, compared = {}, 0

-- A variable of a type: its name.
local function object_of(name)
  if not objects[name] then
    declare_from(program, name)
    table.insert(objects, name)
    objects[name] = "object" .. #objects
    declare_text(first[language]:format(name, #objects))
  end
  return objects[name]
end

local function address(text) return (memory_view.address(addr(text))) end

local function compare(name, member, offset, bytes)
  local object = object_of(name)
  if member == "" then return expect.equal(sizeof(object), bytes) end
  local path = object .. dot .. member
  expect.equal({ name, member, sizeof(path) }, { name, member, bytes })
  expect.equal({ name, member, address(path) - address(object) }, { name, member, offset })
end

-- What a Fortran program has in an object, read here: the first object's name stands for p.
local function read(expression)
  return host(expression:gsub("%f[%a]p%f[%A]", objects["type(particle)"]))
end

for line in io.popen(("%q"):format(program)):lines() do
  local name, member, offset, bytes = line:match "^(.-)|(.-)|(%d+)|(%d+)$"
  if name then
    compare(name, member, tonumber(offset), tonumber(bytes))
    compared = compared + 1
  end
  local bytes_of = line:match "^bytes|(%x+)$"
  if bytes_of then
    local object = bytes_of:gsub("%x%x", function(x) return string.char(tonumber(x, 16)) end)
    core.put(address(objects["type(particle)"]), object)
  end
  local expression, value = line:match "^value|(.-)|%s*(%S+)$"
  if expression then expect.equal({ expression, read(expression) }, { expression, tonumber(value) }) end
end
expect(compared > 8, "the program prints its layouts")

if objects["std::vector<float>"] then -- a template is known by its instances
  expect.fails("unknown-type", "shape type(@std::vectr) include(x[0:1])")
  acc "shape(first) type(std::vector) include(_M_impl._M_start[0:_M_impl._M_finish - _M_impl._M_start])"
  expect.fails("duplicate-name", "shape(@first) type(std::vector<float>) include(_M_impl._M_start[0:1])")
  acc(("enter data copyin<first>(%s)"):format(objects["std::vector<float>"]))
  expect.fails("unknown-type", function() declare "std::vector values;" end,
    { help = "name an instance: std::vector<" })
end
