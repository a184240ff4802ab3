-- Nests: shapes and policies for one directive, the form everything else is lowered to.
scenario { title = "TR14 3.3: local nested syntax", rules = "tr14" }

declare [[
  struct bare { int n; float *a, *b; };
  struct deep {
      int n; float *a, *b;
      #pragma acc shape init_needed(n) include(a[0:n], b[0:n])
      #pragma acc shape(no_b) exclude(b)
      #pragma acc policy(a_out) default(copyin) copyout(a)
      #pragma acc policy(only_b) default(exclude) update(b)
  };
  struct chain { int k; struct bare *inner; };
  struct outer { int n; struct chain c; struct bare *list; };
  struct bare P, Q[2];
  struct deep X, Y;
  struct outer O;
  int n = 1, m = 1;
]]
local function arrays(n) return { n = n, a = { 1, 2, 3 }, b = { 4, 5, 6 } } end
host.P, host.Q = arrays(2), { arrays(1), arrays(2) }
host.X, host.Y = arrays(2), arrays(3)
host.O = { n = 2, c = { k = 1, inner = { arrays(2) } }, list = { arrays(1), arrays(2) } }

local function names(fn)
  local list = {}
  for i, event in ipairs(events(fn)) do list[i] = tostring(event) end
  return list
end
local function of(text)
  local list = names(function() acc(text)(function() end) end)
  expect(#list > 0)
  return list
end

case("accepts: a nested clause has brackets or none, a nest, and blanks anywhere [TR14-3.3-01]", function()
  local wanted = of "data copyin(P)::{ include(a[0:n]) }"
  expect.equal(of "data copyin(P) : : { include( a [0 : n] ) }", wanted)
  expect.equal(of "data copyin(P)::{\n include(a[0:n])\n }", wanted)
  expect.equal(of "data copyin(P)::{ include(a[0:n]), default(include) }", wanted)
  expect.equal(of "data copyin<>(P)::{ include(a[0:n]) }", wanted)
end)

case("rejects: a nest has other brackets or separators, or no end [TR14-3.3-01 HOUSE-syntax]", function()
  expect.malformed "acc data copyin(P)::*{ include(a[0:n]) }"
  expect.malformed "acc data copyin(P)::( include(a[0:n]) )"
  expect.malformed "acc data copyin(P)::{ include(a[0:n])"
  expect.malformed "acc data copyin(P)::{ include(a[0:n]) } }"
  expect.malformed "acc data copyin(P)::"
end)

case("accepts: nests follow data clauses, self and device [TR14-3.3-02]", function()
  for _, clause in ipairs { "copy", "copyin", "copyout", "create", "present_or_copy" } do
    acc(("data %s(P)::{ init_needed(n) include(a[0:n]) }"):format(clause))(function()
      expect.present "P.a[0:2]"
      expect.accepts("parallel present(P)", "P.b = 0;")
      if clause ~= "copyin" then
        acc "parallel present(P.a[0:2])" "P.a[0] = 1; P.a[1] = 2;"
        expect.device("P.a[0:2]", { 1, 2 })
      end
    end)
  end
  acc "enter data copyin(P)::{ include(a[0:n]) }"
  acc "parallel present(P)::{ include(a[0:n]) }" "P.a[0] = 8;"
  acc "update self(P)::{ include(a[0:n]) }"
  expect.host("P.a[0]", 8)
  expect.accepts "update device(P)::{ include(a[0:n]) }"
  acc "exit data delete(P)::{ include(a[0:n]) }"
  expect.absent "P.a[0:2]"
end)

case("rejects: nests follow clauses that describe no objects [TR14-3.3-02]", function()
  expect.malformed "acc parallel private(n)::{ include(a) } if(1)::{ }"
  expect.invalid("acc data copy(X)::{ exclude(a)::{ exclude(b) } }", "clause-not-allowed")
  expect.invalid("acc enter data attach(P.a)::{ include(a) }", "clause-not-allowed")
end)

case("accepts: a nested clause lists several variables of one type, and their sections [TR14-3.3-03]", function()
  acc "data copyin(P, Q[0:2])::{ include(a[0:n]) }" (function()
    expect.present "P.a[0:2]"
    expect.present "Q[1].a[0:2]"
  end)
end)

case("rejects: a nested clause lists variables of different types [TR14-3.3-03]", function()
  expect.invalid("acc data copyin(P, X)::{ include(a[0:n]) }", "mixed-types")
  expect.invalid("acc data copyin(P, n)::{ include(a[0:n]) }", "mixed-types")
  expect.invalid("acc data invoke<>(X, P)::{ default(copy) }", "mixed-types")
end)

case("accepts: the nest holds for the listed variables of this directive [TR14-3.3-04]", function()
  acc "data copyin(Q[0:1])::{ include(a[0:n]) } copyin(Q[1:1])" (function()
    expect.present "Q[0].a[0:1]"
    expect.absent "Q[1].a[0:2]"
  end)
end)

case("differs: another directive does not know the nest [TR14-3.3-04]", function()
  expect.moves(function()
    acc "data copyin(P)::{ include(a[0:n]) }" (function() end)
  end, { h2d = { count = 2, bytes = 32 }, d2h = 0 })
  expect.accepts("data copyin(P)", function() expect.absent "P.a[0:2]" end)
end)

case("accepts: a shape nest takes the clauses of shapes except type [TR14-3.3-05]", function()
  acc "data create(X)::{ default(exclude) include(a) init_needed(b) exclude(n) }" (function()
    expect.uninitialized "X.a[0:2]"
    expect.device("X.b[0:2]", { 4, 5 })
  end)
  expect.accepts "data copyin(P)::{ default(none) include(n, a[0:n]) exclude(b) }"
end)

case("rejects: a nest has a type, data clauses, two defaults or unnamed members [TR14-3.3-05]", function()
  expect.invalid("acc data copy(P)::{ type(struct bare) }", "clause-not-allowed")
  expect.invalid("acc data copy(P)::{ copyin(a) }", "clause-not-allowed")
  expect.invalid("acc data copy(P)::{ invoke<p>(a) }", "clause-not-allowed")
  expect.invalid("acc data copy(P)::{ default(include) default(include) }", "duplicate-clause")
  expect.invalid("acc data copy(P)::{ default(none) include(n) }", "default-none")
  expect.invalid("acc data copy(P)::{ incude(n) }", "unknown-clause")
end)

case("accepts: clauses in a nest name members of the type [TR14-3.3-06]", function()
  acc "data copyin(P)::{ include(a[0:n], b[0:1]) }" (function()
    expect.device("P.a[0:2]", { 1, 2 })
    expect.device("P.b[0]", 4)
  end)
end)

case("rejects: a nest names variables, members of other types, or one member twice"
  .. " [TR14-3.3-06 TR14-3.1.1-04]", function()
  expect.invalid("acc data copy(P)::{ include(m) }", "unknown-member")
  expect.invalid("acc data copy(P)::{ include(list[0:n]) }", "unknown-member")
  expect.invalid("acc data copy(P)::{ include(a) exclude(a) }", "duplicate-member")
  expect.invalid("acc data copy(P)::{ include(n[0:1]) }", "not-a-pointer")
end)

case("accepts: bounds name members of the nearest nest, then variables [TR14-3.3-07]", function()
  acc "data copyin(P)::{ include(a[0:n], b[0:m]) }" (function()
    expect.present "P.a[0:2]" -- P.n, not the variable n
    expect.present "P.b[0:1]"
  end)
  acc "data copyin(O)::{ include(list[0:n])::{ include(a[0:n]) } }" (function()
    expect.present "O.list[1].a[0:2]"
    expect.absent "O.list[0].a[1:1]"
  end)
end)

case("rejects: bounds name a member of an enclosing nest [TR14-3.3-07 HOUSE-names]", function()
  expect.invalid("acc data copyin(O)::{ include(c)::{ include(inner[0:1])::{ include(a[0:k]) } } }", "unknown-name")
  acc "data copyin(P)::{ include(a[0: ::n]) }" (function()
    expect.absent "P.a[1:1]"
    expect.present "P.a[0:1]"
  end)
end)

case("accepts: a nest extends and overrides the default shape [TR14-3.3-08]", function()
  acc "data create(X)::{ include(a[0:1]) }" (function()
    expect.present "X.a[0:1]"
    expect.absent "X.a[1:1]"
    expect.present "X.b[0:2]"
    expect.uninitialized "X.b[0:2]"
    expect.device("X.n", 2)
  end)
end)

case("differs: a nest excludes a member that the default shape includes [TR14-3.3-08]", function()
  acc "data copyin(X)::{ exclude(a) }" (function()
    expect.absent "X.a[0:2]"
    expect.present "X.b[0:2]"
  end)
end)

case("accepts: a nest extends the named shape [TR14-3.3-09]", function()
  acc "data copyin<no_b>(X)::{ include(a[0:1]) }" (function()
    expect.present "X.a[0:1]"
    expect.absent "X.b[0:2]"
  end)
  acc "data copyin<no_b>(X)::{ include(b) }" (function() expect.device("X.b[0:2]", { 4, 5 }) end)
end)

case("rejects: a nest extends a shape that the type does not have [TR14-3.3-09 TR14-3.1.2-08]", function()
  expect.invalid("acc data copyin<no_c>(X)::{ include(a[0:1]) }", "unknown-shape")
  expect.invalid("acc data copyin<no_b>(P)::{ include(a[0:1]) }", "unknown-shape")
end)

case("accepts: the default clause or the extended shape decides about unnamed members [TR14-3.3-10]", function()
  acc "data copyin(X)::{ default(exclude) include(a) }" (function()
    expect.device("X.a[0:2]", { 1, 2 })
    expect.absent "X.b[0:2]"
    expect.uninitialized "X.n"
  end)
  expect.accepts("data copyin<no_b>(X)::{ include(n) }", function() expect.absent "X.b[0:2]" end)
end)

case("differs: an excluded member stays excluded without default(include) [TR14-3.3-10]", function()
  expect.accepts("data copyin<no_b>(X)::{ include(n) }", function() expect.absent "X.b[0:2]" end)
  acc "data copyin<no_b>(X)::{ default(include) }" (function() expect.present "X.b[0:2]" end)
end)

case("accepts: <> extends nothing, so sections are given again [TR14-3.3-11 TR14-3.1.2-09]", function()
  acc "data copyin<>(X)::{ include(a[0:n]) }" (function()
    expect.present "X.a[0:2]"
    expect.absent "X.b[0:2]"
  end)
end)

case("differs: <> does not know the sections of the default shape [TR14-3.3-11 TR14-3.1.2-09]", function()
  acc "data copyin<>(X)::{ include(a) }" (function()
    expect.absent "X.a[0:2]"
    expect.fails("host-pointer-on-device", function() acc "parallel present<>(X)::{ exclude(b) }" "X.a[0] = 1;" end)
  end)
end)

case("accepts: invoke takes a nest, and a direction on update [TR14-3.3-12]", function()
  acc "data invoke<>(X)::{ default(copyin) copyout(a) }" (function()
    expect.uninitialized "X.a[0:2]"
    expect.events(function() acc "update invoke<>(device: X)::{ default(exclude) update(b) }" end, { "h2d X.b[0:2]" })
    expect.accepts("parallel present(X)", "X.a[0] = X.a[1] = 0;")
  end)
  acc "data invoke(Y)::{ default(create) }" (function() expect.uninitialized "Y.a[0:3]" end)
end)

case("rejects: invoke<> has no nest, or an update has no direction [TR14-3.3-12 TR14-3.2.3-01]", function()
  expect.invalid("acc data invoke<>(X)", "unknown-policy")
  expect.malformed "acc update invoke<>(X)::{ default(update) }"
  expect.malformed "acc data invoke<>(self: X)::{ default(copy) }"
end)

case("accepts: a policy nest takes use, shape, exclude, data clauses and default [TR14-3.3-13]", function()
  acc "data invoke<>(X)::{ use(a_out) shape(no_b) default(copyin) exclude(b) }" (function()
    expect.uninitialized "X.a[0:2]"
    expect.absent "X.b[0:2]"
    expect.accepts("parallel present<no_b>(X)", "X.a[0] = X.a[1] = 0;")
  end)
end)

case("rejects: a policy nest has a type or clauses of shapes [TR14-3.3-13 TR14-3.2.1-02]", function()
  expect.invalid("acc data invoke<>(X)::{ type(struct deep) default(copy) }", "clause-not-allowed")
  expect.invalid("acc data invoke<>(X)::{ include(a) default(copy) }", "clause-not-allowed")
end)

case("accepts: <p> extends the policy, and <> builds on the default shape [TR14-3.3-14]", function()
  acc "data invoke<a_out>(X)::{ create(b) }" (function()
    expect.uninitialized "X.a[0:2]"
    expect.uninitialized "X.b[0:2]"
    expect.device("X.n", 2)
    expect.accepts("parallel present(X)", "X.a[0] = X.a[1] = 0;")
  end)
  acc "data invoke<>(X)::{ default(copyin) }" (function() expect.device("X.b[0:2]", { 4, 5 }) end)
end)

case("rejects: the nest extends a policy that the type does not have [TR14-3.3-14 TR14-3.2.2-02]", function()
  expect.invalid("acc data invoke<b_out>(X)::{ create(b) }", "unknown-policy")
  acc "data invoke<>(X)::{ default(copyin) }" (function() expect.device("X.a[0:2]", { 1, 2 }) end)
end)

case("accepts: nests contain nests for structures and pointers to structures [TR14-3.3-15]", function()
  acc "data copyin(O)::{ include(c)::{ include(inner[0:1])::{ include(a[0:n]) } } }" (function()
    expect.device("O.c.inner[0].a[0:2]", { 1, 2 })
    expect.absent "O.c.inner[0].b[0:2]"
  end)
  acc "data invoke<>(O)::{ default(exclude) copyin(n) create<>(list[0:n])::{ include(a[0:n]) } }" (function()
    expect.device("O.n", 2)
    expect.uninitialized "O.list[1].a[0:2]"
  end)
end)

case("rejects: a scalar or a pointer to scalars has a nest [TR14-3.3-15]", function()
  expect.invalid("acc data copyin(n)::{ include(a) }", "not-a-struct")
  expect.invalid("acc data copyin(P)::{ include(a[0:n])::{ include(b) } }", "not-a-struct")
  expect.invalid("acc data copyin(P)::{ include(n)::{ include(b) } }", "not-a-struct")
end)

case("accepts: nests describe any structure of fixed depth from one root [TR14-3.3-16]", function()
  declare "struct node { int value; struct node *next; } N;"
  host.N = { value = 1, next = { { value = 2, next = { { value = 3, next = NULL } } } } }
  acc "data copyin(N)::{ include(next[0:1])::{ include(next[0:1])::{ exclude(next) } } }" (function()
    expect.device("N.next->next->value", 3)
    expect.attached("N.next->next", 1)
  end)
end)

case("rejects: nests do not follow a structure deeper than the text, and a shape is recursive"
  .. " [TR14-3.3-16 TR14-4.3-18]", function()
  declare "struct node { int value; struct node *next; } N;"
  host.N = { value = 1, next = { { value = 2, next = { { value = 3 } } } } }
  acc "data copyin(N)::{ include(next[0:1]) }" (function()
    expect.present "N.next[0:1]"
    expect.absent "N.next->next[0:1]"
  end)
  expect.invalid("struct ring { struct ring *next;\n#pragma acc shape include(next[0:1])\n};", "recursive-type")
end)

case("accepts: <> without a nest is a shallow copy [TR14-3.3-11]", function()
  expect.events(function() acc "enter data copyin<>(X)" end, { "alloc X", "h2d X", "incref X" })
  expect.events(function() acc "update self<>(X)" end, { "d2h X" })
  expect.accepts "exit data delete<>(X)"
  declare "struct around { struct deep in, *to;\n#pragma acc shape include(to[0:1])\n}; struct around A;"
  host.A = { ["in"] = arrays(1), to = { arrays(2) } }
  expect.accepts("data copyin<>(A)", function()
    expect.absent "A.to[0:1]"
    expect.absent "A.in.a[0:1]"
  end)
  acc "data copyin(A)::{ include<>(to) }" (function()
    expect.present "A.to[0:1]"
    expect.absent "A.to->a[0:1]"
  end)
end)

case("rejects: <> without a nest names no policy, and include<> names no shape [TR14-3.3-11 TR14-3.3-14]", function()
  expect.invalid("acc data invoke<>(X)", "unknown-policy")
  expect.invalid("acc data invoke<>(O)::{ default(exclude) invoke<>(c) }", "unknown-policy")
  expect.malformed "acc shape(other) type(struct outer) include<>(c)"
end)

case("accepts: shapes and policies do the same as their nests [TR14-3.3-17]", function()
  for text, nest in pairs {
    ["data copy(X)"] = "data copy<>(X)::{ init_needed(n) include(a[0:n], b[0:n]) }",
    ["data create<no_b>(X)"] = "data create<>(X)::{ exclude(b) init_needed(n) include(a[0:n]) }",
    ["data invoke<a_out>(X)"] = "data invoke<>(X)::{ default(copyin) copyout(a[0:n]) copyin(b[0:n]) }",
  } do
    expect.equal(of(text), of(nest))
  end
end)

case("differs: a different nest does something different [TR14-3.3-17]", function()
  expect(of "data copy(X)" ~= of "data copy<>(X)::{ include(a[0:n], b[0:n - 1]) }")
  expect(of "data create(X)" ~= of "data create<>(X)::{ include(a[0:n], b[0:n]) }")
end)
