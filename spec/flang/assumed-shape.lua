-- Dummy arguments of assumed shape and assumed rank: their descriptor lives as long as the call, and data clauses
-- concern the data.
scenario { title = "FLANG: assumed-shape and assumed-rank arguments", language = "fortran", rules = "openacc-3.3" }

fortran [[
  type ty2
    real, allocatable :: a(:,:)
  end type ty2
  type(ty2), target :: dd
  dd%a = reshape((/1, 2, 3, 4/), (/2, 2/))
contains
  subroutine wrapper(a)
    real :: a(10:,10:)
    !$acc serial copyin(a)
    print *, a(10,11)
    !$acc end serial
  end subroutine wrapper

  subroutine written(a)
    real :: a(10:,10:)
    !$acc serial copy(a)
    a(11,10) = 20
    !$acc end serial
  end subroutine written

  subroutine kept(a)
    real :: a(0:,0:)
    !$acc enter data copyin(a)
  end subroutine kept

  subroutine doubled(x)
    real :: x(-1:)
    !$acc serial copy(x)
    x(-1) = 2 * x(-1)
    !$acc end serial
  end subroutine doubled

  subroutine any_rank(a)
    real :: a(..)
    !$acc enter data copyin(a)
    select rank (a)
    rank (2)
      !$acc serial present(a)
      a(2,1) = 20
      print *, a(1,2)
      !$acc end serial
    rank (1)
      !$acc serial present(a)
      print *, lbound(a), a(1)
      !$acc end serial
    rank default
      print *, 'scalar', acc_is_present(a)
    end select
    !$acc exit data copyout(a)
  end subroutine any_rank

  subroutine any_rank_attaching(a)
    real :: a(..)
    !$acc enter data attach(a)
  end subroutine any_rank_attaching

  subroutine attaching(a)
    real :: a(10:,10:)
    !$acc enter data attach(a)
  end subroutine attaching
]]

case("accepts: the procedure of the document works [FLANG-other-2]", function()
  fortran "call wrapper(dd%a)"
  expect.equal(output(), { "3.0" })
end)

case("accepts: only the data are mapped and unmapped [FLANG-other-2]", function()
  expect.events(function() fortran "call wrapper(dd%a)" end,
    { "alloc a", "h2d a", "incref a", "decref a", "free a" })
end)

case("accepts: values that a kernel writes are copied back to dd%a [FLANG-other-2]", function()
  fortran "call written(dd%a)"
  expect.host("dd%a", { { 1, 3 }, { 20, 4 } })
end)

case("accepts: present data are found by their address [FLANG-other-2]", function()
  acc "enter data copyin(dd%a)"
  fortran "dd%a = 0"
  expect.moves(function() fortran "call wrapper(dd%a)" end, { h2d = 0 })
  expect.equal(output(), { "3.0" })
end)

case("accepts: a section has bounds of its own [FLANG-other-2]", function()
  fortran "call doubled(dd%a(:,2))"
  expect.host("dd%a", { { 1, 6 }, { 2, 4 } })
end)

case("differs: the descriptor of dd%a does not change [FLANG-other-2]", function()
  acc "enter data copyin(dd)"
  acc "enter data copyin(dd%a)"
  fortran "call written(dd%a)"
  expect.attached("dd%a", 1)
  expect.host("lbound(dd%a)", { 1, 1 })
  fortran [[
    !$acc serial present(dd)
    print *, lbound(dd%a), dd%a(2,1)
    !$acc end serial
  ]]
  expect.equal(output(), { "1 1 20.0" })
end)

case("differs: the indices of the actual argument are not those of the dummy argument [FLANG-other-2]", function()
  fortran [[
  contains
    subroutine wrong(a)
      real :: a(10:,10:)
      !$acc serial copyin(a)
      print *, a(1,2)
      !$acc end serial
    end subroutine wrong
  ]]
  expect.fails("out-of-bounds", function() fortran "call wrong(dd%a)" end)
end)

case("accepts: after the call the device has the data and no descriptor [FLANG-other-1]", function()
  fortran "call kept(dd%a)"
  expect.present "dd%a"
  expect.equal(#state().present, 1)
  expect.equal(#state().attached, 0)
  expect.equal(state().present[1].bytes, 16)
end)

case("accepts: each call has a descriptor of its own [FLANG-other-1]", function()
  fortran [[
    call kept(dd%a)
    call wrapper(dd%a)
    call kept(dd%a)
  ]]
  expect.equal(output(), { "3.0" })
  expect.count("dd%a", { dynamic = 2 })
end)

case("rejects: attach names a dummy argument that is neither pointer nor allocatable"
  .. " [FLANG-other-1 ACC33-att-5]", function()
  expect.fails("not-a-pointer", function() fortran "call attaching(dd%a)" end)
end)

case("accepts: a dummy argument of any rank is mapped as data, with a descriptor for the call"
  .. " [FLANG-other-1]", function()
  expect.events(function() fortran "call any_rank(dd%a)" end,
    { "alloc a", "h2d a", "incref a", "incref a", "decref a", "decref a", "d2h a", "free a" })
  fortran "call any_rank(dd%a(:,2)); call any_rank(dd%a(1,2))"
  expect.equal(output(), { "3.0", "1 3.0", "scalar T" })
  expect.host("dd%a", { { 1, 3 }, { 20, 4 } })
  expect.equal(#state().present, 0)
end)

case("rejects: attach names a dummy argument of any rank [FLANG-other-1 ACC33-att-5]", function()
  expect.fails("not-a-pointer", function() fortran "call any_rank_attaching(dd%a)" end)
end)
