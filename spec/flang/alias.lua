-- Components that are aliases: what they describe is present, and they are attached to it.
scenario { title = "FLANG: aliases among components", language = "fortran", rules = "tr14",
  cites = { "TR14-3.5-01" } }

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

case("accepts: a component is attached to what is present, backwards too [TR14-3.5-01]", function()
  fortran "h%p => a(3:1:-1)"
  acc "enter data copyin(a)"
  acc "data copyin<alias>(h)" (function()
    expect.attached("h%p", 1)
    expect.device("h%p", { 3, 2, 1 })
    expect.count("a", { dynamic = 1 })
  end)
  acc "data present(h%p(@))" (function() end)
  fortran "nullify(h%p)"
  acc "data copyin<alias>(h)" (function() expect.detached "h%p" end)
end)

case("accepts: a component beside another that it points into [TR14-3.5-01]", function()
  fortran "h%p => a; h%q => a(2:3)"
  acc "data copyin<two>(h)" (function()
    expect.attached("h%p", 1)
    expect.attached("h%q", 1)
    expect.device("h%q", { 2, 3 })
  end)
  fortran "nullify(h%p)"
  acc "data copyin<two>(h)" (function() expect.detached "h%q" end)
end)

case("rejects: an alias of what is absent, of no component, and C's spelling [TR14-3.5-01]", function()
  fortran "h%p => a"
  expect.fails("not-present", function() acc "data copyin<alias>(h)" end)
  acc "enter data copyin(a(1:2))"
  expect.fails("partially-present", function() acc "data copyin<alias>(h)" end)
  expect.invalid("data present(h(@))", "not-a-pointer")
  expect.malformed "data present(h%p[@])"
end)
