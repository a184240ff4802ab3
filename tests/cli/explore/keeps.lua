scenario { title = "A function that counts its calls", rules = "openacc-3.3" }
local calls = 0
func("again", function()
  calls = calls + 1
  return calls
end)
declare "int k = 1;"
vocabulary { host "k = 2", host "k = again()" }
