! Standard constructs, loops and clauses, which OpenMP has under other names. accdeep: no: declare.
module tables
  implicit none
  integer, parameter :: n = 40
  integer :: table(0:3) = [1, 2, 3, 4]
  !$acc declare copyin(table)
  type cell
    integer :: count = 0
    real(8) :: mean = 0
    real(8), allocatable :: v(:)
  end type cell
contains
  pure integer function square(x)
    integer, intent(in) :: x
    !$acc routine seq
    square = x * x
  end function square

  subroutine fill(row, m, value)
    integer, intent(in) :: m, value
    integer, intent(out) :: row(m)
    integer :: k
    !$acc routine vector
    !$acc loop vector
    do k = 1, m
      row(k) = value + k - 1
    end do
  end subroutine fill

  subroutine split(x, half, rest)
    integer, intent(in) :: x
    integer, intent(out) :: half, rest
    !$acc routine seq
    half = x / 2
    rest = x - 2 * half
  end subroutine split

  subroutine on_device(x, m)
    integer, intent(in) :: m
    integer, intent(inout) :: x(m)
    integer :: k
    !$acc parallel loop deviceptr(x)
    do k = 1, m
      x(k) = x(k) + 1000
    end do
  end subroutine on_device
end module tables

program loops
  use tables
  implicit none
  integer :: a(n), b(n), c(n, n), count, most, i, k, m, total, inside, local, half, rest, last
  integer, allocatable :: p(:)
  integer(8) :: long
  real(8) :: mean
  logical :: is_done, found(n)
  type(cell) :: x, cells(3)
  a = [(i - 1, i = 1, n)]
  b = 0
  p = [(n - i + 1, i = 1, n)]

  !$acc parallel loop copyin(a) pcopyout(b) num_gangs(4) vector_length(32)
  do i = 1, n
    b(i) = square(a(i)) + table(mod(i - 1, 4))
  end do
  print *, 'parallel loop', sum(b)

  count = 0; most = 0; mean = 0
  !$acc data copyin(a(1:n), p(1:n)) create(b) &
  !$acc   copy(c)
  !$acc parallel loop gang present(c)
  do i = 1, n
    !$acc loop vector
    do k = 1, n
      c(k, i) = (i - 1) * (k - 1)
    end do
  end do
  !$acc parallel present(c) num_gangs(2)
  !$acc loop gang
  do i = 1, n
    call fill(c(:, i), n / 2, i - 1)
  end do
  !$acc loop gang worker vector collapse(2)
  do i = 1, n
    do k = n / 2 + 1, n
      c(k, i) = c(k, i) + 1
    end do
  end do
  !$acc end parallel
  !$acc parallel loop reduction(+ : count) reduction(max : most) present(a, p(1:n))
  do i = 1, n
    if (a(i) > 10) count = count + 1
    most = max(most, p(i))
  end do
  !$acc end parallel loop
  !$acc serial loop present(a) copy(mean)
  do i = 1, n
    mean = mean + a(i) / real(n, 8)
  end do
  !$acc kernels present(a, b) async(1)
  last = 0
  do i = 1, n
    b(i) = a(i)
    last = last + 1
  end do
  !$acc loop independent
  do i = 1, n
    b(i) = b(i) + last
  end do
  !$acc end kernels
  !$acc update self(b(1:n)) if(n > 3) wait(1)
  !$acc wait
  !$acc end data
  print *, 'data', sum(c), sum(b), count, most, mean, last

  total = 0
  !$acc parallel loop copy(total) copyin(a)
  do i = 1, n
    !$acc atomic update
    total = total + a(i)
    !$acc end atomic
  end do
  inside = 5; local = 7
  !$acc serial firstprivate(local) copyout(inside)
  local = local + 1
  inside = local
  !$acc end serial
  !$acc parallel loop private(local) copy(b) if(n > 3)
  do i = 1, n
    local = i
    !$acc loop seq
    do k = 1, 3
      local = local + k
    end do
    b(i) = local
  end do
  print *, 'others', total, inside, local, sum(b)

  ! Scalars that no clause names: each thread has its own; a condition decides, or an argument.
  rest = 5
  !$acc parallel loop copyout(c, b) copyin(a) default(none) private(m) firstprivate(rest)
  do i = 1, n
    !$acc loop
    do k = 1, n
      c(k, i) = 0
      do m = 1, 3
        c(k, i) = c(k, i) + a(i) * m
      end do
    end do
    b(i) = rest
  end do
  print *, 'loop variables', sum(c), sum(b)
  total = 100; half = 0
  !$acc parallel loop copyout(b)
  do i = 1, n
    call split(i, half, rest)
    inside = half * 3
    if (rest == 1) then
      total = i
    end if
    if (i > 1) b(i) = inside + rest
    if (i == 1) b(i) = total
  end do
  print *, 'scalars', sum(b), b(1), total, inside
  !$acc kernels loop independent private(inside)
  do i = 1, n
    do k = 1, 2
      inside = k * i
      b(i) = inside
    end do
  end do
  !$acc parallel loop gang copyout(c)
  do i = 1, n
    half = i
    !$acc loop worker vector
    do k = 1, n
      rest = k
      c(k, i) = half * rest
    end do
  end do
  print *, 'gangs', sum(c), sum(b)
  !$acc parallel
  half = 3
  !$acc loop
  do i = 1, n
    found(i) = half == 3 .and. a(i) > half
    !$acc cache(a(i:i))
  end do
  !$acc end parallel
  long = 0
  !$acc parallel copy(long)
  !$acc loop gang worker reduction(+:long)
  do 10 i = 1, n
    long = long + merge(1, 0, found(i))
