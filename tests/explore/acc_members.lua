-- Members of a structure, one by one, together, and all of it.
scenario { title = "members of a structure", rules = "libgomp-12" }
declare "struct S { int x, y, z; } s = {1, 2, 3};"
vocabulary {
  acc "enter data {copyin(s.x),copyin(s.y),copyin(s.x, s.z),copyin(s)}",
  acc "exit data {copyout(s.x),delete(s.y),copyout(s),delete(s.x, s.z) finalize}",
  acc "update {self(s.x),device(s)}",
  acc "data {copy(s.x, s.z),create(s)}",
  acc "serial present(s.x)" "s.x = 9;",
  host "s.x = 7",
}
