-- Limitations and complications: what must stay fixed, sections of length 0, recursion, unions.
scenario { title = "TR14 4.3: limitations and complications", rules = "tr14", async = "program" }

declare [[
  struct deep { int n; float *a, *b;
      #pragma acc shape init_needed(n) include(a[0:n], b[0:n])
      #pragma acc shape(flat) exclude(a, b)
      #pragma acc shape(only_a) exclude(b)
  };
  struct deep X;
  float v[4] = { 1, 2, 3, 4 };
  float *x = v;
  int n = 3;
]]
host.X = { n = 2, a = { 1, 2 }, b = { 3, 4 } }

case("accepts: an inner region adds a member that the outer one left out [TR14-4.3-02]", function()
  acc "data copyin<flat>(X)" (function()
    acc "data copyin(X)" (function() expect.attached("X.b", 1) end)
    expect.detached "X.b"
    expect.present "X"
  end)
end)

case("rejects: the inner region has ended, so the member that it added is absent [TR14-4.3-02 TR14-4.2-09]", function()
  expect.accepts("data copyin<flat>(X)", function()
    expect.accepts "data copyin(X)"
    expect.fails("not-present", function() acc "parallel present(X)" (function() end) end)
  end)
end)

case("accepts: bounds are those of the entry, even if they change later [TR14-4.3-04]", function()
  expect.moves(function()
    acc "data copy(x[0:n])" (function()
      host.n = 1
      acc "parallel present(x[0:n])" (function(d) d.x[2] = 30 end)
    end)
  end, { h2d = { count = 1, bytes = 12 }, d2h = { count = 1, bytes = 12 } })
  expect.host("v[2]", 30)
  expect.absent "v"
end)

case("rejects: a pointer changes in its region [TR14-4.3-04]", function()
  local before = host "X.a"
  local region = acc "data copyin(X)"
  host.X.a = host "X.b"
  expect.fails("pointer-changed", function() region:close() end)
  host.X.a = before
  region:close()
end)

case("differs: bounds change in a region, and a warning is reported [TR14-4.3-04]", function()
  local warning = expect.warns("bounds-changed", function()
    local region = acc "data copyin(X)"
    host.X.n = 1
    region:close()
  end)
  expect.equal(warning.rule, "TR14-4.3-04")
  expect.equal(warning.column, 37)
  expect(warning.message:find("X.a[0:2]", 1, true) and warning.message:find("X.a[0:1]", 1, true))
  expect(warning.notes[1]:find "^at the end of the region")
  expect.absent "X" -- all of it, as at the entry
  host.X.n = 2
  declare "struct list { int n; struct deep *d;\n#pragma acc shape include(d[0:n])\n}; struct list L;"
  host.L = { n = 2, d = { { n = 1, a = { 1 }, b = { 2 } }, { n = 2, a = { 3, 4 }, b = { 5, 6 } } } }
  warning = expect.warns("bounds-changed", function() -- of one element, and the start of a section
    acc "data copyin(L)" (function() host.L.d[1].n = 1 end)
  end)
  expect(warning.message:find("L.d[1].a[0:2]", 1, true))
  declare "int from = 0;"
  acc "shape(part) type(struct deep) include(a[from:1]) exclude(b)"
  expect.warns("bounds-changed", function() acc "data create<part>(X)" (function() host.from = 1 end) end)
  host.from = 0
  -- members in clauses
  expect.warns("bounds-changed", function() acc "data copyin(X.a[0:X.n])" (function() host.X.n = 1 end) end)
end)

case("rejects: bounds of exit data differ from those of enter data, and a warning is reported"
  .. " [TR14-4.3-04 TR14-4.2-03]", function()
  acc "enter data copyin(X)"
  host.X.n = 1
  acc "enter data copyin(X)" -- the data are there: bounds are those of the first entry
  expect.warns("bounds-changed", function() acc "exit data copyout(X)" end)
  expect.present "X"
  local warning = expect.warns("bounds-changed", function() acc "exit data copyout(X)" end)
  expect(warning.message:find("X.a[0:2]", 1, true) and warning.message:find("X.a[0:1]", 1, true))
  expect.absent "X.a[0:2]"
  host.X.n = 1
  acc "enter data create(X)" -- a new entry
  declare "int more;" -- whatever else is declared meanwhile
  host.X.n = 2
  expect.fails("partially-present", function() acc "exit data delete(X)" end)
  host.X.n = 1
  expect.fails("expectation", function()
    expect.warns("bounds-changed", function() acc "exit data delete(X)" end)
  end)
  expect.absent "X"
end)

