-- Figures A.6, A.7 and A.8: A.1 and A.3 again with nests, and convenience syntax beside its nests. A.8's
-- last directive lacks a parenthesis in print; here it has one (AMB-TR14-03).
scenario { title = "TR14 A.6 to A.8: nests and convenience syntax", rules = "tr14" }

declare [[
  struct bare { int n; float* a; float* b; float* c; };
  struct shaped {
      int n; float* a; float* b; float* c;
      #pragma acc shape init_needed(n) include(a[0:n],b[0:n],c[0:n])
      #pragma acc shape(part_a) exclude(b,c)
      #pragma acc shape(only_b) default(exclude) include(b)
      #pragma acc policy(calc_a) default(copyin) copyout(a)
      #pragma acc policy(move_a_to_c) default(copyin) copyout(c) exclude(b)
      #pragma acc policy(update_b) default(exclude) update(b)
  };
  class deep_type {
      int n;
      float* a;
      float* b;
      float* c;
      void foo();
  };
  bare X, *Y;
  shaped SX, *SY;
  deep_type D, E;
  int size = 2, i;
]]

local function arrays(n)
  local t = { n = n }
  for k, name in ipairs { "a", "b", "c" } do
    t[name] = {}
    for j = 1, n do t[name][j] = 10 * k + j end
  end
  return t
end
host.X, host.SX, host.D, host.E = arrays(3), arrays(3), arrays(2), arrays(2)
host.Y, host.SY = { arrays(1), arrays(2) }, { arrays(1), arrays(2) }

