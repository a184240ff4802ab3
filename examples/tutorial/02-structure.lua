-- A structure with a pointer: a clause on the structure moves its bytes; the pointer in it still points to the host.
scenario { title = "Tutorial 2: a structure with a pointer" }

declare [[
  struct grid { int n; float *u; };
  struct grid g;
]]
host.g = { n = 4, u = { 1, 2, 3, 4 } }

acc "data copy(g)" (function()
  show()
  expect.device("g.n", 4)
  print(expect.fails("host-pointer-on-device", function()
    acc "parallel loop present(g)" "for (int i = 0; i < g.n; i++) g.u[i] *= 2;"
  end))
end)
expect.host("g.u[3]", 4)      -- unchanged
