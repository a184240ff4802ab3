-- Structures in structures: shapes are followed to any depth.
scenario { title = "Tutorial 5: nested structures", cites = { "TR14-1.1-04" } }

declare [[
  struct grid {
    int n; float *u;
    #pragma acc shape init_needed(n) include(u[0:n])
  };
  struct solver {
    int levels; struct grid *level; struct grid work;
    #pragma acc shape include(level[0:levels])
  };
  struct solver s;
]]
host.s = { levels = 2, level = { { n = 4, u = { 1, 2, 3, 4 } }, { n = 2, u = { 5, 6 } } },
  work = { n = 1, u = { 7 } } }

acc "data copy(s)" (function()
  show()
  acc "parallel loop present(s)" [[
    for (int l = 0; l < s.levels; l++)
      for (int i = 0; i < s.level[l].n; i++) s.level[l].u[i] *= 2;
  ]]
  print(expect.fails("out-of-bounds", function()
    acc "parallel present(s)" "s.level[2].n = 0;"   -- there are two levels
  end))
end)
expect.host("s.level[1].u[0:2]", { 10, 12 })
