-- Chapter 3 in Fortran's spelling: '%' and parentheses where C has '.' and brackets.
scenario { title = "TR14 3: directives in Fortran", language = "fortran", rules = "tr14" }

fortran [[
  type deep
    integer :: n
    real, allocatable :: a(:), b(:)
    !$acc policy(only_a) default(exclude) copy(a)
  end type deep
  type(deep) :: x, y
  x%n = 4
  x%a = (/1, 2, 3, 4/)
  x%b = (/5, 6, 7, 8/)
  y = x
]]

local function steps(text)
  local list = {}
  for i, event in ipairs(events(function() acc(text) (function() end) end)) do list[i] = tostring(event) end
  expect(#list > 0)
  return list
end

case("accepts: a component in a shape has a section [TR14-3.1.1-04]", function()
  fortran [[
    type part
      integer :: n
      real, pointer :: a(:)
      !$acc shape init_needed(n) include(a(2:n))
    end type part
    type(part) :: z
    z%n = 3
    allocate(z%a(4))
    z%a = (/1, 2, 3, 4/)
  ]]
  acc "data copyin(z)" (function()
    expect.present "z%a(2:3)"
    expect.absent "z%a(1)"
    expect.absent "z%a(4)"
    expect.device("z%a(3)", 3)
  end)
end)

case("rejects: a shape uses the brackets of C [TR14-3.1.1-04 HOUSE-syntax]", function()
  expect.malformed "type t\n integer, pointer :: a(:)\n !$acc shape include(a[0:1])\n end type t"
end)

case("accepts: a type contains a policy, and invoke uses it [TR14-3.2.1-01]", function()
  acc "data invoke<only_a>(x)" (function()
    expect.present "x%a"
    expect.absent "x%b"
    acc "serial" "x%a(1) = 10"
  end)
  expect.host("x%a", { 10, 2, 3, 4 })
end)

case("rejects: a policy has no name [TR14-3.2.1-01]", function()
  expect.malformed "type t\n real, pointer :: a\n !$acc policy copy(a)\n end type t"
end)

case("accepts: a nest is about the objects of its clause [TR14-3.3-04]", function()
  acc "data copyin(x)::{ exclude(b) } copyin(y)" (function()
    expect.absent "x%b"
    expect.present "y%b"
  end)
end)

case("differs: the next directive does not know the nest [TR14-3.3-04]", function()
  expect.accepts("data copyin(x)::{ exclude(b) }", function() expect.absent "x%b" end)
  acc "data copyin(x)" (function() expect.present "x%b" end)
end)

local function grids()
  fortran [[
    type grids
      integer, allocatable :: z(:,:), c(:,:,:)
      integer :: fix(0:1, 3)
    end type grids
    type(grids) :: g
    integer :: k
    allocate(g%z(0:1, 3), g%c(2, 2, 2))
    g%z = 4
    g%c = 5
    g%fix = 6
    k = 1
  ]]
end

case("accepts: a section of a component is whole rows or a part of one row [TR14-3.4-03 ACC33-2.7.1-4]", function()
  grids()
  acc "enter data copyin(g)"
  fortran "g%z(:,2) = 40\ng%c(:,1,2) = 50\ng%fix(1,:) = 60"
  acc "update device(g%z(0:k, 2:2), g%c(1:2, 1:1, 2:2), g%fix(k:k, 2:2))"
  expect.device("g%z", { { 4, 40, 4 }, { 4, 40, 4 } })
  expect.device("g%c(1,1,2)", 50)
  expect.device("g%c(2,1,2)", 50)
  expect.device("g%c(1,2,2)", 5)
  expect.device("g%fix", { { 6, 6, 6 }, { 6, 60, 6 } })
  fortran "g%z = 7\ng%c(k, k, k) = 8"
  acc "update device(g%z(0:1, 1:k + 1), g%c(k:k, k:k, k:k))"
  expect.device("g%z", { { 7, 7, 4 }, { 7, 7, 4 } })
  expect.device("g%c(1,1,1)", 8)
  expect.device("g%c(2,1,1)", 5)
end)

case("rejects: a section of a component has gaps [TR14-3.4-03 ACC33-2.7.1-4]", function()
  grids()
  acc "enter data copyin(g)"
  expect.fails("invalid-section", { "update device(g%z(k:k, 1:2))", "update device(g%z(0:1, 1:3), g%c(1:2, 1:1, 1:2))",
    "update device(@g%fix(0:0, 1:2))" })
end)

case("accepts: clause(base%component) takes a component with or without a section [TR14-3.4-03]", function()
  acc "data copyin(x%a)" (function()
    expect.attached("x%a", 1)
    expect.detached "x%b"
  end)
  acc "data copyin(x%a(2:3))" (function()
    expect.attached("x%a", 1)
    expect.absent "x%a(1)"
    expect.device("x%a(3)", 3)
  end)
end)

case("rejects: a directive uses the dot and brackets of C [TR14-3.4-03 HOUSE-syntax]", function()
  expect.malformed "data copyin(x.a)"
  expect.malformed "data copyin(x%a[1:2])"
end)

case("accepts: one component is lowered to a nest that excludes the others [TR14-3.4-05]", function()
  expect.equal(steps "data copy(x%a)", steps "data invoke<>(x)::{ default(exclude) copy(a) }")
end)

case("differs: a variable without an object around it needs no nest [TR14-3.4-05]", function()
  fortran "real, allocatable :: v(:)\n allocate(v(2))"
  acc "data copyin(v)" (function() expect.equal(#state().present, 1) end)
end)

case("accepts: the clause of the object is the default [TR14-3.4-07]", function()
  expect.equal(steps "data create(x) copyin(x%a)", steps "data invoke<>(x)::{ default(create) copyin(a) }")
end)

case("rejects: two clauses name the object [TR14-3.4-07]", function()
  expect.invalid("data create(x) copyin(x) copyin(x%a)", "duplicate-clause")
end)

case("accepts: <> alone is a shallow copy, although components describe themselves [TR14-3.3-11]", function()
  fortran [[
    type around
      type(deep) :: in
      type(deep), allocatable :: list(:)
    end type around
    type(around) :: w
    w%in = x
    allocate(w%list(1))
    w%list(1) = y
  ]]
  expect.equal(steps "data copyin<>(x)", { "alloc x", "h2d x", "incref x", "decref x", "free x" })
  expect.accepts("data copyin<>(w)", function()
    expect.absent "w%list"
    expect.absent "w%in%a"
  end)
end)

local sections = [[
  type inner
    real, allocatable :: a(:)
  end type inner
  type each
    integer :: n
    type(inner) :: m
    real, allocatable :: a(:)
  end type each
  type(each), allocatable :: p(:)
  allocate(p(2))
  allocate(p(1)%a(1), p(2)%a(2), p(1)%m%a(3), p(2)%m%a(4))
]]

case("rejects: a component follows a section; the error prints the nest that works [TR14-3.4-02]", function()
  fortran(sections)
  for text, nest in pairs {
    ["data copy(p(:)%a(:))"] = "data invoke<>(p(:))::{ default(exclude) copy(a) }",
    ["data create(p%m%a)"] = "data invoke<>(p)::{ default(exclude) invoke<>(m)::{ default(exclude) create(a) } }",
    ["data copyin(p(1:2)%a(1:1))"] = "data invoke<>(p(1:2))::{ default(exclude) copyin(a(1:1)) }",
  } do
    expect.equal(expect.fails("syntax", function() acc(text) end).help, "each element has bounds of its own: " .. nest)
    acc(nest) (function() expect(#state().present > 0) end)
  end
end)

case("accepts: descriptors under tr14x give the length for each element [TR14-3.4-02]", function()
  rules "tr14x"
  fortran(sections)
  for _, text in ipairs { "p(:)%m%a(:)", "p%m%a" } do
    acc("data create(" .. text .. ")") (function()
      expect.present "p(1)%m%a"
      expect.present "p(2)%m%a"
      expect.absent "p(1)%a"
    end)
  end
end)

case("rejects: wrong bounds in shapes are reported where they are written [TR14-3.1.1-21 TR14-4.3-18]", function()
  local function text(shape, more)
    return ("type t\ninteger :: n\nreal, allocatable :: a(:)\ntype(t), pointer :: next\n!$acc %s\nend type\n%s"):format(
      shape, more or "")
  end
  expect.invalid(text "shape include(a(1:m)) exclude(next)", "unknown-name")
  expect.invalid(text "policy(p) default(exclude) copy(a(1:m))", "unknown-name")
  expect.invalid(text "shape include(a(1:n))", "recursive-type")
  expect.invalid(text "shape include(a(@a)) exclude(next)", "invalid-section")
  local err = expect.fails("unknown-name", function() fortran(text "shape include(a(1:m)) exclude(next)") end)
  expect.equal(err.rule, "TR14-3.1.1-21")
  expect.equal(err.text_line, 5)
end)

case("accepts: bounds in shapes may use names of the same text [TR14-3.1.1-21]", function()
  fortran [[
    type t
      real, allocatable :: a(:)
      !$acc shape include(a(1:later))
    end type
    integer :: later = 2
    type(t) :: x
    allocate(x%a(4))
  ]]
  acc "data copyin(x)" (function() expect.present "x%a(2)" expect.absent "x%a(3)" end)
  -- and those of a procedure
  fortran [[
    subroutine s(m)
      integer, intent(in) :: m
      type inner
        real, allocatable :: a(:)
        !$acc shape include(a(1:m))
      end type
      type(inner) :: y
      allocate(y%a(4))
      !$acc data copyin(y)
      !$acc end data
    end subroutine
  ]]
  call "s(3)"
end)

case("rejects: a component of a scalar is named [TR14-3.4-03 HOUSE-language]", function()
  for _, text in ipairs { "data copy(x%n%a)", "update self(x%n%a)", "enter data copyin(x%n%a(1:2))" } do
    local err = expect.fails("not-a-struct", function() acc(text) end)
    expect.equal(err.message, "x%n is integer: it has no components")
  end
end)
