-- Dummy arguments of assumed rank, and select rank.
scenario { title = "Fortran: assumed rank", language = "fortran", rules = "openacc-3.3" }

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

case("accepts: an argument has the rank of the actual argument [HOUSE-language]", function()
  is("1 4 4\ndefault 1 1\n2 6 2 3\n7.0\n0 1\n5.0\n1 2 2\ndefault 1 1", printed([[
    call tell(a)
    call again(b)
    print *, b(2,1)
    call tell(a(2))
    print *, a(2)
    call tell(b(:,2))
  ]]))
end)

case("accepts: select rank and clauses use the argument with its rank [HOUSE-language FLANG-other-1]", function()
  is("20.0", printed "call used(a)\ncall used(b)\nprint *, a(0)")
end)

case("rejects: an argument of assumed rank is used outside of select rank, or is declared otherwise"
  .. " [HOUSE-language HOUSE-syntax HOUSE-version]", function()
  refuses {
    { "call wrong(a)", "type-mismatch x has assumed rank: its elements are known in select rank" },
    { "call whole(a)", "type-mismatch x has assumed rank: select rank tells what can be assigned to" },
    { "call tell(n)", "type-mismatch the argument 'x' is real, not integer" },
    { "real :: c(..)", "syntax '..' is the shape of an argument, and stands alone" },
    { "real, pointer :: p(:)\ncall s(p)\ncontains\nsubroutine s(x)\nreal, pointer :: x(..)\nend subroutine",
      "unsupported an argument of assumed rank that is pointer is not supported" },
    { "select rank (a)\nrank (1)\nend select",
      "type-mismatch a has a rank: select rank takes an argument declared with (..)" },
  }
end)
