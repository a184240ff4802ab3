-- Structure constructors of Fortran.
scenario { title = "Fortran: structure constructors", language = "fortran", rules = "openacc-3.3" }

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

case("accepts: a constructor has values in order, by name, and of the parent type [HOUSE-language]", function()
  is("1 2.5 F 1.0 2.0\n8 1.5 T F\n3 0.5 4.0 4.0 4.0", printed([[
    a = t(1, 2.5, null(), [1., 2.])
    print *, a%k, a%x, associated(a%p), a%v
    a = t(x = 1.5, p = b, base = base(8))
    print *, a%k, a%x, associated(a%p, b), allocated(a%v)
    a = t(x = 0.5, p = null(), v = b)
    print *, a%k, a%x, a%v
  ]]))
end)

case("accepts: each constructor makes a value of its own [HOUSE-language]", function()
  is("1 2\n1.0 9.0\n3 4.0", printed([[
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
  ]]))
end)

case("rejects: a kernel constructs an object with a descriptor [HOUSE-version]", function()
  fortran "type(pair) :: u(2)"
  acc "serial copy(u)" "u(2) = pair(7, r = 8.5)"
  expect.host("u(2)%r", 8.5)
  fortran "type q\nreal, pointer :: p\nend type\ntype(q) :: z"
  expect.fails("unsupported", function() acc "serial copy(z)" "z = q(null())" end)
end)

case("rejects: the components of a constructor are missing, doubled, or of another type"
  .. " [HOUSE-language HOUSE-names]", function()
  refuses {
    { "a = t(1, 2)", "type-mismatch the component 'p' of type(t) has no value" },
    { "a = t(1, 2, b, b, 5)", "type-mismatch type(t) has 4 components" },
    { "a = t(y = 1)", "type-mismatch type(t) has no component 'y'" },
    { "a = t(1, 2, null(), x = 3)", "type-mismatch the component 'x' is given twice" },
    { "a = t('a', 2, null())", "type-mismatch character(1) cannot be assigned to k, which is integer" },
    { "a = t(1, 2, c)", "type-mismatch c is not a target" },
    { "a = base(1)", "type-mismatch type(base) cannot be assigned to a, which is type(t)" },
    { "a = none()", "type-mismatch type(none) is abstract: there are no objects of it" },
    { "print *, pair(1, 2)", "type-mismatch a value is needed, this is type(pair)" },
  }
end)
