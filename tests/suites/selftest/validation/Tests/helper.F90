module helper
  integer :: number
end module
