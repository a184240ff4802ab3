-- Functions of the host program in bounds: a bound calls them where C would, and once for each element.
scenario { title = "TR-14-1: functions that bounds call" }

declare [[
  int len(const int *p), one(int n), count(int n), fails(int n);
  struct item { int n, *hdr; float *x; int length();
    #pragma acc shape include(x[0:(hdr ? len(hdr) : 0)])
    #pragma acc shape(negated) include(x[0:(!hdr ? 0 : len(hdr))])
    #pragma acc shape(both) include(x[0:hdr && len(hdr)])
    #pragma acc shape(either) include(x[0:!(!hdr || !len(hdr))])
    #pragma acc shape(nested) include(x[0:hdr ? (n > 1 ? len(hdr) : one(n)) : n > 5 && one(n)])
    #pragma acc shape(by_method) include(x[0:(hdr ? length() : 0)])
    #pragma acc shape(always) include(x[0:len(hdr)])
  };
  struct inner { int *hdr; float *x; };
  struct outer { struct inner *in; };
  struct item t[4];
  struct outer o[2];
  float *p; int n, *hdr; struct item *items;
]]
local calls = {}
func("len", function(h)
  calls[#calls + 1] = "len"
  return h[0]
end)
func("one", function()
  calls[#calls + 1] = "one"
  return 1
end)
method("struct item", "length", function(self)
  calls[#calls + 1] = "length"
  return self.hdr[0]
end)

omp "declare mapper(guarded: struct item v) map(v.x[0:v.hdr ? len(v.hdr) : 0])"

-- Elements 0 and 3 have a header of 2, which element 3 does not use: it has one element.
for _, i in ipairs { 0, 3 } do host.t[i] = { n = i == 3 and 1 or 2, hdr = { 2 }, x = { 10 * i + 1, 10 * i + 2 } } end
host.items = addr "t[0]"
host.o = { { ["in"] = { { hdr = { 2 }, x = { 5, 6 } } } }, { ["in"] = { { x = { 7 } } } } }
host.p = { 1, 2, 3, 4 }

-- Expects the calls that a function makes.
local function makes(wanted, fn)
  calls = {}
  fn()
  expect.equal(table.concat(calls, " "), wanted)
end

case("accepts: a function in a bound is called where C calls it: ?: and && and || [TR14-3.1.1-21 TR14-4.3-14]",
  function()
    local directive = "data copyin<%s>(t)"
    for shape, wanted in pairs {
      negated = "len len", both = "len len", either = "len len", nested = "len one", by_method = "length length",
    } do
      makes(wanted, function() acc(directive:format(shape)) (function()
        expect.present "t[0].x[0:1]"
        expect.detached "t[1].x"
      end) end)
    end
    makes("len len", function() acc "data copyin(t)" (function() expect.device("t[0].x[0:2]", { 1, 2 }) end) end)
  end)

case("accepts: inner elements, clauses and mappers guard calls, too [TR14-3.1.1-21 TR14-4.3-14]", function()
  makes("len", function()
    acc "data copyin(o)::{ include(in[0:1])::{ include(x[0:hdr ? len(hdr) : 0]) } }" (function()
      expect.device("o[0].in[0].x[1]", 6)
      expect.detached "o[1].in[0].x"
    end)
  end)
  makes("", function() acc "data copyin(p[0:hdr ? len(hdr) : 2])" (function() expect.device("p[1]", 2) end) end)
  makes("", function() acc "data copyin(t[1]) copyin(t[1].x[0:t[1].hdr && len(t[1].hdr)])" (function() end) end)
  makes("", function() omp "target data map(to: p[0:hdr ? len(hdr) : 2])" (function() end) end)
  makes("len len", function() omp "target data map(mapper(guarded), to: t)" (function() end) end)
  makes("", function() acc "update if_present self(p[0:hdr ? len(hdr) : 2])" end)
end)

case("rejects: a function is called with the null pointer that it follows [TR14-3.1.1-21 ACC33-2.7-2]", function()
  expect.fails("null-pointer", function() acc "data copyin<always>(t)" end)
end)

case("accepts: a construct evaluates a bound once for each element [TR14-3.1.1-21]", function()
  declare [[
    struct list { int n; float *v; };
    struct list l[3];
    #pragma acc shape(counted) type(struct list) include(v[0:count(n)])
  ]]
  for i = 0, 2 do host.l[i] = { n = i + 1, v = { 1, 2, 3 } } end
  func("count", function(k)
    calls[#calls + 1] = ("%d"):format(k)
    return k
  end)
  omp "declare mapper(each: struct list s) map(s.v[0:count(s.n)])"
  local function once(text)
    return function() acc(text) end
  end
  for _ = 1, 2 do -- the second time with a plan that is kept
    makes("1 2 3", once "enter data copyin<counted>(l)")
    makes("1 2 3", once "update self<counted>(l)")
    makes("1 2 3", once "exit data delete<counted>(l)")
    makes("1 2 3", function() acc "data copy<counted>(l)" (function() end) end)
    makes("1 2 3", function() acc "parallel copy<counted>(l)" "l[0].v[0] = 5;" end)
    makes("1 2 3", function() acc("parallel copy<counted>(l)", "l") (function() end) end)
    makes("4", function() acc "data copy(p[0:count(4)])" (function() end) end)
    makes("4", once "enter data copyin(p[0:count(4)])")
    makes("4", once "exit data delete(p[0:count(4)])")
    makes("4", function() acc "parallel copy(p[0:count(4)])" "p[0] = 5;" end)
    makes("0", function() acc "data copy(p[0:2]) if(count(0))" (function() end) end)
    makes("1 2 3", function() omp "target map(mapper(each), tofrom: l)" "l[0].v[0] = 5;" end)
    makes("1 2 3", function() omp "target enter data map(mapper(each), to: l)" end)
    makes("1 2 3", function() omp "target exit data map(mapper(each), delete: l)" end)
    makes("4", function() omp "target map(tofrom: p[0:count(4)])" "p[0] = 5;" end)
    makes("4", function() omp "target update to(p[0:count(4)])" end)
  end
end)

case("rejects: an error of a function that a bound calls ends the construct at once [TR14-3.1.1-21]", function()
  declare [[
    struct list { int n; float *v; };
    struct list l[3];
    #pragma acc shape(third) type(struct list) include(v[0:fails(n)])
  ]]
  for i = 0, 2 do host.l[i] = { n = i + 1, v = { 1, 2, 3 } } end
  func("fails", function(k)
    calls[#calls + 1] = ("%d"):format(k)
    if #calls == 3 then error "the third call" end
    return k
  end)
  for _, text in ipairs { "enter data copyin<third>(l)", "data copy<third>(l)", "parallel copy<third>(l)" } do
    makes("1 2 3", function()
      expect.fails("scenario-error", function()
        local construct = acc(text)
        if construct then construct "l[0].n = 1;" end
      end)
    end)
    expect.absent "l"
  end
end)
