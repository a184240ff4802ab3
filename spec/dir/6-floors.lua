-- Floors: data of enter data that were fused with data of a level, and what is left when one of them ends.
scenario { title = "DIR 6: floors", rules = "directory" }

declare "float a[2000], b[20]; float *c, *q;"
for i = 0, 1999 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end
host.c, host.q = addr "a[25]", addr "a[0]"

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

-- When an original tuple ends, the ranges that it connected are separate again. No other data are lost.

case("accepts: data that one range connected are separate again without the range [DIR-6-02]", function()
  acc "enter data copyin(a[0:10])"
  acc "enter data copyin(c[0:5])" -- a[25:5]
  for k = 1, 3 do
    expect.equal(#state().floor, 2)
    acc "enter data copyin(a[50:10])"
    expect.equal(tuples(state().floor), { "ALLOC a[0:60] of a[0:10] c[0:5] a[50:10]" })
    acc "parallel present(a[50:10])" "a[0] = a[0] + a[50]; a[25] = a[0];"
    acc "exit data delete(a[50:10])"
    expect.equal(#state().floor, 2)
    expect.device("a[0:2]", { 50 * k, 1 })
    expect.device("c[0:2]", { 50 * k, 26 })
    expect.fails("out-of-bounds", function() acc "parallel present(a[0:10])" "a[25] = 1;" end)
  end
  acc "exit data copyout(c[0:5], a[0:10])"
  expect.host("a[25]", 150)
  expect.equal(#state().present, 0)
end)

case("accepts: ranges are separate again when the clause that joined them ends [DIR-4.3-04]", function()
  host.q = addr "a[10]"
  acc "data copyin(a[0:10])" (function()
    acc "enter data copyin(q[0:10])"
    local first, second = acc_deviceptr "a[0]", acc_deviceptr "a[10]"
    for _, clause in ipairs { "present", "pcopy", "copyin", "update_and_copy" } do
      acc(("data %s(c[-20:10])"):format(clause))(function() -- a[5:10]
        expect(acc_deviceptr "a[10]" == acc_deviceptr "a[0]" + 10)
        acc "parallel" "a[5] = a[5] + 1; a[14] = a[5];"
      end)
      expect(acc_deviceptr "a[0]" == first and acc_deviceptr "a[10]" == second)
    end
    expect.device("a[5]", 6) -- the last clause sent the value of the host
    expect.device("q[4]", 6)
    expect.accepts "exit data delete(q[0:10])"
  end)
end)

case("differs: data that an open clause joined stay present until its end [DIR-4.3-04]", function()
  acc "enter data copyin(a[0:10])"
  expect.accepts("data copyin(b)", function()
    acc "data present(a[2:5]) copyin(a[20:5])" (function()
      acc "exit data delete(a[0:10])"
      acc "parallel" "a[2] = a[20];"
      expect.device("a[2]", 20)
    end)
    expect.absent "a"
  end)
end)
