-- files.lua - files named in command lines: reads and writes them, creates folders, and reports errors with
-- suggestions.

local diagnostic = require "accdeep.base.diagnostic"
local system = require "accdeep.system"

local files = {}

-- Returns the folder of a path, with its final '/' ("": none), and the file name.
local function split(path)
  local folder, name = path:match "^(.*/)([^/]*)$"
  return folder or "", name or path
end

-- Returns a question that suggests an existing path close to a missing path; a false value if there is none.
local function nearest_path(path)
  local folder, name = split(path)
  local existing, suffixed = {}, nil -- `suffixed`: the missing name with a suffix
  for _, other in ipairs(system.listdir(folder ~= "" and folder or ".") or {}) do
    existing[other] = true
    if other:sub(1, #name + 1) == name .. "." then suffixed = suffixed or other end
  end
  local nearest = diagnostic.closest(name, existing) or name ~= "" and suffixed
  return nearest and ("did you mean '%s'?"):format(folder .. nearest)
end

-- Returns an error about a file that cannot be read. `problem`: the reason. `trace`: the value of --trace, or nil. "-"
-- means that --trace had no value; `path` may then have been meant as its value.
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

-- Returns the kind of a file or folder (system.filetype). Raises if it does not exist. `trace`: as in files.unreadable.
function files.kind(path, trace)
  local kind, problem = system.filetype(path)
  return kind or error(files.unreadable(path, ("%s: %s"):format(path, problem), trace), 0)
end

local SOURCES = {}
for suffix in ("c cc cpp cxx f f90 f95 f03 f08"):gmatch "%S+" do SOURCES[suffix] = true end

-- Raises an error with advice if a file is source code, which its suffix shows.
function files.refuse_source(path)
  local suffix = path:match "%.(%w+)$"
  if not suffix or not SOURCES[suffix:lower()] then return end
  error(diagnostic.new { code = "file", message = path .. " is the source of a program", rule = "HOUSE-files",
    help = "compile it with gcc -g -fopenacc (or -fopenmp) -foffload=disable, then: accdeep exec PROGRAM" }, 0)
end

-- Returns the path of an accdeep library, which is next to this program or installed in ../lib. Returns nil and a
-- message if it is not found.
function files.library(name)
  local folder = (system.executable() or ""):match "^(.*)/[^/]*$" or "."
  local folders = { folder, folder .. "/../lib", folder .. "/../lib64", folder .. "/../lib/x86_64-linux-gnu" }
  for _, library_folder in ipairs(folders) do
    local path = library_folder .. "/" .. name
    if system.filetype(path) == "file" then return path end
  end
  return nil, ("%s is not next to this program, and not in ../lib"):format(name)
end

-- Returns the path of the program that a shell would run for a name, or a false value if there is none. A name with '/'
-- is the path itself; others are searched for in the folders of PATH. The right to execute is not checked.
function files.program(name)
  if name:find "/" then return system.filetype(name) and name end
  for folder in (os.getenv "PATH" or ""):gmatch "[^:]+" do
    local path = folder .. "/" .. name
    if system.filetype(path) == "file" then return path end
  end
  return nil
end

-- Returns the text of a file. Raises if it cannot be read.
function files.read(path)
  local file, problem = io.open(path, "rb")
  local text = file and file:read "a"
  if file then file:close() end
  return text or error(files.unreadable(path, problem or path .. ": cannot be read"), 0)
end

-- Creates a folder and its parents, unless they exist. Raises if that fails.
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

-- Creates the folder of an output file. Returns `path`. Raises if that fails.
function files.prepare_output(path)
  local folder = split(path)
  if folder ~= "" then files.make_folder(folder) end
  return path
end

-- Opens an output file and returns it; creates its folder. `mode`: as for io.open, or nil for "w". Raises if either
-- fails.
function files.open(path, mode)
  local file, problem = io.open(files.prepare_output(path), mode or "w")
  return file or error(diagnostic.new { code = "file", message = problem, rule = "HOUSE-files" }, 0)
end

-- Writes a whole file, and creates its folder. Raises if that fails.
function files.write(path, text)
  local file = files.open(path, "wb")
  local ok, problem = file:write(text)
  local closed, other = file:close()
  if ok and closed then return end
  error(diagnostic.new { code = "file", message = ("%s: cannot be written: %s"):format(path, problem or other),
    rule = "HOUSE-files" }, 0)
end

return files
