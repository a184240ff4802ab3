-- modules.lua - reads Lua modules as files for references.lua. A file defines its module name and uses the modules
-- that it requires, at load time or inside a function. A `require` in a comment or string does not count.

-- Returns the module name of a path: "lua/accdeep/backend/cuda/init.lua" -> "accdeep.backend.cuda".
local function name_of(path)
  return (path:gsub("^lua/", ""):gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", "."))
end

-- Modules written in C, and one that the build generates.
local no_file = { ["accdeep.core"] = true, ["accdeep.system"] = true, ["accdeep.rules.places"] = true }

-- Returns the content of the quoted text at a position, and the position after it.
local function quoted(text, at)
  local quote, stop = text:sub(at, at), at + 1
  while stop <= #text and text:sub(stop, stop) ~= quote do
    stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1)
  end
  return text:sub(at + 1, stop - 1), stop + 1
end

-- Returns the texts that follow the word `require` in a Lua text, in order, in any kind of quotes.
local function required_by(text)
  local list, at = {}, 1
  local is_behind = false -- the word `require` precedes
  while at <= #text do
    local _, content, stop = text:match("^%[(=*)%[(.-)%]%1%]()", at)
    if not stop and text:find("^[\"']", at) then content, stop = quoted(text, at) end
    if stop then -- a text
      if is_behind then list[#list + 1] = content end
      is_behind = false
    else
      stop = select(2, text:match("^%-%-%[(=*)%[.-%]%1%]()", at)) or text:match("^%-%-[^\n]*()", at)
        or text:match("^[%s(,]+()", at)
      if not stop then -- a word or a punctuation mark
        stop = text:match("^[%w_]+()", at) or at + 1
        is_behind = text:sub(at, stop - 1) == "require"
      end
    end
    at = stop
  end
  return list
end

-- Returns the files of modules, and a list of problems: required modules that do not exist. paths: relative to the
-- project's folder. text_of(path): returns a module's text.
return function(paths, text_of)
  local files, known, problems = {}, {}, {}
  for _, path in ipairs(paths) do known[name_of(path)] = true end
  for i, path in ipairs(paths) do
    local name = name_of(path)
    local file = { path = path, defines = { [name] = true }, uses = {} }
    local function use(required) file.uses[#file.uses + 1] = { from = name, to = required } end
    for _, required in ipairs(required_by(text_of(path))) do
      if required:find "%.$" then -- a prefix of module names
        for _, other in ipairs(paths) do
          if name_of(other):sub(1, #required) == required then use(name_of(other)) end
        end
      elseif known[required] then
        use(required)
      elseif required:find "^accdeep%f[.\0]" and not no_file[required] then
        problems[#problems + 1] = ("%s: requires %s, which is not there"):format(path, required)
      end
    end
    files[i] = file
  end
  return files, problems
end
