-- exec_picture.lua - the picture of `accdeep exec --draw`. The program's processes write traces to a temporary folder
-- (exec/trace/trace.c), and the picture is made of these when the program has ended.
--
-- exec_picture(name, warn) checks, before the program starts, that the picture can be written. It returns the name of
-- the traces, with %p and %r, and a function that draws. tools/exec.lua calls both.

local diagnostic = require "accdeep.base.diagnostic"
local draw = require "accdeep.inspect.draw"
local files = require "accdeep.tools.files"
local system = require "accdeep.system"

-- Returns the traces in a folder as a table from the name of a picture to a list of its traces, {path, process, rank},
-- which is sorted by process. `pattern`: name of the picture, in which %p and %r differ from process to process.
local function find_traces(folder, pattern)
  local traces = {}
  for _, file in ipairs(system.listdir(folder) or {}) do
    local process, rank = file:match "^(%d+)%.(%d+)$"
    if process then
      local name = pattern:gsub("%%p", process):gsub("%%r", rank)
      traces[name] = traces[name] or {}
      table.insert(traces[name], { path = folder .. "/" .. file, process = tonumber(process), rank = rank })
    end
  end
  for _, list in pairs(traces) do table.sort(list, function(a, b) return a.process < b.process end) end
  return traces
end

-- Returns the cases of a list of traces, and the source file that most steps of the first one name.
local function read_cases(list)
  local cases, source = {}, nil
  for _, entry in ipairs(list) do
    local own, file = draw.trace(entry.path, files.read(entry.path))
    for _, case in ipairs(own) do
      if #list > 1 then case.name = ("%s of process %d, rank %s"):format(case.name, entry.process, entry.rank) end
      cases[#cases + 1] = case
    end
    source = source or file
  end
  return cases, source
end

-- Writes the picture `name` of a list of traces. Returns nil, or a text about why there is no picture; if Graphviz
-- fails, its input is kept in a file.
local function write_picture(name, list)
  local format, cases, source = draw.format(name), read_cases(list)
  local number = draw.usual_case(cases, true)
  local case = cases[number]
  local step = draw.usual(case)
  local ok, contents = pcall(function()
    return format == "html" and draw.page(source and source:match "[^/]*$" or name, source or name, cases, number, step)
      or draw.step(case, step, format)
  end)
  if ok then return files.write(name, contents) end
  os.remove(name)
  files.write(name .. ".dot", draw.step(case, step, "dot"))
  return ("%s was not drawn, but %s.dot was written: %s"):format(name, name, contents.message or contents)
end

-- Prepares the picture `name` of a program that is started. warn(text) reports why there is no picture. Returns the
-- name of the program's traces, and the function that draws; it has to be called once, with false if the program could
-- not be started. Raises if the picture cannot be written, or if Graphviz is needed and missing.
return function(name, warn)
  if draw.format(name) ~= "dot" and not files.program "dot" then draw.fail_without_graphviz() end
  local is_pattern = files.prepare_output(name):find "%%[pr]" ~= nil
  if not is_pattern then files.open(name, "ab"):close() end
  local folder, problem = system.temporary_folder()
  if not folder then error(diagnostic.new { code = "file", message = problem, rule = "HOUSE-files" }, 0) end
  return folder .. "/%p.%r", function(is_started)
    local traces = find_traces(folder, name)
    for picture, list in pairs(traces) do
      local ok, why = pcall(write_picture, picture, list)
      if why then warn(ok and why or ("%s was not drawn: %s"):format(picture, why.message or why)) end
      for _, entry in ipairs(list) do os.remove(entry.path) end
    end
    if is_started and not next(traces) then
      warn(("%s was not drawn: no directive was executed"):format(name))
      if not is_pattern and files.read(name) == "" then os.remove(name) end
    end
    os.remove(folder)
  end
end
