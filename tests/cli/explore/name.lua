scenario { title = "Bad", rules = "openacc-3.3" }
declare "float a[4] = { 1, 2, 3, 4 };"
vocabulary {
  acc "exit data delete(a)",
  acc "enter data copyin({a,c})",
}
