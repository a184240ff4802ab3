-- common.lua - code shared by commands: streams, conversion of option values, files, devices.

local lazy = require "accdeep.base.lazy"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local files = require "accdeep.tools.files"
local pager = lazy.require "accdeep.tools.cli.pager"
local progress = require "accdeep.base.progress"
local report = require "accdeep.base.report"
local profiles = require "accdeep.definitions.profiles"
local system = require "accdeep.system"

local common = {}

common.USAGE = 4 -- exit status of a usage error

-- Default limits of a scenario.
common.LIMIT_MEMORY, common.LIMIT_STEPS = "1G", "2e9"

-- Adds the option --trace to the parser `command`. The file of the option follows '=', or is the next word if that word
-- has a suffix of traces.
function common.trace(command)
  local option = command:option("--trace", "Write every event as a JSON object on a line of its own; to standard "
    .. "error, or to a file. A name in .json, .jsonl or .trace needs no '='."):argname "<file>"
  function option._get_usage() return "[--trace[=<file>]]" end
  function option._get_label_lines() return { "--trace[=<file>]" } end
end

-- Returns true if the word after --trace is the file of the trace, because of its suffix.
function common.is_trace_file(word) return word ~= nil and (word:find "%.jsonl?$" or word:find "%.trace$") ~= nil end

-- -------------------------------------------------------------------------------------- streams --

-- Records that output could not be written; the command then fails at its end. Only the first call counts. `problem`: a
-- sentence.
function common.cannot_write(problem) common.lost = common.lost or problem end

-- Progress line of long commands; it is hidden before output is written.
common.progress = progress.new(true)

-- Makes the following output go through a pager, if standard output is a terminal (pager.lua).
function common.use_pager() common.uses_pager = true end

-- Writes a text to standard output, or to the pager. A failure is recorded (common.cannot_write), unless the user has
-- left the pager.
function common.write_output(text)
  common.progress:hide()
  if common.uses_pager then common.uses_pager, common.pager = false, pager.start() end
  local ok, problem = (common.pager or io.stdout):write(text)
  if not ok and not common.pager then common.cannot_write("standard output: " .. problem) end
end

-- Waits until the user leaves the pager, if there is one.
function common.finish_pager()
  if common.pager then pager.finish(common.pager) end
  common.uses_pager, common.pager = false, nil
end

-- Writes a text to standard error; ignores failures.
function common.err(text)
  common.progress:hide()
  io.stderr:write(text)
end

-- Returns a true value if errors on a stream (a file descriptor) are colored.
function common.use_color(stream)
  local none = os.getenv "NO_COLOR"
  return system.isatty(stream) and not (none and none ~= "") and os.getenv "TERM" ~= "dumb"
end

-- Prints an error to standard error. `case`: the case that failed, {name, profile}; nil: none.
function common.show_error(failure, case)
  local name = case and case.name ~= failure.file and case.name or nil
  common.err(report.error(failure, { color = common.use_color(2), case = name, profile = case and case.profile }))
end

-- ------------------------------------------------------------------------------ values of options --

-- Returns the number of bytes for the text of a size such as 512M. Returns nil and a message if the text is malformed
-- or the size too large.
function common.size(text)
  local number, unit = text:match "^(%d+)([KMGT]?)$"
  local shift = ({ [""] = 0, K = 10, M = 20, G = 30, T = 40 })[unit]
  local n = number and math.tointeger(tonumber(number))
  if not n or n > (1 << 62) >> shift then return nil, ("'%s' is not a size like 512M"):format(text) end
  return n << shift
end

-- Returns the integer, at least 0, that a text denotes. Returns nil and a message for other texts.
function common.parse_whole_number(text)
  local n = math.tointeger(tonumber(text) or 0.5)
  if not n or n < 0 then return nil, ("'%s' is not a whole number"):format(text) end
  return n
end

-- Returns {i, n} for "i/n", shard i of n with 1 <= i <= n. Returns nil and a message for other texts.
function common.shard(text)
  local i, n = text:match "^(%d+)/(%d+)$"
  i, n = tonumber(i), tonumber(n)
  if not i or i < 1 or i > n then return nil, ("'%s' is not a shard like 1/4"):format(text) end
  return { i, n }
