-- Figure 5 under each combination of the knobs of section 3.
scenario { title = "LLNL 3: the refinements side by side", rules = "openmp-4.0" }

declare [[
  double *a, *b, *inner_a, *inner_b;
  int N = 4;
]]
host.a, host.b = { 1, 2, 3, 4 }, { 10, 20, 30, 40 }
host.inner_a, host.inner_b = host.a, host.b

-- Each entry: values of the knobs section and implicit; the number of objects on the device after the mapping, which
-- are sections and pointers; whether the kernel finds the arrays through the copies of the pointers.
local ways = {
  { "two-step", "tofrom", 4, false }, { "one-step", "tofrom", 2, false }, { "value-first", "tofrom", 4, false },
  { "two-step", "by-type", 4, true }, { "one-step", "by-type", 2, true }, { "value-first", "by-type", 4, true },
}
for _, way in ipairs(ways) do
  local section, implicit, objects, works = table.unpack(way)
  case(("%s with section = %s and implicit = %s [LLNL-%s]"):format(works and "accepts: Figure 5 works"
    or "differs: Figure 5 fails", section, implicit, works and "3.2-05" or "3.1-05"), function()
    rules { base = "openmp-4.0", section = section, implicit = implicit }
    omp "target enter data map(to: a[0:N]) map(to: b[0:N])"
    expect.equal(#state().present, objects)
    local function kernel()
      omp "target teams distribute parallel for" "for (int i = 0; i < N; ++i) inner_a[i] += inner_b[i];"
    end
    if works then kernel() else expect.fails("host-pointer-on-device", kernel) end
    expect.accepts "target exit data map(from: a[0:N]) map(release: b[0:N])"
    expect.host("a[0:N]", works and { 11, 22, 33, 44 } or { 1, 2, 3, 4 })
  end)
end
