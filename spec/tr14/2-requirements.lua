-- What real applications need: extents from everywhere, structures in structures, parts left out.
scenario { title = "TR14 2: requirements", rules = "tr14", cites = { "TR14-2.1-01", "TR14-2.2-01",
  "TR14-2.2-02", "TR14-2.2-04" } }

declare [[
  int levels = 2;
  struct list { int value; struct list *next; };
  struct prog { int n; double *vn, *w; struct list *fields;
      #pragma acc shape include(vn[0:n], w[0:n]) exclude(fields)
      #pragma acc shape(only_vn) default(exclude) include(n, vn)
  };
  struct metrics { double *a, *b; char names[8][16]; };
  struct state { struct prog *prog; struct metrics metrics; double *diag; int nprog;
      #pragma acc shape include(prog[0:nprog]) exclude(diag)
      #pragma acc shape(wanted) default(exclude) include<only_vn>(prog[0:nprog]) include(nprog)
  };
  struct state S[2];
]]
local function prog(n, first)
  local vn, w = {}, {}
  for k = 1, n do vn[k], w[k] = first + k, -k end
  return { n = n, vn = vn, w = w, fields = { { value = 1 } } }
end
for k = 0, 1 do
  host.S[k] = { nprog = 2, prog = { prog(1, 10 * k), prog(3, 100 * k) }, diag = { 1, 2 } }
end

case("accepts: extents from members, functions and globals [TR14-2.1-01]", function()
  func("size", function(k) return k + 1 end)
  declare [[
    struct mixed { int n; float *m, *f, *g;
        #pragma acc shape include(m[0:n], f[0:size(n)], g[0:levels])
    };
    struct mixed M;
  ]]
  host.M = { n = 1, m = { 1 }, f = { 2, 3 }, g = { 4, 5 } }
  acc "data copyin(M)" (function()
    expect.device("M.f[1]", 3)
    expect.device("M.g[1]", 5)
  end)
end)

case("rejects: a function that gives no integer, or fails [TR14-2.1-01]", function()
  func("half", function(k) return k / 2 end)
  func("broken", function() error "no size" end)
  declare [[
    struct mixed { int n; float *m;
        #pragma acc shape include(m[0:half(n)])
        #pragma acc shape(other) include(m[0:broken(n)])
    };
    struct mixed M;
  ]]
  host.M = { n = 1, m = { 1 } }
  expect.fails("type-mismatch", function() acc "enter data copyin(M)" end)
  expect.fails("scenario-error", function() acc "enter data copyin<other>(M)" end)
end)

case("accepts: a few paths out of many, over three levels of types [TR14-2.2-01]", function()
  acc "data copy<wanted>(S)" (function()
    expect.device("S[1].prog[1].vn[2]", 103)
    expect.absent "S[1].prog[1].w[0:3]"
    acc "parallel present<wanted>(S)" [[
      for (int k = 0; k < 2; ++k)
        for (int j = 0; j < S[k].nprog; ++j)
          for (int i = 0; i < S[k].prog[j].n; ++i) S[k].prog[j].vn[i] *= 2;
    ]]
  end)
  expect.host("S[1].prog[1].vn[0:3]", { 202, 204, 206 })
  expect.host("S[1].prog[1].w[0:3]", { -1, -2, -3 })
end)

case("rejects: the paths that were not wanted [TR14-2.2-01]", function()
  acc "data copyin<wanted>(S)" (function()
    local function using(text)
      expect.fails("excluded-member", function() acc("parallel present<wanted>(S)")(text) end)
    end
    using "double x = S[0].prog[0].w[0];"
    using "double x = S[0].diag[0];"
    using "char c = S[1].metrics.names[2][3];"
  end)
end)

case("accepts: arrays of structures in arrays of structures [TR14-2.2-02]", function()
  acc "data copyin(S)" (function()
    expect.attached("S[0].prog", 1)
    expect.attached("S[1].prog[1].w", 1)
    expect.device("S[1].prog[1].w[2]", -3)
  end)
end)

case("rejects: elements of the inner arrays that there are not [TR14-2.2-02]", function()
  acc "data copyin(S)" (function()
    expect.fails("out-of-bounds", function()
      acc "parallel present(S)" "double x = S[0].prog[2].vn[0];"
    end)
    expect.fails("out-of-bounds", function()
      acc "parallel present(S)" "double x = S[0].prog[0].vn[1];"
    end)
  end)
end)

case("accepts: a list in the type that the shape leaves out [TR14-2.2-04]", function()
  acc "data copyin(S)" (function() expect.absent "S[0].prog[0].fields[0]" end)
end)

case("rejects: following that list [TR14-2.2-04]", function()
  acc "shape(chain) type(struct list) include(next[0:1])"
  acc "shape(all) type(struct prog) include<chain>(fields[0:1])"
  expect.fails("excluded-member", function()
    acc "parallel copyin(S)" "int x = S[0].prog[0].fields->value;"
  end)
end)
