-- luacheck: ignore
declare "double big[1 << 27];"
