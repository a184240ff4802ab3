-- lazy.lua - lazy loading of modules that most sessions do not need: a module is loaded when it is first used.

local require = require -- captured at load time, because a trusted scenario may replace the global function
local lazy = {}

-- Returns a proxy for the module `name`, which is a table or a function: the proxy can be indexed and called. The
-- module is loaded at the first such use. check(module), if given, is called after loading, and may raise.
function lazy.require(name, check)
  -- Loads the module and checks it. `require` caches the module, so later calls are cheap; `check` runs again.
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

-- Returns a function that calls the function `key` of a module, which may be a proxy: the module is loaded at the first
-- call.
function lazy.method(module, key)
  return function(...) return module[key](...) end
end

return lazy
