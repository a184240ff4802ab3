-- Checkpoints of a context as Lua objects: regions that were open are open again, others are closed, and nothing
-- touches memory that is gone. Directives are prepared between, too.
local core = require "accdeep.core"
local session = require "accdeep.run.session"

local op = core.opcode

local function open(options)
  options = options or {}
  options.checkpoints, options.device_bytes = true, 1 << 20
  return assert(core.open(options))
end

local function construct(ctx, kind, ...)
  local made = { kind = core.kind[kind], name = kind }
  for i, item in ipairs { ... } do
    made[i] = {
      action = core.action[item[1]], code = { op.CONST, 0, 0, 0, item[2], op.CONST, 1, 0, 0, item[3] or 64 },
      registers = 2, base = 0, count = 1, unit = 1,
    }
  end
  return ctx:construct(made)
end

describe("checkpoints", function()
  local ctx, a, b

  before_each(function()
    ctx = open()
    a, b = core.malloc(64), core.malloc(64)
    ctx:host_add(a, 64, ctx:label { name = "a" })
    ctx:host_add(b, 64, ctx:label { name = "b" })
  end)
  after_each(function()
    ctx:close()
    core.free(a)
    core.free(b)
  end)

  it("make regions open and closed again", function()
    local empty = assert(ctx:checkpoint())
    local outer = assert(construct(ctx, "region", { "copy", a }):run(0))
    local state = { ctx:digests(0) }
    local one = assert(ctx:checkpoint())
    local inner = assert(construct(ctx, "region", { "create", b }):run(0))
    local two = assert(ctx:checkpoint())
    assert.is_true(inner:close())
    assert.is_true(outer:close())
    for _ = 1, 3 do
      assert.is_true(ctx:restore(one))
      assert.same(state, { ctx:digests(0) })
      assert.is_true(outer:is_open())
      assert.is_false(inner:is_open())
      assert.has_error(function() inner:close() end, "the region is closed")
      assert.is_true(outer:close())
      assert.is_nil(ctx:check())
      assert.is_true(ctx:restore(two))
      assert.is_true(inner:is_open() and outer:is_open())
      assert.is_nil((outer:close()))
      assert.is_true(inner:close() and outer:close())
      assert.is_true(ctx:restore(empty))
      assert.is_false(inner:is_open() or outer:is_open())
    end
  end)

  it("keep what their state needs", function()
    local cp
    do
      local region = assert(construct(ctx, "region", { "copyin", a }):run(0))
      cp = assert(ctx:checkpoint())
      region:close()
    end
    collectgarbage()
    collectgarbage()
    for i = 1, 50 do construct(ctx, "enter data", { "create", i % 2 == 0 and a or b }):run(0) end
    assert.is_true(ctx:restore(cp))
    assert.is_nil(ctx:check())
    local lost = construct(ctx, "region", { "copyin", b }):run(0)
    lost = lost and nil
    collectgarbage()
    assert.is_truthy(ctx:checkpoint())
    assert.is_true(ctx:restore(cp))
    assert.is_nil(lost)
    cp:free()
    assert.has_error(function() ctx:restore(cp) end)
    cp:free()
  end)

  it("restore host memory, device memory and events", function()
    local enter, exit = construct(ctx, "enter data", { "copyin", a }), construct(ctx, "exit data", { "copyout", a })
    ctx:host_write(a, core.scalar.i32, 7)
    ctx:listen(true)
    local cp = assert(ctx:checkpoint())
    for _ = 1, 3 do
      assert.is_true(enter:run(0))
      ctx:host_write(a, core.scalar.i32, 9)
      assert.is_true(ctx:restore(cp))
      assert.same({}, ctx:drain())
      assert.equal(7, ctx:host_read(a, core.scalar.i32))
      assert.is_nil((exit:run(1)))
    end
    local late = construct(ctx, "enter data", { "copyin", a }, { "create", b })
    assert.is_true(late:run(0))
    assert.equal("alloc", ctx:drain()[1].op)
    assert.is_true(ctx:restore(cp))
    assert.is_true(late:run(0))
    assert.is_nil(ctx:check())
  end)

  it("make bounds valid again, or not", function()
    local enter = construct(ctx, "enter data", { "copyin", a })
    local before = assert(ctx:checkpoint())
    local bounds = enter:bounds(1)
    local cp = assert(ctx:checkpoint())
    assert.is_nil((bounds:changed(bounds)))
    assert.is_true(ctx:restore(before))
    bounds = nil
    collectgarbage()
    assert.is_true(ctx:restore(cp))
    assert.is_nil(ctx:check())
    assert.is_nil(bounds)
  end)

  it("are of one context, which was opened for them", function()
    local other, plain = open(), assert(core.open { device_bytes = 1 << 20 })
    local cp = assert(other:checkpoint())
    assert.has_error(function() ctx:restore(cp) end)
    local none, err = plain:checkpoint()
    assert.is_nil(none)
    assert.equal("misuse", err.code)
    other:close()
    assert.has_error(function() other:restore(cp) end)
    cp:free()
    plain:close()
  end)

  it("do not depend on addresses", function()
    local function run()
      local s = session.new { checkpoints = true, device_bytes = 1 << 20 }
      s:declare([[ struct pair { int n; int *p; }; int A[8]; struct pair S[2]; int *q; ]], "s.lua", 1)
      local v = s.now.scope.variables
      s.ctx:host_write(v.q.address, core.scalar.pointer, v.A.address + 8)
      s.ctx:host_write(v.S.address + 8, core.scalar.pointer, v.A.address)
      local all = {}
      local function note() table.insert(all, { s.ctx:digests(0) }) end
      note()
      s:directive("enter data copyin(S, A[0:4])", nil, "s.lua", 2)
      note()
      local cp = s.ctx:checkpoint()
      s:directive("enter data attach(S[0].p)", nil, "s.lua", 3)
      note()
      s.ctx:restore(cp)
      note()
      assert.same(all[2], all[4])
      s.ctx:restore(cp)
      s:directive("enter data copyin(A[5:2])", nil, "s.lua", 4)
      note()
      s:close()
      return all
    end
    local pad = core.malloc(100000)
    local first = run()
    core.free(pad)
    assert.same(first, run())
    for i = 1, 5 do assert.not_equal(first[2][i], i == 1 and 0 or first[1][i]) end
  end)
end)
