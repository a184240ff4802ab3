-- html.lua - writes all steps of a scenario as one self-contained HTML page.
--
-- The page's data are JSON in the page; page.js shows them. Steps share parts of pictures and tables. Each picture has
-- two arrangements, with the device beside the host or below it; the script takes the one for which the window has
-- room. The step at which the page opens is also HTML, for readers without JavaScript. Input: cases of
-- step_recorder.lua with pictures (picture.lua) and layouts (picture_layout.lua). A snapshot (snapshot.lua) is the
-- state of host and device after a step. Tables call an object as the picture does.

local rules = require "accdeep.definitions.rules"
local json = require "dkjson"
local location = require "accdeep.base.location"
local picture = require "accdeep.inspect.draw.picture"
local picture_style = require "accdeep.inspect.draw.picture_style"
local svg = require "accdeep.inspect.draw.svg"
local text_file = require "accdeep.base.text_file"

local ROWS = 100 -- limit of the rows of a table and of the parts of a level

local KEYS = {
  "name", "title", "file", "version", "sources", "source", "rules", "legend", "parts", "tables", "cases", "ok",
  "dropped", "opens", "back", "host", "device", "over", "wide", "stacked", "width", "height", "marks", "steps",
  "line", "last", "callers", "left_out", "events", "rows", "more", "error", "code", "message", "rule", "help",
  "snippet", "lines", "from", "to", "head", "present", "present_more", "attached", "attached_more", "levels", "start",
  "case", "step"
}

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
  return { title = clean(level.kind) .. (level.at and ", " .. clean(level.at:match "[^/]*$") or ""), parts = parts }
end

-- Returns a function that maps the name of an object or pointer to its name in pictures. `titles`: name of an object ->
-- its name in pictures, where they differ.
local function renamer(titles)
  local names = {}
  return function(name)
    if titles[name] then return titles[name] end
    if not names[name] then
      local found = name
      for at in name:gmatch "()%[0%]%." do -- the longest object of one element that contains the pointer
        local title = titles[name:sub(1, at - 1) .. "[0:1]"]
        if title then found = title:gsub("^%*", "") .. "->" .. name:sub(at + 4) end
      end
      names[name] = found
    end
    return names[name]
  end
end

