-- references.lua - finds references between files that the table of layers (layers.lua) forbids. main.lua and
-- selftest.lua call it.
--
-- A file belongs to the longest folder of the table that its path begins with. A file of a layer may use its own
-- folder and lower layers. A file of a product may use its own folder, the folders that the table names, and
-- functions of the layers that the public header declares. Neither folders nor the files of a folder may use one
-- another in a cycle.

local references = {}

local function sorted_keys(map)
  local keys = {}
  for key in pairs(map) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

-- Returns the set of names that a public header declares with `macro`.
function references.declared(header, macro)
  local names = {}
  for declaration in header:gmatch(macro .. "%f[%W]([^;]*);") do
    for list in (declaration:gsub("%b()", "(")):gmatch "[^,]+" do
      local name = list:match "([%a_][%w_]*)%s*%(" or list:match "([%a_][%w_]*)%s*$"
      if name then names[name] = true end
    end
  end
  return names
end

-- Returns the longest of `folders` that contains `path`, or nil.
local function folder_of(folders, path)
  local best
  for folder in pairs(folders) do
    if path:sub(1, #folder + 1) == folder .. "/" and (not best or #folder > #best) then best = folder end
  end
  return best
end

references.folder_of = folder_of

-- Returns the references between files: result[from][to] is a list of {from = function, to = symbol}.
function references.between_files(files)
  local definer, references_of = {}, {}
  for _, file in ipairs(files) do
    references_of[file.path] = references_of[file.path] or {}
    for symbol in pairs(file.defines) do definer[symbol] = file.path end
  end
  for _, file in ipairs(files) do
    for _, use in ipairs(file.uses) do
      local to = definer[use.to]
      if to and to ~= file.path and not file.defines[use.to] then
        local list = references_of[file.path][to] or {}
        references_of[file.path][to] = list
        list[#list + 1] = use
      end
    end
  end
  return references_of
end

-- Returns cycles of a graph as lists of nodes: a shortest cycle through each node that no earlier cycle contains.
function references.cycles(graph)
  local found, known = {}, {}
  for _, start in ipairs(sorted_keys(graph)) do
    local before, queue, at = {}, { start }, 1
    while not known[start] and queue[at] and not before[start] do
      local node = queue[at]
      at = at + 1
      for _, to in ipairs(sorted_keys(graph[node] or {})) do
        if not before[to] then before[to], queue[#queue + 1] = node, to end
      end
    end
    if before[start] and not known[start] then
      local cycle, node = { start }, before[start]
      while node ~= start do
        table.insert(cycle, 2, node)
        node = before[node]
      end
      for _, member in ipairs(cycle) do known[member] = true end
      found[#found + 1] = cycle
    end
  end
  return found
end

local function reference_text(from, to, use) return ("%s: %s uses %s of %s"):format(from, use.from, use.to, to) end

local function cycle_text(what, cycle, example)
  local lines = { ("cycle of %s: %s"):format(what, table.concat(cycle, " -> ")) }
  for i, from in ipairs(cycle) do lines[#lines + 1] = "    " .. example(from, cycle[i % #cycle + 1]) end
  return table.concat(lines, "\n")
end

-- True if a file of folder `from` may use `symbol` of folder `to`.
local function is_allowed(layout, rank, from, to, symbol, public)
  if rank[from] then
    if rank[to] then return rank[to] < rank[from] end
    local beside = layout.beside and layout.beside[to]
    return beside and rank[beside] < rank[from] or false
  end
  for _, folder in ipairs(layout.products[from].uses or {}) do
    if folder == to then return true end
  end
  return layout.products[from].public and public[symbol] or false
end

-- Returns problems of includes: headers of higher layers, and private headers of other folders. list: {path,
-- includes} for all sources and headers.
function references.includes(layout, list)
  local folders, rank, shown, problems = {}, {}, {}, {}
  for i, folder in ipairs(layout.layers) do
    folders[folder], rank[folder] = true, i
    shown[folder .. "/" .. folder:match "[^/]*$" .. ".h"] = true
  end
  for folder in pairs(layout.products) do folders[folder] = true end
  for _, header in ipairs(layout.shown or {}) do shown[header] = true end
  for _, file in ipairs(list) do
    local here = folder_of(folders, file.path)
    for _, header in ipairs(here and file.includes or {}) do
      local there = folder_of(folders, header)
      local far = there and there ~= here
      if far and rank[here] and rank[there] and rank[there] > rank[here] then
        problems[#problems + 1] = ("%s: includes %s of a higher layer"):format(file.path, header)
      elseif far and rank[there] and not shown[header] then
        problems[#problems + 1] = ("%s: includes %s, which is its folder's own"):format(file.path, header)
      end
    end
  end
  return problems
end

-- Returns the names of the functions that a header declares, without those that it defines.
function references.declared_functions(text)
  local names = {}
  text = text:gsub("/%*.-%*/", " "):gsub("\n#[^\n]*", "\n"):gsub("%b{}", ";"):gsub("__%w+__%s*%b()", "")
  for statement in text:gmatch "[^;]+" do
    local name = statement:match "([%a_][%w_]*)%s*%("
    if name and not statement:find "^%s*typedef%f[%W]" and not statement:find "%f[%w]static%f[%W]" then
      names[#names + 1] = name
    end
  end
  return names
end

-- Returns problems of headers: declarations of functions of another folder, and an include directive that shows more
-- than `most` functions in the median. `list` as for references.includes, with `text`. Public headers do not count.
function references.declarations(layout, files, list, most)
  local definer, is_public, number, shown, problems = {}, {}, {}, {}, {}
  for _, file in ipairs(files) do
    for symbol in pairs(file.defines) do definer[symbol] = file.path end
  end
  for _, header in ipairs(layout.headers) do is_public[header] = true end
  for _, file in ipairs(list) do
    if file.path:find "%.h$" and not is_public[file.path] then
      local names = references.declared_functions(file.text)
      number[file.path] = #names
      for _, name in ipairs(names) do
        local source = definer[name]
        if source and source:match "^(.*)/" ~= file.path:match "^(.*)/" then
          problems[#problems + 1] = ("%s: declares %s of %s"):format(file.path, name, source)
        end
      end
    end
  end
  for _, file in ipairs(list) do
    for _, header in ipairs(file.includes) do shown[#shown + 1] = number[header] end
  end
  table.sort(shown)
  local median = shown[(#shown + 1) // 2] or 0
  if median > most then
    problems[#problems + 1] = ("an include directive shows %d functions in the median, %d at most are allowed"):format(
      median, most)
  end
  return problems
end

-- Returns a list of violations, and counts[from][to], the number of file pairs. layout: an entry of layers.lua.
-- public: the set of public symbols.
function references.problems(layout, files, public)
  local folders, rank, problems, counts = {}, {}, {}, {}
  for i, folder in ipairs(layout.layers) do folders[folder], rank[folder] = true, i end
  for folder in pairs(layout.products) do folders[folder] = true end

  local excused, met = {}, {}
  for _, line in ipairs(layout.exceptions or {}) do excused[line] = true end
  local function problem(key, text)
    if excused[key] then met[key] = true else problems[#problems + 1] = text end
  end

  local references_of = references.between_files(files)
  local between, within, example = {}, {}, {}
  for _, from in ipairs(sorted_keys(references_of)) do
    local here = folder_of(folders, from)
    if not here then
      problems[#problems + 1] = from .. ": lies in no folder of the table"
    else
      counts[here], between[here], within[here] = counts[here] or {}, between[here] or {}, within[here] or {}
      within[here][from] = {}
      for _, to in ipairs(sorted_keys(references_of[from])) do
        local there = folder_of(folders, to)
        local uses = references_of[from][to]
        if there == here then
          within[here][from][to] = true
        elseif there then
          counts[here][there] = (counts[here][there] or 0) + 1
          between[here][there] = true
          example[here .. ">" .. there] = example[here .. ">" .. there] or reference_text(from, to, uses[1])
          local seen = {}
          for _, use in ipairs(uses) do
            local text = reference_text(from, to, use)
            if not seen[text] and not is_allowed(layout, rank, here, there, use.to, public) then
              seen[text] = true
              problem(from .. " > " .. use.to, text)
            end
          end
        end
      end
    end
  end

  for _, folder in ipairs(sorted_keys(within)) do
    for _, cycle in ipairs(references.cycles(within[folder])) do
      problem("cycle " .. folder, cycle_text("files", cycle,
        function(from, to) return reference_text(from, to, references_of[from][to][1]) end))
    end
  end
  for _, cycle in ipairs(references.cycles(between)) do
    problem("cycle", cycle_text("folders", cycle, function(from, to) return example[from .. ">" .. to] end))
  end
  for _, line in ipairs(layout.exceptions or {}) do
    if not met[line] then
      problems[#problems + 1] = ("exception %q: there is none any more, take it out"):format(line)
    end
  end
  return problems, counts
end

return references
