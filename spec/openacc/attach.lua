-- Deep copies by hand, as programs do them: structures, lists, tables of rows, one pointer at a time.
-- The cases run under OpenACC 3.3 and under libgomp 12. The two differ if a structure is absent: then libgomp
-- also maps the member that points to a section.
scenario { title = "OpenACC: attach and detach in programs" }

local profiles = { "openacc-3.3", "libgomp-12" }

-- A case for some profiles; the steps get the profile's name.
local function each(name, program, steps, only)
  local kind, what, ids = name:match "^(%l+: )(.*)( %[.*)$"
  for _, profile in ipairs(only or profiles) do
    case(("%s%s under %s%s"):format(kind, what, profile, ids), function()
      rules(profile)
      declare(program)
      steps(profile)
    end)
  end
end

local function first(n, value)
  local list = {}
  for i = 0, n - 1 do list[i + 1] = value(i) end
  return list
end

-- -------------------------------------------------------------------------------- one structure --

each("accepts: members alone are attached by the clause that copies them [ACC33-att-5]",
  "struct s { int a; int *b; }; struct s v; int n = 10;", function()
    host.v = { a = 7, b = first(10, function() return 0 end) }
    local before = host.v.b
    expect.moves(function()
      acc "parallel loop copy(v.a, v.b[:n])" "for (int i = 0; i < n; i++) v.b[i] = v.a;"
    end, { h2d = { count = 2, bytes = 44 }, d2h = { count = 2, bytes = 44 } })
    expect(host.v.b == before)
    expect.equal(host "v.b[0:10]", first(10, function() return 7 end))
    expect.absent "v"
    expect.absent "v.b[0:10]"
  end, { "libgomp-12" })

each("differs: a clause on members alone does not map the structure [ACC33-att-6]",
  "struct s { int a; int *b; }; struct s v; int n = 10;", function()
    host.v = { a = 7, b = first(10, function() return 0 end) }
    expect.fails("not-present", function()
      acc "parallel loop copy(v.a, v.b[:n])" "for (int i = 0; i < n; i++) v.b[i] = v.a;"
    end)
  end, { "openacc-3.3" })

local three = "struct s { int n; float *a, *b, *c, *d; }; struct s S; int N = 16, n = 10;"

local function fill()
  host.S = { n = 16 }
  for _, name in ipairs { "a", "b", "c", "d" } do
    host.S[name] = first(16, function() return 0 end)
  end
end

each("accepts: a region is inside a region, and a kernel attaches a second time [ACC33-att-3 ACC33-2.7.1-5]",
  three, function()
    fill()
    local before = host.S.a
    expect.accepts("data copy(S)", function()
      acc "data copy(S.a[0:10])" (function()
        expect.attached("S.a", 1)
        acc "parallel loop attach(S.a)" (function(d)
          expect.attached("S.a", 2)
          for i = 0, 9 do d.S.a[i] = i end
        end)
        expect.attached("S.a", 1)
      end)
      expect.detached "S.a"
    end)
    expect(host.S.a == before)
    expect.equal(host "S.a[0:10]", first(10, function(i) return i end))
  end)

each("accepts: a pointer variable is attached once both sides are present [ACC33-att-1]",
  "int a[8], *b; int n = 8;", function()
    acc "enter data create(a, b)"
    host.b = addr "a[0]"
    acc_attach(addr "b")
    acc "parallel loop present(b[:n])" "for (int i = 0; i < n; i++) b[i] = i + 5;"
    acc_detach(addr "b")
    expect.detached "b"
    expect.moves(function() acc "exit data copyout(a, b)" end, { h2d = 0, d2h = { count = 2, bytes = 40 } })
    expect(host.b == addr "a[0]")
    expect.equal(host "b[0:8]", host "a[0:8]")
    expect.host("a[7]", 12)
  end)

each("accepts: members alone are mapped three times and unmapped with finalize [ACC33-2.6.7-3]", three,
  function()
    fill()
    for round = 1, 4 do
      host.S.n = round
      acc "enter data copyin(S.n, S.b[0:n])"
      for _ = 1, 2 do acc "enter data pcopyin(S.b[0:n])" end
      expect.attached("S.b", 3)
      acc "parallel loop present(S.n, S.b)" "for (int i = 0; i < n; i++) S.b[i] = S.n + i;"
      acc "exit data copyout(S.b[:n]) finalize"
      acc "exit data delete(S.n)"
      expect.equal(host "S.b[0:10]", first(10, function(i) return round + i end))
      expect.absent "S"
      expect.absent "S.b[0:10]"
      expect.detached "S.b"
    end
  end, { "libgomp-12" })

