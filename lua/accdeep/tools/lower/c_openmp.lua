-- c_openmp.lua - translates the standard OpenACC directives of a C or C++ text to OpenMP. Lines keep their numbers.
--
-- c_unit.lua calls it for `--to openmp`, after deep copies have been lowered. openmp_translation.lua writes the
-- directives; this file finds them and the scalars that threads must have of their own. Positions are numbers of
-- tokens.

local deep_directive = require "accdeep.tools.emit.deep_directive"
local openmp_translation = require "accdeep.tools.lower.openmp_translation"
local syntax = require "accdeep.syntax"
local line_markers = require "accdeep.tools.lower.line_markers"
local c_source = require "accdeep.tools.lower.c_source"
local unparse = require "accdeep.syntax.unparse"

local c_openmp = {}

local cannot = deep_directive.cannot

-- Code placed before generated deep-copy functions: implementations, by OpenMP routines, of the OpenACC routines that
-- these functions call.
c_openmp.HEADERS = [[
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
  c_openmp.HEADERS = c_openmp.HEADERS .. ([[
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
function c_openmp.routines(code) return (code:gsub("%f[%w_]acc_", "accdeep_acc_")) end

-- ------------------------------------------------------------------------------------- expressions --

local Text = setmetatable({}, { __index = openmp_translation.Translation })
Text.__index = Text

Text.language = { loop = "for", device_address = "is_device_ptr", no = "!", both = " && ", never = "0" }

-- Returns the list items of a clause as a list of texts. Precondition: the clause has list items.
function Text.list_items(_, _, clause)
  local parts = {}
  for i, variable in ipairs(clause.vars) do parts[i] = unparse.expression(variable) end
  return parts
end

-- Returns the text of an expression of a clause.
function Text.expression(_, _, _, node) return unparse.expression(node) end

-- Returns the text in the parentheses of the clause `name` of a directive.
function Text.argument(_, directive, name)
  return directive.text:match("%f[%w_]" .. name .. "%s*(%b())"):sub(2, -2)
end

-- Compilers take each list item in a map clause, and pass scalars that are not mapped by value.
function Text.is_mappable() return true end
function Text.is_by_value() return true end

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

-- Returns true if the statement that contains token i follows an atomic directive.
local function is_atomic(self, i)
  local start = start_of(self, i)
  return self.source.kind[start - 1] == "line" and self.source:token(start - 1):find "acc%s+atomic" ~= nil
end

-- Returns true if the word at token i is the variable of a loop, where the loop sets it first.
local function is_loop_variable(self, i)
  return start_of(self, i) == i and self.source:token(i - 2) == "for"
end

-- Returns an iterator (i, name) over the words in the statement of a construct that are assigned there, as only scalars
-- are, and that the construct does not declare.
local function assigned_scalars(self, construct)
  local declared, i = {}, construct.after - 1
  return function()
    while i < construct.last do
      i = i + 1
      if self.source.kind[i] == "word" then
        local name, start = self.source:token(i), start_of(self, i)
        if i > start and is_declaration(self, start) and is_declared(self, start, i) then declared[name] = true end
        if is_written(self, i) and not declared[name] then return i, name end
      end
    end
  end
end

-- Adds loop variables to the field `private` of each divided loop in the compute construct `construct`, if they are
-- declared outside of it: OpenACC makes them private. The loop's own variable needs no clause. Raises {cannot = reason}
-- if a statement assigns another variable that several threads would share, and no clause names it. `is_divided`:
-- several threads execute the construct's own statements, too.
function Text:find_private(construct, is_divided)
  for i, name in assigned_scalars(self, construct) do
    local owner = self:innermost(construct, i)
    local is_loop = is_loop_variable(self, i)
    local own = self.source:skip_lines(owner.after) + 2 -- first token in the parentheses of the loop
    if owner == construct and not is_divided or self:is_named(owner, name) then goto next end
    if is_loop and i ~= own then
      self:make_private(owner, name, "private")
    elseif not is_loop and not (owner.private and owner.private[name]) and not is_atomic(self, i)
      and self.source:token(i - 1) ~= "*" then
      local is_own_step = start_of(self, i) > own and i < self.source:closing(own - 1)
      if not is_own_step then
        cannot(("'%s' is written by several threads: name it in a private clause"):format(name))
      end
    end
    ::next::
  end
end

-- Returns the scalars that are declared outside of a construct, and that its statements assign: a list of {name,
-- is_reduced}. Variables of its loops, and those that a clause other than reduction names, are left out.
function Text:written_scalars(construct)
  local list, of_loops = {}, {}
  for i, name in assigned_scalars(self, construct) do
    if is_loop_variable(self, i) then of_loops[name] = true end
  end
  for i, name in assigned_scalars(self, construct) do
    local owner = self:innermost(construct, i)
    local sharing = owner.private and owner.private[name] and "private"
      or self:sharing_of(self:loop_around(construct, i), name)
    local is_free = not of_loops[name] and self.source:token(i - 1) ~= "*"
    if is_free and (not sharing or sharing == "reduction") then
      list[#list + 1] = { name = name, is_reduced = sharing == "reduction" }
    end
  end
  return list
end

-- Returns the set of words in the tokens `first` to `last`, and in the macros of the text that these words name.
function Text:used_names(first, last)
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

-- Returns true if a construct uses a name outside of its loop `inner`.
function Text:is_used_outside(construct, inner, name)
  for i = construct.after, construct.last do
    local is_word = self.source.kind[i] == "word" and self.source:token(i) == name
    if is_word and (i < inner.after or i > inner.last) then return true end
  end
  return false
end

-- Functions for directives whose place in C decides what they become (openmp_translation.lua).
local writers = {}
Text.writers = writers

-- Returns a declare target directive for each clause. Raises {cannot = reason} in a function.
function writers.declare(self, construct)
  if self.source:enclosing_braces(construct.token)[1] then
    cannot("'declare' in a function", "write data or enter data")
  end
  return openmp_translation.declare(self, construct)
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

-- ------------------------------------------------------------------------------------------- text --

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

-- Returns true if a call of a routine that waits for queues begins at token i, as a statement.
local function is_wait_call(source, i)
  if source.kind[i] ~= "word" or source:token(i + 1) ~= "(" then return false end
  local name, before = source:token(i), i > 1 and source:token(i - 1) or ";"
  local is_wait = name:find "^acc_wait%f[_\0]" or name:find "^acc_async_wait%f[_\0]"
  return is_wait and (source.kind[i - 1] == "line" or before == "else" or (";{}):"):find(before, 1, true) ~= nil)
end

-- Returns the text with OpenMP directives in place of OpenACC directives, and without calls that wait.
-- is_left(file, line) returns true for directives that stay as they are. fail(directive, message, help) must raise an
-- error; it is called for directives that OpenMP cannot express. The directive is {file, line, line_text, pos, node},
-- and `pos` is the position of its name in line_text. Raises errors of syntax. `session`: its scope is used to parse.
-- `path`: the file of the text before the first line marker.
--
-- Entries of self.list also have `token` and `after`, the numbers of the directive's token and of the next one, and
-- `text`, the directive after `#pragma acc`.
function c_openmp.text(session, text, path, is_left, fail)
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
    if deep_directive.is_reason(results[2]) then fail(construct, results[2].cannot, results[2].help) end
    error(results[2], 0)
  end
  if self.list[1] then
    with_location(self.list[1], self.nest, self, function(construct) return self.source:statement(construct.after) end)
  end
  local edits = {}
  for _, construct in ipairs(self.list) do
    local list = with_location(construct, self.translate, self, construct)
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
  for i = 1, self.source.n do
    if is_wait_call(self.source, i) then
      edits[#edits + 1] = { at = self.source.at[i], finish = self.source.finish[self.source:closing(i + 1)],
        text = "(void)0" }
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

return c_openmp
