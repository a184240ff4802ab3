-- tests/documentation.lua PROGRAM - runs what README.md shows and compares the output.
--
-- A block ```console holds commands behind "$ " and their output. `accdeep` is the program under test;
-- a line "..." in the output stands for any number of lines.

local program = arg[1]
local file = assert(io.open "README.md")
local text = file:read "a"
file:close()

local function lines_of(s)
  local list = {}
  if s == "" then return list end
  for line in (s:sub(-1) == "\n" and s or s .. "\n"):gmatch "(.-)\n" do list[#list + 1] = line end
  return list
end

-- Whether found[f..] is wanted[w..].
local function matches(wanted, found, w, f)
  while w <= #wanted do
    if wanted[w] == "..." then
      for from = f, #found + 1 do
        if matches(wanted, found, w + 1, from) then return true end
      end
      return false
    end
    if wanted[w] ~= found[f] then return false end
    w, f = w + 1, f + 1
  end
  return f == #found + 1
end

local failed, count = 0, 0

local function check(command, wanted)
  count = count + 1
  local line = command:gsub("^accdeep", function() return "'" .. program .. "'" end)
    :gsub("| accdeep", function() return "| '" .. program .. "'" end)
  local pipe = assert(io.popen(("NO_COLOR=1 %s 2>&1"):format(line)))
  local found = pipe:read "a"
  pipe:close()
  if not matches(wanted, lines_of(found), 1, 1) then
    failed = failed + 1
    print(("README.md: `%s` prints something else:\n%s"):format(command, found))
  end
end

for block in text:gmatch "```console\n(.-)```" do
  local command, output
  for _, line in ipairs(lines_of(block)) do
    local next_command = line:match "^%$ (.+)$"
    if next_command then
      if command then check(command, output) end
      command, output = next_command, {}
    else
      output[#output + 1] = line
    end
  end
  if command then check(command, output) end
end
print(("%d of %d commands of README.md print what it shows"):format(count - failed, count))
os.exit(failed == 0 and count > 0)
