-- A Fortran pointer is an address with bounds. An attach writes the bounds to the device, too. A detach writes
-- the bounds that the host has at that time.
--
--   accdeep run examples/fortran.lua

scenario { title = "A component that is a pointer", language = "fortran", rules = "openacc-3.3",
  cites = { "FLANG-pointer-3", "FLANG-moving-target-2", "FLANG-detach-1" } }

fortran [[
  type field
    integer :: n
    real, pointer :: p(:,:)
  end type field
  type(field) :: d
  real, target :: t1(2,2)
  t1 = reshape((/1, 2, 3, 4/), (/2, 2/))
  d%n = 2
  d%p => t1

  !$acc enter data copyin(d)
  !$acc enter data copyin(d%p)
]]
expect.attached("d%p", 1)
show()

-- Prints the bounds and the first element of d%p on the device.
local function look()
  fortran [[
    !$acc serial present(d)
    print *, "device:", lbound(d%p), "to", ubound(d%p), "first", d%p(lbound(d%p,1), lbound(d%p,2))
    !$acc end serial
  ]]
  print(output()[1])
end
look()

-- New bounds reach the device with the next attach. It is a new pointer then: its attach counter is one.
fortran "d%p(10:,10:) => d%p"
look()
fortran "!$acc enter data attach(d%p)"
expect.attached("d%p", 1)
look()

-- After the last detach the pointer on the device holds the host's address.
fortran "!$acc exit data detach(d%p)"
print(expect.fails("host-pointer-on-device", look))

fortran [[
  !$acc exit data delete(d%p)
  !$acc exit data delete(d)
]]
