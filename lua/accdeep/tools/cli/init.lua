-- cli - the command line: a function from arguments to an exit status.
--
-- Exit statuses. 0: success. 1: an expectation or a construct failed. 2: bad text of a directive or scenario. 3:
-- file, device, environment or limit. 4: usage. 70: internal error.
--
-- A command is a module of accdeep.tools.cli: {about, options, run, normalize_arguments, is_paged}. `about`: its
-- description. is_paged: on a terminal, its output goes through a pager. options(parser) adds the command's options to
-- its parser. run(options, parser) returns the exit status. normalize_arguments(arguments) rewrites arguments that
-- argparse cannot parse; it is optional.

local argparse = require "argparse"
local common = require "accdeep.tools.cli.common"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local report = require "accdeep.base.report"
local sorted_pairs = require "accdeep.base.sorted_pairs"

-- Groups of commands, as help and the manual page list them: title, and the names of the commands. The module of a
-- command has its name, except that of `init`.
local groups = {
  { "Check programs", { "cc", "exec", "merge", "diff", "replay", "lower", "types" } },
  { "Ask what the standards say",
    { "init", "examples", "run", "repl", "draw", "explain", "rules", "export", "explore", "conform" } },
  { "Maintenance", { "devices", "lsp", "completion", "manual", "help" } },
}
local modules = { init = "first_scenario" }

local ABOUT = [[
Find data errors in OpenACC and OpenMP programs, and try what the standards say.

First:  accdeep cc gcc -g -fopenacc prog.c -o prog && accdeep exec ./prog
        accdeep init first.lua && accdeep run first.lua]]

-- Commands that read the options of all commands.
local READS_ALL = { help = true, completion = true, manual = true }

-- Returns the parser of the command line, and two tables by name of a command: its parser and its module. `chosen`: the
-- first argument. If it is a command, the others get no options, because argparse takes long to make them.
local function parser(chosen)
  local p = argparse("accdeep", ABOUT)
  p:command_target "command"
  p:flag "--version":description "Print the version."
  p:flag "--no-pager":description "Print long output at once. $PAGER is the program that shows it on a terminal."
  p:require_command(false)
  local by_name, parsers = {}, {}
  for _, group in ipairs(groups) do
    local members = {}
    for i, name in ipairs(group[2]) do
      local command = name ~= "help" and require("accdeep.tools.cli." .. (modules[name] or name))
      if command then
        by_name[name], parsers[name] = command, p:command(name, command.about)
      else
        p:add_help_command { "help", description = "Explain a command, or list all." }
      end
      members[i] = p._commands[#p._commands]
    end
    p:group(group[1], table.unpack(members))
  end
  local is_alone = by_name[chosen] and not READS_ALL[chosen]
  for name, command in sorted_pairs(by_name) do
    if not is_alone or name == chosen then command.options(parsers[name]) end
  end
  return p, parsers, by_name
end

-- Returns the arguments as argparse can parse them: `--trace` without a file becomes `--trace=-`, because argparse
-- knows optional values only at the end of a line. `command`: the module of the command, or nil.
local function expand_arguments(args, command)
  if command and command.normalize_arguments then args = command.normalize_arguments(args) end
  local list, i = {}, 1
  while args[i] and args[i] ~= "--" do
    local has_file = args[i] == "--trace" and common.is_trace_file(args[i + 1])
    list[#list + 1] = has_file and "--trace=" .. args[i + 1] or args[i] == "--trace" and "--trace=-" or args[i]
    i = i + (has_file and 2 or 1)
  end
  return table.move(args, i, #args, #list + 1, list)
end

-- Executes the command line `args` and returns its exit status. Errors with a diagnostic are printed; other errors,
-- which are internal, are raised again.
return function(args)
  -- The command is the first argument below.
  local has_no_pager = args[1] == "--no-pager"
  if has_no_pager then args = table.move(args, 2, #args, 1, {}) end
  local p, parsers, by_name = parser(args[1])
  -- `help` with an unknown command is parsed as that command, so that argparse prints the error.
  if args[1] == "help" and args[2] and not parsers[args[2]] then args = { args[2] } end
  local ok, options = p:pparse(expand_arguments(args, by_name[args[1]]))
  if not ok then
    local usage = (parsers[args[1]] or p):get_usage()
    common.err(("%s\nError: %s\n"):format(usage, options))
    return common.USAGE
  end
  if options.version then
    common.write_output(("accdeep %s\n"):format(core.version))
    return 0
  end
  local command = by_name[options.command]
  if not command then
    common.err(p:get_help() .. "\n")
    return common.USAGE
  end
  if command.is_paged and not has_no_pager and not options.no_pager then common.use_pager() end
  local is_complete, status = pcall(command.run, options, p)
  common.finish_pager()
  if is_complete then
    local flushed, problem = io.stdout:flush()
    if not flushed then common.cannot_write("standard output: " .. problem) end
    if not common.lost then return status end
    status = common.environment_error(common.lost)
  end
  if diagnostic.is(status) then
    common.show_error(status)
    return report.status_of(diagnostic.phase(status.code))
  end
  error(status, 0)
end
