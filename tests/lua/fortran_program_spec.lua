-- Host programs in Fortran: declarations, statements, procedures, and how a scenario sees them.
local core = require "accdeep.core"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local support = require "tests.lua.support"

local function session(text)
  local made = support.session(nil, { language = "fortran" })
  if text then made:declare(text, "spec.lua", 1) end
  return made
end

-- What a text prints.
local function printed(text, declarations)
  local made = session(declarations)
  made:declare(text, "spec.lua", 1)
  return table.concat(made:output(), "\n")
end

local function fails(text, declarations)
  local made = session(declarations)
  local err = support.error_of(made.declare, made, text, "spec.lua", 1)
  return ("%s %s"):format(err.code, err.message), err
end

after_each(support.close_all)

describe("types of Fortran", function()
  it("are laid out as C structures, with descriptors inside", function()
    local made = session [[
      type inner
        integer(1) :: c
        real(8) :: d
      end type inner
      type outer
        logical :: flag
        type(inner) :: in(2)
        real, pointer :: p(:,:)
        character(len=3) :: name
        integer, allocatable :: n
      end type outer
      type(outer) :: x
    ]]
    local t = made.now.scope.tags.outer
    local offsets = {}
    for _, member in ipairs(t.members) do offsets[#offsets + 1] = member.offset end
    assert.same({ 0, 8, 40, 112, 120 }, offsets)
    assert.same({ 144, 8 }, { t.size, t.align })
    assert.equal(16, made.now.scope.tags.inner.size)
  end)

  it("have descriptors as Fortran 2018 says", function()
    local made = session "real(8), pointer :: p(:,:)\nallocate(p(2:4,0:1))"
    local address = made.now.scope.variables.p.address
    local bytes = core.get(address, 72)
    local base, elem_len, version, rank, attribute, code = string.unpack("<I8I8i4i1i1i2", bytes)
    assert.same({ 8, 1, 2, 0, 3 + (8 << 8) }, { elem_len, version, rank, attribute, code })
    assert.same({ 2, 3, 8, 0, 2, 24, 73 }, { string.unpack("<i8i8i8i8i8i8", bytes, 25) })
    assert.is_true(base ~= 0)
    made:declare("nullify(p)", "spec.lua", 1)
    assert.equal(0, (string.unpack("<I8", core.get(address, 8))))
    assert.equal(24 + 24 * 15, fortran_descriptor.size(fortran_descriptor.layouts.cfi, 15))
  end)

  it("begin with null descriptors and default values", function()
    assert.equal("F F 7 2.5 T", printed([[
      print *, associated(y(2)%p), allocated(y(3)%a), y(1)%n, y(3)%r, y(2)%f
    ]], [[
      type t
        integer :: n = 7
        real :: r = 2.5
        logical :: f = .true.
        real, pointer :: p(:) => null()
        real, allocatable :: a(:)
      end type t
      type(t) :: y(3)
    ]]))
  end)

  it("are checked", function()
    for text, wanted in pairs {
      ["type t\ninteger :: a, a\nend type"] = "duplicate-name there are two components 'a'",
      ["type t\ninteger :: a\ncontains\nprocedure :: f\nend type"] =
        "unsupported type-bound procedures are not supported",
      ["type t\ntype(t) :: a\nend type"] = "unknown-type type(t) is not complete here",
      ["real(3) :: a"] = "unknown-type there is no real of kind 3",
      ["real, pointer :: a(3)"] = "syntax an array that is a pointer has the shape ':'",
      ["real :: a(:)"] = "syntax 'a' has no bounds",
      ["integer, parameter :: n"] = "syntax the constant 'n' needs a value",
      ["real, allocatable, pointer :: a"] = "conflicting-clauses what is allocatable is not pointer",
      ["real :: a(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"] = "limit an array has at most 15 dimensions",
      ["class(*), pointer :: a"] = "unsupported unlimited polymorphic objects are not supported",
    } do
      assert.equal(wanted, (fails(text)))
    end
  end)
end)

describe("statements of Fortran", function()
  it("compute as the language says", function()
    assert.equal("3 -3 -1 1024 0.5 T F abc x  4", printed [[
      character(len=3) :: s = 'abcdef'
      character(len=2) :: w = 'x'
      print *, 7/2, -7/2, mod(-7,3), 2**10, 2.0**(-1), 1 < 2 .and. 2.0 >= 2, .not. .true., s, w, int(4.9)
    ]])
    assert.equal("-2147483648", printed "integer :: n = 2147483647\nn = n + 1\nprint *, n")
    assert.equal("0.1 1.0", printed "real(8) :: x = 0.1d0\nprint *, x, max(0.5, 1, 0)")
  end)

  it("work on arrays as wholes and in sections", function()
    assert.equal("1 9 3 9 5\n25.0 4\n5 1", printed [[
      integer :: a(-2:2) = [1, 2, 3, 4, 5]
      real :: b(2,2) = 0
      a(-1::2) = 9
      print *, a
      b(:,2) = [10, 15]
      print *, sum(b), size(b)
      print *, maxval(a(2:)), a(-2)
    ]])
    assert.equal("1 1 2 3", printed "integer :: a(4) = [1, 2, 3, 4]\na(2:4) = a(1:3)\nprint *, a")
  end)

  it("choose and repeat", function()
    assert.equal("1\n3\n4\n0", printed [[
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
    assert.equal("9 6 3 0",
      printed "integer :: i, a(4)\ndo i = 9, 1, -3\na(4 - i / 3) = i\nend do\na(4) = i\nprint *, a")
  end)

  it("choose among cases", function()
    assert.equal("2122 yes", (printed [[
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
    ]]))
  end)

  it("allocate, and take the shape of what is assigned", function()
    assert.equal("2 5 4\n1 2\n3 4.0\nF", printed [[
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

  it("copy what objects of derived types own", function()
    assert.equal("1.0 5.0 T", printed([[
      x%a = [1.0, 2.0]
      allocate(x%p(1))
      y = x
      y%a(1) = 5
      print *, x%a(1), y%a(1), associated(y%p, x%p)
    ]], "type t\nreal, allocatable :: a(:)\nreal, pointer :: p(:)\nend type\ntype(t) :: x, y"))
  end)

  it("point to wholes, sections, with other bounds and ranks", function()
    assert.equal("0 2 4\n1 3\n8 6 4\n10 12\n0 1 0 4 3\n10 10 T F", printed [[
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

  it("are checked where they run", function()
    local declarations = [[
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
    for text, wanted in pairs {
      ["a(10) = 1"] = "out-of-bounds index 10 in dimension 1 of a is outside 0:9",
      ["print *, b(2,4)"] = "out-of-bounds index 4 in dimension 2 of b is outside 1:3",
      ["print *, a(5:10)"] = "out-of-bounds index 10 in dimension 1 of a is outside 0:9",
      ["p(1) = 1"] = "null-pointer p is not associated",
      ["c = 1"] = "null-pointer c is not allocated",
      ["deallocate(c)"] = "null-pointer c is not allocated",
      ["allocate(c(2), c(3))"] = "type-mismatch c is allocated already",
      ["p => a\ndeallocate(p)"] = "type-mismatch a is a variable, not memory that was allocated",
      ["p => b"] = "type-mismatch p has rank 1, its target has rank 2",
      ["p => b(1,:)"] = "type-mismatch b(1,:) is not a target",
      ["p => n"] = "type-mismatch p points to real, this is integer",
      ["p(0:10) => a"] = "out-of-bounds 11 elements are wanted, a has 10",
      ["n => a"] = "not-a-pointer n is not a pointer",
      ["a(1:3) = a(1:4)"] = "type-mismatch the shapes (3) and (4) differ",
      ["x = 1"] = "type-mismatch integer cannot be assigned to x, which is type(t)",
      ["n = 'a'"] = "type-mismatch character(1) cannot be assigned to n, which is integer",
      ["x%l = 1"] = "unknown-member type(t) has no component 'l'",
      ["m = 1"] = "unknown-name there is no variable 'm'",
      ["n = b(1)"] = "type-mismatch b has 2 dimensions, not 1",
      ["n = 1 / (n - n)"] = "scenario-error division by zero",
      ["if (n) n = 1"] = "type-mismatch a logical value is needed, this is integer",
      ["call s(1)"] = "unknown-name there is no subroutine 's'",
      ["type(u) :: z"] = "unknown-type there is no type 'u'",
      ["n = a(1) + .true."] = "type-mismatch a number is needed, this is logical",
    } do
      assert.equal(wanted, (fails(text, declarations)))
    end
    local _, err = fails("n = 1\n\n  a(n + 20) = 1", declarations)
    assert.same({ 3, 3 }, { err.line, err.column })
  end)
end)

describe("procedures of Fortran", function()
  local program = [[
    real, target :: a(10) = [(i, i = 1, 10)]
    real, pointer :: p(:)
    real, allocatable :: c(:)
    integer :: n = 4
    contains
    subroutine assumed(x)
      real :: x(5:)
      print *, lbound(x), ubound(x), x(5)
      x(5) = -1
    end subroutine assumed
    subroutine explicit(x, m)
      integer :: m
      real :: x(m)
      x = x * 2
    end subroutine explicit
    subroutine own(q, d)
      real, pointer :: q(:)
      real, allocatable :: d(:)
      q => a(3:4)
      allocate(d(2), source = 1.5)
    end subroutine own
    recursive integer function factorial(k) result(f)
      integer :: k
      if (k < 2) then
        f = 1
      else
        f = k * factorial(k - 1)
      end if
    end function factorial
    function pair(x)
      real :: x, pair(2)
      pair = [x, outer()]
    contains
      real function outer()
        outer = x + 1
      end function outer
    end function pair
    subroutine given(x, y)
      integer, optional :: x, y
      print *, present(x), present(y)
    end subroutine given
  ]]

  it("take arguments by reference, with bounds of their own", function()
    assert.equal("5 7 2.0\n-1.0", printed("call assumed(a(2:6:2))\nprint *, a(2)", program))
    assert.equal("2.0 2.0 6.0 4.0 10.0", printed("call explicit(a(1:5:2), 3)\nprint *, a(1:5)", program))
    assert.equal("T 3.0 2 1.5", printed("call own(p, c)\nprint *, associated(p, a(3:4)), p(1), size(c), c(2)", program))
  end)

  it("give values, call themselves, and see what is around", function()
    assert.equal("24 2.0 3.0", printed("print *, factorial(n), pair(2.0)", program))
    assert.equal("F T", printed("call given(y = n)", program))
  end)

  it("are called by a scenario", function()
    assert.equal("hello", (support.holds([[
      fortran "subroutine s(x)\n integer :: x\n x = x + 1\n end subroutine"
      fortran "integer :: n = 1"
      call "s(n)"
      expect.host("n", 2)
      fortran "print *, 'hello'"
      print(output()[1])
    ]]):gsub("\n", "")))
  end)

  it("check their arguments", function()
    for text, wanted in pairs {
      ["call assumed(n)"] = "type-mismatch the argument 'x' is real, not integer",
      ["call assumed(a(1))"] = "type-mismatch the argument 'x' is of rank 1, not 0",
      ["call explicit(a, 11)"] = "out-of-bounds the argument 'x' has 11 elements, a has 10",
      ["call explicit(a)"] = "type-mismatch the argument 'm' is missing",
      ["call explicit(a, 1, 2)"] = "type-mismatch 'explicit' has 2 arguments",
      ["call own(a, c)"] = "type-mismatch the argument 'q' is a pointer, a is not",
      ["n = explicit(a, 1)"] = "type-mismatch 'explicit' is a subroutine",
      ["call factorial(1)"] = "type-mismatch 'factorial' is a function",
    } do
      assert.equal(wanted, (fails(text, program)))
    end
    assert.equal("limit procedures are nested too deeply",
      (fails("call s()\ncontains\nrecursive subroutine s()\ncall s()\nend subroutine")))
  end)
end)

describe("a scenario", function()
  it("reads and writes Fortran's variables", function()
    support.holds [[
      scenario { language = "fortran" }
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
    ]]
  end)

  it("may have cases that start afresh", function()
    support.holds [[
      fortran "integer, allocatable :: a(:)\nallocate(a(2), source = 1)"
      case("one", function() fortran "a(1) = 5\ndeallocate(a)" end)
      case("two", function() expect.host("a", { 1, 1 }) end)
    ]]
  end)

  it("lends its functions, whose names say what they give", function()
    support.holds [[
      func("twice", function(x) return 2 * x end)
      func("next_one", function(i) return i + 1 end)
      fortran "real :: a(3)\na(next_one(1)) = twice(2.5)"
      expect.host("a(2)", 5)
      expect.fails("type-mismatch", function() return host "next_one(1.5)" end)
      expect.equal({ sizeof "real(8)", sizeof "a" }, { 8, 12 })
    ]]
  end)

  it("may define the types of components later", function()
    local both = "type a\ntype(b), pointer :: pb => null()\ninteger :: i\nend type\n"
      .. "type b\ntype(a), pointer :: pa\nreal :: r\nend type\n"
    assert.equal("4 2.5", printed("print *, x%pb%pa%i, x%pb%r", both .. [[
      type(a), target :: x
      type(b), target :: y
      x%i = 4
      y%r = 2.5
      x%pb => y
      y%pa => x
    ]]))
    assert.match("unknown%-type there is no type 'b'", fails "type a\ntype(b), pointer :: p\nend type\ntype(a) :: x")
    assert.match("unknown%-type there is no type 'b'", fails "type a\ntype(b) :: p\nend type")
    assert.match("unknown%-type there is no type 'b'",
      fails "type a\ntype(b), pointer :: p\nend type\ntype(b) :: x\ntype b\ninteger :: i\nend type")
    local made = session()
    support.error_of(made.declare, made, "type a\ntype(b), pointer :: p\nend type\ni = 1", "spec.lua", 1)
    made:declare("type b\ninteger :: i\nend type\ntype(b) :: x", "spec.lua", 1)
    assert.match("type%-mismatch 'acc_attach' has one argument",
      fails("call acc_attach(p, 3)", "real, pointer :: p(:)"))
    assert.match("type%-mismatch 'acc_attach' has one argument", fails "call acc_attach()")
  end)

  it("ends where it stops", function()
    support.holds [[
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
    ]]
  end)

  it("speaks one language", function()
    assert.equal("type-mismatch", support.fails([[ fortran "integer :: n" declare "int n;" ]]).code)
    assert.equal("type-mismatch", support.fails([[ scenario { language = "c" } fortran "integer :: n" ]]).code)
  end)
end)
