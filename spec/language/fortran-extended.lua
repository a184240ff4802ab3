-- Types that extend others, polymorphic objects and select type, on the host.
scenario { title = "Fortran: extended types", language = "fortran" }

-- Expects a value, which comes first.
local function is(wanted, found) expect.equal(found, wanted) end

-- Returns what a text prints, as lines.
local function printed(text)
  fortran(text)
  return table.concat(output(), "\n")
end

-- Expects the code and the message of each text's error: a list of {text, "code message"}.
local function refuses(list)
  for _, example in ipairs(list) do
    local code, message = example[2]:match "^(%S+) (.*)$"
    local err = expect.fails(code, function() fortran(example[1]) end)
    expect.equal(err.message, message)
  end
end

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

case("accepts: an extended type has the components of its parent, and the parent [HOUSE-language]", function()
  is("1 2.5 1 9\n9", printed [[
    print *, c%k, c%x, c%base%k, l%k + 8
    c%base%k = 9
    print *, c%k
  ]])
end)

case("rejects: an extended type has an unknown parent, a component twice, or another attribute"
  .. " [HOUSE-names HOUSE-language HOUSE-version HOUSE-syntax]", function()
  refuses {
    { "type, extends(nil) :: t\nend type", "unknown-type there is no type 'nil'" },
    { "type, extends(base) :: t\nreal :: k\nend type", "duplicate-name there are two components 'k'" },
    { "type, extends(base) :: t\nreal :: base\nend type", "duplicate-name there are two components 'base'" },
    { "type, extends(base), extends(base) :: t\nend type", "duplicate-clause 'extends' stands here twice" },
    { "type, bind(c) :: t\nend type", "unsupported the attribute 'bind' of types is not supported" },
    { "type(figure) :: t", "type-mismatch type(figure) is abstract: there are no objects of it" },
    { "class(base) :: t", "syntax 't' is polymorphic: it is allocatable, a pointer or an argument" },
    { "class(nil), pointer :: t", "unknown-type there is no type 'nil'" },
  }
end)

case("accepts: a polymorphic pointer has the type of its target [HOUSE-language]", function()
  is("F T T\n32 448\nT 7 T", printed [[
    p => c
    print *, same_type_as(p, b), extends_type_of(p, b), same_type_as(p, c)
    print *, storage_size(b), storage_size(p)
    c%k = 7
    q => p
    print *, associated(q), q%k, same_type_as(q, b)
  ]])
end)

case("accepts: elements of a polymorphic array are as far apart as their type is large [HOUSE-language]", function()
  is("2 2 11 14\n4 12\n14", printed [[
    cs(1,1)%k = 11; cs(2,1)%k = 12; cs(1,2)%k = 13; cs(2,2)%k = 14
    pps => cs
    print *, shape(pps), pps(1,1)%k, pps(2,2)%k
    ps(3:6) => pps
    print *, size(ps), ps(4)%k
    ps => pps(2,:)
    print *, ps(2)%k
  ]])
end)

case("accepts: allocate gives a polymorphic object its declared type, another one, or that of a source"
  .. " [HOUSE-language]", function()
  is("F T F\nT 4\nT 2\nT 3.0", printed [[
    allocate(p)
    allocate(child :: a, as(4))
    print *, same_type_as(p, c), same_type_as(a, c), same_type_as(as, l)
    deallocate(a)
    allocate(a, mold = l)
    print *, same_type_as(a, l), size(as)
    deallocate(as)
    allocate(as(2), source = bs)
    print *, same_type_as(as, b), size(as)
    deallocate(p)
    c%v = [3.]
    allocate(p, source = c)
    c%v(1) = 4
    select type (p)
    type is (child)
      print *, allocated(p%v), p%v
    end select
  ]])
end)

case("accepts: an assignment to an allocatable polymorphic object changes its type [HOUSE-language]", function()
  is("T 5.0\nT F", printed [[
    c%v = [5.]
    a = c
    c%v = 0
    select type (a)
    type is (child)
      print *, same_type_as(a, c), a%v
    end select
    a = b
    print *, same_type_as(a, b), same_type_as(a, c)
  ]])
end)

