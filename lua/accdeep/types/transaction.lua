-- transaction.lua - makes the declarations of a text atomic: either all take effect, or none.
--
-- Several modules keep tables of declarations. Each of them registers a function that saves its tables before a text is
-- executed, and returns a function that restores them. Restoring only assigns existing values, and allocates no memory,
-- so it cannot fail. tests/lua/transaction_spec.lua compares a whole session before and after texts that fail.


local transaction = {}

-- Functions save(session), in the order of their registration; their undo functions are called in reverse order.
local registered = {}

-- Registers save(session) for all later texts. It saves tables and returns undo(), which is called if the text fails
-- and must allocate no memory.
function transaction.register(save) registered[#registered + 1] = save end

-- Returns a shallow copy of a table, without its metatable.
local function copy(t)
  local fields = {}
  for key, value in next, t do fields[key] = value end
  return fields
end

-- Saves the fields of a table t; returns a function that restores them in t, and removes fields that were added.
function transaction.save(t)
  local saved = copy(t)
  return function()
    for key in next, t do
      if saved[key] == nil then t[key] = nil end
    end
    for key, value in next, saved do t[key] = value end
  end
end

-- Saves the tables object[name] for each name in `names` and, if is_deep is true, all values in them, which must then
-- be tables. Returns a function that restores the contents of all these tables.
function transaction.save_fields(object, names, is_deep)
  local undo = {}
  for _, name in ipairs(names) do
    undo[#undo + 1] = transaction.save(object[name])
    for _, inner in next, is_deep and object[name] or {} do undo[#undo + 1] = transaction.save(inner) end
  end
  return function() for _, fn in ipairs(undo) do fn() end end
end

-- Registers the undo for memory blocks: it frees the blocks that the text added and that are still allocated.
transaction.register(function(session)
  local blocks = copy(session.program.blocks)
  return function()
    for address, block in next, session.program.blocks do
      if blocks[address] == nil and block.live then
        session:forget_block(address)
      end
    end
  end
end)

-- Runs fn(...), which declares something, and returns nothing. If it fails, undoes all declarations, clears caches that
-- depend on types, and raises its error again.
function transaction.run(session, fn, ...)
  local undo = {}
  for i, save in ipairs(registered) do undo[i] = save(session) end
  local ok, err = pcall(fn, ...)
  if ok then return end
  for i = #undo, 1, -1 do undo[i]() end
  session:types_changed()
  error(err, 0)
end

return transaction
