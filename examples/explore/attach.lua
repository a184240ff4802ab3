-- Attach and detach: a structure with a pointer, and two arrays that it may point to.
scenario { title = "Attach and detach", rules = "openacc-3.3" }
declare [[
  float a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 };
  struct vector { int n; float *data; } v = { 4, a };
]]
vocabulary { bound = 4,
  acc "enter data copyin({v,a,b,v.data[0:4],v.data[1:2]})",
  acc "enter data copyin(v) copyin(v.data[0:4])",
  acc "exit data delete(v.data[0:4]) delete(v)",
  acc "exit data {delete,copyout}({v,a,v.data[0:4]})",
  acc "exit data delete({a,v.data[0:4]}) finalize",
  acc "enter data attach(v.data)",
  acc "exit data detach(v.data) {,finalize}",
  acc "data copy({v,a,v.data[0:4]})",
  acc "update {self,device}({v,v.data[0:4]})",
  host "v.data = {a,b,0}",
  host "a[1] = 20",
  kernel "v.data[1] = 30",
}
