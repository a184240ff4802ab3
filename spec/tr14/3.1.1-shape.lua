-- The shape directive: its text, its static rules, what each clause means for data and updates.
scenario { title = "TR14 3.1.1: the shape directive", rules = "tr14" }

declare [[
  struct array { int n; float *a, *b; };
  struct other { int k; };
  enum sizes { THREE = 3 };
  int length = 2;
]]

-- Declares a variable V of a type with members n, m, a, b and these shape directives inside.
local function with(shapes)
  declare("struct t { int n; int m; float *a, *b; double fixed[4];\n" .. shapes
    .. "\n}; struct t V;")
  host.V = { n = 3, m = 1, a = { 1, 2, 3 }, b = { 4, 5, 6 }, fixed = { 1, 2, 3, 4 } }
end

case("accepts: a shape has one clause or several [TR14-3.1.1-01]", function()
  with [[#pragma acc shape include(a[0:n])
    #pragma acc shape(one) exclude(a)
    #pragma acc shape(two) exclude(a) include(b[0:n])]]
  acc "data copyin(V)" (function() expect.present "V.a[0:3]" end)
end)

case("rejects: a shape has no clauses or a wrong name [TR14-3.1.1-01]", function()
  expect.malformed "#pragma acc shape"
  expect.malformed "acc shape type"
  expect.malformed "acc shape() type(struct array) include(a)"
  expect.malformed "acc shape(1) type(struct array) include(a)"
  expect.malformed "struct s { int n; float *a;\n#pragma acc shape\n};"
end)

case("accepts: clauses appear in any order and may be repeated [TR14-3.1.1-03]",
  function()
    with [[#pragma acc shape include(a[0:n]) default(exclude) \
                           include(b[0:m]) init_needed(n) init_needed(m)]]
    acc "data create(V)" (function()
      expect.present "V.a[0:3]"
      expect.present "V.b[0:1]"
      expect.device("V.n", 3)
      expect.device("V.m", 1)
    end)
  end)

case("rejects: a shape has a clause that it does not take, or an unknown value of default [TR14-3.1.1-03]", function()
  expect.invalid("acc shape type(struct array) copy(a)", "clause-not-allowed")
  expect.invalid("acc shape type(struct array) update(a)", "clause-not-allowed")
  expect.invalid("acc shape type(struct array) if(1) include(a)", "clause-not-allowed")
  expect.invalid("acc shape type(struct array) inclde(a)", "unknown-clause")
  expect.invalid("acc shape type(struct array) default(copy)", "clause-not-allowed")
  expect.invalid("acc shape type(struct array) default(present)", "clause-not-allowed")
  expect.malformed "acc shape type(struct array) default()"
  expect.malformed "acc shape type(struct array) include()"
  expect.malformed "acc shape type(struct array) include"
  expect.malformed "acc shape type(struct array) include(a,)"
end)

case("accepts: a shape names members, also those of anonymous members [TR14-3.1.1-04]", function()
  declare [[
    struct nameless { int n; struct { float *a; union { int u; float f; }; };
        #pragma acc shape include(a[0:n])
    };
    struct nameless N;
  ]]
  host.N = { n = 2, a = { 1, 2 }, u = 7 }
  acc "data copyin(N)" (function()
    expect.device("N.a[1]", 2)
    expect.device("N.u", 7)
    expect.attached("N.a", 1)
  end)
end)

case("rejects: a shape names a path, an unknown member, or a section of an excluded member [TR14-3.1.1-04]", function()
  expect.malformed "acc shape type(struct array) include(x.y)"
  expect.malformed "acc shape type(struct array) include(*a)"
  expect.malformed "acc shape type(struct array) include(a[0:n)"
  expect.invalid("acc shape type(struct array) include(c)", "unknown-member")
  expect.invalid("acc shape type(struct array) exclude(a[0:n])", "invalid-section")
end)

case("accepts: a shape inside a type is about the nearest type [TR14-3.1.1-05]", function()
  declare [[
    struct around {
        struct within { int n; float *p;
            #pragma acc shape include(p[0:n])
        } w;
        int k; float *q;
        #pragma acc shape include(q[0:k])
    };
    struct around A;
  ]]
  host.A = { w = { n = 1, p = { 5 } }, k = 2, q = { 6, 7 } }
  acc "data copyin(A)" (function()
    expect.device("A.w.p[0]", 5)
    expect.device("A.q[1]", 7)
  end)
end)

case("rejects: a shape of the inner type names members of the outer type [TR14-3.1.1-05 TR14-3.1.1-04]", function()
  expect.invalid([[struct around { struct within { int n; float *p;
    #pragma acc shape include(q[0:k])
    } w; int k; float *q; };]], "unknown-member")
end)

case("accepts: type() names the enclosing type or one declared in it [TR14-3.1.1-06]", function()
  declare [[
    struct around {
        struct within { int n; float *p; } w;
        #pragma acc shape type(struct within) include(p[0:n])
        #pragma acc shape(empty) type(struct around) exclude(w)
    };
    struct around A;
  ]]
  host.A = { w = { n = 1, p = { 5 } } }
  acc "data copyin(A)" (function() expect.present "A.w.p[0:1]" end)
  expect.accepts("data copyin<empty>(A)", function() expect.absent "A.w.p[0:1]" end)
end)

case("rejects: type() names an unrelated type [TR14-3.1.1-06]", function()
  expect.invalid("struct s { int n;\n#pragma acc shape type(struct other) include(k)\n};",
    "type-mismatch")
end)

case("accepts: type() gives the type of a shape outside of types [TR14-3.1.1-07]", function()
  declare [[
    typedef struct { int n; float *p; } named_only;
    #pragma acc shape type(named_only) include(p[0:n])
    named_only A;
  ]]
  acc "shape(second) type(named_only) exclude(p)"
  host.A = { n = 1, p = { 5 } }
  acc "data copyin(A)" (function() expect.present "A.p[0:1]" end)
  expect.accepts("data copyin<second>(A)", function() expect.absent "A.p[0:1]" end)
end)

case("accepts: type(struct s) names the structure though a variable is called s, too [TR14-3.1.1-07]", function()
  declare "struct twin { int n; float *p; } twin;"
  host.twin = { n = 2, p = { 1, 2 } }
  acc "shape type(struct twin) include(p[0:n])"
  acc "enter data copyin(twin)"
  expect.present "twin.p[0:2]"
end)

case("rejects: a shape outside of types has no type, an unknown one, or no structure [TR14-3.1.1-07]",
  function()
    expect.invalid("acc shape include(a)", "missing-type")
    expect.invalid("acc shape type(struct nothing) include(a)", "unknown-type")
    expect.invalid("acc shape type(nothing) include(a)", "unknown-type")
    expect.invalid("acc shape type(float) include(a)", "not-a-struct")
    expect.invalid("acc shape type(struct array *) include(a)", "not-a-struct")
    expect.invalid("struct later;\n#pragma acc shape type(struct later) include(a)\n",
      "unknown-type")
  end)

case("accepts: the one type clause may appear anywhere [TR14-3.1.1-08]", function()
  acc "shape include(a[0:n]) type(struct array) exclude(b)"
  declare "struct array A;"
  host.A = { n = 1, a = { 1 } }
  acc "data copyin(A)" (function() expect.present "A.a[0:1]" end)
end)

case("rejects: a shape has two type clauses [TR14-3.1.1-08]", function()
  expect.invalid("acc shape type(struct array) type(struct array) include(a)", "duplicate-clause")
end)

case("accepts: a shape without a name is the default shape [TR14-3.1.1-09]", function()
  with "#pragma acc shape include(a[0:n])"
  acc "data copyin(V)" (function() expect.attached("V.a", 1) end)
end)

case("differs: a named shape is not the default shape [TR14-3.1.1-09]", function()
  with "#pragma acc shape(deep) include(a[0:n])"
  acc "data copyin(V)" (function()
    expect.present "V"
    expect.absent "V.a[0:3]"
  end)
  acc "data copyin<deep>(V)" (function() expect.present "V.a[0:3]" end)
end)

case("accepts: shapes of different types, and a shape and a member, may have equal names [TR14-3.1.1-10]",
  function()
    declare [[
      struct one { int n; float *a;
          #pragma acc shape(a) include(a[0:n])
      };
      struct two { int n; float *a;
          #pragma acc shape(a) include(a[0:n])
      };
      struct two T;
    ]]
    host.T = { n = 1, a = { 1 } }
    acc "data copyin<a>(T)" (function() expect.present "T.a[0:1]" end)
  end)

case("rejects: a type has two default shapes or two shapes of one name [TR14-3.1.1-10]", function()
  with [[#pragma acc shape include(a[0:n])
    #pragma acc shape(x) exclude(b)]]
  expect.invalid("acc shape type(struct t) include(b[0:n])", "duplicate-default-shape")
  expect.invalid("acc shape(x) type(struct t) include(b[0:n])", "duplicate-name")
end)

case("accepts: a type without a shape includes everything and copies pointers as they are"
  .. " [TR14-3.1.1-11 TR14-3.1.1-16]",
  function()
    declare "struct array A;"
    host.A = { n = 2, a = { 1, 2 } }
    expect.events(function() acc "enter data copyin(A)" end, { "alloc A", "h2d A", "incref A" })
    expect.device("A.n", 2)
  end)

case("differs: a pointer without a section is not followed [TR14-3.1.1-11 TR14-3.1.1-16]",
  function()
    with "#pragma acc shape include(a, b)"
    acc "data copyin(V)" (function()
      expect.absent "V.a[0:1]"
      expect.detached "V.a"
      expect.fails("host-pointer-on-device", function()
        acc "parallel present(V)" (function(d) return d.V.a[0] end)
      end)
    end)
  end)

case("accepts: the shape holds for variables, elements, members and pointees [TR14-3.1.1-12]",
  function()
    declare [[
      struct cell { int n; float *p;
          #pragma acc shape include(p[0:n])
      };
      struct board { struct cell one; struct cell row[2]; struct cell *more; int k;
          #pragma acc shape include(more[0:k])
      };
      struct cell C[2];
      struct cell *D;
      struct board B;
    ]]
    local function cell(v) return { n = 1, p = { v } } end
    host.C = { cell(1), cell(2) }
    host.D = { cell(3), cell(4) }
    host.B = { one = cell(5), row = { cell(6), cell(7) }, more = { cell(8) }, k = 1 }
    acc "data copyin(C, D[0:2], B)" (function()
      expect.device("C[1].p[0]", 2)
      expect.device("D[1].p[0]", 4)
      expect.device("B.one.p[0]", 5)
      expect.device("B.row[1].p[0]", 7)
      expect.device("B.more[0].p[0]", 8)
      expect.attached("B.row[0].p", 1)
    end)
    acc "data copyin(C[1])" (function()
      expect.present "C[1].p[0:1]"
      expect.absent "C[0].p[0:1]"
    end)
  end)

case("accepts: members of many embedded elements have their own names [TR14-3.1.1-12]", function()
  declare [[
    struct cell { int n; float *p;
        #pragma acc shape init_needed(n) include(p[0:n])
    };
    struct rack { struct cell cells[20]; int k;
        #pragma acc shape(some) include(cells[17:2])
    };
    struct rack R;
  ]]
  for i = 0, 19 do host.R.cells[i] = { n = 1 + i % 3, p = { i, i, i } } end
  acc "data create(R)" (function()
    expect.device("R.cells[19].n", 2)
    expect.uninitialized "R.cells[19].p[0:2]"
    expect.attached("R.cells[19].p", 1)
    expect.equal(#state().present, 21)
  end)
  acc "data copyin<some>(R)" (function()
    local names = {}
    for i, object in ipairs(state().present) do names[i] = object.name end
    expect.equal(names, { "R", "R.cells[17].p[0:3]", "R.cells[18].p[0:1]" })
  end)
end)

case("differs: the shape of one type says nothing about another type [TR14-3.1.1-12]", function()
  with "#pragma acc shape include(a[0:n])"
  declare "struct array A;"
  host.A = { n = 1, a = { 1 } }
  acc "data copyin(V, A)" (function()
    expect.present "V.a[0:3]"
    expect.absent "A.a[0:1]"
  end)
end)

case("accepts: members follow the clause of their object [TR14-3.1.1-13]", function()
  with "#pragma acc shape init_needed(n) include(a[0:n])"
  acc "data copyout(V)" (function()
    expect.uninitialized "V.a[0:3]"
    acc "parallel present(V)" "for (int i = 0; i < V.n; ++i) V.a[i] = 10 * i;"
  end)
  expect.host("V.a[0:3]", { 0, 10, 20 })
end)

case("differs: copyin copies no member back [TR14-3.1.1-13]", function()
  with "#pragma acc shape init_needed(n) include(a[0:n])"
  acc "data copyin(V)" (function()
    expect.accepts("parallel present(V)", "for (int i = 0; i < V.n; ++i) V.a[i] = 10 * i;")
  end)
  expect.host("V.a[0:3]", { 1, 2, 3 })
end)

case("accepts: an included member is available [TR14-3.1.1-14]", function()
  with "#pragma acc shape include(a[0:n]) exclude(b, m)"
  expect.moves(function()
    acc "parallel copyin(V)" (function(d)
      expect.equal(d.V.a[2], 3)
      expect.equal(d.V.fixed[3], 4)
    end)
  end, { h2d = { count = 3, bytes = 64 }, d2h = 0 })
end)

case("rejects: an excluded pointer, scalar or array is not available [TR14-3.1.1-14]", function()
  with "#pragma acc shape include(a[0:n]) exclude(b, m, fixed)"
  acc "data copyin(V)" (function()
    local function using(text)
      expect.fails("excluded-member", function() acc("parallel present(V)")(text) end)
    end
    using "float x = V.b[0];"
    using "int x = V.m;"
    using "double x = V.fixed[2];"
    expect.fails("excluded-member", function()
      acc "parallel present(V)" (function(d) return d.V.m + 1 end)
    end)
  end)
end)

case("accepts: an update moves included members [TR14-3.1.1-15]", function()
  with "#pragma acc shape include(a[0:n]) exclude(m)"
  expect.moves(function() acc "enter data copyin(V)" end, { h2d = { count = 3, bytes = 64 }, d2h = 0 })
  acc "parallel present(V)" "V.a[1] = 20; V.fixed[0] = 10;"
  acc "update self(V)"
  expect.host("V.a[1]", 20)
  expect.host("V.fixed[0]", 10)
end)

case("differs: an update does not move excluded members [TR14-3.1.1-15]", function()
  with [[#pragma acc shape include(a[0:n])
    #pragma acc shape(less) exclude(m, a)]]
  acc "enter data copyin(V)"
  acc "parallel present(V)" "V.m = 50; V.a[0] = 10; V.n = 2;"
  acc "update self<less>(V)"
  expect.host("V.m", 1)
  expect.host("V.a[0]", 1)
  expect.host("V.n", 2)
  host.V.m = 60
  expect.accepts "update device<less>(V)"
  expect.device("V.m", 50)
end)

case("accepts: init_needed makes create a copyin and copyout a copy [TR14-3.1.1-17]", function()
  with "#pragma acc shape init_needed(n, a[0:n])"
  expect.moves(function() acc "enter data create(V)" end, { h2d = { count = 2, bytes = 4 + 12 } })
  expect.device("V.a[0:3]", { 1, 2, 3 })
  acc "exit data delete(V)"
  acc "data copyout(V)" (function()
    expect.device("V.a[2]", 3)
    acc "parallel present(V)"
      "V.m = 9; V.fixed[0] = V.fixed[1] = V.fixed[2] = V.fixed[3] = 0; V.a[0] = 8;"
  end)
  expect.host("V.m", 9)
  expect.host("V.n", 3)
  expect.host("V.a[0]", 8)
end)

case("accepts: init_needed holds for clauses of policies, of nests and of convenience syntax"
  .. " [TR14-3.1.1-17]", function()
  with [[#pragma acc shape init_needed(n) include(a[0:n])
  #pragma acc policy(made) default(exclude) create(n, a)
  #pragma acc policy(fetched) default(exclude) copyout(n, a)]]
  for _, text in ipairs { "create(V.n, V.a)", "invoke<made>(V)", "invoke<>(V)::{ default(exclude) create(n, a) }" } do
    expect.events(function() acc("enter data " .. text) end,
      { "alloc V", "alloc V.a[0:3]", "h2d V.n", "attach V.a", "incref V", "incref V.a[0:3]" })
    expect.uninitialized "V.a[0:3]"
    acc "exit data delete(V)"
  end
  for _, text in ipairs { "copyout(V.n, V.a)", "invoke<fetched>(V)" } do
    expect.moves(function() acc("data " .. text) (function() end) end,
      { h2d = { count = 1, bytes = 4 }, d2h = { count = 2, bytes = 4 + 12 } })
  end
end)

case("differs: a plain included member is not initialised [TR14-3.1.1-17]", function()
  with "#pragma acc shape include(n, a[0:n])"
  acc "data create(V)" (function()
    expect.uninitialized "V.n"
    expect.uninitialized "V.a[0:3]"
    expect.fails("uninitialized-read", function() acc "parallel present(V)" "int x = V.n;" end)
  end)
end)

case("accepts: members in no clause are included by default [TR14-3.1.1-18]", function()
  with "#pragma acc shape exclude(b)"
  acc "data copyin(V)" (function()
    expect.device("V.m", 1)
    expect.device("V.fixed[3]", 4)
  end)
end)

case("differs: default(exclude) excludes members that no clause names [TR14-3.1.1-18 TR14-3.1.1-19]",
  function()
    with "#pragma acc shape default(exclude) include(n, a[0:n])"
    acc "data copyin(V)" (function()
      expect.device("V.n", 3)
      expect.fails("excluded-member", function() acc "parallel present(V)" "int x = V.m;" end)
      expect.fails("excluded-member", function()
        acc "parallel present(V)" "double x = V.fixed[0];"
      end)
    end)
  end)

case("accepts: a shape with default(none) names all members [TR14-3.1.1-19]", function()
  with "#pragma acc shape default(none) include(n, a[0:n]) exclude(m, b, fixed)"
  acc "data copyin(V)" (function() expect.device("V.a[0]", 1) end)
end)

case("rejects: a shape with default(none) does not name a member [TR14-3.1.1-19]", function()
  expect.invalid("acc shape type(struct array) default(none) include(n, a[0:n])", "default-none")
end)

case("accepts: a shape has one default and names each member once [TR14-3.1.1-20]", function()
  with "#pragma acc shape default(include) include(a[0:n]) exclude(b)"
  acc "data copyin(V)" (function() expect.present "V.a[0:3]" end)
end)

case("rejects: a shape has two defaults or names a member twice [TR14-3.1.1-20]", function()
  expect.invalid("acc shape type(struct array) default(include) default(include)",
    "duplicate-clause")
  expect.invalid("acc shape type(struct array) include(a) exclude(a)", "duplicate-member")
  expect.invalid("acc shape type(struct array) include(a, a)", "duplicate-member")
  expect.invalid("acc shape type(struct array) include(n) init_needed(n)", "duplicate-member")
end)

case("accepts: bounds use siblings, functions, globals and enumerators for each object [TR14-3.1.1-21]",
  function()
    func("twice", function(n) return 2 * n end)
    declare [[
      struct many { int n; float *s, *f, *g, *e, *m;
          #pragma acc shape include(s[0:n], f[0:twice(n)], g[1:length]) \
                          include(e[0:THREE], m[n-1:(n+1)*2/2])
      };
      struct many M[2];
    ]]
    local function six() return { 1, 2, 3, 4, 5, 6 } end
    for i = 0, 1 do
      host.M[i] = { n = i + 1, s = six(), f = six(), g = six(), e = six(), m = six() }
    end
    acc "enter data copyin(M)"
    local bytes = {}
    for _, object in ipairs(state().present) do bytes[object.name] = object.bytes // 4 end
    expect.equal(bytes["M[0].s[0:1]"], 1)
    expect.equal(bytes["M[1].s[0:2]"], 2)
    expect.equal(bytes["M[0].f[0:2]"], 2)
    expect.equal(bytes["M[1].f[0:4]"], 4)
    expect.equal(bytes["M[1].g[1:2]"], 2)
    expect.equal(bytes["M[1].e[0:3]"], 3)
    expect.equal(bytes["M[1].m[1:3]"], 3)
    acc "exit data delete(M)"
    expect.equal(#state().present, 0)
  end)

case("rejects: bounds use undeclared names or are no integers [TR14-3.1.1-21]",
  function()
    declare "struct array A; float x;"
    local wrong = { unheard = "unknown-name", ["unheard(n)"] = "unknown-name", ["A.x"] = "unknown-member",
      x = "type-mismatch", ["n++"] = "type-mismatch", ["n->k"] = "not-a-pointer", ["1 ? x : 2"] = "type-mismatch" }
    for bound, code in pairs(wrong) do -- where they are written
      expect.invalid(("acc shape(s) type(struct array) include(a[0:%s])"):format(bound), code)
      expect.invalid(("acc policy(p) type(struct array) default(exclude) copy(a[%s:1])"):format(bound), code)
      expect.invalid(("struct t { int n; float *a;\n#pragma acc shape include(a[0:%s])\n};"):format(bound), code)
    end
    local err = expect.fails("unknown-name", function() declare "struct t { int n; float *a; };\
#pragma acc shape type(struct t) include(a[0:m])\nint length;" end)
    expect.equal(err.rule, "TR14-3.1.1-21")
    expect.equal(err.text_line, 2)
    expect.equal(err.column, 46)
    declare "struct t { int k; };" -- nothing of that text is left
    -- a shape that fails is not there; names of the text's other lines are known
    expect.fails("unknown-name", function() acc "shape(s) type(struct array) include(a[0:m])" end)
    declare "int m = 1;"
    acc "shape(s) type(struct array) include(a[0:m])"
    expect.invalid("acc shape(s) type(struct array) include(a[0:m])", "duplicate-name")
    declare "struct u { float *a;\n#pragma acc shape include(a[0:later])\n}; struct u U; int later = 1;"
    host.U.a = alloc("float", 1)
    acc "data copyin(U)" (function() expect.present "U.a[0:1]" end)
  end)

case("accepts: bounds have the values that C gives them [TR14-3.1.1-21]", function()
  declare [[
    unsigned u = 0;
    int k = 2;
    float *p;
    struct ring { unsigned head, tail; unsigned char c; float *data, *more;
        #pragma acc shape include(data[0: head - tail], more[0: c + 250 - 256 ? (c >> 1) : (unsigned char)(c + 253)])
    };
    struct ring R;
  ]]
  host.p = { 1, 2, 3, 4 }
  local function elements(bound)
    local bytes
    acc("data copyin(p[0: " .. bound .. "])") (function() bytes = state().present[1].bytes end)
    expect.equal(host(bound), bytes // 4)
    return bytes // 4
  end
  expect.equal(elements "u - 1 > 0 ? 2 : 1", 2)
  expect.equal(elements "~u > 1 ? 2 : 1", 2)
  expect.equal(elements "-1 > u ? 2 : 1", 2)
  expect.equal(elements "(u - 1) / 2147483648u + 1", 2)
  expect.equal(elements "sizeof(int) - 8 > 0 ? 1 : 2", 1)
  expect.equal(elements "1u - 2 >> 31", 1)
  expect.equal(elements "k == 2 || 1 / u ? 3 : 4", 3)
  expect.equal(elements "u ? 1 / u : 2", 2)
  host.R = { head = 2, tail = 4294967294, c = 6, data = { 1, 2, 3, 4 }, more = { 1, 2, 3, 4 } }
  acc "data copyin(R)" (function()
    expect.present "R.data[0:4]"
    expect.present "R.more[0:3]"
  end)
end)

case("rejects: bounds are undefined in C, or have a floating type [TR14-3.1.1-21 TR14-3.1.1-23]", function()
  declare [[
    int n = 2147483647, zero = 0, bits = 32;
    float f = 1;
    float *p;
    struct list { int n; float *data;
        #pragma acc shape include(data[0: n / (n - 2)])
    };
    struct list L;
  ]]
  host.p = { 1, 2, 3, 4 }
  host.L = { n = 2, data = { 1 } }
  local function refused(bound, what)
    local problem = expect.fails("invalid-section", function() acc("enter data copyin(p[0: " .. bound .. "])") end)
    expect(problem.message:find(what, 1, true), problem.message)
  end
  refused("n + 1 > 0 ? 1 : 2", "overflows")
  refused("1 / zero > 5 ? 3 : 4", "divides by zero")
  refused("5 % zero", "divides by zero")
  refused("1 << bits", "shifts")
  local problem = expect.fails("invalid-section", function() acc "enter data copyin(L)" end)
  expect(problem.message:find("L.data divides by zero", 1, true), problem.message)
  expect.invalid("acc data copyin(p[0: f > 0 ? 1 : 2])", "type-mismatch")
  local alias = expect.fails("not-a-pointer", function() acc "data present(p[@f])" (function() end) end)
  expect.equal(alias.message, "the base of '@' is a pointer, this is float")
end)

case("accepts: arrays and pointers may have sections [TR14-3.1.1-22]", function()
  with "#pragma acc shape include(a[0:n], fixed[1:2])"
  acc "data copyin(V)" (function() expect.device("V.fixed[1:2]", { 2, 3 }) end)
end)

case("rejects: a scalar has a section, or a pointer has too many [TR14-3.1.1-22]", function()
  expect.invalid("acc shape type(struct array) include(n[0:1])", "not-a-pointer")
  expect.invalid("acc shape type(struct array) include(a[0:n][0:1])", "not-a-pointer")
end)

case("accepts: a clause with a section of length 0 does not apply [TR14-3.1.1-23]", function()
  with "#pragma acc shape include(a[0:n], b[0:m])"
  host.V.m = 0
  host.V.b = NULL
  acc "data copyin(V)" (function()
    expect.attached("V.a", 1)
    expect.detached "V.b"
    expect.equal(#state().present, 2)
  end)
end)

case("rejects: a length is negative, a bound overflows, or a section is too long [TR14-3.1.1-23]",
  function()
    with "#pragma acc shape include(a[0:n])"
    host.V.n = -1
    expect.fails("invalid-section", function() acc "enter data copyin(V)" end)
    host.V.n = 4
    expect.fails("out-of-bounds", function() acc "enter data copyin(V)" end)
    host.V.n = 0x7fffffff
    expect.fails("out-of-bounds", function() acc "enter data copyin(V)" end)
    declare [[
      struct wide { long n; double *a;
          #pragma acc shape include(a[0:n])
      };
      struct wide W;
    ]]
    host.W = { n = math.maxinteger, a = { 1 } }
    expect.fails("invalid-section", function() acc "enter data copyin(W)" end)
    host.W.n = 1 << 61
    expect.fails("invalid-section", function() acc "enter data copyin(W)" end)
  end)

case("rejects: bounds that are always wrong are reported where they are written [TR14-3.1.1-23 TR14-3.5-12]", function()
  expect.invalid("acc shape(s) type(struct other) include(k[0:1])", "not-a-pointer")
  declare "struct written { int n; float *a, **rows; double fixed[4]; };"
  for _, bound in ipairs { "a[0:]", "a[:]", "rows[0:n][0:]", "a[0:-1]", "fixed[1:-2]", "a[@a]" } do
    expect.invalid("acc shape(s) type(struct written) include(" .. bound .. ")", "invalid-section")
    expect.invalid("acc policy(p) type(struct written) default(exclude) copy(" .. bound .. ")", "invalid-section")
  end
  -- names may be declared later, in the same text
  declare [[
    #pragma acc shape(later) type(struct written) include(a[0:length_of_all], fixed[1:])
    struct written W; int length_of_all = 1;
  ]]
  host.W.a = alloc("float", 1)
  acc "data copyin<later>(W)" (function() expect.present "W.a[0:1]" end)
end)

case("rejects: nests and policies have static errors [HOUSE-expect TR14-3.1.1-03]", function()
  declare "struct s { int n; float *a; }; struct s S;"
  expect.invalid("acc data copyin(S)::{ bogus(a) }", "unknown-clause")
  expect.invalid("acc policy(p) type(struct s) bogus(a)", "unknown-clause")
  expect.malformed "acc data copyin(S)::{ include(a[0:n }"
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
