-- Values between Lua and the host program: variables, members, elements, pointers, and the words that make them.
scenario { title = "Lua: variables, pointers and functions of the host program", language = "c" }

declare [[
  struct point { int x, y; };
  struct deep { int n; float *v; struct point at; } s, t;
  union number { int i; float f; } u;
  int a[4] = { 1, 2, 3, 4 }, m[2][3], n = 3;
  const int fixed = 7;
  int *p = a, *none;
  float f;
  void *raw;
  int (*code)(int);
]]

local function refuses(code, message, fn) expect.fails(code, fn, { message = message }) end

case("accepts: tables give values to structures, arrays and pointers [HOUSE-language]", function()
  host.s = { n = 2, v = { 1, 2 }, at = { x = 5, y = 6 } }
  host.t = host.s
  host.m[1] = { 7, 8, 9 }
  host.a = { [0] = 9, 8 }
  expect.host("t.at.y + t.v[1]", 8)
  expect.host("m[1][2] + a[0] + a[1] + a[2]", 29)
  host.p = alloc("int", 3, function(i) return i * i end)
  expect.equal(host.p:values(3), { 0, 1, 4 })
  host.p = NULL
  expect.host("p == 0", true)
end)

case("accepts: pointers take whole numbers and other pointers [HOUSE-language]", function()
  local q = addr "a[1]"
  expect.equal((q + 2)[0], 4)
  expect.equal((q + 2) - q, 2)
  expect.equal((q - 1)[0], 1)
  expect(q == addr "a[1]" and q ~= addr "a[2]")
  expect.equal(#host.a:values(), 4)
end)

case("rejects: a name or member is not declared [HOUSE-names]", function()
  refuses("unknown-name", "'unheard'", function() return host.unheard end)
  refuses("unknown-name", "'unheard'", function() host.unheard = 1 end)
  refuses("unknown-member", "'z'", function() return host.s.z end)
  refuses("unknown-member", "'z'", function() host.s.at.z = 1 end)
  refuses("unknown-member", "'z'", function() host.s = { z = 1 } end)
  refuses("unknown-type", "", function() return alloc("struct unheard", 1) end)
  refuses("unknown-type", "", function() return alloc("void", 1) end)
  refuses("unknown-type", "", function() return sizeof "struct unheard" end)
  refuses("unknown-name", "", function() return addr "unheard" end)
end)

case("rejects: a variable does not take the value [HOUSE-language ACC33-2.7.1-1]", function()
  refuses("type-mismatch", "", function() host.n = "one" end)
  refuses("type-mismatch", "", function() host.n = {} end)
  refuses("type-mismatch", "", function() host.n = host.s end)
  refuses("type-mismatch", "", function() host.s = 5 end)
  refuses("type-mismatch", "", function() host.s = host.u end)
  refuses("type-mismatch", "", function() host.a = 5 end)
  refuses("type-mismatch", "", function() host.p = "text" end)
  refuses("type-mismatch", "", function() host.fixed = 8 end)
  refuses("out-of-bounds", "", function() host.a = { 1, 2, 3, 4, 5 } end)
  refuses("out-of-bounds", "", function() host.a[4] = 1 end)
  refuses("out-of-bounds", "", function() return host.a[-1] end)
  refuses("type-mismatch", "", function() host.p[0.5] = 1 end)
  refuses("null-pointer", "", function() return host.none[0] end)
end)

case("rejects: a list for a pointer or an array has names, or elements are missing [HOUSE-language]", function()
  declare "struct node { int v; struct node *next; } *list, nodes[2];"
  expect.fails("type-mismatch", function() host.list = { v = 7 } end,
    { help = "a pointer takes a list: { { v = 7 } }" })
  expect.fails("type-mismatch", function() host.list = { { v = 7, next = { v = 8 } } } end, { help = "{ { v = 8 } }" })
  expect.fails("type-mismatch", function() host.nodes = { v = 7 } end, { help = "{ { v = 7 } }" })
  refuses("type-mismatch", "no name 'x'", function() host.a = { x = 7 } end)
  refuses("type-mismatch", "an element 3", function() host.a = { [3] = 7 } end)
  refuses("type-mismatch", "an element true", function() host.p = { [true] = 7 } end)
end)

case("rejects: pointer arithmetic takes a fraction or a text, or values has no number [HOUSE-language]", function()
  local q = addr "a[1]"
  for _, other in ipairs { 1.5, "one", {} } do
    refuses("type-mismatch", "p + n", function() return q + other end)
    refuses("type-mismatch", "p + n", function() return q - other end)
  end
  refuses("type-mismatch", "number of elements", function() return q:values() end)
  refuses("type-mismatch", "number of elements", function() return q:values "two" end)
  refuses("out-of-bounds", "", function() return q:values(9) end)
end)

case("rejects: a word gets an argument of another kind [HOUSE-language]", function()
  refuses("type-mismatch", "a type is given as text", function() return alloc(5, 1) end)
  refuses("invalid-section", "", function() return alloc("int", -1) end)
  refuses("invalid-section", "", function() return alloc("int", 1.5) end)
  refuses("invalid-section", "too many elements", function() return alloc("int", 1 << 60) end)
  refuses("type-mismatch", "addr takes", function() return addr(5) end)
  refuses("type-mismatch", "sizeof takes", function() return sizeof(5) end)
  refuses("type-mismatch", "host takes", function() return host(5) end)
  refuses("type-mismatch", "free takes", function() free(host.s) end)
  refuses("out-of-bounds", "start of a block", function() free(5) end)
  refuses("device-pointer-on-host", "free takes", function() free(acc_malloc(8)) end)
  refuses("out-of-bounds", "start of a block", function() free(addr "a[1]") end)
  refuses("type-mismatch", "declare takes a text", function() declare(5) end)
  refuses("type-mismatch", "acc takes", function() acc(5) end)
  refuses("type-mismatch", "omp takes", function() omp() end)
  refuses("type-mismatch", "second argument", function() acc("parallel copy(n)", 5) end)
  refuses("type-mismatch", "block takes a function", function() block(5) end)
  refuses("type-mismatch", "draw takes", function() draw(5) end)
  refuses("type-mismatch", "does not end in", function() draw "picture" end)
  refuses("no-device", "device 7", function() state(7) end)
  refuses("type-mismatch", "device_words takes", function() device_words(5) end)
  refuses("type-mismatch", "case takes", function() case("name", 5) end)
  refuses("type-mismatch", "events are those of a function", function() events(5) end)
  refuses("type-mismatch", "an expectation takes", function() expect.host(5, 1) end)
  refuses("type-mismatch", "", function() expect.count("a", 5) end)
  refuses("type-mismatch", "", function() expect.moves(function() end, 5) end)
  refuses("type-mismatch", "", function() expect.invalid(5) end)
  refuses("type-mismatch", "", function() expect.warns("bounds-changed", 5) end)
end)

case("accepts: expressions call functions and member functions of Lua [HOUSE-language]", function()
  func("twice", function(k) return 2 * k end)
  method("struct point", "sum", function(self, k) return self.x + self.y + k end)
  host.s = { at = { x = 1, y = 2 } }
  expect.host("twice(n) + s.at.sum(4)", 13)
  expect.equal(host.s.at:sum(1), 4)
end)

case("rejects: a function or member function has a wrong name, type or value [HOUSE-language HOUSE-names]", function()
  refuses("type-mismatch", "func takes", function() func("two words", function() end) end)
  refuses("type-mismatch", "func takes", function() func("twice", 5) end)
  refuses("type-mismatch", "method takes", function() method("struct point", "sum", 5) end)
  refuses("not-a-struct", "member functions", function() method("int", "sum", function() end) end)
  refuses("duplicate-name", "'x'", function() method("struct point", "x", function() end) end)
  method("struct point", "sum", function(self) return self.x end)
  refuses("duplicate-name", "'sum'", function() method("struct point", "sum", function() end) end)
  refuses("type-mismatch", "object:sum", function() host.s.at.sum() end)
  refuses("type-mismatch", "cannot be assigned to", function()
    func("called", function() return 1 end)
    host.called = 2
  end)
end)

case("rejects: a scenario uses the words of the other language [HOUSE-language]", function()
  refuses("type-mismatch", "fortran takes a text", function() fortran(5) end)
  refuses("type-mismatch", "a scenario in C", function() fortran "integer :: i" end)
  refuses("type-mismatch", "call takes", function() call(5) end)
end)

case("rejects: a kernel's view does not support an operation on device pointers [HOUSE-language]", function()
  acc "enter data copyin(a, p, s)"
  refuses("type-mismatch", "on the device", function()
    acc "parallel present(p)" (function(d) d.p = { 1, 2 } end)
  end)
  refuses("unknown-name", "", function() acc "parallel" (function(d) return d.unheard end) end)
  refuses("unknown-member", "", function() acc "parallel present(s)" (function(d) d.s.z = 1 end) end)
end)

case("rejects: a kernel's view or a region's handle gets a wrong argument [HOUSE-language HOUSE-names]", function()
  refuses("type-mismatch", "d takes", function() acc "parallel copy(n)" (function(d) return d(5) end) end)
  refuses("unknown-name", "'unheard'", function() acc "parallel copy(n)" (function(d) d.unheard = 1 end) end)
  refuses("type-mismatch", "takes a function as its body", function() acc "data copy(n)" (5) end)
  acc "end data"
  refuses("syntax", "expected ','", function() acc("parallel", "n + 1") end)
end)

case("rejects: a profile is neither a name nor a table, or memory was not allocated [HOUSE-language]", function()
  refuses("type-mismatch", "a profile's name", function() rules(5) end)
  refuses("type-mismatch", "is a variable", function() free(addr "a") end)
  refuses("type-mismatch", "a pointer is needed", function() acc_free(5.5) end)
  refuses("type-mismatch", "a pointer is needed", function() acc_deviceptr(5.5) end)
  refuses("type-mismatch", "a pointer is needed", function() acc_is_present(5.5, 4) end)
  refuses("not-a-pointer", "", function() expect.attached "n" end)
  refuses("unknown-name", "counter", function() expect.count("a", { static = 1 }) end)
end)

case("rejects: an index is not an integer, or a routine gets no pointer [HOUSE-language ACC33-att-2]", function()
  refuses("type-mismatch", "index of an array", function() return host.a[1.5] end)
  refuses("type-mismatch", "index of an array", function() host.a.x = 1 end)
  refuses("type-mismatch", "index of a pointer", function() return host.p.x end)
  refuses("type-mismatch", "a pointer is needed", function() acc_hostptr(5.5) end)
  refuses("type-mismatch", "a pointer is needed", function() acc_unmap_data(true) end)
  refuses("not-present", "the pointer 0x5 itself", function() acc_attach(5) end)
  refuses("host-pointer-on-device", "address of the host", function() acc_memcpy_to_device(5, acc_malloc(8), 8) end)
end)

case("rejects: a function has the name of a variable, or is assigned to [HOUSE-names HOUSE-language]", function()
  func("one", function() return 1 end)
  declare "int own;"
  refuses("duplicate-name", "'own' is declared already", function() func("own", function() return 1 end) end)
  refuses("type-mismatch", "'one' cannot be assigned to", function()
    acc "parallel copy(n)" (function(d) d.one = 1 end)
  end)
end)
