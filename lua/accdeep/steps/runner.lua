-- runner.lua - executes steps in a session.
--
-- A runner is a table {session, open}; `open`: the open regions as {region, number}, the innermost one last. A step can
-- be compiled once and executed in any runner of an equal session.

local closures = require "accdeep.backend.closures"
local api_routines = require "accdeep.run.api_routines"
local diagnostic = require "accdeep.base.diagnostic"
local session = require "accdeep.run.session"
local steps = require "accdeep.steps"

local runner = {}

local Runner = {}
Runner.__index = Runner

-- Functions that compile a step to a function of a runner, by kind. The function executes the step and raises errors.
-- Errors of the core that need no description are reported to runner.report(session, plan, err) instead, if it is set.
local compilers = {}

-- Compiles a directive. A region that it opens is appended to `open`; a later `end` step closes it.
function compilers.acc(step)
  local kind, text, body, file, line = step.kind, step.text, step.body or "", step.file or "step", step.line or 1
  local body_location = { file = file, line = line }
  return function(self)
    local result = self.session[kind](self.session, text, nil, file, line, self.report)
    if type(result) == "function" then return result(body, step.body and body_location) end
    if result then self.open[#self.open + 1] = { region = result, number = step.number } end
  end
end
compilers.omp = compilers.acc

-- Compiles a kernel: the compute construct that executes its statements.
function compilers.kernel(step) return compilers.acc(step.construct) end

-- Compiles a statement of the host. A statement in C is parsed once. Inside of a region that replaces names by device
-- addresses (host_data, use_device_ptr), it is compiled again in each execution.
function compilers.host(step)
  local cached_statement -- the compiled statement, for use outside of such regions; nil: not yet compiled
  return function(self)
    local s = self.session
    if s.language.name ~= "c" then
      return s:with_text(step.text, step.file, step.line, s.value, s, s:host_env(), step.text)
    end
    local statement = not s.now.replaced and cached_statement
      or closures.run(s:host_env(), s:parse(steps.expression(step), "expression"))
    if not s.now.replaced then cached_statement = statement end
    statement {}
  end
end

-- Compiles statements of Fortran on the host.
function compilers.fortran(step)
  return function(self) self.session:declare(step.text, step.file, step.line) end
end

-- Compiles a call of a routine of OpenACC that takes a variable or a section.
function compilers.routine(step)
  local location = { file = step.file or "step", line = step.line or 1 }
  return function(self) api_routines.routines[step.name](self.session, location, step.text) end
end

-- Returns the index in `open` of the region that an `end` step closes, or 0 if there is no such region. It is the last
-- region that the step with the number step.opener opened; without `opener`, the innermost region.
function runner.ended_by(self, step)
  local at = #self.open
  while step.opener and at > 0 and self.open[at].number ~= step.opener do at = at - 1 end
  return at
end

-- Compiles the end of a region. Executing it raises region-nesting if no such region is open.
compilers["end"] = function(step)
  return function(self)
    local at = runner.ended_by(self, step)
    if at == 0 then diagnostic.raise("region-nesting", nil, "no region is open", { rule = "DIR-4.3-06" }) end
    self.open[at].region:close()
    table.remove(self.open, at)
  end
end

-- Returns a step as a function of a runner that executes it.
function runner.compile(step) return compilers[step.kind](step) end

-- Executes a step. Raises its error.
function Runner:run(step) runner.compile(step)(self) end
-- Executes a list of steps, up to the first error, which it raises.
function Runner:run_all(list)
  for _, step in ipairs(list) do self:run(step) end
end

-- Closes the open regions, the innermost first; regions whose end fails are abandoned.
function Runner:close_regions()
  while #self.open > 0 do
    if not pcall(self.run, self, { kind = "end" }) then table.remove(self.open).region:abandon() end
  end
end

-- Returns a runner for the session `s`, without open regions.
function runner.new(s) return setmetatable({ session = s, open = {} }, Runner) end

-- Returns a runner for a new session with these options (run/session.lua) and declarations. The caller closes the
-- session.
function runner.open(options, declarations)
  local self = runner.new(session.new(options))
  self.session:declare(declarations, "declarations", 1)
  return self
end

return runner
