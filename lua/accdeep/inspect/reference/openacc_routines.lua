-- openacc_routines.lua - reference chapter: OpenACC's routines (3.2) as a scenario calls them. reference/init.lua
-- describes the entries.

local WHERE = "where accdeep.pointer|string - host address, or the text of an object or section,"
  .. " which also gives its bytes"
local BYTES = "bytes? integer - number of bytes; not with a text"
local QUEUED = "The `_async` form takes an async value after the other arguments."

return {
  title = "Routines of OpenACC",
  text = [[
Routines have their standard names, and use the current device. A host address may be given as text: `"a[1:2]"`,
`"v.data"`. Routines neither attach nor detach pointers, except those with such a name (ACC33-2.7-7). In a kernel only
`acc_on_device` may be called; the others are errors (`region-nesting`).]],
  prelude = [[
declare [=[
  struct vector { int n; float *data; };
  struct vector v;
  float a[4] = { 1, 2, 3, 4 }, b[4];
]=]
host.v = { n = 2, data = { 5, 6 } }
]],

  { name = "acc_copyin",
    params = { WHERE, BYTES }, returns = { "accdeep.pointer - the device address" },
    text = "Increments the dynamic counter of data. Absent data are allocated and copied to the device first. "
      .. QUEUED,
    rules = "ACC33-3.2.18-1 ACC33-2.6.7-3",
    errors = {
      { "partially-present", "only a part is present", [[acc_copyin "a[0:2]" acc_copyin "a"]] },
      { "null-pointer", "a null pointer", [[acc_copyin(NULL, 4)]] },
      { "type-mismatch", "an address without a number of bytes", [[acc_copyin(addr "a[0]")]] },
      { "invalid-section", "a negative number of bytes", [[acc_copyin(addr "a[0]", -4)]] },
    },
    example = [[
local d = acc_copyin "a"
expect.equal(d, acc_deviceptr "a[0]")
expect.device("a[3]", 4)
]] },

  { name = "acc_create",
    params = { WHERE, BYTES }, returns = { "accdeep.pointer - the device address" },
    text = "Increments the dynamic counter of data. Absent data are allocated first; nothing is copied. " .. QUEUED,
    rules = "ACC33-3.2.18-1 ACC33-2.6.7-3",
    errors = { { "partially-present", "only a part is present", [[acc_create "a[0:2]" acc_create "a"]] } },
    example = [[
acc_create(addr "a[0]", 16)
expect.uninitialized "a"
]] },

  { name = "acc_copyout", params = { WHERE, BYTES },
    text = "Decrements the dynamic counter. When all counters are zero, the data are copied to the host and unmapped."
      .. " " .. QUEUED,
    rules = "ACC33-3.2.18-1 TR14-4.2-11",
    errors = { { "not-present", "the data are absent", [[acc_copyout "a"]] } },
    example = [[
acc_copyin "a"
acc "parallel present(a)" "a[0] = 10;"
acc_copyout "a"
expect.host("a[0]", 10)
expect.absent "a"
]] },

  { name = "acc_copyout_finalize", params = { WHERE, BYTES },
    text = "As `acc_copyout`, but the dynamic counter becomes zero at once. " .. QUEUED, rules = "ACC33-3.2.18-1",
    errors = { { "not-present", "the data are absent", [[acc_copyout_finalize "a"]] } },
    example = [[
acc_copyin "a" acc_copyin "a"
acc_copyout_finalize "a"
expect.absent "a"
]] },

  { name = "acc_delete", params = { WHERE, BYTES },
    text = "Decrements the dynamic counter. When all counters are zero, the data are unmapped without a copy. "
      .. QUEUED,
    rules = "ACC33-3.2.18-1 TR14-4.2-11",
    errors = {
      { "not-present", "the data are absent", [[acc_delete "a"]] },
      { "still-attached", "a pointer elsewhere is attached to them",
        [[acc "enter data copyin(v, v.data[0:2])" acc_delete "v.data[0:2]"]] },
    },
    example = [[
acc_copyin "a"
acc_delete "a"
expect.absent "a"
]] },

  { name = "acc_delete_finalize", params = { WHERE, BYTES },
    text = "As `acc_delete`, but the dynamic counter becomes zero at once. " .. QUEUED, rules = "ACC33-3.2.18-1",
    errors = { { "not-present", "the data are absent", [[acc_delete_finalize "a"]] } },
    example = [[
acc_copyin "a" acc_copyin "a"
acc_delete_finalize "a"
expect.absent "a"
]] },

  { name = "acc_update_device", params = { WHERE, BYTES },
    text = "Copies present data from the host to the device. " .. QUEUED, rules = "ACC33-3.2.18-1 TR14-1.2-16",
    errors = { { "not-present", "the data are absent", [[acc_update_device "a"]] } },
    example = [[
acc_copyin "a"
host.a[1] = 20
acc_update_device "a[1:1]"
expect.device("a[1]", 20)
]] },

  { name = "acc_update_self", params = { WHERE, BYTES },
    text = "Copies present data from the device to the host. " .. QUEUED, rules = "ACC33-3.2.18-1 TR14-1.2-16",
    errors = { { "not-present", "the data are absent", [[acc_update_self "a"]] } },
    example = [[
acc_copyin "a"
acc "parallel present(a)" "a[1] = 20;"
acc_update_self "a"
expect.host("a[1]", 20)
]] },

  { name = "acc_attach",
    params = { "pointer accdeep.pointer|string - address of the pointer itself, or its text" },
    text = "Attaches a pointer: its copy on the device gets the device address of its target. Attaching it again"
      .. " increments the attach counter. " .. QUEUED,
    rules = "TR14-4.1-02 ACC33-att-5 ACC33-att-2",
    errors = {
      { "not-a-pointer", "not a pointer", [[acc_attach "v.n"]] },
      { "not-present", "the pointer or its target is absent", [[acc_copyin "v" acc_attach "v.data"]] },
      { "null-pointer", "a null address", [[acc_attach(NULL)]] },
    },
    example = [[
acc_copyin "v"
acc_copyin "v.data[0:2]"
acc_attach "v.data"
expect.device("v.data[1]", 6)
]] },

  { name = "acc_detach",
    params = { "pointer accdeep.pointer|string - address of the pointer itself, or its text" },
    text = "Decrements the attach counter. At zero the device copy gets the host's pointer again. " .. QUEUED,
    rules = "TR14-4.1-03 TR14-4.3-13",
    errors = { { "not-attached", "the pointer is not attached", [[acc_copyin "v" acc_detach "v.data"]] } },
    example = [[
acc "enter data copyin(v, v.data[0:2])"
acc_detach "v.data"
expect.detached "v.data"
]] },

  { name = "acc_detach_finalize",
    params = { "pointer accdeep.pointer|string - address of the pointer itself, or its text" },
    text = "As `acc_detach`, but the attach counter becomes zero at once. " .. QUEUED,
    rules = "TR14-4.1-03 ACC33-det-1",
    errors = { { "not-attached", "the pointer is not attached", [[acc_copyin "v" acc_detach_finalize "v.data"]] } },
    example = [[
acc "enter data copyin(v, v.data[0:2])"
acc_attach "v.data"
acc_detach_finalize "v.data"
expect.detached "v.data"
]] },

  { name = "acc_is_present", params = { WHERE, BYTES }, returns = { "boolean - whether all of it is" },
    text = "Whether data are present on the device.", rules = "ACC33-3.2.26-1",
    errors = { { "type-mismatch", "an address without a number of bytes", [[acc_is_present(addr "a[0]")]] } },
    example = [[
acc_copyin "a[0:2]"
expect.equal(acc_is_present "a[1:1]", true)
expect.equal(acc_is_present "a", false)
]] },

  { name = "acc_deviceptr", params = { WHERE }, returns = { "accdeep.pointer - the device address, or `NULL`" },
    text = "The device address of host data.", rules = "ACC33-3.2.26-1",
    errors = { { "type-mismatch", "not an address", [[acc_deviceptr {}]] } },
    example = [[
expect.equal(acc_deviceptr "a[0]", NULL)
acc_copyin "a"
expect.equal(acc_deviceptr "a[1]" - acc_deviceptr "a[0]", 1)
]] },

  { name = "acc_hostptr", params = { "dev accdeep.pointer - device address" },
    returns = { "accdeep.pointer - the host address, or `NULL`" },
    text = "The host address of the data at a device address.", rules = "ACC33-3.2.26-1",
    errors = { { "type-mismatch", "not an address", [[acc_hostptr {}]] } },
    example = [[
local d = acc_copyin "a"
expect.equal(acc_hostptr(d), addr "a[0]")
]] },

  { name = "acc_map_data", params = { "host accdeep.pointer - host address", "dev accdeep.pointer - device address",
      "bytes integer - number of bytes" },
    text = "Maps host data to device memory that the caller owns. Nothing is copied; the dynamic counter is one.",
    rules = "ACC33-3.2.21-1",
    errors = {
      { "already-present", "partly present", [[acc_copyin "a" acc_map_data(addr "a[0]", acc_malloc(16), 16)]] },
      { "invalid-section", "no bytes", [[acc_map_data(addr "a[0]", acc_malloc(16), 0)]] },
      { "null-pointer", "a null address", [[acc_map_data(addr "a[0]", NULL, 16)]] },
    },
    example = [[
local d = acc_malloc(16)
acc_map_data(addr "a[0]", d, 16)
expect.equal(acc_deviceptr "a[0]", d)
]] },

  { name = "acc_unmap_data", params = { "host accdeep.pointer - host address" },
    text = "Undoes `acc_map_data`. Nothing is copied.", rules = "ACC33-3.2.21-1 ACC33-3.2.21-2",
    errors = {
      { "not-present", "not mapped by `acc_map_data`", [[acc_copyin "a" acc_unmap_data(addr "a[0]")]] },
      { "already-present", "an open region uses them",
        [[acc_map_data(addr "a[0]", acc_malloc(16), 16) local r = acc "data present(a)" acc_unmap_data(addr "a[0]")]] },
    },
    example = [[
local d = acc_malloc(16)
acc_map_data(addr "a[0]", d, 16)
acc_unmap_data(addr "a[0]")
expect.absent "a"
acc_free(d)
]] },

  { name = "acc_malloc", params = { "bytes integer - number of bytes" },
    returns = { "accdeep.pointer - a device address; `NULL` if there is no memory, or for no bytes" },
    text = "Allocates device memory without host data.", rules = "ACC33-3.2.16-1",
    errors = {
      { "invalid-section", "a negative size", [[acc_malloc(-1)]] },
      { "type-mismatch", "not an integer", [[acc_malloc "much"]] },
    },
    example = [[
local d = acc_malloc(16)
expect(d ~= NULL)
acc_free(d)
]] },

  { name = "acc_free", params = { "dev accdeep.pointer - memory of `acc_malloc`; `NULL` does nothing" },
    text = "Releases device memory.", rules = "ACC33-3.2.16-1",
    errors = {
      { "out-of-bounds", "released memory", [[local d = acc_malloc(8) acc_free(d) acc_free(d)]] },
      { "host-pointer-on-device", "memory of the host", [[acc_free(addr "a[0]")]] },
      { "already-present", "present data", [[acc_free(acc_copyin "a")]] },
    },
    example = [[
acc_free(acc_malloc(16))
acc_free(NULL)
]] },

  { name = "acc_memcpy_to_device",
    params = { "to accdeep.pointer - device address", "from accdeep.pointer|string - host address",
      "bytes integer - number of bytes" },
    text = "Copies bytes to the device. " .. QUEUED, rules = "ACC33-3.2.30-1",
    errors = {
      { "host-pointer-on-device", "`to` is not a device address",
        [[acc_memcpy_to_device(addr "b[0]", addr "a[0]", 16)]] },
      { "out-of-bounds", "more bytes than allocated", [[acc_memcpy_to_device(acc_malloc(16), addr "a[0]", 20)]] },
    },
    example = [[
local d = acc_malloc(16)
acc_memcpy_to_device(d, addr "a[0]", 16)
]] },

  { name = "acc_memcpy_from_device",
    params = { "to accdeep.pointer|string - host address", "from accdeep.pointer - device address",
      "bytes integer - number of bytes" },
    text = "Copies bytes to the host. " .. QUEUED, rules = "ACC33-3.2.30-1",
    errors = { { "device-pointer-on-host", "`to` is a device address",
      [[local d = acc_malloc(16) acc_memcpy_from_device(d, d, 16)]] } },
    example = [[
local d = acc_copyin "a"
acc_memcpy_from_device(addr "b[0]", d, 16)
expect.host("b[3]", 4)
]] },

  { name = "acc_memcpy_device",
    params = { "to accdeep.pointer - device address", "from accdeep.pointer - device address",
      "bytes integer - number of bytes" },
    text = "Copies bytes within the device. " .. QUEUED, rules = "ACC33-3.2.30-1",
    errors = { { "out-of-bounds", "more bytes than allocated",
      [[acc_memcpy_device(acc_malloc(8), acc_copyin "a", 16)]] } },
    example = [[
acc_memcpy_device(acc_create "b", acc_copyin "a", 16)
expect.device("b[2]", 3)
]] },

  { name = "acc_memcpy_d2d",
    params = { "to accdeep.pointer - host address of present data",
      "from accdeep.pointer - host address of present data",
      "bytes integer - number of bytes", "to_device integer - number of the device of `to`",
      "from_device integer - number of the device of `from`" },
    text = "Copies present data from device to device. " .. QUEUED, rules = "ACC33-3.2.30-1",
    errors = {
      { "not-present", "absent data", [[acc_memcpy_d2d(addr "b[0]", addr "a[0]", 16, 0, 0)]] },
      { "no-device", "there is no such device", [[acc_memcpy_d2d(addr "b[0]", addr "a[0]", 16, 7, 0)]] },
    },
    example = [[
acc_copyin "a" acc_create "b"
acc_memcpy_d2d(addr "b[0]", addr "a[0]", 16, 0, 0)
expect.device("b[0]", 1)
]] },

  { name = "acc_set_device_num", params = { "number integer - of the device" },
    text = "Selects the current device. A negative number is device 0. A second argument, the type of device, is"
      .. " ignored.", rules = "DIR-1-04 ACC33-set-1",
    errors = { { "no-device", "there is no such device", [[acc_set_device_num(3)]] } },
    example = [[
acc_set_device_num(0)
expect.equal(acc_get_device_num(), 0)
]] },
  { name = "acc_get_device_num", params = {}, returns = { "integer - number of the current device" },
    text = "The number of the current device.", rules = "DIR-1-04",
    example = [[
expect.equal(acc_get_device_num(), 0)
]] },
  { name = "acc_get_num_devices", params = { "type? integer - type of device; without it `acc_device_not_host`" },
    returns = { "integer - how many devices of the type the scenario has" },
    text = "The number of devices of a type. There is one host.", rules = "ACC33-3.2.1-1 DIR-1-04",
    example = [[
expect.equal(acc_get_num_devices(), 1)
expect.equal(acc_get_num_devices(acc_device_none), 0)
]] },

  { name = "acc_on_device", params = { "type? integer - type of device; without it `acc_device_not_host`" },
    returns = { "boolean - true if the caller runs there" },
    text = "Whether the caller runs on a device of a type: in kernels on `acc_device_not_host` and"
      .. " `acc_device_nvidia`, otherwise on `acc_device_host` and `acc_device_none`.",
    rules = "ACC33-3.2.15-1 ACC33-impl-1",
    example = [[
expect.equal(acc_on_device(acc_device_host), true)
acc "parallel copy(a)" (function(d)
  if acc_on_device() then d.a[0] = 9 end
end)
expect.host("a[0]", 9)
]] },

  { name = "acc_wait", params = { "async integer - which queue" },
    text = "Waits until all work of a queue is done. An error of its transfers or kernels is reported here.",
    rules = "ACC33-async-5 ACC33-async-3",
    errors = { { "invalid-async", "not an async value", [[acc_wait(-5)]] } },
    example = [[
acc_copyin_async(addr "a[0]", 16, 1)
acc_wait(1)
expect.device("a[3]", 4)
]] },
  { name = "acc_wait_all", params = {}, text = "Waits for all queues of the device.", rules = "ACC33-async-5",
    example = [[
acc_copyin_async(addr "a[0]", 16, 1)
acc_wait_all()
expect.device("a[3]", 4)
]] },
  { name = "acc_wait_async", params = { "async integer - which queue",
      "later integer - the queue that waits" },
    text = "Makes a queue wait until the work of another queue is done. The host continues.",
    rules = "ACC33-async-5 ACC33-async-3",
    errors = { { "invalid-async", "not an async value", [[acc_wait_async(1, -5)]] } },
    example = [[
acc_copyin_async(addr "a[0]", 16, 1)
acc_wait_async(1, 2)
acc_update_self_async(addr "a[0]", 16, 2)
acc_wait(2)
]] },
  { name = "acc_wait_all_async", params = { "later integer - the queue that waits" },
    text = "Makes a queue wait until the work of all other queues is done. The host continues.",
    rules = "ACC33-async-5",
    errors = { { "invalid-async", "not an async value", [[acc_wait_all_async(-5)]] } },
    example = [[
acc_copyin_async(addr "a[0]", 16, 1)
acc_wait_all_async(2)
acc_wait(2)
]] },
  { name = "acc_async_test", params = { "async integer - which queue" }, returns = { "boolean - true if all is done" },
    text = "Whether all work of a queue is done. It does not wait.", rules = "ACC33-async-5",
    errors = { { "invalid-async", "not an async value", [[acc_async_test(-5)]] } },
    example = [[
acc_copyin_async(addr "a[0]", 16, 1)
acc_wait(1)
expect.equal(acc_async_test(1), true)
]] },
  { name = "acc_async_test_all", params = {}, returns = { "boolean - true if all is done" },
    text = "Whether all work of all queues of the device is done. It does not wait.", rules = "ACC33-async-5",
    example = [[
expect.equal(acc_async_test_all(), true)
]] },
  { name = "acc_get_default_async", params = {}, returns = { "integer - the queue" },
    text = "The queue of `async` without a value, and of `acc_async_noval`.", rules = "ACC33-async-1",
    example = [[
acc_set_default_async(3)
expect.equal(acc_get_default_async(), 3)
]] },
  { name = "acc_set_default_async", params = { "async integer - the queue" }, text = "Changes the queue of `async`"
      .. " without a value.",
    rules = "ACC33-async-1",
    errors = { { "invalid-async", "not an async value", [[acc_set_default_async(-5)]] } },
    example = [[
acc_set_default_async(3)
acc "enter data copyin(a) async"
acc "wait(3)"
]] },
  { name = "acc_init", params = {}, text = "Starts the device. Its first use does the same.", rules = "DIR-1-04",
    example = [[
acc_init()
acc_copyin "a"
]] },
  { name = "acc_shutdown", params = { "type? integer - type of device; `acc_device_host` has no effect" },
    text = "Shuts the devices down. All their data are unmapped, and nothing is copied to the host.",
    rules = "ACC33-shut-1",
    errors = { { "region-nesting", "a region is open", [[local r = acc "data copy(a)" acc_shutdown()]] } },
    example = [[
acc_copyin "a"
acc_shutdown()
expect.absent "a"
]] },

  { name = "acc_device_none", is = "value", type = "integer", also = { "acc_device_default", "acc_device_host",
      "acc_device_not_host", "acc_device_nvidia", "acc_device_current" },
    text = "Types of devices, numbered as in the header. All devices of a scenario have one type.", rules = "DIR-1-04",
    example = [[
expect.equal(acc_device_host, 2)
]] },
  { name = "acc_async_sync", is = "value", type = "integer", also = { "acc_async_noval",
      "acc_async_default" },
    text = "Special async values: no queue, the default queue, and for `default_async` the first default queue.",
    rules = "ACC33-async-1",
    example = [[
expect.equal(acc_async_noval, -1)
]] },
}
