-- run.lua - `accdeep run`: runs scenarios in one process or several.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local compare = lazy.require "accdeep.tools.cli.compare"
local diagnostic = require "accdeep.base.diagnostic"
local draw = lazy.require "accdeep.inspect.draw"
local explain = lazy.require "accdeep.inspect.explain"
local files = require "accdeep.tools.files"
local progress = require "accdeep.base.progress"
local report = require "accdeep.base.report"
local rules = lazy.require "accdeep.definitions.rules"
local scenario = lazy.require "accdeep.script.scenario"
local stepper = lazy.require "accdeep.tools.interactive.stepper"
local terminal = require "accdeep.tools.interactive.terminal"
local system = require "accdeep.system"
local trace = lazy.require "accdeep.inspect.trace"

local environment_error, write_output, use_color = common.environment_error, common.write_output, common.use_color

-- Adds the options that `run` and `conform` have to a parser.
local function shared_options(command)
  command:option("--device", "Device to run on: sim, cuda, or cuda:N."):default "sim":convert(common.device)
  command:option("--rules", "Rule profile, instead of the scenarios' own."):convert(common.rules)
  command:option("--async", "When queues do their work, where the scenario does not say: program (at once), "
    .. "delayed (at the wait), concurrent (meanwhile)."):choices { "program", "delayed", "concurrent" }
  command:option("--descriptors",
    "Layout of Fortran's descriptors, where the scenario names none: cfi, flang, gfortran.")
    :choices { "cfi", "flang", "gfortran" }
  command:option("--format", "How to report: text, json, tap, junit."):choices { "text", "json", "tap", "junit" }
    :default "text"
  common.trace(command)
  command:flag("--step", "Print what every construct does; on a terminal, step through them, and back.")
  command:option("--jobs", "Processes to run the files in."):default "1":convert(common.parse_whole_number)
  command:option("--shard", "Run part I of N of the files."):argname "<i/n>":convert(common.shard)
  common.limits(command)
end

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("files", "Scenarios, and folders of scenarios; - is standard input."):args "*":argname "<file>"
  command:option("-e", "Run this text as a scenario."):target "texts":argname "<text>":count "*"
  shared_options(command)
  command:option("--compare", "Run under each of these rule profiles, and print in a table what differs. "
    .. "all: every profile."):argname "<profiles>":convert(common.profile_list)
  command:option("--draw-dir", "Folder for pictures that scenarios draw."):argname "<folder>"
  command:flag("--trust", "Let scenarios use all of Lua's library, and draw anywhere.")
end

-- ---------------------------------------------------------------------------------------- files --

