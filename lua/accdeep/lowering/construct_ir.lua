-- construct_ir.lua - the construct IR: a plan, the lowered form of one directive of a text. It is plain data, which
-- ir_text.lua prints and tools/emit makes functions of; lua/binding makes the core's construct of it.
--
-- openacc_lowering.lua and openmp_lowering.lua make plans of directives; run/ executes them; run/plan_cache.lua retains
-- them.
--
--   plan                    the operation; plan.kind: "enter data", "update", "compute", ...
--     items                 the operands, in order: one per object, section, block or pointer.
--       action, flags       what the core does with the bytes: copyin, delete, attach, always, ...
--       code, registers     register code that computes the addresses on the host, and its number of registers.
--       base, count, start  numbers of registers with the address of element 0, the number of elements, and the index
--                           of the first element (nil: 0); unit: bytes of one element.
--       slot, slot_address  address of the pointer cell, the memory of the pointer that the core attaches: slot is a
--                           register with the address, slot_address a symbol or a constant address.
--       program             mapping program, which maps the members: {name, stride, pieces, fields, code, registers,
--                           params, excluded, members} (mapping_compiler.lua, accd_program_spec).
--       label               name in messages and events: {name, unit, section, element, member, round, file, line,
--                           layout, pointer, array} (accd_label).
--     private, deviceptr, use_device   variables in these clauses, which have no operand.
--   symbol                  stands for an integer in code: {value, key, variable?, offset?} the address of a variable
--                           (codegen.symbol), {value, key, name, fn, record} a function (Session:bound_function).
--
-- Life of a plan: a lowering calls `new`, its language adds items by Plan:object and :pointer, and `prepare`
-- makes the core's construct of them. Each time the directive is encountered, the core runs the items' code, then the
-- construct. A plan with single_use is discarded after one execution; others are cached (run/plan_cache.lua).
--
-- Invariants: a plan has only fields that the table `fields` names, an item only those in `item_fields`. Any other name
-- raises an error that suggests the closest name. An item is complete when Plan:add receives it. Item numbers are their
-- positions.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local strings = require "accdeep.base.strings"

local construct_ir = {}

-- Fields of a plan, with their meanings.
local fields = {
  -- Identity of the directive.
  session = "the session", node = "AST of the directive", kind = "operation, from the directive's definition",
  file = "name of the file with the directive", line = "line of the directive in the file, from 1",
  location = "{text, file, line} of the directive, for errors",
  openmp = "true for OpenMP", language = "OpenACC or OpenMP (run/directive_dispatch.lua); false: none",
  -- Results of lowering its clauses.
  items = "operands, in order", named = "variable -> its item", clauses = "the clauses, lowered",
  private = "variable -> {attribute, variable}", deviceptr = "variables that hold device addresses",
  use_device = "variables that stand for device addresses in the region",
  attached = "pointers that clauses attach",
  pointers = "pointer members that are mapped with a section", sections = "sections of pointers, for aliases",
  absent = "true if a clause names an absent optional argument", default = "the word of default",
  if_present = "true if absent data are skipped", finalize = "true if counters are set to 0",
  condition = "AST of the condition", on_self = "AST of self's condition", on_device = "AST of the device's number",
  device_num = "AST of the number that set, init or shutdown gives", default_async = "AST of the default queue",
  async = "the async clause", waiting = "the argument of a wait directive", waits = "wait clauses",
  sizes = "ASTs of numbers of gangs, workers and lanes: {name, e}",
  ordered = "true if a queue or a wait is requested", persistent = "allocatables of declare",
  typed = "polymorphic descriptors of the construct",
  -- Fields that only OpenMP uses.
  defaults = "category -> behaviour of defaultmap", device_addresses = "variables of has_device_addr",
  partly = "structures of which members are mapped", roots = "variables that maps name",
  bases = "base pointers of maps",
  looked_up = "references that are looked up by address", several = "pointers with several sections",
  request = "function that makes the item of a request",
  self_maps = "function for maps with self: wraps the condition, which then requires execution on the host",
  -- Execution and caching.
  construct = "the core's construct", condition_value = "function that computes the condition",
  single_use = "true if the plan is valid for one execution",
  runs_directly = "true if only the construct runs",
  thunk = "function that executes the plan without checks", acc = "its file, if it is OpenACC's and has a thunk",
  omp = "its file, if it is OpenMP's and has a thunk", watched = "bounds that are compared at the end",
  measured = "host values that the plan depends on", scope = "the scope it was made in",
  scope_version = "version of the scope when the plan was made",
}

