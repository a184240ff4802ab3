-- Queues that work on their own, where the device can do that. The results are those of program order, but fetched
-- data reach the host at the wait. Other devices do the work at once, with the same results.
scenario { title = "OpenACC 2.16: concurrent queues", async = "concurrent", devices = 2 }

declare [[
  struct node { int n; float *a; };
  struct node X;
  float a[4] = { 1, 2, 3, 4 }, b[4], large[3][20000];
  int t[8], sum;
]]
host.X = { n = 3, a = { 1, 2, 3 } }

case("accepts: the device gets the values that the host held at the construct [ACC33-async-2]", function()
  acc "enter data copyin(a, large) async(1)"
  host.a[0], host.large[0][5], host.large[2][5] = 10, 20, 30
  acc "update device(large[0:1], large[2:1]) async(2)"
  host.large[0][5], host.large[2][5] = 40, 50
  acc "wait"
  expect.device("a[0]", 1)
  expect.device("large[0][5]", 20)
  expect.device("large[2][5]", 30)
end)

case("accepts: the host gets the values that the device held, whatever follows [ACC33-async-2]", function()
  acc "enter data copyin(a)"
  acc "parallel present(a) async(1)" "a[0] = 10;"
  acc "update self(a) async(2)"
  acc "parallel present(a) async(3)" "a[0] = 20;"
  acc "wait(2)"
  expect.host("a[0]", 10)
  acc "exit data copyout(a) async(1)"
  expect.absent "a"
  acc "wait(1)"
  expect.host("a[0]", 20)
end)

case("accepts: kernels run in queues in program order [ACC33-async-2]", function()
  expect.moves(function()
    acc "data copy(a) create(b) async(1)" (function()
      acc "parallel loop present(a, b) async(1)" "for (int i = 0; i < 4; i++) b[i] = 2 * a[i];"
      acc "parallel loop present(a, b) async(2)" "for (int i = 0; i < 4; i++) a[i] = b[i] + 1;"
    end)
  end, { h2d = { count = 1, bytes = 16 }, d2h = { count = 1, bytes = 16 } })
  acc "parallel copy(X, X.a[0:3]) async(2)" "for (int i = 0; i < X.n; i++) X.a[i] += 10;"
  acc "wait"
  expect.host("a[0:4]", { 3, 5, 7, 9 })
  expect.host("X.a[0:3]", { 11, 12, 13 })
end)

case("accepts: kernels in queues have private and reduced variables [ACC33-async-2]", function()
  expect.moves(function() acc "enter data copyin(t)" end, { h2d = { count = 1, bytes = 32 }, d2h = 0 })
  host.sum = 5
  acc "parallel loop present(t) private(b) firstprivate(sum) async(1)"
    "for (int i = 0; i < 8; i++) { b[0] = i; t[i] = b[0] + sum; }"
  host.sum = 0
  acc "parallel loop present(t) copy(sum) reduction(+: sum) async(2)" "for (int i = 0; i < 8; i++) sum += t[i];"
  acc "update self(t)"
  acc "wait"
  expect.host("t[0:3]", { 5, 6, 7 })
  expect.host("sum", 68)
end)

