-- luacheck: ignore
local function forever() while true do end end
scenario { title = setmetatable({}, { __tostring = forever, __index = forever }) }
