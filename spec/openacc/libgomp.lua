-- OpenACC 3.3 and libgomp 12 side by side. In D1 to D27 libgomp differs from the standard, or the standard does
-- not decide. B1 to B13 are defects of libgomp or of its compiler, with the right answer under both profiles.
-- An error that ends a program under libgomp changes nothing here.
--
-- Three defects are not here, as the compiler makes them, not the runtime. B5: declare copyin of a local variable
-- is never unmapped. B8: the compiler stops at data copyin(p->a[0:n]). B9: update of a variable in declare at file
-- scope copies no data. Tests of programs show these.
scenario { title = "OpenACC: where libgomp differs" }

local program = [[
  struct s { int n; float *a, *b; };
  struct t { int k, l, m; };
  struct s S, *ps = &S;
  struct t T = { 1, 2, 3 };
  float A[4] = { 1, 2, 3, 4 }, B[4] = { 10, 20, 30, 40 };
  float z[20], y[20], *q = z;
  float *word;
  int n = 4;
]]

local function world(profile)
  rules(profile)
  declare(program)
  host.S = { n = 2 }
  host.S.a = addr "A[0]"
  host.S.b = addr "B[0]"
  for i = 0, 19 do host.z[i] = i end
end

-- A case under one profile.
local function under(profile, name, steps)
  local kind, what, ids = name:match "^(%l+: )(.*)( %[.*)$"
  case(("%s%s under %s%s"):format(kind, what, profile, ids), function()
    world(profile)
    steps()
  end)
end
local function acc33(name, steps) under("openacc-3.3", name, steps) end
local function libgomp(name, steps) under("libgomp-12", name, steps) end
local function both(name, steps)
  acc33(name, steps)
  libgomp(name, steps)
end

-- The address in the device copy of a pointer.
local function on_device(text)
  acc_memcpy_from_device(addr "word", acc_deviceptr(text), 8)
  return host.word
end

-- Maps S, A and B, and attaches S.a to A.
local function attached()
  acc "enter data copyin(S, A, B)"
  acc_attach "S.a"
  expect.attached("S.a", 1)
end

-- ------------------------------------------------------------------------------ attach, detach --

acc33("accepts: D1: attach of an absent pointer does nothing [ACC33-att-2]", function()
  expect.moves(function() acc "enter data copyin(A)" end, { h2d = { count = 1, bytes = 16 }, d2h = 0 })
  expect.events(function()
    acc_attach(addr "S.a")
    acc "enter data attach(S.a)"
  end, {})
  expect.accepts("data copyin(ps->a[0:2])", function() expect.detached "S.a" end)
end)

libgomp("rejects: D1: attach of an absent pointer is an error [ACC33-att-2]", function()
  acc "enter data copyin(A)"
  expect.present "A"
  expect.fails("not-present", function() acc_attach(addr "S.a") end)
  expect.fails("not-present", function() acc "enter data attach(S.a)" end)
  expect.fails("not-present", function() acc "data copyin(ps->a[0:2])" end)
  expect.fails("not-present", function() acc "enter data copyin(ps->a[0:2])" end)
end)

acc33("accepts: D2: attach to an absent target does nothing [ACC33-att-2]", function()
  expect.moves(function() acc "enter data copyin(S)" end, { h2d = { count = 1, bytes = 24 }, d2h = 0 })
  acc_attach "S.a"
  acc "enter data attach(S.a)"
  expect.detached "S.a"
end)

libgomp("rejects: D2: attach to an absent target is an error [ACC33-att-2]", function()
  acc "enter data copyin(S)"
  expect.present "S"
  expect.fails("not-present", function() acc_attach "S.a" end)
  expect.fails("not-present", function() acc "enter data attach(S.a)" end)
end)

acc33("accepts: D3: attach of a null pointer makes the device pointer null [ACC33-att-4]", function()
  acc "enter data copyin(S)"
  host.S.a = NULL
  acc_attach "S.a"
  expect.detached "S.a"
  expect.equal(on_device "S.a", NULL)
end)

libgomp("rejects: D3: attach of a null pointer is an error [ACC33-att-4]", function()
  acc "enter data copyin(S)"
  host.S.a = NULL
  expect.fails("null-pointer", function() acc_attach "S.a" end)
  expect.fails("null-pointer", function() acc "enter data attach(S.a)" end)
end)

