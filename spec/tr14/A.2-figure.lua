-- Figure A.2: a class template, types without a shape of their own, shapes that name shapes. The class's
-- size() has a body here, and the stray word `data` before `update` is left out (AMB-TR14-21).
scenario { title = "TR14 A.2: shapes of a class template", rules = "tr14" }

declare [[
  template<Type T>
  class vector {
      T* base;
      T* end;
      T* reserved;
      int size() { return end - base; }
      #pragma acc shape include(base[0:size()], end[@base], reserved[@base])
  };

  vector<float> v1;

  class Data {
      vector<float> d1;
      vector<float> d2;
      // This named shape excludes member d2
      #pragma acc shape(only_d1) exclude(d2)
  };

  Data d;

  class Stuff {
      Data data1;
      Data data2;
      vector<float> raw;
      int direct[100];
      #pragma acc shape default(include) exclude(raw)
      #pragma acc shape(data1) exclude(data2)
      #pragma acc shape(data2) exclude(data1)
      #pragma acc shape(small) include<only_d1>(data1,data2)
  };

  Stuff s;
]]

local function vector(list, spare)
  local base = alloc("float", #list + spare, list)
  return { base = base, ["end"] = base + #list, reserved = base + #list + spare }
end
host.v1 = vector({ 1, 2, 3 }, 2)
host.d = { d1 = vector({ 1, 2 }, 0), d2 = vector({ 3 }, 1) }
host.s = { data1 = { d1 = vector({ 1 }, 0), d2 = vector({ 2, 2 }, 0) },
  data2 = { d1 = vector({ 3, 3, 3 }, 0), d2 = vector({ 4 }, 0) }, raw = vector({ 5 }, 0) }

case("accepts: copy moves the block once and attaches three pointers [TR14-A.2-01]", function()
  local region
  expect.events(function() region = acc "data copy(v1)" end, { "alloc v1", "alloc v1.base[0:3]", "h2d v1",
    "h2d v1.base[0:3]", "attach v1.base", "attach v1.end", "attach v1.reserved", "incref v1",
    "incref v1.base[0:3]", "incref v1.end", "incref v1.reserved" })
  acc "parallel present(v1)" "for (float *p = v1.base; p != v1.end; p++) *p *= 2;"
  expect.events(function() acc "update self(v1)" end, { "d2h v1.base[0:3]" })
  expect.host("v1.base[0:3]", { 2, 4, 6 })
  region:close()
  expect.absent "v1.base[0:3]"
end)

case("differs: create moves no elements, and reserved elements are absent [TR14-A.2-01]", function()
  acc "data create(v1)" (function()
    expect.uninitialized "v1.base[0:3]"
    expect.attached("v1.reserved", 1)
    expect.equal(host "v1.reserved - v1.base", 5)
    expect.absent "v1.base[3:2]"
    expect.fails("out-of-bounds", function() acc "parallel present(v1)" "v1.end[0] = 1;" end)
  end)
end)

case("accepts: a type without a shape includes members that have one [TR14-A.2-02]", function()
  acc "data copy(d)" (function()
    expect.device("d.d1.base[0:2]", { 1, 2 })
    expect.device("d.d2.base[0]", 3)
  end)
end)

case("differs: only_d1 leaves out d2 [TR14-A.2-02]", function()
  acc "data copy<only_d1>(d)" (function()
    expect.device("d.d1.base[0:2]", { 1, 2 })
    expect.absent "d.d2.base[0:1]"
    expect.fails("excluded-member", function() acc "parallel present<only_d1>(d)" "d.d2.base[0] = 1;" end)
  end)
end)

case("accepts: shapes have the names of members [TR14-A.2-03]", function()
  acc "data copyin<data1>(s)" (function()
    expect.present "s.data1.d2.base[0:2]"
    expect.absent "s.data2.d1.base[0:3]"
  end)
  acc "data copyin<data2>(s)" (function()
    expect.absent "s.data1.d2.base[0:2]"
    expect.present "s.data2.d1.base[0:3]"
  end)
end)

case("differs: all shapes exclude raw [TR14-A.2-03]", function()
  for _, shape in ipairs { "", "<data1>", "<data2>", "<small>" } do
    acc(("data copyin%s(s)"):format(shape))(function()
      expect.present "s"
      expect.absent "s.raw.base[0:1]"
    end)
  end
end)

case("accepts: small moves direct, data1.d1 and data2.d1 [TR14-A.2-04]", function()
  acc "data copy<small>(s)" (function()
    expect.present "s.data1.d1.base[0:1]"
    expect.present "s.data2.d1.base[0:3]"
    acc "parallel present<small>(s)" "s.direct[7] = 77; s.data2.d1.base[2] = 33;"
  end)
  expect.host("s.direct[7]", 77)
  expect.host("s.data2.d1.base[2]", 33)
end)

case("differs: small moves neither raw nor data1.d2 nor data2.d2 [TR14-A.2-04]", function()
  acc "data copy<small>(s)" (function()
    expect.absent "s.raw.base[0:1]"
    expect.absent "s.data1.d2.base[0:2]"
    expect.absent "s.data2.d2.base[0:1]"
    expect.fails("excluded-member", function() acc "parallel present<small>(s)" "s.data1.d2.base[0] = 1;" end)
  end)
end)
