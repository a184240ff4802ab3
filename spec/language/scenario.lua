-- The scenario language itself: layout of types, expectations, what is refused.
scenario { title = "The scenario language" }

declare [[
  enum colour { RED, GREEN = 5, BLUE };
  typedef unsigned char byte;
  typedef struct { char c; double d; short s; } mixed;
  union either { int i; double d; char c[3]; };
  struct nested {
      byte b; struct { short x, y; } at; mixed m[2]; union either u; int *p; enum colour k;
  };
  struct nested N = { 1, { 2, 3 }, { { 4, 5, 6 } }, { 7 }, 0, BLUE };
  char big[1 << 16];
  int a[3] = { 1, 2 }, b[] = { 7, 8, 9 };
  float f = 1.5f;
  const char text[] = "hi";
  int grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
  int *q = &a[1];
]]

case("accepts: types have the layout of the C ABI [HOUSE-layout]", function()
  expect.equal(sizeof "mixed", 24)
  expect.equal(sizeof "union either", 8)
  expect.equal(sizeof "struct nested", 80)
  expect.equal(sizeof "byte", 1)
  expect.equal(sizeof "long", 8)
  expect.equal(sizeof "int *", 8)
  expect.equal(sizeof "int[3][2]", 24)
  expect.equal(sizeof "b", 12)
  expect.equal(addr "N.m[1].d" - addr "N.m[0].d", 3)
end)

case("accepts: declarations have initialisers, members, elements and enumerators"
  .. " [HOUSE-layout HOUSE-syntax HOUSE-names]",
  function()
    expect.host("N.at.y", 3)
    expect.host("N.m[0].d", 5)
    expect.host("N.u.i", 7)
    expect.host("N.k", 6)
    expect.host("a[2]", 0)
    expect.host("b[0:3]", { 7, 8, 9 })
    expect.host("grid[1][2]", 6)
    expect.host("q[1]", 0)
    expect.host("text[1]", 105)
    expect.host("f * 2", 3)
    expect.equal(host.N.m[0].s, 6)
    host.N.at = { x = 20 }
    expect.host("N.at.x", 20)
    host.grid[1] = { 9, 8, 7 }
    expect.host("grid[1][0:3]", { 9, 8, 7 })
  end)

case("rejects: a declaration has a bit-field, an incomplete type, a repeated name or too many values"
  .. " [HOUSE-layout HOUSE-syntax]",
  function()
    expect.invalid("struct bits { int n : 3; };", "unsupported")
    expect.invalid("struct never V;", "unknown-type")
    expect.invalid("struct twice { int n; int n; };", "duplicate-name")
    expect.invalid("int g; float g;", "duplicate-name")
    expect.invalid("struct nested { int n; }; struct nested { int n; };", "duplicate-name")
    expect.invalid("int three[3] = { 1, 2, 3, 4 };", "out-of-bounds")
    expect.invalid("int none[-1];", "invalid-section")
    expect.invalid("mixed M = { .x = 1 };", "unknown-member")
    expect.invalid("int bad = unheard;", "unknown-name")
    expect.malformed "struct open { int n;"
    expect.malformed "int 3x;"
    expect.malformed "" -- a directive that says nothing
    expect.malformed "int x = ;"
    expect.malformed "int x"
  end)

case("rejects: a name is unknown, or a value does not fit [HOUSE-names HOUSE-language]", function()
  expect.fails("unknown-name", function() return host.unheard end)
  expect.fails("unknown-name", function() host.unheard = 1 end)
  expect.fails("unknown-member", function() host.N.unheard = 1 end)
  expect.fails("unknown-member", function() return host "N.unheard" end)
  expect.fails("out-of-bounds", function() host.a[3] = 1 end)
  expect.fails("out-of-bounds", function() return host "a[-1]" end)
  expect.fails("out-of-bounds", function() host.a = { 1, 2, 3, 4 } end)
  expect.fails("type-mismatch", function() host.f = "one" end)
  expect.fails("null-pointer", function() return host "*N.p" end)
  expect.fails("unknown-type", function() return alloc("struct never", 1) end)
  expect.fails("invalid-section", function() return alloc("int", -1) end)
end)

