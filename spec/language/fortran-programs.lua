-- Programs of Fortran: default values, arithmetic, arrays, loops, allocation, pointers, and what a scenario sees.
scenario { title = "Fortran: programs", language = "fortran" }

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

case("accepts: objects begin with null descriptors and default values [HOUSE-language]", function()
  fortran [[
    type t
      integer :: n = 7
      real :: r = 2.5
      logical :: f = .true.
      real, pointer :: p(:) => null()
      real, allocatable :: a(:)
    end type t
    type(t) :: y(3)
  ]]
  is("F F 7 2.5 T", printed "print *, associated(y(2)%p), allocated(y(3)%a), y(1)%n, y(3)%r, y(2)%f")
end)

case("rejects: a declaration of a type or an array has another form"
  .. " [HOUSE-names HOUSE-language HOUSE-version HOUSE-syntax HOUSE-limit]", function()
  refuses {
    { "type t\ninteger :: a, a\nend type", "duplicate-name there are two components 'a'" },
    { "type t\ninteger :: a\ncontains\nprocedure :: f\nend type",
      "unsupported type-bound procedures are not supported" },
    { "type t\ntype(t) :: a\nend type", "unknown-type type(t) is not complete here" },
    { "real(3) :: a", "unknown-type there is no real of kind 3" },
    { "real, pointer :: a(3)", "syntax an array that is a pointer has the shape ':'" },
    { "real :: a(:)", "syntax 'a' has no bounds" },
    { "integer, parameter :: n", "syntax the constant 'n' needs a value" },
    { "real, allocatable, pointer :: a", "conflicting-clauses what is allocatable is not pointer" },
    { "real :: a(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", "limit an array has at most 15 dimensions" },
    { "class(*), pointer :: a", "unsupported unlimited polymorphic objects are not supported" },
  }
end)

case("accepts: numbers and characters are computed as the language says [HOUSE-language]", function()
  is("3 -3 -1 1024 0.5 T F abc x  4", printed [[
    character(len=3) :: s = 'abcdef'
    character(len=2) :: w = 'x'
    print *, 7/2, -7/2, mod(-7,3), 2**10, 2.0**(-1), 1 < 2 .and. 2.0 >= 2, .not. .true., s, w, int(4.9)
  ]])
  is("-2147483648", printed "integer :: n = 2147483647\nn = n + 1\nprint *, n")
  is("0.1 1.0", printed "real(8) :: x = 0.1d0\nprint *, x, max(0.5, 1, 0)")
end)

case("accepts: statements use whole arrays and sections [HOUSE-language]", function()
  is("1 9 3 9 5\n25.0 4\n5 1", printed [[
    integer :: a(-2:2) = [1, 2, 3, 4, 5]
    real :: b(2,2) = 0
    a(-1::2) = 9
    print *, a
    b(:,2) = [10, 15]
    print *, sum(b), size(b)
    print *, maxval(a(2:)), a(-2)
  ]])
  is("1 1 2 3", printed "integer :: c(4) = [1, 2, 3, 4]\nc(2:4) = c(1:3)\nprint *, c")
end)

case("accepts: if, do, cycle and exit choose and repeat [HOUSE-language]", function()
  is("1\n3\n4\n0", printed [[
    integer :: i, n
    do i = 1, 9
      if (i == 2) cycle
      if (i > 4) then
        exit
      else
        print *, i
      end if
    end do
    n = 3
    do while (n > 0)
      n = n - 1
    end do
    print *, n
  ]])
  is("9 6 3 0",
    printed "integer :: k, a(4)\ndo k = 9, 1, -3\na(4 - k / 3) = k\nend do\na(4) = k\nprint *, a")
end)

case("accepts: select case chooses among values and ranges [HOUSE-language]", function()
  is("2122 yes", printed [[
    integer :: i, n = 0
    character(len=3) :: s = 'ab'
    do i = 1, 7
      select case (i)
      case (1, 3)
        n = n + 1
      case (4:5)
        n = n + 10
      case (7:)
        n = n + 100
      case default
        n = n + 1000
      end select
    end do
    select case (s)
    case ('ab')
      print *, n, 'yes'
    end select
  ]])
end)

