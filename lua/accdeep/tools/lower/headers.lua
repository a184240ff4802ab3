-- headers.lua - inlines included files with directives that must be rewritten, so that they are lowered with the
-- unit.
--
-- Input: the unit and its preprocessed text, whose line markers show the tree of included files. Output: a text of
-- source_map.lua. c_unit.lua calls headers.paste.

local c_compiler = require "accdeep.tools.lower.c_compiler"
local files = require "accdeep.tools.files"
local source_map = require "accdeep.tools.lower.source_map"
local line_markers = require "accdeep.tools.lower.line_markers"
local c_source = require "accdeep.tools.lower.c_source"
local system = require "accdeep.system"

local headers = {}

-- Returns the tree of files of a preprocessed unit, or nil if it has no line marker. A file is {path, words, has_text,
-- parts, line}. `words`: set of the first words of its OpenACC directives. `has_text`: the file, or a file that it
-- includes, has code. `parts`: the files that it includes. `line`: last line of the #include in the including file, or
-- nil for files that cannot be inlined.
local function include_tree(text)
  local open, at = {}, 1
  for start, line, finish in ("\n" .. text):gmatch "\n()([ \t]*#[^\n]*)()" do
    local number, path, flag = line_markers.read(line)
    local including = open[#open]
    local directive = not number and c_source.openacc(line:match "#.*")
    if including then
      including.has_text = including.has_text or directive or (text:find("%S", at) or start) < start - 1
    end
    at = finish - 1
    if number and (flag == "1" or not including) then
      local part = { path = path, words = {}, parts = {} }
      if including then table.insert(including.parts, part) end
      open[#open + 1] = part
    elseif flag == "2" and open[2] then
      local part = table.remove(open)
      part.line = part.path:sub(1, 1) ~= "<" and number ~= 0 and number - 1 or nil
      open[#open].has_text = open[#open].has_text or part.has_text
    elseif directive then
      including.words[directive:match "^[%a_]*"] = true
    end
  end
  return open[1]
end

-- Returns the #include lines of a scanned file as a table from token number to {mark, name, base}. `mark`: the opening
-- quotation mark; `base`: the name without folders.
local function included_files(scanned)
  local list = {}
  for i = 1, scanned.n do
    local mark, name = (scanned.kind[i] == "line" and scanned:token(i) or ""):match "^#%s*include%s*([\"<])([^\">\n]*)"
    if mark then list[i] = { mark = mark, name = name, base = name:match "[^/]*$" } end
  end
  return list
end

-- Returns true if a preprocessor line is `#pragma once`.
local function is_once(text) return text:match "^#%s*pragma%s+once%f[^%w_]" ~= nil end

-- The text being composed; the methods of Text are added to a text of source_map.lua.
local Text = {}

-- Returns {scanned, included, is_once} for a file; each file is read only once. `scanned`: the file's tokens.
-- `included`: result of included_files. `is_once`: the file has `#pragma once`. Raises if the file cannot be read.
function Text:read(file)
  local scan_record = self.scans[file.path]
  if scan_record then return scan_record end
  local scanned = c_source.scan(file == self.root and self.unit_text or files.read(file.path))
  scan_record = { scanned = scanned, included = included_files(scanned) }
  for i = 1, scanned.n do
    scan_record.is_once = scan_record.is_once or scanned.kind[i] == "line" and is_once(scanned:token(i))
  end
  self.scans[file.path] = scan_record
  return scan_record
end

-- Sets is_here of the files that are inlined: those with directives for which is_wanted(first word) is true, and the
-- files that include them. A file with `#pragma once` must be inlined wherever it is included; otherwise the compiler
-- would read it twice. Returns true if `file` is inlined, and true if is_here was set for a further file. The caller
-- then repeats the call, because that file may have `#pragma once`.
function Text:mark(file, is_wanted)
  local is_new = false
  if not file.is_here then
    for word in pairs(file.words) do file.is_here = file.is_here or is_wanted(word) end
    for _, include in pairs(next(self.once) and self:read(file).included or {}) do
      file.is_here = file.is_here or self.once[include.base] ~= nil
    end
    is_new = file.is_here
  end
  for _, part in ipairs(file.parts) do
    if part.line and not c_compiler.is_system_file(part.path) then
      local is_here, is_part_new = self:mark(part, is_wanted)
      is_new = is_new or is_part_new or is_here and not file.is_here
      file.is_here = file.is_here or is_here
    end
  end
  if file.is_here and file ~= self.root and self:read(file).is_once then self.once[file.path:match "[^/]*$"] = true end
  return file.is_here, is_new
end

-- Returns the components of a path as a list, with `.` and inner `..` resolved.
local function split(path)
  local list = {}
  for name in path:gmatch "[^/]+" do
    if name == ".." and list[1] and list[#list] ~= ".." then
      table.remove(list)
    elseif name ~= "." then
      list[#list + 1] = name
    end
  end
  return list
end

-- Returns `path` relative to the folder of the file `from`; absolute paths stay unchanged. Returns nil if the folder is
-- absolute or above the current one.
local function relative(path, from)
  if path:sub(1, 1) == "/" then return path end
  local path_parts, base_parts = split(path), split(from:match "^(.*)/" or ".")
  if from:sub(1, 1) == "/" or base_parts[1] == ".." then return nil end
  while path_parts[2] and path_parts[1] == base_parts[1] do
    table.remove(path_parts, 1)
    table.remove(base_parts, 1)
  end
  return ("../"):rep(#base_parts) .. table.concat(path_parts, "/")
end

-- Returns the text that replaces the #include line `token` of `file`, whose included file is not inlined. `include`:
-- {mark, name, base} of the line. `is_read`: true if the preprocessed unit has the included file. Returns "" if the
-- compiler skipped the file because of `#pragma once`. The path is changed if the compiler would not find the file from
-- the unit.
function Text:replace_include(file, token, include, is_read)
  if not is_read and self.once[include.base] then return "" end
  local path = (file.path:match "^(.*/)" or "") .. include.name
  if file == self.root or include.mark == "<" or system.filetype(path) ~= "file" then return token end
  local relative_path = relative(path, self.root.path)
  return relative_path and ("#include \"%s\""):format(relative_path) or token
end

-- Appends the text of a file, with the marked files that it includes inlined.
function Text:write(file)
  local scan_record, by_line = self:read(file), {}
  local scanned, at = scan_record.scanned, 1
  for _, part in ipairs(file.parts) do
    if part.line then by_line[part.line] = part end
  end
  self:begin(file.path, 1, 1)
  for i = 1, scanned.n do
    local include, last = scan_record.included[i], scan_record.included[i] and scanned:line(scanned.finish[i])
    local part, token = by_line[last], scanned.kind[i] == "line" and scanned:token(i)
    -- An include guard makes the second copy empty, therefore the file is inlined only once.
    if part and part.is_here and not part.has_text and self.written[part.path] then part = nil end
    if part and part.is_here then
      self:add(scanned.text:sub(at, scanned.at[i] - 1))
      if self.size > 0 and self.parts[#self.parts]:sub(-1) ~= "\n" then self:add "\n" end
      self:write(part)
      self:begin(file.path, last + 1, 2)
      at = scanned.finish[i] + 1
    elseif include or token and file ~= self.root and is_once(token) then
      self:add(scanned.text:sub(at, scanned.at[i] - 1))
      local _, feeds = token:gsub("\n", "")
      self:add(include and self:replace_include(file, token, include, part) or "")
      self:add(include and "" or ("\n"):rep(feeds))
      at = scanned.finish[i]
    end
  end
  self:add(scanned.text:sub(at))
  if scanned.text:sub(-1) ~= "\n" then self:add "\n" end
  if file ~= self.root and not self.written[file.path] then
    self.written[file.path] = true
    self.paths[#self.paths + 1] = file.path
  end
end

-- Returns the unit with files inlined, as a text of source_map.lua; nil if no file must be inlined. `path`, `text`: the
-- unit. `preprocessed`: the preprocessed unit. is_wanted(word): returns true if directives that begin with the word are
-- rewritten.
function headers.paste(path, text, preprocessed, is_wanted)
  local root = include_tree(preprocessed)
  if not root then return nil end
  root.path = path
  local self = source_map.new { root = root, unit_text = text, scans = {}, once = {}, written = {} }
  for name, method in pairs(Text) do self[name] = method end
  local is_here, is_new
  root.words = {}
  repeat is_here, is_new = self:mark(root, is_wanted) until not is_new
  if not is_here then return nil end
  self:write(root)
  return self:finish()
end

return headers
