! Input and output of Fortran, and arrays that are packed for a call, of old data of the host, by argument; with a
! second one the data are new.
program calls
  implicit none
  real, allocatable :: a(:, :)
  complex :: z(4)
  character(8) :: way, text
  integer :: i
  call get_command_argument(1, way)
  allocate(a(6, 5))
  a = 1
  z = (1, 2)
  !$acc data copy(a, z)
  !$acc parallel loop
  do i = 1, 5
    a(:, i) = a(:, i) + i
  end do
  !$acc parallel loop
  do i = 1, 4
    z(i) = z(i) + i
  end do
  if (command_argument_count() > 1) then
    !$acc update self(a, z)
  end if
  select case (way)
  case ("element")
    print '(f5.1)', a(2, 3)
  case ("array")
    print '(5f5.1)', a(2, :)
  case ("complex")
    write (*, '(2f5.1)') z(2)
  case ("pack")
    call show(a(1:5:2, 2), 3)
  case ("namelist")
    call list(z)
  case ("read")
    text = "7.0"
    read (text, *) a(3, 3)
  end select
  !$acc end data
  print '(f5.1)', a(1, 1)
contains
  subroutine list(z)
    complex :: z(4)
    namelist /group/ z
    write (*, nml=group)
  end subroutine
  subroutine show(u, n)
    integer :: n
    real, intent(in) :: u(n)
    print '(f5.1)', u(2)
  end subroutine
end program
