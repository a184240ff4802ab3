-- syntax/init.lua - the parser for C texts and directives: text in, AST out. syntax.new makes a parser for another
-- language (fortran_syntax.lua). Directive dispatch, scopes and bodies call it.
--
-- Invariants: every node is of a kind in base/ast_kinds.lua. Its `pos` is an index in the parsed text. The parser does
-- not change the state.
--
-- parse(start, text, at, state) -> node, next position. `start` names the start rule; `state` is the scope, whose
-- is_type(name) recognizes typedef names. If the text does not match, raises a diagnostic with the code "syntax" at the
-- first token that no rule accepts.
--
--   text --lex.lua--> tokens --rules of c_*.lua, openacc_syntax.lua, openmp_syntax.lua--> AST (base/ast_kinds.lua)
--
-- Each grammar is built in two forms. The fast form records no positions. If it fails, the tracing form parses the text
-- again and records the farthest position that it reaches; the error is reported there.

local lazy = require "accdeep.base.lazy"
local advice = lazy.require "accdeep.syntax.advice"
local lpeg = require "lpeg"
local lex = require "accdeep.syntax.lex"
local diagnostic = require "accdeep.base.diagnostic"
local word_list = require "accdeep.base.strings".word_list
local openacc_syntax = require "accdeep.syntax.openacc_syntax"
local openmp_syntax = require "accdeep.syntax.openmp_syntax"

-- Limit of LPeg's stack for nested parentheses and statements. Texts that exceed it are reported as nested too deeply.
lpeg.setmaxstack(4000)

local no_state = {}

-- Returns one LPeg pattern for all start rules of a language, because they share most of their rules. A match takes two
-- extra arguments: the state and the name of the start rule. language: see new; trace: true for the tracing form.
local function build(language, trace)
  local lx = language.lex(trace)
  local rules, start = { "start", space = lx.blanks }, lpeg.P(false)
  for _, part in ipairs(language.parts) do part(rules, lx) end
  -- Adds start rules; names: their names in one text; ending: pattern that must match after them.
  local function add(names, ending)
    for _, name in ipairs(word_list(names)) do
      local is_requested = lpeg.Cmt(lpeg.Carg(2), function(_, _, requested) return requested == name end)
      start = start + is_requested * lpeg.V(name) * ending
    end
  end
  add(language.whole, -lpeg.P(1))
  add(language.beginning, lpeg.P(true))
  rules.start = lx.space * start
  return lpeg.P(rules) * lpeg.Cp()
end

-- Returns the cached pattern of one form of a language. LPeg compiles a pattern at its first match. The pattern is
-- cached only after this match succeeded, because it is unusable if memory runs out during the match.
local function pattern(language, trace)
  local compiled = language.patterns[trace]
  if not compiled then
    compiled = build(language, trace)
    compiled:match("", 1, no_state, "")
    language.patterns[trace] = compiled
  end
  return compiled
end

-- Returns the results of matching a text from position `at` with one form of a grammar: the node and the next position;
-- nil if the text does not match. If a rule reports an error, returns nil and {syntax = message, pos, ...}; other
-- errors are raised. Decides HOUSE-syntax.
local function match(language, trace, start, text, at, state)
  local p = pattern(language, trace)
  local ok, node, after = pcall(p.match, p, text, at, state, start)
  if ok then return node, after end
  if type(node) == "table" and node.syntax then return nil, node end
  if type(node) == "string" and (node:find("stack overflow", 1, true)
    or node:find("nesting too deep", 1, true) or node:find("too many", 1, true)) then
    return nil, { syntax = "the text is nested too deeply", pos = at }
  end
  error(node, 0)
end

-- Returns a description of the token at a position, for messages, and the token's length (nil at the end).
local function describe(text, at)
  local rest = text:sub(at)
  if rest == "" then return "unexpected end of the text" end
  if rest:sub(1, 1) == "\n" then return "unexpected end of the line" end
  local word = rest:match "^[%a_][%w_]*" or rest:match "^%d[%w.]*" or rest:sub(1, 1)
  return ("unexpected '%s'"):format(word:gsub("%c", "?")), #word
end

-- Returns a parser for a language, a table with:
--   parts      functions that add rules to the grammar.
--   whole      names of start rules that must match the whole text.
--   beginning  names of start rules that may end before the end of the text.
--   lex        function(trace) that returns the combinators of lex.lua.
--   help       function(start, text, position, message) that returns help for an error, or nil; optional.
local function new(language)
  language.patterns = {}
  local parser = {}

  -- Parses a text; see the head of this file.
  function parser.parse(start, text, at, state)
    at = at or 1
    local node, after = match(language, false, start, text, at, state or no_state)
    if node ~= nil and type(after) == "number" then return node, after end
    local pos, message
    if type(after) == "table" and after.unsupported then
      diagnostic.raise("unsupported", after.pos, after.syntax, { length = after.length, rule = "HOUSE-version",
        help = after.help })
    elseif type(after) == "table" then
      pos, message = after.pos, after.syntax
    else
      local tracing = { is_type = state and state.is_type, is_template = state and state.is_template,
        qualified_type = state and state.qualified_type }
      local _, failure = match(language, true, start, text, at, tracing)
      pos = tracing.far or at
      if type(failure) == "table" then pos, message = failure.pos, failure.syntax end
    end
    if type(after) == "table" and after.code then
      diagnostic.raise(after.code, after.pos, after.syntax, { help = after.help, rule = "HOUSE-version" })
    end
    local description, length = describe(text, pos)
    if not message and start:find "directive$" and not text:sub(1, pos - 1):gsub("^%s*#%s*pragma", "")
      :gsub("^%s*acc%f[^%w_]", ""):gsub("^%s*omp%f[^%w_]", ""):gsub("^%s*!%$acc", ""):find "%S" then
      message = "expected a directive"
    end
    diagnostic.raise("syntax", pos, message and ("%s, found %s"):format(message, (description:gsub("^unexpected ", "")))
      or description, { length = length, rule = state and state.rule,
        help = language.help and language.help(start, text, pos, message) })
  end

  -- Returns the LPeg pattern of the grammar in its fast form, which records no positions for errors. A match takes two
  -- extra arguments: the state and the name of a start rule.
  function parser.pattern() return pattern(language, false) end

  -- Returns the position after the blanks, comments and text at `at` that a start rule without nodes matches; nil if
  -- the rule does not match.
  function parser.skip(start, text, at) return (parser.pattern():match(text, at, no_state, start)) end

  return parser
end

local syntax = new {
  parts = {
    require "accdeep.syntax.c_expression",
    require "accdeep.syntax.c_declaration",
    require "accdeep.syntax.c_class",
    require "accdeep.syntax.c_statement",
    openacc_syntax.rules,
    openmp_syntax.rules,
  },
  whole = "directive omp_directive expression assignment body references type_name any_type",
  beginning = "external parameter_names returned initial round space",
  lex = lex.new,
  help = function(...) return advice.syntax(...) end,
}
syntax.new = new

return syntax
