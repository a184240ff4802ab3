-- transaction.lua - declarations of a session as a whole: all of a text's, or none.
--
-- What a text may declare lies in tables of the scope and of the session. A copy of them is kept while the text
-- is carried out; where it fails, names that came are taken out again. Undoing needs no memory.

local core = require "accdeep.core"

local transaction = {}

local SPACES = { "variables", "typedefs", "tags", "enumerators", "functions", "procedures", "templates", "instances",
  "qualified", "namespaces", "constant_types" }
local LISTS = { "target_blocks", "target_variables" }
local TABLES = { "shape_tables", "policy_tables", "method_tables", "mapper_tables" } -- record -> name -> what it says

local function copy(t)
  local made = {}
  for key, value in next, t do made[key] = value end
  return made
end

local function put_back(t, saved)
  for key in next, t do
    if saved[key] == nil then t[key] = nil end
  end
  for key, value in next, saved do t[key] = value end
end

-- Types that are named, not yet defined: a definition fills them, also those of scopes around.
local function incomplete(scope)
  local list = {}
  while scope do
    for _, t in next, scope.tags do
      if t.kind == "record" and not t.complete then list[#list + 1] = { t = t, fields = copy(t) } end
    end
    scope = scope.outer
  end
  return list
end

local function taken(session)
  local saved = { blocks = copy(session.blocks), incomplete = incomplete(session.scope) }
  for _, name in ipairs(SPACES) do saved[name] = copy(session.scope[name]) end
  for _, name in ipairs(LISTS) do saved[name] = copy(session[name]) end
  for _, name in ipairs(TABLES) do
    saved[name], saved[name .. " inside"] = copy(session[name]), {}
    for record, entries in next, session[name] do saved[name .. " inside"][record] = copy(entries) end
  end
  return saved
end

-- Variables that became the devices' own (declare target) are taken off them.
local function unmap(session, saved)
  local ctx = session.ctx
  for variable, how in next, session.target_variables do
    if how == "enter" and saved.target_variables[variable] == nil then
      for device = 0, session.devices - 1 do
        local dev = ctx:deviceptr(device, variable.address)
        if dev ~= 0 and ctx:unmap(device, variable.address) then ctx:device_free(device, dev) end
      end
    end
  end
end

local function undo(session, saved)
  unmap(session, saved)
  for _, name in ipairs(LISTS) do put_back(session[name], saved[name]) end
  for _, name in ipairs(SPACES) do put_back(session.scope[name], saved[name]) end
  for _, name in ipairs(TABLES) do
    put_back(session[name], saved[name])
    for record, entries in next, saved[name .. " inside"] do put_back(session[name][record], entries) end
  end
  for _, entry in ipairs(saved.incomplete) do put_back(entry.t, entry.fields) end
  for address, block in next, session.blocks do
    if saved.blocks[address] == nil and block.live then
      session.blocks[address] = nil
      session.ctx:host_forget(address)
      core.free(address)
      core.charge(-block.bytes)
    end
  end
end

-- Runs fn(...), which declares something; what it declared is forgotten if it fails.
function transaction.run(session, fn, ...)
  local saved = taken(session)
  local ok, err = pcall(fn, ...)
  if ok then return end
  undo(session, saved)
  session:types_changed()
  error(err, 0)
end

return transaction
