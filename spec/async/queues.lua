-- Queues, whenever they do their work: all cases hold at once and delayed (accdeep run --async delayed).
scenario { title = "OpenACC 2.16: asynchronous behaviour", devices = 2 }

declare [[
  struct node { int n; float *a; };
  struct node X;
  float a[4] = { 1, 2, 3, 4 }, b[4], c[4];
  int n = 4, queue = 3;
]]
host.X = { n = 3, a = { 1, 2, 3 } }

case("accepts: async takes nothing, a number or an expression, or uses the default queue [ACC33-async-1]", function()
  acc "enter data copyin(a) async"
  acc "wait"
  expect.accepts "update device(a) async(queue + 1)"
  acc "wait(queue + 1)"
  expect.device("a[0]", 1)
  acc "set default_async(queue)"
  expect.equal(acc_get_default_async(), 3)
  acc "parallel present(a) async" "a[0] = 9;"
  acc "wait(3)"
  expect.device("a[0]", 9)
  acc_set_default_async(acc_async_noval) -- changes nothing
  expect.equal(acc_get_default_async(), 3)
  acc_set_default_async(acc_async_default)
  expect.equal(acc_get_default_async(), acc_async_noval)
  acc "set default_async(acc_async_sync)"
  acc "set default_async(acc_async_noval)"
  expect.equal(acc_get_default_async(), acc_async_sync)
  acc "set default_async(acc_async_default)"
  expect.equal(acc_get_default_async(), acc_async_noval)
  acc "update self(a) async(acc_async_sync)"
  expect.host("a[0]", 9)
  expect.accepts "update self(a) async(acc_async_noval) wait(acc_async_sync)"
  acc "wait(acc_async_noval)"
end)

case("rejects: a value names no queue [ACC33-async-1]", function()
  acc "enter data copyin(a)"
  expect.present "a"
  expect.fails("invalid-async", function() acc "update self(a) async(-3)" end)
  expect.fails("invalid-async", function() acc "wait(1, 0 - queue)" end)
  expect.fails("invalid-async", function() acc "set default_async(-7)" end)
  expect.fails("invalid-async", function() acc_wait(-3) end)
  expect.fails("invalid-async", function() acc "update self(a) async(acc_async_default)" end)
  expect.fails("type-mismatch", function() acc "update self(a) async(a)" end)
  expect.fails("type-mismatch", function() acc_wait "x" end)
  expect.malformed "update self(a) async()"
  expect.malformed "update self(a) async(1, 2)"
  expect.invalid("update self(a) async(1) async(2)", "duplicate-clause")
  expect.malformed "set default_async"
end)

case("accepts: one queue does its work in order [ACC33-async-2]", function()
  expect.moves(function()
    acc "data copy(a) create(b) async(1)" (function()
      acc "parallel present(a, b) async(1)" "for (int i = 0; i < n; i++) b[i] = 10 * a[i];"
      acc "parallel present(a, b) async(1)" (function(d) for i = 0, d.n - 1 do d.a[i] = d.b[i] + 1 end end)
      acc "update self(b) async(1)"
      acc "wait(1)"
      expect.host("b[0:4]", { 10, 20, 30, 40 })
    end)
    acc "wait"
  end, { h2d = { count = 1, bytes = 16 }, d2h = { count = 2, bytes = 32 } })
  expect.host("a[0:4]", { 11, 21, 31, 41 })
end)

case("accepts: names in a kernel have the values that they had at the construct [ACC33-async-2]", function()
  expect.moves(function()
    acc "parallel copy(a) async(1)" "for (int i = 0; i < n; i++) a[i] += n;"
    host.n = 1
    acc "parallel copyout(b) async(2)" (function(d) for i = 0, 3 do d.b[i] = d.n end end)
    host.n = 0
    acc "wait"
  end, { h2d = { count = 1, bytes = 16 }, d2h = { count = 2, bytes = 32 } })
  expect.host("a[0:4]", { 5, 6, 7, 8 })
  expect.host("b[0:4]", { 1, 1, 1, 1 })
end)

case("accepts: a construct maps a structure and its targets for its own time [ACC33-async-2]", function()
  expect.moves(function()
    acc "parallel copy(X, X.a[0:3]) async(1)" "for (int i = 0; i < X.n; i++) X.a[i] *= 2;"
    expect.absent "X"
    acc "wait(1)"
  end, { h2d = { count = 2, bytes = 28 }, d2h = { count = 2, bytes = 20 } })
  expect.host("X.a[0:3]", { 2, 4, 6 })
end)

case("differs: the wait reports a body that fails, and the data of the construct are unmapped [ACC33-async-2]",
  function()
    expect.moves(function()
      local succeeded = pcall(function()
        acc "parallel copy(a) async(1)" (function(d)
          d.a[0] = 7
          d.a[4] = 1
        end)
        acc "wait"
      end)
      expect(not succeeded)
      acc "wait"
    end, { h2d = { count = 1, bytes = 16 } })
    expect.absent "a"
  end)

