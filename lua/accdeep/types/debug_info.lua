-- debug_info.lua - declares types from the debug information of a program: this process, or a file. Scenarios call this
-- file through declare_from, C programs through accd_declare_from_debug_info, tools/lower directly.
--
-- Input: the name of a type; output: the type, declared in the session's scope with all types that it needs. No other
-- types are read. If one of them cannot be declared, nothing is declared (transaction.lua).
--
--   handle   debug information of a program and its libraries (lua/binding/debug.c). handle:find(name, ...) returns a
--            list of entries {name, number, kind, size, declaration, fortran, at}, and whether there is any debug
--            information. handle:type(number) returns a node, the description of a type (lua/binding/debug_type.c).
--   request  the parsed name of the type that is searched (parse_request).
--   builder  makes types of nodes (debug_types.lua).
--
-- Parameters: `path` is the program's file, nil for this process; `file` is its name in messages.

local core = require "accdeep.core"
local debug_types = require "accdeep.types.debug_types"
local diagnostic = require "accdeep.base.diagnostic"
local qualified_names = require "accdeep.types.qualified_names"
local transaction = require "accdeep.types.transaction"
local types = require "accdeep.types"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise

local debug_info = {}

local RULE = "HOUSE-debug"

-- ---------------------------------------------------------------------------------------- programs --

-- Opens the debug information of a file, or of this process if `path` is nil. Returns a handle, which the caller
-- closes, and the name of the program for messages. Raises if the file cannot be read.
function debug_info.open(path)
  local handle, reason = core.debug(path)
  if handle then return handle, path or "this program" end
  raise("file", nil, path and ("%s: %s"):format(path, reason) or reason, { rule = RULE })
end

-- Raises the error for a program without debug information. name: the requested type, if the debug information of the
-- program's libraries was searched without success; otherwise nil.
local function raise_no_information(file, name)
  local libraries = name and (", and its libraries have no type '%s'"):format(name) or ""
  raise("file", nil, ("%s has no debug information%s"):format(file, libraries), { rule = RULE,
    help = "compile it with -g, and do not strip it" })
end

-- ------------------------------------------------------------------------------------------- names --

