-- bundle.lua OUT.c ROOT FILE... - turns Lua modules into C arrays of byte code, each under the name it
-- is required by and the chunk name @accdeep/x.lua. The rule catalogue goes along as accdeep.rules.x,
-- and two packaged modules: argparse, dkjson. Sources of C are only read: places.lua tells which rules they cite.

local out, root = arg[1], arg[2]
local modules, seen = {}, {}

local function text_of(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local function add(name, chunk_name, text)
  assert(not seen[name], "two modules are named " .. name)
  seen[name] = true
  local chunk = assert(load(text, chunk_name, "t"))
  modules[#modules + 1] = { name = name, code = string.dump(chunk) }
end

local sources = {}
for i = 3, #arg do
  if not arg[i]:find "/spec/rules/" and not arg[i]:find "/accdeep/see/reference/" then -- these tell, others decide
    sources[#sources + 1] = arg[i]
  end
  if not arg[i]:find "%.lua$" then goto continue end
  local rules = arg[i]:match "/spec/rules/([%w_]+%.lua)$"
  local relative = rules and "accdeep/rules/" .. rules
    or assert(arg[i]:sub(1, #root + 1) == root .. "/" and arg[i]:sub(#root + 2), arg[i])
  local name = relative:gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", ".")
  add(name, "@" .. relative, text_of(arg[i]))
  ::continue::
end
add("accdeep.rules.places", "@accdeep/rules/places.lua",
  dofile(root .. "/places.lua")(root:gsub("/lua$", ""), sources))
for _, name in ipairs { "argparse", "dkjson" } do
  local path = assert(package.searchpath(name, package.path), "Debian package lua-" .. name .. " is missing")
  add(name, "@" .. name .. ".lua", text_of(path))
end
table.sort(modules, function(a, b) return a.name < b.name end)

local file = assert(io.open(out, "w"))
file:write("/* Made by lua/bundle.lua. */\n#include \"modules.h\"\n\n")
for i, module in ipairs(modules) do
  file:write(("static const unsigned char code_%d[] = {"):format(i))
  local line = {}
  for at = 1, #module.code do
    line[#line + 1] = module.code:byte(at)
    if #line == 32 then
      file:write("\n", table.concat(line, ","), ",")
      line = {}
    end
  end
  file:write("\n", table.concat(line, ","), "\n};\n")
end
file:write("\nconst struct embedded_module embedded_modules[] = {\n")
for i, module in ipairs(modules) do
  file:write(("    {\"%s\", code_%d, sizeof code_%d},\n"):format(module.name, i, i))
end
file:write("    {0, 0, 0},\n};\n")
assert(file:close())
