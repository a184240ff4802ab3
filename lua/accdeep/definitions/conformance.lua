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

-- Appends the cases in `text`, the scenario file `path`, to a list as {file, line, name, text, rows}; `rows` are the
-- lines of the case. A case is recognized by "case(" and "end)" at the start of a line. Its name is all quoted text
-- before the word "function", joined.
local function add_cases(path, text, list)
  local line, case = 0, nil
  for row in (text .. "\n"):gmatch "(.-)\r?\n" do
    line = line + 1
    if row:find "^case%(" then
      case = { file = path, line = line, rows = {} }
    end
    if case then
      case.rows[#case.rows + 1] = row
      if row:find "^end%)" or row:find "^case%(.*end%)$" then
        case.text = table.concat(case.rows, "\n")
        local at = case.text:find("function", 1, true) or #case.text
        local name = {}
        for part in case.text:sub(1, at):gmatch '"(.-)"' do name[#name + 1] = part end
        case.name = table.concat(name)
        list[#list + 1], case = case, nil
      end
    end
  end
end

-- Returns all cases of spec/ as a list of {file, line, name, text, rows}. The list is cached; callers must not change
-- it. Raises if the scenarios are not installed.
function conformance.cases()
  if conformance.cached_cases then return conformance.cached_cases end
  local list, folder = {}, conformance.folder()
  for _, name in ipairs(system.listdir(folder) or {}) do
    for _, file in ipairs(name ~= "rules" and system.listdir(folder .. "/" .. name) or {}) do
      local path = folder .. "/" .. name .. "/" .. file
      if file:find "%.lua$" then add_cases(path, read_file(path), list) end
    end
  end
  conformance.cached_cases = list
  return list
end

-- Returns a list of the rules that a case cites in brackets at the end of its name; an empty list if it cites none.
function conformance.cited_rules(case)
  local ids = {}
  for id in (case.name:match "%[([^%]]+)%]$" or ""):gmatch "%S+" do ids[#ids + 1] = id end
  return ids
end

-- Set of the first words that names of cases may have.
local kinds = { accepts = true, rejects = true, differs = true }

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
