-- iteration_races.lua - finds data races between iterations of a kernel's parallel loops, in bodies of C and Fortran.
--
-- Input: the accesses of a body, which one thread executes, iteration by iteration. Output: an error (data-race) if two
-- iterations access the same bytes, one of them writes, and no lock is common to both. Loops whose iterations may run
-- in parallel have the fields `parallel` and `iteration` (sema/body/parallel_loops.lua).
--
-- A recorder is a memory space of a device (memory_view.lua) that keeps a history. Each begin of an iteration gets the
-- next number of a counter, its time. The history keeps the last write and one read of each piece of memory, with the
-- iteration that made the access:
--
--      time     1    2      3   4   5      6      7   8
--      outer    [i=0        ]           [i=1         ]
--      inner         [j=0][j=1]              [j=0][j=1]
--                                      ^ this access may run at the same time as those of i=0
--
-- An earlier access is concurrent with the current one if its time lies between the first and the current iteration of
-- an active loop. Loops are searched from the outermost: a time before a loop's first iteration is ordered. One read
-- suffices: another read replaces it only if it is ordered before that (Feng and Leiserson, 1997).
--
-- Private memory: threads have copies, where the interpreter has one. `depth` of private memory is the number of
-- parallel loops each of whose iterations has a copy. `level` says which threads share a copy: 0 all of the kernel, 1
-- those of a gang or team, 2 one thread alone. Loops that are divided among threads with copies of their own do not
-- conflict. If lanes of one thread run a loop's iterations, it still is an error to read what another iteration wrote.
--
-- Records of this file:
--   loop       an execution of a loop: {parallel, first, current, level, is_serial}. first, current: times of its first
--              and its current iteration; level: as in sema/body/parallel_loops.lua; is_serial: one thread runs it.
--   iteration  {time, loop, outer, values of the counters}; outer: the iteration of the enclosing loop.
--   history    {locks, write, write_pos, is_update, read, read_pos}: the iterations that wrote and read some bytes, and
--              positions in the text. locks: list of "atomic" and names of critical regions; nil: none. is_update: the
--              iteration had read the bytes before it wrote them.
--   cell       history of accesses without locks, with fields: attributes, of the memory; locked: list of the histories
--              under locks.

local ast = require "accdeep.base.ast"
local c_effects = require "accdeep.sema.c.c_effects"
local clause_groups = require "accdeep.types.clause_groups"
local c_sema = require "accdeep.sema.c.c_sema"
local closures = require "accdeep.backend.closures"
local diagnostic = require "accdeep.base.diagnostic"
local list_item = require "accdeep.sema.c.list_item"
local memory_view = require "accdeep.backend.memory_view"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local types = require "accdeep.types"

local iteration_races = {}

local Recorder = setmetatable({}, { __index = memory_view.Device })
Recorder.__index = Recorder

-- Attributes of data that are present on the device: all threads share them.
local PRESENT = { depth = 0, level = -1 }
-- Attributes of counters: each thread has a copy, which is never shared.
local COUNTER = { depth = math.maxinteger, level = 2 }

-- Returns a recorder for kernel `k`, whose memory is that of `space`.
function iteration_races.new(space, k)
  local is_openmp = k.plan.openmp
  local name = " " .. k.plan.node.name .. " "
  local level = not is_openmp and 1 or name:find " parallel " and 2 or name:find " teams " and 1 or 0
  return setmetatable({ session = space.session, ctx = space.ctx, number = space.number, on_device = true,
    private = space.private, kernel = k, is_openmp = is_openmp, level = level, time = 0, loops = {}, open = {},
    cells = {}, units = {}, owned = {}, in_place = {}, copies_depth = 0 }, Recorder)
end

-- ---------------------------------------------------------------------------------- private memory --

-- Sets the attributes of private memory. name: of the variable, or nil.
function Recorder:set_attributes(address, size, attributes, name)
  if size == 0 then return end
  local record = { depth = attributes.depth, level = attributes.level, name = name, size = size }
  if attributes == PRESENT then record = nil end
  for word = address >> 3, (address + size - 1) >> 3 do
    for at = word << 3, (word << 3) + 7, self.units[word] or 8 do self.cells[at] = nil end
    self.owned[word] = record
  end