acc33("accepts: D4: detach of a pointer that was never attached does nothing [ACC33-det-1]",
  function()
    expect.moves(function() acc "enter data copyin(S, A)" end, { h2d = { count = 2, bytes = 40 }, d2h = 0 })
    expect.events(function()
      acc_detach "S.a"
      acc "exit data detach(S.a)"
      acc_detach_finalize "S.a"
    end, {})
  end)

libgomp("rejects: D4: detach of a pointer that was never attached is an error [ACC33-det-1]", function()
  acc "enter data copyin(S, A)"
  expect.fails("not-attached", function() acc_detach "S.a" end)
  expect.fails("not-attached", function() acc "exit data detach(S.a)" end)
  expect.fails("not-attached", function() acc_detach_finalize "S.a" end)
  acc "exit data delete(S)"
  expect.absent "S"
end)

acc33("accepts: D5: a second detach does nothing [ACC33-det-1]", function()
  attached()
  acc_detach "S.a"
  acc_detach "S.a"
  acc "exit data detach(S.a) finalize"
  expect.detached "S.a"
end)

libgomp("rejects: D5: a second detach is an error [ACC33-det-1]", function()
  attached()
  acc_detach "S.a"
  expect.fails("not-attached", function() acc_detach "S.a" end)
  expect.fails("not-attached", function() acc "exit data detach(S.a)" end)
  acc "exit data detach(S.a) finalize" -- no error: see D6
end)

acc33("accepts: D6: detach with finalize, while a sibling is attached, does nothing [ACC33-det-1]",
  function()
    attached()
    host.S.b = addr "A[0]"
    acc_detach_finalize "S.b"
    expect.equal(on_device "S.b", addr "B[0]")
    expect.attached("S.a", 1)
  end)

libgomp("rejects: D6: detach with finalize, while a sibling is attached, writes the host's value [ACC33-det-1]",
  function()
    attached()
    expect.fails("not-attached", function() acc_detach "S.b" end)
    host.S.b = addr "A[0]"
    acc_detach_finalize "S.b"
    expect.equal(on_device "S.b", addr "A[0]")
    expect.detached "S.b"
    expect.attached("S.a", 1)
  end)

acc33("accepts: D7: detach of an absent pointer does nothing [ACC33-det-1]", function()
  acc_detach(addr "S.a")
  acc "exit data detach(S.a)"
  expect.moves(function() acc "enter data copyin(A)" end, { h2d = { count = 1, bytes = 16 }, d2h = 0 })
  acc "exit data delete(ps->a[0:4])"
  expect.absent "A"
end)

libgomp("rejects: D7: detach of an absent pointer is an error [ACC33-det-1]", function()
  expect.fails("not-present", function() acc_detach(addr "S.a") end)
  expect.fails("not-present", function() acc "exit data detach(S.a)" end)
  acc "enter data copyin(A)"
  expect.present "A"
  expect.fails("not-present", function() acc "exit data delete(ps->a[0:4])" end)
  acc "enter data copyin(S)"
  expect.fails("not-attached", function() acc "exit data delete(ps->a[0:4])" end)
end)

acc33("accepts: D8: an attach to a new target replaces the old one and sets the counter to one [ACC33-att-3]",
  function()
    attached()
    acc_attach "S.a"
    expect.attached("S.a", 2)
    host.S.a = addr "B[0]"
    acc_attach "S.a"
    expect.attached("S.a", 1)
    expect.device("S.a[1]", 20)
  end)

libgomp("differs: D8: a second attach increments the counter, whatever the pointer points to [ACC33-att-3]",
  function()
    attached()
    host.S.a = addr "B[0]"
    acc_attach "S.a"
    expect.attached("S.a", 2)
    expect.device("S.a[1]", 2)
    host.S.a = addr "z[0]" -- absent
    acc "enter data attach(S.a)"
    host.S.a = NULL
    acc "enter data attach(S.a)"
    expect.attached("S.a", 4)
    expect.device("S.a[1]", 2)
    acc "exit data detach(S.a) finalize"
    expect.equal(on_device "S.a", NULL)
  end)

