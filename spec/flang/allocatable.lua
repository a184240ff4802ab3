-- Allocatable components and dummy arguments are attached like pointers.
scenario { title = "FLANG: allocatables", language = "fortran", rules = "openacc-3.3" }

fortran [[
  module types
    type ty2
      real, allocatable :: a(:,:)
    end type ty2
  end module types
  program main
    use types
    type(ty2), target :: dd
    dd%a = reshape((/1, 2, 3, 4/), (/2, 2/))
  contains
    subroutine wrapper(dd, a)
      type(ty2), target :: dd
      real, allocatable, target :: a(:,:)
      !$acc enter data copyin(dd)
      !$acc enter data copyin(a)
      !$acc serial present(dd)
      print *, dd%a(1,2)
      !$acc end serial
    end subroutine wrapper
]]

case("accepts: the procedure of the document works [FLANG-alloc-1]", function()
  fortran "call wrapper(dd, dd%a)"
  expect.equal(output(), { "3.0" })
  expect.attached("dd%a", 1)
end)

case("accepts: the procedure of the document works inline [FLANG-alloc-1]", function()
  acc "enter data copyin(dd)"
  expect.events(function() acc "enter data copyin(dd%a)" end,
    { "alloc dd%a", "h2d dd%a", "attach dd%a", "incref dd%a" })
  fortran [[
    !$acc serial present(dd)
    print *, dd%a(1,2)
    !$acc end serial
  ]]
  expect.equal(output(), { "3.0" })
end)

case("accepts: the attach counter is incremented, and detaches end the attachment [FLANG-alloc-1]", function()
  fortran [[
    !$acc enter data copyin(dd)
    !$acc enter data copyin(dd%a)
    call acc_attach(dd%a)
  ]]
  expect.attached("dd%a", 2)
  fortran [[
    call acc_detach(dd%a)
    call acc_detach(dd%a)
  ]]
  expect.detached "dd%a"
  expect.fails("host-pointer-on-device", function() expect.device("dd%a(1,2)", 3) end)
end)

case("accepts: an array that is allocated again is another target [FLANG-alloc-1]", function()
  fortran [[
    !$acc enter data copyin(dd)
    !$acc enter data copyin(dd%a)
    !$acc enter data attach(dd%a)
  ]]
  expect.attached("dd%a", 2)
  fortran [[
    !$acc exit data delete(dd%a) finalize
    deallocate(dd%a)
    allocate(dd%a(0:1,3))
    dd%a = 5
    !$acc enter data copyin(dd%a)
  ]]
  expect.attached("dd%a", 1)
  fortran [[
    !$acc serial present(dd)
    print *, lbound(dd%a), ubound(dd%a), dd%a(0,3)
    !$acc end serial
  ]]
  expect.equal(output(), { "0 1 1 3 5.0" })
end)

case("accepts: detach restores the bounds, too [FLANG-alloc-1]", function()
  expect.moves(function()
    fortran [[
      !$acc enter data copyin(dd)
      !$acc enter data copyin(dd%a)
      !$acc exit data copyout(dd%a)
      !$acc exit data copyout(dd)
      print *, allocated(dd%a), lbound(dd%a), dd%a(2,2)
    ]]
  end, { h2d = 2, d2h = 2 })
  expect.equal(output(), { "T 1 1 4.0" })
end)

case("accepts: an allocatable scalar is attached [FLANG-alloc-1]", function()
  fortran [[
    type ty3
      integer, allocatable :: n
    end type ty3
    type(ty3) :: s
    allocate(s%n)
    s%n = 4
    !$acc enter data copyin(s)
    !$acc enter data copyin(s%n)
    !$acc serial present(s)
    s%n = s%n + 1
    !$acc end serial
    !$acc update self(s%n)
  ]]
  expect.attached("s%n", 1)
  expect.host("s%n", 5)
end)

case("differs: a component that is not allocated maps nothing [FLANG-alloc-1]", function()
  fortran "deallocate(dd%a)"
  expect.moves(function() acc "enter data copyin(dd)" end, { h2d = 1, d2h = 0 })
  expect.events(function() acc "enter data copyin(dd%a)" end, {})
  fortran [[
    !$acc serial present(dd)
    print *, allocated(dd%a)
    !$acc end serial
  ]]
  expect.equal(output(), { "F" })
end)

case("differs: copyin(dd) alone is a shallow copy [FLANG-alloc-1]", function()
  acc "enter data copyin(dd)"
  expect.absent "dd%a"
  expect.fails("host-pointer-on-device", function() expect.device("dd%a(1,2)", 3) end)
end)

case("differs: a component is not attached if dd is absent [FLANG-alloc-1]", function()
  expect.moves(function() acc "enter data copyin(dd%a)" end, { h2d = 1, d2h = 0 })
  expect.detached "dd%a"
end)
