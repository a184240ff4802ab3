-- selftest.lua - tests references.lua and modules.lua on synthetic files: violations that they must report, and
-- references that they must accept.

local here = arg[0]:match "^(.*)/[^/]*$" or "."
package.path = here .. "/?.lua;" .. package.path
local references = require "references"

local layout = {
  layers = { "low", "high" },
  beside = { driver = "low" },
  products = { driver = { public = true, uses = { "low" } }, shop = { public = true, uses = { "tools" } },
    tools = { public = true } },
}
local public = references.declared([[
MARK int open_it(int how, void (*called)(int));
MARK extern const struct thing a_thing, other_thing;
MARKED int not_this_one(int);
int nor_this_one(int);
]], "MARK")

local count = 0
local function test(name, holds)
  count = count + 1
  print(("%s %d - %s"):format(holds and "ok" or "not ok", count, name))
  if not holds then os.exit(1) end
end

-- Returns the problems of a tree of files as one text. files: {path, defines = "a b", uses = {{from, to} ...}}.
local function problems(files, exceptions)
  local list = {}
  for i, file in ipairs(files) do
    list[i] = { path = file[1], defines = {}, uses = {} }
    for name in (file.defines or ""):gmatch "%S+" do list[i].defines[name] = true end
    for k, use in ipairs(file.uses or {}) do list[i].uses[k] = { from = use[1], to = use[2] } end
  end
  local tree = setmetatable({ exceptions = exceptions }, { __index = layout })
  return table.concat((references.problems(tree, list, public)), "\n")
end

test("public names are those that are marked",
  public.open_it and public.a_thing and public.other_thing and not public.not_this_one and not public.nor_this_one)

test("a call down is not a problem", problems {
  { "low/a.c", defines = "f" }, { "high/b.c", defines = "g", uses = { { "g", "f" } } } } == "")

local up = problems {
  { "low/a.c", defines = "f", uses = { { "f", "g" } } }, { "high/b.c", defines = "g" } }
test("a call up is one, with both functions", up == "low/a.c: f uses g of high/b.c")

local cycle = problems {
  { "low/a.c", defines = "f", uses = { { "f", "g" } } },
  { "low/b.c", defines = "g", uses = { { "g", "h" } } },
  { "low/c.c", defines = "h", uses = { { "h", "f" } } },
  { "low/d.c", uses = { { "k", "f" } } } }
test("a cycle of files is one", cycle:find("low/a.c -> low/b.c -> low/c.c", 1, true)
  and cycle:find("low/c.c: h uses f of low/a.c", 1, true) and not cycle:find("low/d.c", 1, true))

local folders = problems({
  { "low/a.c", defines = "f", uses = { { "f", "g" } } },
  { "high/b.c", defines = "g" }, { "high/c.c", uses = { { "h", "f" } } } }, { "low/a.c > g" })
test("a cycle of folders is one", folders:find("cycle of folders: high -> low", 1, true))

test("a product uses the public header", problems {
  { "high/b.c", defines = "open_it" }, { "shop/s.c", uses = { { "s", "open_it" } } } } == "")
test("and nothing past it", problems {
  { "high/b.c", defines = "nor_this_one" }, { "shop/s.c", uses = { { "s", "nor_this_one" } } } }
  == "shop/s.c: s uses nor_this_one of high/b.c")
test("but the product it names", problems {
  { "tools/t.c", defines = "t" }, { "shop/s.c", uses = { { "s", "t" } } } } == "")
test("no layer uses a product", problems {
  { "shop/s.c", defines = "s" }, { "high/b.c", uses = { { "g", "s" } } } } == "high/b.c: g uses s of shop/s.c")
test("but one beside a lower layer", problems {
  { "driver/d.c", defines = "d" }, { "high/b.c", uses = { { "g", "d" } } } } == "")
test("which the layer beside it does not use", problems {
  { "driver/d.c", defines = "d" }, { "low/a.c", uses = { { "f", "d" } } } } == "low/a.c: f uses d of driver/d.c")
test("a file of its own name is not a call up", problems {
  { "low/a.c", defines = "f", uses = { { "g", "f" } } }, { "high/b.c", defines = "g" } } == "")
test("a file in no folder is a problem", problems { { "elsewhere/a.c" } }
  == "elsewhere/a.c: lies in no folder of the table")

test("an exception is passed over", problems({
  { "low/a.c", defines = "f", uses = { { "f", "g" } } }, { "high/b.c", defines = "g" } }, { "low/a.c > g" }) == "")
test("and one that is no more is a problem",
  problems({ { "low/a.c" } }, { "low/a.c > g" }):find("take it out", 1, true))

local function included(path, header)
  return table.concat(references.includes(layout, { { path = path, includes = { header } } }))
