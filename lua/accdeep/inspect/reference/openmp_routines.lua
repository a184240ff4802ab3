-- openmp_routines.lua - reference chapter: OpenMP's routines (3.7, 3.8) as a scenario calls them. reference/init.lua
-- describes the entries.

local DEVICE = "device integer - number of the device; `omp_initial_device` is the host"
local WHERE = "pointer accdeep.pointer|string - host address, or the text of an object"

return {
  title = "Routines of OpenMP",
  text = [[
Routines have their standard names. The host is a device, too: its number is the number of the other devices. If the
standard defines a result for a failure, the routine returns it: a number other than 0, or a null pointer. Other
failures are errors, as is an access outside of allocated memory. In kernels only `omp_get_device_num` and
`omp_is_initial_device` may be called (`region-nesting`).]],
  prelude = [[
declare "int a[4] = { 1, 2, 3, 4 }, b[4];"
]],

  { name = "omp_get_num_devices", params = {},
    returns = { "integer - number of devices, which is also the number of the host" },
    text = "The number of devices, and the number of the host.", rules = "OMP60-api-1",
    example = [[
expect.equal(omp_get_num_devices(), 1)
expect.equal(omp_get_initial_device(), 1)
]] },
  { name = "omp_get_default_device", params = {}, returns = { "integer - number of the device" },
    text = "The device of constructs without a `device` clause.", rules = "OMP60-api-1",
    example = [[
expect.equal(omp_get_default_device(), 0)
]] },
  { name = "omp_set_default_device", params = { "device integer - number of the device" },
    text = "Selects the device of constructs without a `device` clause.",
    rules = "OMP60-api-1 OMP60-api-2 HOUSE-version",
    errors = {
      { "no-device", "there is no such device", [[omp_set_default_device(3)]] },
      { "unsupported", "the host as the default device", [[omp_set_default_device(omp_initial_device)]] },
    },
    example = [[
omp_set_default_device(0)
]] },
  { name = "omp_get_device_num", params = {}, returns = { "integer - number of the device" },
    text = "The device on which the caller runs.", rules = "OMP60-api-1 OMP60-api-14",
    example = [[
omp "target map(from: a)" "a[0] = omp_get_device_num();"
expect.host("a[0]", 0)
]] },
  { name = "omp_is_initial_device", params = {}, returns = { "integer - 1 on the host, else 0" },
    text = "Whether the caller runs on the host.", rules = "OMP60-api-1 OMP60-api-14",
    example = [[
expect.equal(omp_is_initial_device(), 1)
]] },

  { name = "omp_target_alloc", params = { "bytes integer - number of bytes", DEVICE },
    returns = { "accdeep.pointer - the memory, or `NULL`" },
    text = "Allocates memory of a device, or of the host.", rules = "OMP60-api-3",
    errors = { { "invalid-section", "a negative size", [[omp_target_alloc(-1, 0)]] } },
    example = [[
local d = omp_target_alloc(16, 0)
expect(d ~= NULL)
omp_target_free(d, 0)
]] },
  { name = "omp_target_free", params = { "pointer accdeep.pointer - memory of `omp_target_alloc`; `NULL` does nothing",
      DEVICE },
    text = "Releases memory.", rules = "OMP60-api-4",
    errors = {
      { "out-of-bounds", "other memory", [[omp_target_free(addr "a[0]", omp_initial_device)]] },
      { "host-pointer-on-device", "memory of another device", [[omp_target_free(addr "a[0]", 0)]] },
      { "already-present", "memory that is associated with host data",
        [[local d = omp_target_alloc(16, 0)
          omp_target_associate_ptr(addr "a[0]", d, 16, 0, 0) omp_target_free(d, 0)]] },
    },
    example = [[
omp_target_free(omp_target_alloc(16, 0), 0)
]] },
  { name = "omp_target_is_present", params = { WHERE, DEVICE }, returns = { "integer - 1 or 0; 1 for the host" },
    text = "Whether the byte at a host address is present.", rules = "OMP60-api-5",
    errors = { { "no-device", "`omp_invalid_device`", [[omp_target_is_present(addr "a[0]", omp_invalid_device)]] } },
    example = [[
expect.equal(omp_target_is_present("a", 0), 0)
omp "target data map(a)" (function() expect.equal(omp_target_is_present("a", 0), 1) end)
]] },
  { name = "omp_target_is_accessible", params = { WHERE, "bytes integer - number of bytes", DEVICE },
    returns = { "integer - 1 or 0" },
    text = "Whether the device can use memory at its host address. The simulated device shares no memory with the"
      .. " host.",
    rules = "OMP60-api-6",
    example = [[
expect.equal(omp_target_is_accessible(addr "a[0]", 4, 0), 0)
]] },
  { name = "omp_get_mapped_ptr", params = { WHERE, DEVICE },
    returns = { "accdeep.pointer - the device address, or `NULL`; for the host the address itself" },
    text = "The device address of host data.", rules = "OMP60-api-12",
    example = [[
expect.equal(omp_get_mapped_ptr("a", 0), NULL)
]] },

  { name = "omp_target_memcpy",
    params = { "to accdeep.pointer - destination", "from accdeep.pointer - source", "bytes integer - number of bytes",
      "to_offset integer - bytes added to `to`", "from_offset integer - bytes added to `from`",
      "to_device integer - number of the device of `to`", "from_device integer - number of the device of `from`" },
    returns = { "integer - 0, or another number if it fails" },
    text = "Copies bytes between any two memories.", rules = "OMP60-api-7 OMP60-api-9",
    errors = {
      { "out-of-bounds", "more bytes than allocated",
        [[omp_target_memcpy(omp_target_alloc(8, 0), addr "a[0]", 16, 0, 0, 0, omp_initial_device)]] },
      { "host-pointer-on-device", "an address that is not of the given device",
        [[omp_target_memcpy(addr "b[0]", addr "a[0]", 16, 0, 0, 0, omp_initial_device)]] },
    },
    example = [[
local d = omp_target_alloc(16, 0)
expect.equal(omp_target_memcpy(d, addr "a[0]", 16, 0, 0, 0, omp_initial_device), 0)
expect.equal(omp_target_memcpy(addr "b[0]", d, 8, 0, 8, omp_initial_device, 0), 0)
expect.host("b[0:2]", { 3, 4 })
]] },
  { name = "omp_target_memcpy_rect",
    params = { "to accdeep.pointer - array", "from accdeep.pointer - array",
      "element_size integer - bytes of an element",
      "num_dims integer - number of dimensions", "volume integer[] - elements to copy in each",
      "to_offsets integer[] - first element",
      "from_offsets integer[] - first element", "to_dimensions integer[] - of the array",
      "from_dimensions integer[] - of the array", "to_device integer - number", "from_device integer - number" },
    returns = { "integer - 0, or another number if it fails; for two null pointers the largest number of dimensions" },
    text = "Copies a rectangular part of one array into another. The last dimension is contiguous.",
    rules = "OMP60-api-8 OMP60-api-9",
    errors = { { "out-of-bounds", "more bytes than allocated",
      [[omp_target_memcpy_rect(omp_target_alloc(4, 0), addr "a[0]", 4, 1, { 4 }, { 0 }, { 0 }, { 4 },
      { 4 }, 0, 1)]] } },
    example = [[
local h = omp_initial_device -- a as 2 x 2: its second column
expect.equal(omp_target_memcpy_rect(addr "b[0]", addr "a[0]", 4, 2, { 2, 1 }, { 0, 0 }, { 0, 1 },
  { 2, 1 }, { 2, 2 }, h, h), 0)
expect.host("b[0:2]", { 2, 4 })
]] },
  { name = "omp_target_memset",
    params = { "pointer accdeep.pointer - memory", "value integer - its lowest eight bits are used",
      "bytes integer - number of bytes",
      DEVICE },
    returns = { "accdeep.pointer - the argument `pointer`" },
    text = "Sets bytes of a memory to a value.", rules = "OMP60-api-13 OMP60-api-9",
    errors = {
      { "null-pointer", "a null pointer", [[omp_target_memset(NULL, 0, 4, 0)]] },
      { "no-device", "there is no such device", [[omp_target_memset(addr "a[0]", 0, 4, 9)]] },
    },
    example = [[
omp_target_memset(addr "a[0]", 0, 16, omp_initial_device)
expect.host("a[3]", 0)
]] },

  { name = "omp_target_associate_ptr",
    params = { "host accdeep.pointer - host address", "dev accdeep.pointer - device memory of the caller's",
      "bytes integer - number of bytes", "offset integer - bytes added to `dev`",
      "device integer - number of the device" },
    returns = { "integer - 0, or another number if it fails" },
    text = "Maps host data to device memory that the caller owns. Nothing is copied, and no construct unmaps the"
      .. " data.", rules = "OMP60-api-10",
    errors = { { "out-of-bounds", "more bytes than allocated",
      [[omp_target_associate_ptr(addr "a[0]", omp_target_alloc(32, 0), 32, 0, 0)]] } },
    example = [[
local d = omp_target_alloc(16, 0)
expect.equal(omp_target_associate_ptr(addr "a[0]", d, 16, 0, 0), 0)
expect.present "a"
]] },
  { name = "omp_target_disassociate_ptr", params = { "host accdeep.pointer - host address",
      "device integer - number of the device" },
    returns = { "integer - 0, or another number if it fails" },
    text = "Undoes `omp_target_associate_ptr`. Nothing is copied.", rules = "OMP60-api-11",
    example = [[
expect(omp_target_disassociate_ptr(addr "a[0]", 0) ~= 0, "a is not associated")
]] },

  { name = "omp_initial_device", is = "value", type = "integer", also = { "omp_invalid_device", "omp_default_device" },
    text = "The host as a device, a number that is not a device, and the default device.", rules = "OMP60-api-2",
    example = [[
expect.equal(omp_initial_device, -1)
]] },
}
