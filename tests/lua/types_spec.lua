-- Types and their layout, against the C compiler of this machine.
local support = require "tests.lua.support"
local types = require "accdeep.types"

local declarations = [[
  struct plain { char c; int i; short s; double d; char e; };
  struct packed_well { double d; long l; int i, j; short s; char c, e; };
  struct nested { char c; struct plain p; float f; struct { short a; char b; } in[3]; };
  struct anonymous { int kind; union { double d; struct { char lo, hi; }; }; char tail; };
  union any { char c; short s[5]; long l; float f; };
  struct pointers { char *p; int n; void *q[3]; int (*r)[4]; char tail; };
  struct arrays { char c[3]; short m[2][3]; float v[5]; long double x; char y; };
  enum color { RED, GREEN = 7, BLUE };
  enum sign { MINUS = -1, PLUS = 1 };
  struct mixed { enum color c; _Bool b; enum sign s; unsigned char u; unsigned long ul; };
  struct empty_tail { long l; char c; };
  struct outer { struct empty_tail t[2]; char c; };
  struct list { struct list *next; int value; };
  typedef struct { float x, y, z; } point;
  typedef point triangle[3];
  struct mesh { int n; point *points; triangle first; triangle *all; size_t sizes[2]; int8_t small;
    uint16_t half; };
  union deep { struct nested n; struct mesh m; char bytes[200]; };
]]

local records = { "struct plain", "struct packed_well", "struct nested", "struct anonymous", "union any",
  "struct pointers", "struct arrays", "struct mixed", "struct empty_tail", "struct outer",
    "struct list", "point",
  "struct mesh", "union deep" }
local scalars = { "char", "signed char", "unsigned char", "short", "unsigned short", "int",
  "unsigned", "long",
  "unsigned long", "long long", "unsigned long long", "float", "double", "long double", "_Bool", "void *",
  "enum color", "enum sign", "triangle", "size_t", "int64_t", "long unsigned int", "short int unsigned" }

-- The members of a record by name, those of anonymous ones too.
local function members(t)
  local names = {}
  for name in pairs(t.by_name) do names[#names + 1] = name end
  table.sort(names)
  return names
end

describe("layout", function()
  local session = support.session(declarations)
  local syntax = require "accdeep.syntax"
  local function type_of(text) return session:type_of(syntax.parse("any_type", text, 1, session.now.scope)) end

  local program = { "#include <stdio.h>\n#include <stddef.h>\n#include <stdint.h>\n", declarations,
    "int main(void) {\n" }
  local found = {}
  for _, name in ipairs(scalars) do
    local t = type_of(name)
    found[#found + 1] = ("%s %d %d"):format(name, t.size, t.align)
    program[#program + 1] = ('printf("%s %%zu %%zu\\n", sizeof(%s), _Alignof(%s));\n'):format(name,
      name, name)
  end
  for _, name in ipairs(records) do
    local t = type_of(name)
    found[#found + 1] = ("%s %d %d"):format(name, t.size, t.align)
    program[#program + 1] = ('printf("%s %%zu %%zu\\n", sizeof(%s), _Alignof(%s));\n'):format(name,
      name, name)
    for _, member in ipairs(members(t)) do
      local m = types.member(t, member)
      found[#found + 1] = ("%s.%s %d %d"):format(name, member, m.offset, m.type.size)
      program[#program + 1] = ('printf("%s.%s %%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n'):format(
        name, member, name, member, name, member)
    end
  end
  program[#program + 1] = "return 0; }\n"

  it("is that of the C compiler", function()
    local base = os.tmpname()
    local file = assert(io.open(base .. ".c", "w"))
    file:write(table.concat(program))
    file:close()
    finally(function()
      for _, suffix in ipairs { "", ".c", ".x" } do os.remove(base .. suffix) end
    end)
    assert.truthy(os.execute(("gcc -std=c11 -o %s.x %s.c"):format(base, base)))
    local pipe = assert(io.popen(base .. ".x"))
    local wanted = {}
    for line in pipe:lines() do wanted[#wanted + 1] = line end
    pipe:close()
    assert.is_true(#wanted > 60)
    assert.same(wanted, found)
  end)

  it("names types as C does", function()
    for _, case in ipairs { { "int", "int" }, { "struct plain *", "struct plain *" }, { "char *[3]",
      "char *[3]" },
      { "int (*)[4]", "int (*)[4]" }, { "double[2][3]", "double [2][3]" }, { "unsigned", "unsigned int" },
      { "void **", "void **" }, { "enum color", "enum color" } } do
      assert.equal(case[2], types.name(type_of(case[1])))
    end
  end)

  it("tells types apart", function()
    assert.is_true(types.same(type_of "int *", type_of "int *"))
    assert.is_true(types.same(type_of "int[3]", type_of "int[3]"))
    assert.is_false(types.same(type_of "int[3]", type_of "int[4]"))
    assert.is_false(types.same(type_of "int *", type_of "unsigned *"))
    assert.is_false(types.same(type_of "struct plain", type_of "struct list"))
  end)

  it("refuses what is not a type", function()
    for _, words in ipairs { { "void", "int" }, { "signed", "unsigned" }, { "long", "long",
      "long" }, { "short", "long" },
      { "float", "double" }, { "unsigned", "float" }, { "char", "short" } } do
      assert.is_nil(types.builtin(words), table.concat(words, " "))
    end
  end)
end)
