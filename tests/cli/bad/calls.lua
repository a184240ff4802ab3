-- Functions of the scenario language and routines with wrong arguments.
declare "struct S { int n; float *a; } X; float v[3] = { 1, 2, 3 }; enum { LIMIT = 3 };"

case("func", function() func("f") end)
case("scenario in the middle", function() scenario { title = "late" } end)
case("case in a case", function() case("inner", function() end) end)
case("omp", function() omp "target data map(v)" end)
case("acc of a number", function() acc(4) end)
case("acc_copyin of nothing", function() acc_copyin "w" end)
case("acc_delete of what is absent", function() acc_delete "v" end)
case("acc_map_data of a host pointer", function() acc_map_data("v", addr "v", 12) end)
case("acc_free", function() acc_free(addr "v") end)
case("a construct without a body", function() omp "target map(v)" end)
case("one of OpenACC", function() acc "parallel copy(v)" end)
case("declare target without an end", function() declare "int g1;\n#pragma omp declare target\nint g2;" end)
case("an error that was caught before", function()
  pcall(function() acc "data copy(v)" (function() error("no position", 0) end) end)
  error("no position", 0)
end)
