-- Events and errors cite rules of the documents that their profile follows: each profile carries out the same
-- directives, right ones and wrong ones.
local profiles = require "accdeep.definitions.profiles"
local session = require "accdeep.run.session"

-- Ids of the catalogue.
local known = {}
for _, name in ipairs { "tr14", "dir", "acc20", "acc33", "acc34", "omp60", "ompex", "llnl", "flang", "house" } do
  local chunk = loadfile(("spec/rules/%s.lua"):format(name), "t", {})
  for _, rule in ipairs(chunk and chunk() or {}) do known[rule.id] = true end
end

local declarations = [[
  struct deep { int n; float *a; struct deep *next; };
  float store[8], other[4];
  struct deep X = { 4, other };
  float v[8], m[3][4], *p = store, *null;
  int n = 4, minus = -1, zero = 0, cols = 3;
]]

local acc = {
  "enter data copyin(v)", "enter data copyin(v[0:4])", "exit data copyout(v)", "exit data delete(v)",
  "exit data delete(v)", "exit data delete(v) finalize", "enter data create(v[0:4])", "enter data copyin(v[2:4])",
  "update self(v)", "update device(v[0:8])", "update device(m)", "exit data delete(v[0:4])",
  "enter data copyin(X)", "enter data copyin(X.a[0:X.n])", "enter data attach(X.a)", "exit data detach(X.a)",
  "exit data detach(X.a)", "exit data delete(X)", "exit data delete(X.a[0:X.n])", "enter data attach(X.a)",
  "enter data copyin(p[0:minus])", "enter data copyin(p[0:n / zero])", "enter data copyin(null[0:n])",
  "enter data copyin(p[0:1000])", "enter data copyin(m[0:3][0:cols])", "enter data copyin(m[0:2][1:2])",
  "enter data copyin(m[0:1][3:n])", "enter data copyin(n[0:1])", "enter data copyin(v[0:9])",
  "enter data copyin(m[0:2].x)", "enter data copyin(p[0:X])", "enter data copyin(v[0:2][0:1])",
}
local omp = {
  "target enter data map(to: v)", "target enter data map(to: v[0:4])", "target exit data map(from: v)",
  "target exit data map(from: v)", "target exit data map(delete: v)", "target enter data map(to: v[0:4])",
  "target enter data map(to: v[2:4])", "target enter data map(present, to: m)", "target update to(v[0:4])",
  "target update to(present: m)", "target enter data map(to: X)", "target enter data map(to: X.a[0:4])",
  "target enter data map(to: p[0:minus])", "target enter data map(to: p[0:1000])", "target enter data map(to: n[0:1])",
  "target enter data map(to: m[0:3][0:cols])", "target enter data map(to: m[0:2][1:2])",
  "target enter data map(to: m[0:1][3:n])", "target enter data map(to: v[0:9])", "target exit data map(release: X)",
}
local bodies = { "m[0][0] = 1;", "v[9] = 1;", "X.a[0] = 2;", "v[0] = p[1];", "X.next->n = 1;" }

-- Documents of which a profile may cite rules.
local allowed = {
  ["tr14"] = "TR14 ACC33 DIR", ["tr14x"] = "TR14 ACC33 DIR", ["openacc-3.3"] = "ACC33 DIR",
  ["openacc-3.4"] = "ACC34 ACC33 DIR",
  ["openacc-2.0"] = "ACC20 ACC33 DIR", ["libgomp-12"] = "ACC33 DIR", ["directory"] = "DIR TR14 ACC33",
  ["openmp-4.0"] = "OMP60 OMPEX", ["openmp-5.1"] = "OMP60 OMPEX", ["openmp-5.2"] = "OMP60 OMPEX",
  ["openmp-6.0"] = "OMP60 OMPEX", ["openmp-6.1"] = "OMP60 OMPEX",
  ["libgomp-12-openmp"] = "OMP60 OMPEX",
  ["libomptarget-14"] = "OMP60 OMPEX", ["libomptarget-19"] = "OMP60 OMPEX", ["indirect"] = "LLNL OMP60 OMPEX",
}

