-- cli.lua - the command line. The module is a function: arguments -> exit status.
--
-- 0 all held, 1 an expectation or a construct failed, 2 bad directive or scenario text, 3 file, device,
-- environment or limit, 4 usage, 70 internal error.

local argparse = require "argparse"
local catalogue = require "accdeep.catalogue"
local core = require "accdeep.core"
local diagnostic = require "accdeep.diagnostic"
local exec = require "accdeep.exec"
local explain = require "accdeep.explain"
local export = require "accdeep.export"
local report = require "accdeep.report"
local rules = require "accdeep.rules"
local scenario = require "accdeep.scenario"

local USAGE = 4

local LIMIT_MEMORY, LIMIT_STEPS = "1G", "2e9"

local lost -- why something could not be written

local function out(text)
  local ok, problem = io.stdout:write(text)
  if not ok then lost = lost or "standard output: " .. problem end
end
local function err(text) io.stderr:write(text) end

-- ------------------------------------------------------------------------------------ arguments --

local function size(text)
  local number, unit = text:match "^(%d+)([KMGT]?)$"
  local shift = ({ [""] = 0, K = 10, M = 20, G = 30, T = 40 })[unit]
  local n = number and math.tointeger(tonumber(number))
  if not n or n > (1 << 62) >> shift then return nil, ("'%s' is not a size like 512M"):format(text) end
  return n << shift
end

local function whole(text)
  local n = math.tointeger(tonumber(text) or 0.5)
  if not n or n < 0 then return nil, ("'%s' is not a whole number"):format(text) end
  return n
end

local function device(text)
  if text == "sim" or text == "cuda" or text:find "^cuda:%d%d?$" then return text end
  return nil, ("there is no device '%s'; there are 'sim' and 'cuda', or 'cuda:1' for the second of several")
    :format(text)
end

-- Kernels of a real program are code of the host.
local function host_device(text)
  if text == "sim" then return text end
  return nil, ("a program cannot run on '%s'; there is 'sim'"):format(text)
end

local function profile(text)
  local ok, problem = pcall(rules.profile, text)
  if ok then return text end
  return nil, ("%s; %s"):format(problem.message, problem.help)
end

local function drawing(text)
  local suffix = text:match "%.(%w+)$"
  if suffix and ("dot svg png pdf"):find(suffix, 1, true) then return text end
  return nil, ("'%s' does not end in .dot, .svg, .png or .pdf"):format(text)
end

local function shard(text)
  local i, n = text:match "^(%d+)/(%d+)$"
  i, n = tonumber(i), tonumber(n)
  if not i or i < 1 or i > n then return nil, ("'%s' is not a shard like 1/4"):format(text) end
  return { i, n }
end

local TRACE = "Write every event as a JSON object on a line of its own; to standard error, or --trace=FILE."

