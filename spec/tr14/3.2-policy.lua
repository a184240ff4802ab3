-- The policy directive: what happens to each member, in data and in update directives.
scenario { title = "TR14 3.2: policies", rules = "tr14" }

declare [[
  struct deep {
      int n; float *a, *b, *c;
      #pragma acc shape init_needed(n) include(a[0:n], b[0:n], c[0:n])
      #pragma acc shape(no_c) exclude(c)
      #pragma acc shape(none_of_them) exclude(a, b, c)
      #pragma acc policy(in_out) default(copyin) copyout(c)
      #pragma acc policy(only_b) default(exclude) update(b)
  };
  struct plain { int n; float *p; };
  struct outer { int k; struct deep d; struct plain q; };
  struct deep X, Y[2];
  struct plain P;
  struct outer O;
  int n = 1;
]]
local function deep() return { n = 2, a = { 1, 2 }, b = { 3, 4 }, c = { 5, 6 } } end
host.X, host.Y = deep(), { deep(), deep() }
host.P = { n = 2, p = { 1, 2 } }
host.O = { k = 7, d = deep(), q = { n = 1, p = { 9 } } }

case("accepts: a policy has a name [TR14-3.2.1-01]", function()
  acc "policy(mine) type(struct deep) default(create) copyin(a)"
  acc "data invoke<mine>(X)" (function() expect.device("X.a[1]", 2) end)
end)

case("rejects: a policy without a name, or without clauses [TR14-3.2.1-01]", function()
  expect.malformed "acc policy type(struct deep) default(copy)"
  expect.malformed "acc policy(p)"
  expect.malformed "acc policy() type(struct deep) default(copy)"
  expect.invalid("acc policy(in_out) type(struct deep) default(copy)", "duplicate-name")
end)

case("accepts: type, use, shape, exclude, data clauses, default, invoke [TR14-3.2.1-02]", function()
  acc "policy(one) type(struct deep) use(in_out) shape(no_c) exclude(b) copy(a)"
  acc "policy(two) type(struct outer) default(copyin) invoke<one>(d) exclude(q)"
  acc "data invoke<two>(O)" (function()
    expect.present "O.d.a[0:2]"
    expect.absent "O.d.b[0:2]"
  end)
end)

case("rejects: clauses of shapes and of directives [TR14-3.2.1-02]", function()
  expect.invalid("acc policy(p) type(struct deep) include(a) default(copy)", "clause-not-allowed")
  expect.invalid("acc policy(p) type(struct deep) init_needed(n) default(copy)", "clause-not-allowed")
  expect.invalid("acc policy(p) type(struct deep) if(1) default(copy)", "clause-not-allowed")
  expect.invalid("acc policy(p) type(struct deep) copi(a)", "unknown-clause")
end)

case("accepts: the values of default in data and in update policies [TR14-3.2.1-03]", function()
  for i, word in ipairs { "copy", "copyin", "copyout", "create", "present", "delete", "exclude", "update" } do
    acc(("policy(p%d) type(struct plain) default(%s)"):format(i, word))
  end
  acc "policy(all_named) type(struct plain) default(none) copyin(n, p)"
  for i, found in ipairs { "2", "2", "uninitialized", "uninitialized" } do -- copy, copyin, copyout, create
    acc(("data invoke<p%d>(P)"):format(i)) (function()
      if found == "2" then expect.device("P.n", 2) else expect.uninitialized "P.n" end
    end)
    host.P = { n = 2, p = { 1, 2 } } -- copyout brings what nobody wrote
  end
  expect.fails("not-present", function() acc "enter data invoke<p5>(P)" end)
  acc "enter data invoke<all_named>(P)"
  expect.accepts("data invoke<p5>(P)", function() expect.device("P.n", 2) end)
  host.P.n = 7
  expect.moves(function() acc "update invoke<p8>(device: P)" end, { h2d = { count = 1 } })
  expect.device("P.n", 7)
  acc "exit data invoke<p6>(P)"
  expect.absent "P"
end)

