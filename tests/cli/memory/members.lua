-- luacheck: ignore
declare "struct S { double v[1 << 13][1 << 13]; }; struct S s[64];"
