-- A variable that is a pointer, and what it points to.
scenario { title = "a pointer", rules = "libgomp-12" }
declare "int a[8] = {1, 2, 3, 4, 5, 6, 7, 8};"
declare "int *p = a;"
vocabulary {
  acc "enter data {copyin(a),copyin(p),copyin(p[0:4]),copyin(p[2:2]),attach(p)}",
  acc "exit data {detach(p),delete(p),delete(p[0:4]),copyout(a)}",
  acc "update {self(p),device(p[0:4])}",
  acc "data {copy(p[0:4]),copyin(p)}",
  acc "serial present(p[0:4])" "p[1] = 9;",
  host "p = {a + 2,0}",
}
