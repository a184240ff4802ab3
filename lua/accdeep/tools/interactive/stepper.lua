-- stepper.lua - `accdeep run --step` on a terminal: steps through a scenario directive by directive, forward and
-- back.
--
-- The scenario stops before each directive that moves data, before the end of each region, at a failure, and at the
-- end of each case. Stops are numbered. Going back runs the scenario again up to an earlier stop; reproducible.lua
-- makes the runs equal. cli/run.lua calls the function that this module returns.

local reproducible = require "accdeep.tools.interactive.reproducible"
local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local state_diff = require "accdeep.inspect.state_diff"
local explain = require "accdeep.inspect.explain"
local location = require "accdeep.base.location"
local inspect_commands = require "accdeep.tools.interactive.inspect_commands"
local report = require "accdeep.base.report"
local scenario = require "accdeep.script.scenario"

local Stepper = {}
Stepper.__index = Stepper

-- ------------------------------------------------------------------------------------- moving --

-- Returns the number of open regions on all devices.
local function depth(session)
  local n = 0
  for device = 0, session.devices - 1 do n = n + #session.device_side.regions[device] end
  return n
end

-- Conditions for stopping are functions of a stop that return true to stop there. Failures always stop. This one stops
-- always.
local function stop_always() return true end
-- Never stops.
local function stop_never() return false end

-- Returns the positive integer in a command's argument, or `default` for an empty argument. Prints a message and
-- returns nil for other arguments.
local function number(self, argument, default)
  local n = argument == "" and default or math.tointeger(tonumber(argument))
  if n and n > 0 then return n end
  self.terminal:write(("  '%s' is not a number of steps or lines\n"):format(argument))
  return nil
end

-- Ends this run: a new run then stops at the stop `target`, or the user leaves if `target` is nil. Returns true. Raises
-- the error that stops a run, except after a failure, whose own error ends the run.
local function leave(self, target)
  self.target, self.leaving = target, true
  if not self.here.failed then core.stop() end
  return true
end

-- Commands that move; run(self, argument) returns true if the scenario continues.
local motions = {
  { "step", "", usage = "step (Enter)", about = "carry out this directive", run = function(self)
    self.stop_condition = stop_always
    return true
  end },
  { "next", "n", usage = "next", about = "the same; a region with its whole body", run = function(self)
    local session = self:session()
    local outer_depth = depth(session)
    self.stop_condition = function() return self:session() ~= session or depth(session) <= outer_depth end
    return true
  end },
  { "back", "b", usage = "back [N]", about = "go back a step, or N steps", run = function(self, argument)
    local n = number(self, argument, 1)
    if not n then return false end
    if self.stop == 1 then
      self.terminal:write "  this is the first step\n"
      return false
    end
    return leave(self, math.max(1, self.stop - n))
  end },
  { "continue", "c", usage = "continue", about = "continue to the end, or to a failure", run = function(self)
    self.stop_condition = stop_never
    return true
  end },
  { "until", "u", usage = "until LINE", about = "continue to a directive at that line, or after it",
    run = function(self, argument)
      local line = number(self, argument, nil)
      if not line then return false end
      self.stop_condition = function(stop) return stop.file == self.file and stop.last >= line end
      return true
    end },
  { "where", "w", usage = "where", about = "this place, and the open regions around it", run = function(self)
    self:show()
    local session = self:session()
    for device = 0, session.devices - 1 do
      for i = #session.device_side.regions[device], 1, -1 do
        local region = session.device_side.regions[device][i]
        self.terminal:write(("  in %s:%d: %s\n"):format(region.file or "?", region.line or 0,
          explain.format_directive(region.plan)))
      end
    end
  end },
  { "help", "h", usage = "help", about = "this list", run = function(self) self:help() end },
  { "quit", "q", usage = "quit", about = "leave", run = function(self) return leave(self, nil) end },
}

-- Returns the current session.
function Stepper:session() return self.run.session end