case("accepts: presence and counters change at the construct [ACC33-2.6.7-4]", function()
  acc "enter data copyin(X, X.a[0:3]) async(1)"
  expect.present "X.a[0:3]"
  expect.attached("X.a", 1)
  acc "enter data copyin(X) async(2)"
  expect.count("X", { dynamic = 2 })
  acc "exit data delete(X) wait async(2)"
  acc "exit data copyout(X.a[0:3], X) wait(2) async(1)"
  expect.absent "X"
  acc "wait"
end)

case("rejects: data are absent at the construct [ACC33-2.6.7-4 ACC33-upd-1]", function()
  expect.fails("not-present", function() acc "update self(a) async(1)" end)
  acc "enter data create(a) async(1)"
  acc "exit data delete(a) async(1)"
  expect.fails("not-present", function() acc "update device(a) async(1)" end)
end)

case("accepts: wait takes a list, all queues, another device, or async [ACC33-async-3]", function()
  acc "enter data copyin(a) create(b, c) async(1)"
  expect.present "c"
  acc "parallel present(a, b) async(2) wait(1)" "for (int i = 0; i < n; i++) b[i] = a[i] + 1;"
  acc "parallel present(b, c) async(3) wait(1, 2)" "for (int i = 0; i < n; i++) c[i] = b[i] + 1;"
  acc "update self(c) wait(queues: 3)"
  expect.host("c[0:4]", { 3, 4, 5, 6 })
  acc "parallel present(c) async(1)" "c[0] = 50;"
  acc "wait(1) async(2)"
  acc "update self(c[0:1]) async(2)"
  acc "wait(2)"
  expect.host("c[0]", 50)
  acc "parallel present(c) async(1)" "c[0] = 60;"
  expect.accepts "set device_num(1)"
  acc "wait(devnum: 0: 1)"
  acc "wait(devnum: 0: queues: 1, 2) if(n)"
  acc "set device_num(0)"
  acc "update self(c[0:1])"
  expect.host("c[0]", 60)
  expect.accepts "exit data delete(a, b, c) wait"
end)

case("rejects: a wait argument or a device is wrong [ACC33-async-3]", function()
  for _, text in ipairs { "wait()", "wait(1", "wait(1:2)", "wait(devnum: 0)", "wait(queues:)", "wait(1) copyin(a)" } do
    local ok = pcall(acc, text)
    expect(not ok, text)
  end
  expect.fails("no-device", function() acc "wait(devnum: 2: 1)" end)
  expect.fails("type-mismatch", function() acc "wait(a)" end)
  expect.fails("not-present", function() acc "update self(a) wait(1)" end)
end)

case("accepts: the routines do the work of the directives [ACC33-async-5]", function()
  acc_copyin_async("a", 1)
  acc_create_async(addr "b[0]", 16, 1)
  acc "parallel present(a, b) async(1)" "for (int i = 0; i < n; i++) b[i] = 2 * a[i];"
  acc_wait_async(1, 2)
  acc_update_self_async("b", 2)
  acc_wait(2)
  expect.host("b[0:4]", { 2, 4, 6, 8 })
  local d = acc_malloc(16)
  acc_memcpy_to_device_async(d, addr "a[0]", 16, 1)
  acc_wait_all_async(4)
  acc_memcpy_device_async(acc_deviceptr "b", d, 16, 4)
  acc_memcpy_from_device_async(addr "c[0]", acc_deviceptr "b", 16, 4)
  acc_wait_all()
  expect.host("c[0:4]", { 1, 2, 3, 4 })
  acc_free(d)
  acc_set_device_num(1)
  acc_create "c"
  acc_memcpy_d2d_async(addr "c[0]", addr "a[0]", 16, 1, 0, 5)
  acc_wait(5)
  expect.device("c[3]", 4)
  acc_set_device_num(0)
  acc_copyout_async("b", 1)
  acc_delete_finalize_async("a", 1)
  while not acc_async_test(1) do end
  while not acc_async_test_all() do end
  expect(acc_async_test(acc_async_sync))
end)

case("rejects: a routine gets no value or a wrong one [ACC33-async-5]", function()
  expect.fails("type-mismatch", function() acc_copyin_async "a" end)
  expect.fails("type-mismatch", function() acc_wait() end)
  expect.fails("type-mismatch", function() acc_attach_async() end)
  expect.fails("invalid-async", function() acc_copyin_async("a", -9) end)
  expect.fails("invalid-async", function() acc_wait_all_async(-9) end)
  expect.fails("not-present", function() acc_update_self_async("a", 1) end)
  expect.absent "a"
end)

case("accepts: events name their queue [ACC33-async-2]", function()
  local list = events(function()
    acc "enter data copyin(a) async(6)"
    acc "exit data copyout(a)  async(6)"
    acc "wait"
  end)
  for _, event in ipairs(list) do expect.equal(event.async, 6) end
  expect.equal(#list, 6)
  expect.equal(events(function() acc "enter data copyin(a)" end)[1].async, nil)
end)
