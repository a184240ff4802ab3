-- expectations.lua - reference chapter: expectations of a scenario. reference/init.lua describes the entries.
return {
  title = "Expectations",
  text = [[
An expectation that does not hold stops its case. The report has file, line, the wanted and the found value (code
`expectation`). Numbers are equal if the wanted one, converted to the type of the found one, is the found one.]],
  prelude = [[
declare [=[
  struct vector { int n; float *data; };
  struct vector v;
  float a[4] = { 1, 2, 3, 4 };
]=]
host.v = { n = 2, data = { 5, 6 } }
]],

  { name = "expect", is = "callable", params = { "condition any - what must be true",
      "message? string - reported if it is not true" },
    text = "Any condition.", rules = "HOUSE-expect",
    errors = { { "expectation", "the condition is false or nil", [[expect(1 > 2, "one is more than two")]] } },
    example = [[
expect(host.v.n == 2, "two elements")
]] },

  { name = "expect.equal", params = { "found any - a value", "wanted any - what it must be" },
    text = "Two values are equal. Tables are compared deeply. Sections and arrays of the scenario compare with lists,"
      .. " structures with the listed members.",
    rules = "HOUSE-expect",
    errors = { { "expectation", "they differ", [[expect.equal({ 1, 2 }, { 1, 3 })]] } },
    example = [[
expect.equal(host "a[0:2]", { 1, 2 })
expect.equal(host.v, { n = 2 })
]] },

  { name = "expect.host", params = { "expression string - in the scenario's language", "wanted any - its value" },
    text = "The value of an expression on the host.", rules = "HOUSE-expect HOUSE-names",
    errors = {
      { "expectation", "another value", [[expect.host("v.n", 3)]] },
      { "unknown-name", "an unknown name", [[expect.host("w", 3)]] },
    },
    example = [[
expect.host("v.data[1] + a[0]", 7)
]] },

  { name = "expect.device", params = { "expression string - in the scenario's language", "wanted any - its value" },
    text = "The value of an expression on the current device, read with all checks of a kernel.",
    rules = "HOUSE-expect TR14-1.2-06 TR14-1.2-10",
    errors = {
      { "expectation", "another value", [[acc "enter data copyin(a)" expect.device("a[0]", 3)]] },
      { "not-present", "the data are absent", [[expect.device("a[0]", 1)]] },
      { "uninitialized-read", "the bytes were never written", [[acc "enter data create(a)" expect.device("a[0]", 1)]] },
      { "host-pointer-on-device", "a pointer in the expression is not attached",
        [[acc "enter data copyin(v)" expect.device("v.data[0]", 5)]] },
    },
    example = [[
acc "enter data copyin(a)"
host.a[0] = 10
expect.device("a[0]", 1)
]] },

  { name = "expect.present", params = { "expression string - a variable, member or section" },
    text = "All bytes lie in one present object of the current device.",
    rules = "HOUSE-expect",
    errors = { { "expectation", "absent, or only partially present",
      [[acc "enter data copyin(a[0:2])" expect.present "a"]] } },
    example = [[
acc "enter data copyin(a[1:2])"
expect.present "a[2]"
]] },

  { name = "expect.absent", params = { "expression string - a variable, member or section" },
    text = "No byte is present on the current device.", rules = "HOUSE-expect",
    errors = { { "expectation", "some bytes are", [[acc "enter data copyin(a[0:2])" expect.absent "a"]] } },
    example = [[
acc "enter data copyin(a[1:2])"
expect.absent "a[0]"
]] },

  { name = "expect.attached", params = { "expression string - a pointer", "count? integer - its attach counter" },
    text = "A pointer is attached on the current device: its copy there holds a device address.",
    rules = "HOUSE-expect TR14-4.1-02",
    errors = {
      { "expectation", "not attached, or another counter", [[expect.attached "v.data"]] },
      { "not-a-pointer", "not a pointer", [[expect.attached "v.n"]] },
    },
    example = [[
acc "enter data copyin(v, v.data[0:2])"
expect.attached("v.data", 1)
]] },

  { name = "expect.detached", params = { "expression string - a pointer" },
    text = "A pointer is not attached on the current device.", rules = "HOUSE-expect TR14-4.1-03",
    errors = {
      { "expectation", "attached", [[acc "enter data copyin(v, v.data[0:2])" expect.detached "v.data"]] },
      { "not-a-pointer", "not a pointer", [[expect.detached "v.n"]] },
    },
    example = [[
acc "enter data copyin(v)"
expect.detached "v.data"
]] },

  { name = "expect.count", params = { "expression string - a variable, member or section",
      "wanted table - `{ structured = n, dynamic = n }`; what is left out is not checked" },
    text = "The reference counters of a present object. Both are 0 if it is absent. `math.huge` is an infinite"
      .. " counter.",
    rules = "HOUSE-expect ACC33-2.6.7-3",
    errors = {
      { "expectation", "another count", [[expect.count("a", { dynamic = 1 })]] },
      { "unknown-name", "an unknown counter", [[expect.count("a", { static = 1 })]] },
    },
    example = [[
acc "enter data copyin(a)"
acc "data copy(a)" (function() expect.count("a", { structured = 1, dynamic = 1 }) end)
]] },

  { name = "expect.uninitialized", params = { "expression string - a variable, member or section" },
    text = "No byte of it was ever written on the current device.",
    rules = "HOUSE-expect TR14-1.2-06",
    errors = { { "expectation", "some bytes were, or the object is absent",
      [[acc "enter data copyin(a)" expect.uninitialized "a"]] } },
    example = [[
acc "enter data create(a)"
expect.uninitialized "a"
]] },

  { name = "expect.events", params = { "fn fun() - runs the directives",
      "wanted string[] - `\"op name\"` of each event, in order" },
    text = "The exact events of the directives in a function. Kernels and waits are in traces alone.",
    rules = "HOUSE-expect TR14-4.2-06",
    errors = { { "expectation", "other events, or another order",
      [[expect.events(function() acc "enter data copyin(a)" end, { "h2d a" })]] } },
    example = [[
expect.events(function() acc "enter data copyin(a)" end, { "alloc a", "h2d a", "incref a" })
]] },

  { name = "expect.moves", params = { "fn fun() - runs the directives",
      "wanted table - `{ h2d = ..., d2h = ..., d2d = ... }`, each a number of objects or"
        .. " `{ count=, bytes=, transfers= }`" },
    text = "What the directives in a function copy. A direction that is not listed is not checked; 0 means none."
      .. " `count` is the number of objects, `transfers` the number of copies that the device makes.",
    rules = "HOUSE-expect TR14-4.2-07",
    errors = {
      { "expectation", "other copies", [[expect.moves(function() acc "enter data copyin(a)" end, { h2d = 0 })]] },
      { "unknown-name", "an unknown direction or field", [[expect.moves(function() end, { h2h = 0 })]] },
    },
    example = [[
expect.moves(function() acc "enter data copyin(a)" end, { h2d = { count = 1, bytes = 16 }, d2h = 0 })
]] },

  { name = "expect.malformed", params = { "text string|string[] - a directive or declarations, or a list of them",
      "code? string - `syntax`",
      "details? string|table - what the error says, as for `expect.invalid`" },
    returns = { "accdeep.error - the error; of a list, that of its first text" },
    text = "A text does not parse, and nothing of it is carried out.", rules = "HOUSE-expect HOUSE-syntax",
    errors = { { "expectation", "the text parses", [[expect.malformed "data copy(a)"]] } },
    example = [[
expect.malformed "data copy(a"
expect.malformed("data copy(a@", "syntax", "HOUSE-syntax")
]] },

  { name = "expect.invalid", params = { "text string|string[] - a directive or declarations, or a list of them",
      "code? string - the error's code",
      "details? string|table - a rule, or `{ rule=, message=, help= }`: the rule, and parts of the texts" },
    returns = { "accdeep.error - the error; of a list, that of its first text" },
    text = "A text parses, but breaks a static rule; nothing of it is carried out. Each text of a list must break"
      .. " one. With details or in a list, an `@` marks the place of the error, and is not part of the text; `@@` is"
      .. " a plain `@`.",
    rules = "HOUSE-expect HOUSE-names",
    errors = {
      { "expectation", "accepted, or another error, or elsewhere",
        [[expect.invalid("data copy(w)", "duplicate-name")]] },
      { "unknown-name", "an unknown detail",
        [[expect.invalid("data copy(w)", "unknown-name", { place = 11 })]] },
      { "unknown-name", "an unknown rule", [[expect.invalid("data copy(w)", "unknown-name", "names")]] },
      { "type-mismatch", "two marks, or the detail `by` of `expect.fails`",
        [[expect.invalid("data copy(@w) @copy(w)", "unknown-name", "HOUSE-names")]] },
    },
    example = [[
expect.invalid("data copy(w)", "unknown-name")
expect.invalid("data copy(a, @w)", "unknown-name", { rule = "HOUSE-names", message = "no variable 'w'" })
expect.invalid({ "data copy(@w)", "int w = @u;" }, "unknown-name")
]] },

  { class = "accdeep.error", text = "An error as a table. `tostring` gives its first line.", fields = {
    "code string - a stable name, `not-present`",
    "message string - one sentence",
    "rule string - id of the rule that decides",
    "file? string - of the scenario",
    "line? integer - in that file",
    "column? integer - of the offending word",
    "help? string - what to do",
    "objects? table[] - the objects concerned, with name, range and place",
  } },

  { name = "expect.fails", params = { "code string - the error's code",
      "what fun()|string|string[] - what must fail: a function, a directive, or each directive of a list",
      "details? string|table - what the error says, as for `expect.invalid`" },
    returns = { "accdeep.error - the error; of a list, that of its first text" },
    text = "A function fails with this code, and the construct that failed has changed nothing. A directive as text"
      .. " is carried out, with an empty body if it takes one, and leaves the state as it was. In its text an `@`"
      .. " marks the place of the error, and `@@` is a plain `@`. The detail `by` is a function that gets each text"
      .. " instead: `host`, `fortran`, `declare`.",
    rules = "HOUSE-expect HOUSE-language",
    errors = {
      { "expectation", "no error, or another code",
        [[expect.fails("not-present", function() acc "enter data copyin(a)" end)]] },
      { "unknown-name", "an unknown code", [[expect.fails("gone", function() end)]] },
      { "type-mismatch", "an empty list, or `by` with a function", [[expect.fails("not-present", {})]] },
    },
    example = [[
local problem = expect.fails("not-present", function() acc "update self(a)" end)
expect.equal(problem.rule, "ACC33-upd-1")
expect.fails("not-present", "update self(@a)", "ACC33-upd-1")
expect.fails("not-present", { "update self(@a)", "update self(@v)" })
expect.fails("unknown-member", { "v.@size + 1", "v.@length" }, { by = host })
]] },

  { name = "expect.accepts", params = { "text string - a directive",
      "body? fun(d: accdeep.memory)|string - its body, if it takes one; without one it is empty" },
    text = "Executes a directive and its body. It is for cases which show that nothing is wrong.",
    rules = "HOUSE-expect",
    errors = {
      { "not-present", "an error of the directive", [[expect.accepts "update self(a)"]] },
      { "type-mismatch", "a body that the directive does not take",
        [[expect.accepts("enter data copyin(a)", function() end)]] },
    },
    example = [[
expect.accepts "data copyin(a)"
expect.accepts("parallel copy(a)", "a[0] = 5;")
expect.host("a[0]", 5)
]] },

  { name = "expect.differs", params = {
      "outcomes table<string,string> - by profile: the code of an error, or a text that begins with `accepted`",
      "fn fun() - what is carried out under each profile",
      "counters? string - `\"counters\"`: reference counters and attach counters count, too" },
    text = "A function is carried out once under each profile, in a session of its own that begins like this one."
      .. " Profiles with the same text must show the same after it: values on the host and on the device, and what is"
      .. " present. Profiles with different texts must differ. `accdeep explore` writes such cases.",
    rules = "HOUSE-explore",
    errors = {
      { "expectation", "another outcome, or no difference", [[expect.differs({ ["openacc-3.3"] = "accepted",
  ["openacc-2.0"] = "accepted: other values on the device" }, function() acc "enter data copyin(a)" end)]] },
      { "unknown-name", "an unknown profile or code", [[expect.differs({ newest = "accepted" }, function() end)]] },
      { "type-mismatch", "no outcomes, or no function", [[expect.differs({}, function() end)]] },
    },
    example = [[
expect.differs({ ["openacc-3.3"] = "accepted", ["openacc-2.0"] = "already-present" }, function()
  acc "enter data copyin(a)"
  acc "enter data copyin(a)"
end)
]] },

  { name = "expect.warns", params = { "code string - the warning's code", "fn fun() - must cause the warning" },
    returns = { "accdeep.error - the first one" },
    text = "A function succeeds with a warning of this code, which is not printed. `bounds-changed`: bounds changed"
      .. " while data of a deep copy are present. `unsupported`: a class has virtual functions, and the static type"
      .. " decides what is copied.",
    rules = "HOUSE-expect TR14-4.3-04 TR14-4.3-17",
    errors = {
      { "expectation", "there is no such warning", [[expect.warns("bounds-changed", function() end)]] },
      { "unknown-name", "an unknown code", [[expect.warns("changed", function() end)]] },
    },
    example = [[
declare "struct row { int n; float *x;\n#pragma acc shape include(x[0:n])\n}; struct row R;"
host.R = { n = 2, x = { 1, 2 } }
local warning = expect.warns("bounds-changed", function()
  acc "data copyin(R)" (function() host.R.n = 1 end)
end)
expect.equal(warning.rule, "TR14-4.3-04")
]] },
}
