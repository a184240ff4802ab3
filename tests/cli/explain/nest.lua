declare [[
  struct deep {
      int n; float *a, *b;
      #pragma acc shape init_needed(n) include(a[0:n], b[0:n])
      #pragma acc policy(calc_a) default(copyin) copyout(a)
      #pragma acc policy(only_b) default(exclude) update(b)
  };
  struct deep X, Y[2];
  int n = 1, i = 1;
]]
host.X = { n = 2, a = { 1, 2 }, b = { 3, 4 } }
host.Y = { { n = 1, a = { 1 }, b = { 2 } }, { n = 2, a = { 3, 4 }, b = { 5, 6 } } }
acc "enter data copyin(Y)"
acc "data invoke<calc_a>(X)" (function() end)
