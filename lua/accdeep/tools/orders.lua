-- orders.lua - `accdeep exec --orders N`: runs a program as it is, and in other orders of its asynchronous work, for
-- the seeds 1 to N. Reports if a result differs: standard output, exit status, or an error of the runtime.
--
--      reference run -> output and status of the command
--      seed 1 ... N  -> equal to the reference: nothing
--                    -> not equal: two more reference runs. They are equal: finding order-dependent.
--                                  They differ, too: the program has other results in each run, and a message says so.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local error_codes = require "accdeep.base.error_codes"
local json = require "dkjson"
local rules = require "accdeep.definitions.rules"
local system = require "accdeep.system"
local strings = require "accdeep.base.strings"

local orders = {}

-- Code of the finding, and the order of keys in its JSON object and in SARIF.
orders.CODE = "order-dependent"
orders.KEYS = { "level", "code", "message", "rule", "rule_title", "help", "seed", "orders", "differ", "repeat" }
orders.SARIF_KEYS = { "ruleId", "id", "level", "message", "shortDescription", "help", "locations", "physicalLocation",
  "artifactLocation", "uri", "region", "properties", "rule", "rule_title", "object", "seed", "orders", "differ",
  "occurrenceCount" }

-- Returns the bytes of a file; "" if it cannot be read.
local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read "a" or ""
  if file then file:close() end
  return text
end

