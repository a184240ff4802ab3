-- Values between Lua and a Fortran program.
scenario { title = "Lua: variables of a Fortran program", language = "fortran" }

fortran [[
  type point
    integer :: x, y
  end type point
  integer :: i = 3, list(4) = (/1, 2, 3, 4/), grid(2,3)
  real, target :: t(4)
  real, pointer :: p(:), pp(:,:)
  real, allocatable :: a(:)
  character(4) :: word = "abcd"
  type(point) :: pt
  t = (/1.0, 2.0, 3.0, 4.0/)
]]

local function refuses(code, message, fn) expect.fails(code, fn, { message = message }) end

case("accepts: tables give values to arrays, derived types and pointers, with indices from zero"
  .. " [HOUSE-language]", function()
  host.list = { 9, 8, 7, 6 }
  host.pt = { x = 1, y = 2 }
  host.p = { 1, 2, 3 }
  host.a = { 4, 5 }
  fortran "p => t(2:3)"
  expect.host("list(4) + pt%y", 8)
  expect.equal(host.p[1], 3)
  expect.host("a(2)", 5)
  expect.equal(host.word, "abcd")
end)

case("rejects: an element is out of bounds, or there are too many values [HOUSE-language ACC33-2.7.1-1]", function()
  refuses("out-of-bounds", "", function() return host.list[9] end)
  refuses("out-of-bounds", "", function() host.list = { 1, 2, 3, 4, 5 } end)
  refuses("out-of-bounds", "", function() host.grid = { { 1, 2, 3, 4, 5, 6, 7 } } end)
  fortran "p => t"
  refuses("out-of-bounds", "", function() return host.p[9] end)
end)

case("rejects: a variable of Fortran does not take the value [HOUSE-language]", function()
  refuses("type-mismatch", "", function() host.i = "one" end)
  refuses("type-mismatch", "", function() host.i = {} end)
  refuses("type-mismatch", "", function() host.pp = { 1, 2 } end)
  refuses("unknown-name", "'unheard'", function() host.unheard = 1 end)
  refuses("unknown-member", "'z'", function() host.pt.z = 1 end)
end)

case("rejects: a list for an array has names, an element 0 or a gap, and the array keeps its values [HOUSE-language]",
  function()
    host.a = { 4, 5 }
    refuses("type-mismatch", "has no name 'x'", function() host.list = { x = 1 } end)
    refuses("type-mismatch", "has no name 'x'", function() host.a = { 1, x = 2 } end)
    refuses("type-mismatch", "has no name 'x'", function() host.grid = { { 1, 2, 3 }, { 4, x = 5 } } end)
    refuses("type-mismatch", "an element 0 before the first one", function() host.a = { [0] = 1 } end)
    refuses("type-mismatch", "an element 3, but not all before it", function() host.list = { [3] = 1 } end)
    expect.host("a(2)", 5)
    expect.host("list(1) + size(a)", 3)
  end)

case("rejects: an array gets other subscripts or too many values, or a device pointer gets a list"
  .. " [HOUSE-language ACC33-2.7.1-1]", function()
  refuses("type-mismatch", "the array has 2 dimensions", function() return host.grid(1) end)
  refuses("type-mismatch", "the array has 1 dimension", function() return host.list(1, 2) end)
  refuses("out-of-bounds", "index 9 in dimension 1", function() return host.grid(9, 2) end)
  refuses("out-of-bounds", "7 values for 6", function() host.grid = { 1, 2, 3, 4, 5, 6, 7 } end)
  fortran "type holder\nreal, pointer :: p(:)\nend type\ntype(holder) :: held"
  refuses("type-mismatch", "pointer on the device", function()
    acc "parallel copy(held)" (function(d) d.held.p = { 1, 2 } end)
  end)
end)

case("rejects: a scenario in Fortran contains declarations of C [HOUSE-language]", function()
  refuses("type-mismatch", "a scenario in Fortran", function() declare "int k;" end)
end)
