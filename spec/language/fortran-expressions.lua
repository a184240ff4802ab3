-- Fortran's expressions, intrinsic functions and assignments in a scenario, and what is refused.
scenario { title = "Fortran: expressions and assignments", language = "fortran" }

fortran [[
  type point
    integer :: x, y
  end type point
  type, extends(point) :: marked
    integer :: mark
  end type marked
  type deep
    integer :: n
    real, pointer :: p(:)
    real, allocatable :: a(:)
  end type deep
  type holder
    class(point), allocatable :: any
  end type holder
  integer :: i = 3, zero = 0, list(4) = (/1, 2, 3, 4/), grid(2,3)
  integer, parameter :: fixed = 7
  real :: x = 1.5, row(4)
  real, target :: t(4), wide(4,6)
  real, pointer :: p(:), q(:), pp(:,:)
  real, allocatable :: a(:)
  logical :: yes = .true., mask(4)
  character(4) :: word = "abcd"
  complex :: z = (1.0, 2.0)
  type(point) :: pt
  type(deep) :: d
  type(holder) :: h
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
]]
func("word_of", function() return "word" end)

case("accepts: expressions contain arithmetic, arrays and intrinsic functions [HOUSE-language]", function()
  expect.host("2**3 + mod(7, 4) * sum(list)", 38)
  expect.host("size(grid) + size(grid, 2) + lbound(list, 1) + ubound(grid, 1)", 12)
  expect.host("maxval(list(2:3)) - minval(list)", 2)
  expect.host("maxval(list(3:2))", -2147483648)
  expect.host("minval(list(3:2)) - huge(list)", 0)
  expect.host("merge(1, 2, i > 2) + int(x) + nint(x)", 4)
  expect.host("abs(-x) + real(i) / 2", 3)
  expect.host("twice(i) + fixed", 13)
  expect.host("associated(p) .or. .not. allocated(a)", true)
  expect.host("aimag(z)", 2)
end)

case("accepts: scalars, arrays, components and pointers may be assigned [HOUSE-language HOUSE-names]", function()
  fortran [[
    row = 2 * row + 1
    grid(1,:) = (/7, 8, 9/)
    pt = point(4, 5)
    p(3:) => t(2:4)
    t = (/1.0, 2.0, 3.0, 4.0/)
    pp(1:2,1:2) => t
    a = t(2:3)
    where (t > 2.0)
      t = 0.0
    end where
  ]]
  expect.host("row(4)", 1)
  expect.host("grid(1,3) + pt%y", 14)
  expect.host("lbound(p, 1) + p(3)", 5)
  expect.host("pp(1,2)", 0)
  expect.host("a(2)", 3)
end)

case("rejects: an operand has a type that the operator does not take"
  .. " [HOUSE-language HOUSE-version HOUSE-scenario]", function()
  expect.fails("type-mismatch", { "i + @yes", ".not. @i", "@yes + 1", "@word * 2", "@i .and. yes", "@word // 5",
    "@pt + 1", "list @+ row(1:3)", "@null() + 1" }, { by = host })
  expect.fails("unsupported", "list @+ grid", { by = host })
  expect.fails("scenario-error", { "i @/ zero", "@mod(i, zero)" }, { by = host })
end)

case("rejects: a name, component or type is not declared [HOUSE-names HOUSE-language]", function()
  expect.fails("unknown-name", { "@unheard", "@unheard(1)", "size(@unheard)" }, { by = host })
  expect.fails("unknown-member", "pt%@z", { by = host })
  expect.fails("not-a-struct", { "@i%x", "@list%x", "@pt%x%y" }, { by = host })
  expect.fails("unknown-type", { "real(i, @3)", "@1.0_3" }, { by = host })
end)

case("rejects: an element is of no array, has other subscripts, or is out of bounds"
  .. " [HOUSE-language ACC33-2.7.1-1 HOUSE-version HOUSE-syntax ACC33-2.7-2]", function()
  expect.fails("type-mismatch", { "@i(1)", "@list(1,2)", "@grid(1)", "list(@x)", "list(@yes)",
    "@twice(i)(1)" }, { by = host })
  expect.fails("out-of-bounds", { "@list(5)", "@list(0)", "@t(1:9)", "@list(3:7)" }, { by = host })
  expect.fails("unsupported", { "list(@grid)", "@word(1:2)" }, { by = host })
  expect.fails("invalid-section", "list(@1:4:0)", { by = host })
  expect.fails("syntax", { "list(@k=1)", "@*", "1@:2", "k@=1", "(k@, k = 1, 3)" }, { by = host })
  expect.fails("null-pointer", { "@a(1)", "@p(1)" }, { by = host })
end)

