-- modules.lua - the Lua modules below a folder as files for check.lua: each defines its name and uses those that it
-- requires, at once or inside a function. Texts of examples may require the package itself.

-- "lua/accdeep/code/cuda/init.lua" -> "accdeep.code.cuda"
local function name_of(path)
  return (path:gsub("^lua/", ""):gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", "."))
end

-- Modules that are written in C.
local of_c = { ["accdeep.core"] = true, ["accdeep.system"] = true }

-- paths: of modules, from the project's folder. text_of(path) -> its text. Returns the files, and a list of problems:
-- modules that are required and not there.
return function(paths, text_of)
  local files, known, problems = {}, {}, {}
  for _, path in ipairs(paths) do known[name_of(path)] = true end
  for i, path in ipairs(paths) do
    local name = name_of(path)
    local file = { path = path, defines = { [name] = true }, uses = {} }
    for required in text_of(path):gmatch 'require *%(?"(accdeep%.[%w_.]*[%w_])"' do
      file.uses[#file.uses + 1] = { from = name, to = required }
      if not known[required] and not of_c[required] then
        problems[#problems + 1] = ("%s: requires %s, which is not there"):format(path, required)
      end
    end
    files[i] = file
  end
  return files, problems
end
