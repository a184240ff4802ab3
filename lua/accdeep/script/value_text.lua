-- value_text.lua - formats values of a scenario: views with their members, targets of pointers, "?" for memory that was
-- never written. expect.lua and print use it. A view is a Lua value that stands for an object in host or device memory.
-- In all functions, `depth` is the number of structures, arrays and tables that enclose the value.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local memory_view = require "accdeep.backend.memory_view"
local strings = require "accdeep.base.strings"

local value_text = {}

local ELEMENTS, DEPTH, WIDTH = 16, 4, 1000 -- limits: elements of a list, nesting depth, bytes of a text

local text_of -- forward declaration

-- Returns the result of fn() as text. If fn raises, returns "?" for uninitialised memory, the code in <> for other
-- diagnostics, and the error's text for other errors. Errors about limits (steps, memory) are raised again.
local function attempt(fn, depth)
  local ok, result = pcall(fn)
  if ok then return text_of(result, depth) end
  if diagnostic.is_limit(result) then error(result, 0) end
  if not diagnostic.is(result) then return tostring(result) end
  return result.code == "uninitialized-read" and "?" or ("<%s>"):format(result.code)
end

-- Returns the text of a list of `n` elements, at most ELEMENTS of them; get(i) returns element i, from 0.
local function list_text(n, get, depth)
  local parts = {}
  for i = 0, math.min(n, ELEMENTS) - 1 do parts[#parts + 1] = attempt(function() return get(i) end, depth + 1) end
  if n > ELEMENTS then parts[#parts + 1] = ("... %d more"):format(n - ELEMENTS) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

-- Returns the target of a pointer as text: "NULL", or "-> " and the name of the object with the offset, its end,
-- "nowhere", or the name of freed memory. `at`: the pointer's location, a table {address, type, space, ...} of
-- memory_view.location, whose `address` is the target.
local function pointer_text(at)
  if at.address == 0 then return "NULL" end
  local ctx = at.space.ctx
  local device = ctx:device_of(at.address)
  if device >= 0 then
    local name = ctx:name_at(device, at.address)
    return ("-> %s on device %d"):format(name ~= "" and name or "memory", device)
  end
  local range, before = ctx:host_at(at.address), ctx:host_at(at.address - 1)
  if before and before.live and before.host + before.bytes == at.address
    and (at.high == at.address or not range or not range.live) then
    return ("-> the end of %s"):format(before.name ~= "" and before.name or "memory")
  end
  if not range then return "-> nowhere" end
  local name = range.name ~= "" and range.name or "memory"
  if not range.live then return ("-> %s, which was freed"):format(name) end
  local offset = at.address - range.host
  return ("-> %s%s%s"):format(name, offset > 0 and " + " .. strings.count(offset, "byte") or "",
    at.space.on_device and " on the host" or "")
end

-- Returns the structure `v` of type `t` as text, member by member; unnamed members are omitted.
local function record_text(v, t, depth)
  local parts = {}
  for _, member in ipairs(t.members or {}) do
    if member.name then
      parts[#parts + 1] = ("%s = %s"):format(member.name, attempt(function() return v[member.name] end, depth + 1))
    end
  end
  return "{" .. table.concat(parts, ", ") .. "}"
end

-- Returns a key of a table as text: a name as it is, any other key in brackets.
local function key_text(key)
  if type(key) == "string" and key:find "^[%a_][%w_]*$" then return key end
  return ("[%s]"):format(type(key) == "string" and ("%q"):format(key) or tostring(key))
end

-- Returns a table of the script as text: list elements, then the other fields sorted by their keys; of both together at
-- most ELEMENTS.
local function table_text(t, depth)
  local n, fields = #t, {}
  for key, item in pairs(t) do
    if math.type(key) ~= "integer" or key < 1 or key > n then
      fields[#fields + 1] = { key = key_text(key), item = item }
    end
  end
  table.sort(fields, function(a, b) return a.key < b.key end)
  local parts = {}
  for i = 1, math.min(n + #fields, ELEMENTS) do
    local field = fields[i - n]
    local text = attempt(function() if field then return field.item end
      return t[i]
    end, depth + 1)
    parts[i] = field and ("%s = %s"):format(field.key, text) or text
  end
  if n + #fields > ELEMENTS then parts[#parts + 1] = ("... %d more"):format(n + #fields - ELEMENTS) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

-- Returns the finite float `v` as text with 7, 9, 15 or 17 significant digits: the fewest of these with which the text
-- reads back as `v`. Texts of 7 and 9 digits are read back in single precision.
local function float_text(v)
  -- Returns a number rounded to single precision.
  local function as_single(x) return core.convert(core.scalar.f32, x) end
  local short = ("%.7g"):format(v)
  if as_single(tonumber(short)) == v then return short end
  if as_single(v) == v then return ("%.9g"):format(v) end
  local double = ("%.15g"):format(v)
  return tonumber(double) == v and double or ("%.17g"):format(v)
end

-- Returns the value `v` as text. "{...}" replaces a table or view that more than DEPTH tables or views enclose.
function text_of(v, depth)
  if math.type(v) == "float" then return v - v == 0 and float_text(v) or tostring(v) end
  if type(v) == "string" then return ("%q"):format(v) end
  if type(v) ~= "table" then return tostring(v) end
  if depth > DEPTH then return "{...}" end
  local at = memory_view.location(v)
  if at and memory_view.is_pointer(v) then return pointer_text(at) end
  if at and at.type.kind == "record" then return record_text(v, at.type, depth) end
  if at and at.type.kind == "array" and at.type.n then
    return list_text(at.type.n, function(i) return v[i] end, depth)
  end
  local mt = getmetatable(v)
  if at or mt and mt.__tostring then return tostring(v) end
  return table_text(v, depth)
end

-- Returns a value as text, cut off after WIDTH bytes.
function value_text.text(v)
  local text = text_of(v, 0)
  return #text > WIDTH and text:sub(1, WIDTH) .. " ..." or text
end

-- Returns the result of fn() as text. If fn raises, returns the code and message of a diagnostic, or the text of
-- another error. Errors about limits (steps, memory) are raised again.
function value_text.attempt(fn)
  local ok, result = pcall(fn)
  if ok then return value_text.text(result) end
  if diagnostic.is_limit(result) then error(result, 0) end
  return diagnostic.is(result) and ("<%s> %s"):format(result.code, result.message) or tostring(result)
end

return value_text
