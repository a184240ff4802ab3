module shaped
  type t
    integer :: n
    real, allocatable :: a(:), b(:)
    !$acc shape exclude(b) &
    !$acc& init_needed(n)
  end type t
end module shaped
