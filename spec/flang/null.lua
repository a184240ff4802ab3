-- Pointers that are nullified while attached. In OpenACC 3.3 a null pointer is present, with length 0 (ACC33-gloss-2).
-- So its target is not absent, and FLANG-api-2 does not apply. Every clause that attaches, and the routine, copy the
-- null descriptor of the host to the device (ACC33-att-4). This ends the attachment. Every clause that detaches
-- detaches such a pointer. C pointers follow the same knob of the profile. tests/core/descriptors.c shows the routine
-- of the runtime in C.
scenario { title = "FLANG: nullified pointers", language = "fortran", rules = "openacc-3.3" }

local program = [[
  type ty1
    real, pointer :: p(:)
    real, allocatable :: a(:)
  end type ty1
  type(ty1) :: d
  real, target :: t1(4), t2(4)
  t1 = 1
  t2 = 2
  d%p => t1
]]

local function with(profile)
  rules(profile)
  fortran(program)
end

-- A pointer that was attached twice and then nullified on the host.
local function nullified(profile)
  with(profile)
  acc "enter data copyin(d)"
  for _ = 1, profile == "tr14" and 1 or 2 do acc "enter data copyin(d%p)" end
  expect.attached("d%p", 2)
  fortran "nullify(d%p)"
end

local ways = {
  { "copyin(d%p)", function() acc "enter data copyin(d%p)" end },
  { "create(d%p)", function() acc "enter data create(d%p)" end },
  { "copy(d%p) of a region", function() acc "data copy(d%p)" (function() expect.detached "d%p" end) end },
  { "present(d%p)", function() acc "data present(d%p)" (function() expect.detached "d%p" end) end },
  { "no_create(d%p)", function() acc "data no_create(d%p)" (function() expect.detached "d%p" end) end },
  { "attach(d%p)", function() acc "enter data attach(d%p)" end },
  { "acc_attach", function() acc_attach "d%p" end },
  { "call acc_attach", function() fortran "call acc_attach(d%p)" end },
}

for _, each in ipairs(ways) do
  local way, act = each[1], each[2]
  case(("accepts: %s makes the device's descriptor null and ends the attachment [ACC33-att-4 FLANG-api-2]"):format(way),
    function()
      nullified "openacc-3.3"
      expect(device_words "d"[1] ~= 0)
      act()
      expect.detached "d%p"
      expect.equal(device_words "d"[1], 0)
      expect.count("t1", { dynamic = 2 }) -- the old target stays present
      fortran "d%p => t2"
      acc "enter data copyin(d%p)" -- the pointer can be attached again
      expect.attached("d%p", 1)
      expect.accepts "exit data delete(t1) finalize"
    end)

  case(("accepts: %s makes the device's descriptor null although the pointer was never attached"
    .. " [ACC33-gloss-2]"):format(way), function()
    with "openacc-3.3"
    acc "enter data copyin(d)"
    fortran "nullify(d%p)"
    act()
    expect.detached "d%p"
    expect.equal(device_words "d"[1], 0)
  end)

  case(("differs: %s does nothing if the descriptor is absent [ACC33-gloss-2 FLANG-api-3]"):format(way), function()
    with "openacc-3.3"
    fortran "nullify(d%p)"
    expect.events(act, {}) -- unnoticed: the case shows that there is no event
    expect.absent "d"
  end)
end

for _, each in ipairs {
  { "exit data delete(d%p)", function() acc "exit data delete(d%p)" end },
  { "exit data copyout(d%p)", function() acc "exit data copyout(d%p)" end },
  { "exit data detach(d%p)", function() acc "exit data detach(d%p)" end },
  { "acc_detach", function() acc_detach "d%p" end },
} do
  local way, act = each[1], each[2]
  case(("accepts: %s decrements the counter, and at zero the device's descriptor is null"
    .. " [FLANG-detach-1 ACC33-gloss-2]"):format(way),
    function()
      nullified "openacc-3.3"
      act()
      expect.attached("d%p", 1)
      expect(device_words "d"[1] ~= 0)
      act()
      expect.detached "d%p"
      expect.equal(device_words "d"[1], 0)
      expect.events(act, {}) -- no attachment is left
      expect.count("t1", { dynamic = 2 })
    end)
end

case("accepts: finalize detaches a null pointer, in the clause and in the routine [FLANG-detach-1]", function()
  nullified "openacc-3.3"
  acc "exit data delete(d%p) finalize"
  expect.detached "d%p"
  fortran "d%p => t1"
  acc "enter data attach(d%p)"
  acc "enter data attach(d%p)"
  expect.attached("d%p", 2)
  fortran "nullify(d%p)"
  acc_detach_finalize "d%p"
  expect.detached "d%p"
  expect.equal(device_words "d"[1], 0)
end)

case("accepts: a deallocated component is treated like a nullified one [ACC33-att-4]", function()
  with "openacc-3.3"
  fortran "allocate(d%a(3))"
  acc "enter data copyin(d, d%a)"
  expect.attached("d%a", 1)
  expect.accepts "exit data delete(d%a)"
  fortran "deallocate(d%a)"
  acc "enter data copyin(d%a)"
  expect.detached "d%a"
  fortran "!$acc serial present(d)\n print *, allocated(d%a)\n!$acc end serial"
  expect.equal(output()[1], "F")
end)

case("differs: an empty array is not a null pointer, and an attach to it has no effect [FLANG-api-2]", function()
  with "openacc-3.3"
  acc "enter data copyin(d, d%p)"
  fortran "allocate(d%p(0))"
  acc "enter data copyin(d%p)"
  acc_attach "d%p"
  expect.attached("d%p", 1)
end)

-- Under these profiles null pointers are not present. So data clauses ignore them, and an attached pointer must not
-- change.
for _, each in ipairs { { "tr14", 2 }, { "directory", 1 } } do
  local profile, count = each[1], each[2]
  case(("rejects: under %s the data clause has no effect, and attach finds a changed pointer"
    .. " [ACC33-gloss-2 TR14-4.1-08]"):format(profile),
    function()
      with(profile)
      acc "enter data copyin(d)"
      acc "enter data attach(d%p) copyin(t1)"
      expect.attached("d%p", count)
      fortran "nullify(d%p)"
      expect.events(function() acc "enter data create(d%p)" end, { "incref d" })
      expect.attached("d%p", count)
      expect.fails("pointer-changed", function() acc "enter data attach(d%p)" end)
      expect.fails("pointer-changed", function() acc_attach "d%p" end)
    end)
end

case("differs: under openacc-2.0 the data clause has no effect, but attach does [ACC33-gloss-2]", function()
  with "openacc-2.0"
  acc "enter data copyin(d) copyin(d%p)"
  fortran "nullify(d%p)"
  acc "enter data create(d%p)"
  expect.attached("d%p", 1)
  acc "enter data attach(d%p)"
  expect.detached "d%p"
end)
