-- Structured and dynamic lifetimes of one object, of parts of objects, and of members: what stays present, how
-- long, and what is copied. OpenACC 3.3 and libgomp 12 agree here.
scenario { title = "OpenACC: lifetimes" }

-- A case for each profile.
local function each(name, program, steps)
  local kind, what, ids = name:match "^(%l+: )(.*)( %[.*)$"
  for _, profile in ipairs { "openacc-3.3", "libgomp-12" } do
    case(("%s%s under %s%s"):format(kind, what, profile, ids), function()
      rules(profile)
      declare(program)
      steps()
    end)
  end
end

-- The same by directives and by routines.
local by_directive = {
  enter = function(text) acc(("enter data copyin(%s)"):format(text)) end,
  exit = function(text) acc(("exit data copyout(%s)"):format(text)) end,
}
local by_routine = { enter = function(text) acc_copyin(text) end, exit = function(text) acc_copyout(text) end }

local function both_ways(name, program, steps)
  each(name:gsub(" %[", ", by directives [", 1), program, function() steps(by_directive) end)
  each(name:gsub(" %[", ", by routines [", 1), program, function() steps(by_routine) end)
end

local blocks = "float x[8], y[8], z[8];"

-- Which of the three blocks are present, "xz".
local function there()
  local found = ""
  for _, name in ipairs { "x", "y", "z" } do
    if acc_is_present(name) then found = found .. name end
  end
  return found
end

-- ------------------------------------------------------------------- structured and dynamic --

both_ways("accepts: x is entered twice before a region and once in the region [ACC33-2.6.7-1]", blocks, function(do_)
  do_.enter "x"
  do_.enter "x"
  acc "data copy(x)" (function()
    do_.enter "x"
    expect.count("x", { structured = 1, dynamic = 3 })
  end)
  for left = 2, 0, -1 do
    expect.present "x"
    do_.exit "x"
    expect.count("x", { dynamic = left })
  end
  expect.absent "x"
end)

both_ways("accepts: x is entered before a region and unmapped in the region [ACC33-2.6.7-2]", blocks, function(do_)
  do_.enter "x"
  acc "data copy(x)" (function()
    expect.count("x", { structured = 1, dynamic = 1 })
    do_.exit "x"
    expect.count("x", { structured = 1, dynamic = 0 })
  end)
  expect.absent "x"
end)

both_ways("accepts: an exit in a region does nothing, and x is entered after it"
  .. " [ACC33-2.6.7-3]", blocks, function(do_)
  acc "data copy(x)" (function()
    do_.exit "x" -- has no effect
    do_.enter "x"
    expect.count("x", { structured = 1, dynamic = 1 })
  end)
  expect.present "x"
  do_.exit "x"
  expect.absent "x"
end)

both_ways("accepts: only the entered block of a region's three blocks stays present [ACC33-2.6.7-1]", blocks,
  function(do_)
    expect.moves(function()
      acc "data copy(x, y, z)" (function() do_.enter "y" end)
    end, { h2d = { count = 3, bytes = 96 }, d2h = { count = 2, bytes = 64 } })
    expect.equal(there(), "y")
    do_.exit "y"
    expect.equal(there(), "")
  end)

