-- convenience.lua - lowers members in data clauses to nests (TR14 3.4), from AST to AST.
--
--     copyin(X.a[0:n]) create(X)   ->   invoke<>(X)::{ default(create) copyin(a[0:n]) }
--
-- Input: the clauses of a directive. Output: clauses without member list items. openacc_analysis.lua calls `lower`. All
-- members of one base, from all clauses, are gathered in one nest. The default of the nest is the clause that names the
-- base itself; without such a clause it is exclude. A nest names members and maps each of them by a clause; the clause
-- `invoke` applies a nest to objects. Structures and pointers on the path to a member become inner nests. Members are
-- marked `outer`: names in their bounds keep their meaning outside of the nest, so a local n is never taken for a
-- member n (AMB-TR14-13).
--
-- Where data are fused (rules.fusion), members stay list items, each with a tuple of its own. A tuple is one record of
-- mapped data in the directory, the core's index of present data. Nests then map only targets of pointers.
--
--   tree of one base, before it becomes a nest:
--     root {node, record, base, pos, of_this, places, direction, by_key, clause?, [1..n] children}.
--       child {name, pos, subscripts, clause?, is_holder?, by_key, [1..n] children}
--   node, record, base: AST of the base, its type, its text. places: {pos, name} of the list items gathered in it.
--   direction: "self" or "device" in an update, nil for data clauses. of_this(name): function that is true for members
--   of *this. by_key: name and subscripts as text -> child. A member with other subscripts goes to a tree of its own.
--   clause: the clause that names this member or base. is_holder: true if the member only adds a reference to its
--   object, so that the object stays present. The list item itself is then mapped by its own tuple.

local diagnostic = require "accdeep.base.diagnostic"
local list_item = require "accdeep.sema.c.list_item"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local policy = require "accdeep.sema.members.policy"
local types = require "accdeep.types"
local unparse = require "accdeep.syntax.unparse"

local raise = diagnostic.raise

local convenience = {}

-- Directions of update: name of a clause of update -> direction, such as host -> "self"; other clauses have no entry.
local directions = openacc_directives.clauses_where(function(entry) return entry.update end)

-- Returns true if a node designates several elements: it is a section, or a Fortran reference with a range.
local function is_range(node)
  for _, arg in ipairs(node.args or {}) do
    if arg.tag == "range" then return true end
  end
  return node.tag == "section"
end

-- Returns the subscript of a member from the node that follows the member on the path. An index or a Fortran reference
-- becomes a section; other nodes are returned unchanged. Returns nil for a reference to all elements, such as a(:),
-- because it designates the whole component.
local function subscript_of(node)
  if node.tag == "index" then
    return { tag = "section", pos = node.pos, start = node.index, length = list_item.number(1, node.pos) }
  elseif node.tag ~= "reference" then
    return node
  end
  for _, arg in ipairs(node.args) do
    if arg.tag ~= "range" or arg.first or arg.last or arg.step then
      return { tag = "section", pos = node.pos, ranges = node.args }
    end
  end
end

-- Tags of the nodes that may occur on a path.
local path_tags = { member = true, component = true, index = true, section = true, alias = true, reference = true }

-- Returns a true value if `node` names a Fortran variable that is an array, so that a component after its name belongs
-- to several objects.
local function is_array(session, node)
  local variable = session.now.scope.variables[node.name]
  return variable and variable.type.bounds ~= nil or variable and variable.type.kind == "descriptor"
    and (variable.type.rank or 0) > 0
end