case("accepts: bounds of exit data come from another shape, or are restored [TR14-4.3-04 TR14-4.3-11]", function()
  local function silent(fn)
    local err = expect.fails("expectation", function() expect.warns("bounds-changed", fn) end)
    expect.equal(err.message, "nothing is warned of")
  end
  acc "shape(first) type(struct deep) include(a[0:1], b[0:1])"
  silent(function()
    acc "enter data copyin(X)"
    acc "exit data delete<first>(X)"
    expect.accepts("data copyin(X)", function()
      host.X.n = 1
      host.X.n = 2
    end)
    expect.accepts("data copyin<flat>(X)", function() host.X.n = 1 end) -- which shapes nothing there
    host.X.n = 2
    acc "enter data copyin(X.a[0:X.n])"
    acc "exit data delete(X.a[0:2])"
  end)
  -- the value of the device is copied back with the data
  silent(function()
    acc "data copy(X)" (function()
      acc "parallel present(X)" (function(d) d.X.n = 1 end)
      expect.device("X.n", 1)
    end)
  end)
  expect.host("X.n", 1)
end)

case("accepts: an object that was created is moved and deleted [TR14-4.3-05]", function()
  acc "enter data create(v)"
  expect.moves(function() acc "exit data copyout(v[0:4])" end, { h2d = 0, d2h = { count = 1, bytes = 16 } })
  expect.absent "v"
end)

case("rejects: an object that was never created is moved, deleted or updated [TR14-4.3-05]", function()
  expect.fails("not-present", function() acc "exit data copyout(v)" end)
  expect.fails("not-present", function() acc "exit data delete(v)" end)
  expect.fails("not-present", function() acc "update self(v)" end)
  acc "enter data create(v[0:2])"
  expect.fails("partially-present", function() acc "exit data delete(v)" end)
end)

case("accepts: pointers in unions are shaped like others [TR14-4.3-10]", function()
  declare [[
    union either { float *f; int *i;
        #pragma acc shape include(f[0:2]) exclude(i)
        #pragma acc shape(ints) include(i[0:2]) exclude(f)
    };
    struct tagged { int tag; union either u; };
    union either E;
    struct tagged T;
  ]]
  host.E = { f = { 1, 2 } }
  acc "data copyin(E)" (function() expect.device("E.f[1]", 2) end)
  host.T = { tag = 1, u = { f = { 3, 4 } } }
  acc "data copyin(T)" (function()
    expect.device("T.u.f[1]", 4)
    expect.device("T.tag", 1)
  end)
end)

case("rejects: a union holds another member than the shape follows [TR14-4.3-10 ACC33-2.7.1-1]", function()
  declare [[
    union either { long number; float *f;
        #pragma acc shape include(f[0:2])
    };
    union either E;
  ]]
  host.E = { number = 12345 }
  expect.fails("out-of-bounds", function() acc "data copyin(E)" end)
end)

case("accepts: enter data and exit data have different shapes [TR14-4.3-11]", function()
  acc "enter data copyin<only_a>(X)"
  acc "enter data copyin<only_a>(X)"
  acc "exit data delete(X.a[0:2])"
  expect.present "X.a[0:2]"
  acc "exit data delete<only_a>(X)"
  expect.absent "X"
end)

case("rejects: exit data describes more than enter data did [TR14-4.3-11 TR14-4.3-13]", function()
  acc "enter data copyin<only_a>(X)"
  expect.fails("not-attached", function() acc "exit data delete(X)" end)
  expect.attached("X.a", 1)
end)

case("accepts: a shallow exit follows after the pointers were detached [TR14-4.3-12]", function()
  acc "enter data copyin(X)"
  acc "exit data detach(X.a, X.b)"
  acc "exit data delete<flat>(X)"
  expect.absent "X"
  expect.present "X.a[0:2]"
end)

case("rejects: a shallow exit finds pointers that are still attached [TR14-4.3-12]", function()
  acc "enter data copyin(X)"
  expect.fails("still-attached", function() acc "exit data delete<flat>(X)" end)
  expect.attached("X.a", 1)
end)

case("accepts: a deep exit finds attached pointers [TR14-4.3-13]", function()
  expect.moves(function() acc "enter data copyin(X)" end, { h2d = { count = 3, bytes = 40 }, d2h = 0 })
  acc "exit data copyout(X)"
  expect.absent "X"
end)

