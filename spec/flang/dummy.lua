-- Pointer dummy arguments: a procedure attaches the pointer of its caller.
scenario { title = "FLANG: pointer dummy arguments", language = "fortran", rules = "openacc-3.3" }

fortran [[
  type ty1
    real, pointer :: p(:,:)
  end type ty1
  type(ty1) :: d
  real, pointer :: t1(:,:), alone(:,:)
  allocate(t1(2,2))
  t1 = reshape((/1, 2, 3, 4/), (/2, 2/))
  nullify(d%p, alone)
contains
  subroutine wrapper(d, p, t1)
    type(ty1), target :: d
    real, pointer :: p(:,:)
    real, pointer :: t1(:,:)
    !$acc enter data copyin(d)
    !$acc enter data copyin(t1)
    p => t1
    !$acc enter data copyin(p)
    !$acc serial present(d)
    print *, d%p(1,2)
    !$acc end serial
  end subroutine wrapper

  subroutine attached(p)
    real, pointer :: p(:,:)
    !$acc enter data attach(p)
  end subroutine attached

  subroutine detached(q)
    real, pointer :: q(:,:)
    call acc_detach(q)
  end subroutine detached

  subroutine moved(p)
    real, pointer :: p(:,:)
    p(10:,10:) => p
    !$acc enter data attach(p)
  end subroutine moved

  subroutine first(p)
    real, pointer :: p(:,:)
    call second(p)
  end subroutine first

  subroutine second(p)
    real, pointer :: p(:,:)
    !$acc enter data copyin(p)
  end subroutine second

  subroutine local(d, t1)
    type(ty1) :: d
    real, pointer :: t1(:,:)
    real, pointer :: mine(:,:)
    mine => t1
    d%p => t1
    !$acc enter data attach(mine)
  end subroutine local
]]

-- Operations and bytes of the events, without names.
local function steps(run)
  local list = {}
  for _, event in ipairs(events(run)) do list[#list + 1] = event.op .. " " .. event.bytes end
  return list
end

local outlined = [[ call wrapper(d, d%p, t1) ]]
local inlined = [[
  !$acc enter data copyin(d)
  !$acc enter data copyin(t1)
  d%p => t1
  !$acc enter data copyin(d%p)
  !$acc serial present(d)
  print *, d%p(1,2)
  !$acc end serial
]]

case("accepts: the procedure of the document works [FLANG-dummy-1]", function()
  fortran(outlined)
  expect.equal(output(), { "3.0" })
  expect.attached("d%p", 1)
  expect.count("t1", { dynamic = 2 })
end)

case("accepts: the procedure of the document works inline [FLANG-dummy-1]", function()
  fortran(inlined)
  expect.equal(output(), { "3.0" })
  expect.attached("d%p", 1)
  expect.count("t1", { dynamic = 2 })
end)

case("accepts: an outlined and an inlined attach do the same steps [FLANG-dummy-1]", function()
  local one = steps(function() fortran(outlined) end)
  acc "exit data delete(t1, d) finalize"
  fortran "nullify(d%p)"
  expect.equal(steps(function() fortran(inlined) end), one)
end)

case("accepts: three procedures attach, count and detach one pointer [FLANG-dummy-1]", function()
  fortran [[
    d%p => t1
    !$acc enter data copyin(d, t1)
    call attached(d%p)
    call attached(d%p)
  ]]
  expect.attached("d%p", 2)
  call "detached(d%p)"
  expect.attached("d%p", 1)
  call "detached(d%p)"
  expect.detached "d%p"
end)

case("accepts: bounds that a procedure sets are those of the caller's pointer [FLANG-dummy-1]", function()
  fortran [[
    d%p => t1
    !$acc enter data copyin(d, t1)
    call attached(d%p)
    call attached(d%p)
    call moved(d%p)
  ]]
  expect.attached("d%p", 1)
  expect.host("lbound(d%p)", { 10, 10 })
  acc "serial present(d)" "d%p(10,11) = 30"
  acc "update self(t1)"
  expect.host("t1(1,2)", 30)
end)

case("accepts: an attach reaches the pointer through more than one call [FLANG-dummy-1]", function()
  fortran [[
    d%p => t1
    !$acc enter data copyin(d)
    call first(d%p)
  ]]
  expect.attached("d%p", 1)
end)

case("accepts: an attach of a pointer that is not a component has no effect [FLANG-dummy-1]", function()
  expect.moves(function()
    fortran [[
      alone => t1
      !$acc enter data copyin(t1)
      !$acc enter data copyin(d)
    ]]
  end, { h2d = 2, d2h = 0 })
  call "attached(alone)" -- has no effect: the descriptor is absent
  expect.detached "alone"
end)

case("differs: an attach of another pointer to the same target does not attach [FLANG-dummy-1]", function()
  expect.moves(function()
    fortran [[
      !$acc enter data copyin(d, t1)
      call local(d, t1)
    ]]
  end, { h2d = 2, d2h = 0 })
  expect.detached "d%p"
end)

case("rejects: the actual argument of a pointer dummy argument is not a pointer"
  .. " [FLANG-dummy-1 HOUSE-language]", function()
  fortran "real, target :: plain(2,2)"
  expect.fails("type-mismatch", function() call "attached(plain)" end)
end)
