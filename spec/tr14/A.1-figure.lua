-- Figure A.1: every directive of it, with exactly what it moves.
scenario { title = "TR14 A.1: shapes in C", rules = "tr14" }

declare [[
  struct deep_type {
      int n;
      float *a, *b, *c;
      #pragma acc shape init_needed(n) include(a[0:n], b[0:n], c[0:n])
      #pragma acc shape(part_a) exclude(b, c)
      #pragma acc shape(only_b) default(exclude) include(b)
  };
  struct deep_type X, *Y;
  int size = 2, i;
]]
host.X = { n = 3, a = { 1, 2, 3 }, b = { 4, 5, 6 }, c = { 7, 8, 9 } }
host.Y = { { n = 1, a = { 1 }, b = { 2 }, c = { 3 } },
  { n = 2, a = { 1, 1 }, b = { 2, 2 }, c = { 3, 3 } } }

case("accepts: copy(X) is a deep copy of four objects [TR14-A.1-01]", function()
  local region
  expect.events(function() region = acc "data copy(X)" end, {
    "alloc X", "alloc X.a[0:3]", "alloc X.b[0:3]", "alloc X.c[0:3]",
    "h2d X", "h2d X.a[0:3]", "h2d X.b[0:3]", "h2d X.c[0:3]",
    "attach X.a", "attach X.b", "attach X.c",
    "incref X", "incref X.a[0:3]", "incref X.b[0:3]", "incref X.c[0:3]" })
  expect.events(function() region:close() end, {
    "detach X.a", "detach X.b", "detach X.c",
    "decref X", "decref X.a[0:3]", "decref X.b[0:3]", "decref X.c[0:3]",
    "d2h X.n", "d2h X.a[0:3]", "d2h X.b[0:3]", "d2h X.c[0:3]",
    "free X", "free X.a[0:3]", "free X.b[0:3]", "free X.c[0:3]" })
end)

case("rejects: X is absent after the region [TR14-A.1-01 ACC33-upd-1]", function()
  expect.accepts "data copy(X)"
  for _, name in ipairs { "X", "X.a[0:3]", "X.b[0:3]", "X.c[0:3]" } do expect.absent(name) end
  expect.fails("not-present", function() acc "update self(X)" end)
end)

case("accepts: create(X) sends n and sets the pointers [TR14-A.1-02]", function()
  expect.moves(function() acc "enter data create(X)" end, { h2d = { count = 1, bytes = 4 } })
  expect.device("X.n", 3)
  for _, pointer in ipairs { "X.a", "X.b", "X.c" } do expect.attached(pointer, 1) end
end)

case("differs: create(X) leaves a, b and c uninitialised [TR14-A.1-02]", function()
  acc "enter data create(X)"
  for _, name in ipairs { "X.a[0:3]", "X.b[0:3]", "X.c[0:3]" } do expect.uninitialized(name) end
  expect.fails("uninitialized-read", function() acc "parallel present(X)" "float f = X.c[0];" end)
end)

case("accepts: copyout<part_a>(X) moves n in and out, and a out [TR14-A.1-03]", function()
  local region
  expect.moves(function() region = acc "data copyout<part_a>(X)" end,
    { h2d = { count = 1, bytes = 4 } })
  expect.uninitialized "X.a[0:3]"
  acc "parallel present<part_a>(X)" "for (int k = 0; k < X.n; ++k) X.a[k] = 10 + k; X.n = 2;"
  expect.moves(function() region:close() end, { d2h = { count = 2 } })
  expect.host("X.a[0:3]", { 10, 11, 12 })
  expect.host("X.n", 2)
end)

case("differs: copyout<part_a>(X) does not touch b and c [TR14-A.1-03]", function()
  acc "data copyout<part_a>(X)" (function()
    expect.absent "X.b[0:3]"
    expect.fails("excluded-member", function() acc "parallel present<part_a>(X)" "X.b[0] = 1;" end)
    expect.accepts("parallel present<part_a>(X)", "X.a[0] = X.a[1] = X.a[2] = 0;")
  end)
  expect.host("X.b[0:3]", { 4, 5, 6 })
  expect.host("X.c[0:3]", { 7, 8, 9 })
end)

