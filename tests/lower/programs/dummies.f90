! Objects as arguments: assumed shape, explicit shape, optional, pointers; extended types; internal procedures; values
! beside what stays the host's.
module grids
  implicit none
  type field
    integer :: n = 0
    real, allocatable :: values(:)
    real, allocatable :: scratch(:)
    integer :: steps = 0
    !$acc shape(lean) exclude(scratch)
    !$acc shape(part) exclude(scratch) include(values(2:n))
  end type field

  type, extends(field) :: halo
    real, pointer :: edge(:,:) => null()
    real, allocatable :: weight
    type(field) :: around(2)
    character(len=3) :: tag = 'abc'
  end type halo

  type mesh
    type(halo), allocatable :: blocks(:)
    type(halo), pointer :: first => null()
    integer, allocatable :: index(:)
  end type mesh
  type(field), save :: shared
contains
  subroutine fill(f, n)
    type(field), intent(inout) :: f
    integer, intent(in) :: n
    integer :: i
    f%n = n
    allocate(f%values(n), f%scratch(n))
    f%values = [(real(i), i = 1, n)]
    f%scratch = -1
  end subroutine fill

  subroutine scale(list, factor, extra)
    type(field), intent(inout) :: list(:)
    real, intent(in) :: factor
    type(field), intent(inout), optional :: extra
    integer :: i, k
    !$acc parallel loop copy<lean>(list) private(k)
    do i = 1, size(list)
      do k = 1, list(i)%n
        list(i)%values(k) = factor * list(i)%values(k)
      end do
      list(i)%steps = list(i)%steps + 1
    end do
    if (present(extra)) call inner
  contains
    subroutine inner
      integer :: j
      !$acc data copy<lean>(extra)
      !$acc serial loop
      do 10 j = 1, extra%n
        extra%values(j) = extra%values(j) + factor
10    continue
      !$acc end data
    end subroutine inner
  end subroutine scale

  subroutine explicit(n, list, last)
    integer, intent(in) :: n
    type(field) :: list(n, *)
    integer, intent(in) :: last
    integer :: i, j
    !$acc data copy<lean>(list(:, 1:last))
    !$acc parallel loop collapse(2) present(list(:, 1:last))
    do j = 1, last
      do i = 1, n
        list(i, j)%values(1) = 100 * i + j
      end do
    end do
    !$acc end data
  end subroutine explicit
end module grids

program dummies
  use grids, only: field, halo, mesh, fill, scale, explicit, common_field => shared
  implicit none
  type(field) :: list(3), two(2, 2)
  type(halo), pointer :: h
  type(mesh) :: m
  integer :: i, k
  do i = 1, 3
    call fill(list(i), i)
  end do
  call scale(list, 2.0)
  call scale(list(1:1), 10.0, list(2))
  do i = 1, 3
    print *, list(i)%steps, int(list(i)%values), int(list(i)%scratch)
  end do

  do i = 1, 2
    do k = 1, 2
      call fill(two(i, k), 2)
    end do
  end do
  call explicit(2, two, 2)
  print *, ((int(two(i, k)%values), i = 1, 2), k = 1, 2)

  call fill(common_field, 4)
  !$acc enter data copyin<part>(common_field)
  !$acc serial present(common_field)
  common_field%values(2:3) = common_field%values(2:3) * 7 + common_field%n
  !$acc end serial
  !$acc update self<part>(common_field)
  print *, int(common_field%values)
  common_field%values = 50
  !$acc update device<part>(common_field)
  !$acc serial present(common_field)
  common_field%values(4) = common_field%values(2) + 1
  common_field%steps = 9
  !$acc end serial
  !$acc exit data copyout<part>(common_field)
  print *, int(common_field%values), common_field%steps

  allocate(h)
  call fill(h%field, 2)
  call fill(h%around(1), 1)
  call fill(h%around(2), 2)
  allocate(h%edge(2, 2), h%weight)
  h%edge = 3
  h%weight = 4
  allocate(m%blocks(2), m%index(2))
  m%index = [2, 1]
  do i = 1, 2
    m%blocks(i) = h
    nullify(m%blocks(i)%edge)
  end do
  m%first => h
  !$acc data copy(m)
  !$acc parallel loop private(k) &
  !$acc   default(present)
  do i = 1, 2
    k = m%index(i)
    m%blocks(k)%values(1) = 10 * i + m%first%edge(1, 2) + m%first%weight
    m%blocks(k)%around(2)%values(2) = m%first%around(2)%values(1) + i
    m%blocks(k)%weight = m%blocks(k)%weight + i
    m%blocks(k)%steps = i
  end do
  !$acc end data
  do i = 1, 2
    print *, int(m%blocks(i)%values), int(m%blocks(i)%around(2)%values), int(m%blocks(i)%weight), m%blocks(i)%steps
  end do

  !$acc data invoke<>(m)::{ default(exclude) invoke<>(first)::{ default(exclude) copy(edge, weight) } }
  !$acc serial present(m)
  m%first%edge(2, 2) = m%first%weight + 5
  m%first%weight = 6
  !$acc end serial
  !$acc end data
  print *, int(h%edge), int(h%weight)

  !$acc data copy(m%blocks(2)%values(1:1), m%index)
  !$acc serial
  m%blocks(2)%values(1) = m%index(2)
  !$acc end serial
  !$acc end data
  print *, int(m%blocks(2)%values), m%index
end program dummies
