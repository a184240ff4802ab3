-- The error has the line, although calls of the interpreter itself lie above it.
declare "struct S { struct S *p; } x;"
local t = {}
t.p = { t }
host.x = t
