-- Complex numbers, where, structure constructors, arguments of assumed rank.
local support = require "tests.lua.support"

local function session(text)
  local made = support.session(nil, { language = "fortran" })
  if text then made:declare(text, "spec.lua", 1) end
  return made
end

local function printed(text, declarations)
  local made = session(declarations)
  made:declare(text, "spec.lua", 1)
  return table.concat(made:output(), "\n")
end

local function check_errors(declarations, list)
  for text, wanted in pairs(list) do
    local made = session(declarations)
    local err = support.error_of(made.declare, made, text, "spec.lua", 1)
    assert.equal(wanted, ("%s %s"):format(err.code, err.message))
  end
end

local function holds(text)
  return support.holds('scenario { language = "fortran", rules = "openacc-3.3" }\n' .. text)
end

after_each(support.close_all)

describe("complex numbers", function()
  it("are computed with", function()
    assert.equal("(5.0,5.0) (-1.0,-3.0) (8.0,1.0) (-0.5,-0.5)\n"
      .. "(-3.0,4.0) (1.0,0.0) (0.0,-1.0)\nT F T\n(-1.0,-2.0) (3.0,4.0)",
      printed [[
        complex :: z = (1.0, 2.0), w = (2, 3)
        print *, z * (3.0, -1.0), z - w - z + (1, 0), z * w + (12, -6), (1.0, -1.0) / (0, 2)
        print *, z ** 2, z ** 0, (0, 1) ** (-1)
        print *, z == (1.0, 2.0), z == w, z /= 1
        print *, -z, +w + 1 + (0, 1)
      ]])
    assert.equal("T 25.0 (0.0,0.0)", printed [[
      complex(8) :: i = (-1.0d0, 0)
      print *, abs(i ** (0.5d0, 0) - (0, 1)) < 1e-12, abs((7.0d0, 24.0d0)), (0, 0) ** (0.5, 0)
    ]])
  end)

  it("have parts, and functions of them", function()
    assert.equal("1.0 2.0 (1.0,-2.0) 8 4\n"
      .. "(5.0,7.0)\n(3.0,0.0) (3.0,4.0) 3 5.0\n(1.0,2.0) (2.0,0.0)\n2.0 0.0\n(3.0,2.0) (2.0,4.0)",
      printed [[
        complex :: z = (1.0, 2.0), a(2)
        real, parameter :: one = 1
        print *, real(z), aimag(z), conjg(z), kind((1.0d0, 0)), kind(z)
        z%re = 5; z%im = 7
        print *, z
        z = cmplx(3, 4)
        print *, cmplx(3), cmplx(3., 4., 8), int(z), abs(z)
        a = [(one, 2.0), (2.0, 0.0)]
        print *, a
        print *, a%im
        print *, sum(a), product(a)
      ]])
  end)

  it("are converted in assignments", function()
    assert.equal("2.5 2 (2.0,0.0) (2.5,1.5)", printed [[
      real :: r
      integer :: i
      complex :: z = (2.5, 1.5), w
      complex(8) :: d
      r = z; i = z; w = i; d = z
      print *, r, i, w, d
    ]])
  end)

  it("are lists of two numbers in a scenario, and data like others", function()
    holds [[
      fortran "complex :: z = (1, 2), a(2,2) = (1, 0)\ncomplex(8), allocatable :: c(:)\nallocate(c(3))\nc = (0, 1)"
      expect.equal(host.z, { 1, 2 })
      host.z = { 3, 4 } expect.host("z%im", 4)
      host.c = { { 1, 1 }, 2, { 3, 0 } } expect.host("c", { { 1, 1 }, { 2, 0 }, { 3, 0 } })
      expect.equal(events(function() acc "enter data copyin(c)" end)[1].bytes, 48)
      acc "serial copy(a)" "a(2,1) = c(2) * (0, 1); a(1,2)%im = 5"
      expect.host("a", { { { 1, 0 }, { 1, 5 } }, { { 0, 2 }, { 1, 0 } } })
      expect.fails("type-mismatch", function() host.z = { 1, 2, 3 } end)
      expect.fails("type-mismatch", function() host.z = "1" end)
    ]]
  end)

  it("are checked", function()
    check_errors("complex :: z\nreal :: r", {
      ["complex(3) :: a"] = "unknown-type there is no complex of kind 3",
      ["print *, z < z"] = "type-mismatch a number is needed, this is complex",
      ["print *, max(z, z)"] = "type-mismatch a number is needed, this is complex",
      ["print *, (r, 1)"] = "type-mismatch the parts of a complex number are constants",
      ["print *, (1, .true.)"] = "syntax expected ')', found ','",
      ["print *, aimag(r)"] = "type-mismatch a complex is needed, this is real",
      ["print *, cmplx(z, 1)"] = "type-mismatch a number is needed, this is complex",
      ["print *, nint(z)"] = "type-mismatch a number is needed, this is complex",
      ["print *, z%x"] = "not-a-struct z is complex: it has no components",
      ["z = 'a'"] = "type-mismatch character(1) cannot be assigned to z, which is complex",
    })
  end)
end)