end

-- Records new private memory of the kernel: each iteration of the loops that are active has its own copy. So has each
-- iteration of the loop that begins next, while its private copies are made.
function Recorder:add_private(address, size, name)
  local depth, level = #self.loops + self.copies_depth, self.level
  -- Lanes that share an array of an OpenACC loop's iteration do not have copies of it.
  if not self.is_openmp and depth > 0 and size > 8 then level = 0 end
  self:set_attributes(address, size, { depth = depth, level = level }, name)
end

-- Returns the address of memory for a private variable of the body.
function Recorder:local_memory(size, name) return self.session:kernel_memory(size, name) end

-- Returns the attributes of variables that clauses of the kernel's construct make private, reduce, or assign at the
-- end: name -> attributes. They also hold for the counters of an OpenMP construct's loops.
local function named_attributes(k, level)
  local named, is_openmp = {}, k.plan.openmp
  local definition = (is_openmp and openmp_directives or openacc_directives).directive(k.plan.node.name)
  local attributes = { depth = definition.association == "loop" and 1 or 0, level = level }
  for _, clause in ipairs(k.plan.node.clauses) do
    local is_private = clause.name == "private" or clause.name == "firstprivate"
    if is_private or clause.name == "lastprivate" or clause.name == "linear" or clause.name == "reduction" then
      for _, item in ipairs(clause.vars or {}) do
        local name = list_item.root_variable(item)
        -- Each gang has a copy of what a parallel construct of OpenACC reduces.
        if name then named[name] = is_private and attributes or is_openmp and attributes or COUNTER end
      end
    end
  end
  for name, private in pairs(is_openmp and k.plan.private or {}) do
    if private.attribute == "private" then named[name] = named[name] or attributes end
  end
  return named
end

-- Sets the attributes of the private copy of a variable that the kernel as a whole has.
function Recorder:add_kernel_private(address, size, name)
  self.named = self.named or named_attributes(self.kernel, self.level)
  self:set_attributes(address, size, self.named[name] or { depth = 0, level = self.is_openmp and 0 or 1 }, name)
end

