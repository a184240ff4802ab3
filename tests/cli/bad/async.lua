scenario { async = "delayed", devices = 2 }
declare "float a[4] = { 1, 2, 3, 4 }, b[4], *p; int n = 4;"

case("no async value", function() acc "enter data copyin(a) async(-5)" end)
case("not an integer", function() acc "enter data copyin(a) async(b)" end)
case("nothing between the parentheses", function() acc "wait()" end)
case("a word for a device", function() acc "wait(devnum: 1)" end)
case("no such device", function() acc "wait(devnum: 2: 1)" end)
case("a routine without a value", function() acc_copyin_async "a" end)
case("data leave before the wait", function()
  acc "enter data copyin(a)"
  acc "parallel loop present(a) async(1)" "for (int i = 0; i < n; i++) a[i]++;"
  acc "exit data copyout(a)"
end)
case("device memory is freed before the wait", function()
  local d = acc_malloc(16)
  acc_memcpy_to_device_async(d, addr "a[0]", 16, 1)
  acc_free(d)
end)
case("host memory is freed before the wait", function()
  host.p = alloc("float", 4, 1)
  acc "enter data copyin(p[0:4]) async"
  free(host.p)
  acc "wait"
end)
case("what was sent has not arrived", function()
  acc "enter data copyin(a) async(1)"
  acc "parallel present(a)" "a[0] += 1;"
end)
case("a body that fails late", function()
  acc "parallel loop copy(a) async(1)" "for (int i = 0; i <= n; i++) a[i]++;"
  acc "wait(1)"
end)
case("a body in Lua that fails late", function()
  acc "parallel copy(a) async(1)" (function(d)
    d.a[0] = d.c
  end)
  acc "wait"
end)
case("at the end of the case", function()
  acc "parallel copy(a) async(1)" (function() error "no more" end)
end)
