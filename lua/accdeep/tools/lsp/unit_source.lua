-- unit_source.lua - finds the directives in units of C, C++ and Fortran, with their positions. unit_check.lua checks
-- them.
--
-- A directive is {language, text, at, is_fixed}: language "acc" or "omp"; `text`: from its sentinel to its end, with
-- continuation lines; `at`: position of its first byte in the unit. In Fortran, blanks replace the ends of continued
-- lines, so that positions stay.
--
-- Directives that may be meant for another compiler or version are left out. They are in `#if 0`, or in conditional
-- compilation that asks for a compiler or for the version of a standard.

local fortran_free_form = require "accdeep.syntax.fortran_free_form"

local unit_source = {}

local LANGUAGES = {}
for suffix in ("c h"):gmatch "%S+" do LANGUAGES[suffix] = "c" end
for suffix in ("cc cpp cxx c++ C hh hpp hxx h++ cu cuh"):gmatch "%S+" do LANGUAGES[suffix] = "c++" end
for suffix in ("f90 f95 f03 f08 f18 F90 F95 F03 F08 F18"):gmatch "%S+" do LANGUAGES[suffix] = "fortran" end
for suffix in ("f for ftn F FOR FTN"):gmatch "%S+" do LANGUAGES[suffix] = "fortran-fixed" end

-- Names of languages that editors use. "fortran" is left out: the suffix tells the form of the source.
local EDITOR_NAMES = { c = "c", cpp = "c++", ["c++"] = "c++", cuda = "c++", ["cuda-cpp"] = "c++",
  FortranFreeForm = "fortran", FortranFixedForm = "fortran-fixed", ["fortran_fixed-form"] = "fortran-fixed",
  fortran_modern = "fortran" }

-- Returns "c", "c++", "fortran" or "fortran-fixed"; nil for another language. `name`: the editor's name of the
-- language.
function unit_source.language(path, name)
  return EDITOR_NAMES[name or ""] or LANGUAGES[path:match "%.([%w+]+)$" or ""] or name == "fortran" and "fortran" or nil
end

-- Patterns of conditions that choose a compiler or a version.
local CHOOSES = { "__PGI", "__NVCOMPILER", "_CRAYC", "__cray", "__clang", "__GNUC", "__INTEL", "__ICC", "__ibmxl",
  "__xl[cC]", "_MSC_VER", "__HIP", "__CUDA", "__NEC__", "__FUJITSU", "__AOCC", "__flang", "__GFORTRAN",
  "_OPENACC[%s%)]*[<>=!]", "_OPENMP[%s%)]*[<>=!]", "__has_", "VERSION" }

local Conditions = {}
Conditions.__index = Conditions

-- Returns the state of conditional compilation at the beginning of a unit.
local function new_conditions() return setmetatable({ stack = {}, left_out = 0 }, Conditions) end

