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

-- Byte code without the names of local variables and upvalues, which take a fifth of a start to read; lines and other
-- names stay. The format is that of Lua 5.4 (its lundump.c).
local function without_names(code)
  local parts, from, at = {}, 1, 33 -- behind the header and the number of upvalues
  local function skip(bytes) at = at + bytes end
  local function number()
    local n = 0
    repeat
      local byte = code:byte(at)
      n, at = n << 7 | byte & 0x7f, at + 1
    until byte >= 0x80
    return n
  end
  local function text() skip(math.max(number() - 1, 0)) end
  local function list(one) for _ = 1, number() do one() end end
  local function no_list(one) -- passed by, and empty in the result
    parts[#parts + 1] = code:sub(from, at - 1) .. "\x80"
    list(one)
    from = at
  end
  local function constant()
    local kind = code:byte(at)
    skip(1)
    if kind == 0x03 or kind == 0x13 then skip(8) elseif kind & 0x0f == 0x04 then text() end
  end
  local function pair()
    number()
    number()
  end
  local function fn()
    text()
    pair()
    skip(3)
    skip(4 * number()) -- instructions
    list(constant)
    skip(3 * number()) -- upvalues
    list(fn)
    skip(number()) -- lines
    list(pair)
    no_list(function()
      text()
      pair()
    end)
    no_list(text)
  end
  fn()
  return table.concat(parts) .. code:sub(from)
end

local function add(name, chunk_name, text)
  assert(not seen[name], "two modules are named " .. name)
  seen[name] = true
  local chunk = assert(load(text, chunk_name, "t"))
  local code = without_names(string.dump(chunk))
  assert(load(code, chunk_name, "b"))
  modules[#modules + 1] = { name = name, code = code }
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
