-- Figure A.5: a policy in a derived type, invoked for an object and for a whole array of rank two.
-- Its comment speaks of copying a and b in and c both ways. The policy, as in Figure A.2, sends b and c and
-- fetches a, as a = b + c needs it. The figure declares the array after the first region; here it is before.
scenario { title = "TR14 A.5: policies in Fortran", language = "fortran", rules = "tr14" }

fortran [[
  type DeepType
    real,allocatable :: A(:)
    real,allocatable :: B(:)
    real,allocatable :: C(:)
    !$acc policy(calc_a) default(copyin) copyout(A)
  end type DeepType

  type(DeepType) :: X
  type(DeepType), allocatable :: array_X(:, :)
  integer :: i, j
  X%A = (/1, 2, 3/)
  X%B = (/4, 5, 6/)
  X%C = (/7, 8, 9/)
  allocate(array_X(2, 0:2))
  array_X = X
]]

case("accepts: B and C are sent and A is fetched [TR14-A.5-01]", function()
  local region
  expect.moves(function() region = acc "data invoke<calc_a>(X)" end, { h2d = { bytes = 3 * 48 + 2 * 12 } })
  expect.uninitialized "x%a"
  acc "parallel" "x%a = x%b + x%c"
  expect.events(function() region:close() end, { "detach x%a", "detach x%b", "detach x%c",
    "decref x", "decref x%a", "decref x%b", "decref x%c", "d2h x%a",
    "free x", "free x%a", "free x%b", "free x%c" })
  expect.host("x%a", { 11, 13, 15 })
end)

case("accepts: the policy holds for every element of the array [TR14-A.5-01]", function()
  local region
  expect.moves(function() region = acc "data invoke<calc_a>(array_X)" end,
    { h2d = { bytes = 6 * (3 * 48 + 2 * 12) } })
  expect.equal(#state().present, 1 + 6 * 3)
  fortran [[
    !$acc parallel present(array_X)
    do j = lbound(array_X, 2), ubound(array_X, 2)
      do i = 1, 2
        array_x(i,j)%a = array_x(i,j)%b + 10 * j
      end do
    end do
    !$acc end parallel
  ]]
  expect.moves(function() region:close() end, { d2h = { count = 6, bytes = 6 * 12 } })
  expect.host("array_x(2,0)%a", { 4, 5, 6 })
  expect.host("array_x(1,2)%a", { 24, 25, 26 })
end)

case("accepts: the whole figure runs with its regions closed [TR14-A.5-01]", function()
  expect.moves(function()
    fortran [[
      !$acc data invoke<calc_a>(X)
      !$acc parallel
      x%a = x%b + x%c
      !$acc end parallel
      !$acc end data
      !$acc data invoke<calc_a>(array_X)
      !$acc parallel
      array_x(1,1)%a = array_x(1,1)%b - array_x(1,1)%c
      !$acc end parallel
      !$acc end data
    ]]
  end, { h2d = { count = 16, bytes = 1176 }, d2h = { count = 7, bytes = 84 } })
  expect.host("x%a", { 11, 13, 15 })
  expect.host("array_x(1,1)%a", { -3, -3, -3 })
end)

case("differs: A is not sent, and B and C are not fetched [TR14-A.5-01]", function()
  acc "data invoke<calc_a>(array_X)" (function()
    expect.uninitialized "array_x(2,1)%a"
    expect.fails("uninitialized-read", function() acc "serial" "array_x(2,1)%b(1) = array_x(2,1)%a(1)" end)
    expect.accepts("serial", "array_x(2,1)%b = 0")
  end)
  expect.host("array_x(2,1)%b", { 4, 5, 6 })
end)

case("rejects: a policy has no name, or the type does not have it [TR14-A.5-01 TR14-3.2.1-01]", function()
  expect.invalid("data invoke<calc_b>(X)", "unknown-policy")
  expect.malformed "type t\n real, allocatable :: a\n !$acc policy default(copyin)\n end type t"
end)
