-- Pointers: when they are attached, how long, and how they change. Sections of no elements.
scenario { title = "OpenMP: attached pointers and sections of no elements", rules = "openmp-5.1" }

declare [[
  double v[8], *p, *q, *r;
  int n = 4, zero = 0;
  struct node { int n; double *d; int k; double *e; struct node *next; } s, t, *np;
  double *rows[3];
]]
host.p = { 10, 11, 12, 13, 14, 15, 16, 17 }
host.r = { 20, 21, 22, 23 }
host.s = { n = 4, d = { 1, 2, 3, 4 }, k = 7, e = { 5, 6, 7, 8 } }
host.t = { n = 2, d = { 9, 8 } }

-- ------------------------------------------------------------------------------- pointers to arrays --

local function rows()
  declare "int rr[4][3]; int (*rows)[3], (**deep)[3]; struct matrix { int k; int (*rows)[3]; } m;"
  host.rows, host.m.rows = addr "rr[0]", addr "rr[0]"
  host.deep = addr "rows"
end

case("accepts: a section of a row or an element attaches the pointer to rows [OMP60-map-7 OMP60-map-10]",
function()
  rows()
  expect.moves(function()
    omp "target map(rows, rows[1][0:3])" "rows[1][1] = 5;"
  end, { h2d = { count = 2, bytes = 20 }, d2h = { count = 1, bytes = 12 } })
  expect.host("rr[1][1]", 5)
  omp "target map(rows[1][0:3])" "rows[1][2] = 6;"
  expect.host("rr[1][2]", 6)
  omp "target map(m.rows, m.rows[0][0:3])" "m.rows[0][1] = 7;"
  expect.host("rr[0][1]", 7)
  omp "target map(m.rows, m.rows[2][1])" "m.rows[2][1] = 8;"
  expect.host("rr[2][1]", 8)
  omp "target map((**deep)[:3], *deep)" "(**deep)[2] = 9;"
  expect.host("rr[0][2]", 9)
end)

case("differs: rows that no clause names are absent [OMP60-map-7 OMP60-map-10]", function()
  rows()
  expect.fails("out-of-bounds", function() omp "target map(rows, rows[1][0:3])" "rows[0][1] = 5;" end)
  expect.fails("out-of-bounds", function() omp "target map(rows[1][0:3])" "rows[2][2] = 6;" end)
end)

-- ---------------------------------------------------------------------------------------- attaching --

