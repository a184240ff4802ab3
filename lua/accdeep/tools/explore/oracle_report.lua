-- oracle_report.lua - the report of `accdeep explore FILE --oracle COMPILER`: differences between a rule profile and
-- a real runtime, and their explanations.
--
-- A file of explanations returns a table from scenario name to a list of { program, kind, reason }. `program`: the text
-- of the smallest program, its actions separated by "; ". `kind`: the kind of the difference after the program. An
-- entry explains every difference that has the same kind and the same last action. cli/explore.lua calls
-- oracle_report.compare.

local oracle_comparison = require "accdeep.tools.explore.oracle_comparison"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local files = require "accdeep.tools.files"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local strings = require "accdeep.base.strings"

local oracle_report = {}

-- Raises an error about the file of explanations `path`.
local function raise_malformed(path, message)
  message = message:gsub("^.-:(%d+): ", "line %1: ")
  error(diagnostic.new { code = "file", message = ("%s: %s"):format(path, message), rule = "HOUSE-explore",
    help = 'return { SCENARIO = { { "enter data copyin(a); update self(a)", "host value", "why" } } }' }, 0)
end

-- Returns the last action of a program's text, whose actions are separated by "; ", and the number of actions.
local function last_word(text)
  local n = 1
  for _ in text:gmatch "; " do n = n + 1 end
  return text:match ".*; (.*)$" or text, n
end

-- Returns the explanations for the scenario `name` as a table from key to {program, kind, reason, length}. The key is
-- the key of the explained difference: the last action and the kind (oracle_comparison.lua). `length` is the number of
-- actions. Raises if the file is malformed.
local function read_explanations(path, name)
  local chunk, problem = load(files.read(path), "@" .. path, "t", {})
  if not chunk then raise_malformed(path, problem) end
  local ok, list = pcall(chunk)
  if ok and type(list) == "table" then list = list[name] or {} end
  if not ok or type(list) ~= "table" then raise_malformed(path, ok and "it gives no lists" or tostring(list)) end
  local explanations = {}
  for i, entry in ipairs(list) do
    for k = 1, 3 do
      if type(entry) ~= "table" or type(entry[k]) ~= "string" then
        raise_malformed(path, ("entry %d of %s is no list of three texts"):format(i, name))
      end
    end
    local action, n = last_word(entry[1])
    local key = ("%s: %s"):format(action, entry[2])
    if explanations[key] then raise_malformed(path, ("entry %d explains what another one does: %s"):format(i, key)) end
    explanations[key] = { program = entry[1], kind = entry[2], reason = entry[3], length = n }
  end
  return explanations
end

-- Returns the text of a state, or the reason of { stopped = reason }.
local function state_text(state) return type(state) == "table" and state.stopped or state end

-- Returns the text of a group of differences (Comparison:run) in the report. `explanation`: the explanation of the
-- group, or nil.
local function group_text(group, explanation)
  local lines = { ("%s: %s"):format(explanation and "known" or "new", oracle_comparison.text(group.program)) }
  -- Appends an indented, formatted line.
  local function add(format, ...) lines[#lines + 1] = "    " .. format:format(...) end
  add("%s, in %s", group.kind, strings.count(group.count, "program"))
  add("%s", group.text)
  add("accdeep      %s", state_text(group.ours))
  add("the runtime  %s", state_text(group.theirs))
  if explanation then add("%s", explanation.reason) end
  return table.concat(lines, "\n") .. "\n"
end

-- Runs the programs of explanations whose difference the search did not find, up to `bound` actions: the search skips
-- programs whose state was reached before. Returns a line for each explained difference that no longer exists; the
-- differences that still exist are appended to `groups`.
local function look_for(comparison, explanations, groups, bound)
  local keys, texts, missing = {}, {}, {}
  for _, group in ipairs(groups) do keys[group.key] = true end
  for key, entry in sorted_pairs(explanations) do
    if not keys[key] and entry.length <= bound then texts[#texts + 1] = entry.program end
  end
  local differences = comparison:differences_of(texts)
  for key, entry in sorted_pairs(explanations) do
    local group = differences[entry.program]
    if keys[key] or entry.length > bound then goto continue end
    if group and group.key == key then
      group.count = 1
      groups[#groups + 1] = group
    else
      missing[#missing + 1] = ("no difference any more: %s: %s\n"):format(entry.program, entry.kind)
    end
    ::continue::
  end
  table.sort(missing)
  return missing
end

-- Runs the comparison for the scenario file `path`. Returns the lines of the report, true if the comparison failed, and
-- a sentence if it ended early. It fails if a difference is not explained, or if an explained difference no longer
-- exists. Raises if a file is malformed or the compiler is missing.
--
-- Options. `oracle`: the compiler command. `exec`: run the programs under `accdeep exec` instead of the compiler's
-- runtime. `rules`: a profile, or nil for the scenario's. `bound`: longest program, or nil for the scenario's bound.
-- `explanations`: path of the file of explanations, or nil. `limit`, `every`, `progress`: see Comparison:run.
function oracle_report.compare(path, options)
  local source = { file = path, text = files.read(path) }
  local explanations = options.explanations
    and read_explanations(options.explanations, path:match "([^/]*)$":gsub("%.lua$", "")) or {}
  local comparison = oracle_comparison.open(source, options.rules, options.oracle, options.exec)
  local bound, begun = options.bound or comparison.bound, core.clock()
  local ok, groups, count, why, missing = pcall(function()
    local groups, count, why = comparison:run(bound, options)
    comparison:shrink(groups)
    return groups, count, why, why and {} or look_for(comparison, explanations, groups, bound)
  end)
  local seconds = math.max(core.clock() - begun, 1e-6)
  comparison:close()
  if not ok then error(groups, 0) end
  local lines, new = {}, 0
  for number, action in ipairs(comparison.actions) do
    local reason = comparison.oracle.refused[number]
    if reason then
      lines[#lines + 1] = ("-- %s does not take '%s': %s\n"):format(options.oracle, action.text, reason)
    end
  end
  for _, group in ipairs(groups) do
    local explained = explanations[group.key]
    if not explained then new = new + 1 end
    lines[#lines + 1] = group_text(group, explained)
  end
  table.move(missing, 1, #missing, #lines + 1, lines)
  lines[#lines + 1] = ("-- %s on %s: %s of up to %s, %d a second; %s, %d not explained\n"):format(path:match "[^/]*$",
    options.oracle, strings.count(count, "program"), strings.count(bound, "word"), count // seconds,
    strings.count(#groups, "difference"), new)
  return lines, new + #missing > 0, why
end

return oracle_report
