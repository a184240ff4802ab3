-- A Fortran pointer is more than an address: attaching it brings its bounds to the device, detaching it brings
-- those the host has by then.
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

-- What the device sees of d%p.
local function look()
  fortran [[
    !$acc serial present(d)
    print *, "device:", lbound(d%p), "to", ubound(d%p), "first", d%p(lbound(d%p,1), lbound(d%p,2))
    !$acc end serial
  ]]
  print(output()[1])
end
look()

-- New bounds stay on the host until the pointer is attached again; then it is a new pointer, counted from one.
fortran "d%p(10:,10:) => d%p"
look()
fortran "!$acc enter data attach(d%p)"
expect.attached("d%p", 1)
look()

-- Without its last attachment the device holds the host's address, which is none of its own.
fortran "!$acc exit data detach(d%p)"
print(expect.fails("host-pointer-on-device", look))

fortran [[
  !$acc exit data delete(d%p)
  !$acc exit data delete(d)
]]
