-- shape.lua - the shape directive (TR14 3.1): which members take part, and how far pointers reach.
--
-- A session keeps a type's shapes, the default one under true. A shape is {name, default,
-- members = {name -> {mode = "include"|"exclude", init, shape, subscripts, pos}}, text, place}.

local diagnostic = require "accdeep.diagnostic"
local types = require "accdeep.types"

local raise = diagnostic.raise

local shape = {}

local data_clauses = {}
for name in ([[copy copyin copyout create no_create present deviceptr delete attach detach
    present_or_copy present_or_copyin present_or_copyout present_or_create pcopy pcopyin pcopyout
    pcreate self host device private firstprivate if update]]):gmatch "%S+" do
  data_clauses[name] = true
end

local own_clauses = { type = true, include = true, exclude = true, init_needed = true, default = true }

local function check_clause(clause)
  if own_clauses[clause.name] then return end
  if data_clauses[clause.name] then
    raise("clause-not-allowed", clause.pos, ("a shape has no direction: '%s' is not allowed"):format(
      clause.name), { length = #clause.name, rule = "TR14-3.1.1-03",
      help = "directions come from the clause that uses the shape" })
  end
  local near = diagnostic.closest(clause.name, own_clauses)
  raise("unknown-clause", clause.pos, ("a shape has no clause '%s'"):format(clause.name),
    { length = #clause.name, rule = "TR14-3.1.1-03", help = near and ("did you mean '%s'?"):format(near) })
end

local function check_target(session, clause, record)
  if clause.type.spec.tag == "named" or clause.type.spec.tag == "record" then
    local spec = clause.type.spec
    if spec.name and not session.scope:type_named(spec.name) then
      raise("unknown-type", spec.pos, ("there is no type '%s'"):format(spec.name),
        { length = #spec.name, rule = "TR14-3.1.1-07" })
    end
  end
  local t = session:type_of(clause.type)
  if not types.is_record(t) then
    raise("not-a-struct", clause.type.pos, ("%s has no members to shape"):format(types.name(t)),
      { rule = "TR14-3.1.1-07" })
  end
  if not t.complete then
    raise("unknown-type", clause.type.pos, ("%s is not defined yet"):format(types.name(t)),
      { rule = "TR14-3.1.1-07" })
  end
  if record and t ~= record then
    for _, member in ipairs(record.members) do
      if types.innermost(member.type) == t and t.position and record.position then return t end
    end
    raise("type-mismatch", clause.type.pos,
      ("inside %s the type is %s itself, or one declared in it"):format(types.name(record),
        types.name(record)), { rule = "TR14-3.1.1-06" })
  end
  return t
end

-- The record that an `include<name>` reaches: the member's own, or that of its elements.
local function member_record(member)
  local t = types.innermost(member.type)
  return types.is_record(t) and t or nil
end

-- Raises if a record has no shape of that name.
function shape.known(session, record, name, pos)
  local shapes = session:shapes_of(record)
  if shapes[name] then return end
  local near = diagnostic.closest(name, shapes)
  raise("unknown-shape", pos, ("%s has no shape '%s'"):format(types.name(record), name),
    { length = #name, rule = "TR14-3.1.2-08", help = near and ("did you mean '%s'?"):format(near) })
end

local function enter_member(session, record, members, item, entry)
  local member = types.member(record, item.name)
  if not member then
    local near = diagnostic.closest(item.name, record.by_name)
    raise("unknown-member", item.pos, ("%s has no member '%s'"):format(types.name(record), item.name),
      { length = #item.name, rule = "TR14-3.1.1-04", help = near and ("did you mean '%s'?"):format(near) })
  end
  if members[item.name] then
    raise("duplicate-member", item.pos, ("'%s' is named twice"):format(item.name),
      { length = #item.name, rule = "TR14-3.1.1-20" })
  end
  local t = member.type
  for _, subscript in ipairs(item.subscripts) do
    local element = types.element(t)
    if not element then
      raise("not-a-pointer", subscript.pos, ("'%s' is %s: it has no elements"):format(item.name,
        types.name(t)), { rule = "TR14-3.1.1-22" })
    end
    t = element
  end
  if entry.mode == "exclude" and #item.subscripts > 0 then
    raise("invalid-section", item.subscripts[1].pos, "a member is excluded as a whole",
      { rule = "TR14-3.1.1-04" })
  end
  if entry.shape then
    local inner = member_record(member)
    if not inner then
      raise("not-a-struct", item.pos, ("'%s' has no structure type, so it has no shapes"):format(
        item.name), { length = #item.name, rule = "TR14-3.1.2-08" })
    end
    -- a type that is still being declared may get that shape later
    if inner.complete and inner ~= entry.inside then
      shape.known(session, inner, entry.shape, entry.shape_pos)
    end
  end
  members[item.name] = { mode = entry.mode, init = entry.init, shape = entry.shape,
    shape_pos = entry.shape_pos,
    subscripts = #item.subscripts > 0 and item.subscripts or nil, pos = item.pos }
end

-- Carries out a shape directive. record is the type it stands in, or nil outside of types.
function shape.define(session, node, record)
  if #node.clauses == 0 then
    raise("syntax", node.pos + #"shape", "a shape has at least one clause", { rule = "TR14-3.1.1-01" })
  end
  local target
  for _, clause in ipairs(node.clauses) do
    check_clause(clause)
    if clause.name == "type" then
      if target then
        raise("duplicate-clause", clause.pos, "a shape has one type",
          { length = #"type", rule = "TR14-3.1.1-08" })
      end
      target = check_target(session, clause, record)
    end
  end
  target = target or record
  if not target then
    raise("missing-type", node.pos, "outside of a type a shape needs type(T)",
      { length = #"shape", rule = "TR14-3.1.1-07", help = "add type(T) with the structure it describes" })
  end
  local name = node.argument and node.argument.name or true
  local shapes = session:shapes_of(target)
  if shapes[name] then
    if name == true then
      raise("duplicate-default-shape", node.pos, ("%s has a default shape already"):format(
        types.name(target)), { length = #"shape", rule = "TR14-3.1.1-10", help = "give one of them a name" })
    end
    raise("duplicate-name", node.argument.pos, ("%s has a shape '%s' already"):format(
      types.name(target), name), { length = #name, rule = "TR14-3.1.1-10" })
  end
  local made = { name = name ~= true and name or nil, members = {}, place = session:here(node.pos) }
  for _, clause in ipairs(node.clauses) do
    if clause.shape and not (clause.name == "include" or clause.name == "init_needed") then
      raise("clause-not-allowed", clause.shape.pos, ("'%s' takes no shape"):format(clause.name),
        { rule = "TR14-3.1.2-02" })
    end
    if clause.shape and not clause.shape.name then
      raise("syntax", clause.shape.pos, "expected a shape's name", { rule = "TR14-3.1.2-02" })
    end
    if clause.name == "default" then
      if made.default then
        raise("duplicate-clause", clause.pos, "a shape has one default",
          { length = #"default", rule = "TR14-3.1.1-20" })
      end
      if clause.word ~= "none" and clause.word ~= "include" and clause.word ~= "exclude" then
        raise("clause-not-allowed", clause.word_pos,
          ("a shape's default is none, include or exclude, not '%s'"):format(clause.word),
          { length = #clause.word, rule = "TR14-3.1.1-03" })
      end
      made.default = clause.word
    elseif clause.members then
      for _, item in ipairs(clause.members) do
        enter_member(session, target, made.members, item, {
          mode = clause.name == "exclude" and "exclude" or "include",
          init = clause.name == "init_needed",
          shape = clause.shape and clause.shape.name,
          inside = record,
          shape_pos = clause.shape and clause.shape.pos,
        })
      end
    end
  end
  if made.default == "none" then
    for _, member in ipairs(target.members) do
      if member.name and not made.members[member.name] then
        raise("default-none", node.pos, ("default(none), but member '%s' is not named"):format(
          member.name), { length = #"shape", rule = "TR14-3.1.1-19",
          help = ("name '%s' in include or exclude"):format(member.name) })
      end
    end
  end
  shapes[name] = made
  session:types_changed()
end

-- How each member of a record takes part under a shape: a list in the order of the members, of
-- {member, offset, include, init, shape, subscripts, pos, owner}. name nil: the default shape.
-- The order of TR14-3.1.2-03..05: named here, this shape's own default, the extended default shape.
function shape.effective(shapes, record, name)
  local default = shapes[true]
  local named = name and shapes[name]
  local list = {}
  local function visit(members, base)
    for _, member in ipairs(members) do
      if not member.name then
        visit(member.type.members, base + member.offset)
      else
        local below = default and default.members[member.name]
        local entry = named and named.members[member.name]
        local include
        if entry then
          include = entry.mode == "include"
        elseif named and named.default then
          include = named.default == "include"
        elseif below then
          include = below.mode == "include"
        else
          include = not (default and default.default == "exclude")
        end
        local source = entry or below
        local subscripts = entry and entry.subscripts or below and below.subscripts
        list[#list + 1] = {
          member = member,
          offset = base + member.offset,
          include = include,
          init = include and source and source.init or false,
          shape = source and source.shape,
          shape_pos = source and source.shape_pos,
          shape_place = source and (entry and named or default).place,
          subscripts = include and subscripts or nil,
          place = (entry and entry.subscripts and named or default or named or {}).place,
        }
      end
    end
  end
  visit(record.members, 0)
  return list
end

return shape
