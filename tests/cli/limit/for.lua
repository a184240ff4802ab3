-- luacheck: ignore
declare "int n;" acc "parallel copy(n)" "for (;;) ;"
