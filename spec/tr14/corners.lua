-- Combinations of rules: templates inside templates, aliases after sections, policies on exit, member functions.
scenario { title = "TR14: combinations of rules", rules = "tr14" }

case("accepts: a template is described after another template used it as a member [TR14-2.3-05]", function()
  declare [[
    template<class T> struct impl { T *s; int n; };
    template<class T> class vector { impl<T> m; };
    vector<float> V;
  ]]
  host.V.m = { n = 2, s = { 1, 2 } }
  acc "shape type(impl) include(s[0:n])"
  acc "data copyin(V)" (function() expect.equal(#state().present, 2) end)
end)
case("accepts: an instance is one type inside and outside [TR14-4.3-16]", function()
  declare [[
    template<class T> struct impl { T *s; int n; };
    template<class T> class vector { impl<T> m; };
    vector<float> V;
  ]]
  host.V.m = { n = 2, s = { 1, 2 } }
  acc "shape(two) type(impl<float>) include(s[0:2])"
  acc "data copyin(V)::{ include<two>(m) }" (function() expect.equal(#state().present, 2) end)
end)

case("rejects: a section follows '@' of a variable [TR14-3.5-01]", function()
  declare "float v[4]; float *p = v; float *q[2]; int n = 2;"
  expect.invalid("acc data present(p[@][0:n])", "not-a-pointer")
  expect.invalid("acc data present(p[@][@])", "not-a-pointer")
end)

case("rejects: nests and policies have static errors [HOUSE-expect TR14-3.1.1-03]", function()
  declare "struct s { int n; float *a; }; struct s S;"
  expect.invalid("acc data copyin(S)::{ bogus(a) }", "unknown-clause")
  expect.invalid("acc policy(p) type(struct s) bogus(a)", "unknown-clause")
  expect.malformed "acc data copyin(S)::{ include(a[0:n }"
end)

case("rejects: '@' is on a pointer past the end of its block [TR14-3.5-03 TR14-4.2-09]", function()
  declare [[
    struct range { float *start, *finish;
        #pragma acc shape include(start[0:2], finish[@])
    };
    struct range X;
  ]]
  host.X.start = { 1, 2 }
  host.X.finish = host.X.start + 2
  expect.fails("not-present", function() acc "data copyin(X)" end)
end)

case("rejects: type() names the type of a member that is declared elsewhere [TR14-3.1.1-06]", function()
  declare "struct before { int n; float *p; };"
  expect.invalid([[struct user { struct before b; int k;
    #pragma acc shape type(struct before) include(p[0:n])
  };]], "type-mismatch")
end)
case("rejects: type() names an instance of a template that is the type of a member [TR14-3.1.1-06]", function()
  declare "template<class T> class box { T *p; int n; };"
  expect.fails("type-mismatch", function()
    declare "struct user { box<float> b;\n#pragma acc shape type(box<float>) include(p[0:n])\n};"
  end)
end)

case("rejects: a clause in a policy has a condition [TR14-4.3-08 TR14-3.2.1-12]", function()
  declare "struct s { int n; float *a; };"
  expect.fails("clause-not-allowed", function() acc "policy(p) type(struct s) copyin(a) if(n)" end)
end)

case("accepts: a member function calls another one of its object [TR14-1.1-06]", function()
  declare "class box { int n; float *a; int size() const { return n; } }; box B;"
  host.B = { n = 2, a = { 1, 2 } }
  method("box", "run", function()
    expect.equal(host "size()", 2)
    acc "data copyin(a[0:size()])" (function() expect.present "this->a[0:2]" end)
    expect.accepts("parallel copyin(this[0:1])", "int k = size();")
  end)
  host.B:run()
end)

case("accepts: a member function in an expression has its object [TR14-1.1-06]", function()
  declare "class box { int n; }; box B; int n = 7;"
  host.B = { n = 2 }
  method("box", "get", function() return host "n" end)
  expect.equal(host.B:get(), 2)
  expect.equal(host "B.get()", 2)
end)

case("rejects: default(none) refuses the implicit clause on *this [TR14-1.1-06 ACC33-impl-2]", function()
  declare "class box { int n; }; box B;"
  host.B = { n = 2 }
  method("box", "set", function()
    expect.fails("default-none", function() acc "parallel default(none)" "n = 1;" end)
  end)
  host.B:set()
end)

case("accepts: the second argument of acc names a member of *this [TR14-1.1-06]", function()
  declare "class box { int n; }; box B;"
  host.B = { n = 2 }
  method("box", "get", function()
    local found
    acc("parallel", "n")(function(d) found = d.n end)
    return found
  end)
  expect.moves(function() expect.equal(host.B:get(), 2) end, { h2d = { count = 1, bytes = 4 } })
end)

for _, word in ipairs { "create", "copyin", "copy" } do
  case(("accepts: exit data uses a policy with default(%s) [TR14-3.2.2-06]"):format(word), function()
    declare("struct d { int n; float *a, *b;\n#pragma acc shape include(a[0:n], b[0:n])\n"
      .. "#pragma acc policy(p) default(" .. word .. ") copyout(b)\n}; struct d X;")
    host.X = { n = 1, a = { 1 }, b = { 2 } }
    acc "enter data invoke<p>(X)"
    acc "parallel present(X)" "X.b[0] = 5;"
    expect.moves(function() acc "exit data invoke<p>(X)" end, { d2h = { count = word == "copy" and 3 or 1 } })
    expect.host("X.b[0]", 5)
    expect.equal(#state().present, 0)
  end)
end
case("accepts: exit data uses a policy with default(present) [TR14-3.2.2-06]", function()
  declare [[struct d { int n; float *a;
    #pragma acc shape include(a[0:n])
    #pragma acc policy(p) default(present)
  }; struct d X;]]
  host.X = { n = 1, a = { 1 } }
  acc "enter data copyin(X)"
  acc "enter data invoke<p>(X)"
  expect.count("X", { dynamic = 2 })
  expect.moves(function() acc "exit data invoke<p>(X)" end, { d2h = 0 })
  expect.count("X", { dynamic = 1 })
end)

case("rejects: a member has delete on entry [TR14-3.2.2-06]", function()
  declare [[struct d { int n; float *a, *b;
    #pragma acc shape include(a[0:n], b[0:n])
    #pragma acc policy(p) default(exclude) delete(a) copyout(b)
  }; struct d X;]]
  host.X = { n = 1, a = { 1 }, b = { 2 } }
  acc "enter data copyin(X)"
  expect.present "X"
  expect.fails("clause-not-allowed", function() acc "data invoke<p>(X)" (function() end) end)
  expect.fails("clause-not-allowed", function() acc "enter data invoke<p>(X)" end)
end)

case("accepts: the base of a variable's alias is an empty section [TR14-3.5-06]", function()
  declare "float v[4]; float *first = v, *last = v; int n = 0;"
  expect.accepts("data copyin(first[0:n]) present(last[@first])", function() expect.equal(#state().present, 0) end)
end)
case("accepts: the base of a member's alias in a clause is an empty section [TR14-3.5-06]", function()
  declare "struct s { float *start, *finish; }; struct s S; int n = 0; float v[2];"
  host.S = { start = addr "v[0]", finish = addr "v[0]" }
  acc "data copyin(S.start[0:n], S.finish[@S.start])" (function()
    expect.present "S"
    expect.detached "S.finish"
  end)
end)

for _, what in ipairs { "float *rows[2]", "float **rows" } do
  case(("accepts: %s of a structure are aliases with a base [TR14-3.5-07]"):format(what), function()
    declare(("struct m { %s; float *base; int n;\n#pragma acc shape include(base[0:n], rows[0:2][@base])\n};"
      .. "struct m R;"):format(what))
    host.R = { n = 4, base = { 1, 2, 3, 4 } }
    host.R.rows = { host.R.base + 2, host.R.base + 4 }
    acc "data copyin(R)" (function()
      expect.attached("R.rows[1]", 1)
      expect.accepts("parallel present(R)", function(d) expect.equal(d.R.rows[1] - d.R.base, 4) end)
    end)
  end)
end

case("accepts: no_create ignores absent pointers with '@' [TR14-3.5-07]", function()
  declare "float v[2]; float *ptrs[2] = { v, v };"
  expect.events(function() expect.accepts "data no_create(ptrs[0:2][@])" end, {})
end)

case("accepts: a polymorphic object is mapped as its static type says [TR14-4.3-17]", function()
  local warning = expect.warns("unsupported", function()
    declare [[
      class shape { virtual ~shape() { } virtual float area() = 0; int n; float *side;
        shape &operator=(const shape &other) { return *this; }
        #pragma acc shape include(side[0:n])
      };
      shape S;
    ]]
  end)
  expect.equal(warning.rule, "TR14-4.3-17")
  expect(warning.help:find("of a derived class", 1, true))
  expect.equal(sizeof "shape", 24)
  host.S = { n = 2, side = { 3, 4 } }
  acc "data copy(S)" (function() expect.device("S.side[0:2]", { 3, 4 }) end)
end)

case("differs: a device does not reach the table of functions [TR14-4.3-17]", function()
  expect.warns("unsupported", function() declare "class shape { virtual float area() = 0; int n; }; shape S;" end)
  host.S.__vptr = addr "S"
  acc "data copyin(S)" (function()
    expect.fails("host-pointer-on-device", function() acc "parallel present(S)" "int k = *(int *)S.__vptr;" end)
  end)
end)

case("accepts: pointers of a union keep their names [TR14-4.3-10]", function()
  declare "struct t { union { float *f; int *i; };\n#pragma acc shape include(f[0:0], i[0:3])\n}; struct t T;"
  host.T = { i = { 1, 2, 3 } }
  local names = {}
  for _, e in ipairs(events(function() acc "data copyin(T)" (function() end) end)) do
    if e.op == "alloc" or e.op == "free" then names[#names + 1] = e.name end
  end
  expect.equal(names, { "T", "T.i[0:3]", "T", "T.i[0:3]" })
end)

case("accepts: a member without a section has the section of its shape [TR14-3.4-10 TR14-3.1.1-21]", function()
  declare [[
    struct leaf { int n; float *a;
        #pragma acc shape include(a[0:n])
    };
    struct leaf X;
    int n = 1;
  ]]
  host.X = { n = 3, a = { 1, 2, 3 } }
  expect.moves(function()
    acc "data copyin(X)" (function()
      acc "parallel present(X)" "X.a[0] = X.a[1] = X.a[2] = 9;"
      acc "update self(X.a)"
    end)
  end, { h2d = { count = 2, bytes = 28 }, d2h = { count = 1, bytes = 12 } })
  expect.host("X.a[0:3]", { 9, 9, 9 })
end)

case("accepts: a section of a short array between other members moves alone [TR14-1.3-04 TR14-A.1-01]", function()
  declare [[
    struct leaf { short one[2]; int k; };
    struct top { double d; short two[2][3]; int n; struct leaf many[20]; short last[3];
      #pragma acc policy(leaves) default(delete) copyout(d, two[1][1:1], n, last[2:1])
      #pragma acc shape(part) include(two[0:1], last[0:1])
    } T;
    #pragma acc shape(part) type(struct leaf) include(one[1:1])
    #pragma acc policy(leaf) type(struct leaf) default(delete) copyout(one[1:1], k)
    struct leaf L;
  ]]
  local function values(by)
    for i = 0, 5 do host.T.two[i // 3][i % 3] = by + i end
    for i = 0, 2 do host.T.last[i] = by + i end
    host.T.d, host.T.n, host.L = by, by, { one = { by, by + 1 }, k = by }
  end
  values(10)
  acc "enter data copyin(T, L)"
  values(20)
  acc "exit data invoke<leaves>(T) invoke<leaf>(L)"
  expect.host("T", { d = 10, n = 10, two = { { 20, 21, 22 }, { 23, 14, 25 } }, last = { 20, 21, 12 } })
  expect.host("L", { one = { 20, 11 }, k = 10 })
end)

case("rejects: a policy reaches its own type again [TR14-4.3-18]", function()
  expect.invalid([[
    struct node { int value; struct node *next;
        #pragma acc policy(all) default(exclude) invoke<all>(next[0:next != 0])
    };
  ]], "recursive-type")
end)

case("accepts: any object of an array of rows and a part of one row are mapped [TR14-3.4-02 ACC33-2.7.1-4]", function()
  declare [[
    struct leaf { int n; float *a; };
    struct top { struct leaf grid[2][2]; int k; };
    struct top T;
    struct leaf M[2][2];
    int i = 1;
  ]]
  host.T.grid[1][0] = { n = 2, a = { 1, 2 } }
  acc "data copyin(T.grid[i][0].a[0:2])" (function() expect.device("T.grid[1][0].a[1]", 2) end)
  acc "data copyin(T)::{ include(grid[1:1][0:1])::{ include(a[0:n]) } }" (function()
    expect.device("T.grid[1][0].a[1]", 2)
  end)
  acc "data copyin(M[1:1][0:1])" (function()
    expect.present "M[1][0]"
    expect.absent "M[1][1]"
  end)
end)

case("rejects: a section names parts of several rows, or more than a row has [TR14-3.4-02 ACC33-2.7.1-4]", function()
  declare "struct leaf { int n; float *a; }; struct leaf M[2][2];"
  expect.invalid("acc data copyin(M[0:2][0:1])", "invalid-section")
  expect.invalid("acc data copyin(M[1:1][1:2])", "out-of-bounds")
end)

case("accepts: members of a base class follow the shape of the base class [TR14-3.1.1-04]", function()
  declare [[
    struct named { int n; float *a;
        int twice() { return 2 * n; }
        #pragma acc shape default(exclude) include(n, a[0:n])
    };
    class child : public named { int k; float *b;
        #pragma acc shape(both) include(b[0:twice()])
    };
    child C;
  ]]
  expect.equal(sizeof "child", 32)
  host.C = { n = 2, a = { 1, 2 }, k = 3, b = { 4, 5, 6, 7 } }
  acc "data copyin(C)" (function()
    expect.device("C.a[0:2]", { 1, 2 })
    expect.device("C.k", 3)
    expect.absent "C.b[0:4]"
  end)
  acc "data copyin<both>(C)" (function() expect.device("C.b[3]", 7) end)
  expect.equal(host "C.twice()", 4)
end)

case("rejects: a base class is not a class, or a name is declared twice [TR14-3.1.1-04]", function()
  expect.invalid("struct s : public nothing { int k; };", "unknown-type")
  expect.invalid("struct b { int k; }; struct s : b { int k; };", "duplicate-name")
  expect.invalid("enum e { ONE }; struct s : e { int k; };", "not-a-struct")
end)

case("accepts: sections that differ in a call or a type are two sections [TR14-3.4-07]", function()
  declare "struct s { double *a; } X;"
  func("f", function(k) return k end)
  host.X.a = { 1, 2, 3, 4, 5, 6 }
  acc "enter data create(X.a[f(0):1], X.a[f(2):1], X.a[sizeof(int) * 3 / 3:1])"
  expect.present "X.a[0:1]"
  expect.present "X.a[2:1]"
  expect.present "X.a[4:1]"
  expect.absent "X.a[1:1]"
end)

case("rejects: two clauses have one section whose start is a call [TR14-3.4-07]", function()
  declare "struct s { double *a; } X;"
  func("f", function(k) return k end)
  host.X.a = { 1, 2, 3, 4 }
  expect.invalid("acc data copyin(X.a[f(0):1]) create(X.a[f(0):1])", "duplicate-clause")
  acc "data copyin(X.a[f(0):1]) create(X.a[f(2):1])" (function() expect.device("X.a[0:1]", { 1 }) end)
end)

case("rejects: the help names a policy used as a shape, and a shape used as a policy"
  .. " [TR14-3.1.2-08 TR14-3.2.2-02]", function()
  declare [[
    struct both { int n; float *a;
      #pragma acc shape(only_a) default(exclude) include(a[0:n])
      #pragma acc policy(calc) default(exclude) copy(a)
    };
    struct both B;
  ]]
  local function help(text) return expect.fails(text:match "^%S+", function() acc(text:match "^%S+ (.*)$") end).help end
  expect(help "unknown-shape data copy<calc>(B)":find("invoke<calc>", 1, true))
  expect(help "unknown-policy data invoke<only_a>(B)":find("copy<only_a>", 1, true))
  expect(help "clause-not-allowed data copy(B) use(calc)":find("invoke<>(X)::{ use(...) }", 1, true))
  expect(help "unknown-clause shape(s) type(struct both) with(m) include(a[0:m])":find("tr14x", 1, true))
  expect(help "unknown-clause policy(s) type(struct both) with(m) default(exclude) copy(a[0:m])":find("tr14x", 1, true))
end)

case("rejects: a partial overlap names both objects [TR14-4.2-05]", function()
  declare [[
    float cells[8];
    struct halves { float *low, *high;
      #pragma acc shape include(low[0:4], high[0:4])
    };
    struct halves H;
  ]]
  host.H.low, host.H.high = addr "cells[0]", addr "cells[2]"
  local problem = expect.fails("partial-overlap", function() acc "enter data copyin(H)" end)
  expect(problem.message:find("H.low[0:4]", 1, true) and problem.message:find("H.high[0:4]", 1, true))
end)

case("rejects: elements that were mapped one by one lie apart, and the help says so [TR14-1.2-10]", function()
  declare "struct part { int n; float *w; }; struct whole { struct part *list; int after[4]; } W; int next[4];"
  host.W.list = { { n = 1 }, { n = 2 }, { n = 3 } }
  acc "enter data copyin(W.list[1:1])"
  acc "enter data copyin(W.list[2:1])"
  local err = expect.fails("out-of-bounds", function() acc "parallel present(W)" "W.list[2].n = 4;" end)
  expect.equal(err.help, "W.list[2:1] is present as an object of its own, elsewhere on the device: "
    .. "map both by one section")
  err = expect.fails("out-of-bounds", function() acc "parallel present(W)" "W.list[0].n = 4;" end)
  expect.equal(err.help, "keep indices and sections inside of the object")
  acc "exit data delete(W.list[1:1], W.list[2:1]) finalize"
  expect.absent "W.list[1:2]"
end)
