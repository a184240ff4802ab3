-- Directives on Fortran's variables: what clauses name, what descriptors do, kernels.
local support = require "tests.lua.support"

local head = [[
  scenario { language = "fortran", rules = "openacc-3.3" }
  fortran "integer :: n = 3, i\nreal, target :: a(0:9) = [(i, i = 0, 9)], b(2,3) = 0\nreal :: total = 0"
  fortran "real, pointer :: p(:), q(:,:), s\nreal, allocatable :: c(:)\nc = [1.0, 2.0, 3.0]"
  fortran "type t\ninteger :: k = 7\nreal, pointer :: p(:,:)\nreal, allocatable :: v(:)\nend type t"
  fortran "type(t), target :: x, y(3)\ntype(t), pointer :: xp, ys(:)"
]]
local function holds(text) return support.holds(head .. text) end
local function deep(text) return support.holds(head:gsub("openacc%-3.3", "tr14") .. text) end

describe("a clause of Fortran", function()
  it("names the bytes of elements", function()
    holds [[
      expect.moves(function() acc "enter data copyin(a(2:8), b(:,2:3), n)" end,
        { h2d = { count = 3, bytes = 28 + 16 + 4 } })
      expect.present "a(2:8)" expect.present "a(5)" expect.absent "a(9)" expect.absent "b(:,1)"
      expect.moves(function() acc "update self(a(3:4))" end, { d2h = { count = 1, bytes = 8 } })
    ]]
  end)

  it("names whole pointers by what they lead to, strides and all", function()
    holds [=[
      fortran "p => a(1:7:2)"
      expect.moves(function() acc "enter data copyin(p)" end, { h2d = { count = 1, bytes = 16 } })
      acc "exit data delete(p)"
      fortran "p => a(7:1:-3)"
      expect.moves(function() acc "enter data copyin(p)" end, { h2d = { count = 1, bytes = 12 } })
      expect.present "a(1:7)"
      acc "serial present(p)" [[ p(3) = 20 ]]
      acc "exit data copyout(p)"
      expect.host("a(1)", 20)
    ]=]
  end)

  it("names contiguous sections only", function()
    holds [[
      for _, text in ipairs { "b(1,:)", "b(1:1,:)", "a(0:9:2)", "y%k" } do
        expect.fails("invalid-section", function() acc("enter data copyin(" .. text .. ")") end)
      end
      expect.fails("out-of-bounds", function() acc "enter data copyin(a(5:10))" end)
      expect.invalid("enter data copyin(zz)", "unknown-name")
      expect.invalid("enter data copyin(x%zz)", "unknown-member")
      expect.invalid("enter data copyin(n + 1)", "syntax")
      expect.invalid("enter data attach(a)", "not-a-pointer")
      expect.invalid("enter data attach(p(1:2))", "not-a-pointer")
    ]]
  end)

  it("brings nothing where nothing is allocated", function()
    holds [[
      expect.moves(function() acc "enter data copyin(p, x%v)" end, { h2d = 0 })
      expect.fails("null-pointer", function() expect.present "p" end)
    ]]
  end)

  it("attaches a descriptor by its section", function()
    holds [[
      fortran "x%p => b\n!$acc enter data copyin(x)\n!$acc enter data copyin(x%p(:,2:3))"
      expect.attached("x%p", 1)
      fortran "!$acc serial present(x)\nx%p(1,2) = 5\nprint *, x%p(1,2), ubound(x%p, 2)\n!$acc end serial"
      expect.equal(output(), { "5.0 3" })
      expect.fails("out-of-bounds", function() fortran "!$acc serial present(x)\nx%p(1,1) = 5\n!$acc end serial" end)
    ]]
  end)

  it("takes a condition, and a device", function()
    holds [[
      acc "enter data copyin(a) if(n > 5)" expect.absent "a"
      acc "enter data copyin(a) if(n == 3 .and. .true.)" expect.present "a"
      acc "set device_num(n - 3)"
      acc "enter data copyin(p(1:3)) if(associated(p))" -- what is not to be done is not looked at
      expect.fails("type-mismatch", function() acc "enter data copyin(a) if(n)" end)
    ]]
  end)
end)

