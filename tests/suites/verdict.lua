-- verdict.lua - how a test ended with a runtime, read from what jobs.lua left. The module is a function.

local llvm = require "suites.llvm"
local shell = require "suites.shell"

local SIGNALS = { [4] = "illegal instruction", [6] = "abort", [7] = "bus error", [8] = "division by zero",
  [11] = "segmentation fault", [25] = "wrote too much" }

-- The first line that is not empty, with sources by their names alone.
local function first_line(text)
  local line = text:match "[^%s][^\r\n]*"
  return line and line:gsub("[^%s]*/([^%s/]+:%d+)", "%1") or nil
end

-- How a program ended that said nothing. With parts, the status is a sum of bits for those that failed.
local function ending(status, has_parts)
  if status > 128 and SIGNALS[status - 128] then return SIGNALS[status - 128] end
  if not has_parts then return ("exit status %d"):format(status) end
  local parts = {}
  for i = 0, 7 do
    if status >> i & 1 == 1 then parts[#parts + 1] = ("T%d"):format(i + 1) end
  end
  return "in " .. table.concat(parts, ", ")
end

local function why(test, status, err)
  if status == 124 or status == 137 then return "does not end in the time given" end
  return first_line(err) or ending(status, test.has_parts)
end

local function matches_text(test, out, err)
  return not test.text or (err .. out):find(test.text) ~= nil or (out .. err):find(test.text) ~= nil
end

-- The reports of the runtime at some levels, "[ew]" for errors and warnings: a list of { level, code, text }, one for
-- each level and code.
local function reports(test, runtime, levels)
  local list = {}
  local lines = runtime.has_reports and shell.read(("%s/%s.reports"):format(test.folder, runtime.name)) or ""
  for line in lines:gmatch "[^\n]+" do
    local level, code = line:match('^{"level":"(' .. levels .. '[^"]*)","code":"([^"]*)"')
    local kind = code and ("%s[%s]"):format(level, code)
    if kind and not list[kind] then
      local at = line:match '"at":"([^"]*)"' or "no line"
      local text = ("%s: %s: %s"):format(at:match "[^/]*$", kind, line:match '"message":"([^"]*)"')
      list[kind], list[level] = true, true
      list[#list + 1] = { level = level, code = code, text = text }
    end
  end
  return list
end

-- Returns { state = "not compiled" | "passed" | "warned" | "other text" | "failed", why = what was said, or nil }.
-- findings: what is to be explained, errors and warnings; the code of a failure without an error is "failed".
return function(test, runtime)
  if test.missing then return { state = "not compiled", why = "needs " .. test.missing } end
  local status = tonumber(shell.read(("%s/%s.status"):format(test.folder, runtime.name)) or "")
  if not status then
    local log = shell.read(test.folder .. "/compile.log") or ""
    return { state = "not compiled", why = first_line(log:match "[^\n]*[Ee]rror[^\n]*" or log) }
  end
  local out = shell.read(("%s/%s.out"):format(test.folder, runtime.name)) or ""
  local err = shell.read(("%s/%s.err"):format(test.folder, runtime.name)) or ""
  if test.is_script and status == llvm.OTHER_TEXT then return { state = "other text", why = first_line(err) } end
  local is_hanging = status == 124 or status == 137
  if is_hanging or (status ~= 0) ~= (test.fails or false) then
    local reason = why(test, status, err)
    if status == 0 then reason = "ends well, but the test wants it to fail" end
    local errors = reports(test, runtime, "[ew]")
    if not errors.error then
      table.insert(errors, 1, { level = "error", code = "failed", text = reason })
    end
    return { state = "failed", why = reason, findings = errors }
  end
  local warnings = reports(test, runtime, "w")
  if #warnings > 0 then return { state = "warned", why = warnings[1].text, findings = warnings } end
  if not matches_text(test, out, err) then return { state = "other text", why = first_line(err) } end
  return { state = "passed" }
end
