-- The rule profile of a scenario that chooses none, and whose directives are of OpenMP alone: the newest of OpenMP.
-- default.lua has the counterpart, and what the names in comments and texts do not change: acc.
scenario { title = "The default profile: OpenMP alone" }
declare "int x = 1; struct { int n, m; } s;"

-- A member of a structure of which another member is present: OpenMP refuses it, TR-14-1 maps it.
local function map_two_members()
  omp "target enter data map(to: s.n)"
  omp "target enter data map(to: s.m)"
end

case("accepts: a scenario of OpenMP alone has the newest profile of OpenMP [HOUSE-default]", function()
  local problem = expect.fails("not-present", map_two_members)
  expect.equal(problem.rule, "OMP60-map-13")
end)

case("accepts: changes without a base change that profile [HOUSE-default HOUSE-knobs]", function()
  rules { descriptors = true }
  declare "struct { int k, l; } t;"
  expect.fails("not-present", map_two_members)
end)

case("differs: the profile that a scenario chooses decides [HOUSE-default]", function()
  rules "tr14"
  map_two_members()
  expect.present "s.m"
end)
