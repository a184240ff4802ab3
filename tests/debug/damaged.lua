-- Types from files that are cut off or have wrong bytes in their debug information: either there is a type, or
-- an error of ours. PROGRAM is the file to damage, TYPES what is asked for, separated by |, LANGUAGE its
-- language; ACCDEEP_SEED and ACCDEEP_ROUNDS choose others.

scenario { title = "damaged debug information", cites = { "HOUSE-debug" } }

local diagnostic = require "accdeep.base.diagnostic"
local session = require "accdeep.run.session"

local program, language = os.getenv "PROGRAM", os.getenv "LANGUAGE"
local rounds = tonumber(os.getenv "ACCDEEP_ROUNDS") or 300
local wanted = {}
for name in os.getenv "TYPES":gmatch "[^|]+" do wanted[#wanted + 1] = name end
math.randomseed(tonumber(os.getenv "ACCDEEP_SEED") or 1)

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

-- Where the sections of an ELF file of 64 bits lie: name -> {first, last} byte.
local function sections(text)
  local table_at = string.unpack("<I8", text, 0x28 + 1)
  local size, count, names = string.unpack("<I2I2I2", text, 0x3a + 1)
  local function header(i) return string.unpack("<I4I4I8I8I8I8", text, table_at + i * size + 1) end
  local _, _, _, _, strings = header(names)
  local found = {}
  for i = 0, count - 1 do
    local name, _, _, _, at, bytes = header(i)
    found[string.unpack("z", text, strings + name + 1)] = { at + 1, at + bytes }
  end
  return found
end

local whole = read(program)
local places = sections(whole)

local function cut_off() return whole:sub(1, math.random(#whole)) end

local function with_wrong_bytes(section)
  local made = whole
  for _ = 1, math.random(8) do
    local at = math.random(table.unpack(places[section]))
    made = made:sub(1, at - 1) .. string.char(math.random(0, 255)) .. made:sub(at + 1)
  end
  return made
end

local path = os.tmpname()
local counts = { declared = 0, refused = 0 }

local function try(text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  for _, name in ipairs(wanted) do
    local s = session.new { language = language, descriptors = "gfortran" }
    local before = next(s.now.scope.tags)
    local ok, err = pcall(s.declare_from, s, path, name)
    if not ok then expect(diagnostic.is(err) and diagnostic.phase(err.code) ~= "internal", tostring(err)) end
    expect(ok or next(s.now.scope.tags) == before, "what fails declares nothing")
    s:close()
    local result = ok and "declared" or "refused"
    counts[result] = counts[result] + 1
  end
end

local ok, problem = pcall(function()
  for _ = 1, rounds // 3 do
    try(cut_off())
    try(with_wrong_bytes ".debug_info")
    try(with_wrong_bytes(math.random(2) == 1 and ".debug_abbrev" or ".debug_line"))
  end
end)
os.remove(path)
if not ok then error(problem, 0) end
expect(counts.declared > 0 and counts.refused > 0, "files are damaged, and not all of them too much")
