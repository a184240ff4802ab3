-- test_program.lua - programs of a vocabulary: their actions, and their text as statements of a scenario.
--
-- A program is a string in which each byte is the number of an action: a word of the vocabulary
-- (script/vocabulary.lua), or the end of a region.

local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local vocabulary = require "accdeep.script.vocabulary"
local transition_system = require "accdeep.tools.explore.transition_system"

local test_program = {}

-- Returns all actions of a vocabulary as {kind, text, body, file, line, number, of_host, opener}: its words, then the
-- ends of its regions. With nested regions a single `end` action closes the innermost region. With free regions each
-- opening action has its own `end` action, whose `opener` is the number of the opening action. Sets `number` in each
-- word, and `of_host` if a failed execution may leave changes.
function test_program.all_actions(vocabulary_record)
  local actions, opens = {}, {}
  for i, action in ipairs(vocabulary_record.words) do
    action.number, action.of_host = i, action.kind == "host" or action.kind == "fortran"
    actions[i] = action
    if test_program.opens(action) then opens[#opens + 1] = i end
  end
  if #opens > 0 and vocabulary_record.regions == "nested" then opens = { false } end
  for _, opener in ipairs(opens) do actions[#actions + 1] = { kind = "end", opener = opener, number = #actions + 1 } end
  return actions
end

-- Returns the name of an action's directive in lower case, with the names of its clauses, but without `#pragma` and
-- text in parentheses.
local function directive_of(action)
  return (action.text:lower():gsub("^%s*#%s*pragma%s+%a+%s+", ""):gsub("%b()", ""):gsub("%s+", " "))
end

local directives = { acc = openacc_directives, omp = openmp_directives }

-- Returns the directive that opens a region of data which an `end` action closes: its entry in its table; nil if the
-- action `action` opens no such region.
function test_program.opens(action)
  local definition = directives[action.kind] and directives[action.kind].find(directive_of(action))
  return definition and definition.structured and definition or nil
end

-- Returns the directive of an action without operands, such as "acc exit data delete". Returns "end of a region" for an
-- `end` action, and the kind of other actions without a directive, such as "host".
function test_program.family(action)
  if action.kind == "end" then return "end of a region" end
  if action.kind ~= "acc" and action.kind ~= "omp" then return action.kind end
  return action.kind .. " " .. directive_of(action)
end

-- ------------------------------------------------------------------------------------------ text --

-- Returns the statement of a scenario that closes the region of the action `action`, for nested regions.
local function end_text(action)
  return ('%s "end %s"'):format(action.kind, test_program.opens(action)[1])
end

-- Returns the statements of the program `text` in a scenario, as a list of lines. `actions`: result of all_actions.
-- `is_whole`: append the ends of regions that the program leaves open.
function test_program.lines(actions, text, is_whole)
  local lines, open = {}, {}
  -- Removes the open region at index `at` (nil: the innermost one). Returns the statement that closes it.
  local function close(at)
    local region = table.remove(open, at)
    return actions[#actions].opener and ("region%d:close()"):format(region.at) or end_text(actions[region.number])
  end
  for i = 1, #text do
    local action = actions[text:byte(i)]
    if action.kind == "end" then
      local at = #open
      while action.opener and open[at].number ~= action.opener do at = at - 1 end
      lines[i] = close(at)
    else
      local construct = action.kind == "kernel" and transition_system.construct(action, actions) or action
      lines[i] = vocabulary.format_word(construct)
    end
    if test_program.opens(action) then
      open[#open + 1] = { number = action.number, at = i }
      if actions[#actions].opener then lines[i] = ("local region%d = %s"):format(i, lines[i]) end
    end
  end
  while is_whole and open[1] do lines[#lines + 1] = close() end
  return lines
end

-- Returns the text of a scenario before its vocabulary. `line`: the line where the vocabulary begins. `source`: {text}.
function test_program.declarations(source, line)
  local lines = {}
  for row in (source.text .. "\n"):gmatch "(.-)\n" do
    if #lines == line - 1 then
      lines[#lines + 1] = row:match "^(.*%S.*)%f[%w_]vocabulary%f[^%w_]"
      break
    end
    lines[#lines + 1] = row
  end
  return table.concat(lines, "\n") .. "\n"
end

return test_program