case("accepts: alloc, free and addr work, and pointers are values [HOUSE-language]", function()
  local p = alloc("int", 4, { 1, 2, 3, 4 })
  expect.equal((p + 2)[0], 3)
  expect.equal((p + 3) - p, 3)
  expect.equal(p:values(4), { 1, 2, 3, 4 })
  expect(p ~= NULL)
  host.q = p
  expect.host("q[3]", 4)
  expect.equal(host "q", p)
  free(p)
  expect.fails("out-of-bounds", function() return p[0] end)
  expect.fails("out-of-bounds", function() free(p) end)
  free(NULL)
end)

case("accepts: objects compare with objects of their type, by elements and members [HOUSE-expect]", function()
  declare [[
    struct pair { int n; union { int i; float f; }; int *p, a[2]; } one = { 1, { 2 } }, other = { 1, { 2 } };
    int some[2] = { 1, 2 }, same[2] = { 1, 2 };
  ]]
  expect.equal(host.one, host.other)
  expect.equal(host.some, host.same)
  local function differ(found, wanted)
    expect.fails("expectation", function() expect.equal(found, wanted) end)
  end
  host.other.i = 3
  differ(host.one, host.other)
  differ({ n = 1, i = 2 }, host.one)
  differ(5, host.one)
  host.same[1] = 3
  differ(host.some, host.same)
  host.other = { i = 2, p = { 1 } }
  differ(host.one, host.other)
  local circle = {}
  circle[1] = circle
  expect.equal(circle, circle)
end)

local nothing = alloc("int", 0)

case("accepts: memory of no elements is freed like other memory [HOUSE-language]", function()
  local p = alloc("int", 0)
  expect(p ~= NULL)
  free(p)
  expect.fails("out-of-bounds", function() free(p) end)
  free(nothing)
  expect.fails("out-of-bounds", function() free(nothing) end)
end)

case("accepts: each case begins with the memory of the file's head [HOUSE-scenario]", function()
  free(nothing)
  expect.fails("out-of-bounds", function() free(nothing) end)
end)

case("accepts: a device view is for the body of its construct [TR14-1.1-02]", function()
  local kept_view, kept_element
  declare "int seen = 1, list[2] = { 5, 6 };"
  acc "enter data copyin(seen, list)"
  acc "parallel present(seen, list)" (function(d)
    kept_view, kept_element = d, d.list
    expect.equal(d.seen + kept_element[1], 7)
  end)
  local found
  acc "parallel present(list)" (function() found = kept_element[0] end)
  expect.equal(found, 5)
  expect.fails("device-pointer-on-host", function() return kept_element[0] end)
  expect.fails("device-pointer-on-host", function() return kept_view.seen end)
  expect.fails("device-pointer-on-host", function() kept_view.seen = 2 end)
  expect.fails("device-pointer-on-host", function() return kept_view "seen + 1" end)
  kept_view = nil
  acc "parallel if(0)" (function(d) kept_view = d end)
  expect.fails("device-pointer-on-host", function() return kept_view.seen end)
  expect.device("seen", 1)
end)

case("rejects: values of a session that has ended are read in another [HOUSE-scenario]", function()
  local kept_pointer
  expect.differs({ tr14 = "accepted" }, function()
    declare "int seen = 1;"
    kept_pointer = addr "seen"
  end)
  local function from_before(fn)
    local err = expect.fails("scenario-error", function() acc "data if(0) create(pad)" (fn) end)
    expect.equal(err.message, "this value is from a session that has ended")
  end
  declare "int pad;"
  from_before(function() return kept_pointer[0] end)
  from_before(function() kept_pointer[0] = 1 end)
end)

case("rejects: rules are inside a region, a body or an expectation, or after declarations [HOUSE-scenario]", function()
  local function refused(fn, what)
    local message = expect.fails("scenario-error", fn).message
    expect.equal(message, what or "rules are outside of regions, bodies and expectations")
  end
  local function give() rules "openacc-3.3" end
  refused(function() events(give) end)
  refused(function() expect.moves(give, {}) end)
  expect.differs({ ["tr14"] = "scenario-error", ["openacc-3.3"] = "scenario-error" }, give)
  refused(function() acc "parallel" (give) end)
  declare "struct behind { int n; };"
  refused(give, "rules come before declarations")
  declare "struct behind around;"
  refused(function() acc "data create(around)" (give) end)
end)

case("accepts: a script adds methods of strings, and replaces none [HOUSE-scenario]", function()
  rawset(string, "twice", function(s) return s .. s end)
  expect.equal(("ab"):twice(), "abab")
  rawset(string, "format", nil)
  rawset(string, "gsub", nil)
  expect.equal(("%d"):format(3), "3")
  expect.equal(string.format, nil)
  expect.fails("unknown-name", function() host.nothing = 1 end)
end)

