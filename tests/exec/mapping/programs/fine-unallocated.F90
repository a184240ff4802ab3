! nothing: data clauses name components and variables that are not allocated, and those that no longer are.
program main
  implicit none
  type t
    integer :: n
    real(8), allocatable :: v(:), s
    real(8), pointer :: q(:) => null()
  end type
  type(t) :: m, k
  real(8), allocatable :: a(:), sc
  real(8), pointer :: pt(:) => null()
  integer :: r, i
  m%n = 3
  !$acc exit data delete(a)
  !$acc exit data delete(sc)
  !$acc exit data delete(pt)
  !$acc exit data delete(m%v)
  !$acc exit data delete(m%s)
  !$acc exit data delete(m%q)
  !$acc enter data copyin(m)
  !$acc enter data copyin(m%v, m%s, m%q)
  !$acc enter data copyin(a, sc, pt)
  !$acc exit data delete(a, sc, pt)
  !$acc exit data delete(m%v, m%s, m%q)
  do i = 1, 2
  allocate(m%v(10), m%s, m%q(10), a(10), sc, pt(10))
  !$acc enter data copyin(m%v, m%s, m%q)
  !$acc enter data copyin(a, sc, pt)
  !$acc exit data delete(a, sc, pt)
  !$acc exit data delete(m%v, m%s, m%q)
  deallocate(m%v, m%s, m%q, a, sc, pt)
  !$acc exit data delete(a, sc, pt)
  !$acc exit data delete(m%v, m%s, m%q)
  end do
  !$acc parallel present(m) copyout(r)
  r = m%n
  !$acc end parallel
  if (r /= 3) stop 1
  !$acc exit data delete(m)
end program
