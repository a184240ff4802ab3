-- Sections that a deep copy reaches through a pointer are tuples, too. Their base is the value of the pointer.
scenario { title = "DIR 4.2: sections of deep copies", rules = "directory" }

declare [[
  float a[2000]; float *q;
  struct deep { int n; float *v;
      #pragma acc shape init_needed(n) include(v[0:n])
  };
  struct deep X, Y;
]]
for i = 0, 1999 do host.a[i] = i end
host.q = addr "a[0]"

case("accepts: a section of a deep copy fuses with another section of the same pointer [DIR-2-01]", function()
  host.X = { n = 4, v = addr "a[0]" }
  acc "data copy(X)" (function()
    acc "data copyin(q[10:5])" (function()
      expect.equal(tuples(state().levels[2].original), { "copyin q[10:5]" })
      expect(acc_deviceptr "a[14]" == acc_deviceptr "a[0]" + 14)
      acc "parallel present(X)" "X.v[1] = X.v[14];"
      expect.attached("X.v", 1)
    end)
    expect.device("a[1]", 14)
    acc "parallel present(X)" "X.v[2] = X.v[1];"
    expect.fails("out-of-bounds", function() acc "parallel present(X)" "float x = X.v[14];" end)
  end)
  expect.host("a[0:4]", { 0, 14, 14, 3 })
  expect(host.X.v == addr "a[0]")
end)

case("accepts: a structure is updated, copied out and mapped again while its section is fused [DIR-2-01]", function()
  host.X = { n = 4, v = addr "a[0]" }
  acc "enter data copyin(X)"
  acc "data copyin(q[10:5])" (function()
    acc "parallel present(X)" "X.v[0] = X.v[14]; X.v[3] = -3;"
    acc "update self(X)"
    expect.host("a[0:4]", { 14, 1, 2, -3 })
    host.a[1] = -1
    acc "update device(X)"
    expect.device("a[1]", -1)
    acc "parallel present(X)" "X.v[2] = X.v[1];"
    acc "exit data copyout(X)"
    expect.host("a[0:4]", { 14, -1, -1, -3 })
    expect(host.X.v == addr "a[0]")
    expect.absent "X"
    expect.absent "a[0:4]"
    acc "enter data copyin(X)"
    expect.attached("X.v", 1)
    acc "parallel present(X)" "X.v[0] = X.v[13];"
  end)
  expect.attached("X.v", 1)
  acc "parallel present(X)" "X.v[1] = X.v[0];"
  acc "exit data copyout(X)"
  expect.host("a[0:2]", { 13, 13 })
  expect.equal(#state().present, 0)
end)

case("accepts: many pointers each map a section of one array [DIR-2-01]", function()
  declare [[
    struct row { int from, n; float *v;
        #pragma acc shape include(v[from:n])
    };
    struct row Z[6];
  ]]
  for k = 0, 5 do host.Z[k].from, host.Z[k].n, host.Z[k].v = 20 * k, 3, addr "a[0]" end
  acc "data copy(Z)" (function() -- each has base a[0]
    expect.equal(#state().levels[1].artificial, 2)
    expect(acc_deviceptr "a[100]" == acc_deviceptr "a[0]" + 100)
    acc "data copyin(a[150:5])" (function()
      acc "parallel present(Z)" "for (int k = 0; k < 6; k++) Z[k].v[20 * k] = Z[5 - k].v[150];"
    end)
    for k = 0, 5 do expect.attached(("Z[%d].v"):format(k), 1) end
    acc "parallel present(Z)" "Z[0].v[1] = Z[0].v[0];"
  end)
  for k = 0, 5 do expect.host(("a[%d]"):format(20 * k), 150) end
  expect.host("a[1:2]", { 150, 2 })
end)

case("accepts: a structure is mapped where its sections overlap others [DIR-2-01]", function()
  host.X = { n = 4, v = addr "a[10]" }
  acc "data copyin(a[0:5], a[20:5])" (function()
    acc "data copy(X)" (function() -- X.v[0:4] is a[10:4], in the hole
      expect.attached("X.v", 1)
      expect(acc_deviceptr "a[10]" == acc_deviceptr "a[0]" + 10)
      acc "parallel present(X)" "X.v[3] = X.v[-10] + 1;"
    end)
    expect.host("a[13]", 1)
    expect.absent "a[10:4]"
  end)
end)

case("rejects: sections of different pointers stay separate, and overlap in part [DIR-2-01 DIR-4.2-03]", function()
  host.X, host.Y = { n = 4, v = addr "a[0]" }, { n = 4, v = addr "a[50]" }
  acc "data copyin(X, Y)" (function()
    expect.moves(function()
      acc "data copyin(q[50:4])" (function() expect.equal(#state().levels, 2) end)
    end, { h2d = 0 })
    expect.fails("out-of-bounds", function() acc "parallel present(X)" "float x = X.v[50];" end)
  end)
  host.Y.v = addr "a[2]"
  expect.fails("partial-overlap", function() acc "data copyin(X, Y)" end)
end)
