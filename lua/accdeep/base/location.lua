-- location.lua - from an index into a directive's text to file, line and column.
--
-- A directive is a string inside a scenario. Lua tells the line of the call; if the text stands
-- literally in the file from there on, columns are those of the file, otherwise those of the text.

local core = require "accdeep.core"

local location = {}

-- What the interpreter's own chunks are called begins with this.
local own = debug.getinfo(1, "S").source:gsub("base/location%.lua$", "")

-- Whether a chunk, as error messages name it, is one of the interpreter's own.
function location.is_own(chunk) return ("@" .. chunk):sub(1, #own) == own end

local sources = {} -- file -> its text, or false

-- Makes a file's text known (the program reads scenarios itself).
function location.remember(file, text) sources[file] = text end

function location.source(file)
  return sources[file] or nil
end

-- Lines of a text: {number -> position of the first character}.
function location.line_starts(text)
  local starts = { 1 }
  for at in text:gmatch "\n()" do starts[#starts + 1] = at end
  return starts
end

-- Line and column (from 1) of an index into a text.
function location.position(text, at)
  local line, start = 1, 1
  for from in text:gmatch "\n()" do
    if from > at then break end
    line, start = line + 1, from
  end
  return line, at - start + 1
end

-- The text of one line, without its end.
function location.line(text, number)
  local n = 1
  for line in (text .. "\n"):gmatch "(.-)\r?\n" do
    if n == number then return line end
    n = n + 1
  end
  return nil
end

local function file_of(info) return info.source:sub(1, 1) == "@" and info.source:sub(2) or info.short_src end

-- The file of a function; false: one of the interpreter's own. What a function's source is called is looked up once.
local files = setmetatable({}, { __mode = "k", __index = function(known, fn)
  local info = debug.getinfo(fn, "S")
  local file = info.source:sub(1, #own) ~= own and file_of(info)
  known[fn] = file
  return file
end })

-- Where the call that is level functions above stands: file and line.
function location.caller(level)
  local fn, line = core.call(level + 1)
  if fn and line > 0 then
    local file = files[fn]
    if file then return file, line end
  end
  return location.scenario(level + 1) -- a tail call leaves no trace of its place
end

-- The first call up the stack that is not in the interpreter itself: the scenario's own line.
function location.scenario(level)
  for up = level + 1, level + 60 do
    local fn, line = core.call(up)
    if not fn then return nil, nil end
    local file = line > 0 and files[fn]
    if file then return file, line end
  end
  return nil, nil
end

-- A directive stands in its line or, after an open parenthesis, in the next one.
local LINES = 2

-- So many calls are collected, from so many levels.
local MOST_CALLERS, MOST_LEVELS = 8, 200

-- Whether a function stands inside of a call that another one makes: the body of a region or a case.
local function is_body(inner, outer)
  return inner.source == outer.source and outer.currentline <= inner.linedefined
    and (outer.what == "main" or inner.lastlinedefined <= outer.lastlinedefined)
end

-- The calls of the script that reach the one at file:line, from the inside: a list of {file, line}; nil if that call
-- is not under way, or no function of the script made it. Bodies that stand in the call itself are no functions here.
function location.callers(file, line)
  if not file then return nil end
  local list, inner, through = {}, nil, false
  for level = 2, MOST_LEVELS do
    local info = debug.getinfo(level, "Sl")
    if not info or #list == MOST_CALLERS then break end
    if info.source:sub(1, #own) == own then
      through = true
    elseif info.what ~= "C" and info.currentline > 0 then
      local name = file_of(info)
      if not inner then
        if name ~= file or info.currentline ~= line then return nil end
      elseif not (through and is_body(inner, info)) then
        local last = list[#list] or {}
        if last.file ~= name or last.line ~= info.currentline then -- recursion is one of them
          list[#list + 1] = { file = name, line = info.currentline }
        end
      end
      if info.what == "main" then break end
      inner, through = info, false
    end
  end
  return list[1] and list or nil
end

-- A call outside of the script's functions that an error passes.
function location.add_caller(err, file, line)
  if not err.callers and err.file == file and err.line == line then return end -- the error is about the call
  err.callers = err.callers or {}
  if file and line and #err.callers < MOST_CALLERS then table.insert(err.callers, { file = file, line = line }) end
end

-- The innermost of the script's outermost calls: for when the interpreter itself is nested very deeply above them.
local function outermost()
  local low, high = 1, 2 -- a level that is there, and one that may be
  while debug.getinfo(high, "l") do low, high = high, 2 * high end
  while high - low > 1 do
    local middle = (low + high) // 2
    if debug.getinfo(middle, "l") then low = middle else high = middle end
  end
  local found, found_line
  for level = low, math.max(low - MOST_LEVELS, 1), -1 do
    local fn, line = core.call(level)
    local file = fn and line > 0 and files[fn]
    if file then found, found_line = file, line end
  end
  return found, found_line
end

local last_error = { value = {} } -- that Lua or the script raised: its value, its place, and the calls under way

-- Whether the interpreter raised what a message handler gets: it passes an error on. Called by what the handler calls.
local function is_forwarding_frame()
  for level = 4, MOST_LEVELS do
    local info = debug.getinfo(level, "S")
    if not info then return false end
    if info.what ~= "C" then return info.source:sub(1, #own) == own end
  end
  return false
end

-- For a message handler: keeps the place of an error that is none of ours, and the calls that it passes. Returns the
-- error.
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

-- What was kept of an error: {file, line, callers}, as far as they are known.
function location.recall_error(err) return rawequal(err, last_error.value) and last_error or {} end

-- Callers as a text.
function location.callers_text(callers)
  local names = {}
  for i, caller in ipairs(callers) do names[i] = ("%s:%d"):format(caller.file, caller.line) end
  return table.concat(names, ", ")
end

-- Where a text stands as a literal in the source, from one index to another.
local function literal_between(source, text, at, last)
  while at do
    local found = source:find(text, at, true)
    if not found or found >= last then return nil end
    local before = source:sub(1, found - 1):sub(-3):gsub("%[\r?\n$", "["):sub(-1)
    local after = source:sub(found + #text, found + #text)
    if before == "[" and after == "]" or after == before and (before == '"' or before == "'") then
      return found
    end
    at = found + 1
  end
  return nil
end

-- Where a text stands as a literal in the source, at a line or just below; or so that the text ends in the line, which
-- Lua 5.4.6 and later give to a call.
local function literal(source, text, starts, line)
  if not text:find "%S" then return nil end
  local _, breaks = text:gsub("\n", "")
  return literal_between(source, text, starts[line], starts[line + LINES] or #source + 1)
    or breaks > 0 and literal_between(source, text, starts[line - breaks], starts[line - breaks + 1]) or nil
end

-- The line of a file in which an index into a text lies, for a text that a call at file:line passed.
function location.line_of(text, at, file, line)
  local source = sources[file]
  local found = source and literal(source, text, location.line_starts(source), line)
  if found then return (location.position(source, found + at - 1)) end
  return source and line or line + location.position(text, at) - 1
end

-- Fills file, line, column of an error from the text it is about and the call that passed the text. The column is the
-- file's when the text is found there at or after the call's line; otherwise in_text is set, and text_line and column
-- are places in the text.
function location.locate_error(err, text, file, line)
  if err.file or not file then return err end
  err.file, err.line = file, line
  local at = err.pos
  if not at or not text or not text:find "%S" then return err end
  if at > #text + 1 then at = #text + 1 end
  local source = sources[file]
  local found
  if source == text then
    found = 1
  elseif source then
    found = literal(source, text, location.line_starts(source), line)
  end
  local shown, index = text, at
  if found then
    shown, index = source, found + at - 1
    err.line, err.column = location.position(source, index)
  else
    local row, column = location.position(text, at)
    -- a text that is put together, or has escapes, stands at its call as a whole
    err.line, err.column = source and line or line + row - 1, column
    err.in_text, err.text_line = true, row
  end
  local row, column = location.position(shown, index)
  err.snippet = location.line(shown, row)
  err.snippet_column = column
  return err
end

return location
