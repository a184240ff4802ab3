-- places.lua - finds where the sources decide and cite rules, and which rules the errors of each code cite. The module
-- is a function of the sources' root and their paths, which returns the text of the module accdeep.rules.places.
-- bundle.lua calls it.
--
-- A function or table that decides rules has a comment directly above it, in C or Lua, whose last sentence is like
-- "Decides TR14-4.2-06, DIR-4.1-04."

-- Returns the text of a file. Raises if it cannot be opened.
local function text_of(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

-- Returns a true value if a text is the id of a rule, such as TR14-4.2-06 or HOUSE-lower.
local function is_id(id) return id:find "^%u[%u%d]+%-[%w._-]*%d$" or id:find "^HOUSE%-%l+$" end

-- Adds names that the text of a header of the core defines. To `rules`: lists of ids by name ("ATTACH" for R_ATTACH).
-- To `codes`: error codes by name ("NOT_PRESENT" for ACCD_ERROR_NOT_PRESENT).
local function names_in(header, rules, codes)
  for name, list in header:gmatch 'X%(([%u_]+), ("%u[^)]+")%)' do
    rules[name] = {}
    for id in list:gmatch '"([^"]+)"' do table.insert(rules[name], id) end
  end
  for name, code in header:gmatch 'X%(([%u_]+), %d+, "(%l[^"]*)",' do codes[name] = code end
end

-- Adds a value to the list map[key], unless the list already has it; creates the list.
local function add(map, key, value)
  map[key] = map[key] or {}
  if not map[key][value] then
    map[key][value] = true
    table.insert(map[key], value)
  end
end

-- Returns the name of the C function or table whose definition begins in `line`; nil for other lines. Only lines at the
-- left margin can begin one.
local function defined_in_c(line)
  if line:find "^[%s#/*{}]" or line:find ";%s*$" then return nil end
  return line:match "([%w_]+)[%[%]%w_]*%s*=%s*{" or line:gsub("__attribute__%(%b()%)", ""):match "([%w_]+)%("
end

-- Returns the name of the Lua function or variable whose definition begins in a line; nil for other lines.
local function defined_in_lua(line)
  local definition = line:match "^%s*(.*)":gsub("^local ", ""):gsub("^function ", "")
  return definition:match "^([%a_][%w_.:]*)%s*%(" or definition:match "^([%a_][%w_.:]*) = "
end

-- Returns the list of rules after "Decides" in a comment; nil if it has no such sentence at its end.
local function decided_in(comment)
  local rest = comment:match "%f[%w]Decides (%u[%u%d]+%-.*)$"
  local ids = rest and {}
  while rest do
    local id, mark, following = rest:match "^(%u[%u%d]+%-[%w._-]*%w)(%p?)%s*(.*)$"
    if id then ids[#ids + 1] = id end
    rest = mark == "," and following or nil
  end
  return ids
end

-- Adds the locations "file:line" at which the source `text` cites rules to `places`, and the locations at which it
-- decides them, as "file:line function", to `decided`. `path`: path of the source in the locations. `rules`: result of
-- names_in.
local function add_places(text, path, rules, places, decided)
  local line, comment, is_c = 0, "", not path:find "%.lua$"
  for row in (text .. "\n"):gmatch "(.-)\n" do
    line = line + 1
    local source_location = ("%s:%d"):format(path, line)
    local is_comment = row:find(is_c and "^%s*/?%*" or "^%s*%-%-") ~= nil
    local name = not is_comment and comment ~= "" and (is_c and defined_in_c or defined_in_lua)(row)
    for _, id in ipairs(name and decided_in(comment) or {}) do add(decided, id, source_location .. " " .. name) end
    comment = is_comment and comment .. row:gsub("^%s*[-/*]+", ""):gsub("%*/%s*$", "") or ""
    local about = path:find "/reference/" or path:find "/terms%.lua$"
    local cites = not (is_comment and decided_in(comment)) and not about
    for id in (cites and row or ""):gmatch "%u[%u%d]+%-[%w._-]*%w" do
      if is_id(id) then add(places, id, source_location) end
    end
    for cited in row:gmatch "%f[%w_]R_([%u_]+)" do
      for _, id in ipairs(rules[cited] or {}) do add(places, id, source_location) end
    end
  end
end

-- Adds the rules that errors in the source `text` cite to `cited`, by code. Errors of the core are raised with a status
-- and a rule in one call. Errors of Lua have a code and a field `rule`; errors of compiled programs have a code and a
-- rule. `rules`, `codes`: results of names_in.
local function add_errors(text, rules, codes, cited)
  for status, rest in text:gmatch "%f[%w_]ACCD_([%u_]+),([^;\"]*)" do
    for name in rest:gmatch "%f[%w_]R_([%u_]+)" do
      for _, id in ipairs(codes[status] and rules[name] or {}) do add(cited, codes[status], id) end
    end
  end
  for call in text:gmatch "%f[%w_]%l+(%b())" do
    local code = call:match '^%("(%l[%l-]+)",' or call:match '^%([%w_.]+, "(%l[%l-]+)",'
    local id = call:match '[{%s]rule = "([^"]+)"'
    if code and id and is_id(id) then add(cited, code, id) end
  end
  for call in text:gmatch "rt_report(%b())" do
    local code = call:match '^%(%s*"error", "(%l[%l-]+)",'
    for id in (code and call or ""):gmatch '"([^"%s]+)"' do
      if is_id(id) then add(cited, code, id) end
    end
  end
end

-- Returns a table of lists as Lua source: a field called `name`, with sorted keys.
local function written(name, map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  table.sort(keys)
  local rows = {}
  for i, key in ipairs(keys) do
    local items = {}
    for k, item in ipairs(map[key]) do items[k] = ("%q"):format(item) end
    rows[i] = ("[%q] = { %s },\n"):format(key, table.concat(items, ", "))
  end
  return ("%s = {\n%s},\n"):format(name, table.concat(rows))
end

-- Returns the text of the module accdeep.rules.places. `root`: the root of the sources, without a final '/'. `paths`:
-- paths of C headers, C sources and Lua modules below it. Raises if a file cannot be opened.
return function(root, paths)
  local rules, codes, places, decided, cited = {}, {}, {}, {}, {}
  for _, path in ipairs(paths) do
    if path:find "%.h$" then names_in(text_of(path), rules, codes) end
  end
  for _, path in ipairs(paths) do
    if not path:find "%.h$" then
      local text = text_of(path)
      add_places(text, path:sub(#root + 2), rules, places, decided)
      add_errors(text, rules, codes, cited)
    end
  end
  return "return {\n" .. written("rules", places) .. written("decided", decided) .. written("codes", cited) .. "}\n"
end
