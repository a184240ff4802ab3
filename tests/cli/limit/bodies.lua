-- Loops in bodies that never end stop their constructs, and leave steps for what comes behind.
scenario { title = "Bodies that never end", rules = "openmp-5.1" }

declare "int s;"

case("on a device", function() omp "target map(s)" "s = 1; while (1) ;" end)
case("told as an error", function()
  expect.fails("limit", function() omp "target map(s)" "s = 1; for (;;) s++;" end)
  expect.host("s", 0)
  expect.absent "s"
end)
case("on the host", function() omp "parallel" "do s = 2; while (s);" end)
case("one that ends", function()
  omp "target map(s)" "for (int i = 0; i < 300; i++) s++;"
  expect.host("s", 300)
end)
