-- A host program: memory, regions, prepared directives, and what a failing construct leaves.
local support = require "tests.lua.support"

after_each(support.close_all)

local function run(session, text, line) return session:directive(text, nil, "spec.lua", line or 1) end
local function code_of(...) return support.error_of(...).code end

describe("a session", function()
  it("prepares a directive once for each place", function()
    local session = support.session "int x;"
    local openacc_execution = require "accdeep.run.openacc_execution"
    local count, original = 0, openacc_execution.lower
    openacc_execution.lower = function(...)
      count = count + 1
      return original(...)
    end
    finally(function() openacc_execution.lower = original end)
    for _ = 1, 5 do run(session, "update self(x) if_present", 3) end
    assert.equal(1, count)
    run(session, "update self(x) if_present", 4)
    assert.equal(2, count)
    session:declare("int y;", "spec.lua", 9)
    run(session, "update self(x) if_present", 4)
    assert.equal(3, count)
  end)

  it("keeps the trees of texts apart, whatever they begin with", function()
    local session = support.session "int x[8];"
    session:parse("target update to(x) if(0)", "omp_directive")
    local err = support.error_of(session.parse, session, "omp_directivetarget update to(x) if(0)")
    assert.equal("syntax", err.code)
  end)

  it("forgets prepared texts when there are very many", function()
    local session = support.session "int v[5000];"
    for i = 0, 4200 do run(session, ("update self(v[%d]) if_present"):format(i)) end
    assert.is_true(session.caches.nprepared < 4100)
  end)

  it("sees new values of a prepared directive", function()
    local session = support.session "int n = 1; int *p; int v[4];"
    local memory_view = require "accdeep.backend.memory_view"
    memory_view.write(session.host_space, session.now.scope.variables.p.type,
      session.now.scope.variables.p.address, { 1, 2, 3, 4 })
    for n = 1, 4 do
      session:host_store(session.now.scope.variables.n.address, session.now.scope.variables.n.type, n)
      run(session, "enter data copyin(p[0:n])")
      assert.equal(4 * n, session.ctx:present(0)[1].bytes)
      run(session, "exit data delete(p[0:n])")
    end
  end)
end)

describe("regions", function()
  it("open and close in order", function()
    local session = support.session "int x, y;"
    local outer = run(session, "data copy(x)")
    local inner = run(session, "data create(y)", 2)
    assert.equal("region-nesting", code_of(outer.close, outer))
    inner:close()
    outer:close()
    assert.equal("region-nesting", code_of(outer.close, outer))
    assert.equal("region-nesting", code_of(run, session, "end data"))
    assert.same({}, session.ctx:present(0))
  end)

  it("close when their body fails", function()
    local session = support.session "int x = 1;"
    local region = run(session, "data copy(x)")
    assert.is_false((pcall(region, function() error "own" end)))
    assert.same({}, session.ctx:present(0))
    assert.equal("type-mismatch", code_of(run(session, "data copy(x)"), 4))
    run(session, "end data")
  end)

  it("do nothing when their condition does not hold, but still close", function()
    local session = support.session "int x = 1; int no = 0;"
    local region = run(session, "data copy(x) if(no)")
    assert.same({}, session.ctx:present(0))
    region:close()
  end)
end)

describe("memory", function()
  it("is known by its blocks, and freed once", function()
    local session = support.session()
    local block = session:new_block(16, "mine")
    assert.equal("mine", session.ctx:host_at(block + 15).name)
    assert.is_nil(session.ctx:host_at(block + 16))
    assert.equal("out-of-bounds", code_of(session.free, session, block + 4))
    session:free(block)
    assert.equal("out-of-bounds", code_of(session.free, session, block))
    assert.is_false(session.ctx:host_at(block).live)
  end)

  it("of variables is not freed", function()
    local session = support.session "int x;"
    assert.equal("type-mismatch", code_of(session.free, session, session.now.scope.variables.x.address))
  end)

  it("that was freed is given back in the end", function()
    local session = support.session()
    local first = session:new_block(48 << 20)
    session:free(first)
    session:free(session:new_block(48 << 20))
    assert.is_nil(session.program.blocks[first])
    assert.is_nil(session.ctx:host_at(first))
  end)

  it("of an outer session is put back", function()
    local outer = support.session "int x = 1;"
    local inner = outer:inner()
    inner:host_store(inner.now.scope.variables.x.address, inner.now.scope.variables.x.type, 5)
    inner:declare("int mine;", "spec.lua", 1)
    assert.equal(5, outer:value(outer:host_env(), "x"))
    inner:close()
    assert.equal(1, outer:value(outer:host_env(), "x"))
    assert.equal("unknown-name", code_of(outer.value, outer, outer:host_env(), "mine"))
  end)
end)

describe("a construct that fails", function()
  it("leaves everything as it was", function()
    local session = support.session "float v[4] = { 1, 2, 3, 4 }, w[4]; float *p, *q;"
    run(session, "enter data copyin(v[1:2])")
    local before = session.ctx:digest()
    for _, text in ipairs { "enter data copyin(w) copyin(v)", "update self(w)",
      "enter data copyin(w) copyin(q[0:2])", "data present(w)",
      "exit data delete(v[1:2]) delete(w)", "enter data create(w) copyin(p[0:-1])",
        "update device(v[1:2]) self(w)" } do
      assert.is_string(code_of(run, session, text), text)
      assert.equal(before, session.ctx:digest(), text)
      assert.is_nil(session.ctx:check(), text)
    end
  end)

  it("names the objects and where they were mapped", function()
    local session = support.session "float v[4];"
    run(session, "enter data copyin(v[1:2])", 7)
    local err = support.error_of(run, session, "enter data copyin(v)", 9)
    assert.equal("partially-present", err.code)
    assert.same({ "v", "v[1:2]", 7 }, { err.objects[1].name, err.objects[2].name, err.objects[2].line })
    assert.same({ "spec.lua", 9, 19 }, { err.file, err.line, err.pos })
    assert.equal("only a part of v is present on device 0", err.message)
  end)
end)

describe("devices", function()
  it("are apart", function()
    local session = support.session("int x = 1;", { devices = 2 })
    run(session, "enter data copyin(x)")
    run(session, "set device_num(1)")
    assert.same({}, session.ctx:present(1))
    assert.equal("not-present", code_of(run, session, "update self(x)"))
    assert.equal("no-device", code_of(run, session, "set device_num(2)"))
    run(session, "set device_num(0)")
    run(session, "exit data delete(x)")
  end)
end)
