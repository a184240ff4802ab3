-- A text of declarations that fails leaves a session as it was: all that can be reached from the session is
-- compared, so that no table of names can be forgotten.
local session = require "accdeep.run.session"
local support = require "tests.lua.support"
local transaction = require "accdeep.types.transaction"

local seed = tonumber(os.getenv "ACCDEEP_SEED") or 1
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 200

-- Fields that say nothing of what is declared.
local apart = {}
for name in ([[caches current bound
    host_space spaces pointer_spaces core rules options enclosing_texts]]):gmatch "%S+" do
  apart[name] = true
end

-- Every table that can be reached: a copy of what it holds.
local function taken(root)
  local all, open = {}, { root }
  while #open > 0 do
    local t = table.remove(open)
    if not all[t] then
      local copy = {}
      for key, value in next, t do
        if not apart[key] then
          copy[key] = value
          if type(value) == "table" then open[#open + 1] = value end
          if type(key) == "table" then open[#open + 1] = key end
        end
      end
      all[t] = copy
    end
  end
  return all
end

-- What differs: words for the first difference, or nil.
local function difference(before)
  for t, copy in next, before do
    for key, value in next, t do
      if not apart[key] and copy[key] ~= value then return ("%s: %s"):format(tostring(key), tostring(value)) end
    end
    for key in next, copy do
      if t[key] == nil then return ("%s is gone"):format(tostring(key)) end
    end
  end
  return nil
end

local before_text = [[
  struct A { int n; float *a; };
  struct B;
  struct C { struct A a; int k; };
  int x, y[4];
  template<class T> class box { T *p; int n; };
  namespace inside { int first; struct both { int n; }; }
]]

local pieces = {
  "struct N%d { int n; float *p;\n#pragma acc shape include(p[0:n])\n};\n", "typedef struct A t%d;\n",
  "enum { E%d = 3 };\n", "enum e%d { F%d };\n", "int v%d = 5;\n", "float *w%d;\n", "box<int> b%d;\n",
  "template<class T> class more%d { T t; };\nmore%d<float> m%d;\n",
  "#pragma acc shape(s%d) type(struct A) exclude(a)\n", "#pragma acc policy(p%d) type(struct A) default(copyin)\n",
  "#pragma omp declare mapper(m%d: struct A v) map(to: v.n)\n",
  "#pragma omp declare group name(g%d) map(to: x)\n",
  "struct G%d { int n;\n#pragma omp declare group map(to: n)\n};\n",
  "#pragma omp declare group name(h%d) bind_type(struct A) map(to: x)\n",
  "struct B { int z; };\n", "class D%d { int n; int twice() { return 2 * n; } };\n",
  "#pragma omp declare target\nint d%d[8];\n#pragma omp end declare target\n", "#pragma omp declare target\nint o%d;\n",
  "int z%d;\n#pragma omp declare target enter(z%d)\n", "int l%d;\n#pragma omp declare target link(l%d)\n",
  "#pragma acc shape type(struct C) include(k)\n", "namespace inside { int i%d; struct I%d { int n; }; }\n",
  "namespace n%d { enum { Z%d = 4000000000u }; int a[3]; }\n",
  "class O%d { public: class In { int k; }; In a; static const int K = 4; };\n",
}

describe("a text that fails declares nothing:", function()
  local function fails(s, text)
    local before, device = taken(s), s.ctx:digest()
    local err = support.error_of(transaction.run, s, s.declare, s, text, "text", 1)
    assert.is_nil(difference(before), text)
    assert.equal(device, s.ctx:digest(), text)
    assert.is_nil(s.ctx:check(), text)
    return err
  end

  local function open()
    local s = session.new { rules = "indirect" }
    s:declare(before_text)
    return s
  end

  it("a group of clauses", function()
    local s = open()
    fails(s, "struct Q { int n; };\n#pragma omp declare group name(left) map(to: x)\nint broken[missing];\n")
    assert.equal("unknown-group", support.error_of(s.omp, s, "target enter data bind_group(left)").code)
    s:close()
  end)

  for i, piece in ipairs(pieces) do
    it("piece " .. i, function()
      local s = open()
      local ok, err = pcall(s.declare, s, (piece:gsub("%%d", "1")))
      assert.is_true(ok, tostring(err))
      s:close()
      s = open()
      fails(s, (piece:gsub("%%d", "1")) .. "int broken[missing];\n")
      s:close()
    end)
  end

  it(("random ones, seed %d"):format(seed), function()
    math.randomseed(seed)
    local s = open()
    for round = 1, rounds do
      local text = {}
      for i = 1, math.random(6) do text[i] = pieces[math.random(#pieces)]:gsub("%%d", round .. "x" .. i) end
      text[#text + 1] = "int broken[missing];\n"
      fails(s, table.concat(text))
      if round % 40 == 0 then
        s:close()
        s = open()
      end
    end
    s:close()
  end)
end)
