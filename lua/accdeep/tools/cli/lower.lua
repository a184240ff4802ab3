-- lower.lua - `accdeep lower`: directives of TR-14-1 in real programs as standard directives.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local files = require "accdeep.tools.files"
local lower = lazy.require "accdeep.tools.lower"

local function options(command)
  command:argument("source", "A unit of C."):argname "<file>"
  command:argument("options", "Behind --: options of the compiler for this unit."):args "*":argname "<option>"
  command:option("-o", "The file to write; standard output if not given."):argname "<file>"
  command:option("--cc", "The compiler.", "gcc"):argname "<compiler>"
end

-- 0: the unit is written; 1: the compiler refuses the unit.
local function run(chosen)
  local path = chosen.source
  local text, said = lower.unit { path = path, text = files.read(path), command = chosen.cc, options = chosen.options }
  if not text then
    common.err(said)
    return 1
  end
  if not chosen.o then
    common.out(text)
    return 0
  end
  local file = files.open(chosen.o)
  local ok = file:write(text)
  if not (file:close() and ok) then error(common.environment_error(chosen.o .. ": cannot be written"), 0) end
  return 0
end

return { about = "Write directives of TR-14-1 in a program as standard directives.", options = options, run = run }
