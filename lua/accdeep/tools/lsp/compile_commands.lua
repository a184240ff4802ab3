-- compile_commands.lua - how a unit is compiled: from compile_commands.json of a folder above it, or from a setting.
--
-- A command is never executed as it stands. Of its words, these are used: the name of the compiler, if it is that of a
-- known one, and the options that decide what the text means.

local dkjson = require "dkjson"
local system = require "accdeep.system"
local strings = require "accdeep.base.strings"

local compile_commands = {}

local COMPILERS = strings.word_set [[cc c++ gcc g++ gfortran clang clang++ mpicc mpicxx mpic++ mpif90 mpifort]]

-- Returns the name of a known compiler in a path, which may have a version; nil for other programs.
local function compiler_name(path)
  local name = path:match "[^/]*$"
  return COMPILERS[(name:gsub("%-%d[%d.]*$", ""))] and name or nil
end

-- Options whose value may be the next word, and which name files or folders; those that name none.
local PATHS = strings.word_set "-I -isystem -iquote -idirafter -include -imacros -J"
local NAMES = strings.word_set "-D -U -x"
-- Options without a value, as patterns.
local PLAIN = { "^%-std=", "^%-ansi$", "^%-fopenacc$", "^%-fopenmp$", "^%-fopenmp%-simd$", "^%-m%d%d$",
  "^%-ffree%-", "^%-ffixed%-", "^%-cpp$", "^%-fdefault%-", "^%-funsigned%-char$", "^%-pthread$" }

-- Returns an absolute path of a path in a folder.
local function resolve(folder, path) return path:find "^/" and path or folder .. "/" .. path end

-- Returns the words of a command line, in which quotes and backslashes join words as in a shell.
local function split(text)
  local words, word, at = {}, nil, 1
  while at <= #text do
    local c = text:sub(at, at)
    if c == "'" then
      local last = text:find("'", at + 1, true) or #text + 1
      word, at = (word or "") .. text:sub(at + 1, last - 1), last + 1
    elseif c == '"' then
      at = at + 1
      word = word or ""
      while at <= #text and text:sub(at, at) ~= '"' do
        if text:sub(at, at) == "\\" then at = at + 1 end
        word, at = word .. text:sub(at, at), at + 1
      end
      at = at + 1
    elseif c:find "%s" then
      words[#words + 1], word, at = word, nil, at + 1
    else
      if c == "\\" then at = at + 1 end
      word, at = (word or "") .. text:sub(at, at), at + 1
    end
  end
  words[#words + 1] = word
  return words
end

-- Returns {command, options} for the words of a command line in a folder; nil if its compiler is unknown.
local function filter(words, folder)
  local command = words[1] and compiler_name(words[1])
  if not command then return nil end
  local options, i = {}, 2
  while words[i] do
    local word = words[i]
    local name = PATHS[word] and word or NAMES[word] and word
    if name then
      local value = words[i + 1] or ""
      options[#options + 1] = name == "-J" and "-I" or name -- nothing is written to the folder of -J
      options[#options + 1] = PATHS[name] and resolve(folder, value) or value
      i = i + 1
    else
      local short, value = word:match "^(%-[IDUJ])(.+)$"
      local long, path = word:match "^(%-i%l+)(/.+)$"
      if short then
        options[#options + 1] = (short == "-J" and "-I" or short) .. (PATHS[short] and resolve(folder, value) or value)
      elseif long and PATHS[long] then
        options[#options + 1] = long .. path
      else
        for _, pattern in ipairs(PLAIN) do
          if word:find(pattern) then options[#options + 1] = word break end
        end
      end
    end
    i = i + 1
  end
  return { command = command, options = options }
end

local MAX_BYTES = 32 << 20 -- limit of bytes of compile_commands.json

-- Returns the list of entries in a file compile_commands.json; an empty list if it cannot be read.
local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read(MAX_BYTES)
  if file then file:close() end
  local ok, list = pcall(dkjson.decode, text or "", 1, nil, nil, nil)
  return ok and type(list) == "table" and list or {}
end

-- Returns the words of an entry's command line; an empty list if the entry has none.
local function words_of(entry)
  if type(entry.arguments) ~= "table" then return split(type(entry.command) == "string" and entry.command or "") end
  local words = {}
  for i, word in ipairs(entry.arguments) do words[i] = tostring(word) end
  return words
end

-- Returns {command, options} from the entry for the unit `path` in a file compile_commands.json in `folder`; nil if
-- there is none.
local function find_in(file, folder, path)
  if system.filetype(file) ~= "file" then return nil end
  local name = path:match "[^/]*$"
  for _, entry in ipairs(read(file)) do
    if type(entry) == "table" and type(entry.file) == "string" and entry.file:match "[^/]*$" == name then
      local entry_folder = type(entry.directory) == "string" and entry.directory or folder
      local unit = resolve(entry_folder, entry.file)
      local is_same = unit == path or system.realpath(unit) == system.realpath(path)
      local found = is_same and filter(words_of(entry), entry_folder)
      if found then return found end
    end
  end
end

-- Returns how the unit `path` is compiled: {command, options}; nil if that is not known. Looks into
-- compile_commands.json in the folders above the unit, and in their subfolder build. `setting`: a command line from the
-- settings, which is used for units without an entry, or nil; its paths begin in the folder `root`.
function compile_commands.find(path, setting, root)
  local folder = path:match "^(/.*)/[^/]*$"
  local at = folder
  while at do
    local found = find_in(at .. "/compile_commands.json", at, path)
      or find_in(at .. "/build/compile_commands.json", at .. "/build", path)
    if found then return found end
    at = at ~= "" and at:match "^(.*)/[^/]*$" or nil
  end
  if not setting then return nil end
  return filter(split(setting), root or folder or ".")
end

return compile_commands
