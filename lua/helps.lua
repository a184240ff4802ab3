-- helps.lua OUT.c CODES.lua - writes what error_codes.lua tells about accdeep's codes as a C table for runtimes
-- (core/abi/helps/helps.h); the build calls it.

local out, codes = arg[1], dofile(arg[2])
local names = {}
for code in pairs(codes) do names[#names + 1] = code end
table.sort(names)
local rows = {}
for i, code in ipairs(names) do
  local entry = codes[code]
  local help = entry.compiled or entry[3]
  rows[i] = ("    {%q, %q, %q, %q, %s, %d, %s},\n"):format(code, entry[1], help, entry.openmp or help,
    entry.rule and ("%q"):format(entry.rule) or "NULL", entry.cwe or 0, entry.is_limit == true)
end
local file = assert(io.open(out, "wb"))
file:write('#include "abi/helps/helps.h"\n\n#include <stddef.h>\n\nconst struct accd__help accd__help_table[] = {\n',
  table.concat(rows), "    {0},\n};\n")
file:close()