end
test("headers of lower layers are included", included("high/b.c", "low/low.h") == "")
test("those of higher ones are not",
  included("low/a.c", "high/high.h") == "low/a.c: includes high/high.h of a higher layer")
test("nor those that are a folder's own",
  included("high/b.c", "low/inside.h") == "high/b.c: includes low/inside.h, which is its folder's own")
test("but its own files do", included("low/a.c", "low/inside.h") == "")

-- Returns the problems of a header's declarations. f and g are defined in low/a.c.
local function declared(path, text, most)
  return table.concat(references.declarations({ headers = { "low/public.h" } },
    { { path = "low/a.c", defines = { f = true, g = true } } },
    { { path = path, includes = {}, text = text }, { path = "low/a.c", includes = { path }, text = "" } }, most or 9),
    "\n")
end
test("a header declares functions of its folder", declared("low/a.h", "int f(int (*use)(void));\n") == "")
test("and none of other folders",
  declared("high/a.h", "/* g(); */\nint f(void) __attribute__((cold));\n") == "high/a.h: declares f of low/a.c")
test("it may define functions that call them",
  declared("high/a.h", "static inline int h(void)\n{\n    f();\n}\n") == "")
test("a public header declares what it wants", declared("low/public.h", "int f(void);\nint other(void);\n", 0) == "")
test("a header shows few functions", declared("low/a.h", "int f(void);\nint g(void);\n", 1):find "shows 2 functions")

-- Returns the problems of Lua modules in two layers. texts: text by path.
local function wrong_modules(texts)
  local paths = {}
  for path in pairs(texts) do paths[#paths + 1] = path end
  table.sort(paths)
  local files, missing = require "modules"(paths, function(path) return texts[path] end)
  return table.concat(missing) .. table.concat((references.problems({ layers = { "lua/accdeep/low", "lua/accdeep/high",
    "lua/accdeep" }, products = {} }, files, {})))
end
test("a module uses modules of lower layers", wrong_modules { ["lua/accdeep/low/init.lua"] = "",
  ["lua/accdeep/high/a.lua"] = 'local low = require "accdeep.low"' } == "")
test("none of higher ones, not even inside a function", wrong_modules { ["lua/accdeep/high/a.lua"] = "",
  ["lua/accdeep/low/b.lua"] = 'return function() return require("accdeep.high.a") end' }
  == "lua/accdeep/low/b.lua: accdeep.low.b uses accdeep.high.a of lua/accdeep/high/a.lua")
test("nor those of its folder in a cycle", wrong_modules { ["lua/accdeep/low/a.lua"] = 'require "accdeep.low.b"',
  ["lua/accdeep/low/b.lua"] = 'require "accdeep.low.a"' }:find("cycle of files", 1, true))
test("and only modules that are there", wrong_modules { ["lua/accdeep/low/a.lua"] = 'require "accdeep.core"',
  ["lua/accdeep/high/b.lua"] = 'require "accdeep.low.gone"' }
  == "lua/accdeep/high/b.lua: requires accdeep.low.gone, which is not there")
for _, text in ipairs { [[require 'accdeep.high.a']], "require [[accdeep.high.a]]", "require[==[accdeep.high.a]==]",
  [[require ( "accdeep.high.a" )]], [[require--[=[ ]=](--
  'accdeep.high.a')]], [[pcall(require, "accdeep.high.a")]],
  [[local s = "a \"b" .. 'require' .. '\\' local t = #require "accdeep.high.a"]] } do
  test("however it is required: " .. text:gsub("%s+", " "), wrong_modules { ["lua/accdeep/high/a.lua"] = "",
    ["lua/accdeep/low/b.lua"] = text } == "lua/accdeep/low/b.lua: accdeep.low.b uses accdeep.high.a of "
    .. "lua/accdeep/high/a.lua")
end
test("nor the package itself", wrong_modules { ["lua/accdeep/init.lua"] = "",
  ["lua/accdeep/low/b.lua"] = 'require "accdeep"' }:find("accdeep.low.b uses accdeep of lua/accdeep/init.lua", 1, true))
test("a name that is put together stands for all modules that it may name", wrong_modules {
  ["lua/accdeep/high/a.lua"] = "", ["lua/accdeep/low/b.lua"] = 'return require("accdeep.high." .. name)' }
  == "lua/accdeep/low/b.lua: accdeep.low.b uses accdeep.high.a of lua/accdeep/high/a.lua")
test("comments and texts require nothing", wrong_modules { ["lua/accdeep/high/a.lua"] = "",
  ["lua/accdeep/low/b.lua"] = [=[-- require "accdeep.high.a"
    --[[ require "accdeep.high.a" ]]
    local text, other = [[ require "accdeep.high.a" ]], 'require "accdeep.high.a"'
    local word = require lpeg "accdeep.high.a"]=] } == "")
print("1.." .. count)
