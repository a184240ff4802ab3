-- Components that are aliases: they are attached to present data.
scenario { title = "FLANG: aliases among components", language = "fortran", rules = "tr14" }

fortran [[
  type holder
    real, pointer :: p(:), q(:)
    !$acc shape(two) default(exclude) include(p, q(@p))
    !$acc shape(alias) default(exclude) include(p(@))
  end type holder
  type(holder) :: h
  real, target :: a(4)
  a = (/1, 2, 3, 4/)
]]

case("accepts: a component is attached to present data, also backwards [TR14-3.5-01]", function()
  fortran "h%p => a(3:1:-1)"
  acc "enter data copyin(a)"
  acc "data copyin<alias>(h)" (function()
    expect.attached("h%p", 1)
    expect.device("h%p", { 3, 2, 1 })
    expect.count("a", { dynamic = 1 })
  end)
  expect.accepts "data present(h%p(@))"
  fortran "nullify(h%p)"
  expect.accepts("data copyin<alias>(h)", function() expect.detached "h%p" end)
end)

case("accepts: a component is attached together with the component that it points into [TR14-3.5-01]", function()
  fortran "h%p => a; h%q => a(2:3)"
  acc "data copyin<two>(h)" (function()
    expect.attached("h%p", 1)
    expect.attached("h%q", 1)
    expect.device("h%q", { 2, 3 })
  end)
  fortran "nullify(h%p)"
  expect.accepts("data copyin<two>(h)", function() expect.detached "h%q" end)
end)

case("rejects: an alias names absent data or no component, or has the spelling of C"
  .. " [TR14-3.5-01 TR14-4.2-09]", function()
  fortran "h%p => a"
  expect.fails("not-present", function() acc "data copyin<alias>(h)" end)
  fortran "h%p => a(3:4)"
  acc "enter data copyin(a(1:2))"
  expect.present "a(1:2)"
  expect.fails("not-present", function() acc "data copyin<alias>(h)" end)
  fortran "h%p => a"
  expect.invalid("data present(h(@))", "not-a-pointer")
  expect.malformed "data present(h%p[@])"
end)

-- --------------------------------------------------------------------------------- pointer variables --

local pointers = [[
  type qt
    integer :: n
    real, pointer :: own(:), b(:)
  end type
  type(qt) :: q
  real, target :: arr(10)
  real, pointer :: p(:), none(:)
  real, allocatable :: w(:)
  arr = 3
  allocate(q%own(10), w(4))
  q%own = 1
  q%b => q%own(3:8)
  p => arr(4:8)
  nullify(none)
]]

case("accepts: p(@) needs the first byte of the target of p to be present [TR14-3.5-01 TR14-3.5-03]", function()
  fortran(pointers)
  acc "enter data copyin(arr(3:6), w)" -- a part of the target of p
  acc "data present(p(@))" (function() expect.count("arr(3:6)", { dynamic = 1, structured = 1 }) end)
  acc "data present(w(@), none(@))" (function() expect.count("w", { dynamic = 1, structured = 1 }) end)
end)

case("accepts: p(@base) needs the byte of the base to be present, of a variable or an element"
  .. " [TR14-3.5-05 TR14-3.5-06]", function()
  fortran(pointers)
  acc "enter data copyin(arr(1:2))"
  acc "data present(p(@arr))" (function() expect.count("arr(1:2)", { dynamic = 1, structured = 1 }) end)
  expect.accepts "data present(p(@arr(2)))"
end)

case("rejects: '@' names absent data, or is in another clause [TR14-3.5-03 TR14-3.5-06 TR14-3.5-10]", function()
  fortran(pointers)
  expect.fails("not-present", function() acc "data present(p(@))" (function() end) end)
  acc "enter data copyin(arr(4:8))"
  expect.present "arr(4:8)"
  expect.fails("not-present", function() acc "data present(p(@arr))" (function() end) end)
  expect.invalid("data copyin(p(@))", "clause-not-allowed")
  expect.invalid("data present(arr(@))", "not-a-pointer")
  expect.invalid("data present(p(@nothere))", "unknown-name")
end)

for _, clause in ipairs { "present(q%b(@q%own))", "present(q%b(@own))", "present(q%b(@))",
  "present(q%b(@q%own(2)))" } do
  local refused = clause:find "own%(2"
  case(("%s: a construct has %s and a copy of the component that it points into"
    .. " [TR14-3.5-01 TR14-3.5-05]"):format(
    refused and "rejects" or "accepts", clause), function()
      fortran(pointers)
      local text = ("data copyin(q%%own) %s"):format(clause)
      if refused then return expect.invalid(text, "unsupported") end
      acc(text)(function()
        expect.attached("q%b", 1)
        expect.device("q%b(1)", 1)
      end)
    end)
end

case("accepts: a component's '@' in a nest needs one byte to be present [TR14-3.5-03]", function()
  fortran(pointers)
  fortran "q%b => arr(4:8)"
  acc "enter data copyin(arr(3:6))"
  acc "data copyin(q)::{ include(b(@)) }" (function() expect.device("q%b(1)", 3) end)
end)
