-- annotations.lua - writes the reference as annotations (LuaCATS) for the Lua language server. scenario.lua is for
-- scenarios, accdeep.lua for programs that require "accdeep". docs/make.lua calls it.

local reference = require "accdeep.inspect.reference"

local annotations = {}

local HEAD = "-- Made from lua/accdeep/inspect/reference.\n"

-- Appends a line of an annotation, which begins with three hyphens, to the list `out`.
local function put_text(out, text) out[#out + 1] = "---" .. text end

-- Appends the annotation of a class of the reference: text, operators and fields.
local function put_class(out, entry)
  out[#out + 1] = ""
  put_text(out, entry.text)
  put_text(out, "@class " .. entry.class)
  if entry.call then put_text(out, "@overload " .. entry.call) end
  for _, operator in ipairs(entry.operators or {}) do put_text(out, "@operator " .. operator) end
  for _, field in ipairs(entry.fields or {}) do
    put_text(out, ("@field %s %s %s"):format(reference.field(field)))
  end
end

-- Appends the parameters and results of a function.
local function put_params(out, entry)
  for _, param in ipairs(entry.params) do put_text(out, ("@param %s %s %s"):format(reference.field(param))) end
  for _, result in ipairs(entry.returns or {}) do
    put_text(out, ("@return %s # %s"):format(reference.result(result)))
  end
end

-- Returns the names of a function's parameters as text, separated by commas.
local function arguments(entry)
  local names = {}
  for i, param in ipairs(entry.params) do names[i] = reference.field(param):gsub("%?$", "") end
  return table.concat(names, ", ")
end

-- Appends a callable table of the reference as a class with a call operator.
local function put_callable(out, entry)
  local list = {}
  for i, param in ipairs(entry.params) do
    local name, kind = reference.field(param)
    list[i] = ("%s: %s"):format(name, kind)
  end
  put_text(out, ("@class accdeep.%s"):format(entry.name))
  put_text(out, ("@overload fun(%s)"):format(table.concat(list, ", ")))
  out[#out + 1] = entry.name .. " = {}"
end

-- Appends the annotation of an entry of the reference under each of its names.
local function put_entry(out, entry)
  for _, name in ipairs(reference.names(entry)) do
    out[#out + 1] = ""
    put_text(out, entry.text)
    if entry.is == "callable" then
      put_callable(out, entry)
    elseif not entry.params then
      put_text(out, "@type " .. entry.type)
      out[#out + 1] = name .. " = nil"
    else
      put_params(out, entry)
      out[#out + 1] = ("function %s(%s) end"):format(name, arguments(entry))
    end
  end
end

-- Appends all entries of a chapter.
local function put_chapter(out, chapter)
  for _, entry in ipairs(chapter) do
    if entry.class then put_class(out, entry) else put_entry(out, entry) end
  end
end

-- Returns the annotations as a table from file name to text.
function annotations.files()
  local scenario = { "---@meta _", HEAD .. "-- luacheck: ignore" }
  local package = { "---@meta accdeep", HEAD .. "-- luacheck: ignore", "", "---@class accdeep", "local accdeep = {}" }
  for _, chapter in ipairs(reference.chapters()) do
    if not chapter.words then put_chapter(chapter.package and package or scenario, chapter) end
  end
  package[#package + 1] = "\nreturn accdeep"
  return { ["scenario.lua"] = table.concat(scenario, "\n") .. "\n",
    ["accdeep.lua"] = table.concat(package, "\n") .. "\n" }
end

return annotations
