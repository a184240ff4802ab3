-- runner.lua - executes steps in a session.
--
-- A runner is a table {session, open}; `open`: the open regions as {region, number}, the innermost one last. A step is
-- compiled once, and executed in any runner of an equal session.

local closures = require "accdeep.backend.closures"
local diagnostic = require "accdeep.base.diagnostic"
local steps = require "accdeep.steps"

local runner = {}

local Runner = {}
Runner.__index = Runner

-- Functions that compile a step to a function of a runner, by kind. The function executes the step and raises errors.
-- Errors of the core that need no description are reported to runner.report(session, plan, err) instead, if it is set.
local compilers = {}

-- Compiles a directive. A region that it opens is appended to `open`; a later `end` step closes it.
function compilers.acc(step)
  local kind, text, body, file, line = step.kind, step.text, step.body or "", step.file, step.line
  local body_location = { file = file, line = line }
  return function(self)
    local session = self.session
    local result = session[kind](session, text, nil, file, line, self.report)
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
    local session = self.session
    if session.language.name ~= "c" then
      return session:with_text(step.text, step.file, step.line, session.value, session, session:host_env(), step.text)
    end
    local statement = not session.now.replaced and cached_statement
      or closures.run(session:host_env(), session:parse(steps.expression(step), "expression"))
    if not session.now.replaced then cached_statement = statement end
    statement {}
  end
end

-- Compiles statements of Fortran on the host.
function compilers.fortran(step)
  return function(self) self.session:declare(step.text, step.file, step.line) end
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
function Runner:run(step) return runner.compile(step)(self) end

-- Closes the open regions, the innermost first; regions whose end fails are abandoned.
function Runner:close_regions()
  while #self.open > 0 do
    if not pcall(self.run, self, { kind = "end" }) then table.remove(self.open).region:abandon() end
  end
end

-- Returns a runner for a session, without open regions.
function runner.new(session) return setmetatable({ session = session, open = {} }, Runner) end

return runner