case("accepts: a pointer and its section are new on one construct, in any order [OMP60-map-7]", function()
  for _, text in ipairs { "map(to: p, p[0:8])", "map(to: p[0:8], p)", "map(to: p[0:8]) map(alloc: p)",
    "map(alloc: p) map(tofrom: p[2:4])", "map(from: p) map(to: p[0:8])" } do
    omp("target data " .. text)(function()
      expect.attached("p", 1)
      expect.device("p[3]", 13)
    end)
    expect.equal(#state().attached, 0)
    expect.equal(#state().present, 0)
  end
end)

case("accepts: a present pointer is attached to a new section [OMP60-map-7]", function()
  omp "target enter data map(to: p)"
  expect.detached "p"
  omp "target enter data map(to: p[0:8])"
  expect.attached "p"
  expect.device("p[7]", 17)
end)

case("accepts: a new pointer is attached to a present section [OMP60-map-7]", function()
  omp "target enter data map(to: p[0:8])"
  omp "target enter data map(to: p, p[0:8])"
  expect.attached "p"
  expect.count("p[0:8]", { dynamic = 2 })
  expect.count("p", { dynamic = 1 })
end)

case("accepts: a new pointer is attached by a part of its section [OMP60-map-7]", function()
  omp "target enter data map(to: p[0:8])"
  omp "target enter data map(to: p, p[4:2])"
  expect.attached "p"
  expect.device("p[0]", 10)
end)

case("accepts: a section attaches the pointer in a new structure [OMP60-map-7]", function()
  for _, text in ipairs { "map(to: s, s.d[0:4])", "map(to: s.d[0:4], s)", "map(to: s) map(from: s.d[0:4])",
    "map(to: s.d, s.n, s.d[0:4])" } do
    omp("target data " .. text)(function()
      expect.attached "s.d"
      expect.equal(#state().attached, 1)
    end)
  end
end)

case("accepts: members of members are attached, through pointers and in arrays [OMP60-map-7]", function()
  host.np = addr "s"
  omp "target data map(to: np->d, np->d[0:4])" (function() expect.attached "s.d" end)
  omp "target data map(to: np, np[0:1], np->d[0:4])" (function()
    expect.attached "np"
    expect.attached "s.d"
    omp "target" "np->d[1] = np->n;"
    expect.device("s.d[1]", 4)
  end)
  host.s.next = addr "t"
  omp "target data map(to: s, s.next[0:1], s.next->d[0:2])" (function()
    expect.attached "s.next"
    expect.attached "t.d"
    omp "target" "s.next->d[0] = 5;"
    expect.device("t.d[0]", 5)
  end)
  for i = 0, 2 do host.rows[i] = { i, i + 1 } end
  omp "target data map(to: rows) map(to: rows[0][0:2], rows[2][0:2])" (function()
    expect.attached "rows[0]"
    expect.detached "rows[1]"
    expect.attached "rows[2]"
  end)
end)

case("accepts: a body reaches mapped members through a pointer to their structure"
  .. " [OMP60-map-7 OMP60-map-10]", function()
  host.np = addr "s"
  expect.moves(function()
    omp "target map(np->d, np->d[0:4])" "np->d[1] = 50;"
  end, { h2d = { count = 2, bytes = 40 }, d2h = { count = 1, bytes = 32 } })
  expect.host("s.d[1]", 50)
  omp "target map(np->k)" "np->k = 49;"
  expect.host("s.k", 49)
  omp "target map(to: np->d) map(from: np->k)" "np->k = 51;"
  expect.host("s.k", 51)
  omp "target data map(np->k)" (function()
    omp "target map(np->k)" "np->k = 52;"
    expect.host("s.k", 51)
  end)
  expect.host("s.k", 52)
end)

case("rejects: a body uses members that are not mapped [OMPEX-struct_map-1]", function()
  host.np = addr "s"
  expect.fails("not-present", function() omp "target map(np->k)" "np->n = 51;" end)
  expect.fails("not-present", function() omp "target map(np->n, np->k)" "np->d = 0;" end)
end)

case("accepts: a pointer to the base of a present member or section finds the data [OMP60-map-10]", function()
  host.np = addr "s"
  expect.moves(function()
    omp "target data map(np->k)" (function() omp "target" "np->k = 52;" end)
  end, { h2d = { count = 1, bytes = 4 }, d2h = { count = 1, bytes = 4 } })
  expect.host("s.k", 52)
  omp "target data map(p[2:4])" (function() omp "target" "p[3] = 52;" end)
  expect.host("p[3]", 52)
end)

case("differs: a pointer to the base finds no absent members or elements [OMP60-map-10]", function()
  host.np = addr "s"
  omp "target data map(np->k)" (function()
    expect.fails("not-present", function() omp "target" "np->n = 52;" end)
  end)
  omp "target data map(p[2:4])" (function()
    expect.fails("out-of-bounds", function() omp "target" "p[1] = 52;" end)
  end)
end)

case("differs: a body that fails undoes the attachments and copies of its construct [OMP60-map-7]", function()
  omp "target enter data map(to: p, v)"
  host.v[0] = 50
  expect.fails("null-pointer", function() omp "target map(p[0:2]) map(always, to: v)" "int *z = 0; *z = 1;" end)
  expect.detached "p"
  expect.absent "p[0:2]"
  expect.device("v[0]", 0)
  omp "target enter data map(to: p[0:1])"
  local before = host.p
  host.p = { 7, 8, 9 }
  expect.fails("null-pointer", function() omp "target map(p[0:2])" "p[1] = 5; int *z = 0; *z = 1;" end)
  host.p = before
  expect.attached "p"
  omp "target map(p)" "p[0] = 5;"
  expect.device("p[0]", 5)
  expect.equal(#state().present, 3)
end)

case("differs: a body cannot use a pointer whose target was unmapped [OMP60-map-8]", function()
  omp "target enter data map(to: s, s.d[0:4])"
  omp "target exit data map(delete: s.d[0:4])"
  local err = expect.fails("out-of-bounds", function() omp "target" "s.d[0] = 50;" end)
  expect.equal(err.message, "the pointer s.d points to data that are not present on device 0 any more")
  expect.equal(err.rule, "OMP60-map-7")
  expect.detached "s.d"
  expect(state().attached[1].gone, "it still holds the address")
  omp "target enter data map(to: s.d[0:4])"
  expect.attached "s.d"
  omp "target" "s.d[0] = 50;"
  expect.device("s.d[0]", 50)
end)

case("differs: a pointer and a target that were both present before are not attached [OMP60-map-7]", function()
  omp "target enter data map(to: p[0:8])"
  omp "target enter data map(to: p)"
  expect.detached "p"
  omp "target enter data map(to: p[0:8])"
  expect.count("p[0:8]", { dynamic = 2 })
  expect.detached "p"
  omp "target enter data map(to: p, p[0:8])"
  expect.count("p[0:8]", { dynamic = 3 })
  expect.detached "p"
  omp "target enter data map(always, to: p, p[0:8])"
  expect.count("p[0:8]", { dynamic = 4 })
  expect.detached "p"
  expect.fails("host-pointer-on-device", function() omp "target map(p)" "p[0] = 1;" end)
end)

case("differs: a pointer is not attached if it is not a base pointer of a list item [OMP60-map-7]", function()
  expect.moves(function()
    omp "target data map(to: p, q) map(to: r[0:4])" (function()
      expect.detached "p"
      expect.detached "q"
    end)
  end, { h2d = { count = 3, bytes = 48 }, d2h = 0 })
  host.q = host.p
  omp "target data map(to: p) map(to: q[0:8])" (function()
    expect.present "p[0:8]"
    expect.detached "p"
    expect.absent "q"
  end)
  host.np = addr "s"
  omp "target data map(to: s, s.e[0:4])" (function()
    expect.attached "s.e"
    expect.detached "s.d"
  end)
end)

case("differs: target update does not attach [OMP60-map-7]", function()
  omp "target enter data map(to: p[0:8])"
  omp "target enter data map(to: p)"
  expect.moves(function() omp "target update to(p[0:8])" end, { h2d = { count = 1 } })
  expect.moves(function() omp "target update to(p)" end, { h2d = { count = 1 } })
  expect.detached "p"
end)

case("differs: a base pointer is not attached if it is absent [OMP60-map-7]", function()
  expect.moves(function()
    omp "target data map(to: s.d[0:4])" (function()
      expect.absent "s.d"
      expect.equal(#state().attached, 0)
    end)
  end, { h2d = { count = 1, bytes = 32 }, d2h = 0 })
end)

case("accepts: a new pointer that aliases another one is attached to present data [OMP60-map-7]", function()
  host.q = host.p + 2
  omp "target enter data map(to: p, p[0:8])"
  omp "target data map(to: q, q[0:4])" (function()
    expect.attached "q"
    expect.device("q[0]", 12)
    expect.device("q[-2]", 10)
    omp "target" "q[1] = 99;"
  end)
  expect.device("p[3]", 99)
end)

-- ------------------------------------------------------------------------------------- lifetime of an attachment --

case("accepts: a pointer stays attached until its target is unmapped [OMP60-map-8]", function()
  omp "target enter data map(to: p, p[0:8])"
  omp "target enter data map(to: p[0:8])"
  omp "target exit data map(release: p[0:8])"
  expect.attached "p"
  omp "target exit data map(release: p[0:8])"
  expect.present "p"
  expect.fails("out-of-bounds", function() omp "target map(p)" "p[0] = 1;" end)
end)

case("accepts: a pointer stays attached until the pointer is unmapped [OMP60-map-8]", function()
  omp "target enter data map(to: p, p[0:8])"
  omp "target exit data map(release: p)"
  expect.equal(#state().attached, 0)
  expect.present "p[0:8]"
  omp "target enter data map(to: p, p[0:8])"
  expect.attached "p"
end)

case("accepts: the host pointer keeps its value, whatever is copied to the host [OMP60-map-8]", function()
  local before = host.p
  expect.moves(function()
    omp "target map(tofrom: p, p[0:8])" "p[0] = 1;"
  end, { h2d = { count = 2, bytes = 72 }, d2h = { count = 1, bytes = 64 } })
  expect.equal(host.p, before)
  expect.moves(function()
    omp "target map(from: p) map(to: p[0:8])" ""
  end, { h2d = { count = 1, bytes = 64 }, d2h = 0 })
  expect.equal(host.p, before)
  local d = host.s.d
  omp "target data map(tofrom: s, s.d[0:4])" (function()
    expect.attached "s.d"
    omp "target" "s.n = 9;"
    omp "target update from(s)"
    expect.equal(host.s.d, d)
    expect.host("s.n", 9)
  end)
  expect.equal(host.s.d, d)
end)

case("accepts: the device pointer keeps its value, whatever is copied to the device [OMP60-map-8]", function()
  omp "target enter data map(to: s, s.d[0:4])"
  host.s.n = 8
  omp "target update to(s)"
  expect.device("s.n", 8)
  expect.attached "s.d"
  expect.device("s.d[1]", 2)
  host.s.n = 9
  omp "target data map(always, to: s)" (function()
    expect.device("s.n", 9)
    expect.device("s.d[1]", 2)
  end)
end)

case("accepts: a pointer may point to another target once its target is unmapped [OMP60-map-8]", function()
  omp "target enter data map(to: p, p[0:8])"
  host.q = host.p
  omp "target exit data map(release: q[0:8])"
  expect.absent "q[0:8]"
  host.p = host.r
  omp "target enter data map(to: p[0:4])"
  expect.attached "p"
  expect.device("p[0]", 20)
end)

case("rejects: a kernel changes an attached pointer [OMP60-map-8]", function()
  omp "target enter data map(to: p, p[0:8])"
  expect.fails("pointer-changed", function() omp "target map(p)" "p = p + 1;" end)
  expect.fails("pointer-changed", function() omp "target map(p)" "p = 0;" end)
  omp "target" "p = p + 1; p[0] = 12;" -- the body has its own copy of p
  expect.device("p[0:2]", { 10, 12 })
end)

-- ------------------------------------------------------------------------- sections of no elements --

case("accepts: a section of no elements maps nothing [OMP60-map-10]", function()
  for _, text in ipairs { "p[:0]", "p[0:0]", "p[2:0]", "p[:zero]", "v[0:0]", "p[0:n-4]", "s.d[:0]" } do
    expect.accepts("target data map(to: " .. text .. ")", function() expect.equal(#state().present, 0) end)
    omp("target enter data map(to: " .. text .. ")")
    omp("target exit data map(from: " .. text .. ")")
    expect.accepts("target map(" .. text .. ")", "")
    omp("target update to(" .. text .. ")")
    expect.equal(#state().present, 0)
  end
end)

case("accepts: a section of no elements attaches its pointer to present data [OMP60-map-10 OMP60-map-7]", function()
  for _, length in ipairs { "0", "zero" } do
    omp "target enter data map(to: p[0:8])"
    omp("target data map(to: p, p[:" .. length .. "])")(function()
      expect.attached "p"
      expect.device("p[7]", 17)
      expect.count("p[0:8]", { dynamic = 1, structured = 1 })
    end)
    omp("target data map(to: p[0:" .. length .. "], p)")(function() expect.attached "p" end)
    omp "target exit data map(delete: p[0:8])"
  end
end)

case("accepts: an address inside present data, or at their end, finds these data [OMP60-map-10]", function()
  host.q = host.p + 3
  omp "target enter data map(to: p[0:8])"
  omp "target data map(to: q, q[:0])" (function()
    expect.attached "q"
    expect.device("q[0]", 13)
  end)
  host.q = host.p + 8
  omp "target data map(to: q, q[:0])" (function()
    expect.attached "q"
    expect.device("q[-1]", 17)
  end)
  omp "target" "q[-1] = 5;"
  expect.device("p[7]", 5)
end)

case("accepts: data that begin at an address have precedence over data that end there [OMP60-map-10]", function()
  omp "target enter data map(to: p[0:4])"
  omp "target enter data map(to: p[4:4])"
  expect.present "p[0:4]"
  host.q = host.p + 4
  omp "target" "q[0] = 5;"
  expect.device("q[0]", 5)
  expect.fails("out-of-bounds", function() omp "target" "q[-1] = 5;" end)
end)

case("rejects: a body dereferences a pointer to absent data, which is null unless mapped [OMP60-map-10]", function()
  omp "target data map(to: p, p[:0])" (function()
    expect.present "p"
    expect.detached "p"
    expect.fails("host-pointer-on-device", function() omp "target map(p)" "p[0] = 1;" end)
  end)
  omp "target map(tofrom: n)" "if (p == 0) n = 40;"
  expect.host("n", 40)
  expect.fails("null-pointer", function() omp "target" "p[0] = 1;" end)
end)

case("accepts: from 5.2 on a pointer to absent data keeps its value [OMP60-map-10]", function()
  rules { base = "openmp-5.1", unmatched = "host" }
  declare "double *p; int n = 4;"
  host.p = { 1, 2 }
  omp "target map(tofrom: n)" "n = p == 0 ? 40 : 41;"
  expect.host("n", 41)
  expect.fails("host-pointer-on-device", function() omp "target" "p[0] = 1;" end)
end)

case("accepts: a null pointer is null on the device [OMP60-map-10]", function()
  host.p = NULL
  omp "target map(tofrom: n)" "if (p == 0) n = 40;"
  expect.host("n", 40)
  expect.accepts("target data map(to: p[:0])", function() expect.equal(#state().present, 0) end)
  omp "target data map(to: p, p[:0])" (function()
    expect.present "p"
    expect.detached "p"
  end)
end)

case("rejects: a section of a null pointer has elements [OMP60-map-10 OMP60-sec-1]", function()
  host.p = NULL
  expect.fails("null-pointer", function() omp "target data map(to: p[:1])" end)
  expect.fails("null-pointer", function() omp "target" "p[0] = 1;" end)
end)

case("rejects: a section of no elements has present, but no data are present [OMP60-map-10 OMP60-map-9]", function()
  for _, text in ipairs { "data map(present, to: p[:0])", "update to(present: p[:zero])",
    "data map(present, to: p[:1])" } do
    expect.fails("not-present", function() omp("target " .. text) end)
  end
  omp "target enter data map(to: p[0:1])"
  omp "target update to(present: p[:zero])"
end)

case("differs: a section of no elements does not attach if pointer and data are not new"
  .. " [OMP60-map-10 OMP60-map-7]", function()
  expect.moves(function() omp "target enter data map(to: p[0:8])" end, { h2d = { count = 1, bytes = 64 }, d2h = 0 })
  omp "target enter data map(to: p)"
  expect.present "p"
  omp "target enter data map(to: p[:0])"
  expect.count("p[0:8]", { dynamic = 2 })
  expect.detached "p"
end)

-- --------------------------------------------------------------------------------- attach, for all --

case("accepts: the knob attach can attach all base pointers, new or not [OMP61-1]", function()
  rules { base = "openmp-5.1", attach = "every" }
  declare "double *p; struct node { int n; double *d; } s;"
  host.p, host.s.d = { 1, 2 }, { 3, 4 }
  omp "target enter data map(to: p[0:2], s.d[0:2])"
  expect.present "p[0:2]"
  omp "target enter data map(to: p, s)"
  expect.detached "p"
  omp "target enter data map(to: p[0:2]) map(to: s.d[0:2])"
  expect.attached "p"
  expect.attached "s.d"
end)

case("rejects: a map has the modifier attach under 5.1 [OMP60-ver-1 OMP61-1]", function()
  expect.invalid("target data map(attach(always), to: p[0:8])", "clause-not-allowed", "OMP60-ver-1")
  expect.invalid("target data map(attach, to: p[0:8])", "clause-not-allowed", "OMP60-ver-1")
  expect.malformed "target update to(attach(never): p[0:8])"
end)

-- --------------------------------------------------------------------------- base pointers --

declare [[
  struct rec { int a, b; int *p; int c[3]; int *q; };
  int x, A[8], B[6];
  int *u, *w;
  struct rec S, T;
  struct rec *L;
]]
host.A = { 1, 2, 3, 4, 5, 6, 7, 8 }
host.B = { 11, 12, 13, 14, 15, 16 }
host.L = addr "T"
host.T = { a = 1, b = 2, c = { 3, 4, 5 } }

case("accepts: the base pointer of a member points to the member in a target construct"
  .. " [OMP60-map-7 OMP60-map-11]", function()
  omp "target map(L->b)" "L->b = 105;"
  expect.host("T.b", 105)
  expect.accepts("target map(to: L->c)", "L->c[1] = 7;")
  expect.host("T.c[1]", 4)
end)

case("differs: the base pointer of a member does not reach other members [OMP60-map-11]", function()
  expect.fails("not-present", function() omp "target map(L->b)" "L->a = 1;" end)
end)

case("accepts: a base pointer is firstprivate although it is present and not attached [OMP60-map-11]", function()
  host.w = addr "A[0]"
  expect.moves(function() omp "target enter data map(to: A)" end, { h2d = { count = 1, bytes = 32 }, d2h = 0 })
  omp "target enter data map(alloc: w)"
  expect.present "w"
  expect.detached "w"
  omp "target map(from: w[1:1])" "w[1] = 49; w = w + 1;"
  omp "target update from(A)"
  expect.host("A[1]", 49)
end)

case("accepts: a pointer without a clause finds a section by its base address [OMP60-map-10]", function()
  host.u = addr "A[0]"
  expect.moves(function()
    expect.accepts("target data map(u[2:3])", function() omp "target" "u[2] = 30;" end)
  end, { h2d = { count = 1, bytes = 12 }, d2h = { count = 1, bytes = 12 } })
  expect.host("A[2]", 30)
end)

case("rejects: a kernel uses elements before the start of a section [OMP60-map-10]", function()
  host.u = addr "A[1]"
  omp "target data map(u[2:3])" (function()
    expect.fails("out-of-bounds", function() omp "target" "u[1] = 3;" end)
    host.u = addr "A[0]"
    expect.fails("null-pointer", function() omp "target" "u[3] = 3;" end)
  end)
end)

case("accepts: a pointer without a clause finds a section that ends at its address [OMP60-map-10]", function()
  host.u = addr "A[4]"
  expect.moves(function()
    omp "target data map(A[0:4])" (function() omp "target" "u[-1] = 44;" end)
  end, { h2d = { count = 1, bytes = 16 }, d2h = { count = 1, bytes = 16 } })
  expect.host("A[3]", 44)
end)

case("accepts: private pointers to an address before their section do not reach its neighbours"
  .. " [OMP60-map-11]", function()
  host.u = addr "B[0]"
  expect.accepts("target data map(A, B[1:2])", function()
    omp "target map(from: u[1:2])" "u[1] = A[4] + 121;"
    expect.fails("out-of-bounds", function() omp "target map(from: u[1:2])" "u[0] = 1;" end)
  end)
  expect.host("B[1]", 126)
end)

case("accepts: a section of no elements counts the present data at its address [OMP60-map-10 OMP60-map-5]", function()
  host.u = addr "A[2]"
  omp "target enter data map(to: A)"
  host.A[2] = 30
  omp "target enter data map(always, to: u[:0])"
  expect.count("A", { dynamic = 2 })
  expect.device("A[2]", 3) -- nothing is copied
  omp "target data map(u[:0])" (function() expect.count("A", { structured = 1, dynamic = 2 }) end)
  omp "target exit data map(release: A)"
  expect.count("A", { dynamic = 1 })
  expect.accepts("target", "A[2] = 7;")
  omp "target exit data map(from: u[:0])"
  expect.absent "A"
  expect.host("A[2]", 30)
  omp "target enter data map(to: A)"
  omp "target enter data map(to: A)"
  expect.count("A", { dynamic = 2 })
  omp "target exit data map(delete: u[0:0])"
  expect.absent "A"
end)

case("differs: a section of no elements at the end of present data does not count them"
  .. " [OMP60-map-10 OMP60-map-6]", function()
  omp "target enter data map(to: A[0:4])"
  host.u = addr "A[4]"
  omp "target enter data map(to: u[:0])"
  omp "target exit data map(delete: u[:0])"
  expect.count("A[0:4]", { dynamic = 1 })
end)

case("accepts: a section of no elements satisfies present if its address is present"
  .. " [OMP60-map-9 OMP60-map-10]", function()
  expect.moves(function() omp "target enter data map(to: A[0:4])" end, { h2d = { count = 1, bytes = 16 }, d2h = 0 })
  expect.accepts("target map(present, alloc: A[2:0])", "x = 1;")
  omp "target exit data map(present, release: A[2:0])"
  expect.absent "A"
end)

case("rejects: a section of no elements has present, but its address is absent [OMP60-map-9 OMP60-map-10]", function()
  expect.fails("not-present", function() omp "target map(present, alloc: A[0:0])" "x = 1;" end)
  expect.fails("not-present", function() omp "target exit data map(present, release: A[0:0])" end)
  host.u = NULL
  local err = expect.fails("not-present", function() omp "target enter data map(present, alloc: u[:0])" end)
  expect.equal(err.rule, "OMP60-map-9")
end)

case("rejects: a kernel uses an attached pointer whose target was unmapped [OMP60-map-7]", function()
  host.S.p = addr "A[0]"
  omp "target enter data map(to: S.p, S.p[0:4])"
  omp "target exit data map(release: A[0:4])"
  local err = expect.fails("out-of-bounds", function() omp "target" "S.p[0] = 1;" end)
  expect.equal(err.rule, "OMP60-map-7")
  omp "target enter data map(to: S.p[0:8])"
  expect.accepts("target", "x = S.p[7];")
end)
