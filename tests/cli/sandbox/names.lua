-- What a scenario finds of Lua's library.
local function names(t)
  local list = {}
  for name in pairs(t) do list[#list + 1] = tostring(name) end
  table.sort(list)
  return table.concat(list, " ")
end
for _, name in ipairs { "string", "table", "math", "utf8", "coroutine", "os" } do
  print(name, names(_G[name]))
end
for _, name in ipairs { "io", "require", "package", "debug", "dofile", "loadfile", "collectgarbage", "load" } do
  print(name, rawget(_G, name) ~= nil)
end
