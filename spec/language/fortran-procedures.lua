-- Procedures of Fortran: arguments, results, recursion.
scenario { title = "Fortran: procedures", language = "fortran" }

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

case("accepts: an argument of assumed shape has bounds of its own [HOUSE-language]", function()
  is("5 7 2.0\n-1.0", printed("call assumed(a(2:6:2))\nprint *, a(2)"))
end)

case("accepts: an argument with explicit bounds names elements of the array [HOUSE-language]", function()
  is("2.0 2.0 6.0 4.0 10.0", printed("call explicit(a(1:5:2), 3)\nprint *, a(1:5)"))
end)

case("accepts: pointers and allocatables are arguments [HOUSE-language]", function()
  is("T 3.0 2 1.5", printed("call own(p, c)\nprint *, associated(p, a(3:4)), p(1), size(c), c(2)"))
end)

case("accepts: functions call themselves, and contain functions [HOUSE-language]", function()
  is("24 2.0 3.0", printed("print *, factorial(n), pair(2.0)"))
  is("F T", printed("call given(y = n)"))
end)

case("accepts: a scenario calls a procedure and reads what it prints [HOUSE-language]", function()
  fortran "call explicit(a(1:1), 1)"
  call "explicit(a(1:2), n - 2)"
  expect.host("a(1:2)", { 4, 4 })
  is("hello", printed "print *, 'hello'")
end)

case("rejects: an argument has another type, rank or size, or is missing [HOUSE-language]", function()
  refuses {
    { "call assumed(n)", "type-mismatch the argument 'x' is real, not integer" },
    { "call assumed(a(1))", "type-mismatch the argument 'x' is of rank 1, not 0" },
    { "call explicit(a, 11)", "out-of-bounds the argument 'x' has 11 elements, a has 10" },
    { "call explicit(a)", "type-mismatch the argument 'm' is missing" },
    { "call explicit(a, 1, 2)", "type-mismatch 'explicit' has 2 arguments" },
    { "call own(a, c)", "type-mismatch the argument 'q' is a pointer, a is not" },
    { "n = explicit(a, 1)", "type-mismatch 'explicit' is a subroutine" },
    { "call factorial(1)", "type-mismatch 'factorial' is a function" },
  }
end)

case("rejects: procedures are nested too deeply [HOUSE-limit]", function()
  expect.fails("limit", function()
    fortran "call s()\ncontains\nrecursive subroutine s()\ncall s()\nend subroutine"
  end, { message = "procedures are nested too deeply" })
end)