describe("where", function()
  it("assigns to the elements that its mask names", function()
    assert.equal("0 2 0 4\n100 9 33 9\n1 -1 1 -1\n5 8 7 8", printed [[
      integer :: a(4) = [1, 2, 3, 4], b(4) = 0, n(4) = [1, 0, 3, 0], m(4) = 9
      where (mod(a, 2) == 0) b = a
      print *, b
      where (n /= 0) m = 100 / n
      print *, m
      where (n > 0)
        m = 1
      elsewhere
        m = -1
      end where
      print *, m
      where (a == 1)
        a = 5
      else where (n == 3)
        a = 7
      elsewhere
        a = 8
      endwhere
      print *, a
    ]])
  end)

  it("computes its mask once, and whole what is not an operation on elements", function()
    assert.equal("10 0 10 0\n11 12 3 4", printed [[
      integer :: a(4) = [1, 0, 2, 0], b(4) = [1, 2, 3, 4]
      where (a > 0)
        a = 0
        a = sum(b)
      end where
      print *, a
      where (b < 3)
        where (b < 2)
          b = 11
        elsewhere
          b = 12
        end where
      end where
      print *, b
    ]])
  end)

  it("stands in kernels", function()
    holds [[
      fortran "real :: x(3) = [1, 2, 3]"
      acc "serial copy(x)" "where (x > 1)\n x = x * 10\n end where"
      expect.host("x", { 1, 20, 30 })
    ]]
  end)

  it("is checked", function()
    check_errors("integer :: a(4), k\ninteger, pointer :: p(:)\ntype t\ninteger :: k\nend type\ntype(t) :: x(4)", {
      ["where (a) a = 1"] = "type-mismatch a logical value is needed, this is integer",
      ["where (k > 1) a = 1"] = "type-mismatch the mask of where is an array",
      ["where (a > 1) k = 1"] = "type-mismatch where assigns to arrays",
      ["where (a(1:2) > 1) a = 1"] = "type-mismatch the shapes (4) and (2) differ",
      ["where (a > 1)\na = 1\nelsewhere (a(1:2) > 0)\na = 2\nend where"] =
        "type-mismatch the shapes (4) and (2) differ",
      ["where (a > 1) p => a"] = "syntax where takes assignments of values",
      ["where (a > 1) x = x(1)"] = "unsupported where assigns to intrinsic types here",
      ["where (a > 1)\nprint *, a\nend where"] = "syntax expected a statement or 'end where', found 'print'",
      ["where (a > 1)\na = 1"] = "syntax expected a statement or 'end where', found end of the text",
    })
  end)
end)

