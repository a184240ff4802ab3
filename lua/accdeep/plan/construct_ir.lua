-- construct_ir.lua - plans: what a directive at a place does, made once from its tree and carried out as often as it is
-- encountered.
--
-- Plans and items are records: a field that is not named here is an error, of an item when it is added.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local strings = require "accdeep.base.strings"

local construct_ir = {}

-- The fields of a plan.
local fields = {
  -- what it is of
  session = "the session", node = "the directive's tree", kind = "what its directive is (catalogue)",
  file = "name of the file that the directive stands in", line = "its line in the file, from 1",
  place = "{text, file, line} of the directive, for errors",
  openmp = "whether it is OpenMP's", language = "OpenACC or OpenMP (run/directive_dispatch.lua)",
  -- what is made of the clauses
  items = "list of items", named = "variable -> its item", clauses = "the clauses, lowered",
  private = "variable -> {how, variable}", deviceptr = "variables that hold device addresses",
  use_device = "variables that stand for device addresses in the region", attached = "pointers that clauses attach",
  pointers = "pointer members that are mapped with a section", sections = "sections of pointers, for aliases",
  absent = "whether a clause names an optional argument that is not there", default = "the word of default",
  if_present = "whether what is absent is left out", finalize = "whether counters become 0",
  condition = "tree of the condition", on_self = "tree of self's condition", on_device = "tree of the device's number",
  device_num = "tree of the number that set, init or shutdown gives", default_async = "tree of the default queue",
  async = "the async clause", waiting = "the argument of a wait directive", waits = "wait clauses",
  sizes = "trees of numbers of gangs, workers and lanes: {name, e}",
  ordered = "whether a queue or a wait is asked for", lasting = "allocatables of declare",
  typed = "polymorphic descriptors of the construct",
  -- of OpenMP
  defaults = "category -> behaviour of defaultmap", taken = "variables of other clauses",
  partly = "structures of which members are mapped", roots = "variables that maps name",
  bases = "base pointers of maps",
  looked_up = "references that are looked up by address", several = "pointers with several sections",
  request = "makes the item of a request",
  self_maps = "of maps with self: makes the condition one that asks for the host",
  -- how it is kept and carried out
  construct = "the core's construct", condition_value = "function that computes the condition",
  single_use = "whether it is made anew each time", runs_directly = "whether it needs nothing but to be run",
  thunk = "function that runs it with no question about it", acc = "its file, if it is OpenACC's and has a step",
  omp = "its file, if it is OpenMP's and has a step", watched = "bounds that are compared at the end",
  measured = "what it was made from", scope = "the scope it was made in",
  scope_version = "how often the scope had changed by then",
}

-- The fields of an item that the binding reads: those of accd_item, or the registers in which its code leaves them.
local item_fields = strings.word_set("action flags label unit code registers base count start origin slot slot_address",
  "slot_bytes program indices frame room dims run")

-- The others.
for name, meaning in pairs {
  pos = "place in the directive's text", name = "the list item", places = "places of the members it stands for",
  clause = "the clause", node = "the variable's tree", member_mapping = "how its objects are treated",
  element = "type of its elements", variable = "the variable's name", alias = "the pointer of an alias",
  number = "its place among the plan's items",
  first = "of Fortran: address of its first byte", bytes = "of Fortran: bytes from there on",
  home = "of Fortran: the variable", inside = "of Fortran: whether it is a part of its variable",
} do item_fields[name] = meaning end

local function check(known, what, name)
  if known[name] then return end
  local near = diagnostic.closest(tostring(name), known)
  error(("%s has no field '%s'%s"):format(what, tostring(name), near and (", is it '%s'?"):format(near) or ""), 3)
end

local Plan = { acc = false, omp = false }
Plan.__index = Plan
function Plan:__newindex(name, value)
  check(fields, "a plan", name)
  rawset(self, name, value)
end

-- An empty plan of a directive; options: file, line.
function construct_ir.new(session, node, kind, options)
  return setmetatable({ session = session, node = node, kind = kind, items = {}, named = {}, private = {},
    pointers = {}, attached = {}, deviceptr = {}, use_device = {}, sections = {}, file = options.file,
    line = options.line }, Plan)
end

-- A label for messages and events. how: "section", "element" or nil.
function Plan:label(name, unit, how, layout, rows)
  local given = { name = name, unit = unit, layout = layout, array = rows, file = self.file, line = self.line }
  if how then given[how] = true end
  return self.session:label(given)
end

-- Adds an item that is done: its code, and what its request says. Returns the item.
function Plan:add(item, b, request)
  item.places = request.clause and request.clause.places
  item.clause, item.node, item.member_mapping = request.clause, request.node, request.member_mapping
  item.code, item.registers = b.code, math.max(b.most, 1)
  for name in next, item do check(item_fields, "an item", name) end
  self.items[#self.items + 1] = item
  return item
end

-- The core's flags of a request.
function Plan:flags(request)
  local f = 0
  if request.try then f = f | core.flag.try end
  if request.present_or then f = f | core.flag.present_or end
  if request.pointer then f = f | core.flag.pointer end
  return f | (request.flags or 0)
end

-- The item of an object named as it is: a variable, a member, an element.
function Plan:object(request, node) return self.session.language.object(self, request, node) end

-- The item of base[s:l]...
function Plan:section(request, base, subscripts)
  return self.session.language.section(self, request, base, subscripts)
end

-- The item of an attach or detach of the pointer itself.
function Plan:pointer(request, node) return self.session.language.pointer(self, request, node) end

-- The core's construct for the items.
function Plan:prepare()
  local spec = { kind = core.kind[self.kind == "declare" and "region" or self.kind], name = self.node.name,
    file = self.file, line = self.line, finalize = self.finalize }
  for i, item in ipairs(self.items) do
    spec[i] = item
    item.number = i
  end
  return self.session.ctx:construct(spec)
end

return construct_ir
