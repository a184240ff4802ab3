-- Directives in bodies of compute constructs in Fortran: loop, atomic, cache, routine, end directives, and those that
-- are errors there.
scenario { title = "OpenACC: directives in Fortran's bodies", language = "fortran", rules = "openacc-3.3" }

local variables = [[
  integer :: a(10), m(4,3), s, t, i, j, k
  real(8) :: d, r(2)
  logical :: ok
  real, allocatable :: al(:)
  a = 0
  m = 0
  s = 0
  t = 4
  i = 9
  j = 8
  d = 0
  r = 1
  ok = .true.
]]

local function inside(construct, text) return ("!$acc %s\n%s\n!$acc end %s"):format(construct, text,
  construct:match "^%a+") end

-- Expects an error for the text in a compute construct, at any place in its body. The error changes nothing.
local function wrong(code, rule, text, construct)
  local err = expect.fails(code, function() fortran(inside(construct or "parallel copy(a, s)", text)) end)
  expect.equal(err.rule, rule)
  local whole = inside(construct or "parallel copy(a, s)", "a(1) = 5\nif (.false.) then\n" .. text .. "\nend if")
  err = expect.fails(code, function() fortran(whole) end)
  expect.equal(err.rule, rule)
  expect.host("a(1)", 0)
  expect.host("s", 0)
  expect.equal(#state().present, 0)
end

local DO = "\ndo i = 1, 4\n"
local END = "\nend do"

case("accepts: loop has all its clauses [ACC33-2.9-1]", function()
  fortran(variables)
  expect.moves(function()
    for _, construct in ipairs { "parallel", "serial", "kernels" } do
      fortran(inside(construct .. " copy(a)", [[
        !$acc loop gang worker vector independent
        do i = 1, 4
          a(i) = a(i) + 1
        end do
        !$acc loop seq
        do i = 5, 6
          a(i) = a(i) + 1
        end do
        !$acc loop auto private(t) device_type(nvidia) gang
        do i = 7, 10
          t = i
          a(t) = a(t) + 1
        end do
      ]]))
    end
  end, { h2d = { count = 3, bytes = 120 }, d2h = { count = 3, bytes = 120 } })
  expect.host("a", { 3, 3, 3, 3, 3, 3, 3, 3, 3, 3 })
end)

case("rejects: clauses of loop are unknown, exclude each other, or belong to other directives"
  .. " [ACC33-2.9-1 ACC33-2.7-8]", function()
  fortran(variables)
  wrong("unknown-clause", "ACC33-2.7-8", "!$acc loop rediction(+:s) copy(nothere)" .. DO .. "a(i) = 1" .. END)
  wrong("clause-not-allowed", "ACC33-2.7-8", "!$acc loop copy(a)" .. DO .. "a(i) = 1" .. END)
  wrong("conflicting-clauses", "ACC33-2.9-1", "!$acc loop gang seq" .. DO .. "a(i) = 1" .. END)
  wrong("duplicate-clause", "ACC33-2.9-1", "!$acc loop gang gang" .. DO .. "a(i) = 1" .. END)
  wrong("clause-not-allowed", "ACC33-2.9-1", "!$acc loop gang(4)" .. DO .. "a(i) = 1" .. END)
  wrong("syntax", "HOUSE-syntax", "!$acc looop" .. DO .. "a(i) = 1" .. END)
  wrong("syntax", "ACC33-2.9-1", "!$acc loop" .. DO .. "a(i) = 1" .. END .. "\n!$acc end loop")
  local err = expect.fails("region-nesting", function() fortran("!$acc loop" .. DO .. "a(i) = 1" .. END) end)
  expect.equal(err.rule, "ACC33-2.9-1")
end)

case("accepts: gang, worker and vector loops are nested in this order [ACC33-2.9-2]", function()
  fortran(variables)
  expect.moves(function()
    fortran [[
      !$acc parallel loop gang copy(m)
      do j = 1, 3
        !$acc loop vector
        do i = 1, 4
          m(i,j) = i + 10 * j
        end do
      end do
    ]]
  end, { h2d = { count = 1, bytes = 48 }, d2h = { count = 1, bytes = 48 } })
  expect.host("m(4,3)", 34)
end)

case("rejects: gang, worker and vector loops are nested in a wrong order [ACC33-2.9-2]", function()
  fortran(variables)
  wrong("region-nesting", "ACC33-2.9-2", "!$acc loop vector\ndo j = 1, 2\n!$acc loop gang" .. DO .. "s = s + 1" .. END
    .. END)
end)

case("accepts: collapse and tile apply to as many loops as they say [ACC33-2.9-3]", function()
  fortran(variables)
  local nest = "\ndo j = 1, 3\ndo i = 1, 4\nm(i,j) = m(i,j) + 1\nend do\nend do\n"
  fortran(inside("parallel copy(m)", "!$acc loop collapse(2)" .. nest .. "!$acc loop tile(2, *)" .. nest))
  fortran("!$acc parallel loop collapse(2) copy(m)" .. nest .. "!$acc end parallel loop")
  expect.host("m(4,3)", 3)
  expect.host("i", 9)
  expect.host("j", 8)
end)

case("rejects: loops are too few, have statements between them, do not count, or are left [ACC33-2.9-3]", function()
  fortran(variables)
  local function bad(text) wrong("syntax", "ACC33-2.9-3", text) end
  bad("!$acc loop collapse(2)" .. DO .. "a(i) = 1" .. END)
  bad("!$acc loop tile(2,2)" .. DO .. "a(i) = 1" .. END)
  bad("!$acc loop collapse(2)\ndo j = 1, 2\ns = 1" .. DO .. "a(i) = 1" .. END .. END)
  bad("!$acc loop collapse(2)\ndo j = 1, 2\ndo i = j, 4\na(i) = 1" .. END .. END)
  bad "!$acc loop\ndo while (s < 3)\ns = s + 1\nend do"
  bad("!$acc loop" .. DO .. "i = i + 1" .. END)
  wrong("region-nesting", "ACC33-2.9-3", "!$acc loop" .. DO .. "if (i == 2) exit" .. END)
  wrong("syntax", "ACC33-2.6-1", "!$acc loop\ns = 1")
  expect.fails("syntax", function()
    fortran("!$acc parallel loop collapse(2) copy(a)" .. DO .. "a(i) = 1" .. END)
  end)
  fortran(inside("parallel copy(a)", "!$acc loop" .. DO
    .. "do j = 1, 9\nif (j > 2) exit\na(i) = j\nend do\nif (i == 2) cycle" .. END))
  expect.host("a(4)", 2)
end)

case("accepts: private variables and loop variables of the program keep their values [ACC33-2.9-4]", function()
  fortran(variables)
  local text = "!$acc loop private(t)\ndo i = 1, 2\nt = i\na(i) = t + 10\nend do\na(3) = t\na(4) = i"
  for _, construct in ipairs { "parallel copy(a, t, i)", "parallel copy(a)", "kernels", "serial if(.false.)" } do
    fortran "a = 0"
    fortran(inside(construct, text))
    expect.host("a(1:4)", { 11, 12, 4, 9 })
    expect.host("t", 4)
    expect.host("i", 9)
  end
  fortran(inside("parallel copy(a)", "!$acc loop private(r)" .. DO .. "r(1) = i\na(i) = int(r(1))" .. END))
  expect.host("a(4)", 4)
  expect.host("r", { 1, 1 })
  fortran("!$acc parallel loop private(t)\ndo i = 1, 2\nt = i\na(i) = t + 20\nend do")
  expect.host("a(1:2)", { 21, 22 })
  expect.host("t", 4)
end)

case("rejects: a private variable has no value, is unknown, or is allocatable [ACC33-2.9-4]", function()
  fortran(variables)
  expect.fails("uninitialized-read", function()
    fortran(inside("parallel copy(a)", "!$acc loop private(t)" .. DO .. "a(i) = t" .. END))
  end)
  wrong("unknown-name", "HOUSE-names", "!$acc loop private(nobody)" .. DO .. "a(i) = 1" .. END)
  wrong("conflicting-clauses", "ACC33-2.9-4", "!$acc loop private(s) reduction(+:s)" .. DO .. "s = s + 1" .. END)
  wrong("unsupported", "ACC33-2.9-4", "!$acc loop private(al)" .. DO .. "a(i) = 1" .. END)
end)

case("accepts: a reduction is combined with the variable of a data clause [ACC33-2.9.11-1]", function()
  fortran(variables)
  fortran(inside("parallel copy(s, d, ok)", "!$acc loop reduction(+:s) reduction(max:d) reduction(.and.:ok)" .. DO
    .. "s = s + i\nd = max(d, 1.5d0 * i)\nok = ok .and. i < 4" .. END))
  expect.host("s", 10)
  expect.host("d", 6)
  expect.host("ok", false)
  fortran "t = 6\nr = 2"
  fortran(inside("serial copy(t)", "!$acc loop reduction(iand:t) reduction(*:r)\ndo i = 1, 2\n"
    .. "t = iand(t, 3)\nr = r * i\nend do"))
  expect.host("t", 2)
  expect.host("r", { 4, 4 })
  fortran(inside("parallel reduction(+:s)", "!$acc loop gang reduction(+:s)\ndo i = 1, 2\n"
    .. "!$acc loop vector reduction(+:s)\ndo j = 1, 3\ns = s + 1\nend do\nend do"))
  expect.host("s", 16)
  fortran("!$acc parallel loop reduction(+:s) private(t)\ndo i = 1, 4\nt = i\ns = s + t\nend do")
  expect.host("s", 26)
  expect.host("t", 2)
end)

case("rejects: a reduction is not combined if another clause forbids this, and unknown operators are errors"
  .. " [ACC33-2.9.11-1 ACC33-impl-1]", function()
  fortran(variables)
  local sum = "!$acc loop reduction(+:s)" .. DO .. "s = s + 1" .. END
  fortran(inside("parallel firstprivate(s)", sum))
  expect.host("s", 0)
  fortran(inside("parallel copyin(s)", sum))
  expect.host("s", 0)
  expect.fails("default-none", function() fortran(inside("parallel default(none)", sum)) end)
  wrong("type-mismatch", "ACC33-2.9.11-1", "!$acc loop reduction(+:ok)" .. DO .. "a(i) = 1" .. END)
  wrong("type-mismatch", "ACC33-2.9.11-1", "!$acc loop reduction(.or.:s)" .. DO .. "a(i) = 1" .. END)
  wrong("syntax", "HOUSE-syntax", "!$acc loop reduction(&&:s)" .. DO .. "a(i) = 1" .. END)
end)

case("accepts: atomic applies to statements of its forms, with or without an end directive [ACC33-2.12-1]", function()
  fortran(variables)
  expect.moves(function()
    fortran(inside("parallel copy(a, s)", [[
      !$acc atomic
      s = s + 2
      !$acc atomic update
      s = max(s, 7, 3)
      !$acc end atomic
      !$acc atomic read
      a(1) = s
      !$acc atomic write
      s = 3
      !$acc atomic capture
      a(2) = s
      s = s * 5
      !$acc end atomic
      !$acc atomic capture
      s = 1 + s
      a(3) = s
      !$acc end atomic
    ]]))
  end, { h2d = { count = 2, bytes = 44 }, d2h = { count = 2, bytes = 44 } })
  expect.host("a(1:3)", { 7, 3, 16 })
  expect.host("s", 16)
end)

case("rejects: a statement or clause does not fit atomic, or its end is missing [ACC33-2.12-1]", function()
  fortran(variables)
  wrong("syntax", "ACC33-2.12-1", "!$acc atomic\ns = 5")
  wrong("syntax", "ACC33-2.12-1", "!$acc atomic\ns = s + s")
  wrong("syntax", "ACC33-2.12-1", "!$acc atomic read\ns = s + 5")
  wrong("syntax", "ACC33-2.12-1", "!$acc atomic capture\ns = s + 5\n!$acc end atomic")
  wrong("conflicting-clauses", "ACC33-2.12-1", "!$acc atomic read write\ns = t")
  wrong("unknown-clause", "ACC33-2.7-8", "!$acc atomic seq_cst\ns = s + 5")
  expect.fails("syntax", function() fortran("!$acc atomic capture\na(1) = s\ns = s + 5") end)
  wrong("region-nesting", "DIR-4.3-06", "s = s + 5\n!$acc end atomic")
end)

case("accepts: cache is a hint about arrays [ACC33-2.10-1]", function()
  fortran(variables)
  expect.moves(function()
    fortran(inside("parallel copy(a, m)", DO .. "!$acc cache(a(i:i+1), m(:,1))\n!$acc cache(readonly: a(i))\na(i) = i"
      .. END))
  end, { h2d = { count = 2, bytes = 88 }, d2h = { count = 2, bytes = 88 } })
  expect.host("a(4)", 4)
end)

case("rejects: cache names variables without a section, or unknown names [ACC33-2.10-1]", function()
  fortran(variables)
  wrong("type-mismatch", "ACC33-2.10-1", "!$acc cache(a)\na(1) = 1")
  wrong("unknown-name", "HOUSE-names", "!$acc cache(b(1:2))\na(1) = 1")
  wrong("syntax", "ACC33-2.10-1", "!$acc cache(zero: a(1:2))\na(1) = 1")
  wrong("unknown-clause", "ACC33-2.7-8", "!$acc cache(a(1:2)) cash\na(1) = 1")
end)

local function with_routine(line, text)
  return ("call twice(s)\ncontains\nsubroutine twice(x)\ninteger :: x, n\n%s\n%s\nend subroutine"):format(line, text)
end

case("accepts: routine is a directive among declarations, and its procedure contains loops [ACC33-2.15-1]", function()
  fortran(variables)
  fortran(with_routine("!$acc routine vector", "!$acc loop vector reduction(+:x)\ndo n = 1, 4\nx = x + n\nend do\n"
    .. "!$acc atomic\nx = x + 1"))
  expect.host("s", 11)
  fortran(with_routine("integer :: y\n!$acc declare create(y)\n!$acc routine seq", "x = 1"))
  expect.host("s", 1)
end)

case("rejects: routine has no level or a wrong place, or a procedure has loops without routine"
  .. " [ACC33-2.15-1]", function()
  fortran(variables)
  local function bad(code, text) expect.fails(code, function() fortran(text) end) end
  bad("syntax", with_routine("!$acc routine", "x = 1"))
  bad("conflicting-clauses", with_routine("!$acc routine seq gang", "x = 1"))
  bad("unsupported", with_routine("!$acc routine seq bind(g)", "x = 1"))
  bad("clause-not-allowed", with_routine("!$acc routine seq copy(a)", "x = 1"))
  bad("clause-not-allowed", with_routine("", "x = 1\n!$acc routine seq"))
  bad("region-nesting", with_routine("", "!$acc loop\ndo n = 1, 4\nx = n\nend do"))
  wrong("region-nesting", "ACC33-impl-1", "!$acc routine seq\na(1) = 1")
  expect.host("s", 0)
end)

case("rejects: a compute construct contains data or compute directives [ACC33-2.5-1 ACC33-impl-1]", function()
  fortran(variables)
  wrong("region-nesting", "ACC33-2.5-1", "!$acc serial\na(1) = 1\n!$acc end serial")
  wrong("region-nesting", "ACC33-2.5-1", "a(1) = 1\nreturn")
  for _, statement in ipairs { "return", "exit", "cycle" } do
    local err = expect.fails("region-nesting", function()
      fortran(DO .. "!$acc kernels copy(a)\na(1) = 1\n" .. statement .. "\n!$acc end kernels" .. END)
    end)
    expect.equal(err.rule, "ACC33-2.5-1")
  end
  wrong("region-nesting", "ACC33-2.5-1", "!$acc kernels loop" .. DO .. "a(i) = 1" .. END)
  wrong("region-nesting", "ACC33-impl-1", "!$acc data copy(a)\na(1) = 1\n!$acc end data")
  wrong("region-nesting", "ACC33-impl-1", "!$acc update self(a)")
  wrong("region-nesting", "ACC33-2.5-1", "!$omp parallel\na(1) = 1\n!$omp end parallel")
end)

case("rejects: a target construct contains directives of OpenACC [OMP60-nest-2]", function()
  fortran(variables)
  local err = expect.fails("region-nesting", function()
    fortran("!$omp target map(a)\n!$acc loop" .. DO .. "a(i) = 1" .. END .. "\n!$omp end target")
  end)
  expect.equal(err.rule, "OMP60-nest-2")
end)

case("differs: text that the program never reaches, or that follows a directive, is checked, too"
  .. " [HOUSE-bodies]", function()
  fortran(variables)
  for _, text in ipairs { "if (.false.) then\n!$acc nonsense\nend if", "s = 1 &\n!$acc wait\n", "s = 1 !$acc wait",
    "if (.false.) then\n!$omp nonsense\nend if", inside("parallel", "a(1) = 1") .. " copy(nothere)",
    "!$acc end cache", "!$_acc wait", "!$acc end routine", "!$accc loop" .. DO .. "s = 1" .. END } do
    local ok, err = pcall(fortran, text)
    expect.equal(ok, false)
    expect.equal(err.code == "syntax" or err.code == "unsupported" or err.code == "region-nesting", true)
    expect.host("s", 0)
    expect.host("a(1)", 0)
  end
end)

case("rejects: reductions of nested loops disagree, or a scalar is in no clause"
  .. " [ACC33-2.9.11-3 ACC33-impl-4]", function()
  fortran(variables)
  local sum = "!$acc loop vector reduction(+:s)\ndo j = 1, 3\ns = s + 1\nend do"
  wrong("missing-clause", "ACC33-2.9.11-3", "!$acc loop gang\ndo i = 1, 2\n" .. sum .. "\nend do")
  wrong("conflicting-clauses", "ACC33-2.9.11-3", "!$acc loop gang reduction(*:s)\ndo i = 1, 2\n" .. sum
    .. "\nend do")
  expect.fails("missing-clause", function() fortran(inside("parallel copy(a)", sum)) end)
  fortran(inside("parallel copy(a) copyin(s)", "!$acc loop gang private(s)\ndo i = 1, 2\ns = i\n" .. sum
    .. "\na(i) = s\nend do"))
  expect.host("a(1:2)", { 4, 5 })
end)

case("accepts: collapse with force has statements between its loops [ACC33-2.9-3]", function()
  fortran(variables)
  fortran(inside("parallel copy(m, t)", [[
    !$acc loop collapse(force: 2)
    do i = 1, 3
      t = 10 * i
      do j = 1, 4
        m(j, i) = t + j
      end do
    end do
  ]]))
  expect.host("m(4,3)", 34)
end)

case("rejects: a loop or a routine stands between the loops of collapse with force [ACC33-2.9-3]", function()
  fortran(variables)
  for _, between in ipairs { "call acc_wait_all()", "do k = 1, 2\n s = k\n end do" } do
    wrong("syntax", "ACC33-2.9-3", ("!$acc loop collapse(force: 2)\ndo i = 1, 3\n%s\n"
      .. "do j = 1, 4\n a(i) = j\n end do\nend do"):format(between))
  end
end)
