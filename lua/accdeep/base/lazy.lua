-- lazy.lua - modules that most sessions do without: each is loaded when something of it is first used.

local require = require -- as it is now: a trusted scenario may change the global one
local lazy = {}

-- Stands for a module, which is a table or a function. check(module): called when it is loaded.
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
