-- repl.lua - `accdeep repl`: executes statements of the scenario language one after another.
--
-- Accepted statements are recorded. After a failed statement, or `undo`, a new session executes the file and the
-- accepted statements again, so that the state always results from these alone. cli/repl.lua calls the function that
-- this module returns.

local reproducible = require "accdeep.tools.interactive.reproducible"
local core = require "accdeep.core"
local default_profile = require "accdeep.script.default_profile"
local diagnostic = require "accdeep.base.diagnostic"
local draw = require "accdeep.inspect.draw"
local files = require "accdeep.tools.files"
local state_diff = require "accdeep.inspect.state_diff"
local input = require "accdeep.tools.interactive.input"
local location = require "accdeep.base.location"
local inspect_commands = require "accdeep.tools.interactive.inspect_commands"
local report = require "accdeep.base.report"
local scenario = require "accdeep.script.scenario"
local value_text = require "accdeep.script.value_text"
local system = require "accdeep.system"
local strings = require "accdeep.base.strings"

local Repl = {}
Repl.__index = Repl

-- ------------------------------------------------------------------------------------ commands --

-- Marks this session as left: a new one then executes the accepted statements. Returns true, which ends the loop of
-- lines.
local function restart(self)
  self.leaving = true
  return true
end

-- Removes the last statements, as many as the argument says ("": one), from the accepted ones. Returns true, or nothing
-- after printing a message.
local function undo(self, argument)
  local n = argument == "" and 1 or math.tointeger(tonumber(argument))
  if not n or n < 1 or n > #self.accepted then
    return self.terminal:write(#self.accepted == 0 and "  there is nothing to take back\n"
      or ("  undo takes a number from 1 to %d\n"):format(#self.accepted))
  end
  for _ = 1, n do
    self.terminal:write(("  taken back: %s\n"):format(table.remove(self.accepted)))
  end
  return restart(self)
end

-- Returns a scenario's text with `rules` as the rule profile of its head; adds a head if it has none.
local function with_rules(text, rules)
  local setting = ("rules = %q"):format(rules)
  local from = ("\n" .. text):find "\nscenario%s*{"
  for brace in (from and text or ""):gmatch("()}", from) do
    local head = text:sub(from, brace)
    if load(head, "=", "t") then -- text ends at the head's closing brace
      local fields = head:match "{%s*(.-)[%s,;]*}$"
      return ("%sscenario { %s%s }%s"):format(text:sub(1, from - 1), fields ~= "" and fields .. ", " or "", setting,
        text:sub(brace + 1))
    end
  end
  return ("scenario { %s }\n%s"):format(setting, text)
end

-- Returns the text of the file and the accepted statements as the text of a scenario, which has the rules of this
-- session wherever it is run.
local function script(self)
  local parts = { self.text ~= "" and self.text:gsub("\n?$", "\n") or nil }
  -- A local variable ends with its statement at the prompt, therefore it gets a block of its own here.
  for _, text in ipairs(self.accepted) do
    parts[#parts + 1] = text:find "^%s*local%s" and "do " .. text .. " end\n" or text .. "\n"
  end
  local text, default = table.concat(parts), self.run.default_rules
  local rules = self.rules
    or self:session().rules.name == default and default_profile.of(text) ~= default and default
  return rules and with_rules(text, rules) or text
end

-- Writes the file's text and the accepted statements to a file as a scenario; replaces an existing file only with -f.
-- Prints a message, also if that fails. `argument`: the text after the word save.
local function save(self, argument)
  local force, path = argument:match "^(%-f%s+)(.*)$"
  path = path or argument
  local terminal = self.terminal
  if path == "" or path == "-f" then return terminal:write "  save takes a file: save FILE\n" end
  if not force and system.filetype(path) then
    return terminal:write(("  %s is there already; save -f %s replaces it\n"):format(path, path))
  end
  local ok, file = pcall(files.open, path)
  if not ok then return terminal:write(("  %s\n"):format(file.message)) end
  ok = file:write(script(self))
  if not (file:close() and ok) then return terminal:write(("  cannot write %s\n"):format(path)) end
  terminal:write(("  %s in %s\n"):format(strings.count(#self.accepted, "statement"), path))
  local session = self:session()
  for device = 0, session.devices - 1 do
    if #session.device_side.regions[device] > 0 then
      return terminal:write "  a region is open at its end: there the scenario fails, until that is closed\n"
    end
  end
end

local commands = {
  { "undo", "u", usage = "undo [N]", about = "take back the last statement, or N", run = undo },
  { "save", usage = "save FILE", about = "write what was accepted as a scenario", run = save },
  { "history", usage = "history", about = "what was accepted", run = function(self)
    for i, text in ipairs(self.accepted) do self.terminal:write(("%4d  %s\n"):format(i, text)) end
  end },
  { "help", "h", "?", usage = "help", about = "this list", run = function(self) self:help() end },
  { "quit", "q", "exit", usage = "quit", about = "leave", run = function(self, argument)
    if argument ~= "" then return self.terminal:write "  quit takes no arguments; nothing was done\n" end
    self.leaving, self.done = true, true
    return true
  end },
}

-- Prints what may be typed, and the commands.
function Repl:help()
  self.terminal:write("  A statement of the scenario language; an expression; a directive, as in data copy(X).\n"
    .. inspect_commands.help(commands, inspect_commands.commands))
end

-- Returns the current session.
function Repl:session() return self.run.session end

-- Returns the words that may complete the input after `stem` (inspect_commands.names): names, and for "" also commands.
function Repl:words(stem)
  local words = inspect_commands.names(self:session(), stem)
  if stem == "" then
    for _, list in ipairs { commands, inspect_commands.commands } do
      for _, command in ipairs(list) do words[#words + 1] = command[1] end
    end
    for name, item in next, self.env do
      if type(name) == "string" and item then words[#words + 1] = name end
    end
  end
  return words
end

-- ---------------------------------------------------------------------------------- statements --

-- Prints and records an error. The gravest recorded error determines the exit status. `file`: the file of errors
-- without a location.
function Repl:report_error(err, file)
  local failure = scenario.to_diagnostic(err, file, self.run)
  self.failures[#self.failures + 1] = { ok = false, error = report.to_plain_data(failure) }
  self.terminal:write_error(report.error(failure, { color = self.color, explained = self.explained_codes }))
end

-- Executes the accepted statement `number` again. An error is raised; self.replaying is then the number.
function Repl:replay(number)
  local name = "input " .. number
  local text = self.accepted[number]
  location.remember(name, text)
  local _, fn = input.compile(text, "@" .. name, self.env)
  self.replaying = number
  core.restart_limits()
  fn()
  self.replaying = nil
end

-- Prints the values of an expression, except regions. Without values, prints nothing for a call (is_call), otherwise
-- "nil".
local function show_results(self, results, is_call)
  local parts = {}
  for _, value in ipairs(results or {}) do
    local mt = getmetatable(value)
    if type(mt) ~= "table" or mt.__name ~= "region" then parts[#parts + 1] = value_text.text(value) end
  end
  if #parts == 0 and not is_call then parts[1] = "nil" end
  if #parts > 0 then self.terminal:page(table.concat(parts, "\t") .. "\n") end
end

-- Returns true if a line that is not Lua looks like a declaration of C, such as int y = 3;
local function is_declaration(text) return text:find "^%s*[%a_][%w_]*[%s*]+[%a_][^\n]*;%s*$" ~= nil end

-- Chooses the default profile, that of a scenario with the statement `text`, if this is the first one with a directive,
-- and the session has its default. Returns true if it is another one than before, so that a new session must be
-- started; that executes `text`.
function Repl:choose_profile(text)
  local default, wanted = self.run.default_rules, default_profile.of(text)
  if self.rules or self:session().rules.name ~= default or wanted == default then return false end
  local before = self.text .. "\n" .. table.concat(self.accepted, "\n")
  if not next(default_profile.languages(text)) or next(default_profile.languages(before)) then return false end
  self.terminal:write(("  rules: %s, by the first directive\n"):format(wanted))
  self.default_rules, self.pending = wanted, text
  return restart(self)
end

-- Executes a statement; records it if it succeeds, and reports its error otherwise. Returns true if a new session must
-- be started, because the statement failed or needs another profile. Raises if a limit was exceeded.
function Repl:execute(text)
  local name = "input " .. #self.accepted + 1
  location.remember(name, text)
  local kind, fn = input.compile(text, "@" .. name, self.env)
  if kind == "wrong" or kind == "incomplete" then
    local line, message = fn:match ":(%d+): (.*)$"
    self:report_error(diagnostic.new { code = "syntax", message = message or fn, file = name,
      line = tonumber(line) or 1, rule = "HOUSE-scenario", help = is_declaration(text)
        and ("a declaration of C is written as a text: declare %s"):format(input.quote(text)) or nil }, name)
    return false
  end
  if self:choose_profile(text) then return true end
  self.before, self.events = state_diff.snapshot(self:session(), self.numbers), {}
  core.restart_limits()
  self.running = text
  local ok, results = pcall(fn)
  if ok then
    local is_complete, err = pcall(scenario.check_bodies, self:session())
    if not is_complete then ok, results = false, err end
  end
  if diagnostic.is_limit(results) then error(results, 0) end
  self.running = nil
  if not ok then
    self:report_error(results, name)
    return restart(self)
  end
  -- A call is an expression and a statement. Only statements are accepted, because other expressions change nothing.
  local is_statement = load(text, "=", "t") ~= nil
  show_results(self, results, is_statement)
  if #self.events > 0 then inspect_commands.show_event_list(self, self.events) end
  if is_statement then self.accepted[#self.accepted + 1] = text end
  if text:find "^%s*local%s" then
    self.terminal:write "  a local variable ends with its statement: without 'local' it stays\n"
  end
  return false
end

-- ------------------------------------------------------------------------------------- reading --

-- Reads lines until is_whole(text) is true, and returns `text` with these lines. Returns nil if the user cancels, by
-- the interrupt key or the word quit. At the end of a file it returns what was read. `awaited`: description of what
-- completes the text of a directive, or nil for a statement.
function Repl:more(text, is_whole, awaited)
  local is_terminal = self.terminal.is_terminal
  if is_terminal and not is_whole(text) then
    self.terminal:write(awaited and ("  now %s. Ctrl-C takes the directive back.\n"):format(awaited)
      or "  the statement continues. Ctrl-C takes it back.\n")
  end
  while not is_whole(text) do
    local line, why = self.terminal:read ">> "
    if not line then return why == "end" and not is_terminal and text or nil end
    if is_terminal and line:find "^%s*quit%s*$" then return nil end
    text = text .. "\n" .. line
  end
  return text
end

-- Returns the language, the text and the flag of a body if a line is a directive (input.directive), otherwise nil.
function Repl:is_directive(line)
  return input.directive(line, self.env, self:session().now.scope:names(), self:session().rules.is_openmp)
end

-- Returns the line of a directive as a Lua statement, with the body that it may need; reads further lines for both.
-- Returns nil if the user cancels.
function Repl:directive(line)
  local is_continued, rest = input.is_continued(line)
  while is_continued do
    local next_line = self.terminal:read ">> "
    if not next_line then return nil end
    next_line = next_line:gsub("^%s*!%$%a+%s*&?", ""):gsub("^%s*#%s*pragma%s+%a+", "")
    is_continued, next_line = input.is_continued(next_line)
    rest = rest:gsub("%s+$", "") .. " " .. next_line:gsub("^%s+", "")
  end
  local word, text, has_body = self:is_directive(rest)
  if not has_body then return ("%s %s"):format(word, input.quote(text)) end
  local body
  if self:session().language.has_paragraphs then
    body = self:more("", function(lines) return lines:find "\n%s*$" and lines:find "%S" end,
      "the construct's body, up to an empty line")
  else
    body = self:more("", input.is_whole_body, "the construct's body, a statement of C that ends with ; or }")
  end
  return body and ("%s %s %s"):format(word, input.quote(text), input.quote((body:gsub("^\n", ""))))
end

-- Returns the Lua statement for a line that begins with a variable of the scenario, such as an assignment; nil if the
-- line is an expression whose value is printed.
local function about_variable(text)
  local chunk = load("host." .. text, "=", "t")
  return chunk and not load("return host." .. text, "=", "t") and "host." .. text or nil
end

-- Handles a line: a command, a directive, an expression or a statement. Returns true if this session ends, because the
-- user leaves or a new session must execute the accepted statements. Otherwise returns false or nil.
function Repl:handle(line)
  local word, rest = line:match "^%s*([%a_?][%w_]*)(.*)$"
  -- The single word `exit` is the command, although `exit` also begins directives such as exit data.
  local is_directive = not line:find "^%s*exit%s*$" and self:is_directive(line)
  local command = word and not is_directive and inspect_commands.find(word, commands, inspect_commands.commands)
  if command and input.is_command(rest) and not self:session().now.scope:names()[word] then
    self.terminal:remember(line)
    return command.run(self, rest:match "^%s*(.-)%s*$")
  end
  local text = line
  if is_directive then
    text = self:directive(line)
  elseif word and rawget(self.env, word) == nil and self:session().now.scope:names()[word] then
    text = about_variable(line)
    if not text then
      self.terminal:remember(line)
      inspect_commands.print(self, line:match "^%s*(.-)%s*$")
      return false
    end
  else
    text = self:more(text, function(lines) return (input.compile(lines, "=", self.env)) ~= "incomplete" end)
  end
  if not text then return false end
  self.terminal:remember((text:gsub("\n", " ")))
  return self:execute(text)
end

-- Replays the accepted statements, then handles lines until the session ends.
function Repl:loop()
  self.looping = true
  for i = 1, #self.accepted do
    if i == #self.accepted then self.before, self.events = state_diff.snapshot(self:session(), self.numbers), {} end
    self:replay(i)
  end
  core.restart_limits()
  self.silent = false
  local pending = self.pending
  self.pending = nil
  if pending and self:execute(pending) then return end
  while true do
    local line, why = self.terminal:read "> "
    if why == "end" then
      self.leaving, self.done = true, true
      return
    end
    if line and line:find "%S" and not line:find "^%s*%-%-[^%[]*$" and self:handle(line) then return end
  end
end

-- ---------------------------------------------------------------------------------------- runs --

-- Runs one session: the file, the accepted statements, and the user's input. Returns the record of the run
-- (scenario.run).
function Repl:pass(options)
  self.leaving, self.looping, self.running, self.replaying, self.before, self.events = false, false, nil, nil, nil, {}
  return scenario.run(self.file, self.text, setmetatable({
    observers = { {
      -- If the user left at a failure of the file, no further construct of the file is executed.
      construct = function() if self.leaving then core.stop() end end,
      failed = function(err) self:failed(err) end,
      last = function() if not self.leaving then self:loop() end end,
      event = function(event) table.insert(self.events, event) end,
      names = function(env, run)
        self.env, self.run = env, run
        self.prepare(env)
      end,
    } },
    out = function(s) if not self.silent then self.terminal:write(s) end end,
    draw = function(session, name) if not self.silent then draw.save(session, files.prepare_output(name)) end end,
    limit_steps = options.limit_steps > 0 and options.limit_steps or math.maxinteger,
    default_rules = self.default_rules,
  }, { __index = options }))
end

-- Lets the user continue in the state in which the file failed, after its error was printed. Does nothing for expected
-- errors, limits and stack overflows, for errors of typed statements, and if the session is being left.
function Repl:failed(err)
  if self.looping or self.leaving or self:session().now.expects_failure or diagnostic.is_limit(err) then return end
  if type(err) == "string" and err:find("stack overflow", 1, true) then return end
  if not self.silent then self:report_error(err, self.file) end
  local failure = scenario.to_diagnostic(err, self.file, self.run)
  self.at = failure.line and { file = failure.file, line = failure.line }
  self:loop()
end

-- Prints and removes the accepted statements that could not be executed again. Precondition: self.replaying is the
-- first of these.
function Repl:leave_out()
  local terminal = self.terminal
  terminal:write "  these could not be done again:\n"
  for i = self.replaying, #self.accepted do terminal:write(("%4d  %s\n"):format(i, self.accepted[i])) end
  for i = #self.accepted, self.replaying, -1 do self.accepted[i] = nil end
end

-- Reads and executes statements until the user leaves. Returns the list of failures. `file`, `text`: a scenario that is
-- executed first, or nil. `options`: options of scenario.run. `terminal`: terminal.lua. `color`: errors are colored.
local function repl(file, text, options, terminal, color)
  local self = setmetatable({ file = file or "input", text = text or "", rules = options.rules, terminal = terminal,
    color = color,
    accepted = {}, failures = {}, explained_codes = {}, numbers = {}, prepare = reproducible() }, Repl)
  terminal.words = function(stem) return self:words(stem) end
  while true do
    local record = self:pass(options)
    self.silent = true
    if self.done then return self.failures end
    -- The run ended by itself: by a limit, the interrupt key, or because the file's text is not Lua.
    if not self.leaving then
      core.interrupted()
      for _, case in ipairs(record.cases) do
        if case.error then self:report_error(case.error, self.file) end
      end
      if self.replaying then
        self:leave_out()
      elseif not self.running then
        return self.failures
      end
    end
  end
end

return repl
