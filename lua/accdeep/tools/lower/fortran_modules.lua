-- fortran_modules.lua - stores the shapes and policies of types in Fortran modules, for units that use the modules.
--
-- The file NAME.accdeep is next to the compiled module NAME.mod. After a line that names the format, each line is a
-- used module or a directive, with fields separated by tabs. fortran_unit.lua reads the files, compiler_driver.lua
-- writes them.

local files = require "accdeep.tools.files"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local system = require "accdeep.system"

local fortran_modules = {}

local HEAD = "accdeep shapes 1\n"

-- Returns a table from each module that a free-form text defines to the list of modules that the text uses, and that
-- list.
function fortran_modules.defined_modules(text)
  local names, used_modules = {}, {}
  for line in text:lower():gmatch "[^\r\n]+" do
    local name = line:match "^%s*module%s+([%a][%w_]*)%s*$" or line:match "^%s*module%s+([%a][%w_]*)%s*!"
    local use = line:match "^%s*use%s+([%a][%w_]*)" or line:match "^%s*use%s*,[%s%w_]*::%s*([%a][%w_]*)"
      or line:match "^%s*use%s*::%s*([%a][%w_]*)"
    if name and name ~= "procedure" then names[name] = used_modules end
    if use then used_modules[#used_modules + 1] = use end
  end
  return names, used_modules
end

-- Returns the folders in which a compiler command with these options finds modules. The compiler writes modules to the
-- first folder.
function fortran_modules.folders(options)
  local output_folder, list = ".", {}
  for i, option in ipairs(options) do
    local kind, folder = option:match "^%-([IJ])(.*)$"
    if folder == "" then folder = options[i + 1] end
    if kind == "J" and folder then output_folder = folder end
    if folder then list[#list + 1] = folder end
  end
  table.insert(list, 1, output_folder)
  list[#list + 1] = "."
  return list
end

-- Returns the path of the file NAME.accdeep of a module in the first of `folders` that has one; nil if none has.
local function path_of(folders, name)
  for _, folder in ipairs(folders) do
    local path = ("%s/%s.accdeep"):format(folder, name)
    if system.filetype(path) == "file" then return path end
  end
end

-- Returns the directives of the modules `names`, and of the modules that these use: a list of {path, line, type,
-- components, text}. `path`, `line`, `text`: the directive. `type`: the derived type around it, or nil; `components`:
-- names of the type's components. `own`: set of the names to skip.
function fortran_modules.read_directives(folders, names, own)
  local list, visited = {}, setmetatable({}, { __index = own })
  -- Appends the directives of the module `name`, unless it was visited, and of the modules that it uses.
  local function add(name)
    local path = not visited[name] and path_of(folders, name)
    visited[name] = true
    for line in (path and files.read(path) or ""):gmatch "[^\n]+" do
      local use = line:match "^use\t(.*)$"
      local file, number, t, components, text = line:match "^shape\t(.-)\t(%d+)\t(.-)\t(.-)\t(.*)$"
      if use then add(use) end
      if file then
        local entry = { path = file, line = tonumber(number), type = t ~= "" and t or nil, components = {},
          text = text }
        for component in components:gmatch "[^,]+" do table.insert(entry.components, component) end
        list[#list + 1] = entry
      end
    end
  end
  for _, name in ipairs(names) do add(name) end
  return list
end

-- Writes the files of modules to a folder, and removes the files of modules that have no directives and use no known
-- module. `used_modules`: a table from each module to the list of modules that it uses. `own`: a table from module to
-- its directives, a list as read_directives returns. `folders`: folders with the files of other modules. Raises if a
-- file cannot be written.
function fortran_modules.write(folder, folders, used_modules, own)
  for name, uses in sorted_pairs(used_modules) do
    local parts = { HEAD }
    for _, other in ipairs(uses) do
      local is_known = used_modules[other] or path_of(folders, other)
      if other ~= name and is_known then parts[#parts + 1] = ("use\t%s\n"):format(other) end
    end
    for _, entry in ipairs(own[name] or {}) do
      parts[#parts + 1] = ("shape\t%s\t%d\t%s\t%s\t%s\n"):format(entry.path, entry.line, entry.type or "",
        table.concat(entry.components, ","), entry.text)
    end
    local path = ("%s/%s.accdeep"):format(folder, name)
    if parts[2] then
      files.write(path, table.concat(parts))
    elseif system.filetype(path) == "file" then
      os.remove(path)
    end
  end
end

return fortran_modules
