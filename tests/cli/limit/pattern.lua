-- luacheck: ignore
("a"):rep(100000):find(("a-"):rep(30) .. "b")