-- Reads a preprocessor line. `name`: its first word; `rest`: what follows.
function Conditions:read(name, rest)
  local stack = self.stack
  if name == "if" or name == "ifdef" or name == "ifndef" then
    rest = rest:gsub("/%*.-%*/", " "):gsub("//.*", "")
    local is_left_out, chooses = rest:find "^%s*%(?%s*0%s*%)?%s*$" ~= nil, false
    for _, pattern in ipairs(CHOOSES) do chooses = chooses or rest:find(pattern) ~= nil end
    stack[#stack + 1] = { is_left_out = is_left_out or chooses, chooses = chooses,
      is_true = rest:find "^%s*%(?%s*1%s*%)?%s*$" ~= nil }
    self.left_out = self.left_out + (stack[#stack].is_left_out and 1 or 0)
  elseif (name == "else" or name == "elif") and stack[1] then
    local top = stack[#stack]
    local is_left_out = top.chooses or top.is_true
    self.left_out = self.left_out + (is_left_out and 1 or 0) - (top.is_left_out and 1 or 0)
    top.is_left_out = is_left_out
  elseif name == "endif" and stack[1] then
    self.left_out = self.left_out - (table.remove(stack).is_left_out and 1 or 0)
  end
end

-- Adds the macro that a line `#define` defines to the set `macros`. `rest`: the line after the word define. Numbers are
-- left out: they may be anywhere in a directive and change nothing of its form.
local function add_macro(macros, rest)
  local name, body = rest:match "^%s*([%a_][%w_]*)(.*)$"
  if name and not body:find "^%s+[%d%s.()+*/uUlLfFxX-]+$" then macros[name] = true end
end

-- Returns the directives of a unit of C or C++, and the set of the macros that it defines. `scan`: a function that
-- divides a text into tokens (tools/lower/c_source.lua).
local function read_c(text, scan)
  local list, macros, conditions = {}, {}, new_conditions()
  local unit = scan(text)
  for i = 1, unit.n do
    if unit.kind[i] == "line" then
      local line = unit:token(i)
      local name, rest = line:match "^#%s*(%a+)(.*)$"
      local language = name == "pragma" and rest:match "^%s+(%a+)%f[^%w_]"
      if name == "define" then
        add_macro(macros, rest)
      elseif name == "pragma" and (language == "acc" or language == "omp") and conditions.left_out == 0 then
        list[#list + 1] = { language = language, text = line, at = unit.at[i] }
      elseif name then
        conditions:read(name, rest)
      end
    end
  end
  return list, macros
end

-- Returns the language of the directive that a line of Fortran begins or continues, and the column after its sentinel;
-- nil for other lines.
local function sentinel(line, is_fixed)
  local language, after = line:match(is_fixed and "^[!cC*]%$(%a%a%a)()" or "^[ \t]*!%$(%a%a%a)()")
  language = language and language:lower()
  if (language == "acc" or language == "omp") and not line:find("^[%w_]", after) or is_fixed
    and (language == "acc" or language == "omp") then
    return language, after
  end
end

-- Returns a line of a directive in fixed form as free form of the same length. Blanks replace the column of
-- continuation, and the text after column 72.
local function free_line(line, language, is_first)
  local body = line:sub(7, 72):gsub("!.*", "")
  local head = is_first and "!$" .. language .. " " or "      "
  return head .. body .. (" "):rep(#line - #head - #body)
end

-- Returns true if a line of a directive in free form is continued by the next one. `after`: column after its sentinel.
local function is_continued(line, after) return line:sub(after):find "^[^!]*&%s*$" ~= nil
  or line:sub(after):find "^[^!]*&%s*!" ~= nil end

-- Returns the directives of a unit of Fortran, and the set of the macros that it defines.
local function read_fortran(text, is_fixed)
  local list, macros, conditions, open = {}, {}, new_conditions(), nil
  local continued = false -- free form: the last line of the open directive ends with "&"
  -- Ends the open directive: adds it to the list, unless a line follows that does not continue it as it should.
  local function close()
    if open and open.is_read and not continued then
      local joined = table.concat(open.lines, " ")
      -- A name or number that two lines share is none here, because blanks replace the ends of lines
      local is_split = joined:find "[%w_]&%s*!%$%a%a%a%s*&[%w_]" ~= nil
      local ok, normalized = true, joined:lower()
      if not is_fixed then ok, normalized = pcall(fortran_free_form.directive, table.concat(open.lines, "\n")) end
      if ok and not is_split and #normalized == #joined then
        list[#list + 1] = { language = open.language, text = normalized, at = open.at }
      end
    end
    open, continued = nil, false
  end
  for at, line in text:gmatch "()([^\n]*)" do
    line = line:gsub("\r", " ")
    local language, after = sentinel(line, is_fixed)
    local name, rest = line:match "^#%s*(%a+)(.*)$"
    local is_continuation
    if is_fixed then
      is_continuation = open and language == open.language and line:find("^[^%s0]", 6) ~= nil
    else
      is_continuation = open and continued and language == open.language
    end
    local is_comment = not line:find "%S" or not language and line:find(is_fixed and "^[!cC*]" or "^%s*!") ~= nil
    if is_continuation then
      open.lines[#open.lines + 1] = is_fixed and free_line(line, language, false) or line
      continued = not is_fixed and is_continued(line, after)
    elseif open and (is_fixed or continued) and is_comment then
      open.lines[#open.lines + 1] = (" "):rep(#line)
    else
      close()
      if language then
        open = { language = language, at = at, is_read = conditions.left_out == 0,
          lines = { is_fixed and free_line(line, language, true) or line } }
        continued = not is_fixed and is_continued(line, after)
      elseif name == "define" then
        add_macro(macros, rest:lower())
      elseif name then
        conditions:read(name, rest)
      end
    end
  end
  close()
  return list, macros
end

-- Returns the directives of a unit, and the set of the macros that it defines (in Fortran: in lower case). `language`:
-- result of unit_source.language. `scan`: see read_c.
function unit_source.read(text, language, scan)
  local lowered = text:lower()
  local has_any = lowered:find "pragma%s+acc" or lowered:find "pragma%s+omp" or lowered:find "%$acc"
    or lowered:find "%$omp"
  if not has_any then return {}, {} end
  if language == "c" or language == "c++" then return read_c(text, scan) end
  return read_fortran(text, language == "fortran-fixed")
end

return unit_source
