-- interface.lua CC LIBRARY OLDER PRESENT... - checks that a library and its present headers keep the binary interface
-- of older headers.
--
-- OLDER is the folder of the older headers; PRESENT are the folders of the present ones. CC preprocesses both, and
-- compiles a program for each that prints the value of each enumerator and the size of each structure. The values and
-- sizes of the older headers must be those of the present ones, except for the sizes of structures that grow, and the
-- library must export each function of the older headers. The script prints each difference, and fails if there is one.

-- Structures that tell their own size, and enumerators that count others.
local MAY_GROW = { accd_context_config = true, ACCD_KNOBS = true, ACCD_OP_COUNT = true }

local compiler, library, older = arg[1], arg[2], arg[3]
local present = table.move(arg, 4, #arg, 1, {})

local function read_command(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  assert(pipe:close(), command)
  return text
end

-- Returns the preprocessed text of accdeep.h, of which folders hold the headers.
local function preprocess(folders)
  return read_command(("echo '#include <accdeep.h>' | %s -std=c11 -E -P -I%s -"):format(compiler,
    table.concat(folders, " -I")))
end

-- Returns two sorted lists: names of enumerators, and of structures of which the headers define the members.
local function names_in(text)
  local enumerators, structures = {}, {}
  for body in text:gmatch "enum[%s%w_]*(%b{})" do
    for name in body:gmatch "%f[%w_](ACCD_[%w_]+)%s*[,=}]" do enumerators[#enumerators + 1] = name end
  end
  for name in text:gmatch "struct%s+(accd_[%w_]+)%s*{" do structures[#structures + 1] = name end
  table.sort(enumerators)
  table.sort(structures)
  return enumerators, structures
end

-- Returns a table from name to value or size, as the headers in `folders` define these names.
local function values_of(folders, enumerators, structures)
  local lines = { "#include <accdeep.h>", "#include <stdio.h>", "int main(void)", "{" }
  for _, name in ipairs(enumerators) do
    lines[#lines + 1] = ('    printf("%s %%lld\\n", (long long)%s);'):format(name, name)
  end
  for _, name in ipairs(structures) do
    lines[#lines + 1] = ('    printf("%s %%zu\\n", sizeof(struct %s));'):format(name, name)
  end
  lines[#lines + 1] = "    return 0;\n}\n"
  local path = os.tmpname()
  local source = assert(io.open(path .. ".c", "w"))
  source:write(table.concat(lines, "\n"))
  source:close()
  local text = read_command(("%s -std=c11 -I%s %s.c -o %s && %s; status=$?; rm -f %s %s.c; exit $status"):format(
    compiler, table.concat(folders, " -I"), path, path, path, path, path))
  local values = {}
  for name, value in text:gmatch "(%S+) (%S+)\n" do values[name] = value end
  return values
end

local text = preprocess { older }
local enumerators, structures = names_in(text)
assert(#enumerators > 100 and #structures > 20, "the older headers have too few names")
local before, now = values_of({ older }, enumerators, structures), values_of(present, enumerators, structures)
local problems = {}
for name, value in pairs(before) do
  if now[name] ~= value and not MAY_GROW[name] then
    problems[#problems + 1] = ("%s: %s, was %s"):format(name, now[name], value)
  end
end

local exported = {}
for name in read_command(("nm -D --defined-only '%s'"):format(library)):gmatch "%sT%s(%S+)" do exported[name] = true end
local nfunctions = 0
for declaration in text:gmatch 'visibility%("default"%)[^;]-;' do
  local name = declaration:match "(accd_[%w_]+)%s*%("
  nfunctions = nfunctions + 1
  if not exported[name] then problems[#problems + 1] = ("%s: not exported any more"):format(name) end
end
assert(nfunctions > 100, "the older headers have too few functions")

table.sort(problems)
for _, problem in ipairs(problems) do print(problem) end
print(("%d enumerators, %d structures, %d functions: %d differences"):format(#enumerators, #structures, nfunctions,
  #problems))
os.exit(#problems == 0)
