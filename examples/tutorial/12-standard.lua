-- Step 3 in standard OpenACC, for the export as a C program.
scenario { title = "Tutorial 12: standard OpenACC", rules = "openacc-3.3" }

declare [[
  struct grid { int n; float *u; };
  struct grid g;
]]
host.g = { n = 4, u = { 1, 2, 3, 4 } }

acc "data copy(g)" (function()
  acc "data copy(g.u[0:g.n])" (function()
    expect.present "g.u[0:4]"
    acc "parallel loop present(g)" "for (int i = 0; i < g.n; i++) g.u[i] *= 2;"
  end)
end)
expect.host("g.u[0:4]", { 2, 4, 6, 8 })
