-- Declarations: the position is in the declare block, whatever line and column that is.
case("syntax", function()
  declare [[
    struct A { int n; };
    struct A a b;
  ]]
end)
case("missing semicolon", function()
  declare [[
    struct A { int n; float *p }
    struct A a;
  ]]
end)
case("unknown-type", function()
  declare [[
    int n;
    flaot *p;
  ]]
end)
case("unknown-type of a member", function()
  declare [[
    struct A {
        int n;
        struct B inside;
    };
  ]]
end)
case("duplicate-name", function()
  declare [[
    int n;
    float n;
  ]]
end)
case("two members", function() declare "struct A { int n; float n; };" end)
case("duplicate type", function() declare "struct A { int n; }; struct A { int m; };" end)
case("duplicate enumerator", function() declare "enum E { ONE, TWO, ONE };" end)
case("bit-fields", function()
  declare [[
    struct flags {
        unsigned ready : 1;
    };
  ]]
end)
case("a name of a base class", function() declare "struct A { int n; }; struct B : A { int n; };" end)
case("negative array", function() declare "float v[2 - 5];" end)
case("a size that is not a constant", function() declare "int n = 4; float v[n];" end)
case("a flexible member", function() declare "struct A { int n; float v[]; };" end)
case("signed and unsigned", function() declare "signed unsigned int n;" end)
case("too many values", function() declare "int v[2] = { 1, 2, 3 };" end)
case("initialiser of unknown name", function() declare "int n = m + 1;" end)
case("initialiser of a wrong type", function() declare "struct A { int n; } a = 4;" end)
case("unknown designator", function() declare "struct A { int n; } a = { .m = 4 };" end)
case("division by zero", function() declare "int n = 4 / 0;" end)
case("shape inside a type, unknown member", function()
  declare [[
    struct A {
        int n;
	float *data;
        #pragma acc shape include(dta[0:n])
    };
  ]]
end)
case("shape inside a type, continuation line", function()
  declare [[
    struct A {
        int n;
        float *data;
        #pragma acc shape init_needed(n) \
                          include(data[0:m])
    };
    struct A a;
  ]]
  host.a = { n = 1, data = { 1 } }
  acc "enter data copyin(a)"
end)
case("shape inside a type, syntax", function()
  declare [[
    struct A {
        int n;
        float *data;
        #pragma acc shape include(data[0:n)
    };
  ]]
end)
case("type-mismatch", function()
  declare [[
    struct B { int n; };
    struct A { int n; float *data;
        #pragma acc shape type(struct B) include(n)
    };
  ]]
end)
case("two default shapes", function()
  declare [[
    struct A { int n; float *data;
        #pragma acc shape include(data[0:n])
        #pragma acc shape exclude(data)
    };
  ]]
end)
case("a directive that declares nothing", function()
  declare [[
    int n;
    #pragma acc enter data copyin(n)
  ]]
end)
case("recursive-type", function()
  declare [[
    struct list { int n; struct list *next;
        #pragma acc shape include(next[0:1])
    };
    struct list L;
  ]]
  acc "enter data copyin(L)"
end)
case("not a text", function() declare { "int n;" } end)
case("larger than any memory", function() declare "double v[1L << 60];" end)
case("larger than the limit", function() declare "double v[1 << 30];" end)
