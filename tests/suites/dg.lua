-- dg.lua - the comments by which a test of gcc says how it is compiled, run and judged: { dg-NAME ... }.
-- Arguments are a Tcl list; a selector names targets, joined by !, && and ||.

local dg = {}

local ESCAPES = { n = "\n", r = "\r", t = "\t" }

-- Where the quoted word that begins at `at` ends, or nil.
local function closing(text, at)
  repeat
    at = text:find('["\\]', at + 1)
    if at and text:sub(at, at) == '"' then return at end
    at = at and at + 1 -- a backslash and what it escapes
  until not at
end

-- The words of a Tcl list: {raw text}, "text with \ escapes" or bare.
function dg.words(text)
  local words, at = {}, text:find "%S"
  while at do
    local word, after = text:match("^(%b{})()", at)
    local last = text:sub(at, at) == '"' and closing(text, at)
    if word then
      word = word:sub(2, -2)
    else
      if last then word, after = text:sub(at + 1, last - 1), last + 1
      else word, after = text:match("^(%S+)()", at) end
      word = word:gsub("\\(.)", function(c) return ESCAPES[c] or c end)
    end
    words[#words + 1] = word
    at = text:find("%S", after)
  end
  return words
end

-- The comments of a source, in order: { name, words... }.
function dg.comments(source)
  local list = {}
  for line in source:gmatch "[^\n]+" do
    local name, arguments = line:match "{[ \t]+dg%-([-%a]+)[ \t]+(.*)[ \t]+}[^}]*$"
    if not name then name, arguments = line:match "{[ \t]+dg%-([-%a]+)([ \t]*)}[^}]*$" end
    if name then
      local comment = dg.words(arguments)
      comment.name = name
      list[#list + 1] = comment
    end
  end
  return list
end

-- What holds of this machine and a simulated device of type nvidia without CUDA and without an offload compiler. A name
-- that is neither here nor a pattern for this machine's name does not hold.
local HOLDS = {
  openacc_nvidia_accel_selected = true, openacc_nvidia_accel_present = true, lto = true,
  weak_undefined = true, c = true, fortran = true, ["c++"] = true, offload_device = true,
  offload_device_nonshared_as = true, size32plus = true, tls_runtime = true, tls = true, sync_int_long = true,
  shared = true, fpic = true, large_long_double = true,
}
local MACHINE = "x86_64-pc-linux-gnu"

local function holds(name, is_optimized)
  if name == "__OPTIMIZE__" then return is_optimized end
  if HOLDS[name] then return true end
  local pattern = name:gsub("[%-.+]", "%%%0"):gsub("%*", ".*")
  return MACHINE:find("^" .. pattern .. "$") ~= nil
end

-- A selector holds: {! a}, {a || b}, {a && b}, or names of which one must hold. Braces nest.
function dg.selects(selector, is_optimized)
  local words = dg.words(selector)
  local value, negated, operator
  for _, word in ipairs(words) do
    if word == "!" then
      negated = not negated
    elseif word == "||" or word == "&&" then
      operator = word
    else
      local operand = word:find "[%s!]" and dg.selects(word, is_optimized) or holds(word, is_optimized)
      if negated then operand = not operand end
      if value == nil then value = operand
      elseif operator == "&&" then value = value and operand
      else value = value or operand end
      negated = false
    end
  end
  return value == true
end

-- Whether a comment with "{ target SELECTOR }" or a bare selector at `from` is for us; "xfail" says that
-- the suite itself does not expect it.
function dg.applies(comment, from, is_optimized)
  local selector = comment[from]
  if not selector or selector == "" then return true end
  local kind, rest = selector:match "^%s*(%a+)%s+(.*)$"
  if kind == "target" then return dg.selects(rest, is_optimized) end
  if kind == "xfail" then return not dg.selects(rest, is_optimized) end
  return dg.selects(selector, is_optimized)
end

-- Whether one of the options of a skip list is among the flags; "*" stands for all, "" for none.
local function has_option(list, flags)
  for _, option in ipairs(dg.words(list or "")) do
    if option == "*" then return true end
    for _, flag in ipairs(flags) do
      if flag == option then return true end
    end
  end
  return false
end

-- { dg-skip-if "why" SELECTOR INCLUDED EXCEPT }
function dg.skips(comment, flags, is_optimized)
  if not dg.selects(comment[2] or "*-*-*", is_optimized) then return false end
  return (comment[3] == nil or has_option(comment[3], flags)) and not has_option(comment[4], flags)
end

-- The Lua pattern for what a regular expression of dg-output matches, or nil for what has no pattern:
-- groups other than an end of line, and counts.
function dg.pattern(expression)
  local text = expression:gsub("%(\n|\r\n|\r%)", "\n")
  local out, at = {}, 1
  while at <= #text do
    local piece = text:match("^%[%^?%]?[^%]]*%]", at)
    if piece then
      out[#out + 1] = piece:gsub("%%", "%%%%")
    else
      piece = text:match("^\\.", at) or text:sub(at, at)
      local c = piece:sub(-1)
      if #piece == 2 then
        if c:find "%w" then return nil end
        out[#out + 1] = "%" .. c
      elseif c:find "[(){}|]" then
        return nil
      elseif c:find "[%%%-]" or c == "$" and at < #text or c == "^" and at > 1 then
        out[#out + 1] = "%" .. c
      else
        out[#out + 1] = c
      end
    end
    at = at + #piece
  end
  return table.concat(out)
end

return dg