describe("structure constructors", function()
  local declarations = [[
    type base
      integer :: k = 3
    end type base
    type, extends(base) :: t
      real :: x
      real, pointer :: p(:)
      real, allocatable :: v(:)
    end type t
    type, abstract :: none
    end type none
    type pair
      integer :: i
      real :: r
    end type pair
    type(t) :: a
    real, target :: b(3) = 4
    real :: c(3)
  ]]

  it("take values in order, by name, and of what is extended", function()
    assert.equal("1 2.5 F 1.0 2.0\n8 1.5 T F\n3 0.5 4.0 4.0 4.0", printed([[
      a = t(1, 2.5, null(), [1., 2.])
      print *, a%k, a%x, associated(a%p), a%v
      a = t(x = 1.5, p = b, base = base(8))
      print *, a%k, a%x, associated(a%p, b), allocated(a%v)
      a = t(x = 0.5, p = null(), v = b)
      print *, a%k, a%x, a%v
    ]], declarations))
  end)

  it("are values of their own each time", function()
    assert.equal("1 2\n1.0 9.0\n3 4.0", printed([[
      type(pair) :: u(2), w = pair(3, 4)
      type(t) :: d(2)
      integer :: i
      do i = 1, 2
        u(i) = pair(i, 0)
        d(i) = t(x = 0, p = null(), v = [1. * i])
      end do
      d(2)%v(1) = 9
      print *, u%i
      print *, d(1)%v, d(2)%v
      call show(w)
    contains
      subroutine show(x)
        type(pair) :: x
        print *, x%i, x%r
      end subroutine show
    ]], declarations))
  end)

  it("stand in kernels, for types without descriptors", function()
    holds [[
      fortran "type pair\ninteger :: i\nreal :: r\nend type\ntype(pair) :: u(2)"
      acc "serial copy(u)" "u(2) = pair(7, r = 8.5)"
      expect.host("u(2)%r", 8.5)
      fortran "type q\nreal, pointer :: p\nend type\ntype(q) :: z"
      expect.fails("unsupported", function() acc "serial copy(z)" "z = q(null())" end)
    ]]
  end)

  it("are checked", function()
    check_errors(declarations, {
      ["a = t(1, 2)"] = "type-mismatch the component 'p' of type(t) has no value",
      ["a = t(1, 2, b, b, 5)"] = "type-mismatch type(t) has 4 components",
      ["a = t(y = 1)"] = "type-mismatch type(t) has no component 'y'",
      ["a = t(1, 2, null(), x = 3)"] = "type-mismatch the component 'x' is given twice",
      ["a = t('a', 2, null())"] = "type-mismatch character(1) cannot be assigned to k, which is integer",
      ["a = t(1, 2, c)"] = "type-mismatch c is not a target",
      ["a = base(1)"] = "type-mismatch type(base) cannot be assigned to a, which is type(t)",
      ["a = none()"] = "type-mismatch type(none) is abstract: there are no objects of it",
      ["print *, pair(1, 2)"] = "type-mismatch a value is needed, this is type(pair)",
    })
  end)
end)

describe("an argument of assumed rank", function()
  local declarations = [[
    real, target :: a(0:3) = 2
    real :: b(2,3) = 1
    integer :: n(2)
  contains
    subroutine tell(x)
      real :: x(..)
      print *, rank(x), size(x), shape(x)
      select rank (x)
      rank (0)
        x = 5
      rank (2)
        x(2,1) = 7
      rank default
        print *, 'default', rank(x), lbound(x)
      end select
    end subroutine tell
    subroutine used(x)
      real :: x(..)
      select rank (y => x)
      rank (1)
        !$acc parallel copy(y)
        y(1) = 10 * y(1)
        !$acc end parallel
      end select
      !$acc enter data copyin(x)
      !$acc exit data delete(x)
    end subroutine used
    subroutine wrong(x)
      real :: x(..)
      print *, x(1)
    end subroutine wrong
    subroutine whole(x)
      real :: x(..)
      x = 1
    end subroutine whole
    subroutine again(x)
      real :: x(..)
      call tell(x)
    end subroutine again
  ]]

  it("has the rank of what it is given", function()
    assert.equal("1 4 4\ndefault 1 1\n2 6 2 3\n7.0\n0 1\n5.0\n1 2 2\ndefault 1 1", printed([[
      call tell(a)
      call again(b)
      print *, b(2,1)
      call tell(a(2))
      print *, a(2)
      call tell(b(:,2))
    ]], declarations))
  end)

  it("stands in clauses, with its rank in select rank", function()
    local made = session(declarations)
    made:declare("call used(a)\ncall used(b)\nprint *, a(0)", "spec.lua", 1)
    assert.same({ "20.0" }, made:output())
  end)

  it("is checked", function()
    check_errors(declarations, {
      ["call wrong(a)"] = "type-mismatch x has assumed rank: its elements are known in select rank",
      ["call whole(a)"] = "type-mismatch x has assumed rank: select rank tells what can be assigned to",
      ["call tell(n)"] = "type-mismatch the argument 'x' is real, not integer",
      ["real :: c(..)"] = "syntax '..' is the shape of an argument, and stands alone",
      ["real, pointer :: p(:)\ncall s(p)\ncontains\nsubroutine s(x)\nreal, pointer :: x(..)\nend subroutine"] =
        "unsupported an argument of assumed rank that is pointer is not supported",
      ["select rank (a)\nrank (1)\nend select"] =
        "type-mismatch a has a rank: select rank takes an argument declared with (..)",
    })
  end)
end)
