-- Classes of C++ in transfers: constructors, and templates with their type arguments.
scenario { title = "TR14 4.3: classes and templates", rules = "tr14" }

declare [[
  struct row { int n; float *p;
      #pragma acc shape include(p[0:n])
  };
]]

case("accepts: a transfer calls nothing, and both sides are one object [TR14-4.3-09]", function()
  declare [[
    class counted {
        int n;
        float *p;
        #pragma acc shape include(p[0:n])
      public:
        counted();
        counted(const counted &other);
        ~counted() { n = 0; }
        int last() const { return n - 1; }
    };
    counted C;
  ]]
  local calls = 0
  method("counted", "counted", function() calls = calls + 1 end)
  host.C = { n = 2, p = { 1, 2 } }
  acc "data copy(C)" (function()
    acc "parallel present(C)" "C.p[C.last()] = 7;"
    expect.accepts "update self(C) device(C)"
    expect.equal(acc_hostptr(acc_deviceptr "C"), addr "C")
  end)
  expect.equal(calls, 0)
  expect.host("C.n", 2)
  expect.host("C.p[0:2]", { 1, 7 })
end)

case("differs: no constructor initialises device memory [TR14-4.3-09]", function()
  declare "class zeroed { public: int n; zeroed() { n = 0; } }; zeroed Z;"
  host.Z = { n = 9 }
  acc "data create(Z)" (function()
    expect.uninitialized "Z.n"
    expect.fails("uninitialized-read", function() acc "parallel present(Z)" "int x = Z.n;" end)
  end)
  expect.host("Z.n", 9)
end)

case("accepts: templates are described inside and outside, for all types or for one [TR14-4.3-16]", function()
  declare [[
    template<class T> class inside { public: T *p; int n;
        int size() { return n; }
        #pragma acc shape include(p[0:size()])
        #pragma acc policy(out) default(exclude) copyout(p)
    };
    template<typename K, typename T> struct pair { K *keys; T *values; int n; };
    #pragma acc shape type(pair) include(keys[0:n], values[0:n])
    inside<float> F;
    inside<inside<double>> D; // the type argument brings its shape
    pair<int, struct row> P;
    pair<int, float> Q;
    #pragma acc shape(keys) type(pair<int, float>) exclude(values)
  ]]
  host.F = { n = 2, p = { 1, 2 } }
  host.D = { n = 2, p = { { n = 1, p = { 3 } }, { n = 2, p = { 4, 5 } } } }
  host.P = { n = 1, keys = { 6 }, values = { { n = 2, p = { 7, 8 } } } }
  host.Q = { n = 1, keys = { 9 }, values = { 10 } }
  acc "data copyin(F, D, P) copyin<keys>(Q)" (function()
    expect.device("F.p[1]", 2)
    expect.device("D.p[1].p[1]", 5)
    expect.device("P.values[0].p[1]", 8)
    expect.device("Q.keys[0]", 9)
    expect.absent "Q.values[0]"
  end)
  acc "data invoke<out>(F)" (function()
    expect.uninitialized "F.p[0:2]"
    acc "parallel present(F.p[0:2])" "F.p[0] = F.p[1] = 8;"
  end)
  expect.host("F.p[0:2]", { 8, 8 })
end)

case("rejects: a raw pointer is a type argument, or a template has wrong arguments"
  .. " [TR14-4.3-16 TR14-3.1.1-22]", function()
  declare [[
    template<class T> class vector { public: T *p; int n;
        #pragma acc shape include(p[0:n])
    };
    vector<int *> V;
  ]]
  host.V = { n = 1, p = { alloc("int", 1, { 5 }) } }
  acc "data copyin(V)" (function()
    expect.attached("V.p", 1)
    expect.detached "V.p[0]"
    expect.fails("host-pointer-on-device", function() acc "parallel present(V)" "int x = V.p[0][0];" end)
  end)
  expect.invalid("vector W;", "unknown-type")
  expect.invalid("vector<int, int> W;", "type-mismatch")
  expect.invalid("template<class T> class deeper { T *p;\n#pragma acc shape include(p[0:2][0:1])\n}; deeper<int> W;",
    "not-a-pointer")
  expect.invalid("acc data copyin<inner>(V)", "unknown-shape")
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
