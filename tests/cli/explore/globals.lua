scenario { title = "A function that fills a table", rules = "openacc-3.3" }
cache = {}
func("square", function(x)
  cache[x] = cache[x] or x * x
  return cache[x]
end)
declare "int k = 3;"
vocabulary { host "k >>= 1, k = square(k)" }