case("rejects: values of default that there are not [TR14-3.2.1-03]", function()
  for _, word in ipairs { "include", "no_create", "attach", "self", "all" } do
    expect.invalid(("acc policy(p) type(struct plain) default(%s)"):format(word), "clause-not-allowed")
  end
end)

case("accepts: a policy builds on a shape, whose sections it takes [TR14-3.2.1-04]", function()
  acc "policy(of_default) type(struct deep) default(exclude) copyin(a)"
  acc "policy(of_named) type(struct deep) shape(no_c) default(copyin)"
  acc "data invoke<of_default>(X)" (function() expect.device("X.a[0:2]", { 1, 2 }) end)
  acc "data invoke<of_named>(X)" (function()
    expect.device("X.b[0:2]", { 3, 4 })
    expect.absent "X.c[0:2]"
  end)
end)

case("differs: without a shape a pointer has no section [TR14-3.2.1-04]", function()
  acc "policy(p) type(struct plain) default(copyin)"
  acc "data invoke<p>(P)" (function()
    expect.absent "P.p[0:2]"
    expect.fails("host-pointer-on-device", function() acc "parallel present(P)" "P.p[0] = 1;" end)
  end)
end)

case("accepts: a policy drops what the shape includes, and includes what it excludes [TR14-3.2.1-05]", function()
  acc "policy(turned) type(struct deep) shape(no_c) default(copyin) exclude(a) copyin(c)"
  acc "data invoke<turned>(X)" (function()
    expect.absent "X.a[0:2]"
    expect.device("X.c[0:2]", { 5, 6 })
  end)
end)

case("differs: what it does not name stays as the shape says [TR14-3.2.1-05 TR14-3.2.1-13]", function()
  acc "policy(kept) type(struct deep) shape(no_c) default(copyin)"
  acc "data invoke<kept>(X)" (function()
    expect.present "X.a[0:2]"
    expect.fails("excluded-member", function() acc "parallel present<no_c>(X)" "X.c[0] = 1;" end)
  end)
end)

case("accepts: data policies in data directives, update policies in updates [TR14-3.2.1-06]", function()
  acc "data invoke<in_out>(X)" (function()
    expect.events(function() acc "update invoke<only_b>(device: X)" end, { "h2d X.b[0:2]" })
  end)
end)

case("rejects: one kind where the other belongs [TR14-3.2.1-06 TR14-3.2.3-02]", function()
  expect.invalid("acc data invoke<only_b>(X)", "clause-not-allowed")
  expect.invalid("acc update invoke<in_out>(self: X)", "clause-not-allowed")
end)

case("accepts: a policy that moves nothing is of both kinds [TR14-3.2.1-07]", function()
  acc "policy(nothing) type(struct deep) default(exclude)"
  expect.accepts("data copyin(X)", function()
    expect.events(function() acc "update invoke<nothing>(self: X)" end, {})
  end)
  acc "data invoke<nothing>(X)" (function() expect.present "X" end)
end)

case("rejects: data and update clauses in one policy [TR14-3.2.1-07]", function()
  expect.invalid("acc policy(p) type(struct deep) default(exclude) copyin(a) update(b)", "clause-not-allowed")
  expect.invalid("acc policy(p) type(struct deep) default(update) copyin(a)", "clause-not-allowed")
  expect.invalid("acc policy(p) type(struct deep) default(copyin) update(a)", "clause-not-allowed")
  expect.invalid("acc update invoke<>(self: X)::{ default(exclude) copyin(a) }", "clause-not-allowed")
  expect.invalid("acc data invoke<>(X)::{ default(exclude) update(a) }", "clause-not-allowed")
end)

case("accepts: inside a type the type is known, outside type says it [TR14-3.2.1-08]", function()
  declare [[ struct in { int k;
    #pragma acc policy(inside) type(struct in) default(copy)
  } I; ]]
  acc "policy(outside) type(struct in) default(copyin)"
  acc "data invoke<inside>(I) invoke<outside>(I)" (function() expect.count("I", { structured = 2 }) end)
end)

