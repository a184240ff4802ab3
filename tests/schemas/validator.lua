-- validator.lua - checks values against JSON schemas, with the keywords that accdeep's schemas use. Other keywords are
-- errors, so that no part of a schema is ignored.

local json = require "dkjson"

-- Keywords that describe, and those that check_object and the other functions read.
local KEYWORDS = {}
for word in ([[$schema $defs title description $ref type enum const oneOf properties required additionalProperties items
  minimum pattern]]):gmatch "%S+" do KEYWORDS[word] = true end

-- Returns the name of a value's type in JSON schemas.
local function type_of(value)
  if value == json.null then return "null" end
  if math.type(value) == "integer" then return "integer" end
  if type(value) == "table" then return getmetatable(value).__jsontype end
  return type(value)
end

local check

-- Returns what is wrong with an object, or nil. `path`: where it is.
local function check_object(schema, value, root, path)
  for _, key in ipairs(schema.required or {}) do
    if value[key] == nil then return ("%s: there is no '%s'"):format(path, key) end
  end
  for key, member in pairs(value) do
    local known = (schema.properties or {})[key]
    if not known and schema.additionalProperties == false then
      return ("%s: '%s' is not described"):format(path, key)
    end
    local problem = known and check(known, member, root, path .. "." .. key)
    if problem then return problem end
  end
  return nil
end

-- Returns what is wrong with a value that must match exactly one of the schemas `list`, or nil.
local function check_alternatives(list, value, root, path)
  local n, problems = 0, {}
  for _, schema in ipairs(list) do
    local problem = check(schema, value, root, path)
    if problem then problems[#problems + 1] = problem else n = n + 1 end
  end
  return n ~= 1 and ("%s: %d of %d alternatives match: %s"):format(path, n, #list, table.concat(problems, "; ")) or nil
end

-- Returns true if one of the values `list` is equal to `value`.
local function has(list, value)
  for _, entry in ipairs(list) do
    if entry == value then return true end
  end
  return false
end

-- Returns what is wrong with a value, or nil. `root`: the whole schema, with $defs.
function check(schema, value, root, path)
  for key in pairs(schema) do assert(KEYWORDS[key], "the schema has an unknown keyword: " .. key) end
  local found = type_of(value)
  if schema["$ref"] then
    local name = schema["$ref"]:match "^#/%$defs/(%w+)$"
    local problem = check(assert(root["$defs"][name], schema["$ref"]), value, root, path)
    if problem then return problem end
  end
  if schema.type and schema.type ~= found and not (schema.type == "number" and found == "integer") then
    return ("%s: the type is %s, not %s"):format(path, found, schema.type)
  end
  if schema.const ~= nil and schema.const ~= value or schema.enum and not has(schema.enum, value) then
    return ("%s: '%s' is not allowed"):format(path, tostring(value))
  end
  if schema.minimum and value < schema.minimum then return ("%s: %s is too small"):format(path, value) end
  -- The only patterns are those that Lua reads in the same way
  if schema.pattern and not value:find(schema.pattern) then return ("%s: '%s' has another form"):format(path, value) end
  if found == "object" then
    local problem = check_object(schema, value, root, path)
    if problem then return problem end
  end
  for i, entry in ipairs(found == "array" and schema.items and value or {}) do
    local problem = check(schema.items, entry, root, ("%s[%d]"):format(path, i))
    if problem then return problem end
  end
  return schema.oneOf and check_alternatives(schema.oneOf, value, root, path) or nil
end

-- Returns what is wrong with a value of json.decode, or nil. `schema`: a decoded schema.
return function(schema, value) return check(schema, value, schema, "value") end
