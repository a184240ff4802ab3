-- The statement where of Fortran: masks, elsewhere, kernels.
scenario { title = "Fortran: where", language = "fortran", rules = "openacc-3.3" }

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

case("accepts: where assigns to the elements that its mask selects [HOUSE-language]", function()
  is("0 2 0 4\n100 9 33 9\n1 -1 1 -1\n5 8 7 8", printed [[
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

case("accepts: the mask is computed once, and reductions use whole arrays [HOUSE-language]", function()
  is("10 0 10 0\n11 12 3 4", printed [[
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

case("accepts: a kernel contains where [HOUSE-language]", function()
  fortran "real :: x(3) = [1, 2, 3]"
  acc "serial copy(x)" "where (x > 1)\n x = x * 10\n end where"
  expect.host("x", { 1, 20, 30 })
end)

case("rejects: a mask or an assignment of where has another type, shape or form"
  .. " [HOUSE-language HOUSE-syntax HOUSE-version]", function()
  fortran "integer :: a(4), k\ninteger, pointer :: p(:)\ntype t\ninteger :: k\nend type\ntype(t) :: x(4)"
  refuses {
    { "where (a) a = 1", "type-mismatch a logical value is needed, this is integer" },
    { "where (k > 1) a = 1", "type-mismatch the mask of where is an array" },
    { "where (a > 1) k = 1", "type-mismatch where assigns to arrays" },
    { "where (a(1:2) > 1) a = 1", "type-mismatch the shapes (4) and (2) differ" },
    { "where (a > 1)\na = 1\nelsewhere (a(1:2) > 0)\na = 2\nend where",
      "type-mismatch the shapes (4) and (2) differ" },
    { "where (a > 1) p => a", "syntax where takes assignments of values" },
    { "where (a > 1) x = x(1)", "unsupported where assigns to intrinsic types here" },
    { "where (a > 1)\nprint *, a\nend where", "syntax expected a statement or 'end where', found 'print'" },
    { "where (a > 1)\na = 1", "syntax expected a statement or 'end where', found end of the text" },
  }
end)
