-- luacheck: ignore
declare "int n;" acc "parallel copy(n)" "while (1) n++;"