describe("a component in a clause", function()
  local function enter(text)
    return ("local list = {} for i, e in ipairs(events(function() acc 'enter data copyin(%s)' end)) do "
      .. "list[i] = tostring(e) end local found = table.concat(list, ', ')\n"):format(text)
  end

  it("holds its object under TR14", function()
    local text = [[
      fortran "type o\ntype(t) :: in(2)\ntype(t), pointer :: one, many(:)\nend type\ntype(o) :: z"
      fortran "z%in(2)%v = [1.0, 2.0, 3.0]\nallocate(z%many(3))\nz%many(2)%v = [4.0, 5.0]\nx%v = [1.0, 2.0, 3.0]"
    ]]
    for clause, wanted in pairs {
      ["x%v"] = "alloc x, alloc x%v, h2d x%v, attach x%v, incref x, incref x%v",
      ["x%v(2:3)"] = "alloc x, alloc x%v(2:3), h2d x%v(2:3), attach x%v, incref x, incref x%v(2:3)",
      ["x%k"] = "alloc x, h2d x%k, incref x",
      ["z%in(2)%v"] = "alloc z, alloc z%in(2)%v, h2d z%in(2)%v, attach z%in(2)%v, incref z, incref z%in(2)%v",
      ["z%many(2)%v(1:1)"] = "alloc z, alloc z%many(2), alloc z%many(2)%v(1), h2d z%many(2)%v(1), attach z%many, "
        .. "attach z%many(2)%v, incref z, incref z%many(2), incref z%many(2)%v(1)",
    } do
      deep(text .. enter(clause) .. ("expect.equal(found, %q)"):format(wanted)
        .. ("acc 'exit data delete(%s)' expect.equal(#state().present, 0)"):format(clause))
    end
  end)

  it("leaves its object alone under OpenACC", function()
    holds("fortran 'x%v = [1.0]'\n" .. enter "x%v"
      .. "expect.equal(found, 'alloc x%v, h2d x%v, incref x%v') expect.absent 'x'")
  end)

  it("has a section whose indices keep their meaning", function()
    deep [=[
      fortran "x%v = [1.0, 2.0, 3.0]"
      acc "data copy(x%v(2:3))" (function()
        acc "serial" [[ x%v(3) = x%v(2) * 10 ]]
        expect.fails("out-of-bounds", function() acc "serial" [[ x%v(1) = 0 ]] end)
      end)
      expect.host("x%v", { 1, 2, 20 })
    ]=]
  end)
end)

