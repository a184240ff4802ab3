! stale host data: the update copies one half, and the host reads every second element.
program main
  implicit none
  integer :: a(20), total, i
  a = 0
  !$acc enter data copyin(a)
  !$acc parallel loop present(a)
  do i = 1, 20
    a(i) = 1
  end do
#ifdef RIGHT
  !$acc update self(a)
#else
  !$acc update self(a(1:10))
#endif
  total = 0
  do i = 1, 20, 2
    total = total + a(i) ! checked: stale-data
  end do
  !$acc exit data delete(a) ! strict: lost-change
  if (total == 11) stop 1
end program
