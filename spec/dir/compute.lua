-- A compute construct is a level of the directory, with explicit and implicit clauses.
scenario { title = "DIR: compute constructs", rules = "directory" }

declare "float a[2000], b[20]; float *c, *q;"
for i = 0, 1999 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end
host.c, host.q = addr "a[25]", addr "a[0]"

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
