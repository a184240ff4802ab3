-- The routines of the API where a scenario cannot see them fail: memory that runs out, copies that a device
-- cannot do.
local api_routines = require "accdeep.run.api_routines"
local support = require "tests.lua.support"
local memory_view = require "accdeep.backend.memory_view"

after_each(support.close_all)

local HERE = { file = "spec.lua", line = 1 }

local function call(session, name, ...) return api_routines.call(session, name, HERE, ...) end

describe("OpenMP's memory routines", function()
  it("give a null pointer when the host has no memory left", function()
    local session = support.session "int x;"
    assert.is_true(call(session, "omp_target_alloc", 1 << 60, 1) == memory_view.NULL)
  end)

  it("tell of a device that fails, with their own rule", function()
    local session = support.session "int v[4] = { 1, 2, 3, 4 };"
    local v = session:extent "v"
    local d = call(session, "omp_target_alloc", 16, 0)
    for name, args in pairs {
      omp_target_memcpy = { d, v, 16, 0, 0, 0, 1, result = 0 },
      omp_target_memcpy_rect = { d, v, 4, 1, { 4 }, { 0 }, { 0 }, { 4 }, { 4 }, 0, 1, result = 0 },
      omp_target_memset = { d, 0, 16, 0, result = d },
    } do
      session.ctx:fail_copy(0, 1)
      local err = support.error_of(call, session, name, table.unpack(args))
      assert.equal("device-error", err.code)
      assert.is_truthy(err.rule:find "^OMP60%-api%-%d+$", err.rule)
      assert.equal(args.result, call(session, name, table.unpack(args)))
    end
  end)

  it("end no association that a region or an attached pointer needs, where rules keep such data", function()
    support.holds [=[
      scenario { rules = "openacc-3.3" }
      declare "int v[8], *p = v;"
      local d = omp_target_alloc(32, 0)
      omp_target_associate_ptr(addr "v[0]", d, 32, 0, 0)
      acc "data present(v)" (function()
        expect(omp_target_disassociate_ptr(addr "v[0]", 0) ~= 0)
      end)
      acc "enter data copyin(p)" -- which attaches it
      expect(omp_target_disassociate_ptr(addr "v[0]", 0) ~= 0)
      acc "exit data detach(p)"
      expect.equal(omp_target_disassociate_ptr(addr "v[0]", 0), 0)
    ]=]
  end)

  it("leave no memory behind when a copy between devices fails half-way", function()
    local session = support.session("int v[4] = { 1, 2, 3, 4 };", { devices = 2 })
    local d, e = call(session, "omp_target_alloc", 16, 0), call(session, "omp_target_alloc", 16, 1)
    call(session, "omp_target_memset", e, 7, 16, 1)
    local function live()
      local n = 0
      for _, block in pairs(session.program.blocks) do n = n + (block.live and 1 or 0) end
      return n
    end
    local before = live()
    session.ctx:fail_copy(1, 1)
    assert.equal("device-error", support.error_of(call, session, "omp_target_memcpy", e, d, 16, 0, 0, 1, 0).code)
    assert.equal(before, live())
  end)
end)
