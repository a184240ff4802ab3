-- Walks over trees: in one order, whatever keys a node has.
local sorted_pairs = require "accdeep.base.sorted_pairs"
local ast = require "accdeep.base.ast"

local function id(name, pos) return { tag = "id", name = name, pos = pos } end

-- ten names in fields of which no order of pairs is that of the source
local function spread()
  local node = { tag = "call", pos = 1, type = { kind = "scalar", inner = id("type", 0) } }
  for i, key in ipairs { "to", "e", "a", "zz", "body", "base", "list", "no", "yes", "c" } do
    node[key] = i % 2 == 0 and id("n" .. i, i) or { { id("n" .. i, i) } }
  end
  return node
end

local function names(node)
  local list = {}
  ast.visit(node, function(inner) list[#list + 1] = inner.tag == "id" and inner.name or nil end)
  return table.concat(list, " ")
end

describe("a tree", function()
  it("is visited as it stands in the source, without types", function()
    assert.equal("n1 n2 n3 n4 n5 n6 n7 n8 n9 n10", names(spread()))
  end)

  it("is visited by keys where nodes share their place", function()
    local node = { tag = "binary", pos = 7 }
    for key in ("base a zz c to list"):gmatch "%a+" do node[key] = id(key, 7) end
    assert.equal("a base c list to zz", names(node))
  end)

  it("keeps the order of lists", function()
    assert.equal("b a c", names { id("b", 9), id("a", 3), id("c", 5), pos = 1 })
  end)

  it("has nothing visited inside of what a visit ends", function()
    local seen = 0
    ast.visit(spread(), function() seen = seen + 1 return true end)
    assert.equal(1, seen)
  end)

  it("finds a node", function()
    assert.is_true(ast.any(spread(), function(node) return node.name == "n9" end))
    assert.is_false(ast.any(spread(), function(node) return node.name == "type" end))
  end)

  it("is copied with other nodes, and left as it was", function()
    local node, finished = spread(), 0
    local made = ast.map(node, function(inner) return inner.name == "n4" and id("other", 4) or nil end,
      function() finished = finished + 1 end)
    assert.equal("n1 n2 n3 other n5 n6 n7 n8 n9 n10", names(made))
    assert.equal("n1 n2 n3 n4 n5 n6 n7 n8 n9 n10", names(node))
    assert.equal(node.type, made.type)
    assert.equal(20, finished) -- the node, five lists of lists, nine names
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

  it("leaves out what is removed meanwhile", function()
    local t, seen = { a = 1, b = 2, c = 3 }, ""
    for key, value in sorted_pairs(t) do
      seen, t.b = seen .. key .. value, nil
    end
    assert.equal("a1c3", seen)
  end)
end)