case("rejects: no type, two types, an unknown one, a number, another one [TR14-3.2.1-08 TR14-3.1.1-07]", function()
  expect.invalid("acc policy(p) default(copy)", "missing-type")
  expect.invalid("acc policy(p) type(struct deep) type(struct deep) default(copy)", "duplicate-clause")
  expect.invalid("acc policy(p) type(struct shallow) default(copy)", "unknown-type")
  expect.invalid("acc policy(p) type(int) default(copy)", "not-a-struct")
  expect.invalid("struct s { int k; \n#pragma acc policy(p) type(struct deep) default(copy)\n };", "type-mismatch")
end)

case("accepts: used policies apply where the policy itself is silent [TR14-3.2.1-09]", function()
  acc "policy(c_back) type(struct deep) default(exclude) copyout(c)"
  acc "policy(both) type(struct deep) use(c_back) default(copyin)"
  acc "policy(own) type(struct deep) use(c_back) default(exclude) copyin(c)"
  acc "policy(as_used) type(struct deep) use(in_out)"
  for _, name in ipairs { "both", "as_used" } do
    acc("data invoke<" .. name .. ">(X)") (function()
      expect.device("X.a[0:2]", { 1, 2 })
      expect.uninitialized "X.c[0:2]"
      expect.accepts("parallel present(X)", "X.c[0] = X.c[1] = 0;")
    end)
  end
  host.X = deep()
  acc "data invoke<own>(X)" (function() expect.device("X.c[0:2]", { 5, 6 }) end)
end)

case("accepts: a shape clause says what is included, a used default only the direction [TR14-3.2.1-09]", function()
  declare [[
    struct sized { int n; float *a, *b, *c;
      #pragma acc shape init_needed(n) include(a[0:n], c[0:n]) exclude(b)
      #pragma acc shape(both) include(b[0:n])
      #pragma acc policy(pin) default(copyin)
    };
    struct sized S;
  ]]
  host.S = { n = 1, a = { 1 }, b = { 2 }, c = { 3 } }
  acc "data invoke<>(S)::{ use(pin) shape(both) copyout(a) }" (function()
    expect.device("S.b[0]", 2)
    expect.uninitialized "S.a[0:1]"
    expect.accepts("parallel present(S)", "S.a[0] = 4;")
  end)
  acc "data invoke<>(S)::{ use(pin) copyout(a) }" (function()
    expect.absent "S.b[0:1]"
    expect.accepts("parallel present(S)", "S.a[0] = 4;")
  end)
end)

case("rejects: unknown, of the other kind, of each other, at odds with each other [TR14-3.2.1-09]", function()
  expect.invalid("acc policy(p) type(struct deep) use(q) default(copy)", "unknown-policy")
  expect.invalid("acc policy(p) type(struct deep) use(only_b) default(copy)", "clause-not-allowed")
  expect.invalid("acc policy(p) type(struct deep) use(p) default(copy)", "recursive-type")
  expect.invalid("struct s { int k; \n#pragma acc policy(p) use(q) default(copy)\n"
    .. "#pragma acc policy(q) use(p) default(copy)\n };", "recursive-type")
  acc "policy(c_in) type(struct deep) default(exclude) copyin(c)"
  acc "policy(c_out) type(struct deep) default(exclude) copyout(c)"
  expect.invalid("acc policy(p) type(struct deep) use(c_in, c_out) default(exclude)", "duplicate-member")
  acc "policy(settled) type(struct deep) use(c_in, c_out) default(exclude) create(c)"
  expect.invalid("acc policy(settled) type(struct deep) default(copy)", "duplicate-name")
end)

case("accepts: one shape clause [TR14-3.2.1-10]", function()
  acc "policy(p) type(struct deep) shape(none_of_them) default(copyin)"
  acc "data invoke<p>(X)" (function()
    expect.device("X.n", 2)
    expect.absent "X.a[0:2]"
  end)
end)

case("rejects: two shapes, an unknown one [TR14-3.2.1-10]", function()
  expect.invalid("acc policy(p) type(struct deep) shape(no_c) shape(no_c) default(copy)", "duplicate-clause")
  expect.malformed("acc policy(p) type(struct deep) shape(no_c, none_of_them) default(copy)")
  expect.invalid("acc policy(p) type(struct deep) shape(no_d) default(copy)", "unknown-shape")
end)

