scenario { title = "Functions of the script", rules = "openacc-3.3" }
func("endless", function() while true do end end)
func("failing", function() error "no" end)
declare "float a[4] = { 1, 2, 3, 4 }; int k = 0;"
vocabulary { bound = 3, acc "enter data copyin(a[0:endless()])", acc "enter data copyin(a[{0,1}:failing()])",
  host "k = endless()", host "k = failing()", host "k = 5, a[k] = 1", host "k = 1" }
