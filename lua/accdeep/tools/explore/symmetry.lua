-- symmetry.lua - symmetry reduction: finds the variables whose names can be exchanged without changing the
-- vocabulary.
--
-- search.lua treats two programs as one class if a renaming maps the state of one program to the state of the other.
-- Two variables can be exchanged if they have one type, and the exchange changes neither the set of actions nor the
-- initial state. The renamings are the group that these exchanges generate, limited to MOST.

local types = require "accdeep.types"

local symmetry = {}

local MOST = 24 -- largest number of renamings, with the identity

-- Returns the text of an action with the variable names `a` and `b` exchanged. Names of members, after `.`, `%` or
-- `->`, are not changed.
local function exchange_names(text, a, b)
  return (text:gsub("()(%f[%w_][%a_][%w_]*)", function(at, name)
    local before = text:sub(1, at - 1)
    if name ~= a and name ~= b or before:find "[.%%]%s*$" or before:find "%->%s*$" then return nil end
    return name == a and b or a
  end))
end

-- Returns a key of an action: kind, text and body. If `a` is not nil, the names `a` and `b` are exchanged in the key.
local function key_of(action, a, b)
  local text, body = action.text or "", action.body or ""
  if a then text, body = exchange_names(text, a, b), exchange_names(body, a, b) end
  return action.kind .. "\0" .. text .. "\0" .. body
end

-- Returns the permutation of action numbers that exchanging the names `a` and `b` causes, or nil if an exchanged action
-- is not in the vocabulary.
local function action_permutation(actions, a, b)
  local by_key, map = {}, {}
  for i, action in ipairs(actions) do
    if action.kind ~= "end" then by_key[key_of(action)] = i end
  end
  for i, action in ipairs(actions) do
    map[i] = action.kind ~= "end" and by_key[key_of(action, a, b)] or action.kind == "end" and i or nil
    if not map[i] then return nil end
  end
  -- The `end` action of a region is exchanged together with the action that opens the region.
  for i, action in ipairs(actions) do
    for j, other in ipairs(actions) do
      if action.opener and other.opener == map[action.opener] then map[i] = j end
    end
  end
  return map
end

-- Returns a list of the session's variables as {name, type, number}, and the number of memory blocks. `number`: rank of
-- the variable's block in the order of creation.
local function variables(session)
  local blocks, list = {}, {}
  for _, block in next, session.program.blocks do blocks[#blocks + 1] = block end
  table.sort(blocks, function(a, b) return a.serial < b.serial end)
  for number, block in ipairs(blocks) do
    if block.variable and block.type then
      list[#list + 1] = { name = block.name, type = types.name(block.type), number = number }
    end
  end
  return list, #blocks
end

-- Returns the identical permutation of 1 to n.
local function identity(n)
  local map = {}
  for i = 1, n do map[i] = i end
  return map
end

-- Returns the permutation that applies the permutations `first`, then `second`.
local function compose(first, second)
  local map = {}
  for i, k in ipairs(first) do map[i] = second[k] end
  return map
end

-- Returns true if the permutation `numbers` of memory blocks (result of pack_map) does not change the digests of a
-- system.
local function is_same_state(system, numbers)
  local digests, renamed = { system:digests() }, { system:digests(numbers) }
  for i, part in ipairs(digests) do
    if renamed[i] ~= part then return false end
  end
  return true
end

-- Returns a permutation as a string of 32-bit integers, the form that the core's digests take.
local function pack_map(map) return (("I4"):rep(#map):pack(table.unpack(map))) end

-- Returns all renamings except the identity: a list of {numbers, memory, actions, names}. `memory`: the permutation of
-- memory blocks; `numbers`: the same permutation, packed for the core's digests. `actions`: the permutation of actions.
-- `names`: a table from old name to new name. The list is empty for sessions with more than 64 blocks. Precondition:
-- the systems are in their initial states.
function symmetry.renamings(systems, actions)
  local list, n = variables(systems[1].session)
  local renamings = { { memory = identity(n), actions = identity(#actions), names = {} } }
  for _, variable in ipairs(list) do renamings[1].names[variable.name] = variable.name end
  local listed = { [pack_map(renamings[1].memory)] = true }
  local steps = {}
  for i, a in ipairs(list) do
    for j = i + 1, #list do
      local b = list[j]
      local map = a.type == b.type and n <= 64 and action_permutation(actions, a.name, b.name)
      if map then
        local memory = identity(n)
        memory[a.number], memory[b.number] = b.number, a.number
        local alike = true
        for _, system in ipairs(systems) do alike = alike and is_same_state(system, pack_map(memory)) end
        if alike then steps[#steps + 1] = { memory = memory, actions = map, a = a.name, b = b.name } end
      end
    end
  end
  local at = 1
  while renamings[at] and #steps > 0 do
    for _, step in ipairs(steps) do
      local memory = compose(renamings[at].memory, step.memory)
      if not listed[pack_map(memory)] and #renamings < MOST then
        listed[pack_map(memory)] = true
        local renamed = {}
        for name, other in next, renamings[at].names do
          renamed[name] = other == step.a and step.b or other == step.b and step.a or other
        end
        renamings[#renamings + 1] = { memory = memory, actions = compose(renamings[at].actions, step.actions),
          names = renamed }
      end
    end
    at = at + 1
  end
  table.remove(renamings, 1)
  for _, renaming in ipairs(renamings) do renaming.numbers = pack_map(renaming.memory) end
  return renamings
end

return symmetry
