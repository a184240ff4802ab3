! leak: one of two arrays is not unmapped.
program main
  implicit none
  real, save :: a(8), b(8)
  a = 1
  b = 2
  !$acc enter data copyin(a, b) ! expect: still-mapped
#ifdef RIGHT
  !$acc exit data delete(a, b)
#else
  !$acc exit data delete(a)
#endif
end program