-- Returns the words that complete the input after `stem` (inspect_commands.names): names, and for "" also commands.
function Stepper:words(stem)
  local words = inspect_commands.names(self:session(), stem)
  if stem == "" then
    for _, commands in ipairs { motions, inspect_commands.commands } do
      for _, command in ipairs(commands) do words[#words + 1] = command[1] end
    end
  end
  return words
end

-- Prints the commands.
function Stepper:help() self.terminal:write(inspect_commands.help(motions, inspect_commands.commands)) end

-- ------------------------------------------------------------------------------------- a stop --

-- Prints what API routines did since the last directive.
function Stepper:report_routines()
  if #self.events <= self.reported then return end
  inspect_commands.show_event_list(self, table.move(self.events, self.reported + 1, #self.events, 1, {}),
    "  then, by routines:")
  self.reported = #self.events
end

-- Prints the number, the location and the text of a stop.
function Stepper:head(stop)
  self.printed_stop = stop.number
  self.terminal:write(("[%d] %s:%d: %s\n"):format(stop.number, stop.file or "?", stop.line or 0, stop.text))
  if stop.callers then
    self.terminal:write(("      called from %s\n"):format(location.callers_text(stop.callers)))
  end
end

-- Prints the present stop and its line of the scenario.
function Stepper:show()
  local current_stop = self.here
  if current_stop.failed then
    self.terminal:write_error(report.error(current_stop.failed, { color = self.color }))
    return
  end
  self:head(current_stop)
  local source = current_stop.file and location.source(current_stop.file)
  local line = source and not current_stop.ended and location.line(source, current_stop.line)
  if line then self.terminal:write(("%5d | %s\n"):format(current_stop.line, line)) end
end

-- Reads commands until a command continues the scenario. At the end of the input, leaves.
function Stepper:prompt_until_move()
  local terminal = self.terminal
  while true do
    local line, why = terminal:read "(accdeep) "
    if why == "end" then return leave(self, nil) end
    if line then
      local word, argument = line:match "^%s*(%S*)%s*(.-)%s*$"
      if word == "" and self.last_motion then word, argument = table.unpack(self.last_motion) end
      terminal:remember(line)
      local command = inspect_commands.find(word, motions, inspect_commands.commands)
      if not command then
        terminal:write(("  there is no command '%s'; help lists them\n"):format(word))
      elseif command.run(self, argument) then
        if word ~= "back" and word ~= "b" then self.last_motion = { command[1] == "next" and "next" or "step", "" } end
        return
      end
    end
  end
end

-- Returns a true value if no output is wanted: an earlier run has shown it, or the user has left.
function Stepper:is_silent() return self.leaving or self.target and self.stop < self.target end

-- Handles the stop `stop`, a table {file, line, last, text, callers, failed, ended}: numbers it, shows it and reads
-- commands. Skips it if it is before the target, or if the condition for stopping is false. Raises the error that stops
-- a run if the user has left.
function Stepper:arrive(stop)
  if self.leaving then core.stop() end
  self.stop = self.stop + 1
  stop.number, self.here = self.stop, stop
  self.at = stop.file and { file = stop.file, line = stop.line }
  if self.target then
    if self.stop < self.target then return end
    self.target, self.reported = nil, #self.events
  elseif not stop.failed and not self.stop_condition(stop) then
    return
  end
  self.stop_condition = stop_always
  self:report_routines()
  self:show()
  self:prompt_until_move()
end

-- Stops before a construct or, if `ends` is true, the end of a region. Returns the function that is called after the
-- construct, with its error or nil.
function Stepper:directive(session, plan, ends)
  local source_location = plan.location
  local _, line_feeds = (source_location.text or ""):gsub("\n", "")
  local text = explain.format_directive(plan)
  self.asked = session
  self:arrive { file = source_location.file, line = source_location.line,
    last = (source_location.line or 0) + line_feeds,
    text = ends and "end of " .. text or text,
    callers = not ends and location.callers(source_location.file, source_location.line) or nil }
  local current_stop = self.here
  self.before = not self:is_skipping() and state_diff.snapshot(session, self.numbers) or nil
  self.events, self.reported = {}, 0
  return function(err)
    self.reported = #self.events
    if self:is_skipping() or self.target then return end
    -- `next` and `until` skip stops without printing them; their results need a heading.
    if self.printed_stop ~= current_stop.number then self:head(current_stop) end
    if err then return self.terminal:write "  fails, nothing is changed\n" end
    inspect_commands.show_event_list(self, self.events)
  end
end

-- Returns a true value if a construct is skipped without output. `continue` skips all constructs; going back skips all
-- except the last one before the target.
function Stepper:is_skipping()
  return self.leaving or self.stop_condition == stop_never or self.target and self.stop < self.target - 1
end

-- Stops at the failure `err`, before the effects of the failed statement are undone. Does nothing for expected errors,
-- limits, stack overflows and an error that already stopped.
function Stepper:failed(err)
  local session = self:session()
  local is_repeated = self.failure and self.failure.err == err and self.failure.session == session
  if is_repeated or self.leaving or session.now.expects_failure or diagnostic.is_limit(err) then return end
  if type(err) == "string" and err:find("stack overflow", 1, true) then return end
  self.failure = { err = err, session = session }
  local failure = scenario.to_diagnostic(err, self.file, self.run)
  self:arrive { failed = failure, file = failure.file, line = failure.line, last = failure.line or 0 }
end

-- Stops at the end of a case, while its data are visible. Does nothing if the case had no directive.
function Stepper:ended()
  if self.leaving then core.stop() end
  if self.asked ~= self:session() then return end
  self:arrive { ended = true, file = self.at and self.at.file, line = self.at and self.at.line, last = math.huge,
    text = "the end" }
end

-- ---------------------------------------------------------------------------------------- runs --

-- Runs the scenario once, up to its end or until the user leaves the run. Returns the record of the run.
function Stepper:pass(text, options)
  self.stop, self.leaving, self.failure, self.asked, self.at = 0, false, nil, nil, nil
  self.numbers, self.before, self.events, self.reported, self.printed_stop = {}, nil, {}, 0, 0
  local observers = options.anew and options.anew() or {}
  observers[#observers + 1] = {
    construct = function(...) return self:directive(...) end,
    failed = function(err) self:failed(err) end,
    ended = function() self:ended() end,
    event = function(event) table.insert(self.events, event) end,
    names = function(env, run)
      self.run = run
      self.prepare(env)
    end,
  }
  return scenario.run(self.file, text, setmetatable({
    observers = observers,
    out = function(s) if not self:is_silent() then self.terminal:write(s) end end,
    -- a limit installs the hook that keys interrupt
    limit_steps = options.limit_steps > 0 and options.limit_steps or math.maxinteger,
  }, { __index = options }))
end

-- Steps through a scenario. `options`: options of scenario.run, and `anew`, a function that returns the other observers
-- for each run. `terminal`: terminal.lua. `color`: errors are colored. Returns the record of the last run, or nil if
-- the user left before the end.
local function stepper(file, text, options, terminal, color)
  local self = setmetatable({ file = file, terminal = terminal, color = color, stop_condition = stop_always,
    prepare = reproducible() }, Stepper)
  terminal.words = function(stem) return self:words(stem) end
  terminal:write "  Enter steps, help lists commands\n"
  if options.trust then terminal:write "  what the scenario does to files is done again by each step back\n" end
  while true do
    local record = self:pass(text, options)
    if core.interrupted() and not self.leaving then
      if self.stop == 0 then return nil end
      self.target, self.stop_condition = self.stop, stop_always
      terminal:write "  interrupted: back at the last step\n"
    elseif not self.leaving then
      return record
    elseif not self.target then
      return nil
    end
  end
end

return stepper
