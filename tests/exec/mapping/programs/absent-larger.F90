! absent data: the update names more than what is present.
program main
  implicit none
  integer :: a(20), i
  a = 0
#ifdef RIGHT
  !$acc enter data create(a)
#else
  !$acc enter data create(a(1:10))
#endif
  !$acc parallel loop present(a(1:10))
  do i = 1, 10
    a(i) = i
  end do
#ifdef RIGHT
  !$acc update self(a(1:10))
#else
  !$acc update self(a(1:20)) ! expect: partially-present
#endif
  !$acc exit data delete(a)
  if (a(4) /= 4) stop 1
end program
