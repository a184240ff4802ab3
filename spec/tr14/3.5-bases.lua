-- Aliases whose base or target is an empty section, a pointer of an array, or absent.
scenario { title = "TR14 3.5: bases of aliases", rules = "tr14" }

case("rejects: a section follows '@' of a variable [TR14-3.5-01]", function()
  declare "float v[4]; float *p = v; int n = 2;"
  expect.invalid("acc data present(p[@][0:n])", "not-a-pointer")
  expect.invalid("acc data present(p[@][@])", "not-a-pointer")
end)

case("rejects: '@' is on a pointer past the end of its block [TR14-3.5-03 TR14-4.2-09]", function()
  declare [[
    struct pair { float *start, *finish;
        #pragma acc shape include(start[0:2], finish[@])
    };
    struct pair X;
  ]]
  host.X.start = { 1, 2 }
  host.X.finish = host.X.start + 2
  expect.fails("not-present", function() acc "data copyin(X)" end)
end)

case("accepts: the base of a variable's alias is an empty section [TR14-3.5-06]", function()
  declare "float cells[4]; float *from = cells, *to = cells; int none = 0;"
  expect.accepts("data copyin(from[0:none]) present(to[@from])", function() expect.equal(#state().present, 0) end)
end)

case("accepts: the base of a member's alias in a clause is an empty section [TR14-3.5-06]", function()
  declare "struct s { float *start, *finish; }; struct s E; int none = 0; float cells[2];"
  host.E = { start = addr "cells[0]", finish = addr "cells[0]" }
  acc "data copyin(E.start[0:none], E.finish[@E.start])" (function()
    expect.present "E"
    expect.detached "E.finish"
  end)
end)

for _, what in ipairs { "float *rows[2]", "float **rows" } do
  case(("accepts: %s of a structure are aliases with a base [TR14-3.5-07]"):format(what), function()
    declare(("struct m { %s; float *base; int n;\n#pragma acc shape include(base[0:n], rows[0:2][@base])\n};"
      .. "struct m Q;"):format(what))
    host.Q = { n = 4, base = { 1, 2, 3, 4 } }
    host.Q.rows = { host.Q.base + 2, host.Q.base + 4 }
    acc "data copyin(Q)" (function()
      expect.attached("Q.rows[1]", 1)
      expect.accepts("parallel present(Q)", function(d) expect.equal(d.Q.rows[1] - d.Q.base, 4) end)
    end)
  end)
end

case("accepts: no_create ignores absent pointers with '@' [TR14-3.5-07]", function()
  declare "float cells[2]; float *list[2] = { cells, cells };"
  expect.events(function() expect.accepts "data no_create(list[0:2][@])" end, {})
end)
