-- A null pointer with a section: an error in TR14, nothing in OpenACC 3.3 (ACC33-2.7-2).
declare "float *p;"
local ok, err = pcall(function() acc "data copyin(p[0:4])" (function() end) end)
print(ok and "a null pointer is nothing" or "a null pointer is an error: " .. err.code)
