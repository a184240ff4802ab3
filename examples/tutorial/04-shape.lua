-- A shape in a type says once what a deep copy of an object includes.
scenario { title = "Tutorial 4: a shape", cites = { "TR14-3.1.1-01", "TR14-3.1.1-17" } }

declare [[
  struct grid {
    int n; float *u;
    #pragma acc shape include(u[0:n])
  };
  struct grid g;
]]
host.g = { n = 4, u = { 1, 2, 3, 4 } }

acc "data copy(g)" (function()
  expect.attached("g.u", 1)
  acc "parallel loop present(g)" "for (int i = 0; i < g.n; i++) g.u[i] *= 2;"
end)
expect.host("g.u[3]", 8)

-- create copies nothing to the device, not even n: a kernel must not read n.
print(expect.fails("uninitialized-read", function()
  acc "parallel loop create(g)" "for (int i = 0; i < g.n; i++) g.u[i] = 0;"
end))

-- Unless the shape says that n is always needed.
acc "shape(sized) type(struct grid) init_needed(n)"
acc "parallel loop copyout<sized>(g)" "for (int i = 0; i < g.n; i++) g.u[i] = 10 * i;"
expect.host("g.u[3]", 30)

-- A shape with an unknown member is an error at the shape.
expect.invalid("shape(wrong) type(struct grid) include(v[0:n])", "unknown-member")
