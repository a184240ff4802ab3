    integer :: extra = 4
