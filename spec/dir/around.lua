-- What the document leaves open around its directives, and how it is read here: deep copies, other bases, routines,
-- compute constructs, and the end of a device.
scenario { title = "DIR: deep copies, routines and compute constructs", rules = "directory", devices = 2 }

declare [[
  float a[2000], b[20], m[8][4]; float *c, *q; int yes = 1, no = 0;
  struct link { int n; float *v; };
  struct link S, N[8];
  struct deep { int n; float *v;
      #pragma acc shape init_needed(n) include(v[0:n])
  };
  struct deep X, Y;
]]
for i = 0, 1999 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end
for i = 0, 31 do host.m[i // 4][i % 4] = i end
host.c, host.q = addr "a[25]", addr "a[0]"

-- ------------------------------------------------------------------------------------ deep copies --
-- A section that a deep copy reaches through a pointer is a tuple, too. Its base is the value of the pointer.

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

-- ----------------------------------------------------------------------------- other bases --

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

-- ---------------------------------------------------------------------------------- routines --

case("accepts: routines treat a fused block as one object, as present does [DIR-4.2-10]", function()
  acc "data copyin(a[0:10]) copyin(a[10:10])" (function()
    expect(acc_is_present "a[0:20]")
    expect(acc_is_present(addr "a[5]", 40))
    expect(acc_deviceptr "a[15]" == acc_deviceptr "a[5]" + 10)
    expect(acc_hostptr(acc_deviceptr "a[15]") == addr "a[15]")
    expect.accepts("data present(a[5:10])", function() acc "parallel" "a[5] = a[14];" end)
    acc_update_self(addr "a[5]", 40)
    expect.host("a[5]", 14)
    host.a[9], host.a[10] = -9, -10
    acc_update_device(addr "a[5]", 40)
    expect.device("a[9:2]", { -9, -10 })
  end)
end)

case("rejects: routines name holes or adjacent ranges [DIR-4.2-10 DIR-4.2-03]", function()
  acc "data copyin(a[0:10], a[20:10])" (function()
    expect(not acc_is_present "a[0:11]")
    expect(not acc_is_present "a[12:5]")
    expect(acc_deviceptr "a[12]" == NULL)
    expect(acc_hostptr(acc_deviceptr "a[0]" + 12) == NULL)
    expect.fails("partially-present", function() acc_update_self "a[0:11]" end)
    expect.fails("not-present", function() acc_update_device "a[10:5]" end)
    expect.fails("partial-overlap", function() acc_copyin "a[5:10]" end)
    expect.fails("partial-overlap", function() acc_create "a[0:30]" end)
    expect.fails("not-present", function() acc_copyout "a[0:10]" end) -- the level's
    expect.fails("partially-present", function() acc_delete "a[5:10]" end)
  end)
end)

case("accepts: data that a program placed itself move into the fused block and back [DIR-4.2-15]", function()
  local mine = acc_malloc(40)
  acc_map_data(addr "a[20]", mine, 40)
  acc "update device(a[20:10])"
  acc "data copyin(a[0:10], a[50:20])" (function()
    expect(acc_deviceptr "a[20]" == acc_deviceptr "a[0]" + 20)
    acc "parallel" "a[20] = a[29] + a[69];"
  end)
  expect(acc_deviceptr "a[20]" == mine)
  expect.device("a[20:2]", { 98, 21 })
  acc_unmap_data(addr "a[20]")
  acc_free(mine)
end)

case("differs: only fusion moves data within the device [DIR-4.2-15]", function()
  expect.moves(function()
    acc "data copyin(a[0:20])" (function()
      expect.moves(function()
        acc "update self(a[0:20])"
        acc "update device(a[5:5])"
        acc "enter data copyin(b)"
        expect.accepts "exit data delete(b)"
        expect.accepts "parallel present(a[0:20])"
        acc "data copyin(c[0:5])" (function() end)
        expect.accepts "data no_create(a[50:20])"
        expect.accepts "data copyin(a[50:20]) if(no)"
      end, { d2d = 0 })
    end)
  end, { h2d = { count = 4, bytes = 200 }, d2h = { count = 1, bytes = 80 } })
end)

case("rejects: exit data or unmapping names data that a program placed and that are in use [DIR-4.2-15 DIR-6-01]",
  function()
    local mine = acc_malloc(40)
    acc_map_data(addr "a[20]", mine, 40)
    expect.fails("not-present", function() acc "exit data delete(a[20:10])" end)
    expect.accepts("data copyin(a[0:10], a[50:20])", function()
      expect.fails("not-present", function() acc "exit data copyout(a[20:10])" end)
    end)
    acc "data present(a[20:10])" (function()
      expect.fails("already-present", function() acc_unmap_data(addr "a[20]") end)
    end)
    acc_unmap_data(addr "a[20]")
    expect.absent "a"
    acc_free(mine)
  end)

-- ----------------------------------------------------------------------------- compute constructs --

case("accepts: a compute construct is a level, and its clauses fuse while it runs [DIR-4.1-01]", function()
  acc "data copy(a[0:20])" (function()
    local before = acc_deviceptr "a[0]"
    acc "parallel copyin(a[50:20]) copyout(a[100:2])" [[
      a[0] = a[50] + a[69];
      a[100] = a[0];
      a[101] = 1;
    ]]
    expect.host("a[100:2]", { 119, 1 })
    expect.device("a[0]", 119)
    expect(acc_deviceptr "a[0]" == before)
    expect.absent "a[50:20]"
  end)
end)

case("accepts: a present clause fuses data if its name has the base of other data [DIR-4.1-01]", function()
  acc "data copyin(a[0:10]) copy(c[0:10])" (function()
    expect.equal(#state().levels[1].artificial, 2)
    expect.moves(function()
      acc "parallel present(q[25:10])" "q[25] = q[0] + q[34];"
    end, { h2d = 0, d2h = 0, d2d = { bytes = 160 } })
    expect.moves(function() acc "parallel present(c[0:10])" "c[1] = -1;" end, { d2d = 0 })
    expect.equal(#state().levels[1].artificial, 2)
  end)
  expect.host("a[25:2]", { 34, -1 })
end)

case("differs: a kernel that fails leaves the data as they were [DIR-4.1-01]", function()
  acc "data copy(a[0:20])" (function()
    local before = acc_deviceptr "a[0]"
    expect.fails("uninitialized-read", function()
      acc "parallel copy(a[50:20])" "a[0] = 5; a[50] = a[30];"
    end)
    expect.fails("out-of-bounds", function() acc "parallel copy(a[50:20])" "a[0] = 5; a[70] = 1;" end)
    expect(acc_deviceptr "a[0]" == before)
    expect.device("a[0]", 0)
    expect.absent "a[50:20]"
    expect.equal(#state().levels, 1)
  end)
end)

case("accepts: an array without a clause is wholly present [DIR-4.2-06]", function()
  acc "enter data copyin(b)"
  acc "parallel" "b[0] = 1;"
  expect.device("b[0]", 1)
  expect.host("b[0]", 0)
end)

case("rejects: an array without a clause is partly present, so the implicit copy overlaps [DIR-4.2-03]",
  function()
    acc "enter data copyin(a[0:20])"
    expect.fails("partial-overlap", function() acc "parallel" "a[0] = 1;" end)
    expect.accepts("parallel present(a[0:20])", "a[0] = 1;")
  end)

-- ------------------------------------------------------------------------------------- the end --

case("accepts: shutdown forgets the data of enter data [DIR-6-01]", function()
  expect.moves(function()
    acc "enter data copyin(a[0:20], a[50:20], c[0:5], b)"
  end, { h2d = { count = 4, bytes = 260 }, d2h = 0 })
  acc "enter data copyin(b[0:5]) pcreate(a[0:2])"
  expect.count("b", { dynamic = 2 })
  acc "shutdown"
  expect.equal(#state().present, 0)
  expect.equal(tuples(state().dynamic), {})
  acc "enter data copyin(a[10:20])"
  expect.accepts "exit data delete(a[10:20])"
end)

case("accepts: shutdown unmaps data that only a dropped clause kept [DIR-6-01]", function()
  expect.accepts("data copyin(a[0:20])", function() acc "enter data pcopyin(a[0:20])" end)
  expect.present "a[0:20]"
  acc "shutdown"
  expect.absent "a[0:20]"
end)

case("rejects: shutdown happens while a level is open [DIR-6-01]", function()
  acc "enter data copyin(b)"
  expect.present "b"
  acc "data copyin(a[0:20])" (function()
    expect.fails("region-nesting", function() acc "shutdown" end)
  end)
  acc "shutdown"
  expect.fails("not-present", function() acc "exit data delete(b)" end)
end)

case("accepts: a region maps data into a hole of the floor below [DIR-4.2-17]", function()
  acc "enter data copyin(a[0:10], a[50:10])"
  acc "data copy(c[0:5])" (function() -- a[25:5]
    expect.equal(tuples(state().levels[1].artificial), { "ALIAS a[0:60] of a[0:60] c[0:5]" })
    acc "parallel" "c[0] = -1;"
    acc "exit data delete(a[0:10], a[50:10])"
    expect.device("c[0:2]", { -1, 26 })
    expect.absent "a[0:25]"
    acc "parallel" "c[1] = -2;"
  end)
  expect.host("a[25:2]", { -1, -2 })
  expect.equal(#state().present, 0)
end)

case("rejects: two ranges overlap in a hole of the floor below [DIR-4.2-17 DIR-4.2-03]", function()
  acc "enter data copyin(a[0:10], a[50:10])"
  expect.present "a[50:10]"
  acc "data copy(c[0:5])" (function()
    expect.fails("partial-overlap", function() acc "enter data create(a[28:5])" end)
    acc "enter data create(a[30:5])"
    expect.uninitialized "a[30:5]"
    acc "exit data delete(a[30:5])"
    expect.absent "a[30:5]"
  end)
end)

case("accepts: data of a floor keep their values when a level below ends [DIR-6-02]", function()
  acc "data copy(a[0:10], a[50:10])" (function()
    acc "enter data copyin(c[0:5])" -- in the hole of the level's block
    acc "parallel present(c[0:5])" "c[0] = -1; a[0] = -2;"
  end)
  expect.host("a[0]", -2)
  expect.absent "a[0:25]"
  expect.device("c[0:5]", { -1, 26, 27, 28, 29 })
  acc "exit data copyout(c[0:5])"
  expect.host("a[25]", -1)
end)

case("differs: the own data of the level are unmapped [DIR-6-02]", function()
  expect.accepts("data copy(a[0:10], a[50:10])", function() acc "enter data copyin(c[0:5])" end)
  expect.absent "a[0:25]"
  expect.absent "a[30:30]"
  expect.fails("out-of-bounds", function() acc "parallel present(c[0:5])" "c[5] = 1;" end)
  acc "exit data delete(c[0:5])"
  expect.equal(#state().present, 0)
end)
