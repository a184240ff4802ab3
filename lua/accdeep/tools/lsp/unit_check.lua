-- unit_check.lua - checks the directives of a unit of C, C++ or Fortran by their text: names of directives and clauses,
-- which clauses a directive takes, versions. Grammar and checks are those of scenarios (syntax/, sema/).
--
-- A report is a promise: what macros, vendors' extensions or the unit's types could make right is not reported.
--
--   clause or directive of an unknown name   a warning, if one letter makes it a known one, and it is no macro of the
--                                            unit; otherwise nothing: a vendor's word, or a macro of a header.
--   syntax error                             reported where no macro or type could change it (is_certain).
--   "unsupported"                            never: it says that accdeep does not execute the directive.
--
-- Unknown clauses are taken out of the AST before the others are checked; so is each clause that was reported.

local ast = require "accdeep.base.ast"
local diagnostic = require "accdeep.base.diagnostic"
local fortran_syntax = require "accdeep.syntax.fortran_syntax"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openacc_sema = require "accdeep.sema.openacc_sema"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local openmp_sema = require "accdeep.sema.openmp_sema"
local pragma = require "accdeep.syntax.pragma"
local strings = require "accdeep.base.strings"
local syntax = require "accdeep.syntax"

local unit_check = {}

local MOST_ERRORS = 8 -- limit of reports about one directive

local starts = { acc = "directive", omp = "omp_directive" }
local categories = { c = strings.word_set "scalar aggregate pointer all",
  fortran = strings.word_set "scalar aggregate pointer allocatable all" }

-- Set of the clauses of each language that at least one directive takes.
local known_clauses = { acc = openacc_directives.clause_names,
  omp = openmp_directives.clauses_where(function(entry) return entry.directives ~= "" end) }

-- Clauses whose argument is a list of variables, perhaps after modifiers.
local takes_list = { acc = strings.word_set(table.concat(openacc_directives.takes.vars, " ")),
  omp = strings.word_set("map private firstprivate shared", "is_device_ptr use_device_ptr",
    "use_device_addr has_device_addr") }

-- Words of OpenMP 6.0 and OpenACC 3.4 that the tables of the interpreter lack: they are no misspelt other words.
local unlisted_words = strings.word_set [[fuse interchange reverse split stripe taskgraph task_iteration workdistribute
  groupprivate declare_induction induction looprange apply permutation partial full counts graph_id graph_reset
  threadset safesync memscope collector inductor combiner initializer init_complete transparent replayable saved
  holds absent contains adjust_args append_args message severity local indirect interop use destroy region]]
-- Clauses that OpenMP 5.2 and 6.0 allow on directives that contain a part, and the tables of the interpreter do not.
-- The report clause-not-allowed about them is left out.
local unlisted_clauses = {
  scope = strings.word_set "firstprivate allocate",
  target = strings.word_set "default device_type",
  teams = strings.word_set "if",
  ["target data"] = strings.word_set [[affinity allocate default depend detach firstprivate in_reduction mergeable
    nogroup nowait priority private shared transparent]],
}

-- Returns true if the clause `name` is in unlisted_clauses for the OpenMP directive `directive`.
local function is_unlisted(directive, name)
  for part, clauses in pairs(unlisted_clauses) do
    if clauses[name] and openmp_sema.is_part(directive, part) then return true end
  end
  return false
end

