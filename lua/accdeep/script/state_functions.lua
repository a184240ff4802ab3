-- state_functions.lua - functions of a scenario that show the state: state, tuples, device_words, show, draw.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local state = require "accdeep.run.state"
local word_set = require "accdeep.base.strings".word_set

local raise = diagnostic.raise

local state_functions = {}

local WORD = 8 -- bytes of a word of device_words

-- Fields of a state; some profiles have not all of them.
local FIELDS = word_set "present attached levels queues floor dynamic"

-- Adds the functions to the environment `env` of a script. script: see scenario.lua.
function state_functions.define(env, script)
  local run, current, need_text = script.run, script.current, script.need_text

  -- Defines state(device): returns the state of a device as a table; reading an unknown field of it raises. `device`: a
  -- number; nil: the current device.
  function env.state(device)
    return env.setmetatable(state.read(current(), device), { __index = function(_, name)
      if type(name) ~= "string" or FIELDS[name] then return nil end
      raise("unknown-name", nil, ("state() has no field '%s'"):format(name), { rule = "HOUSE-scenario",
        help = diagnostic.suggest(name, FIELDS) or "accdeep explain state" })
    end })
  end
  -- Defines tuples(list): returns tuples (entries of the directory, as in state().levels[1].original) as sorted texts.
  function env.tuples(list)
    local is_list = list == nil or type(list) == "table" and (next(list) == nil or list[1] ~= nil)
    for _, tuple in ipairs(is_list and list or {}) do
      is_list = is_list and type(tuple) == "table" and type(tuple.state) == "string" and type(tuple.name) == "string"
    end
    if not is_list then
      raise("type-mismatch", nil, "tuples takes a list of tuples", { rule = "HOUSE-expect",
        help = "as state().levels[1].original" })
    end
    return state.tuples(list)
  end

  -- Defines device_words(text): returns the device bytes of an l-value, written or not, as a list of 8-byte integers. A
  -- partial last word counts as a word. Raises unless the l-value is wholly present.
  function env.device_words(text)
    need_text(text, "device_words takes a variable, member or section as text")
    local s = current()
    local file, line = location.caller(2)
    local address, bytes = s:with_text(text, file, line, s.extent, s, text)
    local at, words = s.ctx:deviceptr(s.now.device, address), {}
    if s.ctx:presence(s.now.device, address, bytes) ~= "wholly" then
      raise("not-present", nil, ("%s is not present on device %d"):format(text, s.now.device),
        { rule = "HOUSE-expect" })
    end
    for i = 1, bytes // WORD do words[i] = s.ctx:device_read(s.now.device, at + (i - 1) * WORD, core.scalar.i64) end
    for i = bytes - bytes % WORD, bytes - 1 do
      local word = i // WORD + 1
      words[word] = (words[word] or 0) | s.ctx:device_read(s.now.device, at + i, core.scalar.u8) << 8 * (i % WORD)
    end
    return words
  end

  -- Defines show(device): prints the state of the device with this number; nil: of the current device.
  function env.show(device) run.out(state.text(current(), device)) end

  -- Defines draw "name.svg": draws host and device into a file. Only trusted scripts may name a folder.
  function env.draw(name)
    need_text(name, "draw takes the name of a file")
    if not name:find "%.svg$" and not name:find "%.dot$" and not name:find "%.html$" then
      raise("type-mismatch", nil, ("'%s' does not end in .svg, .dot or .html"):format(name))
    end
    if not run.options.trust and not name:find "^[%w_-][%w._-]*$" then
      raise("file", nil, ("'%s' is more than a file's name"):format(name), { rule = "HOUSE-draw",
        help = "letters, digits, '.', '-' and '_': whoever runs the script chooses the folder" })
    end
    if not run.options.draw and not run.observers.draw then
      raise("file", nil, "there is no place for pictures", { rule = "HOUSE-draw",
        help = "accdeep run --draw-dir FOLDER, or accdeep draw for pictures of all steps" })
    end
    if run.options.draw then run.options.draw(current(), name) end
    if run.observers.draw then run.observers.draw(current(), name) end
  end
end

return state_functions
