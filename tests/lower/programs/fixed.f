C Fixed form: comments, labels, continued lines and strings, text after column 72, tabs, conditional lines.
C lines: no: the unit is converted to free form
      module types
      implicit none
      type t
        integer n
        real, allocatable :: a(:), b(:)
c$acc shape exclude(b)
      end type
      contains
      subroutine add(x, by)
      type(t), intent(inout) :: x
      integer, intent(in) :: by
      integer i
*$acc parallel loop
*$acc+ present(x)
      do 20 i = 1, x%n
        x%a(i) = x%a(i)
     1  + by ! more

C between two lines of one statement
     2  + 1
   20 continue
      end subroutine
      end module
      program p
      use types
      implicit none
      type(t) x
      integer i, k                                                      ignored
      character*80 text
      text = 'a long text that is continued in the next line of this u
     1nit, isn''t it' ! a comment "
      allocate(x%a(4), x%b(4))
      x%b = 7
      x%n = 4
*     another comment
      do 10 i = 1,
     &    4
        x%a(i) = i
   10 continue
	k = 0
	k = k +
	1 3
!$acc data
!$acc+copy(x)
      call add(x, 10)
C$ACC END DATA
!$    k = k + 0
      print *, int(x%a), k
      print *, trim(text)
      end
