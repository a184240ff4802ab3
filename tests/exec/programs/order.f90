! Queues whose work nothing orders, in Fortran, and with the wait that is missing.
module work
contains
  subroutine add(u, n, queue)
    integer, intent(in) :: n, queue
    real, intent(inout) :: u(:)
    integer :: i
    !$acc parallel loop present(u) async(queue)
    do i = 1, n
      u(i) = u(i) + 1
    end do
  end subroutine
end module

program order
  use openacc
  use work
  implicit none
  real, allocatable :: a(:), b(:)
  character(8) :: way
  logical :: waits
  integer :: i
  call get_command_argument(1, way)
  waits = command_argument_count() > 1
  allocate(a(64), b(64))
  a = 1
  b = 2
  select case (way)
  case ("update")
    !$acc enter data copyin(a, b)
    call add(a, 64, 1)
    call add(b, 64, 2)
    if (waits) call acc_wait_async(1, 2)
    !$acc update self(a, b) async(2)
    !$acc wait
    !$acc exit data delete(a, b)
  case ("host")
    !$acc enter data copyin(a, b) async(4)
    if (waits) then
      do while (.not. acc_async_test(4))
      end do
    end if
    b(3) = 5
    !$acc wait(4)
    !$acc update device(b)
    !$acc exit data copyout(a, b)
  case default ! right: each queue has an array, temporary values are private
    !$acc data copy(a, b)
    do i = 1, 8
      call add(a, i, 1)
      call add(b, 64, 2)
      !$acc update self(a(1:i)) async(1)
    end do
    !$acc wait
    !$acc end data
  end select
  print '(2f6.1)', a(3), b(3)
end program
