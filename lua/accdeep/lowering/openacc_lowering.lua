-- openacc_lowering.lua - lowers a typed directive of OpenACC to the construct IR, a plan (construct_ir.lua).
--
-- Input: a typed directive (sema/clauses/openacc_analysis.lua). Output: a plan with items, its operands, which the core
-- maps. run/directive_dispatch.lua calls it through run/openacc_execution.lua.
--
--   requests {clause, action, item, word, members}   typed list items, and what is mapped of them.
--     |  language.items.object, pointer              c_items.lua or fortran_section.lua.
--     v
--   items: base, count, symbol, mapping program      mapping_compiler.lua compiles typed members.
--
-- Invariants: items are in the order of their requests. Nothing on the device changes here: the core executes the plan
-- later. C raises no errors here but the limit of registers; Fortran's list items are analysed with their values.

local new_plan = require "accdeep.lowering.construct_ir".new
local unparse = require "accdeep.syntax.unparse"

local openacc_lowering = {}

-- Returns the sections of pointers that requests name: text of the pointer -> {subscript, unit} (section.lua). An alias
-- p[@base] lies in the section of `base` in this table.
local function sections_of(requests)
  local sections = {}
  for _, request in ipairs(requests) do
    local section = request.item and request.item.section
    if section and section.dimensions and section.type.kind == "pointer" and section.dimensions[1].tag == "section" then
      sections[unparse.expression(request.item.base)] = { subscript = section.dimensions[1],
        unit = section.type.to.size }
    end
  end
  return sections
end

-- Returns the plan of a typed directive. options: file and line of the directive, its location and language. Raises for
-- errors of Fortran's list items.
function openacc_lowering.lower(directive, options)
  local session = directive.session
  local plan = new_plan(session, directive.node, directive.kind, options, directive)
  plan.sections = sections_of(directive.requests)
  for _, request in ipairs(directive.requests) do
    local item
    if request.action == "attach" or request.action == "detach" then
      plan:pointer(request)
    else
      item = plan:object(request)
    end
    local name = request.registers
    if name then plan.named[name] = plan.named[name] or item end
  end
  if session.language.check_completed then session.language.check_completed(plan) end
  return plan
end

return openacc_lowering
