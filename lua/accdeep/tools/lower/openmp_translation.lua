-- openmp_translation.lua - translates the standard OpenACC directives of a C or C++ text to OpenMP. Lines keep their
-- numbers.
--
-- c_unit.lua calls it for `--to openmp`, after deep copies have been lowered. A loop of a parallel construct is
-- divided among teams and threads according to its clauses. A loop of a kernels construct without `independent` runs
-- in one thread. Hints are dropped: numbers of workers, vector lengths, tiles, cache. Constructs that OpenMP cannot
-- express are refused with the reason.

local deep_directive = require "accdeep.tools.emit.deep_directive"
local unit_directives = require "accdeep.tools.lower.unit_directives"
local syntax = require "accdeep.syntax"
local line_markers = require "accdeep.tools.lower.line_markers"
local list_item = require "accdeep.sema.c.list_item"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local c_source = require "accdeep.tools.lower.c_source"
local unparse = require "accdeep.syntax.unparse"

local openmp_translation = {}

local cannot = deep_directive.cannot

-- Code placed before generated deep-copy functions: implementations, by OpenMP routines, of the OpenACC routines that
-- these functions call.
openmp_translation.HEADERS = [[
#include <omp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static inline __attribute__((unused)) int accdeep_acc_is_present(void *host, size_t bytes)
{
    return bytes && omp_target_is_present(host, omp_get_default_device());
}
static inline __attribute__((unused)) void *accdeep_acc_deviceptr(void *host)
{
    void *at = host;
#pragma omp target data use_device_ptr(host)
    at = host;
    return at;
}
static inline __attribute__((unused)) void accdeep_acc_memcpy_to_device(void *to, void *from, size_t bytes)
{
    if (to != from)
        omp_target_memcpy(to, from, bytes, 0, 0, omp_get_default_device(), omp_get_initial_device());
}
static inline __attribute__((unused)) void accdeep_acc_attach_at(void **pointer, void *at)
{
    if (accdeep_acc_is_present((void *)pointer, 1) && accdeep_acc_is_present(at, 1)) {
        void *slot = accdeep_acc_deviceptr((void *)pointer);
        void *to = (char *)accdeep_acc_deviceptr(at) - ((char *)at - (char *)*pointer);
        if (slot != (void *)pointer)
            accdeep_acc_memcpy_to_device(slot, (void *)&to, sizeof to);
    }
}
static inline __attribute__((unused)) void accdeep_acc_attach(void **pointer)
{
    accdeep_acc_attach_at(pointer, *pointer);
}
static inline __attribute__((unused)) void accdeep_acc_detach(void **pointer)
{
    if (accdeep_acc_is_present((void *)pointer, 1))
        accdeep_acc_memcpy_to_device(accdeep_acc_deviceptr((void *)pointer), (void *)pointer, sizeof *pointer);
}
static inline __attribute__((unused)) void accdeep_acc_detach_finalize(void **pointer) { accdeep_acc_detach(pointer); }
static inline __attribute__((unused)) void accdeep_acc_update_device(void *host, size_t bytes)
{
    accdeep_acc_memcpy_to_device(accdeep_acc_deviceptr(host), host, bytes);
}
static inline __attribute__((unused)) void accdeep_acc_update_self(void *host, size_t bytes)
{
    void *at = accdeep_acc_deviceptr(host);
    if (at != host)
        omp_target_memcpy(host, at, bytes, 0, 0, omp_get_initial_device(), omp_get_default_device());
}
]]
-- Appends a routine that maps or unmaps bytes, which OpenMP does by directives only.
local function add_mapping(routine, ...)
  local lines = {}
  for i, directive in ipairs { ... } do lines[i] = ("#pragma omp target %s\n"):format(directive) end
  openmp_translation.HEADERS = openmp_translation.HEADERS .. ([[
static inline __attribute__((unused)) void accdeep_%s(void *host, size_t bytes)
{
    char *at = (char *)host;
    (void)at;
    (void)bytes;
%s}
]]):format(routine, table.concat(lines))
end
add_mapping("acc_copyin", "enter data map(to: at[0:bytes])")
add_mapping("acc_create", "enter data map(alloc: at[0:bytes])")
add_mapping("acc_copyout", "exit data map(from: at[0:bytes])")
add_mapping("acc_delete", "exit data map(release: at[0:bytes])")
add_mapping("acc_copyout_finalize", "update from(at[0:bytes])", "exit data map(delete: at[0:bytes])")
add_mapping("acc_delete_finalize", "exit data map(delete: at[0:bytes])")

