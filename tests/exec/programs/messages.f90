! The same in Fortran.
program messages
  use mpi
  implicit none
  integer, parameter :: n = 16
  real(8) :: field(n), edge(n), sums(n)
  integer :: rank, ierror, i, wrong, requests(2)
  character(8) :: without
  call get_command_argument(1, without)
  call mpi_init(ierror)
  call mpi_comm_rank(mpi_comm_world, rank, ierror)
  field = 0; edge = 0; sums = 0; wrong = 0
  !$acc data copyin(field, edge, sums)
  !$acc parallel loop present(field, sums)
  do i = 1, n
    field(i) = 10 * rank + i
    sums(i) = i
  end do
  if (without /= "field") then
    !$acc update self(field)
  end if
  !$acc update self(sums)
  call mpi_irecv(edge, n, mpi_double_precision, 1 - rank, 1, mpi_comm_world, requests(1), ierror)
  call mpi_isend(field, n, mpi_double_precision, 1 - rank, 1, mpi_comm_world, requests(2), ierror)
  call mpi_waitall(2, requests, mpi_statuses_ignore, ierror)
  call mpi_allreduce(mpi_in_place, sums, n, mpi_double_precision, mpi_sum, mpi_comm_world, ierror)
  if (without /= "edge") then
    !$acc update device(edge)
  end if
  !$acc parallel loop present(edge) reduction(+:wrong)
  do i = 1, n
    if (edge(i) /= 10 * (1 - rank) + i) wrong = wrong + 1
  end do
  !$acc end data
  do i = 1, n
    if (sums(i) /= 2 * i) wrong = wrong + 1
  end do
  if (rank == 0) print "(a, i0)", "wrong: ", wrong
  call mpi_finalize(ierror)
end program
