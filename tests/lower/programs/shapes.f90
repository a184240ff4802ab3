! Shapes of types in modules of other units: what they exclude is not on the device.
program shapes
  use grids, only: domain, add
  implicit none
  type(domain) :: d
  integer :: i
  d%n = 3
  allocate(d%cells(3), d%names(5))
  d%names = 1
  do i = 1, 3
    d%cells(i)%n = i
    allocate(d%cells(i)%x(i), d%cells(i)%scratch(10))
    d%cells(i)%x = i
    d%cells(i)%scratch = 0
  end do
!$acc enter data copyin(d)
  do i = 1, 3
    d%cells(i)%scratch = i
  end do
  call add(d, 10d0)
!$acc exit data copyout(d)
  print '(3f6.1)', d%cells(3)%x
  print '(f6.1)', d%cells(2)%scratch(10)
end program
