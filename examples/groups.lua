-- Groups of clauses: declared once, and bound to constructs by name, by type, or to all in a scope.
scenario { title = "OpenMP: groups of clauses", rules = "indirect", cites = { "LLNL-4-05" } }

declare "int a = 1, b = 2, c = 3, d, use_threads = 1;"

omp "declare group name(privs) firstprivate(a, b, c)"
block(function()
  omp "declare group name(par) bind_all(parallel) default(none) if(use_threads)"
  omp "parallel bind_group(privs) private(d)" "d = a + b;"
  omp "parallel bind_group(exclude: par)" "d = 1;"

  -- default(none) of par: d is not named.
  print(expect.fails("default-none", function() omp "parallel bind_group(privs)" "d = a;" end))
end)
expect.host("d", 1)
