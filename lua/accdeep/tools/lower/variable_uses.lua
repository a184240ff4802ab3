-- variable_uses.lua - finds the variables that directives name and that the statements of constructs use; renames
-- them in statements.
--
-- c_unit.lua calls these functions with itself as `self`. Renaming is needed where a directive becomes calls: a
-- pointer to device memory then replaces a variable.

local lazy = require "accdeep.base.lazy"
local c_calls = lazy.require "accdeep.tools.lower.c_calls"
local deep_directive = require "accdeep.tools.emit.deep_directive"
local diagnostic = require "accdeep.base.diagnostic"
local unit_directives = require "accdeep.tools.lower.unit_directives"
local list_item = require "accdeep.sema.c.list_item"
local location = require "accdeep.base.location"
local macros = lazy.require "accdeep.tools.lower.macros"
local nest = require "accdeep.sema.members.nest"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local mapping_compiler = require "accdeep.lowering.mapping_compiler"
local program_transfers = require "accdeep.tools.emit.program_transfers"
local types = require "accdeep.types"

local variable_uses = {}

-- Removes all occurrences of a name from a list, in place.
function variable_uses.remove(list, name)
  for k = #list, 1, -1 do
    if list[k] == name then table.remove(list, k) end
  end
end

-- Names of the enclosing function, which macros such as assert use; compilers provide them on the device.
local of_function = { __func__ = true, __FUNCTION__ = true, __PRETTY_FUNCTION__ = true }

