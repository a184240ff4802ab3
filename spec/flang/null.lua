-- Pointers that were nullified while they are attached. OpenACC 3.3 counts a null pointer as present, with length
-- zero (ACC33-gloss-2). So it is no absent target, about which FLANG-api-2 does nothing: every clause that attaches,
-- and the routine, makes the device's descriptor the host's null one (ACC33-att-4), which ends the attachment; every
-- clause that detaches detaches it. C pointers do the same, by the same choice of the profile. The runtime's own entry
-- is shown in C: tests/core/descriptors.c.
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

-- Attached twice, then nullified on the host.
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
      expect.count("t1", { dynamic = 2 }) -- what it pointed to stays
      fortran "d%p => t2"
      acc "enter data copyin(d%p)" -- and it can be attached again
      expect.attached("d%p", 1)
      expect.accepts "exit data delete(t1) finalize"
    end)

  case(("accepts: %s of a null pointer that was never attached [ACC33-gloss-2]"):format(way), function()
    with "openacc-3.3"
    acc "enter data copyin(d)"
    fortran "nullify(d%p)"
    act()
    expect.detached "d%p"
    expect.equal(device_words "d"[1], 0)
  end)

  case(("differs: %s without the descriptor does nothing [ACC33-gloss-2 FLANG-api-3]"):format(way), function()
    with "openacc-3.3"
    fortran "nullify(d%p)"
    expect.events(act, {}) -- unnoticed: no event is what the case shows
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
  case(("accepts: %s counts down, and at zero the device's is null [FLANG-detach-1 ACC33-gloss-2]"):format(way),
    function()
      nullified "openacc-3.3"
      act()
      expect.attached("d%p", 1)
      expect(device_words "d"[1] ~= 0)
      act()
      expect.detached "d%p"
      expect.equal(device_words "d"[1], 0)
      expect.events(act, {}) -- there is nothing more to detach
      expect.count("t1", { dynamic = 2 })
    end)
end

case("accepts: finalize, by clause and by routine [FLANG-detach-1]", function()
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

case("accepts: a deallocated component as a nullified one [ACC33-att-4]", function()
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

case("differs: an empty array is no null pointer: absent, so nothing happens [FLANG-api-2]", function()
  with "openacc-3.3"
  acc "enter data copyin(d, d%p)"
  fortran "allocate(d%p(0))"
  acc "enter data copyin(d%p)"
  acc_attach "d%p"
  expect.attached("d%p", 1)
end)

-- Where null pointers are not present, clauses with data do not apply to them, and an attached pointer may not change.
for _, each in ipairs { { "tr14", 2 }, { "directory", 1 } } do
  local profile, count = each[1], each[2]
  case(("rejects: %s: the clause does not apply, and attach meets a changed pointer"
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

case("differs: openacc-2.0: the clause does not apply, attach does [ACC33-gloss-2]", function()
  with "openacc-2.0"
  acc "enter data copyin(d) copyin(d%p)"
  fortran "nullify(d%p)"
  acc "enter data create(d%p)"
  expect.attached("d%p", 1)
  acc "enter data attach(d%p)"
  expect.detached "d%p"
end)
