-- few steps, each of which writes much
local text = ("x"):rep(1e5)
while true do print(text) end
