-- Mutated Fortran texts, under several rule profiles. Each text must succeed or raise an error of accdeep with a
-- location, and the session must stay consistent. ACCDEEP_SEED and ACCDEEP_ROUNDS select other runs.

scenario { title = "mutated Fortran texts", cites = { "HOUSE-scenario" } }

package.path = "tests/random/?.lua;" .. package.path

local mutate = require "mutate"
local mutated_texts = require "mutated_texts"
local runner = require "accdeep.steps.runner"

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
  type, extends(t) :: d
    complex :: z = (1, 2)
  end type d
  type h
    class(t), pointer :: p
    class(t), allocatable :: v(:)
  end type h
  type(d), target :: dx, ds(2)
  type(h) :: hx
  class(t), pointer :: cp, cs(:)
  complex(8) :: w(2) = (0, 1)
  type pair
    integer :: i
    real :: r
  end type pair
  type(pair) :: u(2)
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
  "!$acc parallel copy(c, total)\n!$acc loop gang private(k) reduction(max:total) collapse(1)\ndo i = 1, 3\n"
    .. "!$acc cache(c(i:i))\nk = i\ntotal = max(total, c(k))\nend do\n!$acc atomic capture\nc(1) = total\n"
    .. "total = total + 1\n!$acc end atomic\n!$acc atomic\ntotal = total - c(2)\n!$acc end parallel",
  "call down(a(1))\ncontains\nsubroutine down(w)\nreal :: w\ninteger :: j\n!$acc routine seq\n"
    .. "!$acc loop seq reduction(+:w)\ndo j = 1, 2\nw = w + j\nend do\nend subroutine",
  "!$acc enter data copyin<bare>(x)\n!$acc enter data attach(x%p)\nx%p => b\n"
    .. "!$acc enter data copyin(x%p(:,2:3), y(2)%v)",
  "x%v = [1., 2.]\n!$acc data copyin(x)::{ include(v(2:2)) } copyin<bare>(y)\n!$acc update self(x%v(2:))\n"
    .. "!$acc end data",
  "a(1) = b(1,1); name = 'x' // name; flag = .not. flag .or. a(1) >= 2.0_8; total = real(n, 8) / 2 - 1e-3",
  "type u\n real :: r = 1\n type(t) :: in(2)\n character(len=3) :: s\nend type u\ntype(u) :: z\nz%in(2)%v = [2.]\n"
    .. "!$acc data copy(z) copyin(y(1:2))\n!$acc update device(z%in(2)%v) if_present\n!$acc end data",
}

for _, text in ipairs {
  "cp => dx; hx%p => ds(2); allocate(d :: hx%v(2)); cs => ds; print *, same_type_as(cp, dx), cs(2)%k, storage_size(cp)",
  "cp => dx\nselect type (z => cp)\ntype is (d)\nz%z = 2 * conjg(z%z)\nclass is (t)\nz%k = 1\nclass default\n"
    .. "z%k = 2\nend select\nallocate(hx%p, source = dx); deallocate(hx%p)",
  "cp => dx; hx%p => dx\n!$acc enter data copyin(hx, dx) attach(hx%p)\n!$acc serial present(hx)\n"
    .. "select type (q => hx%p)\ntype is (d)\nq%z%re = 3\nclass is (t)\nq%k = 1\nend select\n!$acc end serial\n"
    .. "hx%p => x\n!$acc exit data detach(hx%p) finalize\n!$acc exit data delete(dx)",
  "allocate(hx%v(2), mold = dx)\n!$acc data copy(hx, hx%v)\n!$acc update self(hx%v(1))\n!$acc end data\ncall poly(dx)\n"
    .. "contains\nsubroutine poly(o)\nclass(t) :: o\n!$acc serial copy(o)\nselect type (o)\ntype is (d)\no%z = (3, 4)\n"
    .. "end select\n!$acc end serial\nend subroutine",
  "type, extends(pair) :: three\ninteger :: l = 2\nend type three\ntype(three) :: f = three(1, 2., 3)\n"
    .. "u = pair(i = 2, r = 1.5); x = t(k = 3, p = null()); print *, f%pair%i, u%r\n!$acc serial copy(u)\n"
    .. "u(1) = pair(4, 5)\n!$acc end serial",
  "w = w * (1.0, -1.0) ** 2 + cmplx(n, total); print *, abs(w), aimag(w(1)), w%im, real(w) == 2, sum(w)\n"
    .. "!$acc parallel copy(w)\nw(2)%re = 7\n!$acc end parallel",
  "where (a > 1) a = 1 / a\nwhere (b /= 0)\nb = sum(b)\nwhere (b > 1)\nb = 2\nend where\nelsewhere (b > -1)\nb = -b\n"
    .. "elsewhere\nb = 0\nend where\n!$acc serial copy(b)\nwhere (b == 0) b = 1\n!$acc end serial",
  "call any(a); call any(b); call any(b(1,2))\ncontains\nsubroutine any(z)\nreal :: z(..)\nprint *, rank(z), size(z)\n"
    .. "!$acc enter data copyin(z)\nselect rank (v => z)\nrank (1)\nv(2) = 1\nrank (2)\n!$acc update device(v(:,1))\n"
    .. "rank default\nprint *, shape(v)\nend select\nend subroutine",
} do corpus[#corpus + 1] = text end

local layouts = { "cfi", "flang", "gfortran" }
local profiles = { "tr14", "tr14x", "openacc-2.0", "openacc-3.3", "libgomp-12", "directory" }

local function fresh()
  return runner.open({ device_bytes = 1 << 20, language = "fortran", rules = profiles[math.random(#profiles)],
    descriptors = layouts[math.random(#layouts)], device = os.getenv "ACCDEEP_TEST_DEVICE" }, DECLARATIONS).session
end

-- Names for mutations that still parse: a name replaces another one of the text.
local words = {}
for word in (DECLARATIONS .. table.concat(corpus, "\n")):gmatch "%a[%w_]*" do words[#words + 1] = word end

local function renamed(text)
  local _, n = text:gsub("%a[%w_]*", "")
  local at, seen = math.random(n), 0
  return (text:gsub("%a[%w_]*", function()
    seen = seen + 1
    return seen == at and words[math.random(#words)] or nil
  end))
end

mutated_texts.run { rounds = 3000, every = 8, fresh = fresh, next = function(s)
  local text = corpus[math.random(#corpus)]
  local change = math.random(2) == 1 and mutate or renamed
  for _ = 1, math.random(3) do text = change(text) end
  return text, function() s:declare(text, "text", 1) end, 100
end }

-- Texts that are not mutated must succeed under their rules.
for _, text in ipairs(corpus) do
  local run = runner.open({ language = "fortran", rules = "openacc-3.3" }, DECLARATIONS)
  local ok, err = pcall(run.run, run, { kind = "fortran", text = text, file = "text", line = 1 })
  if not ok then error(("%s\n  %q"):format(tostring(err), text), 0) end
  run.session:close()
end
