-- The rule profile of a scenario that chooses none, and has directives of OpenACC, too: tr14. default-openmp.lua has
-- the counterpart.
scenario { title = "The default profile: OpenACC, too" }
declare "struct { int n, m; } s;"

local function map_two_members()
  omp "target enter data map(to: s.n)"
  omp "target enter data map(to: s.m)"
end

case("accepts: a scenario with directives of both languages has the profile tr14 [HOUSE-default]", function()
  acc "enter data create(s.n)"
  acc "exit data delete(s.n)"
  map_two_members()
  expect.present "s.m"
end)

case("differs: the profile that a scenario chooses decides [HOUSE-default]", function()
  rules "openmp-6.1"
  expect.fails("not-present", map_two_members)
end)
