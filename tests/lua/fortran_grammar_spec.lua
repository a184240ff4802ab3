-- Fortran texts: made plain, parsed into trees, grouped.
local fortran_syntax = require "accdeep.syntax.fortran_syntax"
local fortran_free_form = require "accdeep.syntax.fortran_free_form"
local fortran_blocks = require "accdeep.syntax.fortran_blocks"
local support = require "tests.lua.support"
local unparse_fortran = require "accdeep.syntax.unparse_fortran"

describe("plain text", function()
  local function plain(text)
    local made = fortran_free_form.normalize(text)
    assert.equal(#text, #made)
    return (made:gsub("[ \n]+", " "):gsub(" $", ""))
  end

  it("has small letters but in strings", function()
    assert.equal("a%b = 'It''s' // \"X\"", plain "A%B = 'It''s' // \"X\"")
  end)

  it("has no comments, and every character in its place", function()
    assert.equal("a = 1 b = '!'", plain "A = 1 ! It's 1\nb = '!' ! no")
  end)

  it("has one line for lines that continue", function()
    assert.equal("a = 1 + 2 b", plain "A = 1 + &\n     & 2\nB")
    assert.equal("a = 1 + 2", plain "a = 1 + &\n  ! so\n\n   & 2")
    assert.equal("!$acc data copy(a) copyin(b)", plain "!$acc DATA &\n!$acc copy(a) & \n!$ACC& copyin(b)")
  end)

  it("keeps sentinels of directives, known ones and others", function()
    assert.equal(" !$acc data copy(x) !$accdata no", plain "  !$ACC data copy(X) ! why?\n!$accdata no    ")
    assert.equal("!$omp target map(to: x) nowait", plain "!$OMP Target &\n!$omp& map(to: X) & ! so\n!$omp nowait")
    assert.equal(" call f() b = 1", plain "!$ CALL F() ! compiled with OpenMP\n!no\n!dir$ no\nB = 1")
  end)
end)

describe("the grammar of Fortran", function()
  local function again(text) return unparse_fortran((fortran_syntax.parse(
    "expression", fortran_free_form.normalize(text)))) end

  it("knows how operators bind", function()
    assert.equal("a+b*c**2**d", again "a + b * c ** 2 ** d")
    assert.equal("(a+b)*c-(d-e)", again "(a+b)*c - (d-e)")
    assert.equal("a<1.or..not.b.and.c>=2", again "a .lt. 1 .or. .not. b .and. c .ge. 2")
    assert.equal("a==1", again "a.eq.1")
    assert.equal("-a*b", again "-a*b")
    assert.equal("2**(-3)", again "2**-3")
    assert.equal('"a""b"//x', again [['a"b' // x]])
  end)

  it("knows numbers of all kinds", function()
    for text, wanted in pairs { ["1.5d0"] = { "real", 8, 1.5 }, ["2"] = { "integer", 4, 2 },
      ["3_8"] = { "integer", "8", 3 }, [".5"] = { "real", 4, 0.5 },
      ["1e3"] = { "real", 4, 1000 }, ["1."] = { "real", 4, 1 } } do
      local node = fortran_syntax.parse("expression", text)
      assert.same(wanted, { node.class, node.kind, node.value })
    end
  end)

  it("knows parts of objects", function()
    assert.equal("y(2)%a%p(2:8,:,::2)", again "Y(2)%A%P(2:8, :, ::2)")
    assert.equal("[1,2.5,(i*2,i=1,3)]", again "(/1, 2.5, (i*2, i = 1, 3)/)")
    assert.equal("size(a,dim=2)", again "size(a, dim = 2)")
  end)

  it("says where it got to", function()
    for text, wanted in pairs {
      ["a = 1 +"] = "8 expected an operand, found end of the text",
      ["a(1 = 2"] = "5 expected ',' or ')', found '='",
      ["a = (1.0 2.0)"] = "10 expected ')', found '2.0'",
      ["allocate a"] = "10 expected '(', found 'a'",
      ["if (a) then\nb = 1"] = "18 expected a statement or 'end if', found end of the text",
      ["do i = 1\nend do"] = "9 expected ',', found end of the line",
      ["type t\n integer :: n"] = "21 expected a component or 'end type', found end of the text",
      ["real, poiner :: a"] = "7 expected an attribute, found 'poiner'",
      ["a = 1 b"] = "7 expected the end of the statement, found 'b'",
      ["subroutine s\n end function"] = "15 expected a statement or 'end subroutine', found 'end'",
    } do
      local err = support.error_of(fortran_syntax.parse, "program", text)
      assert.same({ "syntax", wanted }, { err.code, err.pos .. " " .. err.message })
    end
  end)
end)

describe("structured directives", function()
  local function tags(text)
    local list = fortran_blocks.arrange((fortran_syntax.parse("program", fortran_free_form.normalize(text))))
    local function names(items)
      local parts = {}
      for i, item in ipairs(items) do
        local directive = item.directive
        parts[i] = directive and ("%s(%s)"):format(directive.text:match "^!%$acc (%w+)", names(item.list)) or item.tag
      end
      return table.concat(parts, " ")
    end
    return names(list)
  end

  it("hold the statements up to their end", function()
    assert.equal("data(assign serial(assign)) assign",
      tags "!$acc data copy(a)\na=1\n!$acc serial\na=2\n!$acc end serial\n!$acc end data\na=3")
    assert.equal("assign parallel(do) assign",
      tags "a=1\n!$acc parallel loop\ndo i=1,2\na=1\nend do\n!$acc end parallel loop\na=1")
    assert.equal("kernels(loop(do))", tags "!$acc kernels\n!$acc loop\ndo i=1,2\na=1\nend do\n!$acc end kernels")
    assert.equal("directive_line assign directive_line", tags "!$acc data copy(a)\na=1\n!$acc wait")
  end)

  it("belong together", function()
    for text, code in pairs {
      ["!$acc serial\na=1"] = "syntax", ["!$acc end serial"] = "region-nesting",
      ["!$acc data copy(a)\n!$acc end host_data"] = "region-nesting",
      ["!$acc parallel loop\na = 1"] = "syntax", ["!$acc parallel loop"] = "syntax",
    } do
      assert.equal(code, support.error_of(tags, text).code)
    end
  end)
end)
