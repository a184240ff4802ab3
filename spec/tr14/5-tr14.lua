-- Chapter 5 under the document's own profile, which has none of the features that the chapter wishes for.
scenario { title = "TR14 5: future direction under tr14", rules = "tr14" }

declare [[
  struct part { int n; float *p;
      #pragma acc shape(some) include(p[0:n])
  };
  struct whole { int k; struct part *list; };
  struct part A;
  struct whole W;
  float *rows[2];
]]

case("rejects: a shape has parameters or values [TR14-5-01]", function()
  expect.invalid("acc shape(s) type(struct part) with(k) include(p[0:k])", "unknown-clause")
  expect.malformed "acc data copy<some(1)>(A)"
end)

case("rejects: a container has a section [TR14-5-03 TR14-3.1.1-22]", function()
  expect.invalid("acc data copy(A[0:1])", "not-a-pointer")
end)

case("rejects: bounds name members of enclosing nests [TR14-5-04 HOUSE-names]", function()
  expect.invalid("acc data copy(W)::{ include(list[0:k])::{ include(p[0:k]) } }", "unknown-name")
end)

case("rejects: shapes and policies contain nests [TR14-5-05]", function()
  expect.malformed "acc shape(s) type(struct whole) include(list[0:k])::{ include(p[0:n]) }"
  expect.malformed "acc policy(s) type(struct whole) default(copy) copyin(list[0:k])::{ include(p[0:n]) }"
end)

case("rejects: bounds describe ragged arrays [TR14-5-06]", function()
  expect.malformed "acc data copyin(rows[0:2][0:# + 1])"
end)

case("rejects: a member has a direction [TR14-5-07]", function()
  expect.malformed "acc shape(s) type(struct part) include(in: n)"
end)

case("rejects: a policy is for a clause [TR14-5-09 TR14-3.2.1-01]", function()
  expect.malformed "acc policy for(copyin) type(struct part) default(exclude)"
  expect.invalid("acc policy(p) for(copyin) type(struct part) default(exclude)", "unknown-clause")
end)

case("rejects: a shape is recursive [TR14-5-10 TR14-4.3-18]", function()
  expect.invalid("struct node { int value; struct node *next; \n#pragma acc shape include(next[0:1])\n};",
    "recursive-type")
end)