-- Fields of an item that lua/binding reads. They are fields of the core's accd_item, or registers that hold such fields
-- after the item's code ran.
local item_fields = strings.word_set("action flags label unit code registers base count start origin slot slot_address",
  "slot_bytes program indices frame room dims run")

-- Fields of an item that only Lua reads, with their meanings.
for name, meaning in pairs {
  pos = "position in the directive's text", name = "the list item", places = "positions of the members it stands for",
  clause = "the clause", node = "AST of the list item", member_mapping = "member mapping of its objects",
  element = "type of its elements", variable = "the variable's name", alias = "the pointer of an alias",
  number = "its position among the plan's items",
  first = "of Fortran: address of its first byte", bytes = "of Fortran: bytes from there on",
  home = "of Fortran: the variable", inside = "of Fortran: true if it is a part of its variable",
} do item_fields[name] = meaning end

-- Fields of a typed directive (sema/clauses/openacc_analysis.lua) that its plan has, too.
local from_directive = strings.word_set("private deviceptr use_device attached clauses absent default if_present "
  .. "finalize condition on_self on_device self_maps defaults device_addresses roots bases device_num default_async "
  .. "async waiting waits sizes ordered single_use")

-- Raises if the table `names` has no key `name`. record_name: noun of the record in the message, such as "a plan".
local function check(names, record_name, name)
  if names[name] then return end
  local near = diagnostic.closest(tostring(name), names)
  local help = near and (", is it '%s'?"):format(near) or ""
  error(("%s has no field '%s'%s"):format(record_name, tostring(name), help), 3)
end

local Plan = {}
Plan.__index = Plan
-- Sets a field of a plan for the first time; raises if `fields` has no field of this name.
function Plan:__newindex(name, value)
  check(fields, "a plan", name)
  rawset(self, name, value)
end

-- Returns a plan without items for a directive. node: AST; kind: operation; options: {file, line, location, language};
-- directive: the typed directive, whose fields of the same names it gets, or nil.
function construct_ir.new(session, node, kind, options, directive)
  local plan = { session = session, node = node, kind = kind, items = {}, named = {}, pointers = {}, sections = {},
    file = options.file, line = options.line, location = options.location, language = options.language,
    private = {}, deviceptr = {}, use_device = {}, attached = {}, runs_directly = false,
    thunk = false, watched = false, acc = false, omp = false }
  for name, value in next, directive or {} do if from_directive[name] then plan[name] = value end end
  return setmetatable(plan, Plan)
end

-- Returns a label, which names an item in messages and events. unit: bytes of an element; kind: "section", "element" or
-- nil (the whole object); layout: the members, or nil; rows: dimensions inside an element, or nil.
function Plan:label(name, unit, kind, layout, rows)
  local label = { name = name, unit = unit, layout = layout, array = rows, file = self.file, line = self.line }
  if kind then label[kind] = true end
  return label
end

-- Appends the complete item to the plan and returns it. b: builder with the item's code; request: the request that it
-- lowers (requested_action.lua). Raises if the item has an unknown field.
function Plan:add(item, b, request)
  item.places = request.clause and request.clause.places
  item.clause, item.node, item.member_mapping = request.clause, request.node, request.member_mapping
  item.code, item.registers = b.code, math.max(b.most, 1)
  for name in next, item do check(item_fields, "an item", name) end
  self.items[#self.items + 1] = item
  return item
end

-- Returns the core's flags (core.flag) that a request asks for.
function Plan:flags(request)
  local f = 0
  if request.if_present then f = f | core.flag.if_present end
  if request.present_or then f = f | core.flag.present_or end
  if request.pointer then f = f | core.flag.base_pointer end
  return f | (request.flags or 0)
end

-- Adds the item of a request's list item with the session's language, and returns it. Raises for errors of the list
-- item that its analysis did not find.
function Plan:object(request) return self.session.language.items.object(self, request) end

-- Adds the item that attaches or detaches the pointer that a request names with the session's language, and returns it.
function Plan:pointer(request) return self.session.language.items.pointer(self, request) end

-- Sets the number of each item, and plan.construct, the core's construct of the items. Raises if no memory is left.
function Plan:prepare()
  local spec = { kind = core.kind[self.kind == "declare" and "region" or self.kind], name = self.node.name,
    file = self.file, line = self.line, finalize = self.finalize }
  for i, item in ipairs(self.items) do
    spec[i] = item
    item.number = i
  end
  self.construct = self.session.ctx:construct(spec)
end

return construct_ir
