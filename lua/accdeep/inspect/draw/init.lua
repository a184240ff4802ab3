-- draw - pictures of scenarios: dot.lua, svg.lua and html.lua draw what step_recorder.lua recorded.
--
-- draw.scenario(path, text, options) runs a scenario and returns its cases; draw.trace(path, text) makes cases of a
-- trace (trace_steps.lua). draw.step draws one step, draw.page all cases. tools/cli/draw.lua, tools/exec_picture.lua
-- and the prompt call this module.

local diagnostic = require "accdeep.base.diagnostic"
local dot = require "accdeep.inspect.draw.dot"
local html = require "accdeep.inspect.draw.html"
local location = require "accdeep.base.location"
local picture_layout = require "accdeep.inspect.draw.picture_layout"
local picture = require "accdeep.inspect.draw.picture"
local step_recorder = require "accdeep.inspect.draw.step_recorder"
local scenario = require "accdeep.script.scenario"
local snapshot = require "accdeep.inspect.snapshot"
local svg = require "accdeep.inspect.draw.svg"
local trace = require "accdeep.inspect.trace"
local trace_steps = require "accdeep.inspect.draw.trace_steps"

local draw = {}

-- Suffixes of the files that can be written.
draw.formats = { dot = true, svg = true, html = true, png = true, pdf = true }
draw.SUFFIXES = ".html, .svg, .png, .pdf or .dot"

-- Returns the format of a file by its name, a key of draw.formats; nil for other suffixes.
function draw.format(name)
  local suffix = name:match "%.(%w+)$"
  return suffix and draw.formats[suffix] and suffix or nil
end

draw.fail_without_graphviz = picture_layout.fail_without_graphviz

-- Writes `text` to the file `name`. Raises an error with the code "file" if that fails.
function draw.write(name, text)
  local file, problem = io.open(name, "w")
  local ok = file and file:write(text)
  if file then ok = file:close() and ok end
  if not ok then
    error(diagnostic.new { code = "file", message = problem or name .. ": cannot be written", rule = "HOUSE-files" }, 0)
  end
end

-- Runs a scenario and returns its cases, as step_recorder.lua records them, and the result of scenario.run. `options`:
-- options of scenario.run, changed here. If a step is about objects that snapshot.lua has put in a group of similar
-- objects, the scenario runs again without output, and these objects are listed one by one.
function draw.scenario(path, text, options)
  local recorder = step_recorder.new()
  -- Runs the scenario with `recorder` as a further observer, and returns the result of scenario.run.
  local function run()
    local list = table.move(options.observers or {}, 1, #(options.observers or {}), 1, {})
    list[#list + 1] = recorder:observer()
    return scenario.run(path, text, setmetatable({ observers = list }, { __index = options }))
  end
  local result = run()
  local cases, listed_names = recorder:finish(result), {}
  for i, case in ipairs(cases) do listed_names[i] = case.hidden end
  if not next(listed_names) then return cases, result end
  recorder = step_recorder.new(listed_names)
  options.out, options.observers = function() end, nil
  return recorder:finish(run()), result
end

-- Returns the cases of a trace, and the source file that most of its steps name; nil if none does. path: file of the
-- trace, for messages; text: its contents. Raises if it is not a trace, or has no events. Lines of sources that cannot
-- be read are left out.
function draw.trace(path, text)
  local sources, count, best = {}, {}, nil
  local function source_line(file, number)
    if sources[file] == nil then
      local opened = io.open(file)
      sources[file] = opened and opened:read "a" or false
      if opened then opened:close() end
      if sources[file] then location.remember(file, sources[file]) end
    end
    local line = sources[file] and location.line(sources[file], number)
    return line and line:match "^%s*(.-)%s*$"
  end
  local cases = trace_steps(trace.read(path, text), source_line)
  if not cases[1].steps[1] then
    error(diagnostic.new { code = "file", rule = "HOUSE-files", message = path .. ": the trace has no events" }, 0)
  end
  for _, case in ipairs(cases) do
    for _, step in ipairs(case.steps) do
      local file = step.file or ""
      count[file] = (count[file] or 0) + 1
      if step.file and (not best or count[file] > count[best]) then best = file end
    end
  end
  return cases, best
end

-- Returns the number of the step of `case` that is drawn by default: the failed step, else the first of the steps with
-- the most present objects. The second result is the number of these objects.
function draw.usual(case)
  local best, most = 1, -1
  for i, step in ipairs(case.steps) do
    local objects = step.snapshot.count or #step.snapshot.present
    if objects > most then best, most = i, objects end
  end
  return case.failed_at or best, most
end

-- Returns the number of the case that is drawn by default, or at which a page opens: the first that fails, or has a
-- finding. Else it is the first one or, with `by_objects`, the first with the most objects in a step.
function draw.usual_case(cases, by_objects)
  local best, most = 1, -1
  for i, case in ipairs(cases) do
    if not case.ok or case.failed_at then return i end
    local _, objects = draw.usual(case)
    if by_objects and objects > most then best, most = i, objects end
  end
  return best
end

-- Returns step `number` of a case as the contents of a file of this format, other than "html". Raises if Graphviz is
-- missing, which only "dot" does not need. Formats other than "svg" are converted from it by the program rsvg-convert;
-- without it, Graphviz draws them.
function draw.step(case, number, format)
  local drawing = picture.all(case.steps)[number]
  if format == "dot" then return dot.text(drawing) end
  local document = svg.document(drawing, picture_layout.all({ drawing })[1])
  if format == "svg" then return document end
  return picture_layout.convert_svg(document, format) or picture_layout.run_graphviz(dot.text(drawing), format)
end

-- Returns a page of HTML with all cases. `path`: the scenario's file. `first_case`, `first_step`: numbers of the case
-- and the step at which the page opens. A nil case is the first one; a nil step is the first step with a line. Raises
-- if Graphviz is missing.
function draw.page(title, path, cases, first_case, first_step)
  local list = {}
  for i, case in ipairs(cases) do
    local pictures = picture.all(case.steps)
    list[i] = { record = case, pictures = pictures, layouts = picture_layout.all(pictures) }
  end
  return html(title, path, list, first_case, first_step)
end

-- Writes a picture of a session's current state to `file`, in the format of the file's suffix. Raises an error with the
-- code "file" for another suffix, if writing fails, or if Graphviz is needed and missing.
function draw.save(session, file)
  if not draw.format(file) then
    error(diagnostic.new { code = "file", message = ("'%s' does not end in %s"):format(file, draw.SUFFIXES),
      rule = "HOUSE-files" }, 0)
  end
  local title = file:match "[^/]*$"
  local step = { title = title, events = {}, moved = {}, snapshot = (snapshot.take(session)) }
  local case = { name = title, steps = { step }, dropped = 0, rules = session.rules.name }
  local format = draw.format(file)
  draw.write(file, format == "html" and draw.page(title, title, { case }) or draw.step(case, 1, format))
end

return draw
