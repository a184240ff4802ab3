-- expectations.lua - what a scenario can expect. The form of the entries: init.lua.
return {
  title = "Expectations",
  text = [[
An expectation that does not hold stops its case: the report has file, line, what was wanted and what was found (code
`expectation`). Numbers are equal if the wanted one, held as the found one's type, is the found one.]],
  prelude = [[
declare [=[
  struct vector { int n; float *data; };
  struct vector v;
  float a[4] = { 1, 2, 3, 4 };
]=]
host.v = { n = 2, data = { 5, 6 } }
]],

  { name = "expect", is = "callable", params = { "condition any - what must be true",
      "message? string - what is reported if it is not" },
    text = "Any condition.", rules = "HOUSE-expect",
    errors = { { "expectation", "the condition is false or nil", [[expect(1 > 2, "one is more than two")]] } },
    example = [[
expect(host.v.n == 2, "two elements")
]] },

  { name = "expect.equal", params = { "found any - a value", "wanted any - what it must be" },
    text = "Two values, tables compared deeply; sections and arrays of the scenario compare with lists, structures with"
      .. " the members that are listed.",
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
      { "unknown-name", "a name that there is not", [[expect.host("w", 3)]] },
    },
    example = [[
expect.host("v.data[1] + a[0]", 7)
]] },

  { name = "expect.device", params = { "expression string - in the scenario's language", "wanted any - its value" },
    text = "The value of an expression as a kernel on the current device would read it, with all checks of one.",
    rules = "HOUSE-expect TR14-1.2-06 TR14-1.2-10",
    errors = {
      { "expectation", "another value", [[acc "enter data copyin(a)" expect.device("a[0]", 3)]] },
      { "not-present", "the data are absent", [[expect.device("a[0]", 1)]] },
      { "uninitialized-read", "nobody wrote the bytes", [[acc "enter data create(a)" expect.device("a[0]", 1)]] },
      { "host-pointer-on-device", "a pointer on the way was not attached",
        [[acc "enter data copyin(v)" expect.device("v.data[0]", 5)]] },
    },
    example = [[
acc "enter data copyin(a)"
host.a[0] = 10
expect.device("a[0]", 1)
]] },

  { name = "expect.present", params = { "expression string - a variable, member or section" },
    text = "All of its bytes lie in one present object of the current device.",
    rules = "HOUSE-expect",
    errors = { { "expectation", "they are absent, or only a part is present",
      [[acc "enter data copyin(a[0:2])" expect.present "a"]] } },
    example = [[
acc "enter data copyin(a[1:2])"
expect.present "a[2]"
]] },

  { name = "expect.absent", params = { "expression string - a variable, member or section" },
    text = "None of its bytes is present.", rules = "HOUSE-expect",
    errors = { { "expectation", "some are", [[acc "enter data copyin(a[0:2])" expect.absent "a"]] } },
    example = [[
acc "enter data copyin(a[1:2])"
expect.absent "a[0]"
]] },

  { name = "expect.attached", params = { "expression string - a pointer", "count? integer - its attachment counter" },
    text = "A pointer is attached on the current device: its copy there holds a device address.",
    rules = "HOUSE-expect TR14-4.1-02",
    errors = {
      { "expectation", "it is not attached, or its counter differs", [[expect.attached "v.data"]] },
      { "not-a-pointer", "the expression is no pointer", [[expect.attached "v.n"]] },
    },
    example = [[
acc "enter data copyin(v, v.data[0:2])"
expect.attached("v.data", 1)
]] },

  { name = "expect.detached", params = { "expression string - a pointer" },
    text = "A pointer is not attached.", rules = "HOUSE-expect TR14-4.1-03",
    errors = {
      { "expectation", "it is attached", [[acc "enter data copyin(v, v.data[0:2])" expect.detached "v.data"]] },
      { "not-a-pointer", "the expression is no pointer", [[expect.detached "v.n"]] },
    },
    example = [[
acc "enter data copyin(v)"
expect.detached "v.data"
]] },

  { name = "expect.count", params = { "expression string - a variable, member or section",
      "wanted table - `{ structured = n, dynamic = n }`; what is left out is not checked" },
    text = "Reference counters of the present object; both are 0 if it is absent. `math.huge` is an infinite one.",
    rules = "HOUSE-expect ACC33-2.6.7-3",
    errors = {
      { "expectation", "another count", [[expect.count("a", { dynamic = 1 })]] },
      { "unknown-name", "a counter that there is not", [[expect.count("a", { static = 1 })]] },
    },
    example = [[
acc "enter data copyin(a)"
acc "data copy(a)" (function() expect.count("a", { structured = 1, dynamic = 1 }) end)
]] },

  { name = "expect.uninitialized", params = { "expression string - a variable, member or section" },
    text = "None of its bytes on the device was ever written.",
    rules = "HOUSE-expect TR14-1.2-06",
    errors = { { "expectation", "some were, or it is absent",
      [[acc "enter data copyin(a)" expect.uninitialized "a"]] } },
    example = [[
acc "enter data create(a)"
expect.uninitialized "a"
]] },

  { name = "expect.events", params = { "fn fun() - what is watched",
      "wanted string[] - `\"op name\"` of each event, in order" },
    text = "The exact events of the directives in a function.", rules = "HOUSE-expect TR14-4.2-06",
    errors = { { "expectation", "others, or in another order",
      [[expect.events(function() acc "enter data copyin(a)" end, { "h2d a" })]] } },
    example = [[
expect.events(function() acc "enter data copyin(a)" end, { "alloc a", "h2d a", "incref a" })
]] },

  { name = "expect.moves", params = { "fn fun() - what is watched",
      "wanted table - `{ h2d = ..., d2h = ..., d2d = ... }`, each a number of moves or"
        .. " `{ count=, bytes=, transfers= }`" },
    text = "What the directives in a function move. A kind that is not listed is not checked; 0 means none."
      .. " `transfers` counts calls of the device, `count` the objects.",
    rules = "HOUSE-expect TR14-4.2-07",
    errors = {
      { "expectation", "other moves", [[expect.moves(function() acc "enter data copyin(a)" end, { h2d = 0 })]] },
      { "unknown-name", "a kind or field that there is not", [[expect.moves(function() end, { h2h = 0 })]] },
    },
    example = [[
expect.moves(function() acc "enter data copyin(a)" end, { h2d = { count = 1, bytes = 16 }, d2h = 0 })
]] },

  { name = "expect.malformed", params = { "text string|string[] - a directive or declarations, or a list of them",
      "code? string - `syntax`",
      "details? string|table - what the error says, as for `expect.invalid`" },
    returns = { "accdeep.error - the error; of a list, that of its first text" },
    text = "The text does not parse. Nothing of it is carried out.", rules = "HOUSE-expect HOUSE-syntax",
    errors = { { "expectation", "it parses", [[expect.malformed "data copy(a)"]] } },
    example = [[
expect.malformed "data copy(a"
expect.malformed("data copy(a@", "syntax", "HOUSE-syntax")
]] },

  { name = "expect.invalid", params = { "text string|string[] - a directive or declarations, or a list of them",
      "code? string - the error's code",
      "details? string|table - the rule that the error names, or `{ rule=, message=, help= }`: the rule, and a part of"
        .. " what it says" },
    returns = { "accdeep.error - the error; of a list, that of its first text" },
    text = "The text parses, and breaks a static rule. Nothing of it is carried out. With details, and in a list,"
      .. " each text of which breaks one, an `@` marks the place that the error is about, and is no part of the"
      .. " text; `@@` is an `@` of the text.",
    rules = "HOUSE-expect HOUSE-names",
    errors = {
      { "expectation", "it is accepted, for another reason wrong, or elsewhere",
        [[expect.invalid("data copy(w)", "duplicate-name")]] },
      { "unknown-name", "details that an error does not have",
        [[expect.invalid("data copy(w)", "unknown-name", { place = 11 })]] },
      { "unknown-name", "a rule that there is not", [[expect.invalid("data copy(w)", "unknown-name", "names")]] },
      { "type-mismatch", "two marks, or the detail `by`, which is for `expect.fails`",
        [[expect.invalid("data copy(@w) @copy(w)", "unknown-name", "HOUSE-names")]] },
    },
    example = [[
expect.invalid("data copy(w)", "unknown-name")
expect.invalid("data copy(a, @w)", "unknown-name", { rule = "HOUSE-names", message = "no variable 'w'" })
expect.invalid({ "data copy(@w)", "int w = @u;" }, "unknown-name")
]] },

  { class = "accdeep.error", text = "An error as a table. `tostring` gives its first line.", fields = {
    "code string - stable, `not-present`",
    "message string - one sentence",
    "rule string - id of the rule that decided",
    "file? string - of the scenario",
    "line? integer - in it",
    "column? integer - of the offending word",
    "help? string - what to do",
    "objects? table[] - that it is about, with name, range and place",
  } },

  { name = "expect.fails", params = { "code string - the error's code",
      "what fun()|string|string[] - what must fail: a function, or a directive, in which `@` marks the place of the"
        .. " error and `@@` is an alias's `@`, or a list of directives, each of which must",
      "details? string|table - what the error says, as for `expect.invalid`" },
    returns = { "accdeep.error - the error; of a list, that of its first text" },
    text = "A function fails with that code. The construct that failed has changed nothing. A directive as text is"
      .. " carried out, around an empty body if it takes one, and leaves the state as it was. The detail `by` is a"
      .. " function that takes the text, or each of a list, instead: `host`, `fortran`, `declare`.",
    rules = "HOUSE-expect HOUSE-language",
    errors = {
      { "expectation", "nothing fails, or with another code",
        [[expect.fails("not-present", function() acc "enter data copyin(a)" end)]] },
      { "unknown-name", "a code that there is not", [[expect.fails("gone", function() end)]] },
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
    text = "A directive is carried out, and its body run. For what is to be shown is that nothing is wrong.",
    rules = "HOUSE-expect",
    errors = {
      { "not-present", "what the directive itself finds wrong", [[expect.accepts "update self(a)"]] },
      { "type-mismatch", "a body where there is none",
        [[expect.accepts("enter data copyin(a)", function() end)]] },
    },
    example = [[
expect.accepts "data copyin(a)"
expect.accepts("parallel copy(a)", "a[0] = 5;")
expect.host("a[0]", 5)
]] },

  { name = "expect.warns", params = { "code string - the warning's code", "fn fun() - what is warned of" },
    returns = { "accdeep.error - the first one" },
    text = "A function succeeds, with warnings of that code, which are not printed. Bounds that change while the data "
      .. "of a deep copy are present are `bounds-changed`; classes with virtual functions, of whose objects the static "
      .. "type decides what moves, are `unsupported`.",
    rules = "HOUSE-expect TR14-4.3-04 TR14-4.3-17",
    errors = {
      { "expectation", "there is no such warning", [[expect.warns("bounds-changed", function() end)]] },
      { "unknown-name", "a code that there is not", [[expect.warns("changed", function() end)]] },
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
