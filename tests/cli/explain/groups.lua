scenario { rules = "indirect" }
declare [[
  int n = 4, a, b;
  double v[4];
  struct pair { int x, y;
    #pragma omp declare group firstprivate(this) if(target: this->x < n)
  } l;
]]
omp "declare group name(privs) private(a) schedule( static , 4)"
omp "declare group name(all) bind_all(target) map(always, tofrom: v[0:n]) defaultmap(tofrom: scalar)"
omp "parallel for firstprivate(a, b) bind_group(override: privs)" "for (int i = 0; i < 3; i++) b = i;"
omp "target bind_types(l) firstprivate(a)" "v[0] = l.x;"
