-- places.lua - where the sources decide rules, and which rules errors of each code cite: a function of the sources'
-- folder and paths that gives the text of the module accdeep.rules.places.

local function text_of(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local function is_id(id) return id:find "^%u[%u%d]+%-[%w._-]*%d$" or id:find "^HOUSE%-%l+$" end

-- The core's names of rules and errors: "R_ATTACH" -> ids, "ACCD_NOT_PRESENT" -> code.
local function names_in(header, rules, codes)
  for name, list in header:gmatch 'X%(([%u_]+), ("%u[^)]+")%)' do
    rules[name] = {}
    for id in list:gmatch '"([^"]+)"' do table.insert(rules[name], id) end
  end
  for name, code in header:gmatch 'X%(([%u_]+), "(%l[^"]*)",' do codes[name] = code end
end

-- Adds a value to the list of a key, once.
local function add(map, key, value)
  map[key] = map[key] or {}
  if not map[key][value] then
    map[key][value] = true
    table.insert(map[key], value)
  end
end

local function add_places(text, shown, rules, places)
  local line = 0
  for row in (text .. "\n"):gmatch "(.-)\n" do
    line = line + 1
    local place = ("%s:%d"):format(shown, line)
    for id in row:gmatch "%u[%u%d]+%-[%w._-]*%w" do
      if is_id(id) then add(places, id, place) end
    end
    for name in row:gmatch "%f[%w_]R_([%u_]+)" do
      for _, id in ipairs(rules[name] or {}) do add(places, id, place) end
    end
  end
end

-- Errors of the core are raised with status and rule in one call, those of Lua with a code and a field rule.
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
end

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

return function(root, paths)
  local rules, codes, places, cited = {}, {}, {}, {}
  for _, path in ipairs(paths) do
    if path:find "%.h$" then names_in(text_of(path), rules, codes) end
  end
  for _, path in ipairs(paths) do
    if not path:find "%.h$" then
      local text = text_of(path)
      add_places(text, path:sub(#root + 2), rules, places)
      add_errors(text, rules, codes, cited)
    end
  end
  return "return {\n" .. written("rules", places) .. written("codes", cited) .. "}\n"
end
