-- terminal.lua - reads lines from a terminal or a pipe, and writes text.
--
-- If libedit is available, terminal input is edited and recorded in a history (lua/program/edit.c); otherwise lines
-- are read plainly. repl.lua and stepper.lua use it.

local core = require "accdeep.core"
local system = require "accdeep.system"

local terminal = {}

local Terminal = {}
Terminal.__index = Terminal

-- Returns the path of the history, $ACCDEEP_HISTORY or a file in the home folder; nil if that variable is empty or
-- there is no home folder.
local function history_file()
  local file, home = os.getenv "ACCDEEP_HISTORY", os.getenv "HOME"
  if file then return file ~= "" and file or nil end
  return home and home .. "/.accdeep_history"
end

-- Returns the longest common prefix of a list of words. Precondition: the list is not empty.
local function common_prefix(words)
  local prefix = words[1]
  for _, word in ipairs(words) do
    while word:sub(1, #prefix) ~= prefix do prefix = prefix:sub(1, -2) end
  end
  return prefix
end

local SHOWN = 60 -- limit of candidates that are printed

-- Returns the completion function of the editor. That function returns the text to insert after the cursor, and the
-- candidates as text or nil.
local function completer(self)
  return function(before)
    local word = before:match "[%w_.>%[%]-]*$"
    local stem, last = word:match "^(.-)([%w_]*)$"
    local candidates = {}
    for _, name in ipairs(self.words and self.words(stem, before) or {}) do
      if name:sub(1, #last) == last then candidates[#candidates + 1] = name end
    end
    if #candidates == 0 then return "", nil end
    table.sort(candidates)
    local rest = common_prefix(candidates):sub(#last + 1)
    if #candidates == 1 and stem == "" then rest = rest .. " " end
    local remainder = #candidates > SHOWN and ("  and %d more"):format(#candidates - SHOWN) or ""
    return rest, table.concat(candidates, "  ", 1, math.min(#candidates, SHOWN)) .. remainder
  end
end

-- Returns a terminal, which the caller closes. Its field `is_terminal` is true if input and output are a terminal:
-- prompts are then printed and lines edited. Its field `words` may be set to a function of a stem that returns
-- completions.
function terminal.open()
  local self = setmetatable({ is_terminal = system.isatty(0) and system.isatty(1), words = false }, Terminal)
  if self.is_terminal then
    core.watch_interrupts(true)
    if os.getenv "TERM" ~= "dumb" then self.editor = system.editor(completer(self), history_file()) end
  end
  return self
end

-- Reads a line and returns it. Returns nil and "end" (of the input) or "interrupt" (by the key) if there is no line.
function Terminal:read(prompt)
  if self.editor then
    local line, why = self.editor:read(prompt)
    if why == "end" then io.stdout:write "\n" end
    return line, why
  end
  if self.is_terminal then io.stdout:write(prompt) end
  io.stdout:flush()
  local line = io.read "l"
  if line then return line end
  local interrupted = core.interrupted()
  if self.is_terminal then io.stdout:write "\n" end
  return nil, interrupted and "interrupt" or "end"
end

-- Adds a line to the history, if there is an editor.
function Terminal:remember(line)
  if self.editor and line:find "%S" then self.editor:remember(line) end
end

-- Writes text with control characters replaced, so that a scenario cannot control the terminal.
function Terminal:write(text)
  io.stdout:write((text:gsub("[%c\127]", function(c) return (c == "\n" or c == "\t") and c or "?" end)))
end

-- Writes an error text of report.lua, which may have colors, to standard error.
function Terminal:write_error(text)
  io.stdout:flush()
  io.stderr:write(text)
end

local PAGE = 48 -- lines per page

-- Writes a long text; on a terminal it asks before each further page.
function Terminal:page(text)
  if not self.is_terminal then return self:write(text) end
  local n = 0
  for line in text:gmatch "[^\n]*\n?" do
    if n == PAGE then
      local answer = self:read "-- more: Enter, or q --"
      if not answer or answer:find "%S" then return end
      n = 0
    end
    self:write(line)
    n = n + 1
  end
end

-- Ends line editing and the handling of the interrupt key.
function Terminal:close()
  if self.editor then self.editor:close() end
  if self.is_terminal then core.watch_interrupts(false) end
  self.editor = nil
end

return terminal