case("rejects: a deep exit finds pointers that are not attached [TR14-4.3-13]", function()
  acc "enter data copyin<flat>(X)"
  acc_copyin "X.a[0:2]"
  acc_copyin "X.b[0:2]"
  expect.fails("not-attached", function() acc "exit data copyout(X)" end)
end)

case("accepts: a clause with a section of length 0 requires nothing [TR14-4.3-14]", function()
  host.n = 0
  expect.events(function() acc "enter data copyin(x[0:n])" end, {})
  expect.events(function() acc "exit data copyout(x[0:n])" end, {})
  expect.events(function() acc "update self(x[0:n])" end, {})
  expect.accepts("data present(x[0:n])", function() expect.absent "v" end)
  host.X = { n = 0 }
  acc "data copyin(X)" (function()
    expect.detached "X.a"
    expect.equal(#state().present, 1)
  end)
end)

case("rejects: a section of one element must be present [TR14-4.3-14 TR14-4.2-09]", function()
  host.n = 1
  expect.fails("not-present", function() acc "data present(x[0:n])" end)
end)

case("accepts: pointers that are not followed keep their host value, or are null [TR14-4.3-15]",
  function()
    rules { base = "tr14", untranslated = "null" }
    declare "struct plain { int n; float *p; }; struct plain P;"
    host.P = { n = 1, p = { 1 } }
    local before = host "P.p"
    acc "data copy(P)" (function()
      acc "parallel present(P)" (function(d)
        expect.fails("null-pointer", function() return d.P.p[0] end)
        d.P.n = 5
      end)
    end)
    expect.equal(host "P.p", before)
    expect.host("P.n", 5)
  end)

case("differs: a pointer that is not followed cannot be used on the device [TR14-4.3-15]", function()
  rules { base = "tr14", untranslated = "poison" }
  declare "struct plain { int n; float *p; }; struct plain P;"
  host.P = { n = 1, p = { 1 } }
  local before = host "P.p"
  acc "data copy(P)" (function()
    expect.fails("host-pointer-on-device", function() acc "parallel present(P)" "P.p[0] = 2;" end)
  end)
  expect.equal(host "P.p", before)
end)

case("accepts: no shape follows the recursion of a recursive type [TR14-4.3-18]", function()
  declare [[
    struct node { int n; float *p; struct node *next;
        #pragma acc shape include(p[0:n])
    };
    struct node L;
  ]]
  host.L = { n = 1, p = { 1 }, next = { { n = 1, p = { 2 } } } }
  acc "data copyin(L)" (function()
    expect.device("L.p[0]", 1)
    expect.absent "L.next[0]"
  end)
end)

case("accepts: another shape follows a recursive type to a fixed depth [TR14-4.3-18]",
  function()
    declare [[
      struct node { int n; struct node *next;
          #pragma acc shape include<leaf>(next[0:1])
          #pragma acc shape(leaf) exclude(next)
      };
      struct node L;
    ]]
    host.L = { n = 1, next = { { n = 2, next = { { n = 3 } } } } }
    acc "data copyin(L)" (function()
      expect.device("L.next->n", 2)
      expect.fails("excluded-member", function()
        acc "parallel present(L)" "int k = L.next->next->n;"
      end)
    end)
  end)

case("rejects: a shape reaches its own type again [TR14-4.3-18]", function()
  -- at the shape, used or not
  expect.invalid("struct node { int n; struct node *next;\n#pragma acc shape include(next[0:1])\n};", "recursive-type")
  declare [[
    struct ping { struct pong *p; };
    struct pong { struct ping *q;
        #pragma acc shape include(q[0:1])
    };
  ]]
  expect.invalid("acc shape type(struct ping) include(p[0:1])", "recursive-type")
end)

case("accepts: data whose host memory is already freed are deleted and nothing moves [TR14-4.3-05]", function()
  declare "struct list { int n; struct deep *d;\n#pragma acc shape include(d[0:n])\n}; struct list L;"
  host.L = { n = 1 }
  host.L.d = alloc("struct deep", 1)
  host.L.d[0] = { n = 2, b = { 1, 2 } }
  host.L.d[0].a = alloc("float", 2)
  acc "enter data create(L)"
  free(host.L.d[0].a)
  expect.fails("out-of-bounds", function() acc "exit data copyout(L)" end)
  acc "exit data delete(L)"
  expect.equal(#state().present, 0)
end)

case("rejects: freed host memory must be followed, sent or fetched [TR14-4.3-05 ACC33-2.7.1-1]", function()
  declare "struct list { int n; struct deep *d;\n#pragma acc shape include(d[0:n])\n}; struct list L;"
  host.L = { n = 1 }
  host.L.d = alloc("struct deep", 1)
  acc "enter data create(L)"
  expect.present "L"
  free(host.L.d)
  expect.fails("out-of-bounds", function() acc "exit data delete(L)" end)
  expect.fails("out-of-bounds", function() acc "update device(L)" end)
  expect.fails("out-of-bounds", function() acc "enter data create(L)" end)
end)

case("accepts: asynchronous constructs may be done at once [TR14-4.3-19]", function()
  acc "enter data copyin(v) async(1)"
  expect.device("v[3]", 4)
  acc "parallel present(v) async" (function(d) d.v[0] = 9 end)
  acc "update self(v) async(2) wait(1)"
  acc "wait"
  acc "wait(1, 2)"
  expect.host("v[0]", 9)
  acc "exit data delete(v) async"
  expect.absent "v"
end)

case("rejects: a directive that takes no async has one, or an async has no end [TR14-4.3-19 ACC33-2.7-8]", function()
  expect.invalid("acc set async(1)", "clause-not-allowed")
  expect.malformed "acc enter data copyin(v) async("
end)

case("accepts: one construct maps hundreds of objects and another unmaps them [TR14-4.3-05]", function()
  declare "struct deep many[100];"
  for k = 0, 99 do host.many[k] = { n = 1, a = { k }, b = { -k } } end
  acc "enter data copyin(many)"
  expect.equal(#state().present, 201)
  expect.device("many[99].b[0]", -99)
  acc "parallel present(many)" "for (int k = 0; k < 100; ++k) many[k].a[0] += 1;"
  acc "update self(many[98])"
  expect.host("many[98].a[0]", 99)
  expect.host("many[97].a[0]", 97)
  local moved = {}
  for _, event in ipairs(events(function() acc "exit data copyout(many)" end)) do moved[tostring(event)] = true end
  expect.equal(moved["d2h many[97].n"], true) -- whether the objects are unmapped together or one by one
  expect.host("many[97].a[0]", 98)
  expect.equal(#state().present, 0)
  expect.equal(#state().attached, 0)
end)

case("rejects: one of hundreds of objects is wrong, and nothing happens [TR14-4.3-05 TR14-4.2-03]", function()
  declare "struct deep many[100];"
  for k = 0, 99 do host.many[k] = { n = 1, a = { k }, b = { -k } } end
  host.many[70].n = 2
  expect.fails("out-of-bounds", function() acc "enter data copyin(many)" end)
  host.many[70].n = 1
  acc "enter data copyin(many[0:50])"
  expect.fails("partially-present", function() acc "update self(many)" end)
  expect.fails("partially-present", function() acc "exit data delete(many)" end)
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

case("rejects: a policy reaches its own type again [TR14-4.3-18]", function()
  expect.invalid([[
    struct node { int value; struct node *next;
        #pragma acc policy(all) default(exclude) invoke<all>(next[0:next != 0])
    };
  ]], "recursive-type")
end)

-- A structure whose pointer is not followed, under a rule for such pointers.
local function untranslated(how)
  rules { base = "tr14", untranslated = how }
  declare "struct plain { int is_null; float *p; }; struct plain P;"
  host.P = { p = { 1 } }
  acc "enter data copyin(P)"
  expect.present "P"
  expect.accepts("parallel present(P)", "P.is_null = P.p == 0;")
  expect.accepts "update self(P)"
  return host "P.is_null"
end

case("accepts: an untranslated pointer is null on a device with its own memory [TR14-4.3-22]", function()
  expect.equal(untranslated "null", 1)
  expect(host "P.p" ~= NULL)
end)

case("differs: an untranslated pointer is not null where host memory is used [TR14-4.3-22]",
  function()
    expect.equal(untranslated "null", 1)
    acc "parallel present(P) if(0)" "P.is_null = P.p == 0;"
    expect.host("P.is_null", 0)
  end)

case("differs: untranslated pointers that keep their values are not null [TR14-4.3-22]", function()
  expect.equal(untranslated "host", 0)
end)
