scenario { title = "Bad", rules = "openacc-3.3" }
declare "float a[4] = { 1, 2, 3, 4 }, *p = a;"
vocabulary { bound = 2,
  kernel "for (;;) ;", kernel "for (;;) a[0] = a[0] + 1", acc "parallel copy(a)" "while (1) ;",
  host "a[0] = *(float *)0", host "a[9] = 1", kernel "a[0] = 1 / 0" }
