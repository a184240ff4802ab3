-- Programs on which profiles differ: spec/reference/disagreements.md. `make disagreements` made this file.
-- Modifiers of data clauses, which came with OpenACC 2.7, 3.0 and 3.4.
scenario { title = "Modifiers of OpenACC", rules = "openacc-3.4" }
declare "float a[4] = { 1, 2, 3, 4 };"

case("differs: the version of the language decides, after acc enter data copyin [HOUSE-explore]", function()
  expect.differs({
    ["tr14"] = "unsupported",
    ["tr14x"] = "unsupported",
    ["openacc-2.0"] = "unsupported",
    ["openacc-3.3"] = "unsupported",
    ["libgomp-12"] = "unsupported",
    ["directory"] = "unsupported",
    ["openacc-3.4"] = "accepted",
  }, function()
    acc "enter data copyin(always: a)"
  end)
end)

case("differs: the version of the language decides, after acc enter data create [HOUSE-explore]", function()
  expect.differs({
    ["tr14"] = "accepted",
    ["tr14x"] = "accepted",
    ["openacc-3.3"] = "accepted",
    ["openacc-3.4"] = "accepted",
    ["directory"] = "accepted",
    ["openacc-2.0"] = "unsupported",
    ["libgomp-12"] = "unsupported",
  }, function()
    acc "enter data create(zero: a)"
  end)
end)
