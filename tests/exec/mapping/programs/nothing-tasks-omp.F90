! nothing: each task of a loop has a column of its own; gfortran passes the addresses in variables that it uses again.
program main
  implicit none
  integer :: w(8, 4), ticket(1), x, y
  w = 0
  ticket = 0
  !$omp target enter data map(to: w, ticket)
  do x = 1, 4
    !$omp target teams distribute map(alloc: w(1:8, x), ticket(1:1)) nowait
    do y = 1, 8
      w(y, x) = x * y
      !$omp atomic
      ticket(1) = ticket(1) + 1
    end do
    !$omp end target teams distribute
  end do
  !$omp taskwait
  !$omp target exit data map(from: w, ticket)
  if (w(8, 4) /= 32 .or. ticket(1) /= 32) stop 1
end program
