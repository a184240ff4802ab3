-- What a missing wait does when queues do their work as late as allowed.
scenario { title = "OpenACC 2.16: delayed queues", async = "delayed", devices = 2 }

declare [[
  struct node { int n; float *a; };
  struct node X;
  float a[4] = { 1, 2, 3, 4 }, b[4];
  int n = 4;
]]
host.X = { n = 3, a = { 1, 2, 3 } }

case("accepts: transfers read and write host memory at the wait [ACC33-async-2]", function()
  acc "enter data copyin(a) async(1)"
  host.a[0] = 10
  expect.equal(state().queues, { { async = 1, pending = 1 } })
  expect.uninitialized "a"
  acc "wait(1)"
  expect.equal(state().queues, { { async = 1, pending = 0 } })
  expect.device("a[0]", 10)
  acc "parallel present(a)" "a[1] = 20;"
  acc "update self(a) async(1)"
  expect.host("a[1]", 2)
  host.a[1] = 99
  acc "wait"
  expect.host("a[1]", 20)
end)

case("accepts: a construct that does not wait finds the former values [ACC33-async-2]", function()
  acc "enter data copyin(a)"
  acc "parallel present(a) async(1)" "a[0] = 10;"
  acc "update self(a) async(2)"
  acc "parallel present(a)" "a[1] = a[0];"
  acc "wait(2)"
  expect.host("a[0:2]", { 1, 1 })
  acc "wait(1)"
  acc "update self(a)"
  expect.host("a[0:2]", { 10, 1 })
end)

case("differs: a kernel reads data that have not arrived [ACC33-async-2]", function()
  acc "enter data copyin(a) async(1)"
  expect.fails("uninitialized-read", function() acc "parallel present(a)" "a[0] += 1;" end)
  acc "parallel present(a) async(2)" "a[0] += 1;"
  expect.fails("uninitialized-read", function() acc "wait(2)" end)
  acc "wait"
  expect.device("a[0]", 1)
end)

case("differs: attached pointers are written in their queue [ACC33-async-2]", function()
  acc "enter data create(X) copyin(X.a[0:3]) async(1)"
  expect.attached("X.a", 1)
  expect.fails("uninitialized-read", function() acc "parallel present(X)" "X.a[0] = 1;" end)
  acc "wait(1)"
  acc "parallel present(X)" "X.a[0] = 5;"
  expect.device("X.a[0]", 5)
end)

