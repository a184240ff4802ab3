-- Detach copies the whole current descriptor of the host to the device.
-- The document's example has 2 as the old lower bounds. As the target is allocated, they are 1.
scenario { title = "FLANG: detach", language = "fortran", rules = "openacc-3.3" }

fortran [[
  type ty1
    real, pointer :: p(:,:)
  end type ty1
  type(ty1) :: d
  real, pointer :: t1(:,:), t2(:,:)
  allocate(t1(2,2), t2(3,1))
  t1 = reshape((/1, 2, 3, 4/), (/2, 2/))
]]

-- The first steps of every case.
local function attached()
  fortran [[
    !$acc enter data copyin(d)
    d%p => t1
    !$acc enter data copyin(d%p)
  ]]
end

case("accepts: a pointer is detached by hand, and then its object is copied out [FLANG-detach-2]", function()
  attached()
  expect.moves(function()
    fortran [[
      d%p(10:,10:) => d%p
      call acc_detach(d%p)
      !$acc exit data copyout(d)
      print *, lbound(d%p)
    ]]
  end, { h2d = 0, d2h = 1 })
  expect.equal(output(), { "10 10" })
  expect.host("associated(d%p, t1)", true)
  expect.host("d%p(10,11)", 3)
end)

case("accepts: an object is copied out without a detach [FLANG-detach-2]", function()
  attached()
  expect.attached("d%p", 1)
  fortran [[
    d%p(10:,10:) => d%p
    !$acc exit data copyout(d)
    print *, lbound(d%p)
  ]]
  expect.equal(output(), { "10 10" })
  expect.detached "d%p"
end)

case("accepts: an object is copied out, and a later detach has no effect [FLANG-detach-2]", function()
  attached()
  expect.attached("d%p", 1)
  fortran [[
    d%p(10:,10:) => d%p
    !$acc exit data copyout(d)
    call acc_detach(d%p)
    print *, lbound(d%p)
  ]]
  expect.equal(output(), { "10 10" })
end)

case("differs: the device has the bounds of the attach until the detach [FLANG-detach-2]", function()
  attached()
  fortran [[
    d%p(10:,10:) => d%p
    !$acc serial present(d)
    print *, lbound(d%p)
    !$acc end serial
  ]]
  expect.equal(output(), { "1 1" })
end)

local function on_device()
  fortran [[
    !$acc serial present(d)
    print *, associated(d%p), lbound(d%p), ubound(d%p)
    !$acc end serial
  ]]
  return output()[1]
end

case("accepts: detach writes bounds and extents of another target [FLANG-detach-1]", function()
  attached()
  expect.attached("d%p", 1)
  fortran [[
    d%p => t2
    call acc_detach(d%p)
  ]]
  expect.equal(on_device(), "T 1 1 3 1")
end)

case("accepts: detach writes a pointer that is null now [FLANG-detach-1]", function()
  attached()
  expect.attached("d%p", 1)
  fortran [[
    nullify(d%p)
    call acc_detach(d%p)
  ]]
  fortran [[
    !$acc serial present(d)
    print *, associated(d%p)
    !$acc end serial
  ]]
  expect.equal(output(), { "F" })
end)

case("accepts: a clause and the end of a region detach [FLANG-detach-1]", function()
  attached()
  fortran "d%p(3:,4:) => d%p"
  acc "exit data detach(d%p)"
  expect.equal(on_device(), "T 3 4 4 5")
  local region = acc "data attach(d%p)"
  fortran "d%p(5:,6:) => d%p"
  expect.equal(on_device(), "T 3 4 4 5")
  region:close()
  expect.equal(on_device(), "T 5 6 6 7")
end)

case("accepts: detach writes the descriptor in one piece [FLANG-detach-1]", function()
  attached()
  expect.events(function() fortran "call acc_detach(d%p)" end, { "detach d%p" })
end)

case("differs: a detach that leaves the counter above zero writes nothing [FLANG-detach-1]", function()
  attached()
  fortran [[
    !$acc enter data attach(d%p)
    d%p(10:,10:) => d%p
    call acc_detach(d%p)
  ]]
  expect.attached("d%p", 1)
  expect.equal(on_device(), "T 1 1 2 2")
end)

case("differs: updates of d do not change an attached descriptor [FLANG-detach-1]", function()
  attached()
  fortran "d%p(10:,10:) => d%p"
  expect.accepts "update device(d)"
  expect.equal(on_device(), "T 1 1 2 2")
  acc "update self(d)"
  expect.host("lbound(d%p)", { 10, 10 })
end)
