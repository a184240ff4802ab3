-- after the limit all coroutines end, not only the one that reached it
local function count() for _ = 1, 50000 do end end
for _ = 1, 10 do coroutine.resume(coroutine.create(count)) end
local n = 0
while pcall(coroutine.resume, coroutine.create(function() n = n + 1 end)) do
  if n > 300 then print "goes on" break end
end
