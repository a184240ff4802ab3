-- merge.lua - `accdeep merge`: joins the reports and traces that ranks of an MPI program wrote under `accdeep exec`.

local error_codes = require "accdeep.base.error_codes"
local common = require "accdeep.tools.cli.common"
local files = require "accdeep.tools.files"
local json = require "dkjson"
local strings = require "accdeep.base.strings"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("files", "Traces of ranks, and their standard error with --format json; -: standard input. Or their "
    .. "reports in SARIF, .sarif.")
    :args "+":argname "<file>"
  command:option("-o --out", "Write the events, or the results, to this file, rank by rank."):argname "<file>"
end

-- Returns the fields of a line that accdeep wrote for a rank: an event or a mark of a trace, or a report. Returns a
-- false value for other lines, which the program wrote.
local function line_of_rank(text)
  local fields = text:sub(1, 1) == "{" and json.decode(text)
  return type(fields) == "table" and math.type(fields.rank) == "integer"
    and (fields.op or fields.mark or fields.level) and fields
end

-- Raises an error about the file `path` ("-": standard input), with advice how to write such files.
local function fail(path, message)
  error(common.environment_error(("%s: %s"):format(path == "-" and "standard input" or path, message),
    "run the program by: mpirun -n 2 accdeep exec --format json --trace=FILE PROGRAM"), 0)
end

