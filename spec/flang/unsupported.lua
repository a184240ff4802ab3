-- Statements of Fortran that are not supported. The error comes before any statement of the text runs.
scenario { title = "Fortran: statements that are not supported", language = "fortran", rules = "openacc-3.3" }

fortran [[
  type base
    integer :: n
  end type
  integer :: i, x(3)
  i = 7
]]

for _, text in ipairs {
  "associate (z => x)\nz = 1\nend associate",
  "block\ninteger :: q\nend block",
  "do concurrent (i = 1:3)\nx(i) = 1\nend do",
  "forall (i=1:3) x(i) = i",
  "interface\nend interface",
  "enum, bind(c)\nend enum",
  "common /blk/ x",
  "equivalence (x, i)",
  "namelist /n/ x",
  "data x /3*0/",
  "goto 10",
  "open(unit=10, file='x')",
  "read(*,*) i",
  "write(10,*) i",
  "sync all",
  "critical\nend critical",
  "type t(k)\ninteger, kind :: k = 4\nreal(k) :: a\nend type",
  "type, extends(base) :: t(k)\ninteger, kind :: k = 4\nend type",
  "subroutine s()\nblock\nend block\nend subroutine",
  "x(x) = 1",
  "i = dot_product(x, x)",
  "call move_alloc(x, x)",
} do
  case(("rejects: a program has the unsupported statement %s"
    .. " [HOUSE-version]"):format(text:gsub("\n", "; ")), function()
    expect.fails("unsupported", function() fortran(text) end)
    local ok, err = pcall(fortran, "i = 8\n" .. text)
    expect.equal(ok, false)
    expect.equal(err.help ~= nil, true)
    if not text:find "^x" and not text:find "_" then expect.host("i", 7) end
  end)
end

case("accepts: the keywords of unsupported statements are names of variables, too [HOUSE-version]", function()
  fortran "integer :: block, data, open(2), critical\nblock = 3\ndata = 4\nopen(1) = 2\ncritical = block + open(1)"
  expect.host("critical", 5)
end)