case("accepts: excluded members are not updated [TR14-3.2.1-11]", function()
  acc "policy(not_b) type(struct deep) default(update) exclude(b)"
  acc "data copyin(X)" (function()
    acc "parallel present(X)" "X.a[0] = X.b[0] = X.c[0] = 0;"
    acc "update invoke<not_b>(self: X)"
    expect.host("X.a[0]", 0)
    expect.host("X.b[0]", 3)
  end)
end)

case("differs: excluded members are not accessible on the device [TR14-3.2.1-11]", function()
  acc "policy(not_b) type(struct deep) default(copyin) exclude(b)"
  acc "data invoke<not_b>(X)" (function()
    expect.absent "X.b[0:2]"
    expect.fails("excluded-member", function()
      acc "parallel present<none_of_them>(X)" (function(d) return d.X.b[0] end)
    end)
  end)
end)

case("accepts: any data clause that describes members [TR14-3.2.1-12]", function()
  acc "policy(p) type(struct deep) default(exclude) present_or_copyin(a) pcopyout(b) no_create(c) create(n)"
  acc "data invoke<p>(X)" (function()
    expect.device("X.a[0]", 1)
    expect.uninitialized "X.b[0:2]"
    expect.absent "X.c[0:2]"
    expect.accepts("parallel present<none_of_them>(X)", "X.n = 2;")
    acc "parallel present(X.b[0:2])" "X.b[0] = 8; X.b[1] = 9;"
  end)
  expect.host("X.b[0:2]", { 8, 9 })
end)

case("rejects: clauses that describe variables [TR14-3.2.1-12]", function()
  for _, clause in ipairs { "attach", "detach", "deviceptr", "private", "firstprivate" } do
    expect.invalid(("acc policy(p) type(struct deep) default(copy) %s(a)"):format(clause), "clause-not-allowed")
  end
end)

case("accepts: default is for members that the shape includes [TR14-3.2.1-13]", function()
  acc "policy(rest) type(struct deep) shape(no_c) default(copyin) create(a)"
  acc "data invoke<rest>(X)" (function()
    expect.uninitialized "X.a[0:2]"
    expect.device("X.b[0:2]", { 3, 4 })
    expect.device("X.n", 2)
    expect.absent "X.c[0:2]"
  end)
end)

case("accepts: one default [TR14-3.2.1-14]", function()
  acc "policy(p) type(struct plain) copyin(n) default(exclude)"
  acc "data invoke<p>(P)" (function()
    expect.device("P.n", 2)
    expect.fails("excluded-member", function() acc "parallel" "P.p = 0;" end)
  end)
end)

case("rejects: two defaults [TR14-3.2.1-14]", function()
  expect.invalid("acc policy(p) type(struct plain) default(copy) default(copy)", "duplicate-clause")
end)

case("accepts: without a default all included members are named [TR14-3.2.1-15]", function()
  acc "policy(p) type(struct deep) copyin(n, a, b) exclude(c)"
  acc "policy(q) type(struct deep) shape(none_of_them) copyin(n)"
  acc "data invoke<p>(X) invoke<q>(Y[0])" (function() expect.device("Y[0].n", 2) end)
end)

case("rejects: a member that no clause names [TR14-3.2.1-15]", function()
  expect.invalid("acc policy(p) type(struct deep) copyin(n, a, b)", "default-none")
  expect.invalid("acc policy(p) type(struct deep) default(none) copyin(n, a, b)", "default-none")
  expect.invalid("acc data invoke<>(X)::{ copyin(a) }", "default-none")
end)

case("accepts: scalars, nested structures, pointers [TR14-3.2.1-16]", function()
  acc "policy(p) type(struct outer) default(exclude) copyin(k, d) copyout(q)"
  acc "data invoke<p>(O)" (function()
    expect.device("O.k", 7)
    expect.device("O.d.b[0:2]", { 3, 4 })
    expect.uninitialized "O.q"
    acc "parallel present(O)::{ exclude(k, d) }" "O.q.n = 5; O.q.p = 0;"
  end)
  expect.host("O.q.n", 5)
end)

