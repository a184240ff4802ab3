-- The same in Fortran: a component has its own bounds, so a deep copy needs no shape.
scenario { title = "Tutorial 11: Fortran", language = "fortran", cites = { "TR14-1.1-05" } }

fortran [[
  type grid
    integer :: n
    real, allocatable :: u(:)
  end type grid
  type(grid) :: g
  integer :: i
  g%n = 4
  allocate(g%u(0:3))
  g%u = 1.0
]]

-- OpenACC 3.3 copies no target of a component implicitly.
case("in OpenACC 3.3", function()
  rules "openacc-3.3"
  fortran "!$acc enter data copyin(g)"
  print(expect.fails("host-pointer-on-device", function()
    fortran "!$acc serial present(g)\n g%u(3) = 2.0\n !$acc end serial"
  end))
end)

case("in TR-14-1", function()
  fortran [[
    !$acc data copy(g)
    !$acc parallel loop present(g)
    do i = lbound(g%u, 1), ubound(g%u, 1)
      g%u(i) = 2.0 * i
    end do
    !$acc end data
  ]]
  expect.host("g%u(3)", 6)
end)
