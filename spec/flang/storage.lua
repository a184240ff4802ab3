-- The device has a descriptor only inside its object.
scenario { title = "FLANG: storage of descriptors", language = "fortran", rules = "openacc-3.3" }

fortran [[
  type ty1
    real, pointer :: p(:,:)
  end type ty1
  type(ty1) :: d
  real, target :: t1(2,2)
  t1 = reshape((/1, 2, 3, 4/), (/2, 2/))
  d%p => t1
contains
  subroutine wrapper(p)
    real, pointer :: p(:,:)
    !$acc serial attach(p)
    print *, p(1,2)
    !$acc end serial
  end subroutine wrapper
]]

local use = [[
  print *, d%p(1,2)
  !$acc end serial
]]

case("accepts: a kernel copies d implicitly [FLANG-storage-1]", function()
  acc "enter data copyin(d%p)"
  expect.present "t1"
  expect.absent "d"
  local found = {}
  for i, event in ipairs(events(function()
    fortran [[
      !$acc serial
      print *, associated(d%p), lbound(d%p)
      !$acc end serial
    ]]
  end)) do found[i] = tostring(event) end
  expect.equal({ found[1], found[2] }, { "alloc d", "h2d d" })
  expect.equal(output(), { "T 1 1" })
  expect.absent "d"
end)

case("accepts: d must be present under default(present) [FLANG-storage-1]", function()
  expect.moves(function() acc "enter data copyin(d)" end, { h2d = 1, d2h = 0 })
  acc "enter data copyin(d%p)"
  fortran("!$acc serial default(present)\n" .. use)
  expect.equal(output(), { "3.0" })
end)

case("accepts: objects inside objects and arrays have their descriptors there [FLANG-storage-1]", function()
  fortran [[
    type outer
      integer :: n
      type(ty1) :: inner(2)
    end type outer
    type(outer) :: o(3)
    o(3)%inner(2)%p => t1
    !$acc enter data copyin(o)
    !$acc enter data copyin(o(3)%inner(2)%p)
    !$acc serial present(o)
    print *, o(3)%inner(2)%p(1,2)
    !$acc end serial
  ]]
  expect.equal(output(), { "3.0" })
  expect.attached("o(3)%inner(2)%p", 1)
  expect.equal(#state().attached, 1)
end)

case("rejects: default(present) is used while d is absent [FLANG-storage-1 ACC33-2.7.3-1]", function()
  acc "enter data copyin(d%p)"
  expect.present "t1"
  expect.fails("not-present", function() fortran("!$acc serial default(present)\n" .. use) end)
  expect.absent "d"
end)

case("differs: an implicit copy(d) alone does not attach the pointer [FLANG-storage-1]", function()
  expect.fails("host-pointer-on-device", function() fortran("!$acc serial\n" .. use) end)
end)

case("accepts: copy(d) precedes present(d%p) [FLANG-storage-2]", function()
  acc "enter data copyin(d%p)"
  expect.detached "d%p"
  expect.events(function() fortran("!$acc serial present(d%p)\n" .. use) end, {
    "alloc d", "h2d d", "attach d%p", "incref d", "incref d%p",
    "detach d%p", "decref d", "decref d%p", "free d" }) -- d has only the descriptor, so nothing is copied back
  expect.equal(output(), { "3.0" })
end)

case("accepts: an explicit copy(d) precedes or follows present(d%p) [FLANG-storage-2]", function()
  expect.moves(function() acc "enter data copyin(d%p)" end, { h2d = 1, d2h = 0 })
  fortran("!$acc serial copy(d) present(d%p)\n" .. use)
  fortran("!$acc serial present(d%p) copy(d)\n" .. use)
  expect.equal(output(), { "3.0", "3.0" })
  expect.absent "d"
end)

case("accepts: present(d%p) attaches under default(present), too [FLANG-storage-2]", function()
  expect.moves(function() acc "enter data copyin(d)" end, { h2d = 1, d2h = 0 })
  acc "enter data copyin(t1)"
  fortran("!$acc serial default(present) present(d%p)\n" .. use)
  expect.equal(output(), { "3.0" })
  expect.detached "d%p"
end)

case("accepts: the descriptor has the current bounds, not those of the copyin [FLANG-storage-2]", function()
  expect.moves(function() acc "enter data copyin(d%p)" end, { h2d = 1, d2h = 0 })
  fortran [[
    d%p(10:,10:) => d%p
    !$acc serial present(d%p)
    print *, d%p(10,11)
    !$acc end serial
  ]]
  expect.equal(output(), { "3.0" })
end)

case("rejects: default(present) and present(d%p) are used while d is absent"
  .. " [FLANG-storage-2 ACC33-2.7.3-1]", function()
  acc "enter data copyin(d%p)"
  expect.present "t1"
  expect.fails("not-present", function()
    fortran("!$acc serial default(present) present(d%p)\n" .. use)
  end)
end)

case("rejects: present(d%p) names an absent target, and d is unmapped again"
  .. " [FLANG-storage-2 ACC33-2.7.3-1]", function()
  expect.fails("not-present", function() fortran("!$acc serial present(d%p)\n" .. use) end)
  expect.absent "d"
end)

case("accepts: attach has no effect if the descriptor is absent, and a use fails [FLANG-storage-3]", function()
  expect.moves(function() acc "enter data copyin(t1)" end, { h2d = 1, d2h = 0 })
  expect.fails("host-pointer-on-device", function() call "wrapper(d%p)" end)
  expect.detached "d%p"
  expect.moves(function() acc "enter data attach(d%p)" end, { h2d = 0 })
  expect.detached "d%p"
end)

case("accepts: attach has no effect if the target is absent, and a use fails [FLANG-storage-3]", function()
  expect.moves(function() acc "enter data copyin(d)" end, { h2d = 1, d2h = 0 })
  expect.fails("host-pointer-on-device", function() call "wrapper(d%p)" end)
  expect.moves(function() acc "enter data attach(d%p)" end, { h2d = 0 })
  expect.detached "d%p"
end)

case("differs: attach takes effect for the construct if both are present [FLANG-storage-3]", function()
  acc "enter data copyin(d, t1)"
  call "wrapper(d%p)"
  expect.equal(output(), { "3.0" })
  expect.detached "d%p"
end)