both("accepts: D9: detach gives the device pointer the current value of the host [ACC33-det-1]", function()
  attached()
  host.S.a = addr "B[0]"
  acc_detach "S.a"
  expect.equal(on_device "S.a", addr "B[0]")
  expect.accepts "exit data copyout(S)"
  expect(host.S.a == addr "B[0]")
end)

acc33("accepts: D10: update device keeps an attached pointer [ACC33-att-8]", function()
  attached()
  host.S.n = 7
  acc "update device(S)"
  expect.device("S.n", 7)
  expect.device("S.a[1]", 2)
  expect.attached("S.a", 1)
end)

libgomp("differs: D10: update device overwrites an attached pointer [ACC33-att-8]", function()
  attached()
  expect.moves(function() acc "update device(S)" end, { h2d = { count = 1, bytes = sizeof "S" } })
  expect.equal(on_device "S.a", addr "A[0]")
  expect.attached("S.a", 1)
  local problem = expect.fails("host-pointer-on-device", function() expect.device("S.a[1]", 2) end)
  expect(problem.message:find "attached, and then overwritten")
  acc_attach "S.a"
  expect.attached("S.a", 2)
  expect.equal(on_device "S.a", addr "A[0]")
end)

acc33("accepts: D11: device addresses do not reach the host [ACC33-att-7 ACC33-att-8]", function()
  attached()
  expect.moves(function() acc "update self(S)" end, { h2d = 0, d2h = { count = 2, bytes = 16 } })
  expect(host.S.a == addr "A[0]")
  acc "exit data copyout(S)"
  expect(host.S.a == addr "A[0]")
  expect.detached "S.a"
end)

libgomp("differs: D11: device addresses reach the host [ACC33-att-7 ACC33-att-8]", function()
  attached()
  local there = acc_deviceptr "A"
  acc "update self(S)"
  expect(host.S.a == there)
  expect.fails("device-pointer-on-host", function() return host.S.a[0] end)
  host.S.a = addr "A[0]"
  acc_copyout "S"
  expect(host.S.a == there)
  expect(host.S.b == addr "B[0]")
end)

libgomp("accepts: D11: the address of a pointer that the same directive detaches does not reach the host"
  .. " [ACC33-att-7]", function()
  attached()
  expect.accepts "exit data copyout(S) detach(S.a)"
  expect(host.S.a == addr "A[0]")
end)

acc33("accepts: D12: pointers to a target are detached when the target is unmapped [ACC33-att-11]", function()
  attached()
  expect.events(function() acc_delete "A" end, { "detach S.a", "decref A", "free A" })
  expect.detached "S.a"
  expect.equal(on_device "S.a", addr "A[0]")
end)

libgomp("differs: D12: pointers to a target dangle when the target is unmapped [ACC33-att-11]", function()
  attached()
  local there = acc_deviceptr "A"
  expect.events(function() acc_delete "A" end, { "decref A", "free A" })
  expect.attached("S.a", 1)
  expect.equal(on_device "S.a", there)
  expect.fails("out-of-bounds", function() expect.device("S.a[1]", 2) end)
  acc_create "z" -- takes the freed memory
  acc_copyin "A"
  acc_attach "S.a"
  expect.attached("S.a", 2)
  expect.equal(on_device "S.a", there)
  acc_detach "S.a"
  acc_detach "S.a"
  expect.equal(on_device "S.a", addr "A[0]")
  acc_attach "S.a"
  expect.device("S.a[1]", 2)
end)

both("accepts: D13: an object is unmapped although pointers in it are attached [ACC33-att-7]", function()
  attached()
  expect.events(function() acc_delete "S" end, { "detach S.a", "decref S", "free S" })
  expect.detached "S.a"
  expect.present "A"
  acc_copyin "S"
  expect.detached "S.a"
end)

-- ---------------------------------------------------------------------------------- routines --

both("accepts: D14: acc_copyout and acc_delete of absent data do nothing [ACC33-3.2.18-4]",
  function()
    expect.events(function()
      acc_copyout "z"
      acc_delete "z"
      acc_copyout_finalize "z"
      acc_delete_finalize "z"
      acc "exit data copyout(z)"
    end, {})
  end)

case("rejects: D14: acc_copyout and acc_delete of absent data are errors in a strict profile"
  .. " [ACC33-3.2.18-4 TR14-4.3-05]", function()
  world "tr14"
  expect.fails("not-present", function() acc_copyout "z" end)
  expect.fails("not-present", function() acc_delete_finalize "z" end)
end)

