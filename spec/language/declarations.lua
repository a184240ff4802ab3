-- C's declarations: types, variables, initial values, classes, templates, namespaces, and what is refused.
scenario { title = "C: declarations" }

declare [[
  struct point { int x, y; };
  union number { int i; float f; };
  enum colour { RED, GREEN };
  int n = 3, a[2];
  float f;
  template<class T> struct box { T value; };
  template<class T, int N> struct block { T a[N]; };
  class part { public: int twice() { return 2 * k; } int pick(int i) { return i + k; } int k; };
  class part part;
]]

case("accepts: initial values are in order, by name and by index [HOUSE-language]", function()
  declare [[
    struct point p = { .y = 2, .x = 1 }, list[3] = { { 1, 2 }, [2] = { 5, 6 } };
    union number u = { .f = 1.5f };
    int grid[2][2] = { { 1 }, { 2, 3 } }, open[] = { [4] = 9 };
    char word[4] = "abc";
    typedef struct point pair_of_numbers;
    pair_of_numbers q = p;
  ]]
  expect.host("p.x * 10 + p.y", 12)
  expect.host("list[1].x + list[2].y", 6)
  expect.host("u.f", 1.5)
  expect.host("grid[0][1] + grid[1][1]", 3)
  expect.equal(sizeof "open", 20)
  expect.host("word[2]", 99)
  expect.host("q.y", 2)
end)

case("accepts: templates, namespaces, references and member functions may be declared"
  .. " [HOUSE-language HOUSE-names]", function()
  declare [[
    box<float> b; block<int, 3> three;
    namespace outer { namespace inner { int deep = 4; } typedef int number; }
    outer::number m = outer::inner::deep;
    int &r = n;
  ]]
  expect.equal(sizeof "b", 4)
  expect.equal(sizeof "three", 12)
  expect.host("m + r", 7)
  host.part = { k = 5 }
  expect.host("part.twice() + part.pick(1)", 16)
end)

case("rejects: a type is unknown or has no size"
  .. " [HOUSE-names HOUSE-language HOUSE-version HOUSE-layout TR14-3.1.1-04 HOUSE-limit]", function()
  expect.invalid({ "struct unheard @v;", "struct unheard list@[2];", "void @v;", "void list@[3];", "int @list[];",
    "@unheard v;", "@enum unheard e;", "@long char v;", "@short double v;", "@unsigned float v;", "@box v;",
    "struct s { struct s @inner; };", "struct s { void @v; };",
    "struct s : public @unheard { int n; };" }, "unknown-type")
  expect.invalid({ "int list@[-1];", "int list@[4611686018427387904];" }, "invalid-section")
  expect.invalid({ "int list[@n];", "int list[@f];", "@union point v;", "@struct number v;", "@struct colour v;",
    "box<@5> v;", "@box<int, int> v;", "@block<int> v;", "block<@3, 3> v;",
    "struct s { alignas(@3) int n; };" }, "type-mismatch")
  expect.invalid({ "block<int, @unheard> v;" }, "unknown-name")
  expect.invalid({ "struct s { int @list[]; };", "struct s { int n @: 3; };",
    "struct s : @virtual point { };" }, "unsupported")
  expect.invalid({ "struct s { int n; float @n; };", "struct s { int n; @struct { int n; }; };",
    "struct one { int k; }; struct two { int k; }; struct s : one, @two { };",
    "struct s { typedef int t; typedef float @t; };",
    "class s { public: int f() { return 1; } @int f() { return 2; } };" }, "duplicate-name")
  expect.invalid({ "struct s : @public number { };" }, "not-a-struct")
  expect.invalid({ "template<class T> struct ever { @ever<ever<T> > *p; ever<ever<T> > v; }; ever<int> e;" }, "limit")
end)

case("rejects: a name is declared twice [HOUSE-names LLNL-3.2-01]", function()
  expect.invalid({ "int b; int @b;", "enum { one, @one };", "typedef int t; typedef float @t;",
    "template<class T> struct two { T v; }; template<class T> @struct two { T w; };",
    "extern int b; float @b; int b;" }, "duplicate-name")
  expect.invalid({ "int &n = @f;" }, "type-mismatch")
end)

case("rejects: an initial value does not fit [HOUSE-language HOUSE-names HOUSE-scenario LLNL-3.2-01]", function()
  expect.invalid({ "int v = @{ 1, 2 };", "int v = @{ .x = 1 };", "int list[2] = @5;", "struct point p = @5;",
    "int *p = @f;", "int *p = @1.5;", "int *p = @5;", "int *p = @n;",
    "int &r = @f;", "int &r = @5;", "int &@r;", "int @(&r)[2];",
    "int @&list[2];" }, "type-mismatch")
  expect.invalid({ "int list[2] = { 1, 2, @3 };", "int list[2] = { [@2] = 1 };", "int list[2] = { [@-1] = 1 };",
    "char word[2] = @\"long\";", "struct point p = { 1, 2, @3 };", "union number u = { 1, @2 };" }, "out-of-bounds")
  expect.invalid({ "int list[2] = { .@x = 1 };", "struct point p = { .@z = 1 };" }, "unknown-member")
  expect.invalid({ "int v = @unheard;" }, "unknown-name")
  expect.invalid({ "int v = n @/ (n - 3);" }, "scenario-error")
end)

case("rejects: a text is not a declaration, or is not supported [HOUSE-version HOUSE-syntax]", function()
  expect.fails("unsupported", { "@using namespace std;", "int f(int x) @{ return x; }",
    "template<@class... T> struct pack { int n; };", "template@<> struct box<int> { int n; };" }, { by = declare })
  expect.fails("syntax", { "@}", "namespace one { int k@;", "extern \"C\" { int k@;", "int v@", "int @= 3;",
    "struct { int n;@", "int @3v;", "struct point p = { 1, @;", "template<class T> @{ T v; };" }, { by = declare })
end)

case("rejects: a call names an unknown member function or has other arguments"
  .. " [TR14-3.1.1-21 HOUSE-language HOUSE-names]", function()
  expect.fails("unknown-member", { "part.@thrice()", "part.@k()", "part.@twice" }, { by = host })
  expect.fails("type-mismatch", { "part.twice@(1)", "part.pick@()", "part.pick@(1, 2)" }, { by = host })
  expect.fails("not-a-pointer", "part@->twice()", { by = host })
end)

case("rejects: a size or enumerator is not an integer, or a reference has a used name [HOUSE-language HOUSE-names]",
  function()
    expect.invalid({ "int list[@1.5];", "int list[@\"x\"];", "enum { one = 1.5f @+ 1 };", "enum { one = @(void *)0 };",
      "int list[4] = { [@1.5] = 1 };" }, "type-mismatch")
    expect.invalid({ "int b; int &@b = n;", "int b; int *@b;", "int &r = n; int &@r = n;" }, "duplicate-name")
  end)

case("rejects: a class does not declare the type, or a template has no name [HOUSE-names HOUSE-syntax]", function()
  declare "struct later; enum paint { RED };"
  expect.fails("unknown-type", { "@later::z v;", "@paint::z v;" }, { by = declare })
  expect.invalid({ "@template<class T> struct { T t; };" }, "syntax")
end)

case("accepts: a constant of an inner scope has its own type [HOUSE-names HOUSE-language]", function()
  declare [[
    template<long N> struct outer {
      template<int N> struct inner { char c[sizeof(N)]; };
      inner<1> i;
    };
    outer<3> o;
  ]]
  expect.host("sizeof(o)", 4)
end)
