scenario { title = "Programs", rules = "openacc-3.3" }

declare [[
  typedef struct { int n; float *a; } vector;
  struct pair { vector first, second; };
  vector X;
  struct pair P;
  double v[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  char tag;
]]
host.X = { n = 3, a = { 1, 2, 0.5 } }

case("values, presence, kernels", function()
  acc "data copy(X, X.a[0:X.n])" (function()
    expect.present "X.a[0:3]"
    acc "parallel present(X)" [[
      for (int i = 0; i < X.n; i++)
        X.a[i] += 10;
    ]]
    acc "parallel loop" "for (int i = 0; i < 2; i++) X.a[i] *= 2;"
    expect.device("X.a[1]", 24)
    expect.host("X.a[1]", 2)
  end)
  expect.host("X.a[0:3]", { 22, 24, 10.5 })
  expect.absent "X"
end)

case("memory that the script makes and writes", function()
  local block = alloc("struct pair", 2)
  block[1].second = { n = 2, a = host.X.a + 1 }
  host.P.first.a = { 5, 6 }
  host.tag = -3
  host.v[2] = 30
  expect.equal(block[1].second.a[0], 2)
  expect.equal(host.P, { first = { a = { 5, 6 } } })
  free(block)
  for i = 0, 7 do host.v[i] = -i / 3 end
  acc "enter data copyin(v)"
  expect.host("v[6:2]", { -2, -7 / 3 })
end)

case("routines", function()
  local d = acc_malloc(16)
  acc_memcpy_to_device(d, addr "v[4]", 16)
  acc_memcpy_from_device(addr "v[0]", d, 16)
  acc_free(d)
  acc_copyin "v"
  expect(acc_is_present("v[3:2]"))
  expect(acc_deviceptr "v[2]" ~= NULL)
  acc "host_data use_device(v)" (function()
    acc_memcpy_from_device(alloc("double", 1), addr "v[2]", 8)
  end)
end)

case("an error ends the program", function()
  acc "enter data copyin(v[0:4])"
  expect.fails("partially-present", function()
    acc "data copyin(X)" (function() acc "enter data copyin(v[2:4])" end)
  end)
  expect.count("v", { dynamic = 1 })
end)

case("a region that is left step by step", function()
  local outer = acc "data copyin(v)"
  acc "data present(v[1:2]) if(1)"
  acc "update self(v[0:1]) async(1)"
  acc "end data"
  outer:close()
end)
