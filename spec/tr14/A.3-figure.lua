-- Figure A.3: policies, used for variables and for members. Deep_type is deep_type here (AMB-TR14-22).
scenario { title = "TR14 A.3: policies", rules = "tr14" }

declare [[
  template<class T> class vector {
      T *base, *end;
      #pragma acc shape include(base[0:end - base], end[@base])
  };

  struct deep_type {
      int n;
      float* a;
      float* b;
      float* c;
      #pragma acc shape init_needed(n) include(a[0:n],b[0:n],c[0:n])
      #pragma acc policy(calc_a) default(copyin) copyout(a)
      #pragma acc policy(move_a_to_c) default(copyin) copyout(c) exclude(b)
      #pragma acc policy(update_b) default(exclude) update(b)
  };

  deep_type X;
  deep_type* array_X;
  int size = 2;

  class Compound_type {
      vector<float> v1;
      vector<float> v2;
      vector<float> v3;
      vector<float> raw;
      deep_type data;

      #pragma acc shape exclude(raw)
      #pragma acc shape(only_vs) exclude(data)
      #pragma acc policy(name1) default(create) copyin(data)
      #pragma acc policy(name2) default(copyin) invoke<calc_a>(data)
      #pragma acc policy(name3) shape(only_vs) default(none) copyin(v2,v3) copy(v1)
      #pragma acc policy(update_stuff) default(exclude) update(v1,v2,data)
      #pragma acc policy(update_other) default(exclude) update(v2) invoke<update_b>(data)
  };

  Compound_type C;
]]

