-- Text that does not parse: the position is that of the first word that fits nowhere.
declare [[
  struct S { int n; float *a; };
  struct S X;
  float v[8];
]]

case("unclosed clause", function() acc "data copy(X" end)
case("empty list", function() acc "data copy()" end)
case("no directive", function() acc "" end)
case("only the sentinel", function() acc "#pragma acc" end)
case("not a directive", function() acc "dta copy(X)" end)
case("broken section", function() acc "data copy(v[0:4)" end)
case("bad operator", function() acc "enter data copyin(v[0 + : 4])" end)
case("a number for a member", function() acc "update self(X.3)" end)
case("missing member", function() acc "update self(X.)" end)
case("a section with members", function() acc "data copy(v[0:2].x)" end)
case("trailing words", function() acc "data copy(X) )" end)
case("continuation line", function()
  acc [[
    data copyin(v[0:4]) \
         copy(X, , v)
  ]]
end)
case("after a tab", function()
  acc "data	copyin(v[0:4])	copy(,X)"
end)
case("escapes in a short string", function() acc "data copyin(v[0:4]) \t copy(X" end)
case("text built at run time", function()
  local text = "data copyin(v[0:4])"
  acc(text .. " copy(X;)")
end)
case("a large constant", function() acc "data copy(v[0:99999999999999999999])" end)
case("deep nesting", function() acc("data copy(v[" .. ("("):rep(5000) .. "1:2])") end)
case("a control character", function() acc "data copy(X)\1" end)
case("a shape without clauses", function() acc "shape" end)
case("empty shape name", function() acc "shape type(struct vector) include<>(a)" end)
case("condition without an end", function() acc "data copy(X) if(X.n > " end)