case("rejects: a nested structure has its own default shape [TR14-3.2.1-16 HOUSE-syntax]", function()
  acc "policy(p) type(struct outer) default(copyin)"
  acc "data invoke<p>(O)" (function()
    expect.present "O.d.c[0:2]"
    expect.absent "O.q.p[0:1]" -- no shape describes it
  end)
  expect.invalid("acc policy(p) type(struct outer) default(exclude) copyin(d.a)", "syntax")
end)

case("accepts: invoke on data, enter data, exit data and compute constructs [TR14-3.2.2-01]", function()
  acc "data invoke<in_out>(X)" (function() expect.present "X.a[0:2]" end)
  acc "enter data invoke<in_out>(X)"
  acc "exit data invoke<in_out>(X)"
  acc "parallel invoke<in_out>(X)" "X.c[0] = X.a[0] + X.b[1]; X.c[1] = 0;"
  expect.host("X.c[0]", 5)
end)

case("rejects: invoke without a policy, where no data clause stands [TR14-3.2.2-01 TR14-3.3-14]", function()
  expect.invalid("acc data invoke(X)", "unknown-policy")
  expect.invalid("acc data invoke<>(X)", "unknown-policy")
  expect.invalid("acc set invoke<in_out>(X)", "clause-not-allowed")
  expect.malformed "acc end data invoke<in_out>"
end)

case("accepts: a variable whose type has the policy [TR14-3.2.2-02]", function()
  acc "data invoke<in_out>(X, Y[0:2])" (function() expect.present "Y[1].a[0:2]" end)
end)

case("rejects: a type without that policy, no structure at all [TR14-3.2.2-02]", function()
  expect.invalid("acc data invoke<in_out>(P)", "unknown-policy")
  expect.invalid("acc data invoke<in_oud>(X)", "unknown-policy")
  expect.invalid("acc data invoke<in_out>(n)", "not-a-struct")
end)

case("accepts: the policy gives each member its direction [TR14-3.2.2-03]", function()
  local region
  expect.moves(function() region = acc "data invoke<in_out>(X)" end, { h2d = { count = 3 }, d2h = 0 })
  expect.uninitialized "X.c[0:2]"
  acc "parallel present(X)" "X.a[0] = 100; X.c[0] = 8; X.c[1] = 9;"
  expect.events(function() region:close() end, { "detach X.a", "detach X.b", "detach X.c", "decref X",
    "decref X.a[0:2]", "decref X.b[0:2]", "decref X.c[0:2]", "d2h X.c[0:2]", "free X", "free X.a[0:2]",
    "free X.b[0:2]", "free X.c[0:2]" })
  expect.host("X.c[0:2]", { 8, 9 })
end)

case("differs: what only went in does not come back [TR14-3.2.2-03]", function()
  acc "data invoke<in_out>(X)" (function()
    expect.accepts("parallel present(X)", "X.a[0] = 100; X.c[0] = X.c[1] = 0;")
  end)
  expect.host("X.a[0]", 1)
end)

case("accepts: shapes for clauses, policies for invoke [TR14-3.2.2-04]", function()
  expect.moves(function()
    acc "data copyin<no_c>(X) invoke<in_out>(Y[0])" (function() expect.absent "X.c[0:2]" end)
  end, { h2d = { count = 6, bytes = 96 }, d2h = { count = 1, bytes = 8 } })
end)

case("rejects: a policy's name for a shape, and a shape's for a policy [TR14-3.2.2-04 TR14-3.1.2-08]", function()
  expect.invalid("acc data copyin<in_out>(X)", "unknown-shape")
  expect.invalid("acc data invoke<no_c>(X)", "unknown-policy")
end)

case("accepts: the object is allocated whole, with pointers attached [TR14-3.2.2-05]", function()
  acc "policy(only_a) type(struct deep) default(exclude) copyin(a)"
  expect.events(function() acc "enter data invoke<only_a>(X)" end, { "alloc X", "alloc X.a[0:2]",
    "h2d X.a[0:2]", "attach X.a", "incref X", "incref X.a[0:2]" })
  expect.present "X"
  expect.attached("X.a", 1)
end)

