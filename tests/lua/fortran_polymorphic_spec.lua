-- Types that extend others, polymorphic objects and select type, on the host; descriptors in other layouts.
local core = require "accdeep.core"
local support = require "tests.lua.support"

local TYPES = [[
  type base
    integer :: k = 1
  end type base
  type, extends(base) :: child
    real :: x = 2.5
    real, allocatable :: v(:)
  end type child
  type, extends(child) :: last
  end type last
  type, abstract :: figure
  end type figure
  type other
    integer :: k
  end type other
  type(base), target :: b, bs(2)
  type(child), target :: c, cs(2,2)
  type(last), target :: l
  type(other), target :: o
  class(base), pointer :: p, ps(:), pps(:,:)
  class(base), allocatable :: a, as(:)
  type(base), pointer :: q
]]

local function run(text, options)
  options = options or {}
  options.language = "fortran"
  local made = support.session(nil, options)
  made:declare(TYPES, "spec.lua", 1)
  return made, text and made:declare(text, "spec.lua", 1)
end

local function printed(text, options) return table.concat(run(text, options):output(), "\n") end

local function fails(text)
  local made = run()
  local err = support.error_of(made.declare, made, text, "spec.lua", 1)
  return ("%s %s"):format(err.code, err.message), err
end

after_each(support.close_all)

describe("a type that extends another", function()
  it("has its components, and itself as one", function()
    assert.equal("1 2.5 1 9\n9", printed [[
      print *, c%k, c%x, c%base%k, l%k + 8
      c%base%k = 9
      print *, c%k
    ]])
    local made = run()
    local tags = made.now.scope.tags
    assert.same({ 4, 56 }, { tags.base.size, tags.child.size })
    assert.equal(4, tags.child.by_name.x.offset)
  end)

  it("is checked", function()
    for text, wanted in pairs {
      ["type, extends(nil) :: t\nend type"] = "unknown-type there is no type 'nil'",
      ["type, extends(base) :: t\nreal :: k\nend type"] = "duplicate-name there are two components 'k'",
      ["type, extends(base) :: t\nreal :: base\nend type"] = "duplicate-name there are two components 'base'",
      ["type, extends(base), extends(base) :: t\nend type"] = "duplicate-clause 'extends' stands here twice",
      ["type, bind(c) :: t\nend type"] = "unsupported the attribute 'bind' of types is not supported",
      ["type(figure) :: t"] = "type-mismatch type(figure) is abstract: there are no objects of it",
      ["class(base) :: t"] = "syntax 't' is polymorphic: it is allocatable, a pointer or an argument",
      ["class(nil), pointer :: t"] = "unknown-type there is no type 'nil'",
    } do
      assert.equal(wanted, (fails(text)))
    end
  end)
end)

