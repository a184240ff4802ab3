-- Random constructs whose variables alias. Each construct is executed in several orders of its clauses, variables and
-- nests, each order in a session of its own. All orders must give the same outcome, events, objects, counters,
-- attachments and bytes on both sides, and with ACCDEEP_CODES the same error codes. ACCDEEP_SEED and ACCDEEP_ROUNDS
-- select other runs, ACCDEEP_VERBOSE counts outcomes.

scenario { title = "the order of clauses", cites = { "TR14-4.2-01", "TR14-4.2-11" } }

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local runner = require "accdeep.steps.runner"
local steps = require "accdeep.steps"
local words = require "accdeep.base.strings".word_list

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 1
local round_seed -- seed of the present round
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 80
-- The order may decide which of several errors is reported, unless ACCDEEP_CODES is set.
local codes = os.getenv "ACCDEEP_CODES"
local ORDERS = 4

local function hex(bytes) return (bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end

local DECLARATIONS = [[
  struct leaf { int n; int *p, *q;
    #pragma acc shape init_needed(n) include(p[0:n], q[0:n])
    #pragma acc shape(only_p) exclude(q)
    #pragma acc shape(bare) default(exclude) include(n)
    #pragma acc policy(p_out) default(copyin) copyout(p)
    #pragma acc policy(make) default(create) copy(q)
    #pragma acc policy(renew) default(exclude) update(q, n)
  };
  struct vec { int *base, *end, *cap;
    #pragma acc shape include(base[0:end - base], end[@base], cap[@base])
    #pragma acc policy(out) default(copyout)
  };
  struct node { int m; struct leaf one; struct leaf *kids; struct vec v; int own[3];
    #pragma acc shape init_needed(m) include(kids[0:m])
    #pragma acc shape(no_kids) exclude(kids)
    #pragma acc policy(mixed) default(copyin) copy(v) invoke<p_out>(kids) create(own)
    #pragma acc policy(renew) default(exclude) update(v, own) invoke<renew>(one)
  };
  int A[16], B[12];
  struct leaf S[4], X, Z;
  struct vec V, W;
  struct node N, M;
  int *a, *b;
]]
local ORDER = { "A", "B", "S", "X", "Z", "V", "W", "N", "M", "a", "b" }

local INT, POINTER = core.scalar.i32, core.scalar.pointer
local rand = math.random

local function pick(list) return list[rand(#list)] end

-- -------------------------------------------------------------------------------- the host program --

local at_of -- address by variable name

local function store_leaf(ctx, at, calm)
  local n, pool = rand(0, 3), pick { "A", "A", "B" }
  local first = rand(0, 12 - n)
  ctx:host_write(at, INT, n)
  ctx:host_write(at + 8, POINTER, at_of[pool] + 4 * first)
  -- Targets of q: the target of p, a part of it, separate data, or overlapping data.
  local way = rand(6)
  local second = way < 3 and first or calm and (first + n) % 9 or rand(0, 12 - n)
  ctx:host_write(at + 16, POINTER, way == 6 and 0 or at_of[way < 5 and pool or "B"] + 4 * second)
  if way == 6 and rand(3) > 1 then ctx:host_write(at, INT, 0) end
end

local function store_vec(ctx, at)
  local n = rand(0, 4)
  local base = at_of[pick { "A", "B" }] + 4 * rand(0, 11 - n)
  ctx:host_write(at, POINTER, base)
  ctx:host_write(at + 8, POINTER, base + 4 * n)
  ctx:host_write(at + 16, POINTER, base + 4 * (n + rand(0, 1)))
end

local function program()
  local outer = runner.open({}, DECLARATIONS).session
  local ctx = outer.ctx
  at_of = {}
  for _, name in ipairs(ORDER) do at_of[name] = outer.now.scope.variables[name].address end
  local calm = rand(2) == 1
  for name, n in pairs { A = 16, B = 12 } do
    for i = 0, n - 1 do ctx:host_write(at_of[name] + 4 * i, INT, at_of[name] == at_of.A and 100 + i or 200 + i) end
  end
  for i = 0, 3 do store_leaf(ctx, at_of.S + 24 * i, calm) end
  store_leaf(ctx, at_of.X, calm)
  store_leaf(ctx, at_of.Z, calm)
  store_vec(ctx, at_of.V)
  store_vec(ctx, at_of.W)
  for _, name in ipairs { "N", "M" } do
    local at, m = at_of[name], rand(0, 2)
    ctx:host_write(at, INT, m)
    store_leaf(ctx, at + 8, calm)
    ctx:host_write(at + 32, POINTER, at_of.S + 24 * rand(0, 4 - m))
    store_vec(ctx, at + 40)
    for i = 0, 2 do ctx:host_write(at + 64 + 4 * i, INT, 300 + i) end
  end
  ctx:host_write(at_of.a, POINTER, at_of[pick { "A", "B" }] + 4 * rand(0, 4))
  ctx:host_write(at_of.b, POINTER, at_of[pick { "A", "B" }] + 4 * rand(0, 4))
  return outer
end

-- ------------------------------------------------------------------------------------- constructs --

local function section(name, n)
  local start = rand(0, n - 1)
  return ("%s[%d:%d]"):format(name, start, rand(n - start))
end

local function leaf_item() return pick { "X", "Z", "S", "S[0:2]", "S[1:2]", "S[3]", "N.one", "N.kids[0:N.m]" } end
local function plain_leaf() return pick { "X", "X", "Z", "S", "S[0:2]", "S[1:2]", "S[2:2]" } end

local function item()
  local way = rand(12)
  if way < 3 then return section("A", 16) end
  if way == 3 then return section("B", 12) end
  if way < 6 then return section(pick { "a", "b" }, 8) end
  if way < 8 then return leaf_item() end
  if way == 8 then return pick { "A", "B", "V", "W", "N", "M" } end
  if way < 11 then
    return pick { "X.p[0:X.n]", "X.q[0:X.n]", "X.q[1:2]", "Z.p[0:2]", "Z.q[0:Z.n]", "S[1].p[0:1]", "S[2].q[0:S[2].n]",
      "X.n", "Z.n" }
  end
  return pick { "V.base[0:2]", "W.base[0:3]", "N.own", "N.v", "M.v", "M.own", "N.one.p[0:2]", "M.kids[0:M.m]", "N.m",
    "V.base[1:1]" }
end

local function several(make, most)
  local list, seen = {}, {}
  for _ = 1, rand(most) do
    local made = make()
    if not seen[made] then list[#list + 1] = made end
    seen[made] = true
  end
  return list
end

-- Returns clauses of a nest for a leaf or for a node.
local function shape_nest(of_node)
  local list = {}
  if rand(4) == 1 then list[1] = { head = "default", vars = { pick { "include", "exclude" } } } end
  if of_node then
    list[#list + 1] = { head = "include", vars = { "kids[0:m]", rand(2) == 1 and "own" or nil },
      nest = rand(3) == 1 and #list == 0 and { { head = "exclude", vars = { "q" } } } or nil }
    if list[#list].nest then list[#list].vars = { "kids[0:m]" } end
    if rand(2) == 1 then list[#list + 1] = { head = "include", vars = { "v", "m" } } end
    if rand(3) == 1 then list[#list + 1] = { head = "exclude", vars = { "one" } } end
  else
    list[#list + 1] = { head = pick { "include", "include", "init_needed" }, vars = { "p[0:n]", "n" } }
    list[#list + 1] = { head = pick { "include", "exclude", "init_needed" }, vars = { "q" } }
    if list[#list].head ~= "exclude" then list[#list].vars = { pick { "q[0:n]", "q[0:1]" } } end
  end
  return list
end

local function policy_nest(of_node, update, actions)
  if update then
    if of_node then return { { head = "default", vars = { "exclude" } }, { head = "update", vars = { "own", "v" } },
      { head = "invoke", name = "<renew>", vars = { "one" } } } end
    return { { head = "default", vars = { "exclude" } }, { head = "update", vars = { "p", "q" } } }
  end
  local list = { { head = "default", vars = { pick { "exclude", pick(actions) } } } }
  if of_node then
    list[2] = { head = pick(actions), vars = { "v", "own" } }
    list[3] = { head = pick(actions), vars = { "kids[0:m]", "one" } }
    if rand(3) == 1 then list[4] = { head = "exclude", vars = { "m" } } end
  else
    list[2] = { head = pick(actions), vars = { "p[0:n]" } }
    list[3] = { head = pick(actions), vars = { pick { "q", "q[0:1]", "q[0:n]" }, "n" } }
  end
  return list
end

local function clause(actions, update)
  local way = rand(12)
  local action = pick(actions)
  if way == 1 then return { head = action, name = pick { "<only_p>", "<bare>" }, vars = several(plain_leaf, 2) } end
  if way == 2 then
    return { head = action, name = "<no_kids>", vars = several(function() return pick { "N", "M" } end, 2) }
  end
  if way == 3 then
    return { head = action, vars = several(plain_leaf, 2), name = pick { "", "", "<>" }, nest = shape_nest() }
  end
  if way == 4 then return { head = action, vars = { pick { "N", "M" } }, nest = shape_nest(true) } end
  local direction = update and action .. ": " or ""
  if way == 5 then
    return { head = "invoke", name = update and "<renew>" or pick { "<p_out>", "<make>" }, lead = direction,
      vars = several(plain_leaf, 2) }
  end
  if way == 6 then
    local of_node = rand(2) == 1
    return { head = "invoke", name = "<>", lead = direction, nest = policy_nest(of_node, update, actions),
      vars = of_node and { pick { "N", "M" } } or several(plain_leaf, 2) }
  end
  if way == 7 then
    return { head = "invoke", name = update and "<renew>" or "<mixed>", lead = direction, vars = { pick { "N", "M" } } }
  end
  return { head = action, vars = several(item, 3) }
end

local function construct(name, actions)
  if name == "update" then actions = { pick(actions) } end -- two actions would be executed in the written order
  local c = { text = name, clauses = {} }
  for i = 1, pick { 1, 2, 2, 3, 3, 4 } do c.clauses[i] = clause(actions, name == "update") end
  local function flag(text) table.insert(c.clauses, { head = text }) end
  if name == "exit data" and rand(6) == 1 then flag "finalize" end
  if name == "update" and rand(2) == 1 then flag "if_present" end
  if rand(6) == 1 then flag "if(1)" end
  return c
end

local DATA = words "copy copy copyin copyin copyout create create present no_create"
local ENTER, EXIT, UPDATE = words "copyin copyin create", words "copyout delete", words "self device"

-- Returns the exit clauses that correspond to the clauses of an entry.
local exit_of = { copyin = { "copyout", "delete" }, create = { "copyout", "delete" } }
local function mirrored(c)
  local function turn(clauses, inner)
    local list = {}
    for i, old in ipairs(clauses) do
      list[i] = { head = exit_of[old.head] and pick(exit_of[old.head]) or old.head, name = old.name, lead = old.lead,
        vars = table.move(old.vars or {}, 1, #(old.vars or {}), 1, {}), nest = old.nest and turn(old.nest, true) }
      if not old.vars then list[i].vars = nil end
      if inner and old.head == "default" and exit_of[old.vars[1]] then list[i].vars = { pick(exit_of[old.vars[1]]) } end
    end
    return list
  end
  return { text = "exit data", clauses = turn(c.clauses) }
end

local function program_steps()
  local list, entered, opened = {}, nil, 0
  for _ = 1, rand(2, 6) do
    local way = rand(10)
    if way < 4 then
      list[#list + 1] = construct("data", DATA)
      opened = opened + 1
    elseif way < 6 then
      entered = construct("enter data", ENTER)
      list[#list + 1] = entered
    elseif way == 6 then
      list[#list + 1] = entered and rand(3) > 1 and mirrored(entered) or construct("exit data", EXIT)
    elseif way == 7 then list[#list + 1] = construct("update", UPDATE)
    elseif way == 8 and opened > 0 then list[#list + 1] = { op = "end" }
    elseif way == 9 then list[#list + 1] = construct(pick { "parallel", "serial loop" }, DATA)
    else list[#list + 1] = { op = "write" } end
  end
  list[#list + 1] = { op = "write" }
  if entered then list[#list + 1] = mirrored(entered) end
  return list
end

-- ---------------------------------------------------------------------------------------- orders --

local function shuffled(list, plain)
  local copy = table.move(list, 1, #list, 1, {})
  if not plain then
    for i = #copy, 2, -1 do
      local k = rand(i)
      copy[i], copy[k] = copy[k], copy[i]
    end
  end
  return copy
end

local function text_of(clauses, plain)
  local list = {}
  for i, c in ipairs(shuffled(clauses, plain)) do
    local text = c.head .. (c.name or "")
    if c.vars then text = ("%s(%s%s)"):format(text, c.lead or "", table.concat(shuffled(c.vars, plain), ", ")) end
    if c.nest then text = ("%s::{ %s }"):format(text, text_of(c.nest, plain)) end
    list[i] = text
  end
  return table.concat(list, " ")
end

-- ---------------------------------------------------------------------------------------- looking --

-- Returns an address as a variable and an offset.
local function where(address)
  local best
  for _, name in ipairs(ORDER) do
    if at_of[name] <= address and (not best or at_of[name] > at_of[best]) then best = name end
  end
  return best and ("%s+%d"):format(best, address - at_of[best]) or tostring(address)
end

local SCRATCH = 4096
local scratch = core.malloc(SCRATCH)

local function device_bytes(ctx, object, slots)
  local parts = {}
  assert(ctx:from_device(0, scratch, object.dev, object.bytes))
  local bytes = core.get(scratch, object.bytes)
  local at = 0
  while at < object.bytes do
    local slot = slots[object.host + at]
    local n = math.min(slot and 8 or 4, object.bytes - at)
    local word = bytes:sub(at + 1, at + n)
    if slot then -- the object that contains the target, and the host's target
      local target = ctx:present_at(0, slot.low, true)
      local pointer = string.unpack("<i8", word)
      word = not target and "->nothing"
        or ("->%s of %s"):format(where(target.host + (pointer - target.dev)), where(target.host))
    else
      word = hex(word)
    end
    local written = ctx:device_written(0, object.dev + at, n)
    parts[#parts + 1] = word .. (written == n and "" or "?" .. written)
    at = at + n
  end
  return table.concat(parts, " ")
end


-- Returns the observable state as lines.
local function look(s, events, host)
  local ctx, lines, slots = s.ctx, {}, {}
  local function line(...) lines[#lines + 1] = string.format(...) end
  local told = {}
  for i, e in ipairs(events) do
    local place, bytes = e.host and where(e.host) or "", e.bytes or 0 -- a kernel has no address
    -- If more clauses than references release an object, it is unspecified which of them decrements it.
    if e.op == "decref" then place, bytes = place:match "^%w+", 0 end
    told[i] = ("  %s %s %d"):format(e.op, place, bytes)
  end
  table.sort(told)
  table.move(told, 1, #told, 1, lines)
  for _, a in ipairs(ctx:attachments(0)) do
    slots[a.slot] = a
    line("  attached %s -> %s count %d", where(a.slot), where(a.target), a.count)
  end
  for _, o in ipairs(ctx:present(0)) do
    line("  present %s bytes %d structured %d dynamic %d: %s", where(o.host), o.bytes, o.structured, o.dynamic,
      device_bytes(ctx, o, slots))
  end
  line("  host %s", host())
  return lines
end

-- ---------------------------------------------------------------------------------------- running --

-- Writes what a kernel and the host write: values that depend only on the address. number: of the write.
local function write_values(s, number)
  for i, name in ipairs { "A", "B" } do
    for k = 0, i == 1 and 15 or 11 do
      local at = at_of[name] + 4 * k
      local dev = s.ctx:deviceptr(0, at)
      if dev ~= 0 and k % 3 ~= 1 then
        assert(s.ctx:device_write(0, dev, INT, 1000 * number + 100 * i + k))
      elseif k % 3 == 1 then
        s.ctx:host_write(at, INT, -(1000 * number + 100 * i + k))
      end
    end
  end
end

local function host_bytes()
  local parts = {}
  for _, name in ipairs { "A", "B", "S", "X", "Z", "V", "W", "N", "M" } do
    local bytes = core.get(at_of[name], name == "A" and 64 or name == "B" and 48 or name == "S" and 96
      or (name == "N" or name == "M") and 80 or 24)
    parts[#parts + 1] = name .. "=" .. bytes:gsub("...?.?", function(w)
      return " " .. hex(w)
    end)
  end
  return table.concat(parts, " ")
end

-- Runs all steps in one order. Returns their texts, and the state after each.
local function tell(outer, list, plain)
  outer.options.group_least = pick { 1, 2, 1000 } -- grouping of sections must not be observable
  local s = outer:inner()
  local run, texts, seen, written = runner.new(s), {}, {}, 0
  local events = {}
  assert(s.ctx:host_add(scratch, SCRATCH, s:label { name = "scratch" }))
  s:collect_into(function(e) events[#events + 1] = e end)
  local all = table.move(list, 1, #list, 1, {})
  local at = 1
  while all[at] do
    local step = all[at]
    local one = { kind = step.op or "acc" }
    if not step.op then one.text = step.text .. " " .. text_of(step.clauses, plain) end
    texts[at] = step.op or one.text
    local function complain(what)
      error(("seed %d: %s after\n  %s"):format(round_seed, what, table.concat(texts, "\n  ")), 0)
    end
    local digest, host = s.ctx:digest(), host_bytes()
    local ok, err = true, nil
    if step.op == "write" then
      written = written + 1
      write_values(s, written)
    elseif not (step.op == "end" and #run.open == 0) then
      ok, err = pcall(run.run, run, one)
    end
    if not ok then
      if not diagnostic.is(err) then complain("a plain error: " .. tostring(err)) end
      if diagnostic.phase(err.code) == "internal" then complain(tostring(err)) end
      local definition = steps.definition(one)
      if not (definition and definition.kind == "compute") and (s.ctx:digest() ~= digest or host_bytes() ~= host) then
        complain(tostring(err) .. ": a failed construct changed the state")
      end
    end
    local wrong = s.ctx:check()
    if wrong then complain(wrong) end
    seen[at] = look(s, events, host_bytes)
    seen[at].phase = not ok and (err.phase or diagnostic.phase(err.code)) or nil
    seen[at].outcome = ok and "success" or err.code
    seen[at].message = not ok and err.message or ""
    table.insert(seen[at], 1, seen[at].outcome)
    events = {}
    if at == #all and #run.open > 0 and ok then all[at + 1] = { op = "end" } end
    at = at + 1
  end
  s:close()
  return texts, seen
end

local outcomes, other_codes, constructs = {}, {}, 0

for round = 0, rounds - 1 do
  math.randomseed(seed + round)
  local outer = program()
  round_seed = seed + round
  for _ = 1, 3 do
    local list = program_steps()
    local first_texts, first = tell(outer, list, true)
    for _, s in ipairs(first) do
      outcomes[s.outcome] = (outcomes[s.outcome] or 0) + 1
      constructs = constructs + 1
    end
    for _ = 1, ORDERS do
      local texts, seen = tell(outer, list)
      for at = 1, math.max(#first, #seen) do
        for i = 1, math.max(#(first[at] or {}), #(seen[at] or {})) do
          local one, other = (first[at] or {})[i], (seen[at] or {})[i]
          local both_fail = i == 1 and first[at].phase and first[at].phase == seen[at].phase
          if both_fail and one ~= other then
            local pair = one < other and one .. " / " .. other or other .. " / " .. one
            other_codes[pair] = (other_codes[pair] or 0) + 1
          end
          if one ~= other and not (both_fail and not codes) then
            error(("seed %d: another order, another outcome:\n  %s\n%s %s\nbut\n  %s\n%s %s"):format(round_seed,
              table.concat(first_texts, "\n  ", 1, math.min(at, #first_texts)), one, first[at] and first[at].message,
              table.concat(texts, "\n  ", 1, math.min(at, #texts)), other, seen[at] and seen[at].message), 0)
          end
        end
      end
    end
  end
  outer:close()
end
core.free(scratch)
assert((outcomes.success or 0) * 3 > constructs, "too few constructs succeed")

if os.getenv "ACCDEEP_VERBOSE" then
  for code, n in pairs(outcomes) do print(code, n, ("%.1f %%"):format(100 * n / constructs)) end
  for pair, n in pairs(other_codes) do print(pair, n) end
end
