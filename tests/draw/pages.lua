-- tests/draw/pages.lua PROGRAM - pages of `accdeep draw` in a real browser: what is shown, keys, slider, colours.
--
-- A page gets a probe: a script that does what a person does, and leaves what it sees in the document, which the
-- browser then prints. Exit status 77 (skipped) where there is no browser or no Graphviz.

local program = arg[1]
local folder = os.tmpname()
os.remove(folder)
assert(os.execute(("mkdir '%s'"):format(folder)))

local function finish(status)
  os.execute(("rm -rf '%s'"):format(folder))
  os.exit(status)
end

local function output(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  pipe:close()
  return text
end

local function find(...)
  for _, name in ipairs { ... } do
    local path = output(("command -v %s"):format(name)):match "%S+"
    if path then return path end
  end
  return nil
end

local browser = find("chromium", "chromium-browser", "google-chrome")
if not browser or not find "dot" then
  print(("skipped: there is no %s"):format(browser and "Graphviz (dot)" or "browser (chromium)"))
  finish(77)
end

local function read(name)
  local file = assert(io.open(name))
  local text = file:read "a"
  file:close()
  return text
end

local function write(name, text)
  local file = assert(io.open(name, "w"))
  file:write(text)
  file:close()
end

-- What a page says after the statements of a probe, which call see(name, value).
local function probe(page, statements, hash, options)
  local text = read(page)
  local begin = [[<script>var seen = [];
    function see(name, value) { seen.push(name + "=" + value); }
    window.onerror = function (message) { see("error", message); };
    console.error = function (message) { see("error", message); };</script>]]
  local finishing = [[<script>(function () {
    function text(id) { return document.getElementById(id).textContent; }
    function press(key) { document.dispatchEvent(new KeyboardEvent("keydown", { key: key, bubbles: true })); }
    function ink() { return getComputedStyle(document.body).backgroundColor; }
    try { ]] .. statements .. [[ } catch (problem) { see("error", problem); }
    var out = document.createElement("pre"); out.id = "seen"; out.textContent = seen.join("\n");
    document.body.appendChild(out); })();</script></body>]]
  text = text:gsub("<head>", function() return "<head>" .. begin end, 1)
    :gsub("</body>", function() return finishing end, 1)
  write(folder .. "/probe.html", text)
  local command = "timeout 60 '%s' --headless --no-sandbox --disable-gpu --user-data-dir='%s/profile' %s --dump-dom "
    .. "'file://%s/probe.html%s' 2>/dev/null"
  local found = output(command:format(browser, folder, options or "", folder, hash or ""))
  local list, seen = found:match '<pre id="seen">(.-)</pre>', {}
  assert(list, "the page has not run to its end")
  for line in list:gmatch "[^\n]+" do
    local name, value = line:match "^([^=]*)=(.*)$"
    if name == "error" then error("in the page: " .. value) end
    if name then seen[name] = value:gsub("&lt;", "<"):gsub("&gt;", ">"):gsub("&amp;", "&") end
  end
  return seen
end

local failed, count = 0, 0
local function equal(what, found, wanted)
  count = count + 1
  if found == wanted then return end
  failed = failed + 1
  print(("FAIL %s: wanted %s, found %s"):format(what, tostring(wanted), tostring(found)))
end

local function draw(scenario, name)
  os.execute(("'%s' draw -o '%s/%s.html' '%s' >/dev/null 2>&1"):format(program, folder, name, scenario))
  return ("%s/%s.html"):format(folder, name)
end

-- Steps by keys, by the slider, by the address; what the user's texts would do if they were markup.
local page = draw("tests/cli/draw/deep.lua", "deep")
local seen = probe(page, [[
  see("begin", text("count")); see("title", document.title);
  press("End"); see("end", text("count"));
  press("ArrowRight"); see("stays", text("count"));
  press("ArrowLeft"); see("left", text("count"));
  press("Home"); see("home", text("count"));
  var slider = document.getElementById("slider");
  slider.value = 1; slider.dispatchEvent(new Event("input"));
  see("slid", text("count")); see("spoken", slider.getAttribute("aria-valuetext")); see("hash", location.hash);
  see("directive", text("directive")); see("line", document.querySelector("#source .now").textContent.trim());
  see("boxes", document.querySelectorAll("#picture .device.box").length);
  see("excluded", document.querySelectorAll("#picture .device .excluded").length);
  see("moved", document.querySelectorAll("#picture .device .moved").length > 0);
  see("rule", document.querySelector("#events .rule").title.length > 20);
  document.querySelector("#events tbody tr").dispatchEvent(new MouseEvent("mouseenter"));
  see("marked", document.querySelector("#directive mark").textContent);
  see("scripts", document.querySelectorAll("script").length); see("bold", document.querySelectorAll("b").length);
  see("wide", document.documentElement.scrollWidth <= innerWidth);
  var cases = document.getElementById("case"); see("cases", cases.options.length);
  cases.value = 1; cases.dispatchEvent(new Event("change")); press("End"); press("ArrowLeft");
  document.querySelector(".tick.wrong").click();
  see("failure", text("error").indexOf("host-pointer-on-device") >= 0);
  see("offending", document.querySelectorAll("#picture .offending").length > 0);
  see("untranslated", document.querySelectorAll("#picture .link.untranslated").length);
]], "#case=1&step=1")
equal("first step", seen.begin, "step 1 of 8")
local opened = probe(page, 'see("begin", text("count")); see("case", document.getElementById("case").value);')
equal("opens at the step that fails", opened.begin, "step 5 of 5")
equal("opens at the case that fails", opened.case, "1")
equal("title", seen.title, "A structure <script>alert(1)</script> & its parts")
equal("End", seen["end"], "step 8 of 8")
equal("a step behind the last", seen.stays, "step 8 of 8")
equal("arrow left", seen.left, "step 7 of 8")
equal("Home", seen.home, "step 1 of 8")
equal("slider", seen.slid, "step 2 of 8")
equal("slider, spoken", seen.spoken, "step 2 of 8: data copy(X) copyin(name)")
equal("address", seen.hash, "#case=1&step=2")
equal("directive", seen.directive, "data copy(X) copyin(name)")
equal("line of the source", seen.line, 'acc "data copy(X) copyin(name)" (function()')
equal("boxes", seen.boxes, "3")
equal("members that are left out", seen.excluded, "1")
equal("rows that moved", seen.moved, "true")
equal("a rule's text", seen.rule, "true")
equal("word of the directive", seen.marked, "X")
equal("scripts: data, the page's, and the probe's two", seen.scripts, "4")
equal("bold text", seen.bold, "0")
equal("no wider than the window", seen.wide, "true")
equal("cases", seen.cases, "2")
equal("error of a step", seen.failure, "true")
equal("what the error is about", seen.offending, "true")
equal("arrow to the host", seen.untranslated, "1")

-- Light and dark: as the system has it, and as the button says.
local colours = [[
  see("first", ink()); document.getElementById("theme").click(); see("second", ink());
  document.getElementById("theme").click(); see("third", ink());
  var box = document.querySelector("#picture .side"); see("side", getComputedStyle(box).fill);
]]
local light = probe(page, colours)
local dark = probe(page, colours, "", "--force-dark-mode --blink-settings=preferredColorScheme=0")
equal("light", light.first, "rgb(255, 255, 255)")
equal("the other one", light.second ~= light.first, true)
equal("and back", light.third, light.first)
equal("dark", dark.first, light.second)
equal("light where dark is usual", dark.second, light.first)
equal("colours of pictures", dark.side ~= light.side, true)

-- The pane of the source follows the step, and an object that an error is about is seen.
write(folder .. "/long.lua", ("-- a line\n"):rep(80) .. [[
declare "struct p { int n; float *d; }; struct p a[200];"
for i = 0, 199 do host.a[i] = { n = 2, d = { i, i } } end
acc "shape type(struct p) include(d[0:n])"
acc "enter data copyin(a)"
]] .. ("-- a line\n"):rep(80) .. [[
acc "parallel present(a)" "a[150].d[5] = 1;"
]])
page = draw(folder .. "/long.lua", "long")
for _, size in ipairs { "1400,900", "700,900" } do
  seen = probe(page, [[
    press("End");
    var pane = document.getElementById("source").getBoundingClientRect();
    var line = document.querySelector("#source .now").getBoundingClientRect();
    see("followed", line.top >= pane.top && line.bottom <= pane.bottom);
    see("line", document.querySelector("#source .now").textContent.trim());
    see("offending", document.querySelector("#picture .device.offending .title").textContent);
    press("Home"); press("ArrowRight");
    pane = document.getElementById("source").getBoundingClientRect();
    line = document.querySelector("#source .now").getBoundingClientRect();
    see("followed back", line.top >= pane.top && line.bottom <= pane.bottom);
  ]], "", "--window-size=" .. size)
  equal("the line of a step is in its pane, " .. size, seen.followed, "true")
  equal("and that of another one", seen["followed back"], "true")
  equal("line of the failure", seen.line, 'acc "parallel present(a)" "a[150].d[5] = 1;"')
  equal("object of the failure", seen.offending, "a[150].d")
end

-- A list stands in the order of its links, whatever the order of its declarations; a pointer to an element points to
-- the element's row.
write(folder .. "/links.lua", [[
declare "struct node { int v; struct node *next; } n0, n1, n2, n3, list[4], *one;"
host.n2, host.n0, host.n3 = { next = host "&n0" }, { next = host "&n3" }, { next = host "&n1" }
host.one = host "&list[2]"
acc "enter data copyin(n0, n1, n2, n3, list, one)"
acc "enter data attach(n0.next, n2.next, n3.next, one)"
]])
seen = probe(draw(folder .. "/links.lua", "links"), [[
  press("End");
  ["host", "device"].forEach(function (side) {
    function where(element) { return element.getBoundingClientRect(); }
    var boxes = {}, names = [];
    document.querySelectorAll("#picture ." + side + ".box").forEach(function (box) {
      var name = box.querySelector(".title").textContent;
      boxes[name] = box;
      if (name[0] == "n") names.push(name);
    });
    names.sort(function (a, b) { return where(boxes[a]).left - where(boxes[b]).left; });
    see(side + " order", names.join(" "));
    var list = where(boxes.list), row = where(boxes.list.querySelectorAll(".row")[4]), tips = 0;
    document.querySelectorAll("#picture .tip").forEach(function (tip) {
      tip = where(tip);
      if (Math.abs(tip.right - list.left) < 2 && tip.top > row.top - 3 && tip.bottom < row.bottom + 3) tips += 1;
    });
    see(side + " tips", tips);
  });
]])
for _, side in ipairs { "host", "device" } do
  equal("order of a list on the " .. side, seen[side .. " order"], "n2 n0 n3 n1")
  equal("arrows to the row of list[2] on the " .. side, seen[side .. " tips"], "1")
end

-- Keys, the list of keys, lines of the source that open their steps, names of the steps, marks of this picture only.
write(folder .. "/keys.lua", [[
declare "struct node { int v; struct node *next; } a, *list; int n = 2;"
local function chain(n) return n > 0 and { { v = n, next = chain(n - 1) } } or nil end
host.list = chain(12)
acc "enter data copyin(a)"
acc "enter data copyin(list[0:1])"
acc "update self(a.v)"
expect.fails("not-present", function() acc "update self(n)" end)
acc "exit data delete(a)"
]])
page = draw(folder .. "/keys.lua", "keys")
seen = probe(page, [[
  function all(selector) { return document.querySelectorAll(selector); }
  press("Home"); press("!"); see("error key", text("count"));
  press("?"); see("keys", document.getElementById("keys").open); document.getElementById("keys").close();
  var lines = all("#source li"); lines[3].click(); see("line 4", text("directive")); see("title", lines[3].title);
  lines[0].click(); see("no step", text("directive"));
  see("marks", Array.from(all("#legend li")).map(function (li) { return li.className.split(" ")[1]; }).join(" "));
  see("ticks", all(".tick").length); see("tick", all(".tick")[2].title);
  var slider = document.getElementById("slider"), box = slider.getBoundingClientRect();
  slider.dispatchEvent(new MouseEvent("mousemove", { clientX: box.left + 9 }));
  see("bubble", text("bubble")); see("bubble shown", !document.getElementById("bubble").hidden);
  var group = document.querySelector(".host.group.box");
  see("note", group.querySelector(".note").textContent);
  group.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  see("members", all("#members li").length); see("member", all("#members li")[0].textContent);
  press("Escape"); see("closed", document.getElementById("members").hidden);
  group.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  see("by key", !document.getElementById("members").hidden);
  press("End"); see("counted", !!document.querySelector("#picture .device .counted"));
  see("cases", document.getElementById("cases").hidden);
  var names = [];
  all("#present tbody tr").forEach(function (row) { names.push(row.cells[0].textContent); });
  see("present", names.join(" ")); see("head", Array.from(all("#present th")).map(function (th) {
    return th.textContent; }).join(" "));
  document.querySelector("#present tbody tr").dispatchEvent(new MouseEvent("mouseenter"));
  see("found", all("#picture .twin").length);
]], "#step=1")
equal("the key to the error", seen["error key"], "step 5 of 6")
equal("the keys are shown", seen.keys, "true")
equal("a line opens its step", seen["line 4"], "enter data copyin(a)")
equal("a line names its step", seen.title, "step 2")
equal("another line leads nowhere", seen["no step"], "enter data copyin(a)")
equal("marks of the picture", seen.marks, "in new chain absent group")
equal("ticks", seen.ticks, "6")
equal("a tick names its step", seen.tick, "step 3: enter data copyin(list[0:1])")
equal("the slider names a step", seen.bubble, "step 1: at the beginning")
equal("the name is shown", seen["bubble shown"], "true")
equal("a group", seen.note:match "^%d+ objects", "8 objects")
equal("objects of a group", seen.members, "8")
equal("closed by a key", seen.closed, "true")
equal("opened by a key", seen["by key"], "true")
equal("counters that did not change", seen.counted, "false")
equal("a single case is not chosen", seen.cases, "true")
equal("names in tables", seen.present, "*list")
equal("columns", seen.head, "object bytes structured dynamic")
equal("boxes of a name in a table", seen.found, "2")

-- The device is below the host in a narrow window, the source beside the picture in a wide one; nothing is cut off.
page = draw("tests/cli/draw/deep.lua", "shapes")
for _, size in ipairs { "800,700", "1400,900", "1920,1080" } do
  seen = probe(page, [[
    press("Home"); press("ArrowRight");
    function where(selector) { return document.querySelector(selector).getBoundingClientRect(); }
    var device = where("#picture .side.device"), pane = where("#scroll");
    see("cut", device.right > pane.right + 1);
    see("source beside", where(".code").left >= pane.right);
    see("rows", where("#theme").top === where("#help").top && where("#theme").bottom <= where("nav").top);
    see("wide", document.documentElement.scrollWidth <= innerWidth);
  ]], "#case=1", "--window-size=" .. size)
  equal("the device is cut off, " .. size, seen.cut, "false")
  equal("the source is beside the picture, " .. size, seen["source beside"], tostring(size ~= "800,700"))
  equal("the buttons are in one row, " .. size, seen.rows, "true")
  equal("no wider than the window, " .. size, seen.wide, "true")
end

seen = probe(draw(folder .. "/keys.lua", "narrow"), [[
  function where(selector) { return document.querySelector(selector).getBoundingClientRect(); }
  var host = where("#picture .side.host"), device = where("#picture .side.device");
  see("below", device.top >= host.bottom); see("cut", device.right > where("#scroll").right + 1);
]], "", "--window-size=800,700")
equal("the device is below the host in a narrow window", seen.below, "true")
equal("the device is cut off in a narrow window", seen.cut, "false")

-- An arrow from the device to the host passes no other box; arrows to a group stay in their side.
write(folder .. "/arrows.lua", [[
declare "struct s { double *a, *b; struct s *next; } x, *y; double other[3];"
host.x = { a = { 1, 2 }, b = { 3 }, next = { { a = { 4 }, b = { 5 } } } }
acc "enter data copyin(other, x, x.next[0:1])"
]])
local crossing = [[
  var boxes = Array.from(document.querySelectorAll("#picture .box .body")), touched = 0, cut = 0, links = 0;
  document.querySelectorAll("#picture .link").forEach(function (link) {
    var n = 60, length = link.getTotalLength(), m = link.getScreenCTM(), side = link.parentNode.getBoundingClientRect();
    for (var i = 3; i < n - 2; i++) {
      var p = link.getPointAtLength(length * i / n).matrixTransform(m);
      if (link.classList.contains("untranslated") && boxes.some(function (box) {
        var r = box.getBoundingClientRect();
        return p.x > r.left + 2 && p.x < r.right - 2 && p.y > r.top + 2 && p.y < r.bottom - 2;
      })) touched += 1;
      if (!Array.from(document.querySelectorAll("#picture .side")).some(function (area) {
        var r = area.getBoundingClientRect();
        return p.x > r.left && p.x < r.right && p.y > r.top - 1 && p.y < r.bottom + 1;
      }) && !link.classList.contains("untranslated")) cut += 1;
    }
    links += 1;
  });
  see("touched", touched); see("cut", cut); see("links", links > 3);
]]
for _, size in ipairs { "800,900", "1500,900" } do
  seen = probe(draw(folder .. "/arrows.lua", "arrows"), 'press("End");' .. crossing, "", "--window-size=" .. size)
  equal("arrows, " .. size, seen.links, "true")
  equal("points of arrows to the host in boxes, " .. size, seen.touched, "0")
  equal("points of arrows outside of a side, " .. size, seen.cut, "0")
  seen = probe(draw(folder .. "/keys.lua", "groups"), 'press("Home"); press("ArrowRight"); press("ArrowRight");'
    .. crossing, "", "--window-size=" .. size)
  equal("points of arrows to a group outside of a side, " .. size, seen.cut, "0")
end

-- Without JavaScript the step at which the page opens is there: its picture, error and source.
local static = read(draw("tests/cli/draw/deep.lua", "static")):gsub("<script.*", "")
for what, part in pairs {
  picture = '<svg id="picture"[^>]*viewBox="0 0 %d+ %d+"[^>]*>.*<g class="row[^"]*offending[^"]*">.*</svg>',
  error = '<section id="error" role="alert" >.*host%-pointer%-on%-device.*help:.*</section>',
  line = '<li class="now wrong">' } do
  equal("without JavaScript: " .. what, static:find(part) ~= nil, true)
end

-- Ten thousand objects stay one page of a few hundred kilobytes.
page = draw("tests/draw/many.lua", "many")
equal("size of a page of many objects", #read(page) < 400000, true)
seen = probe(page, [[
  see("boxes", document.querySelectorAll("#picture .box").length);
  see("groups", document.querySelectorAll("#picture .group.box").length); see("more", text("present"));
]], "#step=2")
equal("boxes of many objects", tonumber(seen.boxes) < 20, true)
equal("groups", seen.groups, "2")
equal("a long table", seen.more:match "and %d+ more", "and 9901 more")

print(("%d of %d looks at pages find what they should"):format(count - failed, count))
finish(failed == 0 and 0 or 1)
