-- What real applications need: extents from many places, structures in structures, excluded parts.
scenario { title = "TR14 2: requirements", rules = "tr14" }

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

case("accepts: extents come from members, functions and globals [TR14-2.1-01]", function()
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

case("rejects: a function returns no integer, or fails [TR14-2.1-01 TR14-3.1.1-21]", function()
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

case("accepts: a shape selects a few paths over three levels of types [TR14-2.2-01]", function()
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

case("differs: paths that were not selected cannot be used [TR14-2.2-01]", function()
  acc "data copyin<wanted>(S)" (function()
    local function using(text)
      expect.fails("excluded-member", function() acc("parallel present<wanted>(S)")(text) end)
    end
    using "double x = S[0].prog[0].w[0];"
    using "double x = S[0].diag[0];"
    using "char c = S[1].metrics.names[2][3];"
  end)
end)

case("accepts: arrays of structures contain arrays of structures [TR14-2.2-02]", function()
  acc "data copyin(S)" (function()
    expect.attached("S[0].prog", 1)
    expect.attached("S[1].prog[1].w", 1)
    expect.device("S[1].prog[1].w[2]", -3)
  end)
end)

case("differs: inner arrays have no elements beyond their bounds [TR14-2.2-02]", function()
  expect.moves(function()
    acc "data copyin(S)" (function()
      expect.fails("out-of-bounds", function()
        acc "parallel present(S)" "double x = S[0].prog[2].vn[0];"
      end)
      expect.fails("out-of-bounds", function()
        acc "parallel present(S)" "double x = S[0].prog[0].vn[1];"
      end)
    end)
  end, { h2d = { count = 11, bytes = 592 }, d2h = 0 })
end)

case("accepts: the shape leaves out a list in the type [TR14-2.2-04]", function()
  expect.moves(function()
    acc "data copyin(S)" (function() expect.absent "S[0].prog[0].fields[0]" end)
  end, { h2d = { count = 11, bytes = 592 }, d2h = 0 })
end)

case("differs: a list that is left out cannot be followed [TR14-2.2-04]", function()
  acc "shape(chain) type(struct list) include(next[0:1])"
  expect.accepts "shape(all) type(struct prog) include<chain>(fields[0:1])"
  expect.fails("excluded-member", function()
    acc "parallel copyin(S)" "int x = S[0].prog[0].fields->value;"
  end)
end)

-- ------------------------------------------------------------------------------------------ ICON --

-- ICON's t_nh_state in C: a few of its many pointers are wanted (Fig. 2.7), and some are convenience
-- pointers, which alias others. Members that are not wanted are called other1, other2, ...
local function icon_type(name, count, wanted, rest, shapes)
  local names = {}
  for k = 1, count - #wanted do names[k] = "*other" .. k end
  for k, member in ipairs(wanted) do table.insert(names, 1 + 12 * k, "*" .. member) end
  declare(("struct %s { double %s; %s\n%s\n};"):format(name, table.concat(names, ", "), rest, shapes))
end

local listed = { metrics = { "rayleigh_w", "rayleigh_vn" },
  diag = { "vn_ie", "vt", "dvn_ie_ubc", "e_kinh", "w_concorr_c" } }

-- aliases: pointers of diag that are convenience pointers, and their sections.
local function icon(aliases)
  declare "enum { nlev = 4 }; struct t_var_list { int id; struct t_var_list *next; };"
  icon_type("t_nh_metrics", 84, listed.metrics, "", [[
    #pragma acc shape(dycore) default(exclude) include(rayleigh_w[0:nlev], rayleigh_vn[0:nlev])]])
  icon_type("t_nh_diag", 86, listed.diag, "double *first_alias, *second_alias;",
    "#pragma acc shape(dycore) default(exclude) include(first_alias" .. aliases[1] .. ", second_alias" .. aliases[2]
      .. [[) include(vn_ie[0:nlev], vt[0:nlev], dvn_ie_ubc[0:2], e_kinh[0:nlev], w_concorr_c[0:nlev])]])
  declare [[
    struct t_nh_prog { double *w, *vn, *rho, *exner, *tracer; char rest[1000];
        #pragma acc shape(dycore) default(exclude) include(vn[0:nlev])
    };
    struct t_nh_state { struct t_nh_prog *prog; struct t_var_list *prog_list; int nprog;
        struct t_nh_diag diag; struct t_var_list diag_list;
        struct t_nh_metrics metrics; struct t_var_list metrics_list;
        #pragma acc shape(dycore) default(exclude) include(nprog) include<dycore>(prog[0:nprog], diag, metrics)
    };
    struct t_nh_state p_nh_state;
  ]]
  local function values(k) return { k, k + 1, k + 2, k + 3 } end
  local state = host.p_nh_state
  state.nprog = 2
  state.prog = { { vn = values(10), w = values(1) }, { vn = values(20), w = values(2) } }
  for k = 1, 81 do state.diag["other" .. k] = { 1 } end
  for k = 1, 82 do state.metrics["other" .. k] = { 1 } end
  for part, names in pairs(listed) do
    for k, name in ipairs(names) do state[part][name] = values(100 * k) end
  end
  state.diag_list = { id = 1, next = { { id = 2 } } }
  state.diag.first_alias = state.diag.vt + 1 -- vt is declared after it, or before
  state.diag.second_alias = state.prog[1].vn + 2 -- in another structure
  return state
end

case("accepts: only the listed pointers of 84 and 86 are mapped and updated [TR14-2.2-01]",
  function()
    icon { "[@]", "[@]" }
    expect.equal(sizeof "struct t_nh_metrics", 84 * 8)
    expect.equal(sizeof "struct t_nh_diag", 88 * 8)
    acc "enter data copyin<dycore>(p_nh_state)"
    expect.equal(#state().present, 1 + 2 + 5 + 1 + 2) -- state, metrics, diag, prog, vn of both
    expect.equal(#state().attached, 2 + 5 + 2 + 1 + 2)
    acc "parallel present<dycore>(p_nh_state)" [[
      for (int k = 0; k < nlev; ++k)
        p_nh_state.diag.vt[k] += p_nh_state.metrics.rayleigh_w[k] * p_nh_state.prog[1].vn[k];
    ]]
    expect.moves(function() acc "update self<dycore>(p_nh_state)" end,
      { d2h = { bytes = 8 + 8 * (2 * 4 + 4 * 4 + 2 + 2 * 4) } })
    expect.host("p_nh_state.diag.vt[1]", 201 + 101 * 21)
    acc "exit data delete<dycore>(p_nh_state)"
    expect.equal(#state().present, 0)
  end)

case("differs: members that Fig. 2.7 does not list cannot be used [TR14-2.2-01 TR14-2.2-04]", function()
  icon { "[@]", "[@]" }
  acc "data copyin<dycore>(p_nh_state)" (function()
    for _, member in ipairs { "metrics.other1[0]", "metrics.other82[0]", "diag.other81[0]", "prog[1].w[0]",
      "diag_list.id", "prog_list[0].id" } do
      expect.fails("excluded-member", function()
        acc("parallel present<dycore>(p_nh_state)")("double x = p_nh_state." .. member .. ";")
      end)
    end
  end)
end)

for _, aliases in ipairs { { "[@]", "[@]" }, { "[@vt]", "[@]" }, { "[0:3]", "[0:2]" }, { "[@]", "[0:1]" } } do
  case(("accepts: convenience pointers are described by %s and %s [TR14-2.2-03]"):format(aliases[1], aliases[2]),
    function()
      icon(aliases)
      acc "data copy<dycore>(p_nh_state)" (function()
        expect.equal(#state().present, 11)
        expect.attached("p_nh_state.diag.first_alias", 1)
        expect.attached("p_nh_state.diag.second_alias", 1)
        acc "parallel present<dycore>(p_nh_state)" [[
          p_nh_state.diag.first_alias[2] = -1;
          p_nh_state.diag.second_alias[0] = -2;
        ]]
      end)
      expect.host("p_nh_state.diag.vt[0:4]", { 200, 201, 202, -1 })
      expect.host("p_nh_state.prog[1].vn[0:4]", { 20, 21, -2, 23 })
    end)
end

case("rejects: a convenience pointer points to unmapped data, or its section fits only in part"
  .. " [TR14-2.2-03 ACC33-2.7.1-1]", function()
  local s = icon { "[@]", "[0:2]" }
  local region = function() acc "data copyin<dycore>(p_nh_state)" end
  s.diag.first_alias = s.prog[0].w
  expect.fails("not-present", region)
  s.diag.first_alias = s.diag.vt
  s.diag.second_alias = s.prog[0].vn + 3 -- one of two elements
  expect.fails("out-of-bounds", region)
  declare "double wide[8];"
  s.prog[0].vn, s.diag.second_alias = addr "wide[0]", addr "wide[3]"
  expect.fails("partial-overlap", region)
  expect.equal(#state().present, 0)
end)

-- ----------------------------------------------------------------------------------- std::vector --

-- As libstdc++ lays it out, with the functions that sections need.
local header = [[
  template<typename _Tp> struct _Vector_impl {
      _Tp *_M_start;
      _Tp *_M_finish;
      _Tp *_M_end_of_storage;
  };
  template<typename _Tp> class vector {
    protected:
      _Vector_impl<_Tp> _M_impl;
    public:
      vector();
      ~vector();
      long size() const { return _M_impl._M_finish - _M_impl._M_start; }
      long capacity() const { return _M_impl._M_end_of_storage - _M_impl._M_start; }
  };
]]

-- Shapes from outside, as an application's own header gives them: the valid elements, or the reserved.
local function vectors()
  declare(header)
  acc [[shape type(_Vector_impl) include(_M_start[0:_M_finish - _M_start], _M_finish[@_M_start],
    _M_end_of_storage[@_M_start])]]
  acc "shape(reserved) type(_Vector_impl) include(_M_start[0:_M_end_of_storage - _M_start])"
  expect.accepts "shape(reserved) type(vector) include<reserved>(_M_impl)"
end

-- Gives a vector a block with these elements, and room for more.
local function fill(vector, element, list, reserved)
  local block = alloc(element, reserved or #list)
  for k, value in ipairs(list) do block[k - 1] = value end
  vector._M_impl = { _M_start = block, _M_finish = block + #list, _M_end_of_storage = block + (reserved or #list) }
  return block
end

local function one_vector()
  vectors()
  declare "vector<float> V;"
  return fill(host.V, "float", { 1, 2, 3 }, 5)
end

case("accepts: the block moves once and three pointers are translated [TR14-2.3-01 TR14-2.3-02]", function()
  one_vector()
  expect.equal(sizeof "vector<float>", 24)
  local region
  expect.events(function() region = acc "data copy(V)" end, { "alloc V", "alloc V._M_impl._M_start[0:3]", "h2d V",
    "h2d V._M_impl._M_start[0:3]", "attach V._M_impl._M_start", "attach V._M_impl._M_finish",
    "attach V._M_impl._M_end_of_storage", "incref V", "incref V._M_impl._M_start[0:3]",
    "incref V._M_impl._M_finish", "incref V._M_impl._M_end_of_storage" })
  acc "parallel present(V)" (function(d)
    expect.equal(d "V.size()", 3)
    expect.equal(d "V.capacity()", 5)
    for k = 0, d "V.size()" - 1 do d.V._M_impl._M_start[k] = d.V._M_impl._M_start[k] * 10 end
  end)
  expect.moves(function() region:close() end, { d2h = { count = 1, bytes = 12 } })
  expect.host("V._M_impl._M_start[0:3]", { 10, 20, 30 })
  expect.host("V.size()", 3)
end)

case("rejects: a vector has no shape, or its end is an alias without a base"
  .. " [TR14-2.3-01 TR14-2.3-02 TR14-4.2-09]", function()
  declare(header)
  acc "shape(naive) type(_Vector_impl) include(_M_start[0:2], _M_finish[@])"
  acc "shape(naive) type(vector) include<naive>(_M_impl)"
  declare "vector<float> V;"
  fill(host.V, "float", { 1, 2 }, 3)
  acc "data copyin(V)" (function()
    expect.fails("host-pointer-on-device", function()
      acc "parallel present(V)" "float x = V._M_impl._M_start[0];"
    end)
  end)
  expect.fails("not-present", function() acc "data copyin<naive>(V)" end)
end)

case("differs: the end pointer points to no element [TR14-2.3-02]", function()
  one_vector()
  acc "data copyin(V)" (function()
    expect.fails("out-of-bounds", function() acc "parallel present(V)" "float x = *V._M_impl._M_finish;" end)
    expect.fails("out-of-bounds", function()
      acc "parallel present(V)" "*V._M_impl._M_end_of_storage = 1;"
    end)
  end)
end)

case("accepts: either the valid or all reserved elements are moved [TR14-2.3-03]", function()
  local block = one_vector()
  expect.moves(function() acc "enter data create(V)" end, { h2d = 0 })
  expect.present "V._M_impl._M_start[0:3]"
  acc "exit data delete(V)"
  acc "data copy<reserved>(V)" (function()
    expect.present "V._M_impl._M_start[0:5]"
    acc "parallel present<reserved>(V)" "V._M_impl._M_start[3] = 4;"
  end)
  expect.equal(block:values(4), { 1, 2, 3, 4 })
end)

case("rejects: a vector with only its valid elements has no room to append [TR14-2.3-03 TR14-4.2-03]", function()
  one_vector()
  acc "data copy(V)" (function()
    expect.fails("out-of-bounds", function() acc "parallel present(V)" "V._M_impl._M_start[3] = 4;" end)
    expect.fails("partially-present", function() acc "data copyin<reserved>(V)" end)
  end)
end)

case("accepts: elements that need deep copy have their own shape [TR14-2.3-04]", function()
  vectors()
  declare [[
    struct item { int n; float *p;
        #pragma acc shape include(p[0:n])
    };
    vector<struct item> I;
    vector<vector<float>> W;
  ]]
  fill(host.I, "struct item", { { n = 1, p = { 5 } }, { n = 2, p = { 6, 7 } } }, 3)
  local rows = fill(host.W, "vector<float>", { {}, {} })
  fill(rows[0], "float", { 1 }, 4)
  fill(rows[1], "float", { 2, 3 })
  acc "data copyin(I, W)" (function()
    expect.device("I._M_impl._M_start[1].p[1]", 7)
    expect.attached("I._M_impl._M_start[0].p", 1)
    expect.accepts("parallel present(I, W)", function(d)
      local sum = 0
      for k = 0, d "W.size()" - 1 do
        local row = d.W._M_impl._M_start[k]._M_impl
        for i = 0, row._M_finish - row._M_start - 1 do sum = sum + row._M_start[i] end
      end
      expect.equal(sum, 6)
    end)
    expect.equal(#state().attached, 3 + 2 + 3 + 2 * 3)
  end)
  expect.equal(#state().present, 0)
end)

case("differs: elements without a shape and raw pointers are not followed [TR14-2.3-04]", function()
  vectors()
  declare [[
    struct bare { int n; float *p; };
    vector<struct bare> B;
    vector<int *> P;
  ]]
  fill(host.B, "struct bare", { { n = 1, p = { 5 } } })
  fill(host.P, "int *", { alloc("int", 1, { 1 }) })
  acc "data copyin(B, P)" (function()
    expect.present "B._M_impl._M_start[0:1]"
    expect.fails("host-pointer-on-device", function()
      acc "parallel present(B)" "float x = B._M_impl._M_start[0].p[0];"
    end)
    expect.fails("host-pointer-on-device", function()
      acc "parallel present(P)" "int x = P._M_impl._M_start[0][0];"
    end)
  end)
end)

case("accepts: a type of a library is described from outside [TR14-2.3-05]", function()
  declare(header)
  acc "shape type(_Vector_impl) include(_M_start[0:_M_finish - _M_start])"
  declare "vector<float> V; vector<double> D;"
  fill(host.V, "float", { 1, 2 })
  fill(host.D, "double", { 3 })
  acc "data copyin(V, D)" (function()
    expect.device("V._M_impl._M_start[1]", 2)
    expect.device("D._M_impl._M_start[0]", 3)
  end)
  acc "shape(empty) type(vector<float>) exclude(_M_impl)"
  acc "data copyin<empty>(V)" (function() expect.equal(#state().present, 1) end)
end)

case("rejects: a description has no type, an unknown type, or is inside another type"
  .. " [TR14-2.3-05 TR14-3.1.1-07]", function()
  declare(header)
  declare "vector<float> V; vector<double> D;"
  local sections = " include(_M_start[0:2])"
  expect.invalid("acc shape" .. sections, "missing-type")
  expect.invalid("acc shape type(deque)" .. sections, "unknown-type")
  expect.fails("unknown-member", function() acc("shape type(vector)" .. sections) end)
  expect.invalid("struct user { int n;\n#pragma acc shape type(_Vector_impl<float>) exclude(_M_start)\n};",
    "type-mismatch")
  acc "shape(empty) type(vector<float>) exclude(_M_impl)"
  expect.accepts "data copyin<empty>(V)"
  expect.invalid("acc data copyin<empty>(D)", "unknown-shape")
end)

case("accepts: a vector may grow between regions [TR14-2.3-06]", function()
  local block = one_vector()
  expect.accepts "data copy(V)"
  fill(host.V, "float", { 1, 2, 3, 4, 5, 6 })
  free(block)
  acc "data copy(V)" (function()
    expect.device("V._M_impl._M_start[5]", 6)
    acc "parallel present(V)" [[ /* a container of the device's own */
      float own[3];
      float *start = own, *finish = own;
      while (finish - start < 3) *finish++ = V._M_impl._M_start[finish - start];
      V._M_impl._M_start[0] = finish[-1];
    ]]
  end)
  expect.host("V._M_impl._M_start[0]", 3)
end)

case("rejects: a vector grows on one side while it is on the device [TR14-2.3-06 TR14-4.3-04]", function()
  local block = one_vector()
  local region = acc "data copy<reserved>(V)"
  expect.fails("pointer-changed", function() acc "parallel present<reserved>(V)" "++V._M_impl._M_finish;" end)
  fill(host.V, "float", { 1, 2, 3, 4, 5, 6 })
  expect.fails("pointer-changed", function() acc "update device<reserved>(V)" end)
  expect.fails("pointer-changed", function() region:close() end)
  host.V._M_impl = { _M_start = block, _M_finish = block + 3, _M_end_of_storage = block + 5 }
  region:close()
  expect.absent "V"
end)

case("accepts: a template is described after another template used it as a member [TR14-2.3-05]", function()
  declare [[
    template<class T> struct impl { T *s; int n; };
    template<class T> class vector { impl<T> m; };
    vector<float> V;
  ]]
  host.V.m = { n = 2, s = { 1, 2 } }
  acc "shape type(impl) include(s[0:n])"
  acc "data copyin(V)" (function() expect.equal(#state().present, 2) end)
end)
