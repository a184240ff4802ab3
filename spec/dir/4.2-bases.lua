-- Bases of tuples: rows, elements of structures, addresses, aliases of another type.
scenario { title = "DIR 4.2: bases", rules = "directory" }

declare [[
  float a[2000], b[20], m[8][4]; int yes = 1, no = 0;
  struct link { int n; float *v; };
  struct link S, N[8];
  struct deep { int n; float *v;
      #pragma acc shape init_needed(n) include(v[0:n])
  };
  struct deep X;
]]
for i = 0, 1999 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end
for i = 0, 31 do host.m[i // 4][i % 4] = i end

case("accepts: rows of a matrix and elements of an array of structures fuse [DIR-4.2-08]", function()
  acc "data copyin(m[0:2], N[0:2])" (function()
    acc "data copyin(m[5:2], N[6:1])" (function()
      expect(acc_deviceptr "m[6][3]" == acc_deviceptr "m[0][0]" + 27)
      acc "parallel" "m[0][0] = m[6][3]; N[1].n = N[6].n;"
      expect.device("m[0][0]", 27)
    end)
  end)
end)

case("accepts: a routine takes an address as base [DIR-4.2-08]", function()
  acc_copyin "a[0:20]"
  acc_copyin "a[50:20]"
  expect.equal(#state().floor, 2)
  acc_copyin(addr "a[0]", 4) -- inside, the same base, nothing new
  acc_delete(addr "a[0]", 4)
  acc "data copyin(a[100:5])" (function() -- the base of acc_copyin(a[0:20])
    expect(acc_deviceptr "a[100]" == acc_deviceptr "a[0]" + 100)
    expect.equal(#state().levels[1].artificial, 1) -- a[50:20] lies in a[0:105]
    expect(acc_deviceptr "a[69]" == acc_deviceptr "a[0]" + 69)
  end)
  expect.equal(#state().floor, 2)
  acc_delete "a[50:20]"
  acc_copyout "a[0:20]"
  expect.equal(#state().present, 0)
end)

case("accepts: an alias of another type fuses [DIR-4.2-08]", function()
  declare "double *d; char *t;"
  host.d, host.t = addr "a[0]", addr "a[0]"
  acc "data copyin(a[0:20])" (function()
    acc "data copyin(d[25:10]) create(t[120:3])" (function() -- a[50:20], a[30]
      expect.equal(tuples(state().levels[2].artificial), { "ALLOC a[0:70] of a[0:20] t[120:3] d[25:10]" })
      expect(acc_deviceptr "a[50]" == acc_deviceptr "a[0]" + 50)
      expect.device("a[69]", 69)
    end)
  end)
end)

case("differs: separate variables have separate bases [DIR-4.2-08]", function()
  acc "data copyin(S, X.n, b, yes, no)" (function()
    expect.equal(#state().levels[1].artificial, #state().present)
    expect.equal(#state().levels[1].original, 5)
  end)
end)
