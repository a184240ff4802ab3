-- bundle.lua OUT.c ROOT FILE.lua... - writes Lua modules as C arrays of byte code; the build calls it.
--
-- Each module gets the name under which it is required and the chunk name @accdeep/x.lua. The rule catalogue is added
-- as accdeep.rules.x, and the packaged modules argparse and dkjson are added, too. A file in another language below
-- lua/accdeep becomes a module that returns its text: accdeep.text.PATH (lua/accdeep/base/text_file.lua). So does an
-- example: accdeep.text.examples/PATH.
--
-- `bundle.lua --places OUT.c ROOT FILE...` writes only the module accdeep.rules.places (places.lua), because every
-- change of a source changes it. OUT.c is not written if its text would be the same.

local writes_places = arg[1] == "--places"
if writes_places then table.remove(arg, 1) end

local out, root = arg[1], arg[2]
local examples = root:gsub("lua$", "examples/")
local modules, added = {}, {}

-- Returns the text of a file. Raises if it cannot be opened.
local function text_of(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

-- Returns byte code without the names of local variables and upvalues, because reading these names takes a fifth of the
-- start. Lines and other names are kept. Precondition: the format is that of Lua 5.4 (lundump.c in its sources).
local function without_names(code)
  local parts, from, at = {}, 1, 33 -- `at`: next byte to read; the header and the number of upvalues have 32 bytes
  -- The following functions read one element each at `at` and advance. skip reads bytes.
  local function skip(bytes) at = at + bytes end
  -- Reads a number of variable length: 7 bits per byte, the last byte has bit 7 set. Returns it.
  local function number()
    local n = 0
    repeat
      local byte = code:byte(at)
      n, at = n << 7 | byte & 0x7f, at + 1
    until byte >= 0x80
    return n
  end
  -- Reads a string: its length plus 1, and its bytes.
  local function text() skip(math.max(number() - 1, 0)) end
  -- Reads a list: its length, and its elements by read_element().
  local function list(read_element) for _ = 1, number() do read_element() end end
  -- Reads a list that is empty in the result.
  local function no_list(read_element)
    parts[#parts + 1] = code:sub(from, at - 1) .. "\x80"
    list(read_element)
    from = at
  end
  -- Reads a constant: a type, and a number (8 bytes), a string or nothing.
  local function constant()
    local kind = code:byte(at)
    skip(1)
    if kind == 0x03 or kind == 0x13 then skip(8) elseif kind & 0x0f == 0x04 then text() end
  end
  -- Reads two numbers.
  local function pair()
    number()
    number()
  end
  -- Reads a function and its inner functions.
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

-- Compiles the module `name` with the source `text`, and adds it to the modules. Raises if the name exists or the text
-- does not compile.
local function add(name, chunk_name, text)
  assert(not added[name], "two modules are named " .. name)
  added[name] = true
  local chunk = assert(load(text, chunk_name, "t"))
  local code = without_names(string.dump(chunk))
  assert(load(code, chunk_name, "b"))
  modules[#modules + 1] = { name = name, code = code }
end

-- Returns true if the source `path` can decide rules; descriptions of rules only mention rules.
local function decides(path) return not path:find "/spec/rules/" and not path:find "/accdeep/inspect/reference/" end

-- Adds the modules of the command line, argparse and dkjson. Raises if one is missing or does not compile.
local function add_modules()
  for i = 3, #arg do
    local rules = arg[i]:match "/spec/rules/([%w_]+%.lua)$"
    local example = arg[i]:sub(1, #examples) == examples and arg[i]:sub(#examples + 1)
    local relative = rules and "accdeep/rules/" .. rules or example and "accdeep/examples/" .. example
      or assert(arg[i]:sub(1, #root + 1) == root .. "/" and arg[i]:sub(#root + 2), arg[i])
    local name, text = relative:gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", "."), text_of(arg[i])
    if example or not relative:find "%.lua$" then
      name, text = relative:gsub("^accdeep/", "accdeep.text."), ("return %q"):format(text)
    end
    add(name, "@" .. relative, text)
  end
  for _, name in ipairs { "argparse", "dkjson" } do
    local path = assert(package.searchpath(name, package.path), "Debian package lua-" .. name .. " is missing")
    add(name, "@" .. name .. ".lua", text_of(path))
  end
end

-- Adds the module accdeep.rules.places, made from the sources of the command line.
local function add_places()
  local sources = {}
  for i = 3, #arg do if decides(arg[i]) then sources[#sources + 1] = arg[i] end end
  add("accdeep.rules.places", "@accdeep/rules/places.lua",
    dofile(root .. "/places.lua")(root:gsub("/lua$", ""), sources))
end

-- Returns the C array of a module's byte code.
local function array_text(i, code)
  local lines = { ("static const unsigned char code_%d[] = {"):format(i) }
  for at = 1, #code, 32 do lines[#lines + 1] = table.concat({ code:byte(at, at + 31) }, ",") .. "," end
  lines[#lines + 1] = "};\n"
  return table.concat(lines, "\n")
end

-- Returns the C initializer of module i, an entry of struct embedded_module.
local function module_text(i) return ("{\"%s\", code_%d, sizeof code_%d}"):format(modules[i].name, i, i) end

if writes_places then add_places() else add_modules() end
table.sort(modules, function(a, b) return a.name < b.name end)
local parts = { "/* Made by lua/bundle.lua. */\n#include \"modules.h\"\n\n" }
for i, module in ipairs(modules) do parts[#parts + 1] = array_text(i, module.code) end
if writes_places then
  parts[#parts + 1] = "const struct embedded_module embedded_places = " .. module_text(1) .. ";\n"
else
  parts[#parts + 1] = "static const struct embedded_module modules[] = {\n"
  for i in ipairs(modules) do parts[#parts + 1] = "    " .. module_text(i) .. ",\n" end
  parts[#parts + 1] = "};\nconst struct embedded_module *const embedded_modules[] = {\n    &embedded_places,\n"
  for i in ipairs(modules) do parts[#parts + 1] = ("    &modules[%d],\n"):format(i - 1) end
  parts[#parts + 1] = "    0,\n};\n"
end
local text = table.concat(parts)
local present = io.open(out, "rb")
if writes_places and present and present:read "a" == text then os.exit(true) end
local file = assert(io.open(out, "wb"))
file:write(text)
assert(file:close())