case("rejects: a procedure is used as a value, or a call has other arguments [HOUSE-language]", function()
  expect.fails("type-mismatch", { "@twice", "@work", "@work(1)", "@work + 1", "@twice()", "twice(1, @2)",
    "twice(j=@1)", "twice(k=1, k=@2)", "twice(@yes)", "twice(@list)", "@word_of()" }, { by = host })
end)

case("rejects: an intrinsic function has other arguments [HOUSE-language HOUSE-version HOUSE-names]", function()
  expect.fails("type-mismatch", { "sqrt(@2)", "@sqrt()", "sqrt(x, @y=1)", "sqrt(@1:2)", "abs(@yes)", "size(@i)",
    "associated(p, @5)", "sum(@i)", "@max(1)", "is_contiguous(@5)", "same_type_as(@i, pt)", "(/1, 2.5, @yes/)",
    "@(/ /)", "(@i, x)", "@shape()" }, { by = host })
  expect.fails("out-of-bounds", { "size(list, @2)", "lbound(list, @0)" }, { by = host })
  expect.fails("not-a-pointer", { "allocated(@t)", "allocated(@i)", "associated(@a)" }, { by = host })
  expect.fails("unsupported", { "@sum(grid, 1)", "@maxval(grid, dim=1)", "@reshape((/1, 2, 3/), (/2, 2/))",
    "reshape((/1, 2, 3, 4/), @list)", "@merge(1, 2, mask)" }, { by = host })
  expect.fails("unknown-type", "int(1, @3)", { by = host })
end)

case("rejects: the target of an assignment is not a variable, or the value does not fit"
  .. " [HOUSE-syntax HOUSE-language ACC33-2.7-2 HOUSE-names]", function()
  expect.fails("syntax", { "@5 = 1", "where (mask) d%p @=> t" }, { by = fortran })
  expect.fails("type-mismatch", { "@twice(1) = 2", "@fixed = 8", "@i = yes", "@i = pt", "@pt = 5", "@pt = d",
    "@i = list", "@list = grid", "@list = row(1:3)", "@i = null()", "@p = null()", "@cp = pt", "@yes = 1", "@word = 5",
    "where (@yes) list = 1", "where (mask) @i = 1", "where (mask) @grid = 1" }, { by = fortran })
  expect.fails("null-pointer", { "@p = 1.0", "@a(3) = 1.0" }, { by = fortran })
  expect.fails("unknown-name", "@unheard = 1", { by = fortran })
  expect.fails("unknown-member", "pt%@z = 1", { by = fortran })
end)

case("rejects: a pointer has no target, or its target has another type, rank or bounds"
  .. " [HOUSE-language HOUSE-names HOUSE-syntax ACC33-2.7-2]", function()
  expect.fails("not-a-pointer", { "@i => t", "@a => t", "@d%n => t" }, { by = fortran })
  expect.fails("type-mismatch", { "p => @row", "p => @list", "p => @wide", "p => @5", "pp => @t", "@p(1:2,1:2) => t",
    "pp(1:,1:) => @t", "cp => @d" }, { by = fortran })
  expect.fails("unknown-name", "p => @unheard", { by = fortran })
  expect.fails("syntax", { "pp(1:,@1:2) => t", "pp(@1,1:2) => t" }, { by = fortran })
  expect.fails("out-of-bounds", { "pp(1:3,1:3) => @t", "pp(1:2,1:2) => @wide(1:4:2,1)" }, { by = fortran })
  expect.fails("null-pointer", "pp(1:2,1:2) => @q", { by = fortran })
end)

case("rejects: the components of a constructed object do not fit [HOUSE-language HOUSE-names]", function()
  expect.fails("type-mismatch", { "pt = @point(1)", "pt = point(1, 2, @3)", "pt = point(1, @x=2)",
    "pt = point(1, @z=2)", "pt = point(@yes, 1)" }, { by = fortran })
  expect.fails("unknown-name", "pt = @unheard(1, 2)", { by = fortran })
end)

