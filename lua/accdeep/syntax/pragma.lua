-- pragma.lua - pragma lines in C texts: finds directives of OpenACC and OpenMP and parses them. Called by
-- sema/body/c_body.lua and run/type_directives.lua.
--
-- Input: a `pragma` node of the current text. Output: a directive with its language; nil for foreign pragmas.
-- Invariant: positions in the directive are those of the whole text.
--
-- Foreign pragmas (unroll, ivdep, once, STDC, GCC, clang) are hints for compilers and are skipped. A word that differs
-- from a sentinel by one letter is an error, so that no directive is ignored silently (HOUSE-bodies).

local diagnostic = require "accdeep.base.diagnostic"
local syntax = require "accdeep.syntax"
local sorted_pairs = require "accdeep.base.sorted_pairs"

local raise = diagnostic.raise

local pragma = {}

-- Words of other compilers' pragmas that pragma.is_slip would report as a misspelt sentinel: GCC differs from acc by
-- one letter.
local others = { GCC = true }

local starts = { acc = "directive", omp = "omp_directive" }
-- Sentinels of vendor extensions of OpenMP (5.1, 2.1).
local extensions = { omx = true, ompx = true }

-- Returns true if `word` differs from `sentinel` by one letter (another, missing or additional one), or by two adjacent
-- letters that are swapped. Both may be any two words.
function pragma.is_slip(word, sentinel)
  if #word == #sentinel then
    local differs = {}
    for i = 1, #word do
      if word:byte(i) ~= sentinel:byte(i) then differs[#differs + 1] = i end
    end
    local i, k = differs[1], differs[2]
    return #differs == 1 or #differs == 2 and k == i + 1 and word:byte(i) == sentinel:byte(k)
      and word:byte(k) == sentinel:byte(i)
  end
  local long, short = word, sentinel
  if #long < #short then long, short = short, long end
  for i = 1, #long do
    if #long == #short + 1 and long:sub(1, i - 1) .. long:sub(i + 1) == short then return true end
  end
  return false
end

-- Raises if a pragma with the first word `word` is a misspelt sentinel, a vendor's extension of OpenMP, or `pack` (a
-- layout without padding). Other foreign pragmas are accepted. Decides HOUSE-bodies.
local function check_foreign(node, word)
  if extensions[word] then
    raise("unsupported", node.start, ("'%s': extensions of compilers"):format(word), { length = #word })
  end
  for sentinel in sorted_pairs(starts) do
    if not others[word] and word ~= "" and (word:lower() == sentinel or pragma.is_slip(word:lower(), sentinel)) then
      raise("syntax", node.start, ("'%s' is not a sentinel"):format(word), { length = #word, rule = "HOUSE-bodies",
        help = ("did you mean '%s'?"):format(sentinel) })
    end
  end
  if word == "pack" then raise("unsupported", node.start, "packed layouts are not supported", { length = #word }) end
end

-- Parses a pragma of the current text. node: pragma{start, text}. Returns {language ("acc" or "omp"), tree, text}; nil
-- for a foreign pragma. `tree` is the AST of the directive; `text` is padded with blanks, so that positions in it equal
-- those in the whole text. Raises for syntax errors and misspelt sentinels.
function pragma.read(session, node)
  local word = node.text:match "^[%a_][%w_]*" or ""
  local start = starts[word]
  if not start then return check_foreign(node, word) end
  local text = session.now.current.text:sub(1, node.start - 1):gsub("[^\n]", " ") .. node.text
  session.program.enclosing_texts[text] = session.now.current
  return { language = word, text = text, tree = syntax.parse(start, text, node.start, session.now.scope) }
end

return pragma
