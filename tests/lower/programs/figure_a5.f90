! Figure A.5: a policy in a derived type, invoked for an object and for a whole array of rank two. The policy, as in
! Figure A.2, sends b and c and fetches a, as a = b + c needs it.
module figure
  implicit none
  type DeepType
    real,allocatable :: A(:)
    real,allocatable :: B(:)
    real,allocatable :: C(:)
    !$acc policy(calc_a) default(copyin) copyout(A)
  end type DeepType
end module figure

program figure_a5
  use figure
  implicit none
  type(DeepType) :: X
  type(DeepType), allocatable :: array_X(:, :)
  integer :: i, j, k
  X%A = [1, 2, 3]
  X%B = [4, 5, 6]
  X%C = [7, 8, 9]
  allocate(array_X(2, 0:2))
  do j = 0, 2
    do i = 1, 2
      array_X(i, j) = X
      array_X(i, j)%C = 10 * i + j
    end do
  end do

  !$acc data invoke<calc_a>(X)
  !$acc parallel loop
  do k = 1, 3
    X%A(k) = X%B(k) + X%C(k)
  end do
  !$acc end data
  print *, int(X%A), int(X%B)

  !$acc data invoke<calc_a>(array_X)
  !$acc parallel loop collapse(3)
  do j = lbound(array_X, 2), ubound(array_X, 2)
    do i = 1, 2
      do k = 1, 3
        array_X(i, j)%A(k) = array_X(i, j)%B(k) + array_X(i, j)%C(k)
      end do
    end do
  end do
  !$acc end parallel loop
  !$acc end data
  do j = 0, 2
    print *, int(array_X(1, j)%A), int(array_X(2, j)%A)
  end do
end program figure_a5
