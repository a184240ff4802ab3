! Pointers into what other components bring: attached when everything is there.
module m
  implicit none
  type field
    integer :: n = 4
    real, pointer :: view(:) => null()
    real, allocatable :: values(:)
    real, pointer :: last => null()
    !$acc shape(alias) include(view(@values), last(@values))
    !$acc policy(keep) default(present) copyin(values) exclude(view, last)
  end type field
end module m
program aliases
  use m
  implicit none
  type(field), target :: f
  type(field), allocatable, target :: fs(:)
  integer :: i
  allocate(f%values(4))
  f%values = 1
  f%view => f%values(2:3)
  f%last => f%values(4)
  !$acc data copy<alias>(f)
  !$acc serial
  f%view(1) = 5
  f%last = 6
  f%values(1) = f%n
  !$acc end serial
  !$acc end data
  print *, f%values
  allocate(fs(2))
  do i = 1, 2
    fs(i)%values = [1, 2, 3, 4] * i
    fs(i)%view => fs(i)%values(1:2)
    fs(i)%last => fs(i)%values(3)
  end do
  !$acc enter data copyin<alias>(fs)
  !$acc parallel loop present(fs)
  do i = 1, 2
    fs(i)%view(2) = 10 * i + fs(i)%last
  end do
  !$acc update self<alias>(fs)
  !$acc exit data delete<alias>(fs)
  print *, fs(1)%values, fs(2)%values
  !$acc enter data copyin(f%n) create<alias>(f)
  !$acc update device<alias>(f)
  !$acc serial present(f)
  f%values(1) = f%view(1) + f%n
  !$acc end serial
  !$acc exit data copyout<alias>(f)
  print *, f%values
end program aliases
