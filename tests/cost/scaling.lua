-- scaling.lua VALGRIND PROGRAM - what operations cost beside ten and beside four thousand of something, in instructions
-- by callgrind: at most three times as much, so that three instructions for each of them are seen. Counts differ
-- little from run to run: indexes have another shape at other addresses.

local valgrind, program = arg[1], arg[2]
local FEW, MANY, MOST, ROUNDS = 10, 4000, 3, 20

local CASES = {
  { "tr14", "in-order", "queues" },
  { "tr14", "delayed", "groups tasks own same queues idle chain targets target clauses levels level" },
  { "tr14", "concurrent", "tasks own same queues chain" },
  { "libgomp-12", "delayed", "level" },
  { "openmp-4.0", "delayed", "groups level" },
  { "openmp-6.0", "delayed", "targets" },
}

-- Operations that do what waits, which is counted with them: a test of the queue that has the tasks, or a wait for it
-- where these go on by themselves, and a test only looks.
local function does_what_waits(mode, beside, name)
  return beside == "own" and name == (mode == "concurrent" and "wait" or "test")
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- Instructions of each function op_*, with what these call.
local function count(profile, mode, beside, n)
  local out = os.tmpname()
  local command = ("%s --tool=callgrind --callgrind-out-file=%s %s %s %s %s %d 2>&1"):format(quoted(valgrind),
    quoted(out), quoted(program), profile, mode, beside, n)
  local pipe <close> = assert(io.popen(command))
  local text = pipe:read "a"
  assert(pipe:close(), text)
  local found, names, called = {}, {}, nil
  for line in io.lines(out) do
    local id, name = line:match "^c?fn=(%(%d+%)) ?(.*)$"
    if id and name ~= "" then names[id] = name end
    if line:find "^cfn=" then
      called = names[id]:match "^op_([%w_]+)"
    elseif called and not line:find "^[a-z]" then -- behind "calls=": the place, and what the call cost
      found[called] = (found[called] or 0) + tonumber(line:match " (%d+)$")
      called = nil
    end
  end
  os.remove(out)
  return found
end

-- The largest ratio, and of what.
local function largest(profile, mode, beside)
  local few, many = count(profile, mode, beside, FEW), count(profile, mode, beside, MANY)
  local ratio, what, counted = 0, nil, 0
  for name, at in pairs(few) do
    local each = name:find "^each_" and { FEW, MANY } or { ROUNDS, ROUNDS }
    local less, more = at / each[1], many[name] / each[2]
    if not does_what_waits(mode, beside, name) then
      counted = counted + 1
      if more / less > ratio then
        ratio, what = more / less, ("%s: %.0f instructions, %.0f"):format(name, less, more)
      end
    end
  end
  return ratio, what, counted
end

local number, good = 0, true
for _, case in ipairs(CASES) do
  for beside in case[3]:gmatch "%S+" do
    local ratio, what, counted = largest(case[1], case[2], beside)
    local holds = counted >= 8 and ratio <= MOST
    number, good = number + 1, good and holds
    print(("%sok %d - %s, %s, %s: %d operations, at most %.1f times as much (%s)"):format(holds and "" or "not ",
      number, case[1], case[2], beside, counted, ratio, what))
  end
end
print("1.." .. number)
os.exit(good)
