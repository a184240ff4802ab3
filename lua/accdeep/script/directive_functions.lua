-- directive_functions.lua - the functions of a scenario that execute constructs: acc, omp, ir, block, and the routines
-- of OpenACC and OpenMP.
--
-- define(env, script) adds the functions to the environment `env` of a script. script: {run, current, begin, need_text,
-- new_word}, which scenario.lua describes.

local lazy = require "accdeep.base.lazy"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local api_routines = require "accdeep.run.api_routines"
local ir_execution = lazy.require "accdeep.run.ir_execution"
local clause_groups = require "accdeep.types.clause_groups"

local raise = diagnostic.raise

local directive_functions = {}

-- Returns an open region (run/region.lua) as a script sees it: an object to call with a body, to close or to abandon.
local function handle(region)
  local function close() return region:close() end
  local function abandon() region:abandon() end
  return setmetatable({ close = close, abandon = abandon }, { __name = "region",
    __close = getmetatable(region).__close and function() if not region.closed then region:close() end end,
    __call = function(_, body) return region(body) end })
end

-- Adds the functions to `env`.
function directive_functions.define(env, script)
  local run, current, begin = script.run, script.current, script.begin
  local need_text, new_word = script.need_text, script.new_word

  -- Returns the function acc or omp (`name`), which executes the directive `text`. `refs`: names of variables that a
  -- body uses, as a text, or nil. It returns a region, a function that takes the body, or nil if the directive is done.
  local function directives(name)
    return function(text, refs)
      run.begun = true
      if run.words then return new_word(name, text) end
      if type(text) ~= "string" then raise("type-mismatch", nil, name .. " takes a directive as text") end
      if refs ~= nil then need_text(refs, ("the second argument of %s is a text: names of variables"):format(name)) end
      local file, line = location.caller(2)
      local s = run.session
      local result = s[name](s, text, refs, file, line)
      if result == nil then return nil end
      if type(result) ~= "function" then return handle(result) end
      local waiting = current().program.without_body
      local construct = { file = file, line = line }
      waiting[construct] = true
      return function(body)
        waiting[construct] = nil
        local body_file, body_line = location.caller(2)
        return result(body, { file = body_file, line = body_line })
      end
    end
  end
  env.acc = directives "acc"
  env.omp = directives "omp"

  -- Defines ir(text): executes constructs that are given as a text of the construct IR. path: the file of the text;
  -- nil: the text is in the script.
  function env.ir(text, path)
    begin()
    need_text(text, "ir takes a text of the construct IR")
    local file, line = location.caller(2)
    ir_execution.run(current(), text, path or file, path and 1 or line)
  end

  -- Defines block(fn): calls `fn` as a block of the host program, at whose end clause groups declared in it end, too.
  function env.block(body)
    begin()
    if type(body) ~= "function" then raise("type-mismatch", nil, "block takes a function") end
    local s = current()
    local scope = clause_groups.enter_scope(s)
    local ok, err = pcall(body)
    clause_groups.leave_scope(s, scope)
    if not ok then error(err, 0) end
  end

  -- The routines of OpenACC and OpenMP: a first argument that is a text names an object.
  for name in pairs(api_routines.routines) do
    env[name] = function(...)
      begin()
      local file, line = location.caller(2)
      local s = current()
      local text = (...)
      return s:with_text(type(text) == "string" and text or nil, file, line, api_routines.call, s, name,
        { file = file, line = line }, ...)
    end
  end
  for name, value in pairs(api_routines.constants) do env[name] = value end
end

return directive_functions
