-- test_program.lua - programs of a vocabulary as strings, in which each byte is the number of an action: a word of the
-- vocabulary (script/vocabulary.lua), or the end of a region.

local scenario_writer = require "accdeep.steps.scenario_writer"
local steps = require "accdeep.steps"

local test_program = {}

-- Returns all actions of a vocabulary, which are steps (steps/init.lua): its words, then the ends of its regions. With
-- nested regions a single `end` action closes the innermost region. With free regions each opening action has its own
-- `end` action, whose `opener` is the number of the opening action. Sets `number` in each word, `construct` in kernels,
-- and `of_host` if a failed execution may leave changes.
function test_program.all_actions(vocabulary_record)
  local actions, opens, is_openmp = {}, {}, false
  for i, action in ipairs(vocabulary_record.words) do
    action.number, action.of_host = i, action.kind == "host" or action.kind == "fortran"
    actions[i] = action
    is_openmp = is_openmp or action.kind == "omp"
    if steps.opens(action) then opens[#opens + 1] = i end
  end
  for _, action in ipairs(actions) do
    if action.kind == "kernel" then action.construct = steps.construct(action, is_openmp) end
  end
  if #opens > 0 and vocabulary_record.regions == "nested" then opens = { false } end
  for _, opener in ipairs(opens) do actions[#actions + 1] = { kind = "end", opener = opener, number = #actions + 1 } end
  return actions
end

-- Returns the statements of the program `text` in a scenario, as a list of lines. `actions`: result of all_actions.
-- `is_whole`: append the ends of regions that the program leaves open.
function test_program.lines(actions, text, is_whole)
  local list = {}
  for i = 1, #text do list[i] = actions[text:byte(i)] end
  return scenario_writer.lines(list, is_whole, actions[#actions].opener)
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
