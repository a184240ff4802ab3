-- Classes of C++: Figure 2.8 as it is printed, types inside of others, shapes of base classes, functions.
scenario { title = "TR14: classes", rules = "tr14" }

-- What the figure needs of the library around it.
local allocator = [[
  namespace std {
    template<typename _Tp> struct allocator {
      typedef _Tp *pointer;
      template<typename _Other> struct rebind { typedef allocator<_Other> other; };
    };
  }
]]

local figure = [[
namespace std {
  template<typename _Tp, typename _Alloc>
  struct _Vector_base
  {
    typedef typename _Alloc::template rebind<_Tp>::other _Tp_alloc_type;
    struct _Vector_impl : public _Tp_alloc_type
    {
      typename _Tp_alloc_type::pointer _M_start;
      typename _Tp_alloc_type::pointer _M_finish;
      typename _Tp_alloc_type::pointer _M_end_of_storage;
      // ... no more member variables
    };
  public:
    _Vector_impl _M_impl;
    // ... no more member variables
  };

  template<typename _Tp, typename _Alloc = std::allocator<_Tp> >
  class vector : protected _Vector_base<_Tp, _Alloc>
  {
    // ... no more member variables
  };
}
]]

-- Gives a vector a block with these elements, and room for more.
local function fill(vector, element, list, reserved)
  local block = alloc(element, reserved)
  for k, value in ipairs(list) do block[k - 1] = value end
  vector._M_impl = { _M_start = block, _M_finish = block + #list, _M_end_of_storage = block + reserved }
end

local shapes = [[
  #pragma acc shape type(std::_Vector_base<%s, std::allocator<%s> >::_Vector_impl) \
    include(_M_start[0:_M_finish - _M_start], _M_finish[@_M_start], _M_end_of_storage[@_M_start])
]]

case("accepts: Figure 2.8 runs as printed and is described from outside"
  .. " [TR14-2.3-01 TR14-2.3-02 TR14-3.1.1-07]", function()
  declare(allocator .. figure .. "std::vector<float> V; std::vector<std::vector<float> > W;"
    .. shapes:gsub("%%s", "float") .. shapes:gsub("%%s", "std::vector<float>"):gsub(">>", "> >"))
  expect.equal(sizeof "std::vector<float>", 24)
  fill(host.V, "float", { 1, 2, 3 }, 5)
  acc "data copy(V)" (function()
    expect.device("V._M_impl._M_start[0:3]", { 1, 2, 3 })
    expect.attached("V._M_impl._M_end_of_storage", 1)
    acc "parallel present(V)" "V._M_impl._M_finish[-1] = 9;"
  end)
  expect.host("V._M_impl._M_start[2]", 9)
  local inner = alloc("std::vector<float>", 1)
  fill(inner[0], "float", { 4, 5 }, 2)
  host.W._M_impl = { _M_start = inner, _M_finish = inner + 1, _M_end_of_storage = inner + 1 }
  acc "data copyin(W)" (function() expect.device("W._M_impl._M_start[0]._M_impl._M_start[1]", 5) end)
end)

case("rejects: a shape names a type that the figure does not declare, or an unknown vector"
  .. " [TR14-3.1.1-07 TR14-3.1.1-04]", function()
  declare(allocator .. figure .. "std::vector<float> V;")
  expect.invalid("#pragma acc shape type(std::_Vector_base<float, std::allocator<float> >::_Vector) include(_M_start)",
    "unknown-type")
  expect.invalid("std::list<float> L;", "unknown-type")
  expect.invalid("#pragma acc shape type(std::vector) include(_M_start)\n", "unknown-member") -- it is inside _M_impl
  expect.invalid("#pragma acc shape type(std::vectr) include(_M_impl)\n", "unknown-type")
  expect.invalid("std::vector<4> W;", "type-mismatch")
end)

case("accepts: type(inner) names an inner type in a template or from outside [TR14-3.1.1-06 TR14-3.1.1-07]", function()
  declare [[
    template<class T> struct v { struct impl { int n; T *s; }; impl m;
      #pragma acc shape type(impl) include(s[0:n])
    };
    v<float> V;
    v<double>::impl D;
    class outer { public: class inner { public: int n; float *a; }; inner i; };
    struct outer::inner X;
    #pragma acc shape type(outer::inner) include(a[0:n])
    #pragma acc shape(bare) type(v<double>::impl) exclude(s)
    namespace app { namespace grid { struct cell { int n; float *p; }; } grid::cell first; }
    #pragma acc shape type(app::grid::cell) include(p[0:n])
    app::grid::cell C;
  ]]
  host.V.m, host.D = { n = 2, s = { 1, 2 } }, { n = 1, s = { 3 } }
  host.X, host.C = { n = 2, a = { 4, 5 } }, { n = 1, p = { 6 } }
  acc "data copyin(V, D, X, C)" (function()
    expect.device("V.m.s[1]", 2)
    expect.device("D.s[0]", 3)
    expect.device("X.a[1]", 5)
    expect.device("C.p[0]", 6)
  end)
  expect.accepts("data copyin<bare>(D)", function() expect.absent "D.s[0]" end)
end)

case("accepts: derived classes have the named shapes and policies of their base class [TR14-3.1.2-08]", function()
  declare [[
    struct base { int n; float *a, *b;
      #pragma acc shape(one) include(a[0:n]) exclude(b)
      #pragma acc policy(out) default(exclude) copyout(a[0:n])
    };
    class derived : public base { public: float *c;
      #pragma acc shape include(c[0:n])
    };
    derived D;
  ]]
  host.D = { n = 2, a = { 1, 2 }, b = { 3 }, c = { 4, 5 } }
  acc "data copyin<one>(D)" (function()
    expect.device("D.a[1]", 2)
    expect.device("D.c[1]", 5) -- as its own default shape says
    expect.absent "D.b[0]"
  end)
  acc "data invoke<out>(D)" (function()
    expect.uninitialized "D.a[0:2]"
    acc "parallel present(D.a[0:2])" "D.a[0] = D.a[1] = 8;"
  end)
  expect.host("D.a[0:2]", { 8, 8 })
end)

case("rejects: neither class has the name; the derived class comes first [TR14-3.1.2-08]", function()
  declare [[
    struct base { int n; float *a;
      #pragma acc shape(one) include(a[0:n])
    };
    struct derived : base { int k;
      #pragma acc shape(one) exclude(a)
    } D;
  ]]
  host.D = { n = 2, a = { 1, 2 } }
  expect.moves(function()
    acc "data copyin<one>(D)" (function() expect.absent "D.a[0]" end)
  end, { h2d = { count = 1, bytes = 24 }, d2h = 0 })
  expect.invalid("acc data copyin<two>(D)", "unknown-shape")
  expect.invalid("acc data invoke<two>(D)", "unknown-policy")
end)

case("accepts: template arguments are numbers, and bounds use constants of a class [TR14-4.3-16]", function()
  declare [[
    template<class T, int N = 4> struct block { static const int M = N * 2; T a[N]; T *p;
      int most() const { return M + N; }
      int idle() { for (int i = 0; i < N; ++i) p[i] = '}'; return N; }
      #pragma acc shape include(p[0:sizeof(T) / 4 * most()])
    };
    block<float> B;
    block<char, 3> C;
    struct table { static constexpr int ROWS = 2, COLUMNS{3}; enum kind { ONE = 1, MANY };
      enum class level : unsigned char { low = 5, high }; level l; float a[ROWS][COLUMNS]; };
    table T;
    int q[table::ROWS + table::MANY], r[table::level::high];
  ]]
  expect.equal({ sizeof "B", sizeof "C", sizeof "T", sizeof "q", sizeof "r" }, { 24, 16, 28, 16, 24 })
  host.B.p = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }
  acc "data copyin(B)" (function()
    expect.device("B.p[11]", 12)
    expect.present "B.p[0:12]"
  end)
end)

