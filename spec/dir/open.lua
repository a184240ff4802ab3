-- What the document leaves open, and how it is read here: pointers, updates, addresses, memory and errors
-- while ranges are fused.
scenario { title = "DIR: what is left open", rules = "directory", devices = 2 }

declare [[
  float a[2000], b[20], m[8][4]; float *c, *q, *h; int no = 0;
  struct link { int n; float *v; };
  struct link S, N[8];
  struct deep { int n; float *v;
      #pragma acc shape init_needed(n) include(v[0:n])
  };
  struct deep X;
]]
for i = 0, 1999 do host.a[i] = i end
for i = 0, 19 do host.b[i] = 100 * i end
for i = 0, 31 do host.m[i // 4][i % 4] = i end
host.c, host.q = addr "a[25]", addr "a[0]"

-- Allocates all memory of the device except some bytes.
local function leave(bytes)
  local spare = bytes > 0 and acc_malloc(bytes)
  local piece = 1 << 34
  while piece >= 1 do
    if acc_malloc(piece) == NULL then piece = piece >> 1 end
  end
  if spare then acc_free(spare) end
end

-- ------------------------------------------------------------------------------- attachments --
-- A fusion moves device memory. Pointers into a moved block follow it, on entry and on exit; pointers in a
-- moved block move with it, and stay attached.

case("accepts: a pointer into a moved block follows the block, there and back [DIR-4.1-05]", function()
  host.S = { n = 1, v = addr "a[3]" }
  acc "data copyin(a[0:20], S)" (function()
    acc "enter data attach(S.v)"
    local before = acc_deviceptr "a[0]"
    acc "data copyin(a[50:20])" (function()
      expect.attached("S.v", 1)
      acc "parallel present(S)" "S.v[0] = S.v[60 - 13];" -- a[3] = a[50]
      expect.device("a[3]", 50)
      acc "data copyin(a[100:5])" (function()
        acc "parallel present(S)" "S.v[1] = S.v[97];"
        expect.device("a[4]", 100)
      end)
    end)
    expect(acc_deviceptr "a[0]" == before)
    expect.attached("S.v", 1)
    acc "parallel present(S)" "S.v[2] = S.v[0] + 1;"
    expect.device("a[5]", 51)
    expect.fails("out-of-bounds", function() acc "parallel present(S)" "float x = S.v[47];" end)
    acc "exit data detach(S.v)"
  end)
end)

case("accepts: pointers in a moved block point to the same data [DIR-4.1-05]", function()
  for k = 0, 7 do host.N[k].n, host.N[k].v = k, addr(("a[%d]"):format(k)) end
  acc "data copyin(a[0:20]) copy(N[0:2])" (function()
    acc "enter data attach(N[1].v)"
    acc "data copyin(N[5:2])" (function() -- N[0:7]
      expect.attached("N[1].v", 1)
      acc "enter data attach(N[6].v)"
      acc "parallel present(N[0:2])" "N[1].v[0] = N[6].n * 10; N[6].v[0] = N[1].n;"
      expect.device("a[1]", 60)
      expect.device("a[6]", 1)
      acc "exit data detach(N[6].v)"
    end)
    expect.attached("N[1].v", 1)
    acc "parallel present(N[0:2])" "N[1].v[1] = N[1].v[0];"
    expect.device("a[2]", 60)
    acc "exit data detach(N[1].v)"
  end)
  expect(host.N[1].v == addr "a[1]")
end)

case("accepts: a pointer in a moved block points into the same block [DIR-4.1-05]", function()
  declare "struct node { int k; struct node *next; }; struct node L[8];"
  for k = 0, 7 do host.L[k].k, host.L[k].next = k, addr(("L[%d]"):format((k + 1) % 3)) end
  acc "data copy(L[0:3])" (function()
    for k = 0, 2 do acc(("enter data attach(L[%d].next)"):format(k)) end
    acc "data copyin(L[6:2])" (function()
      acc "parallel present(L[0:3])" "L[0].next->next->next->k = L[7].k;"
      expect.device("L[0].k", 7)
    end)
    acc "parallel present(L[0:3])" "L[1].next->next->k += 1;"
    expect.device("L[0].k", 8)
    for k = 0, 2 do acc(("exit data detach(L[%d].next)"):format(k)) end
  end)
  expect.host("L[0].k", 8)
  expect(host.L[0].next == addr "L[1]")
end)

case("accepts: a pointer attached during the fusion points to the former place afterwards [DIR-4.1-05]", function()
  host.S = { n = 1, v = addr "a[3]" }
  acc "data copyin(a[0:20], S)" (function()
    expect.accepts("data copyin(a[50:20])", function()
      acc "enter data attach(S.v)"
      acc "parallel present(S)" "S.v[0] = -3;"
    end)
    expect.attached("S.v", 1)
    acc "parallel present(S)" "S.v[1] = S.v[0];"
    expect.device("a[3:2]", { -3, -3 })
    acc "exit data detach(S.v)"
  end)
end)

case("accepts: a pointer is detached during the fusion [DIR-4.1-05]", function()
  host.S = { n = 1, v = addr "a[3]" }
  acc "data copyin(a[0:20], S)" (function()
    acc "enter data attach(S.v)"
    expect.accepts("data copyin(a[50:20])", function() acc "exit data detach(S.v)" end)
    expect.detached "S.v"
    expect.fails("host-pointer-on-device", function() acc "parallel present(S)" "S.v[0] = 1;" end)
  end)
end)

case("rejects: a level ends while a pointer of another level points into its data [DIR-4.1-05 TR14-4.3-12]", function()
  host.S = { n = 1, v = addr "a[60]" }
  acc "data copyin(a[0:20], S)" (function()
    local inner = acc "data copyin(a[50:20])"
    acc "enter data attach(S.v)"
    expect.fails("still-attached", function() inner:close() end)
    expect.device("a[69]", 69)
    acc "exit data detach(S.v)"
    inner:close()
  end)
end)

-- The kinds of events, in order.
local function kinds(fn)
  local list = {}
  for _, event in ipairs(events(fn)) do
    if list[#list] ~= event.op then list[#list + 1] = event.op end
  end
  return list
end

case("accepts: pointers are attached after the copies and detached before them [DIR-4.2-08]", function()
  host.X = { n = 4, v = addr "a[25]" }
  acc "data copyin(c[20:5])" (function()
    local region
    expect.equal(kinds(function() region = acc "data copy(X)" end),
      { "fuse", "alloc", "d2d", "h2d", "attach", "incref" })
    local tuple = state().levels[2].artificial
    tuple = tuple[1].name == "X" and tuple[2] or tuple[1]
    expect.equal({ tuple.name, tuple.bytes, tuple.state }, { "X.v[0:25]", 100, "ALLOC" })
    expect.equal(tuple.ancestors, { "X.v[0:4]", "c[20:5]" })
    acc "parallel present(X)" "X.v[0] = X.v[24];"
    expect.equal(kinds(function() region:close() end), { "detach", "decref", "d2h", "d2d", "free" })
  end)
  expect.host("a[25]", 49)
end)

-- ------------------------------------------------------------------------------------ update --
-- update moves between the host and wherever the data are now. Every byte must be present, in as many
-- objects as there are.

case("accepts: an update names a range in a fused block [DIR-4.1-05]", function()
  acc "data copyin(a[0:20])" (function()
    acc "data copyin(a[50:20])" (function()
      host.a[5], host.a[55] = -5, -55
      expect.moves(function() acc "update device(a[0:20], a[50:20])" end, { h2d = { bytes = 160 }, d2d = 0 })
      expect.device("a[5]", -5)
      expect.device("a[55]", -55)
      acc "parallel" "a[6] = a[5] + a[55];"
      expect.moves(function() acc "update self(a[6:1])" end, { d2h = { count = 1, bytes = 4 } })
      expect.host("a[6]", -60)
    end)
    expect.device("a[5:2]", { -5, -60 }) -- copied back with the rest
  end)
end)

case("accepts: an update covers several objects in one block or in several [DIR-4.1-05]", function()
  acc "data copyin(a[0:10]) create(a[10:10])" (function()
    acc "parallel" "for (int i = 0; i < 20; i++) a[i] = 2 * i;"
    expect.moves(function() acc "update self(a[5:10])" end, { d2h = { bytes = 40 } })
    expect.host("a[4:3]", { 4, 10, 12 })
    expect.host("a[14:2]", { 28, 15 })
  end)
  host.q = addr "a[30]"
  acc "data copyin(a[20:10]) copyin(q[0:10])" (function()
    expect.equal(#state().levels[1].artificial, 2)
    host.a[29], host.a[30] = -29, -30
    acc "update device(a[25:10])"
    expect.device("a[29]", -29)
    expect.device("a[30]", -30)
    acc_update_self "a[20:20]"
  end)
end)

case("rejects: an update names a hole or exceeds the data [DIR-4.1-05 TR14-4.2-03]", function()
  acc "data copyin(a[0:20], a[50:20])" (function()
    for _, way in ipairs { "self", "device" } do
      expect.fails("not-present", function() acc(("update %s(a[20:30])"):format(way)) end)
      expect.fails("partially-present", function() acc(("update %s(a[0:70])"):format(way)) end)
      expect.fails("partially-present", function() acc(("update %s(a[60:20])"):format(way)) end)
    end
    expect.moves(function() acc "update self(a[20:30]) if_present" end, { d2h = 0 })
  end)
end)

-- ------------------------------------------------------------------ unmapping while fused --
-- Data of a floor may be unmapped while a higher level has fused them. They are copied from where they are.

case("accepts: exit data of an ancestor copies out from the fused block [DIR-4.3-03]", function()
  acc "enter data copyin(a[0:20])"
  acc "data copy(a[50:20])" (function()
    acc "parallel present(a[0:20])" "a[0] = -1; a[69] = -69;"
    expect.moves(function() acc "exit data copyout(a[0:20])" end,
      { h2d = 0, d2h = { count = 1, bytes = 80 } })
    expect.host("a[0:2]", { -1, 1 })
    expect.absent "a[0:50]"
    expect.device("a[69]", -69)
    acc "parallel" "a[50] = a[69];"
    expect.fails("out-of-bounds", function() acc "parallel" "a[0] = 1;" end)
  end)
  expect.host("a[50]", -69)
  expect.equal(#state().present, 0)
end)

case("accepts: deleted data are mapped again while the level is open [DIR-4.3-03]", function()
  acc "enter data copyin(a[0:20])"
  acc "data copyin(a[50:20])" (function()
    for k = 1, 3 do
      acc "exit data delete(a[0:20])"
      host.a[0] = -k
      acc "enter data copyin(a[0:20])"
      acc "parallel" "a[1] = a[0] + a[50];"
      expect.device("a[1]", 50 - k)
    end
    expect.equal(tuples(state().levels[1].dynamic), { "copyin a[0:20]" })
  end)
  expect.device("a[1]", 47)
  acc "exit data delete(a[0:20])"
  expect.equal(#state().present, 0)
end)

case("differs: data that a clause of the level keeps are neither unmapped nor moved [DIR-4.3-03]", function()
  acc "enter data copyin(a[0:20])"
  acc "data copyin(a[50:20]) present(a[0:20])" (function()
    acc "parallel" "a[0] = -1;"
    expect.moves(function() acc "exit data copyout(a[0:20])" end, { d2h = 0 })
    expect.present "a[0:20]"
    expect.device("a[0]", -1)
  end)
  expect.absent "a[0:20]"
  expect.host("a[0]", 0)
end)

-- The last reference unmaps data, and its clause decides whether they are copied. A clause that found the data
-- present copies nothing, even if its reference is the last.

case("accepts: exit data copies out data that an ended level mapped [DIR-4.3-05]", function()
  expect.accepts("data copyin(b)", function()
    acc "enter data copyin(b)"
    acc "parallel" "b[0] = -1;"
  end)
  expect.present "b"
  expect.moves(function() acc "exit data copyout(b)" end, { d2h = { count = 1, bytes = 80 } })
  expect.host("b[0]", -1)
end)

case("accepts: the clause that mapped the data copies out although others were dropped [DIR-4.3-05]", function()
  expect.moves(function()
    acc "data copy(b)" (function()
      acc "enter data pcopyin(b)"
      acc "parallel" "b[0] = -1;"
      expect.accepts "exit data delete(b)"
    end)
  end, { h2d = { count = 1, bytes = 80 }, d2h = { count = 1, bytes = 80 } })
  expect.host("b[0]", -1)
end)

case("differs: the clause with the last reference found the data present [DIR-4.3-05]", function()
  acc "enter data copyin(b)"
  acc "data copy(b)" (function()
    expect.accepts("parallel", "b[0] = -1;")
    acc "exit data delete(b)"
    expect.present "b"
  end)
  expect.absent "b"
  expect.host("b[0]", 0)
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

-- finalize and exits of OpenMP remove references without the clauses that added them. Data are then unmapped while
-- clauses that name a part of them are open; these clauses end.

case("accepts: a clause ends when OpenMP unmaps a part of its data [DIR-6-01]", function()
  rules { base = "directory", partial_overlap = "present_and_copyin" }
  acc "data copyin(a[0:4])" (function()
    acc "enter data copyin(a[0:6])"
    omp "target enter data map(to: a[2:4])"
    expect.count("a[4:2]", { dynamic = 2 })
    acc "exit data copyout(a[0:6])"
    omp "target exit data map(release: a[4:2])"
    expect.absent "a[4:2]"
    expect.fails("partially-present", function() acc "update self(a[2:4])" end)
    acc "enter data copyin(a[4:2])"
    expect.device("a[3:2]", { 3, 4 })
  end)
end)

case("accepts: a region outlives data that OpenMP unmaps and maps again [DIR-6-01]", function()
  rules { base = "directory", counting = "constructs" }
  acc "data copyin(b)" (function()
    omp "target exit data map(delete: b)"
    expect.absent "b"
    acc "enter data copyin(b)"
    acc "enter data copyin(b[5:10])"
  end)
  expect.equal(#state().dynamic, 2)
  acc "exit data delete(b[5:10])"
  expect.absent "b"
end)

-- ------------------------------------------------------------------- addresses handed out --
-- The old block stays allocated, but the data are elsewhere: a kernel that uses its address gets an error.

case("accepts: a device address is valid again after the inner level [DIR-4.1-05]",
  function()
    acc "data copyin(a[0:20])" (function()
      host.h = acc_deviceptr "a[0]"
      acc "parallel deviceptr(h)" "h[1] = h[2] + 40;"
      acc "data copyin(a[50:20])" (function()
        host.h = acc_deviceptr "a[0]"
        acc "parallel deviceptr(h)" "h[2] = h[1] + h[69];"
        host.h = acc_deviceptr "a[50]" - 50
        acc "parallel deviceptr(h)" "h[3] = h[2];"
      end)
      host.h = acc_deviceptr "a[0]"
      acc "parallel deviceptr(h)" "h[4] = h[3];"
      expect.device("a[4]", 42 + 69)
    end)
  end)

case("rejects: a kernel uses an address from before the fusion [DIR-4.1-05]", function()
  acc "data copyin(a[0:20])" (function()
    host.h = acc_deviceptr "a[0]"
    acc "data copyin(a[50:20])" (function()
      for _, body in ipairs { "h[0] = 1;", "float x = h[19];" } do
        local err = expect.fails("out-of-bounds", function() acc "parallel deviceptr(h)" (body) end)
        expect(err.message:find "stale", err.message)
      end
      expect.device("a[0]", 0)
    end)
    acc "parallel deviceptr(h)" "h[0] = 1;"
    expect.device("a[0]", 1)
  end)
end)

case("differs: a kernel uses an address of a freed fused block [DIR-4.1-05]", function()
  acc "data copyin(a[0:20])" (function()
    acc "data copyin(a[50:20])" (function() host.h = acc_deviceptr "a[0]" end)
    expect.fails("out-of-bounds", function() acc "parallel deviceptr(h)" "h[0] = 1;" end)
    acc "enter data copyin(a[50:20])"
    host.h = acc_deviceptr "a[0]"
    acc "enter data copyin(a[100:20])" -- replaced, freed
    expect.fails("out-of-bounds", function() acc "parallel deviceptr(h)" "h[0] = 1;" end)
    expect.accepts "exit data delete(a[50:20], a[100:20])"
  end)
end)

-- ---------------------------------------------------------------------------- not enough memory --

case("accepts: the end of a level needs no memory [DIR-4.3-04]", function()
  acc "data copy(a[0:20])" (function()
    expect.accepts("data copyin(a[50:20])", function()
      acc "enter data copyin(a[100:20])"
      leave(0)
      acc "parallel present(a[100:20])" "a[0] = a[119];"
      expect.accepts "exit data delete(a[100:20])"
      expect.device("a[0]", 119)
    end)
  end)
  expect.host("a[0]", 119)
end)

case("rejects: memory runs out in the middle of a fusion, and nothing changes [DIR-4.2-13]", function()
  acc "data copyin(a[0:20], b[0:5])" (function()
    acc "parallel" "a[0] = -1;"
    local before = acc_deviceptr "a[0]"
    leave(300)
    for _, text in ipairs {
      "data copyin(a[60:20])",                        -- 320 bytes
      "data copyin(a[50:20]) create(b[15:5])",        -- 280, then 80 more
      "data create(b[15:5]) copyin(a[50:20], c[0:5])",
      "data copyin(a[0:10], a[60:20])",
      "enter data copyin(a[50:20], b[10:5])",
      "data present_and_copyin(a[10:70])",
      "data update_and_copy(a[10:60]) copyin(b[5:15])",
      "data copyin(a[40:10]) copy(m)",
      "parallel copyin(a[60:20])",
    } do
      expect.fails("out-of-device-memory", function()
        local construct = acc(text)
        if text:find "^parallel" then construct(function() end) end
      end)
      expect.equal(#state().levels, 1)
      expect(acc_deviceptr "a[0]" == before)
      expect.device("a[0]", -1)
    end
    acc "data copyin(a[50:20])" (function() expect.device("a[69]", 69) end) -- 280: this fits
  end)
end)

case("rejects: a fusion of present data has not enough memory and changes nothing [DIR-4.2-13]", function()
  host.q = addr "a[10]"
  acc "data copyin(a[0:10]) copyin(q[0:10])" (function()
    leave(79)
    expect.fails("out-of-device-memory", function() acc "data present(c[-20:10])" end)
    expect.fails("out-of-device-memory", function() acc "data copyin(q[-5:10])" end)
    expect.equal(#state().levels[1].artificial, 2)
    expect.device("a[9:2]", { 9, 10 })
  end)
end)

case("rejects: the distance between pieces needs memory, too [DIR-4.2-13]", function()
  acc "data copyin(a[0:5])" (function()
    leave(4000)
    expect.accepts "data copyin(a[900:5])"
    expect.fails("out-of-device-memory", function() acc "data copyin(a[1900:5])" end)
    host.q = addr "a[1900]"
    expect.accepts "data copyin(q[0:5])"
  end)
end)

case("rejects: the fusion of a floor has not enough memory and loses nothing [DIR-4.2-13]", function()
  acc "enter data copyin(a[0:20])"
  acc "data copyin(b)" (function()
    leave(100)
    expect.fails("out-of-device-memory", function() acc "enter data copyin(a[30:20])" end)
    expect.equal(tuples(state().dynamic), { "copyin a[0:20]" })
    expect(state().levels[1].dynamic == nil)
  end)
  expect.device("a[19]", 19)
  acc "exit data delete(a[0:20])"
  expect.absent "a[0:20]"
end)

-- --------------------------------------------------------------------------------------- devices --

case("accepts: the same data are deep and fused on one device and flat on another [DIR-1-04]", function()
  host.X = { n = 4, v = { 1, 2, 3, 4 } }
  host.q = host.X.v
  acc "enter data copyin(X)"
  acc "set device_num(1)"
  acc "enter data copyin(X)"
  acc "set device_num(0)"
  expect.accepts("data copyin(q[2:2])", function()
    acc "parallel present(X)" (function(d) d.X.v[0] = 10 end)
    acc_set_device_num(1)
    acc "parallel present(X)" (function(d) d.X.v[0] = 20 end)
    expect.attached("X.v", 1)
    acc_set_device_num(0)
  end)
  for device = 0, 1 do
    acc_set_device_num(device)
    acc "exit data copyout(X)"
    expect.host("X.v[0]", 10 + 10 * device)
    expect.equal(#state().present, 0)
  end
end)

case("rejects: a directive for one device ends a region of another [DIR-1-04 DIR-1-02]", function()
  expect.accepts("data copyin(a[0:20])", function()
    acc "set device_num(1)"
    expect.fails("region-nesting", function() acc "end data" end)
    expect.fails("not-present", function() acc "data present(a[0:20])" end)
    acc "set device_num(0)"
    expect.present "a[0:20]"
  end)
end)
