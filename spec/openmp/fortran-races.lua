-- Data races between iterations of loops that teams and threads divide: bodies in Fortran.
scenario { title = "OpenMP in Fortran: data races between iterations", language = "fortran", rules = "openmp-6.0" }

local variables = [[
  integer :: i, j, n = 0, t
  real :: a(8) = [1, 2, 3, 4, 5, 6, 7, 8], m(4, 4) = 0, s = 0
]]

-- The statements have a race; nothing has changed.
local function race(text, message, help)
  fortran(variables)
  local err = expect.fails("data-race", function() fortran(text) end)
  expect.equal(err.rule, "OMP60-race-1")
  expect.equal(err.message, message)
  expect.equal(err.help:find(help, 1, true) ~= nil, true)
  expect.host("a", { 1, 2, 3, 4, 5, 6, 7, 8 })
  expect.host("s", 0)
end

local function each(text) return "\ndo i = 1, 8\n" .. text .. "\nend do" end

case("rejects: threads use what other threads write [OMP60-race-1]", function()
  race("!$omp target teams distribute parallel do map(tofrom: a)" .. each "if (i > 1) a(i) = a(i - 1)",
    "iteration i = 3 reads a(2), which iteration i = 2 writes", "one thread")
end)

case("rejects: a loop inside of a parallel region has a race [OMP60-race-1]", function()
  race("!$omp target map(tofrom: s)\n!$omp parallel\n!$omp do" .. each "s = s + i"
    .. "\n!$omp end parallel\n!$omp end target", "iteration i = 2 reads s, which iteration i = 1 writes",
    "reduction(+: s)")
end)

case("rejects: a private copy is missing [OMP60-race-1]", function()
  race("!$omp target parallel do map(tofrom: a)" .. each "t = i\na(i) = t",
    "iterations i = 1 and i = 2 both write t", "private(t)")
end)

case("accepts: copies, reductions, and atomic and critical regions do not race [OMP60-race-1]", function()
  fortran(variables)
  fortran [[
    !$omp target teams distribute parallel do map(tofrom: a) private(t) reduction(+: s)
    do i = 1, 8
      t = i
      s = s + a(i)
      a(i) = t
    end do
    !$omp target map(tofrom: m, n, s)
    !$omp parallel private(t)
    t = 0
    !$omp do reduction(+: s)
    do i = 1, 4
      do j = 1, 4
        m(j, i) = i + j
        s = s + 1
      end do
      t = t + i
    end do
    !$omp critical
    n = n + t
    !$omp end critical
    !$omp do
    do i = 1, 8
      !$omp atomic
      n = n + i
    end do
    !$omp end parallel
    !$omp end target
  ]]
  expect.host("s", 52)
  expect.host("n", 46)
end)
