-- exec.lua - `accdeep exec`: runs a compiled OpenACC or OpenMP program with accdeep's runtime (tools/exec.lua).

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local draw = lazy.require "accdeep.inspect.draw"
local exec = lazy.require "accdeep.tools.exec"
local parse_link = lazy.require "accdeep.tools.link"

-- Returns the name of the simulated device; nil and a message for others, because kernels of a compiled program run on
-- the host.
local function host_device(text)
  if text == "sim" then return text end
  return nil, ("a program cannot run on '%s'; there is 'sim'"):format(text)
end

-- Returns the name of a drawing unchanged; nil and a message if its suffix is unknown.
local function drawing(text)
  if draw.format(text) then return text end
  return nil, ("'%s' does not end in %s"):format(text, draw.SUFFIXES)
end

-- Returns a function that converts the text of an option to a whole number from 1 to `most`. For other texts it returns
-- nil and a message, that the text is not `what`.
local function number_to(most, what)
  return function(text)
    local number = text:find "^%d+$" and math.tointeger(tonumber(text))
    if number and number >= 1 and number <= most then return number end
    return nil, ("'%s' is not %s from 1 to %d"):format(text, what, most)
  end
end

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("program", "The program."):argname "<program>"
  command:argument("arguments", "Its arguments."):args "*":argname "<arg>"
  command:option("--device", "Device to run on: sim."):default "sim":convert(host_device)
  command:option("--rules", "Rule profile (openacc-3.3 or openmp-5.1)."):convert(common.profile)
  command:option("--also", "Another rule profile: report what it does otherwise (may be repeated).")
    :argname "<profile>":convert(common.profile):count "*"
  command:option("--format", "How errors and reports are written: text, json."):choices { "text", "json" }
    :default "text"
  common.trace(command)
  command:epilog("In names of files %r is the rank of an MPI program and %p the process. Without them, the rank is "
    .. "inserted before the suffix.")
  command:option("--draw", "Draw the state of the first report, or that with the most objects: .svg, .png, .pdf, .dot; "
    .. "each step: .html.")
    :argname "<file>":convert(drawing)
  command:flag("--advice", "Tell which transfers and allocations could be left out, what that would save, and how much "
    .. "device memory is needed.")
  command:option("--link", "Link for the times of --advice: pcie4, pcie5, nvlink, or GB/s,microseconds for each "
    .. "transfer, as in 25,10. Default: pcie4."):argname "<link>"
    :convert(function(text) return parse_link(text) end)
  command:option("--report", "Write the reports to a file, too: .sarif for code hosts, or lines of JSON.")
    :argname "<file>"
  command:option("--suppress", "Leave out the reports that lines of a file name: CODE:FUNCTION-OR-FILE[:OBJECT].")
    :argname "<file>"
  command:option("--tool", "Load a shared library that observes the program (accdeep_tool.h).")
    :argname "<file>":count "*"
  local option = command:option("--strict", "Stop kernels that touch host memory, or device memory after data "
    .. "(=begin: before data); report stale data, missing waits, and what is left at the end. Constructs that repeat "
    .. "with the same arguments are looked at less often (=all, =begin,all: each time).")
    :choices { "end", "begin", "all", "begin,all" }:args "?"
  function option._get_usage() return "[--strict[=begin|all|begin,all]]" end
  function option._get_label_lines() return { "--strict[=begin|all|begin,all]" } end
  function option._is_vararg() return false end
  command:flag("--no-races", "Programs of accdeep cc: leave out the search for races between iterations of a loop.")
  command:flag("--all-races", "Search for races in each run of a kernel. Default: in a share of the runs of a kernel "
    .. "that runs again and again.")
  command:option("--orders", "Run the program again with the asynchronous work in so many other orders, and report a "
    .. "result that differs."):argname "<number>":convert(number_to(10000, "a number of orders"))
  command:option("--seed", "Run the program once, in the order of this seed of --orders."):argname "<number>"
    :convert(number_to(1000000000, "a seed"))
  command:flag("-q --quiet", "Leave out the last line, which tells what was checked and found.")
  command:flag("--fail", "Exit with status 5 where the program's own is 0 and a warning or a note was reported.")
end

-- Options whose value may be the next word.
local VALUED = "--device --rules --also --format --draw --link --orders --report --seed --suppress --tool"

-- Inserts "--" between accdeep's options and the program's name and arguments, unless it is there. Returns the list.
local function normalize_arguments(args)
  local valued = false
  for i = 2, #args do
    local arg = args[i]
    if arg == "--" then return args end
    if not valued and arg:sub(1, 1) ~= "-" then
      return table.move(args, i, #args, i + 1, table.move(args, 1, i - 1, 1, { [i] = "--" }))
    end
    valued = arg:find "^%-%-[^=]+$" and VALUED:find(arg, 1, true) ~= nil
      or arg == "--trace" and common.is_trace_file(args[i + 1])
  end
  return args
end

-- Runs the program. A link without --advice asks for advice, too.
local function run(args)
  args.color = common.use_color(2)
  args.advice = args.link or args.advice and parse_link "pcie4"
  return exec(args)
end

return {
  about = "Run an OpenACC or OpenMP program, and report wrong data; with --strict any program of gcc or clang.",
  options = options, normalize_arguments = normalize_arguments, run = run }
