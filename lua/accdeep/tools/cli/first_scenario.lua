-- first_scenario.lua - `accdeep init`: writes a first scenario, with the text of examples/first.lua.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local files = require "accdeep.tools.files"
local system = require "accdeep.system"
local text_file = lazy.require "accdeep.base.text_file"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("file", "The file to write, which must not exist. Default: first.lua."):args "?"
    :argname "<file>"
end

-- Returns a file name as a shell reads it, for command lines that the user can copy.
local function quote(path) return path:find "^[%w_./-]+$" and path or "'" .. path:gsub("'", "'\\''") .. "'" end

-- Writes the scenario and tells what to do with it. Returns 0. Raises if the file exists or cannot be written.
local function run(chosen)
  local path = chosen.file or "first.lua"
  if system.filetype(path) then
    error(common.environment_error(path .. " exists, and stays as it is", "choose another name: accdeep init FILE"), 0)
  end
  local name = quote(path)
  files.write(path, (text_file.read "examples/first.lua":gsub("first%.lua", name:gsub("%%", "%%%%") .. "")))
  local next_steps = { { "accdeep run " .. name, "executes it" },
    { "accdeep run --step " .. name, "shows each directive, forwards and backwards" },
    { "accdeep examples", "lists more scenarios" } }
  common.write_output(("%s: a first scenario, which explains itself\n"):format(path))
  for _, step in ipairs(next_steps) do
    common.write_output(("  %-" .. #next_steps[2][1] .. "s  %s\n"):format(step[1], step[2]))
  end
  return 0
end

return { about = "Write a first scenario, which explains itself.", options = options, run = run }
