! missing wait: the wait names another queue than the kernel's.
program main
  implicit none
  integer :: a(20), i
  a = 0
  !$acc enter data copyin(a)
  !$acc parallel loop present(a) async(1)
  do i = 1, 20
    a(i) = i
  end do
#ifdef RIGHT
  !$acc wait(1)
#else
  !$acc wait(2)
#endif
  !$acc update self(a) ! expect: missing-wait
  !$acc wait
  !$acc exit data delete(a)
  if (a(3) /= 3) stop 1
end program