-- What happens from entry to exit; objects of the second family are called like those of the first.
local function story(text)
  local list = {}
  for j, event in ipairs(events(function()
    local region = acc(text)
    if region then region(function() end) end
  end)) do
    list[j] = ("%s %s %d"):format(event.op, event.name:gsub("^S", ""), event.bytes)
  end
  expect(#list > 0)
  return list
end

case("accepts: the nests of A.6 do the same as the shapes of A.1 [TR14-A.6-01]", function()
  expect.equal(story "data copy(X)::{ init_needed(n) include(a[0:n],b[0:n],c[0:n]) }", story "data copy(SX)")
  expect.equal(story "data create(X)::{ init_needed(n) include(a[0:n],b[0:n],c[0:n]) }", story "data create(SX)")
  expect.equal(story "data copyout(X)::{ init_needed(n) include(a[0:n]) exclude(b,c) }",
    story "data copyout<part_a>(SX)")
  expect.equal(story "data copy(Y[0:size])::{ init_needed(n) include(a[0:n],b[0:n],c[0:n]) }",
    story "data copy(SY[0:size])")
  expect.moves(function()
    acc "enter data copyin(X, Y[0:size])::{ init_needed(n) include(a[0:n],b[0:n],c[0:n]) } copyin(SX, SY[0:size])"
  end, { h2d = { count = 22, bytes = 336 }, d2h = 0 })
  expect.equal(story "update self(X)::{ include(n, a[0:n],b[0:n],c[0:n]) }", story "update self(SX)")
  expect.equal(story "update self(X)::{ include(b[0:n]) exclude(n,a,c) }", story "update self<only_b>(SX)")
  expect.equal(story "update self(X)::{ include(b[0:n]) exclude(n,a,c) }", story "update self(X.b[0:X.n])")
  local whole = story "update self(Y[0:size])::{ include(b[0:n]) exclude(n,a,c) }"
  expect.equal(whole, story "update self<only_b>(SY[0:size])")
  local one_by_one = {}
  for k = 0, 1 do
    host.i = k
    for _, line in ipairs(story "update self(Y[i].b[0:Y[i].n])") do one_by_one[#one_by_one + 1] = line end
  end
  expect.equal(one_by_one, whole)
end)

case("differs: a copy without the nest is shallow [TR14-A.6-01]", function()
  expect.equal(#story "data copy(X)", 6) -- alloc, h2d, incref, decref, d2h, free
  expect.accepts("data copy(X)", function() expect.absent "X.a[0:3]" end)
end)

case("accepts: the nests of A.7 do the same as the policies of A.3 [TR14-A.7-01]", function()
  expect.equal(story "data invoke<>(SX)::{ default(copyin) copyout(a) }", story "data invoke<calc_a>(SX)")
  expect.equal(story "data invoke<>(SX)::{ default(copyin) copyout(c) exclude(b) }",
    story "data invoke<move_a_to_c>(SX)")
  expect.moves(function() acc "enter data copyin(SX, SY[0:size])" end, { h2d = { count = 11, bytes = 168 }, d2h = 0 })
  expect.equal(story "update invoke<>(device: SX)::{ default(exclude) update(b) }",
    story "update invoke<update_b>(device: SX)")
  expect.equal(story "update invoke<>(device: SY[0:size])::{ default(exclude) update(b) }",
    story "update invoke<update_b>(device: SY[0:size])")
end)

case("differs: a type without a shape gives the nest no sections [TR14-A.7-01]", function()
  expect.moves(function()
    acc "data invoke<>(X)::{ default(copyin) copyout(a) }" (function() expect.absent "X.a[0:3]" end)
  end, { h2d = { count = 2, bytes = 24 }, d2h = { count = 1, bytes = 8 } })
end)

case("accepts: copy(X.a[0:X.n]) does the same as its nest [TR14-A.8-01]", function()
  expect.equal(story "data copy(D.a[0:D.n])", story "data invoke(D)::{ default(exclude) copy(a[0:n]) }")
end)

case("differs: b and c do not take part [TR14-A.8-01]", function()
  acc "data copy(D.a[0:D.n])" (function()
    expect.present "D.a[0:2]"
    expect.absent "D.b[0:2]"
    expect.fails("excluded-member", function() acc "parallel present(D.a[0:2])" "D.a[0] = D.b[0];" end)
  end)
end)

case("accepts: members in two clauses do the same as one nest [TR14-A.8-02]", function()
  expect.equal(story "data copyin(D.a[0:D.n], D.b[0:D.n]) copyout(D.c[0:D.n])",
    story "data invoke(D)::{ default(exclude) copyin(a[0:n], b[0:n]) copyout(c[0:n]) }")
end)

case("differs: each member follows its own clause [TR14-A.8-02]", function()
  acc "data copyin(D.a[0:D.n], D.b[0:D.n]) copyout(D.c[0:D.n])" (function()
    expect.uninitialized "D.c[0:2]"
    acc "parallel present(D.a[0:2], D.c[0:2])" "D.a[0] = 1; D.c[0] = D.c[1] = 1;"
  end)
  expect.host("D.a[0]", 11)
  expect.host("D.c[0]", 1)
end)

case("accepts: the clause of the base is the default of the nest [TR14-A.8-03]", function()
  expect.equal(story "data copy(D, D.a[0:D.n], D.b[0:D.n], D.c[0:D.n])",
    story "data invoke(D)::{ default(copy) copy(a[0:n], b[0:n], c[0:n]) }")
  expect.moves(function()
    acc "data copy(D, D.a[0:D.n], D.b[0:D.n], D.c[0:D.n])" (function()
      acc "parallel present(D)::{ include(a[0:n]) }" "D.n = 1; D.a[0] = 9;"
    end)
  end, { h2d = { count = 4, bytes = 56 }, d2h = { count = 4, bytes = 32 } })
  expect.host("D.n", 1)
  expect.host("D.a[0]", 9)
end)

case("differs: a base without a clause does not move [TR14-A.8-03]", function()
  acc "data copy(D.a[0:D.n], D.b[0:D.n], D.c[0:D.n])" (function() expect.uninitialized "D.n" end)
end)

case("accepts: member names in a member function are those of *this [TR14-A.8-04 TR14-3.4-08]", function()
  local by_names, by_nest, through_this
  method("deep_type", "foo", function()
    by_names = story "data copyin(a[0:n], b[0:n])"
    by_nest = story "data invoke<>(this[0:1])::{ default(exclude) copyin(a[0:n], b[0:n]) }"
    through_this = story "data copyin(this->a[0:this->n], this->b[0:n])"
  end)
  host.E:foo()
  local function unnamed(list) -- this[0] and this[0:1] are one object
    local made = {}
    for j, line in ipairs(list) do made[j] = line:gsub("this%[0:1%]", "this[0]"):gsub("this%[0%]%.", "this->") end
    return made
  end
  expect.equal(unnamed(by_names), unnamed(by_nest))
  expect.equal(by_names, through_this)
  expect.equal(by_names[1]:match "^alloc", "alloc")
end)

case("rejects: members are unknown outside of a member function [TR14-A.8-04 TR14-3.4-08 HOUSE-names]", function()
  expect.invalid("acc data copyin(a[0:n])", "unknown-name")
  method("deep_type", "foo", function()
    acc "data copyin(a[0:n])" (function()
      expect.present "E.a[0:2]"
      expect.absent "D.a[0:2]"
    end)
    expect.invalid("acc data copyin(d[0:n])", "unknown-name")
  end)
  host.E:foo()
  expect.invalid("acc data copyin(this[0:1])", "unknown-name")
end)

case("accepts: directives reach private members [TR14-A.8-05]", function()
  declare "class hidden { private: int k; float *p; }; hidden H;"
  host.H = { k = 1, p = { 5 } }
  acc "data copyin(H.p[0:H.k])" (function() expect.device("H.p[0]", 5) end)
end)

case("rejects: a directive names a member that does not exist [TR14-A.8-05 HOUSE-names]", function()
  declare "class hidden { private: int k; float *p; }; hidden H;"
  expect.invalid("acc data copyin(H.q[0:H.k])", "unknown-member")
end)
