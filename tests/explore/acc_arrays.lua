-- Sections of an array, in parts and as a whole.
scenario { title = "an array", rules = "libgomp-12" }
declare "int a[4] = {1, 2, 3, 4};"
vocabulary {
  acc "enter data {copyin(a),copyin(a[1:2]),create(a[2:2])}",
  acc "exit data {copyout(a),delete(a),copyout(a[1:2]),delete(a) finalize}",
  acc "update {self(a),self(a) if_present,device(a[1:2])}",
  acc "data {copy(a),create(a[0:2]),no_create(a),present(a[1:2])}",
  acc "serial present(a)" "a[2] = 9;",
  host "a[1] = 7",
}
