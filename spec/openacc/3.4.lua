-- Modifiers of data clauses, and atomic with if (OpenACC 3.4).
scenario { title = "OpenACC 3.4: modifiers of data clauses", rules = "openacc-3.4" }

declare [[
  struct s { int n; float *p; };
  struct s S;
  float a[4] = { 1, 2, 3, 4 };
  int m[2000];
  struct deep { int n; float *p; int k;
    #pragma acc shape include(p[0:n]) init_needed(n)
  };
  struct deep D;
]]
host.S = { n = 2, p = { 5, 6 } }
host.D = { n = 3, p = { 5, 6, 7 }, k = 8 }

local of_34 = { "data copy(@always: a)", "parallel copy(@alwaysin: a)", "data copy(@alwaysout: a)",
  "data create(@capture: a)", "enter data copyin(@always: a)", "exit data copyout(@alwaysout: a)",
  "data copyin(readonly, @capture: a)", "enter data copyin(@readonly: a)" }

-- What happens with data that enter data holds: the text of a directive, what moves, how, and what a kernel sees in
-- a[0], which the host has set to 10, and leaves in a[1], which the kernel sets to 20.
local function present(text, counts, seen, left)
  acc "enter data copyin(a)"
  host.a[0] = 10
  expect.moves(function()
    acc(text) (function()
      expect.count("a", { structured = 1, dynamic = 1 })
      expect.device("a[0]", seen)
      acc "parallel present(a)" "a[1] = 20;"
    end)
  end, { h2d = { count = counts[1], bytes = 16 * counts[1] }, d2h = { count = counts[2], bytes = 16 * counts[2] } })
  expect.host("a[1]", left)
  expect.device("a[1]", 20)
  expect.count("a", { dynamic = 1 })
  acc "exit data delete(a)"
  expect.absent "a"
  host.a = { 1, 2, 3, 4 }
end

-- ---------------------------------------------------------------------------------------- versions --

case("accepts: 3.4 has all modifiers, 3.3 those of create, copyout and copyin [ACC34-ver-1]", function()
  acc "data copy(always, capture: a)" (function() expect.present "a" end)
  rules "openacc-3.3"
  acc "data copyin(readonly: a) create(zero: m)" (function()
    expect.device("a[3]", 4)
    expect.device("m[1]", 0)
  end)
  acc "parallel copyout(zero: m)" "m[0] = 1;"
  expect.host("m[0]", 1)
end)

case("rejects: a program uses modifiers of later versions, or atomic with if [ACC34-ver-1]", function()
  for _, text in ipairs(of_34) do expect.accepts((text:gsub("@", ""))) end
  rules "openacc-3.3"
  for _, text in ipairs(of_34) do expect.invalid(text, "unsupported", "ACC34-ver-1") end
  expect.fails("unsupported", function()
    acc "parallel copy(a)" "\n#pragma acc atomic if(a[0] > 0)\n a[1] += 1;"
  end, "ACC34-ver-1")
  rules "libgomp-12"
  for _, text in ipairs { "data create(@zero: a)", "data copyin(@readonly: a)" } do
    expect.invalid(text, "unsupported", "ACC34-ver-1")
  end
end)

-- ------------------------------------------------------------------------- which clause has which --

case("accepts: each data clause has its modifiers, in a list in any order [ACC34-mod-1 ACC34-mod-2]", function()
  for _, text in ipairs { "data copy(always, alwaysin, alwaysout, capture: a)", "data copyin(readonly, always: a)",
    "data copyin(capture, alwaysin: a)", "data copyout(zero, alwaysout, capture: a)", "data create(zero, capture: a)",
    "data pcopyin(capture: a)", "parallel copy(alwaysout, always: a)", "kernels copyin(readonly: a)",
    "enter data copyin(always: a) create(zero: m)", "exit data copyout(always: a)",
    "data copy(always: a) copyin(m)" } do
    expect.accepts(text)
  end
  acc "enter data create(zero: m) copyin(alwaysin: a)"
  expect.present "m"
  expect.present "a"
end)

