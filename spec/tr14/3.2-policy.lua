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

case("rejects: a policy has no name or no clauses [TR14-3.2.1-01]", function()
  expect.malformed "acc policy type(struct deep) default(copy)"
  expect.malformed "acc policy(p)"
  expect.malformed "acc policy() type(struct deep) default(copy)"
  expect.invalid("acc policy(in_out) type(struct deep) default(copy)", "duplicate-name")
end)

case("accepts: a policy takes type, use, shape, exclude, data clauses, default and invoke [TR14-3.2.1-02]", function()
  acc "policy(one) type(struct deep) use(in_out) shape(no_c) exclude(b) copy(a)"
  acc "policy(two) type(struct outer) default(copyin) invoke<one>(d) exclude(q)"
  acc "data invoke<two>(O)" (function()
    expect.present "O.d.a[0:2]"
    expect.absent "O.d.b[0:2]"
  end)
end)

case("rejects: a policy has clauses of shapes or of directives [TR14-3.2.1-02]", function()
  expect.invalid("acc policy(p) type(struct deep) include(a) default(copy)", "clause-not-allowed")
  expect.invalid("acc policy(p) type(struct deep) init_needed(n) default(copy)", "clause-not-allowed")
  expect.invalid("acc policy(p) type(struct deep) if(1) default(copy)", "clause-not-allowed")
  expect.invalid("acc policy(p) type(struct deep) copi(a)", "unknown-clause")
end)

