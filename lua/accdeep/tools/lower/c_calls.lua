-- c_calls.lua - writes the directives of a C or C++ unit as calls of accdeep's library
-- (core/abi/lowered/accdeep_lowered.h).
--
-- c_unit.lua uses it for `--to accdeep`. A directive that moves data becomes a call with its construct IR as text
-- (ir_text.lua) and the addresses of its variables. A compute construct stays a directive, without its data clauses. In
-- the construct's statement, pointers have device addresses. Other variables are replaced by a dereferenced pointer to
-- their device copy.

local api_routines = require "accdeep.run.api_routines"
local deep_directive = require "accdeep.tools.emit.deep_directive"
local ir_text = require "accdeep.lowering.ir_text"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local ast = require "accdeep.base.ast"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"
local strings = require "accdeep.base.strings"

local c_calls = {}

-- Clauses of a compute construct that the compiler keeps.
c_calls.compiler_clauses = strings.word_set(
  "gang worker vector num_gangs num_workers vector_length collapse seq auto independent tile",
  "private firstprivate reduction deviceptr device_type dtype")

-- Replacements for routines of the compiler's runtime that query data or queues. false: the library has no replacement,
-- therefore the unit is refused.
local of_data = { acc_is_present = "accd_lowered_is_present", acc_deviceptr = "accd_lowered_device",
  acc_hostptr = "accd_lowered_host", acc_wait = "accd_lowered_wait", acc_async_wait = "accd_lowered_wait",
  acc_async_test = "accd_lowered_wait", acc_wait_all = "accd_lowered_wait_all",
  acc_async_wait_all = "accd_lowered_wait_all", acc_async_test_all = "accd_lowered_wait_all",
  acc_wait_all_async = "accd_lowered_wait", acc_wait_async = "accd_lowered_wait" }
for name in pairs(strings.word_set [[acc_attach acc_detach acc_detach_finalize acc_attach_async acc_detach_async
  acc_detach_finalize_async acc_map_data acc_unmap_data]]) do of_data[name] = false end

-- Returns the C expression that replaces the routine `name`; false if the library has none; nil if `name` is not a
-- routine that needs a replacement.
function c_calls.routine(name)
  if not api_routines.directive(name) then return of_data[name] end
  return ("accd_lowered_find_routine(__FILE__, __LINE__, \"%s\")"):format(name)
end

-- Returns a line of a rewritten directive in which the routines that the clauses call are replaced. Raises {cannot =
-- reason} for a routine without a replacement.
function c_calls.replace_routines(line)
  return (line:gsub("%f[%w_]acc_[%w_]+", function(name)
    local replacement = c_calls.routine(name)
    if replacement == false then deep_directive.cannot(c_calls.UNKNOWN:format(name)) end
    return replacement
  end))
end

c_calls.UNKNOWN = "'%s' asks the compiler's runtime, which does not know data that accdeep's library moves"

local Calls = {}
Calls.__index = Calls

-- Returns a writer of calls (Calls) for a unit. `inputs`: result of unit_inputs.new.
function c_calls.new(inputs)
  return setmetatable({ inputs = inputs, plans = {}, by_text = {}, functions = {}, prototypes = {} }, Calls)
end

-- ----------------------------------------------------------------------------------- the directive --

-- Returns the set of variables in the clauses of a directive that are named `...`.
local function names_in(node, ...)
  local names = {}
  for _, clause in ipairs(node.clauses) do
    for _, clause_name in ipairs { ... } do
      for _, v in ipairs(clause.name == clause_name and clause.vars or {}) do names[v.name or ""] = true end
    end
  end
  return names
end

