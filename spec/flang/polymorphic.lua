-- Polymorphic objects: a descriptor points to the record of the dynamic type, and an attach maps this record, too.
scenario { title = "FLANG: descriptors with an addendum", language = "fortran", rules = "openacc-3.3" }

fortran [[
  type base
    integer :: k = 1
  end type base
  type, extends(base) :: child
    real :: x = 2.5
  end type child
  type, extends(child) :: grandchild
    real :: y = 3.5
  end type grandchild
  type holder
    class(base), pointer :: p, q
    class(base), allocatable :: a(:)
  end type holder
  type(holder) :: d
  type(base), target :: b
  type(child), target :: c, c2
  type(grandchild), target :: g
  d%p => c
contains
  subroutine tell(x)
    class(base) :: x
    !$acc serial copy(x)
    select type (x)
    type is (child)
      x%x = x%x + 1
      print *, 'child', x%x
    class is (child)
      print *, 'more', x%x
    class default
      print *, 'base', x%k
    end select
    !$acc end serial
  end subroutine tell

  subroutine total(x)
    class(base) :: x(:)
    !$acc serial copyin(x)
    print *, size(x), x(3)%k
    select type (x)
    type is (child)
      print *, x(3)%x
    end select
    !$acc end serial
  end subroutine total
]]

-- The dynamic type of d%p in a kernel.
local function kind_on_device()
  fortran [[
    !$acc serial present(d)
    select type (z => d%p)
    type is (child)
      print *, 'child', z%x
    type is (grandchild)
      print *, 'grandchild', z%y
    class default
      print *, 'base'
    end select
    !$acc end serial
  ]]
  return output()[1]
end

local function present_names()
  local names = {}
  for i, object in ipairs(state().present) do names[i] = object.name end
  return names
end

case("accepts: attach writes the whole descriptor, including its type [FLANG-composite-1 FLANG-api-5]", function()
  acc "enter data copyin(d)"
  acc "enter data copyin(d%p)"
  expect.equal(kind_on_device(), "child 2.5")
  expect.equal(present_names(), { "d", "d%p", "type(child)" })
  fortran [[
    !$acc serial present(d)
    print *, same_type_as(d%p, c), extends_type_of(d%p, b), extends_type_of(d%p, g)
    !$acc end serial
  ]]
  expect.equal(output(), { "T T F" })
end)

case("differs: the type is not on the device before an attach [FLANG-composite-1]", function()
  acc "enter data copyin(d)"
  acc "enter data copyin(c)"
  expect.fails("host-pointer-on-device", kind_on_device)
  acc "enter data attach(d%p)"
  expect.equal(kind_on_device(), "child 2.5")
end)

case("differs: the type record is not mapped if pointer or target is absent [FLANG-api-3]", function()
  acc "enter data copyin(d)"
  acc "enter data attach(d%p)"
  expect.equal(present_names(), { "d" })
  fortran "d%q => c2"
  acc "exit data delete(d)"
  acc "enter data copyin(c2) attach(d%q)"
  expect.equal(present_names(), { "c2" })
end)

case("accepts: a second copyin counts the attachments of pointer and type record [FLANG-api-4]", function()
  acc "enter data copyin(d, d%p)"
  expect.events(function() acc "enter data copyin(d%p)" end,
    { "attach d%p (type)", "attach d%p", "incref type(child)", "incref d%p" })
  expect.attached("d%p", 2)
  fortran "call acc_detach(d%p)"
  expect.equal(kind_on_device(), "child 2.5")
end)

case("accepts: the type record is unmapped when its attachment ends [FLANG-todo-1]", function()
  acc "enter data copyin(d, c) attach(d%p)"
  fortran "call acc_detach(d%p)"
  expect.equal(present_names(), { "c", "d" })
  expect.detached "d%p"
  expect.fails("host-pointer-on-device", kind_on_device)
end)

