-- LLVM's runtime: list items that name data twice, and pointers on the way to a list item.
scenario { title = "OpenMP as LLVM has it: list items and chains of pointers", rules = "libomptarget-19" }

local program = [[
  int a[4] = { 1, 2, 3, 4 };
  struct S { int x, y, *d; } s = { 1, 2, a };
  struct T { struct S *s; int m; } t = { &s, 3 };
  struct U { struct T *t; } u = { &t };
]]

-- The present objects with their reference counts.
local function counts()
  local found = {}
  for k, object in ipairs(state().present) do
    found[k] = ("%s %d"):format(object.name, object.structured + object.dynamic)
  end
  return table.concat(found, ", ")
end

for _, profile in ipairs { "libomptarget-14", "libomptarget-19" } do
  local function example(name, steps)
    case(("%s under %s [%s]"):format(name:match "^(.-) %[", profile, name:match "%[(.-)%]"), function()
      rules(profile)
      declare(program)
      steps()
    end)
  end

  example("accepts: each list item counts [OMP60-map-5]", function()
    omp "target enter data map(to: a) map(to: a[1:2])"
    expect.equal(counts(), "a 2")
    omp "target exit data map(release: a)"
    expect.equal(counts(), "a 1")
    omp "target data map(to: a) map(from: a)" (function() expect.equal(counts(), "a 3") end)
    expect.equal(counts(), "a 1")
  end)

  example("accepts: the last item ends first, and the one that removes the last reference copies back [OMP60-map-6]",
    function()
      omp "target map(to: a) map(from: a)" "a[1] = 9;"
      expect.host("a[1]", 2)
      omp "target map(from: a) map(to: a)" "for (int i = 0; i < 4; i++) a[i] = 9;"
      expect.host("a[1]", 9)
      omp "target enter data map(to: a) map(to: a)"
      omp "target" "a[1] = 7;"
      omp "target exit data map(release: a) map(from: a)"
      expect.host("a[1]", 9)
    end)

  example("accepts: the first item of new data decides whether they are copied [OMP60-map-5]", function()
    omp "target map(alloc: a[2:2]) map(tofrom: a[2:2])" "a[2] += 10;" -- an item with alloc comes last here
    expect.host("a[2]", 13)
  end)

  example("accepts: items on variables that the body uses come first, also implicit ones [OMP60-map-11]", function()
    omp "target map(tofrom: t.s->x) map(to: s.x)" "s.x = 9;" -- s.x removes the last reference
    expect.host("s.x", 1)
    omp "target map(tofrom: t.s->x)" "s.x = 9;"
    expect.host("s.x", 9)
    expect.equal(counts(), "")
  end)

  example("rejects: on target data an item with alloc comes first, and nothing is copied [OMP60-map-5]", function()
    omp "target data map(to: a) map(alloc: a)" (function()
      expect.fails("uninitialized-read", function() omp "target" "a[0] += 1;" end)
    end)
  end)

  example("rejects: an item extends the new data of an item before it [OMP60-map-5 OMP60-map-13]", function()
    local problem = expect.fails("partial-overlap", function()
      omp "target enter data map(to: a[1:2]) map(to: a)"
    end)
    expect.equal(problem.message, "a contains a[1:2], which this directive maps before it")
    expect.equal(counts(), "")
    omp "target enter data map(to: a[1:2])"
    omp "target enter data map(to: a[1:2], a[2:1])"
    expect.equal(counts(), "a[1:2] 3")
  end)

  example("accepts: members of one structure count together [OMP60-map-4]", function()
    omp "target enter data map(to: s, s.x, s.d[0:2], s.d[2:2])"
    expect.equal(counts(), "s 1, s.d[0:2] 1, s.d[2:2] 1")
    omp "target exit data map(release: s.x, s.y)"
    expect.equal(counts(), "s.d[0:2] 1, s.d[2:2] 1")
    omp "target enter data map(to: s)"
    omp "target enter data map(to: s, s.y)"
    expect.equal(counts(), "s 2, s.d[0:2] 1, s.d[2:2] 1")
    omp "target exit data map(delete: s) map(release: s.x)" -- deletes all the same
    expect.equal(counts(), "s.d[0:2] 1, s.d[2:2] 1")
  end)

  example("accepts: pointers on the way to an item are mapped, and keep a reference [OMP60-map-7]", function()
    omp "target enter data map(to: u.t->s->d[0:4])"
    expect.equal(counts(), "u.t 1, u.t->s 2, u.t->s->d 2, u.t->s->d[0:4] 1")
    expect.attached "t.s"
    omp "target exit data map(release: u.t->s->d[0:4])"
    expect.equal(counts(), "u.t->s 1, u.t->s->d 1")
  end)

  example("rejects: a pointer at the end of a chain has no value on the device [OMP60-map-7 OMP60-map-5]", function()
    omp "target enter data map(to: t.s->d)"
    expect.fails("uninitialized-read", function() expect.device("s.d", 0) end)
  end)
end