local endings = {
  { "x is entered and unmapped in a region", function(do_)
    acc "data copy(x)" (function()
      do_.enter "x"
      expect.count("x", { structured = 1, dynamic = 1 })
      do_.exit "x"
      expect.count("x", { structured = 1, dynamic = 0 })
    end)
  end },
  { "x is entered before a region and unmapped after it", function(do_)
    do_.enter "x"
    acc "data copy(x)" (function() expect.count("x", { structured = 1, dynamic = 1 }) end)
    expect.present "x"
    do_.exit "x"
  end },
  { "x is entered twice and unmapped twice in a region", function(do_)
    acc "data copy(x)" (function()
      do_.enter "x"
      do_.enter "x"
      expect.count("x", { structured = 1, dynamic = 2 })
      do_.exit "x"
      expect.count("x", { structured = 1, dynamic = 1 })
      do_.exit "x"
      expect.count("x", { structured = 1, dynamic = 0 })
    end)
  end },
  { "each of two regions contains an enter and an exit", function(do_)
    acc "data copy(x)" (function()
      do_.enter "x"
      expect.accepts("data copy(x)", function()
        do_.enter "x"
        expect.count("x", { structured = 2, dynamic = 2 })
        do_.exit "x"
      end)
      expect.count("x", { structured = 1, dynamic = 1 })
      do_.exit "x"
      expect.count("x", { structured = 1, dynamic = 0 })
    end)
  end },
  { "regions and pairs of enter and exit alternate", function(do_)
    do_.enter "x"
    acc "data copy(x)" (function()
      do_.enter "x"
      acc "data copy(x)" (function() expect.count("x", { structured = 2, dynamic = 2 }) end)
      do_.exit "x"
    end)
    expect.present "x"
    do_.exit "x"
  end },
  { "a region has two blocks, and one is entered and unmapped", function(do_)
    acc "data copy(x, y)" (function()
      do_.enter "y"
      expect.count("y", { structured = 1, dynamic = 1 })
      do_.exit "y"
      expect.count("y", { structured = 1, dynamic = 0 })
    end)
  end },
  { "two blocks are entered before a region, and one is unmapped in it", function(do_)
    do_.enter "x"
    do_.enter "y"
    acc "data copy(x, y)" (function()
      expect.count("y", { structured = 1, dynamic = 1 })
      do_.exit "y"
      expect.count("y", { structured = 1, dynamic = 0 })
    end)
    expect.equal(there(), "x")
    do_.exit "x"
  end },
}
for _, ending in ipairs(endings) do
  both_ways(("differs: no block stays present if %s [ACC33-2.6.7-1]"):format(ending[1]), blocks, function(do_)
    ending[2](do_)
    expect.equal(#state().present, 0)
  end)
end

both_ways("accepts: one block is entered before a region of three, another inside the region [ACC33-2.6.7-1]", blocks,
  function(do_)
    expect.moves(function()
      for times = 2, 1, -1 do
        for _ = 1, times do do_.enter "x" end
        acc "data copy(x, y, z)" (function() do_.enter "y" end)
        expect.equal(there(), "xy")
        for _ = 1, times do
          expect.equal(there():sub(1, 1), "x")
          do_.exit "x"
        end
        expect.equal(there(), "y")
        do_.exit "y"
      end
    end, { h2d = { count = 6, bytes = 192 }, d2h = { count = 6, bytes = 192 } })
    expect.equal(there(), "")
  end)

each("accepts: one directive enters two blocks, and a region contains their exit [ACC33-2.6.7-2]", blocks, function()
  acc "enter data copyin(x, y)"
  acc "data copy(x, y)" (function()
    expect.count("y", { structured = 1, dynamic = 1 })
    acc "exit data copyout(x, y)"
    expect.count("y", { structured = 1, dynamic = 0 })
  end)
  expect.equal(there(), "")
  acc "enter data copyin(x)"
  expect.accepts("data copy(x, y)", function()
    expect.count("x", { structured = 1, dynamic = 1 })
    acc "exit data copyout(x)"
    acc "enter data copyin(y)"
  end)
  expect.equal(there(), "y")
end)

each("accepts: three arrays that are entered in a region are unmapped one by one [ACC33-2.6.7-3]", blocks,
  function()
    expect.accepts("data copy(x, y, z)", function()
      for _, name in ipairs { "x", "y", "z" } do acc(("enter data copyin(%s)"):format(name)) end
    end)
    expect.equal(there(), "xyz")
    acc "exit data delete(y)"
    expect.equal(there(), "xz")
    acc "exit data delete(x)"
    acc "exit data delete(z)"
    expect.equal(there(), "")
  end)

-- ------------------------------------------------------------------------------ what moves --

each("differs: copyout does nothing while a region holds the data [ACC33-2.6.7-4]", blocks, function()
  acc "data copyin(x)" (function()
    local d = acc_deviceptr "x"
    for _ = 1, 3 do expect(acc_copyin "x" == d) end
    expect.accepts("parallel present(x)", "x[0] = 9;")
    expect.moves(function()
      acc_copyout "x"
      acc_copyout_finalize "x"
      acc "exit data copyout(x) finalize"
    end, { h2d = 0, d2h = 0 })
    expect.present "x"
  end)
  expect.absent "x"
  expect.host("x[0]", 0)
end)

each("differs: copyout does nothing while acc_map_data holds the data"
  .. " [ACC33-2.6.7-5 ACC33-3.2.21-1]", blocks, function()
  local d = acc_malloc(32)
  acc_map_data(addr "x[0]", d, 32)
  expect.moves(function()
    acc_copyin "x"
    acc_copyout "x"
    acc_copyout "x"
    acc_copyout_finalize "x"
    acc_delete "x"
  end, { h2d = 0, d2h = 0 })
  expect.count("x", { dynamic = 1 })
  acc_unmap_data(addr "x[0]")
  expect.absent "x"
  acc_free(d)
end)

each("accepts: memory is allocated once and freed once [ACC33-2.6.7-1 ACC33-3.2.21-1]", blocks, function()
  expect.events(function()
    acc_create "x"
    acc_create "x"
    acc "data create(x)" (function() end)
    acc_delete "x"
    acc_delete "x"
  end, { "alloc x", "incref x", "incref x", "incref x", "decref x", "decref x", "decref x", "free x" })
  local d = acc_malloc(32)
  expect.events(function()
    acc_map_data(addr "x[0]", d, 32)
    acc_unmap_data(addr "x[0]")
  end, {})
  acc_free(d)
end)

each("accepts: copyin of present data copies nothing, and copyout copies only at the last reference [ACC33-2.7-1]",
  "int a[4] = { 1, 1, 1, 1 };", function()
    acc_create "a"
    expect.moves(function() for _ = 1, 3 do acc_copyin "a" end end, { h2d = 0, d2h = 0 })
    expect.uninitialized "a"
    acc "parallel present(a)" "for (int i = 0; i < 4; i++) a[i] = 111;"
    expect.moves(function()
      acc_copyout "a"
      acc_delete "a"
    end, { h2d = 0, d2h = 0 })
    expect.host("a[3]", 1)
    expect.moves(function() acc "exit data copyout(a) finalize" end, { d2h = { count = 1, bytes = 16 } })
    expect.host("a[3]", 111)
    expect.absent "a"
  end)

-- ------------------------------------------------------------------------------ parts --

local block = "char b[256];"

each("accepts: parts count as references to the block that contains them"
  .. " [ACC33-2.7.1-4 ACC33-3.2.18-1]", block, function()
  acc_copyin "b"
  local base = acc_deviceptr "b[0]"
  for i = 0, 31 do expect(acc_copyin(addr(("b[%d]"):format(8 * i)), 8) == base + 8 * i) end
  expect.count("b", { dynamic = 33 })
  for i = 0, 15 do acc_delete(addr(("b[%d]"):format(8 * i)), 8) end
  acc_delete "b"
  for i = 16, 31 do
    expect.present "b"
    acc_delete(addr(("b[%d]"):format(8 * i)), 8)
  end
  expect.absent "b"
end)

each("accepts: an exit of a part counts as an exit of the whole [ACC33-2.7.1-4]", block, function()
  acc_create(addr "b[0]", 256)
  acc_create(addr "b[2]", 254)
  acc_delete(addr "b[2]", 254)
  expect.present "b"
  acc_delete(addr "b[0]", 8)
  expect.absent "b"
end)

each("accepts: the last copyout copies only the part that it names [ACC33-2.7-1]", block, function()
  acc_copyin "b"
  acc "parallel present(b)" "for (int i = 0; i < 256; i++) b[i] = 5;"
  expect.moves(function() acc "exit data copyout(b[16:8])" end, { d2h = { count = 1, bytes = 8 } })
  expect.equal(host "b[15:3]", { 0, 5, 5 })
  expect.equal(host "b[23:2]", { 5, 0 })
  expect.absent "b"
end)

each("accepts: the exit of a whole block ends the reference of a part [ACC33-2.6.7-2]", blocks, function()
  acc "data create(x, y, z)" (function()
    for _, name in ipairs { "x", "y", "z" } do
      local part = ("%s[2:4]"):format(name)
      expect(acc_copyin(part) == acc_deviceptr(("%s[2]"):format(name)))
      acc_delete(name)
      expect.count(name, { structured = 1, dynamic = 0 })
    end
    acc_create "y[1:2]"
  end)
  expect.equal(there(), "y")
  acc_delete "y"
  expect.equal(there(), "")
end)

each("rejects: a routine names more than the block [ACC33-gloss-1 ACC33-3.2.18-1 ACC33-2.7.3-1]", block, function()
  acc_create "b[16:32]"
  expect.fails("partially-present", function() acc_create "b[16:64]" end)
  expect.fails("partially-present", function() acc_create "b[0:32]" end)
  expect.fails("partially-present", function() acc_delete "b" end)
  expect.equal(acc_is_present "b[16:33]", false)
end)

-- ------------------------------------------------------------------------------ members --

local pair = "struct s { signed char a; float b; }; struct s s; int n;"

each("accepts: members have lifetimes of their own [ACC33-2.7.1-5]", pair, function()
  for _, finally in ipairs { "", " finalize" } do
    host.s = { a = 73, b = -22 }
    acc "enter data copyin(s.a, s.b)"
    host.s = { a = -73, b = 22 }
    expect.moves(function()
      acc_copyin(addr "s.a", 1)
      acc "enter data copyin(s.b)"
      acc_copyin(addr "s.b", 4)
    end, { h2d = 0 })
    acc "parallel copy(s.a, s.b)" "s.a = s.a + 1; s.b = s.b - 1;"
    expect.host("s.a", -73)
    expect.host("s.b", 22)
    expect.count("s.a", { dynamic = 2 })
    expect.count("s.b", { dynamic = 3 })
    for _ = 1, finally == "" and 2 or 1 do acc("exit data copyout(s.a)" .. finally) end
    expect.absent "s.a"
    expect.host("s.a", 74)
    expect.present "s.b"
    expect.host("s.b", 22)
    for _ = 1, finally == "" and 3 or 1 do acc("exit data copyout(s.b)" .. finally) end
    expect.absent "s"
    expect.host("s.b", -23)
  end
end)

each("accepts: members are mapped together and unmapped one by one [ACC33-2.7.1-5]",
  "struct s { char a, b; }; struct s s;", function()
    acc "enter data create(s.a, s.b)"
    acc "exit data delete(s.a)"
    expect.absent "s.a"
    expect.present "s.b"
    acc "exit data delete(s.b)"
    expect.absent "s"
    acc "enter data create(s.a, s.b)"
    expect.present "s.b"
    acc_delete(addr "s.a", 1)
    acc_delete(addr "s.b", 1)
    expect.absent "s"
  end)

each("accepts: a structure inside another structure is copied as a whole [ACC33-2.7.1-5]",
  "struct s { int a, b; }; struct t { int c; struct s s; int d; }; struct t t = { 1, { 2, 3 }, 4 };",
  function()
    expect.moves(function() acc "enter data copyin(t.s)" end, { h2d = { count = 1, bytes = 8 }, d2h = 0 })
    acc "serial present(t.s)" "t.s.a = 5; t.s.b = 6;"
    acc "exit data copyout(t.s)"
    expect.host("t.s.a", 5)
    expect.host("t.s.b", 6)
    expect.host("t.d", 4)
    expect.absent "t"
  end)

each("rejects: a kernel or a clause uses members that no clause named [ACC33-2.7.1-5 ACC33-2.7.3-1]",
  "struct s { int a, b; }; struct s s;", function()
    acc "enter data copyin(s.a)"
    expect.fails("not-present", function() acc "serial present(s.a)" "s.b = 1;" end)
    expect.fails("not-present", function() acc "update self(s.b)" end)
    expect.fails("partially-present", function() acc "data present(s)" end)
  end)