local function parser()
  local p = argparse("accdeep", "Executable specification of accelerator data management.")
  p:add_help_command()
  p:command_target "command"
  p:flag "--version":description "Print the version."
  p:require_command(false)
  local run = p:command("run", "Run scenarios.")
  run:argument("files", "Scenarios, and folders of scenarios."):args "+":argname "<file>"
  run:option("--device", "Device to run on: sim, cuda, or cuda:N."):default "sim":convert(device)
  run:option("--rules", "Rule profile, instead of the scenarios' own."):convert(profile)
  run:option("--descriptors", "Layout of Fortran's descriptors, where the scenario names none: cfi, flang, gfortran.")
    :choices { "cfi", "flang", "gfortran" }
  run:option("--format", "How to report: text, json, tap, junit."):choices { "text", "json", "tap", "junit" }
    :default "text"
  run:option("--trace", TRACE):argname "<file>"
  run:flag("--step", "Tell what every construct does; on a terminal, wait for the Enter key after each.")
  run:option("--jobs", "Processes to run the files in."):default "1":convert(whole)
  run:option("--shard", "Run part I of N of the files."):argname "<i/n>":convert(shard)
  run:option("--limit-memory", "Memory a scenario may use (0: no limit)."):default(LIMIT_MEMORY):convert(size)
  run:option("--limit-steps", "Steps of Lua a scenario may take (0: no limit)."):default(LIMIT_STEPS)
    :convert(whole)
  run:flag("--trust", "Let scenarios use all of Lua's library.")
  local program = p:command("exec",
    "Run an OpenACC program, compiled by gcc -fopenacc -foffload=disable, on this core.")
  program:argument("program", "The program."):argname "<program>"
  program:argument("arguments", "Its arguments."):args "*":argname "<arg>"
  program:option("--device", "Device to run on: sim."):default "sim":convert(host_device)
  program:option("--rules", "Rule profile (openacc-3.3)."):convert(profile)
  program:option("--format", "How errors and reports are written: text, json."):choices { "text", "json" }
    :default "text"
  program:option("--trace", TRACE):argname "<file>"
  program:option("--draw", "Draw the state with the most objects, or that of an error: .dot, .svg, .png, .pdf.")
    :argname "<file>":convert(drawing)
  program:flag("--strict", "Stop kernels that touch host memory; report at the end what was left behind.")
  local about = p:command("explain", "Show how one directive is understood: its tree, what it is lowered to, "
    .. "and what it does.")
  about:argument("directive", "FILE:LINE of a directive in a scenario or, with --in, the text of one.")
  about:option("--in", "The scenario whose declarations the text is about."):target "scenario":argname "<file>"
  about:option("--rules", "Rule profile, instead of the scenario's own."):convert(profile)
  about:option("--device", "Device to run on: sim, cuda, or cuda:N."):default "sim":convert(device)
  local exported = p:command("export", "Write the cases of a scenario as standard C programs with checks.")
  exported:argument("scenario", "The scenario."):argname "<file>"
  exported:option("--c", "The directives to use: openacc, openmp; those of the scenario if not given.")
    :choices { "openacc", "openmp" }
  exported:option("--case", "The case to write, by number; needed for standard output if there are several.")
    :convert(whole)
  exported:option("--out", "Write each case into a file of this folder, and tell their names."):argname "<folder>"
  exported:option("--rules", "Rule profile, instead of the scenario's own."):convert(profile)
  local devices = p:command("devices", "List the devices of this machine.")
  local rule = p:command("rules", "Show rules of the specification.")
  rule:argument("id", "An id, or how ids begin: TR14, TR14-3.2, TR14-4.2-05."):args "?"
  rule:flag("--coverage", "How many rules scenarios show from both sides, by section.")
  return p, { run = run, exec = program, explain = about, export = exported, devices = devices,
    rules = rule }
end

-- Those that take a value, and may be followed by an operand.
local OPTIONS = "--device --rules --descriptors --format --draw --c --case --out"

