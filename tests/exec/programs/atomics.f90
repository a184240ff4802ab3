! As atomics.c; with logical, complex and the procedures of Fortran.
program main
  implicit none
  integer :: i, n
  real :: f, g
  double precision :: d, e
  logical :: l
  complex :: c
  complex(8) :: z
  i = 6; n = 6; f = 12; g = 12; d = 12; e = 12; l = .false.; c = 12; z = 12
  !$omp target enter data map(to: i, n, f, g, d, e, l, c, z)
  !$omp target map(alloc: i, n, f, g, d, e, l, c, z)
  !$omp atomic
  i = max(i, 30)
  !$omp atomic
  n = ieor(n, 1)
  !$omp atomic
  f = f + 1
  !$omp atomic
  g = min(g, 1.0)
  !$omp atomic
  d = d * 2
  !$omp atomic write
  e = 5
  !$omp atomic
  l = l .neqv. .true.
  !$omp atomic
  c = c + 1
  !$omp atomic
  z = z * 2
  !$omp end target
  call show(real(i))
  call show(real(n))
  call show(f)
  call show(g)
  call show(real(d))
  call show(real(e))
  call show(merge(1.0, 0.0, l))
  call show(real(c))
  call show(real(z, 4))
  !$omp target exit data map(delete: i, n, f, g, d, e, l, c, z)
contains
  subroutine show(x)
    real, intent(in) :: x
    if (x > 1000) print *, x
  end subroutine
end program