case("accepts: a program forms the address one past the end of an array [HOUSE-language]", function()
  declare "float p[4], m[2][4], *end;"
  acc "parallel copy(p) create(m)" [[
    for (float *q = &p[0]; q < &p[4]; q++) *q = 1;
    float *last = &p[4], *row = &m[0][4];
    last[-1] = row - &m[0][0];
  ]]
  expect.host("p", { 1, 1, 1, 4 })
  host["end"] = host "&p[4]"
  expect.equal(host "end", host "p + 4")
  expect.host("end[-1]", 4)
end)

case("rejects: an access is one past the end, an address is farther [HOUSE-language TR14-1.2-10]", function()
  declare "float p[4], m[2][4];"
  for _, body in ipairs { "*&p[4] = 1;", "float *q = &p[4]; *q = 1;", "float *q = &m[0][4]; *q = 1;", "p[4] = 1;",
    "float *q = &p[5];", "float *q = &p[-1];" } do
    expect.fails("out-of-bounds", function() acc "parallel copy(p, m)" (body) end)
  end
  for _, text in ipairs { "*&p[4]", "(&p[4])[0]", "*&m[0][4]", "p[4]", "&p[5]", "&p[-1]" } do
    expect.fails("out-of-bounds", function() return host(text) end)
  end
end)

