-- Vocabularies, and what profiles do differently.
scenario { title = "House: vocabularies and differences of profiles" }

declare "int a[4] = { 1, 2, 3, 4 }; int *p = a;"

case("accepts: the words of a vocabulary are not carried out [HOUSE-explore]", function()
  vocabulary { bound = 3, regions = "free",
    acc "enter data copyin(a[{0,2}:2])",
    acc "parallel copy(a)" "a[0] = 5;",
    omp "target update to(a)",
    host "a[1] = 9",
    kernel "a[1] = 7",
  }
  expect.absent "a"
  expect.host("a[1]", 2)
end)

case("rejects: a vocabulary has words, and fields that there are [HOUSE-explore]", function()
  expect.fails("type-mismatch", function() vocabulary { "enter data copyin(a)" } end)
  expect.fails("type-mismatch", function() vocabulary {} end)
  expect.fails("type-mismatch", function() vocabulary "enter data copyin(a)" end)
  expect.fails("type-mismatch", function() vocabulary { host "a[0]" "5" } end)
  expect.fails("type-mismatch", function() vocabulary { acc(5) } end)
  expect.fails("type-mismatch", function() vocabulary { host "a[0]", regions = "crossed" } end)
  expect.fails("type-mismatch", function() vocabulary { host "a[0]", bound = 0 } end)
  expect.fails("unknown-name", function() vocabulary { host "a[0]", depth = 3 } end)
  expect.fails("limit", function() vocabulary { acc("update self(a[0:1" .. ("+{0,1}"):rep(8) .. "])") } end)
end)

case("rejects: a file has a second vocabulary [HOUSE-explore]", function()
  vocabulary { host "a[0]" }
  expect.fails("scenario-error", function() vocabulary { host "a[1]" } end)
end)

case("rejects: a word does not parse [HOUSE-explore HOUSE-syntax]", function()
  expect.fails("syntax", function() vocabulary { acc "enter data copyin(" } end)
  expect.fails("syntax", function() vocabulary { acc "enter data copyin(a[{0,1:2])" } end)
  expect.fails("syntax", function() vocabulary { host "a[1] + " } end)
  expect.fails("syntax", function() vocabulary { kernel "a[1] = " } end)
end)

case("accepts: profiles differ in errors, values, presence, counters [HOUSE-explore]", function()
  expect.differs({ ["openacc-3.3"] = "accepted", ["openacc-2.0"] = "already-present" }, function()
    acc "enter data copyin(a)"
    acc "enter data copyin(a)"
  end)
  expect.differs({ ["openmp-5.1"] = "accepted", ["openmp-6.0"] = "accepted", tr14 = "accepted" }, function()
    omp "target enter data map(to: a)"
    expect.present "a"
  end)
  expect.differs({ ["openacc-3.3"] = "accepted", ["openmp-6.0"] = "accepted: one counter" }, function()
    acc "enter data copyin(a)"
    acc "enter data copyin(a[0:2]) copyin(a[2:2])"
  end, "counters")
  expect.absent "a"
end)

case("rejects: profiles do the same, or something else [HOUSE-explore HOUSE-expect]", function()
  local function once()
    acc "enter data copyin(a)"
    expect.present "a"
  end
  local err = expect.fails("expectation", function()
    expect.differs({ ["openacc-3.3"] = "accepted", ["openacc-2.0"] = "accepted: other values" }, once)
  end)
  expect.equal(err.message, "openacc-2.0 and openacc-3.3 do the same")
  err = expect.fails("expectation", function()
    expect.differs({ ["openacc-3.3"] = "accepted", ["openacc-2.0"] = "already-present" }, once)
  end)
  expect.equal(err.message, "outcome under openacc-2.0")
  expect.fails("unknown-name", function() expect.differs({ ["openacc-9"] = "accepted" }, once) end)
  expect.fails("unknown-name", function() expect.differs({ tr14 = "nothing" }, once) end)
end)
