scenario { title = "Bad", rules = "openacc-3.3" }
declare "float a[4] = { 1, 2, 3, 4 }, *p = a;"
vocabulary { acc "enter data copyin(a)", bounds = 3 }
