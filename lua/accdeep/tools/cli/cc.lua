-- cc.lua - `accdeep cc`: runs a compiler on units with directives of TR-14-1. `accdeep exec` checks each access of
-- the resulting programs.

local lazy = require "accdeep.base.lazy"
local cc = lazy.require "accdeep.tools.cc"
local common = require "accdeep.tools.cli.common"
local diagnostic = require "accdeep.base.diagnostic"
local compiler_driver = lazy.require "accdeep.tools.lower.compiler_driver"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("compiler", "gcc, g++, gfortran, clang, clang++, mpicc, mpicxx or mpifort."):args "?"
    :argname "<compiler>"
  command:argument("arguments", "Its command line."):args "*":argname "<arg>"
  command:flag("--no-check", "The program is not to be checked: directives of TR-14-1 are lowered, and no more.")
  command:flag("--no-races", "Races between iterations of a loop are not found.")
  command:option("--to", "What directives become: openacc; openmp; accdeep: calls of its library, whose "
    .. "programs are not checked.", "openacc"):choices { "openacc", "openmp", "accdeep" }
  command:option("--rules", "tr14x: with the wishes of chapter 5 of TR-14-1, such as recursive types.", "tr14")
    :choices { "tr14", "tr14x" }
  command:flag("--libdir", "Print the folder of the library that such programs need, for other builds.")
end

-- Inserts "--" between accdeep's options and the compiler's name and arguments. Returns the new list, or `args` if
-- there is no compiler.
local function normalize_arguments(args)
  local at, with_value = 2, { ["--to"] = true, ["--rules"] = true }
  while args[at] and args[at]:sub(1, 1) == "-" do at = at + (with_value[args[at]] and 2 or 1) end
  if not args[at] then return args end
  local list = table.move(args, 1, at - 1, 1, {})
  list[at] = "--"
  return table.move(args, at, #args, at + 1, list)
end

-- Runs the compiler, on lowered units if a unit has directives of TR-14-1. Returns the compiler's exit status, or 1 for
-- an error in a directive of TR-14-1. With --libdir, only prints the folder and returns 0. `chosen`: the parsed
-- options. Raises if there is no such compiler.
local function run(chosen)
  if chosen.libdir then
    common.write_output(cc.folder(chosen.to) .. "\n")
    return 0
  end
  local list = cc.command(chosen)
  local ok, status = pcall(compiler_driver.compile, list, { to = chosen.to, rules = chosen.rules,
    marks_loops = not (chosen.no_check or chosen.no_races or chosen.to == "accdeep") })
  if not ok then
    if not diagnostic.is(status) then error(status, 0) end
    common.show_error(status)
    return 1
  end
  return status or cc.become(list)
end

return {
  about = "Compile a program so that `accdeep exec` checks each load and store; lowers deep-copy directives, too.",
  options = options, normalize_arguments = normalize_arguments, run = run }
