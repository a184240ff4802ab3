-- A component that is a pointer, from the creation of its object to the second detach.
scenario { title = "FLANG: a member pointer", language = "fortran", rules = "openacc-3.3" }

fortran [[
  module types
    type ty1
      real, pointer :: p(:,:)
    end type ty1
  end module types
  program main
    use types
    use openacc
    type(ty1) :: d
    real, pointer :: t1(:,:)
    nullify(d%p)
    allocate(t1(2,2))
    t1 = reshape((/1, 2, 3, 4/), (/2, 2/))
]]

-- The output of the document's kernel.
local function used()
  fortran [[
    !$acc serial present(d)
    print *, d%p(1,2)
    !$acc end serial
  ]]
  return output()
end

local function created()
  fortran "!$acc enter data create(d)"
  expect.present "d"
end

local function copied()
  created()
  fortran [[
    d%p => t1
    !$acc enter data copyin(d%p)
  ]]
end

case("accepts: the example of the document has all its steps"
  .. " [FLANG-pointer-3 FLANG-pointer-4 FLANG-pointer-5 FLANG-pointer-6]", function()
  expect.events(function() fortran "!$acc enter data create(d)" end,
    { "alloc d", "h2d d%p", "incref d" })
  fortran "d%p => t1"
  expect.events(function() fortran "!$acc enter data copyin(d%p)" end,
    { "alloc d%p", "h2d d%p", "attach d%p", "incref d%p" })
  expect.attached("d%p", 1)
  expect.events(function() fortran "!$acc enter data copyin(d%p)" end, { "attach d%p", "incref d%p" })
  expect.attached("d%p", 2)
  fortran "call acc_detach(d%p)"
  expect.attached("d%p", 1)
  expect.equal(used(), { "3.0" })
  fortran "call acc_detach(d%p)"
  expect.detached "d%p"
  expect.fails("host-pointer-on-device", used)
end)

case("accepts: create(d) sends the descriptor unchanged and nothing else [FLANG-pointer-2]", function()
  fortran [[
    type ty3
      real :: before
      real, pointer :: p(:,:)
      integer :: behind
    end type ty3
    type(ty3) :: e
    nullify(e%p)
  ]]
  expect.moves(function() fortran "!$acc enter data create(e)" end, { h2d = { count = 1, bytes = sizeof "e" - 16 } })
  fortran [[
    !$acc serial present(e)
    print *, associated(e%p)
    !$acc end serial
  ]]
  expect.equal(output(), { "F" })
  expect.uninitialized "e%before"
  expect.uninitialized "e%behind"
  expect.detached "e%p"
end)

case("accepts: create(d) sends an associated descriptor, too [FLANG-pointer-2]", function()
  fortran "d%p(5:,7:) => t1"
  created()
  expect.detached "d%p"
  fortran [[
    !$acc serial present(d)
    print *, associated(d%p), lbound(d%p), size(d%p)
    !$acc end serial
  ]]
  expect.equal(output(), { "T 5 7 4" })
end)

case("differs: create(d) does not create the target of the pointer [FLANG-pointer-2]", function()
  fortran "d%p => t1"
  created()
  expect.absent "t1"
  expect.fails("host-pointer-on-device", used)
end)

case("rejects: a kernel dereferences a null descriptor [FLANG-pointer-2]", function()
  created()
  expect.fails("null-pointer", used)
end)

case("accepts: every pointer has an attach counter of its own [FLANG-pointer-1]", function()
  fortran [[
    type(ty1) :: e
    nullify(e%p)
    !$acc enter data create(d, e)
    d%p => t1
    e%p => t1
    !$acc enter data copyin(d%p)
    !$acc enter data copyin(d%p)
    !$acc enter data copyin(e%p)
  ]]
  expect.attached("d%p", 2)
  expect.attached("e%p", 1)
  expect.count("t1", { dynamic = 3 })
end)

case("accepts: the attach counter ends with the device memory of the pointer [FLANG-pointer-1]", function()
  copied()
  expect.attached("d%p", 1)
  expect.accepts "exit data delete(d%p) finalize"
  expect.accepts "exit data delete(d)"
  acc "enter data create(d)"
  expect.present "d"
  expect.detached "d%p"
end)

case("differs: the memory of the device does not show the attach counter [FLANG-pointer-1]", function()
  fortran "integer(8) :: w(9), v(9)"
  copied()
  acc_memcpy_from_device(addr "w(1)", acc_deviceptr "d", 72)
  acc "enter data attach(d%p)"
  expect.attached("d%p", 2)
  acc_memcpy_from_device(addr "v(1)", acc_deviceptr "d", 72)
  expect.equal(host "v", host "w")
end)

case("accepts: attach writes the bounds [FLANG-pointer-3]", function()
  created()
  expect.moves(function()
    fortran [[
      d%p(0:,-1:) => t1
      !$acc enter data copyin(d%p)
      !$acc serial present(d)
      print *, lbound(d%p), ubound(d%p), d%p(0,0)
      !$acc end serial
    ]]
  end, { h2d = 1, d2h = 0 })
  expect.equal(output(), { "0 -1 1 0 3.0" })
end)

case("differs: a null pointer maps nothing [FLANG-pointer-3]", function()
  created()
  expect.events(function() fortran "!$acc enter data copyin(d%p)" end, {})
  expect.detached "d%p"
end)

case("differs: the data are mapped but not attached if d is absent [FLANG-pointer-3]", function()
  fortran "d%p => t1"
  expect.events(function() fortran "!$acc enter data copyin(d%p)" end,
    { "alloc d%p", "h2d d%p", "incref d%p" })
  expect.detached "d%p"
end)

case("differs: present data are not copied again [FLANG-pointer-4]", function()
  copied()
  fortran "t1(1,2) = 30"
  expect.moves(function() fortran "!$acc enter data copyin(d%p)" end, { h2d = 0 })
  expect.equal(used(), { "3.0" })
end)

case("differs: a detach at counter zero does nothing [FLANG-pointer-5]", function()
  copied()
  fortran "call acc_detach(d%p)"
  expect.detached "d%p"
  expect.moves(function() fortran "call acc_detach(d%p)" end, { h2d = 0 })
  acc "enter data attach(d%p)"
  expect.attached("d%p", 1)
end)

case("accepts: finalize detaches at once, in the clause and in the routine [FLANG-pointer-5]", function()
  for _, way in ipairs { "call acc_detach_finalize(d%p)", "!$acc exit data detach(d%p) finalize" } do
    copied()
    acc "enter data attach(d%p)"
    expect.attached("d%p", 2)
    fortran(way)
    expect.detached "d%p"
    expect.fails("host-pointer-on-device", used)
    expect.accepts "exit data delete(t1, d) finalize"
  end
end)

case("accepts: routine and clause share the attach counter [FLANG-pointer-5]", function()
  copied()
  fortran "call acc_attach(d%p)"
  expect.attached("d%p", 2)
  acc "exit data detach(d%p)"
  fortran "call acc_detach(d%p)"
  expect.detached "d%p"
end)

case("differs: a detached pointer is not usable although its data are present [FLANG-pointer-6]", function()
  copied()
  fortran "call acc_detach(d%p)"
  expect.present "t1"
  expect.fails("host-pointer-on-device", used)
  acc "enter data attach(d%p)"
  expect.equal(used(), { "3.0" })
end)