case("rejects: a template argument is of the wrong kind, or the template is not supported"
  .. " [TR14-4.3-16 HOUSE-language]", function()
  declare "template<class T, int N> struct block { T a[N]; };"
  expect.invalid("block<4, 4> B;", "type-mismatch")
  expect.invalid("block<int, float *> B;", "type-mismatch")
  expect.invalid("block<int> B;", "type-mismatch")
  expect.invalid("block<int, 4, 5> B;", "type-mismatch")
  expect.invalid("template<class... T> struct pack { int n; };", "unsupported")
  expect.invalid("template<> struct block<int, 4> { int n; };", "unsupported")
  expect.invalid("template<template<class> class T> struct of { int n; };", "unsupported")
  expect.malformed "template<class T, int N, 4> struct of { int n; };"
end)

case("accepts: functions may have any body if no bound calls them [TR14-3.1.1-21]", function()
  expect.warns("unsupported", function() declare [[
    class series { public:
      series() : n(0), a(nullptr) {} explicit series(int m) noexcept : n{m} { a = new float[m]; }
      series(const series &) = delete; series &operator=(series &&other) = delete; virtual ~series() { delete[] a; }
      float &operator[](int i) { return a[i]; } float operator[](int i) const { return a[i]; }
      int size() const noexcept { return n; } int size(int k) { return k; }
      void resize(int m) { if (m > n) { n = m; /* } */ } } static series make(int m) { series s(m); return s; }
      template<class F> void each(F f) { for (int i = 0; i < n; ++i) f(a[i]); }
      friend class other; friend float sum(const series &s) { return s.a[0]; } operator bool() const { return n > 0; }
      using value_type = float; static_assert(sizeof(int) == 4, "}");
      inline int loop() { int k = 0; while (k < n) ++k; return k; }
      int odd() { return static_cast<int>(n); }
      int n; float *a;
      #pragma acc shape include(a[0:size()])
      #pragma acc shape(loops) include(a[0:loop()])
      #pragma acc shape(odd) include(a[0:odd()])
    };
    series S;
  ]] end)
  host.S = { n = 2, a = { 1, 2 } }
  acc "data copyin(S)" (function() expect.device("S.a[1]", 2) end)
  expect.equal(host "S.size(7)", 7)
end)

