-- grammar - parses text into trees.
--
-- parse(start, text, at, state) -> node, next position. state.is_type(name) tells typedef names.
-- Raises a diagnostic with code "syntax" and the position of the first thing that fits nowhere. This is the
-- parser of C texts; grammar.new makes one for another language.

local advice = require "accdeep.grammar.advice"
local lpeg = require "lpeg"
local lex = require "accdeep.grammar.lex"
local diagnostic = require "accdeep.base.diagnostic"
local openacc = require "accdeep.grammar.openacc"
local openmp = require "accdeep.grammar.openmp"

-- Nested parentheses and statements need a stack; what does not fit is reported, not crashed on.
lpeg.setmaxstack(4000)

local no_state = {}

local function build(language, start, trace)
  local lx = language.lex(trace)
  local rules = { "start" }
  for _, part in ipairs(language.parts) do part(rules, lx) end
  rules.start = start == "space" and lx.space or lx.space * lpeg.V(start)
  if language.starts[start] then rules.start = rules.start * -lpeg.P(1) end
  return lpeg.P(rules) * lpeg.Cp()
end

-- LPeg translates a pattern when it is first used. Where memory ends meanwhile the pattern must not be used
-- again: it is kept once it has matched something.
local function pattern(language, start, trace)
  local patterns = language.patterns
  local made = patterns[trace][start]
  if not made then
    made = build(language, start, trace)
    local ok, err = pcall(made.match, made, "", 1, no_state)
    if not ok and not (type(err) == "table" and err.syntax) then error(err, 0) end
    patterns[trace][start] = made
  end
  return made
end

-- Decides HOUSE-syntax.
local function match(p, text, at, state)
  local ok, node, after = pcall(p.match, p, text, at, state)
  if ok then return node, after end
  if type(node) == "table" and node.syntax then return nil, node end
  if type(node) == "string" and (node:find("stack overflow", 1, true)
    or node:find("nesting too deep", 1, true) or node:find("too many", 1, true)) then
    return nil, { syntax = "the text is nested too deeply", pos = at }
  end
  error(node, 0)
end

local function describe(text, at)
  local rest = text:sub(at)
  if rest == "" then return "unexpected end of the text" end
  if rest:sub(1, 1) == "\n" then return "unexpected end of the line" end
  local word = rest:match "^[%a_][%w_]*" or rest:match "^%d[%w.]*" or rest:sub(1, 1)
  return ("unexpected '%s'"):format(word:gsub("%c", "?")), #word
end

-- A parser for a language: parts (functions that add rules), starts (start rules, and whether they must
-- reach the end of the text), lex (function of trace that gives the helpers of lex.lua), help? (function of start,
-- text, position and message: help for an error, or nil).
local function new(language)
  language.patterns = { [false] = {}, [true] = {} }
  local parser = {}

  function parser.parse(start, text, at, state)
    at = at or 1
    local node, after = match(pattern(language, start, false), text, at, state or no_state)
    if node ~= nil and type(after) == "number" then return node, after end
    local pos, what
    if type(after) == "table" and after.unsupported then
      diagnostic.raise("unsupported", after.pos, after.syntax, { length = after.length, rule = "HOUSE-version",
        help = after.help })
    elseif type(after) == "table" then
      pos, what = after.pos, after.syntax
    else
      local tracing = { is_type = state and state.is_type, is_template = state and state.is_template,
        qualified_type = state and state.qualified_type }
      local _, failure = match(pattern(language, start, true), text, at, tracing)
      pos = tracing.far or at
      if type(failure) == "table" then pos, what = failure.pos, failure.syntax end
    end
    if type(after) == "table" and after.code then
      diagnostic.raise(after.code, after.pos, after.syntax, { help = after.help, rule = "HOUSE-version" })
    end
    local found, length = describe(text, pos)
    if not what and start:find "directive$" and not text:sub(1, pos - 1):gsub("^%s*#%s*pragma", "")
      :gsub("^%s*acc%f[^%w_]", ""):gsub("^%s*omp%f[^%w_]", ""):gsub("^%s*!%$acc", ""):find "%S" then
      what = "expected a directive"
    end
    diagnostic.raise("syntax", pos, what and ("%s, found %s"):format(what, (found:gsub("^unexpected ", "")))
      or found, { length = length, rule = state and state.rule,
        help = language.help and language.help(start, text, pos, what) })
  end

  -- The LPeg pattern of a start rule.
  function parser.pattern(start) return pattern(language, start, false) end

  -- Skips blanks and comments; returns the next position.
  function parser.skip(text, at)
    return (pattern(language, "space", false):match(text, at, no_state))
  end

  return parser
end

local grammar = new {
  parts = {
    require "accdeep.grammar.c_expression",
    require "accdeep.grammar.c_declaration",
    require "accdeep.grammar.c_class",
    require "accdeep.grammar.c_statement",
    openacc.rules,
    openmp.rules,
  },
  starts = {
    expression = true,
    directive = true,
    omp_directive = true,
    references = true,
    body = true,
    type_name = true,
    any_type = true,
    external = false,
    parameter_names = false,
    returned = false,
    initial = false,
    round = false,
    space = false,
  },
  lex = lex.new,
  help = advice.syntax,
}
grammar.new = new

return grammar
