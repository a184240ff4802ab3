-- Who is present when: one reference count for regions and for enter and exit data.
scenario { title = "Reference counts", rules = "openmp-5.1" }

declare "int v[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }; int w[4]; int n = 3;"

case("as many releases as maps", function()
  expect.absent "v"
  omp "target enter data map(to: v)"
  omp "target enter data map(to: v)"
  omp "target exit data map(release: v)"
  expect.present "v"
  omp "target exit data map(release: v)"
  expect.absent "v"
  omp "target exit data map(release: v)"
  expect.absent "v"
end)

case("delete ends all references", function()
  omp "target enter data map(to: v)"
  omp "target enter data map(alloc: v)"
  omp "target exit data map(delete: v)"
  expect.absent "v"
end)

case("a map of present data moves nothing, neither in nor out", function()
  omp "target enter data map(to: v)"
  host.v[0] = 10
  omp "target data map(tofrom: v)" (function()
    omp "target" "v[1] = v[0] + 20;"
    expect.host("v[1]", 2)
  end)
  expect.host("v[0:2]", { 10, 2 })
  omp "target exit data map(from: v)"
  expect.host("v[0:2]", { 1, 21 })
end)

case("the last reference copies back", function()
  omp "target enter data map(to: v)"
  omp "target enter data map(to: v)"
  omp "target" "v[0] = 100;"
  omp "target exit data map(from: v)"
  expect.host("v[0]", 1)
  omp "target exit data map(from: v)"
  expect.host("v[0]", 100)
  expect.absent "v"
end)

case("parts of an array keep all of it", function()
  omp "target enter data map(to: v)"
  omp "target enter data map(to: v[2:3])"
  omp "target exit data map(release: v)"
  expect.present "v"
  omp "target exit data map(release: v[7:1])"
  expect.absent "v"
end)

case("a section of an array, and what is around it", function()
  omp "target enter data map(to: v[2:4])"
  expect.present "v[2:4]"
  expect.absent "v[0:2]"
  expect.absent "v[6:2]"
  omp "target map(v[3:2])" "v[3] = 33; v[4] = 44;"
  expect.host("v[3]", 4)
  omp "target exit data map(from: v[2:4])"
  expect.host("v", { 1, 2, 3, 33, 44, 6, 7, 8 })
  expect.absent "v[2:4]"
end)

case("an item of a construct twice is one reference", function()
  omp "target enter data map(to: v[0:4]) map(to: v[0:4])"
  omp "target exit data map(release: v[0:4])"
  expect.absent "v[0:4]"
end)

case("left inside of a region", function()
  omp "target data map(to: v)" (function()
    omp "target exit data map(release: v)"
    expect.absent "v"
  end)
  expect.absent "v"
end)

case("entered inside of a region, left behind it", function()
  omp "target data map(tofrom: v)" (function()
    omp "target enter data map(to: v)"
    omp "target" "v[0] = 9;"
  end)
  expect.present "v"
  expect.host("v[0]", 1)
  omp "target exit data map(from: v)"
  expect.host("v[0]", 9)
end)

case("always moves what is present", function()
  omp "target enter data map(to: v, w)"
  host.v[0] = 50
  omp "target map(always, to: v) map(always, from: w)" "w[0] = v[0] + 1;"
  expect.host("w[0]", 51)
  expect.present "w"
  omp "target exit data map(always, from: w) map(delete: v)"
  expect.absent "w"
end)

case("exit data of what is absent does nothing", function()
  omp "target exit data map(from: v)"
  omp "target exit data map(delete: w)"
  expect.host("v[7]", 8)
  expect.absent "v"
end)
