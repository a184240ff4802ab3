scenario { title = "a queue" }
declare "int v[4];"
acc "parallel copy(v) async(1)" "v[0] = 1;"
acc "wait(1)"
