-- host_privatization.lua - private variables of constructs that the host runs: their names are bound to new memory
-- while the body runs. `copies` lists these variables: {variable, pos, begins, lasts}.

local diagnostic = require "accdeep.base.diagnostic"
local local_memory = require "accdeep.backend.local_memory"
local scope = require "accdeep.types.scope"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local types = require "accdeep.types"
local with_fields = require "accdeep.base.with_fields"

local host_privatization = {}

-- Number of constructs with private variables so far; the current number is a part of the keys of cached plans
-- (plan_cache.lua).
local constructs = 0

-- Raises if a variable that a clause makes private has a descriptor: an allocatable, a pointer or an assumed-shape
-- array of Fortran.
function host_privatization.needs_memory(variable, pos)
  if variable.type.kind ~= "descriptor" then return end
  diagnostic.raise("unsupported", pos, ("'%s' is %s: private copies of such are not made"):format(variable.name,
    types.name(variable.type)), { length = #variable.name, rule = "HOUSE-threads",
    help = "declare a variable with bounds for the private values" })
end

-- Calls fn with private copies of variables. copies: list of {variable, pos, begins, lasts}. begins: true if the copy
-- is initialised from the original; lasts: true if it is copied back after fn. Raises for variables with a descriptor.
-- If fn raises, nothing is copied back and the error is raised.
function host_privatization.run(session, copies, fn)
  local block_count, inner = #session.now.private_blocks, scope.new(session.now.scope)
  local ok, err = pcall(function()
    local blocks = {}
    for i, copy in ipairs(copies) do
      host_privatization.needs_memory(copy.variable, copy.pos)
      local name, t = copy.variable.name, copy.variable.type
      local block = local_memory.new(session, name, t, t.size, { is_private = true })
      blocks[i] = block
      if copy.begins then local_memory.copy(session, block.address, copy.variable.address, t.size) end
      inner.variables[name] = { name = name, type = t, address = block.address }
    end
    constructs = constructs + 1
    with_fields(session.now, { scope = inner, private_scope = constructs }, fn)
    for i, copy in ipairs(copies) do
      if copy.lasts then local_memory.copy(session, copy.variable.address, blocks[i].address, blocks[i].bytes) end
    end
  end)
  local_memory.release(session, block_count)
  if not ok then error(err, 0) end
end

-- Calls fn, which executes a compute construct of a plan on the host, with private copies of the variables that would
-- be private on a device. Raises fn's error. Decides ACC33-impl-1, OMP60-tgt-1.
function host_privatization.run_with_copies(session, plan, fn)
  local copies = {}
  for _, private in sorted_pairs(plan.private) do
    copies[#copies + 1] = { variable = private.variable, begins = private.attribute ~= "private" }
  end
  if #copies == 0 then return fn() end
  host_privatization.run(session, copies, fn)
end

return host_privatization
