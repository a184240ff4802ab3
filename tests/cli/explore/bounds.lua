scenario { title = "Bad", rules = "openacc-3.3" }
declare "float a[4] = { 1, 2, 3, 4 }, *p = a;"
func("n", function(k) if k > 2 then error "too many" end return k end)
vocabulary { bound = 2, acc "enter data copyin(a[0:n({1,2,3})])", acc "exit data delete(a[0:n({1,2})])" }
