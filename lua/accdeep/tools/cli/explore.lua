-- explore.lua - `accdeep explore`: executes all programs of a vocabulary. It prints a scenario, with counts as
-- comments.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local core = require "accdeep.core"
local explore = lazy.require "accdeep.tools.explore"
local progress = require "accdeep.base.progress"
local oracle_report = lazy.require "accdeep.tools.explore.oracle_report"
local scenario_writer = lazy.require "accdeep.steps.scenario_writer"
local strings = require "accdeep.base.strings"

-- Returns the number of words (actions of a program), at least 1, that a text denotes. Returns nil and a message for
-- other texts.
local function number(text)
  local n, problem = common.parse_whole_number(text)
  if n == 0 then return nil, "0 is no number of words" end
  return n, problem
end

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("file", "A scenario whose last statement is a vocabulary."):argname "<file>"
  command:argument("results", "With --merge: results of shards."):args "*":argname "<results>"
  command:option("--bound", "Words of the longest programs, at least 1."):convert(number)
  command:option("--rules", "Rule profiles, separated by commas; two or more are compared. all: every profile.")
    :argname "<profiles>":convert(common.profile_list)
  command:flag("--counters", "Compare reference counters and attach counters, too.")
  command:flag("--hold", "Check properties that all programs must have, under one profile.")
  command:option("--oracle", "Compare one profile with the runtime of a compiler: gcc, clang, clang-19.")
    :argname "<compiler>"
  command:flag("--exec", "With --oracle: run what the compiler made under accdeep exec.")
  command:option("--known", "With --oracle: a file with differences that are explained."):argname "<file>"
  command:flag("--every", "With --oracle: also programs that reach a state which another one has reached.")
  command:option("--jobs", "Processes to explore in."):default "1":convert(common.parse_whole_number)
  command:option("--shard", "Explore part I of N."):argname "<i/n>":convert(common.shard)
  command:option("--out", "File for results: for --resume and --merge."):argname "<file>"
  command:flag("--resume", "Continue the interrupted exploration whose results are in the file of --out.")
  command:flag("--merge", "Join results of shards.")
  command:option("--limit", "Directives that are carried out at most."):default "100000000":convert(
    common.parse_whole_number)
end

-- Returns a number with commas between thousands, or as a power of ten if it is very large.
local function group_digits(n)
  if n >= 1e15 then return ("%.1e"):format(n) end
  local text = ("%.0f"):format(n)
  local first = #text % 3
  local parts = { first > 0 and text:sub(1, first) or nil }
  for at = first + 1, #text, 3 do parts[#parts + 1] = text:sub(at, at + 2) end
  return table.concat(parts, ",")
end

-- Returns a number as text (group_digits) with its noun. `plural`: the noun's plural; nil: with an s.
local function count(n, noun, plural)
  return ("%s %s"):format(group_digits(n), n == 1 and noun or plural or noun .. "s")
end