-- Returns the tables of the snapshot `shot` for the page: present objects, attached pointers and levels, and the
-- numbers of omitted rows. rename: result of renamer.
local function tables_of(shot, rename)
  local tables = { levels = {}, head = { "object", "bytes", "structured", "dynamic" } }
  local is_shared = false
  for _, object in ipairs(shot.present) do is_shared = is_shared or object.state == "ALIAS" end
  if shot.is_openmp then tables.head = { "object", "bytes", "count" } end
  if is_shared then table.insert(tables.head, "memory") end
  tables.present, tables.present_more = rows(shot.present, function(object)
    local row = { clean(rename(object.name)), object.bytes, object.structured, object.dynamic }
    if shot.is_openmp then
      row[3], row[4] = object.dynamic == "infinite" and "infinite" or object.structured + object.dynamic, nil
    end
    if is_shared then row[#row + 1] = object.state == "ALIAS" and "part of a block" or "its own" end
    return row
  end)
  tables.attached, tables.attached_more = rows(shot.attached, function(attached)
    local target = attached.gone and "(gone)" or clean(rename(attached.target))
    return { clean(rename(attached.name)), target, attached.count }
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
  if snippet_text and snippet_text:match "^%s*(.-)%s*$" == title then snippet_text = nil end -- the title has it
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

-- Returns an arrangement of a picture for the page: its size, the origins {x, y} of both sides, and its parts that
-- differ from those of the other arrangement. part: function of new_numbering. layout: the positions.
local function arrangement_of(parts, layout, part)
  local out = { width = math.ceil(layout.width), height = math.ceil(layout.height), back = {}, over = {} }
  for _, side in ipairs { "host", "device" } do
    local origin = layout.sides[side].origin
    out[side] = { math.floor(origin.x), math.floor(origin.y) }
  end
  for i, text in ipairs(parts.back) do out.back[i] = part(text) end
  for i, text in ipairs(parts.over) do out.over[i] = part(text) end
  return out
end

-- Adds to the step `out` of the page its picture in both arrangements. `part`: function of new_numbering.
local function add_picture(out, drawing, layout, part)
  local parts = svg.render_parts(drawing, layout.wide)
  for _, side in ipairs { "host", "device" } do
    out[side] = {}
    for i, text in ipairs(parts[side]) do out[side][i] = part(text) end
  end
  out.wide = arrangement_of(parts, layout.wide, part)
  out.stacked = arrangement_of(svg.render_parts(drawing, layout.stacked), layout.stacked, part)
  local marks = picture.marks(drawing)
  out.marks = {}
  for i, mark in ipairs(picture.LEGEND) do
    if marks[mark[1]] then table.insert(out.marks, i - 1) end
  end
end

-- Returns the step `step` (step_recorder.lua) for the page. `drawing`: its picture. `layout`: the positions in the
-- picture. source_number(file): number of the source, from 0, in which a line is marked; nil if it is not known.
-- `part`, `share_table`: functions of new_numbering for texts and tables that steps share. `cited`: a set to which the
-- ids of cited rules are added. rename: result of renamer.
local function step_of(step, drawing, layout, source_number, part, share_table, cited, rename)
  local out = { title = clean(step.title) }
  add_picture(out, drawing, layout, part)
  local tables = tables_of(step.snapshot, rename)
  out.tables = share_table(json.encode(tables, { keyorder = KEYS }), tables)
  if #drawing.left_out > 0 then out.left_out = clean(table.concat(drawing.left_out, ", ")) end
  out.events = { rows = {} }
  out.events.rows, out.events.more = rows(step.events, function(event)
    if event.rule then cited[event.rule] = true end
    return { event.op, clean(rename(event.name)), event.bytes, event.rule or "" }
  end)
  if step.error then
    out.error = error_of(step.error, out.title)
    if step.error.rule then cited[step.error.rule] = true end
  end
  local err = step.error
  if err and err.line then out.source = source_number(err.file) end
  if out.source then
    out.line, out.last = err.line, err.line
  elseif step.line then
    out.source = source_number(step.file)
    -- blanks around the directive stand for the enclosing text
    local _, more = (not step.ends and step.text or ""):match "^%s*(.-)%s*$":gsub("\n", "")
    if out.source then out.line, out.last = step.line, step.line + more end
    out.callers = out.line and step.callers and clean(location.callers_text(step.callers)) or nil
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

-- Returns the HTML of the error of a step; "" if it has none.
local function error_html(err)
  if not err then return "" end
  local parts = { ("<strong>%s[%s]</strong> %s"):format(svg.escape(err.level or "error"), svg.escape(err.code),
    svg.escape(err.message)) }
  if err.snippet then parts[#parts + 1] = ("<pre>%s</pre>"):format(svg.escape(err.snippet)) end
  for _, line in ipairs(err.lines) do parts[#parts + 1] = ("<div>%s</div>"):format(svg.escape(line)) end
  if err.help then parts[#parts + 1] = ("<div>help: %s</div>"):format(svg.escape(err.help)) end
  return table.concat(parts)
end

-- Returns the HTML of the lines of the source; lines `first` to `last` are marked. is_wrong: true for a step that
-- fails.
local function source_html(lines, first, last, is_wrong)
  local list = {}
  for i, line in ipairs(lines) do
    local is_here = first and i >= first and i <= last
    list[i] = ("<li%s>%s</li>"):format(is_here and (' class="now%s"'):format(is_wrong and " wrong" or "") or "",
      line == "" and " " or svg.escape(line))
  end
  return table.concat(list)
end

-- Returns a list of sources {name, lines}, at first with that of `file`, and a function that returns the number of the
-- source of a file, from 0. It adds the source if it is known, and returns nil otherwise.
local function new_sources(file)
  local list, numbers = { { name = clean(file:match "[^/]*$"), lines = lines_of(location.source(file) or "") } },
    { [file] = 0 }
  return list, function(name)
    local text = name and not numbers[name] and location.source(name)
    if text then
      list[#list + 1] = { name = clean(name:match "[^/]*$"), lines = lines_of(text) }
      numbers[name] = #list - 1
    end
    return numbers[name or ""]
  end
end

-- Returns the values of the page's template for the step at which it opens, `step`; `case`: {record, pictures,
-- layouts}, number: of the step. source: {name, lines}, that of the step.
local function opening_values(step, case, number, source)
  local layout, lines = case.layouts[number], source.lines
  local place = step.line and ("%s:%d"):format(source.name, step.line) or ""
  return { directive = svg.escape(step.title), place = svg.escape(place), error = error_html(step.error),
    error_state = step.error and "" or "hidden", picture = svg.picture(case.pictures[number], layout),
    view_box = ("0 0 %d %d"):format(math.ceil(layout.width), math.ceil(layout.height)),
    picture_width = ("%d"):format(math.ceil(layout.width)),
    source = source_html(lines, step.line, step.last, step.error) }
end

-- Returns the number of the step at which a case opens: the failed one, else the first one with a line.
local function opening_step(case_record, steps)
  if case_record.failed_at then return case_record.failed_at end
  for i, step in ipairs(steps) do
    if step.line then return i end
  end
  return 1
end

-- Returns the page of a scenario as a text of HTML. `cases`: a list of {record, pictures, layouts}: a case of
-- step_recorder.lua, its pictures and their layouts. `first_case`, `first_step`: numbers of the case and the step at
-- which the page opens. A nil case is the first one; a nil step is the failed one, or the first step with a line.
return function(title, file, cases, first_case, first_step)
  local parts, part = new_numbering()
  local tables, share_table = new_numbering()
  local sources, source_number = new_sources(file)
  local cited, list = {}, {}
  for i, case in ipairs(cases) do
    local rules_name = case.record.rules or ""
    if type(rules_name) ~= "string" then rules_name = "its own" end
    local case_record = { name = clean(case.record.name or file), ok = case.record.ok ~= false,
      dropped = case.record.dropped, steps = {}, rules = rules_name }
    local titles = {}
    local rename = renamer(titles)
    for n, step in ipairs(case.record.steps) do
      for name, in_picture in pairs(step.snapshot.titles or {}) do titles[name] = in_picture end
      case_record.steps[n] = step_of(step, case.pictures[n], case.layouts[n], source_number, part, share_table, cited,
        rename)
    end
    case_record.opens = opening_step(case.record, case_record.steps) - 1
    list[i] = case_record
  end
  local order = table.move(KEYS, 1, #KEYS, 1, {})
  local texts = rule_texts(cited)
  for id in pairs(texts) do order[#order + 1] = id end
  table.sort(order)
  local start = { case = (first_case or 1) - 1 }
  start.step = first_step and first_step - 1 or list[start.case + 1].opens
  local name = sources[1].name
  local data = json.encode({ sources = sources, legend = picture.LEGEND,
    rules = next(texts) and texts or json.null, parts = parts, tables = tables, cases = list, start = start },
    { keyorder = order })
  local opening = list[start.case + 1].steps[start.step + 1]
  local values = opening_values(opening, cases[start.case + 1], start.step + 1, sources[(opening.source or 0) + 1])
  values.title, values.file = svg.escape(title == file and name or title), title == file and "" or svg.escape(name)
  values.style, values.script, values.data = picture_style.page, script, data:gsub("<", "\\u003c")
  return (page:gsub("%%%(([%a_]+)%)", values))
end
