-- Modifiers of data clauses, which came with OpenACC 2.7, 3.0 and 3.4.
scenario { title = "Modifiers of OpenACC", rules = "openacc-3.4" }
declare "float a[4] = { 1, 2, 3, 4 };"
vocabulary { bound = 4,
  acc "enter data copyin(a)",
  acc "enter data copyin({always:,alwaysin:,readonly:} a)",
  acc "enter data create(zero: a)",
  acc "data copy({always:,alwaysin:,alwaysout:,capture:} a)",
  acc "data copyin({always:,readonly:} a)",
  acc "exit data copyout({always:,alwaysout:} a)",
  acc "exit data {delete,copyout}(a)",
  host "a[1] = 20",
  kernel "a[2] = 30",
}
