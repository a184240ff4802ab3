-- Nodes of ASTs: their kinds, and walks over them.
local accdeep = require "accdeep"
local ast = require "accdeep.base.ast"
local ast_kinds = require "accdeep.base.ast_kinds"
local fortran_syntax = require "accdeep.syntax.fortran_syntax"
local lfs = require "lfs"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local syntax = require "accdeep.syntax"

-- Returns the fields of one form of a kind: name -> {type (nil: a value), is_list, is_optional}.
local function fields_of(form)
  local fields = {}
  for field in form:gmatch "%s*[^,]+" do
    local head, name, optional = field:match "^%s*(%S- ?)([%w_]+)(%??)%s*$"
    fields[name] = { type = head:match "[%w_]+", is_list = head:find "%*" ~= nil, is_optional = optional == "?" }
  end
  return fields
end

-- Returns the forms of a kind: list of tables as fields_of returns them. later: set of the fields that phases after the
-- parsers store.
local function forms_of(kind)
  local parsed, stored = ast_kinds[kind]:match "^([^;]*);?(.*)$"
  local forms = { later = fields_of(stored) }
  for form in (parsed .. "|"):gmatch "([^|]*)|" do forms[#forms + 1] = fields_of(form) end
  return forms
end

local forms = {}
for kind in pairs(ast_kinds) do forms[kind] = forms_of(kind) end

local function is_node(value) return type(value) == "table" and forms[value.tag] ~= nil end

-- Returns why `value` is not what a field may hold; nil if it is.
local function flaw_of(field, value)
  if not field.type then return is_node(value) and value.pos and "is a node" or nil end
  for _, child in ipairs(field.is_list and not is_node(value) and value or { value }) do
    if not is_node(child) then return "is no node" end
    if forms[field.type] and child.tag ~= field.type then return "is of the kind " .. child.tag end
  end
  return field.is_list == is_node(value) and "is no list of nodes" or nil
end

-- Returns why a node does not have this form; nil if it has. later: further fields that the node may have.
local function misfit(node, form, later)
  for key, value in pairs(node) do
    if value and key ~= "tag" and key ~= "pos" and not (later[key] and not later[key].type) then
      local field = form[key] or later[key]
      local flaw = not field and "is unknown" or field and flaw_of(field, value)
      if flaw then return ("%s %s"):format(key, flaw) end
    end
  end
  for name, field in pairs(form) do
    if not field.is_optional and (node[name] == nil or node[name] == false and field.type) then
      return name .. " is missing"
    end
  end
  return nil
end

-- Appends to `flaws` how nodes of an AST differ from ast_kinds. visited: set of the nodes and kinds that were checked.
local function check(tree, flaws, visited)
  if visited[tree] then return end
  visited[tree] = true
  local tag = tree.tag
  if tag and not forms[tag] then
    flaws[#flaws + 1] = "unknown kind " .. tag
    return
  end
  local reasons = {}
  for i, form in ipairs(tag and forms[tag] or {}) do
    reasons[i] = misfit(tree, form, forms[tag].later)
    if not reasons[i] then reasons = {} break end
  end
  if tag then visited[tag] = true end
  if reasons[1] then flaws[#flaws + 1] = ("%s: %s"):format(tag, table.concat(reasons, "; ")) end
  for _, child in ast.children(tree) do check(child, flaws, visited) end
end

-- Calls fn while the ASTs that both parsers return are appended to the result.
local function parsed_while(fn)
  local trees, originals = {}, {}
  for _, parser in ipairs { syntax, fortran_syntax } do
    originals[parser] = parser.parse
    function parser.parse(start, ...)
      local tree, after = originals[parser](start, ...)
      if type(tree) == "table" and start ~= "parameter_names" then trees[#trees + 1] = tree end
      return tree, after
    end
  end
  local ok, err = pcall(fn)
  for parser, parse in pairs(originals) do parser.parse = parse end
  assert(ok, err)
  return trees
end

-- Returns a sorted list of the scenarios below a folder.
local function scenarios(folder, list)
  for name in lfs.dir(folder) do
    local path = folder .. "/" .. name
    if lfs.attributes(path, "mode") == "directory" then
      if not name:find "^%." then scenarios(path, list) end
    elseif name:find "%.lua$" then
      list[#list + 1] = path
    end
  end
  table.sort(list)
  return list
end

local function text_of(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

-- Texts of kinds that scenarios have late or never.
local RARE = [[
declare "struct b { int n; };"
declare "struct s : b { template <class T> friend class x; using b::n; static_assert(sizeof(int) == 4); };"
declare 'extern "C" { struct t { template <class T> void f(T x); }; }'
fortran "subroutine f(x)\ndimension x(3)\nx = y(*)\nstop 1\nend subroutine"
]]

-- Limit of the steps of a file, since the check needs the texts and not what they compute.
local STEPS = 500000

describe("the table of kinds of nodes", function()
  it("describes every node that parsers and phases make of the specification and the examples", function()
    local flaws, visited = {}, {}
    local texts = { rare = RARE }
    for _, folder in ipairs { "spec", "examples" } do
      for _, path in ipairs(scenarios(folder, {})) do texts[path] = text_of(path) end
    end
    for path, text in sorted_pairs(texts) do
      local trees = parsed_while(function()
        accdeep.run(path, text, { out = function() end, limit_steps = STEPS })
      end)
      for _, tree in ipairs(trees) do check(tree, flaws, visited) end
    end
    assert.equal("", table.concat(flaws, "\n"))
    local unused = {}
    for kind in sorted_pairs(forms) do unused[#unused + 1] = not visited[kind] and kind or nil end
    assert.equal("typed", table.concat(unused, " ")) -- wraps a typed AST; no parsed node has one
  end)

  it("is what the check reads", function()
    local function flaws_of(node)
      local flaws = {}
      check(node, flaws, {})
      return table.concat(flaws, "\n")
    end
    local x = { tag = "id", pos = 1, name = "x" }
    assert.equal("", flaws_of { tag = "index", pos = 1, base = x, index = x })
    assert.equal("index: index is missing", flaws_of { tag = "index", pos = 1, base = x })
    assert.equal("index: offset is unknown", flaws_of { tag = "index", pos = 1, base = x, index = x, offset = 1 })
    assert.equal("comma: list is no list of nodes", flaws_of { tag = "comma", pos = 1, list = x })
    assert.equal("postfix: op is a node", flaws_of { tag = "postfix", pos = 1, base = x, op = x })
    assert.equal("cast: type is of the kind id", flaws_of { tag = "cast", pos = 1, type = x, e = x })
    assert.equal("unknown kind offset", flaws_of { tag = "offset", pos = 1 })
  end)
end)

local function id(name, pos) return { tag = "id", name = name, pos = pos } end

-- Ten names in the fields of nodes, with values beside them.
local function nested()
  return { tag = "for", pos = 1, construct = id("value", 0),
    init = { tag = "assign", op = "=", to = id("n1", 1), e = id("n2", 2) },
    c = { tag = "binary", op = "<", a = id("n3", 3), b = id("n4", 4) },
    step = { tag = "call", base = id("n5", 5), args = { id("n6", 6), id("n7", 7) } },
    body = { tag = "cond", c = id("n8", 8), a = id("n9", 9), b = id("n10", 10) } }
end

local function names(node)
  local list = {}
  ast.visit(node, function(inner) list[#list + 1] = inner.tag == "id" and inner.name or nil end)
  return table.concat(list, " ")
end

describe("an AST", function()
  it("is visited in the order of its text, without values", function()
    assert.equal("n1 n2 n3 n4 n5 n6 n7 n8 n9 n10", names(nested()))
  end)

  it("keeps the order of lists", function()
    assert.equal("b a c", names { id("b", 9), id("a", 3), id("c", 5) })
  end)

  it("has nothing visited inside of what a visit ends", function()
    local visits = 0
    ast.visit(nested(), function() visits = visits + 1 return true end)
    assert.equal(1, visits)
  end)

  it("finds a node", function()
    assert.is_true(ast.any(nested(), function(node) return node.name == "n9" end))
    assert.is_false(ast.any(nested(), function(node) return node.name == "value" end))
  end)

  it("is copied with other nodes, and left as it was", function()
    local node, finished = nested(), 0
    local copy = ast.map(node, function(inner) return inner.name == "n4" and id("other", 4) or nil end,
      function() finished = finished + 1 end)
    assert.equal("n1 n2 n3 other n5 n6 n7 n8 n9 n10", names(copy))
    assert.equal("n1 n2 n3 n4 n5 n6 n7 n8 n9 n10", names(node))
    assert.equal(node.construct, copy.construct)
    assert.equal(15, finished) -- five nodes, a list, nine names
  end)
end)

describe("sorted", function()
  it("goes by numbers, then by texts", function()
    local keys = {}
    for key in sorted_pairs { zeta = 1, [10] = 1, alpha = 1, 5, [0.5] = 1, [true] = 1, beta = false } do
      keys[#keys + 1] = tostring(key)
    end
    assert.equal("0.5 1 10 alpha beta zeta true", table.concat(keys, " "))
  end)

  it("goes by a field of the values, then by keys", function()
    local keys = {}
    for key in sorted_pairs({ a = { pos = 3 }, b = { pos = 1 }, c = { pos = 1 } }, "pos") do keys[#keys + 1] = key end
    assert.equal("b c a", table.concat(keys, " "))
  end)

  it("leaves out what is removed meanwhile", function()
    local t, visited = { a = 1, b = 2, c = 3 }, ""
    for key, value in sorted_pairs(t) do
      visited, t.b = visited .. key .. value, nil
    end
    assert.equal("a1c3", visited)
  end)
end)