end

-- Returns the name of a device unchanged; nil and a message if there is no such kind of device.
function common.device(text)
  if text == "sim" or text == "cuda" or text:find "^cuda:%d%d?$" then return text end
  return nil, ("there is no device '%s'; there are 'sim' and 'cuda', or 'cuda:1' for the second of several")
    :format(text)
end

-- Returns the name of a profile, perhaps with changes ("openacc-3.3+reattach=counts"), in lower case; nil and a message
-- if it does not exist.
function common.rules(text)
  local ok, problem = pcall(profiles.profile, text:lower())
  if ok then return text:lower() end
  return nil, ("%s; %s"):format(problem.message, problem.help)
end

-- Returns the name of a profile in lower case; nil and a message if the profile does not exist or has changes ("+").
function common.profile(text)
  if not text:find("+", 1, true) then return common.rules(text) end
  return nil, "a profile without changes is needed"
end

-- Returns the list of profiles in a text, which commas separate; of "all", that of all profiles. Returns nil and a
-- message for an unknown or repeated name.
function common.profile_list(text)
  if text == "all" then return profiles.names() end
  local list, listed = {}, {}
  for name in text:gmatch "[^,]+" do
    local profile, problem = common.rules(name)
    if not profile then return nil, problem end
    if listed[profile] then return nil, ("'%s' is named twice"):format(profile) end
    listed[profile] = true
    list[#list + 1] = profile
  end
  return list
end

-- Adds the options for the limits of scenarios to a parser.
function common.limits(command)
  command:option("--limit-memory", "Memory a scenario may use, that of devices with it (0: no limit).")
    :default(common.LIMIT_MEMORY):convert(common.size)
  command:option("--limit-steps", "Steps of Lua a scenario may take, and seconds to match (0: no limit).")
    :default(common.LIMIT_STEPS):convert(common.parse_whole_number)
end

-- ---------------------------------------------------------------------------------------- files --

-- Returns (does not raise) a diagnostic about a file or the environment. `help`: advice, or nil.
function common.environment_error(message, help)
  return diagnostic.new { code = "file", message = message, rule = "HOUSE-files", help = help }
end

common.read = files.read

-- Returns the text of a scenario. Raises if the file cannot be read, or is a program or its source.
function common.scenario(path)
  files.refuse_source(path)
  local text = files.read(path)
  if text:sub(1, 4) ~= "\127ELF" then return text end
  error(common.environment_error(path .. " is a compiled program", "execute the program: accdeep exec PROGRAM"), 0)
end

-- Returns an unnamed temporary file, which receives the output of a child. Raises if it cannot be created.
function common.temporary()
  local file, problem = io.tmpfile()
  return file or error(common.environment_error("no temporary file: " .. problem), 0)
end

-- -------------------------------------------------------------------------------------- devices --

-- Returns the devices of a backend as a list of {name, bytes, driver, compiler}, and the reason why there are no more.
-- A child process queries the driver, because a process that has started a driver must not fork. If the child dies, the
-- list is empty.
function common.devices_of(backend)
  local pipe = common.temporary()
  if system.fork() == 0 then
    local list = {}
    local info, why
    repeat
      info, why = core.device(backend, #list)
      list[#list + 1] = info
    until not info
    pipe:write(require "dkjson".encode { list = list, why = why })
    pipe:flush()
    system.exit(0)
  end
  system.wait()
  pipe:seek "set"
  local answer = require "dkjson".decode(pipe:read "a")
  pipe:close()
  if not answer then return {}, "asking its driver ended the process" end
  return answer.list, answer.why
end

-- Raises unless the device `name` exists.
function common.check_device(name)
  local backend, number = name:match "^(%a+):?(%d*)$"
  if backend == "sim" then return end
  local devices, why = common.devices_of(backend)
  if (tonumber(number) or 0) < #devices then return end
  if #devices > 0 then
    why = ("there is no device %s; devices are %s:0 to %s:%d"):format(name, backend, backend, #devices - 1)
  end
  error(diagnostic.new { code = "no-device", message = why, rule = "HOUSE-device",
    help = "accdeep devices lists what there is" }, 0)
end

return common
