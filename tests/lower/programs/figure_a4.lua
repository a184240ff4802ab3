-- What figure_a4.f90 does, step by step.
scenario { title = "TR14 figure A.4: the events of its program", language = "fortran", descriptors = "gfortran",
  rules = { base = "tr14", present = "shallow" } }

fortran [[
type DeepType
  real, allocatable :: A(:)
  real, allocatable :: B(:)
  real, allocatable :: C(:)
  !$acc shape(not_c) exclude(C)
end type DeepType

type CompoundType
  type(DeepType), allocatable :: d1(:)
  real, allocatable :: raw
  !$acc shape exclude(raw) include<not_c>(d1)
end type CompoundType

type(DeepType) :: X
type(CompoundType) :: Z
integer :: i, k
X%A = [1, 2, 3]
X%B = [4, 5, 6]
allocate(X%C(-1:0))
X%C = 7
allocate(Z%d1(2), Z%raw)
Z%d1 = X
Z%raw = 8

!$acc data copy(X)
!$acc parallel loop
do i = 1, 3
  X%A(i) = X%A(i) + X%B(i)
end do
!$acc serial
X%C(-1) = lbound(X%C, 1)
!$acc end serial
!$acc end data

!$acc data copyin<not_c>(X)
!$acc serial present<not_c>(X)
X%A(1) = X%B(2)
!$acc end serial
!$acc update self<not_c>(X)
!$acc end data

!$acc data copy(Z)
!$acc parallel loop gang private(k)
do i = 1, 2
  do k = 1, 3
    Z%d1(i)%A(k) = 10 * i + Z%d1(i)%B(k)
  end do
end do
!$acc end parallel loop
!$acc end data
]]
