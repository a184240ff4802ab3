declare "int x;"
acc "data coppy(x)"
