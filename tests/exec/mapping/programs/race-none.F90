! data race: none: private copies, reductions, atomics, disjoint elements, sections.
program main
  implicit none
  integer :: a(8, 8), b(8), h(2), t(8), i, j, s, total
  a = 1
  h = 0
  total = 0
  !$acc parallel loop gang copy(a, h, total) copyout(b) private(t, s) reduction(+:total)
  do j = 1, 8
    t = a(:, j)
    s = 0
    !$acc loop vector reduction(+:s)
    do i = 1, 8
      s = s + t(i)
    end do
    b(j) = s
    a(:, j) = t + s
    total = total + s
    !$acc atomic update
    h(mod(j, 2) + 1) = h(mod(j, 2) + 1) + 1
  end do
  if (total /= 64 .or. h(1) /= 4) stop 1
end program
