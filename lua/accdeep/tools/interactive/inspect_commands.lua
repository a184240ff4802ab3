-- inspect_commands.lua - commands that inspect a session, shared by `accdeep run --step` (stepper.lua) and `accdeep
-- repl` (repl.lua).
--
-- A command is {names, usage, about, run}; run(user, argument) executes it. Fields and methods of the user: terminal;
-- session(); numbers and events (state_diff.lua); before, the snapshot before these events, or nil; at = {file, line},
-- the present location.

local draw = require "accdeep.inspect.draw"
local files = require "accdeep.tools.files"
local state_diff = require "accdeep.inspect.state_diff"
local explain = require "accdeep.inspect.explain"
local location = require "accdeep.base.location"
local state = require "accdeep.run.state"
local value_text = require "accdeep.script.value_text"
local strings = require "accdeep.base.strings"

local inspect_commands = {}

-- Returns the value of an expression as text. env_of(session) returns the environment in which it is evaluated: host or
-- device.
local function evaluate(session, text, env_of)
  return value_text.attempt(function()
    return session:with_text(text, "expression", 1, function() return session:value(env_of(session), text) end)
  end)
end

-- Returns the environment of expressions on the host.
local function host_env_of(session) return session:host_env() end
-- Returns the environment of expressions on the device.
local function device_env_of(session) return session:device_env() end

-- Prints the values of the expression `text` on host and device, or their errors.
function inspect_commands.print(user, text)
  if text == "" then return user.terminal:write "  print takes an expression: print X.a[0:3]\n" end
  local session = user:session()
  user.terminal:write(("  host    %s\n  device  %s\n"):format(evaluate(session, text, host_env_of),
    evaluate(session, text, device_env_of)))
end

-- Prints the value of the expression `text` on the device, or its error.
local function print_device(user, text)
  if text == "" then return user.terminal:write "  device takes an expression: device X.a[0:3]\n" end
  user.terminal:write(("  device  %s\n"):format(evaluate(user:session(), text, device_env_of)))
end

-- Prints what is present and attached on each device, and the open regions.
local function show_state(user)
  local session = user:session()
  for device = 0, session.devices - 1 do user.terminal:page(state.text(session, device)) end
end

-- Prints what the last events changed; a message if nothing was executed yet.
local function show_difference(user)
  if not user.before then return user.terminal:write "  nothing has run yet\n" end
  user.terminal:page(state_diff.text(user.before, state_diff.snapshot(user:session(), user.numbers), user.events))
end

-- Prints the last events, one per line, with their rules.
local function show_events(user)
  local lines = {}
  for i, event in ipairs(user.events) do
    lines[i] = ("  %-6s %s%s%s\n"):format(event.op, event.name,
      event.op ~= "attach" and event.op ~= "detach" and ", " .. strings.count(event.bytes, "byte") or "",
      event.rule and "  [" .. event.rule .. "]" or "")
  end
  user.terminal:page(#lines > 0 and table.concat(lines) or "  nothing\n")
end

local NAMED = 12 -- limit of names that are shown of consecutive events of one kind

-- Prints a summary of events. `head`: a line before the summary, or nil.
function inspect_commands.show_event_list(user, events, head)
  local out = { head }
  explain.add_events(events, out, NAMED)
  user.terminal:page(table.concat(out, "\n") .. "\n")
end

local AROUND = 5 -- lines shown before and after the present line

-- Prints the lines around the line `argument`, or around the present line if `argument` is no number.
local function list(user, argument)
  local at = user.at
  local source = at and at.file and location.source(at.file)
  if not source then return user.terminal:write "  there is no text here\n" end
  local line = math.tointeger(tonumber(argument)) or at.line
  local out, n = {}, 0
  for text in (source:gsub("\n$", "") .. "\n"):gmatch "(.-)\r?\n" do
    n = n + 1
    if math.abs(n - line) <= AROUND then
      out[#out + 1] = ("%s%4d | %s\n"):format(n == at.line and ">" or " ", n, text)
    end
  end
  user.terminal:write(#out > 0 and table.concat(out) or ("  %s has %d lines\n"):format(at.file, n))
end

-- Draws host and device to the file `name`; prints a message if that fails.
local function draw_state(user, name)
  if not draw.format(name) then return user.terminal:write "  draw takes a file: FILE.svg, FILE.html or FILE.dot\n" end
  local ok, err = pcall(function() draw.save(user:session(), files.prepare_output(name)) end)
  user.terminal:write(ok and ("  drawn: %s\n"):format(name) or ("  %s\n"):format(tostring(err.message or err)))
end

inspect_commands.commands = {
  { "print", "p", usage = "print EXPR", about = "the value on the host and on the device",
    run = inspect_commands.print },
  { "device", usage = "device EXPR", about = "the value on the device", run = print_device },
  { "state", "s", usage = "state", about = "what is present and attached, and the open regions", run = show_state },
  { "diff", "d", usage = "diff", about = "what the last directive changed", run = show_difference },
  { "events", "e", usage = "events", about = "what it did, one by one, with the rules", run = show_events },
  { "draw", usage = "draw FILE", about = "a picture of host and device", run = draw_state },
  { "list", "l", usage = "list [LINE]", about = "the text around this place", run = list },
}

-- Returns the first command with the name `word` in the lists of commands `...`, or nil.
function inspect_commands.find(word, ...)
  for _, commands in ipairs { ... } do
    for _, command in ipairs(commands) do
      for _, name in ipairs(command) do
        if name == word then return command end
      end
    end
  end
  return nil
end

-- Returns the usage of the commands in the lists `...` as text, one line for each.
function inspect_commands.help(...)
  local out = {}
  for _, commands in ipairs { ... } do
    for _, command in ipairs(commands) do
      local short = command[2] and command[2] ~= "" and (" (%s)"):format(command[2]) or ""
      out[#out + 1] = ("  %-18s %s\n"):format(command.usage .. short, command.about)
    end
  end
  return table.concat(out)
end

-- Returns the names that may complete a word, in any order. `stem`: the text before its last part: "" gives variables,
-- an expression with a dot or arrow gives the members of its type. The list is empty if the expression has an error.
function inspect_commands.names(session, stem)
  local names = {}
  local from = stem:match "^(.-)%.$" or stem:match "^(.-)%->$"
  if not from then
    for name in pairs(session.now.scope:names()) do names[#names + 1] = name end
    return names
  end
  local ok, _, _, t = pcall(session.with_text, session, from, "expression", 1, session.extent, session, from)
  if not ok then return {} end
  while t.kind == "pointer" or t.kind == "array" do t = t.to or t.of end
  for name in pairs(t.by_name or {}) do names[#names + 1] = name end
  return names
end

return inspect_commands
