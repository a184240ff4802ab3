-- Data races between iterations of parallel loops, in bodies in Fortran.
scenario { title = "OpenACC in Fortran: races between iterations", language = "fortran", rules = "openacc-3.3" }

local variables = [[
  integer :: i, j, n, index(8) = [1, 2, 3, 4, 4, 6, 7, 8]
  real :: a(8) = [1, 2, 3, 4, 5, 6, 7, 8], m(4, 4) = 0, s = 0, t
]]

-- The directive and its loop have a race; nothing has changed.
local function race(directive, loop, message, help)
  fortran(variables)
  local err = expect.fails("data-race", function() fortran("!$acc " .. directive .. "\n" .. loop) end)
  expect.equal(err.rule, "ACC33-2.9-5")
  if message then expect.equal(err.message, message) end
  if help then expect.equal(err.help:find(help, 1, true) ~= nil, true) end
  expect.host("a", { 1, 2, 3, 4, 5, 6, 7, 8 })
  expect.host("s", 0)
end

local function each(text)
  return "do i = 1, 8\n" .. text .. "\nend do"
end

case("rejects: an iteration uses what another iteration writes [ACC33-2.9-5]", function()
  race("parallel loop copy(a)", each "if (i > 1) a(i) = a(i - 1)",
    "iteration i = 3 reads a(2), which iteration i = 2 writes", "seq")
end)

case("rejects: a reduction is missing [ACC33-2.9-5]", function()
  race("parallel loop copyin(a) copy(s)", each "s = s + a(i)", "iteration i = 2 reads s, which iteration i = 1 writes",
    "reduction(+: s)")
end)

case("rejects: a private copy is missing [ACC33-2.9-5]", function()
  race("kernels loop independent copy(a)", each "t = a(i)\na(i) = t", "iterations i = 1 and i = 2 both write t",
    "private(t)")
end)

case("rejects: an atomic construct is missing [ACC33-2.9-5]", function()
  race("parallel loop copy(a) copyin(index)", each "a(index(i)) = a(index(i)) + 1",
    "iteration i = 5 reads a(4), which iteration i = 4 writes", "atomic")
end)

case("rejects: iterations of nested loops are not independent [ACC33-2.9-5]", function()
  race("parallel loop gang copy(m)", "do i = 1, 4\n!$acc loop vector\ndo j = 1, 4\nm(1, i) = j\nend do\nend do",
    "iterations j = 1 and j = 2 both write m(1,1)")
end)

case("accepts: iterations with copies, or memory of their own, do not race [ACC33-2.9-5]", function()
  fortran(variables)
  fortran [[
    !$acc parallel loop copy(a) private(n)
    do i = 1, 8
      n = 9 - i
      t = a(i)
      a(i) = t + n
    end do
    !$acc parallel loop gang copy(m)
    do i = 1, 4
      !$acc loop vector
      do j = 1, 4
        m(j, i) = i + j
      end do
      do n = 2, 4
        m(1, i) = m(1, i) + m(n, i)
      end do
    end do
    !$acc parallel loop copyin(a) copy(m) copyin(index) reduction(+: s)
    do i = 1, 8
      s = s + a(i)
      !$acc atomic update
      m(mod(index(i), 4) + 1, 1) = m(mod(index(i), 4) + 1, 1) + 1
    end do
  ]]
  expect.host("a(1)", 9)
  expect.host("s", 72)
  expect.host("m(1,4)", 26)
end)

case("accepts: iterations that run in order may depend on each other [ACC33-2.9-5]", function()
  fortran(variables)
  fortran("!$acc parallel loop seq copy(a)\n" .. each "if (i > 1) a(i) = a(i - 1)")
  fortran("!$acc kernels loop copy(a)\n" .. each "if (i > 1) a(i) = a(i - 1) + 1")
  fortran("!$acc serial loop copy(a)\n" .. each "if (i > 1) a(i) = a(i - 1) + 1")
  expect.host("a", { 1, 2, 3, 4, 5, 6, 7, 8 })
end)