case("accepts: data of a kernel are absent before it runs but stay on the device [ACC33-async-2]",
  function()
    acc "parallel copy(X, X.a[0:3]) create(b) async(1)" (function(d)
      for i = 0, 2 do d.b[i] = d.X.a[i] end
      for i = 0, 2 do d.X.a[i] = d.b[i] + 1 end
    end)
    expect.equal(#state().present, 0)
    acc "parallel copyin(b) copyout(a) async(1)" (function(d) d.a[0] = d.b[0] + 6 end)
    acc "wait"
    expect.host("X.a[0:3]", { 2, 3, 4 })
    expect.host("a[0]", 6)
  end)

case("rejects: a kernel that runs late accesses memory out of bounds, or its body fails"
  .. " [ACC33-async-2 HOUSE-scenario]", function()
  acc "parallel copy(a) copyin(b) async(1)" "a[4] = 0;"
  expect.fails("out-of-bounds", function() acc "wait" end)
  acc "parallel copy(X) async(1)" (function(d) d.X.a[0] = 1 end)
  expect.fails("host-pointer-on-device", function() acc "wait" end)
  acc "parallel copy(a) async(1)" (function(d)
    d.a[0] = 50
    error("stop", 0)
  end)
  expect.fails("scenario-error", function() acc "wait" end)
  expect.events(function() acc "wait" end, { "d2h a", "free a" })
  expect.host("a[0]", 1) -- its writes were undone
end)

case("accepts: a wait in a queue delays the queue, across devices, too [ACC33-async-3]", function()
  acc "enter data copyin(a)"
  acc "parallel present(a) async(1)" "a[0] = 10;"
  acc "parallel present(a) async(2) wait(1)" "a[1] = a[0] + 1;"
  acc "wait(2) async(3)"
  acc "update self(a) async(3)"
  expect.accepts "set device_num(1)"
  acc "wait(devnum: 0: 3) async(1)"
  acc "enter data copyin(a) async(1)"
  acc "wait(1)"
  expect.device("a[1]", 11)
  expect.equal(state(0).queues[1].pending, 0)
end)

case("differs: a queue does not wait for later work of another queue [ACC33-async-3]", function()
  acc "enter data copyin(a)"
  acc "wait(1) async(2)"
  acc "parallel present(a) async(1)" "a[0] = 10;"
  host.a[0] = 5
  acc "update self(a) async(2)"
  acc "wait(2)"
  expect.host("a[0]", 1)
  acc "wait if(n - 4)"
  expect.equal(state().queues, { { async = 1, pending = 1 }, { async = 2, pending = 0 } })
end)

case("rejects: data are unmapped while a queue needs them [ACC33-async-4]", function()
  acc "enter data copyin(a, X, X.a[0:3])"
  acc "update device(a) async(1)"
  local problem = expect.fails("missing-wait", function() acc "exit data delete(a)" end)
  expect(problem.message:find("queue 1 has not done the update of ", 1, true))
  expect.fails("missing-wait", function() acc "exit data copyout(a) async(2)" end)
  expect.fails("missing-wait", function() acc_delete "a" end)
  expect.count("a", { dynamic = 1 })
  acc "parallel present(X) async(1)" (function(d) d.X.a[0] = 9 end)
  expect.fails("missing-wait", function() acc "exit data delete(X.a[0:3], X)" end)
  local d = acc_malloc(16)
  acc_memcpy_to_device_async(d, addr "a[0]", 16, 2)
  expect.fails("missing-wait", function() acc_free(d) end)
  declare "float *q;"
  host.q = acc_malloc(16)
  acc "parallel deviceptr(q) async(1)" "q[0] = 1;"
  acc "parallel deviceptr(q) async(1)" (function(at) at.q[1] = at.q[0] + 1 end)
  expect.fails("missing-wait", function() acc_free(host.q) end)
  acc "wait(1)"
  acc "parallel deviceptr(q) copyout(b)" "b[0] = q[1];"
  expect.host("b[0]", 2)
  acc_free(host.q)
  local mapped = acc_malloc(16)
  acc_map_data(addr "b[0]", mapped, 16)
  acc "update self(b) async(2)"
  expect.fails("missing-wait", function() acc_unmap_data(addr "b[0]") end)
  local region = acc "data copyin(n)"
  acc "update self(n) async(2)"
  expect.fails("missing-wait", function() region:close() end)
  acc "wait(2)"
  region:close()
  acc_free(d)
end)

case("accepts: data are unmapped after the queue or by the queue [ACC33-async-4]", function()
  expect.moves(function()
    acc "enter data copyin(a, X, X.a[0:3], b)"
  end, { h2d = { count = 4, bytes = 60 }, d2h = 0 })
  acc "parallel present(a) async(1)" "a[0] = 7;"
  acc "exit data copyout(a) async(1)"
  expect.absent "a"
  acc "parallel present(b) async(1)" "b[0] = 8;"
  acc "exit data copyout(b) async(2) wait(1)"
  acc "update device(X) async(3)"
  expect.fails("missing-wait", function() acc "exit data delete(X.a[0:3], X)" end)
  expect.accepts "exit data delete(X.a[0:3], X) wait"
  acc "wait"
  expect.host("a[0]", 7)
  expect.host("b[0]", 8)
end)

case("rejects: data are unmapped while a kernel needs them through an attached pointer [ACC33-async-4]", function()
  host.X.a = addr "b[0]"
  acc "enter data copyin(X, b)"
  acc "data copy(X, X.a[0:4]) async(1)" (function()
    acc "parallel present(X) copy(a) async(1)" "X.a[2] += 5; a[0] = X.a[2];"
  end)
  local problem = expect.fails("missing-wait", function() acc "exit data delete(b)" end)
  expect(problem.message:find("queue 1 has not done the parallel of ", 1, true))
  acc "exit data delete(b) async(1)" -- after the kernel, although nothing is copied and no pointer is attached any more
  acc "wait"
  expect.absent "b"
  expect.host("a[0]", 5)
end)

case("accepts: device memory is not reused before its queue has finished [ACC33-async-4]", function()
  acc "enter data copyin(a)"
  local first = acc_deviceptr "a"
  acc "parallel present(a) async(1)" "a[0] = 7;"
  acc "exit data copyout(a) async(1)"
  acc "enter data copyin(b)"
  expect.present "b"
  expect(acc_deviceptr "b" ~= first)
  expect.events(function() acc "wait" end, { "d2h a", "free a" })
  expect.host("a[0]", 7)
end)

case("rejects: host memory is freed before the wait [ACC33-async-4]", function()
  declare "float *p;"
  host.p = alloc("float", 4, 1)
  acc "enter data copyin(p[0:4]) async(1)"
  free(host.p)
  local problem = expect.fails("missing-wait", function() acc "wait" end)
  expect(problem.message:find("was freed, but queue 1 has not done the enter data of ", 1, true))
  expect.events(function() acc "wait" end, { "h2d p[0:4]" }) -- the error is reported once
  host.p = alloc("float", 4, 1)
  acc "enter data copyin(p[0:4])"
  acc "update self(p[0:4]) async"
  free(host.p)
  problem = expect.fails("missing-wait", function() acc "wait" end)
  expect(problem.message:find("the default queue", 1, true))
end)

case("accepts: a test returns false once and then does the work [ACC33-async-5]", function()
  acc "enter data copyin(a) async(1)"
  expect.equal(acc_async_test(2), true)
  expect.equal(acc_async_test(1), false)
  expect.uninitialized "a"
  expect.equal(acc_async_test(1), true)
  expect.device("a[0]", 1)
  acc "update self(a) async(1)"
  expect.equal(acc_async_test_all(), false)
  expect.equal(acc_async_test_all(), true)
end)

case("differs: a routine waits only for the queues that it names [ACC33-async-5]", function()
  acc "enter data copyin(a)"
  acc "parallel present(a) async(1)" "a[0] = 10;"
  acc_wait(2)
  acc_wait_async(2, 3)
  expect.device("a[0]", 1)
  acc_wait_all_async(4)
  acc_wait(4)
  expect.device("a[0]", 10)
  expect.accepts("parallel present(a) async(1)", "a[0] = 11;")
  acc_shutdown()
  expect.equal(state().queues[1].pending, 0)
end)
