-- typed_members.lua - analyses a member mapping (nest.lua) as a whole: every member that it reaches, with the typed
-- bounds of its sections. mapping_compiler.lua lowers the result to a mapping program without further questions.
--
-- Input: a session and a member mapping. Output: a typed element. Invariant: all semantic errors of the mapping and of
-- the mappings inside were raised, each located at the text that it belongs to.
--
--   typed element: the objects that one mapping program walks. It is an element of symbols.lua, too.
--     mapping, record, name   its member mapping, its type, and the type's name.
--     members                 typed members of the structure.
--     enclosing               the element, or level of pointers, that points to it; nil: none.
--     touched, leads_up       true if bounds use names of enclosing elements; if it refers to one of them by {up}.
--     recursive               true if an element inside refers back to it.
--     {up = n}                in place of an element: the element n levels up, in a recursive type.
--   typed member {entry, kind, inner?, child?, ...}; entry: of nest.entries; inner: member mapping of the objects
--   inside.
--     excluded, plain    without further fields; plain: its bytes.
--     section            section: typed section (sema/c/section.lua); child: element of the targets, nil for plain
--                        data.
--     alias              alias: typed alias, nil in an update; target: {subscript, unit}: the section of its base.
--     records            a structure, or an array of `count` structures; members: their typed members. child: an array
--                        of more than UNROLLED structures as an element of its own.
--     descriptor         follows: true if its target is mapped; section, child: as above; has_alias: it is an alias;
--                        alias, origin: of an alias: AST, and {component?, variable?} of its base.
--
-- Typed bounds name parts relative to their structure, so that members are analysed once for each mapping. Two
-- exceptions are analysed at each place: bounds that may name enclosing objects (rules.extended), and those of mappers.

local diagnostic = require "accdeep.base.diagnostic"
local nest = require "accdeep.sema.members.nest"
local section = require "accdeep.sema.c.section"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local raise = diagnostic.raise

-- Arrays of structures with at most UNROLLED elements are unrolled; longer arrays are elements of their own.
local typed_members = { UNROLLED = 16 }

-- Returns {up = n}, by which a recursive element refers to the element of member_mapping, n levels up (TR14-5-10).
-- Precondition: that element is being analysed. enclosing: the element that refers to it. Raises unless rules.extended
-- allows recursion, and if the recursive element uses names of objects that enclose it. Decides TR14-4.3-18.
local function refer_up(session, enclosing, member_mapping, pos)
  if not session.rules.extended then
    local name = types.name(member_mapping.record)
    raise("recursive-type", pos, ("the shape of %s reaches %s again"):format(name, name), { rule = "TR14-4.3-18",
      help = "leave the pointer without a section, or exclude it; for a list: rules = \"tr14x\" and include("
        .. "next[0:next != 0])" })
  end
  local levels, at = 1, enclosing
  while at.mapping ~= member_mapping do
    at.leads_up = true
    levels, at = levels + 1, at.enclosing
  end
  if at.touched then
    raise("recursive-type", pos, "a recursive shape cannot use names of the objects around it",
      { rule = "TR14-5-10" })
  end
  at.recursive = true
  return { up = levels }
end

local analyse_members -- forward declaration

-- Returns the typed element of the objects under a member mapping; nil if their type is incomplete or empty, or
-- {up} in a recursive type. pos: position for errors; enclosing: the enclosing element, or nil. Elements are cached in
-- their mapping, except those that depend on the enclosing element. Raises for errors of the mapping; nothing is cached
-- then. Decides TR14-2.2-04, TR14-3.3-16.
function typed_members.element(session, member_mapping, pos, enclosing)
  local record, element = member_mapping.record, member_mapping.element
  if not record.complete or record.size == 0 then return nil end
  if element and element.is_open then return refer_up(session, enclosing, member_mapping, pos) end
  if element then return element end
  element = { mapping = member_mapping, record = record, name = (types.name(record):gsub("^%a+ ", "")),
    enclosing = enclosing, is_open = true }
  local ok, err = pcall(function()
    -- Assigned inside pcall, because the assignment may run out of memory.
    member_mapping.element = element
    element.members = analyse_members(session, element, member_mapping)
    if element.recursive and element.touched then
      raise("recursive-type", pos, "a recursive shape cannot use names of the objects around it",
        { rule = "TR14-5-10" })
    end
  end)
  element.is_open = nil
  if not ok or element.touched or element.leads_up then member_mapping.element = nil end
  if not ok then error(err, 0) end
  return element
