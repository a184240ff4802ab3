-- Deep copy: shapes, policies, and the same by hand.
scenario { title = "Deep copy", rules = "tr14" }
declare [[
  typedef struct {
    int n; float *data; float *more;
    #pragma acc shape include(data[0:n], more[0:1])
    #pragma acc policy(first) default(copyin) create(data[0:n]) exclude(more)
  } vector;
  float x[3] = { 1, 2, 3 }, y[3] = { 4, 5, 6 };
  vector v = { 2, x, y };
]]
vocabulary { bound = 4,
  acc "enter data {copyin(v),invoke<first>(v),copyin(v.data[0:2])}",
  acc "exit data {delete,copyout}({v,v.data[0:2]})",
  acc "data copy(v)",
  acc "update {self,device}({v,v.data[0:2]})",
  host "v.n = {1,3}",
  host "v.data = y",
  kernel "v.data[0] = 9",
}
