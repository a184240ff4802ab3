      subroutine s(x)
      type t
      real, allocatable :: a(:)
c$acc shape(q) exclude(a)
      end type
      type(t) x
      end