-- Returns the text with strings and comments replaced by blanks, which keep positions.
local function blank_literals(text)
  local function blank(part) return (part:gsub("[^\n]", " ")) end
  text = text:gsub("/%*.-%*/", blank):gsub("//[^\n]*", blank)
  return (text:gsub('"[^"\n]*"', function(part) return '"' .. (" "):rep(#part - 2) .. '"' end)
    :gsub("'[^'\n]*'", function(part) return "'" .. (" "):rep(#part - 2) .. "'" end))
end

local closing = { ["("] = ")", ["["] = "]", ["{"] = "}" }

-- Returns the positions of the brackets that are open before position `at` of a text without literals, as a list.
-- Returns nil and the position of a bracket that closes none, if there is one.
local function open_brackets(text, at)
  local open = {}
  for from, c in text:sub(1, at - 1):gmatch "()([][(){}])" do
    if closing[c] then
      open[#open + 1] = from
    elseif open[1] and closing[text:sub(open[#open], open[#open])] == c then
      open[#open] = nil
    else
      return nil, from
    end
  end
  return open
end

-- Returns true if a text has the name of one of the macros of the unit, or a name in capitals, as macros have.
local function may_have_macro(text, macros)
  for name in text:gmatch "[%a_][%w_]*" do
    if macros[name] or name:find "^%u[%u%d_]+$" then return true end
  end
  return false
end

-- Returns true if a syntax error of a directive would stay one whatever types and macros of headers mean. Such errors
-- are brackets that are not balanced, punctuation between clauses, a list without names, and names without a comma
-- between them. `macros`: of the unit.
local function is_certain(directive, text, err, macros)
  for name in text:gmatch "[%a_][%w_]*" do
    if macros[name] then return false end
  end
  local open, stray = open_brackets(text, #text + 1)
  if stray then return err.pos == stray end
  if open[1] then return err.pos > open[#open] end
  open = open_brackets(text, err.pos)
  local rest, before = text:sub(err.pos), text:sub(1, err.pos - 1)
  if not open or text:find("#", 2, true) then return false end
  if not open[1] then
    local clause = before:match "([%a_][%w_]*)%s*$"
    return err.message:find("expected '('", 1, true) ~= nil and takes_list[directive.language][clause] ~= nil
      or before:find "[%w_%)]%s*$" ~= nil and rest:find "^[;:%.%]%)}]" ~= nil
  end
  local clause = text:sub(1, open[1] - 1):match "([%a_][%w_]*)%s*$"
  if #open > 1 or not takes_list[directive.language][clause or ""] then return false end
  if rest:find "^%)" then return before:find "[%(,:]%s*$" ~= nil end
  local last, name = before:match "([%w_%]%)]+)%s+$", rest:match "^[%a_][%w_]*"
  return last ~= nil and name ~= nil and not may_have_macro(last .. " " .. name, {})
end

-- Returns true if an error tells a mistake of the program. `unsupported` and accdeep's own rules tell a limit of
-- accdeep, except for versions; codes about types and values need more than the text. `node`: the directive; `clause`:
-- the clause with the error, or nil.
local function is_report(err, node, clause)
  if err.rule == "HOUSE-syntax" then return false end
  if err.code == "clause-not-allowed" and clause and is_unlisted(node.name, clause.name) then return false end
  if err.code == "unsupported" then return err.rule == "ACC34-ver-1" or err.rule == "OMP60-ver-1" end
  return err.code == "clause-not-allowed" or err.code == "duplicate-clause" or err.code == "conflicting-clauses"
    or err.code == "syntax" or err.code == "not-a-pointer"
end

-- Raises the first error of an AST whose clauses are all known. `rules`: {openacc, openmp}, versions or nil.
local function check_tree(directive, node, rules)
  if directive.language == "acc" then
    local kind = openacc_directives.directive(node.name).kind
    if kind == "members" then return end -- types decide; lowering checks shapes and policies
    if node.name == "data" and not node.clauses[1] then return end -- compilers accept it; it has no effect
    if kind == "body" or kind == "declaration" then
      openacc_sema.check(node)
      openacc_sema.check_forms(node, kind, rules)
    else
      openacc_sema.check_directive(node, rules, true)
    end
    return
  end
  local info = openmp_directives.directive(node.name)
  if info.kind == "beyond" or info.kind:find "^declare" then return end
  if info.kind == "host" or info.kind == "nothing" or info.kind:find "^end" then
    openmp_sema.check(node, rules.openmp)
    return
  end
  openmp_sema.check_directive(node, rules.openmp, categories[directive.is_fortran and "fortran" or "c"])
  for _, clause in ipairs(node.clauses) do
    if clause.kind == "map" or clause.kind == "motion" then
      local modifiers = openmp_sema.modifiers(clause, rules.openmp)
      if clause.kind == "map" then openmp_sema.map_action(modifiers, info.kind, node.name, rules.openmp, clause) end
    end
  end
end

-- Returns the AST without the clauses for which is_dropped(clause) is true.
local function without_clauses(node, is_dropped)
  local clauses = {}
  for _, clause in ipairs(node.clauses) do
    if not is_dropped(clause) then clauses[#clauses + 1] = clause end
  end
  return ast.copy_with(node, "clauses", clauses)
end

-- Returns an error as plain data at its position in the unit. `severity`: "error" or "warning".
local function finding(directive, err, severity)
  return { at = directive.at + (err.pos or 1) - 1, length = err.length, code = err.code, message = err.message,
    rule = err.rule, help = err.help, severity = severity }
end

-- Returns true if the name at a clause's or directive's place may be a macro, or a word that accdeep does not know.
local function may_be_foreign(name, macros)
  return macros[name] or unlisted_words[name] or name:find "%u" ~= nil or name:find "^ompx" ~= nil
end

-- Returns true if a macro in the argument of `clause` could make the error `err` about the argument go away. `text`: of
-- the directive.
local function may_be_macro(err, clause, text, macros)
  local is_about_name = err.pos == clause.pos and (err.code == "clause-not-allowed" or err.code == "duplicate-clause")
  local argument = text:match("^[%a_][%w_]*%s*(%b())", clause.pos)
  return not is_about_name and argument ~= nil and may_have_macro(argument, macros)
end

-- Returns true if `name` becomes a key of the table `names` by changing one letter, or swapping two.
local function is_misspelt(name, names)
  for known in pairs(names) do
    if pragma.is_slip(name, known) then return true end
  end
  return false
end

-- Returns true if a text begins with the name of a directive that is misspelt by one letter. `err`: the syntax error,
-- whose help suggests a name.
local function has_misspelt_name(text, err)
  local name = (err.help or ""):match "^did you mean '(.-)'"
  if not name then return false end
  local count, words = select(2, name:gsub(" ", "")) + 1, {}
  for word in text:sub(err.pos):gmatch "%S+" do
    if #words < count then words[#words + 1] = word:match "^[%w_]*" end
  end
  return pragma.is_slip(table.concat(words, " "):lower(), name)
end

-- Appends the errors of one directive to `out`.
local function check_directive(directive, macros, rules, out)
  local text = directive.text
  local parser = directive.is_fortran and fortran_syntax or syntax
  local ok, node = pcall(parser.parse, starts[directive.language], text)
  if not ok then
    if not diagnostic.is(node) then error(node, 0) end
    local word = text:match("^[%a_][%w_]*", node.pos or 1) or ""
    local is_name = node.message:find "^expected a directive"
    if node.code ~= "syntax" then return end
    if is_name then
      local is_misspelling = has_misspelt_name(text, node) and not may_be_foreign(word, macros)
      if is_misspelling and not word:lower():find "^end" then out[#out + 1] = finding(directive, node, "warning") end
    elseif is_certain(directive, blank_literals(text), node, macros) then
      out[#out + 1] = finding(directive, node, "error")
    end
    return
  end
  if node.name:find "^end " then return end
  local known = known_clauses[directive.language]
  local takes = directive.language == "acc" and openacc_directives.clauses_of[node.name]
    or directive.language == "omp" and openmp_directives.directive(node.name).clauses or {}
  local has_macro = false
  for _, clause in ipairs(node.clauses) do
    local name = clause.name
    if macros[name] then has_macro = true end
    if clause.kind == "unknown" and not known[name] then
      if may_be_foreign(name, macros) then
        has_macro = true
      else
        local _, err = pcall(check_tree, directive, ast.copy_with(node, "clauses", { clause }), rules)
        if diagnostic.is(err) and err.code == "unknown-clause" and is_misspelt(name, takes) then
          out[#out + 1] = finding(directive, err, "warning")
        else
          has_macro = true
        end
      end
    end
  end
  node = without_clauses(node, function(clause) return clause.kind == "unknown" or macros[clause.name] end)
  for _ = 1, MOST_ERRORS do
    local checked, err = pcall(check_tree, directive, node, rules)
    if checked then return end
    if not diagnostic.is(err) then error(err, 0) end
    -- A clause that is not known here may be the one that is missing.
    local is_missing = err.code == "syntax" and err.message:find "needs" ~= nil
    local last
    for _, clause in ipairs(node.clauses) do
      if err.pos and clause.pos <= err.pos then last = clause end
    end
    local is_open = is_missing and has_macro or last and may_be_macro(err, last, text, macros)
    if is_report(err, node, last) and not is_open then
      out[#out + 1] = finding(directive, err, "error")
    end
    if not last then return end
    has_macro = true
    node = without_clauses(node, function(clause) return clause == last end)
  end
end

-- Returns the errors of directives of a unit as a list of {at, length, code, message, rule, help, severity}; `at`:
-- position in the unit. `directives`, `macros`: results of unit_source.read. `language`: as there. `rules`: {openacc,
-- openmp}, the versions that spellings are checked for; nil: any.
function unit_check.check(directives, macros, language, rules)
  local out = {}
  for _, directive in ipairs(directives) do
    directive.is_fortran = language:find "^fortran" ~= nil
    check_directive(directive, macros, rules, out)
  end
  return out
end

return unit_check
