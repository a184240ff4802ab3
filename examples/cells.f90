! cells.f90 - a domain of cells with arrays of their own, copied to the device by directives of TR-14-1.
module cells
  implicit none
  type cell
    real(8), allocatable :: x(:), v(:), scratch(:)
    !$acc shape exclude(scratch)
  end type cell
  type domain
    type(cell), allocatable :: cells(:)
  end type domain
contains
  subroutine step(d, dt)
    type(domain), intent(inout) :: d
    real(8), intent(in) :: dt
    integer :: i, k
    !$acc parallel loop present(d)
    do i = 1, size(d%cells)
      do k = 1, size(d%cells(i)%x)
        d%cells(i)%x(k) = d%cells(i)%x(k) + dt * d%cells(i)%v(k)
      end do
    end do
  end subroutine step
end module cells

program main
  use cells
  implicit none
  type(domain) :: d
  integer :: i, k, n
  real(8) :: total
  allocate(d%cells(1000))
  do i = 1, 1000
    n = mod(i - 1, 4)
    allocate(d%cells(i)%x(n), d%cells(i)%v(n))
    d%cells(i)%x = 0
    d%cells(i)%v = [(i - 1 + k, k = 0, n - 1)]
  end do
  !$acc enter data copyin(d)
  do i = 1, 10
    call step(d, 0.5d0)
  end do
  !$acc exit data copyout(d)
  total = 0
  do i = 1, 1000
    total = total + sum(d%cells(i)%x)
  end do
  print '(a, i0)', 'sum ', nint(total)
end program main
