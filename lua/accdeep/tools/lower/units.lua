-- units.lua - a compiler's command line whose units may have directives of TR-14-1: those are lowered to files of the
-- same name in a folder of their own, and compiled from there. Lists of dependencies name the units.

local files = require "accdeep.tools.files"
local lower = require "accdeep.tools.lower"
local system = require "accdeep.system"

local units = {}

local suffixes = {}
for suffix in ("c cc cpp cxx C f90 F90 f95 F95 f03 F03 f08 F08"):gmatch "%S+" do suffixes[suffix] = true end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- Whether a text may have a directive of OpenACC.
local function may_have_directives(text)
  local lower_case = text:lower()
  return lower_case:find "pragma%s+acc" ~= nil or lower_case:find("!$acc", 1, true) ~= nil
    or text:find("_Pragma", 1, true) ~= nil
end

-- Options of the command without its units, for the compiler when it is asked about one of them.
local function options_of(list)
  local options = {}
  for i = 2, #list do
    local argument = list[i]
    if argument:sub(1, 1) == "-" or list[i - 1]:find "^%-[IJDUxo]$" or list[i - 1]:find "^%-i" then
      options[#options + 1] = argument
    end
  end
  return options
end

-- Options with which nothing is compiled: the compiler reads the units themselves.
local reading = { ["-E"] = true, ["-M"] = true, ["-MM"] = true }

-- The units of a command line that become other ones: {at (place in the list), path, text, described (its headers have
-- shapes, of which the compiler would warn)}.
local function lowered(list, to)
  local found, options = {}, nil
  for i = 2, #list do
    if reading[list[i]] then return {} end
  end
  for i = 2, #list do
    local path = list[i]
    local suffix = path:sub(1, 1) ~= "-" and path:match "%.(%w+)$"
    if suffix and suffixes[suffix] and list[i - 1] ~= "-o" and system.filetype(path) == "file" then
      local text = files.read(path)
      if may_have_directives(text) then
        options = options or options_of(list)
        local made, _, described = lower.unit { path = path, text = text, command = list[1], options = options,
          to = to }
        if made and made ~= text then
          found[#found + 1] = { at = i, path = path, text = made, described = described }
        end
      end
    end
  end
  return found
end

-- The file with the dependencies of a unit, if the command line asks for one.
local function dependencies(list, unit)
  local wanted, named, output = false, nil, nil
  for i, argument in ipairs(list) do
    wanted = wanted or argument == "-MD" or argument == "-MMD"
    if argument == "-MF" then named = list[i + 1] end
    if argument == "-o" then output = list[i + 1] end
  end
  if not wanted then return named end
  local base = output or unit.path:match "[^/]*$"
  return named or base:gsub("%.%w+$", "") .. ".d"
end

-- Whether the command makes several programs or objects is the compiler's matter. Compiles, if a unit becomes another
-- one: the compiler's status; nil if none does. Raises errors of directives.
function units.compile(list, to)
  local found = lowered(list, to)
  if not found[1] then return nil end
  local folder = os.tmpname()
  os.remove(folder)
  local command = table.move(list, 1, #list, 1, {})
  for number, unit in ipairs(found) do
    unit.made = ("%s/%d/%s"):format(folder, number, unit.path:match "[^/]*$")
    local file = files.open(unit.made)
    file:write(unit.text)
    file:close()
    command[unit.at] = unit.made
    local place = unit.path:match "^(.*)/" or "."
    command[#command + 1] = (unit.path:find "%.[fF]%d+$" and "-I" or "-iquote") .. place
    if unit.described then command[#command + 1] = "-Wno-unknown-pragmas" end
    command[#command + 1] = ("-fdebug-prefix-map=%s=%s"):format(unit.made:match "^(.*)/", place)
  end
  for i, argument in ipairs(command) do command[i] = quoted(argument) end
  local _, how, status = os.execute(table.concat(command, " "))
  for _, unit in ipairs(found) do
    local path = dependencies(list, unit)
    if path and system.filetype(path) == "file" then
      local text = files.read(path)
      local at, finish = text:find(unit.made, 1, true)
      if at then
        local file = files.open(path)
        file:write(text:sub(1, at - 1), unit.path, text:sub(finish + 1))
        file:close()
      end
    end
  end
  os.execute("rm -rf " .. quoted(folder))
  return how == "exit" and status or 128 + status
end

return units
