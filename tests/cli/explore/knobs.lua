scenario { rules = { base = "libgomp-12", again = "reject" } }
declare [[ int a[4] = {1}; struct { int n; int *d; } v = {4, a}; ]]
vocabulary { bound = 3,
  acc "enter data copyin({a,v})", acc "enter data copyin(v) copyin(a) attach(v.d)",
  acc "exit data delete({v,a}) {,finalize}",
  acc "data copy(v) copy(v.d[0:2])",
}