local function deep() return { n = 2, a = { 1, 2 }, b = { 3, 4 }, c = { 5, 6 } } end
local function vector(list)
  local base = alloc("float", #list, list)
  return { base = base, ["end"] = base + #list }
end
host.X, host.array_X = deep(), { deep(), deep() }
host.C = { v1 = vector { 1 }, v2 = vector { 2, 2 }, v3 = vector { 3 }, raw = vector { 4 }, data = deep() }

-- What is sent and what is fetched: names without the bytes of the objects themselves.
local function moves(text)
  local sent, fetched = {}, {}
  local region
  for _, e in ipairs(events(function() region = acc(text) end)) do
    if e.op == "h2d" and e.name:find "%[" then sent[#sent + 1] = e.name end
  end
  for _, e in ipairs(events(function() region:close() end)) do
    if e.op == "d2h" and e.name:find "%[" then fetched[#fetched + 1] = e.name end
  end
  return sent, fetched
end

case("accepts: calc_a sends b and c and fetches a [TR14-A.3-01]", function()
  local sent, fetched = moves "data invoke<calc_a>(X)"
  expect.equal(sent, { "X.b[0:2]", "X.c[0:2]" })
  expect.equal(fetched, { "X.a[0:2]" })
  host.X.a = { 1, 2 }
  acc "data invoke<calc_a>(X)" (function()
    expect.device("X.n", 2)
    acc "parallel present(X)" "for (int i = 0; i < X.n; i++) X.a[i] = X.b[i] + X.c[i];"
  end)
  expect.host("X.a[0:2]", { 8, 10 })
end)

case("differs: calc_a neither initialises a nor copies b back [TR14-A.3-01]", function()
  acc "data invoke<calc_a>(X)" (function()
    expect.uninitialized "X.a[0:2]"
    expect.accepts("parallel present(X)", "X.a[0] = X.a[1] = 0; X.b[0] = 100;")
  end)
  expect.host("X.b[0]", 3)
end)

case("accepts: move_a_to_c sends a and fetches c [TR14-A.3-02]", function()
  local sent, fetched = moves "data invoke<move_a_to_c>(X)"
  expect.equal(sent, { "X.a[0:2]" })
  expect.equal(fetched, { "X.c[0:2]" })
end)

case("differs: move_a_to_c does not map b [TR14-A.3-02]", function()
  acc "data invoke<move_a_to_c>(X)" (function()
    expect.absent "X.b[0:2]"
    expect.fails("excluded-member", function()
      acc "parallel present(X)::{ exclude(b) }" "X.a[0] = X.b[0];"
    end)
    expect.accepts("parallel present(X)::{ exclude(b) }", "X.c[0] = X.c[1] = 0;")
  end)
end)

case("accepts: update_b updates b of an object, and of every element of an array [TR14-A.3-03]", function()
  acc "data copyin(X, array_X[0:size])" (function()
    host.X.b[1] = 44
    expect.events(function() acc "update invoke<update_b>(device: X)" end, { "h2d X.b[0:2]" })
    expect.device("X.b[1]", 44)
    expect.events(function() acc "update invoke<update_b>(device: array_X[0:size])" end,
      { "h2d array_X[0].b[0:2]", "h2d array_X[1].b[0:2]" })
  end)
end)

case("rejects: update_b updates nothing else and is not a data policy [TR14-A.3-03 TR14-3.2.1-06]", function()
  acc "data copyin(X)" (function()
    host.X.a[1], host.X.b[1] = 22, 33
    acc "update invoke<update_b>(device: X)"
    expect.device("X.a[1]", 2)
    expect.device("X.b[1]", 33)
  end)
  expect.invalid("acc data invoke<update_b>(X)", "clause-not-allowed")
end)

case("accepts: name1 creates v1, v2 and v3 deeply and sends data [TR14-A.3-04]", function()
  acc "data invoke<name1>(C)" (function()
    for _, name in ipairs { "C.v1.base[0:1]", "C.v2.base[0:2]", "C.v3.base[0:1]" } do expect.uninitialized(name) end
    expect.attached("C.v2.end", 1)
    expect.device("C.data.b[0:2]", { 3, 4 })
  end)
end)

case("differs: name1 leaves out raw, as the default shape does [TR14-A.3-04]", function()
  acc "data invoke<name1>(C)" (function()
    expect.present "C"
    expect.absent "C.raw.base[0:1]"
  end)
end)

case("accepts: name2 sends everything, and data as calc_a says [TR14-A.3-05]", function()
  local sent, fetched = moves "data invoke<name2>(C)"
  expect.equal(sent, { "C.v1.base[0:1]", "C.v2.base[0:2]", "C.v3.base[0:1]", "C.data.b[0:2]", "C.data.c[0:2]" })
  expect.equal(fetched, { "C.data.a[0:2]" })
end)

case("differs: name2 does not send data.a [TR14-A.3-05]", function()
  acc "data invoke<name2>(C)" (function()
    expect.uninitialized "C.data.a[0:2]"
    expect.accepts("parallel present(C.data.a[0:2])", "C.data.a[0] = C.data.a[1] = 0;")
  end)
end)

case("accepts: name3 copies v1 and sends v2 and v3 [TR14-A.3-06]", function()
  local sent, fetched = moves "data invoke<name3>(C)"
  expect.equal(sent, { "C.v1.base[0:1]", "C.v2.base[0:2]", "C.v3.base[0:1]" })
  expect.equal(fetched, { "C.v1.base[0:1]" })
end)

case("rejects: name3 excludes data and raw, and a missing member is an error [TR14-A.3-06 TR14-3.2.1-15]", function()
  expect.moves(function()
    acc "data invoke<name3>(C)" (function()
      expect.absent "C.data.a[0:2]"
      expect.absent "C.raw.base[0:1]"
    end)
  end, { h2d = { count = 4, bytes = 64 }, d2h = { count = 1, bytes = 4 } })
  expect.invalid("acc policy(p) type(Compound_type) shape(only_vs) default(none) copyin(v2) copy(v1)", "default-none")
end)

case("accepts: update_stuff and update_other update what they name [TR14-A.3-07]", function()
  acc "data copyin(C)" (function()
    expect.events(function() acc "update invoke<update_stuff>(device: C)" end, { "h2d C.v1.base[0:1]",
      "h2d C.v2.base[0:2]", "h2d C.data.a[0:2]", "h2d C.data.b[0:2]", "h2d C.data.c[0:2]", "h2d C.data.n" })
    expect.events(function() acc "update invoke<update_other>(device: C)" end,
      { "h2d C.v2.base[0:2]", "h2d C.data.b[0:2]" })
  end)
end)

case("differs: neither policy updates v3 [TR14-A.3-07]", function()
  acc "data copyin(C)" (function()
    expect.accepts("parallel present(C)", "C.v3.base[0] = 100;")
    expect.accepts "update invoke<update_stuff>(self: C) invoke<update_other>(self: C)"
    expect.host("C.v3.base[0]", 3)
  end)
end)
