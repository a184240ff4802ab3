-- Several variables in one directive: they share a block of device memory.
scenario { title = "several variables in one directive", rules = "libgomp-12" }
declare "int a[2] = {1, 2};"
declare "int b[2] = {3, 4};"
vocabulary {
  acc "enter data copyin({a,b})",
  acc "enter data copyin(a) create(b)",
  acc "enter data copyin(a[0:1], a[1:1])",
  acc "exit data {delete,copyout}({a,b})",
  acc "exit data copyout(a, b)",
  acc "exit data delete(a) finalize",
  acc "data copy(a, b)",
  acc "data copyin(a) copyout(b)",
  acc "data present(a) create(b)",
  acc "serial copyin(a) copy(b)" "b[0] = a[1];",
  acc "serial copyout(b)" "b[1] = 9;",
  host "a[1] = 7",
  host "b[0] = 8",
}
