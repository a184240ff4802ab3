-- Plans of directives on Fortran's variables, and the places of errors and events. The specification has what they do.
local support = require "tests.lua.support"

local HEAD = [[
  scenario { language = "fortran", rules = "openacc-3.3" }
  fortran "integer :: n\nreal :: a(0:9), b(2,3), c(3)"
]]

describe("the place of a directive in a text of Fortran", function()
  it("is that of its line", function()
    local err = support.fails(HEAD .. [=[
fortran [[
  !$acc enter data copyin(a)
  n = 1
  !$acc enter data &
  !$acc   create(b) copyin(c, zz)
]]
]=])
    assert.same({ "unknown-name", 7, 31 }, { err.code, err.line, err.column })
    support.holds(HEAD .. [=[
      local list = events(function()
        fortran [[
          n = 2
          !$acc enter data copyin(b)
        ]]
      end)
      expect.equal(list[1].at, "spec.lua:6")
    ]=])
  end)

  it("is that of the component, in errors about types", function()
    local err = support.fails(HEAD:gsub("openacc%-3.3", "tr14") .. [=[
fortran [[
  type node
    integer :: n
    type(node), pointer :: next
  end type node
  type(node) :: list
]]
acc "enter data copyin(list)"
]=])
    assert.same({ "recursive-type", 6, 28 }, { err.code, err.line, err.column })
  end)
end)

describe("a plan of Fortran", function()
  local function session(text)
    local made = support.session(nil, { language = "fortran", rules = "openacc-3.3" })
    made:declare(text, "spec.lua", 1)
    return made
  end
  -- The plan that stands for a directive after it was met once more.
  local function plan_of(made, text)
    made:directive(text, nil, "spec.lua", 9)
    return made.caches.prepared[text]["spec.lua"][9]
  end
  local function bytes(made)
    local list = {}
    for i, object in ipairs(made.ctx:present(0)) do list[i] = object.bytes end
    table.sort(list)
    return list
  end
  after_each(support.close_all)

  it("serves again while what it was made from is the same", function()
    local made = session "real :: a(8)\nreal, pointer :: p(:)\ninteger :: n = 2\nallocate(p(4))"
    local text = "enter data copyin(a(1:n), p)"
    local first = plan_of(made, text)
    assert.equal(first, plan_of(made, text))
    assert.same({ 8, 16 }, bytes(made))
    made:directive("exit data delete(a(1:n), p) finalize", nil, "spec.lua", 10)
    made:declare("n = 3", "spec.lua", 2)
    assert.is_true(first ~= plan_of(made, text))
    assert.same({ 12, 16 }, bytes(made))
    local second = made.caches.prepared[text]["spec.lua"][9]
    made:declare("p(0:) => p", "spec.lua", 2)
    assert.is_true(second ~= plan_of(made, text))
  end)

  it("is made anew for other variables of the same name", function()
    local made = session [[
      real, target :: a(4), b(2)
    contains
      subroutine put(z)
        real :: z(:)
        !$acc enter data copyin(z)
      end subroutine put
    ]]
    made:declare("call put(a)\ncall put(b)\ncall put(a)", "spec.lua", 1)
    assert.same({ 8, 16 }, bytes(made))
    local inner = made:inner()
    local text = "enter data create(b)"
    local first = plan_of(inner, text)
    inner:declare("real :: b(5)", "spec.lua", 1)
    assert.is_true(first ~= plan_of(inner, text))
    inner:close()
  end)

  it("is made anew where a function says what is named", function()
    local made = session "real :: a(8)\ncontains\ninteger function f()\nprint *, 'f'\nf = 2\nend function"
    made:directive("enter data copyin(a(1:f()))", nil, "spec.lua", 9)
    made:directive("enter data copyin(a(1:f()))", nil, "spec.lua", 9)
    assert.same({ "f", "f" }, made:output())
  end)
end)