-- Appends the scenarios of a path to `list`: a file, or all .lua files in a folder and its subfolders. `named`: the
-- command line names the path, therefore any suffix is accepted. `traced`: the value of --trace, or nil. Raises if the
-- path does not exist.
local function find(path, named, list, traced)
  if files.kind(path, traced) ~= "directory" then
    if named or path:find "%.lua$" then list[#list + 1] = path end
    return
  end
  local names, why = system.listdir(path)
  if not names then error(environment_error(("%s: %s"):format(path, why)), 0) end
  for _, name in ipairs(names) do find(path:gsub("/+$", "") .. "/" .. name, false, list) end
end

-- Returns the names of the scenarios to run: those of this shard, if --shard divides them. Sets chosen.inline_texts: a
-- table from name to text of scenarios that are no files. Raises if there are no scenarios.
local function scenarios(chosen)
  local all, list = {}, {}
  chosen.inline_texts = {} -- names here: those that reports show
  -- Adds a scenario that is no file, such as the text of -e.
  local function add(name, text) chosen.inline_texts[name], all[#all + 1] = text, name end
  for i, text in ipairs(chosen.texts or {}) do add(i == 1 and "-e" or "-e " .. i, text) end
  for _, path in ipairs(chosen.files) do
    if path == "-" then add("stdin", io.read "a") else find(path, true, all, chosen.trace) end
  end
  local part = chosen.shard or { 1, 1 }
  for i, path in ipairs(all) do
    if (i - 1) % part[2] == part[1] - 1 then list[#list + 1] = path end
  end
  if #all == 0 then
    error(environment_error("there is no scenario in " .. table.concat(chosen.files, ", "),
      "scenarios are files whose names end in .lua"), 0)
  end
  return list
end

-- -------------------------------------------------------------------------------------- running --

-- Returns the trace writer for the target of --trace ("-": standard error), and its file; nil if no trace is wanted.
-- Raises if the file cannot be opened.
local function tracer(target)
  if not target then return nil end
  local file = io.stderr
  if target ~= "-" then file = files.open(target) end
  return trace.writer(function(line)
    local ok, problem = file:write(line)
    if not ok then common.cannot_write(("%s: %s"):format(target, problem)) end
  end), file
end

-- Returns a record with one failed case for the file `path`, which could not be run because of the error `failure`.
local function broken(path, failure)
  return { file = path, seconds = 0, cases = { { name = path, ok = false, seconds = 0,
    error = report.to_plain_data(failure) } } }
end

-- Runs a scenario and returns its record (result of scenario.run); nil if the user left while stepping. `writer`: a
-- trace writer, or nil. `live`: output is printed at once, otherwise it becomes part of the record. Errors become part
-- of the record.
local function run_file(path, chosen, writer, live)
  local inline_text = chosen.inline_texts and chosen.inline_texts[path]
  local readable, text = true, inline_text
  if not inline_text then readable, text = pcall(common.scenario, path) end
  if not readable then return broken(path, text) end
  local output = {}
  local write = live and write_output or function(s) output[#output + 1] = s end
  local draws = chosen.draw_dir or chosen.trust
  local folder = chosen.draw_dir and chosen.draw_dir:gsub("/*$", "/") or ""
  local run_options = {
    device = chosen.device, rules = chosen.rules, async = chosen.async, descriptors = chosen.descriptors,
    observers = { chosen.observer }, trust = chosen.trust, conform = chosen.conform,
    limit_memory = chosen.limit_memory, limit_steps = chosen.limit_steps,
    out = write, draw = draws and function(session, name) draw.save(session, files.prepare_output(folder .. name)) end,
  }
  local record
  if chosen.terminal then
    local pass
    -- Each run of the stepper gets a new pass of the trace; only the pass of the last run is written.
    function run_options.anew()
      pass = writer and writer:pass()
      return pass and { pass:observer() } or {}
    end
    record = stepper(path, text, run_options, chosen.terminal, use_color(2))
    if pass then writer:merge_pass(pass) end
    if not record then return nil end
  else
    if writer then table.insert(run_options.observers, writer:observer()) end
    if chosen.step then table.insert(run_options.observers, explain.steps(write)) end
    record = scenario.run(path, text, run_options)
  end
  record.output = not live and table.concat(output) or nil
  for _, case in ipairs(record.cases) do case.error = case.error and report.to_plain_data(case.error) end
  return record
end

-- Returns the number of failed cases in a record.
local function failures(record)
  local n = 0
  for _, case in ipairs(record.cases) do n = n + (case.ok and 0 or 1) end
  return n
end

-- Starts a child that runs the files paths[i] for each i of `queue`, and writes a line of JSON for each. `done`: shared
-- counters of finished files and of failures. Returns the file of the lines and the process id.
local function start_process(queue, paths, chosen, done)
  local pipe = common.temporary()
  local pid = system.fork()
  if pid == 0 then
    for _, i in ipairs(queue) do
      local record = run_file(paths[i], chosen, nil, false)
      pipe:write(require "dkjson".encode(record), "\n")
      pipe:flush()
      done:add(1, 1)
      done:add(2, failures(record))
    end
    system.exit(0)
  end
  return pipe, pid
end

local POLL = 0.1 -- seconds between updates of the progress line

-- Runs the files `paths` in several processes, file i in process i modulo the number of processes. If a process dies,
-- the first file without a line is reported as broken, and a new process gets the rest of the queue. Returns the
-- records in the order of `paths`. `live`: the output of a scenario is put in the field `printed` of its record, and
-- the caller prints it.
local function run_jobs(paths, chosen, live)
  local decode = require "dkjson".decode
  local records, queues, done = {}, {}, system.counters(2)
  for i = 1, #paths do
    local j = (i - 1) % chosen.jobs + 1
    queues[j] = queues[j] or {}
    table.insert(queues[j], i)
  end
  while #queues > 0 do
    local pipes, pids, ended, remaining = {}, {}, {}, {}
    for j, queue in ipairs(queues) do pipes[j], pids[j] = start_process(queue, paths, chosen, done) end
    for _ = 1, #queues do
      local pid, status
      repeat
        pid, status = system.wait(POLL)
        common.progress:show("%d of %d files, %d failed", done:get(1), #paths, done:get(2))
      until pid
      ended[pid] = status
    end
    for j, queue in ipairs(queues) do
      pipes[j]:seek("set", 0)
      for n, i in ipairs(queue) do
        local line = pipes[j]:read "l"
        local record = line and decode(line)
        if not record then
          records[i] = broken(paths[i], diagnostic.process_error("the process that ran this file", ended[pids[j]]))
          if n < #queue then remaining[#remaining + 1] = table.move(queue, n + 1, #queue, 1, {}) end
          break
        end
        record.printed = live and record.output or nil
        records[i] = record
      end
      pipes[j]:close()
    end
    queues = remaining
  end
  return records
end

-- Opens and returns the terminal for --step. Returns nil without that option, or if steps are not possible: input or
-- output is not a terminal, there are several jobs, or the format is not text.
local function steps_by_hand(chosen)
  if not chosen.step or chosen.jobs > 1 or chosen.format ~= "text" then return nil end
  return system.isatty(0) and system.isatty(1) and terminal.open() or nil
end

-- Options that --compare does not take, because it runs each file several times.
local NOT_COMPARED = { "rules", "step", "trace", "draw_dir" }

-- Runs the scenarios `paths` under the profiles of --compare, and prints a table. Returns the exit status.
local function run_compared(paths, chosen)
  local refused = chosen.format ~= "text" and chosen.format ~= "json" and "format " .. chosen.format
    or chosen.jobs > 1 and "jobs"
  for _, name in ipairs(NOT_COMPARED) do refused = chosen[name] and name:gsub("_", "-") or refused end
  if refused or #chosen.compare < 2 then
    common.err(refused and ("accdeep: --compare and --%s exclude each other\n"):format(refused)
      or "accdeep: --compare takes two profiles or more, with commas between them\n")
    return common.USAGE
  end
  return compare.run(paths, chosen.compare, chosen.format, function(path, profile, observer)
    return run_file(path, setmetatable({ rules = profile, observer = observer }, { __index = chosen }), nil, false)
  end)
end

-- Runs the chosen scenarios and prints a report. Returns the exit status. Raises if there is no scenario or device.
local function run(chosen)
  if #chosen.files == 0 and #(chosen.texts or {}) == 0 then
    common.err "accdeep: run takes scenarios: files, folders, - for standard input, or -e TEXT\n"
    return common.USAGE
  end
  local paths = scenarios(chosen)
  common.check_device(chosen.device)
  if chosen.compare then return run_compared(paths, chosen) end
  if chosen.jobs == 0 then chosen.jobs = 1 end
  if chosen.trace and chosen.jobs > 1 then
    common.err "accdeep: --trace needs one process; --jobs is not used\n"
    chosen.jobs = 1
  end
  chosen.terminal = steps_by_hand(chosen)
  local formatter = report.formats[chosen.format] {
    out = write_output, err = common.err, color = use_color(1), color_errors = use_color(2),
    rule_title = function(id) return rules.title(id) end,
  }
  local machine_reads = chosen.format ~= "text" and system.isatty(1)
  common.progress = progress.new(#paths == 1 or chosen.step or chosen.trace == "-" or machine_reads)
  local records
  if chosen.jobs > 1 then
    records = run_jobs(paths, chosen, formatter.live)
    for _, record in ipairs(records) do
      if record.printed then write_output(record.printed) end
      formatter.record(record)
    end
  else
    local writer, trace_file = tracer(chosen.trace)
    records = {}
    local failed = 0
    for i, path in ipairs(paths) do
      common.progress:show("%d of %d files, %d failed: %s", i - 1, #paths, failed, path)
      records[i] = run_file(path, chosen, writer, formatter.live)
      -- run_file returns nil if the user left while stepping.
      if not records[i] then break end
      io.stdout:flush()
      formatter.record(records[i])
      failed = failed + failures(records[i])
    end
    if chosen.terminal then chosen.terminal:close() end
    local ok, problem = true, nil
    if trace_file then ok, problem = trace_file:flush() end
    if not ok then common.cannot_write(("%s: %s"):format(chosen.trace, problem)) end
  end
  -- Lua modules in a folder of scenarios have no cases: they are not reported.
  for i = #records, 1, -1 do
    if #records[i].cases == 0 then table.remove(records, i) end
  end
  formatter.finish(records)
  common.progress:hide()
  return report.status(records)
end

return { about = "Run scenarios, and tell which cases hold.", options = options, run = run,
  shared_options = shared_options }
