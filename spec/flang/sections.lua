-- Sections of variables with descriptors: kernels use the present part.
scenario { title = "FLANG: sections of variables", language = "fortran", rules = "openacc-3.3" }

fortran [[
  type ty1
    real, pointer :: p(:)
  end type ty1
  type(ty1) :: d
  real :: e(4)
  real, allocatable, target :: v(:)
  real, pointer :: q(:), back(:)
  e = 1
  allocate(v(4))
  v = 1
  q => v
  back => v(4:1:-1)
  d%p => v
contains
  subroutine f(x)
    real :: x(0:)
    !$acc serial copy(x(1:2))
    x(2) = 6
    !$acc end serial
  end subroutine f
]]

case("accepts: a kernel uses a section of an explicit, allocatable or pointer array [FLANG-storage-3]", function()
  expect.moves(function()
    acc "data copy(e(2:3))" (function() acc "serial present(e(2:3))" "e(3) = 5" end)
  end, { h2d = 1, d2h = 1 })
  expect.host("e", { 1, 1, 5, 1 })
  acc "data copy(v(2:3))" (function() acc "serial present(v(2:3))" "v(3) = 5" end)
  expect.host("v", { 1, 1, 5, 1 })
  acc "data copy(q(2:3))" (function() acc "serial present(q(2:3))" "q(2) = 7" end)
  expect.host("v", { 1, 7, 5, 1 })
end)

case("accepts: a section of an assumed-shape array has bounds of its own [FLANG-storage-3]", function()
  fortran "call f(v)"
  expect.host("v", { 1, 1, 6, 1 })
end)

case("accepts: a kernel uses the one of two sections that its clause names [FLANG-storage-3]", function()
  acc "enter data copyin(v(4:4))"
  acc "enter data copyin(v(1:2))"
  acc "serial present(v(4:4))" "v(4) = 5"
  acc "serial present(v(1:2))" "v(2) = 6"
  expect.device("v(4)", 5)
  expect.device("v(2)", 6)
  expect.fails("not-present", function() expect.device("v(3)", 1) end)
  acc "update self(v(1:2), v(4:4))"
  expect.host("v", { 1, 6, 1, 5 })
end)

case("accepts: a kernel uses the last element, also through a backward pointer [FLANG-storage-3]", function()
  expect.moves(function() acc "enter data copyin(v(3:4))" end, { h2d = 1, d2h = 0 })
  acc "serial present(v(3:4))" "v(4) = 8"
  acc "serial present(v(3:4)) present(back(1:1))" "back(1) = back(1) + 1"
  acc "update self(v(3:4))"
  expect.host("v", { 1, 1, 1, 9 })
end)

case("differs: a kernel cannot use elements outside the section [FLANG-storage-3]", function()
  acc "data copy(v(2:3))" (function()
    expect.fails("out-of-bounds", function() acc "serial present(v(2:3))" "v(1) = 5" end)
    expect.fails("out-of-bounds", function() acc "serial present(v(2:3))" "v(4) = 5" end)
  end)
end)

case("differs: attach has no effect if a part of the target is absent [FLANG-api-2]", function()
  expect.moves(function() acc "enter data copyin(d, v(1:2))" end, { h2d = 2, d2h = 0 })
  acc "enter data attach(d%p)"
  acc_attach "d%p"
  expect.detached "d%p"
end)

case("accepts: attach takes effect if the whole target is present, also backwards [FLANG-api-2]", function()
  acc "enter data copyin(d, v)"
  acc "enter data attach(d%p)"
  acc_attach "d%p"
  expect.attached("d%p", 2)
  expect.accepts "exit data detach(d%p)"
  acc_detach "d%p"
  fortran "d%p => v(4:1:-1)"
  acc_attach "d%p"
  acc "enter data attach(d%p)"
  expect.attached("d%p", 2)
  expect.device("d%p", { 1, 1, 1, 1 })
end)

case("accepts: an update copies a section with gaps [ACC33-upd-2]", function()
  fortran "real, target :: g(6,4)\n real, pointer :: s(:)\n g = 1\n s => g(3,:)"
  acc "enter data copyin(g)"
  acc "serial present(g)" "g = 0"
  acc "update self(g(2,:))"
  expect.host("g(2,:)", { 0, 0, 0, 0 })
  fortran "g = 4"
  acc "update device(g(1:5:2,2), s(2:3))"
  expect.device("g(5,2)", 4)
  expect.device("g(3,3)", 4)
  expect.device("g(6,4)", 0)
  expect.fails("invalid-section", function() acc "enter data copyin(g(2,:))" end)
end)

case("accepts: a section of all elements is the array, also in names [FLANG-storage-3]", function()
  fortran "type own\n real, allocatable :: a(:)\n end type own\n type(own) :: ar(2)\n allocate(ar(1)%a(1))"
  acc "data copyin(ar(:))" (function()
    expect.present "ar"
    expect.equal(state().present[1].name, "ar")
  end)
end)

case("differs: the error about a detached pointer says that the pointer is not attached [FLANG-api-2]", function()
  acc "enter data copyin(d, v)"
  local before = expect.fails("host-pointer-on-device", function() acc "serial present(d)" "d%p(1) = 1" end)
  expect(before.message:find "it was never attached")
  acc "enter data attach(d%p)"
  acc "exit data detach(d%p)"
  local after = expect.fails("host-pointer-on-device", function() acc "serial present(d)" "d%p(1) = 1" end)
  expect(after.message:find "it is not attached")
end)
