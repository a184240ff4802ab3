scenario { title = "Bad", rules = "openacc-3.3" }
declare "float a[4] = { 1, 2, 3, 4 }, *p = a;"
vocabulary { acc "enter data copyin(a[{0,1,2,3}:{1,2}]) create(p[{0,1,2,3}:{1,2,3,4}]) if({0,1,a[0]}) async({1,2,3})" }
