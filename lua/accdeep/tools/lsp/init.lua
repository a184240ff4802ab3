-- lsp - a server of the Language Server Protocol, for scenarios and for directives in units of C, C++ and Fortran. It
-- has diagnostics, hover, completion, definitions of rules and names, symbols of cases. tools/cli/lsp.lua calls
-- lsp.serve.
--
--   standard input --messages.lua--> requests and notifications --methods below--> answers
--                                        |                            ^
--                                   checks.lua --jobs.lua--> child processes
--
-- Errors of a method become errors of JSON-RPC, and the server continues. One thread does everything: it waits for
-- bytes, and between them looks after the children.

local checks = require "accdeep.tools.lsp.checks"
local completion = require "accdeep.tools.lsp.completion"
local core = require "accdeep.core"
local diagnostics = require "accdeep.tools.lsp.diagnostics"
local documents = require "accdeep.tools.lsp.documents"
local jobs = require "accdeep.tools.lsp.jobs"
local lookup = require "accdeep.tools.lsp.lookup"
local messages = require "accdeep.tools.lsp.messages"
local context = require "accdeep.tools.lsp.context"
local profiles = require "accdeep.definitions.profiles"
local scenario_check = require "accdeep.tools.lsp.scenario_check"
local shell_command = require "accdeep.tools.shell_command"
local system = require "accdeep.system"
local topics = require "accdeep.inspect.topics"

local lsp = {}

local codes = messages.codes

local Server = {}
Server.__index = Server

-- Sends a message.
function Server:send(message)
  io.stdout:write(messages.encode(message))
  io.stdout:flush()
end

-- Sends a notification.
function Server:notify(method, params) self:send { method = method, params = params } end

-- Sends the answer to a request. `result`: nil is sent as null.
function Server:answer(id, result)
  if result == nil then result = messages.null end
  self:send { id = id, result = result }
end

-- Sends an error as the answer to a request. `id`: messages.null if it is unknown.
function Server:refuse(id, code, message) self:send { id = id, error = { code = code, message = message } } end

-- Raises the error of JSON-RPC with this code, which becomes the answer to the request.
local function fail(code, message) error({ rpc = code, message = message }, 0) end

-- Returns the open document that params.textDocument names; nil if it is not open. Raises if there is no such field.
local function document_of(self, params)
  local uri = type(params.textDocument) == "table" and params.textDocument.uri
  if type(uri) ~= "string" then fail(codes.invalid_params, "textDocument.uri is missing") end
  return self.documents[uri]
end

-- Returns the document, line and column, from 1 on, of a request about a place; nil if the document is not open. Raises
-- if there is no position.
local function place_of(self, params)
  local document = document_of(self, params)
  if not document then return nil end
  local line, column = document:from_protocol(params.position, self.encoding)
  if not line then fail(codes.invalid_params, "position is missing or malformed") end
  return document, line, column
end

-- ------------------------------------------------------------------------------------- settings --

-- Reads the settings in a table that a client sent, perhaps below a key "accdeep". Unknown and malformed settings are
-- ignored; for a wrong profile, the user gets a message.
local function read_settings(self, settings)
  if type(settings) ~= "table" then return end
  if type(settings.accdeep) == "table" then settings = settings.accdeep end
  local profile = settings.profile
  if type(profile) == "string" and profile ~= "" then
    local ok, problem = pcall(profiles.profile, profile:lower())
    if ok then
      self.settings.profile = profile:lower()
    else
      self:notify("window/showMessage", { type = 2, message = ("accdeep: %s; %s"):format(problem.message,
        problem.help) })
    end
  elseif profile ~= nil then
    self.settings.profile = nil
  end
  local command = settings.compileCommand
  if command ~= nil then
    self.settings.compileCommand = type(command) == "string" and command ~= "" and command or nil
  end
end

-- -------------------------------------------------------------------------------------- methods --

-- Requests by method: function(self, params, id) -> result. A function that returns `later` sends its answer later.
local requests, later = {}, {}
-- Notifications by method: function(self, params).
local notifications = {}

