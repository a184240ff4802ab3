-- files.lua - files that command lines name: their text, folders for what is written, and errors that say what may be
-- meant.

local diagnostic = require "accdeep.base.diagnostic"
local system = require "accdeep.system"

local files = {}

-- The folder of a path, with its last '/', and the name in it.
local function split(path)
  local folder, name = path:match "^(.*/)([^/]*)$"
  return folder or "", name or path
end

-- What there is whose path is close to one that there is not; nil: nothing.
local function nearest_path(path)
  local folder, name = split(path)
  local there, longer = {}, nil -- the name with an ending
  for _, other in ipairs(system.listdir(folder ~= "" and folder or ".") or {}) do
    there[other] = true
    if other:sub(1, #name + 1) == name .. "." then longer = longer or other end
  end
  local found = diagnostic.closest(name, there) or name ~= "" and longer
  return found and ("did you mean '%s'?"):format(folder .. found)
end

-- An error about a file that cannot be read; problem: why; trace: the value of --trace. A bare --trace takes no word of
-- its own as its file.
function files.unreadable(path, problem, trace)
  local folder, help = split(path), nil
  if system.filetype(path) == "directory" then
    problem, help = path .. " is a folder", "name a file in it"
  elseif folder ~= "" and not system.filetype(folder) then
    folder = folder:gsub("/+$", "")
    problem, help = ("%s: there is no folder '%s'"):format(path, folder), nearest_path(folder)
  elseif not system.filetype(path) then
    help = nearest_path(path)
  end
  if not help and trace == "-" then help = ("if it is the file of the trace, write --trace=%s"):format(path) end
  return diagnostic.new { code = "file", message = problem, rule = "HOUSE-files", help = help }
end

-- Raises if there is no such file or folder; its kind, as system.filetype has it.
function files.kind(path, trace)
  local kind, problem = system.filetype(path)
  return kind or error(files.unreadable(path, ("%s: %s"):format(path, problem), trace), 0)
end

local SOURCES = {}
for suffix in ("c cc cpp cxx f f90 f95 f03 f08"):gmatch "%S+" do SOURCES[suffix] = true end

-- Raises if a file is the source of a program by its name.
function files.refuse_source(path)
  local suffix = path:match "%.(%w+)$"
  if not suffix or not SOURCES[suffix:lower()] then return end
  error(diagnostic.new { code = "file", message = path .. " is the source of a program", rule = "HOUSE-files",
    help = "compile it with gcc -g -fopenacc (or -fopenmp) -foffload=disable, then: accdeep exec PROGRAM" }, 0)
end

-- The path of a library that belongs to this program: next to it, as it is built, or where it is installed; nil and
-- what is wrong: it is not there.
function files.library(name)
  local folder = (system.executable() or ""):match "^(.*)/[^/]*$" or "."
  local places = { folder, folder .. "/../lib", folder .. "/../lib64", folder .. "/../lib/x86_64-linux-gnu" }
  for _, place in ipairs(places) do
    local path = place .. "/" .. name
    if system.filetype(path) == "file" then return path end
  end
  return nil, ("%s is not next to this program, and not in ../lib"):format(name)
end

-- The file a shell would run for a name; nil if there is none.
function files.program(name)
  if name:find "/" then return system.filetype(name) and name end
  for folder in (os.getenv "PATH" or ""):gmatch "[^:]+" do
    local path = folder .. "/" .. name
    if system.filetype(path) == "file" then return path end
  end
  return nil
end

-- The whole text of a file.
function files.read(path)
  local file, problem = io.open(path, "rb")
  local text = file and file:read "a"
  if file then file:close() end
  return text or error(files.unreadable(path, problem or path .. ": cannot be read"), 0)
end

-- Makes a folder, and those it lies in.
function files.make_folder(path)
  for at in (path:gsub("/*$", "") .. "/"):gmatch "()/" do
    local folder = path:sub(1, at - 1)
    local ok, why = system.mkdir(folder)
    if not ok then
      local message = system.filetype(folder) and ("'%s' is not a folder"):format(folder)
        or ("the folder '%s' cannot be made: %s"):format(folder, why)
      error(diagnostic.new { code = "file", message = message, rule = "HOUSE-files",
        help = "name a folder that is there, or can be made" }, 0)
    end
  end
end

-- Makes the folder of a file that is to be written. Returns the file's name.
function files.prepare_output(path)
  local folder = split(path)
  if folder ~= "" then files.make_folder(folder) end
  return path
end

-- A file that is to be written, in the mode of io.open.
function files.open(path, mode)
  local file, problem = io.open(files.prepare_output(path), mode or "w")
  return file or error(diagnostic.new { code = "file", message = problem, rule = "HOUSE-files" }, 0)
end

-- Writes a file in whole.
function files.write(path, text)
  local file = files.open(path, "wb")
  local ok, problem = file:write(text)
  local closed, other = file:close()
  if ok and closed then return end
  error(diagnostic.new { code = "file", message = ("%s: cannot be written: %s"):format(path, problem or other),
    rule = "HOUSE-files" }, 0)
end

return files
