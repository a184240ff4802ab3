-- The rule catalogue of spec/rules against the code that cites rules and the scenarios that show them.
--
-- A scenario's case says what it shows: its name is "accepts: what [RULE ...]", "rejects: what [RULE ...]" or
-- "differs: what [RULE ...]" (spec/README.md). A rule is done when cases of both sides cite it.

local lfs = require "lfs"

local function files_below(folder, pattern, list)
  list = list or {}
  local names = {}
  for name in lfs.dir(folder) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local path = folder .. "/" .. name
    if not name:find "^%." then
      if lfs.attributes(path, "mode") == "directory" then
        files_below(path, pattern, list)
      elseif name:find(pattern) then
        list[#list + 1] = path
      end
    end
  end
  return list
end

local function text_of(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

-- ----------------------------------------------------------------------------------- catalogue --

local catalogue, order, documents = {}, {}, {}
for _, path in ipairs(files_below("spec/rules", "%.lua$")) do
  for _, rule in ipairs(assert(loadfile(path, "t", {}))()) do
    order[#order + 1] = { rule = rule, path = path }
    catalogue[rule.id] = rule
    documents[rule.id:match "^%w+"] = true
  end
end

-- The ids of documents in the catalogue that a text mentions.
local function mentioned(text)
  local ids = {}
  for document, rest in text:gmatch "%f[%w](%u[%u%d]+)%-([%w._]+%-?%d*)" do
    local id = document .. "-" .. rest:gsub("%.+%d*$", "")
    local is_rule = document == "HOUSE" and rest:find "^%l+$" or rest:find "%-%d+"
    if documents[document] and is_rule then ids[#ids + 1] = id end
  end
  return ids
end

-- ----------------------------------------------------------------------------------- scenarios --

-- Something that may be called, indexed, assigned to and counted with, and does nothing.
local nothing
local idle = {}
for _, event in ipairs { "__index", "__call", "__add", "__sub", "__mul", "__concat" } do
  idle[event] = function() return nothing() end
end
function nothing() return setmetatable({}, idle) end

-- Head and names of the cases of a scenario, read by running the file without its cases.
local function outline(path)
  local found = { cases = {} }
  local env = { host = nothing() }
  function env.scenario(head) found.head = head end
  function env.case(name) found.cases[#found.cases + 1] = name end
  setmetatable(env, { __index = function(_, name)
    local value = _G[name]
    if value == nil then value = nothing() end
    return value
  end })
  assert(loadfile(path, "t", env))()
  return found
end

local scenarios, shown = {}, { accepts = {}, rejects = {}, differs = {} }
for _, path in ipairs(files_below("spec", "%.lua$")) do
  if not path:find "^spec/rules/" then
    local found = outline(path)
    found.path = path
    for _, name in ipairs(found.cases) do
      local kind, ids = name:match "^(%l+): .* %[([^%]]+)%]$"
      for id in (ids or ""):gmatch "%S+" do
        if shown[kind] then shown[kind][id] = true end
      end
    end
    scenarios[#scenarios + 1] = found
  end
end

-- --------------------------------------------------------------------------------------- tests --

describe("the catalogue of rules", function()
  it("has rules of every document", function()
    for _, document in ipairs { "TR14", "DIR", "ACC20", "ACC33", "OMP60", "HOUSE" } do
      assert.is_true(documents[document], document)
    end
    assert.is_true(#order > 300)
  end)

  it("has every id once, with section, kind, status, title and text", function()
    local seen, kinds, titles = {}, {}, {}
    for kind in ([[syntax,static error,default,precedence,lowering,meaning,run-time error,choice,
        restriction,future,figure,background]]):gmatch "[^,]+" do
      kinds[kind:match "^%s*(.-)%s*$"] = true
    end
    for _, entry in ipairs(order) do
      local rule = entry.rule
      assert.is_nil(seen[rule.id], rule.id .. " stands twice")
      seen[rule.id] = true
      assert.is_truthy(rule.section and rule.section ~= "", rule.id .. " has no section")
      assert.is_true(kinds[rule.kind], ("%s is a '%s'"):format(rule.id, tostring(rule.kind)))
      assert.is_truthy(rule.status == "done" or rule.status == "open" or rule.status == "untestable",
        rule.id .. " has no status")
      assert.equal(rule.status == "untestable", rule.why ~= nil, rule.id .. ": untestable, and why")
      assert.is_truthy(rule.text:find "^%S.*%.%)?$", rule.id .. " has no text")
      assert.is_truthy(rule.title and rule.title:find "^%S.*[^%s.]$", rule.id .. " has no title")
      assert.is_true(select(2, rule.title:gsub("%S+", "")) <= 8, rule.id .. " has a title of more than eight words")
      assert.is_nil(titles[rule.title], ("%s has the title of %s"):format(rule.id, titles[rule.title]))
      titles[rule.title] = rule.id
      for key in pairs(rule) do
        assert.is_truthy(key == "id" or key == "section" or key == "kind" or key == "status"
          or key == "title" or key == "text" or key == "why", ("%s has a field '%s'"):format(rule.id, key))
      end
    end
  end)

  it("has every rule that the code cites", function()
    local paths, count = files_below("core", "%.[ch]$"), 0
    files_below("lua", "%.[lch][ua]*$", paths)
    for _, path in ipairs(paths) do
      for _, id in ipairs(mentioned(text_of(path))) do
        count = count + 1
        assert.is_truthy(catalogue[id], ("%s cites %s, an unknown rule"):format(path, id))
      end
    end
    assert.is_true(count > 100, "too few citations were found in the code: " .. count)
  end)
end)

describe("the scenarios of the specification", function()
  it("are there", function() assert.is_true(#scenarios > 10) end)

  for _, found in ipairs(scenarios) do
    describe(found.path, function()
      it("has a head with a title", function()
        assert.is_table(found.head)
        assert.is_truthy(type(found.head.title) == "string" and found.head.title ~= "")
        assert.is_nil(found.head.cites, "the cases cite rules")
      end)

      it("has cases that accept, reject or differ, each with its rules", function()
        assert.is_true(#found.cases > 0)
        local names = {}
        for _, name in ipairs(found.cases) do
          assert.is_nil(names[name], "two cases are called " .. name)
          names[name] = true
          local kind, ids = name:match "^(%l+): .* %[([^%]]+)%]$"
          assert.is_truthy(shown[kind], name)
          for id in ids:gmatch "%S+" do assert.is_truthy(catalogue[id], id .. " in " .. name) end
        end
      end)
    end)
  end

  it("show both sides of every rule that is done, and of no other", function()
    for _, entry in ipairs(order) do
      local rule = entry.rule
      local other = shown.rejects[rule.id] or shown.differs[rule.id]
      local both = shown.accepts[rule.id] and other
      if rule.status == "done" then
        assert.is_true(shown.accepts[rule.id], rule.id .. " is done: what does it accept?")
        assert.is_true(other, rule.id .. " is done: what does it reject, where does it not apply?")
      else
        assert.is_falsy(both, rule.id .. " is shown from both sides: it is done")
      end
    end
  end)
end)
