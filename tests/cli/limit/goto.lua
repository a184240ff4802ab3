-- luacheck: ignore
::again:: goto again
