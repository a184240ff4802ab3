-- sentences.lua [SOURCE...] - a lint: sentences of pages, headers, messages and comments are short and use the
-- field's words, and comments begin with their subject.
--
-- The script prints each sentence that is too long or has an unwanted word, and each comment that begins with a
-- preposition or a pronoun. A source is a path from the root of the repository, of one of these kinds.
--
--   A page (.md).
--   A header (.h, .def): its comments and texts.
--   A Lua file with texts: its strings with a blank.
--   A Lua file of scenarios, in spec/: the names of cases.
--   A folder of Lua files.
--
-- The default sources are those in `checked`, and all code (folders of `code_folders`), of which comments, messages and
-- names are checked; a self-test is run, too. --code SOURCE... prints the problems of files or folders of code.
--
-- A paragraph, heading, list item, table cell or comment ends its last sentence. A code span counts as one word. Code
-- blocks and targets of links are skipped. A text of fewer than four words is a name and does not count.

local LONGEST, SHORTEST = 30, 4
local LONGEST_NAME = 20 -- limit for the name of a case

-- Unwanted words as Lua patterns, and better words. In the patterns "_" is a blank.
local unwanted = {
  { "leads?_to", "points to; causes" }, { "led_to", "pointed to; caused" },
  { "told", "reported; said" },
  { "meets?", "encounters" },
  { "otherwise_than", "differs from; unlike" },
  { "nobody", "no thread; no program; nothing" },
  { "brought", "mapped; copied" }, { "brings?", "maps; copies" },
  { "go_on", "continue" }, { "goes_on", "continues" }, { "goes_ahead", "continues" },
  { "passes_over", "ignores" },
  { "mends?", "corrects" }, { "puts?_right", "restores" },
  { "stands?_in", "is in" }, { "stands?_on", "is on" }, { "stands?_at", "is at" },
  { "behind", "after; past" }, { "in_front_of", "before" },
  { "comes?_back", "is copied back" },
  { "data_leave", "data are unmapped" }, { "object_leaves", "object is unmapped" },
  { "pointer_leaves", "pointer is unmapped" },
  { "takes?_one_off", "decrements" }, { "counts?_up", "increments" },
  { "there_is_not", "does not exist" }, { "there_are_not", "do not exist" },
  { "and_is_none", "and is not one" }, { "if_it_is_none", "if it is not one" },
  { "but_for", "except" }, { "nothing_but", "only" }, { "nothing_else_is_said", "not stated otherwise" },
  { "asks_of", "requires of" }, { "at_hand", "available" }, { "anew", "again" }, { "kin", "similar ones" },
  { "turned_round", "reversed" }, { "faces?", "interface" }, { "walked_by", "mapped by" },
}
for _, entry in ipairs(unwanted) do entry.pattern = "%f[%a]" .. entry[1]:gsub("_", "%%s+") .. "%f[%A]" end

-- Names that say nothing of what the value is, or words of this project for which the field has a term.
local unwanted_names = {}
for name in ([[acts apart around asking asks behind beside doubtful facts given how kept lasting lent letters
  looker made moment outdate said settle seen shown strand taken telling tired told treatment unfuse unplanned
  verdict world]]):gmatch "%S+" do
  unwanted_names[name] = true
end

-- Words with which no comment begins: prepositions, and pronouns whose noun is elsewhere.
local openings = {}
for word in ([[of what whether those that which who whose in with without from by to for as at on and or but nor it they
  its their one so else then there behind within beyond before after above below between beside besides under until
  since both neither none other others another not no only also same such all]]):gmatch "%S+" do
  openings[word] = true
end

-- Folders of code whose comments and messages are checked.
local code_folders = { "core", "exec", "cuda", "lua" }

-- Sources that are checked in addition to all pages that are not generated.
local checked = {
  "core/abi/directory/accdeep_directory.h",
  "core/accdeep_core.h",
  "core/accdeep_context.h",
  "core/accdeep_programs.h",
  "core/accdeep_constructs.h",
  "core/accdeep_memory.h",
  "core/accdeep_present.h",
  "core/accdeep_rules.h",
  "core/accdeep_queues.h",
  "core/accdeep_checkpoints.h",
  "core/accdeep_rules.def",
  "lua/accdeep/base/error_codes.lua",
  "lua/accdeep/definitions",
  "lua/accdeep/inspect/reference",
  "lua/embed/accdeep.h",
  "spec",
}