case("rejects: a range, a keyword, '*' or an array is used as a number [HOUSE-syntax HOUSE-language]",
  function()
    expect.fails("syntax", { "twice(@*)", "twice(@1:2)", "aimag(@*)" }, { by = host })
    expect.fails("type-mismatch", { "grid(1:@list,1)", "size(list, @list)", "@word_of", "i + @word_of", "@null()" },
      { by = host })
  end)

case("rejects: an intrinsic function has other values or one dimension"
  .. " [HOUSE-language HOUSE-version HOUSE-scenario]", function()
  expect.fails("type-mismatch", { "present(@5)", "present(@list(1))", "is_contiguous(@(/1, 2/))",
    "is_contiguous(list @+ 1)", "list @// 2" }, { by = host })
  expect.fails("unsupported", { "@all(mask, 1)", "@count(mask, dim=1)" }, { by = host })
  expect.fails("out-of-bounds", "sum(@reshape((/1, 2, 3/), (/2, 2/)))", { by = host })
  expect.fails("scenario-error", { "zero @** (-1)", "0 @** (-2)" }, { by = host })
end)

case("rejects: a kernel does not support an object or a procedure"
  .. " [HOUSE-version HOUSE-language ACC33-2.5.7-1]", function()
  local function body(text) acc "parallel copy(i, list, x, pt)" (text) end
  expect.fails("unsupported", { "@d = d", "i = @twice(3)", "!$acc loop private(@list(1))\ndo i = 1, 2\nend do",
    "!$acc loop reduction(+:@pt%x)\ndo i = 1, 2\nend do" }, { by = body })
  expect.fails("unsupported", "parallel @self copy(list)")
  expect.fails("type-mismatch", { "update self(list) if(@mask)", "data copy(@twice(1))" })
end)

case("rejects: a pointer with new bounds or a component is not contiguous [HOUSE-language ACC33-2.7.1-4]", function()
  expect.fails("invalid-section", { "pp(1:2,1:2) => @wide(1:2,:)", "pp(1:2,1:2) => @wide(1:4:2,1:4:2)" },
    { by = fortran })
  fortran "d%p => t(1:4:2)"
  expect.fails("invalid-section", "data copy(d) copy(@d%p(1:1))")
end)

case("rejects: a function returns a derived type, or an element of its result is taken"
  .. " [HOUSE-version HOUSE-syntax]", function()
  fortran [[
  contains
    type(point) function made(k)
      integer :: k
      made = point(k, k)
    end function
    function both(k)
      integer :: k, both(2)
      both = k
    end function
  ]]
  expect.fails("unsupported", "pt = @made(2)", { by = fortran })
  expect.fails("syntax", "@both(1)(2)", { by = host })
end)

case("rejects: the base of '@' is not a variable or is unknown [TR14-3.5-01]", function()
  fortran "p => t"
  expect.fails("type-mismatch", "data present(p(@@@twice(1)))")
  expect.fails("unknown-name", "data present(d%p(@@@unheard))")
end)

case("rejects: an assignment has an unallocated target, an assumed rank, or a mask over objects"
  .. " [ACC33-2.7-2 HOUSE-language HOUSE-version]", function()
  fortran [[
    type(point) :: several(4)
  contains
    subroutine fill(r)
      real :: r(..)
      r = 1
    end subroutine
    subroutine first(r)
      real :: r(..)
      r(1) = 1
    end subroutine
  ]]
  expect.fails("null-pointer", "@a = 5.0", { by = fortran })
  expect.fails("type-mismatch", { "call fill(t)", "call first(t)" }, { by = fortran })
  expect.fails("unsupported", "where (mask) @several = several", { by = fortran })
end)

case("rejects: an object of an abstract type is constructed, or a kernel constructs an initialised one"
  .. " [HOUSE-language HOUSE-version]", function()
  fortran "type, abstract :: form\ninteger :: n\nend type"
  expect.fails("type-mismatch", "@form(1)", { by = host })
  expect.fails("unsupported", "d = @deep(1, p, a)", { by = function(text) acc "parallel copy(i)" (text) end })
end)
