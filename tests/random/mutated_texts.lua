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

-- Executes random texts, each of which must leave the session consistent. Returns the number of texts that succeed, and
-- of all. Fields of a test. rounds: the number of texts. every: texts in one session. fresh(): returns a session.
-- next(session): returns a text, the function that executes it, its limit (try), and true if it must end. ACCDEEP_SEED
-- and ACCDEEP_ROUNDS select other runs.
function mutated_texts.run(test)
  local seed = tonumber(os.getenv "ACCDEEP_SEED") or 1
  local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or test.rounds
  local session, succeeded = nil, 0
  math.randomseed(seed)
  for round = 1, rounds do
    session = session or test.fresh()
    local text, execute, most, must_end = test.next(session)
    local err = mutated_texts.try(execute, most)
    local stopped = err == mutated_texts.STOPPED
    local flaw = stopped and must_end and "it takes too long" or err and not stopped and mutated_texts.flaw(err, text)
      or session.ctx:check()
    if flaw then error(("seed %d, %s: %s\n  %q"):format(seed, session.rules.name, flaw, text), 0) end
    succeeded = succeeded + (err and 0 or 1)
    if stopped or round % test.every == 0 then
      session:close()
      session = nil
    end
  end
  if session then session:close() end
  return succeeded, rounds
end

return mutated_texts
