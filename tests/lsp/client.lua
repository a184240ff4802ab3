-- client.lua - a client of the Language Server Protocol for tests: starts `accdeep lsp`, sends requests and
-- notifications, and waits for answers and diagnostics.

local dkjson = require "dkjson"

local client = {}
local Client = {}
Client.__index = Client

client.null = dkjson.null

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- Starts a server. `program`: path of accdeep; `folder`: of two named pipes and of the exit status; `options`: further
-- words of the command line, or nil. The server ends after two minutes at the
-- latest, and its checks have time enough on slow machines.
function client.start(program, folder, options)
  local self = setmetatable({ folder = folder, next_id = 0, diagnostics = {}, notes = {}, answers = {} }, Client)
  local input, output = folder .. "/in", folder .. "/out"
  assert(os.execute(("rm -f %s %s && mkfifo %s %s"):format(quote(input), quote(output), quote(input), quote(output))))
  options = options or ""
  if not options:find "seconds" then options = options .. " --limit-seconds 300" end
  os.execute(("(timeout -k 1 120 %s lsp %s <%s >%s 2>%s; echo $? >%s) &"):format(quote(program), options,
    quote(input), quote(output), quote(folder .. "/errors"), quote(folder .. "/status")))
  self.input = assert(io.open(input, "wb"))
  self.output = assert(io.open(output, "rb"))
  return self
end

-- Sends bytes as they are.
function Client:send_bytes(bytes)
  self.input:write(bytes)
  self.input:flush()
end

-- Sends a message, a table or the text of its JSON.
function Client:send(message)
  if type(message) == "table" then
    message.jsonrpc = "2.0"
    message = dkjson.encode(message)
  end
  self:send_bytes(("Content-Length: %d\r\n\r\n%s"):format(#message, message))
end

-- Sends a notification.
function Client:notify(method, params) self:send { method = method, params = params } end

-- Reads the next message of the server, and files it: answers by id, diagnostics by URI, other notifications in
-- self.notes. Returns the message; nil at the end of the output.
function Client:read()
  local length
  for line in self.output:lines() do
    line = line:gsub("\r$", "")
    if line == "" then break end
    length = line:match "^Content%-Length: (%d+)$" or length
  end
  if not length then return nil end
  local text = self.output:read(tonumber(length))
  local message = assert(dkjson.decode(text, 1, client.null))
  assert(message.jsonrpc == "2.0")
  if message.method == "textDocument/publishDiagnostics" then
    local uri = message.params.uri
    self.diagnostics[uri] = message.params
    self.published = (self.published or 0) + 1
  elseif message.method then
    table.insert(self.notes, message)
  elseif message.id == client.null then
    table.insert(self.notes, message)
  else
    self.answers[message.id] = message
  end
  return message
end

-- Sends a request and returns its id.
function Client:post(method, params)
  self.next_id = self.next_id + 1
  self:send { id = self.next_id, method = method, params = params }
  return self.next_id
end

-- Returns the answer to the request with this id: {result} or {error}.
function Client:wait(id)
  while not self.answers[id] do
    assert(self:read(), "the server ended before it answered")
  end
  return self.answers[id]
end

-- Sends a request, waits, and returns its result; nil and the error if it was refused.
function Client:request(method, params)
  local answer = self:wait(self:post(method, params))
  if answer.result == client.null then return nil, answer.error end
  return answer.result, answer.error
end

-- Waits for the next diagnostics of a document with this version (nil: any), and returns their list.
function Client:wait_diagnostics(uri, version)
  self.diagnostics[uri] = nil
  repeat
    assert(self:read(), "the server ended before it published diagnostics")
    local published = self.diagnostics[uri]
  until published and (version == nil or published.version == version)
  return self.diagnostics[uri].diagnostics
end

-- Opens a document and returns its diagnostics.
function Client:open(uri, language, text, version)
  version = version or 1
  self:notify("textDocument/didOpen", { textDocument = { uri = uri, languageId = language, version = version,
    text = text } })
  return self:wait_diagnostics(uri, version)
end

-- Replaces the text of a document and returns its diagnostics.
function Client:change(uri, text, version)
  self:notify("textDocument/didChange", { textDocument = { uri = uri, version = version },
    contentChanges = { { text = text } } })
  return self:wait_diagnostics(uri, version)
end

-- Begins the session; returns the result of initialize.
function Client:initialize(params)
  local result = assert(self:request("initialize", params or { capabilities = {} }))
  self:notify("initialized", {})
  return result
end

-- Reads what the server still sends, and returns its exit status.
function Client:finish()
  self.input:close()
  while self:read() do end -- luacheck: ignore
  self.output:close()
  for _ = 1, 200 do
    local file = io.open(self.folder .. "/status")
    local status = file and file:read "n"
    if file then file:close() end
    if status then
      os.remove(self.folder .. "/status")
      return status
    end
    os.execute "sleep 0.02"
  end
end

-- Ends the session in the right order; returns the exit status.
function Client:close()
  self:request("shutdown")
  self:notify "exit"
  return self:finish()
end

return client
