scenario { title = "A tree of parts, of which only some travel", rules = "tr14" }
declare [[
  struct part { int n; float *values, *last; char *note;
    #pragma acc shape exclude(note) include(values[0:n], last[@values])
  };
  struct whole { int count; struct part *parts;
    #pragma acc shape include(parts[0:count])
    #pragma acc policy(sent) default(copyin)
  };
  struct whole W;
]]
host.W = { count = 2, parts = { { n = 2, values = { 1, 2 } }, { n = 1, values = { 3 } } } }
host.W.parts[0].last = host.W.parts[0].values + 1

case("all of it, updates, a kernel", function()
  acc "data copy(W)" (function()
    expect.attached("W.parts[0].last", 1)
    host.W.parts[1].values[0] = 5
    acc "update device(W)"
    acc "parallel present(W)" "W.parts[0].last[0] += W.parts[1].values[0]; W.parts[1].n = 0;"
  end)
  expect.host("W.parts[0].values[1]", 7)
end)
