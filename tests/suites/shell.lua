-- shell.lua - files and commands.

local shell = {}

-- One word of a command line.
function shell.quote(word)
  if word:find "^[%w%-+=_./,:@]+$" then return word end
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

function shell.command(words)
  local quoted = {}
  for i, word in ipairs(words) do quoted[i] = shell.quote(word) end
  return table.concat(quoted, " ")
end

function shell.read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text
end

function shell.exists(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

function shell.write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

-- Returns what a command prints; nil if it fails.
function shell.output(command)
  local pipe <close> = assert(io.popen(command))
  local text = pipe:read "a"
  return pipe:close() and text or nil
end

-- Returns what a command prints on both outputs, whatever its exit status is.
function shell.all_output(command)
  local pipe <close> = assert(io.popen(("(%s) 2>&1"):format(command)))
  return pipe:read "a"
end

-- The lines a command prints; an error if it fails.
function shell.lines(command)
  local pipe = assert(io.popen(command))
  local lines = {}
  for line in pipe:lines() do lines[#lines + 1] = line end
  if not pipe:close() then error(("'%s' failed"):format(command), 0) end
  return lines
end

return shell
