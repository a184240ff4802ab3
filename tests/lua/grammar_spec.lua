-- Trees of expressions, declarations, directives and statements, and where errors are.
local syntax = require "accdeep.syntax"

local scope = { is_type = function(name) return name == "T" end }

-- A tree as text: (tag parts...), for comparing shapes.
local shapes = {}
local function text(node)
  if type(node) ~= "table" then return tostring(node) end
  local shape = shapes[node.tag]
  if not shape then error("no shape for " .. tostring(node.tag)) end
  return shape(node)
end
local function list(nodes)
  local parts = {}
  for i, node in ipairs(nodes) do parts[i] = text(node) end
  return table.concat(parts, " ")
end
function shapes.num(n) return tostring(n.value) end
function shapes.str(n) return ("%q"):format(n.value) end
function shapes.id(n) return n.name end
function shapes.member(n) return ("(%s %s %s)"):format(n.arrow and "->" or ".", text(n.base), n.name) end
function shapes.index(n) return ("(index %s %s)"):format(text(n.base), text(n.index)) end
function shapes.section(n)
  return ("(section %s %s %s)"):format(text(n.base), n.start and text(n.start) or "_",
    n.length and text(n.length) or "_")
end
function shapes.call(n) return ("(call %s%s)"):format(text(n.base), #n.args > 0
  and " " .. list(n.args) or "") end
function shapes.unary(n) return ("(%s %s)"):format(n.op, text(n.e)) end
function shapes.postfix(n) return ("(post %s %s)"):format(n.op, text(n.base)) end
function shapes.binary(n) return ("(%s %s %s)"):format(n.op, text(n.a), text(n.b)) end
function shapes.cond(n) return ("(? %s %s %s)"):format(text(n.c), text(n.a), text(n.b)) end
function shapes.cast(n) return ("(cast %s %s)"):format(text(n.type), text(n.e)) end
function shapes.sizeof(n) return ("(sizeof %s)"):format(text(n.type or n.e)) end
function shapes.type_name(n)
  return (n.spec.name or table.concat(n.spec.words or { n.spec.kind },
    " ")) .. ("*"):rep(n.declarator.pointers)
end

local function expression(source) return text((syntax.parse("expression", source, 1, scope))) end

local function failure(start, source)
  local ok, err = pcall(syntax.parse, start, source, 1, scope)
  assert(not ok, source .. " parses")
  assert(err.code == "syntax", tostring(err.code))
  return err.pos, err.message
end

describe("expressions", function()
  local cases = {
    { "a", "a" }, { "a + b * c", "(+ a (* b c))" }, { "(a + b) * c", "(* (+ a b) c)" },
    { "a - b - c", "(- (- a b) c)" }, { "a << 1 + 2", "(<< a (+ 1 2))" },
    { "a < b == c > d", "(== (< a b) (> c d))" }, { "a & b | c ^ d", "(| (& a b) (^ c d))" },
    { "a && b || c && d", "(|| (&& a b) (&& c d))" }, { "a & b && c", "(&& (& a b) c)" },
    { "a ? b : c ? d : e", "(? a b (? c d e))" }, { "-a * !b", "(* (- a) (! b))" },
    { "- -a", "(- (- a))" }, { "*p++", "(* (post ++ p))" }, { "&x.y", "(& (. x y))" },
    { "p->q.r[2]", "(index (. (-> p q) r) 2)" }, { "f()", "(call f)" }, { "f(a, b + 1)",
      "(call f a (+ b 1))" },
    { "v[0:n]", "(section v 0 n)" }, { "v[:n]", "(section v _ n)" }, { "v[:]", "(section v _ _)" },
    { "v[i:]", "(section v i _)" }, { "p[0:n][1:m]", "(section (section p 0 n) 1 m)" },
    { "v[a ? b : c]", "(index v (? a b c))" }, { "(T)x", "(cast T x)" }, { "(x)", "x" },
    { "(T*)p + 1", "(+ (cast T* p) 1)" }, { "(int)x / y", "(/ (cast int x) y)" },
    { "(unsigned long)-1", "(cast unsigned long (- 1))" }, { "sizeof(T)", "(sizeof T)" },
    { "sizeof x", "(sizeof x)" }, { "sizeof(x) * 2", "(* (sizeof x) 2)" },
    { "a /* b */ + // c\n d", "(+ a d)" }, { "a \\\n + b", "(+ a b)" },
    { "0x1F", "31" }, { "017", "15" }, { "0b101", "5" }, { "1e3", "1000.0" }, { ".5f", "0.5" },
      { "2.", "2.0" },
    { "'a'", "97" }, { "'\\n'", "10" }, { "'\\x41'", "65" }, { "'\\0'", "0" }, { '"a\\tb"', '"a\\9b"' },
    { "a<b>c", "(> (< a b) c)" }, { "a<=b", "(<= a b)" }, { "a>>b", "(>> a b)" }, { "a - -b", "(- a (- b))" },
  }
  for _, case in ipairs(cases) do
    it("reads " .. case[1]:gsub("%s+", " "), function() assert.equal(case[2], expression(case[1])) end)
  end

  it("gives constants the type C gives them", function()
    local function kind(source) return (syntax.parse("expression", source)).type end
    assert.equal("int", kind "2147483647")
    assert.equal("long", kind "2147483648")
    assert.equal("unsigned int", kind "0xffffffff")
    assert.equal("unsigned int", kind "1u")
    assert.equal("long", kind "1L")
    assert.equal("unsigned long", kind "1UL")
    assert.equal("unsigned long", kind "0xffffffffffffffff")
    assert.equal("float", kind "1.5f")
    assert.equal("double", kind "1.5")
  end)

  it("keeps positions", function()
    local node = syntax.parse("expression", "  ab + c.d")
    assert.equal(6, node.pos)
    assert.equal(3, node.a.pos)
    assert.equal(10, node.b.name_pos)
  end)

  local bad = {
    { "a +", 4 }, { "(a", 3 }, { "a b", 3 }, { "a[", 3 }, { "a[1", 4 }, { "f(a,", 5 }, { "x.", 3 },
      { "a ? b", 6 },
    { "99999999999999999999", 1 }, { "a @ b", 3 }, { "1x", 1 }, { "'a", 1 },
  }
  for _, case in ipairs(bad) do
    it("finds the place in " .. case[1], function() assert.equal(case[2], (failure("expression",
      case[1]))) end)
  end

  it("refuses what is nested too deeply", function()
    local _, message = failure("expression", ("("):rep(10000) .. "1")
    assert.matches("nested too deeply", message)
  end)
end)

