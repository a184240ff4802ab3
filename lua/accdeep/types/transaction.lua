-- transaction.lua - declarations of a session as a whole: all of a text's, or none.
--
-- What a text may declare lies in tables of several modules. Each of them registers how its own is put back: a
-- function that is called before a text is carried out, and returns the function that undoes what came since.
-- Undoing needs no memory that could run out. tests/lua/transaction_spec.lua compares all of a session before and
-- after texts that fail.


local transaction = {}

local registered = {}

-- keep(session) returns undo(), which is called if the text fails.
function transaction.register(keep) registered[#registered + 1] = keep end

local function copy(t)
  local made = {}
  for key, value in next, t do made[key] = value end
  return made
end

-- Remembers what a table holds itself; returns a function that puts that back.
function transaction.save(t)
  local saved = copy(t)
  return function()
    for key in next, t do
      if saved[key] == nil then t[key] = nil end
    end
    for key, value in next, saved do t[key] = value end
  end
end

-- The same for some tables of an object, and for the tables in these if they are deep.
function transaction.save_fields(object, names, is_deep)
  local undo = {}
  for _, name in ipairs(names) do
    undo[#undo + 1] = transaction.save(object[name])
    for _, inner in next, is_deep and object[name] or {} do undo[#undo + 1] = transaction.save(inner) end
  end
  return function() for _, fn in ipairs(undo) do fn() end end
end

-- Memory of variables.
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

-- Runs fn(...), which declares something; what it declared is forgotten if it fails.
function transaction.run(session, fn, ...)
  local undo = {}
  for i, keep in ipairs(registered) do undo[i] = keep(session) end
  local ok, err = pcall(fn, ...)
  if ok then return end
  for i = #undo, 1, -1 do undo[i]() end
  session:types_changed()
  error(err, 0)
end

return transaction