describe("a polymorphic object", function()
  it("has the type of its target", function()
    assert.equal("F T T\n32 448\nT 7 T", printed [[
      p => c
      print *, same_type_as(p, b), extends_type_of(p, b), same_type_as(p, c)
      print *, storage_size(b), storage_size(p)
      c%k = 7
      q => p
      print *, associated(q), q%k, same_type_as(q, b)
    ]])
  end)

  it("has arrays whose elements are as far apart as the type is large", function()
    assert.equal("2 2 11 14\n4 12\n14", printed [[
      cs(1,1)%k = 11; cs(2,1)%k = 12; cs(1,2)%k = 13; cs(2,2)%k = 14
      pps => cs
      print *, shape(pps), pps(1,1)%k, pps(2,2)%k
      ps(3:6) => pps
      print *, size(ps), ps(4)%k
      ps => pps(2,:)
      print *, ps(2)%k
    ]])
  end)

  it("is allocated as what is said, as a source, as declared", function()
    assert.equal("F T F\nT 4\nT 2\nT 3.0", printed [[
      allocate(p)
      allocate(child :: a, as(4))
      print *, same_type_as(p, c), same_type_as(a, c), same_type_as(as, l)
      deallocate(a)
      allocate(a, mold = l)
      print *, same_type_as(a, l), size(as)
      deallocate(as)
      allocate(as(2), source = bs)
      print *, same_type_as(as, b), size(as)
      deallocate(p)
      c%v = [3.]
      allocate(p, source = c)
      c%v(1) = 4
      select type (p)
      type is (child)
        print *, allocated(p%v), p%v
      end select
    ]])
  end)

  it("is assigned to if it is allocatable: with type and all", function()
    assert.equal("T 5.0\nT F", printed [[
      c%v = [5.]
      a = c
      c%v = 0
      select type (a)
      type is (child)
        print *, same_type_as(a, c), a%v
      end select
      a = b
      print *, same_type_as(a, b), same_type_as(a, c)
    ]])
  end)

  it("is an argument", function()
    assert.equal("child 2.5\nbase 1\n2 child", printed [[
      p => c
      call one(p); call one(b)
      call many(cs(:,1))
    contains
      subroutine one(x)
        class(base), intent(in) :: x
        select type (x)
        class is (child)
          print *, 'child', x%x
        class default
          print *, 'base', x%k
        end select
      end subroutine one
      subroutine many(x)
        class(base) :: x(0:)
        select type (y => x)
        type is (child)
          print *, size(y), 'child'
        end select
      end subroutine many
    ]])
  end)

  it("is checked", function()
    for text, wanted in pairs {
      ["p => o"] = "type-mismatch p points to type(base), this is type(other)",
      ["b = c"] = "type-mismatch type(child) cannot be assigned to b, which is type(base)",
      ["p => b\np = c"] = "type-mismatch p is polymorphic: only an allocatable one can be assigned to",
      ["a = o"] = "type-mismatch type(other) cannot be assigned to a, which is type(base)",
      ["p => c\nprint *, p%x"] = "unknown-member type(base) has no component 'x'",
      ["allocate(other :: p)"] = "type-mismatch p is class(base), pointer, this is type(other)",
      ["allocate(child :: q)"] = "type-mismatch q is type(base), pointer, this is type(child)",
      ["class(figure), pointer :: s\nallocate(s)"] =
        "type-mismatch type(figure) is abstract: there are no objects of it",
      ["print *, same_type_as(p, 1)"] = "type-mismatch this is integer, no derived type",
      ["call f(q)\ncontains\nsubroutine f(x)\nclass(base), pointer :: x\nend subroutine"] =
        "type-mismatch the argument 'x' is class(base), pointer, not type(base), pointer",
      ["call f(o)\ncontains\nsubroutine f(x)\nclass(base) :: x\nend subroutine"] =
        "type-mismatch the argument 'x' is type(base), not type(other)",
      ["call f(b)\ncontains\nsubroutine f(x)\nclass(base) :: x(3)\nend subroutine"] =
        "unsupported a polymorphic argument has an assumed shape here",
    } do
      assert.equal(wanted, (fails(text)))
    end
  end)
end)

describe("select type", function()
  it("takes the type itself, or the nearest one that is extended", function()
    local select = "select type (p)\nclass is (base)\nprint *, 'base'\nclass is (child)\nprint *, 'child'\n"
      .. "type is (base)\nprint *, 'just'\nend select\n"
    assert.equal("just\nchild\nchild", printed("p => b\n" .. select .. "p => c\n" .. select .. "p => l\n" .. select))
    assert.equal("", printed "p => b\nselect type (p)\ntype is (child)\nprint *, 'no'\nend select")
  end)

  it("is met again and again", function()
    assert.equal("1.0 2.0\n3.0", printed [[
      integer :: i
      do i = 1, 2
        p => cs(i,1)
        select type (z => p)
        type is (child)
          z%x = i
        end select
      end do
      print *, cs(:,1)%x
      p => cs(2,2)
      if (associated(p)) then
        select type (p)
        type is (child)
          p%x = 3
          print *, cs(2,2)%x
        end select
      end if
    ]])
  end)

  it("is checked", function()
    for text, wanted in pairs {
      ["select type (b)\ntype is (base)\nend select"] =
        "type-mismatch b is not polymorphic: select type takes what is declared with class",
      ["select type (p)\ntype is (other)\nend select"] = "type-mismatch type(other) does not extend type(base)",
      ["select type (p)\ntype is (real)\nend select"] = "type-mismatch real does not extend type(base)",
      ["select type (p)\ntype is (nil)\nend select"] = "unknown-type there is no type 'nil'",
      ["select type (ps(1))\nclass default\nend select"] = "syntax expected a name for the object",
      ["select type (p)\nclass default\nclass default\nend select"] = "duplicate-name two blocks are for the same type",
      ["select type (p)\nclass default\nend select"] = "null-pointer p is not associated",
      ["select type (p)\ntype (base)\nend select"] = "syntax expected a statement or 'end select', found 'type'",
    } do
      assert.equal(wanted, (fails(text)))
    end
  end)
end)