describe("derived types in clauses", function()
  it("are deep under TR14, shallow under OpenACC", function()
    local text = [[
      fortran "x%v = [1.0, 2.0]\nx%p => b"
      acc "enter data copyin(x)"
    ]]
    deep(text .. [[ expect.attached("x%v", 1) expect.attached("x%p", 1) expect.present "b" ]])
    holds(text .. [[ expect.detached "x%v" expect.absent "b" ]])
  end)

  it("bring their targets back, but no device addresses", function()
    deep [=[
      fortran "x%v = [1.0, 2.0]\nx%p => b(:,2:3)"
      acc "data copy(x)" (function()
        acc "serial" [[ x%v(1) = 5; x%p(2,2) = 6; x%k = 8 ]]
        expect.host("x%k", 7)
      end)
      expect.host("x%v", { 5, 2 }) expect.host("b(2,3)", 6) expect.host("x%k", 8)
      expect.host("associated(x%p, b(:,2:3))", true)
    ]=]
  end)

  it("follow strides, and stop at what is not there", function()
    deep [[
      fortran "x%p => b(:, 3:1:-2)\ny(2)%v = [1.0]"
      acc "enter data copyin(x, y)"
      expect.present "b" expect.detached "y(1)%v" expect.attached("y(2)%v", 1)
      fortran "!$acc serial present(x, y)\nx%p(1,2) = 4\nprint *, y(2)%v(1), allocated(y(3)%v)\n!$acc end serial"
      expect.equal(output(), { "1.0 F" })
      expect.device("b(1,1)", 4)
      acc "exit data delete(x, y)"
      expect.equal(#state().present, 0)
    ]]
  end)

  it("reach through pointers to objects", function()
    deep [[
      fortran "allocate(xp, ys(2))\nxp%v = [1.0, 2.0]\nys(2)%k = 4"
      acc "enter data copyin(xp, ys)"
      fortran "!$acc serial present(xp, ys)\nprint *, xp%v(2), ys(2)%k\n!$acc end serial"
      expect.equal(output(), { "2.0 4" })
    ]]
  end)

  it("may be many inside one", function()
    deep [=[
      fortran [[
        type many
          integer :: k
          type(t) :: in(20)
        end type many
        type(many) :: z
        do i = 1, 20
          z%in(i)%v = [real :: (n, n = 1, i)]
        end do
      ]]
      acc "data copy(z)" (function()
        expect.equal(#state().present, 21)
        expect.attached("z%in(17)%v", 1)
        acc "serial" [[ z%in(20)%v(20) = sum(z%in(3)%v) ]]
      end)
      expect.host("z%in(20)%v(20)", 6)
    ]=]
  end)

  it("have members of any rank", function()
    deep [[
      fortran "type r\nreal, pointer :: p(:,:,:,:,:,:,:,:,:,:,:,:,:,:,:)\nend type\ntype(r) :: z"
      fortran "allocate(z%p(2,1,2,1,1,1,1,1,1,1,1,1,1,1,3))"
      expect.moves(function() acc "enter data copyin(z)" end, { h2d = { count = 2, bytes = 24 + 24 * 15 + 48 } })
    ]]
  end)
end)

describe("sections of components in shapes and nests", function()
  local declarations = [=[
    fortran [[
      type w
        integer :: n = 3
        real, allocatable :: v(:), m(:,:)
        real :: e(10,2)
        !$acc shape(some) include(v(2:n), m(:,2:n-1), e(1:5,2))
      end type w
      type(w) :: z
      allocate(z%v(0:5), z%m(2,4))
      z%v = [0, 1, 2, 3, 4, 5]
      z%m = 1
    ]]
  ]=]

  it("count from the bounds of the array", function()
    deep(declarations .. [=[
      acc "enter data copyin<some>(z)"
      expect.present "z%v(2:3)" expect.absent "z%v(1)" expect.present "z%m(:,2)" expect.absent "z%m(:,3)"
      fortran "!$acc serial present<some>(z)\nprint *, z%v(2:3), z%m(2,2)\n!$acc end serial"
      expect.equal(output(), { "2.0 3.0 1.0" })
      expect.fails("out-of-bounds", function()
        fortran "!$acc serial present<some>(z)\nprint *, z%v(1)\n!$acc end serial"
      end)
    ]=])
  end)

  it("are those of a contiguous target", function()
    deep [=[
      fortran [[
        type o
          real, pointer :: p(:), q(:,:)
          !$acc shape(some) include(p(2:3)) exclude(q)
          !$acc shape(cols) include(q(:,2)) exclude(p)
        end type o
        type(o) :: z
        z%p => a(3:6)
        z%q => b
      ]]
      acc "data copyin<some>(z)" (function() expect.present "a(4:5)" expect.absent "a(3)" end)
      acc "data copyin<cols>(z)" (function() expect.present "b(:,2)" expect.absent "b(:,1)" end)
      fortran "z%p => a(1:9:2)\nz%q => b(1:1,:)"
      expect.fails("invalid-section", function() acc "data copyin<some>(z)" end)
      expect.fails("invalid-section", function() acc "data copyin<cols>(z)" end)
    ]=]
  end)

  it("are contiguous, of the array's rank, with simple bounds", function()
    for section, code in pairs { ["v(0:5:2)"] = "invalid-section",
      ["m(1)"] = "type-mismatch", ["v(size(v):)"] = "unsupported", ["v(zz:)"] = "unknown-name",
      ["n(1)"] = "not-a-pointer" } do
      deep(declarations .. ("expect.invalid('data copy(z)::{ include(%s) }', %q)"):format(section, code))
    end
    deep(declarations .. [[
      expect.fails("out-of-bounds", function() acc "enter data copyin(z)::{ include(v(5:6)) }" end)
      expect.fails("invalid-section", function() acc "enter data copyin(z)::{ include(m(1,:)) }" end)
    ]])
  end)
end)

describe("a kernel in Fortran", function()
  it("has descriptors of its own where none is present", function()
    holds [[
      fortran "p => a(9:1:-2)\nq(0:,0:) => b"
      fortran "!$acc serial\nc(2) = p(1) + size(q) + lbound(q, 1)\nq(0,0) = 3\n!$acc end serial"
      expect.host("c(2)", 15) expect.host("b(1,1)", 3)
    ]]
  end)

  it("obeys private, firstprivate, reduction and loops", function()
    holds [[
      fortran "!$acc parallel loop reduction(+:total) copyin(c)\ndo i = 1, n\ntotal = total + c(i)\nend do"
      expect.host("total", 6)
      fortran "!$acc serial private(c)\nc = 9\n!$acc end serial"
      fortran "!$acc serial firstprivate(c)\nprint *, c\n!$acc end serial"
      expect.equal(output(), { "1.0 2.0 3.0" })
    ]]
  end)

  it("may be Lua", function()
    holds [[
      acc "serial copy(b) copyin(c)" (function(d)
        d.b[3] = d.c[1] + d "c(3)"
        expect.equal(d.C(2), 2)
      end)
      expect.host("b(2,2)", 5)
    ]]
  end)

  it("fails without a trace", function()
    holds [=[
      acc "enter data copyin(b)"
      expect.fails("out-of-bounds", function() acc "serial present(b)" [[ b(1,1) = 7; b(1,4) = 1 ]] end)
      expect.device("b(1,1)", 0)
      expect.fails("unsupported", function() acc "serial" [[ allocate(p(3)) ]] end)
      expect.fails("null-pointer", function() acc "serial" [[ p(1) = 3 ]] end)
    ]=]
  end)
end)

describe("directives in statements", function()
  it("know their place", function()
    local err = support.fails(head .. [=[
fortran [[
  !$acc enter data copyin(a)
  n = 1
  !$acc enter data &
  !$acc   create(b) copyin(c, zz)
]]
]=])
    assert.same({ "unknown-name", 10, 31 }, { err.code, err.line, err.column })
    holds [=[
      local list = events(function()
        fortran [[
          n = 2
          !$acc enter data copyin(b)
        ]]
      end)
      expect.equal(list[1].at, "spec.lua:9")
    ]=]
  end)

  it("see the arguments of each call", function()
    holds [[
      fortran "contains\nsubroutine put(z)\nreal :: z(:)\n!$acc enter data copyin(z)\nend subroutine put"
      call "put(a(2:4))" call "put(b(:,1))"
      expect.present "a(2:4)" expect.present "b(:,1)" expect.absent "b(:,2)"
    ]]
  end)

  it("leave regions when statements are left", function()
    holds [[
      fortran "contains\nsubroutine s()\n!$acc data copyin(a)\nif (n == 3) return\n!$acc end data\nend subroutine s"
      call "s()"
      expect.absent "a"
      expect.fails("out-of-bounds", function() fortran "!$acc data copyin(a)\na(20) = 1\n!$acc end data" end)
      expect.absent "a"
      fortran "!$acc data copyin(a)"
      expect.present "a"
      acc "end data"
      expect.absent "a"
    ]]
  end)

  it("call the API", function()
    holds [[
      fortran "call acc_copyin(a)\nprint *, acc_is_present(a), acc_is_present(b), acc_get_num_devices(1)"
      expect.equal(output(), { "T F 1" })
      fortran "a(1) = 50\ncall acc_update_device(a(1:1))"
      expect.device("a(1)", 50)
      fortran "call acc_delete(a)"
      expect.absent "a"
    ]]
  end)

  it("call OpenMP's device routines, in kernels only those for kernels", function()
    holds [[
      fortran "print *, omp_is_initial_device(), omp_get_device_num(), omp_target_is_present(a, 0)"
      expect.equal(output(), { "T 1 0" })
      acc "parallel copy(a)" "a(1) = omp_get_device_num()\nif (omp_is_initial_device()) a(1) = 9"
      fortran "print *, a(1)"
      expect.equal(output(), { "0.0" })
      expect.fails("region-nesting", function()
        fortran "!$acc parallel copy(a)\na(1) = omp_get_num_devices()\n!$acc end parallel"
      end)
    ]]
  end)

  it("get numbers only from routines that give them", function()
    holds [[
      expect.fails("type-mismatch", function() fortran "a(1) = acc_malloc(8)" end)
      expect.fails("type-mismatch", function() fortran "a(1) = omp_target_alloc(8, 0)" end)
      expect.fails("type-mismatch", function() fortran "a(1) = acc_delete(a)" end)
    ]]
  end)
end)

describe("names of Fortran", function()
  local declarations = [[
    fortran "type e\ninteger :: k\nreal, pointer :: p(:,:)\nend type e"
    fortran "type f\ntype(e) :: in(0:1,-1:1), long(0:3,5:10)\ntype(e), allocatable :: s(:,:)\nend type f"
    fortran "type(e), target :: g(2,3), h(0:4)\ntype(e), pointer :: u(:,:), r(:)\ntype(f), target :: w"
    local function names(text, op)
      local list = {}
      for _, e in ipairs(events(function() acc(text) end)) do
        if e.op == op then list[#list + 1] = e.name end
      end
      return list
    end
  ]]

  it("are those of elements with all their subscripts", function()
    holds(declarations .. [[
      fortran "g(1,2)%p => b; h(0)%p => b; u(10:,20:) => g"
      acc "enter data copyin(g, h(0:2))"
      expect.equal(names("enter data copyin(g(1,2)%p)", "attach"), { "g(1,2)%p" })
      expect.equal(names("enter data copyin(h(0)%p)", "attach"), { "h(0)%p" })
      expect.equal(state().attached[1], { name = "g(1,2)%p", target = "g(1,2)%p", count = 1 })
      expect.equal(state().attached[2].name, "h(0)%p")
      expect.equal(names("exit data delete(u(10,21)%p)", "detach"), { "u(10,21)%p" })
    ]])
  end)

  it("are those of elements of components, in a deep copy", function()
    deep(declarations .. [[
      fortran "allocate(w%s(3:4,5:6)); w%s(4,6)%p => b; w%in(1,-1)%p => b; w%long(2,7)%p => b"
      expect.equal(names("enter data copyin(w)", "attach"), { "w%in(1,-1)%p", "w%s", "w%long(2,7)%p", "w%s(4,6)%p" })
    ]])
  end)

  it("follow the bounds and strides that a pointer has", function()
    holds(declarations .. [[
      fortran "r(7:) => h(4:0:-2); h(2)%p => b"
      acc "enter data copyin(r)"
      acc "enter data copyin(h(2)%p)"
      fortran "h(4)%p => b"
      acc "update device(r)"
      expect.fails("host-pointer-on-device", function()
        fortran "!$acc serial present(r)\nprint *, r(7)%p(1,1)\n!$acc end serial"
      end)
    ]])
  end)

  it("call a pointer by its own name, and count its descriptor's bytes", function()
    holds [[
      fortran "x%p => b\n!$acc enter data copyin(x)"
      local list = events(function() acc "enter data copyin(x%p(:,2))" end)
      expect.equal({ list[1].name, list[3].op, list[3].name, list[3].bytes }, { "x%p(:,2)", "attach", "x%p", 72 })
      list = events(function() acc "exit data delete(x%p(:,2))" end)
      expect.equal({ list[1].op, list[1].name, list[1].bytes }, { "detach", "x%p", 72 })
    ]]
  end)

  it("are where the component is declared, in errors about types", function()
    local err = support.fails(head:gsub("openacc%-3.3", "tr14") .. [=[
fortran [[
  type node
    integer :: n
    type(node), pointer :: next
  end type node
  type(node) :: list
]]
acc "enter data copyin(list)"
]=])
    assert.same({ "recursive-type", 9, 28 }, { err.code, err.line, err.column })
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

  it("knows which regions are around", function()
    holds [[
      fortran "type(t), target :: w\nw%p => b"
      local function run() fortran "!$acc serial present(w%p)\nw%p(1,1) = w%p(1,1) + 1\n!$acc end serial" end
      for i = 1, 2 do
        acc "enter data copyin(b)"
        run()
        acc "data copy(w)" (run)
        acc "exit data copyout(b)"
      end
      expect.host("b(1,1)", 4)
      expect.equal(#state().present, 0)
    ]]
  end)
end)