-- Splits the clauses of the directive `node`. Returns an AST without the clauses async, wait and reduction, and without
-- reduction variables in other clauses; a clause that becomes empty is removed. Also returns the set of reduction
-- variables, and the set of names in private, firstprivate and deviceptr clauses.
function c_calls.data_of(node)
  local reductions, list = names_in(node, "reduction"), {}
  for _, clause in ipairs(node.clauses) do
    local is_left = clause.name == "async" or clause.name == "wait" or clause.name == "reduction"
    if not is_left and clause.vars and next(reductions) then
      local vars = {}
      for _, v in ipairs(clause.vars) do
        if not (v.tag == "id" and reductions[v.name]) then vars[#vars + 1] = v end
      end
      is_left = #vars == 0
      clause = #vars < #clause.vars and ast.copy_with(clause, "vars", vars) or clause
    end
    if not is_left then list[#list + 1] = clause end
  end
  return ast.copy_with(node, "clauses", list), reductions, names_in(node, "private", "firstprivate", "deviceptr")
end

-- Returns the clauses of a compute construct that the compiler keeps, as text; "" if there are none.
local function own_clauses(directive)
  local node, parts = directive.node, {}
  for i, clause in ipairs(node.clauses) do
    local clause_end = node.clauses[i + 1] and node.clauses[i + 1].pos or #directive.text + 1
    local text = directive.text:sub(clause.pos, clause_end - 1):gsub("\\\r?\n", " "):gsub("[%s,]+$", "")
    if c_calls.compiler_clauses[clause.name] then parts[#parts + 1] = text end
  end
  return table.concat(parts, " ")
end

-- ----------------------------------------------------------------------------------------- writing --

-- Returns a text as string literals of C, one for each line, which C joins to one string. Empty lines are lost.
local function c_string(text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do
    lines[#lines + 1] = '"' .. line:gsub("[\\\"]", "\\%0") .. '\\n"'
  end
  return table.concat(lines, "\n")
end

-- Returns the name of the static variable that holds the plan `text` (ir_text.lua) of a directive. Adds the variable's
-- definition to self.plans if no equal plan of the same line has one.
function Calls:plan(directive, text)
  local key = ("%d\n%s"):format(directive.own.line, text)
  local name = self.by_text[key]
  if name then return name end
  name = ("accdeep_%d"):format(#self.plans + 1)
  self.by_text[key] = name
  self.plans[#self.plans + 1] = ("static accd_lowered %s = {\n%s,\n%s, %d, %s, 0};"):format(name, c_string(text),
    c_string(directive.file):gsub("\\n\"$", '"'), directive.line, self.inputs.bounds[1] and "accdeep_bounds" or "0")
  return name
end

-- Selects a directive's plan by the type of an object, for directives in templates.
local CXX_PLAN = "namespace { template<int Number, typename Type> struct accdeep_plan_of; "
  .. "template<int Number, typename Type> accd_lowered *accdeep_plan(const volatile Type *) "
  .. "{ return accdeep_plan_of<Number, Type>::get(); } }"

-- Returns the declarations that are placed before the unit: prototypes, the array of functions for bounds, and plans.
function Calls:prelude()
  local list = { "#include <accdeep_lowered.h>", self.inputs.is_cxx and CXX_PLAN or nil }
  table.move(self.prototypes, 1, #self.prototypes, #list + 1, list)
  local prototypes, bounds = self.inputs:prototypes(), {}
  table.move(prototypes, 1, #prototypes, #list + 1, list)
  for i in ipairs(self.inputs.bounds) do bounds[i] = "accdeep_bound_" .. i end
  if bounds[1] then
    list[#list + 1] = ("static accd_lowered_bound *const accdeep_bounds[] = {%s, 0};"):format(
      table.concat(bounds, ", "))
  end
  return table.concat(table.move(self.plans, 1, #self.plans, #list + 1, list), "\n")
end

-- Returns the text of the functions that are placed after the unit, where its types and variables are declared; "" if
-- there are none.
function Calls:ending()
  local list = table.move(self.inputs.functions, 1, #self.inputs.functions, 1, {})
  return table.concat(table.move(self.functions, 1, #self.functions, #list + 1, list), "\n")
end

-- Returns a true value if variables of one name are declared in several lines. `variable`: {lines}, or nil.
local function is_several(variable)
  local first = variable and next(variable.lines)
  return first and next(variable.lines, first) ~= nil
end

-- Returns the address that the program passes for the input `input` of a plan, as C text. A value that the compiler
-- computes (compiler_values.lua) is passed itself, cast to a pointer. A local name without an address, such as a
-- constant, is first copied to the variable `copy_name`; that line is written to `w`. `unit`: the Unit of c_unit.lua.
-- `addressless`: set of names without an address at the directive. `instance`: type by variable. Raises {cannot =
-- reason} for a name with two meanings.
local function runtime_inputs(self, unit, w, input, addressless, instance, copy_name)
  if not input.variable then return ("(const void *)(long)(%s)"):format(input.name) end
  local name, is_global = input.variable.name, input.variable.is_global
  if is_global then addressless = unit.of_file.addressless end
  local has_address = name ~= "this" and not addressless[name]
  local text
  if is_global then
    local fn = "accdeep_address_" .. name:gsub("::", "__")
    if not self.functions[fn] then
      self.functions[fn] = true
      local before = has_address and "" or ("    static const __typeof__(%s) constant = %s;\n"):format(name, name)
      table.insert(self.prototypes, ("static const void *%s(void);"):format(fn))
      table.insert(self.functions, ("static const void *%s(void)\n{\n%s    return (const void *)&%s;\n}"):format(fn,
        before, has_address and name or "constant"))
    end
    text = fn .. "()"
  else
    if instance[name] and unit.globals[name] and is_several(unit.variables[name]) then
      deep_directive.cannot(("'%s', which is also the name of a variable in a shape or policy"):format(name))
    end
    if not has_address then
      w:line(("const __typeof__(%s) %s = %s;"):format(name, copy_name, name))
      name = copy_name
    end
    text = "(const void *)&" .. name
  end
  return input.offset == 0 and text or ("(const char *)%s + %d"):format(text, input.offset)
end

-- Writes the array of a plan's inputs `inputs` to `w`. Returns the name of the array. `number`: a number that makes the
-- name unique. `unit`: the Unit of c_unit.lua. `addressless`: set of names without an address. `instance`: type by
-- variable. Raises {cannot = reason} for a name with two meanings.
local function write_inputs(self, unit, w, number, inputs, addressless, instance)
  local list = {}
  for i, input in ipairs(inputs) do
    list[i] = runtime_inputs(self, unit, w, input, addressless, instance, ("accdeep_c%d_%d"):format(number, i))
  end
  w:line(("const void *const accdeep_at%s[] = {%s};"):format(number, #list > 0 and table.concat(list, ", ") or "0"))
  return "accdeep_at" .. number
end

-- Returns the condition of a plan's if clause as text; nil if it has no if clause.
local function condition(plan) return plan.condition and unparse.expression(plan.condition) end

-- Returns a pointer as text: the pointer variable `name` itself, or a pointer to the first element of an array, or to
-- another variable. `t`: type of the variable.
local function pointer_of(name, t)
  return t.kind == "pointer" and name or t.kind == "array" and ("&%s[0]"):format(name) or "&" .. name
end

-- Writes to `w` the declaration of a pointer to a variable's device copy. Returns the pointer's name, and true if the
-- pointer may have the variable's name in the statement: the variable is a pointer or array, not `this`, and not
-- `is_whole`. `region`: name of the C variable for the region. `name`, `t`: the variable and its type. `item`: its item
-- number, TARGET or PRESENT. `is_whole`: the statement uses the array as one object, such as in sizeof.
local function device_variable(w, region, name, t, item, is_whole)
  local pointer, is_pointer = "accdeep_p_" .. name, (t.kind == "pointer" or t.kind == "array") and name ~= "this"
  is_pointer = is_pointer and not is_whole
  local host_pointer = is_whole and "&" .. name or pointer_of(name, t)
  local pointer_type = ("__typeof__(%s)"):format(host_pointer)
  w:line(("%s %s = (%s)accd_lowered_pointer(%s, %d, %s);"):format(pointer_type, pointer, pointer_type, region, item,
    host_pointer))
  return pointer, is_pointer
end

-- Returns the name of the variable of which an item is an element or section. Returns nil if the item has no
-- subscripts, or if its subscripts do not reach an element of the variable's array or target. `instance`: type by
-- variable.
local function element_of(item, instance)
  local node, count = item.node, 0
  while node and (node.tag == "index" or node.tag == "section") do node, count = node.base, count + 1 end
  local t = node and node.tag == "id" and count > 0 and instance[node.name]
  if t and t.kind == "pointer" then t, count = t.to, count - 1 end
  while t and t.kind == "array" do t, count = t.of, count - 1 end
  return t and count <= 0 and node.name or nil
end

-- Returns a table from variable to item number, from 0: the first item of `plan` that is the variable, a section of it,
-- or an element of it. `instance`: type by variable.
local function items_by_variable(plan, instance)
  local by_name = {}
  for i, item in ipairs(plan.items) do
    local name = item.variable or element_of(item, instance)
    if name and not by_name[name] then by_name[name] = i - 1 end
  end
  return by_name
end

-- Item numbers of accd_lowered_pointer that denote no item of the plan: the target of a pointer; present data.
local TARGET, PRESENT = -1, -2

-- Writes the head of a kernel to `w`: declarations of device pointers, and the compute directive. Reduction variables
-- are host variables in the kernel: lines in `w` and `tail` copy the values from and to the device. Returns a table
-- from variable to its replacement in the statement. `region`: name of the C variable for the region. `used`: sorted
-- variables that are pointers or in device memory. `instance`: type by variable. Raises {cannot = reason} for
-- reductions of arrays and pointers.
local function write_kernel(w, tail, directive, plan, region, used, instance)
  local items, renamed, shadows, pointers = items_by_variable(plan, instance), {}, {}, {}
  for _, name in ipairs(used) do
    local is_reduced = directive.without[name]
    local pointer, is_pointer = device_variable(w, region, name, instance[name], items[name]
      or (is_reduced or instance[name].kind == "pointer") and TARGET or PRESENT, directive.whole[name])
    if is_reduced then
      if is_pointer then deep_directive.cannot(("a reduction of '%s', which is no scalar"):format(name)) end
      shadows[#shadows + 1] = ("__typeof__(*%s) %s; accd_lowered_read(%s, &%s, %s, sizeof %s);"):format(pointer, name,
        region, name, pointer, name)
      tail:line(("accd_lowered_write(%s, %s, &%s, sizeof %s);"):format(region, pointer, name, name))
    elseif is_pointer then
      shadows[#shadows + 1] = ("__typeof__(%s) %s = %s;"):format(pointer, name, pointer)
      pointers[#pointers + 1] = name
    else
      renamed[name] = name == "this" and pointer or ("(*%s)"):format(pointer)
      pointers[#pointers + 1] = pointer
    end
  end
  w:open_brace()
  for _, text in ipairs(shadows) do w:line(text) end
  for _, name in ipairs(pointers) do w:line(("(void)%s;"):format(name)) end
  local head = directive.text:sub(1, (directive.node.clauses[1] and directive.node.clauses[1].pos
    or #directive.text + 1) - 1)
    :gsub("\\\r?\n", " "):gsub("[%s,]+$", "")
  local list = #pointers > 0 and (" deviceptr(%s)"):format(table.concat(pointers, ", ")) or ""
  local clauses = own_clauses(directive)
  -- The text of a directive with expanded macros lacks `#pragma acc`, therefore it is added.
  if not head:find "^#" then head = "#pragma acc " .. head end
  w:raw(("%s%s%s"):format(head, clauses ~= "" and " " .. clauses or "", list))
  return renamed
end

-- Writes the calls for a directive to `head`, and the lines after its statement to `tail`. Returns the replacements for
-- variables in the statement of a compute construct; nil for other directives. `unit`: the Unit of c_unit.lua. `used`:
-- sorted variables of a compute construct that are pointers or in device memory. `instance`: type by variable. Raises
-- {cannot = reason} if calls cannot express the directive.
function Calls:write(unit, directive, plan, used, instance, head, tail)
  local text, inputs = ir_text.write(plan, { variable = function(symbol) return symbol.variable and symbol end,
    is_value = true, call = function(symbol) return "bound_" .. self.inputs:bound(symbol) end })
  for _, item in ipairs(plan.items) do
    local variable = item.variable
    if variable and variable ~= "this" and directive.addressless[variable] and instance[variable] then
      deep_directive.cannot(("'%s', which has no address"):format(variable))
    end
  end
  local name = self:plan(directive, text)
  local number = directive.own.line
  local run = ("(&%s, %s)"):format(name,
    write_inputs(self, unit, head, number, inputs, directive.addressless, instance))
  local condition_text = condition(plan)
  if plan.kind ~= "region" and plan.kind ~= "compute" then
    head:line((condition_text and ("if (%s) "):format(condition_text) or "") .. "accd_lowered_run" .. run .. ";")
    return nil
  end
  local region = "accdeep_region" .. number
  head:line(("accd_lowered_region *%s = %saccd_lowered_enter%s%s;"):format(region,
    condition_text and ("(%s) ? "):format(condition_text) or "", run, condition_text and " : 0" or ""))
  local renamed
  if plan.kind == "compute" then
    renamed = write_kernel(head, tail, directive, plan, region, used, instance)
    tail:line "}"
  end
  tail:line(("accd_lowered_leave(%s);"):format(region))
  return renamed
end

-- Returns a type as C++ text; nil if the type has no simple name, such as an array.
local function type_text(t)
  if t.kind == "pointer" then
    local target = type_text(t.to)
    return target and target .. " *"
  end
  if t.kind == "record" then return t.tag end
  return t.kind == "scalar" and types.name(t) or nil
end

-- Returns the name of a variable whose type determines which plan an instance of a template needs, and a table from the
-- text of the type to the plan. Returns nil if there is no such variable. `instances`: list of tables from variable to
-- type. `plans`: C text of each instance's plan. `addressless`: set of names without an address.
local function distinct(instances, plans, addressless)
  for name in sorted_pairs(instances[1]) do
    local by_type, is_right = {}, name == "this" or not addressless[name]
    for i, instance in ipairs(instances) do
      local t = instance[name]
      if t and name == "this" then t = t.to end
      local text = t and type_text(t)
      if not text or by_type[text] and by_type[text] ~= plans[i] then
        is_right = false
      else
        by_type[text] = plans[i]
      end
    end
    if is_right then return name, by_type end
  end
end

local PLAN = "&accdeep_%d+"

-- Makes the lines of all instances of a directive in a template equal if they differ only in the plan: a function
-- template then selects the plan by type. `all`: list of {lines}, changed in place. Changes nothing if all plans are
-- equal, or if no variable's type determines the plan.
function Calls:choose(directive, all)
  local plan_names, is_same = {}, true
  for i, instance in ipairs(all) do
    plan_names[i] = table.concat(instance.lines, "\n"):match(PLAN)
    is_same = is_same and plan_names[i] == plan_names[1]
  end
  local name, by_type = nil, nil
  if not is_same then name, by_type = distinct(directive.instances, plan_names, directive.addressless) end
  if not name then return end
  self.nchosen = (self.nchosen or 0) + 1
  for text, plan in sorted_pairs(by_type) do
    self.functions[#self.functions + 1] = ("namespace { template<> struct accdeep_plan_of<%d, %s> "
      .. "{ static accd_lowered *get() { return %s; } }; }"):format(self.nchosen, text, plan)
  end
  local chosen = ("accdeep_plan<%d>(%s)"):format(self.nchosen, name == "this" and name or "&" .. name)
  for _, instance in ipairs(all) do
    for i, line in ipairs(instance.lines) do instance.lines[i] = line:gsub(PLAN, function() return chosen end) end
  end
end

-- Writes host_data to `head` and `tail`: in the statement between them, the variables of use_device hold device
-- addresses. `instance`: type by variable. Raises {cannot = reason} for variables that are neither pointers nor arrays.
function Calls:write_host_data(plan, instance, head, tail)
  local shadows = {}
  for _, use in ipairs(plan.use_device) do
    local name = use.variable.name
    local t = instance[name]
    if t.kind ~= "pointer" and t.kind ~= "array" then
      deep_directive.cannot(("use_device of '%s', which is %s"):format(name, types.name(t)))
    end
    local host_pointer, condition_text = pointer_of(name, t), condition(plan)
    local value = ("accd_lowered_use_device(%s, %s)"):format(host_pointer,
      plan.if_present and "0, 0" or "__FILE__, __LINE__")
    if condition_text then value = ("((%s) ? %s : (void *)(%s))"):format(condition_text, value, host_pointer) end
    head:line(("__typeof__(%s) accdeep_p_%s = (__typeof__(%s))%s;"):format(host_pointer, name, host_pointer, value))
    shadows[#shadows + 1] = ("__typeof__(accdeep_p_%s) %s = accdeep_p_%s; (void)%s;"):format(name, name, name, name)
  end
  head:open_brace()
  for _, text in ipairs(shadows) do head:line(text) end
  tail:line "}"
end

return c_calls
