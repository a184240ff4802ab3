-- test_program.lua - programs of a vocabulary: their actions, and their text as statements of a scenario.
--
-- A program is a string in which each byte is the number of an action.

local vocabulary = require "accdeep.script.vocabulary"
local transition_system = require "accdeep.tools.explore.transition_system"

local test_program = {}

-- Returns all actions of a vocabulary: its words, then the ends of its regions. With nested regions a single
-- `end` action closes the innermost region. With free regions each opening action has its own `end` action, whose
-- `opener` is the number of the opening action. Sets `number` in each word, and `of_host` if a failed execution may
-- leave changes.
function test_program.all_words(vocabulary_record)
  local words, opens = {}, {}
  for i, word in ipairs(vocabulary_record.words) do
    word.number, word.of_host = i, word.kind == "host" or word.kind == "fortran"
    words[i] = word
    if test_program.opens(word) then opens[#opens + 1] = i end
  end
  if #opens > 0 and vocabulary_record.regions == "nested" then opens = { false } end
  for _, opener in ipairs(opens) do words[#words + 1] = { kind = "end", opener = opener, number = #words + 1 } end
  return words
end

-- Returns the name of an action's directive, without clauses, arguments and `#pragma`.
local function directive_of(word)
  return (word.text:lower():gsub("^%s*#%s*pragma%s+%a+%s+", ""):gsub("%b()", ""):gsub("%s+", " "))
end

-- Returns a true value if an action opens a region that an `end` action closes: data, host_data or target data.
function test_program.opens(word)
  if word.kind == "acc" then return directive_of(word):find "^data%f[%A]" or directive_of(word):find "^host_data" end
  return word.kind == "omp" and directive_of(word):find "^target[ _]data%f[%A]" ~= nil
end

-- Returns the kind of an action without operands, such as "acc exit data" or "host".
function test_program.family(word)
  if word.kind == "end" then return "end of a region" end
  if word.kind ~= "acc" and word.kind ~= "omp" then return word.kind end
  return word.kind .. " " .. directive_of(word)
end

-- ------------------------------------------------------------------------------------------ text --

-- Returns the statement that closes the region of the opening action `word`.
local function end_text(word)
  if word.kind == "omp" then return 'omp "end target data"' end
  return directive_of(word):find "^host_data" and 'acc "end host_data"' or 'acc "end data"'
end

-- Returns the statements of the program `text` in a scenario, as a list of lines. `is_whole`: append the ends of
-- regions that the program leaves open.
function test_program.lines(words, text, is_whole)
  local lines, open = {}, {}
  local function close(at)
    local region = table.remove(open, at)
    return words[#words].opener and ("region%d:close()"):format(region.at) or end_text(words[region.number])
  end
  for i = 1, #text do
    local word = words[text:byte(i)]
    if word.kind == "end" then
      local at = #open
      while word.opener and open[at].number ~= word.opener do at = at - 1 end
      lines[i] = close(at)
    else
      lines[i] = vocabulary.format_word(word.kind == "kernel" and transition_system.construct(word, words) or word)
    end
    if test_program.opens(word) then
      open[#open + 1] = { number = word.number, at = i }
      if words[#words].opener then lines[i] = ("local region%d = %s"):format(i, lines[i]) end
    end
  end
  while is_whole and open[1] do lines[#lines + 1] = close() end
  return lines
end

-- Returns the text of a scenario before its vocabulary, which begins in line `line`.
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
