-- Named shapes: where they may be used, and what they inherit from the default shape.
scenario { title = "TR14 3.1.2: named shapes", rules = "tr14" }

declare [[
  struct part { int n; float *p, *q;
      #pragma acc shape include(p[0:n], q[0:n])
      #pragma acc shape(only_p) exclude(q)
      #pragma acc shape(again) default(include)
      #pragma acc shape(nothing) default(exclude)
      #pragma acc shape(half) include(p[0:n/2])
      #pragma acc shape(init) init_needed(n, q)
  };
  struct pack { int k; struct part one; struct part *more; char *raw;
      #pragma acc shape include(more[0:k]) exclude(raw)
      #pragma acc shape(small) include<only_p>(one, more)
      #pragma acc shape(ready) init_needed<only_p>(one)
      #pragma acc shape(no_more) exclude(more)
  };
  struct part A, B;
  struct pack K;
]]
local function part() return { n = 2, p = { 1, 2 }, q = { 3, 4 } } end
host.A, host.B = part(), part()
host.K = { k = 1, one = part(), more = { part() }, raw = { 65 } }

case("accepts: a named shape is used where a clause asks for it [TR14-3.1.2-01]", function()
  acc "data copyin<only_p>(A) copyin(B)" (function()
    expect.absent "A.q[0:2]"
    expect.present "B.q[0:2]"
  end)
end)

case("differs: a named shape does nothing where no clause asks for it [TR14-3.1.2-01]", function()
  acc "data copyin(A)" (function()
    expect.present "A.p[0:2]"
    expect.present "A.q[0:2]"
  end)
end)

case("accepts: data clauses, updates, include and init_needed take the name of a shape [TR14-3.1.2-02]", function()
  acc "data copy<only_p>(A)" (function()
    acc "data present<only_p>(A) no_create<only_p>(A)" (function() expect.attached("A.p", 3) end)
    acc "parallel present<only_p>(A)" "A.p[0] = 10; A.p[1] = 20;"
    acc "update self<only_p>(A)"
    expect.host("A.p[0]", 10)
    acc "parallel present<only_p>(A)" "A.p[0] = 30;"
    acc "update host<only_p>(A)"
    expect.host("A.p[0]", 30)
    host.A.p[1] = 5
    acc "update device<only_p>(A)"
    expect.device("A.p[1]", 5)
  end)
  expect.accepts("data copyin<small>(K)", function() expect.absent "K.one.q[0:2]" end)
  acc "data create<ready>(K)" (function() expect.device("K.one.p[0:2]", { 1, 2 }) end)
  acc "data copyout<only_p>(A)" (function()
    acc "parallel present<only_p>(A)" "A.n = 2; A.p[0] = 7; A.p[1] = 8;"
  end)
  expect.host("A.p[0:2]", { 7, 8 })
  expect.accepts("data create<only_p>(A)", function() expect.absent "A.q[0:2]" end)
  acc "enter data pcreate<only_p>(A)"
  expect.accepts "exit data delete<only_p>(A)"
end)

case("rejects: other clauses have the name of a shape, or the name is missing [TR14-3.1.2-02]", function()
  expect.invalid("acc shape(s) type(struct pack) exclude<only_p>(one)", "clause-not-allowed")
  expect.malformed "acc shape type(struct pack) default<only_p>(include)"
  expect.malformed "acc shape type<only_p>(struct pack) include(one)"
  expect.invalid("acc enter data attach<only_p>(A.p)", "clause-not-allowed")
  expect.invalid("acc exit data detach<only_p>(A.p)", "clause-not-allowed")
  expect.invalid("acc parallel private<only_p>(A)", "clause-not-allowed")
  expect.malformed "acc data copyin<only_p(A)"
  expect.malformed "acc shape(s) type(struct pack) include<>(one)"
end)

case("accepts: a named shape extends and overrides the default shape [TR14-3.1.2-03]", function()
  acc "data copyin<half>(A)" (function()
    expect.present "A.p[0:1]"
    expect.absent "A.p[1:1]"
    expect.present "A.q[0:2]"
  end)
end)

case("differs: a named shape excludes a member that the default shape includes [TR14-3.1.2-03]",
  function()
    acc "data copyin<no_more>(K)" (function()
      expect.present "K.one.p[0:2]"
      expect.absent "K.more[0:1]"
      expect.absent "K.more[0].p[0:2]"
    end)
  end)

case("accepts: a named shape without a default clause keeps the members of the default shape [TR14-3.1.2-04]",
  function()
    acc "data copyin<small>(K)" (function()
      expect.present "K.more[0:1]"
      expect.fails("excluded-member", function()
        acc "parallel present<small>(K)" (function(d) return d.K.raw[0] end)
      end)
    end)
  end)

case("differs: the default clause of a named shape decides over the default shape [TR14-3.1.2-04]", function()
  acc "data copyin<nothing>(A)" (function()
    expect.absent "A.p[0:2]"
    expect.fails("excluded-member", function()
      acc "parallel present<nothing>(A)" "int x = A.n;"
    end)
  end)
end)