describe("declarations", function()
  local function external(source) return (syntax.parse("external", source, 1, scope)) end

  it("reads variables, pointers, arrays and initialisers", function()
    local node = external "static unsigned long *p, v[3][n + 1], (*q)[4] = { 0 };"
    assert.equal("declaration", node.tag)
    assert.is_true(node.words.static)
    assert.same({ "unsigned", "long" }, node.spec.words)
    assert.equal(3, #node.list)
    assert.equal(1, node.list[1].declarator.pointers)
    assert.equal("p", node.list[1].declarator.name)
    assert.equal(2, #node.list[2].declarator.suffixes)
    assert.equal("(+ n 1)", text(node.list[2].declarator.suffixes[2].size))
    assert.equal("q", node.list[3].declarator.inner.name)
    assert.equal("braces", node.list[3].value.tag)
  end)

  it("reads structures with directives among the members", function()
    local node = external("struct S : public B { int n, m; union { float f; }; "
      .. "#pragma acc shape exclude(m)\n int k; } s;")
    assert.equal("record", node.spec.tag)
    assert.equal("S", node.spec.name)
    assert.equal("B", node.spec.bases[1].spec.name)
    local tags = {}
    for i, member in ipairs(node.spec.members) do tags[i] = member.tag end
    assert.same({ "members", "members", "pragma", "members" }, tags)
    assert.equal("acc shape exclude(m)", node.spec.members[3].text)
    assert.equal("record", node.spec.members[2].spec.tag)
  end)

  it("reads continued directive lines", function()
    local node = external "#pragma acc shape \\\n  include(a)\nint x;"
    assert.equal("pragma", node.tag)
    assert.matches("include%(a%)", node.text)
  end)

  it("reads enumerations, typedefs, designators, bit-fields and function declarators", function()
    local node = external "enum E { A, B = 4, C, } e;"
    assert.equal(3, #node.spec.list)
    assert.equal("4", text(node.spec.list[2].value))
    assert.is_true(external("typedef int T;").words.typedef)
    node = external "T x = { .a = 1, [2].b = 2, 3 };"
    assert.equal("field", node.list[1].value.list[1].path[1].tag)
    assert.equal("element", node.list[1].value.list[2].path[1].tag)
    assert.is_nil(node.list[1].value.list[3].path)
    node = external "struct F { unsigned a : 3; unsigned : 4; int f(int x, T *y) const; };"
    assert.equal("3", text(node.spec.members[1].list[1].bits.width))
    assert.equal("function", node.spec.members[3].tag)
    assert.equal("method", node.spec.members[3].role)
  end)

  local bad = {
    { "int", 4 }, { "int x", 6 }, { "int x = ;", 9 }, { "struct S { int n }", 18 },
      { "struct S { int n; ", 19 },
    { "int v[3;", 8 }, { "enum E { A B };", 12 }, { "int x = { 1 2 };", 13 }, { "int 3;", 5 },
      { "float for;", 7 },
  }
  for _, case in ipairs(bad) do
    it("finds the place in " .. case[1], function() assert.equal(case[2], (failure("external", case[1]))) end)
  end
end)

describe("directives", function()
  local function directive(source) return (syntax.parse("directive", source, 1, scope)) end
  local function clauses(node)
    local parts = {}
    for i, clause in ipairs(node.clauses) do
      local s = clause.shape and ("<%s>"):format(clause.shape.name or "") or ""
      parts[i] = clause.name .. s .. (clause.vars and ("(%s)"):format(list(clause.vars)) or "")
    end
    return node.name .. ": " .. table.concat(parts, ", ")
  end

  local cases = {
    { "data copy(a)", "data: copy(a)" }, { "#pragma acc data copy(a)", "data: copy(a)" },
    { "acc data copy(a)", "data: copy(a)" }, { "  #  pragma   acc   data copy(a)", "data: copy(a)" },
    { "enter data copyin(a, b[0:n])", "enter data: copyin(a (section b 0 n))" },
    { "enter  data copyin(a)", "enter data: copyin(a)" }, { "exit data delete(a) finalize",
      "exit data: delete(a), finalize" },
    { "data copy(a), create(b)", "data: copy(a), create(b)" }, { "update self<s>(x.y)",
      "update: self<s>((. x y))" },
    { "data copy<>(x)", "data: copy<>(x)" }, { "parallel loop gang vector(4)",
      "parallel loop: gang, vector" },
    { "update self(a) if(a < b) if_present", "update: self(a), if, if_present" },
    { "data copy(a) \\\n  copyin(b)", "data: copy(a), copyin(b)" }, { "end data", "end data: " },
    { "data copy /* all */ (a)", "data: copy(a)" }, { "data pcopy(*p)", "data: pcopy((* p))" },
    { "data copi(a)", "data: copi" }, { "kernels", "kernels: " },
    { "data present_and_copyin<s>(x) update_and_copy(b[0:n])",
      "data: present_and_copyin<s>(x), update_and_copy((section b 0 n))" },
  }
  for _, case in ipairs(cases) do
    it("reads " .. case[1]:gsub("%s+", " "), function() assert.equal(case[2],
      clauses(directive(case[1]))) end)
  end

  it("reads shapes", function()
    local node = directive "shape(s) type(struct S) include(a[0:n], b) exclude(c) init_needed<t>(d) default(none)"
    assert.equal("s", node.argument.name)
    assert.equal("S", node.clauses[1].type.spec.name)
    assert.equal("a", node.clauses[2].members[1].name)
    assert.equal(1, #node.clauses[2].members[1].subscripts)
    assert.equal("t", node.clauses[4].shape.name)
    assert.equal("none", node.clauses[5].word)
  end)

  it("keeps positions of clauses and variables", function()
    local node = directive "data copy(a) copyin(bb)"
    assert.equal(14, node.clauses[2].pos)
    assert.equal(21, node.clauses[2].vars[1].pos)
  end)

  local bad = {
    { "", 1 }, { "dat copy(a)", 1 }, { "data copy", 10 }, { "data copy(a", 12 }, { "data copy(a b)", 13 },
    { "data copy()", 11 }, { "data copy(a) )", 14 }, { "data copy<s(a)", 15 }, { "data if()", 9 },
    { "shape(", 6 }, { "shape include(1)", 15 }, { "#pragma acc", 12 }, { "datacopy(a)", 1 },
  }
  for _, case in ipairs(bad) do
    it("finds the place in '" .. case[1] .. "'", function()
      assert.equal(case[2], (failure("directive", case[1])))
    end)
  end

  it("says what it expected", function()
    local _, message = failure("directive", "data copy(a b)")
    assert.equal("expected ',' or ')', found 'b'", message)
    _, message = failure("directive", "dta copy(a)")
    assert.equal("expected a directive, found 'dta'", message)
  end)
end)

describe("statements", function()
  local function body(source) return (syntax.parse("body", source, 1, scope)).list end

  it("reads the forms of C", function()
    local tags = {}
    for i, statement in ipairs(body [[
      int i = 0, j; T t; x = 1; x += 2, y--;
      if (a) b = 1; else { c = 2; }
      while (a < b) a++;
      do a++; while (a < b);
      for (int k = 0; k < n; ++k) { if (k) continue; break; }
      for (;;) break;
      ; return;
    ]]) do tags[i] = statement.tag end
    assert.same({ "decl", "decl", "expr", "expr", "if", "while", "do", "for", "for", "block",
      "return" }, tags)
  end)

  it("binds else to the nearest if", function()
    local outer = body("if (a) if (b) x = 1; else x = 2;")[1]
    assert.is_nil(outer.no)
    assert.truthy(outer.yes.no)
  end)

  it("assigns from the right", function()
    local e = body("a = b = c;")[1].e
    assert.equal("assign", e.e.tag)
  end)

  it("keeps directives where they stand", function()
    local items = body "#pragma acc loop gang\nfor (;;) break;"
    assert.same({ "pragma", "acc loop gang", "for" }, { items[1].tag, items[1].text, items[2].tag })
  end)

  local bad = {
    { "x = 1", 6 }, { "x = ;", 5 }, { "if x", 4 }, { "if (x", 6 }, { "for (;;", 8 }, { "{ x = 1;",
      9 }, { "do x++; x", 9 },
    { "while (1)", 10 }, { "break", 6 },
  }
  for _, case in ipairs(bad) do
    it("finds the place in " .. case[1], function() assert.equal(case[2], (failure("body", case[1]))) end)
  end
end)
