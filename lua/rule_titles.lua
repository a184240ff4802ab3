-- rule_titles.lua OUT.c RULES.lua... - writes the titles of the rules in files of spec/rules as a C table for the
-- runtime of real programs (core/abi/helps/helps.h); the build calls it.

local rows = {}
for i = 2, #arg do
  for _, rule in ipairs(dofile(arg[i])) do rows[#rows + 1] = ("    {%q, %q},\n"):format(rule.id, rule.title) end
end
table.sort(rows)
local file = assert(io.open(arg[1], "wb"))
file:write('#include "abi/helps/helps.h"\n\nconst struct accd__rule_title accd__rule_titles[] = {\n',
  table.concat(rows), "};\n",
  "const size_t accd__rule_title_count = sizeof accd__rule_titles / sizeof accd__rule_titles[0];\n")
assert(file:close())
