-- luacheck: ignore
load "while true do end" ()
