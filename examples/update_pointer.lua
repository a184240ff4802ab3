declare "struct vector { int n; float *data; } v;"
host.v = { n = 4, data = { 1, 2, 3, 4 } }
acc "enter data copyin(v, v.data[0:v.n])"
acc "update device(v)"
expect.device("v.data[0]", 1)
