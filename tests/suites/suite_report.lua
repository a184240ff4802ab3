-- suite_report.lua - one line for each test worth a look, then a table of all groups.

local report = {}

-- The known reasons of a runtime for a test that fails plain, and for what is reported about it: code -> reason.
local function reasons_of(known_reasons, suite, runtime, name)
  local checks = runtime.has_reports and known_reasons[suite .. " checks"] or {}
  return (known_reasons[suite] or {})[name], checks[name] or {}
end

-- Whether a result differs from what the first runtime, which has no checks, does with a right program.
local function is_difference(first, result)
  return result.state == "failed" or result.state == "warned"
    or result.state == "not compiled" and first.state ~= "not compiled"
end

local function add(list, text)
  if not text or list[text] then return end
  list[text], list[#list + 1] = true, text
end

-- Adds the reasons why a result is not that of the first runtime. Returns how many it has none for.
local function explain(reasons, result, failure_reason, checks, reported_codes)
  local unexplained = 0
  for _, finding in ipairs(result.findings or { { level = "error", code = "failed", text = result.why or "" } }) do
    local reason = checks[finding.code] or finding.level == "error" and failure_reason
    if not reason then unexplained = unexplained + 1 end
    add(reasons, reason or "NO REASON: " .. finding.text)
    reported_codes[finding.code] = true
  end
  return unexplained
end

-- A reason that explains nothing.
local function tell_unused(first, name, code, reason)
  if not reason:find "^by chance" and first.state ~= "not compiled" then
    print(("%s: %s, though there is a reason why not: %s"):format(name, code and "no " .. code or "passes", reason))
  end
end

-- Prints the lines. The first runtime is the stock one; differences of the others have known reasons. Returns how many
-- have none.
function report.lines(tests, runtimes, results, suite, known_reasons, is_all)
  local unexplained = 0
  for _, test in ipairs(tests) do
    local test_results = results[test.name]
    local first = test_results[runtimes[1].name]
    local states, reasons, is_shown = {}, {}, is_all or #runtimes == 1 and first.state == "failed"
    local is_different, nchecked, reported_codes, failure_reason, checks = false, 0, {}, nil, {}
    for i, runtime in ipairs(runtimes) do
      local result = test_results[runtime.name]
      states[i] = ("%s %s"):format(runtime.name, result.state)
      is_shown = is_shown or result.state ~= first.state
      nchecked = nchecked + (runtime.has_reports and 1 or 0)
      if i > 1 then failure_reason, checks = reasons_of(known_reasons, suite, runtime, test.name) end
      if i > 1 and is_difference(first, result) then
        is_different, is_shown = true, true
        unexplained = unexplained + explain(reasons, result, failure_reason, checks, reported_codes)
      end
    end
    if not is_different then add(reasons, first.why or test_results[runtimes[#runtimes].name].why) end
    if is_shown then
      print(("%s: %s%s"):format(test.name, table.concat(states, ", "), #reasons > 0 and ": "
        .. table.concat(reasons, "; ") or ""))
    end
    if failure_reason and not is_different then tell_unused(first, test.name, nil, failure_reason) end
    for code, reason in pairs(nchecked > 1 and checks or {}) do -- strict runs alone do not see all
      if not reported_codes[code] then tell_unused(first, test.name, code, reason) end
    end
  end
  return unexplained
end

local function count_of(tests, results, group, runtime)
  local count = { ["not compiled"] = 0, passed = 0, warned = 0, ["other text"] = 0, failed = 0, all = 0 }
  for _, test in ipairs(tests) do
    for _, name in ipairs(test.groups) do
      if name == group then
        local state = results[test.name][runtime.name].state
        count[state] = count[state] + 1
        count.all = count.all + 1
      end
    end
  end
  count.passed = count.passed + count.warned + count["other text"]
  return count
end

-- Prints the table; returns the groups of which the first runtime passes more tests than one of the ways.
function report.table(groups, tests, runtimes, results)
  local worse_groups = {}
  print(("%-27s %-12s %6s %9s %7s %11s %7s %7s"):format("", "", "tests", "compiled", "passed", "other text", "warned",
    "failed"))
  for _, group in ipairs(groups) do
    local first
    for _, runtime in ipairs(runtimes) do
      local count = count_of(tests, results, group, runtime)
      first = first or count
      if count.all > 0 then
        print(("%-27s %-12s %6d %9d %7d %11d %7d %7d"):format(first == count and group or "", runtime.name, count.all,
          count.all - count["not compiled"], count.passed, count["other text"], count.warned, count.failed))
      end
      if count.passed < first.passed then add(worse_groups, group) end
    end
  end
  return worse_groups
end

return report
