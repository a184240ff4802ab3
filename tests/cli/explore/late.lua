declare "float a[4] = { 1, 2, 3, 4 };"
vocabulary { acc "enter data copyin(a)" }
acc "enter data copyin(a)"