case("accepts: update self(X) fetches n, a, b and c [TR14-A.1-04]", function()
  acc "data copyin(X)" (function()
    acc "parallel present(X)" "for (int k = 0; k < X.n; ++k) X.a[k] = X.b[k] = X.c[k] = k;"
    expect.events(function() acc "update self(X)" end,
      { "d2h X.n", "d2h X.a[0:3]", "d2h X.b[0:3]", "d2h X.c[0:3]" })
    expect.host("X.c[0:3]", { 0, 1, 2 })
  end)
end)

case("differs: update self(X) does not change the host's pointers [TR14-A.1-04]", function()
  local before = host "X.b"
  expect.moves(function()
    acc "data copyin(X)" (function() acc "update self(X)" end)
  end, { h2d = { count = 4, bytes = 68 }, d2h = { count = 4, bytes = 44 } })
  expect.equal(host "X.b", before)
end)

case("accepts: update self<only_b>(X) is the same as update self(X.b[0:X.n]) [TR14-A.1-05]", function()
  acc "data copyin(X)" (function()
    expect.events(function() acc "update self<only_b>(X)" end, { "d2h X.b[0:3]" })
    expect.events(function() acc "update self(X.b[0:X.n])" end, { "d2h X.b[0:3]" })
  end)
end)

case("differs: update self<only_b>(X) does not change n, a and c [TR14-A.1-05]", function()
  acc "data copyin(X)" (function()
    acc "parallel present(X)" "X.n = 2; X.a[0] = X.b[0] = X.c[0] = 50;"
    acc "update self<only_b>(X)"
    expect.host("X.n", 3)
    expect.host("X.a[0]", 1)
    expect.host("X.b[0]", 50)
    expect.host("X.c[0]", 7)
  end)
end)

case("accepts: copy(Y[0:size]) uses n of each element [TR14-A.1-06]", function()
  acc "data copy(Y[0:size])" (function()
    expect.present "Y[0].a[0:1]"
    expect.present "Y[1].c[0:2]"
    expect.equal(#state().present, 7)
    acc "parallel present(Y[0:size])" "for (int k = 0; k < size; ++k) Y[k].a[Y[k].n - 1] = 100 + k;"
  end)
  expect.host("Y[0].a[0]", 100)
  expect.host("Y[1].a[1]", 101)
end)

case("differs: elements beyond size are not mapped [TR14-A.1-06]", function()
  host.size = 1
  expect.moves(function()
    acc "data copy(Y[0:size])" (function()
      expect.absent "Y[1]"
      expect.absent "Y[1].a[0:2]"
    end)
  end, { h2d = { count = 4, bytes = 44 }, d2h = { count = 4, bytes = 20 } })
end)

case("accepts: update self<only_b>(Y[0:size]) moves the same bytes as a host loop [TR14-A.1-07]",
  function()
    acc "data copyin(Y[0:size])" (function()
      local function moved(body)
        local list = {}
        for _, e in ipairs(events(body)) do list[#list + 1] = tostring(e) .. " " .. e.bytes end
        return list
      end
      local one = moved(function() acc "update self<only_b>(Y[0:size])" end)
      local many = moved(function()
        for k = 0, host.size - 1 do
          host.i = k
          acc "update self(Y[i].b[0:Y[i].n])"
        end
      end)
      expect.equal(one, { "d2h Y[0].b[0:1] 4", "d2h Y[1].b[0:2] 8" })
      expect.equal(many, one)
    end)
  end)

case("rejects: the loop goes beyond the mapped elements [TR14-A.1-07 ACC33-upd-1]", function()
  expect.accepts("data copyin(Y[0:1])", function()
    host.i = 1
    expect.fails("not-present", function() acc "update self(Y[i].b[0:Y[i].n])" end)
  end)
end)