case("differs: a type record that another descriptor needs stays present [FLANG-todo-1]", function()
  fortran "d%q => c2"
  acc "enter data copyin(d, c, c2) attach(d%p, d%q)"
  acc "exit data detach(d%q) finalize"
  expect.equal(kind_on_device(), "child 2.5")
  expect.equal(#state().attached, 2)
  acc "exit data detach(d%p) finalize"
  expect.equal(present_names(), { "c", "c2", "d" })
end)

case("accepts: target, descriptor and type record are mapped in one step [FLANG-api-7]", function()
  expect.moves(function() acc "enter data copyin(d, d%p)" end, { h2d = { count = 3, bytes = sizeof "d" + 8 + 24 } })
  expect.attached("d%p", 1)
end)

case("rejects: one part of the step fails, so nothing is mapped [FLANG-api-7 ACC33-2.7.3-1]", function()
  acc "enter data copyin(d)"
  expect.fails("not-present", function() acc "data copyin(d%p) present(c2)" end)
  expect.equal(present_names(), { "d" })
  expect.detached "d%p"
end)

case("rejects: a step that fails changes no counter of target, pointer or type record [FLANG-api-7 ACC33-2.7.3-1]",
  function()
    acc "enter data copyin(d, d%p)"
    local function counters()
      local found = {}
      for k, object in ipairs(state().present) do found[k] = { object.name, object.structured, object.dynamic } end
      return found
    end
    local before = counters()
    expect.equal(#before, 3) -- the object, the target and the type record
    for _, text in ipairs { "data copyin(d%p) present(c2)", "data present(c2) copyin(d, d%p)" } do
      expect.fails("not-present", function() acc(text) end)
      expect.equal(counters(), before)
      expect.attached("d%p", 1)
    end
    acc "enter data copyin(d%p)" -- what succeeds counts all three
    expect.attached("d%p", 2)
    expect(counters()[3][3] + counters()[2][3] == before[3][3] + before[2][3] + 2)
  end)

case("accepts: an attach to a target of another type sets the counter to one [FLANG-api-5]", function()
  acc "enter data copyin(d, c, g) attach(d%p)"
  acc "enter data attach(d%p)"
  expect.attached("d%p", 2)
  fortran "d%p => g"
  acc "enter data attach(d%p)"
  expect.attached("d%p", 1)
  expect.equal(kind_on_device(), "grandchild 3.5")
  expect.equal(present_names(), { "c", "d", "g", "type(grandchild)" })
end)

case("differs: the device keeps type and target without an attach [FLANG-api-5]", function()
  acc "enter data copyin(d, c, g) attach(d%p)"
  fortran "d%p => g"
  expect.equal(kind_on_device(), "child 2.5")
end)

case("accepts: the attachments of a region end with the region [FLANG-todo-1]", function()
  acc "data copy(d, d%p)" (function()
    expect.equal(kind_on_device(), "child 2.5")
    acc "data copy(d%p)" (function() expect.attached("d%p", 2) end)
    expect.equal(kind_on_device(), "child 2.5")
  end)
  expect.equal(present_names(), {})
  fortran "print *, same_type_as(d%p, c)"
  expect.equal(output(), { "T" })
end)

case("accepts: the dynamic type decides how many bytes are mapped [FLANG-composite-1]", function()
  fortran "allocate(child :: d%a(3)); d%a(2)%k = 7"
  acc "enter data copyin(d)"
  local found = events(function() acc "enter data copyin(d%a)" end)
  expect.equal(found[1].bytes, 24)
  fortran [[
    !$acc serial present(d)
    select type (a => d%a)
    class is (child)
      a(2)%x = a(2)%k + size(a)
    end select
    !$acc end serial
    !$acc update self(d%a(2))
    select type (a => d%a)
    type is (child)
      print *, a(1)%x, a(2)%x
    end select
  ]]
  expect.equal(output(), { "2.5 10.0" })
end)

case("accepts: in select type a block has the whole object, also in directives [FLANG-composite-1]", function()
  fortran [[
    select type (z => d%p)
    type is (child)
      !$acc enter data copyin(z)
      z%x = 0
      !$acc update self(z%x)
      print *, z%x
      !$acc exit data delete(z)
    end select
  ]]
  expect.equal(output(), { "2.5" })
  expect.equal(present_names(), {})
end)

case("accepts: the descriptor of a dummy argument has the dynamic type during the call [FLANG-other-1]", function()
  fortran "call tell(c); call tell(g); call tell(b); call tell(d%p)"
  expect.equal(output(), { "child 3.5", "more 2.5", "base 1", "child 4.5" })
  expect.equal(present_names(), {})
end)

case("accepts: an array of dynamic type is mapped [FLANG-other-1]", function()
  fortran "allocate(child :: d%a(4)); d%a(3)%k = 5; call total(d%a); call total(d%a(2:))"
  expect.equal(output(), { "4 5", "2.5", "3 1", "2.5" })
end)

case("rejects: attach names an argument that is local to the call [FLANG-other-1 ACC33-att-5]", function()
  fortran [[
  contains
    subroutine keeping(x)
      class(base) :: x
      !$acc enter data copyin(x)
    end subroutine keeping
    subroutine attaching(x)
      class(base) :: x
      !$acc enter data attach(x)
    end subroutine attaching
  ]]
  fortran "call keeping(c)"
  expect.equal(#state().present, 1)
  expect.equal(state().present[1].bytes, 8)
  expect.fails("not-a-pointer", function() fortran "call attaching(c)" end)
end)

-- ------------------------------------------------------------ deep copy of components of the dynamic type --

local extended = [[
  type small
    integer :: n
  end type
  type, extends(small) :: large
    real, allocatable :: w(:)
  end type
  type hold
    class(small), allocatable :: b, many(:)
    real, pointer :: p(:)
  end type
  type(hold) :: h
  real, target :: y(4)
  allocate(large :: h%b)
  allocate(large :: h%many(2))
  select type (q => h%b)
  type is (large)
    allocate(q%w(4))
    q%w = 3
  end select
  select type (q => h%many)
  type is (large)
    allocate(q(2)%w(3))
    q(2)%w = 5
  end select
  h%p => y
]]

local in_kernel = [[
  !$acc serial default(present)
  select type (q => h%b)
  type is (large)
    q%w(3) = 1
  end select
  select type (q => h%many)
  type is (large)
    q(2)%w(1) = 2
  end select
  !$acc end serial
]]

local function check_host()
  fortran [[
    select type (q => h%b)
    type is (large)
      y(2) = q%w(3)
    end select
    select type (q => h%many)
    type is (large)
      y(3) = q(2)%w(1)
    end select
  ]]
  expect.host("y(2)", 1)
  expect.host("y(3)", 2)
end

case("accepts: components of the dynamic type are mapped under tr14 [TR14-1.1-05]", function()
  rules "tr14"
  fortran(extended)
  expect.moves(function() acc "enter data copyin(h)" end, { h2d = 7, d2h = 0 })
  fortran(in_kernel)
  acc "exit data copyout(h)"
  expect.equal(#state().present, 0)
  check_host()
end)

case("accepts: an update copies components of the dynamic type [TR14-1.1-05]", function()
  rules "tr14"
  fortran(extended)
  expect.moves(function() acc "enter data copyin(h)" end, { h2d = 7, d2h = 0 })
  fortran(in_kernel)
  acc "update self(h)"
  check_host()
end)

case("differs: components are not mapped under other profiles, and the help says what to write"
  .. " [TR14-1.1-02]", function()
  fortran(extended)
  acc "enter data copyin(h)"
  local ok, err = pcall(fortran, "!$acc serial default(present)\nh%p(1) = 1\n!$acc end serial")
  expect.equal(ok, false)
  expect.equal(err.code, "host-pointer-on-device")
  expect.equal(err.help, "map its target by a section: h%p(1:n)")
end)

case("accepts: cyclic data with objects of extended types are mapped once [TR14-1.1-05]", function()
  rules "tr14x"
  fortran [[
    type node
      class(base), allocatable :: any
      type(node), pointer :: next
    end type node
    type(node), target :: first, second
    first%next => second
    second%next => first
    allocate(child :: first%any)
  ]]
  acc "enter data copyin(first)"
  expect.equal(#state().present, 4) -- two nodes, the object and its type record
  acc "exit data delete(first) finalize"
end)
