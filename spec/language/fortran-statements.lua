-- Fortran's declarations, statements and procedures in a scenario, and what is refused.
scenario { title = "Fortran: declarations, statements and procedures", language = "fortran" }

local program = [[
  type point
    integer :: x, y
  end type point
  type, extends(point) :: marked
    integer :: mark
  end type marked
  type, abstract :: shape_of
    integer :: n
  end type shape_of
  type deep
    real, pointer :: p(:)
    real, allocatable :: a(:)
  end type deep
  integer :: i = 3, zero = 0, list(4) = (/1, 2, 3, 4/)
  integer, parameter :: fixed = 7
  real :: x = 1.5
  real, target :: t(4)
  real, pointer :: p(:)
  real, allocatable :: a(:), b(:,:)
  logical :: yes = .true., mask(4)
  character(4) :: word = "abcd"
  type(point) :: pt
  type(deep) :: d
  class(point), allocatable :: any
  class(point), pointer :: cp
contains
  integer function twice(k)
    integer :: k
    twice = 2 * k
  end function
  subroutine work(k)
    integer :: k
    k = k + 1
  end subroutine
  subroutine two(v, w)
    real :: v(8)
    integer, optional :: w
    v(1) = 5
  end subroutine
  subroutine ranked(r)
    real :: r(..)
    select rank (r)
    rank (1)
      r(1) = 2
    end select
  end subroutine
]]
fortran(program)
func("one", function(k) return k end)

case("accepts: declarations may have all forms [HOUSE-language HOUSE-names]", function()
  fortran [[
    integer(8), dimension(2,0:3) :: m = 1
    real(8), parameter :: half = 0.5d0
    character(len=3) :: name = "abc"
    type(point), dimension(2) :: pair
    complex, allocatable :: c(:,:)
    logical :: no = .false.
    m(2,0) = 5
    pair(2)%x = 4
    allocate(c(2,2))
  ]]
  expect.host("m(2,0) + m(1,3) + pair(2)%x", 10)
  expect.host("half", 0.5)
  expect.equal(sizeof "m", 64)
end)

case("accepts: if, do, select, where, allocate, call, exit and cycle are statements [HOUSE-language]", function()
  fortran [[
    integer :: k, sum = 0
    do k = 1, 10, 2
      if (k == 3) cycle
      if (k > 7) exit
      sum = sum + k
    end do
    select case (sum)
    case (:5)
      i = 1
    case (13)
      i = 2
    case default
      i = 3
    end select
    allocate(a(2:4))
    a = 1
    deallocate(a)
    call work(i)
    t = 1
    call ranked(t)
    do while (i < 10)
      i = i + 3
    end do
  ]]
  expect.host("sum", 13)
  expect.host("i", 12)
  expect.host("t(1)", 2)
end)

case("accepts: Lua may assign to arrays, components and pointers [HOUSE-language]", function()
  host.list = { 4, 3, 2, 1 }
  host.pt = { x = 5, y = 6 }
  host.p = { 1, 2, 3 }
  expect.host("list(1) + pt%y", 10)
  expect.host("p(3)", 3)
  expect.equal(host.list[1], 3)
end)

case("rejects: a declaration has an unknown type or kind, or attributes that exclude each other"
  .. " [HOUSE-names HOUSE-version HOUSE-limit HOUSE-language HOUSE-syntax]", function()
  expect.fails("unknown-type", { "integer(@3) :: k", "real(@5) :: k", "type(@unheard) :: v",
    "type s\ntype(@s) :: inner\nend type", "type, extends(@unheard) :: s\nend type" }, { by = fortran })
  expect.fails("unsupported", { "class(@*), pointer :: v", "character(@*) :: v",
    "character(len=@:), allocatable :: v", "character(@:), pointer :: v",
    "type, @bind(c), unheard :: s\nend type", "type s\ninteger :: k\n@contains\nprocedure :: f\nend type",
    "type s9\nreal, pointer :: p(:) => @t\nend type\ntype(s9) :: sv" }, { by = fortran })
  expect.fails("limit", "character(@99999999) :: v", { by = fortran })
  expect.fails("duplicate-clause", { "integer, allocatable, @allocatable :: v(:)",
    "type, extends(point), @extends(point) :: s\nend type" }, { by = fortran })
  expect.fails("conflicting-clauses", { "integer, @pointer, allocatable :: v(:)",
    "integer, @parameter, allocatable :: v(:)" }, { by = fortran })
  expect.fails("syntax", { "integer, @unheard :: v", "integer, parameter :: @v", "integer, allocatable :: v(@4)",
    "integer, pointer :: v(@4)", "integer :: v@(:)", "integer :: v(@..)", "integer :: v@(*)", "class(point) :: @v",
    "type s\nreal, allocatable :: p(@4)\nend type", "type s\ninteger :: k@" }, { by = fortran })
  expect.fails("type-mismatch", { "type(@shape_of) :: v", "integer :: w2(2) = @(/1, 2, 3/)",
    "integer :: w3 = @yes" }, { by = fortran })
  expect.fails("invalid-section", "real :: huge_one@(99999999,99999999,99999)", { by = fortran })
  expect.fails("duplicate-name", { "integer :: k, @k",
    "type s\ninteger :: k\nreal :: @k\nend type" }, { by = fortran })
  expect.fails("unknown-name", "integer :: w1 = @unheard", { by = fortran })
  expect.fails("unknown-name", { "@w1 = 1", "integer :: w4 = 1, w5 = @unheard", "@w4 = 1" }, { by = fortran })
end)

