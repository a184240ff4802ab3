-- OpenMP: members of a structure, a pointer that is attached or not, a mapper, and indirect data.
scenario { title = "OpenMP: structure mapping and indirect data", rules = "openmp-5.1" }

declare [[
  struct grid {
    char cache[2000000];          // never needed on the device
    int n;
    double *u;
  };
  #pragma omp declare mapper(struct grid g) map(g.n, g.u[0:g.n])
  struct grid G, levels[3];
  double *u;
]]
host.G = { n = 4, u = { 1, 2, 3, 4 } }
for i = 0, 2 do host.levels[i] = { n = i + 1, u = { 1, 1, 1 } } end

-- Members in the clauses of one construct share one small block; the section is attached to the pointer.
omp "target data map(to: G.n) map(tofrom: G.u, G.u[0:G.n])" (function()
  show()
  omp "target" "for (int i = 0; i < G.n; i++) G.u[i] *= 10;"
end)
expect.host("G.u[0:4]", { 10, 20, 30, 40 })

-- Here the section is mapped without its pointer: no pointer is attached to it.
omp "target data map(G.u[0:4])" (function()
  local err = expect.fails("host-pointer-on-device", function()
    omp "target map(G.u)" "G.u[0] = 0;"
  end)
  print(err.message)
  print(err.help)
end)

-- A mapper describes the members once, for arrays of any length.
omp "target map(levels)" [[
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < levels[k].n; i++) levels[k].u[i] += k;
]]
expect.host("levels[2].u[2]", 3)

-- Figure 5 of "Supporting Indirect Data Mapping in OpenMP": arrays are mapped, and copies of their pointers are used.
local function figure_5()
  declare "double *a, *b, *inner_a, *inner_b; int N = 3;"
  host.a, host.b = { 1, 2, 3 }, { 10, 20, 30 }
  host.inner_a, host.inner_b = host.a, host.b
  omp "target enter data map(to: a[0:N]) map(to: b[0:N])"
  omp "target teams distribute parallel for" "for (int i = 0; i < N; i++) inner_a[i] += inner_b[i];"
  omp "target exit data map(from: a[0:N]) map(release: b[0:N])"
  expect.host("a[0:3]", { 11, 22, 33 })
end

for _, section in ipairs { "two-step", "one-step", "value-first" } do
  for _, implicit in ipairs { "tofrom", "by-type" } do
    case(("sections %s, implicit maps %s"):format(section, implicit), function()
      rules { base = "openmp-4.0", section = section, implicit = implicit }
      if implicit == "by-type" then
        figure_5()
      else
        expect.fails("host-pointer-on-device", figure_5)
      end
    end)
  end
end