case("rejects: a clause or a directive does not have the modifier [ACC34-mod-1]", function()
  for _, text in ipairs { "data copy(@readonly: a)", "data copy(@zero: a)", "data copyin(@zero: a)",
    "data copyin(@alwaysout: a)", "data copyout(@readonly: a)", "data copyout(@alwaysin: a)", "data create(@always: a)",
    "data present(@always: a)", "data no_create(@capture: a)", "enter data create(@capture: a)",
    "enter data copyin(@capture: a)", "exit data copyout(@zero: a)", "exit data copyout(@capture: a)",
    "exit data delete(@always: a)", "update device(@always: a)", "data copyin(always, @zero: a)" } do
    expect.invalid(text, "clause-not-allowed", "ACC34-mod-1")
  end
  expect.malformed "data copy(alwys: a)"
  expect.malformed "update self(always: a)"
  expect.malformed "data copy(a, m: S)"
end)

case("rejects: a list has a modifier twice [ACC34-mod-2]", function()
  expect.invalid("data copy(always, capture, @always: a)", "duplicate-clause", "ACC34-mod-2")
  expect.invalid("data create(zero, @zero: a)", "duplicate-clause", "ACC34-mod-2")
  expect.malformed "data create(zero capture: a)"
  expect.malformed "data create(zero, : a)"
end)

-- --------------------------------------------------------------------------------- always, in and out --

case("accepts: alwaysin copies present data to the device [ACC34-mod-3]", function()
  present("data copyin(alwaysin: a)", { 1, 0 }, 10, 2)
  present("data copy(alwaysin: a)", { 1, 0 }, 10, 2)
  acc "enter data copyin(a)"
  host.a[2] = 30
  acc "enter data copyin(alwaysin: a[2:2])"
  expect.device("a[2]", 30)
  expect.count("a", { dynamic = 2 })
end)

case("accepts: an attached pointer keeps its value under alwaysin [ACC34-mod-3]", function()
  acc "enter data copyin(S, S.p[0:2])"
  host.S.n = 7
  acc "enter data copyin(alwaysin: S)"
  expect.device("S.n", 7)
  expect.attached("S.p", 1)
  acc "parallel present(S)" "S.p[1] = 9;"
  expect.device("S.p[1]", 9)
end)

case("differs: without alwaysin present data are not copied [ACC34-mod-3]", function()
  present("data copyin(a)", { 0, 0 }, 1, 2)
  present("data copy(alwaysout: a)", { 0, 1 }, 1, 20)
end)

case("accepts: alwaysout copies data to the host that stay [ACC34-mod-4]", function()
  present("data copyout(alwaysout: a)", { 0, 1 }, 1, 20)
  acc "enter data copyin(a)"
  acc "enter data copyin(a)"
  acc "parallel present(a)" "a[3] = 40;"
  acc "exit data copyout(alwaysout: a)"
  expect.host("a[3]", 40)
  expect.count("a", { dynamic = 1 })
end)

case("differs: without alwaysout, or a reference of its own, exit data copies nothing [ACC34-mod-4]", function()
  present("data copyout(a)", { 0, 0 }, 1, 2)
  expect.accepts "exit data copyout(alwaysout: a)" -- absent data
  acc "data copyin(a)" (function()
    acc "parallel present(a)" "a[0] = 50;"
    expect.events(function() acc "exit data copyout(alwaysout: a)" end, {}) -- no enter data
    expect.device("a[0]", 50)
    expect.host("a[0]", 1)
  end)
end)

case("accepts: always copies in both directions, as far as the clause does [ACC34-mod-5]", function()
  present("data copy(always: a)", { 1, 1 }, 10, 20)
  present("data copyin(always: a)", { 1, 0 }, 10, 2)
  present("data copyout(always: a)", { 0, 1 }, 1, 20)
  acc "enter data copyin(D)"
  host.D.p[1] = 60
  acc "data copy(always: D)" (function()
    expect.device("D.p[1]", 60)
    acc "parallel present(D)" "D.p[2] = 70;"
  end)
  expect.host("D.p[2]", 70)
  expect.present "D.p[0:3]"
end)

case("differs: without always absent data alone are copied [ACC34-mod-5]", function()
  present("data copy(a)", { 0, 0 }, 1, 2)
  acc "data copy(a)" (function() acc "parallel present(a)" "a[0] = 80;" end)
  expect.host("a[0]", 80)
end)

-- ------------------------------------------------------------------------------------ capture, zero --

case("accepts: the host changes its data while a device uses a captured copy [ACC34-mod-6]", function()
  acc "data copy(capture: a)" (function()
    host.a = { 11, 12, 13, 14 }
    acc "parallel present(a)" "a[0] += 1;"
    expect.host("a[0]", 11)
  end)
  expect.host("a[0]", 2)
  expect.host("a[3]", 4)
end)

