scenario { title = "Profiles that differ in counters alone", rules = "openacc-3.3" }
declare "float a[4];"
vocabulary { bound = 2, acc "enter data copyin(a) copyin(a[0:2])", acc "exit data delete(a)" }
