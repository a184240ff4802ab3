! The preprocessor: macros in types and directives, conditions around directives, files that are included.
#define FIELD(n) real(wp), allocatable :: n(:)
#define SHAPED s
module types_m
  implicit none
    include 'kinds.inc'
  type t
    integer :: n
#include "component.h"
    FIELD(a)
    FIELD(b)
#if defined(_OPENACC) || defined(_OPENMP)
    !$acc shape(s) exclude(b)
#else
    !$acc shape(wrong) exclude(zzz)
#endif
  end type t
end module
program preprocessed
  use types_m
  implicit none
  type(t) :: x
  integer :: i
  x%n = 2
  allocate(x%a(2), x%b(2))
  x%a = 1; x%b = 2
#ifdef NEVER
  !$acc data copy<nothing>(x)
#else
  !$acc data copy<SHAPED>(x) &

  !$acc & create(i)
#endif
#define LOOP parallel loop
  !$acc LOOP
  do i = 1, 2
    x%a(i) = x%a(i) + x%extra + __LINE__
  end do
  !$acc end data
  print *, x%a, __LINE__
end program
