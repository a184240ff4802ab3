-- luacheck: ignore
string.rep("", 1 << 60) ; ("").rep("", 1 << 60)