-- Returns generated code in which the routines of HEADERS replace the OpenACC routines.
function openmp_translation.routines(code) return (code:gsub("%f[%w_]acc_", "accdeep_acc_")) end

-- ---------------------------------------------------------------------------------------- clauses --

-- Map types of OpenMP by data clause: `map_types` for constructs and their regions, `exit_types` for `exit data`.
local map_types = { copy = "tofrom", copyin = "to", copyout = "from", create = "alloc", present = "alloc" }
local exit_types = { copyout = "from", delete = "release" }

-- Canonical name of a clause by its name in the text: `copy` for `pcopy` and for `copy`.
local own_names = {}
for _, entry in ipairs(openacc_directives.clauses) do
  for _, list in ipairs { entry[1], entry.present_or or "" } do
    for name in list:gmatch "%S+" do own_names[name] = entry[1]:match "%S+" end
  end
end
-- Returns the canonical name of a clause: `copy` for `pcopy`.
local function name_of(clause) return own_names[clause.name] or clause.name end

-- Returns the list items of a clause as text, separated by commas. Precondition: the clause has list items.
local function list_of(clause)
  local parts = {}
  for i, variable in ipairs(clause.vars) do parts[i] = unparse.expression(variable) end
  return table.concat(parts, ", ")
end

-- Returns true if a directive has a clause with one of the canonical names `...`.
local function has(node, ...)
  for _, clause in ipairs(node.clauses) do
    for _, name in ipairs { ... } do
      if name_of(clause) == name then return true end
    end
  end
  return false
end

-- Clauses that OpenMP lacks, or that this translation does not support; a directive with one of them is refused.
local refused = { async = true, wait = true, device_type = true, dtype = true, attach = true, detach = true,
  no_create = true, default_async = true, device_num = true }

-- Raises {cannot = reason} if a directive has a clause of `refused` or a clause with a modifier, or is `data` with
-- deviceptr.
local function check(node)
  for _, clause in ipairs(node.clauses) do
    if refused[name_of(clause)] or name_of(clause) == "deviceptr" and node.name == "data" then
      cannot(("OpenMP has no clause like '%s' of '%s'"):format(clause.name, node.name))
    end
    local modifier = (clause.modifiers or {})[1]
    if modifier then cannot(("the modifier '%s' of '%s'"):format(modifier.name, clause.name)) end
  end
end

