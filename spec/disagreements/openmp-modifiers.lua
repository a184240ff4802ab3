-- Programs on which profiles differ: spec/reference/disagreements.md. `make disagreements` made this file.
-- Modifiers and map types of OpenMP, which came with 5.1 to 6.1.
scenario { title = "Modifiers of OpenMP", rules = "openmp-6.1" }
declare [[
  float a[4] = { 1, 2, 3, 4 };
  struct vector { int n; float *data; } v = { 4, a };
]]

case("differs: the version of the language decides, after omp target enter data map [HOUSE-explore]", function()
  expect.differs({
    ["openmp-5.1"] = "clause-not-allowed",
    ["openmp-5.2"] = "clause-not-allowed",
    ["libgomp-12-openmp"] = "clause-not-allowed",
    ["libomptarget-19"] = "clause-not-allowed",
    ["libomptarget-14"] = "clause-not-allowed",
    ["openmp-6.0"] = "accepted",
    ["openmp-6.1"] = "accepted",
    ["openmp-4.0"] = "accepted",
    ["indirect"] = "accepted",
  }, function()
    omp "target enter data map(storage: a)"
  end)
end)

case("differs: the version of the language decides, after omp target enter data map, program 2 "
  .. "[HOUSE-explore]", function()
  expect.differs({
    ["openmp-5.1"] = "clause-not-allowed",
    ["libgomp-12-openmp"] = "clause-not-allowed",
    ["libomptarget-19"] = "clause-not-allowed",
    ["libomptarget-14"] = "clause-not-allowed",
    ["openmp-5.2"] = "accepted",
    ["openmp-6.0"] = "accepted",
    ["openmp-6.1"] = "accepted",
    ["openmp-4.0"] = "accepted",
    ["indirect"] = "accepted",
  }, function()
    omp "target enter data map(tofrom: a)"
  end)
end)

case("differs: the version of the language decides, after omp target enter data map, program 3 "
  .. "[HOUSE-explore]", function()
  expect.differs({
    ["openmp-5.1"] = "clause-not-allowed",
    ["openmp-5.2"] = "clause-not-allowed",
    ["libgomp-12-openmp"] = "clause-not-allowed",
    ["libomptarget-19"] = "clause-not-allowed",
    ["libomptarget-14"] = "clause-not-allowed",
    ["openmp-6.0"] = "unsupported",
    ["openmp-6.1"] = "unsupported",
    ["openmp-4.0"] = "unsupported",
    ["indirect"] = "unsupported",
  }, function()
    omp "target enter data map(self, to: a)"
  end)
end)

case("differs: the version of the language decides, after omp target enter data map, program 4 "
  .. "[HOUSE-explore]", function()
  expect.differs({
    ["openmp-5.1"] = "clause-not-allowed",
    ["openmp-5.2"] = "clause-not-allowed",
    ["openmp-6.0"] = "clause-not-allowed",
    ["libgomp-12-openmp"] = "clause-not-allowed",
    ["libomptarget-19"] = "clause-not-allowed",
    ["libomptarget-14"] = "clause-not-allowed",
    ["openmp-6.1"] = "accepted; `v.data` is not present",
    ["indirect"] = "accepted; `v.data` is not present",
    ["openmp-4.0"] = "accepted; `v.data` is present",
  }, function()
    omp "target enter data map(attach(always), to: v.data[0:4])"
  end)
end)