-- Takes the current device's memory until no page is left.
local function fill()
  local bytes, held = 1 << 34, {}
  while bytes >= 1 << 12 do
    local d = acc_malloc(bytes)
    if d == NULL then bytes = bytes >> 1 else held[#held + 1] = d end
  end
  return held
end

case("accepts: data that did not fit on the device fit after other data are unmapped [HOUSE-memory]", function()
  local held = fill()
  expect.fails("out-of-device-memory", function() acc "enter data copyin(N) create(big)" end)
  expect.absent "N"
  acc_free(held[1])
  acc "enter data copyin(N) create(big)"
  expect.present "big"
end)

case("rejects: a construct does not fit on the device and changes nothing [HOUSE-memory TR14-4.2-06]", function()
  acc "enter data copyin(a)"
  fill()
  expect.fails("out-of-device-memory", function() acc "data copyin(a) copyin(big)" end)
  expect.count("a", { structured = 0, dynamic = 1 })
  expect.device("a[1]", 2)
end)

case("accepts: each expectation holds [HOUSE-expect]", function()
  acc "data copyin(a) create(b)" (function()
    expect(true)
    expect.equal({ 1, { x = 2 } }, { 1, { x = 2 } })
    expect.host("a[0]", 1)
    expect.device("a[1]", 2)
    expect.present "a"
    expect.absent "grid"
    expect.count("a", { structured = 1, dynamic = 0 })
    expect.uninitialized "b"
    expect.detached "q"
    expect.moves(function() acc "update self(a)" end, { d2h = { count = 1, bytes = 12 }, h2d = 0 })
    expect.events(function() acc "update self(a)" end, { "d2h a" })
    local list = events(function() acc "update device(a[0:1])" end)
    expect.equal({ list[1].op, list[1].name, list[1].bytes }, { "h2d", "a[0:1]", 4 })
    expect(list[1].rule:match "^TR14", "events name their rule")
    expect(list[1].at:match "scenario.lua:%d+$", "events name their place")
  end)
  acc "enter data copyin(a) copyin(q)"
  expect.attached("q", 1)
end)

case("rejects: each expectation fails where it does not hold [HOUSE-expect]", function()
  local function no(fn, fields)
    local problem = expect.fails("expectation", fn)
    for name, value in pairs(fields or {}) do expect.equal(problem[name], value) end
  end
  acc "enter data copyin(a) create(b) copyin(q)"
  no(function() expect(false) end)
  no(function() expect(nil, "why") end)
  no(function() expect.equal(1, 2) end)
  no(function() expect.equal({ 1, 2 }, { 1 }) end)
  no(function() expect.equal({ 1 }, { 1, 2 }) end)
  no(function() expect.equal({ x = 1 }, { y = 1 }) end)
  no(function() expect.equal("1", 1) end)
  no(function() expect.host("a[0]", 2) end)
  no(function() expect.host("a[0:3]", { 1, 2 }) end)
  no(function() expect.device("a[0]", 2) end)
  no(function() expect.present "grid" end)
  no(function() expect.absent "a" end)
  no(function() expect.absent "a[1:1]" end)
  no(function() expect.attached "N.p" end)
  no(function() expect.attached("q", 2) end)
  no(function() expect.detached "q" end)
  no(function() expect.count("a", { dynamic = 2 }) end)
  no(function() expect.count("grid", { structured = 1 }) end)
  no(function() expect.uninitialized "a" end)
  no(function() expect.uninitialized "grid" end)
  no(function() expect.events(function() acc "update self(a)" end, {}) end)
  no(function() expect.events(function() acc "update self(a)" end, { "h2d a" }) end, { found = "d2h a" })
  no(function() expect.events(function() acc "update self(a)" end, { "d2h a", "d2h a" }) end,
    { message = "event 2 differs" })
  no(function() expect.events(function() end, { "d2h a" }) end)
  no(function() expect.moves(function() acc "update self(a)" end, { d2h = 0 }) end)
  no(function() expect.moves(function() acc "update self(a)" end, { d2h = 2 }) end, { found = "1" })
  no(function() expect.moves(function() acc "update self(a)" end, { d2h = { bytes = 4 } }) end, { found = "12" })
  no(function() expect.malformed "acc update self(a)" end)
  no(function() expect.malformed("acc update self(a", "unknown-name") end)
  no(function() expect.invalid "acc update self(a)" end)
  no(function() expect.invalid("acc update self(unheard)", "not-a-struct") end)
  no(function() expect.fails("not-present", function() end) end)
  no(function() expect.fails("not-present", function() acc "update self(a[9:1])" end) end,
    { message = "another error" })
  no(function() expect.fails("not-present", function() error "a string" end) end)
end)

case("accepts: an @ in a text that fails marks the place and is not a part of the text [HOUSE-expect]", function()
  expect.malformed("data copy(a@", "syntax", "HOUSE-syntax")
  expect.invalid("data copy(a) copy(@unheard)", "unknown-name", { rule = "HOUSE-names", message = "'unheard'" })
  expect.invalid("data copy(b@[@@q])", "clause-not-allowed", { message = "'@' alone" })
  expect.invalid("struct s {\n  @never x;\n};", "unknown-type", "HOUSE-names")
  expect.fails("not-present", "update self(@a)", { rule = "ACC33-upd-1", help = "enter data copyin(a)" })
  expect.fails("not-present", "omp target data map(present, to: @a)", {})
  expect.fails("not-present", function() acc "update self(a)" end, "ACC33-upd-1")
end)

case("accepts: several texts fail alike, each at its mark [HOUSE-expect]", function()
  expect.malformed({ "data copy(a@", "data (@a)" }, "syntax")
  local problem = expect.invalid({ "data copy(@other)", "data copy(a, @unheard)" }, "unknown-name", "HOUSE-names")
  expect(problem.message:find("'other'", 1, true), "the first one is given")
  expect.fails("not-present", { "update self(@a)", "update device(@a)" }, "ACC33-upd-1")
  expect.fails("unknown-member", { "N.@z", "N.@z + 1" }, { by = host })
end)

case("rejects: one of several texts is accepted, or fails at another place or with another error"
  .. " [HOUSE-expect]", function()
  local function no(message, expectation, ...)
    local given = table.pack(...)
    expect.fails("expectation", function() expectation(table.unpack(given, 1, given.n)) end, { message = message })
  end
  no("data copy(a) is accepted", expect.malformed, { "data copy(a@", "data copy(a)" })
  no("data copy(a) is accepted", expect.invalid, { "data copy(@unheard)", "data copy(a)" })
  no("rule of the error of update self(a)", expect.fails, "not-present", { "update self(a)" }, "TR14-4.2-09")
  no("place of the error of update self(a)", expect.fails, "not-present", { "update self(@a)", "update @self(a)" })
  no("error of N.p[0]", expect.fails, "unknown-member", { "N.@z", "N.p[0]" }, { by = host })
  expect.fails("type-mismatch", function() expect.fails("not-present", {}) end, { message = "one text or more" })
  expect.fails("type-mismatch", function() expect.invalid({}, "unknown-name") end, { message = "one text or more" })
  expect.fails("type-mismatch", function() expect.invalid({ 5 }, "unknown-name") end, { message = "is a text" })
end)

case("rejects: an error has another place, rule, message or help than expected [HOUSE-expect]", function()
  local function no(...)
    local given = table.pack(...)
    expect.fails("expectation", function() expect.fails(table.unpack(given)) end)
  end
  no("not-present", "update @self(a)")
  no("not-present", "update self(a)", "TR14-4.2-09")
  no("not-present", "update self(a)", { message = "is present" })
  no("not-present", "update self(a)", { help = "free the memory" })
  no("not-present", "data copy(a)")
  expect.fails("expectation", function() expect.invalid("data copy(@a, unheard)", "unknown-name", "HOUSE-names") end)
  expect.fails("unknown-name", function() expect.fails("not-present", "update self(a)", { column = 13 }) end)
  expect.fails("type-mismatch", function() expect.fails("not-present", "update @self(@a)") end)
  expect.fails("type-mismatch", function() expect.fails("not-present", "update self(a)", 7) end)
end)

case("rejects: an expectation names something unknown [HOUSE-expect HOUSE-names HOUSE-language]", function()
  expect.fails("unknown-name", function() expect.presnt "v" end, { help = "did you mean 'expect.present'?" })
  expect.fails("unknown-name", function() expect.moves(function() end, { sideways = 0 }) end)
  expect.fails("unknown-name", function() expect.present "unheard" end)
  expect.fails("unknown-name", function() expect.fails("no-such-code", function() end) end)
  expect.fails("unknown-name", function() expect.invalid("data copy(unheard)", "unknown-name", "HOUSE-nmaes") end,
    { message = "'HOUSE-nmaes'", help = "did you mean 'HOUSE-names'?" })
  expect.fails("unknown-name", function() expect.fails("not-present", "update self(a)", { rule = "GONE" }) end,
    { message = "'GONE'", help = "accdeep rules" })
  local misplaced = { message = "'by' is for a text" }
  expect.fails("type-mismatch", function() expect.invalid("data copy(w)", "unknown-name", { by = host }) end, misplaced)
  expect.fails("type-mismatch", function() expect.malformed("data copy(", "syntax", { by = host }) end, misplaced)
  expect.fails("type-mismatch", function()
    expect.fails("not-present", function() acc "update self(a)" end, { by = host })
  end, misplaced)
end)

case("accepts: device_words returns the memory of present data, including bytes after whole words [HOUSE-expect]",
  function()
    declare "int words_k = 5; float words_a[3] = {1, 2, 5}; double words_d[4];"
    acc "enter data copyin(words_k, words_a, words_d[0:2])"
    expect.equal(device_words "words_k", { 5 })
    expect.equal(device_words "words_a"[2], 0x40a00000)
    expect.equal(#device_words "words_d[0:2]", 2)
  end)

case("rejects: device_words gets partly present data, or tuples gets no list of tuples [HOUSE-expect]", function()
  declare "double words_d[4];"
  acc "enter data create(words_d[0:2])"
  expect.fails("not-present", function() device_words "words_d" end)
  for _, wrong in ipairs { { 1 }, { {} }, "x", 3, state() } do
    expect.fails("type-mismatch", function() tuples(wrong) end)
  end
  expect.fails("type-mismatch", function() expect.accepts("data present(words_d[0:2])", 3) end)
  expect.equal(#state().levels, 0) -- the region that was opened is over
end)

case("accepts: errors have a code, a message, a rule and a place [HOUSE-expect HOUSE-scenario]", function()
  local err = expect.fails("not-present", function() acc "update self(a, grid)" end)
  expect.equal(err.code, "not-present")
  expect.equal(err.rule, "ACC33-upd-1")
  expect(err.message:find("a", 1, true))
  expect(err.file:match "scenario.lua$", "file")
  expect(math.type(err.line) == "integer" and err.column == 71, "line and column of the variable")
end)

case("accepts: a case starts with the declarations and values of the file [HOUSE-scenario]", function()
  expect.host("a[0]", 1)
  host.a[0] = 50
  declare "int only_here;"
  host.only_here = 1
  expect.moves(function() acc "enter data copyin(a)" end, { h2d = { count = 1, bytes = 12 }, d2h = 0 })
end)

case("accepts: pairs visits numbers first, then names in their order [HOUSE-scenario]", function()
  local t, keys = { "first", zeta = 1, alpha = 2, [30] = 3, mid = 4, [-1] = 5, [2.5] = 6, beta = false }, {}
  for key in pairs(t) do
    keys[#keys + 1] = key
    t.mid = nil -- a key that is removed meanwhile is not visited
  end
  expect.equal(keys, { -1, 1, 2.5, 30, "alpha", "beta", "zeta" })
end)

case("accepts: a case with other rules also starts with the declarations and values of the file"
  .. " [HOUSE-scenario]", function()
  rules { base = "openmp-4.0", section = "two-step" }
  expect.host("a[0:3]", { 1, 2, 0 })
  omp "target data map(q[0:1])" (function() expect.present "q" end)
  rules "openmp-5.1"
  expect.accepts("omp target data map(q[0:1])", function() expect.absent "q" end)
  declare "int own;"
  local problem = expect.fails("scenario-error", function() rules "tr14" end)
  expect(problem.help:find("first statement of the case", 1, true), problem.help)
end)

case("rejects: a case uses a name that another case declared [HOUSE-scenario HOUSE-names]", function()
  expect.host("a[0]", 1)
  expect.absent "a"
  expect.fails("unknown-name", function() return host.only_here end)
end)

case("rejects: a head, rules or a case is in the wrong place [HOUSE-scenario]", function()
  expect.fails("scenario-error", function() scenario { title = "again" } end)
  expect.fails("scenario-error", function() case("inner", function() end) end)
  declare "int declared;"
  expect.fails("scenario-error", function() rules "openacc-3.3" end)
  expect.fails("type-mismatch", function() acc(7) end)
  expect.fails("type-mismatch", function() declare() end)
end)

case("accepts: directives of other tools are skipped [HOUSE-version]", function()
  declare "#pragma GCC poison gets\nint after;"
  host.after = 1
  expect.moves(function()
    acc "parallel copy(a)" "#pragma acc loop\nfor (int i = 0; i < 3; ++i) a[i] = i;"
  end, { h2d = { count = 1, bytes = 12 }, d2h = { count = 1, bytes = 12 } })
  expect.host("a[2]", 2)
end)

case("rejects: a feature that this version does not support is reported, not skipped [HOUSE-version]", function()
  expect.fails("unsupported", function() omp "target device(ancestor: 1)" "" end)
  expect.invalid("#pragma pack(1)\nstruct p { int n; };", "unsupported")
end)

case("differs: a text has one language, whatever ran at its place before [HOUSE-language]", function()
  declare "int shared[4];"
  for text, run in pairs { ["enter data copyin(shared)"] = { acc, omp },
    ["target enter data map(to: shared)"] = { omp, acc } } do
    for _ = 1, 2 do
      local good, failed = pcall(function() for i = 1, 2 do run[i](text) end end)
      expect.equal(good or failed.code, "syntax")
    end
  end
end)

case("rejects: a script names the place of a picture [HOUSE-draw]", function()
  expect.equal(expect.fails("file", function() draw "../picture.svg" end).rule, "HOUSE-draw")
  expect.fails("file", function() draw "/picture.svg" end)
  expect.fails("file", function() draw ".svg" end)
  expect.fails("type-mismatch", function() draw "picture.lua" end)
  expect.fails("type-mismatch", function() draw() end)
end)

-- luacheck: push ignore 111 113
case("rejects: a script uses a name that was never assigned [HOUSE-scenario]", function()
  declare "int variable;"
  expect.fails("unknown-name", function() return acc_copyinn "variable" end, { help = "did you mean 'acc_copyin'?" })
  expect.fails("unknown-name", function() return { p = variable } end, { help = "host.variable" })
  expect.fails("unknown-name", function() return io.open "name" end, { help = "--trust" })
  expect.fails("unknown-name", function() return _G["no such name"] end)
  expect.fails("unknown-name", function() return state().presnt end, { help = "did you mean 'present'?" })
  expect.fails("unknown-name", function() return expect.presnt end, { help = "did you mean 'expect.present'?" })
end)

case("accepts: names that a script assigned, nil too, and names of the language that have no value [HOUSE-scenario]",
  function()
    assigned_nil = nil
    assigned_before = 5
    expect.equal({ assigned_nil == nil, assigned_before, rawget(_G, "never_assigned") == nil }, { true, 5, true })
    assigned_before = nil
    expect.equal(assigned_before, nil)
    expect.equal({ state().floor == nil, #state().present }, { true, 0 })
  end)
-- luacheck: pop

case("differs: a script cannot reach files, modules and the debugger [HOUSE-scenario]", function()
  for _, name in ipairs { "io", "require", "dofile", "loadfile", "debug", "package" } do
    expect.equal(rawget(_G, name), nil)
  end
  expect.equal(_G.os.execute, nil)
  expect.equal(_G.string.dump, nil)
end)