end

-- --------------------------------------------------------------------------------------- members --

-- Returns the base of an entry that is an alias: the base's AST (nil for [@]), and its section and type if the base is
-- a member with a section. A base that is an alias itself is replaced by its own base, up to the first member that is
-- not an alias (TR14-3.5-12). visited: set of the entries of this chain. Raises if the chain is a cycle. Decides
-- TR14-3.5-12.
local function alias_base(session, member_mapping, entry, visited)
  local to = entry.subscripts[1].to
  local scope = entry.outer and member_mapping.policy.scope
  local sibling = to and to.tag == "id" and not entry.outer
  if to and scope and to.tag == "member" then sibling = unparse.is_member_of(to, scope) end
  if not sibling then return to end
  for _, other in ipairs(nest.entries(session, member_mapping)) do
    if other.member.name == to.name then
      local first = other.subscripts and other.subscripts[1]
      if visited[other] then
        raise("invalid-section", to.pos, ("'%s' is an alias of itself"):format(to.name),
          { length = #to.name, rule = "TR14-3.5-12" })
      end
      visited[other] = true
      if first and first.tag == "alias" then
        if first.to then return alias_base(session, member_mapping, other, visited) end
        return to
      end
      return to, first and not other.outer == not entry.outer and first or nil, other.member.type
    end
  end
  return to
end

-- Returns the base of a Fortran alias a(@base) as {component?, variable?}: a component of the same object, or a
-- variable of the host program. to: AST of the base. Raises if the base is neither of them.
local function alias_origin(session, member_mapping, entry, to)
  local scope = entry.outer and member_mapping.policy.scope
  local variable = to.tag == "id" and session.now.scope.variables[to.name]
  local component = to.tag == "id" and not (entry.outer and variable) and types.member(member_mapping.record, to.name)
  if to.tag == "component" and scope and unparse.expression(to.base) == scope.base then
    component = types.member(scope.record, to.name)
  end
  local kind = component and component.type.kind or variable and variable.type.kind
  if kind == "descriptor" or not component and kind == "array" then
    return { component = component or nil, variable = not component and variable or nil }
  elseif to.tag == "id" and not component and not variable then
    session.now.scope:no_variable(to, nil, "TR14-3.5-01")
  end
  raise("unsupported", to.pos, "the base of '@' is a pointer or allocatable component beside it, or a variable",
    { rule = "TR14-3.5-01" })
end

-- Sets the fields `inner` and `child` of a typed member whose objects are structures. pos: position for errors;
-- enclosing: the element or level of pointers that encloses the objects; nil: no element is needed.
local function enter_objects(session, element, member_mapping, typed, pos, enclosing)
  element.ctx.values = typed.entry.inner_values
  typed.inner = typed.inner or nest.inner(session, member_mapping, typed.entry)
  if enclosing then typed.child = typed_members.element(session, typed.inner, pos, enclosing) end
end

-- Sets the fields of a typed member with sections. Raises if the sections do not fit the member's type. Decides
-- TR14-1.2-01, TR14-4.3-10, TR14-A.1-01, TR14-3.5-11.
local function analyse_section(session, element, member_mapping, typed)
  local entry = typed.entry
  local t, subscripts = entry.member.type, entry.subscripts
  local env, first = entry.outer and { session = session } or element.ctx, subscripts[1]
  if first.tag == "alias" then
    typed.kind = "alias"
    if member_mapping.update then return end -- updates ignore aliases (TR14-3.5-11)
    local to, base_section, base_type = alias_base(session, member_mapping, entry, { [entry] = true })
    typed.target = base_section and section.target(env, base_section, base_type)
    typed.alias = section.alias(env, { pos = first.pos, to = to })
    return
  end
  typed.section = section.analyse(env, element, t, subscripts)
  local levels, objects = typed.section.levels, typed.section.element
  local last = levels and levels[#levels]
  if last then objects = last.element end
  if objects and objects.kind == "record" then
    enter_objects(session, element, member_mapping, typed, last and last.subscript.pos or first.pos,
      last and last.scope or element)
  elseif types.innermost(t).kind == "record" and not nest.is_alias(entry) then
    enter_objects(session, element, member_mapping, typed)
  end
end

-- Sets the fields of a typed member that is an allocatable or pointer component. Targets are followed if
-- rules.descriptors says so for the component's attribute, or if a layer or policy names the component. Decides
-- TR14-1.1-05, FLANG-alloc-1.
local function analyse_descriptor(session, element, member_mapping, typed)
  local entry = typed.entry
  local t, subscripts = entry.member.type, entry.subscripts
  local follows = session.rules.descriptors
  typed.follows = not member_mapping.shallow
    and (follows == true or follows == t.attribute or entry.named or entry.listed) or false
  if not typed.follows then return end
  if subscripts and subscripts[1].tag == "alias" then
    local to = subscripts[1].to
    typed.alias = subscripts[1]
    typed.origin = not member_mapping.update and to and alias_origin(session, member_mapping, entry, to) or nil
    return
  end
  if subscripts then
    typed.section = section.analyse(entry.outer and { session = session } or element.ctx, element, t, subscripts)
  end
  local pos = subscripts and subscripts[1].pos or entry.member.pos
  if t.of.kind == "record" then
    enter_objects(session, element, member_mapping, typed, pos, not t.polymorphic and element)
  elseif types.innermost(t).kind == "record" then
    enter_objects(session, element, member_mapping, typed)
  end
end

-- Sets the fields of a typed member that is a structure or an array of structures. Decides TR14-2.3-04.
local function analyse_records(session, element, member_mapping, typed)
  local t, count = typed.entry.member.type, 1
  while t.kind == "array" do t, count = t.of, count * t.n end
  typed.count, typed.element = count, t
  enter_objects(session, element, member_mapping, typed, nil, count > typed_members.UNROLLED and element)
  element.ctx.values = typed.entry.inner_values
  typed.members = analyse_members(session, element, typed.inner)
end

-- Returns the typed member of an entry. Raises for errors of the entry, located at its text. Decides TR14-1.1-03,
-- TR14-3.1.1-12, TR14-3.1.1-13.
local function analyse_member(session, element, member_mapping, entry)
  local t, typed = entry.member.type, { entry = entry, kind = "plain" }
  local objects = t -- the type without its arrays
  while objects.kind == "array" do objects = objects.of end
  if not entry.include then
    typed.kind = "excluded"
  elseif t.kind == "descriptor" then
    -- Errors about a component that no clause named are located at its declaration.
    typed.kind, typed.location = "descriptor", entry.subscripts and entry.location or entry.member.position
    session:with_location(typed.location, analyse_descriptor, session, element, member_mapping, typed)
  elseif entry.subscripts then
    typed.kind, typed.location = "section", entry.location
    session:with_location(typed.location, analyse_section, session, element, member_mapping, typed)
  elseif objects.kind == "record" then
    typed.kind = "records"
    analyse_records(session, element, member_mapping, typed)
  end
  return typed
end

-- Returns the list of the typed members of a structure under its member mapping. element: the element that contains the
-- structure.
function analyse_members(session, element, member_mapping)
  if member_mapping.members then return member_mapping.members end
  local above, list = element.ctx, {}
  element.ctx = { session = session, record = member_mapping.record, above = above, out = element }
  for i, entry in ipairs(nest.entries(session, member_mapping)) do
    element.ctx.values = entry.values
    list[i] = analyse_member(session, element, member_mapping, entry)
  end
  element.ctx = above
  if not session.rules.extended and not member_mapping.inner_of then member_mapping.members = list end
  return list
end

return typed_members