-- Returns the list of present objects that clauses of the construct reduce or assign at the end: {low, high,
-- attributes}.
local function named_objects(self)
  local list, k = {}, self.kernel
  self.named = self.named or named_attributes(k, self.level)
  for name, attributes in pairs(self.named) do
    local ok, binding = pcall(k.env.lookup, name)
    local find = ok and binding and not k.private[name] and (binding.lvalue or binding.value or binding.dope)
    local found, address, low, high = pcall(find or error, {})
    if found and type(address) == "table" then address, low, high = address.address, address.low, address.high end
    if found and not low then low, high = self.ctx:device_bounds(self.number, address) end
    if found and type(low) == "number" then list[#list + 1] = { low = low, high = high, attributes = attributes } end
  end
  return list
end

-- Returns the attributes of the memory of word number `number`.
local function attributes_of(self, number)
  local attributes = self.owned[number]
  if attributes then return attributes end
  self.objects = self.objects or named_objects(self)
  for _, object in ipairs(self.objects) do
    if number << 3 < object.high and (number << 3) + 8 > object.low then return object.attributes end
  end
  return PRESENT
end

-- Treats memory that a reduction changes in place as private, as add_private does, until unshare_copies.
function Recorder:share_copies(address, size)
  self.in_place[address] = self.owned[address >> 3] or PRESENT
  self:set_attributes(address, size, { depth = #self.loops + self.copies_depth, level = self.level })
end

-- Ends the effect of share_copies.
function Recorder:unshare_copies(address, size)
  local before = self.in_place[address]
  self:set_attributes(address, size, before, before.name)
end

-- Runs a construct with private copies, and returns the signal of its body. node: {iteration?, level?}: as in private{}
-- nodes (sema/body/data_sharing.lua); begin(frame): makes the copies; body(frame); finish(frame, signal): ends them.
function Recorder:run_construct(node, begin, body, finish, frame)
  local outer_level = self.level
  self.level, self.copies_depth = node.level or outer_level, node.iteration and 1 or 0
  begin(frame)
  self.copies_depth = 0
  local signal = body(frame)
  self.level = outer_level
  finish(frame, signal)
  return signal
end

-- ------------------------------------------------------------------------------------ iterations --

-- Returns the level of a loop whose clauses leave one team or one thread, or more. limits: list of {name, value}: the
-- clauses' values as functions of the frame.
local function level_of(parallel, limits, f)
  local level, is_one = parallel.level, {}
  for _, limit in ipairs(limits) do
    local value = limit.value(f)
    if value == false or value == 1 then is_one[limit.name] = true end
  end
  if level == 2 and (is_one["if"] or is_one.num_threads) then level = parallel.is_distributed and 1 or 0 end
  return level == 1 and is_one.num_teams and 0 or level
end

-- Begins an execution of a parallel loop. parallel: the loop's field of that name; limits, f: as for level_of.
function Recorder:enter_loop(parallel, limits, f)
  if #self.loops == 0 then self.cells, self.units = {}, {} end
  local level = level_of(parallel, limits, f)
  self.open[parallel] = { parallel = parallel, first = self.time + 1, level = level,
    is_serial = level == 0 and not parallel.is_simd }
end

-- Records that each thread has a copy of the counter of a loop (ACC33-2.9-4).
function Recorder:add_counter(address, size) self:set_attributes(address, size, COUNTER) end

-- Begins an iteration of a loop. counters: as for iteration_races.iteration; f: the frame.
function Recorder:begin_iteration(parallel, counters, f)
  local loop = self.open[parallel]
  local iteration = { time = self.time + 1, loop = loop, outer = self.iteration }
  for i, counter in ipairs(counters) do
    if counter.lvalue and not loop.current then self:add_counter(counter.lvalue(f), counter.size) end
    iteration[i] = counter.value(f)
  end
  if loop.is_serial then return end
  self.time, loop.current = iteration.time, iteration.time
  self.loops[#self.loops + 1] = loop
  self.iteration = iteration
end

-- Ends the current iteration of a loop.
function Recorder:end_iteration(parallel)
  if self.open[parallel].is_serial then return end
  self.loops[#self.loops] = nil
  self.iteration = self.iteration.outer
end

-- Returns the active loop to whose iterations an access at `time` and the current one belong, if the two may run at the
-- same time. Returns nil if they are ordered, or are accesses to different copies. The second result is true if each
-- thread has a copy, and lanes of one thread may run the iterations. attributes: those of the memory.
local function concurrent_loop(loops, time, attributes)
  for i = 1, #loops do
    local loop = loops[i]
    if time < loop.first then return nil end
    if time < loop.current then
      if i <= attributes.depth then return nil end
      if loop.level > attributes.level then return loop, false end
      return loop.parallel.is_simd and loop or nil, true
    end
  end
end

-- --------------------------------------------------------------------------------------- reports --

-- Returns an iteration of a loop as text, "i = 3, j = 0". iteration: an iteration of the loop, or of a loop inside it.
local function format_iteration(iteration, loop)
  while iteration.loop ~= loop do iteration = iteration.outer end
  local texts = {}
  for i, name in ipairs(loop.parallel.counters) do texts[i] = ("%s = %d"):format(name, iteration[i]) end
  return table.concat(texts, ", ")
end

-- Returns the help for a race: the clause or directive that removes it. name: the variable. is_scalar: the access is to
-- the whole variable. both_write: both accesses are writes. updates: each iteration reads the memory and then writes
-- it.
local function help_of(self, name, is_scalar, both_write, updates)
  if is_scalar and both_write then
    return ("private(%s) on the loop%s"):format(name, self.session.language.name == "c"
      and ", or declare it in the loop's body" or "")
  elseif is_scalar and updates then
    return ("reduction(+: %s) on the loop, with the operator of the update; or make the update atomic"):format(name)
  elseif updates then
    return "make the update atomic; or let each iteration use elements of its own"
  elseif both_write then
    return "let each iteration write elements of its own; or make the writes atomic"
  end
  return self.is_openmp and "the iterations depend on each other: let one thread run the loop, or change the algorithm"
    or "the iterations depend on each other: write seq on the loop, or change the algorithm"
end

-- Returns the name of the byte at `offset` of a present object, with all subscripts of an array variable.
local function name_of_element(session, object, offset)
  local variable = session.language.name == "c" and session.now.scope.variables[object.name:match "^[%w_]+"]
  local into = variable and variable.type.kind == "array" and object.host + offset - variable.address
  if into and into >= 0 and into < variable.type.size then
    return variable.name .. types.path(variable.type, into)
  end
  return session:name_inside(object, offset)
end

-- Raises the error for an access of the current iteration, and one of another iteration of `loop`. history: that of the
-- earlier access; was_write: the earlier access is a write; is_write, pos: of the current access; address, size: its
-- memory.
local function raise_race(self, history, was_write, loop, is_write, attributes, address, size, pos)
  local session = self.session
  local object = not attributes.name and self.ctx:present_at(self.number, address, true) or nil
  local element = attributes.name or object and name_of_element(session, object, address - object.dev)
    or "device memory"
  local name = attributes.name or element:match "^[%w_]+" or element
  local now = format_iteration(self.iteration, loop)
  local before = format_iteration(was_write and history.write or history.read, loop)
  local earlier_pos, operation = was_write and history.write_pos or history.read_pos, was_write and "writes" or "reads"
  local message = is_write and was_write and ("iterations %s and %s both write %s"):format(before, now, element)
    or ("iteration %s %s %s, which iteration %s %s"):format(now, is_write and "writes" or "reads", element, before,
      operation)
  local notes = earlier_pos and earlier_pos ~= pos and { ("iteration %s %s it at %s"):format(before, operation,
    clause_groups.written_at(session, earlier_pos)) }
  local updates = not is_write and history.is_update and history.read_pos == pos
  diagnostic.raise("data-race", pos, message, { rule = self.is_openmp and "OMP60-race-1" or "ACC33-2.9-5",
    objects = { object }, notes = notes or nil,
    help = help_of(self, name, size == (attributes.size or object and object.bytes), is_write and was_write, updates) })
end

-- ---------------------------------------------------------------------------------------- history --

-- Returns a copy of a cell.
local function copy_cell(cell)
  local copy = {}
  for key, value in pairs(cell) do copy[key] = value end
  for i, history in ipairs(cell.locked or {}) do
    copy.locked = i == 1 and {} or copy.locked
    copy.locked[i] = copy_cell(history)
  end
  return copy
end

-- Divides the cells of the word with number `word` until an access to the bytes from `first` to before `last` of the
-- word covers whole cells. Returns the number of bytes of each cell.
local function split_cells(self, word, first, last)
  local unit = self.units[word] or 8
  while first % unit ~= 0 or last % unit ~= 0 do
    for at = word << 3, (word << 3) + 7, unit do
      if self.cells[at] then self.cells[at + unit // 2] = copy_cell(self.cells[at]) end
    end
    unit = unit // 2
  end
  self.units[word] = unit
  return unit
end

-- Returns true if two lists of locks (nil: none) have one in common.
local function share_lock(a, b)
  for _, lock in ipairs(a or {}) do
    for _, other in ipairs(b or {}) do
      if lock == other then return true end
    end
  end
  return false
end

-- Returns the history of a cell under these locks; adds it if it is missing. locks: nil: none.
local function history_of(cell, locks)
  if not locks then return cell end
  local key = table.concat(locks, "\0")
  cell.locked = cell.locked or {}
  for _, history in ipairs(cell.locked) do
    if table.concat(history.locks, "\0") == key then return history end
  end
  local history = { locks = locks }
  table.insert(cell.locked, history)
  return history
end

-- Returns the loop to whose iterations an earlier access and the current one belong, as concurrent_loop does. earlier:
-- iteration of the earlier access; nil: there is none.
local function loop_of(self, earlier, attributes)
  if not earlier or earlier == self.iteration then return nil end
  return concurrent_loop(self.loops, earlier.time, attributes)
end

-- Returns the loop to whose iterations the current access and a conflicting one in a history belong, and true if the
-- earlier access is a write; nil if none conflicts.
local function conflict_with(self, history, is_write, attributes)
  local loop, has_copies = loop_of(self, history.write, attributes)
  if loop and not (has_copies and is_write) then return loop, true end
  if not is_write then return nil end
  loop, has_copies = loop_of(self, history.read, attributes)
  if loop and not has_copies then return loop, false end
end

-- Records an access to the cell at a device address. Returns nil; or, if an earlier access conflicts, the results of
-- conflict_with and the history of that access.
local function record_access(self, at, is_write, locks, pos)
  local cell = self.cells[at]
  if not cell then
    local iteration, attributes = not locks and self.iteration or nil, attributes_of(self, at >> 3)
    cell = is_write and { attributes = attributes, write = iteration, write_pos = pos }
      or { attributes = attributes, read = iteration, read_pos = pos }
    self.cells[at] = cell
    if not locks then return nil end
  end
  local attributes = cell.attributes
  local loop, was_write = conflict_with(self, cell, is_write, attributes)
  if loop then return loop, was_write, cell end
  for _, history in ipairs(cell.locked or {}) do
    if not share_lock(history.locks, locks) then
      loop, was_write = conflict_with(self, history, is_write, attributes)
      if loop then return loop, was_write, history end
    end
  end
  local iteration, history = self.iteration, history_of(cell, locks)
  if not is_write then
    if not loop_of(self, history.read, attributes) then history.read, history.read_pos = iteration, pos end
    return nil
  end
  local other, has_copies = loop_of(self, history.write, attributes)
  -- A write with a lock stays for accesses of other iterations without that lock.
  if not other or has_copies then
    history.is_update = history.write == iteration and history.is_update or history.read == iteration
    history.write, history.write_pos = iteration, pos
  end
end

-- Records an access of the current iteration to `size` bytes at a device address. Does nothing outside of parallel
-- loops. Decides ACC33-2.9-5, OMP60-race-1.
function Recorder:record(address, size, is_write, frame)
  if not self.iteration then return end
  local pos, locks = frame and frame.pos, (self.atomic or self.locks) and self:locks_of(address, is_write)
  local start, finish = address, address + size
  while start < finish do
    local word, next_word = start >> 3, (start | 7) + 1
    local last = finish < next_word and finish or next_word
    for at = start, last - 1, split_cells(self, word, start & 7, last - (word << 3)) do
      local loop, was_write, history = record_access(self, at, is_write, locks, pos)
      if loop then
        raise_race(self, history, was_write, loop, is_write, self.cells[at].attributes, address, size, pos)
      end
    end
    start = last
  end
end

-- Returns the device address of an access: for data in pieces, `address` is a host address (memory_view.lua).
local function device_address(self, address, size, low)
  return type(low) == "table" and low.pieces and self:piece(low, address, size) or address
end

local Device = memory_view.Device

-- The following methods replace those of the device's space; they also record the access.
function Recorder:load(address, code, size, low, high, frame)
  local value = Device.load(self, address, code, size, low, high, frame)
  self:record(device_address(self, address, size, low), size, false, frame)
  return value
end
function Recorder:store(address, code, size, value, low, high, frame)
  Device.store(self, address, code, size, value, low, high, frame)
  self:record(device_address(self, address, size, low), size, true, frame)
end
function Recorder:load_pointer(address, low, high, frame)
  local value, from, to = Device.load_pointer(self, address, low, high, frame)
  self:record(device_address(self, address, 8, low), 8, false, frame)
  return value, from, to
end
function Recorder:copy(to, from, size, low, high, slow, shigh, frame)
  Device.copy(self, to, from, size, low, high, slow, shigh, frame)
  self:record(device_address(self, from, size, slow), size, false, frame)
  self:record(device_address(self, to, size, low), size, true, frame)
end

-- ------------------------------------------------------------------------------------------ locks --

-- Runs fn(frame) as the statement of an atomic or critical construct, and returns its result. lock: "atomic", "atomic
-- write" for that form, or another text that names the critical region.
function Recorder:run_locked(lock, fn, frame)
  local atomic, reads, locks = self.atomic, self.atomic_reads, self.locks
  if lock:find "^atomic" then
    self.atomic, self.atomic_reads = lock, {}
  else
    self.locks = table.move(locks or {}, 1, #(locks or {}), 1, {})
    table.insert(self.locks, lock)
  end
  local result = fn(frame)
  self.atomic, self.atomic_reads, self.locks = atomic, reads, locks
  return result
end

-- Returns the locks of an access. In an atomic construct, only accesses to its variable x are atomic. These are the
-- writes of the form write, and in other forms all reads, and writes of what the statement has read.
function Recorder:locks_of(address, is_write)
  if not self.atomic then return self.locks end
  local is_atomic = is_write
  if self.atomic ~= "atomic write" then
    if not is_write then self.atomic_reads[address] = true end
    is_atomic = self.atomic_reads[address]
  end
  return is_atomic and { "atomic", table.unpack(self.locks or {}) } or self.locks
end

-- ------------------------------------------------------------------------------------------ bodies --

-- Returns a function of the frame that runs an iteration of a loop. body: the compiled body of the innermost loop.
-- counters: list of {value, lvalue?, size}, with functions of the frame; lvalue only for a counter in memory.
function iteration_races.iteration(space, parallel, body, counters)
  return function(f)
    space:begin_iteration(parallel, counters, f)
    local signal = body(f)
    space:end_iteration(parallel)
    return signal
  end
end

-- Returns a function of the frame that runs a loop. run: the compiled loop. compile(node, is_condition): returns a
-- function of the frame for an expression: true or false for a condition, otherwise a number.
function iteration_races.loop(space, parallel, run, compile)
  local session, limits = space.session, {}
  for i, limit in ipairs(parallel.limits) do
    local clause, is_condition = limit.clause, limit.clause.name == "if"
    limits[i] = { name = clause.name, value = not limit.is_host and compile(clause.e, is_condition)
      or is_condition and session.language.condition(session, clause.e)
      or function() return session.language.integer(session, clause.e) end }
  end
  return function(f)
    space:enter_loop(parallel, limits, f)
    return run(f)
  end
end

-- Returns the compiled counters of a C loop for iteration_races.iteration.
function iteration_races.c_counters(env, parallel)
  local counters = {}
  for i, name in ipairs(parallel.counters) do
    local id = { tag = "id", name = name }
    local e = c_sema.expression(env, id)
    counters[i] = { value = closures.value(env, c_sema.value(env, id)), size = e.type.size,
      lvalue = e.op ~= "local" and closures.lvalue(env, e) or nil }
  end
  return counters
end

-- Returns a function of the frame that runs a C loop, as iteration_races.loop does.
function iteration_races.c_loop(env, parallel, run)
  return iteration_races.loop(env.space, parallel, run, function(node, is_condition)
    if is_condition then return closures.truth(env, node) end
    return closures.value(env, c_sema.value(env, node))
  end)
end

-- Adds to `names` the variables that parallel loops of a C body assign, and neither declare nor have as private copies.
-- Their values are then kept in memory, where accesses are recorded. free(loop): list of {name} of the names that a
-- loop uses and does not declare.
function iteration_races.add_assigned(body, names, free)
  local copies_of = {}
  ast.visit(body, function(node)
    if node.tag == "private" and node.iteration then copies_of[node.iteration] = node.copies end
    if not node.parallel then return end
    local assigned = {}
    ast.visit(node, function(e)
      local to = c_effects.assignment_target(e)
      if to and to.tag == "id" then assigned[to.name] = true end
    end)
    for _, copy in ipairs(copies_of[node.parallel] or {}) do assigned[copy.name] = nil end
    for _, item in ipairs(free(node)) do names[item.name] = names[item.name] or assigned[item.name] end
  end)
end

return iteration_races
