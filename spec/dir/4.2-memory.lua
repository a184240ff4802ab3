-- Fusions that run out of device memory change nothing.
scenario { title = "DIR 4.2: not enough memory", rules = "directory" }

declare "float a[2000], b[20], m[8][4]; float *c, *q;"
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
