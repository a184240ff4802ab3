-- examples.lua - `accdeep examples`: lists the examples by subject, or prints one. The program contains their texts.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local diagnostic = require "accdeep.base.diagnostic"
local example_list = lazy.require "accdeep.tools.cli.example_list"
local text_file = lazy.require "accdeep.base.text_file"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("name", "The example to print, with or without its folder and suffix."):args "?"
end

-- Returns the path of the example `name`, in examples/, and the set of the names that users can type. An exact path
-- comes first, then a path or a file without its suffix; of several, the first one in the list.
local function find(name)
  local names, paths = {}, {}
  for _, subject in ipairs(example_list.subjects) do
    for _, example in ipairs(subject[2]) do
      local path = example[1]
      local file = path:match "[^/]*$"
      for _, form in ipairs { path, path:gsub("%.%w+$", "") .. "", file, file:gsub("%.%w+$", "") .. "" } do
        names[form], paths[form] = true, paths[form] or path
      end
    end
  end
  return paths[name:gsub("^%./", ""):gsub("^examples/", "") .. ""], names
end

-- Prints the list of the examples.
local function list()
  common.write_output "accdeep examples NAME prints an example: accdeep examples first >first.lua\n"
  for _, subject in ipairs(example_list.subjects) do
    common.write_output(("\n%s\n"):format(subject[1]))
    for _, example in ipairs(subject[2]) do common.write_output(("  %-31s  %s\n"):format(example[1], example[2])) end
  end
end

-- Lists the examples, or prints the chosen one. Returns 0, or the status of a usage error if there is no such example.
local function run(chosen)
  if not chosen.name then
    list()
    return 0
  end
  local path, names = find(chosen.name)
  if path then
    common.write_output(text_file.read("examples/" .. path))
    return 0
  end
  common.err(("accdeep: there is no example '%s'; %s\n"):format(chosen.name,
    diagnostic.suggest(chosen.name, names) or "accdeep examples lists them"))
  return common.USAGE
end

-- Returns the paths of all examples, as a list.
local function paths()
  local all = {}
  for _, subject in ipairs(example_list.subjects) do
    for _, example in ipairs(subject[2]) do all[#all + 1] = example[1] end
  end
  return all
end

return { about = "List the examples by subject, or print one.", options = options, run = run, paths = paths,
  is_paged = true }
