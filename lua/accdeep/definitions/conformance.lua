-- conformance.lua - reads the conformance scenarios of spec/: finds their folder and lists their cases with the rules
-- that they cite. Used by `accdeep conform` and by explanations of rules.

local rules = require "accdeep.definitions.rules"
local diagnostic = require "accdeep.base.diagnostic"
local system = require "accdeep.system"

local conformance = {}

-- Returns the path of the folder of the scenarios: the first of these that has a folder tr14. $ACCDEEP_SPEC, or
-- share/accdeep/spec of the installation if that is not set; then spec/ of the source tree. Raises an error with the
-- code "file" if none of them has one.
function conformance.folder()
  local program = (system.executable() or ""):match "^(.*)/[^/]*$" or "."
  local folders = { os.getenv "ACCDEEP_SPEC" or program .. "/../share/accdeep/spec", program .. "/../spec",
    program .. "/../../spec", "spec" }
  for _, folder in ipairs(folders) do
    local n
    repeat folder, n = folder:gsub("/[^/.]+/%.%./", "/", 1) until n == 0
    if system.filetype(folder .. "/tr14") == "directory" then return folder end
  end
  error(diagnostic.new { code = "file", rule = "HOUSE-files", message = "the conformance scenarios are not here",
    help = "they are installed in share/accdeep/spec; the variable ACCDEEP_SPEC names another folder" }, 0)
end

-- Returns the name of a document's folder in spec/; nil for an unknown document. `document`: the prefix of its rule
-- ids, or the name of the folder, in any letter case.
function conformance.find_folder(document)
  for _, entry in ipairs(rules.documents) do
    if entry.folder and (entry.prefix:lower() == document:lower() or entry.folder == document:lower()) then
      return entry.folder
    end
  end
  return nil
end

-- Returns the text of a file; "" if it cannot be read.
local function read_file(path)
  local file = io.open(path, "rb")
  local text = file and file:read "a" or ""
  if file then file:close() end
  return text
end

-- Set of the first words that names of cases may have.
local kinds = { accepts = true, rejects = true, differs = true }

-- Returns the name of a case, whose call begins the text `text`: the string literals of its first argument, joined. A
-- part of the name that is no literal becomes "...".
local function name_of(text)
  local name, at = {}, text:find '"'
  while at do
    local after = at + 1
    while text:sub(after, after) ~= '"' do after = after + (text:sub(after, after) == "\\" and 2 or 1) end
    name[#name + 1] = text:sub(at + 1, after - 1):gsub("\\(.)", "%1")
    local _, operand = text:find("^%s*%.%.%s*", after + 1)
    local variable_end = operand and text:match("^[%w_.]+%s*%.%.%s*()", operand + 1)
    if variable_end then name[#name + 1] = "..." end
    at = variable_end or operand and operand + 1
    if at and text:sub(at, at) ~= '"' then at = nil end
  end
  return table.concat(name)
end

-- Appends the cases in `text`, the scenario file `path`, to a list as {file, line, name, text}. A case is a call whose
-- first argument is text that begins with one of the words `kinds`. It ends with its function, at a line "end)" that is
-- indented as the call, or as the line that begins with "function"; at the latest before the next case.
local function add_cases(path, text, list)
  local line, case, rows, last = 0, nil, nil, nil
  -- Ends a case: gives it its text and its name, and appends it.
  local function finish()
    if not case then return end
    case.text = table.concat(rows, "\n")
    case.name = name_of(case.text)
    list[#list + 1], case, last = case, nil, nil
  end
  for row in (text .. "\n"):gmatch "(.-)\r?\n" do
    line = line + 1
    if kinds[row:match '^%s*[%a_][%w_]*%s?%(?%(?[%a_]*%s?"(%l+): '] then
      finish()
      case, rows = { file = path, line = line }, {}
    end
    if case then
      rows[#rows + 1] = row
      if row:find "%f[%w_]function%f[^%w_]" and not last then
        last = "^" .. (row:match "^(%s*)function" or rows[1]:match "^%s*") .. "end%)"
        if row:find "end%)$" then finish() end
      elseif last and row:find(last) then
        finish()
      end
    end
  end
  finish()
end

-- Returns all cases in the scenarios of `folder` as a list of {file, line, name, text, rows}.
function conformance.read_cases(folder)
  local list = {}
  for _, name in ipairs(system.listdir(folder) or {}) do
    for _, file in ipairs(name ~= "rules" and system.listdir(folder .. "/" .. name) or {}) do
      local path = folder .. "/" .. name .. "/" .. file
      if file:find "%.lua$" then add_cases(path, read_file(path), list) end
    end
  end
  return list
end

-- Returns all cases of spec/, as read_cases returns them. The list is cached; callers must not change it. Raises if the
-- scenarios are not installed.
function conformance.cases()
  conformance.cached_cases = conformance.cached_cases or conformance.read_cases(conformance.folder())
  return conformance.cached_cases
end

-- Returns a list of the rules that a case cites in brackets at the end of its name; an empty list if it cites none.
function conformance.cited_rules(case)
  local ids = {}
  for id in (case.name:match "%[([^%]]+)%]$" or ""):gmatch "%S+" do ids[#ids + 1] = id end
  return ids
end

-- Returns how many cases of spec/ cite each rule, by its id; nil if the scenarios are not installed.
function conformance.counts()
  local ok, cases = pcall(conformance.cases)
  if not ok then return nil end
  local counts = {}
  for _, case in ipairs(cases) do
    for _, id in ipairs(conformance.cited_rules(case)) do counts[id] = (counts[id] or 0) + 1 end
  end
  return counts
end

-- Returns a sentence about the mismatch between the name of a case and its run; nil if they agree. The name must be
-- 'accepts: sentence [RULE]', or begin with rejects or differs. The case must have expectations, and a case with
-- rejects must have seen an error of a cited rule. `checks`: {n, refused}: the number of expectations in the case, and
-- the rules of the errors that it expected.
function conformance.flaw(name, checks)
  if not kinds[name:match "^(%l+): .* %[[^%]]+%]$" or ""] then
    return "the case's name has another form than 'accepts: sentence [RULE]', or with rejects or differs"
  end
  if checks.n == 0 then return "the case expects nothing" end
  if not name:find "^rejects" then return nil end
  if #checks.refused == 0 then return "the case is called rejects, and nothing in it is refused: is it differs?" end
  local cited = {}
  for _, id in ipairs(conformance.cited_rules { name = name }) do cited[id] = true end
  for _, rule in ipairs(checks.refused) do
    if cited[rule] then return nil end
  end
  return ("the case is called rejects, and cites none of the rules that its errors name: %s")
    :format(table.concat(checks.refused, " "))
end

return conformance
