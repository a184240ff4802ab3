-- A shape says which arrays belong to a structure. One clause then copies them all, and attaches the pointers.
declare [[
  struct particles {
    int n;
    double *x, *v;
    #pragma acc shape include(x[0:n], v[0:n])
  } p;
]]
host.p = { n = 3, x = { 0, 0, 0 }, v = { 1, 2, 3 } }
acc "parallel loop copy(p)" "for (int i = 0; i < p.n; i++) p.x[i] += p.v[i];"
expect.host("p.x[0:3]", { 1, 2, 3 })
