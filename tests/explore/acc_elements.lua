-- An array of structures with pointers.
scenario { title = "an array of structures", rules = "libgomp-12" }
declare "int a[4] = {1, 2, 3, 4};"
declare "int b[4] = {5, 6, 7, 8};"
declare "struct S { int n; int *d; } t[2] = {{4, a}, {4, b}};"
vocabulary {
  acc "enter data copyin({t,t[1:1],t[0].d[0:4],t[1].d[0:4]})",
  acc "enter data copyin(t[0].d[0:4], t[1].d[1:2])",
  acc "exit data {delete,copyout}({t,t[1:1],t[0].d[0:4],t[1].d[0:4]})",
  acc "exit data delete(t[0].d[0:4], t[1].d[1:2]) finalize",
  acc "update {self,device}({t,t[1:1]})",
  acc "data copy({t,t[1].d[0:4]})",
  host "t[1].d = a",
}