case("accepts: arrays of no elements are allocated and deallocated [HOUSE-language]", function()
  fortran "allocate(a(5:4)); deallocate(a); allocate(a(0)); a = (/ 1, 2 /); deallocate(a)"
  fortran "allocate(p(0)); deallocate(p)"
  expect.equal(host "allocated(a)", false)
  expect.fails("null-pointer", "deallocate(@a)", { by = fortran })
end)

case("rejects: allocate or deallocate names a variable that is not a pointer or allocatable, or has another form"
  .. " [HOUSE-language HOUSE-syntax HOUSE-names ACC33-2.7-2]", function()
  expect.fails("not-a-pointer", { "allocate(@i)", "allocate(@t(4))", "deallocate(@i)", "nullify(@a)",
    "nullify(@i)" }, { by = fortran })
  expect.fails("syntax", { "allocate(@a)", "allocate(a(@2:))", "allocate(a(@1:4:2))" }, { by = fortran })
  expect.fails("type-mismatch", { "allocate(@a(2,2))", "allocate(a(@yes))", "allocate(shape_of :: @any)",
    "allocate(deep :: @any)", "allocate(integer :: @a(2))", "allocate(b(2,2), @b(2,2))" }, { by = fortran })
  expect.fails("unknown-name", "allocate(@unheard(2))", { by = fortran })
  expect.fails("null-pointer", { "deallocate(@a)", "deallocate(@p)" }, { by = fortran })
  expect.fails("invalid-section", "allocate(@a(99999999999999999))", { by = fortran })
end)

case("rejects: a condition, loop or selection has another type, rank or form"
  .. " [HOUSE-language HOUSE-names HOUSE-syntax HOUSE-scenario HOUSE-version]", function()
  expect.fails("type-mismatch", { "if (@i) i = 1", "if (@mask) i = 1", "do while (@i)\nend do", "@do x = 1, 2\nend do",
    "do i = 1, @yes\nend do", "select case (@x)\ncase (1)\nend select", "select case (i)\ncase (@\"a\")\nend select",
    "select type (@pt)\ntype is (point)\nend select", "select type (@d%p)\ntype is (point)\nend select",
    "select case (i)\ncase (@zero)\nend select", "select case (i)\ncase (@(/1, 2/))\nend select",
    "select type (cp)\ntype is (@deep)\nend select", "select rank (@t)\nrank (1)\nend select", "where (@list) t = 1",
    "stop @x" }, { by = fortran })
  expect.fails("unknown-name", { "if (@unheard) i = 1", "@do unheard = 1, 2\nend do",
    "print *, @unheard" }, { by = fortran })
  expect.fails("invalid-section", "@do i = 1, 5, 0\nend do", { by = fortran })
  expect.fails("syntax", { "do i = 1, 2@", "i = @", "print@", "end @do", "else@", "@exit", "@cycle",
    "do i = 1, 2\nend do\n@exit" }, { by = fortran })
  expect.fails("duplicate-name", { "select type (cp)\ntype is (marked)\ntype is (@marked)\nend select",
    "select case (i)\ncase (1)\ncase (@1)\nend select", "select case (i)\ncase (:3)\ncase (fixed, @2)\nend select",
    "select case (i)\ncase (fixed)\ncase (1, @5:)\nend select",
    "select case (word)\ncase (\"a\")\ncase (@\"a \")\nend select",
    "select case (i)\ncase default\n@case default\nend select" }, { by = fortran })
  expect.fails("unknown-type", "select type (cp)\ntype is (@unheard)\nend select", { by = fortran })
  expect.fails("scenario-error", "@stop 3", { by = fortran })
  expect.fails("unsupported", "@goto 10", { by = fortran })
end)

case("rejects: a call names no subroutine or has other arguments"
  .. " [HOUSE-names HOUSE-language HOUSE-version ACC33-att-5 HOUSE-syntax]", function()
  expect.fails("unknown-name", { "call @unheard()", "call @i(1)", "call acc_copyin(@unheard)" }, { by = fortran })
  expect.fails("type-mismatch", { "call @twice(i)", "@call work()", "call work(1, @2)", "call work(@yes)",
    "call work(@list)", "call work(k=i, k=@i)", "call work(z=@i)", "call two(@list)", "call two(v=t, w=@yes)",
    "call ranked(@5)", "call acc_copyin()" }, { by = fortran })
  expect.fails("unsupported", "call @pt%move()", { by = fortran })
  expect.fails("out-of-bounds", "call two(@t)", { by = fortran })
  expect.fails("not-a-pointer", "@call acc_attach(i)", { by = fortran })
  expect.fails("syntax", "work(i)@", { by = fortran })
end)

