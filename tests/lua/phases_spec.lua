-- The phases of a directive: one ends before the next begins.
local accdeep = require "accdeep"

local DECLARATIONS = [[
struct inner { int m; double *v;
#pragma acc shape include(v[0:m])
};
struct outer { int n; float *a; struct inner in; struct inner *more; float *b;
#pragma acc shape include(a[0:n], more[0:n], b[@a])
#pragma acc policy(sends) default(copyin)
};
struct outer X; float A[8][4]; float *p;
]]

-- Calls fn and returns the folders of the modules whose functions were called, in order, each once in a row.
local function folders_of(fn)
  local list = {}
  local hook, mask, count = debug.gethook()
  debug.sethook(function()
    local folder = debug.getinfo(2, "S").source:match "lua/accdeep/(.+)/[^/]+%.lua$"
    if folder and list[#list] ~= folder then list[#list + 1] = folder end
  end, "c")
  local ok, err = pcall(fn)
  debug.sethook(hook, mask, count)
  assert(ok, err)
  return list
end

-- Returns the folders of a directive that a new session executes for the first time.
local function folders_of_directive(text)
  local session = accdeep.session {}
  session:declare(DECLARATIONS, "x.c", 1)
  return folders_of(function() session:acc(text, nil, "x.lua", 1) end)
end

local directives = { "enter data copyin(X)", "enter data copyin(A[1:2][:])", "enter data invoke<sends>(X)",
  "enter data create(X) copyin(X.n)", "enter data copyin(X)::{ default(exclude) include(a[0:n]) }" }

describe("a directive", function()
  setup(function()
    for _, text in ipairs(directives) do folders_of_directive(text) end -- loads all modules
  end)

  for _, text in ipairs(directives) do
    it("is analysed before it is lowered: " .. text, function()
      local lowered, analysed = false, false
      for _, folder in ipairs(folders_of_directive(text)) do
        lowered = lowered or folder == "lowering"
        analysed = analysed or folder == "sema/clauses"
        assert.is_false(lowered and (folder:find "^sema" or folder:find "^syntax") ~= nil, folder)
      end
      assert.is_true(lowered and analysed)
    end)
  end

  it("does not go back and forth between the modules", function()
    local session = accdeep.session {}
    session:declare("struct s { int n; float *a;\n#pragma acc shape include(a[0:n])\n}; struct s X;", "x.c", 1)
    local folders = folders_of(function() session:acc("enter data copyin(X)", nil, "x.lua", 1) end)
    assert.is_true(#folders <= 60, #folders .. " folders")
  end)
end)