both("accepts: D15: acc_copyout and acc_delete with a size of zero do nothing [ACC33-3.2.18-2]", function()
  acc_create "z"
  acc_copyout(addr "z[0]", 0)
  acc_delete(addr "z[0]", 0)
  acc_delete_finalize(NULL, 0)
  acc_update_self(NULL, 0)
  expect.count("z", { dynamic = 1 })
end)

acc33("rejects: D15: data routines get a null pointer and a size above zero [ACC33-3.2.18-1]", function()
  expect.fails("null-pointer", function() acc_delete(NULL, 4) end)
  expect.fails("null-pointer", function() acc_copyout(NULL, 4) end)
  expect.fails("null-pointer", function() acc_update_self(NULL, 4) end)
  expect.fails("null-pointer", function() acc_copyin(NULL, 4) end)
end)

libgomp("accepts: D15: a null pointer with a size above zero is an error only where data are created"
  .. " [ACC33-3.2.18-1]",
  function()
    acc_delete(NULL, 4)
    acc_copyout(NULL, 4)
    acc_update_self(NULL, 4)
    expect.fails("null-pointer", function() acc_copyin(NULL, 4) end)
  end)

acc33("accepts: D16: acc_copyin and acc_create with a size of zero do nothing [ACC33-3.2.18-2]", function()
  expect.equal(acc_create(addr "z[0]", 0), NULL)
  expect.equal(acc_copyin(addr "z[0]", 0), NULL)
  expect.equal(acc_copyin(NULL, 0), NULL)
  expect.absent "z"
end)

libgomp("rejects: D16: acc_copyin and acc_create with a size of zero are errors [ACC33-3.2.18-2]", function()
  expect.fails("invalid-section", function() acc_create(addr "z[0]", 0) end)
  expect.fails("invalid-section", function() acc_copyin(addr "z[0]", 0) end)
  expect.fails("invalid-section", function() acc_copyin(NULL, 0) end)
end)

acc33("accepts: D17: acc_is_present with a size of zero asks about the address [ACC33-3.2.26-2]", function()
  acc_create "z[2:4]"
  expect.equal(acc_is_present(addr "z[3]", 0), true)
  expect.equal(acc_is_present(addr "z[1]", 0), false)
end)

libgomp("differs: D17: acc_is_present with a size of zero is always false [ACC33-3.2.26-2]", function()
  acc_create "z[2:4]"
  expect.equal(acc_is_present(addr "z[3]", 0), false)
  expect.equal(acc_is_present(addr "z[3]", 1), true)
end)

acc33("accepts: D18: an update with a size of zero does nothing [ACC33-3.2.18-3]", function()
  expect.moves(function() acc_update_device(addr "z[0]", 0) end, { h2d = 0, d2h = 0 })
  acc_create "z"
  expect.uninitialized "z[0:1]"
  acc_update_device "z[0:1]"
  expect.moves(function() acc_update_self(addr "z[0]", 0) end, { h2d = 0, d2h = 0 })
end)

libgomp("rejects: D18: an update with a size of zero is an error for absent and for present data"
  .. " [ACC33-3.2.18-3]", function()
  expect.fails("not-present", function() acc_update_device(addr "z[0]", 0) end)
  acc_create "z"
  expect.fails("not-present", function() acc_update_self(addr "z[0]", 0) end)
end)

acc33("rejects: D19: acc_unmap_data unmaps data that a region uses [ACC33-3.2.21-2 ACC33-3.2.21-1]", function()
  local d = acc_malloc(80)
  acc_map_data(addr "z[0]", d, 80)
  acc "data create(z[2:4])" (function()
    acc_create "z[3:2]"
    expect.fails("already-present", function() acc_unmap_data(addr "z[0]") end)
  end)
  acc_unmap_data(addr "z[0]")
  expect.absent "z"
  acc_free(d)
end)

