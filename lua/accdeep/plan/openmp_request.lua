-- openmp_request.lua - what a list item of a map or motion clause asks for, as plan/requests.lua says.

local compile = require "accdeep.shape.compile"
local diagnostic = require "accdeep.base.diagnostic"
local directive = require "accdeep.check.openmp"
local mapper = require "accdeep.shape.mapper"
local policy = require "accdeep.shape.policy"
local types = require "accdeep.types"

local raise = diagnostic.raise

local exit_actions = { from = "copyout", tofrom = "copyout", to = "delete", alloc = "delete", release = "delete",
  delete = "delete" }

-- How objects of a type are treated by a request: the core's action, program, flags.
local function mapped(plan, request, t)
  local session, says = plan.session, request.says
  local treatment
  if types.is_record(t) then
    local made = mapper.named(session, t, says.mapper, says.mapper_pos)
    treatment = mapper.treatment(session, t, made, request.asks)
  elseif says.mapper and says.mapper ~= "default" then
    raise("not-a-struct", says.mapper_pos, ("%s has no mappers"):format(types.name(t)), { rule = "OMP60-map-15" })
  end
  request.treatment = treatment
  local code, flags = policy.code(treatment and treatment.own or request.action)
  local program = treatment and compile.program(session, treatment, request.node.pos) or nil
  return code, program, flags | mapper.bits(request.asks.flags)
end

-- A request. asked: the action; map_type: as directives say it; says: modifiers (check/openmp.lua).
return function(plan, clause, node, asked, map_type, says)
  local update = plan.kind == "update"
  local exit = plan.kind == "exit data"
  local request = { session = plan.session, clause = {}, from = clause, node = node, action = asked, kind = plan.kind,
    update = update, present_or = true, try = (update or exit) and not says.present, says = says }
  request.asks = { type = map_type, kind = plan.kind, update = update, flags = mapper.flags(says, map_type),
    actions = exit and exit_actions or directive.map_actions }
  function request.mapped(t) return mapped(plan, request, t) end
  return request
end