case("accepts: allocatable arrays take the shape of their value [HOUSE-language]", function()
  is("2 5 4\n1 2\n3 4.0\nF", printed [[
    real, allocatable :: a(:), b(:)
    allocate(a(2:5))
    print *, lbound(a), ubound(a), size(a)
    a = [1, 2]
    print *, lbound(a), ubound(a)
    allocate(b(3), source = 4.0)
    print *, size(b), b(2)
    deallocate(a)
    print *, allocated(a)
  ]])
end)

case("accepts: an assignment copies allocatable components, not targets of pointers [HOUSE-language]", function()
  fortran "type t\nreal, allocatable :: a(:)\nreal, pointer :: p(:)\nend type\ntype(t) :: x, y"
  is("1.0 5.0 T", printed [[
    x%a = [1.0, 2.0]
    allocate(x%p(1))
    y = x
    y%a(1) = 5
    print *, x%a(1), y%a(1), associated(y%p, x%p)
  ]])
end)

case("accepts: pointers get arrays and sections as targets, with other bounds and ranks [HOUSE-language]", function()
  is("0 2 4\n1 3\n8 6 4\n10 12\n0 1 0 4 3\n10 10 T F", printed [[
    integer, target :: a(0:9) = [(i, i = 0, 9)]
    integer, pointer :: p(:), q(:,:)
    p => a(0:4:2)
    print *, p
    print *, lbound(p), ubound(p)
    p => a(8:3:-2)
    print *, p
    p(10:) => a(1:3)
    print *, lbound(p), ubound(p)
    q(0:1,0:4) => a
    print *, lbound(q,1), ubound(q,1), lbound(q,2), ubound(q,2), q(1,1)
    q(10:,10:) => q
    print *, lbound(q), associated(q), associated(p, a)
  ]])
end)

case("rejects: a statement leaves an array, has no target, or mixes types [HOUSE-language HOUSE-names]", function()
  fortran [[
    integer :: n
    real, target :: a(0:9)
    real :: b(2,3)
    real, pointer :: p(:)
    real, allocatable :: c(:)
    type t
      integer :: k
    end type t
    type(t) :: x
  ]]
  refuses {
    { "a(10) = 1", "out-of-bounds index 10 in dimension 1 of a is outside 0:9" },
    { "print *, b(2,4)", "out-of-bounds index 4 in dimension 2 of b is outside 1:3" },
    { "print *, a(5:10)", "out-of-bounds index 10 in dimension 1 of a is outside 0:9" },
    { "p(1) = 1", "null-pointer p is not associated" },
    { "c = 1", "null-pointer c is not allocated" },
    { "deallocate(c)", "null-pointer c is not allocated" },
    { "allocate(c(2), c(3))", "type-mismatch c is allocated already" },
    { "p => a\ndeallocate(p)", "type-mismatch a is a variable, not memory that was allocated" },
    { "p => b", "type-mismatch p has rank 1, its target has rank 2" },
    { "p => b(1,:)", "type-mismatch b(1,:) is not a target" },
    { "p => n", "type-mismatch p points to real, this is integer" },
    { "p(0:10) => a", "out-of-bounds 11 elements are wanted, a has 10" },
    { "n => a", "not-a-pointer n is not a pointer" },
    { "a(1:3) = a(1:4)", "type-mismatch the shapes (3) and (4) differ" },
    { "x = 1", "type-mismatch integer cannot be assigned to x, which is type(t)" },
    { "n = 'a'", "type-mismatch character(1) cannot be assigned to n, which is integer" },
    { "x%l = 1", "unknown-member type(t) has no component 'l'" },
    { "m = 1", "unknown-name there is no variable 'm'" },
    { "n = b(1)", "type-mismatch b has 2 dimensions, not 1" },
    { "n = 1 / (n - n)", "scenario-error division by zero" },
    { "if (n) n = 1", "type-mismatch a logical value is needed, this is integer" },
    { "call s(1)", "unknown-name there is no subroutine 's'" },
    { "type(u) :: z", "unknown-type there is no type 'u'" },
    { "n = a(1) + .true.", "type-mismatch a number is needed, this is logical" },
  }
end)