libgomp("accepts: D19: acc_unmap_data may unmap data that a region uses [ACC33-3.2.21-2]", function()
  local d = acc_malloc(80)
  acc_map_data(addr "z[0]", d, 80)
  expect.accepts("data copy(z[2:4])", function()
    expect(acc_create "z[3:2]" == acc_deviceptr "z[3]")
    acc_unmap_data(addr "z[0]")
    expect.absent "z"
    acc_memcpy_to_device(d, addr "z[10]", 40)
    host.q = d
    acc "parallel deviceptr(q)" "q[2] = q[3] + 1;"
  end)
  expect.host("z[2]", 2)
  acc_memcpy_from_device(addr "y[0]", d, 16)
  expect.host("y[0:4]", { 10, 11, 14, 13 })
  acc_free(d)
end)

both("accepts: D19: dynamic counters do not keep data from acc_unmap_data [ACC33-3.2.21-2]", function()
  local d = acc_malloc(80)
  acc_map_data(addr "z[0]", d, 80)
  acc_create "z"
  acc_create "z[2:4]"
  expect.count("z", { dynamic = 3 })
  acc_unmap_data(addr "z[0]")
  expect.absent "z"
  acc_free(d)
end)

libgomp("accepts: D19: pointers to unmapped data dangle, and pointers in unmapped data are forgotten"
  .. " [ACC33-3.2.21-2]", function()
  local d, e = acc_malloc(16), acc_malloc(sizeof "S")
  acc_map_data(addr "A[0]", d, 16)
  acc_map_data(addr "S", e, sizeof "S")
  acc_update_device "S"
  acc_create "B"
  acc_attach "S.a"
  acc_attach "S.b"
  acc_unmap_data(addr "A[0]")
  expect.attached("S.a", 1)
  expect.equal(on_device "S.a", d)
  acc_unmap_data(addr "S")
  expect.equal(#state().attached, 0)
  acc_delete "B"
end)

acc33("rejects: D19: acc_unmap_data unmaps data to which a pointer is attached"
  .. " [ACC33-3.2.21-2 ACC33-att-11]", function()
  local d = acc_malloc(16)
  acc_map_data(addr "A[0]", d, 16)
  acc_copyin "S"
  acc_attach "S.a"
  expect.fails("still-attached", function() acc_unmap_data(addr "A[0]") end)
  acc_detach "S.a"
  acc_unmap_data(addr "A[0]")
end)

-- ------------------------------------------------------------------------- parts of what is present --

both("accepts: D20: the last exit, of a part, copies the part and unmaps the whole [ACC33-2.7-1]",
  function()
    acc_copyin "z"
    acc "parallel present(z)" "for (int i = 0; i < 20; i++) z[i] = 100 + i;"
    expect.moves(function() acc_copyout(addr "z[4]", 8) end, { d2h = { count = 1, bytes = 8 } })
    expect.host("z[3:4]", { 3, 104, 105, 6 })
    expect.absent "z"
    acc_copyin "z"
    acc "exit data delete(z[0:2])"
    expect.absent "z"
  end)

both("rejects: D21: an exit clause names more than is present [ACC33-gloss-1 ACC33-2.7.3-1]", function()
  acc "enter data copyin(z[0:10])"
  expect.fails("partially-present", function() acc "exit data delete(z[0:20])" end)
  expect.fails("partially-present", function() acc_copyout "z" end)
end)

both("rejects: D22: a section spans two neighbours, or a part and a gap after it [ACC33-gloss-1 ACC33-2.7.3-1]",
  function()
    acc "enter data copyin(z[0:5])"
    acc "enter data copyin(z[5:5])"
    expect.equal(acc_is_present "z[0:5]" and acc_is_present "z[5:5]", true)
    expect.equal(acc_is_present "z[3:4]", false)
    expect.fails("partially-present", function() acc_create "z[3:4]" end)
    expect.fails("partially-present", function() acc "data present(z[0:10])" end)
    expect.fails("partially-present", function() acc_copyin "z[8:4]" end)
    expect.equal(acc_is_present "z[8:4]", false)
  end)

both("accepts: D22: each of two neighbours is present [ACC33-gloss-1]", function()
  acc "enter data copyin(z[0:5])"
  acc "enter data copyin(z[5:5])"
  expect.equal(acc_is_present "z[0:5]", true)
  expect.accepts "data present(z[1:4], z[5:2])"
end)

both("rejects: D23: a clause names a structure of which only members are present"
  .. " [ACC33-gloss-1 ACC33-2.7.3-1]", function()
  acc "enter data copyin(T.k, T.m)"
  expect.fails("partially-present", function() acc_copyin "T" end)
  expect.fails("partially-present", function() acc "enter data copyin(T)" end)
  expect.absent "T.l"
end)

acc33("accepts: D24: a clause maps a further member of a structure that is partly present [ACC33-2.7.1-4]", function()
  acc "enter data copyin(T.k, T.m)"
  acc "enter data copyin(T.l)"
  acc "parallel present(T.k, T.l, T.m)" "T.l = 10 * T.k + T.m;"
  acc "exit data copyout(T.l)"
  expect.host("T.l", 13)
  expect.absent "T.l"
  expect.present "T.k"
end)

libgomp("rejects: D24: a further member of a partly present structure is an error"
  .. " [ACC33-2.7.1-4 ACC33-2.7.3-1]", function()
  acc "enter data copyin(T.k, T.m)"
  expect.fails("partially-present", function() acc "enter data copyin(T.l)" end)
  expect.fails("partially-present", function() acc "enter data copyin(T.k, T.l, T.m)" end)
  expect.fails("partially-present", function() acc "data copyin(T.l)" end)
  acc "exit data delete(T.k, T.m)"
  acc "enter data copyin(T.k, T.l, T.m)"
  expect(acc_deviceptr "T.m" == acc_deviceptr "T.k" + 2) -- in one block, at their offsets
end)

both("accepts: D25: finalize does not unmap data that a region holds, and copies nothing [ACC33-2.6.7-4]",
  function()
    acc "data copyin(z)" (function()
      acc "enter data create(z)"
      expect.count("z", { structured = 1, dynamic = 1 })
      expect.accepts("parallel present(z)", "z[1] = 50;")
      expect.moves(function() acc_copyout_finalize "z" end, { h2d = 0, d2h = 0 })
      expect.count("z", { structured = 1, dynamic = 0 })
      acc "exit data copyout(z) finalize"
      expect.count("z", { structured = 1, dynamic = 0 })
    end)
    expect.absent "z"
    expect.host("z[1]", 1)
  end)

acc33("accepts: D26: a section of a member does not count the structure [ACC33-att-10]", function()
  acc "enter data copyin(S)"
  acc "enter data copyin(S.a[0:2])"
  expect.count("S", { dynamic = 1 })
  expect.accepts("data copyin(S.b[0:2])", function()
    expect.count("S", { structured = 0, dynamic = 1 })
    acc "exit data delete(S)"
    expect.absent "S"
  end)
  expect.present "A[0:2]"
end)

libgomp("differs: D26: a section of a member counts the structure [ACC33-att-10]", function()
  acc "enter data copyin(S)"
  acc "enter data copyin(S.a[0:2])"
  expect.count("S", { dynamic = 2 })
  acc "exit data delete(S)"
  expect.present "S"
  acc "exit data delete(S.a[0:2])"
  expect.absent "S"
  acc "data copyin(S)" (function()
    acc "enter data copyin(S.a[0:2])"
    expect.count("S", { structured = 1, dynamic = 1 })
  end)
  expect.present "S"
end)

-- A kernel uses a variable that is present itself, and whose section its clause names.
local function by_section()
  acc "enter data copyin(z)"
  acc "enter data copyin(q)"
  expect.present "q"
  acc "serial present(q[0:4])" "q[1] = 9;"
  expect.device("z[1]", 9)
end
acc33("accepts: D27: the clause of a kernel attaches the pointer that the kernel uses [ACC33-2.7.1-3]", function()
  by_section()
  acc "update self(z[1:1])"
  expect.host("z[1]", 9)
end)
libgomp("differs: D27: a kernel has its own pointer to a section that its clause names [ACC33-2.7.1-3]", function()
  by_section()
  expect.detached "q"
  expect.equal(on_device "q", addr "z[0]")
end)

-- ---------------------------------------------------------------------------------------- defects --

both("accepts: B1: members that were mapped twice stay present after one exit [ACC33-2.6.7-3]", function()
  acc "enter data copyin(T.k, T.l)"
  acc "enter data copyin(T.k, T.l)"
  acc "exit data delete(T.k, T.l)"
  expect.count("T.k", { dynamic = 1 })
  expect.count("T.l", { dynamic = 1 })
  acc "exit data delete(T.k, T.l)"
  expect.absent "T"
end)

both("accepts: B2: an update of a section does not change the pointer to the section [ACC33-upd-1]", function()
  acc "enter data copyin(S)"
  acc "enter data copyin(S.a[0:4])"
  expect.present "S"
  local before = on_device "S.a"
  host.A[2] = 33
  expect.moves(function() acc "update device(S.a[2:1])" end, { h2d = { count = 1, bytes = 4 } })
  expect.equal(on_device "S.a", before)
  expect.device("S.a[0:4]", { 1, 2, 33, 4 })
  expect.attached("S.a", 1)
end)

both("differs: B2: an update of a section does not attach [ACC33-att-1]", function()
  acc "enter data copyin(A)"
  acc "enter data copyin(S)"
  expect.accepts "update device(S.a[2:1])"
  expect.detached "S.a"
  expect.equal(on_device "S.a", addr "A[0]")
end)

both("accepts: B3: kernels uses a scalar that is present [ACC33-impl-1]", function()
  acc "enter data copyin(n)"
  host.n = 5
  expect.moves(function() acc "kernels" "n = n + 1;" end, { h2d = 0, d2h = 0 })
  expect.host("n", 5)
  expect.accepts "exit data copyout(n)"
  expect.host("n", 5)
end)

both("rejects: B4: an update names more than is present [ACC33-upd-1 ACC33-2.7.3-1]", function()
  acc "enter data copyin(z[0:10])"
  expect.fails("partially-present", function() acc "update self(z[5:10])" end)
  expect.fails("partially-present", function() acc_update_self "z[5:10]" end)
end)

acc33("accepts: B6: acc_attach may be the first call of a program [ACC33-att-2]", function()
  expect(pcall(acc_attach, addr "S.a"))
  expect.equal(#state().attached, 0)
end)
libgomp("rejects: B6: acc_attach as the first call finds no pointer [ACC33-att-2]", function()
  expect.fails("not-present", function() acc_attach(addr "S.a") end)
end)

both("differs: B7: acc_hostptr finds no data for an address that no present object contains [ACC33-3.2.26-1]",
  function()
    local many = alloc("int", 20000)
    for i = 0, 19998 do acc_create(many + i, 4) end
    local d = acc_malloc(4)
    expect.equal(acc_hostptr(d), NULL)
    expect.equal(acc_hostptr(acc_deviceptr(many + 19000)), many + 19000)
    acc_free(d)
  end)

both("rejects: B10: a section begins before the present data and ends in them"
  .. " [ACC33-gloss-1 ACC33-2.7.3-1]", function()
  acc "enter data copyin(z[10:10])"
  expect.fails("partially-present", function() acc_create "z[5:10]" end)
  expect.fails("partially-present", function() acc "enter data copyin(z[5:10])" end)
  expect.fails("partially-present", function() acc "data copyin(z[5:10])" end)
  expect.count("z[10]", { dynamic = 1 })
  expect.equal(acc_is_present "z[5:10]", false)
end)

both("rejects: B11: a range spans two neighbours, whichever is found first [ACC33-gloss-1 ACC33-2.7.3-1]", function()
  acc "enter data copyin(z[5:5])"
  acc "enter data copyin(z[10:5])"
  for _, first in ipairs { "z[5]", "z[10]" } do
    expect.equal(acc_is_present(first), true)
    expect.fails("partially-present", function() acc_create "z[5:10]" end)
    expect.fails("partially-present", function() acc_copyin "z[6:8]" end)
  end
end)

both("rejects: B12: an update begins before the present data [ACC33-upd-1 ACC33-2.7.3-1]", function()
  acc "enter data copyin(z[10:10])"
  expect.fails("partially-present", function() acc_update_device "z[5:10]" end)
  expect.fails("partially-present", function() acc "update device(z[5:10])" end)
end)

both("accepts: B13: acc_hostptr is the inverse of acc_deviceptr [ACC33-3.2.26-1]", function()
  acc "data create(y, z)" (function()
    for _, at in ipairs { addr "y[0]", addr "z[0]", addr "y[19]", addr "z[7]" } do
      expect.equal(acc_hostptr(acc_deviceptr(at)), at)
    end
  end)
end)
