-- types.lua - `accdeep types`: prints types of a program's debug information as C declarations.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local debug_info = lazy.require "accdeep.types.debug_info"
local diagnostic = require "accdeep.base.diagnostic"
local files = require "accdeep.tools.files"
local location = require "accdeep.base.location"
local session = lazy.require "accdeep.run.session"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("program", "A program or library that was compiled with -g."):argname "<program>"
  command:argument("types", "Types to show; without one the names of all are listed."):args "*":argname "<type>"
end

-- Prints the types that the command line names, of a program's debug information, as C text; without names, prints the
-- names of all types. Returns 0, or 2 after the error of the first name that is wrong. Raises if the file cannot be
-- read.
local function run(chosen)
  if files.kind(chosen.program) == "directory" then error(files.unreadable(chosen.program), 0) end
  if #chosen.types == 0 then
    for _, name in ipairs(debug_info.names(chosen.program)) do common.write_output(name .. "\n") end
    return 0
  end
  for _, name in ipairs(chosen.types) do
    local s = session.new()
    location.remember("types", name)
    local ok, t = pcall(s.declare_from, s, chosen.program, name, "types", 1)
    s:close()
    if not ok and (not diagnostic.is(t) or diagnostic.phase(t.code) == "environment") then error(t, 0) end
    if not ok then
      common.show_error(t)
      return 2
    end
    common.write_output(debug_info.describe(t))
  end
  return 0
end

return { about = "Show types from debug information of a program.", options = options, run = run,
  is_paged = true }