case("accepts: a dummy argument is polymorphic [HOUSE-language]", function()
  is("child 2.5\nbase 1\n2 child", printed [[
    p => c
    call one(p); call one(b)
    call many(cs(:,1))
  contains
    subroutine one(x)
      class(base), intent(in) :: x
      select type (x)
      class is (child)
        print *, 'child', x%x
      class default
        print *, 'base', x%k
      end select
    end subroutine one
    subroutine many(x)
      class(base) :: x(0:)
      select type (y => x)
      type is (child)
        print *, size(y), 'child'
      end select
    end subroutine many
  ]])
end)

case("rejects: a polymorphic object gets a value of an unrelated type, or an argument differs"
  .. " [HOUSE-language HOUSE-names HOUSE-version]", function()
  refuses {
    { "p => o", "type-mismatch p points to type(base), this is type(other)" },
    { "b = c", "type-mismatch type(child) cannot be assigned to b, which is type(base)" },
    { "p => b\np = c", "type-mismatch p is polymorphic: only an allocatable one can be assigned to" },
    { "a = o", "type-mismatch type(other) cannot be assigned to a, which is type(base)" },
    { "p => c\nprint *, p%x", "unknown-member type(base) has no component 'x'" },
    { "allocate(other :: p)", "type-mismatch p is class(base), pointer, this is type(other)" },
    { "allocate(child :: q)", "type-mismatch q is type(base), pointer, this is type(child)" },
    { "class(figure), pointer :: s\nallocate(s)",
      "type-mismatch type(figure) is abstract: there are no objects of it" },
    { "print *, same_type_as(p, 1)", "type-mismatch this is integer, no derived type" },
    { "call f(q)\ncontains\nsubroutine f(x)\nclass(base), pointer :: x\nend subroutine",
      "type-mismatch the argument 'x' is class(base), pointer, not type(base), pointer" },
    { "call f(o)\ncontains\nsubroutine f(x)\nclass(base) :: x\nend subroutine",
      "type-mismatch the argument 'x' is type(base), not type(other)" },
    { "call f(b)\ncontains\nsubroutine f(x)\nclass(base) :: x(3)\nend subroutine",
      "unsupported a polymorphic argument has an assumed shape here" },
  }
end)

case("accepts: select type executes the block of the type, or of its nearest parent [HOUSE-language]", function()
  local select = "select type (p)\nclass is (base)\nprint *, 'base'\nclass is (child)\nprint *, 'child'\n"
    .. "type is (base)\nprint *, 'just'\nend select\n"
  is("just\nchild\nchild", printed("p => b\n" .. select .. "p => c\n" .. select .. "p => l\n" .. select))
  is("", printed "p => b\nselect type (p)\ntype is (child)\nprint *, 'no'\nend select")
end)

case("accepts: select type is executed again for other types [HOUSE-language]", function()
  is("1.0 2.0\n3.0", printed [[
    integer :: i
    do i = 1, 2
      p => cs(i,1)
      select type (z => p)
      type is (child)
        z%x = i
      end select
    end do
    print *, cs(:,1)%x
    p => cs(2,2)
    if (associated(p)) then
      select type (p)
      type is (child)
        p%x = 3
        print *, cs(2,2)%x
      end select
    end if
  ]])
end)

case("rejects: select type names no polymorphic object, or an unrelated type"
  .. " [HOUSE-language HOUSE-names HOUSE-syntax]", function()
  refuses {
    { "select type (b)\ntype is (base)\nend select",
      "type-mismatch b is not polymorphic: select type takes what is declared with class" },
    { "select type (p)\ntype is (other)\nend select", "type-mismatch type(other) does not extend type(base)" },
    { "select type (p)\ntype is (real)\nend select", "type-mismatch real does not extend type(base)" },
    { "select type (p)\ntype is (nil)\nend select", "unknown-type there is no type 'nil'" },
    { "select type (ps(1))\nclass default\nend select", "syntax expected a name for the object" },
    { "select type (p)\nclass default\nclass default\nend select",
      "duplicate-name two blocks are for the same type" },
    { "select type (p)\nclass default\nend select", "null-pointer p is not associated" },
    { "select type (p)\ntype (base)\nend select", "syntax expected a statement or 'end select', found 'type'" },
  }
end)
