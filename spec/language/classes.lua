-- Classes of C++: where their members lie, what their definitions may hold.
scenario { title = "Classes of C++" }

-- A text that declares D, its size, and offsets of members.
local function lies(text, size, offsets)
  local name = "V" .. size
  local function declared() declare(text .. (" D %s;"):format(name)) end
  if text:find "virtual" then expect.warns("unsupported", declared) else declared() end
  expect.equal({ text, sizeof "D" }, { text, size })
  for member, offset in pairs(offsets or {}) do
    expect.equal({ member, host(("(char *)&%s.%s - (char *)&%s"):format(name, member, name)) }, { member, offset })
  end
end

local layouts = {
  { "static members and types are no data", [[
      class D { public: typedef double value_type; using index = int; static int k; static const int N = 3;
        enum state { ON, OFF }; friend class other; int n; float *a; };]], 16, { n = 0, a = 8 } },
  { "functions are no data", [[
      class D { public: D() : n(0), c{1} { if (n) { n = '}'; } } ~D() {} int size() const { return n; }
        void clear() noexcept; D &operator=(const D &) = delete; operator int() const { return n; } int n; char c; };]],
    8, { n = 0, c = 4 } },
  { "the tail padding of a base class with private data is used", "class B { int x; char c; }; class D : public B "
      .. "{ public: char y; };", 8, { y = 5 } },
  { "the tail padding of a base class with protected data is used",
    "class B { protected: int *p; char c; }; class D : protected B "
      .. "{ public: char d; int e; };", 16, { d = 9, e = 12 } },
  { "the tail padding of an instance of a template is used",
    "template<class T> class B { T *p; char c; }; class D : public B<int> "
      .. "{ public: char d; };", 16, { d = 9 } },
  { "the tail padding of a plain structure is not used",
    "struct B { int x; char c; }; struct D : B { char y; };", 12, { y = 8 } },
  { "the tail padding of a structure with assignment from another type is not used", "struct B { int x; char c; "
      .. "B &operator=(int) { return *this; } }; struct D : B { char y; };", 12, { y = 8 } },
  { "tail padding is used after a constructor or an initial value of a member", "struct A { A(int); int x; char c; }; "
      .. "struct B : A { char y; }; struct E { int x = 1; char c; }; struct F : E { char z; }; "
      .. "struct D { ~D(); B b; F f; };", 16, {} },
  { "the pointer to the table of functions comes first and only once",
    "class B { public: virtual int f(); char c; }; class D : public B "
      .. "{ public: virtual int g(); char y; };", 16, { c = 8, y = 9 } },
  { "a base class with a table of functions comes first",
    "class N { public: int x; }; class V { public: virtual ~V(); char c; }; "
      .. "class D : public N, public V { public: char z; };", 24, { c = 8, x = 12, z = 16 } },
  { "an empty base class has no bytes", "struct e {}; struct D : e { int x; };", 4, { x = 0 } },
  { "an empty member has one byte", "struct e {}; struct D { e m; char c; };", 2, { c = 1 } },
  { "two empty objects of one type have two addresses", "struct e {}; struct D : e { e m; int x; };", 8,
    { m = 1, x = 4 } },
  { "empty objects deep inside have different addresses, too",
    "struct e {}; struct h { e a[2]; int x; }; struct D : e { h m; };", 12, { m = 4 } },
  { "an empty class has one byte", "class D { void f(); };", 1 },
  { "alignas raises the alignment", "struct alignas(32) D { char c; alignas(8) char d; };", 32, { d = 8 } },
  { "nested and repeated classes have their layout",
    "struct B { private: long a; char b; }; struct D { struct in { B b[2]; } i; "
      .. "struct : B { char c; } j; };", 48, {} },
}

for _, layout in ipairs(layouts) do
  case(("accepts: %s [HOUSE-layout]"):format(layout[1]), function() lies(layout[2], layout[3], layout[4]) end)
end

case("rejects: a class has a virtual base class, or compilers lay it out differently [HOUSE-layout]", function()
  expect.invalid("struct B { int x; }; struct D : virtual B { int y; };", "unsupported")
  expect.invalid("struct B { B() = default; int x; char c; }; struct D : B { char y; };", "unsupported")
  declare "struct C { C() = default; int x; char c; }; struct E : C { int y; };" -- here they agree
  expect.equal(sizeof "E", 12)
  expect.invalid("struct U { [[no_unique_address]] C c; };", "unsupported")
end)

