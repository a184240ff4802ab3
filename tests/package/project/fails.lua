-- Fails on purpose, with text that has a meaning in XML and in TAP.
declare "int n = 3;"
case("holds # TODO", function() print "not ok 7\n1..3" end)
case("fails ]]> & \"so\"", function() expect.host("n", 4) end)
case("\u{FFFF} \xff \27[31m", function() expect.equal("a\0b\u{FFFE}", "1..2\nok 3") end)
case("holds again", function() expect.host("n", 3) end)
