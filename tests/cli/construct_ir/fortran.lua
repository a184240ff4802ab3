scenario { rules = "tr14", language = "fortran" }
fortran [[
  type :: cell
    integer :: n
    real, allocatable :: x(:)
  end type
  type(cell) :: c(2)
  real :: field(4, 3)
  allocate(c(1)%x(3), c(2)%x(2))
]]
acc "enter data copyin(c) create(field(:, 2:3))"