function requests.initialize(self, params)
  if self.is_initialized then fail(codes.invalid_request, "the server is initialized already") end
  self.is_initialized = true
  local capabilities = type(params.capabilities) == "table" and params.capabilities or {}
  local general = type(capabilities.general) == "table" and capabilities.general or {}
  for _, encoding in ipairs(type(general.positionEncodings) == "table" and general.positionEncodings or {}) do
    if encoding == "utf-8" then self.encoding = "utf-8" end
  end
  local text_document = type(capabilities.textDocument) == "table" and capabilities.textDocument or {}
  local hover = type(text_document.hover) == "table" and text_document.hover or {}
  local formats = type(hover.contentFormat) == "table" and hover.contentFormat or { "markdown" }
  self.is_plain = true
  for _, format in ipairs(formats) do self.is_plain = self.is_plain and format ~= "markdown" end
  self.root = type(params.rootUri) == "string" and documents.path(params.rootUri):match "^/.*" or nil
  read_settings(self, params.initializationOptions)
  return {
    serverInfo = { name = "accdeep", version = core.version },
    capabilities = {
      positionEncoding = self.encoding,
      textDocumentSync = { openClose = true, change = 1, save = { includeText = false } },
      hoverProvider = true, definitionProvider = true, documentSymbolProvider = true,
      completionProvider = { resolveProvider = true, triggerCharacters = messages.array { " ", "(", ".", "\"" } },
    },
  }
end

function requests.shutdown(self)
  self.is_shut_down = true
  return messages.null
end

notifications["initialized"] = function() end

notifications["textDocument/didOpen"] = function(self, params)
  local item = params.textDocument
  if type(item) ~= "table" or type(item.uri) ~= "string" or type(item.text) ~= "string" then return end
  local document = documents.new { uri = item.uri, path = documents.path(item.uri), editor_language = item.languageId,
    text = item.text, version = math.tointeger(item.version) }
  self.documents[item.uri] = document
  checks.check(self, document, false)
end

