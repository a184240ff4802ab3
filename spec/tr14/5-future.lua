-- Chapter 5, what the document only wishes for, in syntax of our own (the profile tr14x):
--
--   shape(name) with(k, m = 1) ...      value parameters of a shape or policy, with defaults; <name(2, n)> gives
--                                       them, <(2)> gives those of the default shape. Values are expressions where
--                                       they are given: members of the object around, or variables
--   with(shape s, policy p)             names of shapes and policies as parameters: include<s>(m), <name(part_a)>
--   copy(a[0:n])                        of a structure: start and length for its shape's parameters
--   include(in: a) (out: b) (none: c)   members that move in one direction of a clause, or in none
--   policy for(copyin, copyout) ...     the policy that a plain clause uses
--   rows[0:n][0:len[#]]                 # is the number of the pointer whose section the bound belongs to
--
-- Shapes and policies may contain nests, bounds may use members of enclosing nests, and shapes may be recursive.
scenario { title = "TR14 5: future direction", rules = "tr14x" }

declare [=[
  struct part { int n; float *p, *q;
      #pragma acc shape with(first = 0, count = 1) include(p[first:count])
      #pragma acc shape(upto) with(count, skip = 0) include(p[skip:count])
      #pragma acc shape(both) include(p[0:n], q[0:n])
      #pragma acc policy(send) with(count) default(exclude) copyin(p[0:count])
  };
  struct whole { int k; struct part in; struct part *list;
      #pragma acc shape include<upto(k)>(in)
      #pragma acc shape(listed) exclude(in) include<upto(k - 1, 1)>(list[0:k])
      #pragma acc shape(any) with(shape s) include<s>(in)
      #pragma acc policy(sent) default(exclude) invoke<send(k)>(in)
  };
  struct part A, B;
  struct whole W;
  int n = 2;
]=]
local function part() return { n = 3, p = { 1, 2, 3 }, q = { 4, 5, 6 } } end
host.A, host.B = part(), part()
host.W = { k = 2, ["in"] = part(), list = { part(), part() } }

case("accepts: shapes and policies have values, defaults and members of the object around [TR14-5-01]", function()
  acc "data create<upto(n)>(A) create<upto(1, n)>(B)" (function()
    expect.present "A.p[0:2]"
    expect.absent "A.p[2:1]"
    expect.present "B.p[2:1]"
    expect.absent "B.p[0:2]"
  end)
  acc "data create<(1, 2)>(A) create(B)" (function()
    expect.present "A.p[1:2]"
    expect.present "B.p[0:1]"
  end)
  acc "data copyin(W) invoke<send(3)>(A)" (function()
    expect.present "W.in.p[0:2]"
    expect.device("A.p[0:3]", { 1, 2, 3 })
  end)
  acc "data copyin<listed>(W)" (function() expect.device("W.list[1].p[1]", 2) end)
  acc "data invoke<sent>(W)" (function() expect.device("W.in.p[0:2]", { 1, 2 }) end)
end)

case("rejects: values are missing, too many, or not taken [TR14-5-01]", function()
  expect.invalid("acc data copy<upto>(A)", "type-mismatch")
  expect.invalid("acc data copy<upto(1, 2, 3)>(A)", "type-mismatch")
  expect.invalid("acc data copy<both(1)>(A)", "type-mismatch")
  expect.invalid("acc data invoke<send>(A)", "type-mismatch")
  expect.invalid("acc data copy<upto(m)>(A)", "unknown-name")
  expect.invalid("acc shape(s) type(struct part) with(k, k) include(p[0:k])", "duplicate-name")
end)

case("accepts: a value is the name of a shape [TR14-5-02]", function()
  acc "data copyin<any(both)>(W)" (function() expect.device("W.in.q[0:3]", { 4, 5, 6 }) end)
end)

case("rejects: a value names a shape that the type does not have, or is an expression [TR14-5-02]", function()
  expect.invalid("acc data copyin<any(listed)>(W)", "unknown-shape")
  expect.invalid("acc data copyin<any(1 + 2)>(W)", "type-mismatch")
  acc "data copyin<any>(W)" (function() -- without one: the default shape
    expect.present "W"
    expect.absent "W.in.q[0:3]"
  end)
end)

case("accepts: a section of a container gives values to its shape [TR14-5-03]", function()
  acc "data copyin(A[1:n]) create<upto>(B[2:1])" (function()
    expect.device("A.p[1:2]", { 2, 3 })
    expect.present "B.p[1:2]" -- upto's parameters are count and skip
  end)
end)

case("rejects: a section has no length or no parameters, or values are given twice [TR14-5-03]", function()
  expect.invalid("acc data copyin(A[:])", "invalid-section")
  expect.invalid("acc data copyin(A[0:1][0:1])", "invalid-section")
  expect.invalid("acc data copyin<both>(A[0:1])", "type-mismatch")
  expect.invalid("acc data copyin<upto(1)>(A[0:1])", "duplicate-clause")
end)

case("accepts: bounds use members of enclosing nests [TR14-5-04]", function()
  acc "data copyin<>(W)::{ exclude(in) include(list[0:k])::{ include(p[0:k]) } }" (function()
    expect.device("W.list[1].p[0:2]", { 1, 2 })
    expect.absent "W.list[1].p[2:1]"
  end)
end)

case("accepts: a member of an enclosing nest says whether a bound calls a function [TR14-5-04 TR14-3.1.1-21]",
  function()
    local calls = 0
    func("counted", function(k)
      calls = calls + 1
      return k
    end)
    acc "data copyin<>(W)::{ exclude(in) include(list[0:k])::{ include(p[0:k > 5 ? counted(k) : 1]) } }" (function()
      expect.device("W.list[1].p[0:1]", { 1 })
      expect.absent "W.list[1].p[1:1]"
    end)
    expect.equal(calls, 0)
  end)

case("rejects: no nest and no variable has a name in bounds [TR14-5-04 HOUSE-names]", function()
  expect.invalid("acc data copyin<>(W)::{ exclude(in) include(list[0:k])::{ include(p[0:m]) } }", "unknown-name")
  acc "data copyin<>(W)::{ exclude(in) include(list[0:k])::{ include(p[0:n]) } }" (function()
    expect.present "W.list[1].p[0:3]" -- the member n, not the variable
  end)
end)

case("accepts: shapes and policies contain nests [TR14-5-05]", function()
  acc "shape(nested) type(struct whole) exclude(in) include(list[0:1])::{ include(q[0:n]) }"
  acc "policy(moves) type(struct whole) default(exclude) invoke<>(in)::{ default(exclude) copyin(q[0:1]) }"
  acc "data copyin<nested>(W)" (function() expect.device("W.list[0].q[0:3]", { 4, 5, 6 }) end)
  acc "data invoke<moves>(W)" (function() expect.device("W.in.q[0]", 4) end)
end)

case("rejects: a member that is not a structure has a nest [TR14-5-05 TR14-3.1.1-04]", function()
  expect.invalid("acc shape(wrong) type(struct whole) include(list[0:1])::{ include(r[0:n]) }", "unknown-member")
  expect.invalid("acc shape(s) type(struct whole) include(k)::{ include(p[0:1]) }", "not-a-struct")
end)

case("accepts: bounds describe ragged arrays [TR14-5-06]", function()
  declare [=[
    struct ragged { int n; int *len; float **rows;
        #pragma acc shape include(len[0:n], rows[0:n][0:len[#]])
    };
    struct ragged R; float *r[3]; int lens[3] = { 3, 1, 2 };
  ]=]
  host.R = { n = 2, len = { 1, 3 }, rows = alloc("float *", 2) }
  for i = 0, 1 do host.R.rows[i] = alloc("float", 3, { i, i, i }) end
  for i = 0, 2 do host.r[i] = alloc("float", 3, { i, i, i }) end
  acc "data copyin(R)" (function()
    expect.present "R.rows[1][0:3]"
    expect.absent "R.rows[0][1:2]"
  end)
  acc("data copyin(r[1:2][0:lens[#]])")(function() -- numbers count from r[0]
    expect.absent "r[1][1:2]"
    expect.present "r[2][0:2]"
  end)
end)

case("rejects: # is used where no pointers are counted [TR14-5-06]", function()
  expect.invalid("acc data copyin(A.p[0:#])", "syntax")
  expect.invalid("acc shape(s) type(struct part) include(p[#:1])", "syntax")
  expect.fails("syntax", function() host "# + 1" end)
end)

case("accepts: direct members move in one direction [TR14-5-07]", function()
  acc "shape(ways) type(struct part) include(in: n) include(none: q)"
  host.A.n = 3
  acc "data copy<ways>(A)" (function()
    expect.device("A.n", 3)
    expect.uninitialized "A.q"
    expect.accepts("parallel present<ways>(A)", "A.n = 100;")
  end)
  expect.host("A.n", 3)
end)

case("rejects: a direction is unknown, or its clause takes none [TR14-5-07]", function()
  expect.malformed "acc shape(s) type(struct part) include(inout: n)"
  expect.malformed "acc shape(s) type(struct part) exclude(in: n)"
  expect.malformed "acc policy(s) type(struct part) default(exclude) copyin(in: n)"
end)

case("accepts: members inherit a part of the clause [TR14-5-08]", function()
  acc "shape(results) type(struct part) include(in: p[0:n]) include(out: q[0:n])"
  local sent, fetched = {}, {}
  local function moves(text)
    return events(function()
      acc(text)(function() acc "parallel present(A.q[0:3])" "A.q[0] = A.q[1] = A.q[2] = 7;" end)
    end)
  end
  for _, e in ipairs(moves "data copy<results>(A)") do
    if e.op == "h2d" and e.name:find "%[" then sent[#sent + 1] = e.name end
    if e.op == "d2h" and e.name:find "%[" then fetched[#fetched + 1] = e.name end
  end
  expect.equal(sent, { "A.p[0:3]" })
  expect.equal(fetched, { "A.q[0:3]" })
  expect.host("A.q[0:3]", { 7, 7, 7 })
end)

case("differs: members inherit no more than the clause asks for [TR14-5-08]", function()
  acc "shape(results) type(struct part) include(in: p[0:n]) include(out: q[0:n])"
  acc "data copyin<results>(A)" (function()
    expect.uninitialized "A.q[0:3]" -- the out part of a copyin only allocates
    expect.device("A.p[0:3]", { 1, 2, 3 })
  end)
  acc "data create<results>(A)" (function() expect.uninitialized "A.p[0:3]" end)
end)

case("accepts: a plain clause uses the policy for it [TR14-5-09]", function()
  acc "policy for(copyin) type(struct part) default(exclude) copyin(q[0:2])"
  acc "policy(results) for(copyout, copy) type(struct part) default(exclude) copyout(p[0:n])"
  acc "data copyin(A) copyout(B)" (function()
    expect.device("A.q[0:2]", { 4, 5 })
    expect.uninitialized "B.p[0:3]"
    acc "parallel present(B.p[0:3])" "B.p[0] = B.p[1] = B.p[2] = 9;"
  end)
  expect.host("B.p[2]", 9)
end)

case("accepts: the policy for a clause holds for pointees of members [TR14-5-09]", function()
  acc "policy for(copyout) type(struct part) default(exclude) copyout(q[0:n])"
  local region = acc "data copyout(W.list[0:2])"
  expect.uninitialized "W.list[1].q[0:3]"
  expect.absent "W.list[1].p[0:3]"
  acc "parallel present(W.list[0].q[0:3], W.list[1].q[0:3])"
    "for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) W.list[i].q[j] = j;"
  region:close()
  expect.host("W.list[1].q[0:3]", { 0, 1, 2 })
end)

case("rejects: a clause has two policies, is unknown, or names a shape [TR14-5-09]", function()
  acc "policy for(copyin) type(struct part) default(exclude) copyin(q[0:2])"
  expect.invalid("acc policy for(copyin) type(struct part) default(exclude)", "duplicate-name")
  expect.invalid("acc policy for(update) type(struct part) default(exclude)", "unknown-clause")
  expect.invalid("acc shape for(copyin) type(struct part) include(p)", "clause-not-allowed")
  acc "data copyin<both>(A) create(B)" (function()
    expect.present "A.p[0:3]"
    expect.present "B.p[0:1]"
  end)
end)

case("accepts: each object of a list, tree or cyclic graph is mapped once [TR14-5-10]", function()
  declare [[
    struct node { int value; struct node *next;
        #pragma acc shape include(next[0:next ? 1 : 0])
    };
    struct tree { int key; struct tree *left, *right;
        #pragma acc shape include(left[0:left != 0], right[0:right != 0])
    };
    struct vertex { int id, degree; struct vertex **edges;
        #pragma acc shape include(edges[0:degree][0:1])
    };
    struct node *L; struct tree T; struct vertex V[3];
  ]]
  host.L = { { value = 1, next = { { value = 2, next = { { value = 3 } } } } } }
  acc "data copy(L[0:1])" (function()
    acc "parallel present(L[0:1])" "for (struct node *p = L; p; p = p->next) p->value *= 10;"
  end)
  expect.host("L->next->next->value", 30)
  host.T = { key = 1, left = { { key = 2, right = { { key = 3 } } } } }
  acc "data copyin(T)" (function()
    expect.device("T.left->right->key", 3)
    expect.equal(#state().present, 3)
  end)
  for i = 0, 2 do
    host.V[i] = { id = i, degree = 2, edges = alloc("struct vertex *", 2) }
    host.V[i].edges[0], host.V[i].edges[1] = addr(("V[%d]"):format((i + 1) % 3)), addr(("V[%d]"):format((i + 2) % 3))
  end
  acc "data copyin(V)" (function()
    expect.device("V[0].edges[1]->edges[1]->id", 1)
    expect.equal(#state().present, 4) -- the vertices, and three arrays of edges
  end)
  host.L.next.next.next = host.L -- a ring
  acc "enter data copyin(L[0:1])"
  expect.device("L->next->next->next->value", 10)
  acc "exit data delete(L[0:1])"
  expect.equal(#state().present, 0)
end)

for _, order in ipairs { "X, Y", "Y, X", "Z, X, Y", "Y, Z, X" } do
  case(("accepts: parts of one list are mapped in any order: %s [TR14-5-10 TR14-4.2-01]"):format(order), function()
    declare [[
      struct chain { int v; struct chain *next;
        #pragma acc shape include(next[0:next != 0])
      };
      struct chain X, Y, Z;
    ]]
    host.X.next, host.Y.next = addr "Y", addr "Z"
    acc("enter data copyin(" .. order .. ")")
    expect.count("Y", { structured = 0, dynamic = 2 }) -- its own clause, and the pointer of X
    expect.attached("Y.next", 1)
    acc("exit data delete(X, Y" .. (order:find "Z" and ", Z)" or ")"))
    expect.absent "Z"
  end)
end

case("accepts: a policy is recursive [TR14-5-10]", function()
  declare [[
    struct node { int value; struct node *next;
        #pragma acc policy(all) default(exclude) copyin(value) invoke<all>(next[0:next != 0])
    };
    struct node N;
  ]]
  host.N = { value = 1, next = { { value = 2, next = { { value = 3 } } } } }
  acc "data invoke<all>(N)" (function() expect.device("N.next->next->value", 3) end)
end)

case("accepts: structures point to each other, and to themselves [TR14-5-10]", function()
  declare [[
    struct list;
    struct item { int n; float *v; struct item *next; struct list *inner;
        #pragma acc shape include(v[0:n], next[0:next != 0], inner[0:inner != 0])
    };
    struct list { int count; struct item *first;
        #pragma acc shape include(first[0:first != 0])
    };
    struct list L;
  ]]
  local inner = { { count = 1, first = { { n = 1, v = { 5 } } } } }
  host.L = { count = 2, first = { { n = 1, v = { 1 }, next = { { n = 2, v = { 2, 3 }, inner = inner } } } } }
  acc "data copyin(L)" (function()
    expect.device("L.first->next->v[1]", 3)
    expect.device("L.first->next->inner->first->v[0]", 5)
  end)
end)

case("rejects: a null pointer is followed, or bounds name members of objects around [TR14-5-10]", function()
  declare "struct node { int value; struct node *next; \n#pragma acc shape include(next[0:1])\n}; struct node *L;"
  host.L = { { value = 1, next = { { value = 2 } } } }
  expect.fails("null-pointer", function() acc "enter data copyin(L[0:1])" end)
  expect.invalid([[
    struct inner { int x; struct inner *next;
        #pragma acc shape include(next[0:k])
    };
    struct head { int k; struct inner *first;
        #pragma acc shape include(first[0:1])
    };
  ]], "recursive-type")
end)

case("accepts: a template has a shape for structures, and its argument may be a number [TR14-5-02]", function()
  declare [[
    template<class T> struct row { int n; T *b;
      #pragma acc shape include(b[0:n])
      #pragma acc shape(each) with(shape s) include<s>(b[0:n])
    };
    row<float> F;
    row<struct part> P;
  ]]
  host.F, host.P = { n = 2, b = { 1, 2 } }, { n = 1, b = { part() } }
  acc "data copyin(F) copyin<each(both)>(P)" (function()
    expect.device("F.b[1]", 2)
    expect.device("P.b[0].q[2]", 6)
  end)
end)

case("rejects: the shape of a template is for structures, and its argument is a number [TR14-5-02]", function()
  declare [[
    template<class T> struct row { int n; T *b;
      #pragma acc shape(each) with(shape s) include<s>(b[0:n])
    };
    row<float> F;
  ]]
  expect.invalid("acc data copyin<each(both)>(F)", "not-a-struct")
end)

case("accepts: a section of structures may have members [TR14-3.4-02]", function()
  declare [[
    struct each { int n; float *a; struct part in;
        #pragma acc shape include(a[0:n])
    };
    struct each *p;
    int m = 1;
  ]]
  host.p = { { n = 1, a = { 1 }, ["in"] = part() }, { n = 2, a = { 2, 3 }, ["in"] = part() } }
  local function made(text)
    local names = {}
    for _, e in ipairs(events(function() acc(text) (function() end) end)) do
      if e.op == "alloc" then names[#names + 1] = e.name end
    end
    return names
  end
  expect.equal(made "data copy(p[0:2].a)", { "p[0:2]", "p[0].a[0:1]", "p[1].a[0:2]" })
  expect.equal(made "data copy(p[0:2].a[0:m])", { "p[0:2]", "p[0].a[0:1]", "p[1].a[0:1]" })
  expect.equal(made "data copyin(p[1:1].in.q[0:2])", { "p[1:1]", "p[1].in.q[0:2]" })
  acc "data copyin(p[0:2]) create(p[0:2].a)" (function()
    expect.uninitialized "p[1].a[0:2]"
    expect.events(function() acc "update self(p[0:2].n)" end, { "d2h p[0].n", "d2h p[1].n" })
  end)
end)

case("rejects: a bound or member of a section of structures is unknown [TR14-3.4-02 TR14-3.1.1-04]", function()
  declare "struct each { int len; float *a; }; struct each *p;"
  expect.invalid("acc data copy(p[0:2].a[0:len])", "unknown-name")
  expect.invalid("acc data copy(p[0:2].b)", "unknown-member")
end)
