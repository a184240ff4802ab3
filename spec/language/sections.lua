-- Sections and variables where the scenario's own words take them, and directives of the wrong form.
scenario { title = "C: sections, variables and forms of directives" }

declare [[
  struct point { int x, y; };
  struct inner { int n; float *v; };
  struct outer { int m; struct inner in; struct inner *more; } o;
  struct row { int n; float **rows; } r;
  template<class T> struct box { T value; };
  int a[4] = { 1, 2, 3, 4 }, m[2][3], n = 3, zero = 0;
  const int fixed = 7;
  float f, *p, **pp;
  struct point pt;
  void *raw;
]]
host.p = { 1, 2, 3 }
func("twice", function(k) return 2 * k end)
declare "struct loop { int n; float *v; int again() { return again(); } } loop;"

local function present(text) expect.present(text) end
local function device(text) expect.device(text, 0) end
local function attached(text) expect.attached(text) end

case("accepts: expectations take sections of arrays and pointers [HOUSE-language]", function()
  acc "enter data copyin(a, p[0:3], m)"
  expect.present "a[1:2]"
  expect.present "p[0:n]"
  expect.present "m[0:2][0:3]"
  expect.device("a[0:3]", { 1, 2, 3 })
  expect.device("p[1:2]", { 2, 3 })
  expect.host("a[n - 3:2]", { 1, 2 })
end)

case("rejects: a section in an expectation has no length, a wrong bound, or no array"
  .. " [ACC33-2.7.1-1 HOUSE-language TR14-3.1.1-23 HOUSE-names]", function()
  expect.fails("type-mismatch", { "a[0:@f]", "a[0:@pt]", "@twice", "n @+ 1", "@5" }, { by = present })
  expect.fails("not-a-pointer", "n@[0:1]", { by = present })
  expect.fails("invalid-section", { "p@[0:]", "a@[0:-1]", "a@[2:n - 4]", "a@[0:2].x",
    "m[0:1]@[0:1].x" }, { by = present })
  expect.fails("unknown-name", { "@unheard", "@unheard[0:1]" }, { by = present })
end)

case("rejects: an attachment of a non-pointer is expected [ACC33-att-5 HOUSE-language]", function()
  expect.fails("not-a-pointer", { "n", "a", "a[0:1]", "pt" }, { by = attached })
  expect.fails("type-mismatch", "n @+ 1", { by = attached })
end)

case("rejects: a value is expected that is not on the device [HOUSE-language ACC33-2.6.7-1 HOUSE-names]", function()
  expect.fails("type-mismatch", "@twice", { by = device })
  expect.fails("not-present", { "@a[0:-1]", "*@n" }, { by = device })
  expect.fails("unknown-name", "@unheard", { by = device })
end)

case("rejects: a directive of OpenACC has another form"
  .. " [TR14-3.4-02 HOUSE-syntax ACC33-2.6-1 ACC33-2.9-1 ACC33-2.7-8 DIR-4.3-06 HOUSE-limit]", function()
  expect.fails("syntax", { "data copy(a@[0:2].x)", "data copy(n @+ 1)", "update self(a) @if", "set @default_async",
    "init @device_type", "wait @if", "exit data delete(a@[0:2].x)" })
  expect.fails("unknown-name", "data copy(@twice)")
  expect.fails("type-mismatch", "data copy(raw@[0:2])")
  expect.fails("conflicting-clauses", { "parallel private(n) private(@n)", "parallel private(n) copy(@n)" })
  expect.fails("region-nesting", { "@end data", "@cache(a)", "@atomic", "@loop gang" })
  expect.fails("clause-not-allowed", { "end data @copy(a)", "@routine seq" })
  expect.fails("limit", "data copyin(loop.v[0:loop.again@()])")
  expect.fails("null-pointer", "enter data copyin(r.rows[0:2]@[0:3])")
end)

case("rejects: a mapper or map names something that cannot be described"
  .. " [TR14-4.2-03 TR14-4.3-18 OMP60-map-3 HOUSE-syntax TR14-3.1.1-23 HOUSE-names]", function()
  expect.fails("unsupported", { "declare mapper(struct inner v) map(v.v[0:v.n]) map(v.@v[0:2])",
    "declare mapper(struct inner v) @map(iterator(i = 0:2), to: v.v[i])" }, { by = omp })
  expect.fails("unknown-type", "declare mapper(@struct never v) map(v)", { by = omp })
  expect.fails("syntax", { "declare mapper(struct inner v) map(@5)", "declare mapper(struct inner v) map(v @+ 1)",
    "target data map(to: a@[0:2].x)" }, { by = omp })
  expect.fails("unknown-name", "target data map(to: @twice)", { by = omp })
end)

