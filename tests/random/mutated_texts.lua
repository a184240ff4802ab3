-- mutated_texts.lua - what tests of mutated texts share: each text must succeed, or raise a complete error of accdeep.

local diagnostic = require "accdeep.base.diagnostic"

local mutated_texts = {}

-- The error of a text that did not end.
mutated_texts.STOPPED = {}

-- Calls fn. Returns its error, or nil; STOPPED after `most` times 10,000 steps of Lua: a loop without its end would not
-- terminate.
function mutated_texts.try(fn, most)
  local co, n = coroutine.create(fn), 0
  debug.sethook(co, function()
    n = n + 1
    if n > most then error(mutated_texts.STOPPED, 0) end
  end, "", 10000)
  local ok, err = coroutine.resume(co)
  if not ok then return err end
end

-- Returns what an error about `text` lacks, as a sentence; nil if it lacks nothing.
function mutated_texts.flaw(err, text)
  if not diagnostic.is(err) then return "a plain error: " .. tostring(err) end
  local phase = diagnostic.phase(err.code)
  if not phase or phase == "internal" then return "an internal error: " .. err.message end
  local lacks = not err.rule and "rule" or not (err.file and err.line) and "place"
    or (phase == "text" or phase == "static") and text:find "%S" and not err.column and "column"
  return lacks and ("%s without a %s: %s"):format(err.code, lacks, err.message) or nil
end

return mutated_texts
