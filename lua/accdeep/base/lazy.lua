-- lazy.lua - lazy loading of modules that most sessions do not need: a module is loaded when it is first used.

local require = require -- captured at load time, because a trusted scenario may replace the global function
local lazy = {}

-- Returns a proxy for a module that is a table or a function. check(module), if given, is called when the module is
-- loaded.
function lazy.require(name, check)
  local function load()
    local module = require(name)
    if check then check(module) end
    return module
  end
  return setmetatable({}, {
    __index = function(self, key)
      local module = load()
      getmetatable(self).__index = module
      return module[key]
    end,
    __call = function(_, ...) return load()(...) end,
  })
end

return lazy
