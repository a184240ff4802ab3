-- explain.lua - prints a directive step by step: AST, lowered text, canonical nest, items, and events of its plan. A
-- plan is the construct IR of a directive; an item is an operation of a plan on one object. A member mapping says what
-- a clause does with each member of a type (sema/members/nest.lua). A nest is the text form of a member mapping.
-- tools/cli/explain.lua uses explain.new, tools/cli/run.lua uses explain.steps; both functions return observers
-- (base/observers.lua).

local ast = require "accdeep.base.ast"
local core = require "accdeep.core"
local ir_text = require "accdeep.lowering.ir_text"
local location = require "accdeep.base.location"
local nest = require "accdeep.sema.members.nest"
local unparse_openmp = require "accdeep.syntax.unparse_openmp"
local report = require "accdeep.base.report"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local explain = {}

-- ---------------------------------------------------------------------------------- the tree --

-- Kinds of nodes whose tag is not printed after the name of their field.
local is_plain = { name = true, shape = true }

-- Appends the AST `node` and its children to the list `out`, one line per node, indented by the blanks `margin`.
-- `label`: name of the field that holds the node, or nil for an element of a list.
local function format_tree(node, margin, label, out)
  local parts = { label and label .. ":" or nil }
  if not (label and is_plain[node.tag]) then parts[#parts + 1] = node.tag end
  local detail = node.name or node.value or node.op or node.word
  if type(detail) ~= "table" and detail then parts[#parts + 1] = tostring(detail) end
  if node.arrow or node.global then parts[#parts + 1] = node.arrow and "(->)" or "(::)" end
  out[#out + 1] = margin .. table.concat(parts, " ")
  for key, child in ast.children(node) do
    if child.tag then
      format_tree(child, margin .. "  ", key, out)
    else
      for _, item in ipairs(child) do format_tree(item, margin .. "  ", nil, out) end
    end
  end
end

-- Limit of columns in a line of a directive's text.
local WIDTH = 100

-- Returns a list of the words of a directive's text. Blanks inside parentheses, brackets and braces do not separate
-- words.
local function split_words(text)
  local words, depth, from = {}, 0, 1
  for at, c in text:gmatch "()([][(){} ])" do
    if c == " " and depth == 0 then
      words[#words + 1], from = text:sub(from, at - 1), at + 1
    elseif c ~= " " then
      depth = depth + (c:find "[%[({]" and 1 or -1)
    end
  end
  words[#words + 1] = text:sub(from)
  return words
end

-- Appends words to `out` in lines of at most WIDTH columns that begin with the blanks `margin`. A nest that does not
-- fit is broken: its clauses get separate, further indented lines. A long list is broken after commas.
local function add_words(words, margin, out)
  local line -- the line that words are added to; nil if it has not been begun
  local function close() -- appends the line to `out`
    if line then out[#out + 1] = line end
    line = nil
  end
  for _, word in ipairs(words) do
    local head, inner = word:match "^(.-::{) (.*) }$"
    if line and #line + 1 + #word <= WIDTH then
      line = line .. " " .. word
    elseif #margin + #word <= WIDTH or not head and not word:find ", " then
      close()
      line = margin .. word
    elseif head then
      if #out > 0 or not line then close() end -- the directive's name stays in one line with its first clause
      out[#out + 1] = line and line .. " " .. head or margin .. head
      add_words(split_words(inner), margin .. "  ", out)
      out[#out + 1], line = margin .. "}", nil
    else -- a word that is no nest but a long list: it is broken after commas
      for part in (word .. ", "):gmatch "(.-, )" do
        local text = line and line .. part
        if not text or #text > WIDTH then
          close()
          text = margin .. part
        end
        line = text
      end
      line = line:gsub(", $", "")
      close()
    end
  end
  close()
end

-- Appends the text of a directive to the list of lines `out`, wrapped if it is longer than a line.
local function add_text(text, out)
  if #text + 2 <= WIDTH then
    out[#out + 1] = "  " .. text
  else
    local lines = {}
    add_words(split_words(text), "    ", lines)
    lines[1] = lines[1]:sub(3)
    table.move(lines, 1, #lines, #out + 1, out)
  end
end

-- Returns the directive of a plan as text, in the language of the plan.
function explain.format_directive(plan)
  local node = plan.node
  return plan.openmp and unparse_openmp.directive(node) or unparse.directive(node.name, node.argument, node.clauses)
end

-- ------------------------------------------------------------------------- the canonical nest --

local canonical -- forward declaration: inner_text and canonical call each other

-- Returns true if a member mapping (what a clause does with each member of a type, sema/members/nest.lua) is trivial:
-- it maps plain data, with nothing to print about any member. Such a mapping is written without a nest.
local function is_trivial(session, member_mapping)
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    if not entry.include or entry.subscripts or entry.init or entry.action or entry.invoke then return false end
    local t = entry.member.type
    while t.kind == "array" do t = t.of end
    if types.is_record(t) and not is_trivial(session, nest.inner(session, member_mapping, entry)) then return false end
  end
  return true
end

-- Returns the member of `entry` with its sections as text. `entry`: an entry of nest.entries for `member_mapping`.
local function member_text(member_mapping, entry)
  local parts = { entry.member.name }
  local scope = entry.outer and member_mapping.policy.scope or nil
  for _, s in ipairs(entry.subscripts or {}) do parts[#parts + 1] = unparse.section(s, scope) end
  return table.concat(parts)
end

-- Returns true if a member mapping cannot be written as a nest. Such a mapping has values for parameters of shapes or
-- policies, or members that are copied in one direction only (`limited`).
local function is_special(session, member_mapping)
  for _, values in pairs(member_mapping.bound or {}) do
    if values and next(values) then return true end
  end
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    if entry.limited then return true end
  end
  return false
end

-- Returns the mapping of the objects of `entry`, an entry of nest.entries, as a nest with braces. Returns "" if the
-- objects are no complete structures, if the member is a pointer without a section or with `@`, or if the mapping is
-- trivial or special. Also returns "" for a mapping in `enclosing`, the set of the member mappings around this one:
-- the type is recursive, and its default shape covers the rest.
local function inner_text(session, member_mapping, entry, enclosing)
  local t = entry.member.type
  local target_type = types.innermost(t)
  while t.kind == "array" do t = t.of end
  if not types.is_record(target_type) or not target_type.complete then return "" end
  if t.kind == "pointer" and not (entry.subscripts and entry.subscripts[1].tag ~= "alias") then return "" end
  local inner = nest.inner(session, member_mapping, entry)
  if enclosing[inner] or is_special(session, inner) or is_trivial(session, inner) then return "" end
  return canonical(session, inner, enclosing)
end

-- Returns a member mapping as a complete nest: "::{ ... }". `enclosing`: set of the enclosing member mappings, or nil.
function canonical(session, member_mapping, enclosing)
  enclosing = setmetatable({ [member_mapping] = true }, { __index = enclosing })
  local groups, by_key = {}, {}
  -- Adds the member `text` to the last group of its clause, or to a new group if the member has the nest `inner`.
  local function add(clause, text, inner)
    local key = inner == "" and clause or #groups + 1
    local group = by_key[key]
    if not group then
      group = { clause = clause, inner = inner }
      groups[#groups + 1], by_key[key] = group, group
    end
    group[#group + 1] = text
  end
  local policy = member_mapping.policy
  local own = policy and (member_mapping.bare and "exclude" or member_mapping.update and "update" or member_mapping.own)
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    local text, inner = member_text(member_mapping, entry), entry.include
      and inner_text(session, member_mapping, entry, enclosing)
    if not entry.include then
      if own ~= "exclude" then add("exclude", entry.member.name, "") end
    elseif entry.invoke then
      add("invoke", text, inner == "" and "::{ default(exclude) }" or inner)
    elseif policy then
      local action = entry.requested_action or (member_mapping.update and "update") or own
      -- The nest builds on the default shape: an entry that this shape implies is not printed.
      local is_implied = action == own and not entry.named and not entry.subscripts and inner == ""
        and (#member_mapping.layers < 2 or entry.init)
      if not is_implied then add(action, text, inner) end
    elseif entry.init or entry.subscripts or inner ~= "" then
      add(entry.init and "init_needed" or "include", text, inner)
    end
  end
  local parts = {}
  if own then parts[1] = ("default(%s)"):format(own) end
  for _, group in ipairs(groups) do
    local bare = group.inner == "" or group.clause == "invoke" and group.inner
    local brackets = (group.clause == "invoke" or not bare) and "<>" or ""
    parts[#parts + 1] = ("%s%s(%s)%s"):format(group.clause, brackets, table.concat(group, ", "), group.inner)
  end
  if #parts == 0 then parts[1] = "default(include)" end
  return ("::{ %s }"):format(table.concat(parts, " "))
end

-- Returns a plan's directive as text with every shape and policy written as a nest (TR14-3.3-17). Clauses without
-- member mappings are written as in the directive.
function explain.canonical(session, plan)
  local parts = { plan.node.name }
  for _, clause in ipairs(plan.clauses) do
    local grouped = {}
    for _, item in ipairs(plan.items) do
      if item.clause == clause and item.member_mapping and not is_trivial(session, item.member_mapping)
        and not is_special(session, item.member_mapping) then
        grouped[item.node] = { text = canonical(session, item.member_mapping), policy = item.member_mapping.policy }
      end
    end
    -- Appends a copy of the clause that has only the list `variables`. `inner`: {text, policy} of the nest that
    -- replaces the shape or policy of the variable, or nil.
    local function isolate_clause(variables, inner)
      local isolated_clause = setmetatable({ vars = variables, nest = not inner and clause.nest or false,
        name = inner and inner.policy and "invoke" or clause.name,
        shape = inner and { pos = clause.pos } or clause.shape or false }, { __index = clause })
      parts[#parts + 1] = unparse.clause(isolated_clause) .. (inner and inner.text or "")
    end
    if next(grouped) then
      for _, variable in ipairs(clause.vars) do isolate_clause({ variable }, grouped[variable]) end
    else
      parts[#parts + 1] = unparse.clause(clause)
    end
  end
  return table.concat(parts, " ")
end

-- ------------------------------------------------------------------------------- items and plan --

-- Names of actions by code.
local actions = {}
for name, code in pairs(core.action) do actions[code] = name end

-- Appends the items of a plan, one line per operation on an object, to the list of lines `out`.
local function format_items(plan, out)
  for i, item in ipairs(plan.items) do
    local flags = {}
    for _, name in ipairs { "if_present", "present_or", "copy_absent", "update_present", "always_in",
      "always_out", "require_present", "finalize", "zero" } do
      if item.flags & core.flag[name] ~= 0 then flags[#flags + 1] = name end
    end
    -- the action hold allocates an object without moving it; its items always have the flag present_or, which is
    -- therefore not printed
    local stored = actions[item.action] == "hold"
    out[#out + 1] = ("  %d  %s %s%s%s"):format(i, stored and "storage of" or actions[item.action],
      item.name or "a pointer", item.program and (stored and ", moves of its members" or ", and its members") or "",
      not stored and #flags > 0 and ", " .. table.concat(flags, ", ") or "")
  end
end

-- Appends a list of texts after the text `head` to `out`, in lines of at most 100 columns.
local function add_list(head, list, out)
  local row, margin = head, (" "):rep(#head)
  for i, item in ipairs(list) do
    if #row + #item > 98 and row ~= margin and row ~= head then
      out[#out + 1] = row:gsub(" $", "")
      row = margin
    end
    row = row .. item .. (i < #list and ", " or "")
  end
  out[#out + 1] = row:gsub(" *$", "", 1)
end

-- Appends lines about events to `out`, or the line "nothing" for an empty list; consecutive events of one kind share a
-- line. `max_names`: limit of names of consecutive events of one kind; nil: no limit.
function explain.add_events(events, out, max_names)
  local op, names, n -- kind, shown names and number of the consecutive events; op nil: no event so far
  local function close() -- appends their lines to `out`
    if not op then return end
    local more = n > #names and ("and %d more"):format(n - #names) or nil
    names[#names + 1] = more
    add_list(("  %-7s "):format(op), names, out)
  end
  for _, event in ipairs(events) do
    if event.op ~= op then
      close()
      op, names, n = event.op, {}, 0
    end
    n = n + 1
    if n <= (max_names or math.huge) then
      names[n] = event.name .. (event.bytes > 0 and event.op ~= "attach" and event.op ~= "detach"
        and (" (%d)"):format(event.bytes) or "")
    end
  end
  close()
  if not op then out[#out + 1] = "  nothing" end
end

-- Returns an observer that writes each construct, its body and its events as text. `write`: a function of text.
function explain.steps(write)
  local is_body_awaited = false -- true after a construct whose body has not been reported
  return {
    construct = function(session, plan, ends)
      local source_location = plan.location
      local text = explain.format_directive(plan)
      write(("%s:%d: %s\n"):format(source_location.file or "?", source_location.line or 0,
        ends and "end of " .. text or text))
      local callers = not ends and location.callers(source_location.file, source_location.line)
      if callers then write(("  called from %s\n"):format(location.callers_text(callers))) end
      local events = {}
      session:collect_into(function(event) events[#events + 1] = event end)
      return function(err)
        session:stop_collecting()
        local out = {}
        if err then out[1] = "  fails, nothing is changed" else explain.add_events(events, out) end
        write(table.concat(out, "\n") .. "\n")
        is_body_awaited = true
      end
    end,
    body = function(_, description)
      if is_body_awaited then write(("  body    %s\n"):format(description)) end
      is_body_awaited = false
    end,
  }
end

-- Appends an OpenACC directive to the list of lines `out`: in lowered form, if that differs from the directive, and in
-- canonical form.
local function add_nests(session, plan, out)
  if plan.clauses ~= plan.node.clauses then
    out[#out + 1] = "lowered: members as nests"
    add_text(unparse.directive(plan.node.name, nil, plan.clauses), out)
  end
  out[#out + 1] = "canonical: shapes and policies as nests"
  add_text(explain.canonical(session, plan), out)
end

-- Returns true if the text of a directive at `source_location`, {file, line, text}, covers the line `line` of a file.
function explain.covers_line(source_location, file, line)
  local _, line_feeds = (source_location.text or ""):gsub("\n", "")
  local first = source_location.line
  return source_location.file == file and first ~= nil and first <= line and line <= first + line_feeds
end

-- Kinds of plans that have an end with events of its own.
local regions = { region = true, compute = true }

-- Returns an observer, and a function that returns true if the observer found a construct. The observer writes the
-- first construct for which is_selected(plan.location) is true, and the end of that construct if it is a region.
-- `write`: a function of text. only_ir: true to write only the construct IR.
function explain.new(write, is_selected, only_ir)
  local selected_plan, is_ended, is_body_awaited
  -- Hook `construct`: collects the text of the selected construct, and returns a function that writes it with the
  -- events. Returns nil for other constructs.
  local function on_construct(session, plan, ends)
    local out = {}
    if ends then
      if is_ended or only_ir or plan ~= selected_plan then return nil end
      is_ended = true
    else
      if selected_plan or not is_selected(plan.location) then return nil end
      selected_plan = plan
      if only_ir then
        write((ir_text.write(plan, { variable = ir_text.variables_of(session), has_place = true,
          call = function(symbol) return symbol.name end })))
        return nil
      end
      local as_written = plan.node.written
      out[1] = "directive"
      add_text(as_written and unparse_openmp.directive(as_written) or explain.format_directive(plan), out)
      if as_written then
        out[#out + 1] = "in effect: clauses of groups"
        add_text(explain.format_directive(plan), out)
      end
      out[#out + 1] = "tree"
      format_tree(plan.node, "  ", nil, out)
      if not plan.openmp then add_nests(session, plan, out) end
      out[#out + 1] = "items"
      format_items(plan, out)
    end
    local events = {}
    session:collect_into(function(event) events[#events + 1] = event end)
    return function(err)
      session:stop_collecting()
      out[#out + 1] = ends and "plan at the end" or regions[plan.kind] and "plan at entry" or "plan"
      if err then
        out[#out + 1] = "  fails, nothing is changed:"
        out[#out + 1] = (report.error(err):gsub("\n$", ""):gsub("[^\n]+", "  %0"))
      else
        explain.add_events(events, out)
      end
      write(table.concat(out, "\n") .. "\n")
      is_body_awaited = not err and not ends
    end
  end
  -- Hook `body`: writes the description of the body that runs after the selected construct.
  local function body(_, description)
    if is_body_awaited then write(("body\n  %s\n"):format(description)) end
    is_body_awaited = false
  end
  return { construct = on_construct, body = body }, function() return selected_plan ~= nil end
end

return explain
