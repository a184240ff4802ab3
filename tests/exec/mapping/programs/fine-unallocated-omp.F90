! nothing: map clauses name variables that are not allocated, and those that no longer are.
program main
  implicit none
  real(8), allocatable :: a(:), sc
  real(8), pointer :: pt(:) => null()
  integer :: i
  !$omp target exit data map(release: a)
  !$omp target exit data map(release: sc)
  !$omp target exit data map(release: pt)
  do i = 1, 2
  !$omp target enter data map(to: a, sc, pt)
  !$omp target exit data map(release: a, sc, pt)
  allocate(a(10), sc, pt(10))
  !$omp target enter data map(to: a, sc, pt)
  !$omp target exit data map(release: a, sc, pt)
  deallocate(a, sc, pt)
  !$omp target exit data map(release: a, sc, pt)
  end do
end program