case("accepts: messages call classes by their names and propose similar names [HOUSE-names]", function()
  declare "class field { int n; }; struct Outer { struct Inner { int n; } i; }; class field F; Outer::Inner I;"
  declare "namespace app { struct grid { float *u; }; int k = 2; const int N = 3; } app::grid G; float v[app::N];"
  expect.equal({ sizeof "v", host "app::k + app::N" }, { 12, 5 })
  expect.invalid("#pragma acc shape type(field) include(@m)\n", "unknown-member",
    { message = "class field has no member 'm'" })
  expect.invalid("@Outer::Innr x;", "unknown-type", { help = "did you mean 'Outer::Inner'?" })
  expect.invalid("@std::vector<float> x;", "unknown-type", { help = "declare_from" })
  expect.invalid("class feild @x;", "unknown-type", { help = "did you mean 'field'?" })
end)

case("rejects: a type that is only announced has no size [HOUSE-names]", function()
  declare "struct field { int n; }; struct feild *p; void *q; struct holder { struct feild *f; } H;"
  for _, text in ipairs { "enter data copyin(p[0:1])", "enter data copyin(H.f[0:1])" } do
    local ok, err = pcall(acc, text)
    expect.equal({ ok, err.code, err.help }, { false, "unknown-type", "did you mean 'field'?" })
  end
  expect.fails("unknown-type", function() return host "p[0]" end)
  expect.fails("unknown-type", function() return sizeof "struct feild" end)
  expect.fails("type-mismatch", function() acc "enter data copyin(q[0:1])" end)
end)

case("accepts: const numbers are constants, and pointers to const data may move [HOUSE-language]", function()
  declare "const int n = 4; constexpr long m = n + 1; float w[n]; const float *p = w; int *const q = 0; int k = n;"
  expect.equal(sizeof "w", 16)
  host.p, host.k = addr "w[1]", 5
  host.w = { 1, 2, 3, 4 }
  expect.equal(host "p[0] + k + m", 12)
end)

local with_const = [[
  class C { public: const int k; int n; const float w[2]; float *const p; const float *q;
    struct { const int x; int y; }; };
  C X, Y; const struct s { int a; int *b; } S = { 1 }; struct outer { C in; int m; } O; int t = 0;
]]

case("accepts: members beside const members change, and the host gives const members their values"
  .. " [HOUSE-language]", function()
  declare(with_const)
  host.X = { k = 3, n = 1, w = { 1, 2 } } -- constructors do not run: the host gives const members their values
  host.X.k = 4
  expect.moves(function()
    acc "parallel copy(X, Y, O) copyin(S) copyout(t)" [[
      X.n = X.k + 1; X.q = 0; X.y = 3; O.m = X.w[1]; O.in.n = 2;
      struct s T = S; T.a = 4;
      const int one = 1; int S = 0; S += one; t = T.a + S;
    ]]
  end, { h2d = { count = 4, bytes = 144 }, d2h = { count = 4, bytes = 132 } })
  expect.host("X", { k = 4, n = 5, y = 3 })
  expect.host("O.m", 2)
  expect.host("t", 5)
end)

case("rejects: a statement changes a const member [HOUSE-language]", function()
  declare(with_const)
  host.X = { k = 3, n = 1 }
  local function const(name, body)
    local err = expect.fails("type-mismatch", function() acc "parallel copy(X, Y, O) copyin(S)" (body) end)
    expect.equal(err.message, ("'%s' is const: it cannot be assigned to"):format(name))
    expect.equal(err.rule, "HOUSE-language")
  end
  for _, text in ipairs { "X.k = 5;", "X.k++;", "--X.k;", "X.k += 1;", "C *c = &X; c->k = 3;", "O.in.k = 1;" } do
    const("k", text)
  end
  const("w", "X.w[1] = 2;")
  const("p", "X.p = 0;")
  const("x", "X.x = 3;")
  const("S", "S.a = 3;")
  const("one", "const int one = 1; one = 2;")
  const("k", function(d) d.X.k = 5 end)
  for _, text in ipairs { "X = Y;", "O = O;" } do
    expect.fails("type-mismatch", function() acc "parallel copy(X, Y, O)" (text) end)
  end
  expect.host("X.k", 3)
end)

case("rejects: a statement changes a const variable [HOUSE-language]", function()
  declare "const int n = 4; int const v[2] = { 1, 2 }; int *const q = 0;"
  expect.fails("type-mismatch", function() host.n = 5 end)
  expect.fails("type-mismatch", function() host.v = { 3, 4 } end)
  expect.fails("type-mismatch", function() host.q = nil end)
  expect.moves(function()
    acc "data copy(n)" (function()
      expect.fails("type-mismatch", function() acc "parallel present(n)" "n = 5;" end)
      expect.fails("type-mismatch", function() acc "parallel present(n)" "n++;" end)
      expect.fails("type-mismatch", function() acc "parallel present(n)" (function(d) d.n = 5 end) end)
    end)
  end, { h2d = { count = 1, bytes = 4 }, d2h = { count = 1, bytes = 4 } })
  expect.equal(host.n, 4)
end)
