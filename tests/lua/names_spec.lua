-- How objects, pointers and bytes are called: in tables, events, traces and errors.
local accdeep = require "accdeep"
local json = require "dkjson"
local scenario = require "accdeep.script.scenario"
local support = require "tests.lua.support"
local trace = require "accdeep.inspect.trace"

local function names_of(text)
  return support.holds(text .. [[
    for _, o in ipairs(state().present) do print(o.name) end
    for _, a in ipairs(state().attached) do print(a.name .. " -> " .. a.target) end]])
end

-- The events of a scenario as a trace has them.
local function traced(text)
  local lines = {}
  local writer = trace.writer(function(line) lines[#lines + 1] = json.decode(line) end)
  local record = scenario.run("spec.lua", text, { out = function() end,
    trace = function(event, session, batch, i) writer:event(event, session, batch, i) end })
  assert.is_true(record.cases[1].ok, record.cases[1].error and record.cases[1].error.message)
  return lines
end

local list = [[
  scenario { rules = "tr14x" }
  declare "struct node { int v; struct node *next;\n#pragma acc shape include(next[0:next ? 1 : 0])\n};"
  declare "struct node *list;"
  host.list = alloc("struct node", 1)
  local p = host.list
  for i = 1, 12 do
    local q = alloc("struct node", 1)
    p.v, p.next, p = i, q, q
  end
  p.next = NULL
  acc "enter data copyin(list[0:1])"
]]

describe("a table", function()
  it("has long names whole, and its numbers below them", function()
    local text = support.holds(list .. "show()")
    local name = "list[0]" .. (".next[0]"):rep(11) .. ".next"
    assert.matches("\n  " .. name:gsub("%p", "%%%0") .. "%[0:1%]\n +16 +0 +1\n", text)
    for line in text:gmatch "[^\n]+" do assert.is_true(#line < 200, line) end
  end)
end)

describe("a name", function()
  it("of a list's node follows the pointers", function()
    assert.equal("h[0:1]\nh[0].next[0:1]\nh[0].next[0].next[0:1]\n"
      .. "h[0].next -> h[0].next[0:1]\nh[0].next[0].next -> h[0].next[0].next[0:1]\n", names_of [[
      declare "struct node { int v; struct node *next; }; struct node *h;"
      host.h = { { v = 1, next = { { v = 2, next = { { v = 3 } } } } } }
      acc "enter data copyin(h[0:1])"
      acc "enter data copyin(h->next[0:1])"
      acc "enter data copyin(h->next->next[0:1])"
    ]])
  end)

  it("does not go in circles", function()
    assert.equal("p[0].base[0:4]\np[0].base[1].base -> p[0].base[0:4]\n", names_of [[
      declare "struct s { int n; struct s *base; }; struct s *p;"
      local a = alloc("struct s", 4)
      host.p = a + 1
      for i = 0, 3 do a[i].n, a[i].base = i, a end
      acc "enter data copyin(p[0:1])::{ include(base[0:4])::{ exclude(base) } }"
    ]])
  end)

  local vectors = [[
    declare "struct s { int n; float *a;\n#pragma acc shape include(a[0:n])\n#pragma acc shape(flat) exclude(a)\n};"
    declare "struct s X, Y, *Z;"
    host.X, host.Y = { n = 2, a = { 1, 2 } }, { n = 2, a = { 3, 4 } }
    host.Z = { { n = 1, a = { 5 } }, { n = 1, a = { 6 } } }
  ]]

  it("of a member stays when the structure has left", function()
    assert.equal("X.a[0:2]\nY.a[0:2]\nZ[0].a[0:1]\nZ[1].a[0:1]\n", names_of(vectors .. [[
      acc "enter data copyin(X, Y, Z[1:1], Z[X.n - 2])"
      acc "exit data detach(X.a, Y.a, Z[1].a, Z[0].a)"
      acc "exit data delete<flat>(X, Y, Z[1:1], Z[0])"
    ]]))
  end)

  it("of a member stays when a pointer of another structure holds it", function()
    assert.equal("X.a[0:2]\nY\nY.a -> X.a[0:2]\n", names_of(vectors .. [[
      host.Y.a = host.X.a
      acc "enter data copyin(X, Y)"
      acc "exit data delete(X)"
    ]]))
  end)

  it("of rows counts rows", function()
    assert.equal("S\nS.a[1:2]\nb[1][1:2]\nS.a -> S.a[1:2]\n", names_of [[
      declare "double b[3][4]; struct { double (*a)[4]; } S;"
      host.S.a = alloc("double[4]", 3)
      acc "enter data copyin(S, S.a[1:2], b[1:1][1:2])"
    ]])
    assert.equal("d2h S.a[1][1:2]\nd2h S.m[2][3][1:4]\nd2h S.a[2:1]\n", support.holds [[
      declare "struct { double (*a)[4]; float (*m)[4][5]; } S;"
      host.S.a, host.S.m = alloc("double[4]", 3), alloc("float[4][5]", 3)
      acc "enter data copyin(S, S.a[0:3], S.m[0:3])"
      for _, e in ipairs(events(function() acc "update self(S.a[1:1][1:2], S.a[2:1], S.m[2:1][3:1][1:4])" end)) do
        print(e.op .. " " .. e.name)
      end
    ]])
  end)
end)

describe("bytes that move at the end of a region", function()
  local text = [[
    declare "struct in { int n; float *s;\n#pragma acc shape init_needed(n) include(s[0:n])\n};"
    declare "struct obj { struct in own; int k; float *list;\n#pragma acc shape init_needed(k) include(list[0:k])\n};"
    declare "struct obj O;"
    host.O = { own = { n = 1, s = { 1 } }, k = 1, list = { 2 } }
    acc "data copyout(O)" (function() end)
  ]]

  it("are called by the member that they are", function()
    local names = {}
    for _, line in ipairs(traced(text)) do
      if line.op == "d2h" then names[#names + 1] = line.name end
    end
    assert.same({ "O.own.n", "O.k", "O.own.s[0:1]", "O.list[0:1]" }, names)
  end)

  it("have the number of their object in a trace, and say where in it they lie", function()
    local made, moved = {}, {}
    for _, line in ipairs(traced(text)) do
      if line.op == "alloc" then made[line.name] = line.object end
      if line.op == "d2h" then moved[line.name] = line end
    end
    assert.equal(made["O"], moved["O.k"].object)
    assert.equal("O", moved["O.k"]["in"])
    assert.equal(16, moved["O.k"].offset)
    assert.is_nil(moved["O.own.n"].offset)
    assert.is_nil(moved["O.k"].gone)
  end)
end)

describe("an error of accdeep itself", function()
  it("is reported at the scenario's line", function()
    local state = require "accdeep.run.state"
    local text_of, own = state.text, debug.getinfo(accdeep.run, "S").source:gsub("[^/]*/?[^/]*$", "")
    finally(function() state.text = text_of end)
    state.text = assert(load("local n = nil; return n + 1", own .. "accdeep/broken.lua"))
    local record = accdeep.run("spec.lua", "local x = 1\nshow()\n", {})
    local err = record.cases[1].error
    assert.same({ "internal", "spec.lua", 2 }, { err.code, err.file, err.line })
  end)
end)