case("accepts: default has its own values in data policies and in update policies [TR14-3.2.1-03]", function()
  for i, word in ipairs { "copy", "copyin", "copyout", "create", "present", "delete", "exclude", "update" } do
    acc(("policy(p%d) type(struct plain) default(%s)"):format(i, word))
  end
  acc "policy(all_named) type(struct plain) default(none) copyin(n, p)"
  for i, found in ipairs { "2", "2", "uninitialized", "uninitialized" } do -- copy, copyin, copyout, create
    acc(("data invoke<p%d>(P)"):format(i)) (function()
      if found == "2" then expect.device("P.n", 2) else expect.uninitialized "P.n" end
    end)
    host.P = { n = 2, p = { 1, 2 } } -- copyout copies bytes that were never written
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

case("rejects: a policy has an unknown value of default [TR14-3.2.1-03]", function()
  for _, word in ipairs { "include", "no_create", "attach", "self", "all" } do
    expect.invalid(("acc policy(p) type(struct plain) default(%s)"):format(word), "clause-not-allowed")
  end
end)

case("accepts: a policy builds on a shape and takes the sections from it [TR14-3.2.1-04]", function()
  acc "policy(of_default) type(struct deep) default(exclude) copyin(a)"
  acc "policy(of_named) type(struct deep) shape(no_c) default(copyin)"
  acc "data invoke<of_default>(X)" (function() expect.device("X.a[0:2]", { 1, 2 }) end)
  acc "data invoke<of_named>(X)" (function()
    expect.device("X.b[0:2]", { 3, 4 })
    expect.absent "X.c[0:2]"
  end)
end)

case("differs: a pointer without a shape has no section [TR14-3.2.1-04]", function()
  acc "policy(p) type(struct plain) default(copyin)"
  acc "data invoke<p>(P)" (function()
    expect.absent "P.p[0:2]"
    expect.fails("host-pointer-on-device", function() acc "parallel present(P)" "P.p[0] = 1;" end)
  end)
end)

case("accepts: a policy leaves out what its shape includes, and includes what its shape excludes"
  .. " [TR14-3.2.1-05]", function()
  acc "policy(turned) type(struct deep) shape(no_c) default(copyin) exclude(a) copyin(c)"
  acc "data invoke<turned>(X)" (function()
    expect.absent "X.a[0:2]"
    expect.device("X.c[0:2]", { 5, 6 })
  end)
end)

case("differs: members that the policy does not name stay as the shape says [TR14-3.2.1-05 TR14-3.2.1-13]", function()
  acc "policy(kept) type(struct deep) shape(no_c) default(copyin)"
  acc "data invoke<kept>(X)" (function()
    expect.present "X.a[0:2]"
    expect.fails("excluded-member", function() acc "parallel present<no_c>(X)" "X.c[0] = 1;" end)
  end)
end)

case("accepts: data directives use data policies and updates use update policies [TR14-3.2.1-06]", function()
  acc "data invoke<in_out>(X)" (function()
    expect.events(function() acc "update invoke<only_b>(device: X)" end, { "h2d X.b[0:2]" })
  end)
end)

case("rejects: a policy of one kind is used for the other kind [TR14-3.2.1-06 TR14-3.2.3-02]", function()
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

case("rejects: one policy has data clauses and update clauses [TR14-3.2.1-07]", function()
  expect.invalid("acc policy(p) type(struct deep) default(exclude) copyin(a) update(b)", "clause-not-allowed")
  expect.invalid("acc policy(p) type(struct deep) default(update) copyin(a)", "clause-not-allowed")
  expect.invalid("acc policy(p) type(struct deep) default(copyin) update(a)", "clause-not-allowed")
  expect.invalid("acc update invoke<>(self: X)::{ default(exclude) copyin(a) }", "clause-not-allowed")
  expect.invalid("acc data invoke<>(X)::{ default(exclude) update(a) }", "clause-not-allowed")
end)

case("accepts: a policy inside a type knows the type; type gives the type of a policy outside"
  .. " [TR14-3.2.1-08]", function()
  declare [[ struct in { int k;
    #pragma acc policy(inside) type(struct in) default(copy)
  } I; ]]
  acc "policy(outside) type(struct in) default(copyin)"
  acc "data invoke<inside>(I) invoke<outside>(I)" (function() expect.count("I", { structured = 2 }) end)
end)

case("rejects: a policy has no type, two types, an unknown one, a scalar or another one"
  .. " [TR14-3.2.1-08 TR14-3.1.1-07]", function()
  expect.invalid("acc policy(p) default(copy)", "missing-type")
  expect.invalid("acc policy(p) type(struct deep) type(struct deep) default(copy)", "duplicate-clause")
  expect.invalid("acc policy(p) type(struct shallow) default(copy)", "unknown-type")
  expect.invalid("acc policy(p) type(int) default(copy)", "not-a-struct")
  expect.invalid("struct s { int k; \n#pragma acc policy(p) type(struct deep) default(copy)\n };", "type-mismatch")
end)

case("accepts: used policies apply to what the policy itself does not say [TR14-3.2.1-09]", function()
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

case("accepts: a shape clause says what is included, and a used default only the direction [TR14-3.2.1-09]", function()
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

case("rejects: a used policy is unknown, of the other kind, cyclic or conflicting [TR14-3.2.1-09]", function()
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

case("accepts: a policy has one shape clause [TR14-3.2.1-10]", function()
  acc "policy(p) type(struct deep) shape(none_of_them) default(copyin)"
  acc "data invoke<p>(X)" (function()
    expect.device("X.n", 2)
    expect.absent "X.a[0:2]"
  end)
end)

case("rejects: a policy has two shape clauses or an unknown shape [TR14-3.2.1-10]", function()
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

case("accepts: a policy takes any data clause that describes members [TR14-3.2.1-12]", function()
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

case("rejects: a policy has clauses that describe variables [TR14-3.2.1-12]", function()
  for _, clause in ipairs { "attach", "detach", "deviceptr", "private", "firstprivate" } do
    expect.invalid(("acc policy(p) type(struct deep) default(copy) %s(a)"):format(clause), "clause-not-allowed")
  end
end)

case("accepts: default applies to members that the shape includes [TR14-3.2.1-13]", function()
  acc "policy(rest) type(struct deep) shape(no_c) default(copyin) create(a)"
  acc "data invoke<rest>(X)" (function()
    expect.uninitialized "X.a[0:2]"
    expect.device("X.b[0:2]", { 3, 4 })
    expect.device("X.n", 2)
    expect.absent "X.c[0:2]"
  end)
end)

case("accepts: a policy has one default [TR14-3.2.1-14]", function()
  acc "policy(p) type(struct plain) copyin(n) default(exclude)"
  acc "data invoke<p>(P)" (function()
    expect.device("P.n", 2)
    expect.fails("excluded-member", function() acc "parallel" "P.p = 0;" end)
  end)
end)

case("rejects: a policy has two defaults [TR14-3.2.1-14]", function()
  expect.invalid("acc policy(p) type(struct plain) default(copy) default(copy)", "duplicate-clause")
end)

case("accepts: a policy without a default names all included members [TR14-3.2.1-15]", function()
  acc "policy(p) type(struct deep) copyin(n, a, b) exclude(c)"
  acc "policy(q) type(struct deep) shape(none_of_them) copyin(n)"
  acc "data invoke<p>(X) invoke<q>(Y[0])" (function() expect.device("Y[0].n", 2) end)
end)

case("rejects: a policy without a default does not name a member [TR14-3.2.1-15]", function()
  expect.invalid("acc policy(p) type(struct deep) copyin(n, a, b)", "default-none")
  expect.invalid("acc policy(p) type(struct deep) default(none) copyin(n, a, b)", "default-none")
  expect.invalid("acc data invoke<>(X)::{ copyin(a) }", "default-none")
end)

case("accepts: members are scalars, nested structures or pointers [TR14-3.2.1-16]", function()
  acc "policy(p) type(struct outer) default(exclude) copyin(k, d) copyout(q)"
  acc "data invoke<p>(O)" (function()
    expect.device("O.k", 7)
    expect.device("O.d.b[0:2]", { 3, 4 })
    expect.uninitialized "O.q"
    acc "parallel present(O)::{ exclude(k, d) }" "O.q.n = 5; O.q.p = 0;"
  end)
  expect.host("O.q.n", 5)
end)

case("rejects: a policy names a member of a nested structure, which has its own default shape"
  .. " [TR14-3.2.1-16 HOUSE-syntax]", function()
  acc "policy(p) type(struct outer) default(copyin)"
  acc "data invoke<p>(O)" (function()
    expect.present "O.d.c[0:2]"
    expect.absent "O.q.p[0:1]" -- no shape describes it
  end)
  expect.invalid("acc policy(p) type(struct outer) default(exclude) copyin(d.a)", "syntax")
end)

case("accepts: data, enter data, exit data and compute constructs take invoke [TR14-3.2.2-01]", function()
  acc "data invoke<in_out>(X)" (function() expect.present "X.a[0:2]" end)
  acc "enter data invoke<in_out>(X)"
  acc "exit data invoke<in_out>(X)"
  acc "parallel invoke<in_out>(X)" "X.c[0] = X.a[0] + X.b[1]; X.c[1] = 0;"
  expect.host("X.c[0]", 5)
end)

case("rejects: invoke has no policy, or the directive takes no data clause [TR14-3.2.2-01 TR14-3.3-14]", function()
  expect.invalid("acc data invoke(X)", "unknown-policy")
  expect.invalid("acc data invoke<>(X)", "unknown-policy")
  expect.invalid("acc set invoke<in_out>(X)", "clause-not-allowed")
  expect.malformed "acc end data invoke<in_out>"
end)

case("accepts: the type of the variable has the policy [TR14-3.2.2-02]", function()
  acc "data invoke<in_out>(X, Y[0:2])" (function() expect.present "Y[1].a[0:2]" end)
end)

case("rejects: the type does not have the policy, or the variable is not a structure [TR14-3.2.2-02]", function()
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

case("differs: a member that was only sent is not copied back [TR14-3.2.2-03]", function()
  acc "data invoke<in_out>(X)" (function()
    expect.accepts("parallel present(X)", "X.a[0] = 100; X.c[0] = X.c[1] = 0;")
  end)
  expect.host("X.a[0]", 1)
end)

case("accepts: ordinary clauses take shapes and invoke takes policies [TR14-3.2.2-04]", function()
  expect.moves(function()
    acc "data copyin<no_c>(X) invoke<in_out>(Y[0])" (function() expect.absent "X.c[0:2]" end)
  end, { h2d = { count = 6, bytes = 96 }, d2h = { count = 1, bytes = 8 } })
end)

case("rejects: an ordinary clause has a policy's name, or invoke has a shape's name"
  .. " [TR14-3.2.2-04 TR14-3.1.2-08]", function()
  expect.invalid("acc data copyin<in_out>(X)", "unknown-shape")
  expect.invalid("acc data invoke<no_c>(X)", "unknown-policy")
end)

case("accepts: the object is allocated whole and its pointers are attached [TR14-3.2.2-05]", function()
  acc "policy(only_a) type(struct deep) default(exclude) copyin(a)"
  expect.events(function() acc "enter data invoke<only_a>(X)" end, { "alloc X", "alloc X.a[0:2]",
    "h2d X.a[0:2]", "attach X.a", "incref X", "incref X.a[0:2]" })
  expect.present "X"
  expect.attached("X.a", 1)
end)

case("differs: the rest of the object is not initialised [TR14-3.2.2-05]", function()
  acc "policy(only_a) type(struct deep) default(exclude) copyin(a)"
  acc "data invoke<only_a>(X)" (function() expect.uninitialized "X.n" end)
end)

case("accepts: enter data does the entry halves, and exit data the exit halves [TR14-3.2.2-06]", function()
  acc "policy(halves) type(struct deep) default(exclude) copy(a) copyin(b) copyout(c)"
  expect.moves(function() acc "enter data invoke<halves>(X)" end, { h2d = { count = 2 }, d2h = 0 })
  acc "parallel present(X.a[0:2], X.c[0:2])" "X.a[0] = X.c[0] = X.c[1] = 50;"
  expect.moves(function() acc "exit data invoke<halves>(X)" end, { h2d = 0, d2h = { count = 2 } })
  expect.host("X.a[0]", 50)
  expect.host("X.c[1]", 50)
  expect.absent "X"
end)

case("rejects: a delete is used on entry, or an exit has no entry before it [TR14-3.2.2-06]", function()
  acc "policy(gone) type(struct deep) default(delete)"
  expect.invalid("acc enter data invoke<gone>(X)", "clause-not-allowed")
  expect.invalid("acc data invoke<gone>(X)", "clause-not-allowed")
  expect.invalid("acc data invoke<>(X)::{ default(copyin) delete(b) }", "clause-not-allowed")
  expect.fails("not-present", function() acc "exit data invoke<in_out>(X)" end)
  acc "enter data copyin(X)"
  acc "exit data invoke<gone>(X)"
  expect.absent "X"
end)

case("accepts: the policy applies to every element of an array [TR14-3.2.2-07]", function()
  acc "data invoke<in_out>(Y)" (function()
    for i = 0, 1 do
      expect.device(("Y[%d].a[0:2]"):format(i), { 1, 2 })
      expect.uninitialized(("Y[%d].c[0:2]"):format(i))
    end
    acc "parallel present(Y)" "for (int i = 0; i < 2; i++) Y[i].c[0] = Y[i].c[1] = i;"
  end)
  expect.host("Y[1].c[0:2]", { 1, 1 })
end)

case("differs: elements outside of the section do not take part [TR14-3.2.2-07]", function()
  acc "data invoke<in_out>(Y[1:1])" (function()
    expect.absent "Y[0].a[0:2]"
    expect.present "Y[1].a[0:2]"
    expect.accepts("parallel present(Y[1:1])", "Y[1].c[0] = Y[1].c[1] = 0;")
  end)
end)

case("accepts: an update has the direction self, host or device [TR14-3.2.3-01]", function()
  acc "data copyin(X)" (function()
    expect.events(function() acc "update invoke<only_b>(self: X)" end, { "d2h X.b[0:2]" })
    expect.events(function() acc "update invoke<only_b>(host: X)" end, { "d2h X.b[0:2]" })
    expect.events(function() acc "update invoke<only_b>(device: X)" end, { "h2d X.b[0:2]" })
  end)
end)

case("rejects: an update has no direction or an unknown one, or data has a direction [TR14-3.2.3-01]", function()
  expect.malformed "acc update invoke<only_b>(X)"
  expect.malformed "acc update invoke<only_b>(both: X)"
  expect.malformed "acc data invoke<in_out>(device: X)"
end)

case("accepts: an update uses update policies [TR14-3.2.3-02]", function()
  acc "data copyin(Y)" (function()
    expect.events(function() acc "update invoke<only_b>(self: Y[0:2])" end,
      { "d2h Y[0].b[0:2]", "d2h Y[1].b[0:2]" })
  end)
end)

case("accepts: named members move, and pointers keep their values [TR14-3.2.3-03]", function()
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

case("rejects: an update of excluded members moves nothing, and one of absent data fails"
  .. " [TR14-3.2.3-03 ACC33-upd-1]", function()
  acc "data copyin(X)" (function()
    expect.accepts("parallel present(X)", "X.a[0] = X.b[0] = X.c[0] = 100;")
    acc "update invoke<only_b>(self: X)"
    expect.host("X.a[0]", 1)
    expect.host("X.b[0]", 100)
    expect.host("X.c[0]", 5)
  end)
  expect.fails("not-present", function() acc "update invoke<only_b>(self: X)" end)
end)

case("accepts: invoke in a policy names structures and pointers to structures [TR14-3.2.4-01]", function()
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

case("rejects: invoke in a policy has no name, or names a scalar [TR14-3.2.4-01 TR14-3.2.4-02]", function()
  expect.invalid("acc policy(p) type(struct outer) default(copy) invoke(d)", "unknown-policy")
  expect.invalid("acc policy(p) type(struct outer) default(copy) invoke<in_out>(k)", "not-a-struct")
end)

case("accepts: the type of the member has the policy [TR14-3.2.4-02]", function()
  acc "policy(p) type(struct outer) default(exclude) invoke<in_out>(d)"
  expect.moves(function()
    acc "data invoke<p>(O)" (function()
      acc "parallel present(O)::{ exclude(k, q) }" "O.d.c[0] = O.d.c[1] = 1;"
    end)
  end, { h2d = { count = 4, bytes = 44 }, d2h = { count = 1, bytes = 8 } })
  expect.host("O.d.c[0:2]", { 1, 1 })
end)

case("rejects: the type of the member does not have the policy [TR14-3.2.4-02 TR14-3.2.2-02]", function()
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

case("rejects: the policy of a member is of the other kind [TR14-3.2.4-03 TR14-3.2.1-07]", function()
  expect.invalid("acc data invoke<>(O)::{ default(exclude) invoke<only_b>(d) }", "clause-not-allowed")
  -- where it is written, not where it is used
  expect.invalid("acc policy(wrong) type(struct outer) default(create) invoke<only_b>(d)", "clause-not-allowed")
  expect.invalid("acc policy(wrong) type(struct outer) default(exclude) update(k) invoke<in_out>(d)",
    "clause-not-allowed")
end)

case("rejects: a clause in a policy has a condition [TR14-4.3-08 TR14-3.2.1-12]", function()
  declare "struct s { int n; float *a; };"
  expect.fails("clause-not-allowed", function() acc "policy(p) type(struct s) copyin(a) if(n)" end)
end)

for _, word in ipairs { "create", "copyin", "copy" } do
  case(("accepts: exit data uses a policy with default(%s) [TR14-3.2.2-06]"):format(word), function()
    declare("struct d { int n; float *a, *b;\n#pragma acc shape include(a[0:n], b[0:n])\n"
      .. "#pragma acc policy(p) default(" .. word .. ") copyout(b)\n}; struct d Z;")
    host.Z = { n = 1, a = { 1 }, b = { 2 } }
    acc "enter data invoke<p>(Z)"
    acc "parallel present(Z)" "Z.b[0] = 5;"
    expect.moves(function() acc "exit data invoke<p>(Z)" end, { d2h = { count = word == "copy" and 3 or 1 } })
    expect.host("Z.b[0]", 5)
    expect.equal(#state().present, 0)
  end)
end

case("accepts: exit data uses a policy with default(present) [TR14-3.2.2-06]", function()
  declare [[struct d { int n; float *a;
    #pragma acc shape include(a[0:n])
    #pragma acc policy(p) default(present)
  }; struct d Z;]]
  host.Z = { n = 1, a = { 1 } }
  acc "enter data copyin(Z)"
  acc "enter data invoke<p>(Z)"
  expect.count("Z", { dynamic = 2 })
  expect.moves(function() acc "exit data invoke<p>(Z)" end, { d2h = 0 })
  expect.count("Z", { dynamic = 1 })
end)

case("rejects: a member has delete on entry [TR14-3.2.2-06]", function()
  declare [[struct d { int n; float *a, *b;
    #pragma acc shape include(a[0:n], b[0:n])
    #pragma acc policy(p) default(exclude) delete(a) copyout(b)
  }; struct d Z;]]
  host.Z = { n = 1, a = { 1 }, b = { 2 } }
  acc "enter data copyin(Z)"
  expect.present "Z"
  expect.fails("clause-not-allowed", function() acc "data invoke<p>(Z)" (function() end) end)
  expect.fails("clause-not-allowed", function() acc "enter data invoke<p>(Z)" end)
end)
