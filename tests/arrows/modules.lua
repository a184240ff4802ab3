-- modules.lua - the Lua modules below a folder as files for check.lua: each defines its name and uses those that it
-- requires, at once or inside a function. Texts of examples may require the package itself.

-- "lua/accdeep/code/cuda/init.lua" -> "accdeep.code.cuda"
local function name_of(path)
  return (path:gsub("^lua/", ""):gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", "."))
end

-- paths: of modules, from the project's folder. text_of(path) -> its text.
return function(paths, text_of)
  local files = {}
  for i, path in ipairs(paths) do
    local name = name_of(path)
    local file = { path = path, defines = { [name] = true }, uses = {} }
    for required in text_of(path):gmatch 'require *%(?"(accdeep%.[%w_.]+)"' do
      file.uses[#file.uses + 1] = { from = name, to = required }
    end
    files[i] = file
  end
  return files
end
