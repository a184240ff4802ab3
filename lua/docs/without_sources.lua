-- without_sources.lua INPUT OUTPUT - writes a page for installation, where the source files are not beside it: links to
-- lines of sources become the names of these lines.

local input, output = table.unpack(arg)
local file = assert(io.open(input, "rb"))
local text = file:read "a"
file:close()
text = text:gsub("%[(`[^`]*`)%]%(%.%./%.%./([^()#]*)#L(%d+)%)", "%1 (%2:%3)")
  :gsub("%[([^%[%]]*)%]%(%.%./[^()#]*%.lua#L%d+%)", "%1")
file = assert(io.open(output, "wb"))
assert(file:write(text)):close()
