-- Complex numbers of Fortran: arithmetic, parts, conversions, values in a scenario.
scenario { title = "Fortran: complex numbers", language = "fortran", rules = "openacc-3.3" }

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

case("accepts: complex numbers are added, multiplied, divided, raised and compared [HOUSE-language]", function()
  is("(5.0,5.0) (-1.0,-3.0) (8.0,1.0) (-0.5,-0.5)\n"
    .. "(-3.0,4.0) (1.0,0.0) (0.0,-1.0)\nT F T\n(-1.0,-2.0) (3.0,4.0)",
    printed [[
      complex :: z = (1.0, 2.0), w = (2, 3)
      print *, z * (3.0, -1.0), z - w - z + (1, 0), z * w + (12, -6), (1.0, -1.0) / (0, 2)
      print *, z ** 2, z ** 0, (0, 1) ** (-1)
      print *, z == (1.0, 2.0), z == w, z /= 1
      print *, -z, +w + 1 + (0, 1)
    ]])
  is("T 25.0 (0.0,0.0)", printed [[
    complex(8) :: i = (-1.0d0, 0)
    print *, abs(i ** (0.5d0, 0) - (0, 1)) < 1e-12, abs((7.0d0, 24.0d0)), (0, 0) ** (0.5, 0)
  ]])
end)

case("accepts: parts of complex numbers, and intrinsic functions of them [HOUSE-language]", function()
  is("1.0 2.0 (1.0,-2.0) 8 4\n"
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

case("accepts: an assignment converts complex numbers [HOUSE-language]", function()
  is("2.5 2 (2.0,0.0) (2.5,1.5)", printed [[
    real :: r
    integer :: i
    complex :: z = (2.5, 1.5), w
    complex(8) :: d
    r = z; i = z; w = i; d = z
    print *, r, i, w, d
  ]])
end)

case("accepts: a scenario gives complex numbers as lists of two, and maps them [HOUSE-language]", function()
  fortran "complex :: z = (1, 2), a(2,2) = (1, 0)\ncomplex(8), allocatable :: c(:)\nallocate(c(3))\nc = (0, 1)"
  expect.equal(host.z, { 1, 2 })
  host.z = { 3, 4 } expect.host("z%im", 4)
  host.c = { { 1, 1 }, 2, { 3, 0 } } expect.host("c", { { 1, 1 }, { 2, 0 }, { 3, 0 } })
  expect.equal(events(function() acc "enter data copyin(c)" end)[1].bytes, 48)
  acc "serial copy(a)" "a(2,1) = c(2) * (0, 1); a(1,2)%im = 5"
  expect.host("a", { { { 1, 0 }, { 1, 5 } }, { { 0, 2 }, { 1, 0 } } })
  expect.fails("type-mismatch", function() host.z = { 1, 2, 3 } end)
  expect.fails("type-mismatch", function() host.z = "1" end)
end)

case("rejects: an operand or a part of a complex number has another type or kind"
  .. " [HOUSE-language HOUSE-names HOUSE-syntax]", function()
  fortran "complex :: z\nreal :: r"
  refuses {
    { "complex(3) :: a", "unknown-type there is no complex of kind 3" },
    { "print *, z < z", "type-mismatch a number is needed, this is complex" },
    { "print *, max(z, z)", "type-mismatch a number is needed, this is complex" },
    { "print *, (r, 1)", "type-mismatch the parts of a complex number are constants" },
    { "print *, (1, .true.)", "syntax expected ')', found ','" },
    { "print *, aimag(r)", "type-mismatch a complex is needed, this is real" },
    { "print *, cmplx(z, 1)", "type-mismatch a number is needed, this is complex" },
    { "print *, nint(z)", "type-mismatch a number is needed, this is complex" },
    { "print *, z%x", "not-a-struct z is complex: it has no components" },
    { "z = 'a'", "type-mismatch character(1) cannot be assigned to z, which is complex" },
  }
end)
