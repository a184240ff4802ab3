-- reproducible.lua - makes runs of a scenario equal: all runs get the times and the random seed of the first one.

-- Returns a function that prepares each run of a scenario. It replaces os.clock, os.time and the random numbers by
-- those of the first run.
local function reproducible()
  local seed, times = os.time(), {}

  -- Prepares a run before its text is read. `env`: the script's names.
  return function(env)
    local n = 0
    -- Returns a function that returns the results of fn in the first run, and repeats them in later runs.
    local function replay_results(fn)
      return function(...)
        local result = fn(...)
        n = n + 1
        times[n] = times[n] or result
        return times[n]
      end
    end
    env.os = { clock = replay_results(os.clock), time = replay_results(os.time) }
    math.randomseed(seed)
    function env.math.randomseed(...)
      if select("#", ...) == 0 then return math.randomseed(seed) end
      return math.randomseed(...)
    end
  end
end

return reproducible