10 continue
  !$acc end parallel
  print *, 'found', long
  m = 0
  !$acc kernels
  !$acc loop independent reduction(+:m)
  do i = 1, n
    !$acc loop independent reduction(+:m)
    do k = 1, 2
      m = m + k
    end do
  end do
  !$acc end kernels
  print *, 'reductions', m

  is_done = .false.
  !$acc data copy(is_done, local) if(n > 3)
  !$acc serial if(n > 10)
  is_done = .true.
  local = local + 1
  !$acc end serial
  !$acc end data
  !$acc serial copyout(is_done) if(.not. is_done .or. n > 100)
  is_done = .true.
  !$acc end serial
  print *, 'by enclosing data', is_done, local

  !$acc enter data copyin(p(1:n))
  !$acc enter data copyin(p(1:n)) if(n > 3)
  !$acc parallel loop present(p(1:n)) default(present)
  do i = 1, n
    p(i) = p(i) + 1
  end do
  !$acc exit data copyout(p(1:n)) finalize
  print *, 'finalize', sum(p)
  !$acc data copy(b)
  !$acc host_data use_device(b)
  call on_device(b, n)
  !$acc end host_data
  !$acc end data
  print *, 'device addresses', sum(b)

  ! Objects with components, whose directives map one after another.
  allocate(x%v(4))
  x%v = 1
  do i = 1, 3
    cells(i)%count = i
    allocate(cells(i)%v(i))
    cells(i)%v = i
  end do
  !$acc enter data copyin(x)
  !$acc enter data copyin(x%v)
  !$acc parallel loop present(x)
  do i = 1, 4
    x%v(i) = x%v(i) * i
  end do
  !$acc serial present(x)
  x%count = 4
  x%mean = sum(x%v) / x%count
  !$acc end serial
  !$acc update self(x%mean, x%v(2:2))
  print *, 'components', x%mean, x%v(2)
  !$acc exit data copyout(x%v)
  !$acc exit data copyout(x)
  print *, 'components', x%count, x%v
  !$acc parallel loop copy(cells)
  do i = 1, 3
    cells(i)%count = cells(i)%count * 10
  end do
  print *, 'objects', cells%count, cells(3)%v
end program loops
