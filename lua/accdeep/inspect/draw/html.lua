-- html.lua - writes all steps of a scenario as one self-contained HTML page.
--
-- The page's data are JSON in the page; page.js shows them. Steps share parts of pictures and tables. Input:
-- cases of step_recorder.lua with pictures (picture.lua) and layouts (picture_layout.lua). A snapshot (snapshot.lua) is
-- the state of host and device after a step.

local rules = require "accdeep.definitions.rules"
local json = require "dkjson"
local location = require "accdeep.base.location"
local picture_style = require "accdeep.inspect.draw.picture_style"
local svg = require "accdeep.inspect.draw.svg"
local text_file = require "accdeep.base.text_file"

local ROWS = 100 -- limit of the rows of a table and of the parts of a level

local KEYS = { "name", "title", "file", "version", "source", "rules", "parts", "tables", "cases", "ok", "dropped",
  "width", "height", "steps", "line", "last", "callers", "left_out", "events", "rows", "more", "error", "code",
  "message", "rule", "help", "snippet", "lines", "from", "to", "present", "present_more",
  "attached", "attached_more", "levels", "start", "case", "step" }

local clean = require "accdeep.base.strings".to_utf8

-- Returns an empty list, and a function (text, value) that numbers texts. If the text is new, the function appends
-- `value` (nil: the text) to the list. The function returns the index of the text's entry, from 0, as JavaScript
-- counts.
local function new_numbering()
  local list, numbers = {}, {}
  return list, function(text, value)
    if not numbers[text] then
      list[#list + 1] = value or text
      numbers[text] = #list - 1
    end
    return numbers[text]
  end
end

-- ----------------------------------------------------------------------------------------- tables --

-- Returns the list of row(item) for the first ROWS items of `list`, and the number of omitted items; nil instead of 0.
local function rows(list, row)
  local out = {}
  for i, item in ipairs(list) do
    if i > ROWS then return out, #list - ROWS end
    out[i] = row(item)
  end
  return out, nil
end

-- Returns a level of a snapshot (an open data region) for the page's table, as {title, parts}. `parts`: texts of the
-- level's clauses and of its tuples (entries of the directory, the present table with fusion). After ROWS parts, a text
-- with the number of omitted parts follows.
local function level_of(level)
  local parts = {}
  for _, clause in ipairs(level.clauses) do
    parts[#parts + 1] = ("%s(%s)"):format(clause.state, clean(clause.name or "?"))
  end
  for _, tuple in ipairs(level.tuples or {}) do
    parts[#parts + 1] = ("%s %s, %d bytes%s"):format(tuple.state, clean(tuple.name), tuple.bytes,
      tuple.ancestors and tuple.ancestors[2] and " of " .. table.concat(tuple.ancestors, " ") or "")
  end
  if level.dynamic then
    for _, clause in ipairs(level.dynamic) do
      parts[#parts + 1] = ("enter data %s(%s)"):format(clause.state, clean(clause.name or "?"))
    end
    for _, tuple in ipairs(level.floor) do
      parts[#parts + 1] = ("%s %s, %d bytes"):format(tuple.state, clean(tuple.name), tuple.bytes)
    end
  end
  local more = #parts - ROWS
  if more > 0 then
    parts = table.move(parts, 1, ROWS, 1, {})
    parts[ROWS + 1] = ("and %d more"):format(more)
  end
  return { title = clean(level.kind) .. (level.at and ", " .. clean(level.at) or ""), parts = parts }
end

-- Returns the tables of the snapshot `shot` for the page: present objects, attached pointers and levels, and the
-- numbers of omitted rows.
local function tables_of(shot)
  local tables = { levels = {} }
  tables.present, tables.present_more = rows(shot.present, function(object)
    return { clean(object.name), object.bytes, object.structured, object.dynamic, object.state }
  end)
  tables.attached, tables.attached_more = rows(shot.attached, function(attached)
    return { clean(attached.name), attached.gone and "(gone)" or clean(attached.target), attached.count }
  end)
  for i, level in ipairs(shot.levels) do tables.levels[i] = level_of(level) end
  return tables
end

-- ------------------------------------------------------------------------------------------ steps --

-- Returns the source line of an error with carets below the marked word, as in reports, and the marked word. Returns
-- only the line if the error has no column in this line, and nil if it has no source line.
local function snippet(err)
  local text, at = err.snippet, err.snippet_column
  if not text or not text:find "%S" then return nil end
  local line = clean(text:gsub("[%c\127]", function(c) return c == "\t" and c or "?" end))
  if not at or at > #text + 1 then return line end
  local word = text:match("^[%w_]+", at) or " "
  return ("%s\n%s^%s"):format(line, text:sub(1, at - 1):gsub("[^\t]", " "),
    ("~"):rep(math.max(1, math.min(err.length or #word, #text - at + 1)) - 1)), word
end

-- Returns the error `err` (a result of report.to_plain_data) as a table for the page's data. `title`: the text of the
-- step, in which the word that the error is about is marked by the offsets `from` and `to`.
local function error_of(err, title)
  local snippet_text, word = snippet(err)
  local fields = { level = err.level, code = err.code, message = clean(err.message), rule = err.rule,
    help = err.help and clean(err.help), snippet = snippet_text, lines = {} }
  for _, key in ipairs { "wanted", "found" } do
    if err[key] then table.insert(fields.lines, ("%s: %s"):format(key, clean(err[key]))) end
  end
  if err.callers then table.insert(fields.lines, "called from: " .. clean(location.callers_text(err.callers))) end
  for _, note in ipairs(err.notes or {}) do table.insert(fields.lines, "note: " .. clean(note)) end
  -- Position in the title of the word that the error is about. It is omitted if the title is not ASCII, because
  -- JavaScript counts other characters differently.
  local from = word and word:find "%w" and title:find("%f[%w_]" .. word:gsub("%p", "%%%0") .. "%f[^%w_]")
  if from and title == clean(title) and not title:find "[\128-\255]" then
    fields.from, fields.to = from - 1, from - 1 + (err.length and math.max(err.length, #word) or #word)
  end
  return fields
end

-- Returns the step `step` (step_recorder.lua) for the page. `drawing`: its picture. `layout`: the positions in the
-- picture. `file`: the scenario's file, in which a line is marked. `part`, `share_table`: functions of new_numbering
-- for texts and tables that steps share. `cited`: a set to which the ids of cited rules are added.
local function step_of(step, drawing, layout, file, part, share_table, cited)
  local out = { title = clean(step.title), parts = {}, width = math.ceil(layout.width),
    height = math.ceil(layout.height) }
  for i, text in ipairs(svg.render_parts(drawing, layout)) do out.parts[i] = part(text) end
  local tables = tables_of(step.snapshot)
  out.tables = share_table(json.encode(tables, { keyorder = KEYS }), tables)
  if #drawing.left_out > 0 then out.left_out = clean(table.concat(drawing.left_out, ", ")) end
  out.events = { rows = {} }
  out.events.rows, out.events.more = rows(step.events, function(event)
    if event.rule then cited[event.rule] = true end
    return { event.op, clean(event.name), event.bytes, event.rule or "" }
  end)
  if step.error then
    out.error = error_of(step.error, out.title)
    if step.error.rule then cited[step.error.rule] = true end
  end
  local err = step.error
  if err and err.file == file and err.line then
    out.line, out.last = err.line, err.line
  elseif step.file == file and step.line then
    local _, more = (not step.ends and step.text or ""):gsub("\n", "")
    out.line, out.last = step.line, step.line + more
    out.callers = step.callers and clean(location.callers_text(step.callers))
  end
  return out
end

-- ------------------------------------------------------------------------------------------- page --

local page = text_file.read "inspect/draw/page.html" -- %(name) stands for a value
local script = text_file.read "inspect/draw/page.js"

-- Returns a list of the lines of a text, without control characters.
local function lines_of(text)
  local list = {}
  for line in (text:gsub("\n$", "") .. "\n"):gmatch "(.-)\r?\n" do
    list[#list + 1] = clean(line):gsub("[%z\1-\8\11-\31]", "?")
  end
  return list
end

-- Returns a table from rule id to the title and text of the rule. `ids`: ids as keys; unknown ids are omitted.
local function rule_texts(ids)
  local texts = {}
  for id in pairs(ids) do
    local rule = rules.has(id) and rules.ids[id]
    texts[id] = rule and ("%s. %s"):format(rule.title, rule.text) or nil
  end
  return texts
end

-- Returns the page of a scenario as a text of HTML. `cases`: a list of {record, pictures, layouts}: a case of
-- step_recorder.lua, its pictures and their layouts. `first_case`, `first_step`: numbers of the case and the step at
-- which the page opens. A nil case is the first one; a nil step is the first step with a line.
return function(title, file, cases, first_case, first_step)
  local parts, part = new_numbering()
  local tables, share_table = new_numbering()
  local cited, list = {}, {}
  for i, case in ipairs(cases) do
    local case_record = { name = clean(case.record.name or file), ok = case.record.ok ~= false,
      dropped = case.record.dropped, steps = {},
      rules = type(case.record.rules) == "string" and case.record.rules or "its own" }
    for n, step in ipairs(case.record.steps) do
      case_record.steps[n] = step_of(step, case.pictures[n], case.layouts[n], file, part, share_table, cited)
    end
    list[i] = case_record
  end
  local order = table.move(KEYS, 1, #KEYS, 1, {})
  local texts = rule_texts(cited)
  for id in pairs(texts) do order[#order + 1] = id end
  table.sort(order)
  local data = json.encode({ name = clean(file:match "[^/]*$"), source = lines_of(location.source(file) or ""),
    rules = next(texts) and texts or json.null, parts = parts, tables = tables, cases = list,
    start = { case = (first_case or 1) - 1, step = (first_step or 0) - 1 } }, { keyorder = order })
  local values = { title = svg.escape(title), file = svg.escape(file), legend = svg.escape(svg.legend),
    style = picture_style.page, script = script, data = data:gsub("<", "\\u003c") }
  return (page:gsub("%%%((%a+)%)", values))
end
