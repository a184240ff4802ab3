-- diff.lua - `accdeep diff`: where two traces begin to differ.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local trace = lazy.require "accdeep.see.trace"

local function options(command)
  command:argument("first", "A trace, as accdeep run --trace=FILE writes it."):argname "<file>"
  command:argument("second", "Another one."):argname "<file>"
  command:flag("--rules", "Compare the rules that decided, too.")
end

-- What is compared; where a directive stands is no part of what it does.
local FIELDS = { "op", "name", "bytes", "device", "object", "in", "size", "structured", "dynamic", "pointer", "count",
  "gone" }

-- Files may have other names; cases not.
local function same(a, b, with_rules)
  if not a or not b then return a == b end
  if a.mark ~= b.mark then return false end
  if a.mark == "scenario" then return true end
  for _, field in ipairs(FIELDS) do
    if a[field] ~= b[field] then return false end
  end
  return not with_rules or a.rule == b.rule
end

local function tell(path, line, n, lines)
  if not line then return ("%s ends after event %d\n"):format(path, n) end
  local what = line.op and "event " .. n + 1 or ("after event %d"):format(n)
  local counters = line.structured and (", then structured %s, dynamic %s"):format(line.structured, line.dynamic)
    or line.count and (", then counter %d"):format(line.count) or ""
  return ("%s, %s of %d: %s%s\n"):format(path, what, lines, trace.describe(line), counters)
end

local function events_in(lines)
  local n = 0
  for _, line in ipairs(lines) do n = n + (line.op and 1 or 0) end
  return n
end

local function run(chosen)
  local paths, lines, states = { chosen.first, chosen.second }, {}, {}
  for i, path in ipairs(paths) do
    lines[i], states[i] = trace.read(path, common.read(path)), trace.state()
  end
  local n = 0
  for k = 1, math.max(#lines[1], #lines[2]) do
    local a, b = lines[1][k], lines[2][k]
    if not same(a, b, chosen.rules) then
      local before = { states[1]:text(), states[2]:text() }
      for i, line in ipairs { a or false, b or false } do
        common.out(tell(paths[i], line, n, events_in(lines[i])))
      end
      if before[1] == before[2] then
        common.out("state before it, in both:\n" .. before[1])
      else
        for i, text in ipairs(before) do common.out(("state before it, in %s:\n%s"):format(paths[i], text)) end
      end
      return 1
    end
    states[1]:apply(a)
    states[2]:apply(b)
    n = n + (a.op and 1 or 0)
  end
  common.out(("no difference in %d events\n"):format(n))
  return 0
end

return { about = "Show where two traces begin to differ.", options = options, run = run }
