-- rounds.lua - runs a random test of lowering: one round for each seed, in a folder that is removed at the end.

local shell = require "suites.shell"

-- Calls round(accdeep, seed, work) for ACCDEEP_ROUNDS seeds (or `count`) from ACCDEEP_SEED on, up to the first failure;
-- with ACCDEEP_GO_ON, all of them. It returns a report of the failure, or nil. work: the folder. compiler: a command.
-- Exits with 0 if no round fails, 1 if one fails, 77 if there is no compiler.
return function(compiler, count, round)
  if not shell.all_output(compiler .. " --version"):find "Free Software" then os.exit(77) end
  local accdeep, first = arg[1], tonumber(os.getenv "ACCDEEP_SEED") or 1
  count = tonumber(os.getenv "ACCDEEP_ROUNDS") or count
  io.stdout:setvbuf "line"
  local work, failed = shell.lines "mktemp -d"[1], 0
  for seed = first, first + count - 1 do
    local report = round(accdeep, seed, work)
    if report then
      failed = failed + 1
      print(("seed %d\n%s"):format(seed, report))
      if not os.getenv "ACCDEEP_GO_ON" then break end
    end
  end
  os.execute("rm -rf " .. work)
  print(("%d rounds, %d failures"):format(count, failed))
  os.exit(failed == 0 and 0 or 1)
end
