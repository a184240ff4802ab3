-- messages.lua - messages of the Language Server Protocol: JSON-RPC 2.0 with the header Content-Length, over standard
-- input and output.
--
-- A Reader gets bytes in pieces of any size, and returns whole messages. Bytes that are no message give an error, and
-- the next header is looked for after them, so that one broken message does not end the session.

local dkjson = require "dkjson"

local messages = {}

-- Error codes of JSON-RPC and of the protocol.
messages.codes = { parse = -32700, invalid_request = -32600, unknown_method = -32601, invalid_params = -32602,
  internal = -32603, not_initialized = -32002, cancelled = -32800, modified = -32801 }

messages.null = dkjson.null

local MAX_HEADER = 4096 -- limit of bytes without the end of a header
local MAX_TAIL = 64 -- bytes at the end of those, in which a header may begin
local MAX_DEPTH = 200 -- limit of nested arrays and objects of a message
local MAX_BODY = 64 << 20 -- limit of bytes of a message

local Reader = {}
Reader.__index = Reader

-- Returns a new Reader without bytes.
function messages.reader() return setmetatable({ parts = {}, size = 0 }, Reader) end

-- Adds bytes that have arrived.
function Reader:add(bytes)
  self.parts[#self.parts + 1] = bytes
  self.size = self.size + #bytes
end

-- Returns all bytes that were added and not read, as one text.
local function join(self)
  if #self.parts > 1 then self.parts = { table.concat(self.parts) } end
  return self.parts[1] or ""
end

-- Removes the first `n` bytes.
local function drop(self, n)
  local rest = join(self):sub(n + 1)
  self.parts, self.size, self.needed = { rest }, #rest, nil
end

-- Returns the position after the blank line that ends a header, and the number of bytes that the header announces.
-- Returns the position and nil for a header without a valid number; nothing if the header has not ended.
local function read_header(text)
  local first, last = text:find("\r?\n\r?\n")
  if not first then return nil end
  local length = (text:sub(1, first) .. "\n"):lower():match ".*content%-length%s*:%s*(%d+)%s*[\r\n]"
  return last + 1, #(length or "") < 16 and tonumber(length) or nil
end

-- Returns true if arrays and objects of a text of JSON are nested deeper than MAX_DEPTH.
local function is_too_deep(text)
  local depth, at = 0, 1
  while true do
    local from, _, c = text:find('(["%[%]{}])', at)
    if not from then return false end
    if c == '"' then
      at = from + 1
      local mark
      repeat
        at, _, mark = text:find('(["\\])', at)
        if not at then return false end
        at = at + (mark == "\\" and 2 or 1)
      until mark == '"'
    else
      depth, at = depth + ((c == "[" or c == "{") and 1 or -1), from + 1
      if depth > MAX_DEPTH then return true end
    end
  end
end

-- Returns the next message, a table; or nil and the text of an error if the bytes are no message. Returns nothing if
-- more bytes are needed.
function Reader:next()
  if self.needed and self.size < self.needed then return nil end -- avoids joining the parts of a large message
  local text = join(self)
  local body, length = read_header(text)
  if not body then
    if #text <= MAX_HEADER then return nil end
    drop(self, #text - MAX_TAIL)
    return nil, "there is no header Content-Length"
  elseif not length then
    drop(self, body - 1)
    return nil, "a header has no valid Content-Length"
  elseif length > MAX_BODY then
    drop(self, body - 1) -- the next header is looked for in the body
    return nil, ("a message of %d bytes is too large"):format(length)
  elseif #text < body - 1 + length then
    self.needed = body - 1 + length
    return nil
  end
  local content = text:sub(body, body - 1 + length)
  drop(self, body - 1 + length)
  if is_too_deep(content) then return nil, "a message is nested too deeply" end
  local message, _, problem = dkjson.decode(content, 1, dkjson.null)
  if message == nil then return nil, "a message is not JSON: " .. tostring(problem) end
  return message
end

-- Returns a message, a table, as bytes with a header.
function messages.encode(message)
  message.jsonrpc = "2.0"
  local content = dkjson.encode(message)
  return ("Content-Length: %d\r\n\r\n%s"):format(#content, content)
end

-- Returns a list that is written as an array of JSON, even if it is empty.
function messages.array(list) return setmetatable(list, { __jsontype = "array" }) end

-- Returns an empty object of JSON.
function messages.object() return setmetatable({}, { __jsontype = "object" }) end

return messages