case("rejects: a shape names an unknown type or member, or has another form"
  .. " [TR14-3.5-12 TR14-3.1.1-01 HOUSE-names]", function()
  expect.invalid({ "struct s { int n; float *v;\n#pragma acc shape include(v[@@@v][0:2])\n};" }, "invalid-section")
  expect.invalid({ "struct s { int n; float *v;\n#pragma acc @declare create(n)\n};" }, "clause-not-allowed")
  expect.invalid({ "#pragma acc declare create(@unheard)" }, "unknown-name")
  expect.invalid({ "@point::z v;", "@box<int>::z v;" }, "unknown-type")
end)

case("rejects: data have a type of unknown size [HOUSE-names HOUSE-language]", function()
  declare "struct later *later; int (*code)(int);"
  expect.fails("unknown-type", "enter data copyin(@*later)")
  expect.fails("type-mismatch", { "enter data copyin(@*raw)", "enter data copyin(@*code)" })
end)

case("rejects: a function of a bound frees memory, moves data, or has the name of a variable"
  .. " [TR14-3.1.1-21 HOUSE-names]", function()
  func("frees", function() free(addr "a") return 1 end)
  expect.fails("region-nesting", "enter data copyin(a[0:frees(1)])")
  func("moves", function() acc "enter data copyin(m)" return 1 end)
  expect.fails("region-nesting", "enter data copyin(a[0:moves(1)])")
  func("calls", function() acc_copyin "m" return 1 end)
  expect.fails("region-nesting", "enter data copyin(a[0:calls(1)])")
  expect.fails("duplicate-name", function() func("a", function() end) end)
  local err = expect.fails("unknown-type", function() method("unheard", "of", function() end) end)
  expect(err.line, "the error has a place")
end)

case("rejects: an update has too many pieces, or a shape follows pointers to rows"
  .. " [HOUSE-limit HOUSE-version]", function()
  declare "int big[80][80][80][2];"
  expect.fails("limit", "update self(big[0:80][0:80][0:79]@[0:1])")
  expect.fails("limit", "target update to(big[0:80][0:80][0:79]@[0:1])", { by = omp })
  expect.invalid({ "struct s { int n; float (**v)[3];\n#pragma acc shape include(v[0:n]@[0:2][0:3])\n};" },
    "unsupported")
end)

case("rejects: the second argument of acc names something else than a variable [HOUSE-syntax HOUSE-names]", function()
  local function references(text) acc("parallel", text) end
  expect.fails("syntax", { "a@[0]", "@5", "pt@.x", "@*n" }, { by = references })
  expect.fails("unknown-name", "@twice", { by = references })
end)

case("rejects: a nest and another clause name a member, or '@' is not the last section"
  .. " [TR14-3.4-06 TR14-3.5-01]", function()
  expect.fails("duplicate-clause", "data copy(o)@::{ include(m) } copy(o.in)")
  expect.invalid({ "struct s { float **v;\n#pragma acc shape include(v@[@@][0:2])\n};",
    "struct s { float v[3];\n#pragma acc shape include(v@[@@])\n};" }, "not-a-pointer")
end)

case("rejects: used policies treat a member differently [TR14-3.2.1-09]", function()
  expect.fails("duplicate-member", [[
    struct s {
      int n; float *v;
      #pragma acc shape include(v[0:n])
      #pragma acc policy(a) default(exclude)
      #pragma acc policy(b) default(copy)
      #pragma acc policy(c) use(a, @b)
    } s;
  ]], { by = declare })
end)

case("rejects: a mapper is for a type without members [OMP60-map-15 TR14-4.3-18]", function()
  declare "struct later; typedef struct later later_t;"
  expect.fails("unknown-type", { "declare mapper(@struct later v) map(v)", "declare mapper(@later_t v) map(v)" },
    { by = omp })
end)

case("rejects: a section of a container has no length, or a parameter has a wrong default"
  .. " [TR14-5-02 TR14-5-03]", function()
  rules "tr14x"
  declare "struct box { int n; float *v; };"
  expect.invalid({ "struct s { struct box in;\n#pragma acc shape include(in@[0:])\n};" }, "invalid-section")
  expect.fails("syntax", { "shape(q) type(struct box) with(shape z = @5) include(v[0:n])",
    "shape(q) type(struct box) with(policy z = n @+ 1) include(v[0:n])" })
end)

case("rejects: a bound is too long, or a member function in a bound changes a member"
  .. " [HOUSE-limit HOUSE-language]", function()
  local sum = "0"
  for i = 2, 80 do sum = sum .. " + n / " .. i end
  expect.fails("limit", "data copy(a[0:" .. sum .. "])")
  declare "struct grows { int n; float *v; int more() { return n = 3; } };"
  expect.fails("type-mismatch", "shape(q) type(struct grows) include(v[0:more@()])")
end)

case("rejects: a recursive shape names members of the object around [TR14-5-10]", function()
  rules "tr14x"
  for _, members in ipairs { "struct in *more; float *w;", "float *w; struct in *more;" } do
    expect.invalid("struct in { " .. members .. [[

      #pragma acc shape include(more[0:1], w[0:count])
    }; struct out { int count; struct in in;
      #pragma acc shape include(in)
    } o;]], "recursive-type", "TR14-5-10")
  end
end)