case("differs: nothing else of it is initialised [TR14-3.2.2-05]", function()
  acc "policy(only_a) type(struct deep) default(exclude) copyin(a)"
  acc "data invoke<only_a>(X)" (function() expect.uninitialized "X.n" end)
end)

case("accepts: entry halves on enter data, exit halves on exit data [TR14-3.2.2-06]", function()
  acc "policy(halves) type(struct deep) default(exclude) copy(a) copyin(b) copyout(c)"
  expect.moves(function() acc "enter data invoke<halves>(X)" end, { h2d = { count = 2 }, d2h = 0 })
  acc "parallel present(X.a[0:2], X.c[0:2])" "X.a[0] = X.c[0] = X.c[1] = 50;"
  expect.moves(function() acc "exit data invoke<halves>(X)" end, { h2d = 0, d2h = { count = 2 } })
  expect.host("X.a[0]", 50)
  expect.host("X.c[1]", 50)
  expect.absent "X"
end)

case("rejects: delete on entry; exit without entry [TR14-3.2.2-06]", function()
  acc "policy(gone) type(struct deep) default(delete)"
  expect.invalid("acc enter data invoke<gone>(X)", "clause-not-allowed")
  expect.invalid("acc data invoke<gone>(X)", "clause-not-allowed")
  expect.invalid("acc data invoke<>(X)::{ default(copyin) delete(b) }", "clause-not-allowed")
  expect.fails("not-present", function() acc "exit data invoke<in_out>(X)" end)
  acc "enter data copyin(X)"
  acc "exit data invoke<gone>(X)"
  expect.absent "X"
end)

case("accepts: arrays of objects: every element [TR14-3.2.2-07]", function()
  acc "data invoke<in_out>(Y)" (function()
    for i = 0, 1 do
      expect.device(("Y[%d].a[0:2]"):format(i), { 1, 2 })
      expect.uninitialized(("Y[%d].c[0:2]"):format(i))
    end
    acc "parallel present(Y)" "for (int i = 0; i < 2; i++) Y[i].c[0] = Y[i].c[1] = i;"
  end)
  expect.host("Y[1].c[0:2]", { 1, 1 })
end)

case("differs: elements outside the section [TR14-3.2.2-07]", function()
  acc "data invoke<in_out>(Y[1:1])" (function()
    expect.absent "Y[0].a[0:2]"
    expect.present "Y[1].a[0:2]"
    expect.accepts("parallel present(Y[1:1])", "Y[1].c[0] = Y[1].c[1] = 0;")
  end)
end)

case("accepts: a direction, self or device; host is self [TR14-3.2.3-01]", function()
  acc "data copyin(X)" (function()
    expect.events(function() acc "update invoke<only_b>(self: X)" end, { "d2h X.b[0:2]" })
    expect.events(function() acc "update invoke<only_b>(host: X)" end, { "d2h X.b[0:2]" })
    expect.events(function() acc "update invoke<only_b>(device: X)" end, { "h2d X.b[0:2]" })
  end)
end)

case("rejects: no direction, another one, one on data [TR14-3.2.3-01]", function()
  expect.malformed "acc update invoke<only_b>(X)"
  expect.malformed "acc update invoke<only_b>(both: X)"
  expect.malformed "acc data invoke<in_out>(device: X)"
end)

case("accepts: update policies on update [TR14-3.2.3-02]", function()
  acc "data copyin(Y)" (function()
    expect.events(function() acc "update invoke<only_b>(self: Y[0:2])" end,
      { "d2h Y[0].b[0:2]", "d2h Y[1].b[0:2]" })
  end)
end)

case("accepts: what is named moves, pointers keep their values [TR14-3.2.3-03]", function()
  acc "policy(most) type(struct deep) default(update) exclude(c)"
  acc "data copyin(X)" (function()
    acc "parallel present(X)" "X.n = 1; X.a[0] = 7; X.b[0] = 8; X.c[0] = 9;"
    local before = host.X.a
    acc "update invoke<most>(self: X)"
    expect.host("X.n", 1)
    expect.host("X.a[0]", 7)
    expect(host.X.a == before)
    expect.attached("X.a", 1)
    host.X.n = 2
  end)
end)

