-- Mutable deep copy: pointees that are present before or after their object, containers that grow, conditions.
scenario { title = "TR14 4.3: mutable deep copy", rules = "tr14" }

declare [[
  struct deep { int n, m; float *a, *b;
      #pragma acc shape init_needed(n) include(a[0:n], b[0:n])
      #pragma acc shape(flat) exclude(a, b)
      #pragma acc shape(only_a) exclude(b)
      #pragma acc shape(no_m) exclude(m)
  };
  struct deep X, Y;
  struct row { int n; float *p;
      #pragma acc shape include(p[0:n])
  };
  struct row rows[50];
  float v[4] = { 1, 2, 3, 4 };
]]
host.X = { n = 2, m = 5, a = { 1, 2 }, b = { 3, 4 } }
for k = 0, 49 do host.rows[k] = { n = 2, p = { k, k } } end

case("accepts: the pointee of a member is present and used, bottom-up [TR14-4.3-01]", function()
  acc_copyin "X.a[0:2]"
  acc_copyin "X.b[0:2]"
  host.X.a[0] = 10
  expect.events(function() acc "enter data copyin(X)" end, { "alloc X", "h2d X", "attach X.a", "attach X.b",
    "incref X", "incref X.a[0:2]", "incref X.b[0:2]" })
  expect.device("X.a[0]", 1)
  acc "data invoke<>(X)::{ default(exclude) present(a[0:n], b[0:n]) }" (function()
    expect.attached("X.b", 2)
  end)
end)

case("rejects: the pointee of a member is partly present, bottom-up [TR14-4.3-01 TR14-4.2-03]", function()
  acc_copyin "X.a[0:1]"
  expect.fails("partially-present", function() acc "enter data copyin(X)" end)
  expect.fails("not-present", function() acc "data invoke<>(X)::{ default(exclude) present(b[0:n]) }" end)
  expect.absent "X"
end)

case("accepts: presence of pointees and attachments of each object show what is included [TR14-4.3-03]",
  function()
    host.Y = { n = 2, a = host "X.a", b = host "X.b" }
    acc "data copyin<only_a>(X) copyin<flat>(Y)" (function()
      expect.equal(#state().present, 3) -- excluded members have no entry
      expect.attached("X.a", 1)
      expect.detached "Y.a" -- although its target is there
      acc "data copyin<only_a>(Y)" (function()
        expect.attached("Y.a", 1)
        expect.attached("X.a", 1)
      end)
      expect.detached "Y.a"
    end)
  end)

case("rejects: a direct member is not added later, and no clause marks members as mutable"
  .. " [TR14-4.3-03 TR14-3.1.1-03]", function()
  acc "data copyin<no_m>(X)" (function()
    expect.accepts("data copyin(X)", function()
      expect.fails("excluded-member", function() acc "parallel present(X)" "int x = X.m;" end)
    end)
  end)
  expect.invalid("acc shape(s) type(struct deep) dynamic(a)", "unknown-clause")
  expect.invalid("acc shape(s) type(struct deep) mutable(a)", "unknown-clause")
end)

case("accepts: kernels and the program have device memory of their own [TR14-4.3-06]", function()
  local own = acc_malloc(16)
  acc_memcpy_to_device(own, addr "v[0]", 16)
  acc_free(own)
  expect.moves(function()
    acc "data copy(X)" (function()
      acc "parallel present(X)" [[
        float temporary[2];
        for (int k = 0; k < X.n; ++k) temporary[k] = 2 * X.a[k];
        X.b[0] = temporary[0] + temporary[1];
      ]]
    end)
  end, { h2d = { count = 3, bytes = 40 }, d2h = { count = 3, bytes = 24 } })
  expect.host("X.b[0]", 6)
end)

case("rejects: a program frees or replaces memory that mirrors host objects [TR14-4.3-06 ACC33-3.2.16-1]", function()
  acc "data copy(X)" (function()
    expect.fails("already-present", function() acc_free(acc_deviceptr "X.a[0:2]") end)
    expect.fails("unknown-name", function() acc "parallel present(X)" "free(X.a);" end)
    expect.fails("unknown-name", function() acc "parallel present(X)" "X.a = malloc(8);" end)
    expect.fails("device-pointer-on-host", function()
      acc "parallel present(X)" (function(d) free(d.X.a) end)
    end)
    expect.fails("pointer-changed", function()
      acc "parallel present(X)" "float own[2]; X.a = own;"
    end)
    expect.device("X.a[1]", 2)
  end)
end)

-- A container with reserved room. It counts its elements with a number or by its end.
local function container()
  declare [[
    struct stack { float *base, *end; int used, room;
        #pragma acc shape include(base[0:room], end[@base])
        #pragma acc shape(valid) include(base[0:used])
    };
    struct stack S;
  ]]
  host.S = { base = { 1, 2, 0, 0 }, used = 2, room = 4 }
  host.S["end"] = host.S.base + 2
end

case("accepts: a container grows between regions, or into reserved and moved room [TR14-4.3-07]", function()
  container()
  acc "data copy(S)" (function()
    acc "parallel present(S)" "S.base[S.used++] = 3;"
  end)
  expect.host("S.base[0:4]", { 1, 2, 3, 0 })
  expect.host("S.used", 3)
  local old = host "S.base"
  host.S = { base = { 1, 2, 3, 4, 5, 6 }, used = 5, room = 6 }
  host.S["end"] = host.S.base + 5
  free(old)
  acc "data copy(S)" (function() expect.device("S.end[-1]", 5) end)
end)

case("rejects: a container grows in a region beyond what moved, or changes its end"
  .. " [TR14-4.3-07 TR14-4.3-04]", function()
  container()
  acc "data copy<valid>(S)" (function()
    expect.fails("out-of-bounds", function() acc "parallel present<valid>(S)" "S.base[S.used] = 3;" end)
  end)
  local old = host "S.base"
  local region = acc "data copy(S)"
  expect.fails("pointer-changed", function() acc "parallel present(S)" "*S.end++ = 3;" end)
  host.S.base = { 1, 2, 3, 4, 5 }
  expect.fails("pointer-changed", function() region:close() end)
  host.S.base = old
  region:close()
end)

case("accepts: sections of length 0 replace conditions [TR14-4.3-08]", function()
  declare [[
    struct tagged { int is_float; union { float *f; int *i; };
        #pragma acc shape include(f[0:is_float ? 2 : 0], i[0:is_float ? 0 : 3])
    };
    struct tagged T;
  ]]
  host.T = { is_float = 0, i = { 1, 2, 3 } }
  acc "data copyin(T)" (function()
    expect.present "T.i[0:3]"
    expect.device("T.i[2]", 3)
    expect.equal(#state().present, 2)
  end)
  host.T = { is_float = 1, f = { 4, 5 } }
  acc "data copyin(T)" (function()
    expect.device("T.f[1]", 5)
    expect.equal(state().present[2].bytes, 8)
  end)
end)

case("rejects: a shape has a condition, or its clause applies to a null pointer [TR14-4.3-08 ACC33-2.7-2]", function()
  expect.invalid("acc shape(s) type(struct deep) include(a[0:n]) if(n)", "clause-not-allowed")
  host.rows[30].p = NULL
  expect.fails("null-pointer", function() acc "data copyin(rows)" end)
  host.rows[30].n = 0
  acc "data copyin(rows)" (function()
    expect.detached "rows[30].p"
    expect.attached("rows[31].p", 1)
  end)
end)
