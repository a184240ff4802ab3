-- location.lua - source locations: translates an index into a directive's text into file, line and column.
--
-- A directive is a string inside a scenario, and Lua reports only the line of the call. If the text occurs literally in
-- the file at that line, columns refer to the file; otherwise they refer to the text. The module also finds the calls
-- of a script through which an error passes. All phases use it through diagnostic.lua; report.lua prints the result.

local core = require "accdeep.core"

local location = {}

-- Prefix of the chunk names of the interpreter's own modules.
local own_prefix = debug.getinfo(1, "S").source:gsub("base/location%.lua$", "")

-- Returns true if a chunk, named as in error messages (without "@"), is one of the interpreter's own modules.
function location.is_own(chunk) return ("@" .. chunk):sub(1, #own_prefix) == own_prefix end

local sources = {} -- file -> its text, as `remember` stored it

-- Stores the text of a file, so that error messages can show its lines. The caller has read the file.
function location.remember(file, text) sources[file] = text end

-- Returns the text of a file that `remember` stored; nil if no text is stored.
function location.source(file)
  return sources[file] or nil
end

-- Returns a list with the position of the first character of each line of a text: line number -> position.
function location.line_starts(text)
  local starts = { 1 }
  for at in text:gmatch "\n()" do starts[#starts + 1] = at end
  return starts
end

-- Returns line and column (both from 1) of the index `at` into a text. An index past the end is in the last line.
function location.position(text, at)
  local line, start = 1, 1
  for from in text:gmatch "\n()" do
    if from > at then break end
    line, start = line + 1, from
  end
  return line, at - start + 1
end

-- Returns the text of line `number` without its end of line; nil if the text has fewer lines.
function location.line(text, number)
  local n = 1
  for line in (text .. "\n"):gmatch "(.-)\r?\n" do
    if n == number then return line end
    n = n + 1
  end
  return nil
end

-- Returns the file of a function. `info`: table of debug.getinfo for the function. For a function made from a string,
-- returns Lua's short name of the string.
local function file_of(info) return info.source:sub(1, 1) == "@" and info.source:sub(2) or info.short_src end

-- Cache: function -> its file as file_of returns it, or false for a function of the interpreter itself.
local files = setmetatable({}, { __mode = "k", __index = function(cache, fn)
  local info = debug.getinfo(fn, "S")
  local file = info.source:sub(1, #own_prefix) ~= own_prefix and file_of(info)
  cache[fn] = file
  return file
end })

-- Returns file and line of the call in progress at a stack level: 1 is the function that calls location.caller, 2 is
-- its caller. If that level is the interpreter's own, or a tail call removed it, returns what location.scenario
-- returns.
function location.caller(level)
  local fn, line = core.call(level + 1)
  if fn and line > 0 then
    local file = files[fn]
    if file then return file, line end
  end
  -- a tail call has replaced the frame of the scenario: use the scenario's innermost frame instead
  return location.scenario(level + 1)
end

-- Returns file and line of the innermost frame that is not the interpreter's: the scenario's own line. The search
-- begins at stack level `level`, 1 being the calling function. Returns nil, nil if there is no such frame within 60
-- levels.
function location.scenario(level)
  for up = level + 1, level + 60 do
    local fn, line = core.call(up)
    if not fn then return nil, nil end
    local file = line > 0 and files[fn]
    if file then return file, line end
  end
  return nil, nil
end

-- Number of lines in which a directive may begin: the line of its call or, after an open parenthesis, the next one.
local LINES = 2

-- Limits: number of callers in the list of an error, and number of stack levels that are searched for callers.
local MAX_CALLERS, MAX_LEVELS = 8, 200

-- Returns true if the function of frame `inner` is written inside the call that frame `outer` is executing, as the body
-- of a region or a case is. inner, outer: tables of debug.getinfo.
local function is_body(inner, outer)
  return inner.source == outer.source and outer.currentline <= inner.linedefined
    and (outer.what == "main" or inner.lastlinedefined <= outer.lastlinedefined)
end

-- Returns the calls in the script that reach the call at file:line, innermost first, as a list of {file, line} of at
-- most MAX_CALLERS entries. Returns nil if `file` is nil, if that call is not the script's innermost call on the stack,
-- or if no function of the script made it. Bodies of regions and cases do not count as functions.
function location.callers(file, line)
  if not file then return nil end
  local list, inner, passed_interpreter = {}, nil, false
  for level = 2, MAX_LEVELS do
    local info = debug.getinfo(level, "Sl")
    if not info or #list == MAX_CALLERS then break end
    if info.source:sub(1, #own_prefix) == own_prefix then
      passed_interpreter = true
    elseif info.what ~= "C" and info.currentline > 0 then
      local name = file_of(info)
      if not inner then
        if name ~= file or info.currentline ~= line then return nil end
      elseif not (passed_interpreter and is_body(inner, info)) then
        local last = list[#list] or {}
        if last.file ~= name or last.line ~= info.currentline then -- equal consecutive calls (recursion): listed once
          list[#list + 1] = { file = name, line = info.currentline }
        end
      end
      if info.what == "main" then break end
      inner, passed_interpreter = info, false
    end
  end
  return list[1] and list or nil
end

-- Appends the call at file:line of a Fortran procedure to the callers of the error `err` that the procedure raised.
-- Adds nothing if the error itself is located at this call, if `file` or `line` is nil, or if the list is full.
function location.add_caller(err, file, line)
  -- the error is located at this call, so the call is not one of its callers
  if not err.callers and err.file == file and err.line == line then return end
  err.callers = err.callers or {}
  if file and line and #err.callers < MAX_CALLERS then table.insert(err.callers, { file = file, line = line }) end
end

-- Returns file and line of the innermost script frame among the MAX_LEVELS outermost frames; nil, nil if none of them
-- is the script's. Used if the interpreter's own frames above are nested too deeply for location.scenario.
local function outermost()
  local low, high = 1, 2 -- a level that exists, and one that may exist
  while debug.getinfo(high, "l") do low, high = high, 2 * high end
  while high - low > 1 do
    local middle = (low + high) // 2
    if debug.getinfo(middle, "l") then low = middle else high = middle end
  end
  local outer_file, outer_line
  for level = low, math.max(low - MAX_LEVELS, 1), -1 do
    local fn, line = core.call(level)
    local file = fn and line > 0 and files[fn]
    if file then outer_file, outer_line = file, line end
  end
  return outer_file, outer_line
end

local last_error = { value = {} } -- last error raised by Lua or the script: its value, location and callers

-- Returns true if the interpreter itself raised the error that a message handler received, so that a script's frame
-- only forwards it. Must be called by a function that the message handler calls, because a fixed number of frames is
-- skipped.
local function is_forwarding_frame()
  for level = 4, MAX_LEVELS do
    local info = debug.getinfo(level, "S")
    if not info then return false end
    if info.what ~= "C" then return info.source:sub(1, #own_prefix) == own_prefix end
  end
  return false
end

-- Records the location and the callers of an error that Lua or the script raised. Returns the error unchanged. Must be
-- called directly by a message handler. An error that was already recorded and is only forwarded keeps its record.
function location.record_error(err)
  if rawequal(err, last_error.value) and is_forwarding_frame() then return err end
  local is_text = type(err) == "string"
  local file, line = location.scenario(2)
  if not file then file, line = outermost() end
  last_error = { value = err, file = file, line = line }
  if is_text and not err:find("stack overflow", 1, true) then
    local at, number = err:match "^(.-):(%d+): "
    last_error.callers = location.callers(at, tonumber(number))
  end
  return err
end

-- Returns what record_error stored about `err`: a table with file, line and callers, where unknown fields are nil.
-- Returns an empty table if another error was recorded last.
function location.recall_error(err) return rawequal(err, last_error.value) and last_error or {} end

-- Returns a list of callers as the text "file:line, file:line".
function location.callers_text(callers)
  local names = {}
  for i, caller in ipairs(callers) do names[i] = ("%s:%d"):format(caller.file, caller.line) end
  return table.concat(names, ", ")
end

-- Returns the position of the contents `text` of a string literal in `source`, from index `at` to before `last`.
-- Returns nil if there is no such literal, or if `at` is nil.
local function literal_between(source, text, at, last)
  while at do
    local start = source:find(text, at, true)
    if not start or start >= last then return nil end
    local before = source:sub(1, start - 1):sub(-3):gsub("%[\r?\n$", "["):sub(-1)
    local after = source:sub(start + #text, start + #text)
    if before == "[" and after == "]" or after == before and (before == '"' or before == "'") then
      return start
    end
    at = start + 1
  end
  return nil
end

-- Returns the position of the contents `text` of a string literal in `source` that begins at `line` or just below; nil
-- if there is none. starts: location.line_starts(source). Lua 5.4.6 and later report the line where a call ends:
-- therefore a literal that ends in that line is found, too.
local function literal(source, text, starts, line)
  if not text:find "%S" then return nil end
  local _, breaks = text:gsub("\n", "")
  return literal_between(source, text, starts[line], starts[line + LINES] or #source + 1)
    or breaks > 0 and literal_between(source, text, starts[line - breaks], starts[line - breaks + 1]) or nil
end

-- Returns the line in the file of index `at` into a text that was passed by the call at file:line. Returns `line` if
-- the stored file does not contain the text as a literal. If the file is not stored, the text is assumed to begin at
-- `line`.
function location.line_of(text, at, file, line)
  local source = sources[file]
  local start = source and literal(source, text, location.line_starts(source), line)
  if start then return (location.position(source, start + at - 1)) end
  return source and line or line + location.position(text, at) - 1
end

-- Sets file, line, column, snippet (the source line) and snippet_column (the column in it) of an error. They come from
-- err.pos, an index into `text`, which was passed by the call at file:line. Returns `err`. An error that has a file,
-- and any error if `file` is nil, is left unchanged. Without err.pos, or if `text` is nil or blank, only file and line
-- are set.  The column refers to the file if `text` is the whole file, or occurs there literally at the call's line or
-- just below. Otherwise `in_text` is set, and `text_line` and `column` refer to `text`.
function location.locate_error(err, text, file, line)
  if err.file or not file then return err end
  err.file, err.line = file, line
  local at = err.pos
  if not at or not text or not text:find "%S" then return err end
  if at > #text + 1 then at = #text + 1 end
  local source = sources[file]
  local start
  if source == text then
    start = 1
  elseif source then
    start = literal(source, text, location.line_starts(source), line)
  end
  local located_text, index = text, at
  if start then
    located_text, index = source, start + at - 1
    err.line, err.column = location.position(source, index)
  else
    local row, column = location.position(text, at)
    -- a text that is not literally in the stored file (concatenated, with escapes) is located at the line of its call
    err.line, err.column = source and line or line + row - 1, column
    err.in_text, err.text_line = true, row
  end
  local row, column = location.position(located_text, index)
  err.snippet = location.line(located_text, row)
  err.snippet_column = column
  return err
end

return location
