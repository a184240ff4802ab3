scenario { title = "Member functions", rules = "openacc-3.3" }
declare [[
  float a[4] = { 1, 2, 3, 4 };
  struct vector { int n; float *data; int half() { return n / 2; } float *at(int k) { return data + k; } } v = { 4, a };
]]
func("two", function() return 2 end)
vocabulary { bound = 3,
  acc "enter data copyin({v,v.data[0:v.half()],a[0:two()]})", acc "exit data delete({v,v.data[0:v.half()]})",
  host "v.data = v.at({0,1})", host "v.n = {2,0}", kernel "v.n = v.half()",
}
