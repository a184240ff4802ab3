-- Snapshots, pictures and what is made of them, without Graphviz.
local dot = require "accdeep.inspect.draw.dot"
local draw = require "accdeep.inspect.draw"
local html = require "accdeep.inspect.draw.html"
local picture = require "accdeep.inspect.draw.picture"
local snapshot = require "accdeep.inspect.snapshot"
local support = require "tests.lua.support"
local svg = require "accdeep.inspect.draw.svg"

local DEEP = [[
  struct part { int n; float *a, *b;
    #pragma acc shape include(a[0:n]) exclude(b)
  };
  struct part X; char name[8] = "text"; float *loose; int many[100];
]]

local function session(more)
  local s = support.session(DEEP)
  local host = support.host(s)
  host.X = { n = 2, a = { 1, 2 }, b = { 3 } }
  if more then more(s, host) end
  return s, host
end

local function find(list, name)
  for _, object in ipairs(list) do
    if object.name == name or object.title == name then return object end
  end
  return nil
end

local function row(object, path)
  for _, r in ipairs(object.rows) do
    if (r.path or r.name) == path then return r end
  end
  return nil
end

-- The cases of a scenario's text.
local function recorded(text, options)
  options = options or {}
  options.out = function() end
  return draw.scenario("spec.lua", text, options)
end

-- Whether any table of a tree has a number that could be an address.
local function holds_address(t)
  for _, value in pairs(t) do
    if type(value) == "table" and holds_address(value) or math.type(value) == "integer" and value > 1 << 32 then
      return true
    end
  end
  return false
end

