-- Descriptors in the layout of gfortran: other members, and strides that count elements.
scenario { title = "FLANG: descriptors of another compiler", language = "fortran", rules = "openacc-3.3",
  descriptors = "gfortran" }

fortran [[
  type single
    real, pointer :: p(:,:)
  end type single
  type pair
    real :: x, y
  end type pair
  type(single) :: d
  type(pair), target :: pairs(4)
  real, pointer :: xs(:)
  real, target :: grid(4,6)
  integer :: i
  grid = reshape((/(i, i = 1, 24)/), (/4, 6/))
]]

case("accepts: a descriptor has 40 bytes, and 24 for each dimension [FLANG-cfi-1]", function()
  expect.equal(sizeof "d", 88)
end)

case("accepts: a descriptor has an offset, strides in elements, and both bounds [FLANG-cfi-1]", function()
  fortran [[
    d%p(0:,5:) => grid(2:4,::2)
    !$acc enter data copyin(d)
    !$acc enter data copyin(d%p)
  ]]
  local w = device_words "d"
  expect.equal({ w[2], w[3], w[5] }, { -(0 * 1 + 5 * 8), 4, 4 })
  expect.equal(table.move(w, 6, 11, 1, {}), { 1, 0, 2, 8, 5, 7 })
  expect.device("d%p", { { 2, 10, 18 }, { 3, 11, 19 }, { 4, 12, 20 } })
end)

case("accepts: attach writes the whole descriptor [FLANG-composite-1]", function()
  fortran [[
    d%p => grid
    !$acc enter data copyin(d, d%p)
    d%p(10:,20:) => d%p
    !$acc enter data attach(d%p)
  ]]
  expect.equal(table.move(device_words "d", 6, 11, 1, {}), { 1, 10, 13, 4, 20, 25 })
  expect.attached("d%p", 1)
end)

case("accepts: a stride that is not a multiple of the element size counts common bytes [FLANG-cfi-1]", function()
  expect.moves(function()
    fortran [[
      pairs%x = [1., 2., 3., 4.]
      xs => pairs(4:1:-1)%x
      print *, xs
      !$acc serial copy(pairs)
      xs(1) = 40
      !$acc end serial
      print *, pairs(4)%x, xs(4)
    ]]
  end, { h2d = 1, d2h = 1 })
  expect.equal(output(), { "4.0 3.0 2.0 1.0", "40.0 1.0" })
end)

case("differs: the device keeps its descriptor without an attach [FLANG-composite-1]", function()
  fortran [[
    d%p => grid
    !$acc enter data copyin(d, d%p)
    d%p(10:,20:) => d%p
  ]]
  expect.equal(table.move(device_words "d", 6, 11, 1, {}), { 1, 1, 4, 4, 1, 6 })
end)

case("rejects: attach names an array of constant shape, which has no descriptor here either"
  .. " [FLANG-cfi-1 ACC33-att-5]", function()
  expect.invalid("enter data attach(grid)", "not-a-pointer")
end)
