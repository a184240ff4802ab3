-- objects.lua - reads object files with readelf. Returns a function from their paths to a list of files: {path,
-- defines, uses}. path: the source. defines: a set of symbols. uses: a list of {from = function, to = symbol}.

local function rows(what, paths)
  local quoted = {}
  for i, path in ipairs(paths) do quoted[i] = "'" .. path:gsub("'", "'\\''") .. "'" end
  local pipe = assert(io.popen(("LC_ALL=C readelf %s %s"):format(what, table.concat(quoted, " "))))
  local text = pipe:read "a"
  assert(pipe:close(), "readelf failed")
  local current = #paths == 1 and paths[1] or nil
  local next_row = text:gmatch "[^\n]+"
  return function()
    for row in next_row do
      local file = row:match "^File: (.*)$"
      if not file then return row, current end
      current = file
    end
  end
end

-- Returns the source of an object: "build/CMakeFiles/t.dir/core/plan/links.c.o" -> "core/plan/links.c".
local function source_of(object)
  return (object:gsub("^.*%.dir/", ""):gsub("%.o$", ""))
end

-- Returns the function or table that contains an offset of a section, or nil. Precondition: symbols are sorted by
-- `at`.
local function owner_of(symbols, at)
  local low, high = 1, #symbols
  while low <= high do
    local middle = (low + high) // 2
    if symbols[middle].at <= at then low = middle + 1 else high = middle - 1 end
  end
  local symbol = symbols[high]
  return symbol and at < symbol.at + math.max(symbol.size, 1) and symbol.name or nil
end

return function(paths)
  local files, by_path = {}, {}
  for i, path in ipairs(paths) do
    files[i] = { path = source_of(path), defines = {}, uses = {}, sections = {}, symbols = {} }
    by_path[path] = files[i]
  end

  for row, path in rows("-SW", paths) do
    local number, name = row:match "^%s*%[%s*(%d+)%]%s+(%S+)"
    if number then by_path[path].sections[number] = name end
  end

  for row, path in rows("-sW", paths) do
    local at, size, kind, bind, section, name =
      row:match "^%s*%d+:%s+(%x+)%s+(%S+)%s+(%u+)%s+(%u+)%s+%u+%s+(%w+)%s+(%S+)"
    local file = path and by_path[path]
    if at and file.sections[section] and (kind == "FUNC" or kind == "OBJECT") then
      if bind ~= "LOCAL" then file.defines[name] = true end
      local list = file.symbols[file.sections[section]] or {}
      file.symbols[file.sections[section]] = list
      list[#list + 1] = { at = tonumber(at, 16), size = math.tointeger(tonumber(size)), name = name }
    end
  end
  for _, file in ipairs(files) do
    for _, list in pairs(file.symbols) do table.sort(list, function(a, b) return a.at < b.at end) end
  end

  local section
  for row, path in rows("-rW", paths) do
    section = row:match "^Relocation section '%.rela?(%.[^']*)'" or section
    local at, name = row:match "^(%x+)%s+%x+%s+R_%S+%s+%x+%s+([%a_][%w_]*)"
    if at and not section:find "^%.debug" and not section:find "^%.eh_frame" then
      local file = by_path[path]
      local from = owner_of(file.symbols[section] or {}, tonumber(at, 16))
      file.uses[#file.uses + 1] = { from = from or "data", to = name }
    end
  end
  return files
end