describe("snapshot", function()
  after_each(support.close_all)

  it("tells values, and what pointers lead to", function()
    local shot = snapshot.take((session()))
    local X = find(shot.host, "X")
    assert.equal("2", row(X, "n").text)
    assert.equal("host", row(X, "a").state)
    assert.equal(find(shot.host, "X.a").id, row(X, "a").to)
    assert.equal("1 2", find(shot.host, "X.a").rows[1].text)
    assert.equal('"text"', find(shot.host, "name").rows[1].text)
    assert.equal("null", find(shot.host, "loose").rows[1].state)
    assert.equal("0 0 0 0 0 0 ... 0", find(shot.host, "many").rows[1].text)
    assert.equal("absent", X.present)
  end)

  it("tells what is there, attached, excluded, never written", function()
    local s = session(function(s) s:directive("enter data create(X)", nil, "spec.lua", 1) end)
    local shot = snapshot.take(s)
    local X, a = find(shot.device, "X"), find(shot.device, "X.a[0:2]")
    assert.equal(find(shot.host, "X").id, X.host)
    assert.equal("attached", row(X, "a").state)
    assert.equal(1, row(X, "a").count)
    assert.equal(a.id, row(X, "a").to)
    assert.equal("excluded", row(X, "b").state)
    assert.equal("? ?", a.rows[1].text)
    assert.is_true(a.rows[1].unknown)
    assert.equal("wholly", find(shot.host, "X").present)
    assert.equal("absent", find(shot.host, "X.b").present)
    assert.same({ { name = "X.a", target = "X.a[0:2]", count = 1 } }, shot.attached)
  end)

  it("tells dangling and untranslated pointers", function()
    local s, host = session(function(s, host)
      host.loose = { 5 }
      s:directive("enter data copyin(loose)", nil, "spec.lua", 1)
    end)
    assert.equal("host", find(snapshot.take(s).device, "loose").rows[1].state)
    s:free((require "accdeep.backend.memory_view".address(host.loose)))
    assert.equal("gone", find(snapshot.take(s).host, "loose").rows[1].state)
  end)

  it("tells pieces of an array, and elements of them", function()
    local s = session(function(s, host)
      host.many[10] = 7
      s:directive("enter data copyin(many[10:5])", nil, "spec.lua", 1)
    end)
    local piece = find(snapshot.take(s).device, "many[10:5]")
    assert.equal("[10:5]", piece.rows[1].path)
    assert.equal("7 0 0 0 0", piece.rows[1].text)
    assert.is_true(piece.part)
  end)

  it("makes one object of many that are alike", function()
    local s = support.session "struct item { int k; double *v; } list[50];"
    local host = support.host(s)
    for i = 0, 49 do host.list[i] = { k = i, v = { i } } end
    local shot = snapshot.take(s)
    assert.equal(5, #shot.host) -- the array, three of the blocks, the others
    local group = find(shot.host, "list[2].v ... list[48].v")
    assert.equal(47, group.group)
    local X = shot.host[1]
    assert.equal("... 47 more", row(X, "").text)
  end)

  it("lists a target by itself only where its pointer has a row", function()
    for n = 2, 12 do
      local s = support.session(("struct item { int k; double *v; } list[%d];"):format(n))
      local host = support.host(s)
      for i = 0, n - 1 do host.list[i] = { k = i, v = { i } } end
      s:directive("enter data copyin(list)", nil, "spec.lua", 1)
      for i = 0, n - 1 do s:directive(("enter data copyin(list[%d].v[0:1])"):format(i), nil, "spec.lua", 1) end
      local shot = snapshot.take(s)
      for _, side in ipairs { "host", "device" } do
        local pointed = {}
        for _, object in ipairs(shot[side]) do
          for _, r in ipairs(object.rows) do pointed[r.to or false] = true end
          if object.parent then pointed[object.id] = true end
        end
        for _, object in ipairs(shot[side]) do
          assert(pointed[object.id] or object.name == "list", ("%d: no arrow to %s"):format(n, object.name))
        end
      end
    end
  end)

  it("says where in its target a pointer points", function()
    local cases = recorded([[
      declare "double data[4]; double *first, *third, *behind;"
      host.first, host.third, host.behind = addr "data[0]", addr "data[2]", addr "data[0]" + 4
      acc "enter data copyin(data, third)"
      acc "enter data attach(third)"
    ]])
    local shot = cases[1].steps[3].snapshot
    local function into(side, name) return find(shot[side], name).rows[1].into end
    assert.is_nil(into("host", "first"))
    assert.equal("[2]", into("host", "third"))
    assert.equal("the end", into("host", "behind"))
    assert.equal("[2]", into("device", "third"))
    local made = picture.new(cases[1].steps[3])
    local function row_behind(id)
      for _, arrow in ipairs(made.arrows) do
        if arrow.from == id then return picture.row_at(made.boxes[arrow.to], arrow) end
      end
    end
    assert.is_nil(row_behind(find(shot.host, "first").id))
    assert.equal(1, row_behind(find(shot.host, "third").id))
    assert.equal(1, row_behind(find(shot.device, "third").id))
  end)

  it("says where a host address on the device points", function()
    local cases = recorded([[
      declare "double data[4], *third;"
      host.third = addr "data[2]"
      acc "enter data copyin(third)"
    ]])
    local step = cases[1].steps[2]
    local third = picture.new(step).boxes[find(step.snapshot.device, "third").id]
    assert.equal("[2] host address", third.rows[1].text)
  end)

  it("points to the row of the element that a pointer points to", function()
    local cases = recorded([[
      declare "struct s { int n; double *d; } list[4], *one, *all;"
      host.one, host.all = host "&list[2]", host "&list[0]"
      acc "enter data copyin(list, one)"
      acc "enter data attach(one)"
    ]])
    local made = picture.new(cases[1].steps[3])
    local text = dot.text(made)
    for _, side in ipairs { "host", "device" } do
      local shot = cases[1].steps[3].snapshot[side]
      local arrow = ("%s:r1:e -> %s:r5:w"):format(find(shot, "one").id, find(shot, "list").id)
      assert(text:find(arrow, 1, true), arrow)
      assert.equal("[2].n", made.boxes[find(shot, "list").id].rows[5].name)
    end
    local shot = cases[1].steps[3].snapshot.host
    local arrow = ("%s:r1:e -> %s:all:w"):format(find(shot, "all").id, find(shot, "list").id)
    assert(text:find(arrow, 1, true), arrow)
  end)

  it("has one name for an object on both sides", function()
    local cases = recorded([[
      declare "struct node { int v; struct node *next; } *h;  float *a;"
      host.h, host.a = { { v = 1, next = { { v = 2 } } } }, { 1, 2, 3 }
      acc "enter data copyin(h[0:1], a[1:2])"
      acc "enter data copyin(h->next[0:1])"
    ]])
    local made, titles = picture.new(cases[1].steps[2]), {}
    for _, box in ipairs(made.boxes) do
      if box.twin and box.title ~= made.boxes[box.twin].title then titles[#titles + 1] = box.title end
    end
    assert.same({ "a[1:2]" }, titles) -- the device has a part of it
  end)

  it("calls elements in Fortran by the array's bounds", function()
    local cases = recorded([[
      scenario { language = "fortran" }
      fortran [=[
        type t
          real, allocatable :: a(:)
        end type
        type(t) :: s(2:3)
        real, allocatable :: x(:)
        allocate(x(-1:2))
        allocate(s(3)%a(2))
        !$acc enter data copyin(s)
        !$acc enter data copyin(x(0:1))
      ]=]
    ]])
    local steps = cases[1].steps
    local shot = steps[#steps].snapshot
    assert.equal("null", row(find(shot.host, "s"), "(2)%a").state)
    assert.equal(find(shot.host, "s(3)%a").id, row(find(shot.host, "s"), "(3)%a").to)
    assert.equal("(0:1)", find(shot.device, "x(0:1)").rows[1].path)
    assert.same({ 10, 11 }, { steps[2].line, steps[3].line })
  end)

  it("gives the same ids at every moment, and no addresses", function()
    local numbers = {}
    local s = session()
    local first = snapshot.take(s, 0, numbers)
    s:directive("enter data copyin(X)", nil, "spec.lua", 1)
    local second = snapshot.take(s, 0, numbers)
    assert.equal(find(first.host, "X").id, find(second.host, "X").id)
    assert.is_false(holds_address(first))
    assert.is_false(holds_address(second))
  end)
end)

describe("record", function()
  it("has a step for each construct, with what moved", function()
    local cases, result = recorded([[
      declare "int n; float v[2];"
      acc "data copy(v)" (function() acc "update self(v)" end)
      acc_copyin "n"
    ]])
    assert.is_true(result.cases[1].ok)
    local titles = {}
    for i, step in ipairs(cases[1].steps) do titles[i] = step.title end
    assert.same({ "at the beginning", "data copy(v)", "update self(v)", "end of data copy(v)", "acc_copyin(n)" },
      titles)
    local v = find(cases[1].steps[2].snapshot.device, "v")
    assert.same({ { host = v.host, device = v.id, offset = 0, bytes = 8, direction = "in" } }, cases[1].steps[2].moved)
    assert.equal("out", cases[1].steps[3].moved[1].direction)
    assert.equal(2, cases[1].steps[2].line)
  end)

  it("never groups the object of an error, or the few objects that a step moves", function()
    local cases = recorded([[
      declare "struct p { int n; float *d; }; struct p a[200];"
      for i = 0, 199 do host.a[i] = { n = 2, d = { i, i } } end
      acc "shape type(struct p) include(d[0:n])"
      acc "enter data copyin(a)"
      acc "update device(a[77].d[0:1])"
      expect.fails("out-of-bounds", function() acc "parallel present(a)" "a[150].d[5] = 1;" end)
    ]])
    local steps = cases[1].steps
    for _, step in ipairs { steps[2], steps[#steps] } do
      assert.is_table(find(step.snapshot.host, "a[77].d"))
      assert.is_table(row(find(step.snapshot.host, "a"), "[77].d"))
      assert.is_table(find(step.snapshot.device, "a[150].d[0:2]"))
      assert.is_table(row(find(step.snapshot.device, "a"), "[150].d"))
    end
    assert.is_table(steps[#steps].error)
  end)

  it("draws the object that only the message of an error names", function()
    local cases = recorded([[
      declare "struct p { int n; float *d; }; struct p a[200];"
      for i = 0, 199 do host.a[i] = { n = 2, d = { i, i } } end
      acc "enter data copyin(a)"
      acc "parallel present(a)" "a[77].d[0] = 1;"
    ]])
    local step = cases[1].steps[cases[1].failed_at]
    assert.is_table(find(step.snapshot.host, "a[77].d"))
    assert.is_true(row(picture.new(step).boxes[find(step.snapshot.device, "a").id], "[77].d").is.offending)
  end)

  it("draws an object that a step moved with the row that points to it, and bounds how many these are", function()
    local cases = recorded([[
      declare "struct p { int n; float *d; }; struct p a[200];"
      for i = 0, 199 do host.a[i] = { n = 2, d = { i, i } } end
      acc "enter data copyin(a)"
      for i = 0, 99 do acc(("enter data copyin(a[%d].d[0:2])"):format(i)) end
      acc "parallel present(a)" "a[150].d[0] = 1;"
    ]])
    local step = cases[1].steps[cases[1].failed_at]
    for _, side in ipairs { "host", "device" } do
      local elements, first = 0, find(step.snapshot[side], "a")
      local pointed = {}
      for _, r in ipairs(first.rows) do
        elements = elements + (r.path:find "%.d$" and 1 or tonumber((r.text or ""):match "^%.%.%. (%d+) more$") or 0)
        pointed[r.to or false] = true
      end
      assert.equal(200, elements)
      for _, object in ipairs(step.snapshot[side]) do
        assert(object == first or object.group or pointed[object.id], ("no arrow to %s"):format(object.name))
      end
      assert.is_true(#step.snapshot[side] < 40)
    end
  end)

  it("has errors as steps: caught, of kernels, of the script, and before anything happened", function()
    local cases = recorded([[
      declare "float v[2];"
      case("caught", function() expect.fails("not-present", function() acc "update self(v)" end) end)
      case("kernel", function() acc "parallel copy(v)" "v[5] = 1;" end)
      case("script", function() error "no" end)
      case("text", function() acc "data cpy(v)" end)
      case("expectation", function() expect.present "v" end)
    ]])
    local codes = {}
    for i, case in ipairs(cases) do
      local step = case.steps[case.failed_at or #case.steps]
      if i == 1 then step = case.steps[2] end
      codes[i] = ("%s %s"):format(tostring(case.ok), step.error.code)
    end
    assert.same({ "true not-present", "false out-of-bounds", "false scenario-error", "false unknown-clause",
      "false expectation" }, codes)
    assert.equal(3, cases[2].steps[cases[2].failed_at].line)
  end)

  it("tells scripts that do not begin", function()
    local cases = recorded "declare"
    assert.equal("syntax", cases[1].steps[1].error.code)
    assert.same({}, cases[1].steps[1].snapshot.host)
  end)

  it("keeps the first steps, the failures and the end of very many", function()
    local cases = recorded([[
      declare "int n;"
      for _ = 1, 400 do acc "enter data copyin(n)" end
      declare "int m;"
      expect.fails("not-present", function() acc "update self(m)" end)
    ]])
    local steps = cases[1].steps
    assert.equal(300 + 1, #steps)
    assert.equal(400 + 1 - 300, cases[1].dropped)
    assert.is_table(steps[#steps].error)
  end)
end)

describe("picture", function()
  local DATA = [[
    declare "struct v { int n; float *p; } v; int other = 3;"
    host.v = { n = 2, p = { 1, 2 } }
    acc "enter data copyin(v.p[0:2])"
    acc "enter data copyin(v)"
    acc "enter data attach(v.p)"
    acc "serial present(v)" "v.n = 9;"
    acc "update self(v.n)"
    acc "exit data detach(v.p)"
    acc "serial present(v)" "v.p[0] = 1;"
  ]]

  local function pictures(text, options)
    local cases = recorded(text, options)
    return picture.all(cases[1].steps), cases[1]
  end

  it("marks what moved, what changed, and where pointers lead", function()
    local list = pictures(DATA, { rules = "openacc-3.3" })
    local at_copy = list[3]
    local v = find(at_copy.boxes, "v")
    local device
    for _, box in ipairs(at_copy.boxes) do
      if box.side == "device" and box.title == "v" then device = box end
    end
    assert.equal("host", v.side)
    assert.equal(v.id, device.twin)
    assert.is_true(device.is.new)
    assert.equal(">", row(device, "n").mark)
    local kinds = {}
    for _, arrow in ipairs(list[4].arrows) do kinds[#kinds + 1] = arrow.is end
    assert.same({ "host", "attached" }, kinds)
    local changed, back
    for _, made in ipairs(list) do
      for _, box in ipairs(made.boxes) do
        local n = row(box, "n")
        if n and box.side == "device" then changed = changed or n.is.changed end
        if n and box.side == "host" then back = back or n.mark end
      end
    end
    assert.is_true(changed)
    assert.equal("<", back)
  end)

  it("leaves variables out that have nothing to do with the device, and names them", function()
    local list = pictures(DATA, { rules = "tr14" })
    assert.is_nil(find(list[3].boxes, "other"))
    assert.same({ "other = 3" }, list[3].left_out)
  end)

  it("marks the member that an error is about", function()
    local list, case = pictures(DATA, { rules = "openacc-3.3" })
    local made = list[case.failed_at]
    local offending = {}
    for _, box in ipairs(made.boxes) do
      for _, r in ipairs(box.rows) do
        if r.is.offending then offending[#offending + 1] = box.side .. " " .. box.title .. "." .. r.name end
      end
    end
    assert.same({ "device v.p" }, offending)
    assert.equal("untranslated", made.arrows[#made.arrows].is)
  end)

  it("frames what was fused", function()
    local list = pictures([[
      scenario { rules = "directory" }
      declare "float a[30];"
      acc "data copyin(a[0:10])" (function()
        acc "data copyin(a[15:5])" (function() end)
      end)
    ]])
    assert.same({}, list[2].fused)
    assert.equal("fused: a[0:20]", list[3].fused[1].title)
    assert.equal(2, #list[3].fused[1].ids)
  end)
end)

describe("layout", function()
  local picture_layout = require "accdeep.inspect.draw.picture_layout"

  -- The places of all steps of a text; nothing where Graphviz is missing.
  local function places(text)
    local cases = recorded(text)
    local pictures = picture.all(cases[1].steps)
    local ok, list = pcall(picture_layout.all, pictures)
    if not ok and tostring(list.message):find("no program 'dot'", 1, true) then return nil end
    assert(ok, list)
    return list, pictures
  end

  it("leaves no room for what other steps have", function()
    local list, pictures = places [[
      declare "struct v { int n; float *a, *b, *c; } X; struct v *Y;"
      host.X = { n = 3, a = { 1 }, b = { 2 }, c = { 3 } }
      acc "enter data copyin(X)"
      host.Y = alloc("struct v", 3)
      for i = 0, 2 do host.Y[i] = { n = 1, a = { i }, b = { i }, c = { i } } end
      acc "enter data copyin(Y[0:3])"
    ]]
    if not list then return pending "Graphviz is missing" end
    for i, place in ipairs(list) do
      local spans = {}
      for id, box in pairs(place.boxes) do
        local area = place.sides[pictures[i].boxes[id].side]
        spans[#spans + 1] = { box.y - area.y, box.y - area.y + box.height }
        assert.is_true(box.x >= area.x and box.x + box.width <= area.x + area.width)
        assert.is_true(box.y >= area.y and box.y + box.height <= area.y + area.height)
      end
      table.sort(spans, function(a, b) return a[1] < b[1] end)
      local reached = 60
      for _, span in ipairs(spans) do
        assert.is_true(span[1] - reached < 60, ("step %d: %d points of nothing"):format(i, span[1] - reached))
        reached = math.max(reached, span[2])
      end
    end
    local X = find(pictures[2].boxes, "X").id
    local Y = find(pictures[2].boxes, "Y").id
    assert.is_true(list[2].boxes[X].y < list[2].boxes[Y].y) -- in the order of first appearance
    assert.is_true(list[#list].boxes[X].y < list[#list].boxes[Y].y)
  end)

  it("draws a list from left to right", function()
    local list, pictures = places [[
      declare "struct node { int v; struct node *next; }; struct node *h;"
      host.h = { { v = 1, next = { { v = 2, next = { { v = 3, next = { { v = 4 } } } } } } } }
      acc "enter data copyin(h[0:1])"
    ]]
    if not list then return pending "Graphviz is missing" end
    local x = 0
    for _, name in ipairs { "h", "*h", "h->next", "h->next->next", "h->next (3)" } do
      local box = list[2].boxes[find(pictures[2].boxes, name).id]
      assert.is_true(box.x > x, name)
      x = box.x
    end
  end)
end)

describe("a picture as SVG", function()
  it("has colours as attributes, for viewers without style sheets", function()
    local box = { id = "h1", side = "device", name = "v", title = "v", annotations = {}, details = {},
      is = { absent = true, new = false },
      rows = { { key = 1, name = "n", text = "4", is = { changed = true, offending = true } } } }
    local made = { title = "t", device = 0, boxes = { box, h1 = box }, arrows = {}, levels = {}, left_out = {},
      fused = {} }
    local place = { x = 0, y = 0, width = 50, height = 50, head = 20, rows = { 20 } }
    local sides = {}
    for _, side in ipairs { "host", "device" } do
      sides[side] = { x = 0, y = 0, width = 5, height = 5, origin = { x = 0, y = 0 } }
    end
    local text = svg.document(made, { width = 10, height = 10, boxes = { h1 = place }, arrows = {}, sides = sides })
    for _, word in ipairs { "var(", "class=", "data-", "tabindex" } do assert.is_nil(text:find(word, 1, true), word) end
    for _, part in ipairs { '<rect width="100%" height="100%" fill="#ffffff"/>', -- .paper
      'rx="4" fill="#f0f0ee" stroke="#9aa1a8" stroke-dasharray="4 3"/>', -- .body, .absent .body
      '[fill="#ffffff"]{fill:#16191d}', '[stroke="#9aa1a8"]{stroke:#6d7681}', -- for readers who prefer dark colours
      'font-size="12" font-weight="700">v</text>', -- .title
      '<rect x="1" y="20.5" width="48" height="17" fill="#fde8e8"/>', -- .row rect is weaker than .row.offending rect
      'fill="#c81e1e" font-weight="700">n</text>',
      'fill="#15803d" font-weight="700">4</text>', -- .row.changed .value is stronger
      'font-family="ui-monospace, \'DejaVu Sans Mono\', Menlo, Consolas, monospace" font-size="11">' } do
      assert.is_truthy(text:find(part, 1, true), part .. "\n" .. text)
    end
  end)
end)

describe("texts of a user", function()
  local AREA = { x = 0, y = 0, width = 1, height = 1, origin = { x = 0, y = 0 } }
  local NOWHERE = { width = 1, height = 1, boxes = {}, arrows = {}, sides = { host = AREA, device = AREA } }
  NOWHERE.wide, NOWHERE.stacked = NOWHERE, NOWHERE
  local NASTY = [[
    scenario { title = "</script><b>&\"'" }
    declare "char s[32] = \"<script>&'\";"
    acc "data copyin(s)" (function() end) -- </script><script>
    case("<i>\0\x80", function() acc "data copy(<b>)" end)
  ]]

  it("are no markup in pictures", function()
    assert.equal("&lt;b a=&quot;&#39;&quot;&gt;&amp;?", svg.escape "<b a=\"'\">&\1")
    assert.equal("caf\u{e9} ?", svg.escape "caf\u{e9} \0")
    assert.equal("??", svg.escape "\xff\xfe")
  end)

  it("are no markup in pages", function()
    local cases, result = recorded(NASTY)
    local list = {}
    for i, case in ipairs(cases) do
      list[i] = { record = case, pictures = picture.all(case.steps),
        layouts = setmetatable({}, { __index = function() return NOWHERE end }) }
    end
    local page = html(result.title, "<img>.lua", list)
    assert.is_nil(page:find("<img>", 1, true))
    assert.is_nil(page:find("<i>", 1, true))
    assert.is_nil(page:find("<b>", 1, true))
    local _, scripts = page:gsub("</script>", "")
    assert.equal(2, scripts) -- data, and the page's own
    assert.is_number(utf8.len(page))
    for _, word in ipairs { "src=", "href=", "url(", "@import" } do assert.is_nil(page:find(word, 1, true)) end
    local data = require "dkjson".decode((page:match 'id="data">(.-)</script>'))
    assert.equal(#cases, #data.cases)
  end)
end)

describe("lines of a page", function()
  it("are those of the directive, not of the text around it", function()
    local cases = recorded [[
      scenario { language = "fortran" }
      fortran [=[
        real :: x(4)

        x = 1
        !$acc enter data copyin(x)
      ]=]
      acc [=[exit data
        delete(x)]=]
    ]]
    local ok, page = pcall(draw.page, "t", "spec.lua", cases)
    if not ok then return pending "Graphviz is missing" end
    local steps = require "dkjson".decode((page:match 'id="data">(.-)</script>')).cases[1].steps
    assert.same({ 6, 6 }, { steps[2].line, steps[2].last })
    assert.same({ 8, 9 }, { steps[3].line, steps[3].last })
  end)
end)

describe("an arrow between host and device", function()
  local router = require "accdeep.inspect.draw.arrow_router"

  -- Returns true if a way touches a box.
  local function touches(way, box)
    for i = 2, #way do
      local a, b = way[i - 1], way[i]
      if math.min(a[1], b[1]) < box.x + box.width and math.max(a[1], b[1]) > box.x
        and math.min(a[2], b[2]) < box.y + box.height and math.max(a[2], b[2]) > box.y then return true end
    end
    return false
  end

  it("passes no box, with few bends", function()
    local from, to = { x = 300, y = 0, width = 50, height = 60 }, { x = 0, y = 0, width = 50, height = 60 }
    local between = { x = 150, y = -20, width = 50, height = 100 }
    local way = router.route({ x = 290, y = 30 }, { x = 60, y = 30 }, { from, to, between }, { from, to })
    assert.is_false(touches(way, between))
    assert.same({ 290, 30 }, way[1])
    assert.same({ 60, 30 }, way[#way])
    assert.equal(6, #way)
    assert.same({ { 290, 30 }, { 60, 30 } },
      router.route({ x = 290, y = 30 }, { x = 60, y = 30 }, { from, to }, { from, to }))
  end)

  it("finds the way out of rows of boxes", function()
    local boxes = {}
    for column = 0, 4 do
      for line = 0, 4 do boxes[#boxes + 1] = { x = column * 100, y = line * 50, width = 70, height = 30 } end
    end
    local way = router.route({ x = 391, y = 115 }, { x = 79, y = 15 }, boxes, { boxes[23], boxes[1] })
    for _, box in ipairs(boxes) do assert.is_false(touches(way, box)) end
  end)
end)

describe("objects of a program", function()
  local trace_objects = require "accdeep.inspect.draw.trace_objects"

  -- Returns the names that objects of a trace have, for numbers 1, 2 ...
  local function names(lines)
    local objects = trace_objects.new()
    for _, line in ipairs(lines) do
      line.device = 0
      objects:apply(line)
    end
    local read, list = trace_objects.new(objects:names()), {}
    for number = 1, objects.order[#objects.order] do
      if objects.labels[number] then list[#list + 1] = read:name(number, "?") end
    end
    return list
  end

  it("with one name are called by the pointer to them", function()
    assert.same({ "n[0:1]", "n->next", "n->next->next" }, names {
      { op = "alloc", name = "n[0:1]", object = 1 }, { mark = "member", holder = 1, offset = 8, path = "[0].next" },
      { op = "alloc", name = "n[0:1]", object = 2 }, { mark = "member", holder = 2, offset = 8, path = "[0].next" },
      { op = "alloc", name = "n[0:1]", object = 3 },
      { op = "attach", name = "n->next", pointer = 4, object = 2 },
      { mark = "slot", holder = 1, offset = 8, number = 4 },
      { mark = "member", holder = 2, offset = 8, path = "[0].next", value = "present", target = 3 } })
  end)

  it("have the name of the place of the finding", function()
    assert.same({ "root[0:1]", "root->left" }, names {
      { op = "alloc", name = "n[0:1]", object = 1 }, { op = "alloc", name = "n[0:1]", object = 2 },
      { mark = "named", holder = 1, name = "root[0:1]" }, { mark = "named", holder = 2, name = "root->left[0:1]" } })
  end)

  it("are numbered if nothing distinguishes them, and not if they follow each other", function()
    assert.same({ "v[0:4]", "v[0:4] #2" },
      names { { op = "alloc", name = "v[0:4]", object = 1 }, { op = "alloc", name = "v[0:4]", object = 2 } })
    assert.same({ "v[0:4]", "v[0:4]" }, names { { op = "alloc", name = "v[0:4]", object = 1 },
      { op = "free", name = "v[0:4]", object = 1, gone = true }, { op = "alloc", name = "v[0:4]", object = 2 } })
  end)

  it("are elements and members, in Fortran, too", function()
    assert.same({ "p[0:4]", "r.p[0:2]", "p[3].mom.p[0:2]", "f", "g", "g%f" }, names {
      { op = "alloc", name = "p[0:4]", object = 1 },
      { mark = "member", holder = 1, offset = 56, path = "[3].mom.p", target = 3, value = "present" },
      { op = "alloc", name = "r.p[0:2]", object = 2 }, { op = "alloc", name = "r.p[0:2]", object = 3 },
      { op = "alloc", name = "f", object = 4 }, { op = "alloc", name = "g", object = 5 },
      { mark = "member", holder = 5, offset = 8, path = "%f", target = 6, value = "present" },
      { op = "alloc", name = "f", object = 6 } })
  end)
end)
