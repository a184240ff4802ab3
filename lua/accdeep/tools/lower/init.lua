-- lower - source-to-source lowering: translates a unit (a source file) with directives of TR-14-1, the deep-copy
-- report, to one with standard directives or calls.
--
-- Text of other kinds stays unchanged, byte for byte, and lines keep their numbers. c_unit.lua handles C and C++,
-- fortran_unit.lua Fortran. `accdeep lower`, `accdeep cc` and compiler_driver.lua call lower.unit.

local c_unit = require "accdeep.tools.lower.c_unit"
local c_compiler = require "accdeep.tools.lower.c_compiler"
local diagnostic = require "accdeep.base.diagnostic"
local lazy = require "accdeep.base.lazy"
local location = require "accdeep.base.location"
local fortran_unit = lazy.require "accdeep.tools.lower.fortran_unit"
local session = require "accdeep.run.session"

local lower = {}

-- Adds a help text to the error `err` in place: how to select rules, or that `--to accdeep` would accept the unit.
-- Leaves other errors unchanged.
local function advise(err, request)
  local help = diagnostic.is(err) and rawget(err, "help")
  if help then err.help = help:gsub('rules = "(tr14x?)"', "--rules %1") end
  if not diagnostic.is(err) or err.rule ~= "HOUSE-lower" or rawget(err, "help") or request.to == "accdeep" then
    return
  end
  local called_request = setmetatable({ to = "accdeep" }, { __index = request })
  local ok, text = pcall(lower.unit, called_request)
  if ok and text then err.help = "let accdeep's library do this: --to accdeep" end
end

-- Lowers the unit of `request`. Returns the text and nil, or nil and the compiler's messages if it rejects the unit;
-- and a third result. Raises errors of directives, and the error "unsupported" for directives that cannot be lowered.
--
-- The third result is {described, pasted, is_read, exported}. `described`: included C files have shapes or policies.
-- `pasted`: paths of files whose text is part of the result. `is_read`: directives were found (C). `exported`:
-- directives of Fortran modules for other units (fortran_modules.lua).
--
-- Fields of request. `path`, `text`: the unit. `command`: the compiler, or nil for GNU's. `options`: list of its
-- options. `to`: "openacc" (default), "openmp" or "accdeep". `rules`: "tr14" (default) or "tr14x". `modules`: folder of
-- compiled Fortran modules, or nil for a temporary folder. `pasted`: the flattened unit of source_map.lua, or nil.
function lower.unit(request)
  if not request.pasted then location.remember(request.path, request.text) end
  local is_fortran = request.path:find "%.[fF]%d*$" or request.path:find "%.[fF][oO][rR]$"
  -- Calls treat `present` as standard directives do: only the object itself is checked (TR14-1.2-08)
  local is_called = request.to == "accdeep"
  local base = request.rules or "tr14"
  local rules = is_called and { base = base, present = "shallow" } or base
  local opened = session.new { rules = rules, unchecked = true, language = is_fortran and "fortran" or "c",
    descriptors = is_fortran and "gfortran" or nil }
  -- The compiler's OpenACC version is unknown, therefore no clause is refused as too new
  opened.rules = setmetatable({ openacc = false }, { __index = opened.rules })
  local unit = is_fortran and fortran_unit or c_unit
  local command = is_fortran and "gfortran" or c_compiler.is_cxx(request.path, "") and "g++" or "gcc"
  local results = table.pack(pcall(unit.lower, opened, { path = request.path, text = request.text,
    command = request.command or command, options = request.options, to = request.to, modules = request.modules,
    pasted = request.pasted }))
  opened:close()
  if not results[1] then
    advise(results[2], request)
    error(results[2], 0)
  end
  local flat = results[4] and results[4].again
  if flat then return lower.unit(setmetatable({ text = flat.text, pasted = flat }, { __index = request })) end
  return table.unpack(results, 2, results.n)
end

return lower
