-- Members of a structure, one by one, together, and all of it.
scenario { title = "members of a structure", rules = "libomptarget-19" }
declare "struct S { int x, y, z; } s = {1, 2, 3};"
vocabulary {
  omp "target enter data map({to: s.x,to: s.y,to: s})",
  omp "target enter data map(to: s.x, s.z)",
  omp "target exit data map({from: s.x,release: s.y,from: s})",
  omp "target exit data map(delete: s.x, s.z)",
  omp "target update {from(s.x),to(s)}",
  omp "target data map(tofrom: s.x, s.z)",
  omp "target data map(alloc: s)",
  omp "target map(present, alloc: s.x)" "s.x = 9;",
  host "s.x = 7",
}