-- Returns a list of clauses as text: map clauses for the data clauses of a directive, and the if clause. `types`: a
-- table from data clause to map type; clauses that it lacks are dropped, except that deviceptr becomes is_device_ptr if
-- `types` is map_types. `condition`: prefix in the if clause, such as "target data: "; nil: no if clause.
local function data_clauses(node, types, condition)
  local parts = {}
  for _, clause in ipairs(node.clauses) do
    local name = name_of(clause)
    if types[name] then parts[#parts + 1] = ("map(%s: %s)"):format(types[name], list_of(clause))
    elseif name == "deviceptr" and types == map_types then
      parts[#parts + 1] = ("is_device_ptr(%s)"):format(list_of(clause))
    elseif name == "if" and condition then
      parts[#parts + 1] = ("if(%s%s)"):format(condition, unparse.expression(clause.e))
    end
  end
  return parts
end

-- ------------------------------------------------------------------------------------- constructs --

local Text = {}
Text.__index = Text

-- Returns the OpenMP words that divide the loop of `construct` among teams and threads; nil if one thread executes the
-- loop. That is so for loops with `seq`, of `serial`, and of `kernels` without `independent`, and inside a loop that is
-- divided among threads already. Precondition: the field `words` (result of this function) of the enclosing loops is
-- set. `construct`: an entry of self.list (openmp_translation.text).
local function division_clauses(self, construct)
  local node, compute, enclosing_loop = construct.node, construct.compute, construct.enclosing_loop
  if has(node, "seq") or not compute then return nil end
  local threads, teams = has(node, "worker", "vector"), has(node, "gang")
  local construct_name = openacc_directives.directive(compute.node.name).construct
  if construct_name == "kernels" then
    return has(node, "independent") and not (enclosing_loop and enclosing_loop.words) and "parallel for" or nil
  elseif construct_name == "serial" then
    return nil
  end
  -- Enclosing loops without `words` are executed by one thread: take the innermost divided loop around this one.
  while enclosing_loop and not enclosing_loop.words do
    enclosing_loop = enclosing_loop.enclosing_loop
  end
  if enclosing_loop then return enclosing_loop.words == "distribute" and (threads or not teams) and "parallel for"
    or nil end
  -- Set below if a loop directly inside this one has worker or vector: that loop is then divided among threads.
  local is_divided = false
  for _, inner in ipairs(self.list) do
    local is_loop = inner.node.name == "loop" and inner.enclosing_loop == construct
    is_divided = is_divided or is_loop and has(inner.node, "worker", "vector")
  end
  if threads and not teams and construct ~= compute then return "parallel for" end
  return is_divided and not threads and "distribute" or teams and not threads and is_divided and "distribute"
    or "distribute parallel for"
end

-- Appends the reduction clauses of a directive to the list `parts` of texts.
local function add_reductions(node, parts)
  for _, clause in ipairs(node.clauses) do
    if name_of(clause) == "reduction" then
      parts[#parts + 1] = ("reduction(%s: %s)"):format(clause.op, list_of(clause))
    end
  end
end

-- ---------------------------------------------------------------------------------------- scalars --

-- Returns the number of the first token of the statement, or of the parenthesized text, that contains token i.
local function start_of(self, i)
  while i > 1 do
    local before = self.source:token(i - 1)
    if self.source.kind[i - 1] == "line" or (";{}("):find(before, 1, true) then break end
    i = i - 1
  end
  return i
end

local not_types = { ["return"] = true, ["else"] = true, ["goto"] = true, case = true, ["do"] = true }
local of_expression = { decltype = true, typeof = true, __typeof__ = true, __typeof = true, _Alignas = true,
  alignas = true, __attribute__ = true }

-- Returns the number of the token after the template arguments that begin at token i; nil if the `<` begins none.
local function after_template(unit, i)
  local depth = 0
  while unit.at[i] do
    local text = unit:token(i)
    if text == "<" then
      depth = depth + 1
    elseif text == ">" then
      depth = depth - 1
      if depth == 0 then return i + 1 end
    elseif unit.kind[i] == "other" and (not (",*&:"):find(text, 1, true)
      or text == "&" and unit:token(i + 1) == "&") then
      return nil
    end
    i = i + 1
  end
end

-- Returns true if a declaration may begin at token i: a type name, perhaps with template arguments, `*` and `&`, and
-- then a name; or `auto` and a structured binding.
local function is_declaration(self, i)
  local unit = self.source
  if unit:token(i) == ":" and unit:token(i + 1) == ":" then i = i + 2 end
  if unit.kind[i] ~= "word" or not_types[unit:token(i)] then return false end
  local k = of_expression[unit:token(i)] and unit:token(i + 1) == "(" and unit:closing(i + 1) + 1 or i + 1
  while true do
    local text = unit:token(k)
    if text == "<" then
      k = after_template(unit, k)
      if not k then return false end
    elseif text == ":" and unit:token(k + 1) == ":" and unit.kind[k + 2] == "word" then
      k = k + 3
    else
      break
    end
  end
  while unit:token(k) == "*" or unit:token(k) == "&" do k = k + 1 end
  return unit.kind[k] == "word" or unit:token(k) == "[" and unit:token(i) == "auto"
end

-- Returns true if the declaration that begins at token `start` declares the word at token i. Returns false for words in
-- initializers, array bounds and parameter lists.
local function is_declared(self, start, i)
  local unit, k = self.source, start
  local of_value = false
  while k < i do
    local text = unit.kind[k] == "other" and unit:token(k)
    local close = (text == "(" or text == "{" or text == "[" and unit:token(k - 1) ~= "auto"
      and unit:token(k - 1) ~= "&") and unit:closing(k)
    if close then
      if close >= i then return text == "(" and unit:token(k + 1) == "*" and not of_value end
      k = close
    elseif text == "=" then
      of_value = true
    elseif text == "," then
      of_value = false
    end
    k = k + 1
  end
  return not of_value
end

-- Returns true if the word at token i is assigned, incremented or decremented there, as only scalars are. Returns false
-- for members after `.` or `->`.
local function is_written(self, i)
  local unit = self.source
  local before, before_that = unit:token(i - 1), unit:token(i - 2)
  local following, second_following, third = unit:token(i + 1), unit:token(i + 2), unit:token(i + 3)
  if before == "." or before == ">" and before_that == "-" then return false end
  if following == "=" then return second_following ~= "=" end
  if following and ("+-*/%&|^"):find(following, 1, true) and second_following == "=" then return third ~= "=" end
  if following == "+" and second_following == "+" or following == "-" and second_following == "-" then return true end
  return before == "+" and before_that == "+" or before == "-" and before_that == "-"
end

-- OpenACC clauses that decide how the threads of a construct see a variable: as private copies, as a reduction, or
-- (data clauses) as shared data.
local sharing = { private = true, firstprivate = true, reduction = true, copy = true, copyin = true, copyout = true,
  create = true, present = true, deviceptr = true }

-- Returns true if a clause of the table `sharing` (private, reduction or data clause) names the variable `name`. The
-- clause may be one of `construct`, or of a construct that encloses `construct`.
local function is_named(self, construct, name)
  for _, other in ipairs(self.list) do
    local covers = other == construct or other.last and other.token < construct.token and construct.token <= other.last
    for _, clause in ipairs(covers and other.node.clauses or {}) do
      for _, variable in ipairs(sharing[name_of(clause)] and clause.vars or {}) do
        if unparse.expression(variable) == name then return true end
      end
    end
  end
  return false
end

-- Returns true if the statement that contains token i follows an atomic directive.
local function is_atomic(self, i)
  local start = start_of(self, i)
  return self.source.kind[start - 1] == "line" and self.source:token(start - 1):find "acc%s+atomic" ~= nil
end

-- Returns the construct whose threads execute token i: the innermost divided loop in the compute construct `construct`,
-- or `construct` itself.
local function innermost(self, construct, i)
  local executor = construct
  for _, inner in ipairs(self.list) do
    if inner.words and inner.compute == construct and inner.after <= i and i <= inner.last then executor = inner end
  end
  return executor
end

-- Collects, in the field `private` of each divided loop, the variables of loops inside it that are declared outside of
-- the compute construct `construct`: OpenACC makes them private. The loop's own variable needs no clause. Raises
-- {cannot = reason} if a statement assigns another variable that several threads would share, and no clause names it.
local function private_variables(self, construct)
  local declared = {}
  for i = construct.after, construct.last do
    if self.source.kind[i] == "word" then
      local name, start = self.source:token(i), start_of(self, i)
      if i > start and is_declaration(self, start) and is_declared(self, start, i) then declared[name] = true end
      if is_written(self, i) and not declared[name] then
        local owner = innermost(self, construct, i)
        local is_loop = start == i and self.source:token(i - 2) == "for"
        local own = self.source:skip_lines(owner.after) + 2 -- first token in the parentheses of the loop
        if is_loop and i ~= own and not is_named(self, owner, name) then
          owner.private = owner.private or {}
          if not owner.private[name] then table.insert(owner.private, name) end
          owner.private[name] = true
        elseif not is_loop and not (owner.private and owner.private[name]) and not is_named(self, owner, name)
          and not is_atomic(self, i) and self.source:token(i - 1) ~= "*" then
          local is_own_step = start_of(self, i) > own and i < self.source:closing(own - 1)
          if not is_own_step then
            cannot(("'%s' is written by several threads: name it in a private clause"):format(name))
          end
        end
      end
    end
  end
end

-- Appends to `parts` a private clause for construct.private (see private_variables); nothing if the list is empty.
local function add_private(construct, parts)
  if construct.private and construct.private[1] then
    parts[#parts + 1] = ("private(%s)"):format(table.concat(construct.private, ", "))
  end
end

-- Appends the clauses of a divided loop to `parts`: private, collapse and reduction.
local function loop_clauses(construct, parts)
  add_private(construct, parts)
  for _, clause in ipairs(construct.node.clauses) do
    local name = name_of(clause)
    if name == "private" then parts[#parts + 1] = ("private(%s)"):format(list_of(clause))
    elseif name == "collapse" then parts[#parts + 1] = "collapse" .. construct.text:match "%f[%w_]collapse%s*(%b())" end
  end
  add_reductions(construct.node, parts)
end

-- Appends the reductions of loops that are divided among teams to `parts`, the list of clauses of the compute construct
-- `construct`. Raises {cannot = reason} if a reduction variable is used outside of its loop, where OpenMP would give
-- another value.
local function gang_reductions(self, construct, parts)
  for _, inner in ipairs(self.list) do
    if inner.compute == construct and inner.words and inner.words:find "distribute" and not inner.enclosing_loop then
      for _, clause in ipairs(inner.node.clauses) do
        for _, variable in ipairs(name_of(clause) == "reduction" and clause.vars or {}) do
          for i = construct.after, construct.last do
            local is_word = self.source.kind[i] == "word" and self.source:token(i) == unparse.expression(variable)
            if is_word and (i < inner.after or i > inner.last) then
              cannot(("the reduction variable '%s' is used outside of its loop"):format(unparse.expression(variable)))
            end
          end
        end
      end
      add_reductions(inner.node, parts)
    end
  end
end

-- Returns the set of words in the tokens `first` to `last`, and in the macros of the text that these words name.
local function used_words(self, first, last)
  local used = {}
  -- Adds the words of a text, and the words of macros that the text names.
  local function add(text)
    for word in text:gmatch "[%a_][%w_]*" do
      if not used[word] then
        used[word] = true
        if self.macros[word] then add(self.macros[word]) end
      end
    end
  end
  for i = first, last do
    if self.source.kind[i] == "word" then add(self.source:token(i)) end
  end
  return used
end

-- Appends map clauses to `parts` for variables that an enclosing data construct maps and the compute construct
-- `construct` uses but does not name in a clause. Without a map clause, OpenMP would pass scalars by value.
local function add_enclosing_data(self, construct, parts)
  local own, used = {}, used_words(self, construct.after, construct.last)
  for _, clause in ipairs(construct.node.clauses) do
    for _, variable in ipairs(sharing[name_of(clause)] and clause.vars or {}) do
      own[list_item.root_variable(variable) or ""] = true
    end
  end
  for _, other in ipairs(self.list) do
    local is_around = other.node.name == "data" and other.token < construct.token and construct.token <= other.last
    for _, clause in ipairs(is_around and other.node.clauses or {}) do
      for _, variable in ipairs(map_types[name_of(clause)] and clause.vars or {}) do
        local name = variable.tag == "id" and unparse.expression(variable)
        if name and used[name] and not own[name] then
          own[name] = true
          parts[#parts + 1] = ("map(tofrom: %s)"):format(name)
        end
      end
    end
  end
end

-- Returns the OpenMP if clause of a compute construct, as text, for the construct's clauses `if` and `self`; nil if it
-- has neither. `self` without a condition gives the condition 0: the construct runs on the host.
local function condition(node)
  local parts = {}
  for _, clause in ipairs(node.clauses) do
    local name = name_of(clause)
    local e = clause.e or clause.vars and clause.vars[1]
    if name == "if" then parts[#parts + 1] = ("(%s)"):format(unparse.expression(e))
    elseif name == "self" then parts[#parts + 1] = e and ("!(%s)"):format(unparse.expression(e)) or "0" end
  end
  return parts[1] and ("if(target: %s)"):format(table.concat(parts, " && "))
end

-- Returns the OpenMP words of a compute construct, such as "target teams", and a list of its clauses as text. Sets
-- `words` (see division_clauses) of the construct and its loops. Raises {cannot = reason} if OpenMP cannot express the
-- construct.
local function compute(self, construct)
  local node = construct.node
  local definition, parts = openacc_directives.directive(node.name), {}
  local construct_name, is_loop = definition.construct, definition.association == "loop"
  local is_teams = construct_name == "parallel" and not (is_loop and has(node, "seq"))
  construct.words = is_loop and division_clauses(self, construct) or nil
  for _, inner in ipairs(self.list) do
    if inner.compute == construct and inner ~= construct and inner.node.name == "loop" then
      inner.words = division_clauses(self, inner) end
  end
  local words = is_teams and (is_loop and "target teams " .. construct.words or "target teams")
    or construct.words == "parallel for" and "target parallel for" or "target"
  local is_divided = words ~= "target"
  if is_divided then private_variables(self, construct) end
  table.move(data_clauses(node, map_types), 1, 100, 1, parts)
  add_enclosing_data(self, construct, parts)
  parts[#parts + 1] = condition(node)
  for _, clause in ipairs(node.clauses) do
    local name = name_of(clause)
    if name == "num_gangs" and is_teams then
      local dimensions = {}
      for i, e in ipairs(clause.values) do dimensions[i] = ("(%s)"):format(unparse.expression(e)) end
      parts[#parts + 1] = ("num_teams(%s)"):format(clause.values[2] and table.concat(dimensions, " * ")
        or unparse.expression(clause.values[1]))
    elseif name == "firstprivate" or name == "private" and not (is_loop and is_divided) then
      parts[#parts + 1] = ("%s(%s)"):format(name, list_of(clause))
    elseif name == "reduction" and not is_divided then
      parts[#parts + 1] = ("map(tofrom: %s)"):format(list_of(clause))
    end
  end
  if is_loop and is_divided then loop_clauses(construct, parts)
  elseif is_teams then
    add_private(construct, parts)
    add_reductions(node, parts)
    gang_reductions(self, construct, parts)
  end
  return words, parts
end

-- Functions by name of a directive: writers[name](self, construct) returns the OpenMP directives that replace
-- `construct`, a list of texts without "#pragma omp". An empty list removes the directive. The functions raise {cannot
-- = reason} if OpenMP cannot express it. Compute constructs are not listed here: `compute` writes them.
local writers = {}

-- Returns target data. The clause `deviceptr` cannot occur here, because `check` has refused it.
function writers.data(_, construct)
  return { "target data " .. table.concat(data_clauses(construct.node, map_types, "target data: "), " ") }
end

-- Returns target enter data.
writers["enter data"] = function(_, construct)
  return { "target enter data " .. table.concat(data_clauses(construct.node, { copyin = "to", create = "alloc" }, ""),
    " ") }
end

-- Returns target exit data. With `finalize`, each clause becomes a directive that deletes the listed variables; an
-- update from the device precedes it for copyout.
writers["exit data"] = function(_, construct)
  local node = construct.node
  if not has(node, "finalize") then
    return { "target exit data " .. table.concat(data_clauses(node, exit_types, ""), " ") }
  end
  local list, condition_text = {}, ""
  for _, clause in ipairs(node.clauses) do
    if clause.name == "if" then condition_text = (" if(%s)"):format(unparse.expression(clause.e)) end
  end
  for _, clause in ipairs(node.clauses) do
    if clause.vars then
      if name_of(clause) == "copyout" then
        list[#list + 1] = ("target update from(%s)%s"):format(list_of(clause), condition_text)
      end
      list[#list + 1] = ("target exit data map(delete: %s)%s"):format(list_of(clause), condition_text)
    end
  end
  return list
end

-- Returns target update. The clause if_present is dropped, because OpenMP ignores absent data anyway.
function writers.update(_, construct)
  local parts = {}
  for _, clause in ipairs(construct.node.clauses) do
    local name = name_of(clause)
    local direction = (name == "self" or name == "host") and "from" or name == "device" and "to"
    if direction then parts[#parts + 1] = ("%s(%s)"):format(direction, list_of(clause))
    elseif name == "if" then parts[#parts + 1] = ("if(%s)"):format(unparse.expression(clause.e)) end
  end
  return { "target update " .. table.concat(parts, " ") }
end

-- Returns the directive of a loop that is divided among threads or teams; an empty list for a loop that one thread
-- executes. Precondition: `compute` has set the field `words`.
function writers.loop(_, construct)
  if not construct.words then return {} end
  local parts = { construct.words }
  loop_clauses(construct, parts)
  return { table.concat(parts, " ") }
end

-- Returns the atomic directive with its clause, such as `read`.
function writers.atomic(_, construct)
  local parts = { "atomic" }
  for _, clause in ipairs(construct.node.clauses) do parts[#parts + 1] = clause.name end
  return { table.concat(parts, " ") }
end

-- Returns a declare target directive for each clause. Raises {cannot = reason} in a function, and for clauses that
-- OpenMP lacks.
function writers.declare(self, construct)
  local list = {}
  if self.source:enclosing_braces(construct.token)[1] then cannot "'declare' in a function" end
  for _, clause in ipairs(construct.node.clauses) do
    local name = name_of(clause)
    if not (clause.vars and (name == "create" or name == "copyin" or name == "device_resident" or name == "link")) then
      cannot(("'%s' on 'declare'"):format(clause.name))
    end
    list[#list + 1] = ("declare target %s(%s)"):format(name == "link" and "link" or "to", list_of(clause))
  end
  return list
end

-- Returns declare target. A directive without a name belongs to the following function: sets construct.last, the last
-- token of that function, and construct.end_text, the directive to insert there. Raises {cannot = reason} if no
-- function follows.
function writers.routine(self, construct)
  local name = construct.text:match "routine%s*(%b())"
  if name then return { "declare target to" .. name } end
  local i = construct.after
  while self.source.at[i] and self.source:token(i) ~= ";" and self.source:token(i) ~= "{" do i = i + 1 end
  if not self.source.at[i] then cannot "no function follows" end
  construct.end_text, construct.last = "end declare target", self.source:token(i) == "{" and self.source:closing(i) or i
  return { "declare target" }
end

-- Writer of `wait` and `cache`: returns an empty list, so that the directive is removed.
local function no_lines() return {} end
writers.wait, writers.cache = no_lines, no_lines

for _, name in ipairs { "host_data", "init", "shutdown", "set", "end data", "end host_data" } do
  writers[name] = function() cannot(("'%s'"):format(name)) end
end

-- ------------------------------------------------------------------------------------------- text --

-- Sets fields of each directive in self.list. `last`: last token of the statement of a construct or loop. `compute`:
-- the compute construct that encloses the directive or is the directive, or nil. `enclosing_loop`: the innermost loop
-- around a loop, or nil. Raises {cannot = reason} if a statement is not understood.
local function nest(self)
  for i, construct in ipairs(self.list) do
    local name = construct.node.name
    local is_compute = unit_directives.is_compute(construct.node)
    if is_compute or name == "loop" or name == "data" then
      construct.last = self.source:statement(construct.after)
      construct.compute = is_compute and construct or nil
    end
    for k = i - 1, 1, -1 do
      local outer = self.list[k]
      if outer.last and construct.token <= outer.last then
        construct.compute = construct.compute or outer.compute
        local is_loop = openacc_directives.directive(outer.node.name).association == "loop"
        if is_loop and name == "loop" then construct.enclosing_loop = construct.enclosing_loop or outer end
      end
    end
  end
end

-- Returns a function from a position in the text to the original file and line, which line markers give. `path`: the
-- file before the first marker. Precondition: positions ascend from call to call.
local function location_map(text, path)
  local next_marker = text:gmatch "()(#line %d+ \"[^\n]*)\n()"
  local file, line, from = path, 1, 1
  local start, marker, marker_end = next_marker()
  return function(at)
    while start and start < at do
      line, file = line_markers.read(marker)
      from = marker_end
      start, marker, marker_end = next_marker()
    end
    for _ in text:sub(from, at - 1):gmatch "\n" do line = line + 1 end
    from = math.max(from, at)
    return file, line
  end
end

-- Returns the text with OpenMP directives in place of OpenACC directives. is_left(file, line) returns true for
-- directives that stay as they are. fail(directive, message) must raise an error; it is called for directives that
-- OpenMP cannot express. The directive is {file, line, line_text, pos, node}, and `pos` is the position of its name in
-- line_text. Raises errors of syntax. `session`: its scope is used to parse. `path`: the file of the text before the
-- first line marker.
--
-- Entries of self.list also have `token` and `after`, the numbers of the directive's token and of the next one, and
-- `text`, the directive after `#pragma acc`.
function openmp_translation.text(session, text, path, is_left, fail)
  local self = setmetatable({ text = text, source = c_source.scan(text), list = {}, macros = {} }, Text)
  local location_of, location_after = location_map(text, path), location_map(text, path)
  for i = 1, self.source.n do
    local line = self.source.kind[i] == "line" and self.source:token(i)
    local own = line and c_source.openacc(line)
    local macro, body = (line or ""):match "^#%s*define%s+([%w_]+)(.*)$"
    if macro then self.macros[macro] = (self.macros[macro] or "") .. body end
    if own then
      local file, number = location_of(self.source.at[i])
      if is_left(file, number) then goto next end
      local node = session:with_text(line, file, number, syntax.parse, "directive", line, 1, session.now.scope)
      local start = self.source.at[i]
      while start > 1 and self.text:byte(start - 1) ~= 10 do start = start - 1 end
      local line_text = self.text:sub(start, self.source.finish[i] - 1)
      self.list[#self.list + 1] = { token = i, after = i + 1, text = own, node = node, file = file, line = number,
        line_text = line_text, pos = line_text:match "acc%s+()" }
    end
    ::next::
  end
  -- Calls fn(...) and returns its results. An error {cannot = reason} is passed to `fail` with `construct`.
  local function with_location(construct, fn, ...)
    local results = table.pack(pcall(fn, ...))
    if results[1] then return table.unpack(results, 2, results.n) end
    if deep_directive.is_reason(results[2]) then fail(construct, results[2].cannot) end
    error(results[2], 0)
  end
  if self.list[1] then with_location(self.list[1], nest, self) end
  local edits = {}
  for _, construct in ipairs(self.list) do
    local list = with_location(construct, function()
      check(construct.node)
      local write = writers[construct.node.name]
      if write then return write(self, construct) end
      local words, parts = compute(self, construct)
      return { table.concat({ words, table.unpack(parts) }, " ") }
    end)
    local lines, at, finish = {}, self.source.at[construct.token], self.source.finish[construct.token]
    for i, directive in ipairs(list) do lines[i] = "#pragma omp " .. directive end
    local _, feeds = self.text:sub(at, finish - 1):gsub("\n", "")
    local replacement = table.concat(lines, "\n" .. line_markers.line(construct.line, construct.file))
      .. ("\n"):rep(feeds)
    if feeds > 0 and lines[1] or #lines > 1 then
      replacement = replacement:gsub("\n+$", "") .. "\n"
        .. line_markers.line(construct.line + feeds + 1, construct.file):sub(1, -2)
    end
    edits[#edits + 1] = { at = at, finish = finish, text = replacement }
    if construct.end_text then
      local region_end = self.source.finish[construct.last]
      local file, number = location_after(region_end)
      edits[#edits + 1] = { at = region_end, finish = region_end,
        text = ("\n#pragma omp %s\n"):format(construct.end_text) .. line_markers.line(number, file) }
    end
  end
  table.sort(edits, function(a, b) return a.at < b.at end)
  local parts, at = {}, 1
  for _, edit in ipairs(edits) do
    parts[#parts + 1] = self.text:sub(at, edit.at - 1)
    parts[#parts + 1] = edit.text
    at = edit.finish
  end
  parts[#parts + 1] = self.text:sub(at)
  return table.concat(parts)
end

return openmp_translation