-- Parses the name of a type and returns the request {text, keyword?, items, key, name, scopes}. keyword: struct, class,
-- union or enum; items, key: the name as qualified_names.parse returns it; name: the last name without arguments;
-- scopes: list of the names before it. Raises if the text is not the name of a type.
local function parse_request(text)
  local keyword, rest = text:match "^%s*(%a+)%s+(.*)$"
  local inner = text:match "^%s*type%s*%(%s*(.-)%s*%)%s*$"
  if inner then
    keyword, rest = "type", inner
  elseif not keyword or not ("struct class union enum"):find(keyword, 1, true) then
    keyword, rest = nil, text
  end
  local items, key = qualified_names.parse(rest)
  local name, scopes
  if items then name, scopes = qualified_names.split(items) end
  local last = items and items[#items]
  if not name or type(last) == "string" and last ~= name then
    raise("syntax", 1, ("'%s' is not the name of a type"):format(text), { rule = RULE, length = #text,
      help = "names are like struct particle, app::grid, std::vector<float>, type(particle)" })
  end
  return { text = text, keyword = keyword ~= "type" and keyword or nil, items = items, key = key, name = name,
    scopes = scopes }
end

-- kind of an entry, for each keyword of a request
local kinds = { struct = "struct", class = "struct", union = "union", enum = "enum" }

-- Returns true if an entry of the debug information has the requested name. A request may omit trailing template
-- arguments, and the module of a Fortran type.
local function is_asked_for(request, entry)
  local items = qualified_names.parse(entry.name)
  if not items then return false end
  -- If a request for a Fortran type has no module, the entry's module is ignored.
  if entry.fortran and #request.items == 1 then items = { items[#items] } end
  return qualified_names.accepts(request.items, items)
end

-- Returns the requested name as text, with its keyword.
local function request_text(request)
  return (request.keyword and request.keyword .. " " or "") .. request.key
end

-- Returns the entries of the debug information for a request; the list is not empty. Searches inside functions and
-- inner classes only if the first search, outside of them, has no result. Raises if no entry has the name, or the
-- program has no debug information.
local function entries_for(handle, file, request)
  local entries, others, has_information = {}, {}, nil
  local enclosing = #request.scopes > 0 and ":" .. table.concat(request.scopes, ":") or nil
  for _, everywhere in ipairs { false, true } do
    local list, has_debug_info, in_program = handle:find(request.name, enclosing, 0, everywhere)
    if not has_debug_info then raise_no_information(file) end
    has_information = in_program
    for _, entry in ipairs(list) do
      if is_asked_for(request, entry) then entries[#entries + 1] = entry else others[#others + 1] =
        qualified_names.key(entry.name) end
    end
    if #entries > 0 then return entries end
  end
  if not has_information and #others == 0 then raise_no_information(file, request.key) end
  local names = {}
  for _, entry in ipairs((handle:find(request.name, nil, 2))) do
    names[entry.fortran and entry.name:match "[^:]*$" or qualified_names.key(entry.name)] = true
  end
  table.sort(others)
  local near = others[1] or diagnostic.closest(request.key, names)
  raise("unknown-type", 1, ("%s has no type '%s'"):format(file, request.key), { rule = RULE, length = #request.text,
    help = near and ("did you mean '%s'?"):format(near)
      or "what no variable or function uses is not in debug information" })
end

-- Returns the distinct entries that fit the request's keyword and define the type. A request without a keyword takes
-- only typedefs if there is one. entries: those of entries_for. Raises if no entry fits, if all only declare the type,
-- or if the full names of the entries differ.
local function chosen(file, request, entries)
  local fitting, definitions, keys = {}, {}, {}
  local has_typedef = false
  for _, entry in ipairs(entries) do has_typedef = has_typedef or entry.kind == "typedef" end
  for _, entry in ipairs(entries) do
    local kind = request.keyword and kinds[request.keyword] or not request.keyword and has_typedef and "typedef"
    if not kind or entry.kind == kind then fitting[#fitting + 1] = entry end
  end
  if #fitting == 0 then
    raise("type-mismatch", 1, ("'%s' is not a %s in %s"):format(request.key, request.keyword, file),
      { rule = RULE, length = #request.text, help = ("there it is declared with '%s'"):format(entries[1].kind) })
  end
  for _, entry in ipairs(fitting) do
    local mark = ("%s %s %s %s"):format(entry.name, entry.kind, entry.at, entry.size)
    if not entry.declaration and not keys[mark] then
      keys[mark] = true
      definitions[#definitions + 1] = entry
    end
  end
  if #definitions == 0 then
    raise("unknown-type", 1, ("%s only declares %s: its members are not known there"):format(
      file, request_text(request)),
      { rule = RULE, length = #request.text,
        help = "compile the file that defines it with -g; clang also takes -fstandalone-debug" })
  end
  for _, entry in ipairs(definitions) do
    if qualified_names.key(entry.name) ~= qualified_names.key(definitions[1].name) then
      raise("unknown-type", 1, ("'%s' may be %s or %s"):format(request.key, qualified_names.key(definitions[1].name),
        qualified_names.key(entry.name)), { rule = RULE, length = #request.text, help = "write all of the name" })
    end
  end
  return definitions
end

-- ------------------------------------------------------------------------------------- declaration --

-- Completes the node of a type that is only declared where it is used, from a definition elsewhere in the program, and
-- returns true. Returns false if the node has no name, or the program has no definition. In the second case also sets
-- node.is_missing, so that the next call for the node returns false without a search.
local function complete(handle, node)
  if node.is_missing or not node.name then return false end
  local request = parse_request(node.name)
  for _, entry in ipairs((handle:find(request.name, ":" .. table.concat(request.scopes, ":")))) do
    if not entry.declaration and entry.kind ~= "typedef" and qualified_names.key(entry.name) == request.key then
      for key, value in pairs(handle:type(entry.number)) do node[key] = value end
      node.declaration = nil
      return true
    end
  end
  node.is_missing = true
  return false
end

-- Builds the type of the first entry in `definitions`, enters it with the types that it needs into the session's scope,
-- and returns it. Raises if another entry defines the type differently, or a name is taken.
local function build(session, handle, file, request, definitions)
  local builder = debug_types.new(session, file, function(node) return complete(handle, node) end)
  local t = builder:type(handle:type(definitions[1].number))
  builder:finish()
  for i = 2, #definitions do
    local reason = builder:differs(t, handle:type(definitions[i].number))
    if reason then
      raise("unknown-type", 1, ("%s has two types '%s', at %s and %s: %s"):format(file, request.key,
        definitions[1].at or "?", definitions[i].at or "?", reason), { rule = RULE, length = #request.text,
        help = "declare the one that is meant" })
    end
  end
  builder:commit()
  return t
end

-- Declares the type that `text` names, and the types that it needs; returns the named type. Raises if the program has
-- no such type, or it cannot be declared. Types of the session may be changed then, so the caller uses transaction.run,
-- which undoes this.
local function declare(session, path, text)
  local request = parse_request(session.language.normalize_name(text))
  local handle <close>, file = debug_info.open(path)
  local entries = entries_for(handle, file, request)
  return build(session, handle, file, request, chosen(file, request, entries))
end

-- Declares the type that `text` names, and returns the type. file, line: location of the text in the scenario, for
-- errors. Raises if that fails; nothing is declared then.
function debug_info.declare(session, path, text, file, line)
  local t
  transaction.run(session, function()
    t = session:with_text(text, file, line, declare, session, path, text)
    session:types_changed()
  end)
  return t
end

-- Returns true if `full`, the items of a type's full name, is the name `requested`, also a list of items, or an
-- instance of the template of that name. If `requested` has no template arguments after a name, those of `full` are
-- ignored there.
local function is_made_from(requested, full)
  local bare_items = {}
  for _, item in ipairs(full) do
    if type(item) == "string" or type(requested[#bare_items + 1]) == "table" then bare_items[#bare_items + 1] = item end
  end
  return qualified_names.accepts(requested, bare_items)
end

-- Declares all types that `text` names in a program: every instance of a template, if the text omits the arguments.
-- Returns the list of these types, which is empty if the program has none. Raises if the text is not a name, or a type
-- cannot be declared; nothing is declared then.
function debug_info.declare_named(session, path, text)
  local list = {}
  transaction.run(session, function()
    local request = parse_request(text)
    local handle <close>, file = debug_info.open(path)
    local by_key, keys = {}, {}
    for _, everywhere in ipairs { false, true } do
      for _, entry in ipairs(keys[1] and {} or (handle:find(request.name, nil, 0, everywhere))) do
        local items = qualified_names.parse(entry.name)
        if items and not entry.declaration and is_made_from(request.items, items) then
          local key = qualified_names.key(entry.name)
          if not by_key[key] then keys[#keys + 1], by_key[key] = key, {} end
          table.insert(by_key[key], entry)
        end
      end
    end
    for i, key in ipairs(keys) do
      local exact = parse_request(key)
      list[i] = build(session, handle, file, exact, chosen(file, exact, by_key[key]))
    end
    session:types_changed()
  end)
  return list
end

-- Runs fn(handle, builder) and declares all types that fn made with the builder. Raises if fn raises or a type cannot
-- be declared; nothing is declared then.
local function declaring(session, path, fn)
  transaction.run(session, function()
    local handle <close>, file = debug_info.open(path)
    local builder = debug_types.new(session, file, function(node) return complete(handle, node) end)
    fn(handle, builder)
    builder:finish()
    builder:commit()
    session:types_changed()
  end)
end

-- Declares the types of a program's variables whose names begin with `prefix`, and the types that they need. Returns a
-- list of {name, type, qualified}; `qualified` means that the variable, or the target of a pointer, is const or
-- volatile. typedefs: list of typedef names; a structure without a tag gets the name of such a typedef. Raises if a
-- type cannot be declared.
function debug_info.variables(session, path, prefix, typedefs)
  local list = {}
  declaring(session, path, function(handle, builder)
    for _, name in ipairs(typedefs) do
      for _, entry in ipairs((handle:find(name, nil, 0, false))) do
        if entry.kind == "typedef" and entry.name == name then builder:type(handle:type(entry.number)) end
      end
    end
    for i, variable in ipairs(handle:variables(prefix)) do
      local node = handle:type(variable.number)
      list[i] = { name = variable.name, type = builder:type(node), qualified = debug_types.is_qualified(node) }
    end
  end)
  return list
end

-- Describes the Fortran variables of a program whose names begin with `prefix`, and declares the derived types that
-- they need. The first result is a list of {name, rank, record, polymorphic, spelled}, one per variable. The second is
-- a table from each name in the list `names` to the list of derived types with that name. record: derived type of the
-- elements, nil for other and polymorphic types. spelled: name of the elements' type as the debug information has it.
-- Raises if a type cannot be declared.
function debug_info.objects(session, path, prefix, names)
  local list, named = {}, {}
  declaring(session, path, function(handle, builder)
    for i, variable in ipairs(handle:variables(prefix)) do
      local node, rank = handle:type(variable.number), 0
      while node and node.kind ~= "record" and (node.of or node.to) do
        rank = rank + (node.rank or node.dims and #node.dims or 0)
        node = node.of or node.to
      end
      local description = { name = variable.name, rank = rank, spelled = node and node.name }
      if node and node.kind == "record" then
        description.polymorphic = node.name ~= nil and node.name:find "__class_" ~= nil
        description.record = not description.polymorphic and builder:type(node) or nil
      end
      list[i] = description
    end
    for _, name in ipairs(names) do
      local visited, entries = {}, not named[name] and handle:find(name, nil, 0, false) or {}
      named[name] = named[name] or {}
      for _, entry in ipairs(entries) do
        local record = not entry.declaration and entry.fortran and builder:type(handle:type(entry.number))
        if record and not visited[record] then table.insert(named[name], record) end
        visited[record or entry] = true
      end
    end
  end)
  return list, named
end

-- Returns all variables of a program: name -> {is_record, lines}. `is_record` is true if at least one variable of that
-- name is a structure or an array of structures; `lines` is the set of lines of their declarations. Declares nothing.
-- Raises if the program cannot be read.
function debug_info.all_variables(path)
  local handle <close> = debug_info.open(path)
  local by_name = {}
  for _, variable in ipairs(handle:variables "") do
    local node = handle:type(variable.number)
    while node and (node.kind == "typedef" or node.kind == "array") do node = node.to or node.of end
    local summary = by_name[variable.name] or { is_record = false, lines = {} }
    by_name[variable.name] = summary
    summary.is_record = summary.is_record or node ~= nil and node.kind == "record"
    if variable.line then summary.lines[variable.line] = true end
  end
  return by_name
end

-- Returns a function(i, name, line), by which names in two places can be compared. Its result is a text that identifies
-- the local variable to which `name` refers at that line, in the scope of variable number i. Equal texts mean the same
-- variable; false: `name` is not a local variable there. Variables are numbered from 1 among those whose names begin
-- with `prefix`.
function debug_info.meanings(path, prefix)
  local handle <close> = debug_info.open(path)
  local list, scopes = handle:variables ""
  local lines, requested_scopes = {}, {}
  for _, variable in ipairs(list) do
    local scope = lines[variable.scope] or {}
    lines[variable.scope] = scope
    scope[variable.name] = scope[variable.name] or {}
    table.insert(scope[variable.name], variable.line or 0)
    if variable.name:sub(1, #prefix) == prefix then requested_scopes[#requested_scopes + 1] = variable.scope end
  end
  return function(i, name, line)
    local scope = requested_scopes[i]
    while scope and scopes[scope] and scopes[scope] > 0 do
      local last
      for _, declared in ipairs(lines[scope] and lines[scope][name] or {}) do
        if declared <= line and declared >= (last or 0) then last = declared end
      end
      if last then
        local depth = 0
        while scopes[scope] > 0 do scope, depth = scopes[scope], depth + 1 end
        return ("%d:%d"):format(last, depth)
      end
      scope = scopes[scope]
    end
    return false
  end
end

-- ----------------------------------------------------------------------------------------- display --

-- Returns the sorted names, with their kinds, of all structures, unions, enums and typedefs of a program outside of
-- classes and functions. Raises if the program has no debug information.
function debug_info.names(path)
  local handle <close>, file = debug_info.open(path)
  local list, has_debug_info = handle:find()
  if not has_debug_info then raise_no_information(file) end
  local names, listed = {}, {}
  for _, entry in ipairs(list) do
    local name = entry.kind .. " " .. qualified_names.key(entry.name)
    if not entry.declaration and not listed[name] then
      listed[name] = true
      names[#names + 1] = name
    end
  end
  table.sort(names)
  return names
end

-- Returns the definition of a record t as C text, with the offsets of its members in comments; for other types, the
-- name and size. Members of anonymous records are shown as members of the record; bytes without a declaration are left
-- out.
function debug_info.describe(t)
  local lines = {}
  local function add(record, offset, margin)
    for _, member in ipairs(record.members) do
      local at = offset + member.offset
      if member.name and not member.name:find "^%(" then
        local declared = types.spell(member.type, member.name):gsub("^struct (%S+::)", "%1")
        lines[#lines + 1] = ("%s%-40s /* %d */"):format(margin, declared .. ";", at)
      elseif not member.name then
        add(member.type, at, margin)
      end
    end
  end
  if t.kind ~= "record" then return ("%s; /* %s */\n"):format(types.name(t), strings.count(t.size, "byte")) end
  lines[1] = types.name(t):gsub("^struct (%S+::)", "%1") .. " {"
  add(t, 0, "    ")
  lines[#lines + 1] = ("}; /* %s */\n"):format(strings.count(t.size, "byte"))
  return table.concat(lines, "\n")
end

return debug_info
