-- Declarations: variables with their values, and what is wrong in them.
local support = require "tests.lua.support"

after_each(support.close_all)

local function values(declarations, ...)
  local session = support.session(declarations)
  local found = {}
  for i, text in ipairs { ... } do found[i] = session:value(session:host_env(), text) end
  return found
end

describe("declared variables", function()
  it("start at zero", function()
    assert.same({ 0, 0.0, 0, 0 }, values("int a; double b; struct { int x[3]; } s; char c[4];", "a",
      "b", "s.x[2]", "c[3]"))
  end)

  it("take scalars, lists and strings", function()
    assert.same({ 3, 1.5, -1, 2 },
      values("int a = 3; float f = 1.5; char c = 255; unsigned u = 2.9;", "a", "f", "c", "u"))
    assert.same({ 1, 2, 0, 12 }, values("int v[3] = { 1, 2 }; int w[] = { 1, 2, 3 };", "v[0]",
      "v[1]", "v[2]", "(int)sizeof w"))
    assert.same({ 104, 0, 3 }, values('char t[] = "hi"; char u[8] = "hi";', "t[0]", "u[2]", "(int)sizeof t"))
  end)

  it("take nested lists and designators", function()
    assert.same({ 4, 7, 9, 0 }, values([[
      struct in { int a, b; }; struct out { struct in i[2]; int n; };
      struct out x = { .i[1].b = 7, .n = 9, .i[0] = { 4 } };]], "x.i[0].a", "x.i[1].b", "x.n", "x.i[1].a"))
    assert.same({ 0, 5, 6, 16 }, values("int v[] = { [2] = 5, 6 };", "v[0]", "v[2]", "v[3]", "(int)sizeof v"))
    assert.same({ 2, 3 }, values("union { int a; float b; } u = { 2 }, w = { .b = 3 };", "u.a", "w.b"))
    assert.same({ 8, 9 },
      values("struct { int k; union { int i; float f; }; } s = { .k = 8, .i = 9 };", "s.k", "s.i"))
  end)

  it("see those before them", function()
    assert.same({ 6, 1, 2 },
      values("int a = 5; int b = a + 1; int v[2] = { 1, 2 }; int *p = &v[1], *q = v;", "b", "q[0]", "p[0]"))
    assert.same({ 3, 12 }, values("enum { N = 3 }; int v[N]; typedef int T[N]; T t;", "N", "(int)sizeof t"))
  end)

  it("have enumerators that count on", function()
    assert.same({ 0, 5, 6, -1 }, values("enum E { A, B = 5, C, D = -1 } e;", "A", "B", "C", "D"))
  end)

  it("may be told of twice if extern or a type's name", function()
    support.session "int n; extern int n; struct S; struct S { int a; }; typedef int T; typedef int T; int f(int x); ;"
  end)

  it("keep what came before an error", function()
    local session = support.session()
    support.error_of(session.declare, session, "int good = 4; int bad = ;", "spec.lua", 1)
    assert.equal(4, session:value(session:host_env(), "good"))
  end)

  local errors = {
    { "int n; float n;", "duplicate-name", 14 }, { "struct S s;", "unknown-type", 10 }, { "void v;",
      "unknown-type", 6 },
    { "struct S { int a; int a; };", "duplicate-name", 23 }, { "struct S { struct S s; };",
      "unknown-type", 21 },
    { "int v[-1];", "invalid-section", 6 }, { "int v[2.5];", "type-mismatch", 7 }, { "int v[];",
      "unknown-type", 5 },
    { "enum E { A, A };", "duplicate-name", 13 }, { "Foo x;", "unknown-type", 1 },
      { "int v[2] = { 1, 2, 3 };", "out-of-bounds", 20 },
    { "int v[2] = { [2] = 1 };", "out-of-bounds", 15 }, { "struct { int a; } s = { 1, 2 };",
      "out-of-bounds", 28 },
    { "int v[3] = 4;", "type-mismatch", 12 }, { 'char c[2] = "abc";', "out-of-bounds", 13 },
      { "int x = y;", "unknown-name", 9 },
    { "struct S { unsigned b : 2; };", "unsupported", 23 }, { "struct S { int n[]; };", "unsupported", 16 },
    { "int n = 3; int v[n];", "type-mismatch", 18 }, { "float *p = 1.5;", "type-mismatch", 12 },
    { "enum E e;", "unknown-type", 1 }, { "struct S { int a; }; union S x;", "type-mismatch", 22 },
    { "#pragma pack(1)\nint x;", "unsupported", 9 }, { "#pragma acc data copy(x)\n",
      "clause-not-allowed", 13 },
  }
  for _, case in ipairs(errors) do
    it(("reports %s at its place"):format(case[1]:gsub("\n", " ")), function()
      local session = support.session()
      local err = support.error_of(session.declare, session, case[1], "spec.lua", 1)
      assert.equal(case[2], err.code)
      assert.equal(case[3], err.pos)
      assert.equal("spec.lua", err.file)
      assert.is_string(err.rule)
    end)
  end

  it("pass pragmas of others by", function()
    support.session "#pragma once\n#pragma GCC poison x\nint y;"
  end)
end)