-- Returns the errors in the report of a run as one text, a line "error[CODE] at PLACE: MESSAGE" each; and the place of
-- the first one, or nil. A run that is not quiet has no report.
local function read_errors(path)
  local list, place = {}, nil
  for line in read(path):gmatch "[^\n]+" do
    local fields = json.decode(line)
    if type(fields) == "table" and fields.level == "error" then
      list[#list + 1] = ("error[%s]%s: %s"):format(fields.code, fields.at and " at " .. fields.at or "", fields.message)
      place = place or fields.at
    end
  end
  return table.concat(list, "\n"), place
end

-- Runs the program in a process of its own. job: args and env of system.exec; folder: place of its output; input: path
-- of its standard input; supervise: function that the new process calls first. is_quiet: the run has no standard error,
-- no supervision, and a report of its own. seed: 0 for the reference. seconds: limit, nil: none. Returns the result:
-- text (standard output), status (128 + n for signal n; false: stopped at the limit), errors and place (read_errors).
local function run_once(job, seed, seconds)
  local out, report = job.folder .. "/output", job.folder .. "/report"
  os.remove(report)
  local pid = system.fork()
  if pid == 0 then
    local env = {}
    for name, value in pairs(job.env) do env[name] = value end
    env.ACCDEEP_ORDER, env.ACCDEEP_DEFERRED = tostring(seed), job.folder .. "/deferred"
    if job.is_quiet then env.ACCDEEP_REPORT, env.ACCDEEP_ALSO = report, "" end
    local is_ready = system.redirect(0, job.input) and system.redirect(1, out)
      and (not job.is_quiet or system.redirect(2, "/dev/null"))
    if is_ready and not job.is_quiet then job.supervise() end
    local problem = is_ready and system.exec(job.args, env) or "its output cannot be redirected"
    io.stderr:write(("accdeep: %s: %s\n"):format(job.args[1], problem))
    system.exit(127)
  end
  local ended, status = system.wait(seconds)
  if not ended then
    system.kill(pid)
    system.wait()
    status = false
  end
  local errors, place = read_errors(report)
  return { text = read(out), status = status, errors = errors, place = place }
end

-- Returns true if two runs have the same result.
local function is_equal(a, b) return a.text == b.text and a.status == b.status and a.errors == b.errors end

-- Returns a line of output for a message: quoted, cut after 60 bytes, without control characters.
local function quote(line)
  if not line then return "missing" end
  local text = line:gsub("[%c\128-\255]", "?")
  return ('"%s"%s'):format(text:sub(1, 60), #text > 60 and "..." or "")
end

-- Returns the first line in which the texts of two runs differ: its number, and the lines (nil: the text is shorter).
local function find_difference(a, b)
  local next_a, next_b = a:gmatch "([^\n]*)\n?", b:gmatch "([^\n]*)\n?"
  local number = 0
  while true do
    local line_a, line_b = next_a(), next_b()
    number = number + 1
    if line_a ~= line_b or not line_a then return number, line_a, line_b end
  end
end

-- Returns a status as text.
local function format_status(status)
  if not status then return "no end within the time limit" end
  return status > 128 and ("signal %d"):format(status - 128) or ("exit status %d"):format(status)
end

-- Returns the text of the difference between the result of an order and the reference.
local function describe(result, reference)
  if result.errors ~= "" then return (result.errors:match "[^\n]*") end
  if result.status ~= reference.status then
    return ("%s instead of %s"):format(format_status(result.status), format_status(reference.status))
  end
  local number, found, expected = find_difference(result.text, reference.text)
  return ("line %d of standard output is %s instead of %s"):format(number, quote(found), quote(expected))
end

-- Returns a word of a command line as a shell needs it.
local function quote_word(word)
  return word:find "^[%w%+%-%./:=@_,]+$" and word or "'" .. word:gsub("'", "'\\''") .. "'"
end

-- Returns the command that repeats the run of a seed.
local function get_repetition(options, seed)
  local words = { "accdeep exec --seed " .. seed }
  if options.rules then words[#words + 1] = "--rules " .. options.rules end
  words[#words + 1] = quote_word(options.program)
  for _, arg in ipairs(options.arguments) do words[#words + 1] = quote_word(arg) end
  return table.concat(words, " ")
end

-- Adds the finding to a report of the reference run: a line of JSON, or a result in a SARIF file. Such a file has each
-- result and each rule on a line of its own. place: {path, line} of the finding.
local function add_to_report(path, finding, place)
  if not path:find "%.sarif$" then
    local file = io.open(path, "ab")
    if not file then return end
    file:write(json.encode(finding, { keyorder = orders.KEYS }), "\n")
    file:close()
    return
  end
  local report = json.decode(read(path))
  local run = report and report.runs and report.runs[1]
  if not run then return end
  local results, codes = {}, {}
  for i, result in ipairs(run.results) do
    results[i] = json.encode(result, { keyorder = orders.SARIF_KEYS })
  end
  for i, rule in ipairs(run.tool.driver.rules or {}) do
    codes[i] = json.encode(rule, { keyorder = orders.SARIF_KEYS })
  end
  results[#results + 1] = json.encode({ ruleId = finding.code, level = "warning",
    message = { text = finding.message },
    locations = { { physicalLocation = { artifactLocation = { uri = place[1] },
      region = { startLine = place[2] } } } },
    properties = { rule = finding.rule, rule_title = finding.rule_title, seed = finding.seed, orders = finding.orders,
      differ = finding.differ },
    occurrenceCount = 1 }, { keyorder = orders.SARIF_KEYS })
  codes[#codes + 1] = json.encode({ id = finding.code,
    shortDescription = { text = error_codes[finding.code][1] },
    help = { text = finding.help } }, { keyorder = orders.SARIF_KEYS })
  local file = io.open(path, "wb")
  if not file then return end
  file:write(('{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":['
    .. '\n%s\n],"tool":{"driver":{"name":"accdeep","version":"%s","rules":[\n%s\n]}}}]}\n'):format(
    table.concat(results, ",\n"), core.version, table.concat(codes, ",\n")))
  file:close()
end

-- Writes the finding to standard error, as the runtime writes its own.
local function show(finding, is_json)
  if is_json then
    io.stderr:write(json.encode(finding, { keyorder = orders.KEYS }), "\n")
    return
  end
  io.stderr:write(("accdeep: %s[%s]: %s\n"):format(finding.level, finding.code, finding.message),
    finding.rule and ("  rule: %s\n"):format(finding.rule) or "", ("  help: %s\n"):format(finding.help),
    ("  repeat: %s\n  more: accdeep explain %s\n"):format(finding["repeat"], finding.code))
end

-- Runs the program in all orders. Returns the first seed with another result, that result and the number of such seeds;
-- false if no work was put off, so that there is one order only.
local function try_orders(job, n, reference, seconds)
  local first, result, differing = nil, nil, 0
  for seed = 1, n do
    local other = run_once(job, seed, seconds)
    if not is_equal(other, reference) then
      differing = differing + 1
      if not first then first, result = seed, other end
    end
    if seed == 1 and not first and not system.filetype(job.folder .. "/deferred") then return false end
  end
  return first, result, differing
end

-- Runs the program of `job` (run_once; also is_openmp and report, the path of the reference run's report) once, and in
-- the orders of the seeds 1 to options.orders. Writes the output of the first run. `message` writes a line about the
-- run as a whole. Returns the exit status: that of the first run, or 5 for a finding with options.fail.
function orders.run(options, job, message)
  local started = os.time()
  local reference = run_once(job, 0)
  io.stdout:write(reference.text)
  io.stdout:flush()
  local status = reference.status
  job.is_quiet = true
  if status > 128 then
    message("warning", ("no other order was tried: signal %d has ended the program"):format(status - 128))
    return status
  end
  if status ~= 0 then reference = run_once(job, 0) end -- a quiet run, which has the errors
  local first, result, differing = try_orders(job, options.orders, reference, 10 * (os.time() - started + 1))
  if first == false then
    message("note", "no other order was tried: the program has no asynchronous work that can be put off")
  elseif not first then
    message("note", options.orders == 1 and "the order of seed 1 has the same result"
      or ("the orders of %s have the same result"):format(strings.count(options.orders, "seed")))
  else
    for _ = 1, 2 do
      local again = run_once(job, 0)
      if not is_equal(again, reference) then
        message("warning", ("orders cannot be compared: the program has another result in each run (%s)"):format(
          describe(again, reference)))
        return status
      end
    end
    local finding = { level = "warning", code = orders.CODE, rule = not job.is_openmp and "ACC33-async-2" or nil,
      message = ("the result depends on the order of asynchronous work: %d of %d orders differ, the first with seed "
        .. "%d: %s"):format(differing, options.orders, first, describe(result, reference)),
      help = diagnostic.help { code = orders.CODE, openmp = job.is_openmp }, seed = first, orders = options.orders,
      differ = differing, ["repeat"] = get_repetition(options, first) }
    finding.rule_title = finding.rule and rules.title(finding.rule)
    show(finding, options.format == "json")
    if job.report then
      local file, line = (result.place or ""):match "^(.*):(%d+)$"
      add_to_report(job.report, finding, { file or options.program, math.tointeger(tonumber(line)) or 1 })
    end
    if options.fail and status == 0 then return 5 end
  end
  return status
end

return orders
