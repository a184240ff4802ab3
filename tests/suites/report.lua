-- report.lua - one line for each test worth a look, then a table of all groups.

local report = {}

local function passes(result) return result.state == "passed" or result.state == "other text" end

-- The reason of the runtime under test comes first: the known one, then what was written.
local function line_of(test, runtimes, results, reason)
  local states = {}
  for i, runtime in ipairs(runtimes) do
    states[i] = ("%s %s"):format(runtime.name, results[i].state)
    if not passes(results[i]) and not reason then reason = results[i].why end
  end
  reason = reason or results[#results].why
  return ("%s: %s%s"):format(test.name, table.concat(states, ", "), reason and ": " .. reason or "")
end

-- Prints the lines; the last runtime is the one under test, whose failures have known reasons. Returns
-- how many have none.
function report.lines(tests, runtimes, results, known, is_all)
  local unexplained = 0
  for _, test in ipairs(tests) do
    local mine = results[test]
    local tested = mine[#mine]
    local has_failed = tested.state == "failed"
    if is_all or has_failed or mine[1].state ~= tested.state then
      print(line_of(test, runtimes, mine, has_failed and (known[test.name] or tested.why)))
    end
    if has_failed and not known[test.name] then unexplained = unexplained + 1 end
    if passes(tested) and known[test.name] then
      print(("%s: passes, though there is a reason why not: %s"):format(test.name, known[test.name]))
    end
  end
  return unexplained
end

local function count_of(tests, results, group, i)
  local count = { ["not compiled"] = 0, passed = 0, ["other text"] = 0, failed = 0, all = 0 }
  for _, test in ipairs(tests) do
    for _, name in ipairs(test.groups) do
      if name == group then
        local state = results[test][i].state
        count[state] = count[state] + 1
        count.all = count.all + 1
      end
    end
  end
  count.passed = count.passed + count["other text"]
  return count
end

-- Prints the table; returns the groups of which the first runtime passes more tests than the last.
function report.table(groups, tests, runtimes, results)
  local lost = {}
  local head = ("%-27s %6s %9s"):format("", "tests", "compiled")
  for _, runtime in ipairs(runtimes) do
    head = head .. ("  %15s %10s %7s"):format(runtime.name .. " passed", "other text", "failed")
  end
  print(head)
  for _, group in ipairs(groups) do
    local line, first, last
    for i in ipairs(runtimes) do
      last = count_of(tests, results, group, i)
      first = first or last
      line = line or ("%-27s %6d %9d"):format(group, last.all, last.all - last["not compiled"])
      line = line .. ("  %15d %10d %7d"):format(last.passed, last["other text"], last.failed)
    end
    if first.all > 0 then print(line) end
    if last.passed < first.passed then lost[#lost + 1] = group end
  end
  return lost
end

return report