case("rejects: what is excluded does not move [TR14-3.2.3-03 ACC33-upd-1]", function()
  acc "data copyin(X)" (function()
    expect.accepts("parallel present(X)", "X.a[0] = X.b[0] = X.c[0] = 100;")
    acc "update invoke<only_b>(self: X)"
    expect.host("X.a[0]", 1)
    expect.host("X.b[0]", 100)
    expect.host("X.c[0]", 5)
  end)
  expect.fails("not-present", function() acc "update invoke<only_b>(self: X)" end)
end)

case("accepts: invoke in a policy, for structures and what pointers point to [TR14-3.2.4-01]", function()
  declare "struct list { int n; struct deep *items; } L;"
  host.L = { n = 2, items = { deep(), deep() } }
  acc "policy(all) type(struct list) default(copyin) invoke<in_out>(items[0:n])"
  acc "policy(bs) type(struct list) default(exclude) invoke<only_b>(items[0:n])"
  acc "data invoke<all>(L)" (function()
    expect.device("L.items[1].b[0:2]", { 3, 4 })
    expect.uninitialized "L.items[1].c[0:2]"
    expect.events(function() acc "update invoke<bs>(device: L)" end,
      { "h2d L.items[0].b[0:2]", "h2d L.items[1].b[0:2]" })
    acc "parallel present(L)::{ include(items[0:n]) }"
      "for (int i = 0; i < 2; i++) L.items[i].c[0] = L.items[i].c[1] = 6;"
  end)
  expect.host("L.items[1].c[0:2]", { 6, 6 })
end)

case("rejects: invoke without a name, on what is no structure [TR14-3.2.4-01 TR14-3.2.4-02]", function()
  expect.invalid("acc policy(p) type(struct outer) default(copy) invoke(d)", "unknown-policy")
  expect.invalid("acc policy(p) type(struct outer) default(copy) invoke<in_out>(k)", "not-a-struct")
end)

case("accepts: a policy that the member's type has [TR14-3.2.4-02]", function()
  acc "policy(p) type(struct outer) default(exclude) invoke<in_out>(d)"
  expect.moves(function()
    acc "data invoke<p>(O)" (function()
      acc "parallel present(O)::{ exclude(k, q) }" "O.d.c[0] = O.d.c[1] = 1;"
    end)
  end, { h2d = { count = 4, bytes = 44 }, d2h = { count = 1, bytes = 8 } })
  expect.host("O.d.c[0:2]", { 1, 1 })
end)

case("rejects: a policy for a member whose type has none of that name [TR14-3.2.4-02 TR14-3.2.2-02]", function()
  expect.invalid("acc policy(p) type(struct outer) default(exclude) invoke<in_out>(q)", "unknown-policy")
  expect.invalid("acc policy(p) type(struct outer) default(exclude) invoke<no_c>(d)", "unknown-policy")
end)

case("accepts: the member follows its policy instead of the default [TR14-3.2.4-03]", function()
  acc "policy(p) type(struct outer) default(create) invoke<in_out>(d)"
  acc "data invoke<p>(O)" (function()
    expect.uninitialized "O.k"
    expect.device("O.d.a[0:2]", { 1, 2 })
    expect.uninitialized "O.d.c[0:2]"
    expect.accepts("parallel present(O)::{ exclude(k, q) }", "O.d.c[0] = O.d.c[1] = 1;")
  end)
end)

case("rejects: kinds must agree [TR14-3.2.4-03 TR14-3.2.1-07]", function()
  expect.invalid("acc data invoke<>(O)::{ default(exclude) invoke<only_b>(d) }", "clause-not-allowed")
  -- where it is written, not where it is used
  expect.invalid("acc policy(wrong) type(struct outer) default(create) invoke<only_b>(d)", "clause-not-allowed")
  expect.invalid("acc policy(wrong) type(struct outer) default(exclude) update(k) invoke<in_out>(d)",
    "clause-not-allowed")
end)