-- Returns the path of a member of all structures in a section, such as p[0:2].a[0:n] or p(:)%m%a. Results: the AST of
-- the section, the steps {name, pos, subscripts}, and the section's position. Returns nil if no member follows a
-- section, or if the language has the whole list item as one designator (language.is_designator).
local function section_path(session, variable)
  local chain, root = {}, variable
  while root.tag ~= "id" do
    if not path_tags[root.tag] then return nil end
    table.insert(chain, 1, root)
    root = root.base
  end
  local steps, range_node, through = {}, nil, nil
  for _, node in ipairs(chain) do
    local last = steps[#steps]
    if node.name then
      if node.tag == "component" and root.tag == "id" and not last and is_array(session, root) then
        range_node = root
      end
      through = through or range_node
      if node.arrow and last and not last.subscripts[1] then
        last.subscripts[1] = subscript_of(list_item.element(nil, list_item.number(0, node.pos), node.pos))
      elseif node.arrow and not last then
        root = list_item.element(root, list_item.number(0, node.pos), node.pos)
      end
      steps[#steps + 1] = { name = node.name, pos = node.name_pos, subscripts = {} }
    else
      range_node = range_node or is_range(node) and node or nil
      if last then last.subscripts[#last.subscripts + 1] = subscript_of(node) else root = node end
    end
  end
  if not through or session.language.is_designator(session, variable) then return nil end
  return root, steps, through.pos
end

-- Returns a help text: the directive `name` with a nest in place of a clause that names members of a section. root: AST
-- of the section; steps: the path from section_path; its field `nest` is overwritten.
local function nest_for(session, name, clause, root, steps)
  local direction = directions[clause.name]
  local text = direction and "update" or clause.name
  for i = #steps, 1, -1 do
    local parts = { steps[i].name }
    for _, s in ipairs(steps[i].subscripts) do parts[#parts + 1] = unparse.section(s) end
    if i < #steps then text = "invoke<>" end
    text = ("%s(%s)%s"):format(text, table.concat(parts), i < #steps and steps.nest or "")
    steps.nest = ("::{ default(exclude) %s }"):format(text)
  end
  return ("%s invoke<>(%s%s)%s"):format(name, direction and direction .. ": " or "",
    session.language.text_of(root), steps.nest)
end

-- Returns the key of a member in the field by_key of a tree node: its name, then the text of its subscripts.
local function key_for(name, subscripts)
  local parts = { name }
  for i, s in ipairs(subscripts) do parts[i + 1] = unparse.section(s) end
  return table.concat(parts, " ")
end

-- Returns the child of the tree node `parent` for the member `name` with these subscripts; adds the child if it does
-- not exist.
local function child_of(parent, name, pos, subscripts)
  local key = key_for(name, subscripts)
  local child = parent.by_key[key]
  if not child then
    child = { name = name, pos = pos, subscripts = subscripts, by_key = {} }
    parent.by_key[key] = child
    parent[#parent + 1] = child
  end
  return child
end

-- Returns true if the tree node `parent` has a child for the member `name`, but none with these subscripts. A nest
-- names each member once, so the subscripts then need a further tree.
local function has_other_elements(parent, name, subscripts)
  for _, child in ipairs(parent) do
    if child.name == name and not parent.by_key[key_for(name, subscripts)] then return true end
  end
  return false
end

-- Returns the tree node at the end of an access path, and adds missing nodes. node: the root; subscripts: sections of
-- the last member, or nil. Returns nil if the tree has a member of the path with other subscripts; nodes before that
-- member are added all the same. Decides TR14-3.4-04.
local function follow_path(node, steps, subscripts)
  local i = 1
  while steps[i] do
    local step = steps[i]
    local sections = table.move(step.subscripts or {}, 1, #(step.subscripts or {}), 1, {})
    i = i + 1
    while steps[i] and steps[i].index do
      sections[#sections + 1] = { tag = "section", pos = steps[i].pos, start = steps[i].index,
        length = list_item.number(1, steps[i].pos), written = steps[i].written }
      i = i + 1
    end
    if not steps[i] then table.move(subscripts or {}, 1, #(subscripts or {}), #sections + 1, sections) end
    if has_other_elements(node, step.name, sections) then return nil end
    node = child_of(node, step.name, step.pos, sections)
  end
  return node
end

-- Sets the clause of a tree node. Raises at the list item `variable` if the node has a clause with another name.
-- Decides TR14-3.4-07, TR14-3.4-12, TR14-A.8-03.
local function set_clause(node, clause, variable)
  if node.clause and node.clause.name ~= clause.name then
    raise("duplicate-clause", variable.pos, ("'%s' is in two different clauses"):format(
      unparse.expression(variable)), { rule = "TR14-3.4-07" })
  end
  node.clause = clause
end

-- Returns the word that a nest's default clause has for a clause's effect: "update" for a clause of update, the
-- action's name for a data clause.
local function action_name(clause)
  return directions[clause.name] and "update" or policy.actions[clause.name]
end

local nest_of -- forward declaration

-- Returns the scope of a child's nest: {node, base, of_this, record}, the child's object as AST and text, and its type.
-- Bounds are printed relative to this object. outer_scope: the scope of the enclosing nest. Decides TR14-3.4-10.
local function scope_of(child, outer_scope)
  local base = { tag = "member", base = outer_scope.node, name = child.name, pos = child.pos }
  for _, s in ipairs(child.subscripts) do
    base = list_item.element(base, s.start or list_item.number(0, s.pos), s.pos)
  end
  return { node = base, base = unparse.expression(base), of_this = outer_scope.of_this,
    record = types.innermost(types.member(outer_scope.record, child.name).type) }
end

-- Returns the clause, as AST, that a child of a tree becomes in the nest of its parent. It is invoke, with a nest, if
-- the child has children or only holds its object. scope: the scope of the parent's nest.
local function clause_of(child, scope)
  local clause = { tag = "clause", pos = child.pos, kind = "members", members = { { tag = "member_shape",
    pos = child.pos, name = child.name, subscripts = child.subscripts, outer = true } } }
  if #child > 0 or child.is_holder and not child.clause then
    clause.name, clause.nest = "invoke", nest_of(child, scope_of(child, scope))
    clause.shape = { pos = child.pos }
  else
    clause.name = directions[child.clause.name] and "update" or policy.requested_actions[child.clause.name]
    clause.shape, clause.nest = child.clause.shape, child.clause.nest
  end
  return clause
end

-- Returns the nest of a tree node, as AST. scope: the scope of this nest (scope_of). Raises if the node has children,
-- and its own clause has a nest, too. Decides TR14-3.4-05, TR14-3.4-06, TR14-3.4-09, TR14-A.8-01, TR14-A.8-02.
function nest_of(node, scope)
  local clause = node.clause
  local clauses = { { tag = "clause", name = "default", kind = "default", pos = node.pos, word_pos = node.pos,
    word = clause and action_name(clause) or "exclude" } }
  if clause and clause.nest then
    raise("duplicate-clause", clause.nest.pos, "what has a nest has no members in other clauses",
      { length = 2, rule = "TR14-3.4-06", help = "write the members' clauses into the nest" })
  end
  if clause and clause.shape and clause.shape.name then
    clauses[2] = { tag = "clause", name = "shape", kind = "names", pos = clause.shape.pos,
      names = { { tag = "name", pos = clause.shape.pos, name = clause.shape.name } } }
  end
  for _, child in ipairs(node) do
    local child_clause, last = clause_of(child, scope), clauses[#clauses]
    local has_details = last.nest or child_clause.nest or last.shape or child_clause.shape
    if last.name == child_clause.name and last.members and not has_details then
      table.insert(last.members, child_clause.members[1])
    else
      clauses[#clauses + 1] = child_clause
    end
  end
  return { tag = "nest", pos = node.pos, clauses = clauses, scope = scope }
end

-- Actions that allocate or delete data. All other actions require data to be present, or ignore absent data.
local maps = { copy = true, copyin = true, copyout = true, create = true, delete = true, present_and_copyin = true,
  update_and_copy = true }

-- Returns two tables with list items as keys. The first has a true value for members that the directory treats as
-- pieces, with tuples of their own (DIR-4.1-03). The second has the object, as AST, to which a piece inside a pointer's
-- target adds a reference (DIR-4.2-17). Both are empty without rules.fusion. Members of an object that a clause names
-- itself are not pieces. each(fn): calls fn(clause, variable) for each list item.
local function member_pieces(session, each)
  local object, through, named, pieces, holders = {}, {}, {}, {}, {}
  if not session.rules.fusion then return pieces, holders end
  each(function(clause, variable)
    local node, is_target = session.language.object_of(session, variable)
    if node then
      object[variable], through[variable] = node, is_target and maps[policy.actions[clause.name]]
    else
      named[unparse.expression(list_item.single(variable))] = true
    end
  end)
  for variable, node in pairs(object) do
    pieces[variable] = not named[unparse.expression(node)]
    holders[variable] = pieces[variable] and through[variable] and node or nil
  end
  return pieces, holders
end

-- Raises if a clause whose list items become nests has a modifier with an effect, because nests have no modifiers.
local function check_modifiers(clause)
  for _, modifier in ipairs(clause.modifiers or {}) do
    if openacc_directives.modifier[modifier.name].effect then
      raise("unsupported", modifier.pos, ("the modifier '%s' of a structure with members"):format(modifier.name),
        { length = #modifier.name, rule = "TR14-3.4-01", help = 'rules = "openacc-3.4" maps members by themselves' })
    end
  end
end

-- Returns the clauses of a directive with members lowered to nests; `clauses` itself if no list item is a member. kind:
-- kind of the construct, such as "update"; directive: its name, for messages. Raises if two clauses name one member, a
-- section has members although the profile does not allow it, or a clause to be lowered has modifiers. Decides
-- TR14-3.4-01, TR14-3.4-03.
function convenience.lower(session, kind, clauses, directive)
  local roots, has_members, holder_count = {}, false, 0
  local function of_this(name) return session:this_member(name) ~= nil end
  local mapping_roots = {} -- list item -> the root of the tree whose nest maps it
  local function each(fn)
    for _, clause in ipairs(clauses) do
      if policy.actions[clause.name] or kind == "update" and directions[clause.name] then
        for _, variable in ipairs(clause.vars) do fn(clause, variable) end
      end
    end
  end
  local function key_of(clause, node)
    return unparse.expression(node) .. " " .. (directions[clause.name] or "")
  end
  local pieces, holders = member_pieces(session, each)
  each(function(clause, variable)
    local holder = holders[variable]
    if pieces[variable] and not holder then return end
    local node, steps, pos
    if not holder then node, steps, pos = section_path(session, variable) end
    local record, subscripts
    local through = node
    if node and not session.rules.extended then
      raise("syntax", pos, "a section cannot have members", { rule = "TR14-3.4-02",
        help = ("each element has bounds of its own: %s"):format(nest_for(session, directive, clause, node, steps)) })
    elseif node then
      record = list_item.element_type(session, node)
    else
      node, record, steps, subscripts = session.language.access_path(session, holder or variable)
    end
    if not node and holder then
      node, record, steps = holder, list_item.element_type(session, holder), {}
    end
    if not node then return end
    local key = key_of(clause, node)
    -- Each list item gets a separate reference to the object, so a later directive can remove them one by one.
    if holder then
      holder_count = holder_count + 1
      key = ("%s held %d"):format(key, holder_count)
    end
    local root, child = nil, nil
    -- A second section of the same member goes to another tree, and so to another nest.
    while not child do
      root = roots[key] or { node = node, record = record, base = unparse.expression(node), pos = node.pos,
        of_this = of_this, by_key = {}, places = {}, direction = directions[clause.name] }
      roots[key] = root
      child = follow_path(root, steps, subscripts)
      key = key .. " again"
    end
    mapping_roots[variable], has_members = root, true
    if holder then child.is_holder = true else set_clause(child, clause, variable) end
    root.places[#root.places + 1] = { pos = variable.pos,
      name = through and unparse.expression(variable) or list_item.render((list_item.split_designator(variable)), {}) }
  end)
  if not has_members then return clauses end
  -- If several clauses name a base, one of them gives the default of its nest: one without shape and nest, else one
  -- with a shape, else one with a nest. Further clauses with the same name stay list items; set_clause raises for other
  -- names.
  for _, form in ipairs { "plain", "shape", "nest" } do
    each(function(clause, variable)
      local clause_form = clause.nest and "nest" or clause.shape and "shape" or "plain"
      local root = clause_form == form and not mapping_roots[variable]
        and roots[key_of(clause, list_item.single(variable))]
      if not root or root.clause and root.clause.name == clause.name then return end
      set_clause(root, clause, variable)
      mapping_roots[variable] = root
    end)
  end
  local list = {}
  for _, clause in ipairs(clauses) do
    local remaining = {}
    for _, variable in ipairs(clause.vars or {}) do
      local root = mapping_roots[variable]
      if root then check_modifiers(clause) end
      if not root or holders[variable] then remaining[#remaining + 1] = variable end
      if root and not root.done then
        root.done = true
        local own = root.clause and root.clause.name
        list[#list + 1] = { tag = "clause", name = "invoke", kind = "invoke", pos = clause.pos,
          vars = { root.node }, shape = { pos = clause.pos },
          places = root.places, nest = nest_of(root, root),
          present_or = policy.requested_actions[own or ""] ~= policy.actions[own or ""],
          direction = root.direction and { pos = clause.pos, name = root.direction } }
      end
    end
    if not clause.vars or #remaining > 0 then
      list[#list + 1] = setmetatable({ vars = clause.vars and remaining }, { __index = clause })
    end
  end
  return list
end

return convenience
