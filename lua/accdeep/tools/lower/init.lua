-- lower - a unit of a program with directives of TR-14-1 becomes one with standard directives. What is not such a
-- directive stays as it is, byte for byte; lines keep their numbers.

local c_unit = require "accdeep.tools.lower.c_unit"
local c_compiler = require "accdeep.tools.lower.c_compiler"
local diagnostic = require "accdeep.base.diagnostic"
local lazy = require "accdeep.base.lazy"
local location = require "accdeep.base.location"
local fortran_unit = lazy.require "accdeep.tools.lower.fortran_unit"
local session = require "accdeep.run.session"

local lower = {}

-- Says in the help of a refusal how programs choose rules, and if calls of accdeep's library do what is refused.
local function advise(err, given)
  local help = diagnostic.is(err) and rawget(err, "help")
  if help then err.help = help:gsub('rules = "(tr14x?)"', "--rules %1") end
  if not diagnostic.is(err) or err.rule ~= "HOUSE-lower" or rawget(err, "help") or given.to == "accdeep" then return end
  local called = setmetatable({ to = "accdeep" }, { __index = given })
  local ok, text = pcall(lower.unit, called)
  if ok and text then err.help = "let accdeep's library do this: --to accdeep" end
end

-- The text of a unit with standard directives, or nil and what the compiler said of the unit; third: {described
-- (whether files that it includes have shapes or policies of C, which its compiler does not know), pasted (paths of
-- files whose text is part of it), is_read (of C: whether directives were found), exported (what modules of Fortran
-- have for other units, see fortran_modules.lua)}.
-- given: {path, text, command (the compiler, nil: GNU's), options (a list), to ("openacc", "openmp", "accdeep"; nil:
-- openacc), rules ("tr14", "tr14x"; nil: tr14), modules (a folder for modules of Fortran, those of other units, too;
-- nil: one of its own), pasted (source_map.lua; nil: the text is that of the file)}. Raises errors of directives.
function lower.unit(given)
  if not given.pasted then location.remember(given.path, given.text) end
  local is_fortran = given.path:find "%.[fF]%d*$" or given.path:find "%.[fF][oO][rR]$"
  if is_fortran and given.to == "openmp" then -- gfortran 12 maps no allocatable components in OpenMP
    error(diagnostic.new { code = "unsupported", rule = "HOUSE-lower",
      message = given.path .. ": a unit of Fortran with --to openmp",
      help = "units of Fortran become OpenACC, or calls: --to accdeep" }, 0)
  end
  local is_called = given.to == "accdeep" -- present asks for the object alone, as standard directives do (TR14-1.2-08)
  local base = given.rules or "tr14"
  local rules = is_called and { base = base, present = "shallow" } or base
  local opened = session.new { rules = rules, unchecked = true, language = is_fortran and "fortran" or "c",
    descriptors = is_fortran and "gfortran" or nil }
  opened.rules = setmetatable({ openacc = false }, { __index = opened.rules }) -- the compiler's version is unknown
  local unit = is_fortran and fortran_unit or c_unit
  local command = is_fortran and "gfortran" or c_compiler.is_cxx(given.path, "") and "g++" or "gcc"
  local results = table.pack(pcall(unit.lower, opened, { path = given.path, text = given.text,
    command = given.command or command, options = given.options, to = given.to, modules = given.modules,
    pasted = given.pasted }))
  opened:close()
  if not results[1] then
    advise(results[2], given)
    error(results[2], 0)
  end
  local again = results[4] and results[4].again
  if again then return lower.unit(setmetatable({ text = again.text, pasted = again }, { __index = given })) end
  return table.unpack(results, 2, results.n)
end

return lower
