-- Levels of data regions, and sections of one array that become one block.
scenario { title = "Levels and fusion", rules = "directory" }
declare "float a[6] = { 1, 2, 3, 4, 5, 6 };"
vocabulary { bound = 4,
  acc "data {copy,copyin,create,present}(a[0:2])",
  acc "data {copy,copyin}(a[{1,2,3}:2])",
  acc "data copyout(a)",
  acc "data copyin(a[0:2]) copy(a[3:2])",
  acc "enter data copyin(a[{0,2}:2])",
  acc "exit data delete(a[{0,2}:2])",
  acc "update self(a[{0,2}:2])",
  host "a[1] = 20",
  kernel "a[1] = a[1] + 1",
}
