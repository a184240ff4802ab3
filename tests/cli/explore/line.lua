declare "float a[4] = { 1, 2, 3, 4 };" vocabulary { bound = 2, acc "enter data copyin(a)" }
