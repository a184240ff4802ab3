-- luacheck: ignore
local _, err = pcall(acc, "data copy(nothing)")
local function forever() while true do end end
local trap = setmetatable({}, { __index = forever, __tostring = forever, __len = forever, __lt = forever,
  __concat = forever, __eq = forever, __call = forever })
for _, key in ipairs { "message", "file", "line", "column", "rule", "help", "notes", "snippet", "snippet_column",
  "objects", "length", "wanted", "found" } do err[key] = trap end
err.objects, err.notes, err.line = { trap, { name = trap, bytes = 4, file = "x", line = 1.5 } }, { trap, "a note" }, 0/0
error(err)
