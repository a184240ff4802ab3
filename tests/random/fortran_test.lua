-- Mutated Fortran texts, under several rule profiles: whatever the text, the outcome is success or an error of
-- ours with a place, and the session is sound. ACCDEEP_SEED and ACCDEEP_ROUNDS choose others.

scenario { title = "mutated Fortran texts", cites = { "HOUSE-scenario" } }

package.path = "tests/random/?.lua;" .. package.path

local diagnostic = require "accdeep.diagnostic"
local mutate = require "mutate"
local session = require "accdeep.session"

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 1
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 3000

local DECLARATIONS = [[
  integer :: n = 3, k, i
  real, target :: a(0:9), b(2,3)
  real, pointer :: p(:), q(:,:), s
  real, allocatable :: c(:)
  real(8) :: total = 1.5d0
  logical :: flag = .true.
  character(len=4) :: name = 'abc'
  type t
    integer :: k = 7
    real, pointer :: p(:,:)
    real, allocatable :: v(:)
    !$acc shape(bare) exclude(v)
    !$acc shape(some) include(v(1:k-5), p(:,2))
  end type t
  type(t), target :: x, y(3)
  type(t), pointer :: xp, ys(:)
  c = [1., 2., 3.]
]]

local corpus = {
  "p => a(1:9:2); q(0:1,0:4) => a\nprint *, p(2), lbound(q), q(1,:), size(b, 2), associated(p, a)",
  "x%v = [1.,2.]; y = x; y(2)%v(1) = 5; deallocate(x%v); print *, y%k, y(2)%v",
  "allocate(x%p(2:8,3), xp, ys(4)); xp%k = 3; ys(2) = xp; deallocate(x%p); nullify(xp)",
  "do i = 1, 3\nif (mod(i,2) == 0) then\n a(i) = i\nelse if (i > 2) then\n exit\nelse\n cycle\nend if\nend do",
  "do while (n > 0 .and. flag)\n n = n - 1\nend do\nprint *, n, (/1,2/), [(i*i, i=1,3)], reshape([1,2,3,4],[2,2])",
  "call sub(a(1:5), x, n+1)\ncontains\nsubroutine sub(z, w, m)\nreal :: z(10:)\ntype(t) :: w\ninteger :: m\n"
    .. "real, allocatable :: l(:)\nallocate(l(m)); l = 1; z(11) = sum(l)\nw%k = twice(m)\nend subroutine\n"
    .. "integer function twice(j)\ninteger :: j\ntwice = 2 * j\nend function",
  "select case (n)\ncase (1:2, 5)\n k = 1\ncase default\n k = 2\nend select",
  "!$acc data copyin(x, c) copy(b)\n!$acc serial present(x)\nx%k = 2\nb(1,1) = c(2)\nprint *, x%k\n!$acc end serial\n"
    .. "!$acc end data\nprint *, b(1,1)",
  "!$acc enter data copyin(a(2:8), b(:,2)) &\n!$acc& create(c)\n!$acc update self(a(3:4)) if(n > 1)\n"
    .. "!$acc exit data delete(a(2:8)) finalize\ncall acc_detach(c)",
  "!$acc parallel loop reduction(+:total) private(k) copy(c)\ndo i = 1, 3\ntotal = total + c(i) ** 2\nend do",
  "!$acc enter data copyin<bare>(x)\n!$acc enter data attach(x%p)\nx%p => b\n"
    .. "!$acc enter data copyin(x%p(:,2:3), y(2)%v)",
  "x%v = [1., 2.]\n!$acc data copyin(x)::{ include(v(2:2)) } copyin<bare>(y)\n!$acc update self(x%v(2:))\n"
    .. "!$acc end data",
  "a(1) = b(1,1); name = 'x' // name; flag = .not. flag .or. a(1) >= 2.0_8; total = real(n, 8) / 2 - 1e-3",
  "type u\n real :: r = 1\n type(t) :: in(2)\n character(len=3) :: s\nend type u\ntype(u) :: z\nz%in(2)%v = [2.]\n"
    .. "!$acc data copy(z) copyin(y(1:2))\n!$acc update device(z%in(2)%v) if_present\n!$acc end data",
}

local profiles = { "tr14", "tr14x", "openacc-2.0", "openacc-3.3", "libgomp-12", "directory" }

local s
local function fresh()
  if s then s:close() end
  s = session.new { device_bytes = 1 << 20, language = "fortran", rules = profiles[math.random(#profiles)] }
  s:fortran(DECLARATIONS, "text", 1)
end

local function complain(text, what)
  error(("seed %d, %s: %s\n  %q"):format(seed, s.rules.name, what, text), 0)
end

math.randomseed(seed)
for round = 1, rounds do
  if not s or round % 8 == 0 then fresh() end
  local text = corpus[math.random(#corpus)]
  for _ = 1, math.random(3) do text = mutate(text) end
  -- a loop that lost its end would run for ever: steps are counted
  local ok, err = pcall(function()
    local steps, co = 0, coroutine.create(function() s:fortran(text, "text", 1) end)
    debug.sethook(co, function()
      steps = steps + 1
      if steps > 100 then error({ stopped = true }, 0) end
    end, "", 10000)
    local fine, problem = coroutine.resume(co)
    if not fine then error(problem, 0) end
  end)
  local stopped = type(err) == "table" and err.stopped
  if not ok and not stopped then
    if not diagnostic.is(err) then complain(text, "a plain error: " .. tostring(err)) end
    local phase = diagnostic.phase(err.code)
    if not phase or phase == "internal" then complain(text, "an internal error: " .. err.message) end
    if not err.rule then complain(text, err.code .. " without a rule: " .. err.message) end
    if not err.file or not err.line then complain(text, err.code .. " without a place: " .. err.message) end
    if (phase == "text" or phase == "static") and text:find "%S" and not err.column then
      complain(text, err.code .. " without a column: " .. err.message)
    end
  end
  local wrong = s.ctx:check()
  if wrong then complain(text, wrong) end
  if stopped then fresh() end
end

-- Whole texts hold under the rules they are written for.
for _, text in ipairs(corpus) do
  s:close()
  s = session.new { language = "fortran", rules = "openacc-3.3" }
  s:fortran(DECLARATIONS, "text", 1)
  local ok, err = pcall(s.fortran, s, text, "text", 1)
  if not ok then complain(text, tostring(err)) end
end
s:close()