case("rejects: an argument or result of a procedure is not declared [HOUSE-names HOUSE-syntax HOUSE-limit]", function()
  expect.fails("unknown-name", { "call s(i)\ncontains\n@subroutine s(k)\nend subroutine",
    "i = f(1)\ncontains\n@function f(k)\ninteger :: k\nf = k\nend function" }, { by = fortran })
  expect.fails("syntax", { "contains\nsubroutine s(k)\ninteger :: k@",
    "contains\nsubroutine s(k)\ninteger :: k\n@end function" }, { by = fortran })
  expect.fails("limit", "i = twice(1)\ncontains\ninteger function twice(k)\ninteger :: k\ntwice = again(k)\n"
    .. "end function\ninteger function again(k)\ninteger :: k\nagain = @twice(k)\nend function", { by = fortran })
end)

case("rejects: a type is declared twice or incomplete, or an attribute is a statement"
  .. " [HOUSE-names HOUSE-version HOUSE-syntax]", function()
  expect.fails("duplicate-name", "type q\ninteger :: k\nend type\n@type q\ninteger :: k\nend type", { by = fortran })
  expect.fails("unknown-type", {
    "type one\ntype(later), pointer :: p\nend type\ntype, extends(@later) :: more\nend type",
    "type two\ntype(last), pointer :: p\nend type\ntype(two) :: o\nallocate(@o%p)\ntype last\ninteger :: k\nend type" },
    { by = fortran })
  expect.fails("syntax", { "allocate(a(@k=1))", "allocate(a(@*))" }, { by = fortran })
  expect.fails("unsupported", { "@pointer :: i", "@target :: i", "@dimension i(4)" }, { by = fortran })
end)

case("rejects: two blocks are for one rank, or an argument of a routine is not a variable [HOUSE-names HOUSE-language]",
  function()
    fortran [[
    contains
      subroutine twofold(r)
        real :: r(..)
        select rank (r)
        rank (1)
          r(1) = 2
        rank (1)
          r(1) = 3
        end select
      end subroutine
    ]]
    expect.fails("duplicate-name", "call twofold(t)", { by = fortran })
    expect.fails("type-mismatch", { "call acc_copyin(@null())", "call acc_copyin(@(/1, 2/))" }, { by = fortran })
  end)

case("rejects: a polymorphic argument or selection has another form, or an abstract object is allocated"
  .. " [HOUSE-version HOUSE-syntax HOUSE-language]", function()
  fortran [[
    type keeper
      class(point), allocatable :: any
    end type
    type(keeper) :: kept
    class(shape_of), pointer :: form
  ]]
  expect.fails("unsupported", { "call s(pt)\ncontains\nsubroutine s(v)\nclass(point) :: @v(2)\nend subroutine",
    "call s(pt)\ncontains\nsubroutine s(v)\nclass(point), value :: @v\nend subroutine" }, { by = fortran })
  expect.fails("syntax", "select type (@kept%any)\ntype is (point)\nend select", { by = fortran })
  expect.fails("type-mismatch", "allocate(@form)", { by = fortran })
end)

case("rejects: a routine has other arguments or results, or a directive has no loop"
  .. " [HOUSE-language ACC33-2.6-1]", function()
  expect.fails("type-mismatch", { "i = @acc_malloc(5)", "call acc_detach(p, @p)" }, { by = fortran })
  expect.fails("syntax", "@!$acc loop", { by = function(text) acc "parallel copy(i)" (text) end })
end)

case("rejects: a pointer without a target is tested for presence [ACC33-2.7-2]", function()
  expect.fails("null-pointer", { "@p", "@a" }, { by = function(text) expect.present(text) end })
end)

case("rejects: a shape of a component has other bounds, ranks or strides"
  .. " [TR14-3.1.1-21 TR14-3.1.1-22 ACC33-2.7.1-4 HOUSE-version]", function()
  local n = 0
  local function shaped(text)
    n = n + 1
    return "type s" .. n .. "\ninteger :: n\nreal, allocatable :: v(:), w(:,:)\nclass(point), allocatable :: many(:)\n"
      .. "!$acc shape include(" .. text .. ")\nend type\ntype(s" .. n .. ") :: o" .. n
  end
  expect.fails("unsupported", { shaped "v(1:@twice(n))", shaped "many@(1:2)" }, { by = fortran })
  expect.fails("type-mismatch", { shaped "v@(1,2)", shaped "w@(1:2)" }, { by = fortran })
  expect.fails("invalid-section", shaped "v(@1:4:2)", { by = fortran })
  fortran(shaped "w(1:2,1:2)")
  fortran "allocate(o6%v(1), o6%w(3,2))"
  expect.fails("invalid-section", "data copyin(o6)")
end)

case("rejects: a mapper of a component has two lists of subscripts [OMP60-map-15 TR14-4.3-18]", function()
  expect.fails("syntax", "!$omp declare mapper(deep :: o) map(@o%a(1:2)(1:2))", { by = fortran })
end)