describe("descriptors", function()
  local function words(...)
    local list = { string.unpack(...) }
    list[#list] = nil -- where it ended
    return list
  end
  local function bytes(layout, text, name, n)
    local made = run(text, { descriptors = layout })
    return core.get(made.now.scope.variables[name].address, n), made
  end

  it("of Flang say in their last byte that an addendum follows", function()
    local found, made = bytes("flang", "pps => cs", "pps", 24 + 48 + 16)
    local _, elem_len, version, rank, code, attribute, extra = string.unpack("<I8I8i4i1i1i1i1", found)
    assert.same({ 56, 20240719, 2, 42, 1, 1 }, { elem_len, version, rank, code, attribute, extra })
    assert.same({ 1, 2, 56, 1, 2, 112, made.program.type_records[made.now.scope.tags.child], 0 },
      words("<i8i8i8i8i8i8i8i8", found, 25))
    assert.equal(0, (bytes("flang", "real, allocatable :: r(:)", "r", 24)):byte(24))
  end)

  it("of gfortran count strides in elements", function()
    local found = bytes("gfortran", "real(8), target :: r(0:9)\nreal(8), pointer :: z(:)\nz(5:) => r(8:2:-3)", "z", 64)
    local _, offset, elem_len, version, rank, code, attribute, span = string.unpack("<I8i8I8i4i1i1i2i8", found)
    assert.same({ 15, 8, 0, 1, 3, 0, 8 }, { offset, elem_len, version, rank, code, attribute, span })
    assert.same({ -3, 5, 7 }, words("<i8i8i8", found, 41))
  end)

  it("are laid out as the scenario says, or else as its run does", function()
    local function size(head, options)
      local text = ('scenario { language = "fortran"%s }\n'):format(head)
        .. 'fortran "type t\\nreal, pointer :: p(:)\\nend type t"\nprint(sizeof "type(t)")'
      local lines = {}
      options = options or {}
      options.out = function(line) lines[#lines + 1] = line end
      local record = require "accdeep.script.scenario".run("spec.lua", text, options)
      return record.cases[1].ok and tonumber(lines[1])
    end
    assert.equal(48, size "")
    assert.equal(64, size ', descriptors = "gfortran"')
    assert.equal(64, size("", { descriptors = "gfortran" }))
    assert.equal(48, size(', descriptors = "flang"', { descriptors = "gfortran" }))
    local err = support.fails 'scenario { language = "fortran", descriptors = "cray" }'
    assert.same({ "unknown-name", "there is no layout of descriptors 'cray'" }, { err.code, err.message })
  end)

  it("lead to records that say type and size", function()
    local found, made = bytes("cfi", "p => l", "p", 40)
    local record = string.unpack("<i8", found, 25)
    assert.equal(made.program.type_records[made.now.scope.tags.last], record)
    assert.same({ 24, 56 }, words("<i8i8", core.get(record, 16)))
  end)

  it("serve the same programs in every layout", function()
    for _, layout in ipairs { "cfi", "flang", "gfortran" } do
      assert.equal("4 8 7\n0 7 2 2", printed([[
        integer, target :: r(2,4) = reshape([1, 2, 3, 4, 5, 6, 7, 8], [2, 4])
        integer, pointer :: z(:,:)
        z(0:,7:) => r(2:1:-1,4:1:-2)
        print *, z(0,8), z(0,7), z(1,7)
        print *, lbound(z), shape(z)
      ]], { descriptors = layout }))
    end
  end)
end)

describe("polymorphic components", function()
  it("are copied with their objects, types and all, where the rules say so", function()
    support.holds([==[
      scenario { language = "fortran", rules = "tr14" }
      fortran [[]==] .. "\n" .. TYPES .. [==[
        type holder
          class(base), pointer :: p
          class(base), allocatable :: a(:)
        end type holder
        type(holder) :: d
        d%p => c
        allocate(last :: d%a(3))
      ]]
      local function touched()
        fortran [[
          !$acc serial present(d)
          print *, same_type_as(d%p, c), same_type_as(d%a, l)
          select type (q => d%a)
          type is (last)
            q(3)%k = q(3)%k + 5
          end select
          !$acc end serial
        ]]
        expect.equal(output(), { "T T" })
      end
      acc "data copy(d)" (touched)
      expect.equal(#state().present, 0)
      fortran "print *, d%a(3)%k, same_type_as(d%p, c), same_type_as(d%a, l)"
      expect.equal(output(), { "6 T T" })
      acc "enter data copyin(d)"
      touched()
      expect.attached("d%p", 1)
      acc "exit data copyout(d)"
      expect.equal(#state().present, 0)
      acc "enter data create(d)"
      fortran "!$acc serial present(d)\nprint *, same_type_as(d%p, c)\n!$acc end serial"
      expect.equal(output(), { "T" })
      acc "exit data delete(d)"
      fortran "nullify(d%p); deallocate(d%a)"
      acc "data copy(d)" (function() expect.equal(#state().present, 1) end)
      expect.invalid("enter data copyin(d)::{ include(a(2:3)) }", "unsupported")
    ]==])
  end)
end)
