-- Pointers to sections with gaps. The gaps are present and have device memory, as the device's descriptor keeps the
-- strides of the host. But their bytes are never copied, as the clause does not name them.
scenario { title = "FLANG: targets with gaps", language = "fortran", rules = "openacc-3.3" }

local program = [[
  type ty1
    real, pointer :: p(:,:)
  end type ty1
  type cell
    integer :: n
    real, allocatable :: a(:)
  end type cell
  type holder
    type(cell), pointer :: c(:)
  end type holder
  type(ty1) :: d
  type(holder) :: h
  real, target :: a(10,3)
  type(cell), target :: cells(5)
  real, pointer :: p(:,:), back(:)
  type(cell), pointer :: c(:)
  integer :: i
  a = reshape((/(i, i = 1, 30)/), (/10, 3/))
  p => a(1:10:2,:)
  d%p => a(1:10:2,:)
  back => a(9:1:-4,2)
  do i = 1, 5
    cells(i)%n = i
    allocate(cells(i)%a(2))
    cells(i)%a = i
  end do
  c => cells(1:5:2)
  h%c => cells(5:1:-2)
]]

local function with(profile)
  rules(profile)
  fortran(program)
end

-- The section has the rows 1, 3, 5, 7 and 9 of a. The host changes the other rows, and they keep these values.
local function meanwhile() fortran "a(2:10:2,:) = -1" end

local function stays(first, last)
  for _, row in ipairs { 2, 8, 10 } do
    expect.host(("a(%d,:)"):format(row), { -1, -1, -1 })
  end
  expect.host("a(1,1)", first)
  expect.host("a(9,3)", last)
end

for _, profile in ipairs { "openacc-3.3", "tr14" } do
  for _, name in ipairs { "p", "d%p" } do
    local function about(text) return ("%s, for %s under %s [ACC33-upd-2]"):format(text, name, profile) end
    local function begin()
      with(profile)
      if name == "d%p" and profile ~= "tr14" then
        acc "enter data copyin(d)"
        expect.present "d"
      end
      meanwhile()
    end
    local bytes = 15 * 4

    case(about "accepts: copy transfers only the elements, both ways", function()
      begin()
      local region
      expect.moves(function() region = acc(("data copy(%s)"):format(name)) end, { h2d = { bytes = bytes } })
      acc(("serial present(%s)"):format(name)) (("%s = 2 * %s"):format(name, name))
      fortran "a(2:10:2,:) = -2"
      expect.moves(function() region:close() end, { d2h = { bytes = bytes } })
      fortran "a(2:10:2,:) = a(2:10:2,:) + 1"
      stays(2, 58)
    end)

    case(about "accepts: exit data copyout transfers only the elements", function()
      begin()
      acc(("enter data create(%s)"):format(name))
      acc(("serial present(%s)"):format(name)) (("%s = 7"):format(name))
      expect.moves(function() acc(("exit data copyout(%s)"):format(name)) end, { h2d = 0, d2h = 1 })
      stays(7, 7)
    end)

    case(about "accepts: update transfers only the elements, both ways", function()
      begin()
      acc(("enter data create(%s)"):format(name))
      fortran "a(1:9:2,:) = 5"
      expect.moves(function() acc(("update device(%s)"):format(name)) end, { h2d = { bytes = bytes } })
      acc(("serial present(%s)"):format(name)) (("%s = %s + 1"):format(name, name))
      expect.moves(function() acc(("update self(%s)"):format(name)) end, { d2h = { bytes = bytes } })
      stays(6, 6)
    end)

    case(about "differs: bytes in a gap were never sent", function()
      begin()
      acc(("enter data copyin(%s)"):format(name))
      expect.present "a(1:9,1)" -- the range that covers the section
      expect.device("a(1,1)", 1)
      expect.device("a(9,3)", 29)
      expect.fails("uninitialized-read", function() expect.device("a(2,1)", -1) end)
      expect.fails("not-present", function() expect.device("a(10,3)", -1) end) -- after the last element
    end)
  end

  case(("accepts: copy transfers the elements of a backward section with larger gaps under %s"
    .. " [ACC33-upd-2]"):format(profile), function()
    with(profile)
    local region = acc "data copy(back)"
    fortran "a(:,2) = 0"
    acc "serial present(back)" "back(1) = back(1) + back(3)"
    region:close()
    expect.host("a(:,2)", { 11, 0, 0, 0, 15, 0, 0, 0, 30, 0 })
  end)
end

case("accepts: the whole array is copied if another clause names the array [ACC33-upd-2]", function()
  with "openacc-3.3"
  acc "data copy(p) copyin(a)" (function()
    expect.device("a(2,1)", 2)
    acc "serial present(a)" "a = 3"
    fortran "a = 0"
  end)
  expect.host("a(1:4,1)", { 3, 0, 3, 0 })
  local region = acc "data copy(p) copyout(a)"
  acc "serial present(a)" "a = 4"
  region:close()
  expect.host("a(1:4,1)", { 4, 4, 4, 4 })
end)

case("accepts: a pointer to contiguous elements needs one copy [ACC33-upd-2]", function()
  with "openacc-3.3"
  fortran "p => a(:,2:3)"
  expect.moves(function() acc "enter data copyin(p)" end, { h2d = { count = 1, bytes = 80 } })
  fortran "p => a(:,1:3:2)"
  acc "exit data delete(a(:,2:3))"
  expect.moves(function() acc "enter data copyin(p)" end, { h2d = { count = 1, bytes = 80 } })
  expect.fails("uninitialized-read", function() expect.device("a(1,2)", 11) end)
end)

case("accepts: update copies a part with gaps around its elements [ACC33-upd-2]", function()
  with "openacc-3.3"
  acc "enter data copyin(a)"
  acc "serial present(a)" "a = 0"
  fortran "a = 50"
  acc "update self(a(2,:))"
  expect.host("a(1:3,1)", { 50, 0, 50 })
  acc "update device(a(1:5:4,3))"
  expect.device("a(1:5,3)", { 50, 0, 0, 0, 50 })
end)

-- Of an array of a derived type, only the elements of the section are mapped with their components.
case("accepts: elements of a derived type are copied with their components [ACC33-2.7.1-4]", function()
  with "tr14"
  acc "data copy(c)" (function()
    expect.present "cells(3)%a"
    expect.absent "cells(2)%a"
    fortran "cells(2)%n = 20"
    acc "serial present(c)" "c(2)%n = 30\n c(2)%a(1) = 31"
  end)
  expect.host("cells(2)%n", 20)
  expect.host("cells(3)%n", 30)
  expect.host("cells(3)%a", { 31, 3 })
end)

case("accepts: elements that a component points to are copied with their components [FLANG-composite-1]", function()
  with "tr14"
  acc "data copy(h)" (function()
    expect.attached("h%c", 1)
    expect.attached("cells(5)%a", 1)
    expect.detached "cells(4)%a"
    expect.absent "cells(4)%a"
    fortran "cells(4)%n = 40"
    acc "serial present(h)" "h%c(1)%n = 50\n h%c(1)%a = 51"
  end)
  expect.host("cells(4)%n", 40)
  expect.host("cells(5)%n", 50)
  expect.host("cells(5)%a", { 51, 51 })
end)

case("rejects: a data clause names a part with gaps [ACC33-2.7.1-4]", function()
  with "openacc-3.3"
  expect.invalid("enter data copyin(a(1:10:2,:))", "invalid-section")
  expect.invalid("data copy(p(:,2))", "invalid-section")
end)
