-- shell_command.lua - runs shell commands: quoting, output, and temporary folders.

local diagnostic = require "accdeep.base.diagnostic"
local files = require "accdeep.tools.files"
local system = require "accdeep.system"

local shell_command = {}

-- Returns a text quoted as one word of the shell.
function shell_command.quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- Creates a temporary folder and returns its path; the caller removes it. Raises if that fails. The folder is made in
-- shell_command.parent, which a process sets whose parent removes its files; nil: in the usual folder.
function shell_command.folder()
  local path, problem = system.temporary_folder(shell_command.parent)
  return path or error(diagnostic.new { code = "file", rule = "HOUSE-files",
    message = "there is no folder for temporary files: " .. problem,
    help = "set TMPDIR to a folder that is there, and where files can be made" }, 0)
end

-- Removes a folder and its content; ignores failures.
function shell_command.remove(folder) os.execute("rm -rf " .. shell_command.quote(folder)) end

-- Runs a shell command in the C locale. Returns true if it succeeded (otherwise false), its output, and its standard
-- error.
function shell_command.run(command)
  local folder = shell_command.folder()
  local errors = folder .. "/stderr"
  local pipe = assert(io.popen(("LC_ALL=C %s 2>%s"):format(command, shell_command.quote(errors))))
  local output = pipe:read "a"
  local ok = pipe:close() == true
  local error_output = files.read(errors)
  os.remove(errors)
  os.remove(folder)
  return ok, output, error_output
end

return shell_command