each("accepts: one directive copies out members alone [ACC33-2.7-1]", three, function()
  fill()
  expect.moves(function()
    acc "enter data copyin(S.n, S.a, S.c[0:N])"
  end, { h2d = { count = 3, bytes = 76 }, d2h = 0 })
  acc "serial present(S.n, S.a, S.c[0:N])" "S.n = 3; S.a = 0; for (int i = 0; i < N; i++) S.c[i] = i;"
  acc "exit data copyout(S.n, S.a, S.c[0:N])"
  expect.host("S.n", 3)
  expect(host.S.a == NULL)
  expect.equal(host "S.c[0:16]", first(16, function(i) return i end))
  expect.equal(#state().present, 0)
end, { "libgomp-12" })

each("accepts: four members of a present structure are mapped and unmapped again and again"
  .. " [ACC33-2.7-1]", three, function()
  fill()
  acc "enter data copyin(S)"
  for round = 1, 3 do
    acc "enter data copyin(S.n, S.a[:n], S.b[:n], S.c[:n])"
    acc "parallel loop present(S)" (function(d)
      for i = 0, 9 do d.S.b[i] = d.S.n + round end
    end)
    acc "exit data copyout(S.n)"
    acc "exit data copyout(S.a[:n])"
    acc "exit data copyout(S.b[:n])"
    acc "exit data copyout(S.c[:n])"
    expect.present "S"
    for _, name in ipairs { "a", "b", "c" } do
      expect.detached("S." .. name)
      expect.absent("S." .. name .. "[0:10]")
    end
    expect.host("S.b[9]", 16 + round)
  end
  acc "exit data copyout(S)"
  expect.absent "S"
end)

each("accepts: a pointer points to a structure, and two of its members are mapped in turn [ACC33-att-5 ACC33-2.7-1]",
  three .. " struct s *m = &S;", function()
    fill()
    local a, b = host.S.a, host.S.b
    expect.moves(function() acc "enter data copyin(m[0:1])" end, { h2d = { count = 1, bytes = 40 }, d2h = 0 })
    for _ = 1, 33 do
      acc "parallel loop copy(m->a[0:N])" "for (int i = 0; i < N; i++) m->a[i]++;"
      acc "parallel loop copy(m->b[0:N])" "for (int i = 0; i < N; i++) m->b[i]++;"
    end
    expect.accepts "exit data copyout(m[0:1])"
    expect(host.S.a == a and host.S.b == b)
    expect.equal(host "S.a[0:16]", first(16, function() return 33 end))
    expect.equal(host "S.b[0:16]", first(16, function() return 33 end))
  end)

each("accepts: two queues use the members of a structure in turn"
  .. " [ACC33-att-5]", three .. " int turn, other;", function()
  fill()
  expect.moves(function() acc "enter data copyin(S)" end, { h2d = { count = 1, bytes = 40 }, d2h = 0 })
  for i = 0, 9 do
    host.turn, host.other = i % 2, (i + 1) % 2
    acc "parallel loop copy(S.a[0:N]) async(turn)" "for (int i = 0; i < N; i++) S.a[i]++;"
    acc "parallel loop copy(S.b[0:N]) async(other)" "for (int i = 0; i < N; i++) S.b[i]++;"
  end
  expect.accepts "exit data copyout(S) wait(0, 1)"
  expect.host("S.a[15]", 10)
  expect.host("S.b[0]", 10)
end)

each("accepts: a section does not begin at the address in its pointer [ACC33-att-5]",
  three .. " struct s *m = &S;", function()
    fill()
    expect.moves(function() acc "enter data copyin(m[0:1])" end, { h2d = { count = 1, bytes = 40 }, d2h = 0 })
    for _ = 1, 9 do
      acc "parallel loop copy(m->b[0:N], m->c[5:N-10])"
        "for (int j = 0; j < N; j++) { m->b[j]++; if (j > 5 && j < N - 5) m->c[j]++; }"
    end
    expect.accepts "exit data copyout(m[0:1])"
    expect.equal(host "S.b[0:16]", first(16, function() return 9 end))
    expect.equal(host "S.c[0:16]", first(16, function(i) return i > 5 and i < 11 and 9 or 0 end))
  end)

-- -------------------------------------------------------------------------------- chains and tables --

local list = "struct node { int value; struct node *next; }; struct node *head, *fresh, *second; int sum;"

-- Inserts an element after the head of a list, on both sides.
local function insert(value, attach, detach, enter)
  host.fresh = alloc("struct node", 1)
  host.fresh[0] = { value = value }
  host.fresh[0].next = host.head[0].next
  if host.head[0].next ~= NULL then detach "head[0].next" end
  expect.detached "head[0].next"
  host.head[0].next = host.fresh
  enter()
  attach "head[0].next"
  if host.fresh[0].next ~= NULL then attach "fresh[0].next" end
end

local function remove(attach, detach, delete)
  host.second = host.head[0].next
  detach "head[0].next"
  expect.detached "head[0].next"
  host.head[0].next = host.second[0].next
  if host.second[0].next ~= NULL then
    detach "second[0].next"
    expect.detached "second[0].next"
    attach "head[0].next"
    expect.attached("head[0].next", 1)
  end
  delete()
end

local function walk(wanted)
  host.sum = 0
  expect.moves(function()
    acc "parallel present(head[0:1]) copy(sum)"
      "for (struct node *at = head->next; at; at = at->next) sum += at->value;"
  end, { h2d = { count = 1, bytes = 4 }, d2h = { count = 1, bytes = 4 } })
  expect.host("sum", wanted)
end

each("accepts: a list grows at its front, and its elements are removed again"
  .. " [ACC33-att-1 ACC33-det-1]", list, function()
  local function attach(text) acc(("enter data attach(%s)"):format(text)) end
  local function detach(text) acc(("exit data detach(%s)"):format(text)) end
  host.head = alloc("struct node", 1)
  acc "enter data copyin(head[0:1])"
  for i = 1, 10 do
    insert(i, attach, detach, function() acc "enter data copyin(fresh[0:1])" end)
  end
  walk(55)
  for _ = 1, 10 do
    remove(attach, detach, function() acc "exit data delete(second[0:1])" end)
  end
  expect.equal(#state().present, 1)
  expect.equal(#state().attached, 0)
end)

each("accepts: a list grows at its front by routines [ACC33-2.7-7]", list, function()
  host.head = alloc("struct node", 1)
  acc_copyin "head[0:1]"
  expect.moves(function()
    for _ = 1, 10 do
      insert(2, acc_attach, acc_detach, function() acc_copyin "fresh[0:1]" end)
    end
  end, { h2d = { count = 10, bytes = 160 }, d2h = 0 })
  walk(20)
  for _ = 1, 10 do remove(acc_attach, acc_detach, function() acc_delete "second[0:1]" end) end
  acc_delete "head[0:1]"
  expect.equal(#state().present, 0)
end)

each("accepts: a table of pointers points to rows that are mapped [ACC33-att-7]",
  "struct s { int a; int **b; }; struct s v; int n = 20;", function()
    host.v = { a = 3, b = first(20, function() return first(8, function() return 0 end) end) }
    for round = 1, 4 do
      host.v.a = 3 * round
      acc "data copy(v)" (function()
        acc "data copy(v.b[:n])" (function()
          for i = 0, 19 do
            acc_copyin(("v.b[%d][0:8]"):format(i))
            acc_attach(("v.b[%d]"):format(i))
          end
          acc "parallel loop present(v)"
            "for (int i = 0; i < 20; i++) for (int j = 0; j < 8; j++) v.b[i][j] = v.a + i + j;"
          for i = 0, 19 do
            acc_detach(("v.b[%d]"):format(i))
            acc_copyout(("v.b[%d][0:8]"):format(i))
          end
        end)
      end)
      expect.equal(host "v.b[7][0:8]", first(8, function(j) return 3 * round + 7 + j end))
      expect.equal(#state().present, 0)
    end
  end)

each("accepts: a program attaches a pointer in the middle of a chain by hand [ACC33-att-5]",
  "struct s { struct s *next; int *a; }; struct s first, second, *m = &first; int N = 8;", function()
    host.first.a, host.second.a = first(8, function() return 0 end), first(8, function() return 0 end)
    host.first.next = addr "second"
    expect.moves(function() acc "enter data copyin(m[0:1])" end, { h2d = { count = 1, bytes = 16 }, d2h = 0 })
    acc "enter data copyin(m->next[0:1])"
    for _ = 1, 9 do
      acc_attach "m->next"
      acc "parallel loop copy(m->next->a[0:N])" "for (int i = 0; i < N; i++) m->next->a[i]++;"
      acc_detach "m->next"
      expect.absent "m->next->a[0:8]"
    end
    expect.host("second.a[7]", 9)
    expect.host("first.a[7]", 0)
  end)

each("differs: a clause attaches only the innermost pointer of a chain [ACC33-att-5]",
  "struct s { struct s *next; int *a; }; struct s first, second, *m = &first; int N = 8;", function()
    host.second.a = first(8, function() return 0 end)
    host.first.next = addr "second"
    acc "enter data copyin(first, second)"
    acc "data copy(m->next->a[0:N])" (function()
      expect.attached("second.a", 1)
      expect.detached "first.next"
    end)
  end)

each("accepts: each pointer of a table has a counter of its own [ACC33-att-1]",
  "int *table[128], values[128], sum;", function()
    local wanted = 0
    for i = 0, 127 do
      host.values[i] = 3 * i
      host.table[i] = addr(("values[%d]"):format(127 - i))
      wanted = wanted + 3 * i
    end
    acc "enter data copyin(table[0:128], values[0:128])"
    for i = 0, 127 do acc(("enter data attach(table[%d])"):format(i)) end
    expect.attached("table[77]", 1)
    acc "parallel loop copyin(table[0:128], values[0:128]) reduction(+: sum)"
      "for (int i = 0; i < 128; i++) sum += *table[i];"
    expect.host("sum", wanted)
    for i = 0, 127 do acc(("exit data detach(table[%d])"):format(i)) end
    expect.equal(#state().attached, 0)
  end)

local array = "struct s { int *a; }; struct s m[32]; int k, N = 4;"

each("accepts: a clause on a member of a present element attaches the member [ACC33-att-2]", array, function()
  host.m[0].a = { 1, 2, 3, 4 }
  acc "enter data copyin(m[0:1])"
  acc "data copy(m[k].a[0:N])" (function() expect.attached("m[0].a", 1) end)
end)

each("differs: a clause on a member of an absent element does not attach"
  .. " [ACC33-att-2]", array, function(profile)
  for i = 0, 31 do host.m[i].a = { 1, 2, 3, 4 } end
  acc "enter data copyin(m[0:1])"
  expect.present "m[0:1]"
  host.k = 5
  local code = profile == "libgomp-12" and "not-present" or "out-of-bounds"
  expect.fails(code, function()
    acc "parallel present(m[0:1]) copy(m[k].a[0:N])" "m[k].a[0] = 9;"
  end)
end)

-- -------------------------------------------------------------------------------------- counters --

local plain = "struct s { int *data; }; struct s S; int values[4] = { 1, 2, 3, 4 }; int *p = values;"

each("accepts: attach and detach do not change reference counters [ACC33-att-1 ACC33-att-7]", plain,
  function()
    host.S.data = addr "values[0]"
    acc_copyin "S"
    acc_create "values"
    for i = 1, 20 do
      if i % 2 == 0 then acc_attach "S.data" else acc "enter data attach(S.data)" end
      expect.attached("S.data", 1)
      if i % 3 == 0 then acc_detach "S.data" else acc "exit data detach(S.data)" end
      expect.detached "S.data"
    end
    expect.count("S", { dynamic = 1 })
    expect.count("values", { dynamic = 1 })
    acc_delete "values"
    expect.absent "values"
    acc_copyout "S"
    expect.absent "S"
    expect(host.S.data == addr "values[0]")
  end)

each("accepts: an attached pointer is unmapped although its attach counter is high [ACC33-2.6.7-3]", plain, function()
  acc_copyin "values"
  acc_copyin "p"
  for _ = 1, 10 do acc_attach "p" end
  expect.attached("p", 10)
  acc_delete "p"
  expect.absent "p"
  expect.detached "p"
  acc_copyin "p"
  acc_attach "p"
  expect.attached("p", 1)
end)

each("accepts: the device pointer is the result of acc_create, and after detach the host's value [ACC33-det-1]",
  "int value = 4, *p = &value; long bits;", function(profile)
    local there = acc_create "value"
    acc "enter data copyin(p)"
    acc "enter data attach(p)"
    expect.attached("p", profile == "libgomp-12" and 1 or 2) -- libgomp's copyin does not attach
    acc "parallel present(p) copyout(bits)" "bits = (long) p;"
    expect(acc_hostptr(host.bits) == addr "value" and there == acc_deviceptr "value")
    expect.accepts "exit data detach(p) finalize"
    expect.detached "p"
    acc_update_self "p"
    expect(host.p == addr "value")
  end)

each("accepts: a member that points to a section has references of its own [ACC33-att-10]", three,
  function()
    fill()
    for _ = 1, 2 do
      acc "enter data copyin(S.n, S.b[0:n])"
      for _ = 1, 2 do acc "enter data copyin(S.b[0:n])" end
      acc "parallel loop present(S.n, S.b)" "for (int i = 0; i < n; i++) S.b[i] = S.n;"
      expect.accepts "exit data detach(S.b) finalize"
      for left = 2, 0, -1 do
        expect.present "S.b"
        expect.present "S.b[0:10]"
        acc_delete "S.b"
        acc_copyout "S.b[0:10]"
        expect.count("S.b", { dynamic = left })
      end
      expect.absent "S.b"
      expect.absent "S.b[0:10]"
      acc "exit data delete(S.n)"
      expect.equal(host "S.b[0:10]", first(10, function() return 16 end))
    end
  end, { "libgomp-12" })

each("differs: a member that points to a section is not mapped with the section [ACC33-att-10]", three,
  function()
    fill()
    acc "enter data copyin(S.n, S.b[0:n])"
    expect.present "S.n"
    expect.absent "S.b"
    expect.present "S.b[0:10]"
  end, { "openacc-3.3" })

local inner_clause = "struct s { int *a; }; struct s S, *m = &S; int values[4];"

each("accepts: exit data keeps the attachment of data that a region holds [ACC33-2.7-1]", inner_clause,
  function()
    host.S.a = addr "values[0]"
    acc "enter data copyin(S)"
    acc "data copyin(m->a[0:4])" (function()
      acc "exit data delete(m->a[0:4])"
      expect.attached("S.a", 1)
    end)
    acc "exit data delete(m->a[0:4])" -- the data are absent
    expect.detached "S.a"
  end, { "openacc-3.3" })

each("rejects: exit data detaches although a region holds the data"
  .. " [ACC33-2.7-1 ACC33-det-1]", inner_clause, function()
  host.S.a = addr "values[0]"
  acc "enter data copyin(S)"
  local region = acc "data copyin(m->a[0:4])"
  acc "exit data delete(m->a[0:4])"
  expect.detached "S.a"
  expect.count("values", { structured = 1, dynamic = 0 })
  expect.fails("not-attached", function() region:close() end)
  acc "enter data attach(S.a)"
  region:close()
  acc_copyin "values"
  acc_attach "S.a"
  acc_delete "values" -- the pointer dangles, and can still be detached
  acc "exit data delete(m->a[0:4])"
  expect.detached "S.a"
  expect.fails("not-attached", function() acc "exit data delete(m->a[0:4])" end)
end, { "libgomp-12" })

local inner = "struct s { int *a; }; struct s S; int values[4];"

each("accepts: a pointer is detached inside the region that attached it, and the end does nothing [ACC33-det-1]",
  inner, function()
    host.S.a = addr "values[0]"
    expect.moves(function() acc "enter data copyin(S, values)" end, { h2d = { count = 2, bytes = 24 }, d2h = 0 })
    expect.accepts("data attach(S.a)", function()
      acc "exit data detach(S.a)"
      expect.detached "S.a"
    end)
    expect.detached "S.a"
  end, { "openacc-3.3" })

each("rejects: a pointer is detached inside the region that attached it, and the end fails [ACC33-det-1]", inner,
  function()
    host.S.a = addr "values[0]"
    acc "enter data copyin(S, values)"
    local region = acc "data attach(S.a)"
    acc "exit data detach(S.a)"
    expect.fails("not-attached", function() region:close() end)
    acc "enter data attach(S.a)"
    region:close()
    expect.detached "S.a"
  end, { "libgomp-12" })