case("accepts: Lua reads and writes variables of Fortran [HOUSE-language]", function()
  fortran "integer :: n = 2\nreal :: b(2,3) = 0\nreal, allocatable :: a(:), c(:,:)"
  fortran "logical :: f\ncharacter(len=4) :: s"
  fortran "type t\ninteger :: k\nreal, pointer :: p(:)\nend type\ntype(t) :: x, y(2)"
  host.N = 5
  host.a = { 1, 2, 3 }
  host.b = { { 1, 2, 3 }, { 4, 5, 6 } }
  host.F = true
  host.s = "ab"
  host.x = { k = 3, p = { 7, 8 } }
  host.c = { { 1, 2 }, { 3, 4 } }
  expect.equal(host.n, 5)
  expect.equal(host.f, true)
  expect.equal(host.s, "ab  ")
  expect.equal(host.b(2, 1), 4)
  expect.equal(host.b[1], 4)
  expect.equal(host.a, { 1, 2, 3 })
  expect.equal(#host.a, 3)
  expect.equal(host.X.P(2), 8)
  expect.host("a(2:3)", { 2, 3 })
  expect.host("b", { { 1, 2, 3 }, { 4, 5, 6 } })
  expect.host("c(:,2)", { 2, 4 })
  expect.host("size(a) + N", 8)
  expect.host("allocated(a) .and. associated(x%p)", true)
  host.a = nil
  expect.equal(host.a, nil)
  host.y[1] = { k = 9 }
  expect.host("y(2)%k", 9)
  host.b[0] = 10
  expect.host("b(1,1)", 10)
  expect.fails("out-of-bounds", function() return host.b(3, 1) end)
  expect.fails("unknown-name", function() return host.zz end)
  expect.fails("type-mismatch", function() host.b = 1 end)
  expect.malformed "integer :: "
  expect.invalid("integer :: m, m", "duplicate-name")
  expect.invalid("enter data copyin(zz)", "unknown-name")
end)

case("accepts: expressions call functions of Lua, whose names give their types [HOUSE-language]", function()
  func("twice", function(x) return 2 * x end)
  func("next_one", function(i) return i + 1 end)
  fortran "real :: a(3)\na(next_one(1)) = twice(2.5)"
  expect.host("a(2)", 5)
  expect.fails("type-mismatch", function() return host "next_one(1.5)" end)
  expect.equal({ sizeof "real(8)", sizeof "a" }, { 8, 12 })
end)

case("rejects: a program stops with an error [HOUSE-scenario HOUSE-language HOUSE-version]", function()
  fortran "integer :: i = 0\ncontains\nsubroutine s(n)\ninteger :: n\nstop n\nend subroutine s"
  fortran "do i = 1, 3\nif (i == 2) stop\nend do\nprint *, 1"
  expect.host("i", 2)
  fortran "call s(0)\nprint *, 1"
  expect.fails("scenario-error", function() fortran "call s(3)\nprint *, 1" end)
  expect.fails("scenario-error", function() fortran "error stop" end)
  local err = expect.fails("scenario-error", function() fortran "error stop 'bad'" end)
  expect.equal(err.message, "the program stopped: bad")
  expect.fails("type-mismatch", function() fortran "stop 1.5" end)
  expect.equal(output(), {})
  fortran "implicit none (type, external)\nimplicit none ()\nimplicit none"
  expect.fails("unsupported", function()
    fortran "character(len=5) :: name(2)\nprint *, name(1)(2:3)"
  end)
end)
