-- c_source.lua - a scanner for C and C++ units: finds directives, and where statements, declarations and classes
-- begin and end.
--
-- Input: the text of a unit, or its preprocessed text. Output: a token list with queries. Code is separated from
-- comments, strings and preprocessor lines, but not parsed; macros are not expanded. c_unit.lua, c_compiler.lua,
-- c_openmp.lua, headers.lua and macros.lua use it.
--
-- Tokens are numbered from 1 to n. Functions that search raise {cannot = reason} if the text is not understood.

local lpeg = require "lpeg"

local strings = require "accdeep.base.strings"

local c_source = {}

local P, R, S, C, Cp, Cc = lpeg.P, lpeg.R, lpeg.S, lpeg.C, lpeg.Cp, lpeg.Cc

local eol = P "\r" ^ -1 * P "\n"
local joined = P "\\" * eol
local comment = P "/*" * (1 - P "*/") ^ 0 * P "*/" + P "//" * (joined + 1 - S "\n") ^ 0
local blank = S " \t\r\f\v" + joined + comment
-- Returns a pattern for a literal between two marks `mark`, with escapes.
local function quoted_literal(mark) return P(mark) * (P "\\" * 1 + joined + 1 - S(mark .. "\n")) ^ 0 * P(mark) end
local raw_string = lpeg.Cmt(P "R\"" * C((1 - S "( )\\\n") ^ 0) * "(", function(text, at, delimiter)
  local _, finish = text:find(")" .. delimiter .. "\"", at, true)
  return finish and finish + 1
end)
local string = (P "u8" + S "uUL") ^ -1 * (raw_string + quoted_literal "\"") + S "uUL" ^ -1 * quoted_literal "'"
local letter = R("az", "AZ", "\128\255") + S "_$"
local word = letter * (letter + R "09") ^ 0
local digit = R "09"
local number = (P "." ^ -1 * digit) * (S "eEpP" * S "+-" + letter + digit + S ".'") ^ 0
-- A preprocessor line with its continuation lines, without the final line feed.
local line = P "#" * (joined + comment + 1 - S "\n") ^ 0

-- Fields of a unit. `text`: the text; `n`: number of tokens. By token: `at`, position of its first byte; `finish`,
-- position after its last byte; `kind`, one of "line" (preprocessor line), "word", "string", "number", "other".
local Unit = {}
Unit.__index = Unit

local gap = C((blank + "\n") ^ 0)
local code = Cc "string" * string + Cc "word" * word + Cc "number" * number + Cc "other" * 1
local token = gap * code * Cp()
local directive = gap * Cc "line" * line * Cp()