-- --trace may stand alone, which argparse knows only for options that end the line. What stands behind
-- the program of `exec` is the program's.
local function spelled_out(args)
  local list, rest, valued = {}, args[1] ~= "exec", false
  for i, arg in ipairs(args) do
    if not rest and i > 1 and not valued and arg:sub(1, 1) ~= "-" then
      list[#list + 1] = "--"
      table.move(args, i, #args, #list + 1, list)
      break
    end
    if arg == "--" then rest = true end
    valued = i > 1 and arg:find "^%-%-[^=]+$" and OPTIONS:find(arg, 1, true) ~= nil
    list[#list + 1] = arg == "--trace" and "--trace=-" or arg
  end
  return list
end

-- ---------------------------------------------------------------------------------------- files --

local function environment_error(message, help)
  return diagnostic.new { code = "file", message = message, rule = "HOUSE-files", help = help }
end

-- Adds the scenarios of a path: a file, or all .lua files in a folder and below.
local function find(path, named, list)
  local kind, problem = core.filetype(path)
  if not kind then error(environment_error(("%s: %s"):format(path, problem)), 0) end
  if kind == "file" then
    if named or path:find "%.lua$" then list[#list + 1] = path end
    return
  end
  local names, why = core.listdir(path)
  if not names then error(environment_error(("%s: %s"):format(path, why)), 0) end
  for _, name in ipairs(names) do find(path:gsub("/+$", "") .. "/" .. name, false, list) end
end

local function scenarios(options)
  local all, list = {}, {}
  for _, path in ipairs(options.files) do find(path, true, all) end
  local part = options.shard or { 1, 1 }
  for i, path in ipairs(all) do
    if (i - 1) % part[2] == part[1] - 1 then list[#list + 1] = path end
  end
  if #all == 0 then
    error(environment_error("there is no scenario in " .. table.concat(options.files, ", "),
      "scenarios are files whose names end in .lua"), 0)
  end
  return list
end

-- --------------------------------------------------------------------------------------- devices --

-- A process that has started a driver must not fork: the driver is asked in another one. Returns a list of
-- {name, bytes, driver}, and why there are no more.
local function devices_of(backend)
  local pipe = assert(io.tmpfile())
  if core.fork() == 0 then
    local list = {}
    local info, why
    repeat
      info, why = core.device(backend, #list)
      list[#list + 1] = info
    until not info
    pipe:write(require "dkjson".encode { list = list, why = why })
    pipe:flush()
    core.exit(0)
  end
  core.wait()
  pipe:seek "set"
  local found = require "dkjson".decode(pipe:read "a")
  pipe:close()
  if not found then return {}, "asking its driver ended the process" end
  return found.list, found.why
end

local function check_device(name)
  local backend, number = name:match "^(%a+):?(%d*)$"
  if backend == "sim" then return end
  local found, why = devices_of(backend)
  if (tonumber(number) or 0) < #found then return end
  if #found > 0 then
    why = ("there is no device %s; devices are %s:0 to %s:%d"):format(name, backend, backend, #found - 1)
  end
  error(diagnostic.new { code = "no-device", message = why, rule = "HOUSE-device",
    help = "accdeep devices lists what there is" }, 0)
end

local function show_devices()
  out "sim     simulated device\n"
  local found, why = devices_of "cuda"
  for i, info in ipairs(found) do
    out(("cuda:%-2d %s, %.1f GiB, %s\n"):format(i - 1, info.name, info.bytes / (1 << 30), info.driver))
  end
  if #found == 0 then out(("cuda    none: %s\n"):format(why)) end
  return 0
end

-- --------------------------------------------------------------------------------------- running --

local TRACE_ORDER = { "op", "name", "bytes", "rule", "at", "device" }

local function tracer(target)
  if not target then return nil end
  local file = io.stderr
  if target ~= "-" then
    local problem
    file, problem = io.open(target, "w")
    if not file then error(environment_error(problem), 0) end
  end
  local encode = require "dkjson".encode
  return function(event)
    event.host = nil -- addresses differ from run to run
    local ok, problem = file:write(encode(event, { keyorder = TRACE_ORDER }), "\n")
    if not ok then lost = lost or ("%s: %s"):format(target, problem) end
  end, file
end

-- A record of a file that could not be run.
local function broken(path, failure)
  return { file = path, seconds = 0, cases = { { name = path, ok = false, seconds = 0,
    error = report.plain(failure) } } }
end

local function run_file(path, options, trace, live)
  local file, problem = io.open(path, "rb")
  local text = file and file:read "a"
  if file then file:close() end
  if not text then return broken(path, environment_error(problem or path .. ": cannot be read")) end
  local output = {}
  local write = live and out or function(s) output[#output + 1] = s end
  local steps = options.step and explain.steps(write, function()
    io.stdout:flush()
    if core.isatty(0) and core.isatty(1) then io.read "l" end
  end)
  local made = scenario.run(path, text, {
    device = options.device, explain = steps, rules = options.rules, descriptors = options.descriptors, trace = trace,
    trust = options.trust,
    limit_memory = options.limit_memory, limit_steps = options.limit_steps,
    out = write,
  })
  made.output = not live and table.concat(output) or nil
  for _, case in ipairs(made.cases) do case.error = case.error and report.plain(case.error) end
  return made
end

-- Runs files in a process of their own, which writes a line of JSON for each.
local function start_process(queue, paths, options)
  local pipe = assert(io.tmpfile())
  local pid = core.fork()
  if pid == 0 then
    for _, i in ipairs(queue) do
      pipe:write(require "dkjson".encode(run_file(paths[i], options, nil, false)), "\n")
      pipe:flush()
    end
    core.exit(0)
  end
  return pipe, pid
end

-- Every n-th file goes to one process. The file whose line is missing is the one its process died of;
-- those behind it go to another one.
local function run_jobs(paths, options, live)
  local decode = require "dkjson".decode
  local records, queues = {}, {}
  for i = 1, #paths do
    local j = (i - 1) % options.jobs + 1
    queues[j] = queues[j] or {}
    table.insert(queues[j], i)
  end
  while #queues > 0 do
    local pipes, pids, ended, left = {}, {}, {}, {}
    for j, queue in ipairs(queues) do pipes[j], pids[j] = start_process(queue, paths, options) end
    for _ = 1, #queues do
      local pid, status = core.wait()
      ended[pid] = status
    end
    for j, queue in ipairs(queues) do
      pipes[j]:seek("set", 0)
      for n, i in ipairs(queue) do
        local line = pipes[j]:read "l"
        local record = line and decode(line)
        if not record then
          records[i] = broken(paths[i], diagnostic.new { code = "internal", rule = "HOUSE-jobs",
            message = ("the process that ran this file ended with status %s"):format(ended[pids[j]]) })
          if n < #queue then left[#left + 1] = table.move(queue, n + 1, #queue, 1, {}) end
          break
        end
        record.printed = live and record.output or nil
        records[i] = record
      end
      pipes[j]:close()
    end
    queues = left
  end
  return records
end

local function use_color(stream)
  local none = os.getenv "NO_COLOR"
  return core.isatty(stream) and not (none and none ~= "") and os.getenv "TERM" ~= "dumb"
end

local function run(options)
  local paths = scenarios(options)
  check_device(options.device)
  if options.jobs == 0 then options.jobs = 1 end
  if options.trace and options.jobs > 1 then
    err "accdeep: --trace needs one process; --jobs is not used\n"
    options.jobs = 1
  end
  local formatter = report.formats[options.format] {
    out = out, err = err, color = use_color(1), color_errors = use_color(2),
  }
  local records
  if options.jobs > 1 then
    records = run_jobs(paths, options, formatter.live)
    for _, record in ipairs(records) do
      if record.printed then out(record.printed) end
      formatter.record(record)
    end
  else
    local trace, trace_file = tracer(options.trace)
    records = {}
    for i, path in ipairs(paths) do
      records[i] = run_file(path, options, trace, formatter.live)
      io.stdout:flush()
      formatter.record(records[i])
    end
    local ok, problem = true, nil
    if trace_file then ok, problem = trace_file:flush() end
    if not ok then lost = lost or ("%s: %s"):format(options.trace, problem) end
  end
  -- modules that lie among scenarios have no cases
  for i = #records, 1, -1 do
    if #records[i].cases == 0 then table.remove(records, i) end
  end
  formatter.finish(records)
  return report.status(records)
end

-- -------------------------------------------------------------------------------- other commands --

local function show_rules(options)
  if options.coverage then
    out(catalogue.coverage())
    return 0
  end
  local text = catalogue.describe(options.id or "")
  if not text then
    err(("accdeep: there is no rule '%s'\n"):format(options.id))
    return USAGE
  end
  out(text)
  return 0
end

-- Runs a scenario up to a directive, or a directive behind a scenario.
local function explain_directive(options)
  local path, line, text = options.scenario, nil, options.directive
  if not path then
    path, line = options.directive:match "^(.+):(%d+)$"
    line = math.tointeger(tonumber(line))
    if not line then
      err "accdeep: explain takes FILE:LINE, or --in FILE and a directive\n"
      return USAGE
    end
  end
  local file, problem = io.open(path, "rb")
  local source = file and file:read "a"
  if file then file:close() end
  if not source then error(environment_error(problem or path .. ": cannot be read"), 0) end
  local failure
  local ask, done = explain.new(out, function(place)
    if not line then return place.file == "directive" end
    local _, more = (place.text or ""):gsub("\n", "")
    return place.file == path and place.line and place.line <= line and line <= place.line + more
  end)
  check_device(options.device)
  local record = scenario.run(path, source, { device = options.device, rules = options.rules, explain = ask,
    out = function() end,
    limit_memory = size(LIMIT_MEMORY), limit_steps = whole(LIMIT_STEPS),
    last = not line and function(session)
      local run_directive = session:is_openmp(text) and session.omp or session.directive
      local ok, made = pcall(run_directive, session, text, nil, "directive", 1)
      if not ok then
        failure = made
      elseif type(made) == "function" then -- a compute construct
        ok, made = pcall(made, function() end, {})
        failure = not ok and made or nil
      elseif made then
        made:abandon()
      end
    end or nil })
  if done() then return 0 end
  for _, case in ipairs(record.cases) do failure = failure or case.error end
  if failure then
    err(report.error(failure, { color = use_color(2) }))
    return 2
  end
  err(("accdeep: no directive that moves data runs at %s\n"):format(options.directive))
  return USAGE
end

-- Writes the programs of a scenario's cases. 0: all asked for were written, 1: a case failed or has no program.
local function export_programs(options)
  local path = options.scenario
  local file, problem = io.open(path, "rb")
  local source = file and file:read "a"
  if file then file:close() end
  if not source then error(environment_error(problem or path .. ": cannot be read"), 0) end
  local cases = export.cases(path, source, { rules = options.rules, out = function() end,
    limit_memory = size(LIMIT_MEMORY), limit_steps = whole(LIMIT_STEPS) }, options.c)
  local chosen = options.case or not options.out and #cases == 1 and 1
  if options.case and not cases[options.case] or not chosen and not options.out then
    err(("accdeep: %s has %d cases: choose one with --case, or a folder with --out\n"):format(path, #cases))
    return USAGE
  end
  local status = 0
  for i, case in ipairs(cases) do
    if chosen and i ~= chosen then goto continue end
    if not case.text then
      err(report.error(case.error, { color = use_color(2) }))
      status = 1
    elseif options.out then
      local name = ("%s/%s-%d.c"):format(options.out, path:match "([^/]*)$":gsub("%.lua$", ""), i)
      local made, why = io.open(name, "w")
      if not made then error(environment_error(why), 0) end
      local ok = made:write(case.text)
      if not (made:close() and ok) then error(environment_error(name .. ": cannot be written"), 0) end
      out(("%s: %s\n"):format(name, case.name))
    else
      out(case.text)
    end
    ::continue::
  end
  return status
end

local commands = { run = run, exec = exec, explain = explain_directive, export = export_programs,
  devices = show_devices, rules = show_rules }

-- ------------------------------------------------------------------------------------------- main --

return function(args)
  local p, parsers = parser()
  if args[1] == "help" and args[2] and not parsers[args[2]] then args = { args[2] } end -- whose error we know
  local ok, options = p:pparse(spelled_out(args))
  if not ok then
    local usage = (parsers[args[1]] or p):get_usage()
    err(("%s\nError: %s\n"):format(usage, options))
    return USAGE
  end
  if options.version then
    out(("accdeep %s\n"):format(core.version))
    return 0
  end
  local command = commands[options.command]
  if not command then
    err(p:get_help() .. "\n")
    return USAGE
  end
  local fine, status = pcall(command, options)
  if fine then
    local flushed, problem = io.stdout:flush()
    if not flushed then lost = lost or "standard output: " .. problem end
    if not lost then return status end
    status = environment_error(lost)
  end
  if diagnostic.is(status) then
    err(report.error(status, { color = use_color(2) }))
    return diagnostic.phase(status.code) == "environment" and 3 or 70
  end
  error(status, 0)
end