-- Prints the counts of an exploration as comments. `result`: result of explore.run or explore.merge.
local function print_counts(exploration, result)
  local levels = {}
  for n, classes in ipairs(result.levels) do levels[n] = group_digits(classes) end
  local all = 0
  for n = 1, exploration.bound do all = all + (#exploration.actions) ^ n end
  common.write_output(("-- %s: %s of up to %d of %s\n"):format(exploration.source.file, count(all, "program"),
    exploration.bound, count(#exploration.actions, "word")))
  common.write_output(("-- %s (by words: %s), found in %s\n"):format(count(result.classes, "class", "classes"),
    table.concat(levels, " "), count(result.programs, "program")))
  common.write_output(("-- %s carried out%s\n"):format(count(result.directives, "word"), result.seconds
    and (" in %.1f s, %s a second"):format(result.seconds, group_digits(result.carried_out // result.seconds)) or ""))
end

-- Prints the actions `list`, which succeeded in no program and may therefore be mistakes; prints nothing for nil.
local function print_never(list)
  for _, action in ipairs(list or {}) do
    common.write_output(("-- in no program does this succeed: %s\n"):format(scenario_writer.statement(action)))
  end
end

-- Compares a profile with a real runtime (--oracle) and prints the report. Returns the exit status: 1 for a new or
-- vanished difference, 3 if the limit ended the comparison.
local function compare(chosen)
  if #(chosen.rules or {}) > 1 then
    common.err "accdeep: --oracle compares one profile\n"
    return common.USAGE
  end
  common.progress = progress.new(false)
  local lines, failed, why = oracle_report.compare(chosen.file, { oracle = chosen.oracle,
    rules = chosen.rules and chosen.rules[1], bound = chosen.bound, explanations = chosen.known,
    limit = chosen.limit, every = chosen.every, exec = chosen.exec,
    progress = function(n, i, all)
      if i % 64 == 0 then common.progress:show("programs of %d words: %s of %s", n, group_digits(i),
        group_digits(all)) end
    end })
  common.progress:hide()
  common.write_output(table.concat(lines))
  if why then
    common.err(("accdeep: %s; raise --limit, or lower --bound\n"):format(why))
    return 3
  end
  return failed and 1 or 0
end

-- Prints the results: counts, and a scenario of counterexamples or differences. Returns the exit status: 1 if there are
-- counterexamples or differences, 3 if the limit ended the search, 130 after an interruption.
local function report(chosen, exploration, result)
  print_counts(exploration, result)
  if result.ended == "limit" then
    common.err(("accdeep: %s; raise --limit, or lower --bound\n"):format(result.why))
    return 3
  elseif result.ended then
    common.err(("accdeep: interrupted%s\n"):format(chosen.out and "; --resume continues" or ""))
    return 130
  end
  print_never(result.never)
  if chosen.hold then
    common.write_output(("-- %s under %s\n"):format(strings.count(#result.findings, "counterexample"),
      exploration.names[1]))
    if #result.findings > 0 then common.write_output("\n" .. explore.counterexamples(exploration, result.findings)) end
    return #result.findings > 0 and 1 or 0
  end
  if #exploration.names == 1 then return 0 end
  local groups, text = explore.differences(exploration, result.findings)
  common.write_output(("-- %s of %s\n"):format(strings.count(#groups, "difference"),
    table.concat(exploration.names, ", ")))
  if #groups == 0 then return 0 end
  common.write_output("\n" .. text)
  return 1
end

-- Warns if the limit of directives may end the exploration early.
local function announce(exploration, limit)
  local most = 0
  for n = 1, exploration.bound do most = most + #exploration.systems * (#exploration.actions) ^ n end
  if most > limit then
    common.err(("accdeep: up to %s directives if no two programs were of one class; --limit ends it after %s\n"):format(
      group_digits(most), group_digits(limit)))
  end
end

-- Explores the programs of a vocabulary, or merges results of shards. Returns the exit status.
local function run(chosen)
  if chosen.resume and not chosen.out then
    common.err "accdeep: --resume continues the file of --out\n"
    return common.USAGE
  elseif chosen.merge ~= (#chosen.results > 0 or nil) then
    common.err "accdeep: --merge takes the scenario, and the results of its shards\n"
    return common.USAGE
  end
  if chosen.hold and #(chosen.rules or {}) > 1 then
    common.err "accdeep: --hold checks one profile\n"
    return common.USAGE
  end
  common.scenario(chosen.file)
  if chosen.oracle then return compare(chosen) end
  local exploration <close> = explore.open(chosen.file, chosen)
  if chosen.merge then return report(chosen, exploration, explore.merge(exploration, chosen.results)) end
  announce(exploration, chosen.limit)
  common.progress = progress.new(false)
  core.watch_interrupts(true)
  -- `first`: number of directives at the first progress report. A resumed run has executed them before, so they do not
  -- count for the rate.
  local begun, first = core.clock(), nil
  -- Shows the progress (the option `progress` of explore.run).
  function chosen.progress(n, i, all, directives, seconds)
    first = first or directives
    common.progress:show("programs of %d words: %s of %s, %s directives a second, %.0f s left", n, group_digits(i),
      group_digits(all), group_digits((directives - first) // math.max(core.clock() - begun, 0.001)),
      seconds / i * (all - i))
  end
  local result = explore.run(exploration, chosen)
  core.watch_interrupts(false)
  common.progress:hide()
  return report(chosen, exploration, result)
end

return { about = "Carry out all programs of a vocabulary, and find where rules differ.", options = options, run = run }
