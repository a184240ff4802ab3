-- A structure with a pointer, and what it points to.
scenario { title = "a structure with a pointer", rules = "libgomp-12" }
declare "int a[8] = {1, 2, 3, 4, 5, 6, 7, 8};"
declare "struct S { int n; int *d; } s = {4, a};"
vocabulary {
  acc "enter data {copyin(s),copyin(a),copyin(s.d[0:4]),attach(s.d)}",
  acc "exit data {detach(s.d),detach(s.d) finalize,delete(s),copyout(s),delete(a),copyout(s.d[0:4])}",
  acc "update {self(s),device(s),device(s.d[1:2])}",
  acc "data {copyin(s.d[0:4]),copy(s)}",
  acc "serial present(s)" "s.n = 9;",
  host "s.d = a + 2",
}