notifications["textDocument/didChange"] = function(self, params)
  local document = document_of(self, params)
  local changes = params.contentChanges
  local last = type(changes) == "table" and changes[#changes]
  if not document or type(last) ~= "table" or type(last.text) ~= "string" or last.range ~= nil then return end
  document:set_text(last.text, math.tointeger(params.textDocument.version))
  checks.check(self, document, true)
end

notifications["textDocument/didSave"] = function(self, params)
  local document = document_of(self, params)
  if document then checks.check(self, document, false) end
end

notifications["textDocument/didClose"] = function(self, params)
  local document = document_of(self, params)
  if not document then return end
  checks.forget(self, document)
  self.documents[document.uri] = nil
end

notifications["workspace/didChangeConfiguration"] = function(self, params)
  read_settings(self, params.settings)
  for _, document in pairs(self.documents) do checks.check(self, document, false) end
end

notifications["$/cancelRequest"] = function(self, params)
  if params.id ~= nil then self.queue:cancel("request " .. tostring(params.id)) end
end

-- Returns a text as the contents of a hover or documentation: a block of code, since explanations are aligned.
local function markup(self, text)
  if self.is_plain then return { kind = "plaintext", value = text } end
  local fence = text:find "```" and "````" or "```"
  return { kind = "markdown", value = ("%s\n%s\n%s"):format(fence, text:gsub("\n$", ""), fence) }
end

requests["textDocument/hover"] = function(self, params, id)
  local document, line, column = place_of(self, params)
  if not document or not document.kind then return nil end
  local found = lookup.hover(document, line, column)
  local word = context.words(document:line(line), column)
  word = word[#word] and word[#word].text
  local is_directive = document.kind == "scenario" and (word == "acc" or word == "omp" or not found
    and context.at(document, line, column).language)
  local function hover(text, at)
    return text and { contents = markup(self, text), range = at }
  end
  local range = found and diagnostics.range(document, line, found.first, found.last, self.encoding)
  if not is_directive then return found and hover(found.text, range) end
  local request = checks.scenario_request(self, document, true)
  self.queue:add { key = "request " .. tostring(id), seconds = checks.seconds(self, true),
    run = function() return { text = scenario_check.explain(request, line) } end,
    done = function(result, reason)
      if reason == "cancelled" then return self:refuse(id, codes.cancelled, "the request was cancelled") end
      local text = result and result.text
      self:answer(id, hover(text, nil) or found and hover(found.text, range))
    end }
  return later
end

requests["textDocument/completion"] = function(self, params)
  local document, line, column = place_of(self, params)
  if not document or not document.kind then return messages.array {} end
  return { isIncomplete = false, items = messages.array(completion.items(document, line, column)) }
end

requests["completionItem/resolve"] = function(self, params)
  local topic = type(params.data) == "table" and params.data.topic
  local text = type(topic) == "string" and topics.describe(topic)
  if text then params.documentation = markup(self, text) end
  return params
end

requests["textDocument/definition"] = function(self, params)
  local document, line, column = place_of(self, params)
  if not document or not document.kind then return nil end
  local found = lookup.definition(document, line, column)
  if not found then return nil end
  local position = { line = found.line - 1, character = 0 }
  return { uri = found.uri, range = { start = position, ["end"] = position } }
end

local METHOD = 6 -- kind of symbols for cases

requests["textDocument/documentSymbol"] = function(self, params)
  local document, list = document_of(self, params), messages.array {}
  if not document or document.kind ~= "scenario" then return list end
  for number = 1, #document.starts do
    local text = document:line(number)
    local first, name = text:match "^%s*()case%s*%(?%s*[\"'](.-)[\"']"
    if name then
      local at = diagnostics.range(document, number, first, #text, self.encoding)
      list[#list + 1] = { name = name ~= "" and name or "case", kind = METHOD, range = at, selectionRange = at }
    end
  end
  return list
end

-- ------------------------------------------------------------------------------------ main loop --

-- Calls the function of a request, and sends its answer.
local function handle_request(self, message)
  local id, method = message.id, message.method
  local fn = requests[method]
  if not fn then return self:refuse(id, codes.unknown_method, ("there is no method '%s'"):format(method)) end
  if not self.is_initialized and method ~= "initialize" then
    return self:refuse(id, codes.not_initialized, "the first request is initialize")
  elseif self.is_shut_down then
    return self:refuse(id, codes.invalid_request, "the server is shut down")
  end
  local ok, result = pcall(fn, self, type(message.params) == "table" and message.params or {}, id)
  if ok then
    if result ~= later then self:answer(id, result) end
  elseif type(result) == "table" and result.rpc then
    self:refuse(id, result.rpc, result.message)
  else
    self:refuse(id, codes.internal, tostring(result))
  end
end

-- Handles a message. Answers to requests of the server, of which there are none, and unknown notifications are ignored.
local function handle(self, message)
  local is_object = type(message) == "table" and (getmetatable(message) or {}).__jsontype ~= "array"
  local id = is_object and message.id
  if not is_object or message.id ~= nil and type(id) ~= "string" and not math.tointeger(id) then
    return self:refuse(messages.null, codes.invalid_request, "a message is an object with a number or text as its id")
  elseif type(message.method) ~= "string" then
    if message.id ~= nil and message.result == nil and message.error == nil then
      self:refuse(id, codes.invalid_request, "a request has a method")
    end
  elseif message.id ~= nil then
    handle_request(self, message)
  elseif message.method == "exit" then
    self.is_ended = true
  elseif self.is_initialized and not self.is_shut_down and notifications[message.method] then
    local params = type(message.params) == "table" and message.params or {}
    local ok, problem = pcall(notifications[message.method], self, params)
    local is_malformed = type(problem) == "table" and problem.rpc -- notifications have no answer
    if not ok and not is_malformed then
      self:notify("window/logMessage", { type = 1, message = tostring(problem) })
    end
  end
end

-- Handles messages until the notification exit or the end of the input.
local function loop(self)
  local reader = messages.reader()
  while not self.is_ended do
    local bytes = system.read(0, self.queue:step())
    if bytes == "" or bytes == nil then return end
    if bytes then
      reader:add(bytes)
      while not self.is_ended do
        local message, problem = reader:next()
        if message == nil and not problem then break end
        if message == nil then
          self:refuse(messages.null, codes.parse, problem)
        else
          handle(self, message)
        end
      end
    end
  end
end

-- Serves a client over standard input and output until it ends the session. Returns the exit status: 0 after the
-- request shutdown, otherwise 1. `limits`: {memory, steps, seconds}, of a check. `units`: {scan, lower}, functions for
-- units of C, C++ and Fortran: the scanner of c_source.lua, and lower.unit.
function lsp.serve(limits, units)
  local folder = shell_command.folder()
  local self = setmetatable({ documents = {}, settings = {}, encoding = "utf-16", limits = limits, units = units,
    queue = jobs.queue(folder) }, Server)
  local ok, problem = pcall(loop, self)
  self.queue:close()
  shell_command.remove(folder)
  if not ok then error(problem, 0) end
  return self.is_shut_down and 0 or 1
end

return lsp