-- Returns the contents of files as a list of {rank, lines, events, reports, summaries}, sorted by rank. `lines`: those
-- of traces; `events`: how many of them are events; `reports`, `summaries`: fields of each of these. Raises if a report
-- is not JSON, or if no line has a rank.
local function read_reports(paths)
  local list, by_rank, other = {}, {}, nil
  for _, path in ipairs(paths) do
    for text in (path == "-" and io.read "a" or common.read(path)):gmatch "[^\n]+" do
      local fields = line_of_rank(text)
      if not fields then
        if text:find "%l+%[[%l-]+%]: rank %d+: " then fail(path, "this report is not JSON") end
        other = path
      else
        local rank = by_rank[fields.rank]
        if not rank then
          rank = { rank = fields.rank, lines = {}, events = 0, reports = {}, summaries = {} }
          by_rank[fields.rank], list[#list + 1] = rank, rank
        end
        if fields.op or fields.mark then
          table.insert(rank.lines, text)
          rank.events = rank.events + (fields.op and 1 or 0)
        else
          table.insert(fields.level == "summary" and rank.summaries or rank.reports, fields)
        end
      end
    end
  end
  if #list == 0 and other then fail(other, "no line is of a rank") end
  table.sort(list, function(a, b) return a.rank < b.rank end)
  return list
end

-- Returns ranks as text: "rank 3", "ranks 0-2, 5". Precondition: `ranks` is sorted.
local function format_ranks(ranks)
  local parts, first = {}, nil
  for i, rank in ipairs(ranks) do
    first = first or rank
    if ranks[i + 1] ~= rank + 1 then
      parts[#parts + 1] = first == rank and tostring(rank) or ("%d-%d"):format(first, rank)
      first = nil
    end
  end
  return (#ranks == 1 and "rank " or "ranks ") .. table.concat(parts, ", ")
end

-- Returns the reports of all ranks (read_reports) as a list of {fields, ranks}, in the order of ranks. Equal reports of
-- several ranks become one entry.
local function merge_reports(list)
  local reports, by_key = {}, {}
  for _, rank in ipairs(list) do
    for _, fields in ipairs(rank.reports) do
      local key = {}
      for _, name in ipairs { "level", "code", "message", "rule", "at" } do key[#key + 1] = tostring(fields[name]) end
      local entry = by_key[table.concat(key, "\0")]
      if not entry then
        entry = { fields = fields, ranks = {} }
        by_key[table.concat(key, "\0")], reports[#reports + 1] = entry, entry
      end
      if entry.ranks[#entry.ranks] ~= rank.rank then table.insert(entry.ranks, rank.rank) end
    end
  end
  return reports
end

-- Returns a number and a word of it, in the plural unless the number is 1.
local function format_count(n, one, many) return ("%d %s"):format(n, n == 1 and one or many or one .. "s") end

-- Returns how kernels were checked, by the field `mode` of summaries. n: number of kernels; checked: how many of them
-- were.
local HOW = {
  checked = function(n) return format_count(n, "kernel") .. ", each access checked" end,
  strict = function(n, checked)
    return (checked < n and ("%d of "):format(checked) or "") .. format_count(n, "kernel") .. " watched"
  end,
  plain = function(n) return format_count(n, "kernel") .. ", data movement checked only" end,
}

-- Returns the summary of all ranks as text, "" if no rank has one. `list`: see read_reports; `reports`: see
-- merge_reports.
local function format_summary(list, reports)
  local ranks, kernels, checked, last = {}, 0, 0, nil
  for _, rank in ipairs(list) do
    for _, summary in ipairs(rank.summaries) do
      kernels, checked, last = kernels + summary.kernels, checked + summary.checked, summary
      if ranks[#ranks] ~= rank.rank then ranks[#ranks + 1] = rank.rank end
    end
  end
  if not last then return "" end
  local counts, findings = {}, {}
  for _, report in ipairs(reports) do
    local fields = report.fields
    local is_limit = fields.level ~= "error" and (error_codes[fields.code] or {}).is_limit
    if not fields.more and not is_limit then counts[fields.level] = (counts[fields.level] or 0) + 1 end
  end
  for _, level in ipairs { "error", "warning", "note", "advice" } do
    if counts[level] then
      findings[#findings + 1] = level == "advice" and format_count(counts[level], "piece of advice", "pieces of advice")
        or format_count(counts[level], level)
    end
  end
  return ("accdeep: %s: %s: %s\n"):format(format_ranks(ranks),
    kernels > 0 and HOW[last.mode](kernels, checked) or "no kernel ran",
    #findings > 0 and table.concat(findings, ", ") or "no findings")
    .. (last.not_found and ("  not found: %s\n"):format(last.not_found) or "")
end

-- Returns the SARIF field `taxonomies` with a comma before it: the weaknesses of the list CWE that SARIF rules, a list
-- of texts, refer to; "" if there are none.
local function format_taxonomies(rules)
  local taxa, is_added = {}, {}
  for _, rule in ipairs(rules) do
    local id = rule:match '"target":{"id":"(%d+)"'
    if id and not is_added[id] then
      is_added[id] = true
      taxa[#taxa + 1] = ('{"id":"%s"}'):format(id)
    end
  end
  return #taxa == 0 and "" or (',"taxonomies":[{"name":"CWE","organization":"MITRE","informationUri":'
    .. '"https://cwe.mitre.org","taxa":[%s]}]'):format(table.concat(taxa, ","))
end

-- Merges files in SARIF, in which `exec --report` writes each result and each rule on a line. Results that differ only
-- in rank and count become one. Writes the merged results to chosen.out or standard output. Returns 0. Raises if a file
-- is no such report or is damaged.
local function merge_sarif(chosen)
  local results, rules, invocations, by_key = {}, {}, {}, {}
  for _, path in ipairs(chosen.files) do
    local text = common.read(path)
    if not text:find('"name":"accdeep"', 1, true) then fail(path, "this is not a report of accdeep exec in SARIF") end
    for row in text:gmatch "[^\n]+" do
      row = row:gsub(",$", "")
      if row:find '^{"ruleId":' and not json.decode(row) then fail(path, "a result is damaged: " .. row:sub(1, 40)) end
      local key = row:gsub('"rank":%d+', '"ranks":[]'):gsub(',"occurrenceCount":%d+}$', "}"):gsub("}$", "")
      local entry = by_key[key]
      if not entry and row:find '^{"ruleId":' then
        entry = { text = key, ranks = {}, count = 0 }
        results[#results + 1] = entry
      elseif row:find '^{"executionSuccessful":' then
        invocations[#invocations + 1] = row
      elseif not entry and row:find '^{"id":' then
        entry = {}
        rules[#rules + 1] = row
      end
      by_key[key] = entry
      if entry and entry.text then
        table.insert(entry.ranks, row:match '"rank":(%d+)')
        entry.count = entry.count + (math.tointeger(tonumber(row:match '"occurrenceCount":(%d+)}$')) or 1)
      end
    end
  end
  for i, entry in ipairs(results) do
    table.sort(entry.ranks, function(a, b) return tonumber(a) < tonumber(b) end)
    results[i] = ('%s,"occurrenceCount":%d}'):format(
      entry.text:gsub('"ranks":%[%]', function() return ('"ranks":[%s]'):format(table.concat(entry.ranks, ",")) end),
      entry.count)
  end
  table.sort(results)
  table.sort(rules)
  local text = ('{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":['
    .. '{"results":[\n%s\n],"tool":{"driver":{"name":"accdeep","rules":[\n%s\n]}}%s%s}]}\n'):format(
    table.concat(results, ",\n"), table.concat(rules, ",\n"), format_taxonomies(rules),
    #invocations > 0 and (',"invocations":[\n%s\n]'):format(table.concat(invocations, ",\n")) or "")
  if not chosen.out then return common.write_output(text) or 0 end
  files.write(chosen.out, text)
  return 0
end

-- Merges reports and traces of ranks. chosen: arguments and options of the command. Returns the exit status: 1 if a
-- report in JSON lines is an error, otherwise 0; always 0 for files in SARIF (merge_sarif).
local function run(chosen)
  if chosen.files[1]:find "%.sarif$" then return merge_sarif(chosen) end
  local list, status = read_reports(chosen.files), 0
  local reports = merge_reports(list)
  for _, report in ipairs(reports) do
    local fields = report.fields
    common.write_output(("%s: %s[%s]: %s: %s\n"):format(fields.at
      or fields.mapped_at or "accdeep", fields.level, fields.code, format_ranks(report.ranks),
      fields.message))
    if fields.rule then common.write_output(("  rule: %s\n"):format(fields.rule)) end
    if fields.help then common.write_output(("  help: %s\n"):format(fields.help)) end
    if fields.level == "error" then status = 1 end
  end
  local file = chosen.out and files.open(chosen.out, "wb")
  if file then file:write('{"trace":"accdeep","version":1}\n') end
  for _, rank in ipairs(list) do
    if file and rank.events > 0 then
      file:write(json.encode({ mark = "scenario", name = "rank " .. rank.rank }, { keyorder = { "mark" } }), "\n",
        table.concat(rank.lines, "\n"), "\n")
    end
    if rank.events > 0 then
      common.write_output(("rank %d: %s\n"):format(rank.rank, strings.count(rank.events, "event")))
    end
  end
  common.write_output(format_summary(list, reports))
  if file and not file:close() then common.cannot_write(chosen.out .. ": it was not written in whole") end
  return status
end

return { about = "Merge the reports and traces of an MPI program's ranks.", options = options, run = run }
