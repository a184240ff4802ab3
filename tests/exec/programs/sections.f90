! Sections of arrays of every kind in data clauses: indices mean in a kernel what they mean on the host.
program sections
  implicit none
  real :: e(-1:6)
  real, allocatable, target :: v(:), m(:,:)
  real, pointer :: q(:)
  integer :: i, j

  allocate(v(8), m(0:3,4))
  e = 1.0
  do i = 1, 8
    v(i) = i
  end do
  do j = 1, 4
    do i = 0, 3
      m(i,j) = 10 * i + j
    end do
  end do

  !$acc serial copy(e(2:4))
  e(2) = e(3) + e(4)
  !$acc end serial
  print *, 1, int(e)

  !$acc enter data copyin(v(3:5))
  !$acc serial present(v(3:5))
  v(4) = v(3) * v(5)
  !$acc end serial
  !$acc exit data copyout(v(3:5))
  print *, 2, int(v)

  q(0:) => v(2:7)
  !$acc data copy(q(2:3))
  !$acc serial present(q(2:3))
  q(3) = q(2) + 100.0
  !$acc end serial
  !$acc end data
  print *, 3, int(v)

  !$acc data copy(m(:,2:3))
  !$acc serial present(m(:,2:3))
  m(0,2) = m(3,3) + lbound(m, 1)
  !$acc end serial
  !$acc update self(m(:,2))
  print *, 4, int(m(:,2))
  !$acc end data
  call shifted(m)
  print *, 5, int(m)

contains
  subroutine shifted(x)
    real :: x(10:,20:)
    !$acc serial copy(x(:,21:22))
    x(10,21) = x(13,22) + 1000.0
    !$acc end serial
  end subroutine shifted
end program sections
