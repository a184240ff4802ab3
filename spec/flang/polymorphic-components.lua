-- Polymorphic components under TR-14-1: their targets are mapped with their dynamic type.
scenario { title = "FLANG: polymorphic components", language = "fortran", rules = "tr14" }

fortran [[
  type base
    integer :: k = 1
  end type base
  type, extends(base) :: child
    real :: x = 2.5
    real, allocatable :: v(:)
  end type child
  type, extends(child) :: last
  end type last
  type, abstract :: figure
  end type figure
  type other
    integer :: k
  end type other
  type(base), target :: b, bs(2)
  type(child), target :: c, cs(2,2)
  type(last), target :: l
  type(other), target :: o
  class(base), pointer :: p, ps(:), pps(:,:)
  class(base), allocatable :: a, as(:)
  type(base), pointer :: q
]]

case("accepts: targets of polymorphic components are mapped, attached and copied with their types"
  .. " [TR14-1.1-05 FLANG-composite-1]", function()
    fortran [[
    type holder
      class(base), pointer :: p
      class(base), allocatable :: a(:)
    end type holder
    type(holder) :: d
    d%p => c
    allocate(last :: d%a(3))
  ]]
  local function touched()
    fortran [[
      !$acc serial present(d)
      print *, same_type_as(d%p, c), same_type_as(d%a, l)
      select type (q => d%a)
      type is (last)
        q(3)%k = q(3)%k + 5
      end select
      !$acc end serial
    ]]
    expect.equal(output(), { "T T" })
  end
  acc "data copy(d)" (touched)
  expect.equal(#state().present, 0)
  fortran "print *, d%a(3)%k, same_type_as(d%p, c), same_type_as(d%a, l)"
  expect.equal(output(), { "6 T T" })
  acc "enter data copyin(d)"
  touched()
  expect.attached("d%p", 1)
  acc "exit data copyout(d)"
  expect.equal(#state().present, 0)
  acc "enter data create(d)"
  fortran "!$acc serial present(d)\nprint *, same_type_as(d%p, c)\n!$acc end serial"
  expect.equal(output(), { "T" })
  acc "exit data delete(d)"
  fortran "nullify(d%p); deallocate(d%a)"
  acc "data copy(d)" (function() expect.equal(#state().present, 1) end)
  expect.invalid("enter data copyin(d)::{ include(a(2:3)) }", "unsupported")
end)
