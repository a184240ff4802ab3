-- 900,000 steps in coroutines, none of which takes many
for _ = 1, 100 do coroutine.wrap(function() for _ = 1, 9000 do end end)() end
