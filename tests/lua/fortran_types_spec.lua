-- Types of Fortran in memory: layouts, descriptors of each kind, and the places of errors. The specification has what
-- programs do (spec/language).
local core = require "accdeep.core"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local support = require "tests.lua.support"

local function session(text)
  local made = support.session(nil, { language = "fortran" })
  if text then made:declare(text, "spec.lua", 1) end
  return made
end

local function error_text(text, declarations)
  local made = session(declarations)
  local err = support.error_of(made.declare, made, text, "spec.lua", 1)
  return ("%s %s"):format(err.code, err.message), err
end

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

local function with_types(text, options)
  options = options or {}
  options.language = "fortran"
  local made = support.session(nil, options)
  made:declare(TYPES, "spec.lua", 1)
  return made, text and made:declare(text, "spec.lua", 1)
end

local function printed(text, options) return table.concat(with_types(text, options):output(), "\n") end

after_each(support.close_all)

describe("types of Fortran", function()
  it("are laid out as C structures, with descriptors inside", function()
    local made = session [[
      type inner
        integer(1) :: c
        real(8) :: d
      end type inner
      type outer
        logical :: flag
        type(inner) :: in(2)
        real, pointer :: p(:,:)
        character(len=3) :: name
        integer, allocatable :: n
      end type outer
      type(outer) :: x
    ]]
    local t = made.now.scope.tags.outer
    local offsets = {}
    for _, member in ipairs(t.members) do offsets[#offsets + 1] = member.offset end
    assert.same({ 0, 8, 40, 112, 120 }, offsets)
    assert.same({ 144, 8 }, { t.size, t.align })
    assert.equal(16, made.now.scope.tags.inner.size)
  end)

  it("have descriptors as Fortran 2018 says", function()
    local made = session "real(8), pointer :: p(:,:)\nallocate(p(2:4,0:1))"
    local address = made.now.scope.variables.p.address
    local bytes = core.get(address, 72)
    local base, elem_len, version, rank, attribute, code = string.unpack("<I8I8i4i1i1i2", bytes)
    assert.same({ 8, 1, 2, 0, 3 + (8 << 8) }, { elem_len, version, rank, attribute, code })
    assert.same({ 2, 3, 8, 0, 2, 24, 73 }, { string.unpack("<i8i8i8i8i8i8", bytes, 25) })
    assert.is_true(base ~= 0)
    made:declare("nullify(p)", "spec.lua", 1)
    assert.equal(0, (string.unpack("<I8", core.get(address, 8))))
    assert.equal(24 + 24 * 15, fortran_descriptor.size(fortran_descriptor.layouts.cfi, 15))
  end)

  it("contain the types that they extend", function()
    local tags = with_types().now.scope.tags
    assert.same({ 4, 56 }, { tags.base.size, tags.child.size })
    assert.equal(4, tags.child.by_name.x.offset)
  end)

  it("may be declared after components that point to them", function()
    local both = "type a\ntype(b), pointer :: pb => null()\ninteger :: i\nend type\n"
      .. "type b\ntype(a), pointer :: pa\nreal :: r\nend type\n"
    assert.same({ "4 2.5" }, session(both .. [[
      type(a), target :: x
      type(b), target :: y
      x%i = 4
      y%r = 2.5
      x%pb => y
      y%pa => x
      print *, x%pb%pa%i, x%pb%r
    ]]):output())
    assert.match("unknown%-type there is no type 'b'",
      error_text "type a\ntype(b), pointer :: p\nend type\ntype(a) :: x")
    assert.match("unknown%-type there is no type 'b'", error_text "type a\ntype(b) :: p\nend type")
    assert.match("unknown%-type there is no type 'b'",
      error_text "type a\ntype(b), pointer :: p\nend type\ntype(b) :: x\ntype b\ninteger :: i\nend type")
    local made = session()
    support.error_of(made.declare, made, "type a\ntype(b), pointer :: p\nend type\ni = 1", "spec.lua", 1)
    made:declare("type b\ninteger :: i\nend type\ntype(b) :: x", "spec.lua", 1)
    assert.match("type%-mismatch 'acc_attach' has one argument",
      error_text("call acc_attach(p, 3)", "real, pointer :: p(:)"))
    assert.match("type%-mismatch 'acc_attach' has one argument", error_text "call acc_attach()")
  end)

  it("are named in errors at their places", function()
    local _, err = error_text("n = 1\n\n  a(n + 20) = 1", "integer :: n\nreal :: a(0:9)")
    assert.same({ 3, 3 }, { err.line, err.column })
  end)

  it("are of one language", function()
    assert.equal("type-mismatch", support.fails([[ fortran "integer :: n" declare "int n;" ]]).code)
    assert.equal("type-mismatch", support.fails([[ scenario { language = "c" } fortran "integer :: n" ]]).code)
  end)
end)

describe("descriptors", function()
  local function words(...)
    local list = { string.unpack(...) }
    list[#list] = nil -- where it ended
    return list
  end
  local function bytes(layout, text, name, n)
    local made = with_types(text, { descriptors = layout })
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

  it("point to records with type and size", function()
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
