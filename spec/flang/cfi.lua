-- Allocatables and pointers in memory: address, element size, and bounds and stride of each dimension.
scenario { title = "FLANG: descriptors in memory", language = "fortran", rules = "openacc-3.3", descriptors = "cfi" }

fortran [[
  type kinds
    real, pointer :: s
    real(8), allocatable :: line(:)
    real, pointer :: plane(:,:)
  end type kinds
  type single
    real, pointer :: p(:,:)
  end type single
  type(kinds), target :: x
  type(single) :: d
  real, target :: grid(4,6)
  integer :: i
  grid = reshape((/(i, i = 1, 24)/), (/4, 6/))
]]

case("accepts: a descriptor has 24 bytes, and 24 for each dimension [FLANG-cfi-1]", function()
  expect.equal(sizeof "x", 24 + 48 + 72)
  expect.equal(sizeof "d", 72)
end)

case("accepts: a descriptor has up to fifteen dimensions [FLANG-cfi-1]", function()
  fortran [[
    type deep
      integer, pointer :: p(:,:,:,:,:,:,:,:,:,:,:,:,:,:,:)
    end type deep
    type(deep) :: many
    allocate(many%p(2,1,1,1,1,1,1,1,1,1,1,1,1,1,2))
    many%p = 7
  ]]
  expect.equal(sizeof "many", 24 + 15 * 24)
  expect.moves(function()
    acc "data copy(many, many%p)" (function()
      acc "serial present(many)" "many%p(2,1,1,1,1,1,1,1,1,1,1,1,1,1,2) = 8"
    end)
  end, { h2d = 2, d2h = 1 })
  expect.host("many%p(2,1,1,1,1,1,1,1,1,1,1,1,1,1,2)", 8)
  expect.host("many%p(2,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", 7)
end)

case("accepts: a descriptor starts with the address and the size of an element [FLANG-cfi-1]", function()
  fortran [[
    nullify(d%p)
    !$acc enter data copyin(d)
  ]]
  expect.equal(device_words "d"[1], 0)
  fortran [[
    d%p => grid
    !$acc enter data copyin(d%p)
  ]]
  local whole = device_words "d"
  expect(whole[1] ~= 0)
  expect.equal(whole[2], 4)
  fortran [[
    d%p => grid(:,2:)
    !$acc enter data attach(d%p)
  ]]
  expect.equal(device_words "d"[1] - whole[1], 16)
end)

case("accepts: a dimension has a lower bound, an extent, and the bytes to the next element [FLANG-cfi-1]", function()
  fortran [[
    d%p(0:,5:) => grid(2:4,::2)
    !$acc enter data copyin(d)
    !$acc enter data copyin(d%p)
  ]]
  expect.equal(table.move(device_words "d", 4, 9, 1, {}), { 0, 3, 4, 5, 3, 32 })
end)

case("accepts: strides may be negative [FLANG-cfi-1]", function()
  fortran [[
    d%p => grid(4:1:-3,::2)
    !$acc enter data copyin(d)
    !$acc enter data copyin(d%p)
  ]]
  expect.equal(table.move(device_words "d", 4, 9, 1, {}), { 1, 2, -12, 1, 3, 32 })
  expect.device("d%p", { { 4, 12, 20 }, { 1, 9, 17 } })
end)

case("rejects: attach names an array of constant shape, which has no descriptor [FLANG-cfi-1 ACC33-att-5]", function()
  fortran [[
    type plain
      real :: a(2,2)
    end type plain
    type(plain) :: y
  ]]
  expect.equal(sizeof "y", 16)
  expect.invalid("enter data attach(y%a)", "not-a-pointer")
  expect.invalid("enter data attach(grid)", "not-a-pointer")
end)

case("rejects: an array has more than fifteen dimensions [FLANG-cfi-1 HOUSE-limit]", function()
  expect.fails("limit", function() fortran "real, pointer :: r(:,:,:,:,:,:,:,:,:,:,:,:,:,:,:,:)" end)
end)
