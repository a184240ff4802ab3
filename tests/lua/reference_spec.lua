-- The reference against what a script sees: every name is described, every description is of a name, examples run and
-- errors are raised as they say.
local rules = require "accdeep.definitions.rules"
local diagnostic = require "accdeep.base.diagnostic"
local reference = require "accdeep.inspect.reference"
local sandbox = require "accdeep.script.sandbox"
local scenario = require "accdeep.script.scenario"

-- Both tables have the same keys; what is told is what one has and the other has not.
local function assert_same_names(found, described)
  local only = { found = {}, described = {} }
  for name in pairs(found) do
    if not described[name] then table.insert(only.found, name) end
  end
  for name in pairs(described) do
    if not found[name] then table.insert(only.described, name) end
  end
  assert.same({ found = {}, described = {} }, only)
end

-- The names that a scenario sees: functions and values by name, members of libraries as library.name.
local function seen_by_script()
  local script
  scenario.run("names.lua", "", { observers = { { names = function(env) script = env end } } })
  rawset(script, "vocabulary", script.vocabulary) -- which is there when it is read
  local library = sandbox.environment(print)
  local own, lua = {}, {}
  for name, value in pairs(script) do
    if library[name] == nil then
      own[name] = true
    elseif type(value) == "table" and name ~= "_G" then
      for member in pairs(value) do lua[name .. "." .. member] = true end
    else
      lua[name] = true
    end
  end
  for member in pairs(script.expect) do own["expect." .. member] = true end
  return own, lua
end

local function chapter_named(title)
  for _, chapter in ipairs(reference.chapters()) do
    if chapter.title == title then return chapter end
  end
end

-- The entries of all chapters: what they are called, entry, chapter.
local function entries()
  local list = {}
  for _, chapter in ipairs(reference.chapters()) do
    for _, entry in ipairs(chapter) do
      list[#list + 1] = { name = entry.name or entry.class, entry = entry, chapter = chapter }
    end
  end
  return list
end

local from_lua = chapter_named "From Lua"

-- Runs a text as its chapter's examples are: as a scenario, or as a Lua program. Returns the error, or nil.
local function run(chapter, text)
  if chapter == from_lua then
    local ok, err = pcall(assert(load(text, "@example")))
    return not ok and err or nil
  end
  local record = scenario.run("example.lua", text, { out = function() end, draw = function() end })
  for _, case in ipairs(record.cases) do
    if not case.ok then return case.error end
  end
end

describe("the reference", function()
  it("has every name that a script sees, and no other", function()
    local own = seen_by_script()
    local described = {}
    for name in pairs(reference.all(true)) do
      if not name:find "^accdeep%." then described[name] = true end
    end
    assert_same_names(own, described)
  end)

  it("has the names that .luacheckrc knows in scenarios", function()
    local config, own, known = { files = {} }, seen_by_script(), {}
    assert(loadfile(".luacheckrc", "t", config))()
    for _, list in ipairs { config.files.spec.read_globals, config.files.spec.globals } do
      for _, name in ipairs(list) do known[name] = true end
    end
    for name in pairs(own) do
      if name:find("%.") then own[name] = nil end
    end
    assert_same_names(own, known)
  end)

  it("lists what there is of Lua's library", function()
    local _, lua = seen_by_script()
    local listed = {}
    for name in chapter_named "Lua's library".names:gmatch "%S+" do listed[name] = true end
    assert_same_names(lua, listed)
  end)

  it("has every name of the package, and no other", function()
    local found, described = {}, {}
    for name in pairs(require "accdeep") do found["accdeep." .. name] = true end
    for _, entry in ipairs(from_lua) do
      if entry.name then described[entry.name] = true end
    end
    assert_same_names(found, described)
  end)

  it("names a session's methods", function()
    local session = require "accdeep".session()
    finally(function() session:close() end)
    for _, field in ipairs(reference.find "accdeep.host_program".fields) do
      local name = reference.field(field)
      assert.equal("function", type(session[name]), name)
    end
  end)

  for _, item in ipairs(entries()) do
    local entry = item.entry
    it("describes " .. item.name, function()
      assert.matches("%.$", entry.text)
      for _, field in ipairs(entry.params or entry.fields or {}) do
        assert.truthy(reference.field(field), field)
      end
      for _, result in ipairs(entry.returns or {}) do assert.truthy(reference.result(result), result) end
      if entry.class then return end
      assert.matches("%S", entry.rules)
      for id in entry.rules:gmatch "%S+" do assert.is_true(rules.has(id), id) end
      local err = run(item.chapter, reference.script(item.chapter, entry, entry.example))
      assert.is_nil(err, tostring(err))
      for _, e in ipairs(entry.errors or {}) do
        assert.truthy(diagnostic.phase(e[1]), e[1])
        err = run(item.chapter, reference.script(item.chapter, entry, e[3]))
        assert.equal(e[1], type(err) == "table" and err.code or tostring(err),
          ("%s: %s"):format(e[3], tostring(err)))
      end
    end)
  end

  it("tells about a name, and nothing about what has none", function()
    local text = reference.text "acc_pcopyin"
    assert.matches("^acc_copyin%(where %[, bytes%]%)\n", text)
    assert.matches("\n  errors\n    partially%-present: only a part is present\n", text)
    assert.is_nil(reference.text "acc_kopyin")
  end)
end)