case("rejects: a bound calls such a function, or a body contains a directive [TR14-3.1.1-21]", function()
  declare [[
    class series { public: int n; float *a; int loop() { int k = 0; while (k < n) ++k; return k; }
      int odd() { return static_cast<int>(n); } int other();
      #pragma acc shape(loops) include(a[0:loop()])
      #pragma acc shape(odd) include(a[0:odd()])
      #pragma acc shape(others) include(a[0:other()])
    };
    series S;
  ]]
  expect.fails("unsupported", function() acc "data copyin<loops>(S)" end)
  expect.fails("syntax", function() acc "data copyin<odd>(S)" end)
  expect.fails("unknown-name", function() acc "data copyin<others>(S)" end)
  method("series", "loop", function(s) return s.n end) -- the way round
  method("series", "other", function(s) return s.n - 1 end) -- the class declares it
  host.S = { n = 2, a = { 1, 2 } }
  acc "data copyin<loops>(S)" (function() expect.device("S.a[1]", 2) end)
  expect.accepts("data copyin<others>(S)", function() expect.absent "S.a[1]" end)
  declare "int half(int n);\n#pragma acc shape(of_func) type(series) include(a[0:half(n)])"
  expect.fails("unknown-name", function() acc "data copyin<of_func>(S)" end)
  func("half", function(n) return n // 2 end)
  acc "data copyin<of_func>(S)" (function() expect.present "S.a[0]" end)
  expect.invalid("acc shape(s) type(series) include(a[0:othr()])", "unknown-name")
  expect.invalid("acc shape(s) type(series) include(a[0:haf(n)])", "unknown-name")
  expect.invalid("acc shape(s) type(series) include(a[0:this->othr()])", "unknown-name")
  expect.invalid("class c { void f() {\n#pragma acc parallel loop\nfor (;;) {} } };", "unsupported")
  expect.invalid("int twice(int n) { return 2 * n; }", "unsupported")
  expect.malformed "class c { int n; d(); };"
end)
