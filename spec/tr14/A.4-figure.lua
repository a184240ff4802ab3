-- Figure A.4: shapes of derived types, whose allocatable components describe themselves.
-- The figure leaves its data regions open, and declares CompoundType after them; Fortran requires declarations
-- first. Here the regions are closed, and the type is declared before its uses.
scenario { title = "TR14 A.4: shapes in Fortran", language = "fortran", rules = "tr14" }

fortran [[
  type DeepType
    real,allocatable :: A(:)
    real,allocatable :: B(:)
    real,allocatable :: C(:)
    !$acc shape(not_c) exclude(C)
  end type DeepType

  type CompoundType
    type(DeepType), allocatable :: d1(:)
    real, allocatable :: raw
    !$acc shape exclude(raw) include<not_c>(d1)
  end type CompoundType

  type(DeepType) :: X
  type(CompoundType) :: Z
  X%A = (/1, 2, 3/)
  X%B = (/4, 5, 6/)
  allocate(X%C(-1:0))
  X%C = 7
  allocate(Z%d1(2), Z%raw)
  Z%d1 = X
  Z%raw = 8
]]

-- Steps that are not about counters.
local function steps(run)
  local list = {}
  for _, event in ipairs(events(run)) do
    if event.op ~= "incref" and event.op ~= "decref" then list[#list + 1] = tostring(event) end
  end
  return list
end

case("accepts: copy(X) is a full deep copy without any shape [TR14-A.4-01 TR14-1.1-05]", function()
  local region
  expect.equal(steps(function() region = acc "data copy(X)" end), {
    "alloc x", "alloc x%a", "alloc x%b", "alloc x%c", "h2d x", "h2d x%a", "h2d x%b", "h2d x%c",
    "attach x%a", "attach x%b", "attach x%c" })
  acc "parallel" [[
    x%a = x%a + x%b
    x%c(-1) = lbound(x%c, 1)
  ]]
  expect.host("x%a", { 1, 2, 3 })
  -- x itself has only descriptors: nothing is copied back
  expect.equal(steps(function() region:close() end), {
    "detach x%a", "detach x%b", "detach x%c", "d2h x%a", "d2h x%b", "d2h x%c",
    "free x", "free x%a", "free x%b", "free x%c" })
  expect.host("x%a", { 5, 7, 9 })
  expect.host("x%c", { -1, 7 })
end)

case("accepts: copyin<not_c>(X) maps only A and B [TR14-A.4-01]", function()
  expect.equal(steps(function() acc "data copyin<not_c>(X)" (function() expect.detached "x%c" end) end), {
    "alloc x", "alloc x%a", "alloc x%b", "h2d x", "h2d x%a", "h2d x%b", "attach x%a", "attach x%b",
    "detach x%a", "detach x%b", "free x", "free x%a", "free x%b" })
end)

case("rejects: not_c excludes C [TR14-A.4-01 TR14-3.1.2-08]", function()
  acc "data copyin<not_c>(X)" (function()
    expect.absent "x%c"
    expect.fails("excluded-member", function() acc "serial present<not_c>(X)" "x%c(0) = 2" end)
    expect.fails("not-present", function() acc "serial present(X)" "x%a(1) = 2" end)
  end)
  expect.invalid("data copy<not_d>(X)", "unknown-shape")
end)

case("accepts: every element of d1 has its own shape, and raw is not mapped [TR14-A.4-02]", function()
  acc "data copy(Z)" (function()
    expect.attached("z%d1", 1)
    for k = 1, 2 do
      expect.attached(("z%%d1(%d)%%a"):format(k), 1)
      expect.attached(("z%%d1(%d)%%b"):format(k), 1)
      expect.absent(("z%%d1(%d)%%c"):format(k))
    end
    expect.equal(#state().present, 2 + 2 * 2)
    acc "serial" "z%d1(2)%a(3) = size(z%d1) + z%d1(1)%b(2)"
  end)
  expect.host("z%d1(2)%a", { 1, 2, 7 })
  expect.equal(#state().present, 0)
end)

case("differs: raw and C of the elements cannot be used [TR14-A.4-02]", function()
  expect.accepts("data copy(Z)", function()
    expect.absent "z%raw"
    expect.detached "z%raw"
    expect.fails("excluded-member", function() acc "serial" "z%raw = 2" end)
    expect.fails("excluded-member", function() acc "serial" "z%d1(1)%c(0) = 2" end)
  end)
end)

case("rejects: a shape names a component that the type does not have [TR14-A.4-02 TR14-3.1.1-04]", function()
  expect.invalid("type t\n real, allocatable :: a\n !$acc shape exclude(b)\n end type t", "unknown-member")
  expect.invalid("type t\n type(DeepType) :: a\n !$acc shape include<not_b>(a)\n end type t", "unknown-shape")
end)

-- ------------------------------------------------------------------------------ self-describing --

case("accepts: a pointer of any bounds and strides describes itself [TR14-1.1-05]", function()
  fortran [[
    type holder
      real, pointer :: p(:,:)
    end type holder
    type(holder) :: h
    real, target :: grid(4,4)
    grid = 1
    grid(3,4) = 9
    h%p(0:,0:) => grid(:,3:4)
  ]]
  acc "data copyin(h)" (function()
    expect.present "grid(:,3:4)"
    expect.absent "grid(:,1:2)"
    expect.device("h%p(2,1)", 9)
  end)
end)

case("accepts: an unallocated component is not copied [TR14-1.1-05]", function()
  fortran "deallocate(X%B)"
  expect.moves(function()
    expect.accepts("data copy(X)", function()
      expect.detached "x%b"
      acc "serial" "if (.not. allocated(x%b)) x%a(1) = 10"
    end)
  end, { h2d = { count = 3, bytes = 164 }, d2h = { count = 2, bytes = 20 } })
  expect.host("x%a", { 10, 2, 3 })
end)

case("differs: X alone is not a deep copy under OpenACC 3.3 [TR14-1.1-05]", function()
  rules "openacc-3.3"
  acc "data copyin(X)" (function()
    expect.absent "x%a"
    expect.fails("host-pointer-on-device", function() acc "serial present(X)" "x%a(1) = 2" end)
  end)
end)

-- ------------------------------------------------------------------------------------- spelling --

case("accepts: a type contains !$acc shape with or without a name, in any case [TR14-3.1.1-02]", function()
  fortran [[
    TYPE T
      REAL, ALLOCATABLE :: First(:), Second(:)
      !$ACC SHAPE EXCLUDE(first)
      !$Acc Shape(OnlyFirst) Default(Exclude) Include(FIRST)
    END TYPE T
    Type(t) :: V
    allocate(v%FIRST(1), v%second(1))
    v%first = 1
  ]]
  acc "data copyin(V)" (function()
    expect.absent "v%first"
    expect.present "v%second"
  end)
  expect.accepts("!$ACC DATA COPYIN<onlyfirst>(v)", function()
    expect.present "V%First"
    expect.absent "V%Second"
  end)
end)

case("accepts: a shape outside of the type names it and continues over two lines [TR14-3.1.1-02]", function()
  fortran [[
    type t
      real, allocatable :: first(:), second(:)
    end type t
    !$acc shape(only_second) type(t) &
    !$acc   exclude(first)
    type(t) :: v
    allocate(v%first(1), v%second(1))
  ]]
  acc "data create<ONLY_SECOND>(v)" (function()
    expect.absent "v%first"
    expect.present "v%second"
  end)
end)

case("rejects: two names that differ only in case are one [TR14-3.1.1-02 TR14-3.1.1-10]", function()
  expect.invalid([[
    type t
      real, allocatable :: a
      !$acc shape(s) exclude(a)
      !$acc shape(S) include(A)
    end type t
  ]], "duplicate-name")
end)

case("rejects: a shape has no type, uses the pragma of C, or has an unknown clause"
  .. " [TR14-3.1.1-02 TR14-3.1.1-03]", function()
  expect.invalid("!$acc shape exclude(a)", "missing-type")
  expect.malformed "type t\n real, allocatable :: a\n #pragma acc shape exclude(a)\n end type t"
  expect.invalid("type t\n real, allocatable :: a\n !$acc shape skip(a)\n end type t", "unknown-clause")
end)
