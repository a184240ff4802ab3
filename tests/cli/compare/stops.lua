-- A file that ends early under one of the profiles.
declare "int a[4];"
case("first", function() acc "enter data create(a)" end)
acc "exit data delete(a)"
case("second", function() expect.host("a[0:2]", { 1, 2 }) end)
