-- rounds.lua - runs a test of random programs: one round for each seed, in a folder of its own.
--
-- ACCDEEP_SEED: the first seed. ACCDEEP_ROUNDS: the number of rounds. ACCDEEP_GO_ON: go on after a failure, whose
-- folder stays otherwise. Exit status: 0 if no round fails, 1 if one fails, 77 if nothing can be compiled.

local shell = require "suites.shell"

-- Runs a test, and exits. Fields of a test. compiles: a command that fails if nothing can be compiled. count: the
-- number of rounds. round(accdeep, seed, work): executes a round, with random numbers of the seed; returns a report if
-- it fails, otherwise nil. summary(), optional: returns a text, and false if the rounds have shown too little.
return function(test)
  if not os.execute(("(%s) >/dev/null 2>&1"):format(test.compiles)) then
    print("this fails: " .. test.compiles)
    os.exit(77)
  end
  local accdeep, first = shell.lines("realpath " .. shell.quote(arg[1]))[1], tonumber(os.getenv "ACCDEEP_SEED") or 1
  local count = tonumber(os.getenv "ACCDEEP_ROUNDS") or test.count
  io.stdout:setvbuf "line"
  local work, failed = shell.lines "mktemp -d"[1], 0
  for seed = first, first + count - 1 do
    math.randomseed(seed)
    local report = test.round(accdeep, seed, work)
    if report then
      failed = failed + 1
      print(("seed %d, in %s: %s"):format(seed, work, report))
      if not os.getenv "ACCDEEP_GO_ON" then os.exit(1) end
    end
  end
  os.execute("rm -rf " .. work)
  local text, is_enough = "", true
  if test.summary then text, is_enough = test.summary() end
  print(("%d rounds, %d failures%s"):format(count, failed, text))
  os.exit(failed == 0 and is_enough and 0 or 1)
end
