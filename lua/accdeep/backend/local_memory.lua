-- local_memory.lua - host memory of private and local variables, with detection of reads before the first write.
--
-- session.now.private_blocks is the list of their blocks, oldest first: {address, bytes, name, written, is_private?}. A
-- new block is filled with the byte POISON. `written` maps each address that was stored to, to the size of the store.
-- is_private: true for a private variable, nil for a local. A read is an error if all its bytes still hold POISON and
-- nothing was stored at its address (HOUSE-threads, HOUSE-locals).

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"

local raise = diagnostic.raise

local local_memory = {}

-- Byte that fills new blocks.
local POISON = "\x7F"

-- Returns the newest of the `blocks` that contains an address; nil if no block contains it.
local function block_at(blocks, address)
  for i = #blocks, 1, -1 do
    local block = blocks[i]
    if address >= block.address and address < block.address + block.bytes then return block end
  end
  return nil
end

-- Replaces the functions load and store of a memory space (memory_view.lua). load then raises for memory of `blocks`
-- that was never written, and store records what it writes. The core may write without the space, so bytes with another
-- value than POISON count as written. Returns a function that restores the old load and store.
local function track_initialization(space, blocks)
  local load_before, store_before = rawget(space, "load"), rawget(space, "store")
  local load, store = space.load, space.store
  function space:load(address, code, size, low, high, frame)
    local block = block_at(blocks, address)
    if block and not block.written[address] and core.get(address, size) == POISON:rep(size) then
      raise("uninitialized-read", frame and frame.pos, ("%s was not written yet"):format(block.is_private
        and "the private " .. block.name or block.name), { rule = block.is_private and "HOUSE-threads"
        or "HOUSE-locals", help = block.is_private
        and ("firstprivate(%s) begins with the value of before"):format(block.name) or nil })
    end
    return load(self, address, code, size, low, high, frame)
  end
  function space:store(address, code, size, value, low, high, frame)
    store(self, address, code, size, value, low, high, frame)
    local block = block_at(blocks, address)
    if block then block.written[address] = size end
  end
  return function() space.load, space.store = load_before, store_before end
end

-- Returns a new block of `bytes` bytes of host memory, filled with POISON, and appends it to the session's list. name:
-- the variable, for errors; t: its type, or nil; fields: table with additional fields, which becomes the block, or nil.
-- For the first block in the list, the function also turns the detection of unwritten reads on.
function local_memory.new(session, name, t, bytes, fields)
  local blocks = session.now.private_blocks
  local block = fields or {}
  block.address, block.bytes, block.name, block.written = session:new_block(bytes, name, t), bytes, name, {}
  blocks[#blocks + 1] = block
  core.put(block.address, POISON:rep(bytes))
  if #blocks == 1 then blocks.unwatch = track_initialization(session.host_space, blocks) end
  return block
end

-- Frees all blocks after the first `retained_count` of the session's list. With 0, the detection of unwritten reads is
-- turned off.
function local_memory.release(session, retained_count)
  local blocks = session.now.private_blocks
  for i = #blocks, retained_count + 1, -1 do
    session:free(blocks[i].address)
    blocks[i] = nil
  end
  if retained_count == 0 and blocks.unwatch then
    blocks.unwatch()
    blocks.unwatch = nil
  end
end

-- Copies `bytes` bytes from one host address to another. Bytes of a private or local block that were never written are
-- not copied, so they stay unwritten in the target, too.
function local_memory.copy(session, to, from, bytes)
  local block = block_at(session.now.private_blocks, from)
  local source = core.get(from, bytes)
  if not block then return core.put(to, source) end
  local written_offsets = {}
  for address, size in pairs(block.written) do
    for i = address - from, address - from + size - 1 do written_offsets[i] = true end
  end
  local target = block_at(session.now.private_blocks, to)
  for i = 0, bytes - 1 do
    local byte = source:sub(i + 1, i + 1)
    if written_offsets[i] or byte ~= POISON then
      core.put(to + i, byte)
      if target then target.written[to + i] = 1 end
    end
  end
end

return local_memory
