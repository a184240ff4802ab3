-- A pointer is attached again: to another target, with other bounds, or unchanged.
scenario { title = "FLANG: moving targets", language = "fortran", rules = "openacc-3.3" }

fortran [[
  type ty1
    real, pointer :: p(:,:)
  end type ty1
  type(ty1) :: d
  real, pointer :: t1(:,:), t2(:,:)
  allocate(t1(2,2), t2(2,2))
  t1 = reshape((/1, 2, 3, 4/), (/2, 2/))
  t2 = reshape((/5, 6, 7, 8/), (/2, 2/))
]]

-- The first steps of every case.
local function attached()
  fortran [[
    !$acc enter data copyin(d)
    !$acc enter data copyin(t1, t2)
    d%p => t1
    !$acc enter data attach(d%p)
  ]]
  expect.attached("d%p", 1)
end

local function on_device()
  fortran [[
    !$acc serial present(d)
    print *, lbound(d%p), d%p(lbound(d%p,1),ubound(d%p,2))
    !$acc end serial
  ]]
  return output()[1]
end

case("accepts: an attach to another target sets the counter to one [FLANG-moving-target-1]", function()
  attached()
  expect.attached("d%p", 1)
  expect.equal(on_device(), "1 1 3.0")
  fortran [[
    d%p => t2
    !$acc enter data attach(d%p)
  ]]
  expect.attached("d%p", 1)
  expect.equal(on_device(), "1 1 7.0")
end)

case("accepts: an attach to the same target increments the counter [FLANG-moving-target-1]", function()
  attached()
  fortran [[
    d%p => t1
    !$acc enter data attach(d%p)
  ]]
  expect.attached("d%p", 2)
end)

case("differs: a new target does not change the device pointer without an attach [FLANG-moving-target-1]", function()
  attached()
  fortran "d%p => t2"
  expect.equal(on_device(), "1 1 3.0")
  expect.attached("d%p", 1)
end)

case("differs: an attach to a new target that is absent changes nothing [FLANG-moving-target-1]", function()
  attached()
  fortran [[
    real, pointer :: t3(:,:)
    allocate(t3(2,2))
    d%p => t3
    !$acc enter data attach(d%p)
  ]]
  expect.attached("d%p", 1)
  expect.equal(on_device(), "1 1 3.0")
end)

case("differs: the counter of the old target is lost with a new attach [FLANG-moving-target-1]", function()
  attached()
  fortran [[
    !$acc enter data attach(d%p)
    d%p => t2
    !$acc enter data attach(d%p)
    call acc_detach(d%p)
  ]]
  expect.detached "d%p"
  expect.moves(function() fortran "call acc_detach(d%p)" end, { h2d = 0 })
end)

case("accepts: an attach with new bounds sets the counter to one [FLANG-moving-target-2]", function()
  attached()
  fortran [[
    d%p(10:,10:) => d%p
    !$acc enter data attach(d%p)
  ]]
  expect.attached("d%p", 1)
  expect.equal(on_device(), "10 10 3.0")
end)

case("differs: an attach with the old bounds increments the counter [FLANG-moving-target-2]", function()
  attached()
  fortran [[
    d%p(10:,10:) => d%p
    d%p(1:,1:) => d%p
    !$acc enter data attach(d%p)
  ]]
  expect.attached("d%p", 2)
  expect.equal(on_device(), "1 1 3.0")
end)

case("accepts: extents and strides are parts of the pointer, too [FLANG-moving-target-3]", function()
  attached()
  for _, target in ipairs { "t1(:1,:)", "t1(:,::1)", "t1(:,:1)", "t1(::2,:)" } do
    fortran("d%p => t1")
    acc "enter data attach(d%p)"
    acc "enter data attach(d%p)"
    fortran("d%p => " .. target)
    acc "enter data attach(d%p)"
    local same = target == "t1(:,::1)"
    expect.attached("d%p", same and 3 or 1)
    expect.accepts "exit data detach(d%p) finalize"
  end
end)

case("accepts: routine and clauses compare descriptors in the same way [FLANG-moving-target-3]", function()
  attached()
  fortran [[
    call acc_attach(d%p)
    call acc_attach(d%p)
  ]]
  expect.attached("d%p", 3)
  fortran [[
    d%p(2:,2:) => d%p
    call acc_attach(d%p)
  ]]
  expect.attached("d%p", 1)
  fortran "d%p(3:,3:) => d%p"
  acc "enter data copyin(d%p)"
  expect.attached("d%p", 1)
  acc "enter data copyin(d%p)"
  expect.attached("d%p", 2)
end)

case("differs: the values in a target are not part of the pointer [FLANG-moving-target-3]", function()
  attached()
  fortran [[
    t1 = 0
    !$acc enter data attach(d%p)
  ]]
  expect.attached("d%p", 2)
end)

case("rejects: a pointer gets new bounds where attached pointers must not change"
  .. " [FLANG-moving-target-3 TR14-4.1-08]", function()
  rules "tr14"
  fortran [[
    type(ty1) :: e
    !$acc enter data copyin(e)
    !$acc enter data copyin(t1, t2)
    e%p => t1
    !$acc enter data attach(e%p)
    e%p(10:,10:) => e%p
  ]]
  expect.fails("pointer-changed", function() acc "enter data attach(e%p)" end)
  fortran "e%p => t2"
  expect.fails("pointer-changed", function() acc "enter data attach(e%p)" end)
  fortran "e%p => t1"
  acc "enter data attach(e%p)"
  expect.attached("e%p", 2)
end)
