declare "float a[4] = { 1, 2, 3, 4 };"
vocabulary { host "a[0] = b" }
