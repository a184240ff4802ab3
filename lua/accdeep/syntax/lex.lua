-- lex.lua - tokens and parser combinators for all grammars of this folder, built on LPeg.
--
-- Rules build AST nodes with functions that get the node and its captures. The fast form of a grammar does not record
-- how far it matched; after a failure, the tracing form of the same rules runs once to find the position
-- (syntax/init.lua).

local lpeg = require "lpeg"
local strings = require "accdeep.base.strings"
local P, R, S, C, Cp, Cmt, Carg = lpeg.P, lpeg.R, lpeg.S, lpeg.C, lpeg.Cp, lpeg.Cmt, lpeg.Carg

local lex = {}

local letter = R("az", "AZ") + "_"
local alnum = letter + R "09"

lex.letter, lex.alnum = letter, alnum
-- Sentinel of Fortran's OpenACC directives; each continuation line of a directive repeats it.
lex.fortran_sentinel = P "!$" * S "aA" * S "cC" * S "cC" * -alnum
local continued = P "&" * S " \t\r" ^ 0 * P "\n" * S " \t" ^ 0 * lex.fortran_sentinel * P "&" ^ -1

lex.blank = (S " \t\r\n\f\v" + P "\\" * P "\r" ^ -1 * P "\n" + continued
  + P "//" * (1 - P "\n") ^ 0 + P "/*" * (1 - P "*/") ^ 0 * P "*/") ^ 0

local keywords =
  strings.word_set [[auto break case char const continue default do double else enum extern float for goto
  if inline int long register restrict return short signed sizeof static struct switch typedef
  union unsigned void volatile while _Bool bool class template typename public private protected
  operator virtual]]
lex.keywords = keywords

-- Returns a table of combinators and patterns for one form of a grammar. trace: true for the tracing form; blank:
-- pattern of the text that may separate tokens, or nil for C's blanks and comments.
function lex.new(trace, blank)
  local self = { alnum = alnum, raw_name = C(letter * alnum ^ 0) }

  -- Records the farthest position that the tracing form reached in state.far.
  local function record_farthest(_, at, state)
    if at > (state.far or 0) then state.far = at end
    return true
  end
  local mark = trace and Cmt(Carg(1), record_farthest) or P(true)
  local space = lpeg.V "space" -- a rule, not a copy of its pattern, because it follows every token
  self.space, self.blanks = space, (blank or lex.blank) * mark

  -- Matches the pattern p and the blanks after it.
  function self.token(p) return P(p) * space end

  -- Matches the punctuation `s` and blanks. but: characters that must not follow, because a longer operator would
  -- begin: sym("&", "&=").
  function self.sym(s, but) return (but and P(s) - S(but) or P(s)) * space end

  -- Matches the whole word `w` and blanks.
  function self.word(w) return P(w) * -alnum * space end

  -- Matches one of several words and captures it. list: a list, or a text with blanks between the words.
  function self.words(list)
    local p = P(false)
    if type(list) == "string" then list = strings.word_list(list) end
    local sorted = table.move(list, 1, #list, 1, {})
    table.sort(sorted, function(a, b) return #a > #b end)
    for _, w in ipairs(sorted) do p = p + P(w) end
    return C(p * -alnum) * space
  end

  -- Matches the longest phrase among the keys of `vocabulary` and captures its value. gap: pattern between the words of
  -- a phrase; joint: character that may join words instead of `gap`, or nil.
  function self.phrases(vocabulary, gap, joint)
    local first_words = {}
    for text in pairs(vocabulary) do first_words[text:match "^%S+"] = true end
    local word_pattern = self.raw_name * Cp()
    -- Result and end of the lookahead. The second capture needs them, because a lookahead keeps no captures.
    local value, next_position
    -- Finds the longest phrase among the words and their ends in `...`; true if one is a key of `vocabulary`.
    local function look(_, _, ...)
      local text
      value = nil
      for i = 1, select("#", ...), 2 do
        local w, at = select(i, ...)
        if joint then w = w:gsub(joint, " ") end
        if not text and not first_words[w:match "^%S+"] then return false end
        text = text and text .. " " .. w or w
        if vocabulary[text] then value, next_position = vocabulary[text], at end
      end
      return value ~= nil
    end
    return #Cmt(word_pattern * (gap * word_pattern) ^ 0, look)
      * Cmt(P(true), function() return next_position, value end) * space
  end

  -- Match-time function: accepts the name that was matched, unless it is a keyword of C.
  local function not_keyword(_, at, name)
    if keywords[name] then return nil end
    return at, name
  end
  self.name = Cmt(self.raw_name, not_keyword) * space
  -- Matches a name, which may have scopes: a::b.
  local segment = letter * alnum ^ 0
  self.names = Cmt(C(segment * (P "::" * segment) ^ 0), not_keyword) * space

  -- Matches p, or raises the syntax error `message` at this position. Must only be used if no other rule can match
  -- there.
  function self.expect(p, message)
    return P(p) + Cmt(P(true), function(_, at)
      error({ syntax = message, pos = at }, 0)
    end)
  end

  -- Raises an "unsupported" error about `subject` if p matches here; otherwise fails like any pattern. help: help text,
  -- or nil.
  function self.refuse(p, subject, help)
    return Cmt(#P(p), function(_, at)
      error({ syntax = subject .. " is not supported", code = "unsupported", pos = at, help = help }, 0)
    end)
  end

  -- Matches p one or more times, with a separator between two matches; nil: a comma.
  function self.list(p, separator)
    separator = separator or self.sym ","
    return p * (separator * p) ^ 0
  end

  -- Matches p and captures a node {tag, pos}, which build(node, ...) completes from the captures of p.
  function self.node(tag, p, build)
    return Cp() * p / function(pos, ...)
      local node = { tag = tag, pos = pos }
      build(node, ...)
      return node
    end
  end

  return self
end

return lex
