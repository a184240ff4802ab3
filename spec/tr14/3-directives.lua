-- The four layers of directives: the others can express what a simple one expresses.
scenario { title = "TR14 3: the layers of directives", rules = "tr14" }

declare [[
  struct deep { int n; float *a, *b, *c;
      #pragma acc shape include(a[0:n], b[0:n], c[0:n])
      #pragma acc shape(only_a) default(exclude) include(a)
      #pragma acc policy(all) default(copy)
      #pragma acc policy(calc_a) default(exclude) copyout(a) copyin(b)
  };
  struct plain { int n; float *a, *b, *c; };
  struct deep X;
  struct plain P;
]]
host.X = { n = 2, a = { 1, 2 }, b = { 3, 4 }, c = { 5, 6 } }
host.P = { n = 2, a = { 1, 2 }, b = { 3, 4 }, c = { 5, 6 } }

-- What directives do to their objects: the events by name of the member, in no order.
local function done(text)
  local found = {}
  for k, e in ipairs(events(function() acc(text)(function() end) end)) do
    found[k] = ("%s %s %d"):format(e.op, e.name:gsub("^%a+", ""), e.bytes)
  end
  expect(#found > 0)
  table.sort(found)
  return found
end

case("accepts: shape, policy, nest and members all express full deep copy [TR14-3-01]", function()
  local wanted = done "data copy(X)"
  expect(#wanted > 20)
  for _, text in ipairs { "data invoke<all>(X)", "data copy(P)::{ include(a[0:n], b[0:n], c[0:n]) }",
    "data invoke<>(P)::{ default(copy) copy(a[0:n], b[0:n], c[0:n]) }",
    "data copy(P, P.a[0:P.n], P.b[0:P.n], P.c[0:P.n])" } do
    expect.equal(done(text), wanted)
  end
end)

case("accepts: policy, nest and members all express selective direction [TR14-3-01]", function()
  local wanted = done "data invoke<calc_a>(X)"
  expect.equal(done "data invoke<>(P)::{ default(exclude) copyout(a[0:n]) copyin(b[0:n]) }", wanted)
  expect.equal(done "data copyout(P.a[0:P.n]) copyin(P.b[0:P.n])", wanted)
end)

case("rejects: a layer cannot express what the next one can [TR14-3-01 TR14-3.1.1-03]", function()
  expect.invalid("acc shape(calc_a) type(struct deep) copyout(a)", "clause-not-allowed") -- no direction
  expect.fails("syntax", function() acc "policy type(struct plain) default(copy)" end) -- global, by name
  expect.fails("unknown-policy", function() acc "data invoke<all>(P)" end)
  acc "data copyin(P)::{ include(a[0:n]) }" (function() expect.present "P.a[0:2]" end) -- local
  expect.accepts("data copyin(P)", function() expect.absent "P.a[0:2]" end)
  expect.malformed "acc data copyin(P[0:1].a[0:2])" -- members are those of one object
  acc "data invoke<>(P)::{ default(exclude) copyin(a[0:2]) }" (function() expect.present "P.a[0:2]" end)
end)
