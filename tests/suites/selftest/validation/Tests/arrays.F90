! Passes with and without a device of its own memory.
#ifndef T1
program arrays
  integer :: a(3)
  a = 1
  !$acc parallel copy(a)
  a(2) = 2
  !$acc end parallel
  if (any(a /= (/ 1, 2, 1 /))) call exit(1)
end program
#endif
