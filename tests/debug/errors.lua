-- What cannot be declared from debug information: the error, and that nothing has been declared.
-- PROGRAM is made of errors.c and same_name.c; STRIPPED is the same without debug information; PARTLY is made of
-- partly.c and partly_main.c.

scenario { title = "types that are refused", cites = { "HOUSE-debug" } }

local program, stripped = os.getenv "PROGRAM", os.getenv "STRIPPED"

local function refuses(code, what, file, name, pattern)
  case(what, function()
    expect.fails(code, function() declare_from(file, name) end)
    local ok, problem = pcall(declare_from, file, name)
    expect.equal({ ok, problem.rule }, { false, "HOUSE-debug" })
    local told = problem.message .. " " .. (problem.help or "")
    expect(told:find(pattern), told)
    expect(not pcall(declare, "struct whole object; struct twice other;"), "nothing was declared")
  end)
end

refuses("file", "no such file", "/no/such/program", "struct whole", "No such file")
refuses("file", "no program", "CMakeLists.txt", "struct whole", "ELF")
refuses("file", "stripped", stripped, "struct whole", "compile it with %-g")
refuses("unknown-type", "no such type", program, "struct whloe", "did you mean 'whole'")
refuses("unknown-type", "declared only", program, "struct hidden", "only declares struct hidden")
refuses("unknown-type", "two of a name", program, "struct twice", "at errors%.c:%d+ and same_name%.c:%d+")
refuses("type-mismatch", "another kind", program, "union whole", "declared with 'struct'")
refuses("syntax", "no name", program, "struct whole *", "not the name of a type")
refuses("syntax", "an open bracket", program, "std::vector<float", "not the name of a type")

case("declared otherwise", function()
  declare "struct whole { int n; struct part *first; };"
  expect.fails("duplicate-name", function() declare_from(program, "struct whole") end)
  expect.equal(sizeof "struct whole", 16)
  expect(not pcall(declare, "struct part object;"), "what it leads to was not declared either")
end)

for what, text in pairs { ["a typedef"] = "typedef double real;", ["an enumerator"] = "enum colour { RED = 7 };",
  ["a variable"] = "int GREEN;", ["a variable, and a typedef there,"] = "int real;" } do
  case(what .. " of that name is declared", function()
    declare(text)
    expect.fails("duplicate-name", function() declare_from(program, "struct whole") end)
    expect(not pcall(declare, "struct whole object;"), "nothing was declared")
  end)
end

case("declared as it is there", function()
  declare [[
    struct part;
    struct whole { int n; struct part *first; struct hidden *handle; enum paint { RED, GREEN } paint; };
    struct part *p;
  ]]
  declare_from(program, "struct whole") -- completes struct part
  declare "struct part q;"
  host.p = { { value = 2 } }
  expect.equal(host.p[0].value, 2)
end)

case("bytes without a name move with the others", function()
  declare_from(program, "struct whole")
  declare_from(program, "struct whole")
  declare "struct whole W;"
  expect.equal(sizeof "W", 32)
  expect.moves(function() acc "enter data copyin(W)" end, { h2d = { bytes = 32 } })
  expect(not pcall(host, "W.bits"), "bit-fields have no name")
end)

case("members of types that another file defines, or none", function()
  local partly = os.getenv "PARTLY"
  declare_from(partly, "struct outer")
  declare "struct outer O; struct inner I;"
  expect.equal({ sizeof "O", sizeof "O.in", sizeof "I" }, { 48, 16, 16 })
  expect.equal(addr "O.after" - addr "O.n", 10)
  expect(not pcall(host, "O.gone"), "what is not known has no name")
  expect.fails("unknown-type", function() declare_from(partly, "struct lost") end)
end)
