-- bench.lua - how long bodies of C text take on the device, the first time (with its compiler) and the best of five
-- later ones: one statement, an independent loop, a sum, a loop over structures with attached pointers.

local N, OBJECTS = 100000, 10000

declare(([[
  int a[%d]; long sum;
  struct part {
    int n; float *data;
    #pragma acc shape include(data[0:n])
  };
  struct part parts[%d];
]]):format(N, OBJECTS))

local function measure(name, directive, body)
  local times = {}
  for i = 1, 6 do
    local started = os.clock()
    acc(directive)(body)
    times[i] = (os.clock() - started) * 1e6
  end
  print(("%-28s %12.0f %12.0f"):format(name, times[1], math.min(table.unpack(times, 2))))
end

for i = 0, OBJECTS - 1 do
  host.parts[i].n = 4
  host.parts[i].data = { 1, 2, 3, 4 }
end
print(("%-28s %12s %12s   microseconds of this process"):format("body", "first", "later"))
acc "data copy(a, sum)" (function()
  measure("one statement", "serial", "a[0] = 1;")
  measure(("%d iterations"):format(N), "parallel loop", ("for (int i = 0; i < %d; i++) a[i] = 2 * i;"):format(N))
  measure(("sum of %d"):format(N), "parallel loop present(sum)",
    ("for (int i = 0; i < %d; i++) sum += a[i];"):format(N))
end)
acc "data copy(parts)" (function()
  measure(("%d structures"):format(OBJECTS), "parallel loop present(parts)",
    ("for (int i = 0; i < %d; i++) for (int k = 0; k < parts[i].n; k++) parts[i].data[k] += 1;"):format(OBJECTS))
end)