case("accepts: pointers are attached in any queue [ACC33-async-2]", function()
  acc "enter data copyin(X) async(1)"
  acc "enter data copyin(X.a[0:3]) async(2)"
  expect.attached("X.a", 1)
  acc "parallel present(X) async(3)" "for (int i = 0; i < X.n; i++) X.a[i] += 1;"
  acc "update self(X.a[0:3]) async(1)"
  acc "exit data delete(X.a[0:3], X) finalize async(2)"
  acc "wait"
  expect.host("X.a[0:3]", { 2, 3, 4 })
  expect.equal(#state().present, 0)
end)

case("accepts: data are unmapped while queues use them [ACC33-async-4]", function()
  acc "enter data copyin(a, b)"
  acc "parallel present(a, b) async(1)" "b[0] = a[0] + 6;"
  acc "update self(b) async(2)"
  acc "exit data delete(a, b)"
  acc "enter data create(a, b)"
  expect.uninitialized "b"
  acc "wait"
  expect.host("b[0]", 7)
  local d = acc_malloc(16)
  acc_memcpy_to_device_async(d, addr "a[0]", 16, 1)
  acc_memcpy_from_device_async(addr "b[0]", d, 16, 2)
  acc_free(d)
  acc "wait"
  expect.host("b[1]", 2)
end)

case("rejects: an error in a kernel of a queue is reported at the wait or before"
  .. " [ACC33-async-2 HOUSE-scenario]", function()
  acc "enter data copyin(a, b, t)"
  local function at_the_wait(code, text)
    expect.fails(code, function()
      acc "parallel present(a, b, t) async(1)"(text)
      acc "wait(1)"
    end)
    acc "wait"
    expect.device("a[0:2]", { 1, 2 })
  end
  at_the_wait("out-of-bounds", "a[0] = 50; a[4] = 0;")
  at_the_wait("scenario-error", "a[0] = 50; t[0] = 1 / t[1];")
  acc "enter data create(large)"
  at_the_wait("uninitialized-read", "a[1] = 50; a[0] = large[0][0];")
  -- a directive that needs the memory reports the error, too, and does nothing
  expect.fails("out-of-bounds", function()
    acc "parallel present(a) async(1)" "a[0] = 50; a[4] = 0;"
    acc "exit data copyout(a) async(2)"
    acc "wait"
  end)
  acc "wait"
  expect.host("a[0]", 1)
end)

case("differs: a thread reads a value before another thread writes it [ACC33-async-2]", function()
  acc "enter data create(t) copyin(sum)"
  expect.fails("uninitialized-read", function()
    acc "parallel loop present(t, sum) async(1)"
      "for (int i = 0; i < 8; i++) { if (i == 0) sum = t[7]; else t[i] = i; }"
    acc "wait"
  end)
  acc "parallel loop seq present(t) async(1)" "for (int i = 0; i < 8; i++) t[i] = i > 0 ? t[i - 1] + i : 0;"
  acc "wait"
  expect.device("t[7]", 28)
end)

case("accepts: a wait in a queue also holds across devices [ACC33-async-3]", function()
  acc "enter data copyin(a)"
  acc "parallel present(a) async(1)" "a[0] = 10;"
  acc "update self(a) async(1)"
  expect.accepts "set device_num(1)"
  acc "wait(devnum: 0: 1) async(1)"
  acc "enter data copyin(a) async(1)"
  acc "parallel present(a) async(1)" "a[0] += 1;"
  acc "update self(a) async(2) wait(1)"
  acc "wait(2)"
  expect.host("a[0]", 11)
  expect.accepts "set device_num(0)"
  acc "wait(devnum: 1: 1)"
  acc "update device(a)"
  expect.device("a[0]", 11)
end)

case("rejects: a wait argument names no device or queue [ACC33-async-3]", function()
  acc "enter data copyin(a) async(1)"
  expect.fails("no-device", function() acc "wait(devnum: 2: 1)" end)
  expect.fails("invalid-async", function() acc "wait(-3)" end)
  expect.fails("not-present", function() acc "update self(a, b) async(1)" end)
  acc "wait"
  expect.device("a[0]", 1)
end)

case("accepts: repeated tests of a queue come to an end [ACC33-async-5]", function()
  expect.moves(function() acc "enter data copyin(a) async(1)" end, { h2d = { count = 1, bytes = 16 }, d2h = 0 })
  acc "parallel present(a) async(1)" "a[0] = 5;"
  acc "update self(a) async(2)"
  acc "wait(2) async(3)"
  local times = 0
  while not (acc_async_test(3) and acc_async_test_all()) do
    times = times + 1
    expect(times < 1000000)
  end
  expect.host("a[0]", 5)
end)