-- Adds the variables that the statement of a compute construct may use to the lists `names` and `references` of the
-- directive. `variables`: the unit's variables by name. Without --to accdeep, only names are added that denote a
-- structure somewhere in the unit. Raises {cannot = reason} if the statement is not understood.
function variable_uses.add_words(self, directive, variables)
  -- Adds the variable `word` to `names` and `references`, unless it is in `names` or is a name like __func__.
  local function add(word)
    if directive.names[word] or of_function[word] then return end
    directive.names[word] = true
    directive.names[#directive.names + 1] = word
    directive.references[#directive.references + 1] = { name = word, pos = directive.node.pos }
  end
  for i, word in self.source:names(directive.own.after, self.source:statement(directive.own.after)) do
    local is_wanted = variables[word] and (self.calls or variables[word].is_record)
    local is_called = self.unit.is_cxx and self.source:is_call(i)
    if is_wanted or self.calls and is_called then
      add(word)
    elseif self.replaces_this and is_called and not directive.names[word] then
      -- If the word is a member function, its call uses `this`: take_members decides when the types are known.
      directive.names[word] = true
      directive.names[#directive.names + 1] = word
    end
  end
  if self.calls or self.replaces_this then directive.used_words = directive.words() end
  if not self.calls then return end
  for word in sorted_pairs(directive.used_words) do
    if variables[word] then add(word) end
  end
  if self.unit.is_cxx then add "this" end
end

-- Moves names that denote members of `this` from the list directive.names to the set directive.members. Precondition:
-- directive.instances (tables from variable to type) is set.
function variable_uses.take_members(directive)
  -- The statement of host_data declares variables of these names, therefore they are no members there.
  local is_left = directive.node.name == "host_data"
  local this = not is_left and directive.instances[1] and directive.instances[1].this
  for i = #directive.names, 1, -1 do
    local name = directive.names[i]
    if this and name ~= "this" and directive.meant[name] == false and types.member(this.to, name) then
      directive.members[name] = true
      variable_uses.remove(directive.names, name)
      for _, instance in ipairs(directive.instances) do instance[name] = nil end
    end
  end
end

-- Returns the set of variables that a directive's clauses name, wholly or in part. Variables that only occur in bounds
-- do not count.
local function mapped_names(directive)
  local names = {}
  for _, clause in ipairs(directive.node.clauses) do
    for _, variable in ipairs(clause.vars or {}) do
      local name = list_item.root_variable(variable)
      if name and variable.tag ~= "call" then names[directive.members[name] and "this" or name] = true end
    end
  end
  return names
end

-- Returns true if a data region around the directive names the variable `name`. `always`: only regions without an `if`
-- clause count, because these regions always map their data.
local function is_in_enclosing_construct(self, directive, name, always)
  for _, region in ipairs(self.regions) do
    local is_inside = region.first < directive.own.first and directive.own.last < region.last
    if is_inside and region.names[name] and not (always and region.has_condition)
      and (region.meant[name] or false) == (directive.meant[name] or false) then
      return true
    end
  end
  return false
end
variable_uses.is_around = is_in_enclosing_construct

-- Returns the references (see add_words) of a compute construct to objects, except those that an enclosing data region
-- without `if` maps. `instance`: type by variable.
function variable_uses.references(self, directive, instance)
  local list = {}
  for _, reference in ipairs(directive.references) do
    local name = reference.name
    -- Types and constants have no address, therefore they cannot be mapped.
    local is_object = instance[name] and (name == "this" or not directive.addressless[name])
    if is_object and not is_in_enclosing_construct(self, directive, name, true) then list[#list + 1] = reference end
  end
  return list
end

-- Records the variables that a data region maps, for the constructs inside it. `plan`: the construct IR of the
-- directive. Does nothing for directives that are not data regions, and for all instances of a template except the
-- first.
function variable_uses.add_region(self, directive, plan, instance)
  if plan.kind ~= "region" or instance ~= directive.instances[1] then return end
  local last = self.source.finish[self.source:statement(directive.own.after)]
  table.insert(self.regions, { first = directive.own.first, last = last, names = mapped_names(directive),
    meant = directive.meant,
    has_condition = plan.condition ~= nil })
end

-- Returns the set of token numbers in a construct's statement that are in arguments of macros with a # in their body
-- (operators # and ##). `last`: last token of the statement.
local function macro_operands(self, directive, last)
  local operators, operands = {}, {}
  for i = 1, self.source.n do
    local line = self.source.kind[i] == "line" and self.source:token(i) or ""
    local name, body = line:match "^#%s*define%s+([%w_]+)%b()(.*)$"
    if name then operators[name] = body:find("#", 1, true) ~= nil end
  end
  for i = directive.own.after, last do
    if operators[self.source:token(i)] and self.source:token(i + 1) == "(" then
      for k = i + 2, self.source:closing(i + 1) - 1 do operands[k] = true end
    end
  end
  return operands
end

-- Raises {hidden = name} if a macro in the statement of a construct uses a variable in `renamed`. c_unit.lower then
-- expands the macros in statements and starts again. `last`: last token of the statement.
local function check_macros(self, directive, last, renamed, instance)
  local used, hidden = {}, nil
  for i = directive.own.after, last do used[self.source:token(i)] = true end
  for word in sorted_pairs(directive.used_words) do
    local is_member = renamed.this and not instance[word] and types.member(instance.this.to, word)
    if (renamed[word] or is_member) and not used[word] then hidden = hidden or word end
  end
  for i = 1, self.source.n do
    local line = self.source.kind[i] == "line" and self.source:token(i) or ""
    local name, body = line:match "^#%s*define%s+([%w_]+)(.*)$"
    local parameters = body and body:match "^%b()" or ""
    for word in sorted_pairs(name and used[name] and renamed or {}) do
      local pattern = "%f[%w_]" .. word .. "%f[^%w_]"
      if body:sub(#parameters + 1):find(pattern) and not parameters:find(pattern) then hidden = hidden or word end
    end
  end
  -- The operators # and ## use the name itself as text, so renaming would change the result.
  for i in pairs(macro_operands(self, directive, last)) do
    hidden = hidden or renamed[self.source:token(i)] and self.source:token(i)
  end
  if hidden then error({ hidden = hidden }, 0) end
end

-- Returns the unit with macros expanded in the statements of compute constructs, as a text of source_map.lua.
function variable_uses.expand_kernel_macros(self)
  local lines = {}
  for _, directive in ipairs(self.directives) do
    if directive.own and directive.used_words then
      local last = self.source:statement(directive.own.after)
      for line = directive.own.next, self.source:line(self.source.at[last]) do lines[#lines + 1] = line end
    end
  end
  return macros.expand(self.unit.path, self.text, self.preprocessed, lines, self.pasted)
end

-- Renames variables in the statement of a construct, by edits. `renamed`: a table from variable to replacement; with
-- `this`, members of `this` are renamed, too. `instance`: type by variable. Raises {cannot = reason} if the statement
-- declares another variable with such a name, and {hidden = name} if a macro uses such a name.
function variable_uses.rename(self, directive, renamed, instance)
  local last = self.source:statement(directive.own.after)
  local to = self.source:line(self.source.at[last])
  -- Raises {cannot = reason} if a variable `name` is declared in the lines from `from` to the end of the statement.
  local function check(name, from)
    for line in pairs(self.variables[name] and self.variables[name].lines or {}) do
      if from <= line and line <= to then
        deep_directive.cannot(("'%s' in the statement of the construct is also another variable's name"):format(name))
      end
    end
  end
  for name in pairs(renamed) do check(name, directive.own.next) end
  check_macros(self, directive, last, renamed, instance)
  local members = {}
  local from = renamed.this and self.source:line(self.source.at[self.source:enclosing_function(
    directive.own.after - 1)])
  for i, name in self.source:names(directive.own.after, renamed.this and last or 0) do
    local is_function = self.source:is_call(i) and not self.functions[name] and not instance[name]
    if is_function or not instance[name] and types.member(instance.this.to, name) then
      check(name, from)
      members[name] = renamed.this .. "->" .. name
    end
  end
  for i, name in self.source:names(directive.own.after, last) do
    local other = renamed[name] or members[name]
    if other and self.source:is_in_record(directive.own.after, i) then
      deep_directive.cannot(("'%s' in a structure that the statement of the construct declares"):format(name))
    end
    if other then self:edit(self.source.at[i], self.source.finish[i] - 1, other) end
  end
end

-- Replaces `this` by another pointer in the statement of a compute construct, with --to openmp and for classes with
-- pointers that may point past the end of data. gcc maps pointers among the members of `this` again in each target
-- region, and such pointers would lose the device address. Returns the changed lines of the directive and the lines
-- after the statement; for other constructs and classes, returns `lines` and `following` unchanged. `lines`: nil if the
-- directive needs no other change.
function variable_uses.replace_this(self, directive, instance, lines, following)
  local class = self.replaces_this and unit_directives.is_compute(directive.node) and instance.this and instance.this.to
  local program = class and mapping_compiler.program(self.session, nest.shape(self.session, class))
  if not program or not program_transfers.has_aliases({ program }, {}) then
    return lines, following
  end
  local is_open = lines ~= nil and lines[1] == "{"
  if not lines then lines = { (self.text:sub(directive.own.first, directive.own.last):gsub("\\?\r?\n", " ")) } end
  for i, text in ipairs(lines) do lines[i] = text:gsub("%f[%w_]this%f[^%w_]", "accdeep_this") end
  table.insert(lines, is_open and 2 or 1, "__typeof__(this) accdeep_this = this;")
  if not is_open then
    table.insert(lines, 1, "{")
    following = { "}" }
  end
  if instance == directive.instances[1] then variable_uses.rename(
    self, directive, { this = "accdeep_this" }, instance) end
  return lines, following
end

-- Returns the set of arrays that a construct's statement uses as a whole, as in sizeof, not only by element. Arrays in
-- reduction clauses do not count.
local function whole_arrays(self, directive, instance)
  local whole = {}
  for i, name in self.source:names(directive.own.after, self.source:statement(directive.own.after)) do
    local t = instance[name]
    if t and t.kind == "array" and self.source:token(i + 1) ~= "[" and not directive.without[name] then
      whole[name] = true end
  end
  return whole
end

-- Returns the sorted list of a compute construct's variables that are pointers or in device memory. Scalars count only
-- if the construct or a data region around it maps them. Private variables are left out, and reduction variables that
-- no data region around the construct maps. Sets directive.whole: the set of arrays that the statement uses as a whole.
-- `instance`: type by variable.
function variable_uses.kernel_variables(self, directive, instance)
  directive.whole = whole_arrays(self, directive, instance)
  local list, named = {}, mapped_names(directive)
  for _, name in ipairs(directive.names) do
    local t = (name == "this" or not directive.addressless[name]) and instance[name]
    local is_data = t and t.kind ~= "function" and (t.kind ~= "scalar"
      or is_in_enclosing_construct(self, directive, name) or named[name])
    -- The compiler itself maps a reduction variable that no enclosing region maps.
    local is_own = directive.without[name] and not is_in_enclosing_construct(self, directive, name)
    if is_data and not directive.is_private[name] and not is_own then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

-- Returns true if the unit uses routines that c_calls.routine replaces or refuses.
function variable_uses.has_routines(self)
  for i = 1, self.source.n do
    if self.source.kind[i] == "word" and c_calls.routine(self.source:token(i)) ~= nil then return true end
  end
  return false
end

-- Replaces routines of the compiler's runtime by those of accdeep's library, because the compiler's runtime does not
-- know the data that calls map. Raises for a routine without a replacement.
function variable_uses.replace_routines(self)
  for i = 1, self.source.n do
    local name = self.source.kind[i] == "word" and self.source:token(i)
    local replacement = name and c_calls.routine(name)
    if replacement then
      self:edit(self.source.at[i], self.source.finish[i] - 1, replacement)
    elseif replacement == false and name then
      local at, column = location.position(self.text, self.source.at[i])
      local file, line = self:position(at)
      error(diagnostic.new { code = "unsupported", rule = "HOUSE-lower", file = file, line = line,
        column = column, snippet = location.line(self.text, at), snippet_column = column, length = #name,
        message = c_calls.UNKNOWN:format(name), help = "use a directive" }, 0)
    end
  end
end

return variable_uses