describe("rules of the documents that a profile follows", function()
  local seen = {}

  local function carry_out(profile, kind, list)
    local s = session.new { rules = profile }
    local count = 0
    local function check(id, what)
      count = count + 1
      seen[profile .. " " .. id] = true
      assert.is_true(known[id], ("%s cites %s"):format(what, tostring(id)))
      local document = id:match "^%u[%u%d]*"
      local fits = document == "HOUSE" or (" " .. allowed[profile] .. " "):find(" " .. document .. " ", 1, true)
      assert.is_truthy(fits, ("%s: %s cites %s"):format(profile, what, id))
    end
    local function try(what, fn, ...)
      local ok, err = pcall(fn, ...)
      if not ok then
        assert.is_string(err.rule, what .. ": " .. tostring(err))
        check(err.rule, what)
      end
      return ok and err
    end
    local current
    s:collect_into(function(event) check(event.rule, ("%s of '%s'"):format(event.op, current)) end)
    s:declare(declarations)
    for _, text in ipairs(list) do
      current = text
      try(text, s[kind], s, text)
    end
    for _, body in ipairs(bodies) do
      current = body
      local run = try(body, s[kind], s, kind == "omp" and "target" or "parallel")
      if run then try(body, run, body) end
    end
    s:close()
    return count
  end

  for _, profile in ipairs(profiles.names()) do
    it(profile, function()
      local is_openmp = profiles.profile(profile).is_openmp
      local count = carry_out(profile, is_openmp and "omp" or "directive", is_openmp and omp or acc)
      assert.is_true(count > 30, profile .. " cites " .. count)
    end)
  end

  it("ask each document", function()
    carry_out("directory", "directive", acc)
    for _, wanted in ipairs { "tr14 TR14-4.2-07", "openacc-3.3 ACC33-2.7.2-1", "directory DIR-4.2-14",
      "openmp-5.1 OMP60-map-5", "indirect LLNL-2.1-02", "openacc-2.0 ACC20-2.6-1" } do
      assert.is_true(seen[wanted], wanted)
    end
  end)

  it("descriptors of Fortran are attached and detached as Flang's document says", function()
    local s = session.new { rules = "openacc-3.3", language = "fortran" }
    local found = {}
    s:collect_into(function(event) found[event.op] = event.rule end)
    s:declare "type t\nreal, pointer :: p(:)\nend type\ntype(t) :: d\nallocate(d%p(4))"
    s:directive "enter data copyin(d)"
    s:directive "enter data copyin(d%p)"
    s:directive "exit data detach(d%p)"
    s:close()
    assert.equal("FLANG-composite-1", found.attach)
    assert.equal("FLANG-detach-1", found.detach)
  end)

  it("pointers that nothing has attached are followed under the rule of each document", function()
    local function followed(profile, kind, construct, body)
      local s = session.new { rules = profile }
      s:declare "float there[2]; struct holder { float *a; } H = { there };"
      s[kind](s, kind == "omp" and "target enter data map(to: H)" or "enter data copyin(H)")
      local _, err = pcall(s[kind](s, construct), body)
      s:close()
      return err.code .. " " .. err.rule
    end
    local body = "H.a[0] = 1;"
    for profile, rule in pairs { ["tr14"] = "TR14-1.1-02", ["openacc-3.3"] = "ACC33-att-6",
      ["libgomp-12"] = "ACC33-att-6" } do
      assert.equal("host-pointer-on-device " .. rule, followed(profile, "directive", "parallel present(H)", body))
    end
    assert.equal("host-pointer-on-device OMPEX-struct_map-8", followed("openmp-5.1", "omp", "target map(H)", body))
  end)

  it("Fortran's pointers, too: under openacc-3.3 it is that of Flang's document", function()
    local s = session.new { rules = "openacc-3.3", language = "fortran" }
    s:declare "type t\nreal, pointer :: p(:)\nend type\ntype(t) :: d\nreal, target :: x(4)\nd%p => x"
    local function followed()
      local _, err = pcall(s:directive("parallel present(d)", "d"), "d%p(1) = 2")
      return err.code .. " " .. err.rule
    end
    s:directive "enter data copyin(d)"
    assert.equal("host-pointer-on-device FLANG-storage-3", followed())
    s:directive "enter data copyin(d%p)"
    s:directive "exit data detach(d%p)"
    assert.equal("host-pointer-on-device FLANG-pointer-6", followed())
    s:directive "exit data delete(d)"
    s:declare "nullify(d%p)"
    s:directive "enter data copyin(d)"
    assert.equal("null-pointer FLANG-pointer-2", followed())
    s:close()
  end)
end)