case("accepts: a member without a section has the section of the default shape [TR14-3.1.2-05]",
  function()
    acc "data create<init>(A)" (function() expect.device("A.q[0:2]", { 3, 4 }) end)
    acc "data copyin<again>(A)" (function() expect.present "A.p[0:2]" end)
  end)

case("differs: a section of the named shape replaces that of the default shape [TR14-3.1.2-05]", function()
  acc "data copyin<half>(A)" (function()
    expect.present "A.p[0:1]"
    expect.absent "A.p[1:1]"
  end)
end)

case("accepts: a named shape extends the default shape [TR14-3.1.2-06]", function()
  acc "data copyin<init>(A)" (function() expect.present "A.p[0:2]" end)
end)

case("differs: a named shape does not extend another named one [TR14-3.1.2-06]", function()
  acc "data copyin<half>(A)" (function() expect.present "A.q[0:2]" end) -- only_p excludes it
end)

case("accepts: include<name> uses a named shape for members [TR14-3.1.2-07]", function()
  acc "data copyin<small>(K)" (function()
    expect.present "K.one.p[0:2]"
    expect.absent "K.one.q[0:2]"
    expect.present "K.more[0].p[0:2]"
    expect.absent "K.more[0].q[0:2]"
  end)
end)

case("rejects: the name holds for the listed object, not for its members [TR14-3.1.2-07 TR14-3.1.2-08]",
  function()
    acc "data copyin<no_more>(K)" (function() expect.present "K.one.q[0:2]" end)
    expect.invalid("acc data copyin<small>(A)", "unknown-shape")
  end)

case("accepts: the type of the variable has the shape [TR14-3.1.2-08]", function()
  acc "data copyin<only_p>(A) copyin<small>(K)" (function() expect.present "A.p[0:2]" end)
end)

case("rejects: the type does not have the shape, or the variable is a scalar [TR14-3.1.2-08]", function()
  declare "float f; float *pf;"
  for _, shape in ipairs { "include<never>(other[0:1])", "exclude(other) include<never>(more[0:1])" } do
    expect.invalid("struct forward { int n; struct forward *other; struct late *more;\n#pragma acc shape " .. shape
      .. "\n}; struct late { int k; };", "unknown-shape")
  end
  expect.invalid("acc data copyin<onlyp>(A)", "unknown-shape")
  expect.invalid("acc data copyin<only_p>(f)", "not-a-struct")
  expect.invalid("acc data copyin<only_p>(pf[0:1])", "not-a-struct")
  expect.invalid("acc update self<only_p>(f)", "not-a-struct")
  expect.invalid("acc shape(s) type(struct pack) include<other>(one)", "unknown-shape")
  expect.invalid("acc shape(s) type(struct pack) include<only_p>(raw)", "not-a-struct")
end)

case("accepts: an empty name with a nest extends nothing [TR14-3.1.2-09]", function()
  acc "data copyin<>(A)::{ include(p[0:n]) }" (function()
    expect.present "A.p[0:2]"
    expect.absent "A.q[0:2]"
    expect.device("A.n", 2)
  end)
  acc "data copyin<>(K)::{ exclude(one, more) }" (function()
    expect.equal(#state().present, 1) -- raw is not excluded here, and not followed
    expect.accepts("parallel", "int is_set = K.raw != 0;")
  end)
end)

case("differs: an empty name ignores the sections of the default shape [TR14-3.1.2-09]", function()
  expect.accepts("data copyin<>(A)", function() expect.absent "A.p[0:2]" end)
  expect.accepts("data copyin<>(A)::{ include(p, q) }", function() expect.absent "A.p[0:2]" end)
  acc "data copyin(A)::{ include(p) }" (function()
    expect.present "A.p[0:2]"
    expect.present "A.q[0:2]"
  end)
  acc "data copyin<half>(A)::{ exclude(q) }" (function()
    expect.present "A.p[0:1]"
    expect.absent "A.p[1:1]"
    expect.absent "A.q[0:2]"
  end)
end)

case("rejects: the help names a policy used as a shape, and a shape used as a policy"
  .. " [TR14-3.1.2-08 TR14-3.2.2-02]", function()
  declare [[
    struct both { int n; float *a;
      #pragma acc shape(only_a) default(exclude) include(a[0:n])
      #pragma acc policy(calc) default(exclude) copy(a)
    };
    struct both C;
  ]]
  local function help(text) return expect.fails(text:match "^%S+", function() acc(text:match "^%S+ (.*)$") end).help end
  expect(help "unknown-shape data copy<calc>(C)":find("invoke<calc>", 1, true))
  expect(help "unknown-policy data invoke<only_a>(C)":find("copy<only_a>", 1, true))
  expect(help "clause-not-allowed data copy(C) use(calc)":find("invoke<>(X)::{ use(...) }", 1, true))
  expect(help "unknown-clause shape(s) type(struct both) with(m) include(a[0:m])":find("tr14x", 1, true))
  expect(help "unknown-clause policy(s) type(struct both) with(m) default(exclude) copy(a[0:m])":find("tr14x", 1, true))
end)