-- Returns the tokens of a text as a Unit. Never fails: a byte that begins nothing else is a token of kind "other".
function c_source.scan(text)
  local self = setmetatable({ text = text, n = 0, at = {}, finish = {}, kind = {} }, Unit)
  local at, fresh = 1, true -- `fresh`: a preprocessor line may begin here
  while true do
    local skipped, kind, token_end
    if fresh then skipped, kind, token_end = directive:match(text, at) end
    if not skipped then
      skipped, kind, token_end = token:match(text, at)
      if skipped and skipped:find "\n" and text:sub(at + #skipped, at + #skipped) == "#" then
        skipped, kind, token_end = directive:match(text, at)
      end
    end
    if not skipped then break end
    self.n = self.n + 1
    self.at[self.n], self.finish[self.n], self.kind[self.n] = at + #skipped, token_end, kind
    at, fresh = token_end, kind == "line"
  end
  return self
end

-- Returns the text of token i; nil if there is no such token.
function Unit:token(i) return self.at[i] and self.text:sub(self.at[i], self.finish[i] - 1) end

-- Returns the line number of a position. Calls with ascending positions are fast, because counting continues at the
-- previous position.
function Unit:line(at)
  local start = self.line_cache or { at = 1, line = 1 }
  if at < start.at then start = { at = 1, line = 1 } end
  local line_number = start.line
  for _ in self.text:sub(start.at, at - 1):gmatch "\n" do line_number = line_number + 1 end
  self.line_cache = { at = at, line = line_number }
  return line_number
end

local ends = { ["("] = ")", ["["] = "]", ["{"] = "}" }

-- Raises {cannot = message}, which callers turn into an error at the directive.
local function cannot(message) error({ cannot = message }, 0) end

-- Returns the number of the token that closes the bracket at token i. Raises if there is none, or if conditional
-- compilation divides the brackets.
function Unit:closing(i)
  local closers, depth, conditions = {}, 0, {}
  while self.at[i] do
    local text = self:token(i)
    if self.kind[i] == "line" then
      local name = text:match "^#%s*(%a+)"
      if name == "if" or name == "ifdef" or name == "ifndef" then
        conditions[#conditions + 1] = depth
      elseif name == "else" or name == "elif" or name == "endif" then
        if conditions[#conditions] ~= depth then cannot "conditional compilation divides the statement" end
        if name == "endif" then conditions[#conditions] = nil end
      end
    elseif self.kind[i] == "other" and ends[text] then
      depth = depth + 1
      closers[depth] = ends[text]
    elseif self.kind[i] == "other" and text == closers[depth] then
      depth = depth - 1
      if depth == 0 then return i end
    end
    i = i + 1
  end
  cannot "the end of the statement is not found"
end

-- Returns the number of the first token from token i on that is not a preprocessor line; n + 1 if there is none.
function Unit:skip_lines(i)
  while self.kind[i] == "line" do i = i + 1 end
  return i
end

local conditional = { ["if"] = true, ["ifdef"] = true, ["ifndef"] = true, ["else"] = true, ["elif"] = true,
  ["endif"] = true }
local with_condition = { ["for"] = true, ["while"] = true, ["switch"] = true }

-- Returns the number of the last token of the statement that begins at token i, after preprocessor lines. Raises if no
-- statement follows, if its end is missing, or if conditional compilation divides it.
function Unit:statement(i)
  for k = i, self:skip_lines(i) - 1 do
    if conditional[self:token(k):match "^#%s*(%a+)"] then cannot "conditional compilation divides the statement" end
  end
  i = self:skip_lines(i)
  local text = self:token(i)
  if not text or text == "}" then cannot "no statement follows" end
  if text == "{" then return self:closing(i) end
  if text == "[" and self:token(i + 1) == "[" then return self:statement(self:closing(i) + 1) end -- an attribute
  if with_condition[text] then return self:statement(self:closing(i + 1) + 1) end
  if text == "if" then
    local at = i + 1
    if self:token(at) == "constexpr" then at = at + 1 end
    local last = self:statement(self:closing(at) + 1)
    local other = self:skip_lines(last + 1)
    return self:token(other) == "else" and self:statement(other + 1) or last
  elseif text == "try" then
    local last = self:closing(i + 1)
    while self:token(self:skip_lines(last + 1)) == "catch" do
      last = self:closing(self:closing(self:skip_lines(last + 1) + 1) + 1)
    end
    return last
  elseif text == "do" then
    local last = self:statement(i + 1)
    return self:closing(last + 2) + 1
  elseif self.kind[i] == "word" and self:token(i + 1) == ":" and self:token(i + 2) ~= ":" then
    return self:statement(i + 2)
  elseif self.kind[i] == "word" and self:token(i + 1) == "(" then -- perhaps a macro for a loop's head: its body follows
    local next_token = self:skip_lines(self:closing(i + 1) + 1)
    if self.kind[next_token] == "word" or self:token(next_token) == "{" then return self:statement(next_token) end
  end
  while self.at[i] and self:token(i) ~= ";" do
    i = (self.kind[i] == "other" and ends[self:token(i)] and self:closing(i) or i) + 1
  end
  return self.at[i] and i or cannot "the end of the statement is not found"
end

local before_others = strings.word_set "struct union enum class typename goto"

-- Returns true if the word at token i is a tag or a label. Tags and labels follow a word of before_others, or a label
-- is where a statement may begin and a colon follows.
function Unit:is_tag_or_label(i)
  local before = i > 1 and self:token(i - 1) or ";"
  if before_others[before] then return true end
  return self:token(i + 1) == ":" and self:token(i + 2) ~= ":" and (self.kind[i - 1] == "line" or before == "else"
    or before == "do" or (";{})"):find(before, 1, true) ~= nil and not self:is_in_condition(i))
end

-- Returns true if the colon after token i belongs to a conditional expression: a question mark precedes it in the
-- statement.
function Unit:is_in_condition(i)
  local k = i - 1
  while k > 0 and not (self.kind[k] == "other" and (";{}"):find(self:token(k), 1, true)) do
    if self.kind[k] == "other" and self:token(k) == "?" then return true end
    k = k - 1
  end
  return false
end

-- Returns true if a class or structure whose body opens at token `first` or later contains token i.
function Unit:is_in_record(first, i)
  for _, open in ipairs(self:open_braces(i)) do
    if open >= first and self:record_keyword(open) then return true end
  end
  return false
end

-- Returns an iterator over the words from token `first` to `last`, as (number of the token, name). Members after `.` or
-- `->`, tags and labels are skipped.
function Unit:names(first, last)
  local i = first - 1
  return function()
    repeat i = i + 1 until i > last or self.kind[i] == "word" and not self:is_member_access(i)
      and not self:is_tag_or_label(i)
    if i <= last then return i, self:token(i) end
  end
end

-- Returns true if the word at token i follows `.` or `->`.
function Unit:is_member_access(i)
  local before = i > 1 and self:token(i - 1)
  return before == "." or before == ">" and self:token(i - 2) == "-" and self.finish[i - 2] == self.at[i - 1]
end

local no_functions = strings.word_set(
  "if for while switch return sizeof catch alignof decltype typeof __typeof__ _Alignof",
  "static_assert noexcept char short int long float double bool unsigned signed void auto and or not")

-- Returns true if the word at token i looks like the name of a called function: a parenthesis follows, and the word is
-- not in `no_functions`. No word (as in a declaration) and no `:` (as in a qualified name) may precede.
function Unit:is_call(i)
  return self:token(i + 1) == "(" and not no_functions[self:token(i)] and self:token(i - 1) ~= ":"
    and self.kind[i - 1] ~= "word"
end

-- Returns the number of the first token of the function, or other declaration, that contains token `last`. The
-- parameters and local variables of the function follow the returned token.
function Unit:enclosing_function(last)
  local open, first = self:open_braces(last), last
  for k = #open, 1, -1 do
    if self:record_keyword(open[k]) or self:is_transparent(open[k]) then break end
    first = open[k]
  end
  while first > 1 and not (self.kind[first - 1] == "other" and (";{}"):find(self:token(first - 1), 1, true)) do
    first = first - 1
  end
  return first
end

-- Returns true if token `last` may be in a member function: it is inside a class, or in a function whose head contains
-- `::`.
function Unit:may_have_this(last)
  for _, i in ipairs(self:open_braces(last)) do
    if self:record_keyword(i) then return true end
  end
  for i = self:enclosing_function(last), last - 1 do
    if self:token(i) == "{" then return false end
    if self:token(i) == ":" and self:token(i + 1) == ":" then return true end
  end
  return false
end

-- Returns a list of the numbers of braces that are open before token `last`, the outermost first.
function Unit:open_braces(last)
  local open = {}
  for i = 1, last - 1 do
    local text = self.kind[i] == "other" and self:token(i)
    if text == "{" then open[#open + 1] = i elseif text == "}" then open[#open] = nil end
  end
  return open
end

-- Returns open_braces(last) without the braces of namespaces and extern "C".
function Unit:enclosing_braces(last)
  local list = {}
  for _, i in ipairs(self:open_braces(last)) do
    if not self:is_transparent(i) then list[#list + 1] = i end
  end
  return list
end

-- Change of the nesting depth of conditional compilation, by preprocessor directive.
local opens = { ["if"] = 1, ["ifdef"] = 1, ["ifndef"] = 1, ["endif"] = -1 }

-- Returns the number of the token after the parameter list of a K&R function, where its parameters are declared, if
-- token `open` is the brace of such a function. Returns `open` otherwise.
function Unit:old_parameters(open)
  if self:token(open) ~= "{" or self:token(open - 1) ~= ";" then return open end
  for i = open - 2, 1, -1 do
    local text = self.kind[i] == "other" and self:token(i)
    if text == "{" or text == "}" then return open end
    if text == ")" and self.kind[i + 1] == "word" then return i + 1 end
  end
  return open
end

-- Returns the position of a line start where a declaration can be inserted: before the file-scope declaration that
-- contains token `last`. Prefers a position outside of conditional compilation; returns 1 if nothing precedes.
function Unit:before_declaration(last)
  local open, conditions = self:old_parameters(self:enclosing_braces(last)[1] or last), 0
  local from, best, least = 1, 1, math.huge
  local depth = 0
  for i = 1, open - 1 do -- find the end of the previous declaration
    local text = self:token(i)
    if self.kind[i] == "line" then
      conditions = conditions + (opens[text:match "^#%s*(%a+)"] or 0)
    elseif text == "(" or text == "[" then
      depth = depth + 1
    elseif text == ")" or text == "]" then
      depth = depth - 1
    end
    if text == ";" and depth == 0 or text == "}" or text == "{" then
      from, best, least = i + 1, self.finish[i], math.huge
    elseif self.kind[i] == "line" and self:is_between(from, i) and conditions <= least then
      best, least = self.finish[i], conditions
    end
  end
  return best == 1 and 1 or (self.text:find("\n", best, true) or #self.text) + 1
end

-- Returns true if all tokens from `from` to `to` are preprocessor lines; true also for the empty range (from > to).
function Unit:is_between(from, to)
  for i = from, to do
    if self.kind[i] ~= "line" then return false end
  end
  return true
end

local with_argument = { __attribute__ = true, alignas = true, _Alignas = true, __declspec = true }
local opening = { [")"] = "(", ["]"] = "[", [">"] = "<" }

-- Returns true if token i opens the body of a lambda.
function Unit:opens_lambda(i)
  local k = i - 1
  while k > 0 and not (self.kind[k] == "other" and (";{}"):find(self:token(k), 1, true)) do
    if self:token(k) == "[" then
      local before = self:token(k - 1)
      local is_subscript = self.kind[k - 1] == "word" or before == "]" or before == ")"
      if not is_subscript and before ~= "[" and self:token(k + 1) ~= "[" then return true end
    end
    k = k - 1
  end
  return false
end

-- Returns the word (goto, return, break, continue) by which control leaves or enters the statement that begins at token
-- `first`; nil if the statement has one entry and one exit. Raises if the statement is not understood.
function Unit:leaves(first)
  local last, labels, loops, lambdas = self:statement(first), {}, {}, {}
  for i = first, last do
    local text = self.kind[i] == "word" and self:token(i)
    if text == "for" or text == "while" or text == "switch" or text == "do" then
      loops[#loops + 1] = { i, self:statement(i) }
    elseif self:token(i) == "{" and self:opens_lambda(i) then
      lambdas[#lambdas + 1] = { i, self:closing(i) }
    elseif text and text ~= "default" and self:token(i + 1) == ":" and self:is_tag_or_label(i) then
      labels[text] = true
    end
  end
  -- Returns true if one of the ranges {first, last} contains token i.
  local function is_in(ranges, i)
    for _, range in ipairs(ranges) do
      if range[1] <= i and i <= range[2] then return true end
    end
    return false
  end
  for i = 1, self.n do
    local text = self.kind[i] == "word" and self:token(i)
    local is_here = first <= i and i <= last
    if text == "goto" and (labels[self:token(i + 1)] or false) ~= is_here then
      return text
    elseif is_here and (text == "return" and not is_in(lambdas, i)
      or (text == "break" or text == "continue") and not is_in(loops, i)) then
      return text
    end
  end
end

-- Returns the number of the token struct, union or class in the definition whose body opens at token i; nil if the
-- brace opens something else.
function Unit:record_keyword(i)
  local k, depth = i - 1, 0
  while k > 0 do
    local text = self:token(k)
    if opening[text] then
      depth = depth + 1
    elseif ends[text] or text == "<" then
      depth = depth - 1
      if depth == 0 and text == "(" and not with_argument[self:token(k - 1)] then return nil end
    elseif depth == 0 and (text == ";" or text == "}" or text == "=") then
      return nil
    elseif depth == 0 and (text == "struct" or text == "union" or text == "class") then
      return self:token(k - 1) ~= "enum" and k or nil
    end
    if depth < 0 then return nil end
    k = k - 1
  end
end

-- Returns the text of the tokens `from` to `to` without attributes and preprocessor lines. Stops before a single colon
-- or `final`, which end the name of a class.
function Unit:name_between(from, to)
  local parts, before = {}, nil
  while from <= to do
    local text = self:token(from)
    local is_double = text == ":" and (self:token(from + 1) == ":" or before == ":")
    if text == ":" and not is_double or text == "final" then break end
    if with_argument[text] then
      from = self:closing(from + 1)
    elseif text == "[" then
      from = self:closing(from)
    elseif self.kind[from] ~= "line" then
      local is_apart = parts[1] and self.kind[from - 1] == "word" and self.kind[from] == "word"
      parts[#parts + 1] = (is_apart and " " or "") .. text
    end
    before, from = text, from + 1
  end
  return table.concat(parts)
end

-- Returns the name of the structure whose body opens at token i. With a tag: returns "struct TAG" or "union TAG", and
-- false. Without a tag: returns its typedef name or nil, and true. Returns only nil if the brace opens no structure.
function Unit:record_name(i)
  local k = self:record_keyword(i)
  if not k then return nil end
  local tag = self:name_between(k + 1, i - 1)
  if tag ~= "" then return ("%s %s"):format(self:token(k) == "class" and "struct" or self:token(k), tag), false end
  local close = self:closing(i)
  return self:token(k - 1) == "typedef" and self.kind[close + 1] == "word" and self:token(close + 1) or nil, true
end

-- Returns the name of the namespace whose body opens at token i; nil if the brace opens something else. The name is ""
-- for an unnamed namespace and for extern "C".
function Unit:namespace_name(i)
  if self.kind[i - 1] == "string" and self:token(i - 2) == "extern" then return "" end
  local k = i - 1
  while k > 0 and (self.kind[k] == "word" or self:token(k) == ":") and self:token(k) ~= "namespace" and i - k < 16 do
    k = k - 1
  end
  return self:token(k) == "namespace" and self:name_between(k + 1, i - 1):gsub("%f[%w_]inline%f[^%w_]%s*", "") or nil
end

-- Returns true if the brace at token i opens a namespace or extern "C".
function Unit:is_transparent(i) return self:namespace_name(i) ~= nil end

-- Returns the qualified C++ name of the class whose body is the last of the open braces `open` (see open_braces), and
-- true if the class is local to a function.
function Unit:qualified_name(open)
  local names, is_local = {}, false
  for _, i in ipairs(open) do
    local name = self:namespace_name(i) or (self:record_name(i) or ""):gsub("^%l+ ", "")
    if not self:is_transparent(i) and name == "" then names, is_local = {}, true end
    if name ~= "" then names[#names + 1] = name end
  end
  return table.concat(names, "::"), is_local
end

-- Returns the definitions of classes with a tag: a list of {name, at, is_local, has_private}. `name`: the qualified
-- name. `at`: position after the opening brace. `is_local`: the class is local to a function. `has_private`: a member
-- or base may be private or protected.
function Unit:records()
  local list, open = {}, {}
  for i = 1, self.n do
    local text = (self.kind[i] == "other" or self.kind[i] == "word") and self:token(i)
    if text == "{" then
      open[#open + 1] = { i = i }
      local name, is_typedef = self:record_name(i)
      if name and not is_typedef then
        local braces = {}
        for k, brace in ipairs(open) do braces[k] = brace.i end
        local full, is_local = self:qualified_name(braces)
        local keyword = self:record_keyword(i)
        local record = { name = full, at = self.finish[i], is_local = is_local,
          has_private = self:token(keyword) == "class" }
        for k = keyword, i do -- base classes
          local access = self:token(k)
          record.has_private = record.has_private or access == "private" or access == "protected"
        end
        open[#open].record = record
        list[#list + 1] = record
      end
    elseif text == "}" then
      open[#open] = nil
    elseif (text == "private" or text == "protected") and open[1] and open[#open].record then
      open[#open].record.has_private = true
    end
  end
  return list
end

-- Returns true if the unit has `template <>` followed by the name `name` within ten tokens, which specializes the
-- template.
function Unit:has_specialization(name)
  for i = 1, self.n do
    if self:token(i) == "template" and self:token(i + 1) == "<" and self:token(i + 2) == ">" then
      for k = i + 3, i + 12 do
        if self:token(k) == name then return true end
      end
    end
  end
  return false
end

-- Returns true if token `last` is in the braces of a template, or of a function with `auto` parameters or result.
function Unit:is_in_template(last)
  for _, i in ipairs(self:open_braces(last)) do
    local k = i - 1
    while k > 0 and not (self.kind[k] == "other" and (";{}"):find(self:token(k), 1, true)) do
      if self:token(k) == "template" or self:token(k) == "auto" then return true end
      k = k - 1
    end
  end
  return false
end

-- Returns the text of an OpenACC directive after `#pragma acc`; nil for other preprocessor lines.
function c_source.openacc(text) return text:match "^#%s*pragma%s+acc%f[^%w_]%s*(.*)$" end

-- Returns true if an error is {cannot = reason}.
function c_source.is_reason(err) return type(err) == "table" and err.cannot ~= nil end

return c_source
