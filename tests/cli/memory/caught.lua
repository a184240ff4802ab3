-- luacheck: ignore
local keep, failures = {}, 0
while failures < 20 do
  if not pcall(function() keep[#keep + 1] = ("x"):rep(1 << 16) .. #keep end) then failures = failures + 1 end
end
keep = nil
print "memory that ran out can be used again"
