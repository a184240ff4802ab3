-- openmp_arguments.lua - checks the arguments of OpenMP clauses that have no effect here, such as schedules and
-- allocators. The parser stores such an argument as text with its parentheses (clause.text).
--
-- Input: a clause. Output: none; a wrong argument is an error.

local diagnostic = require "accdeep.base.diagnostic"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local words = require "accdeep.base.strings".word_list

local raise = diagnostic.raise

local openmp_arguments = {}

-- Form of a clause's argument: name of the clause -> {optional, positive, list, words, modifiers}. optional: the
-- argument may be missing. positive: if it is a number, it must be at least 1. words: list of the allowed words.
-- modifiers: list of words that may precede the word and a colon. list: further text may follow the word after a comma.
local meaning = openmp_directives.clauses_where(function(entry)
  local argument_of = entry.argument
  return argument_of and { optional = argument_of.optional, positive = argument_of.positive, list = argument_of.list,
    words = words(argument_of.words or ""), modifiers = argument_of.modifiers and words(argument_of.modifiers) }
end)

-- Raises if `text`, a part of the clause's argument, is not a word of the list `vocabulary` between the positions
-- `from` and `to`. Upper and lower case count as equal.
local function check_word(clause, vocabulary, text, from, to)
  local at = text:find("%S", from) or to
  local word = text:sub(at, to):match "^[%w_]+" or text:sub(at, at)
  local rest = text:sub(at + #word, to)
  for _, choice in ipairs(vocabulary) do
    if choice == word:lower() and not rest:find "%S" then return end
  end
  raise("syntax", clause.text_pos + at - 1, ("'%s' takes %s"):format(clause.name, table.concat(vocabulary, ", ")),
    { length = #word, rule = "OMP60-tgt-1", help = diagnostic.suggest(word:lower(), vocabulary) })
end

-- Raises if a clause of the kind "anything" lacks a required argument, or has an argument that it does not take.
function openmp_arguments.check(clause)
  local name, text = clause.name, clause.text
  local form = meaning[name] or {}
  if clause.kind ~= "anything" or not text and form.optional then return end
  if not text or not text:find "^%(.*[^%s].*%)$" then
    raise("syntax", text and clause.text_pos or clause.pos, ("'%s' needs an argument"):format(name),
      { length = text and #text or #name, rule = "OMP60-tgt-1" })
  end
  local number = form.positive and tonumber(text:match "^%(%s*(%-?%d+)%s*%)$")
  if number and number < 1 then
    raise("syntax", clause.text_pos, ("'%s' takes a positive number"):format(name),
      { length = #text, rule = "OMP60-tgt-1" })
  end
  if not form.words or #form.words == 0 then return end
  local from, to = 2, #text - 1
  local colon = form.modifiers and text:match "^%([%w_%s,]*():"
  while colon and from <= colon do
    local finish = text:find("[,:]", from)
    check_word(clause, form.modifiers, text, from, finish - 1)
    from = finish + 1
  end
  local comma = form.list and text:find(",", from, true)
  if comma and text:find("^%s*%)$", comma + 1) then
    raise("syntax", clause.text_pos + comma - 1, "expected an expression after ','",
      { length = 1, rule = "OMP60-tgt-1" })
  end
  check_word(clause, form.words, text, from, comma and comma - 1 or to)
end

-- Returns the number that is the whole argument of a clause; nil for other arguments, and without an argument.
local function number_of(clause)
  return tonumber(clause.text and clause.text:match "^%(%s*(%d+)%s*%)$")
end

-- Raises if the simdlen in the clauses of a simd directive exceeds the safelen, the number of iterations that may run
-- together. Arguments that are not constants are accepted. Decides OMP60-simd-1.
function openmp_arguments.check_lengths(clauses)
  local safe, simdlen
  for _, clause in ipairs(clauses) do
    if clause.name == "safelen" then safe = number_of(clause) end
    if clause.name == "simdlen" then simdlen = clause end
  end
  local lanes = simdlen and number_of(simdlen)
  if safe and lanes and lanes > safe then
    raise("conflicting-clauses", simdlen.pos, ("simdlen(%d) is more than safelen(%d)"):format(lanes, safe),
      { length = #simdlen.name, rule = "OMP60-simd-1", help = ("simdlen is at most %d"):format(safe) })
  end
end

return openmp_arguments
