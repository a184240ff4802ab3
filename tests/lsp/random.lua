-- random.lua - sends random and damaged messages to `accdeep lsp`. lua5.4 tests/lsp/random.lua ACCDEEP [SEED [ROUNDS]]
--
-- Whatever arrives, the server answers the requests that come later, reports no error of its own, and ends as it is
-- asked to.

local program = arg[1]
local seed = tonumber(arg[2] or os.getenv "ACCDEEP_SEED" or 1)
local rounds = tonumber(arg[3] or os.getenv "ACCDEEP_ROUNDS" or 400)
local here = arg[0]:match "^(.*)/" or "."
package.path = here .. "/?.lua;" .. package.path
local client = require "client"
local dkjson = require "dkjson"

math.randomseed(seed)
local random = math.random

-- Returns a random element of a list.
local function pick(list) return list[random(#list)] end

local WORDS = { "#pragma acc ", "#pragma omp ", "!$acc ", "!$omp ", "parallel loop", "enter data", "update", "copyin(a",
  "copyin", "map(to: ", "reduction(+:", "(", ")", "[0:n]", "{", "}", "::{", "\"", "'", "\\\n", "&\n", "\n", "\r\n",
  "\r",
  "\0", "\255", "𝕏", "case(", "acc \"", "omp [[", "]]", "declare \"int n;\"", "host.n = 1", "--", "--[[", "/*",
  "*/", "//", "#if 0\n", "#endif\n", "#define X", "end", "function()", "rules = \"", "TR14-1.2-04", "expect.fails(",
  "while true do end", " ", ",", "shape include(x)",
  "x.y", "scenario {", "private(i, j)", "target", "nowait" }

-- Returns a random text of a document.
local function document()
  local parts = {}
  for i = 1, random(0, 30) do parts[i] = pick(WORDS) end
  return table.concat(parts)
end

local URIS = { "file:///r/a.lua", "file:///r/a.c", "file:///r/a.cpp", "file:///r/a.f90", "file:///r/a.f", "file:///r/é",
  "untitled:1", "", "file://", "x%" }
local LANGUAGES = { "lua", "c", "cpp", "fortran", "FortranFixedForm", "text" }
local METHODS = { "textDocument/hover", "textDocument/completion", "textDocument/definition",
  "textDocument/documentSymbol", "completionItem/resolve", "workspace/symbol" }
local NOTES = { "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose",
  "$/cancelRequest", "workspace/didChangeConfiguration", "nothing" }

local SCALARS = { 0, -1, 1.5, 1e300, "", "text", true, false, client.null, 7, "tr14" }

-- Returns a random value of JSON; `depth`: of nesting that is left.
local function value(depth)
  if depth == 0 or random(3) == 1 then return pick(SCALARS) end
  local t = {}
  for i = 1, random(0, 3) do t[random(2) == 1 and i or pick { "uri", "text", "position", "id" }] = value(depth - 1) end
  return t
end

-- Returns random parameters, most of them of the right form.
local function parameters()
  local uri = pick(URIS)
  local params = { textDocument = { uri = uri, languageId = pick(LANGUAGES), version = random(100), text = document() },
    position = { line = random(0, 12), character = random(0, 40) }, contentChanges = { { text = document() } },
    id = random(300), label = pick(WORDS), data = { topic = pick { "copyin", "acc", "x", "" } },
    settings = { accdeep = { profile = pick { "tr14", "openacc-3.3", "", "x", 3 }, compileCommand = pick(SCALARS) } } }
  if random(4) == 1 then
    local key = pick { "textDocument", "position", "contentChanges", "id", "data", "settings" }
    params[key] = value(3)
  end
  return params
end

-- Returns a text with some of its bytes replaced, removed or repeated.
local function damage(text)
  for _ = 1, random(3) do
    local at = random(#text)
    text = text:sub(1, at - 1) .. pick { string.char(random(0, 255)), "", text:sub(at, at + random(9)), '"', "{" }
      .. text:sub(at + 1)
  end
  return text
end

local pipe = assert(io.popen "mktemp -d")
local work = pipe:read "l"
pipe:close()
local c = client.start(program, work, "--limit-steps 1e5 --limit-memory 64M")
c:initialize()
local id = 1000
for _ = 1, rounds do
  id = id + 1
  local is_request = random(3) == 1
  local text = dkjson.encode { id = is_request and id or nil, method = pick(is_request and METHODS or NOTES),
    params = parameters() }
  local kind = random(10)
  if kind == 1 then text = damage(text) end
  if kind == 2 then
    c:send_bytes(pick { "garbage\r\n\r\n", "Content-Length: 99999999999\r\n\r\n", "\r\n\r\n",
      "Content-Length:\r\n\r\n" })
  else
    c:send(text)
  end
  -- Reads what the server has sent: otherwise both would wait for the other to read
  if is_request or kind <= 2 then c:request("textDocument/documentSymbol", { textDocument = { uri = "" } }) end
end
local failed = false
-- Prints a failure.
local function fail(text)
  failed = true
  print(("FAIL seed %d: %s"):format(seed, text))
end

local answered = pcall(function()
  c:notify("textDocument/didOpen", { textDocument = { uri = "file:///r/last.lua", languageId = "lua", version = 1,
    text = 'acc "update self(m)"' } })
  local found = c:wait_diagnostics "file:///r/last.lua"
  if #found ~= 1 or found[1].code ~= "unknown-name" then fail "the last document is not checked" end
  c:request "shutdown"
  c:notify "exit"
end)
if not answered then fail "the server ended" end
local status = c:finish()
if status ~= 0 then fail(("the status is %s"):format(status)) end
for _, answer in pairs(c.answers) do
  if answer.error and answer.error.code == -32603 then fail(answer.error.message) end
end
for _, note in ipairs(c.notes) do
  if note.method == "window/logMessage" then fail(note.params.message) end
end
for uri, published in pairs(c.diagnostics) do
  for _, d in ipairs(published.diagnostics) do
    if d.code == "internal" then fail(uri .. ": " .. d.message) end
  end
end
local errors = io.open(work .. "/errors")
local text = errors and errors:read "a" or ""
if text ~= "" then fail(text) end
os.execute("rm -rf '" .. work .. "'")
os.exit(not failed)
