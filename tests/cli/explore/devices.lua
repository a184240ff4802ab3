scenario { title = "Two devices", rules = "openacc-3.3", devices = 2 }
declare "float a[4] = { 1, 2, 3, 4 };"
vocabulary { bound = 4, acc "enter data copyin(a)", acc "set device_num({0,1})" }
