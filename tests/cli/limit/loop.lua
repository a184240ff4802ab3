-- luacheck: ignore
while true do end
