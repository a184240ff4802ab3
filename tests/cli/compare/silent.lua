-- Without expectations: the states at the end differ.
declare "struct vector { int n; float *data; } v;"
host.v = { n = 4, data = { 1, 2, 3, 4 } }
case("the device's pointer after an update", function()
  acc "enter data copyin(v, v.data[0:v.n])"
  acc "update device(v)"
end)
case("the same everywhere", function() acc "enter data copyin(v)" end)
case("the same everywhere", function()
  acc "enter data copyin(v.n)"
  acc "exit data copyout(v)"
end)
