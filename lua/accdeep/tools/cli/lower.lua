-- lower.lua - `accdeep lower`: translates directives of TR-14-1 in a unit to standard directives or calls
-- (tools/lower).

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local diagnostic = require "accdeep.base.diagnostic"
local files = require "accdeep.tools.files"
local fortran_fixed_form = lazy.require "accdeep.tools.lower.fortran_fixed_form"
local lower = lazy.require "accdeep.tools.lower"
local compiler_driver = lazy.require "accdeep.tools.lower.compiler_driver"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("source", "A unit of C, C++ or Fortran."):argname "<file>"
  command:argument("options", "After --: options of the compiler for this unit."):args "*":argname "<option>"
  command:option("-o", "The file to write; standard output if not given."):argname "<file>"
  command:option("--to", "What directives become: openacc; openmp; accdeep: calls of its library.", "openacc")
    :choices { "openacc", "openmp", "accdeep" }
  command:option("--rules", "tr14x: with the wishes of chapter 5 of TR-14-1, such as recursive types.", "tr14")
    :choices { "tr14", "tr14x" }
  command:option("--cc", "The compiler; gcc, g++ or gfortran if not given."):argname "<compiler>"
end

-- Writes the lowered unit to the file of -o, with the shapes and policies of its Fortran modules, or to standard
-- output. Returns 0, or 1 after the compiler's messages if the compiler rejects the unit. Raises errors of directives.
local function run(chosen)
  local path = chosen.source
  local request = { path = path, text = files.read(path), command = chosen.cc, options = chosen.options,
    to = chosen.to, rules = chosen.rules }
  local text, messages, details = lower.unit(request)
  if not text then
    common.err(messages)
    return 1
  end
  if details and details.is_free and chosen.o and fortran_fixed_form.is_fixed(chosen.o, request.options) then
    error(diagnostic.new { code = "unsupported", rule = "HOUSE-lower", message = chosen.o
      .. ": the lowered text is in free form", help = "-o " .. chosen.o:gsub("%.%w+$", ".f90") }, 0)
  end
  if not chosen.o then
    common.write_output(text)
    return 0
  end
  if details and details.exported then compiler_driver.export(request.options, request.text, details.exported) end
  files.write(chosen.o, text)
  return 0
end

return { about = "Write directives of TR-14-1 in a program as standard directives.", options = options, run = run }
