-- Ways out of the sandbox: each is closed.
declare "struct S { int n; float *a; } X; float v[2];"
local function try(what, fn) print(what, pcall(fn)) end

try("io.open", function() return io.open "/etc/passwd" end)
try("os.execute", function() return os.execute "true" end)
try("os.exit", function() os.exit(0) end)
try("require", function() return require "accdeep.core" end)
try("string.dump", function() return string.dump(function() end) end)
try("dump by a method", function() return (""):dump() end)
try("byte code", function() return load("\27Lua", "x", "b") end)
try("code from a function", function() return load(function() return nil end) end)
try("the strings' metatable", function() return getmetatable "" end)
try("a view's metatable", function() return getmetatable(host.X) end)
try("host's metatable", function() return getmetatable(host) end)
try("raw parts of a view", function() return next(host.X) end)
try("raw parts of a pointer", function() return pairs(host.X.a) end)
try("rawget of a view", function() return rawget(host.v, 1) end)
try("rawset of a view", function() rawset(host.v, 1, 2) end)
try("another metatable for a view", function() setmetatable(host.X, {}) end)
try("another metatable for host", function() setmetatable(host, {}) end)
try("a finalizer", function() setmetatable({}, { __gc = function() end }) end)
try("a region's inside", function()
  local region = acc "data copyin(v)"
  local session = region.session
  region:close()
  return session
end)
try("a kernel's inside", function()
  acc "parallel copyin(v)" (function(d) print(next(d)) end)
end)
try("names of files in loaded text", function() return load("return rawget(_G, 'io')", "=x", "t") () end)
try("an environment of one's own", function() return load("return print", "=x", "t", {}) () end)
try("an address made up", function()
  host.X.a = 0x1000
  return host.X.a[0]
end)
try("a large address made up", function()
  host.X.a = 0x7fffffff0000
  return host.X.a[0]
end)
try("beyond the end", function()
  host.X.a = addr "v"
  return host.X.a[2]
end)
try("a chunk in the interpreter's name", function() load("error 'mine'", "@accdeep/session.lua") () end)
local seen = 0
for _, event in ipairs(events(function() acc "enter data create(v)" end)) do
  for _ in pairs(event) do seen = seen + 1 end
end
print("events are open", seen > 0)
