-- layout_world.lua - random class hierarchies, and their layout by compilers, for layout_test.lua.
--
-- A hierarchy is a list of classes, declared in a namespace. A class is {name, members, ...} with the text that
-- declares it. members: all named members of an object, its own and inherited ones.

local world = {}

local SCALARS = { "char", "signed char", "short", "int", "long", "float", "double", "bool", "unsigned", "long double",
  "char *", "double *", "void (*%s)(int)", "size_t" }

local function pick(list) return list[math.random(#list)] end
local function chance(percent) return math.random(100) <= percent end

-- Returns a class that may use those in `classes`.
local function new_class(classes, number, scope)
  local class = { name = "C" .. number, members = {}, own = {}, count = 0 }
  local out = {}
  local function add(text, ...) out[#out + 1] = text:format(...) end
  local kind = pick { "struct", "struct", "class" }
  local is_template = chance(15)
  local spelled = class.name
  if is_template then
    add("template<class T, int N> ")
    spelled = ("%s<%s, %d>"):format(class.name, pick { "char", "int", "double" }, math.random(1, 5))
  end
  class.spelled = scope .. "::" .. spelled -- private base classes must be named with their scope
  local align = chance(3) and "alignas(64) " or ""
  add("%s %s%s", kind, align, class.name)

  -- Base classes: a class with data can be a base only once.
  local bases, has = {}, {}
  for _ = 1, chance(60) and math.random(1, 3) or 0 do
    local base = #classes > 0 and pick(classes)
    local fits = base and not has[base.name]
    for name in pairs(base and base.data or {}) do fits = fits and not has[name] end
    if fits then
      has[base.name] = true
      for name in pairs(base.data) do has[name] = true end
      bases[#bases + 1] = base
    end
  end
  class.data = {} -- names of base classes with data in an object
  for i, base in ipairs(bases) do
    add("%s %s%s", i == 1 and " :" or ",", pick { "", "public ", "protected ", "private " }, base.spelled)
    for name in pairs(base.data) do class.data[name] = true end
    table.move(base.members, 1, #base.members, #class.members + 1, class.members)
    if base.has_table then class.has_table = true end
  end
  add(" {\n  friend struct Probe;\n")

  local function member()
    class.count = class.count + 1
    local name = ("m%d_%d"):format(number, class.count)
    local before = chance(3) and "alignas(64) " or ""
    local array = chance(20) and ("[%d]"):format(math.random(1, 3)) or ""
    local t = pick(SCALARS)
    if chance(30) and #classes > 0 then t = pick(classes).spelled end
    if is_template and chance(50) then t, array = "T", chance(50) and "[N]" or "" end
    local declared = t:find("%s", 1, true) and t:format(name) or ("%s %s%s"):format(t, name, array)
    class.members[#class.members + 1] = name
    add("  %s%s;\n", before, declared)
  end
  local things = {
    function()
      class.count = class.count + 1
      add("  static int s%d; static const int K%d = 4; typedef double value_type%d;\n", class.count, class.count,
        class.count)
    end,
    function() add("  %s:\n", pick { "public", "private", "protected" }) end,
    function()
      class.count = class.count + 1
      add("  int size%d() const { if (this) { return 1; } else return '}'; } void clear%d();\n", class.count,
        class.count)
    end,
    function()
      class.count = class.count + 1
      local name = ("u%d_%d"):format(number, class.count)
      add("  union { %s %s; char %sb[%d]; };\n", pick { "int", "double", "char" }, name, name, math.random(1, 9))
      class.members[#class.members + 1] = name
    end,
    function()
      class.count = class.count + 1
      local name = ("n%d_%d"):format(number, class.count)
      add("  struct I%s { %s a; char b; }; I%s %s;\n", name, pick { "int", "double", "char" }, name, name)
      class.members[#class.members + 1] = name
    end,
  }
  local before = #class.members
  local is_small = chance(35)
  for _ = 1, is_small and 0 or math.random(0, 4) do
    if chance(25) then pick(things)() else member() end
  end
  if #class.members > before then class.data[class.name] = true end
  local specials = { "~%s();", "%s &operator=(const %s &) { return *this; }", "explicit %s(int);", "%s(const %s &);",
    "%s();", "template<class U> %s(U);", "%s &operator=(int) { return *this; }" }
  if (not is_small or chance(20)) and chance(35) then
    add("  public: " .. pick(specials):gsub("%%s", class.name) .. "\n")
  elseif chance(10) then
    add("  public: " .. pick { "%s() = default;", "~%s() = default;", "%s(const %s &) = delete;",
      "%s &operator=(%s &&) = default;" }:gsub("%%s", class.name) .. "\n")
  end
  if chance(12) then
    add("  public: virtual int f%d();\n", number)
    if not class.has_table then class.data[class.name], class.has_table = true, true end
  end
  add("};\n")
  class.text = table.concat(out)
  return class
end

-- Returns the hierarchy of a number, with at most `most` classes.
function world.hierarchy(number, most)
  local classes = {}
  for i = 1, math.random(2, most) do classes[i] = new_class(classes, i, "h" .. number) end
  return classes
end

function world.text(classes, number)
  local out = { ("namespace h%d {\nstruct Probe;\n"):format(number) }
  for _, class in ipairs(classes) do out[#out + 1] = class.text end
  out[#out + 1] = "}\n"
  return table.concat(out)
end

-- Returns a program that prints for each class its hierarchy, number, size, alignment, and member offsets.
function world.program(hierarchies)
  local out = { "#include <cstddef>\n#include <cstdio>\n" }
  for number, classes in ipairs(hierarchies) do
    out[#out + 1] = world.text(classes, number)
    out[#out + 1] = ("namespace h%d { struct Probe { static void print() {\n"):format(number)
    for i, class in ipairs(classes) do
      out[#out + 1] = ("  { typedef %s X; X *p = (X *)0x10000; printf(\"%d %d %%zu %%zu\", sizeof(X), alignof(X));\n")
        :format(class.spelled, number, i)
      for _, name in ipairs(class.members) do
        out[#out + 1] = ("    printf(\" %%ld\", (long)((char *)&p->%s - (char *)p));\n"):format(name)
      end
      out[#out + 1] = "    printf(\"\\n\"); (void)p; }\n"
    end
    out[#out + 1] = "} }; }\n"
  end
  out[#out + 1] = "int main() {\n"
  for number in ipairs(hierarchies) do out[#out + 1] = ("  h%d::Probe::print();\n"):format(number) end
  out[#out + 1] = "}\n"
  return table.concat(out)
end

-- Returns a compiler's output: hierarchy -> class -> line of numbers; or nil and the reason if it does not compile.
function world.compiled(compiler, text, folder)
  local source, program = folder .. "/layout.cc", folder .. "/layout"
  local file <close> = assert(io.open(source, "w"))
  file:write(text)
  file:close()
  if not os.execute(("%s -std=c++17 -w -O0 -o %s %s"):format(compiler, program, source)) then return nil end
  local said = {}
  for line in io.popen(program):lines() do
    local number, class, rest = line:match "^(%d+) (%d+) (.*)$"
    number, class = tonumber(number), tonumber(class)
    said[number] = said[number] or {}
    said[number][class] = rest
  end
  return said
end

return world