case("differs: present data are taken as they are, captured or not [ACC34-mod-6]", function()
  present("data copyin(capture: a)", { 0, 0 }, 1, 2)
  acc "enter data copyin(a[0:2])"
  expect.fails("partially-present", function() acc "data copy(capture: a)" end)
end)

case("accepts: zero clears what is allocated, and nothing is copied for it [ACC33-2.7-4]", function()
  expect.moves(function()
    acc "enter data create(zero: m)"
    acc "data copyout(zero: a)" (function() expect.device("a[3]", 0) end)
  end, { h2d = 0, d2h = { count = 1, bytes = 16 } })
  for _, i in ipairs { 0, 1023, 1024, 1999 } do expect.device(("m[%d]"):format(i), 0) end
  expect.host("a[0]", 0)
end)

case("accepts: of a structure zero clears what nothing is copied to, in any order of clauses [ACC33-2.7-4]", function()
  acc "enter data create(zero: D)"
  expect.device("D.n", 3) -- init_needed
  expect.device("D.k", 0)
  expect.device("D.p[2]", 0)
  for _, text in ipairs { "create(zero: a) copyin(a)", "copyin(a) create(zero: a)",
    "create(zero: a) copyin(a[0:4])" } do
    acc("data " .. text) (function() expect.device("a[3]", 4) end)
  end
  acc "data create(zero: a) create(a)" (function() expect.device("a[3]", 0) end)
end)

case("differs: present data are not cleared, and no data without zero [ACC33-2.7-4]", function()
  acc "enter data copyin(a)"
  acc "data create(zero: a) create(m)" (function()
    expect.device("a[1]", 2)
    expect.uninitialized "m"
  end)
  acc "data copyout(zero: a)" (function()
    expect.device("a[2]", 3)
    expect.count("a", { structured = 1, dynamic = 1 })
  end)
  expect.device("a[3]", 4)
end)

case("accepts: queues copy and clear in their order [ACC34-mod-3 ACC34-mod-4 ACC33-2.7-4]", function()
  acc "enter data create(zero: m) copyin(a) async(1)"
  host.a[0] = 90
  acc "data copy(always: a) async(1)" (function()
    acc "parallel present(a, m) async(1)" "a[1] = a[0] + m[1999];"
  end)
  acc "wait(1)"
  expect.host("a[1]", 90)
end)

-- ------------------------------------------------------------------------------------------- atomic --

case("accepts: a construct uses the variables of an atomic's condition [ACC34-2.12-1 ACC33-impl-1]", function()
  expect.moves(function()
    acc "parallel copy(a)" "\n#pragma acc atomic update if(m[1999] == 0 && S.n > 1)\n a[1] += 1;"
  end, { h2d = { count = 3, bytes = 16 + 8000 + 16 } })
  expect.fails("default-none", function()
    acc "parallel default(none) copy(a)" "\n#pragma acc atomic if(m[0])\n a[1] += 1;"
  end)
  expect.fails("unknown-name", function() acc "parallel copy(a)" "\n#pragma acc atomic if(unheard)\n a[1] += 1;" end)
  expect.fails("type-mismatch", function() acc "parallel copy(a, S)" "\n#pragma acc atomic if(S)\n a[1] += 1;" end)
  expect.host("a[1]", 3)
end)

case("accepts: atomic has a condition [ACC34-2.12-1]", function()
  acc "parallel copy(a)" [[
    #pragma acc atomic update if(a[0] > 3)
    a[1] += 1;
    #pragma acc atomic if(a[0] < 3)
    a[2] += 1;
  ]]
  expect.host("a[1]", 3)
  expect.host("a[2]", 4)
end)

case("rejects: atomic has two conditions, or none in parentheses, or another statement [ACC34-2.12-1 ACC33-2.6-1"
  .. " ACC33-2.12-1]", function()
  for _, given in ipairs { { "duplicate-clause", "if(1) if(0)", "a[1] += 1;" }, { "syntax", "if", "a[1] += 1;" },
    { "syntax", "if(0)", "a[1] = a[2] + a[3];" } } do
    expect.fails(given[1], function()
      acc "parallel copy(a)" (("\n#pragma acc atomic update %s\n%s"):format(given[2], given[3]))
    end)
  end
end)