-- Returns a new block, a piece of text whose end ends a sentence: {raw, text, at}. text: raw without marks, of the
-- same length. at: a list of {position, line}.
local function new_block(blocks)
  blocks[#blocks + 1] = { raw = "", at = {} }
  return blocks[#blocks]
end

-- Adds a piece of text that begins on a line.
local function add(block, line, text)
  if block.raw ~= "" then block.raw = block.raw .. " " end
  block.at[#block.at + 1] = { #block.raw + 1, line }
  block.raw = block.raw .. text
end

local function line_of(block, position)
  local line = 0
  for _, piece in ipairs(block.at) do if piece[1] <= position then line = piece[2] end end
  return line
end

-- Returns a text in which a code span is one word, and a link is its text.
local function strip_markup(text)
  text = text:gsub("(`+)(.-)%1", function(marks, code) return ("x"):rep(2 * #marks + #code) end)
  text = text:gsub("%[([^%]]*)(%]%([^)]*%))", function(words, target) return " " .. words .. (" "):rep(#target) end)
  text = text:gsub("(%S)   ", "%1.  ") -- columns of a legend
  return (text:gsub("[*\\]", " "))
end

-- True if the text of a string is code of another language, such as an assembler's.
local function is_foreign_code(text) return select(2, text:gsub(";%s*\\n", "")) >= 3 or text:find "%%rbp" ~= nil end

-- Adds the blocks of a page whose first line has this number.
local function page(blocks, text, number)
  local block, fence, hidden, code_may_come = nil, false, false, true
  local function put(line)
    block = block or new_block(blocks)
    add(block, number, line)
  end
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local is_code = fence or hidden or code_may_come and line:find "^    "
    local item = line:match "^%s*[-*]%s+(.*)$" or line:match "^%s*%d+%.%s+(.*)$"
    if line:find "^%s*```" then
      block, fence = nil, not fence
    elseif hidden or line:find "^<!%-%-" then
      block, hidden = nil, not line:find "%-%->"
    elseif is_code or line:find "^%s*$" then
      block = nil
    elseif line:find "^#" then
      block = nil
      put(line:match "^#+%s*(.*)$")
      block = nil
    elseif line:find "^|" then
      local cells = line:gsub("`[^`]*`", function(code) return (code:gsub("|", "x")) end):gsub("\\|", "xx")
      for cell in cells:gmatch "|%s*([^|]+)" do
        block = nil
        if not cell:find "^[-: ]*$" then put(cell) end
      end
      block = nil
    elseif item then
      block = nil
      put(item)
    else
      put(line:match "^>?%s*(.*)$")
    end
    code_may_come = is_code or not block and line:find "^%s*$" ~= nil
    number = number + 1
  end
end

-- Returns a reader of a text. at: the present position. line: its line.
local function new_reader(text)
  local reader = { text = text, at = 1, line = 1 }
  function reader.find(pattern) return text:match("^" .. pattern, reader.at) end
  function reader.advance(to)
    reader.line = reader.line + select(2, text:sub(reader.at, to - 1):gsub("\n", ""))
    reader.at = to
  end
  -- Reads a quoted string. Returns its content.
  function reader.quoted()
    local first = reader.at + 1
    local quote, last = text:sub(first - 1, first - 1), first
    while last <= #text and text:sub(last, last) ~= quote do
      last = last + (text:sub(last, last) == "\\" and 2 or 1)
    end
    reader.advance(last + 1)
    return text:sub(first, last - 1)
  end
  return reader
end

-- Adds the blocks of comments and strings of C. What is indented in a comment is code.
local function header(blocks, text)
  local reader = new_reader(text)
  local last -- the block of a string that may continue
  while reader.at <= #text do
    local comment, comment_end = reader.find "/%*(.-)%*/()"
    if comment then
      local block
      local line = reader.line
      for row in (comment .. "\n"):gmatch "(.-)\n" do
        local words = row:gsub("^%s*%*", "", 1):gsub("%-%-%-*", "")
        local item = words:match "^%s*%-%s+(.*)$"
        if item then block = nil end
        if words:find "^%s*$" or words:find "^     " and line > reader.line then
          block = nil
        else
          block = block or new_block(blocks)
          block.is_comment = block.is_comment or not item and line == reader.line
          add(block, line, item or words:match "^%s*(.*)$")
        end
        line = line + 1
      end
      last = nil
      reader.advance(comment_end)
    elseif reader.find '"' then
      last = last or new_block(blocks)
      local line = reader.line
      add(last, line, reader.quoted())
    elseif reader.find "'\\?.'" then
      last = nil
      reader.quoted() -- a character, such as '"'
    else
      local blank = reader.find "%s+()"
      if not blank then last = nil end
      reader.advance(blank or reader.find "[%w_]+()" or reader.at + 1)
    end
  end
end

-- Adds the comments of a C file as blocks with `opens`, and its strings as blocks of messages.
local function c_code(blocks, text)
  local first = #blocks + 1
  header(blocks, text)
  for i = first, #blocks do blocks[i].opens = blocks[i].is_comment end
end

-- Adds the comments of a Lua file as blocks with `opens`. Consecutive lines of comments are one block.
local function lua_comments(blocks, text)
  text = text:gsub("(%[(=*)%[.-%]%2%])", function(string) return (string:gsub("[^\n]+", " ")) end)
  local number, block = 0, nil
  for line in (text .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    local words = line:match "^%s*%-%-%s?(.*)$"
    local ruler = words and words:find "^%-%-%-"
    if words and not ruler and not words:find "^%[=*%[" and words:find "%S" then
      local name = not block and words:match "^[%w_/]+%.lua.- %- ()"
      block = block or new_block(blocks)
      block.opens = true
      add(block, number, name and words:sub(name) or words)
    else
      block = nil
      local trailing = line:match "[^%-\"']%s%-%-%s(.*)$"
      if trailing and not ruler then
        local own = new_block(blocks)
        own.opens = true
        add(own, number, trailing)
      end
    end
  end
end

-- Fields of Lua tables that contain names or code.
local code_fields = {}
for name in ("rules rule example prelude name syntax section id kind status base against is also see"):gmatch "%S+" do
  code_fields[name] = true
end

local case_kinds = { accepts = true, rejects = true, differs = true }

-- Adds the blocks of strings in Lua. cases: only names of cases.
local function lua(blocks, text, cases)
  local reader = new_reader(text)
  local before = "" -- text before a string, from the last comma on
  -- Reads a string and those that `..` appends to it.
  local function strings(block)
    repeat
      local line = reader.line
      if reader.find "[\"']" then
        add(block, line, reader.quoted())
      else
        local name, name_end = reader.find "([%w_.]+)()"
        if not name then return end
        add(block, line, "x")
        reader.advance(name_end)
      end
      local joined = reader.find "%s*%.%.%s*()"
      if joined then reader.advance(joined) end
    until not joined
  end
  local function is_blank(s) return (" "):rep(#s) end
  while reader.at <= #text do
    local field = before:match "([%a_][%w_]*)=$"
    local comment = reader.find "%-%-%[(=*)%["
    local level = reader.find "%[(=*)%["
    if comment or level then
      local content, literal_end = text:match("^[-]*%[=*%[(.-)%]" .. (comment or level) .. "%]()", reader.at)
      if level and field == "text" and not cases then page(blocks, content, reader.line) end
      reader.advance(literal_end)
      before = ""
    elseif reader.find "%-%-" then
      reader.advance(reader.find "[^\n]*()")
    elseif reader.find "[\"']" then
      local literals = {}
      strings(new_block(literals))
      local raw = literals[1].raw
      if cases and case_kinds[raw:match "^(%l+): "] then
        literals[1].raw = raw:gsub("^%a+: ", is_blank):gsub("%[[%w%s.,-]+%]", is_blank)
        blocks[#blocks + 1] = literals[1]
      elseif not cases and not code_fields[field] and raw:find "%s" then
        literals[1].raw = raw:gsub("^[%w_.?|]+ [%w_.?|<>]* ?%- ", is_blank) -- "name type - text"
        blocks[#blocks + 1] = literals[1]
      end
      before = ""
    else
      local word = reader.find "%s+" or reader.find "[%w_]+" or text:sub(reader.at, reader.at)
      before = word == "," and "" or before .. (word:find "%s" and "" or word)
      reader.advance(reader.at + #word)
    end
  end
end

local abbreviations = {}
for name in ([[e.g. i.e. etc. vs. cf. No. p. pp. sec. Fig.]]):gmatch "%S+" do abbreviations[name] = true end

-- Calls use(text, first) with each sentence of a block and its position.
local function sentences(block, use)
  local text, from, at = block.text, block.text:find "%S", 1
  while from do
    local stop = text:match("[.!?][)\"'%]]*()%s", at) or text:match("[.!?][)\"'%]]*()$", at) or #text + 1
    local word = text:sub(from, stop - 1):match "%S+$" or ""
    if not (abbreviations[word] or word:find "^%.%.%.?$") or stop > #text then
      use(text:sub(from, stop - 1), from)
      from = text:find("%S", stop)
    end
    at = stop
  end
end

-- Returns the number of words with a letter or a digit.
local function length_of(sentence)
  local count = 0
  for word in sentence:gmatch "%S+" do if word:find "%w" then count = count + 1 end end
  return count
end

-- Calls use(name, line) with each unwanted name in code that is not in comments or texts.
local function check_names(text, is_lua, use)
  local reader = new_reader(text)
  while reader.at <= #text do
    local level = is_lua and (reader.find "%-%-%[(=*)%[" or reader.find "%[(=*)%[")
    local name, after = reader.find "([%a_][%w_]*)()"
    if level then
      reader.advance(text:match("%]" .. level .. "%]()", reader.at))
    elseif reader.find(is_lua and "%-%-" or "//") then
      reader.advance(reader.find "[^\n]*()")
    elseif not is_lua and reader.find "/%*" then
      reader.advance(reader.find "/%*.-%*/()")
    elseif reader.find "[\"']" then
      reader.quoted()
    else
      if name and unwanted_names[name] then use(name, reader.line) end
      reader.advance(after or reader.at + 1)
    end
  end
end

-- Checks a file and adds to result: {count, problems = {{path, line, text} ...}}. of_code: checks its comments and
-- messages.
local function judge(result, path, text, of_code)
  local blocks = {}
  local names = path:find "^spec/.*%.lua$" and not path:find "^spec/rules/"
  if of_code and path:find "%.lua$" then
    lua(blocks, text)
    lua_comments(blocks, text)
  elseif of_code then
    c_code(blocks, text)
  elseif path:find "%.md$" then
    page(blocks, text, 1)
  elseif path:find "%.lua$" then
    lua(blocks, text, names)
  else
    header(blocks, text)
  end
  if of_code then
    check_names(text, path:find "%.lua$" ~= nil, function(name, line)
      result.problems[#result.problems + 1] = { path, line, ("the name '%s' says nothing of its value"):format(name) }
    end)
  end
  for _, block in ipairs(blocks) do
    block.text = of_code and is_foreign_code(block.raw) and "" or strip_markup(block.raw)
    local opening = block.opens and (block.text:match "^%s*The (same)%f[%A]" or block.text:match "^%s*(%a+)")
    if opening and openings[opening:lower()] then
      result.problems[#result.problems + 1] = { path, line_of(block, 1), ("begins with '%s': %s"):format(opening,
        block.raw:sub(1, 60)) }
    end
    sentences(block, function(sentence, first)
      local length = length_of(sentence)
      local function problem(message)
        local excerpt = block.raw:sub(first, first + #sentence - 1):gsub("%s+", " ")
        result.problems[#result.problems + 1] = { path, line_of(block, first), ("%s: %s"):format(message, excerpt) }
      end
      if length >= SHORTEST then result.count = result.count + 1 end
      if length > (names and LONGEST_NAME or LONGEST) then problem(length .. " words") end
      local lower = sentence:lower()
      for _, entry in ipairs(unwanted) do
        local match = lower:match(entry.pattern)
        if match then problem(("'%s', better: %s"):format(match, entry[2])) end
      end
    end)
  end
end

local function new_result() return { count = 0, problems = {} } end

-- Raises an error unless the lint finds the mistakes in texts of each kind.
local function selftest()
  local long = ("word "):rep(LONGEST)
  local function expect(path, text, count, line, message, of_code)
    local result = new_result()
    judge(result, path, text, of_code)
    local problem = result.problems[1]
    local as_wanted = result.count == count and #result.problems == (line and 1 or 0)
      and (not line or problem[2] == line and problem[3]:find(message, 1, true) == 1)
    if not as_wanted then
      error(("self-test: %s\n%s\n%d sentences, %d problems, %s"):format(path, text, result.count, #result.problems,
        problem and problem[2] .. ": " .. problem[3] or ""), 0)
    end
  end
  expect("a.md", "One two three four.\n\n    is code told\n    so told\n\nOne two three four.\n", 2)
  expect("a.md", "# A title has four words\n\nOne two three four. Five six seven eight (and nine).\n", 3)
  expect("a.md", "A sentence, e.g. this one, is `a. b` one.\n\n```\n" .. long .. "more\n```\n", 1)
  expect("a.md", "- " .. long .. "\n- " .. long .. "\n", 2)
  expect("a.md", "One two three\nfour. " .. long .. "\nmore.\n", 2, 2, "31 words")
  expect("a.md", "[A link](x.md) that leads to a file.\n", 1, 1, "'leads to'")
  expect("a.md", "| one | two |\n|---|---|\n| is it `told`? | told \\| it |\n", 0, 3, "'told'")
  expect("a.h", "/* One two three four.\n *\n *     told(code);\n * Five six\n * brings seven. */\n", 2, 4, "'brings'")
  expect("a.def", 'X(A, "one two three "\n  "four nobody")\n', 1, 1, "'nobody'")
  expect("a.lua", 'return { text = "one two three " .. FOUR\n  .. "five told", rules = "a told b" }', 1, 1, "'told'")
  expect("a.lua", 'return { "a told", [[b told]], --[[c told]] params = { "b? int - four words" } }', 0, 1, "'told'")
  expect("spec/a.lua", 'case("accepts: one two told [X-1]", function() f "a told" end)', 0, 1, "'told'")
  expect("spec/a.lua", 'case("accepts: ' .. ("word "):rep(LONGEST_NAME) .. 'more [X-1]")', 1, 1, "21 words")
  expect("spec/a.lua", 'case(("accepts: %s told [X-1]"):format(x), function() f "a told" end)', 0, 1, "'told'")
  expect("a.c", "int f(int known)\n{\n    return \"a\"[0] + how;\n}\n", 0, 3, "the name 'how'", true)
  expect("a.lua", "local t = { 'made' } -- made\nlocal made = [[told\nmade]]\n", 0, 2, "the name 'made'", true)
  expect("a.c", "/* Returns four words here. */\nint f(void); /* of it */\n", 1, 2, "begins with 'of'", true)
  expect("a.c", "/* The same as above, four. */\n", 1, 1, "begins with 'same'", true)
  expect("a.lua", "-- a.lua - what four words say.\n", 1, 1, "begins with 'what'", true)
  expect("a.lua", "f() -- Whether it is so.\n", 1, 1, "begins with 'Whether'", true)
  expect("a.lua", "f()\n-- Returns four\n-- words told.\n", 1, 2, "'told'", true)
end

local root = (arg[0]:match "^(.*)/[^/]*$" or ".") .. "/.."
local failed = false

-- Returns the paths that `find` prints for these arguments.
local function find_paths(arguments)
  local paths = {}
  local pipe = assert(io.popen(("cd '%s' && find %s | sort"):format(root, arguments)))
  for path in pipe:lines() do paths[#paths + 1] = path:gsub("^%./", "") end
  pipe:close()
  return paths
end

-- Returns the files of a source: of a folder, its Lua files.
local function files_of(source)
  return source:find "%.%w+$" and { source } or find_paths(("'%s' -name '*.lua'"):format(source))
end

-- Prints the problems of a source and returns their number. of_code: checks comments and messages.
local function show(source, of_code)
  local result = new_result()
  local files = of_code and not source:find "%.%w+$"
    and find_paths(("'%s' -name '*.lua' -o -path '%s*.[ch]'"):format(source, source)) or files_of(source)
  for _, path in ipairs(files) do
    local file = assert(io.open(root .. "/" .. path))
    judge(result, path, file:read "a", of_code)
    file:close()
  end
  for _, problem in ipairs(result.problems) do print(("%s:%d: %s"):format(table.unpack(problem))) end
  print(("%s: %d sentences, %d problems"):format(source, result.count, #result.problems))
  return #result.problems, result.count
end

if arg[1] == "--code" then
  for i = 2, #arg do failed = show(arg[i], true) > 0 or failed end
elseif #arg > 0 then
  for _, source in ipairs(arg) do failed = show(source) > 0 or failed end
else
  selftest()
  local function check(source)
    local problems, count = show(source)
    failed = failed or problems > 0 or count == 0
  end
  local pages = find_paths "*.md examples spec tests lua core exec cuda -name '*.md' -not -path 'spec/reference/*'"
  for _, path in ipairs(pages) do
    check(path)
  end
  for _, source in ipairs(checked) do check(source) end
  for _, folder in ipairs(code_folders) do failed = show(folder, true) > 0 or failed end
end
os.exit(not failed)
