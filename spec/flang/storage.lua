-- Where the device has a descriptor: in its object, and only there.
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

case("accepts: d is copied where a kernel uses it [FLANG-storage-1]", function()
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

case("accepts: under default(present) d must be there [FLANG-storage-1]", function()
  expect.moves(function() acc "enter data copyin(d)" end, { h2d = 1, d2h = 0 })
  acc "enter data copyin(d%p)"
  fortran("!$acc serial default(present)\n" .. use)
  expect.equal(output(), { "3.0" })
end)

case("accepts: an object inside an object, an object in an array [FLANG-storage-1]", function()
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

case("rejects: default(present) maps nothing [FLANG-storage-1 ACC33-2.7.3-1]", function()
  acc "enter data copyin(d%p)"
  expect.present "t1"
  expect.fails("not-present", function() fortran("!$acc serial default(present)\n" .. use) end)
  expect.absent "d"
end)

case("differs: after an implicit copy(d) alone the pointer points to nothing [FLANG-storage-1]", function()
  expect.fails("host-pointer-on-device", function() fortran("!$acc serial\n" .. use) end)
end)

case("accepts: copy(d) goes before present(d%p) [FLANG-storage-2]", function()
  acc "enter data copyin(d%p)"
  expect.detached "d%p"
  expect.events(function() fortran("!$acc serial present(d%p)\n" .. use) end, {
    "alloc d", "h2d d", "attach d%p", "incref d", "incref d%p",
    "detach d%p", "decref d", "decref d%p", "free d" }) -- nothing of d but its descriptor: nothing to bring
  expect.equal(output(), { "3.0" })
end)

case("accepts: written out, in either order [FLANG-storage-2]", function()
  expect.moves(function() acc "enter data copyin(d%p)" end, { h2d = 1, d2h = 0 })
  fortran("!$acc serial copy(d) present(d%p)\n" .. use)
  fortran("!$acc serial present(d%p) copy(d)\n" .. use)
  expect.equal(output(), { "3.0", "3.0" })
  expect.absent "d"
end)

case("accepts: under default(present), too [FLANG-storage-2]", function()
  expect.moves(function() acc "enter data copyin(d)" end, { h2d = 1, d2h = 0 })
  acc "enter data copyin(t1)"
  fortran("!$acc serial default(present) present(d%p)\n" .. use)
  expect.equal(output(), { "3.0" })
  expect.detached "d%p"
end)

case("accepts: bounds of now, not of the copyin [FLANG-storage-2]", function()
  expect.moves(function() acc "enter data copyin(d%p)" end, { h2d = 1, d2h = 0 })
  fortran [[
    d%p(10:,10:) => d%p
    !$acc serial present(d%p)
    print *, d%p(10,11)
    !$acc end serial
  ]]
  expect.equal(output(), { "3.0" })
end)

case("rejects: default(present) and present(d%p) without d [FLANG-storage-2 ACC33-2.7.3-1]", function()
  acc "enter data copyin(d%p)"
  expect.present "t1"
  expect.fails("not-present", function()
    fortran("!$acc serial default(present) present(d%p)\n" .. use)
  end)
end)

case("rejects: without its target present(d%p) fails, and d does not stay [FLANG-storage-2 ACC33-2.7.3-1]", function()
  expect.fails("not-present", function() fortran("!$acc serial present(d%p)\n" .. use) end)
  expect.absent "d"
end)

case("accepts: the descriptor is not present: attach does nothing, use fails [FLANG-storage-3]", function()
  expect.moves(function() acc "enter data copyin(t1)" end, { h2d = 1, d2h = 0 })
  expect.fails("host-pointer-on-device", function() call "wrapper(d%p)" end)
  expect.detached "d%p"
  expect.moves(function() acc "enter data attach(d%p)" end, { h2d = 0 })
  expect.detached "d%p"
end)

case("accepts: the target is not present: the same [FLANG-storage-3]", function()
  expect.moves(function() acc "enter data copyin(d)" end, { h2d = 1, d2h = 0 })
  expect.fails("host-pointer-on-device", function() call "wrapper(d%p)" end)
  expect.moves(function() acc "enter data attach(d%p)" end, { h2d = 0 })
  expect.detached "d%p"
end)

case("differs: with both present attach attaches, for the construct [FLANG-storage-3]", function()
  acc "enter data copyin(d, t1)"
  call "wrapper(d%p)"
  expect.equal(output(), { "3.0" })
  expect.detached "d%p"
end)
